//! What can be wrong with a script, and where.
//!
//! A [`Diagnostic`] is a problem of the *user's text*. That we cannot express something is a
//! different thing ([`Unsupported`]): the text may be fine, and goes to the SMT solvers unchanged.
//! The two never mix: an error that might be our own limit must be reported as `Unsupported`.

use thiserror::Error;

/// A range of bytes in the script, `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span as a range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Line and column of a byte, both counted from 1; columns are characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Position {
    /// The position of byte `offset` of `text`.
    pub fn of(text: &str, offset: usize) -> Position {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        // Characters are counted as bytes that do not continue one.
        let column = 1 + before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Position { line, column }
    }
}

/// A problem of the script, with its place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{problem}")]
pub struct Diagnostic {
    /// What is wrong.
    pub problem: Problem,
    /// Where.
    pub span: Span,
}

/// What is wrong with a script.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// Bytes that are not text.
    #[error("the input is not UTF-8 text")]
    NotUtf8,
    /// More text than spans can address.
    #[error("the script is longer than 4 GiB")]
    TooLong,
    /// A character that starts no token.
    #[error("unexpected character {0:?}")]
    UnexpectedCharacter(char),
    /// A token that began well and went wrong.
    #[error("malformed {what}: expected {expected}")]
    MalformedToken {
        /// The kind of token.
        what: &'static str,
        /// What its rules ask for.
        expected: &'static str,
    },
    /// The text ends inside something.
    #[error("the script ends inside {0}")]
    Truncated(&'static str),
    /// A `)` too many.
    #[error("this `)` closes nothing")]
    UnmatchedClose,
    /// Something other than what the grammar asks for.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the grammar asks for.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A command that SMT-LIB does not have.
    #[error("unknown command `{0}`")]
    UnknownCommand(String, Suggestion),
    /// A name that nothing declares.
    #[error("unknown symbol `{0}`")]
    UnknownSymbol(String, Suggestion),
    /// A sort that nothing declares.
    #[error("unknown sort `{0}`")]
    UnknownSort(String, Suggestion),
    /// A name declared twice in one scope.
    #[error("`{0}` is already declared")]
    Redeclared(String),
    /// The wrong number of arguments.
    #[error("`{symbol}` takes {expected}, found {found}")]
    WrongArity {
        /// The function.
        symbol: String,
        /// For example "2 arguments".
        expected: String,
        /// How many there are.
        found: usize,
    },
    /// An argument of the wrong sort.
    #[error("`{symbol}` expects {expected} here, found {found}")]
    WrongSort {
        /// The function.
        symbol: String,
        /// The sort it wants.
        expected: String,
        /// The sort it got.
        found: String,
    },
    /// An index outside the operator's range.
    #[error("index of `{symbol}` out of range: expected {expected}")]
    WrongIndex {
        /// The operator.
        symbol: String,
        /// The permitted range.
        expected: String,
    },
    /// More `pop` than `push`.
    #[error("pop {asked} with only {open} levels open")]
    PopTooFar {
        /// The levels asked for.
        asked: usize,
        /// The levels there are.
        open: usize,
    },
    /// A command at a moment when it has no answer.
    #[error("{0}")]
    NotNow(&'static str),
    /// A function declared opaque that we do not know.
    #[error("`{0}` is not a function of the math library")]
    UnknownOpaque(String, Suggestion),
    /// An opaque function declared with another signature than it has.
    #[error("`{name}` is declared {declared}, but the math library has {known}")]
    WrongSignature {
        /// Its name.
        name: String,
        /// As declared.
        declared: String,
        /// As it is.
        known: String,
    },
    /// Every solver that was given the text refused it.
    #[error("no solver understands this script; {0}")]
    RefusedBySolvers(String),
}

impl Problem {
    /// What the user can do about it, where we know.
    pub fn help(&self) -> Option<String> {
        match self {
            Problem::UnknownCommand(_, near)
            | Problem::UnknownSymbol(_, near)
            | Problem::UnknownSort(_, near)
            | Problem::UnknownOpaque(_, near) => near.sentence(),
            Problem::Truncated(_) => Some("is the file complete?".to_owned()),
            Problem::NotUtf8
            | Problem::TooLong
            | Problem::UnexpectedCharacter(_)
            | Problem::MalformedToken { .. }
            | Problem::UnmatchedClose
            | Problem::Expected { .. }
            | Problem::Redeclared(_)
            | Problem::WrongArity { .. }
            | Problem::WrongSort { .. }
            | Problem::WrongIndex { .. }
            | Problem::PopTooFar { .. }
            | Problem::NotNow(_)
            | Problem::WrongSignature { .. }
            | Problem::RefusedBySolvers(_) => None,
        }
    }

    /// The problem at a place.
    pub fn at(self, span: Span) -> Diagnostic {
        Diagnostic { problem: self, span }
    }
}

/// Names close to the one that was not found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suggestion(Vec<String>);

impl Suggestion {
    /// Up to three of `candidates` that a slip of the keyboard could have turned into `name`.
    pub fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Suggestion {
        const NAMES_MAX: usize = 3;
        // Almost every name is near to a name of one or two letters.
        let length = name.chars().count();
        let distance_max = if length < 3 { 0 } else { 1 + length / 4 };
        let mut near: Vec<(usize, &str)> = candidates
            .into_iter()
            .map(|candidate| (edit_distance(name, candidate, distance_max), candidate))
            .filter(|&(distance, _)| distance <= distance_max)
            .collect();
        near.sort();
        near.dedup();
        Suggestion(near.into_iter().take(NAMES_MAX).map(|(_, name)| name.to_owned()).collect())
    }

    fn sentence(&self) -> Option<String> {
        let quoted: Vec<String> = self.0.iter().map(|name| format!("`{name}`")).collect();
        (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(" or ")))
    }
}

/// Levenshtein's distance, ignoring case; `limit + 1` when it is clearly larger than `limit`.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// Something our terms cannot express. The text may be right: the SMT solvers get it as it is.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what} is beyond Symcrete's terms")]
pub(super) struct Unsupported {
    /// The construct, for example "a bit-vector of 128 bits".
    pub what: String,
    /// Where.
    pub span: Span,
}

/// Why a piece of the script has no meaning in our terms.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum Failure {
    /// The text is wrong.
    #[error(transparent)]
    Wrong(#[from] Diagnostic),
    /// The text is beyond us.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl Failure {
    /// A construct that goes to the SMT solvers as text.
    pub(crate) fn unsupported(what: impl Into<String>, span: Span) -> Failure {
        Failure::Unsupported(Unsupported { what: what.into(), span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let text = "ab\nçd e\n";
        assert_eq!(Position::of(text, 0), Position { line: 1, column: 1 });
        assert_eq!(Position::of(text, 3), Position { line: 2, column: 1 });
        assert_eq!(Position::of(text, 5), Position { line: 2, column: 2 });
        assert_eq!(Position::of(text, 99), Position { line: 3, column: 1 });
    }

    #[test]
    fn near_names_are_suggested() {
        let near = Suggestion::near("bvad", ["bvadd", "bvand", "fp.add", "bvsub"]);
        assert_eq!(near.sentence().unwrap(), "did you mean `bvadd` or `bvand`?");
        assert_eq!(Suggestion::near("zzzz", ["bvadd"]).sentence(), None);
    }
}
