//! Where a function's local variables lie, as the function itself reports it (`docs/adr/0013-red-zones.md`).

use crate::view::{Callee, View};
use std::ops::Range;
use symcrete_program::cfg::{Function, Kind, ValueId};

/// Variables that one frame can have at most.
const VARIABLES_MAX: u32 = 1 << 16;

/// A frame and its variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    /// The value that is its address on the stack.
    pub(crate) start: ValueId,
    /// The value that it is reached by, which is the same address here.
    pub(crate) address: ValueId,
    pub(crate) size: u32,
    /// Each variable from the frame's start on, in order. What lies between them belongs to none.
    pub(crate) variables: Vec<Range<u32>>,
}

impl Frame {
    /// The frame that a function reports, if any, given the memory before it is called.
    pub(crate) fn of(view: &View<'_>, function: &Function, memory: &[u8]) -> Option<Frame> {
        let definitions = function.definitions();
        let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let is_report = |kind: &Kind| matches!(kind, Kind::Call(callee) if matches!(view.callees[*callee as usize], Callee::Frame));
        let report = instructions.find(|instruction| is_report(&instruction.kind))?;
        let (block, position) = definitions[report.args[1].index()]?;
        let Kind::Const(table) = function.block(block).instructions[position].kind else {
            return None;
        };
        let table = table.address()?;
        let word = |i: u32| {
            let at = table.checked_add(4 * i)? as usize;
            let bytes = memory.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let (size, n) = (word(0)?, word(1)?.min(VARIABLES_MAX));
        let variable = |i: u32| Some(word(2 + 2 * i)?..word(3 + 2 * i)?);
        let variables = (0..n).map(variable).collect::<Option<_>>()?;
        let (start, address) = (report.args[0], *report.results.first()?);
        Some(Frame { start, address, size, variables })
    }
}
