//! Many queries at once: a driver's open flips.
//!
//! Each query is reduced to its slice, InSPeCT tries each valuation that it draws on all slices, and a model of a
//! slice is completed by its query's hint. Every model is checked on its whole query; none is ever `unsat`.

use crate::decorate::Slicer;
use crate::inspect::{Inspect, InspectOptions};
use crate::lazy::LazyEvaluator;
use crate::{Budget, Query, Verdict, Why};
use symcrete_term::{Literal, Seed};

/// Solves batches of queries over one arena.
pub struct BatchSolver {
    inspect: Inspect,
    slicer: Slicer,
    evaluator: LazyEvaluator,
}

impl BatchSolver {
    /// A solver; the same seed and queries give the same verdicts.
    pub fn new(seed: Seed, options: InspectOptions) -> BatchSolver {
        let inspect = Inspect::new(seed, options);
        BatchSolver { inspect, slicer: Slicer::new(), evaluator: LazyEvaluator::new() }
    }

    /// Solves queries that share one arena. Verdicts are in the order of the queries. A step is one query evaluated
    /// on one valuation.
    pub fn solve_all(&mut self, queries: &[Query<'_>], budget: &mut Budget) -> Vec<Verdict> {
        let Some(first) = queries.first() else { return Vec::new() };
        let one_arena = queries.iter().all(|query| std::ptr::eq(query.terms, first.terms));
        assert!(one_arena, "the queries of a batch are over one arena");
        let slices: Vec<_> = queries.iter().map(|query| self.slicer.slice(query)).collect();
        let conditions: Vec<&[Literal]> =
            slices.iter().map(|slice| slice.literals.as_slice()).collect();
        let verdicts = self.inspect.solve_all(first.terms, &conditions, first.hint, budget);
        let mut whole = Vec::with_capacity(queries.len());
        for ((query, slice), verdict) in queries.iter().zip(&slices).zip(verdicts) {
            whole.push(match verdict {
                Verdict::Sat(model) => {
                    let model = query.completed(&model, slice.variables.iter().copied());
                    let mut evaluation = self.evaluator.under(query.terms, &model);
                    match evaluation.all_hold(query.literals) {
                        true => Verdict::Sat(model),
                        // The hint does not satisfy the rest, so the slice's model says nothing.
                        false => Verdict::Unknown(Why::GaveUp),
                    }
                }
                verdict @ (Verdict::Unsat | Verdict::Unknown(_)) => verdict,
            });
        }
        whole
    }
}
