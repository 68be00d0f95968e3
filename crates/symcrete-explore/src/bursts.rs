//! Short searches between solver calls: many fast runs of one unit, steered by coverage and distance.
//!
//! A burst has one form of input: which pointers are null and how long arrays can be is fixed by its
//! template. Templates are taken in turn from the inputs known so far, with arrays at full length.

mod mutate;
mod pieces;
pub mod search;
mod words;

use search::{Effort, search};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use symcrete_exec::ExecError;
use symcrete_exec::fast::FastMachine;
use symcrete_exec::fast::plan::Plan;
use symcrete_program::shape::value_of;
use symcrete_program::{CellKind, Edge, Input, Shape, Types};
use symcrete_term::{Seed, Value};

/// Inputs of earlier runs that a burst starts from, the latest.
const SEEDS_MAX: usize = 64;

/// Bursts of one unit.
pub struct Bursts<'a> {
    machine: Preparation<'a>,
    fuel: u32,
    seed: Seed,
    n_bursts: u64,
    time: Duration,
}

/// Compiles the code of the fast machine, which takes longer than many a unit's exploration; `None` if that was over first.
type Prepare<'a> = dyn FnOnce() -> Result<Option<FastMachine>, ExecError> + 'a;

enum Preparation<'a> {
    Later(Option<Box<Prepare<'a>>>),
    Ready(Box<FastMachine>),
    /// The unit cannot be run like that.
    Impossible,
}

/// What a burst is about.
pub(crate) struct Aim<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) types: &'a Types,
    pub(crate) inputs: &'a [Input],
    /// The cells that these runs have asked for.
    pub(crate) asked: &'a BTreeMap<String, CellKind>,
    pub(crate) goals: &'a BTreeSet<Edge>,
    pub(crate) runs: u64,
    /// Ends the burst early.
    pub(crate) is_stopped: &'a dyn Fn() -> bool,
    pub(crate) clock: &'a dyn Fn() -> Duration,
}

impl<'a> Aim<'a> {
    /// The input that a burst gets its form from. Those whose pointers share an object are left out: a list that is a
    /// circle has no end, and a burst would go round in it.
    fn base(&self, n_bursts: u64) -> Option<&'a Input> {
        let n = self.inputs.len();
        let in_turn = (0..n).map(|i| &self.inputs[(n_bursts as usize).wrapping_add(i) % n]);
        let is_shared = |input: &Input| {
            !self.shape.aliases.is_empty() && self.shape.image(self.types, input).is_shared
        };
        { in_turn }.find(|input| !is_shared(input))
    }
}

impl<'a> Bursts<'a> {
    /// Bursts with so much fuel for one run. They are prepared when the first one is wanted.
    pub fn new(
        prepare: impl FnOnce() -> Result<Option<FastMachine>, ExecError> + 'a,
        fuel: u32,
        seed: Seed,
    ) -> Bursts<'a> {
        let machine = Preparation::Later(Some(Box::new(prepare)));
        Bursts { machine, fuel, seed: seed.derive("bursts"), n_bursts: 0, time: Duration::ZERO }
    }

    /// Runs so far.
    pub fn n_runs(&self) -> u64 {
        match &self.machine {
            Preparation::Ready(machine) => machine.n_runs(),
            Preparation::Later(_) | Preparation::Impossible => 0,
        }
    }

    /// Time that they took, without making them ready.
    pub fn time(&self) -> Duration {
        self.time
    }

    fn prepare(&mut self) -> Result<(), ExecError> {
        let Preparation::Later(prepare) = &mut self.machine else { return Ok(()) };
        let Some(prepare) = prepare.take() else { return Ok(()) };
        self.machine = match prepare() {
            Ok(Some(machine)) => Preparation::Ready(Box::new(machine)),
            Ok(None) => Preparation::Impossible,
            Err(ExecError::Unsupported { feature, .. }) => {
                tracing::info!("no bursts: {feature}");
                Preparation::Impossible
            }
            Err(error) => return Err(error),
        };
        Ok(())
    }

    /// Searches for inputs that take goals; each should be run by the engine.
    pub(crate) fn search(&mut self, aim: &Aim<'_>) -> Result<Vec<Input>, ExecError> {
        let Some(base) = aim.base(self.n_bursts) else { return Ok(Vec::new()) };
        self.prepare()?;
        let Preparation::Ready(machine) = &mut self.machine else { return Ok(Vec::new()) };
        self.n_bursts += 1;
        let base = at_full_length(aim.shape, base);
        let asked = with_room(aim.asked, aim.shape.sizes.bytes);
        let plan = match machine.plan(&aim.shape.image(aim.types, &base), &asked) {
            Ok(plan) => plan,
            // Larger inputs than bursts have room for: solving must do, until they are small again.
            Err(error @ ExecError::TooLarge { .. }) => {
                tracing::debug!("no burst: {error}");
                return Ok(Vec::new());
            }
            Err(error) => return Err(error),
        };
        let latest = aim.inputs.len().saturating_sub(SEEDS_MAX);
        let seeds: Vec<Vec<u64>> =
            aim.inputs[latest..].iter().map(|input| values(&plan, input)).collect();
        let effort = Effort {
            fuel: self.fuel,
            runs_max: aim.runs,
            seed: self.seed.derive_number(self.n_bursts),
            is_stopped: aim.is_stopped,
        };
        let started = (aim.clock)();
        let found = search(machine, &plan, &seeds, aim.goals, &[], effort)?;
        self.time += (aim.clock)().saturating_sub(started);
        Ok(found.iter().map(|found| input_of(&plan, &found.values, &base)).collect())
    }
}

/// The cells that runs have asked for. Where one has asked how long a text is (`stdin.length`), another may read all of it.
fn with_room(asked: &BTreeMap<String, CellKind>, bytes: u32) -> BTreeMap<String, CellKind> {
    let texts = asked.keys().filter_map(|name| name.strip_suffix(".length"));
    let cells = texts.flat_map(|text| (0..bytes).map(move |i| format!("{text}[{i}]")));
    let cells = cells.map(|name| (name, CellKind::BYTE));
    cells.chain(asked.iter().map(|(name, &kind)| (name.clone(), kind))).collect()
}

fn values(plan: &Plan, input: &Input) -> Vec<u64> {
    let value = |name: &str| input.get(name).map_or(0, Value::bits);
    plan.variables().iter().map(|variable| value(&variable.name)).collect()
}

fn input_of(plan: &Plan, values: &[u64], base: &Input) -> Input {
    let mut input = base.clone();
    for (variable, &bits) in plan.variables().iter().zip(values) {
        let is_field = u32::from(variable.width) != 8 * variable.kind.size();
        let is_integer = matches!(variable.kind, CellKind::Int { .. });
        let value = match is_integer && is_field {
            true => Value::bv(variable.width, bits),
            false => value_of(variable.kind, bits),
        };
        input.set(variable.name.clone(), value);
    }
    input
}

/// The same input with arrays as long as they can be, so that every element is there.
fn at_full_length(shape: &Shape, input: &Input) -> Input {
    let mut input = input.clone();
    for length in &shape.lengths {
        input.set(length.name.clone(), value_of(length.kind, length.high as u64));
    }
    input
}
