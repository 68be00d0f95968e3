//! Checks of calls: a function of a test notes what it is given, one line a call, and the test compares the lines.
//!
//! **Invariant:** a function reads what lies behind a pointer only in tests whose recorded run could read it too.

use crate::literal;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use symcrete_program::image::CellKind;
use symcrete_program::{NotedArgument, NotedCall, NotedKind, NotedParam, Param, TestCase};

/// The longest text that calls are compared with, in bytes: strict compilers warn of longer literals.
const EXPECTED_MAX: usize = 4000;
/// Longer lines are broken.
const LINE_MAX: usize = 96;
/// The most parameters of a function that notes its arguments: the tests have room for so many at once.
const PARAMS_MAX: usize = 16;

/// What the tests of a file note of calls.
#[derive(Default)]
pub(crate) struct Noting {
    /// The functions that some test calls.
    called: BTreeSet<String>,
    /// What is looked at behind pointers, by function and parameter; of others only whether they are null is noted.
    behind: BTreeMap<(String, usize), Behind>,
}

/// What a function of a test looks at behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// A text that ends with a zero.
    Text,
    /// As many bytes as the next parameter says.
    Bytes,
}

impl Noting {
    /// Looks where all of these tests can.
    pub(crate) fn of(tests: &[TestCase]) -> Noting {
        let mut called = BTreeSet::new();
        let mut given: BTreeMap<(String, usize), Vec<&NotedArgument>> = BTreeMap::new();
        for call in tests.iter().flat_map(|test| &test.noted).flatten() {
            called.insert(call.function.clone());
            for argument in call.arguments.iter().filter(|argument| argument.bits != 0) {
                given.entry((call.function.clone(), argument.param)).or_default().push(argument);
            }
        }
        let behind =
            |(key, given): ((String, usize), Vec<&NotedArgument>)| Some((key, behind(&given)?));
        Noting { called, behind: given.into_iter().filter_map(behind).collect() }
    }

    /// Whether some test calls the function.
    pub(crate) fn calls(&self, function: &str) -> bool {
        self.called.contains(function)
    }

    /// How a function with these parameters notes its calls.
    pub(crate) fn noter<'a>(
        &self,
        (function, name): (&str, &'a str),
        params: &'a [Param],
        noted: &[NotedParam],
    ) -> Noter<'a> {
        let behind = |noted: &NotedParam| self.behind.get(&(function.to_string(), noted.param));
        let noted = match noted.len() {
            ..=PARAMS_MAX => noted.iter().map(|noted| (*noted, behind(noted).copied())).collect(),
            _ => Vec::new(),
        };
        Noter { name, params, noted }
    }
}

/// What to look at behind pointers of which all of these were passed. A number that is next to a text by chance is more
/// than the text has, at some time.
fn behind(given: &[&NotedArgument]) -> Option<Behind> {
    let is_counted = |argument: &&NotedArgument| match (&argument.text, &argument.bytes) {
        (Some(text), Some(bytes)) => bytes.len() <= text.len(),
        (None, bytes) => bytes.is_some(),
        (Some(_), None) => false,
    };
    if given.iter().all(is_counted) {
        return Some(Behind::Bytes);
    }
    given.iter().all(|argument| argument.text.is_some()).then_some(Behind::Text)
}

/// A function of a test that notes its calls.
pub(crate) struct Noter<'a> {
    /// The name of the function in the test.
    name: &'a str,
    params: &'a [Param],
    /// What it notes of its arguments.
    noted: Vec<(NotedParam, Option<Behind>)>,
}

