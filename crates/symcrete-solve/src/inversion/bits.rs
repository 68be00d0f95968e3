//! Inverses of operators on bit-vectors. All numbers are raw bits; who calls masks and checks.

use symcrete_term::{Op, Rng, Sort, Value};

/// `x` with `x · factor = product` modulo two to the width; the bits that do not matter are random.
pub(super) fn factor(width: u32, factor: u64, product: u64, rng: &mut Rng) -> Option<u64> {
    let mask = Sort::Bv(width as u8).mask();
    if factor == 0 {
        return (product == 0).then(|| rng.next_u64() & mask);
    }
    let n_zeros = factor.trailing_zeros();
    if product != 0 && product.trailing_zeros() < n_zeros {
        return None;
    }
    let low = (product >> n_zeros).wrapping_mul(odd_inverse(factor >> n_zeros));
    let n_known = width - n_zeros;
    let known = if n_known == 64 { u64::MAX } else { (1 << n_known) - 1 };
    Some(((low & known) | (rng.next_u64() & !known)) & mask)
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn odd_inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

/// Candidates for the dividend or the divisor of a quotient or remainder.
pub(super) fn division(
    op: Op,
    width: u32,
    is_left: bool,
    other: u64,
    wanted: u64,
    rng: &mut Rng,
) -> Vec<u64> {
    let signed = |bits: u64| i128::from(Value::bv(width as u8, bits).as_signed().unwrap_or(0));
    let is_signed = matches!(op, Op::BvSdiv | Op::BvSrem | Op::BvSmod);
    let number = |bits: u64| if is_signed { signed(bits) } else { i128::from(bits) };
    let (other, wanted) = (number(other), number(wanted));
    let is_quotient = matches!(op, Op::BvUdiv | Op::BvSdiv);
    let some = i128::from(rng.between(-8, 8));
    let candidates = match (is_quotient, is_left) {
        (true, true) => {
            let within = if other == 0 { 0 } else { i128::from(rng.next_u64()) % other };
            vec![other * wanted + within, other * wanted, other * wanted - within, some]
        }
        (true, false) if wanted != 0 => {
            vec![other / wanted, other / wanted - 1, other / wanted + 1]
        }
        (true, false) => vec![other + 1, other * 2, -other - 1, i128::from(rng.next_u64())],
        (false, true) => {
            vec![wanted + other * some, wanted + other * some.abs(), wanted - other * some, wanted]
        }
        (false, false) => {
            let rest = other - wanted;
            let divisors = (1..=16).filter(|&d| rest % d == 0).map(|d| rest / d);
            let mut candidates = vec![rest, -rest, 0];
            candidates.extend(divisors);
            candidates
        }
    };
    candidates.into_iter().map(|number| number as u64).collect()
}

/// Candidates for what is shifted or rotated, or for by how much.
pub(super) fn shift(
    op: Op,
    width: u32,
    is_left: bool,
    other: u64,
    wanted: u64,
    rng: &mut Rng,
) -> Vec<u64> {
    if !is_left {
        let first = rng.below(u64::from(width) + 1);
        return (0..=u64::from(width)).map(|i| (first + i) % (u64::from(width) + 1)).collect();
    }
    let noise = rng.next_u64();
    let width = u64::from(width);
    let is_rotation = matches!(op, Op::BvRotl | Op::BvRotr);
    if !is_rotation && other >= width {
        return vec![noise, 0];
    }
    let n = (other % width) as u32;
    let low_ones = (1u64 << n) - 1;
    if is_rotation {
        let back = if op == Op::BvRotl { n } else { (width as u32 - n) % width as u32 };
        let rest = (width as u32 - back) % 64;
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        let turned = if back == 0 { wanted } else { (wanted >> back) | (wanted << rest) };
        return vec![turned & mask];
    }
    if op == Op::BvShl {
        let kept = u64::MAX.checked_shr(64 - (width as u32 - n)).unwrap_or(0);
        return vec![(wanted >> n & kept) | (noise & !kept)];
    }
    vec![(wanted << n) | (noise & low_ones)]
}

/// Candidates for a word with so many leading or trailing zeros, or ones.
#[expect(clippy::wildcard_enum_match_arm, reason = "the caller has chosen the operators")]
pub(super) fn count(op: Op, width: u32, wanted: u64, rng: &mut Rng) -> Vec<u64> {
    let width = u64::from(width);
    if wanted > width {
        return Vec::new();
    }
    let noise = rng.next_u64();
    match op {
        Op::BvClz if wanted == width => vec![0],
        Op::BvClz => {
            let top = 1 << (width - 1 - wanted);
            vec![top | (noise & (top - 1)), top]
        }
        Op::BvCtz if wanted == width => vec![0],
        Op::BvCtz => vec![(noise | 1) << wanted, 1 << wanted],
        _ => {
            let ones = if wanted == 64 { u64::MAX } else { (1 << wanted) - 1 };
            let start = rng.below(width - wanted + 1);
            vec![ones.checked_shl(start as u32).unwrap_or(0), ones]
        }
    }
}

/// Numbers below, at and above another one: its neighbours, any, and the ends of the sort.
pub(super) fn around(sort: Sort, other: u64, rng: &mut Rng) -> Vec<u64> {
    let (mask, half) = (sort.mask(), sort.mask() / 2);
    let mut candidates = vec![other, other.wrapping_sub(1) & mask, other.wrapping_add(1) & mask];
    candidates.extend([rng.next_u64() & mask, rng.next_u64() & mask, rng.below(256) & mask]);
    let first = rng.below(candidates.len() as u64) as usize;
    candidates.rotate_left(first);
    candidates.extend([0, mask, half, half.wrapping_add(1) & mask]);
    candidates
}
