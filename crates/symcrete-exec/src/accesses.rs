//! What loads, stores and bulk operations do to shadows and to the path.
//!
//! An access is guarded in this order: pointers in its address are fixed, then it must
//! lie in memory, then in the object that it points into, if there is one (`ties.rs` handles objects whose
//! end is symbolic). After that the address is pinned, unless the load can be a table term.

use crate::access::{SHAPES, Shape, Widening};
use crate::lower::{bits_of, extend, float_of, low_word};
use crate::memory::{ByteOf, gather};
use crate::recording::{Address, LowAddress, Recording, ShadowId, Stop};
use crate::ties::{End, TiedArray};
use crate::trace::Origin;
use crate::wasm_op::Num;
use crate::window::Window;
use std::ops::Range;
use symcrete_program::module::AddressType;
use symcrete_program::{Argument, Gap, Resource, TrapKind};
use symcrete_term::{Literal, Op, TermId, Value};

/// What a bulk operation does with a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bulk {
    Reads,
    Writes,
    /// A harness makes bytes inputs, also those of a constant.
    Given,
}

impl Recording {
    /// The shadow of a loaded value. `memory` is all of the program's memory.
    pub(crate) fn load(
        &mut self,
        memory: &[u8],
        code: u32,
        site: u32,
        address: Address,
    ) -> Result<ShadowId, Stop> {
        let shape = SHAPES[code as usize];
        self.accessed = (site, [address.shadow, 0]);
        let (address, is_input) = self.follow(site, address)?;
        let start = self.check_bounds(memory.len(), site, address, shape)?;
        let address = self.low(address)?;
        if let Some(start) = start {
            self.check_argument(start, shape)?;
        }
        let (address, object) = self.check_object(site, address, start, shape)?;
        if let Some(start) = start {
            self.note_parts(std::iter::once(start..start + u32::from(shape.bytes)));
            self.note_read(start, u32::from(shape.bytes), is_input);
            if self.bytes.unwritten.is_source(start, u32::from(shape.bytes)) {
                let term = self.unknown_value(start, shape.bytes)?;
                return self.loaded(shape, term);
            }
        }
        if address.shadow != 0 {
            let window = start.and_then(|_| self.load_window(memory, address, shape, object));
            if let Some(term) = window {
                return self.loaded(shape, term);
            }
            self.pin(site, address.shadow, u64::from(address.value))?;
        }
        let Some(start) = start else { return Ok(0) };
        self.give_values(start, u32::from(shape.bytes))?;
        let mut symbolic = [None; 8];
        let n = usize::from(shape.bytes);
        for (i, byte) in symbolic[..n].iter_mut().enumerate() {
            *byte = self.bytes.get(start + i as u32);
        }
        let concrete = &memory[start as usize..start as usize + n];
        match gather(&mut self.terms, &symbolic[..n], concrete) {
            Some(term) => self.loaded(shape, term),
            None => Ok(0),
        }
    }

    /// Ends a run that reads a missing argument of a variadic function, or one of another type: no caller
    /// passes these.
    fn check_argument(&mut self, start: u32, shape: Shape) -> Result<(), Stop> {
        if !self.arguments.room.contains(&start) {
            return Ok(());
        }
        let is_float = matches!(shape.num, Num::F32 | Num::F64);
        let is_read = |argument: &Argument| {
            argument.address == start
                && argument.kind.size() == u32::from(shape.bytes)
                && argument.kind.sort().is_float() == is_float
        };
        match self.arguments.list.iter().any(is_read) {
            true => Ok(()),
            false => Err(Stop::Rejected),
        }
    }

    /// Writes the shadow of a stored value. `flags` is where the flags of memory start.
    pub(crate) fn store(
        &mut self,
        (memory_length, flags): (usize, &mut [u8]),
        (code, site): (u32, u32),
        address: Address,
        (shadow, bits): (ShadowId, u64),
    ) -> Result<(), Stop> {
        let shape = SHAPES[code as usize];
        self.accessed = (site, [address.shadow, 0]);
        let (address, is_input) = self.follow(site, address)?;
        let start = self.check_bounds(memory_length, site, address, shape)?;
        let address = self.low(address)?;
        let (address, _) = self.check_object(site, address, start, shape)?;
        self.pin(site, address.shadow, u64::from(address.value))?;
        let Some(start) = start else { return Ok(()) };
        self.check_constant(site, start)?;
        self.note_write(start, u32::from(shape.bytes), is_input);
        if shadow == 0 {
            self.bytes.clear(flags, start, u32::from(shape.bytes));
            return Ok(());
        }
        let mut term = self.term(shape.num, shadow, bits);
        if matches!(shape.num, Num::F32 | Num::F64) {
            term = bits_of(&mut self.terms, term);
        }
        self.shadow_bytes(flags, start, shape.bytes, term);
        Ok(())
    }

