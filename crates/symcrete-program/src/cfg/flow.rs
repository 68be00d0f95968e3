//! The branches of each function and what lies between them: what [`Distances`] are made of.
//!
//! Nodes are points in a function and sides of its sites, counted from 0 in each function; taking a side costs 1, all
//! else nothing. A switch costs 1, whichever case it takes.

use super::{CallGraph, Cfg, Distances, Function, Kind, ModuleView, Terminator};
use crate::site::{Edge, SiteId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// The branches of a module, by function.
#[derive(Clone, Debug)]
pub struct FlowGraph {
    pub(super) functions: BTreeMap<u32, FunctionFlow>,
    /// The fewest branches from a function's start to its return; absent if it never returns.
    pub(super) costs_of_calls: BTreeMap<u32, u32>,
    /// The sides after which the function that they are in may return.
    returning: BTreeSet<Edge>,
}

/// The branches of one function.
#[derive(Clone, Debug)]
pub(super) struct FunctionFlow {
    pub(super) n_nodes: u32,
    pub(super) entry: u32,
    pub(super) exit: u32,
    /// The node of each side.
    pub(super) sides: Vec<(Edge, u32)>,
    /// From, to, cost.
    pub(super) steps: Vec<(u32, u32, u32)>,
    pub(super) calls: Vec<Call>,
}

/// A call of a function that has a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) at: u32,
    pub(super) after: u32,
    pub(super) callee: u32,
}

impl FlowGraph {
    /// Builds the graph.
    pub fn of(module: &ModuleView<'_>, cfg: &Cfg) -> FlowGraph {
        let calls = CallGraph::of(module, cfg);
        let flow = |function: &Function| (function.index, FunctionFlow::of(function, cfg, &calls));
        let functions = cfg.functions().map(flow).collect();
        let (costs_of_calls, returning) = costs_of_returns(&functions);
        FlowGraph { costs_of_calls, returning, functions }
    }

    /// Whether a side's function may return after it: what ends in a call of `abort` or `exit` does not.
    pub fn may_return(&self, side: Edge) -> bool {
        self.returning.contains(&side)
    }

    /// The distances in runs that begin with calls of these functions.
    pub fn from_entries(&self, entries: impl IntoIterator<Item = u32>) -> Distances {
        Distances::of(self, &self.called_from(entries))
    }

    /// These functions and all that they may call, directly or not.
    fn called_from(&self, entries: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
        let mut called = BTreeSet::new();
        let mut pending: Vec<u32> = entries.into_iter().collect();
        while let Some(function) = pending.pop() {
            if let Some(flow) = self.functions.get(&function)
                && called.insert(function)
            {
                pending.extend(flow.calls.iter().map(|call| call.callee));
            }
        }
        called
    }
}

impl FunctionFlow {
    fn of(function: &Function, cfg: &Cfg, calls: &CallGraph) -> FunctionFlow {
        let n_blocks = function.blocks.len() as u32;
        let mut flow = FunctionFlow {
            n_nodes: n_blocks + 1,
            entry: 0,
            exit: n_blocks,
            sides: Vec::new(),
            steps: Vec::new(),
            calls: Vec::new(),
        };
        let mut sites = calls.calls(function.index);
        for (block, start) in function.blocks.iter().zip(0..) {
            let mut at = start;
            for instruction in &block.instructions {
                if instruction.kind == Kind::Select {
                    let after = flow.node();
                    for taken in [true, false] {
                        let side = flow.side(SiteId::at(instruction.offset), taken);
                        flow.steps.extend([(at, side, 1), (side, after, 0)]);
                    }
                    at = after;
                } else if instruction.kind.is_call() {
                    let site = sites.next().expect("the call graph has each call, in order");
                    at = flow.add_call(at, &site.callees, cfg);
                }
            }
            flow.add_terminator(at, &block.terminator);
        }
        flow
    }

