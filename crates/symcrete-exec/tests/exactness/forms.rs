//! Every form of a condition, run by run: the sides that a run with one value takes are those that `llvm-cov` counts in the
//! same run natively, no more and no fewer.
//!
//! `forms.c` runs each of its functions once with a value, so a side that is taken for the opposite one shows.

use crate::differential::ENGINE;
use crate::polarity::build;
use crate::polarity::coverage::{Native, Place, place_of};
use crate::polarity::difference;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use symcrete_exec::{Config, Entry, Executor};
use symcrete_program::{Branch, BranchKind, Image, Outcome, Program, Scalar, SiteId};
use symcrete_term::Terms;

const FUEL: u64 = 1_000_000;

/// Values on both sides of every constant of the file.
const VALUES: [i32; 26] = [
    i32::MIN,
    -1000,
    -8,
    -7,
    -2,
    -1,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    12,
    65,
    87,
    100,
    102,
    103,
    5000,
    50_000,
    70_000,
    i32::MAX,
];

/// What is put at the end of a copy.
const START: &str = "
int atoi(const char *);
int main(int argc, char **argv) { all(atoi(argv[1])); return 0; }
";

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("forms of conditions, run by run", check)]
}

fn check() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let copy = copy(&build::cases("branches").join("forms.c"), folder.path())?;
    let native = Native::build(&copy);
    let program = build::program(&copy, &[]);
    let unit = program.unit("all").ok_or("forms.c has `all`")?;
    let entries = [("all".to_string(), unit.function)].into();
    let executable = ENGINE.prepare(&program.wasm, &Config { entries, ..Config::standard() })?;
    let before = vec!["_initialize".to_string()];
    let mut executor = executable.executor(Entry { before, ..Entry::new("all") })?;
    let ours = shown(&program);
    let mut differences = Vec::new();
    for value in VALUES {
        let image = Image::of_args([Scalar::I32(value as u32)]);
        let trace = executor.run(&mut Terms::new(), &image, FUEL)?;
        assert!(matches!(trace.outcome, Outcome::Returned(_)), "{}", trace.outcome);
        for (place, counts) in native.shown(&[&value.to_string()]) {
            let Some(sites) = ours.get(&place) else {
                return Err(Failed::from(format!("{place:?} has no site")));
            };
            if let Some(how) = difference(&trace.coverage, sites, &counts, true) {
                differences.push(format!("{place:?} with {value}: {how}"));
            }
        }
    }
    match differences.is_empty() {
        true => Ok(()),
        false => Err(Failed::from(differences.join("\n"))),
    }
}

/// Conditions and labels by place.
fn shown(program: &Program) -> BTreeMap<Place, Vec<(SiteId, &Branch)>> {
    let mut shown: BTreeMap<Place, Vec<(SiteId, &Branch)>> = BTreeMap::new();
    for (&site, branch) in &program.branches {
        if matches!(branch.kind, BranchKind::Condition | BranchKind::Case) {
            shown.entry(place_of(program, branch)).or_default().push((site, branch));
        }
    }
    shown
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test reads its data and writes to a temporary folder"
)]
fn copy(file: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let copy = folder.join(build::file_name(file));
    let text = std::fs::read_to_string(file)?.replace("int main(", "int own_main(");
    std::fs::write(&copy, text + START)?;
    Ok(copy)
}
