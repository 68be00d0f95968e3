//! The search solvers on what they must all cope with: disjunctions, choices, and bad input.

use symcrete_solve::concolic_walk::ConcolicWalk;
use symcrete_solve::decorate::Checked;
use symcrete_solve::enumerate::Enumerate;
use symcrete_solve::genetic::{Genetic, GeneticOptions};
use symcrete_solve::hybrid::{Bvf, Dcf, Hybrid, Policy, Searcher, Ucf};
use symcrete_solve::inspect::{Inspect, InspectOptions};
use symcrete_solve::particle_swarm::{ParticleSwarm, SwarmOptions};
use symcrete_solve::random::Random;
use symcrete_solve::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{
    Function, Literal, Op, Rounding, Seed, Signature, Sort, TermId, Terms, Valuation, Value,
};

fn searches() -> Vec<Box<dyn Solver>> {
    let seed = Seed(5);
    vec![
        Box::new(Checked::new(ConcolicWalk::improved(seed))),
        Box::new(Checked::new(ConcolicWalk::published(seed))),
        Box::new(Checked::new(ConcolicWalk::text(seed))),
        Box::new(Checked::new(Random::new(seed))),
        Box::new(Checked::new(Genetic::new("genetic", seed, GeneticOptions::improved()))),
        Box::new(Checked::new(ParticleSwarm::new("swarm", seed, SwarmOptions::improved()))),
        Box::new(Checked::new(Inspect::new(seed, InspectOptions::published()))),
    ]
}

fn hybrids() -> Vec<Box<dyn Solver>> {
    let seed = Seed(5);
    let mut solvers: Vec<Box<dyn Solver>> = Vec::new();
    for policy in [Policy::Linear, Policy::Supported] {
        let hybrid = Hybrid::improved(policy);
        let symbolic = || Box::new(Enumerate);
        for searcher in Searcher::ALL {
            let dcf = Dcf::new("dcf", symbolic(), searcher, hybrid, seed);
            let ucf = Ucf::new("ucf", symbolic(), searcher, hybrid, seed);
            solvers.push(Box::new(Checked::new(dcf)));
            solvers.push(Box::new(Checked::new(ucf)));
        }
        solvers.push(Box::new(Checked::new(Bvf::new("bvf", symbolic(), hybrid, seed))));
    }
    solvers
}

fn everybody() -> Vec<Box<dyn Solver>> {
    searches().into_iter().chain(hybrids()).collect()
}

/// Solves, twice, and checks that the budget was kept, the answer repeated and no wrong one given.
fn ask(solver: &mut dyn Solver, terms: &Terms, literals: &[Literal], steps: u64) -> Verdict {
    let hint = Valuation::new();
    let query = Query { terms, literals, hint: &hint };
    let mut budget = Budget::of_steps(steps);
    let verdict = solver.solve(&query, &mut budget);
    // Each part of a hybrid may see the end of the budget once.
    assert!(budget.steps_used() <= steps.saturating_add(200), "{} overspends", solver.name());
    let again = solver.solve(&query, &mut Budget::of_steps(steps));
    assert_eq!(verdict, again, "{} is not reproducible", solver.name());
    assert!(!matches!(verdict, Verdict::Unknown(Why::Fault(_))), "{}: {verdict:?}", solver.name());
    verdict
}

#[test]
fn disjunctions_and_choices_are_searched() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
    let mut number = |n: i64| terms.bv(32, n as u64);
    let (three, forty, hundred, zero) = (number(3), number(40), number(100), number(0));
    // (x = 3 or x > 40) and (x > 40 ? y : -y) = 40 + 3 and not (y = x)
    let (is_three, is_large) = (terms.eq(x, three), terms.app(Op::BvSlt, &[forty, x]));
    let either = terms.app(Op::Or, &[is_three, is_large]);
    let negated = terms.app(Op::BvSub, &[zero, y]);
    let choice = terms.ite(is_large, y, negated);
    let target = terms.app(Op::BvAdd, &[forty, three]);
    let chosen = terms.eq(choice, target);
    let same = terms.eq(x, y);
    let bounded = terms.app(Op::BvSlt, &[x, hundred]);
    let literals = [
        Literal::holds(either),
        Literal::holds(chosen),
        Literal::holds(same).negated(),
        Literal::holds(bounded),
    ];
    for mut solver in searches() {
        let verdict = ask(solver.as_mut(), &terms, &literals, 300_000);
        assert_eq!(verdict.word(), "sat", "{}", solver.name());
    }
}

