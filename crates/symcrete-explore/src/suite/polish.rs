//! Makes tests readable: the same path with smaller, rounder values.

use super::pleasant::{nicer, nicer_in_text};
use super::presence::{PointerAt, object, without};
use crate::explorer::changes::changes;
use crate::explorer::keeping::{has_wrong_arguments, known_outcome};
use symcrete_exec::{ExecError, Executor, Trace};
use symcrete_program::shape::Alias;
use symcrete_program::{
    Branch, BranchKind, CellKind, Edge, Gap, Image, Input, Outcome, Program, Shape, TestCase, Trap,
};
use symcrete_term::{Terms, Value};

/// The maximum number of runs for one test.
const RUNS_MAX: usize = 2_000;
/// WebAssembly's operators that write memory and do not read it.
const I32_STORE: u8 = 0x36;
const I64_STORE32: u8 = 0x3e;
const PREFIXED: u8 = 0xfc;
const MEMORY_FILL: u8 = 0x0b;
/// Values that are tried for one cell.
const CANDIDATES_MAX: usize = 8;

/// What a nicer test has in common with the one it replaces, besides how it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keep {
    /// It takes the same sides of branches; a loop may have fewer iterations.
    Sides,
    /// It also takes them in the same order, as often.
    Path,
}

/// Whether a cell is a byte of standard input, of a file or of an environment variable.
fn is_in_text(cell: &str) -> bool {
    let texts = ["stdin[", "file \"", "getenv(\""];
    cell.ends_with(']') && texts.iter().any(|text| cell.starts_with(text))
}

/// How tests are made nicer.
pub(super) struct Polish<'a> {
    /// The program.
    pub(super) program: &'a Program,
    /// The input of the unit.
    pub(super) shape: &'a Shape,
    /// Sites that one run may pass.
    pub(super) fuel: u64,
    /// What must stay.
    pub(super) keep: Keep,
    /// Whether to leave tests as they are from now on.
    pub(super) is_stopped: &'a dyn Fn() -> bool,
    /// Whether to leave even what is undefined on other machines.
    pub(super) is_interrupted: &'a dyn Fn() -> bool,
}