    /// Makes bytes of memory those of a term, lowest first.
    pub(crate) fn shadow_bytes(&mut self, flags: &mut [u8], start: u32, n: u8, term: TermId) {
        let bytes: [_; 8] = std::array::from_fn(|i| Some(ByteOf { term, index: i as u8 }));
        self.tainted = true;
        self.bytes.set(flags, start, &bytes[..usize::from(n)]);
    }

    /// Guards the range of a bulk operation and pins it; `false` if it is out of bounds.
    pub(crate) fn bulk_range(
        &mut self,
        (memory_length, flags): (usize, &[u8]),
        (site, access): (u32, Bulk),
        (shadow, value): (ShadowId, u64),
        length: (ShadowId, u64),
    ) -> Result<bool, Stop> {
        self.accessed = (site, [shadow, length.0]);
        let (address, is_input) = self.follow(site, Address { shadow, value, offset: 0 })?;
        let length = Address { shadow: length.0, value: length.1, offset: 0 };
        let (Some(address), Some(length)) =
            (self.narrowed(site, address)?, self.narrowed(site, length)?)
        else {
            return Ok(false);
        };
        let (LowAddress { shadow, value, .. }, length) = (address, (length.shadow, length.value));
        let end = u64::from(value) + u64::from(length.1);
        let fits = end <= memory_length as u64;
        let tie = self.tied_at(value);
        // An empty range is always fine, whatever the length of an array.
        let is_free = tie.is_some() && length == (0, 0);
        let object = self.object_at(value, tie).filter(|_| !is_free);
        if shadow != 0 || length.0 != 0 {
            let start_term = self.term(Num::I32, shadow, u64::from(value));
            let length_term = self.term(Num::I32, length.0, u64::from(length.1));
            let a = extend(&mut self.terms, Op::ZeroExtend, 32, start_term);
            let b = extend(&mut self.terms, Op::ZeroExtend, 32, length_term);
            let end_term = self.terms.app(Op::BvAdd, &[a, b]);
            let trap = (site, Origin::TrapGuard);
            self.guard_at_most(trap, end_term, end, memory_length as u64)?;
            self.check_home(site, address, fits.then_some(value))?;
            if let Some(object) = &object {
                let literal = self.at_least(start_term, u64::from(value), object.start.into());
                self.settle(site, literal, Origin::ObjectGuard)?;
                if tie.is_none() {
                    let guard = (site, self.range_guard(shadow, object));
                    self.guard_at_most(guard, end_term, end, object.end.into())?;
                }
            }
        }
        if let Some(tie) = tie.filter(|_| fits && !is_free) {
            let end = self.end_of_range((shadow, value), length, &tie.range());
            self.guard_tied(site, tie, &end)?;
        }
        self.pin(site, shadow, u64::from(value))?;
        self.pin(site, length.0, u64::from(length.1))?;
        if let Some(kind) = self.bytes.poison.fault(value, length.1).filter(|_| fits) {
            return Err(self.stray(kind, value));
        }
        if fits {
            self.note_margin(site, object.as_ref(), value..end as u32);
        }
        if let (Some(tie), true) = (tie, fits && length.1 > 0) {
            self.settle_terminator(site, tie, end as u32)?;
        }
        match access {
            Bulk::Reads if fits => {
                if self.bytes.pointers.is_torn(flags, &(value..value + length.1)) {
                    self.meet(Gap::Addresses);
                }
                self.note_read(value, length.1, is_input);
            }
            Bulk::Writes if fits && length.1 > 0 => {
                self.check_constant(site, value)?;
                self.note_write(value, length.1, is_input);
            }
            Bulk::Given if fits => self.note_write(value, length.1, is_input),
            Bulk::Reads | Bulk::Writes | Bulk::Given => {}
        }
        Ok(fits)
    }

    /// Ends a run that writes to a constant.
    fn check_constant(&mut self, site: u32, start: u32) -> Result<(), Stop> {
        match self.bytes.poison.zones.forbids(site, start) {
            true => Err(self.stray(TrapKind::ConstantWritten, start)),
            false => Ok(()),
        }
    }

    /// Notes how much is left behind bytes of an object of the program, or of a text: arrays of the input are as long as
    /// callers have them, and a text ends where the program must notice it.
    fn note_margin(&mut self, site: u32, object: Option<&Range<u32>>, bytes: Range<u32>) {
        let Some(object) = object else { return };
        let range = u64::from(object.start)..u64::from(object.end);
        let poison = &self.bytes.poison;
        if !poison.is_in_arena(&range) || poison.is_text(object) {
            self.margins.note(site, object, bytes, self.path.len());
        }
    }

