//! Tries backward what forward exploration left open.
//!
//! Forward exploration proves a side infeasible by exhausting every path that could lead to it. Going back from the side
//! involves only what decides it, so a contradiction may be found at once, and an input too. Both are treated as
//! everywhere: an input is run like any other, and a proof closes a side within the gaps that it names.

use super::Explorer;
use std::collections::BTreeSet;
use symcrete_exec::ExecError;
use symcrete_program::{Bounds, Edge, Gap, Input, Shape};

/// The result of going back from a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// This input should take it.
    Input(Input),
    /// No input within these bounds takes it: proved.
    Proved(BTreeSet<Gap>),
    /// Neither.
    Unknown,
}

/// How much effort goes into a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// So little that forward exploration hardly notices: many contradictions are a few steps away.
    Quick,
    /// With all the time reserved for it.
    Full,
}

/// Goes back from a side to the start of the unit.
pub trait Backward {
    /// Tries a side; so many are left, this one included.
    fn attempt(&mut self, goal: Edge, effort: Effort, n_left: usize) -> Attempt;

    /// Sets another shape of inputs from now on.
    fn grown(&mut self, shape: &Shape);
}

/// Queries before open sides are first tried.
const QUICK_AFTER_QUERIES: u64 = 64;

/// What backward execution did for a unit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BackwardStats {
    /// Attempts: a side may be tried quickly and then again.
    pub tried: u64,
    /// Sides that its inputs covered.
    pub covered: u64,
    /// Sides that it proved infeasible, within bounds or without.
    pub proved: u64,
}

impl Explorer<'_> {
    /// How what is open is to be tried backward now, if at all.
    pub(super) fn backward_due(&self) -> Option<Effort> {
        let is_late = (self.limits.clock)() >= self.limits.backward_after;
        let is_early = self.explored.stats.queries >= QUICK_AFTER_QUERIES;
        match self.backward_effort? {
            _ if is_late => Some(Effort::Full),
            Effort::Quick if is_early => Some(Effort::Quick),
            Effort::Quick | Effort::Full => None,
        }
    }

    /// Tries every open goal backward, once with each effort. Says whether that covered anything: then there is more to
    /// turn.
    pub(super) fn try_backward(&mut self, effort: Effort) -> Result<bool, ExecError> {
        if self.backward_effort.is_none() {
            return Ok(false);
        }
        self.backward_effort = match effort {
            Effort::Quick => Some(Effort::Full),
            Effort::Full => None,
        };
        self.end_trial();
        // What the tree already proves needs no attempt.
        self.prove();
        let n_covered_before = self.parts.goals.n_covered();
        let open: Vec<Edge> = self.parts.goals.unproved().collect();
        for (i, &goal) in open.iter().enumerate() {
            // An input for another goal may have covered this one.
            let is_open = self.parts.goals.uncovered().contains(&goal);
            let Some(backward) = self.parts.backward.as_mut().filter(|_| is_open) else { continue };
            if self.limits.cancel.check().is_err() {
                break;
            }
            let attempt = backward.attempt(goal, effort, open.len() - i);
            self.explored.stats.backward.tried += 1;
            match attempt {
                Attempt::Input(input) => {
                    let before = self.parts.goals.n_covered();
                    self.run(&input, None)?;
                    let n_covered = self.parts.goals.n_covered() - before;
                    self.explored.stats.backward.covered += n_covered as u64;
                }
                Attempt::Proved(bounds) => self.close(goal, bounds),
                Attempt::Unknown => {}
            }
        }
        Ok(self.parts.goals.n_covered() > n_covered_before)
    }

    /// Closes a goal that was proved unreachable, unless runs contradict the proof.
    fn close(&mut self, goal: Edge, bounds: BTreeSet<Gap>) {
        if self.uncounted.contains(goal) || self.doubt().is_some() {
            return;
        }
        self.explored.stats.backward.proved += 1;
        let bounds = Bounds::of(bounds, self.round.shape.sizes);
        self.parts.goals.give_up(goal, bounds.clone());
        (self.parts.on_infeasible)(&[(goal, bounds)]);
    }
}
