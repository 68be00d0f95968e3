//! Solvers one after the other, each with a share of the steps; the last gets the rest.

use crate::{Budget, Query, Solver, Verdict, Why};

/// A sequence of solvers. See the module.
pub(crate) struct Staged {
    name: &'static str,
    stages: Vec<(Box<dyn Solver>, u64)>,
    credit: &'static str,
}

impl Staged {
    /// No stages yet: knows nothing.
    pub(crate) fn new(name: &'static str) -> Staged {
        Staged { name, stages: Vec::new(), credit: name }
    }

    /// Adds a stage of at most so many steps.
    pub(crate) fn add(&mut self, solver: Box<dyn Solver>, steps_max: u64) {
        self.stages.push((solver, steps_max));
    }
}

impl Solver for Staged {
    fn name(&self) -> &'static str {
        self.name
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.credit = self.name;
        let mut last = Verdict::Unknown(Why::GaveUp);
        for (solver, steps_max) in &mut self.stages {
            let mut share = budget.fork(budget.cancel().clone()).at_most(*steps_max);
            last = solver.solve(query, &mut share);
            let charged = budget.charge(share.steps_used().min(*steps_max));
            if last.is_decided() {
                self.credit = solver.credit();
                return last;
            }
            if let Err(why) = charged {
                return Verdict::Unknown(why);
            }
        }
        last
    }
}
