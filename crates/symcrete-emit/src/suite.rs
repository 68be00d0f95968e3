//! `suite.json`: everything that is known of the tests, for programs.
//!
//! `docs/suite-json.md` describes the format. The types here mirror those of the program crate, so that a change
//! there cannot change the format by accident; reading gives back equal tests.

pub(crate) mod mirror;
mod search;

use crate::json::json_of;
use crate::outputs::{Found, OfAllUnits};
use crate::sources::other_sources;
use crate::{Artifact, Framework, bugs, c_test};
pub use mirror::{EdgeEntry, OutcomeEntry, SideEntry, SiteEntry};
pub use search::{
    EndedEntry, Fingerprint, GoalEntry, GoalStateEntry, SearchEntry, SizesEntry, SpentEntry,
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use symcrete_program::data_model::DataModel;
use symcrete_program::{Input, Program, Shape, Suite, TestCase, Unit};
use thiserror::Error;

/// Its name in the output folder.
pub const FILE: &str = "suite.json";
/// The version of the format. Readers refuse others.
pub const FORMAT: u32 = 1;

/// The suites of all units of a program, as the file has them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SuiteFile {
    /// [`FORMAT`]
    pub format: u32,
    /// Name and version of the tool.
    pub tool: String,
    /// Says which program this is about: a hash of the module.
    pub program: String,
    /// The configuration of the run.
    pub configuration: BTreeMap<String, Json>,
    /// How wide `long` and pointers are in the model: `lp64` or `ilp32`, which files without it were written for.
    #[serde(default)]
    pub data_model: String,
    /// What the tests are written for.
    #[serde(default)]
    pub framework: Framework,
    /// From the folder of this file to where the paths of sources and flags start.
    #[serde(default)]
    pub root: String,
    /// The source files, as they are shown.
    pub sources: Vec<String>,
    /// Flags that compiling the tests needs.
    pub flags: Vec<String>,
    /// Every other file that was written, relative to this one: only these are ever replaced or removed.
    #[serde(default)]
    pub files: Vec<String>,
    /// By unit.
    pub units: Vec<UnitEntry>,
}

/// The tests of one unit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnitEntry {
    /// The function.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The compiled file that it is a part of, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The functions that make and change the objects that it takes; none if their members are set directly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// The C file with the tests that can be run again, relative to this one; none if there are none.
    pub test_file: Option<String>,
    /// The user's other C files, which are linked with the test file.
    pub link: Vec<LinkEntry>,
    /// Every side of every branch that the unit can come to, taken or not; empty while it is explored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<SideEntry>,
    /// One program for each way to make it fail, relative to this file.
    #[serde(default)]
    pub reproducers: Vec<String>,
    /// Its tests.
    pub tests: Vec<TestEntry>,
    /// How far the search for them is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchEntry>,
}

/// A C file that is linked with a test file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LinkEntry {
    /// The file.
    pub file: String,
    /// Whether it defines `main`, which must get another name.
    pub has_main: bool,
}

/// One test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestEntry {
    /// The function in the test file.
    pub name: String,
    /// The input as people write it.
    pub input: BTreeMap<String, Json>,
    /// The same, exactly: every cell, as `SORT BITS`.
    pub cells: BTreeMap<String, String>,
    /// What the program asked for while it ran, in order.
    pub drawn: Vec<CellEntry>,
    /// How it ended.
    pub outcome: OutcomeEntry,
    /// What it changed in memory.
    pub changes: Vec<CellEntry>,
    /// The calls of callbacks and undefined functions, in order; none if the test cannot check them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<CallEntry>>,
    /// The pointers of the input whose objects it freed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freed: Vec<String>,
    /// The cells that decide where the access went at which it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub address_from: Vec<String>,
    /// Which sides of which branches it took.
    pub coverage: Vec<EdgeEntry>,
    /// Why it is in no test file, if it ends another way on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
}

/// A cell and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CellEntry {
    /// The cell's name.
    pub name: String,
    /// `i32`, `u8`, `bool`, `f64`, ….
    pub kind: String,
    /// Its bits in hexadecimal.
    pub bits: String,
}

/// A call of a callback or of an undefined function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallEntry {
    /// The function: `(*handler)`, `send`.
    pub function: String,
    /// What it was given, for each parameter that is noted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentEntry>,
}

/// What a function was given for a parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ArgumentEntry {
    /// The parameter, from 0.
    pub param: usize,
    /// A number in hexadecimal; of a pointer whether it is one (0x1) or null.
    pub bits: String,
    /// The bytes of the text behind a pointer, each as two hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes behind a pointer whose number is the next argument, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
}

/// A suite that cannot be read.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// It is not JSON, or not this format.
    #[error("not a suite: {0}")]
    Json(#[from] serde_json::Error),
    /// Another version wrote it.
    #[error("the suite has format {found}, this version reads format {FORMAT}")]
    Format {
        /// Its format.
        found: u32,
    },
    /// A value is none of its kind.
    #[error("`{name}` cannot be {found}")]
    Value {
        /// The cell or field.
        name: String,
        /// What it has.
        found: String,
    },
}

