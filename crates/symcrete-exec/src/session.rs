//! What the host keeps during one run: terms, path condition, symbolic bytes.
//!
//! The methods here are called from host functions whenever an operand or a byte is symbolic. They know
//! shadows, terms and plain slices of memory, nothing of Wasmtime.
//!
//! **Invariant:** every constraint that is recorded holds on the input of this run.

use crate::access::{SHAPES, Shape, Widening};
use crate::instrument::sites::Sites;
use crate::limits::Limits;
use crate::lower::{bits_of, extend, guards, lower, nonzero};
use crate::memory::{ByteOf, ShadowBytes, gather};
use crate::trace::{Constraint, Origin};
use crate::wasm_op::{Num, WasmOp};
use crate::window::{Knowledge, Window};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use symcrete_program::{Resource, SiteId, TrapKind};
use symcrete_term::{Literal, Op, Sort, TermId, Terms, Value};

/// Fuel that is handed to the program at a time; in between it is not asked whether to stop.
const FUEL_PORTION: u64 = 1 << 16;

/// Why the host ended a run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("out of {0}")]
    Exhausted(Resource),
    #[error("assumption failed")]
    Rejected,
    #[error("{0}")]
    Trap(TrapKind),
}

/// A symbolic value's term as the program carries it: its index plus one; zero is concrete.
pub(crate) type ShadowId = i32;

/// An address as the program computed it.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub(crate) shadow: ShadowId,
    pub(crate) value: u32,
    pub(crate) offset: u32,
}

/// The state of one run.
pub(crate) struct Session {
    pub(crate) terms: Terms,
    pub(crate) path: Vec<Constraint>,
    pub(crate) bytes: ShadowBytes,
    pub(crate) fuel_left: u64,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) tainted: bool,
    knowledge: Knowledge,
    /// Guards and pins that are in the path already.
    settled: BTreeSet<Literal>,
    cells: usize,
    limits: Limits,
}

impl Session {
    pub(crate) fn new(limits: Limits, stop: Arc<AtomicBool>) -> Session {
        Session {
            terms: Terms::new(),
            path: Vec::new(),
            bytes: ShadowBytes::default(),
            fuel_left: 0,
            stop,
            tainted: false,
            knowledge: Knowledge::default(),
            settled: BTreeSet::new(),
            cells: 0,
            limits,
        }
    }

    /// Makes ready for another run with these terms.
    pub(crate) fn begin(&mut self, terms: Terms, fuel: u64) {
        self.terms = terms;
        self.fuel_left = fuel;
        self.tainted = false;
        self.path.clear();
        self.bytes.reset();
        self.knowledge.reset();
        self.settled.clear();
        self.cells = 0;
    }

