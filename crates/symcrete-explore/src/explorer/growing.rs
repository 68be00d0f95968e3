//! Continues with larger inputs where their size stands in the way of the remaining sides.
//!
//! `docs/adr/0017-lengths.md` has the design.

use super::Explorer;
use super::bursting::Schedule;
use super::proof::Left;
use super::round::Round;
use crate::first::repeated_calls;
use crate::goals::Goals;
use crate::tree::FlipState;
use std::collections::BTreeSet;
use symcrete_exec::ExecError;
use symcrete_program::runtime::is_input_length;
use symcrete_program::shape::Learnt;
use symcrete_program::{Edge, Gap, Input, Shape, Sizes, TestCase};
use symcrete_term::Value;

/// How inputs may grow.
pub struct Growth<'a> {
    /// The largest sizes.
    pub max: Sizes,
    /// The shape of inputs of some size, given what runs have shown; `None` if they do not fit into memory.
    pub shape: &'a dyn Fn(Sizes, &Learnt) -> Option<Shape>,
    /// Receives a new shape, with the tests known so far.
    pub on_grown: &'a mut OnGrown<'a>,
}

/// Receives the shape of inputs from now on.
type OnGrown<'a> = dyn FnMut(&Shape, &[TestCase]) + 'a;

/// How far inputs have grown, and when they may grow next.
pub(super) struct Progress {
    /// Queries at which a round that finds nothing ends.
    due: u64,
    /// Queries of rounds before this one.
    queries_before: u64,
    /// Queries without a new side before larger inputs are tried for sides that are not proved infeasible.
    patience: u64,
    /// A round that was left before its end: the present one is a trial.
    suspended: Option<(Round, Goals)>,
    /// The sizes of the last trial that found nothing.
    tried: Option<Sizes>,
    /// Whether larger inputs may be tried.
    is_possible: bool,
    /// Whether a burst may look for what only smaller inputs are proved not to take: not after one that found nothing.
    pub(super) is_burst_hopeful: bool,
}

impl Progress {
    /// Of a search that has not begun.
    pub(super) fn new() -> Progress {
        Progress {
            due: PATIENCE,
            queries_before: 0,
            patience: PATIENCE,
            suspended: None,
            tried: None,
            is_possible: true,
            is_burst_hopeful: false,
        }
    }

    /// Whether tests are not reported: those of a trial may not stay.
    pub(super) fn is_trial(&self) -> bool {
        self.suspended.is_some()
    }
}

/// The factor by which an array or a file grows in one step.
const LENGTH_FACTOR: u32 = 4;
/// Queries without a new side before larger inputs are first tried.
const PATIENCE: u64 = 1024;
/// Queries without a new side that end a trial.
const PATIENCE_TRIAL: u64 = 512;
/// The same for sides that are known to be infeasible with smaller inputs.
const PATIENCE_PROVED: u64 = 256;
/// And as many more for each such side that larger inputs did take: where size was in the way once it may be again.
const PATIENCE_EACH: u64 = 64;
/// Inputs that came to the end of an object, and with which the next round begins.
const FRONTIER_MAX: usize = 64;

