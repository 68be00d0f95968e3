//! The rewrites: few, local, and each proven.
//!
//! A rule looks at one application whose arguments are already simplified and gives an equal term
//! that is smaller or more canonical. `crates/symcrete-solve/tests/agreement` fires every rule on a
//! pool of small applications and has an SMT solver prove both sides equal.

#![expect(clippy::wildcard_enum_match_arm, reason = "a rule names the few operators it is for")]

use crate::arena::{Node, TermId, Terms};
use crate::op::{Indices, Op};
use crate::value::{Sort, Value};
use std::sync::LazyLock;

/// A left-hand side: an operator and its simplified arguments, constants last where it is commutative.
#[derive(Clone, Copy)]
pub struct Redex<'a> {
    /// The operator.
    pub op: Op,
    /// Its indices.
    pub indices: Indices,
    /// Its arguments.
    pub args: &'a [TermId],
}

/// A named rewrite.
pub struct Rule {
    /// What it does, as `match -> result`.
    pub name: &'static str,
    /// The operators it looks at.
    pub ops: &'static [Op],
    /// The right-hand side, if the rule applies.
    pub apply: fn(&mut Terms, Redex<'_>) -> Option<TermId>,
}

/// The result of the first rule that applies.
#[inline]
pub(crate) fn apply(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    static BY_OP: LazyLock<Vec<Vec<&'static Rule>>> = LazyLock::new(|| {
        let of = |op: &Op| RULES.iter().filter(|rule| rule.ops.contains(op)).collect();
        Op::ALL.iter().map(of).collect()
    });
    BY_OP[redex.op as usize].iter().find_map(|rule| (rule.apply)(terms, redex))
}

const COMPARISONS: &[Op] = &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle];

/// All rules, in the order they are tried.
pub const RULES: &[Rule] = &[
    Rule {
        name: "f(f(x)) -> x for an involution f",
        ops: &[Op::Not, Op::BvNot, Op::BvNeg, Op::FpNeg],
        apply: |t, r| inner(t, r.args[0], r.op).map(|[x]| x),
    },
    Rule {
        name: "op(x, neutral) -> x",
        ops: &[
            Op::And,
            Op::Or,
            Op::Xor,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvSdiv,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
            Op::BvRotl,
            Op::BvRotr,
        ],
        apply: neutral,
    },
    Rule {
        name: "op(x, absorbing) -> absorbing",
        ops: &[Op::And, Op::Or, Op::BvAnd, Op::BvOr, Op::BvMul],
        apply: absorbing,
    },
    Rule {
        name: "op(x, x) -> x",
        ops: &[Op::And, Op::Or, Op::BvAnd, Op::BvOr],
        apply: |_, r| (r.args[0] == r.args[1]).then_some(r.args[0]),
    },
    Rule {
        name: "op(x, x) -> zero or false",
        ops: &[Op::Xor, Op::BvXor, Op::BvSub, Op::BvUlt, Op::BvSlt],
        apply: |t, r| (r.args[0] == r.args[1]).then(|| zero_result(t, r)),
    },
    Rule {
        name: "op(x, x) -> true",
        ops: &[Op::Eq, Op::BvUle, Op::BvSle],
        apply: |t, r| (r.args[0] == r.args[1]).then(|| t.bool(true)),
    },
    Rule {
        name: "x and not x -> false, x or not x -> true",
        ops: &[Op::And, Op::Or],
        apply: |t, r| complementary(t, r.args[0], r.args[1]).then(|| t.bool(r.op == Op::Or)),
    },
    Rule {
        name: "x xor true, x = false -> not x; x = true -> x",
        ops: &[Op::Xor, Op::Eq],
        apply: boolean_constant,
    },
    Rule { name: "ite with a constant, negated or useless condition", ops: &[Op::Ite], apply: ite },
    Rule {
        name: "ite(c, k1, k2) = k -> c, not c or false",
        ops: &[Op::Eq],
        apply: ite_equals_constant,
    },
    Rule {
        name: "x - k -> x + (-k)",
        ops: &[Op::BvSub],
        apply: |t, r| {
            let k = t.as_const(r.args[1])?;
            let negated = t.constant(Value::from_bits(k.sort(), k.bits().wrapping_neg()));
            Some(t.app(Op::BvAdd, &[r.args[0], negated]))
        },
    },
    Rule {
        name: "0 - x -> -x",
        ops: &[Op::BvSub],
        apply: |t, r| (bits(t, r.args[0]) == Some(0)).then(|| t.app(Op::BvNeg, &[r.args[1]])),
    },
    Rule {
        name: "op(op(x, k1), k2) -> op(x, op(k1, k2))",
        ops: &[Op::BvAdd, Op::BvMul, Op::BvAnd, Op::BvOr, Op::BvXor],
        apply: |t, r| {
            t.as_const(r.args[1])?;
            let [x, k] = inner(t, r.args[0], r.op)?;
            t.as_const(k)?;
            let folded = t.app(r.op, &[k, r.args[1]]);
            Some(t.app(r.op, &[x, folded]))
        },
    },
    Rule {
        name: "x + k1 = k2 -> x = k2 - k1",
        ops: &[Op::Eq],
        apply: |t, r| {
            t.as_const(r.args[1])?;
            let [x, k] = inner(t, r.args[0], Op::BvAdd)?;
            t.as_const(k)?;
            let moved = t.app(Op::BvSub, &[r.args[1], k]);
            Some(t.eq(x, moved))
        },
    },
    Rule {
        name: "zero_extend(x) = k -> x = low(k) or false",
        ops: &[Op::Eq],
        apply: extended_equals,
    },
    Rule {
        name: "comparison with an extreme constant",
        ops: COMPARISONS,
        apply: extreme_comparison,
    },
    Rule { name: "an extraction of all bits -> x", ops: &[Op::Extract], apply: whole_extract },
    Rule {
        name: "extract of extract, extension or concat",
        ops: &[Op::Extract],
        apply: extract_of,
    },
    Rule {
        name: "extend by no bits -> x, zero_extend twice -> once",
        ops: &[Op::ZeroExtend, Op::SignExtend],
        apply: extend,
    },
    Rule { name: "concat of adjacent extracts or with zeros", ops: &[Op::Concat], apply: concat },
    Rule {
        name: "float of bits of x -> x",
        ops: &[Op::FpOfBits],
        apply: |t, r| inner(t, r.args[0], Op::FpBits).map(|[x]| x),
    },
    Rule {
        name: "abs(neg x), abs(abs x) -> abs x",
        ops: &[Op::FpAbs],
        apply: |t, r| {
            let [x] = inner(t, r.args[0], Op::FpNeg).or_else(|| inner(t, r.args[0], Op::FpAbs))?;
            Some(t.app(Op::FpAbs, &[x]))
        },
    },
    Rule {
        name: "float conversion to itself or there and back -> x",
        ops: &[Op::FpOfFp],
        apply: fp_of_fp,
    },
];

