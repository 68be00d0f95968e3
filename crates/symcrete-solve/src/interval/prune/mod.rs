//! Branch and prune: the sets of the inputs are halved until all halves are contradictory, or one holds a model.
//!
//! A box is a set for each input. Contraction shrinks it; then a linear relaxation over the reals with bounds for all
//! rounding (`relax.rs`) may show that nothing is left; then a few of its points are tried. What is
//! left is halved. (M. Fränzle et al., *Efficient Solving of Large Non-linear Arithmetic Constraint Systems with Complex Boolean Structure*,
//! JSAT 2007, for the scheme; C. Bobot, B. Marre et al., Colibri, for floats.)
//!
//! **Invariant:** a box is thrown away only if contraction or a verified linear proof shows it has no model, or if it is a single
//! point that the evaluator rejects. So `unsat` is a proof. A step is sixteen terms of a box.

mod linear_program;
mod poly;
mod relax;

use super::contract::{Contradiction, Network};
use super::domain::{Domain, Span, top_bit};
use super::{FUEL, FUEL_PER_TERM, TERMS_MAX, consistent, split};
use crate::lazy::LazyEvaluator;
use crate::search::domain::{from_number, to_number};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Node, Valuation, Value, VarId, reachable};

/// A box costs as many steps as it has terms, by so many.
const TERMS_PER_STEP: u64 = 16;

/// The solver.
#[derive(Default)]
pub struct BranchAndPrune {
    evaluator: LazyEvaluator,
}

impl BranchAndPrune {
    /// A solver; it makes no random choices.
    pub fn new() -> BranchAndPrune {
        BranchAndPrune::default()
    }
}

impl Solver for BranchAndPrune {
    fn name(&self) -> &'static str {
        "branch-and-prune"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let order = reachable(query.terms, &query.roots());
        if order.len() > TERMS_MAX {
            return Verdict::Unknown(Why::Unsupported(format!("{} terms", order.len())));
        }
        let fuel = FUEL + FUEL_PER_TERM * order.len() as u32;
        let mut network = Network::new(query.terms, &order, fuel);
        let start = network
            .demand(query, &order)
            .and_then(|()| consistent(&mut network))
            .and_then(|()| split(&mut network));
        if start == Err(Contradiction) {
            return Verdict::Unsat;
        }
        let variable = |(i, &term)| match query.terms.node(term) {
            Node::Var(var) => Some((var, i)),
            Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => None,
        };
        let inputs: Vec<(VarId, usize)> = order.iter().enumerate().filter_map(variable).collect();
        let widths = inputs.iter().map(|&(_, i)| width(network.domains[i])).collect();
        let mut search =
            Search { query, network, inputs, widths, fuel, evaluator: &mut self.evaluator };
        search.run(budget).unwrap_or_else(Verdict::Unknown)
    }
}

struct Search<'s, 'q, 'a> {
    query: &'q Query<'a>,
    network: Network<'a>,
    inputs: Vec<(VarId, usize)>,
    /// How wide each input was at the start.
    widths: Vec<f64>,
    fuel: u32,
    evaluator: &'s mut LazyEvaluator,
}

