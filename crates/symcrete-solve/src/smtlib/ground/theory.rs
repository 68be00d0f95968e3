//! What the functions of the theories give for ground values. `None`: not one of ours, or left open by the standard.

use super::float::{Float, Format};
use super::value::{Bits, Ground};
use crate::smtlib::natural::Natural;
use std::cmp::Ordering;
use symcrete_term::Rounding;

/// Applies a function to values.
pub(super) fn apply(name: &str, indices: &[u64], args: &[Ground]) -> Option<Ground> {
    if name.starts_with("fp.") || name.starts_with("to_fp") || name == "fp" {
        return floats(name, indices, args);
    }
    core(name, args).or_else(|| bit_vectors(name, indices, args)).or_else(|| numbers(name, args))
}

/// What constants of `to_fp` are written with, as in `(- (/ 1 3))`.
fn numbers(name: &str, args: &[Ground]) -> Option<Ground> {
    match (name, args) {
        ("-", [Ground::Number(number)]) => Some(Ground::Number(number.negated())),
        ("/", [Ground::Number(a), Ground::Number(b)]) => a.divided_by(b).map(Ground::Number),
        _ => None,
    }
}

fn core(name: &str, args: &[Ground]) -> Option<Ground> {
    let truths = || -> Option<Vec<bool>> { args.iter().map(Ground::truth).collect() };
    let pairs_same =
        || -> Option<Vec<bool>> { args.windows(2).map(|w| same(&w[0], &w[1])).collect() };
    let truth = match name {
        "not" => !args.first()?.truth()?,
        "and" => truths()?.into_iter().all(|truth| truth),
        "or" => truths()?.into_iter().any(|truth| truth),
        "xor" => truths()?.into_iter().fold(false, |a, b| a != b),
        "=>" => {
            // From the right: a => (b => c).
            let truths = truths()?;
            let (last, before) = truths.split_last()?;
            before.iter().any(|truth| !truth) || *last
        }
        "=" => pairs_same()?.into_iter().all(|same| same),
        "distinct" => {
            for (i, a) in args.iter().enumerate() {
                for b in &args[..i] {
                    if same(a, b)? {
                        return Some(Ground::Bool(false));
                    }
                }
            }
            true
        }
        "ite" => {
            let [condition, then, otherwise] = args else { return None };
            return Some(if condition.truth()? { then.clone() } else { otherwise.clone() });
        }
        _ => return None,
    };
    Some(Ground::Bool(truth))
}

fn same(a: &Ground, b: &Ground) -> Option<bool> {
    match (a, b) {
        (Ground::Bool(a), Ground::Bool(b)) => Some(a == b),
        (Ground::Bits(a), Ground::Bits(b)) => Some(a == b),
        (Ground::Float(f, a), Ground::Float(g, b)) => (f == g).then_some(a == b),
        (Ground::Rounding(a), Ground::Rounding(b)) => Some(a == b),
        _ => None,
    }
}

impl Ground {
    pub(super) fn truth(&self) -> Option<bool> {
        if let Ground::Bool(truth) = self { Some(*truth) } else { None }
    }

    fn bits(&self) -> Option<&Bits> {
        if let Ground::Bits(bits) = self { Some(bits) } else { None }
    }

    fn float(&self) -> Option<(Format, &Float)> {
        if let Ground::Float(format, float) = self { Some((*format, float)) } else { None }
    }

    fn rounding(&self) -> Option<Rounding> {
        if let Ground::Rounding(rounding) = self { Some(*rounding) } else { None }
    }
}

