//! Functions of the library that a test file has instead: those that end the program, behind which a test goes on, and
//! `fopen`, whose absolute paths must not be those of this machine.
//!
//! A test file defines such names as functions of its own before it includes the source, and other sources of the
//! program are compiled with `-Dexit=symcrete_exit` and the like. So it does not matter where a program ends: in the file
//! under test, in another one, or inside the library (`err(1, "no file")`).

use crate::environment;
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
    /// Whether a program means the library's function by this name.
    fn is_used(&self, program: &Program) -> bool {
        let names_header = |header: &str| program.user_texts().any(|text| text.contains(header));
        !program.units.iter().any(|unit| unit.name == self.name)
            && self.header.is_none_or(names_header)
            && program.user_texts().any(|text| has_word(text, self.name))
    }
}

fn endings(program: &Program) -> impl Iterator<Item = &'static Ending> {
    // The others end by way of `exit`.
    ENDINGS.iter().filter(|ending| ending.body.is_none() || ending.is_used(program))
}

/// Which functions a file replaces.
#[derive(Clone, Copy)]
pub(crate) struct Replaced {
    ends: bool,
    opens: bool,
}

const OPEN: &str = "fopen";

impl Replaced {
    /// Those that the statements of tests need.
    pub(crate) fn of(bodies: &str) -> Replaced {
        Replaced {
            ends: bodies.contains("CHECK_EXITS("),
            opens: bodies.contains(environment::AT_ROOT),
        }
    }

    fn names(self, program: &Program) -> Vec<&'static str> {
        let endings = self.ends.then(|| endings(program).map(|ending| ending.name));
        endings.into_iter().flatten().chain(self.opens.then_some(OPEN)).collect()
    }

    /// What comes before the source.
    pub(crate) fn before(self, program: &Program) -> String {
        let mut text = String::new();
        if self.ends {
            text.push_str("/* A call of `exit` returns to the test. */\n");
            for Ending { name, params, .. } in endings(program) {
                let _ = writeln!(text, "void symcrete_{name}({params});");
            }
        }
        text + &self.names(program).into_iter().map(macro_line).collect::<String>()
    }

    /// What comes behind the source: the rest of the file means the library's functions again.
    pub(crate) fn after(self, program: &Program) -> String {
        self.names(program).iter().map(|name| format!("#undef {name}\n")).collect()
    }

    /// The functions that are called instead, but for those that are helpers of tests.
    pub(crate) fn definitions(self, program: &Program) -> String {
        let mut text = String::new();
        for Ending { name, params, body, .. } in endings(program).filter(|_| self.ends) {
            if let Some(body) = body {
                let _ = write!(text, "\nvoid symcrete_{name}({params})\n{{\n{body}}}\n");
            }
        }
        text
    }

    /// What sources that a test file is linked with are compiled with.
    pub(crate) fn flags(self, program: &Program, unit: &Unit) -> Vec<String> {
        let others = other_texts(program, unit);
        let is_there = |name: &&str| others.iter().any(|text| has_word(text, name));
        self.names(program).into_iter().filter(is_there).map(flag).collect()
    }
}

/// The same, read from the test file.
pub fn flags_of(test_file: &str) -> impl Iterator<Item = String> {
    let names = ENDINGS.iter().map(|ending| ending.name).chain([OPEN]);
    names.filter(|name| test_file.contains(&macro_line(name))).map(flag)
}

fn macro_line(name: &str) -> String {
    format!("#define {name} symcrete_{name}\n")
}

fn flag(name: &str) -> String {
    format!("-D{name}=symcrete_{name}")
}
