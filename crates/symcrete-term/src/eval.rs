//! The one meaning of every operator.
//!
//! [`eval`] is the definition. Folding calls it; the tape calls `eval_bits`, the same function on
//! raw bits, instantiated per operator. Nobody else computes a value in Rust.
//!
//! On raw bits a float may be any NaN: operators that can see a NaN's bits (`=`, [`Op::FpBits`])
//! make it canonical first, so that the result depends on values only.

use crate::float::{self, Arithmetic, Ieee};
use crate::op::{Indices, Op, Rounding};
use crate::value::{Sort, Value, sign_extend};
use std::num::FpCategory;

/// Applies an operator to values. Panics where [`Op::result_sort`] has no answer.
pub fn eval(op: Op, indices: Indices, args: &[Value]) -> Value {
    let mut sorts = [Sort::Bool; 3];
    let mut bits = [0; 3];
    assert!(args.len() <= 3, "{op:?} takes at most three arguments");
    for (i, arg) in args.iter().enumerate() {
        (sorts[i], bits[i]) = (arg.sort(), arg.bits());
    }
    let sort = op
        .result_sort(indices, &sorts[..args.len()])
        .unwrap_or_else(|| panic!("{op:?} {indices:?} does not apply to {args:?}"));
    let bits =
        eval_bits(op, key_sort(op, &sorts[..args.len()]), indices, bits[0], bits[1], bits[2]);
    Value::from_bits(sort, bits)
}

/// The argument sort on which the meaning depends: the last one. That is the low part of a
/// concatenation, and any argument of all others that look at it.
pub(crate) fn key_sort(op: Op, args: &[Sort]) -> Sort {
    args[op.info().arity - 1]
}

