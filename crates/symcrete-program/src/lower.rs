//! What each numeric operator of WebAssembly means as a term: its row in the table of meanings, built with terms.
//!
//! Terms have SMT-LIB's total operators; WebAssembly's own rules are built here: shift counts are taken
//! modulo the width, comparisons yield the numbers 0 and 1, `min` and `max` yield NaN if an operand is
//! NaN, and what would trap is guarded before ([`guards`]).
//!
//! **The NaN rule.** Terms have one NaN, the canonical quiet one; a machine has many. Arithmetic runs
//! with NaN canonicalisation and so yields that one. Only five things show or change a NaN's other
//! bits: `neg`, `abs`, `copysign`, reinterpretation and memory. So wherever bits are seen,
//! [`bits_of`] goes back to where they came from: bits read as a float and seen again are those bits,
//! and a sign that was flipped or cleared is flipped or cleared in the bits. An input may be any NaN; which one, its
//! companion says ([`mod@crate::nan`]). Any other float term that is NaN has the canonical bits in the machine too.
//!
//! **Invariant:** for every operator and all arguments on which it does not trap, the term evaluates
//! to the machine's result, bit for bit where the result is an integer.

use crate::image::CellKind;
use crate::module::{Guard, Meaning, Num, WasmOp};
use crate::nan;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use symcrete_term::{Node, Op, Rounding, Sort, TermId, Terms, Value};

/// The term of an operator applied to the terms of its operands.
pub fn lower(t: &mut Terms, op: WasmOp, args: &[TermId]) -> TermId {
    let a = args[0];
    let b = args[args.len() - 1];
    let width = op.result().sort().bits() as u8;
    match op.meaning() {
        Meaning::Term(op @ (Op::BvAnd | Op::BvOr | Op::BvXor)) => bitwise(t, op, a, b),
        Meaning::Term(op) => t.app(op, args),
        Meaning::Compared(op) => truth(t, op, &[a, b]),
        Meaning::Swapped(op) => truth(t, op, &[b, a]),
        Meaning::Negated(op) => falsehood(t, op, &[a, b]),
        Meaning::IsZero => {
            let zero = t.constant(Value::zero(t.sort(a)));
            truth(t, Op::Eq, &[a, zero])
        }
        Meaning::Shift(op) => shift(t, op, a, b),
        Meaning::Rounded(op, rounding) => t.rounded(op, rounding, args),
        Meaning::Converted(Op::FpOfFp, rounding) if width == 32 => demote(t, rounding, a),
        Meaning::Converted(op, rounding) => t.app_indexed(op, [rounding as u8, width], &[a]),
        Meaning::NanWins(op) => nan_wins(t, op, a, b),
        Meaning::ToBits => bits_of(t, a),
        Meaning::OfBits => float_of(t, a),
        Meaning::Abs => t.app(Op::FpAbs, &[a]),
        Meaning::Neg => t.app(Op::FpNeg, &[a]),
        Meaning::Copysign => copysign(t, a, b),
        Meaning::Low => extract(t, width - 1, 0, a),
        Meaning::SignExtend(from) => sign_extend_from(t, from, width, a),
        Meaning::ZeroExtend => {
            let from = t.sort(a).bits() as u8;
            extend(t, Op::ZeroExtend, width - from, a)
        }
    }
}

/// Conditions that must hold for the operator not to trap, in the order the machine checks them.
pub fn guards(t: &mut Terms, op: WasmOp, args: &[TermId]) -> Vec<TermId> {
    let (a, b) = (args[0], args[args.len() - 1]);
    match op.guard() {
        Guard::None => Vec::new(),
        Guard::Division { overflows: false } => vec![nonzero(t, b)],
        Guard::Division { overflows: true } => {
            let sort = t.sort(a);
            let minimum = t.constant(Value::from_bits(sort, 1 << (sort.bits() - 1)));
            let minus_one = t.constant(Value::from_bits(sort, u64::MAX));
            let (least, negated) = (t.eq(a, minimum), t.eq(b, minus_one));
            let overflow = t.app(Op::And, &[least, negated]);
            vec![nonzero(t, b), t.not(overflow)]
        }
        Guard::Truncation { low, high } => float_in_range(t, a, low, high),
    }
}

/// The representation of a float term, by the NaN rule.
pub fn bits_of(t: &mut Terms, float: TermId) -> TermId {
    if let Some(bits) = nan::bits_of_input(t, float) {
        return bits;
    }
    let Node::App { op, args, .. } = t.node(float) else {
        return t.app(Op::FpBits, &[float]);
    };
    let below = args[0];
    let sort = t.sort(float);
    let sign = 1u64 << (sort.bits() - 1);
    let width = sort.bits() as u8;
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these pass a NaN's bits on")]
    match op {
        Op::FpOfBits => below,
        // Rewriting leaves at most one negation above one absolute value, so this goes two deep.
        Op::FpNeg => {
            let (bits, sign) = (bits_of(t, below), t.bv(width, sign));
            t.app(Op::BvXor, &[bits, sign])
        }
        Op::FpAbs => {
            let (bits, rest) = (bits_of(t, below), t.bv(width, sign - 1));
            t.app(Op::BvAnd, &[bits, rest])
        }
        _ => t.app(Op::FpBits, &[float]),
    }
}

