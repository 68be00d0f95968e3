//! The SMT solvers we know, and what is special about each: options, limits, quirks.
//!
//! Pure text and tables. Where a solver is installed is `toolbox`'s job, starting it is `process`'s.

use std::fmt;
use std::str::FromStr;

use super::session::Mode;

/// An SMT solver that runs as a child process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Bitwuzla: bit-vectors, floating point, arrays. The strongest on floats.
    Bitwuzla,
    /// Z3: all theories. Always there, because it is one executable.
    Z3,
    /// cvc5: all theories.
    Cvc5,
}

/// How a solver is told how much work a query may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepLimit {
    /// An option that takes a number and may be set again before each query; 0 is no limit.
    Option(&'static str),
    /// Memory shared with our shim (see `shim/bitwuzla.py`).
    SharedCell,
}

impl Backend {
    /// Every back end, in order of preference.
    pub const ALL: &'static [Backend] = &[Backend::Bitwuzla, Backend::Z3, Backend::Cvc5];

    /// The name used in options, logs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Bitwuzla => "bitwuzla",
            Backend::Z3 => "z3",
            Backend::Cvc5 => "cvc5",
        }
    }

    /// What one step of its resource limit is, for manuals and reports.
    pub fn step_meaning(self) -> &'static str {
        match self {
            Backend::Bitwuzla => "poll of the terminator",
            Backend::Z3 => "unit of rlimit",
            Backend::Cvc5 => "unit of reproducible-resource-limit",
        }
    }

    /// About a tenth of a second's worth of its steps: where solvers take turns, its first one.
    pub(crate) fn turn_steps(self) -> u64 {
        match self {
            Backend::Bitwuzla => 300,
            Backend::Z3 => 400_000,
            Backend::Cvc5 => 10_000,
        }
    }

    /// Whether it knows integers and reals; all of them know bit-vectors, floats and arrays.
    pub fn has_arithmetic(self) -> bool {
        match self {
            Backend::Bitwuzla => false,
            Backend::Z3 | Backend::Cvc5 => true,
        }
    }

    pub(crate) fn step_limit(self) -> StepLimit {
        match self {
            Backend::Bitwuzla => StepLimit::SharedCell,
            Backend::Z3 => StepLimit::Option("rlimit"),
            Backend::Cvc5 => StepLimit::Option("reproducible-resource-limit"),
        }
    }

    /// Whether `(get-info :reason-unknown)` is understood.
    pub(crate) fn tells_reason(self) -> bool {
        match self {
            Backend::Bitwuzla => false,
            Backend::Z3 | Backend::Cvc5 => true,
        }
    }

    /// Bitwuzla's lexer waits for whole blocks of this many bytes, so input is padded to a multiple of it.
    /// Should its block grow, every query will run out of time and the session tests will tell.
    pub(crate) fn input_block(self) -> usize {
        match self {
            Backend::Bitwuzla => 1024,
            Backend::Z3 | Backend::Cvc5 => 1,
        }
    }

    /// The commands a session starts with, and starts again with after `(reset)`.
    pub(crate) fn preamble(self, mode: Mode, logic: Option<&str>) -> String {
        let mut text = String::from("(set-option :print-success false)\n");
        text.push_str("(set-option :produce-models true)\n");
        if self == Backend::Cvc5 {
            text.push_str(&format!("(set-option :incremental {})\n", mode == Mode::Incremental));
        }
        // Tracking cores takes solvers off their fastest route, so only incremental sessions pay for it.
        if mode == Mode::Incremental {
            text.push_str("(set-option :produce-unsat-cores true)\n");
            text.push_str("(set-option :produce-unsat-assumptions true)\n");
        }
        if let Some(logic) = logic {
            text.push_str(&format!("(set-logic {logic})\n"));
        }
        text
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is no back end's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no SMT solver is called `{name}`")]
pub struct ParseBackendError {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Backend {
    type Err = ParseBackendError;

    fn from_str(name: &str) -> Result<Backend, ParseBackendError> {
        let found = Backend::ALL.iter().copied().find(|backend| backend.name() == name);
        found.ok_or_else(|| ParseBackendError { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_parse_back() {
        for &backend in Backend::ALL {
            assert_eq!(backend.name().parse(), Ok(backend));
        }
        assert!("Z3".parse::<Backend>().is_err());
    }
}