    /// The next portion of fuel, given what is at hand (negative: owed).
    pub(crate) fn refuel(&mut self, at_hand: i32) -> Result<i32, Stop> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stop::Exhausted(Resource::Patience));
        }
        let mut at_hand = i64::from(at_hand);
        while at_hand < 0 {
            let portion = self.fuel_left.min(FUEL_PORTION);
            if portion == 0 {
                return Err(Stop::Exhausted(Resource::Fuel));
            }
            self.fuel_left -= portion;
            at_hand += portion as i64;
        }
        Ok(at_hand as i32)
    }

    /// The shadow of a term. A term that folded to a constant is concrete.
    #[inline]
    pub(crate) fn shadow(&self, term: TermId) -> Result<ShadowId, Stop> {
        if self.terms.len() + self.cells > self.limits.terms as usize {
            return Err(Stop::Exhausted(Resource::Terms));
        }
        Ok(if self.terms.as_const(term).is_some() { 0 } else { term.index() as i32 + 1 })
    }

    /// The term of a value, symbolic or not.
    #[inline]
    pub(crate) fn term(&mut self, num: Num, shadow: ShadowId, bits: u64) -> TermId {
        match shadow {
            0 => constant(&mut self.terms, num, bits),
            shadow => TermId::from_index(shadow as usize - 1),
        }
    }

    pub(crate) fn unary(&mut self, op: WasmOp, s: ShadowId, v: u64) -> Result<ShadowId, Stop> {
        let a = self.term(op.params()[0], s, v);
        let term = lower(&mut self.terms, op, &[a]);
        self.shadow(term)
    }

    pub(crate) fn binary(
        &mut self,
        op: WasmOp,
        shadows: [ShadowId; 2],
        values: [u64; 2],
    ) -> Result<ShadowId, Stop> {
        let a = self.term(op.params()[0], shadows[0], values[0]);
        let b = self.term(op.params()[1], shadows[1], values[1]);
        let term = lower(&mut self.terms, op, &[a, b]);
        self.shadow(term)
    }

    /// An operator that can trap: its guards go into the path first, and say what is about to happen.
    pub(crate) fn guarded(
        &mut self,
        op: WasmOp,
        site: u32,
        operands: &[(ShadowId, u64)],
    ) -> Result<ShadowId, Stop> {
        let nums = op.params().iter();
        let concrete: Vec<TermId> = nums
            .clone()
            .zip(operands)
            .map(|(&num, &(_, bits))| constant(&mut self.terms, num, bits))
            .collect();
        let args: Vec<TermId> = nums
            .zip(operands)
            .map(|(&num, &(shadow, bits))| self.term(num, shadow, bits))
            .collect();
        let holds = guards(&mut self.terms, op, &concrete);
        for (guard, holds) in guards(&mut self.terms, op, &args).into_iter().zip(holds) {
            let holds = self.terms.as_const(holds) == Some(Value::Bool(true));
            self.settle(site, Literal { term: guard, expected: holds }, Origin::TrapGuard)?;
            if !holds {
                return Ok(0);
            }
        }
        let term = lower(&mut self.terms, op, &args);
        self.shadow(term)
    }

    /// A condition that decided where to go.
    pub(crate) fn decide(
        &mut self,
        site: u32,
        shadow: ShadowId,
        value: u32,
        origin: Origin,
    ) -> Result<(), Stop> {
        let number = self.term(Num::I32, shadow, u64::from(value));
        let condition = nonzero(&mut self.terms, number);
        let literal = Literal { term: condition, expected: value != 0 };
        self.record(SiteId::at(site), literal, origin)
    }

    /// A `br_table`: one condition per distinct target, up to the one that was taken.
    pub(crate) fn switch(
        &mut self,
        sites: &Sites,
        site: u32,
        shadow: ShadowId,
        index: u32,
    ) -> Result<(), Stop> {
        let term = self.term(Num::I32, shadow, u64::from(index));
        let switch = &sites.switches[&site];
        let last = switch.case_of_index.len() - 1;
        let taken = switch.case_of_index[last.min(index as usize)];
        for (case, ranges) in switch.ranges.iter().enumerate() {
            let parts = ranges.iter().map(|&(low, high)| within(&mut self.terms, term, low, high));
            let parts: Vec<TermId> = parts.collect();
            let never = self.terms.bool(false);
            let condition =
                parts.into_iter().fold(never, |any, part| self.terms.app(Op::Or, &[any, part]));
            let expected = case == usize::from(taken);
            let site = SiteId { offset: site, case: case as u16 };
            self.record(site, Literal { term: condition, expected }, Origin::Branch)?;
            if expected {
                break;
            }
        }
        Ok(())
    }

    /// Takes a symbolic value at its concrete one.
    pub(crate) fn pin(&mut self, site: u32, shadow: ShadowId, bits: u64) -> Result<(), Stop> {
        if shadow == 0 {
            return Ok(());
        }
        let term = TermId::from_index(shadow as usize - 1);
        let value = self.terms.constant(Value::from_bits(self.terms.sort(term), bits));
        let equal = self.terms.eq(term, value);
        self.settle(site, Literal::holds(equal), Origin::Concretized)
    }

    /// An index that the machine checks against a limit, then taken at its value.
    pub(crate) fn bounded(
        &mut self,
        site: u32,
        shadow: ShadowId,
        index: u32,
        limit: u32,
    ) -> Result<(), Stop> {
        let term = self.term(Num::I32, shadow, u64::from(index));
        let limit_term = self.terms.bv(32, u64::from(limit));
        let below = self.terms.app(Op::BvUlt, &[term, limit_term]);
        let literal = Literal { term: below, expected: index < limit };
        self.settle(site, literal, Origin::TrapGuard)?;
        self.pin(site, shadow, u64::from(index))
    }

    /// The program assumes a condition.
    pub(crate) fn assume(&mut self, site: u32, shadow: ShadowId, value: u32) -> Result<(), Stop> {
        if shadow != 0 {
            self.decide(site, shadow, value, Origin::Assumed)?;
        }
        if value == 0 { Err(Stop::Rejected) } else { Ok(()) }
    }

    /// The shadow of a loaded value. `memory` is all of the program's memory.
    pub(crate) fn load(
        &mut self,
        memory: &[u8],
        code: u32,
        site: u32,
        address: Address,
    ) -> Result<ShadowId, Stop> {
        let shape = SHAPES[code as usize];
        let start = self.check_bounds(memory.len(), site, address, shape)?;
        if address.shadow != 0 {
            if let Some(term) = start.and_then(|_| self.load_window(memory, address, shape)) {
                return self.loaded(shape, term);
            }
            self.pin(site, address.shadow, u64::from(address.value))?;
        }
        let Some(start) = start else { return Ok(0) };
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

    /// Writes the shadow of a stored value. `flags` is where the flags of memory start.
    pub(crate) fn store(
        &mut self,
        (memory_length, flags): (usize, &mut [u8]),
        (code, site): (u32, u32),
        address: Address,
        (shadow, bits): (ShadowId, u64),
    ) -> Result<(), Stop> {
        let shape = SHAPES[code as usize];
        let start = self.check_bounds(memory_length, site, address, shape)?;
        self.pin(site, address.shadow, u64::from(address.value))?;
        let Some(start) = start else { return Ok(()) };
        if shadow == 0 {
            self.bytes.clear(flags, start, u32::from(shape.bytes));
            return Ok(());
        }
        let mut term = self.term(shape.num, shadow, bits);
        if matches!(shape.num, Num::F32 | Num::F64) {
            term = bits_of(&mut self.terms, term);
        }
        let mut bytes = [None; 8];
        for (i, byte) in bytes[..usize::from(shape.bytes)].iter_mut().enumerate() {
            *byte = Some(ByteOf { term, index: i as u8 });
        }
        self.tainted = true;
        self.bytes.set(flags, start, &bytes[..usize::from(shape.bytes)]);
        Ok(())
    }

    /// Guards the range of a bulk operation and takes it at its values; `false` if it is out of bounds.
    pub(crate) fn bulk_range(
        &mut self,
        memory_length: usize,
        site: u32,
        start: (ShadowId, u32),
        length: (ShadowId, u32),
    ) -> Result<bool, Stop> {
        let fits = u64::from(start.1) + u64::from(length.1) <= memory_length as u64;
        if start.0 != 0 || length.0 != 0 {
            let a = self.term(Num::I32, start.0, u64::from(start.1));
            let b = self.term(Num::I32, length.0, u64::from(length.1));
            let a = extend(&mut self.terms, Op::ZeroExtend, 32, a);
            let b = extend(&mut self.terms, Op::ZeroExtend, 32, b);
            let end = self.terms.app(Op::BvAdd, &[a, b]);
            let limit = self.terms.bv(64, memory_length as u64);
            let within = self.terms.app(Op::BvUle, &[end, limit]);
            self.settle(site, Literal { term: within, expected: fits }, Origin::TrapGuard)?;
            self.pin(site, start.0, u64::from(start.1))?;
            self.pin(site, length.0, u64::from(length.1))?;
        }
        Ok(fits)
    }

    /// Shadows move along with bytes that are copied.
    pub(crate) fn copy(
        &mut self,
        flags: &mut [u8],
        destination: u32,
        source: u32,
        length: u32,
    ) -> Result<(), Stop> {
        if self.bytes.is_concrete(source, length) {
            self.bytes.clear(flags, destination, length);
            return Ok(());
        }
        self.charge_cells(length)?;
        let bytes: Vec<_> = (source..source + length).map(|byte| self.bytes.get(byte)).collect();
        self.bytes.set(flags, destination, &bytes);
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

    /// Bytes and table cells that bulk operations and windows make count as terms do.
    fn charge_cells(&mut self, n: u32) -> Result<(), Stop> {
        self.cells += n as usize;
        if self.terms.len() + self.cells > self.limits.terms as usize {
            return Err(Stop::Exhausted(Resource::Terms));
        }
        Ok(())
    }

    /// Guards an access; gives its first byte's address if it is in bounds.
    fn check_bounds(
        &mut self,
        memory_length: usize,
        site: u32,
        address: Address,
        shape: Shape,
    ) -> Result<Option<u32>, Stop> {
        let needed = u64::from(address.offset) + u64::from(shape.bytes);
        let start = u64::from(address.value) + u64::from(address.offset);
        let fits = start + u64::from(shape.bytes) <= memory_length as u64;
        if address.shadow != 0 && needed <= memory_length as u64 {
            let term = TermId::from_index(address.shadow as usize - 1);
            let last = self.terms.bv(32, memory_length as u64 - needed);
            let within = self.terms.app(Op::BvUle, &[term, last]);
            self.settle(site, Literal { term: within, expected: fits }, Origin::TrapGuard)?;
        }
        Ok(fits.then_some(start as u32))
    }

    /// The load as a table term, if the address points into a small concrete window of memory.
    fn load_window(&mut self, memory: &[u8], address: Address, shape: Shape) -> Option<TermId> {
        let term = TermId::from_index(address.shadow as usize - 1);
        let window = self.knowledge.window(&self.terms, term, address.offset)?;
        let Window { index, low, cells, first, scale } = window;
        let n = u64::from(shape.bytes);
        let length = (cells - 1) * scale + n;
        if first + length > memory.len() as u64
            || !self.bytes.is_concrete(first as u32, length as u32)
        {
            return None;
        }
        let cell = |i: u64| {
            let start = (first + i * scale) as usize;
            let bytes = memory[start..start + n as usize].iter().rev();
            Value::bv(8 * n as u8, bytes.fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
        };
        let entries: Vec<Value> = (0..cells).map(cell).collect();
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
            (Num::F32 | Num::F64, _) => self.terms.app(Op::FpOfBits, &[bytes]),
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

    /// Records a guard or pin, once.
    fn settle(&mut self, site: u32, literal: Literal, origin: Origin) -> Result<(), Stop> {
        if self.settled.insert(literal) {
            self.record(SiteId::at(site), literal, origin)?;
        }
        Ok(())
    }

    fn record(&mut self, site: SiteId, literal: Literal, origin: Origin) -> Result<(), Stop> {
        if self.terms.as_const(literal.term).is_some() {
            return Ok(());
        }
        if self.path.len() >= self.limits.constraints as usize {
            return Err(Stop::Exhausted(Resource::Constraints));
        }
        self.knowledge.learn(&self.terms, literal);
        self.path.push(Constraint { literal, site, origin });
        Ok(())
    }
}

/// A concrete operand as a term. A NaN that is not the canonical one keeps its bits (see `lower.rs`).
fn constant(terms: &mut Terms, num: Num, bits: u64) -> TermId {
    let sort = match num {
        Num::I32 => Sort::Bv(32),
        Num::I64 => Sort::Bv(64),
        Num::F32 => Sort::F32,
        Num::F64 => Sort::F64,
    };
    let value = Value::from_bits(sort, bits);
    if value.bits() == bits {
        return terms.constant(value);
    }
    let bits = terms.bv(sort.bits() as u8, bits);
    terms.app_unsimplified(Op::FpOfBits, [0, 0], &[bits])
}

/// `low <= term <= high`
fn within(terms: &mut Terms, term: TermId, low: u32, high: u32) -> TermId {
    let (low_term, high_term) = (terms.bv(32, u64::from(low)), terms.bv(32, u64::from(high)));
    if low == high {
        return terms.eq(term, low_term);
    }
    let above = terms.app(Op::BvUle, &[low_term, term]);
    let below = terms.app(Op::BvUle, &[term, high_term]);
    terms.app(Op::And, &[above, below])
}
