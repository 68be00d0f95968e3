//! The limits of inputs, as literals that queries are asked with and without.
//!
//! A cell that is what it is only because inputs have limits (the zero after the longest string) is a variable in
//! terms. Inputs that are run keep to the limits, so every query says what those variables are. Where such a query
//! has no model, it is asked again without: only what has no model then is infeasible for every input.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::{Gap, Shape};
use symcrete_term::{Literal, Node, Sort, TermId, Terms, Valuation, Value};

/// Limits beyond this many share a bit.
const BITS: usize = 62;
/// The bit of terms that read a table: how large it is may follow from a bound.
const TABLE: u64 = 1 << 63;

/// One limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// What holds of inputs within it.
    pub(super) literal: Literal,
    /// What it is.
    pub(super) gap: Gap,
}

/// All limits of a unit's inputs, and which terms depend on them.
pub(super) struct Limits {
    all: Vec<Limit>,
    bits: BTreeMap<TermId, u64>,
    names: BTreeSet<String>,
    /// What each term depends on: a bit for each limit.
    masks: Vec<u64>,
}

impl Limits {
    /// The limits of a shape.
    pub(super) fn of(shape: &Shape, terms: &mut Terms) -> Limits {
        let mut limits = Limits {
            all: Vec::new(),
            bits: BTreeMap::new(),
            names: BTreeSet::new(),
            masks: Vec::new(),
        };
        for limit in &shape.limits {
            let sort = limit.kind.sort();
            let variable = terms.var(&limit.name, sort);
            let literal = if sort == Sort::Bool {
                Literal { term: variable, expected: false }
            } else {
                let zero = terms.constant(Value::zero(sort));
                Literal::holds(terms.eq(variable, zero))
            };
            limits.bits.insert(variable, 1 << limits.all.len().min(BITS));
            limits.names.insert(limit.name.clone());
            limits.all.push(Limit { literal, gap: limit.gap });
        }
        limits
    }

    /// Whether a variable of that name is a limit's: never part of an input.
    pub(super) fn is_limit(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The limits that literals depend on.
    pub(super) fn of_literals(&mut self, terms: &Terms, literals: &[Literal]) -> Vec<Limit> {
        let mask = self.mask(terms, literals);
        let is_met = |(i, _): &(usize, &Limit)| mask & 1 << (*i).min(BITS) != 0;
        self.all.iter().enumerate().filter(is_met).map(|(_, limit)| *limit).collect()
    }

    /// Whether literals read a table.
    pub(super) fn has_table(&mut self, terms: &Terms, literals: &[Literal]) -> bool {
        self.mask(terms, literals) & TABLE != 0
    }

    fn mask(&mut self, terms: &Terms, literals: &[Literal]) -> u64 {
        for i in self.masks.len()..terms.len() {
            let term = TermId::from_index(i);
            let node = terms.node(term);
            let own = match node {
                Node::Var(_) => self.bits.get(&term).copied().unwrap_or(0),
                Node::Lookup { .. } => TABLE,
                Node::Const(_) | Node::App { .. } | Node::Call { .. } => 0,
            };
            let below = node.children().iter().map(|child| self.masks[child.index()]);
            self.masks.push(below.fold(own, |all, mask| all | mask));
        }
        literals.iter().fold(0, |all, literal| all | self.masks[literal.term.index()])
    }
}

/// The limits that a model breaks.
pub(super) fn broken(terms: &Terms, limits: &[Limit], model: &Valuation) -> BTreeSet<Gap> {
    let holds = |limit: &&Limit| {
        terms.evaluate(limit.literal.term, model) == Value::Bool(limit.literal.expected)
    };
    limits.iter().filter(|limit| !holds(limit)).map(|limit| limit.gap).collect()
}
