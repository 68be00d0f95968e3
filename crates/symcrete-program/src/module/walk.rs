//! The one walk over a function's code: it keeps the operand stack and the open blocks, and calls a [`Visitor`] for
//! what happens to them.
//!
//! What an operand is, and what is remembered of a block, is the visitor's business: a value of a graph, a shadow, a
//! condition. Operands come and go here; a visitor is given those that an operator takes and returns those that it
//! gives. Code that cannot be reached is passed over; [`Visitor::begin`] alone sees it.

use super::{BlockType, Cases, FunctionType, Kind, Module, Nesting, Operator, ReadOperator};

/// What kind of block is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// Also the function itself.
    Block,
    /// Its label is its start.
    Loop,
    /// Its other side is still to come.
    If,
    /// The other side of an `if`.
    Else,
}

/// An open block.
#[derive(Clone, Debug)]
pub struct Frame<V, L> {
    /// Its kind.
    pub kind: FrameKind,
    /// Offset of its operator; of the body for the function itself.
    pub at: u32,
    /// Operands below its own.
    pub base: usize,
    /// What it takes and gives.
    pub ty: FunctionType,
    /// What both sides of an `if` start with; empty for other kinds.
    params: Vec<V>,
    /// What the visitor remembers of it.
    pub label: L,
}

impl<V, L> Frame<V, L> {
    /// How many operands a branch to its label carries.
    pub fn arity(&self) -> usize {
        match self.kind {
            FrameKind::Loop => self.ty.params.len(),
            FrameKind::Block | FrameKind::If | FrameKind::Else => self.ty.results.len(),
        }
    }
}

/// Operands and open blocks at one place of the code.
#[derive(Clone, Debug)]
pub struct Stack<V, L> {
    /// The one on top is the last.
    pub operands: Vec<V>,
    /// The innermost is the last.
    pub frames: Vec<Frame<V, L>>,
    /// Set in code that cannot be reached: how many blocks have been opened since.
    unreached: Option<u32>,
}

impl<V, L> Default for Stack<V, L> {
    fn default() -> Stack<V, L> {
        Stack { operands: Vec::new(), frames: Vec::new(), unreached: None }
    }
}

const BALANCED: &str = "validation keeps the stack balanced";
const NESTED: &str = "validation keeps blocks nested";

impl<V, L> Stack<V, L> {
    /// How many operands there are.
    pub fn height(&self) -> usize {
        self.operands.len()
    }

    /// The block whose label is at that depth.
    pub fn frame(&self, depth: u32) -> &Frame<V, L> {
        &self.frames[self.frames.len() - 1 - depth as usize]
    }

    /// The operands that a branch to the label at that depth carries.
    pub fn carried(&self, depth: u32) -> &[V] {
        &self.operands[self.height() - self.frame(depth).arity()..]
    }

    fn pop(&mut self) -> V {
        self.operands.pop().expect(BALANCED)
    }

    /// Takes what arrives at the end of a block off the stack; `None` if the end is not reached.
    fn arrived(&mut self, base: usize) -> Option<Vec<V>> {
        let is_reached = self.unreached.take().is_none();
        let operands = self.operands.split_off(base);
        is_reached.then_some(operands)
    }
}

/// What is done about the operators of a function.
pub trait Visitor {
    /// What is known of an operand.
    type Operand: Clone;
    /// What is remembered of an open block.
    type Label;

    /// The operands and blocks, which the walk keeps and the visitor holds.
    fn stack(&mut self) -> &mut Stack<Self::Operand, Self::Label>;

    /// The function starts.
    fn enter(&mut self) -> Self::Label;

