//! Why a branch side stayed uncovered.

use super::proof::Way;
use crate::driver::{Ended, Explored, Limits};
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
    too_deep: u32,
    unresolved: BTreeMap<String, u32>,
}

impl Tally {
    fn is_done(&self) -> bool {
        self.open + self.diverged + self.too_deep == 0 && self.unresolved.is_empty()
    }
}

/// The state of every uncovered goal.
pub(super) fn reasons(
    tree: &Tree,
    goals: &Goals,
    explored: &Explored,
    limits: &Limits<'_>,
    way_to: &dyn Fn(Edge) -> Option<Way>,
) -> BTreeMap<Edge, GoalState> {
    let mut tallies: BTreeMap<Edge, Tally> = BTreeMap::new();
    for (flip, state) in tree.sides() {
        let tally = tallies.entry(tree.edge(flip)).or_default();
        match state {
            FlipState::Open => tally.open += 1,
            FlipState::Infeasible => tally.infeasible += 1,
            FlipState::Diverged => tally.diverged += 1,
            FlipState::TooDeep => tally.too_deep += 1,
            FlipState::Unresolved(why) => {
                *tally.unresolved.entry(why.to_string()).or_insert(0) += 1;
            }
            FlipState::Covered | FlipState::Pinned => {}
        }
    }
    let no_path = no_path(explored, limits);
    let end = end(explored.ended);
    let state = |&edge: &Edge| {
        let other = Edge { site: edge.site, taken: !edge.taken };
        let tally = tallies.get(&edge);
        let why = match tally {
            Some(tally) => reason(tally, limits, end).unwrap_or_else(|| no_path.clone()),
            None if explored.coverage.contains(other) => {
                "reached, but its condition did not depend on the input".to_string()
            }
            None => no_path.clone(),
        };
        // Where all was tried that is known of a side, it takes more to say why that is no proof.
        let way = tally.is_none_or(Tally::is_done).then(|| way_to(edge)).flatten();
        (edge, GoalState::Open(and_way(why, way)))
    };
    goals.uncovered().iter().map(state).collect()
}

/// What is known, and what else may lead to a side.
fn and_way(known: String, way: Option<Way>) -> String {
    match way {
        None | Some(Way::Side) => known,
        Some(way) => format!("{known}; {way}"),
    }
}

/// What cut the search short, to be said after what had not been done by then.
fn end(ended: Ended) -> &'static str {
    match ended {
        Ended::Covered | Ended::NothingLeft => "",
        Ended::Iterations => " when the runs were used up (--iterations)",
        Ended::Time => " when time was up (--time)",
        Ended::Interrupted => " when it was interrupted",
    }
}

/// Why nothing came near a side.
fn no_path(explored: &Explored, limits: &Limits<'_>) -> String {
    let stats = &explored.stats;
    let n = stats.out_of_fuel;
    let cut_off = match n {
        0 => String::new(),
        _ => format!("; {} did not end within {} branches (--fuel)", runs(n), limits.fuel),
    };
    match (explored.ended, stats.executions) {
        (Ended::Time | Ended::Interrupted, 0 | 1) => {
            format!("nothing but the first input had been run{}", end(explored.ended))
        }
        (Ended::Covered | Ended::NothingLeft, _) => format!("no path led to it{cut_off}"),
        (ended, _) => format!("no path had led to it{}{cut_off}", end(ended)),
    }
}

fn runs(n: u64) -> String {
    if n == 1 { "1 run".to_string() } else { format!("{n} runs") }
}

fn paths(n: u32) -> String {
    if n == 1 { "1 path".to_string() } else { format!("{n} paths") }
}

/// The strongest of what is known; `None` if that is nothing.
fn reason(tally: &Tally, limits: &Limits<'_>, end: &str) -> Option<String> {
    let common = tally.unresolved.iter().max_by_key(|(_, n)| **n);
    Some(match (common, tally) {
        (Some((why, n)), _) => format!("the solver could not decide it on {}: {why}", paths(*n)),
        (None, Tally { diverged: n @ 1.., .. }) => {
            format!("inputs that should take it went elsewhere on {}", paths(*n))
        }
        (None, Tally { open: n @ 1.., .. }) => {
            format!("{} to it had not been tried{end}", paths(*n))
        }
        (None, Tally { too_deep: n @ 1.., .. }) => {
            format!(
                "{} to it, each behind more than {} conditions (--depth)",
                paths(*n),
                limits.depth
            )
        }
        (None, Tally { infeasible: 1, .. }) => "infeasible on the one path that was tried".into(),
        (None, Tally { infeasible: n @ 2.., .. }) => {
            format!("infeasible on all {n} paths that were tried")
        }
        (None, Tally { .. }) => return None,
    })
}
