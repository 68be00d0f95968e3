//! Parts of structures and arrays: how they are initialised, and how the test reaches their cells.

use super::{ObjectWriter, Place};
use crate::initial::zero;
use crate::layout::{braces, is_zero};
use crate::literal;
use symcrete_program::Input;
use symcrete_program::image::CellKind;
use symcrete_program::shape::{Member, ShapeNode, number};
use symcrete_program::types::{TypeId, TypeKind};

/// A member of what is at a place. Unnamed members are reached like those around them.
pub(super) fn member_of(place: &str, member: &Member) -> String {
    match member.name.as_str() {
        "" => place.to_owned(),
        name => format!("{place}.{name}"),
    }
}

/// The values of characters; `None` if an item is none.
pub(super) fn bytes_of(items: &[ShapeNode], input: &Input) -> Option<Vec<u8>> {
    let byte = |item: &ShapeNode| match item {
        ShapeNode::Leaf(leaf) => Some(leaf.bits(input) as u8),
        ShapeNode::Fixed { bits, .. } => Some(*bits as u8),
        ShapeNode::Bits { .. }
        | ShapeNode::Record { .. }
        | ShapeNode::List { .. }
        | ShapeNode::Callback(_)
        | ShapeNode::End(_)
        | ShapeNode::Text(_)
        | ShapeNode::Pointer(_) => None,
    };
    items.iter().map(byte).collect()
}

