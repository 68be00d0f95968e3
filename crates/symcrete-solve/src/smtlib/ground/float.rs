//! Floats of every format of the theory FloatingPoint, by exact arithmetic and one rounding.
//!
//! A number is an integer times a power of two. Operations are computed exactly and rounded once, by the definition
//! of IEEE 754; nothing here uses the machine's floats. Where exponents are so far apart that exact
//! arithmetic would take too long, and where the standard leaves a result open, there is no answer.

use crate::smtlib::natural::Natural;
use std::cmp::Ordering;
use symcrete_term::Rounding;

/// A format: the bits of the exponent, and of the significand with the hidden one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    pub(crate) exponent: u32,
    pub(crate) significand: u32,
}

/// A value of some format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Float {
    Nan,
    Infinite {
        negative: bool,
    },
    /// `significand · 2^exponent`, the significand odd, or zero with exponent zero.
    Finite {
        negative: bool,
        significand: Natural,
        exponent: i64,
    },
}

/// Shifts by more bits than this are not done.
const SHIFT_MAX: i64 = 20_000;

impl Format {
    /// A format that we calculate in.
    pub(crate) fn new(exponent: u64, significand: u64) -> Option<Format> {
        let is_ours = (2..=24).contains(&exponent) && (2..=4_096).contains(&significand);
        is_ours.then_some(Format { exponent: exponent as u32, significand: significand as u32 })
    }

    /// The bits of a value.
    pub(crate) fn width(self) -> u64 {
        u64::from(self.exponent) + u64::from(self.significand)
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    fn least_exponent(self) -> i64 {
        1 - self.bias()
    }

    /// The value with these bits.
    pub(crate) fn of_bits(self, bits: &Natural) -> Float {
        let n_fraction = u64::from(self.significand) - 1;
        let negative = bits.bit(self.width() - 1);
        let fraction = bits.low_bits(n_fraction);
        let exponent = bits.shifted_down(n_fraction).low_bits(self.exponent.into());
        let exponent = exponent.as_u64().expect("an exponent has few bits") as i64;
        let ones = (1 << self.exponent) - 1;
        if exponent == ones {
            return if fraction.is_zero() { Float::Infinite { negative } } else { Float::Nan };
        }
        let hidden =
            if exponent == 0 { Natural::zero() } else { Natural::one().shifted(n_fraction) };
        let scale = exponent.max(1) - self.bias() - n_fraction as i64;
        Float::finite(negative, fraction.plus(&hidden), scale)
    }

    /// `numerator / denominator · 2^exponent`, rounded. `None` if that takes too long.
    pub(crate) fn round(
        self,
        rounding: Rounding,
        negative: bool,
        fraction: (&Natural, &Natural),
        exponent: i64,
    ) -> Option<Float> {
        let (numerator, denominator) = fraction;
        if numerator.is_zero() {
            return Some(Float::finite(negative, Natural::zero(), 0));
        }
        // The exponent of the leading bit, or one more.
        let leading = numerator.bits() - denominator.bits() + exponent;
        let mut ulp = leading.max(self.least_exponent()) - (i64::from(self.significand) - 1);
        let (mut quotient, mut rest, mut divisor) = scaled(numerator, denominator, exponent - ulp)?;
        if quotient.bits() < i64::from(self.significand) && leading > self.least_exponent() {
            ulp -= 1;
            (quotient, rest, divisor) = scaled(numerator, denominator, exponent - ulp)?;
        }
        let half = rest.shifted(1).cmp(&divisor);
        if rounds_away(rounding, negative, quotient.bit(0), !rest.is_zero(), half) {
            quotient = quotient.plus(&Natural::one());
        }
        if quotient.bits() - 1 + ulp > self.bias() {
            return Some(self.overflow(rounding, negative));
        }
        Some(Float::finite(negative, quotient, ulp))
    }

    fn overflow(self, rounding: Rounding, negative: bool) -> Float {
        let stays_finite = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => false,
            Rounding::Up => negative,
            Rounding::Down => !negative,
            Rounding::ToZero => true,
        };
        if !stays_finite {
            return Float::Infinite { negative };
        }
        let n = i64::from(self.significand);
        let ones = Natural::one().shifted(n as u64).minus(&Natural::one());
        Float::finite(negative, ones, self.bias() - n + 1)
    }

    /// A float of another format, in this one.
    pub(crate) fn convert(self, rounding: Rounding, float: &Float) -> Option<Float> {
        match float {
            Float::Nan | Float::Infinite { .. } => Some(float.clone()),
            Float::Finite { negative, significand, exponent } => {
                self.round(rounding, *negative, (significand, &Natural::one()), *exponent)
            }
        }
    }

    pub(crate) fn add(self, rounding: Rounding, a: &Float, b: &Float) -> Option<Float> {
        match (a, b) {
            (Float::Nan, _) | (_, Float::Nan) => Some(Float::Nan),
            (Float::Infinite { negative: x }, Float::Infinite { negative: y }) if x != y => {
                Some(Float::Nan)
            }
            (Float::Infinite { .. }, _) => Some(a.clone()),
            (_, Float::Infinite { .. }) => Some(b.clone()),
            (Float::Finite { .. }, Float::Finite { .. }) => {
                let sum = exact_sum(rounding, a, b)?;
                self.convert(rounding, &sum)
            }
        }
    }

