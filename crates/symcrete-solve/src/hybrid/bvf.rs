//! Bad variables first (paper 003, figure 4).

use super::{Policy, Split, Substituted};
use crate::random::{constants, draw};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Seed, Valuation, Value};

/// Draws that are tried: each costs a call of the symbolic solver.
const DRAWS_MAX: u64 = 100;

/// Draws the variables that make constraints undecidable and solves the rest symbolically.
pub struct Bvf {
    symbolic: Box<dyn Solver>,
    policy: Policy,
    seed: Seed,
}

impl Bvf {
    /// A hybrid of a symbolic solver and random draws.
    pub fn new(symbolic: Box<dyn Solver>, policy: Policy, seed: Seed) -> Bvf {
        Bvf { symbolic, policy, seed: seed.derive("solver/bvf") }
    }
}

impl Solver for Bvf {
    fn name(&self) -> &'static str {
        match self.policy {
            Policy::Linear => "bvf-linear",
            Policy::Supported | Policy::SupportedIntegers => "bvf",
        }
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let Split { bad_variables, .. } = self.policy.split(query);
        if bad_variables.is_empty() {
            return self.symbolic.solve(query, budget);
        }
        let constants = constants(query);
        let mut rng = query.seed(self.seed).rng();
        for attempt in 0..DRAWS_MAX {
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            // The hint comes first: often all but one literal hold there.
            let drawn: Valuation = bad_variables
                .iter()
                .map(|&var| {
                    let sort = query.terms.var_sort(var);
                    let hinted = query.hint.get(var).filter(|_| attempt == 0);
                    let drawn = Value::from_bits(sort, draw(&mut rng, sort, &constants));
                    (var, hinted.unwrap_or(drawn))
                })
                .collect();
            let rest = Substituted::new(query, query.literals, &drawn);
            if let Verdict::Sat(model) = self.symbolic.solve(&rest.query(), budget) {
                return Verdict::Sat(rest.restore(&model));
            }
        }
        Verdict::Unknown(Why::GaveUp)
    }
}
