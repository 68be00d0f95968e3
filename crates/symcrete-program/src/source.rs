//! What the text of a C file says about its conditions.
//!
//! This is no C parser: it knows brackets, statements' keywords and the precedence of operators, which is
//! enough to find every operand of `&&`, `||`, `!` and `?:`, every controlling expression and every `case`, as
//! written. Text that it misreads costs positions, nothing else.

mod conditions;
mod constant;
mod expressions;
mod macros;
#[cfg(test)]
mod tests;
mod tokens;

pub(crate) use conditions::{Label, Leaf, Relation, Switch};
pub(crate) use tokens::Place;

use conditions::Finder;
use expressions::relation;
use macros::{Call, Expander, outermost_text, render};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tokens::{Token, TokenKind, tokenize};

/// What `assert` decides, in short: its definition is in no file of the user.
const ASSERT: &str = "#define assert(x) x || 0";

/// A C file.
pub(crate) struct Source {
    /// With that of its headers behind it.
    text: String,
    /// With what calls of macros become.
    tokens: Vec<Token>,
    calls: Vec<Call>,
    /// For each bracket its partner.
    partner: Vec<Option<usize>>,
    /// Names of its macros.
    macros: BTreeSet<String>,
    /// In order of their groups; within one in order of evaluation.
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) groups: Vec<Group>,
    pub(crate) switches: Vec<Switch>,
    /// Groups by the place of the keyword that they control.
    by_keyword: BTreeMap<Place, usize>,
}

/// A full expression with conditions in it.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// From its first token to behind its last.
    pub(crate) places: Range<Place>,
    /// Its conditions.
    pub(crate) leaves: Range<usize>,
}

impl Source {
    /// Reads a text; macros of its headers count as its own.
    pub(crate) fn new<'h>(text: &str, headers: impl Iterator<Item = &'h str>) -> Source {
        let mut whole = format!("{text}\n{ASSERT}\n");
        headers.for_each(|header| whole.extend([header, "\n"]));
        let mut read = tokenize(&whole);
        read.list.retain(|token| token.bytes.end <= text.len());
        let mut expander = Expander::new(&whole, &read.macros);
        let tokens = expander.file(&read.list);
        let calls = expander.calls;
        let mut source = Source {
            partner: partners(&whole, &tokens),
            text: whole,
            tokens,
            calls,
            macros: read.macros.into_keys().collect(),
            leaves: Vec::new(),
            groups: Vec::new(),
            switches: Vec::new(),
            by_keyword: BTreeMap::new(),
        };
        let found = Finder::new(&source).find();
        source.leaves = found.leaves;
        source.groups = found.groups;
        source.switches = found.switches;
        source.by_keyword = found.by_keyword;
        source
    }

    fn token(&self, index: usize) -> &str {
        &self.text[self.tokens[index].bytes.clone()]
    }

    /// The token that starts at a place.
    pub(crate) fn token_at(&self, place: Place) -> Option<usize> {
        self.tokens.binary_search_by_key(&place, |token| token.place).ok()
    }

    /// How the operator at a place compares.
    pub(crate) fn relation_at(&self, place: Place) -> Option<Relation> {
        self.token_at(place).and_then(|token| relation(self.token(token)))
    }

    /// The tokens of a stretch of text.
    pub(crate) fn tokens_in(&self, places: &Range<Place>) -> Range<usize> {
        let first = |place: Place| self.tokens.partition_point(|token| token.place < place);
        first(places.start)..first(places.end)
    }

    /// Whether the token at a place is a word that is a macro and was not replaced.
    pub(crate) fn is_macro_at(&self, place: Place) -> bool {
        let Some(token) = self.token_at(place) else { return false };
        self.tokens[token].kind == TokenKind::Word
            && self.tokens[token].call.is_none()
            && self.macros.contains(self.token(token))
    }

    /// The smallest group that has a place in it, or whose keyword it is.
    pub(crate) fn group_at(&self, place: Place) -> Option<usize> {
        if let Some(&group) = self.by_keyword.get(&place) {
            return Some(group);
        }
        // Of nested groups the inner one starts last.
        let after = self.groups.partition_point(|group| group.places.start <= place);
        self.groups[..after].iter().rposition(|group| place < group.places.end)
    }

    /// The body of the function that is defined at a line.
    pub(crate) fn body_at(&self, line: u32) -> Option<Range<usize>> {
        let first = self.tokens.partition_point(|token| token.place.0 < line);
        let open = (first..self.tokens.len()).find(|&i| self.token(i) == "{")?;
        Some(open..self.partner[open]?)
    }

    /// A call as it is written at a place, a word and its arguments, and where it ends.
    pub(crate) fn call_at(&self, place: Place) -> Option<(String, Place)> {
        let token = self.token_at(place)?;
        if let Some(text) = outermost_text(&self.calls, &self.tokens[token]) {
            return Some((text.to_owned(), self.tokens[token].end));
        }
        if self.tokens[token].kind != TokenKind::Word {
            return None;
        }
        let has_arguments = token + 1 < self.tokens.len() && self.token(token + 1) == "(";
        let last = if has_arguments { self.partner[token + 1]? } else { token };
        Some((self.text_of(&(token..last + 1)), self.tokens[last].end))
    }

    /// The place where some tokens start, and the one behind them.
    pub(crate) fn extent(&self, tokens: &Range<usize>) -> Option<Range<Place>> {
        let (first, last) = (self.tokens.get(tokens.start)?, self.tokens.get(tokens.end - 1)?);
        Some(first.place..last.end)
    }

    /// Tokens as written, white space and comments made single spaces.
    pub(crate) fn text_of(&self, tokens: &Range<usize>) -> String {
        render(&self.text, &self.calls, &self.tokens[tokens.clone()])
    }
}

/// Matches brackets; a bracket of another kind in between is not matched.
fn partners(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partner = vec![None; tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let close = match &text[token.bytes.clone()] {
            "(" => Some(")"),
            "[" => Some("]"),
            "{" => Some("}"),
            _ => None,
        };
        if token.kind != TokenKind::Sign {
            continue;
        }
        if let Some(close) = close {
            open.push((i, close));
        } else if let Some(at) = open.iter().rposition(|(_, c)| *c == &text[token.bytes.clone()]) {
            // A brace closes whatever was left open inside it; others close only their own.
            let is_brace = &text[token.bytes.clone()] == "}";
            if is_brace || at + 1 == open.len() {
                partner[open[at].0] = Some(i);
                partner[i] = Some(open[at].0);
                open.truncate(at);
            }
        }
    }
    partner
}
