//! The input that a search starts from.

use symcrete_program::shape::value_of;
use symcrete_program::{Bound, CellKind, Input, Shape, Types};
use symcrete_term::Seed;

/// A random input, as the drivers of Koroglu and Sen 2016 and Takaki et al. 2010 start from: every cell has random bits, lengths
/// are within their bounds and pointers are there or null. Which cells there are depends on lengths and pointers, so
/// these are drawn first.
pub fn random_input(shape: &Shape, types: &Types, seed: Seed) -> Input {
    let mut rng = seed.derive("first-input").rng();
    let mut input = Input::default();
    loop {
        let bounds = shape.image(types, &input).bounds;
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
            let bits = match bounds.iter().find(|bound| bound.name == name) {
                Some(bound) => within(bound, bits),
                None => bits,
            };
            input.set(name, value_of(kind, bits));
        }
        if input.values.len() == n_before {
            return input;
        }
    }
}

/// Draws within the bounds of a length. Negative ones are as good as none, so they are left out.
fn within(bound: &Bound, bits: u64) -> u64 {
    let low = match bound.kind {
        CellKind::Int { signed: true, .. } => bound.low.max(0),
        CellKind::Int { signed: false, .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => {
            bound.low
        }
    };
    let span = bound.high.saturating_sub(low).max(0).unsigned_abs().saturating_add(1);
    (bits % span).wrapping_add(low as u64)
}
