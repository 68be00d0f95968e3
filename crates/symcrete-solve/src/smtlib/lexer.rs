//! The tokens of SMT-LIB 2.6, with their places.
//!
//! The lexer is a pure function from text and offset to the next token, so that the reader can stop
//! at the end of what has arrived and try again when there is more.

use super::diagnostic::{Diagnostic, Problem, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Open,
    Close,
    Atom(Atom),
}

/// The kinds of atoms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A symbol, reserved words included.
    Symbol,
    /// `|a symbol in bars|`; it is never a reserved word.
    QuotedSymbol,
    /// `:keyword`
    Keyword,
    /// `42`
    Numeral,
    /// `4.2`
    Decimal,
    /// `#x2a`
    Hexadecimal,
    /// `#b101`
    Binary,
    /// `"text with "" as quote"`
    String,
}

/// What the lexer saw.
pub(crate) enum Lexed {
    /// A token in its place; the next one starts at its end or later.
    Token(Token, Span),
    /// Nothing but blanks and comments up to the end of the text.
    Blank,
    /// A token that the end of the text cuts off; `what` it is and where it starts.
    Cut { what: &'static str, start: usize },
}

/// The first token of `text` at or after byte `at`. With `complete`, the end of the text ends tokens.
pub(crate) fn lex(text: &str, at: usize, complete: bool) -> Result<Lexed, Diagnostic> {
    let bytes = text.as_bytes();
    let Some(start) = skip_blanks(bytes, at) else { return Ok(Lexed::Blank) };
    let token = |token, end| Lexed::Token(token, Span { start: start as u32, end: end as u32 });
    let atom = |atom, end| token(Token::Atom(atom), end);
    match bytes[start] {
        b'(' => Ok(token(Token::Open, start + 1)),
        b')' => Ok(token(Token::Close, start + 1)),
        b'"' => Ok(match end_of_string(bytes, start + 1) {
            Some(end) if end < bytes.len() || complete => atom(Atom::String, end),
            // A quote at the very end may be the first half of an escaped one.
            Some(_) | None => Lexed::Cut { what: "a string", start },
        }),
        // The standard forbids a backslash between the bars; scripts of the SMT-LIB library have it.
        b'|' => Ok(match bytes[start + 1..].iter().position(|&byte| byte == b'|') {
            Some(length) => atom(Atom::QuotedSymbol, start + length + 2),
            None => Lexed::Cut { what: "a quoted symbol", start },
        }),
        first => {
            let Some(length) = bytes[start + 1..].iter().position(|&byte| !continues_atom(byte))
            else {
                return if complete {
                    Ok(atom(atom_kind(text, start, bytes.len())?, bytes.len()))
                } else {
                    Ok(Lexed::Cut { what: "a symbol", start })
                };
            };
            if !continues_atom(first) && first != b':' && first != b'#' {
                return Err(unexpected(text, start));
            }
            let end = start + 1 + length;
            Ok(atom(atom_kind(text, start, end)?, end))
        }
    }
}

/// The first byte from `at` on that is neither blank nor in a comment.
fn skip_blanks(bytes: &[u8], mut at: usize) -> Option<usize> {
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b';' => at += bytes[at..].iter().position(|&byte| byte == b'\n')?,
            _ => return Some(at),
        }
    }
    None
}

/// One past the closing quote of the string whose first character is at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == b'"')? + 1;
        if bytes.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

fn continues_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte)
}

/// What the atom `text[start..end]` is.
fn atom_kind(text: &str, start: usize, end: usize) -> Result<Atom, Diagnostic> {
    let word = &text.as_bytes()[start..end];
    let digits = |digits: &[u8], is_digit: fn(&u8) -> bool| {
        !digits.is_empty() && digits.iter().all(is_digit)
    };
    match word[0] {
        b':' if word.len() > 1 => Ok(Atom::Keyword),
        b':' => Err(malformed("keyword", "a name after the colon", start, end)),
        b'#' if word.get(1) == Some(&b'x') => {
            let fits = digits(&word[2..], u8::is_ascii_hexdigit);
            fits.then_some(Atom::Hexadecimal)
                .ok_or_else(|| malformed("hexadecimal", "digits 0-9 and a-f after #x", start, end))
        }
        b'#' if word.get(1) == Some(&b'b') => {
            let fits = digits(&word[2..], |&digit| digit == b'0' || digit == b'1');
            fits.then_some(Atom::Binary)
                .ok_or_else(|| malformed("binary", "digits 0 and 1 after #b", start, end))
        }
        b'#' => Err(malformed("constant", "#x or #b", start, end)),
        b'0'..=b'9' => {
            let point = word.iter().position(|&byte| byte == b'.');
            let (whole, fraction) = word.split_at(point.unwrap_or(word.len()));
            let fits = digits(whole, u8::is_ascii_digit)
                && (fraction.is_empty() || digits(&fraction[1..], u8::is_ascii_digit));
            let kind = if point.is_some() { Atom::Decimal } else { Atom::Numeral };
            fits.then_some(kind)
                .ok_or_else(|| malformed("number", "digits with at most one point", start, end))
        }
        _ if continues_atom(word[0]) => Ok(Atom::Symbol),
        _ => Err(unexpected(text, start)),
    }
}

fn unexpected(text: &str, at: usize) -> Diagnostic {
    let character = text[at..].chars().next().expect("the caller saw a byte here");
    let span = Span { start: at as u32, end: (at + character.len_utf8()) as u32 };
    Problem::UnexpectedCharacter(character).at(span)
}

fn malformed(what: &'static str, expected: &'static str, start: usize, end: usize) -> Diagnostic {
    Problem::MalformedToken { what, expected }.at(Span { start: start as u32, end: end as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Token, &str)> {
        let (mut at, mut tokens) = (0, Vec::new());
        while let Lexed::Token(token, span) = lex(text, at, true).unwrap() {
            tokens.push((token, &text[span.range()]));
            at = span.end as usize;
        }
        tokens
    }

    #[test]
    fn every_kind_of_atom_is_recognised() {
        let text = "x |a b| :k 0 1.50 #xfF #b01 \"a\"\"b\" <= ; comment (\n!";
        let expected = [
            (Atom::Symbol, "x"),
            (Atom::QuotedSymbol, "|a b|"),
            (Atom::Keyword, ":k"),
            (Atom::Numeral, "0"),
            (Atom::Decimal, "1.50"),
            (Atom::Hexadecimal, "#xfF"),
            (Atom::Binary, "#b01"),
            (Atom::String, "\"a\"\"b\""),
            (Atom::Symbol, "<="),
            (Atom::Symbol, "!"),
        ];
        let expected: Vec<_> =
            expected.iter().map(|&(kind, word)| (Token::Atom(kind), word)).collect();
        assert_eq!(kinds(text), expected);
    }

    #[test]
    fn malformed_tokens_are_refused() {
        for text in ["#x", "#b2", "#q1", "1.", "1.2.3", "12ab", ":", "[", "é"] {
            assert!(lex(text, 0, true).is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn what_the_end_cuts_off_is_not_a_token_yet() {
        for text in ["abc", "\"abc", "\"abc\"", "|abc", "#x1", "12"] {
            assert!(matches!(lex(text, 0, false), Ok(Lexed::Cut { .. })), "{text}");
        }
        for text in ["abc ", "\"abc\" ", "|abc|", "("] {
            assert!(matches!(lex(text, 0, false), Ok(Lexed::Token(..))), "{text}");
        }
    }
}
