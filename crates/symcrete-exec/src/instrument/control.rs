//! Control flow: blocks, branches, coverage, fuel, and the two ends of a function.

use crate::encode::val_type;
use crate::instrument::emitter::Part;
use crate::instrument::function::{Carrier, Operand, Rewriter, Shadow};
use crate::instrument::layout::{FLAG_MEMORY, Form, HostFunction};
use crate::instrument::numbers::Arrivals;
use crate::instrument::versions::Piece;
use symcrete_program::module::{self, Cases, Frame, FrameKind, ValueType};
use wasm_encoder::{BlockType, Instruction, MemArg, ValType};

/// What is in the place of fuel when a run in the concrete form ends for want of it, and for no other reason.
pub(crate) const OUT_OF_FUEL: i32 = i32::MIN;

/// A place in the coverage map or among the flags.
pub(crate) fn flag_arg(offset: u32, align: u32) -> MemArg {
    MemArg { offset: u64::from(offset), align, memory_index: FLAG_MEMORY }
}

impl Rewriter<'_> {
    /// Pays for the call, opens the function's block.
    pub(crate) fn prologue(&mut self) {
        if let Some(gap) = self.context.gaps.get(&self.function) {
            self.out.i32(gap.code());
            self.call_host(HostFunction::Meet);
        }
        if self.facts().recursive {
            self.descend();
        }
        if self.keeps_fuel {
            let (start, fuel) = (self.out.here(), self.out.new_local(ValType::I32));
            self.fuel = Some(fuel);
            self.load_fuel();
            self.out.part(start, Part::TakeFuel(fuel));
        }
        self.charge(self.facts().entry_cost);
        let block = self.context.result_block(self.function);
        self.out.emit(&Instruction::Block(block));
    }

    /// After the function's block: gives back depth and fuel, and the shadows of the results.
    pub(crate) fn epilogue(&mut self) {
        self.settle_addresses();
        let start = self.out.here();
        self.store_fuel();
        self.out.part(start, Part::GiveFuel);
        if self.facts().recursive && self.form == Form::Shadowed {
            self.change_depth(1);
        }
        let results = std::mem::take(&mut self.stack.operands);
        if !self.leave_if_unknown(&results) {
            results.iter().for_each(|result| self.emit_shadow(result.shadow));
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
        match self.form {
            Form::Shadowed => {
                self.change_depth(-1);
                self.out.emit(&Instruction::GlobalGet(self.context.layout.depth()));
            }
            Form::Concrete => self.take_depth(),
        }
        self.out.i32(0);
        self.out.emit(&Instruction::I32LtS);
        self.out.emit_cold_if(BlockType::Empty);
        match self.form {
            Form::Shadowed => self.call_host(HostFunction::TooDeep),
            Form::Concrete => self.out.emit(&Instruction::Unreachable),
        }
        self.out.emit(&Instruction::End);
    }

    /// The concrete form keeps in a local how much deeper calls may nest, and tells whom it calls. So nothing need be put back in the
    /// end: who calls a function that can call itself counts as one too, and tells it each time.
    fn take_depth(&mut self) {
        let (start, depth) = (self.out.here(), self.out.new_local(ValType::I32));
        self.out.emit(&Instruction::GlobalGet(self.context.layout.depth()));
        self.out.part(start, Part::TakeDepth);
        self.out.emit(&Instruction::I32Const(-1));
        self.out.emit(&Instruction::I32Add);
        self.out.emit(&Instruction::LocalTee(depth));
        self.depth = Some(depth);
    }

    /// Before a call of a function, or through a table.
    pub(crate) fn hand_over(&mut self, callee: Option<u32>) {
        let is_recursive = |callee: u32| self.context.facts.functions[callee as usize].recursive;
        if let Some(depth) = self.depth.filter(|_| callee.is_none_or(is_recursive)) {
            self.out.get(depth);
            self.out.emit(&Instruction::GlobalSet(self.context.layout.depth()));
        }
        self.store_fuel();
    }

    /// The local with the fuel of a function with loops.
    pub(crate) fn kept_fuel(&self) -> u32 {
        self.fuel.expect("a function with loops keeps it in a local")
    }

    /// Before a call or the end: the callee counts on in the global.
    fn store_fuel(&mut self) {
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
                let temp = self.temp(0, ValueType::I32);
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
        match self.form {
            Form::Shadowed => {
                self.store_fuel();
                self.call_host(HostFunction::Refuel);
                self.load_fuel();
            }
            // It has all its fuel from the start.
            Form::Concrete => {
                self.settle_addresses();
                self.out.emit(&Instruction::I32Const(OUT_OF_FUEL));
                self.out.emit(&Instruction::GlobalSet(global));
                self.out.emit(&Instruction::Unreachable);
            }
        }
        self.out.emit(&Instruction::End);
    }

    /// Notes that a side of the site at hand was taken.
    pub(crate) fn cover(&mut self, site: u32, taken: bool) {
        let number = self.context.facts.sites.number[&site] as u32;
        self.out.i32((2 * number + u32::from(taken)) * self.form.side_bytes());
        self.note_side(0);
    }

    /// Sets a place of the coverage map, given an offset into it.
    fn note_side(&mut self, at: u32) {
        self.out.i32(1);
        self.out.emit(&match self.form {
            Form::Shadowed => Instruction::I32Store8(flag_arg(at, 0)),
            Form::Concrete => Instruction::I32Store(flag_arg(at, 2)),
        });
    }

    fn block_type(&self, ty: module::BlockType) -> BlockType {
        match ty {
            module::BlockType::Empty => BlockType::Empty,
            module::BlockType::Value(ty) => BlockType::Result(val_type(ty)),
            module::BlockType::Type(index) => {
                BlockType::FunctionType(self.context.layout.plain_type(index))
            }
        }
    }

    /// `block`
    pub(crate) fn block(&mut self, ty: module::BlockType) {
        self.settle_copies(None);
        self.out.emit(&Instruction::Block(self.block_type(ty)));
    }

    /// `loop`: its label is its start, so its parameters are carried there.
    pub(crate) fn loop_(&mut self, ty: module::BlockType, n_params: usize) {
        self.settle_copies(None);
        let base = self.stack.height() - n_params;
        for i in 0..n_params {
            let Operand { ty, shadow, .. } = self.stack.operands[base + i];
            self.write_label(self.site, i, base + i, shadow);
            // What comes round is another value.
            self.stack.operands[base + i] =
                Operand::new(ty, self.label_shadow(self.site, i, base + i));
        }
        let facts = &self.facts().loops[&self.site];
        self.look_at_parts();
        self.start_memos();
        self.open_loop(facts.cost, n_params);
        self.out.emit(&Instruction::Loop(self.block_type(ty)));
        self.numbers.enter_loop(facts);
        self.forget_for_loop();
        self.start_passes();
        let start = self.out.here();
        self.charge(facts.cost);
        self.piece(start, Piece::Charge(facts.cost));
    }

    /// At the start of a loop, forgets what its later passes may make untrue.
    fn forget_for_loop(&mut self) {
        let carriers = self.carriers;
        if carriers.contains(&Carrier::Unwritten(self.site)) {
            self.numbers.forget();
        }
        for carrier in carriers {
            if let &Carrier::Unknown { site, local } = carrier
                && site == self.site
            {
                self.numbers.set_unknown(local, true);
            }
        }
    }

    /// `if`
    pub(crate) fn if_(&mut self, ty: module::BlockType, condition: Operand) {
        self.first_condition(None, true);
        self.record(self.stack.height(), condition, HostFunction::Branch);
        // The condition is on the stack; settling only moves shadows.
        self.settle_copies(None);
        self.out.emit(&Instruction::If(self.block_type(ty)));
        self.cover(self.site, true);
    }

    /// `else`
    pub(crate) fn else_(&mut self, arrived: Option<Vec<Operand>>) {
        let Frame { at, base, .. } = *self.stack.frame(0);
        if arrived.is_some() {
            self.lead_to(0);
        }
        self.arrive(at, base, arrived);
        self.out.emit(&Instruction::Else);
        let frame = self.stack.frames.last_mut().expect("an `if` is open");
        self.numbers.turn(&mut frame.label);
        self.cover(at, false);
    }

    /// `end`
    pub(crate) fn end_block(
        &mut self,
        mut frame: Frame<Operand, Arrivals>,
        arrived: Option<Vec<Operand>>,
    ) -> Vec<Operand> {
        if self.form == Form::Concrete && arrived.is_some() {
            self.numbers.lead(&mut frame.label);
        }
        self.numbers.arrive(frame.label);
        if frame.kind == FrameKind::Loop {
            self.out.emit(&Instruction::End);
            self.close_loop(arrived.is_some());
            // If nothing falls out of this loop, what follows is never run.
            let concrete = || frame.ty.results.iter().map(|&ty| Operand::concrete(ty)).collect();
            return arrived.unwrap_or_else(concrete);
        }
        let is_arrived = arrived.is_some();
        self.arrive(frame.at, frame.base, arrived);
        self.exit_ends(is_arrived);
        self.out.emit(&Instruction::End);
        let results = frame.ty.results.iter().enumerate();
        results
            .map(|(i, &ty)| Operand::new(ty, self.label_shadow(frame.at, i, frame.base + i)))
            .collect()
    }

    /// Falls through to the end of a block.
    fn arrive(&mut self, label: u32, base: usize, arrived: Option<Vec<Operand>>) {
        for (i, operand) in arrived.into_iter().flatten().enumerate() {
            self.write_label(label, i, base + i, operand.shadow);
        }
    }

    /// Hands shadows of the top operands to a label. Labels lie lower than the operands, so writing
    /// upwards overwrites nothing that is still to be read.
    fn hand_to_label(&mut self, depth: u32, operands: &[Operand]) {
        self.lead_to(depth);
        let Frame { at, base, .. } = *self.stack.frame(depth);
        for (i, operand) in operands.iter().enumerate() {
            self.write_label(at, i, base + i, operand.shadow);
        }
    }

    /// `br`
    pub(crate) fn jump(&mut self, depth: u32) {
        let operands = self.stack.carried(depth).to_vec();
        self.hand_to_label(depth, &operands);
        self.out.emit(&Instruction::Br(depth));
    }

    /// Records the symbolic condition on top of the stack, which was popped at that height, and leaves it there.
    pub(crate) fn record(&mut self, height: usize, condition: Operand, function: HostFunction) {
        if condition.shadow == Shadow::Zero || self.leave_if_unknown(&[condition]) {
            return;
        }
        let temp = self.save_from(height, &[condition])[0];
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
    pub(crate) fn jump_if(&mut self, depth: u32, condition: Operand) {
        let height = self.stack.height();
        self.record(height, condition, HostFunction::Branch);
        let operands = self.stack.carried(depth).to_vec();
        let mut temps = vec![];
        if !operands.is_empty() {
            let flag = self.temp(height, ValueType::I32);
            self.out.set(flag);
            temps = self.save_from(height - operands.len(), &operands);
            self.out.get(flag);
        }
        let stays = self.stays_in_loop(depth);
        let is_first = self.first_condition(condition.number, stays);
        let test = self.out.here();
        match stays {
            true => {
                self.out.emit(&Instruction::I32Eqz);
                self.out.emit(&Instruction::If(BlockType::Empty));
                self.out.emit(&Instruction::Else);
            }
            false => self.out.emit(&Instruction::If(BlockType::Empty)),
        }
        self.cover_stay(is_first && stays, true);
        self.restore(&temps);
        self.numbers.assume(condition.number, true);
        self.hand_to_label(depth, &operands);
        self.numbers.assume(condition.number, false);
        self.out.emit(&Instruction::Br(depth + 1));
        self.out.emit(&Instruction::End);
        if is_first && operands.is_empty() {
            self.piece(test, Piece::Test(stays.then_some(depth)));
        }
        if is_first && stays && operands.is_empty() {
            self.exit_starts(depth);
        }
        self.cover_stay(is_first && !stays, false);
        self.restore(&temps);
    }

    /// Whether a branch to a label goes on in the innermost loop. Cranelift takes invariant code out of a loop only where it meets
    /// no exit of the loop first, and of the two sides of an `if` it meets the `else` first. So that is where such a branch is.
    fn stays_in_loop(&self, depth: u32) -> bool {
        let mut outwards = self.stack.frames.iter().rev();
        let innermost = outwards.position(|frame| frame.kind == FrameKind::Loop);
        self.form == Form::Concrete
            && innermost.is_some_and(|innermost| depth as usize <= innermost)
    }

    /// What is known here arrives at a label. At the start of a loop nothing is known that could change.
    fn lead_to(&mut self, depth: u32) {
        let at = self.stack.frames.len() - 1 - depth as usize;
        self.leads_to(at);
        let frame = &mut self.stack.frames[at];
        if self.form == Form::Concrete && frame.kind != FrameKind::Loop {
            self.numbers.lead(&mut frame.label);
        }
    }

    /// `br_table`: each distinct target gets its own stretch of code if it takes operands.
    pub(crate) fn switch(&mut self, cases: &Cases, index: Operand) {
        let height = self.stack.height();
        self.first_condition(None, true);
        self.record(height, index, HostFunction::Switch);
        let table = self.temp(height, ValueType::I32);
        self.out.set(table);
        self.cover_switch(table, cases);
        let operands = self.stack.carried(cases.depths[0]).to_vec();
        let temps = self.save_from(height - operands.len(), &operands);
        let n = cases.depths.len() as u32;
        let labels: Vec<u32> = cases.case_of_index.iter().map(|&case| u32::from(case)).collect();
        let (default, labels) = labels.split_last().expect("a br_table has a default");
        (0..n).for_each(|_| self.out.emit(&Instruction::Block(BlockType::Empty)));
        self.out.get(table);
        self.out.emit(&Instruction::BrTable(labels.into(), *default));
        for (case, &depth) in cases.depths.iter().enumerate() {
            self.out.emit(&Instruction::End);
            self.restore(&temps);
            self.hand_to_label(depth, &operands);
            self.out.emit(&Instruction::Br(depth + n - 1 - case as u32));
        }
    }

    /// Looks up in memory 1 which byte of the coverage map an index sets, and sets it.
    fn cover_switch(&mut self, index: u32, cases: &Cases) {
        let earlier = self.context.facts.sites.switches.range(..self.site);
        let entries_before: usize =
            earlier.map(|(_, switch)| switch.cases.case_of_index.len()).sum();
        let map = self.context.layout.switch_maps + 4 * entries_before as u32;
        let last = cases.case_of_index.len() as u32 - 1;
        self.out.get(index);
        self.out.i32(last);
        self.out.get(index);
        self.out.i32(last);
        self.out.emit(&Instruction::I32LtU);
        self.out.emit(&Instruction::Select);
        self.out.i32(2);
        self.out.emit(&Instruction::I32Shl);
        self.out.emit(&Instruction::I32Load(flag_arg(map, 2)));
        self.note_side(0);
    }

    /// `select`: a branch without a jump.
    pub(crate) fn select(&mut self, first: Operand, second: Operand, flag: Operand) -> Operand {
        let height = self.stack.height();
        self.record(height + 2, flag, HostFunction::Select);
        let flag = self.temp(height + 2, ValueType::I32);
        self.out.set(flag);
        let number = self.context.facts.sites.number[&self.site] as u32;
        self.out.get(flag);
        self.out.emit(&Instruction::I32Eqz);
        self.out.emit(&Instruction::I32Eqz);
        let side_bytes = self.form.side_bytes();
        self.out.i32(side_bytes.trailing_zeros());
        self.out.emit(&Instruction::I32Shl);
        self.note_side(2 * number * side_bytes);
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
        self.copy();
        let interval = |of: Operand| self.numbers.interval(of.number?);
        let either = interval(first).zip(interval(second));
        let number = either.map(|(first, second)| self.numbers.within(first.or(second)));
        Operand { number, ..Operand::new(first.ty, shadow) }
    }
}