/// The definition on raw bits. `sort` is that of the last argument; unused arguments are ignored.
#[inline(always)]
#[expect(clippy::too_many_lines, reason = "one row per operator is how a table reads best")]
pub(crate) fn eval_bits(op: Op, sort: Sort, indices: Indices, a: u64, b: u64, c: u64) -> u64 {
    match op {
        Op::Not => a ^ 1,
        Op::And | Op::BvAnd => a & b,
        Op::Or | Op::BvOr => a | b,
        Op::Xor | Op::BvXor => a ^ b,
        Op::Eq => u64::from(canonical(sort, a) == canonical(sort, b)),
        Op::Ite => {
            if a == 1 {
                b
            } else {
                c
            }
        }
        Op::BvNot => !a & sort.mask(),
        Op::BvNeg => a.wrapping_neg() & sort.mask(),
        Op::BvAdd => a.wrapping_add(b) & sort.mask(),
        Op::BvSub => a.wrapping_sub(b) & sort.mask(),
        Op::BvMul => a.wrapping_mul(b) & sort.mask(),
        Op::BvUdiv => a.checked_div(b).unwrap_or(sort.mask()),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        Op::BvSdiv => signed_division(sort, a, b),
        Op::BvSrem => signed_remainder(sort, a, b),
        Op::BvSmod => signed_modulo(sort, a, b),
        Op::BvShl => shift(sort, b).map_or(0, |n| (a << n) & sort.mask()),
        Op::BvLshr => shift(sort, b).map_or(0, |n| a >> n),
        Op::BvAshr => {
            let n = shift(sort, b).unwrap_or(sort.bits() - 1);
            (signed(sort, a) >> n) as u64 & sort.mask()
        }
        Op::BvRotl => rotate_left(sort, a, b % u64::from(sort.bits())),
        Op::BvRotr => {
            let width = u64::from(sort.bits());
            rotate_left(sort, a, (width - b % width) % width)
        }
        Op::BvClz => u64::from(a.leading_zeros() - (64 - sort.bits())) & sort.mask(),
        Op::BvCtz => u64::from(a.trailing_zeros().min(sort.bits())) & sort.mask(),
        Op::BvPopcnt => u64::from(a.count_ones()) & sort.mask(),
        Op::BvUlt => u64::from(a < b),
        Op::BvUle => u64::from(a <= b),
        Op::BvSlt => u64::from(signed(sort, a) < signed(sort, b)),
        Op::BvSle => u64::from(signed(sort, a) <= signed(sort, b)),
        Op::Concat => (a << sort.bits()) | b,
        Op::Extract => (a >> indices[1]) & Sort::Bv(indices[0] - indices[1] + 1).mask(),
        Op::ZeroExtend => a,
        Op::SignExtend => signed(sort, a) as u64 & Sort::Bv(sort.bits() as u8 + indices[0]).mask(),
        Op::FpOfBits => a,
        Op::FpBits => canonical(sort, a),
        Op::FpOfFp => convert(sort, indices, a),
        Op::FpOfSbv => {
            let (rounding, x) = (Rounding::from_code(indices[0]), signed(sort, a));
            match indices[1] {
                32 => float::of_signed::<f32>(rounding, x).bits(),
                _ => float::of_signed::<f64>(rounding, x).bits(),
            }
        }
        Op::FpOfUbv => {
            let rounding = Rounding::from_code(indices[0]);
            match indices[1] {
                32 => float::of_unsigned::<f32>(rounding, a).bits(),
                _ => float::of_unsigned::<f64>(rounding, a).bits(),
            }
        }
        Op::FpAbs
        | Op::FpNeg
        | Op::FpAdd
        | Op::FpSub
        | Op::FpMul
        | Op::FpDiv
        | Op::FpFma
        | Op::FpSqrt
        | Op::FpRem
        | Op::FpRoundToIntegral
        | Op::FpMin
        | Op::FpMax
        | Op::FpLe
        | Op::FpLt
        | Op::FpEq
        | Op::FpIsNormal
        | Op::FpIsSubnormal
        | Op::FpIsZero
        | Op::FpIsInfinite
        | Op::FpIsNan
        | Op::FpIsNegative
        | Op::FpIsPositive
        | Op::FpToSbv
        | Op::FpToUbv => {
            if sort.bits() == 32 {
                eval_float::<f32>(op, indices, f32::of_bits(a), f32::of_bits(b), f32::of_bits(c))
            } else {
                eval_float::<f64>(op, indices, f64::of_bits(a), f64::of_bits(b), f64::of_bits(c))
            }
        }
    }
}

/// Operators on floats of one sort.
#[inline(always)]
#[expect(clippy::wildcard_enum_match_arm, reason = "eval_bits has chosen the operators")]
fn eval_float<F: Ieee>(op: Op, indices: Indices, a: F, b: F, c: F) -> u64 {
    let sign = 1 << (size_of::<F>() * 8 - 1);
    match op {
        Op::FpAbs => a.bits() & !sign,
        Op::FpNeg => a.bits() ^ sign,
        Op::FpAdd => rounded(Arithmetic::Add, indices, a, b),
        Op::FpSub => rounded(Arithmetic::Sub, indices, a, b),
        Op::FpMul => rounded(Arithmetic::Mul, indices, a, b),
        Op::FpDiv => rounded(Arithmetic::Div, indices, a, b),
        Op::FpFma => float::fma(Rounding::from_code(indices[0]), a, b, c).bits(),
        Op::FpSqrt => float::sqrt(Rounding::from_code(indices[0]), a).bits(),
        Op::FpRem => a.remainder(b).bits(),
        Op::FpRoundToIntegral => a.round(Rounding::from_code(indices[0])).bits(),
        Op::FpMin => preferred(a, b, a < b || (a == b && a.negative())).bits(),
        Op::FpMax => preferred(a, b, a > b || (a == b && !a.negative())).bits(),
        Op::FpLe => u64::from(a <= b),
        Op::FpLt => u64::from(a < b),
        Op::FpEq => u64::from(a == b),
        Op::FpIsNormal => u64::from(a.class() == FpCategory::Normal),
        Op::FpIsSubnormal => u64::from(a.class() == FpCategory::Subnormal),
        Op::FpIsZero => u64::from(a.class() == FpCategory::Zero),
        Op::FpIsInfinite => u64::from(a.class() == FpCategory::Infinite),
        Op::FpIsNan => u64::from(a.class() == FpCategory::Nan),
        Op::FpIsNegative => u64::from(a.class() != FpCategory::Nan && a.negative()),
        Op::FpIsPositive => u64::from(a.class() != FpCategory::Nan && !a.negative()),
        Op::FpToSbv => {
            let width = u32::from(indices[1]);
            let limit = i64::MAX >> (64 - width);
            let x = a.round(Rounding::from_code(indices[0])).to_i64();
            x.clamp(-limit - 1, limit) as u64 & Sort::Bv(indices[1]).mask()
        }
        Op::FpToUbv => {
            let x = a.round(Rounding::from_code(indices[0])).to_u64();
            x.min(Sort::Bv(indices[1]).mask())
        }
        other => unreachable!("{other:?} is not an operator on floats"),
    }
}

