//! Branch and prune against enumeration, and on random conditions that have a model by construction.

use super::*;
use crate::enumerate::Enumerate;
use symcrete_term::{Literal, Op, Rng, Rounding, Seed, Sort, TermId, Terms};

/// A random term of floats over some leaves.
fn float_term(terms: &mut Terms, rng: &mut Rng, leaves: &[TermId], depth: u32) -> TermId {
    if depth == 0 || rng.one_in(6) {
        if rng.one_in(4) {
            let k = (rng.fraction() * 16.0 - 8.0) * [1.0, 0.1, 1e3][rng.below(3) as usize];
            let sort = terms.sort(leaves[0]);
            return terms.constant(Value::from_bits(sort, from_number(sort, k)));
        }
        return *rng.choose(leaves);
    }
    let a = float_term(terms, rng, leaves, depth - 1);
    let b = float_term(terms, rng, leaves, depth - 1);
    let rounding = if rng.one_in(4) { *rng.choose(&Rounding::ALL) } else { Rounding::NearestEven };
    match rng.below(9) {
        0..3 => terms.rounded(Op::FpAdd, rounding, &[a, b]),
        3 | 4 => terms.rounded(Op::FpSub, rounding, &[a, b]),
        5 | 6 => terms.rounded(Op::FpMul, rounding, &[a, b]),
        7 => terms.rounded(Op::FpDiv, rounding, &[a, b]),
        _ => {
            let c = float_term(terms, rng, leaves, depth - 1);
            terms.rounded(Op::FpFma, rounding, &[a, b, c])
        }
    }
}

fn comparison(terms: &mut Terms, rng: &mut Rng, leaves: &[TermId]) -> TermId {
    let a = float_term(terms, rng, leaves, 2);
    let b = float_term(terms, rng, leaves, 2);
    let op = *rng.choose(&[Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq]);
    terms.app(op, &[a, b])
}

#[test]
fn agrees_with_enumeration() {
    let mut rng = Seed(1).derive("prune/small").rng();
    let (mut n_unsat, mut n_sat) = (0, 0);
    for round in 0..400 {
        let mut terms = Terms::new();
        let sort = if round % 2 == 0 { Sort::F32 } else { Sort::F64 };
        let leaves: Vec<TermId> = ["x", "y"]
            .iter()
            .map(|name| {
                let small = terms.var(name, Sort::Bv(4));
                let indices = [Rounding::NearestEven as u8, sort.bits() as u8];
                terms.app_indexed(Op::FpOfSbv, indices, &[small])
            })
            .collect();
        let literals: Vec<Literal> = (0..rng.between(1, 4))
            .map(|_| Literal {
                term: comparison(&mut terms, &mut rng, &leaves),
                expected: rng.one_in(2),
            })
            .collect();
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let truth = Enumerate.solve(&query, &mut Budget::of_steps(1 << 10));
        let verdict = BranchAndPrune::new().solve(&query, &mut Budget::of_steps(1 << 10));
        assert_eq!(verdict.word(), truth.word(), "round {round}");
        match verdict {
            Verdict::Sat(model) => {
                assert!(query.accepts(&model));
                n_sat += 1;
            }
            Verdict::Unsat => n_unsat += 1,
            Verdict::Unknown(_) => {}
        }
    }
    assert!(n_unsat > 50 && n_sat > 50, "{n_unsat} {n_sat}");
}

/// Sixteen neighbouring floats for each variable, so that rounding decides.
#[test]
fn agrees_with_all_neighbours() {
    let mut rng = Seed(2).derive("prune/neighbours").rng();
    let mut n_unsat = 0;
    for round in 0..300 {
        let mut terms = Terms::new();
        let sort = if round % 2 == 0 { Sort::F32 } else { Sort::F64 };
        let leaves: Vec<TermId> = ["x", "y"].iter().map(|name| terms.var(name, sort)).collect();
        let starts: Vec<u64> =
            leaves.iter().map(|_| from_number(sort, rng.fraction() * 8.0 - 4.0)).collect();
        let mut literals: Vec<Literal> = (0..rng.between(1, 3))
            .map(|_| Literal {
                term: comparison(&mut terms, &mut rng, &leaves),
                expected: rng.one_in(2),
            })
            .collect();
        let n_conditions = literals.len();
        for (&leaf, &start) in leaves.iter().zip(&starts) {
            let ends = [start, start + 15].map(|bits| Value::from_bits(sort, bits));
            let [a, b] = ends.map(|value| terms.constant(value));
            let (low, high) = if to_number(sort, start) < 0.0 { (b, a) } else { (a, b) };
            literals.push(Literal::holds(terms.app(Op::FpLe, &[low, leaf])));
            literals.push(Literal::holds(terms.app(Op::FpLe, &[leaf, high])));
        }
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let [x, y] = ["x", "y"].map(|name| terms.find_var(name).unwrap());
        let mut has_model = false;
        for i in 0..256 {
            let values = [(x, starts[0] + i / 16), (y, starts[1] + i % 16)];
            let point =
                values.iter().map(|&(var, bits)| (var, Value::from_bits(sort, bits))).collect();
            has_model |= terms.satisfies(&literals[..n_conditions], &point);
        }
        let verdict = BranchAndPrune::new().solve(&query, &mut Budget::of_steps(1 << 12));
        assert_eq!(verdict.word(), if has_model { "sat" } else { "unsat" }, "round {round}");
        n_unsat += u32::from(!has_model);
    }
    assert!(n_unsat > 50, "{n_unsat}");
}

