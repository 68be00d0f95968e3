//! IEEE 754 arithmetic in all five rounding modes, for both float sorts.
//!
//! Round-to-nearest-even is the machine's own; the other modes are rare (SMT-LIB files, `floor`,
//! `ceil`) and go through a software float.

use crate::libm;
use crate::op::Rounding;
use crate::value::{canonical_f32, canonical_f64};
use rustc_apfloat::{Float, FloatConvert, Round, ieee};

/// What the evaluator needs of a float type. All of it is exact or correctly rounded.
pub(crate) trait Ieee: Copy + PartialOrd {
    type Soft: Float;
    fn of_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn canonical_bits(bits: u64) -> u64;
    fn class(self) -> std::num::FpCategory;
    fn negative(self) -> bool;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    fn sqrt(self) -> Self;
    fn remainder(self, b: Self) -> Self;
    fn round(self, rounding: Rounding) -> Self;
    fn of_i64(x: i64) -> Self;
    fn of_u64(x: u64) -> Self;
    fn to_i64(self) -> i64;
    fn to_u64(self) -> u64;
    fn next_up(self) -> Self;
    fn next_down(self) -> Self;
    /// Times two to the `n`, exact wherever the result is normal.
    fn scale(self, n: i32) -> Self;
    /// By which even power of two a tiny number is scaled so that its square root's residual
    /// stays a normal float.
    const LIFT: i32;
}

macro_rules! ieee {
    ($float:ident, $bits:ident, $soft:ty, $canonical:ident, $remainder:path, $lift:literal) => {
        impl Ieee for $float {
            type Soft = $soft;
            const LIFT: i32 = $lift;
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                $float::from_bits(bits as $bits)
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits() as u64
            }
            #[inline(always)]
            fn canonical_bits(bits: u64) -> u64 {
                $canonical(bits as $bits) as u64
            }
            #[inline(always)]
            fn class(self) -> std::num::FpCategory {
                self.classify()
            }
            #[inline(always)]
            fn negative(self) -> bool {
                self.is_sign_negative()
            }
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                self + b
            }
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                self - b
            }
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                self * b
            }
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                self / b
            }
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn remainder(self, b: Self) -> Self {
                $remainder(self, b)
            }
            #[inline(always)]
            fn round(self, rounding: Rounding) -> Self {
                match rounding {
                    Rounding::NearestEven => self.round_ties_even(),
                    Rounding::NearestAway => self.round(),
                    Rounding::Up => self.ceil(),
                    Rounding::Down => self.floor(),
                    Rounding::ToZero => self.trunc(),
                }
            }
            #[inline(always)]
            fn of_i64(x: i64) -> Self {
                x as $float
            }
            #[inline(always)]
            fn of_u64(x: u64) -> Self {
                x as $float
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }
            fn next_up(self) -> Self {
                self.next_up()
            }
            fn next_down(self) -> Self {
                self.next_down()
            }
            fn scale(self, n: i32) -> Self {
                self * (2.0 as $float).powi(n)
            }
        }
    };
}

ieee!(f32, u32, ieee::Single, canonical_f32, libm::remainderf, 64);
ieee!(f64, u64, ieee::Double, canonical_f64, libm::remainder, 600);

/// The four rounded binary operations.
#[derive(Clone, Copy)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

#[inline(always)]
pub(crate) fn arithmetic<F: Ieee>(op: Arithmetic, rounding: Rounding, a: F, b: F) -> F {
    if rounding != Rounding::NearestEven {
        return soft_arithmetic(op, rounding, a, b);
    }
    match op {
        Arithmetic::Add => a.add(b),
        Arithmetic::Sub => a.sub(b),
        Arithmetic::Mul => a.mul(b),
        Arithmetic::Div => a.div(b),
    }
}

#[cold]
#[inline(never)]
fn soft_arithmetic<F: Ieee>(op: Arithmetic, rounding: Rounding, a: F, b: F) -> F {
    let (x, y, round) = (soft(a), soft(b), soft_round(rounding));
    hard(match op {
        Arithmetic::Add => x.add_r(y, round).value,
        Arithmetic::Sub => x.sub_r(y, round).value,
        Arithmetic::Mul => x.mul_r(y, round).value,
        Arithmetic::Div => x.div_r(y, round).value,
    })
}

#[cold]
#[inline(never)]
pub(crate) fn fma<F: Ieee>(rounding: Rounding, a: F, b: F, c: F) -> F {
    match rounding {
        Rounding::NearestEven => a.fma(b, c),
        Rounding::NearestAway | Rounding::Up | Rounding::Down | Rounding::ToZero => {
            hard(soft(a).mul_add_r(soft(b), soft(c), soft_round(rounding)).value)
        }
    }
}

#[inline(always)]
pub(crate) fn sqrt<F: Ieee>(rounding: Rounding, x: F) -> F {
    match rounding {
        // A square root is never half way between two floats, so both nearest modes agree.
        Rounding::NearestEven | Rounding::NearestAway => x.sqrt(),
        Rounding::Up | Rounding::Down | Rounding::ToZero => directed_sqrt(rounding, x),
    }
}

/// The nearest root, moved by one unit where the sign of the exact residual says so.
#[cold]
#[inline(never)]
fn directed_sqrt<F: Ieee>(rounding: Rounding, x: F) -> F {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    match x.class() {
        Nan | Infinite | Zero => return x.sqrt(),
        Normal | Subnormal if x.negative() => return x.sqrt(),
        Normal | Subnormal => {}
    }
    // Scaled up, the residual of a tiny argument cannot underflow; the root scales back exactly.
    let tiny = x < F::of_u64(1).scale(-64);
    let scaled = if tiny { x.scale(F::LIFT) } else { x };
    let root = scaled.sqrt();
    let zero = F::of_u64(0);
    let residual = zero.sub(root).fma(root, scaled);
    let adjusted = match rounding {
        Rounding::Up if residual > zero => root.next_up(),
        Rounding::Down | Rounding::ToZero if residual < zero => root.next_down(),
        Rounding::NearestEven
        | Rounding::NearestAway
        | Rounding::Up
        | Rounding::Down
        | Rounding::ToZero => root,
    };
    if tiny { adjusted.scale(-F::LIFT / 2) } else { adjusted }
}

#[inline(always)]
pub(crate) fn of_signed<F: Ieee>(rounding: Rounding, x: i64) -> F {
    if rounding == Rounding::NearestEven {
        return F::of_i64(x);
    }
    hard(F::Soft::from_i128_r(i128::from(x), soft_round(rounding)).value)
}

#[inline(always)]
pub(crate) fn of_unsigned<F: Ieee>(rounding: Rounding, x: u64) -> F {
    if rounding == Rounding::NearestEven {
        return F::of_u64(x);
    }
    hard(F::Soft::from_u128_r(u128::from(x), soft_round(rounding)).value)
}

#[inline(always)]
pub(crate) fn narrow(rounding: Rounding, x: f64) -> f32 {
    if rounding == Rounding::NearestEven {
        return x as f32;
    }
    let converted: ieee::Single = soft(x).convert_r(soft_round(rounding), &mut false).value;
    hard(converted)
}

fn soft<F: Ieee>(x: F) -> F::Soft {
    F::Soft::from_bits(u128::from(x.bits()))
}

fn hard<F: Ieee>(x: F::Soft) -> F {
    F::of_bits(x.to_bits() as u64)
}

fn soft_round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Up => Round::TowardPositive,
        Rounding::Down => Round::TowardNegative,
        Rounding::ToZero => Round::TowardZero,
    }
}
