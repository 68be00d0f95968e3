//! Parameters, or members of a structure, that belong together: an array and its length, or its end.

#![expect(clippy::wildcard_enum_match_arm, reason = "most types are treated alike")]

use super::build::Builder;
use super::ends::{BeginAt, ends};
use super::ties::{LengthAt, ties};
use super::{Count, End, Leaf, Member, Pointer, ShapeNode, ShapeOptions, Tail, Unsupported};
use crate::api::split_parameter;
use crate::image::{CellKind, CellRange};
use crate::program::{Param, Unit};
use crate::types::{TypeId, TypeKind, Types};
use std::collections::BTreeMap;

/// What parameters, or members of a structure, say of each other.
pub(super) struct Together {
    /// The length of each one that is an array, by where it is.
    pub(super) lengths: Vec<Option<LengthAt>>,
    /// The one whose array each one ends.
    ends: Vec<Option<BeginAt>>,
    /// Their expressions.
    names: Vec<String>,
    types: Vec<TypeId>,
}

impl Together {
    pub(super) fn of(types: &Types, params: &[Param], name: impl Fn(usize) -> String) -> Together {
        let ends = ends(types, params);
        let mut lengths = ties(types, params);
        for i in 0..params.len() {
            let is_begin = |at: &BeginAt| matches!(*at, BeginAt::Param(j) if i == j);
            if ends[i].is_some() || ends.iter().flatten().any(is_begin) {
                lengths[i] = None;
            }
        }
        let names = (0..params.len()).map(name).collect();
        Together { lengths, ends, names, types: params.iter().map(|param| param.ty).collect() }
    }

    /// The same for a function that passes its parameters on to several calls: those of one call belong together.
    pub(super) fn of_calls(types: &Types, params: &[Param]) -> Together {
        let mut by_call: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (i, param) in params.iter().enumerate() {
            by_call.entry(split_parameter(&param.name).0).or_default().push(i);
        }
        let mut all = Together {
            lengths: vec![None; params.len()],
            ends: vec![None; params.len()],
            names: params.iter().map(|param| param.name.clone()).collect(),
            types: params.iter().map(|param| param.ty).collect(),
        };
        for places in by_call.values() {
            let own = |&i: &usize| {
                let Param { name, ty } = &params[i];
                Param { name: split_parameter(name).1.to_owned(), ty: *ty }
            };
            let own: Vec<Param> = places.iter().map(own).collect();
            let one = Together::of(types, &own, |i| own[i].name.clone());
            for (n, &i) in places.iter().enumerate() {
                all.lengths[i] = one.lengths[n].map(|at| match at {
                    LengthAt::Param(length) => LengthAt::Param(places[length]),
                    LengthAt::Behind(length) => LengthAt::Behind(places[length]),
                });
                all.ends[i] = one.ends[n].map(|at| match at {
                    BeginAt::Param(begin) => BeginAt::Param(places[begin]),
                    BeginAt::Behind(begin) => BeginAt::Behind(places[begin]),
                });
            }
        }
        all
    }

    /// Takes over what runs have shown, and what the function's text does with pointers.
    pub(super) fn learn(&mut self, options: &ShapeOptions, unit: &Unit) {
        for (&array, length) in &options.learnt.lengths {
            self.lengths[array] = length.map(LengthAt::Param);
        }
        for (&end, &begin) in &unit.uses.ends {
            let is_taken =
                |at: &BeginAt| matches!(*at, BeginAt::Param(i) if i == begin || i == end);
            // Who compares arrays that have lengths asks whether they overlap.
            let has_length = self.lengths[begin].is_some() || self.lengths[end].is_some();
            let is_known = self.ends[end].is_some() || self.ends.iter().flatten().any(is_taken);
            if !has_length && !is_known {
                self.ends[end] = Some(BeginAt::Param(begin));
            }
        }
    }

    /// The variable that says how long the array is that starts here; `None` if no pointer ends it.
    fn length_until_end(&self, at: BeginAt) -> Option<Leaf> {
        let end = self.ends.iter().position(|end| *end == Some(at))?;
        let begin = match at {
            BeginAt::Param(i) => self.names[i].clone(),
            BeginAt::Behind(i) => format!("{}[0]", self.names[i]),
        };
        Some(End::length_between(&begin, &self.names[end], self.types[end]))
    }
}

