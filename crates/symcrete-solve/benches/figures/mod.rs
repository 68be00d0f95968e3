//! What is measured, and how it is written down.

pub(crate) mod ablation;
pub(crate) mod evaluation;
pub(crate) mod generated;
pub(crate) mod inspect;
pub(crate) mod ippc;
pub(crate) mod members;
pub(crate) mod portfolio;
pub(crate) mod walk;

use std::path::PathBuf;
use symcrete_solve::SolverKind;
use symcrete_solve::smt::Toolbox;

use rustix::time::{ClockId, clock_gettime};

/// How much is measured.
pub(crate) struct Effort {
    /// Seeds of each configuration.
    pub(crate) seeds: u64,
    /// Steps of a query.
    pub(crate) steps: u64,
    /// Only every n-th problem.
    pub(crate) every: usize,
    /// Conditions in each of the ten sets for InSPeCT.
    pub(crate) conditions: usize,
    /// What an SMT solver may take for one of them; none is asked if zero.
    pub(crate) smt_seconds: u64,
    /// Evaluations timed for each formula.
    pub(crate) evaluations: u64,
    /// The solvers that are measured by the clock.
    pub(crate) solvers: Vec<SolverKind>,
    /// What each of them may take for a condition or a file.
    pub(crate) seconds: f64,
    /// A folder of SMT-LIB files.
    pub(crate) smt2: Option<PathBuf>,
}

impl Effort {
    /// For the figures.
    pub(crate) fn full() -> Effort {
        Effort {
            seeds: 10,
            steps: 200_000,
            every: 1,
            conditions: 104,
            smt_seconds: 5,
            evaluations: 300_000,
            solvers: vec![SolverKind::Auto],
            seconds: 10.0,
            smt2: None,
        }
    }

    /// The same with what the command line says.
    pub(crate) fn with_arguments(mut self, arguments: &[String]) -> Effort {
        for pair in arguments.windows(2) {
            match pair[0].as_str() {
                "--solvers" => {
                    let kind = |name: &str| name.parse().expect("a solver's name");
                    self.solvers = pair[1].split(',').map(kind).collect();
                }
                "--seconds" => self.seconds = pair[1].parse().expect("a number of seconds"),
                "--seeds" => self.seeds = pair[1].parse().expect("a number of seeds"),
                "--every" => self.every = pair[1].parse().expect("a number of problems"),
                "--smt2" => self.smt2 = Some(PathBuf::from(&pair[1])),
                _ => {}
            }
        }
        self
    }

    /// For a test.
    pub(crate) fn tiny() -> Effort {
        Effort {
            seeds: 1,
            steps: 2_000,
            every: 16,
            conditions: 1,
            smt_seconds: 0,
            evaluations: 300,
            solvers: vec![SolverKind::Auto],
            seconds: 0.2,
            smt2: None,
        }
    }
}

/// A table for people and the raw data behind it.
pub(crate) struct Report {
    /// Markdown.
    pub(crate) table: String,
    /// Comma-separated values with a header line.
    pub(crate) raw: String,
}

impl Report {
    /// A report with a title and the header of its raw data.
    pub(crate) fn new(title: &str, raw_header: &str) -> Report {
        Report { table: format!("## {title}\n\n"), raw: format!("{raw_header}\n") }
    }

    /// Adds a line to the table.
    pub(crate) fn line(&mut self, line: &str) {
        self.table.push_str(line);
        self.table.push('\n');
    }

    /// Adds a line of raw data.
    pub(crate) fn row(&mut self, row: &str) {
        self.raw.push_str(row);
        self.raw.push('\n');
    }

    /// Writes `NAME.md` and `NAME.csv` into a folder.
    #[expect(clippy::disallowed_methods, reason = "a benchmark writes its data")]
    pub(crate) fn write(&self, folder: &str, name: &str) {
        std::fs::create_dir_all(folder).expect("the folder can be made");
        for (ending, text) in [("md", &self.table), ("csv", &self.raw)] {
            std::fs::write(format!("{folder}/{name}.{ending}"), text)
                .expect("files can be written");
        }
    }
}

/// The median of numbers, which are sorted by this.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match numbers.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => numbers[n / 2],
        n => (numbers[n / 2 - 1] + numbers[n / 2]) / 2.0,
    }
}

/// Seconds this thread has run, so that other load on the machine does not count.
pub(crate) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds on the clock, for work in other processes.
pub(crate) fn wall_seconds() -> f64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The solvers that `make tools` installed, or else those on the `PATH`.
#[expect(clippy::disallowed_methods, reason = "a benchmark looks for installed solvers")]
pub(crate) fn toolbox() -> Toolbox {
    let project = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools/venv/bin");
    let path = std::env::var("PATH").unwrap_or_default();
    Toolbox::new(std::iter::once(project).chain(std::env::split_paths(&path)))
}
