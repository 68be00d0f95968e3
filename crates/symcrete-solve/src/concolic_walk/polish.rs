//! The last places of float equations (an improvement): where the error is small but not zero, the
//! solution may be a short number nearby, or a few last places away in several variables.

use super::walk::Walk;
use crate::search::domain::{from_number, power_of_two, stepped, to_number};
use crate::{Budget, Why};

/// Errors above this are not worth polishing.
const SMALL: f64 = 1e-3;
/// Neighbours looked at.
const TRIES: u32 = 150;

impl Walk<'_, '_, '_> {
    /// Tries short numbers and last places around a point of small error. Says whether it improved.
    pub(super) fn polish(&mut self, n_stalls: u32, budget: &mut Budget) -> Result<bool, Why> {
        let total: f64 = self.errors.iter().sum();
        if total > SMALL {
            return Ok(false);
        }
        let mut improved = false;
        for n_try in 0..TRIES {
            if self.is_solution() {
                return Ok(true);
            }
            let spread = 1 + i64::from((n_try / 8 + n_stalls) % 24);
            let changes = if n_try % 4 == 0 { self.shortened() } else { self.jittered(spread) };
            let changes = self.repaired(changes);
            if let Some(candidate) = self.evaluate(changes, budget)?
                && candidate.improves()
            {
                self.take(candidate);
                improved = true;
            }
        }
        Ok(improved)
    }

    /// Some floats rounded to a few binary places.
    fn shortened(&mut self) -> Vec<(usize, u64)> {
        let grid = power_of_two(-(self.search.rng.below(24) as i64));
        self.some_floats(|number| (number / grid).round() * grid, None)
    }

    /// Some floats moved by a few last places.
    fn jittered(&mut self, spread: i64) -> Vec<(usize, u64)> {
        self.some_floats(|number| number, Some(spread))
    }

    fn some_floats(
        &mut self,
        change: impl Fn(f64) -> f64,
        spread: Option<i64>,
    ) -> Vec<(usize, u64)> {
        let all = self.search.rng.one_in(2);
        let mut changes = Vec::new();
        for variable in 0..self.point.len() {
            let sort = self.search.objective.sort(variable);
            if sort.is_float() && (all || self.search.rng.one_in(2)) {
                let number = to_number(sort, self.point[variable]);
                let bits = from_number(sort, change(number));
                let n = spread.map_or(0, |spread| self.search.rng.between(-spread, spread));
                changes.push((variable, stepped(sort, bits, n)));
            }
        }
        changes
    }
}