    /// The end of a range in memory.
    fn end_of_range(
        &mut self,
        start: (ShadowId, u32),
        length: (ShadowId, u32),
        object: &Range<u32>,
    ) -> End {
        let value = start.1 + length.1;
        if (start.0, length.0) == (0, 0) {
            return End { value, term: None, is_start: None, origin: Origin::TrapGuard };
        }
        let origin = self.range_guard(start.0, object);
        let [start, n] = [start, length].map(|(s, v)| self.term(Num::I32, s, u64::from(v)));
        let term = Some(self.terms.app(Op::BvAdd, &[start, n]));
        let is_start = (length.0 != 0).then(|| {
            let zero = self.terms.bv(32, 0);
            Literal { term: self.terms.eq(n, zero), expected: length.1 == 0 }
        });
        End { value, term, is_start, origin }
    }

    /// What a guard on the end of a range is. Bytes behind an object of the input must not be touched, so a range that starts
    /// in it and goes on ends the run; one that may start elsewhere need not, and a real machine goes on behind others.
    fn range_guard(&self, start: ShadowId, object: &Range<u32>) -> Origin {
        let object = u64::from(object.start)..u64::from(object.end);
        match start == 0 && self.bytes.poison.is_in_arena(&object) {
            true => Origin::TrapGuard,
            false => Origin::ObjectGuard,
        }
    }

    /// The object that an address points into; of an array whose length is a variable, all of it.
    pub(crate) fn object_at(&self, address: u32, tie: Option<TiedArray>) -> Option<Range<u32>> {
        match tie {
            Some(tie) => Some(tie.range()),
            None => self.bytes.poison.object_at(address),
        }
    }

    /// Guards that a term, whose value is given, is at most a limit.
    fn guard_at_most(
        &mut self,
        (site, origin): (u32, Origin),
        term: TermId,
        value: u64,
        limit: u64,
    ) -> Result<(), Stop> {
        let limit_term = self.terms.constant(Value::from_bits(self.terms.sort(term), limit));
        let term = self.terms.app(Op::BvUle, &[term, limit_term]);
        self.settle(site, Literal { term, expected: value <= limit }, origin)
    }

    /// Whether a term, whose value is given, is at least a limit.
    fn at_least(&mut self, term: TermId, value: u64, limit: u64) -> Literal {
        let limit_term = self.terms.constant(Value::from_bits(self.terms.sort(term), limit));
        let term = self.terms.app(Op::BvUle, &[limit_term, term]);
        Literal { term, expected: value >= limit }
    }

    /// Shadows move along with bytes that are copied.
    pub(crate) fn copy(
        &mut self,
        flags: &mut [u8],
        destination: u32,
        source: u32,
        length: u32,
    ) -> Result<(), Stop> {
        self.give_values(source, length)?;
        let pointers = self.bytes.pointers.offsets_in(flags, source, length);
        if self.bytes.is_concrete(source, length) {
            self.bytes.clear(flags, destination, length);
        } else {
            self.charge_cells(length)?;
            let bytes: Vec<_> =
                (source..source + length).map(|byte| self.bytes.get(byte)).collect();
            self.bytes.set(flags, destination, &bytes);
        }
        for offset in pointers {
            self.bytes.add_pointer(flags, destination + offset);
        }
        Ok(())
    }

    /// Shadows of bytes that are filled with one value.
    pub(crate) fn fill(
        &mut self,
        flags: &mut [u8],
        start: u32,
        shadow: ShadowId,
        length: u32,
    ) -> Result<(), Stop> {
        if shadow == 0 {
            self.bytes.clear(flags, start, length);
            return Ok(());
        }
        self.charge_cells(length)?;
        let byte = ByteOf { term: TermId::from_index(shadow as usize - 1), index: 0 };
        self.tainted = true;
        self.bytes.set(flags, start, &vec![Some(byte); length as usize]);
        Ok(())
    }

    /// Bytes and table cells of bulk operations and windows count towards the limit of terms.
    fn charge_cells(&mut self, n: u32) -> Result<(), Stop> {
        self.cells += n as usize;
        if self.terms.len() + self.cells > self.limits.terms as usize {
            return Err(Stop::Exhausted(Resource::Terms));
        }
        Ok(())
    }

