//! What the tests of a harness need besides themselves: the header with which it asks for inputs.

use crate::Artifact;
use symcrete_program::Program;
use symcrete_program::frontend::HARNESS_HEADER;

/// The folder of headers, from the folder of the tests.
pub const INCLUDE: &str = "include";

/// Headers that the sources of a harness include and no one else has.
pub fn headers(program: &Program) -> Vec<Artifact> {
    match uses_harness(program) {
        true => vec![Artifact::text("tests/include/symcrete.h", HARNESS_HEADER.to_string())],
        false => Vec::new(),
    }
}

/// Whether the sources ask for inputs through our header.
pub(crate) fn uses_harness(program: &Program) -> bool {
    let texts =
        program.files.iter().filter(|file| file.is_user).filter_map(|file| file.text.as_deref());
    texts.into_iter().any(|text| text.contains("symcrete.h"))
}
