//! Undecidable constraints first (Takaki et al. 2010, figure 3).
//!
//! The paper's searcher returns a set of solutions. Ours is asked again with another seed, from a start that is drawn,
//! until there are as many *different* solutions; only the first search starts at the hint.

use super::{Hybrid, Searcher, Split, Substituted};
use crate::random::Source;
use crate::{Budget, Query, Solver, Verdict, Why};
use std::collections::BTreeSet;
use symcrete_term::{Seed, Sort, Valuation, VarId};

/// Different solutions of the bad constraints that are tried.
const SOLUTIONS_MAX: usize = 20;
/// Searches for them: a searcher may find the same solution again.
const SEARCHES_MAX: u64 = 100;

/// Searches solutions of the bad constraints and solves the good ones symbolically under each.
pub struct Ucf {
    name: &'static str,
    symbolic: Box<dyn Solver>,
    searcher: Searcher,
    hybrid: Hybrid,
    seed: Seed,
}

impl Ucf {
    /// A hybrid of a symbolic solver and a searcher.
    pub fn new(
        name: &'static str,
        symbolic: Box<dyn Solver>,
        searcher: Searcher,
        hybrid: Hybrid,
        seed: Seed,
    ) -> Ucf {
        Ucf { name, symbolic, searcher, hybrid, seed: seed.derive("solver/ucf") }
    }

    /// The solution that search number `n` finds.
    fn search(&self, query: &Query<'_>, n: u64, budget: &mut Budget) -> Verdict {
        let seed = self.seed.derive_number(n);
        let mut searcher = self.hybrid.searcher(self.searcher, seed);
        if n == 0 {
            return searcher.solve(query, budget);
        }
        let variables: Vec<(VarId, Sort)> =
            query.variables().into_iter().map(|var| (var, query.terms.var_sort(var))).collect();
        let mut rng = query.seed(seed.derive("start")).rng();
        let start = Source::new(query, self.hybrid.draws).valuation(&mut rng, &variables);
        searcher.solve(&Query { hint: &start, ..*query }, budget)
    }
}

impl Solver for Ucf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let Split { good, bad, .. } = self.hybrid.policy.split(query);
        if bad.is_empty() {
            return self.symbolic.solve(query, budget);
        }
        let searched = Query { literals: &bad, ..*query };
        let mut tried = BTreeSet::new();
        for n in 0..SEARCHES_MAX {
            let first = match self.search(&searched, n, budget) {
                Verdict::Sat(model) => model,
                Verdict::Unsat => return Verdict::Unsat,
                Verdict::Unknown(why) => return Verdict::Unknown(why),
            };
            if good.is_empty() {
                return Verdict::Sat(first);
            }
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            if !tried.insert(key(&first)) {
                continue;
            }
            let rest = Substituted::new(query, &good, &first);
            if let Verdict::Sat(model) = self.symbolic.solve(&rest.query(), budget) {
                return Verdict::Sat(rest.restore(&model));
            }
            if tried.len() == SOLUTIONS_MAX {
                break;
            }
        }
        Verdict::Unknown(Why::GaveUp)
    }
}

/// A solution as something that can be looked up.
fn key(solution: &Valuation) -> Vec<(VarId, u64)> {
    solution.iter().map(|(var, value)| (var, value.bits())).collect()
}
