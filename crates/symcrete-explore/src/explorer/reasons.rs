//! Why a branch side stayed uncovered.

use super::fuel::Fuel;
use super::proof::{Claim, Way};
use crate::explorer::{Explored, Limits};
use crate::tree::{FlipState, Tree};
use std::collections::BTreeMap;
use symcrete_program::{Coverage, Edge, End, Ended, Gap, OpenSide, Reason, Stop};

/// What the tree knows of one edge.
#[derive(Default)]
pub(super) struct Tally {
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

/// What the tree knows of every edge that it has.
pub(super) fn tallies(tree: &Tree) -> BTreeMap<Edge, Tally> {
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
    tallies
}

/// What was found, and under which limits.
pub(super) struct Reasons<'a> {
    pub(super) tallies: &'a BTreeMap<Edge, Tally>,
    pub(super) explored: &'a Explored,
    /// Sides that only rejected runs took.
    pub(super) uncounted: &'a Coverage,
    /// What of that runs took whose path depended on an uninitialised value.
    pub(super) unpredictable: &'a Coverage,
    pub(super) limits: &'a Limits<'a>,
    pub(super) fuel: &'a Fuel,
}

impl Reasons<'_> {
    /// Why a goal is uncovered, given what the ways that are left say of goals.
    pub(super) fn of(&self, goal: Edge, claim: &dyn Fn(Edge) -> Claim) -> OpenSide {
        let other = Edge { site: goal.site, taken: !goal.taken };
        let tally = self.tallies.get(&goal);
        let reason = match tally {
            _ if self.unpredictable.contains(goal) => Reason::OnlyUninitialized,
            _ if self.uncounted.contains(goal) => self.only_uncounted(),
            Some(tally) => self.of_tally(tally).unwrap_or_else(|| self.no_path()),
            None if self.explored.coverage.contains(other) => Reason::NotSymbolic,
            None => self.no_path(),
        };
        // Where all was tried that is known of a side, it takes more to say why that is no proof.
        let claim = tally.is_none_or(Tally::is_done).then(|| claim(goal));
        OpenSide { reason, gap: claim.and_then(|claim| self.gap(&claim)) }
    }

    /// What else may lead to a side.
    fn gap(&self, claim: &Claim) -> Option<Gap> {
        match *claim {
            // A search that was stopped says so already.
            Claim::Open(Way::Gap(Gap::CutOff)) if self.end().stop.is_some() => None,
            Claim::Open(Way::Gap(gap)) => Some(gap),
            Claim::Open(Way::Side) | Claim::Infeasible(_) => None,
        }
    }

    /// Why a side is not covered that a run took.
    fn only_uncounted(&self) -> Reason {
        let stats = &self.explored.stats;
        match stats.out_of_time {
            0 if stats.rejected > 0 => Reason::OnlyRejected,
            0 if stats.not_followed > 0 => Reason::OnlyNotFollowed,
            0 if stats.nan_bits > 0 => Reason::OnlyNanBits,
            0 if stats.shared > 0 => Reason::OnlyShared,
            0 => Reason::OnlyNull,
            _ => Reason::OnlyStopped(self.end()),
        }
    }

    fn end(&self) -> End {
        let stop = match self.explored.ended {
            Ended::Covered | Ended::NothingLeft => None,
            Ended::Iterations => Some(Stop::Iterations),
            Ended::Time => Some(Stop::Time(self.limits.time_limit)),
            Ended::Interrupted => Some(Stop::Interrupted),
        };
        End { stop, is_within_run: self.explored.stats.out_of_time > 0 }
    }

    /// Why nothing came near a side.
    fn no_path(&self) -> Reason {
        let (stats, end) = (&self.explored.stats, self.end());
        match (end.stop, stats.executions) {
            (Some(Stop::Time(_) | Stop::Interrupted), 0 | 1) => Reason::OnlyFirstInput(end),
            (_, _) => {
                let fuel = self.fuel.least_cut().unwrap_or(self.limits.fuel);
                Reason::NoPath { end, out_of_fuel: stats.out_of_fuel, fuel }
            }
        }
    }

    /// The strongest of what is known; `None` if that is nothing.
    fn of_tally(&self, tally: &Tally) -> Option<Reason> {
        let end = self.end();
        let common = tally.unresolved.iter().max_by_key(|(_, n)| **n);
        Some(match (common, tally) {
            (Some((why, &paths)), _) => Reason::Undecided { paths, why: why.clone() },
            (None, &Tally { diverged: paths @ 1.., .. }) => Reason::Diverged { paths },
            (None, &Tally { open: paths @ 1.., .. }) => Reason::NotTried { paths, end },
            (None, &Tally { too_deep: paths @ 1.., .. }) => {
                Reason::TooDeep { paths, depth: self.limits.depth }
            }
            (None, &Tally { infeasible: paths @ 1.., .. }) => {
                Reason::InfeasibleSoFar { paths, end }
            }
            (None, Tally { .. }) => return None,
        })
    }
}
