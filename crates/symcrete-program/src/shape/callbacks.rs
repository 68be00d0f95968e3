//! Pointers to functions: null, or one of the functions that the front end has added to the module.
//!
//! **Invariant:** no two pointers of one shape have the same function, so what a call returns belongs to one pointer.

use super::{Callback, Shape, ShapeNode};
use crate::frontend::Language;
use crate::image::{Callee, Cell, CellKind, Symbol};
use crate::input::Input;
use crate::module::FunctionType;
use crate::program::CallbackFunction;
use crate::types::{TypeId, Types};
use std::collections::BTreeSet;
use symcrete_term::Value;

/// The functions that are left for the pointers of a shape.
pub(super) struct Functions<'a> {
    all: &'a [CallbackFunction],
    /// Whether each one has a pointer already.
    used: Vec<bool>,
    /// Types of which none was left for a pointer.
    exhausted: BTreeSet<FunctionType>,
}

/// Why there is no function for a pointer.
pub(super) enum Lacking {
    /// None can be made of that type.
    Type,
    /// This is the first pointer for which none was left.
    First,
    /// None was left for an earlier pointer either.
    Another,
}

impl Lacking {
    /// What is said of the pointer, if that is not said already.
    pub(super) fn why(&self) -> Option<&'static str> {
        match self {
            Lacking::Type => Some("no function can be made for it to point to"),
            Lacking::First => Some("so are further pointers to such functions; there are eight"),
            Lacking::Another => None,
        }
    }
}

impl<'a> Functions<'a> {
    pub(super) fn new(all: &'a [CallbackFunction]) -> Functions<'a> {
        Functions { all, used: vec![false; all.len()], exhausted: BTreeSet::new() }
    }

    /// A pointer of this name and type to functions of a type.
    pub(super) fn pointer(
        &mut self,
        (language, types): (Language, &Types),
        name: &str,
        (ty, function): (TypeId, TypeId),
    ) -> Result<Callback, Lacking> {
        let callback = language.callback(types, function).ok_or(Lacking::Type)?;
        let is_it = |i: &usize| self.all[*i].machine == callback.machine;
        if !(0..self.all.len()).any(|i| is_it(&i)) {
            return Err(Lacking::Type);
        }
        let Some(number) = (0..self.all.len()).filter(is_it).find(|&i| !self.used[i]) else {
            return Err(match self.exhausted.insert(callback.machine) {
                true => Lacking::First,
                false => Lacking::Another,
            });
        };
        self.used[number] = true;
        let called = format!("(*{name})()");
        let (mut fills, mut noted) = (Vec::new(), None);
        if let Some(signature) = types.signature(function) {
            let params = signature.named_params();
            fills = language.fills(types, &called, &params, signature.result);
            noted = language.noted(types, &params, signature.result, &fills);
        }
        Ok(Callback {
            name: name.to_string(),
            ty,
            function,
            present: format!("{name} != NULL"),
            present_default: true,
            index: self.all[number].index,
            callee: Callee {
                number: number as u32,
                name: called,
                result: callback.result,
                fills,
                noted,
            },
        })
    }
}

impl Callback {
    /// Whether it is not null.
    pub fn is_present(&self, input: &Input) -> bool {
        input.get(&self.present).map_or(self.present_default, |value| value == Value::Bool(true))
    }

    /// The pointer in memory or as an argument.
    pub(super) fn cell(&self, input: &Input, kind: CellKind) -> Cell {
        let bits = if self.is_present(input) { u64::from(self.index) } else { 0 };
        let symbol = Symbol::Callback {
            present: self.present.clone(),
            index: self.index,
            callee: Some(self.callee.clone()),
        };
        Cell { kind, bits, symbol: Some(symbol) }
    }
}

impl Shape {
    /// All pointers to functions, whether or not they are there in some run.
    pub fn callbacks(&self) -> Vec<&Callback> {
        let mut found = Vec::new();
        self.slots().for_each(|slot| collect(&slot.node, &mut found));
        let lists = self.variadic.iter().flat_map(|variadic| &variadic.lists);
        let slots = lists.flat_map(|list| &list.slots);
        slots.for_each(|slot| collect(&slot.node, &mut found));
        found
    }
}

fn collect<'a>(node: &'a ShapeNode, found: &mut Vec<&'a Callback>) {
    match node {
        ShapeNode::Callback(callback) => found.push(callback),
        ShapeNode::Record { members, .. } => {
            members.iter().for_each(|member| collect(&member.node, found));
        }
        ShapeNode::List { items, .. } => items.iter().for_each(|item| collect(item, found)),
        ShapeNode::Pointer(pointer) => {
            pointer.items.iter().for_each(|item| collect(item, found));
        }
        ShapeNode::Leaf(_)
        | ShapeNode::Bits { .. }
        | ShapeNode::End(_)
        | ShapeNode::Text(_)
        | ShapeNode::Fixed { .. } => {}
    }
}

/// Whether a variable starts with a function: that one is none of ours.
pub(super) fn has_function(node: &ShapeNode, address: u32, read: &impl Fn(u32) -> u64) -> bool {
    match node {
        ShapeNode::Callback(_) => read(address) != 0,
        ShapeNode::Record { members, .. } => {
            members.iter().any(|member| has_function(&member.node, address + member.offset, read))
        }
        ShapeNode::List { stride, items, .. } => items
            .iter()
            .enumerate()
            .any(|(i, item)| has_function(item, address + i as u32 * stride, read)),
        ShapeNode::Pointer(_)
        | ShapeNode::End(_)
        | ShapeNode::Text(_)
        | ShapeNode::Leaf(_)
        | ShapeNode::Bits { .. }
        | ShapeNode::Fixed { .. } => false,
    }
}
