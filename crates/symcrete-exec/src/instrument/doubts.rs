//! What the concrete form has seen and not looked at yet.
//!
//! A run in the concrete form can be thrown away at any time, so an address need not be looked at before the run goes
//! on, only before it is believed. Accesses gather their addresses of 64 bits in a local and use the lower half.
//! There is one branch for all of them before each call, at the end of the function, and where fuel is used up. A run
//! that goes astray in between does so in its own memory, makes no calls, and ends by its fuel at the latest.

use crate::instrument::function::{Carrier, Rewriter};
use symcrete_program::module::ValueType;
use wasm_encoder::{BlockType, Instruction, ValType};

impl Rewriter<'_> {
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
