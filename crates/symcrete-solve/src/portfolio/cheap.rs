//! What is tried before anything is started: each costs at most a few milliseconds.

use crate::attempt::{Attempt, caught};
use crate::crew::now;
use crate::enumerate::Enumerate;
use crate::inspect::{Inspect, InspectOptions};
use crate::interval::prune::BranchAndPrune;
use crate::interval::{Ranges, ranges};
use crate::inversion::Inversion;
use crate::lazy::LazyEvaluator;
use crate::linear::proof::{Linear, decide};
use crate::portfolio::features::{Features, Theory};
use crate::random::Random;
use crate::{Budget, Query, Solver, Verdict, Why};
use std::collections::BTreeSet;
use symcrete_term::{Seed, Terms, Valuation, Value, VarId, reachable};

/// Earlier models that are tried.
const MODELS_MAX: usize = 16;
/// Inputs of so many bits are all tried.
const BITS_MAX: u32 = 12;
/// Draws, moves and valuations.
const DRAWS: u64 = 2_000;
const MOVES: u64 = 400;
const VALUATIONS: u64 = 3_000;
const PRUNING: u64 = 64;
/// Terms that all tries of one kind may evaluate together; a move of inversion goes through them again and again.
const EVALUATIONS_MAX: u64 = 1 << 23;
const MOVED_MAX: u64 = 1 << 17;

/// The cheap tries. See the module.
pub(super) struct Cheap {
    models: Vec<Valuation>,
    evaluator: LazyEvaluator,
    random: Random,
    inversion: Inversion,
    prune: BranchAndPrune,
    inspect: Inspect,
    /// Tries that are not made.
    pub(super) left_out: BTreeSet<String>,
}

impl Cheap {
    /// The tries in their order.
    pub(super) const NAMES: [&'static str; 8] = [
        "earlier models",
        "intervals",
        "enumerate",
        "linear",
        "random",
        "inversion",
        "branch-and-prune",
        "inspect",
    ];

    pub(super) fn new(seed: Seed) -> Cheap {
        let options = InspectOptions { runs: 1, ..InspectOptions::published() };
        Cheap {
            models: Vec::new(),
            evaluator: LazyEvaluator::new(),
            random: Random::new(seed),
            inversion: Inversion::new(seed),
            prune: BranchAndPrune::new(),
            inspect: Inspect::new(seed, options),
            left_out: BTreeSet::new(),
        }
    }

    /// Remembers a model: it may fit a later query.
    pub(super) fn remember(&mut self, model: &Valuation) {
        self.models.retain(|known| known != model);
        self.models.insert(0, model.clone());
        self.models.truncate(MODELS_MAX);
    }

    /// The first answer, with all attempts noted. `None` if none of them answers.
    pub(super) fn solve(
        &mut self,
        query: &Query<'_>,
        features: Features,
        budget: &mut Budget,
        attempts: &mut Vec<Attempt>,
    ) -> Option<Verdict> {
        let n_terms = reachable(query.terms, &query.roots()).len() as u64;
        let most = EVALUATIONS_MAX / n_terms.max(1);
        type Try = fn(&mut Cheap, &Query<'_>, &mut Budget) -> Verdict;
        let bits = query.input_bits();
        let is_integral = matches!(features.theory, Theory::Linear | Theory::Integers);
        let tries: [(bool, u64, Try); 8] = [
            (true, MODELS_MAX as u64 + 1, Cheap::earlier_models),
            (true, 1, Cheap::intervals),
            (bits <= BITS_MAX, 1 << BITS_MAX, |_, query, budget| Enumerate.solve(query, budget)),
            (is_integral, 1, Cheap::linear),
            (true, DRAWS, |cheap, query, budget| cheap.random.solve(query, budget)),
            (true, MOVES.min((MOVED_MAX / n_terms.max(1)).max(1)), |cheap, query, budget| {
                cheap.inversion.solve(query, budget)
            }),
            (!is_integral, PRUNING, |cheap, query, budget| cheap.prune.solve(query, budget)),
            (features.theory == Theory::Integers, VALUATIONS, |cheap, query, budget| {
                cheap.inspect.solve(query, budget)
            }),
        ];
        for (name, (suits, steps, attempt)) in Cheap::NAMES.into_iter().zip(tries) {
            if !suits || self.left_out.contains(name) || budget.cancel().check().is_err() {
                continue;
            }
            let steps = steps.min(most.max(1));
            let begin = now();
            let mut share = budget.fork(budget.cancel().clone()).at_most(steps);
            let verdict = caught(name, || attempt(self, query, &mut share)).unwrap_or_else(|why| {
                self.left_out.insert(name.to_owned());
                Verdict::Unknown(why)
            });
            let used = share.steps_used().min(steps);
            attempts.push(Attempt::new(name, &verdict, begin.elapsed(), used));
            let charged = budget.charge(used);
            if verdict.is_decided() || charged.is_err() {
                return Some(verdict);
            }
        }
        None
    }

    fn earlier_models(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let models = self.models.iter().filter(|model| is_over(query.terms, model));
        for model in std::iter::once(query.hint).chain(models) {
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            if self.evaluator.under(query.terms, model).all_hold(query.literals) {
                return Verdict::Sat(model.clone());
            }
        }
        Verdict::Unknown(Why::GaveUp)
    }

    fn intervals(&mut self, query: &Query<'_>, _: &mut Budget) -> Verdict {
        match ranges(query) {
            Ranges::Empty => Verdict::Unsat,
            Ranges::Within(space) => {
                let mut holds = |point: &Valuation| {
                    self.evaluator.under(query.terms, point).all_hold(query.literals)
                };
                let found = space.points(query.hint).find(|point| holds(point));
                found.map_or(Verdict::Unknown(Why::GaveUp), Verdict::Sat)
            }
        }
    }

    fn linear(&mut self, query: &Query<'_>, _: &mut Budget) -> Verdict {
        match decide(query) {
            Linear::Contradiction => Verdict::Unsat,
            Linear::Point(point) if query.accepts(&point) => Verdict::Sat(point),
            Linear::Point(_) | Linear::Open => Verdict::Unknown(Why::GaveUp),
        }
    }
}

/// Whether a model is one of an arena: that of another may have other sorts. That its variables mean something else is no
/// harm, for it is evaluated.
fn is_over(terms: &Terms, model: &Valuation) -> bool {
    let has = |(var, value): (VarId, Value)| {
        var.index() < terms.n_vars() && terms.var_sort(var) == value.sort()
    };
    model.iter().all(has)
}
