//! The execution tree: every path that was run, and what became of the sides not taken.

use std::collections::{BTreeMap, BTreeSet};
use symcrete_exec::{Constraint, Margin, Met, Origin};
use symcrete_program::{Edge, Gap, SiteId};
use symcrete_solve::Why;
use symcrete_term::{Literal, TermId};

/// Names a node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

/// A side of a node: the one on which its condition has this truth value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Flip {
    /// The node.
    pub node: NodeId,
    /// The side.
    pub side: bool,
}

/// What is known of one side of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlipState {
    /// Not tried yet.
    Open,
    /// A run went there.
    Covered,
    /// No input goes there from here: proved.
    Infeasible,
    /// No input within these limits goes there from here: proved. One beyond the limits may.
    Bounded(BTreeSet<Gap>),
    /// A solver was asked and does not know.
    Unresolved(Why),
    /// A solver gave an input, and its run went elsewhere.
    Diverged,
    /// Further down its path than branches are flipped.
    TooDeep,
    /// The condition pins a value (an address) or is an assumption: not to be flipped.
    Pinned,
}

#[derive(Clone, Debug)]
struct TreeNode {
    parent: Option<Flip>,
    term: TermId,
    site: SiteId,
    origin: Origin,
    depth: u32,
    /// How often each side of this site was taken on the path to here.
    passes: [u32; 2],
    /// The last side of a branch on the path to here.
    branch_before: Option<Edge>,
    /// The run that came here first.
    run: u32,
    children: [Option<NodeId>; 2],
    /// What other runs found here instead: an address pinned to another value.
    sibling: Option<NodeId>,
    /// Whether pointers share an object on the path to here.
    is_shared: bool,
    states: [FlipState; 2],
}

/// What one run added.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grown {
    /// Sides that can be flipped now and could not before, in order of the path.
    pub opened: Vec<Flip>,
    /// The run's conditions differ from those of an earlier run that had the same answers so far.
    pub is_inconsistent: bool,
    /// Sides the run took, in order.
    pub taken: Vec<Flip>,
}

/// All paths that were run.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    /// Gaps of the model that runs met, each after a side of a branch, or after the start.
    gaps: BTreeSet<(Option<Edge>, Gap)>,
    /// The conditions that make two pointers share an object.
    aliases: BTreeSet<TermId>,
    /// Bytes that were left of an object when a node was first reached.
    margins: BTreeMap<NodeId, u32>,
}

impl Tree {
    /// A tree without paths.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// A tree without paths, in which these conditions make two pointers share an object.
    pub fn with_aliases(aliases: BTreeSet<TermId>) -> Tree {
        Tree { aliases, ..Tree::default() }
    }

    /// Whether a node decides whether pointers share an object.
    pub fn is_alias(&self, flip: Flip) -> bool {
        self.aliases.contains(&self.node(flip.node).term)
    }

    /// Whether pointers share an object on a side.
    pub fn is_shared(&self, flip: Flip) -> bool {
        self.node(flip.node).is_shared || flip.side && self.is_alias(flip)
    }

    /// How many decisions of a path come before the first that makes pointers share an object.
    pub fn n_before_shared(&self, path: &[Constraint]) -> usize {
        let is_shared = |constraint: &Constraint| {
            constraint.literal.expected && self.aliases.contains(&constraint.literal.term)
        };
        path.iter().position(is_shared).unwrap_or(path.len())
    }

