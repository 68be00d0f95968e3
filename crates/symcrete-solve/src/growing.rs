//! Solvers for conjunctions that grow: each query is the last one with literals added, or a new start.

use crate::smt::IncrementalSolver;
use crate::{Budget, Query, Solver, Verdict};

/// Decides queries one after the other, faster where one extends the other. All are over one arena.
pub(crate) trait Growing: Send {
    /// Its name in logs and reports.
    fn name(&self) -> &'static str;

    /// Decides a query. The model is checked; which one it is may depend on earlier queries.
    fn solve_next(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict;

    /// Right after `Unsat`: the positions of literals of that query that contradict each other, in order, if
    /// it can tell. It is the solver's word.
    fn unsat_core(&mut self, budget: &Budget) -> Option<Vec<usize>>;
}

impl Growing for IncrementalSolver {
    fn name(&self) -> &'static str {
        self.backend().name()
    }

    fn solve_next(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.solve(query, budget)
    }

    fn unsat_core(&mut self, budget: &Budget) -> Option<Vec<usize>> {
        IncrementalSolver::unsat_core(self, budget).ok()
    }
}

/// Any solver, asked anew each time.
pub(crate) struct Anew<S>(pub S);

impl<S: Solver> Growing for Anew<S> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn solve_next(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.0.solve(query, budget)
    }

    fn unsat_core(&mut self, _: &Budget) -> Option<Vec<usize>> {
        None
    }
}

/// A growing solver that is asked for whole queries.
pub(crate) struct Whole(pub Box<dyn Growing>);

impl Solver for Whole {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.0.solve_next(query, budget)
    }
}
