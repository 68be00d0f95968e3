//! The input that a search starts from.

use symcrete_program::shape::value_of;
use symcrete_program::{CellKind, CellRange, Input, Shape, Types};
use symcrete_term::Seed;

/// A random input, as the drivers of Koroglu and Sen 2016 and Takaki et al. 2010 start from: every cell has random bits, lengths
/// are within their ranges and pointers are there or null. Which cells there are depends on lengths and pointers, so
/// these are drawn first.
pub fn random_input(shape: &Shape, types: &Types, seed: Seed) -> Input {
    let mut rng = seed.derive("first-input").rng();
    let mut input = Input::default();
    loop {
        let ranges = shape.image(types, &input).ranges;
        let leaves = shape.leaves(&input);
        let n_before = input.values.len();
        for (name, kind, _) in leaves {
            if input.get(&name).is_some() {
                continue;
            }
            let bits = match shape.aliases.iter().any(|alias| alias.name == name) {
                // Objects that are the same are looked for later: most programs expect others.
                true => 0,
                false => rng.next_u64(),
            };
            let bits = match ranges.iter().find(|range| range.name == name) {
                Some(range) => within(range, bits),
                None => bits,
            };
            input.set(name, value_of(kind, bits));
        }
        if input.values.len() == n_before {
            return input;
        }
    }
}

/// Draws within the range of a length. Negative ones are as good as none, so they are left out.
fn within(range: &CellRange, bits: u64) -> u64 {
    let low = match range.kind {
        CellKind::Int { signed: true, .. } => range.low.max(0),
        CellKind::Int { signed: false, .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => {
            range.low
        }
    };
    let span = range.high.saturating_sub(low).max(0).unsigned_abs().saturating_add(1);
    (bits % span).wrapping_add(low as u64)
}
