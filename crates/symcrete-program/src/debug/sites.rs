//! The sites of one function: what they decide on, and where they lead.

use crate::module::{
    BlockType, Cases, Constant, Frame, FrameKind, FunctionType, Kind, Module, Operator,
    ReadOperator, Stack, Visitor, WasmOp, walk,
};
use std::collections::BTreeMap;

/// Names a value within one function.
pub(super) type StackValueId = usize;

/// Names a place of the code that control can go to.
pub(super) type LabelId = usize;

/// What computes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// `eqz`
    Zero,
    /// The constant 1.
    One,
    And,
    Wrap,
    Other,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) struct StackValue {
    pub(super) what: What,
    /// Offset of its operator.
    pub(super) offset: u32,
    pub(super) args: Vec<StackValueId>,
}

/// Which operator a site is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SiteKind {
    /// `if` or `br_if`: where it goes on when the condition holds, and when not.
    Branch {
        taken: LabelId,
        otherwise: LabelId,
    },
    Select,
    /// Where each case goes on.
    Table {
        targets: Vec<LabelId>,
        cases: Cases,
    },
}

/// A site.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) offset: u32,
    pub(super) kind: SiteKind,
    pub(super) condition: StackValueId,
}

/// One function, looked through.
#[derive(Default)]
pub(super) struct Function<'a> {
    pub(super) steps: Vec<ReadOperator<'a>>,
    pub(super) sites: Vec<Site>,
    pub(super) nodes: Vec<StackValue>,
    /// For each label the operator to go on with, by its place among the steps.
    labels: Vec<usize>,
    /// Labels that `br` leads to.
    jumps: BTreeMap<usize, LabelId>,
}

impl<'a> Function<'a> {
    /// Looks through a function.
    pub(super) fn scan(module: &Module<'a>, index: u32) -> Function<'a> {
        let steps = module.operators(index).collect();
        let function = Function { steps, ..Function::default() };
        let mut scan =
            Scan { module, function, stack: Stack::default(), next: 0, at: 0, offset: 0 };
        walk(module, index, &mut scan);
        scan.function
    }

    /// The operator to go on with at a label.
    pub(super) fn start(&self, label: LabelId) -> usize {
        self.labels[label]
    }

    /// The operator to go on with after one that does not choose, and is not the end of an `if`'s first side.
    pub(super) fn next(&self, i: usize) -> usize {
        self.jumps.get(&i).map_or(i + 1, |&label| self.labels[label])
    }
}

/// What is remembered of a block.
struct Block {
    label: LabelId,
    /// The other side of an `if`.
    otherwise: LabelId,
}

struct Scan<'a, 'b> {
    module: &'b Module<'a>,
    function: Function<'a>,
    stack: Stack<StackValueId, Block>,
    next: usize,
    /// The operator at hand, and its offset.
    at: usize,
    offset: u32,
}

impl Scan<'_, '_> {
    fn node(&mut self, what: What, offset: u32, args: Vec<StackValueId>) -> StackValueId {
        self.function.nodes.push(StackValue { what, offset, args });
        self.function.nodes.len() - 1
    }

    /// A place right behind the operator at hand; where blocks end it is set later.
    fn label(&mut self) -> LabelId {
        self.function.labels.push(self.at + 1);
        self.function.labels.len() - 1
    }

    fn site(&mut self, kind: SiteKind, condition: StackValueId) {
        self.function.sites.push(Site { offset: self.offset, kind, condition });
    }
}

impl Visitor for Scan<'_, '_> {
    type Operand = StackValueId;
    type Label = Block;

    fn stack(&mut self) -> &mut Stack<StackValueId, Block> {
        &mut self.stack
    }

    fn enter(&mut self) -> Block {
        let label = self.label();
        Block { label, otherwise: label }
    }

    fn begin(&mut self, step: &ReadOperator<'_>) {
        (self.at, self.offset) = (self.next, step.range.start);
        self.next += 1;
    }

    fn open(
        &mut self,
        _: FrameKind,
        _: BlockType,
        _: &FunctionType,
        condition: Option<StackValueId>,
    ) -> Block {
        let (label, otherwise) = (self.label(), self.label());
        if let Some(condition) = condition {
            let taken = self.label();
            self.site(SiteKind::Branch { taken, otherwise }, condition);
        }
        Block { label, otherwise }
    }

    fn otherwise(&mut self, _: Option<Vec<StackValueId>>, _: bool) {
        let otherwise = self.stack.frame(0).label.otherwise;
        self.function.labels[otherwise] = self.at + 1;
    }

    fn end(
        &mut self,
        frame: Frame<StackValueId, Block>,
        _: Option<Vec<StackValueId>>,
    ) -> Option<Vec<StackValueId>> {
        if frame.kind != FrameKind::Loop {
            self.function.labels[frame.label.label] = self.at + 1;
        }
        let results = frame.ty.results.iter();
        Some(results.map(|_| self.node(What::Other, frame.at, vec![])).collect())
    }

    fn br(&mut self, depth: u32) {
        if let Operator::Br(_) = self.function.steps[self.at].operator {
            let label = self.stack.frame(depth).label.label;
            self.function.jumps.insert(self.at, label);
        }
    }

    fn br_if(&mut self, depth: u32, condition: StackValueId) {
        let (taken, otherwise) = (self.stack.frame(depth).label.label, self.label());
        self.site(SiteKind::Branch { taken, otherwise }, condition);
    }

    fn br_table(&mut self, cases: &Cases, index: StackValueId) {
        let target = |&depth: &u32| self.stack.frame(depth).label.label;
        let targets = cases.depths.iter().map(target).collect();
        self.site(SiteKind::Table { targets, cases: cases.clone() }, index);
    }

    fn unreachable(&mut self) {}

    fn drop_operand(&mut self, _: StackValueId) {}

    fn local_get(&mut self, _: u32) -> StackValueId {
        self.node(What::Other, self.offset, vec![])
    }

    fn local_set(&mut self, _: u32, _: StackValueId) {}

    fn local_tee(&mut self, _: u32, operand: StackValueId) -> StackValueId {
        self.node(What::Other, self.offset, vec![operand])
    }

    fn plain(&mut self, kind: &Kind, args: Vec<StackValueId>) -> Vec<StackValueId> {
        if let (Kind::Select, &[.., condition]) = (kind, &args[..]) {
            self.site(SiteKind::Select, condition);
        }
        let n = kind.results(self.module).map_or(1, <[_]>::len);
        (0..n).map(|_| self.node(what(kind), self.offset, args.clone())).collect()
    }
}

fn what(kind: &Kind) -> What {
    if let Kind::Const(Constant::I32(1) | Constant::I64(1)) = kind {
        return What::One;
    }
    let Kind::Numeric(op) = kind else { return What::Other };
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is of no interest")]
    match op {
        WasmOp::I32Eqz | WasmOp::I64Eqz => What::Zero,
        WasmOp::I32And | WasmOp::I64And => What::And,
        WasmOp::I32WrapI64 => What::Wrap,
        _ => What::Other,
    }
}
