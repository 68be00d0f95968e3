//! Which side of a site is the source's *true*: what a run of a C program covers, against `llvm-cov`'s counts of the
//! same run natively.
//!
//! For each file of `tests/cases/branches`, `sides.txt` lists where the two differ and why; the test fails when the
//! list is not exact. Places where the number of branches differs are those of `differences.txt`, and left out.

#[path = "../../../symcrete-program/tests/debug/build.rs"]
mod build;
#[path = "../../../symcrete-program/tests/debug/coverage.rs"]
mod coverage;

use crate::differential::ENGINE;
use coverage::{Place, compare_with_list, place_of, shown};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use symcrete_exec::{Config, Entry, Executor};
use symcrete_program::{BranchKind, Coverage, Edge, Image, Outcome, Program, SiteId};
use symcrete_term::Terms;

const FUEL: u64 = 50_000_000;

/// Every C file of the folder.
pub(crate) fn trials() -> Vec<Trial> {
    let of_file = |file: PathBuf| {
        let name = format!("polarity::{}", build::file_name(&file));
        Trial::test(name, move || check(&file))
    };
    build::c_files("branches").into_iter().map(of_file).collect()
}

fn check(file: &Path) -> Result<(), Failed> {
    let program = build::program(file, &[]);
    let covered = run_main(&program)?;
    let mut ours: BTreeMap<Place, Vec<SiteId>> = BTreeMap::new();
    for (&site, branch) in &program.branches {
        if matches!(branch.kind, BranchKind::Condition | BranchKind::Case) {
            ours.entry(place_of(&program, branch)).or_default().push(site);
        }
    }
    let mut differences = Vec::new();
    for (place, counts) in shown(file) {
        let sites = ours.get(&place).filter(|sites| sites.len() == counts.len());
        for (i, (&site, &(n_true, n_false))) in sites.into_iter().flatten().zip(&counts).enumerate()
        {
            let is_negated = program.branches[&site].is_negated;
            let side = |holds: bool| covered.contains(Edge { site, taken: holds != is_negated });
            let (ran, counted) = ((side(true), side(false)), (n_true > 0, n_false > 0));
            if ran != counted {
                let (name, line, column) = &place;
                let (ran, counted) = (sides(ran), sides(counted));
                let nth = if counts.len() > 1 { format!(" number {i}") } else { String::new() };
                differences
                    .push(format!("{name}:{line}:{column}{nth}: ran {ran}, counted {counted}"));
            }
        }
    }
    compare_with_list("sides.txt", file, &differences)
}

/// Which sides, in words.
fn sides((is_true, is_false): (bool, bool)) -> &'static str {
    match (is_true, is_false) {
        (true, true) => "both",
        (true, false) => "true",
        (false, true) => "false",
        (false, false) => "none",
    }
}

/// What the program's `main` covers.
fn run_main(program: &Program) -> Result<Coverage, Failed> {
    let main = program.unit("main").ok_or("no main")?;
    let entries = [("main".to_string(), main.function)].into();
    let config = Config { entries, ..Config::standard() };
    let executable = ENGINE.prepare(&program.wasm, &config)?;
    let entry = Entry { before: vec!["_initialize".to_string()], ..Entry::new("main") };
    let mut executor = executable.executor(entry)?;
    let trace = executor.run(&mut Terms::new(), &Image::of_args(vec![]), FUEL)?;
    match trace.outcome {
        Outcome::Returned(_) => Ok(trace.coverage),
        outcome @ (Outcome::Trapped(_)
        | Outcome::Rejected(_)
        | Outcome::Exhausted(_)
        | Outcome::Exited(_)) => Err(Failed::from(outcome.to_string())),
    }
}
