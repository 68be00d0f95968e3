//! What a unit's exploration is to reach, and what became of each part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use symcrete_program::{
    Bounds, Branch, BranchKind, Coverage, Edge, Gap, GoalState, OpenSide, Program, SiteId,
};

/// The sides of branches that a unit's exploration is to reach.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Goals {
    all: BTreeSet<Edge>,
    uncovered: BTreeSet<Edge>,
    /// What no input takes, with the limits within which that is proved.
    proved: BTreeMap<Edge, Bounds>,
    /// What no smaller input takes: open again, but this is known.
    proved_before: BTreeMap<Edge, Bounds>,
    /// How many goals a run took although no smaller input does.
    n_for_larger: u64,
    /// Sites of checks that were asked for: not to be covered, but worth a few attempts.
    checks: BTreeSet<SiteId>,
    /// Where the code of a harness's assertions is, …
    assertions: Vec<Range<u32>>,
    /// … and the sides that runs took there.
    asserted: BTreeSet<Edge>,
}

/// Assertions that harnesses call and do not define: no branch of the program shows their condition.
const ASSERTIONS: &[&str] = &[
    "__VERIFIER_assert",
    "__CPROVER_assert",
    "__CPROVER_precondition",
    "__CPROVER_postcondition",
    "__ESBMC_assert",
];

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
        let place = |branch: &Branch| (branch.unit, branch.position);
        let asked = program.branches.values().filter(|branch| is_check(branch.kind));
        let asked: BTreeSet<_> = asked.map(place).collect();
        // A check of several conditions decides some of them before the branch that reports it.
        let is_asked = |branch: &Branch| match branch.kind {
            BranchKind::Check(_) => true,
            BranchKind::Hidden => asked.contains(&place(branch)),
            BranchKind::Condition | BranchKind::Case | BranchKind::Target => false,
        };
        let checks = program.branches.iter().filter(|(_, branch)| is_asked(branch));
        let is_assertion = |name: &str| ASSERTIONS.contains(&name) && program.unit(name).is_none();
        let functions = program.functions.iter();
        let assertions = functions.filter(|(_, name)| is_assertion(name));
        Goals {
            uncovered: all.clone(),
            proved: BTreeMap::new(),
            proved_before: BTreeMap::new(),
            n_for_larger: 0,
            checks: checks.map(|(&site, _)| site).collect(),
            assertions: assertions.map(|(code, _)| code.clone()).collect(),
            asserted: BTreeSet::new(),
            all,
        }
    }

    /// Takes off what was covered; returns how many goals that were. A run refutes any proof.
    pub fn cover(&mut self, coverage: &Coverage) -> usize {
        let before = self.uncovered.len() + self.proved.len();
        if !self.assertions.is_empty() {
            let taken = coverage.edges().iter().filter(|edge| self.is_in_assertion(edge.site));
            let taken: Vec<Edge> = taken.copied().collect();
            self.asserted.extend(taken);
        }
        self.uncovered.retain(|&edge| !coverage.contains(edge));
        self.proved.retain(|&edge, _| !coverage.contains(edge));
        let n_proved_before = self.proved_before.len();
        self.proved_before.retain(|&edge, _| !coverage.contains(edge));
        self.n_for_larger += (n_proved_before - self.proved_before.len()) as u64;
        before - self.uncovered.len() - self.proved.len()
    }

    /// Takes off a goal that no input within some limits reaches: proved.
    pub fn give_up(&mut self, edge: Edge, bounds: Bounds) {
        if self.uncovered.remove(&edge) {
            self.proved.insert(edge, bounds);
        }
    }

    /// Opens again what was proved within one of these limits. The proof is kept.
    pub(crate) fn reopen(&mut self, is_lifted: impl Fn(Gap) -> bool) {
        let is_lifted = |bounds: &Bounds| bounds.gaps().into_iter().any(&is_lifted);
        let (lifted, proved): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.proved).into_iter().partition(|(_, bounds)| is_lifted(bounds));
        self.proved = proved;
        self.uncovered.extend(lifted.keys());
        self.proved_before.extend(lifted);
    }

    /// Takes off what is still open and was proved with smaller inputs: that is what is known of it.
    pub(crate) fn keep_earlier_proofs(&mut self, is_kept: impl Fn(Edge) -> bool) {
        for (edge, bounds) in std::mem::take(&mut self.proved_before) {
            if is_kept(edge) {
                self.give_up(edge, bounds);
            }
        }
    }

    /// The limits of all proofs.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = Gap> {
        self.proved.values().flat_map(Bounds::gaps)
    }

    /// The uncovered goals of which nothing is proved, not even for smaller inputs.
    pub(crate) fn unproved(&self) -> impl Iterator<Item = Edge> {
        let is_unproved = |edge: &&Edge| !self.proved_before.contains_key(edge);
        self.uncovered.iter().filter(is_unproved).copied()
    }

    /// Whether there are such.
    pub(crate) fn has_unproved(&self) -> bool {
        self.unproved().next().is_some()
    }

    /// How many goals only larger inputs took than those that were tried first.
    pub(crate) fn n_for_larger(&self) -> u64 {
        self.n_for_larger
    }

    /// Whether a run took a goal.
    pub(crate) fn is_covered(&self, edge: Edge) -> bool {
        self.all.contains(&edge)
            && !self.uncovered.contains(&edge)
            && !self.proved.contains_key(&edge)
    }

    /// Whether an edge belongs to a check that was asked for.
    pub fn is_check(&self, edge: Edge) -> bool {
        self.checks.contains(&edge.site)
    }

    fn is_in_assertion(&self, site: SiteId) -> bool {
        self.assertions.iter().any(|code| code.contains(&site.offset))
    }

    /// Whether an edge is the side of a harness's assertion that no run has taken: as good as a goal.
    pub fn is_promised(&self, edge: Edge) -> bool {
        self.is_in_assertion(edge.site) && !self.asserted.contains(&edge)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::edge;
    use symcrete_program::Sizes;

    #[test]
    fn what_only_larger_inputs_take_is_counted_once() {
        let (easy, long) = (edge(0), edge(1));
        let all = BTreeSet::from([easy, long]);
        let mut goals = Goals { uncovered: all.clone(), all, ..Goals::default() };
        goals.give_up(
            long,
            Bounds::of([Gap::Length], Sizes { length: 8, depth: 2, bytes: 64, calls: 0 }),
        );
        goals.reopen(|gap| gap == Gap::Length);
        let both: Coverage = [easy, long].into_iter().collect();
        let first: Coverage = [easy].into_iter().collect();
        assert_eq!((goals.cover(&first), goals.n_for_larger()), (1, 0));
        assert_eq!((goals.cover(&both), goals.n_for_larger()), (1, 1));
        assert_eq!((goals.cover(&both), goals.n_for_larger()), (0, 1));
    }
}
