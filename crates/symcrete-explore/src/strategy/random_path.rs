//! A random branch of the last path, as in Takaki et al. 2010; of earlier paths once that has none left.

use super::{News, Row, Strategy, View};
use crate::tree::Flip;
use symcrete_term::Seed;
use symcrete_term::seed::Rng;

pub(super) const ROW: Row = Row {
    name: "random",
    about: "a random branch of the last path",
    uses_bursts: false,
    build: |seed| Box::new(RandomPath::new(seed)),
};

/// Open flips, path by path.
pub(super) struct RandomPath {
    paths: Vec<Vec<Flip>>,
    rng: Rng,
}

impl RandomPath {
    pub(super) fn new(seed: Seed) -> RandomPath {
        RandomPath { paths: Vec::new(), rng: seed.rng() }
    }
}

impl Strategy for RandomPath {
    fn add(&mut self, _: View<'_>, news: News<'_>) {
        self.paths.push(news.opened.to_vec());
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        loop {
            let path = self.paths.last_mut()?;
            if path.is_empty() {
                self.paths.pop();
                continue;
            }
            let at = self.rng.below(path.len() as u64) as usize;
            let flip = path.swap_remove(at);
            if view.tree.is_open(flip) {
                return Some(flip);
            }
        }
    }
}
