//! Raw inputs, for AFL, libFuzzer and the like.
//!
//! A program that reads standard input gets exactly those bytes, a fuzz target exactly its data. Any other unit
//! gets the bytes of its cells in order, least significant first.

use crate::drawn::Answers;
use crate::{Artifact, c_test, testcomp};
use std::path::PathBuf;
use symcrete_program::image::CellKind;
use symcrete_program::{Program, Shape, TestCase, Unit};

/// Where its files are, in a folder for each unit.
pub(crate) const FOLDER: &str = "corpus";

/// libFuzzer's entry: its first parameter is the data, the second its size.
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

/// One file per different input of a unit.
pub fn corpus(program: &Program, unit: &Unit, shape: &Shape, tests: &[TestCase]) -> Vec<Artifact> {
    let name = c_test::test_name(program, unit);
    let folder = PathBuf::from(FOLDER).join(&name);
    let mut files: Vec<Artifact> = Vec::new();
    for (i, test) in tests.iter().enumerate() {
        let bytes = bytes(unit, shape, test);
        if files.iter().all(|file| file.bytes != bytes) {
            let path = folder.join(format!("{name}_{}", i + 1));
            files.push(Artifact { path, bytes });
        }
    }
    files
}

fn bytes(unit: &Unit, shape: &Shape, test: &TestCase) -> Vec<u8> {
    if let Some(stdin) = Answers::of(test).stdin {
        return stdin;
    }
    let cells = testcomp::inputs(shape, test);
    let is_data = |name: &str, kind: CellKind| {
        let data = unit.params.first().map_or("", |param| &param.name);
        kind.size() == 1 && kind != CellKind::Bool && name.starts_with(data)
    };
    let mut bytes = Vec::new();
    for (name, kind, value) in cells {
        if unit.name != FUZZ_TARGET || is_data(&name, kind) {
            let size = kind.size() as usize;
            bytes.extend_from_slice(&value.bits().to_le_bytes()[..size.max(1)]);
        }
    }
    bytes
}
