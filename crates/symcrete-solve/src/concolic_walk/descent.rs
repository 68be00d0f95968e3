//! Quasi-Newton descent on the sum of all errors (an improvement, for valleys): the BFGS update of
//! the inverse Hessian with divided differences for the gradient (Nocedal and Wright, section 6.1).
//!
//! It follows curved valleys that steps along one variable cannot, such as a sum of squares that must be
//! zero. What it ends near, [`super::polish`] makes exact.

use super::newton::dot;
use super::walk::Walk;
use crate::search::domain::{from_number, power_of_two, to_number};
use crate::{Budget, Why};

/// Beyond this many floats the dense matrix costs more than walking.
const SIZE_MAX: usize = 32;
const STEPS_MAX: usize = 60;
const HALVINGS_MAX: i64 = 20;

impl Walk<'_, '_, '_> {
    /// Descends while it improves. Says whether it did.
    pub(super) fn descend(&mut self, budget: &mut Budget) -> Result<bool, Why> {
        let Some(floats) = self.floats(SIZE_MAX) else { return Ok(false) };
        let mut improved = false;
        let mut inverse = identity(floats.len());
        let mut gradient = self.gradient(&floats, budget)?;
        for _ in 0..STEPS_MAX {
            let direction: Vec<f64> = inverse.iter().map(|row| -dot(row, &gradient)).collect();
            let before = self.numbers(&floats);
            if self.is_solution() || !self.go(&floats, &direction, budget)? {
                break;
            }
            improved = true;
            let after = self.numbers(&floats);
            let next = self.gradient(&floats, budget)?;
            let step: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
            let change: Vec<f64> = next.iter().zip(&gradient).map(|(a, b)| a - b).collect();
            update(&mut inverse, &step, &change);
            gradient = next;
        }
        Ok(improved)
    }

    fn numbers(&self, floats: &[usize]) -> Vec<f64> {
        floats.iter().map(|&v| to_number(self.search.objective.sort(v), self.point[v])).collect()
    }

    /// Moves along a direction, the longest of halved steps that improves.
    fn go(
        &mut self,
        floats: &[usize],
        direction: &[f64],
        budget: &mut Budget,
    ) -> Result<bool, Why> {
        if direction.iter().any(|x| !x.is_finite()) {
            return Ok(false);
        }
        for halvings in 0..HALVINGS_MAX {
            let changes = self.shifted_floats(floats, direction, power_of_two(-halvings));
            let changes = self.repaired(changes);
            if let Some(candidate) = self.evaluate(changes, budget)?
                && candidate.improves()
            {
                self.take(candidate);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Central differences of the sum of errors; zero where they are not finite.
    fn gradient(&mut self, floats: &[usize], budget: &mut Budget) -> Result<Vec<f64>, Why> {
        let mut gradient = Vec::new();
        for &variable in floats {
            let sort = self.search.objective.sort(variable);
            let number = to_number(sort, self.point[variable]);
            let places = if sort.bits() == 64 { -20 } else { -9 };
            let width = number.abs().max(power_of_two(-10)) * power_of_two(places);
            let mut sums = [0.0; 2];
            let mut ends = [0.0; 2];
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let bits = from_number(sort, number + sign * width);
                ends[side] = to_number(sort, bits);
                let candidate = self.evaluate(vec![(variable, bits)], budget)?;
                sums[side] = candidate.map_or(f64::NAN, |candidate| candidate.sums.0);
            }
            let slope = (sums[1] - sums[0]) / (ends[1] - ends[0]);
            gradient.push(if slope.is_finite() { slope } else { 0.0 });
        }
        Ok(gradient)
    }
}

fn identity(size: usize) -> Vec<Vec<f64>> {
    (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// The BFGS update of an inverse Hessian, left out where the curvature is not positive.
fn update(inverse: &mut [Vec<f64>], step: &[f64], change: &[f64]) {
    let curvature = dot(step, change);
    let product: Vec<f64> = inverse.iter().map(|row| dot(row, change)).collect();
    let stretch = (1.0 + dot(change, &product) / curvature) / curvature;
    if curvature <= 0.0 || !stretch.is_finite() {
        return;
    }
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            let mixed = product[i] * step[j] + step[i] * product[j];
            *entry += stretch * step[i] * step[j] - mixed / curvature;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_update_satisfies_the_secant_equation() {
        let mut inverse = identity(2);
        update(&mut inverse, &[1.0, 2.0], &[4.0, 1.0]);
        let mapped: Vec<f64> = inverse.iter().map(|row| dot(row, &[4.0, 1.0])).collect();
        assert!((mapped[0] - 1.0).abs() < 1e-12 && (mapped[1] - 2.0).abs() < 1e-12);
        let before = inverse.clone();
        update(&mut inverse, &[1.0, 0.0], &[-1.0, 0.0]);
        assert_eq!(inverse, before, "negative curvature is left out");
    }
}