impl Polish<'_> {
    /// The test without floats that fit no integer, where its path does not need them: to convert one is undefined, so this must
    /// not be left to the time that remains.
    pub(super) fn without_wild_floats(
        &self,
        test: TestCase,
        executor: &mut dyn Executor,
    ) -> Result<TestCase, ExecError> {
        self.polish_some(test, executor, (&fits_no_integer, self.is_interrupted))
    }

    /// The test with nicer values.
    pub(super) fn polish(
        &self,
        test: TestCase,
        executor: &mut dyn Executor,
    ) -> Result<TestCase, ExecError> {
        self.polish_some(test, executor, (&|_, _| true, self.is_stopped))
    }

    /// The test with nicer values in some of its cells, until that is stopped.
    fn polish_some(
        &self,
        test: TestCase,
        executor: &mut dyn Executor,
        (is_wanted, is_stopped): (&dyn Fn(CellKind, Value) -> bool, &dyn Fn() -> bool),
    ) -> Result<TestCase, ExecError> {
        let mut best = test;
        let mut leaves = self.shape.leaves(&best.input);
        leaves.retain(|(_, kind, value)| is_wanted(*kind, *value));
        // An object that is needed only because another pointer shares it may be dropped afterwards.
        leaves
            .sort_by_key(|(name, ..)| !self.shape.aliases.iter().any(|alias| alias.name == *name));
        if leaves.is_empty() || is_stopped() {
            return Ok(best);
        }
        let path = match self.keep {
            Keep::Sides => None,
            Keep::Path => Some(path(&self.run(&best, &best.input, executor)?.2)),
        };
        let mut runs_left = RUNS_MAX;
        for (name, kind, value) in leaves {
            // A cell of an array that has become shorter, or of a pointer that has become null, is gone.
            if best.input.get(&name) != Some(value) {
                continue;
            }
            let candidates = match self.pointer_at(&best.input, &name) {
                Some(_) if runs_left == 0 || is_stopped() => return Ok(best),
                Some(at) => {
                    runs_left -= 1;
                    let wanted = self.presence(&best, &name, (&at, value), executor)?;
                    Vec::from_iter((wanted != value).then_some(wanted))
                }
                None if is_in_text(&name) => nicer_in_text(value),
                None => nicer(kind, value),
            };
            let is_emptied = self.empties_array(&best, &name);
            let candidates = candidates.into_iter().filter(|to| !is_emptied || to.bits() != 0);
            for candidate in candidates.take(CANDIDATES_MAX) {
                // A stopped run cannot be compared with others, so this is checked before each one.
                if runs_left == 0 || is_stopped() {
                    return Ok(best);
                }
                runs_left -= 1;
                let mut input = best.input.clone();
                copy_shared(self.shape, &mut input, &name);
                input.set(name.clone(), candidate);
                let (complete, image, trace) = self.run(&best, &input, executor)?;
                if !self.is_same(&best, &trace)
                    || path.as_ref().is_some_and(|p| *p != self::path(&trace))
                {
                    continue;
                }
                best = self.test((complete, image, trace));
                break;
            }
        }
        Ok(best)
    }

    /// The test that a run is.
    pub(super) fn test(&self, (input, image, trace): (Input, Image, Trace)) -> TestCase {
        TestCase {
            changes: changes((self.shape, &self.program.types), &input, &image, &trace),
            freed: self.shape.freed(&trace.freed),
            outcome: known_outcome(&trace),
            input,
            drawn: trace.drawn,
            noted: trace.noted,
            address_from: trace.address_from,
            coverage: trace.coverage,
            set_aside: None,
        }
    }

    /// Whether a cell is the length of an array of a test that fails: with no elements fewer callers are meant.
    fn empties_array(&self, test: &TestCase, cell: &str) -> bool {
        matches!(test.outcome, Outcome::Trapped(_))
            && self.image(test, &test.input).1.ties.iter().any(|tie| tie.name == cell)
    }

    /// Where the pointer is whose null-ness a cell decides, if it decides one.
    fn pointer_at(&self, input: &Input, cell: &str) -> Option<PointerAt> {
        let image = || self.shape.image(&self.program.types, input);
        matches!(input.get(cell), Some(Value::Bool(_)))
            .then(image)
            .and_then(|image| PointerAt::find(&image, cell))
    }

    /// Whether a pointer should be there if the path allows both: not if nobody reads it, and if it is read and not followed,
    /// it should. Two objects may be the other way round elsewhere, null and an object are not.
    fn presence(
        &self,
        test: &TestCase,
        name: &str,
        (at, now): (&PointerAt, Value),
        executor: &mut dyn Executor,
    ) -> Result<Value, ExecError> {
        let is_there = now == Value::Bool(true);
        let other = Value::Bool(!is_there);
        let mut input = test.input.clone();
        input.set(name.to_string(), other);
        let (image, changed) = (self.image(test, &test.input).1, self.image(test, &input).1);
        let (there, null) = if is_there { (&image, &changed) } else { (&changed, &image) };
        let mut run = |image: &Image| executor.run(&mut Terms::new(), image, self.fuel);
        let is_read = match at {
            PointerAt::Global => return Ok(now),
            PointerAt::Argument => true,
            PointerAt::Objects(cells) => {
                let trace = run(&without(&image, cells))?;
                !self.is_same(test, &trace) && !self.ends_with_store(&trace)
            }
        };
        // Null does not help where addresses are compared anyway.
        let is_compared =
            is_read && compares_addresses(&run(there)?) && !compares_addresses(&run(null)?);
        if is_there {
            return Ok(Value::Bool(is_read && !is_compared));
        }
        let without_object = without(there, &object(there, name));
        let is_followed = !is_read || !self.is_same(test, &run(&without_object)?);
        Ok(if is_followed || is_compared { now } else { other })
    }

    /// Whether a run ended where it was about to write. Bytes that are overwritten first are not needed.
    fn ends_with_store(&self, trace: &Trace) -> bool {
        let Outcome::Trapped(Trap { site: Some(site), .. }) = &trace.outcome else { return false };
        let code = self.program.wasm.get(site.offset as usize..).unwrap_or_default();
        matches!(code, [I32_STORE..=I64_STORE32, ..] | [PREFIXED, MEMORY_FILL, ..])
    }

    /// Whether a run takes the sides of a test and ends as it does.
    pub(super) fn is_same(&self, test: &TestCase, trace: &Trace) -> bool {
        let [now, before] = [&trace.coverage, &test.coverage].map(|of| of.edges().iter());
        let counts = |edge: &&Edge| self.counts(edge);
        now.filter(counts).eq(before.filter(counts))
            && ends_alike(&trace.outcome, &test.outcome)
            && !has_wrong_arguments(self.shape, trace)
            && !trace.unknown.is_end(&trace.outcome)
    }

    /// Whether a test is kept for a side. Calls that make an object and are not needed may go, so the choices of a driver do
    /// not count; nor do branches of user code that no condition of the source made. The compiler makes them for a float that
    /// does not fit an integer, and a test that needs no such float must not keep one.
    fn counts(&self, edge: &Edge) -> bool {
        let offset = edge.site.offset;
        let driver = self.program.driver(self.shape.entered);
        let is_choice = driver.is_some_and(|driver| driver.entry.body.contains(&offset));
        let has_conditions = !self.program.branches.is_empty();
        // On the way to a label of a `switch` it has that label's place, from where to where.
        let is_own =
            |branch: &Branch| branch.kind == BranchKind::Hidden && branch.end == branch.position;
        let is_made_up = has_conditions
            && self.program.branches.get(&edge.site).is_none_or(is_own)
            && self.program.unit_at(offset).is_some();
        !is_choice && !is_made_up
    }

    /// Runs a test with another input: all its cells, what was written, what happened.
    pub(super) fn run(
        &self,
        test: &TestCase,
        input: &Input,
        executor: &mut dyn Executor,
    ) -> Result<(Input, Image, Trace), ExecError> {
        let (complete, image) = self.image(test, input);
        let trace = executor.run(&mut Terms::new(), &image, self.fuel)?;
        Ok((complete, image, trace))
    }

    /// What a run of a test with another input starts from.
    fn image(&self, test: &TestCase, input: &Input) -> (Input, Image) {
        let mut complete = self.shape.complete(input);
        for drawn in &test.drawn {
            complete.set(drawn.name.clone(), drawn.value);
        }
        let image = self.shape.image(&self.program.types, &complete);
        (complete, image)
    }
}

