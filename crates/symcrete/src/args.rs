//! The command line as it is typed.

use crate::contained::{self, ContainedArgs};
use crate::names::{Part, ReachPart};
use crate::native::Wanted;
use crate::reach::Trap;
use crate::{defaults, names};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use symcrete_emit::Framework;
use symcrete_explore::StrategyKind;
use symcrete_program::frontend::Check;
use symcrete_solve::SolverKind;

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

    /// Write tests that take every branch of a function, or of every function of a file.
    ///
    /// Compiles the files, explores each function, and writes tests, coverage and inputs that make the
    /// program fail. Every branch side that stays uncovered is listed with the reason.
    Gen(Box<GenArgs>),

    /// Find an input that reaches a line, or show that there is none.
    ///
    /// A target is FILE:LINE, FILE:LINE:true or FILE:LINE:false (a side of that line's condition), the name of a
    /// function, `reach_error()`, or `symcrete_target("name")` for a marker in the source. The C files of the program follow; that
    /// of a target is one of them.
    Reach(Box<ReachArgs>),

    /// Compile and run the tests of an output folder again, and compare with what was recorded.
    ///
    /// Ends with exit code 1 if a test gives another result or takes another side of a branch.
    Replay(ReplayArgs),

    /// Run one function on one input: outcome, path condition, coverage.
    Run(RunArgs),

    /// List the functions of a program: their parameters, and what of them can be tested.
    Functions(FunctionsArgs),

    /// Draw a function's control flow.
    Cfg(CfgArgs),

    /// Run a program of the native proof in a sandbox. Only we start this.
    #[command(name = contained::COMMAND, hide = true)]
    Contained(ContainedArgs),

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

    /// The solver; `symcrete solvers` lists the names.
    #[arg(long, value_name = "NAME", default_value = defaults::SOLVER,
          value_parser = names::solver)]
    pub(crate) solver: SolverKind,

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

    /// Who tried, for how long, who answered, and why the others did not, on stderr.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Learn there which solvers answer which kind of condition, and use what was learnt. `auto` only.
    #[arg(long, value_name = "FILE")]
    pub(crate) experience: Option<PathBuf>,
}

/// What is compiled, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct SourceArgs {
    /// C files that belong to one program; or one `.wasm` or `.wat` file.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Look for headers there.
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,

    /// Pass one more argument to the compiler, unchanged.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) cflag: Vec<String>,

    /// Take flags from the file's entry in this compile_commands.json.
    #[arg(long, value_name = "FILE")]
    pub(crate) compile_commands: Option<PathBuf>,

    /// Report as failures: overflow, bounds, shift, null, float-cast.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = names::check)]
    pub(crate) check: Vec<Check>,

    /// Execute this function without looking into it; it must be pure.
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) opaque: Vec<String>,

    /// Replace this function: its results become inputs.
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) stub: Vec<String>,
}

/// How large inputs may become.
#[derive(Args, Debug)]
pub(crate) struct ShapeArgs {
    /// The most elements of an array, and characters of a string; `gen` goes on to longer ones where they are needed.
    #[arg(long, value_name = "N", default_value_t = defaults::LENGTH,
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) length: u32,

    /// How many pointers are followed one after another; `gen` goes on where more are needed.
    #[arg(long, value_name = "N", default_value_t = defaults::POINTER_DEPTH,
          value_parser = clap::value_parser!(u32).range(0..=16))]
    pub(crate) pointer_depth: u32,

    /// Global variables are inputs too.
    #[arg(long)]
    pub(crate) globals: bool,
}

/// How far inputs may grow where branches need larger ones.
#[derive(Args, Debug)]
pub(crate) struct GrowthArgs {
    /// The length up to which arrays and strings grow, by fours, where a branch needs longer ones.
    #[arg(long, value_name = "N", default_value_t = defaults::MAX_LENGTH,
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) max_length: u32,

    /// The depth up to which pointers are followed, one by one, where a branch needs more.
    #[arg(long, value_name = "N", default_value_t = defaults::MAX_POINTER_DEPTH,
          value_parser = clap::value_parser!(u32).range(0..=16))]
    pub(crate) max_pointer_depth: u32,
}

