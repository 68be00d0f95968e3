//! InSPeCT (Chen et al. 2019: iterated local search for path conditions), for one condition or for a batch.
//!
//! *Randomization*: valuations from ranges that grow, each tried on every condition that is still
//! unsolved; a condition's tabu list keeps it from being tried on the same valuation twice.
//! *Improvement*: for each condition left, from a start within -1 and 1: strategy 1 raises the variables,
//! the most frequent first, each by itself and then all together, by 1 and then by 100; strategy 2
//! lowers them. (Each variable starts from the same point: the paper calls the changes independent.)
//!
//! Deviations: the stopping criterion is a number of valuations, not minutes. The paper's 88.5 % are
//! what five runs solve together, so [`InspectOptions::published`] does five. The hint is tried first: a driver's
//! input. A start that is tabu is drawn again, as published, but at most `REDRAWS_MAX` times: of one or two
//! variables all starts may be tabu. A float is drawn from
//! the same range as an integer would be. A step is one condition evaluated on one valuation.

use crate::error::Metric;
use crate::jit::JitCache;
use crate::search::Objective;
use crate::search::domain::{from_number, shifted};
use crate::{Budget, Query, Solver, Verdict, Why};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_term::{
    Literal, Node, Rng, Seed, Sort, TermId, Terms, Valuation, Value, VarId, reachable,
};

/// How often a start that is tabu is drawn again.
const REDRAWS_MAX: u32 = 100;

/// How many conditions each part of the method solved: the columns of table III.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PhaseCounts {
    /// By the hint, which the paper does not have.
    pub hint: u64,
    /// In the randomization phase.
    pub randomization: u64,
    /// By the start of the improvement phase.
    pub start: u64,
    /// By strategy 1, which raises.
    pub raising: u64,
    /// By strategy 2, which lowers.
    pub lowering: u64,
}

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub struct InspectOptions {
    /// Runs: both phases, over what is unsolved.
    pub runs: u32,
    /// Valuations drawn in a randomization phase.
    pub valuations: u64,
    /// Changes of a variable in a row.
    pub iterations: u32,
    /// The sizes of a change.
    pub amounts: [f64; 2],
}

impl InspectOptions {
    /// The paper's thresholds.
    pub fn published() -> InspectOptions {
        InspectOptions { runs: 5, valuations: 1_000, iterations: 10, amounts: [1.0, 100.0] }
    }
}

/// The solver.
pub struct Inspect {
    seed: Seed,
    options: InspectOptions,
    cache: JitCache,
    phases: PhaseCounts,
}

impl Inspect {
    /// A solver; the same seed and conditions give the same verdicts.
    pub fn new(seed: Seed, options: InspectOptions) -> Inspect {
        let (seed, cache) = (seed.derive("solver/inspect"), JitCache::new());
        Inspect { seed, options, cache, phases: PhaseCounts::default() }
    }

    /// How many conditions each part of the method solved in the last batch.
    pub fn phases(&self) -> PhaseCounts {
        self.phases
    }

    /// Solves many conditions over one arena together: a driver's open flips. Verdicts are in the order
    /// of the conditions; none is `Unsat`. The hint is tried first on all.
    pub fn solve_all(
        &mut self,
        terms: &Terms,
        conditions: &[&[Literal]],
        hint: &Valuation,
        budget: &mut Budget,
    ) -> Vec<Verdict> {
        let open = conditions.iter().map(|literals| {
            let query = Query { terms, literals, hint };
            Condition::new(&query, &self.cache)
        });
        let seed = conditions
            .iter()
            .fold(self.seed, |seed, literals| Query { terms, literals, hint }.seed(seed));
        let mut batch = Batch {
            conditions: open.collect(),
            rng: seed.rng(),
            options: self.options,
            phases: PhaseCounts::default(),
        };
        let why = batch.run(hint, budget).err().unwrap_or(Why::GaveUp);
        self.phases = batch.phases;
        let verdict = |condition: Condition<'_>| match condition.model {
            Some(model) => Verdict::Sat(model),
            None => Verdict::Unknown(why.clone()),
        };
        batch.conditions.into_iter().map(verdict).collect()
    }
}

impl Solver for Inspect {
    fn name(&self) -> &'static str {
        "inspect"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let mut verdicts = self.solve_all(query.terms, &[query.literals], query.hint, budget);
        verdicts.pop().expect("one condition has one verdict")
    }
}

struct Condition<'a> {
    objective: Objective<'a>,
    /// Positions of the variables, the most frequent first.
    by_frequency: Vec<usize>,
    tabu: BTreeSet<u64>,
    model: Option<Valuation>,
}

