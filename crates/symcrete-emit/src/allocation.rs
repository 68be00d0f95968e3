//! Allocation that fails where a test says so.
//!
//! The sources are compiled with `-Dmalloc=symcrete_malloc` and the like; each test file defines these functions, which
//! ask the test's list whether to fail.

use crate::stubs::has_word;
use std::fmt::Write as _;
use std::ops::Range;
use symcrete_program::api::split_parameter;
use symcrete_program::shape::{is_length_name, number};
use symcrete_program::{CellKind, Program, Shape, TestCase};
use symcrete_term::Value;

/// What runs ask for at each allocation, without its parentheses.
pub const DRAW: &str = "allocation_fails";

/// A function that allocates: its name, result and parameters, and the arguments and the result of a call that fails.
const FUNCTIONS: &[(&str, &str, &str, &str, &str)] = &[
    ("malloc", "void *", "size_t size", "size", "NULL"),
    ("calloc", "void *", "size_t n, size_t size", "n, size", "NULL"),
    ("realloc", "void *", "void *earlier, size_t size", "earlier, size", "NULL"),
    ("reallocarray", "void *", "void *earlier, size_t n, size_t size", "earlier, n, size", "NULL"),
    ("aligned_alloc", "void *", "size_t alignment, size_t size", "alignment, size", "NULL"),
    (
        "posix_memalign",
        "int ",
        "void **address, size_t alignment, size_t size",
        "address, alignment, size",
        "12 /* ENOMEM */",
    ),
    ("strdup", "char *", "const char *text", "text", "NULL"),
    ("strndup", "char *", "const char *text, size_t max", "text, max", "NULL"),
];

/// Tests allocate with this one what the code under test frees. That never fails.
const OWN: &str = "calloc";

/// AddressSanitizer ends a program that asks for more than this, unless it is told that allocation may fail.
const SANITIZER_MAX: u64 = 1 << 40;

const SANITIZER_OPTIONS: &str = "
/* Where AddressSanitizer is: sizes that no machine has make allocation fail, as they do without it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return \"allocator_may_return_null=1\";
}
";

/// What the file of these tests says to AddressSanitizer.
pub(crate) fn sanitizer_options<'t>(
    program: &Program,
    shape: &Shape,
    mut tests: impl Iterator<Item = &'t TestCase>,
) -> &'static str {
    let allocates = |(_, name): &(Range<u32>, String)| {
        FUNCTIONS.iter().any(|(function, ..)| name.strip_prefix("__symcrete_") == Some(function))
    };
    // A negative length is a very large size.
    let is_negative = |name: &str, kind: CellKind, value: Value| {
        number(kind, value.bits()) < 0 && is_length_name(split_parameter(name).1)
    };
    let is_large = |(name, kind, value): &(String, CellKind, Value)| match kind {
        CellKind::Int { bits: 64, .. } => value.bits() > SANITIZER_MAX,
        CellKind::Int { .. } => is_negative(name, *kind, *value),
        CellKind::Bool | CellKind::F32 | CellKind::F64 => false,
    };
    let has_large = |test: &TestCase| shape.leaves(&test.input).iter().any(is_large);
    match program.functions.iter().any(allocates) && tests.any(has_large) {
        true => SANITIZER_OPTIONS,
        false => "",
    }
}

/// What the sources are compiled with.
pub fn flags() -> impl Iterator<Item = String> {
    FUNCTIONS.iter().map(|(name, ..)| format!("-D{name}=symcrete_{name}"))
}

/// Whether the sources are compiled so that allocation can fail.
pub(crate) fn may_fail(flags: &[String]) -> bool {
    FUNCTIONS.first().is_some_and(|(name, ..)| {
        let wanted = format!("-D{name}=symcrete_{name}");
        flags.contains(&wanted)
    })
}

/// Declarations for sources that call these functions without one, as old C does. The compiler knows what `malloc` is, and of
/// `symcrete_malloc` it would think that it returns an `int`.
pub(crate) fn declarations(program: &Program) -> String {
    let texts: Vec<&str> = program.user_texts().collect();
    let is_header = |line: &str| {
        let names_one = line.contains("stdlib.h") || line.contains("malloc.h");
        line.trim_start().starts_with('#') && names_one
    };
    let has_header = texts.iter().any(|text| text.lines().any(is_header));
    let is_declared = |text: &str, name: &str| {
        text.match_indices(name).any(|(at, _)| text[..at].trim_end().ends_with('*'))
    };
    let mut text = String::new();
    for (name, result, params, ..) in FUNCTIONS.iter().filter(|_| !has_header) {
        let is_called = texts.iter().any(|text| has_word(text, name));
        if is_called && !texts.iter().any(|text| is_declared(text, name)) {
            let params = params.replace("size_t", "__SIZE_TYPE__");
            let _ = writeln!(text, "{result}symcrete_{name}({params});");
        }
    }
    text
}

/// The functions that the sources call instead of the library's, as far as they do.
pub(crate) fn definitions(program: &Program) -> String {
    let texts: Vec<&str> = program.files.iter().filter_map(|file| file.text.as_deref()).collect();
    let mut text = String::new();
    for (name, result, params, arguments, none) in FUNCTIONS {
        if !texts.iter().any(|text| has_word(text, name)) {
            if *name == OWN {
                let _ = write!(
                    text,
                    "\n/* What tests allocate themselves. */\n#undef {name}\n{result}{name}({params});\n"
                );
            }
            continue;
        }
        let _ = write!(
            text,
            "\n/* `{name}` of the sources, which are compiled with -D{name}=symcrete_{name}. */\n\
             #undef {name}\n{result}{name}({params});\n\
             {result}symcrete_{name}({params});\n\n\
             {result}symcrete_{name}({params})\n{{\n    \
             return {DRAW}() ? {none} : {name}({arguments});\n}}\n"
        );
    }
    text
}
