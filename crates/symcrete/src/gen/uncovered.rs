//! The part of the report that says what is not covered, and why.

use super::report::{Report, titled};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::{Edge, GoalState};

/// More sides than these are counted, unless the user wants them all.
const SIDES_SHOWN: usize = 24;

/// How much the reason of one function says of a side, the most first.
type Standing = (bool, u8);

impl Report<'_> {
    /// The sides that no function covers, each with the reason; if they are many, how many have which reason.
    pub(super) fn not_covered(&self) -> Vec<String> {
        let sides = self.uncovered();
        if self.is_verbose || sides.len() <= SIDES_SHOWN {
            let lines = sides.iter().map(|(edge, why)| format!("  {}: {why}", self.side(*edge)));
            return titled("not covered", lines.collect());
        }
        let mut counts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for (edge, why) in &sides {
            let branch = self.program.branches.get(&edge.site);
            let unit = branch.map_or(usize::MAX, |branch| branch.unit);
            *counts.entry((unit, why)).or_default() += 1;
        }
        let line = |((unit, why), n): (&(usize, &str), &usize)| {
            let name = self.program.units.get(*unit).map_or("elsewhere", |unit| &unit.name);
            let sides = if *n == 1 { "1 side".to_string() } else { format!("{n} sides") };
            format!("  {name}: {sides}: {why}")
        };
        let everywhere = if self.folder.is_some() {
            "-v lists them, as sides.csv does"
        } else {
            "-v lists them"
        };
        let title = format!("{} sides are not covered ({everywhere})", sides.len());
        titled(&title, counts.iter().map(line).collect())
    }

    /// Functions that share a callee have each a reason for its sides: the callee's own says most, otherwise the one
    /// that comes nearest to a proof.
    fn uncovered(&self) -> BTreeMap<Edge, String> {
        let covered = self.covered_somewhere();
        let mut sides: BTreeMap<Edge, (Standing, String)> = BTreeMap::new();
        for tested in self.tested {
            for (&edge, state) in &tested.suite.goals {
                if covered.contains(&edge) {
                    continue;
                }
                let Some(reason) = self.reason(state) else { continue };
                let branch = self.program.branches.get(&edge.site);
                let is_own = branch.is_some_and(|branch| branch.unit == tested.unit);
                let standing = (!is_own, nearness(state));
                let best = sides.entry(edge).or_insert_with(|| (standing, reason.clone()));
                if standing < best.0 {
                    *best = (standing, reason);
                }
            }
        }
        sides.into_iter().map(|(edge, (_, why))| (edge, why)).collect()
    }

    fn covered_somewhere(&self) -> BTreeSet<Edge> {
        let goals = self.tested.iter().flat_map(|tested| &tested.suite.goals);
        goals.filter(|(_, state)| **state == GoalState::Covered).map(|(edge, _)| *edge).collect()
    }
}

/// How near a state is to an answer that holds for every function: what is open somewhere is open.
fn nearness(state: &GoalState) -> u8 {
    match state {
        GoalState::Open(_) => 0,
        GoalState::WithinBounds(_) => 1,
        GoalState::Infeasible => 2,
        GoalState::Covered => 3,
    }
}
