//! Control-flow directed, as in Takaki et al. 2010: the branch whose other side is nearest to something uncovered.
//!
//! Beyond the paper, iterations of one loop count: of equally near branches the one passed least often comes first,
//! in powers of two, so that a loop is not unrolled for its own sake.

use super::{News, Row, Strategy, View};
use crate::tree::{Flip, Tree};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::Edge;

pub(super) const ROW: Row = Row {
    name: "cfg",
    about: "the branch that is nearest to something uncovered",
    uses_bursts: false,
    build: |_| Box::new(CfgDirected::default()),
};

/// What comes first among flips of one edge.
type Rank = (u32, u32, Flip);

/// Open flips by edge.
#[derive(Default)]
pub(super) struct CfgDirected {
    by_edge: BTreeMap<Edge, BTreeSet<Rank>>,
}

/// Passes of a loop in powers of two, then depth.
pub(super) fn rank(tree: &Tree, flip: Flip) -> Rank {
    let passes = u32::BITS - tree.occurrence(flip).leading_zeros();
    (passes, tree.depth(flip), flip)
}

/// Takes closed flips off; returns the best open one.
pub(super) fn best(tree: &Tree, flips: &mut BTreeSet<Rank>) -> Option<Rank> {
    while let Some(&first) = flips.first() {
        if tree.is_open(first.2) {
            return Some(first);
        }
        flips.pop_first();
    }
    None
}

impl Strategy for CfgDirected {
    fn add(&mut self, view: View<'_>, news: News<'_>) {
        for &flip in news.opened {
            let edge = view.tree.edge(flip);
            self.by_edge.entry(edge).or_default().insert(rank(view.tree, flip));
        }
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        let mut chosen: Option<((u32, Rank), Edge)> = None;
        self.by_edge.retain(|&edge, flips| {
            let Some(rank) = best(view.tree, flips) else { return false };
            let is_goal = view.goals.wanted().contains(&edge);
            let far = view.distances.get(&edge).map_or(u32::MAX, |&n| n.saturating_add(1));
            let key = (if is_goal { 0 } else { far }, rank);
            if chosen.as_ref().is_none_or(|(best, _)| key < *best) {
                chosen = Some((key, edge));
            }
            true
        });
        let ((_, rank), edge) = chosen?;
        self.by_edge.get_mut(&edge)?.remove(&rank);
        Some(rank.2)
    }
}
