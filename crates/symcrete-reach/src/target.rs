//! What is to be reached, and where that is in the module.

use crate::view::View;
use std::ops::Range;
use symcrete_program::cfg::{BlockId, Instruction, Kind, Terminator};
use symcrete_program::{Edge, SiteId};

/// Where backward execution starts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A side of a site is taken.
    Side(Edge),
    /// An operator fails like this.
    Trap {
        /// The operator.
        offset: u32,
        /// How.
        fault: Fault,
    },
    /// A function is called that never comes back, such as `reach_error`.
    Called(u32),
}

/// What can be wrong at an operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// A division by zero.
    DivisionByZero,
    /// A quotient, or an integral part, that does not fit.
    Overflow,
    /// A conversion of what is not a number.
    NotANumber,
    /// An access near address zero.
    NullPointer,
    /// A call through a pointer to no function.
    NullCall,
    /// An access to the bytes next to its object. Where most that leave an object go: it is tried first.
    NextToObject,
    /// An access outside of its object, wherever.
    OutsideObject,
    /// A call that does not come back, such as that of `abort`.
    Ends,
    /// `unreachable`
    Unreachable,
}

/// A point in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) function: u32,
    pub(crate) block: BlockId,
    /// Instructions of the block that have run.
    pub(crate) position: usize,
    /// The jump that is taken at the end of the block.
    pub(crate) jump: Option<usize>,
}

impl View<'_> {
    /// Where a target is: function, block, instructions of it that come before, and how the block is left.
    pub(crate) fn places(&self, target: &Target) -> Vec<Place> {
        let mut places = Vec::new();
        let offset = match target {
            Target::Side(edge) => Some(edge.site.offset),
            Target::Trap { offset, .. } => Some(*offset),
            Target::Called(_) => None,
        };
        let may_have = |body: &Range<u32>| offset.is_none_or(|offset| body.contains(&offset));
        for function in self.cfg.functions().filter(|function| may_have(&function.body)) {
            for id in function.block_ids() {
                let block = function.block(id);
                let at =
                    |position| Place { function: function.index, block: id, position, jump: None };
                for (position, instruction) in block.instructions.iter().enumerate() {
                    if is_here(target, instruction) {
                        places.push(at(position));
                    }
                }
                let end = at(block.instructions.len());
                match (target, &block.terminator) {
                    (Target::Side(edge), terminator) => {
                        let jump = terminator.edges().iter().position(|side| *side == Some(*edge));
                        places.extend(jump.map(|jump| Place { jump: Some(jump), ..end }));
                    }
                    (Target::Trap { offset, .. }, Terminator::Unreachable { offset: own })
                        if offset == own =>
                    {
                        places.push(end);
                    }
                    (Target::Trap { .. } | Target::Called(_), _) => {}
                }
            }
        }
        places
    }

    /// The operators in a part of the module that can fail in a way, as targets. `ends` says which functions a call of
    /// which is such a failure.
    pub fn trap_targets(
        &self,
        fault: Fault,
        ends: &dyn Fn(u32) -> bool,
        is_inside: &dyn Fn(u32) -> bool,
    ) -> Vec<Target> {
        let can = |instruction: &&Instruction| match (fault, &instruction.kind) {
            (Fault::DivisionByZero, Kind::Numeric(op)) => op.traps() && op.params().len() == 2,
            (Fault::NotANumber, Kind::Numeric(op)) => op.traps() && op.params().len() == 1,
            (Fault::Overflow, Kind::Numeric(op)) => op.traps(),
            (
                Fault::NullPointer | Fault::NextToObject | Fault::OutsideObject,
                Kind::Load(_) | Kind::Store(_),
            ) => true,
            (Fault::NullCall, Kind::CallIndirect { .. }) => true,
            (Fault::Ends, Kind::Call(callee)) => ends(*callee),
            (_, _) => false,
        };
        let mut offsets: Vec<u32> = Vec::new();
        for block in self.cfg.functions().flat_map(|function| &function.blocks) {
            offsets.extend(block.instructions.iter().filter(can).map(|found| found.offset));
            if let (Fault::Unreachable, Terminator::Unreachable { offset }) =
                (fault, &block.terminator)
            {
                offsets.push(*offset);
            }
        }
        offsets.retain(|&offset| is_inside(offset));
        offsets.into_iter().map(|offset| Target::Trap { offset, fault }).collect()
    }
}

fn is_here(target: &Target, instruction: &Instruction) -> bool {
    match target {
        Target::Side(edge) => {
            instruction.kind == Kind::Select && SiteId::at(instruction.offset) == edge.site
        }
        Target::Trap { offset, .. } => instruction.offset == *offset,
        Target::Called(function) => instruction.kind == Kind::Call(*function),
    }
}
