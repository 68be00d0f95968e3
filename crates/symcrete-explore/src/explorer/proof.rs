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

/// The ways that are left, each with the last sides that were taken before it; `None` if that is the start.
pub(super) struct Left {
    ways: BTreeMap<Way, BTreeSet<Option<Edge>>>,
}

/// Where each of the ways that are left leads.
pub(super) struct Leads {
    by_way: Vec<(Way, Lead)>,
}

/// Where a way leads.
enum Lead {
    /// To these sides.
    To(BTreeSet<Edge>),
    /// Anywhere: it leaves from the start.
    Anywhere,
}

impl Lead {
    fn contains(&self, goal: Edge) -> bool {
        match self {
            Lead::To(sides) => sides.contains(&goal),
            Lead::Anywhere => true,
        }
    }
}

impl Left {
    /// What the tree leaves open.
    pub(super) fn of(tree: &Tree, terms: &Terms, nan_bits: &mut NanBits) -> Left {
        let mut ways: BTreeMap<Way, BTreeSet<Option<Edge>>> = BTreeMap::new();
        for &(edge, gap) in tree.gaps() {
            ways.entry(Way::Gap(gap)).or_default().insert(edge);
        }
        // What becomes of inputs in which pointers share an object is found out, but not needed: a run without, for which
        // that could matter, has met the gap.
        for (flip, state) in tree.sides().filter(|(flip, _)| !tree.is_shared(*flip)) {
            if flip.side && nan_bits.is_in(terms, tree.term(flip)) {
                let edge = tree.branch_before(flip);
                ways.entry(Way::Gap(Gap::NanBits)).or_default().insert(edge);
            }
            let edge = match tree.origin(flip) {
                Origin::Branch | Origin::Select => Some(tree.edge(flip)),
                Origin::TrapGuard
                | Origin::ObjectGuard
                | Origin::Concretized
                | Origin::Assumed
                | Origin::Range => tree.branch_before(flip),
            };
            for way in ways_of(tree, flip, state) {
                ways.entry(way).or_default().insert(edge);
            }
        }
        Left { ways }
    }

    /// Whether nothing is left at all, not even beyond the limits of inputs.
    pub(super) fn is_nothing(&self) -> bool {
        self.ways.is_empty()
    }

    /// Whether all that is left lies beyond bounds.
    pub(super) fn is_within_bounds(&self) -> bool {
        self.ways.keys().all(|way| matches!(way, Way::Gap(gap) if gap.is_bound()))
    }

    /// Where they lead, given what can be reached from some sides. There are few kinds of ways and many sides and
    /// goals, so the graph is gone through once for each kind.
    pub(super) fn leads(&self, reachable: &dyn Fn(&BTreeSet<Edge>) -> BTreeSet<Edge>) -> Leads {
        let lead = |(&way, edges): (&Way, &BTreeSet<Option<Edge>>)| match edges.contains(&None) {
            true => (way, Lead::Anywhere),
            false => (way, Lead::To(reachable(&edges.iter().copied().flatten().collect()))),
        };
        Leads { by_way: self.ways.iter().map(lead).collect() }
    }
}

impl Leads {
    /// What is known of a goal.
    pub(super) fn claim(&self, goal: Edge) -> Claim {
        let (mut bounds, mut open) = (BTreeSet::new(), None);
        for (way, _) in self.by_way.iter().filter(|(_, lead)| lead.contains(goal)) {
            match *way {
                Way::Gap(gap) if gap.is_bound() => {
                    bounds.insert(gap);
                }
                // The last in their order says most.
                Way::Gap(_) | Way::Side => open = open.max(Some(*way)),
            }
        }
        open.map_or(Claim::Infeasible(bounds), Claim::Open)
    }

    /// The limits from which a way leads to a goal.
    pub(super) fn bounds(&self, goal: Edge) -> impl Iterator<Item = Gap> {
        let leading = self.by_way.iter().filter(move |(_, lead)| lead.contains(goal));
        leading.filter_map(|(way, _)| match *way {
            Way::Gap(gap) if gap.is_bound() => Some(gap),
            Way::Gap(_) | Way::Side => None,
        })
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
            // One that was to come into its object takes the guards of that object, and not this one.
            Origin::ObjectGuard if !flip.side || *state == FlipState::Diverged => {
                vec![Way::Gap(Gap::OutOfObject)]
            }
            Origin::TrapGuard | Origin::ObjectGuard | Origin::Assumed | Origin::Range => {
                vec![Way::Gap(Gap::Failure)]
            }
            Origin::Concretized => vec![Way::Gap(Gap::Concretized)],
        },
    }
}