impl Noter<'_> {
    /// Whether it looks at a parameter.
    pub(crate) fn uses(&self, param: &str) -> bool {
        self.noted.iter().any(|(noted, _)| self.params[noted.param].name == param)
    }

    /// The statement that notes a call.
    pub(crate) fn statement(&self) -> String {
        let (formats, arguments): (Vec<_>, Vec<_>) =
            self.noted.iter().map(|(noted, behind)| self.shows(noted, *behind)).unzip();
        let format = literal::string(format!("{}({})\n", self.name, formats.join(", ")).as_bytes());
        let mut call = format!("        {CALL}{format}");
        if !arguments.is_empty() {
            let arguments = arguments.join(", ");
            let is_long = call.len() + arguments.len() > LINE_MAX;
            let next = format!("\n{:width$}", "", width = 8 + CALL.len());
            let _ = write!(call, ",{}{arguments}", if is_long { &next } else { " " });
        }
        format!("    if (symcrete_notes_calls)\n{call});\n")
    }

    /// How a call shows an argument: the format, and what is passed for it.
    fn shows(&self, noted: &NotedParam, behind: Option<Behind>) -> (&'static str, String) {
        let name = &self.params[noted.param].name;
        match (noted.kind, behind) {
            (NotedKind::Pointer { .. }, None) => ("%s", format!("{name} ? \"pointer\" : \"NULL\"")),
            (NotedKind::Pointer { .. }, Some(Behind::Text)) => ("%s", format!("{TEXT}{name})")),
            (NotedKind::Pointer { .. }, Some(Behind::Bytes)) => {
                let length = &self.params[noted.param + 1].name;
                ("%s", format!("{BYTES}{name}, {length})"))
            }
            (NotedKind::Number(CellKind::F32 | CellKind::F64), _) => {
                ("%s", format!("{NUMBER}{name})"))
            }
            (NotedKind::Number(CellKind::Bool), _) => ("%d", name.clone()),
            (NotedKind::Number(CellKind::Int { bits: ..=32, signed: true }), _) => {
                ("%d", name.clone())
            }
            (NotedKind::Number(CellKind::Int { bits: ..=32, signed: false }), _) => {
                ("%u", format!("(unsigned){name}"))
            }
            (NotedKind::Number(CellKind::Int { signed: true, .. }), _) => {
                ("%lld", format!("(long long){name}"))
            }
            (NotedKind::Number(CellKind::Int { signed: false, .. }), _) => {
                ("%llu", format!("(unsigned long long){name}"))
            }
        }
    }

    /// The line of a call; `None` if the function would note something else.
    pub(crate) fn line(&self, call: &NotedCall) -> Option<String> {
        let given = |(noted, behind): &(NotedParam, Option<Behind>)| {
            let argument = call.arguments.iter().find(|argument| argument.param == noted.param)?;
            shown(noted.kind, *behind, argument)
        };
        let given: Vec<String> = self.noted.iter().map(given).collect::<Option<_>>()?;
        Some(format!("{}({})\n", self.name, given.join(", ")))
    }
}

/// The statement that compares the calls of a test with these lines; none if that is too much for a test.
pub(crate) fn check(lines: &[String]) -> Option<String> {
    let literals: Vec<String> = lines.iter().map(|line| literal::string(line.as_bytes())).collect();
    let length: usize = lines.iter().map(String::len).sum();
    let literals = match &literals[..] {
        [] => "\"\"".to_string(),
        literals => literals.join(&format!("\n{:width$}", "", width = CHECK_CALLS.len())),
    };
    (length <= EXPECTED_MAX).then(|| format!("{CHECK_CALLS}{literals});"))
}

/// An argument as the function of the test shows it.
fn shown(kind: NotedKind, behind: Option<Behind>, argument: &NotedArgument) -> Option<String> {
    let bits = argument.bits;
    match (kind, behind) {
        (NotedKind::Pointer { .. }, _) if bits == 0 => Some("NULL".to_string()),
        (NotedKind::Pointer { .. }, None) => Some("pointer".to_string()),
        (NotedKind::Pointer { .. }, Some(Behind::Text)) => argument.text.as_deref().map(quoted),
        (NotedKind::Pointer { .. }, Some(Behind::Bytes)) => argument.bytes.as_deref().map(quoted),
        (NotedKind::Number(CellKind::F32), _) => {
            Some(general(f64::from(f32::from_bits(bits as u32))))
        }
        (NotedKind::Number(CellKind::F64), _) => Some(general(f64::from_bits(bits))),
        (NotedKind::Number(kind), _) => Some(literal::number_of(kind, bits).to_string()),
    }
}

/// A text in quotes, so that each line stands for one text.
fn quoted(text: &[u8]) -> String {
    let character = |&byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("'{}'", text.iter().map(character).collect::<String>())
}

