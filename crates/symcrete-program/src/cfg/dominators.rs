//! Dominators and post-dominators, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".

use super::{BlockId, Function};

/// Which blocks every way to (or from) a block passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dominators {
    /// The nearest dominator; `None` for roots and for blocks that no root leads to.
    immediate: Vec<Option<BlockId>>,
    /// Entry and exit times in a walk of the tree; `None` for blocks that no root leads to.
    interval: Vec<Option<(u32, u32)>>,
}

impl Dominators {
    /// A block dominates another if every way from the entry to the other passes it.
    pub fn of(function: &Function) -> Dominators {
        Dominators::new(&function.successors(), &[BlockId::ENTRY])
    }

    /// A block post-dominates another if every way from the other to the function's end passes it. Ends are
    /// the return and traps by `unreachable`; a block from which no end can be reached has no post-dominator.
    pub fn post(function: &Function) -> Dominators {
        let ends: Vec<BlockId> = function
            .block_ids()
            .filter(|&block| function.block(block).terminator.jumps().is_empty())
            .collect();
        Dominators::new(&function.predecessors(), &ends)
    }

    /// The nearest dominator other than the block itself. `None` if there is none, or if it is the point
    /// before several roots.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.immediate[block.index()]
    }

    /// Whether `above` dominates `below`; every block dominates itself.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        match (self.interval[above.index()], self.interval[below.index()]) {
            (Some((from, to)), Some((inner, _))) => from <= inner && inner < to,
            (None, _) | (_, None) => above == below,
        }
    }

    /// Of a graph, given where its nodes lead and where it is entered.
    pub(crate) fn new(successors: &[Vec<BlockId>], roots: &[BlockId]) -> Dominators {
        // Node 0 stands before all roots; block `b` is node `b + 1`.
        let n = successors.len() + 1;
        let next = |node: usize| -> Vec<usize> {
            let blocks = if node == 0 { roots } else { &successors[node - 1] };
            blocks.iter().map(|block| block.index() + 1).collect()
        };
        let order = postorder(n, &next);
        let mut rank = vec![None; n];
        for (position, &node) in order.iter().enumerate() {
            rank[node] = Some(position);
        }
        let mut predecessors = vec![Vec::new(); n];
        for &node in &order {
            for successor in next(node) {
                predecessors[successor].push(node);
            }
        }
        let parent = parents(&order, &rank, &predecessors);
        let block = |node: usize| (node > 0).then(|| BlockId(node as u32 - 1));
        let immediate = (1..n).map(|node| parent[node].and_then(block)).collect();
        Dominators { immediate, interval: intervals(&order, &parent) }
    }
}

fn postorder(n: usize, next: &impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut seen = vec![false; n];
    seen[0] = true;
    let (mut order, mut open) = (Vec::new(), vec![(0, next(0))]);
    while let Some((node, rest)) = open.last_mut() {
        match rest.pop() {
            Some(node) if !seen[node] => {
                seen[node] = true;
                open.push((node, next(node)));
            }
            Some(_) => {}
            None => {
                order.push(*node);
                open.pop();
            }
        }
    }
    order
}

/// The parent of each node in the dominator tree; that of the root is itself.
fn parents(
    order: &[usize],
    rank: &[Option<usize>],
    predecessors: &[Vec<usize>],
) -> Vec<Option<usize>> {
    let mut parent: Vec<Option<usize>> = vec![None; rank.len()];
    parent[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().rev().filter(|&&node| node != 0) {
            let mut known = predecessors[node].iter().copied().filter(|&p| parent[p].is_some());
            let Some(first) = known.next() else { continue };
            let nearest = known.fold(first, |a, b| common(&parent, rank, a, b));
            if parent[node] != Some(nearest) {
                parent[node] = Some(nearest);
                changed = true;
            }
        }
    }
    parent
}

/// The nearest common ancestor.
fn common(parent: &[Option<usize>], rank: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    let up = |node: usize| parent[node].expect("ancestors are known");
    while a != b {
        while rank[a] < rank[b] {
            a = up(a);
        }
        while rank[b] < rank[a] {
            b = up(b);
        }
    }
    a
}

fn intervals(order: &[usize], parent: &[Option<usize>]) -> Vec<Option<(u32, u32)>> {
    let mut size = vec![1u32; parent.len()];
    // A parent comes after its children in postorder.
    for &node in order.iter().filter(|&&node| node != 0) {
        if let Some(parent) = parent[node] {
            size[parent] += size[node];
        }
    }
    let mut interval = vec![None; parent.len()];
    let mut free = vec![0; parent.len()];
    for &node in order.iter().rev() {
        let start = match parent[node] {
            Some(parent) if node != 0 => {
                let start = free[parent];
                free[parent] += size[node];
                start
            }
            Some(_) | None => 0,
        };
        free[node] = start + 1;
        interval[node] = Some((start, start + size[node]));
    }
    interval.split_off(1)
}
