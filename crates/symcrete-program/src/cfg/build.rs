//! From operators to SSA.
//!
//! WebAssembly is structured, so one pass suffices: a label's block takes as parameters the operands that
//! branches to it carry and every local that is assigned inside the construct. All other locals have the
//! same value wherever control comes from. What is superfluous among these parameters goes in `prune.rs`.

use super::{
    Block, BlockId, CfgError, Constant, Function, FunctionType, Instruction, Jump, Kind,
    ModuleView, Terminator, ValueId, ValueType, prune,
};
use crate::module::{
    BlockType, Cases, Frame, FrameKind, Nesting, ReadOperator, Stack, Visitor, walk,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Builds the graph of a function that the module defines.
pub(super) fn function(module: &ModuleView<'_>, index: u32) -> Result<Function, CfgError> {
    let body = module.body(index).ok_or(CfgError::NoBody(index))?;
    let mut builder = Builder {
        module,
        function: index,
        assigned: assigned_locals(module, index),
        blocks: Vec::new(),
        is_target: Vec::new(),
        values: Vec::new(),
        n_zeros: 0,
        locals: Vec::new(),
        stack: Stack::default(),
        current: None,
        at: 0..0,
    };
    walk(module, index, &mut builder);
    let function = Function {
        index,
        name: module.function_name(index),
        ty: module.function_type(index).clone(),
        body,
        blocks: builder.blocks,
        values: builder.values,
    };
    Ok(prune::prune(function, builder.n_zeros))
}

/// The locals assigned inside each construct, by the offset of the operator that opens it.
fn assigned_locals(module: &ModuleView<'_>, function: u32) -> BTreeMap<u32, Vec<u32>> {
    let mut assigned = BTreeMap::new();
    let mut open: Vec<(u32, BTreeSet<u32>)> = vec![(0, BTreeSet::new())];
    for ReadOperator { operator, range, .. } in module.operators(function) {
        if let (Some(local), Some((_, locals))) = (operator.assigned_local(), open.last_mut()) {
            locals.insert(local);
        }
        match operator.nesting() {
            Nesting::Opens => open.push((range.start, BTreeSet::new())),
            Nesting::Closes => {
                if let Some((offset, locals)) = open.pop() {
                    if let Some((_, outer)) = open.last_mut() {
                        outer.extend(locals.iter().copied());
                    }
                    assigned.insert(offset, locals.into_iter().collect());
                }
            }
            Nesting::Otherwise | Nesting::Stays => {}
        }
    }
    assigned
}

/// What is remembered of a construct that is open.
#[derive(Clone)]
struct Label {
    /// Where a branch to it goes.
    target: BlockId,
    /// Locals assigned inside; their values follow the operands that a branch carries.
    merged: Vec<u32>,
    /// The other side of an `if` that is still to come, and the values that it has for the merged locals.
    otherwise: Option<(BlockId, Vec<ValueId>)>,
}

struct Builder<'m> {
    module: &'m ModuleView<'m>,
    function: u32,
    assigned: BTreeMap<u32, Vec<u32>>,
    blocks: Vec<Block>,
    /// Whether anything jumps to the block.
    is_target: Vec<bool>,
    values: Vec<ValueType>,
    /// Instructions of the entry that make the zeros of locals.
    n_zeros: usize,
    locals: Vec<ValueId>,
    stack: Stack<ValueId, Label>,
    /// Where instructions go; `None` in code that is not reached.
    current: Option<BlockId>,
    /// The operator being read.
    at: Range<u32>,
}

impl Builder<'_> {
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

    fn terminate(&mut self, terminator: Terminator) {
        if let Some(current) = self.current.take() {
            self.blocks[current.index()].terminator = terminator;
        }
    }

    /// A jump to a label's block with these operands.
    fn jump_with(&mut self, label: &Label, operands: &[ValueId]) -> Jump {
        let locals = label.merged.iter().map(|&local| self.locals[local as usize]);
        let args = operands.iter().copied().chain(locals).collect();
        self.is_target[label.target.index()] = true;
        Jump { block: label.target, args }
    }

    /// A jump to the label at that depth; the operands stay on the stack.
    fn jump(&mut self, depth: u32) -> Jump {
        let operands = self.stack.carried(depth).to_vec();
        let label = self.stack.frame(depth).label.clone();
        self.jump_with(&label, &operands)
    }

    /// Falls through to the end of a construct.
    fn arrive(&mut self, label: &Label, arrived: Option<Vec<ValueId>>) {
        if let Some(operands) = arrived {
            let jump = self.jump_with(label, &operands);
            self.terminate(Terminator::Br(jump));
        }
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

    /// Goes on in a label's block; returns its parameters that are operands, and makes the others the merged locals.
    fn continue_at(&mut self, label: &Label, arity: usize) -> Vec<ValueId> {
        let mut operands = self.blocks[label.target.index()].params.clone();
        let locals = operands.split_off(arity);
        self.set_merged(label, locals);
        self.current = Some(label.target);
        operands
    }

    fn set_merged(&mut self, label: &Label, values: Vec<ValueId>) {
        for (&local, value) in label.merged.iter().zip(values) {
            self.locals[local as usize] = value;
        }
    }

    /// A loop's label is where it starts.
    fn start_loop(&mut self, label: &Label, n_params: usize) {
        let base = self.stack.height() - n_params;
        let operands = self.stack.operands.split_off(base);
        let jump = self.jump_with(label, &operands);
        self.terminate(Terminator::Br(jump));
        let operands = self.continue_at(label, n_params);
        self.stack.operands.extend(operands);
    }
}

