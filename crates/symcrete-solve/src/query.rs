//! The question to a solver.

use std::collections::BTreeSet;
use symcrete_term::{Literal, Node, Seed, TermId, Terms, Valuation, Value, VarId, reachable};

/// A conjunction of literals, and a valuation that may be near a model (often of a similar query).
///
/// By convention the *last* literal is the [target](Query::target): the branch that was flipped. The
/// hint is then the input whose path was flipped, and satisfies all literals before it. Solvers may be faster where
/// that is so; no verdict depends on it.
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

    /// The literal that the query is about: the last one. `None` if there are no literals.
    pub fn target(&self) -> Option<Literal> {
        self.literals.last().copied()
    }

    /// The literals before the target.
    pub fn prefix(&self) -> &'a [Literal] {
        self.literals.split_last().map_or(&[], |(_, prefix)| prefix)
    }

    /// A model of some variables, with the hint's values for all others. A variable of `variables` that is absent
    /// in the model is zero there, whatever the hint says.
    pub fn completed(
        &self,
        model: &Valuation,
        variables: impl IntoIterator<Item = VarId>,
    ) -> Valuation {
        let mut whole = self.hint.clone();
        for var in variables {
            let zero = || Value::zero(self.terms.var_sort(var));
            whole.set(var, model.get(var).unwrap_or_else(zero));
        }
        whole
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

    /// The bits of all variables together.
    pub(crate) fn input_bits(&self) -> u32 {
        let bits = self.variables().into_iter().map(|var| self.terms.var_sort(var).bits());
        bits.fold(0, u32::saturating_add)
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
