//! What is found out before the fast copy of a loop runs (`versions.rs`, `guards.rs`).

use crate::instrument::numbers::Number;
use crate::instrument::passes::{Bound, Passes, Relation, Step, Widened};
use crate::instrument::versions::OpenLoop;
use std::collections::BTreeSet;
use symcrete_program::module::ValueType;

/// With fewer passes it does not pay to find anything out, and for each group of accesses with so many fewer.
const PASSES_MIN: i64 = 8;
const PASSES_PER_GROUP: i64 = 8;
/// Bytes between accesses that are looked at together, and between ranges.
pub(crate) const GAP: i64 = 32;
/// More groups of accesses are looked at as usual.
const GROUPS_MAX: usize = 8;

/// What a fast copy needs to know.
pub(crate) struct Plan {
    pub(crate) bound: Bound,
    pub(crate) widened: Vec<Widened>,
    pub(crate) groups: Vec<Group>,
    /// The accesses that are in groups.
    pub(crate) known: BTreeSet<usize>,
    /// Whether the first condition is the one that bounds the loop.
    pub(crate) is_first: bool,
}

/// Accesses that go up or down together.
pub(crate) struct Group {
    pub(crate) root: Number,
    pub(crate) ty: ValueType,
    pub(crate) step: Step,
    /// Where the bytes start and end, from the root.
    pub(crate) low: i64,
    pub(crate) high: i64,
    /// Whether they are touched in a pass that ends the loop too.
    pub(crate) is_in_last: bool,
}

impl Plan {
    /// With fewer passes it does not pay.
    pub(crate) fn least(&self) -> i64 {
        PASSES_MIN + PASSES_PER_GROUP * self.groups.len().max(1) as i64
    }

    /// Values that must be positive and not too great.
    pub(crate) fn factors(&self) -> BTreeSet<Number> {
        let groups = self.groups.iter().map(|group| group.step);
        let widened = self.widened.iter().map(|widened| widened.step);
        groups.chain(widened).chain([self.bound.step]).filter_map(|step| step.of).collect()
    }
}

impl Passes<'_> {
    /// What must be found out before a fast copy; `None` if none pays.
    pub(crate) fn plan(
        &self,
        open: &OpenLoop,
        bound: Bound,
        widened: Vec<Widened>,
    ) -> Option<Plan> {
        let needs_division = bound.relation == Relation::Unequal
            && (bound.step.of.is_some() || !bound.step.by.unsigned_abs().is_power_of_two());
        if needs_division {
            return None;
        }
        let is_first = open.is_first_condition(bound.condition);
        let mut plan =
            Plan { bound, widened, groups: Vec::new(), known: BTreeSet::new(), is_first };
        let mut found: Vec<(Number, Step, i64, usize, Vec<Widened>)> = Vec::new();
        for (i, looked) in open.accesses.iter().enumerate() {
            let mut widened = Vec::new();
            let (root, offset) = self.without_constant(looked.address);
            if let Some(step) = self.step(root, &mut widened)
                && self.can_be_made(root)
            {
                let offset = offset + looked.access.offset as i64;
                found.push((root, step, offset, i, widened));
            }
        }
        found.sort();
        for (root, step, low, i, widened) in found {
            let looked = &open.accesses[i];
            let high = low + i64::from(looked.access.bytes);
            let is_in_last = looked.conditions.get(&bound.condition.0) != Some(&bound.condition.1);
            let group = Group { root, ty: looked.ty, step, low, high, is_in_last };
            if plan.add(group) {
                plan.known.insert(i);
                plan.widened.extend(widened);
            }
        }
        plan.widened.sort();
        plan.widened.dedup();
        let knows_enough = !plan.known.is_empty() || open.accesses.is_empty();
        (knows_enough && !self.few_passes(open, &plan)).then_some(plan)
    }

    /// Whether it is known that there are few iterations.
    fn few_passes(&self, open: &OpenLoop, plan: &Plan) -> bool {
        let bound = &plan.bound;
        let (root, more) = self.without_constant(bound.value);
        let local = self.first.iter().position(|&first| first == root);
        let start = local.and_then(|local| self.constant(open.before[local]));
        match (start, self.constant(bound.limit), bound.step.of) {
            (Some(start), Some(limit), None) => {
                (limit - start - more) / bound.step.by < plan.least()
            }
            (Some(_) | None, Some(_) | None, Some(_) | None) => false,
        }
    }
}

impl Plan {
    /// Takes an access, as a group of one; false if there are too many.
    fn add(&mut self, one: Group) -> bool {
        let gap = if one.step.of.is_some() { GAP } else { one.step.by.abs().max(GAP) };
        if let Some(last) = self.groups.last_mut()
            && (last.root, last.step) == (one.root, one.step)
            && (one.step != Step::NONE && one.low <= last.high + gap
                || (last.low, last.high) == (one.low, one.high))
        {
            last.high = last.high.max(one.high);
            last.is_in_last |= one.is_in_last;
            return true;
        }
        let has_room = self.groups.len() < GROUPS_MAX;
        if has_room {
            self.groups.push(one);
        }
        has_room
    }
}
