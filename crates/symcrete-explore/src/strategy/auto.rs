//! The default: uncovered and cheap first, and it learns which order finds something.
//!
//! Four kinds of flips are told apart. Assumptions that failed come before all. Those whose own side is an
//! uncovered goal come next, the edge that was tried least before others. Those that make the machine trap follow, a few per place. The rest only
//! lead on; they are ordered by several strategies in turn, and one that led to new coverage gets more
//! turns. When everything is covered, sides that only failing runs took have some turns, so that tests take them too;
//! then failures are looked for (`hunting.rs`).
//!
//! An edge that is tried again and again without success (a condition that never holds, met in every iteration of a
//! loop) must not starve the rest: the more often the least tried goal failed, the more turns the others get.

use super::cfg_directed::{CfgDirected, best, rank};
use super::depth_first::DepthFirst;
use super::generational::Generational;
use super::hunting::Hunting;
use super::more_passes::MorePasses;
use super::random_path::RandomPath;
use super::{News, Row, Strategy, View};
use crate::tree::{Flip, Tree};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::Origin;
use symcrete_program::Edge;
use symcrete_term::Seed;

pub(super) const ROW: Row = Row {
    name: "auto",
    about: "uncovered and cheap branches first; learns which order finds something",
    uses_bursts: true,
    build: |seed| Box::new(Auto::new(seed)),
};

/// Attempts at one trap before others get all turns.
const GUARD_ATTEMPTS_MAX: u32 = 4;
/// Strategies that order what only leads on, and which of them is a guess: the others have its flips too.
const N_CONTENDERS: usize = 5;
const MORE_PASSES: usize = 1;
/// What a turn costs with an empty path, in conditions.
const COST_OF_TURN: u64 = 64;
/// Attempts at one goal while nothing else gets a turn.
const GOAL_ATTEMPTS_FREE: u32 = 4;
/// Turns in vain for sides that only failing runs took, once everything is covered.
const TURNS_FOR_TESTS_MAX: u32 = 256;

/// See the module.
pub(super) struct Auto {
    assumptions: Bucket,
    goals: Bucket,
    guards: Bucket,
    hunting: Hunting,
    /// Sides of a harness's assertions that hold so far.
    promises: Bucket,
    promised: BTreeSet<Edge>,
    contenders: Vec<Contender>,
    /// Who picked the flip whose run comes next.
    last: Option<usize>,
    turn: u64,
    /// Turns since the last find, once everything is covered.
    turns_for_tests: u32,
}

/// Flips by edge, and how often each edge was tried.
#[derive(Default)]
struct Bucket {
    by_edge: BTreeMap<Edge, BTreeSet<(u32, u32, Flip)>>,
    attempts: BTreeMap<Edge, u32>,
}

/// A strategy, and how it has done.
struct Contender {
    strategy: Box<dyn Strategy>,
    /// What its turns have cost, in conditions before the flips that it chose.
    cost: u64,
    finds: u32,
}

impl Auto {
    pub(super) fn new(seed: Seed) -> Auto {
        let strategies: [Box<dyn Strategy>; N_CONTENDERS] = [
            Box::new(CfgDirected::default()),
            Box::new(MorePasses::default()),
            Box::new(Generational::default()),
            Box::new(RandomPath::new(seed)),
            Box::new(DepthFirst::default()),
        ];
        let contenders = strategies.map(|strategy| Contender { strategy, cost: 0, finds: 0 });
        Auto {
            assumptions: Bucket::default(),
            goals: Bucket::default(),
            guards: Bucket::default(),
            hunting: Hunting::default(),
            promises: Bucket::default(),
            promised: BTreeSet::new(),
            contenders: contenders.into(),
            last: None,
            turn: 0,
            turns_for_tests: 0,
        }
    }

    /// The sides that are looked for.
    fn wanted<'v>(&mut self, view: View<'v>) -> &'v BTreeSet<Edge> {
        let (uncovered, wanted) = (view.goals.uncovered(), view.goals.wanted());
        if uncovered.is_empty() && !wanted.is_empty() {
            self.turns_for_tests += 1;
        }
        if self.turns_for_tests > TURNS_FOR_TESTS_MAX { uncovered } else { wanted }
    }

    /// The contender that finds most for what it costs; those that had few turns are given credit. Long paths cost more.
    fn explore(&mut self, view: View<'_>) -> Option<Flip> {
        let mut order: Vec<usize> = (0..self.contenders.len()).collect();
        let worth = |contender: &Contender| {
            // Compares finds by cost without fractions.
            (u64::from(contender.finds) + 1) * 1_000_000_000 / (contender.cost + COST_OF_TURN)
        };
        order.sort_by_key(|&i| (std::cmp::Reverse(worth(&self.contenders[i])), i));
        for i in order {
            if let Some(flip) = self.contenders[i].strategy.pick(view) {
                self.contenders[i].cost += COST_OF_TURN + u64::from(view.tree.depth(flip));
                self.last = Some(i);
                return Some(flip);
            }
        }
        None
    }
}