/// The first `N` arguments of a term, if it applies that operator.
fn inner<const N: usize>(terms: &Terms, term: TermId, wanted: Op) -> Option<[TermId; N]> {
    match terms.node(term) {
        Node::App { op, args, .. } if op == wanted => args.get(..N)?.try_into().ok(),
        Node::App { .. }
        | Node::Const(_)
        | Node::Var(_)
        | Node::Call { .. }
        | Node::Lookup { .. } => None,
    }
}

fn bits(terms: &Terms, term: TermId) -> Option<u64> {
    terms.as_const(term).map(Value::bits)
}

fn zero_result(terms: &mut Terms, redex: Redex<'_>) -> TermId {
    let sort = match redex.op {
        Op::BvUlt | Op::BvSlt => Sort::Bool,
        _ => terms.sort(redex.args[0]),
    };
    terms.constant(Value::zero(sort))
}

fn neutral(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let k = bits(terms, redex.args[1])?;
    let ones = terms.sort(redex.args[1]).mask();
    let neutral = match redex.op {
        Op::And | Op::BvAnd => ones,
        Op::BvMul | Op::BvUdiv => 1,
        // In one bit, 1 is -1, and division by it is not the identity on signed numbers of that width.
        Op::BvSdiv if ones > 1 => 1,
        Op::BvSdiv => return None,
        _ => 0,
    };
    (k == neutral).then_some(redex.args[0])
}

fn absorbing(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let k = bits(terms, redex.args[1])?;
    let absorbing = match redex.op {
        Op::Or | Op::BvOr => terms.sort(redex.args[1]).mask(),
        _ => 0,
    };
    (k == absorbing).then_some(redex.args[1])
}

fn complementary(terms: &Terms, a: TermId, b: TermId) -> bool {
    let negates = |x, y| inner(terms, x, Op::Not) == Some([y]);
    negates(a, b) || negates(b, a)
}

fn boolean_constant(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let Some(Value::Bool(k)) = terms.as_const(redex.args[1]) else { return None };
    let negate = (redex.op == Op::Xor) == k;
    Some(if negate { terms.not(redex.args[0]) } else { redex.args[0] })
}

