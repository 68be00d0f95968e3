//! How the program ends when it does not succeed.

use crate::interrupt::INTERRUPTED;
use crate::names::near;
use crate::run::unsupported_text;
use crate::wire;
use std::path::PathBuf;
use std::process::ExitCode;
use symcrete_exec::ExecError;
use symcrete_program::debug::DebugError;
use symcrete_program::frontend::FrontendError;
use symcrete_program::shape::WrongDatum;
use symcrete_program::{Program, Unit, Unsupported};
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
    /// The solver exists but is not installed.
    #[error(transparent)]
    MissingSolver(#[from] symcrete_solve::smt::MissingSolver),
    /// What was typed makes no sense.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
    },
    /// There is no module to run.
    #[error(transparent)]
    Frontend(#[from] FrontendError),
    /// The module cannot be read.
    #[error(transparent)]
    Debug(#[from] DebugError),
    /// The module cannot be run.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// `--input` is not what we can read.
    #[error("{message}")]
    WrongInputText {
        /// What is wrong.
        message: String,
    },
    /// `--input` names a file that cannot be read.
    #[error("cannot read `{}`", file.display())]
    UnreadableInput {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is nothing to run.
    #[error("the files define no function")]
    NoFunctions,
    /// No function has that name.
    #[error("the program has no function `{name}`")]
    NoFunction {
        /// The name.
        name: String,
        /// Similar names, or a few of those that exist.
        near: Vec<String>,
    },
    /// A function was not named and there are several.
    #[error("which function? The program has {}", known.join(", "))]
    WhichFunction {
        /// Those that exist.
        known: Vec<String>,
    },
    /// A function whose input we cannot make.
    #[error("`{function}` cannot be run: {}", unsupported_text(reason))]
    Unsupported {
        /// The function.
        function: String,
        /// Why.
        reason: Unsupported,
    },
    /// An input that does not fit the function.
    #[error("{function}: {wrong}")]
    WrongInput {
        /// The function.
        function: String,
        /// What does not fit.
        wrong: WrongDatum,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file of the output folder cannot be written.
    #[error("cannot write `{}`", file.display())]
    Output {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
        /// Whether there is something to go on from.
        can_resume: bool,
    },
    /// Nothing can be tested.
    #[error("no function can be tested:\n{}", reasons.join("\n"))]
    NothingToTest {
        /// One line for each function.
        reasons: Vec<String>,
    },
    /// What the user asked to fail on.
    #[error("{message}")]
    Finding {
        /// What was found.
        message: String,
    },
    /// Somebody stopped a search, and what it had found was written.
    #[error("interrupted")]
    Interrupted {
        /// Whether there is a folder to go on from.
        can_resume: bool,
    },
    /// The time for all was up before there was anything to explore.
    #[error("time limit reached while compiling (--total-time)")]
    TimeIsUp,
    /// Tests cannot be compiled.
    #[error("there is no C compiler to run the tests with")]
    NoCompiler,
    /// Tests shall run in a sandbox that this machine does not have.
    #[error("this machine lacks parts of the sandbox: {}", missing.join(", "))]
    NoSandbox {
        /// What is missing, and why.
        missing: Vec<String>,
    },
    /// `doctor` found this machine not ready.
    #[error("this machine lacks what `symcrete gen` needs: {}", missing.join(", "))]
    NotReady {
        /// What is missing.
        missing: Vec<&'static str>,
    },
    /// `doctor --install` did not succeed.
    #[error("{message}")]
    NotInstalled {
        /// What went wrong.
        message: String,
        /// What the user can do.
        help: String,
    },
    /// Our output cannot be written.
    #[error("cannot write the answer")]
    Answer(#[from] std::io::Error),
}

impl Failure {
    /// 2 for what the user gave us, 3 for the machine it runs on.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Finding { .. } => ExitCode::from(1),
            Failure::Interrupted { .. } => ExitCode::from(INTERRUPTED),
            Failure::Script(_)
            | Failure::Unreadable { .. }
            | Failure::Usage { .. }
            | Failure::Debug(_)
            | Failure::WrongInputText { .. }
            | Failure::UnreadableInput { .. }
            | Failure::NoFunctions
            | Failure::NoFunction { .. }
            | Failure::WhichFunction { .. }
            | Failure::Unsupported { .. }
            | Failure::WrongInput { .. }
            | Failure::NothingToTest { .. } => ExitCode::from(2),
            Failure::Frontend(error) if !error.is_environment() => ExitCode::from(2),
            Failure::Exec(ExecError::Runtime(_)) => ExitCode::from(3),
            Failure::Exec(_) => ExitCode::from(2),
            // Whoever reads our output has enough (`symcrete … | head`).
            Failure::Answer(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Failure::MissingSolver(_)
            | Failure::NoCompiler
            | Failure::TimeIsUp
            | Failure::NoSandbox { .. }
            | Failure::NotReady { .. }
            | Failure::NotInstalled { .. }
            | Failure::Answer(_)
            | Failure::Frontend(_)
            | Failure::Unwritable { .. }
            | Failure::Output { .. } => ExitCode::from(3),
        }
    }

    /// What the user can do, where we know.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            Failure::Script(wrong) => wrong.diagnostic.problem.help(),
            Failure::Unreadable { source, .. } => Some(source.to_string()),
            Failure::Unwritable { source, .. } => Some(source.to_string()),
            Failure::Output { source, can_resume: true, .. } => Some(format!(
                "{source}; what was written before is complete: fix this and continue with --resume"
            )),
            Failure::Output { source, can_resume: false, .. } => {
                Some(format!("{source}; name another folder with --out"))
            }
            Failure::Interrupted { can_resume: true } => {
                Some("to continue, run the same command with --resume".to_owned())
            }
            Failure::Interrupted { can_resume: false } => None,
            Failure::TimeIsUp => Some("allow more time, or compile less".to_owned()),
            Failure::WrongInputText { .. } => Some(INPUT_HELP.to_owned()),
            Failure::UnreadableInput { source, .. } => Some(format!("{source}; {INPUT_HELP}")),
            Failure::NoFunctions => Some(
                "a function must be defined in one of the files, not only in what they include"
                    .to_owned(),
            ),
            Failure::NoFunction { near, .. } => Some(did_you_mean(near)),
            Failure::WhichFunction { .. } => Some("name it with --function".to_owned()),
            Failure::NoCompiler => Some("install clang or gcc, or name one with --cc".to_owned()),
            Failure::NoSandbox { .. } => Some(
                "--native-sandbox auto uses what there is; --no-native runs no tests".to_owned(),
            ),
            Failure::WrongInput { wrong: WrongDatum::Unknown { name, known }, .. } => {
                let near = near(name, known.iter().map(String::as_str));
                let names = if near.is_empty() { known } else { &near };
                Some(match names[..] {
                    [] => "it takes no input".to_owned(),
                    [..] => format!("known names: {}", names.join(", ")),
                })
            }
            Failure::WrongInput { wrong: WrongDatum::TooLong { is_fixed: false, .. }, .. } => {
                Some("raise --length".to_owned())
            }
            Failure::Frontend(FrontendError::NoFunction { name, known }) => {
                Some(did_you_mean(&near(name, known.iter().map(String::as_str))))
            }
            Failure::MissingSolver(_) => Some(wire::how_to_install()),
            Failure::NotInstalled { help, .. } => Some(help.clone()),
            // The compiler's parts are many, and all of them are wanted.
            Failure::Frontend(FrontendError::NoCompiler | FrontendError::MissingTool { .. }) => {
                Some("`symcrete doctor` checks all that is needed".to_owned())
            }
            Failure::Frontend(error) => std::error::Error::source(error).map(ToString::to_string),
            Failure::WrongInput { .. }
            | Failure::NotReady { .. }
            | Failure::Answer(_)
            | Failure::Usage { .. }
            | Failure::Debug(_)
            | Failure::Exec(_)
            | Failure::Unsupported { .. }
            | Failure::NothingToTest { .. }
            | Failure::Finding { .. } => None,
        }
    }

    /// A name in `--input` that nothing asked for.
    pub(crate) fn unknown_input(program: &Program, unit: &Unit, wrong: WrongDatum) -> Failure {
        let global = program.globals.iter().find(
            |global| matches!(&wrong, WrongDatum::Unknown { name, .. } if *name == global.name),
        );
        match global {
            Some(global) if global.is_const => Failure::Usage {
                message: format!("`{}` is const and cannot be an input", global.name),
            },
            Some(global) => Failure::Usage {
                message: format!(
                    "`{}` is a global variable: --globals makes it an input",
                    global.name
                ),
            },
            None => Failure::WrongInput { function: unit.name.clone(), wrong },
        }
    }

    /// A function that is not there, with what may have been meant.
    pub(crate) fn no_function(program: &Program, name: &str) -> Failure {
        let near = near(name, program.units.iter().map(|unit| unit.name.as_str()));
        Failure::NoFunction { name: name.to_owned(), near }
    }
}

/// What `--input` takes.
const INPUT_HELP: &str = r#"--input takes a JSON object with values by name, such as '{"x": 1}', or a file that has one"#;

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => "`symcrete functions FILE` lists them".to_owned(),
        [..] => format!("did you mean {}?", near.join(", ")),
    }
}
