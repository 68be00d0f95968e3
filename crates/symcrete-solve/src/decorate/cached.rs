//! Earlier answers first: inputs that were seen, and contradictions that were proved.
//!
//! 1. A query with a literal and its opposite, or with a known contradiction among its literals, is `unsat`.
//! 2. The hint and the latest inputs are evaluated, on the target first: most of them fail there.
//!
//! What it answers depends on what was asked before; whether it is `sat` or `unsat` does not. A step is one
//! input tried. One arena only.

use super::arena::OneArena;
use super::counters::{count, counters};
use super::memory::Memory;
use crate::lazy::LazyEvaluator;
use crate::{Budget, Query, Solver, Verdict, Why};
use std::sync::Arc;
use symcrete_term::Valuation;

counters! {
    /// What remembering saved.
    CachedCounters => CachedStats {
        /// Queries.
        queries,
        /// Queries with a literal and its opposite.
        opposites,
        /// Queries with a known contradiction among their literals.
        unsat_known,
        /// Queries that the hint or an earlier input satisfies.
        inputs_fit,
        /// Inputs tried.
        inputs_tried,
    }
}

/// Answers from memory where it can. See the module.
pub(crate) struct Cached {
    inner: Box<dyn Solver>,
    memory: Memory,
    arena: OneArena,
    evaluator: LazyEvaluator,
    counters: Arc<CachedCounters>,
    credit: &'static str,
}

/// The name given as solver where the cache answered.
const CREDIT: &str = "cache";

impl Cached {
    /// Wraps a solver.
    pub(crate) fn new(
        inner: Box<dyn Solver>,
        memory: Memory,
        counters: Arc<CachedCounters>,
    ) -> Cached {
        Cached {
            inner,
            memory,
            arena: OneArena::default(),
            evaluator: LazyEvaluator::new(),
            counters,
            credit: CREDIT,
        }
    }

    fn is_unsat(&self, query: &Query<'_>) -> bool {
        let opposite = query.target().map(|target| target.negated());
        if query.prefix().iter().any(|&literal| Some(literal) == opposite) {
            count(&self.counters.opposites, 1);
            return true;
        }
        let known = self.memory.is_unsat(query.literals);
        count(&self.counters.unsat_known, u64::from(known));
        known
    }

    fn input_that_fits(
        &mut self,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Why> {
        let inputs = self.memory.inputs();
        for input in std::iter::once(query.hint).chain(inputs.iter().map(Arc::as_ref)) {
            budget.charge(1)?;
            count(&self.counters.inputs_tried, 1);
            let mut evaluation = self.evaluator.under(query.terms, input);
            let target_holds = query.target().is_none_or(|target| evaluation.holds(target));
            if target_holds && evaluation.all_hold(query.prefix()) {
                count(&self.counters.inputs_fit, 1);
                return Ok(Some(input.clone()));
            }
        }
        Ok(None)
    }
}

impl Solver for Cached {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.arena.check(query.terms);
        count(&self.counters.queries, 1);
        self.credit = CREDIT;
        if self.is_unsat(query) {
            return Verdict::Unsat;
        }
        match self.input_that_fits(query, budget) {
            Ok(Some(input)) => return Verdict::Sat(input),
            Ok(None) => {}
            Err(why) => return Verdict::Unknown(why),
        }
        let verdict = self.inner.solve(query, budget);
        self.credit = self.inner.credit();
        match &verdict {
            // Only a candidate: what the model leaves open may as well be the hint's.
            Verdict::Sat(model) => {
                let mut input = query.hint.clone();
                input.extend(model.iter());
                self.memory.add_input(input);
            }
            Verdict::Unsat => {
                self.memory.add_unsat(query.literals);
            }
            Verdict::Unknown(_) => {}
        }
        verdict
    }
}
