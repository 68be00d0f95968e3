//! S-expressions: one tree per top-level command, read as the text arrives.
//!
//! A [`Tree`] is a flat list of s-expressions in the order of their opening; a list knows the one behind its
//! end. Reading, walking and dropping therefore need no recursion, and nesting costs nothing. The
//! reader keeps its open lists on its own stack and never looks at a byte of a finished token again,
//! so time is linear in the text.

use super::diagnostic::{Diagnostic, Problem, Span};
use super::lexer::{Atom, Lexed, Token, lex};

/// An s-expression of a [`Tree`].
pub(super) type SexprId = u32;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Atom(Atom),
    List,
}

#[derive(Clone, Copy, Debug)]
struct Sexpr {
    kind: Kind,
    span: Span,
    /// The next s-expression that is not inside this one.
    next: SexprId,
}

/// One s-expression and the text it was read from.
#[derive(Debug)]
pub struct Tree {
    sexprs: Vec<Sexpr>,
    text: Box<str>,
    /// The offset of `text` in the whole script; spans count from the script's start.
    base: u32,
}

impl Tree {
    /// The outermost s-expression.
    pub const ROOT: SexprId = 0;

    /// Where an s-expression stands in the script.
    pub fn span(&self, sexpr: SexprId) -> Span {
        self.sexprs[sexpr as usize].span
    }

    /// The text of an s-expression as written.
    pub fn text(&self, sexpr: SexprId) -> &str {
        let span = self.span(sexpr);
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// Whether the s-expression is a list.
    pub fn is_list(&self, sexpr: SexprId) -> bool {
        matches!(self.sexprs[sexpr as usize].kind, Kind::List)
    }

    /// What kind of atom the s-expression is; `None` for a list.
    pub fn atom(&self, sexpr: SexprId) -> Option<Atom> {
        match self.sexprs[sexpr as usize].kind {
            Kind::Atom(atom) => Some(atom),
            Kind::List => None,
        }
    }

    /// The elements of a list; none for an atom.
    pub fn children(&self, list: SexprId) -> Children<'_> {
        let at = list + 1;
        Children { tree: self, at, end: self.sexprs[list as usize].next }
    }

    /// The name of a symbol, without its bars.
    pub fn symbol(&self, sexpr: SexprId) -> Option<&str> {
        let text = self.text(sexpr);
        match self.atom(sexpr)? {
            Atom::Symbol => Some(text),
            Atom::QuotedSymbol => Some(&text[1..text.len() - 1]),
            Atom::Keyword
            | Atom::Numeral
            | Atom::Decimal
            | Atom::Hexadecimal
            | Atom::Binary
            | Atom::String => None,
        }
    }

    /// Whether the s-expression is that reserved word (which in bars is an ordinary symbol).
    pub fn is_word(&self, sexpr: SexprId, word: &str) -> bool {
        self.atom(sexpr) == Some(Atom::Symbol) && self.text(sexpr) == word
    }

    /// A keyword with its colon.
    pub fn keyword(&self, sexpr: SexprId) -> Option<&str> {
        (self.atom(sexpr)? == Atom::Keyword).then(|| self.text(sexpr))
    }

    /// The contents of a string literal, its quotes undone.
    pub fn string(&self, sexpr: SexprId) -> Option<String> {
        let text = self.text(sexpr);
        (self.atom(sexpr)? == Atom::String).then(|| text[1..text.len() - 1].replace("\"\"", "\""))
    }

    /// A numeral that fits 64 bits.
    pub fn numeral(&self, sexpr: SexprId) -> Option<u64> {
        (self.atom(sexpr)? == Atom::Numeral).then(|| self.text(sexpr).parse().ok())?
    }

    /// A short description of an s-expression for messages.
    pub fn describe(&self, sexpr: SexprId) -> String {
        const SHOWN_MAX: usize = 40;
        let text = self.text(sexpr);
        match text.char_indices().nth(SHOWN_MAX) {
            None => format!("`{}`", text.replace('\n', " ")),
            Some((end, _)) => format!("`{}…`", text[..end].replace('\n', " ")),
        }
    }
}

/// The elements of a list, in order.
#[derive(Clone)]
pub struct Children<'a> {
    tree: &'a Tree,
    at: SexprId,
    end: SexprId,
}

impl Iterator for Children<'_> {
    type Item = SexprId;

    fn next(&mut self) -> Option<SexprId> {
        let sexpr = (self.at < self.end).then_some(self.at)?;
        self.at = self.tree.sexprs[sexpr as usize].next;
        Some(sexpr)
    }
}

/// Reads commands from text that arrives in pieces.
#[derive(Default)]
pub struct Reader {
    text: String,
    /// The bytes of a character whose rest has not arrived.
    half_character: Vec<u8>,
    complete: bool,
    at: usize,
    /// The unfinished command and its open lists.
    sexprs: Vec<Sexpr>,
    open: Vec<SexprId>,
}

impl Reader {
    /// A reader that has seen nothing.
    pub fn new() -> Reader {
        Reader::default()
    }

