//! Neighbours of all magnitudes (an improvement; the paper has one step distribution).

use crate::random;
use crate::search::domain::{from_number, power_of_two, shifted, stepped, to_number};
use symcrete_term::{Rng, Sort, Value, VarId};

/// A new value for one variable of a point.
pub(super) fn drawn(
    rng: &mut Rng,
    variables: &[(VarId, Sort)],
    constants: &[Value],
    point: &[u64],
    variable: usize,
) -> u64 {
    let (sort, bits) = (variables[variable].1, point[variable]);
    match rng.below(6) {
        0 => small_step(rng, sort, bits),
        1 => like_another(rng, variables, point, variable),
        2 => random::draw(rng, sort, constants),
        3 => flipped(rng, sort, bits),
        4 => rounded(rng, sort, bits),
        _ => scaled(rng, sort, bits),
    }
}

/// Up or down by a few: integers, or last places of a float.
fn small_step(rng: &mut Rng, sort: Sort, bits: u64) -> u64 {
    let size = 1i64 << rng.below(4);
    let n = if rng.one_in(2) { size } else { -size };
    if rng.one_in(2) { stepped(sort, bits, n) } else { shifted(sort, bits, n as f64) }
}

/// The value of another variable or its opposite: many equations are between variables.
fn like_another(rng: &mut Rng, variables: &[(VarId, Sort)], point: &[u64], variable: usize) -> u64 {
    let other = rng.below(variables.len() as u64) as usize;
    let number = to_number(variables[other].1, point[other]);
    from_number(variables[variable].1, if rng.one_in(2) { number } else { -number })
}

/// One bit changed: of an integer any, of a float sign, exponent or mantissa alike often.
fn flipped(rng: &mut Rng, sort: Sort, bits: u64) -> u64 {
    let width = u64::from(sort.bits());
    let bit = match (sort, rng.below(3)) {
        (Sort::F32 | Sort::F64, 0) => width - 1,
        (Sort::F32, 1) => 23 + rng.below(8),
        (Sort::F64, 1) => 52 + rng.below(11),
        (Sort::Bool | Sort::Bv(_) | Sort::F32 | Sort::F64, _) => rng.below(width),
    };
    Value::from_bits(sort, bits ^ (1 << bit)).bits()
}

/// A float with few binary places; an integer with zeros at its end.
fn rounded(rng: &mut Rng, sort: Sort, bits: u64) -> u64 {
    let number = to_number(sort, bits);
    let grid = if sort.is_float() {
        power_of_two(-(rng.below(8) as i64))
    } else {
        power_of_two(rng.below(u64::from(sort.bits())) as i64)
    };
    from_number(sort, (number / grid).round() * grid)
}

/// Times a power of two, or moved by a fraction of itself.
fn scaled(rng: &mut Rng, sort: Sort, bits: u64) -> u64 {
    let number = to_number(sort, bits);
    let factor = power_of_two(rng.between(-30, 4));
    match rng.below(3) {
        0 => from_number(sort, number * factor),
        1 => shifted(sort, bits, number * factor),
        _ => shifted(sort, bits, -number * factor),
    }
}
