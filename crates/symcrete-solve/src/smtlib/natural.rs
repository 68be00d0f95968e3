//! Natural numbers of any size. The arithmetic is schoolbook: numbers are short, and who uses it limits them.

use std::cmp::Ordering;

/// A natural number of any size: 32-bit digits, least first, none of them zero at the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Natural(Vec<u32>);

impl Natural {
    pub(crate) fn zero() -> Natural {
        Natural(Vec::new())
    }

    pub(crate) fn one() -> Natural {
        Natural(vec![1])
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of significant bits.
    pub(crate) fn bits(&self) -> i64 {
        self.0.last().map_or(0, |top| self.0.len() as i64 * 32 - i64::from(top.leading_zeros()))
    }

    pub(crate) fn trimmed(mut digits: Vec<u32>) -> Natural {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Natural(digits)
    }

    pub(crate) fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    pub(crate) fn times(&self, other: &Natural) -> Natural {
        let mut digits = vec![0u32; self.0.len() + other.0.len()];
        for (i, &x) in self.0.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &y) in other.0.iter().enumerate() {
                carry += u64::from(x) * u64::from(y) + u64::from(digits[i + j]);
                digits[i + j] = carry as u32;
                carry >>= 32;
            }
            digits[i + other.0.len()] = carry as u32;
        }
        Natural::trimmed(digits)
    }

    pub(crate) fn shifted(&self, bits: u64) -> Natural {
        let mut digits = vec![0u32; bits as usize / 32];
        let mut carry = 0u64;
        for &digit in &self.0 {
            carry |= u64::from(digit) << (bits % 32);
            digits.push(carry as u32);
            carry >>= 32;
        }
        digits.push(carry as u32);
        Natural::trimmed(digits)
    }

    pub(crate) fn halve(&mut self) {
        let mut carry = 0;
        for digit in self.0.iter_mut().rev() {
            let low = *digit & 1;
            *digit = *digit >> 1 | carry << 31;
            carry = low;
        }
        if self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// `self -= other`, which must not be larger.
    pub(crate) fn subtract(&mut self, other: &Natural) {
        let mut borrow = false;
        for (i, digit) in self.0.iter_mut().enumerate() {
            let (difference, first) = digit.overflowing_sub(other.0.get(i).copied().unwrap_or(0));
            let (difference, second) = difference.overflowing_sub(u32::from(borrow));
            *digit = difference;
            borrow = first || second;
        }
        assert!(!borrow, "subtracted a larger number");
        *self = Natural::trimmed(std::mem::take(&mut self.0));
    }

    /// The quotient, of at most `bits` bits; `self` becomes the remainder.
    pub(crate) fn divide_by(&mut self, divisor: &Natural, bits: u32) -> u64 {
        let mut quotient = 0;
        let mut multiple = divisor.shifted(u64::from(bits));
        for _ in 0..bits {
            multiple.halve();
            quotient <<= 1;
            if *self >= multiple {
                self.subtract(&multiple);
                quotient |= 1;
            }
        }
        assert!(*self < *divisor, "the quotient has more bits than promised");
        quotient
    }
}

/// What bit-vectors and floats of any width need.
impl Natural {
    pub(crate) fn of(number: u64) -> Natural {
        Natural::trimmed(vec![number as u32, (number >> 32) as u32])
    }