    /// The lower 32 bits of an address.
    fn low(&mut self, address: Address) -> Result<LowAddress, Stop> {
        let Address { mut shadow, value, offset } = address;
        if self.address == AddressType::I64 && shadow != 0 {
            let low = low_word(&mut self.terms, TermId::from_index(shadow as usize - 1));
            shadow = self.shadow(low)?;
        }
        Ok(LowAddress { shadow, value: value as u32, offset })
    }

    /// Guards that a number fits into 32 bits, as every address of memory does; `None` if it does not.
    fn narrowed(&mut self, site: u32, number: Address) -> Result<Option<LowAddress>, Stop> {
        let greatest = u64::from(u32::MAX);
        if self.address == AddressType::I64 && number.shadow != 0 {
            let term = TermId::from_index(number.shadow as usize - 1);
            if self.terms.sort(term).bits() > u32::BITS {
                self.guard_at_most((site, Origin::TrapGuard), term, number.value, greatest)?;
            }
        }
        match number.value <= greatest {
            true => self.low(number).map(Some),
            false => Ok(None),
        }
    }

    /// Guards an access; returns its first byte's address if it is in bounds.
    fn check_bounds(
        &mut self,
        memory_length: usize,
        site: u32,
        address: Address,
        shape: Shape,
    ) -> Result<Option<u32>, Stop> {
        let needed = u64::from(address.offset) + u64::from(shape.bytes);
        let fits = address.value.saturating_add(needed) <= memory_length as u64;
        if address.shadow != 0 && needed <= memory_length as u64 {
            let term = TermId::from_index(address.shadow as usize - 1);
            let last = memory_length as u64 - needed;
            self.guard_at_most((site, Origin::TrapGuard), term, address.value, last)?;
        }
        Ok(fits.then(|| address.value as u32 + address.offset))
    }

    /// Guards that an access in bounds stays in the object it points into, which it gives back. An access that
    /// touches what it must not ends the run. Returns the address too, which is taken at its value in an array whose
    /// length is a variable: how far a window of it goes would depend on the length.
    fn check_object(
        &mut self,
        site: u32,
        mut address: LowAddress,
        start: Option<u32>,
        shape: Shape,
    ) -> Result<(LowAddress, Option<Range<u32>>), Stop> {
        self.check_home(site, address, start)?;
        let Some(start) = start else { return Ok((address, None)) };
        let n = u32::from(shape.bytes);
        let tie = self.tied_at(start);
        let object = self.object_at(start, tie);
        let symbolic =
            (address.shadow != 0).then(|| TermId::from_index(address.shadow as usize - 1));
        let beyond = u64::from(address.offset) + u64::from(n);
        if let (Some(object), Some(term)) = (&object, symbolic) {
            let value = u64::from(address.value);
            if let Some(low) = object.start.checked_sub(address.offset) {
                let literal = self.at_least(term, value, low.into());
                self.settle(site, literal, Origin::ObjectGuard)?;
            }
            if let (Some(high), None) = (u64::from(object.end).checked_sub(beyond), tie) {
                self.guard_at_most((site, Origin::ObjectGuard), term, value, high)?;
            }
        }
        if let Some(tie) = tie {
            let beyond = self.terms.bv(32, beyond);
            let term = symbolic.map(|term| self.terms.app(Op::BvAdd, &[term, beyond]));
            let origin = Origin::ObjectGuard;
            self.guard_tied(site, tie, &End { value: start + n, term, is_start: None, origin })?;
        }
        if let Some(kind) = self.bytes.poison.fault(start, n) {
            self.pin(site, address.shadow, u64::from(address.value))?;
            return Err(self.stray(kind, start));
        }
        self.note_margin(site, object.as_ref(), start..start + n);
        if let Some(tie) = tie {
            self.pin(site, address.shadow, u64::from(address.value))?;
            address.shadow = 0;
            self.settle_terminator(site, tie, start + n)?;
        }
        Ok((address, object))
    }

    /// Ends a run in which an access has left the object that it started from. Where it touches another object it finds
    /// what a real machine has elsewhere, so the run says nothing.
    fn check_home(
        &mut self,
        site: u32,
        address: LowAddress,
        start: Option<u32>,
    ) -> Result<(), Stop> {
        let Some(index) = (address.shadow as usize).checked_sub(1) else { return Ok(()) };
        let Some(home) = self.home(TermId::from_index(index), address.offset) else {
            return Ok(());
        };
        if start.is_some_and(|start| home.contains(&start)) {
            return Ok(());
        }
        self.settle_outside(site, address, &home)?;
        self.pin(site, address.shadow, u64::from(address.value))?;
        if start.is_some_and(|start| self.bytes.poison.fault(start, 1).is_none()) {
            self.meet(Gap::OutOfObject);
            return Err(Stop::Exhausted(Resource::Model));
        }
        let range = u64::from(home.start)..u64::from(home.end);
        let poison = &self.bytes.poison;
        if !poison.is_in_arena(&range) {
            return Err(Stop::Trap(TrapKind::OutOfVariable(poison.zones.storage_at(home.start))));
        }
        self.stray = start;
        if start.is_some_and(|start| start < home.start) {
            self.meet(Gap::FirstElement);
        }
        Err(Stop::Trap(TrapKind::OutOfObject))
    }

