//! Searches without a solver between queries, and decides when that is worth it.

use super::Driver;
use super::solving::Answer;
use crate::bursts::Aim;
use crate::strategy::{News, View};
use crate::tree::FlipState;
use std::collections::BTreeSet;
use symcrete_exec::ExecError;
use symcrete_program::{BranchKind, Edge};

/// Queries before the first burst.
const WARM_UP_QUERIES: u64 = 48;
/// Runs of the first burst; each later one that finds nothing makes the next one longer. Long ones in vain come ever more
/// rarely: there may be few paths left to turn, and then a proof is near.
pub(super) const BURST_RUNS_FIRST: u64 = 20_000;
const BURST_RUNS_LONG: u64 = 160_000;
const BURST_RUNS_MAX: u64 = 2_000_000;
/// Queries between the first two bursts.
pub(super) const BURST_PERIOD: u64 = 16;

impl Driver<'_> {
    /// Turns what can be turned within microseconds, since a burst has to be compiled first. What would take longer is
    /// left for later.
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

    /// Searches for a while without a solver; what that finds is run like any other input.
    pub(super) fn burst(&mut self) -> Result<(), ExecError> {
        let goals = self.with_ways_to_labels();
        let Some(bursts) = self.parts.bursts.as_mut() else { return Ok(()) };
        // What smaller inputs are proved not to take is not worth the time of a burst.
        let is_worth_it = self.parts.goals.has_unproved();
        if !is_worth_it || self.limits.cancel.check().is_err() {
            return Ok(());
        }
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
            goals: &goals,
            runs: self.burst_length,
            is_stopped: &is_stopped,
        };
        let found = bursts.search(&aim)?;
        let before = self.parts.goals.uncovered().len();
        self.explored.stats.burst_runs = bursts.n_runs();
        self.explored.stats.burst_finds += found.len() as u64;
        self.run_all(&found)?;
        let is_better = self.parts.goals.uncovered().len() < before;
        (self.burst_length, self.burst_period) = if is_better {
            (BURST_RUNS_FIRST, BURST_PERIOD)
        } else {
            let was_long = self.burst_length >= BURST_RUNS_LONG;
            let period = if was_long { 2 * self.burst_period } else { self.burst_period };
            ((2 * self.burst_length).min(BURST_RUNS_MAX), period)
        };
        self.last_burst = self.explored.stats.queries;
        Ok(())
    }
}
