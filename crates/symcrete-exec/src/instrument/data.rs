//! Memory, globals, tables and calls.

use crate::access::Access;
use crate::instrument::control::flag_arg;
use crate::instrument::function::{Form, Operand, Rewriter, Shadow, num_type, val_type};
use crate::instrument::layout::HostFunction;
use wasm_encoder::{BlockType, Instruction, RefType, ValType};
use wasmparser::Operator;

impl Rewriter<'_> {
    /// A load or store. In the shadowed form the flags say whether bytes nearby are symbolic; only
    /// then, or if an operand is, is the host asked.
    pub(crate) fn memory_access(&mut self, operator: &Operator<'_>, access: Access) {
        let shape = access.shape();
        let operands = self.pop_many(if shape.is_store { 2 } else { 1 });
        if self.form == Form::Clean {
            self.copy(operator);
            if !shape.is_store {
                self.push(num_type(shape.num), Shadow::Zero);
            }
            return;
        }
        let temps = self.save(&operands);
        let shadows: Vec<Shadow> = operands.iter().map(|operand| operand.shadow).collect();
        let block = match shape.is_store {
            true => BlockType::Empty,
            false => BlockType::Result(ValType::I32),
        };
        let symbolic_operands = self.emit_any(&shadows);
        if symbolic_operands {
            self.out.emit_cold_if(block);
            self.call_access(access, &operands, &temps);
            self.out.emit(&Instruction::Else);
        }
        self.emit_flags(temps[0], access.offset);
        self.out.emit_cold_if(block);
        self.call_access(access, &operands, &temps);
        if !shape.is_store {
            self.out.emit(&Instruction::Else);
            self.out.i32(0);
        }
        self.out.emit(&Instruction::End);
        if symbolic_operands {
            self.out.emit(&Instruction::End);
        }
        if !shape.is_store {
            self.push_with_shadow(num_type(shape.num));
        }
        self.restore(&temps);
        self.copy(operator);
    }

    /// Flags of the sixteen bytes around an address. If the sum wraps, the access itself will trap.
    fn emit_flags(&mut self, address: u32, offset: u32) {
        self.out.get(address);
        if offset > 0 {
            self.out.i32(offset);
            self.out.emit(&Instruction::I32Add);
        }
        self.out.i32(3);
        self.out.emit(&Instruction::I32ShrU);
        self.out.emit(&Instruction::I32Load16U(flag_arg(self.context.layout.flags, 0)));
    }

    fn call_access(&mut self, access: Access, operands: &[Operand], temps: &[u32]) {
        self.out.i32(access.code);
        self.out.i32(self.site);
        self.out.i32(access.offset);
        self.emit_shadow(operands[0].shadow);
        self.out.get(temps[0]);
        if access.shape().is_store {
            self.emit_shadow(operands[1].shadow);
            self.emit_bits(temps[1], operands[1].ty);
            self.call_host(HostFunction::Store);
        } else {
            self.call_host(HostFunction::Load);
        }
    }

    /// `memory.copy`
    pub(crate) fn memory_copy(&mut self, operator: &Operator<'_>) {
        self.bulk(operator, Some(HostFunction::Copy));
    }

    /// `memory.fill`
    pub(crate) fn memory_fill(&mut self, operator: &Operator<'_>) {
        self.bulk(operator, Some(HostFunction::Fill));
    }

    /// `memory.init`: like filling with something concrete.
    pub(crate) fn memory_init(&mut self, operator: &Operator<'_>) {
        self.bulk(operator, None);
    }

    /// Bulk operations cost fuel by length, and tell the host if anything in memory is symbolic.
    fn bulk(&mut self, operator: &Operator<'_>, function: Option<HostFunction>) {
        let mut operands = self.pop_many(3);
        let temps = self.save(&operands);
        if self.form == Form::Shadowed {
            if function.is_none() {
                self.pin(operands[1], temps[1]);
                operands[1].shadow = Shadow::Zero;
            }
            self.out.emit(&Instruction::GlobalGet(self.context.layout.tainted()));
            for operand in &operands {
                if self.emit_any(&[operand.shadow]) {
                    self.out.emit(&Instruction::I32Or);
                }
            }
            self.out.emit_cold_if(BlockType::Empty);
            self.out.i32(self.site);
            operands.iter().for_each(|operand| self.emit_shadow(operand.shadow));
            self.restore(&temps);
            self.call_host(function.unwrap_or(HostFunction::Fill));
            self.out.emit(&Instruction::End);
        }
        self.restore(&temps);
        self.copy(operator);
        // Paid afterwards: what traps for its length does not take long.
        self.out.get(temps[2]);
        self.out.i32(6);
        self.out.emit(&Instruction::I32ShrU);
        let cost = self.temp(self.stack.len() + 3, ValType::I32);
        self.charge_top(cost);
    }

    /// `global.get`
    pub(crate) fn global_get(&mut self, global: u32) {
        let ty = self.context.module.globals[global as usize];
        self.out.emit(&Instruction::GlobalGet(global));
        if ty.mutable
            && self.form == Form::Shadowed
            && ty.content_type != wasmparser::ValType::FUNCREF
        {
            self.out.emit(&Instruction::GlobalGet(self.context.layout.shadow_global(global)));
            self.push_with_shadow(val_type(ty.content_type));
        } else {
            self.push(val_type(ty.content_type), Shadow::Zero);
        }
    }

    /// `global.set`
    pub(crate) fn global_set(&mut self, global: u32) {
        let operand = self.pop();
        let layout = self.context.layout;
        let is_number = self.context.module.globals[global as usize].content_type
            != wasmparser::ValType::FUNCREF;
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
    pub(crate) fn table_get(&mut self, operator: &Operator<'_>, table: u32) {
        let index = self.pop();
        self.bounded_index(index, table);
        self.copy(operator);
        self.push(ValType::Ref(RefType::FUNCREF), Shadow::Zero);
    }

    /// `table.set`
    pub(crate) fn table_set(&mut self, operator: &Operator<'_>, table: u32) {
        let value = self.pop();
        let index = self.pop();
        if index.shadow != Shadow::Zero {
            let temp = self.temp(self.stack.len() + 1, value.ty);
            self.out.set(temp);
            self.bounded_index(index, table);
            self.out.get(temp);
        }
        self.copy(operator);
    }

    /// Guards and pins the symbolic table index on top of the stack.
    fn bounded_index(&mut self, index: Operand, table: u32) {
        if index.shadow == Shadow::Zero {
            return;
        }
        let temp = self.save(&[index])[0];
        self.emit_any(&[index.shadow]);
        self.out.emit_cold_if(BlockType::Empty);
        self.out.i32(self.site);
        self.emit_shadow(index.shadow);
        self.out.get(temp);
        self.out.emit(&Instruction::TableSize(table));
        self.call_host(HostFunction::Bounded);
        self.out.emit(&Instruction::End);
        self.out.get(temp);
    }

    /// `call`: shadows follow the arguments, and come back behind the results.
    pub(crate) fn call(&mut self, function: u32) {
        if self.form == Form::Shadowed && self.context.assumes.contains(&function) {
            return self.assume();
        }
        let ty = self.context.module.function_type(function);
        let operands = self.pop_many(ty.params().len());
        self.store_fuel();
        let layout = self.context.layout;
        match (self.form, layout.clean(function)) {
            (Form::Clean, Some(clean)) => {
                self.out.emit(&Instruction::Call(clean));
                for &ty in ty.results() {
                    self.push(val_type(ty), Shadow::Zero);
                }
            }
            (Form::Clean, None) | (Form::Shadowed, _) => {
                operands.iter().for_each(|operand| self.emit_shadow(operand.shadow));
                self.out.emit(&Instruction::Call(layout.shadowed(function)));
                self.push_results(ty);
            }
        }
        self.load_fuel();
    }

    /// A call of an import by which the program states an assumption.
    fn assume(&mut self) {
        let condition = self.pop();
        let temp = self.save(&[condition])[0];
        self.out.i32(self.site);
        self.emit_shadow(condition.shadow);
        self.out.get(temp);
        self.call_host(HostFunction::Assume);
    }

    /// `call_indirect`: tables hold shadowed forms.
    pub(crate) fn call_indirect(&mut self, type_index: u32, table_index: u32) {
        let index = self.pop();
        self.bounded_index(index, table_index);
        let temp = self.temp(self.stack.len(), ValType::I32);
        self.out.set(temp);
        let ty = &self.context.module.types[type_index as usize];
        let operands = self.pop_many(ty.params().len());
        self.store_fuel();
        operands.iter().for_each(|operand| self.emit_shadow(operand.shadow));
        self.out.get(temp);
        let type_index = self.context.layout.widened_type(type_index);
        self.out.emit(&Instruction::CallIndirect { type_index, table_index });
        self.push_results(ty);
        self.load_fuel();
    }

    /// Takes the shadows of results off the stack. In the clean form they are zero.
    fn push_results(&mut self, ty: &wasmparser::FuncType) {
        let base = self.stack.len();
        for i in (0..ty.results().len()).rev() {
            match self.form {
                Form::Shadowed => {
                    let shadow = self.height_shadow(base + i);
                    self.out.set(shadow);
                }
                Form::Clean => self.out.emit(&Instruction::Drop),
            }
        }
        for (i, &ty) in ty.results().iter().enumerate() {
            let shadow = match self.form {
                Form::Shadowed if ty.is_reference_type() => Shadow::Zero,
                Form::Shadowed => Shadow::Local(self.height_shadow(base + i)),
                Form::Clean => Shadow::Zero,
            };
            self.push(val_type(ty), shadow);
        }
    }
}
