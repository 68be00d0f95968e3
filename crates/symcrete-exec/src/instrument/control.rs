//! Control flow: blocks, branches, coverage, fuel, and the two ends of a function.

use crate::instrument::function::{Form, Frame, FrameKind, Operand, Rewriter, Shadow, val_type};
use crate::instrument::layout::{FLAG_MEMORY, HostFunction};
use wasm_encoder::{BlockType, Instruction, MemArg, MemArgTarget, ValType};
use wasmparser::Operator;

/// A place in the coverage map or among the flags.
pub(crate) fn flag_arg(offset: u32, align: u32) -> MemArg {
    let target = MemArgTarget::Memory(FLAG_MEMORY);
    MemArg { offset: u64::from(offset), align, target, ordering: None }
}

impl Rewriter<'_> {
    /// Hands over to the clean clone if nothing is symbolic, pays for the call, opens the function's
    /// block.
    pub(crate) fn prologue(&mut self) {
        let ty = self.context.module.function_type(self.function);
        let params: Vec<ValType> = ty.params().iter().map(|&ty| val_type(ty)).collect();
        let results: Vec<ValType> = ty.results().iter().map(|&ty| val_type(ty)).collect();
        if self.form == Form::Shadowed && !self.facts().introduces {
            self.hand_over(params.len() as u32, results.len());
        }
        if let Some(gap) = self.context.gaps.get(&self.function) {
            self.out.i32(gap.code());
            self.call_host(HostFunction::Meet);
        }
        if self.facts().recursive {
            self.descend();
        }
        if !self.facts().loop_costs.is_empty() {
            let fuel = self.out.new_local(ValType::I32);
            self.fuel = Some(fuel);
            self.load_fuel();
        }
        self.charge(self.facts().entry_cost);
        let block = match results.len() {
            0 => BlockType::Empty,
            1 => BlockType::Result(results[0]),
            _ => BlockType::FunctionType(
                self.context
                    .layout
                    .results_type(self.context.module.functions[self.function as usize]),
            ),
        };
        self.out.emit(&Instruction::Block(block));
        let kind = FrameKind::Block;
        self.frames.push(Frame { kind, id: u32::MAX, base: 0, params: vec![], results });
    }

    fn hand_over(&mut self, n_params: u32, n_results: usize) {
        let layout = self.context.layout;
        let clean = layout.clean(self.function).expect("a defined function has a clone");
        self.out.emit(&Instruction::GlobalGet(layout.tainted()));
        for shadow in n_params..2 * n_params {
            self.out.get(shadow);
            self.out.emit(&Instruction::I32Or);
        }
        self.out.emit(&Instruction::I32Eqz);
        self.out.emit(&Instruction::If(BlockType::Empty));
        (0..n_params).for_each(|param| self.out.get(param));
        self.out.emit(&Instruction::Call(clean));
        (0..n_results).for_each(|_| self.out.i32(0));
        self.out.emit(&Instruction::Return);
        self.out.emit(&Instruction::End);
    }

    /// After the function's block: gives back depth and fuel, and the shadows of the results.
    pub(crate) fn epilogue(&mut self) {
        self.store_fuel();
        if self.facts().recursive {
            self.change_depth(1);
        }
        if self.form == Form::Shadowed {
            for operand in std::mem::take(&mut self.stack) {
                self.emit_shadow(operand.shadow);
            }
        }
    }

    fn change_depth(&mut self, by: i32) {
        let depth = self.context.layout.depth();
        self.out.emit(&Instruction::GlobalGet(depth));
        self.out.emit(&Instruction::I32Const(by));
        self.out.emit(&Instruction::I32Add);
        self.out.emit(&Instruction::GlobalSet(depth));
    }

    fn descend(&mut self) {
        self.change_depth(-1);
        self.out.emit(&Instruction::GlobalGet(self.context.layout.depth()));
        self.out.i32(0);
        self.out.emit(&Instruction::I32LtS);
        self.out.emit_cold_if(BlockType::Empty);
        self.call_host(HostFunction::TooDeep);
        self.out.emit(&Instruction::End);
    }

    /// Before a call or the end: the callee counts on in the global.
    pub(crate) fn store_fuel(&mut self) {
        if let Some(fuel) = self.fuel {
            self.out.get(fuel);
            self.out.emit(&Instruction::GlobalSet(self.context.layout.fuel()));
        }
    }

    /// After a call.
    pub(crate) fn load_fuel(&mut self) {
        if let Some(fuel) = self.fuel {
            self.out.emit(&Instruction::GlobalGet(self.context.layout.fuel()));
            self.out.set(fuel);
        }
    }

    /// Takes `i32` fuel from the top of the stack off what is at hand, without looking.
    pub(crate) fn charge_top(&mut self, temp: u32) {
        self.out.set(temp);
        let global = self.context.layout.fuel();
        match self.fuel {
            Some(fuel) => self.out.get(fuel),
            None => self.out.emit(&Instruction::GlobalGet(global)),
        }
        self.out.get(temp);
        self.out.emit(&Instruction::I32Sub);
        match self.fuel {
            Some(fuel) => self.out.set(fuel),
            None => self.out.emit(&Instruction::GlobalSet(global)),
        }
    }

    /// Pays for sites; asks the host if there is too little at hand.
    fn charge(&mut self, cost: u32) {
        let global = self.context.layout.fuel();
        match self.fuel {
            Some(fuel) => {
                self.out.get(fuel);
                self.out.i32(cost);
                self.out.emit(&Instruction::I32Sub);
                self.out.emit(&Instruction::LocalTee(fuel));
            }
            None => {
                let temp = self.temp(0, ValType::I32);
                self.out.emit(&Instruction::GlobalGet(global));
                self.out.i32(cost);
                self.out.emit(&Instruction::I32Sub);
                self.out.emit(&Instruction::LocalTee(temp));
                self.out.emit(&Instruction::GlobalSet(global));
                self.out.get(temp);
            }
        }
        self.out.i32(0);
        self.out.emit(&Instruction::I32LtS);
        self.out.emit_cold_if(BlockType::Empty);
        self.store_fuel();
        self.call_host(HostFunction::Refuel);
        self.load_fuel();
        self.out.emit(&Instruction::End);
    }

    /// Notes that a side of the site at hand was taken.
    fn cover(&mut self, site: u32, taken: bool) {
        let number = self.context.facts.sites.number[&site] as u32;
        self.out.i32(2 * number + u32::from(taken));
        self.out.i32(1);
        self.out.emit(&Instruction::I32Store8(flag_arg(0, 0)));
    }

    fn block_types(&self, ty: wasmparser::BlockType) -> (usize, Vec<ValType>, BlockType) {
        match ty {
            wasmparser::BlockType::Empty => (0, vec![], BlockType::Empty),
            wasmparser::BlockType::Type(ty) => {
                (0, vec![val_type(ty)], BlockType::Result(val_type(ty)))
            }
            wasmparser::BlockType::FuncType(index) => {
                let ty = &self.context.module.types[index as usize];
                let results = ty.results().iter().map(|&ty| val_type(ty)).collect();
                let plain = self.context.layout.plain_type(index);
                (ty.params().len(), results, BlockType::FunctionType(plain))
            }
        }
    }

    fn open(&mut self, kind: FrameKind, n_params: usize, results: Vec<ValType>) {
        let base = self.stack.len() - n_params;
        let params = self.stack[base..].to_vec();
        self.frames.push(Frame { kind, id: self.site, base, params, results });
    }

    /// `block`
    pub(crate) fn block(&mut self, ty: wasmparser::BlockType) {
        let (n_params, results, ty) = self.block_types(ty);
        self.settle_copies(None);
        self.out.emit(&Instruction::Block(ty));
        self.open(FrameKind::Block, n_params, results);
    }

    /// `loop`: its label is its start, so its parameters are carried there.
    pub(crate) fn loop_(&mut self, ty: wasmparser::BlockType) {
        let (n_params, results, ty) = self.block_types(ty);
        self.settle_copies(None);
        let base = self.stack.len() - n_params;
        for i in 0..n_params {
            self.write_label(self.site, i, base + i, self.stack[base + i].shadow);
            self.stack[base + i].shadow = self.label_shadow(self.site, i, base + i);
        }
        self.out.emit(&Instruction::Loop(ty));
        self.open(FrameKind::Loop, n_params, results);
        self.charge(self.facts().loop_costs[&self.site]);
    }

    /// `if`
    pub(crate) fn if_(&mut self, ty: wasmparser::BlockType) {
        let condition = self.pop();
        self.record(condition, HostFunction::Branch);
        let (n_params, results, ty) = self.block_types(ty);
        // The condition is on the stack; settling only moves shadows.
        self.settle_copies(None);
        self.out.emit(&Instruction::If(ty));
        self.open(FrameKind::If, n_params, results);
        self.cover(self.site, true);
    }

    /// `else`
    pub(crate) fn else_(&mut self) {
        let frame = self.frames.last().expect("else has an if").clone();
        if self.dead.take().is_none() {
            self.arrive(&frame);
        }
        self.out.emit(&Instruction::Else);
        self.cover(frame.id, false);
        self.stack.truncate(frame.base);
        self.stack.extend_from_slice(&frame.params);
        self.frames.last_mut().expect("else has an if").kind = FrameKind::Else;
    }

    /// `end`
    pub(crate) fn end(&mut self) {
        if self.frames.last().expect("end has a block").kind == FrameKind::If {
            self.else_();
        }
        let frame = self.frames.pop().expect("end has a block");
        let falls_through = self.dead.take().is_none();
        if frame.kind == FrameKind::Loop && falls_through {
            self.out.emit(&Instruction::End);
            return;
        }
        if falls_through {
            self.arrive(&frame);
        }
        self.out.emit(&Instruction::End);
        self.stack.truncate(frame.base);
        for (i, &ty) in frame.results.iter().enumerate() {
            let shadow = match frame.kind {
                // Nothing falls out of this loop: what follows is never run.
                FrameKind::Loop => Shadow::Zero,
                FrameKind::Block | FrameKind::If | FrameKind::Else => {
                    self.label_shadow(frame.id, i, frame.base + i)
                }
            };
            self.push(ty, shadow);
        }
    }

    /// Falls through to the end of a block.
    fn arrive(&mut self, frame: &Frame) {
        for i in 0..frame.results.len() {
            let shadow = self.stack[frame.base + i].shadow;
            self.write_label(frame.id, i, frame.base + i, shadow);
        }
    }

    fn target(&self, depth: u32) -> &Frame {
        &self.frames[self.frames.len() - 1 - depth as usize]
    }

    fn label_arity(&self, depth: u32) -> usize {
        let frame = self.target(depth);
        match frame.kind {
            FrameKind::Loop => frame.params.len(),
            FrameKind::Block | FrameKind::If | FrameKind::Else => frame.results.len(),
        }
    }

    /// Hands shadows of the top operands to a label. Labels lie lower than the operands, so writing
    /// upwards overwrites nothing that is still to be read.
    fn hand_to_label(&mut self, depth: u32, operands: &[Operand]) {
        let Frame { id, base, .. } = *self.target(depth);
        for (i, operand) in operands.iter().enumerate() {
            self.write_label(id, i, base + i, operand.shadow);
        }
    }

    /// `br`
    pub(crate) fn br(&mut self, depth: u32) {
        let operands = self.pop_many(self.label_arity(depth));
        self.hand_to_label(depth, &operands);
        self.out.emit(&Instruction::Br(depth));
        self.dead = Some(0);
    }

    /// Records the symbolic condition on top of the stack and leaves it there.
    fn record(&mut self, condition: Operand, function: HostFunction) {
        if condition.shadow == Shadow::Zero {
            return;
        }
        let temp = self.save(&[condition])[0];
        self.emit_any(&[condition.shadow]);
        self.out.emit_cold_if(BlockType::Empty);
        self.out.i32(self.site);
        self.emit_shadow(condition.shadow);
        self.out.get(temp);
        self.call_host(function);
        self.out.emit(&Instruction::End);
        self.out.get(temp);
    }

    /// `br_if`, as an `if` around a `br`: shadows move, and the taken side is noted, only if it is taken.
    pub(crate) fn br_if(&mut self, depth: u32) {
        let condition = self.pop();
        self.record(condition, HostFunction::Branch);
        let arity = self.label_arity(depth);
        let operands = self.stack[self.stack.len() - arity..].to_vec();
        let mut temps = vec![];
        if arity > 0 {
            let flag = self.temp(self.stack.len(), ValType::I32);
            self.out.set(flag);
            let below = self.stack.len() - arity;
            temps = (0..arity).map(|i| self.temp(below + i, operands[i].ty)).collect();
            temps.iter().rev().for_each(|&temp| self.out.set(temp));
            self.out.get(flag);
        }
        self.out.emit(&Instruction::If(BlockType::Empty));
        self.cover(self.site, true);
        self.restore(&temps);
        self.hand_to_label(depth, &operands);
        self.out.emit(&Instruction::Br(depth + 1));
        self.out.emit(&Instruction::End);
        self.cover(self.site, false);
        self.restore(&temps);
    }

    /// `br_table`: each distinct target gets its own stretch of code if it takes operands.
    pub(crate) fn br_table(&mut self) {
        let index = self.pop();
        self.record(index, HostFunction::Switch);
        let facts = self.context.facts;
        let switch = &facts.sites.switches[&self.site];
        let table = self.temp(self.stack.len(), ValType::I32);
        self.out.set(table);
        self.cover_switch(table);
        let arity = self.label_arity(switch.depths[0]);
        let operands = self.pop_many(arity);
        let temps = self.save(&operands);
        let n = switch.depths.len() as u32;
        let labels: Vec<u32> = switch.case_of_index.iter().map(|&case| u32::from(case)).collect();
        let (default, labels) = labels.split_last().expect("a br_table has a default");
        (0..n).for_each(|_| self.out.emit(&Instruction::Block(BlockType::Empty)));
        self.out.get(table);
        self.out.emit(&Instruction::BrTable(labels.into(), *default));
        for (case, &depth) in switch.depths.iter().enumerate() {
            self.out.emit(&Instruction::End);
            self.restore(&temps);
            self.hand_to_label(depth, &operands);
            self.out.emit(&Instruction::Br(depth + n - 1 - case as u32));
        }
        self.dead = Some(0);
    }

    /// Looks up in memory 1 which byte of the coverage map an index sets, and sets it.
    fn cover_switch(&mut self, index: u32) {
        let switches = &self.context.facts.sites.switches;
        let switch = &switches[&self.site];
        let entries_before: usize =
            switches.range(..self.site).map(|(_, switch)| switch.case_of_index.len()).sum();
        let map = self.context.layout.switch_maps + 4 * entries_before as u32;
        let last = switch.case_of_index.len() as u32 - 1;
        self.out.get(index);
        self.out.i32(last);
        self.out.get(index);
        self.out.i32(last);
        self.out.emit(&Instruction::I32LtU);
        self.out.emit(&Instruction::Select);
        self.out.i32(2);
        self.out.emit(&Instruction::I32Shl);
        self.out.emit(&Instruction::I32Load(flag_arg(map, 2)));
        self.out.i32(1);
        self.out.emit(&Instruction::I32Store8(flag_arg(0, 0)));
    }

    /// `select`: a branch without a jump.
    pub(crate) fn select(&mut self, instruction: &Instruction<'_>) {
        let condition = self.pop();
        self.record(condition, HostFunction::Select);
        let [first, second] = self.pop_many(2)[..] else { unreachable!("two were asked for") };
        let height = self.stack.len();
        let flag = self.temp(height + 2, ValType::I32);
        self.out.set(flag);
        let number = self.context.facts.sites.number[&self.site] as u32;
        self.out.get(flag);
        self.out.emit(&Instruction::I32Eqz);
        self.out.emit(&Instruction::I32Eqz);
        self.out.i32(1);
        self.out.emit(&Instruction::I32Store8(flag_arg(2 * number, 0)));
        let mut shadow = Shadow::Zero;
        if (first.shadow, second.shadow) != (Shadow::Zero, Shadow::Zero) {
            self.emit_shadow(first.shadow);
            self.emit_shadow(second.shadow);
            self.out.get(flag);
            self.out.emit(&Instruction::Select);
            let local = self.height_shadow(height);
            self.out.set(local);
            shadow = Shadow::Local(local);
        }
        self.out.get(flag);
        self.out.emit(instruction);
        self.push(first.ty, shadow);
    }

    /// Skips what cannot be reached.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only blocks matter in dead code")]
    pub(crate) fn dead_operator(&mut self, operator: &Operator<'_>) {
        let nested = self.dead.expect("code is dead");
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.dead = Some(nested + 1);
            }
            Operator::End if nested > 0 => self.dead = Some(nested - 1),
            Operator::End => {
                let base = self.frames.last().expect("end has a block").base;
                self.stack.truncate(base);
                self.end();
            }
            Operator::Else if nested == 0 => self.else_(),
            _ => {}
        }
    }
}