/// Conditions over all floats that a drawn point satisfies: no box that has the point may be thrown away.
#[test]
fn what_has_a_model_is_never_refuted() {
    let mut rng = Seed(3).derive("prune/witness").rng();
    let mut n_found = 0;
    for round in 0..600 {
        let mut terms = Terms::new();
        let sort = if round % 2 == 0 { Sort::F32 } else { Sort::F64 };
        let names = ["x", "y", "z"];
        let leaves: Vec<TermId> = names.iter().map(|name| terms.var(name, sort)).collect();
        let scale = [1.0, 1e-3, 1e4, 1e30][rng.below(4) as usize];
        let witness: Valuation = names
            .iter()
            .map(|name| {
                let number = (rng.fraction() * 2.0 - 1.0) * scale;
                (terms.find_var(name).unwrap(), Value::from_bits(sort, from_number(sort, number)))
            })
            .collect();
        let mut literals = Vec::new();
        for _ in 0..rng.between(2, 6) {
            let term = comparison(&mut terms, &mut rng, &leaves);
            let expected = terms.evaluate(term, &witness) == Value::Bool(true);
            literals.push(Literal { term, expected });
        }
        // Equations that hold there, and bounds, make the room small.
        for &leaf in &leaves {
            let at = to_number(sort, terms.evaluate(leaf, &witness).bits());
            let gap = [0.0, 1e-6, 0.5][rng.below(3) as usize] * scale;
            for (k, is_low) in [(at - gap, true), (at + gap, false)] {
                let k = terms.constant(Value::from_bits(sort, from_number(sort, k)));
                let pair = if is_low { [k, leaf] } else { [leaf, k] };
                literals.push(Literal::holds(terms.app(Op::FpLe, &pair)));
            }
        }
        let literals: Vec<Literal> =
            literals.into_iter().filter(|&l| terms.satisfies(&[l], &witness)).collect();
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let verdict = BranchAndPrune::new().solve(&query, &mut Budget::of_steps(180));
        assert_ne!(verdict, Verdict::Unsat, "round {round}");
        n_found += u32::from(matches!(verdict, Verdict::Sat(_)));
    }
    assert!(n_found > 200, "{n_found}");
}

/// `a + (b + c)` and `(a + b) + c` differ by rounding only: no halving of ranges shows it in reasonable time.
#[test]
fn relations_are_seen_through_rounding() {
    let mut terms = Terms::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| terms.var(name, Sort::F32));
    let [low, high, far] = [-1e4, 1e4, 1.0].map(|k| terms.constant(Value::f32(k)));
    let mut sum = |x, y| terms.rounded(Op::FpAdd, Rounding::NearestEven, &[x, y]);
    let right = sum(b, c);
    let right = sum(a, right);
    let left = sum(a, b);
    let left = sum(left, c);
    let gap = terms.rounded(Op::FpSub, Rounding::NearestEven, &[left, right]);
    let mut literals = vec![Literal::holds(terms.app(Op::FpLt, &[far, gap]))];
    for x in [a, b, c] {
        literals.push(Literal::holds(terms.app(Op::FpLe, &[low, x])));
        literals.push(Literal::holds(terms.app(Op::FpLe, &[x, high])));
    }
    let query = Query { terms: &terms, literals: &literals, hint: &Valuation::new() };
    let verdict = BranchAndPrune::new().solve(&query, &mut Budget::of_steps(600));
    assert_eq!(verdict, Verdict::Unsat);
}
