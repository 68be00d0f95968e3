//! IPPC: as few literals as possible (Koroglu and Sen 2016, *Design of a Modified Concolic Testing
//! Algorithm with Smaller Constraints*, algorithm 2).
//!
//! The target alone is solved first. If that is `unsat`, so is the query (theorem 1). Otherwise the model, completed by
//! the hint, is evaluated on all literals in order, the first violated one is added, and so on.
//!
//! Deviations: after `rounds_single` rounds two violated literals are added at once, then four, and so on, so that
//! a query of which all literals matter does not take as many rounds as it has literals. After
//! `rounds_max`, or when a partial query is not decided, the solver behind gets the whole query.
//!
//! Invariants: `unsat` only from a solver that said so of a subset of the query's literals. A model satisfies
//! all literals.

use super::counters::{count, counters};
use super::memory::Memory;
use crate::growing::Growing;
use crate::lazy::LazyEvaluator;
use crate::{Budget, Query, Solver, Verdict};
use std::sync::Arc;
use symcrete_term::Literal;

counters! {
    /// What partial queries saved.
    PartialCounters => PartialStats {
        /// Queries.
        queries,
        /// Literals of the queries.
        literals_asked,
        /// Partial queries, which is calls of the growing solver.
        rounds,
        /// Literals of all partial queries.
        literals_sent,
        /// Queries decided by a partial query.
        decided,
        /// Literals of the partial queries that decided.
        literals_final,
        /// Queries that went to the solver behind.
        undecided,
    }
}

/// How far partial queries go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartialOptions {
    /// Rounds that add one literal each, as published.
    pub rounds_single: u32,
    /// Rounds in all.
    pub rounds_max: u32,
    /// Steps of all rounds of a query together, in the growing solver's unit.
    pub steps_max: u64,
}

/// Solves partial queries first. See the module. One arena only.
pub(crate) struct Partial {
    growing: Box<dyn Growing>,
    behind: Box<dyn Solver>,
    options: PartialOptions,
    memory: Option<Memory>,
    evaluator: LazyEvaluator,
    counters: Arc<PartialCounters>,
    credit: &'static str,
}

impl Partial {
    /// Solves partial queries with `growing`; what that leaves open goes to `behind`. Contradictions
    /// are told to the memory, if there is one.
    pub(crate) fn new(
        growing: Box<dyn Growing>,
        behind: Box<dyn Solver>,
        options: PartialOptions,
        memory: Option<Memory>,
        counters: Arc<PartialCounters>,
    ) -> Partial {
        let (evaluator, credit) = (LazyEvaluator::new(), behind.name());
        Partial { growing, behind, options, memory, evaluator, counters, credit }
    }

    /// Algorithm 2. `None`: not decided this way.
    fn solve_partial(
        &mut self,
        query: &Query<'_>,
        target: Literal,
        budget: &mut Budget,
    ) -> Option<Verdict> {
        let mut partial = vec![target];
        // A partial query starts from the last one's model: that satisfies all but the literals added since.
        let mut near = query.hint.clone();
        for round in 0..self.options.rounds_max {
            count(&self.counters.rounds, 1);
            count(&self.counters.literals_sent, partial.len() as u64);
            let part = Query { literals: &partial, hint: &near, ..*query };
            let model = match self.growing.solve_next(&part, budget) {
                Verdict::Sat(model) => model,
                Verdict::Unknown(_) => return None,
                Verdict::Unsat => {
                    count(&self.counters.literals_final, partial.len() as u64);
                    if let Some(memory) = &self.memory {
                        memory.add_unsat(&partial);
                    }
                    return Some(Verdict::Unsat);
                }
            };
            let whole = query.completed(&model, part.variables());
            let n_join = 1 << round.saturating_sub(self.options.rounds_single).min(30);
            let mut evaluation = self.evaluator.under(query.terms, &whole);
            let violated = evaluation.violated(query.literals, n_join);
            if violated.is_empty() {
                count(&self.counters.literals_final, partial.len() as u64);
                return Some(Verdict::Sat(whole));
            }
            let n_before = partial.len();
            for position in violated {
                if !partial.contains(&query.literals[position]) {
                    partial.push(query.literals[position]);
                }
            }
            near = whole;
            if partial.len() == n_before {
                tracing::error!(solver = self.growing.name(), "a partial query's model is none");
                return None;
            }
        }
        None
    }
}

impl Solver for Partial {
    fn name(&self) -> &'static str {
        self.behind.name()
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        count(&self.counters.queries, 1);
        count(&self.counters.literals_asked, query.literals.len() as u64);
        if let Some(target) = query.target() {
            let mut share = budget.fork(budget.cancel().clone()).at_most(self.options.steps_max);
            let verdict = self.solve_partial(query, target, &mut share);
            let charged = budget.charge(share.steps_used().min(self.options.steps_max));
            if let Some(verdict) = verdict {
                count(&self.counters.decided, 1);
                self.credit = self.growing.name();
                return verdict;
            }
            count(&self.counters.undecided, 1);
            if let Err(why) = charged {
                return Verdict::Unknown(why);
            }
        }
        let verdict = self.behind.solve(query, budget);
        self.credit = self.behind.credit();
        verdict
    }
}
