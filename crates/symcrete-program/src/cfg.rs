//! A module as control-flow graphs in SSA form: what backward execution, distances and drawings read.
//!
//! [`Cfg::of`] turns one function into a [`Function`]: blocks with
//! parameters, locals and operand stack turned into values. Memory, globals, tables and calls stay
//! instructions, and [`Kind::effects`] says what they touch. On top of it are [`Dominators`], [`Loops`],
//! [`CallGraph`], [`FlowGraph`] with [`Distances`], [`draw()`], and an interpreter that is the test oracle for all of it.
//!
//! **Invariant:** a value is assigned once, and its assignment dominates its uses. Every instruction and
//! terminator carries its operator's offset in the original module, so sites and debug information apply.
//!
//! **Invariant:** only blocks that can be reached from the entry are kept; block 0 is the entry, its
//! parameters are the function's, and nothing jumps to it.

mod build;
mod calls;
mod distances;
mod dominators;
pub mod draw;
mod flow;
pub mod interpreter;
mod loops;
mod prune;
mod text;

pub use crate::module::{
    self, Access, Constant, Effects, FunctionType, Kind, MemoryUse, Module as ModuleView,
    ModuleError as CfgError, Num, ValueType, WasmOp,
};
pub use calls::{CallGraph, CallSite};
pub use distances::Distances;
pub use dominators::Dominators;
pub use draw::{Condition, Labels, Style, draw};
pub use flow::FlowGraph;
pub use loops::{Loop, Loops};

use crate::site::{Edge, SiteId};
use std::ops::Range;

/// Names a block within its function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Where every function starts.
    pub const ENTRY: BlockId = BlockId(0);

    /// Its position in [`Function::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names a value within its function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Its position in [`Function::values`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function in SSA form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its index in the module.
    pub index: u32,
    /// Its name, or `function 7` where the module has none.
    pub name: String,
    /// What it takes and gives.
    pub ty: FunctionType,
    /// Where its operators are in the module.
    pub body: Range<u32>,
    /// Its blocks, the entry first.
    pub blocks: Vec<Block>,
    /// The type of every value, by id.
    pub values: Vec<ValueType>,
}

/// Instructions that run one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Values that each jump to this block gives.
    pub params: Vec<ValueId>,
    /// What it does.
    pub instructions: Vec<Instruction>,
    /// How it ends.
    pub terminator: Terminator,
    /// Where its operators are, as few ranges as possible; none for a block without operators. Structure
    /// such as `block` and `end` belongs to the block it is read in.
    pub ranges: Vec<Range<u32>>,
}

/// One operator that computes or changes something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Where the operator is in the module. The zeros of locals are at the start of the body.
    pub offset: u32,
    /// What it does.
    pub kind: Kind,
    /// Its operands, the one pushed first at the front.
    pub args: Vec<ValueId>,
    /// What it gives; several only for calls.
    pub results: Vec<ValueId>,
}

/// Where control goes next, and with which values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The next block.
    pub block: BlockId,
    /// The values of its parameters.
    pub args: Vec<ValueId>,
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// Always to one block.
    Br(Jump),
    /// A choice: `if` or `br_if`.
    BrIf {
        /// An `i32`.
        condition: ValueId,
        /// Taken if it is not zero.
        then: Jump,
        /// Taken if it is zero.
        otherwise: Jump,
        /// The operator.
        offset: u32,
    },
    /// A choice among many: `br_table`.
    Switch {
        /// An `i32`.
        index: ValueId,
        /// The distinct labels in order of first appearance, as [`SiteId::case`] counts them.
        cases: Vec<Jump>,
        /// Which case each index takes; the last entry is for all indices beyond.
        case_of_index: Vec<u16>,
        /// The operator.
        offset: u32,
    },
    /// Back to the caller. A function has at most one block that ends so.
    Return(Vec<ValueId>),
    /// A trap.
    Unreachable {
        /// The operator.
        offset: u32,
    },
}

impl Terminator {
    /// Every way out of the block, in order; two may lead to the same block.
    pub fn jumps(&self) -> Vec<&Jump> {
        match self {
            Terminator::Br(jump) => vec![jump],
            Terminator::BrIf { then, otherwise, .. } => vec![then, otherwise],
            Terminator::Switch { cases, .. } => cases.iter().collect(),
            Terminator::Return(_) | Terminator::Unreachable { .. } => vec![],
        }
    }

