//! Which labels of a `switch` a site decides: an entry of a `br_table`, or one of the comparisons that the compiler
//! makes of a small or sparse `switch`.

use super::branches::{Placed, Scope, place_of};
use super::polarity::first_place;
use super::sites::{Comparison, Node, NodeId, Site, SiteKind, What};
use crate::program::{Branch, BranchKind, Position};
use crate::site::SiteId;
use crate::source::{Label, Source, Switch};

/// A `switch` and the values of its labels; `None` is `default`.
struct Labels<'s> {
    source: &'s Source,
    switch: &'s Switch,
    values: Vec<Option<(i64, i64)>>,
}

/// Branches of a site that belongs to a `switch`; `None` if it does not.
pub(super) fn of(
    scope: &Scope<'_, '_>,
    source: &Source,
    site: &Site,
    position: Option<Position>,
) -> Option<Placed> {
    if matches!(site.kind, SiteKind::Select { .. }) {
        return None;
    }
    if let Some(position) = position {
        let place = place_of(position);
        let switch = source.switches.iter().find(|switch| switch.keyword == place)?;
        return Some(Labels::of(scope, source, switch).placed(scope, site, position));
    }
    // The compiler forgets the place of some of its comparisons: then their values must tell.
    let body = source.body_at(scope.fallback.line)?;
    let switches = source.switches.iter().filter(|switch| body.contains(&switch.subject.start));
    switches.into_iter().find_map(|switch| {
        let (line, column) = switch.keyword;
        let position = Position { line, column, ..scope.fallback };
        let placed = Labels::of(scope, source, switch).placed(scope, site, position);
        // What asks for none of its values is the compiler's own, such as where to go on after a cleanup.
        let asks = |branch: &Branch| branch.kind == BranchKind::Case && branch.text != "default";
        placed.values().any(asks).then_some(placed)
    })
}

/// Values that a comparison asks for.
enum Wanted {
    Value(i64),
    Range { low: i64, length: u64 },
    Bits { low: i64, mask: u64 },
}

impl Wanted {
    fn contains(&self, value: i64) -> bool {
        match *self {
            Wanted::Value(wanted) => value == wanted,
            Wanted::Range { low, length } => (value.wrapping_sub(low) as u64) < length,
            Wanted::Bits { low, mask } => {
                let bit = value.wrapping_sub(low) as u64;
                bit < 64 && mask >> bit & 1 == 1
            }
        }
    }
}

impl Scope<'_, '_> {
    /// A value as another one plus a constant, as far as the operators before it say.
    fn offset_value(&self, node: NodeId) -> (NodeId, i64) {
        let Node { what, args, .. } = self.node(node);
        let constant = |node: NodeId| self.node(node).what.constant();
        match (what, &args[..]) {
            (What::Add, &[value, addend]) => match constant(addend) {
                Some(addend) => (value, addend),
                None => (node, 0),
            },
            (What::Subtract, &[value, subtrahend]) => match constant(subtrahend) {
                Some(subtrahend) => (value, subtrahend.wrapping_neg()),
                None => (node, 0),
            },
            (What::Wrap, &[value]) => self.offset_value(value),
            (What::Local, &[value])
                if matches!(self.node(value).what, What::Add | What::Subtract | What::Wrap) =>
            {
                self.offset_value(value)
            }
            _ => (node, 0),
        }
    }

    /// The values that a condition of a `switch` asks for, and whether it holds for all others instead. A comparison
    /// that only halves the search asks for none.
    fn tested(&self, condition: NodeId) -> Option<(Wanted, bool)> {
        let (root, is_turned, _) = self.strip(condition, |_| false);
        let Node { what, args, .. } = self.node(root);
        if let (What::And, &[left, right]) = (what, &args[..]) {
            return self.bit_test(left, right).map(|wanted| (wanted, is_turned));
        }
        let What::Compare { how, is_unsigned } = what else {
            let (_, addend) = self.offset_value(root);
            return Some((Wanted::Value(addend.wrapping_neg()), !is_turned));
        };
        let &[value, constant] = &args[..] else { return None };
        let What::Constant(constant) = self.node(constant).what else { return None };
        let (_, addend) = self.offset_value(value);
        let low = addend.wrapping_neg();
        let range = |length: i64| is_unsigned.then(|| Wanted::Range { low, length: length as u64 });
        let (wanted, is_opposite) = match how {
            Comparison::Equal => (Some(Wanted::Value(constant.wrapping_add(low))), false),
            Comparison::Unequal => (Some(Wanted::Value(constant.wrapping_add(low))), true),
            Comparison::Less => (range(constant), false),
            Comparison::LessEqual => (range(constant.wrapping_add(1)), false),
            Comparison::Greater => (range(constant.wrapping_add(1)), true),
            Comparison::GreaterEqual => (range(constant), true),
        };
        Some((wanted?, is_turned ^ is_opposite))
    }

    /// `1 << x & mask`
    fn bit_test(&self, left: NodeId, right: NodeId) -> Option<Wanted> {
        for (shift, mask) in [(left, right), (right, left)] {
            // Several tests of one shift keep it in a local variable.
            let shift = match (self.node(shift).what, &self.node(shift).args[..]) {
                (What::Local, &[value]) => value,
                _ => shift,
            };
            let Node { what, args, .. } = self.node(shift);
            if let (What::ShiftLeft, &[one, by], What::Constant(mask)) =
                (what, &args[..], self.node(mask).what)
                && self.node(one).what == What::Constant(1)
            {
                let (_, addend) = self.offset_value(by);
                return Some(Wanted::Bits { low: addend.wrapping_neg(), mask: mask as u64 });
            }
        }
        None
    }
}

