//! The headers that a test file needs besides the source under test.
//!
//! The source comes first, so its own feature macros work. A program may define, declare or call a function of the C
//! library without including the header that declares it; then the header could be an error, and what tests use of it is
//! declared under other names (`library.rs`).

use crate::framework::Framework;
use crate::library::{self, Declared};
use crate::noting::CHECK_CALLS;
use crate::stubs::{has_call, has_word};
use crate::{framework, macros};
use std::collections::BTreeSet;
use symcrete_program::{FileId, Program, Unit};

/// What is included.
pub(crate) struct Headers {
    pub(crate) text: String,
    pub(crate) has_stdio: bool,
}

struct Header {
    name: &'static str,
    /// What programs name and the header declares.
    declares: &'static [&'static str],
    /// What tests use of it.
    used: &'static [Declared],
}

const STDIO: Header = Header {
    name: "stdio.h",
    declares: &[
        "FILE",
        "dprintf",
        "fclose",
        "fflush",
        "fgetc",
        "fgets",
        "fopen",
        "fprintf",
        "fputs",
        "fread",
        "freopen",
        "fscanf",
        "fwrite",
        "getc",
        "getchar",
        "getdelim",
        "getline",
        "getw",
        "perror",
        "popen",
        "printf",
        "putc",
        "putchar",
        "puts",
        "putw",
        "remove",
        "rename",
        "rewind",
        "scanf",
        "snprintf",
        "sprintf",
        "sscanf",
        "stderr",
        "stdin",
        "stdout",
        "tmpfile",
        "ungetc",
        "vfprintf",
        "vfscanf",
        "vprintf",
        "vscanf",
        "vsnprintf",
        "vsprintf",
        "vsscanf",
    ],
    used: library::STDIO,
};
const STDLIB: Header = Header {
    name: "stdlib.h",
    declares: &[
        "abort", "abs", "atof", "atoi", "atol", "bsearch", "calloc", "div", "drand48", "exit",
        "free", "getenv", "labs", "llabs", "malloc", "mktemp", "qsort", "rand", "random",
        "realloc", "setenv", "srand", "strtod", "strtol", "system",
    ],
    used: library::STDLIB,
};
const STRING: Header = Header {
    name: "string.h",
    declares: &[
        "basename",
        "bcmp",
        "bcopy",
        "bzero",
        "ffs",
        "index",
        "memchr",
        "memcmp",
        "memcpy",
        "memmove",
        "memset",
        "rindex",
        "stpcpy",
        "strcasecmp",
        "strcat",
        "strchr",
        "strcmp",
        "strcpy",
        "strcspn",
        "strdup",
        "strlen",
        "strncat",
        "strncmp",
        "strncpy",
        "strndup",
        "strnlen",
        "strpbrk",
        "strrchr",
        "strsep",
        "strspn",
        "strstr",
        "strtok",
    ],
    used: library::STRING,
};

/// What tests call of the C library, with all that is written into them.
const CALLED: &[&str] = &[
    "abort",
    "calloc",
    "chdir",
    "exit",
    "fclose",
    "fflush",
    "fopen",
    "free",
    "freopen",
    "fwrite",
    "getcwd",
    "malloc",
    "memcmp",
    "memcpy",
    "memset",
    "mkdtemp",
    "printf",
    "remove",
    "rewind",
    "rmdir",
    "setenv",
    "snprintf",
    "strcmp",
    "strcpy",
    "strlen",
    "system",
    "tmpfile",
    "unsetenv",
    "vsnprintf",
];

/// The headers for tests of a unit; `tests` is their text.
pub(crate) fn needed(program: &Program, unit: &Unit, framework: Framework, tests: &str) -> Headers {
    let is_plain = framework == Framework::Plain;
    let all = [
        (STDIO, is_plain || uses_stdio(tests)),
        (STDLIB, is_plain || uses_stdlib(tests)),
        (STRING, true),
    ];
    let used = format!("{tests}{}", framework::around(framework));
    chosen(program, unit, &used, &all)
}

/// The headers for a program without tests.
pub(crate) fn of_program(program: &Program, unit: &Unit, text: &str) -> String {
    let all = [
        (STDIO, text.contains("printf(") || uses_stdio(text)),
        (STDLIB, uses_stdlib(text)),
        (STRING, uses_string(text)),
    ];
    chosen(program, unit, text, &all).text
}

fn uses_stdio(text: &str) -> bool {
    ["symcrete_stdin(", "symcrete_folder(", CHECK_CALLS].iter().any(|use_of| text.contains(use_of))
}

