//! Three stages towards a model of float conditions: far away, near, and in the last places.
//!
//! 1. *Residuals.* The squared errors of all literals are summed and brought down by conjugate gradients over the floats. Linear equations
//!    between floats are kept by projection: points and directions lose what leaves them, so the search has fewer dimensions and no
//!    narrow valley to follow.
//! 2. *Units in the last place.* The same errors counted in floats that lie between, where what is far apart in value may be near;
//!    one variable moves at a time, by powers of two of its own neighbours.
//! 3. *Lattice.* Near a solution equations hold but for rounding. Floats are points of a lattice, and several move by a few places at
//!    once.
//!
//! The order of the stages is StageSAT's (2026); what happens within them is our own. Stages repeat from drawn starts.
//! Integers stay as drawn in the first stage and move with the others in the next two. A step is one evaluated point.

use crate::concolic_walk::least_squares;
use crate::error::Metric;
use crate::jit::JitCache;
use crate::linear::form::{Relation, Rows};
use crate::random::{Draws, Source};
use crate::search::Objective;
use crate::search::domain::{from_number, power_of_two, stepped, to_number};
use crate::{Budget, Query, Solver, Verdict, Why};
use symcrete_term::{Rng, Seed};

/// Gradients of the first stage, and halvings of a step.
const GRADIENTS_MAX: usize = 40;
const HALVINGS_MAX: usize = 24;
/// More floats make gradients too dear.
const FLOATS_MAX: usize = 64;
/// The largest first move of the second stage, as a power of two of neighbours.
const REACH: u32 = 54;
/// Points of the third stage for each variable and radius.
const LATTICE_POINTS: usize = 24;
/// Larger errors are as bad: their squares must stay finite.
const ERROR_MAX: f64 = 1e100;

/// The solver. See the module.
pub(crate) struct StagedDescent {
    seed: Seed,
    cache: JitCache,
}

impl StagedDescent {
    /// The name in the registry.
    pub(crate) const NAME: &'static str = "staged-descent";

    /// The same seed and query give the same descent.
    pub(crate) fn new(seed: Seed) -> StagedDescent {
        StagedDescent { seed: seed.derive("solver/staged-descent"), cache: JitCache::new() }
    }
}

impl Solver for StagedDescent {
    fn name(&self) -> &'static str {
        StagedDescent::NAME
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let objective = Objective::new(query, Metric::Absolute, &self.cache);
        let floats: Vec<usize> = (0..objective.variables().len())
            .filter(|&variable| objective.sort(variable).is_float())
            .collect();
        if floats.is_empty() || floats.len() > FLOATS_MAX {
            return Verdict::Unknown(Why::GaveUp);
        }
        let equations = Equations::of(query, &objective, &floats);
        let rng = query.seed(self.seed).rng();
        let mut search = Search { objective, floats, equations, rng };
        match search.run(query, budget) {
            Ok(never) => match never {},
            Err(End::Solved(point)) => Verdict::Sat(search.objective.model(&point)),
            Err(End::Stopped(why)) => Verdict::Unknown(why),
        }
    }
}

/// Ends the search: a solution, or the end of the budget.
enum End {
    Solved(Vec<u64>),
    Stopped(Why),
}

impl From<Why> for End {
    fn from(why: Why) -> End {
        End::Stopped(why)
    }
}

/// Linear equations between floats: `matrix · x = bounds`, with a column for each float.
struct Equations {
    matrix: Vec<Vec<f64>>,
    bounds: Vec<f64>,
}

