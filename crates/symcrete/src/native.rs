//! The native proof: compiles test files with the host's compiler, runs every test in a process of its own, and
//! compares results and branch coverage with what the WebAssembly runs said.
//!
//! What is compared and how is in [`symcrete_emit::native`]; here are the processes.

mod build;
mod limited;
mod tools;

pub(crate) use tools::Tools;

use build::{Built, build};
use limited::{Exit, run};
use std::path::{Path, PathBuf};
use std::time::Duration;
use symcrete_emit::native::{
    BranchSide, Difference, Ended, NativeReport, compare, read_export, reasons,
};

/// What is the same for all test files.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Flags that the sources need: `-I`, `-D`.
    pub(crate) flags: Vec<String>,
    /// How long one test, or one compilation, may take.
    pub(crate) time_max: Duration,
    /// Whether branch coverage is compared too.
    pub(crate) with_coverage: bool,
}

/// One test file in the plain framework.
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
        prove_file(tools, settings, file, folder.path(), &mut report);
    }
    Ok(report)
}

fn prove_file(
    tools: &Tools,
    settings: &Settings,
    file: &TestFile,
    folder: &Path,
    report: &mut NativeReport,
) {
    let name = file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let difference = |test: &str, ended: Ended| Difference {
        test: test.to_string(),
        ended,
        reasons: reasons(&file.source),
    };
    let built = match build(tools, settings, file, folder) {
        Ok(built) => built,
        Err(message) => {
            let ended = Ended::NotCompiled(message);
            report.failed.push(difference(&name.unwrap_or_default(), ended));
            return;
        }
    };
    report.compiled += 1;
    report.warnings.extend(built.warnings.iter().cloned());
    let mut taken = Vec::new();
    let mut profiles = Vec::new();
    for (i, (test, sides)) in file.tests.iter().enumerate() {
        let profile = folder.join(format!("{i}.profraw"));
        match run_test(&built, test, &profile, settings, folder) {
            None => {
                report.passed += 1;
                taken.extend(sides.iter().cloned());
                profiles.push(profile);
            }
            Some(ended) => report.failed.push(difference(test, ended)),
        }
    }
    if !built.has_coverage || profiles.is_empty() {
        return;
    }
    // Only tests that passed are compared: the others are listed already.
    if let Some(native) = export(tools, settings, &built, &profiles, folder) {
        let (n_compared, differences) = compare(&taken, &native, &file.known, &file.source);
        *report.sides_compared.get_or_insert_default() += n_compared;
        report.coverage.extend(differences);
    }
}

/// Runs one test; `None` if it passed.
fn run_test(
    built: &Built,
    test: &str,
    profile: &Path,
    settings: &Settings,
    folder: &Path,
) -> Option<Ended> {
    let mut command = limited::command(&built.program);
    command.arg(test).current_dir(folder).env("LLVM_PROFILE_FILE", profile);
    match run(command, settings.time_max) {
        Ok(Exit { code: Some(0), .. }) => None,
        Ok(Exit { code: Some(1), output }) => Some(Ended::Failed(output.trim_end().to_string())),
        Ok(Exit { code: Some(code), .. }) => Some(Ended::Crashed(format!("exit code {code}"))),
        Ok(Exit { code: None, output }) => {
            let output = output.trim_end();
            let note = if output.is_empty() { String::new() } else { format!(": {output}") };
            Some(Ended::Crashed(format!("ended by a signal{note}")))
        }
        Err(limited::RunError::TooLong) => Some(Ended::TimedOut),
        Err(limited::RunError::Io(error)) => Some(Ended::Crashed(error.to_string())),
    }
}

/// What the compiler counted over all tests that passed.
fn export(
    tools: &Tools,
    settings: &Settings,
    built: &Built,
    profiles: &[PathBuf],
    folder: &Path,
) -> Option<Vec<symcrete_emit::native::NativeBranch>> {
    let (profdata, cov) = tools.coverage()?;
    let merged = folder.join("all.profdata");
    let mut command = limited::command(profdata);
    command.args(["merge", "-sparse", "-o"]).arg(&merged);
    command.args(profiles.iter().filter(|profile| profile.is_file()));
    let exit = run(command, settings.time_max).ok()?;
    if exit.code != Some(0) {
        return None;
    }
    let mut command = limited::command(cov);
    command.args(["export", "--format=text", "--skip-functions", "--skip-expansions"]);
    command.arg("--instr-profile").arg(&merged).arg(&built.program);
    let exit = run(command, settings.time_max).ok()?;
    read_export(exit.output.as_bytes()).ok()
}