/// How many turns there are between two attempts at a goal: after n failed ones it has one turn in log2(n).
fn period(n_tried: u32) -> u64 {
    u64::from(u32::BITS - (n_tried / GOAL_ATTEMPTS_FREE).leading_zeros()) + 1
}

impl Bucket {
    fn add(&mut self, tree: &Tree, flip: Flip) {
        self.by_edge.entry(tree.edge(flip)).or_default().insert(rank(tree, flip));
    }

    /// The least tried edge that is wanted, with its best flip.
    fn choose(
        &mut self,
        tree: &Tree,
        is_wanted: impl Fn(Edge) -> bool,
    ) -> Option<(u32, (u32, u32, Flip), Edge)> {
        let attempts = &self.attempts;
        let mut chosen = None;
        self.by_edge.retain(|&edge, flips| {
            let Some(rank) = best(tree, flips) else { return false };
            let key = (attempts.get(&edge).copied().unwrap_or(0), rank, edge);
            if is_wanted(edge) && chosen.is_none_or(|best| key < best) {
                chosen = Some(key);
            }
            true
        });
        chosen
    }

    fn take(&mut self, (_, rank, edge): (u32, (u32, u32, Flip), Edge)) -> Flip {
        *self.attempts.entry(edge).or_insert(0) += 1;
        if let Some(flips) = self.by_edge.get_mut(&edge) {
            flips.remove(&rank);
        }
        rank.2
    }
}

impl Strategy for Auto {
    fn add(&mut self, view: View<'_>, news: News<'_>) {
        if news.n_covered > 0 {
            self.turns_for_tests = 0;
        }
        if let Some(last) = self.last.take()
            && news.n_covered > 0
        {
            self.contenders[last].finds += 1;
        }
        for &flip in news.opened {
            self.hunting.add(view.tree, flip);
            match view.tree.origin(flip) {
                Origin::Assumed => self.assumptions.add(view.tree, flip),
                Origin::TrapGuard | Origin::ObjectGuard => self.guards.add(view.tree, flip),
                _ if view.goals.is_promised(view.tree.edge(flip)) => {
                    self.promises.add(view.tree, flip);
                    self.promised.insert(view.tree.edge(flip));
                }
                _ if view.goals.is_check(view.tree.edge(flip)) => self.guards.add(view.tree, flip),
                Origin::Branch | Origin::Select | Origin::Concretized | Origin::Range => {
                    self.goals.add(view.tree, flip);
                }
            }
        }
        for contender in &mut self.contenders {
            contender.strategy.add(view, news);
        }
    }

    fn pick(&mut self, view: View<'_>) -> Option<Flip> {
        self.turn += 1;
        self.last = None;
        let wanted = self.wanted(view);
        if let Some(assumption) = self.assumptions.choose(view.tree, |_| true) {
            return Some(self.assumptions.take(assumption));
        }
        let goal = self.goals.choose(view.tree, |edge| wanted.contains(&edge));
        if let Some(goal) = goal
            && self.turn.is_multiple_of(period(goal.0))
        {
            return Some(self.goals.take(goal));
        }
        let promise = self.promises.choose(view.tree, |edge| view.goals.is_promised(edge));
        if let Some(promise) = promise
            && self.turn.is_multiple_of(period(promise.0))
        {
            return Some(self.promises.take(promise));
        }
        let guard = self.guards.choose(view.tree, |_| true);
        if let Some(guard) = guard
            && guard.0 < GUARD_ATTEMPTS_MAX
        {
            return Some(self.guards.take(guard));
        }
        let is_promised = |&edge: &Edge| view.goals.is_promised(edge);
        if wanted.is_empty() && !self.promised.iter().any(is_promised) {
            return self.hunting.pick(view);
        }
        self.explore(view)
    }

    fn is_guess(&self) -> bool {
        self.last == Some(MORE_PASSES)
    }
}