    /// Notes that an access starts outside the object that it is about, which another input may change.
    fn settle_outside(
        &mut self,
        site: u32,
        address: LowAddress,
        home: &Range<u32>,
    ) -> Result<(), Stop> {
        let (Some(index), Some(last)) =
            ((address.shadow as usize).checked_sub(1), home.len().checked_sub(1))
        else {
            return Ok(());
        };
        let first = self.terms.bv(32, u64::from(home.start.wrapping_sub(address.offset)));
        let distance = self.terms.app(Op::BvSub, &[TermId::from_index(index), first]);
        let last = self.terms.bv(32, last as u64);
        let term = self.terms.app(Op::BvUle, &[distance, last]);
        self.settle(site, Literal { term, expected: false }, Origin::ObjectGuard)
    }

    /// The end of a run that accesses forbidden bytes. A larger object would not help an access before its start.
    fn stray(&mut self, kind: TrapKind, start: u32) -> Stop {
        self.stray = Some(start);
        if kind == TrapKind::OutOfObject && self.bytes.poison.is_before_object(start) {
            self.meet(Gap::FirstElement);
        }
        Stop::Trap(kind)
    }

    /// The load as a table term, if the address points into a small concrete window of memory.
    fn load_window(
        &mut self,
        memory: &[u8],
        address: LowAddress,
        shape: Shape,
        object: Option<Range<u32>>,
    ) -> Option<TermId> {
        let term = TermId::from_index(address.shadow as usize - 1);
        let n = u64::from(shape.bytes);
        let mut window = self.knowledge.window(&self.terms, term, address.offset)?;
        let start = u64::from(address.value) + u64::from(address.offset);
        match &object {
            // The path says already that the address stays in the object.
            Some(object) => window = window.clipped(object, n).filter(|w| w.contains(start))?,
            // What is an object in the arena may differ from run to run.
            None if self.bytes.poison.is_in_arena(&window.bytes(n)) => return None,
            None => {}
        }
        let Window { index, low, cells, first, scale } = window;
        let length = (cells - 1) * scale + n;
        if first + length > memory.len() as u64
            || self.bytes.poison.fault(first as u32, length as u32).is_some()
            || !self.bytes.is_concrete(first as u32, length as u32)
        {
            return None;
        }
        let read = |i: u64| (first + i * scale) as u32..(first + i * scale + n) as u32;
        self.note_parts((0..cells).map(read));
        self.note_read(first as u32, length as u32, false);
        let cell = |i: u64| {
            let start = (first + i * scale) as usize;
            let bytes = memory[start..start + n as usize].iter().rev();
            Value::bv(8 * n as u8, bytes.fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
        };
        let entries: Vec<Value> = (0..cells).map(cell).collect();
        if entries.iter().all(|entry| *entry == entries[0]) {
            return Some(self.terms.constant(entries[0]));
        }
        self.cells += entries.len();
        let table = self.terms.table(&entries);
        let low = self.terms.constant(Value::from_bits(self.terms.sort(index), low));
        let position = self.terms.app(Op::BvSub, &[index, low]);
        Some(self.terms.lookup(table, position))
    }

    /// The shadow of a load's bytes, widened or read as a float.
    fn loaded(&mut self, shape: Shape, bytes: TermId) -> Result<ShadowId, Stop> {
        let width = match shape.num {
            Num::I32 | Num::F32 => 32,
            Num::I64 | Num::F64 => 64,
        };
        let more = width - 8 * shape.bytes;
        let term = match (shape.num, shape.widening) {
            (Num::F32 | Num::F64, _) => float_of(&mut self.terms, bytes),
            (Num::I32 | Num::I64, Widening::Whole) => bytes,
            (Num::I32 | Num::I64, Widening::Unsigned) => {
                extend(&mut self.terms, Op::ZeroExtend, more, bytes)
            }
            (Num::I32 | Num::I64, Widening::Signed) => {
                extend(&mut self.terms, Op::SignExtend, more, bytes)
            }
        };
        self.shadow(term)
    }
}