fn bit_vectors(name: &str, indices: &[u64], args: &[Ground]) -> Option<Ground> {
    let bits: Vec<&Bits> = args.iter().map(Ground::bits).collect::<Option<_>>()?;
    let &first = bits.first()?;
    let width = first.width;
    let of = |width: u64, number: &Natural| Bits::of(width, number).map(Ground::Bits);
    if let [index] = indices {
        let full = Natural::one().shifted(width);
        return match name {
            "zero_extend" => of(width.checked_add(*index)?, &first.number),
            "sign_extend" if first.is_negative() => {
                let high = Natural::one().shifted(width.checked_add(*index)?).minus(&full);
                of(width + index, &first.number.plus(&high))
            }
            "sign_extend" => of(width.checked_add(*index)?, &first.number),
            "rotate_left" => of(width, &rotated(first, index % width)),
            "rotate_right" => of(width, &rotated(first, (width - index % width) % width)),
            "repeat" => {
                let parts = (0..*index).map(|_| first.clone());
                parts.reduce(|high, low| joined(&high, &low)).map(Ground::Bits)
            }
            _ => None,
        };
    }
    if let ("extract", &[high, low]) = (name, indices) {
        return of((high + 1).checked_sub(low)?, &first.number.shifted_down(low));
    }
    match (name, &bits[..]) {
        ("bvnot", [a]) => of(width, &ones(width).minus(&a.number)),
        ("bvneg", [a]) => Some(Ground::Bits(a.negated())),
        ("concat", parts) => {
            parts.iter().map(|&bits| bits.clone()).reduce(|a, b| joined(&a, &b)).map(Ground::Bits)
        }
        (_, [a, b]) if a.width == b.width => binary(name, a, b),
        ("bvadd" | "bvmul" | "bvand" | "bvor" | "bvxor", _) => {
            let mut sum = first.clone();
            for next in &bits[1..] {
                let Some(Ground::Bits(bits)) = binary(name, &sum, next) else { return None };
                sum = bits;
            }
            Some(Ground::Bits(sum))
        }
        _ => None,
    }
}

fn ones(width: u64) -> Natural {
    Natural::one().shifted(width).minus(&Natural::one())
}

fn joined(high: &Bits, low: &Bits) -> Bits {
    let number = high.number.shifted(low.width).plus(&low.number);
    Bits { width: high.width + low.width, number }
}

fn rotated(bits: &Bits, n: u64) -> Natural {
    let high = bits.number.shifted(n).low_bits(bits.width);
    high.plus(&bits.number.shifted_down(bits.width - n))
}

/// A function of two bit-vectors of one width.
fn binary(name: &str, a: &Bits, b: &Bits) -> Option<Ground> {
    let (x, y) = (&a.number, &b.number);
    let width = a.width;
    let full = || Natural::one().shifted(width);
    let of = |number: Natural| Bits::of(width, &number).map(Ground::Bits);
    let (unsigned, signed) = (x.cmp(y), signed_order(a, b));
    let truth = |truth: bool| Some(Ground::Bool(truth));
    match name {
        "bvand" => of(x.bitwise(y, |a, b| a & b)),
        "bvor" => of(x.bitwise(y, |a, b| a | b)),
        "bvxor" => of(x.bitwise(y, |a, b| a ^ b)),
        "bvnand" => of(ones(width).minus(&x.bitwise(y, |a, b| a & b))),
        "bvnor" => of(ones(width).minus(&x.bitwise(y, |a, b| a | b))),
        "bvxnor" => of(ones(width).minus(&x.bitwise(y, |a, b| a ^ b))),
        "bvadd" => of(x.plus(y)),
        "bvsub" => of(x.plus(&full()).minus(y)),
        "bvmul" => of(x.times(y)),
        "bvudiv" if y.is_zero() => of(ones(width)),
        "bvudiv" => of(x.divided_by(y).0),
        "bvurem" if y.is_zero() => of(x.clone()),
        "bvurem" => of(x.divided_by(y).1),
        "bvsdiv" | "bvsrem" | "bvsmod" => signed_division(name, a, b),
        "bvshl" => of(y.as_u64().filter(|&n| n < width).map_or(Natural::zero(), |n| x.shifted(n))),
        "bvlshr" => {
            of(y.as_u64().filter(|&n| n < width).map_or(Natural::zero(), |n| x.shifted_down(n)))
        }
        "bvashr" => {
            let n = y.as_u64().filter(|&n| n < width).unwrap_or(width);
            let shifted = x.shifted_down(n);
            let high = full().minus(&Natural::one().shifted(width - n));
            of(if a.is_negative() { shifted.plus(&high) } else { shifted })
        }
        "bvcomp" => Bits::of(1, &Natural::of(u64::from(x == y))).map(Ground::Bits),
        "bvult" => truth(unsigned == Ordering::Less),
        "bvule" => truth(unsigned != Ordering::Greater),
        "bvugt" => truth(unsigned == Ordering::Greater),
        "bvuge" => truth(unsigned != Ordering::Less),
        "bvslt" => truth(signed == Ordering::Less),
        "bvsle" => truth(signed != Ordering::Greater),
        "bvsgt" => truth(signed == Ordering::Greater),
        "bvsge" => truth(signed != Ordering::Less),
        _ => None,
    }
}