impl Search<'_, '_, '_> {
    fn run(&mut self, budget: &mut Budget) -> Result<Verdict, Why> {
        let mut open = vec![self.network.domains.clone()];
        while let Some(sets) = open.pop() {
            budget.charge(1 + self.network.steps.len() as u64 / TERMS_PER_STEP)?;
            self.network.restore(&sets);
            self.network.refuel(self.fuel);
            if consistent(&mut self.network) == Err(Contradiction) || relax::refutes(&self.network)
            {
                continue;
            }
            if let Some(model) = self.point() {
                return Ok(Verdict::Sat(model));
            }
            let Some((input, halves)) = self.widest() else { continue };
            for half in halves {
                let mut sets = self.network.domains.clone();
                sets[input] = half;
                open.push(sets);
            }
        }
        Ok(Verdict::Unsat)
    }

    /// A point of the box that is a model: its ends and its middle are tried. Of a box that is one point, all are.
    fn point(&mut self) -> Option<Valuation> {
        let variables: Vec<(VarId, Domain)> =
            self.inputs.iter().map(|&(var, i)| (var, self.network.domains[i])).collect();
        let mut middle = self.query.hint.clone();
        for &(var, domain) in &variables {
            middle.set(var, middle_of(domain)?);
        }
        let space = super::Space { variables };
        let points = space.points(self.query.hint).chain([middle]);
        let (terms, literals) = (self.query.terms, self.query.literals);
        let mut points = points;
        points.find(|point| self.evaluator.under(terms, point).all_hold(literals))
    }

    /// The input that has kept most of its width, and the halves of its set. `None` of a single point.
    fn widest(&self) -> Option<(usize, [Domain; 2])> {
        let mut widest: Option<(f64, usize)> = None;
        for (&(_, i), &at_start) in self.inputs.iter().zip(&self.widths) {
            let domain = self.network.domains[i];
            if domain.single().is_some() {
                continue;
            }
            let share = width(domain) / at_start.max(f64::MIN_POSITIVE);
            if widest.is_none_or(|(most, _)| share > most) {
                widest = Some((share, i));
            }
        }
        let (_, i) = widest?;
        Some((i, halves(self.network.domains[i])))
    }
}

/// How wide a set is: of floats the distance of its ends, of all others the count of its values.
fn width(domain: Domain) -> f64 {
    let spans = domain.parts().map(|(_, span)| (span.high - span.low) as f64 + 1.0);
    if !domain.sort.is_float() {
        return spans.sum();
    }
    let number = |place: i64| to_number(domain.sort, super::domain::bits_at(domain.sort, place));
    let distance = domain.range().map_or(0.0, |(low, high)| number(high) - number(low));
    // A set of one number and NaN is wider than one number.
    distance.min(f64::MAX) + f64::from(u8::from(domain.nan)) + f64::MIN_POSITIVE
}

/// Two parts of a set of more than one value that have all of it.
fn halves(domain: Domain) -> [Domain; 2] {
    let sort = domain.sort;
    if domain.nan {
        return [Domain::nan(sort), domain.without_nan()];
    }
    let [low, high] = domain.spans;
    let part = |side: usize, span: Span| {
        let mut part = Domain::empty(sort);
        part.spans[side] = span;
        part
    };
    if !low.is_empty() && !high.is_empty() {
        return [part(1, high), part(0, low)];
    }
    let (side, span) = if low.is_empty() { (1, high) } else { (0, low) };
    let middle = middle_bits(domain, span);
    [
        part(side, Span { low: span.low, high: middle }),
        part(side, Span { low: middle + 1, high: span.high }),
    ]
}

/// Bits at or above the low end of a span of at least two values, and below its high end.
fn middle_bits(domain: Domain, span: Span) -> u64 {
    let plain = span.low + (span.high - span.low) / 2;
    if !domain.sort.is_float() {
        return plain;
    }
    let sign = top_bit(domain.sort);
    let [least, most] = [span.low, span.high].map(|bits| to_number(domain.sort, bits & !sign));
    // Magnitudes are halved by their logarithm where they are far apart, and by their distance where they are not.
    let middle = if most > 1e6 && most / 1e3 > least {
        let from = from_number(domain.sort, least.max(1.0)) | (span.low & sign);
        from + (span.high - from) / 2
    } else {
        from_number(domain.sort, least / 2.0 + most / 2.0) | (span.low & sign)
    };
    middle.clamp(span.low, span.high - 1)
}

/// A value in the middle of a set.
fn middle_of(domain: Domain) -> Option<Value> {
    if let Some(value) = domain.single() {
        return Some(value);
    }
    let (_, span) = domain.parts().next()?;
    let bits = if span.low == span.high { span.low } else { middle_bits(domain, span) };
    Some(Value::from_bits(domain.sort, bits))
}

#[cfg(test)]
mod tests;
