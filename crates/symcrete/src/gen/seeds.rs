//! First inputs of functions whose objects are made by calls: most makers succeed with small, plain arguments, and zeros
//! are what many of them refuse.

use symcrete_program::api::{Argument, Maker};
use symcrete_program::shape::{ShapeNode, value_of};
use symcrete_program::types::TypeKind;
use symcrete_program::{CellKind, Input, Program, Shape, TypeId};
use symcrete_term::Value;

/// An input for each way to make the objects of a function; none if it is entered directly.
pub(super) fn inputs(program: &Program, shape: &Shape) -> Vec<Input> {
    let Some(driver) = program.driver(shape.entered) else { return Vec::new() };
    let mut plain = plain(program, shape);
    let objects = driver.call.arguments.iter().filter_map(|argument| match argument {
        Argument::Object(object) => Some(object),
        Argument::Parameter(_) | Argument::Itself | Argument::Earlier(_) => None,
    });
    let objects: Vec<_> = objects.collect();
    for maker in driver.call.objects().into_iter().flat_map(|object| &object.makers) {
        if let Maker::File(name) = maker {
            plain.set(format!("file \"{name}\""), Value::Bool(true));
        }
    }
    let n_makers = objects.iter().map(|object| object.makers.len()).max().unwrap_or(0);
    let with_maker = |maker: usize| {
        let mut input = plain.clone();
        for object in objects.iter().filter(|object| object.makers.len() > 1) {
            let maker = maker.min(object.makers.len() - 1) as u64;
            let kind = CellKind::Int { bits: 32, signed: false };
            input.set(object.name.clone(), value_of(kind, maker));
        }
        input
    };
    (0..n_makers).map(with_maker).collect()
}

/// Numbers are 1, texts are "1", nothing follows what makes objects.
fn plain(program: &Program, shape: &Shape) -> Input {
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
