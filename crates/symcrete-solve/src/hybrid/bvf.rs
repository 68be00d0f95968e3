//! Bad variables first (Takaki et al. 2010, figure 4).

use super::{Hybrid, Split, Substituted};
use crate::random::{Draws, Source};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Seed, Sort, Valuation, VarId};

/// Draws that are tried: each costs a call of the symbolic solver.
const DRAWS_MAX: u64 = 100;

/// Draws the variables that make constraints undecidable and solves the rest symbolically.
pub struct Bvf {
    name: &'static str,
    symbolic: Box<dyn Solver>,
    hybrid: Hybrid,
    seed: Seed,
}

impl Bvf {
    /// A hybrid of a symbolic solver and random draws.
    pub fn new(name: &'static str, symbolic: Box<dyn Solver>, hybrid: Hybrid, seed: Seed) -> Bvf {
        Bvf { name, symbolic, hybrid, seed: seed.derive("solver/bvf") }
    }
}

impl Solver for Bvf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let Split { bad_variables, .. } = self.hybrid.policy.split(query);
        if bad_variables.is_empty() {
            return self.symbolic.solve(query, budget);
        }
        let source = Source::new(query, self.hybrid.draws);
        let variables: Vec<(VarId, Sort)> =
            bad_variables.iter().map(|&var| (var, query.terms.var_sort(var))).collect();
        let mut rng = query.seed(self.seed).rng();
        for attempt in 0..DRAWS_MAX {
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            let mut drawn = source.valuation(&mut rng, &variables);
            if attempt == 0 && self.hybrid.draws == Draws::Mixed {
                // The hint comes first: often all but one literal hold there.
                let hinted =
                    variables.iter().filter_map(|&(var, _)| Some((var, query.hint.get(var)?)));
                drawn.extend(hinted.collect::<Valuation>().iter());
            }
            let rest = Substituted::new(query, query.literals, &drawn);
            if let Verdict::Sat(model) = self.symbolic.solve(&rest.query(), budget) {
                return Verdict::Sat(rest.restore(&model));
            }
        }
        Verdict::Unknown(Why::GaveUp)
    }
}
