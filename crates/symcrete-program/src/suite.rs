//! The result of exploration: tests, and what became of every side that they should take.
//!
//! A [`Suite`] is made once, from the result of a search. The files of a unit, the native proof, reports and a later run
//! that continues the search all start from it.

use crate::bounds::Bounds;
use crate::coverage::Coverage;
use crate::image::CellKind;
use crate::input::Input;
use crate::noted::NotedCall;
use crate::outcome::{Outcome, TrapKind};
use crate::reason::OpenSide;
use crate::site::{Edge, SiteId};
use std::collections::BTreeMap;
use symcrete_term::Value;

/// What is known of one unit.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Suite {
    /// The tests, in the order in which they are written.
    pub tests: Vec<TestCase>,
    /// What became of each goal; while the search runs, only those that are proved infeasible.
    pub goals: BTreeMap<Edge, GoalState>,
    /// Whether every path was run or proved infeasible.
    pub is_exhaustive: bool,
    /// Why the search ended; `None` while it runs.
    pub ended: Option<Ended>,
    /// The effort of the search, including earlier runs with the same question.
    pub spent: Spent,
}

/// What became of one side of one branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GoalState {
    /// A test takes it.
    Covered,
    /// No input takes it: proved.
    Infeasible,
    /// No input within these limits takes it: proved. One beyond them may.
    WithinBounds(Bounds),
    /// No input is known, for this reason.
    Open(OpenSide),
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All goals are covered.
    Covered,
    /// No branch is left to flip.
    NothingLeft,
    /// The limit of runs was reached.
    Iterations,
    /// The time limit was reached.
    Time,
    /// The user interrupted it.
    Interrupted,
}

/// The effort of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spent {
    /// Runs with a path condition.
    pub executions: u64,
    /// Fast runs without.
    pub burst_runs: u64,
    /// Path conditions to decide.
    pub queries: u64,
    /// How many of these reached a solver.
    pub solver_calls: u64,
}

/// A way to make the program fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug {
    /// What happens.
    pub kind: TrapKind,
    /// Where, if the machine knows.
    pub site: Option<SiteId>,
    /// The first test that shows it, by index.
    pub test: usize,
}

/// One run worth keeping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestCase {
    /// The input of the unit, with every cell of the run.
    pub input: Input,
    /// What the program asked for while it ran, in order.
    pub drawn: Vec<Drawn>,
    /// How it ended.
    pub outcome: Outcome,
    /// Its changes in memory that a test can observe.
    pub changes: Vec<Change>,
    /// The calls of callbacks and undefined functions, in order; `None` if a test cannot check them.
    pub noted: Option<Vec<NotedCall>>,
    /// The pointers of the input whose objects it freed.
    pub freed: Vec<String>,
    /// The cells that decide where the access went at which it failed.
    pub address_from: Vec<String>,
    /// Which sides of which branches it took.
    pub coverage: Coverage,
    /// Why it is not a test on this machine, if the native proof has shown that.
    pub set_aside: Option<String>,
}

impl TestCase {
    /// The input for another search, with what the program asked for while it ran.
    pub fn whole_input(&self) -> Input {
        let mut input = self.input.clone().with_all_room();
        self.drawn.iter().for_each(|drawn| input.set(drawn.name.clone(), drawn.value));
        input
    }
}

/// A value that the program asked for while it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The cell's name: `read()`, `read()#1`, `stdin[3]`.
    pub name: String,
    /// Its kind.
    pub kind: CellKind,
    /// Its value.
    pub value: Value,
}

/// A cell that is different after the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The cell's name: `p->x`.
    pub name: String,
    /// How it is stored.
    pub kind: CellKind,
    /// Its bits after the run.
    pub bits: u64,
}

impl Suite {
    /// Every way in which a test fails, once.
    pub fn bugs(&self) -> Vec<Bug> {
        bugs(&self.tests)
    }

    /// What the tests cover together.
    pub fn coverage(&self) -> Coverage {
        self.kept().flat_map(|test| test.coverage.edges()).copied().collect()
    }

    /// The tests that were not set aside.
    pub fn kept(&self) -> impl Iterator<Item = &TestCase> {
        self.tests.iter().filter(|test| test.set_aside.is_none())
    }
}

/// Every way in which one of these tests fails, with the first that does.
pub fn bugs(tests: &[TestCase]) -> Vec<Bug> {
    let mut bugs: Vec<Bug> = Vec::new();
    for (i, test) in tests.iter().enumerate() {
        if let Outcome::Trapped(trap) = &test.outcome
            && !bugs.iter().any(|bug| bug.kind == trap.kind && bug.site == trap.site)
        {
            bugs.push(Bug { kind: trap.kind.clone(), site: trap.site, test: i });
        }
    }
    // A failure that also happens without an uninitialised value does not depend on it.
    let is_uncertain = |bug: &Bug| bug.kind == TrapKind::Uninitialized;
    let certain: Vec<Option<SiteId>> =
        bugs.iter().filter(|bug| !is_uncertain(bug)).map(|bug| bug.site).collect();
    bugs.retain(|bug| !is_uncertain(bug) || !certain.contains(&bug.site));
    bugs
}

impl GoalState {
    /// No input within some limits takes a side.
    pub fn proved(bounds: &Bounds) -> GoalState {
        match bounds.is_empty() {
            true => GoalState::Infeasible,
            false => GoalState::WithinBounds(bounds.clone()),
        }
    }
}

impl Spent {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Spent) -> Spent {
        Spent {
            executions: self.executions + other.executions,
            burst_runs: self.burst_runs + other.burst_runs,
            queries: self.queries + other.queries,
            solver_calls: self.solver_calls + other.solver_calls,
        }
    }
}
