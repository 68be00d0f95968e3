//! Which source files a test file includes, and which are linked with it.

use std::path::Path;
use symcrete_program::{FileId, Global, Program, Unit};

/// The file that the tests of a unit include: its own, or for a function in a header a file that includes it.
pub(crate) fn source_of(program: &Program, unit: &Unit) -> FileId {
    let own = unit.position.file;
    if is_c(&program.file(own).path) {
        return own;
    }
    let files = (0..program.files.len() as u32).map(FileId);
    let includes = |&file: &FileId| {
        program.file(file).is_user
            && is_c(&program.file(file).path)
            && is_included(program, file, own)
    };
    files.clone().find(includes).unwrap_or(own)
}

/// Whether a file is part of the compilation of another one: the same, or a header that it mentions.
pub(crate) fn is_included(program: &Program, source: FileId, file: FileId) -> bool {
    if source == file {
        return true;
    }
    let name = program.file(file).path.file_name().and_then(|name| name.to_str());
    let text = program.file(source).text.as_deref().unwrap_or_default();
    let is_mentioned = name.is_some_and(|name| text.contains(name));
    is_mentioned && !is_c(&program.file(file).path)
}

/// The user's other C files, which are compiled along, each with whether it has a `main`.
pub fn other_sources(program: &Program, unit: &Unit) -> Vec<(FileId, bool)> {
    let source = source_of(program, unit);
    let files = (0..program.files.len() as u32).map(FileId);
    let in_file = |file: FileId| program.units.iter().filter(move |u| u.position.file == file);
    let is_other = |&file: &FileId| {
        let other = program.file(file);
        is_c(&other.path) && other.is_user && file != source && in_file(file).next().is_some()
    };
    files.filter(is_other).map(|file| (file, in_file(file).any(|u| u.name == "main"))).collect()
}

/// Global variables of other files that tests may set, so that they must be declared.
pub(crate) fn foreign_globals<'a>(
    program: &'a Program,
    unit: &Unit,
) -> impl Iterator<Item = &'a Global> {
    let source = source_of(program, unit);
    program.globals.iter().filter(move |global| {
        !global.is_static && !is_included(program, source, global.position.file)
    })
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c")
}
