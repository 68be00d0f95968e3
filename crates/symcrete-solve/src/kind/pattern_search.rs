//! Pattern search, the direct search of Hooke and Jeeves 1961: the simplest descent that needs no derivative, to compare
//! others with.
//!
//! From a base point each variable is moved by its step, up and then down, and what lowers the sum of errors stays. If
//! anything did, the whole move is made once more from there, and steps double; if nothing did, they halve. When all
//! steps are below the smallest that changes a value, the search starts again somewhere else. A step of the budget is
//! one evaluated point.

use crate::error::Metric;
use crate::jit::JitCache;
use crate::random::{Draws, Source};
use crate::search::Objective;
use crate::search::domain::{from_number, to_number};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::Seed;

/// A first step.
const STEP: f64 = 1.0;
/// Steps below this start the search again: it changes no integer, and floats hardly.
const STEP_MIN: f64 = 1e-12;

pub(super) struct PatternSearch {
    seed: Seed,
    cache: JitCache,
}

impl PatternSearch {
    pub(super) fn new(seed: Seed) -> PatternSearch {
        PatternSearch { seed: seed.derive("solver/pattern-search"), cache: JitCache::new() }
    }
}

impl Solver for PatternSearch {
    fn name(&self) -> &'static str {
        "pattern-search"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let mut objective = Objective::new(query, Metric::Absolute, &self.cache);
        let source = Source::new(query, Draws::Mixed);
        let mut rng = query.seed(self.seed).rng();
        let mut start = objective.point(query.hint);
        loop {
            match descend(&mut objective, &start, budget) {
                Ok(Some(point)) => return Verdict::Sat(objective.model(&point)),
                Ok(None) => start = source.point(&mut rng, objective.variables()),
                Err(why) => return Verdict::Unknown(why),
            }
        }
    }
}

/// A point as numbers, and the sum of errors there.
#[derive(Clone)]
struct Place {
    numbers: Vec<f64>,
    error: f64,
}

/// A solution below a point; `None` if the descent ends above.
fn descend(
    objective: &mut Objective<'_>,
    start: &[u64],
    budget: &mut Budget,
) -> Result<Option<Vec<u64>>, Why> {
    let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
    let number = |(i, &bits): (usize, &u64)| finite(to_number(objective.sort(i), bits));
    let numbers: Vec<f64> = start.iter().enumerate().map(number).collect();
    let mut base = evaluated(objective, numbers, budget)?;
    let mut step = STEP;
    while base.error > 0.0 && step >= STEP_MIN {
        let mut next = explored(objective, base.clone(), step, budget)?;
        if next.error >= base.error {
            step /= 2.0;
            continue;
        }
        // Once more in the same direction.
        let further = next.numbers.iter().zip(&base.numbers).map(|(to, from)| 2.0 * to - from);
        let further = evaluated(objective, further.collect(), budget)?;
        base = next.clone();
        if further.error < next.error {
            next = explored(objective, further, step, budget)?;
            base = if next.error < base.error { next } else { base };
        }
        step *= 2.0;
    }
    Ok((base.error == 0.0).then(|| point(objective, &base.numbers)))
}

/// Each variable is moved, and stays where the error is less.
fn explored(
    objective: &mut Objective<'_>,
    mut place: Place,
    step: f64,
    budget: &mut Budget,
) -> Result<Place, Why> {
    for i in 0..place.numbers.len() {
        for amount in [step, -step] {
            let mut numbers = place.numbers.clone();
            numbers[i] += amount;
            let moved = evaluated(objective, numbers, budget)?;
            if moved.error < place.error {
                place = moved;
                break;
            }
        }
    }
    Ok(place)
}

fn evaluated(
    objective: &mut Objective<'_>,
    numbers: Vec<f64>,
    budget: &mut Budget,
) -> Result<Place, Why> {
    budget.charge(1)?;
    let error = objective.errors(&point(objective, &numbers)).iter().sum();
    Ok(Place { numbers, error })
}

fn point(objective: &Objective<'_>, numbers: &[f64]) -> Vec<u64> {
    let bits = |(i, &number): (usize, &f64)| from_number(objective.sort(i), number);
    numbers.iter().enumerate().map(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Op, Rounding, Sort, Terms, Valuation, Value};

    /// A point on a circle, and on a line through it.
    #[test]
    fn it_descends_to_a_curve() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::F64));
        let mut app = |op, a, b| terms.rounded(op, Rounding::NearestEven, &[a, b]);
        let (xx, yy) = (app(Op::FpMul, x, x), app(Op::FpMul, y, y));
        let sum = app(Op::FpAdd, xx, yy);
        let [twenty_five, three] = [25.0, 3.0].map(|k| terms.constant(Value::f64(k)));
        let circle = terms.app(Op::FpEq, &[sum, twenty_five]);
        let line = terms.app(Op::FpEq, &[x, three]);
        let literals = [Literal::holds(circle), Literal::holds(line)];
        let hint = Valuation::new();
        let query = Query { terms: &terms, literals: &literals, hint: &hint };
        let verdict = PatternSearch::new(Seed(1)).solve(&query, &mut Budget::of_steps(100_000));
        let Verdict::Sat(model) = verdict else { panic!("{verdict:?}") };
        assert!(query.accepts(&model));
    }
}
