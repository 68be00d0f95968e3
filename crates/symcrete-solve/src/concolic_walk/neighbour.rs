//! Neighbours: random steps inside the polytope and interpolated zeros (algorithms 3 and 4).

use super::walk::{Candidate, Walk};
use super::{Improvement, Steps, moves};
use crate::error::Test;
use crate::search::domain::{from_number, power_of_two, shifted, to_number};
use crate::search::normal::normal;
use crate::{Budget, Why};
use symcrete_term::Rng;

impl Walk<'_, '_, '_> {
    /// The best of `R` pairs of neighbours that differ in one variable.
    pub(super) fn best_neighbour(
        &mut self,
        variable: usize,
        budget: &mut Budget,
    ) -> Result<Option<Candidate>, Why> {
        let mut best: Option<Candidate> = None;
        let mut offer = |candidate: Candidate| {
            if best.as_ref().is_none_or(|best| candidate.beats(best)) {
                best = Some(candidate);
            }
        };
        for _ in 0..self.search.options.neighbours {
            let Some(random) = self.random_step(variable, budget)? else { continue };
            let neighbour = random.changes.clone();
            offer(random);
            if !self.search.options.bisection {
                continue;
            }
            let between = match self.search.options.steps {
                Steps::Implementation => self.interpolated(variable, neighbour[0].1, budget)?,
                Steps::Text { .. } => self.bisected(variable, &neighbour, budget)?,
            };
            if let Some(between) = between {
                offer(between);
            }
        }
        Ok(best)
    }

    /// A random step along a variable that stays in the polytope, dependent variables recomputed.
    fn random_step(
        &mut self,
        variable: usize,
        budget: &mut Budget,
    ) -> Result<Option<Candidate>, Why> {
        for _ in 0..self.search.options.tries {
            let bits = self.drawn(variable);
            let changes = self.repaired(vec![(variable, bits)]);
            if let Some(candidate) = self.evaluate(changes, budget)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// A random step along every variable.
    pub(super) fn random_step_everywhere(
        &mut self,
        budget: &mut Budget,
    ) -> Result<Option<Candidate>, Why> {
        for _ in 0..self.search.options.tries {
            let changes = (0..self.point.len()).map(|v| (v, self.drawn(v))).collect();
            let changes = self.repaired(changes);
            if let Some(candidate) = self.evaluate(changes, budget)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    fn drawn(&mut self, variable: usize) -> u64 {
        let sort = self.search.objective.sort(variable);
        if self.has(Improvement::Magnitudes) && self.search.rng.one_in(2) {
            let search = &mut *self.search;
            return moves::drawn(
                &mut search.rng,
                search.objective.variables(),
                &search.constants,
                &self.point,
                variable,
            );
        }
        let rng = &mut self.search.rng;
        let amount = match self.search.options.steps {
            Steps::Implementation => amount(rng),
            Steps::Text { radius } => normal(rng, radius),
        };
        shifted(sort, self.point[variable], amount)
    }

    /// The bisection step of the text: the zero of a violated constraint on the line from here to the neighbour, in all
    /// variables that differ.
    fn bisected(
        &mut self,
        variable: usize,
        neighbour: &[(usize, u64)],
        budget: &mut Budget,
    ) -> Result<Option<Candidate>, Why> {
        let Some(literal) = self.violated_with(variable) else { return Ok(None) };
        let lead = self.search.objective.lead(literal, &self.point);
        let here = self.point.clone();
        for &(changed, bits) in neighbour {
            self.point[changed] = bits;
        }
        let there = self.search.objective.atom_errors(literal, lead.atom, &self.point);
        self.point = here;
        let slope = there.difference - lead.difference;
        let t = if slope == 0.0 { self.search.rng.fraction() } else { -lead.difference / slope };
        let mut changes = Vec::with_capacity(neighbour.len());
        for &(changed, bits) in neighbour {
            let sort = self.search.objective.sort(changed);
            let (from, to) = (to_number(sort, self.point[changed]), to_number(sort, bits));
            let target = from + t * (to - from);
            if !target.is_finite() {
                return Ok(None);
            }
            changes.push((changed, from_number(sort, target)));
        }
        self.evaluate(changes, budget)
    }

    /// Where a violated constraint with this variable would hold, were it linear between here and
    /// the neighbour.
    fn interpolated(
        &mut self,
        variable: usize,
        neighbour: u64,
        budget: &mut Budget,
    ) -> Result<Option<Candidate>, Why> {
        let Some(literal) = self.violated_with(variable) else { return Ok(None) };
        let lead = self.search.objective.lead(literal, &self.point);
        let here = std::mem::replace(&mut self.point[variable], neighbour);
        let there = self.search.objective.atom_errors(literal, lead.atom, &self.point);
        self.point[variable] = here;
        let rng = &mut self.search.rng;
        let slope = there.difference - lead.difference;
        let mut t = if slope == 0.0 { rng.fraction() } else { -lead.difference / slope };
        let comparison = self.search.objective.atom(literal, lead.atom).comparison;
        if comparison.is_some_and(|c| c.test != Test::Equal || !lead.wanted) {
            t *= 1.0 + rng.fraction() * 2.49;
        }
        let sort = self.search.objective.sort(variable);
        let (from, to) = (to_number(sort, here), to_number(sort, neighbour));
        let target = from + t * (to - from);
        if !target.is_finite() {
            return Ok(None);
        }
        let changes = self.repaired(vec![(variable, from_number(sort, target))]);
        self.evaluate(changes, budget)
    }

    /// A random violated literal in which a variable occurs.
    fn violated_with(&mut self, variable: usize) -> Option<usize> {
        let objective = &self.search.objective;
        let occurs = |&literal: &usize| {
            self.errors[literal] > 0.0
                && objective.variables_of(literal).contains(&(variable as u32))
        };
        let violated: Vec<usize> = (0..self.errors.len()).filter(occurs).collect();
        (!violated.is_empty()).then(|| *self.search.rng.choose(&violated))
    }

    /// Adds the changes that keep linear equalities: each recomputes one variable that has not moved.
    pub(super) fn repaired(&self, mut changes: Vec<(usize, u64)>) -> Vec<(usize, u64)> {
        let Some(polytope) = &self.search.linear.polytope else { return changes };
        for row in polytope.equalities() {
            let moved = |variable: usize, changes: &[(usize, u64)]| {
                changes.iter().find(|&&(v, _)| v == variable).map(|&(_, bits)| bits)
            };
            if row.terms.iter().all(|&(variable, _)| moved(variable, &changes).is_none()) {
                continue;
            }
            let number = |variable: usize| {
                let bits = moved(variable, &changes).unwrap_or(self.point[variable]);
                to_number(self.search.objective.sort(variable), bits)
            };
            let free = row.terms.iter().find(|&&(v, _)| moved(v, &changes).is_none());
            // Where all have moved, the last one follows the others.
            let &(dependent, factor) = free.unwrap_or(&row.terms[row.terms.len() - 1]);
            let others = row.terms.iter().filter(|&&(v, _)| v != dependent);
            let sum: f64 = others.map(|&(v, a)| a * number(v)).sum();
            let sort = self.search.objective.sort(dependent);
            let bits = from_number(sort, (row.bound - sum) / factor);
            match changes.iter_mut().find(|(v, _)| *v == dependent) {
                Some(change) => change.1 = bits,
                None => changes.push((dependent, bits)),
            }
        }
        changes
    }

    /// Goes on along a variable that has just moved, in doubled steps while that improves.
    pub(super) fn accelerate(
        &mut self,
        variable: usize,
        before: u64,
        budget: &mut Budget,
    ) -> Result<(), Why> {
        let sort = self.search.objective.sort(variable);
        let mut step = to_number(sort, self.point[variable]) - to_number(sort, before);
        while step != 0.0 && step.is_finite() && !self.is_solution() {
            step *= 2.0;
            let bits = shifted(sort, self.point[variable], step);
            let changes = self.repaired(vec![(variable, bits)]);
            match self.evaluate(changes, budget)? {
                Some(candidate) if candidate.improves() => self.take(candidate),
                Some(_) | None => break,
            }
        }
        Ok(())
    }
}

/// The authors' step: `g·2^j` for `j > 0`, otherwise `1 / (g·2^-j)`, with `j` in -12..=11.
fn amount(rng: &mut Rng) -> f64 {
    let (g, j) = (rng.fraction(), rng.between(-12, 11));
    let size = if j > 0 { g * power_of_two(j) } else { 1.0 / (g * power_of_two(-j)) };
    if rng.one_in(2) { size } else { -size }
}
