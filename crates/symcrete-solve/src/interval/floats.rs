//! What operators on floats can give.
//!
//! A rounded operation is monotone in each argument where the others' signs are fixed, so its values at the
//! corners of a box of spans, rounded as the operation rounds, bound all its values exactly. Corners are
//! evaluated by the evaluator itself. Where a corner is NaN (`0 * inf` and the like), a bound that holds
//! for all neighbours takes its place.
//!
//! Places are those of [`super::domain::place`]: minus zero is just below plus zero, and the operations are
//! monotone in that order too.

use super::domain::{Domain, bits_at, infinity, place, rank, top_bit};
use symcrete_term::op::Indices;
use symcrete_term::{Op, Sort, Value};

/// An operator with its indices, on floats of one sort.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) op: Op,
    pub(crate) indices: Indices,
    pub(crate) sort: Sort,
}

impl Operation {
    /// The place of the result for arguments at places; `None` for NaN.
    fn at<const N: usize>(self, places: [i64; N]) -> Option<i64> {
        let args = places.map(|place| Value::from_bits(self.sort, bits_at(self.sort, place)));
        let value = symcrete_term::eval::eval(self.op, self.indices, &args);
        place_of(value)
    }
}

/// The place of a float; `None` for NaN.
pub(crate) fn place_of(value: Value) -> Option<i64> {
    let is_nan = value.as_f64().is_none_or(f64::is_nan);
    (!is_nan).then(|| place(value.sort(), value.bits()))
}

/// The place of plus infinity.
pub(crate) fn top_place(sort: Sort) -> i64 {
    infinity(sort) as i64
}

/// The place of minus infinity.
pub(crate) fn bottom_place(sort: Sort) -> i64 {
    -top_place(sort) - 1
}

pub(crate) fn has_infinity(a: Domain, negative: bool) -> bool {
    let bits = infinity(a.sort) | if negative { top_bit(a.sort) } else { 0 };
    let span = a.spans[usize::from(negative)];
    !span.is_empty() && span.high == bits
}

pub(crate) fn has_any_infinity(a: Domain) -> bool {
    has_infinity(a, false) || has_infinity(a, true)
}

pub(crate) fn has_zero(a: Domain) -> bool {
    a.parts().any(|(_, span)| span.low & !top_bit(a.sort) == 0)
}

pub(crate) fn abs(a: Domain) -> Domain {
    let sign = top_bit(a.sort);
    let mut result = Domain { nan: a.nan, ..Domain::empty(a.sort) };
    for (_, span) in a.parts() {
        result.insert_bits(span.low & !sign, span.high & !sign);
    }
    result
}

pub(crate) fn neg(a: Domain) -> Domain {
    let sign = top_bit(a.sort);
    let mut result = Domain { nan: a.nan, ..Domain::empty(a.sort) };
    for (_, span) in a.parts() {
        result.insert_bits(span.low ^ sign, span.high ^ sign);
    }
    result
}

/// Sum or difference; the second argument of a difference counts downwards.
pub(crate) fn sum(operation: Operation, a: Domain, b: Domain) -> Domain {
    let sort = a.sort;
    let minus = operation.op == Op::FpSub;
    let clash = |negative| has_infinity(a, negative) && has_infinity(b, negative == minus);
    let nan = a.nan || b.nan || clash(false) || clash(true);
    let mut result = Domain { nan, ..Domain::empty(sort) };
    for x in a.places() {
        for y in b.places() {
            let y = if minus { (y.1, y.0) } else { y };
            // A corner is NaN where infinities clash. At the low one, one argument is nothing but the infinity
            // that pulls upwards, so a sum that is a number is that infinity; and the other way at the high one.
            let low = operation.at([x.0, y.0]).unwrap_or(top_place(sort));
            let high = operation.at([x.1, y.1]).unwrap_or(bottom_place(sort));
            result.insert_places(low, high);
        }
    }
    result
}

/// Product; `square` says that both arguments are the same term.
pub(crate) fn product(operation: Operation, a: Domain, b: Domain, square: bool) -> Domain {
    let sort = a.sort;
    let clash = |x, y| has_zero(x) && has_any_infinity(y);
    let nan = a.nan || b.nan || (!square && (clash(a, b) || clash(b, a)));
    let mut result = Domain { nan, ..Domain::empty(sort) };
    for (x_negative, x) in a.parts() {
        for (y_negative, y) in b.parts() {
            if square && x_negative != y_negative {
                continue;
            }
            // Magnitudes grow from the low to the high end of a span.
            let at = |x, y| operation.at([place(sort, x), place(sort, y)]);
            let sign = x_negative != y_negative;
            insert_magnitudes(&mut result, sign, at(x.low, y.low), at(x.high, y.high));
        }
    }
    result
}

