//! What is special in the concrete form.
//!
//! Tags of memory are checked inline, and no function is called (`tags.rs`, `doubts.rs`).
//!
//! A local variable that nobody has initialised starts with a value that is read from one place (`uninitialized.rs`). Most are
//! written before they are used, but the compiler puts the read where the function starts. So the value travels with a shadow,
//! and a run that uses it for anything but to move it ends. Where it is stored, in the padding of a structure that is copied for
//! example, nobody has written these bytes. All other shadows are one local that stays zero: wherever a variable
//! has been written, the code generator sees that and nothing is left of the shadow.

use crate::access::Access;
use crate::encode::val_type;
use crate::instrument::bounds::Interval;
use crate::instrument::control::flag_arg;
use crate::instrument::function::{Carrier, Operand, Rewriter, Shadow};
use crate::instrument::layout::{FLAG_MEMORY, Form, HostFunction};
use crate::tags::{self, FORBIDDEN, FRESH};
use symcrete_program::module::ValueType;
use wasm_encoder::{BlockType, Instruction, MemArg};

impl Rewriter<'_> {
    /// A load of the concrete form.
    pub(crate) fn load_concrete(&mut self, access: Access, operands: &[Operand]) -> Operand {
        let source = u64::from(self.context.source.start)..u64::from(self.context.source.end);
        // The compiler may have computed the address elsewhere.
        let number = operands[0].number;
        let address = number.and_then(|number| self.numbers.interval(number));
        let address = address.filter(|address| address.low == address.high);
        let address = address.and_then(|address| u64::try_from(address.low).ok());
        let place = address.and_then(|address| address.checked_add(access.offset));
        if place.is_some_and(|place| source.contains(&place)) {
            let temps = self.save(operands);
            self.emit_address(temps[0], operands[0].ty);
            self.copy();
            self.out.i32(1);
            return self.with_shadow(access.ty);
        }
        self.look_at_tags(access, operands);
        self.copy();
        let is_integer = matches!(access.ty, ValueType::I32 | ValueType::I64);
        let is_small = is_integer && access.bytes < 4 && !access.signed;
        let number =
            is_small.then(|| self.numbers.within(Interval::up_to((1 << (8 * access.bytes)) - 1)));
        Operand { is_moved: true, number, ..Operand::concrete(access.ty) }
    }

    /// Bytes may have tags from here on that had none: what is known of tags holds no more, nor at the start of a loop around, which
    /// must know that when it starts.
    fn tags_return(&mut self) {
        self.numbers.forget();
        self.others_run();
        for open in &self.loops {
            let carrier = Carrier::Unwritten(open.site);
            if !self.carriers.contains(&carrier) {
                self.new_carriers.insert(carrier);
            }
        }
    }

    /// Ends the run if it is about to use an uninitialised value; says whether this is the form that does so.
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
        match self.form {
            Form::Shadowed => self.out.i32(0),
            Form::Concrete => self.emit_zero(ValueType::I32),
        }
    }

    /// Pushes a zero that is always the same value.
    pub(crate) fn emit_zero(&mut self, ty: ValueType) {
        let zero = match self.zeros.get(&ty) {
            Some(&zero) => zero,
            None => self.out.new_local(val_type(ty)),
        };
        self.zeros.insert(ty, zero);
        self.out.get(zero);
    }

    /// Looks at the tags of an access, gathers its address, and pushes its operands back, the address as one of 32 bits.
    pub(crate) fn look_at_tags(&mut self, access: Access, operands: &[Operand]) {
        let (temps, ty, number) = (self.save(operands), operands[0].ty, operands[0].number);
        if let Some(&stored) = operands.get(1) {
            self.leave_if_nan(stored, temps[1]);
        }
        let stored = operands.get(1).map_or(Shadow::Zero, |stored| stored.shadow);
        if stored != Shadow::Zero {
            self.tags_return();
        }
        let is_seen = stored == Shadow::Zero && self.numbers.is_seen(access, number);
        let is_gathered = ty == ValueType::I32 || self.is_near(number);
        if !(is_seen && is_gathered) {
            self.looks_at(access, ty, number);
        }
        let start = self.out.here();
        match (is_seen, access.form().is_store) {
            (true, _) => {}
            (false, true) => self.overwrite_tags(access, (temps[0], ty), stored),
            (false, false) => {
                self.emit_address(temps[0], ty);
                self.emit_what_is_unreadable(access);
                self.leave_if();
            }
        }
        if !is_gathered {
            self.gather_address(temps[0]);
        }
        if !(is_seen && is_gathered) {
            self.look(start, number);
        }
        self.emit_address(temps[0], ty);
        self.restore(&temps[1..]);
    }

    /// Makes of the address on top an `i32` that is zero if all tags there may be read.
    fn emit_what_is_unreadable(&mut self, access: Access) {
        let word = self.context.module.address_type().bytes();
        let place = self.tags_place(access);
        match access.bytes {
            1 => self.out.emit(&Instruction::I32Load8U(place)),
            2 => self.out.emit(&Instruction::I32Load16U(place)),
            4 => self.out.emit(&Instruction::I32Load(place)),
            _ => self.out.emit(&Instruction::I64Load(place)),
        }
        let is_float = matches!(access.ty, ValueType::F32 | ValueType::F64);
        let unreadable = !tags::pointers(access.bytes, word);
        // Nobody reads a pointer as a float, and to compare with zero is shorter.
        let may_be_pointer = access.bytes >= word && !is_float;
        if may_be_pointer && access.bytes == 4 {
            self.out.i32(unreadable as u32);
            self.out.emit(&Instruction::I32And);
        }
        if may_be_pointer && access.bytes == 8 {
            self.out.emit(&Instruction::I64Const(unreadable as i64));
            self.out.emit(&Instruction::I64And);
        }
        if access.bytes == 8 {
            self.out.emit(&Instruction::I64Eqz);
            self.out.emit(&Instruction::I32Eqz);
        }
    }

    /// What is written is neither fresh nor a pointer any more, unless what is stored has a value that nobody has written. There are no branches where bytes have tags: what follows one is
    /// not cold.
    fn overwrite_tags(&mut self, access: Access, (address, ty): (u32, ValueType), stored: Shadow) {
        let tags = self.temp(self.stack.height() + 2, ValueType::I64);
        let place = self.tags_place(access);
        self.emit_address(address, ty);
        self.out.emit(&match access.bytes {
            1 => Instruction::I64Load8U(place),
            2 => Instruction::I64Load16U(place),
            4 => Instruction::I64Load32U(place),
            _ => Instruction::I64Load(place),
        });
        self.out.emit(&Instruction::LocalTee(tags));
        self.out.emit(&Instruction::I64Eqz);
        self.out.emit(&Instruction::I32Eqz);
        if self.emit_any(&[stored]) {
            self.out.emit(&Instruction::I32Or);
        }
        self.out.emit_cold_if(BlockType::Empty);
        self.emit_trap_if_forbidden(tags);
        self.emit_address(address, ty);
        self.out.emit(&Instruction::I64Const(tags::all(FRESH, 8) as i64));
        self.out.emit(&Instruction::I64Const(0));
        self.emit_shadow(stored);
        self.out.emit(&Instruction::Select);
        self.out.emit(&match access.bytes {
            1 => Instruction::I64Store8(place),
            2 => Instruction::I64Store16(place),
            4 => Instruction::I64Store32(place),
            _ => Instruction::I64Store(place),
        });
        self.out.emit(&Instruction::End);
    }

    /// Ends the run, by a read beyond any memory, if one of these tags forbids the access.
    fn emit_trap_if_forbidden(&mut self, tags: u32) {
        self.out.i32(0);
        self.out.emit(&Instruction::I32Const(-1));
        self.out.get(tags);
        self.out.emit(&Instruction::I64Const(tags::all(FORBIDDEN, 8) as i64));
        self.out.emit(&Instruction::I64And);
        self.out.emit(&Instruction::I64Eqz);
        self.out.emit(&Instruction::Select);
        self.out.emit(&Instruction::I32Load(flag_arg(0, 0)));
        self.out.emit(&Instruction::Drop);
    }

    /// Tells the host of bytes that are copied or filled.
    pub(crate) fn bulk_tags(&mut self, operands: &[Operand], temps: &[u32], is_copy: bool) {
        let told = if is_copy { &[0, 1, 2][..] } else { &[0, 2][..] };
        told.iter().for_each(|&i| self.emit_bits(temps[i], operands[i].ty));
        self.call_host(if is_copy { HostFunction::Copied } else { HostFunction::Filled });
    }

    fn emit_address(&mut self, address: u32, ty: ValueType) {
        self.out.get(address);
        if ty == ValueType::I64 {
            self.out.emit(&Instruction::I32WrapI64);
        }
    }

    fn tags_place(&self, access: Access) -> MemArg {
        let offset = access.offset + u64::from(self.context.layout.flags);
        MemArg { offset, align: 0, memory_index: FLAG_MEMORY }
    }
}
