//! Puts the bodies of macros in the place of their calls.
//!
//! What a macro becomes stands, for debug information and coverage alike, where its outermost call starts; so do the
//! tokens here. Only macros of the same file and its headers
//! are known. Those that paste or quote (`#`, `##`) stay as they are, as does
//! a call that becomes too long. Of several definitions the longest counts: the others are often empty.

use super::tokens::{Token, TokenKind};
use std::collections::BTreeMap;
use std::ops::Range;

/// Calls within calls are followed this far.
const DEPTH_MAX: usize = 32;
/// A call that becomes more tokens than this stays as it is.
const TOKENS_MAX: usize = 20_000;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Names of its parameters, `...` as `__VA_ARGS__`; `None` if it takes none, not even brackets.
    pub(super) params: Option<Vec<String>>,
    pub(super) body: Vec<Token>,
    /// Whether a call can be replaced.
    pub(super) is_plain: bool,
}

/// A call of a macro that was replaced.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The call in whose body or arguments it is.
    parent: Option<usize>,
    /// As written.
    text: String,
    /// How many tokens it became.
    n_tokens: usize,
}

/// The text with its calls.
pub(super) struct Expander<'a> {
    text: &'a str,
    macros: &'a BTreeMap<String, Macro>,
    pub(super) calls: Vec<Call>,
    /// How many tokens the outermost call under way may still become.
    left: usize,
}

/// A token, and whether it came through an argument: then its own calls are replaced already.
type Fed = (Token, bool);

/// Where an expansion happens.
#[derive(Clone, Copy)]
struct Inside<'a> {
    call: usize,
    /// The first and the last token of the outermost call.
    outermost: (&'a Token, &'a Token),
    /// Names that are being replaced.
    active: &'a [&'a str],
}