    pub(crate) fn multiply(self, rounding: Rounding, a: &Float, b: &Float) -> Option<Float> {
        self.convert(rounding, &exact_product(a, b))
    }

    pub(crate) fn fma(self, rounding: Rounding, a: &Float, b: &Float, c: &Float) -> Option<Float> {
        self.add(rounding, &exact_product(a, b), c)
    }

    pub(crate) fn divide(self, rounding: Rounding, a: &Float, b: &Float) -> Option<Float> {
        let negative = a.is_negative() != b.is_negative();
        match (a, b) {
            (Float::Nan, _)
            | (_, Float::Nan)
            | (Float::Infinite { .. }, Float::Infinite { .. }) => Some(Float::Nan),
            (Float::Infinite { .. }, Float::Finite { .. }) => Some(Float::Infinite { negative }),
            (Float::Finite { .. }, Float::Infinite { .. }) => {
                Some(Float::finite(negative, Natural::zero(), 0))
            }
            (
                Float::Finite { significand: x, exponent: e, .. },
                Float::Finite { significand: y, exponent: f, .. },
            ) => match (x.is_zero(), y.is_zero()) {
                (true, true) => Some(Float::Nan),
                (false, true) => Some(Float::Infinite { negative }),
                (_, false) => self.round(rounding, negative, (x, y), e - f),
            },
        }
    }

    pub(crate) fn square_root(self, rounding: Rounding, a: &Float) -> Option<Float> {
        match a {
            Float::Nan => Some(Float::Nan),
            Float::Infinite { negative } => Some(if *negative { Float::Nan } else { a.clone() }),
            Float::Finite { significand, .. } if significand.is_zero() => Some(a.clone()),
            Float::Finite { negative: true, .. } => Some(Float::Nan),
            Float::Finite { significand, exponent, .. } => {
                // So many bits that the root has two more than the format, and an even exponent.
                let wanted = 2 * (i64::from(self.significand) + 2);
                let mut shift = (wanted - significand.bits()).max(0);
                shift += (exponent - shift).rem_euclid(2);
                let square = significand.shifted(shift as u64);
                let root = square.square_root();
                let is_exact = root.times(&root) == square;
                // One more bit says whether something was cut off.
                let sticky = if is_exact { Natural::zero() } else { Natural::one() };
                let root = root.shifted(1).plus(&sticky);
                let exponent = (exponent - shift) / 2 - 1;
                self.round(rounding, false, (&root, &Natural::one()), exponent)
            }
        }
    }

    pub(crate) fn remainder(self, a: &Float, b: &Float) -> Option<Float> {
        match (a, b) {
            (Float::Nan | Float::Infinite { .. }, _) | (_, Float::Nan) => Some(Float::Nan),
            (_, Float::Infinite { .. }) => Some(a.clone()),
            (
                Float::Finite { negative, significand: x, exponent: e },
                Float::Finite { significand: y, exponent: f, .. },
            ) => {
                if y.is_zero() {
                    return Some(Float::Nan);
                }
                let scale = *e.min(f);
                let (x, y) = (shifted(x, e - scale)?, shifted(y, f - scale)?);
                let (quotient, rest) = x.divided_by(&y);
                let up = match rest.shifted(1).cmp(&y) {
                    Ordering::Less => false,
                    Ordering::Equal => quotient.bit(0),
                    Ordering::Greater => true,
                };
                if up {
                    return Some(Float::finite(!negative, y.minus(&rest), scale));
                }
                Some(Float::finite(*negative, rest, scale))
            }
        }
    }
}

impl Float {
    pub(crate) fn finite(negative: bool, significand: Natural, exponent: i64) -> Float {
        if significand.is_zero() {
            return Float::Finite { negative, significand, exponent: 0 };
        }
        let n = significand.trailing_zeros();
        let significand = significand.shifted_down(n);
        Float::Finite { negative, significand, exponent: exponent + n as i64 }
    }

    pub(crate) fn is_negative(&self) -> bool {
        match self {
            Float::Nan => false,
            Float::Infinite { negative } | Float::Finite { negative, .. } => *negative,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Float::Finite { significand, .. } if significand.is_zero())
    }

    /// Whether it is a number with the format's full precision.
    pub(crate) fn is_normal(&self, format: Format) -> bool {
        match self {
            Float::Nan | Float::Infinite { .. } => false,
            Float::Finite { significand, exponent, .. } => {
                !significand.is_zero()
                    && significand.bits() - 1 + exponent >= format.least_exponent()
            }
        }
    }

    pub(crate) fn with_sign(&self, negative: bool) -> Float {
        match self {
            Float::Nan => Float::Nan,
            Float::Infinite { .. } => Float::Infinite { negative },
            Float::Finite { significand, exponent, .. } => {
                Float::Finite { negative, significand: significand.clone(), exponent: *exponent }
            }
        }
    }

