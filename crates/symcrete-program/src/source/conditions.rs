//! Finds the conditions of a C file: controlling expressions, operands of `&&` and `||`, conditions of `?:`, and
//! the labels of `switch` statements.
//!
//! What counts as one condition, and where it starts, is as in clang's branch coverage: an operand of a logical
//! operator that is no logical operator itself, with its parentheses and its `!`.

use super::tokens::{Place, TokenKind};
use super::{Group, Source};
use std::collections::BTreeMap;
use std::ops::Range;

/// Brackets and statements nested deeper than this are not looked into.
pub(super) const DEPTH_MAX: u32 = 200;

/// How the top operator of a condition compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Equal,
    Unequal,
    /// `<` or `<=`
    Less,
    /// `>` or `>=`
    Greater,
}

/// A condition that no logical operator splits further.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) tokens: Range<usize>,
    pub(crate) places: Range<Place>,
    /// Where its top operator is, parentheses and `!` taken off.
    pub(crate) operator: Option<Place>,
    pub(crate) relation: Option<Relation>,
    /// Whether an odd number of `!` is around the top operator.
    pub(crate) is_negated: bool,
    /// Which operand of the relation is a constant, if one is: the left one?
    pub(crate) constant_is_left: Option<bool>,
    /// That operand.
    pub(crate) constant: Option<Range<usize>>,
    /// Where debug information may see its branch.
    pub(crate) branch_places: Vec<Place>,
    /// The `&&` or `||` that it is the last operand of: there its branch is seen where the whole is a value.
    pub(crate) operator_before: Option<Place>,
    /// What runs next if it holds, and if not, as far as that is a stretch of text.
    pub(crate) if_true: Option<Range<Place>>,
    pub(crate) if_false: Option<Range<Place>>,
}

/// A `switch` statement.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub(crate) keyword: Place,
    pub(crate) subject: Range<usize>,
    pub(crate) body: Range<usize>,
    pub(crate) labels: Vec<Label>,
}

/// A label of a `switch`.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// `case 3` or `default`
    pub(crate) tokens: Range<usize>,
    /// The expressions of the least and greatest value; none for `default`.
    pub(crate) values: Option<(Range<usize>, Range<usize>)>,
}

/// What is known about a condition from around it.
#[derive(Clone, Default)]
pub(super) struct Context {
    pub(super) branch_places: Vec<Place>,
    pub(super) operator_before: Option<Place>,
    pub(super) if_true: Option<Range<Place>>,
    pub(super) if_false: Option<Range<Place>>,
}

impl Context {
    pub(super) fn negated(self) -> Context {
        Context { if_true: self.if_false, if_false: self.if_true, ..self }
    }
}

#[derive(Default)]
pub(super) struct Found {
    pub(super) leaves: Vec<Leaf>,
    pub(super) groups: Vec<Group>,
    pub(super) switches: Vec<Switch>,
    pub(super) by_keyword: BTreeMap<Place, usize>,
}

pub(super) struct Finder<'a> {
    pub(super) source: &'a Source,
    found: Found,
    /// Keywords of each group.
    keywords: Vec<Vec<Place>>,
    /// Conditions of the group that is being read.
    pub(super) current: Vec<Leaf>,
    /// The `while` of each `do`, with the `do` and its body.
    tails: BTreeMap<usize, usize>,
    /// Ends of statements by their start.
    ends: BTreeMap<usize, usize>,
    pub(super) depth: u32,
}

impl<'a> Finder<'a> {
    pub(super) fn new(source: &'a Source) -> Finder<'a> {
        Finder {
            source,
            found: Found::default(),
            keywords: Vec::new(),
            current: Vec::new(),
            tails: BTreeMap::new(),
            ends: BTreeMap::new(),
            depth: 0,
        }
    }

    pub(super) fn find(mut self) -> Found {
        self.statements(0..self.source.tokens.len());
        let mut groups: Vec<(Group, Vec<Place>)> =
            std::mem::take(&mut self.found.groups).into_iter().zip(self.keywords).collect();
        groups.sort_by_key(|(group, _)| group.places.start);
        let leaves = std::mem::take(&mut self.found.leaves);
        for (group, keywords) in groups {
            let first = self.found.leaves.len();
            self.found.leaves.extend_from_slice(&leaves[group.leaves]);
            let range = first..self.found.leaves.len();
            // All expressions of one macro are in one place.
            match self.found.groups.last_mut().filter(|last| last.places == group.places) {
                Some(last) => last.leaves.end = range.end,
                None => self.found.groups.push(Group { leaves: range, ..group }),
            }
            let i = self.found.groups.len() - 1;
            self.found.by_keyword.extend(keywords.into_iter().map(|keyword| (keyword, i)));
        }
        self.found
    }

    pub(super) fn token(&self, index: usize) -> &'a str {
        match index < self.source.tokens.len() {
            true => self.source.token(index),
            false => "",
        }
    }

