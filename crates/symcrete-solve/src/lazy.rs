//! Evaluating only what is asked.
//!
//! A path condition may have a hundred thousand literals of which the first or the last already says
//! no. Here a term is evaluated when somebody asks for it, and once per valuation. For many evaluations of the same
//! literals a [`Tape`](symcrete_term::Tape) is faster.
//!
//! It has no semantics: every value is [`symcrete_term::eval::eval`]'s. Nothing recurses.

use symcrete_term::eval::eval;
use symcrete_term::{Literal, Node, TermId, Terms, Valuation, Value};

/// Memory for evaluations over one arena, to be reused: a new valuation costs nothing.
#[derive(Default)]
pub(crate) struct LazyEvaluator {
    /// By term: in which round it was computed, and the bits of its value then.
    rounds: Vec<u32>,
    bits: Vec<u64>,
    round: u32,
    stack: Vec<TermId>,
}

/// The terms of an arena under one valuation.
pub(crate) struct Evaluation<'a> {
    evaluator: &'a mut LazyEvaluator,
    terms: &'a Terms,
    valuation: &'a Valuation,
}

impl LazyEvaluator {
    /// Nothing is known yet.
    pub(crate) fn new() -> LazyEvaluator {
        LazyEvaluator::default()
    }

    /// Starts to evaluate under a valuation.
    pub(crate) fn under<'a>(
        &'a mut self,
        terms: &'a Terms,
        valuation: &'a Valuation,
    ) -> Evaluation<'a> {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.rounds.clear();
            1
        });
        let n_terms = terms.len().max(self.rounds.len());
        self.rounds.resize(n_terms, 0);
        self.bits.resize(n_terms, 0);
        Evaluation { evaluator: self, terms, valuation }
    }
}

impl Evaluation<'_> {
    /// The value of a term.
    pub(crate) fn value(&mut self, term: TermId) -> Value {
        let mut stack = std::mem::take(&mut self.evaluator.stack);
        stack.push(term);
        while let Some(&top) = stack.last() {
            let n_before = stack.len();
            if self.known(top).is_none() {
                let children = self.terms.node(top).children();
                stack.extend(children.iter().filter(|&&child| self.known(child).is_none()));
            }
            if stack.len() == n_before {
                if self.known(top).is_none() {
                    self.evaluator.bits[top.index()] = self.compute(top).bits();
                    self.evaluator.rounds[top.index()] = self.evaluator.round;
                }
                stack.pop();
            }
        }
        self.evaluator.stack = stack;
        self.known(term).expect("computed above")
    }

    /// Whether a literal holds.
    pub(crate) fn holds(&mut self, literal: Literal) -> bool {
        self.value(literal.term) == Value::Bool(literal.expected)
    }

    /// The positions of the first literals that do not hold, at most `n_max`.
    pub(crate) fn violated(&mut self, literals: &[Literal], n_max: usize) -> Vec<usize> {
        let positions = (0..literals.len()).filter(|&i| !self.holds(literals[i]));
        positions.take(n_max).collect()
    }

    /// Whether all literals hold.
    pub(crate) fn all_hold(&mut self, literals: &[Literal]) -> bool {
        literals.iter().all(|&literal| self.holds(literal))
    }

    fn known(&self, term: TermId) -> Option<Value> {
        let is_known = self.evaluator.rounds[term.index()] == self.evaluator.round;
        let value = || Value::from_bits(self.terms.sort(term), self.evaluator.bits[term.index()]);
        is_known.then(value)
    }

    /// A term whose children are known.
    fn compute(&self, term: TermId) -> Value {
        let of = |child: &TermId| self.known(*child).expect("children are computed first");
        match self.terms.node(term) {
            Node::Const(value) => value,
            Node::Var(var) => {
                self.valuation.get(var).unwrap_or_else(|| Value::zero(self.terms.sort(term)))
            }
            Node::App { op, indices, args } => {
                let mut values = [Value::Bool(false); 3];
                for (value, arg) in values.iter_mut().zip(args) {
                    *value = of(arg);
                }
                eval(op, indices, &values[..args.len()])
            }
            Node::Call { function, args } => {
                let values: Vec<Value> = args.iter().map(of).collect();
                self.terms.function(function).call(&values)
            }
            Node::Lookup { table, index } => {
                let (sort, entries) = self.terms.table_entries(table);
                let position = usize::try_from(of(index).bits()).ok();
                let entry = position.and_then(|position| entries.get(position));
                entry.map_or(Value::zero(sort), |&bits| Value::from_bits(sort, bits))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Op, Sort};

    #[test]
    fn agrees_with_the_tape_and_forgets_old_valuations() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(8)), terms.var("y", Sort::F64));
        let table = terms.table(&[Value::bv(8, 7), Value::bv(8, 9)]);
        let entry = terms.lookup(table, x);
        let sine = terms.function_named("sin").unwrap();
        let call = terms.call(sine, &[y]);
        let sum = terms.app(Op::BvAdd, &[entry, x]);
        let mut evaluator = LazyEvaluator::new();
        let (xv, yv) = (terms.find_var("x").unwrap(), terms.find_var("y").unwrap());
        for (bits, double) in [(0, 0.5), (1, -2.0), (2, f64::NAN), (200, 0.0)] {
            let valuation =
                Valuation::from_iter([(xv, Value::bv(8, bits)), (yv, Value::f64(double))]);
            let mut evaluation = evaluator.under(&terms, &valuation);
            for term in [sum, call, entry] {
                assert_eq!(evaluation.value(term), terms.evaluate(term, &valuation));
            }
        }
        let empty = Valuation::new();
        assert_eq!(evaluator.under(&terms, &empty).value(sum), Value::bv(8, 7));
    }

    #[test]
    fn depth_is_no_problem_and_the_first_violated_come_in_order() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let square = terms.app(Op::BvMul, &[x, x]);
        let mut deep = x;
        let mut literals = Vec::new();
        for i in 0..50_000 {
            let mixed = terms.app(Op::BvXor, &[deep, square]);
            deep = terms.app(Op::BvAdd, &[mixed, x]);
            let k = terms.bv(32, 0);
            let is_zero = terms.eq(deep, k);
            literals.push(Literal { term: is_zero, expected: i % 10_000 != 9_999 });
        }
        let valuation = Valuation::new();
        let mut evaluator = LazyEvaluator::new();
        let mut evaluation = evaluator.under(&terms, &valuation);
        assert_eq!(evaluation.violated(&literals, 3), [9_999, 19_999, 29_999]);
        assert!(!evaluation.all_hold(&literals));
        assert!(evaluation.all_hold(&literals[..9_999]));
    }
}
