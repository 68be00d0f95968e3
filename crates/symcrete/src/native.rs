//! The native proof: compiles test files with the host's compiler, runs every test in a process of its own, and
//! compares results and branch coverage with what the WebAssembly runs said.
//!
//! What is compared and how is in [`symcrete_emit::native`]; here are the processes.

mod build;
mod counted;
mod failures;
mod folder;
mod framework;
mod limited;
mod report;
mod sandbox;
mod tools;

pub(crate) use build::cause;
pub(crate) use folder::{prove_folder, prove_folder_by_line};
pub(crate) use report::{json, lines};
pub(crate) use sandbox::{Sandbox, Wanted};
pub(crate) use tools::Tools;

use crate::watchdog::now;
use build::{Built, build};
use limited::{Exit, RunError, run_test};
use sandbox::TestRun;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use symcrete_emit::Framework;
use symcrete_emit::native::{
    BranchSide, Comparison, Difference, Ended, NativeBranch, NativeReport, reasons,
};

/// What is the same for all test files.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Flags that the sources need: `-I`, `-D`.
    pub(crate) flags: Vec<String>,
    /// Where compilers run: paths in flags start there.
    pub(crate) root: PathBuf,
    /// How long one compilation may take.
    pub(crate) compiler_max: Duration,
    /// How long tests may take.
    pub(crate) limits: TimeLimits,
    /// What the tests are written for.
    pub(crate) framework: Framework,
    /// What the tests run in.
    pub(crate) sandbox: Sandbox,
    /// Whether the report is to have the lines that each test ran.
    pub(crate) notes_lines: bool,
}

/// How long native tests may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// One test.
    pub(crate) test: Duration,
    /// When all must be done.
    pub(crate) end: Option<Instant>,
}

impl Settings {
    /// How long a compiler that is started now may run.
    fn time_max(&self) -> Duration {
        self.left(self.compiler_max)
    }

    /// The part of a limit that is left before all must be done.
    fn left(&self, each_max: Duration) -> Duration {
        let left = self.limits.end.map(|end| end.saturating_duration_since(now()));
        left.map_or(each_max, |left| left.min(each_max))
    }

    /// Whether the time for all is up. What ended by then was cut short, and says nothing.
    fn is_over(&self) -> bool {
        self.time_max().is_zero()
    }
}

/// A C file that a test program is linked with.
#[derive(Clone, Debug)]
pub(crate) struct LinkedSource {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Whether it has a `main` of its own.
    pub(crate) has_main: bool,
}

/// One test file.
#[derive(Clone, Debug)]
pub(crate) struct TestFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// C files that are linked with it.
    pub(crate) link: Vec<LinkedSource>,
    /// Its tests, each with the sides of branches that its WebAssembly run took.
    pub(crate) tests: Vec<(String, Vec<BranchSide>)>,
    /// Every side of every branch that may be compared.
    pub(crate) known: Vec<BranchSide>,
    /// The text of the source under test, which can explain differences.
    pub(crate) source: String,
}

/// Compiles and runs all tests. Where something cannot be compiled or run that is a difference, not an error;
/// only a folder for the programs must be there.
pub(crate) fn prove(
    tools: &Tools,
    settings: &Settings,
    files: &[TestFile],
) -> std::io::Result<NativeReport> {
    let mut report = NativeReport {
        compiler: tools.version(),
        containment: settings.sandbox.containment(),
        ..NativeReport::default()
    };
    let shared = tempfile::tempdir()?;
    let needs = framework::needs(settings.framework, tools, settings, shared.path())?;
    report.notes.extend(needs.note.clone());
    for file in files {
        if settings.is_over() {
            report.not_run += file.tests.len();
            continue;
        }
        let folder = tempfile::tempdir()?;
        let proof = Proof { tools, settings, needs: &needs, file, folder: folder.path() };
        proof.prove(&mut report);
    }
    Ok(report)
}

/// The proof of one test file, in a folder of its own.
struct Proof<'a> {
    tools: &'a Tools,
    settings: &'a Settings,
    needs: &'a framework::Needs,
    file: &'a TestFile,
    folder: &'a Path,
}

