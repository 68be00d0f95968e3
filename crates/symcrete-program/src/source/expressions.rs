//! Takes expressions apart: operands of `&&` and `||`, conditions of `?:`, what is inside brackets.

use super::conditions::{Context, DEPTH_MAX, Finder, Leaf, Relation};
use super::tokens::TokenKind;
use std::ops::Range;

impl Finder<'_> {
    /// Reads an expression; with a context it is a condition.
    pub(super) fn expression(&mut self, range: Range<usize>, context: Option<Context>) {
        if range.is_empty() || self.depth > DEPTH_MAX {
            return;
        }
        self.depth += 1;
        self.split(range, context);
        self.depth -= 1;
    }

    fn split(&mut self, range: Range<usize>, context: Option<Context>) {
        let commas = self.top_level(range.clone(), |token| token == ",");
        let question = self.top_level(range.clone(), |token| token == "?").first().copied();
        let assignment = self.top_level(range.clone(), is_assignment).first().copied();
        let assignment = assignment.filter(|&at| question.is_none_or(|question| at < question));
        if !commas.is_empty() || assignment.is_some() || question.is_some() {
            if let Some(context) = context {
                self.leaf(range.clone(), range.clone(), false, context);
            }
            return if !commas.is_empty() {
                self.parts(range, &commas);
            } else if let Some(assignment) = assignment {
                self.parts(range, &[assignment]);
            } else if let Some(question) = question {
                self.choice(range, question);
            };
        }
        for operator in ["||", "&&"] {
            let operators = self.top_level(range.clone(), |token| token == operator);
            if !operators.is_empty() {
                return self.logical(range, &operators, context.unwrap_or_default());
            }
        }
        match context {
            Some(context) => self.condition(range, context),
            None => self.nested(range),
        }
    }

    fn parts(&mut self, range: Range<usize>, separators: &[usize]) {
        let mut start = range.start;
        for &separator in separators {
            self.expression(start..separator, None);
            start = separator + 1;
        }
        self.expression(start..range.end, None);
    }

    /// `condition ? this : that`
    fn choice(&mut self, range: Range<usize>, question: usize) {
        let colon = self.colon(question + 1, range.end).unwrap_or(range.end);
        let that = (colon + 1).min(range.end)..range.end;
        let context = Context {
            branch_places: vec![self.place(range.start), self.place(question)],
            operator_before: None,
            if_true: self.places(question + 1..colon),
            if_false: self.places(that.clone()),
        };
        self.expression(range.start..question, Some(context));
        self.expression(question + 1..colon, None);
        self.expression(that, None);
    }

    /// Operands of `&&` or `||`: each but the last decides whether the next one is looked at.
    fn logical(&mut self, range: Range<usize>, operators: &[usize], mut context: Context) {
        let mut start = range.start;
        for (i, &operator) in operators.iter().enumerate() {
            let next_end = operators.get(i + 1).copied().unwrap_or(range.end);
            let next = self.places(operator + 1..next_end);
            let branch_places = vec![self.place(operator)];
            let (if_true, if_false) = match self.token(operator) {
                "&&" => (next, context.if_false.clone()),
                _ => (context.if_true.clone(), next),
            };
            let operand = Context { branch_places, operator_before: None, if_true, if_false };
            self.expression(start..operator, Some(operand));
            start = operator + 1;
        }
        context.operator_before = operators.last().map(|&operator| self.place(operator));
        self.expression(start..range.end, Some(context));
    }

    /// A condition without logical operators outside its brackets.
    fn condition(&mut self, range: Range<usize>, context: Context) {
        let mut inner = range.clone();
        let mut is_negated = false;
        let other = |token: &str| matches!(token, "?" | ",") || is_assignment(token);
        loop {
            let first = self.token(inner.start);
            if first == "(" && self.close(inner.start, inner.end) == Some(inner.end - 1) {
                inner = inner.start + 1..inner.end - 1;
            } else if first == "!"
                && self.main_operator(inner.clone()).is_none()
                && self.top_level(inner.clone(), other).is_empty()
            {
                inner.start += 1;
                is_negated = !is_negated;
            } else {
                break;
            }
            if inner.is_empty() {
                return;
            }
        }
        let logical = |token: &str| matches!(token, "&&" | "||");
        let is_logical = !self.top_level(inner.clone(), logical).is_empty()
            && self.top_level(inner.clone(), other).is_empty();
        if is_logical {
            let context = if is_negated { context.negated() } else { context };
            return self.expression(inner, Some(context));
        }
        self.leaf(range, inner.clone(), is_negated, context);
        self.expression(inner, None);
    }

    /// Looks into the brackets of an expression.
    fn nested(&mut self, range: Range<usize>) {
        for open in self.top_level(range.clone(), |token| matches!(token, "(" | "[" | "{")) {
            let Some(close) = self.close(open, range.end) else { continue };
            match self.token(open) {
                "{" => self.statements(open + 1..close),
                _ => self.expression(open + 1..close, None),
            }
        }
    }

    fn leaf(
        &mut self,
        range: Range<usize>,
        inner: Range<usize>,
        is_negated: bool,
        context: Context,
    ) {
        let Some(places) = self.places(range.clone()) else { return };
        // A number decides nothing.
        if inner.len() == 1 && self.source.tokens[inner.start].kind == TokenKind::Number {
            return;
        }
        let operator = self.main_operator(inner.clone());
        let relation = operator.and_then(|at| relation(self.token(at)));
        let operands = operator.filter(|_| relation.is_some());
        let operands = operands.map(|at| (inner.start..at, at + 1..inner.end));
        let constant_is_left = operands.as_ref().and_then(|(left, right)| {
            let is_left = self.is_constant(left.clone());
            (is_left != self.is_constant(right.clone())).then_some(is_left)
        });
        let constant = operands.zip(constant_is_left);
        let constant = constant.map(|((left, right), is_left)| if is_left { left } else { right });
        self.current.push(Leaf {
            tokens: range,
            places,
            operator: operator.map(|at| self.place(at)),
            relation,
            is_negated,
            constant_is_left,
            constant,
            branch_places: context.branch_places,
            operator_before: context.operator_before,
            if_true: context.if_true,
            if_false: context.if_false,
        });
    }

    /// Whether an expression looks like a constant.
    fn is_constant(&self, range: Range<usize>) -> bool {
        range.clone().all(|i| match self.source.tokens[i].kind {
            TokenKind::Number | TokenKind::Character => true,
            TokenKind::Sign => {
                matches!(self.token(i), "-" | "+" | "(" | ")" | "~" | "*" | "/" | "<<")
            }
            TokenKind::Word => !self.token(i).contains(|c: char| c.is_ascii_lowercase()),
            TokenKind::Text => false,
        })
    }

    /// The binary operator that is applied last.
    fn main_operator(&self, range: Range<usize>) -> Option<usize> {
        let candidates = self.top_level(range.clone(), |token| precedence(token).is_some());
        let is_binary = |&at: &usize| {
            at > range.start
                && match self.source.tokens[at - 1].kind {
                    TokenKind::Sign => matches!(self.token(at - 1), ")" | "]" | "}" | "++" | "--"),
                    TokenKind::Word
                    | TokenKind::Number
                    | TokenKind::Character
                    | TokenKind::Text => self.token(at - 1) != "sizeof",
                }
        };
        // Operators group to the left: of equal ones the last is applied last.
        candidates
            .into_iter()
            .filter(is_binary)
            .min_by_key(|&at| (precedence(self.token(at)), std::cmp::Reverse(at)))
    }
}

fn is_assignment(token: &str) -> bool {
    matches!(token, "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "<<=" | ">>=" | "&=" | "^=" | "|=")
}

/// How tightly a binary operator binds.
fn precedence(token: &str) -> Option<u8> {
    Some(match token {
        "," => 0,
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

pub(super) fn relation(token: &str) -> Option<Relation> {
    Some(match token {
        "==" => Relation::Equal,
        "!=" => Relation::Unequal,
        "<" | "<=" => Relation::Less,
        ">" | ">=" => Relation::Greater,
        _ => return None,
    })
}
