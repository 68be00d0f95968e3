//! The terms of a query with their values; a moved input changes only what is above it.
//!
//! Values are [`symcrete_term::eval::eval`]'s: this has no semantics of its own.

use super::inverse::Term;
use std::collections::BTreeSet;
use symcrete_term::eval::eval;
use symcrete_term::{Literal, Node, Sort, TermId, Terms, Valuation, Value, VarId, reachable};

pub(super) struct Network<'a> {
    terms: &'a Terms,
    /// By position: children come first.
    order: Vec<TermId>,
    values: Vec<Value>,
    children: Vec<Vec<u32>>,
    users: Vec<Vec<u32>>,
    has_input: Vec<bool>,
    inputs: Vec<(VarId, u32)>,
    /// By position: the literals that a term is, with what they want.
    literals: Vec<Vec<(u32, bool)>>,
    violated: Vec<u32>,
    /// By literal: its place among the violated ones.
    place: Vec<Option<u32>>,
}

impl<'a> Network<'a> {
    pub(super) fn new(terms: &'a Terms, literals: &[Literal], hint: &Valuation) -> Network<'a> {
        let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let order = reachable(terms, &roots);
        let n = order.len();
        let position = |term: TermId| order.binary_search(&term).expect("reachable");
        let mut network = Network {
            terms,
            values: Vec::with_capacity(n),
            children: Vec::with_capacity(n),
            users: vec![Vec::new(); n],
            has_input: Vec::with_capacity(n),
            inputs: Vec::new(),
            literals: vec![Vec::new(); n],
            violated: Vec::new(),
            place: vec![None; literals.len()],
            order: Vec::new(),
        };
        for (at, &term) in order.iter().enumerate() {
            let node = terms.node(term);
            let children: Vec<u32> =
                node.children().iter().map(|&child| position(child) as u32).collect();
            for &child in &children {
                if network.users[child as usize].last() != Some(&(at as u32)) {
                    network.users[child as usize].push(at as u32);
                }
            }
            let mut has_input = children.iter().any(|&child| network.has_input[child as usize]);
            network.children.push(children);
            let value = if let Node::Var(var) = node {
                has_input = true;
                network.inputs.push((var, at as u32));
                hint.get(var).unwrap_or_else(|| Value::zero(terms.sort(term)))
            } else {
                network.compute(at, node)
            };
            network.has_input.push(has_input);
            network.values.push(value);
        }
        for (i, literal) in literals.iter().enumerate() {
            let at = position(literal.term);
            network.literals[at].push((i as u32, literal.expected));
            if network.values[at] != Value::Bool(literal.expected) {
                network.violate(i as u32);
            }
        }
        network.order = order;
        network
    }

    pub(super) fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    pub(super) fn n_violated(&self) -> usize {
        self.violated.len()
    }

    /// The literal at a place among the violated ones.
    pub(super) fn violated(&self, place: usize) -> usize {
        self.violated[place] as usize
    }

    pub(super) fn position(&self, term: TermId) -> usize {
        self.order.binary_search(&term).expect("a term of the query")
    }

    pub(super) fn node(&self, at: usize) -> Node<'a> {
        self.terms.node(self.order[at])
    }

    pub(super) fn sort(&self, at: usize) -> Sort {
        self.values[at].sort()
    }

    pub(super) fn value(&self, at: usize) -> Value {
        self.values[at]
    }

    pub(super) fn bits(&self, at: usize) -> u64 {
        self.values[at].bits()
    }

    pub(super) fn children(&self, at: usize) -> &[u32] {
        &self.children[at]
    }

    /// Whether some input is below a term.
    pub(super) fn has_input(&self, at: usize) -> bool {
        self.has_input[at]
    }

    pub(super) fn input_sort(&self, input: usize) -> Sort {
        self.sort(self.inputs[input].1 as usize)
    }

    pub(super) fn input(&self, input: usize) -> u64 {
        self.bits(self.inputs[input].1 as usize)
    }

    /// The input at a position.
    pub(super) fn input_at(&self, at: usize) -> usize {
        let found = self.inputs.binary_search_by_key(&(at as u32), |&(_, at)| at);
        found.expect("inputs are noted in order")
    }

