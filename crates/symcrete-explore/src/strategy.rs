//! Which branch to turn next.
//!
//! A strategy chooses among open flips. It never runs, solves or stores traces, so that strategies can be compared: all
//! else is the same, but for bursts, which only those have that say so.

mod auto;
mod breadth_first;
mod cfg_directed;
mod depth_first;
mod generational;
mod hunting;
mod least_tried;
mod more_passes;
mod random_path;
mod random_walk;

use crate::goals::Goals;
use crate::tree::{Flip, Tree};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use symcrete_program::Edge;
use symcrete_term::Seed;

/// What a strategy may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// All paths so far.
    pub tree: &'a Tree,
    /// What is to be reached.
    pub goals: &'a Goals,
    /// Branches from each edge to the nearest uncovered goal; absent where none can be reached.
    pub distances: &'a BTreeMap<Edge, u32>,
}

/// What one run added, as far as strategies care.
#[derive(Clone, Copy)]
pub struct News<'a> {
    /// Flips that the run opened, in order of its path.
    pub opened: &'a [Flip],
    /// Goals that it covered first.
    pub n_covered: usize,
}

/// An order of open flips.
pub trait Strategy: Send {
    /// Is told what a run added.
    fn add(&mut self, view: View<'_>, news: News<'_>);

    /// The flip to try next; `None` if nothing is left. Only open flips are given.
    fn pick(&mut self, view: View<'_>) -> Option<Flip>;

    /// Whether the last flip is worth a quick query only. If that does not decide it, it stays open, and comes again.
    fn is_guess(&self) -> bool {
        false
    }
}

/// A new strategy is a file with such a row, and its line in the list below.
struct Row {
    name: &'static str,
    about: &'static str,
    uses_bursts: bool,
    build: fn(Seed) -> Box<dyn Strategy>,
}

/// The strategies, in the order in which they are listed.
const ROWS: &[&Row] = &[
    &auto::ROW,
    &depth_first::ROW,
    &breadth_first::ROW,
    &random_path::ROW,
    &random_walk::ROW,
    &cfg_directed::ROW,
    &generational::ROW,
    &least_tried::ROW,
];

/// A strategy that can be asked for by name.
#[derive(Clone, Copy)]
pub struct StrategyKind(&'static Row);

impl StrategyKind {
    /// All strategies.
    pub fn all() -> impl Iterator<Item = StrategyKind> + Clone {
        ROWS.iter().map(|row| StrategyKind(row))
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// Whether bursts search beside it. The others are there to be compared: what they find, they find by their order.
    pub fn uses_bursts(self) -> bool {
        self.0.uses_bursts
    }

    /// A strategy of this kind.
    pub fn build(self, seed: Seed) -> Box<dyn Strategy> {
        (self.0.build)(seed.derive("strategy").derive(self.name()))
    }
}

impl fmt::Debug for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No strategy has that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownStrategy;

impl FromStr for StrategyKind {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<StrategyKind, UnknownStrategy> {
        StrategyKind::all().find(|kind| kind.name() == name).ok_or(UnknownStrategy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_parse_back() {
        for kind in StrategyKind::all() {
            let parsed: StrategyKind = kind.name().parse().expect("a name of ours");
            assert_eq!(parsed.name(), kind.name());
        }
        let names: BTreeSet<_> = StrategyKind::all().map(StrategyKind::name).collect();
        assert_eq!(names.len(), ROWS.len());
    }
}
