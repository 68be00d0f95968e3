//! Pointers that point inside other objects of the input: `memmove(p + 2, p, n)`, `&list->nodes[i]`, a cursor in the
//! buffer of its own structure.
//!
//! A Boolean variable says whether one does, and where it points into an array, another one how many elements come before.
//! Parameters may point into arrays whose size a length says: such an array has all of its elements then, whatever its
//! length says, and the length of what points inside is so small that it stays in the array. Everything else points only
//! to where the layout of the input is the same with and without it.

use super::alias::{Alias, Middle, Need, is_same};
use super::build::Builder;
use super::{Count, Leaf, Pointer, ShapeNode, Slot};
use crate::image::CellKind;
use crate::types::{TypeId, TypeKind};
use std::collections::BTreeMap;

/// Objects that one pointer may point into: the nearest.
const OUTER_MAX: usize = 2;
/// Places in an array, counted from its start.
const PLACES_MAX: u32 = 8;
/// Pointers that are reached through more than this many others stay as they are.
const INNER_DEPTH_MAX: usize = 3;
/// Objects behind more pointers than this have nothing that others point into.
const OUTER_DEPTH_MAX: usize = 1;

impl Builder<'_> {
    /// Lets pointers of parameters point inside other objects.
    pub(super) fn share_middles(&mut self, params: &mut [Slot]) {
        let mut survey = Survey::default();
        params.iter().for_each(|param| survey.add(&param.node, &[], true));
        let found = self.pairs(&survey);
        if found.is_empty() {
            return;
        }
        let mut new: BTreeMap<String, Vec<Alias>> = BTreeMap::new();
        for &(inner, part) in &found {
            let alias = self.inside(&survey, inner, &survey.parts[part]);
            new.entry(survey.pointers[inner].name.clone()).or_default().push(alias);
        }
        let mut all = Vec::new();
        each_pointer(params, &mut |pointer| {
            pointer.aliases.extend(new.get(&pointer.name).into_iter().flatten().cloned());
            let needs = survey.needs_of_own(&new, &pointer.name);
            pointer.aliases.iter_mut().for_each(|alias| alias.needs.extend(needs(&alias.of)));
            all.extend(pointer.aliases.iter().cloned());
        });
        let is_resizing = |alias: &&Alias| alias.middle.as_ref().is_some_and(|at| at.resizes);
        for alias in all.iter().filter(is_resizing) {
            each_pointer(params, &mut |pointer| {
                pointer.inside.extend((pointer.name == alias.of).then(|| alias.clone()));
            });
        }
        // Terms of conditions are compared, so there must be one version of each.
        self.aliases = all;
    }

    /// Which pointers may point to or into which parts of objects.
    fn pairs(&self, survey: &Survey) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for inner in 0..survey.pointers.len() {
            let mut outers: Vec<usize> = (0..survey.parts.len())
                .filter(|&part| self.may_be_inside(survey, inner, &survey.parts[part]))
                .collect();
            let through = &survey.pointers[inner].through;
            outers.sort_by_key(|&part| {
                let owner = survey.parts[part].owner;
                (!through.contains(&owner), owner.abs_diff(inner))
            });
            found.extend(outers.iter().take(OUTER_MAX).map(|&part| (inner, part)));
        }
        found
    }

    /// Whether a pointer may point to or into a part of an object.
    fn may_be_inside(&self, survey: &Survey, inner: usize, part: &Part) -> bool {
        let [pointer, owner] = [inner, part.owner].map(|i| &survey.pointers[i]);
        let has_end = |pointer: &Known| self.arrays.contains_key(&pointer.name);
        let is_own = inner == part.owner || owner.through.contains(&inner);
        if is_own || !pointer.is_free || !owner.is_free {
            return false;
        }
        let can_be_null = pointer.present.is_some() && owner.present.is_some();
        if !can_be_null || has_end(pointer) || has_end(owner) {
            return false;
        }
        let is_same = is_same(self.types, pointer.element, part.element);
        let is_array = part.member.is_empty() && part.n > 1;
        if is_array && pointer.through.is_empty() && owner.through.is_empty() {
            let is_void = |ty: TypeId| self.types.get(ty).kind == TypeKind::Void;
            let is_same = is_same || is_void(pointer.element) && is_void(part.element);
            return is_same && !self.types.has_pointers(part.element);
        }
        let is_near = pointer.through.len() <= INNER_DEPTH_MAX
            && owner.through.len() <= OUTER_DEPTH_MAX
            && pointer.count == Count::All
            && part.is_fixed;
        let is_record = matches!(
            self.types.get(part.element).kind,
            TypeKind::Struct { .. } | TypeKind::Union { .. }
        );
        // Numbers and characters are everywhere: only a cursor beside its buffer points to those of others.
        let is_likely = match is_array {
            true => pointer.through == owner.through,
            false => is_record || pointer.through.last() == Some(&part.owner),
        };
        is_same && is_near && is_likely
    }

    /// That a pointer points to or into a part of an object.
    fn inside(&self, survey: &Survey, inner: usize, part: &Part) -> Alias {
        let [pointer, owner] = [inner, part.owner].map(|i| &survey.pointers[i]);
        // What the pointer itself is reached through is there where the pointer is.
        let chain = owner.through.iter().chain([&part.owner]);
        let chain = chain.filter(|step| !pointer.through.contains(step));
        let needs = chain.flat_map(|&step| {
            let known = &survey.pointers[step];
            known.present.iter().cloned().chain(known.aliases.iter().cloned().map(not))
        });
        let kind = CellKind::Int { bits: 32, signed: false };
        let offset = format!("{} - {}", pointer.name, survey.path(part));
        // Where a length says how many elements come after a place, the half of the array is left for them.
        let n = if pointer.count == Count::All && part.is_fixed { part.n } else { part.n / 2 };
        // A power of two, so that every value of the variable means a place.
        let n_places = 1 << n.max(1).ilog2().min(PLACES_MAX.ilog2());
        let middle = part.is_list.then(|| Middle {
            offset: Leaf { name: offset, ty: pointer.ty, kind, default: 1 },
            mask: n_places - 1,
            stride: part.stride,
            resizes: !part.is_fixed,
        });
        Alias {
            name: format!("{} in {}", pointer.name, survey.path(part)),
            of: owner.name.clone(),
            member: part.member.clone(),
            address: part.address,
            needs: needs.collect(),
            middle,
        }
    }
}

