//! The native proof, as far as it needs no processes: what a run on this machine showed, compared with what the
//! WebAssembly run said.
//!
//! The model has its own C library and addresses, and with `ilp32` narrower types, so differences are possible. They are
//! listed with the reason where the source shows one; none is hidden.

use crate::failures::Shown;
use crate::macros::defined;
use crate::stubs::has_word;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use symcrete_program::data_model::DataModel;
use symcrete_program::{BranchKind, Edge, Program};

/// What a native run of the tests showed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NativeReport {
    /// The compiler, as it calls itself.
    pub compiler: String,
    /// Test files that were compiled.
    pub compiled: usize,
    /// Tests that gave the same result.
    pub passed: usize,
    /// Warnings of the compiler about test files.
    pub warnings: Vec<String>,
    /// Tests that did not give the same result.
    pub failed: Vec<Difference>,
    /// Tests that were not run, or not to their end, because the time for all was up.
    pub not_run: usize,
    /// How many sides of branches were compared; `None` where the tools for it are missing.
    pub sides_compared: Option<usize>,
    /// Sides that a test took on one machine only.
    pub coverage: Vec<SideDifference>,
    /// What could not be compared, and why.
    pub notes: Vec<String>,
    /// For each test file, by its name without extension: every side that a test of it took natively, with a test that did.
    pub seen: BTreeMap<String, BTreeMap<BranchSide, String>>,
    /// For each test the lines that ran, where somebody asked for them and the tools are there.
    pub lines: BTreeMap<String, BTreeSet<(PathBuf, u32)>>,
    /// What proofs said and a native run refuted.
    pub refuted: Vec<Refuted>,
    /// What was between the tests and the rest of the machine.
    pub containment: Containment,
    /// What the programs that show failures did, by their names without extension.
    pub failures: BTreeMap<String, Shown>,
}

/// A side that was called infeasible and that a test took natively.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refuted {
    /// The side.
    pub side: BranchSide,
    /// The test that took it.
    pub test: String,
    /// What in the source can make the machines differ; if there is nothing, the proof was wrong.
    pub reasons: Vec<&'static str>,
}

/// What is between tests and the rest of the machine, for the report.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Containment {
    /// The walls, by name.
    pub walls: Vec<String>,
    /// Walls that the machine does not have, each with the reason.
    pub missing: Vec<String>,
    /// Whether the user wanted none.
    pub is_off: bool,
}

impl NativeReport {
    /// Whether every test ended as recorded and took the sides that were recorded.
    pub fn is_as_recorded(&self) -> bool {
        self.failed.is_empty() && self.coverage.is_empty()
    }
}

/// A test that ended another way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The test.
    pub test: String,
    /// How it ended.
    pub ended: Ended,
    /// What can cause it: what sanitizers say, or what is in the lines that ran.
    pub reasons: Vec<String>,
}

/// How a test ended that did not pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The file does not compile: what the compiler says.
    NotCompiled(String),
    /// An assertion does not hold: what the test printed.
    Failed(String),
    /// It ended by a signal or an exit code that tests do not have.
    Crashed(String),
    /// It took too long.
    TimedOut,
}

/// A side that tests took on one machine only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideDifference {
    /// The side.
    pub side: BranchSide,
    /// Whether it was taken here; if not, it was taken in WebAssembly.
    pub is_native: bool,
    /// The tests that show it.
    pub tests: Vec<String>,
    /// What in the source can cause it.
    pub reasons: Vec<&'static str>,
}

/// One side of a branch of the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BranchSide {
    /// The file, as it is shown.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The condition, or the case.
    pub condition: String,
    /// Whether it held.
    pub holds: bool,
    /// Whether it is a case of a `switch`.
    pub is_case: bool,
}

impl BranchSide {
    /// The side of the source that an edge is; `None` if the source does not show it.
    pub fn of(program: &Program, edge: Edge) -> Option<BranchSide> {
        let branch = program.branches.get(&edge.site)?;
        let is_case = match branch.kind {
            BranchKind::Condition => false,
            BranchKind::Case => true,
            BranchKind::Check(_) | BranchKind::Hidden | BranchKind::Target => return None,
        };
        Some(BranchSide {
            file: program.file(branch.position.file).path.display().to_string(),
            line: branch.position.line,
            column: branch.position.column,
            condition: branch.text.clone(),
            holds: edge.taken != branch.is_negated,
            is_case,
        })
    }
}

/// A branch as the host's compiler counted it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeBranch {
    /// The file.
    pub file: PathBuf,
    /// Where the condition starts.
    pub line: u32,
    /// Where the condition starts.
    pub column: u32,
    /// How often it held.
    pub held: u64,
    /// How often it did not.
    pub failed: u64,
}