#[test]
fn contradictory_domains_end() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(8));
    let (three, five) = (terms.bv(8, 3), terms.bv(8, 5));
    let below = Literal::holds(terms.app(Op::BvSlt, &[x, three]));
    let above = Literal::holds(terms.app(Op::BvSlt, &[five, x]));
    for mut solver in everybody() {
        let verdict = ask(solver.as_mut(), &terms, &[below, above], 2_000);
        assert_ne!(verdict.word(), "sat");
        let proves = solver.name().starts_with("concolic-walk");
        assert!(!proves || verdict == Verdict::Unsat, "{}: {verdict:?}", solver.name());
    }
}

#[test]
fn no_variables_and_no_literals() {
    let mut terms = Terms::new();
    let (yes, no) = (terms.bool(true), terms.bool(false));
    for mut solver in everybody() {
        assert_eq!(ask(solver.as_mut(), &terms, &[], 1_000).word(), "sat", "{}", solver.name());
        let holds = ask(solver.as_mut(), &terms, &[Literal::holds(yes)], 1_000);
        assert_eq!(holds.word(), "sat", "{}", solver.name());
        let fails = ask(solver.as_mut(), &terms, &[Literal::holds(no)], 1_000);
        assert_ne!(fails.word(), "sat", "{}", solver.name());
    }
}

#[test]
fn conditions_that_only_a_nan_meets_or_only_sees() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::F64);
    let nan = terms.constant(Value::f64(f64::NAN));
    let is_self = terms.app(Op::FpEq, &[x, x]);
    let below_nan = terms.app(Op::FpLt, &[x, nan]);
    let difference = terms.rounded(Op::FpSub, Rounding::NearestEven, &[x, nan]);
    let hopeless = terms.app(Op::FpEq, &[difference, x]);
    let only_nan = Literal { term: is_self, expected: false };
    for mut solver in searches() {
        let name = solver.name();
        let found = ask(solver.as_mut(), &terms, &[only_nan], 20_000);
        assert_ne!(found, Verdict::Unsat, "{name}");
        for never in [below_nan, hopeless] {
            let verdict = ask(solver.as_mut(), &terms, &[Literal::holds(never)], 2_000);
            assert_ne!(verdict.word(), "sat", "{name}");
        }
    }
}

#[test]
fn opaque_functions_may_fail() {
    let mut terms = Terms::new();
    let eight = Sort::Bv(8);
    let x = terms.var("x", eight);
    let signature = Signature { params: vec![eight], result: eight };
    let wild = terms.register(Function::new("wild", signature, |args| match args[0].bits() {
        0..=99 => None,
        100..=199 => panic!("a trap"),
        200 => Some(Value::f64(1.0)),
        n => Some(Value::bv(8, n)),
    }));
    let call = terms.call(wild, &[x]);
    let (zero, target) = (terms.bv(8, 0), terms.bv(8, 222));
    let (silent, speaks) = (terms.eq(call, zero), terms.eq(call, target));
    // A closure's panic is caught, but its message would fill the test's output.
    std::panic::set_hook(Box::new(|_| {}));
    for mut solver in everybody() {
        for wanted in [silent, speaks] {
            let verdict = ask(solver.as_mut(), &terms, &[Literal::holds(wanted)], 5_000);
            assert_ne!(verdict, Verdict::Unsat, "{}", solver.name());
        }
        let verdict = ask(solver.as_mut(), &terms, &[Literal::holds(silent)], 5_000);
        assert_eq!(verdict.word(), "sat", "{}", solver.name());
    }
    let _ = std::panic::take_hook();
}

