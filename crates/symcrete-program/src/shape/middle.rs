//! Parameters that point inside the array of another one: `memmove(p + 2, p, n)`.
//!
//! A Boolean variable says whether one does, another one how many elements come before. The array has all of its elements
//! then, whatever its length says, and the length of what points inside is so small that it stays in the array.

use super::alias::{Alias, Middle, Need, is_same};
use super::build::Builder;
use super::{Count, Leaf, Pointer, ShapeNode, Slot};
use crate::image::CellKind;
use crate::types::{TypeId, TypeKind};

/// Arrays that one parameter may point into: the nearest.
const OUTER_MAX: usize = 2;
/// Places in an array, counted from its start.
const PLACES_MAX: u32 = 8;

impl Builder<'_> {
    /// Lets parameters point inside each other's arrays.
    pub(super) fn share_middles(&mut self, params: &mut [Slot]) {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for inner in 0..params.len() {
            let mut outers: Vec<usize> = (0..params.len())
                .filter(|&outer| outer != inner && self.may_be_inside(params, inner, outer))
                .collect();
            outers.sort_by_key(|outer| outer.abs_diff(inner));
            found.extend(outers.iter().take(OUTER_MAX).map(|&outer| (inner, outer)));
        }
        let name = |&(inner, outer): &(usize, usize)| {
            format!("{} in {}", params[inner].name, params[outer].name)
        };
        let not = |name: String| Need { name, expected: false, default: false };
        // Whose object it is, the other one must have its own.
        let own = |pointer: usize| -> Vec<Need> {
            found
                .iter()
                .filter(|(inner, _)| *inner == pointer)
                .map(|pair| not(name(pair)))
                .collect()
        };
        let owns: Vec<Vec<Need>> = (0..params.len()).map(own).collect();
        let names: Vec<String> = found.iter().map(name).collect();
        let mut aliases = Vec::new();
        for (&(inner, outer), name) in found.iter().zip(names) {
            aliases.push((inner, outer, self.inside(params, (inner, outer), name, &owns[outer])));
        }
        for (i, own) in owns.iter().enumerate() {
            let of = params[i].name.clone();
            let shared = self.aliases.iter_mut().filter(|alias| alias.of == of);
            shared.for_each(|alias| alias.needs.extend(own.iter().cloned()));
            params.iter_mut().for_each(|param| require(&mut param.node, &of, own));
        }
        for (inner, outer, alias) in aliases {
            if let ShapeNode::Pointer(pointer) = &mut params[inner].node {
                pointer.aliases.push(alias.clone());
            }
            if let ShapeNode::Pointer(pointer) = &mut params[outer].node {
                pointer.inside.push(alias.clone());
            }
            self.aliases.push(alias);
        }
    }

    /// Whether a parameter may point inside the array of another one.
    fn may_be_inside(&self, params: &[Slot], inner: usize, outer: usize) -> bool {
        let [Some(inner), Some(outer)] = [inner, outer].map(|i| pointer(&params[i])) else {
            return false;
        };
        let has_end = |pointer: &Pointer| self.arrays.contains_key(&pointer.name);
        let is_void = |ty: TypeId| self.types.get(ty).kind == TypeKind::Void;
        let is_same = is_void(inner.element) && is_void(outer.element)
            || is_same(self.types, inner.element, outer.element);
        is_same
            && outer.items.len() > 1
            && !self.types.has_pointers(outer.element)
            && !has_end(inner)
            && !has_end(outer)
    }

    /// That a parameter points inside the array of another one.
    fn inside(
        &self,
        params: &[Slot],
        (inner, outer): (usize, usize),
        name: String,
        own: &[Need],
    ) -> Alias {
        let [inner, outer] = [inner, outer]
            .map(|i| pointer(&params[i]).expect("only pointers point inside each other's arrays"));
        let present = outer.present.iter().map(|present| Need {
            name: present.clone(),
            expected: true,
            default: outer.present_default,
        });
        let whole = outer.aliases.iter().map(|alias| Need {
            name: alias.name.clone(),
            expected: false,
            default: false,
        });
        let kind = CellKind::Int { bits: 32, signed: false };
        let offset = format!("{} - {}", inner.name, outer.name);
        // A power of two, so that every value of the variable means a place.
        let n_places = 1 << (outer.items.len() / 2).max(1).ilog2().min(PLACES_MAX.ilog2());
        Alias {
            name,
            of: outer.name.clone(),
            address: outer.address,
            needs: present.chain(whole).chain(own.iter().cloned()).collect(),
            middle: Some(Middle {
                offset: Leaf { name: offset, ty: inner.ty, kind, default: 1 },
                mask: n_places - 1,
                stride: outer.stride,
                resizes: outer.count != Count::All,
            }),
        }
    }
}

/// A parameter that is a pointer which may be null.
fn pointer(slot: &Slot) -> Option<&Pointer> {
    let ShapeNode::Pointer(pointer) = &slot.node else { return None };
    pointer.present.is_some().then_some(pointer)
}

/// Whoever has the object of a pointer needs this besides.
fn require(node: &mut ShapeNode, of: &str, needs: &[Need]) {
    match node {
        ShapeNode::Record { members, .. } => {
            members.iter_mut().for_each(|member| require(&mut member.node, of, needs));
        }
        ShapeNode::List { items, .. } => {
            items.iter_mut().for_each(|item| require(item, of, needs));
        }
        ShapeNode::Pointer(pointer) => {
            let shared = pointer.aliases.iter_mut().filter(|alias| alias.of == of);
            shared.for_each(|alias| alias.needs.extend(needs.iter().cloned()));
            pointer.items.iter_mut().for_each(|item| require(item, of, needs));
        }
        ShapeNode::Leaf(_)
        | ShapeNode::Bits { .. }
        | ShapeNode::End(_)
        | ShapeNode::Text(_)
        | ShapeNode::Callback(_)
        | ShapeNode::Fixed { .. } => {}
    }
}