/// A pointer of a parameter.
struct Known {
    name: String,
    ty: TypeId,
    element: TypeId,
    count: Count,
    /// That it is not null, if it can be.
    present: Option<Need>,
    /// The variables that give it the object of another one.
    aliases: Vec<String>,
    /// What it is reached through, the last the nearest.
    through: Vec<usize>,
    /// Whether it is in no array.
    is_free: bool,
}

/// An object that is an array, or a member of one that is a structure.
struct Part {
    /// Whose object it is.
    owner: usize,
    /// The member; empty if it is the object itself.
    member: String,
    address: u32,
    element: TypeId,
    stride: u32,
    n: usize,
    is_list: bool,
    /// Whether it has the same elements in every run.
    is_fixed: bool,
}

/// What there is to point from and to.
#[derive(Default)]
struct Survey {
    pointers: Vec<Known>,
    by_name: BTreeMap<String, usize>,
    parts: Vec<Part>,
}

impl Survey {
    /// Looks at all pointers of a part of the input. Those in arrays stay as they are: there are too many.
    fn add(&mut self, node: &ShapeNode, through: &[usize], is_free: bool) {
        match node {
            ShapeNode::Record { members, .. } => {
                members.iter().for_each(|member| self.add(&member.node, through, is_free));
            }
            ShapeNode::List { items, .. } => {
                items.iter().for_each(|item| self.add(item, through, false));
            }
            ShapeNode::Pointer(pointer) => self.add_pointer(pointer, through, is_free),
            ShapeNode::Leaf(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. } => {}
        }
    }

    fn add_pointer(&mut self, pointer: &Pointer, through: &[usize], is_free: bool) {
        let owner = self.pointers.len();
        self.by_name.insert(pointer.name.clone(), owner);
        self.pointers.push(Known {
            name: pointer.name.clone(),
            ty: pointer.ty,
            element: pointer.element,
            count: pointer.count.clone(),
            present: pointer.present.as_ref().map(|present| Need {
                name: present.clone(),
                expected: true,
                default: pointer.present_default,
            }),
            aliases: pointer.aliases.iter().map(|alias| alias.name.clone()).collect(),
            through: through.to_vec(),
            is_free,
        });
        let through: Vec<usize> = through.iter().copied().chain([owner]).collect();
        match &pointer.items[..] {
            [node @ ShapeNode::Record { .. }] if pointer.count == Count::All => {
                self.add_members(owner, node, "", pointer.address);
                self.add(node, &through, is_free);
            }
            items => {
                self.parts.push(Part {
                    owner,
                    member: String::new(),
                    address: pointer.address,
                    element: pointer.element,
                    stride: pointer.stride,
                    n: items.len(),
                    is_list: true,
                    is_fixed: pointer.count == Count::All,
                });
                items.iter().for_each(|item| self.add(item, &through, false));
            }
        }
    }

