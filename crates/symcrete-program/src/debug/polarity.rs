//! Which side of a site is the source's *true*.
//!
//! The machine's operator is compared with the source's: `a < b` becomes `lt`, or `ge` with the sides exchanged. That
//! settles equality and conditions without an operator. An order can be turned round by exchanging the operands as
//! well; then a constant on either side tells, or else where the two sides of the branch lead. That also tells what
//! a variable is worth that the compiler may have replaced by what it was computed from.

use super::branches::{Scope, is_in, place_of};
use super::sites::{Comparison, Node, NodeId, Site, SiteKind, What};
use crate::program::{FileId, Position};
use crate::source::{Leaf, Place, Relation, Source};
use std::ops::Range;
use wasmparser::Operator;

/// Whether the machine's *taken* is the source's *false*.
pub(super) fn is_negated(
    scope: &Scope<'_, '_>,
    source: &Source,
    file: FileId,
    site: &Site,
    leaf: &Leaf,
) -> bool {
    let inside = |node: &Node| is_in(scope.position(node.offset), file, &leaf.places);
    let (root, is_turned, _) = scope.strip(site.condition, inside);
    let value = |tokens: &Range<usize>| source.value(tokens, scope.placing.constants);
    let constant = leaf.constant.as_ref().and_then(value);
    let (is_opposite, is_sure) = compared(scope, root, leaf, constant);
    let by_operator = is_turned ^ is_opposite ^ leaf.is_negated;
    // A variable may have been replaced by what it was computed from, somewhere else and perhaps the other way round.
    if is_sure && inside(scope.node(root)) {
        return by_operator;
    }
    by_direction(scope, file, site, leaf)
        .or_else(|| by_arms(scope, source, site, leaf))
        .or_else(|| Some(by_origin(scope, source, root, leaf)? ^ is_turned ^ leaf.is_negated))
        .unwrap_or(by_operator)
}

/// Whether a comparison is the opposite of the source's, and whether that is beyond doubt.
fn compared(
    scope: &Scope<'_, '_>,
    root: NodeId,
    leaf: &Leaf,
    source_constant: Option<i64>,
) -> (bool, bool) {
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
        // A value that is nonzero, as `x != 0` and, without a sign, `x > 0` are compiled; also `x == 1` where `x` is
        // known to be 0 or 1.
        let is_own = *what != What::Local;
        let is_one = source_constant == Some(1);
        return match leaf.relation {
            None => (false, is_own),
            Some(Relation::Unequal) => (is_one, is_own && !is_one),
            Some(Relation::Equal) => (!is_one, is_own && !is_one),
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

/// For a variable that stands for a comparison elsewhere: whether the machine's is the opposite of that one.
fn by_origin(scope: &Scope<'_, '_>, source: &Source, root: NodeId, leaf: &Leaf) -> Option<bool> {
    let mut origin = scope.node(root);
    while let (What::Local, &[of]) = (&origin.what, &origin.args[..]) {
        origin = scope.node(of);
    }
    let What::Compare { how, .. } = origin.what else { return None };
    let written = source.relation_at(place_of(scope.position(origin.offset)?))?;
    let is_same = match (written, how) {
        (Relation::Equal, Comparison::Equal) | (Relation::Unequal, Comparison::Unequal) => true,
        (Relation::Equal, Comparison::Unequal) | (Relation::Unequal, Comparison::Equal) => false,
        _ => return None,
    };
    leaf.relation.is_none().then_some(!is_same)
}

/// What the values say that a `?:` chooses from, if they are constants.
fn by_arms(scope: &Scope<'_, '_>, source: &Source, site: &Site, leaf: &Leaf) -> Option<bool> {
    let SiteKind::Select { first, second } = site.kind else { return None };
    let machine = |node: NodeId| scope.node(node).what.constant();
    let text = |places: &Option<Range<Place>>| {
        source.value(&source.tokens_in(places.as_ref()?), scope.placing.constants)
    };
    let chosen = (machine(first)?, machine(second)?);
    let written = (text(&leaf.if_true)?, text(&leaf.if_false)?);
    let is_straight = chosen == written;
    (is_straight != (chosen == (written.1, written.0))).then_some(!is_straight)
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
