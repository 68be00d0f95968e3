//! The sites of one function: what they decide on, and where they lead.
//!
//! Which operators are sites is fixed by the engine: `if`, `br_if`, `select` and, one per distinct target,
//! `br_table`.

use super::module::Module;
use wasmparser::{
    BlockType, ContType, FrameKind, FuncType, ModuleArity, Operator, RefType, SubType,
};

/// Names a value within one function.
pub(super) type NodeId = usize;

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
pub(super) struct Node {
    pub(super) what: What,
    /// Offset of its operator.
    pub(super) offset: u32,
    pub(super) args: Vec<NodeId>,
}

/// Which operator a site is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SiteKind {
    /// `if` or `br_if`: index of the operator to go on with when the condition holds, and when not.
    Branch {
        taken: usize,
        otherwise: usize,
    },
    Select,
    /// Distinct targets in order of first appearance: operator to go on with and the indices that lead there; the
    /// last target of the list is the default if `default` says so.
    Table {
        targets: Vec<(usize, Vec<u32>)>,
        default: usize,
    },
}

/// A site.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) offset: u32,
    pub(super) kind: SiteKind,
    pub(super) condition: NodeId,
}

/// One function, looked through.
pub(super) struct Function<'a> {
    pub(super) operators: Vec<(Operator<'a>, u32)>,
    pub(super) sites: Vec<Site>,
    pub(super) nodes: Vec<Node>,
    /// For each operator that branches, where to: index of the operator to go on with.
    targets: Vec<Vec<usize>>,
    /// For each `block`, `loop`, `if` and `else` its `end`.
    ends: Vec<usize>,
    /// For each `if` its `else`.
    elses: Vec<usize>,
}

/// An open block.
struct Frame {
    kind: FrameKind,
    ty: BlockType,
    start: usize,
    height: usize,
}

struct Scan<'a, 'b> {
    module: &'b Module<'a>,
    function: Function<'a>,
    frames: Vec<Frame>,
    stack: Vec<NodeId>,
}

