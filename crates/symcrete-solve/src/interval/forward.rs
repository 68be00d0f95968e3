//! What a term can be, given what its arguments can be.
//!
//! **Invariant:** if every argument's value is in its set, the term's value is in the result. Everything that
//! this module's users conclude rests on that alone.

use super::domain::{Domain, infinity};
use super::floats::{Classes, Operation};
use super::math::Math;
use super::{bits, floats};
use symcrete_term::op::Indices;
use symcrete_term::{Op, Sort, Value, eval};

/// A term, prepared for repeated evaluation on sets.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// Nothing is known but what the term's set says already.
    Leaf,
    /// An operator. `twice` says that the first two arguments are the same term.
    App { op: Op, indices: Indices, twice: bool },
    /// A function of the math library.
    Math(Math<'a>),
    /// An entry of a table of these, zero beyond.
    Lookup(&'a [u64]),
}

/// A lookup among more entries is not worth it.
const ENTRIES_MAX: u64 = 1024;

/// What a step gives for arguments within these sets; of that sort.
pub(crate) fn image(step: Step<'_>, sort: Sort, args: &[Domain]) -> Domain {
    match step {
        Step::Leaf => Domain::top(sort),
        Step::Math(math) => math.image(args),
        Step::Lookup(entries) => lookup(entries, sort, args[0]),
        Step::App { op, indices, twice } => {
            if let Some(value) = of_singles(op, indices, args) {
                return Domain::only(value);
            }
            app(op, indices, sort, twice, args)
        }
    }
}

fn of_singles(op: Op, indices: Indices, args: &[Domain]) -> Option<Value> {
    let mut values = [Value::Bool(false); 3];
    for (value, arg) in values.iter_mut().zip(args) {
        *value = arg.single()?;
    }
    Some(eval::eval(op, indices, &values[..args.len()]))
}

fn lookup(entries: &[u64], sort: Sort, index: Domain) -> Domain {
    let mut result = Domain::empty(sort);
    for (_, span) in index.parts() {
        let end = entries.len() as u64;
        if span.high >= end {
            result.insert(0);
        }
        if span.low >= end {
            continue;
        }
        let last = span.high.min(end - 1);
        if last - span.low >= ENTRIES_MAX {
            return Domain::top(sort);
        }
        for &entry in &entries[span.low as usize..=last as usize] {
            result.insert(entry);
        }
    }
    result
}

/// One row per operator: no operator is forgotten.
#[expect(clippy::too_many_lines, reason = "one row per operator is how a table reads best")]
fn app(op: Op, indices: Indices, sort: Sort, twice: bool, args: &[Domain]) -> Domain {
    let a = args[0];
    let b = args.get(1).copied().unwrap_or(a);
    let operation = Operation { op, indices, sort: a.sort };
    match op {
        Op::Not => Domain::truths(a.can_be(false), a.can_be(true)),
        Op::And => {
            Domain::truths(a.can_be(true) && b.can_be(true), a.can_be(false) || b.can_be(false))
        }
        Op::Or => {
            Domain::truths(a.can_be(true) || b.can_be(true), a.can_be(false) && b.can_be(false))
        }
        Op::Xor => {
            let can = |x, y| a.can_be(x) && b.can_be(y);
            Domain::truths(
                can(true, false) || can(false, true),
                can(true, true) || can(false, false),
            )
        }
        // Two sets of one equal value each were evaluated before.
        Op::Eq => Domain::truths(!a.meet(b).is_empty(), !twice),
        Op::Ite => {
            let branch = |truth: bool, arg: Domain| {
                if a.can_be(truth) { arg } else { Domain::empty(sort) }
            };
            branch(true, b).join(branch(false, args[2]))
        }
        Op::BvNot => bits::not(a),
        Op::BvNeg => bits::neg(a),
        Op::BvAnd => bits::and(a, b),
        Op::BvOr => bits::or(a, b),
        Op::BvXor => bits::xor(a, b),
        Op::BvAdd => bits::add(a, b),
        Op::BvSub => bits::sub(a, b),
        Op::BvMul => bits::mul(a, b),
        Op::BvUdiv => bits::udiv(a, b),
        Op::BvUrem => bits::urem(a, b),
        Op::BvSdiv => bits::sdiv(a, b),
        Op::BvSrem => bits::srem(a, b),
        Op::BvSmod => bits::smod(a, b),
        Op::BvShl => bits::shl(a, b),
        Op::BvLshr => bits::lshr(a, b),
        Op::BvAshr => bits::ashr(a, b),
        Op::BvRotl | Op::BvRotr => Domain::top(sort),
        Op::BvClz => bits::clz(a),
        Op::BvCtz => bits::ctz(a),
        Op::BvPopcnt => bits::popcnt(a),
        Op::BvUlt => bits::unsigned_below(a, b, false),
        Op::BvUle => bits::unsigned_below(a, b, true),
        Op::BvSlt => bits::signed_below(a, b, false),
        Op::BvSle => bits::signed_below(a, b, true),
        Op::Concat => bits::concat(a, b, sort),
        Op::Extract => bits::extract(a, indices[1], sort),
        Op::ZeroExtend => bits::zero_extend(a, sort),
        Op::SignExtend => bits::sign_extend(a, sort),
        Op::FpAbs => floats::abs(a),
        Op::FpNeg => floats::neg(a),
        Op::FpAdd | Op::FpSub => floats::sum(operation, a, b),
        Op::FpMul => floats::product(operation, a, b, twice),
        Op::FpDiv => floats::quotient(operation, a, b),
        Op::FpFma => floats::fma(operation, a, b, args[2]),
        Op::FpSqrt => floats::sqrt(operation, a),
        Op::FpRem => floats::remainder(a, b),
        Op::FpRoundToIntegral | Op::FpOfFp => floats::monotone(operation, a),
        Op::FpMin => floats::extreme(a, b, false),
        Op::FpMax => floats::extreme(a, b, true),
        Op::FpLe => floats::below(a, b, true),
        Op::FpLt => floats::below(a, b, false),
        Op::FpEq => floats::equal(a, b),
        Op::FpIsNormal
        | Op::FpIsSubnormal
        | Op::FpIsZero
        | Op::FpIsInfinite
        | Op::FpIsNegative
        | Op::FpIsPositive => classes(op, a.sort).test(a),
        Op::FpIsNan => Domain::truths(a.nan, !a.has_no_number()),
        Op::FpOfBits => bits::as_floats(a, sort),
        Op::FpBits => floats::bits_of(a, sort),
        Op::FpOfSbv => floats::of_bits(operation, a, sort, true),
        Op::FpOfUbv => floats::of_bits(operation, a, sort, false),
        Op::FpToSbv => floats::to_bits(operation, a, sort, true),
        Op::FpToUbv => floats::to_bits(operation, a, sort, false),
    }
}

/// For which floats a test holds.
#[expect(clippy::wildcard_enum_match_arm, reason = "the caller has chosen the operators")]
fn classes(op: Op, sort: Sort) -> Classes {
    let (infinity, normal) = (infinity(sort), floats::least_normal(sort));
    let both = [true, true];
    let (magnitudes, signs) = match op {
        Op::FpIsNormal => ((normal, infinity - 1), both),
        Op::FpIsSubnormal => ((1, normal - 1), both),
        Op::FpIsZero => ((0, 0), both),
        Op::FpIsInfinite => ((infinity, infinity), both),
        Op::FpIsNegative => ((0, infinity), [false, true]),
        Op::FpIsPositive => ((0, infinity), [true, false]),
        other => unreachable!("{other:?} is not a test of a class"),
    };
    Classes { magnitudes, signs }
}
