//! How many branches lie between any branch and the nearest of some targets, across calls.
//!
//! Nodes are points in functions and sides of sites; taking a side costs 1, all else nothing. A switch costs
//! 1, whichever case it takes. Only ways that calls and returns allow count: a call returns to
//! where it was made. So a way first goes up, out of functions whose caller is not known, then down, into
//! calls that it does not leave again; a call that returns costs the fewest branches through the callee.

use super::{CallGraph, Cfg, Function, Kind, ModuleView, Terminator};
use crate::site::{Edge, SiteId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// The graph of a module, ready for questions.
#[derive(Clone, Debug)]
pub struct Distances {
    /// The node of each side of each site that can be reached.
    edges: BTreeMap<Edge, u32>,
    /// For each node and direction (up, down) what precedes it, and at which cost.
    before: Vec<[Vec<Hop>; 2]>,
    /// The same the other way round: what follows.
    after: Vec<[Vec<(u32, Direction)>; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct Hop {
    from: u32,
    direction: Direction,
    cost: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Direction {
    Up,
    Down,
}

impl Distances {
    /// Builds the graph.
    pub fn of(module: &ModuleView<'_>, cfg: &Cfg) -> Distances {
        let graph = Graph::of(cfg, &CallGraph::of(module, cfg));
        let through = graph.costs_of_calls();
        let n = graph.n_nodes as usize;
        let mut before: Vec<[Vec<Hop>; 2]> = vec![[vec![], vec![]]; n];
        let mut after: Vec<[Vec<(u32, Direction)>; 2]> = vec![[vec![], vec![]]; n];
        let mut add = |from: u32, start, to: u32, end, cost| {
            before[to as usize][end as usize].push(Hop { from, direction: start, cost });
            after[from as usize][start as usize].push((to, end));
        };
        let (up, down) = (Direction::Up, Direction::Down);
        for &(from, to, cost) in &graph.steps {
            add(from, up, to, up, cost);
            add(from, down, to, down, cost);
        }
        for call in &graph.calls {
            let ends = &graph.ends[&call.callee];
            add(call.at, up, ends.entry, down, 0);
            add(call.at, down, ends.entry, down, 0);
            add(ends.exit, up, call.after, up, 0);
            if let Some(cost) = through[ends.entry as usize] {
                add(call.at, up, call.after, up, cost);
                add(call.at, down, call.after, down, cost);
            }
        }
        Distances { edges: graph.edges, before, after }
    }

    /// For each side of a site how many more branches it takes at least to take one of the targets: 0 for a
    /// target itself. Sides from which no target can be reached are absent.
    pub fn to(&self, targets: &BTreeSet<Edge>) -> BTreeMap<Edge, u32> {
        let mut best: Vec<[Option<u32>; 2]> = vec![[None; 2]; self.before.len()];
        let mut open = BinaryHeap::new();
        for node in targets.iter().filter_map(|target| self.edges.get(target)) {
            open.push(Reverse((0, *node, Direction::Up)));
            open.push(Reverse((0, *node, Direction::Down)));
        }
        while let Some(Reverse((cost, node, direction))) = open.pop() {
            let known = &mut best[node as usize][direction as usize];
            if known.is_some() {
                continue;
            }
            *known = Some(cost);
            for step in &self.before[node as usize][direction as usize] {
                open.push(Reverse((cost + step.cost, step.from, step.direction)));
            }
        }
        let found = |(edge, node): (&Edge, &u32)| {
            best[*node as usize][Direction::Up as usize].map(|cost| (*edge, cost))
        };
        self.edges.iter().filter_map(found).collect()
    }

    /// The sides of sites that can be taken after one of these was, themselves included: those of which
    /// [`Distances::to`] would give one of these a distance.
    pub fn reachable_from(&self, starts: &BTreeSet<Edge>) -> BTreeSet<Edge> {
        let mut is_seen = vec![[false; 2]; self.after.len()];
        let known = starts.iter().filter_map(|start| self.edges.get(start));
        let mut open: Vec<(u32, Direction)> = known.map(|&node| (node, Direction::Up)).collect();
        while let Some((node, direction)) = open.pop() {
            let is_known = &mut is_seen[node as usize][direction as usize];
            if !std::mem::replace(is_known, true) {
                open.extend(&self.after[node as usize][direction as usize]);
            }
        }
        let is_reached = |node: u32| is_seen[node as usize].contains(&true);
        self.edges.iter().filter(|(_, node)| is_reached(**node)).map(|(edge, _)| *edge).collect()
    }
}

/// Where a function begins and returns.
struct Ends {
    entry: u32,
    exit: u32,
}

struct Call {
    at: u32,
    after: u32,
    callee: u32,
}

#[derive(Default)]
struct Graph {
    n_nodes: u32,
    edges: BTreeMap<Edge, u32>,
    /// Within functions: from, to, cost.
    steps: Vec<(u32, u32, u32)>,
    calls: Vec<Call>,
    ends: BTreeMap<u32, Ends>,
}

impl Graph {
    fn of(cfg: &Cfg, calls: &CallGraph) -> Graph {
        let mut graph = Graph::default();
        for function in cfg.functions() {
            graph.add_function(function, cfg, calls);
        }
        graph
    }

    fn node(&mut self) -> u32 {
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    fn side(&mut self, site: SiteId, taken: bool) -> u32 {
        let node = self.node();
        self.edges.insert(Edge { site, taken }, node);
        node
    }

    fn add_function(&mut self, function: &Function, cfg: &Cfg, calls: &CallGraph) {
        let starts: Vec<u32> = function.blocks.iter().map(|_| self.node()).collect();
        let exit = self.node();
        self.ends.insert(function.index, Ends { entry: starts[0], exit });
        let mut sites = calls.calls(function.index);
        for (block, &start) in function.blocks.iter().zip(&starts) {
            let mut at = start;
            for instruction in &block.instructions {
                if instruction.kind == Kind::Select {
                    let after = self.node();
                    for taken in [true, false] {
                        let side = self.side(SiteId::at(instruction.offset), taken);
                        self.steps.extend([(at, side, 1), (side, after, 0)]);
                    }
                    at = after;
                } else if instruction.kind.is_call() {
                    let site = sites.next().expect("the call graph has each call, in order");
                    at = self.add_call(at, &site.callees, cfg);
                }
            }
            self.add_terminator(at, &block.terminator, &starts, exit);
        }
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

    fn add_terminator(&mut self, at: u32, terminator: &Terminator, starts: &[u32], exit: u32) {
        match terminator {
            Terminator::Br(jump) => self.steps.push((at, starts[jump.block.index()], 0)),
            Terminator::BrIf { then, otherwise, offset, .. } => {
                for (jump, taken) in [(then, true), (otherwise, false)] {
                    let side = self.side(SiteId::at(*offset), taken);
                    self.steps.extend([(at, side, 1), (side, starts[jump.block.index()], 0)]);
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
                        (holds, starts[jump.block.index()], 0),
                        (fails, next, 0),
                        (test, next, 0),
                    ]);
                    test = next;
                }
            }
            Terminator::Return(_) => self.steps.push((at, exit, 0)),
            Terminator::Unreachable { .. } => {}
        }
    }

    /// For each node the fewest branches to its function's exit; at an entry that is what a call costs.
    ///
    /// Costs only grow along a way, so taking the cheapest node first is right although the cost of a call
    /// is itself being computed (Knuth, "A Generalization of Dijkstra's Algorithm", 1977).
    fn costs_of_calls(&self) -> Vec<Option<u32>> {
        let n = self.n_nodes as usize;
        let mut before = vec![Vec::new(); n];
        for &(from, to, cost) in &self.steps {
            before[to as usize].push((from, cost));
        }
        let mut calls_at_node = vec![Vec::new(); n];
        for call in &self.calls {
            calls_at_node[call.after as usize].push(call);
            calls_at_node[self.ends[&call.callee].entry as usize].push(call);
        }
        let mut best: Vec<Option<u32>> = vec![None; n];
        let exits = self.ends.values().map(|ends| Reverse((0, ends.exit)));
        let mut open: BinaryHeap<Reverse<(u32, u32)>> = exits.collect();
        while let Some(Reverse((cost, node))) = open.pop() {
            if best[node as usize].is_some() {
                continue;
            }
            best[node as usize] = Some(cost);
            for &(from, step) in &before[node as usize] {
                open.push(Reverse((cost + step, from)));
            }
            for call in &calls_at_node[node as usize] {
                let through = best[self.ends[&call.callee].entry as usize];
                if let (Some(through), Some(after)) = (through, best[call.after as usize]) {
                    open.push(Reverse((through + after, call.at)));
                }
            }
        }
        best
    }
}
