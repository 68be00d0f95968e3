//! The goals of a unit's exploration, and what became of each.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use symcrete_program::library::is_harness_assertion;
use symcrete_program::{
    Bounds, Branch, BranchKind, Coverage, Edge, Gap, GoalState, OpenSide, Program, SiteId,
};

/// The sides of branches that a unit's exploration is to reach.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Goals {
    all: BTreeSet<Edge>,
    uncovered: BTreeSet<Edge>,
    /// What a test is looked for: the uncovered ones, and those that only failing runs took.
    wanted: BTreeSet<Edge>,
    /// Sides after which no run returns, whatever the input: a failing run is all that can take them.
    dead_ends: BTreeSet<Edge>,
    /// Sides that no input takes, with the bounds of the proof.
    proved: BTreeMap<Edge, Bounds>,
    /// Sides that no smaller input takes: open again, with the earlier proof.
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
                // That another case was taken says nothing about this one.
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
        let is_assertion = |name: &str| is_harness_assertion(name) && program.unit(name).is_none();
        let functions = program.functions.iter();
        let assertions = functions.filter(|(_, name)| is_assertion(name));
        Goals {
            uncovered: all.clone(),
            wanted: all.clone(),
            dead_ends: BTreeSet::new(),
            proved: BTreeMap::new(),
            proved_before: BTreeMap::new(),
            n_for_larger: 0,
            checks: checks.map(|(&site, _)| site).collect(),
            assertions: assertions.map(|(code, _)| code.clone()).collect(),
            asserted: BTreeSet::new(),
            all,
        }
    }

    /// Notes after which goals no run returns. No test is looked for where a failing run has taken one of these.
    pub fn set_dead_ends(&mut self, is_dead_end: impl Fn(Edge) -> bool) {
        self.dead_ends = self.all.iter().copied().filter(|&edge| is_dead_end(edge)).collect();
    }

    /// Takes off what a run covered; returns how many goals it is the first to take, or the first to take as a test. A run
    /// refutes any proof.
    pub fn cover(&mut self, coverage: &Coverage, is_test: bool) -> usize {
        let n_left = |goals: &Goals| {
            goals.proved.len() + if is_test { goals.wanted.len() } else { goals.uncovered.len() }
        };
        let before = n_left(self);
        if !self.assertions.is_empty() {
            let taken = coverage.edges().iter().filter(|edge| self.is_in_assertion(edge.site));
            let taken: Vec<Edge> = taken.copied().collect();
            self.asserted.extend(taken);
        }
        self.uncovered.retain(|&edge| !coverage.contains(edge));
        let refuted = self.proved.extract_if(.., |&edge, _| coverage.contains(edge));
        let refuted: Vec<Edge> = refuted.map(|(edge, _)| edge).collect();
        match is_test {
            true => self.wanted.retain(|&edge| !coverage.contains(edge)),
            false => {
                self.wanted.extend(refuted);
                let dead_ends = &self.dead_ends;
                self.wanted.retain(|edge| !coverage.contains(*edge) || !dead_ends.contains(edge));
            }
        }
        let n_proved_before = self.proved_before.len();
        self.proved_before.retain(|&edge, _| !coverage.contains(edge));
        self.n_for_larger += (n_proved_before - self.proved_before.len()) as u64;
        before - n_left(self)
    }

    /// Closes a goal that provably no input within some bounds reaches.
    pub fn give_up(&mut self, edge: Edge, bounds: Bounds) {
        if self.uncovered.remove(&edge) {
            self.wanted.remove(&edge);
            self.proved.insert(edge, bounds);
        }
    }

    /// Notes what an earlier search said of a goal. If only inputs of a limited size do not take it, it stays open, since inputs
    /// may grow further, but the proof is kept.
    pub fn take_over(&mut self, edge: Edge, state: &GoalState) {
        match state {
            GoalState::Infeasible => self.give_up(edge, Bounds::default()),
            GoalState::WithinBounds(bounds) if bounds.gaps().into_iter().any(Gap::is_of_size) => {
                if self.uncovered.contains(&edge) {
                    self.proved_before.insert(edge, bounds.clone());
                }
            }
            GoalState::WithinBounds(bounds) => self.give_up(edge, bounds.clone()),
            GoalState::Covered | GoalState::Open(_) => {}
        }
    }

    /// Reopens goals that were proved within one of these bounds. The proof is kept.
    pub(crate) fn reopen(&mut self, is_lifted: impl Fn(Gap) -> bool) {
        let is_lifted = |bounds: &Bounds| bounds.gaps().into_iter().any(&is_lifted);
        let (lifted, proved): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.proved).into_iter().partition(|(_, bounds)| is_lifted(bounds));
        self.proved = proved;
        self.uncovered.extend(lifted.keys());
        self.wanted.extend(lifted.keys());
        self.proved_before.extend(lifted);
    }

    /// Closes open goals that were proved with smaller inputs, with that proof.
    pub(crate) fn keep_earlier_proofs(&mut self, is_kept: impl Fn(Edge) -> bool) {
        for (edge, bounds) in std::mem::take(&mut self.proved_before) {
            if is_kept(edge) {
                self.give_up(edge, bounds);
            }
        }
    }

    /// The bounds of all proofs.
    pub(crate) fn bounds(&self) -> impl Iterator<Item = Gap> {
        self.proved.values().flat_map(Bounds::gaps)
    }

    /// The uncovered goals without any proof, not even for smaller inputs.
    pub(crate) fn unproved(&self) -> impl Iterator<Item = Edge> {
        let is_unproved = |edge: &&Edge| !self.proved_before.contains_key(edge);
        self.uncovered.iter().filter(is_unproved).copied()
    }

    /// Whether there are such.
    pub(crate) fn has_unproved(&self) -> bool {
        self.unproved().next().is_some()
    }

    /// How many goals only larger inputs took.
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

    /// Those that no test takes and that are not proved infeasible: the uncovered ones, and those that only failing runs took.
    pub fn wanted(&self) -> &BTreeSet<Edge> {
        &self.wanted
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
        let mut goals =
            Goals { uncovered: all.clone(), wanted: all.clone(), all, ..Goals::default() };
        goals.give_up(
            long,
            Bounds::of([Gap::Length], Sizes { length: 8, depth: 2, bytes: 64, calls: 0 }),
        );
        goals.reopen(|gap| gap == Gap::Length);
        let both: Coverage = [easy, long].into_iter().collect();
        let first: Coverage = [easy].into_iter().collect();
        assert_eq!((goals.cover(&first, true), goals.n_for_larger()), (1, 0));
        assert_eq!((goals.cover(&both, true), goals.n_for_larger()), (1, 1));
        assert_eq!((goals.cover(&both, true), goals.n_for_larger()), (0, 1));
    }

    #[test]
    fn a_test_is_looked_for_where_a_failing_run_was_first() {
        let [passes, fails, dead_end] = [edge(0), edge(1), edge(2)];
        let all = BTreeSet::from([passes, fails, dead_end]);
        let mut goals =
            Goals { uncovered: all.clone(), wanted: all.clone(), all, ..Goals::default() };
        goals.set_dead_ends(|edge| edge == dead_end);
        let every: Coverage = [passes, fails, dead_end].into_iter().collect();
        let first: Coverage = [passes].into_iter().collect();
        assert_eq!(goals.cover(&first, true), 1);
        assert_eq!(goals.cover(&every, false), 2);
        assert_eq!(goals.n_covered(), 3);
        assert_eq!(*goals.wanted(), BTreeSet::from([fails]));
        assert_eq!(goals.cover(&every, false), 0);
        assert_eq!(goals.cover(&every, true), 1);
        assert!(goals.wanted().is_empty());
    }

    #[test]
    fn a_failing_run_refutes_a_proof() {
        let side = edge(0);
        let all = BTreeSet::from([side]);
        let mut goals =
            Goals { uncovered: all.clone(), wanted: all.clone(), all, ..Goals::default() };
        goals.give_up(side, Bounds::default());
        assert!(goals.wanted().is_empty());
        assert_eq!(goals.cover(&[side].into_iter().collect(), false), 1);
        assert!(goals.is_covered(side) && goals.wanted().contains(&side));
    }
}
