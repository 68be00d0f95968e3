//! The walk on the paper's own examples and on the corners of its parts.

use super::*;
use symcrete_term::{Literal, Op, Rounding, TermId, Terms, Valuation, Value};

fn solve(solver: &mut ConcolicWalk, terms: &Terms, literals: &[Literal], steps: u64) -> Verdict {
    let hint = Valuation::new();
    let query = Query { terms, literals, hint: &hint };
    let verdict = solver.solve(&query, &mut Budget::of_steps(steps));
    if let Verdict::Sat(model) = &verdict {
        assert!(query.accepts(model), "{} gave a model that is none", solver.name());
    }
    verdict
}

/// Dinges and Agha 2014, figure 1: `x == x*y && x > 2`.
fn example1(terms: &mut Terms) -> Vec<Literal> {
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
    let two = terms.bv(32, 2);
    let product = terms.app(Op::BvMul, &[x, y]);
    vec![Literal::holds(terms.eq(x, product)), Literal::holds(terms.app(Op::BvSlt, &[two, x]))]
}

/// Dinges and Agha 2014, figure 1: some bits of a double, through its representation.
fn example2(terms: &mut Terms) -> Vec<Literal> {
    let u = terms.var("u", Sort::F64);
    let (mask, zero) = (terms.bv(64, 0xff000), terms.bv(64, 0));
    let bits = terms.app(Op::FpBits, &[u]);
    let masked = terms.app(Op::BvAnd, &[bits, mask]);
    vec![Literal::holds(terms.app(Op::BvSlt, &[zero, masked]))]
}

#[test]
fn the_papers_examples_are_solved_as_published_and_improved() {
    for example in [example1, example2] {
        let mut terms = Terms::new();
        let literals = example(&mut terms);
        for seed in 0..10 {
            for mut walk in
                [ConcolicWalk::published(Seed(seed)), ConcolicWalk::improved(Seed(seed))]
            {
                let verdict = solve(&mut walk, &terms, &literals, 100_000);
                assert_eq!(verdict.word(), "sat", "{} with seed {seed}", walk.name());
                assert_eq!(solve(&mut walk, &terms, &literals, 100_000), verdict, "same again");
            }
        }
    }
}

fn float_sum(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    terms.rounded(Op::FpAdd, Rounding::NearestEven, &[a, b])
}

#[test]
fn linear_equations_are_kept_while_walking() {
    // x = y - 13 and z = x + y and sin(y) > 0.99 and z > 30
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.var(name, Sort::F64));
    let sin = terms.function_named("sin").unwrap();
    let mut number = |n: f64| terms.constant(Value::f64(n));
    let (shift, high, thirty) = (number(-13.0), number(0.99), number(30.0));
    let (moved, sum) = (float_sum(&mut terms, y, shift), float_sum(&mut terms, x, y));
    let sine = terms.call(sin, &[y]);
    let literals = [
        Literal::holds(terms.app(Op::FpEq, &[x, moved])),
        Literal::holds(terms.app(Op::FpEq, &[z, sum])),
        Literal::holds(terms.app(Op::FpLt, &[high, sine])),
        Literal::holds(terms.app(Op::FpLt, &[thirty, z])),
    ];
    for seed in 0..5 {
        let mut walk = ConcolicWalk::improved(Seed(seed));
        assert_eq!(solve(&mut walk, &terms, &literals, 100_000).word(), "sat", "seed {seed}");
    }
}

#[test]
fn unsat_is_said_only_with_a_proof() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(8));
    let one = terms.bv(8, 1);
    let next = terms.app(Op::BvAdd, &[x, one]);
    let (below, above) = (terms.app(Op::BvSlt, &[next, x]), terms.app(Op::BvSlt, &[x, next]));
    // In the integers `x + 1 < x` has no model; with wrap-around 127 is one.
    let wraps = [Literal::holds(below)];
    let verdict = solve(&mut ConcolicWalk::improved(Seed(1)), &terms, &wraps, 100_000);
    assert_eq!(verdict.word(), "sat");
    let forms = || {
        [
            ConcolicWalk::improved(Seed(1)),
            ConcolicWalk::published(Seed(1)),
            ConcolicWalk::text(Seed(1)),
        ]
    };
    let contradiction = [Literal::holds(below), Literal::holds(above)];
    for mut walk in forms() {
        assert_eq!(solve(&mut walk, &terms, &contradiction, 5_000), Verdict::Unsat);
    }
    // Two is no square modulo 256, which linear arithmetic does not see.
    let (square, two) = (terms.app(Op::BvMul, &[x, x]), terms.bv(8, 2));
    let no_square = [Literal::holds(terms.eq(square, two))];
    let [improved, published, text] =
        forms().map(|mut walk| solve(&mut walk, &terms, &no_square, 5_000));
    assert_eq!(improved, Verdict::Unknown(Why::OutOfSteps));
    assert_eq!(published, Verdict::Unknown(Why::GaveUp), "the published forms end by themselves");
    assert_eq!(text, Verdict::Unknown(Why::GaveUp));
}

#[test]
fn improvements_are_a_set() {
    let all = Improvements::all();
    assert!(Improvement::ALL.iter().all(|&one| all.has(one)));
    for one in Improvement::ALL {
        assert!(!all.without(one).has(one));
        assert_eq!(all.without(one).with(one), all);
        assert!(Improvements::NONE.with(one).has(one) && !Improvements::NONE.has(one));
    }
    let names: std::collections::BTreeSet<_> = Improvement::ALL.map(Improvement::name).into();
    assert_eq!(names.len(), Improvement::ALL.len());
}

#[test]
fn a_hint_is_where_the_improved_walk_starts() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(64));
    let factor = terms.bv(64, 0x9e37_79b9_7f4a_7c15);
    let product = terms.app(Op::BvMul, &[x, factor]);
    let target = terms.bv(64, 0x1234_5678_9abc_def1u64.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let literals = [Literal::holds(terms.eq(product, target))];
    let var = terms.find_var("x").unwrap();
    let hint = Valuation::from_iter([(var, Value::bv(64, 0x1234_5678_9abc_def1))]);
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    let verdict = ConcolicWalk::improved(Seed(1)).solve(&query, &mut Budget::of_steps(10));
    assert_eq!(verdict, Verdict::Sat(hint.clone()));
}