    /// Whether an input is at a position.
    pub(super) fn is_input(&self, at: usize) -> bool {
        matches!(self.node(at), Node::Var(_))
    }

    /// The entries of the table that a term looks something up in.
    pub(super) fn entries(&self, at: usize) -> Option<&'a [u64]> {
        let Node::Lookup { table, .. } = self.node(at) else { return None };
        Some(self.terms.table_entries(table).1)
    }

    /// The term at a position with values of its arguments.
    pub(super) fn term<'t>(&'t self, at: usize, args: &'t [Value]) -> Term<'t> {
        Term { terms: self.terms, node: self.node(at), result: self.sort(at), args }
    }

    /// The inputs below a term.
    pub(super) fn inputs_of(&self, term: TermId) -> Vec<usize> {
        let below = reachable(self.terms, &[term]);
        let inputs =
            below.into_iter().filter(|&term| matches!(self.terms.node(term), Node::Var(_)));
        inputs.map(|term| self.input_at(self.position(term))).collect()
    }

    /// The values of all inputs.
    pub(super) fn model(&self) -> Valuation {
        self.inputs.iter().map(|&(var, at)| (var, self.values[at as usize])).collect()
    }

    /// Moves an input, and what is above it.
    pub(super) fn set_input(&mut self, input: usize, bits: u64) {
        let at = self.inputs[input].1;
        let sort = self.sort(at as usize);
        let mut open: BTreeSet<u32> = BTreeSet::new();
        self.set(at, Value::from_bits(sort, bits), &mut open);
        // The least position first: all its children are done then.
        while let Some(at) = open.pop_first() {
            let value = self.compute(at as usize, self.node(at as usize));
            self.set(at, value, &mut open);
        }
    }

    fn set(&mut self, at: u32, value: Value, open: &mut BTreeSet<u32>) {
        if self.values[at as usize] == value {
            return;
        }
        self.values[at as usize] = value;
        open.extend(&self.users[at as usize]);
        for i in 0..self.literals[at as usize].len() {
            let (literal, expected) = self.literals[at as usize][i];
            if value == Value::Bool(expected) {
                self.satisfy(literal);
            } else {
                self.violate(literal);
            }
        }
    }

    fn violate(&mut self, literal: u32) {
        if self.place[literal as usize].is_none() {
            self.place[literal as usize] = Some(self.violated.len() as u32);
            self.violated.push(literal);
        }
    }

    fn satisfy(&mut self, literal: u32) {
        if let Some(place) = self.place[literal as usize].take() {
            self.violated.swap_remove(place as usize);
            if let Some(&moved) = self.violated.get(place as usize) {
                self.place[moved as usize] = Some(place);
            }
        }
    }

    /// The value of a term whose children have theirs.
    fn compute(&self, at: usize, node: Node<'_>) -> Value {
        value_of(self.terms, node, |i| self.values[self.children[at][i] as usize])
    }

    /// The value of the term at a position, given other values of its arguments.
    pub(super) fn apply(&self, at: usize, of: impl Fn(usize) -> Value) -> Value {
        value_of(self.terms, self.node(at), of)
    }
}

/// The value of a term, given those of its arguments.
fn value_of(terms: &Terms, node: Node<'_>, of: impl Fn(usize) -> Value) -> Value {
    match node {
        Node::Const(value) => value,
        Node::Var(_) => panic!("inputs are set and not computed"),
        Node::App { op, indices, args } => {
            let mut values = [Value::Bool(false); 3];
            for (i, value) in values.iter_mut().enumerate().take(args.len()) {
                *value = of(i);
            }
            eval(op, indices, &values[..args.len()])
        }
        Node::Call { function, args } => {
            let values: Vec<Value> = (0..args.len()).map(of).collect();
            terms.function(function).call(&values)
        }
        Node::Lookup { table, .. } => {
            let (sort, entries) = terms.table_entries(table);
            let entry = usize::try_from(of(0).bits()).ok().and_then(|i| entries.get(i));
            entry.map_or(Value::zero(sort), |&bits| Value::from_bits(sort, bits))
        }
    }
}
