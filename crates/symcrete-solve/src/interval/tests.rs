//! The refuter against the evaluator: images, contraction and verdicts, over all operators and functions.

mod conditions;
mod formulas;
mod images;

use super::domain::{Domain, Span, bits_at, place};
use symcrete_term::{Rng, Sort, Value};

/// Numbers about which floats behave in some special way; their opposites too.
const NUMBERS: &[f64] = &[
    0.0,
    1.0,
    0.5,
    1.5,
    2.0,
    2.5,
    3.0,
    0.1,
    std::f64::consts::PI,
    std::f64::consts::FRAC_PI_2,
    10.0,
    89.0,
    745.0,
    1e10,
    2_147_483_647.5,
    4_294_967_296.0,
    9_007_199_254_740_993.0,
    9_223_372_036_854_775_808.0,
    1e38,
    1e-38,
    1e300,
    1e-300,
    f64::INFINITY,
];

/// Values of a sort: all of a small one, the corners of a large one. NaN is the last float.
pub(super) fn corners(sort: Sort) -> Vec<Value> {
    if sort.bits() <= 4 {
        return (0..1u64 << sort.bits()).map(|bits| Value::from_bits(sort, bits)).collect();
    }
    if !sort.is_float() {
        let (mask, width) = (sort.mask(), u64::from(sort.bits()));
        let half = mask ^ (mask >> 1);
        let bits = [0, 1, 2, 7, width - 1, width, half - 1, half, half + 1, mask - 2, mask];
        return bits.into_iter().map(|bits| Value::from_bits(sort, bits)).collect();
    }
    let infinity = super::domain::infinity(sort);
    let normal = super::floats::least_normal(sort);
    let mut bits = vec![1, 2, normal - 1, normal, infinity - 1];
    for &number in NUMBERS {
        let value = if sort == Sort::F32 { Value::f32(number as f32) } else { Value::f64(number) };
        bits.extend([value.bits(), (value.bits() + 1).min(infinity)]);
    }
    bits.sort_unstable();
    bits.dedup();
    let sign = super::domain::top_bit(sort);
    let signed = bits.iter().flat_map(|&bits| [bits, bits | sign]);
    signed.chain([u64::MAX]).map(|bits| Value::from_bits(sort, bits)).collect()
}

pub(super) fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len() as u64) as usize]
}

/// A random set: two random spans between corners, perhaps one of them, perhaps NaN.
pub(super) fn random_domain(rng: &mut Rng, sort: Sort) -> Domain {
    let values = corners(sort);
    let mut domain = Domain::empty(sort);
    while domain.is_empty() {
        for _ in 0..=rng.below(2) {
            let ends = [pick(rng, &values), pick(rng, &values)];
            let ends = if rng.below(4) == 0 { [ends[0]; 2] } else { ends };
            let mut part = Domain::empty(sort);
            for end in ends {
                part.insert(end.bits());
            }
            domain = domain.join(part);
        }
    }
    domain
}

/// Some values of a set: its ends, the corners inside, and random ones between.
pub(super) fn samples(rng: &mut Rng, domain: Domain) -> Vec<Value> {
    let sort = domain.sort;
    let mut values = corners(sort);
    for Span { low, high } in domain.spans {
        if low <= high {
            let random = low + rng.below(high - low + 1);
            values.extend([low, high, random].map(|bits| Value::from_bits(sort, bits)));
        }
    }
    values.retain(|&value| domain.contains(value));
    values
}

#[test]
fn places_are_in_order() {
    for sort in [Sort::F32, Sort::F64] {
        let mut numbers = corners(sort);
        numbers.pop();
        numbers.sort_by(|a, b| a.as_f64().unwrap().total_cmp(&b.as_f64().unwrap()));
        assert!(numbers.iter().map(|x| place(sort, x.bits())).is_sorted());
        assert!(numbers.iter().all(|x| bits_at(sort, place(sort, x.bits())) == x.bits()));
    }
}
