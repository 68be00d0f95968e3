//! Readable values.
//!
//! [`nicer`] proposes values for a cell, the nicest first. Whether one keeps the path only a run can tell: the
//! caller tries them in turn and keeps the first that does.

use symcrete_program::image::CellKind;
use symcrete_program::shape::number;
use symcrete_term::{Sort, Value};

/// Values for a cell that are nicer than the one it has, the nicest first.
pub fn nicer(kind: CellKind, current: Value) -> Vec<Value> {
    let limit = pleasantness(kind, current);
    let mut found: Vec<(u32, Value)> = candidates(kind, current.bits())
        .into_iter()
        .map(|bits| Value::from_bits(sort_of(kind, current), bits))
        .map(|value| (pleasantness(kind, value), value))
        .filter(|(measure, _)| *measure < limit)
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, value)| value).collect()
}

/// The same for a byte of a text whose length is known: letters are nicer than zeros, at which most programs stop reading.
pub fn nicer_in_text(current: Value) -> Vec<Value> {
    let unpleasant = |value: Value| match value.bits() as u8 {
        0 => u32::MAX,
        byte => character(byte),
    };
    let limit = unpleasant(current);
    let candidates = candidates(CellKind::Int { bits: 8, signed: false }, current.bits());
    let values = candidates.into_iter().map(|bits| Value::from_bits(current.sort(), bits));
    let mut found: Vec<(u32, Value)> = values.map(|value| (unpleasant(value), value)).collect();
    found.retain(|(measure, _)| *measure < limit);
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, value)| value).collect()
}

/// How unpleasant a value is: 0 for zero, more for longer numbers. Values of the same measure are equally nice.
pub fn pleasantness(kind: CellKind, value: Value) -> u32 {
    let bits = value.bits();
    match kind {
        CellKind::Bool => bits as u32,
        CellKind::Int { bits: 8, .. } => character(bits as u8),
        CellKind::Int { signed: true, .. } => {
            let number = number(kind_of(kind, value), bits);
            2 * digits(number.unsigned_abs()) + u32::from(number < 0)
        }
        CellKind::Int { signed: false, .. } => 2 * digits(bits),
        CellKind::F32 => real(
            f64::from(f32::from_bits(bits as u32)),
            &format!("{:?}", f32::from_bits(bits as u32)),
        ),
        CellKind::F64 => real(f64::from_bits(bits), &format!("{:?}", f64::from_bits(bits))),
    }
}

/// A bit-field's variable is narrower than its storage unit.
fn kind_of(kind: CellKind, value: Value) -> CellKind {
    match (kind, value.sort()) {
        (CellKind::Int { signed, .. }, Sort::Bv(bits)) => CellKind::Int { bits, signed },
        (kind, _) => kind,
    }
}

fn sort_of(kind: CellKind, current: Value) -> Sort {
    match kind {
        CellKind::Bool | CellKind::F32 | CellKind::F64 => kind.sort(),
        CellKind::Int { .. } => current.sort(),
    }
}

fn candidates(kind: CellKind, bits: u64) -> Vec<u64> {
    match kind {
        CellKind::Bool => vec![0],
        CellKind::Int { bits: 8, .. } => {
            let letters = b"a0 AbB1xz9.,-+_/".iter().map(|&byte| u64::from(byte));
            [0].into_iter().chain(letters).collect()
        }
        CellKind::Int { bits: width, signed } => {
            let value = if signed { number(kind, bits) } else { bits.min(i64::MAX as u64) as i64 };
            let mask = u64::MAX >> (64 - width);
            let all = small().into_iter().chain(round(value));
            all.map(|number| number as u64 & mask).collect()
        }
        CellKind::F32 => {
            let value = f64::from(f32::from_bits(bits as u32));
            reals(value).into_iter().map(|real| u64::from((real as f32).to_bits())).collect()
        }
        CellKind::F64 => reals(f64::from_bits(bits)).into_iter().map(f64::to_bits).collect(),
    }
}

fn small() -> Vec<i64> {
    vec![0, 1, 2, 3, 4, 5, 8, 10, 16, 20, 50, 64, 100, 1000, -1, -2, -3, -5, -10, -100, -1000]
}