    fn node(&mut self) -> u32 {
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    fn side(&mut self, site: SiteId, taken: bool) -> u32 {
        let node = self.node();
        self.sides.push((Edge { site, taken }, node));
        node
    }

    /// A call of something without a body costs nothing.
    fn add_call(&mut self, at: u32, callees: &[u32], cfg: &Cfg) -> u32 {
        let after = self.node();
        let defined = callees.iter().filter(|&&callee| cfg.function(callee).is_some());
        self.calls.extend(defined.clone().map(|&callee| Call { at, after, callee }));
        if callees.is_empty() || defined.count() < callees.len() {
            self.steps.push((at, after, 0));
        }
        after
    }

    fn add_terminator(&mut self, at: u32, terminator: &Terminator) {
        match terminator {
            Terminator::Br(jump) => self.steps.push((at, jump.block.0, 0)),
            Terminator::BrIf { then, otherwise, offset, .. } => {
                for (jump, taken) in [(then, true), (otherwise, false)] {
                    let side = self.side(SiteId::at(*offset), taken);
                    self.steps.extend([(at, side, 1), (side, jump.block.0, 0)]);
                }
            }
            Terminator::Switch { cases, offset, .. } => {
                // One node stands before the conditions from each case on.
                let mut test = at;
                for (case, jump) in cases.iter().enumerate() {
                    let site = SiteId { offset: *offset, case: case as u16 };
                    let (holds, fails) = (self.side(site, true), self.side(site, false));
                    let next = self.node();
                    self.steps.extend([
                        (test, holds, 1),
                        (test, fails, 1),
                        (holds, jump.block.0, 0),
                        (fails, next, 0),
                        (test, next, 0),
                    ]);
                    test = next;
                }
            }
            Terminator::Return(_) => self.steps.push((at, self.exit, 0)),
            Terminator::Unreachable { .. } => {}
        }
    }
}

/// The fewest branches through each function that can return, and the sides after which it can.
///
/// Costs only grow along a path, so taking the cheapest node first is right although the cost of a call
/// is itself being computed (Knuth, "A Generalization of Dijkstra's Algorithm", 1977).
fn costs_of_returns(
    functions: &BTreeMap<u32, FunctionFlow>,
) -> (BTreeMap<u32, u32>, BTreeSet<Edge>) {
    // A function's nodes follow those of the one before it.
    let mut n_nodes = 0;
    let starts = functions.iter().map(|(&index, flow)| {
        n_nodes += flow.n_nodes;
        (index, n_nodes - flow.n_nodes)
    });
    let starts: BTreeMap<u32, u32> = starts.collect();
    let mut before = vec![Vec::new(); n_nodes as usize];
    let mut calls_at_node: Vec<Vec<Call>> = vec![Vec::new(); n_nodes as usize];
    let mut open = BinaryHeap::new();
    for (index, flow) in functions {
        let start = starts[index];
        for &(from, to, cost) in &flow.steps {
            before[(start + to) as usize].push((start + from, cost));
        }
        for &Call { at, after, callee } in &flow.calls {
            let entry = starts[&callee] + functions[&callee].entry;
            let call = Call { at: start + at, after: start + after, callee: entry };
            calls_at_node[call.after as usize].push(call);
            calls_at_node[entry as usize].push(call);
        }
        open.push(Reverse((0, start + flow.exit)));
    }
    let mut best: Vec<Option<u32>> = vec![None; n_nodes as usize];
    while let Some(Reverse((cost, node))) = open.pop() {
        if best[node as usize].is_some() {
            continue;
        }
        best[node as usize] = Some(cost);
        for &(from, step) in &before[node as usize] {
            open.push(Reverse((cost + step, from)));
        }
        for call in &calls_at_node[node as usize] {
            let through = best[call.callee as usize];
            if let (Some(through), Some(after)) = (through, best[call.after as usize]) {
                open.push(Reverse((through + after, call.at)));
            }
        }
    }
    let through = |(&index, flow): (&u32, &FunctionFlow)| {
        best[(starts[&index] + flow.entry) as usize].map(|cost| (index, cost))
    };
    let sides = functions.iter().flat_map(|(index, flow)| {
        let start = starts[index];
        flow.sides.iter().map(move |&(edge, node)| (edge, start + node))
    });
    let returning = sides.filter(|(_, node)| best[*node as usize].is_some());
    let returning = returning.map(|(edge, _)| edge).collect();
    (functions.iter().filter_map(through).collect(), returning)
}