    pub(super) fn place(&self, index: usize) -> Place {
        self.source.tokens[index].place
    }

    pub(super) fn places(&self, tokens: Range<usize>) -> Option<Range<Place>> {
        (!tokens.is_empty()).then(|| self.source.extent(&tokens)).flatten()
    }

    /// The closing partner of the bracket at an index, if it is within bounds.
    pub(super) fn close(&self, open: usize, end: usize) -> Option<usize> {
        let partner = *self.source.partner.get(open)?;
        partner.filter(|&partner| partner > open && partner < end)
    }

    pub(super) fn statements(&mut self, range: Range<usize>) {
        if self.depth > DEPTH_MAX {
            return;
        }
        self.depth += 1;
        let mut i = range.start;
        while i < range.end {
            i = self.statement_head(i, range.end).max(i + 1);
        }
        self.depth -= 1;
    }

    /// Reads what stands before a body, or a statement without one; returns where to go on.
    fn statement_head(&mut self, i: usize, end: usize) -> usize {
        let header = match self.token(i + 1) {
            "(" => self.close(i + 1, end),
            _ => None,
        };
        match (self.token(i), header) {
            ("if", Some(close)) => self.if_head(i, close, end),
            ("while", Some(close)) => self.while_head(i, close, end),
            ("for", Some(close)) => self.for_head(i, close, end),
            ("switch", Some(close)) => self.switch_head(i, close, end),
            ("case", _) => self.case(i, end),
            ("default", _) => {
                self.label(Label { tokens: i..i + 1, values: None });
                i + 2
            }
            ("do", _) => {
                let tail = self.statement_end(i + 1, end);
                if self.token(tail) == "while" {
                    self.tails.insert(tail, i);
                }
                i + 1
            }
            ("{" | "}" | ";" | "else", _) => i + 1,
            (_, _) if self.token(i + 1) == ":" && self.is_word(i) => i + 2,
            (_, _) => {
                let stop = self.expression_end(i, end);
                let first = if self.token(i) == "return" { i + 1 } else { i };
                self.group(i..stop, first..stop, Vec::new(), None);
                stop
            }
        }
    }

    fn is_word(&self, i: usize) -> bool {
        self.source.tokens[i].kind == TokenKind::Word
    }

    fn if_head(&mut self, i: usize, close: usize, end: usize) -> usize {
        let then_end = self.statement_end(close + 1, end);
        let if_false = match self.token(then_end) {
            "else" if then_end < end => {
                let else_end = self.statement_end(then_end + 1, end);
                self.places(then_end + 1..else_end)
            }
            _ => None,
        };
        let if_true = self.places(close + 1..then_end);
        self.controlled(&[i], i + 2..close, if_true, if_false);
        close + 1
    }

    fn while_head(&mut self, i: usize, close: usize, end: usize) -> usize {
        // Debug information sees the branch of `do … while` at the end of its body.
        let (keywords, body) = match self.tails.get(&i) {
            Some(&start) => (vec![i, start, i - 1], start + 1..i),
            None => (vec![i], close + 1..self.statement_end(close + 1, end)),
        };
        let if_true = self.places(body);
        self.controlled(&keywords, i + 2..close, if_true, None);
        close + 1
    }

    fn for_head(&mut self, i: usize, close: usize, end: usize) -> usize {
        let semicolons = self.top_level(i + 2..close, |token| token == ";");
        if let [first, second] = semicolons[..] {
            self.group(i + 2..first, i + 2..first, Vec::new(), None);
            let body = close + 1..self.statement_end(close + 1, end);
            let if_true = self.places(body);
            self.controlled(&[i], first + 1..second, if_true, None);
            self.group(second + 1..close, second + 1..close, Vec::new(), None);
        }
        close + 1
    }

    /// A controlling expression, and the tokens at which its branch may be seen.
    fn controlled(
        &mut self,
        keywords: &[usize],
        tokens: Range<usize>,
        if_true: Option<Range<Place>>,
        if_false: Option<Range<Place>>,
    ) {
        if tokens.is_empty() {
            return;
        }
        let keywords: Vec<Place> = keywords.iter().map(|&keyword| self.place(keyword)).collect();
        let mut branch_places = keywords.clone();
        branch_places.push(self.place(tokens.start));
        let context = Context { branch_places, operator_before: None, if_true, if_false };
        self.group(tokens.clone(), tokens, keywords, Some(context));
    }

    fn switch_head(&mut self, i: usize, close: usize, end: usize) -> usize {
        let body = close + 1..self.statement_end(close + 1, end);
        let (keyword, subject) = (self.place(i), i + 2..close);
        self.found.switches.push(Switch {
            keyword,
            subject: subject.clone(),
            body,
            labels: Vec::new(),
        });
        self.group(subject.clone(), subject, Vec::new(), None);
        close + 1
    }