impl<'a> Condition<'a> {
    fn new(query: &Query<'a>, cache: &JitCache) -> Condition<'a> {
        let objective = Objective::new(query, Metric::Absolute, cache);
        let frequency = frequencies(query);
        let count = |&i: &usize| frequency.get(&objective.variables()[i].0).copied().unwrap_or(0);
        let mut by_frequency: Vec<usize> = (0..objective.variables().len()).collect();
        by_frequency.sort_by_key(|i| std::cmp::Reverse(count(i)));
        Condition { objective, by_frequency, tabu: BTreeSet::new(), model: None }
    }

    fn is_tabu(&self, point: &[u64]) -> bool {
        self.tabu.contains(&key(point))
    }

    /// Tries a point unless it is tabu. Says whether the condition is solved.
    fn attempt(&mut self, point: &[u64], budget: &mut Budget) -> Result<bool, Why> {
        if !self.tabu.insert(key(point)) {
            return Ok(false);
        }
        budget.charge(1)?;
        if self.objective.holds(point) {
            self.model = Some(self.objective.model(point));
        }
        Ok(self.model.is_some())
    }
}

/// A point as one number.
fn key(point: &[u64]) -> u64 {
    point.iter().fold(Seed(0), |seed, &bits| seed.derive_number(bits)).0
}

/// How often each variable appears in the condition as it is written: a term that is used twice counts twice.
fn frequencies(query: &Query<'_>) -> BTreeMap<VarId, u64> {
    let order = reachable(query.terms, &query.roots());
    let position = |term: TermId| order.binary_search(&term).expect("reachable");
    let mut uses = vec![0u64; order.len()];
    for literal in query.literals {
        uses[position(literal.term)] += 1;
    }
    let mut frequencies = BTreeMap::new();
    // Parents come after their children.
    for at in (0..order.len()).rev() {
        let node = query.terms.node(order[at]);
        if let Node::Var(var) = node {
            frequencies.insert(var, uses[at]);
        }
        for &child in node.children() {
            let child = position(child);
            uses[child] = uses[child].saturating_add(uses[at]);
        }
    }
    frequencies
}

struct Batch<'a> {
    conditions: Vec<Condition<'a>>,
    rng: Rng,
    options: InspectOptions,
    phases: PhaseCounts,
}

