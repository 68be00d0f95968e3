//! Inverses against the evaluator over all operators, and equations that only inversion finds quickly.

mod chains;

use super::inverse::Term;
use super::*;
use symcrete_term::{Sort, Terms, Valuation};

/// Small bit-vectors, exhaustively: an inverse that exact operators give is right.
#[test]
fn inverses_of_bit_vectors_are_right() {
    let exact = [
        Op::BvNot,
        Op::BvNeg,
        Op::BvAdd,
        Op::BvSub,
        Op::BvXor,
        Op::BvAnd,
        Op::BvOr,
        Op::BvMul,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvSmod,
        Op::BvShl,
        Op::BvLshr,
        Op::BvAshr,
        Op::BvRotl,
        Op::BvRotr,
        Op::BvClz,
        Op::BvCtz,
        Op::BvPopcnt,
    ];
    let mut rng = Seed(1).rng();
    let mut terms = Terms::new();
    for op in exact {
        let names = ["x", "y"].map(|name| terms.var(name, Sort::Bv(4)));
        let n_args = op.info().arity;
        let term = terms.app(op, &names[..n_args]);
        let node = terms.node(term);
        let (mut n_given, mut n_possible) = (0, 0);
        for other in 0..16 {
            for wanted in 0..16 {
                for position in 0..n_args {
                    let args = [Value::bv(4, other), Value::bv(4, other)];
                    let term =
                        Term { terms: &terms, node, result: Sort::Bv(4), args: &args[..n_args] };
                    let possible = (0..16).any(|x| term.value_with(position, x) == wanted);
                    n_possible += u32::from(possible);
                    if let Some(bits) = term.argument(position, wanted, &mut rng) {
                        assert_eq!(
                            term.value_with(position, bits),
                            wanted,
                            "{op:?} {other} {position}"
                        );
                        n_given += 1;
                    }
                }
            }
        }
        assert!(n_given * 3 >= n_possible * 2, "{op:?}: {n_given} of {n_possible}");
    }
}

fn solve(terms: &Terms, literals: &[Literal], steps: u64) -> Verdict {
    let hint = Valuation::new();
    let query = Query { terms, literals, hint: &hint };
    let mut inversion = Inversion::new(Seed(1));
    let verdict = inversion.solve(&query, &mut Budget::of_steps(steps));
    if let Verdict::Sat(model) = &verdict {
        assert!(query.accepts(model));
    }
    assert_eq!(
        inversion.solve(&query, &mut Budget::of_steps(steps)),
        verdict,
        "same seed, same answer"
    );
    verdict
}

/// `((x ^ k) · odd + k') rotated = c`, through a shift-xor, a table and a product.
#[test]
fn chains_of_mixing_are_inverted() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(64));
    let [k, odd, n] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 13].map(|k| terms.bv(64, k));
    let mixed = terms.app(Op::BvXor, &[x, k]);
    let product = terms.app(Op::BvMul, &[mixed, odd]);
    let sum = terms.app(Op::BvAdd, &[product, k]);
    let turned = terms.app(Op::BvRotl, &[sum, n]);
    let wanted = terms.bv(64, 0x0123_4567_89ab_cdef);
    let equal = Literal::holds(terms.eq(turned, wanted));
    let i = terms.var("i", Sort::Bv(64));
    let low = terms.app_indexed(Op::Extract, [7, 0], &[i]);
    let entries: Vec<Value> = (0..200).map(|i| Value::bv(32, i * i * 77_773)).collect();
    let table = terms.table(&entries);
    let entry = terms.lookup(table, low);
    let k = terms.bv(32, 150 * 150 * 77_773);
    let found = Literal::holds(terms.eq(entry, k));
    assert_eq!(solve(&terms, &[equal, found], 200).word(), "sat");
}

/// Library functions that rise or fall, and chains of floats, to the last place.
#[test]
fn functions_and_floats_are_inverted() {
    use symcrete_term::Rounding;
    for name in ["exp", "log", "atan", "cbrt", "sinh", "tanh", "sqrt"] {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::F64);
        let Some(function) = terms.function_named(name) else { continue };
        let call = terms.call(function, &[x]);
        let wanted = terms.function(function).call(&[Value::f64(0.7310585786300049)]);
        let wanted = terms.constant(wanted);
        let literals = [Literal::holds(terms.app(Op::FpEq, &[call, wanted]))];
        assert_eq!(solve(&terms, &literals, 50).word(), "sat", "{name}");
    }
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::F64);
    let [a, b, c] = [3.25, 0.125, 1e6].map(|k| terms.constant(Value::f64(k)));
    let product = terms.rounded(Op::FpMul, Rounding::NearestEven, &[x, a]);
    let sum = terms.rounded(Op::FpAdd, Rounding::NearestEven, &[product, b]);
    let literals = [Literal::holds(terms.app(Op::FpEq, &[sum, c]))];
    assert_eq!(solve(&terms, &literals, 100).word(), "sat");
}

#[test]
fn without_inputs_or_literals_it_ends() {
    let mut terms = Terms::new();
    let no = terms.bool(false);
    assert_eq!(solve(&terms, &[], 10).word(), "sat");
    assert_eq!(solve(&terms, &[Literal::holds(no)], 1_000), Verdict::Unknown(Why::GaveUp));
}
