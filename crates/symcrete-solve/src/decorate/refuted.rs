//! Queries that intervals refute go no further: cheaper than asking a solver, and library calls do not stop it.
//!
//! `unsat` here is [`refutes`]'s. It takes no steps of the budget: its work is bounded by the query's size.

use super::counters::{count, counters};
use crate::interval::refutes;
use crate::{Budget, Query, Solver, Verdict};
use std::sync::Arc;

counters! {
    /// What refutation saved.
    RefutedCounters => RefutedStats {
        /// Queries.
        queries,
        /// Queries that were proved to have no model.
        refuted,
    }
}

/// Refutes queries where it can; all others go on. See the module.
pub struct Refuted {
    inner: Box<dyn Solver>,
    counters: Arc<RefutedCounters>,
    credit: &'static str,
}

/// Who is named where intervals answered.
const CREDIT: &str = "intervals";

impl Refuted {
    /// Wraps a solver.
    pub fn new(inner: Box<dyn Solver>, counters: Arc<RefutedCounters>) -> Refuted {
        let credit = inner.name();
        Refuted { inner, counters, credit }
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
        if refutes(query) {
            count(&self.counters.refuted, 1);
            self.credit = CREDIT;
            return Verdict::Unsat;
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
        assert_eq!(ask(false), ("sat", "enumerate"));
        assert_eq!(counters.stats(), RefutedStats { queries: 2, refuted: 1 });
    }
}
