//! Variables as numbers: what a search may do to one.
//!
//! Bit-vectors are signed numbers that saturate at the ends of their width, booleans are 0 and 1. All
//! arithmetic here is exact or a single IEEE operation, so it is the same on every machine.

use crate::error::{rank, unrank};
use symcrete_term::{Rng, Sort, Value};

/// Where a float starts that nothing bounds: the authors' own range (Dinges and Agha 2014, implementation).
const START_FLOAT: (f64, f64) = (-8.0, 7.0);
/// Where an integer starts that nothing bounds.
const START_INTEGER: i64 = 1_000_000;

/// The number that bits of a sort stand for; of a wide integer the nearest double.
#[inline]
pub(crate) fn to_number(sort: Sort, bits: u64) -> f64 {
    match sort {
        Sort::Bool => bits as f64,
        Sort::Bv(width) => signed(width, bits) as f64,
        Sort::F32 => f64::from(f32::from_bits(bits as u32)),
        Sort::F64 => f64::from_bits(bits),
    }
}

/// The bits of the value of a sort nearest to a number.
#[inline]
pub(crate) fn from_number(sort: Sort, number: f64) -> u64 {
    match sort {
        Sort::Bool => u64::from(number >= 0.5),
        Sort::Bv(width) => {
            let (low, high) = integer_range(width);
            (number.round() as i64).clamp(low, high) as u64 & sort.mask()
        }
        Sort::F32 | Sort::F64 => of_float(sort, number),
    }
}

/// The value moved by an amount. An integer moves by at least one unless the amount is zero.
#[inline]
pub(crate) fn shifted(sort: Sort, bits: u64, amount: f64) -> u64 {
    match sort {
        Sort::Bool => bits ^ u64::from(amount != 0.0),
        Sort::Bv(width) => {
            let rounded = amount.round();
            let whole = if rounded == 0.0 && amount != 0.0 { amount.signum() } else { rounded };
            add(width, bits, whole as i64)
        }
        Sort::F32 | Sort::F64 => of_float(sort, to_number(sort, bits) + amount),
    }
}

/// The value moved by a count of neighbours: integers by that number, floats by that many floats.
#[inline]
pub(crate) fn stepped(sort: Sort, bits: u64, n: i64) -> u64 {
    match sort {
        Sort::Bool => bits ^ (n as u64 & 1),
        Sort::Bv(width) => add(width, bits, n),
        Sort::F32 => {
            let sign = 1u64 << 31;
            let rank = if bits & sign == 0 { bits as i64 } else { -((bits & !sign) as i64) };
            let end = i64::from(f32::INFINITY.to_bits());
            let moved = rank.saturating_add(n).clamp(-end, end);
            moved.unsigned_abs() | if moved < 0 { sign } else { 0 }
        }
        Sort::F64 => of_float(sort, unrank(rank(f64::from_bits(bits)).saturating_add(n))),
    }
}

/// A random value to start from.
pub(crate) fn start(rng: &mut Rng, sort: Sort) -> u64 {
    match sort {
        Sort::Bool => rng.below(2),
        Sort::Bv(width) => {
            let (low, high) = integer_range(width);
            rng.between(low.max(-START_INTEGER), high.min(START_INTEGER)) as u64 & sort.mask()
        }
        Sort::F32 | Sort::F64 => {
            let (low, high) = START_FLOAT;
            of_float(sort, low + rng.fraction() * (high - low))
        }
    }
}

/// The least and greatest signed number of a width.
pub(crate) fn integer_range(width: u8) -> (i64, i64) {
    let high = i64::MAX >> (64 - u32::from(width));
    (-high - 1, high)
}

/// Two to a power between -1022 and 1023, by its bits: exact everywhere, unlike `powi`.
pub(crate) fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent.clamp(-1022, 1023) + 1023) as u64) << 52)
}

fn add(width: u8, bits: u64, n: i64) -> u64 {
    let (low, high) = integer_range(width);
    let sum = i128::from(signed(width, bits)) + i128::from(n);
    sum.clamp(i128::from(low), i128::from(high)) as u64 & Sort::Bv(width).mask()
}

fn of_float(sort: Sort, x: f64) -> u64 {
    match sort {
        Sort::F32 => Value::f32(x as f32).bits(),
        Sort::F64 | Sort::Bool | Sort::Bv(_) => Value::f64(x).bits(),
    }
}

fn signed(width: u8, bits: u64) -> i64 {
    Value::bv(width, bits).as_signed().expect("a bit-vector is a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_saturate_and_always_move() {
        let sort = Sort::Bv(8);
        assert_eq!(shifted(sort, 127, 3.0), 127);
        assert_eq!(shifted(sort, 0x80, -1e300), 0x80);
        assert_eq!(shifted(sort, 5, 0.1), 6);
        assert_eq!(shifted(sort, 5, -0.1), 4);
        assert_eq!(to_number(sort, 0xff), -1.0);
        assert_eq!(from_number(sort, -1.2), 0xff);
        assert_eq!(from_number(sort, f64::NAN), 0);
        assert_eq!(from_number(Sort::Bv(64), 1e300), i64::MAX as u64);
    }

    #[test]
    fn floats_step_to_their_neighbours() {
        let one = 1f64.to_bits();
        assert_eq!(stepped(Sort::F64, one, 1), 1f64.next_up().to_bits());
        assert_eq!(stepped(Sort::F64, 0, -1), (-0f64).next_down().to_bits());
        let single = u64::from(1f32.to_bits());
        assert_eq!(stepped(Sort::F32, single, -1), u64::from(1f32.next_down().to_bits()));
        assert_eq!(stepped(Sort::F64, f64::MAX.to_bits(), i64::MAX), f64::INFINITY.to_bits());
        assert_eq!(shifted(Sort::F64, one, 0.5), 1.5f64.to_bits());
    }

    #[test]
    fn powers_are_exact() {
        assert_eq!([-12, 0, 11].map(power_of_two), [1.0 / 4096.0, 1.0, 2048.0]);
    }
}
