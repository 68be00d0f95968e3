//! Values that are near others, and values that matter.

use symcrete_exec::fast::order::{ordered_f32, ordered_f64, unordered_f32, unordered_f64};
use symcrete_exec::fast::plan::Variable;
use symcrete_program::{CellKind, Scalar};
use symcrete_term::Rng;

pub(super) const FLOATS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    10.0,
    100.0,
    1e10,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Values worth trying for each variable.
pub(super) struct Dictionary {
    of_variable: Vec<Vec<u64>>,
}

impl Dictionary {
    /// Corners of each variable's kind, and constants converted to it.
    pub(super) fn new(variables: &[Variable], constants: &[Scalar]) -> Dictionary {
        let of_variable = variables.iter().map(|variable| {
            let mut values: Vec<u64> = Vec::new();
            match variable.kind {
                CellKind::Bool => values.extend([0, 1]),
                CellKind::Int { .. } => {
                    let corners = [0, 1, 2, 3, 4, 8, 10, 16, 32, 64, 100, 127, 128, 255, 256, 1000];
                    let top = 1 << (variable.width.max(1) - 1);
                    values.extend(corners.iter().flat_map(|&x: &u64| [x, x.wrapping_neg()]));
                    values.extend([top, top - 1, top + 1]);
                }
                CellKind::F32 | CellKind::F64 => {
                    values.extend(FLOATS.iter().map(|&x| float_bits(variable.kind, x)));
                    values.push(1);
                }
            }
            for &constant in constants {
                let near = converted(variable.kind, constant);
                values.extend([near, step(variable, near, 1), step(variable, near, -1)]);
            }
            let mut values: Vec<u64> =
                values.into_iter().map(|bits| variable.normal(bits)).collect();
            values.sort_unstable();
            values.dedup();
            values
        });
        Dictionary { of_variable: of_variable.collect() }
    }

    /// The values for a variable, by position.
    pub(super) fn values(&self, variable: usize) -> &[u64] {
        &self.of_variable[variable]
    }
}

pub(super) fn float_bits(kind: CellKind, x: f64) -> u64 {
    match kind {
        CellKind::F32 => u64::from((x as f32).to_bits()),
        CellKind::F64 | CellKind::Int { .. } | CellKind::Bool => x.to_bits(),
    }
}

/// A number of the program as a value of a kind: the same number where there is one.
pub(super) fn converted(kind: CellKind, constant: Scalar) -> u64 {
    let integer = |x: i64| match kind {
        CellKind::F32 | CellKind::F64 => float_bits(kind, x as f64),
        CellKind::Int { .. } | CellKind::Bool => x as u64,
    };
    let float = |x: f64| match kind {
        CellKind::F32 | CellKind::F64 => float_bits(kind, x),
        CellKind::Int { .. } | CellKind::Bool => x as i64 as u64,
    };
    match constant {
        Scalar::I32(bits) => integer(i64::from(bits as i32)),
        Scalar::I64(bits) => integer(bits as i64),
        Scalar::F32(bits) => float(f64::from(f32::from_bits(bits))),
        Scalar::F64(bits) => float(f64::from_bits(bits)),
        Scalar::FuncRef { .. } => 0,
    }
}

/// The value so many steps away: of one for integers, to the next float for floats.
pub(super) fn step(variable: &Variable, bits: u64, by: i64) -> u64 {
    let moved = match variable.kind {
        CellKind::Bool => bits ^ (by as u64 & 1),
        CellKind::Int { .. } => bits.wrapping_add(by as u64),
        CellKind::F32 => {
            let place = ordered_f32(bits as u32).wrapping_add(by as i32);
            u64::from(unordered_f32(place))
        }
        CellKind::F64 => unordered_f64(ordered_f64(bits).wrapping_add(by)),
    };
    variable.normal(moved)
}

/// The number that a float is; zero for what is none.
pub(super) fn number(kind: CellKind, bits: u64) -> f64 {
    match kind {
        CellKind::F32 => f64::from(f32::from_bits(bits as u32)),
        CellKind::F64 => f64::from_bits(bits),
        CellKind::Int { .. } | CellKind::Bool => 0.0,
    }
}

/// Arithmetic on the number that a float is; integers stay.
pub(super) fn calculated(variable: &Variable, bits: u64, f: impl Fn(f64) -> f64) -> u64 {
    match variable.kind.sort().is_float() {
        true => variable.normal(float_bits(variable.kind, f(number(variable.kind, bits)))),
        false => bits,
    }
}

/// Steps of every size, in both directions: what an alternating variable search would try one after the
/// other (Korel, "Automated software test data generation", 1990), as one batch.
pub(super) fn pattern(variable: &Variable, bits: u64, mut add: impl FnMut(u64)) {
    let n = match variable.kind {
        CellKind::Bool => 1,
        CellKind::Int { .. } => u32::from(variable.width),
        CellKind::F32 => 32,
        CellKind::F64 => 63,
    };
    for k in 0..n {
        let by = 1_i64 << k;
        add(step(variable, bits, by));
        add(step(variable, bits, by.wrapping_neg()));
    }
    if variable.kind.sort().is_float() {
        for x in [1.0, 10.0, 100.0, 0.1, 0.001] {
            add(calculated(variable, bits, |value| value + x));
            add(calculated(variable, bits, |value| value - x));
        }
        add(calculated(variable, bits, |value| -value));
    }
}

/// Changes some of a run's values at random.
pub(super) fn havoc(
    rng: &mut Rng,
    variables: &[Variable],
    dictionary: &Dictionary,
    other: &[u64],
    values: &mut [u64],
) {
    let n_changes = 1 << rng.below(4);
    for _ in 0..n_changes {
        let i = rng.below(variables.len() as u64) as usize;
        let (variable, bits) = (&variables[i], values[i]);
        values[i] = match rng.below(9) {
            0 => variable.normal(bits ^ (1 << rng.below(u64::from(variable.width)))),
            1 => step(variable, bits, rng.between(-16, 16)),
            2 => {
                let by = 1_i64.wrapping_shl(rng.below(64) as u32);
                step(variable, bits, if rng.one_in(2) { by } else { by.wrapping_neg() })
            }
            3 | 4 => *rng.choose(dictionary.values(i)),
            5 => variable.normal(rng.next_u64() >> rng.below(64)),
            6 => {
                let from = rng.below(variables.len() as u64) as usize;
                match variables[from].kind == variable.kind {
                    true => step(variable, values[from], rng.between(-1, 1)),
                    false => bits,
                }
            }
            7 => other[i],
            _ => match variable.kind {
                CellKind::F32 | CellKind::F64 => {
                    let x = rng.between(-1000, 1000) as f64 / 8.0;
                    match rng.below(3) {
                        0 => calculated(variable, bits, |value| value + x),
                        1 => calculated(variable, bits, |value| value * x),
                        _ => variable.normal(float_bits(variable.kind, x)),
                    }
                }
                CellKind::Int { .. } => variable.normal(rng.below(256)),
                CellKind::Bool => rng.below(2),
            },
        };
    }
    if rng.one_in(8) {
        let i = rng.below(variables.len() as u64) as usize;
        let j = rng.below(variables.len() as u64) as usize;
        if variables[i].kind == variables[j].kind && variables[i].range == variables[j].range {
            values.swap(i, j);
        }
    }
}