    /// How many decisions are in it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing has been run.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds the path of a run, identified by its number.
    pub fn grow(&mut self, path: &[Constraint], run: u32) -> Grown {
        let mut grown = Grown::default();
        let mut at: Option<Flip> = None;
        let mut known: BTreeSet<Literal> = BTreeSet::new();
        let mut passed: BTreeMap<SiteId, [u32; 2]> = BTreeMap::new();
        for constraint in path {
            let Constraint { literal, site, .. } = *constraint;
            let passes = passed.entry(site).or_insert([0; 2]);
            let node = match self.find(at, constraint) {
                Found::Node(node) => node,
                Found::Other => {
                    grown.is_inconsistent = true;
                    return grown;
                }
                Found::Nothing(sibling) => {
                    let node = self.add(at, constraint, (*passes, run));
                    self.link(at, sibling, node);
                    let other = Flip { node, side: !literal.expected };
                    if may_turn(constraint) && known.contains(&literal) {
                        // What holds already cannot be flipped on this path.
                        self.settle(other, FlipState::Infeasible);
                    } else if may_turn(constraint) {
                        grown.opened.push(other);
                    }
                    node
                }
            };
            passes[usize::from(literal.expected)] += 1;
            known.insert(literal);
            let flip = Flip { node, side: literal.expected };
            self.nodes[node.0 as usize].states[usize::from(flip.side)] = FlipState::Covered;
            grown.taken.push(flip);
            at = Some(flip);
        }
        grown
    }

    /// Records where a run met gaps of the model. Real runs may go on from there differently.
    pub fn note_gaps(&mut self, path: &[Constraint], gaps: &[Met]) {
        for met in gaps {
            let before = path[..met.n_constraints.min(path.len())].iter().rev();
            let branch = before.clone().find(|constraint| is_branch(constraint.origin));
            let edge =
                branch.map(|branch| Edge { site: branch.site, taken: branch.literal.expected });
            self.gaps.insert((edge, met.gap));
        }
    }

    /// Records how near the run that opened some sides had come to the end of an object by then.
    pub fn note_margins(&mut self, opened: &[Flip], margins: &[Margin]) {
        if margins.is_empty() {
            return;
        }
        for &flip in opened {
            let depth = self.depth(flip) as usize;
            let before = margins.partition_point(|margin| margin.n_constraints <= depth);
            let bytes = before.checked_sub(1).map_or(u32::MAX, |at| margins[at].bytes);
            self.margins.insert(flip.node, bytes);
        }
    }

    /// Bytes that were left of an object on the path to a node, all if nothing had moved through one yet; `None` if nothing ever
    /// did.
    pub fn margin(&self, flip: Flip) -> Option<u32> {
        self.margins.get(&flip.node).copied()
    }

    /// Whether something moved through an object in some run, or may.
    pub fn has_margins(&self) -> bool {
        !self.margins.is_empty()
    }

    /// The gaps that runs met, and the last side of a branch before each.
    pub fn gaps(&self) -> &BTreeSet<(Option<Edge>, Gap)> {
        &self.gaps
    }

    /// The node of a condition after a side.
    fn find(&self, at: Option<Flip>, constraint: &Constraint) -> Found {
        let mut next = match at {
            None => (!self.nodes.is_empty()).then_some(NodeId(0)),
            Some(flip) => self.node(flip.node).children[usize::from(flip.side)],
        };
        let mut last = None;
        while let Some(id) = next {
            let node = self.node(id);
            if node.term == constraint.literal.term {
                return Found::Node(id);
            }
            // Only branches must be the same after the same answers.
            if is_branch(node.origin) && is_branch(constraint.origin) {
                return Found::Other;
            }
            last = Some(id);
            next = node.sibling;
        }
        Found::Nothing(last)
    }

    /// Hangs a new node into the tree, behind its last sibling.
    fn link(&mut self, at: Option<Flip>, sibling: Option<NodeId>, node: NodeId) {
        if let Some(sibling) = sibling {
            self.nodes[sibling.0 as usize].sibling = Some(node);
        } else if let Some(flip) = at {
            self.nodes[flip.node.0 as usize].children[usize::from(flip.side)] = Some(node);
        }
    }

