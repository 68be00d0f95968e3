//! Rewrites one function for bursts: the original code, plus looks at conditions, fuel and writes.
//!
//! Control flow stays as it is. Before an operator that chooses, code looks whether one of its sides is
//! still open, and only then measures distances. Code that cannot be reached is dropped.

use crate::access::Access;
use crate::encode::{num_type, val_type};
use crate::fast::condition::{Comparison, ConditionId, Conditions};
use crate::fast::helpers::charge;
use crate::fast::layout::{GRANULE_BITS, Global, Helper, Layout, OURS, STOP_UNREACHABLE, at};
use crate::fast::scope::Scope;
use crate::instrument::emitter::{Body, Emitter};
use crate::instrument::sites::Facts;
use crate::module::Module;
use crate::wasm_op::WasmOp;
use std::collections::BTreeMap;
use symcrete_program::module::{
    self, AddressType, Cases, Constant, Frame, FrameKind, FunctionType, Kind, ReadOperator, Stack,
    ValueType, Visitor, walk,
};
use wasm_encoder::reencode::{Error as ReencodeError, Reencode};
use wasm_encoder::{BlockType, Encode, Instruction, ValType};

/// A function may have fifty thousand locals; beyond this, operands are not kept.
const LOCALS_MAX: u32 = 20_000;

/// What all functions of a module share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) module: &'a Module<'a>,
    pub(crate) facts: &'a Facts,
    pub(crate) scope: &'a Scope,
    pub(crate) layout: &'a Layout,
}

/// Renumbers functions in code.
struct Renumber<'a>(&'a Layout);

impl Reencode for Renumber<'_> {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, ReencodeError> {
        Ok(self.0.function(function))
    }
}

/// What is known of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Nothing,
    Constant(i32),
    Condition(ConditionId),
}

struct Rewriter<'a> {
    context: Context<'a>,
    out: Emitter,
    conditions: Conditions,
    stack: Stack<Known, ()>,
    locals: Vec<Known>,
    site: u32,
    /// The operator at hand, encoded.
    original: Vec<u8>,
    function: u32,
    next_loop: u32,
    n_temps: u32,
    /// Where operands are while they are made numbers of 32 bits, by their position among them.
    wide: BTreeMap<(usize, ValueType), u32>,
}

/// Rewrites a function whose first loop has the given number; returns the number after its last.
pub(crate) fn rewrite(context: Context<'_>, function: u32, first_loop: u32) -> (Body, u32) {
    let n_params = context.module.function_type(function).params.len();
    let mut out = Emitter::new(n_params as u32);
    let mut n_locals = n_params;
    for (n, ty) in context.module.locals(function) {
        (0..n).for_each(|_| {
            out.new_local(val_type(ty));
        });
        n_locals += n as usize;
    }
    let mut rewriter = Rewriter {
        context,
        out,
        conditions: Conditions::default(),
        stack: Stack::default(),
        locals: vec![Known::Nothing; n_locals],
        site: 0,
        original: Vec::new(),
        function,
        next_loop: first_loop,
        n_temps: 0,
        wide: BTreeMap::new(),
    };
    walk(context.module, function, &mut rewriter);
    (rewriter.out.finish(), rewriter.next_loop)
}

