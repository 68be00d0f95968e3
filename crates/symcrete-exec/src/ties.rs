//! Arrays whose length is a variable.
//!
//! In one run such an array has as many elements as its length says, and what lies beyond is poison. That an access
//! stays inside is a condition on the length, also where the address is concrete: it goes into the path, so that
//! nothing is concluded from the length of one run. What the path says about the length already is not said again: a
//! loop that compares its index with the length needs no guards.
//!
//! Where a terminator comes after the last element, what an access finds depends on the length too. That it
//! reads elements only, or also the terminator, is no guard, as the program goes on either way: of a text the length is
//! taken as it is. An array of pointers (`argv`) has few elements, so both are tried.
//!
//! **Invariant:** a guard that fails here ends the run, unless the address is symbolic.
//!
//! **Invariant:** the image bounds the length, so the bytes of all elements are a number of 32 bits.

use crate::error::ExecError;
use crate::lower::{extend, extract};
use crate::recording::{Recording, ShadowId, Stop};
use crate::stored_pointers::watch;
use crate::trace::Origin;
use std::ops::Range;
use symcrete_program::{CellKind, Tie, TrapKind};
use symcrete_term::{Literal, Op, TermId, Value};

/// An array of this run whose length is a variable.
#[derive(Clone, Copy)]
pub(crate) struct TiedArray {
    start: u32,
    /// Where it ends at most.
    end_max: u32,
    stride: u32,
    /// The variable.
    length: TermId,
    /// Its value in this run.
    bits: u64,
    is_signed: bool,
    /// Elements that it has in this run.
    n: u32,
    is_terminated: bool,
    /// What it means that an access stays inside: beyond an array of the input the run ends, beyond others a real machine
    /// goes on.
    guard: Origin,
}

/// Arrays of the program itself that are known by their lengths at a time; those of others are taken as they are.
const OWN_MAX: usize = 64;

/// Bytes for allocated memory whose size depends on the input.
const ROOM: u32 = 4096;

/// Where bytes that are about to be touched end; in memory, so it is a number of 32 bits.
pub(crate) struct End {
    pub(crate) value: u32,
    /// `None`: concrete.
    pub(crate) term: Option<TermId>,
    /// If their number is symbolic: that it is zero.
    pub(crate) is_start: Option<Literal>,
    /// What a guard about them is: only one on where they start can fail without ending the run.
    pub(crate) origin: Origin,
}

impl TiedArray {
    /// Where it may be.
    pub(crate) fn range(&self) -> Range<u32> {
        self.start..self.end_max
    }

    /// Whether its length is among terms.
    pub(crate) fn is_one_of(&self, terms: &[TermId]) -> bool {
        terms.contains(&self.length)
    }

    /// Elements that it must have for an access to reach up to an address.
    fn needed(&self, end: u32) -> u32 {
        (end - self.start).div_ceil(self.stride)
    }

    fn more(&self) -> u32 {
        u32::from(self.is_terminated)
    }
}

impl Recording {
    /// Makes the arrays of an image known, once the values of its variables are.
    pub(crate) fn tie(&mut self, ties: &[Tie]) -> Result<(), ExecError> {
        self.ties.clear();
        if !self.bytes.poison.is_active() {
            return Ok(());
        }
        for tie in ties {
            let clash = || ExecError::InvalidCell {
                name: tie.name.clone(),
                why: "is not the integer that an array's length must be",
            };
            let CellKind::Int { signed: is_signed, .. } = tie.kind else { return Err(clash()) };
            let sort = tie.kind.sort();
            let length = self.variable(&tie.name, sort).ok_or_else(clash)?;
            let value = match self.given_value(length) {
                Some(value) => value,
                None => self.drawn_value(&tie.name, sort),
            };
            let number = if is_signed { value.as_signed() } else { None };
            let n = number.map_or(value.bits(), |number| number.max(0) as u64);
            self.ties.push(TiedArray {
                start: tie.start,
                end_max: tie.end_max,
                stride: tie.stride,
                length,
                bits: value.bits(),
                is_signed,
                n: u32::try_from(n).unwrap_or(u32::MAX),
                is_terminated: tie.is_terminated,
                guard: Origin::TrapGuard,
            });
        }
        Ok(())
    }

