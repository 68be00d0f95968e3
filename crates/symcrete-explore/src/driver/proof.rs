//! Which goals no input can reach.
//!
//! A goal is infeasible if no way that is left leads to it: every side of the tree from which the goal's edge
//! can be reached in the control-flow graph was taken or proved infeasible. Sides that only lead elsewhere may stay open.
//!
//! Two things on a path stand for more than the run that recorded them. An address that was taken at its value has
//! others, and an access that leaves its object may find another one there, in which case the program goes on.
//! What they lead to is not known, but it comes after the last branch before them.

use crate::tree::{Flip, FlipState, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use symcrete_exec::Origin;
use symcrete_program::Edge;

/// Why a way is left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Way {
    /// A side that no run took.
    Side,
    /// An assumption that nobody could satisfy, or an operation that nobody could keep from failing.
    Condition,
    /// Other values of an address or a size.
    Pin,
    /// An access that leaves its object.
    Astray,
    /// What comes after the end of a run that was cut off.
    CutOff,
    /// Other inputs: the program looks at more bits of a float than inputs have.
    NanBits,
    /// Anything: the program does not always do the same.
    Undetermined,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Side => "other branches lead to it and are not decided",
            Way::Condition => "nothing is known of what comes after a failure on the way",
            Way::Pin => "an address or a size on the way was taken at the value that it had",
            Way::Astray => "an access on the way may leave its object and find anything there",
            Way::CutOff => "runs were cut off before their end",
            Way::NanBits => {
                "the program looks at the bits of a float, and of all that are no numbers only one is tried"
            }
            Way::Undetermined => "the program does not always do the same",
        })
    }
}

/// The ways that are left, each from the last side that was taken before it; `None` if that is the start.
pub(super) struct Left {
    ways: BTreeSet<(Option<Edge>, Way)>,
}

impl Left {
    /// What the tree leaves open.
    pub(super) fn of(tree: &Tree) -> Left {
        let mut ways = BTreeSet::new();
        for (flip, state) in tree.sides() {
            if is_settled(tree, flip, state) {
                continue;
            }
            let way = match tree.origin(flip) {
                Origin::Branch | Origin::Select => {
                    ways.insert((Some(tree.edge(flip)), Way::Side));
                    continue;
                }
                // Where this fails the program ends.
                Origin::TrapGuard if !flip.side => continue,
                Origin::ObjectGuard if !flip.side => Way::Astray,
                Origin::TrapGuard | Origin::ObjectGuard | Origin::Assumed => Way::Condition,
                Origin::Concretized => Way::Pin,
            };
            ways.insert((tree.branch_before(flip), way));
        }
        Left { ways }
    }

    /// Whether nothing is left at all.
    pub(super) fn is_nothing(&self) -> bool {
        self.ways.is_empty()
    }

    /// A way that leads to a goal, if one does, given the branches from each edge to it.
    pub(super) fn way_to(&self, distances: &BTreeMap<Edge, u32>) -> Option<Way> {
        let leads_there =
            |edge: &Option<Edge>| edge.is_none_or(|edge| distances.contains_key(&edge));
        self.ways.iter().filter(|(edge, _)| leads_there(edge)).map(|(_, way)| *way).max()
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