    fn add(
        &mut self,
        parent: Option<Flip>,
        constraint: &Constraint,
        (passes, run): ([u32; 2], u32),
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let other = if may_turn(constraint) { FlipState::Open } else { FlipState::Pinned };
        let branch_before = parent.and_then(|before| match is_branch(self.origin(before)) {
            true => Some(self.edge(before)),
            false => self.branch_before(before),
        });
        self.nodes.push(TreeNode {
            parent,
            term: constraint.literal.term,
            site: constraint.site,
            origin: constraint.origin,
            depth: parent.map_or(0, |flip| self.node(flip.node).depth + 1),
            passes,
            branch_before,
            run,
            children: [None, None],
            sibling: None,
            is_shared: parent.is_some_and(|before| self.is_shared(before)),
            states: [other.clone(), other],
        });
        id
    }

    fn node(&self, id: NodeId) -> &TreeNode {
        &self.nodes[id.0 as usize]
    }

    /// What is known of a side.
    pub fn state(&self, flip: Flip) -> &FlipState {
        &self.node(flip.node).states[usize::from(flip.side)]
    }

    /// Whether a side has not been tried.
    pub fn is_open(&self, flip: Flip) -> bool {
        *self.state(flip) == FlipState::Open
    }

    /// Records what became of an open side.
    pub fn settle(&mut self, flip: Flip, state: FlipState) {
        let known = &mut self.nodes[flip.node.0 as usize].states[usize::from(flip.side)];
        if *known != FlipState::Covered {
            *known = state;
        }
    }

    /// The side as an edge of the program.
    pub fn edge(&self, flip: Flip) -> Edge {
        Edge { site: self.node(flip.node).site, taken: flip.side }
    }

    /// The condition of a node.
    pub fn term(&self, flip: Flip) -> TermId {
        self.node(flip.node).term
    }

    /// Why the condition of a node was looked at.
    pub fn origin(&self, flip: Flip) -> Origin {
        self.node(flip.node).origin
    }

    /// The run that came to a node first.
    pub fn run(&self, flip: Flip) -> u32 {
        self.node(flip.node).run
    }

    /// Conditions before a node.
    pub fn depth(&self, flip: Flip) -> u32 {
        self.node(flip.node).depth
    }

    /// The last side of a branch on the path to a node.
    pub fn branch_before(&self, flip: Flip) -> Option<Edge> {
        self.node(flip.node).branch_before
    }

    /// How often the node's site was passed on the path to it.
    pub fn occurrence(&self, flip: Flip) -> u32 {
        let [not, taken] = self.node(flip.node).passes;
        not + taken
    }

    /// How often its side of the site was taken on the path to it.
    pub fn passes(&self, flip: Flip) -> u32 {
        self.node(flip.node).passes[usize::from(flip.side)]
    }

    /// What must hold to take a side: everything before, in order, then the side itself.
    pub fn literals(&self, flip: Flip) -> Vec<Literal> {
        self.literals_that(flip, |_| true)
    }

    /// The same without the limits of inputs.
    pub fn literals_without_bounds(&self, flip: Flip) -> Vec<Literal> {
        self.literals_that(flip, |origin| origin != Origin::Range)
    }

    fn literals_that(&self, flip: Flip, is_wanted: impl Fn(Origin) -> bool) -> Vec<Literal> {
        let mut literals = Vec::with_capacity(self.depth(flip) as usize + 1);
        let mut at = Some(flip);
        while let Some(flip) = at {
            let node = self.node(flip.node);
            if is_wanted(node.origin) {
                literals.push(Literal { term: node.term, expected: flip.side });
            }
            at = node.parent;
        }
        literals.reverse();
        literals
    }

    /// Every side of every node with its state.
    pub fn sides(&self) -> impl Iterator<Item = (Flip, &FlipState)> {
        self.nodes.iter().enumerate().flat_map(|(i, node)| {
            [false, true].into_iter().map(move |side| {
                let flip = Flip { node: NodeId(i as u32), side };
                (flip, &node.states[usize::from(side)])
            })
        })
    }
}

