//! The native proof: compiles test files with the host's compiler, runs every test in a process of its own, and
//! compares results and branch coverage with what the WebAssembly runs said.
//!
//! What is compared and how is in [`symcrete_emit::native`]; here are the processes.

mod build;
mod counted;
mod failures;
mod folder;
mod framework;
mod headers;
mod job;
mod limited;
mod report;
mod sandbox;
mod tools;

pub(crate) use build::cause;
pub(crate) use failures::try_sanitizers;
pub(crate) use folder::{Machine, prove_folder, prove_folder_by_line};
pub(crate) use report::{ended_text, json, lines};
pub(crate) use sandbox::{Sandbox, Wanted};
pub(crate) use tools::{Tools, first_line};

use crate::jobs::in_parallel;
use crate::ui::progress::Progress;
use crate::watchdog::now;
use build::{Built, build};
use counted::Counted;
use job::{Job, Ran};
use limited::Exit;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use symcrete_emit::Framework;
use symcrete_emit::native::{
    BranchSide, Comparison, Difference, Ended, NativeBranch, NativeReport, Recorded, reasons,
};
use symcrete_program::data_model::DataModel;

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
    /// How many compilers and tests run at the same time.
    pub(crate) n_workers: usize,
}

/// How long native tests may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// One test.
    pub(crate) test: Duration,
    /// When all must be done.
    pub(crate) end: Option<Instant>,
}

impl TimeLimits {
    /// The same with half of the time for all.
    fn halved(self) -> TimeLimits {
        let half = |end: Instant| now() + end.saturating_duration_since(now()) / 2;
        TimeLimits { end: self.end.map(half), ..self }
    }
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
    pub(crate) tests: Vec<Recorded>,
    /// Every side of every branch that may be compared.
    pub(crate) known: Vec<BranchSide>,
    /// The text of the source under test, which can explain differences.
    pub(crate) source: String,
    /// The texts of the headers that it includes, as far as they are found: macros are defined there.
    pub(crate) headers: String,
    /// That file's name.
    pub(crate) source_name: Option<OsString>,
    /// The data model of the WebAssembly runs.
    pub(crate) model: DataModel,
}

/// Compiles and runs all tests, on all cores. Where something cannot be compiled or run that is a difference, not an
/// error; only a folder for the programs must be there.
pub(crate) fn prove(
    tools: &Tools,
    settings: &Settings,
    files: &[TestFile],
    progress: &Progress,
) -> std::io::Result<NativeReport> {
    let mut report = NativeReport {
        compiler: tools.version(),
        containment: settings.sandbox.containment(),
        ..NativeReport::default()
    };
    let shared = tempfile::tempdir()?;
    let needs = framework::needs(settings.framework, tools, settings, shared.path())?;
    report.notes.extend(needs.note.clone());
    let proof =
        |file| Ok(Proof { tools, settings, needs: &needs, file, folder: tempfile::tempdir()? });
    let proofs = files.iter().map(proof).collect::<std::io::Result<Vec<Proof<'_>>>>()?;

    let n_tests = files.iter().map(|file| file.tests.len()).sum();
    let meter = progress.meter("compiling and running tests on this machine", n_tests);
    // With fewer files than cores, the tests of one file run side by side.
    let n_workers_of_file = (settings.n_workers / proofs.len().max(1)).max(1);
    let proved = in_parallel(settings.n_workers, &proofs, |proof| {
        let compiled = proof.build();
        let jobs = proof.jobs(&compiled);
        let ran = in_parallel(n_workers_of_file, &jobs, |job| meter.count(|| job.run()));
        (compiled, ran)
    });
    for (proof, (compiled, ran)) in proofs.iter().zip(proved) {
        proof.conclude(&compiled, ran, &mut report);
    }
    Ok(report)
}

/// The proof of one test file, in a folder of its own.
struct Proof<'a> {
    tools: &'a Tools,
    settings: &'a Settings,
    needs: &'a framework::Needs,
    file: &'a TestFile,
    folder: tempfile::TempDir,
}

/// What became of a test file.
enum Compiled {
    Built(Built),
    /// With what the compiler said.
    Refused(String),
    /// The time limit was reached.
    NotTried,
}

impl<'a> Proof<'a> {
    fn build(&self) -> Compiled {
        if self.settings.is_over() {
            return Compiled::NotTried;
        }
        match build(self.tools, self.settings, self.needs, self.file, self.folder.path()) {
            Ok(built) => Compiled::Built(built),
            Err(_) if self.settings.is_over() => Compiled::NotTried,
            Err(message) => Compiled::Refused(message),
        }
    }

