//! Exact constants such as `0.1` or `(/ 1 3)`, and their one correct rounding to a float.
//!
//! Reals exist in our terms only as arguments of `to_fp`. The arithmetic is schoolbook: constants are
//! short, and [`Rational::DIGITS_MAX`] keeps a hostile one from costing more than a moment.

use super::natural::Natural;
use std::cmp::Ordering;
use symcrete_term::{Rounding, Sort, Value};

/// A fraction of two natural numbers with a sign; the denominator is not zero.
#[derive(Clone, Debug)]
pub(crate) struct Rational {
    negative: bool,
    numerator: Natural,
    denominator: Natural,
}

impl Rational {
    /// The longest literal we read.
    pub(crate) const DIGITS_MAX: usize = 2_000;

    /// A numeral or decimal as the lexer accepts it; `None` if it is longer than we read.
    pub(crate) fn of_decimal(text: &str) -> Option<Rational> {
        if text.len() > Rational::DIGITS_MAX {
            return None;
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let mut numerator = Natural::zero();
        let mut denominator = Natural::one();
        for digit in whole.bytes() {
            numerator.multiply_add(10, u32::from(digit - b'0'));
        }
        for digit in fraction.bytes() {
            numerator.multiply_add(10, u32::from(digit - b'0'));
            denominator.multiply_add(10, 0);
        }
        Some(Rational { negative: false, numerator, denominator })
    }

    pub(crate) fn negated(&self) -> Rational {
        Rational { negative: !self.negative, ..self.clone() }
    }

    /// The quotient; `None` for division by zero or when the result gets too long.
    pub(crate) fn divided_by(&self, other: &Rational) -> Option<Rational> {
        let quotient = Rational {
            negative: self.negative != other.negative,
            numerator: self.numerator.times(&other.denominator),
            denominator: self.denominator.times(&other.numerator),
        };
        let bits = quotient.numerator.bits().max(quotient.denominator.bits());
        (!other.numerator.is_zero() && bits < 4 * Rational::DIGITS_MAX as i64).then_some(quotient)
    }

    /// The sign, the numerator and the denominator.
    pub(crate) fn parts(&self) -> (bool, &Natural, &Natural) {
        (self.negative, &self.numerator, &self.denominator)
    }

    /// The float nearest in the sense of `rounding`. A real zero is the positive one.
    pub(crate) fn round(&self, sort: Sort, rounding: Rounding) -> Value {
        let format = Format::of(sort);
        if self.numerator.is_zero() {
            return Value::zero(sort);
        }
        // Scale so that the integer quotient is the significand, and its last bit is worth 2^ulp.
        let ulp = self.exponent().max(format.exponent_min) - (format.precision - 1);
        let mut remainder = self.numerator.shifted(ulp.min(0).unsigned_abs());
        let divisor = self.denominator.shifted(ulp.max(0).unsigned_abs());
        let mut significand = remainder.divide_by(&divisor, format.precision as u32);
        let half = remainder.shifted(1).cmp(&divisor);
        if self.rounds_away(rounding, significand % 2 == 1, !remainder.is_zero(), half) {
            significand += 1;
        }
        format.assemble(sort, self.negative, significand, ulp, rounding)
    }

    /// The `e` with `2^e <= |self| < 2^(e+1)`.
    fn exponent(&self) -> i64 {
        let guess = self.numerator.bits() - self.denominator.bits();
        let numerator = self.numerator.shifted(guess.min(0).unsigned_abs());
        let denominator = self.denominator.shifted(guess.max(0).unsigned_abs());
        if numerator < denominator { guess - 1 } else { guess }
    }

    fn rounds_away(&self, rounding: Rounding, odd: bool, inexact: bool, half: Ordering) -> bool {
        match rounding {
            Rounding::NearestEven => half == Ordering::Greater || (half == Ordering::Equal && odd),
            Rounding::NearestAway => half != Ordering::Less,
            Rounding::Up => inexact && !self.negative,
            Rounding::Down => inexact && self.negative,
            Rounding::ToZero => false,
        }
    }
}

/// The parameters of a binary float format.
struct Format {
    precision: i64,
    exponent_min: i64,
    exponent_max: i64,
}

impl Format {
    fn of(sort: Sort) -> Format {
        match sort {
            Sort::F32 => Format { precision: 24, exponent_min: -126, exponent_max: 127 },
            Sort::F64 => Format { precision: 53, exponent_min: -1022, exponent_max: 1023 },
            Sort::Bool | Sort::Bv(_) => panic!("{sort} is not a float sort"),
        }
    }

