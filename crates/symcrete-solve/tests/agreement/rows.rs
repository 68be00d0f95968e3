//! Rows of arguments for each operator: everything at small widths, the corners at full width.

use symcrete_term::op::{Indices, SortRule};
use symcrete_term::{Op, Rounding, Seed, Sort, Value};

/// Indices and arguments of one application.
pub(crate) type Row = (Indices, Vec<Value>);

/// The rows on which an operator is compared.
pub(crate) fn rows(op: Op) -> Vec<Row> {
    let arity = op.info().arity;
    let plain = |args: Vec<Vec<Value>>| with_indices(&[[0, 0]], args);
    match op.info().sort_rule {
        SortRule::Bool => plain(tuples(&[all(Sort::Bool)], arity)),
        SortRule::Equal => plain(tuples(
            &[all(Sort::Bool), all(Sort::Bv(4)), corners(Sort::Bv(64)), floats32(), floats64()],
            2,
        )),
        SortRule::Ite => ite_rows(),
        SortRule::Bv | SortRule::BvTest => {
            let widths = [4, 8, 32, 64].map(|width| corners(Sort::Bv(width)));
            let small = [1, 2, 3, 4].map(|width| all(Sort::Bv(width)));
            plain(tuples(&[small.as_slice(), widths.as_slice()].concat(), arity))
        }
        SortRule::Concat => {
            let pairs = [(4, 4), (1, 3), (8, 56), (32, 32), (63, 1)];
            let of = |(a, b): (u8, u8)| product(&corners(Sort::Bv(a)), &corners(Sort::Bv(b)));
            plain(pairs.into_iter().flat_map(of).collect())
        }
        SortRule::Extract => extract_rows(),
        SortRule::Extend => [(4, 0), (4, 1), (4, 4), (1, 63), (8, 24), (32, 32)]
            .into_iter()
            .flat_map(|(width, n)| with_indices(&[[n, 0]], singles(&corners(Sort::Bv(width)))))
            .collect(),
        SortRule::Fp | SortRule::FpTest => plain(tuples(&[floats32(), floats64()], arity)),
        SortRule::FpRounded if arity == 3 => {
            let few = [few(&floats32()), few(&floats64())];
            with_indices(&modes(0), tuples(&few, 3))
        }
        SortRule::FpRounded => with_indices(&modes(0), tuples(&[floats32(), floats64()], arity)),
        SortRule::FpOfBits => {
            let bits = |floats: Vec<Value>, width| {
                let payloads = [1, 0x5_0000_0001].map(|low| nan_payload(width, low));
                let plain = floats.into_iter().map(move |float| Value::bv(width, float.bits()));
                singles(&plain.chain(payloads).collect::<Vec<_>>())
            };
            plain([bits(floats32(), 32), bits(floats64(), 64)].concat())
        }
        SortRule::FpBits => plain(singles(&[floats32(), floats64()].concat())),
        SortRule::FpOfFp => {
            let args = singles(&[floats32(), floats64()].concat());
            with_indices(&[modes(32), modes(64)].concat(), args)
        }
        SortRule::FpOfBv => {
            let widths = [1, 4, 8, 32, 64].map(|width| corners(Sort::Bv(width)));
            with_indices(&[modes(32), modes(64)].concat(), singles(&widths.concat()))
        }
        SortRule::BvOfFp => {
            let args = singles(&[floats32(), floats64()].concat());
            let widths = [1, 4, 8, 32, 53, 64].map(modes);
            with_indices(&widths.concat(), args)
        }
    }
}

fn ite_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for condition in all(Sort::Bool) {
        for values in [corners(Sort::Bv(8)), floats64(), floats32(), all(Sort::Bool)] {
            for pair in values.windows(2) {
                rows.push(([0, 0], vec![condition, pair[0], pair[1]]));
            }
        }
    }
    rows
}

fn extract_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (high, low) in (0..4).flat_map(|high| (0..=high).map(move |low| (high, low))) {
        rows.extend(with_indices(&[[high, low]], singles(&all(Sort::Bv(4)))));
    }
    let wide = [[63, 0], [63, 63], [0, 0], [31, 0], [63, 32], [40, 17]];
    rows.extend(with_indices(&wide, singles(&corners(Sort::Bv(64)))));
    rows
}

fn nan_payload(width: u8, low: u64) -> Value {
    let exponent = if width == 32 { 0xff80_0000 } else { 0xfff0 << 48 };
    Value::bv(width, exponent | low)
}

fn modes(second: u8) -> Vec<Indices> {
    Rounding::ALL.iter().map(|&rounding| [rounding as u8, second]).collect()
}

fn with_indices(indices: &[Indices], args: Vec<Vec<Value>>) -> Vec<Row> {
    indices.iter().flat_map(|&i| args.iter().map(move |args| (i, args.clone()))).collect()
}

fn singles(values: &[Value]) -> Vec<Vec<Value>> {
    values.iter().map(|&value| vec![value]).collect()
}

fn product(a: &[Value], b: &[Value]) -> Vec<Vec<Value>> {
    a.iter().flat_map(|&x| b.iter().map(move |&y| vec![x, y])).collect()
}

/// All tuples of a length, within each of the lists.
fn tuples(lists: &[Vec<Value>], n: usize) -> Vec<Vec<Value>> {
    let of = |list: &Vec<Value>| {
        let mut tuples = vec![Vec::new()];
        for _ in 0..n {
            let longer = |tuple: Vec<Value>| {
                let extend = move |&value| [tuple.as_slice(), &[value]].concat();
                list.iter().map(extend).collect::<Vec<_>>()
            };
            tuples = tuples.into_iter().flat_map(longer).collect();
        }
        tuples
    };
    lists.iter().flat_map(of).collect()
}

fn all(sort: Sort) -> Vec<Value> {
    (0..1u64 << sort.bits()).map(|bits| Value::from_bits(sort, bits)).collect()
}

/// Zero, ones, the extremes, numbers about the width (for shifts), a few random ones.
fn corners(sort: Sort) -> Vec<Value> {
    let (mask, width) = (sort.mask(), u64::from(sort.bits()));
    let min = mask ^ (mask >> 1);
    let mut rng = Seed(4).derive_number(width).rng();
    let fixed = [0, 1, 2, 3, mask, mask - 1, min, min + 1, min.wrapping_sub(1), width - 1, width];
    let random = [rng.next_u64(), rng.next_u64()];
    let mut values: Vec<Value> =
        fixed.into_iter().chain(random).map(|bits| Value::from_bits(sort, bits)).collect();
    values.sort();
    values.dedup();
    values
}

const DOUBLES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -3.5,
    0.1,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    9_007_199_254_740_993.0,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_616.0,
    2_147_483_647.5,
    -2_147_483_648.5,
    127.5,
    3.000_000_059_604_644_8,
];

fn floats64() -> Vec<Value> {
    DOUBLES.iter().map(|&x| Value::f64(x)).collect()
}

fn floats32() -> Vec<Value> {
    let own = [f32::MAX, f32::MIN_POSITIVE, 1e-45, -1e-45, 16_777_217.0, 8_388_607.5];
    let mut values: Vec<Value> =
        DOUBLES.iter().map(|&x| x as f32).chain(own).map(Value::f32).collect();
    values.sort();
    values.dedup();
    values
}

/// Every third, for operators of three arguments.
fn few(values: &[Value]) -> Vec<Value> {
    values.iter().copied().step_by(3).collect()
}