impl Visitor for Builder<'_> {
    type Operand = ValueId;
    type Label = Label;

    fn stack(&mut self) -> &mut Stack<ValueId, Label> {
        &mut self.stack
    }

    /// The entry block, the locals' zeros, and the block that returns.
    fn enter(&mut self) -> Label {
        let ty = self.module.function_type(self.function);
        let entry = self.new_block(&ty.params);
        self.current = Some(entry);
        self.locals = self.blocks[entry.index()].params.clone();
        let start = self.module.operators(self.function).next().map_or(0, |step| step.range.start);
        self.at = start..start;
        for (count, ty) in self.module.locals(self.function) {
            // All locals of a declaration share one zero.
            let zero = self.instruction(Kind::Const(Constant::zero(ty)), vec![], &[ty])[0];
            self.locals.extend((0..count).map(|_| zero));
            self.n_zeros += 1;
        }
        let exit = self.new_block(&ty.results);
        let results = self.blocks[exit.index()].params.clone();
        self.blocks[exit.index()].terminator = Terminator::Return(results);
        Label { target: exit, merged: vec![], otherwise: None }
    }

    fn begin(&mut self, step: &ReadOperator<'_>) {
        self.at = step.range.clone();
        if let Some(current) = self.current {
            let ranges = &mut self.blocks[current.index()].ranges;
            match ranges.last_mut() {
                Some(last) if last.end == self.at.start => last.end = self.at.end,
                Some(_) | None => ranges.push(self.at.clone()),
            }
        }
    }

    fn open(
        &mut self,
        kind: FrameKind,
        _: BlockType,
        ty: &FunctionType,
        condition: Option<ValueId>,
    ) -> Label {
        let merged = self.assigned.get(&self.at.start).cloned().unwrap_or_default();
        let carried = if kind == FrameKind::Loop { &ty.params } else { &ty.results };
        let target = self.label_block(carried, &merged);
        let mut label = Label { target, merged, otherwise: None };
        if kind == FrameKind::Loop {
            self.start_loop(&label, ty.params.len());
        }
        if let Some(condition) = condition {
            let (then, otherwise) = (self.new_block(&[]), self.new_block(&[]));
            let locals = label.merged.iter().map(|&local| self.locals[local as usize]).collect();
            label.otherwise = Some((otherwise, locals));
            let plain = |block| Jump { block, args: vec![] };
            let (then_jump, otherwise) = (plain(then), plain(otherwise));
            let offset = self.at.start;
            self.terminate(Terminator::BrIf { condition, then: then_jump, otherwise, offset });
            self.current = Some(then);
        }
        label
    }

    /// The first side jumps to the end, the other side starts from what the `if` saw.
    fn otherwise(&mut self, arrived: Option<Vec<ValueId>>, _: bool) {
        let label = self.stack.frame(0).label.clone();
        self.arrive(&label, arrived);
        let (block, locals) = label.otherwise.clone().expect("an if has another side");
        self.set_merged(&label, locals);
        self.current = Some(block);
    }

    fn end(
        &mut self,
        frame: Frame<ValueId, Label>,
        arrived: Option<Vec<ValueId>>,
    ) -> Option<Vec<ValueId>> {
        if frame.kind == FrameKind::Loop {
            return arrived;
        }
        self.arrive(&frame.label, arrived);
        let is_reached = self.is_target[frame.label.target.index()];
        let is_over = self.stack.frames.is_empty();
        (is_reached && !is_over).then(|| self.continue_at(&frame.label, frame.arity()))
    }

    fn br(&mut self, depth: u32) {
        let jump = self.jump(depth);
        self.terminate(Terminator::Br(jump));
    }

    fn br_if(&mut self, depth: u32, condition: ValueId) {
        let then = self.jump(depth);
        let next = self.new_block(&[]);
        let otherwise = Jump { block: next, args: vec![] };
        let offset = self.at.start;
        self.terminate(Terminator::BrIf { condition, then, otherwise, offset });
        self.current = Some(next);
    }

    fn br_table(&mut self, cases: &Cases, index: ValueId) {
        let jumps = cases.depths.iter().map(|&depth| self.jump(depth)).collect();
        let (case_of_index, offset) = (cases.case_of_index.clone(), self.at.start);
        self.terminate(Terminator::Switch { index, cases: jumps, case_of_index, offset });
    }

    fn unreachable(&mut self) {
        self.terminate(Terminator::Unreachable { offset: self.at.start });
    }

    fn drop_operand(&mut self, _: ValueId) {}

    fn local_get(&mut self, local: u32) -> ValueId {
        self.locals[local as usize]
    }

    fn local_set(&mut self, local: u32, operand: ValueId) {
        self.locals[local as usize] = operand;
    }

    fn local_tee(&mut self, local: u32, operand: ValueId) -> ValueId {
        self.locals[local as usize] = operand;
        operand
    }

    fn plain(&mut self, kind: &Kind, args: Vec<ValueId>) -> Vec<ValueId> {
        let results = match kind.results(self.module) {
            Some(results) => results.to_vec(),
            None => vec![self.values[args[0].index()]],
        };
        self.instruction(kind.clone(), args, &results)
    }
}
