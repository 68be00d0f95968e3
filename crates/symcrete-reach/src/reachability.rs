//! What became of a target.

use std::collections::BTreeSet;
use std::fmt;
use symcrete_program::{Edge, Gap, Input};

/// What is known of a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reachability {
    /// A run passed it.
    Reached(Box<Reached>),
    /// No input within these bounds reaches it: proved.
    Unreachable(BTreeSet<Bound>),
    /// Neither.
    Unknown(BTreeSet<Unsure>),
}

/// An input that reaches a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The function that is called, by index in the module.
    pub entry: u32,
    /// What it is given.
    pub input: Input,
    /// What had to hold on the path, from the entry to the target.
    pub conditions: Vec<Condition>,
}

/// A decision on the path to a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The side that was taken.
    pub edge: Edge,
    /// Whether both sides were taken as one, as a choice within terms: the run says which it took.
    pub is_merged: bool,
}

/// What limits a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bound {
    /// What is assumed of inputs and of the world.
    Model(Gap),
    /// Jumps back of one loop on one path.
    LoopPasses(u32),
    /// Calls within calls.
    CallDepth(u32),
    /// No access leaves its object.
    Objects,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unsure {
    /// Behind this nothing is known.
    Hole(Gap),
    /// A path condition that nobody decided, for this reason.
    Undecided(String),
    /// Inputs that should reach the target did not.
    Diverged,
    /// Constraints that go through calls or loops which can only be executed, and no input was found.
    NotFound,
    /// There were more path segments than allowed.
    Segments(u64),
    /// The time limit was reached, or the user interrupted.
    Stopped,
    /// The compiler made no code of it, as these words say.
    NoCode(String),
}

/// What the search counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// Straight pieces of backward paths: each alternative behind the first at a merge begins another.
    pub segments: u64,
    /// Path conditions that were put to the solver.
    pub smt_calls: u64,
    /// Constraints that phase I left to phase II.
    pub skipped_constraints: u64,
    /// Loops that were taken as one call.
    pub loop_methods: u64,
    /// Steps of phase II's searches.
    pub phase_two_evaluations: u64,
    /// Merges that were passed in one step because nothing before them matters.
    pub sliced: u64,
    /// Branches that became choices within terms.
    pub merged: u64,
    /// Alternatives that an earlier contradiction ruled out.
    pub back_jumps: u64,
    /// Calls that were not entered because nothing they do matters.
    pub skipped_calls: u64,
    /// Inputs that were run.
    pub runs: u64,
}

impl Counters {
    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Counters) -> Counters {
        Counters {
            segments: self.segments + other.segments,
            smt_calls: self.smt_calls + other.smt_calls,
            skipped_constraints: self.skipped_constraints + other.skipped_constraints,
            loop_methods: self.loop_methods + other.loop_methods,
            phase_two_evaluations: self.phase_two_evaluations + other.phase_two_evaluations,
            sliced: self.sliced + other.sliced,
            merged: self.merged + other.merged,
            back_jumps: self.back_jumps + other.back_jumps,
            skipped_calls: self.skipped_calls + other.skipped_calls,
            runs: self.runs + other.runs,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Model(gap) => gap.fmt(f),
            Bound::LoopPasses(n) => write!(f, "at most {n} iterations of a loop"),
            Bound::CallDepth(n) => write!(f, "calls at most {n} deep"),
            Bound::Objects => f.write_str("every access stays in its object"),
        }
    }
}

impl fmt::Display for Unsure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsure::Hole(gap) => gap.fmt(f),
            Unsure::Undecided(why) => write!(f, "the solver could not decide a path condition: {why}"),
            Unsure::Diverged => f.write_str("inputs that should reach it went elsewhere"),
            Unsure::NotFound => f.write_str(
                "a path to it goes through library calls or loops, and the search found no input for it",
            ),
            Unsure::Segments(n) => write!(f, "more than {n} path segments lead to it"),
            Unsure::Stopped => f.write_str("time limit reached"),
            Unsure::NoCode(words) => f.write_str(words),
        }
    }
}
