//! A step over all floats at once (an improvement): the paper's interpolation along one variable is a
//! secant step; this is the same for several constraints and variables, a damped Gauss-Newton step.
//!
//! Residuals are the differences of the leading comparisons of violated literals and of equations that
//! hold. Derivatives are divided differences. All arithmetic is plain IEEE, so it is reproducible.

use super::walk::Walk;
use crate::error::Test;
use crate::search::domain::{from_number, power_of_two, to_number};
use crate::{Budget, Why};

/// Beyond this many variables or residuals the dense matrix costs more than walking.
const SIZE_MAX: usize = 64;
/// Steps in a row, and halvings of one step.
const STEPS_MAX: usize = 30;
const HALVINGS_MAX: i64 = 12;
/// A step a little too long carries a violated order past its edge.
const OVERSHOOT: f64 = 1.0625;

/// A residual and what it depends on.
struct Residual {
    literal: usize,
    atom: u32,
    value: f64,
}

impl Walk<'_, '_, '_> {
    /// Repeats Gauss-Newton steps while they improve. Says whether any did.
    pub(super) fn newton(&mut self, budget: &mut Budget) -> Result<bool, Why> {
        let Some(floats) = self.floats(SIZE_MAX) else { return Ok(false) };
        let mut improved = false;
        for _ in 0..STEPS_MAX {
            if self.is_solution() || !self.newton_step(&floats, budget)? {
                break;
            }
            improved = true;
        }
        Ok(improved)
    }

    /// The variables that are floats, unless there are none or too many.
    pub(super) fn floats(&self, n_max: usize) -> Option<Vec<usize>> {
        let is_float = |&v: &usize| self.search.objective.sort(v).is_float();
        let floats: Vec<usize> = (0..self.point.len()).filter(is_float).collect();
        (1..=n_max).contains(&floats.len()).then_some(floats)
    }

    fn newton_step(&mut self, floats: &[usize], budget: &mut Budget) -> Result<bool, Why> {
        let residuals = self.residuals(budget)?;
        if residuals.is_empty() || residuals.len() > SIZE_MAX {
            return Ok(false);
        }
        let jacobian = self.jacobian(floats, &residuals, budget)?;
        let values: Vec<f64> = residuals.iter().map(|residual| residual.value).collect();
        let halved = (1..HALVINGS_MAX).map(|n| power_of_two(-n));
        let factors: Vec<f64> = [1.0, OVERSHOOT].into_iter().chain(halved).collect();
        for damping in [0.0, power_of_two(-10), power_of_two(10)] {
            let Some(step) = least_squares(&jacobian, &values, damping) else { continue };
            for &factor in &factors {
                let changes = self.repaired(self.shifted_floats(floats, &step, factor));
                if let Some(candidate) = self.evaluate(changes, budget)?
                    && candidate.improves()
                {
                    self.take(candidate);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// All floats moved along a step, times a factor.
    pub(super) fn shifted_floats(
        &self,
        floats: &[usize],
        step: &[f64],
        factor: f64,
    ) -> Vec<(usize, u64)> {
        let moved = floats.iter().zip(step).map(|(&variable, &amount)| {
            let sort = self.search.objective.sort(variable);
            let number = to_number(sort, self.point[variable]) + amount * factor;
            (variable, from_number(sort, number))
        });
        moved.collect()
    }

    /// The residuals of the violated literals, and of equations that hold and should go on to.
    fn residuals(&mut self, budget: &mut Budget) -> Result<Vec<Residual>, Why> {
        let mut residuals = Vec::new();
        for literal in 0..self.errors.len() {
            if self.in_polytope[literal] {
                continue;
            }
            let lead = self.search.objective.lead(literal, &self.point);
            let comparison = self.search.objective.atom(literal, lead.atom).comparison;
            let equation = lead.wanted && comparison.is_some_and(|c| c.test == Test::Equal);
            if (equation || self.errors[literal] > 0.0) && lead.difference.is_finite() {
                budget.charge(1)?;
                residuals.push(Residual { literal, atom: lead.atom, value: lead.difference });
            }
        }
        Ok(residuals)
    }

    /// Divided differences: a row for each residual, a column for each float.
    fn jacobian(
        &mut self,
        floats: &[usize],
        residuals: &[Residual],
        budget: &mut Budget,
    ) -> Result<Vec<Vec<f64>>, Why> {
        let mut jacobian = vec![vec![0.0; floats.len()]; residuals.len()];
        for (column, &variable) in floats.iter().enumerate() {
            budget.charge(1)?;
            let sort = self.search.objective.sort(variable);
            let here = self.point[variable];
            let number = to_number(sort, here);
            let places = if sort.bits() == 64 { -26 } else { -12 };
            let width = number.abs().max(power_of_two(-20)) * power_of_two(places);
            let there = from_number(sort, number + width);
            let width = to_number(sort, there) - number;
            self.point[variable] = there;
            for (row, residual) in residuals.iter().enumerate() {
                let objective = &mut self.search.objective;
                if objective.variables_of(residual.literal).contains(&(variable as u32)) {
                    let errors =
                        objective.atom_errors(residual.literal, residual.atom, &self.point);
                    jacobian[row][column] = (errors.difference - residual.value) / width;
                }
            }
            self.point[variable] = here;
        }
        Ok(jacobian)
    }
}

/// The step that brings `J·step + values` nearest to zero, the shortest of several; damped.
pub(crate) fn least_squares(
    jacobian: &[Vec<f64>],
    values: &[f64],
    damping: f64,
) -> Option<Vec<f64>> {
    let (rows, columns) = (jacobian.len(), jacobian[0].len());
    let target: Vec<f64> = values.iter().map(|value| -value).collect();
    if rows <= columns {
        let gram = products(rows, |i, j| dot(&jacobian[i], &jacobian[j]), damping);
        let weights = solve(gram, target)?;
        let column = |j: usize| (0..rows).map(|i| jacobian[i][j] * weights[i]).sum();
        Some((0..columns).map(column).collect())
    } else {
        let column_dot =
            |i: usize, j: usize| jacobian.iter().map(|row| row[i] * row[j]).sum::<f64>();
        let gram = products(columns, column_dot, damping);
        let right = |j: usize| (0..rows).map(|i| jacobian[i][j] * target[i]).sum();
        solve(gram, (0..columns).map(right).collect())
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A matrix of products, its diagonal raised in proportion.
fn products(size: usize, product: impl Fn(usize, usize) -> f64, damping: f64) -> Vec<Vec<f64>> {
    let mut matrix: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| product(i, j)).collect()).collect();
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] += row[i] * damping;
    }
    matrix
}

/// Gaussian elimination with row pivots; `None` if the matrix is singular or not finite.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size)
            .reduce(|a, b| if matrix[b][column].abs() > matrix[a][column].abs() { b } else { a })?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let head = matrix[column][column];
        if head == 0.0 || !head.is_finite() {
            return None;
        }
        let (done, below) = matrix.split_at_mut(column + 1);
        for (i, row) in below.iter_mut().enumerate() {
            let factor = row[column] / head;
            for (entry, above) in row.iter_mut().zip(&done[column]).skip(column) {
                *entry -= factor * above;
            }
            right[column + 1 + i] -= factor * right[column];
        }
    }
    for column in (0..size).rev() {
        let known: f64 = (column + 1..size).map(|k| matrix[column][k] * right[k]).sum();
        right[column] = (right[column] - known) / matrix[column][column];
    }
    right.iter().all(|x| x.is_finite()).then_some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_system_is_solved() {
        let jacobian = vec![vec![2.0, 1.0], vec![0.0, 4.0]];
        assert_eq!(least_squares(&jacobian, &[-5.0, -8.0], 0.0).unwrap(), [1.5, 2.0]);
    }

    #[test]
    fn the_shortest_of_many_solutions_is_taken_and_singular_ones_refused() {
        let step = least_squares(&[vec![1.0, 1.0]], &[-2.0], 0.0).unwrap();
        assert_eq!(step, [1.0, 1.0]);
        assert_eq!(least_squares(&[vec![0.0, 0.0]], &[1.0], 0.0), None);
        let step = least_squares(&[vec![1.0], vec![1.0]], &[-1.0, -3.0], 0.0).unwrap();
        assert_eq!(step, [2.0]);
    }
}
