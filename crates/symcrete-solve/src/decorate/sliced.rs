//! Only what is connected with the target is solved.
//!
//! Of a query's literals those count that share a variable with the target, or with another that counts. The other
//! variables keep the hint's values, under which the other literals hold already: the hint is the input whose
//! last branch was flipped. (Cadar et al., *EXE*, CCS 2006, call it constraint independence.)
//!
//! Invariants: `unsat` of a part is `unsat` of the whole. A model of a part counts only if, completed by the hint, it
//! satisfies every literal; where it does not, the hint was no witness, and the whole query is solved.

use super::counters::{count, counters};
use super::support::{Set, SetId, Supports};
use crate::lazy::LazyEvaluator;
use crate::{Budget, Query, Solver, Verdict};
use std::sync::Arc;
use symcrete_term::{Literal, VarId};

counters! {
    /// What slicing saved.
    SlicedCounters => SlicedStats {
        /// Queries.
        queries,
        /// Literals of the queries.
        literals_asked,
        /// Literals that were connected with the target, each once.
        literals_kept,
        /// Queries that were solved whole because the hint did not satisfy the rest.
        hints_refused,
    }
}

/// Solves the part of a query that is connected with its target. One arena only.
pub(crate) struct Sliced {
    inner: Box<dyn Solver>,
    slicer: Slicer,
    evaluator: LazyEvaluator,
    counters: Arc<SlicedCounters>,
}

impl Sliced {
    /// Wraps a solver.
    pub(crate) fn new(inner: Box<dyn Solver>, counters: Arc<SlicedCounters>) -> Sliced {
        Sliced { inner, slicer: Slicer::new(), evaluator: LazyEvaluator::new(), counters }
    }
}

impl Solver for Sliced {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.inner.credit()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let slice = self.slicer.slice(query);
        count(&self.counters.queries, 1);
        count(&self.counters.literals_asked, query.literals.len() as u64);
        count(&self.counters.literals_kept, slice.literals.len() as u64);
        let part = Query { literals: &slice.literals, ..*query };
        let model = match self.inner.solve(&part, budget) {
            Verdict::Sat(model) => model,
            verdict @ (Verdict::Unsat | Verdict::Unknown(_)) => return verdict,
        };
        let whole = query.completed(&model, slice.variables);
        if self.evaluator.under(query.terms, &whole).all_hold(query.literals) {
            return Verdict::Sat(whole);
        }
        count(&self.counters.hints_refused, 1);
        self.inner.solve(query, budget)
    }
}

/// Finds slices. One arena only.
pub(crate) struct Slicer {
    supports: Supports,
    /// The forest of connected variables, by variable.
    parents: Vec<u32>,
    /// By set: the round in which it was connected, and one of its variables.
    connected: Vec<(u32, u32)>,
    /// By term and expected value: the round in which the literal was taken.
    taken: Vec<u32>,
    round: u32,
}

/// The part of a query that is connected with its target.
pub(crate) struct Slice {
    /// Each literal once, in order; the target stays last.
    pub literals: Vec<Literal>,
    /// Their variables.
    pub variables: Vec<VarId>,
}

/// In `connected`: the set is being looked at, and its variable not known yet.
const PENDING: u32 = u32::MAX;

impl Slicer {
    /// Knows no terms yet.
    pub(crate) fn new() -> Slicer {
        Slicer {
            supports: Supports::new(),
            parents: Vec::new(),
            connected: Vec::new(),
            taken: Vec::new(),
            round: 0,
        }
    }

    /// The literals that share variables with the target, directly or through others. A query without
    /// literals is its own slice.
    pub(crate) fn slice(&mut self, query: &Query<'_>) -> Slice {
        self.begin(query);
        let Some(target) = query.target() else {
            return Slice { literals: Vec::new(), variables: Vec::new() };
        };
        for literal in query.literals {
            self.connect(self.supports.of(literal.term));
        }
        let root = self.connect(self.supports.of(target.term)).map(|var| self.find(var));
        let mut literals = Vec::new();
        self.take(target);
        for &literal in query.prefix() {
            let var = self.connect(self.supports.of(literal.term));
            // A literal without variables is true, or else it alone decides; it costs nothing to keep it.
            let counts = var.is_none_or(|var| Some(self.find(var)) == root);
            if counts && self.take(literal) {
                literals.push(literal);
            }
        }
        literals.push(target);
        let n_vars = query.terms.n_vars() as u32;
        let is_in = |var: &u32| root.is_some() && Some(self.find(*var)) == root;
        let variables: Vec<u32> = (0..n_vars).filter(is_in).collect();
        let variables = variables.into_iter().map(|var| VarId::from_index(var as usize)).collect();
        Slice { literals, variables }
    }

    fn begin(&mut self, query: &Query<'_>) {
        self.supports.update(query.terms);
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.connected.clear();
            self.taken.clear();
            1
        });
        self.connected.resize(self.supports.n_sets(), (0, PENDING));
        self.taken.resize(query.terms.len() * 2, 0);
        self.parents.clear();
        self.parents.extend(0..query.terms.n_vars() as u32);
    }

    /// Whether a literal is taken for the first time.
    fn take(&mut self, literal: Literal) -> bool {
        let taken = &mut self.taken[literal.term.index() * 2 + usize::from(literal.expected)];
        std::mem::replace(taken, self.round) != self.round
    }

    /// Connects all variables of a set; says one of them.
    fn connect(&mut self, set: SetId) -> Option<u32> {
        if set == SetId::EMPTY {
            return None;
        }
        let (round, var) = self.connected[set.index()];
        if round == self.round {
            return Some(var);
        }
        let mut first = None;
        let mut to_see = vec![set];
        let mut seen = Vec::new();
        while let Some(set) = to_see.pop() {
            match self.connected[set.index()] {
                (round, PENDING) if round == self.round => continue,
                (round, var) if round == self.round => {
                    self.join(*first.get_or_insert(var), var);
                    continue;
                }
                _ => {}
            }
            self.connected[set.index()] = (self.round, PENDING);
            seen.push(set);
            match self.supports.set(set) {
                &Set::Union(a, b) => to_see.extend([a, b]),
                Set::Few(few) => {
                    let vars: Vec<u32> = few.iter().map(|var| var.index() as u32).collect();
                    vars.into_iter().for_each(|var| self.join(*first.get_or_insert(var), var));
                }
            }
        }
        let first = first.expect("a set that is not empty has a variable");
        for set in seen {
            self.connected[set.index()] = (self.round, first);
        }
        Some(first)
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller one leads, so that the forest does not depend on the order of joining.
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The leader of a variable; halves the way there.
    fn find(&mut self, mut var: u32) -> u32 {
        while self.parents[var as usize] != var {
            let above = self.parents[self.parents[var as usize] as usize];
            self.parents[var as usize] = above;
            var = above;
        }
        var
    }
}

impl Default for Slicer {
    fn default() -> Slicer {
        Slicer::new()
    }
}