    fn case(&mut self, i: usize, end: usize) -> usize {
        let colon = self.colon(i + 1, end).unwrap_or(i + 1);
        let dots = self.top_level(i + 1..colon, |token| token == "...");
        let values = match dots.first() {
            Some(&dots) => (i + 1..dots, dots + 1..colon),
            None => (i + 1..colon, i + 1..colon),
        };
        self.label(Label { tokens: i..colon, values: Some(values) });
        colon + 1
    }

    /// Adds a label to the innermost `switch` around it.
    fn label(&mut self, label: Label) {
        let at = label.tokens.start;
        let switches = &mut self.found.switches;
        if let Some(switch) = switches.iter_mut().rfind(|switch| switch.body.contains(&at)) {
            switch.labels.push(label);
        }
    }

    /// Where the expression or declaration that starts here ends.
    fn expression_end(&self, start: usize, end: usize) -> usize {
        let mut i = start;
        while i < end {
            match self.token(i) {
                ";" | "{" | "}" => return i.max(start + 1),
                "(" | "[" => i = self.close(i, end).unwrap_or(i),
                _ => {}
            }
            i += 1;
        }
        end
    }

    /// Where the statement that starts here ends.
    fn statement_end(&mut self, start: usize, end: usize) -> usize {
        if let Some(&known) = self.ends.get(&start) {
            return known;
        }
        if self.depth > DEPTH_MAX {
            return (start + 1).min(end);
        }
        self.depth += 1;
        // Statements that end together: `if … else if … else if …`.
        let mut starts = vec![start];
        let mut i = start;
        let found = loop {
            let header = match self.token(i + 1) {
                "(" => self.close(i + 1, end),
                _ => None,
            };
            i = match (self.token(i), header) {
                ("if", Some(close)) => {
                    let then_end = self.statement_end(close + 1, end);
                    if self.token(then_end) != "else" {
                        break then_end;
                    }
                    then_end + 1
                }
                ("while" | "for" | "switch", Some(close)) => close + 1,
                ("do", _) => {
                    let tail = self.statement_end(i + 1, end);
                    break self.expression_end(tail, end) + 1;
                }
                ("{", _) => break self.close(i, end).map_or(end, |close| close + 1),
                ("case", _) => self.colon(i + 1, end).map_or(end, |colon| colon + 1),
                (_, _) if i + 1 < end && self.token(i + 1) == ":" => i + 2,
                (_, _) => break self.simple_end(i, end),
            };
            if i >= end {
                break end;
            }
            starts.push(i);
        };
        self.depth -= 1;
        let found = found.min(end);
        self.ends.extend(starts.into_iter().map(|start| (start, found)));
        found
    }

    /// Where a statement without a body ends: behind its semicolon.
    fn simple_end(&self, start: usize, end: usize) -> usize {
        let mut i = start;
        while i < end {
            match self.token(i) {
                ";" => return i + 1,
                "}" => return i,
                "(" | "[" | "{" => i = self.close(i, end).unwrap_or(i),
                _ => {}
            }
            i += 1;
        }
        end
    }

    /// The colon that ends a label, those of `?:` left out.
    pub(super) fn colon(&self, start: usize, end: usize) -> Option<usize> {
        let mut questions = 0;
        for i in self.top_level(start..end, |token| matches!(token, "?" | ":" | ";" | "{" | "}")) {
            match self.token(i) {
                "?" => questions += 1,
                ":" if questions == 0 => return Some(i),
                ":" => questions -= 1,
                _ => return None,
            }
        }
        None
    }

    /// Tokens of a range that are in none of its brackets.
    pub(super) fn top_level(
        &self,
        range: Range<usize>,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        let mut i = range.start;
        while i < range.end {
            let token = self.token(i);
            let is_sign = self.source.tokens[i].kind == TokenKind::Sign;
            if is_sign && wanted(token) {
                found.push(i);
            }
            if is_sign && matches!(token, "(" | "[" | "{") {
                i = self.close(i, range.end).unwrap_or(i);
            }
            i += 1;
        }
        found
    }

    /// Reads a full expression.
    fn group(
        &mut self,
        shown: Range<usize>,
        tokens: Range<usize>,
        keywords: Vec<Place>,
        context: Option<Context>,
    ) {
        let outer = std::mem::take(&mut self.current);
        self.expression(tokens, context);
        let mut leaves = std::mem::replace(&mut self.current, outer);
        let Some(places) = self.places(shown) else { return };
        if leaves.is_empty() {
            return;
        }
        // What is evaluated first ends first; of conditions within conditions the inner one.
        leaves.sort_by_key(|leaf| (leaf.tokens.end, std::cmp::Reverse(leaf.tokens.start)));
        let first = self.found.leaves.len();
        self.found.leaves.extend(leaves);
        self.found.groups.push(Group { places, leaves: first..self.found.leaves.len() });
        self.keywords.push(keywords);
    }
}
