//! Tries long inputs when nothing is left to be found: texts of eight characters never leave a buffer of 32.
//!
//! Branches do not tell that longer inputs matter here. But where the program's own objects are accessed in a way that moves or may
//! move, a long text is the first thing that a person would try: a few runs show whether it leaves one of them.

use super::Explorer;
use super::keeping::known_outcome;
use symcrete_exec::{ExecError, Trace};
use symcrete_program::runtime::is_input_length;
use symcrete_program::shape::{ShapeNode, value_of};
use symcrete_program::{CellKind, Input, Outcome, Shape, Sizes, Trap, TrapKind};
use symcrete_term::{Terms, Value};

/// The most inputs that are tried.
const RUNS_MAX: usize = 64;
/// Bytes of files and of standard input.
const BYTES_MAX: u32 = 256;
/// What texts are filled with.
const FILLER: u8 = b'a';

impl Explorer<'_> {
    /// Runs tests with texts and arrays as long as they can be, once. If a run leaves an object of the program, exploration goes
    /// on with inputs of that size. Says whether it does.
    pub(super) fn try_long_inputs(&mut self) -> Result<bool, ExecError> {
        let is_late = std::mem::replace(&mut self.has_tried_long_inputs, true);
        if is_late || !self.round.tree.has_margins() {
            return Ok(false);
        }
        let (now, max) = (self.round.shape.sizes, self.parts.growth.max);
        let longest =
            Sizes { length: max.length, bytes: max.bytes.min(BYTES_MAX).max(now.bytes), ..now };
        if longest == now {
            return Ok(false);
        }
        let Some(shape) = (self.parts.growth.shape)(longest, &self.round.shape.learnt) else {
            return Ok(false);
        };
        let failing = self.failing_long_inputs(&shape)?;
        if failing.is_empty() {
            return Ok(false);
        }
        let tests = self.round.tests.iter().map(|test| test.input.clone());
        let seeds: Vec<Input> = tests.chain(failing).collect();
        if self.begin_round(shape, &seeds, |_| false)?.is_none() {
            tracing::debug!("long inputs that fail cover less");
            return Ok(false);
        }
        tracing::debug!(n = seeds.len(), "long inputs leave an object");
        self.note_shape();
        self.hope_again();
        Ok(true)
    }

    /// Long inputs that leave an object of the program where no test does.
    fn failing_long_inputs(&mut self, shape: &Shape) -> Result<Vec<Input>, ExecError> {
        let tests = self.round.tests.iter().filter(|test| test.outcome.is_repeatable());
        let inputs: Vec<Input> =
            tests.filter_map(|test| long_input(shape, &test.input)).take(RUNS_MAX).collect();
        let mut known: Vec<Outcome> =
            self.round.tests.iter().map(|test| test.outcome.clone()).collect();
        let mut failing = Vec::new();
        for input in inputs {
            if self.limits.cancel.check().is_err() {
                return Ok(Vec::new());
            }
            let image = shape.image(&self.parts.program.types, &input);
            let trace = self.parts.executor.run(&mut Terms::new(), &image, self.limits.fuel)?;
            let outcome = known_outcome(&trace);
            if leaves_object(&trace) && !known.contains(&outcome) {
                known.push(outcome);
                failing.push(input);
            }
        }
        Ok(failing)
    }
}

fn leaves_object(trace: &Trace) -> bool {
    matches!(&trace.outcome, Outcome::Trapped(Trap { kind: TrapKind::OutOfVariable(_), .. }))
}

/// An input with texts and arrays that are as long as they can be; `None` if it has none.
fn long_input(shape: &Shape, input: &Input) -> Option<Input> {
    let mut long = input.clone();
    for text in shape.texts(input) {
        let end = text.items.iter().position(|item| is_zero(item, input)).unwrap_or(0);
        let filler = match end.checked_sub(1).map(|last| &text.items[last]) {
            Some(ShapeNode::Leaf(leaf)) => leaf.bits(input) as u8,
            Some(_) | None => FILLER,
        };
        for item in &text.items[end..] {
            if let ShapeNode::Leaf(leaf) = item {
                long.set(leaf.name.clone(), value_of(leaf.kind, u64::from(filler)));
            }
        }
    }
    for range in &shape.lengths {
        if matches!(range.kind, CellKind::Int { .. }) && range.high > 0 {
            long.set(range.name.clone(), value_of(range.kind, range.high as u64));
        }
    }
    let lengths: Vec<String> =
        input.values.keys().filter(|name| is_input_length(name)).cloned().collect();
    for length in lengths {
        let text = length.strip_suffix(".length").unwrap_or(&length);
        for i in 0..shape.sizes.bytes {
            let cell = format!("{text}[{i}]");
            long.values.entry(cell).or_insert_with(|| Value::bv(8, u64::from(FILLER)));
        }
        long.set(length, Value::bv(32, u64::from(shape.sizes.bytes)));
    }
    (long != *input).then_some(long)
}

fn is_zero(item: &ShapeNode, input: &Input) -> bool {
    matches!(item, ShapeNode::Leaf(leaf) if leaf.bits(input) == 0)
}