impl<'s> Labels<'s> {
    fn of(scope: &Scope<'_, '_>, source: &'s Source, switch: &'s Switch) -> Labels<'s> {
        let constants = scope.placing.constants;
        let value = |label: &Label| {
            let (low, high) = label.values.as_ref()?;
            Some((source.value(low, constants)?, source.value(high, constants)?))
        };
        Labels { source, switch, values: switch.labels.iter().map(value).collect() }
    }

    fn placed(&self, scope: &Scope<'_, '_>, site: &Site, position: Position) -> Placed {
        match &site.kind {
            SiteKind::Table { targets, default } => {
                let (_, addend) = scope.offset_value(site.condition);
                let cases = targets.iter().enumerate().map(|(case, (target, indices))| {
                    let is_default = case == *default;
                    let found = self.of_target(scope, *target, indices, addend, is_default);
                    let id = SiteId { offset: site.offset, case: case as u16 };
                    (id, self.branch(position, &found, false))
                });
                cases.collect()
            }
            SiteKind::Branch { taken, otherwise } => {
                let tested = scope.tested(site.condition);
                let branch = tested.and_then(|(wanted, is_negated)| {
                    let target = if is_negated { *otherwise } else { *taken };
                    let found = self.of_test(scope, target, &wanted);
                    (!found.is_empty()).then(|| self.branch(position, &found, is_negated))
                });
                let hidden = || Branch {
                    unit: 0,
                    position,
                    end: position,
                    text: scope.operator_text(site),
                    kind: BranchKind::Hidden,
                    is_negated: false,
                };
                [(SiteId::at(site.offset), branch.unwrap_or_else(hidden))].into()
            }
            SiteKind::Select { .. } => Placed::new(),
        }
    }

    /// The labels of an entry of a `br_table`.
    fn of_target(
        &self,
        scope: &Scope<'_, '_>,
        target: usize,
        indices: &[u32],
        addend: i64,
        is_default: bool,
    ) -> Vec<usize> {
        let mut found = self.with(|value| indices.contains(&(value.wrapping_add(addend) as u32)));
        if is_default {
            // The compiler may send the impossible where some case goes: that makes it no default.
            let default = self.default();
            let shares = |default: &usize| found.iter().all(|&label| self.is_run(label, *default));
            found.extend(default.filter(shares));
        } else if found.is_empty() {
            found.extend(self.before(scope, target));
        }
        found
    }

    /// The labels of a comparison; none if it only narrows the search.
    fn of_test(&self, scope: &Scope<'_, '_>, target: usize, wanted: &Wanted) -> Vec<usize> {
        let found = self.with(|value| wanted.contains(value));
        match wanted {
            Wanted::Value(_) if found.is_empty() => {
                self.before(scope, target).into_iter().collect()
            }
            Wanted::Range { .. } if found.iter().any(|&label| !self.is_run(found[0], label)) => {
                Vec::new()
            }
            Wanted::Value(_) | Wanted::Range { .. } | Wanted::Bits { .. } => found,
        }
    }

    /// Whether nothing stands between two labels but labels.
    fn is_run(&self, one: usize, other: usize) -> bool {
        let (first, last) = (one.min(other), one.max(other));
        let labels = &self.switch.labels[first..=last];
        labels.windows(2).all(|pair| pair[0].tokens.end + 1 == pair[1].tokens.start)
    }

    /// Labels with a value that is wanted.
    fn with(&self, wanted: impl Fn(i64) -> bool) -> Vec<usize> {
        let holds = |&(_, value): &(usize, &Option<(i64, i64)>)| {
            value.is_some_and(|(low, high)| wanted(low) || wanted(high))
        };
        self.values.iter().enumerate().filter(holds).map(|(i, _)| i).collect()
    }

    fn default(&self) -> Option<usize> {
        self.switch.labels.iter().position(|label| label.values.is_none())
    }

    /// The last label before the place at which a target goes on.
    fn before(&self, scope: &Scope<'_, '_>, target: usize) -> Option<usize> {
        let place = place_of(first_place(scope, target)?);
        let is_before = |label: &Label| {
            self.source.extent(&label.tokens).is_some_and(|places| places.start <= place)
        };
        self.switch.labels.iter().rposition(is_before)
    }

    fn branch(&self, at: Position, labels: &[usize], is_negated: bool) -> Branch {
        let mut texts = Vec::new();
        let mut places = None;
        for &label in labels {
            let tokens = &self.switch.labels[label].tokens;
            texts.push(self.source.text_of(tokens));
            places = places.or_else(|| self.source.extent(tokens));
        }
        // A `switch` without `default` has one all the same; it stands for the whole expression.
        if texts.is_empty() {
            texts.push("default".into());
        }
        let places = places.or_else(|| self.source.extent(&self.switch.subject));
        let places = places.unwrap_or(place_of(at)..place_of(at));
        let position = |(line, column)| Position { line, column, ..at };
        Branch {
            unit: 0,
            position: position(places.start),
            end: position(places.end),
            text: texts.join(", "),
            kind: BranchKind::Case,
            is_negated,
        }
    }
}
