//! From what exploration found to the suite that is handed over: few tests with pleasant values.
//!
//! This is the one place where tests are left out or changed. Whatever comes later only reads the [`Suite`].

mod minimise;
pub mod pleasant;
mod polish;
mod presence;
mod results;

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
            tests = fewest(tests, &goals.keys().copied().collect(), &is_plain);
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
        // What depends on values that no test can give is left as it is.
        let is_certain = |test: &&mut TestCase| !matches!(&test.outcome, Outcome::Trapped(trap) if trap.kind.is_uncertain());
        for test in tests.iter_mut().filter(is_certain) {
            *test = polish.without_wild_floats(test.clone(), executor)?;
        }
        for test in tests.iter_mut().filter(is_certain) {
            *test = polish.polish(test.clone(), executor)?;
            if !(self.is_stopped)() {
                results.look(test, executor)?;
                results.look_at_objects(test, executor)?;
            }
        }
        Ok(Suite { tests, goals, is_exhaustive, ended: Some(ended), spent })
    }
}

/// The tests that are needed for what all cover together, and one for each failure. What plain ones cover, they do: others may
/// cover it in calls whose results nobody looks at.
fn fewest(
    tests: Vec<TestCase>,
    goals: &BTreeSet<Edge>,
    is_plain: &dyn Fn(&TestCase) -> bool,
) -> Vec<TestCase> {
    let mut required: BTreeSet<usize> = suite::bugs(&tests).iter().map(|bug| bug.test).collect();
    let (plain, others): (Vec<usize>, Vec<usize>) =
        (0..tests.len()).partition(|&test| is_plain(&tests[test]));
    if !others.is_empty() {
        let own: Vec<TestCase> = plain.iter().map(|&test| tests[test].clone()).collect();
        required.extend(minimise(&own, goals, &BTreeSet::new()).iter().map(|&test| plain[test]));
    }
    let kept: BTreeSet<usize> = minimise(&tests, goals, &required).into_iter().collect();
    let numbered = tests.into_iter().enumerate();
    numbered.filter(|(i, _)| kept.contains(i)).map(|(_, test)| test).collect()
}
