//! Which NaN a number is.
//!
//! The shadowed form makes every NaN that an operator gives the canonical one, after every operator. The concrete form does not,
//! which would be half of its time where floats are added up. Arithmetic does not look at the bits of a NaN, so that they matter
//! only where they become a number or leave the program's functions: where a float is stored, kept in a global, passed to the
//! host, taken as bits, or lends its sign. There a NaN ends the run, unless it was only moved since it was read: then its bits are
//! those that it has in the other form.

use crate::instrument::emitter::Emitter;
use crate::instrument::function::{Operand, Rewriter};
use crate::instrument::layout::Form;
use symcrete_program::module::{Meaning, ValueType, WasmOp};
use wasm_encoder::{BlockType, Instruction};

impl Rewriter<'_> {
    /// Ends a run in the concrete form if an operand, which is in a local, is a NaN whose bits are not known.
    pub(crate) fn leave_if_nan(&mut self, operand: Operand, local: u32) {
        if self.form == Form::Concrete && !operand.is_moved {
            leave_if_nan(&mut self.out, local, operand.ty);
        }
    }

    /// The same for the operand on top of the stack.
    pub(crate) fn leave_if_nan_on_top(&mut self, operand: Operand) {
        let is_float = matches!(operand.ty, ValueType::F32 | ValueType::F64);
        if self.form == Form::Concrete && is_float && !operand.is_moved {
            let local = self.temp(self.stack.height() + 2, operand.ty);
            self.out.emit(&Instruction::LocalTee(local));
            leave_if_nan(&mut self.out, local, operand.ty);
        }
    }

    /// The operand of which an operator sees more than that it is a NaN is its last.
    pub(crate) fn leave_if_nan_is_seen(&mut self, op: WasmOp, operands: &[Operand]) {
        if matches!(op.meaning(), Meaning::ToBits | Meaning::Copysign)
            && let Some(&last) = operands.last()
        {
            self.leave_if_nan_on_top(last);
        }
    }
}

/// Ends the run if a local holds a NaN.
pub(crate) fn leave_if_nan(out: &mut Emitter, local: u32, ty: ValueType) {
    // A comparison that looks at one flag of the machine.
    let is_number = match ty {
        ValueType::F32 => Instruction::F32Ge,
        ValueType::F64 => Instruction::F64Ge,
        ValueType::I32 | ValueType::I64 | ValueType::FuncRef => return,
    };
    out.get(local);
    out.get(local);
    out.emit(&is_number);
    // The code generator has no jump for the opposite of such a comparison.
    out.emit_warm_if(BlockType::Empty);
    out.emit(&Instruction::Else);
    out.emit(&Instruction::Unreachable);
    out.emit(&Instruction::End);
}
