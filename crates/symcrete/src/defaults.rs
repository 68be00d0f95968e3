//! Every default of the command line, in one place.

use symcrete_program::data_model::DataModel;

/// The solver.
pub(crate) const SOLVER: &str = "auto";
/// The seed of random choices.
pub(crate) const SEED: u64 = 0;
/// Time limit of one question.
pub(crate) const TIMEOUT_SECONDS: f64 = 60.0;
/// Memory limit of one solver process.
pub(crate) const MEMORY_MIB: u64 = 4096;
/// Where `make tools` installs solvers, below the project's folder.
pub(crate) const TOOLS_BIN: &str = ".tools/venv/bin";
/// Where `make tools` puts Unity, below the project's folder.
pub(crate) const UNITY_FOLDER: &str = ".tools/unity/src";
/// Names directories to look for solvers in, instead of the usual places.
pub(crate) const SOLVERS_VARIABLE: &str = "SYMCRETE_SOLVERS";
/// Names the folder of compiled programs, instead of the usual place.
pub(crate) const CACHE_VARIABLE: &str = "SYMCRETE_CACHE";
/// Names the folder of the C library of 64-bit programs, instead of the usual place.
pub(crate) const LIBC_VARIABLE: &str = "SYMCRETE_LIBC";
/// Names another data model than [`DATA_MODEL`] for all commands that are not told one.
const DATA_MODEL_VARIABLE: &str = "SYMCRETE_DATA_MODEL";
/// How wide `long` and pointers are.
const DATA_MODEL: DataModel = DataModel::Lp64;
/// The most elements of an array.
pub(crate) const LENGTH: u32 = 8;
/// The most elements of an array that a branch needs.
pub(crate) const MAX_LENGTH: u32 = 128;
/// How many pointers are followed.
pub(crate) const POINTER_DEPTH: u32 = 3;
/// How many pointers are followed for a branch that needs them.
pub(crate) const MAX_POINTER_DEPTH: u32 = 6;
/// The most bytes of a file, an environment variable and standard input.
pub(crate) const INPUT_BYTES: u32 = 64;
/// The most bytes of these that a branch needs.
pub(crate) const MAX_INPUT_BYTES: u32 = 1024;
/// Branches that one run may pass, where only one is made.
pub(crate) const FUEL: u64 = 1_000_000_000;
/// Branches that one of many runs may pass.
pub(crate) const EXPLORE_FUEL: u64 = 2_000_000;
/// Which branch is flipped next.
pub(crate) const STRATEGY: &str = "auto";
/// Runs of one function.
pub(crate) const ITERATIONS: u64 = 100_000;
/// Time for one function.
pub(crate) const TIME_SECONDS: f64 = 60.0;
/// Conditions on one path.
pub(crate) const PATH_DEPTH: u32 = 10_000;
/// Steps for one path condition.
pub(crate) const QUERY_STEPS: u64 = 2_000_000;
/// The safety net of one path condition.
pub(crate) const QUERY_SECONDS: u64 = 10;
/// Passes of one loop on a backward path.
pub(crate) const LOOP_BOUND: u32 = 10;
/// Calls within calls on a backward path.
pub(crate) const CALL_DEPTH: u32 = 8;
/// Segments of backward paths.
pub(crate) const SEGMENTS: u64 = 20_000;
/// Steps for one search of phase II.
pub(crate) const PHASE_TWO_STEPS: u64 = 5_000_000;
/// The folder for tests and reports.
pub(crate) const OUT: &str = "symcrete-out";
/// The file in it with all that is known.
pub(crate) use symcrete_emit::suite::FILE as SUITE_FILE;
/// What tests are written for.
pub(crate) const FRAMEWORK: &str = "plain";
/// Whether native tests run in a sandbox.
pub(crate) const SANDBOX: &str = "auto";
/// The most memory of one process of a native test.
pub(crate) const NATIVE_MEMORY_MIB: u64 = 1024;
/// How long one native test, or its compilation, may take.
pub(crate) const NATIVE_SECONDS: f64 = 20.0;

/// The data model of programs, by name. What the variable says is checked as if it stood on the command line.
pub(crate) fn data_model() -> &'static str {
    let named = std::env::var_os(DATA_MODEL_VARIABLE);
    match named.and_then(|name| name.into_string().ok()) {
        Some(name) => name.leak(),
        None => DATA_MODEL.name(),
    }
}
