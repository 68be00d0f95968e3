//! What is special in the concrete form.
//!
//! Tags of memory are looked at in line, and no function is called (`tags.rs`).
//!
//! A local variable that nobody has initialised starts with a value that is read from one place (`uninitialized.rs`). Most are
//! written before they are used, but the compiler puts the read where the function starts. So the value travels with a shadow,
//! and a run that uses it for anything but to move it ends. All other shadows are one local that stays zero: wherever a variable
//! has been written, the code generator sees that and nothing is left of the shadow.

use crate::access::Access;
use crate::instrument::function::{Operand, Rewriter, Shadow};
use crate::instrument::layout::{FLAG_MEMORY, Form, HostFunction};
use crate::tags::{FRESH, POINTER, all};
use symcrete_program::module::ValueType;
use wasm_encoder::{BlockType, Instruction, MemArg, ValType};

impl Rewriter<'_> {
    /// A load of the concrete form.
    pub(crate) fn load_concrete(&mut self, access: Access, operands: &[Operand]) -> Operand {
        let source = u64::from(self.context.source.start)..u64::from(self.context.source.end);
        let place = operands[0].constant.and_then(|constant| constant.checked_add(access.offset));
        if place.is_some_and(|place| source.contains(&place)) {
            let temps = self.save(operands);
            self.emit_address(temps[0], operands[0].ty);
            self.copy();
            self.out.i32(1);
            return self.with_shadow(access.ty);
        }
        self.look_at_tags(access, operands);
        self.copy();
        Operand::concrete(access.ty)
    }

    /// Ends the run if it is about to use a value that nobody has written; says whether this is the form that does so.
    pub(crate) fn leave_if_unknown(&mut self, operands: &[Operand]) -> bool {
        if self.form == Form::Shadowed {
            return false;
        }
        let shadows: Vec<Shadow> = operands.iter().map(|operand| operand.shadow).collect();
        if self.emit_any(&shadows) {
            self.leave_if();
        }
        true
    }

    /// Pushes the shadow of what is concrete. In the concrete form it is always the same value, so that the code generator sees
    /// where no other can arrive.
    pub(crate) fn emit_zero_shadow(&mut self) {
        if self.form == Form::Shadowed {
            return self.out.i32(0);
        }
        let zero = match self.zero {
            Some(zero) => zero,
            None => self.out.new_local(ValType::I32),
        };
        self.zero = Some(zero);
        self.out.get(zero);
    }

    /// Looks at the tags of an access and pushes its operands back, its address as one of 32 bits. One that is wider goes the
    /// way of tagged bytes, so that there is one branch for both.
    pub(crate) fn look_at_tags(&mut self, access: Access, operands: &[Operand]) {
        let (temps, ty) = (self.save(operands), operands[0].ty);
        let tags = self.temp(self.stack.height() + 2, ValueType::I64);
        self.emit_address(temps[0], ty);
        self.out.emit(&self.tags_load(access));
        if ty == ValueType::I64 {
            self.out.emit_upper_half(temps[0]);
            self.out.emit(&Instruction::I64Or);
        }
        self.out.emit(&Instruction::LocalTee(tags));
        self.out.emit(&Instruction::I64Eqz);
        self.out.emit(&Instruction::I32Eqz);
        self.out.emit_cold_if(BlockType::Empty);
        if ty == ValueType::I64 {
            self.out.emit_upper_half(temps[0]);
            self.out.emit(&Instruction::I64Eqz);
            self.out.emit(&Instruction::I32Eqz);
            self.leave_if();
        }
        match access.form().is_store {
            true => self.overwrite_tags(access, (temps[0], ty), tags),
            false => self.read_tags(access, (temps[0], ty), tags),
        }
        self.out.emit(&Instruction::End);
        self.emit_address(temps[0], ty);
        self.restore(&temps[1..]);
    }

    /// What is written is neither fresh nor a pointer any more.
    fn overwrite_tags(&mut self, access: Access, (address, ty): (u32, ValueType), tags: u32) {
        self.out.get(tags);
        self.out.emit(&Instruction::I64Const(!all(FRESH | POINTER, 8) as i64));
        self.out.emit(&Instruction::I64And);
        self.out.emit(&Instruction::I64Eqz);
        self.out.emit(&Instruction::I32Eqz);
        self.leave_if();
        self.emit_address(address, ty);
        self.out.emit(&Instruction::I64Const(0));
        let place = self.tags_place(access);
        self.out.emit(&match access.form().bytes {
            1 => Instruction::I64Store8(place),
            2 => Instruction::I64Store16(place),
            4 => Instruction::I64Store32(place),
            _ => Instruction::I64Store(place),
        });
    }

    /// A pointer can be read as a whole.
    fn read_tags(&mut self, access: Access, (address, ty): (u32, ValueType), tags: u32) {
        let (bytes, word) =
            (u32::from(access.form().bytes), self.context.module.address_type().bytes());
        if bytes < word {
            self.out.emit(&Instruction::Unreachable);
            return;
        }
        self.out.get(tags);
        self.out.emit(&Instruction::I64Const(all(POINTER, bytes) as i64));
        self.out.emit(&Instruction::I64Ne);
        self.emit_address(address, ty);
        self.out.i32(access.offset as u32);
        self.out.emit(&Instruction::I32Add);
        self.out.i32(word - 1);
        self.out.emit(&Instruction::I32And);
        self.out.emit(&Instruction::I32Or);
        self.leave_if();
    }

    /// Tells the host of bytes that are copied or filled.
    pub(crate) fn bulk_tags(&mut self, operands: &[Operand], temps: &[u32], is_copy: bool) {
        let told = if is_copy { &[0, 1, 2][..] } else { &[0, 2][..] };
        told.iter().for_each(|&i| self.emit_bits(temps[i], operands[i].ty));
        self.call_host(if is_copy { HostFunction::Copied } else { HostFunction::Filled });
    }

    /// Ends the run if the number on top is not zero.
    fn leave_if(&mut self) {
        self.out.emit_cold_if(BlockType::Empty);
        self.out.emit(&Instruction::Unreachable);
        self.out.emit(&Instruction::End);
    }

    fn emit_address(&mut self, address: u32, ty: ValueType) {
        self.out.get(address);
        if ty == ValueType::I64 {
            self.out.emit(&Instruction::I32WrapI64);
        }
    }

    fn tags_load(&self, access: Access) -> Instruction<'static> {
        let place = self.tags_place(access);
        match access.form().bytes {
            1 => Instruction::I64Load8U(place),
            2 => Instruction::I64Load16U(place),
            4 => Instruction::I64Load32U(place),
            _ => Instruction::I64Load(place),
        }
    }

    fn tags_place(&self, access: Access) -> MemArg {
        let offset = access.offset + u64::from(self.context.layout.flags);
        MemArg { offset, align: 0, memory_index: FLAG_MEMORY }
    }
}
