//! Which constraints, and which variables, are left to the search.

use crate::Query;
use crate::error::Comparison;
use crate::linear::form::linear_terms;
use std::collections::BTreeSet;
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, VarId, reachable};

/// What counts as bad: outside the symbolic solver's theory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Policy {
    /// All that is not linear: the paper's, whose solver knew linear arithmetic.
    Linear,
    /// Opaque calls only: an SMT solver expresses all else.
    Supported,
    /// Opaque calls, floats, and products and quotients of 64 bits: what it expresses but is slow on.
    SupportedIntegers,
}

/// The two parts of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// For the symbolic solver.
    pub good: Vec<Literal>,
    /// For the search.
    pub bad: Vec<Literal>,
    /// The variables below what makes a literal bad.
    pub bad_variables: BTreeSet<VarId>,
}

impl Policy {
    /// Splits a query.
    pub fn split(self, query: &Query<'_>) -> Split {
        let bad_terms = self.bad_terms(query.terms, &query.roots());
        let is_bad = |literal: &Literal| {
            let below = reachable(query.terms, &[literal.term]);
            below.iter().any(|term| bad_terms.contains(term))
        };
        let (bad, good) = query.literals.iter().partition(|literal| is_bad(literal));
        let roots: Vec<TermId> = bad_terms.into_iter().collect();
        let variable = |term| match query.terms.node(term) {
            Node::Var(var) => Some(var),
            Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => None,
        };
        let below = reachable(query.terms, &roots).into_iter();
        Split { good, bad, bad_variables: below.filter_map(variable).collect() }
    }

    fn bad_terms(self, terms: &Terms, roots: &[TermId]) -> BTreeSet<TermId> {
        let all = reachable(terms, roots);
        match self {
            Policy::Linear => {
                let linear = linear_terms(terms, roots);
                all.into_iter().filter(|&term| leaves_linear(terms, term, &linear)).collect()
            }
            Policy::Supported => all.into_iter().filter(|&term| is_call(terms, term)).collect(),
            Policy::SupportedIntegers => {
                let bad = |&term: &TermId| {
                    is_call(terms, term) || is_float(terms, term) || is_wide_product(terms, term)
                };
                all.into_iter().filter(bad).collect()
            }
        }
    }
}

/// Whether a term is the first on the way up that is not linear: a product of variables, a bit
/// operation, a call. Connectives, comparisons and choices of linear terms are the solver's own.
fn leaves_linear(terms: &Terms, term: TermId, linear: &BTreeSet<TermId>) -> bool {
    match terms.node(term) {
        Node::Const(_) | Node::Var(_) => false,
        Node::Call { .. } | Node::Lookup { .. } => true,
        Node::App { op, args, .. } => {
            let sort = terms.sort(args[args.len() - 1]);
            let numbers = args.iter().filter(|&&arg| terms.sort(arg) != Sort::Bool);
            op != Op::Ite
                && sort != Sort::Bool
                && Comparison::of(op, sort).is_none()
                && !linear.contains(&term)
                && numbers.into_iter().all(|arg| linear.contains(arg))
        }
    }
}

fn is_call(terms: &Terms, term: TermId) -> bool {
    matches!(terms.node(term), Node::Call { .. })
}

fn is_float(terms: &Terms, term: TermId) -> bool {
    let children = terms.node(term).children();
    children.iter().any(|&child| terms.sort(child).is_float())
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other operators are cheap")]
fn is_wide_product(terms: &Terms, term: TermId) -> bool {
    let Node::App { op, args, .. } = terms.node(term) else { return false };
    match op {
        Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod => {
            terms.sort(args[0]).bits() == 64 && terms.as_const(args[1]).is_none()
        }
        _ => false,
    }
}
