//! How much room the strings of an input have.
//!
//! Where an input does not say, a string has room for the longest text, so that the search can change where it ends. Finished
//! tests say: a string is not longer than its text, as callers pass it.

use super::{Pointer, Shape, ShapeNode};
use crate::input::Input;

const PREFIX: &str = "room(";

/// The cell that says for how many characters a string has room, besides the zero at its end.
pub(super) fn room_of(pointer: &str) -> String {
    format!("{PREFIX}{pointer})")
}

/// Whether a cell says that.
pub(super) fn is_room(cell: &str) -> bool {
    cell.starts_with(PREFIX)
}

impl Input {
    /// The same input with strings that have room for the longest text.
    #[must_use]
    pub fn with_all_room(mut self) -> Input {
        self.values.retain(|cell, _| !is_room(cell));
        self
    }
}

impl Shape {
    /// The strings that have an object of their own in the run of this input, and that nothing else points into.
    pub fn texts(&self, input: &Input) -> Vec<&Pointer> {
        let mut texts = Vec::new();
        let lists = self.variadic.iter().flat_map(|variadic| &variadic.list(input).slots);
        for slot in self.slots().chain(lists) {
            collect_texts(&slot.node, input, &mut texts);
        }
        texts
    }
}

fn collect_texts<'a>(node: &'a ShapeNode, input: &Input, texts: &mut Vec<&'a Pointer>) {
    match node {
        ShapeNode::Record { members, .. } => {
            members.iter().for_each(|member| collect_texts(&member.node, input, texts));
        }
        ShapeNode::List { items, count, .. } => {
            let n = count.of(items.len(), input);
            items[..n].iter().for_each(|item| collect_texts(item, input, texts));
        }
        ShapeNode::Pointer(pointer) if pointer.has_object(input) => {
            if pointer.room.is_some() && !pointer.is_pointed_into(input) {
                texts.push(pointer);
            }
            let elements = pointer.elements(input);
            elements.iter().for_each(|item| collect_texts(item, input, texts));
        }
        ShapeNode::Leaf(_)
        | ShapeNode::Bits { .. }
        | ShapeNode::Pointer(_)
        | ShapeNode::End(_)
        | ShapeNode::Text(_)
        | ShapeNode::Callback(_)
        | ShapeNode::Fixed { .. } => {}
    }
}
