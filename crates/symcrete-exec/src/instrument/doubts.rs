//! What the concrete form has seen and not looked at yet.
//!
//! A run in the concrete form can be thrown away at any time, so an address need not be looked at before the run goes
//! on, only before it is believed. Accesses gather their addresses of 64 bits in a local and use the lower half.
//! There is one branch for all of them before each call, at the end of the function, and where fuel is used up. A run
//! that goes astray in between does so in its own memory, makes no calls, and ends by its fuel at the latest.
//!
//! An address that is known to be near (`bounds.rs`) is not gathered. The loop-invariant parts of the addresses in a loop are
//! checked before the loop, so that of all addresses that differ only by such values one has to be gathered per iteration. A
//! run whose loop would not have used the value is then discarded for nothing, so values are checked only if they are used
//! as they are, not where a part of one is cut out.

use crate::instrument::bounds::Interval;
use crate::instrument::function::{Carrier, Rewriter};
use crate::instrument::numbers::{Number, Origin};
use symcrete_program::module::{ValueType, WasmOp};
use wasm_encoder::{BlockType, Instruction, ValType};

/// A part of an address that is looked at before a loop is no greater than this.
const PART_MAX: i64 = 1 << 29;
/// A value that is multiplied with more is no part that is looked at.
const TIMES_MAX: i64 = 1 << 16;
/// Sums are followed so deep.
const DEPTH_MAX: u32 = 8;

impl Rewriter<'_> {
    /// Whether an address that is about to be used need not be gathered.
    pub(crate) fn is_near(&mut self, address: Option<Number>) -> bool {
        let Some(address) = address else { return false };
        let memory_bytes = self.context.layout.memory_pages_max << 16;
        let is_near = self.numbers.is_near(address, memory_bytes);
        if !is_near {
            self.find_parts(address, 1, true, DEPTH_MAX);
        }
        self.numbers.is_used(address, memory_bytes);
        is_near
    }

    /// Finds the parts of an address that loops do not change.
    fn find_parts(&mut self, number: Number, times: i64, is_signed: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if !(1..=TIMES_MAX).contains(&times) {
            return;
        }
        if let Some((site, local)) = self.unchanged_local(number) {
            let part = Carrier::Part { site, local, times, is_signed };
            if !self.carriers.contains(&part) {
                self.new_carriers.insert(part);
            }
            return;
        }
        let Some(Origin::Operator(op, a, b)) = self.numbers.origin(number) else { return };
        let op = WasmOp::from_code(op);
        let constant = b.and_then(|b| self.numbers.interval(b));
        let constant = constant.filter(|of| of.low == of.high).map(|of| of.low);
        let is = |ops: &[WasmOp]| ops.contains(&op);
        if is(&[WasmOp::I64ExtendI32S, WasmOp::I64ExtendI32U]) {
            // Terms of a sum that is not negative may be.
            let is_signed = op == WasmOp::I64ExtendI32S || self.unchanged_local(a).is_none();
            self.find_parts(a, times, is_signed, depth);
        } else if is(&[WasmOp::I32Add, WasmOp::I64Add, WasmOp::I32Sub, WasmOp::I64Sub]) {
            let parts = [Some(a), b].into_iter().flatten();
            parts.for_each(|part| self.find_parts(part, times, is_signed, depth));
        } else if is(&[WasmOp::I32Shl, WasmOp::I64Shl])
            && let Some(by) = constant
        {
            self.find_parts(a, times << by.clamp(0, 30), is_signed, depth);
        } else if is(&[WasmOp::I32Mul, WasmOp::I64Mul])
            && let Some(by) = constant
        {
            self.find_parts(a, times.saturating_mul(by), is_signed, depth);
        }
    }

    /// The outermost loop, by its site, that does not change a local with such a value.
    fn unchanged_local(&self, number: Number) -> Option<(u32, u32)> {
        self.loops.iter().find_map(|open| {
            let written = &self.facts().loops[&open.site].locals;
            let is_one = |(local, &first): (usize, &Number)| {
                (first == number && !written.contains(&(local as u32))).then_some(local as u32)
            };
            Some((open.site, open.before.iter().enumerate().find_map(is_one)?))
        })
    }

    /// Before a loop, looks at the parts of addresses that it does not change.
    pub(crate) fn look_at_parts(&mut self) {
        let carriers = self.carriers;
        for carrier in carriers {
            let &Carrier::Part { site, local, times, is_signed } = carrier else { continue };
            if site == self.site {
                self.look_at_part(local, PART_MAX / times, is_signed);
            }
        }
    }

    fn look_at_part(&mut self, local: u32, greatest: i64, is_signed: bool) {
        let least = if is_signed { -greatest } else { 0 };
        let (number, ty) = (self.numbers.local(local), self.of_local(local).ty);
        let known = self.numbers.interval(number);
        if known.is_some_and(|of| of.low >= least && of.high <= greatest) {
            return;
        }
        self.out.get(local);
        if ty == ValueType::I32 {
            self.out.emit(&Instruction::I64ExtendI32S);
        }
        self.out.emit(&Instruction::I64Const(-least));
        self.out.emit(&Instruction::I64Add);
        self.out.emit(&Instruction::I64Const(greatest - least));
        self.out.emit(&Instruction::I64GtU);
        self.leave_if();
        self.numbers.learn(number, Interval { low: least, high: greatest }, DEPTH_MAX);
    }

    /// Adds an address, which is in a local, to those that are to be looked at. Whether a function has any is found like which locals
    /// carry shadows.
    pub(crate) fn gather_address(&mut self, address: u32) {
        self.new_carriers.extend((!self.has_addresses()).then_some(Carrier::Addresses));
        let gathered = self.gathered();
        self.out.get(address);
        self.out.get(gathered);
        self.out.emit(&Instruction::I64Or);
        self.out.set(gathered);
    }

    fn has_addresses(&self) -> bool {
        self.carriers.contains(&Carrier::Addresses)
    }

    fn gathered(&mut self) -> u32 {
        let out = &mut self.out;
        *self.addresses.get_or_insert_with(|| out.new_local(ValType::I64))
    }

    /// Ends the run if there is more than 32 bits of any address that was gathered.
    pub(crate) fn settle_addresses(&mut self) {
        if !self.has_addresses() {
            return;
        }
        let gathered = self.gathered();
        self.out.emit_upper_half(gathered);
        self.out.emit(&Instruction::I64Eqz);
        self.out.emit(&Instruction::I32Eqz);
        self.leave_if();
        self.emit_zero(ValueType::I64);
        self.out.set(gathered);
    }

    /// Settles before somebody else runs, who may change tags.
    pub(crate) fn settle_for_others(&mut self) {
        self.settle_addresses();
        self.numbers.forget();
        self.others_run();
    }

    /// Ends the run if the number on top is not zero.
    pub(crate) fn leave_if(&mut self) {
        self.out.emit_cold_if(BlockType::Empty);
        self.out.emit(&Instruction::Unreachable);
        self.out.emit(&Instruction::End);
    }
}
