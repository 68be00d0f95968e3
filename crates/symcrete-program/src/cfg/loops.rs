//! Natural loops and how they are nested.

use super::{BlockId, Dominators, Function};
use std::collections::BTreeSet;

/// A loop: everything that can reach a jump back to its header without passing the header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Where it is entered; it dominates the others.
    pub header: BlockId,
    /// Its blocks, the header among them.
    pub blocks: BTreeSet<BlockId>,
    /// Blocks that jump back to the header.
    pub latches: Vec<BlockId>,
    /// The loop around it, by index.
    pub parent: Option<usize>,
    /// How many loops it is in, itself counted.
    pub depth: usize,
}

/// The loops of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loops {
    /// Outer loops before inner ones.
    pub loops: Vec<Loop>,
    innermost: Vec<Option<usize>>,
    reducible: bool,
}

impl Loops {
    /// Finds the loops.
    pub fn of(function: &Function) -> Loops {
        let dominators = Dominators::of(function);
        let predecessors = function.predecessors();
        let mut loops = Vec::new();
        let mut reducible = true;
        for header in function.block_ids() {
            // Blocks are in reverse postorder: a jump that does not go forward must be a jump back.
            let backward = predecessors[header.index()].iter().filter(|&&source| source >= header);
            let (latches, others): (Vec<BlockId>, Vec<BlockId>) =
                backward.partition(|&&source| dominators.dominates(header, source));
            reducible &= others.is_empty();
            if !latches.is_empty() {
                let blocks = body(header, &latches, &predecessors);
                loops.push(Loop { header, blocks, latches, parent: None, depth: 1 });
            }
        }
        let mut found = Loops { loops, innermost: vec![None; function.blocks.len()], reducible };
        found.nest();
        found
    }

    /// An outer header dominates an inner one and so comes before it.
    fn nest(&mut self) {
        for index in 0..self.loops.len() {
            let header = self.loops[index].header;
            let parent = self.innermost[header.index()];
            self.loops[index].parent = parent;
            self.loops[index].depth = parent.map_or(1, |parent| self.loops[parent].depth + 1);
            for block in &self.loops[index].blocks {
                self.innermost[block.index()] = Some(index);
            }
        }
    }

    /// The innermost loop that a block is in, by index.
    pub fn innermost(&self, block: BlockId) -> Option<usize> {
        self.innermost[block.index()]
    }

    /// Whether every cycle is entered at one block. What WebAssembly expresses always is.
    pub fn is_reducible(&self) -> bool {
        self.reducible
    }

    /// Whether the jump leads back to the header of a loop that the source is in.
    pub fn is_back_edge(&self, source: BlockId, target: BlockId) -> bool {
        self.loops.iter().any(|found| found.header == target && found.latches.contains(&source))
    }
}

fn body(header: BlockId, latches: &[BlockId], predecessors: &[Vec<BlockId>]) -> BTreeSet<BlockId> {
    let mut blocks = BTreeSet::from([header]);
    let mut open = latches.to_vec();
    while let Some(block) = open.pop() {
        if blocks.insert(block) {
            open.extend(&predecessors[block.index()]);
        }
    }
    blocks
}