    /// The number, if it fits.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        let digit = |i: usize| u64::from(self.0.get(i).copied().unwrap_or(0));
        (self.0.len() <= 2).then(|| digit(0) | digit(1) << 32)
    }

    pub(crate) fn bit(&self, at: u64) -> bool {
        let digit = usize::try_from(at / 32).ok().and_then(|i| self.0.get(i));
        digit.is_some_and(|digit| digit >> (at % 32) & 1 == 1)
    }

    /// The number of zero bits at its low end; of zero, none.
    pub(crate) fn trailing_zeros(&self) -> u64 {
        let zeros = self.0.iter().take_while(|&&digit| digit == 0).count();
        self.0.get(zeros).map_or(0, |digit| zeros as u64 * 32 + u64::from(digit.trailing_zeros()))
    }

    pub(crate) fn plus(&self, other: &Natural) -> Natural {
        let mut digits = Vec::with_capacity(self.0.len().max(other.0.len()) + 1);
        let mut carry = 0u64;
        for i in 0..self.0.len().max(other.0.len()) + 1 {
            let digit = |number: &Natural| u64::from(number.0.get(i).copied().unwrap_or(0));
            carry += digit(self) + digit(other);
            digits.push(carry as u32);
            carry >>= 32;
        }
        Natural::trimmed(digits)
    }

    /// The difference; the other number must not be larger.
    pub(crate) fn minus(&self, other: &Natural) -> Natural {
        let mut difference = self.clone();
        difference.subtract(other);
        difference
    }

    /// Without its lowest bits.
    pub(crate) fn shifted_down(&self, bits: u64) -> Natural {
        let skipped = usize::try_from(bits / 32).unwrap_or(usize::MAX).min(self.0.len());
        let (kept, n) = (&self.0[skipped..], bits % 32);
        let digit = |i: usize| u64::from(kept.get(i).copied().unwrap_or(0));
        let digits = (0..kept.len()).map(|i| ((digit(i) | digit(i + 1) << 32) >> n) as u32);
        Natural::trimmed(digits.collect())
    }

    /// Its lowest bits.
    pub(crate) fn low_bits(&self, n: u64) -> Natural {
        self.minus(&self.shifted_down(n).shifted(n))
    }

    /// Digit by digit.
    pub(crate) fn bitwise(&self, other: &Natural, of: impl Fn(u32, u32) -> u32) -> Natural {
        let digit = |number: &Natural, i: usize| number.0.get(i).copied().unwrap_or(0);
        let n = self.0.len().max(other.0.len());
        Natural::trimmed((0..n).map(|i| of(digit(self, i), digit(other, i))).collect())
    }

    /// Quotient and remainder; the divisor is not zero.
    pub(crate) fn divided_by(&self, divisor: &Natural) -> (Natural, Natural) {
        assert!(!divisor.is_zero(), "nothing is divided by zero here");
        let n = self.bits() - divisor.bits();
        if n < 0 {
            return (Natural::zero(), self.clone());
        }
        let mut rest = self.clone();
        let mut multiple = divisor.shifted(n as u64);
        let mut quotient = Natural::zero();
        for _ in 0..=n {
            quotient = quotient.shifted(1);
            if rest >= multiple {
                rest.subtract(&multiple);
                quotient = quotient.plus(&Natural::one());
            }
            multiple.halve();
        }
        (quotient, rest)
    }

    /// The greatest number whose square is not larger.
    pub(crate) fn square_root(&self) -> Natural {
        let mut root = Natural::zero();
        for bit in (0..=self.bits() / 2).rev() {
            let next = root.plus(&Natural::one().shifted(bit as u64));
            if next.times(&next) <= *self {
                root = next;
            }
        }
        root
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Natural) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide(a: u64, b: u64) -> Natural {
        Natural::of(a).shifted(64).plus(&Natural::of(b))
    }

    fn as_u128(number: &Natural) -> u128 {
        let high = number.shifted_down(64).as_u64().unwrap();
        u128::from(high) << 64 | u128::from(number.low_bits(64).as_u64().unwrap())
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_128_bits(a: u128, b: u128, n in 0u32..128) {
            let of = |x: u128| wide((x >> 64) as u64, x as u64);
            let (x, y) = (of(a), of(b));
            prop_assert_eq!(as_u128(&of(a)), a);
            prop_assert_eq!(as_u128(&of(a / 2).plus(&of(b / 2))), a / 2 + b / 2);
            prop_assert_eq!(as_u128(&of(a.max(b)).minus(&of(a.min(b)))), a.max(b) - a.min(b));
            prop_assert_eq!(as_u128(&x.shifted_down(n.into())), a >> n);
            prop_assert_eq!(as_u128(&x.bitwise(&y, |a, b| a ^ b)), a ^ b);
            prop_assert_eq!(x.bit(n.into()), a >> n & 1 == 1);
            if let (Some(whole), Some(left)) = (a.checked_div(b), a.checked_rem(b)) {
                let (quotient, rest) = x.divided_by(&y);
                prop_assert_eq!((as_u128(&quotient), as_u128(&rest)), (whole, left));
            }
            let root = as_u128(&x.square_root());
            prop_assert!(root * root <= a && (root + 1).checked_mul(root + 1).is_none_or(|s| s > a));
        }
    }
}