/// What `llvm-cov export` prints.
#[derive(Deserialize)]
struct Export {
    data: Vec<ExportData>,
}

#[derive(Deserialize)]
struct ExportData {
    files: Vec<ExportFile>,
}

#[derive(Deserialize)]
struct ExportFile {
    filename: PathBuf,
    #[serde(default)]
    branches: Vec<Vec<u64>>,
    #[serde(default)]
    segments: Vec<Segment>,
}

/// Where a count starts to hold: line, column, count, whether there is a count, whether a region starts here, whether it is
/// a gap between regions.
#[derive(Deserialize)]
struct Segment(u32, serde::de::IgnoredAny, u64, bool, bool, bool);

/// The lines that ran, from what `llvm-cov export` printed. As LLVM does it: a line ran if a region that starts on it did,
/// or what reaches into it from above.
pub fn read_lines(json: &[u8]) -> Result<BTreeSet<(PathBuf, u32)>, serde_json::Error> {
    let export: Export = serde_json::from_slice(json)?;
    let mut ran = BTreeSet::new();
    for file in export.data.into_iter().flat_map(|data| data.files) {
        let mut before: Option<&Segment> = None;
        let last = file.segments.last().map_or(0, |segment| segment.0);
        let mut segments = file.segments.iter().peekable();
        for line in 1..=last {
            let mut is_run = before.is_some_and(|segment| segment.3 && segment.2 > 0);
            while let Some(segment) = segments.next_if(|segment| segment.0 == line) {
                let Segment(_, _, count, has_count, is_start, is_gap) = segment;
                is_run |= *has_count && *is_start && !is_gap && *count > 0;
                before = Some(segment);
            }
            if is_run {
                ran.insert((file.filename.clone(), line));
            }
        }
    }
    Ok(ran)
}

/// Reads what `llvm-cov export` printed. A branch is a list: start and end, how often it held and did not, and
/// numbers of files and of its kind (LLVM's `CoverageExporterJson.cpp`).
pub fn read_export(json: &[u8]) -> Result<Vec<NativeBranch>, serde_json::Error> {
    let export: Export = serde_json::from_slice(json)?;
    let mut branches = Vec::new();
    for file in export.data.into_iter().flat_map(|data| data.files) {
        for branch in &file.branches {
            if let [line, column, _, _, held, failed, ..] = branch[..] {
                branches.push(NativeBranch {
                    file: file.filename.clone(),
                    line: line as u32,
                    column: column as u32,
                    held,
                    failed,
                });
            }
        }
    }
    Ok(branches)
}

/// What a test did in WebAssembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// The test.
    pub name: String,
    /// The sides that it took.
    pub sides: Vec<BranchSide>,
    /// Whether it ends inside a call, by `exit`.
    pub exits: bool,
}