impl Proof<'_> {
    fn prove(&self, report: &mut NativeReport) {
        let name = self.file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let built = match build(self.tools, self.settings, self.needs, self.file, self.folder) {
            Ok(built) => built,
            Err(_) if self.settings.is_over() => {
                report.not_run += self.file.tests.len();
                return;
            }
            Err(message) => {
                let ended = Ended::NotCompiled(message);
                let tests = self.file.tests.iter();
                report.failed.extend(tests.map(|(test, _)| self.difference(test, ended.clone())));
                return;
            }
        };
        report.compiled += 1;
        report.warnings.extend(built.warnings.iter().cloned());
        if let Some(why) = &built.uncounted {
            report.notes.push(format!("{name}: branch coverage was not compared: {why}"));
        }
        let mut comparison = Comparison::new(&self.file.known, &self.file.source);
        match self.settings.framework.is_isolated() {
            true => self.run_each(&built, &mut comparison, report),
            false => self.run_all(&built, &mut comparison, report),
        }
        if let Some(n_compared) = comparison.n_compared() {
            *report.sides_compared.get_or_insert_default() += n_compared;
        }
        let stem = self.file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        report.seen.insert(stem, comparison.seen());
        report.coverage.extend(comparison.differences());
    }

    /// Runs every test in a process of its own.
    fn run_each(&self, built: &Built, comparison: &mut Comparison<'_>, report: &mut NativeReport) {
        for (test, sides) in &self.file.tests {
            let ended = self.run(built, Some(test));
            if self.settings.is_over() {
                report.not_run += 1;
                continue;
            }
            match ended {
                Ok(Exit { code: Some(0), .. }) => {
                    report.passed += 1;
                    // Only tests that passed are compared: the others are listed already.
                    self.compare(built, test, sides, comparison, report);
                }
                Ok(Exit { code: Some(1), output, .. }) => {
                    let ended = Ended::Failed(output.trim_end().to_string());
                    report.failed.push(self.difference(test, ended));
                    // What it took is no longer what was recorded, but it was taken.
                    if let Some(native) = self.counted(built, test, report) {
                        comparison.note(test, &native);
                    }
                }
                Ok(exit) => report.failed.push(self.difference(test, crash(&exit))),
                Err(ended) => report.failed.push(self.difference(test, ended)),
            }
        }
    }

    /// Runs all tests in one process, as the frameworks do.
    fn run_all(&self, built: &Built, comparison: &mut Comparison<'_>, report: &mut NativeReport) {
        let exit = match self.run(built, None) {
            Ok(exit) => exit,
            Err(_) if self.settings.is_over() => {
                report.not_run += self.file.tests.len();
                return;
            }
            Err(ended) => {
                let tests = self.file.tests.iter();
                report.failed.extend(tests.map(|(test, _)| self.difference(test, ended.clone())));
                return;
            }
        };
        let mut is_whole = true;
        for (test, _) in &self.file.tests {
            let ended = match framework::verdict(self.settings.framework, &exit.output, test) {
                Some(Ok(())) => {
                    report.passed += 1;
                    continue;
                }
                Some(Err(complaint)) => Ended::Failed(complaint),
                None => crash(&exit),
            };
            is_whole = false;
            report.failed.push(self.difference(test, ended));
        }
        // What all took together cannot be told apart: if a test failed, nothing can be compared.
        if is_whole {
            let sides: Vec<BranchSide> =
                self.file.tests.iter().flat_map(|(_, sides)| sides.clone()).collect();
            let all = format!("all {} tests", self.file.tests.len());
            self.compare(built, &all, &sides, comparison, report);
        }
    }

    /// Compares the sides that were taken with those that the last run counted.
    fn compare(
        &self,
        built: &Built,
        test: &str,
        sides: &[BranchSide],
        comparison: &mut Comparison<'_>,
        report: &mut NativeReport,
    ) {
        if let Some(native) = self.counted(built, test, report) {
            comparison.add(test, sides, &native);
        }
    }

    /// What the last run counted, if that is known.
    fn counted(
        &self,
        built: &Built,
        test: &str,
        report: &mut NativeReport,
    ) -> Option<Vec<NativeBranch>> {
        if built.uncounted.is_some() {
            return None;
        }
        match counted::counted(self.tools, self.settings, built, &self.profile(), self.folder) {
            Ok(counted) => {
                if self.settings.notes_lines {
                    report.lines.insert(test.to_owned(), counted.lines);
                }
                Some(counted.branches)
            }
            Err(why) => {
                report.notes.push(format!("{test}: its coverage is not known: {why}"));
                None
            }
        }
    }

    /// Where the last run left its coverage.
    fn profile(&self) -> PathBuf {
        self.folder.join("scratch/test.profraw")
    }

    fn difference(&self, test: &str, ended: Ended) -> Difference {
        let reasons = match ended {
            // The compiler's message is the reason.
            Ended::NotCompiled(_) => Vec::new(),
            Ended::Failed(_) | Ended::Crashed(_) | Ended::TimedOut => reasons(&self.file.source),
        };
        Difference { test: test.to_string(), ended, reasons }
    }

    /// Runs one test, or all, in a scratch folder of its own.
    fn run(&self, built: &Built, test: Option<&str>) -> Result<Exit, Ended> {
        let Settings { sandbox, flags, .. } = self.settings;
        let time_max = self.settings.left(self.settings.limits.test);
        if time_max.is_zero() {
            return Err(Ended::TimedOut);
        }
        let not_run = |error: std::io::Error| Ended::Crashed(format!("it was not run: {error}"));
        let scratch = sandbox.scratch(self.folder).map_err(not_run)?;
        sandbox.open(&built.program).map_err(not_run)?;
        let run = TestRun { time_max, profile: &self.profile(), flags };
        let command = || sandbox.test(&built.program, test, &scratch, &run);
        match run_test(command, time_max) {
            Ok(Exit { signal: Some(SIGXCPU), .. }) | Err(RunError::TooLong) => Err(Ended::TimedOut),
            Ok(exit) => Ok(exit),
            Err(RunError::Io(error)) => Err(not_run(error)),
        }
    }
}

/// The kernel's word for: no processor time is left.
const SIGXCPU: i32 = 24;
/// The kernel's word for: a file has become too large.
const SIGXFSZ: i32 = 25;

/// How a program ended that did not say how its test did.
fn crash(exit: &Exit) -> Ended {
    let how = match (exit.signal, exit.code) {
        (Some(SIGXFSZ), _) => {
            format!("signal {SIGXFSZ}, it wrote a file beyond the limit on sizes")
        }
        (Some(signal), _) => format!("signal {signal}"),
        (None, code) => format!("exit code {}", code.unwrap_or_default()),
    };
    match exit.output.trim_end().lines().last() {
        Some(line) => Ended::Crashed(format!("{how}: {line}")),
        None => Ended::Crashed(how),
    }
}