impl Explorer<'_> {
    /// Counts from now on how long nothing new is found.
    pub(super) fn hope_again(&mut self) {
        let growth = &mut self.growth;
        let patience = match self.parts.goals.has_unproved() {
            true if growth.is_trial() => PATIENCE_TRIAL.max(growth.queries_before / 4),
            true => growth.patience,
            false => {
                let for_found = PATIENCE_EACH * self.parts.goals.n_for_larger();
                PATIENCE_PROVED.max(growth.queries_before / 2) + for_found
            }
        };
        growth.due = self.explored.stats.queries + patience;
    }

    /// Whether nothing new was found for long, and something is left to be found.
    pub(super) fn is_growth_due(&self) -> bool {
        let is_late = self.explored.stats.queries >= self.growth.due;
        is_late && !self.parts.goals.uncovered().is_empty()
    }

    /// Tries larger inputs although something is left to flip, or ends such a trial. Says whether there is another
    /// round now.
    pub(super) fn grow_for_a_trial(&mut self) -> Result<bool, ExecError> {
        if self.growth.is_trial() {
            self.end_trial();
            return Ok(true);
        }
        let is_trial = self.parts.goals.has_unproved();
        self.grow_inputs(is_trial)
    }

    /// Begins a round with larger inputs after one that has nothing left to flip. Says whether there is one.
    pub(super) fn grow_for_good(&mut self) -> Result<bool, ExecError> {
        self.adopt_trial();
        self.grow_inputs(false)
    }

    /// Whether runs end too soon since an array that has no length is too short: what makes an object may need a key of
    /// 16 bytes. Where other arrays have lengths such a run is no bound, but longer arrays are worth a trial.
    fn may_end_too_soon(&self) -> bool {
        let goals = &self.parts.goals;
        let is_reached = |edge: &Edge| goals.is_covered(Edge { taken: !edge.taken, ..*edge });
        let is_unreached = |edge: &Edge| !is_reached(edge);
        self.round.is_too_short
            && (!self.round.has_tests() || goals.uncovered().iter().any(is_unreached))
    }

    /// Whether no run has come to an end that a test could have since arrays are too short, and longer ones have not been tried:
    /// other inputs of this size will not either.
    pub(super) fn has_only_short_arrays(&self) -> bool {
        let (now, max) = (self.round.shape.sizes.length, self.parts.growth.max.length);
        let can_grow = self.growth.is_possible && self.growth.tried.is_none() && now < max;
        can_grow && !self.round.has_tests() && self.round.is_too_short
    }

    /// Begins a round with larger inputs, if that can help.
    fn grow_inputs(&mut self, mut is_trial: bool) -> Result<bool, ExecError> {
        let is_largest = self.round.shape.sizes == self.parts.growth.max;
        if !self.growth.is_possible || is_largest || self.limits.cancel.check().is_err() {
            self.hope_again();
            return Ok(false);
        }
        self.prove();
        let mut in_the_way = self.sizes_in_the_way();
        let mut larger = self.larger_shape(&in_the_way, is_trial);
        if larger.is_none() && self.may_end_too_soon() {
            in_the_way.insert(Gap::Length);
            is_trial = true;
            larger = self.larger_shape(&in_the_way, is_trial);
        }
        let Some(shape) = larger else {
            self.hope_again();
            return Ok(false);
        };
        let mut seeds = self.seeds(&in_the_way);
        if in_the_way.contains(&Gap::InputBytes) {
            seeds.extend(full(&seeds, shape.sizes.bytes));
        }
        if shape.sizes.calls > self.round.shape.sizes.calls {
            seeds.extend(repeated_calls(self.parts.program, &shape));
        }
        let Some((before, goals)) =
            self.begin_round(shape, &seeds, |gap| in_the_way.contains(&gap))?
        else {
            tracing::debug!("larger inputs cover less, or time is up");
            self.growth.is_possible = false;
            return Ok(false);
        };
        let Sizes { length, depth, bytes, calls } = self.round.shape.sizes;
        tracing::debug!(length, depth, bytes, calls, is_trial, "inputs grow");
        self.growth.queries_before = self.explored.stats.queries;
        let has_first_test = self.round.has_tests() && !before.has_tests();
        let has_found = has_first_test || self.parts.goals.n_covered() > goals.n_covered();
        self.growth.suspended = Some((before, goals));
        if !is_trial || has_found {
            self.adopt_trial();
        }
        self.hope_again();
        self.growth.is_burst_hopeful = true;
        self.schedule = Schedule::new();
        self.burst()?;
        Ok(true)
    }

    /// Begins a round with inputs of another shape, in which goals that were closed by some gaps are open again.
    /// Gives back what was before; `None` if these inputs cover less or the time limit is reached, and then everything
    /// is as before.
    pub(super) fn begin_round(
        &mut self,
        shape: Shape,
        seeds: &[Input],
        is_open_again: impl Fn(Gap) -> bool,
    ) -> Result<Option<(Round, Goals)>, ExecError> {
        let goals = self.parts.goals.clone();
        let strategy = (self.parts.strategy)();
        let round = Round::new(shape, &mut self.terms, strategy, &self.parts.gaps);
        let before = std::mem::replace(&mut self.round, round);
        self.parts.goals.reopen(is_open_again);
        self.distances = (self.parts.distances)(self.parts.goals.wanted());
        self.is_repeating = true;
        let repeated = self.run_all(seeds);
        self.is_repeating = false;
        repeated?;
        let is_lost = |edge: &Edge| goals.is_covered(*edge) && !self.round.coverage.contains(*edge);
        if self.limits.cancel.check().is_err() || goals.all().iter().any(is_lost) {
            self.return_to(before, goals);
            return Ok(None);
        }
        Ok(Some((before, goals)))
    }

    /// Stays with larger inputs.
    pub(super) fn adopt_trial(&mut self) {
        if self.is_repeating || self.growth.suspended.take().is_none() {
            return;
        }
        self.growth.patience = PATIENCE;
        // Trials from here on are larger than this, whatever was tried before.
        self.growth.tried = None;
        self.note_shape();
    }

    /// Tells all parts the shape of inputs from now on.
    pub(super) fn note_shape(&mut self) {
        (self.parts.growth.on_grown)(&self.round.shape, &self.round.tests);
        if let Some(backward) = &mut self.parts.backward {
            backward.grown(&self.round.shape);
        }
    }

    /// Goes back from larger inputs that found nothing.
    pub(super) fn end_trial(&mut self) {
        let Some((round, goals)) = self.growth.suspended.take() else { return };
        tracing::debug!("inputs become small again");
        self.growth.tried = Some(self.round.shape.sizes);
        self.growth.patience *= 2;
        self.return_to(round, goals);
    }

    pub(super) fn return_to(&mut self, round: Round, goals: Goals) {
        self.round = round;
        self.parts.goals = goals;
        self.distances = (self.parts.distances)(self.parts.goals.wanted());
        self.hope_again();
    }

    /// Which limits of sizes keep a goal from being reached, or from being infeasible for every input.
    fn sizes_in_the_way(&mut self) -> BTreeSet<Gap> {
        let left = Left::of(&self.round.tree, &self.terms, &mut self.nan_bits);
        let leads = left.leads(self.parts.reachable);
        let goals = &self.parts.goals;
        let of_open = goals.uncovered().iter().flat_map(|&goal| leads.bounds(goal));
        let gaps: BTreeSet<Gap> = of_open.chain(goals.bounds()).collect();
        gaps.into_iter().filter(|gap| gap.is_of_size()).collect()
    }

    /// The shape of the next round. If the wanted sizes do not fit together, one grows alone. A trial is larger than the last
    /// one.
    fn larger_shape(&self, in_the_way: &BTreeSet<Gap>, is_trial: bool) -> Option<Shape> {
        let tried = self.growth.tried.filter(|_| is_trial);
        let (now, max) = (tried.unwrap_or(self.round.shape.sizes), self.parts.growth.max);
        let is_wanted = |gap: Gap, now: u32, max: u32| in_the_way.contains(&gap) && now < max;
        let longer = |gap: Gap, now: u32, max: u32| match is_wanted(gap, now, max) {
            true => now.saturating_mul(LENGTH_FACTOR).min(max),
            false => now,
        };
        let length = longer(Gap::Length, now.length, max.length);
        let bytes = longer(Gap::InputBytes, now.bytes, max.bytes);
        let depth = now.depth + u32::from(is_wanted(Gap::PointerDepth, now.depth, max.depth));
        let calls = now.calls + u32::from(is_wanted(Gap::State, now.calls, max.calls));
        // Inputs that the program asks for are not laid out, so there is always room for them.
        let now_with_bytes = Sizes { bytes, ..now };
        // The effect of calls before the function shows with the smallest inputs, and soonest.
        let with_calls = Sizes { calls, ..now };
        let candidates = [
            with_calls,
            Sizes { length, depth, bytes, calls },
            Sizes { length, ..now_with_bytes },
            Sizes { depth, ..now_with_bytes },
            now_with_bytes,
        ];
        let mut larger = candidates.into_iter().filter(|&sizes| sizes != now);
        larger.find_map(|sizes| (self.parts.growth.shape)(sizes, &self.round.shape.learnt))
    }

    /// What the next round begins with: all tests, then the latest runs that could have gone on with larger inputs.
    fn seeds(&self, in_the_way: &BTreeSet<Gap>) -> Vec<Input> {
        let tree = &self.round.tree;
        let frontier = tree.sides().filter_map(|(flip, state)| match state {
            FlipState::Bounded(gaps) if !gaps.is_disjoint(in_the_way) => Some(tree.run(flip)),
            FlipState::Bounded(_)
            | FlipState::Open
            | FlipState::Covered
            | FlipState::Infeasible
            | FlipState::Unresolved(_)
            | FlipState::Diverged
            | FlipState::TooDeep
            | FlipState::Pinned => None,
        });
        let frontier: BTreeSet<u32> = frontier.collect();
        let latest = frontier.iter().rev().take(FRONTIER_MAX);
        let frontier = latest.map(|&run| self.round.inputs[run as usize].clone());
        self.round.tests.iter().map(|test| test.input.clone()).chain(frontier).collect()
    }
}

/// The inputs whose files, variables or standard input have all the bytes that they may have. Code that reads a header of hundreds of
/// bytes would otherwise get there one byte at a time.
fn full(inputs: &[Input], bytes: u32) -> Vec<Input> {
    let with_all_bytes = |input: &Input| {
        let lengths = input.values.keys().filter(|name| is_input_length(name));
        let lengths: Vec<String> = lengths.cloned().collect();
        let mut full = input.clone();
        for name in &lengths {
            full.set(name, Value::bv(32, u64::from(bytes)));
        }
        (!lengths.is_empty()).then_some(full)
    };
    let full: BTreeSet<Input> = inputs.iter().filter_map(with_all_bytes).collect();
    full.into_iter().collect()
}
