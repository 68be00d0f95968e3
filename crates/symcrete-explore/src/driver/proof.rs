//! Which goals no input can reach.
//!
//! A goal is infeasible if no way that is left leads to it: every side of the tree from which the goal's edge
//! can be reached in the control-flow graph was taken or proved infeasible. Sides that only lead elsewhere may stay open.
//!
//! A gap of the model is a way too, from the last branch before it on. If all that leads to a goal are gaps that
//! only limit inputs, the goal is infeasible within those limits.

use super::nan_bits::NanBits;
use crate::tree::{Flip, FlipState, Tree};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::Origin;
use symcrete_program::{Edge, Gap};
use symcrete_term::Terms;

/// Why a way is left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Way {
    /// A side that no run took.
    Side,
    /// The model leaves something out.
    Gap(Gap),
}

/// What the ways that are left say of a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// Nothing leads there, or only what lies beyond these limits.
    Infeasible(BTreeSet<Gap>),
    /// A side that no run took, or a gap behind which nothing is known, leads there.
    Open(Way),
}

/// The ways that are left, each from the last side that was taken before it; `None` if that is the start.
pub(super) struct Left {
    ways: BTreeSet<(Option<Edge>, Way)>,
}

impl Left {
    /// What the tree leaves open.
    pub(super) fn of(tree: &Tree, terms: &Terms, nan_bits: &mut NanBits) -> Left {
        let gaps = tree.gaps().iter();
        let mut ways: BTreeSet<_> = gaps.map(|&(edge, gap)| (edge, Way::Gap(gap))).collect();
        for (flip, state) in tree.sides() {
            if flip.side && nan_bits.is_in(terms, tree.term(flip)) {
                ways.insert((tree.branch_before(flip), Way::Gap(Gap::NanBits)));
            }
            let edge = match tree.origin(flip) {
                Origin::Branch | Origin::Select => Some(tree.edge(flip)),
                Origin::TrapGuard
                | Origin::ObjectGuard
                | Origin::Concretized
                | Origin::Assumed
                | Origin::Bound => tree.branch_before(flip),
            };
            ways.extend(ways_of(tree, flip, state).into_iter().map(|way| (edge, way)));
        }
        Left { ways }
    }

    /// Whether nothing is left at all, not even beyond the limits of inputs.
    pub(super) fn is_nothing(&self) -> bool {
        self.ways.is_empty()
    }

    /// What is known of a goal, given the branches from each edge to it.
    pub(super) fn claim(&self, distances: &BTreeMap<Edge, u32>) -> Claim {
        let leads_there =
            |edge: &Option<Edge>| edge.is_none_or(|edge| distances.contains_key(&edge));
        let ways = self.ways.iter().filter(|(edge, _)| leads_there(edge)).map(|(_, way)| *way);
        let (mut bounds, mut open) = (BTreeSet::new(), None);
        for way in ways {
            match way {
                Way::Gap(gap) if gap.is_bound() => {
                    bounds.insert(gap);
                }
                // The last in their order says most.
                Way::Gap(_) | Way::Side => open = open.max(Some(way)),
            }
        }
        open.map_or(Claim::Infeasible(bounds), Claim::Open)
    }
}

/// What a side leaves open.
fn ways_of(tree: &Tree, flip: Flip, state: &FlipState) -> Vec<Way> {
    let origin = tree.origin(flip);
    match state {
        FlipState::Covered | FlipState::Infeasible => Vec::new(),
        FlipState::Bounded(gaps) => gaps.iter().map(|&gap| Way::Gap(gap)).collect(),
        // What the program assumes, and that pointers are there, limits the question, not the answer.
        FlipState::Pinned if origin != Origin::Concretized => Vec::new(),
        FlipState::Pinned
        | FlipState::Open
        | FlipState::Unresolved(_)
        | FlipState::Diverged
        | FlipState::TooDeep => match origin {
            Origin::Branch | Origin::Select => vec![Way::Side],
            // Where this fails the program ends.
            Origin::TrapGuard if !flip.side => Vec::new(),
            Origin::ObjectGuard if !flip.side => vec![Way::Gap(Gap::OutOfObject)],
            Origin::TrapGuard | Origin::ObjectGuard | Origin::Assumed | Origin::Bound => {
                vec![Way::Gap(Gap::Failure)]
            }
            Origin::Concretized => vec![Way::Gap(Gap::Concretized)],
        },
    }
}
