//! What a solver is asked.

use std::collections::BTreeSet;
use symcrete_term::{Literal, Node, Seed, TermId, Terms, Valuation, VarId, reachable};

/// A conjunction of literals, and a valuation that may be near a model (often of a similar query).
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The arena of the literals' terms.
    pub terms: &'a Terms,
    /// All must hold.
    pub literals: &'a [Literal],
    /// Where a search may start.
    pub hint: &'a Valuation,
}

impl<'a> Query<'a> {
    /// Whether the evaluator accepts a valuation.
    pub fn accepts(&self, valuation: &Valuation) -> bool {
        self.terms.satisfies(self.literals, valuation)
    }

    /// The literals' terms.
    pub fn roots(&self) -> Vec<TermId> {
        self.literals.iter().map(|literal| literal.term).collect()
    }

    /// The variables that occur, by id.
    pub fn variables(&self) -> BTreeSet<VarId> {
        let of = |term| match self.terms.node(term) {
            Node::Var(var) => Some(var),
            Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => None,
        };
        reachable(self.terms, &self.roots()).into_iter().filter_map(of).collect()
    }

    /// A seed that depends on the query alone, so that a verdict does not depend on history.
    pub fn seed(&self, seed: Seed) -> Seed {
        let mut seed = seed;
        for literal in self.literals {
            let number = literal.term.index() as u64 * 2 + u64::from(literal.expected);
            seed = seed.derive_number(number);
        }
        seed
    }
}
