//! Makes the final suite from what exploration found: few tests with readable values.
//!
//! This is the only place where tests are dropped or changed. Everything later only reads the [`Suite`].

mod minimise;
pub mod pleasant;
mod polish;
mod presence;
mod results;
mod room;

use crate::explorer::Explored;
use minimise::minimise;
use polish::{Keep, Polish};
use results::Results;
use std::collections::BTreeSet;
use symcrete_exec::{ExecError, Executor};
use symcrete_program::{Edge, Outcome, Program, Spent, Suite, TestCase, suite};

/// How a suite is made.
pub struct Tidying<'a> {
    /// The program.
    pub program: &'a Program,
    /// Sites that one run may pass.
    pub fuel: u64,
    /// Keep a test for every path, not only those that are needed to cover what is covered.
    pub keep_all: bool,
    /// Whether to leave tests as they are from now on.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// Whether to leave even what is undefined on other machines, for which there is more time.
    pub is_interrupted: &'a dyn Fn() -> bool,
}

impl Tidying<'_> {
    /// The suite of what was found. Tests cover as much as before and fail as before.
    pub fn suite(
        &self,
        explored: Explored,
        spent: Spent,
        executor: &mut dyn Executor,
    ) -> Result<Suite, ExecError> {
        let Explored { shape, mut tests, spare, goals, is_exhaustive, ended, .. } = explored;
        if !self.keep_all {
            tests.extend(spare);
            let driver = self.program.driver(shape.entered);
            let is_plain = |test: &TestCase| {
                let mut first = driver.iter().flat_map(|d| d.first_calls(&test.input, shape.sizes));
                first.next().is_none()
            };
            tests = fewest(tests, &goals.keys().copied().collect(), is_plain);
        }
        let polish = Polish {
            program: self.program,
            shape: &shape,
            fuel: self.fuel,
            keep: if self.keep_all { Keep::Path } else { Keep::Sides },
            is_stopped: self.is_stopped,
            is_interrupted: self.is_interrupted,
        };
        let results = Results { program: self.program, shape: &shape, fuel: self.fuel };
        // Tests that depend on values that no test can provide stay unchanged.
        let is_certain = |test: &&mut TestCase| !matches!(&test.outcome, Outcome::Trapped(trap) if trap.kind.is_uncertain());
        for test in tests.iter_mut().filter(is_certain) {
            *test = polish.without_wild_floats(test.clone(), executor)?;
        }
        let mut failures: Vec<TestCase> = Vec::new();
        for test in tests.iter_mut().filter(is_certain) {
            *test = polish.polish(test.clone(), executor)?;
            let shown;
            (*test, shown) = polish.without_spare_room(test.clone(), executor)?;
            failures.extend(shown);
            if !(self.is_stopped)() {
                results.look(test, executor)?;
                results.look_at_objects(test, executor)?;
            }
        }
        for failure in failures {
            if !tests.iter().any(|test| test.outcome == failure.outcome) {
                tests.push(failure);
            }
        }
        Ok(Suite { tests, goals, is_exhaustive, ended: Some(ended), spent })
    }
}

/// The tests that are needed for what all cover together, and one for each failure. What those can cover that become tests, they
/// do, and failing runs only what is left. Among tests plain ones come first: others may cover it in calls whose results nobody
/// looks at.
fn fewest(
    tests: Vec<TestCase>,
    goals: &BTreeSet<Edge>,
    is_plain: impl Fn(&TestCase) -> bool,
) -> Vec<TestCase> {
    let is_repeatable = |test: &TestCase| test.outcome.is_repeatable();
    let plain = |test: &TestCase| is_repeatable(test) && is_plain(test);
    let mut kept = minimise(&tests, goals, &BTreeSet::new(), plain);
    kept = minimise(&tests, goals, &kept, is_repeatable);
    kept.extend(suite::bugs(&tests).iter().map(|bug| bug.test));
    kept = minimise(&tests, goals, &kept, |_| true);
    let numbered = tests.into_iter().enumerate();
    numbered.filter(|(i, _)| kept.contains(i)).map(|(_, test)| test).collect()
}
