//! What is written, as one list: a new kind of file is a file of code and a row here.
//!
//! A row says when its files are written and which paths are its own; the binary writes them and takes away what is stale.

pub mod sides;

use crate::suite::{Fingerprint, SuiteFile, UnitEntry};
use crate::testcomp::Metadata;
use crate::{Artifact, EmitOptions, bugs, c_test, corpus, harness, lcov, testcomp};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use symcrete_program::{OpenSide, Program, Shape, Suite, Unit};

/// What all files of a run have in common.
pub struct Head<'a> {
    /// The program.
    pub program: &'a Program,
    /// What the user asked for.
    pub options: EmitOptions,
    /// From the output folder to where the paths of sources start.
    pub root: PathBuf,
    /// Who wrote it.
    pub metadata: Metadata,
    /// The configuration of the run.
    pub configuration: BTreeMap<String, Json>,
    /// By which runs the search can be continued.
    pub fingerprint: Fingerprint,
    /// Says why a side is open.
    pub wording: fn(&OpenSide) -> String,
}

/// What was found of a unit.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    /// What is the same for all units.
    pub head: &'a Head<'a>,
    /// The unit.
    pub unit: &'a Unit,
    /// Its input.
    pub shape: &'a Shape,
    /// Its tests and what they show.
    pub suite: &'a Suite,
}

/// A unit as its files have it.
pub struct Written {
    /// For [`crate::suite::FILE`].
    pub entry: UnitEntry,
    /// The same as tests.
    pub suite: Suite,
}

/// All units that there are files of.
pub struct OfAllUnits<'a> {
    /// What is the same for all units.
    pub head: &'a Head<'a>,
    /// By index in the program.
    pub units: &'a BTreeMap<usize, Written>,
    /// Every file that was written, or is about to be.
    pub files: Vec<String>,
}

/// Files that the tests need and that only the program decides.
const OF_PROGRAM: &[fn(&Program) -> Vec<Artifact>] = &[harness::headers];

/// Files of one kind for a unit.
struct OfUnit {
    /// Whether they are written while the search goes on, too.
    is_early: bool,
    /// The folder that has a folder for each unit, with nothing else in it: what is not written again is stale.
    folder: Option<&'static str>,
    write: fn(&Found<'_>) -> Vec<Artifact>,
}

const OF_UNIT: &[OfUnit] = &[
    OfUnit {
        is_early: true,
        folder: None,
        write: |f| bugs::bugs(f.head.program, f.unit, f.shape, &f.suite.tests, &f.head.options),
    },
    OfUnit {
        is_early: true,
        folder: None,
        write: |f| {
            let (tests, options) = (&f.suite.tests, &f.head.options);
            Vec::from_iter(c_test::c_test(f.head.program, f.unit, f.shape, tests, options))
        },
    },
    OfUnit {
        is_early: false,
        folder: Some(corpus::FOLDER),
        write: |f| corpus::corpus(f.head.program, f.unit, f.shape, &f.suite.tests),
    },
    OfUnit {
        is_early: false,
        folder: Some(testcomp::FOLDER),
        write: |f| {
            let (tests, metadata) = (&f.suite.tests, &f.head.metadata);
            testcomp::testcomp(f.head.program, f.unit, f.shape, tests, metadata)
        },
    },
];

/// A file about all units together.
struct OfAll {
    path: &'static str,
    write: fn(&OfAllUnits<'_>) -> Artifact,
}

const OF_ALL: &[OfAll] = &[
    OfAll {
        path: lcov::FILE,
        write: |all| {
            let units = all.units.iter();
            let tests =
                units.map(|(&unit, written)| (unit, written.suite.kept().collect())).collect();
            lcov::lcov(all.head.program, &tests)
        },
    },
    OfAll { path: sides::FILE, write: sides::sides },
];

/// The file that lists all others, so it is written before and after them.
const RECORD: fn(&OfAllUnits<'_>) -> Artifact = |all| SuiteFile::of(all).artifact();

/// The files that are there from the beginning.
pub fn of_program(program: &Program) -> Vec<Artifact> {
    OF_PROGRAM.iter().flat_map(|write| write(program)).collect()
}

/// The files of a unit: all, or while the search goes on those that are worth it.
pub fn of_unit(found: &Found<'_>) -> Vec<Artifact> {
    let is_done = found.suite.ended.is_some();
    let outputs = OF_UNIT.iter().filter(|output| output.is_early || is_done);
    outputs.flat_map(|output| (output.write)(found)).collect()
}

/// Folders in which all of our files are about one unit.
pub fn folders(program: &Program, unit: &Unit) -> impl Iterator<Item = PathBuf> {
    let name = c_test::test_name(program, unit);
    let folders = OF_UNIT.iter().filter_map(|output| output.folder);
    folders.map(move |folder| PathBuf::from(folder).join(&name))
}

/// The files about all units together, except the one that lists files.
pub fn of_all(all: &OfAllUnits<'_>) -> Vec<Artifact> {
    OF_ALL.iter().map(|output| (output.write)(all)).collect()
}

/// Where these are.
pub fn paths_of_all() -> impl Iterator<Item = &'static str> {
    OF_ALL.iter().map(|output| output.path)
}

/// The file that lists all others.
pub fn record(all: &OfAllUnits<'_>) -> Artifact {
    RECORD(all)
}
