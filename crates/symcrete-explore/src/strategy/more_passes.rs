//! One pass more than any path before: goes on in loops whose state nobody sees.
//!
//! A parser that takes one field after another passes the same branches with each, and none of them is new. What is behind the
//! fifteenth field is found by a path that has taken a side once more than all paths before it. Every side has its turn,
//! since some loops only go round. `auto` has this among others: alone it would leave most sides behind.

use super::{News, Strategy, View};
use crate::tree::{Flip, Tree};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::Edge;

/// So many passes are as good as any more: a loop that counts to a million is not gone through.
const PASSES_MAX: u32 = 64;

/// Open flips by the side that they would take, most passes and then few conditions first.
#[derive(Default)]
pub(super) struct MorePasses {
    open: BTreeMap<Edge, BTreeSet<(Reverse<u32>, u32, Flip)>>,
    /// How often a path has taken a side at most.
    most: BTreeMap<Edge, u32>,
    n_tries: BTreeMap<Edge, u64>,
}

impl Strategy for MorePasses {
    fn add(&mut self, view: View<'_>, news: News<'_>) {
        for &flip in news.opened {
            let (tree, taken) = (view.tree, Flip { side: !flip.side, ..flip });
            let rank = (Reverse(tree.passes(flip)), tree.depth(flip), flip);
            self.open.entry(tree.edge(flip)).or_default().insert(rank);
            let most = self.most.entry(tree.edge(taken)).or_default();
            *most = tree.passes(taken).saturating_add(1).max(*most);
        }
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        let mut first = None;
        for (&edge, flips) in &mut self.open {
            let most = self.most.get(&edge).copied().unwrap_or(0);
            let is_new = |passes: &u32| (most..PASSES_MAX).contains(passes);
            let Some(passes) = farthest(view.tree, flips).filter(is_new) else {
                continue;
            };
            let Some(&distance) = view.distances.get(&edge) else { continue };
            let n_tries = self.n_tries.get(&edge).copied().unwrap_or(0);
            let key = (n_tries, Reverse(passes), distance, edge);
            first = Some(first.map_or(key, |first| key.min(first)));
        }
        let (_, _, _, edge) = first?;
        let (_, _, flip) = self.open.get_mut(&edge)?.pop_first()?;
        *self.n_tries.entry(edge).or_default() += 1;
        Some(flip)
    }
}

/// Takes closed flips off; returns the passes before the best open one.
fn farthest(tree: &Tree, flips: &mut BTreeSet<(Reverse<u32>, u32, Flip)>) -> Option<u32> {
    while let Some(&(Reverse(passes), _, flip)) = flips.first() {
        if tree.is_open(flip) {
            return Some(passes);
        }
        flips.pop_first();
    }
    None
}
