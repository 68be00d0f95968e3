//! Generational search: all branches of a path belong together, and the path that covered most comes first
//! (Godefroid, Levin and Molnar, NDSS 2008).

use super::{News, Row, Strategy, View};
use crate::tree::Flip;
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub(super) const ROW: Row = Row {
    name: "generational",
    about: "the branches of the path that covered most",
    uses_bursts: false,
    build: |_| Box::new(Generational::default()),
};

/// Open flips by generation: most goals first, then the newest.
#[derive(Default)]
pub(super) struct Generational {
    generations: BTreeMap<(Reverse<usize>, Reverse<u64>), Vec<Flip>>,
    n_paths: u64,
}

impl Strategy for Generational {
    fn add(&mut self, _: View<'_>, news: News<'_>) {
        self.n_paths += 1;
        let key = (Reverse(news.n_covered), Reverse(self.n_paths));
        // Taken from the end: the first branches of the path come first.
        self.generations.insert(key, news.opened.iter().rev().copied().collect());
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        loop {
            let mut entry = self.generations.first_entry()?;
            match entry.get_mut().pop() {
                Some(flip) if view.tree.is_open(flip) => return Some(flip),
                Some(_) => {}
                None => {
                    entry.remove();
                }
            }
        }
    }
}