/// Whether a cell is a float that no integer type has room for.
fn fits_no_integer(kind: CellKind, value: Value) -> bool {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    let number = match kind {
        CellKind::F32 => f64::from(f32::from_bits(value.bits() as u32)),
        CellKind::F64 => f64::from_bits(value.bits()),
        CellKind::Int { .. } | CellKind::Bool => return false,
    };
    number.is_nan() || number.abs() >= TWO_TO_63
}

/// Whether a run compares where objects of the input are: more than a copy does that looks at how they are aligned.
fn compares_addresses(trace: &Trace) -> bool {
    let is_met = |gap: Gap| trace.gaps.iter().any(|met| met.gap == gap);
    is_met(Gap::Addresses) && is_met(Gap::Aliasing)
}

/// Gives the object of a pointer the values of the one that it has shared so far, by the name of what says so: `b == a`.
fn copy_shared(shape: &Shape, input: &mut Input, alias: &str) {
    let is_it = |known: &&Alias| known.name == alias && !known.is_inside();
    let Some(alias) = shape.aliases.iter().find(is_it) else { return };
    let Some((pointer, _)) = alias.name.split_once(" == ") else { return };
    let copy = |(cell, value): (&String, &Value)| {
        let rest = cell.strip_prefix(&alias.of)?;
        let is_behind = rest.starts_with(['[', '-']) && !rest.contains(" == ");
        is_behind.then(|| (format!("{pointer}{rest}"), *value))
    };
    for (cell, value) in input.values.iter().filter_map(copy).collect::<Vec<_>>() {
        input.set(cell, value);
    }
}

/// The sides that a run took because of its input, in order.
pub(super) fn path(trace: &Trace) -> Vec<Edge> {
    let constraints = trace.path.constraints.iter();
    constraints
        .map(|constraint| Edge { site: constraint.site, taken: constraint.literal.expected })
        .collect()
}

fn ends_alike(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::Returned(_), Outcome::Returned(_)) => true,
        (a, b) => a == b,
    }
}
