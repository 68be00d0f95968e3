//! Errors are zero exactly when literals hold, however they are evaluated.

use super::*;
use crate::Query;
use crate::error::Metric;
use crate::jit::JitCache;
use crate::search::literal_group::RUNS_BEFORE_JIT;
use symcrete_term::{Literal, Op, Rng, Seed, Sort, TermId, Terms, Valuation, Value};

/// A random boolean term over three two-bit variables, with choices of numbers and of booleans.
fn boolean(terms: &mut Terms, rng: &mut Rng, depth: u32) -> TermId {
    if depth == 0 {
        return comparison(terms, rng, 2);
    }
    let [a, b, c] = [(); 3].map(|()| boolean(terms, rng, depth - 1));
    match rng.below(6) {
        0 => terms.app(Op::Not, &[a]),
        1 => terms.app(Op::And, &[a, b]),
        2 => terms.app(Op::Or, &[a, b]),
        3 => terms.app(Op::Xor, &[a, b]),
        4 => terms.eq(a, b),
        _ => terms.ite(a, b, c),
    }
}

fn comparison(terms: &mut Terms, rng: &mut Rng, depth: u32) -> TermId {
    let (a, b) = (number(terms, rng, depth), number(terms, rng, depth));
    let op = *rng.choose(&[Op::Eq, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle]);
    terms.app(op, &[a, b])
}

fn number(terms: &mut Terms, rng: &mut Rng, depth: u32) -> TermId {
    if depth > 0 && rng.one_in(3) {
        let condition = comparison(terms, rng, depth - 1);
        let (a, b) = (number(terms, rng, depth - 1), number(terms, rng, depth - 1));
        return terms.ite(condition, a, b);
    }
    match rng.below(4) {
        0 => terms.bv(2, rng.below(4)),
        n => terms.var(["x", "y", "z"][n as usize - 1], Sort::Bv(2)),
    }
}

#[test]
fn connectives_and_choices_have_error_zero_exactly_when_they_hold() {
    let mut rng = Seed(11).rng();
    for _ in 0..300 {
        let mut terms = Terms::new();
        for name in ["x", "y", "z"] {
            terms.var(name, Sort::Bv(2));
        }
        let depth = rng.below(4) as u32;
        let term = boolean(&mut terms, &mut rng, depth);
        let literals = [Literal { term, expected: rng.one_in(2) }];
        let query = Query { terms: &terms, literals: &literals, hint: &Valuation::new() };
        let mut objective = Objective::new(&query, Metric::Absolute, &JitCache::new());
        let n_variables = objective.variables().len();
        for bits in 0..1u64 << (2 * n_variables) {
            let point: Vec<u64> = (0..n_variables).map(|i| bits >> (2 * i) & 3).collect();
            let error = objective.errors(&point)[0];
            let holds = terms.satisfies(&literals, &objective.model(&point));
            assert_eq!(error == 0.0, holds, "{literals:?} at {point:?} has error {error}");
            assert_eq!(objective.holds(&point), holds);
            assert!(error.is_finite() && error >= 0.0);
            let lead = objective.lead(0, &point);
            let lead_error = objective.atom_errors(0, lead.atom, &point);
            let lead_error = if lead.wanted { lead_error.holds } else { lead_error.fails };
            assert!(holds || lead_error > 0.0, "what leads is what is wrong");
        }
    }
}

/// A chain where literal `i` contains all terms of the ones before it.
fn chain(n: usize) -> (Terms, Vec<Literal>) {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
    let mut sum = x;
    let mut literals = Vec::new();
    for i in 0..n {
        let product = terms.app(Op::BvMul, &[sum, y]);
        let step = terms.bv(32, i as u64);
        sum = terms.app(Op::BvXor, &[product, step]);
        literals.push(Literal::holds(terms.app(Op::BvSlt, &[sum, step])));
    }
    (terms, literals)
}

#[test]
fn literals_are_scored_alike_alone_together_and_compiled() {
    let mut rng = Seed(3).rng();
    let hint = Valuation::new();
    for n in [3, 300] {
        let (terms, literals) = chain(n);
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let cache = JitCache::new();
        let mut whole = Objective::new(&query, Metric::Absolute, &cache);
        let mut last = Vec::new();
        for _ in 0..=RUNS_BEFORE_JIT.div_ceil(n as u32) {
            let point = [rng.next_u64() & 0xffff_ffff, rng.next_u64() & 0xffff_ffff];
            last = whole.errors(&point);
            let touched = whole.errors_touched(&point, &[1]).to_vec();
            assert!(touched.iter().all(|&(literal, error)| last[literal as usize] == error));
            assert_eq!(touched.len(), n, "every literal depends on y");
            for (i, &error) in last.iter().enumerate().step_by(97) {
                let holds = terms.satisfies(&literals[i..=i], &whole.model(&point));
                assert_eq!(error == 0.0, holds);
            }
        }
        assert_eq!(last.len(), n);
    }
}

#[test]
fn a_search_runs_the_same_as_machine_code() {
    let (terms, literals) = chain(2);
    let query = Query { terms: &terms, literals: &literals, hint: &Valuation::new() };
    let mut objective = Objective::new(&query, Metric::Absolute, &JitCache::new());
    let point = [7, Value::bv(32, u64::MAX).bits()];
    let first = objective.errors(&point);
    for _ in 0..RUNS_BEFORE_JIT + 10 {
        assert_eq!(objective.errors(&point), first, "the same before and after compilation");
    }
}
