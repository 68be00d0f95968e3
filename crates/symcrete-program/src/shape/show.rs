//! Cells, inputs and results as people read them.

use super::image::number;
use super::{BitLeaf, Datum, ResultSlot, Shape, ShapeNode, Slot, scalar_kind};
use crate::image::CellKind;
use crate::input::Input;
use crate::scalar::Scalar;
use crate::types::{Field, TypeId, TypeKind, Types};

impl Shape {
    /// An input as people read it: parameters, then globals. Not the arguments of calls that no input of this shape makes.
    pub fn show(&self, types: &Types, input: &Input) -> Vec<(String, Datum)> {
        let shown = |slot: &Slot| (slot.name.clone(), show(types, &slot.node, input));
        let more = self.variadic.iter().flat_map(|variadic| &variadic.list(input).slots);
        let is_used = |slot: &&Slot| !matches!(slot.node, ShapeNode::Fixed { limit: None, .. });
        self.slots().chain(more).filter(is_used).map(shown).collect()
    }

    /// What a run returned, as people read it: WebAssembly's results and the bytes that the image watches.
    pub fn show_result(
        &self,
        types: &Types,
        results: &[Scalar],
        watched: &[Vec<u8>],
    ) -> Option<Datum> {
        match &self.result {
            ResultSlot::Void => None,
            ResultSlot::Direct(ty) => {
                show_memory(types, *ty, &results.first()?.bits().to_le_bytes())
            }
            // Its memory is the first that is watched.
            ResultSlot::Memory { ty, .. } => show_memory(types, *ty, watched.first()?),
        }
    }
}

/// A cell as people read it.
pub fn show_bits(types: &Types, ty: TypeId, kind: CellKind, bits: u64) -> Datum {
    let value = number(kind, bits);
    if let TypeKind::Enum { values, .. } = &types.get(ty).kind
        && let Some(known) = values.iter().find(|known| known.1 == value)
    {
        return Datum::Name(known.0.clone());
    }
    show_cell(kind, bits)
}

/// A cell of which no more than the kind is known.
pub fn show_cell(kind: CellKind, bits: u64) -> Datum {
    match kind {
        CellKind::Bool => Datum::Bool(bits & 1 != 0),
        CellKind::F32 => Datum::Float(f64::from(f32::from_bits(bits as u32))),
        CellKind::F64 => Datum::Float(f64::from_bits(bits)),
        CellKind::Int { signed: false, .. } => Datum::Int(i128::from(bits)),
        CellKind::Int { signed: true, .. } => Datum::Int(i128::from(number(kind, bits))),
    }
}

fn show(types: &Types, node: &ShapeNode, input: &Input) -> Datum {
    match node {
        ShapeNode::Leaf(leaf) => show_bits(types, leaf.ty, leaf.kind, leaf.bits(input)),
        ShapeNode::Fixed { bits: 0, ty, .. }
            if matches!(types.get(*ty).kind, TypeKind::Pointer { .. }) =>
        {
            Datum::Null
        }
        ShapeNode::Fixed { ty, kind, bits, .. } => show_bits(types, *ty, *kind, *bits),
        ShapeNode::Bits { fields, .. } => Datum::Record(show_bit_fields(types, fields, input)),
        ShapeNode::Record { members, .. } => {
            let shown = members.iter().flat_map(|member| match &member.node {
                ShapeNode::Bits { fields, .. } => show_bit_fields(types, fields, input),
                other @ (ShapeNode::Leaf(_)
                | ShapeNode::Record { .. }
                | ShapeNode::List { .. }
                | ShapeNode::Pointer(_)
                | ShapeNode::End(_)
                | ShapeNode::Text(_)
                | ShapeNode::Callback(_)
                | ShapeNode::Fixed { .. }) => named(&member.name, show(types, other, input)),
            });
            Datum::Record(shown.collect())
        }
        ShapeNode::List { element, items, count, .. } => {
            let items = items[..count.of(items.len(), input)].iter();
            list(types, *element, items.map(|item| show(types, item, input)).collect())
        }
        ShapeNode::End(end) if !end.is_present(input) => Datum::Null,
        ShapeNode::End(end) => match end.length.bits(input) {
            0 => Datum::Name(end.of.clone()),
            n => Datum::Name(format!("{} + {n}", end.of)),
        },
        ShapeNode::Text(text) if !text.is_present(input) => Datum::Null,
        ShapeNode::Text(text) => Datum::Text(text.choice(input).text.as_bytes().to_vec()),
        ShapeNode::Callback(callback) if !callback.is_present(input) => Datum::Null,
        ShapeNode::Callback(_) => Datum::Bool(true),
        ShapeNode::Pointer(pointer) if !pointer.is_present(input) => Datum::Null,
        ShapeNode::Pointer(pointer) => {
            if let Some(alias) = pointer.alias(input) {
                return Datum::Name(alias.expression(&alias.of, input));
            }
            match (pointer.elements(input), types.get(pointer.element)) {
                ([one], ty)
                    if matches!(ty.kind, TypeKind::Struct { .. } | TypeKind::Union { .. }) =>
                {
                    show(types, one, input)
                }
                (items, _) => {
                    let items = items.iter().map(|item| show(types, item, input)).collect();
                    list(types, pointer.element, items)
                }
            }
        }
    }
}