/// Bits read as a float. If they are those of a float, it is that one.
pub fn float_of(t: &mut Terms, bits: TermId) -> TermId {
    match float_with(t, bits) {
        Some(float) if bits_of(t, float) == bits => float,
        Some(_) | None => t.app(Op::FpOfBits, &[bits]),
    }
}

/// The float that may have these bits: an input, perhaps with its sign changed.
fn float_with(t: &mut Terms, bits: TermId) -> Option<TermId> {
    let first = |t: &Terms, term: TermId| match t.node(term) {
        Node::App { op, args, .. } => Some((op, args[0])),
        Node::Const(_) | Node::Var(_) | Node::Call { .. } | Node::Lookup { .. } => None,
    };
    let input = |t: &Terms, (op, condition)| match (op, first(t, condition)?) {
        (Op::Ite, (Op::FpIsNan, float)) => Some(float),
        _ => None,
    };
    let (op, below) = first(t, bits)?;
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these change a sign")]
    let signed = match op {
        Op::BvXor => Op::FpNeg,
        Op::BvAnd => Op::FpAbs,
        _ => return input(t, (op, below)),
    };
    let float = input(t, first(t, below)?)?;
    Some(t.app(signed, &[float]))
}

/// A concrete operand as a term. A NaN that is not the canonical one keeps its bits.
pub fn constant(terms: &mut Terms, num: Num, bits: u64) -> TermId {
    let sort = num.sort();
    let value = Value::from_bits(sort, bits);
    if value.bits() == bits {
        return terms.constant(value);
    }
    let bits = terms.bv(sort.bits() as u8, bits);
    terms.app_unsimplified(Op::FpOfBits, [0, 0], &[bits])
}

/// The boolean that says a number is not zero; undoes `truth`.
pub fn nonzero(t: &mut Terms, number: TermId) -> TermId {
    let zero = t.constant(Value::zero(t.sort(number)));
    let is_zero = t.eq(number, zero);
    t.not(is_zero)
}

/// Bits `high` down to `low`, also of a choice between constants.
pub fn extract(t: &mut Terms, high: u8, low: u8, a: TermId) -> TermId {
    over_constant_choice(t, a, |t, a| t.app_indexed(Op::Extract, [high, low], &[a]))
}

/// More bits above, also of a choice between constants.
pub fn extend(t: &mut Terms, op: Op, more: u8, a: TermId) -> TermId {
    over_constant_choice(t, a, |t, a| t.app_indexed(op, [more, 0], &[a]))
}

/// Terms that [`low_word`] looks at.
const PARTS_MAX: usize = 64;

/// The lower 32 bits of an address, in the form that they have where addresses have 32 bits: of a sum the sum of the lower
/// halves, of a choice the choice, of a widened index the index.
pub fn low_word(t: &mut Terms, address: TermId) -> TermId {
    if t.sort(address) == Sort::Bv(32) {
        return address;
    }
    let (mut found, mut open) = (BTreeSet::from([address]), vec![address]);
    while let Some(term) = open.pop().filter(|_| found.len() < PARTS_MAX) {
        let parts = t.node(term).children()[low_parts(t, term)].iter();
        open.extend(parts.filter(|part| found.insert(**part)));
    }
    // Parts come before what they are parts of.
    let mut low: BTreeMap<TermId, TermId> = BTreeMap::new();
    for term in found {
        let parts = low_parts(t, term);
        let mut args = t.node(term).children().to_vec();
        let known: Option<Vec<TermId>> =
            args[parts.clone()].iter().map(|part| low.get(part).copied()).collect();
        let word = match (t.node(term), known) {
            (Node::App { op, .. }, Some(known)) if !known.is_empty() => {
                args.splice(parts, known);
                if op == Op::BvShl {
                    args[1] = extract(t, 31, 0, args[1]);
                }
                t.app(op, &args)
            }
            (_, _) => extract(t, 31, 0, term),
        };
        low.insert(term, word);
    }
    low[&address]
}

