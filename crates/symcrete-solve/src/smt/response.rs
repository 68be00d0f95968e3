//! Finding complete responses in a solver's output, and taking simple ones apart.
//!
//! Works on s-expressions only: it knows strings, quoted symbols and comments, not what a response means.
//! Invariants: every byte is looked at once, however it arrives in pieces; no recursion, so that a deeply
//! nested model cannot overflow the stack.

/// Finds the end of one top-level s-expression in a stream of bytes.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    depth: usize,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// White space between tokens.
    #[default]
    Between,
    /// In a symbol, numeral or keyword.
    Atom,
    /// In a string literal.
    String,
    /// Behind a quote that ends the string unless another one follows at once.
    StringQuote,
    /// In a symbol between bars.
    Bars,
    /// In a comment, up to the end of the line.
    Comment,
}

impl Scanner {
    /// Reads on. `Some(n)`: the expression ended and `n` of these bytes belong to it; the scanner is fresh again.
    ///
    /// An atom or a string ends only when the byte behind it is seen; solvers end responses with a newline.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        for (position, &byte) in bytes.iter().enumerate() {
            if let Some(behind) = self.step(byte) {
                *self = Scanner::default();
                return Some(position + usize::from(behind));
            }
        }
        None
    }

    /// Whether the expression is complete if nothing follows.
    fn may_end(&self) -> bool {
        self.depth == 0 && matches!(self.state, State::Atom | State::StringQuote)
    }

    /// `Some(true)`: ended with this byte. `Some(false)`: ended before it.
    fn step(&mut self, byte: u8) -> Option<bool> {
        match self.state {
            State::String => {
                if byte == b'"' {
                    self.state = State::StringQuote;
                }
                None
            }
            State::StringQuote if byte == b'"' => {
                self.state = State::String;
                None
            }
            State::Bars => {
                if byte == b'|' {
                    self.state = State::Between;
                    return (self.depth == 0).then_some(true);
                }
                None
            }
            State::Comment => {
                if byte == b'\n' {
                    self.state = State::Between;
                }
                None
            }
            State::Atom if is_atom(byte) => None,
            State::Atom | State::StringQuote if self.depth == 0 => Some(false),
            State::Between | State::Atom | State::StringQuote => self.start(byte),
        }
    }

    /// The first byte of a token.
    fn start(&mut self, byte: u8) -> Option<bool> {
        self.state = State::Between;
        match byte {
            b'(' => self.depth += 1,
            b')' => {
                // A stray `)` at the top ends an (ill-formed) response of its own: the caller will not know it.
                self.depth = self.depth.saturating_sub(1);
                return (self.depth == 0).then_some(true);
            }
            b'"' => self.state = State::String,
            b'|' => self.state = State::Bars,
            b';' => self.state = State::Comment,
            _ if byte.is_ascii_whitespace() => {}
            _ => self.state = State::Atom,
        }
        None
    }
}

fn is_atom(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'(' | b')' | b'"' | b'|' | b';')
}

/// Whether a text consists of complete expressions: nothing is left open at its end.
pub(crate) fn is_complete(text: &str) -> bool {
    let mut scanner = Scanner::default();
    let mut rest = text.as_bytes();
    while let Some(end) = scanner.feed(rest) {
        if rest[..end].trim_ascii() == b")" {
            return false;
        }
        rest = &rest[end..];
    }
    scanner.depth == 0 && matches!(scanner.state, State::Between | State::Comment)
}

/// The elements of a list, as they are written; `None` if `text` is not one well-formed list.
pub(crate) fn list_items(text: &str) -> Option<Vec<&str>> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut items = Vec::new();
    let mut rest = inner.trim_start();
    while !rest.is_empty() {
        let mut scanner = Scanner::default();
        let end = match scanner.feed(rest.as_bytes()) {
            Some(end) => end,
            None if scanner.may_end() => rest.len(),
            None => return None,
        };
        let item = &rest[..end];
        if item.trim_start().starts_with(')') {
            return None;
        }
        items.push(item.trim());
        rest = rest[end..].trim_start();
    }
    Some(items)
}

/// The text of an `(error "…")` response, without quotes.
pub(crate) fn error_text(response: &str) -> Option<String> {
    let items = list_items(response)?;
    match items[..] {
        ["error", text] => Some(unquote(text)),
        _ => None,
    }
}

/// A string literal's content; anything else as it is.
pub(crate) fn unquote(text: &str) -> String {
    match text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut scanner = Scanner::default();
        let mut responses = Vec::new();
        let mut current = Vec::new();
        for &byte in text.as_bytes() {
            match scanner.feed(&[byte]) {
                None => current.push(byte),
                Some(n) => {
                    current.extend(&[byte][..n]);
                    responses.push(String::from_utf8(std::mem::take(&mut current)).unwrap());
                    assert!(
                        n == 1 || byte.is_ascii_whitespace(),
                        "ends are followed by white space"
                    );
                }
            }
        }
        responses.iter().map(|response| response.trim().to_owned()).collect()
    }

    #[test]
    fn responses_end_where_they_end() {
        let text = "sat\n(error \"a \"\" ) b\")\n((|x )| #b1) ; ) comment\n (y (fp #b0 #b1 #b0)))\n\"s \"\" t\"\n|q(|\n";
        let expected = [
            "sat",
            "(error \"a \"\" ) b\")",
            "((|x )| #b1) ; ) comment\n (y (fp #b0 #b1 #b0)))",
            "\"s \"\" t\"",
            "|q(|",
        ];
        assert_eq!(split(text), expected);
    }

    #[test]
    fn deep_nesting_is_linear_and_flat() {
        let n = 100_000;
        let text = format!("{}{}\n", "(".repeat(n), ")".repeat(n));
        assert_eq!(Scanner::default().feed(text.as_bytes()), Some(2 * n));
    }

    #[test]
    fn lists_come_apart() {
        assert_eq!(
            list_items("( a1 |b c| (d (e)) \"f \"\"\" g)"),
            Some(vec!["a1", "|b c|", "(d (e))", "\"f \"\"\"", "g"])
        );
        assert_eq!(list_items("()"), Some(vec![]));
        assert_eq!(list_items("(a) b)"), None);
        assert_eq!(list_items("(a (b)"), None);
        assert_eq!(list_items("sat"), None);
    }

    #[test]
    fn completeness_is_seen() {
        for text in ["", " (a) (b \"(\" |)|)\n; c (", "(a (b))"] {
            assert!(is_complete(text), "{text}");
        }
        for text in ["(", "(a))", "(a) \"b", "(a |b)", "(a \"b)"] {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn errors_are_recognised() {
        assert_eq!(error_text("(error \"no \"\"x\"\" here\")"), Some("no \"x\" here".to_owned()));
        assert_eq!(error_text("(errors)"), None);
    }
}
