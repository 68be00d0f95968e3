//! Queries that intervals decide go no further: cheaper than asking a solver, and library calls do not stop it.
//!
//! `unsat` here is [`ranges`]'s. Where it leaves room for a model, a few points of that room are tried. It takes no steps of
//! the budget: its work is bounded by the query's size.

use super::counters::{count, counters};
use crate::interval::{Ranges, ranges};
use crate::lazy::LazyEvaluator;
use crate::{Budget, Query, Solver, Verdict};
use std::sync::Arc;

counters! {
    /// What refutation saved.
    RefutedCounters => RefutedStats {
        /// Queries.
        queries,
        /// Queries that were proved to have no model.
        refuted,
        /// Queries that a point within the ranges satisfied.
        met,
    }
}

/// Decides queries where it can; all others go on. See the module.
pub(crate) struct Refuted {
    inner: Box<dyn Solver>,
    evaluator: LazyEvaluator,
    counters: Arc<RefutedCounters>,
    credit: &'static str,
}

/// The name given as solver where intervals answered.
const CREDIT: &str = "intervals";

impl Refuted {
    /// Wraps a solver.
    pub(crate) fn new(inner: Box<dyn Solver>, counters: Arc<RefutedCounters>) -> Refuted {
        let credit = inner.name();
        Refuted { inner, evaluator: LazyEvaluator::new(), counters, credit }
    }
}

impl Solver for Refuted {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        count(&self.counters.queries, 1);
        self.credit = CREDIT;
        match ranges(query) {
            Ranges::Empty => {
                count(&self.counters.refuted, 1);
                return Verdict::Unsat;
            }
            Ranges::Within(space) => {
                let mut holds =
                    |point: &_| self.evaluator.under(query.terms, point).all_hold(query.literals);
                if let Some(point) = space.points(query.hint).find(|point| holds(point)) {
                    count(&self.counters.met, 1);
                    return Verdict::Sat(point);
                }
            }
        }
        let verdict = self.inner.solve(query, budget);
        self.credit = self.inner.credit();
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enumerate::Enumerate;
    use symcrete_term::{Literal, Op, Sort, Terms, Valuation};

    #[test]
    fn what_is_refuted_is_not_asked() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(4)), terms.var("y", Sort::Bv(4)));
        let below = terms.app(Op::BvUlt, &[x, y]);
        let above = terms.app(Op::BvUlt, &[y, x]);
        let hint = Valuation::new();
        let counters = Arc::new(RefutedCounters::default());
        let mut solver = Refuted::new(Box::new(Enumerate), Arc::clone(&counters));
        let mut ask = |expected| {
            let literals = [Literal::holds(below), Literal { term: above, expected }];
            let query = Query { terms: &terms, literals: &literals, hint: &hint };
            let verdict = solver.solve(&query, &mut Budget::of_steps(1 << 8));
            (verdict.word(), solver.credit())
        };
        assert_eq!(ask(true), ("unsat", CREDIT));
        assert_eq!(ask(false), ("sat", CREDIT));
        assert_eq!(counters.stats(), RefutedStats { queries: 2, refuted: 1, met: 1 });
    }
}
