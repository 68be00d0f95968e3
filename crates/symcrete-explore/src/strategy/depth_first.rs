//! Depth first, as in Koroglu and Sen 2016: always the last branch that was not flipped yet.

use super::{News, Row, Strategy, View};
use crate::tree::Flip;

pub(super) const ROW: Row = Row {
    name: "dfs",
    about: "always the last branch that was not flipped yet",
    uses_bursts: false,
    build: |_| Box::new(DepthFirst::default()),
};

/// A stack of open flips.
#[derive(Default)]
pub(super) struct DepthFirst {
    stack: Vec<Flip>,
}

impl Strategy for DepthFirst {
    fn add(&mut self, _: View<'_>, news: News<'_>) {
        self.stack.extend_from_slice(news.opened);
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        loop {
            let flip = self.stack.pop()?;
            if view.tree.is_open(flip) {
                return Some(flip);
            }
        }
    }
}
