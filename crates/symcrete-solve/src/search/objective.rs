//! A query as errors to be brought to zero.
//!
//! Each literal is evaluated on its own, so that a move of one variable costs only the literals it
//! occurs in, and equal templates share machine code. Where literals share most of their terms (a long
//! computation compared at every step) that would repeat the work; then all are evaluated together.

use crate::Query;
use crate::error::{Errors, Metric};
use crate::jit::JitCache;
use crate::search::literal_group::LiteralGroup;
use crate::search::skeleton::{Atom, SideError};
use symcrete_term::{Literal, Sort, Terms, Valuation, Value, VarId, reachable};

/// Separate evaluation may cost at most this many times the terms of a common one.
const REPETITION_MAX: usize = 4;
/// Queries below this size are always evaluated by literal.
const SMALL: usize = 2_000;

/// The literals of a query with their evaluators.
pub(crate) struct Objective<'a> {
    variables: Vec<(VarId, Sort)>,
    groups: Vec<LiteralGroup<'a>>,
    first_literal: Vec<u32>,
    groups_of_variable: Vec<Vec<u32>>,
    n_literals: usize,
    metric: Metric,
    cache: JitCache,
    touched: Vec<(u32, f64)>,
}

/// The comparison that leads a literal's error at some point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    /// Which comparison of the literal's group.
    pub atom: u32,
    /// What it must become.
    pub wanted: bool,
    /// Left minus right.
    pub difference: f64,
}

impl<'a> Objective<'a> {
    /// Prepares a query. Code is shared through the cache.
    pub(crate) fn new(query: &Query<'a>, metric: Metric, cache: &JitCache) -> Objective<'a> {
        let terms = query.terms;
        let variables: Vec<(VarId, Sort)> =
            query.variables().into_iter().map(|var| (var, terms.var_sort(var))).collect();
        let position = |var: VarId, _| {
            let at = variables.binary_search_by_key(&var, |&(var, _)| var);
            at.expect("a literal's variable is the query's") as u32
        };
        let parts: Vec<&[Literal]> = if shares_most_terms(terms, query.literals) {
            vec![query.literals]
        } else {
            query.literals.iter().map(std::slice::from_ref).collect()
        };
        let groups: Vec<LiteralGroup<'a>> =
            parts.iter().map(|literals| LiteralGroup::new(terms, literals, position)).collect();
        let mut groups_of_variable = vec![Vec::new(); variables.len()];
        for (i, group) in groups.iter().enumerate() {
            for &variable in group.variables() {
                groups_of_variable[variable as usize].push(i as u32);
            }
        }
        let first_literal = parts.iter().scan(0, |first, part| {
            let this = *first;
            *first += part.len() as u32;
            Some(this)
        });
        Objective {
            first_literal: first_literal.collect(),
            n_literals: query.literals.len(),
            cache: cache.clone(),
            touched: Vec::new(),
            groups_of_variable,
            variables,
            groups,
            metric,
        }
    }

    /// The variables in the order of a point's entries.
    pub(crate) fn variables(&self) -> &[(VarId, Sort)] {
        &self.variables
    }

    /// The sort of a variable.
    pub(crate) fn sort(&self, variable: usize) -> Sort {
        self.variables[variable].1
    }

    /// How many literals there are.
    pub(crate) fn n_literals(&self) -> usize {
        self.n_literals
    }

    /// The variables that a literal may depend on.
    pub(crate) fn variables_of(&self, literal: usize) -> &[u32] {
        self.groups[self.group_of(literal)].variables()
    }

    /// Measures floats another way from now on.
    pub(crate) fn set_metric(&mut self, metric: Metric) {
        self.metric = metric;
    }

    /// The point of a valuation.
    pub(crate) fn point(&self, valuation: &Valuation) -> Vec<u64> {
        let bits = |&(var, _): &(VarId, Sort)| valuation.get(var).map_or(0, Value::bits);
        self.variables.iter().map(bits).collect()
    }

    /// The valuation of a point.
    pub(crate) fn model(&self, point: &[u64]) -> Valuation {
        let values = self.variables.iter().zip(point);
        values.map(|(&(var, sort), &bits)| (var, Value::from_bits(sort, bits))).collect()
    }

    /// The errors of all literals.
    pub(crate) fn errors(&mut self, point: &[u64]) -> Vec<f64> {
        let mut errors = vec![0.0; self.n_literals];
        for (group, &first) in self.groups.iter_mut().zip(&self.first_literal) {
            let report = |i: usize, side: SideError| errors[first as usize + i] = side.error;
            group.run(&self.cache, self.metric, point, report);
        }
        errors
    }

    /// Whether all literals hold; stops at the first that does not.
    pub(crate) fn holds(&mut self, point: &[u64]) -> bool {
        self.groups.iter_mut().all(|group| {
            let mut all = true;
            group.run(&self.cache, self.metric, point, |_, side| all &= side.error == 0.0);
            all
        })
    }

    /// The errors of the literals that some variables occur in, as `(literal, error)`, by literal.
    pub(crate) fn errors_touched(&mut self, point: &[u64], moved: &[usize]) -> &[(u32, f64)] {
        self.touched.clear();
        let all: Vec<u32>;
        let groups = match moved {
            [one] => &self.groups_of_variable[*one],
            _ => {
                let mut union: Vec<u32> =
                    moved.iter().flat_map(|&v| &self.groups_of_variable[v]).copied().collect();
                union.sort_unstable();
                union.dedup();
                all = union;
                &all
            }
        };
        for &group in groups {
            let first = self.first_literal[group as usize];
            let touched = &mut self.touched;
            let report = |i: usize, side: SideError| touched.push((first + i as u32, side.error));
            self.groups[group as usize].run(&self.cache, self.metric, point, report);
        }
        &self.touched
    }

    /// The comparison to change for a literal at a point.
    pub(crate) fn lead(&mut self, literal: usize, point: &[u64]) -> Lead {
        let group = self.group_of(literal);
        let wanted_literal = literal - self.first_literal[group] as usize;
        let mut lead = None;
        let group = &mut self.groups[group];
        group.run(&self.cache, self.metric, point, |i, side| {
            if i == wanted_literal {
                lead = Some(side);
            }
        });
        let side = lead.expect("a group reports all its literals");
        let errors = group.run_atom(&self.cache, self.metric, point, side.atom);
        Lead { atom: side.atom, wanted: side.wanted, difference: errors.difference }
    }

    /// The errors of one comparison of a literal at a point.
    pub(crate) fn atom_errors(&mut self, literal: usize, atom: u32, point: &[u64]) -> Errors {
        let group = self.group_of(literal);
        self.groups[group].run_atom(&self.cache, self.metric, point, atom)
    }

    /// A comparison of a literal.
    pub(crate) fn atom(&self, literal: usize, atom: u32) -> Atom {
        self.groups[self.group_of(literal)].atom(atom)
    }

    fn group_of(&self, literal: usize) -> usize {
        if self.groups.len() == 1 { 0 } else { literal }
    }
}

/// Whether evaluating literals one by one would repeat most of the work.
fn shares_most_terms(terms: &Terms, literals: &[Literal]) -> bool {
    let roots: Vec<_> = literals.iter().map(|literal| literal.term).collect();
    let limit = REPETITION_MAX * reachable(terms, &roots).len() + SMALL;
    let mut total = 0;
    for &root in &roots {
        total += reachable(terms, &[root]).len();
        if total > limit {
            return true;
        }
    }
    false
}
