//! The headers that a test file needs besides the source under test.
//!
//! The source comes first, so its own feature macros work. A program may define a function of the C library
//! without including the header that declares it; then the header would be an error, and the few functions that
//! tests use are declared instead, which C allows (C99, 7.1.4).

use crate::framework::Framework;
use crate::macros;
use std::collections::BTreeSet;
use symcrete_program::{Program, Unit};

/// What is included.
pub(crate) struct Headers {
    pub(crate) text: String,
    pub(crate) has_stdio: bool,
}

struct Header {
    name: &'static str,
    /// What programs define themselves and the header declares.
    declares: &'static [&'static str],
    /// What tests use of it.
    instead: &'static str,
}

const STDIO: Header = Header {
    name: "stdio.h",
    declares: &[
        "dprintf", "fgetc", "fgets", "fopen", "fputs", "fread", "fwrite", "getc", "getchar",
        "getdelim", "getline", "getw", "perror", "popen", "printf", "putc", "putchar", "puts",
        "putw", "remove", "rename", "rewind", "scanf", "tmpfile", "ungetc",
    ],
    instead: "int printf(const char *format, ...);\nint snprintf(char *to, size_t size, const char *format, ...);\n",
};
const STDLIB: Header = Header {
    name: "stdlib.h",
    declares: &[
        "abort", "abs", "atof", "atoi", "atol", "bsearch", "calloc", "div", "drand48", "exit",
        "free", "getenv", "labs", "llabs", "malloc", "mktemp", "qsort", "rand", "random",
        "realloc", "setenv", "srand", "strtod", "strtol", "system",
    ],
    instead: "int system(const char *command);\n\
              void *calloc(size_t n, size_t size);\n\
              void free(void *object);\n",
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
    instead: "int strcmp(const char *a, const char *b);\n\
              int memcmp(const void *a, const void *b, size_t size);\n\
              void *memcpy(void *to, const void *from, size_t size);\n\
              void *memset(void *to, int byte, size_t size);\n\
              char *strcpy(char *to, const char *from);\n",
};

/// What tests call of the C library, with all that is written into them.
const CALLED: &[&str] = &[
    "abort", "calloc", "chdir", "exit", "fclose", "fflush", "fopen", "free", "freopen", "fwrite",
    "getcwd", "malloc", "memcmp", "memcpy", "memset", "mkdtemp", "printf", "remove", "rewind",
    "rmdir", "setenv", "snprintf", "strcmp", "strcpy", "system", "tmpfile", "unsetenv",
];

/// The headers for tests of a unit; `tests` is their text.
pub(crate) fn needed(program: &Program, unit: &Unit, framework: Framework, tests: &str) -> Headers {
    let is_plain = framework == Framework::Plain;
    let all = [
        (STDIO, is_plain || uses_stdio(tests)),
        (STDLIB, is_plain || uses_stdlib(tests)),
        (STRING, true),
    ];
    chosen(program, unit, tests, &all)
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
    text.contains("symcrete_stdin(") || text.contains("symcrete_folder(")
}

fn uses_stdlib(text: &str) -> bool {
    ["abort(", "exit(", "calloc(", "free("].iter().any(|call| text.contains(call))
}

fn uses_string(text: &str) -> bool {
    ["memset(", "memcpy(", "memcmp(", "strcmp(", "strcpy("].iter().any(|call| text.contains(call))
}

fn chosen(program: &Program, unit: &Unit, tests: &str, all: &[(Header, bool)]) -> Headers {
    let file = program.source_of(unit);
    let source = program.file(file).text.as_deref().unwrap_or_default();
    let functions = program.units.iter().filter(|unit| unit.position.file == file);
    let globals = program.globals.iter().filter(|global| global.position.file == file);
    let names: Vec<&str> = functions
        .map(|unit| unit.name.as_str())
        .chain(globals.map(|global| global.name.as_str()))
        .chain(program.undefined.keys().map(String::as_str))
        .collect();
    let is_safe = |header: &Header| {
        source.contains(&format!("<{}>", header.name))
            || !names.iter().any(|name| header.declares.contains(name))
    };
    let mut text = String::new();
    if tests.contains("NAN") || tests.contains("INFINITY") {
        text.push_str("#include <math.h>\n");
    }
    if tests.contains("CHECK_EXITS(") {
        text.push_str("#include <setjmp.h>\n");
    }
    if tests.contains("va_start(") {
        text.push_str("#include <stdarg.h>\n");
    }
    if has_own_size(source) {
        text.push_str(
            "/* The source has a type of this name. */\n#define size_t symcrete_size_t\n",
        );
    }
    text.push_str("#include <stddef.h>\n");
    let mut has_stdio = false;
    let mut instead = String::new();
    for (header, is_used) in all {
        match (*is_used, is_safe(header)) {
            (false, _) => {}
            (true, true) => {
                text.push_str(&format!("#include <{}>\n", header.name));
                has_stdio |= header.name == STDIO.name;
            }
            (true, false) => instead.push_str(header.instead),
        }
    }
    if !instead.is_empty() {
        text.push_str(
            "\n/* The source has functions of these headers' names, so they are not included. */\n",
        );
        text.push_str(&instead);
    }
    let hidden = hidden(program);
    if !hidden.is_empty() {
        text.push_str("\n/* The source has macros of these names. */\n");
        hidden.iter().for_each(|name| text.push_str(&format!("#undef {name}\n")));
    }
    Headers { text, has_stdio }
}

/// Whether a source that includes nothing defines `size_t` itself, in its own way.
fn has_own_size(source: &str) -> bool {
    let defines = |statement: &str| {
        statement.contains("typedef ") && statement.trim_end().ends_with(" size_t")
    };
    !source.contains("#include") && source.split(';').any(defines)
}

/// Functions that tests call, and that are macros in a file of the program: `#define strcpy USE_MEMCPY_INSTEAD`.
fn hidden(program: &Program) -> BTreeSet<&'static str> {
    let texts = program.files.iter().filter(|file| file.is_user);
    let defined = texts.filter_map(|file| file.text.as_deref()).flat_map(macros::defined);
    let called = |(name, _): (&str, &str)| CALLED.iter().find(|called| **called == name).copied();
    defined.filter_map(called).collect()
}
