//! The corners, by name. That every operator agrees with SMT solvers on many more rows is tested in
//! `crates/symcrete-solve/tests/agreement`.

use super::*;

fn bv(bits: i64) -> Value {
    Value::bv(32, bits as u64)
}

#[track_caller]
fn check(op: Op, args: &[Value], expected: Value) {
    assert_eq!(eval(op, [0, 0], args), expected, "{op:?} {args:?}");
}

#[test]
fn division_and_remainder_by_zero() {
    check(Op::BvUdiv, &[bv(7), bv(0)], bv(-1));
    check(Op::BvUrem, &[bv(7), bv(0)], bv(7));
    check(Op::BvSdiv, &[bv(7), bv(0)], bv(-1));
    check(Op::BvSdiv, &[bv(-7), bv(0)], bv(1));
    check(Op::BvSrem, &[bv(-7), bv(0)], bv(-7));
    check(Op::BvSmod, &[bv(-7), bv(0)], bv(-7));
}

#[test]
fn the_least_integer_divided_by_minus_one() {
    let min = i64::from(i32::MIN);
    check(Op::BvSdiv, &[bv(min), bv(-1)], bv(min));
    check(Op::BvSrem, &[bv(min), bv(-1)], bv(0));
}

#[test]
fn signs_of_remainders() {
    check(Op::BvSrem, &[bv(-7), bv(3)], bv(-1));
    check(Op::BvSmod, &[bv(-7), bv(3)], bv(2));
    check(Op::BvSmod, &[bv(7), bv(-3)], bv(-2));
}

#[test]
fn shifts_by_the_width_or_more() {
    check(Op::BvShl, &[bv(1), bv(32)], bv(0));
    check(Op::BvLshr, &[bv(-1), bv(40)], bv(0));
    check(Op::BvAshr, &[bv(-8), bv(-1)], bv(-1));
    check(Op::BvRotl, &[bv(5), bv(32)], bv(5));
    check(Op::BvRotr, &[bv(1), bv(33)], bv(i64::from(i32::MIN)));
}

#[test]
fn counting_bits_of_zero() {
    check(Op::BvClz, &[bv(0)], bv(32));
    check(Op::BvCtz, &[bv(0)], bv(32));
    check(Op::BvPopcnt, &[bv(-1)], bv(32));
}

#[test]
fn nan_and_negative_zero_in_comparison_min_and_max() {
    let (nan, zero, minus) = (Value::f64(f64::NAN), Value::f64(0.0), Value::f64(-0.0));
    check(Op::Eq, &[nan, nan], Value::Bool(true));
    check(Op::FpEq, &[nan, nan], Value::Bool(false));
    check(Op::Eq, &[zero, minus], Value::Bool(false));
    check(Op::FpEq, &[zero, minus], Value::Bool(true));
    for args in [[zero, minus], [minus, zero]] {
        check(Op::FpMin, &args, minus);
        check(Op::FpMax, &args, zero);
    }
    check(Op::FpMin, &[nan, zero], zero);
    check(Op::FpMax, &[zero, nan], zero);
    check(Op::FpIsNegative, &[Value::from_bits(Sort::F64, u64::MAX)], Value::Bool(false));
}

#[test]
fn float_to_integer_at_the_edges() {
    let to = |op, rounding: Rounding, x: f64| {
        eval(op, [rounding as u8, 32], &[Value::f64(x)]).as_signed().unwrap()
    };
    let truncate = |x| to(Op::FpToSbv, Rounding::ToZero, x);
    assert_eq!(truncate(2_147_483_647.9), i64::from(i32::MAX));
    assert_eq!(truncate(2_147_483_648.0), i64::from(i32::MAX));
    assert_eq!(truncate(-2_147_483_648.9), i64::from(i32::MIN));
    assert_eq!(truncate(f64::NEG_INFINITY), i64::from(i32::MIN));
    assert_eq!(truncate(f64::NAN), 0);
    assert_eq!(to(Op::FpToUbv, Rounding::ToZero, -0.9), 0);
    assert_eq!(to(Op::FpToUbv, Rounding::ToZero, -5.0), 0);
    assert_eq!(to(Op::FpToUbv, Rounding::ToZero, 5e9), -1, "all ones");
}

#[test]
fn rounding_halves() {
    let round = |rounding: Rounding, x: f64| {
        let value = eval(Op::FpRoundToIntegral, [rounding as u8, 0], &[Value::f64(x)]);
        value.as_f64().unwrap()
    };
    let halves = [-2.5, -0.5, 0.5, 1.5, 2.5];
    assert_eq!(halves.map(|x| round(Rounding::NearestEven, x)), [-2.0, 0.0, 0.0, 2.0, 2.0]);
    assert_eq!(halves.map(|x| round(Rounding::NearestAway, x)), [-3.0, -1.0, 1.0, 2.0, 3.0]);
    assert!(round(Rounding::NearestEven, -0.5).is_sign_negative());
}

#[test]
fn representation_of_nan_is_canonical() {
    let odd = Value::bv(64, 0xfff0_0000_0000_0001);
    let float = eval(Op::FpOfBits, [0, 0], &[odd]);
    assert_eq!(eval(Op::FpBits, [0, 0], &[float]), Value::bv(64, 0x7ff8 << 48));
}

#[test]
fn directed_square_roots_are_tight() {
    for x in [2.0, 3.0, 1e-300, 1.5e-323, 1e300, 0.1] {
        let root = |rounding: Rounding| {
            eval(Op::FpSqrt, [rounding as u8, 0], &[Value::f64(x)]).as_f64().unwrap()
        };
        assert_eq!(root(Rounding::Down).next_up(), root(Rounding::Up), "{x} has no exact root");
        assert_eq!(root(Rounding::Down), root(Rounding::ToZero));
    }
    let four = eval(Op::FpSqrt, [Rounding::Up as u8, 0], &[Value::f64(4.0)]);
    assert_eq!(four, Value::f64(2.0));
}
