//! What operators on bit-vectors can give.
//!
//! Every function covers all values of its arguments' spans: sums and products are those of integers, taken
//! modulo two to the width at the end, so a span that wraps around becomes two or all.

use super::domain::{Domain, infinity, top_bit};
use symcrete_term::Sort;

type Range = (i128, i128);

/// Joins what `of` gives for each pair of spans.
fn pairs(
    sort: Sort,
    a: impl Iterator<Item = Range>,
    b: impl Iterator<Item = Range> + Clone,
    of: impl Fn(Range, Range) -> Option<Range>,
) -> Domain {
    let mut result = Domain::empty(sort);
    for x in a {
        for y in b.clone() {
            match of(x, y) {
                Some((low, high)) => result.insert_integers(low, high),
                None => return Domain::top(sort),
            }
        }
    }
    result
}

fn each(sort: Sort, a: impl Iterator<Item = Range>, of: impl Fn(Range) -> Range) -> Domain {
    let mut result = Domain::empty(sort);
    for x in a {
        let (low, high) = of(x);
        result.insert_integers(low, high);
    }
    result
}

/// The least and the greatest of what a function gives at the corners of a box.
fn corners(x: Range, y: Range, of: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
    let values = [of(x.0, y.0)?, of(x.0, y.1)?, of(x.1, y.0)?, of(x.1, y.1)?];
    Some((values.into_iter().min()?, values.into_iter().max()?))
}

pub(crate) fn not(a: Domain) -> Domain {
    each(a.sort, a.unsigned(), |(low, high)| (-1 - high, -1 - low))
}

pub(crate) fn neg(a: Domain) -> Domain {
    each(a.sort, a.unsigned(), |(low, high)| (-high, -low))
}

pub(crate) fn add(a: Domain, b: Domain) -> Domain {
    pairs(a.sort, a.unsigned(), b.unsigned(), |x, y| Some((x.0 + y.0, x.1 + y.1)))
}

pub(crate) fn sub(a: Domain, b: Domain) -> Domain {
    pairs(a.sort, a.unsigned(), b.unsigned(), |x, y| Some((x.0 - y.1, x.1 - y.0)))
}

/// Signed numbers are the smaller ones: their products wrap around later.
pub(crate) fn mul(a: Domain, b: Domain) -> Domain {
    pairs(a.sort, a.signed(), b.signed(), |x, y| corners(x, y, i128::checked_mul))
}

/// The bits that are set in neither number are clear in what bitwise operators give.
fn ones_up_to(x: i128, y: i128) -> i128 {
    let bits = 128 - (x | y).leading_zeros();
    (1i128 << bits) - 1
}

pub(crate) fn and(a: Domain, b: Domain) -> Domain {
    let [x, y] = [a, b].map(leading);
    let known = Leading { ones: x.ones & y.ones, zeros: x.zeros | y.zeros };
    let range = pairs(a.sort, a.unsigned(), b.unsigned(), |x, y| Some((0, x.1.min(y.1))));
    range.meet(known.domain(a.sort))
}

pub(crate) fn or(a: Domain, b: Domain) -> Domain {
    let [x, y] = [a, b].map(leading);
    let known = Leading { ones: x.ones | y.ones, zeros: x.zeros & y.zeros };
    let of = |x: Range, y: Range| Some((x.0.max(y.0), ones_up_to(x.1, y.1)));
    pairs(a.sort, a.unsigned(), b.unsigned(), of).meet(known.domain(a.sort))
}

pub(crate) fn xor(a: Domain, b: Domain) -> Domain {
    let [x, y] = [a, b].map(leading);
    let ones = (x.ones & y.zeros) | (x.zeros & y.ones);
    let known = Leading { ones, zeros: (x.ones & y.ones) | (x.zeros & y.zeros) };
    known.domain(a.sort)
}

/// Bits that all values of a set share.
struct Leading {
    ones: u64,
    zeros: u64,
}

/// The leading bits on which the least and the greatest value agree are those of all values between.
fn leading(a: Domain) -> Leading {
    let span = a.spans[0].join(a.spans[1]);
    let differ = span.low ^ span.high;
    let open = if differ == 0 { 0 } else { u64::MAX >> differ.leading_zeros() };
    Leading { ones: span.low & !open, zeros: !span.low & !open }
}

impl Leading {
    /// All values that have these bits.
    fn domain(&self, sort: Sort) -> Domain {
        let mut domain = Domain::empty(sort);
        domain.insert_bits(self.ones & sort.mask(), !self.zeros & sort.mask());
        domain
    }
}

pub(crate) fn udiv(a: Domain, b: Domain) -> Domain {
    let mut result =
        pairs(a.sort, a.unsigned(), without_zero(b), |x, y| Some((x.0 / y.1, x.1 / y.0)));
    if has_zero(b) && !a.is_empty() {
        result.insert(a.sort.mask());
    }
    result
}

pub(crate) fn urem(a: Domain, b: Domain) -> Domain {
    let result = pairs(a.sort, a.unsigned(), without_zero(b), |x, y| {
        Some(if x.1 < y.0 { x } else { (0, x.1.min(y.1 - 1)) })
    });
    if has_zero(b) { result.join(a) } else { result }
}

pub(crate) fn sdiv(a: Domain, b: Domain) -> Domain {
    let divisors = signed_without_zero(b);
    let mut result = pairs(a.sort, a.signed(), divisors, |x, y| corners(x, y, |x, y| Some(x / y)));
    if has_zero(b) {
        for (negative, _) in a.parts() {
            result.insert(if negative { 1 } else { a.sort.mask() });
        }
    }
    result
}

