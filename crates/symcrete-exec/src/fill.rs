//! What undefined functions write through their arguments: fresh inputs, never beyond the object that an argument
//! points into.
//!
//! **Invariant:** which bytes are written depends on the path alone. Where the number of elements is symbolic, each of them is
//! `i < n ? new : old`; where the address is, it is taken at its value.

use crate::lower::{extend, in_memory};
use crate::memory::gather;
use crate::recording::{Address, Recording, ShadowId, Stop};
use symcrete_program::{Fill, FillCount};
use symcrete_term::{Op, TermId, Value};

/// Elements that are written if their number is symbolic: each may or may not be.
const SYMBOLIC_MAX: u32 = 64;
/// Cells that one run writes so. Calls after that write nothing.
const FILLED_MAX: u32 = 1 << 14;

/// A call that is about to write.
pub(crate) struct FillCall {
    /// How many calls of the function came before.
    pub(crate) number: u32,
    pub(crate) site: u32,
    pub(crate) arguments: Vec<FillArgument>,
}

/// An argument of such a call.
#[derive(Clone, Copy)]
pub(crate) struct FillArgument {
    pub(crate) shadow: ShadowId,
    pub(crate) bits: u64,
    /// Whether it has 32 bits only.
    pub(crate) is_narrow: bool,
}

impl FillArgument {
    /// How many elements it says; none if it is negative.
    fn number(self, is_signed: bool) -> u64 {
        let signed = if self.is_narrow { i64::from(self.bits as i32) } else { self.bits as i64 };
        if is_signed { u64::try_from(signed).unwrap_or(0) } else { self.bits }
    }
}

/// Bytes for memory, and where they go.
pub(crate) type Written = Vec<(u32, Vec<u8>)>;

/// How many elements a call writes.
struct Elements {
    /// Those that it may write.
    n_max: u32,
    /// Those that it does write in this run.
    n: u32,
    /// Those that it writes whatever the term says.
    least: u32,
    /// The number as a term, if it is symbolic, and whether it may be negative.
    term: Option<(TermId, bool)>,
}

impl Recording {
    /// How often a function was called before.
    pub(crate) fn count_call(&mut self, function: &str) -> u32 {
        let n = self.calls.entry(function.to_string()).or_insert(0);
        *n += 1;
        *n - 1
    }

    /// Gives shadows to what a call writes through an argument; returns the bytes that memory gets. `before` is what
    /// memory has from there on.
    pub(crate) fn fill_argument(
        &mut self,
        flags: &mut [u8],
        before: &[u8],
        fill: &Fill,
        call: &FillCall,
    ) -> Result<Written, Stop> {
        let FillArgument { shadow, bits: value, .. } = call.arguments[fill.argument];
        let address = Address { shadow, value, offset: 0 };
        let (address, is_input) = self.follow_or_null(call.site, address)?;
        self.pin(call.site, address.shadow, value)?;
        let Some(start) = u32::try_from(value).ok().filter(|&start| start != 0) else {
            return Ok(Vec::new());
        };
        let poison = &self.bytes.poison;
        let object = poison.object_at(start).filter(|_| !poison.zones.is_constant(start));
        let Some(object) = object else { return Ok(Vec::new()) };
        let room = (object.end - start).min(before.len() as u32);
        let elements = self.elements(fill, room, &call.arguments);
        let length = elements.n_max * fill.stride;
        let n_cells = elements.n_max * fill.cells.len() as u32;
        let is_gone = self.bytes.poison.fault(start, length).is_some();
        if length == 0 || is_gone || self.n_filled + n_cells > FILLED_MAX {
            return Ok(Vec::new());
        }
        self.n_filled += n_cells;
        if elements.term.is_some() {
            self.note_read(start, length, is_input);
            self.give_values(start, length)?;
        }
        self.note_write(start, length, is_input);
        if let Some(tie) = self.tied_at(start) {
            self.settle_terminator(call.site, tie, start + length)?;
        }
        let mut written = Vec::new();
        for element in 0..elements.n_max {
            for cell in &fill.cells {
                let name = fill.cell_name(call.number, element, cell);
                let (term, value) = self.draw_named(&name, cell.kind)?;
                let new = in_memory(&mut self.terms, cell.kind, term);
                let (offset, size) = (element * fill.stride + cell.offset, cell.kind.size());
                let at = start + offset;
                let term = match elements.term.filter(|_| element >= elements.least) {
                    Some(n) => {
                        let before = &before[offset as usize..(offset + size) as usize];
                        let old = self.whole(at, before);
                        self.if_below(element, n, (new, old))
                    }
                    None => new,
                };
                self.shadow_bytes(flags, at, size as u8, term);
                if element < elements.n {
                    written.push((at, value.bits().to_le_bytes()[..size as usize].to_vec()));
                }
            }
        }
        Ok(written)
    }

    /// How many elements a call writes into so many bytes.
    fn elements(&mut self, fill: &Fill, room: u32, arguments: &[FillArgument]) -> Elements {
        let room = fill.elements_in(room);
        let (lengths, least) = match &fill.count {
            FillCount::Exactly(n) => {
                let n = if *n <= room { *n } else { 0 };
                return Elements { n_max: n, n, least: n, term: None };
            }
            FillCount::Product { lengths, least } => (lengths, (*least).min(room)),
        };
        // A product is computed as the term is: without signs, modulo 64 bits.
        let is_signed = lengths.len() == 1 && lengths[0].is_signed;
        let numbers = lengths.iter().map(|length| arguments[length.argument].number(is_signed));
        let n = numbers.fold(1, u64::wrapping_mul);
        let n = u32::try_from(n).unwrap_or(u32::MAX).max(least).min(room);
        if lengths.iter().all(|length| arguments[length.argument].shadow == 0) {
            return Elements { n_max: n, n, least: n, term: None };
        }
        let mut term = None;
        for length in lengths {
            let FillArgument { bits, shadow, .. } = arguments[length.argument];
            let factor = match (shadow as usize).checked_sub(1) {
                Some(index) => TermId::from_index(index),
                None => self.terms.bv(64, bits),
            };
            let narrow = 64 - self.terms.sort(factor).bits() as u8;
            let op = if is_signed { Op::SignExtend } else { Op::ZeroExtend };
            let factor = match narrow {
                0 => factor,
                narrow => extend(&mut self.terms, op, narrow, factor),
            };
            term = Some(match term {
                Some(product) => self.terms.app(Op::BvMul, &[product, factor]),
                None => factor,
            });
        }
        let n_max = room.min(SYMBOLIC_MAX);
        let term = term.map(|term| (term, is_signed));
        Elements { n_max, n: n.min(n_max), least: least.min(n_max), term }
    }

    /// The term of bytes that are in memory: these, where nothing is symbolic.
    fn whole(&mut self, at: u32, concrete: &[u8]) -> TermId {
        let size = concrete.len() as u32;
        let symbolic: Vec<_> = (at..at + size).map(|byte| self.bytes.get(byte)).collect();
        gather(&mut self.terms, &symbolic, concrete).unwrap_or_else(|| {
            let bits = concrete.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            self.terms.constant(Value::bv(8 * size as u8, bits))
        })
    }

    /// What an element is that is new if a number is greater than its own.
    fn if_below(
        &mut self,
        element: u32,
        (n, is_signed): (TermId, bool),
        (new, old): (TermId, TermId),
    ) -> TermId {
        let own = self.terms.bv(64, u64::from(element));
        let op = if is_signed { Op::BvSlt } else { Op::BvUlt };
        let is_written = self.terms.app(op, &[own, n]);
        self.terms.ite(is_written, new, old)
    }
}