fn signed_order(a: &Bits, b: &Bits) -> Ordering {
    b.is_negative().cmp(&a.is_negative()).then_with(|| a.number.cmp(&b.number))
}

/// By the definitions of SMT-LIB, from the unsigned quotient and remainder of the magnitudes.
fn signed_division(name: &str, a: &Bits, b: &Bits) -> Option<Ground> {
    let ((m, x), (n, y)) = (a.signed(), b.signed());
    let (quotient, rest) = if y.is_zero() { (ones(a.width), x) } else { x.divided_by(&y) };
    let with_sign = |negative: bool, number: &Natural| {
        let bits = Bits::of(a.width, number)?;
        Some(Ground::Bits(if negative { bits.negated() } else { bits }))
    };
    match name {
        "bvsdiv" => with_sign(m != n, &quotient),
        "bvsrem" => with_sign(m, &rest),
        _ if rest.is_zero() || y.is_zero() || m == n => with_sign(m, &rest),
        // The remainder takes the divisor's sign.
        _ => with_sign(n, &y.minus(&rest)),
    }
}

fn floats(name: &str, indices: &[u64], args: &[Ground]) -> Option<Ground> {
    if let ("to_fp" | "to_fp_unsigned", &[exponent, significand]) = (name, indices) {
        let format = Format::new(exponent, significand)?;
        return conversion(name, format, args).map(|float| Ground::Float(format, float));
    }
    if let ("fp.to_ubv" | "fp.to_sbv", &[width]) = (name, indices) {
        let (rounding, (_, float)) = (args.first()?.rounding()?, args.get(1)?.float()?);
        return to_bits(name == "fp.to_sbv", width, &float.to_integral(rounding)?);
    }
    if name == "fp" {
        let bits: Vec<&Bits> = args.iter().map(Ground::bits).collect::<Option<_>>()?;
        let [sign, exponent, fraction] = bits[..] else { return None };
        let format = Format::new(exponent.width, fraction.width + 1)?;
        let bits = joined(&joined(sign, exponent), fraction);
        return Some(Ground::Float(format, format.of_bits(&bits.number)));
    }
    if let Some(rounding) = args.first()?.rounding() {
        return rounded(name, rounding, &args[1..]);
    }
    let floats: Vec<(Format, &Float)> = args.iter().map(Ground::float).collect::<Option<_>>()?;
    let &(format, a) = floats.first()?;
    let of = |float: Float| Some(Ground::Float(format, float));
    match (name, &floats[..]) {
        ("fp.abs", [_]) => of(a.with_sign(false)),
        ("fp.neg", [_]) => of(a.with_sign(!a.is_negative())),
        ("fp.rem", &[_, (_, b)]) => of(format.remainder(a, b)?),
        ("fp.min" | "fp.max", &[_, (_, b)]) => of(extreme(a, b, name == "fp.max")?),
        (_, [_]) => class(name, format, a).map(Ground::Bool),
        _ => {
            let holds = |order: Ordering| match name {
                "fp.eq" => Some(order == Ordering::Equal),
                "fp.lt" => Some(order == Ordering::Less),
                "fp.leq" => Some(order != Ordering::Greater),
                "fp.gt" => Some(order == Ordering::Greater),
                "fp.geq" => Some(order != Ordering::Less),
                _ => None,
            };
            let mut all = true;
            for pair in floats.windows(2) {
                let order = pair[0].1.compare(pair[1].1)?;
                all &= order.map_or(Some(false), holds)?;
            }
            Some(Ground::Bool(all))
        }
    }
}

