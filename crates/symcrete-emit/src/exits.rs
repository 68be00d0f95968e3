//! Functions that end the program, where a test goes on behind them.
//!
//! A test file defines `exit` and its kin as functions of its own before it includes the source, and other sources of the
//! program are compiled with `-Dexit=symcrete_exit` and the like. So it does not matter where a program ends: in the file
//! under test, in another one, or inside the library (`err(1, "no file")`).

use crate::sources::other_texts;
use crate::stubs::has_word;
use std::fmt::Write as _;
use symcrete_program::{Program, Unit};

/// A function that ends the program.
struct Ending {
    name: &'static str,
    params: &'static str,
    /// The header that a source must name, for names that are common words.
    header: Option<&'static str>,
    /// What the function of the test does; that of `exit` is the framework's.
    body: Option<&'static str>,
}

const fn plain(name: &'static str) -> Ending {
    Ending { name, params: "int status", header: None, body: Some("    symcrete_exit(status);\n") }
}

const ENDINGS: &[Ending] = &[
    Ending { name: "exit", params: "int status", header: None, body: None },
    plain("_exit"),
    plain("_Exit"),
    plain("quick_exit"),
    Ending {
        name: "err",
        params: "int status, const char *format, ...",
        header: Some("err.h"),
        body: Some(PRINTED),
    },
    Ending {
        name: "errx",
        params: "int status, const char *format, ...",
        header: Some("err.h"),
        body: Some(PRINTED),
    },
    Ending {
        name: "verr",
        params: "int status, const char *format, __builtin_va_list arguments",
        header: Some("err.h"),
        body: Some(PRINTED_LIST),
    },
    Ending {
        name: "verrx",
        params: "int status, const char *format, __builtin_va_list arguments",
        header: Some("err.h"),
        body: Some(PRINTED_LIST),
    },
    Ending {
        name: "error",
        params: "int status, int number, const char *format, ...",
        header: Some("error.h"),
        body: Some(PRINTED_ERROR),
    },
];

const PRINTED: &str = "    __builtin_va_list arguments;

    __builtin_va_start(arguments, format);
    if (format)
        vfprintf(stderr, format, arguments);
    __builtin_va_end(arguments);
    symcrete_exit(status);
";
const PRINTED_LIST: &str = "    if (format)
        vfprintf(stderr, format, arguments);
    symcrete_exit(status);
";
const PRINTED_ERROR: &str = "    __builtin_va_list arguments;

    (void)number;
    __builtin_va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    __builtin_va_end(arguments);
    if (status != 0)
        symcrete_exit(status);
";

impl Ending {
    fn macro_line(&self) -> String {
        format!("#define {0} symcrete_{0}\n", self.name)
    }

    /// Whether a program means the library's function by this name.
    fn is_used(&self, program: &Program) -> bool {
        let names_header = |header: &str| program.user_texts().any(|text| text.contains(header));
        !program.units.iter().any(|unit| unit.name == self.name)
            && self.header.is_none_or(names_header)
            && program.user_texts().any(|text| has_word(text, self.name))
    }
}

fn used(program: &Program) -> impl Iterator<Item = &'static Ending> {
    // The others end by way of `exit`.
    ENDINGS.iter().filter(|ending| ending.body.is_none() || ending.is_used(program))
}

/// What comes before the source, so that a test survives the program's end.
pub(crate) fn before(program: &Program) -> String {
    let mut text = String::from("/* A call of `exit` returns to the test. */\n");
    for ending in used(program) {
        let _ = write!(
            text,
            "void symcrete_{}({});\n{}",
            ending.name,
            ending.params,
            ending.macro_line()
        );
    }
    text
}

/// What comes behind the source: the rest of the file means the library's functions again.
pub(crate) fn after(program: &Program) -> String {
    used(program).map(|ending| format!("#undef {}\n", ending.name)).collect()
}

/// The functions that are called instead, but for that of `exit`.
pub(crate) fn definitions(program: &Program) -> String {
    let mut text = String::new();
    for ending in used(program) {
        if let Some(body) = ending.body {
            let _ =
                write!(text, "\nvoid symcrete_{}({})\n{{\n{body}}}\n", ending.name, ending.params);
        }
    }
    text
}

/// What sources that a test file is linked with are compiled with.
pub(crate) fn flags(program: &Program, unit: &Unit) -> Vec<String> {
    let others = other_texts(program, unit);
    let is_there = |ending: &&Ending| others.iter().any(|text| has_word(text, ending.name));
    used(program).filter(is_there).map(|ending| flag(ending.name)).collect()
}

/// The same, read from the test file.
pub fn flags_of(test_file: &str) -> impl Iterator<Item = String> {
    let is_defined = |ending: &&Ending| test_file.contains(&ending.macro_line());
    ENDINGS.iter().filter(is_defined).map(|ending| flag(ending.name))
}

fn flag(name: &str) -> String {
    format!("-D{name}=symcrete_{name}")
}
