//! How many branches lie between any branch and the nearest of some targets, across calls, in runs that begin in
//! certain functions.
//!
//! Only paths that calls and returns allow count: a call returns to where it was made. So a path first goes up, out of
//! functions whose caller is not known, then down, into calls that it does not leave again; a call that returns costs
//! the fewest branches through the callee. Functions that such a run never calls are left out: in a library with many
//! functions and drivers they would be most of the graph, and it is searched again whenever a run covers something new.

use super::FlowGraph;
use super::flow::{Call, FunctionFlow};
use crate::site::Edge;
use std::collections::{BTreeMap, BTreeSet};

/// The graph of all that some functions may call, ready for questions.
///
/// Each node is there twice: on the way up, `2 * node`, and on the way down, `2 * node + 1`.
#[derive(Clone, Debug)]
pub struct Distances {
    /// The node of each side of each site.
    sides: BTreeMap<Edge, u32>,
    /// What precedes, and at which cost.
    before: Neighbours,
    /// What follows.
    after: Neighbours,
}

/// The way out of functions whose caller is not known.
const UP: u32 = 0;
/// The way into calls that are not left again.
const DOWN: u32 = 1;

fn up(node: u32) -> u32 {
    2 * node + UP
}

fn down(node: u32) -> u32 {
    2 * node + DOWN
}

impl Distances {
    /// The graph of these functions, which call no others.
    pub(super) fn of(graph: &FlowGraph, functions: &BTreeSet<u32>) -> Distances {
        let mut n_nodes = 0;
        let mut starts = BTreeMap::new();
        for index in functions {
            starts.insert(*index, n_nodes);
            n_nodes += graph.functions[index].n_nodes;
        }
        let mut hops = Vec::new();
        let mut sides = BTreeMap::new();
        for (index, &start) in &starts {
            let flow = &graph.functions[index];
            sides.extend(flow.sides.iter().map(|&(edge, node)| (edge, start + node)));
            for &(from, to, cost) in &flow.steps {
                let (from, to) = (start + from, start + to);
                hops.extend([(up(from), up(to), cost), (down(from), down(to), cost)]);
            }
            for call in &flow.calls {
                let callee = (&graph.functions[&call.callee], starts[&call.callee]);
                let through = graph.costs_of_calls.get(&call.callee).copied();
                add_call(&mut hops, (start, call), callee, through);
            }
        }
        let n_states = 2 * n_nodes as usize;
        let back: Vec<Hop> = hops.iter().map(|&(from, to, cost)| (to, from, cost)).collect();
        Distances {
            sides,
            before: Neighbours::of(n_states, &back),
            after: Neighbours::of(n_states, &hops),
        }
    }

    /// For each side of a site how many more branches it takes at least to take one of the targets: 0 for a
    /// target itself. Sides from which no target can be reached are absent.
    pub fn to(&self, targets: &BTreeSet<Edge>) -> BTreeMap<Edge, u32> {
        let mut best = vec![u32::MAX; self.before.n_nodes()];
        let known = targets.iter().filter_map(|target| self.sides.get(target));
        // Costs are small numbers, so a list of nodes for each cost is the queue.
        let mut open: Vec<Vec<u32>> =
            vec![known.flat_map(|&node| [up(node), down(node)]).collect()];
        let mut cost = 0;
        while cost < open.len() {
            while let Some(state) = open[cost].pop() {
                let known = &mut best[state as usize];
                if *known <= cost as u32 {
                    continue;
                }
                *known = cost as u32;
                for &(from, more) in self.before.of_node(state) {
                    let farther = cost + more as usize;
                    if best[from as usize] as usize > farther {
                        open.resize(open.len().max(farther + 1), Vec::new());
                        open[farther].push(from);
                    }
                }
            }
            cost += 1;
        }
        let found = |(&edge, &node): (&Edge, &u32)| {
            let cost = best[up(node) as usize];
            (cost != u32::MAX).then_some((edge, cost))
        };
        self.sides.iter().filter_map(found).collect()
    }

    /// The sides of sites that can be taken after one of these was, themselves included: those of which
    /// [`Distances::to`] would give one of these a distance. Of a side that is in none of the functions nothing is
    /// known: all others may follow it.
    pub fn reachable_from(&self, starts: &BTreeSet<Edge>) -> BTreeSet<Edge> {
        let known: Option<Vec<u32>> =
            starts.iter().map(|start| self.sides.get(start).map(|&node| up(node))).collect();
        let Some(mut open) = known else { return self.sides.keys().copied().collect() };
        let mut is_seen = vec![false; self.after.n_nodes()];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut is_seen[state as usize], true) {
                let after = self.after.of_node(state).iter().map(|&(to, _)| to);
                open.extend(after.filter(|&to| !is_seen[to as usize]));
            }
        }
        let is_reached = |node: u32| is_seen[up(node) as usize] || is_seen[down(node) as usize];
        self.sides.iter().filter(|(_, node)| is_reached(**node)).map(|(edge, _)| *edge).collect()
    }
}

/// A call of a function whose nodes start somewhere; `through` is what it costs if it returns.
fn add_call(
    hops: &mut Vec<Hop>,
    (start, call): (u32, &Call),
    (callee, callee_start): (&FunctionFlow, u32),
    through: Option<u32>,
) {
    let (at, after) = (start + call.at, start + call.after);
    let (entry, exit) = (callee_start + callee.entry, callee_start + callee.exit);
    hops.extend([(up(at), down(entry), 0), (down(at), down(entry), 0), (up(exit), up(after), 0)]);
    if let Some(cost) = through {
        hops.extend([(up(at), up(after), cost), (down(at), down(after), cost)]);
    }
}

/// From, to, cost.
type Hop = (u32, u32, u32);

/// What each node leads to, one after another in one list.
#[derive(Clone, Debug)]
struct Neighbours {
    /// Where the list of each node starts; the last is where all end.
    starts: Vec<u32>,
    /// Node and cost.
    list: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(n_nodes: usize, hops: &[Hop]) -> Neighbours {
        let mut starts = vec![0; n_nodes + 1];
        for &(from, ..) in hops {
            starts[from as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut list = vec![(0, 0); hops.len()];
        for &(from, to, cost) in hops {
            let place = &mut next[from as usize];
            list[*place as usize] = (to, cost);
            *place += 1;
        }
        Neighbours { starts, list }
    }

    fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    fn of_node(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        &self.list[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
