//! All pointers of an input, whether or not they are there in one run.

use super::{Count, Pointer, Shape, ShapeNode};
use crate::input::Input;
use std::collections::BTreeSet;

impl Shape {
    /// The pointers whose objects are at these addresses.
    pub fn freed(&self, addresses: &[u32]) -> Vec<String> {
        if addresses.is_empty() {
            return Vec::new();
        }
        let pointers = self.pointers().into_iter();
        let freed = pointers.filter(|pointer| addresses.contains(&pointer.address));
        freed.map(|pointer| pointer.name.clone()).collect()
    }

    /// The pointer behind whose only structure an address is, where the next one of a table would be.
    pub fn table_at(&self, address: u32) -> Option<&Pointer> {
        let before = self.pointers().into_iter().filter(|pointer| pointer.address <= address);
        let nearest = before.max_by_key(|pointer| pointer.address)?;
        let next = nearest.stride..2 * nearest.stride;
        let is_next = next.contains(&(address - nearest.address));
        (is_next && nearest.is_single() && nearest.tail.is_none()).then_some(nearest)
    }

    /// An input of another shape for this one: what `p->x` was there is `p[0].x` where `p` has a table now.
    pub fn renamed(&self, before: &Shape, input: &Input) -> Input {
        let names = |shape: &Shape| -> BTreeSet<String> {
            let pointers = shape.pointers().into_iter().filter(|pointer| pointer.is_single());
            pointers.map(|pointer| format!("{}->", pointer.name)).collect()
        };
        let (before, now) = (names(before), names(self));
        let tables: Vec<&String> = before.difference(&now).collect();
        let renamed = |name: &String| {
            let table = tables.iter().find(|table| name.starts_with(table.as_str()));
            table.map_or_else(
                || name.clone(),
                |table| {
                    name.replacen(
                        table.as_str(),
                        &format!("{}[0].", table.trim_end_matches("->")),
                        1,
                    )
                },
            )
        };
        input.values.iter().map(|(name, &value)| (renamed(name), value)).collect()
    }

    fn pointers(&self) -> Vec<&Pointer> {
        let lists = self.variadic.iter().flat_map(|variadic| &variadic.lists);
        let slots = self.slots().chain(lists.flat_map(|list| &list.slots));
        let mut open: Vec<&ShapeNode> = slots.map(|slot| &slot.node).collect();
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            match node {
                ShapeNode::Record { members, .. } => {
                    open.extend(members.iter().map(|member| &member.node));
                }
                ShapeNode::List { items, .. } => open.extend(items),
                ShapeNode::Pointer(pointer) => {
                    found.push(&**pointer);
                    open.extend(&pointer.items);
                }
                ShapeNode::Leaf(_)
                | ShapeNode::Bits { .. }
                | ShapeNode::End(_)
                | ShapeNode::Text(_)
                | ShapeNode::Callback(_)
                | ShapeNode::Fixed { .. } => {}
            }
        }
        found
    }
}

impl Pointer {
    /// Whether it points to one structure, whose members are `p->x`.
    fn is_single(&self) -> bool {
        self.count == Count::All && matches!(self.items[..], [ShapeNode::Record { .. }])
    }
}
