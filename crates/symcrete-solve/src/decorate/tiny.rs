//! Queries over a byte or so are decided by trying every value: quicker than any solver can be asked.
//!
//! A parser's conditions are of this kind, one character at a time. `unsat` here is [`Enumerate`]'s: all
//! valuations of all variables were tried. A step is one evaluation.

use super::counters::{count, counters};
use crate::enumerate::Enumerate;
use crate::{Budget, Query, Solver, Verdict};
use std::sync::Arc;

counters! {
    /// What enumeration saved.
    TinyCounters => TinyStats {
        /// Queries.
        queries,
        /// Queries that were small enough, and decided.
        decided,
    }
}

/// Enumerates tiny queries; all others go on. See the module.
pub(crate) struct Tiny {
    inner: Box<dyn Solver>,
    counters: Arc<TinyCounters>,
    credit: &'static str,
}

/// Queries of more bits of input go on.
const BITS_MAX: u32 = 10;
/// Queries of more literals go on: they are evaluated a thousand times.
const LITERALS_MAX: usize = 64;

impl Tiny {
    /// Wraps a solver.
    pub(crate) fn new(inner: Box<dyn Solver>, counters: Arc<TinyCounters>) -> Tiny {
        let credit = inner.name();
        Tiny { inner, counters, credit }
    }
}

impl Solver for Tiny {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        count(&self.counters.queries, 1);
        if query.literals.len() <= LITERALS_MAX {
            let variables = query.variables();
            let bits: u32 = variables.iter().map(|&var| query.terms.var_sort(var).bits()).sum();
            if bits <= BITS_MAX {
                let verdict = Enumerate.solve(query, budget);
                if verdict.is_decided() {
                    count(&self.counters.decided, 1);
                    self.credit = Enumerate.name();
                    return verdict;
                }
            }
        }
        let verdict = self.inner.solve(query, budget);
        self.credit = self.inner.credit();
        verdict
    }
}