/// The arguments of a term that decide its lower half by their own lower halves alone.
fn low_parts(t: &Terms, term: TermId) -> Range<usize> {
    let Node::App { op, args, .. } = t.node(term) else { return 0..0 };
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others mix both halves")]
    match op {
        Op::BvAdd
        | Op::BvSub
        | Op::BvMul
        | Op::BvNeg
        | Op::BvNot
        | Op::BvAnd
        | Op::BvOr
        | Op::BvXor => 0..args.len(),
        Op::Ite => 1..3,
        Op::BvShl if t.as_const(args[1]).is_some_and(|count| count.bits() < 32) => 0..1,
        _ => 0..0,
    }
}

/// A cell's term as the bit-vector of all its bytes.
pub fn in_memory(terms: &mut Terms, kind: CellKind, term: TermId) -> TermId {
    match kind {
        CellKind::Int { .. } => term,
        CellKind::Bool => as_value(terms, kind, 8, term),
        CellKind::F32 | CellKind::F64 => bits_of(terms, term),
    }
}

/// A cell's term as a WebAssembly value of that many bits.
pub fn as_value(terms: &mut Terms, kind: CellKind, width: u8, term: TermId) -> TermId {
    match kind {
        CellKind::Int { bits, signed } if bits < width => {
            let op = if signed { Op::SignExtend } else { Op::ZeroExtend };
            extend(terms, op, width - bits, term)
        }
        CellKind::Bool => {
            let (one, zero) = (terms.bv(width, 1), terms.bv(width, 0));
            terms.ite(term, one, zero)
        }
        CellKind::Int { .. } | CellKind::F32 | CellKind::F64 => term,
    }
}

fn truth(t: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    let condition = t.app(op, args);
    number(t, condition)
}

fn falsehood(t: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    let condition = t.app(op, args);
    let negated = t.not(condition);
    number(t, negated)
}

fn number(t: &mut Terms, condition: TermId) -> TermId {
    let (one, zero) = (t.bv(32, 1), t.bv(32, 0));
    t.ite(condition, one, zero)
}

/// A comparison's result is often masked, narrowed or widened before it is tested: doing that to
/// both constants keeps the condition itself in sight.
fn over_constant_choice(
    t: &mut Terms,
    a: TermId,
    mut f: impl FnMut(&mut Terms, TermId) -> TermId,
) -> TermId {
    if let Node::App { op: Op::Ite, args: &[condition, then, otherwise], .. } = t.node(a)
        && t.as_const(then).is_some()
        && t.as_const(otherwise).is_some()
    {
        let (then, otherwise) = (f(t, then), f(t, otherwise));
        return t.ite(condition, then, otherwise);
    }
    f(t, a)
}

fn bitwise(t: &mut Terms, op: Op, a: TermId, b: TermId) -> TermId {
    if t.as_const(b).is_some() {
        return over_constant_choice(t, a, |t, a| t.app(op, &[a, b]));
    }
    t.app(op, &[a, b])
}

/// Counts are taken modulo the width; a constant count needs no mask in the term.
fn shift(t: &mut Terms, op: Op, a: TermId, count: TermId) -> TermId {
    let sort = t.sort(a);
    let mask = t.constant(Value::from_bits(sort, u64::from(sort.bits()) - 1));
    let count = t.app(Op::BvAnd, &[count, mask]);
    t.app(op, &[a, count])
}

fn sign_extend_from(t: &mut Terms, from: u8, width: u8, a: TermId) -> TermId {
    let is_whole = t.sort(a).bits() as u8 == from;
    let low = if is_whole { a } else { extract(t, from - 1, 0, a) };
    extend(t, Op::SignExtend, width - from, low)
}

/// Narrowing what was widened is the identity on values, but the machine makes a NaN canonical on the
/// way; kept as written, the term's bits do not come from the original float.
fn demote(t: &mut Terms, rounding: Rounding, a: TermId) -> TermId {
    let indices = [rounding as u8, 32];
    match t.node(a) {
        Node::App { op: Op::FpOfFp, .. } => t.app_unsimplified(Op::FpOfFp, indices, &[a]),
        Node::App { .. }
        | Node::Const(_)
        | Node::Var(_)
        | Node::Call { .. }
        | Node::Lookup { .. } => t.app_indexed(Op::FpOfFp, indices, &[a]),
    }
}

fn nan_wins(t: &mut Terms, op: Op, a: TermId, b: TermId) -> TermId {
    let nan = nan(t, t.sort(a));
    let (a_nan, b_nan) = (t.app(Op::FpIsNan, &[a]), t.app(Op::FpIsNan, &[b]));
    let any = t.app(Op::Or, &[a_nan, b_nan]);
    let chosen = t.app(op, &[a, b]);
    t.ite(any, nan, chosen)
}

fn nan(t: &mut Terms, sort: Sort) -> TermId {
    t.constant(Value::from_bits(sort, u64::MAX >> (65 - sort.bits())))
}

