//! The values that global variables start with: what an input does not say stays as the program has it.

use super::build::mask;
use super::callbacks::has_function;
use super::{Pointer, ShapeNode};
use crate::module::{Module, Placement, address_const};
use crate::program::Program;
use std::ops::Range;

/// Memory before the program runs.
pub(super) struct InitialMemory<'a> {
    /// Where bytes are that are not zero, in order of the module.
    segments: Vec<(u32, &'a [u8])>,
    /// Where the program's variables lie.
    variables: Vec<Range<u32>>,
    pointer_size: u32,
}

impl<'a> InitialMemory<'a> {
    /// Reads the data of a program's module.
    pub(super) fn of(program: &'a Program) -> InitialMemory<'a> {
        let mut segments = Vec::new();
        // A program that was read has a module that was checked; one made by hand may have none.
        let module = Module::read(&program.wasm).unwrap_or_default();
        for data in module.data {
            let Placement::Active { offset, .. } = data.placement else { continue };
            if let Some(start) = address_const(&offset) {
                segments.push((start, data.bytes));
            }
        }
        let size = |global: &crate::program::Global| program.types.get(global.ty).size;
        let variables = program.globals.iter();
        let variables =
            variables.map(|global| global.address..global.address.saturating_add(size(global)));
        let pointer_size = program.types.address.bytes();
        InitialMemory { segments, variables: variables.collect(), pointer_size }
    }

    /// Makes the values at an address the defaults of the cells that lie there.
    pub(super) fn initialize(&self, node: &mut ShapeNode, address: u32) {
        match node {
            ShapeNode::Leaf(leaf) => leaf.default = self.read(address, leaf.kind.size()),
            ShapeNode::Bits { kind, fields } => {
                let unit = self.read(address, kind.size()) & mask(*kind);
                for field in fields {
                    field.default = (unit >> field.low) & (u64::MAX >> (64 - field.width));
                }
            }
            ShapeNode::Record { members, .. } => {
                for member in members {
                    self.initialize(&mut member.node, address + member.offset);
                }
            }
            ShapeNode::List { stride, items, .. } => {
                for (i, item) in items.iter_mut().enumerate() {
                    self.initialize(item, address + i as u32 * *stride);
                }
            }
            ShapeNode::Pointer(pointer) => self.initialize_pointer(pointer, address),
            ShapeNode::Callback(callback) => {
                callback.present_default = self.read(address, self.pointer_size) != 0;
            }
            ShapeNode::End(_) | ShapeNode::Text(_) | ShapeNode::Fixed { .. } => {}
        }
    }

    /// Whether there is a function among the values at an address.
    pub(super) fn has_function(&self, node: &ShapeNode, address: u32) -> bool {
        has_function(node, address, &|address| self.read(address, self.pointer_size))
    }

    /// What a pointer points to is copied as far as it is known where it ends.
    fn initialize_pointer(&self, pointer: &mut Pointer, address: u32) {
        let to = self.read(address, self.pointer_size) as u32;
        pointer.present_default = to != 0;
        if to == 0 {
            return;
        }
        let variable = self.variables.iter().find(|variable| variable.contains(&to));
        let end = match (variable, pointer.is_terminated) {
            (Some(variable), _) => variable.end,
            (None, true) => to + pointer.items.len() as u32,
            (None, false) => to + pointer.stride,
        };
        for (i, item) in pointer.items.iter_mut().enumerate() {
            let at = to + i as u32 * pointer.stride;
            let is_end = pointer.is_terminated && self.read(at, 1) == 0;
            if at + pointer.stride > end || is_end {
                break;
            }
            self.initialize(item, at);
        }
    }

    fn read(&self, address: u32, size: u32) -> u64 {
        (0..size).rev().fold(0, |value, i| value << 8 | u64::from(self.byte(address + i)))
    }

    /// Later segments are written over earlier ones; what none has is zero.
    fn byte(&self, address: u32) -> u8 {
        let of = |&(start, bytes): &(u32, &[u8])| {
            bytes.get(address.checked_sub(start)? as usize).copied()
        };
        self.segments.iter().rev().find_map(of).unwrap_or(0)
    }
}
