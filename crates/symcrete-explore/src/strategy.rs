//! Which branch to turn next.
//!
//! A strategy chooses among open flips. It never runs, solves or stores traces, so that strategies can be
//! compared: all else is the same.

mod auto;
mod breadth_first;
mod cfg_directed;
mod depth_first;
mod generational;
mod random_path;

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
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Is told what a run added.
    fn add(&mut self, view: View<'_>, news: News<'_>);

    /// The flip to try next; `None` if nothing is left. Only open flips are given.
    fn pick(&mut self, view: View<'_>) -> Option<Flip>;
}

/// The strategies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum StrategyKind {
    /// Uncovered and cheap first; learns which order finds something.
    Auto,
    /// Always the last branch that was not turned yet.
    DepthFirst,
    /// Always the first one.
    BreadthFirst,
    /// A random branch of the last path.
    Random,
    /// The branch that is nearest to something uncovered.
    CfgDirected,
    /// The branches of the path that found most.
    Generational,
}

impl StrategyKind {
    /// All strategies.
    pub const ALL: &'static [StrategyKind] = &[
        StrategyKind::Auto,
        StrategyKind::DepthFirst,
        StrategyKind::BreadthFirst,
        StrategyKind::Random,
        StrategyKind::CfgDirected,
        StrategyKind::Generational,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            StrategyKind::Auto => "auto",
            StrategyKind::DepthFirst => "dfs",
            StrategyKind::BreadthFirst => "bfs",
            StrategyKind::Random => "random",
            StrategyKind::CfgDirected => "cfg",
            StrategyKind::Generational => "generational",
        }
    }

    /// A strategy of this kind.
    pub fn build(self, seed: Seed) -> Box<dyn Strategy> {
        let seed = seed.derive("strategy").derive(self.name());
        match self {
            StrategyKind::Auto => Box::new(auto::Auto::new(seed)),
            StrategyKind::DepthFirst => Box::new(depth_first::DepthFirst::default()),
            StrategyKind::BreadthFirst => Box::new(breadth_first::BreadthFirst::default()),
            StrategyKind::Random => Box::new(random_path::RandomPath::new(seed)),
            StrategyKind::CfgDirected => Box::new(cfg_directed::CfgDirected::default()),
            StrategyKind::Generational => Box::new(generational::Generational::default()),
        }
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
        StrategyKind::ALL.iter().copied().find(|kind| kind.name() == name).ok_or(UnknownStrategy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_parse_back() {
        for &kind in StrategyKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(kind.build(Seed(0)).name(), kind.name());
        }
    }
}