impl UnitEntry {
    /// What is known of a unit, whose other files are these.
    pub fn of(found: &Found<'_>, artifacts: &[Artifact]) -> UnitEntry {
        let &Found { head, unit, shape, suite } = found;
        let (program, tests) = (head.program, &suite.tests);
        let name = c_test::test_name(program, unit);
        let entry = |(i, test): (usize, &TestCase)| {
            TestEntry::of(program, shape, test, format!("{name}_{}", i + 1))
        };
        let shown = |file| program.file(file).path.display().to_string();
        let link = other_sources(program, unit).into_iter();
        let can_run = c_test::has_source(program, unit)
            && suite.kept().any(|test| test.outcome.is_repeatable());
        let is_reproducer = |artifact: &&Artifact| artifact.path.starts_with(bugs::FOLDER);
        let reproducers = artifacts.iter().filter(is_reproducer);
        // While the search goes on the goals are not all there.
        let goals = suite.goals.keys().filter(|_| suite.ended.is_some());
        let searched = (suite, shape.sizes);
        let search = SearchEntry::of(program, searched, &head.fingerprint, head.wording);
        UnitEntry {
            name: unit.name.clone(),
            file: shown(unit.position.file),
            line: unit.position.line,
            source: Some(program.source_of(unit))
                .filter(|&source| source != unit.position.file)
                .map(shown),
            calls: program.driver(shape.entered).map_or(Vec::new(), |driver| {
                let name = |unit: usize| program.units[unit].name.clone();
                driver.functions().into_iter().map(name).collect()
            }),
            test_file: can_run.then(|| format!("tests/{name}.c")),
            link: link.map(|(file, has_main)| LinkEntry { file: shown(file), has_main }).collect(),
            branches: goals.filter_map(|&edge| SideEntry::of(program, edge)).collect(),
            reproducers: reproducers.map(|file| file.path.display().to_string()).collect(),
            tests: tests.iter().enumerate().map(entry).collect(),
            search: Some(search),
        }
    }

    /// The suite that was written. Tests that cannot be read are left out and returned as errors.
    pub fn suite(&self) -> (Suite, Vec<SuiteError>) {
        let (mut tests, mut errors) = (Vec::new(), Vec::new());
        for test in &self.tests {
            match test.test_case() {
                Ok(test) => tests.push(test),
                Err(error) => errors.push(error),
            }
        }
        let suite = match &self.search {
            None => Suite { tests, ..Suite::default() },
            Some(search) => Suite {
                tests,
                goals: search.goals.iter().map(|g| (g.edge.edge(), g.goal_state())).collect(),
                is_exhaustive: search.exhaustive,
                ended: search.ended.ended(),
                spent: search.spent.spent(),
            },
        };
        (suite, errors)
    }

    /// Whether this is about a unit.
    pub fn is_of(&self, program: &Program, unit: &Unit) -> bool {
        let file = program.file(unit.position.file).path.display().to_string();
        self.name == unit.name && self.file == file
    }
}

impl TestEntry {
    fn of(program: &Program, shape: &Shape, test: &TestCase, name: String) -> TestEntry {
        let input = shape.show(&program.types, &test.input);
        let cells = test.input.values.iter();
        TestEntry {
            name,
            input: input.iter().map(|(name, datum)| (name.clone(), json_of(datum))).collect(),
            cells: cells.map(|(name, value)| (name.clone(), mirror::value_text(*value))).collect(),
            drawn: test.drawn.iter().map(CellEntry::of_drawn).collect(),
            outcome: OutcomeEntry::of(&test.outcome),
            changes: test.changes.iter().map(CellEntry::of_change).collect(),
            calls: test.noted.as_ref().map(|calls| calls.iter().map(CallEntry::of).collect()),
            freed: test.freed.clone(),
            address_from: test.address_from.clone(),
            coverage: test
                .coverage
                .edges()
                .iter()
                .map(|&edge| EdgeEntry::of(program, edge))
                .collect(),
            set_aside: test.set_aside.clone(),
        }
    }

    /// The test that was written.
    pub fn test_case(&self) -> Result<TestCase, SuiteError> {
        let mut input = Input::default();
        for (name, text) in &self.cells {
            input.set(name.clone(), mirror::value_of_text(name, text)?);
        }
        Ok(TestCase {
            input,
            drawn: self.drawn.iter().map(CellEntry::drawn).collect::<Result<_, _>>()?,
            outcome: self.outcome.outcome()?,
            changes: self.changes.iter().map(CellEntry::change).collect::<Result<_, _>>()?,
            noted: self.calls.as_deref().map(mirror::noted_calls).transpose()?,
            freed: self.freed.clone(),
            address_from: self.address_from.clone(),
            coverage: self.coverage.iter().map(EdgeEntry::edge).collect(),
            set_aside: self.set_aside.clone(),
        })
    }
}

impl SuiteFile {
    /// What is known of all units.
    pub fn of(all: &OfAllUnits<'_>) -> SuiteFile {
        let head = all.head;
        let user = head.program.files.iter().filter(|file| file.is_user);
        SuiteFile {
            format: FORMAT,
            tool: head.metadata.producer.clone(),
            program: head.metadata.program_hash.clone(),
            configuration: head.configuration.clone(),
            data_model: DataModel::of(&head.program.types).to_string(),
            framework: head.options.framework,
            root: head.root.display().to_string(),
            sources: user.map(|file| file.path.display().to_string()).collect(),
            flags: head.options.flags.clone(),
            files: all.files.clone(),
            units: all.units.values().map(|written| written.entry.clone()).collect(),
        }
    }

    /// The data model of the program.
    pub fn data_model(&self) -> DataModel {
        let known = DataModel::ALL.iter().copied().find(|model| model.name() == self.data_model);
        known.unwrap_or(DataModel::Ilp32)
    }

    /// The file.
    pub fn artifact(&self) -> Artifact {
        let mut text = serde_json::to_string_pretty(self).expect("maps have strings as keys");
        text.push('\n');
        Artifact::text(FILE, text)
    }

    /// Reads a file that [`SuiteFile::artifact`] made.
    pub fn read(bytes: &[u8]) -> Result<SuiteFile, SuiteError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let Version { format } = serde_json::from_slice(bytes)?;
        if format != FORMAT {
            return Err(SuiteError::Format { found: format });
        }
        Ok(serde_json::from_slice(bytes)?)
    }
}
