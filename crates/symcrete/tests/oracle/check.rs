//! Compares every claim of the tool about a file with what native runs do.

use super::native::{Folder, Hits, features_of};
use super::page::Leaf;
use super::writer::{File, Function};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

/// What was seen, in numbers, and every claim that does not hold.
#[derive(Clone, Default, Debug)]
pub(super) struct Tally {
    pub(super) functions: usize,
    pub(super) not_tested: usize,
    pub(super) tests: usize,
    pub(super) sides: usize,
    pub(super) covered: usize,
    pub(super) infeasible: usize,
    pub(super) within_bounds: usize,
    pub(super) open: usize,
    /// Open sides that a native call takes.
    pub(super) open_but_taken: usize,
    pub(super) wrong: Vec<String>,
}

impl Tally {
    /// Adds what another file showed.
    pub(super) fn add(&mut self, other: &Tally) {
        self.functions += other.functions;
        self.not_tested += other.not_tested;
        self.tests += other.tests;
        self.sides += other.sides;
        self.covered += other.covered;
        self.infeasible += other.infeasible;
        self.within_bounds += other.within_bounds;
        self.open += other.open;
        self.open_but_taken += other.open_but_taken;
        self.wrong.extend(other.wrong.iter().cloned());
    }
}

/// A side of a line.
type Side = (u32, bool);

/// One file, the tool's suite for it, and its native runs.
struct Checked<'a> {
    file: &'a File,
    folder: Folder<'a>,
    driven: Hits,
    tally: Tally,
}

/// Runs the tool on a file in a folder and compares.
pub(super) fn check(file: &File, path: &Path, cache: &Path, words: &[&str]) -> Tally {
    write(&path.join("file.c"), &file.pages.plain);
    let mut wrong = Vec::new();
    if let Err(message) = generate(path, cache, words) {
        wrong.push(format!("gen failed: {message}"));
        return Tally { wrong, ..Tally::default() };
    }
    let suite = std::fs::read(path.join("out/suite.json")).expect("gen wrote a suite");
    let suite: Json = serde_json::from_slice(&suite).expect("suite.json is JSON");
    write(&path.join("file.c"), &file.pages.marked);
    write(&path.join("driver.c"), &file.driver);
    write(&path.join("oracle.h"), include_str!("native/oracle.h"));
    write(&path.join("driver.h"), include_str!("native/driver.h"));
    write(&path.join("weak.c"), include_str!("native/weak.c"));
    let folder = Folder { path, n_lines: file.pages.n_lines as usize + 1 };
    let driven = folder.drive(file.functions.len()).expect("the driver compiles");
    let mut checked = Checked { file, folder, driven, tally: Tally::default() };
    for (i, function) in file.functions.iter().enumerate() {
        checked.tally.functions += 1;
        let units = suite["units"].as_array().expect("a list");
        match units.iter().find(|unit| unit["name"] == function.name.as_str()) {
            Some(unit) => checked.function(i, function, unit),
            None => checked.tally.not_tested += 1,
        }
    }
    checked.tally
}