    fn jumps_mut(&mut self) -> Vec<&mut Jump> {
        match self {
            Terminator::Br(jump) => vec![jump],
            Terminator::BrIf { then, otherwise, .. } => vec![then, otherwise],
            Terminator::Switch { cases, .. } => cases.iter_mut().collect(),
            Terminator::Return(_) | Terminator::Unreachable { .. } => vec![],
        }
    }

    /// The value that decides, or the values returned.
    pub fn operands(&self) -> &[ValueId] {
        match self {
            Terminator::BrIf { condition: value, .. } | Terminator::Switch { index: value, .. } => {
                std::slice::from_ref(value)
            }
            Terminator::Return(values) => values,
            Terminator::Br(_) | Terminator::Unreachable { .. } => &[],
        }
    }

    /// The side of a site that each of [`Terminator::jumps`] takes. A case of a switch takes the side on
    /// which its own condition holds.
    pub fn edges(&self) -> Vec<Option<Edge>> {
        let side = |site, taken| Some(Edge { site, taken });
        match *self {
            Terminator::Br(_) => vec![None],
            Terminator::BrIf { offset, .. } => {
                vec![side(SiteId::at(offset), true), side(SiteId::at(offset), false)]
            }
            Terminator::Switch { ref cases, offset, .. } => {
                (0..cases.len() as u16).map(|case| side(SiteId { offset, case }, true)).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable { .. } => vec![],
        }
    }
}

impl Function {
    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// Every block's id, the entry first.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// For each block where it can go, each target once, in order of the terminator.
    pub fn successors(&self) -> Vec<Vec<BlockId>> {
        let of_block = |block: &Block| {
            let mut targets: Vec<BlockId> = Vec::new();
            for jump in block.terminator.jumps() {
                if !targets.contains(&jump.block) {
                    targets.push(jump.block);
                }
            }
            targets
        };
        self.blocks.iter().map(of_block).collect()
    }

    /// For each block from where it can be reached, each source once, in order of the blocks.
    pub fn predecessors(&self) -> Vec<Vec<BlockId>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (source, targets) in self.block_ids().zip(self.successors()) {
            for target in targets {
                predecessors[target.index()].push(source);
            }
        }
        predecessors
    }

    /// The block that returns, if any is reached.
    pub fn exit(&self) -> Option<BlockId> {
        let returns = |block: &Block| matches!(block.terminator, Terminator::Return(_));
        self.blocks.iter().position(returns).map(|index| BlockId(index as u32))
    }

    /// The instruction that computes each value, as block and position; `None` for block parameters.
    pub fn definitions(&self) -> Vec<Option<(BlockId, usize)>> {
        let mut definitions = vec![None; self.values.len()];
        for (id, block) in self.block_ids().zip(&self.blocks) {
            for (position, instruction) in block.instructions.iter().enumerate() {
                for result in &instruction.results {
                    definitions[result.index()] = Some((id, position));
                }
            }
        }
        definitions
    }
}

/// All functions of a module.
#[derive(Clone, Debug)]
pub struct Cfg {
    functions: Vec<Option<Function>>,
}

impl Cfg {
    /// One function. An imported one has no body and is an error.
    pub fn of(module: &ModuleView<'_>, function: u32) -> Result<Function, CfgError> {
        build::function(module, function)
    }

    /// Every function that the module defines.
    pub fn of_module(module: &ModuleView<'_>) -> Result<Cfg, CfgError> {
        let function = |index: usize| match module.functions[index].body {
            Some(_) => build::function(module, index as u32).map(Some),
            None => Ok(None),
        };
        let functions = (0..module.functions.len()).map(function).collect::<Result<_, _>>()?;
        Ok(Cfg { functions })
    }

    /// A function by its index in the module; `None` for an imported one.
    pub fn function(&self, index: u32) -> Option<&Function> {
        self.functions.get(index as usize)?.as_ref()
    }

    /// The functions that are defined, in order of their indices.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().flatten()
    }
}