/// Compares, test by test, the sides that were taken on the two machines.
pub struct Comparison<'a> {
    /// The sides that may be compared, each once.
    known: Vec<&'a BranchSide>,
    /// Text that can explain differences, and the data model of the program.
    source: (&'a str, DataModel),
    compared: BTreeSet<&'a BranchSide>,
    is_empty: bool,
    /// By side and whether it was taken natively: the tests.
    differences: BTreeMap<(&'a BranchSide, bool), Vec<String>>,
    /// Sides that were taken natively, with the first test that did.
    seen: BTreeMap<&'a BranchSide, String>,
}

/// The macros of these texts that may stand for glibc's `assert`.
fn assertions(texts: [&str; 2]) -> BTreeSet<&str> {
    let all = texts.into_iter().flat_map(defined);
    all.filter(|(_, text)| has_word(text, "assert")).map(|(name, _)| name).collect()
}

/// Whether a condition is that of glibc's `assert`, which has it twice, once where it is never evaluated. A macro of the program may
/// stand for it: one that is called like it, since the header that defines it may not be at hand, or one of these.
fn is_assertion(condition: &str, macros: &BTreeSet<&str>) -> bool {
    let Some((name, _)) = condition.split_once('(') else { return false };
    name.to_ascii_lowercase().ends_with("assert") || macros.contains(name)
}

impl<'a> Comparison<'a> {
    /// Nothing has been compared yet. Conditions that start at one place, as those of one macro do, cannot be told
    /// apart in what the host's compiler counts and are left out.
    pub fn new(
        known: &'a [BranchSide],
        source: (&'a str, DataModel),
        headers: &str,
    ) -> Comparison<'a> {
        let mut by_place: BTreeMap<_, BTreeSet<&BranchSide>> = BTreeMap::new();
        let macros = assertions([source.0, headers]);
        let is_plain = |side: &&BranchSide| !is_assertion(&side.condition, &macros);
        for side in known.iter().filter(is_plain) {
            by_place.entry((&side.file, side.line, side.column)).or_default().insert(side);
        }
        let is_one = |sides: &BTreeSet<&BranchSide>| {
            let texts: BTreeSet<&String> = sides.iter().map(|side| &side.condition).collect();
            texts.len() == 1
        };
        Comparison {
            known: by_place.into_values().filter(is_one).flatten().collect(),
            source,
            compared: BTreeSet::new(),
            is_empty: true,
            differences: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Compares what one test took in WebAssembly with what the host's compiler counted. It counts few places and computes the
    /// others, as if every call returned: of a test that ends in one, more seems to be taken than was.
    pub fn add(&mut self, test: &Recorded, native: &[NativeBranch]) {
        self.is_empty = false;
        for &side in &self.known {
            let Some(was_native) = native_taken(side, native) else { continue };
            let was_recorded = test.sides.contains(side);
            if was_native && !was_recorded && test.exits {
                continue;
            }
            self.compared.insert(side);
            if was_native {
                self.seen.entry(side).or_insert_with(|| test.name.clone());
            }
            if was_native != was_recorded {
                self.differences.entry((side, was_native)).or_default().push(test.name.clone());
            }
        }
    }

    /// Notes what a test took natively that ended in another way than in WebAssembly, so that there is nothing to compare.
    pub fn note(&mut self, test: &str, native: &[NativeBranch]) {
        for &side in &self.known {
            if native_taken(side, native) == Some(true) {
                self.seen.entry(side).or_insert_with(|| test.to_string());
            }
        }
    }

    /// The sides that tests took natively, each with one test that did.
    pub fn seen(&self) -> BTreeMap<BranchSide, String> {
        self.seen.iter().map(|(&side, test)| (side.clone(), test.clone())).collect()
    }

    /// How many sides were compared; `None` if no test was.
    pub fn n_compared(&self) -> Option<usize> {
        (!self.is_empty).then_some(self.compared.len())
    }

    /// The sides that a test took on one machine only.
    pub fn differences(self) -> Vec<SideDifference> {
        let reasons = reasons(self.source.0, self.source.1);
        let difference = |((side, is_native), tests): ((&BranchSide, bool), Vec<String>)| {
            SideDifference { side: side.clone(), is_native, tests, reasons: reasons.clone() }
        };
        self.differences.into_iter().map(difference).collect()
    }
}

/// Whether a side was taken natively; `None` if the compiler did not count that branch.
fn native_taken(side: &BranchSide, native: &[NativeBranch]) -> Option<bool> {
    // From `../src/a.c` nothing is known of where that is.
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let file: PathBuf = Path::new(&side.file).components().filter(is_name).collect();
    let is_it = |branch: &&NativeBranch| {
        (branch.line, branch.column) == (side.line, side.column) && branch.file.ends_with(&file)
    };
    let mut here = native.iter().filter(is_it);
    let first = here.next()?;
    // A function of a header is counted in every file that includes it.
    let counts = here.fold((first.held, first.failed), |sum, branch| {
        (sum.0 + branch.held, sum.1 + branch.failed)
    });
    Some(if side.holds { counts.0 > 0 } else { counts.1 > 0 })
}

/// What can make the model and this machine differ, and the words of a source that bring it in. Functions of the math library
/// are none: those of this machine are called.
const REASONS: &[(&str, &[&str])] = &[
    (LONG_DOUBLE, &["long double"]),
    (
        "the C library differs",
        &[
            "rand",
            "random",
            "time",
            "clock",
            "setlocale",
            "qsort",
            "strerror",
            "errno",
            "printf",
            "sprintf",
            "snprintf",
            "va_list",
        ],
    ),
    ("addresses differ", &["malloc", "calloc", "realloc", "uintptr_t", "intptr_t"]),
];
const LONG_DOUBLE: &str = "`long double` has other digits in WebAssembly";
/// What differs if the model has narrower types than this machine.
const NARROW: (&str, &[&str]) = (
    "`long`, `size_t` and pointers have 4 bytes in the model",
    &["long", "size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "sizeof"],
);

/// What in a source can make a model with this data model and this machine differ.
pub fn reasons(source: &str, model: DataModel) -> Vec<&'static str> {
    let narrow = match model {
        DataModel::Lp64 => None,
        DataModel::Ilp32 => Some(NARROW),
    };
    let is_there = |(reason, names): &(&'static str, &[&str])| match *reason == LONG_DOUBLE {
        true => names.iter().any(|name| source.contains(name)),
        false => names.iter().any(|name| has_word(source, name)),
    };
    let found = narrow.iter().chain(REASONS).filter(|reason| is_there(reason));
    found.map(|(reason, _)| *reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(line: u32, condition: &str, holds: bool) -> BranchSide {
        let is_case = condition.starts_with("case");
        BranchSide {
            file: "a.c".into(),
            line,
            column: 5,
            condition: condition.into(),
            holds,
            is_case,
        }
    }

    const EXPORT: &str = r#"{"data":[{"files":[{"filename":"/x/a.c","branches":[
        [1,5,1,8,2,0,0,0,4], [3,5,3,9,0,1,0,0,4], [4,5,4,9,1,0,0,0,4], [6,5,6,9,0,1,0,0,4],
        [8,5,8,9,1,0,0,0,4]]}]}]}"#;

    #[test]
    fn lines_ran_if_a_region_on_them_did() {
        // `if (x) {`, a gap up to the line that did not run, and the lines behind it.
        let export = br#"{"data":[{"files":[{"filename":"/x/a.c","branches":[],"segments":[
            [2,1,3,true,true,false],[3,9,3,true,true,false],[3,10,0,true,false,true],[4,9,0,true,true,false],
            [5,6,3,true,false,false],[7,2,0,false,false,false]]}]}]}"#;
        let ran = read_lines(export).expect("it is JSON");
        let lines: Vec<u32> = ran.iter().map(|(_, line)| *line).collect();
        assert_eq!(lines, [2, 3, 6, 7]);
    }

    #[test]
    fn sides_of_one_machine_are_found() {
        let native = read_export(EXPORT.as_bytes()).expect("it is JSON");
        // Line 9 was not counted, and line 8 has two conditions that start at one place.
        let known = [
            side(1, "x", true),
            side(1, "x", false),
            side(3, "case 1", true),
            side(4, "case 2", true),
            side(6, "case 3", true),
            side(8, "a in M(1)", true),
            side(8, "M(1) == 2", true),
            side(9, "y", true),
        ];
        let sides = vec![side(1, "x", true), side(1, "x", false), side(4, "case 2", true)];
        let test = Recorded { name: "test_f_1".into(), sides, exits: false };
        let mut comparison = Comparison::new(&known, ("long x;", DataModel::Ilp32), "");
        assert_eq!(comparison.n_compared(), None);
        comparison.add(&test, &native);
        assert_eq!(comparison.n_compared(), Some(5));
        let seen: Vec<BranchSide> = comparison.seen().into_keys().collect();
        assert_eq!(seen, [side(1, "x", true), side(4, "case 2", true)]);
        let differences = comparison.differences();
        let [difference] = &differences[..] else { panic!("{differences:?}") };
        assert_eq!(difference.side, side(1, "x", false));
        assert!(!difference.is_native);
        assert_eq!(difference.tests, ["test_f_1"]);
        assert!(difference.reasons[0].contains("4 bytes"));
    }

    #[test]
    fn assertions_are_known_by_other_names() {
        let source = "#define CHECK(x) assert(x)\n#define SAME(a, b) ((a) == (b))\n";
        let texts = [source, "#define require(p, message) assert(p && message)\n"];
        let macros = assertions(texts);
        let conditions = ["assert(x > 0)", "RING_ASSERT(IS_EVEN(n) == 1)", "CHECK(x)"];
        for condition in conditions.into_iter().chain(["require(n, \"n is null\")"]) {
            assert!(is_assertion(condition, &macros), "{condition}");
        }
        for condition in ["assert_count > 0", "SAME(a, b)", "x", "f(assert)"] {
            assert!(!is_assertion(condition, &macros), "{condition}");
        }
    }

    #[test]
    fn what_is_counted_behind_an_exit_is_not_believed() {
        let native = read_export(EXPORT.as_bytes()).expect("it is JSON");
        let known = [side(1, "x", true), side(4, "case 2", true)];
        let mut comparison = Comparison::new(&known, ("", DataModel::Lp64), "");
        let sides = vec![side(1, "x", true)];
        comparison.add(&Recorded { name: "test_f_1".into(), sides, exits: true }, &native);
        assert_eq!(comparison.seen().into_keys().collect::<Vec<_>>(), known[..1]);
        assert_eq!(comparison.differences(), []);
    }

    #[test]
    fn reasons_are_those_the_source_shows() {
        assert!(reasons("int f(int x) { return x; }", DataModel::Ilp32).is_empty());
        assert!(reasons("double f(double x) { return sin(x); }", DataModel::Ilp32).is_empty());
        assert_eq!(reasons("long double x;", DataModel::Ilp32).len(), 2);
        assert_eq!(reasons("long double x;", DataModel::Lp64), [LONG_DOUBLE]);
        assert!(reasons("size_t f(long x) { return x; }", DataModel::Lp64).is_empty());
    }
}