    /// Structures and arrays inside a structure.
    fn add_members(&mut self, owner: usize, node: &ShapeNode, path: &str, start: u32) {
        let ShapeNode::Record { members, .. } = node else { return };
        for member in members {
            let path = match (path.is_empty(), member.name.is_empty()) {
                (_, true) => path.to_owned(),
                (true, false) => member.name.clone(),
                (false, false) => format!("{path}.{}", member.name),
            };
            let address = start + member.offset;
            let (element, stride, n, is_fixed) = match &member.node {
                ShapeNode::Record { ty, .. } => (*ty, 0, 1, true),
                ShapeNode::List { element, stride, items, count } => {
                    (*element, *stride, items.len(), *count == Count::All)
                }
                ShapeNode::Leaf(_)
                | ShapeNode::Bits { .. }
                | ShapeNode::Pointer(_)
                | ShapeNode::End(_)
                | ShapeNode::Text(_)
                | ShapeNode::Callback(_)
                | ShapeNode::Fixed { .. } => continue,
            };
            let is_list = matches!(member.node, ShapeNode::List { .. });
            if !member.name.is_empty() && n > 0 {
                let member = path.clone();
                let part = Part { owner, member, address, element, stride, n, is_list, is_fixed };
                self.parts.push(part);
            }
            self.add_members(owner, &member.node, &path, address);
        }
    }

    /// A part as the source reaches it.
    fn path(&self, part: &Part) -> String {
        let owner = &self.pointers[part.owner].name;
        match part.member.is_empty() {
            true => owner.clone(),
            false => format!("{owner}->{}", part.member),
        }
    }

    /// A pointer and all that it is reached through.
    fn chain(&self, name: &str) -> Vec<usize> {
        let of = |&i: &usize| self.pointers[i].through.iter().copied().chain([i]).collect();
        self.by_name.get(name).map_or(Vec::new(), of)
    }

    /// Whoever has the object of a pointer, or one that is reached through it, needs that the pointer has its own: what the
    /// alias of a pointer of this name needs, given new ones.
    fn needs_of_own<'a>(
        &'a self,
        new: &'a BTreeMap<String, Vec<Alias>>,
        name: &str,
    ) -> impl Fn(&str) -> Vec<Need> + 'a {
        let own = self.chain(name);
        move |of| {
            let chain = self.chain(of).into_iter().filter(|step| !own.contains(step));
            let aliases = chain.filter_map(|step| new.get(&self.pointers[step].name)).flatten();
            aliases.map(|alias| not(alias.name.clone())).collect()
        }
    }
}

fn not(name: String) -> Need {
    Need { name, expected: false, default: false }
}

/// Does something with every pointer of parameters.
fn each_pointer(params: &mut [Slot], change: &mut dyn FnMut(&mut Pointer)) {
    params.iter_mut().for_each(|param| each_pointer_in(&mut param.node, change));
}

fn each_pointer_in(node: &mut ShapeNode, change: &mut dyn FnMut(&mut Pointer)) {
    match node {
        ShapeNode::Record { members, .. } => {
            members.iter_mut().for_each(|member| each_pointer_in(&mut member.node, change));
        }
        ShapeNode::List { items, .. } => {
            items.iter_mut().for_each(|item| each_pointer_in(item, change));
        }
        ShapeNode::Pointer(pointer) => {
            change(pointer);
            pointer.items.iter_mut().for_each(|item| each_pointer_in(item, change));
        }
        ShapeNode::Leaf(_)
        | ShapeNode::Bits { .. }
        | ShapeNode::End(_)
        | ShapeNode::Text(_)
        | ShapeNode::Callback(_)
        | ShapeNode::Fixed { .. } => {}
    }
}
