//! Sides that only failing inputs take: they are covered, but no test takes them.

use super::Tested;
use super::report::{Report, counted, titled};
use std::collections::BTreeSet;
use symcrete_program::{Edge, GoalState};

/// How many of a function's covered sides no test takes.
pub(super) fn count(tested: &Tested) -> usize {
    let tests = tested.suite.kept().filter(|test| test.outcome.is_repeatable());
    let taken: BTreeSet<Edge> = tests.flat_map(|test| test.coverage.edges()).copied().collect();
    let goals = tested.suite.goals.iter();
    let covered = goals.filter(|(_, state)| **state == GoalState::Covered);
    covered.filter(|(edge, _)| !taken.contains(edge)).count()
}

impl Report<'_> {
    /// The functions with such sides.
    pub(super) fn only_failing(&self) -> Vec<String> {
        let line = |tested: &Tested| {
            let n = count(tested);
            let name = &self.program.units[tested.unit].name;
            (n > 0).then(|| format!("  {name}: {}", counted(n, "side")))
        };
        let title = "covered only by inputs that fail";
        titled(title, self.tested.iter().filter_map(line).collect())
    }
}
