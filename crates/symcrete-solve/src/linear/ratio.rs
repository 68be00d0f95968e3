//! Exact fractions of 128 bits. What does not fit is an error, never a rounded number.

use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ratio {
    above: i128,
    below: i128,
}

/// A number that has more than 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLarge;

type Result<T> = std::result::Result<T, TooLarge>;

impl Ratio {
    pub(crate) const fn whole(n: i128) -> Ratio {
        Ratio { above: n, below: 1 }
    }

    fn new(above: i128, below: i128) -> Result<Ratio> {
        let divisor = gcd(above.unsigned_abs(), below.unsigned_abs());
        let divisor = i128::try_from(divisor).map_err(|_| TooLarge)?;
        let (above, below) = (above / divisor, below / divisor);
        if below > 0 {
            return Ok(Ratio { above, below });
        }
        let above = above.checked_neg().ok_or(TooLarge)?;
        Ok(Ratio { above, below: below.checked_neg().ok_or(TooLarge)? })
    }

    pub(crate) fn is_zero(self) -> bool {
        self.above == 0
    }

    pub(crate) fn is_positive(self) -> bool {
        self.above > 0
    }

    /// The number, if it is a whole one.
    pub(crate) fn as_whole(self) -> Option<i128> {
        (self.below == 1).then_some(self.above)
    }

    pub(crate) fn floor(self) -> i128 {
        self.above.div_euclid(self.below)
    }

    pub(crate) fn plus(self, other: Ratio) -> Result<Ratio> {
        if self.below == 1 && other.below == 1 {
            return self.above.checked_add(other.above).map(Ratio::whole).ok_or(TooLarge);
        }
        let left = self.above.checked_mul(other.below);
        let right = other.above.checked_mul(self.below);
        let sum = left.zip(right).and_then(|(left, right)| left.checked_add(right));
        let below = self.below.checked_mul(other.below);
        let (sum, below) = sum.zip(below).ok_or(TooLarge)?;
        Ratio::new(sum, below)
    }

    pub(crate) fn times(self, other: Ratio) -> Result<Ratio> {
        // Cancelling first keeps the products small.
        let left = Ratio::new(self.above, other.below)?;
        let right = Ratio::new(other.above, self.below)?;
        let above = left.above.checked_mul(right.above).ok_or(TooLarge)?;
        let below = left.below.checked_mul(right.below).ok_or(TooLarge)?;
        Ok(Ratio { above, below })
    }

    pub(crate) fn negated(self) -> Result<Ratio> {
        let above = self.above.checked_neg().ok_or(TooLarge)?;
        Ok(Ratio { above, below: self.below })
    }

    pub(crate) fn minus(self, other: Ratio) -> Result<Ratio> {
        self.plus(other.negated()?)
    }

    /// The quotient; the other number is not zero.
    pub(crate) fn divided_by(self, other: Ratio) -> Result<Ratio> {
        assert!(!other.is_zero(), "nothing is divided by zero here");
        self.times(Ratio::new(other.below, other.above)?)
    }

    pub(crate) fn compare(self, other: Ratio) -> Result<Ordering> {
        if self.below == other.below {
            return Ok(self.above.cmp(&other.above));
        }
        Ok(self.minus(other)?.above.cmp(&0))
    }
}

pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact_or_an_error() {
        let third = Ratio::whole(1).divided_by(Ratio::whole(-3)).unwrap();
        let sum = third.plus(third).unwrap().plus(third).unwrap();
        assert_eq!(sum, Ratio::whole(-1));
        assert_eq!(third.floor(), -1);
        assert_eq!(third.times(Ratio::whole(-6)).unwrap().as_whole(), Some(2));
        assert_eq!(third.compare(Ratio::whole(0)), Ok(Ordering::Less));
        let large = Ratio::whole(i128::MAX);
        assert_eq!(large.plus(Ratio::whole(1)), Err(TooLarge));
        assert_eq!(large.times(large), Err(TooLarge));
        assert_eq!(Ratio::whole(i128::MIN).negated(), Err(TooLarge));
    }
}
