//! Which bits of its variables a term can depend on.
//!
//! A bit-field that is written into a word keeps the word's other bits, and reading the field masks them again: the value of the
//! field does not depend on them, although they are in its term.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators that are not named want all bits of their arguments"
)]

use crate::arena::{Node, TermId, Terms, VarId};
use crate::op::{Indices, Op};
use crate::value::Sort;
use std::collections::BTreeMap;

/// Whether a bit of a variable for which `is_wanted` holds can change the value of a term. Where the answer is no, none does,
/// even if such a variable had another value each time it occurs.
pub fn depends_on(terms: &Terms, root: TermId, is_wanted: impl Fn(VarId) -> bool) -> bool {
    let mut demanded = BTreeMap::from([(root, all_bits(terms, root))]);
    // Parents come before their children, so a term's bits are complete when it is its turn.
    while let Some((term, bits)) = demanded.pop_last() {
        let mut demand = |child: TermId, bits: u64| {
            if bits != 0 {
                *demanded.entry(child).or_insert(0) |= bits;
            }
        };
        match terms.node(term) {
            Node::Const(_) => {}
            Node::Var(var) => {
                if is_wanted(var) {
                    return true;
                }
            }
            Node::App { op, indices, args } => {
                demand_arguments(terms, (op, indices, args), bits, &mut demand);
            }
            Node::Call { args, .. } => {
                args.iter().for_each(|&arg| demand(arg, all_bits(terms, arg)));
            }
            Node::Lookup { index, .. } => demand(*index, all_bits(terms, *index)),
        }
    }
    false
}

/// What an application wants of its arguments for some bits of its result.
fn demand_arguments(
    terms: &Terms,
    (op, indices, args): (Op, Indices, &[TermId]),
    bits: u64,
    demand: &mut impl FnMut(TermId, u64),
) {
    match (op, args) {
        (Op::BvAnd | Op::BvOr, &[x, y]) => {
            // Where the constant decides, the other one does not.
            let passed = |other: TermId| match (constant(terms, other), op) {
                (Some(mask), Op::BvAnd) => bits & mask,
                (Some(mask), _) => bits & !mask,
                (None, _) => bits,
            };
            demand(x, passed(y));
            demand(y, passed(x));
        }
        (Op::BvXor, &[x, y]) => {
            demand(x, bits);
            demand(y, bits);
        }
        (Op::BvNot, &[x]) => demand(x, bits),
        // A carry goes upwards only.
        (Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvNeg, _) => {
            let below = u64::MAX >> bits.leading_zeros();
            args.iter().for_each(|&arg| demand(arg, below));
        }
        (Op::Ite, &[condition, x, y]) => {
            demand(condition, 1);
            demand(x, bits);
            demand(y, bits);
        }
        (Op::Extract, &[x]) => demand(x, bits << indices[1]),
        (Op::Concat, &[high, low]) => {
            let width = width(terms, low);
            demand(low, bits & low_bits(width));
            demand(high, bits.checked_shr(width).unwrap_or(0));
        }
        (Op::ZeroExtend, &[x]) => demand(x, bits & all_bits(terms, x)),
        (Op::SignExtend, &[x]) => demand(x, with_sign(bits, width(terms, x))),
        (Op::BvShl | Op::BvLshr | Op::BvAshr, &[x, by]) => {
            let width = width(terms, x);
            match constant(terms, by).filter(|by| *by < u64::from(width)) {
                Some(by) if op == Op::BvShl => demand(x, bits >> by),
                Some(by) if op == Op::BvLshr => demand(x, (bits << by) & low_bits(width)),
                // What is shifted in are copies of the sign.
                Some(by) => demand(x, shifted_up(bits, by, width)),
                None => {
                    demand(x, low_bits(width));
                    demand(by, low_bits(width));
                }
            }
        }
        _ => args.iter().for_each(|&arg| demand(arg, all_bits(terms, arg))),
    }
}

/// Bits of a number before it is shifted down, where those that leave it at the top count as its next bit.
fn shifted_up(bits: u64, by: u64, width: u32) -> u64 {
    let kept = (bits << by) & low_bits(width);
    let is_beyond = by > 0 && bits >> (u64::from(width) - by) != 0;
    kept | if is_beyond { sign(width) } else { 0 }
}

/// Bits of a number that was extended by its sign: those beyond it are its sign.
fn with_sign(bits: u64, width: u32) -> u64 {
    let is_beyond = bits & !low_bits(width) != 0;
    (bits & low_bits(width)) | if is_beyond { sign(width) } else { 0 }
}

fn sign(width: u32) -> u64 {
    1 << (width - 1)
}