/// The same number with fewer digits, rounded towards and away from zero.
fn round(value: i64) -> Vec<i64> {
    let mut found = Vec::new();
    let mut unit: i64 = 10;
    while unit <= value.saturating_abs() {
        let below = value / unit * unit;
        found.push(below);
        found.extend(below.checked_add(unit * value.signum()));
        match unit.checked_mul(10) {
            Some(next) => unit = next,
            None => break,
        }
    }
    // Powers of two and their neighbours are what programs compare with.
    let power = 1i64.checked_shl(63 - value.saturating_abs().max(1).leading_zeros()).unwrap_or(1);
    found.extend([power * value.signum(), value.saturating_sub(value.signum())]);
    found
}

fn reals(value: f64) -> Vec<f64> {
    let mut found =
        vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.5, 0.25, 1.5, 10.0, 100.0, 1000.0, 1e6, 0.1];
    found.extend(found.clone().iter().map(|real| -real));
    if value.is_finite() {
        found.extend([value.trunc(), value.floor(), value.ceil(), value.round()]);
        // The text is rounded correctly on every machine, unlike a power of ten.
        let rounded = (0..6).filter_map(|digits| format!("{value:.digits$e}").parse::<f64>().ok());
        found.extend(rounded);
    }
    found
}

/// Digits without zeros at the end: a round number is a short one.
fn digits(number: u64) -> u32 {
    let text = number.to_string();
    let significant = text.trim_end_matches('0').len() as u32;
    let zeros = text.len() as u32 - significant;
    match number {
        0 => 0,
        1..=9 => 1,
        _ => significant + 1 + zeros / 3,
    }
}

fn character(byte: u8) -> u32 {
    match byte {
        0 => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' | b'A'..=b'Z' => 2,
        b' '..=b'~' => 3,
        b'\n' | b'\t' => 4,
        1..=9 => 5,
        10..=31 => 6,
        127.. => 7,
    }
}

fn real(value: f64, decimal: &str) -> u32 {
    if value == 0.0 {
        return u32::from(value.is_sign_negative());
    }
    if !value.is_finite() {
        return 10;
    }
    let mantissa = decimal.split('e').next().unwrap_or(decimal);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_matches('0').len() as u32;
    let has_fraction = value.fract() != 0.0;
    let is_far = !(1e-3..1e7).contains(&value.abs());
    2 * significant + u32::from(value < 0.0) + 2 * u32::from(has_fraction) + 4 * u32::from(is_far)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: CellKind = CellKind::Int { bits: 32, signed: true };

    #[test]
    fn the_nicest_comes_first() {
        let candidates = nicer(INT, Value::bv(32, 123_456));
        assert_eq!(candidates[0], Value::bv(32, 0));
        assert!(candidates.contains(&Value::bv(32, 123_000)));
        assert!(candidates.contains(&Value::bv(32, 1000)));
        assert!(nicer(INT, Value::bv(32, 0)).is_empty());
    }

    #[test]
    fn candidates_are_nicer_and_of_the_same_sort() {
        let kinds = [
            (INT, Value::bv(32, 0x8000_0001)),
            (CellKind::BYTE, Value::bv(8, 0xf3)),
            (CellKind::F64, Value::from_bits(Sort::F64, 0.123_456_789f64.to_bits())),
            (CellKind::F32, Value::from_bits(Sort::F32, 0x3eaa_aaab)),
            (CellKind::Bool, Value::Bool(true)),
            // A bit-field of three bits in a unit of 32.
            (CellKind::Int { bits: 32, signed: false }, Value::bv(3, 7)),
        ];
        for (kind, current) in kinds {
            let candidates = nicer(kind, current);
            assert!(!candidates.is_empty(), "{kind:?}");
            for value in candidates {
                assert_eq!(value.sort(), current.sort());
                assert!(pleasantness(kind, value) < pleasantness(kind, current));
            }
        }
    }

    #[test]
    fn measures_order_as_people_do() {
        let measure = |number: u64| pleasantness(INT, Value::bv(32, number));
        assert!(measure(0) < measure(7));
        assert!(measure(7) < measure(100));
        assert!(measure(100) < measure(123));
        assert!(measure(5) < measure((-5i32) as u32 as u64));
    }
}
