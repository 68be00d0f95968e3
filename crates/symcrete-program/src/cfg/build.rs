//! From operators to SSA.
//!
//! WebAssembly is structured, so one pass suffices: a label's block takes as parameters the operands that
//! branches to it carry and every local that is assigned inside the construct. All other locals have the
//! same value wherever control comes from. What is superfluous among these parameters goes in `prune.rs`.

mod memory;

use super::module::{REFERENCES, constant, unsupported, value_type};
use super::{
    Block, BlockId, CfgError, Constant, Function, FunctionType, Instruction, Jump, Kind,
    ModuleView, Terminator, ValueId, ValueType, WasmOp, prune,
};
use std::collections::{BTreeMap, BTreeSet};
use wasmparser::{BinaryReader, BlockType, FunctionBody, Operator};

/// Builds the graph of a function that the module defines.
pub(super) fn function(module: &ModuleView<'_>, index: u32) -> Result<Function, CfgError> {
    let info = module.functions.get(index as usize).ok_or(CfgError::NoBody(index))?;
    let range = info.body.clone().ok_or(CfgError::NoBody(index))?;
    let bytes = &module.wasm[range.start as usize..range.end as usize];
    let body = FunctionBody::new(BinaryReader::new(bytes, u64::from(range.start)));
    let ty = module.function_type(index).clone();
    let mut builder = Builder::new(module, assigned_locals(&body)?);
    builder.enter(&ty, &body)?;
    let mut reader = body.get_operators_reader()?;
    while !reader.eof() {
        let offset = reader.original_position() as u32;
        let operator = reader.read()?;
        builder.at = offset..reader.original_position() as u32;
        builder.operator(&operator)?;
    }
    let function = Function {
        index,
        name: module.function_name(index),
        ty,
        body: range,
        blocks: builder.blocks,
        values: builder.values,
    };
    Ok(prune::prune(function, builder.n_zeros))
}

/// The locals assigned inside each construct, by the offset of the operator that opens it.
fn assigned_locals(body: &FunctionBody<'_>) -> Result<BTreeMap<u32, Vec<u32>>, CfgError> {
    let mut assigned = BTreeMap::new();
    let mut open: Vec<(u32, BTreeSet<u32>)> = vec![(0, BTreeSet::new())];
    for operator in body.get_operators_reader()?.into_iter_with_offsets() {
        let (operator, offset) = operator?;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others assign no local")]
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                open.push((offset as u32, BTreeSet::new()));
            }
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                if let Some((_, locals)) = open.last_mut() {
                    locals.insert(local_index);
                }
            }
            Operator::End => {
                if let Some((offset, locals)) = open.pop() {
                    if let Some((_, outer)) = open.last_mut() {
                        outer.extend(locals.iter().copied());
                    }
                    assigned.insert(offset, locals.into_iter().collect());
                }
            }
            _ => {}
        }
    }
    Ok(assigned)
}

/// A construct that is open.
struct Frame {
    /// Where a branch to its label goes.
    target: BlockId,
    /// How many operands a branch carries; then come the merged locals.
    arity: usize,
    /// Operands below the construct's own.
    height: usize,
    /// Locals assigned inside.
    merged: Vec<u32>,
    kind: FrameKind,
}

enum FrameKind {
    /// Its label is at its end.
    Block,
    /// Its label is at its start.
    Loop,
    /// Like a block, and the other side is still to come.
    If(Otherwise),
}

/// What the other side of an `if` starts with.
struct Otherwise {
    block: BlockId,
    operands: Vec<ValueId>,
    /// Values of the merged locals.
    locals: Vec<ValueId>,
}

struct Builder<'m> {
    module: &'m ModuleView<'m>,
    assigned: BTreeMap<u32, Vec<u32>>,
    blocks: Vec<Block>,
    /// Whether anything jumps to the block.
    is_target: Vec<bool>,
    values: Vec<ValueType>,
    /// Instructions of the entry that make the zeros of locals.
    n_zeros: usize,
    locals: Vec<ValueId>,
    stack: Vec<ValueId>,
    frames: Vec<Frame>,
    /// Where instructions go; `None` in code that is not reached.
    current: Option<BlockId>,
    /// Constructs opened in code that is not reached.
    dead_depth: usize,
    /// The operator being read.
    at: std::ops::Range<u32>,
}

const VALID: &str = "the module was validated";

