//! All SMT solvers on one query at once, as a [`Race`].

use super::backend::Backend;
use super::solver::SmtSolver;
use super::toolbox::{MissingSolver, Toolbox};
use crate::race::Race;
use crate::{Budget, Query, Solver, Verdict};

/// A race of SMT solvers.
pub struct SmtGroup {
    race: Race,
}

impl SmtGroup {
    /// A group of exactly these back ends, in this order.
    pub fn new(backends: &[Backend], toolbox: &Toolbox) -> Result<SmtGroup, MissingSolver> {
        let mut race = Race::new("smt");
        for &backend in backends {
            race.add(SmtSolver::new(backend, toolbox)?);
        }
        Ok(SmtGroup { race })
    }

    /// A group of all that are installed; with none, the error names the first that is missing.
    pub fn of_installed(toolbox: &Toolbox) -> Result<SmtGroup, MissingSolver> {
        let installed = toolbox.available();
        let backends = if installed.is_empty() { Backend::ALL } else { &installed };
        SmtGroup::new(backends, toolbox)
    }
}

impl Solver for SmtGroup {
    fn name(&self) -> &'static str {
        self.race.name()
    }

    fn credit(&self) -> &'static str {
        self.race.credit()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.race.solve(query, budget)
    }
}
