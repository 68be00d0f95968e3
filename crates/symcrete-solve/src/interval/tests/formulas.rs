//! Random formulas: what satisfies them stays in every set, and what is refuted has no model.

use super::{corners, pick};
use crate::enumerate::Enumerate;
use crate::interval::contract::Network;
use crate::interval::{consistent, refutes, split};
use crate::{Budget, Query, Solver, Verdict};
use symcrete_term::op::{Indices, SortRule};
use symcrete_term::{
    Function, FunctionId, Literal, Op, Rng, Seed, Sort, Tape, TermId, Terms, Valuation, Value,
    VarId, reachable,
};

/// Terms grown at random from variables.
struct Garden {
    terms: Terms,
    pool: Vec<TermId>,
    functions: Vec<FunctionId>,
}

impl Garden {
    fn new(sorts: &[Sort]) -> Garden {
        let mut terms = Terms::new();
        let named = sorts.iter().enumerate();
        let pool = named.map(|(i, &sort)| terms.var(&format!("x{i}"), sort)).collect();
        Garden { terms, pool, functions: Vec::new() }
    }

    fn with_functions(mut self) -> Garden {
        let names: Vec<&str> = Function::math_library_names().collect();
        self.functions =
            names.iter().map(|name| self.terms.function_named(name).unwrap()).collect();
        self
    }

    fn plant_constants(&mut self, rng: &mut Rng, sorts: &[Sort], n: usize) {
        for _ in 0..n {
            let sort = pick(rng, sorts);
            let value = pick(rng, &corners(sort));
            let constant = self.terms.constant(value);
            self.pool.push(constant);
        }
    }

    /// Adds a random application, if a few tries find one that is well sorted.
    fn grow(&mut self, rng: &mut Rng, ops: &[Op]) {
        for _ in 0..20 {
            let op = pick(rng, ops);
            let indices = random_indices(rng, op);
            let args: Vec<TermId> = (0..op.info().arity).map(|_| pick(rng, &self.pool)).collect();
            let sorts: Vec<Sort> = args.iter().map(|&arg| self.terms.sort(arg)).collect();
            if op.result_sort(indices, &sorts).is_some() {
                let term = if rng.below(2) == 0 {
                    self.terms.app_indexed(op, indices, &args)
                } else {
                    self.terms.app_unsimplified(op, indices, &args)
                };
                self.pool.push(term);
                return;
            }
        }
    }

    fn grow_call(&mut self, rng: &mut Rng) {
        for _ in 0..20 {
            let function = pick(rng, &self.functions);
            let params = self.terms.function(function).signature().params.clone();
            let args: Vec<TermId> = params.iter().map(|_| pick(rng, &self.pool)).collect();
            if params.iter().zip(&args).all(|(&sort, &arg)| self.terms.sort(arg) == sort) {
                let term = self.terms.call(function, &args);
                self.pool.push(term);
                return;
            }
        }
    }

    fn grow_lookup(&mut self, rng: &mut Rng) {
        let index = pick(rng, &self.pool);
        if self.terms.sort(index).width().is_some() {
            let sort = pick(rng, &[Sort::Bv(4), Sort::F64]);
            let values: Vec<Value> = (0..5).map(|_| pick(rng, &corners(sort))).collect();
            let table = self.terms.table(&values);
            let term = self.terms.lookup(table, index);
            self.pool.push(term);
        }
    }

    /// Some of the boolean terms, the newest among them.
    fn truths(&self, rng: &mut Rng, n: usize) -> Vec<TermId> {
        let is_bool = |term: &&TermId| self.terms.sort(**term) == Sort::Bool;
        let all: Vec<TermId> = self.pool.iter().filter(is_bool).copied().collect();
        (0..n).filter(|_| !all.is_empty()).map(|_| pick(rng, &all)).collect()
    }
}

