//! Learns from runs that leave an array which parameter is its length, and from those that leave a structure that there are more of
//! them (`docs/adr/0021-lengths-from-runs.md`).
//!
//! A program that reads `x[8]` because `8 < limit` says that `limit` is the length of `x`, whatever it is called. One that
//! goes beyond the length that `x` has by its name, and never looks at that length, says that it is none.

use super::Explorer;
use crate::model;
use symcrete_exec::{ExecError, Origin, Trace};
use symcrete_program::api::split_parameter;
use symcrete_program::shape::{Leaf, Learnt, is_length_named_after, value_of};
use symcrete_program::types::TypeKind;
use symcrete_program::{Input, Outcome, TrapKind};
use symcrete_term::{Literal, Value, depends_on};

/// Of longer paths nothing is learnt: each condition is looked at once for each index.
const CONDITIONS_MAX: usize = 2000;

impl Explorer<'_> {
    /// Notes what a run says that has left an array of the input.
    pub(super) fn learn(&mut self, trace: &Trace, input: &Input) {
        let is_stray =
            matches!(&trace.outcome, Outcome::Trapped(trap) if trap.kind == TrapKind::OutOfObject);
        let Some(address) = trace.stray.filter(|_| is_stray) else { return };
        if self.is_repeating || trace.path.constraints.len() > CONDITIONS_MAX {
            return;
        }
        let shape = &self.round.shape;
        let mut learnt = shape.learnt.clone();
        if let Some((array, length)) = self.said_of_length(address, trace, input) {
            learnt.lengths.insert(array, length);
        } else if let Some(pointer) = shape.table_at(address) {
            learnt.tables.insert(pointer.name.clone());
        } else {
            // An array that nothing is the length of is too short.
            let left = shape.element_at(address).map(|(array, _)| array);
            let has_length = |array| shape.length_of(array).is_some();
            self.round.is_too_short |= left.is_some_and(|array| !has_length(array));
            return;
        }
        if self.tried_lengths.insert(learnt.clone()) {
            self.evidence = Some(learnt);
        }
    }

    /// The array of a parameter that a run has left at an address, and the parameter that is its length, or `None` if it has no
    /// length although it is called one.
    fn said_of_length(
        &self,
        address: u32,
        trace: &Trace,
        input: &Input,
    ) -> Option<(usize, Option<usize>)> {
        let (array, index) = self.round.shape.element_at(address)?;
        let is_decision = |origin| matches!(origin, Origin::Branch | Origin::Select);
        let conditions = trace.path.constraints.iter().filter(|at| is_decision(at.origin));
        let conditions: Vec<Literal> = conditions.map(|at| at.literal).collect();
        // A few conditions on `outlen` are no sign that it is the length of `in`.
        let slots = &self.round.shape.params;
        let is_of_another = |leaf: &Leaf| {
            let others = slots.iter().enumerate().filter(|(i, _)| *i != array);
            others.into_iter().any(|(_, slot)| is_length_named_after(&leaf.name, &slot.name))
        };
        // Nor is what another call is given, or an enumeration: which calls make an object is one.
        let program = self.parts.program;
        let is_made = program.driver(self.round.shape.entered).is_some();
        let call = |i: usize| split_parameter(&slots[i].name).0;
        let can_be = |i: usize| {
            let is_enum = matches!(program.types.get(slots[i].ty).kind, TypeKind::Enum { .. });
            !is_enum && (!is_made || call(i) == call(array))
        };
        let lengths = self.round.shape.integers();
        let mut lengths = lengths.iter().filter(|(i, leaf)| can_be(*i) && !is_of_another(leaf));
        let said = lengths.find(|(_, leaf)| self.is_said(&conditions, input, leaf, index));
        let length = said.map(|(i, _)| *i);
        let is_contradicted = || {
            let tied = self.round.shape.length_of(array);
            tied.is_some_and(|leaf| !self.matters(&conditions, leaf))
        };
        (length.is_some() || is_contradicted()).then_some((array, length))
    }

    /// Whether these conditions, with everything else as it is, hold only if a length is more than an index.
    fn is_said(&self, conditions: &[Literal], input: &Input, leaf: &Leaf, index: u32) -> bool {
        if leaf.number(input) <= i64::from(index) {
            return false;
        }
        let is_less = |number: i64| !self.holds_with(conditions, input, leaf, number);
        (-1..=i64::from(index)).all(is_less)
    }

    /// Whether one of these conditions depends on a length. `data + last_len == data + len` is false for nearly every `len`, and
    /// still looks at it.
    fn matters(&self, conditions: &[Literal], leaf: &Leaf) -> bool {
        let length = self.terms.find_var(&leaf.name);
        let is_about = |literal: &Literal| {
            depends_on(&self.terms, literal.term, |variable| Some(variable) == length)
        };
        length.is_some() && conditions.iter().any(is_about)
    }

    /// Whether conditions hold on an input with another length.
    fn holds_with(&self, conditions: &[Literal], input: &Input, leaf: &Leaf, number: i64) -> bool {
        let mut other = input.clone();
        other.set(leaf.name.clone(), value_of(leaf.kind, number as u64));
        let valuation = model::valuation(&self.terms, &other);
        let holds = |literal: &Literal| {
            self.terms.evaluate(literal.term, &valuation) == Value::Bool(literal.expected)
        };
        conditions.iter().all(holds)
    }

    /// Goes on with arrays that have the lengths which runs have shown, unless less is covered then.
    pub(super) fn use_evidence(&mut self) -> Result<(), ExecError> {
        let Some(learnt) = self.evidence.take() else { return Ok(()) };
        self.end_trial();
        let sizes = self.round.shape.sizes;
        let Some(shape) = (self.parts.growth.shape)(sizes, &learnt) else { return Ok(()) };
        let tests = self.round.tests.iter();
        let seeds: Vec<Input> =
            tests.map(|test| shape.renamed(&self.round.shape, &test.input)).collect();
        if self.begin_round(shape, &seeds, |_| true)?.is_none() {
            tracing::debug!(?learnt, "arrays of these lengths cover less");
            return Ok(());
        }
        tracing::debug!(?learnt, "lengths were learnt");
        self.note_shape();
        self.hope_again();
        Ok(())
    }
}

/// What was learnt, so that nothing is tried twice.
pub(super) type Tried = std::collections::BTreeSet<Learnt>;