    /// The float `significand * 2^ulp`, or what `rounding` makes of one that is too large.
    fn assemble(
        &self,
        sort: Sort,
        negative: bool,
        significand: u64,
        ulp: i64,
        rounding: Rounding,
    ) -> Value {
        let hidden_bit = 1u64 << (self.precision - 1);
        let infinity = ((self.exponent_max * 2 + 1) as u64) << (self.precision - 1);
        // A carry out of the significand turns into the next exponent by plain addition.
        let biased = (ulp + self.precision - 1 - self.exponent_min) as u64;
        let magnitude = if biased > infinity / hidden_bit {
            infinity
        } else {
            (biased * hidden_bit + significand).min(infinity)
        };
        let stays_finite = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => false,
            Rounding::Up => negative,
            Rounding::Down => !negative,
            Rounding::ToZero => true,
        };
        let magnitude =
            if magnitude == infinity && stays_finite { infinity - 1 } else { magnitude };
        Value::from_bits(sort, magnitude | u64::from(negative) << (sort.bits() - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f64_of(text: &str, rounding: Rounding) -> f64 {
        let rational = Rational::of_decimal(text).unwrap();
        f64::from_bits(rational.round(Sort::F64, rounding).bits())
    }

    #[test]
    fn decimals_round_as_rust_does() {
        let long = format!("{}.5", "9".repeat(400));
        let tiny = format!("0.{}49406564584124654417", "0".repeat(323));
        let halfway = "9007199254740993";
        let samples =
            ["0", "0.1", "1", "123456789.987654321", halfway, "0.30000000000000004", &long, &tiny];
        for text in samples {
            let rational = Rational::of_decimal(text).unwrap();
            let double = rational.round(Sort::F64, Rounding::NearestEven);
            assert_eq!(double, Value::f64(text.parse().unwrap()), "{text}");
            let single = rational.round(Sort::F32, Rounding::NearestEven);
            assert_eq!(single, Value::f32(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn directed_modes_enclose_the_real() {
        let (down, up) = (f64_of("0.1", Rounding::Down), f64_of("0.1", Rounding::Up));
        assert_eq!(down.next_up(), up);
        assert_eq!(f64_of("0.1", Rounding::ToZero), down);
        assert_eq!(f64_of("9007199254740993", Rounding::NearestAway), 9007199254740994.0);
        let huge = format!("1{}", "0".repeat(400));
        assert_eq!(f64_of(&huge, Rounding::Down), f64::MAX);
        assert_eq!(f64_of(&huge, Rounding::NearestEven), f64::INFINITY);
        let tiny = format!("0.{}1", "0".repeat(400));
        assert_eq!(f64_of(&tiny, Rounding::Up), f64::from_bits(1));
        let negative = Rational::of_decimal(&tiny).unwrap().negated();
        assert_eq!(negative.round(Sort::F64, Rounding::NearestEven), Value::f64(-0.0));
        assert_eq!(negative.round(Sort::F64, Rounding::Down).bits(), 1 << 63 | 1);
    }

    #[test]
    fn fractions_are_rounded_once() {
        let one = Rational::of_decimal("1").unwrap();
        let three = Rational::of_decimal("3.0").unwrap();
        let third = one.divided_by(&three).unwrap();
        assert_eq!(third.round(Sort::F32, Rounding::NearestEven), Value::f32(1.0 / 3.0));
        assert_eq!(third.negated().round(Sort::F64, Rounding::ToZero), Value::f64(-1.0 / 3.0));
        assert!(one.divided_by(&Rational::of_decimal("0.0").unwrap()).is_none());
        assert!(Rational::of_decimal(&"1".repeat(9999)).is_none());
    }
}
