//! The functions of ours that a burst's module carries: distances, news, and the loop over a batch.

pub(crate) mod ask;

use crate::fast::condition::{KIND_BEYOND, KIND_ONE, Numbers};
use crate::fast::layout::{
    DRAWS_MAX, GRANULE_BITS, Global, Helper, LOOP_COUNT_MAX, Layout, NEWS_LOOP, NEWS_MAX, OURS,
    SIDE_BYTES, SNAPSHOT, STOP_DEEP, STOP_FUEL, STOP_REJECTED, at,
};
use crate::instrument::emitter::{Body, Emitter};
use symcrete_program::module::Switch;
use wasm_encoder::Instruction as I;
use wasm_encoder::{BlockType, ValType};

/// What the loop over a batch needs to know.
pub(crate) struct Batch<'a> {
    pub(crate) entry: u32,
    pub(crate) params: &'a [ValType],
    pub(crate) n_results: usize,
    /// Globals that can change.
    pub(crate) globals: &'a [u32],
    pub(crate) call_depth: u32,
    /// Imports that draw, by position among the draws.
    pub(crate) n_draws: u32,
    /// What is called before the first run.
    pub(crate) before: &'a [u32],
}

/// The body of a helper.
pub(crate) fn body(helper: Helper, layout: &Layout, batch: &Batch<'_>) -> Body {
    let mut out = Writer::new(layout, helper.signature().0.len() as u32);
    match helper {
        Helper::Seen => out.seen(),
        Helper::Leaf => out.leaf(),
        Helper::Range => out.range(),
        Helper::Least => out.least(),
        Helper::Sum => out.sum(),
        Helper::OrderedF32 => out.ordered_f32(),
        Helper::OrderedF64 => out.ordered_f64(),
        Helper::Tell => out.tell(),
        Helper::Halt => {
            out.all(&[I::LocalGet(0), I::GlobalSet(layout.global(Global::Stop)), I::Unreachable]);
        }
        Helper::Descend => out.descend(),
        Helper::Longer => out.longer(),
        Helper::Touch => out.touch(),
        Helper::TouchRange => out.touch_range(),
        Helper::Grow => out.grow(),
        Helper::Restore => out.restore(),
        Helper::Drive => out.drive(batch),
        Helper::Prepare => out.prepare(batch),
    }
    out.out.finish()
}

/// The function that tells how far an index is from each case of a switch.
pub(crate) fn switch_body(layout: &Layout, position: u32, switch: &Switch) -> Body {
    let mut out = Writer::new(layout, 1);
    let distance = out.out.new_local(ValType::I64);
    let still_open = out.out.new_local(ValType::I32);
    let leaving = if switch.ranges.len() > 1 { 1 } else { -1 };
    for (case, ranges) in switch.ranges.iter().enumerate() {
        let site = (switch.first_site + case) as u32;
        for (i, &(low, high)) in ranges.iter().enumerate() {
            out.all(&[I::LocalGet(0), I::I32Const(low as i32), I::I32Const(high as i32)]);
            out.call(Helper::Range);
            if i > 0 {
                out.call(Helper::Least);
            }
        }
        out.all(&[I::LocalSet(distance), I::I32Const(site as i32)]);
        out.all(&[I::I64Const(0), I::I64Const(leaving), I::LocalGet(distance)]);
        out.all(&[I::I64Const(0), I::I64Ne, I::Select, I::LocalGet(distance)]);
        out.call(Helper::Seen);
        out.all(&[I::I32Const(0), I::I32Load8U(at(OURS, layout.open + site))]);
        out.all(&[I::LocalGet(still_open), I::I32Or, I::LocalSet(still_open)]);
    }
    out.all(&[I::I32Const(0), I::LocalGet(still_open)]);
    out.all(&[I::I32Store8(at(OURS, layout.switch_open + position))]);
    out.out.finish()
}

/// The body of an import that draws, by position among them: the next of the run's cells, or zero.
pub(crate) fn draw_body(
    layout: &Layout,
    position: u32,
    n_params: u32,
    first_slot: u32,
    ty: ValType,
) -> Body {
    let mut out = Writer::new(layout, n_params);
    let count = out.out.new_local(ValType::I32);
    let bits = out.out.new_local(ValType::I64);
    let place = at(OURS, layout.draws + 4 * position);
    out.all(&[I::I32Const(0), I::I32Load(place), I::LocalTee(count)]);
    out.all(&[I::I32Const(DRAWS_MAX as i32), I::I32LtU, I::If(BlockType::Empty)]);
    out.all(&[I::I32Const(0), I::LocalGet(count), I::I32Const(1), I::I32Add, I::I32Store(place)]);
    out.get(Global::Record);
    out.all(&[I::LocalGet(count), I::I32Const(3), I::I32Shl, I::I32Add]);
    out.all(&[I::I64Load(at(OURS, 8 * first_slot)), I::LocalSet(bits), I::End, I::LocalGet(bits)]);
    out.convert(ty);
    out.out.finish()
}

