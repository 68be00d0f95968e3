//! Random branch selection as Koroglu and Sen 2016 describe it, after CREST: each branch of a path is flipped with
//! probability one half.
//!
//! The walk goes down the last path. A branch that is flipped gives a new path, and the walk goes on behind that
//! branch; if it cannot be flipped, the walk goes on with the branch after it. At the end it starts again at the
//! first branch that is left. Deviation: only branches whose other side is open are flipped, so the walk ends when
//! nothing is left.

use super::{News, Row, Strategy, View};
use crate::tree::Flip;
use symcrete_term::Seed;
use symcrete_term::seed::Rng;

pub(super) const ROW: Row = Row {
    name: "random-walk",
    about: "each branch of the last path with probability one half",
    uses_bursts: false,
    build: |seed| Box::new(RandomWalk::new(seed)),
};

/// Open flips in the order in which the walk meets them.
pub(super) struct RandomWalk {
    /// What lies ahead, the nearest last.
    ahead: Vec<Flip>,
    /// What the walk has passed by.
    passed: Vec<Flip>,
    rng: Rng,
}

impl RandomWalk {
    pub(super) fn new(seed: Seed) -> RandomWalk {
        RandomWalk { ahead: Vec::new(), passed: Vec::new(), rng: seed.rng() }
    }
}

impl Strategy for RandomWalk {
    fn add(&mut self, _: View<'_>, news: News<'_>) {
        self.passed.extend(self.ahead.drain(..).rev());
        self.ahead.extend(news.opened.iter().rev());
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        loop {
            let Some(flip) = self.ahead.pop() else {
                self.passed.retain(|&flip| view.tree.is_open(flip));
                if self.passed.is_empty() {
                    return None;
                }
                self.ahead.extend(self.passed.drain(..).rev());
                continue;
            };
            if !view.tree.is_open(flip) {
                continue;
            }
            if self.rng.below(2) == 1 {
                return Some(flip);
            }
            self.passed.push(flip);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::Goals;
    use crate::tree::Tree;
    use std::collections::BTreeMap;
    use symcrete_exec::{Constraint, Origin};
    use symcrete_program::SiteId;
    use symcrete_term::{Literal, Sort, Terms};

    /// Of a path of many branches about half are flipped before the walk has passed all of them, in their order; in
    /// the end none is left.
    #[test]
    fn half_of_the_branches_of_a_path_are_turned_and_none_is_left() {
        let mut terms = Terms::new();
        let path: Vec<Constraint> = (0..1000)
            .map(|i| {
                let term = terms.var(&format!("b{i}"), Sort::Bool);
                let literal = Literal { term, expected: true };
                Constraint { site: SiteId::at(i), literal, origin: Origin::Branch }
            })
            .collect();
        let mut tree = Tree::new();
        let opened = tree.grow(&path, 0).opened;
        let (goals, distances) = (Goals::default(), BTreeMap::new());
        let view = View { tree: &tree, goals: &goals, distances: &distances };
        let mut walk = RandomWalk::new(Seed(1));
        walk.add(view, News { opened: &opened, n_covered: 0 });
        let picked: Vec<Flip> = std::iter::from_fn(|| walk.pick(view)).take(1000).collect();
        let place = |flip: &Flip| opened.iter().position(|open| open == flip).unwrap();
        let places: Vec<usize> = picked.iter().map(place).collect();
        let first_pass = places.windows(2).position(|pair| pair[1] < pair[0]).unwrap() + 1;
        assert!((450..=550).contains(&first_pass), "{first_pass}");
        let mut sorted = places;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).collect::<Vec<_>>());
    }
}