impl Equations {
    fn of(query: &Query<'_>, objective: &Objective<'_>, floats: &[usize]) -> Equations {
        let mut equations = Equations { matrix: Vec::new(), bounds: Vec::new() };
        for row in Rows::of(query, objective.variables()).rows {
            let column = |variable: usize| floats.iter().position(|&float| float == variable);
            let entries: Option<Vec<(usize, f64)>> =
                row.terms.iter().map(|&(variable, a)| Some((column(variable)?, a))).collect();
            if let (Relation::Equal, Some(entries)) = (row.relation, entries)
                && equations.matrix.len() < floats.len()
            {
                let mut line = vec![0.0; floats.len()];
                entries.into_iter().for_each(|(column, a)| line[column] = a);
                equations.matrix.push(line);
                equations.bounds.push(row.bound);
            }
        }
        equations
    }

    /// The nearest vector with `matrix · vector = bounds`; the vector itself if there is none, or no equation.
    fn project(&self, vector: &mut [f64], bounds: &[f64]) {
        if self.matrix.is_empty() {
            return;
        }
        let residuals: Vec<f64> =
            self.matrix.iter().zip(bounds).map(|(row, bound)| dot(row, vector) - bound).collect();
        if let Some(step) = least_squares(&self.matrix, &residuals, 0.0) {
            vector.iter_mut().zip(step).for_each(|(x, step)| *x += step);
        }
    }

    fn project_point(&self, numbers: &mut [f64]) {
        self.project(numbers, &self.bounds);
    }

