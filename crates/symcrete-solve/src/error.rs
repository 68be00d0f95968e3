//! How far a comparison is from holding, and from not holding.
//!
//! Dinges and Agha 2014, algorithm 2: for `d = l - r` the error of `=` is `|d|`, of `≠`
//! 0 or 1, of an order `|d| + 1` where it is violated.
//!
//! **Invariant:** the error is zero exactly when the comparison, as the evaluator decides it, has the
//! wanted truth value, and it is finite. So a search that reaches zero everywhere has a model.
//!
//! Deviations, each because the paper's own form is undefined there:
//! - `d` is computed without wrap-around: integers in 128 bits, floats of either sort as doubles.
//! - A NaN, and a difference that is infinite, count as [`WORST`], the authors' own DBL_MAX / 8.
//! - Beside `|d|` there is the distance in units in the last place ([`Metric::Ulp`]), which sees the
//!   difference between 1e300 and 2e300 and between 1e-300 and 2e-300 alike.

use symcrete_term::{Op, Sort, Value};

/// The error of a comparison with a NaN: the worst there is.
pub(crate) const WORST: f64 = f64::MAX / 8.0;

/// How the difference of two floats is measured. Integers are always measured by `|d|`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Metric {
    /// `|l - r|`.
    Absolute,
    /// Floats that lie between, times 2^-52: about `|l - r|` near one, about the difference of the
    /// binary logarithms elsewhere.
    Ulp,
}

/// What is asked of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Test {
    /// `l = r`
    Equal,
    /// `l < r`
    Less,
    /// `l ≤ r`
    AtMost,
}

/// How bits are read as a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Reading {
    /// Two's complement of that width.
    Signed(u8),
    /// Zero or positive. Truth values are read so.
    Unsigned,
    /// A float as machines compare it: no NaN equals anything, the zeros are equal.
    Machine(Sort),
    /// A float as a value: NaN equals NaN and the zeros differ.
    Identity(Sort),
}

/// A comparison of two terms' bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Comparison {
    /// What is asked.
    pub test: Test,
    /// Of which numbers.
    pub reading: Reading,
}

/// The two errors of a comparison and the difference behind them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Errors {
    /// Zero exactly when the comparison holds.
    pub holds: f64,
    /// Zero exactly when it does not hold.
    pub fails: f64,
    /// `l - r`, finite; its zero is where the truth value changes.
    pub difference: f64,
}

impl Comparison {
    /// The comparison that an operator makes of arguments of a sort, if it is one.
    pub(crate) fn of(op: Op, sort: Sort) -> Option<Comparison> {
        let signed = Reading::Signed(sort.bits() as u8);
        let (test, reading) = match (op, sort) {
            (Op::Eq, Sort::Bool) => return None,
            (Op::Eq, Sort::Bv(_)) => (Test::Equal, signed),
            (Op::Eq, Sort::F32 | Sort::F64) => (Test::Equal, Reading::Identity(sort)),
            (Op::BvUlt, _) => (Test::Less, Reading::Unsigned),
            (Op::BvUle, _) => (Test::AtMost, Reading::Unsigned),
            (Op::BvSlt, _) => (Test::Less, signed),
            (Op::BvSle, _) => (Test::AtMost, signed),
            (Op::FpEq, _) => (Test::Equal, Reading::Machine(sort)),
            (Op::FpLt, _) => (Test::Less, Reading::Machine(sort)),
            (Op::FpLe, _) => (Test::AtMost, Reading::Machine(sort)),
            _ => return None,
        };
        Some(Comparison { test, reading })
    }

    /// The errors on two arguments.
    #[inline]
    pub(crate) fn errors(self, metric: Metric, left: u64, right: u64) -> Errors {
        let (truth, difference) = match self.reading {
            Reading::Signed(width) => {
                let (l, r) = (signed(width, left), signed(width, right));
                (self.decide(&l, &r), (i128::from(l) - i128::from(r)) as f64)
            }
            Reading::Unsigned => {
                (self.decide(&left, &right), (i128::from(left) - i128::from(right)) as f64)
            }
            Reading::Machine(sort) => {
                let (l, r) = (float(sort, left), float(sort, right));
                (self.decide(&l, &r), float_difference(metric, l, r))
            }
            Reading::Identity(sort) => {
                let (l, r) = (float(sort, left), float(sort, right));
                let same = Value::from_bits(sort, left) == Value::from_bits(sort, right);
                (same, float_difference(metric, l, r))
            }
        };
        self.score(truth, difference)
    }

    #[inline]
    fn decide<T: PartialOrd>(self, left: &T, right: &T) -> bool {
        match self.test {
            Test::Equal => left == right,
            Test::Less => left < right,
            Test::AtMost => left <= right,
        }
    }

    #[inline]
    fn score(self, truth: bool, difference: f64) -> Errors {
        let size = difference.abs().min(WORST);
        let (holds, fails) = match (self.test, truth) {
            (Test::Equal, true) => (0.0, 1.0),
            // The zeros of `=` on floats differ by nothing, yet differ.
            (Test::Equal, false) => (size.max(f64::MIN_POSITIVE), 0.0),
            (Test::Less | Test::AtMost, true) => (0.0, size + 1.0),
            (Test::Less | Test::AtMost, false) => (size + 1.0, 0.0),
        };
        Errors { holds, fails, difference }
    }
}

