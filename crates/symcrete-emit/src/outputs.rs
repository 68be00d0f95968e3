//! What is written, as one list: a new kind of file is a file of code and a row here.

use crate::testcomp::Metadata;
use crate::{Artifact, EmitOptions, bugs, c_test, corpus, lcov, testcomp};
use std::collections::BTreeMap;
use std::path::PathBuf;
use symcrete_program::{Program, Shape, TestCase, Unit};

/// What was found of a unit, and all that outputs need to know besides.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    /// The program.
    pub program: &'a Program,
    /// The unit.
    pub unit: &'a Unit,
    /// Its input.
    pub shape: &'a Shape,
    /// Its tests.
    pub tests: &'a [TestCase],
    /// What the user asked for.
    pub options: &'a EmitOptions,
    /// Who wrote it.
    pub metadata: &'a Metadata,
}

/// The tests of all units, by index.
pub type AllTests<'a> = BTreeMap<usize, &'a [TestCase]>;

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
        write: |f| bugs::bugs(f.program, f.unit, f.shape, f.tests, f.options),
    },
    OfUnit {
        is_early: true,
        folder: None,
        write: |f| Vec::from_iter(c_test::c_test(f.program, f.unit, f.shape, f.tests, f.options)),
    },
    OfUnit {
        is_early: false,
        folder: Some(corpus::FOLDER),
        write: |f| corpus::corpus(f.program, f.unit, f.shape, f.tests),
    },
    OfUnit {
        is_early: false,
        folder: Some(testcomp::FOLDER),
        write: |f| testcomp::testcomp(f.program, f.unit, f.shape, f.tests, f.metadata),
    },
];

/// A file about all units together.
struct OfAll {
    path: &'static str,
    write: fn(&Program, &AllTests<'_>) -> Artifact,
}

const OF_ALL: &[OfAll] = &[OfAll { path: lcov::FILE, write: lcov::lcov }];

/// The files of a unit that are written while the search goes on.
pub fn early(found: &Found<'_>) -> Vec<Artifact> {
    OF_UNIT.iter().filter(|output| output.is_early).flat_map(|o| (o.write)(found)).collect()
}

/// All files of a unit.
pub fn of_unit(found: &Found<'_>) -> Vec<Artifact> {
    OF_UNIT.iter().flat_map(|output| (output.write)(found)).collect()
}

/// Folders in which all of our files are about one unit.
pub fn folders(program: &Program, unit: &Unit) -> impl Iterator<Item = PathBuf> {
    let name = c_test::test_name(program, unit);
    let folders = OF_UNIT.iter().filter_map(|output| output.folder);
    folders.map(move |folder| PathBuf::from(folder).join(&name))
}

/// The files about all units together.
pub fn of_all(program: &Program, tests: &AllTests<'_>) -> Vec<Artifact> {
    OF_ALL.iter().map(|output| (output.write)(program, tests)).collect()
}

/// Where the files about all units together are.
pub fn paths_of_all() -> impl Iterator<Item = &'static str> {
    OF_ALL.iter().map(|output| output.path)
}
