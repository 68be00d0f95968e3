//! The default: the cheapest method first, then what can prove beside what can search.
//!
//! 1. A burst of random draws: most path conditions are easy, and starting a process costs more.
//! 2. A race of the SMT solvers and Concolic Walk: SMT can prove, search takes library calls and the
//!    floating point on which SMT solvers run out of time.

use crate::concolic_walk::ConcolicWalk;
use crate::kind::Setup;
use crate::race::Race;
use crate::random::Random;
use crate::smt::SmtSolver;
use crate::{Budget, Query, Solver, Verdict};

/// See the module.
pub struct Auto {
    random: Random,
    race: Race,
    credit: &'static str,
}

/// Draws before anything else is started: a few milliseconds at most.
const BURST_STEPS: u64 = 2_000;

impl Auto {
    /// Uses the SMT solvers that are installed; without any, search alone.
    pub fn new(setup: &Setup<'_>) -> Auto {
        let mut race = Race::new("auto");
        let backends = setup.toolbox.available().into_iter();
        let mut smt = backends.filter_map(|backend| SmtSolver::new(backend, setup.toolbox).ok());
        // The strongest SMT solver and the search get the first cores.
        smt.next().into_iter().for_each(|solver| race.add(solver));
        race.add(ConcolicWalk::improved(setup.seed));
        smt.for_each(|solver| race.add(solver));
        Auto { random: Random::new(setup.seed), race, credit: "auto" }
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
        let mut burst = budget.fork(budget.cancel().clone()).at_most(BURST_STEPS);
        let drawn = self.random.solve(query, &mut burst);
        self.credit = self.random.credit();
        let charged = budget.charge(burst.steps_used().min(BURST_STEPS));
        if drawn.is_decided() || charged.is_err() || budget.steps_left() == 0 {
            return drawn;
        }
        let verdict = self.race.solve(query, budget);
        self.credit = self.race.credit();
        verdict
    }
}