/// The body of an import that ends the run.
pub(crate) fn stop_body(layout: &Layout, reason: u32, has_argument: bool, n_params: u32) -> Body {
    let mut out = Writer::new(layout, n_params);
    if has_argument {
        out.out.get(0);
        out.set(Global::StopArgument);
    }
    out.out.i32(reason);
    out.call(Helper::Halt);
    out.out.emit(&I::Unreachable);
    out.out.finish()
}

/// The body of an import that assumes that its argument is not zero.
pub(crate) fn assume_body(layout: &Layout) -> Body {
    let mut out = Writer::new(layout, 1);
    out.all(&[I::LocalGet(0), I::I32Eqz, I::If(BlockType::Empty)]);
    out.out.i32(STOP_REJECTED);
    out.call(Helper::Halt);
    out.out.emit(&I::End);
    out.out.finish()
}

/// The body of a function that returns zeros.
pub(crate) fn zeros_body(layout: &Layout, n_params: u32, results: &[ValType]) -> Body {
    let mut out = Writer::new(layout, n_params);
    for &ty in results {
        out.out.emit(&I::I64Const(0));
        out.convert(ty);
    }
    out.out.finish()
}

/// The body of a function that gives back a parameter, or nothing.
pub(crate) fn param_body(layout: &Layout, n_params: u32, param: Option<u32>) -> Body {
    let mut out = Writer::new(layout, n_params);
    param.into_iter().for_each(|param| out.out.get(param));
    out.out.finish()
}

/// The body of a function that the host executes.
pub(crate) fn host_body(layout: &Layout, position: u32, n_params: u32) -> Body {
    let mut out = Writer::new(layout, n_params);
    (0..n_params).for_each(|param| out.out.get(param));
    out.out.emit(&I::Call(position));
    out.out.finish()
}

/// The body of a function that never runs.
pub(crate) fn unreachable_body(layout: &Layout, n_params: u32) -> Body {
    let mut out = Writer::new(layout, n_params);
    out.out.emit(&I::Unreachable);
    out.out.finish()
}

/// Ends the run unless there is fuel left.
pub(crate) fn charge(out: &mut Emitter, layout: &Layout, cost: u32) {
    let fuel = layout.global(Global::Fuel);
    out.emit(&I::GlobalGet(fuel));
    out.i32(cost);
    out.emit(&I::I32Sub);
    out.emit(&I::GlobalSet(fuel));
    out.emit(&I::GlobalGet(fuel));
    out.i32(0);
    out.emit(&I::I32LtS);
    out.emit_cold_if(BlockType::Empty);
    out.i32(STOP_FUEL);
    out.emit(&I::Call(layout.helper(Helper::Halt)));
    out.emit(&I::End);
}

struct Writer<'a> {
    layout: &'a Layout,
    out: Emitter,
}

