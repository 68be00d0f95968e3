//! What names and atoms mean where they stand: constants, variables, functions to be applied.

use super::diagnostic::{Failure, Problem, Span, Suggestion};
use super::elaborate::{Elaborator, expected};
use super::floats;
use super::lexer::Atom;
use super::names::{Global, Macro, Meaning};
use super::rational::Rational;
use super::sexpr::{SexprId, Tree};
use super::sorts::{self, Limit};
use super::theory::{self, Function};
use std::rc::Rc;
use symcrete_term::{FunctionId, Value};

/// What an application applies.
#[derive(Clone)]
pub(super) enum Callee {
    Theory(Function),
    Macro(Rc<Macro>),
    Opaque(FunctionId),
}

impl Elaborator {
    pub(super) fn atom(&mut self, tree: &Tree, sexpr: SexprId) -> Result<Meaning, Failure> {
        let text = tree.text(sexpr);
        let atom = tree.atom(sexpr).expect("the caller saw an atom");
        match atom {
            Atom::Symbol | Atom::QuotedSymbol => self.symbol(tree, sexpr),
            Atom::Hexadecimal => self.bits(&text[2..], 16, 4, tree, sexpr),
            Atom::Binary => self.bits(&text[2..], 2, 1, tree, sexpr),
            Atom::Numeral | Atom::Decimal => match Rational::of_decimal(text) {
                Some(number) => Ok(Meaning::Number(Rc::new(number))),
                None => Err(Failure::unsupported("so long a number", tree.span(sexpr))),
            },
            Atom::String => Err(Failure::unsupported("a string", tree.span(sexpr))),
            Atom::Keyword => Err(expected("a term", tree, sexpr).into()),
        }
    }

    fn bits(
        &mut self,
        digits: &str,
        radix: u32,
        bits_per_digit: u64,
        tree: &Tree,
        sexpr: SexprId,
    ) -> Result<Meaning, Failure> {
        let width = digits.len() as u64 * bits_per_digit;
        if width > 64 {
            return Err(sorts::wide(width, tree, sexpr));
        }
        let bits = u64::from_str_radix(digits, radix).expect("the lexer checked the digits");
        Ok(Meaning::Term(self.terms.bv(width as u8, bits)))
    }

    fn symbol(&mut self, tree: &Tree, sexpr: SexprId) -> Result<Meaning, Failure> {
        let name = tree.symbol(sexpr).expect("the caller saw a symbol");
        if let Some(meaning) = self.names.local(name) {
            return Ok(meaning.clone());
        }
        if let Some(Global::Value(meaning)) = self.names.global(name) {
            return Ok(meaning.clone());
        }
        if let Some(rounding) = theory::rounding_named(name) {
            return Ok(Meaning::Rounding(rounding));
        }
        match name {
            "true" => Ok(Meaning::Term(self.terms.bool(true))),
            "false" => Ok(Meaning::Term(self.terms.bool(false))),
            _ if self.is_function(name) => {
                let problem = Problem::Expected {
                    expected: format!("arguments for the function `{name}`"),
                    found: "its name alone".to_owned(),
                };
                Err(problem.at(tree.span(sexpr)).into())
            }
            _ => Err(self.unknown(name, tree.span(sexpr))),
        }
    }

    fn is_function(&self, name: &str) -> bool {
        matches!(self.names.global(name), Some(Global::Macro(_) | Global::Opaque(_)))
            || theory::FUNCTIONS.iter().any(|(known, _)| *known == name)
    }

    /// A name that is not in sight: wrong, unless another theory has it.
    fn unknown(&self, name: &str, span: Span) -> Failure {
        if theory::is_foreign(name) {
            return Failure::unsupported(format!("`{name}`"), span);
        }
        let ours = theory::FUNCTIONS.iter().map(|(known, _)| *known);
        let indexed = theory::INDEXED.iter().map(|(known, _)| *known);
        let names = self.names.global_names().chain(self.names.local_names());
        let near = Suggestion::near(name, names.chain(ours).chain(indexed));
        Problem::UnknownSymbol(name.to_owned(), near).at(span).into()
    }

