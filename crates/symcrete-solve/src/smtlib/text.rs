//! Scripts that go to the SMT solvers as text.

use crate::{Attempt, Budget, Why};

/// One live command of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextCommand {
    /// As the user wrote it.
    pub text: String,
    /// The name it declares, for commands that declare a constant or function without a definition.
    pub declares: Option<String>,
}

/// A script in its own words: what is declared, defined and asserted when the question is asked.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TextScript {
    /// The argument of `set-logic`.
    pub logic: Option<String>,
    /// Declarations, definitions and assertions that no `pop` has taken back.
    pub commands: Vec<TextCommand>,
}

/// The answer to a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextVerdict {
    /// Satisfiable; another solver process confirmed the model.
    Sat {
        /// The model as the solver wrote it.
        model: String,
    },
    /// Unsatisfiable.
    Unsat,
    /// Neither was found.
    Unknown(Why),
    /// Every solver called the script wrong; with their words.
    Refused(String),
}

/// Decides scripts as text.
pub trait TextSolver {
    /// Decides a script.
    fn check(&mut self, script: &TextScript, budget: &mut Budget) -> TextVerdict;

    /// The solver that gave the last answer.
    fn credit(&self) -> &'static str;

    /// The solvers that took part in the last answer.
    fn attempts(&self) -> &[Attempt];

    /// Passes a command such as `get-value` on to the process that found the last model.
    fn ask(&mut self, command: &str, budget: &mut Budget) -> Result<String, Why>;
}