pub(crate) fn quotient(operation: Operation, a: Domain, b: Domain) -> Domain {
    let sort = a.sort;
    let clash = (has_zero(a) && has_zero(b)) || (has_any_infinity(a) && has_any_infinity(b));
    let mut result = Domain { nan: a.nan || b.nan || clash, ..Domain::empty(sort) };
    for (x_negative, x) in a.parts() {
        for (y_negative, y) in b.parts() {
            let at = |x, y| operation.at([place(sort, x), place(sort, y)]);
            let sign = x_negative != y_negative;
            insert_magnitudes(&mut result, sign, at(x.low, y.high), at(x.high, y.low));
        }
    }
    result
}

/// Adds the floats of one sign from the least to the greatest magnitude, zero and infinity where these are NaN.
fn insert_magnitudes(result: &mut Domain, negative: bool, least: Option<i64>, most: Option<i64>) {
    let sort = result.sort;
    if negative {
        result.insert_places(most.unwrap_or(bottom_place(sort)), least.unwrap_or(-1));
    } else {
        result.insert_places(least.unwrap_or(0), most.unwrap_or(top_place(sort)));
    }
}

/// `a * b + c`, without much care for infinities.
pub(crate) fn fma(operation: Operation, a: Domain, b: Domain, c: Domain) -> Domain {
    let sort = a.sort;
    let args = [a, b, c];
    let nan = args.iter().any(|&arg| arg.nan || has_any_infinity(arg));
    let mut result = Domain { nan, ..Domain::empty(sort) };
    for x in a.places() {
        for y in b.places() {
            for z in c.places() {
                let corner = |z| {
                    let at = |x, y| operation.at([x, y, z]);
                    Some([at(x.0, y.0)?, at(x.0, y.1)?, at(x.1, y.0)?, at(x.1, y.1)?])
                };
                let (Some(lows), Some(highs)) = (corner(z.0), corner(z.1)) else {
                    return Domain::top(sort);
                };
                let low = lows.into_iter().min().unwrap_or(bottom_place(sort));
                let high = highs.into_iter().max().unwrap_or(top_place(sort));
                result.insert_places(low, high);
            }
        }
    }
    with_both_zeros(result)
}

/// Where the sign of a zero is not known: if one zero is in, both are.
pub(crate) fn with_both_zeros(a: Domain) -> Domain {
    let mut result = a;
    if has_zero(a) {
        result.insert_places(-1, 0);
    }
    result
}

pub(crate) fn sqrt(operation: Operation, a: Domain) -> Domain {
    let mut result = monotone(operation, part_from(a, -1));
    result.nan = a.nan || a.range().is_some_and(|(low, _)| low < -1);
    result
}

/// The numbers at or above a place.
pub(crate) fn part_from(a: Domain, low: i64) -> Domain {
    let mut part = Domain::empty(a.sort);
    part.insert_places(low, top_place(a.sort));
    a.meet(part)
}

/// An operation of one argument that keeps the order and NaN, such as rounding to an integral number.
pub(crate) fn monotone(operation: Operation, a: Domain) -> Domain {
    let result = operation.op.result_sort(operation.indices, &[operation.sort]).unwrap_or(a.sort);
    let mut image = Domain { nan: a.nan, ..Domain::empty(result) };
    for (low, high) in a.places() {
        match (operation.at([low]), operation.at([high])) {
            (Some(low), Some(high)) => image.insert_places(low, high),
            (None, _) | (_, None) => return Domain::top(result),
        }
    }
    image
}

/// IEEE remainder: not beyond the dividend, nor the divisor.
pub(crate) fn remainder(a: Domain, b: Domain) -> Domain {
    let nan = a.nan || b.nan || has_any_infinity(a) || has_zero(b);
    let mut result = Domain { nan, ..Domain::empty(a.sort) };
    if let (Some((_, x)), Some((_, y))) = (abs(a).range(), abs(b).range()) {
        result.insert_places(-x.min(y) - 1, x.min(y));
    }
    result
}

