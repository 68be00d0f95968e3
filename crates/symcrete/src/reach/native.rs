//! The tests of reached targets, written and run on this machine as `gen` does.

use super::entries::Entries;
use super::report::Answer;
use crate::args::{Command, CommandLine, GenArgs, ReachArgs, ShapeArgs, SourceArgs};
use crate::failure::Failure;
use crate::r#gen::native_tools;
use crate::r#gen::output::Folder;
use crate::jobs::n_cores;
use crate::native::{self, Machine, TimeLimits};
use crate::ui::progress::Progress;
use clap::Parser;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use symcrete_emit::c_test;
use symcrete_emit::native::{BranchSide, NativeReport};
use symcrete_program::{BranchKind, Edge, Ended, Program, Suite, TestCase};
use symcrete_reach::{Reachability, Target};

/// What the tests of reached targets did on this machine.
pub(super) struct Proved {
    pub(super) report: NativeReport,
    /// For each answer whether its test passed the target there; `None` where that was not seen.
    pub(super) passed_target: Vec<Option<bool>>,
}

/// Writes the tests to a folder, compiles and runs them; `None` if there are none or no compiler.
pub(super) fn prove(
    (args, source): (&ReachArgs, &SourceArgs),
    (program, flags): (&Program, &[String]),
    entries: &Entries,
    answers: &[Answer<'_>],
) -> Result<Option<Proved>, Failure> {
    let mut tests: BTreeMap<u32, Vec<TestCase>> = BTreeMap::new();
    for answer in answers {
        if let (Reachability::Reached(reached), Some(test)) = (&answer.outcome, &answer.test) {
            tests.entry(reached.entry).or_default().push(test.clone());
        }
    }
    let scratch = tempfile::tempdir()
        .map_err(|source| Failure::Unwritable { file: std::env::temp_dir(), source })?;
    let out = args.out.clone().unwrap_or_else(|| scratch.path().join("tests"));
    if tests.is_empty() || (args.no_native && args.out.is_none()) {
        return Ok(None);
    }
    let gen_args = gen_args(args, source, &out);
    let tools = native_tools(&gen_args, program)?;
    let folder = Folder::open(&gen_args, program, flags)?;
    for (entry, tests) in tests {
        let Some((unit, shape)) = entries.unit(entry) else { continue };
        // No goals: it was about these targets only.
        let suite = Suite { tests, ended: Some(Ended::Covered), ..Suite::default() };
        folder.finish_unit(*unit, shape, &suite);
    }
    folder.write_changes();
    folder.failure()?;
    let Some((tools, sandbox)) = tools else { return Ok(None) };
    let limits = TimeLimits { test: Duration::from_secs_f64(gen_args.native_time), end: None };
    let progress = Progress::start(0);
    let machine = Machine {
        tools: &tools,
        sandbox: &sandbox,
        limits,
        n_workers: n_cores(),
        progress: &progress,
    };
    let report = native::prove_folder_by_line(folder.path(), machine);
    progress.finish();
    let report = report?;
    let passed_target = passed_targets(program, entries, answers, &report);
    Ok(Some(Proved { report, passed_target }))
}

/// For each answer whether its test passed the target natively. Tests of an entry are numbered in the order of the answers.
fn passed_targets(
    program: &Program,
    entries: &Entries,
    answers: &[Answer<'_>],
    report: &NativeReport,
) -> Vec<Option<bool>> {
    let mut n_tests: BTreeMap<u32, usize> = BTreeMap::new();
    let passed = |answer: &Answer<'_>| {
        let (Reachability::Reached(reached), Some(_)) = (&answer.outcome, &answer.test) else {
            return None;
        };
        let number = n_tests.entry(reached.entry).or_insert(0);
        *number += 1;
        let (unit, _) = entries.unit(reached.entry)?;
        let file = c_test::test_name(program, &program.units[*unit]);
        let lines = report.lines.get(&format!("{file}_{number}"))?;
        let sides = report.seen.get(&file);
        let is_passed = |target: &Target| match target {
            Target::Side(edge) => passes(program, *edge, lines, sides),
            // A run that fails does not become a test.
            Target::Trap { .. } | Target::Called(_) => false,
        };
        Some(answer.wanted.targets.iter().any(is_passed))
    };
    answers.iter().map(passed).collect()
}

/// Whether a run that passed some lines passed a side: the line that is marked, or the side that was counted.
fn passes(
    program: &Program,
    edge: Edge,
    lines: &BTreeSet<(PathBuf, u32)>,
    sides: Option<&BTreeMap<BranchSide, String>>,
) -> bool {
    let Some(branch) = program.branches.get(&edge.site) else { return false };
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let file = real(&program.file(branch.position.file).path);
    let is_line_run =
        lines.iter().any(|(path, line)| *line == branch.position.line && real(path) == file);
    match branch.kind {
        BranchKind::Target => is_line_run,
        BranchKind::Condition | BranchKind::Case | BranchKind::Check(_) | BranchKind::Hidden => {
            let side = BranchSide::of(program, edge);
            // Where the compiler counts no such side, that its line ran is all there is to see.
            let counted = side.zip(sides).map(|(side, sides)| sides.contains_key(&side));
            is_line_run && counted.unwrap_or(true)
        }
    }
}

/// The arguments of a `gen` that would write these tests.
fn gen_args(args: &ReachArgs, source: &SourceArgs, out: &Path) -> GenArgs {
    let words = ["symcrete", "gen", "-"];
    let Command::Gen(defaults) = CommandLine::parse_from(words).command else {
        unreachable!("the words say `gen`")
    };
    GenArgs {
        source: source.clone(),
        shape: ShapeArgs {
            length: args.shape.length,
            pointer_depth: args.shape.pointer_depth,
            globals: args.shape.globals,
        },
        out: out.to_owned(),
        no_native: args.no_native,
        cc: args.cc.clone(),
        ..*defaults
    }
}
