//! What a unit's exploration is to reach, and what became of each part of it.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::{BranchKind, Coverage, Edge, Gap, GoalState, OpenSide, Program, SiteId};

/// The sides of branches that a unit's exploration is to reach.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Goals {
    all: BTreeSet<Edge>,
    uncovered: BTreeSet<Edge>,
    /// What no input takes, with the limits within which that is proved.
    proved: BTreeMap<Edge, BTreeSet<Gap>>,
    /// Sites of checks that were asked for: not to be covered, but worth a few attempts.
    checks: BTreeSet<SiteId>,
}

impl Goals {
    /// Both sides of every branch that the source shows, in these units.
    pub fn of(program: &Program, units: &BTreeSet<usize>) -> Goals {
        let shown = |kind: BranchKind| match kind {
            BranchKind::Condition | BranchKind::Case => true,
            BranchKind::Check(_) | BranchKind::Hidden | BranchKind::Target => false,
        };
        let branches = program.branches.iter();
        let chosen =
            branches.filter(|(_, branch)| shown(branch.kind) && units.contains(&branch.unit));
        let all: BTreeSet<Edge> = chosen
            .flat_map(|(&site, branch)| {
                // That another case was taken says nothing of a case.
                let sides: &[bool] = match branch.kind {
                    BranchKind::Case => &[true],
                    BranchKind::Condition
                    | BranchKind::Check(_)
                    | BranchKind::Hidden
                    | BranchKind::Target => &[false, true],
                };
                sides.iter().map(move |&taken| Edge { site, taken })
            })
            .collect();
        let is_check = |kind: BranchKind| matches!(kind, BranchKind::Check(_));
        let checks = program.branches.iter().filter(|(_, branch)| is_check(branch.kind));
        Goals {
            uncovered: all.clone(),
            proved: BTreeMap::new(),
            checks: checks.map(|(&site, _)| site).collect(),
            all,
        }
    }

    /// Takes off what was covered; returns how many goals that were. A run refutes any proof.
    pub fn cover(&mut self, coverage: &Coverage) -> usize {
        let before = self.uncovered.len() + self.proved.len();
        self.uncovered.retain(|&edge| !coverage.contains(edge));
        self.proved.retain(|&edge, _| !coverage.contains(edge));
        before - self.uncovered.len() - self.proved.len()
    }

    /// Takes off a goal that no input within some limits reaches: proved.
    pub fn give_up(&mut self, edge: Edge, bounds: BTreeSet<Gap>) {
        if self.uncovered.remove(&edge) {
            self.proved.insert(edge, bounds);
        }
    }

    /// Whether an edge belongs to a check that was asked for.
    pub fn is_check(&self, edge: Edge) -> bool {
        self.checks.contains(&edge.site)
    }

    /// How many a run covered.
    pub fn n_covered(&self) -> usize {
        self.all.len() - self.uncovered.len() - self.proved.len()
    }

    /// All goals.
    pub fn all(&self) -> &BTreeSet<Edge> {
        &self.all
    }

    /// Those that are neither covered nor proved infeasible.
    pub fn uncovered(&self) -> &BTreeSet<Edge> {
        &self.uncovered
    }

    /// Every goal with its state, given what is known of the uncovered ones.
    pub fn states(&self, why_open: impl Fn(Edge) -> OpenSide) -> BTreeMap<Edge, GoalState> {
        let state = |&edge: &Edge| {
            let state = if let Some(bounds) = self.proved.get(&edge) {
                GoalState::proved(bounds)
            } else if self.uncovered.contains(&edge) {
                GoalState::Open(why_open(edge))
            } else {
                GoalState::Covered
            };
            (edge, state)
        };
        self.all.iter().map(state).collect()
    }
}
