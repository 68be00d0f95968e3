//! Which side of a site is the source's *true*: what runs of C programs cover, against `llvm-cov`'s counts of the same
//! runs natively.
//!
//! A run of a whole `main` covers both sides of most branches, which says nothing about which is which. So a copy of
//! each file is run that counts the blocks it enters, and ends itself after some. `llvm-cov` infers some counts from
//! others, so functions that were under way then seem to have gone further: only what did run must have been counted.
//! For the whole run both must be the same.
//!
//! For each file of `tests/cases/branches`, `sides.txt` lists where the two differ and why; the test fails when the
//! list is not exact. Places where the number of branches differs are those of `differences.txt`, and left out.

#[path = "../../../symcrete-program/tests/debug/build.rs"]
mod build;
#[path = "../../../symcrete-program/tests/debug/coverage.rs"]
mod coverage;

use crate::differential::ENGINE;
use coverage::{Counts, Native, Place, compare_with_list, place_of};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use symcrete_exec::{Config, Entry, Executor, ModuleExecutor};
use symcrete_program::{
    Branch, BranchKind, Coverage, Edge, Image, Outcome, Program, Scalar, SiteId,
};
use symcrete_term::Terms;

const FUEL: u64 = 50_000_000;

/// After how many blocks runs end.
const STEPS: [u32; 13] = [2, 3, 4, 5, 6, 7, 9, 11, 14, 20, 30, 50, WHOLE];

/// More blocks than any run enters.
const WHOLE: u32 = i32::MAX as u32;

/// What is put at the end of a copy.
const PROBE: &str = "
void exit(int);
int atoi(const char *);
static int probe_left;
void probe_step(void) { if (--probe_left == 0) exit(0); }
int probe(int steps) { probe_left = steps; return user_main(); }
int main(int argc, char **argv) { return probe(atoi(argv[1])); }
";

/// Every C file of the folder.
pub(crate) fn trials() -> Vec<Trial> {
    let of_file = |file: PathBuf| {
        let name = format!("polarity::{}", build::file_name(&file));
        Trial::test(name, move || check(&file))
    };
    build::c_files("branches").into_iter().map(of_file).collect()
}

fn check(file: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let copy = copy(file, folder.path())?;
    let native = Native::build(&copy);
    let program = build::program(&copy, &[]);
    let mut executor = executor(&program)?;
    let mut ours: BTreeMap<Place, Vec<(SiteId, &Branch)>> = BTreeMap::new();
    for (&site, branch) in &program.branches {
        if matches!(branch.kind, BranchKind::Condition | BranchKind::Case) {
            ours.entry(place_of(&program, branch)).or_default().push((site, branch));
        }
    }
    // The first difference of each place.
    let mut differences: BTreeMap<Place, String> = BTreeMap::new();
    let (mut teeth, mut all) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new()); // TEMP
    for steps in STEPS {
        let covered = run(&mut executor, steps)?;
        for (place, counts) in native.shown(&[&steps.to_string()]) {
            let sites = ours.get(&place).filter(|sites| sites.len() == counts.len());
            if let (Some(&[(site, branch)]), &[c]) = (sites.map(|s| &s[..]), &counts[..]) { // TEMP
                let side = |holds| covered.contains(Edge { site, taken: holds != branch.is_negated }); // TEMP
                let (t, f) = (side(true), side(false)); // TEMP
                if (f && c.0 == 0) || (t && c.1 == 0) { teeth.insert(site); } // TEMP
                all.insert(site); // TEMP
            } // TEMP
            let difference = sites.and_then(|sites| difference(&covered, sites, &counts, steps == WHOLE));
            if let Some(difference) = difference {
                let (name, line, column) = &place;
                let text = format!("{name}:{line}:{column}: {difference} after {steps} steps");
                differences.entry(place).or_insert(text);
            }
        }
    }
    eprintln!("TEETH {} of {}", teeth.len(), all.len()); // TEMP
    compare_with_list("sides.txt", file, &differences.into_values().collect::<Vec<_>>())
}

/// Copies a file and its headers, with a step at the start of every block.
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads its data and writes to a temporary folder"
)]
fn copy(file: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    for entry in std::fs::read_dir(file.parent().unwrap())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "h") {
            std::fs::copy(&path, folder.join(build::file_name(&path)))?;
        }
    }
    // All on lines that are there already: places stay the same where blocks span lines.
    let mut text = "void probe_step(void); ".to_string();
    for line in std::fs::read_to_string(file)?.lines() {
        let is_directive = line.starts_with('#');
        let line = line.replace("int main(", "int user_main(");
        match is_directive {
            true => text.push_str(&line),
            false => text.push_str(
                &line
                    .replace(") {", ") { probe_step();")
                    .replace("else {", "else { probe_step();")
                    .replace("do {", "do { probe_step();"),
            ),
        }
        text.push('\n');
    }
    let copy = folder.join(build::file_name(file));
    std::fs::write(&copy, text + PROBE)?;
    Ok(copy)
}

fn executor(program: &Program) -> Result<ModuleExecutor, Failed> {
    let probe = program.unit("probe").ok_or("no probe")?;
    let entries = [("probe".to_string(), probe.function)].into();
    let executable = ENGINE.prepare(&program.wasm, &Config { entries, ..Config::standard() })?;
    let before = vec!["_initialize".to_string()];
    Ok(executable.executor(Entry { before, ..Entry::new("probe") })?)
}

/// What a run of so many steps covers.
fn run(executor: &mut ModuleExecutor, steps: u32) -> Result<Coverage, Failed> {
    let image = Image::of_args([Scalar::I32(steps)]);
    let trace = executor.run(&mut Terms::new(), &image, FUEL)?;
    match trace.outcome {
        Outcome::Returned(_) | Outcome::Exited(0) => Ok(trace.coverage),
        outcome @ (Outcome::Trapped(_)
        | Outcome::Rejected(_)
        | Outcome::Exhausted(_)
        | Outcome::Exited(_)) => Err(Failed::from(outcome.to_string())),
    }
}

/// How the branches of one place differ from what was counted there. Which is which cannot be told: the conditions of a
/// macro all have one place.
fn difference(
    covered: &Coverage,
    sites: &[(SiteId, &Branch)],
    counts: &[Counts],
    is_whole: bool,
) -> Option<String> {
    let ran = in_order(sites.iter().map(|&(site, branch)| {
        let side = |holds| covered.contains(Edge { site, taken: holds != branch.is_negated });
        (side(true), side(false))
    }));
    let counted = in_order(counts.iter().map(|&(n_true, n_false)| (n_true > 0, n_false > 0)));
    let is_right = match (is_whole, &ran[..], &counted[..]) {
        (false, &[ran], &[counted]) => ran.0 <= counted.0 && ran.1 <= counted.1,
        (false, _, _) => true,
        (true, ran, counted) => ran == counted,
    };
    (!is_right).then(|| format!("ran {}, counted {}", in_words(&ran), in_words(&counted)))
}

fn in_order(sides: impl Iterator<Item = (bool, bool)>) -> Vec<(bool, bool)> {
    let mut sides: Vec<(bool, bool)> = sides.collect();
    sides.sort_unstable();
    sides
}

fn in_words(sides: &[(bool, bool)]) -> String {
    let word = |&(is_true, is_false): &(bool, bool)| match (is_true, is_false) {
        (true, true) => "both",
        (true, false) => "true",
        (false, true) => "false",
        (false, false) => "none",
    };
    sides.iter().map(word).collect::<Vec<_>>().join(" and ")
}
