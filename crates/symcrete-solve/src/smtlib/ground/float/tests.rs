//! Our floats of any format against the one evaluator on its two formats, and named corners of Float16.

use super::*;
use symcrete_term::eval::eval;
use symcrete_term::{Op, Seed, Sort, Value};

const FORMATS: [(Sort, Format); 2] = [
    (Sort::F32, Format { exponent: 8, significand: 24 }),
    (Sort::F64, Format { exponent: 11, significand: 53 }),
];

/// Bits of floats of all kinds: corners, neighbours of corners, anything.
fn samples(sort: Sort) -> Vec<u64> {
    let mut rng = Seed(1).derive("ground floats").rng();
    let infinity = if sort == Sort::F32 { 0xff << 23 } else { 0x7ff << 52 };
    let one = Value::f32(1.0).bits();
    let one = if sort == Sort::F32 { one } else { 1f64.to_bits() };
    let mut bits =
        vec![0, 1, 2, infinity - 1, infinity, infinity + 1, one, one + 1, one - 1, one * 3 / 2];
    bits.extend((0..12).map(|_| rng.next_u64()));
    bits.extend((0..6).map(|_| one + rng.below(1 << 20)));
    let sign = 1 << (sort.bits() - 1);
    let mut all: Vec<u64> = bits.iter().flat_map(|&b| [b, b | sign]).collect();
    all.iter_mut().for_each(|b| *b &= sort.mask());
    all
}

fn of(format: Format, value: Value) -> Float {
    format.of_bits(&Natural::of(value.bits()))
}

#[test]
fn arithmetic_is_the_evaluators() {
    for (sort, format) in FORMATS {
        let samples = samples(sort);
        for &rounding in &Rounding::ALL {
            let indices = [rounding as u8, 0];
            for (i, &a) in samples.iter().enumerate() {
                for &b in samples.iter().skip(i % 3).step_by(2) {
                    let [x, y] = [a, b].map(|bits| Value::from_bits(sort, bits));
                    let [p, q] = [x, y].map(|value| of(format, value));
                    let check = |op: Op, ours: Option<Float>, args: &[Value]| {
                        let theirs = of(format, eval(op, indices, args));
                        assert_eq!(ours, Some(theirs), "{op:?} {rounding:?} {args:?}");
                    };
                    check(Op::FpAdd, format.add(rounding, &p, &q), &[x, y]);
                    check(Op::FpMul, format.multiply(rounding, &p, &q), &[x, y]);
                    check(Op::FpDiv, format.divide(rounding, &p, &q), &[x, y]);
                    check(Op::FpFma, format.fma(rounding, &p, &q, &p), &[x, y, x]);
                    check(Op::FpSqrt, format.square_root(rounding, &p), &[x]);
                    check(Op::FpRoundToIntegral, p.to_integral(rounding), &[x]);
                    let eq = eval(Op::FpEq, [0, 0], &[x, y]) == Value::Bool(true);
                    let lt = eval(Op::FpLt, [0, 0], &[x, y]) == Value::Bool(true);
                    let order = p.compare(&q).unwrap();
                    assert_eq!(
                        (order == Some(Ordering::Equal), order == Some(Ordering::Less)),
                        (eq, lt)
                    );
                    let normal = eval(Op::FpIsNormal, [0, 0], &[x]) == Value::Bool(true);
                    assert_eq!(p.is_normal(format), normal);
                }
            }
        }
        for &a in &samples {
            for &b in &samples {
                let [x, y] = [a, b].map(|bits| Value::from_bits(sort, bits));
                // Exponents far apart take too long, and say so.
                if let Some(rest) = format.remainder(&of(format, x), &of(format, y)) {
                    assert_eq!(rest, of(format, eval(Op::FpRem, [0, 0], &[x, y])), "{x:?} {y:?}");
                }
            }
        }
    }
}

#[test]
fn conversions_are_the_evaluators() {
    let [(_, single), (_, double)] = FORMATS;
    for &rounding in &Rounding::ALL {
        for a in samples(Sort::F64) {
            let x = Value::from_bits(Sort::F64, a);
            let narrow = eval(Op::FpOfFp, [rounding as u8, 32], &[x]);
            assert_eq!(single.convert(rounding, &of(double, x)), Some(of(single, narrow)));
        }
    }
}

#[test]
fn half_precision_has_its_own_corners() {
    let half = Format::new(5, 11).unwrap();
    let bits = |bits: u64| half.of_bits(&Natural::of(bits));
    let (largest, one, least) = (bits(0x7bff), bits(0x3c00), bits(0x0001));
    let nearest = Rounding::NearestEven;
    assert_eq!(half.add(nearest, &largest, &one), Some(largest.clone()), "65504 + 1");
    assert_eq!(half.add(nearest, &largest, &largest), Some(bits(0x7c00)));
    assert_eq!(half.add(Rounding::ToZero, &largest, &largest), Some(largest.clone()));
    let two = bits(0x4000);
    assert_eq!(
        half.divide(nearest, &least, &two),
        Some(bits(0)),
        "half of the least, ties to even"
    );
    assert_eq!(half.divide(Rounding::Up, &least, &two), Some(least.clone()));
    let three = bits(0x4200);
    assert_eq!(half.divide(nearest, &one, &three), Some(bits(0x3555)));
    assert_eq!(half.square_root(nearest, &two), Some(bits(0x3da8)));
    assert!(!least.is_normal(half) && one.is_normal(half));
    assert_eq!(half.of_bits(&Natural::of(0x7e01)), Float::Nan);
    assert_eq!(Format::new(1, 11), None);
    assert_eq!(Format::new(40, 11), None, "such exponents are beyond exact arithmetic");
}
