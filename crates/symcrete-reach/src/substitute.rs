//! Terms for variables: what going back over an assignment does to a state.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::lower::bits_of;
use symcrete_term::{Literal, Node, Op, TermId, Terms, Value, VarId, reachable};

/// What some variables stand for; all are replaced at once.
pub(crate) type Substitution = BTreeMap<VarId, TermId>;

/// The roots with their variables replaced, in order.
pub(crate) fn substituted(terms: &mut Terms, roots: &[TermId], by: &Substitution) -> Vec<TermId> {
    if by.is_empty() {
        return roots.to_vec();
    }
    let mut new: BTreeMap<TermId, TermId> = BTreeMap::new();
    for term in reachable(terms, roots) {
        let replaced = replaced(terms, term, by, &new);
        if replaced != term {
            new.insert(term, replaced);
        }
    }
    roots.iter().map(|root| new.get(root).copied().unwrap_or(*root)).collect()
}

fn replaced(
    terms: &mut Terms,
    term: TermId,
    by: &Substitution,
    new: &BTreeMap<TermId, TermId>,
) -> TermId {
    let node = terms.node(term);
    if let Node::Var(var) = node {
        return by.get(&var).copied().unwrap_or(term);
    }
    let children = node.children();
    if children.iter().all(|child| !new.contains_key(child)) {
        return term;
    }
    let args: Vec<TermId> =
        children.iter().map(|child| new.get(child).copied().unwrap_or(*child)).collect();
    match node {
        Node::App { op: Op::FpBits, .. } => bits(terms, args[0]),
        // The machine makes a NaN canonical on the way there and back, which a rewrite would forget.
        Node::App { op: Op::FpOfFp, indices, .. } => {
            terms.app_unsimplified(Op::FpOfFp, indices, &args)
        }
        Node::App { op, indices, .. } => terms.app_indexed(op, indices, &args),
        Node::Call { function, .. } => terms.call(function, &args),
        Node::Lookup { table, .. } => terms.lookup(table, args[0]),
        Node::Const(_) | Node::Var(_) => term,
    }
}

/// The bits of a float. Those of a NaN are not folded, so that whoever looks at them is noticed.
pub(crate) fn bits(terms: &mut Terms, float: TermId) -> TermId {
    let is_nan = match terms.as_const(float) {
        Some(Value::F32(bits)) => f32::from_bits(bits).is_nan(),
        Some(Value::F64(bits)) => f64::from_bits(bits).is_nan(),
        Some(Value::Bool(_) | Value::Bv { .. }) | None => false,
    };
    match is_nan {
        true => terms.app_unsimplified(Op::FpBits, [0, 0], &[float]),
        false => bits_of(terms, float),
    }
}

/// The variables below some terms.
pub(crate) fn variables(terms: &Terms, roots: &[TermId]) -> BTreeSet<VarId> {
    let of = |term| match terms.node(term) {
        Node::Var(var) => Some(var),
        Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => None,
    };
    reachable(terms, roots).into_iter().filter_map(of).collect()
}

/// Whether a literal goes through a call that only can be executed.
pub(crate) fn has_call(terms: &Terms, literal: Literal) -> bool {
    reachable(terms, &[literal.term])
        .into_iter()
        .any(|term| matches!(terms.node(term), Node::Call { .. }))
}

/// Whether literals look at the bits of a float that may be a NaN: a machine has many, terms have one.
pub(crate) fn sees_nan_bits(terms: &Terms, literals: &[Literal]) -> bool {
    let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
    reachable(terms, &roots)
        .into_iter()
        .any(|term| matches!(terms.node(term), Node::App { op: Op::FpBits, .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Sort;

    #[test]
    fn variables_are_replaced_at_once() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(32)), terms.var("y", Sort::Bv(32)));
        let difference = terms.app(Op::BvSub, &[x, y]);
        let id = |terms: &Terms, name: &str| terms.find_var(name).unwrap();
        let swap = Substitution::from([(id(&terms, "x"), y), (id(&terms, "y"), x)]);
        let swapped = substituted(&mut terms, &[difference], &swap);
        assert_eq!(swapped, [terms.app(Op::BvSub, &[y, x])]);
    }

    #[test]
    fn whoever_looks_at_the_bits_of_a_nan_is_noticed() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::F64);
        let of_x = bits(&mut terms, x);
        let zero = terms.bv(64, 0);
        let is_zero = terms.eq(of_x, zero);
        for (value, is_seen) in [(f64::NAN, true), (1.5, false)] {
            let value = terms.constant(Value::F64(value.to_bits()));
            let by = Substitution::from([(terms.find_var("x").unwrap(), value)]);
            let term = substituted(&mut terms, &[is_zero], &by)[0];
            assert_eq!(sees_nan_bits(&terms, &[Literal::holds(term)]), is_seen);
        }
    }

    #[test]
    fn constants_fold_on_the_way() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let two = terms.bv(32, 2);
        let sum = terms.app(Op::BvAdd, &[x, two]);
        let by = Substitution::from([(terms.find_var("x").unwrap(), two)]);
        assert_eq!(substituted(&mut terms, &[sum], &by), [terms.bv(32, 4)]);
    }
}
