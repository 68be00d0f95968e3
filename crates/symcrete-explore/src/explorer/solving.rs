//! Asks solvers for inputs that take a side.

use super::limits::Limit;
use super::{Explorer, limits};
use crate::model;
use crate::tree::{Flip, FlipState};
use std::collections::BTreeSet;
use symcrete_exec::{ExecError, Origin};
use symcrete_program::{Gap, Input};
use symcrete_solve::{Budget, Query, Verdict, Why};
use symcrete_term::{Literal, Valuation};

/// A query about a failure may take this part of what one about a branch may.
const GUARD_SHARE: u32 = 8;
/// So many queries about failures may end undecided, without one that finds an input, once there is nothing left to cover. Then only quick solvers are
/// asked: a function without branches, behind a cipher with a symbolic key, took all the time that it had.
const GUARDS_IN_VAIN_MAX: u32 = 4;
/// Undecided flips that make a batch.
pub(super) const BATCH_LENGTH: usize = 32;
/// Steps of a batch for each of its queries.
const BATCH_STEPS: u64 = 5_000;

/// What a solver said of a side.
pub(super) enum Answer {
    Input(Input),
    Infeasible,
    Bounded(BTreeSet<Gap>),
    Unknown(Why),
}

impl Explorer<'_> {
    /// An input that should take a side; settles the side if there is none.
    pub(super) fn solve(&mut self, flip: Flip) -> Option<Input> {
        let mut budget = self.budget(flip);
        let is_last =
            is_guard(self.round.tree.origin(flip)) && self.parts.goals.wanted().is_empty();
        let is_hopeless = is_last && self.guards_in_vain >= GUARDS_IN_VAIN_MAX;
        budget.is_quick = self.round.strategy.is_guess() || is_hopeless;
        let answer = self.ask(flip, budget);
        if is_last && !is_hopeless {
            match answer {
                Answer::Unknown(_) => self.guards_in_vain += 1,
                Answer::Input(_) => self.guards_in_vain = 0,
                Answer::Infeasible | Answer::Bounded(_) => {}
            }
        }
        match answer {
            Answer::Input(input) => Some(input),
            Answer::Infeasible => {
                self.round.tree.settle(flip, FlipState::Infeasible);
                None
            }
            Answer::Bounded(gaps) => {
                self.round.tree.settle(flip, FlipState::Bounded(gaps));
                None
            }
            Answer::Unknown(_) if self.round.strategy.is_guess() => None,
            Answer::Unknown(why) => {
                self.round.tree.settle(flip, FlipState::Unresolved(why));
                self.round.undecided.push(flip);
                None
            }
        }
    }

    /// Asks the solver for an input that takes a side.
    pub(super) fn ask(&mut self, flip: Flip, budget: Budget) -> Answer {
        let path = self.round.tree.literals(flip);
        let met = self.round.input_limits.of_literals(&self.terms, &path);
        let limits = met.iter().map(|limit| limit.literal);
        let literals: Vec<Literal> = limits.chain(path).collect();
        let is_quick = budget.is_quick;
        match self.decide(flip, &literals, budget) {
            Verdict::Sat(found) => Answer::Input(self.input_of(flip, &found)),
            Verdict::Unsat => self.ask_beyond(flip, &met, literals.len(), is_quick),
            Verdict::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// Asks whether a side that no input within the limits takes is infeasible without them too.
    fn ask_beyond(&mut self, flip: Flip, met: &[Limit], n: usize, is_quick: bool) -> Answer {
        let literals = self.round.tree.literals_without_bounds(flip);
        if literals.len() == n {
            return Answer::Infeasible;
        }
        let has_bounds = literals.len() + met.len() < n;
        let of_bounds = || has_bounds.then_some(Gap::Length);
        let all = || met.iter().map(|limit| limit.gap).chain(of_bounds()).collect();
        // How much of a table can be read may follow from a bound, and then there is no more of it.
        if has_bounds && self.round.input_limits.has_table(&self.terms, &literals) {
            return Answer::Bounded(all());
        }
        let mut budget = self.budget(flip);
        budget.is_quick = is_quick;
        match self.decide(flip, &literals, budget) {
            Verdict::Sat(model) => {
                let broken = limits::broken(&self.terms, met, &model);
                Answer::Bounded(if broken.is_empty() { all() } else { broken })
            }
            Verdict::Unsat => Answer::Infeasible,
            Verdict::Unknown(why) if is_quick => Answer::Unknown(why),
            Verdict::Unknown(_) => Answer::Bounded(all()),
        }
    }

    /// Asks the solver about literals on the way to a side.
    fn decide(&mut self, flip: Flip, literals: &[Literal], mut budget: Budget) -> Verdict {
        let base = &self.round.inputs[self.round.tree.run(flip) as usize];
        let hint = model::valuation(&self.terms, base);
        let query = Query { terms: &self.terms, literals, hint: &hint };
        let started = (self.limits.clock)();
        let verdict = self.parts.solver.solve(&query, &mut budget);
        self.schedule.note_query(budget.steps_used());
        let stats = &mut self.explored.stats;
        stats.solver_time += (self.limits.clock)().saturating_sub(started);
        stats.queries += 1;
        stats.literals += literals.len() as u64;
        verdict
    }

    /// The input of a model, as different as need be from the one that the side's path came from.
    fn input_of(&self, flip: Flip, model: &Valuation) -> Input {
        let base = &self.round.inputs[self.round.tree.run(flip) as usize];
        let mut input = model::input(&self.terms, model, base);
        input.values.retain(|name, _| !self.round.input_limits.is_limit(name));
        input
    }

    /// What one query may take: less for a failure than for a branch.
    pub(super) fn budget(&self, flip: Flip) -> Budget {
        let share = if is_guard(self.round.tree.origin(flip)) { GUARD_SHARE } else { 1 };
        let mut budget = Budget::of_steps(self.limits.steps / u64::from(share))
            .with_cancel(self.limits.cancel.child());
        budget.wall_max = self.limits.query_time / share;
        budget
    }

    /// Tries all undecided flips at once; each has this one chance.
    pub(super) fn batch(&mut self) -> Result<(), ExecError> {
        let flips = std::mem::take(&mut self.round.undecided);
        let Some(batch) = self.parts.batch.as_deref_mut() else { return Ok(()) };
        let within = |limits: &mut limits::Limits, flip: Flip| {
            let path = self.round.tree.literals(flip);
            let met = limits.of_literals(&self.terms, &path);
            met.iter().map(|limit| limit.literal).chain(path).collect::<Vec<Literal>>()
        };
        let literals: Vec<_> =
            flips.iter().map(|&flip| within(&mut self.round.input_limits, flip)).collect();
        let base = |flip: Flip| &self.round.inputs[self.round.tree.run(flip) as usize];
        let hints: Vec<_> =
            flips.iter().map(|&flip| model::valuation(&self.terms, base(flip))).collect();
        let queries: Vec<Query<'_>> = literals
            .iter()
            .zip(&hints)
            .map(|(literals, hint)| Query { terms: &self.terms, literals, hint })
            .collect();
        let mut budget = Budget::of_steps(BATCH_STEPS * flips.len() as u64)
            .with_cancel(self.limits.cancel.child());
        let verdicts = batch.solve_all(&queries, &mut budget);
        let found: Vec<(Flip, Input)> = flips
            .iter()
            .zip(verdicts)
            .filter_map(|(&flip, verdict)| match verdict {
                Verdict::Sat(found) => Some((flip, self.input_of(flip, &found))),
                Verdict::Unsat | Verdict::Unknown(_) => None,
            })
            .collect();
        self.explored.stats.batch_finds += found.len() as u64;
        for (flip, input) in found {
            if self.limits.cancel.check().is_err() {
                break;
            }
            self.run(&input, Some(flip))?;
        }
        Ok(())
    }
}

/// Whether the other side of a condition is a failure.
fn is_guard(origin: Origin) -> bool {
    match origin {
        Origin::TrapGuard | Origin::ObjectGuard => true,
        Origin::Branch | Origin::Select | Origin::Concretized | Origin::Assumed | Origin::Range => {
            false
        }
    }
}
