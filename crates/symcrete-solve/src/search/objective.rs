//! A query as errors to be brought to zero.
//!
//! Each literal is evaluated on its own, so that a move of one variable costs only the literals it
//! occurs in, and equal shapes share machine code. Where literals share most of their terms (a long
//! computation compared at every step) that would repeat the work; then all are evaluated together.

use crate::Query;
use crate::error::{Errors, Metric};
use crate::jit::JitCache;
use crate::search::skeleton::{Atom, Side};
use crate::search::unit::Unit;
use symcrete_term::{Literal, Sort, Terms, Valuation, Value, VarId, reachable};

/// Separate evaluation may cost at most this many times the terms of a common one.
const REPETITION_MAX: usize = 4;
/// Queries below this size are always evaluated by literal.
const SMALL: usize = 2_000;

/// The literals of a query with their evaluators.
pub struct Objective<'a> {
    variables: Vec<(VarId, Sort)>,
    units: Vec<Unit<'a>>,
    first_literal: Vec<u32>,
    units_of_variable: Vec<Vec<u32>>,
    n_literals: usize,
    metric: Metric,
    cache: JitCache,
    touched: Vec<(u32, f64)>,
}

/// The comparison that leads a literal's error at some point.
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    /// Which comparison of the literal's unit.
    pub atom: u32,
    /// What it must become.
    pub wanted: bool,
    /// Left minus right.
    pub difference: f64,
}

impl<'a> Objective<'a> {
    /// Prepares a query. Code is shared through the cache.
    pub fn new(query: &Query<'a>, metric: Metric, cache: &JitCache) -> Objective<'a> {
        let terms = query.terms;
        let variables: Vec<(VarId, Sort)> =
            query.variables().into_iter().map(|var| (var, terms.var_sort(var))).collect();
        let position = |var: VarId, _| {
            let at = variables.binary_search_by_key(&var, |&(var, _)| var);
            at.expect("a literal's variable is the query's") as u32
        };
        let groups: Vec<&[Literal]> = if shares_most_terms(terms, query.literals) {
            vec![query.literals]
        } else {
            query.literals.iter().map(std::slice::from_ref).collect()
        };
        let units: Vec<Unit<'a>> =
            groups.iter().map(|literals| Unit::new(terms, literals, position)).collect();
        let mut units_of_variable = vec![Vec::new(); variables.len()];
        for (i, unit) in units.iter().enumerate() {
            for &variable in unit.variables() {
                units_of_variable[variable as usize].push(i as u32);
            }
        }
        let first_literal = groups.iter().scan(0, |first, group| {
            let this = *first;
            *first += group.len() as u32;
            Some(this)
        });
        Objective {
            first_literal: first_literal.collect(),
            n_literals: query.literals.len(),
            cache: cache.clone(),
            touched: Vec::new(),
            units_of_variable,
            variables,
            units,
            metric,
        }
    }

    /// The variables in the order of a point's entries.
    pub fn variables(&self) -> &[(VarId, Sort)] {
        &self.variables
    }

    /// The sort of a variable.
    pub fn sort(&self, variable: usize) -> Sort {
        self.variables[variable].1
    }

    /// How many literals there are.
    pub fn n_literals(&self) -> usize {
        self.n_literals
    }

    /// The variables that a literal may depend on.
    pub fn variables_of(&self, literal: usize) -> &[u32] {
        self.units[self.unit_of(literal)].variables()
    }

    /// Measures floats another way from now on.
    pub fn set_metric(&mut self, metric: Metric) {
        self.metric = metric;
    }

    /// The point of a valuation.
    pub fn point(&self, valuation: &Valuation) -> Vec<u64> {
        let bits = |&(var, _): &(VarId, Sort)| valuation.get(var).map_or(0, Value::bits);
        self.variables.iter().map(bits).collect()
    }

    /// The valuation of a point.
    pub fn model(&self, point: &[u64]) -> Valuation {
        let values = self.variables.iter().zip(point);
        values.map(|(&(var, sort), &bits)| (var, Value::from_bits(sort, bits))).collect()
    }

    /// The errors of all literals.
    pub fn errors(&mut self, point: &[u64]) -> Vec<f64> {
        let mut errors = vec![0.0; self.n_literals];
        for (unit, &first) in self.units.iter_mut().zip(&self.first_literal) {
            let report = |i: usize, side: Side| errors[first as usize + i] = side.error;
            unit.run(&self.cache, self.metric, point, report);
        }
        errors
    }

    /// Whether all literals hold; stops at the first that does not.
    pub fn holds(&mut self, point: &[u64]) -> bool {
        self.units.iter_mut().all(|unit| {
            let mut all = true;
            unit.run(&self.cache, self.metric, point, |_, side| all &= side.error == 0.0);
            all
        })
    }

    /// The errors of the literals that some variables occur in, as `(literal, error)`, by literal.
    pub fn errors_touched(&mut self, point: &[u64], moved: &[usize]) -> &[(u32, f64)] {
        self.touched.clear();
        let all: Vec<u32>;
        let units = match moved {
            [one] => &self.units_of_variable[*one],
            _ => {
                let mut union: Vec<u32> =
                    moved.iter().flat_map(|&v| &self.units_of_variable[v]).copied().collect();
                union.sort_unstable();
                union.dedup();
                all = union;
                &all
            }
        };
        for &unit in units {
            let first = self.first_literal[unit as usize];
            let touched = &mut self.touched;
            let report = |i: usize, side: Side| touched.push((first + i as u32, side.error));
            self.units[unit as usize].run(&self.cache, self.metric, point, report);
        }
        &self.touched
    }

    /// The comparison to change for a literal at a point.
    pub fn lead(&mut self, literal: usize, point: &[u64]) -> Lead {
        let unit = self.unit_of(literal);
        let wanted_literal = literal - self.first_literal[unit] as usize;
        let mut lead = None;
        let unit = &mut self.units[unit];
        unit.run(&self.cache, self.metric, point, |i, side| {
            if i == wanted_literal {
                lead = Some(side);
            }
        });
        let side = lead.expect("a unit reports all its literals");
        let errors = unit.run_atom(&self.cache, self.metric, point, side.atom);
        Lead { atom: side.atom, wanted: side.wanted, difference: errors.difference }
    }

    /// The errors of one comparison of a literal at a point.
    pub fn atom_errors(&mut self, literal: usize, atom: u32, point: &[u64]) -> Errors {
        let unit = self.unit_of(literal);
        self.units[unit].run_atom(&self.cache, self.metric, point, atom)
    }

    /// A comparison of a literal.
    pub fn atom(&self, literal: usize, atom: u32) -> Atom {
        self.units[self.unit_of(literal)].atom(atom)
    }

    fn unit_of(&self, literal: usize) -> usize {
        if self.units.len() == 1 { 0 } else { literal }
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
