//! Unsat cores: which literals contradict each other, so that no other query with them need be solved.
//!
//! A core is the solver's word, and core extraction is where solvers err most. So a core that leaves literals out
//! counts only after the solver found it `unsat` by itself. Then a few literals, one after the other, are left
//! out on trial.

use super::counters::{count, counters};
use super::memory::Memory;
use crate::growing::Growing;
use crate::{Budget, Query, Verdict};
use std::sync::Arc;
use symcrete_term::Literal;

counters! {
    /// What was learnt from cores.
    CoresCounters => CoresStats {
        /// Queries that were `unsat`.
        unsat,
        /// Literals of these queries.
        literals_asked,
        /// Literals of the sets remembered instead.
        literals_kept,
        /// Calls to prove cores and to make them smaller.
        trials,
        /// Cores that the solver did not prove again.
        cores_refused,
    }
}

/// How much is spent on a core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoresOptions {
    /// Literals left out on trial.
    pub trials_max: u32,
    /// Steps of one trial, in the solver's unit.
    pub steps_max: u64,
}

/// Learns from `unsat`, and tells the memory. See the module.
pub(crate) struct Cores {
    inner: Box<dyn Growing>,
    options: CoresOptions,
    memory: Memory,
    counters: Arc<CoresCounters>,
    core: Option<Vec<usize>>,
}

impl Cores {
    /// Wraps a growing solver.
    pub(crate) fn new(
        inner: Box<dyn Growing>,
        options: CoresOptions,
        memory: Memory,
        counters: Arc<CoresCounters>,
    ) -> Cores {
        Cores { inner, options, memory, counters, core: None }
    }

    /// Positions of literals that were proved to contradict each other: all, if nothing better is known.
    fn proved_core(&mut self, query: &Query<'_>, budget: &mut Budget) -> Vec<usize> {
        let all: Vec<usize> = (0..query.literals.len()).collect();
        if all.len() <= 1 {
            return all;
        }
        let mut core = all.clone();
        if let Some(found) = self.inner.unsat_core(budget) {
            let fits = !found.is_empty() && found.iter().all(|&position| position < all.len());
            if fits && found.len() < all.len() && self.is_unsat(query, &found, budget) {
                core = found;
            } else if found.len() != all.len() {
                count(&self.counters.cores_refused, 1);
            }
        }
        self.minimised(query, core, budget)
    }

    /// The oldest literals are tried first: what came last is what the query is about.
    fn minimised(
        &mut self,
        query: &Query<'_>,
        mut core: Vec<usize>,
        budget: &mut Budget,
    ) -> Vec<usize> {
        let mut next = 0;
        for _ in 0..self.options.trials_max {
            if core.len() <= 2 || next >= core.len() {
                break;
            }
            let mut smaller = core.clone();
            smaller.remove(next);
            if self.is_unsat(query, &smaller, budget) {
                core = smaller;
            } else {
                next += 1;
            }
        }
        core
    }

    fn is_unsat(&mut self, query: &Query<'_>, positions: &[usize], budget: &mut Budget) -> bool {
        count(&self.counters.trials, 1);
        let literals: Vec<Literal> = positions.iter().map(|&i| query.literals[i]).collect();
        let mut share = budget.fork(budget.cancel().clone()).at_most(self.options.steps_max);
        let part = Query { literals: &literals, ..*query };
        let verdict = self.inner.solve_next(&part, &mut share);
        // The answer stands already; what a trial takes beyond the budget ends the trials.
        let _ = budget.charge(share.steps_used().min(self.options.steps_max));
        verdict == Verdict::Unsat
    }
}

impl Growing for Cores {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve_next(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let verdict = self.inner.solve_next(query, budget);
        self.core = None;
        if verdict == Verdict::Unsat {
            let core = self.proved_core(query, budget);
            let literals: Vec<Literal> = core.iter().map(|&i| query.literals[i]).collect();
            count(&self.counters.unsat, 1);
            count(&self.counters.literals_asked, query.literals.len() as u64);
            count(&self.counters.literals_kept, literals.len() as u64);
            self.memory.add_unsat(&literals);
            self.core = Some(core);
        }
        verdict
    }

    fn unsat_core(&mut self, _: &Budget) -> Option<Vec<usize>> {
        self.core.clone()
    }
}