fn uses_stdlib(text: &str) -> bool {
    ["abort(", "exit(", "calloc(", "free("].iter().any(|call| text.contains(call))
}

fn uses_string(text: &str) -> bool {
    ["memset(", "memcpy(", "memcmp(", "strcmp(", "strcpy("].iter().any(|call| text.contains(call))
}

/// The headers for a text that uses the library; helpers that it needs use it too.
fn chosen(program: &Program, unit: &Unit, tests: &str, all: &[(Header, bool)]) -> Headers {
    let file = program.source_of(unit);
    let source = program.file(file).text.as_deref().unwrap_or_default();
    let included = included(program, file);
    let is_included = |header: &Header| {
        let angle = format!("<{}>", header.name);
        included.iter().any(|text| text.contains(&angle))
    };
    let is_named = |header: &Header| {
        let mut all = program.undefined.keys().map(String::as_str).chain(names(program, file));
        (!has_own_headers(source) && header.declares.iter().any(|name| is_used(source, name)))
            || all.any(|name| header.declares.contains(&name))
    };
    let mut text = String::new();
    // With `#define printf printf_` the header would not declare `printf`.
    let hidden = hidden(program, all.iter().map(|(header, _)| header));
    if !hidden.is_empty() {
        text.push_str("/* The source has macros of these names. */\n");
        hidden.iter().for_each(|name| text.push_str(&format!("#undef {name}\n")));
        text.push('\n');
    }
    for (word, header) in [
        ("NAN", "math.h"),
        ("INFINITY", "math.h"),
        ("CHECK_EXITS(", "setjmp.h"),
        ("va_start(", "stdarg.h"),
        (CHECK_CALLS, "stdarg.h"),
    ] {
        let line = format!("#include <{header}>\n");
        if tests.contains(word) && !text.contains(&line) {
            text.push_str(&line);
        }
    }
    if program.has_own_size {
        text.push_str(
            "/* The source has a type of this name, which may be another one than the library's. */\n\
             typedef __SIZE_TYPE__ symcrete_size_t;\n#define size_t symcrete_size_t\n",
        );
    }
    text.push_str("#include <stddef.h>\n");
    let mut has_stdio = false;
    let mut instead = Vec::new();
    for (header, is_used) in all {
        match (*is_used, is_included(header) || !is_named(header)) {
            (false, _) => {}
            (true, true) => text.push_str(&format!("#include <{}>\n", header.name)),
            (true, false) => instead.push(header.used),
        }
        has_stdio |= *is_used && header.name == STDIO.name;
    }
    if program.has_own_size {
        text.push_str("#undef size_t\n");
    }
    let own: Vec<&str> = names(program, file).collect();
    let used = format!("{tests}{}", framework::helpers(tests));
    text.push_str(&library::declarations(&instead, &own, |name| is_used(&used, name)));
    Headers { text, has_stdio }
}

/// Whether a text uses something of the library: a type or a stream, or a function that it declares or calls.
fn is_used(text: &str, name: &str) -> bool {
    match name {
        "FILE" | "stdin" | "stdout" | "stderr" => has_word(text, name),
        function => has_call(text, function),
    }
}

/// What a file of the program defines.
fn names(program: &Program, file: FileId) -> impl Iterator<Item = &str> {
    let functions = program.units.iter().filter(move |unit| unit.position.file == file);
    let globals = program.globals.iter().filter(move |global| global.position.file == file);
    functions.map(|unit| unit.name.as_str()).chain(globals.map(|global| global.name.as_str()))
}

/// The user's texts that a test file includes with a source.
fn included(program: &Program, source: FileId) -> Vec<&str> {
    let files = (0..program.files.len() as u32).map(FileId);
    let files = files.filter(|&file| program.is_included(source, file));
    files.filter_map(|file| program.file(file).text.as_deref()).collect()
}

/// Whether a source includes headers of the user's, which may include those of the library.
fn has_own_headers(source: &str) -> bool {
    source.lines().any(|line| line.trim_start().starts_with('#') && line.contains("include \""))
}

/// Functions that tests call or headers declare, and that are macros in a file of the program: `#define strcpy USE_MEMCPY_INSTEAD`.
fn hidden<'h>(
    program: &Program,
    headers: impl Iterator<Item = &'h Header>,
) -> BTreeSet<&'static str> {
    let declared = headers.flat_map(|header| header.declares.iter().copied());
    let names: BTreeSet<&str> = CALLED.iter().copied().chain(declared).collect();
    let defined = program.user_texts().flat_map(macros::defined);
    defined.filter_map(|(name, _)| names.get(name).copied()).collect()
}
