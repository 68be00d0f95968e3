//! Branch fidelity: the conditions and cases of a program against those that `llvm-cov` shows of the native build.
//!
//! For each file, `differences.txt` lists where the two differ and why; the test fails when the list is not exact.
//! `NAME.txt` keeps the branches as they are; that their sides are right is tested with the engine, which runs them.

use crate::coverage::{Native, compare_with_list, place_of};
use crate::{build, compare, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use symcrete_program::{BranchKind, Program};

/// Every C file of the folder.
pub(crate) fn trials() -> Vec<Trial> {
    let of_file = |file: PathBuf| {
        let name = format!("branches {}", build::file_name(&file));
        trial(name, move || check(&file))
    };
    build::c_files("branches").into_iter().map(of_file).collect()
}

fn check(file: &Path) -> Result<(), Failed> {
    let program = build::program(file, &[]);
    compare(&describe(&program), &file.with_extension("txt"))?;
    let theirs = Native::build(file).shown(&[]);
    let mut ours = BTreeMap::new();
    for branch in program.branches.values() {
        if matches!(branch.kind, BranchKind::Condition | BranchKind::Case) {
            *ours.entry(place_of(&program, branch)).or_insert(0) += 1;
        }
    }
    let places: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    let mut differences = Vec::new();
    for place in places {
        let n_ours = ours.get(place).copied().unwrap_or(0);
        let n_theirs = theirs.get(place).map_or(0, Vec::len);
        if n_ours != n_theirs {
            let (name, line, column) = place;
            differences.push(format!("{name}:{line}:{column}: {n_ours} sites, {n_theirs} shown"));
        }
    }
    compare_with_list("differences.txt", file, &differences)
}

/// Every branch with its extent and text, in order of the code; `!` where the machine's *taken* is the source's
/// *false*.
fn describe(program: &Program) -> String {
    let mut text = String::new();
    for branch in program.branches.values() {
        let (start, end) = (branch.position, branch.end);
        let negated = if branch.is_negated { " !" } else { "" };
        let unit = &program.units[branch.unit].name;
        writeln!(
            text,
            "{}:{}:{}-{}:{} {unit} {:?}{negated} {}",
            build::file_name(&program.file(start.file).path),
            start.line,
            start.column,
            end.line,
            end.column,
            branch.kind,
            branch.text
        )
        .unwrap();
    }
    text
}
