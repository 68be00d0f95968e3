//! What the program asked for while it ran, sorted by who has to answer in a test.

use std::collections::BTreeMap;
use symcrete_program::{CellKind, Drawn, TestCase};

/// The answers of one test.
#[derive(Clone, Default, Debug)]
pub(crate) struct Answers {
    /// Results of undefined functions, by function, in order of the calls.
    pub(crate) calls: BTreeMap<String, Vec<Answer>>,
    /// Standard input, if the program looked at it.
    pub(crate) stdin: Option<Vec<u8>>,
    /// Environment variables by name, if they are set.
    pub(crate) variables: BTreeMap<String, Option<Vec<u8>>>,
    /// Files by name, if they are there.
    pub(crate) files: BTreeMap<String, Option<Vec<u8>>>,
    /// Files that the program opened to write, and whether that failed because of a folder of that name.
    pub(crate) folders: BTreeMap<String, bool>,
    /// What these functions wrote through their arguments: the bits of each cell by its name.
    pub(crate) fills: BTreeMap<String, u64>,
    /// Inputs of a harness: the name it asks for and the bits of the value.
    pub(crate) cells: Vec<(String, u64)>,
}

/// What one call returns.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Its kind; `Bool` if it is a pointer that is there or not.
    pub(crate) kind: CellKind,
    pub(crate) bits: u64,
    /// The bytes of the object behind a pointer.
    pub(crate) object: Vec<u8>,
}

impl Answers {
    /// Sorts what a test was asked for.
    pub(crate) fn of(test: &TestCase) -> Answers {
        let mut answers = Answers::default();
        for drawn in &test.drawn {
            answers.add(drawn);
        }
        answers
    }

    fn add(&mut self, drawn: &Drawn) {
        let bits = drawn.value.bits();
        let name = drawn.name.as_str();
        if name.contains("()->") {
            self.fills.insert(name.to_string(), bits);
        } else if let Some((variable, part)) = outside(name, "getenv(\"", "\")") {
            note(self.variables.entry(variable.into()).or_default(), part, bits);
        } else if let Some((file, part)) = outside(name, "file \"", "\"") {
            note(self.files.entry(file.into()).or_default(), part, bits);
        } else if let Some((folder, _)) = outside(name, "folder \"", "\"") {
            self.folders.insert(folder.into(), bits != 0);
        } else if name == "stdin.length" {
            self.stdin.get_or_insert_default().resize(bits as usize, 0);
        } else if let Some(at) = index_of(name, "stdin") {
            let bytes = self.stdin.get_or_insert_default();
            bytes.resize(bytes.len().max(at + 1), 0);
            bytes[at] = bits as u8;
        } else if let Some(call) = name.strip_prefix('*').and_then(function_of) {
            let answer = self.calls.get_mut(call).and_then(|answers| answers.last_mut());
            if let Some(answer) = answer {
                answer.object.push(bits as u8);
            }
        } else if let (Some(function), Some((_, index))) =
            (function_of(name), name.strip_suffix(']').and_then(|name| name.rsplit_once('[')))
        {
            // Bytes of a structure that is returned: the first begins a new answer.
            let answers = self.calls.entry(function.to_string()).or_default();
            if index == "0" {
                answers.push(Answer { kind: CellKind::Bool, bits: 1, object: Vec::new() });
            }
            if let Some(answer) = answers.last_mut() {
                answer.object.push(bits as u8);
            }
        } else if let Some(function) = function_of(name) {
            let answer = Answer { kind: drawn.kind, bits, object: Vec::new() };
            self.calls.entry(function.to_string()).or_default().push(answer);
        } else {
            self.cells.push((asked_name(name, drawn.kind), bits));
        }
    }
}

/// What an input of the environment is called, and which part of it a cell is: `HOME` and `[2]` of `getenv("HOME")[2]`.
fn outside<'a>(name: &'a str, before: &str, behind: &str) -> Option<(&'a str, &'a str)> {
    name.strip_prefix(before)?.split_once(behind)
}

/// Notes a part of an input of the environment: whether it is there, its length, a byte.
fn note(value: &mut Option<Vec<u8>>, part: &str, bits: u64) {
    if part.is_empty() {
        *value = (bits != 0).then(Vec::new);
    } else if let (".length", Some(bytes)) = (part, &mut *value) {
        bytes.resize(bits as usize, 0);
    } else if let (Some(at), Some(bytes)) = (index_of(part, ""), value) {
        bytes.resize(bytes.len().max(at + 1), 0);
        bytes[at] = bits as u8;
    }
}

/// `read` of `read()`, `read()#1` or `read()#1[3]`.
fn function_of(name: &str) -> Option<&str> {
    let (function, rest) = name.split_once("()")?;
    let is_rest = |c: char| c.is_ascii_digit() || matches!(c, '#' | '[' | ']');
    rest.chars().all(is_rest).then_some(function)
}

fn index_of(name: &str, array: &str) -> Option<usize> {
    name.strip_prefix(array)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// The name by which a harness asked: repeated ones are numbered, bytes of an object have an index.
fn asked_name(name: &str, kind: CellKind) -> String {
    let numbered = |(base, count): (&str, &str)| {
        (!count.is_empty() && count.chars().all(|c| c.is_ascii_digit())).then(|| base.to_string())
    };
    let base = name.rsplit_once('#').and_then(numbered).unwrap_or_else(|| name.to_string());
    match (kind, base.strip_suffix(']').and_then(|inner| inner.rsplit_once('['))) {
        (CellKind::Int { bits: 8, .. }, Some((array, index)))
            if index.chars().all(|c| c.is_ascii_digit()) =>
        {
            array.to_string()
        }
        _ => base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_asked() {
        assert_eq!(function_of("read()"), Some("read"));
        assert_eq!(function_of("read()#1"), Some("read"));
        assert_eq!(function_of("read()#12[3]"), Some("read"));
        assert_eq!(function_of("n"), None);
        assert_eq!(index_of("stdin[12]", "stdin"), Some(12));
        let home = outside("getenv(\"HOME\")[2]", "getenv(\"", "\")");
        assert_eq!(home, Some(("HOME", "[2]")));
        let mut value = None;
        for (part, bits) in [("", 1), (".length", 3), ("[1]", 65)] {
            note(&mut value, part, bits);
        }
        assert_eq!(value, Some(vec![0, 65, 0]));
        note(&mut value, "", 0);
        assert_eq!(value, None);
        let int = CellKind::Int { bits: 32, signed: true };
        assert_eq!(asked_name("n#3", int), "n");
        assert_eq!(asked_name("n[1]", int), "n[1]");
        assert_eq!(asked_name("n[1]", CellKind::BYTE), "n");
        assert_eq!(asked_name("c#", int), "c#");
    }
}