fn copysign(t: &mut Terms, magnitude: TermId, sign: TermId) -> TermId {
    let width = t.sort(magnitude).bits() as u8;
    let (magnitude, sign) = (bits_of(t, magnitude), bits_of(t, sign));
    let sign_bit = 1u64 << (width - 1);
    let (rest, sign_bit) = (t.bv(width, sign_bit - 1), t.bv(width, sign_bit));
    let magnitude = t.app(Op::BvAnd, &[magnitude, rest]);
    let sign = t.app(Op::BvAnd, &[sign, sign_bit]);
    let bits = t.app(Op::BvOr, &[magnitude, sign]);
    t.app(Op::FpOfBits, &[bits])
}

/// Truncation is defined for numbers whose integral part lies in `[low, high)`; both ends are powers
/// of two or zero and so exact in both float sorts.
fn float_in_range(t: &mut Terms, a: TermId, low: f64, high: f64) -> Vec<TermId> {
    let float = |x: f64| match t.sort(a) {
        Sort::F32 => Value::f32(x as f32),
        Sort::F64 | Sort::Bool | Sort::Bv(_) => Value::f64(x),
    };
    let (low, high) = (float(low), float(high));
    let (low, high) = (t.constant(low), t.constant(high));
    let nan = t.app(Op::FpIsNan, &[a]);
    let integral = t.rounded(Op::FpRoundToIntegral, Rounding::ToZero, &[a]);
    let above = t.app(Op::FpLe, &[low, integral]);
    let below = t.app(Op::FpLt, &[integral, high]);
    vec![t.not(nan), t.app(Op::And, &[above, below])]
}

/// The address, of so many bits, behind as many elements of an array as a number of 32 bits says.
pub fn end_term(t: &mut Terms, length: TermId, (address, stride): (u32, u32), width: u8) -> TermId {
    let length = extend(t, Op::ZeroExtend, width - 32, length);
    let stride = t.bv(width, u64::from(stride));
    let bytes = t.app(Op::BvMul, &[length, stride]);
    let start = t.bv(width, u64::from(address));
    t.app(Op::BvAdd, &[start, bytes])
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Seed, Valuation};

    /// A random term of 64 bits over few variables.
    fn random_term(t: &mut Terms, rng: &mut symcrete_term::Rng, depth: u32) -> TermId {
        let wide = t.var("x", Sort::Bv(64));
        let narrow = t.var("i", Sort::Bv(32));
        if depth == 0 || rng.below(6) == 0 {
            return match rng.below(4) {
                0 => wide,
                1 => extend(t, Op::SignExtend, 32, narrow),
                2 => extend(t, Op::ZeroExtend, 32, narrow),
                _ => t.bv(64, rng.next_u64() >> rng.below(64)),
            };
        }
        let a = random_term(t, rng, depth - 1);
        let b = random_term(t, rng, depth - 1);
        let two = [Op::BvAdd, Op::BvSub, Op::BvMul, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvUrem];
        match rng.below(11) {
            0 => t.app(Op::BvNeg, &[a]),
            1 => t.app(Op::BvNot, &[a]),
            2 => {
                let count = t.bv(64, rng.below(66));
                t.app(Op::BvShl, &[a, count])
            }
            3 => {
                let condition = t.app(Op::BvUlt, &[a, b]);
                t.ite(condition, a, b)
            }
            k => t.app(two[k as usize - 4], &[a, b]),
        }
    }

    #[test]
    fn the_low_word_is_the_lower_half() {
        let mut rng = Seed(25).rng();
        for round in 0..2000 {
            let mut t = Terms::new();
            let term = random_term(&mut t, &mut rng, 1 + round % 8);
            let low = low_word(&mut t, term);
            for _ in 0..8 {
                let mut valuation = Valuation::new();
                for (name, width) in [("x", 64), ("i", 32)] {
                    let value = Value::bv(width, rng.next_u64() >> rng.below(64));
                    let var = t.find_var(name).unwrap();
                    valuation.set(var, value);
                }
                let expected = t.evaluate(term, &valuation).bits() as u32;
                assert_eq!(t.evaluate(low, &valuation), Value::bv(32, expected.into()));
            }
        }
    }

    #[test]
    fn the_low_word_of_an_indexed_address_is_an_indexed_address() {
        let mut t = Terms::new();
        let index = t.var("i", Sort::Bv(32));
        let wide = extend(&mut t, Op::SignExtend, 32, index);
        let (three, base) = (t.bv(64, 3), t.bv(64, 1 << 20));
        let scaled = t.app(Op::BvShl, &[wide, three]);
        let address = t.app(Op::BvAdd, &[base, scaled]);
        let low = low_word(&mut t, address);
        let (three, base) = (t.bv(32, 3), t.bv(32, 1 << 20));
        let scaled = t.app(Op::BvShl, &[index, three]);
        assert_eq!(low, t.app(Op::BvAdd, &[base, scaled]));
    }
}
