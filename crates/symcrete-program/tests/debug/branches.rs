//! Branch fidelity: the conditions and cases of a program against those that `llvm-cov` shows of the native build.
//!
//! Which side of a site is *true* is in the snapshots (`NAME.txt`), which this test only keeps from changing. When they
//! were made, the sites of each file's `main` were run and compared with `llvm-cov`'s counts of the native run, `br_table`
//! left out: 220 of 230 agreed. Of the rest, six are the last operand of `&&` or `||` in a loop's condition (the compiler
//! makes it a value, so its site also runs, as false or true, when an operand before it decides), three are in macros with
//! several conditions, one is a comparison that a search tree of a `switch` skips.
//!
//! For each file, `differences.txt` lists where the two differ and why; the test fails when the list is not exact.

use crate::{build, cases, compare, trial};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use symcrete_program::{Branch, BranchKind, Position, Program};

/// File name, line, column.
type Place = (String, u64, u64);

/// Every C file of the folder.
pub(crate) fn trials() -> Vec<Trial> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(cases("branches"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    let name = |file: &Path| file.file_name().unwrap().to_str().unwrap().to_owned();
    files
        .into_iter()
        .map(|file| trial(format!("branches {}", name(&file)), move || check(&file)))
        .collect()
}

/// Compares one file. A line of `differences.txt` is a difference, ` -- ` and its reason.
#[expect(clippy::disallowed_methods, reason = "a test reads its data")]
fn check(file: &Path) -> Result<(), Failed> {
    let program = build::program(file, &[]);
    compare(&describe(&program), &file.with_extension("txt"))?;
    let (ours, theirs) = (ours(&program), shown(&build::coverage(file)));
    let places: BTreeSet<&Place> = ours.keys().chain(theirs.keys()).collect();
    let count = |place: &Place| {
        let of = |all: &BTreeMap<Place, usize>| all.get(place).copied().unwrap_or(0);
        (of(&ours), of(&theirs))
    };
    let differ = places.into_iter().filter(|place| count(place).0 != count(place).1);
    let actual: Vec<String> = differ
        .map(|place| {
            let ((name, line, column), (n_ours, n_theirs)) = (place, count(place));
            format!("{name}:{line}:{column}: {n_ours} sites, {n_theirs} shown")
        })
        .collect();
    let name = file.file_name().unwrap().to_str().unwrap();
    let known = std::fs::read_to_string(cases("branches").join("differences.txt"))?;
    let known = known.lines().filter(|line| line.starts_with(&format!("{name}:")));
    let mut expected = Vec::new();
    for line in known {
        let (difference, reason) = line.split_once(" -- ").ok_or("a difference without reason")?;
        assert!(!reason.is_empty(), "{line}");
        expected.push(difference);
    }
    let missing: Vec<&String> =
        actual.iter().filter(|line| !expected.contains(&line.as_str())).collect();
    let gone: Vec<&&str> =
        expected.iter().filter(|line| !actual.iter().any(|a| a == *line)).collect();
    match missing.is_empty() && gone.is_empty() {
        true => Ok(()),
        false => {
            Err(Failed::from(format!("not in the list: {missing:#?}\nno longer so: {gone:#?}")))
        }
    }
}

/// Places of our conditions and cases, with how many.
fn ours(program: &Program) -> BTreeMap<Place, usize> {
    let mut found = BTreeMap::new();
    for branch in program.branches.values() {
        if matches!(branch.kind, BranchKind::Condition | BranchKind::Case) {
            let Position { line, column, .. } = branch.position;
            let place = (file_name(program, branch), u64::from(line), u64::from(column));
            *found.entry(place).or_insert(0) += 1;
        }
    }
    found
}

fn file_name(program: &Program, branch: &Branch) -> String {
    let path = &program.file(branch.position.file).path;
    path.file_name().unwrap().to_str().unwrap().to_owned()
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
            file_name(program, branch),
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

/// Places of the branches that `llvm-cov` shows, with how many. A branch in a macro is where the macro is called.
fn shown(coverage: &Value) -> BTreeMap<Place, usize> {
    let mut found = BTreeMap::new();
    for file in coverage["data"][0]["files"].as_array().unwrap() {
        let name = Path::new(file["filename"].as_str().unwrap());
        let name = name.file_name().unwrap().to_str().unwrap();
        let mut add = |region: &Value, n: usize| {
            let place = (name.to_owned(), region[0].as_u64().unwrap(), region[1].as_u64().unwrap());
            *found.entry(place).or_insert(0) += n;
        };
        for branch in file["branches"].as_array().unwrap() {
            add(branch, 1);
        }
        for expansion in file["expansions"].as_array().unwrap() {
            let n = expansion["branches"].as_array().unwrap().len();
            if n > 0 {
                add(&expansion["source_region"], n);
            }
        }
    }
    found
}