    /// What of a direction keeps the equations.
    fn project_direction(&self, direction: &mut [f64]) {
        self.project(direction, &vec![0.0; self.bounds.len()]);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

struct Search<'a> {
    objective: Objective<'a>,
    floats: Vec<usize>,
    equations: Equations,
    rng: Rng,
}

impl Search<'_> {
    fn run(
        &mut self,
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Result<std::convert::Infallible, End> {
        let source = Source::new(query, Draws::Mixed);
        let hint = source.first(&mut self.rng, query, self.objective.variables());
        let mut point = self.objective.point(&hint);
        loop {
            self.objective.set_metric(Metric::Absolute);
            self.follow_residuals(&mut point, budget)?;
            self.objective.set_metric(Metric::Ulp);
            self.follow_places(&mut point, budget)?;
            self.search_lattice(&mut point, budget)?;
            point = source.point(&mut self.rng, self.objective.variables());
        }
    }

    /// The sum of the errors at a point, each raised to a power of one or two.
    fn total(&mut self, point: &[u64], power: i32, budget: &mut Budget) -> Result<f64, End> {
        budget.charge(1)?;
        let errors = self.objective.errors(point);
        if errors.iter().all(|&error| error == 0.0) {
            return Err(End::Solved(point.to_vec()));
        }
        let raised = |error: f64| match power {
            2 => error.min(ERROR_MAX) * error.min(ERROR_MAX),
            _ => error.min(ERROR_MAX),
        };
        Ok(errors.into_iter().map(raised).sum())
    }

    /// The first stage.
    fn follow_residuals(&mut self, point: &mut Vec<u64>, budget: &mut Budget) -> Result<(), End> {
        let mut numbers: Vec<f64> = self.floats.iter().map(|&v| self.number(point, v)).collect();
        self.equations.project_point(&mut numbers);
        *point = self.with_floats(point, &numbers);
        let mut best = self.total(point, 2, budget)?;
        let (mut before, mut direction) = (Vec::new(), vec![0.0; numbers.len()]);
        for _ in 0..GRADIENTS_MAX {
            let gradient = self.gradient(point, best, budget)?;
            conjugate(&mut direction, &gradient, &before);
            self.equations.project_direction(&mut direction);
            let slope = dot(&direction, &gradient);
            if slope.is_nan() || slope >= 0.0 {
                direction = gradient.iter().map(|g| -g).collect();
                self.equations.project_direction(&mut direction);
            }
            before = gradient;
            // Where the model of a square would have its zero.
            let length = 2.0 * best / dot(&direction, &direction);
            let Some((moved, found)) =
                self.along(point, &numbers, &direction, (length, best), budget)?
            else {
                break;
            };
            (numbers, best) = (moved, found);
            *point = self.with_floats(point, &numbers);
        }
        Ok(())
    }

    /// The best of some steps along a direction, if one is better than where it starts.
    fn along(
        &mut self,
        point: &[u64],
        numbers: &[f64],
        direction: &[f64],
        (mut length, start): (f64, f64),
        budget: &mut Budget,
    ) -> Result<Option<(Vec<f64>, f64)>, End> {
        if !length.is_finite() {
            return Ok(None);
        }
        let mut best: Option<(Vec<f64>, f64)> = None;
        for _ in 0..HALVINGS_MAX {
            let moved: Vec<f64> =
                numbers.iter().zip(direction).map(|(x, d)| x + length * d).collect();
            let found = self.total(&self.with_floats(point, &moved), 2, budget)?;
            let goal = best.as_ref().map_or(start, |(_, found)| *found);
            if found < goal {
                best = Some((moved, found));
            } else if best.is_some() {
                break;
            }
            length *= 0.5;
        }
        Ok(best)
    }

    /// Divided differences of the sum of squares.
    fn gradient(&mut self, point: &[u64], here: f64, budget: &mut Budget) -> Result<Vec<f64>, End> {
        let mut gradient = Vec::with_capacity(self.floats.len());
        for at in 0..self.floats.len() {
            let variable = self.floats[at];
            let sort = self.objective.sort(variable);
            let number = self.number(point, variable);
            let places = if sort.bits() == 64 { -26 } else { -12 };
            let width = number.abs().max(power_of_two(-20)) * power_of_two(places);
            let mut there = point.to_vec();
            there[variable] = from_number(sort, number + width);
            let width = to_number(sort, there[variable]) - number;
            let slope = (self.total(&there, 2, budget)? - here) / width;
            gradient.push(if slope.is_finite() { slope } else { 0.0 });
        }
        Ok(gradient)
    }

    /// The second stage.
    fn follow_places(&mut self, point: &mut [u64], budget: &mut Budget) -> Result<(), End> {
        let mut best = self.total(point, 1, budget)?;
        let mut reach = REACH;
        loop {
            let mut improved = false;
            for variable in 0..point.len() {
                let (sort, old) = (self.objective.sort(variable), point[variable]);
                for sign in [1, -1] {
                    point[variable] = stepped(sort, old, sign << reach);
                    let found = self.total(point, 1, budget)?;
                    if found < best {
                        (best, improved) = (found, true);
                        break;
                    }
                    point[variable] = old;
                }
            }
            match (improved, reach) {
                (true, _) => reach = (reach + 1).min(REACH),
                (false, 0) => return Ok(()),
                (false, _) => reach -= 1,
            }
        }
    }

    /// The third stage: several variables move by a few places at once, further and further.
    fn search_lattice(&mut self, point: &mut Vec<u64>, budget: &mut Budget) -> Result<(), End> {
        let mut best = self.total(point, 1, budget)?;
        for radius in [1, 2, 4, 8, 16] {
            for _ in 0..LATTICE_POINTS * point.len() {
                let mut moved = point.clone();
                for (variable, bits) in moved.iter_mut().enumerate() {
                    if self.rng.one_in(2) {
                        let n = self.rng.between(-radius, radius);
                        *bits = stepped(self.objective.sort(variable), *bits, n);
                    }
                }
                let found = self.total(&moved, 1, budget)?;
                // A point that is as good is another place to look from.
                if found <= best {
                    (*point, best) = (moved, found);
                }
            }
        }
        Ok(())
    }

    fn number(&self, point: &[u64], variable: usize) -> f64 {
        let number = to_number(self.objective.sort(variable), point[variable]);
        if number.is_finite() { number } else { 0.0 }
    }

    fn with_floats(&self, point: &[u64], numbers: &[f64]) -> Vec<u64> {
        let mut moved = point.to_vec();
        for (&variable, &number) in self.floats.iter().zip(numbers) {
            moved[variable] = from_number(self.objective.sort(variable), number);
        }
        moved
    }
}

/// Polak and Ribière's direction; the steepest descent where that is none.
fn conjugate(direction: &mut Vec<f64>, gradient: &[f64], before: &[f64]) {
    let kept = match before.len() == gradient.len() {
        true => {
            let change: Vec<f64> = gradient.iter().zip(before).map(|(g, b)| g - b).collect();
            (dot(gradient, &change) / dot(before, before)).max(0.0)
        }
        false => 0.0,
    };
    let kept = if kept.is_finite() { kept } else { 0.0 };
    *direction = gradient.iter().zip(direction.iter()).map(|(g, d)| kept * d - g).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Op, Rounding, Sort, TermId, Terms, Valuation, Value};

