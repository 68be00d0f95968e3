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
use symcrete_program::data_model::DataModel;
use symcrete_program::frontend::Check;
use symcrete_program::runtime::INPUT_CAPACITY;
use symcrete_solve::SolverKind;

/// Write tests for C code: inputs that take every branch, and proofs where none can.
#[derive(Parser, Debug)]
#[command(name = "symcrete", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Show everything in reports, and log to stderr; -vv logs every decision.
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
    /// Exits with code 1 if a test gives another result or takes another side of a branch.
    Replay(ReplayArgs),

    /// Run one function on one input: outcome, path condition, coverage.
    Run(RunArgs),

    /// List the functions of a program: their parameters, and which of them can be tested.
    Functions(FunctionsArgs),

    /// Draw a function's control flow.
    Cfg(CfgArgs),

    /// Check that this machine has what `gen` needs, and say how to get what is missing.
    ///
    /// Compilers, sanitizers, the sandbox and the SMT solvers are tried out, not just looked for. Exits with code 3 if
    /// something necessary is missing.
    Doctor(DoctorArgs),

    /// Run a program of the native proof in a sandbox. Started only by Symcrete itself.
    #[command(name = contained::COMMAND, hide = true)]
    Contained(ContainedArgs),

    /// List the solvers: what each is good at, and whether it is installed.
    Solvers {
        /// Print JSON, one object per line.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// First install the SMT solvers and the 64-bit C library into your data folder, where every command finds them.
    #[arg(long)]
    pub(crate) install: bool,

    /// Print the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
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

    /// Seed of all random choices; the same seed gives the same answers.
    #[arg(long, value_name = "N", default_value_t = defaults::SEED)]
    pub(crate) seed: u64,

    /// Step limit for each check-sat, in the solver's own unit [default: no limit].
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,

    /// Time limit for each check-sat. Answers cut off by it are not reproducible.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::TIMEOUT_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) timeout: f64,

    /// Memory limit of each solver process.
    #[arg(long, value_name = "MiB", default_value_t = defaults::MEMORY_MIB,
          value_parser = clap::value_parser!(u64).range(16..=1 << 30))]
    pub(crate) memory: u64,

    /// One JSON object per check-sat instead of SMT-LIB answers.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print to stderr which solver answered and what it took.
    #[arg(long)]
    pub(crate) stats: bool,

    /// Print to stderr which solvers tried, for how long, and why those without an answer have none.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Remember in this file which solvers answer which kind of condition, and use that (`auto` only).
    #[arg(long, value_name = "FILE")]
    pub(crate) experience: Option<PathBuf>,
}

/// What is compiled, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct SourceArgs {
    /// C files that belong to one program; or one `.wasm` or `.wat` file.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Search this directory for headers.
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

    /// Also report these as failures: overflow, bounds, shift, overshift, null, float-cast, alignment, builtin,
    /// pointer-overflow, invalid-value. C allows these: unsigned-overflow, float-division, conversion, nullability.
    /// Further: alloc (any allocation may fail), leaks (memory that `main` does not free), uninitialized (branches on
    /// uninitialised values).
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = names::check)]
    pub(crate) check: Vec<Check>,

    /// How wide `long` and pointers are: lp64 (8 bytes) or ilp32 (4 bytes).
    #[arg(long, value_name = "NAME", default_value = defaults::data_model(),
          value_parser = names::data_model)]
    pub(crate) data_model: DataModel,

    /// Execute this function without analysing it; it must be pure.
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) opaque: Vec<String>,

    /// Replace this function by a stub whose results are inputs.
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) stub: Vec<String>,
}

/// How large inputs may become.
#[derive(Args, Debug)]
pub(crate) struct ShapeArgs {
    /// Start with arrays and strings of up to N elements; `gen` makes them longer where a branch needs it.
    #[arg(long, value_name = "N", default_value_t = defaults::LENGTH,
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) length: u32,

    /// Follow chains of up to N pointers; `gen` follows longer ones where a branch needs it.
    #[arg(long, value_name = "N", default_value_t = defaults::POINTER_DEPTH,
          value_parser = clap::value_parser!(u32).range(0..=16))]
    pub(crate) pointer_depth: u32,

    /// Treat global variables as inputs too.
    #[arg(long)]
    pub(crate) globals: bool,
}

