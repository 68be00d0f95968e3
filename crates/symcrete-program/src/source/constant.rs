//! Values of constant expressions in labels: numbers, characters, enumeration constants.

use super::Source;
use super::tokens::{Token, TokenKind};
use std::collections::BTreeMap;
use std::ops::Range;

/// Brackets and signs are followed this far.
const DEPTH_MAX: u32 = 16;

impl Source {
    /// The value of an expression, if it can be told.
    pub(crate) fn value(
        &self,
        tokens: &Range<usize>,
        constants: &BTreeMap<String, i64>,
    ) -> Option<i64> {
        let tokens = &self.tokens[tokens.clone()];
        Reader { text: &self.text, tokens, at: 0, constants, depth: 0 }.whole()
    }
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    constants: &'a BTreeMap<String, i64>,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn whole(mut self) -> Option<i64> {
        let value = self.binary(0)?;
        (self.at == self.tokens.len()).then_some(value)
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| &self.text[token.bytes.clone()])
    }

    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        loop {
            let (operator, precedence) = match self.peek() {
                sign @ "|" => (sign, 1),
                sign @ "^" => (sign, 2),
                sign @ "&" => (sign, 3),
                sign @ ("<<" | ">>") => (sign, 4),
                sign @ ("+" | "-") => (sign, 5),
                sign @ ("*" | "/" | "%") => (sign, 6),
                _ => return Some(left),
            };
            if precedence < least {
                return Some(left);
            }
            self.at += 1;
            let right = self.binary(precedence + 1)?;
            left = match operator {
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
                ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
    }

    fn unary(&mut self) -> Option<i64> {
        let token = self.tokens.get(self.at)?;
        let text = self.peek();
        self.at += 1;
        match token.kind {
            TokenKind::Number => number(text),
            TokenKind::Character => character(text),
            TokenKind::Text => None,
            TokenKind::Word => self.constants.get(text).copied(),
            TokenKind::Sign => {
                self.depth += 1;
                let value = match text {
                    _ if self.depth > DEPTH_MAX => None,
                    "-" => self.unary()?.checked_neg(),
                    "+" => self.unary(),
                    "~" => Some(!self.unary()?),
                    "(" => {
                        let value = self.binary(0)?;
                        let closed = self.peek() == ")";
                        self.at += 1;
                        closed.then_some(value)
                    }
                    _ => None,
                };
                self.depth -= 1;
                value
            }
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']).to_ascii_lowercase();
    let (digits, radix) = if let Some(digits) = digits.strip_prefix("0x") {
        (digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        (digits, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (&digits[..], 10)
    };
    u64::from_str_radix(digits, radix).ok().map(|value| value as i64)
}

fn character(text: &str) -> Option<i64> {
    let inner = text.split_once('\'')?.1.strip_suffix('\'')?;
    let mut chars = inner.chars();
    match (chars.next()?, chars.as_str()) {
        ('\\', "n") => Some(10),
        ('\\', "t") => Some(9),
        ('\\', "r") => Some(13),
        ('\\', "a") => Some(7),
        ('\\', "b") => Some(8),
        ('\\', "f") => Some(12),
        ('\\', "v") => Some(11),
        ('\\', "\\") => Some(92),
        ('\\', "'") => Some(39),
        ('\\', "\"") => Some(34),
        ('\\', "?") => Some(63),
        ('\\', rest) if rest.starts_with('x') => {
            let value = u8::from_str_radix(&rest[1..], 16).ok()?;
            Some(i64::from(value as i8))
        }
        ('\\', rest) => {
            let value = u8::from_str_radix(rest, 8).ok()?;
            Some(i64::from(value as i8))
        }
        (c, "") if c.is_ascii() => Some(i64::from(u32::from(c))),
        _ => None,
    }
}
