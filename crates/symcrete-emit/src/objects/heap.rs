//! Objects that a test allocates: those that the function under test frees, and structures with flexible array members.

use super::ObjectWriter;
use crate::layout::is_zero;
use symcrete_program::declaration::declare;
use symcrete_program::shape::{Pointer, ShapeNode, Tail};
use symcrete_program::types::TypeKind;

impl ObjectWriter<'_> {
    /// Allocates what a pointer points to, and returns the pointer.
    pub(super) fn allocated(&mut self, pointer: &Pointer, name: String) -> String {
        let elements = pointer.elements(self.input);
        let room = elements.len() + usize::from(pointer.is_terminated);
        let is_array = matches!(self.types.get(pointer.element).kind, TypeKind::Array { .. });
        let declarator = if is_array { format!("(*{name})") } else { format!("*{name}") };
        let declaration = declare(self.types, pointer.element, &declarator);
        self.objects.lines.push(format!("{declaration} = calloc({room}, sizeof *{name});"));
        let is_number =
            |item: &ShapeNode| matches!(item, ShapeNode::Leaf(_) | ShapeNode::Fixed { .. });
        match elements {
            [node @ ShapeNode::Record { .. }] if pointer.items.len() == 1 => {
                self.assign_through(node, &name);
            }
            elements if elements.iter().all(is_number) => {
                let value = self.items(pointer.element, elements, room, &name);
                if !is_zero(&value) {
                    let line = self.copied(pointer, room, &name, &value);
                    self.objects.lines.push(line);
                }
            }
            elements => {
                for (i, item) in elements.iter().enumerate() {
                    self.assign(item, &format!("{name}[{i}]"));
                }
            }
        }
        self.remember(pointer, &name);
        name
    }

    /// Allocates a structure with the elements of its flexible array member, and returns the pointer.
    pub(super) fn object_with_tail(
        &mut self,
        pointer: &Pointer,
        tail: &Tail,
        node: &ShapeNode,
        name: String,
    ) -> String {
        let n = tail.count.of(tail.n_max as usize, self.input);
        let element = match node {
            ShapeNode::Record { members, .. } => members.last().map(|member| member.name.clone()),
            ShapeNode::Leaf(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::List { .. }
            | ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. } => None,
        };
        let more = match (element, n) {
            (Some(member), 1..) => format!(" + {n} * sizeof {name}->{member}[0]"),
            (_, _) => String::new(),
        };
        let declaration = declare(self.types, pointer.element, &format!("*{name}"));
        self.objects.lines.push(format!("{declaration} = calloc(1, sizeof *{name}{more});"));
        self.assign_through(node, &name);
        if !self.is_freed(pointer) {
            self.objects.after.push(format!("free({name});"));
        }
        self.remember(pointer, &name);
        name
    }

    fn copied(&self, pointer: &Pointer, room: usize, name: &str, value: &str) -> String {
        let ty = declare(self.types, pointer.element, &format!("[{room}]")).replace(" [", "[");
        let literal =
            if value.starts_with('{') { value.to_owned() } else { format!("{{{value}}}") };
        format!("memcpy({name}, ({ty}){literal}, {room} * sizeof *{name});")
    }

    /// Writes the members of a structure of zeros behind a pointer.
    pub(super) fn assign_through(&mut self, node: &ShapeNode, name: &str) {
        let (first, first_later) = (self.objects.lines.len(), self.later.len());
        let place = format!("(*{name})");
        self.assign(node, &place);
        self.name_cells(node, &place);
        let (long, short) = (format!("{place}."), format!("{name}->"));
        let places = self.objects.places.values_mut().map(|place| &mut place.expression);
        let lines = self.objects.lines[first..].iter_mut();
        let later = self.later[first_later..].iter_mut().map(|(place, _)| place);
        for text in places.chain(lines).chain(later) {
            *text = text.replace(&long, &short);
        }
    }
}
