//! The portfolio without SMT solvers: what it can prove and find by itself, and that it repeats itself.

use super::*;
use crate::smt::Toolbox;
use symcrete_term::{Literal, Op, Seed, Sort, TermId, Terms, Valuation, Value};

fn portfolio(mode: Mode, experience: Option<&Experience>) -> Portfolio {
    let toolbox = Toolbox::new([]);
    Portfolio::new("auto", &Setup { toolbox: &toolbox, seed: Seed(1), experience }, mode)
}

fn float_equation(terms: &mut Terms, name: &str, k: f64) -> Literal {
    let x = terms.var(name, Sort::F64);
    let sine = terms.function_named("sin").unwrap();
    let call = terms.call(sine, &[x]);
    let k = terms.constant(Value::f64(k));
    let product = terms.rounded(Op::FpMul, symcrete_term::Rounding::NearestEven, &[call, x]);
    Literal::holds(terms.app(Op::FpLt, &[k, product]))
}

#[test]
fn cheap_tries_answer_what_is_easy() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
    let (sum, three, two) = (terms.app(Op::BvAdd, &[x, y]), terms.bv(32, 3), terms.bv(32, 2));
    let mut holds = |op, a: TermId, b: TermId| Literal::holds(terms.app(op, &[a, b]));
    let contradiction = [holds(Op::BvSlt, three, sum), holds(Op::BvSlt, sum, two)];
    let possible = [holds(Op::BvSlt, three, sum), holds(Op::BvSlt, x, two)];
    let hint = Valuation::new();
    for mode in [Mode::Race, Mode::Rounds] {
        let mut solver = portfolio(mode, None);
        let mut ask = |literals: &[Literal]| {
            let query = Query { terms: &terms, literals, hint: &hint };
            let verdict = solver.solve(&query, &mut Budget::of_steps(1 << 20));
            assert!(!solver.attempts().is_empty(), "all that was tried is told");
            verdict.word()
        };
        assert_eq!(ask(&contradiction), "unsat");
        assert_eq!(ask(&possible), "sat");
        assert_eq!(ask(&possible), "sat");
        assert_eq!(solver.credit(), "earlier models");
    }
}

#[test]
fn models_of_another_arena_do_no_harm() {
    let mut solver = portfolio(Mode::Rounds, None);
    let hint = Valuation::new();
    for sort in [Sort::Bv(32), Sort::F64, Sort::Bool, Sort::Bv(8)] {
        let mut terms = Terms::new();
        let x = terms.var("x", sort);
        let zero = terms.constant(Value::zero(sort));
        let literals = [Literal::holds(terms.eq(x, zero)).negated()];
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        assert_eq!(solver.solve(&query, &mut Budget::of_steps(1 << 16)).word(), "sat", "{sort}");
    }
}

#[test]
fn rounds_repeat_themselves() {
    let mut terms = Terms::new();
    let literals = [float_equation(&mut terms, "x", 1e5), float_equation(&mut terms, "y", 2e7)];
    let hint = Valuation::new();
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    let answer = || {
        let mut solver = portfolio(Mode::Rounds, None);
        let mut budget = Budget::of_steps(1 << 20);
        let verdict = solver.solve(&query, &mut budget);
        (verdict, solver.credit(), budget.steps_used())
    };
    let first = answer();
    assert!(matches!(&first.0, Verdict::Sat(model) if query.accepts(model)), "{first:?}");
    assert_eq!(first, answer());
}

#[test]
fn what_was_learnt_comes_first() {
    let experience = Experience::new();
    let solver = portfolio(Mode::Race, Some(&experience));
    let features = Features { theory: Theory::Calls, magnitude: 1, is_wide: true };
    let name = |solver: &Portfolio, i: usize| solver.members[solver.order(features, 64)[i]].name;
    assert_eq!(name(&solver, 0), "concolic-walk");
    for _ in 0..10 {
        experience.note(features, "particle-swarm");
    }
    assert_eq!(name(&solver, 0), "particle-swarm");
    let other = Features { theory: Theory::Calls, magnitude: 3, ..features };
    assert_eq!(solver.members[solver.order(other, 64)[0]].name, "concolic-walk", "another class");
}

#[test]
fn a_budget_of_nothing_and_a_set_flag_end_it() {
    let mut terms = Terms::new();
    let literals = [float_equation(&mut terms, "x", 1e300)];
    let hint = Valuation::new();
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    for mode in [Mode::Race, Mode::Rounds] {
        let mut solver = portfolio(mode, None);
        assert_eq!(solver.solve(&query, &mut Budget::of_steps(0)).word(), "unknown");
        let budget = Budget::of_steps(u64::MAX);
        budget.cancel().interrupt();
        assert_eq!(solver.solve(&query, &mut budget.clone()).word(), "unknown");
    }
}

/// Squares are not two modulo four. Neither ranges nor linear arithmetic see that, and without SMT solvers nobody else proves it.
#[test]
fn few_bits_of_input_are_enumerated() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(16));
    let square = terms.app(Op::BvMul, &[x, x]);
    let (two, three) = (terms.bv(16, 2), terms.bv(16, 3));
    let rest = terms.app(Op::BvAnd, &[square, three]);
    let literals = [Literal::holds(terms.eq(rest, two))];
    let hint = Valuation::new();
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    for mode in [Mode::Race, Mode::Rounds] {
        let mut solver = portfolio(mode, None);
        assert_eq!(solver.solve(&query, &mut Budget::of_steps(1 << 22)), Verdict::Unsat);
        assert_eq!(solver.credit(), "enumerate");
    }
    let order = portfolio(Mode::Race, None).order(Features::of(&query), 33);
    let solver = portfolio(Mode::Race, None);
    assert!(order.iter().all(|&i| solver.members[i].name != "enumerate"), "too many bits");
}
