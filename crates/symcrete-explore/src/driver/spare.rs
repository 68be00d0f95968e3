//! Runs that cover nothing new, but much at once.
//!
//! Tests are kept for what they cover first. A later run may take the sides of several of them, and a suite of few
//! tests wants it. For each goal the run that takes it among most others is remembered, so there are never more of
//! them than goals.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::{Coverage, Edge, TestCase};

/// The largest run of each goal.
#[derive(Default)]
pub(super) struct Spare {
    /// How many goals it takes, and its number if it is not a test anyway.
    best: BTreeMap<Edge, (usize, Option<u64>)>,
    runs: BTreeMap<u64, TestCase>,
    n_offered: u64,
}

impl Spare {
    /// A run that is a test anyway.
    pub(super) fn note(&mut self, coverage: &Coverage, goals: &BTreeSet<Edge>) {
        self.improve(coverage, goals, None);
    }

    /// A run that may be of use.
    pub(super) fn offer(
        &mut self,
        coverage: &Coverage,
        goals: &BTreeSet<Edge>,
        test: impl FnOnce() -> TestCase,
    ) {
        self.n_offered += 1;
        if self.improve(coverage, goals, Some(self.n_offered)) {
            self.runs.insert(self.n_offered, test());
            let used: BTreeSet<u64> = self.best.values().filter_map(|(_, run)| *run).collect();
            self.runs.retain(|run, _| used.contains(run));
        }
    }

    /// Whether a run is the largest of one of its goals.
    fn improve(&mut self, coverage: &Coverage, goals: &BTreeSet<Edge>, run: Option<u64>) -> bool {
        let taken = || coverage.edges().iter().filter(|edge| goals.contains(edge));
        let n = taken().count();
        let mut is_better = false;
        for &edge in taken() {
            let best = self.best.entry(edge).or_default();
            if n > best.0 {
                *best = (n, run);
                is_better = true;
            }
        }
        is_better
    }

    /// The runs, in order.
    pub(super) fn into_tests(self) -> Vec<TestCase> {
        self.runs.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_program::{Input, Outcome, SiteId};

    fn edges(numbers: &[u32]) -> Vec<Edge> {
        numbers.iter().map(|&number| Edge { site: SiteId::at(number), taken: true }).collect()
    }

    fn test(numbers: &[u32]) -> TestCase {
        TestCase {
            input: Input::default(),
            drawn: Vec::new(),
            outcome: Outcome::Returned(Vec::new()),
            changes: Vec::new(),
            coverage: edges(numbers).into_iter().collect(),
        }
    }

    #[test]
    fn the_largest_run_of_each_goal_stays() {
        let goals: BTreeSet<Edge> = edges(&[1, 2, 3]).into_iter().collect();
        let mut spare = Spare::default();
        let offer = |spare: &mut Spare, numbers: &[u32]| {
            spare.offer(&test(numbers).coverage, &goals, || test(numbers));
        };
        spare.note(&test(&[1]).coverage, &goals);
        spare.note(&test(&[2]).coverage, &goals);
        offer(&mut spare, &[1, 77]);
        assert!(spare.runs.is_empty(), "what is no goal does not count");
        offer(&mut spare, &[1, 2]);
        offer(&mut spare, &[1, 3]);
        offer(&mut spare, &[1, 2, 3]);
        offer(&mut spare, &[1, 2, 3]);
        assert_eq!(spare.into_tests(), [test(&[1, 2, 3])]);
    }
}
