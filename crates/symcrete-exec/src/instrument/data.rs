//! Memory, globals, tables and calls.

use crate::access::Access;
use crate::instrument::control::flag_arg;
use crate::instrument::emitter::Part;
use crate::instrument::function::{Operand, Rewriter, Shadow};
use crate::instrument::layout::{Form, HostFunction};
use crate::instrument::quick::Quick;
use symcrete_program::module::{FunctionType, ValueType};
use wasm_encoder::{BlockType, Instruction, ValType};

impl Rewriter<'_> {
    /// A load. The flags say whether bytes nearby are symbolic; only then, or if the address is, is the host asked.
    pub(crate) fn load(&mut self, access: Access, operands: &[Operand]) -> Operand {
        if self.out.emit_trap_beyond(self.reach(access)) {
            return Operand::concrete(access.ty);
        }
        if self.form == Form::Concrete {
            return self.load_concrete(access, operands);
        }
        let temps = self.ask_about(access, operands);
        let loaded = self.with_shadow(access.ty);
        self.restore_access(operands, &temps);
        self.copy();
        loaded
    }

    /// A store.
    pub(crate) fn store(&mut self, access: Access, operands: &[Operand]) {
        if self.out.emit_trap_beyond(self.reach(access)) {
            return;
        }
        self.has_effect();
        match self.form {
            Form::Shadowed => {
                let temps = self.ask_about(access, operands);
                self.restore_access(operands, &temps);
            }
            Form::Concrete => self.look_at_tags(access, operands),
        }
        self.copy();
    }

    /// The constant part of where an access, and what is kept of it, is.
    fn reach(&self, access: Access) -> u64 {
        match self.form {
            Form::Shadowed => access.offset,
            Form::Concrete => access.offset.saturating_add(u64::from(self.context.layout.flags)),
        }
    }

    /// Pushes the operands of an access back, its address as one of 32 bits.
    fn restore_access(&mut self, operands: &[Operand], temps: &[u32]) {
        match operands[0].ty == ValueType::I64 {
            true => self.out.get_address(temps[0]),
            false => self.out.get(temps[0]),
        }
        self.restore(&temps[1..]);
    }

    /// Pushes operands back for an operator on memory or tables that is no access: its addresses, indices and lengths
    /// as numbers of 32 bits. No other operand of such an operator has 64.
    pub(crate) fn restore_clamped(&mut self, operands: &[Operand], temps: &[u32]) {
        for (operand, &temp) in operands.iter().zip(temps) {
            match operand.ty == ValueType::I64 {
                true => self.out.get_clamped(temp),
                false => self.out.get(temp),
            }
        }
    }

    /// Asks the host about an access if need be; returns where the operands are.
    fn ask_about(&mut self, access: Access, operands: &[Operand]) -> Vec<u32> {
        let is_store = access.form().is_store;
        let temps = self.save(operands);
        let shadows: Vec<Shadow> = operands.iter().map(|operand| operand.shadow).collect();
        let block = match is_store {
            true => BlockType::Empty,
            false => BlockType::Result(ValType::I32),
        };
        let symbolic_operands = self.emit_any(&shadows);
        if symbolic_operands {
            self.out.emit_cold_if(block);
            self.call_access(access, operands, &temps);
            self.out.emit(&Instruction::Else);
        }
        self.emit_flags(temps[0], operands[0].ty, access.offset as u32);
        self.out.emit_cold_if(block);
        self.call_access(access, operands, &temps);
        if !is_store {
            self.out.emit(&Instruction::Else);
            self.out.i32(0);
        }
        self.out.emit(&Instruction::End);
        if symbolic_operands {
            self.out.emit(&Instruction::End);
        }
        temps
    }

    /// Flags of the sixteen bytes around an address. If the sum wraps, or the address does not fit, the access itself
    /// will trap.
    fn emit_flags(&mut self, address: u32, ty: ValueType, offset: u32) {
        self.out.get(address);
        if ty == ValueType::I64 {
            self.out.emit(&Instruction::I32WrapI64);
        }
        if offset > 0 {
            self.out.i32(offset);
            self.out.emit(&Instruction::I32Add);
        }
        self.out.i32(3);
        self.out.emit(&Instruction::I32ShrU);
        self.out.emit(&Instruction::I32Load16U(flag_arg(self.context.layout.flags, 0)));
    }

    fn call_quick(&mut self, quick: Quick) {
        let function = self.context.layout.quick(quick).expect("every module has it");
        self.out.emit(&Instruction::Call(function));
    }

    fn call_access(&mut self, access: Access, operands: &[Operand], temps: &[u32]) {
        self.out.i32(access.form);
        self.out.i32(self.site);
        self.out.i32(access.offset as u32);
        self.emit_shadow(operands[0].shadow);
        self.emit_bits(temps[0], operands[0].ty);
        if access.form().is_store {
            self.emit_shadow(operands[1].shadow);
            self.emit_bits(temps[1], operands[1].ty);
            self.call_quick(Quick::Store);
        } else {
            self.call_quick(Quick::Load);
        }
    }

    /// Bulk operations cost fuel by length, and tell the host if anything in memory is symbolic. Without a function of
    /// the host, what is written is concrete: then it is told of a filling.
    pub(crate) fn bulk(&mut self, mut operands: Vec<Operand>, function: Option<HostFunction>) {
        let temps = self.save(&operands);
        if self.form == Form::Concrete {
            self.settle_for_others();
            self.bulk_tags(&operands, &temps, function == Some(HostFunction::Copy));
        }
        if self.form == Form::Shadowed && function.is_none() {
            self.pin(operands[1], temps[1]);
            operands[1].shadow = Shadow::Zero;
        }
        if self.form == Form::Shadowed {
            self.bulk_shadows(&operands, &temps, function.unwrap_or(HostFunction::Fill));
        }
        self.restore_clamped(&operands, &temps);
        self.copy();
        // Paid afterwards: what traps for its length does not take long.
        self.restore_clamped(&operands[2..], &temps[2..]);
        self.out.i32(6);
        self.out.emit(&Instruction::I32ShrU);
        let cost = self.temp(self.stack.height() + 3, ValueType::I32);
        self.charge_top(cost);
    }

    fn bulk_shadows(&mut self, operands: &[Operand], temps: &[u32], function: HostFunction) {
        self.out.emit(&Instruction::GlobalGet(self.context.layout.tainted()));
        for operand in operands {
            if self.emit_any(&[operand.shadow]) {
                self.out.emit(&Instruction::I32Or);
            }
        }
        self.out.emit_cold_if(BlockType::Empty);
        self.out.i32(self.site);
        operands.iter().for_each(|operand| self.emit_shadow(operand.shadow));
        for (&temp, operand) in temps.iter().zip(operands) {
            self.emit_bits(temp, operand.ty);
        }
        self.call_host(function);
        self.out.emit(&Instruction::End);
    }

    /// `global.get`
    pub(crate) fn global_get(&mut self, global: u32) -> Operand {
        let info = &self.context.module.globals[global as usize];
        self.out.emit(&Instruction::GlobalGet(global));
        if info.mutable && self.form == Form::Shadowed && info.ty != ValueType::FuncRef {
            self.out.emit(&Instruction::GlobalGet(self.context.layout.shadow_global(global)));
            return self.with_shadow(info.ty);
        }
        Operand::concrete(info.ty)
    }

    /// `global.set`
    pub(crate) fn global_set(&mut self, global: u32, operand: Operand) {
        self.leave_if_nan_on_top(operand);
        self.has_effect();
        let layout = self.context.layout;
        let is_number = self.context.module.globals[global as usize].ty != ValueType::FuncRef;
        if self.form == Form::Shadowed && is_number {
            self.emit_shadow(operand.shadow);
            self.out.emit(&Instruction::GlobalSet(layout.shadow_global(global)));
            if operand.shadow != Shadow::Zero {
                self.out.emit(&Instruction::GlobalGet(layout.tainted()));
                self.emit_shadow(operand.shadow);
                self.out.emit(&Instruction::I32Or);
                self.out.emit(&Instruction::GlobalSet(layout.tainted()));
            }
        }
        self.out.emit(&Instruction::GlobalSet(global));
    }

    /// `table.get`
    pub(crate) fn table_get(&mut self, table: u32, index: Operand) {
        self.bounded_index(self.stack.height(), index, table);
        self.narrow_index(self.stack.height(), index);
        self.copy();
    }

    /// `table.set`
    pub(crate) fn table_set(&mut self, table: u32, index: Operand, value: Operand) {
        let height = self.stack.height();
        if index.shadow != Shadow::Zero || index.ty == ValueType::I64 {
            let temp = self.temp(height + 1, value.ty);
            self.out.set(temp);
            self.bounded_index(height, index, table);
            self.narrow_index(height, index);
            self.out.get(temp);
        }
        self.copy();
    }

    /// Guards and pins the symbolic table index on top of the stack, which was popped at that height.
    fn bounded_index(&mut self, height: usize, index: Operand, table: u32) {
        if index.shadow == Shadow::Zero {
            return;
        }
        let temp = self.save_from(height, &[index])[0];
        self.emit_any(&[index.shadow]);
        self.out.emit_cold_if(BlockType::Empty);
        self.out.i32(self.site);
        self.emit_shadow(index.shadow);
        self.emit_bits(temp, index.ty);
        self.out.emit(&Instruction::TableSize(table));
        self.call_host(HostFunction::Bounded);
        self.out.emit(&Instruction::End);
        self.out.get(temp);
    }

    /// Makes the table index on top of the stack, which was popped at that height, one of 32 bits.
    fn narrow_index(&mut self, height: usize, index: Operand) {
        if index.ty == ValueType::I64 {
            let temp = self.save_from(height, &[index])[0];
            self.out.get_clamped(temp);
        }
    }

    /// `call`: shadows follow the arguments, and come back behind the results.
    pub(crate) fn call(&mut self, function: u32, operands: &[Operand]) -> Vec<Operand> {
        if self.context.assumes.contains(&function) {
            self.settle_for_others();
            self.assume(operands[0]);
            return vec![];
        }
        let ty = self.context.module.function_type(function);
        self.settle_for_others();
        let start = self.out.here();
        self.hand_over(Some(function));
        let layout = self.context.layout;
        self.shadows_follow(operands);
        let quick = layout.quick(Quick::Pointer(function));
        let function = quick.unwrap_or(layout.function(function));
        self.out.emit(&Instruction::Call(function));
        let results = self.results(ty);
        self.load_fuel();
        self.out.part(start, Part::Call { function, depth: self.depth });
        results
    }

    /// Passes shadows behind arguments.
    fn shadows_follow(&mut self, operands: &[Operand]) {
        if self.form == Form::Shadowed {
            operands.iter().for_each(|operand| self.emit_shadow(operand.shadow));
        }
    }

    /// A call of an import by which the program states an assumption.
    fn assume(&mut self, condition: Operand) {
        let temp = self.save(&[condition])[0];
        self.out.i32(self.site);
        self.emit_shadow(condition.shadow);
        self.out.get(temp);
        self.call_host(HostFunction::Assume);
    }

    /// `call_indirect`: tables hold functions in the form at hand.
    pub(crate) fn call_indirect(&mut self, ty: u32, table: u32, args: &[Operand]) -> Vec<Operand> {
        let (&index, operands) = args.split_last().expect("the index is an operand");
        let height = self.stack.height() + operands.len();
        self.bounded_index(height, index, table);
        self.narrow_index(height, index);
        let temp = self.temp(height, ValueType::I32);
        self.out.set(temp);
        self.settle_for_others();
        self.hand_over(None);
        self.shadows_follow(operands);
        self.out.get(temp);
        let type_index = self.context.layout.function_type(ty);
        self.out.emit(&Instruction::CallIndirect { type_index, table_index: table });
        let results = self.results(&self.context.module.types[ty as usize]);
        self.load_fuel();
        results
    }

    /// Takes the shadows of results off the stack.
    fn results(&mut self, ty: &FunctionType) -> Vec<Operand> {
        if self.form == Form::Concrete {
            return ty.results.iter().map(|&ty| Operand::concrete(ty)).collect();
        }
        let base = self.stack.height();
        for i in (0..ty.results.len()).rev() {
            let shadow = self.height_shadow(base + i);
            self.out.set(shadow);
        }
        let mut results = Vec::new();
        for (i, &ty) in ty.results.iter().enumerate() {
            let shadow = match ty == ValueType::FuncRef {
                true => Shadow::Zero,
                false => Shadow::Local(self.height_shadow(base + i)),
            };
            results.push(Operand::new(ty, shadow));
        }
        results
    }
}