/// The lesser or the greater, where a NaN loses.
pub(crate) fn extreme(a: Domain, b: Domain, greater: bool) -> Domain {
    let mut result = Domain { nan: a.nan && b.nan, ..Domain::empty(a.sort) };
    for x in a.places() {
        for y in b.places() {
            if greater {
                result.insert_places(x.0.max(y.0), x.1.max(y.1));
            } else {
                result.insert_places(x.0.min(y.0), x.1.min(y.1));
            }
        }
    }
    let mut join_numbers = |other: Domain, if_nan: bool| {
        if if_nan {
            result = result.join(other.without_nan());
        }
    };
    join_numbers(a, b.nan);
    join_numbers(b, a.nan);
    result
}

pub(crate) fn below(a: Domain, b: Domain, or_equal: bool) -> Domain {
    let nan = (a.nan && !b.is_empty()) || (b.nan && !a.is_empty());
    let (Some(x), Some(y)) = (a.range(), b.range()) else { return Domain::truths(false, nan) };
    let [x0, x1, y0, y1] = [x.0, x.1, y.0, y.1].map(rank);
    if or_equal {
        Domain::truths(x0 <= y1, nan || x1 > y0)
    } else {
        Domain::truths(x0 < y1, nan || x1 >= y0)
    }
}

pub(crate) fn equal(a: Domain, b: Domain) -> Domain {
    let nan = (a.nan && !b.is_empty()) || (b.nan && !a.is_empty());
    let (Some(x), Some(y)) = (a.range(), b.range()) else { return Domain::truths(false, nan) };
    let meet = |x: (i64, i64), y: (i64, i64)| rank(x.0) <= rank(y.1) && rank(y.0) <= rank(x.1);
    let can_be_true = a.places().any(|x| b.places().any(|y| meet(x, y)));
    let one = rank(x.0) == rank(x.1) && rank(y.0) == rank(y.1) && rank(x.0) == rank(y.0);
    Domain::truths(can_be_true, nan || !one)
}

/// Tests of a float's class.
#[derive(Clone, Copy)]
pub(crate) struct Classes {
    /// Magnitudes for which the test holds, both ends included.
    pub(crate) magnitudes: (u64, u64),
    /// Signs for which it holds: clear, set.
    pub(crate) signs: [bool; 2],
}

impl Classes {
    pub(crate) fn test(self, a: Domain) -> Domain {
        let (least, most) = self.magnitudes;
        let mut can_be = [a.nan, false];
        for (negative, span) in a.parts() {
            let sign = top_bit(a.sort);
            let (low, high) = (span.low & !sign, span.high & !sign);
            let holds = self.signs[usize::from(negative)];
            can_be[1] |= holds && low <= most && least <= high;
            can_be[0] |= !holds || low < least || high > most;
        }
        Domain::truths(can_be[1], can_be[0])
    }
}

/// The least normal number's bits.
pub(crate) fn least_normal(sort: Sort) -> u64 {
    if sort == Sort::F32 {
        u64::from(f32::MIN_POSITIVE.to_bits())
    } else {
        f64::MIN_POSITIVE.to_bits()
    }
}

/// To an integer: the order is kept, what is beyond saturates, NaN gives zero.
pub(crate) fn to_bits(operation: Operation, a: Domain, sort: Sort, signed: bool) -> Domain {
    let mut result = Domain::empty(sort);
    if a.nan {
        result.insert(0);
    }
    for (low, high) in a.places() {
        let [low, high] = [low, high].map(|place| {
            let float = Value::from_bits(a.sort, bits_at(a.sort, place));
            let value = symcrete_term::eval::eval(operation.op, operation.indices, &[float]);
            let unsigned = i128::from(value.bits());
            if signed { value.as_signed().map_or(unsigned, i128::from) } else { unsigned }
        });
        result.insert_integers(low, high);
    }
    result
}

/// From an integer: the order is kept.
pub(crate) fn of_bits(operation: Operation, a: Domain, sort: Sort, signed: bool) -> Domain {
    let mut result = Domain::empty(sort);
    let at = |x: i128| {
        let value = Value::from_bits(a.sort, x as u64);
        place_of(symcrete_term::eval::eval(operation.op, operation.indices, &[value]))
    };
    let mut insert = |(low, high): (i128, i128)| match (at(low), at(high)) {
        (Some(low), Some(high)) => result.insert_places(low, high),
        (None, _) | (_, None) => result = Domain::top(sort),
    };
    if signed {
        a.signed().for_each(&mut insert)
    } else {
        a.unsigned().for_each(&mut insert)
    }
    result
}

/// The representation: the canonical one of NaN.
pub(crate) fn bits_of(a: Domain, sort: Sort) -> Domain {
    let mut result = Domain { sort, nan: false, ..a };
    if a.nan {
        result.insert(Value::from_bits(a.sort, u64::MAX).bits());
    }
    result
}