/// A number as `printf` writes it with `%.17g`, but for the sign of NaNs.
fn general(value: f64) -> String {
    const DIGITS: i32 = 17;
    if !value.is_finite() {
        return if value.is_nan() { "nan".to_string() } else { value.to_string() };
    }
    let scientific = format!("{value:.*e}", DIGITS as usize - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let trimmed = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => digits.to_string(),
    };
    match exponent {
        -4..DIGITS => trimmed(&format!("{value:.*}", (DIGITS - 1 - exponent) as usize)),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
        }
    }
}

/// What a test compares its calls with.
pub(crate) const CHECK_CALLS: &str = "CHECK_CALLS(";
/// The statement of a test from which on calls are noted.
pub(crate) const START: &str = "symcrete_note_calls();";

const CALL: &str = "symcrete_call(";
const TEXT: &str = "symcrete_text(";
const BYTES: &str = "symcrete_bytes(";
const NUMBER: &str = "symcrete_number(";

/// What the functions and the tests need, if these are the functions.
pub(crate) fn helpers(functions: &str) -> String {
    let has_text = functions.contains(TEXT);
    let has_bytes = has_text || functions.contains(BYTES);
    let has_number = functions.contains(NUMBER);
    let mut text = LOG.to_string();
    for (is_needed, helper) in [
        (has_bytes || has_number, ROOM),
        (has_bytes, SHOW_BYTES),
        (has_text, SHOW_TEXT),
        (has_number, SHOW_NUMBER),
    ] {
        if is_needed {
            text.push_str(helper);
        }
    }
    text
}

const LOG: &str = "
/* The calls of functions that stand in for others, one a line. */
static char symcrete_calls[8192];
static size_t symcrete_calls_end;
static int symcrete_notes_calls;

static void symcrete_call(const char *format, ...)
{
    size_t left = sizeof symcrete_calls - symcrete_calls_end;
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(symcrete_calls + symcrete_calls_end, left, format, arguments);
    va_end(arguments);
    if (n > 0)
        symcrete_calls_end += (size_t)n < left ? (size_t)n : left - 1;
}

static void symcrete_note_calls(void)
{
    symcrete_calls_end = 0;
    symcrete_calls[0] = 0;
    symcrete_notes_calls = 1;
}

static int symcrete_called(const char *expected)
{
    symcrete_notes_calls = 0;
    if (strcmp(symcrete_calls, expected) == 0)
        return 1;
    printf(\"     the calls were:\\n%s\", symcrete_calls);
    return 0;
}

#undef CHECK_CALLS
#define CHECK_CALLS(expected) CHECK(symcrete_called(expected))
";

/// As many as there are parameters.
const ROOM: &str = "
/* Room to show an argument, enough for all of a call. */
static char *symcrete_room(void)
{
    static char rooms[16][1040];
    static unsigned next;

    return rooms[next++ % 16];
}
";

/// Its limit of bytes is that of a run.
const SHOW_BYTES: &str = "
static const char *symcrete_bytes(const void *bytes, size_t length)
{
    const char *byte = bytes, *end = byte + (length < 256 ? length : 256);
    char *room = symcrete_room(), *to = room;

    if (!bytes)
        return \"NULL\";
    *to++ = '\\'';
    for (; byte < end; byte++) {
        if (*byte < ' ' || *byte > '~') {
            to += snprintf(to, 5, \"\\\\x%02x\", (unsigned char)*byte);
        } else {
            if (*byte == '\\'' || *byte == '\\\\')
                *to++ = '\\\\';
            *to++ = *byte;
        }
    }
    *to++ = '\\'';
    *to = 0;
    return room;
}
";

const SHOW_TEXT: &str = "
static const char *symcrete_text(const char *text)
{
    return symcrete_bytes(text, text ? strlen(text) : 0);
}
";

const SHOW_NUMBER: &str = "
/* NaNs have no sign here: printf shows it on some machines. */
static const char *symcrete_number(double number)
{
    char *room = symcrete_room();

    snprintf(room, 32, number != number ? \"nan\" : \"%.17g\", number);
    return room;
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_by_printf() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.10000000000000001"),
            (-2.5e-5, "-2.5000000000000001e-05"),
            (0.0001, "0.0001"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in cases {
            assert_eq!(general(value), text);
        }
        assert_eq!(general(f64::NAN), "nan");
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quoted(b"it's\\ \n\xff"), "'it\\'s\\\\ \\x0a\\xff'");
    }
}
