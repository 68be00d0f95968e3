//! No model is believed: the evaluator must accept it, in release builds too. Nor is `unsat` of a solver that only
//! finds models.

use crate::attempt::Attempt;
use crate::lazy::LazyEvaluator;
use crate::{Budget, Query, Solver, Verdict, Why};

/// Turns a model that the evaluator rejects into `Unknown`, and logs it as the bug it is.
pub struct Checked<S> {
    inner: S,
    proves: bool,
    evaluator: LazyEvaluator,
}

impl<S: Solver> Checked<S> {
    /// Wraps a solver that may say `unsat`.
    pub fn new(inner: S) -> Checked<S> {
        Checked { inner, proves: true, evaluator: LazyEvaluator::new() }
    }

    /// Wraps a solver that has no way to prove `unsat`.
    pub fn finder(inner: S) -> Checked<S> {
        Checked { inner, proves: false, evaluator: LazyEvaluator::new() }
    }
}

impl<S: Solver> Solver for Checked<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.inner.credit()
    }

    fn attempts(&self) -> &[Attempt] {
        self.inner.attempts()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let verdict = self.inner.solve(query, budget);
        if verdict == Verdict::Unsat && !self.proves {
            let what = format!("{} says unsat and cannot prove it", self.inner.credit());
            return Verdict::Unknown(Why::Fault(what));
        }
        let Verdict::Sat(model) = &verdict else { return verdict };
        if self.evaluator.under(query.terms, model).all_hold(query.literals) {
            return verdict;
        }
        tracing::error!(solver = self.inner.credit(), ?model, "model rejected by the evaluator");
        Verdict::Unknown(Why::Fault(format!(
            "{} gave a model that the evaluator rejects",
            self.inner.credit()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Sort, Terms, Valuation};

    struct Liar;

    impl Solver for Liar {
        fn name(&self) -> &'static str {
            "liar"
        }

        fn solve(&mut self, _: &Query<'_>, _: &mut Budget) -> Verdict {
            Verdict::Sat(Valuation::new())
        }
    }

    #[test]
    fn a_wrong_model_becomes_unknown() {
        let mut terms = Terms::new();
        let p = terms.var("p", Sort::Bool);
        let hint = Valuation::new();
        let ask = |expected| {
            let literals = [Literal { term: p, expected }];
            let query = Query { terms: &terms, literals: &literals, hint: &hint };
            Checked::new(Liar).solve(&query, &mut Budget::of_steps(1))
        };
        assert!(matches!(ask(true), Verdict::Unknown(Why::Fault(_))));
        assert!(matches!(ask(false), Verdict::Sat(_)));
    }

    struct Denier;

    impl Solver for Denier {
        fn name(&self) -> &'static str {
            "denier"
        }

        fn solve(&mut self, _: &Query<'_>, _: &mut Budget) -> Verdict {
            Verdict::Unsat
        }
    }

    #[test]
    fn unsat_counts_only_from_those_that_can_prove_it() {
        let terms = Terms::new();
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &[], hint: &hint };
        let mut budget = Budget::of_steps(1);
        let finder = Checked::finder(Denier).solve(&query, &mut budget);
        assert!(matches!(finder, Verdict::Unknown(Why::Fault(_))));
        assert_eq!(Checked::new(Denier).solve(&query, &mut budget), Verdict::Unsat);
    }
}
