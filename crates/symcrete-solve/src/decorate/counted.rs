//! Counts what passes: calls, literals, verdicts, steps and, if somebody gives a clock, time.

use super::counters::{count, counters};
use crate::growing::Growing;
use crate::{Budget, Query, Solver, Verdict};
use std::sync::Arc;
use std::time::Duration;

counters! {
    /// What a solver was asked, and what it answered.
    CallCounters => CallStats {
        /// Queries.
        calls,
        /// Their literals.
        literals,
        /// The most literals of a query.
        literals_max,
        /// Answers `sat`.
        sat,
        /// Answers `unsat`.
        unsat,
        /// No answer.
        unknown,
        /// Steps, in the solvers' units.
        steps,
        /// Nanoseconds by the clock, if there was one.
        nanoseconds,
    }
}

impl CallStats {
    /// Literals per call: the average constraint size of Koroglu and Sen 2016.
    pub fn literals_per_call(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.literals as f64 / self.calls as f64 }
    }

    /// Both together; their largest query is the larger one.
    pub(crate) fn and(self, other: CallStats) -> CallStats {
        let literals_max = self.literals_max.max(other.literals_max);
        CallStats { literals_max, ..self + other }
    }

    /// The time of all calls.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds)
    }
}

/// The time since some fixed moment. This crate does not read the clock; who wants times passes one in.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Counts the calls of what it wraps, which is a [`Solver`] or a [`Growing`] one.
pub(crate) struct Counted<S> {
    inner: S,
    clock: Option<Clock>,
    counters: Arc<CallCounters>,
}

impl<S> Counted<S> {
    /// Wraps a solver. Several may share counters.
    pub(crate) fn new(inner: S, clock: Option<Clock>, counters: Arc<CallCounters>) -> Counted<S> {
        Counted { inner, clock, counters }
    }

    fn call(
        &mut self,
        query: &Query<'_>,
        budget: &mut Budget,
        solve: impl FnOnce(&mut S, &mut Budget) -> Verdict,
    ) -> Verdict {
        let now = || self.clock.as_ref().map(|clock| clock());
        let (start, steps_before) = (now(), budget.steps_used());
        let verdict = solve(&mut self.inner, budget);
        let now = self.clock.as_ref().map(|clock| clock());
        let took = start.zip(now).map_or(Duration::ZERO, |(start, end)| end.saturating_sub(start));
        let (counters, n_literals) = (&self.counters, query.literals.len() as u64);
        count(&counters.calls, 1);
        count(&counters.literals, n_literals);
        counters.literals_max.fetch_max(n_literals, std::sync::atomic::Ordering::Relaxed);
        count(&counters.steps, budget.steps_used().saturating_sub(steps_before));
        count(&counters.nanoseconds, u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        let answered = match &verdict {
            Verdict::Sat(_) => &counters.sat,
            Verdict::Unsat => &counters.unsat,
            Verdict::Unknown(_) => &counters.unknown,
        };
        count(answered, 1);
        verdict
    }
}

impl<S: Solver> Solver for Counted<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.inner.credit()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.call(query, budget, |inner, budget| inner.solve(query, budget))
    }
}

impl Growing for Counted<Box<dyn Growing>> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve_next(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.call(query, budget, |inner, budget| inner.solve_next(query, budget))
    }

    fn unsat_core(&mut self, budget: &Budget) -> Option<Vec<usize>> {
        self.inner.unsat_core(budget)
    }
}
