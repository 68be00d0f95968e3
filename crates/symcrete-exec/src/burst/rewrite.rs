//! Rewrites one function for bursts: the original code, plus looks at conditions, fuel and writes.
//!
//! Control flow stays as it is. Before an operator that chooses, code looks whether one of its sides is
//! still open, and only then measures distances. Code that cannot be reached is dropped.

use crate::access::Access;
use crate::burst::condition::{Comparison, ConditionId, Conditions};
use crate::burst::helpers::charge;
use crate::burst::layout::{GRANULE_BITS, Global, Helper, Layout, OURS, STOP_UNREACHABLE, at};
use crate::burst::scope::Scope;
use crate::instrument::emitter::{Body, Emitter};
use crate::instrument::function::{num_type, val_type};
use crate::instrument::sites::Facts;
use crate::module::Module;
use crate::wasm_op::WasmOp;
use wasm_encoder::reencode::{Error as ReencodeError, Reencode};
use wasm_encoder::{BlockType, Instruction, ValType};
use wasmparser::{BinaryReaderError, FunctionBody, Operator};

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

/// Renumbers functions.
pub(crate) struct Renumber<'a>(pub(crate) &'a Layout);

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

struct Frame {
    /// Stack height below its parameters.
    base: usize,
    n_params: usize,
    n_results: usize,
}

struct Rewriter<'a> {
    context: Context<'a>,
    out: Emitter,
    conditions: Conditions,
    stack: Vec<Known>,
    locals: Vec<Known>,
    frames: Vec<Frame>,
    /// Set while code cannot be reached: how many blocks have been opened since.
    dead: Option<u32>,
    site: u32,
    function: u32,
    next_loop: u32,
    n_temps: u32,
}

/// Rewrites a function whose first loop has the given number; gives the number after its last.
pub(crate) fn rewrite(
    context: Context<'_>,
    function: u32,
    body: &FunctionBody<'_>,
    first_loop: u32,
) -> Result<(Body, u32), BinaryReaderError> {
    let ty = context.module.function_type(function);
    let mut out = Emitter::new(ty.params().len() as u32);
    let mut n_locals = ty.params().len();
    for group in body.get_locals_reader()? {
        let (n, ty) = group?;
        (0..n).for_each(|_| {
            out.new_local(val_type(ty));
        });
        n_locals += n as usize;
    }
    let outer = Frame { base: 0, n_params: 0, n_results: ty.results().len() };
    let mut rewriter = Rewriter {
        context,
        out,
        conditions: Conditions::default(),
        stack: Vec::new(),
        locals: vec![Known::Nothing; n_locals],
        frames: vec![outer],
        dead: None,
        site: body.range().start as u32,
        function,
        next_loop: first_loop,
        n_temps: 0,
    };
    rewriter.out.origin(rewriter.site);
    let entry_cost = context.facts.functions[function as usize].entry_cost;
    charge(&mut rewriter.out, context.layout, entry_cost);
    for operator in body.get_operators_reader()?.into_iter_with_offsets() {
        let (operator, offset) = operator?;
        rewriter.site = offset as u32;
        rewriter.out.origin(rewriter.site);
        match rewriter.dead {
            Some(_) => rewriter.dead_operator(&operator),
            None => rewriter.operator(&operator),
        }
    }
    Ok((rewriter.out.finish(), rewriter.next_loop))
}