impl Checked<'_> {
    fn function(&mut self, entry: usize, function: &Function, unit: &Json) {
        let taken = self.tests(function, unit);
        let goals = unit["search"]["goals"].as_array().expect("a list").clone();
        for goal in &goals {
            self.tally.sides += 1;
            let Some((line, side)) = self.side(&function.name, goal) else { continue };
            let is_driven = self.driven.has(entry, line, side);
            let wrong = match goal["state"].as_str().expect("a state") {
                "covered" => {
                    self.tally.covered += 1;
                    let is_taken = taken.get(&(line, side)).copied().unwrap_or(false);
                    (!is_taken && !self.may_differ(function, unit))
                        .then_some("no test takes it natively")
                }
                "infeasible" => {
                    self.tally.infeasible += 1;
                    is_driven.then_some("a native call takes it")
                }
                "within-bounds" => {
                    self.tally.within_bounds += 1;
                    self.breaks_bounds(entry, (line, side), goal)
                        .then_some("a native call within the bounds takes it")
                }
                "open" => {
                    self.tally.open += 1;
                    self.tally.open_but_taken += usize::from(is_driven);
                    None
                }
                other => panic!("unknown state {other}"),
            };
            if let Some(wrong) = wrong {
                let state = format!("{} {}", goal["state"], goal["bounds"]);
                self.wrong(&function.name, line, &format!("{side} is {state}: {wrong}"));
            }
        }
    }

    fn wrong(&mut self, function: &str, line: u32, what: &str) {
        let text = self.file.pages.plain.lines().nth(line.saturating_sub(1) as usize).unwrap_or("");
        self.tally.wrong.push(format!("{function}, line {line} `{text}`: {what}"));
    }

    /// What the environment, addresses or the width of `long` decide may be otherwise natively, and `gen` without its native
    /// proof does not know: in the function, or in one that its tests call before it.
    fn may_differ(&self, function: &Function, unit: &Json) -> bool {
        let tests = unit["tests"].as_array().expect("a list").iter();
        let inputs = tests.filter_map(|test| test["input"].as_object()).flatten();
        let chosen = inputs.filter(|(name, _)| name.starts_with("before_"));
        let mut before: BTreeSet<&str> = chosen.filter_map(|(_, value)| value.as_str()).collect();
        before.insert(&function.name);
        let mut called =
            self.file.functions.iter().filter(|other| before.contains(other.name.as_str()));
        called.any(|called| {
            called.asks_environment || called.looks_at_addresses || called.uses_wide_types
        })
    }

    /// The line and the side that a goal is about, checked against what stands there.
    fn side(&mut self, function: &str, goal: &Json) -> Option<Side> {
        let line = goal["line"].as_u64().unwrap_or(0) as u32;
        let text = goal["condition"].as_str().unwrap_or("");
        let holds = goal["holds"].as_bool().expect("a truth value");
        let without_blanks = |text: &str| text.replace(' ', "");
        let side = match self.file.pages.leaves.get(&line) {
            Some(Leaf::Condition(leaf)) if without_blanks(leaf) == without_blanks(text) => {
                Some(holds)
            }
            Some(Leaf::Label(label)) if label == text => Some(true),
            Some(Leaf::Switch) if text == "default" => Some(true),
            Some(Leaf::Condition(_) | Leaf::Label(_) | Leaf::Switch) | None => None,
        };
        if side.is_none() {
            self.wrong(function, line, &format!("there is no condition `{text}`"));
        }
        side.map(|side| (line, side))
    }

    fn breaks_bounds(&self, entry: usize, (line, side): Side, goal: &Json) -> bool {
        let bounds = goal["bounds"].as_array().expect("a list");
        let features: Option<usize> = bounds
            .iter()
            .map(|bound| features_of(bound.as_str().expect("a name")))
            .try_fold(0, |all, one| one.map(|one| all | one));
        // Some limits cannot be seen from outside.
        features.is_some_and(|features| self.driven.has_without(entry, line, side, features))
    }

    /// Runs the tests of a function; the sides that they take together.
    fn tests(&mut self, function: &Function, unit: &Json) -> BTreeMap<Side, bool> {
        let mut taken = BTreeMap::new();
        let out = self.folder.path.join("out");
        let reproducers = unit["reproducers"].as_array().cloned().unwrap_or_default();
        for reproducer in reproducers.iter().filter_map(Json::as_str) {
            match self.folder.build(&out.join(reproducer)) {
                Ok(program) => {
                    let (hits, _) = self.folder.run(&program, &[]);
                    self.note(&hits, &mut taken);
                }
                Err(message) => self.wrong(&function.name, 0, &format!("{reproducer}: {message}")),
            }
        }
        let tests = unit["tests"].as_array().cloned().unwrap_or_default();
        let is_written = |test: &&Json| test["outcome"]["ended"] == "returned";
        let written: Vec<&Json> = tests.iter().filter(is_written).collect();
        let Some(file) = unit["test_file"].as_str().filter(|_| !written.is_empty()) else {
            self.note_unwritten(&tests, &mut taken);
            return taken;
        };
        match self.folder.build(&out.join(file)) {
            Ok(program) => {
                for test in written {
                    self.tally.tests += 1;
                    let name = test["name"].as_str().expect("a name");
                    let (hits, is_success) = self.folder.run(&program, &[name]);
                    self.note(&hits, &mut taken);
                    if !is_success && !self.may_differ(function, unit) {
                        self.wrong(&function.name, 0, &format!("{name} fails natively"));
                    }
                    if !self.may_differ(function, unit) {
                        self.compare(function, test, &hits);
                    }
                }
            }
            Err(message) => self.wrong(&function.name, 0, &format!("{file}: {message}")),
        }
        self.note_unwritten(&tests, &mut taken);
        taken
    }

    /// Runs that end in a failure have one program for each failure, not one each: what they take is not looked at.
    fn note_unwritten(&mut self, tests: &[Json], taken: &mut BTreeMap<Side, bool>) {
        for test in tests.iter().filter(|test| test["outcome"]["ended"] != "returned") {
            for side in test["coverage"].as_array().into_iter().flatten() {
                let line = side["line"].as_u64().unwrap_or(0) as u32;
                taken.insert((line, side["holds"] == true), true);
            }
        }
    }

    fn note(&self, hits: &Hits, taken: &mut BTreeMap<Side, bool>) {
        for &line in self.file.pages.leaves.keys() {
            for side in [false, true] {
                if hits.has(0, line, side) {
                    taken.insert((line, side), true);
                }
            }
        }
    }

    /// A test takes natively what was recorded, and nothing else.
    fn compare(&mut self, function: &Function, test: &Json, hits: &Hits) {
        let name = test["name"].as_str().expect("a name");
        for side in test["coverage"].as_array().into_iter().flatten() {
            let holds = side["holds"] == true;
            let line = side["line"].as_u64().unwrap_or(0) as u32;
            // Not to take a label is no side of it, only a step on the way to another.
            let has_side = match self.file.pages.leaves.get(&line) {
                Some(Leaf::Condition(_)) => true,
                Some(Leaf::Label(_) | Leaf::Switch) => holds,
                None => false,
            };
            if has_side && !hits.has(0, line, holds) {
                let what =
                    format!("{holds} is recorded for {name}, which does not take it natively");
                self.wrong(&function.name, line, &what);
            }
        }
    }
}

fn write(path: &Path, text: &str) {
    #[expect(clippy::disallowed_methods, reason = "tests write their input")]
    std::fs::write(path, text).expect("the folder is ours");
}

/// Runs `gen`.
#[expect(clippy::disallowed_methods, reason = "tests of the binary run it")]
fn generate(path: &Path, cache: &Path, words: &[&str]) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_symcrete"))
        .args(["gen", "file.c", "--out", "out", "--no-native", "--jobs", "1"])
        .args(words)
        .current_dir(path)
        .env("SYMCRETE_CACHE", cache)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}
