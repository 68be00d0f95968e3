//! All pointers of an input, whether or not they are there in one run.

use super::{Pointer, Shape, ShapeNode};

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