/// How far inputs may grow where branches need larger ones.
#[derive(Args, Debug)]
pub(crate) struct GrowthArgs {
    /// Let arrays and strings grow up to N elements where a branch needs it.
    #[arg(long, value_name = "N", default_value_t = defaults::MAX_LENGTH,
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) max_length: u32,

    /// Follow chains of up to N pointers where a branch needs it.
    #[arg(long, value_name = "N", default_value_t = defaults::MAX_POINTER_DEPTH,
          value_parser = clap::value_parser!(u32).range(0..=16))]
    pub(crate) max_pointer_depth: u32,

    /// Let files, environment variables and standard input grow up to N bytes where a branch needs it.
    #[arg(long, value_name = "N", default_value_t = defaults::MAX_INPUT_BYTES,
          value_parser = clap::value_parser!(u32).range(i64::from(defaults::INPUT_BYTES)..=i64::from(INPUT_CAPACITY)))]
    pub(crate) max_input_bytes: u32,
}

#[derive(Args, Debug)]
pub(crate) struct ReachArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,

    #[command(flatten)]
    pub(crate) shape: ShapeArgs,

    /// Start only in this function. May be repeated [default: all that can lead to the target].
    #[arg(long, short, value_name = "NAME")]
    pub(crate) function: Vec<String>,

    /// Time limit for each target.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::TIME_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) time: f64,

    /// Reach a failure at the lines: div-by-zero, overflow, nan, null, bounds, null-call, unreachable, abort, assertion,
    /// check (of --check).
    #[arg(long, value_name = "KIND", value_parser = names::trap)]
    pub(crate) trap: Option<Trap>,

    /// Aim at every line that did not run according to this coverage report.
    #[arg(long, value_name = "LCOV")]
    pub(crate) from: Option<PathBuf>,

    /// The solver for path conditions; `symcrete solvers` lists the names.
    #[arg(long, value_name = "NAME", default_value = defaults::SOLVER,
          value_parser = names::solver)]
    pub(crate) solver: SolverKind,

    /// Seed of all random choices; the same seed gives the same answers.
    #[arg(long, value_name = "N", default_value_t = defaults::SEED)]
    pub(crate) seed: u64,

    /// Go around a loop at most N times on one path.
    #[arg(long, value_name = "N", default_value_t = defaults::LOOP_BOUND)]
    pub(crate) loop_bound: u32,

    /// Follow at most N nested calls on one path.
    #[arg(long, value_name = "N", default_value_t = defaults::CALL_DEPTH)]
    pub(crate) call_depth: u32,

    /// Give up on a target after N path segments.
    #[arg(long, value_name = "N", default_value_t = defaults::SEGMENTS)]
    pub(crate) segments: u64,

    /// Cut a run off after N branches.
    #[arg(long, value_name = "N", default_value_t = defaults::EXPLORE_FUEL)]
    pub(crate) fuel: u64,

    /// Write the tests of reached targets to this folder, as `gen` does.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Do not compile and run these tests on this machine.
    #[arg(long)]
    pub(crate) no_native: bool,

    /// The C compiler for the tests, by name or path [default: clang if its coverage tools are there, else any].
    #[arg(long, value_name = "COMPILER", conflicts_with = "no_native")]
    pub(crate) cc: Option<String>,

    /// Turn off parts of the search: slicing, merging, back-jumping, lazy-callees, loop-methods.
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = names::reach_part)]
    pub(crate) without: Vec<ReachPart>,

    /// Print the result as JSON.
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

    /// Whether native tests run in a sandbox.
    #[arg(long, value_enum, value_name = "WHETHER", default_value = defaults::SANDBOX)]
    pub(crate) native_sandbox: Wanted,

    /// Time limit for each native test.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::NATIVE_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) native_time: f64,

    /// Print the result as JSON.
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

    /// Values by parameter name, as JSON or the name of a JSON file. All others are zero.
    #[arg(long, value_name = "JSON|FILE")]
    pub(crate) input: Option<String>,

    /// Let the program open FILE under this name. May be repeated.
    #[arg(long = "file", value_name = "NAME=FILE")]
    pub(crate) provided: Vec<String>,

    /// Cut the run off after N branches.
    #[arg(long, value_name = "N", default_value_t = defaults::FUEL)]
    pub(crate) fuel: u64,

    /// Print the result as JSON.
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

    /// Print JSON, one object per line.
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

    /// The format of the drawing.
    #[arg(long, value_enum, default_value_t = Drawing::Svg)]
    pub(crate) format: Drawing,

    /// Write the drawing to this file [default: stdout].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Drawing {
    /// An SVG picture.
    Svg,
    /// The language of Graphviz.
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

    /// Set the members of structures directly, even if functions of the program make such objects.
    #[arg(long)]
    pub(crate) raw_structs: bool,

    /// Test only this function. May be repeated [default: all that can be tested].
    #[arg(long, short, value_name = "NAME")]
    pub(crate) function: Vec<String>,

    #[arg(long, value_name = "NAME", default_value = defaults::STRATEGY,
          value_parser = names::strategy, help = names::strategies())]
    pub(crate) strategy: StrategyKind,

    /// The solver for path conditions; `symcrete solvers` lists the names.
    #[arg(long, value_name = "NAME", default_value = defaults::SOLVER,
          value_parser = names::solver)]
    pub(crate) solver: SolverKind,

    /// Seed of all random choices; the same seed gives the same tests.
    #[arg(long, value_name = "N", default_value_t = defaults::SEED)]
    pub(crate) seed: u64,

    /// Stop exploring a function after N runs on inputs from a solver.
    #[arg(long, value_name = "N", default_value_t = defaults::ITERATIONS)]
    pub(crate) iterations: u64,

    /// Time limit for exploring each function.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::TIME_SECONDS,
          value_parser = parse_time)]
    pub(crate) time: f64,

    /// Time limit for the whole command: compiling, exploring, running the tests [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) total_time: Option<f64>,

    /// Do not flip branches after more than N conditions on a path.
    #[arg(long, value_name = "N", default_value_t = defaults::PATH_DEPTH)]
    pub(crate) depth: u32,

    /// Step limit for each solver query.
    #[arg(long, value_name = "N", default_value_t = defaults::QUERY_STEPS)]
    pub(crate) steps: u64,

    /// Cut a run off after N branches.
    #[arg(long, value_name = "N", default_value_t = defaults::EXPLORE_FUEL)]
    pub(crate) fuel: u64,

    /// Explore N functions, and run N native tests, at the same time [default: one per core].
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,

    /// Turn off parts of the solving chain: slices, cache, intervals, tiny, guesses, partial, cores, bursts, batch.
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = names::part)]
    pub(crate) without: Vec<Part>,

    /// Start from a random input instead of zeros.
    #[arg(long)]
    pub(crate) random_input: bool,

    /// Do not try backward execution on sides that forward exploration leaves open.
    #[arg(long)]
    pub(crate) no_backward: bool,

    /// Write every solver query to this folder, as SMT-LIB.
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

    /// Do not compile and run the tests on this machine.
    #[arg(long)]
    pub(crate) no_native: bool,

    /// The C compiler for the tests, by name or path [default: clang if its coverage tools are there, else any].
    #[arg(long, value_name = "COMPILER", conflicts_with = "no_native")]
    pub(crate) cc: Option<String>,

    /// Whether native tests run in a sandbox.
    #[arg(long, value_enum, value_name = "WHETHER", default_value = defaults::SANDBOX)]
    pub(crate) native_sandbox: Wanted,

    /// Time limit for each native test.
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::NATIVE_SECONDS,
          value_parser = parse_seconds)]
    pub(crate) native_time: f64,

    /// Exit with code 1 if any of these were found.
    #[arg(long, value_name = "WHAT", value_parser = ["bugs"])]
    pub(crate) fail_on: Option<String>,

    /// Exit with code 1 if less than this percentage of the branch sides is covered or proved infeasible.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(crate) min_coverage: Option<f64>,

    /// Print the result as JSON.
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
