//! What a solver answers.

use std::fmt;
use symcrete_term::Valuation;

/// The answer to a query. There is no error: a solver that fails does not know.
#[must_use]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The literals hold under this valuation, and the evaluator agrees.
    Sat(Valuation),
    /// No valuation makes all literals hold.
    Unsat,
    /// Neither was found.
    Unknown(Why),
}

impl Verdict {
    /// Whether it is `Sat` or `Unsat`.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }

    /// SMT-LIB's word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Why a solver does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The budget of steps is used up.
    OutOfSteps,
    /// The clock, our safety net, ran out: another run may do better.
    OutOfTime,
    /// The memory limit was reached.
    OutOfMemory,
    /// Somebody no longer wants the answer.
    Interrupted,
    /// The method is exhausted and proves nothing.
    GaveUp,
    /// The query contains something the solver cannot express.
    Unsupported(String),
    /// A child solver said `unknown` for a reason of its own.
    Incomplete(String),
    /// A child solver reported an error: it does not accept what it was told, in its own words.
    Refused(String),
    /// Something broke: a crash, a protocol error, a model that the evaluator rejects.
    Fault(String),
    /// No member of a group knows; each with its reason.
    Nobody(Vec<(&'static str, Why)>),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::OutOfSteps => f.write_str("out of steps"),
            Why::OutOfTime => f.write_str("out of time"),
            Why::OutOfMemory => f.write_str("out of memory"),
            Why::Interrupted => f.write_str("interrupted"),
            Why::GaveUp => f.write_str("gave up"),
            Why::Unsupported(what) => write!(f, "unsupported: {what}"),
            Why::Incomplete(reason) => write!(f, "incomplete: {reason}"),
            Why::Refused(words) => write!(f, "refused: {words}"),
            Why::Fault(what) => write!(f, "fault: {what}"),
            Why::Nobody(members) => {
                for (i, (name, why)) in members.iter().enumerate() {
                    write!(f, "{}{name}: {why}", if i == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
        }
    }
}
