//! The native proof: compiles test files with the host's compiler, runs every test in a process of its own, and
//! compares results and branch coverage with what the WebAssembly runs said.
//!
//! What is compared and how is in [`symcrete_emit::native`]; here are the processes.

mod build;
mod counted;
mod folder;
mod limited;
mod report;
mod tools;

pub(crate) use folder::prove_folder;
pub(crate) use report::{json, lines};
pub(crate) use tools::Tools;

use build::{Built, build};
use limited::{Exit, run};
use std::path::{Path, PathBuf};
use std::time::Duration;
use symcrete_emit::native::{BranchSide, Comparison, Difference, Ended, NativeReport, reasons};

/// What is the same for all test files.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Flags that the sources need: `-I`, `-D`.
    pub(crate) flags: Vec<String>,
    /// Where compilers run: paths in flags start there.
    pub(crate) root: PathBuf,
    /// How long one test, or one compilation, may take.
    pub(crate) time_max: Duration,
}

/// One test file.
#[derive(Clone, Debug)]
pub(crate) struct TestFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// C files that are linked with it, each with whether it has a `main`.
    pub(crate) link: Vec<(PathBuf, bool)>,
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
    let mut report = NativeReport { compiler: tools.version(), ..NativeReport::default() };
    for file in files {
        let folder = tempfile::tempdir()?;
        let proof = Proof { tools, settings, file, folder: folder.path() };
        proof.prove(&mut report);
    }
    Ok(report)
}

/// The proof of one test file, in a folder of its own.
struct Proof<'a> {
    tools: &'a Tools,
    settings: &'a Settings,
    file: &'a TestFile,
    folder: &'a Path,
}

impl Proof<'_> {
    fn prove(&self, report: &mut NativeReport) {
        let name = self.file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let built = match build(self.tools, self.settings, self.file, self.folder) {
            Ok(built) => built,
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
        for (test, sides) in &self.file.tests {
            let profile = self.folder.join("test.profraw");
            match self.run_test(&built, test, &profile) {
                None => report.passed += 1,
                Some(ended) => {
                    report.failed.push(self.difference(test, ended));
                    continue;
                }
            }
            // Only tests that passed are compared: the others are listed already.
            if built.uncounted.is_some() {
                continue;
            }
            match counted::branches(self.tools, self.settings, &built, &profile, self.folder) {
                Ok(native) => comparison.add(test, sides, &native),
                Err(why) => report.notes.push(format!("{test}: its coverage is not known: {why}")),
            }
        }
        if let Some(n_compared) = comparison.n_compared() {
            *report.sides_compared.get_or_insert_default() += n_compared;
            report.coverage.extend(comparison.differences());
        }
    }

    fn difference(&self, test: &str, ended: Ended) -> Difference {
        let reasons = match ended {
            // The compiler's message is the reason.
            Ended::NotCompiled(_) => Vec::new(),
            Ended::Failed(_) | Ended::Crashed(_) | Ended::TimedOut => reasons(&self.file.source),
        };
        Difference { test: test.to_string(), ended, reasons }
    }

    /// Runs one test; `None` if it passed.
    fn run_test(&self, built: &Built, test: &str, profile: &Path) -> Option<Ended> {
        let mut command = limited::command(&built.program);
        command.arg(test).current_dir(self.folder).env("LLVM_PROFILE_FILE", profile);
        match run(command, self.settings.time_max) {
            Ok(Exit { code: Some(0), .. }) => None,
            Ok(Exit { code: Some(1), output, .. }) => {
                Some(Ended::Failed(output.trim_end().to_string()))
            }
            Ok(Exit { code: Some(code), .. }) => Some(Ended::Crashed(format!("exit code {code}"))),
            Ok(Exit { code: None, output, signal }) => {
                let output = output.trim_end();
                let note = if output.is_empty() { String::new() } else { format!(": {output}") };
                Some(Ended::Crashed(format!("signal {}{note}", signal.unwrap_or_default())))
            }
            Err(limited::RunError::TooLong) => Some(Ended::TimedOut),
            Err(limited::RunError::Io(error)) => Some(Ended::Crashed(error.to_string())),
        }
    }
}
