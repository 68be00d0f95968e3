//! A refuter: proves that some queries have no model, by intervals. What is left of the sets is where to look for one.
//!
//! It is for what SMT solvers cannot take: calls of the math library, which are opaque but have known ranges
//! (`atan2` is within `[-pi, pi]`), and long chains of floats, which are slow as circuits. Every term has a
//! set of values (`domain`); the sets shrink until one is empty (`contract`), or until comparisons
//! contradict each other (`order`), or until both sides of some choice do (`split`). [`prune`] halves what is left.
//!
//! **Invariant:** it only says [`Ranges::Empty`] if no valuation satisfies the query. It is far from complete.

mod bits;
mod contract;
mod domain;
mod floats;
mod forward;
mod inverse;
mod math;
mod order;
pub mod prune;
#[cfg(test)]
mod tests;

use crate::Query;
use contract::{Contradiction, Network};
use domain::{Domain, End};
use forward::Step;
use symcrete_term::{Node, Op, TermId, Valuation, Value, VarId, reachable};

/// Larger queries are left alone.
const TERMS_MAX: usize = 5_000;
/// How many images are computed: so many for each query, and so many more for each of its terms. One takes about
/// a tenth of a microsecond.
const FUEL: u32 = 4_000;
const FUEL_PER_TERM: u32 = 8;
/// How many choices are split.
const SPLITS_MAX: usize = 8;

/// Whether the query provably has no model.
pub fn refutes(query: &Query<'_>) -> bool {
    matches!(ranges(query), Ranges::Empty)
}

/// What intervals say of a query.
pub enum Ranges {
    /// It has no model.
    Empty,
    /// All its models, if there are any, are within this.
    Within(Space),
}

/// Sets of values of a query's variables.
#[derive(Default)]
pub struct Space {
    variables: Vec<(VarId, Domain)>,
}

impl Space {
    /// A few points of the space: the one nearest to a valuation, then its ends.
    pub fn points(&self, near: &Valuation) -> impl Iterator<Item = Valuation> {
        [End::Nearest, End::Low, End::High].into_iter().filter_map(move |end| {
            let mut point = near.clone();
            for &(var, domain) in &self.variables {
                let old = near.get(var).unwrap_or_else(|| Value::zero(domain.sort));
                point.set(var, domain.end(end, old)?);
            }
            Some(point)
        })
    }
}

/// Shrinks the sets of a query's variables as far as it can. Queries that are too large say nothing.
pub fn ranges(query: &Query<'_>) -> Ranges {
    let order = reachable(query.terms, &query.roots());
    if order.len() > TERMS_MAX {
        return Ranges::Within(Space::default());
    }
    let fuel = FUEL + FUEL_PER_TERM * order.len() as u32;
    let mut network = Network::new(query.terms, &order, fuel);
    let outcome = network
        .demand(query, &order)
        .and_then(|()| consistent(&mut network))
        .and_then(|()| split(&mut network));
    if outcome == Err(Contradiction) {
        return Ranges::Empty;
    }
    let variable = |(&term, &domain): (&TermId, &Domain)| match query.terms.node(term) {
        Node::Var(var) => Some((var, domain)),
        Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => None,
    };
    let variables = order.iter().zip(&network.domains).filter_map(variable).collect();
    Ranges::Within(Space { variables })
}

/// What a float can be: the least and the greatest number, and whether NaN.
pub(crate) struct Hull {
    pub(crate) numbers: Option<(Value, Value)>,
    pub(crate) nan: bool,
}

/// What some terms of a query can be in its models; `None` if it has none. Of other sorts than floats it is everything.
pub(crate) fn hull_of_terms(query: &Query<'_>, terms: &[TermId]) -> Option<Vec<Hull>> {
    let order = reachable(query.terms, &query.roots());
    let mut network = Network::new(query.terms, &order, FUEL + FUEL_PER_TERM * order.len() as u32);
    let outcome = network.demand(query, &order).and_then(|()| network.propagate());
    if outcome == Err(Contradiction) {
        return None;
    }
    let hull = |term: &TermId| {
        let domain = network.domains[order.binary_search(term).expect("a term of the query")];
        let range = if domain.sort.is_float() { domain.range() } else { None };
        let value = |place| Value::from_bits(domain.sort, domain::bits_at(domain.sort, place));
        Hull { numbers: range.map(|(low, high)| (value(low), value(high))), nan: domain.nan }
    };
    Some(terms.iter().map(hull).collect())
}

/// The signed range of every bit-vector of a query.
pub(crate) struct Hulls {
    ranges: std::collections::BTreeMap<TermId, (i128, i128)>,
}

impl Hulls {
    /// The least and the greatest signed number that a bit-vector of the query can be.
    pub(crate) fn signed(&self, term: TermId) -> (i128, i128) {
        self.ranges[&term]
    }
}

/// The ranges of a query's bit-vectors; `None` if it has no model.
pub(crate) fn hulls(query: &Query<'_>) -> Option<Hulls> {
    let order = reachable(query.terms, &query.roots());
    let mut network = Network::new(query.terms, &order, FUEL + FUEL_PER_TERM * order.len() as u32);
    let outcome = network.demand(query, &order).and_then(|()| network.propagate());
    if outcome == Err(Contradiction) {
        return None;
    }
    let mut ranges = std::collections::BTreeMap::new();
    for (&term, domain) in order.iter().zip(&network.domains) {
        if matches!(domain.sort, symcrete_term::Sort::Bv(_)) {
            ranges.insert(term, bits::hull(domain.signed()).expect("no set is empty"));
        }
    }
    Some(Hulls { ranges })
}

fn consistent(network: &mut Network<'_>) -> Result<(), Contradiction> {
    network.propagate()?;
    order::check(network)
}

/// Takes each open choice both ways: one that leads to a contradiction leaves the other, two leave none. The newest
/// choices first: they are nearest to the target.
fn split(network: &mut Network<'_>) -> Result<(), Contradiction> {
    let mut choices: Vec<u32> =
        (0..network.steps.len()).filter_map(|i| choice(network, i)).collect();
    choices.sort_unstable();
    choices.dedup();
    let mut saved = Vec::with_capacity(network.domains.len());
    for &choice in choices.iter().rev().take(SPLITS_MAX) {
        let choice = choice as usize;
        for truth in [true, false] {
            if network.is_out_of_fuel() {
                return Ok(());
            }
            saved.clone_from(&network.domains);
            let assumed = network.cut(choice, Domain::truth(truth));
            let outcome = assumed.and_then(|()| consistent(network));
            network.restore(&saved);
            if outcome == Err(Contradiction) {
                network.cut(choice, Domain::truth(!truth))?;
                consistent(network)?;
            }
        }
    }
    Ok(())
}

/// The undecided condition that a term chooses by.
fn choice(network: &Network<'_>, i: usize) -> Option<u32> {
    let Step::App { op, .. } = network.steps[i] else { return None };
    let condition = *network.args(i).first()?;
    let decided = network.domains[i].decided();
    let is_choice = op == Op::Ite
        || (op == Op::Or && decided == Some(true))
        || (op == Op::And && decided == Some(false));
    let is_open = network.domains[condition as usize].decided().is_none();
    (is_choice && is_open).then_some(condition)
}