    /// All text so far, for messages.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds a piece of the script.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        assert!(!self.complete, "text after the end of the script");
        self.half_character.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.half_character);
        let end = self.text.len() as u32;
        if u32::try_from(self.text.len() + bytes.len()).is_err() {
            return Err(Problem::TooLong.at(Span { start: end, end }));
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => self.text.push_str(text),
            Err(error) => {
                let (text, rest) = bytes.split_at(error.valid_up_to());
                self.text.push_str(std::str::from_utf8(text).expect("checked just above"));
                if error.error_len().is_some() {
                    let end = self.text.len() as u32;
                    return Err(Problem::NotUtf8.at(Span { start: end, end }));
                }
                self.half_character = rest.to_vec();
            }
        }
        if self.at == 0 && self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        Ok(())
    }

    /// Says that the script ends here.
    pub fn end(&mut self) {
        self.complete = true;
    }

    /// The next whole command, or `None` if it has not arrived yet or the script is over.
    pub fn next_command(&mut self) -> Result<Option<Tree>, Diagnostic> {
        loop {
            match lex(&self.text, self.at, self.complete)? {
                Lexed::Token(token, span) => {
                    self.at = span.end as usize;
                    if let Some(tree) = self.add(token, span)? {
                        return Ok(Some(tree));
                    }
                }
                Lexed::Blank => return self.out_of_text(None),
                Lexed::Cut { what, start } => return self.out_of_text(Some((what, start))),
            }
        }
    }

    fn add(&mut self, token: Token, span: Span) -> Result<Option<Tree>, Diagnostic> {
        match token {
            Token::Open => {
                self.open.push(self.sexprs.len() as SexprId);
                self.sexprs.push(Sexpr { kind: Kind::List, span, next: 0 });
            }
            Token::Close => {
                let list = self.open.pop().ok_or_else(|| Problem::UnmatchedClose.at(span))?;
                let next = self.sexprs.len() as SexprId;
                let sexpr = &mut self.sexprs[list as usize];
                sexpr.next = next;
                sexpr.span.end = span.end;
                if self.open.is_empty() {
                    return Ok(Some(self.take_tree()));
                }
            }
            Token::Atom(atom) => {
                if self.open.is_empty() {
                    let found = format!("`{}`", &self.text[span.range()]);
                    let expected = "a command in parentheses".to_owned();
                    return Err(Problem::Expected { expected, found }.at(span));
                }
                let next = self.sexprs.len() as SexprId + 1;
                self.sexprs.push(Sexpr { kind: Kind::Atom(atom), span, next });
            }
        }
        Ok(None)
    }

    fn take_tree(&mut self) -> Tree {
        let sexprs = std::mem::take(&mut self.sexprs);
        let span = sexprs[0].span;
        Tree { sexprs, text: self.text[span.range()].into(), base: span.start }
    }

    /// Fine between commands and while more may come; otherwise the script is cut off.
    fn out_of_text(
        &mut self,
        cut: Option<(&'static str, usize)>,
    ) -> Result<Option<Tree>, Diagnostic> {
        if !self.complete {
            return Ok(None);
        }
        let end = self.text.len() as u32;
        if !self.half_character.is_empty() {
            return Err(Problem::NotUtf8.at(Span { start: end, end }));
        }
        match (cut, self.open.last()) {
            (Some((what, start)), _) => {
                Err(Problem::Truncated(what).at(Span { start: start as u32, end }))
            }
            (None, Some(&list)) => {
                let span = self.sexprs[list as usize].span;
                Err(Problem::Truncated("the list that opens here").at(span))
            }
            (None, None) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &[u8], piece: usize) -> Result<Vec<Tree>, Diagnostic> {
        let mut reader = Reader::new();
        let mut trees = Vec::new();
        for bytes in text.chunks(piece.max(1)) {
            reader.feed(bytes)?;
            while let Some(tree) = reader.next_command()? {
                trees.push(tree);
            }
        }
        reader.end();
        while let Some(tree) = reader.next_command()? {
            trees.push(tree);
        }
        Ok(trees)
    }

    #[test]
    fn pieces_make_no_difference() {
        let text = "(a (b |ç d| \"x\"\"y\") #x0f) ; end\n(check-sat)\n".as_bytes();
        for piece in 1..=text.len() {
            let trees = read_all(text, piece).unwrap();
            assert_eq!(trees.len(), 2, "pieces of {piece}");
            let words: Vec<_> = trees[0].children(Tree::ROOT).map(|n| trees[0].text(n)).collect();
            assert_eq!(words, ["a", "(b |ç d| \"x\"\"y\")", "#x0f"]);
            let inner = trees[0].children(Tree::ROOT).nth(1).unwrap();
            let third = trees[0].children(inner).nth(2).unwrap();
            assert_eq!(trees[0].string(third).unwrap(), "x\"y");
        }
    }

    #[test]
    fn commands_are_complete_at_their_last_parenthesis() {
        let mut reader = Reader::new();
        reader.feed(b"(check-sat").unwrap();
        assert!(reader.next_command().unwrap().is_none());
        reader.feed(b")").unwrap();
        assert!(reader.next_command().unwrap().is_some());
    }

    #[test]
    fn nesting_is_no_problem() {
        let n = 300_000;
        let text = format!("{}x{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(read_all(text.as_bytes(), 1 << 16).unwrap().len(), 1);
    }

    #[test]
    fn truncation_names_the_open_list() {
        let error = read_all(b"(assert\n (and x", 99).unwrap_err();
        assert_eq!(error.problem, Problem::Truncated("the list that opens here"));
        assert_eq!(error.span.start, 9);
        assert!(read_all(b"(echo \"a)", 99).is_err());
        assert!(read_all(b")", 99).is_err());
        assert!(read_all(b"x", 99).is_err());
        assert!(read_all(b"(a)\xff", 99).is_err());
        assert!(read_all(b"(a)\xc3", 99).is_err());
    }
}
