//! The walk itself: algorithm 1 of Dinges and Agha 2014.

use super::{Improvement, Search, Tabu};
use crate::{Budget, Why};

/// One walk from one starting point.
pub(super) struct Walk<'w, 'o, 'a> {
    pub(super) search: &'w mut Search<'o, 'a>,
    pub(super) point: Vec<u64>,
    /// By literal.
    pub(super) errors: Vec<f64>,
    /// By literal: whether a neighbour must keep it satisfied.
    pub(super) in_polytope: Vec<bool>,
    /// By literal; all one but for [`Improvement::Weights`].
    weights: Vec<f64>,
    tabu: Vec<u32>,
}

/// With weights, all variables move only once in so many local minima.
const STALLS_BEFORE_KICK: u32 = 8;

/// A point that differs in some variables.
#[derive(Clone, Default)]
pub(super) struct Candidate {
    /// The variables and their new bits.
    pub(super) changes: Vec<(usize, u64)>,
    /// The errors of the literals that are touched.
    pub(super) errors: Vec<(u32, f64)>,
    /// The new sum of the touched errors, and the old one.
    pub(super) sums: (f64, f64),
}

impl Candidate {
    /// Whether it has less error than where the walk stands.
    pub(super) fn improves(&self) -> bool {
        self.sums.0 < self.sums.1
    }

    fn gain(&self) -> f64 {
        self.sums.1 - self.sums.0
    }

    /// Whether it is the better one of two neighbours.
    pub(super) fn beats(&self, other: &Candidate) -> bool {
        // Neighbours that touch the same literals compare without cancellation.
        if self.sums.1 == other.sums.1 {
            self.sums.0 < other.sums.0
        } else {
            self.gain() > other.gain()
        }
    }
}

