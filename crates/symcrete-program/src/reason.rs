//! Why a side of a branch is open: data, which whoever talks to the user puts into words.

use crate::gap::Gap;

/// A side that no input is known for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenSide {
    /// What is known of it.
    pub reason: Reason,
    /// A gap of the model on the path to it, where that is all that keeps it from being infeasible.
    pub gap: Option<Gap>,
}

/// What is known of a side that no test takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Runs took it, but what they do depends on an uninitialised value.
    OnlyUninitialized,
    /// Runs took it, but they break an assumption.
    OnlyRejected,
    /// Runs took it, but they go on in a way that cannot be followed.
    OnlyNotFollowed,
    /// Runs took it, but they end at a pointer that is null only because nobody asked for its object.
    OnlyNull,
    /// Only runs took it whose path depends on the bits of a NaN that they computed.
    OnlyNanBits,
    /// Runs took it, but they fail or have no end, and pointers share an object in them.
    OnlyShared,
    /// Runs took it, but they were stopped.
    OnlyStopped(End),
    /// Its condition was met and did not depend on the input.
    NotSymbolic,
    /// Only the first input had been run.
    OnlyFirstInput(End),
    /// No path led to it.
    NoPath {
        /// What cut the search short.
        end: End,
        /// Runs that passed more branches than they may: any of them may have been on its way.
        out_of_fuel: u64,
        /// How many branches a run may pass.
        fuel: u64,
    },
    /// The solver did not know.
    Undecided {
        /// On how many paths.
        paths: u32,
        /// What it said most often.
        why: String,
    },
    /// Inputs that should take it went elsewhere.
    Diverged {
        /// On how many paths.
        paths: u32,
    },
    /// Paths to it were left when the search ended.
    NotTried {
        /// How many.
        paths: u32,
        /// What cut the search short.
        end: End,
    },
    /// Every path to it has too many conditions.
    TooDeep {
        /// How many there are.
        paths: u32,
        /// How many conditions a path may have.
        depth: u32,
    },
    /// It is infeasible on the paths that led to it, and there may be others.
    InfeasibleSoFar {
        /// How many led to it.
        paths: u32,
        /// What cut the search short.
        end: End,
    },
    /// It was proved infeasible, but a test takes it natively.
    Refuted,
    /// The runs that take it end or go another way natively.
    OnlyHere,
    /// As an earlier run put it into words.
    Said(String),
}

/// How a search ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct End {
    /// What cut it short, if anything did.
    pub stop: Option<Stop>,
    /// Whether a run was going on.
    pub is_within_run: bool,
}

/// What cuts a search short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// As many runs as were allowed.
    Iterations,
    /// The time limit was reached.
    Time(TimeLimit),
    /// The user interrupted it.
    Interrupted,
}

/// Which time limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeLimit {
    /// That of each unit.
    Unit,
    /// The unit's share of the time for all.
    All,
}

impl From<Reason> for OpenSide {
    fn from(reason: Reason) -> OpenSide {
        OpenSide { reason, gap: None }
    }
}
