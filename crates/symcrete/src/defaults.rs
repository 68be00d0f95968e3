//! Every default of the command line, in one place.

/// Who decides.
pub(crate) const SOLVER: &str = "auto";
/// Where random choices start.
pub(crate) const SEED: u64 = 0;
/// The most time for one question.
pub(crate) const TIMEOUT_SECONDS: f64 = 60.0;
/// The most memory of one solver process.
pub(crate) const MEMORY_MIB: u64 = 4096;
/// Where `make tools` installs solvers, below the project's folder.
pub(crate) const TOOLS_BIN: &str = ".tools/venv/bin";
/// Names directories to look for solvers in, instead of the usual places.
pub(crate) const SOLVERS_VARIABLE: &str = "SYMCRETE_SOLVERS";