fn ite(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let [condition, then, otherwise] = redex.args[..] else { return None };
    if then == otherwise {
        return Some(then);
    }
    if let Some(truth) = bits(terms, condition) {
        return Some(if truth == 1 { then } else { otherwise });
    }
    if let Some([negated]) = inner(terms, condition, Op::Not) {
        return Some(terms.ite(negated, otherwise, then));
    }
    match (terms.as_const(then), terms.as_const(otherwise)) {
        (Some(Value::Bool(true)), Some(_)) => Some(condition),
        (Some(Value::Bool(false)), Some(_)) => Some(terms.not(condition)),
        _ => None,
    }
}

/// Comparison results of machines are numbers that are compared with zero again.
fn ite_equals_constant(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let k = bits(terms, redex.args[1])?;
    let [condition, then, otherwise] = inner(terms, redex.args[0], Op::Ite)?;
    match (bits(terms, then)? == k, bits(terms, otherwise)? == k) {
        (true, true) => Some(terms.bool(true)),
        (true, false) => Some(condition),
        (false, true) => Some(terms.not(condition)),
        (false, false) => Some(terms.bool(false)),
    }
}

fn extended_equals(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let k = bits(terms, redex.args[1])?;
    let [x] = inner(terms, redex.args[0], Op::ZeroExtend)?;
    let sort = terms.sort(x);
    if k & !sort.mask() != 0 {
        return Some(terms.bool(false));
    }
    let low = terms.constant(Value::from_bits(sort, k));
    Some(terms.eq(x, low))
}

fn extreme_comparison(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let ones = terms.sort(redex.args[0]).mask();
    let (least, greatest) = match redex.op {
        Op::BvUlt | Op::BvUle => (0, ones),
        _ => (ones ^ (ones >> 1), ones >> 1),
    };
    let strict = matches!(redex.op, Op::BvUlt | Op::BvSlt);
    let (left, right) = (bits(terms, redex.args[0]), bits(terms, redex.args[1]));
    let decided = if strict {
        right == Some(least) || left == Some(greatest)
    } else {
        left == Some(least) || right == Some(greatest)
    };
    decided.then(|| terms.bool(!strict))
}

fn whole_extract(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let [high, low] = redex.indices;
    let width = terms.sort(redex.args[0]).bits();
    (low == 0 && u32::from(high) + 1 == width).then_some(redex.args[0])
}

fn extract_of(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let [high, low] = redex.indices;
    let Node::App { op, indices, args } = terms.node(redex.args[0]) else { return None };
    let last = args[args.len() - 1];
    let (first, inner_low) = (args[0], indices[1]);
    let width = terms.sort(last).bits() as u8;
    let (from, high, low) = match op {
        Op::Extract => (last, high + inner_low, low + inner_low),
        Op::ZeroExtend | Op::SignExtend if high < width => (last, high, low),
        Op::ZeroExtend if low >= width => {
            return Some(terms.bv(high - low + 1, 0));
        }
        Op::Concat if high < width => (last, high, low),
        Op::Concat if low >= width => (first, high - width, low - width),
        _ => return None,
    };
    Some(terms.app_indexed(Op::Extract, [high, low], &[from]))
}

fn extend(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    if redex.indices[0] == 0 {
        return Some(redex.args[0]);
    }
    let Node::App { op: Op::ZeroExtend, args, .. } = terms.node(redex.args[0]) else { return None };
    // The inner extension is by at least one bit, so the outer one never copies a set sign.
    let x = args[0];
    let n = terms.sort(redex.args[0]).bits() - terms.sort(x).bits();
    Some(terms.app_indexed(Op::ZeroExtend, [redex.indices[0] + n as u8, 0], &[x]))
}

/// Bytes that were stored one by one and are read together become one value again.
fn concat(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let [upper, lower] = redex.args[..] else { return None };
    if bits(terms, upper) == Some(0) {
        let n = terms.sort(upper).bits() as u8;
        return Some(terms.app_indexed(Op::ZeroExtend, [n, 0], &[lower]));
    }
    let Node::App { op: Op::Extract, indices: [high, middle], args: upper_args } =
        terms.node(upper)
    else {
        return None;
    };
    let Node::App { op: Op::Extract, indices: [below, low], args } = terms.node(lower) else {
        return None;
    };
    let x = args[0];
    (x == upper_args[0] && middle == below + 1)
        .then(|| terms.app_indexed(Op::Extract, [high, low], &[x]))
}

fn fp_of_fp(terms: &mut Terms, redex: Redex<'_>) -> Option<TermId> {
    let target = Sort::float_of_bits(redex.indices[1])?;
    if terms.sort(redex.args[0]) == target {
        return Some(redex.args[0]);
    }
    // Widening is exact, so narrowing again is the identity in every rounding mode.
    let [x] = inner(terms, redex.args[0], Op::FpOfFp)?;
    (target == Sort::F32 && terms.sort(x) == Sort::F32).then_some(x)
}