impl Rewriter<'_> {
    fn copy(&mut self, operator: &Operator<'_>) {
        let instruction = Renumber(self.context.layout)
            .instruction(operator.clone())
            .expect("a validated operator can be written again");
        self.out.emit(&instruction);
    }

    fn helper(&mut self, helper: Helper) {
        self.out.emit(&Instruction::Call(self.context.layout.helper(helper)));
    }

    fn pop(&mut self) -> Known {
        self.stack.pop().expect("validation keeps the stack balanced")
    }

    fn pop_many(&mut self, n: usize) {
        self.stack.truncate(self.stack.len() - n);
    }

    fn push_many(&mut self, n: usize) {
        self.stack.extend(std::iter::repeat_n(Known::Nothing, n));
    }

    fn temp(&mut self, ty: ValType) -> u32 {
        self.n_temps += 1;
        self.out.new_local(ty)
    }

    /// Copies an operator that pops and pushes so many operands.
    fn plain(&mut self, operator: &Operator<'_>, n_popped: usize, n_pushed: usize) {
        self.copy(operator);
        self.pop_many(n_popped);
        self.push_many(n_pushed);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "numbers and memory are matched first")]
    fn operator(&mut self, operator: &Operator<'_>) {
        if let Some(op) = WasmOp::of(operator) {
            return self.numeric(operator, op);
        }
        if let Some(access) = Access::of(operator) {
            return self.memory_access(operator, access);
        }
        match *operator {
            Operator::Nop => {}
            Operator::Unreachable => {
                // The compiler would make it a part of the branch that leads here, and its place with it.
                self.out.i32(STOP_UNREACHABLE);
                self.helper(Helper::Halt);
                self.copy(operator);
                self.dead = Some(0);
            }
            Operator::Return | Operator::Br { .. } => {
                self.copy(operator);
                self.dead = Some(0);
            }
            Operator::Block { blockty } => self.open(operator, blockty),
            Operator::Loop { blockty } => self.loop_(operator, blockty),
            Operator::If { blockty } => {
                self.choose();
                self.open(operator, blockty);
            }
            Operator::Else => self.else_(operator),
            Operator::End => self.end(operator),
            Operator::BrIf { .. } => {
                self.choose();
                self.copy(operator);
            }
            Operator::BrTable { .. } => self.br_table(operator),
            Operator::Select | Operator::TypedSelect { .. } => self.select(operator),
            Operator::Call { function_index } => self.call(operator, function_index),
            Operator::CallIndirect { type_index, .. } => {
                let ty = &self.context.module.types[type_index as usize];
                let (n_popped, n_pushed) = (ty.params().len() + 1, ty.results().len());
                self.deeper(operator, n_popped, n_pushed);
            }
            _ => self.data_operator(operator),
        }
    }

    /// What neither chooses nor calls.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are handled already")]
    fn data_operator(&mut self, operator: &Operator<'_>) {
        match *operator {
            Operator::LocalGet { local_index } => {
                self.copy(operator);
                self.stack.push(self.locals[local_index as usize]);
            }
            Operator::LocalSet { local_index } => {
                self.copy(operator);
                self.locals[local_index as usize] = self.pop();
            }
            Operator::LocalTee { local_index } => {
                self.copy(operator);
                let known = self.pop();
                self.locals[local_index as usize] = known;
                self.stack.push(known);
            }
            Operator::I32Const { value } => {
                self.copy(operator);
                self.stack.push(Known::Constant(value));
            }
            Operator::Drop | Operator::GlobalSet { .. } => self.plain(operator, 1, 0),
            Operator::GlobalGet { .. }
            | Operator::I64Const { .. }
            | Operator::F32Const { .. }
            | Operator::F64Const { .. }
            | Operator::RefNull { .. }
            | Operator::RefFunc { .. }
            | Operator::TableSize { .. } => self.plain(operator, 0, 1),
            Operator::RefIsNull | Operator::TableGet { .. } => self.plain(operator, 1, 1),
            Operator::MemorySize { .. } => {
                let pages = self.context.layout.global(Global::Pages);
                self.out.emit(&Instruction::GlobalGet(pages));
                self.push_many(1);
            }
            Operator::MemoryGrow { .. } => {
                self.helper(Helper::Grow);
                self.pop_many(1);
                self.push_many(1);
            }
            Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::MemoryInit { .. } => self.bulk(operator),
            // The rest changes tables and segments: only what comes before the first run does that.
            Operator::TableSet { .. } => self.plain(operator, 2, 0),
            Operator::TableGrow { .. } => self.plain(operator, 2, 1),
            Operator::TableFill { .. }
            | Operator::TableCopy { .. }
            | Operator::TableInit { .. } => self.plain(operator, 3, 0),
            Operator::ElemDrop { .. } | Operator::DataDrop { .. } => self.plain(operator, 0, 0),
            ref other => unreachable!("validation refuses {other:?}"),
        }
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

    fn numeric(&mut self, operator: &Operator<'_>, op: WasmOp) {
        let params = op.params();
        let operands = self.stack.split_off(self.stack.len() - params.len());
        let mut result = self.combine(op, &operands);
        if result.is_none()
            && let Some(comparison) = Comparison::of(op)
        {
            let types: Vec<ValType> = params.iter().map(|&num| num_type(num)).collect();
            result = self
                .keep(&types)
                .map(|temps| self.conditions.compare(comparison, temps[0], temps.get(1).copied()));
        }
        self.copy(operator);
        self.stack.push(result.map_or(Known::Nothing, Known::Condition));
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

    /// Takes the condition off the abstract stack and looks at it; the value stays where it is.
    fn choose(&mut self) -> ConditionId {
        let number = self.context.scope.number[&self.site];
        self.look(number)
    }

    fn look(&mut self, number: u32) -> ConditionId {
        let condition = match self.pop() {
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
    fn select(&mut self, operator: &Operator<'_>) {
        let condition = self.choose();
        let second = self.pop();
        let first = self.pop();
        self.copy(operator);
        let result = match (first, second) {
            (Known::Condition(first), Known::Constant(0)) => self.conditions.and(condition, first),
            (Known::Constant(1), Known::Condition(second)) => self.conditions.or(condition, second),
            (Known::Constant(1), Known::Constant(0)) => Some(condition),
            (Known::Constant(0), Known::Constant(1)) => self.conditions.not(condition),
            (Known::Nothing | Known::Constant(_) | Known::Condition(_), _) => None,
        };
        self.stack.push(result.map_or(Known::Nothing, Known::Condition));
    }

    fn br_table(&mut self, operator: &Operator<'_>) {
        self.pop();
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
        self.copy(operator);
        self.dead = Some(0);
    }

    fn call(&mut self, operator: &Operator<'_>, function: u32) {
        if let Some(&number) = self.context.scope.assumptions.get(&self.site) {
            self.look(number);
            self.copy(operator);
            return;
        }
        let ty = self.context.module.function_type(function);
        let (n_popped, n_pushed) = (ty.params().len(), ty.results().len());
        match self.context.facts.functions[function as usize].recursive {
            true => self.deeper(operator, n_popped, n_pushed),
            false => self.plain(operator, n_popped, n_pushed),
        }
    }

    /// A call of what may call itself.
    fn deeper(&mut self, operator: &Operator<'_>, n_popped: usize, n_pushed: usize) {
        self.helper(Helper::Descend);
        self.plain(operator, n_popped, n_pushed);
        let depth = self.context.layout.global(Global::Depth);
        self.out.emit(&Instruction::GlobalGet(depth));
        self.out.i32(1);
        self.out.emit(&Instruction::I32Add);
        self.out.emit(&Instruction::GlobalSet(depth));
    }

    fn memory_access(&mut self, operator: &Operator<'_>, access: Access) {
        let shape = access.shape();
        if !shape.is_store {
            return self.plain(operator, 1, 1);
        }
        let value = self.temp(num_type(shape.num));
        let address = self.temp(ValType::I32);
        let piece = self.temp(ValType::I32);
        let layout = self.context.layout;
        self.out.set(value);
        self.out.emit(&Instruction::LocalTee(address));
        self.out.get(address);
        if access.offset > 0 {
            self.out.i32(access.offset);
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
        self.plain(operator, 2, 0);
    }

    /// Bulk operations cost fuel by length.
    fn bulk(&mut self, operator: &Operator<'_>) {
        let [to, from, length] = [ValType::I32; 3].map(|ty| self.temp(ty));
        [length, from, to].iter().for_each(|&temp| self.out.set(temp));
        self.out.get(to);
        self.out.get(length);
        self.helper(Helper::TouchRange);
        [to, from, length].iter().for_each(|&temp| self.out.get(temp));
        self.plain(operator, 3, 0);
        let fuel = self.context.layout.global(Global::Fuel);
        self.out.emit(&Instruction::GlobalGet(fuel));
        self.out.get(length);
        self.out.i32(6);
        self.out.emit(&Instruction::I32ShrU);
        self.out.emit(&Instruction::I32Sub);
        self.out.emit(&Instruction::GlobalSet(fuel));
    }

    fn arity(&self, ty: wasmparser::BlockType) -> (usize, usize) {
        match ty {
            wasmparser::BlockType::Empty => (0, 0),
            wasmparser::BlockType::Type(_) => (0, 1),
            wasmparser::BlockType::FuncType(index) => {
                let ty = &self.context.module.types[index as usize];
                (ty.params().len(), ty.results().len())
            }
        }
    }

    fn open(&mut self, operator: &Operator<'_>, ty: wasmparser::BlockType) {
        self.copy(operator);
        let (n_params, n_results) = self.arity(ty);
        let base = self.stack.len() - n_params;
        self.frames.push(Frame { base, n_params, n_results });
    }

    /// At the start of a loop nothing is known: it may be the second time.
    fn loop_(&mut self, operator: &Operator<'_>, ty: wasmparser::BlockType) {
        let count = self.temp(ValType::I32);
        self.out.i32(0);
        self.out.set(count);
        self.open(operator, ty);
        self.locals.fill(Known::Nothing);
        self.stack.fill(Known::Nothing);
        let layout = self.context.layout;
        let facts = &self.context.facts.functions[self.function as usize];
        charge(&mut self.out, layout, facts.loop_costs[&self.site]);
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

    fn else_(&mut self, operator: &Operator<'_>) {
        self.copy(operator);
        self.dead = None;
        self.locals.fill(Known::Nothing);
        let frame = self.frames.last().expect("else has an if");
        let (base, n_params) = (frame.base, frame.n_params);
        self.stack.truncate(base);
        self.push_many(n_params);
    }

    fn end(&mut self, operator: &Operator<'_>) {
        let frame = self.frames.pop().expect("end has a block");
        self.dead = None;
        self.locals.fill(Known::Nothing);
        self.stack.truncate(frame.base);
        self.push_many(frame.n_results);
        if !self.frames.is_empty() {
            self.copy(operator);
        }
    }

    /// Skips what cannot be reached.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only blocks matter in dead code")]
    fn dead_operator(&mut self, operator: &Operator<'_>) {
        let nested = self.dead.expect("code is dead");
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.dead = Some(nested + 1);
            }
            Operator::End if nested > 0 => self.dead = Some(nested - 1),
            Operator::End => self.end(operator),
            Operator::Else if nested == 0 => self.else_(operator),
            _ => {}
        }
    }
}
