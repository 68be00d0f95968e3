//! A query with some variables fixed: the `pc \ iv` of Takaki et al. 2010.
//!
//! The result lives in an arena of its own, where constants fold: what a fixed variable made
//! undecidable may be decidable now.

use crate::Query;
use std::collections::BTreeMap;
use symcrete_term::{FunctionId, Literal, Node, TermId, Terms, Valuation, Value, VarId, reachable};

/// Literals with variables replaced by values.
pub(crate) struct Substituted {
    terms: Terms,
    literals: Vec<Literal>,
    hint: Valuation,
    /// The remaining variables: here and there.
    variables: Vec<(VarId, VarId)>,
    fixed: Valuation,
}

impl Substituted {
    /// Replaces the fixed variables in literals of a query's arena.
    pub(crate) fn new(query: &Query<'_>, literals: &[Literal], fixed: &Valuation) -> Substituted {
        let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let mut copy = Copy {
            from: query.terms,
            to: Terms::new(),
            terms: BTreeMap::new(),
            functions: BTreeMap::new(),
            variables: Vec::new(),
        };
        for term in reachable(query.terms, &roots) {
            let copied = copy.term(term, fixed);
            copy.terms.insert(term, copied);
        }
        let literal = |l: &Literal| Literal { term: copy.terms[&l.term], expected: l.expected };
        let hinted = |&(new, old): &(VarId, VarId)| Some((new, query.hint.get(old)?));
        Substituted {
            literals: literals.iter().map(literal).collect(),
            hint: copy.variables.iter().filter_map(hinted).collect(),
            terms: copy.to,
            variables: copy.variables,
            fixed: fixed.clone(),
        }
    }

    /// The query that is left.
    pub(crate) fn query(&self) -> Query<'_> {
        Query { terms: &self.terms, literals: &self.literals, hint: &self.hint }
    }

    /// A model of what is left, together with the fixed values, over the original variables.
    pub(crate) fn restore(&self, model: &Valuation) -> Valuation {
        let mut whole = self.fixed.clone();
        whole.extend(self.variables.iter().filter_map(|&(new, old)| Some((old, model.get(new)?))));
        whole
    }
}

struct Copy<'a> {
    from: &'a Terms,
    to: Terms,
    terms: BTreeMap<TermId, TermId>,
    functions: BTreeMap<FunctionId, FunctionId>,
    variables: Vec<(VarId, VarId)>,
}

impl Copy<'_> {
    fn term(&mut self, term: TermId, fixed: &Valuation) -> TermId {
        let node = self.from.node(term);
        let children: Vec<TermId> = node.children().iter().map(|child| self.terms[child]).collect();
        match node {
            Node::Const(value) => self.to.constant(value),
            Node::Var(var) => match fixed.get(var) {
                Some(value) => self.to.constant(value),
                None => {
                    let name = self.from.var_name(var);
                    let copied = self.to.var(name, self.from.sort(term));
                    let new = self.to.find_var(name).expect("it was declared a line above");
                    self.variables.push((new, var));
                    copied
                }
            },
            Node::App { op, indices, .. } => self.to.app_indexed(op, indices, &children),
            Node::Call { function, .. } => {
                let function = *self
                    .functions
                    .entry(function)
                    .or_insert_with(|| self.to.register(self.from.function(function).clone()));
                self.to.call(function, &children)
            }
            Node::Lookup { table, .. } => {
                let (sort, entries) = self.from.table_entries(table);
                let values: Vec<Value> =
                    entries.iter().map(|&bits| Value::from_bits(sort, bits)).collect();
                let table = self.to.table(&values);
                self.to.lookup(table, children[0])
            }
        }
    }
}
