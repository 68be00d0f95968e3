//! What the concrete form need not look at again.
//!
//! Values have numbers: those with the same number are the same. What an access has found out of an address holds until a call, since
//! code itself only ever clears tags (`tags.rs`). Where ways meet, that holds which holds on each.

use crate::access::Access;
use crate::instrument::bounds::Interval;
use crate::instrument::sites::LoopFacts;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::module::{ValueType, WasmOp};

/// The number of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Number(u32);

impl Number {
    /// Of a value of which nothing is known.
    pub(crate) const UNKNOWN: Number = Number(0);
}

/// How a value comes about, if that says what it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Constant(ValueType, u64),
    /// An operator, as a number, and its operands.
    Operator(u32, Number, Option<Number>),
}

/// What is known of the tags of some bytes.
#[derive(Clone, Copy)]
enum Seen {
    /// They could be read, so many at once.
    Readable(u32),
    /// They have none.
    Clear(u32),
}

/// More than so many facts are not carried along: branches copy them.
const FACTS_MAX: usize = 128;
/// The same for conditions.
const CONDITIONS_MAX: usize = 24;

/// Conditions, and whether they hold.
pub(crate) type Conditions = BTreeMap<Number, bool>;

/// What is known at a place of a function.
#[derive(Clone, Default)]
pub(crate) struct Known {
    locals: Vec<Number>,
    /// By address and offset.
    seen: BTreeMap<(Number, u64), Seen>,
    /// What has been learned of values by what was done with them.
    intervals: BTreeMap<Number, Interval>,
    conditions: Conditions,
    /// Locals that may hold a value that nobody has written.
    unknown: BTreeSet<u32>,
}

/// What is known where the ways to the end of a block meet, and where the other side of an `if` starts.
#[derive(Clone, Default)]
pub(crate) struct Arrivals {
    end: Option<Known>,
    otherwise: Option<Known>,
}

/// The numbers of a function, and what is known where the walk over its code is.
#[derive(Default)]
pub(crate) struct Numbers {
    n: u32,
    origins: BTreeMap<Origin, Number>,
    made: BTreeMap<Number, Origin>,
    /// Between which numbers values lie, wherever they are.
    limits: BTreeMap<Number, Interval>,
    here: Known,
}

impl Numbers {
    /// At the start of a function with so many locals.
    pub(crate) fn new(n_locals: usize) -> Numbers {
        let mut numbers = Numbers::default();
        numbers.here.locals = (0..n_locals).map(|_| numbers.fresh()).collect();
        numbers
    }

    fn fresh(&mut self) -> Number {
        self.n += 1;
        Number(self.n)
    }

    fn of(&mut self, origin: Origin) -> Number {
        if let Some(&number) = self.origins.get(&origin) {
            return number;
        }
        let number = self.fresh();
        self.origins.insert(origin, number);
        self.made.insert(number, origin);
        number
    }

    /// How a value comes about; `None` if it just is there.
    pub(crate) fn origin(&self, number: Number) -> Option<Origin> {
        self.made.get(&number).copied()
    }

    /// A value of which nothing else is known.
    pub(crate) fn within(&mut self, interval: Interval) -> Number {
        let number = self.fresh();
        self.limits.insert(number, interval);
        number
    }

    /// The number that was given last.
    pub(crate) fn last(&self) -> Number {
        Number(self.n)
    }

    pub(crate) fn constant(&mut self, ty: ValueType, bits: u64) -> Number {
        self.of(Origin::Constant(ty, bits))
    }

    /// The result of an operator on integers, given the numbers of its operands.
    pub(crate) fn operator(&mut self, op: WasmOp, operands: &[Option<Number>]) -> Option<Number> {
        let second = operands.get(1).copied();
        let first = operands.first().copied().flatten()?;
        (second != Some(None))
            .then(|| self.of(Origin::Operator(op as u32, first, second.flatten())))
    }

    pub(crate) fn local(&self, local: u32) -> Number {
        self.here.locals[local as usize]
    }

    /// The numbers of all locals.
    pub(crate) fn locals(&self) -> &[Number] {
        &self.here.locals
    }

    /// The conditions that are known to hold here, or not to.
    pub(crate) fn conditions(&self) -> &Conditions {
        &self.here.conditions
    }

    /// What a condition and whether it holds come down to.
    pub(crate) fn plain_condition(&self, condition: Number, holds: bool) -> (Number, bool) {
        match self.origin(condition) {
            Some(Origin::Operator(op, inner, None)) if op == WasmOp::I32Eqz as u32 => {
                self.plain_condition(inner, !holds)
            }
            Some(Origin::Operator(..) | Origin::Constant(..)) | None => (condition, holds),
        }
    }

    /// From here on a condition holds, or does not.
    pub(crate) fn assume(&mut self, condition: Option<Number>, holds: bool) {
        let Some(condition) = condition else { return };
        let (condition, holds) = self.plain_condition(condition, holds);
        let all = &mut self.here.conditions;
        if all.len() >= CONDITIONS_MAX {
            all.clear();
        }
        all.insert(condition, holds);
    }