fn random_indices(rng: &mut Rng, op: Op) -> Indices {
    let mode = rng.below(5) as u8;
    let float = pick(rng, &[32, 64]);
    match op.info().sort_rule {
        SortRule::Extract => {
            let low = rng.below(4) as u8;
            [low + rng.below(4) as u8, low]
        }
        SortRule::Extend => [rng.below(5) as u8, 0],
        SortRule::FpRounded => [if rng.below(2) == 0 { 0 } else { mode }, 0],
        SortRule::FpOfFp | SortRule::FpOfBv => [mode, float],
        SortRule::BvOfFp => [mode, pick(rng, &[4, 8, 32, 64])],
        SortRule::Bool
        | SortRule::Equal
        | SortRule::Ite
        | SortRule::Bv
        | SortRule::BvTest
        | SortRule::Concat
        | SortRule::Fp
        | SortRule::FpTest
        | SortRule::FpOfBits
        | SortRule::FpBits => [0, 0],
    }
}

/// Contracts the sets of a query and gives them, or `None` if it is refuted.
fn contracted<'a>(query: &Query<'a>, order: &[TermId]) -> Option<Network<'a>> {
    let mut network = Network::new(query.terms, order, 1_000_000);
    network.demand(query, order).ok()?;
    consistent(&mut network).ok()?;
    split(&mut network).ok()?;
    Some(network)
}

/// Asserts that a model's values are in all sets.
fn keeps(network: &Network<'_>, bits: &dyn Fn(usize) -> u64, what: &dyn Fn() -> String) {
    for (i, &domain) in network.domains.iter().enumerate() {
        let value = Value::from_bits(domain.sort, bits(i));
        assert!(domain.contains(value), "{i}: {value:?} is not in {domain:?}\n{}", what());
    }
}

fn describe(terms: &Terms, order: &[TermId], literals: &[Literal]) -> String {
    let lines: Vec<String> =
        order.iter().map(|&term| format!("{term:?} {:?}", terms.node(term))).collect();
    format!("{}\n{literals:?}", lines.join("\n"))
}

const ALL_SORTS: &[Sort] = &[
    Sort::Bool,
    Sort::Bv(4),
    Sort::Bv(4),
    Sort::Bv(8),
    Sort::Bv(32),
    Sort::Bv(64),
    Sort::F32,
    Sort::F64,
    Sort::F64,
];

/// Large formulas with a model by construction: none is refuted, no set loses the model's value.
#[test]
fn contraction_keeps_a_planted_model() {
    for seed in 0..3_000u64 {
        let mut rng = Seed(3).derive_number(seed).rng();
        let mut garden = Garden::new(ALL_SORTS).with_functions();
        garden.plant_constants(&mut rng, ALL_SORTS, 12);
        for _ in 0..60 {
            match rng.below(8) {
                0 => garden.grow_call(&mut rng),
                1 => garden.grow_lookup(&mut rng),
                _ => garden.grow(&mut rng, Op::ALL),
            }
        }
        let model: Valuation = (0..ALL_SORTS.len())
            .map(|i| (VarId::from_index(i), pick(&mut rng, &corners(ALL_SORTS[i]))))
            .collect();
        let roots = garden.truths(&mut rng, 8);
        let terms = &garden.terms;
        let literals: Vec<Literal> = roots
            .iter()
            .map(|&term| Literal {
                term,
                expected: terms.evaluate(term, &model) == Value::Bool(true),
            })
            .collect();
        let query = Query { terms, literals: &literals, hint: &model };
        let order = reachable(terms, &query.roots());
        let what = || describe(terms, &order, &literals);
        let network = contracted(&query, &order);
        let network = network.unwrap_or_else(|| panic!("seed {seed} is refuted\n{}", what()));
        let tape = Tape::compile(terms, &order);
        let mut state = tape.state();
        tape.load(&mut state, &model);
        tape.run(&mut state);
        keeps(&network, &|i| tape.root(&state, i), &what);
    }
}

