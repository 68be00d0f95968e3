//! Whether accesses of a module can leave the object they are meant for.
//!
//! Backward execution knows memory as WebAssembly lays it out. What an access finds outside of its object is another thing
//! on another machine, so a proof holds only for inputs on which none leaves one, unless all places are fixed.

use crate::view::View;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::cfg::{Function, Instruction, Kind, ValueId};

impl View<'_> {
    /// Whether some of these functions touch memory at places that are not fixed: constants, and the stack pointer with
    /// constants added.
    pub fn has_free_accesses(&self, functions: &BTreeSet<u32>) -> bool {
        let bodies = functions.iter().filter_map(|&function| self.cfg.function(function));
        bodies.into_iter().any(has_free_accesses)
    }
}

fn has_free_accesses(function: &Function) -> bool {
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    let made_by: BTreeMap<ValueId, &Instruction> =
        instructions().flat_map(|made| made.results.iter().map(move |&id| (id, made))).collect();
    instructions().any(|instruction| match instruction.kind {
        Kind::Load(_) | Kind::Store(_) => !is_fixed(instruction.args[0], &made_by),
        Kind::MemoryFill | Kind::MemoryCopy | Kind::MemoryInit(_) => true,
        Kind::Const(_)
        | Kind::Numeric(_)
        | Kind::Select
        | Kind::RefIsNull
        | Kind::GlobalGet(_)
        | Kind::GlobalSet(_)
        | Kind::MemorySize
        | Kind::MemoryGrow
        | Kind::DataDrop(_)
        | Kind::TableGet(_)
        | Kind::TableSet(_)
        | Kind::TableSize(_)
        | Kind::TableGrow(_)
        | Kind::TableFill(_)
        | Kind::TableCopy { .. }
        | Kind::TableInit { .. }
        | Kind::ElemDrop(_)
        | Kind::Call(_)
        | Kind::CallIndirect { .. } => false,
    })
}

/// Whether a value is a sum of constants and globals of the module, of which the stack pointer is one.
fn is_fixed(value: ValueId, made_by: &BTreeMap<ValueId, &Instruction>) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match made_by.get(&value) {
            Some(Instruction { kind: Kind::Const(_) | Kind::GlobalGet(_), .. }) => {}
            Some(made @ Instruction { kind: Kind::Numeric(_), .. }) => open.extend(&made.args),
            Some(_) | None => return false,
        }
    }
    true
}
