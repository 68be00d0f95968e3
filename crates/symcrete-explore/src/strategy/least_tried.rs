//! The side that was tried least often, so that no loop or hard condition keeps the others waiting.
//!
//! A search that only looks at paths spends most of its queries where most paths are: in the innermost loop. Here
//! every side of every branch has its turn. Among equally often tried ones the order is that of the `cfg` strategy
//! within one side: few iterations of a loop, then few conditions before it.

use super::cfg_directed::{best, rank};
use super::{News, Row, Strategy, View};
use crate::tree::Flip;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::Edge;

pub(super) const ROW: Row = Row {
    name: "least-tried",
    about: "the side that was tried least often",
    uses_bursts: false,
    build: |_| Box::new(LeastTried::default()),
};

/// Open flips by the side that they would take.
#[derive(Default)]
pub(super) struct LeastTried {
    open: BTreeMap<Edge, BTreeSet<(u32, u32, Flip)>>,
    n_tries: BTreeMap<Edge, u64>,
}

impl Strategy for LeastTried {
    fn add(&mut self, view: View<'_>, news: News<'_>) {
        for &flip in news.opened {
            let edge = view.tree.edge(flip);
            self.open.entry(edge).or_default().insert(rank(view.tree, flip));
        }
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        let mut first = None;
        self.open.retain(|&edge, flips| {
            let Some(rank) = best(view.tree, flips) else { return false };
            let key = (self.n_tries.get(&edge).copied().unwrap_or(0), rank, edge);
            first = Some(first.map_or(key, |first| key.min(first)));
            true
        });
        let (_, rank, edge) = first?;
        self.open.get_mut(&edge)?.remove(&rank);
        *self.n_tries.entry(edge).or_default() += 1;
        Some(rank.2)
    }
}