impl<'a> Function<'a> {
    /// Looks through a function.
    pub(super) fn scan(module: &Module<'a>, index: u32) -> Option<Function<'a>> {
        let body = module.body(index)?;
        let mut operators = Vec::new();
        for operator in body.get_operators_reader().ok()?.into_iter_with_offsets() {
            let (operator, offset) = operator.ok()?;
            operators.push((operator, offset as u32));
        }
        let n = operators.len();
        let function = Function {
            operators,
            sites: Vec::new(),
            nodes: Vec::new(),
            targets: vec![Vec::new(); n],
            ends: vec![n; n],
            elses: vec![n; n],
        };
        let ty = BlockType::FuncType(*module.functions.get(index as usize)?);
        let frames = vec![Frame { kind: FrameKind::Block, ty, start: n, height: 0 }];
        let mut scan = Scan { module, function, frames, stack: Vec::new() };
        scan.find_blocks();
        for i in 0..n {
            scan.step(i);
        }
        Some(scan.function)
    }

    /// The operator to go on with after one that does not branch.
    pub(super) fn next(&self, i: usize) -> usize {
        match self.operators.get(i) {
            Some((Operator::Else, _)) => self.ends[i],
            Some((Operator::Br { .. }, _)) => self.targets[i].first().copied().unwrap_or(i + 1),
            _ => i + 1,
        }
    }
}

impl<'a> Scan<'a, '_> {
    /// Matches blocks with their ends, and branches with their targets.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest has no structure")]
    fn find_blocks(&mut self) {
        let n = self.function.operators.len();
        // Start of each open block; `n` is the function itself.
        let mut open = vec![n];
        let mut jumps: Vec<(usize, Vec<usize>)> = Vec::new();
        for i in 0..n {
            let label = |depth: u32| open.iter().rev().nth(depth as usize).copied().unwrap_or(n);
            match &self.function.operators[i].0 {
                Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                    open.push(i)
                }
                Operator::Else => {
                    if let Some(&start) = open.last().filter(|&&start| start < n) {
                        self.function.elses[start] = i;
                    }
                }
                Operator::End => {
                    if let Some(start) = open.pop().filter(|&start| start < n) {
                        self.function.ends[start] = i;
                        let middle = self.function.elses[start];
                        if middle < n {
                            self.function.ends[middle] = i;
                        }
                    }
                }
                Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                    jumps.push((i, vec![label(*relative_depth)]));
                }
                Operator::BrTable { targets } => {
                    let depths = targets.targets().flatten().chain([targets.default()]);
                    jumps.push((i, depths.map(label).collect()));
                }
                _ => {}
            }
        }
        for (i, starts) in jumps {
            let place = |start: usize| match self.function.operators.get(start) {
                Some((Operator::Loop { .. }, _)) => start + 1,
                Some(_) => self.function.ends[start] + 1,
                None => n,
            };
            self.function.targets[i] = starts.into_iter().map(place).collect();
        }
    }

    fn pop(&mut self) -> NodeId {
        let floor = self.frames.last().map_or(0, |frame| frame.height);
        if self.stack.len() > floor
            && let Some(node) = self.stack.pop()
        {
            return node;
        }
        // Code that is never reached may take values that nobody made.
        self.node(What::Other, 0, Vec::new())
    }

    fn node(&mut self, what: What, offset: u32, args: Vec<NodeId>) -> NodeId {
        self.function.nodes.push(Node { what, offset, args });
        self.function.nodes.len() - 1
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest computes a value from values")]
    fn step(&mut self, i: usize) {
        let (operator, offset) = self.function.operators[i].clone();
        match &operator {
            Operator::Block { blockty } => self.enter(FrameKind::Block, *blockty, i),
            Operator::Loop { blockty } => self.enter(FrameKind::Loop, *blockty, i),
            Operator::If { blockty } => {
                let condition = self.pop();
                let middle = self.function.elses[i].min(self.function.ends[i]);
                let kind = SiteKind::Branch { taken: i + 1, otherwise: middle + 1 };
                self.function.sites.push(Site { offset, kind, condition });
                self.enter(FrameKind::If, *blockty, i);
            }
            Operator::Else => self.leave(false),
            Operator::End => self.leave(true),
            Operator::BrIf { .. } => {
                let condition = self.pop();
                let taken = self.function.targets[i].first().copied().unwrap_or(i + 1);
                let kind = SiteKind::Branch { taken, otherwise: i + 1 };
                self.function.sites.push(Site { offset, kind, condition });
            }
            Operator::BrTable { .. } => {
                let condition = self.pop();
                let kind = table(&self.function.targets[i]);
                self.function.sites.push(Site { offset, kind, condition });
                self.unreachable();
            }
            Operator::Select | Operator::TypedSelect { .. } => {
                let condition = self.pop();
                let args = vec![self.pop(), self.pop()];
                self.function.sites.push(Site { offset, kind: SiteKind::Select, condition });
                let node = self.node(What::Other, offset, args);
                self.stack.push(node);
            }
            Operator::Br { .. } | Operator::Return | Operator::Unreachable => self.unreachable(),
            _ => self.compute(&operator, offset),
        }
    }

    fn compute(&mut self, operator: &Operator<'_>, offset: u32) {
        let (n_params, n_results) = operator.operator_arity(self).unwrap_or((0, 0));
        let mut args: Vec<NodeId> = (0..n_params).map(|_| self.pop()).collect();
        args.reverse();
        for _ in 0..n_results {
            let node = self.node(what(operator), offset, args.clone());
            self.stack.push(node);
        }
    }

    fn enter(&mut self, kind: FrameKind, ty: BlockType, start: usize) {
        let n_params = self.block_type_arity(ty).map_or(0, |(params, _)| params as usize);
        let height = self.stack.len().saturating_sub(n_params);
        self.frames.push(Frame { kind, ty, start, height });
    }

    /// Leaves a block, or goes to its other half.
    fn leave(&mut self, is_end: bool) {
        let Some(frame) = self.frames.pop() else { return };
        let arity = self.block_type_arity(frame.ty).unwrap_or((0, 0));
        self.stack.truncate(frame.height);
        let n = if is_end { arity.1 } else { arity.0 };
        let offset = self.function.operators.get(frame.start).map_or(0, |(_, offset)| *offset);
        for _ in 0..n {
            let node = self.node(What::Other, offset, Vec::new());
            self.stack.push(node);
        }
        if !is_end {
            self.frames.push(Frame { kind: FrameKind::Else, ..frame });
        }
    }

    fn unreachable(&mut self) {
        let floor = self.frames.last().map_or(0, |frame| frame.height);
        self.stack.truncate(floor);
    }
}

/// Distinct targets in order of first appearance.
fn table(all: &[usize]) -> SiteKind {
    let mut targets: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut default = 0;
    for (index, &target) in all.iter().enumerate() {
        let known = targets.iter().position(|(known, _)| *known == target);
        let at = known.unwrap_or_else(|| {
            targets.push((target, Vec::new()));
            targets.len() - 1
        });
        if index + 1 < all.len() {
            targets[at].1.push(index as u32);
        } else {
            default = at;
        }
    }
    SiteKind::Table { targets, default }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is of no interest")]
fn what(operator: &Operator<'_>) -> What {
    match operator {
        Operator::I32Eqz | Operator::I64Eqz => What::Zero,
        Operator::I32Const { value: 1 } | Operator::I64Const { value: 1 } => What::One,
        Operator::I32And | Operator::I64And => What::And,
        Operator::I32WrapI64 => What::Wrap,
        _ => What::Other,
    }
}

impl ModuleArity for Scan<'_, '_> {
    fn sub_type_at(&self, type_idx: u32) -> Option<&SubType> {
        self.module.types.get(type_idx as usize)
    }

    fn tag_type_arity(&self, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn type_index_of_function(&self, function_idx: u32) -> Option<u32> {
        self.module.functions.get(function_idx as usize).copied()
    }

    fn func_type_of_cont_type(&self, _: &ContType) -> Option<&FuncType> {
        None
    }

    fn sub_type_of_ref_type(&self, _: &RefType) -> Option<&SubType> {
        None
    }

    fn control_stack_height(&self) -> u32 {
        self.frames.len() as u32
    }

    fn label_block(&self, depth: u32) -> Option<(BlockType, FrameKind)> {
        let frame = self.frames.iter().rev().nth(depth as usize)?;
        Some((frame.ty, frame.kind))
    }
}