impl Builder<'_> {
    /// A parameter or member beside others. What a pointer without a type points to may be known.
    pub(super) fn part(
        &mut self,
        i: usize,
        together: &Together,
        pointee: Option<TypeId>,
        depth: u32,
    ) -> Result<ShapeNode, Unsupported> {
        let (name, ty) = (&together.names[i], together.types[i]);
        let begin = match together.ends[i] {
            Some(BeginAt::Param(j)) => self.arrays.get(&together.names[j]),
            Some(BeginAt::Behind(j)) => self.arrays.get(&format!("{}[0]", together.names[j])),
            None => None,
        };
        if let Some(end) = begin.and_then(|(begin, length)| End::of(name, ty, begin, length)) {
            return Ok(ShapeNode::End(Box::new(end)));
        }
        let TypeKind::Pointer { to, .. } = self.types.get(ty).kind else {
            return self.node(name, ty, depth);
        };
        if let (Some(length), Some((array, _))) =
            (together.length_until_end(BeginAt::Behind(i)), self.types.get(to).kind.pointee())
        {
            return self.cursor(name, (ty, to, array), length, depth);
        }
        let until_end = together.length_until_end(BeginAt::Param(i));
        let tie = together.lengths[i].map(|at| self.length(together, at));
        let count = until_end.clone().or(tie).map_or(Count::All, Count::Tied);
        let node = self.pointer(name, ty, pointee.unwrap_or(to), depth, count)?;
        if let (ShapeNode::Pointer(pointer), Some(length)) = (&node, until_end) {
            self.arrays.insert(name.clone(), (without_elements(pointer), length));
        }
        Ok(node)
    }

    /// A pointer to a pointer into an array that ends where another one says.
    fn cursor(
        &mut self,
        name: &str,
        (ty, to, array): (TypeId, TypeId, TypeId),
        length: Leaf,
        depth: u32,
    ) -> Result<ShapeNode, Unsupported> {
        if depth + 1 >= self.options.sizes.depth {
            return self.pointer(name, ty, to, depth, Count::All);
        }
        let address = self.allocate(name, self.types().address.bytes())?;
        let first = format!("{name}[0]");
        let item = self.pointer(&first, to, array, depth + 1, Count::Tied(length.clone()))?;
        if let ShapeNode::Pointer(pointer) = &item {
            self.arrays.insert(first, (without_elements(pointer), length));
        }
        Ok(ShapeNode::Pointer(Box::new(Pointer {
            name: name.to_string(),
            ty,
            present: Some(format!("{name} != NULL")),
            present_default: true,
            address,
            element: to,
            stride: self.types().address.bytes(),
            items: vec![item],
            count: Count::All,
            is_terminated: false,
            terminator: None,
            room: None,
            aliases: Vec::new(),
            inside: Vec::new(),
            tail: None,
        })))
    }

    /// The cell that says how long an array is.
    pub(super) fn length(&self, together: &Together, at: LengthAt) -> Leaf {
        let (LengthAt::Param(i) | LengthAt::Behind(i)) = at;
        let (name, ty) = (&together.names[i], together.types[i]);
        match (at, self.types.get(ty).kind.pointee()) {
            (LengthAt::Behind(_), Some((to, _))) => self.leaf(&format!("{name}[0]"), to),
            (LengthAt::Behind(_), None) => unreachable!("only a pointer has something behind it"),
            (LengthAt::Param(_), _) => self.leaf(name, ty),
        }
    }

    /// A length is at most the room that there is. Programs are given at least their own name.
    pub(super) fn bound_length(&mut self, length: &Leaf, n_max: u32) {
        let low = match length.kind {
            CellKind::Int { signed: true, bits } if length.default == 0 => {
                i64::MIN >> (64 - u32::from(bits))
            }
            CellKind::Int { .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => {
                length.default as i64
            }
        };
        let (name, high) = (length.name.clone(), i64::from(n_max));
        let known = self.lengths.iter_mut().find(|bound| bound.name == name);
        match known {
            Some(known) => known.high = known.high.min(high),
            None => self.lengths.push(CellRange { name, kind: length.kind, low, high }),
        }
    }

    /// A flexible array member. There is room for its elements only where the structure stands alone behind a pointer.
    pub(super) fn flexible(
        &mut self,
        i: usize,
        together: &Together,
        (depth, has_room): (u32, bool),
    ) -> Result<ShapeNode, Unsupported> {
        let (name, ty) = (&together.names[i], together.types[i]);
        let TypeKind::Array { element, .. } = self.types.get(ty).kind else {
            return self.node(name, ty, depth);
        };
        let n = if has_room { self.options.sizes.length } else { 0 };
        let tie = together.lengths[i].map(|at| self.length(together, at)).filter(|_| n > 0);
        if let Some(length) = &tie {
            self.bound_length(length, n);
        }
        let items = (0..n)
            .map(|i| self.node(&format!("{name}[{i}]"), element, depth))
            .collect::<Result<_, _>>()?;
        let stride = self.types.get(element).size;
        Ok(ShapeNode::List { element, stride, items, count: tie.map_or(Count::All, Count::Tied) })
    }

    /// The flexible array member at the end of a type, and the bytes that it may have.
    pub(super) fn tail_bytes(&self, ty: TypeId) -> u32 {
        let TypeKind::Struct { fields } = &self.types.get(ty).kind else { return 0 };
        let last = fields.last().filter(|field| self.types.is_flexible(field.ty));
        last.map_or(0, |field| match self.types.get(field.ty).kind {
            TypeKind::Array { element, .. } => {
                self.types.get(element).size * self.options.sizes.length
            }
            _ => 0,
        })
    }
}

/// A pointer without what it points to.
fn without_elements(pointer: &Pointer) -> Pointer {
    Pointer { items: Vec::new(), aliases: Vec::new(), ..pointer.clone() }
}

/// The flexible array member of a structure.
pub(super) fn tail_of(node: &ShapeNode) -> Option<Tail> {
    let ShapeNode::Record { members, .. } = node else { return None };
    let Member { offset, node: ShapeNode::List { stride, items, count, .. }, .. } =
        members.last()?
    else {
        return None;
    };
    let n_max = items.len() as u32;
    Some(Tail { offset: *offset, stride: *stride, n_max, count: count.clone() })
}
