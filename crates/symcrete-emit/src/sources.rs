//! Which source files a test file includes, and which are linked with it.

use crate::stubs::{has_body, has_word};
use std::collections::BTreeMap;
use std::fmt::Write;
use symcrete_program::types::TypeKind;
use symcrete_program::{FileId, Global, Position, Program, Unit};

/// The user's other C files, which are compiled along, each with whether it has a `main`.
pub fn other_sources(program: &Program, unit: &Unit) -> Vec<(FileId, bool)> {
    let source = program.source_of(unit);
    let files = (0..program.files.len() as u32).map(FileId);
    let in_file = |file: FileId| program.units.iter().filter(move |u| program.source_of(u) == file);
    let has_variables = |file: FileId| {
        let mut globals = program.globals.iter();
        globals.any(|global| !global.is_external && program.is_included(file, global.position.file))
    };
    let is_other = |&file: &FileId| {
        let is_needed = || in_file(file).next().is_some() || has_variables(file);
        program.file(file).is_compiled && file != source && is_needed()
    };
    files.filter(is_other).map(|file| (file, in_file(file).any(|u| u.name == "main"))).collect()
}

/// The texts of these sources.
pub(crate) fn other_texts<'a>(program: &'a Program, unit: &Unit) -> Vec<&'a str> {
    let others = other_sources(program, unit).into_iter();
    others.filter_map(|(file, _)| program.file(file).text.as_deref()).collect()
}

/// Global variables of other files that tests may set, so that they must be declared.
pub(crate) fn foreign_globals<'a>(
    program: &'a Program,
    unit: &Unit,
) -> impl Iterator<Item = &'a Global> {
    let source = program.source_of(unit);
    program.globals.iter().filter(move |global| {
        let is_visible = !global.is_static && !global.is_external;
        is_visible && !program.is_included(source, global.position.file)
    })
}

/// Makes external definitions of functions that the source defines as C99's `inline` only: a compiler that does not expand a
/// call looks for one elsewhere, and there is none.
pub(crate) fn inline_definitions(program: &Program, unit: &Unit) -> String {
    let source = program.source_of(unit);
    let mut lines: BTreeMap<FileId, Vec<&str>> = BTreeMap::new();
    let is_inline = |function: &&Unit| {
        let Position { file, line, .. } = function.position;
        if function.is_static || !program.is_included(source, file) {
            return false;
        }
        let text = program.file(file).text.as_deref().unwrap_or_default();
        let lines = lines.entry(file).or_insert_with(|| text.lines().collect());
        says_inline(&beginning(lines, line), &function.name)
    };
    let is_elsewhere = |function: &&Unit| {
        let others = other_sources(program, unit).into_iter();
        let mut texts = others.filter_map(|(file, _)| program.file(file).text.as_deref());
        texts.any(|text| has_body(text, &function.name))
    };
    let functions = program.units.iter().filter(is_inline).filter(|f| !is_elsewhere(f));
    let lines: String =
        functions.map(|Unit { name, .. }| format!("extern __typeof__({name}) {name};\n")).collect();
    match lines.is_empty() {
        true => lines,
        false => format!("/* Calls of these inline functions need not be expanded. */\n{lines}\n"),
    }
}

/// The line that has a function's name, and the one before it, unless that ends something else.
fn beginning(lines: &[&str], number: u32) -> String {
    let skipped = number.saturating_sub(2) as usize;
    let lines = &lines[skipped.min(lines.len())..];
    match *lines {
        [before, line, ..] if number > 1 && !before.contains([';', '}']) => {
            format!("{before} {line}")
        }
        [_, line, ..] if number > 1 => line.to_string(),
        [line, ..] => line.to_string(),
        [] => String::new(),
    }
}

/// Whether the line that begins a function's definition has `inline` before its name, and nothing that makes it external.
fn says_inline(line: &str, name: &str) -> bool {
    let before = line.find(name).map_or(line, |at| &line[..at]);
    let is_inline = ["inline", "__inline", "__inline__"].iter().any(|word| has_word(before, word));
    is_inline && !has_word(before, "extern")
}

/// Elements of a constant array whose length nobody says.
const OPEN_LENGTH: u32 = 64;

/// Definitions of the variables that the sources declare and nobody defines. Of one whose type the test may not know there
/// is room enough.
pub(crate) fn external_definitions(program: &Program, unit: &Unit) -> String {
    let source = program.source_of(unit);
    let mut text = String::new();
    for global in program.globals.iter().filter(|global| global.is_external) {
        let definition = match program.is_included(source, global.position.file) {
            true => same_type(program, global),
            false => {
                let words = program.types.get(global.ty).size.div_ceil(4).max(1);
                format!("long long {}[{words}]", global.name)
            }
        };
        let _ = writeln!(text, "{definition};");
    }
    for constant in &program.constants {
        let name = &constant.name;
        let _ = match (program.is_included(source, constant.file), constant.is_open) {
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

/// A declaration with the type that the source gives a variable, qualifiers too, and the length that we gave it.
fn same_type(program: &Program, global: &Global) -> String {
    let name = &global.name;
    match program.types.get(global.ty).kind {
        TypeKind::Array { length, .. } => format!("__typeof__({name}[0]) {name}[{length}]"),
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Enum { .. }
        | TypeKind::Pointer { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Union { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => format!("__typeof__({name}) {name}"),
    }
}
