//! Breadth first: the branch with the fewest conditions before it.

use super::{News, Row, Strategy, View};
use crate::tree::Flip;
use std::collections::BTreeSet;

pub(super) const ROW: Row = Row {
    name: "bfs",
    about: "the branch with the fewest conditions before it",
    uses_bursts: false,
    build: |_| Box::new(BreadthFirst::default()),
};

/// Open flips by depth.
#[derive(Default)]
pub(super) struct BreadthFirst {
    queue: BTreeSet<(u32, Flip)>,
}

impl Strategy for BreadthFirst {
    fn add(&mut self, view: View<'_>, news: News<'_>) {
        self.queue.extend(news.opened.iter().map(|&flip| (view.tree.depth(flip), flip)));
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        loop {
            let (_, flip) = self.queue.pop_first()?;
            if view.tree.is_open(flip) {
                return Some(flip);
            }
        }
    }
}