impl Writer<'_> {
    fn new(layout: &Layout, n_params: u32) -> Writer<'_> {
        Writer { layout, out: Emitter::new(n_params) }
    }

    fn all(&mut self, instructions: &[I<'_>]) {
        instructions.iter().for_each(|instruction| self.out.emit(instruction));
    }

    fn call(&mut self, helper: Helper) {
        self.out.emit(&I::Call(self.layout.helper(helper)));
    }

    fn get(&mut self, global: Global) {
        self.out.emit(&I::GlobalGet(self.layout.global(global)));
    }

    fn set(&mut self, global: Global) {
        self.out.emit(&I::GlobalSet(self.layout.global(global)));
    }

    /// Makes raw bits a value; a reference is null.
    fn convert(&mut self, ty: ValType) {
        match ty {
            ValType::I32 => self.out.emit(&I::I32WrapI64),
            ValType::I64 => {}
            ValType::F32 => self.all(&[I::I32WrapI64, I::F32ReinterpretI32]),
            ValType::F64 => self.out.emit(&I::F64ReinterpretI64),
            ValType::V128 | ValType::Ref(_) => {
                self.all(&[I::Drop, I::RefNull(wasm_encoder::HeapType::FUNC)]);
            }
        }
    }

    /// `(site, distance to false, distance to true)`
    fn seen(&mut self) {
        let place = self.out.new_local(ValType::I32);
        let shift = (2 * SIDE_BYTES).ilog2() as i32;
        self.all(&[I::LocalGet(0), I::I32Const(shift), I::I32Shl, I::LocalSet(place)]);
        for (side, distance) in [(0, 1), (1, 2)] {
            let base = side * SIDE_BYTES;
            self.all(&[I::LocalGet(distance), I::LocalGet(place), I::I64Load(at(OURS, base))]);
            self.all(&[I::I64LtU, I::If(BlockType::Empty)]);
            self.all(&[I::LocalGet(place), I::LocalGet(distance), I::I64Store(at(OURS, base))]);
            self.out.get(place);
            self.get(Global::OperandA);
            self.all(&[I::I64Store(at(OURS, base + 8)), I::LocalGet(place)]);
            self.get(Global::OperandB);
            self.all(&[I::I64Store(at(OURS, base + 16)), I::LocalGet(place)]);
            self.get(Global::OperandTag);
            self.all(&[I::I32Store(at(OURS, base + 24))]);
            self.all(&[I::LocalGet(0), I::I32Const(1), I::I32Shl, I::I32Const(side as i32)]);
            self.out.emit(&I::I32Or);
            self.call(Helper::Tell);
            self.out.emit(&I::End);
        }
        self.all(&[I::LocalGet(place), I::I64Load(at(OURS, 0))]);
        self.all(&[I::LocalGet(place), I::I64Load(at(OURS, SIDE_BYTES)), I::I64Or, I::I64Eqz]);
        self.all(&[I::If(BlockType::Empty), I::LocalGet(0), I::I32Const(0)]);
        self.all(&[I::I32Store8(at(OURS, self.layout.open)), I::End]);
    }

    /// `(a, b, truth, code) -> distance`. A code is the truth that is wanted, how its distance is
    /// measured, and the operands' type.
    fn leaf(&mut self) {
        let distance = self.out.new_local(ValType::I64);
        let kind = self.out.new_local(ValType::I32);
        self.all(&[I::LocalGet(2), I::LocalGet(3), I::I32Const(1), I::I32And, I::I32Eq]);
        self.all(&[I::If(BlockType::Empty), I::I64Const(0), I::Return, I::End, I::LocalGet(0)]);
        self.set(Global::OperandA);
        self.out.get(1);
        self.set(Global::OperandB);
        self.all(&[I::LocalGet(3), I::I32Const(3), I::I32ShrU]);
        self.set(Global::OperandTag);
        self.all(&[I::LocalGet(3), I::I32Const(1), I::I32ShrU, I::I32Const(3), I::I32And]);
        self.all(&[I::LocalTee(kind), I::I32Const(KIND_ONE as i32), I::I32Eq]);
        self.all(&[I::If(BlockType::Empty), I::I64Const(1), I::Return, I::End]);
        self.all(&[I::LocalGet(0), I::LocalGet(1), I::I64Sub]);
        self.all(&[I::LocalGet(1), I::LocalGet(0), I::I64Sub]);
        self.all(&[I::LocalGet(0), I::LocalGet(1), I::I64GtS, I::Select, I::LocalTee(distance)]);
        self.all(&[I::LocalGet(kind), I::I32Const(KIND_BEYOND as i32), I::I32Eq]);
        self.all(&[I::If(BlockType::Empty), I::LocalGet(distance), I::I64Const(1), I::I64Add]);
        self.all(&[I::LocalTee(distance), I::I64Const(-1), I::LocalGet(distance)]);
        self.all(&[I::I64Const(0), I::I64Ne, I::Select, I::Return, I::End]);
        // Operands that differ may be equal in order: zero and minus zero are one apart, so this is rare.
        self.all(&[I::I64Const(1), I::LocalGet(distance), I::I64Const(0), I::I64Ne, I::Select]);
    }

    /// `(index, low, high) -> distance`
    fn range(&mut self) {
        let bound = self.out.new_local(ValType::I32);
        self.all(&[I::LocalGet(1), I::LocalGet(2), I::LocalGet(0), I::LocalGet(1), I::I32LtU]);
        self.all(&[I::Select, I::LocalSet(bound), I::LocalGet(0), I::LocalGet(1), I::I32GeU]);
        self.all(&[I::LocalGet(0), I::LocalGet(2), I::I32LeU, I::I32And]);
        self.all(&[I::If(BlockType::Empty), I::I64Const(0), I::Return, I::End]);
        self.all(&[I::LocalGet(0), I::I64ExtendI32U]);
        self.set(Global::OperandA);
        self.all(&[I::LocalGet(bound), I::I64ExtendI32U]);
        self.set(Global::OperandB);
        self.out.i32(Numbers::I32Unsigned as u32);
        self.set(Global::OperandTag);
        self.all(&[I::LocalGet(0), I::LocalGet(bound), I::I32Sub]);
        self.all(&[I::LocalGet(bound), I::LocalGet(0), I::I32Sub]);
        self.all(&[I::LocalGet(0), I::LocalGet(bound), I::I32GtU, I::Select, I::I64ExtendI32U]);
    }

    fn least(&mut self) {
        self.all(&[I::LocalGet(0), I::LocalGet(1)]);
        self.all(&[I::LocalGet(0), I::LocalGet(1), I::I64LtU, I::Select]);
    }

    /// Addends are cut so that the sum cannot overflow.
    fn sum(&mut self) {
        for addend in [0, 1] {
            self.all(&[I::LocalGet(addend), I::I64Const(1 << 62)]);
            self.call(Helper::Least);
        }
        self.out.emit(&I::I64Add);
    }

    fn ordered_f32(&mut self) {
        let bits = self.out.new_local(ValType::I32);
        self.all(&[I::LocalGet(0), I::I32ReinterpretF32, I::LocalTee(bits), I::LocalGet(bits)]);
        self.all(&[I::I32Const(31), I::I32ShrS, I::I32Const(1), I::I32ShrU, I::I32Xor]);
        self.out.emit(&I::I64ExtendI32S);
    }

    fn ordered_f64(&mut self) {
        let bits = self.out.new_local(ValType::I64);
        self.all(&[I::LocalGet(0), I::I64ReinterpretF64, I::LocalTee(bits), I::LocalGet(bits)]);
        self.all(&[I::I64Const(63), I::I64ShrS, I::I64Const(1), I::I64ShrU, I::I64Xor]);
    }

    fn tell(&mut self) {
        self.get(Global::News);
        self.all(&[I::I32Const(NEWS_MAX as i32), I::I32LtU, I::If(BlockType::Empty)]);
        self.get(Global::News);
        self.all(&[I::I32Const(2), I::I32Shl, I::LocalGet(0)]);
        self.all(&[I::I32Store(at(OURS, self.layout.news)), I::End]);
        self.get(Global::News);
        self.all(&[I::I32Const(1), I::I32Add]);
        self.set(Global::News);
    }

    fn descend(&mut self) {
        self.get(Global::Depth);
        self.all(&[I::I32Const(1), I::I32Sub]);
        self.set(Global::Depth);
        self.get(Global::Depth);
        self.all(&[I::I32Const(0), I::I32LtS, I::If(BlockType::Empty)]);
        self.out.i32(STOP_DEEP);
        self.call(Helper::Halt);
        self.out.emit(&I::End);
    }

    /// `(loop, count)`
    fn longer(&mut self) {
        self.all(&[I::LocalGet(0), I::I32Const(2), I::I32Shl, I::I32Const(-1), I::LocalGet(1)]);
        self.all(&[I::LocalGet(1), I::I32Const(LOOP_COUNT_MAX as i32), I::I32GeU, I::Select]);
        self.all(&[I::I32Store(at(OURS, self.layout.loops))]);
        self.all(&[I::LocalGet(0), I::I32Const(NEWS_LOOP as i32), I::I32Or]);
        self.call(Helper::Tell);
    }

    /// `(piece)`, which is known not to be listed. What lies outside memory will trap without us.
    fn touch(&mut self) {
        self.all(&[I::LocalGet(0), I::MemorySize(0), I::I32Const(16 - GRANULE_BITS as i32)]);
        self.all(&[I::I32Shl, I::I32LtU, I::If(BlockType::Empty), I::LocalGet(0), I::I32Const(1)]);
        self.all(&[I::I32Store8(at(OURS, self.layout.dirty_map))]);
        self.get(Global::Dirty);
        self.all(&[I::I32Const(2), I::I32Shl, I::LocalGet(0)]);
        self.all(&[I::I32Store(at(OURS, self.layout.dirty_list))]);
        self.get(Global::Dirty);
        self.all(&[I::I32Const(1), I::I32Add]);
        self.set(Global::Dirty);
        self.out.emit(&I::End);
    }

    /// `(address, length)`
    fn touch_range(&mut self) {
        let piece = self.out.new_local(ValType::I32);
        let end = self.out.new_local(ValType::I64);
        self.all(&[I::LocalGet(0), I::I64ExtendI32U, I::LocalGet(1), I::I64ExtendI32U]);
        self.all(&[I::I64Add, I::LocalTee(end), I::MemorySize(0), I::I64ExtendI32U]);
        self.all(&[I::I64Const(16), I::I64Shl, I::I64GtU, I::LocalGet(1), I::I32Eqz, I::I32Or]);
        self.all(&[I::If(BlockType::Empty), I::Return, I::End, I::LocalGet(0)]);
        self.all(&[I::I32Const(GRANULE_BITS as i32), I::I32ShrU, I::LocalSet(piece)]);
        self.all(&[I::Loop(BlockType::Empty), I::LocalGet(piece)]);
        self.all(&[I::I32Load8U(at(OURS, self.layout.dirty_map)), I::I32Eqz]);
        self.all(&[I::If(BlockType::Empty), I::LocalGet(piece)]);
        self.call(Helper::Touch);
        self.all(&[I::End, I::LocalGet(piece), I::I32Const(1), I::I32Add, I::LocalTee(piece)]);
        self.all(&[I::I64ExtendI32U, I::I64Const(i64::from(GRANULE_BITS)), I::I64Shl]);
        self.all(&[I::LocalGet(end), I::I64LtU, I::BrIf(0), I::End]);
    }

    /// Memory never shrinks, but the program's view of it does, after each run.
    fn grow(&mut self) {
        let pages_max = self.layout.pages_max as i32;
        let before = self.out.new_local(ValType::I32);
        self.all(&[I::LocalGet(0), I::I32Const(pages_max)]);
        self.get(Global::Pages);
        self.all(&[I::LocalTee(before), I::I32Sub, I::I32GtU]);
        self.all(&[I::If(BlockType::Empty), I::I32Const(-1), I::Return, I::End]);
        self.all(&[I::LocalGet(before), I::LocalGet(0), I::I32Add, I::LocalSet(0)]);
        for memory in [SNAPSHOT, 0] {
            self.all(&[I::LocalGet(0), I::MemorySize(memory), I::I32GtU]);
            self.all(&[I::If(BlockType::Empty), I::LocalGet(0), I::MemorySize(memory)]);
            self.all(&[I::I32Sub, I::MemoryGrow(memory), I::I32Const(-1), I::I32Eq]);
            self.all(&[I::If(BlockType::Empty), I::I32Const(-1), I::Return, I::End, I::End]);
        }
        self.out.get(0);
        self.set(Global::Pages);
        self.out.get(before);
    }

    /// A store may reach seven bytes into the piece that follows the one that was listed.
    fn restore(&mut self) {
        let piece = self.out.new_local(ValType::I32);
        let address = self.out.new_local(ValType::I32);
        let word = |offset: u32| {
            let from = I::I64Load(at(SNAPSHOT, offset));
            [I::LocalGet(address), I::LocalGet(address), from, I::I64Store(at(0, offset))]
        };
        self.all(&[I::Block(BlockType::Empty), I::Loop(BlockType::Empty)]);
        self.get(Global::Dirty);
        self.all(&[I::I32Eqz, I::BrIf(1)]);
        self.get(Global::Dirty);
        self.all(&[I::I32Const(1), I::I32Sub]);
        self.set(Global::Dirty);
        self.get(Global::Dirty);
        self.all(&[I::I32Const(2), I::I32Shl, I::I32Load(at(OURS, self.layout.dirty_list))]);
        self.all(&[I::LocalTee(piece), I::I32Const(0)]);
        self.all(&[I::I32Store8(at(OURS, self.layout.dirty_map)), I::LocalGet(piece)]);
        self.all(&[I::I32Const(GRANULE_BITS as i32), I::I32Shl, I::LocalSet(address)]);
        for offset in (0..1 << GRANULE_BITS).step_by(8) {
            self.all(&word(offset));
        }
        self.all(&[I::LocalGet(piece), I::I32Const(1), I::I32Add, I::MemorySize(0)]);
        self.all(&[I::I32Const(16 - GRANULE_BITS as i32), I::I32Shl, I::I32LtU]);
        self.out.emit(&I::If(BlockType::Empty));
        self.all(&word(1 << GRANULE_BITS));
        self.all(&[I::End, I::Br(0), I::End, I::End]);
    }

    /// `(first, end, fuel, cells of memory, bytes of a run) -> first run with news, or end`
    fn drive(&mut self, batch: &Batch<'_>) {
        let [first, end, fuel, n_cells, stride] = [0, 1, 2, 3, 4];
        let record = self.out.new_local(ValType::I32);
        self.all(&[I::Loop(BlockType::Empty), I::LocalGet(first), I::LocalGet(end), I::I32GeU]);
        self.all(&[I::If(BlockType::Empty), I::LocalGet(end), I::Return, I::End]);
        self.call(Helper::Restore);
        for (i, &global) in batch.globals.iter().enumerate() {
            self.all(&[I::GlobalGet(self.layout.saved(i as u32)), I::GlobalSet(global)]);
        }
        self.get(Global::PagesBefore);
        self.set(Global::Pages);
        self.out.get(first);
        self.set(Global::Current);
        self.out.get(fuel);
        self.set(Global::Fuel);
        self.out.i32(batch.call_depth);
        self.set(Global::Depth);
        for global in [Global::Stop, Global::News] {
            self.out.i32(0);
            self.set(global);
        }
        self.all(&[I::LocalGet(first), I::LocalGet(stride), I::I32Mul]);
        self.all(&[I::I32Const(self.layout.runs as i32), I::I32Add, I::LocalSet(record)]);
        self.out.get(record);
        self.set(Global::Record);
        for draw in 0..batch.n_draws {
            self.all(&[I::I32Const(0), I::I32Const(0)]);
            self.all(&[I::I32Store(at(OURS, self.layout.draws + 4 * draw))]);
        }
        let n_before = batch.params.len() as u32 + DRAWS_MAX * batch.n_draws;
        self.write_cells(record, n_cells, 8 * n_before);
        for (i, ty) in batch.params.iter().enumerate() {
            self.all(&[I::LocalGet(record), I::I64Load(at(OURS, 8 * i as u32))]);
            self.convert(*ty);
        }
        self.out.emit(&I::Call(batch.entry));
        (0..batch.n_results).for_each(|_| self.out.emit(&I::Drop));
        self.get(Global::News);
        self.all(&[I::If(BlockType::Empty), I::LocalGet(first), I::Return, I::End]);
        self.all(&[I::LocalGet(first), I::I32Const(1), I::I32Add, I::LocalSet(first)]);
        self.all(&[I::Br(0), I::End, I::Unreachable]);
    }

    /// Writes a run's cells of memory, whose places and sizes are listed.
    fn write_cells(&mut self, record: u32, n_cells: u32, first_value: u32) {
        let value = self.out.new_local(ValType::I32);
        let cell = self.out.new_local(ValType::I32);
        let size = self.out.new_local(ValType::I32);
        let cells = self.layout.cells;
        self.all(&[I::LocalGet(record), I::LocalSet(value), I::I32Const(0), I::LocalSet(cell)]);
        self.all(&[I::Block(BlockType::Empty), I::Loop(BlockType::Empty), I::LocalGet(cell)]);
        self.all(&[I::LocalGet(n_cells), I::I32Const(3), I::I32Shl, I::I32GeU, I::BrIf(1)]);
        self.all(&[I::LocalGet(cell), I::I32Load(at(OURS, cells + 4)), I::LocalSet(size)]);
        for (bytes, store) in [
            (1, I::I64Store8(at(0, 0))),
            (2, I::I64Store16(at(0, 0))),
            (4, I::I64Store32(at(0, 0))),
            (8, I::I64Store(at(0, 0))),
        ] {
            self.all(&[I::LocalGet(size), I::I32Const(bytes), I::I32Eq, I::If(BlockType::Empty)]);
            self.all(&[I::LocalGet(cell), I::I32Load(at(OURS, cells)), I::LocalGet(value)]);
            self.all(&[I::I64Load(at(OURS, first_value)), store, I::End]);
        }
        for local in [value, cell] {
            self.all(&[I::LocalGet(local), I::I32Const(8), I::I32Add, I::LocalSet(local)]);
        }
        self.all(&[I::Br(0), I::End, I::End]);
    }

    /// Calls what comes before the first run, and keeps what it left in globals.
    fn prepare(&mut self, batch: &Batch<'_>) {
        for &function in batch.before {
            self.out.emit(&I::Call(function));
        }
        for (i, &global) in batch.globals.iter().enumerate() {
            self.all(&[I::GlobalGet(global), I::GlobalSet(self.layout.saved(i as u32))]);
        }
        self.get(Global::Pages);
        self.set(Global::PagesBefore);
    }
}
