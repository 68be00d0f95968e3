//! What the tests of a harness need besides themselves: the headers with which it asks for inputs.

use crate::Artifact;
use symcrete_program::Program;
use symcrete_program::data_model::DataModel;
use symcrete_program::frontend::HARNESS_HEADERS;

/// The folder of headers, from the folder of the tests.
pub const INCLUDE: &str = "include";

/// Headers that the sources of a harness include and no one else has.
pub fn headers(program: &Program) -> Vec<Artifact> {
    match uses_harness(program) {
        // The others are built on the first.
        true => HARNESS_HEADERS
            .iter()
            .filter(|(name, _)| *name == "symcrete.h" || includes(program, name))
            .map(|(name, text)| {
                let text = format!("{}{text}", narrow(program, name));
                Artifact::text(format!("tests/{INCLUDE}/{name}"), text)
            })
            .collect(),
        false => Vec::new(),
    }
}

/// What tells the header of all others that inputs of type `long` have 4 bytes.
fn narrow(program: &Program, header: &str) -> &'static str {
    match (DataModel::of(&program.types), header) {
        (DataModel::Ilp32, "symcrete.h") => "#define SYMCRETE_NARROW_LONG\n",
        (DataModel::Ilp32 | DataModel::Lp64, _) => "",
    }
}

/// Whether the sources ask for inputs through one of our headers.
pub(crate) fn uses_harness(program: &Program) -> bool {
    HARNESS_HEADERS.iter().any(|(name, _)| includes(program, name))
}

fn includes(program: &Program, header: &str) -> bool {
    program.user_texts().any(|text| text.contains(header))
}
