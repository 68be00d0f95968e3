//! How wide `long`, `size_t` and pointers are, and whether a function may do something else where they are wider.
//!
//! Most users' machines have 8 bytes for these. Where a program is compiled with 4, what is proved of a function that uses such
//! types holds for the narrow ones. The types of expressions are not in debug information, so the source is searched for the
//! words that bring them in.

use crate::module::AddressType;
use crate::program::{Program, Unit};
use crate::types::{TypeId, TypeKind, Types};
use std::collections::BTreeSet;
use std::fmt;

/// How wide types are whose width C leaves open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DataModel {
    /// `long` and pointers have 8 bytes: Unix on 64-bit machines.
    Lp64,
    /// `int`, `long` and pointers have 4 bytes: 32-bit machines, small ones too.
    Ilp32,
}

impl DataModel {
    /// All of them, the usual one first.
    pub const ALL: &'static [DataModel] = &[DataModel::Lp64, DataModel::Ilp32];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Lp64 => "lp64",
            DataModel::Ilp32 => "ilp32",
        }
    }

    /// That of a compiled program.
    pub fn of(types: &Types) -> DataModel {
        match types.address {
            AddressType::I64 => DataModel::Lp64,
            AddressType::I32 => DataModel::Ilp32,
        }
    }
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Words after which something has the width of a pointer.
const WORDS: &[&str] = &[
    "size_t",
    "ssize_t",
    "rsize_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "off_t",
    "sizeof",
    "offsetof",
    "strlen",
    "strnlen",
    "strtol",
    "strtoul",
    "atol",
    "labs",
    "ldiv",
    "fread",
    "fwrite",
    "SIZE_MAX",
    "LONG_MAX",
    "LONG_MIN",
    "ULONG_MAX",
    "PTRDIFF_MAX",
    "PTRDIFF_MIN",
    "LONG_BIT",
];

/// Whether one of these units uses types that are narrower in this program than on most machines.
pub fn depends_on_width(program: &Program, units: &BTreeSet<usize>) -> bool {
    if DataModel::of(&program.types) == DataModel::Lp64 {
        return false;
    }
    units.iter().filter_map(|&unit| program.units.get(unit)).any(|unit| {
        let types = unit.params.iter().map(|param| param.ty).chain(unit.result);
        types.into_iter().any(|ty| is_wide(&program.types, ty)) || says_so(program, unit)
    })
}

/// Whether a number of this type has as many bytes as a pointer because the compiler says so: `long`, not `int`.
fn is_wide(types: &Types, ty: TypeId) -> bool {
    let ty = types.get(ty);
    matches!(ty.kind, TypeKind::Int { .. }) && has_word(&ty.name)
}

/// Whether the lines of a function have such a word.
fn says_so(program: &Program, unit: &Unit) -> bool {
    let Some(text) = &program.file(unit.position.file).text else { return false };
    let start = program.lines.partition_point(|&(offset, _)| offset < unit.body.start);
    let end = program.lines.partition_point(|&(offset, _)| offset < unit.body.end);
    let positions = program.lines[start..end].iter().filter_map(|(_, position)| *position);
    let own = positions.filter(|position| position.file == unit.position.file);
    let last = own.map(|position| position.line).max().unwrap_or(unit.position.line);
    let first = unit.position.line.min(last).max(1) as usize;
    text.lines().take(last as usize).skip(first - 1).any(has_word)
}

/// Whether a text has one of the words, or `long` without another one beside it.
fn has_word(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(i, word)| {
        let beside = [i.wrapping_sub(1), i + 1].into_iter().filter_map(|at| words.get(at));
        let is_long = *word == "long" && beside.into_iter().all(|other| *other != "long");
        is_long || WORDS.contains(word) || is_long_literal(word)
    })
}

/// `1L`, `0x10UL`: but not `1LL`.
fn is_long_literal(word: &str) -> bool {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = word[digits.len()..].to_lowercase();
    word.starts_with(|c: char| c.is_ascii_digit()) && suffix.matches('l').count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_have_the_width_of_a_pointer_are_found() {
        for text in ["long x;", "unsigned long", "size_t n", "n * sizeof *p", "x > 1L", "0x10UL"] {
            assert!(has_word(text), "{text}");
        }
        for text in ["long long x;", "int along;", "1LL", "0x10ull", "unsigned long long", "12"] {
            assert!(!has_word(text), "{text}");
        }
    }
}