    /// An operator comes next, reached or not.
    fn begin(&mut self, _step: &ReadOperator<'_>) {}

    /// `block`, `loop`, or `if` with its condition; parameters are still on the stack.
    fn open(
        &mut self,
        kind: FrameKind,
        ty: BlockType,
        signature: &FunctionType,
        condition: Option<Self::Operand>,
    ) -> Self::Label;

    /// The other side of the innermost `if` begins, with the parameters on the stack. `arrived` is what the first side
    /// gave, if its end is reached. An `if` without `else` has another side too, which is not written.
    fn otherwise(&mut self, arrived: Option<Vec<Self::Operand>>, is_written: bool);

    /// A block ends. Returns the operands behind it, or `None` if that place cannot be reached.
    fn end(
        &mut self,
        frame: Frame<Self::Operand, Self::Label>,
        arrived: Option<Vec<Self::Operand>>,
    ) -> Option<Vec<Self::Operand>>;

    /// `br` and `return`; what is carried is on top of the stack.
    fn br(&mut self, depth: u32);

    /// `br_if`; what is carried is on top of the stack and stays there.
    fn br_if(&mut self, depth: u32, condition: Self::Operand);

    /// `br_table`; what is carried is on top of the stack.
    fn br_table(&mut self, cases: &Cases, index: Self::Operand);

    /// `unreachable`
    fn unreachable(&mut self);

    /// `drop`
    fn drop_operand(&mut self, operand: Self::Operand);

    /// `local.get`
    fn local_get(&mut self, local: u32) -> Self::Operand;

    /// `local.set`
    fn local_set(&mut self, local: u32, operand: Self::Operand);

    /// `local.tee`
    fn local_tee(&mut self, local: u32, operand: Self::Operand) -> Self::Operand;

    /// What pops operands and pushes results.
    fn plain(&mut self, kind: &Kind, args: Vec<Self::Operand>) -> Vec<Self::Operand>;
}

/// Walks over the code of a function that the module defines.
pub fn walk<V: Visitor>(module: &Module<'_>, function: u32, visitor: &mut V) {
    let results = module.function_type(function).results.clone();
    let ty = FunctionType { params: vec![], results };
    let at = module.body(function).map_or(0, |body| body.start);
    let label = visitor.enter();
    let frame = Frame { kind: FrameKind::Block, at, base: 0, ty, params: vec![], label };
    visitor.stack().frames.push(frame);
    for step in module.operators(function) {
        visitor.begin(&step);
        match visitor.stack().unreached {
            Some(nested) => pass_over(visitor, &step.operator, nested),
            None => visit(module, visitor, &step),
        }
    }
}

fn visit<V: Visitor>(module: &Module<'_>, visitor: &mut V, step: &ReadOperator<'_>) {
    match &step.operator {
        Operator::Nop => {}
        Operator::Unreachable => {
            visitor.unreachable();
            visitor.stack().unreached = Some(0);
        }
        Operator::Block(ty) => open(module, visitor, step, FrameKind::Block, *ty),
        Operator::Loop(ty) => open(module, visitor, step, FrameKind::Loop, *ty),
        Operator::If(ty) => open(module, visitor, step, FrameKind::If, *ty),
        Operator::Else => otherwise(visitor, true),
        Operator::End => end(visitor),
        Operator::Br(depth) => jump(visitor, *depth),
        Operator::Return => {
            let outermost = visitor.stack().frames.len() as u32 - 1;
            jump(visitor, outermost);
        }
        Operator::BrIf(depth) => {
            let condition = visitor.stack().pop();
            visitor.br_if(*depth, condition);
        }
        Operator::BrTable(cases) => {
            let index = visitor.stack().pop();
            visitor.br_table(cases, index);
            visitor.stack().unreached = Some(0);
        }
        Operator::Drop => {
            let operand = visitor.stack().pop();
            visitor.drop_operand(operand);
        }
        Operator::LocalGet(local) => {
            let operand = visitor.local_get(*local);
            visitor.stack().operands.push(operand);
        }
        Operator::LocalSet(local) => {
            let operand = visitor.stack().pop();
            visitor.local_set(*local, operand);
        }
        Operator::LocalTee(local) => {
            let operand = visitor.stack().pop();
            let operand = visitor.local_tee(*local, operand);
            visitor.stack().operands.push(operand);
        }
        Operator::Plain(kind) => {
            let stack = visitor.stack();
            let args = stack.operands.split_off(stack.height() - kind.n_params(module));
            let results = visitor.plain(kind, args);
            let expected = kind.results(module).map_or(1, <[_]>::len);
            assert_eq!(results.len(), expected, "{kind:?} gives as many results as its type says");
            visitor.stack().operands.extend(results);
        }
    }
}

fn jump<V: Visitor>(visitor: &mut V, depth: u32) {
    visitor.br(depth);
    visitor.stack().unreached = Some(0);
}

/// Follows the blocks of code that cannot be reached.
fn pass_over<V: Visitor>(visitor: &mut V, operator: &Operator, nested: u32) {
    match operator.nesting() {
        Nesting::Opens => visitor.stack().unreached = Some(nested + 1),
        Nesting::Closes if nested > 0 => visitor.stack().unreached = Some(nested - 1),
        Nesting::Closes => end(visitor),
        Nesting::Otherwise if nested == 0 => otherwise(visitor, true),
        Nesting::Otherwise | Nesting::Stays => {}
    }
}

fn open<V: Visitor>(
    module: &Module<'_>,
    visitor: &mut V,
    step: &ReadOperator<'_>,
    kind: FrameKind,
    block: BlockType,
) {
    let is_if = kind == FrameKind::If;
    let condition = is_if.then(|| visitor.stack().pop());
    let ty = block.signature(module);
    let base = visitor.stack().height() - ty.params.len();
    let label = visitor.open(kind, block, &ty, condition);
    let stack = visitor.stack();
    let params = if is_if { stack.operands[base..].to_vec() } else { vec![] };
    stack.frames.push(Frame { kind, at: step.range.start, base, ty, params, label });
}

fn otherwise<V: Visitor>(visitor: &mut V, is_written: bool) {
    let stack = visitor.stack();
    let frame = stack.frames.last_mut().expect(NESTED);
    frame.kind = FrameKind::Else;
    let (base, params) = (frame.base, std::mem::take(&mut frame.params));
    let arrived = stack.arrived(base);
    stack.operands.extend(params);
    visitor.otherwise(arrived, is_written);
}

fn end<V: Visitor>(visitor: &mut V) {
    if visitor.stack().frame(0).kind == FrameKind::If {
        otherwise(visitor, false);
    }
    let stack = visitor.stack();
    let frame = stack.frames.pop().expect(NESTED);
    let arrived = stack.arrived(frame.base);
    let results = visitor.end(frame, arrived);
    let stack = visitor.stack();
    match results {
        Some(results) => stack.operands.extend(results),
        None => stack.unreached = Some(0),
    }
}
