//! Searches without a solver between queries, and decides when that is worth it.

use super::Explorer;
use super::solving::Answer;
use crate::bursts::Aim;
use crate::strategy::{News, View};
use crate::tree::FlipState;
use std::collections::BTreeSet;
use symcrete_exec::ExecError;
use symcrete_program::{BranchKind, Edge};

/// Queries before the first burst.
const WARM_UP_QUERIES: u64 = 48;
/// Runs of the first burst. Each one that finds nothing makes the next one twice as long.
const RUNS_FIRST: u64 = 20_000;
const RUNS_MAX: u64 = 2_000_000;
/// When no branch is left to flip, bursts end after this many runs without a find.
const RUNS_IN_VAIN_MAX: u64 = 160_000;
/// What a run with a path condition, a query and a solver's step cost, counted in fast runs (of http-parser, 2026-11-17:
/// 80,000 fast runs a second, 350 others). Counts instead of times, so that every machine does the same.
const COST_OF_RUN: u64 = 250;
const COST_OF_QUERY: u64 = 20;
const STEPS_OF_FAST_RUN: u64 = 16;
/// How much more goes to flipping branches while that covers something and bursts do not.
const SHARE_OF_LUCKY: u64 = 4;

/// Shares the work between bursts and flipping branches: as much for one as for the other, unless only one of them
/// finds something.
pub(super) struct Schedule {
    /// Runs of the next burst.
    length: u64,
    /// What flipping branches has cost since the last burst.
    work: u64,
    /// Whether that covered something.
    has_covered: bool,
    /// Runs of bursts since one covered something.
    in_vain: u64,
}

impl Schedule {
    /// Of a search that has not begun.
    pub(super) fn new() -> Schedule {
        Schedule { length: RUNS_FIRST, work: 0, has_covered: false, in_vain: 0 }
    }

    /// Notes a run with a path condition, and whether it covered something.
    pub(super) fn note_run(&mut self, has_covered: bool) {
        self.work += COST_OF_RUN;
        self.has_covered |= has_covered;
    }

    /// Notes a query that took a solver so many steps.
    pub(super) fn note_query(&mut self, steps: u64) {
        self.work += COST_OF_QUERY + steps / STEPS_OF_FAST_RUN;
    }

    /// Whether it is time for a burst.
    pub(super) fn is_due(&self) -> bool {
        let is_lucky = self.has_covered && self.in_vain > 0;
        self.work >= self.length * if is_lucky { SHARE_OF_LUCKY } else { 1 }
    }

    /// Whether bursts may still find something where no branch is left to flip.
    pub(super) fn is_hopeful(&self) -> bool {
        self.in_vain < RUNS_IN_VAIN_MAX
    }

    fn note_burst(&mut self, has_covered: bool) {
        self.in_vain = if has_covered { 0 } else { self.in_vain + self.length };
        self.length = if has_covered { RUNS_FIRST } else { (2 * self.length).min(RUNS_MAX) };
        self.work = 0;
        self.has_covered = false;
    }
}