    /// The program has made an array, in a room of so many bytes, whose length in bytes is a term.
    pub(crate) fn tie_own(
        &mut self,
        (site, flags): (u32, &mut [u8]),
        room: Range<u32>,
        (shadow, n): (ShadowId, u64),
    ) -> Result<(), Stop> {
        if shadow == 0 {
            return Ok(());
        }
        if self.ties.len() >= OWN_MAX || !self.bytes.poison.is_active() {
            return self.pin(site, shadow, n);
        }
        let length = TermId::from_index(shadow as usize - 1);
        self.bytes.poison.tie(room.clone());
        watch(&mut flags[(room.start / 8) as usize..room.end.div_ceil(8) as usize]);
        self.ties.push(TiedArray {
            start: room.start,
            end_max: room.end,
            stride: 1,
            length,
            bits: n,
            is_signed: false,
            n: u32::try_from(n).unwrap_or(u32::MAX),
            is_terminated: false,
            guard: Origin::ObjectGuard,
        });
        Ok(())
    }

    /// Bytes may be used for something else.
    pub(crate) fn untie(&mut self, bytes: &Range<u32>) {
        self.ties.retain(|tie| !bytes.contains(&tie.start));
        self.bytes.poison.untie(bytes);
    }

    /// How many bytes the program shall have for so many: where that depends on the input, as many for all numbers that
    /// are not large, so that nothing else depends on it.
    pub(crate) fn room(&mut self, site: u32, shadow: ShadowId, size: u64) -> Result<u64, Stop> {
        if shadow == 0 || !self.bytes.poison.is_active() {
            return Ok(size);
        }
        let term = TermId::from_index(shadow as usize - 1);
        let most = self.terms.constant(Value::from_bits(self.terms.sort(term), ROOM.into()));
        let is_small = self.terms.app(Op::BvUle, &[term, most]);
        let room = u64::from(ROOM);
        let literal = Literal { term: is_small, expected: size <= room };
        self.settle(site, literal, Origin::ObjectGuard)?;
        if size <= room {
            return Ok(room);
        }
        self.pin(site, shadow, size)?;
        Ok(size)
    }

    /// An array has no room on a stack of so many bytes; a shorter one would have.
    pub(crate) fn array_too_large(
        &mut self,
        site: u32,
        shadow: ShadowId,
        room: u32,
    ) -> Result<u32, Stop> {
        if shadow != 0 {
            let length = TermId::from_index(shadow as usize - 1);
            let room = self.terms.constant(Value::from_bits(self.terms.sort(length), room.into()));
            let fits = self.terms.app(Op::BvUle, &[length, room]);
            self.settle(site, Literal { term: fits, expected: false }, Origin::ObjectGuard)?;
        }
        Err(Stop::Trap(TrapKind::StackOverflow))
    }

    /// The array that an address points into, or would if its length were another.
    pub(crate) fn tied_at(&self, address: u32) -> Option<TiedArray> {
        self.ties.iter().find(|tie| tie.range().contains(&address)).copied()
    }

    /// Guards that bytes which start in an array end in it.
    pub(crate) fn guard_tied(&mut self, site: u32, tie: TiedArray, end: &End) -> Result<(), Stop> {
        let Some(term) = end.term else {
            // What reaches beyond all elements does so at any length.
            if end.value <= end_of(&tie, u32::MAX) {
                let needed = tie.needed(end.value).saturating_sub(tie.more());
                self.settle_length(site, tie, needed, tie.guard)?;
            }
            return Ok(());
        };
        let start = self.terms.bv(32, u64::from(tie.start));
        let needed = self.terms.app(Op::BvSub, &[term, start]);
        let size = self.size_of(tie);
        let mut inside = self.terms.app(Op::BvUle, &[needed, size]);
        let mut holds = end.value <= end_of(&tie, tie.n);
        if let Some(is_start) = end.is_start {
            inside = self.terms.app(Op::Or, &[is_start.term, inside]);
            holds |= is_start.expected;
        }
        self.settle(site, Literal { term: inside, expected: holds }, end.origin)
    }