impl<'m> Builder<'m> {
    fn new(module: &'m ModuleView<'m>, assigned: BTreeMap<u32, Vec<u32>>) -> Builder<'m> {
        Builder {
            module,
            assigned,
            blocks: Vec::new(),
            is_target: Vec::new(),
            values: Vec::new(),
            n_zeros: 0,
            locals: Vec::new(),
            stack: Vec::new(),
            frames: Vec::new(),
            current: None,
            dead_depth: 0,
            at: 0..0,
        }
    }

    /// The entry block, the locals' zeros, and the frame whose label returns.
    fn enter(&mut self, ty: &FunctionType, body: &FunctionBody<'_>) -> Result<(), CfgError> {
        let entry = self.new_block(&ty.params);
        self.current = Some(entry);
        self.locals = self.blocks[entry.index()].params.clone();
        let start = body.get_binary_reader_for_operators()?.original_position() as u32;
        self.at = start..start;
        for locals in body.get_locals_reader()? {
            let (count, ty) = locals?;
            let ty = value_type(ty, u64::from(start))?;
            // All locals of a declaration share one zero.
            let zero = self.instruction(Kind::Const(Constant::zero(ty)), vec![], &[ty])[0];
            self.locals.extend((0..count).map(|_| zero));
            self.n_zeros += 1;
        }
        let exit = self.new_block(&ty.results);
        let results = self.blocks[exit.index()].params.clone();
        self.blocks[exit.index()].terminator = Terminator::Return(results);
        let arity = ty.results.len();
        let kind = FrameKind::Block;
        self.frames.push(Frame { target: exit, arity, height: 0, merged: vec![], kind });
        Ok(())
    }

    fn new_value(&mut self, ty: ValueType) -> ValueId {
        self.values.push(ty);
        ValueId(self.values.len() as u32 - 1)
    }

    fn new_block(&mut self, params: &[ValueType]) -> BlockId {
        let params = params.iter().map(|&ty| self.new_value(ty)).collect();
        // Replaced when the block ends, which in valid code it does.
        let terminator = Terminator::Unreachable { offset: self.at.start };
        self.blocks.push(Block { params, instructions: vec![], terminator, ranges: vec![] });
        self.is_target.push(false);
        BlockId(self.blocks.len() as u32 - 1)
    }

    fn pop(&mut self) -> ValueId {
        self.stack.pop().expect(VALID)
    }

    fn pop_many(&mut self, count: usize) -> Vec<ValueId> {
        self.stack.split_off(self.stack.len() - count)
    }

    fn instruction(
        &mut self,
        kind: Kind,
        args: Vec<ValueId>,
        results: &[ValueType],
    ) -> Vec<ValueId> {
        let results: Vec<ValueId> = results.iter().map(|&ty| self.new_value(ty)).collect();
        if let Some(current) = self.current {
            let results = results.clone();
            let instruction = Instruction { offset: self.at.start, kind, args, results };
            self.blocks[current.index()].instructions.push(instruction);
        }
        results
    }

    /// An instruction that pops `n_args` operands and pushes its results.
    fn push(&mut self, kind: Kind, n_args: usize, results: &[ValueType]) {
        let args = self.pop_many(n_args);
        let results = self.instruction(kind, args, results);
        self.stack.extend(results);
    }

    fn operator(&mut self, operator: &Operator<'_>) -> Result<(), CfgError> {
        if let Some(current) = self.current {
            let ranges = &mut self.blocks[current.index()].ranges;
            match ranges.last_mut() {
                Some(last) if last.end == self.at.start => last.end = self.at.end,
                Some(_) | None => ranges.push(self.at.clone()),
            }
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are in `plain`")]
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. }
                if self.current.is_none() =>
            {
                self.dead_depth += 1;
            }
            Operator::Else if self.dead_depth == 0 => self.otherwise(),
            Operator::End if self.dead_depth > 0 => self.dead_depth -= 1,
            Operator::End => self.end(),
            _ if self.current.is_none() => {}
            Operator::Block { blockty } => self.block(*blockty)?,
            Operator::Loop { blockty } => self.loop_(*blockty)?,
            Operator::If { blockty } => self.if_(*blockty)?,
            Operator::Br { relative_depth } => {
                let jump = self.jump(*relative_depth);
                self.terminate(Terminator::Br(jump));
            }
            Operator::Return => {
                let jump = self.jump(self.frames.len() as u32 - 1);
                self.terminate(Terminator::Br(jump));
            }
            Operator::Unreachable => {
                self.terminate(Terminator::Unreachable { offset: self.at.start });
            }
            Operator::BrIf { relative_depth } => {
                let condition = self.pop();
                let then = self.jump(*relative_depth);
                let next = self.new_block(&[]);
                let otherwise = Jump { block: next, args: vec![] };
                let offset = self.at.start;
                self.terminate(Terminator::BrIf { condition, then, otherwise, offset });
                self.current = Some(next);
            }
            Operator::BrTable { targets } => self.switch(targets)?,
            other => self.plain(other)?,
        }
        Ok(())
    }

    fn terminate(&mut self, terminator: Terminator) {
        if let Some(current) = self.current.take() {
            self.blocks[current.index()].terminator = terminator;
        }
    }

    /// A jump to the label at that depth; the operands stay on the stack.
    fn jump(&mut self, depth: u32) -> Jump {
        let frame = &self.frames[self.frames.len() - 1 - depth as usize];
        let mut args = self.stack[self.stack.len() - frame.arity..].to_vec();
        args.extend(frame.merged.iter().map(|&local| self.locals[local as usize]));
        self.is_target[frame.target.index()] = true;
        Jump { block: frame.target, args }
    }

    fn block_type(&self, ty: BlockType) -> Result<FunctionType, CfgError> {
        Ok(match ty {
            BlockType::Empty => FunctionType::default(),
            BlockType::Type(ty) => FunctionType {
                params: vec![],
                results: vec![value_type(ty, u64::from(self.at.start))?],
            },
            BlockType::FuncType(index) => self.module.types[index as usize].clone(),
        })
    }

    /// A block whose parameters are those operands and the merged locals.
    fn label_block(&mut self, operands: &[ValueType], merged: &[u32]) -> BlockId {
        let mut types = operands.to_vec();
        types.extend(merged.iter().map(|&local| {
            let value = self.locals[local as usize];
            self.values[value.index()]
        }));
        self.new_block(&types)
    }

    fn merged(&self) -> Vec<u32> {
        self.assigned.get(&self.at.start).cloned().unwrap_or_default()
    }

    fn block(&mut self, ty: BlockType) -> Result<(), CfgError> {
        let (ty, merged) = (self.block_type(ty)?, self.merged());
        let target = self.label_block(&ty.results, &merged);
        let height = self.stack.len() - ty.params.len();
        let (arity, kind) = (ty.results.len(), FrameKind::Block);
        self.frames.push(Frame { target, arity, height, merged, kind });
        Ok(())
    }

    fn loop_(&mut self, ty: BlockType) -> Result<(), CfgError> {
        let (ty, merged) = (self.block_type(ty)?, self.merged());
        let target = self.label_block(&ty.params, &merged);
        let height = self.stack.len() - ty.params.len();
        let (arity, kind) = (ty.params.len(), FrameKind::Loop);
        self.frames.push(Frame { target, arity, height, merged, kind });
        let jump = self.jump(0);
        self.terminate(Terminator::Br(jump));
        self.continue_at(target, height, arity);
        Ok(())
    }

    fn if_(&mut self, ty: BlockType) -> Result<(), CfgError> {
        let (ty, merged) = (self.block_type(ty)?, self.merged());
        let condition = self.pop();
        let target = self.label_block(&ty.results, &merged);
        let (then, block) = (self.new_block(&[]), self.new_block(&[]));
        let height = self.stack.len() - ty.params.len();
        let operands = self.stack[height..].to_vec();
        let locals = merged.iter().map(|&local| self.locals[local as usize]).collect();
        let kind = FrameKind::If(Otherwise { block, operands, locals });
        let arity = ty.results.len();
        self.frames.push(Frame { target, arity, height, merged, kind });
        let plain = |block| Jump { block, args: vec![] };
        let (then_jump, otherwise) = (plain(then), plain(block));
        let offset = self.at.start;
        self.terminate(Terminator::BrIf { condition, then: then_jump, otherwise, offset });
        self.current = Some(then);
        Ok(())
    }

    /// Goes on in a label's block: its parameters are now the operands and the merged locals.
    fn continue_at(&mut self, block: BlockId, height: usize, arity: usize) {
        let params = self.blocks[block.index()].params.clone();
        self.stack.truncate(height);
        self.stack.extend(&params[..arity]);
        if let Some(frame) = self.frames.last() {
            for (&local, &value) in frame.merged.iter().zip(&params[arity..]) {
                self.locals[local as usize] = value;
            }
        }
        self.current = Some(block);
    }

    /// `else`: the first side jumps to the end, the other side starts from what the `if` saw.
    fn otherwise(&mut self) {
        if self.current.is_some() {
            let jump = self.jump(0);
            self.terminate(Terminator::Br(jump));
        }
        let frame = self.frames.last_mut().expect(VALID);
        if let FrameKind::If(side) = std::mem::replace(&mut frame.kind, FrameKind::Block) {
            self.stack.truncate(frame.height);
            self.stack.extend(side.operands);
            for (&local, value) in frame.merged.iter().zip(side.locals) {
                self.locals[local as usize] = value;
            }
            self.current = Some(side.block);
        }
    }

    fn end(&mut self) {
        if let FrameKind::If(_) = self.frames.last().expect(VALID).kind {
            self.otherwise();
        }
        let frame = self.frames.last().expect(VALID);
        let (target, height, arity) = (frame.target, frame.height, frame.arity);
        match frame.kind {
            FrameKind::Loop if self.current.is_none() => self.stack.truncate(height),
            FrameKind::Loop => {}
            FrameKind::Block | FrameKind::If(_) => {
                if self.current.is_some() {
                    let jump = self.jump(0);
                    self.terminate(Terminator::Br(jump));
                }
                match self.is_target[target.index()] {
                    true => self.continue_at(target, height, arity),
                    false => self.stack.truncate(height),
                }
            }
        }
        self.frames.pop();
        if self.frames.is_empty() {
            self.current = None;
        }
    }

    fn switch(&mut self, targets: &wasmparser::BrTable<'_>) -> Result<(), CfgError> {
        let index = self.pop();
        let mut depths = targets.targets().collect::<Result<Vec<u32>, _>>()?;
        depths.push(targets.default());
        let mut case_of_depth: BTreeMap<u32, u16> = BTreeMap::new();
        let (mut cases, mut case_of_index) = (Vec::new(), Vec::new());
        for depth in depths {
            let case = *case_of_depth.entry(depth).or_insert(cases.len() as u16);
            if usize::from(case) == cases.len() {
                cases.push(self.jump(depth));
            }
            case_of_index.push(case);
        }
        let offset = self.at.start;
        self.terminate(Terminator::Switch { index, cases, case_of_index, offset });
        Ok(())
    }

    /// What does not change control.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are in `memory.rs`")]
    fn plain(&mut self, operator: &Operator<'_>) -> Result<(), CfgError> {
        if let Some(op) = WasmOp::of(operator) {
            let result = ValueType::from(op.result());
            self.push(Kind::Numeric(op), op.params().len(), &[result]);
            return Ok(());
        }
        if let Some(constant) = constant(operator) {
            self.push(Kind::Const(constant), 0, &[constant.ty()]);
            return Ok(());
        }
        match *operator {
            Operator::Nop => {}
            Operator::Drop => {
                self.pop();
            }
            Operator::LocalGet { local_index } => {
                self.stack.push(self.locals[local_index as usize]);
            }
            Operator::LocalSet { local_index } => {
                self.locals[local_index as usize] = self.pop();
            }
            Operator::LocalTee { local_index } => {
                self.locals[local_index as usize] = *self.stack.last().expect(VALID);
            }
            Operator::Select | Operator::TypedSelect { .. } => {
                let ty = self.values[self.stack[self.stack.len() - 2].index()];
                self.push(Kind::Select, 3, &[ty]);
            }
            Operator::RefIsNull => self.push(Kind::RefIsNull, 1, &[ValueType::I32]),
            Operator::GlobalGet { global_index } => {
                let ty = self.module.globals[global_index as usize].ty;
                self.push(Kind::GlobalGet(global_index), 0, &[ty]);
            }
            Operator::GlobalSet { global_index } => {
                self.push(Kind::GlobalSet(global_index), 1, &[]);
            }
            Operator::Call { function_index } => {
                let ty = self.module.function_type(function_index).clone();
                self.push(Kind::Call(function_index), ty.params.len(), &ty.results);
            }
            Operator::CallIndirect { type_index, table_index } => {
                let ty = self.module.types[type_index as usize].clone();
                let kind = Kind::CallIndirect { table: table_index, ty: type_index };
                self.push(kind, ty.params.len() + 1, &ty.results);
            }
            Operator::RefNull { .. } => {
                return Err(unsupported(REFERENCES, u64::from(self.at.start)));
            }
            _ if self.memory_or_table(operator) => {}
            _ => {
                let name = format!("operator {operator:?}");
                return Err(unsupported(&name, u64::from(self.at.start)));
            }
        }
        Ok(())
    }
}
