//! Which goals no input can reach.
//!
//! A goal is infeasible if no way that is left leads to it: every side of the tree from which the goal's edge
//! can be reached in the control-flow graph was taken or proved infeasible. Sides that only lead elsewhere may stay open.

use crate::tree::{Flip, FlipState, Tree};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::Origin;
use symcrete_program::Edge;

/// The ways that are left.
pub(super) struct Left {
    edges: BTreeSet<Edge>,
    /// Some way could lead anywhere.
    is_anywhere: bool,
}

impl Left {
    /// What the tree leaves open.
    pub(super) fn of(tree: &Tree) -> Left {
        let mut left = Left { edges: BTreeSet::new(), is_anywhere: false };
        for (flip, state) in tree.sides() {
            if is_settled(tree, flip, state) {
                continue;
            }
            match tree.origin(flip) {
                Origin::Branch | Origin::Select => {
                    left.edges.insert(tree.edge(flip));
                }
                // Where a guard fails the program ends.
                Origin::TrapGuard if !flip.side => {}
                Origin::TrapGuard | Origin::Concretized | Origin::Assumed => {
                    left.is_anywhere = true;
                }
            }
        }
        left
    }

    /// Whether nothing is left at all.
    pub(super) fn is_nothing(&self) -> bool {
        self.edges.is_empty() && !self.is_anywhere
    }

    /// Whether no way leads to a goal, given the branches from each edge to it.
    pub(super) fn excludes(&self, distances: &BTreeMap<Edge, u32>) -> bool {
        !self.is_anywhere && self.edges.iter().all(|edge| !distances.contains_key(edge))
    }
}

/// Whether nothing remains to be done about a side.
fn is_settled(tree: &Tree, flip: Flip, state: &FlipState) -> bool {
    match state {
        FlipState::Covered | FlipState::Infeasible => true,
        // What the program assumes, and that pointers are there, limits the question, not the answer.
        FlipState::Pinned => tree.origin(flip) != Origin::Concretized,
        FlipState::Open | FlipState::Unresolved(_) | FlipState::Diverged | FlipState::TooDeep => {
            false
        }
    }
}
