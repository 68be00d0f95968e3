//! Which source files a test file includes, and which are linked with it.

use crate::declare::declare;
use std::fmt::Write;
use symcrete_program::{FileId, Global, Program, Unit};

/// The file that the tests of a unit include: its own, or for a function in a header, or in a C file that is only
/// included, a file that includes that.
pub(crate) fn source_of(program: &Program, unit: &Unit) -> FileId {
    let own = unit.position.file;
    if program.file(own).is_compiled {
        return own;
    }
    let files = (0..program.files.len() as u32).map(FileId);
    let includes =
        |&file: &FileId| program.file(file).is_compiled && is_included(program, file, own);
    files.clone().find(includes).unwrap_or(own)
}

/// Whether a file is part of the compilation of another one: the same, or one that it mentions and that is not compiled by
/// itself.
pub(crate) fn is_included(program: &Program, source: FileId, file: FileId) -> bool {
    if source == file {
        return true;
    }
    let name = program.file(file).path.file_name().and_then(|name| name.to_str());
    let text = program.file(source).text.as_deref().unwrap_or_default();
    let is_mentioned = name.is_some_and(|name| text.contains(name));
    is_mentioned && !program.file(file).is_compiled
}

/// The user's other C files, which are compiled along, each with whether it has a `main`.
pub fn other_sources(program: &Program, unit: &Unit) -> Vec<(FileId, bool)> {
    let source = source_of(program, unit);
    let files = (0..program.files.len() as u32).map(FileId);
    let in_file = |file: FileId| program.units.iter().filter(move |u| u.position.file == file);
    let is_other = |&file: &FileId| {
        program.file(file).is_compiled && file != source && in_file(file).next().is_some()
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
        let is_visible = !global.is_static && !global.is_external;
        is_visible && !is_included(program, source, global.position.file)
    })
}

/// Elements of a constant array whose length nobody says.
const OPEN_LENGTH: u32 = 64;

/// Definitions of the variables that the sources declare and nobody defines. Of one whose type the test may not know there
/// is room enough.
pub(crate) fn external_definitions(program: &Program, unit: &Unit) -> String {
    let source = source_of(program, unit);
    let mut text = String::new();
    for global in program.globals.iter().filter(|global| global.is_external) {
        let definition = match is_included(program, source, global.position.file) {
            true => declare(&program.types, global.ty, &global.name),
            false => {
                let words = program.types.get(global.ty).size.div_ceil(4).max(1);
                format!("long long {}[{words}]", global.name)
            }
        };
        let _ = writeln!(text, "{definition};");
    }
    for constant in &program.constants {
        let name = &constant.name;
        let _ = match (is_included(program, source, constant.file), constant.is_open) {
            (true, false) => writeln!(text, "__typeof__({name}) {name};"),
            (true, true) => writeln!(text, "__typeof__({name}[0]) {name}[{OPEN_LENGTH}];"),
            (false, _) => writeln!(text, "const long long {name}[{OPEN_LENGTH}] = {{0}};"),
        };
    }
    match text.is_empty() {
        true => text,
        false => format!("\n/* Variables that the sources declare and nobody defines. */\n{text}"),
    }
}