/// What is in the tree at the place of a condition.
enum Found {
    /// The condition itself.
    Node(NodeId),
    /// Nothing, or only siblings, of which this is the last.
    Nothing(Option<NodeId>),
    /// Another branch: the program is not deterministic.
    Other,
}

fn is_branch(origin: Origin) -> bool {
    match origin {
        Origin::Branch | Origin::Select => true,
        Origin::TrapGuard
        | Origin::ObjectGuard
        | Origin::Concretized
        | Origin::Assumed
        | Origin::Range => false,
    }
}

/// Whether the other side is worth aiming at. An assumption that failed is: nothing comes after it.
fn may_turn(constraint: &Constraint) -> bool {
    match constraint.origin {
        Origin::Assumed => !constraint.literal.expected,
        Origin::Branch
        | Origin::Select
        | Origin::TrapGuard
        | Origin::ObjectGuard
        | Origin::Concretized
        | Origin::Range => constraint.origin.may_flip(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Sort, Terms};

    fn path(conditions: &[(TermId, bool, Origin)]) -> Vec<Constraint> {
        let make = |(i, &(term, expected, origin)): (usize, &(TermId, bool, Origin))| Constraint {
            literal: Literal { term, expected },
            site: SiteId::at(10 + i as u32),
            origin,
        };
        conditions.iter().enumerate().map(make).collect()
    }

    #[test]
    fn paths_share_what_they_have_in_common() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.var(name, Sort::Bool));
        let branch = Origin::Branch;
        let mut tree = Tree::new();
        let first = tree.grow(
            &path(&[(a, true, branch), (b, true, Origin::Concretized), (c, false, branch)]),
            0,
        );
        assert_eq!(first.opened.len(), 2, "the pinned condition is not to be turned");
        let flip = first.opened[1];
        assert_eq!(tree.literals(flip).len(), 3);
        let second = tree.grow(
            &path(&[(a, true, branch), (b, true, Origin::Concretized), (c, true, branch)]),
            0,
        );
        assert!(second.opened.is_empty() && !second.is_inconsistent);
        assert_eq!(tree.state(flip), &FlipState::Covered);
        assert_eq!(tree.len(), 3);
    }

    #[test]
    fn what_holds_already_is_not_opened_again() {
        let mut terms = Terms::new();
        let a = terms.var("a", Sort::Bool);
        let mut tree = Tree::new();
        let grown = tree.grow(&path(&[(a, true, Origin::Branch), (a, true, Origin::Branch)]), 0);
        assert_eq!(grown.opened.len(), 1);
        let again = Flip { node: grown.taken[1].node, side: false };
        assert_eq!(tree.state(again), &FlipState::Infeasible);
    }

    #[test]
    fn addresses_may_differ_after_the_same_answers() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.var(name, Sort::Bool));
        let mut tree = Tree::new();
        let _ = tree.grow(&path(&[(a, true, Origin::Concretized), (c, true, Origin::Branch)]), 0);
        let other =
            tree.grow(&path(&[(b, true, Origin::Concretized), (c, true, Origin::Branch)]), 1);
        assert!(!other.is_inconsistent);
        assert_eq!(tree.literals(other.opened[0])[0].term, b, "each path has its own conditions");
        let again =
            tree.grow(&path(&[(b, true, Origin::Concretized), (c, false, Origin::Branch)]), 2);
        assert_eq!((again.opened.len(), tree.len()), (0, 4));
    }

    #[test]
    fn other_conditions_after_the_same_answers_are_noticed() {
        let mut terms = Terms::new();
        let [a, b] = ["a", "b"].map(|name| terms.var(name, Sort::Bool));
        let mut tree = Tree::new();
        let _ = tree.grow(&path(&[(a, true, Origin::Branch)]), 0);
        assert!(tree.grow(&path(&[(b, true, Origin::Branch)]), 1).is_inconsistent);
    }
}