    /// As numbers: the zeros are equal, NaN is not comparable. The outer `None`: it takes too long.
    pub(crate) fn compare(&self, other: &Float) -> Option<Option<Ordering>> {
        if matches!(self, Float::Nan) || matches!(other, Float::Nan) {
            return Some(None);
        }
        if self.is_zero() && other.is_zero() {
            return Some(Some(Ordering::Equal));
        }
        let sign =
            |float: &Float| if float.is_zero() { 0 } else { 1 - 2 * i8::from(float.is_negative()) };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign != Ordering::Equal {
            return Some(Some(by_sign));
        }
        let magnitudes = match (self, other) {
            (Float::Infinite { .. }, Float::Infinite { .. }) => Ordering::Equal,
            (Float::Infinite { .. }, _) => Ordering::Greater,
            (_, Float::Infinite { .. }) => Ordering::Less,
            (
                Float::Finite { significand: x, exponent: e, .. },
                Float::Finite { significand: y, exponent: f, .. },
            ) => {
                let tops = (x.bits() + e).cmp(&(y.bits() + f));
                if tops != Ordering::Equal {
                    tops
                } else {
                    let scale = *e.min(f);
                    shifted(x, e - scale)?.cmp(&shifted(y, f - scale)?)
                }
            }
            (Float::Nan, _) | (_, Float::Nan) => return Some(None),
        };
        Some(Some(if self.is_negative() { magnitudes.reverse() } else { magnitudes }))
    }

    /// The nearest whole number, with the sign of the number where it is zero.
    pub(crate) fn to_integral(&self, rounding: Rounding) -> Option<Float> {
        let Float::Finite { negative, significand, exponent } = self else {
            return Some(self.clone());
        };
        if *exponent >= 0 {
            return Some(self.clone());
        }
        let (mut whole, rest, divisor) = scaled(significand, &Natural::one(), *exponent)?;
        let half = rest.shifted(1).cmp(&divisor);
        if rounds_away(rounding, *negative, whole.bit(0), !rest.is_zero(), half) {
            whole = whole.plus(&Natural::one());
        }
        Some(Float::finite(*negative, whole, 0))
    }

    /// Sign and magnitude of a whole number. `None` for others.
    pub(crate) fn as_whole(&self) -> Option<(bool, Natural)> {
        match self {
            Float::Finite { negative, significand, exponent } if *exponent >= 0 => {
                Some((*negative, shifted(significand, *exponent)?))
            }
            Float::Nan | Float::Infinite { .. } | Float::Finite { .. } => None,
        }
    }
}

fn rounds_away(
    rounding: Rounding,
    negative: bool,
    odd: bool,
    inexact: bool,
    half: Ordering,
) -> bool {
    match rounding {
        Rounding::NearestEven => half == Ordering::Greater || (half == Ordering::Equal && odd),
        Rounding::NearestAway => half != Ordering::Less,
        Rounding::Up => inexact && !negative,
        Rounding::Down => inexact && negative,
        Rounding::ToZero => false,
    }
}

fn shifted(number: &Natural, bits: i64) -> Option<Natural> {
    (0..=SHIFT_MAX).contains(&bits).then(|| number.shifted(bits as u64))
}

/// The whole part of `numerator / denominator · 2^exponent`, with remainder and divisor.
fn scaled(
    numerator: &Natural,
    denominator: &Natural,
    exponent: i64,
) -> Option<(Natural, Natural, Natural)> {
    let numerator = shifted(numerator, exponent.max(0))?;
    let divisor = shifted(denominator, (-exponent).max(0))?;
    let (quotient, rest) = numerator.divided_by(&divisor);
    Some((quotient, rest, divisor))
}

fn exact_product(a: &Float, b: &Float) -> Float {
    let negative = a.is_negative() != b.is_negative();
    match (a, b) {
        (Float::Nan, _) | (_, Float::Nan) => Float::Nan,
        (Float::Infinite { .. }, other) | (other, Float::Infinite { .. }) => {
            if other.is_zero() {
                Float::Nan
            } else {
                Float::Infinite { negative }
            }
        }
        (
            Float::Finite { significand: x, exponent: e, .. },
            Float::Finite { significand: y, exponent: f, .. },
        ) => Float::finite(negative, x.times(y), e + f),
    }
}

/// The sum of two finite numbers; a sum that cancels is the zero that the mode wants.
fn exact_sum(rounding: Rounding, a: &Float, b: &Float) -> Option<Float> {
    let (
        Float::Finite { negative: m, significand: x, exponent: e },
        Float::Finite { negative: n, significand: y, exponent: f },
    ) = (a, b)
    else {
        return None;
    };
    let scale = *e.min(f);
    let (x, y) = (shifted(x, e - scale)?, shifted(y, f - scale)?);
    if m == n {
        return Some(Float::finite(*m, x.plus(&y), scale));
    }
    Some(match x.cmp(&y) {
        Ordering::Equal => Float::finite(rounding == Rounding::Down, Natural::zero(), 0),
        Ordering::Greater => Float::finite(*m, x.minus(&y), scale),
        Ordering::Less => Float::finite(*n, y.minus(&x), scale),
    })
}

#[cfg(test)]
mod tests;
