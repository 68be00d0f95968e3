//! Decidable constraints first (Takaki et al. 2010, figure 2).

use super::{Hybrid, Searcher, Split, Substituted};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::Seed;

/// Solves the good constraints symbolically, substitutes into the bad ones and searches.
pub struct Dcf {
    name: &'static str,
    symbolic: Box<dyn Solver>,
    searcher: Searcher,
    hybrid: Hybrid,
    seed: Seed,
}

impl Dcf {
    /// A hybrid of a symbolic solver and a searcher.
    pub fn new(
        name: &'static str,
        symbolic: Box<dyn Solver>,
        searcher: Searcher,
        hybrid: Hybrid,
        seed: Seed,
    ) -> Dcf {
        Dcf { name, symbolic, searcher, hybrid, seed: seed.derive("solver/dcf") }
    }
}

impl Solver for Dcf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let Split { good, bad, .. } = self.hybrid.policy.split(query);
        if bad.is_empty() {
            return self.symbolic.solve(query, budget);
        }
        let mut searcher = self.hybrid.searcher(self.searcher, self.seed);
        if good.is_empty() {
            return searcher.solve(query, budget);
        }
        let first = match self.symbolic.solve(&Query { literals: &good, ..*query }, budget) {
            Verdict::Sat(model) => model,
            // A part without a model leaves none for the whole.
            Verdict::Unsat => return Verdict::Unsat,
            Verdict::Unknown(why) => return Verdict::Unknown(why),
        };
        let rest = Substituted::new(query, &bad, &first);
        match searcher.solve(&rest.query(), budget) {
            Verdict::Sat(model) => Verdict::Sat(rest.restore(&model)),
            // Without a model under this first solution there may be one under another.
            Verdict::Unsat => Verdict::Unknown(Why::GaveUp),
            Verdict::Unknown(why) => Verdict::Unknown(why),
        }
    }
}