    /// The processes that its tests need.
    fn jobs(&'a self, compiled: &'a Compiled) -> Vec<Job<'a>> {
        let Compiled::Built(built) = compiled else { return Vec::new() };
        let job = |test| Job { proof: self, built, test };
        match self.settings.framework.is_isolated() {
            true => self.file.tests.iter().map(|test| job(Some(test.name.as_str()))).collect(),
            false => vec![job(None)],
        }
    }

    /// Puts what was seen of the file into the report; `ran` has what became of its processes, in order.
    fn conclude(&self, compiled: &Compiled, ran: Vec<Ran>, report: &mut NativeReport) {
        let built = match compiled {
            Compiled::Built(built) => built,
            Compiled::NotTried => {
                report.not_run += self.file.tests.len();
                return;
            }
            Compiled::Refused(message) => {
                self.all_failed(&Ended::NotCompiled(message.clone()), report);
                return;
            }
        };
        report.compiled += 1;
        report.warnings.extend(built.warnings.iter().cloned());
        if let Some(why) = &built.uncounted {
            let name = self.file.path.file_name().unwrap_or_default().to_string_lossy();
            report.notes.push(format!("{name}: branch coverage was not compared: {why}"));
        }
        let mut comparison = Comparison::new(
            &self.file.known,
            (&self.file.source, self.file.model),
            &self.file.headers,
        );
        match self.settings.framework.is_isolated() {
            true => self.conclude_each(ran, &mut comparison, report),
            false => self.conclude_all(ran, &mut comparison, report),
        }
        if let Some(n_compared) = comparison.n_compared() {
            *report.sides_compared.get_or_insert_default() += n_compared;
        }
        let stem = self.file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        report.seen.insert(stem, comparison.seen());
        report.coverage.extend(comparison.differences());
    }

    /// Every test had a process of its own.
    fn conclude_each(
        &self,
        ran: Vec<Ran>,
        comparison: &mut Comparison<'_>,
        report: &mut NativeReport,
    ) {
        for (recorded, ran) in self.file.tests.iter().zip(ran) {
            let test = &recorded.name;
            if ran.is_over {
                report.not_run += 1;
                continue;
            }
            let known = ran.counted.as_ref().and_then(|counted| counted.as_ref().ok());
            let reasons = self.reasons(known.map(|counted| &counted.lines));
            let counted = counted_branches(test, ran.counted, self.settings.notes_lines, report);
            match ran.ended {
                Ok(Exit { code: Some(0), .. }) => {
                    report.passed += 1;
                    // Only tests that passed are compared: the others are listed already.
                    if let Some(native) = counted {
                        comparison.add(recorded, &native);
                    }
                }
                Ok(Exit { code: Some(1), output, .. }) => {
                    let ended = Ended::Failed(output.trim_end().to_string());
                    report.failed.push(difference(test, ended, reasons));
                    // What it took is no longer what was recorded, but it was taken.
                    if let Some(native) = counted {
                        comparison.note(test, &native);
                    }
                }
                Ok(exit) => {
                    let said = ran.explained.into_iter().collect();
                    report.failed.push(difference(test, crash(&exit), said));
                }
                Err(ended) => report.failed.push(difference(test, ended, Vec::new())),
            }
        }
    }

    /// All tests ran in one process, as the frameworks do.
    fn conclude_all(
        &self,
        ran: Vec<Ran>,
        comparison: &mut Comparison<'_>,
        report: &mut NativeReport,
    ) {
        let Some(ran) = ran.into_iter().next() else { return };
        let exit = match ran.ended {
            Ok(exit) => exit,
            Err(_) if ran.is_over => {
                report.not_run += self.file.tests.len();
                return;
            }
            Err(ended) => return self.all_failed(&ended, report),
        };
        let mut is_whole = true;
        for Recorded { name: test, .. } in &self.file.tests {
            let ended = match framework::verdict(self.settings.framework, &exit.output, test) {
                Some(Ok(())) => {
                    report.passed += 1;
                    continue;
                }
                Some(Err(complaint)) => Ended::Failed(complaint),
                None => crash(&exit),
            };
            is_whole = false;
            report.failed.push(difference(test, ended, ran.explained.iter().cloned().collect()));
        }
        // What all took together cannot be told apart: if a test failed, nothing can be compared.
        if is_whole {
            let tests = &self.file.tests;
            let all = Recorded {
                name: format!("all {} tests", tests.len()),
                sides: tests.iter().flat_map(|test| test.sides.clone()).collect(),
                exits: tests.iter().any(|test| test.exits),
            };
            let with_lines = self.settings.notes_lines;
            if let Some(native) = counted_branches(&all.name, ran.counted, with_lines, report) {
                comparison.add(&all, &native);
            }
        }
    }

    fn all_failed(&self, ended: &Ended, report: &mut NativeReport) {
        let tests = self.file.tests.iter();
        report.failed.extend(tests.map(|test| difference(&test.name, ended.clone(), Vec::new())));
    }

    /// What can make the machines differ: in the lines of the source that ran, or anywhere in it if they are not known.
    fn reasons(&self, lines: Option<&BTreeSet<(PathBuf, u32)>>) -> Vec<String> {
        let is_run = |number: usize| {
            let is_it = |(file, line): &(PathBuf, u32)| {
                *line as usize == number && file.file_name() == self.file.source_name.as_deref()
            };
            lines.is_none_or(|lines| lines.iter().any(is_it))
        };
        let source: Vec<&str> = self.file.source.lines().collect();
        let mut text: Vec<&str> = Vec::new();
        for i in (0..source.len()).filter(|i| is_run(i + 1)) {
            // The head of a function stands above the first line that runs.
            let is_end = |line: &&str| line.trim().is_empty() || line.ends_with([';', '}']);
            let head = source[..i].iter().rposition(is_end).map_or(0, |end| end + 1);
            text.extend(&source[head..=i]);
        }
        reasons(&text.join("\n"), self.file.model).into_iter().map(str::to_string).collect()
    }
}

fn difference(test: &str, ended: Ended, reasons: Vec<String>) -> Difference {
    Difference { test: test.to_string(), ended, reasons }
}

/// What a run counted, if that is known; its lines are kept.
fn counted_branches(
    test: &str,
    counted: Option<Result<Counted, String>>,
    keeps_lines: bool,
    report: &mut NativeReport,
) -> Option<Vec<NativeBranch>> {
    match counted? {
        Ok(counted) => {
            if keeps_lines {
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