impl Visitor for Rewriter<'_> {
    type Operand = Known;
    type Label = ();

    fn stack(&mut self) -> &mut Stack<Known, ()> {
        &mut self.stack
    }

    fn enter(&mut self) {
        self.site = self.context.module.body(self.function).map_or(0, |body| body.start);
        self.out.origin(self.site);
        let entry_cost = self.context.facts.functions[self.function as usize].entry_cost;
        charge(&mut self.out, self.context.layout, entry_cost);
    }

    fn begin(&mut self, step: &ReadOperator<'_>) {
        self.site = step.range.start;
        self.out.origin(self.site);
        let instruction = Renumber(self.context.layout).instruction(step.raw.clone());
        self.original.clear();
        instruction.expect("what was read can be written again").encode(&mut self.original);
    }

    fn open(
        &mut self,
        kind: FrameKind,
        _: module::BlockType,
        _: &FunctionType,
        condition: Option<Known>,
    ) {
        match condition {
            Some(condition) => {
                self.choose(condition);
                self.copy();
            }
            None if kind == FrameKind::Loop => self.start_loop(),
            None => self.copy(),
        }
    }

    /// Behind a label nothing is known: control may have come from elsewhere.
    fn otherwise(&mut self, _: Option<Vec<Known>>, is_written: bool) {
        if is_written {
            self.copy();
        }
        self.locals.fill(Known::Nothing);
        let base = self.stack.frame(0).base;
        self.stack.operands[base..].fill(Known::Nothing);
    }

    fn end(&mut self, frame: Frame<Known, ()>, _: Option<Vec<Known>>) -> Option<Vec<Known>> {
        self.locals.fill(Known::Nothing);
        if !self.stack.frames.is_empty() {
            self.copy();
        }
        Some(vec![Known::Nothing; frame.ty.results.len()])
    }

    fn br(&mut self, _: u32) {
        self.copy();
    }

    fn br_if(&mut self, _: u32, condition: Known) {
        self.choose(condition);
        self.copy();
    }

    fn br_table(&mut self, _: &Cases, _: Known) {
        self.switch();
    }

    fn unreachable(&mut self) {
        // The compiler would make it a part of the branch that leads here, and its place with it.
        self.out.i32(STOP_UNREACHABLE);
        self.helper(Helper::Halt);
        self.copy();
    }

    fn drop_operand(&mut self, _: Known) {
        self.copy();
    }

    fn local_get(&mut self, local: u32) -> Known {
        self.copy();
        self.locals[local as usize]
    }

    fn local_set(&mut self, local: u32, known: Known) {
        self.copy();
        self.locals[local as usize] = known;
    }

    fn local_tee(&mut self, local: u32, known: Known) -> Known {
        self.copy();
        self.locals[local as usize] = known;
        known
    }

    fn plain(&mut self, kind: &Kind, args: Vec<Known>) -> Vec<Known> {
        match *kind {
            Kind::Numeric(op) => return vec![self.numeric(op, &args)],
            Kind::Select => return vec![self.select(args[0], args[1], args[2])],
            Kind::Const(Constant::I32(value)) => {
                self.copy();
                return vec![Known::Constant(value as i32)];
            }
            Kind::Call(function) => self.call(function, &args),
            Kind::CallIndirect { table, .. } => {
                if self.context.module.tables[table as usize].address == AddressType::I64 {
                    self.clamp(&[ValueType::I64]);
                }
                self.deeper();
            }
            Kind::Load(access) => self.load(access),
            Kind::Store(access) => self.store(access),
            Kind::MemorySize => {
                let pages = self.context.layout.global(Global::Pages);
                self.out.emit(&Instruction::GlobalGet(pages));
            }
            Kind::MemoryGrow => {
                self.clamp_operands(kind);
                self.helper(Helper::Grow);
            }
            Kind::MemoryCopy | Kind::MemoryFill | Kind::MemoryInit(_) => {
                self.clamp_operands(kind);
                self.bulk();
            }
            // What changes tables and segments comes before the first run only.
            Kind::Table(_) => {
                self.clamp_operands(kind);
                self.copy();
            }
            Kind::Const(_)
            | Kind::RefIsNull
            | Kind::GlobalGet(_)
            | Kind::GlobalSet(_)
            | Kind::DataDrop(_) => self.copy(),
        }
        if kind.has_wide_result(self.context.module) {
            self.out.emit(&Instruction::I64ExtendI32S);
        }
        let n = kind.results(self.context.module).map_or(1, <[_]>::len);
        vec![Known::Nothing; n]
    }
}