#[inline(always)]
fn rounded<F: Ieee>(op: Arithmetic, indices: Indices, a: F, b: F) -> u64 {
    float::arithmetic(op, Rounding::from_code(indices[0]), a, b).bits()
}

/// `a` if it wins or `b` is a NaN.
#[inline(always)]
fn preferred<F: Ieee>(a: F, b: F, a_wins: bool) -> F {
    if a_wins || b.class() == FpCategory::Nan { a } else { b }
}

#[inline(always)]
fn canonical(sort: Sort, bits: u64) -> u64 {
    match sort {
        Sort::F32 => f32::canonical_bits(bits),
        Sort::F64 => f64::canonical_bits(bits),
        Sort::Bool | Sort::Bv(_) => bits,
    }
}

#[inline(always)]
fn convert(from: Sort, indices: Indices, a: u64) -> u64 {
    match (from, indices[1]) {
        (Sort::F64, 32) => float::narrow(Rounding::from_code(indices[0]), f64::of_bits(a)).bits(),
        (Sort::F32, 64) => f64::from(f32::of_bits(a)).bits(),
        (Sort::F32 | Sort::F64 | Sort::Bool | Sort::Bv(_), _) => a,
    }
}

#[inline(always)]
fn signed(sort: Sort, bits: u64) -> i64 {
    sign_extend(bits, sort.bits() as u8)
}

#[inline(always)]
fn shift(sort: Sort, amount: u64) -> Option<u32> {
    (amount < u64::from(sort.bits())).then_some(amount as u32)
}

#[inline(always)]
fn rotate_left(sort: Sort, a: u64, n: u64) -> u64 {
    if n == 0 { a } else { ((a << n) | (a >> (u64::from(sort.bits()) - n))) & sort.mask() }
}

#[inline(always)]
fn signed_division(sort: Sort, a: u64, b: u64) -> u64 {
    let (x, y) = (signed(sort, a), signed(sort, b));
    let quotient = match y {
        0 if x < 0 => 1,
        0 => -1,
        _ => x.wrapping_div(y),
    };
    quotient as u64 & sort.mask()
}

#[inline(always)]
fn signed_remainder(sort: Sort, a: u64, b: u64) -> u64 {
    let (x, y) = (signed(sort, a), signed(sort, b));
    let remainder = if y == 0 { x } else { x.wrapping_rem(y) };
    remainder as u64 & sort.mask()
}

#[inline(always)]
fn signed_modulo(sort: Sort, a: u64, b: u64) -> u64 {
    let (x, y) = (signed(sort, a), signed(sort, b));
    let remainder = if y == 0 { x } else { x.wrapping_rem(y) };
    let adjust = y != 0 && remainder != 0 && (remainder < 0) != (y < 0);
    (if adjust { remainder.wrapping_add(y) } else { remainder }) as u64 & sort.mask()
}

#[cfg(test)]
mod tests;