#[derive(Args, Debug)]
pub(crate) struct ReachArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,

    #[command(flatten)]
    pub(crate) shape: ShapeArgs,

    /// The functions that may be called [default: all that can lead to the target].
    #[arg(long, short, value_name = "NAME")]
    pub(crate) function: Vec<String>,

    /// The most time for one target, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::TIME_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) time: f64,

    /// Reach a failure at the lines: div-by-zero, overflow, nan, null, bounds, null-call, unreachable, abort, assertion,
    /// check (of --check).
    #[arg(long, value_name = "KIND", value_parser = names::trap)]
    pub(crate) trap: Option<Trap>,

    /// Aim at every line that this coverage report shows as not run.
    #[arg(long, value_name = "LCOV")]
    pub(crate) from: Option<PathBuf>,

    /// The solver for path conditions; `symcrete solvers` lists the names.
    #[arg(long, value_name = "NAME", default_value = defaults::SOLVER,
          value_parser = names::solver)]
    pub(crate) solver: SolverKind,

    /// Where random choices start; the same seed gives the same answers.
    #[arg(long, value_name = "N", default_value_t = defaults::SEED)]
    pub(crate) seed: u64,

    /// Passes of one loop on one path, at most.
    #[arg(long, value_name = "N", default_value_t = defaults::LOOP_BOUND)]
    pub(crate) loop_bound: u32,

    /// Calls within calls on one path, at most.
    #[arg(long, value_name = "N", default_value_t = defaults::CALL_DEPTH)]
    pub(crate) call_depth: u32,

    /// Path segments that are explored for one target, at most.
    #[arg(long, value_name = "N", default_value_t = defaults::SEGMENTS)]
    pub(crate) segments: u64,

    /// The most branches that one run may pass.
    #[arg(long, value_name = "N", default_value_t = defaults::EXPLORE_FUEL)]
    pub(crate) fuel: u64,

    /// Write the tests of reached targets to this folder, as `gen` does.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Do not compile and run them with this machine's compiler.
    #[arg(long)]
    pub(crate) no_native: bool,

    /// The C compiler for that, by name or path [default: clang if its coverage tools are there, else any].
    #[arg(long, value_name = "COMPILER", conflicts_with = "no_native")]
    pub(crate) cc: Option<String>,

    /// Leave a part of the search out: slicing, merging, back-jumping, lazy-callees, loop-methods.
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = names::reach_part)]
    pub(crate) without: Vec<ReachPart>,

    /// The result as JSON on stdout.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// The folder that `symcrete gen` wrote.
    #[arg(value_name = "DIR", default_value = defaults::OUT)]
    pub(crate) folder: PathBuf,

    /// The C compiler, by name or path [default: clang if its coverage tools are there, else any].
    #[arg(long, value_name = "COMPILER")]
    pub(crate) cc: Option<String>,

    /// Whether tests run in a sandbox: what this machine has, all of it, or none.
    #[arg(long, value_enum, value_name = "WHETHER", default_value = defaults::SANDBOX)]
    pub(crate) native_sandbox: Wanted,

    /// The most time for one test on this machine.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::NATIVE_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) native_time: f64,

    /// The result as JSON on stdout.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,

    #[command(flatten)]
    pub(crate) shape: ShapeArgs,

    /// The function to run.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) function: Option<String>,

    /// Values by parameter name, as JSON or a file that has it; what is left out is zero.
    #[arg(long, value_name = "JSON|FILE")]
    pub(crate) input: Option<String>,

    /// A file that the program finds under this name; its content is that of FILE. May be repeated.
    #[arg(long = "file", value_name = "NAME=FILE")]
    pub(crate) provided: Vec<String>,

    /// The most branches that the run may pass.
    #[arg(long, value_name = "N", default_value_t = defaults::FUEL)]
    pub(crate) fuel: u64,

    /// The result as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the path condition as an SMT-LIB script (`-` for stdout).
    #[arg(long, value_name = "FILE|-")]
    pub(crate) smt2: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct FunctionsArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,

    #[command(flatten)]
    pub(crate) shape: ShapeArgs,

    /// As JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CfgArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,

    /// The function to draw.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) function: Option<String>,

    /// The form of the drawing.
    #[arg(long, value_enum, default_value_t = Drawing::Svg)]
    pub(crate) format: Drawing,

    /// Write the drawing to this file [default: stdout].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Drawing {
    /// A picture.
    Svg,
    /// Graphviz's language.
    Dot,
}

