//! How the program ends when it does not succeed.

use std::path::PathBuf;
use std::process::ExitCode;
use symcrete_solve::smtlib::Diagnostic;
use thiserror::Error;

/// What is wrong with a script, and all that a report of it needs.
#[derive(Debug)]
pub(crate) struct WrongScript {
    /// The file's name.
    pub(crate) name: String,
    /// What has been read of it.
    pub(crate) text: String,
    pub(crate) diagnostic: Diagnostic,
}

/// Why we stop.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The script is wrong.
    #[error("{}", .0.diagnostic)]
    Script(Box<WrongScript>),
    /// The script cannot be read.
    #[error("cannot read `{}`", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// No solver has that name.
    #[error("no solver is called `{name}`")]
    UnknownSolver {
        /// The name.
        name: String,
    },
    /// The solver exists but is not installed.
    #[error(transparent)]
    MissingSolver(#[from] symcrete_solve::smt::MissingSolver),
    /// Our output cannot be written.
    #[error("cannot write the answer")]
    Output(#[from] std::io::Error),
}

impl Failure {
    /// 2 for what the user gave us, 3 for the machine it runs on.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Script(_) | Failure::Unreadable { .. } | Failure::UnknownSolver { .. } => {
                ExitCode::from(2)
            }
            // Whoever reads our output has enough (`symcrete … | head`).
            Failure::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Failure::MissingSolver(_) | Failure::Output(_) => ExitCode::from(3),
        }
    }

    /// What the user can do, where we know.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            Failure::Script(wrong) => wrong.diagnostic.problem.help(),
            Failure::UnknownSolver { .. } => Some("`symcrete solvers` lists them".to_owned()),
            Failure::Unreadable { source, .. } => Some(source.to_string()),
            Failure::MissingSolver(_) | Failure::Output(_) => None,
        }
    }
}
