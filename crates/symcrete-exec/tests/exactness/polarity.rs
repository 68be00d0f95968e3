//! Which side of a site is the source's *true*: what runs of C programs cover, against `llvm-cov`'s counts of the same
//! runs natively.
//!
//! A run of a whole `main` covers both sides of most branches, which says nothing about which is which. So a copy of
//! each file is run that ends itself before some call in `main`, or in some block. `llvm-cov` infers some counts from
//! others, so functions that were under way then seem to have gone further: only what did run must have been counted.
//! For the whole run both must be the same.
//!
//! For each file of `tests/cases/branches`, `sides.txt` lists where the two differ and why; the test fails when the
//! list is not exact. Places where the number of branches differs are those of `differences.txt`, and left out.

#[path = "../../../symcrete-program/tests/debug/build.rs"]
pub(crate) mod build;
#[path = "../../../symcrete-program/tests/debug/coverage.rs"]
pub(crate) mod coverage;

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

/// More than any run has.
const ALL: u32 = i32::MAX as u32;

/// Before which call in `main` a run ends, and at which block.
const ENDS: [(u32, u32); 21] = [
    (2, ALL),
    (3, ALL),
    (4, ALL),
    (5, ALL),
    (6, ALL),
    (7, ALL),
    (8, ALL),
    (10, ALL),
    (12, ALL),
    (15, ALL),
    (20, ALL),
    (40, ALL),
    (ALL, 2),
    (ALL, 3),
    (ALL, 4),
    (ALL, 6),
    (ALL, 9),
    (ALL, 14),
    (ALL, 20),
    (ALL, 30),
    (ALL, ALL),
];

/// What is put at the end of a copy.
const PROBE: &str = "
void exit(int);
int atoi(const char *);
static int calls_left, blocks_left;
void probe_call(void) { if (--calls_left == 0) exit(0); }
void probe_block(void) { if (--blocks_left == 0) exit(0); }
int probe(int calls, int blocks) { calls_left = calls; blocks_left = blocks; return user_main(); }
int main(int argc, char **argv) { return probe(atoi(argv[1]), atoi(argv[2])); }
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
    for end in ENDS {
        let covered = run(&mut executor, end)?;
        for (place, counts) in native.shown(&[&end.0.to_string(), &end.1.to_string()]) {
            let sites = ours.get(&place).filter(|sites| sites.len() == counts.len());
            let difference =
                sites.and_then(|sites| difference(&covered, sites, &counts, end == (ALL, ALL)));
            if let Some(difference) = difference {
                let (name, line, column) = &place;
                let text = format!("{name}:{line}:{column}: {difference}");
                differences.entry(place).or_insert(text);
            }
        }
    }
    compare_with_list("sides.txt", file, &differences.into_values().collect::<Vec<_>>())
}

/// Copies a file and its headers, with probes.
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
    let copy = folder.join(build::file_name(file));
    std::fs::write(&copy, with_probes(&std::fs::read_to_string(file)?))?;
    Ok(copy)
}

/// A probe at the start of every block and before every call in `main`, which is the last function. All is put on
/// lines that are there already: most places stay the same.
fn with_probes(text: &str) -> String {
    let mut result = "void probe_call(void); void probe_block(void); ".to_string();
    let mut functions: Vec<&str> = Vec::new();
    let mut is_main = false;
    for line in text.lines() {
        is_main |= line.starts_with("int main(");
        let mut line_with = line.replace("int main(", "int user_main(");
        if is_main {
            for function in &functions {
                let called = format!("(probe_call(), {function})(");
                line_with = line_with.replace(&format!(" {function}("), &format!(" {called}"));
                line_with = line_with.replace(&format!("({function}("), &format!("({called}"));
            }
        } else if !line.starts_with('#') {
            for start in [") {", "else {", "do {"] {
                line_with = line_with.replace(start, &format!("{start} probe_block();"));
            }
            let is_definition = line.starts_with(|c: char| c.is_ascii_alphabetic());
            let head = line.split_once('(').filter(|_| is_definition && line.contains('{'));
            functions.extend(head.and_then(|(head, _)| head.rsplit([' ', '*']).next()));
        }
        result.push_str(&line_with);
        result.push('\n');
    }
    result + PROBE
}

fn executor(program: &Program) -> Result<ModuleExecutor, Failed> {
    let probe = program.unit("probe").ok_or("no probe")?;
    let entries = [("probe".to_string(), probe.function)].into();
    let executable = ENGINE.prepare(&program.wasm, &Config { entries, ..Config::standard() })?;
    let before = vec!["_initialize".to_string()];
    Ok(executable.executor(Entry { before, ..Entry::new("probe") })?)
}

/// What a run covers that ends there.
fn run(executor: &mut ModuleExecutor, end: (u32, u32)) -> Result<Coverage, Failed> {
    let image = Image::of_args([Scalar::I32(end.0), Scalar::I32(end.1)]);
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
pub(crate) fn difference(
    covered: &Coverage,
    sites: &[(SiteId, &Branch)],
    counts: &[Counts],
    is_whole: bool,
) -> Option<String> {
    // That another label was taken is nothing that a label's own site records.
    let is_label = sites.iter().any(|(_, branch)| branch.kind == BranchKind::Case);
    let ran = in_order(sites.iter().map(|&(site, branch)| {
        let side = |holds| covered.contains(Edge { site, taken: holds != branch.is_negated });
        (side(true), side(false) && !is_label)
    }));
    let counted =
        in_order(counts.iter().map(|&(held, failed)| (held > 0, failed > 0 && !is_label)));
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