    fn app(terms: &mut Terms, op: Op, a: TermId, b: TermId) -> TermId {
        terms.rounded(op, Rounding::NearestEven, &[a, b])
    }

    fn solve(terms: &Terms, literals: &[Literal], steps: u64) -> Verdict {
        let hint = Valuation::new();
        let query = Query { terms, literals, hint: &hint };
        let verdict = StagedDescent::new(Seed(3)).solve(&query, &mut Budget::of_steps(steps));
        if let Verdict::Sat(model) = &verdict {
            assert!(query.accepts(model));
        }
        verdict
    }

    /// A curved equation on a plane that another one gives.
    #[test]
    fn equations_are_kept_while_others_are_solved() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.var(name, Sort::F64));
        let constant = |terms: &mut Terms, k: f64| terms.constant(Value::f64(k));
        let (ten, fifty) = (constant(&mut terms, 10.0), constant(&mut terms, 50.0));
        let sum = app(&mut terms, Op::FpAdd, x, y);
        let sum = app(&mut terms, Op::FpAdd, sum, z);
        let plane = Literal::holds(terms.app(Op::FpEq, &[sum, ten]));
        let [xx, yy] = [x, y].map(|v| app(&mut terms, Op::FpMul, v, v));
        let square = app(&mut terms, Op::FpAdd, xx, yy);
        let circle = Literal::holds(terms.app(Op::FpEq, &[square, fifty]));
        let below = Literal::holds(terms.app(Op::FpLt, &[x, y]));
        let verdict = solve(&terms, &[plane, circle, below], 200_000);
        assert_eq!(verdict.word(), "sat", "{verdict:?}");
    }

    /// What is far in value and near in floats.
    #[test]
    fn tiny_and_huge_numbers_are_reached() {
        for k in [1e-300, 3.7e250, -4e-17] {
            let mut terms = Terms::new();
            let x = terms.var("x", Sort::F64);
            let three = terms.constant(Value::f64(3.0));
            let product = app(&mut terms, Op::FpMul, x, three);
            let wanted = terms.constant(Value::f64(k * 3.0));
            let literal = Literal::holds(terms.app(Op::FpEq, &[product, wanted]));
            assert_eq!(solve(&terms, &[literal], 100_000).word(), "sat", "{k}");
        }
    }

    #[test]
    fn it_gives_up_without_floats_and_repeats_itself() {
        let mut terms = Terms::new();
        let (x, n) = (terms.var("x", Sort::F64), terms.var("n", Sort::Bv(32)));
        let seven = terms.bv(32, 7);
        let integer = Literal::holds(terms.eq(n, seven));
        assert_eq!(solve(&terms, &[integer], 1_000), Verdict::Unknown(Why::GaveUp));
        let one = terms.constant(Value::f64(1.0));
        let square = app(&mut terms, Op::FpMul, x, x);
        let float = Literal::holds(terms.app(Op::FpLt, &[one, square]));
        let first = solve(&terms, &[integer, float], 50_000);
        assert_eq!(first.word(), "sat");
        assert_eq!(first, solve(&terms, &[integer, float], 50_000));
    }
}
