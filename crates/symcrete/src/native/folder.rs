//! From an output folder to test files: what `suite.json` says of them.

use super::failures::{self, About, Reproducer};
use super::{LinkedSource, Sandbox, Settings, TestFile, TimeLimits, Tools, headers, prove};
use crate::defaults;
use crate::failure::Failure;
use crate::ui::progress::Progress;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use symcrete_emit::harness;
use symcrete_emit::native::{NativeReport, Recorded};
use symcrete_emit::suite::{OutcomeEntry, SideEntry, SuiteFile, TestEntry, UnitEntry};
use symcrete_program::frontend::Check;

/// What compiles and runs tests, and who watches.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) tools: &'a Tools,
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) limits: TimeLimits,
    /// How many compilers and tests run at the same time.
    pub(crate) n_workers: usize,
    pub(crate) progress: &'a Progress,
}

/// Compiles and runs the tests of an output folder, and compares with what its `suite.json` says. What is not done at
/// the end is left out.
pub(crate) fn prove_folder(folder: &Path, machine: Machine<'_>) -> Result<NativeReport, Failure> {
    proved(folder, machine, false)
}

/// The same, and the report has the lines that each test ran.
pub(crate) fn prove_folder_by_line(
    folder: &Path,
    machine: Machine<'_>,
) -> Result<NativeReport, Failure> {
    proved(folder, machine, true)
}

fn proved(folder: &Path, machine: Machine<'_>, notes_lines: bool) -> Result<NativeReport, Failure> {
    let Machine { tools, sandbox, limits, .. } = machine;
    let folder = &std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let suite = read(folder)?;
    let root = folder.join(&suite.root);
    let units = suite.units.iter().filter(|unit| unit.test_file.is_some());
    let files = units
        .map(|unit| test_file(folder, &root, &suite, unit))
        .collect::<Result<Vec<TestFile>, Failure>>()?;
    let mut flags = suite.flags;
    let headers = folder.join("tests").join(harness::INCLUDE);
    if headers.is_dir() {
        flags.push(format!("-I{}", headers.display()));
    }
    let (framework, sandbox) = (suite.framework, sandbox.clone());
    let compiler_max = Duration::from_secs_f64(defaults::NATIVE_SECONDS);
    let n_workers = machine.n_workers;
    let settings =
        Settings { flags, root, compiler_max, limits, framework, sandbox, notes_lines, n_workers };
    let asked = asked(&suite.configuration);
    let programs: Vec<Reproducer> = suite
        .units
        .iter()
        .flat_map(|unit| reproducers(folder, &settings.root, unit, &asked))
        .collect();
    // Failures come first: one that nobody has looked at is shown, and may be none. Tests have what they leave, at least half.
    let for_failures = Settings { limits: limits.halved(), ..settings.clone() };
    let settings_of_failures = if files.is_empty() { &settings } else { &for_failures };
    let failures = failures::show_all(tools, settings_of_failures, &programs, machine.progress);
    Ok(NativeReport { failures, ..prove(tools, &settings, &files, machine.progress)? })
}

/// The checks that a run was asked for.
fn asked(configuration: &BTreeMap<String, Json>) -> Vec<Check> {
    let names = configuration.get("check").and_then(Json::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str()?.parse().ok()).collect()
}

/// The programs that should show the failures of a unit.
fn reproducers(folder: &Path, root: &Path, unit: &UnitEntry, asked: &[Check]) -> Vec<Reproducer> {
    let link = linked(root, unit);
    let is_check = |outcome: &OutcomeEntry| matches!(outcome, OutcomeEntry::Trapped { kind, .. } if kind == "check");
    let is_check = unit.tests.iter().any(|test| is_check(&test.outcome));
    let checks = is_check.then(|| asked.to_vec());
    let files = unit.reproducers.iter().map(|file| folder.join(file));
    // The name of a program has the kind of its failure.
    let about = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is =
            |kind| name.as_ref().is_some_and(|n| n.starts_with(&format!("{}_{kind}_", unit.name)));
        let kinds = [
            ("leak", About::Leak),
            ("uninitialized", About::Uninitialized),
            ("reach_error", About::Error),
        ];
        kinds.iter().find(|(kind, _)| is(kind)).map_or(About::Other, |(_, about)| *about)
    };
    let program = |path: PathBuf| {
        let about = about(&path);
        Reproducer { path, link: link.clone(), checks: checks.clone(), about }
    };
    files.map(program).collect()
}

