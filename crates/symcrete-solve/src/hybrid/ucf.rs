//! Undecidable constraints first (paper 003, figure 3).
//!
//! Deviation: the paper's searcher returns a set of solutions; ours is asked again with another seed for
//! each, so that any searcher can be used.

use super::{Policy, Searcher, Split, Substituted};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::Seed;

/// Solutions of the bad constraints that are tried.
const SOLUTIONS_MAX: u64 = 20;

/// Searches solutions of the bad constraints and solves the good ones symbolically under each.
pub struct Ucf {
    symbolic: Box<dyn Solver>,
    searcher: Searcher,
    policy: Policy,
    seed: Seed,
}

impl Ucf {
    /// A hybrid of a symbolic solver and a searcher.
    pub fn new(symbolic: Box<dyn Solver>, searcher: Searcher, policy: Policy, seed: Seed) -> Ucf {
        Ucf { symbolic, searcher, policy, seed: seed.derive("solver/ucf") }
    }
}

impl Solver for Ucf {
    fn name(&self) -> &'static str {
        match (self.policy, self.searcher) {
            (Policy::Linear, Searcher::Random) => "ucf-linear",
            (Policy::Linear, Searcher::Genetic) => "ucf-genetic-linear",
            (Policy::Linear, Searcher::ParticleSwarm) => "ucf-particle-swarm-linear",
            (Policy::Supported | Policy::SupportedIntegers, Searcher::Random) => "ucf",
            (Policy::Supported | Policy::SupportedIntegers, Searcher::Genetic) => "ucf-genetic",
            (Policy::Supported | Policy::SupportedIntegers, Searcher::ParticleSwarm) => {
                "ucf-particle-swarm"
            }
        }
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let Split { good, bad, .. } = self.policy.split(query);
        if bad.is_empty() {
            return self.symbolic.solve(query, budget);
        }
        let searched = Query { literals: &bad, ..*query };
        for attempt in 0..SOLUTIONS_MAX {
            let mut searcher = self.searcher.build(self.seed.derive_number(attempt));
            let first = match searcher.solve(&searched, budget) {
                Verdict::Sat(model) => model,
                Verdict::Unsat => return Verdict::Unsat,
                Verdict::Unknown(why) => return Verdict::Unknown(why),
            };
            if good.is_empty() {
                return Verdict::Sat(first);
            }
            let rest = Substituted::new(query, &good, &first);
            if let Verdict::Sat(model) = self.symbolic.solve(&rest.query(), budget) {
                return Verdict::Sat(rest.restore(&model));
            }
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
        }
        Verdict::Unknown(Why::GaveUp)
    }
}