impl<'w, 'o, 'a> Walk<'w, 'o, 'a> {
    pub(super) fn new(search: &'w mut Search<'o, 'a>, point: Vec<u64>) -> Walk<'w, 'o, 'a> {
        let errors = search.objective.errors(&point);
        let linear = search.linear.is_linear.iter().zip(&errors);
        let in_polytope = linear.map(|(&linear, &error)| linear && error == 0.0).collect();
        Walk {
            tabu: vec![0; point.len()],
            weights: vec![1.0; errors.len()],
            errors,
            in_polytope,
            point,
            search,
        }
    }

    /// Walks until all literals hold, or `I` steps for each non-linear constraint are used up.
    pub(super) fn run(mut self, budget: &mut Budget) -> Result<Option<Vec<u64>>, Why> {
        let n_searched = self.in_polytope.iter().filter(|&&inside| !inside).count() as u64;
        let steps_max = self.search.options.steps_per_constraint.saturating_mul(n_searched);
        let mut n_steps = 0;
        let mut n_stalls = 0;
        while !self.is_solution() {
            if n_steps >= steps_max || self.point.is_empty() {
                return Ok(None);
            }
            n_steps += 1;
            if self.tabu.iter().all(|&tabu| tabu > 0) {
                n_stalls += 1;
                self.leave_local_minimum(n_stalls, budget)?;
                continue;
            }
            let variable = self.worst_variable();
            let best = self.best_neighbour(variable, budget)?;
            if let Some(best) = best.filter(Candidate::improves) {
                let before = self.point[variable];
                self.take(best);
                self.tabu.iter_mut().for_each(|tabu| *tabu = tabu.saturating_sub(1));
                if self.has(Improvement::LineSearch) {
                    self.accelerate(variable, before, budget)?;
                }
            } else {
                self.tabu[variable] = self.tabu_length();
            }
        }
        Ok(Some(self.point))
    }

    /// All variables are tabu: a step in all of them. An improved walk first looks for a way down
    /// that no single variable offers.
    fn leave_local_minimum(&mut self, n_stalls: u32, budget: &mut Budget) -> Result<(), Why> {
        self.tabu.fill(0);
        let mut improved = false;
        if self.has(Improvement::LineSearch) {
            improved |= self.newton(budget)?;
            improved |= self.descend(budget)?;
        }
        if self.has(Improvement::Polish) {
            improved |= self.polish(n_stalls, budget)?;
        }
        if improved {
            return Ok(());
        }
        if self.has(Improvement::Weights) && !n_stalls.is_multiple_of(STALLS_BEFORE_KICK) {
            let violated = self.weights.iter_mut().zip(&self.errors);
            violated.filter(|&(_, &error)| error > 0.0).for_each(|(weight, _)| *weight += 1.0);
            return Ok(());
        }
        if let Some(step) = self.random_step_everywhere(budget)? {
            self.take(step);
        }
        Ok(())
    }

    pub(super) fn has(&self, improvement: Improvement) -> bool {
        self.search.options.improvements.has(improvement)
    }

    pub(super) fn is_solution(&self) -> bool {
        self.errors.iter().all(|&error| error == 0.0)
    }

    /// The variable with the largest sum of errors of the constraints it occurs in.
    fn worst_variable(&self) -> usize {
        let mut blame = vec![0.0; self.point.len()];
        for (literal, &error) in self.errors.iter().enumerate().filter(|&(_, &error)| error > 0.0) {
            for &variable in self.search.objective.variables_of(literal) {
                blame[variable as usize] += error * self.weights[literal];
            }
        }
        let free = (0..self.point.len()).filter(|&variable| self.tabu[variable] == 0);
        let worse = |a: usize, b: usize| if blame[b] > blame[a] { b } else { a };
        free.reduce(worse).expect("some variable is not tabu")
    }

    fn tabu_length(&self) -> u32 {
        let n_variables = self.point.len() as u32;
        match self.search.options.tabu {
            Tabu::Off => 0,
            Tabu::Text => (self.n_searched_variables() / 2).min(3),
            Tabu::Implementation => n_variables.div_ceil(2).max(3),
            Tabu::Fixed(length) => length,
        }
    }

    /// The variables of the constraints that are searched.
    fn n_searched_variables(&self) -> u32 {
        let searched = (0..self.errors.len()).filter(|&literal| !self.in_polytope[literal]);
        let variables: std::collections::BTreeSet<u32> = searched
            .flat_map(|literal| self.search.objective.variables_of(literal))
            .copied()
            .collect();
        variables.len() as u32
    }

    /// Moves to a candidate.
    pub(super) fn take(&mut self, candidate: Candidate) {
        for (variable, bits) in candidate.changes {
            self.point[variable] = bits;
        }
        for (literal, error) in candidate.errors {
            self.errors[literal as usize] = error;
        }
    }

    /// Evaluates changed variables, one step of the budget. `None` if they leave the polytope.
    pub(super) fn evaluate(
        &mut self,
        changes: Vec<(usize, u64)>,
        budget: &mut Budget,
    ) -> Result<Option<Candidate>, Why> {
        budget.charge(1)?;
        let old: Vec<u64> = changes.iter().map(|&(variable, _)| self.point[variable]).collect();
        for &(variable, bits) in &changes {
            self.point[variable] = bits;
        }
        let moved: Vec<usize> = changes.iter().map(|&(variable, _)| variable).collect();
        let touched = self.search.objective.errors_touched(&self.point, &moved);
        let inside = touched
            .iter()
            .all(|&(literal, error)| error == 0.0 || !self.in_polytope[literal as usize]);
        let weighted = |literal: u32, error: f64| error * self.weights[literal as usize];
        let candidate = inside.then(|| Candidate {
            sums: (
                touched.iter().map(|&(literal, error)| weighted(literal, error)).sum(),
                touched.iter().map(|&(l, _)| weighted(l, self.errors[l as usize])).sum(),
            ),
            errors: touched.to_vec(),
            changes,
        });
        for (&variable, &bits) in moved.iter().zip(&old) {
            self.point[variable] = bits;
        }
        Ok(candidate)
    }
}