    /// `(_ bv5 32)`, `(_ +oo 8 24)` and the like.
    pub(super) fn indexed_constant(
        &mut self,
        tree: &Tree,
        sexpr: SexprId,
    ) -> Result<Meaning, Failure> {
        let span = tree.span(sexpr);
        let parts: Vec<SexprId> = tree.children(sexpr).skip(1).collect();
        let Some(name) = parts.first().and_then(|&part| tree.symbol(part)) else {
            return Err(expected("an indexed identifier", tree, sexpr).into());
        };
        let indices: Option<Vec<u64>> = parts[1..].iter().map(|&part| tree.numeral(part)).collect();
        let index_problem = |expected: &str| {
            let problem =
                Problem::WrongIndex { symbol: name.to_owned(), expected: expected.to_owned() };
            Failure::from(problem.at(span))
        };
        let decimal = name.strip_prefix("bv").filter(|digits| {
            !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
        });
        if let Some(digits) = decimal {
            let Some([width]) = indices.as_deref() else {
                return Err(index_problem("one width"));
            };
            let sort = sorts::bit_vector(*width).map_err(|limit| match limit {
                Limit::TooSmall => index_problem("a width of at least 1"),
                Limit::TooLarge => sorts::wide(*width, tree, sexpr),
            })?;
            let bits = digits.parse().ok().filter(|bits: &u64| bits & !sort.mask() == 0);
            let bits = bits.ok_or_else(|| index_problem("a number that fits the width"))?;
            return Ok(Meaning::Term(self.terms.constant(Value::from_bits(sort, bits))));
        }
        if matches!(name, "+oo" | "-oo" | "+zero" | "-zero" | "NaN") {
            let Some([exponent, significand]) = indices.as_deref() else {
                return Err(index_problem("two numbers"));
            };
            let sort = sorts::float(*exponent, *significand).map_err(|limit| match limit {
                Limit::TooSmall => index_problem("two numbers of at least 2"),
                Limit::TooLarge => sorts::other_float(*exponent, *significand, tree, sexpr),
            })?;
            let value = floats::special(name, sort).expect("one of the five");
            return Ok(Meaning::Term(self.terms.constant(value)));
        }
        Err(self.unknown(name, tree.span(parts[0])))
    }

    /// What stands at the head of an application.
    pub(super) fn callee(
        &mut self,
        tree: &Tree,
        sexpr: SexprId,
        head: SexprId,
    ) -> Result<Callee, Failure> {
        let span = tree.span(head);
        if let Some(name) = tree.symbol(head) {
            let local = self.names.local(name).is_some();
            match self.names.global(name) {
                Some(Global::Macro(function)) if !local => {
                    return Ok(Callee::Macro(Rc::clone(function)));
                }
                Some(Global::Opaque(function)) if !local => return Ok(Callee::Opaque(*function)),
                Some(Global::Value(_)) => {}
                _ if local => {}
                _ => {
                    let known = theory::FUNCTIONS.iter().find(|(known, _)| *known == name);
                    return match known {
                        Some(&(_, function)) => Ok(Callee::Theory(function)),
                        None if theory::rounding_named(name).is_some() => {
                            Err(not_a_function(name, span))
                        }
                        None => Err(self.unknown(name, span)),
                    };
                }
            }
            return Err(not_a_function(name, span));
        }
        let parts: Vec<SexprId> = tree.children(head).collect();
        match parts.first() {
            Some(&first) if tree.is_word(first, "_") => {
                self.indexed_callee(tree, head, &parts[1..])
            }
            Some(&first) if tree.is_word(first, "as") => {
                Err(Failure::unsupported("a qualified identifier", span))
            }
            _ => {
                Err(expected("a function", tree, if tree.is_list(head) { sexpr } else { head })
                    .into())
            }
        }
    }

    fn indexed_callee(
        &self,
        tree: &Tree,
        head: SexprId,
        parts: &[SexprId],
    ) -> Result<Callee, Failure> {
        let Some(name) = parts.first().and_then(|&part| tree.symbol(part)) else {
            return Err(expected("an indexed function", tree, head).into());
        };
        let Some(&(_, indexed)) = theory::INDEXED.iter().find(|(known, _)| *known == name) else {
            return Err(self.unknown(name, tree.span(parts[0])));
        };
        let n_indices = indexed.n_indices();
        let numbers: Option<Vec<u64>> = parts[1..].iter().map(|&part| tree.numeral(part)).collect();
        let mut indices = [0; 2];
        match numbers {
            Some(numbers) if numbers.len() == n_indices => {
                indices[..n_indices].copy_from_slice(&numbers);
            }
            _ => {
                let expected = if n_indices == 1 { "one number" } else { "two numbers" };
                let (symbol, expected) = (name.to_owned(), expected.to_owned());
                return Err(Problem::WrongIndex { symbol, expected }.at(tree.span(head)).into());
            }
        }
        Ok(Callee::Theory(Function::Indexed(indexed, indices)))
    }
}

fn not_a_function(name: &str, span: Span) -> Failure {
    let expected = "a function".to_owned();
    Problem::Expected { expected, found: format!("`{name}`, which is a constant") }.at(span).into()
}
