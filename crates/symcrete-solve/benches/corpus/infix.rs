//! A reader for conditions in C notation: enough for the benchmark formulas.

use symcrete_term::{Literal, Op, Rounding, Sort, TermId, Terms, Value};

/// The conjuncts of a condition. Panics on anything but the notation of the suites.
pub(crate) fn parse(terms: &mut Terms, text: &str) -> Vec<Literal> {
    let tokens = tokens(text);
    let mut parser = Parser { terms, tokens, at: 0 };
    let mut literals = Vec::new();
    loop {
        let (term, expected) = parser.comparison().truth();
        literals.push(Literal { term, expected });
        if !parser.eat("&&") {
            break;
        }
    }
    assert_eq!(parser.at, parser.tokens.len(), "unread text in {text}");
    literals
}

/// A constant without a sort yet, a term, or a truth value with the sign it must have.
#[derive(Clone, Copy, Debug)]
enum Parsed {
    Number(f64),
    Term(TermId),
    Truth(TermId, bool),
}

impl Parsed {
    fn truth(self) -> (TermId, bool) {
        match self {
            Parsed::Truth(term, expected) => (term, expected),
            Parsed::Number(_) | Parsed::Term(_) => panic!("{self:?} is not a condition"),
        }
    }
}

struct Parser<'a> {
    terms: &'a mut Terms,
    tokens: Vec<String>,
    at: usize,
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = match rest.find(|c| !word(c)) {
            Some(0) if ["&&", "==", "!=", "<=", ">="].iter().any(|op| rest.starts_with(op)) => 2,
            Some(0) => 1,
            Some(n) => n,
            None => rest.len(),
        };
        tokens.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    tokens
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|next| next == token);
        self.at += usize::from(found);
        found
    }

    fn eat_any<'t>(&mut self, tokens: &[&'t str]) -> Option<&'t str> {
        tokens.iter().copied().find(|token| self.eat(token))
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum();
        match self.eat_any(&["==", "!=", "<=", ">=", "<", ">"]) {
            Some(relation) => {
                let right = self.sum();
                self.compare(relation, left, right)
            }
            None => left,
        }
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product();
        while let Some(operator) = self.eat_any(&["+", "-"]) {
            let right = self.product();
            left = self.arithmetic(operator, left, right);
        }
        left
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.factor();
        while let Some(operator) = self.eat_any(&["*", "/", "%"]) {
            let right = self.factor();
            left = self.arithmetic(operator, left, right);
        }
        left
    }

    fn factor(&mut self) -> Parsed {
        if self.eat("-") {
            return match self.factor() {
                Parsed::Number(n) => Parsed::Number(-n),
                other @ (Parsed::Term(_) | Parsed::Truth(..)) => {
                    let term = self.term(other, Sort::F64);
                    let op = if self.terms.sort(term).is_float() { Op::FpNeg } else { Op::BvNeg };
                    Parsed::Term(self.terms.app(op, &[term]))
                }
            };
        }
        if self.eat("(") {
            let inner = self.comparison();
            assert!(self.eat(")"), "missing parenthesis");
            return inner;
        }
        let word = self.tokens[self.at].clone();
        self.at += 1;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return Parsed::Number(word.parse().expect("a number"));
        }
        if word == "M_E" {
            return Parsed::Number(std::f64::consts::E);
        }
        if self.eat("(") { self.call(&word) } else { self.variable(&word) }
    }

    fn variable(&mut self, name: &str) -> Parsed {
        let var = self.terms.find_var(name).unwrap_or_else(|| panic!("unknown variable {name}"));
        Parsed::Term(self.terms.var_term(var))
    }

    fn call(&mut self, name: &str) -> Parsed {
        let mut args = Vec::new();
        while !self.eat(")") {
            let arg = self.sum();
            args.push(self.term(arg, Sort::F64));
            self.eat(",");
        }
        if name == "sqrt" {
            return Parsed::Term(self.terms.rounded(Op::FpSqrt, Rounding::NearestEven, &args));
        }
        let function = self.terms.function_named(name).expect("a function of the math library");
        Parsed::Term(self.terms.call(function, &args))
    }

    fn term(&mut self, parsed: Parsed, sort: Sort) -> TermId {
        match (parsed, sort) {
            (Parsed::Term(term) | Parsed::Truth(term, _), _) => term,
            (Parsed::Number(n), Sort::Bv(width)) => self.terms.bv(width, n as i64 as u64),
            (Parsed::Number(n), _) => self.terms.constant(Value::f64(n)),
        }
    }

    /// Both as terms of one sort: a number takes the sort of the other.
    fn pair(&mut self, left: Parsed, right: Parsed) -> (TermId, TermId, bool) {
        let sort = match (left, right) {
            (Parsed::Term(term), _) | (_, Parsed::Term(term)) => self.terms.sort(term),
            _ => Sort::F64,
        };
        (self.term(left, sort), self.term(right, sort), sort.is_float())
    }

    fn arithmetic(&mut self, operator: &str, left: Parsed, right: Parsed) -> Parsed {
        let (left, right, float) = self.pair(left, right);
        let op = match (operator, float) {
            ("+", true) => Op::FpAdd,
            ("-", true) => Op::FpSub,
            ("*", true) => Op::FpMul,
            ("/", true) => Op::FpDiv,
            ("+", false) => Op::BvAdd,
            ("-", false) => Op::BvSub,
            ("*", false) => Op::BvMul,
            ("/", false) => Op::BvSdiv,
            ("%", false) => Op::BvSrem,
            (other, _) => panic!("no operator {other}"),
        };
        Parsed::Term(self.terms.app(op, &[left, right]))
    }

    fn compare(&mut self, relation: &str, left: Parsed, right: Parsed) -> Parsed {
        let (mut left, mut right, float) = self.pair(left, right);
        if relation.starts_with('>') {
            (left, right) = (right, left);
        }
        let op = match (relation, float) {
            ("==" | "!=", true) => Op::FpEq,
            ("==" | "!=", false) => Op::Eq,
            ("<" | ">", true) => Op::FpLt,
            ("<" | ">", false) => Op::BvSlt,
            ("<=" | ">=", true) => Op::FpLe,
            ("<=" | ">=", false) => Op::BvSle,
            (other, _) => panic!("no relation {other}"),
        };
        Parsed::Truth(self.terms.app(op, &[left, right]), relation != "!=")
    }
}
