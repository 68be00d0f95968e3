//! Linear proofs against every point of small widths.

use super::*;
use crate::enumerate::Enumerate;
use crate::{Budget, Solver, Verdict};
use symcrete_term::{Literal, Op, Rng, Seed, Sort, TermId, Terms};

/// A random term of a width over two variables, with the operators that are linear and some that are not.
fn term(terms: &mut Terms, rng: &mut Rng, width: u8, depth: u32) -> TermId {
    if depth == 0 || rng.one_in(5) {
        return match rng.below(3) {
            0 => terms.var("x", Sort::Bv(width)),
            1 => terms.var("y", Sort::Bv(width)),
            _ => terms.bv(width, rng.next_u64()),
        };
    }
    let a = term(terms, rng, width, depth - 1);
    let k = terms.bv(width, rng.below(1 << width.min(4)));
    match rng.below(14) {
        0..3 => {
            let b = term(terms, rng, width, depth - 1);
            terms.app(Op::BvAdd, &[a, b])
        }
        3 | 4 => {
            let b = term(terms, rng, width, depth - 1);
            terms.app(Op::BvSub, &[a, b])
        }
        5 | 6 => terms.app(Op::BvMul, &[a, k]),
        7 => terms.app(*rng.choose(&[Op::BvNeg, Op::BvNot]), &[a]),
        8 => terms.app(*rng.choose(&[Op::BvShl, Op::BvLshr, Op::BvAshr]), &[a, k]),
        9 => terms.app(*rng.choose(&[Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem]), &[a, k]),
        10 => {
            let low = rng.below(u64::from(width)) as u8;
            let part = terms.app_indexed(Op::Extract, [width - 1, low], &[a]);
            let op = *rng.choose(&[Op::ZeroExtend, Op::SignExtend]);
            if low == 0 { part } else { terms.app_indexed(op, [low, 0], &[part]) }
        }
        11 => {
            let half = width / 2;
            let high = terms.app_indexed(Op::Extract, [width - 1, half], &[a]);
            let b = term(terms, rng, width, depth - 1);
            let low = terms.app_indexed(Op::Extract, [half - 1, 0], &[b]);
            terms.app(Op::Concat, &[high, low])
        }
        12 => {
            let b = term(terms, rng, width, depth - 1);
            terms.app(*rng.choose(&[Op::BvXor, Op::BvAnd, Op::BvMul]), &[a, b])
        }
        _ => a,
    }
}

fn literal(terms: &mut Terms, rng: &mut Rng, width: u8) -> Literal {
    let (a, b) = (term(terms, rng, width, 3), term(terms, rng, width, 2));
    let op = *rng.choose(&[Op::BvSlt, Op::BvSle, Op::BvUlt, Op::BvUle, Op::Eq]);
    Literal { term: terms.app(op, &[a, b]), expected: rng.one_in(2) }
}

#[test]
fn a_contradiction_has_no_model_at_small_widths() {
    let mut rng = Seed(1).derive("linear/proof").rng();
    let (mut n_proved, mut n_unsat, mut n_met) = (0, 0, 0);
    for round in 0..3_000 {
        let mut terms = Terms::new();
        let width = 2 + rng.below(4) as u8;
        let n_literals = rng.between(1, 5);
        let literals: Vec<Literal> =
            (0..n_literals).map(|_| literal(&mut terms, &mut rng, width)).collect();
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let truth = Enumerate.solve(&query, &mut Budget::of_steps(1 << 12));
        n_unsat += u32::from(truth == Verdict::Unsat);
        match decide(&query) {
            Linear::Contradiction => {
                assert_eq!(truth, Verdict::Unsat, "round {round}");
                n_proved += 1;
            }
            Linear::Point(point) => n_met += u32::from(query.accepts(&point)),
            Linear::Open => {}
        }
    }
    assert!(n_proved * 10 > n_unsat * 7, "{n_proved} of {n_unsat} are proved");
    assert!(n_met > 500, "{n_met} points are models");
}

fn holds(terms: &mut Terms, op: Op, a: TermId, b: TermId) -> Literal {
    Literal::holds(terms.app(op, &[a, b]))
}

#[test]
fn wrap_around_is_part_of_the_proof() {
    for width in [8, 32, 64] {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(width)));
        let (two, three, hundred) = (terms.bv(width, 2), terms.bv(width, 3), terms.bv(width, 100));
        let sum = terms.app(Op::BvAdd, &[x, y]);
        let other = terms.app(Op::BvAdd, &[y, x]);
        let zero = terms.bv(width, 0);
        let contradictory =
            [holds(&mut terms, Op::BvSlt, three, sum), holds(&mut terms, Op::BvSlt, other, two)];
        let bounds: Vec<Literal> = [x, y]
            .into_iter()
            .flat_map(|v| [(zero, v), (v, hundred)])
            .map(|(a, b)| holds(&mut terms, Op::BvSlt, a, b))
            .collect();
        // Above both summands, yet below zero: only with a wrap.
        let wraps = [
            holds(&mut terms, Op::BvSlt, zero, x),
            holds(&mut terms, Op::BvSlt, zero, y),
            holds(&mut terms, Op::BvSlt, sum, zero),
        ];
        let hint = Valuation::new();
        let ask = |literals: &[Literal]| decide(&Query { terms: &terms, literals, hint: &hint });
        assert!(matches!(ask(&contradictory), Linear::Contradiction), "{width}");
        let Linear::Point(point) = ask(&wraps) else { panic!("{width}: it wraps") };
        assert!(terms.satisfies(&wraps, &point));
        let below_hundred = [&bounds[..], &wraps[2..]].concat();
        match width {
            8 => assert!(matches!(ask(&below_hundred), Linear::Point(_)), "90 + 90 wraps"),
            _ => assert!(matches!(ask(&below_hundred), Linear::Contradiction), "{width}"),
        }
    }
}

#[test]
fn common_divisors_and_disequalities_contradict() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
    let (two, seven) = (terms.bv(32, 2), terms.bv(32, 7));
    let [even, also] = [x, y].map(|v| terms.app(Op::BvMul, &[v, two]));
    let sum = terms.app(Op::BvAdd, &[even, also]);
    let odd = [Literal::holds(terms.eq(sum, seven))];
    let (small, large) = (terms.bv(32, 3), terms.bv(32, 5));
    let four = terms.bv(32, 4);
    let between = [holds(&mut terms, Op::BvSlt, small, x), holds(&mut terms, Op::BvSlt, x, large)];
    let apart = [between[0], between[1], Literal::holds(terms.eq(x, four)).negated()];
    let hint = Valuation::new();
    let ask = |literals: &[Literal]| decide(&Query { terms: &terms, literals, hint: &hint });
    assert!(matches!(ask(&odd), Linear::Contradiction));
    assert!(matches!(ask(&apart), Linear::Contradiction));
    assert!(matches!(ask(&between), Linear::Point(_)));
}