/// Where both are zeros of different sign the standard leaves the result open.
fn extreme(a: &Float, b: &Float, greatest: bool) -> Option<Float> {
    if *a == Float::Nan {
        return Some(b.clone());
    }
    let Some(order) = a.compare(b)? else { return Some(a.clone()) };
    let wanted = if greatest { Ordering::Greater } else { Ordering::Less };
    if order == Ordering::Equal && a != b {
        return None;
    }
    Some(if order == wanted { a.clone() } else { b.clone() })
}

fn class(name: &str, format: Format, a: &Float) -> Option<bool> {
    let is_nan = *a == Float::Nan;
    Some(match name {
        "fp.isNaN" => is_nan,
        "fp.isInfinite" => matches!(a, Float::Infinite { .. }),
        "fp.isZero" => a.is_zero(),
        "fp.isNormal" => a.is_normal(format),
        "fp.isSubnormal" => {
            matches!(a, Float::Finite { .. }) && !a.is_zero() && !a.is_normal(format)
        }
        "fp.isNegative" => a.is_negative(),
        "fp.isPositive" => !is_nan && !a.is_negative(),
        _ => return None,
    })
}

/// Operations with a rounding mode.
fn rounded(name: &str, rounding: Rounding, args: &[Ground]) -> Option<Ground> {
    let floats: Vec<(Format, &Float)> = args.iter().map(Ground::float).collect::<Option<_>>()?;
    let &(format, a) = floats.first()?;
    let float = match (name, &floats[..]) {
        ("fp.add", &[_, (_, b)]) => format.add(rounding, a, b)?,
        ("fp.sub", &[_, (_, b)]) => format.add(rounding, a, &b.with_sign(!b.is_negative()))?,
        ("fp.mul", &[_, (_, b)]) => format.multiply(rounding, a, b)?,
        ("fp.div", &[_, (_, b)]) => format.divide(rounding, a, b)?,
        ("fp.fma", &[_, (_, b), (_, c)]) => format.fma(rounding, a, b, c)?,
        ("fp.sqrt", [_]) => format.square_root(rounding, a)?,
        ("fp.roundToIntegral", [_]) => a.to_integral(rounding)?,
        _ => return None,
    };
    Some(Ground::Float(format, float))
}

fn conversion(name: &str, format: Format, args: &[Ground]) -> Option<Float> {
    if let [Ground::Bits(bits)] = args {
        return (name == "to_fp" && bits.width == format.width())
            .then(|| format.of_bits(&bits.number));
    }
    let [rounding, source] = args else { return None };
    let rounding = rounding.rounding()?;
    match source {
        Ground::Float(_, float) => format.convert(rounding, float),
        Ground::Bits(bits) => {
            let (negative, number) =
                if name == "to_fp" { bits.signed() } else { (false, bits.number.clone()) };
            format.round(rounding, negative, (&number, &Natural::one()), 0)
        }
        Ground::Number(number) => {
            let (negative, numerator, denominator) = number.parts();
            let negative = negative && !numerator.is_zero();
            format.round(rounding, negative, (numerator, denominator), 0)
        }
        Ground::Bool(_) | Ground::Rounding(_) => None,
    }
}

/// What is out of range is left open by the standard.
fn to_bits(signed: bool, width: u64, float: &Float) -> Option<Ground> {
    let (negative, number) = float.as_whole()?;
    let bits = Bits::of(width, &number)?;
    let half = Natural::one().shifted(width - 1);
    let fits = match (signed, negative && !number.is_zero()) {
        (true, true) => number <= half,
        (true, false) => number < half,
        (false, true) => false,
        (false, false) => number == bits.number,
    };
    fits.then(|| Ground::Bits(if negative { bits.negated() } else { bits }))
}