/// A member; those of an anonymous one are members of what it is in.
fn named(name: &str, datum: Datum) -> Vec<(String, Datum)> {
    match (datum, name.is_empty()) {
        (Datum::Record(inner), true) => inner,
        (datum, _) => vec![(name.to_string(), datum)],
    }
}

fn show_bit_fields(types: &Types, fields: &[BitLeaf], input: &Input) -> Vec<(String, Datum)> {
    let shown = fields.iter().map(|field| {
        let kind = CellKind::Int { bits: field.width, signed: field.signed };
        (field.member.clone(), show_bits(types, field.ty, kind, field.bits(input)))
    });
    shown.collect()
}

/// A list, or a string if its elements are characters of which none but the last ones are zero.
fn list(types: &Types, element: TypeId, data: Vec<Datum>) -> Datum {
    if !matches!(types.get(element).kind, TypeKind::Int { is_char: true, .. }) {
        return Datum::List(data);
    }
    let byte = |datum: &Datum| match datum {
        Datum::Int(value) => *value as u8,
        Datum::Null
        | Datum::Bool(_)
        | Datum::Float(_)
        | Datum::Text(_)
        | Datum::Name(_)
        | Datum::List(_)
        | Datum::Record(_) => 0,
    };
    let mut bytes: Vec<u8> = data.iter().map(byte).collect();
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    Datum::Text(bytes)
}

/// A value as its bytes in memory have it; `None` for what has no value.
fn show_memory(types: &Types, ty: TypeId, bytes: &[u8]) -> Option<Datum> {
    let found = types.get(ty);
    match &found.kind {
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => {
            let kind = scalar_kind(types, ty)?;
            Some(show_bits(types, ty, kind, little_endian(bytes.get(..found.size as usize)?)))
        }
        TypeKind::Pointer { .. } => Some(match little_endian(bytes.get(..4)?) {
            0 => Datum::Null,
            address => Datum::Int(i128::from(address)),
        }),
        TypeKind::Struct { fields } => {
            let members = fields.iter().filter_map(|field| show_field(types, field, bytes));
            Some(Datum::Record(members.flatten().collect()))
        }
        TypeKind::Union { fields } => {
            let largest = fields.iter().rev().max_by_key(|field| types.get(field.ty).size)?;
            Some(Datum::Record(show_field(types, largest, bytes)?))
        }
        TypeKind::Array { element, length } => {
            let size = types.get(*element).size as usize;
            let item = |i: usize| show_memory(types, *element, bytes.get(i * size..)?);
            Some(list(types, *element, (0..*length as usize).filter_map(item).collect()))
        }
        TypeKind::Void | TypeKind::Function | TypeKind::Unsupported { .. } => None,
    }
}

fn show_field(types: &Types, field: &Field, bytes: &[u8]) -> Option<Vec<(String, Datum)>> {
    let bytes = bytes.get(field.offset as usize..)?;
    let Some((low, width)) = field.bits else {
        return Some(named(&field.name, show_memory(types, field.ty, bytes)?));
    };
    if width == 0 || field.name.is_empty() {
        return None;
    }
    let unit = little_endian(bytes.get(..types.get(field.ty).size as usize)?);
    let signed = matches!(
        types.get(field.ty).kind,
        TypeKind::Int { signed: true, .. } | TypeKind::Enum { signed: true, .. }
    );
    let kind = CellKind::Int { bits: width as u8, signed };
    let bits = (unit >> low) & (u64::MAX >> (64 - width));
    Some(vec![(field.name.clone(), show_bits(types, field.ty, kind, bits))])
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