/// What orders are made of: among all operators, two that contradict each other are rare.
const COMPARISONS: &[Op] = &[
    Op::Eq,
    Op::Not,
    Op::BvUlt,
    Op::BvUle,
    Op::BvSlt,
    Op::BvSle,
    Op::FpLt,
    Op::FpLe,
    Op::FpEq,
    Op::FpIsNan,
];

/// Small formulas, all valuations: every model stays in every set; a refuted formula has none.
#[test]
fn contraction_keeps_every_model_of_small_formulas() {
    let [mut n_unsat, mut n_refuted] = [0, 0];
    for seed in 0..600u64 {
        let mut rng = Seed(4).derive_number(seed).rng();
        let sorts: &[Sort] = match seed % 3 {
            0 => &[Sort::Bv(4), Sort::Bv(4), Sort::Bool],
            1 => &[Sort::F32, Sort::F32],
            _ => &[Sort::F64, Sort::Bv(4)],
        };
        let mut garden = Garden::new(sorts);
        garden.plant_constants(&mut rng, sorts, 4);
        for _ in 0..14 {
            garden.grow(&mut rng, if seed % 2 == 0 { Op::ALL } else { COMPARISONS });
        }
        let roots = garden.truths(&mut rng, 4);
        let terms = &garden.terms;
        let literals: Vec<Literal> =
            roots.iter().map(|&term| Literal { term, expected: rng.below(2) == 0 }).collect();
        let query = Query { terms, literals: &literals, hint: &Valuation::new() };
        let order = reachable(terms, &query.roots());
        let network = contracted(&query, &order);
        let what = || format!("seed {seed}\n{}", describe(terms, &order, &literals));
        let tape = Tape::compile(terms, &order);
        let mut state = tape.state();
        let mut is_sat = false;
        for valuation in valuations(sorts) {
            tape.load(&mut state, &valuation);
            tape.run(&mut state);
            let holds = |literal: &Literal| {
                let i = order.binary_search(&literal.term).unwrap();
                (tape.root(&state, i) == 1) == literal.expected
            };
            if !literals.iter().all(holds) {
                continue;
            }
            is_sat = true;
            let Some(network) = &network else { panic!("{valuation:?} is a model\n{}", what()) };
            keeps(network, &|i| tape.root(&state, i), &what);
        }
        n_unsat += usize::from(!is_sat);
        n_refuted += usize::from(network.is_none());
    }
    assert!(n_refuted * 3 > n_unsat, "only {n_refuted} of {n_unsat} are refuted");
}

/// All combinations of the corners.
fn valuations(sorts: &[Sort]) -> Vec<Valuation> {
    let mut all = vec![Valuation::new()];
    for (i, &sort) in sorts.iter().enumerate() {
        let longer = |valuation: &Valuation| {
            let with = |value: Value| {
                let mut longer = valuation.clone();
                longer.set(VarId::from_index(i), value);
                longer
            };
            corners(sort).into_iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[test]
fn enumeration_agrees_with_every_refutation() {
    let sorts = [Sort::Bv(4), Sort::Bv(4), Sort::Bool];
    for seed in 0..3_000u64 {
        let mut rng = Seed(5).derive_number(seed).rng();
        let mut garden = Garden::new(&sorts);
        garden.plant_constants(&mut rng, &sorts, 3);
        for _ in 0..12 {
            garden.grow(&mut rng, Op::ALL);
        }
        let roots = garden.truths(&mut rng, 3);
        let expected = |term| Literal { term, expected: rng.below(2) == 0 };
        let literals: Vec<Literal> = roots.into_iter().map(expected).collect();
        let query = Query { terms: &garden.terms, literals: &literals, hint: &Valuation::new() };
        if refutes(&query) {
            let verdict = Enumerate.solve(&query, &mut Budget::of_steps(1 << 10));
            assert_eq!(verdict, Verdict::Unsat, "seed {seed}");
        }
    }
}