/// The sources that the programs of a unit are linked with.
fn linked(root: &Path, unit: &UnitEntry) -> Vec<LinkedSource> {
    let sources = unit.link.iter();
    sources
        .map(|link| LinkedSource { path: root.join(&link.file), has_main: link.has_main })
        .collect()
}

fn read(folder: &Path) -> Result<SuiteFile, Failure> {
    let file = folder.join(defaults::SUITE_FILE);
    if !file.is_file() {
        let message = format!(
            "`{}` has no {}: name a folder that `symcrete gen` wrote",
            folder.display(),
            defaults::SUITE_FILE
        );
        return Err(Failure::Usage { message });
    }
    let unreadable = |source| Failure::Unreadable { file: file.clone(), source };
    let bytes = std::fs::read(&file).map_err(unreadable)?;
    SuiteFile::read(&bytes)
        .map_err(|error| Failure::Usage { message: format!("{}: {error}", file.display()) })
}

/// The test file of a unit, with the sources that it needs.
fn test_file(
    folder: &Path,
    root: &Path,
    suite: &SuiteFile,
    unit: &UnitEntry,
) -> Result<TestFile, Failure> {
    let path = folder.join(unit.test_file.as_deref().unwrap_or_default());
    // A preprocessed file names others that nobody needs any more.
    let source = root.join(unit.source.as_ref().unwrap_or(&unit.file));
    let link = linked(root, unit);
    if !path.is_file() {
        let message = format!(
            "`{}` is not there, though {} names it: write the tests again with `symcrete gen --force`",
            path.display(),
            defaults::SUITE_FILE
        );
        return Err(Failure::Usage { message });
    }
    for file in [&source].into_iter().chain(link.iter().map(|linked| &linked.path)) {
        if !file.is_file() {
            return Err(moved(root, file));
        }
    }
    let text = std::fs::read(&source)
        .map_err(|error| Failure::Unreadable { file: source.clone(), source: error })?;
    let is_in_file = |outcome: &OutcomeEntry| match outcome {
        OutcomeEntry::Returned { .. } => true,
        OutcomeEntry::Exited { .. } => suite.framework.is_isolated(),
        OutcomeEntry::Trapped { .. }
        | OutcomeEntry::Rejected { .. }
        | OutcomeEntry::Exhausted { .. } => false,
    };
    let is_in_file = |test: &&TestEntry| test.set_aside.is_none() && is_in_file(&test.outcome);
    let tests = unit.tests.iter().filter(is_in_file);
    let recorded = |test: &TestEntry| {
        let sides = test.coverage.iter().filter_map(|edge| edge.side.as_ref());
        Recorded {
            name: test.name.clone(),
            sides: sides.map(SideEntry::branch_side).collect(),
            exits: matches!(test.outcome, OutcomeEntry::Exited { .. }),
        }
    };
    let tests: Vec<Recorded> = tests.map(recorded).collect();
    // While a unit is explored only the sides that were taken are written.
    let known = match unit.branches.is_empty() {
        true => tests.iter().flat_map(|test| test.sides.clone()).collect(),
        false => unit.branches.iter().map(SideEntry::branch_side).collect(),
    };
    let source_name = source.file_name().map(OsStr::to_owned);
    let text = String::from_utf8_lossy(&text).into_owned();
    let headers = headers::text(&source, &text, &headers::folders(root, &suite.flags));
    Ok(TestFile {
        path,
        link,
        tests,
        known,
        source: text,
        headers,
        source_name,
        model: suite.data_model(),
    })
}

/// A source that is not where the tests look for it.
fn moved(root: &Path, file: &Path) -> Failure {
    let message = format!(
        "`{}` is not there; the tests expect their sources in `{}`: put the folder where it was, seen from \
         the sources, or write the tests again with `symcrete gen`",
        file.strip_prefix(root).unwrap_or(file).display(),
        root.canonicalize().unwrap_or_else(|_| root.to_path_buf()).display()
    );
    Failure::Usage { message }
}