    /// Takes the length as it is as far as bytes inside an array, at a concrete place, depend on where its
    /// terminator is.
    pub(crate) fn settle_terminator(
        &mut self,
        site: u32,
        tie: TiedArray,
        end: u32,
    ) -> Result<(), Stop> {
        let origin = if tie.stride == 1 { Origin::Concretized } else { Origin::ObjectGuard };
        match tie.is_terminated {
            true => self.settle_length(site, tie, tie.needed(end), origin),
            false => Ok(()),
        }
    }

    /// Bytes of an array as a term of 32 bits.
    fn size_of(&mut self, tie: TiedArray) -> TermId {
        let terms = &mut self.terms;
        let op = if tie.is_signed { Op::SignExtend } else { Op::ZeroExtend };
        let mut n = match terms.sort(tie.length).bits() as u8 {
            32 => tie.length,
            64 => extract(terms, 31, 0, tie.length),
            narrow => extend(terms, op, 32 - narrow, tie.length),
        };
        if tie.is_signed && !self.knowledge.is_at_least(tie.length, 0, true) {
            let zero = terms.constant(Value::zero(terms.sort(tie.length)));
            let is_negative = terms.app(Op::BvSlt, &[tie.length, zero]);
            let none = terms.bv(32, 0);
            n = terms.ite(is_negative, none, n);
        }
        let stride = terms.bv(32, u64::from(tie.stride));
        let size = terms.app(Op::BvMul, &[n, stride]);
        let more = terms.bv(32, u64::from(tie.more() * tie.stride));
        terms.app(Op::BvAdd, &[size, more])
    }

    /// The shadow of the size of an object. The length of an array inside it is taken as it is.
    pub(crate) fn size_in(&mut self, site: u32, object: &Range<u32>) -> Result<ShadowId, Stop> {
        if let Some(tie) = self.ties.iter().find(|tie| tie.start == object.start).copied() {
            let size = self.size_of(tie);
            return self.shadow(size);
        }
        let inside = |tie: &&TiedArray| object.start < tie.start && tie.start <= object.end;
        for tie in self.ties.iter().filter(inside).copied().collect::<Vec<_>>() {
            let shadow = self.shadow(tie.length)?;
            self.pin(site, shadow, tie.bits)?;
        }
        Ok(0)
    }

    /// Records whether an array has so many elements, unless the path says already that it has.
    fn settle_length(
        &mut self,
        site: u32,
        tie: TiedArray,
        needed: u32,
        origin: Origin,
    ) -> Result<(), Stop> {
        let sort = self.terms.sort(tie.length);
        let greatest = sort.mask() >> u32::from(tie.is_signed);
        if needed == 0 || u64::from(needed) > greatest {
            return Ok(());
        }
        let op = if tie.is_signed { Op::BvSle } else { Op::BvUle };
        let number = self.terms.constant(Value::from_bits(sort, needed.into()));
        let term = self.terms.app(op, &[number, tie.length]);
        let literal = Literal { term, expected: needed <= tie.n };
        if literal.expected && self.has_said_length(tie, needed) {
            self.knowledge.learn(&self.terms, literal);
            return Ok(());
        }
        self.settle(site, literal, origin)
    }

    /// Whether the path says that a length is at least a number: by a comparison, or step by step, as loops do
    /// that go on until their index is the length.
    fn has_said_length(&mut self, tie: TiedArray, needed: u32) -> bool {
        let at_least = |k| self.knowledge.is_at_least(tie.length, k, tie.is_signed);
        if at_least(needed) {
            return true;
        }
        if !at_least(needed - 1) {
            return false;
        }
        let sort = self.terms.sort(tie.length);
        let before = self.terms.constant(Value::from_bits(sort, u64::from(needed - 1)));
        let term = self.terms.eq(tie.length, before);
        self.is_settled(Literal { term, expected: false })
    }
}

/// Where an array ends with so many elements.
fn end_of(tie: &TiedArray, n: u32) -> u32 {
    let size = u64::from(tie.stride) * (u64::from(n) + u64::from(tie.more()));
    let size = size.min(u64::from(tie.end_max - tie.start));
    tie.start + size as u32
}
