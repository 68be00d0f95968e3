//! The default: the cheapest method first, then what can prove, then what can search.
//!
//! 1. A burst of random draws: most path conditions are easy, and starting a process costs more.
//! 2. The SMT group, where the query has no library call.
//! 3. Search with all that is left of the budget.

use crate::kind::Setup;
use crate::random::Random;
use crate::smt::SmtGroup;
use crate::{Budget, Query, Solver, Verdict, Why};

/// See the module.
pub struct Auto {
    random: Random,
    group: Option<SmtGroup>,
    credit: &'static str,
}

/// Draws before anything else is started: a few milliseconds at most.
const BURST_STEPS: u64 = 2_000;

impl Auto {
    /// Uses the SMT solvers that are installed; without any, search alone.
    pub fn new(setup: &Setup<'_>) -> Auto {
        Auto {
            random: Random::new(setup.seed),
            group: SmtGroup::of_installed(setup.toolbox).ok(),
            credit: "auto",
        }
    }

    /// Runs a solver on a part of the budget and charges what it used.
    fn part(
        solver: &mut dyn Solver,
        query: &Query<'_>,
        budget: &mut Budget,
        steps_max: u64,
    ) -> (Verdict, &'static str) {
        let mut part = budget.fork(budget.cancel().clone()).at_most(steps_max);
        let verdict = solver.solve(query, &mut part);
        // Running out is seen by the part first; what matters here is that both agree on the sum.
        let _ = budget.charge(part.steps_used());
        (verdict, solver.credit())
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let (burst, credit) = Auto::part(&mut self.random, query, budget, BURST_STEPS);
        self.credit = credit;
        if burst.is_decided() || budget.steps_left() == 0 || budget.cancel().check().is_err() {
            return burst;
        }
        let mut why_not_smt = None;
        if let Some(group) = &mut self.group {
            let (verdict, credit) = Auto::part(group, query, budget, u64::MAX);
            match verdict {
                Verdict::Sat(_) | Verdict::Unsat => {
                    self.credit = credit;
                    return verdict;
                }
                Verdict::Unknown(why) => why_not_smt = Some(("smt", why)),
            }
        }
        let (verdict, credit) = Auto::part(&mut self.random, query, budget, u64::MAX);
        self.credit = credit;
        match (verdict, why_not_smt) {
            (Verdict::Unknown(why), Some(smt)) => {
                self.credit = self.name();
                Verdict::Unknown(Why::Nobody(vec![smt, (credit, why)]))
            }
            (verdict, _) => verdict,
        }
    }
}
