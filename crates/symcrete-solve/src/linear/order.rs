//! Proofs that comparisons without arithmetic contradict each other.
//!
//! Literals that compare variables and constants directly are orders `a < b` or `a ≤ b`; constants
//! are ordered among themselves. A cycle with a strict order has no model. This is exact on machine
//! numbers: no term of the cycle can wrap or round, and a comparison that holds has no NaN in it.

use crate::Query;
use crate::error::{Comparison, Metric, Reading, Test};
use std::collections::BTreeMap;
use symcrete_term::{Literal, Node, Op, TermId, Terms, Value};

/// More orders than this are not looked at: the check is quadratic.
const ORDERS_MAX: usize = 2_000;

/// Whether the order of variables and constants alone proves that a query has no model.
pub fn contradicts(query: &Query<'_>) -> bool {
    // A literal that was folded to the wrong constant needs no order.
    let folded = |l: &Literal| query.terms.as_const(l.term) == Some(Value::Bool(!l.expected));
    if query.literals.iter().any(folded) {
        return true;
    }
    let mut by_reading: BTreeMap<Reading, Vec<Order>> = BTreeMap::new();
    for &literal in query.literals {
        if let Some((reading, orders)) = orders(query.terms, literal) {
            by_reading.entry(reading).or_default().extend(orders);
        }
    }
    by_reading.into_iter().any(|(reading, mut orders)| {
        orders.extend(constant_orders(query.terms, reading, &orders));
        orders.len() <= ORDERS_MAX && has_strict_cycle(&orders)
    })
}

/// `less` is below `greater`, or may be equal if not strict.
#[derive(Clone, Copy)]
struct Order {
    less: TermId,
    greater: TermId,
    strict: bool,
}

fn orders(terms: &Terms, literal: Literal) -> Option<(Reading, Vec<Order>)> {
    let Literal { mut term, mut expected } = literal;
    while let Node::App { op: Op::Not, args, .. } = terms.node(term) {
        (term, expected) = (args[0], !expected);
    }
    let Node::App { op, args, .. } = terms.node(term) else { return None };
    let Comparison { test, reading } = Comparison::of(op, terms.sort(args[args.len() - 1]))?;
    let (left, right) = (args[0], args[1]);
    let is_plain = |term| matches!(terms.node(term), Node::Var(_) | Node::Const(_));
    if !is_plain(left) || !is_plain(right) {
        return None;
    }
    let order = |less, greater, strict| Order { less, greater, strict };
    let total = matches!(reading, Reading::Signed(_) | Reading::Unsigned);
    let orders = match (test, expected) {
        (Test::Equal, true) => vec![order(left, right, false), order(right, left, false)],
        (Test::Less, true) => vec![order(left, right, true)],
        (Test::AtMost, true) => vec![order(left, right, false)],
        // With floats the opposite of an order may also be a NaN.
        (Test::Less, false) if total => vec![order(right, left, false)],
        (Test::AtMost, false) if total => vec![order(right, left, true)],
        (Test::Equal | Test::Less | Test::AtMost, false) => return None,
    };
    (!matches!(reading, Reading::Identity(_))).then_some((reading, orders))
}

/// The order of the constants that occur, as a chain.
fn constant_orders(terms: &Terms, reading: Reading, orders: &[Order]) -> Vec<Order> {
    let ends = orders.iter().flat_map(|order| [order.less, order.greater]);
    let mut constants: Vec<(TermId, u64)> =
        ends.filter_map(|term| Some((term, terms.as_const(term)?.bits()))).collect();
    let less = Comparison { test: Test::Less, reading };
    let below = |a: u64, b: u64| less.errors(Metric::Absolute, a, b).holds == 0.0;
    let is_nan = |bits: u64| {
        let same = Comparison { test: Test::Equal, reading };
        same.errors(Metric::Absolute, bits, bits).holds != 0.0
    };
    constants.retain(|&(_, bits)| !is_nan(bits));
    constants.sort_by(|&(_, a), &(_, b)| below(b, a).cmp(&below(a, b)));
    constants
        .windows(2)
        .map(|pair| Order {
            less: pair[0].0,
            greater: pair[1].0,
            strict: below(pair[0].1, pair[1].1),
        })
        .collect()
}

/// Whether some cycle has a strict order: then paths grow longer for ever, otherwise they have reached
/// their full length after as many rounds as there are vertices.
fn has_strict_cycle(orders: &[Order]) -> bool {
    let mut depth: BTreeMap<TermId, usize> = BTreeMap::new();
    for order in orders {
        depth.extend([(order.less, 0), (order.greater, 0)]);
    }
    let n_vertices = depth.len();
    for _ in 0..=n_vertices {
        let mut changed = false;
        for order in orders {
            let reached = depth[&order.less] + usize::from(order.strict);
            if reached > depth[&order.greater] {
                depth.insert(order.greater, reached);
                changed = true;
            }
        }
        if !changed {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Sort, Valuation};

    fn contradict(terms: &Terms, literals: &[Literal]) -> bool {
        contradicts(&Query { terms, literals, hint: &Valuation::new() })
    }

    #[test]
    fn cycles_and_bounds_contradict_only_if_strict() {
        let mut terms = Terms::new();
        let x: Vec<TermId> = (0..4).map(|i| terms.var(&format!("x{i}"), Sort::F64)).collect();
        let one = terms.constant(Value::f64(1.0));
        let mut holds = |op, a, b| Literal::holds(terms.app(op, &[a, b]));
        let chain = [holds(Op::FpLt, x[0], x[1]), holds(Op::FpLe, x[1], x[2])];
        let (back, weak) = (holds(Op::FpLe, x[2], x[0]), holds(Op::FpLe, x[2], x[1]));
        let (above, below) = (holds(Op::FpLt, one, x[3]), holds(Op::FpLt, x[3], one));
        let at_most = holds(Op::FpLe, x[3], one);
        assert!(contradict(&terms, &[chain[0], chain[1], back]));
        assert!(!contradict(&terms, &[chain[0], chain[1], weak]));
        assert!(contradict(&terms, &[above, below]));
        assert!(contradict(&terms, &[above, at_most]));
        assert!(!contradict(&terms, &[above.negated(), at_most]), "a NaN is neither");
        assert!(!contradict(&terms, &[above.negated(), below.negated()]), "a NaN is neither");
    }

    #[test]
    fn constants_are_ordered_as_they_are_read() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(8));
        let (minus_one, two, ten) = (terms.bv(8, 255), terms.bv(8, 2), terms.bv(8, 10));
        let mut holds = |op, a, b| Literal::holds(terms.app(op, &[a, b]));
        let signed = [holds(Op::BvSlt, ten, x), holds(Op::BvSlt, x, two)];
        let unsigned = [holds(Op::BvUlt, two, x), holds(Op::BvUlt, x, minus_one)];
        let wrong = [holds(Op::BvSlt, two, x), holds(Op::BvSlt, x, minus_one)];
        assert!(contradict(&terms, &signed));
        assert!(!contradict(&terms, &unsigned));
        assert!(contradict(&terms, &wrong));
        assert!(!contradict(&terms, &[]));
    }
}
