//! How far the search for a unit's tests is: what a later run needs to go on without doing it all again.

use super::EdgeEntry;
use serde::{Deserialize, Serialize};
use symcrete_program::{
    Bounds, Edge, Ended, GoalState, OpenSide, Program, Reason, Sizes, Spent, Suite,
};

/// Says by which runs a search can be continued.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Fingerprint {
    /// Names what was asked.
    pub question: String,
    /// Names how it was searched.
    pub method: String,
}

/// The search for one unit's tests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchEntry {
    /// Names what was asked: the module, the inputs, the checks, the version of the tool. That a side is infeasible
    /// holds for the same question only.
    pub question: String,
    /// Names how it was searched. A search that came to its end need not be repeated in the same way.
    pub method: String,
    /// Whether and why it ended.
    pub ended: EndedEntry,
    /// Whether every path was run or proved infeasible.
    pub exhaustive: bool,
    /// What it took, over all runs with the same question.
    pub spent: SpentEntry,
    /// How large inputs had become.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SizesEntry>,
    /// The sides of branches that were to be taken, with what became of each; before the end only those that are
    /// infeasible.
    pub goals: Vec<GoalEntry>,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndedEntry {
    /// It has not: the run was killed, or is still going on.
    Running,
    /// Every side is covered or infeasible.
    Covered,
    /// No branch is left to flip.
    NothingLeft,
    /// As many runs as were allowed.
    Iterations,
    /// The time limit was reached.
    Time,
    /// The user interrupted it.
    Interrupted,
}

impl EndedEntry {
    /// Whether the same search would find nothing more.
    pub fn is_complete(self) -> bool {
        match self {
            EndedEntry::Covered | EndedEntry::NothingLeft => true,
            EndedEntry::Running
            | EndedEntry::Iterations
            | EndedEntry::Time
            | EndedEntry::Interrupted => false,
        }
    }
}

/// What a search took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct SpentEntry {
    /// Runs with a path condition.
    pub executions: u64,
    /// Fast runs without.
    pub burst_runs: u64,
    /// Path conditions that were to be decided.
    pub queries: u64,
    /// How many of these came to a solver.
    pub solver_calls: u64,
}

/// How large the objects of inputs are at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SizesEntry {
    /// Elements of an array, and characters of a string.
    pub length: u32,
    /// Pointers that are followed one after another.
    pub pointer_depth: u32,
    /// Bytes of a file, an environment variable and standard input.
    #[serde(default)]
    pub input_bytes: u32,
    /// Calls before all others.
    #[serde(default)]
    pub calls_before: u32,
}

/// A side of a branch and what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GoalEntry {
    /// The side.
    #[serde(flatten)]
    pub edge: EdgeEntry,
    /// What became of it.
    pub state: GoalStateEntry,
    /// Why it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The limits within which it is infeasible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<String>,
}

/// What became of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoalStateEntry {
    /// A test takes it.
    Covered,
    /// No input takes it: proved.
    Infeasible,
    /// No input within some limits takes it: proved.
    WithinBounds,
    /// Nobody knows.
    Open,
}

impl SearchEntry {
    /// The search for a suite. `wording` says why a side is open.
    pub(super) fn of(
        program: &Program,
        (suite, sizes): (&Suite, Sizes),
        fingerprint: &Fingerprint,
        wording: fn(&OpenSide) -> String,
    ) -> SearchEntry {
        let goals = suite.goals.iter();
        SearchEntry {
            question: fingerprint.question.clone(),
            method: fingerprint.method.clone(),
            ended: EndedEntry::of(suite.ended),
            exhaustive: suite.is_exhaustive,
            spent: SpentEntry::of(suite.spent),
            sizes: Some(SizesEntry::of(sizes)),
            goals: goals
                .map(|(&edge, state)| GoalEntry::of(program, edge, state, wording))
                .collect(),
        }
    }
}

impl EndedEntry {
    fn of(ended: Option<Ended>) -> EndedEntry {
        match ended {
            None => EndedEntry::Running,
            Some(Ended::Covered) => EndedEntry::Covered,
            Some(Ended::NothingLeft) => EndedEntry::NothingLeft,
            Some(Ended::Iterations) => EndedEntry::Iterations,
            Some(Ended::Time) => EndedEntry::Time,
            Some(Ended::Interrupted) => EndedEntry::Interrupted,
        }
    }

    pub(super) fn ended(self) -> Option<Ended> {
        match self {
            EndedEntry::Running => None,
            EndedEntry::Covered => Some(Ended::Covered),
            EndedEntry::NothingLeft => Some(Ended::NothingLeft),
            EndedEntry::Iterations => Some(Ended::Iterations),
            EndedEntry::Time => Some(Ended::Time),
            EndedEntry::Interrupted => Some(Ended::Interrupted),
        }
    }
}

impl SpentEntry {
    fn of(spent: Spent) -> SpentEntry {
        let Spent { executions, burst_runs, queries, solver_calls } = spent;
        SpentEntry { executions, burst_runs, queries, solver_calls }
    }

    pub(super) fn spent(self) -> Spent {
        let SpentEntry { executions, burst_runs, queries, solver_calls } = self;
        Spent { executions, burst_runs, queries, solver_calls }
    }
}

impl SizesEntry {
    fn of(sizes: Sizes) -> SizesEntry {
        let Sizes { length, depth, bytes, calls } = sizes;
        SizesEntry { length, pointer_depth: depth, input_bytes: bytes, calls_before: calls }
    }

    /// The sizes that it says.
    pub fn sizes(self) -> Sizes {
        let SizesEntry { length, pointer_depth, input_bytes, calls_before } = self;
        Sizes { length, depth: pointer_depth, bytes: input_bytes, calls: calls_before }
    }
}

impl GoalEntry {
    fn of(
        program: &Program,
        edge: Edge,
        state: &GoalState,
        wording: fn(&OpenSide) -> String,
    ) -> GoalEntry {
        let (state, why, bounds) = match state {
            GoalState::Covered => (GoalStateEntry::Covered, None, Vec::new()),
            GoalState::Infeasible => (GoalStateEntry::Infeasible, None, Vec::new()),
            GoalState::WithinBounds(bounds) => (GoalStateEntry::WithinBounds, None, bounds.names()),
            GoalState::Open(open) => (GoalStateEntry::Open, Some(wording(open)), Vec::new()),
        };
        GoalEntry { edge: EdgeEntry::of(program, edge), state, why, bounds }
    }

    /// What it says about a side. Limits that this version does not know prove nothing.
    pub(super) fn goal_state(&self) -> GoalState {
        match (self.state, Bounds::from_names(&self.bounds)) {
            (GoalStateEntry::Covered, _) => GoalState::Covered,
            (GoalStateEntry::Infeasible, _) => GoalState::Infeasible,
            (GoalStateEntry::WithinBounds, Some(bounds)) if !bounds.is_empty() => {
                GoalState::WithinBounds(bounds)
            }
            (GoalStateEntry::Open | GoalStateEntry::WithinBounds, _) => {
                GoalState::Open(Reason::Said(self.why.clone().unwrap_or_default()).into())
            }
        }
    }
}