impl ObjectWriter<'_> {
    /// Members and their initialisers, those of unnamed members among them.
    pub(super) fn members(&mut self, members: &[Member], place: &str) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        for member in members {
            match &member.node {
                ShapeNode::Bits { .. } => shown.extend(self.bit_fields(&member.node, place)),
                ShapeNode::Record { members, .. } if member.name.is_empty() => {
                    shown.extend(self.members(members, place));
                }
                // Zeros go without saying; a flexible array member has no initialiser at all.
                ShapeNode::List { .. } | ShapeNode::Record { .. }
                    if self.is_zero_node(&member.node) =>
                {
                    self.name_cells(&member.node, &format!("{place}.{}", member.name));
                }
                ShapeNode::Leaf(_)
                | ShapeNode::Record { .. }
                | ShapeNode::List { .. }
                | ShapeNode::Pointer(_)
                | ShapeNode::End(_)
                | ShapeNode::Text(_)
                | ShapeNode::Callback(_)
                | ShapeNode::Fixed { .. } => {
                    let value = self.value(&member.node, &format!("{place}.{}", member.name));
                    shown.push((member.name.clone(), value));
                }
            }
        }
        shown
    }

    pub(super) fn bit_fields(&mut self, node: &ShapeNode, place: &str) -> Vec<(String, String)> {
        self.name_cells(node, place);
        let ShapeNode::Bits { fields, .. } = node else { return Vec::new() };
        let shown = fields.iter().map(|field| {
            let kind = CellKind::Int { bits: field.width, signed: field.signed };
            let value = i128::from(number(kind, field.bits(self.input)));
            (field.member.clone(), literal::of_type(self.types, field.ty, value))
        });
        shown.collect()
    }

    /// The initialiser of an array of `room` elements.
    pub(super) fn items(
        &mut self,
        element: TypeId,
        items: &[ShapeNode],
        room: usize,
        place: &str,
    ) -> String {
        for (i, item) in items.iter().enumerate() {
            if matches!(item, ShapeNode::Leaf(_)) {
                self.name_cells(item, &format!("{place}[{i}]"));
            }
        }
        if let Some(text) = self.characters(element, items, room) {
            return text;
        }
        let is_part =
            |item: &ShapeNode| matches!(item, ShapeNode::Record { .. } | ShapeNode::List { .. });
        if items.iter().any(|item| is_part(item) && self.is_zero_node(item)) {
            return self.sparse_items(element, items, place);
        }
        let mut values: Vec<String> = items
            .iter()
            .enumerate()
            .map(|(i, item)| self.value(item, &format!("{place}[{i}]")))
            .collect();
        let n_needed = values.iter().rposition(|value| !is_zero(value)).map_or(0, |last| last + 1);
        // Zeros at the end go without saying, but not in a list of a few.
        const SHORT: usize = 8;
        if values.len() > SHORT {
            values.truncate(n_needed.max(1));
        }
        match n_needed {
            0 => zero(self.types, element).into(),
            _ => braces(&values),
        }
    }

    /// Only the elements that are not zero, each with its index.
    fn sparse_items(&mut self, element: TypeId, items: &[ShapeNode], place: &str) -> String {
        let mut values = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let place = format!("{place}[{i}]");
            match self.is_zero_node(item) {
                true => self.name_cells(item, &place),
                false => {
                    let value = self.value(item, &place);
                    values.push(format!("[{i}] = {value}"));
                }
            }
        }
        if values.is_empty() { zero(self.types, element).into() } else { braces(&values) }
    }

    /// Whether all bits of a part are zero.
    pub(super) fn is_zero_node(&self, node: &ShapeNode) -> bool {
        match node {
            ShapeNode::Leaf(leaf) => leaf.bits(self.input) == 0,
            ShapeNode::Bits { fields, .. } => {
                fields.iter().all(|field| field.bits(self.input) == 0)
            }
            ShapeNode::Record { members, .. } => {
                members.iter().all(|member| self.is_zero_node(&member.node))
            }
            ShapeNode::List { items, count, .. } => {
                let n = count.of(items.len(), self.input);
                items[..n].iter().all(|item| self.is_zero_node(item))
            }
            ShapeNode::End(end) => !end.is_present(self.input),
            ShapeNode::Text(text) => !text.is_present(self.input),
            ShapeNode::Pointer(pointer) => !pointer.is_present(self.input),
            ShapeNode::Callback(callback) => !callback.is_present(self.input),
            ShapeNode::Fixed { bits, .. } => *bits == 0,
        }
    }

    fn characters(&self, element: TypeId, items: &[ShapeNode], room: usize) -> Option<String> {
        let (is_plain, is_signed) = match self.types.get(element).kind {
            TypeKind::Int { is_char: true, signed } => {
                (literal::is_plain_char(&self.types.get(element).name), signed)
            }
            TypeKind::Void => (false, false),
            TypeKind::Bool
            | TypeKind::Int { .. }
            | TypeKind::Float
            | TypeKind::Enum { .. }
            | TypeKind::Struct { .. }
            | TypeKind::Union { .. }
            | TypeKind::Array { .. }
            | TypeKind::Pointer { .. }
            | TypeKind::Function
            | TypeKind::Unsupported { .. } => return None,
        };
        let bytes = bytes_of(items, self.input)?;
        Some(literal::characters(is_plain, is_signed, &bytes, room))
    }

    /// Notes how the test reaches the cells of a part.
    pub(super) fn name_cells(&mut self, node: &ShapeNode, place: &str) {
        match node {
            ShapeNode::Leaf(leaf) => self.name_cell(&leaf.name, leaf.ty, place),
            ShapeNode::Bits { fields, .. } => {
                for field in fields {
                    let expression = format!("{place}.{}", field.member);
                    let bits = Some((field.width, field.signed));
                    let place = Place { expression, ty: field.ty, bits };
                    self.objects.places.insert(field.name.clone(), place);
                }
            }
            ShapeNode::Record { members, .. } => {
                for member in members {
                    self.name_cells(&member.node, &member_of(place, member));
                }
            }
            ShapeNode::List { items, count, .. } => {
                let n = count.of(items.len(), self.input);
                for (i, item) in items[..n].iter().enumerate() {
                    self.name_cells(item, &format!("{place}[{i}]"));
                }
            }
            ShapeNode::Pointer(pointer) => self.name_cell(&pointer.name, pointer.ty, place),
            ShapeNode::End(end) => self.name_cell(&end.name, end.ty, place),
            ShapeNode::Text(_) | ShapeNode::Callback(_) | ShapeNode::Fixed { .. } => {}
        }
    }

    fn name_cell(&mut self, name: &str, ty: TypeId, place: &str) {
        let place = Place { expression: place.to_string(), ty, bits: None };
        self.objects.places.insert(name.to_owned(), place);
    }
}
