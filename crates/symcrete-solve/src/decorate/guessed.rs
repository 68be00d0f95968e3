//! A few hundred guesses near the hint, before anything is started.
//!
//! The hint satisfies all literals but the target, so one or two of the *target's* variables get another value: a
//! small number, an extreme, or a value that the target is compared with under the hint (Aschermann et al.,
//! *REDQUEEN: Fuzzing with Input-to-State Correspondence*, NDSS 2019). Only the target is evaluated; the other literals
//! follow once it holds.
//!
//! A step is one guess. The guesses depend on seed and query alone.

use super::counters::{count, counters};
use crate::compiled::CompiledQuery;
use crate::lazy::LazyEvaluator;
use crate::random::draw;
use crate::{Budget, Query, Solver, Verdict, Why};
use std::sync::Arc;
use symcrete_term::{Literal, Seed, Sort, Valuation, Value, VarId, reachable};

counters! {
    /// What guessing saved.
    GuessedCounters => GuessedStats {
        /// Queries.
        queries,
        /// Queries that a guess satisfied.
        hits,
        /// Guesses.
        guesses,
    }
}

/// Guesses first. See the module.
pub(crate) struct Guessed {
    inner: Box<dyn Solver>,
    seed: Seed,
    guesses_max: u64,
    evaluator: LazyEvaluator,
    counters: Arc<GuessedCounters>,
    credit: &'static str,
}

/// Operators that all guesses together may evaluate in the target: a millisecond or so.
const OPERATORS_MAX: u64 = 1 << 18;

impl Guessed {
    /// Wraps a solver, to be asked after `guesses_max` guesses.
    pub(crate) fn new(
        inner: Box<dyn Solver>,
        seed: Seed,
        guesses_max: u64,
        counters: Arc<GuessedCounters>,
    ) -> Guessed {
        // The label names the stream of random numbers: another one would give other guesses.
        let (seed, credit) = (seed.derive("decorate/burst"), inner.name());
        Guessed { inner, seed, guesses_max, evaluator: LazyEvaluator::new(), counters, credit }
    }

    fn guess(
        &mut self,
        query: &Query<'_>,
        target: Literal,
        budget: &mut Budget,
    ) -> Result<Option<Valuation>, Why> {
        let alone = [target];
        let mut compiled = CompiledQuery::new(&Query { literals: &alone, ..*query });
        let variables: Vec<(VarId, Sort)> = compiled.variables().to_vec();
        if variables.is_empty() {
            return Ok(None);
        }
        let (operands, n_operators) = self.operands(query, target);
        let mut state = compiled.state(query.hint);
        let mut rng = query.seed(self.seed).rng();
        for _ in 0..self.guesses_max.min(OPERATORS_MAX / n_operators.max(1)) {
            budget.charge(1)?;
            count(&self.counters.guesses, 1);
            let mut changed = Vec::new();
            for _ in 0..if rng.one_in(4) { 2 } else { 1 } {
                let i = rng.below(variables.len() as u64) as usize;
                changed.push((i, state.get(i)));
                state.set(i, draw(&mut rng, variables[i].1, &operands));
            }
            if compiled.holds(&mut state) {
                let mut whole = query.hint.clone();
                whole.extend(compiled.model(&state).iter());
                if self.evaluator.under(query.terms, &whole).all_hold(query.prefix()) {
                    return Ok(Some(whole));
                }
            }
            // Undone backwards: a variable may have been changed twice.
            for (i, bits) in changed.into_iter().rev() {
                state.set(i, bits);
            }
        }
        Ok(None)
    }

    /// The constants of the target and the values that it compares under the hint; and how large it is.
    fn operands(&mut self, query: &Query<'_>, target: Literal) -> (Vec<Value>, u64) {
        let below = reachable(query.terms, &[target.term]);
        let mut evaluation = self.evaluator.under(query.terms, query.hint);
        let mut operands = Vec::new();
        for &term in &below {
            operands.extend(query.terms.as_const(term));
            if query.terms.sort(term) == Sort::Bool {
                let children = query.terms.node(term).children().iter();
                let values = children.map(|&child| evaluation.value(child));
                operands.extend(values.filter(|value| value.sort() != Sort::Bool));
            }
        }
        operands.sort_unstable_by_key(|value| (value.sort(), value.bits()));
        operands.dedup();
        (operands, below.len() as u64)
    }
}

impl Solver for Guessed {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        count(&self.counters.queries, 1);
        if let Some(target) = query.target() {
            match self.guess(query, target, budget) {
                Ok(Some(model)) => {
                    count(&self.counters.hits, 1);
                    self.credit = "guesses";
                    return Verdict::Sat(model);
                }
                Ok(None) => {}
                Err(why) => return Verdict::Unknown(why),
            }
        }
        let verdict = self.inner.solve(query, budget);
        self.credit = self.inner.credit();
        verdict
    }
}
