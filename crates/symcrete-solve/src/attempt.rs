//! Who tried to answer a query, for how long, and what came of it: what `--explain` shows of a race.

use crate::{Verdict, Why};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// One member's part in a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Who.
    pub member: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took, on the clock.
    pub time: Duration,
    /// Steps, in the member's own unit.
    pub steps: u64,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
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
}

impl Attempt {
    /// The attempt that a verdict ended.
    pub fn new(member: &'static str, verdict: &Verdict, time: Duration, steps: u64) -> Attempt {
        let outcome = match verdict {
            Verdict::Sat(_) => Outcome::Sat,
            Verdict::Unsat => Outcome::Unsat,
            Verdict::Unknown(why) => Outcome::Unknown(why.clone()),
        };
        Attempt { member, outcome, time, steps }
    }

    /// Whether it answered.
    pub fn is_decided(&self) -> bool {
        match self.outcome {
            Outcome::Sat | Outcome::Unsat => true,
            Outcome::Unknown(_) | Outcome::NotStarted | Outcome::LeftBehind => false,
        }
    }
}

/// What a solver says. A panic is its own fault and nobody else's; who panicked must not be asked again, because its state is unknown.
pub(crate) fn caught(name: &str, solve: impl FnOnce() -> Verdict) -> Result<Verdict, Why> {
    catch_unwind(AssertUnwindSafe(solve)).map_err(|_| Why::Fault(format!("{name} panicked")))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Sat => f.write_str("sat"),
            Outcome::Unsat => f.write_str("unsat"),
            Outcome::Unknown(Why::Interrupted) => f.write_str("stopped: another one answered"),
            Outcome::Unknown(why) => write!(f, "{why}"),
            Outcome::NotStarted => f.write_str("not started: another one answered before its turn"),
            Outcome::LeftBehind => f.write_str("did not stop and was left behind"),
        }
    }
}