impl Explorer<'_> {
    /// Flips what can be solved within microseconds, since a burst has to be compiled first. What would take longer
    /// is left for later.
    pub(super) fn warm_up(&mut self) -> Result<(), ExecError> {
        if self.parts.bursts.is_none() {
            return Ok(());
        }
        let mut postponed = Vec::new();
        for _ in 0..WARM_UP_QUERIES {
            let is_over = self.parts.goals.uncovered().is_empty()
                || self.limits.cancel.check().is_err()
                || self.explored.stats.executions > self.limits.iterations;
            let Some(flip) = (if is_over { None } else { self.pick() }) else { break };
            let mut budget = self.budget(flip);
            budget.is_quick = true;
            match self.ask(flip, budget) {
                Answer::Input(input) => self.run(&input, Some(flip))?,
                Answer::Infeasible => self.round.tree.settle(flip, FlipState::Infeasible),
                Answer::Bounded(gaps) => self.round.tree.settle(flip, FlipState::Bounded(gaps)),
                Answer::Unknown(_) => postponed.push(flip),
            }
        }
        let view =
            View { tree: &self.round.tree, goals: &self.parts.goals, distances: &self.distances };
        self.round.strategy.add(view, News { opened: &postponed, n_covered: 0 });
        Ok(())
    }

    /// The goals that are left. A label of a `switch` is reached or not and never nearly reached, so the sides that lead
    /// straight to one are aimed at as well.
    fn with_ways_to_labels(&self) -> BTreeSet<Edge> {
        let kind_of =
            |edge: &Edge| self.parts.program.branches.get(&edge.site).map(|branch| branch.kind);
        let goals = self.parts.goals.uncovered();
        let is_label = |goal: &&Edge| kind_of(goal) == Some(BranchKind::Case);
        let labels: BTreeSet<Edge> = goals.iter().filter(is_label).copied().collect();
        let mut aimed_at = goals.clone();
        if !labels.is_empty() {
            let near = (self.parts.distances)(&labels).into_iter();
            aimed_at.extend(near.filter_map(|(edge, n_branches)| {
                (n_branches == 1 && kind_of(&edge) == Some(BranchKind::Hidden)).then_some(edge)
            }));
        }
        aimed_at
    }

    /// A burst where no branch is left to flip. Says whether there was one.
    pub(super) fn last_burst(&mut self) -> Result<bool, ExecError> {
        let is_worth_it = self.parts.bursts.is_some()
            && self.parts.goals.has_unproved()
            && !self.has_only_short_arrays();
        if !is_worth_it || !self.schedule.is_hopeful() || self.limits.cancel.check().is_err() {
            return Ok(false);
        }
        self.burst()?;
        Ok(true)
    }

    /// Searches for a while without a solver; what that finds is run like any other input.
    pub(super) fn burst(&mut self) -> Result<(), ExecError> {
        // Sides that smaller inputs provably do not take are worth one burst.
        let is_worth_it = (self.parts.goals.has_unproved() || self.growth.is_burst_hopeful)
            && !self.has_only_short_arrays();
        let is_done = self.parts.goals.uncovered().is_empty();
        if !is_worth_it || is_done || self.limits.cancel.check().is_err() {
            return Ok(());
        }
        let goals = self.with_ways_to_labels();
        let Some(bursts) = self.parts.bursts.as_mut() else { return Ok(()) };
        let limits = self.limits;
        // A burst may be long: it ends when something else is due.
        let is_backward_next = self.backward_effort.is_some();
        let is_stopped = || {
            let is_due = is_backward_next && (limits.clock)() >= limits.backward_after;
            is_due || limits.cancel.check().is_err()
        };
        let aim = Aim {
            shape: &self.round.shape,
            types: &self.parts.program.types,
            inputs: &self.round.inputs,
            asked: &self.round.asked,
            goals: &goals,
            runs: self.schedule.length,
            is_stopped: &is_stopped,
            clock: limits.clock,
        };
        let found = bursts.search(&aim)?;
        let before = self.parts.goals.uncovered().len();
        self.explored.stats.burst_runs = bursts.n_runs();
        self.explored.stats.burst_time = bursts.time();
        self.explored.stats.burst_finds += found.len() as u64;
        self.run_all(&found)?;
        let is_better = self.parts.goals.uncovered().len() < before;
        self.schedule.note_burst(is_better);
        self.growth.is_burst_hopeful &= is_better;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs with a path condition before the next burst is due.
    fn runs_before_burst(schedule: &mut Schedule, do_they_cover: bool) -> u64 {
        let mut n_runs = 0;
        while !schedule.is_due() {
            schedule.note_run(do_they_cover);
            n_runs += 1;
        }
        n_runs
    }

    #[test]
    fn bursts_take_no_more_than_their_share() {
        let mut schedule = Schedule::new();
        assert_eq!(runs_before_burst(&mut schedule, false), RUNS_FIRST / COST_OF_RUN);
        // A burst that finds nothing makes the next one longer and due later.
        schedule.note_burst(false);
        assert_eq!(runs_before_burst(&mut schedule, false), 2 * RUNS_FIRST / COST_OF_RUN);
        // Flipping that covers something while bursts do not gets most of the time.
        schedule.note_burst(false);
        let n_runs = runs_before_burst(&mut schedule, true);
        assert_eq!(n_runs, SHARE_OF_LUCKY * 4 * RUNS_FIRST / COST_OF_RUN);
        schedule.note_burst(true);
        assert_eq!(runs_before_burst(&mut schedule, true), RUNS_FIRST / COST_OF_RUN);
    }

    #[test]
    fn queries_that_cost_much_make_room_for_bursts() {
        let mut schedule = Schedule::new();
        schedule.note_query(RUNS_FIRST * STEPS_OF_FAST_RUN);
        assert!(schedule.is_due());
    }

    #[test]
    fn the_last_bursts_come_to_an_end() {
        let mut schedule = Schedule::new();
        let mut n_bursts = 0;
        while schedule.is_hopeful() {
            schedule.note_burst(false);
            n_bursts += 1;
        }
        assert_eq!(n_bursts, 4);
        schedule.note_burst(true);
        assert!(schedule.is_hopeful());
    }
}
