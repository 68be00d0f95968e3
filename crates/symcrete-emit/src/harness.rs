//! What the tests of a harness need besides themselves: the headers with which it asks for inputs.

use crate::Artifact;
use crate::stubs::has_word;
use std::fmt::Write as _;
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

/// Whether the sources ask for inputs through one of our headers, or without any.
pub(crate) fn uses_harness(program: &Program) -> bool {
    includes_header(program) || called(program).next().is_some()
}

fn includes_header(program: &Program) -> bool {
    HARNESS_HEADERS.iter().any(|(name, _)| includes(program, name))
}

/// Functions of KLEE's that a source may declare itself, or call without a declaration, with their parameters and bodies.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    (
        "klee_make_symbolic",
        "void @(void *to, __SIZE_TYPE__ size, const char *name)",
        "symcrete_bytes(to, (uint32_t)size, name ? name : \"unnamed\");",
    ),
    ("klee_assume", "void @(uintptr_t condition)", "symcrete_assume(condition != 0);"),
    ("klee_int", "int @(const char *name)", "return symcrete_int32(name);"),
    (
        "klee_range",
        "int @(int begin, int end, const char *name)",
        "int value = symcrete_int32(name);\n\n    symcrete_assume(value >= begin && value < end);\n    return value;",
    ),
    ("klee_is_symbolic", "unsigned @(uintptr_t value)", "(void)value;\n    return 0;"),
    ("klee_silent_exit", "void @(int status)", "exit(status);"),
];

/// Those of them that the program has without a header of ours, and does not define.
fn called(
    program: &Program,
) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let is_plain = !includes_header(program);
    let is_called = |name: &str| program.user_texts().any(|text| has_word(text, name));
    let is_own = |name: &str| program.units.iter().any(|unit| unit.name == name);
    FUNCTIONS.iter().filter(move |(name, ..)| is_plain && is_called(name) && !is_own(name))
}

/// Their definitions: under names of their own, since the source may declare them in another way.
pub(crate) fn functions(program: &Program) -> String {
    let mut text = String::new();
    for (name, header, body) in called(program) {
        if text.is_empty() {
            text.push_str("\n#include \"symcrete.h\"\n");
            text.push_str("\n/* The source has these functions of KLEE's without its header. */\n");
            text.push_str("#define SYMCRETE_KLEE_TEXT(x) #x\n");
            text.push_str("#define SYMCRETE_KLEE(prefix, name) SYMCRETE_KLEE_TEXT(prefix) name\n");
        }
        let header = header.replace('@', &format!("symcrete_{name}"));
        let _ = writeln!(
            text,
            "{header} __asm__(SYMCRETE_KLEE(__USER_LABEL_PREFIX__, \"{name}\"));\n{header}\n{{\n    {body}\n}}"
        );
    }
    text
}

fn includes(program: &Program, header: &str) -> bool {
    program.user_texts().any(|text| text.contains(header))
}
