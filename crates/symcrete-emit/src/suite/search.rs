//! How far the search for a unit's tests is: what a later run needs to go on without doing it all again.

use super::EdgeEntry;
use serde::{Deserialize, Serialize};

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
    /// No branch is left to turn.
    NothingLeft,
    /// As many runs as were allowed.
    Iterations,
    /// Time was up.
    Time,
    /// Somebody interrupted.
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

impl SpentEntry {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: SpentEntry) -> SpentEntry {
        SpentEntry {
            executions: self.executions + other.executions,
            burst_runs: self.burst_runs + other.burst_runs,
            queries: self.queries + other.queries,
            solver_calls: self.solver_calls + other.solver_calls,
        }
    }
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