/// `xᵢ·xᵢ₊₁ ≥ i` and `s < sᵢ`, where every `sᵢ` contains all before it.
fn large(n_constraints: usize, n_variables: usize) -> (Terms, Vec<Literal>) {
    let mut terms = Terms::new();
    let vars: Vec<TermId> =
        (0..n_variables).map(|i| terms.var(&format!("x{i}"), Sort::Bv(32))).collect();
    let mut literals = Vec::new();
    let mut sum = vars[0];
    for i in 0..n_constraints {
        let (a, b) = (vars[i % n_variables], vars[(i * 7 + 1) % n_variables]);
        let product = terms.app(Op::BvMul, &[a, b]);
        let bound = terms.bv(32, i as u64);
        if i % 2 == 0 {
            literals.push(Literal::holds(terms.app(Op::BvSle, &[bound, product])));
        } else {
            sum = terms.app(Op::BvXor, &[sum, product]);
            literals.push(Literal::holds(terms.eq(sum, bound)).negated());
        }
    }
    (terms, literals)
}

#[test]
fn ten_thousand_constraints_and_a_thousand_variables_keep_the_budget() {
    let (terms, literals) = large(10_000, 1_000);
    for mut solver in searches() {
        let verdict = ask(solver.as_mut(), &terms, &literals, 50);
        assert_ne!(verdict, Verdict::Unsat, "{}", solver.name());
    }
}

#[test]
fn a_thousand_variables_are_walked() {
    let (terms, literals) = large(1_000, 1_000);
    let verdict = ask(&mut ConcolicWalk::improved(Seed(1)), &terms, &literals[..200], 200_000);
    assert_ne!(verdict, Verdict::Unsat);
}

/// Sums of ten variables each, between bounds that the point `xᵢ = i` meets.
fn linear(n_rows: usize, n_variables: usize) -> (Terms, Vec<Literal>) {
    let mut terms = Terms::new();
    let vars: Vec<TermId> =
        (0..n_variables).map(|i| terms.var(&format!("x{i}"), Sort::Bv(32))).collect();
    let mut rng = Seed(9).rng();
    let mut literals = Vec::new();
    for _ in 0..n_rows {
        let (mut sum, mut value) = (terms.bv(32, 0), 0i64);
        for _ in 0..10 {
            let (i, factor) = (rng.below(n_variables as u64) as usize, rng.between(-9, 9));
            let factor_term = terms.bv(32, factor as u64);
            let product = terms.app(Op::BvMul, &[vars[i], factor_term]);
            sum = terms.app(Op::BvAdd, &[sum, product]);
            value += i as i64 * factor;
        }
        let bound = terms.bv(32, (value + rng.between(0, 3)) as u64);
        literals.push(Literal::holds(terms.app(Op::BvSle, &[sum, bound])));
    }
    (terms, literals)
}

#[test]
fn large_linear_systems_end() {
    for (n_rows, n_variables) in [(100, 30), (590, 300), (5_000, 500)] {
        let (terms, literals) = linear(n_rows, n_variables);
        let verdict = ask(&mut ConcolicWalk::improved(Seed(1)), &terms, &literals, 1_000);
        assert_ne!(verdict, Verdict::Unsat);
    }
}

#[test]
fn a_cancelled_search_stops() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::F64);
    let sin = terms.function_named("sin").unwrap();
    let call = terms.call(sin, &[x]);
    let two = terms.constant(Value::f64(2.0));
    let never = [Literal::holds(terms.app(Op::FpLt, &[two, call]))];
    let hint = Valuation::new();
    let query = Query { terms: &terms, literals: &never, hint: &hint };
    for mut solver in searches() {
        let mut budget = Budget::of_steps(u64::MAX);
        budget.cancel().interrupt();
        let verdict = solver.solve(&query, &mut budget);
        assert_eq!(verdict, Verdict::Unknown(Why::Interrupted), "{}", solver.name());
    }
}