    pub(crate) fn set_local(&mut self, local: u32, number: Option<Number>) {
        let number = number.unwrap_or_else(|| self.fresh());
        self.here.locals[local as usize] = number;
    }

    /// A loop starts: what it writes may be another value in each iteration, and whom it calls may change tags. All
    /// else that is known is of values from before the loop, and so holds in each iteration.
    pub(crate) fn enter_loop(&mut self, facts: &LoopFacts) {
        facts.locals.iter().for_each(|&local| self.set_local(local, None));
        if facts.passes_run_others {
            self.forget();
        }
    }

    /// An `if` starts.
    pub(crate) fn fork(&mut self, condition: Option<Number>) -> Arrivals {
        self.assume(condition, false);
        let otherwise = Some(self.here.clone());
        self.assume(condition, true);
        Arrivals { end: None, otherwise }
    }

    /// The other side of an `if` starts.
    pub(crate) fn turn(&mut self, arrivals: &mut Arrivals) {
        if let Some(known) = arrivals.otherwise.take() {
            self.here = known;
        }
    }

    /// A way leads from here to the end of a block.
    pub(crate) fn lead(&mut self, arrivals: &mut Arrivals) {
        match &mut arrivals.end {
            Some(known) => self.meet(known),
            end @ None => *end = Some(self.here.clone()),
        }
    }

    /// A block ends. If no way leads there, nothing that follows is run.
    pub(crate) fn arrive(&mut self, arrivals: Arrivals) {
        if let Some(known) = arrivals.end {
            self.here = known;
        }
    }

    /// Leaves what is known here too.
    fn meet(&mut self, known: &mut Known) {
        for (local, &here) in known.locals.iter_mut().zip(&self.here.locals) {
            if *local != here {
                self.n += 1;
                *local = Number(self.n);
            }
        }
        let seen = std::mem::take(&mut known.seen).into_iter();
        known.seen = seen
            .filter_map(|(place, seen)| Some((place, seen.and(*self.here.seen.get(&place)?)?)))
            .collect();
        let intervals = std::mem::take(&mut known.intervals).into_iter();
        known.intervals = intervals
            .filter_map(|(number, of)| Some((number, of.or(*self.here.intervals.get(&number)?))))
            .collect();
        known.unknown.extend(&self.here.unknown);
        known.conditions.retain(|number, holds| self.here.conditions.get(number) == Some(holds));
    }

    /// Whether a local may hold a value that nobody has written.
    pub(crate) fn is_unknown(&self, local: u32) -> bool {
        self.here.unknown.contains(&local)
    }

    /// A local holds such a value from here on, or does not.
    pub(crate) fn set_unknown(&mut self, local: u32, is_unknown: bool) {
        match is_unknown {
            true => self.here.unknown.insert(local),
            false => self.here.unknown.remove(&local),
        };
    }

    /// Somebody else may change tags.
    pub(crate) fn forget(&mut self) {
        self.here.seen.clear();
    }

    /// Whether the tags of an access need not be looked at; from now on they have been.
    pub(crate) fn is_seen(&mut self, access: Access, address: Option<Number>) -> bool {
        let Some(address) = address else { return false };
        let (place, bytes) = ((address, access.offset), access.bytes);
        let all = &mut self.here.seen;
        let is_seen = match (all.get(&place).copied(), access.form().is_store) {
            (Some(Seen::Clear(n)), _) => n >= bytes,
            (Some(Seen::Readable(n)), false) => n == bytes,
            (Some(Seen::Readable(_)), true) | (None, _) => false,
        };
        if !is_seen {
            if all.len() >= FACTS_MAX {
                all.clear();
            }
            let seen = match access.form().is_store {
                true => Seen::Clear(bytes),
                false => Seen::Readable(bytes),
            };
            all.insert(place, seen);
        }
        is_seen
    }

    /// Notes between which numbers a value lies.
    pub(crate) fn note_interval(&mut self, number: Number, interval: Interval) {
        let all = &mut self.here.intervals;
        if all.len() >= FACTS_MAX {
            all.clear();
        }
        all.insert(number, interval);
    }

    /// What was noted of a value, or holds wherever it is.
    pub(crate) fn noted_interval(&self, number: Number) -> Option<Interval> {
        self.here.intervals.get(&number).or_else(|| self.limits.get(&number)).copied()
    }
}

impl Seen {
    /// What both say.
    fn and(self, other: Seen) -> Option<Seen> {
        match (self, other) {
            (Seen::Clear(n), Seen::Clear(m)) => Some(Seen::Clear(n.min(m))),
            (Seen::Readable(n), Seen::Readable(m)) => (n == m).then_some(self),
            (Seen::Clear(n), Seen::Readable(m)) | (Seen::Readable(m), Seen::Clear(n)) => {
                (n >= m).then_some(Seen::Readable(m))
            }
        }
    }
}