impl<'a> Expander<'a> {
    pub(super) fn new(text: &'a str, macros: &'a BTreeMap<String, Macro>) -> Expander<'a> {
        Expander { text, macros, calls: Vec::new(), left: 0 }
    }

    /// Replaces all calls in a file's tokens.
    pub(super) fn file(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut result = Vec::with_capacity(tokens.len());
        let fed: Vec<Fed> = tokens.iter().map(|token| (token.clone(), false)).collect();
        let mut i = 0;
        while i < tokens.len() {
            let n_calls = self.calls.len();
            self.left = TOKENS_MAX;
            let replaced = self.call_at(&fed, i, &[]).and_then(|(name, end)| {
                let outermost = (&tokens[i], &tokens[end - 1]);
                Some((self.call(name, &fed[i..end], None, outermost, &[])?, end))
            });
            match replaced {
                Some((tokens, end)) => {
                    result.extend(tokens);
                    i = end;
                }
                None => {
                    self.calls.truncate(n_calls);
                    result.push(tokens[i].clone());
                    i += 1;
                }
            }
        }
        result
    }

    fn word(&self, token: &Token) -> &'a str {
        &self.text[token.bytes.clone()]
    }

    /// The name of the macro that is called at an index, and the index behind the call.
    fn call_at(&self, list: &[Fed], i: usize, active: &[&str]) -> Option<(&'a str, usize)> {
        let (token, is_done) = &list[i];
        let name = self.word(token);
        if *is_done || token.kind != TokenKind::Word || active.contains(&name) {
            return None;
        }
        let found = self.macros.get(name).filter(|found| found.is_plain)?;
        if found.params.is_none() {
            return Some((name, i + 1));
        }
        let mut depth = 0;
        for (j, (token, _)) in list.iter().enumerate().skip(i + 1) {
            match self.word(token) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return (j > i + 1).then_some((name, j + 1));
            }
        }
        None
    }

    /// Replaces one call; `None` if it becomes too long or too deep.
    fn call(
        &mut self,
        name: &'a str,
        written: &[Fed],
        parent: Option<usize>,
        outermost: (&Token, &Token),
        active: &[&str],
    ) -> Option<Vec<Token>> {
        if active.len() >= DEPTH_MAX {
            return None;
        }
        let plain: Vec<Token> = written.iter().map(|(token, _)| token.clone()).collect();
        let call = self.calls.len();
        let text = render(self.text, &self.calls, &plain);
        self.calls.push(Call { parent, text, n_tokens: 0 });
        let macros = self.macros;
        let Macro { params, body, .. } = &macros[name];
        let mut arguments = Vec::new();
        for range in self.arguments(written, params.as_deref()) {
            let inside = Inside { call, outermost, active };
            arguments.push(self.list(&written[range], inside)?);
        }
        let mut fed: Vec<Fed> = Vec::new();
        for token in body {
            let word = self.word(token);
            let at = params.as_ref().and_then(|params| params.iter().position(|p| p == word));
            match at.filter(|_| token.kind == TokenKind::Word) {
                Some(at) => {
                    let argument = arguments.get(at).map_or(&[][..], Vec::as_slice);
                    for (i, token_in) in argument.iter().enumerate() {
                        let has_space = if i == 0 { token.has_space } else { token_in.has_space };
                        fed.push((Token { has_space, ..token_in.clone() }, true));
                    }
                }
                None => fed.push((Token { call: None, ..token.clone() }, false)),
            }
        }
        let active = [active, &[name]].concat();
        let mut result = self.list(&fed, Inside { call, outermost, active: &active })?;
        if let Some(first) = result.first_mut() {
            first.has_space = written[0].0.has_space;
        }
        self.calls[call].n_tokens = result.len();
        Some(result)
    }

    /// Replaces the calls in a part of another call, and says of all tokens that they are in it.
    fn list(&mut self, list: &[Fed], inside: Inside<'_>) -> Option<Vec<Token>> {
        let Inside { call, outermost, active } = inside;
        let mut result = Vec::new();
        let mut i = 0;
        while i < list.len() {
            if let Some((name, end)) = self.call_at(list, i, active) {
                result.extend(self.call(name, &list[i..end], Some(call), outermost, active)?);
                i = end;
                continue;
            }
            let token = &list[i].0;
            let own = token.call.filter(|&own| Some(own) != self.calls[call].parent);
            result.push(Token {
                place: outermost.0.place,
                end: outermost.1.end,
                call: own.or(Some(call)),
                ..token.clone()
            });
            i += 1;
        }
        self.left = self.left.checked_sub(result.len())?;
        Some(result)
    }

    /// The arguments of a call, by index in it.
    fn arguments(&self, written: &[Fed], params: Option<&[String]>) -> Vec<Range<usize>> {
        let Some(params) = params else { return Vec::new() };
        let is_variadic = params.last().is_some_and(|last| last == "__VA_ARGS__");
        let mut found = Vec::new();
        let (mut depth, mut start) = (0, 2);
        for (i, (token, _)) in written.iter().enumerate().skip(2) {
            match self.word(token) {
                "(" | "[" | "{" => depth += 1,
                ")" if i + 1 == written.len() => {}
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 && !(is_variadic && found.len() + 1 >= params.len()) => {
                    found.push(start..i);
                    start = i + 1;
                }
                _ => {}
            }
        }
        found.push(start..written.len() - 1);
        found
    }
}

/// Tokens as text: white space and comments made single spaces, calls that are there as a whole as written.
pub(super) fn render(text: &str, calls: &[Call], tokens: &[Token]) -> String {
    let mut result = String::new();
    let mut i = 0;
    while i < tokens.len() {
        let token = &tokens[i];
        if i > 0 && token.has_space {
            result.push(' ');
        }
        // The outermost call that starts here and ends within.
        let starts = |&call: &usize| i == 0 || !around(calls, &tokens[i - 1]).any(|c| c == call);
        let fits = |&call: &usize| {
            let n = calls[call].n_tokens;
            n > 0
                && i + n <= tokens.len()
                && around(calls, &tokens[i + n - 1]).any(|c| c == call)
                && tokens.get(i + n).is_none_or(|next| !around(calls, next).any(|c| c == call))
        };
        match around(calls, token).filter(starts).filter(fits).last() {
            Some(call) => {
                result.push_str(&calls[call].text);
                i += calls[call].n_tokens;
            }
            None => {
                result.push_str(&text[token.bytes.clone()]);
                i += 1;
            }
        }
    }
    result
}

/// The calls around a token, the innermost first.
fn around<'c>(calls: &'c [Call], token: &Token) -> impl Iterator<Item = usize> + 'c {
    std::iter::successors(token.call, |&call| calls[call].parent)
}

/// The text of the outermost call that a token came from.
pub(super) fn outermost_text<'c>(calls: &'c [Call], token: &Token) -> Option<&'c str> {
    around(calls, token).last().map(|call| calls[call].text.as_str())
}