impl Errors {
    /// Of a boolean that is no comparison: there is only right and wrong.
    pub(crate) fn of_truth(truth: bool) -> Errors {
        let holds = if truth { 0.0 } else { 1.0 };
        Errors { holds, fails: 1.0 - holds, difference: 1.0 - 2.0 * holds }
    }
}

#[inline]
fn signed(width: u8, bits: u64) -> i64 {
    let shift = 64 - u32::from(width);
    ((bits << shift) as i64) >> shift
}

#[inline]
fn float(sort: Sort, bits: u64) -> f64 {
    match sort {
        Sort::F32 => f64::from(f32::from_bits(bits as u32)),
        Sort::F64 | Sort::Bool | Sort::Bv(_) => f64::from_bits(bits),
    }
}

#[inline]
fn float_difference(metric: Metric, l: f64, r: f64) -> f64 {
    let difference = match metric {
        Metric::Absolute => l - r,
        Metric::Ulp if l.is_nan() || r.is_nan() => f64::NAN,
        Metric::Ulp => {
            let between = i128::from(rank(l)) - i128::from(rank(r));
            between as f64 * f64::EPSILON
        }
    };
    if difference.is_nan() { WORST } else { difference.clamp(-WORST, WORST) }
}

/// The position of a float in the order of all floats; neighbours differ by one, the zeros are equal.
#[inline]
pub(crate) fn rank(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

/// The float at a position: the inverse of [`rank`]; positions beyond the infinities become those.
#[inline]
pub(crate) fn unrank(rank: i64) -> f64 {
    let end = f64::INFINITY.to_bits() as i64;
    let rank = rank.clamp(-end, end);
    f64::from_bits(if rank < 0 { i64::MIN.wrapping_sub(rank) as u64 } else { rank as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use symcrete_term::eval::eval;

    const SORTS: [Sort; 7] =
        [Sort::Bool, Sort::Bv(1), Sort::Bv(4), Sort::Bv(32), Sort::Bv(64), Sort::F32, Sort::F64];

    /// Bits that lie on the edges of some sort.
    const EDGES: [u64; 16] = [
        0,
        1,
        7,
        8,
        u64::MAX,
        1 << 31,
        1 << 63,
        0x7fc0_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7ff8 << 48,
        0x7ff0 << 48,
        0xfff0 << 48,
        0x7fef_ffff_ffff_ffff,
        0x3ff0 << 48,
        0x3f80_0000,
    ];

    fn check(op: Op, sort: Sort, a: u64, b: u64) {
        let Some(comparison) = Comparison::of(op, sort) else { return };
        let (l, r) = (Value::from_bits(sort, a), Value::from_bits(sort, b));
        let truth = eval(op, [0, 0], &[l, r]) == Value::Bool(true);
        for metric in [Metric::Absolute, Metric::Ulp] {
            let errors = comparison.errors(metric, l.bits(), r.bits());
            assert_eq!(errors.holds == 0.0, truth, "{op:?} {l:?} {r:?} {errors:?}");
            assert_eq!(errors.fails == 0.0, !truth, "{op:?} {l:?} {r:?} {errors:?}");
            let all = [errors.holds, errors.fails, errors.difference];
            assert!(all.iter().all(|error| error.is_finite()), "{op:?} {l:?} {r:?} {errors:?}");
        }
    }

    #[test]
    fn zero_exactly_when_it_holds_on_the_edges() {
        let mut n_comparisons = 0;
        for &op in Op::ALL {
            for sort in SORTS {
                n_comparisons += u32::from(
                    op.result_sort([0, 0], &[sort, sort]).is_some()
                        && Comparison::of(op, sort).is_some(),
                );
                if op.result_sort([0, 0], &[sort, sort]).is_some() {
                    for a in EDGES {
                        EDGES.iter().for_each(|&b| check(op, sort, a, b));
                    }
                }
            }
        }
        assert_eq!(n_comparisons, 6 + 4 * 4 + 3 * 2, "every comparison of the table was met");
    }

    proptest! {
        #[test]
        fn zero_exactly_when_it_holds(
            op in proptest::sample::select(Op::ALL),
            sort in proptest::sample::select(&SORTS[..]),
            a: u64,
            b: u64,
            near in -2i64..=2,
        ) {
            if op.result_sort([0, 0], &[sort, sort]).is_some() {
                check(op, sort, a, b);
                check(op, sort, a, a.wrapping_add_signed(near));
            }
        }

        #[test]
        fn ranks_order_floats(a: f64, b: f64) {
            prop_assert_eq!(a < b, rank(a) < rank(b));
            prop_assert_eq!(unrank(rank(a)), a);
        }
    }

    #[test]
    fn ulp_distance_sees_all_magnitudes_alike() {
        let equal = Comparison { test: Test::Equal, reading: Reading::Machine(Sort::F64) };
        let error = |a: f64, b: f64| equal.errors(Metric::Ulp, a.to_bits(), b.to_bits()).holds;
        assert_eq!(error(1e300, 2e300), error(1e-300 * 2.0, 1e-300));
        assert_eq!(error(1.0, 1.0 + f64::EPSILON), f64::EPSILON);
    }
}
