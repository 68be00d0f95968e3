//! Test-Comp's exchange format for test suites, as TestCov reads it.
//!
//! One `metadata.xml` and one XML file per test, each a sequence of `input` elements in the order in which the
//! program asks for them (the format: <https://gitlab.com/sosy-lab/test-comp/test-format>, `doc/Format.md`, DTDs
//! version 1.1). A function's own parameters come first, in the order of their cells.

use crate::{Artifact, c_test};
use std::fmt::Write;
use std::path::PathBuf;
use symcrete_program::image::CellKind;
use symcrete_program::shape::number;
use symcrete_program::{Outcome, Program, Shape, TestCase, Unit};
use symcrete_term::Value;

/// Where its files are, in a folder for each unit.
pub(crate) const FOLDER: &str = "testcomp";

/// What the metadata says besides the unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// The tool and its version.
    pub producer: String,
    /// What was to be covered, in the competition's words.
    pub specification: String,
    /// The SHA-256 of the program's file, in hexadecimal.
    pub program_hash: String,
    /// The time of the run, ISO 8601.
    pub creation_time: String,
}

/// The specification of branch coverage.
pub const BRANCHES: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";
/// The specification of reaching an error.
pub const ERROR: &str = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )";

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";
const METADATA_TYPE: &str = "<!DOCTYPE test-metadata PUBLIC \
     \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
     \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n";
const TESTCASE_TYPE: &str = "<!DOCTYPE testcase PUBLIC \
     \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
     \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n";

/// The files for a unit, in a folder of its own.
pub fn testcomp(
    program: &Program,
    unit: &Unit,
    shape: &Shape,
    tests: &[TestCase],
    metadata: &Metadata,
) -> Vec<Artifact> {
    let name = c_test::test_name(program, unit);
    let folder = PathBuf::from(FOLDER).join(&name);
    let mut files =
        vec![Artifact::text(folder.join("metadata.xml"), head(program, unit, metadata))];
    for (i, test) in tests.iter().enumerate() {
        let path = folder.join(format!("{name}_{}.xml", i + 1));
        files.push(Artifact::text(path, test_case(shape, test)));
    }
    files
}

fn head(program: &Program, unit: &Unit, metadata: &Metadata) -> String {
    let file = program.file(unit.position.file).path.display().to_string();
    let fields = [
        ("sourcecodelang", "C"),
        ("producer", &metadata.producer),
        ("specification", &metadata.specification),
        ("programfile", &file),
        ("programhash", &metadata.program_hash),
        ("entryfunction", &unit.name),
        ("architecture", "32bit"),
        ("creationtime", &metadata.creation_time),
    ];
    let mut text = format!("{HEAD}{METADATA_TYPE}<test-metadata>\n");
    for (name, value) in fields {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
    }
    text.push_str("</test-metadata>\n");
    text
}

fn test_case(shape: &Shape, test: &TestCase) -> String {
    let is_bug = matches!(test.outcome, Outcome::Trapped(_));
    let mark = if is_bug { " coversError=\"true\"" } else { "" };
    let mut text = format!("{HEAD}{TESTCASE_TYPE}<testcase{mark}>\n");
    for (name, kind, value) in inputs(shape, test) {
        let shown = shown(kind, value);
        let _ = writeln!(
            text,
            "  <input variable=\"{}\" type=\"{}\">{shown}</input>",
            escaped(&name),
            c_type(kind)
        );
    }
    text.push_str("</testcase>\n");
    text
}

/// The cells of a run in order: the unit's own, then what it asked for.
pub(crate) fn inputs(shape: &Shape, test: &TestCase) -> Vec<(String, CellKind, Value)> {
    let mut inputs = shape.leaves(&test.input);
    inputs.extend(test.drawn.iter().map(|drawn| (drawn.name.clone(), drawn.kind, drawn.value)));
    inputs
}

fn shown(kind: CellKind, value: Value) -> String {
    let bits = value.bits();
    match kind {
        CellKind::Bool => (bits & 1).to_string(),
        CellKind::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        CellKind::F64 => format!("{:?}", f64::from_bits(bits)),
        CellKind::Int { signed: true, .. } => number(kind, bits).to_string(),
        CellKind::Int { signed: false, .. } => bits.to_string(),
    }
}

fn c_type(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Bool => "_Bool",
        CellKind::F32 => "float",
        CellKind::F64 => "double",
        CellKind::Int { bits, signed: true } => match bits {
            0..=8 => "signed char",
            9..=16 => "short",
            17..=32 => "int",
            33.. => "long long",
        },
        CellKind::Int { bits, signed: false } => match bits {
            0..=8 => "unsigned char",
            9..=16 => "unsigned short",
            17..=32 => "unsigned int",
            33.. => "unsigned long long",
        },
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}