impl Batch<'_> {
    fn run(&mut self, hint: &Valuation, budget: &mut Budget) -> Result<(), Why> {
        for condition in &mut self.conditions {
            let point = condition.objective.point(hint);
            self.phases.hint += u64::from(condition.attempt(&point, budget)?);
        }
        for _ in 0..self.options.runs {
            self.randomize(budget)?;
            for i in self.unsolved() {
                self.improve(i, budget)?;
            }
        }
        Ok(())
    }

    /// The unsolved conditions in random order.
    fn unsolved(&mut self) -> Vec<usize> {
        let mut open: Vec<usize> =
            (0..self.conditions.len()).filter(|&i| self.conditions[i].model.is_none()).collect();
        for i in (1..open.len()).rev() {
            open.swap(i, self.rng.below(i as u64 + 1) as usize);
        }
        open
    }

    /// Algorithm 1.
    fn randomize(&mut self, budget: &mut Budget) -> Result<(), Why> {
        let variables: BTreeMap<VarId, Sort> =
            self.conditions.iter().flat_map(|c| c.objective.variables()).copied().collect();
        let n_variables = variables.len().max(1) as u64;
        let mut range = 0i64;
        for n_drawn in 0..self.options.valuations {
            let open = self.unsolved();
            if open.is_empty() {
                break;
            }
            range = range.saturating_add((n_drawn % n_variables) as i64 + 1);
            let valuation: Valuation = variables
                .iter()
                .map(|(&var, &sort)| {
                    (var, Value::from_bits(sort, within(&mut self.rng, sort, range)))
                })
                .collect();
            for i in open {
                let point = self.conditions[i].objective.point(&valuation);
                let solved = self.conditions[i].attempt(&point, budget)?;
                self.phases.randomization += u64::from(solved);
            }
        }
        Ok(())
    }

    /// Algorithm 2, for one condition.
    fn improve(&mut self, i: usize, budget: &mut Budget) -> Result<(), Why> {
        let sorts: Vec<Sort> =
            self.conditions[i].objective.variables().iter().map(|&(_, sort)| sort).collect();
        let rng = &mut self.rng;
        let mut drawn = || -> Vec<u64> { sorts.iter().map(|&sort| within(rng, sort, 1)).collect() };
        let condition = &mut self.conditions[i];
        let mut start = drawn();
        for _ in 0..REDRAWS_MAX {
            if !condition.is_tabu(&start) {
                break;
            }
            start = drawn();
        }
        if condition.attempt(&start, budget)? {
            self.phases.start += 1;
            return Ok(());
        }
        let [small, big] = self.options.amounts;
        for amount in [small, big, -small, -big] {
            let one_by_one: Vec<Vec<usize>> =
                condition.by_frequency.iter().map(|&variable| vec![variable]).collect();
            let together = [condition.by_frequency.clone()];
            for group in one_by_one.into_iter().chain(together) {
                let mut point = start.clone();
                for _ in 0..self.options.iterations {
                    for &variable in &group {
                        point[variable] = shifted(sorts[variable], point[variable], amount);
                    }
                    if condition.attempt(&point, budget)? {
                        let phases = &mut self.phases;
                        *if amount > 0.0 { &mut phases.raising } else { &mut phases.lowering } += 1;
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

/// A value between minus and plus a range.
fn within(rng: &mut Rng, sort: Sort, range: i64) -> u64 {
    match sort {
        Sort::Bool | Sort::Bv(_) => from_number(sort, rng.between(-range, range) as f64),
        Sort::F32 | Sort::F64 => from_number(sort, (rng.fraction() * 2.0 - 1.0) * range as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Op;

    #[test]
    fn a_batch_is_solved_together_and_one_by_one_alike() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
        let (ten, far) = (terms.bv(32, 10), terms.bv(32, 905));
        let product = terms.app(Op::BvMul, &[x, y]);
        let near = [Literal::holds(terms.app(Op::BvSlt, &[product, ten]))];
        let raised = [Literal::holds(terms.app(Op::BvSlt, &[far, x]))];
        let never = [Literal::holds(terms.app(Op::BvSlt, &[product, product])), raised[0]];
        let conditions: [&[Literal]; 3] = [&near, &raised, &never];
        let hint = Valuation::new();
        let solve = |steps| {
            let mut inspect = Inspect::new(Seed(3), InspectOptions::published());
            inspect.solve_all(&terms, &conditions, &hint, &mut Budget::of_steps(steps))
        };
        let verdicts = solve(100_000);
        for (verdict, literals) in verdicts.iter().zip(conditions) {
            if let Verdict::Sat(model) = verdict {
                assert!(terms.satisfies(literals, model));
            }
        }
        let words: Vec<&str> = verdicts.iter().map(Verdict::word).collect();
        assert_eq!(words, ["sat", "sat", "unknown"]);
        assert_eq!(verdicts[2], Verdict::Unknown(Why::GaveUp));
        assert_eq!(solve(100_000), verdicts, "same seed, same answers");
        assert_eq!(solve(1)[2], Verdict::Unknown(Why::OutOfSteps));
    }

    #[test]
    fn no_conditions_and_no_variables_are_fine() {
        let mut terms = Terms::new();
        let (yes, no) = (terms.bool(true), terms.bool(false));
        let (yes, no) = ([Literal::holds(yes)], [Literal::holds(no)]);
        let hint = Valuation::new();
        let mut inspect = Inspect::new(Seed(3), InspectOptions::published());
        let mut budget = Budget::of_steps(10_000);
        assert!(inspect.solve_all(&terms, &[], &hint, &mut budget).is_empty());
        let verdicts = inspect.solve_all(&terms, &[&yes, &no, &[]], &hint, &mut budget);
        let words: Vec<&str> = verdicts.iter().map(Verdict::word).collect();
        assert_eq!(words, ["sat", "unknown", "sat"]);
    }

    #[test]
    fn variables_are_counted_by_occurrence() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
        // x + y is one term and stands there four times; y stands there once more.
        let sum = terms.app(Op::BvAdd, &[x, y]);
        let square = terms.app(Op::BvMul, &[sum, sum]);
        let fourth = terms.app(Op::BvMul, &[square, square]);
        let literals = [Literal::holds(terms.app(Op::BvSlt, &[fourth, y]))];
        let query = Query { terms: &terms, literals: &literals, hint: &Valuation::new() };
        let counts = frequencies(&query);
        let [x, y] = ["x", "y"].map(|name| counts[&terms.find_var(name).unwrap()]);
        assert_eq!((x, y), (4, 5));
    }

    #[test]
    fn phases_add_up_to_what_is_solved() {
        let mut terms = Terms::new();
        let mut rng = Seed(9).rng();
        let profile = crate::generate::Profile::table_ii();
        let conditions: Vec<Vec<Literal>> = (0..60)
            .map(|_| crate::generate::generate(&mut terms, &mut rng, &profile).literals)
            .collect();
        let conditions: Vec<&[Literal]> = conditions.iter().map(Vec::as_slice).collect();
        let mut inspect = Inspect::new(Seed(1), InspectOptions::published());
        let mut budget = Budget::of_steps(u64::MAX);
        let verdicts = inspect.solve_all(&terms, &conditions, &Valuation::new(), &mut budget);
        let n_solved = verdicts.iter().filter(|verdict| verdict.is_decided()).count() as u64;
        let PhaseCounts { hint, randomization, start, raising, lowering } = inspect.phases();
        assert_eq!(hint + randomization + start + raising + lowering, n_solved);
        assert!(randomization > 0 && raising + lowering > 0);
    }
}
