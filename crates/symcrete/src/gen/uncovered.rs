//! The part of the report that says what is not covered, and why.

use super::folding::Folding;
use super::reasons::Detail;
use super::report::{Report, counted, titled};
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::{Edge, GoalState};

/// How much the reason of one function says about a side, the most first.
type Standing = (bool, u8);

impl Report<'_> {
    /// The sides that no function covers, each with the reason; if they are many, how many have which reason.
    pub(super) fn not_covered(&self, folding: Folding) -> Vec<String> {
        let sides = self.uncovered(Detail::Full);
        if sides.len() <= folding.sides {
            let lines = sides.iter().map(|(edge, why)| format!("  {}: {why}", self.side(*edge)));
            return titled("not covered", lines.collect());
        }
        let sides = self.uncovered(Detail::Common);
        let mut counts: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        for (edge, why) in &sides {
            let branch = self.program.branches.get(&edge.site);
            let unit = branch.map_or(usize::MAX, |branch| branch.unit);
            *counts.entry((unit, why)).or_default() += 1;
        }
        let line = |((unit, why), n): (&(usize, &str), &usize)| {
            let name = self.program.units.get(*unit).map_or("elsewhere", |unit| &unit.name);
            format!("  {name}: {}: {why}", counted(*n, "side"))
        };
        let everywhere = if self.folder.is_some() {
            "-v lists them, as sides.csv does"
        } else {
            "-v lists them"
        };
        let title = format!("{} sides are not covered ({everywhere})", sides.len());
        let by_function: Vec<String> = counts.iter().map(line).collect();
        match by_function.len() > folding.rows {
            true => titled(&title, folding.cut(by_reason(&counts))),
            false => titled(&title, by_function),
        }
    }

    /// Functions that share a callee have each a reason for its sides: the callee's own says most, otherwise the one
    /// that comes nearest to a proof.
    fn uncovered(&self, detail: Detail) -> BTreeMap<Edge, String> {
        let covered = self.covered_somewhere();
        let mut sides: BTreeMap<Edge, (Standing, String)> = BTreeMap::new();
        for tested in self.tested {
            for (&edge, state) in &tested.suite.goals {
                if covered.contains(&edge) {
                    continue;
                }
                let Some(reason) = self.reason(state, detail) else { continue };
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

/// How many sides of how many functions have which reason, the most first.
fn by_reason(counts: &BTreeMap<(usize, &str), usize>) -> Vec<String> {
    let mut reasons: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((_, why), n) in counts {
        let (n_sides, n_functions) = reasons.entry(why).or_default();
        *n_sides += n;
        *n_functions += 1;
    }
    let mut reasons = Vec::from_iter(reasons);
    reasons.sort_by_key(|(_, (n_sides, _))| std::cmp::Reverse(*n_sides));
    let line = |(why, (n_sides, n_functions)): &(&str, (usize, usize))| {
        format!("  {} of {}: {why}", counted(*n_sides, "side"), counted(*n_functions, "function"))
    };
    reasons.iter().map(line).collect()
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
