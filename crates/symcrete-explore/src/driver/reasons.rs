//! Why a branch side stayed uncovered.

use crate::driver::Explored;
use crate::goals::{GoalState, Goals};
use crate::tree::{FlipState, Tree};
use std::collections::BTreeMap;
use symcrete_program::Edge;

/// What the tree knows of one edge.
#[derive(Default)]
struct Tally {
    open: u32,
    infeasible: u32,
    diverged: u32,
    unresolved: BTreeMap<String, u32>,
}

/// The state of every uncovered goal.
pub(super) fn reasons(
    tree: &Tree,
    goals: &Goals,
    explored: &Explored,
) -> BTreeMap<Edge, GoalState> {
    let mut tallies: BTreeMap<Edge, Tally> = BTreeMap::new();
    for (flip, state) in tree.sides() {
        let tally = tallies.entry(tree.edge(flip)).or_default();
        match state {
            FlipState::Open => tally.open += 1,
            FlipState::Infeasible => tally.infeasible += 1,
            FlipState::Diverged => tally.diverged += 1,
            FlipState::Unresolved(why) => {
                *tally.unresolved.entry(why.to_string()).or_insert(0) += 1;
            }
            FlipState::Covered | FlipState::Pinned => {}
        }
    }
    let state = |&edge: &Edge| {
        let other = Edge { site: edge.site, taken: !edge.taken };
        let is_reached = explored.coverage.contains(other);
        (edge, GoalState::Open(reason(tallies.get(&edge), is_reached)))
    };
    goals.uncovered().iter().map(state).collect()
}

fn reason(tally: Option<&Tally>, is_reached: bool) -> String {
    let Some(tally) = tally else {
        return match is_reached {
            true => "reached, but its condition did not depend on the input".to_string(),
            false => "no path led to it".to_string(),
        };
    };
    let common = tally.unresolved.iter().max_by_key(|(_, n)| **n);
    match (common, tally) {
        (Some((why, n)), _) => format!("the solver could not decide it on {n} paths: {why}"),
        (None, Tally { diverged: n @ 1.., .. }) => {
            format!("{n} inputs that should take it went elsewhere")
        }
        (None, Tally { open: n @ 1.., .. }) => format!("{n} paths to it were not tried yet"),
        (None, Tally { infeasible: n @ 1.., .. }) => {
            format!("infeasible on all {n} paths that were tried")
        }
        (None, Tally { .. }) => "no path led to it".to_string(),
    }
}