impl Rewriter<'_> {
    /// Copies the operator at hand.
    fn copy(&mut self) {
        self.out.emit_encoded(&self.original);
    }

    fn helper(&mut self, helper: Helper) {
        self.out.emit(&Instruction::Call(self.context.layout.helper(helper)));
    }

    fn temp(&mut self, ty: ValType) -> u32 {
        self.n_temps += 1;
        self.out.new_local(ty)
    }

    /// Keeps the operands on top of the stack in locals of their own, and leaves them there.
    fn keep(&mut self, types: &[ValType]) -> Option<Vec<u32>> {
        if self.n_temps > LOCALS_MAX {
            return None;
        }
        let temps: Vec<u32> = types.iter().map(|&ty| self.temp(ty)).collect();
        temps[1..].iter().rev().for_each(|&temp| self.out.set(temp));
        self.out.emit(&Instruction::LocalTee(temps[0]));
        temps[1..].iter().for_each(|&temp| self.out.get(temp));
        Some(temps)
    }

    fn numeric(&mut self, op: WasmOp, operands: &[Known]) -> Known {
        let mut result = self.combine(op, operands);
        if result.is_none()
            && let Some(comparison) = Comparison::of(op, &self.original)
        {
            let types: Vec<ValType> = op.params().iter().map(|&num| num_type(num)).collect();
            result = self
                .keep(&types)
                .map(|temps| self.conditions.compare(comparison, temps[0], temps.get(1).copied()));
        }
        self.copy();
        result.map_or(Known::Nothing, Known::Condition)
    }

    /// Conditions made of conditions.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few operators combine conditions")]
    fn combine(&mut self, op: WasmOp, operands: &[Known]) -> Option<ConditionId> {
        match (op, operands) {
            (WasmOp::I32Eqz, [Known::Condition(c)])
            | (WasmOp::I32Eq, [Known::Condition(c), Known::Constant(0)])
            | (WasmOp::I32Ne | WasmOp::I32Xor, [Known::Condition(c), Known::Constant(1)]) => {
                self.conditions.not(*c)
            }
            (WasmOp::I32Ne, [Known::Condition(c), Known::Constant(0)])
            | (WasmOp::I32And, [Known::Condition(c), Known::Constant(1)]) => Some(*c),
            (WasmOp::I32And, [Known::Condition(a), Known::Condition(b)]) => {
                self.conditions.and(*a, *b)
            }
            (WasmOp::I32Or, [Known::Condition(a), Known::Condition(b)]) => {
                self.conditions.or(*a, *b)
            }
            (
                WasmOp::I32And | WasmOp::I32Or,
                [Known::Condition(_), _] | [_, Known::Condition(_)],
            ) => {
                let temps = self.keep(&[ValType::I32, ValType::I32])?;
                let mut side = |i: usize| match operands[i] {
                    Known::Condition(condition) => condition,
                    Known::Nothing | Known::Constant(_) => self.conditions.value(temps[i]),
                };
                let (a, b) = (side(0), side(1));
                match op {
                    WasmOp::I32And => self.conditions.and(a, b),
                    _ => self.conditions.or(a, b),
                }
            }
            _ => None,
        }
    }

    /// Looks at the condition of the site at hand, which is on top of the stack and stays there.
    fn choose(&mut self, condition: Known) -> ConditionId {
        self.look(self.context.scope.number[&self.site], condition)
    }

    fn look(&mut self, number: u32, condition: Known) -> ConditionId {
        let condition = match condition {
            Known::Condition(condition) => condition,
            Known::Nothing | Known::Constant(_) => {
                let temp = self.temp(ValType::I32);
                self.out.emit(&Instruction::LocalTee(temp));
                self.conditions.value(temp)
            }
        };
        let layout = self.context.layout;
        self.out.i32(0);
        self.out.emit(&Instruction::I32Load8U(at(OURS, layout.open + number)));
        self.out.emit_cold_if(BlockType::Empty);
        self.out.i32(number);
        self.conditions.emit_distance(&mut self.out, layout, condition, false);
        self.conditions.emit_distance(&mut self.out, layout, condition, true);
        self.helper(Helper::Seen);
        self.out.emit(&Instruction::End);
        condition
    }

    /// `select`, which is also how compilers write `&&` and `||` without jumps.
    fn select(&mut self, first: Known, second: Known, condition: Known) -> Known {
        let condition = self.choose(condition);
        self.copy();
        let result = match (first, second) {
            (Known::Condition(first), Known::Constant(0)) => self.conditions.and(condition, first),
            (Known::Constant(1), Known::Condition(second)) => self.conditions.or(condition, second),
            (Known::Constant(1), Known::Constant(0)) => Some(condition),
            (Known::Constant(0), Known::Constant(1)) => self.conditions.not(condition),
            (Known::Nothing | Known::Constant(_) | Known::Condition(_), _) => None,
        };
        result.map_or(Known::Nothing, Known::Condition)
    }

    /// `br_table`
    fn switch(&mut self) {
        let switches = &self.context.scope.switches;
        let position = switches.range(..self.site).count() as u32;
        let layout = self.context.layout;
        let index = self.temp(ValType::I32);
        self.out.emit(&Instruction::LocalTee(index));
        self.out.i32(0);
        self.out.emit(&Instruction::I32Load8U(at(OURS, layout.switch_open + position)));
        self.out.emit_cold_if(BlockType::Empty);
        self.out.get(index);
        self.out.emit(&Instruction::Call(layout.switch(position)));
        self.out.emit(&Instruction::End);
        self.copy();
    }

    fn call(&mut self, function: u32, args: &[Known]) {
        if let Some(&number) = self.context.scope.assumptions.get(&self.site) {
            self.look(number, args[0]);
            self.copy();
            return;
        }
        match self.context.facts.functions[function as usize].recursive {
            true => self.deeper(),
            false => self.copy(),
        }
    }

    /// A call of what may call itself.
    fn deeper(&mut self) {
        self.helper(Helper::Descend);
        self.copy();
        let depth = self.context.layout.global(Global::Depth);
        self.out.emit(&Instruction::GlobalGet(depth));
        self.out.i32(1);
        self.out.emit(&Instruction::I32Add);
        self.out.emit(&Instruction::GlobalSet(depth));
    }

    /// Makes the operands on top of the stack of an operator on memory or tables that is no access numbers of 32 bits, where
    /// they are addresses, indices or lengths. No other operand of such an operator has 64.
    fn clamp_operands(&mut self, kind: &Kind) {
        let types = kind.params(self.context.module).unwrap_or_default();
        if types.contains(&ValueType::I64) {
            self.clamp(&types);
        }
    }

    /// A local that is used again and again: accesses are many.
    fn wide_temp(&mut self, position: usize, ty: ValueType) -> u32 {
        let out = &mut self.out;
        *self.wide.entry((position, ty)).or_insert_with(|| out.new_local(val_type(ty)))
    }

    fn clamp(&mut self, types: &[ValueType]) {
        let temps: Vec<u32> =
            types.iter().enumerate().map(|(i, &ty)| self.wide_temp(i, ty)).collect();
        temps.iter().rev().for_each(|&temp| self.out.set(temp));
        for (&temp, &ty) in temps.iter().zip(types) {
            match ty == ValueType::I64 {
                true => self.out.get_clamped(temp),
                false => self.out.get(temp),
            }
        }
    }

    /// Makes an address on top of the stack one of 32 bits, and traps if it is above.
    fn narrow_address(&mut self) {
        if self.context.module.address_type() == AddressType::I64 {
            let wide = self.wide_temp(0, ValueType::I64);
            self.out.set(wide);
            self.out.get_address(wide);
        }
    }

    fn load(&mut self, access: Access) {
        if !self.out.emit_trap_beyond(access.offset) {
            self.narrow_address();
            self.copy();
        }
    }

    fn store(&mut self, access: Access) {
        if self.out.emit_trap_beyond(access.offset) {
            return;
        }
        let value = self.temp(val_type(access.ty));
        let address = self.temp(ValType::I32);
        let piece = self.temp(ValType::I32);
        let layout = self.context.layout;
        self.out.set(value);
        self.narrow_address();
        self.out.emit(&Instruction::LocalTee(address));
        self.out.get(address);
        if access.offset > 0 {
            self.out.i32(access.offset as u32);
            self.out.emit(&Instruction::I32Add);
        }
        self.out.i32(GRANULE_BITS);
        self.out.emit(&Instruction::I32ShrU);
        self.out.emit(&Instruction::LocalTee(piece));
        self.out.emit(&Instruction::I32Load8U(at(OURS, layout.dirty_map)));
        self.out.emit(&Instruction::I32Eqz);
        self.out.emit_cold_if(BlockType::Empty);
        self.out.get(piece);
        self.helper(Helper::Touch);
        self.out.emit(&Instruction::End);
        self.out.get(value);
        self.copy();
    }

    /// Bulk operations cost fuel by length.
    fn bulk(&mut self) {
        let [to, from, length] = [ValType::I32; 3].map(|ty| self.temp(ty));
        [length, from, to].iter().for_each(|&temp| self.out.set(temp));
        self.out.get(to);
        self.out.get(length);
        self.helper(Helper::TouchRange);
        [to, from, length].iter().for_each(|&temp| self.out.get(temp));
        self.copy();
        let fuel = self.context.layout.global(Global::Fuel);
        self.out.emit(&Instruction::GlobalGet(fuel));
        self.out.get(length);
        self.out.i32(6);
        self.out.emit(&Instruction::I32ShrU);
        self.out.emit(&Instruction::I32Sub);
        self.out.emit(&Instruction::GlobalSet(fuel));
    }

    /// At the start of a loop nothing is known: it may be the second time.
    fn start_loop(&mut self) {
        let count = self.temp(ValType::I32);
        self.out.i32(0);
        self.out.set(count);
        self.copy();
        self.locals.fill(Known::Nothing);
        self.stack.operands.fill(Known::Nothing);
        let layout = self.context.layout;
        let facts = &self.context.facts.functions[self.function as usize];
        charge(&mut self.out, layout, facts.loops[&self.site].cost);
        let number = self.next_loop;
        self.next_loop += 1;
        self.out.get(count);
        self.out.i32(1);
        self.out.emit(&Instruction::I32Add);
        self.out.emit(&Instruction::LocalTee(count));
        self.out.i32(0);
        self.out.emit(&Instruction::I32Load(at(OURS, layout.loops + 4 * number)));
        self.out.emit(&Instruction::I32GtU);
        self.out.emit_cold_if(BlockType::Empty);
        self.out.i32(number);
        self.out.get(count);
        self.helper(Helper::Longer);
        self.out.emit(&Instruction::End);
    }
}