pub(crate) fn srem(a: Domain, b: Domain) -> Domain {
    let result = pairs(a.sort, a.signed(), signed_without_zero(b), |x, y| {
        let below = y.0.abs().max(y.1.abs()) - 1;
        Some((x.0.clamp(-below, 0), x.1.clamp(0, below)))
    });
    if has_zero(b) { result.join(a) } else { result }
}

pub(crate) fn smod(a: Domain, b: Domain) -> Domain {
    let result = pairs(a.sort, a.signed(), signed_without_zero(b), |_, y| {
        Some(if y.0 > 0 { (0, y.1 - 1) } else { (y.0 + 1, 0) })
    });
    if has_zero(b) { result.join(a) } else { result }
}

fn has_zero(a: Domain) -> bool {
    a.spans[0].low == 0
}

fn without_zero(a: Domain) -> impl Iterator<Item = Range> + Clone {
    a.unsigned().map(|(low, high)| (low.max(1), high)).filter(|(low, high)| low <= high)
}

fn signed_without_zero(a: Domain) -> impl Iterator<Item = Range> + Clone {
    let positive = |(low, high): Range| if high < 0 { (low, high) } else { (low.max(1), high) };
    a.signed().map(positive).filter(|(low, high)| low <= high)
}

pub(crate) fn shl(a: Domain, b: Domain) -> Domain {
    let width = i128::from(a.sort.bits());
    pairs(a.sort, a.unsigned(), b.unsigned(), |x, y| {
        if y.0 >= width {
            return Some((0, 0));
        }
        // 64 bits shifted by less than 63 stay within an i128.
        if y.1 >= width.min(63) {
            return None;
        }
        Some((x.0 << y.0, x.1 << y.1))
    })
}

pub(crate) fn lshr(a: Domain, b: Domain) -> Domain {
    let width = i128::from(a.sort.bits());
    let of = |x: Range, y: Range| Some((x.0 >> y.1.min(width), x.1 >> y.0.min(width)));
    pairs(a.sort, a.unsigned(), b.unsigned(), of)
}

pub(crate) fn ashr(a: Domain, b: Domain) -> Domain {
    let last = i128::from(a.sort.bits()) - 1;
    let of = |x: Range, y: Range| corners(x, y, |x, n| Some(x >> n.min(last)));
    pairs(a.sort, a.signed(), b.unsigned(), of)
}

pub(crate) fn clz(a: Domain) -> Domain {
    let unused = 128 - a.sort.bits();
    let zeros = |x: i128| i128::from(x.leading_zeros() - unused);
    each(a.sort, a.unsigned(), |(low, high)| (zeros(high), zeros(low)))
}

pub(crate) fn ctz(a: Domain) -> Domain {
    let width = i128::from(a.sort.bits());
    each(a.sort, a.unsigned(), |(low, high)| {
        let lowest = if high == 0 { width } else { 0 };
        let last_bit = i128::from(127 - (high | 1).leading_zeros());
        (lowest, if low == 0 { width } else { last_bit })
    })
}

pub(crate) fn popcnt(a: Domain) -> Domain {
    each(a.sort, a.unsigned(), |(low, high)| {
        (i128::from(low > 0), i128::from(128 - high.leading_zeros()))
    })
}

pub(crate) fn concat(a: Domain, b: Domain, sort: Sort) -> Domain {
    let n = b.sort.bits();
    pairs(sort, a.unsigned(), b.unsigned(), |x, y| Some(((x.0 << n) + y.0, (x.1 << n) + y.1)))
}

pub(crate) fn extract(a: Domain, low: u8, sort: Sort) -> Domain {
    each(sort, a.unsigned(), |(x, y)| (x >> low, y >> low))
}

pub(crate) fn zero_extend(a: Domain, sort: Sort) -> Domain {
    each(sort, a.unsigned(), |range| range)
}

pub(crate) fn sign_extend(a: Domain, sort: Sort) -> Domain {
    each(sort, a.signed(), |range| range)
}

pub(crate) fn unsigned_below(a: Domain, b: Domain, or_equal: bool) -> Domain {
    below(hull(a.unsigned()), hull(b.unsigned()), or_equal)
}

pub(crate) fn signed_below(a: Domain, b: Domain, or_equal: bool) -> Domain {
    below(hull(a.signed()), hull(b.signed()), or_equal)
}

/// The least interval that has them all.
pub(crate) fn hull(ranges: impl Iterator<Item = Range>) -> Option<Range> {
    ranges.reduce(|x, y| (x.0.min(y.0), x.1.max(y.1)))
}

fn below(a: Option<Range>, b: Option<Range>, or_equal: bool) -> Domain {
    let (Some(x), Some(y)) = (a, b) else { return Domain::empty(Sort::Bool) };
    if or_equal {
        Domain::truths(x.0 <= y.1, x.1 > y.0)
    } else {
        Domain::truths(x.0 < y.1, x.1 >= y.0)
    }
}

/// The floats whose bits these are.
pub(crate) fn as_floats(a: Domain, sort: Sort) -> Domain {
    let nan = a.parts().any(|(_, span)| span.high & !top_bit(sort) > infinity(sort));
    Domain { nan, ..Domain { sort, ..a }.meet(Domain::top(sort)) }
}
