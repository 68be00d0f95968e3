//! Which side of a site is the source's *true*.
//!
//! The machine's operator is compared with the source's: `a < b` becomes `lt`, or `ge` with the sides exchanged. That
//! settles equality and conditions without an operator. An order can be turned round by exchanging the operands as
//! well; then a constant on either side tells, or else where the two sides of the branch lead.

use super::branches::{Scope, is_in};
use super::sites::{Comparison, Node, NodeId, Site, SiteKind, What};
use crate::program::{FileId, Position};
use crate::source::{Leaf, Relation};
use wasmparser::Operator;

/// Whether the machine's *taken* is the source's *false*.
pub(super) fn is_negated(scope: &Scope<'_, '_>, file: FileId, site: &Site, leaf: &Leaf) -> bool {
    let inside = |node: &Node| is_in(scope.position(node.offset), file, &leaf.places);
    let (root, is_turned, _) = scope.strip(site.condition, inside);
    let (is_opposite, is_sure) = compared(scope, root, leaf);
    let by_operator = is_turned ^ is_opposite ^ leaf.is_negated;
    if is_sure {
        return by_operator;
    }
    by_direction(scope, file, site, leaf).unwrap_or(by_operator)
}

/// Whether a comparison is the opposite of the source's, and whether that is beyond doubt.
fn compared(scope: &Scope<'_, '_>, root: NodeId, leaf: &Leaf) -> (bool, bool) {
    let Node { what, args, .. } = scope.node(root);
    let constant = |node: &NodeId| scope.node(*node).what.constant();
    let is_swapped = match (leaf.constant_is_left, &args[..]) {
        (Some(is_left), [left, right]) if constant(left).is_some() != constant(right).is_some() => {
            Some(is_left != constant(left).is_some())
        }
        _ => None,
    };
    let order = |is_less: bool, relation_is_less: bool| {
        (is_less != relation_is_less) ^ is_swapped.unwrap_or(false)
    };
    let What::Compare { how, .. } = what else {
        // A value that is nonzero, as `x != 0` and, without a sign, `x > 0` are compiled.
        return match leaf.relation {
            None | Some(Relation::Unequal) => (false, true),
            Some(Relation::Equal) => (true, true),
            Some(Relation::Greater) => (leaf.constant_is_left == Some(true), false),
            Some(Relation::Less) => (leaf.constant_is_left != Some(true), false),
        };
    };
    let is_less = matches!(how, Comparison::Less | Comparison::LessEqual);
    match (leaf.relation, how) {
        (Some(Relation::Equal), Comparison::Equal) => (false, true),
        (Some(Relation::Equal), Comparison::Unequal) => (true, true),
        (None | Some(Relation::Unequal), Comparison::Unequal) => (false, true),
        (None | Some(Relation::Unequal), Comparison::Equal) => (true, true),
        (Some(Relation::Less), Comparison::Unequal) => (leaf.constant_is_left != Some(true), false),
        (Some(Relation::Greater), Comparison::Unequal) => {
            (leaf.constant_is_left == Some(true), false)
        }
        (Some(Relation::Less), Comparison::Equal) => (leaf.constant_is_left == Some(true), false),
        (Some(Relation::Greater), Comparison::Equal) => {
            (leaf.constant_is_left != Some(true), false)
        }
        (Some(Relation::Less), _) => (order(is_less, true), is_swapped.is_some()),
        (Some(Relation::Greater), _) => (order(is_less, false), is_swapped.is_some()),
        (None | Some(Relation::Equal | Relation::Unequal), _) => (false, false),
    }
}

/// How well a comparison goes with the source's: both ask for equality, or both for an order.
pub(super) fn agreement(scope: &Scope<'_, '_>, site: &Site, leaf: &Leaf) -> i32 {
    let (root, _, _) = scope.strip(site.condition, |_| false);
    let What::Compare { how, .. } = scope.node(root).what else { return 0 };
    let is_order = !matches!(how, Comparison::Equal | Comparison::Unequal);
    let wants_order = matches!(leaf.relation, Some(Relation::Less | Relation::Greater));
    if is_order == wants_order { 1 } else { -1 }
}

/// What the places say at which the two sides of a branch go on.
fn by_direction(scope: &Scope<'_, '_>, file: FileId, site: &Site, leaf: &Leaf) -> Option<bool> {
    let SiteKind::Branch { taken, otherwise } = site.kind else { return None };
    let leads = |start: usize| {
        let first = first_place(scope, start);
        let is_true = leaf.if_true.as_ref().is_some_and(|places| is_in(first, file, places));
        let is_false = leaf.if_false.as_ref().is_some_and(|places| is_in(first, file, places));
        (is_true != is_false).then_some(is_true)
    };
    match (leads(taken), leads(otherwise)) {
        (Some(taken), Some(otherwise)) if taken == otherwise => None,
        (Some(taken), _) => Some(!taken),
        (None, Some(otherwise)) => Some(otherwise),
        (None, None) => None,
    }
}

/// The first place at which the run goes on from an operator. Copies of values do not count: they stand where the
/// compiler likes.
pub(super) fn first_place(scope: &Scope<'_, '_>, start: usize) -> Option<Position> {
    let mut i = start;
    for _ in 0..64 {
        let (operator, offset) = scope.function.operators.get(i)?;
        #[expect(clippy::wildcard_enum_match_arm, reason = "all else computes")]
        match operator {
            Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::End
            | Operator::Else
            | Operator::Br { .. }
            | Operator::LocalGet { .. }
            | Operator::LocalSet { .. }
            | Operator::LocalTee { .. }
            | Operator::I32Const { .. }
            | Operator::I64Const { .. }
            | Operator::F32Const { .. }
            | Operator::F64Const { .. } => {}
            _ => {
                if let Some(position) = scope.position(*offset) {
                    return Some(position);
                }
            }
        }
        i = scope.function.next(i);
    }
    None
}