#[derive(Args, Debug)]
pub(crate) struct GenArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,

    #[command(flatten)]
    pub(crate) shape: ShapeArgs,

    #[command(flatten)]
    pub(crate) growth: GrowthArgs,

    /// Set the members of structures directly, also where functions of the program make them.
    #[arg(long)]
    pub(crate) raw_structs: bool,

    /// The functions to test [default: all that can be].
    #[arg(long, short, value_name = "NAME")]
    pub(crate) function: Vec<String>,

    #[arg(long, value_name = "NAME", default_value = defaults::STRATEGY,
          value_parser = names::strategy, help = names::strategies())]
    pub(crate) strategy: StrategyKind,

    /// The solver for path conditions; `symcrete solvers` lists the names.
    #[arg(long, value_name = "NAME", default_value = defaults::SOLVER,
          value_parser = names::solver)]
    pub(crate) solver: SolverKind,

    /// Where random choices start; the same seed gives the same tests.
    #[arg(long, value_name = "N", default_value_t = defaults::SEED)]
    pub(crate) seed: u64,

    /// The most runs of one function on inputs that a solver found.
    #[arg(long, value_name = "N", default_value_t = defaults::ITERATIONS)]
    pub(crate) iterations: u64,

    /// The most time for one function, in seconds, from the start of its exploration.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::TIME_SECONDS,
          value_parser = parse_time)]
    pub(crate) time: f64,

    /// The most time for all of this call, in seconds: compiling, every function, running the tests [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) total_time: Option<f64>,

    /// The most conditions on a path; branches further down are not flipped.
    #[arg(long, value_name = "N", default_value_t = defaults::PATH_DEPTH)]
    pub(crate) depth: u32,

    /// The most steps for one path condition.
    #[arg(long, value_name = "N", default_value_t = defaults::QUERY_STEPS)]
    pub(crate) steps: u64,

    /// The most branches that one run may pass.
    #[arg(long, value_name = "N", default_value_t = defaults::EXPLORE_FUEL)]
    pub(crate) fuel: u64,

    /// How many functions to explore at the same time [default: one per core].
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,

    /// Leave a part of the solving chain out: slices, cache, intervals, tiny, guesses, partial, cores, bursts, batch.
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = names::part)]
    pub(crate) without: Vec<Part>,

    /// Start from a random input instead of zeros.
    #[arg(long)]
    pub(crate) random_input: bool,

    /// Do not try backward what forward exploration leaves open.
    #[arg(long)]
    pub(crate) no_backward: bool,

    /// Write every path condition that goes to a solver there, as SMT-LIB.
    #[arg(long, value_name = "DIR")]
    pub(crate) log_queries: Option<PathBuf>,

    /// The folder for tests and reports.
    #[arg(long, value_name = "DIR", default_value = defaults::OUT)]
    pub(crate) out: PathBuf,

    /// Write no files; only report what was found.
    #[arg(long)]
    pub(crate) no_out: bool,

    /// Replace the folder if it exists.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,

    /// Continue where an earlier run of the same program stopped.
    #[arg(long)]
    pub(crate) resume: bool,

    /// What tests are written for: plain, unity, cmocka.
    #[arg(long, value_name = "NAME", default_value = defaults::FRAMEWORK,
          value_parser = names::framework)]
    pub(crate) framework: Framework,

    /// Keep a test for every path, not only those that cover something new.
    #[arg(long)]
    pub(crate) all: bool,

    /// Do not compile and run the tests with this machine's compiler.
    #[arg(long)]
    pub(crate) no_native: bool,

    /// The C compiler for that, by name or path [default: clang if its coverage tools are there, else any].
    #[arg(long, value_name = "COMPILER", conflicts_with = "no_native")]
    pub(crate) cc: Option<String>,

    /// Whether tests run in a sandbox: what this machine has, all of it, or none.
    #[arg(long, value_enum, value_name = "WHETHER", default_value = defaults::SANDBOX)]
    pub(crate) native_sandbox: Wanted,

    /// The most time for one test on this machine.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::NATIVE_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) native_time: f64,

    /// End with exit code 1 if this was found: bugs.
    #[arg(long, value_name = "WHAT", value_parser = ["bugs"])]
    pub(crate) fail_on: Option<String>,

    /// End with exit code 1 if less than this share of the branch sides, in percent, is covered or proved infeasible.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(crate) min_coverage: Option<f64>,

    /// The result as JSON on stdout.
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_time(text: &str) -> Result<f64, String> {
    if text.parse() == Ok(0.0) { Ok(0.0) } else { parse_seconds(text) }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if percent >= 0.0 && f64::is_finite(percent) => Ok(percent),
        _ => Err("a percentage, such as 90".to_owned()),
    }
}

fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs) if jobs > 0 => Ok(jobs),
        _ => Err("a number of functions, at least 1".to_owned()),
    }
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