fn low_bits(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn width(terms: &Terms, term: TermId) -> u32 {
    match terms.sort(term) {
        Sort::Bool => 1,
        Sort::Bv(width) => u32::from(width),
        Sort::F32 => 32,
        Sort::F64 => 64,
    }
}

fn all_bits(terms: &Terms, term: TermId) -> u64 {
    low_bits(width(terms, term))
}

fn constant(terms: &Terms, term: TermId) -> Option<u64> {
    match terms.node(term) {
        Node::Const(value) => Some(value.bits()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Rng, Seed};
    use crate::valuation::Valuation;
    use crate::value::Value;

    const WIDTH: u8 = 8;

    /// A random term over two variables, of the kind that reading and writing parts of words makes.
    fn random_term(terms: &mut Terms, rng: &mut Rng, variables: [TermId; 2]) -> TermId {
        let mut pool = variables.to_vec();
        for _ in 0..12 {
            let pick = |rng: &mut Rng, pool: &[TermId]| pool[rng.below(pool.len() as u64) as usize];
            let x = pick(rng, &pool);
            let constant =
                |terms: &mut Terms, rng: &mut Rng| terms.constant(Value::bv(WIDTH, rng.below(256)));
            let y = match rng.below(3) {
                0 => pick(rng, &pool),
                _ => constant(terms, rng),
            };
            let ops = [
                Op::BvAnd,
                Op::BvOr,
                Op::BvXor,
                Op::BvAdd,
                Op::BvSub,
                Op::BvMul,
                Op::BvShl,
                Op::BvLshr,
                Op::BvAshr,
            ];
            let op = ops[rng.below(ops.len() as u64) as usize];
            let term = match rng.below(4) {
                0 => {
                    let low = rng.below(u64::from(WIDTH)) as u8;
                    let high = low + rng.below(u64::from(WIDTH - low)) as u8;
                    let part = terms.app_indexed(Op::Extract, [high, low], &[x]);
                    let op = if rng.below(2) == 0 { Op::ZeroExtend } else { Op::SignExtend };
                    terms.app_indexed(op, [WIDTH - (high - low + 1), 0], &[part])
                }
                1 => {
                    let high = terms.app_indexed(Op::Extract, [7, 4], &[x]);
                    let low = terms.app_indexed(Op::Extract, [3, 0], &[y]);
                    terms.app(Op::Concat, &[high, low])
                }
                _ => terms.app(op, &[x, y]),
            };
            pool.push(term);
        }
        pool[pool.len() - 1]
    }

    #[test]
    fn what_is_not_demanded_changes_nothing() {
        let mut rng = Seed(20_261_118).rng();
        let (mut n_independent, mut n_dependent) = (0, 0);
        for _ in 0..2000 {
            let mut terms = Terms::new();
            let known = terms.var("known", Sort::Bv(WIDTH));
            let unknown = terms.var("unknown", Sort::Bv(WIDTH));
            let root = random_term(&mut terms, &mut rng, [known, unknown]);
            let var = |term| match terms.node(term) {
                Node::Var(var) => var,
                _ => panic!("a variable"),
            };
            let (known, unknown) = (var(known), var(unknown));
            if depends_on(&terms, root, |var| var == unknown) {
                n_dependent += 1;
                continue;
            }
            n_independent += 1;
            let value = |first: u64, second: u64| {
                let mut valuation = Valuation::default();
                valuation.set(known, Value::bv(WIDTH, first));
                valuation.set(unknown, Value::bv(WIDTH, second));
                terms.evaluate(root, &valuation)
            };
            for _ in 0..20 {
                let first = rng.below(256);
                assert_eq!(value(first, rng.below(256)), value(first, rng.below(256)));
            }
        }
        assert!(n_independent > 100 && n_dependent > 100, "{n_independent}, {n_dependent}");
    }

    #[test]
    fn a_field_does_not_depend_on_the_rest_of_its_word() {
        let mut terms = Terms::new();
        let word = terms.var("word", Sort::Bv(32));
        let field = terms.var("field", Sort::Bv(32));
        let mut number = |bits: u64| terms.constant(Value::bv(32, bits));
        let (mask, rest, three) = (number(7), number(!7 & 0xffff_ffff), number(3));
        let kept = terms.app(Op::BvAnd, &[word, rest]);
        let written = terms.app(Op::BvAnd, &[field, mask]);
        let stored = terms.app(Op::BvOr, &[kept, written]);
        let read = terms.app(Op::BvAnd, &[stored, mask]);
        let is_three = terms.app(Op::Eq, &[read, three]);
        let depends =
            |root: TermId, name: &str| depends_on(&terms, root, |var| terms.var_name(var) == name);
        assert!(!depends(is_three, "word") && depends(is_three, "field"));
        assert!(depends(stored, "word"));
    }
}
