//! Inputs that a search starts from.

use symcrete_program::shape::{ShapeNode, value_of};
use symcrete_program::types::TypeKind;
use symcrete_program::{CellKind, CellRange, Input, Program, Shape, TypeId, Types};
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

/// Numbers are 1, texts are "1", and no choice is made: with such arguments most calls succeed.
pub fn plain_input(program: &Program, shape: &Shape) -> Input {
    let mut plain = Input::default();
    for slot in &shape.params {
        match &slot.node {
            ShapeNode::Leaf(leaf)
                if matches!(leaf.kind, CellKind::Int { .. }) && !is_choice(program, slot.ty) =>
            {
                plain.set(leaf.name.clone(), value_of(leaf.kind, 1));
            }
            ShapeNode::Pointer(pointer) if pointer.is_terminated => {
                if let Some(ShapeNode::Leaf(leaf)) = pointer.items.first() {
                    plain.set(leaf.name.clone(), value_of(leaf.kind, u64::from(b'1')));
                }
            }
            ShapeNode::Leaf(_)
            | ShapeNode::Pointer(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::Record { .. }
            | ShapeNode::List { .. }
            | ShapeNode::Callback(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Fixed { .. } => {}
        }
    }
    plain
}

fn is_choice(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty).kind, TypeKind::Enum { .. })
}

/// Inputs that make one and the same call again and again before the function: what they set is full, or used up.
pub(crate) fn repeated_calls(program: &Program, shape: &Shape) -> Vec<Input> {
    let Some(driver) = program.driver(shape.entered) else { return Vec::new() };
    let n_calls = driver.before.first().map_or(0, |choice| choice.calls.len());
    let choice = CellKind::Int { bits: 32, signed: false };
    let repeated = |call: usize| {
        let mut input = plain_input(program, shape);
        let made = driver.before.iter().take(shape.sizes.calls as usize);
        made.for_each(|before| input.set(before.choice.clone(), value_of(choice, call as u64)));
        input
    };
    (1..=n_calls).map(repeated).collect()
}
