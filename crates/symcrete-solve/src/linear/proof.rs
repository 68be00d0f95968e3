//! Proofs by linear arithmetic that a query of bit-vectors has no model, exact on machine integers.
//!
//! Every term is a signed integer. A sum is that of the integers minus `2^w q` for a whole number `q` of wraps, which the
//! ranges of its parts bound; where they show that nothing wraps, `q` is not there. Quotients and remainders
//! by constants, extensions, extracts and shifts are linear in the same way. All other terms are
//! variables within their ranges, and literals that are no comparisons are left out: both only widen
//! what is possible. The simplex is exact, so what it contradicts has no model.
//!
//! Whole numbers are found by branching; a point that is found is a proposal for a model.

use super::encode::{Encoded, encode};
use super::ratio::Ratio;
use super::simplex::{Bounds, Checked, Simplex};
use crate::Query;
use symcrete_term::{Valuation, Value};

/// Branches on a fraction or a disequality.
const BRANCHINGS_MAX: u32 = 64;
/// Pivots of one check.
const PIVOTS_MAX: u32 = 200;

/// What linear arithmetic says about a query.
pub enum Linear {
    /// It has no model.
    Contradiction,
    /// This may be a model: the literals that are linear hold there.
    Point(Valuation),
    /// Nothing.
    Open,
}

/// Whether linear arithmetic proves that a query has no model.
pub fn refutes(query: &Query<'_>) -> bool {
    matches!(decide(query), Linear::Contradiction)
}

/// What linear arithmetic says about a query.
pub fn decide(query: &Query<'_>) -> Linear {
    let encoded = match encode(query) {
        Some(Encoded::Empty) => return Linear::Contradiction,
        Some(Encoded::System(system)) => system,
        None => return Linear::Open,
    };
    let mut open = vec![encoded.simplex.clone()];
    let mut has_gap = false;
    for _ in 0..BRANCHINGS_MAX {
        let Some(mut simplex) = open.pop() else { break };
        match simplex.check(PIVOTS_MAX) {
            Checked::Contradiction => continue,
            Checked::Open => {
                has_gap = true;
                continue;
            }
            Checked::Within => {}
        }
        let Some((variable, low, high)) = encoded.branch(&simplex) else {
            return Linear::Point(encoded.point(query, &simplex));
        };
        for to in [high, low] {
            let mut half = simplex.clone();
            match half.tighten(variable, to) {
                Ok(()) => open.push(half),
                Err(Checked::Contradiction) => {}
                Err(Checked::Within | Checked::Open) => has_gap = true,
            }
        }
    }
    if open.is_empty() && !has_gap { Linear::Contradiction } else { Linear::Open }
}

impl super::encode::System {
    /// A variable that is not whole, or a difference that must not be zero, and the two sides of it.
    fn branch(&self, simplex: &Simplex<Ratio>) -> Option<(usize, Bounds<Ratio>, Bounds<Ratio>)> {
        let around = |variable: usize, below: i128, above: i128| {
            let Bounds { low, high } = simplex.bounds(variable);
            let (below, above) = (Ratio::whole(below), Ratio::whole(above));
            (variable, Bounds { low, high: below }, Bounds { low: above, high })
        };
        for &variable in &self.variables {
            let value = simplex.value(variable);
            if value.as_whole().is_none() {
                return Some(around(variable, value.floor(), value.floor() + 1));
            }
        }
        let zero = |&&variable: &&usize| simplex.value(variable).is_zero();
        self.differences.iter().find(zero).map(|&variable| around(variable, -1, 1))
    }

    fn point(&self, query: &Query<'_>, simplex: &Simplex<Ratio>) -> Valuation {
        let mut point = query.hint.clone();
        for &(var, variable) in &self.inputs {
            let sort = query.terms.var_sort(var);
            let whole = simplex.value(variable).as_whole().expect("branching made it whole");
            point.set(var, Value::from_bits(sort, whole as u64 & sort.mask()));
        }
        point
    }
}

#[cfg(test)]
mod tests;
