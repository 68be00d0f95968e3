//! Runs that cover nothing new, but go well together.
//!
//! Tests are kept for what they cover first. Later runs may take the sides of several of them, and a suite of few
//! tests wants them. The first runs that take different goals are remembered, and after those, for each goal, the run that
//! takes it among most others.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::{Coverage, Edge, TestCase};

/// Runs that are remembered because they are different.
const DIFFERENT_MAX: usize = 1024;

/// Runs that have not become tests.
#[derive(Default)]
pub(super) struct Spare {
    /// What the first different runs take.
    seen: BTreeSet<Vec<Edge>>,
    /// Of each goal, how many goals its largest run takes, and that run's number if it is here.
    best: BTreeMap<Edge, (usize, Option<u64>)>,
    /// Those among the first, and the largest.
    different: Vec<TestCase>,
    largest: BTreeMap<u64, TestCase>,
    n_offered: u64,
}

impl Spare {
    /// A run that is a test anyway.
    pub(super) fn note(&mut self, coverage: &Coverage, goals: &BTreeSet<Edge>) {
        let taken = taken(coverage, goals);
        self.improve(&taken, None);
        self.seen.insert(taken);
    }

    /// A run that may be of use.
    pub(super) fn offer(
        &mut self,
        coverage: &Coverage,
        goals: &BTreeSet<Edge>,
        test: impl FnOnce() -> TestCase,
    ) {
        let taken = taken(coverage, goals);
        if self.seen.contains(&taken) {
            return;
        }
        if self.different.len() < DIFFERENT_MAX {
            self.improve(&taken, None);
            self.seen.insert(taken);
            self.different.push(test());
            return;
        }
        self.n_offered += 1;
        if self.improve(&taken, Some(self.n_offered)) {
            self.largest.insert(self.n_offered, test());
            let used: BTreeSet<u64> = self.best.values().filter_map(|(_, run)| *run).collect();
            self.largest.retain(|run, _| used.contains(run));
        }
    }

    /// Whether a run is the largest of one of its goals.
    fn improve(&mut self, taken: &[Edge], run: Option<u64>) -> bool {
        let mut is_better = false;
        for &edge in taken {
            let best = self.best.entry(edge).or_default();
            if taken.len() > best.0 {
                *best = (taken.len(), run);
                is_better = true;
            }
        }
        is_better
    }

    /// The runs, in order.
    pub(super) fn into_tests(self) -> Vec<TestCase> {
        self.different.into_iter().chain(self.largest.into_values()).collect()
    }
}

/// The goals that a run takes, in order.
fn taken(coverage: &Coverage, goals: &BTreeSet<Edge>) -> Vec<Edge> {
    coverage.edges().iter().filter(|edge| goals.contains(edge)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{edge, test};

    fn offer(spare: &mut Spare, numbers: &[u32]) {
        let goals: BTreeSet<Edge> = (0..100).map(edge).collect();
        spare.offer(&test(numbers).coverage, &goals, || test(numbers));
    }

    #[test]
    fn runs_that_take_other_goals_stay() {
        let goals: BTreeSet<Edge> = [1, 2, 3].map(edge).into();
        let mut spare = Spare::default();
        spare.note(&test(&[1]).coverage, &goals);
        offer(&mut spare, &[1, 777]);
        offer(&mut spare, &[1, 2]);
        offer(&mut spare, &[1, 2]);
        assert_eq!(spare.into_tests(), [test(&[1, 2])]);
    }

    #[test]
    fn of_many_runs_the_largest_of_each_goal_stays() {
        let mut spare = Spare::default();
        for i in 0..DIFFERENT_MAX as u32 {
            // Two goals each, no two runs the same.
            offer(&mut spare, &[i % 33, 33 + i / 33]);
        }
        assert_eq!(spare.different.len(), DIFFERENT_MAX);
        offer(&mut spare, &[90, 91]);
        offer(&mut spare, &[90, 91, 92]);
        offer(&mut spare, &[90, 92]);
        assert_eq!(spare.into_tests()[DIFFERENT_MAX..], [test(&[90, 91, 92])]);
    }
}
