//! The command line as it is typed.

use crate::defaults;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Finds inputs that reach what tests miss.
#[derive(Parser, Debug)]
#[command(name = "symcrete", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Tell on stderr what is being done; twice for every decision.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Decide the path conditions of an SMT-LIB script.
    ///
    /// Answers follow SMT-LIB: one line `sat`, `unsat` or `unknown` for every `check-sat`, then what
    /// `get-model` and the like ask for. Every `sat` has a model that was checked. With `-` commands
    /// are read from stdin and each is answered as soon as it is complete.
    Solve(SolveArgs),

    /// List the solvers: what each is good at, and whether it is installed.
    Solvers {
        /// As JSON, one object per line.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args, Debug)]
pub(crate) struct SolveArgs {
    /// An SMT-LIB 2 script, or `-` for stdin.
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,

    /// Who decides; `symcrete solvers` lists the names.
    #[arg(long, value_name = "NAME", default_value = defaults::SOLVER)]
    pub(crate) solver: String,

    /// Where random choices start; the same seed gives the same answers.
    #[arg(long, value_name = "N", default_value_t = defaults::SEED)]
    pub(crate) seed: u64,

    /// The most steps for each check-sat, in the solver's own unit [default: no limit].
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,

    /// The most time for each check-sat. Answers that need this limit are not reproducible.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::TIMEOUT_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) timeout: f64,

    /// The most memory of each solver process.
    #[arg(long, value_name = "MiB", default_value_t = defaults::MEMORY_MIB,
          value_parser = clap::value_parser!(u64).range(16..=1 << 30))]
    pub(crate) memory: u64,

    /// One JSON object per check-sat instead of SMT-LIB answers.
    #[arg(long)]
    pub(crate) json: bool,

    /// Who answered, and what it took, on stderr.
    #[arg(long)]
    pub(crate) stats: bool,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    /// A year is for ever.
    const SECONDS_MAX: f64 = 31_536_000.0;
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= SECONDS_MAX => Ok(seconds),
        _ => Err(format!("a number of seconds above 0 and up to {SECONDS_MAX}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(parse_seconds("0.5"), Ok(0.5));
        for text in ["0", "-1", "inf", "NaN", "ten"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }
}
