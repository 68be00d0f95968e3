//! Points of a polytope: a linear program for reals, branch and bound for integers.
//!
//! Deviation from Dinges and Agha 2014, who take whatever point their solver returns: among the points of the
//! smallest box that has one, the point is pushed away from all inequalities by a common slack, so that
//! rounding to integers and strict inequalities survive. A random objective makes points differ.
//!
//! A point is a proposal: callers have the evaluator check it.

use crate::linear::form::{Relation, Row};
use crate::search::domain::{from_number, integer_range, to_number};
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};
use symcrete_term::{Rng, Sort};

/// Larger systems cost more than the search they would help.
const ROWS_MAX: usize = 600;
/// Boxes around the origin in which a point is looked for, one after the other.
const BOXES: [f64; 4] = [8.0, 1e3, 1e6, 1e12];
/// Branchings on the way to an integer point.
const BRANCHINGS_MAX: u64 = 200;

/// Linear rows over numbered variables.
pub(crate) struct Polytope {
    rows: Vec<Row>,
    used: Vec<bool>,
}

impl Polytope {
    /// The polytope of rows over that many variables; `None` if it is too large to be solved.
    pub(crate) fn new(rows: Vec<Row>, n_variables: usize) -> Option<Polytope> {
        let mut used = vec![false; n_variables];
        for &(variable, _) in rows.iter().flat_map(|row| &row.terms) {
            used[variable] = true;
        }
        (rows.len() <= ROWS_MAX).then_some(Polytope { rows, used })
    }

    /// The equalities.
    pub(crate) fn equalities(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.relation == Relation::Equal)
    }

    /// Sets the variables that occur in rows to a point of the polytope. `false` if none was found.
    pub(crate) fn place(&self, rng: &mut Rng, sorts: &[Sort], point: &mut [u64]) -> bool {
        if self.rows.is_empty() {
            return true;
        }
        let objective: Vec<f64> = sorts.iter().map(|_| rng.fraction() - 0.5).collect();
        let integral = sorts.iter().zip(&self.used).any(|(sort, &used)| used && !sort.is_float());
        for size in BOXES {
            for whole in [false, true] {
                if whole && !integral {
                    continue;
                }
                let program = Program { sorts, objective: &objective, size, whole };
                if let Some(values) = self.solve(&program) {
                    for (i, value) in values.into_iter().enumerate().filter(|&(i, _)| self.used[i])
                    {
                        point[i] = from_number(sorts[i], value);
                    }
                    if self.contains(sorts, point) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether a point is inside, up to rounding of the sums.
    fn contains(&self, sorts: &[Sort], point: &[u64]) -> bool {
        self.rows.iter().all(|row| {
            let products = row.terms.iter().map(|&(i, a)| a * to_number(sorts[i], point[i]));
            let (sum, size) = products.fold((0.0, row.bound.abs()), |(sum, size), product| {
                (sum + product, size + f64::abs(product))
            });
            let slack = size * 1e-12;
            match row.relation {
                Relation::AtMost | Relation::Less => sum <= row.bound + slack,
                Relation::Equal => (sum - row.bound).abs() <= slack,
            }
        })
    }

    fn solve(&self, program: &Program<'_>) -> Option<Vec<f64>> {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let variables: Vec<Option<Variable>> = (0..self.used.len())
            .map(|i| self.used[i].then(|| program.add(&mut problem, i)))
            .collect();
        // The slack outweighs the random objective.
        let slack = (!program.whole).then(|| problem.add_var(1e4, (0.0, 1.0)));
        for row in &self.rows {
            let weight: f64 = row.terms.iter().map(|(_, a)| a.abs()).sum();
            let mut sum: Vec<(Variable, f64)> =
                row.terms.iter().filter_map(|&(i, a)| Some((variables[i]?, a))).collect();
            let comparison = match row.relation {
                Relation::AtMost | Relation::Less => {
                    sum.extend(slack.map(|slack| (slack, weight)));
                    ComparisonOp::Le
                }
                Relation::Equal => ComparisonOp::Eq,
            };
            problem.add_constraint(&sum[..], comparison, row.bound);
        }
        let mut options = SolveOptions::default();
        options.node_limit = Some(BRANCHINGS_MAX);
        let outcome = problem.solve_with(options).ok()?;
        let solution = outcome.solution()?;
        Some(variables.iter().map(|v| v.map_or(0.0, |v| solution.var_value(v))).collect())
    }
}

struct Program<'a> {
    sorts: &'a [Sort],
    objective: &'a [f64],
    size: f64,
    whole: bool,
}

impl Program<'_> {
    fn add(&self, problem: &mut Problem, variable: usize) -> Variable {
        let objective = self.objective[variable] / self.size;
        match self.sorts[variable] {
            Sort::Bv(width) => {
                let (low, high) = integer_range(width);
                let (low, high) = ((low as f64).max(-self.size), (high as f64).min(self.size));
                if self.whole {
                    problem.add_integer_var(objective, (low as i32, high as i32))
                } else {
                    problem.add_var(objective, (low, high))
                }
            }
            Sort::Bool => problem.add_var(objective, (0.0, 1.0)),
            Sort::F32 | Sort::F64 => problem.add_var(objective, (-self.size, self.size)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Seed;

    fn at_most(terms: &[(usize, f64)], bound: f64) -> Row {
        Row { terms: terms.to_vec(), relation: Relation::AtMost, bound }
    }

    #[test]
    fn a_chain_of_strict_inequalities_has_room_between() {
        let row = |i: usize| Row {
            terms: vec![(i + 1, 1.0), (i, -1.0)],
            relation: Relation::Less,
            bound: 0.0,
        };
        let polytope = Polytope::new((0..9).map(row).collect(), 10).unwrap();
        let sorts = [Sort::F64; 10];
        let mut point = [0; 10];
        assert!(polytope.place(&mut Seed(1).rng(), &sorts, &mut point));
        assert!(point.map(f64::from_bits).windows(2).all(|pair| pair[1] < pair[0]));
    }

    #[test]
    fn integer_points_are_integer_points() {
        // 2x + 4y = 10, x + y ≥ 4, x ≤ 7
        let equal = Row { terms: vec![(0, 2.0), (1, 4.0)], relation: Relation::Equal, bound: 10.0 };
        let rows = vec![equal, at_most(&[(0, -1.0), (1, -1.0)], -4.0), at_most(&[(0, 1.0)], 7.0)];
        let polytope = Polytope::new(rows, 2).unwrap();
        let sorts = [Sort::Bv(32); 2];
        let mut point = [0; 2];
        assert!(polytope.place(&mut Seed(1).rng(), &sorts, &mut point));
        let [x, y] = point.map(|bits| bits as u32 as i32);
        assert!(2 * x + 4 * y == 10 && x + y >= 4 && x <= 7, "{x} {y}");
    }

    #[test]
    fn an_empty_polytope_has_no_point() {
        let rows = vec![at_most(&[(0, 1.0)], 3.0), at_most(&[(0, -1.0)], -5.0)];
        let polytope = Polytope::new(rows, 1).unwrap();
        assert!(!polytope.place(&mut Seed(1).rng(), &[Sort::Bv(32)], &mut [0]));
    }
}
