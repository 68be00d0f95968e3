//! Why a branch side stayed uncovered.

use super::proof::{Claim, Way};
use crate::driver::{Ended, Explored, Limits};
use crate::goals::{GoalState, Goals};
use crate::tree::{FlipState, Tree};
use std::collections::BTreeMap;
use symcrete_program::{Coverage, Edge, Gap};

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

/// What was found, and under which limits.
pub(super) struct Run<'a> {
    pub(super) explored: &'a Explored,
    /// What only runs took that are no tests.
    pub(super) uncounted: &'a Coverage,
    /// What of that runs took whose way depended on a value that nobody had written.
    pub(super) unpredictable: &'a Coverage,
    pub(super) limits: &'a Limits<'a>,
}

/// The state of every uncovered goal.
pub(super) fn reasons(
    tree: &Tree,
    goals: &Goals,
    run: &Run<'_>,
    claim: &dyn Fn(Edge) -> Claim,
) -> BTreeMap<Edge, GoalState> {
    let mut tallies: BTreeMap<Edge, Tally> = BTreeMap::new();
    for (flip, state) in tree.sides() {
        let tally = tallies.entry(tree.edge(flip)).or_default();
        match state {
            FlipState::Open => tally.open += 1,
            FlipState::Infeasible | FlipState::Bounded(_) => tally.infeasible += 1,
            FlipState::Diverged => tally.diverged += 1,
            FlipState::TooDeep => tally.too_deep += 1,
            FlipState::Unresolved(why) => {
                *tally.unresolved.entry(why.to_string()).or_insert(0) += 1;
            }
            FlipState::Covered | FlipState::Pinned => {}
        }
    }
    let &Run { explored, uncounted, unpredictable, limits } = run;
    let no_path = no_path(explored, limits);
    let end = end(explored, limits);
    let state = |&edge: &Edge| {
        let other = Edge { site: edge.site, taken: !edge.taken };
        let tally = tallies.get(&edge);
        let why = match tally {
            _ if unpredictable.contains(edge) => {
                "taken only by runs that depend on an uninitialised value".to_string()
            }
            _ if uncounted.contains(edge) => only_uncounted(explored, limits),
            Some(tally) => reason(tally, limits, &end).unwrap_or_else(|| no_path.clone()),
            None if explored.coverage.contains(other) => {
                "reached, but its condition did not depend on the input".to_string()
            }
            None => no_path.clone(),
        };
        // Where all was tried that is known of a side, it takes more to say why that is no proof.
        let claim = tally.is_none_or(Tally::is_done).then(|| claim(edge));
        // A search that was stopped says so already.
        let is_said = |claim: &Claim| {
            let is_cut_off = *claim == Claim::Open(Way::Gap(Gap::CutOff));
            is_cut_off && !matches!(explored.ended, Ended::Covered | Ended::NothingLeft)
        };
        (edge, GoalState::Open(and_claim(why, claim.filter(|claim| !is_said(claim)))))
    };
    goals.uncovered().iter().map(state).collect()
}

/// What is known, and what else may lead to a side.
fn and_claim(known: String, claim: Option<Claim>) -> String {
    match claim {
        Some(Claim::Open(Way::Gap(gap))) => format!("{known}; {gap}"),
        None | Some(Claim::Open(Way::Side) | Claim::Infeasible(_)) => known,
    }
}

/// Why a side is not covered that a run took.
fn only_uncounted(explored: &Explored, limits: &Limits<'_>) -> String {
    let stats = &explored.stats;
    match stats.out_of_patience {
        0 if stats.rejected > 0 => "taken only by runs that break an assumption".to_string(),
        0 if stats.not_followed > 0 => {
            "taken only by runs that go on in a way that cannot be followed".to_string()
        }
        0 if stats.nan_bits > 0 => {
            "taken only by runs that depend on the bits of a computed NaN".to_string()
        }
        0 => "taken only by runs that end at a null pointer".to_string(),
        _ => format!("taken only by runs that are no tests{}", end(explored, limits)),
    }
}

/// What cut the search short, to be said after what had not been done by then.
fn end(explored: &Explored, limits: &Limits<'_>) -> String {
    let time = format!(" when time was up ({})", limits.time_option);
    let end = match explored.ended {
        Ended::Covered | Ended::NothingLeft => "",
        Ended::Iterations => " when the runs were used up (--iterations)",
        Ended::Time => &time,
        Ended::Interrupted => " when it was interrupted",
    };
    let stopped = match explored.stats.out_of_patience {
        0 => "",
        _ => ", during a run that had not ended",
    };
    format!("{end}{stopped}")
}

/// Why nothing came near a side.
fn no_path(explored: &Explored, limits: &Limits<'_>) -> String {
    let stats = &explored.stats;
    let n = stats.out_of_fuel;
    let cut_off = match n {
        0 => String::new(),
        _ => format!("; {} did not end within {} branches (--fuel)", runs(n), limits.fuel),
    };
    let end = end(explored, limits);
    match (explored.ended, stats.executions) {
        (Ended::Time | Ended::Interrupted, 0 | 1) => {
            format!("no input but the first had been tried{end}")
        }
        (Ended::Covered | Ended::NothingLeft, _) => format!("no path led to it{cut_off}"),
        (_, _) => format!("no path had led to it{end}{cut_off}"),
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
        (None, Tally { infeasible: n @ 1.., .. }) => {
            let which = if *n == 1 { "the one path".into() } else { format!("all {n} paths") };
            match end {
                "" => format!("infeasible on {which} that led to it"),
                _ => format!("infeasible on {which} that had led to it{end}"),
            }
        }
        (None, Tally { .. }) => return None,
    })
}
