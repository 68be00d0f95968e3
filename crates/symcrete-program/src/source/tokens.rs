//! C text as tokens with places.
//!
//! Directives are no tokens; the macros that they define are kept. Both arms of an `#if` are read, so
//! brackets may not match: whoever follows them must bear that.

use super::macros::Macro;
use std::collections::BTreeMap;
use std::ops::Range;

/// Line and column, from 1; columns are bytes, as debug information counts them.
pub(crate) type Place = (u32, u32);

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Word,
    Number,
    Character,
    Text,
    Sign,
}

/// A token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Bytes in the text.
    pub(crate) bytes: Range<usize>,
    pub(crate) place: Place,
    /// Just behind it.
    pub(crate) end: Place,
    /// Whether white space or a comment is before it.
    pub(crate) has_space: bool,
    /// The innermost call of a macro that it came from, by index.
    pub(crate) call: Option<usize>,
}

/// Signs of more than one character, longest first.
const SIGNS: [&str; 22] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=",
];

/// Tokens of a text, and its macros by name.
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    pub(super) macros: BTreeMap<String, Macro>,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    tokens: Tokens,
}

/// Splits a text.
pub(super) fn tokenize(text: &str) -> Tokens {
    let tokens = Tokens { list: Vec::new(), macros: BTreeMap::new() };
    let bytes = text.as_bytes();
    let mut scanner = Scanner { text, bytes, at: 0, line: 1, line_start: 0, tokens };
    scanner.all(true);
    scanner.tokens
}

impl Scanner<'_> {
    fn all(&mut self, mut starts_line: bool) {
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\n' => {
                    self.advance(1);
                    starts_line = true;
                }
                b'\\' => self.advance(1),
                byte if byte.is_ascii_whitespace() => self.advance(1),
                b'/' if self.looking_at("//") => self.skip_line(),
                b'/' if self.looking_at("/*") => self.skip_comment(),
                b'#' if starts_line => self.directive(),
                _ => {
                    self.token();
                    starts_line = false;
                }
            }
        }
    }

    fn looking_at(&self, sign: &str) -> bool {
        self.bytes[self.at..].starts_with(sign.as_bytes())
    }

    fn place(&self) -> Place {
        (self.line, (self.at - self.line_start) as u32 + 1)
    }

    fn advance(&mut self, n: usize) {
        for _ in 0..n.min(self.bytes.len() - self.at) {
            self.at += 1;
            if self.bytes[self.at - 1] == b'\n' {
                self.line += 1;
                self.line_start = self.at;
            }
        }
    }

    /// Goes to the end of the line; a backslash continues it.
    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            let n = if self.looking_at("\\\n") { 2 } else { 1 };
            self.advance(n);
        }
    }

    fn skip_comment(&mut self) {
        self.advance(2);
        while self.at < self.bytes.len() && !self.looking_at("*/") {
            self.advance(1);
        }
        self.advance(2);
    }

    fn directive(&mut self) {
        let start = self.at + 1;
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            if self.looking_at("/*") {
                self.skip_comment();
            } else {
                let n = if self.looking_at("\\\n") { 2 } else { 1 };
                self.advance(n);
            }
        }
        let line = self.text[start..self.at].trim_start();
        if let Some(definition) = line.strip_prefix("define") {
            let definition = definition.trim_start();
            let name = definition.find(|c: char| !is_word(c)).unwrap_or(definition.len());
            self.define(self.at - definition.len(), name);
        }
    }

    /// Keeps the macro whose definition starts at a byte, and ends here.
    fn define(&mut self, start: usize, name_length: usize) {
        let name = &self.text[start..start + name_length];
        let mut body_start = start + name_length;
        let mut params = None;
        if self.bytes[body_start..].starts_with(b"(") {
            let Some(length) = self.text[body_start..self.at].find(')') else { return };
            let list = &self.text[body_start + 1..body_start + length];
            let names = list.split(',').map(|name| name.trim_matches([' ', '\t', '\n', '\\']));
            let names = names.filter(|name| !name.is_empty());
            let names = names.map(|name| name.replace("...", "__VA_ARGS__"));
            params = Some(names.collect());
            body_start += length + 1;
        }
        let tokens = Tokens { list: Vec::new(), macros: BTreeMap::new() };
        let bytes = &self.bytes[..self.at];
        // The body may have begun some lines before its end, where we are.
        let is_end = |byte: &&u8| **byte == b'\n';
        let n_lines = bytes[body_start..].iter().filter(is_end).count() as u32;
        let last_end = bytes[..body_start].iter().rposition(|byte| *byte == b'\n');
        let (line, line_start) = (self.line - n_lines, last_end.map_or(0, |end| end + 1));
        let mut body = Scanner { bytes, at: body_start, line, line_start, tokens, ..*self };
        body.all(false);
        let body = body.tokens.list;
        let is_plain = body.iter().all(|token| &self.text[token.bytes.clone()] != "#");
        let found = Macro { params, body, is_plain };
        let known = self.tokens.macros.get(name);
        if known.is_none_or(|known| known.body.len() <= found.body.len()) {
            self.tokens.macros.insert(name.to_owned(), found);
        }
    }

    fn token(&mut self) {
        let (place, start) = (self.place(), self.at);
        let rest = &self.text[start..];
        let first = rest.chars().next().unwrap_or(' ');
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let quote = rest.as_bytes().get(word).copied();
        let is_prefix = word > 0 && matches!(&rest[..word], "L" | "u" | "U" | "u8");
        let next_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let kind = if first == '"' || (is_prefix && quote == Some(b'"')) {
            self.quoted(b'"');
            TokenKind::Text
        } else if first == '\'' || (is_prefix && quote == Some(b'\'')) {
            self.quoted(b'\'');
            TokenKind::Character
        } else if first.is_ascii_digit() || (first == '.' && next_is_digit) {
            self.number();
            TokenKind::Number
        } else if word > 0 {
            self.advance(word);
            TokenKind::Word
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            self.advance(sign.map_or(first.len_utf8(), |sign| sign.len()));
            TokenKind::Sign
        };
        let (bytes, end) = (start..self.at, self.place());
        let has_space = start > 0
            && (self.bytes[start - 1].is_ascii_whitespace() || self.text[..start].ends_with("*/"));
        self.tokens.list.push(Token { kind, bytes, place, end, has_space, call: None });
    }

    fn quoted(&mut self, quote: u8) {
        while self.at < self.bytes.len() && self.bytes[self.at] != quote {
            self.advance(1);
        }
        self.advance(1);
        while self.at < self.bytes.len() && self.bytes[self.at] != quote {
            // A quote that is never closed ends with its line.
            if self.bytes[self.at] == b'\n' {
                return;
            }
            let n = if self.bytes[self.at] == b'\\' { 2 } else { 1 };
            self.advance(n);
        }
        self.advance(1);
    }

    fn number(&mut self) {
        let mut before = b' ';
        while self.at < self.bytes.len() {
            let byte = self.bytes[self.at];
            let is_exponent =
                matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
            // In a hexadecimal number `e` is a digit.
            let is_hex = self.text[..self.at].ends_with(['e', 'E']) && self.is_hex_number();
            if !(byte.is_ascii_alphanumeric()
                || byte == b'.'
                || byte == b'_'
                || (is_exponent && !is_hex))
            {
                return;
            }
            before = byte;
            self.advance(1);
        }
    }

    fn is_hex_number(&self) -> bool {
        let start = self.text[..self.at].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '.');
        let start = start.map_or(0, |start| start + 1);
        let number = &self.text[start..self.at];
        number.starts_with("0x") || number.starts_with("0X")
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}
