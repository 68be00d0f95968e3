//! Which solvers tried to answer a query, for how long, and with what result: what `--explain` shows of a race.

use crate::{Verdict, Why};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// One member's part in a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The solver's name.
    pub member: &'static str,
    /// What came of it.
    pub outcome: AttemptEnd,
    /// How long it took, on the clock.
    pub time: Duration,
    /// Steps, in the member's own unit.
    pub steps: u64,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttemptEnd {
    /// A model that the evaluator accepts.
    Sat,
    /// A proof that there is none.
    Unsat,
    /// No answer, and why.
    Unknown(Why),
    /// Another one had answered before its turn came.
    NotStarted,
    /// It did not stop when it was told to and was left behind.
    LeftBehind,
    /// In turns by steps: its steps took so long that the safety net, a clock, ended its turn.
    LostTurn,
    /// It was not asked, because it has not come back from an earlier query.
    Busy,
    /// It was not asked, because it crashed on an earlier query.
    Lost,
}

impl Attempt {
    /// The attempt that a verdict ended.
    pub fn new(member: &'static str, verdict: &Verdict, time: Duration, steps: u64) -> Attempt {
        let outcome = match verdict {
            Verdict::Sat(_) => AttemptEnd::Sat,
            Verdict::Unsat => AttemptEnd::Unsat,
            Verdict::Unknown(why) => AttemptEnd::Unknown(why.clone()),
        };
        Attempt { member, outcome, time, steps }
    }

    /// The attempt of one that did nothing.
    pub(crate) fn without(member: &'static str, outcome: AttemptEnd) -> Attempt {
        Attempt { member, outcome, time: Duration::ZERO, steps: 0 }
    }

    /// Whether it answered.
    pub fn is_decided(&self) -> bool {
        match self.outcome {
            AttemptEnd::Sat | AttemptEnd::Unsat => true,
            AttemptEnd::Unknown(_) | AttemptEnd::NotStarted | AttemptEnd::LeftBehind => false,
            AttemptEnd::LostTurn | AttemptEnd::Busy | AttemptEnd::Lost => false,
        }
    }
}

impl AttemptEnd {
    /// Whether the clock decided it: members in turns are reproducible only where none is.
    pub fn is_by_clock(&self) -> bool {
        match self {
            AttemptEnd::LeftBehind | AttemptEnd::LostTurn | AttemptEnd::Busy => true,
            AttemptEnd::Unknown(why) => *why == Why::OutOfTime,
            AttemptEnd::Sat | AttemptEnd::Unsat | AttemptEnd::NotStarted | AttemptEnd::Lost => {
                false
            }
        }
    }
}

/// What a solver says. A panic is its own fault and nobody else's; who panicked must not be asked again, because its state is unknown.
pub(crate) fn caught(name: &str, solve: impl FnOnce() -> Verdict) -> Result<Verdict, Why> {
    catch_unwind(AssertUnwindSafe(solve)).map_err(|_| Why::Fault(format!("{name} panicked")))
}

impl fmt::Display for AttemptEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttemptEnd::Sat => f.write_str("sat"),
            AttemptEnd::Unsat => f.write_str("unsat"),
            AttemptEnd::Unknown(Why::Interrupted) => f.write_str("stopped: another one answered"),
            AttemptEnd::Unknown(why) => write!(f, "{why}"),
            AttemptEnd::NotStarted => {
                f.write_str("not started: another one answered before its turn")
            }
            AttemptEnd::LeftBehind => f.write_str("did not stop and was left behind"),
            AttemptEnd::LostTurn => f.write_str("stopped by the clock: its turn took too long"),
            AttemptEnd::Busy => f.write_str("not asked: still busy with an earlier query"),
            AttemptEnd::Lost => f.write_str("not asked: it crashed on an earlier query"),
        }
    }
}
