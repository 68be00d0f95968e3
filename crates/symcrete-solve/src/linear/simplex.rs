//! Whether linear forms over bounded variables can lie within bounds: an exact simplex.
//!
//! B. Dutertre and L. de Moura, *A Fast Linear-Arithmetic Solver for DPLL(T)*, CAV 2006, section 3: every form is a
//! variable of its own with bounds, pivoting follows Bland's rule, and a basic variable outside its bounds whose row
//! cannot move is a contradiction. All arithmetic is exact, so a contradiction is a proof.

use super::ratio::{Ratio, TooLarge};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A number between bounds, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: i128,
    pub(crate) high: i128,
}

impl Bounds {
    pub(crate) fn is_empty(self) -> bool {
        self.low > self.high
    }
}

/// Variables, forms over them, and a point that satisfies the forms but perhaps not all bounds.
#[derive(Clone)]
pub(crate) struct Simplex {
    bounds: Vec<Bounds>,
    values: Vec<Ratio>,
    /// Of each basic variable: its form over the others.
    rows: BTreeMap<usize, BTreeMap<usize, Ratio>>,
}

/// What a check found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checked {
    /// The values are within all bounds.
    Within,
    /// No values are.
    Contradiction,
    /// Not decided: numbers or work beyond the limit.
    Open,
}

/// Why a check ended without an answer.
struct Stopped;

impl From<TooLarge> for Stopped {
    fn from(_: TooLarge) -> Stopped {
        Stopped
    }
}

impl Simplex {
    pub(crate) fn new() -> Simplex {
        Simplex { bounds: Vec::new(), values: Vec::new(), rows: BTreeMap::new() }
    }

    /// A variable between bounds that are not empty.
    pub(crate) fn add_variable(&mut self, bounds: Bounds) -> usize {
        self.bounds.push(bounds);
        self.values.push(Ratio::whole(0.clamp(bounds.low, bounds.high)));
        self.bounds.len() - 1
    }

    /// A variable that equals a form over variables that are not basic: forms are added before the first check.
    pub(crate) fn add_form(
        &mut self,
        form: &BTreeMap<usize, i128>,
        bounds: Bounds,
    ) -> Result<usize, TooLarge> {
        let mut value = Ratio::ZERO;
        let mut row = BTreeMap::new();
        for (&variable, &factor) in form {
            let factor = Ratio::whole(factor);
            value = value.plus(factor.times(self.values[variable])?)?;
            row.insert(variable, factor);
        }
        self.bounds.push(bounds);
        self.values.push(value);
        self.rows.insert(self.bounds.len() - 1, row);
        Ok(self.bounds.len() - 1)
    }

    pub(crate) fn bounds(&self, variable: usize) -> Bounds {
        self.bounds[variable]
    }

    pub(crate) fn value(&self, variable: usize) -> Ratio {
        self.values[variable]
    }

    /// Tightens the bounds of a variable. `Err` if nothing is left, or the numbers are too large.
    pub(crate) fn tighten(&mut self, variable: usize, to: Bounds) -> Result<(), Checked> {
        let old = self.bounds[variable];
        let new = Bounds { low: old.low.max(to.low), high: old.high.min(to.high) };
        if new.is_empty() {
            return Err(Checked::Contradiction);
        }
        self.bounds[variable] = new;
        if self.rows.contains_key(&variable) {
            return Ok(());
        }
        let nearest = match self.outside(variable) {
            Ok(Some((bound, _))) => Ratio::whole(bound),
            Ok(None) => return Ok(()),
            Err(Stopped) => return Err(Checked::Open),
        };
        self.move_to(variable, nearest).map_err(|_| Checked::Open)
    }

    /// Looks for values within all bounds, with at most so many pivots.
    pub(crate) fn check(&mut self, pivots_max: u32) -> Checked {
        self.try_check(pivots_max).unwrap_or(Checked::Open)
    }

    fn try_check(&mut self, pivots_max: u32) -> Result<Checked, Stopped> {
        for _ in 0..pivots_max {
            let mut violated = None;
            for &basic in self.rows.keys() {
                if let Some((bound, grows)) = self.outside(basic)? {
                    violated = Some((basic, bound, grows));
                    break;
                }
            }
            let Some((basic, bound, grows)) = violated else { return Ok(Checked::Within) };
            let Some(other) = self.partner(basic, grows)? else {
                return Ok(Checked::Contradiction);
            };
            self.pivot(basic, other, Ratio::whole(bound))?;
        }
        Err(Stopped)
    }

    /// The bound that a variable is beyond, and whether it has to grow.
    fn outside(&self, variable: usize) -> Result<Option<(i128, bool)>, Stopped> {
        let Bounds { low, high } = self.bounds[variable];
        let value = self.values[variable];
        if value.compare(Ratio::whole(low))? == Ordering::Less {
            return Ok(Some((low, true)));
        }
        let is_above = value.compare(Ratio::whole(high))? == Ordering::Greater;
        Ok(is_above.then_some((high, false)))
    }

    /// The first variable of a row that can move so that the row's own one grows or shrinks.
    fn partner(&self, basic: usize, grows: bool) -> Result<Option<usize>, Stopped> {
        for (&other, &factor) in &self.rows[&basic] {
            let Bounds { low, high } = self.bounds[other];
            let value = self.values[other];
            let can_move = if factor.is_positive() == grows {
                value.compare(Ratio::whole(high))? == Ordering::Less
            } else {
                value.compare(Ratio::whole(low))? == Ordering::Greater
            };
            if can_move {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Moves a variable that is not basic; the basic ones follow.
    fn move_to(&mut self, variable: usize, value: Ratio) -> Result<(), TooLarge> {
        let change = value.minus(self.values[variable])?;
        for (&basic, row) in &self.rows {
            if let Some(&factor) = row.get(&variable) {
                self.values[basic] = self.values[basic].plus(factor.times(change)?)?;
            }
        }
        self.values[variable] = value;
        Ok(())
    }

    /// Moves a basic variable to a value by moving another one, and exchanges their parts.
    fn pivot(&mut self, basic: usize, other: usize, value: Ratio) -> Result<(), TooLarge> {
        let factor = self.rows[&basic][&other];
        let change = value.minus(self.values[basic])?.divided_by(factor)?;
        let moved = self.values[other].plus(change)?;
        self.move_to(other, moved)?;
        // other = (basic - Σ the rest) / factor
        let row = self.rows.remove(&basic).expect("it is basic");
        let mut solved = BTreeMap::new();
        for (variable, a) in row {
            if variable != other {
                solved.insert(variable, a.divided_by(factor)?.negated()?);
            }
        }
        solved.insert(basic, Ratio::whole(1).divided_by(factor)?);
        for row in self.rows.values_mut() {
            let Some(a) = row.remove(&other) else { continue };
            for (&variable, &b) in &solved {
                let old = row.get(&variable).copied().unwrap_or(Ratio::ZERO);
                let new = old.plus(a.times(b)?)?;
                if new.is_zero() {
                    row.remove(&variable);
                } else {
                    row.insert(variable, new);
                }
            }
        }
        self.rows.insert(other, solved);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Seed;

    /// Random systems over three small variables, against all points.
    #[test]
    fn a_contradiction_is_one_on_every_point() {
        let mut rng = Seed(1).rng();
        let (mut n_contradictions, mut n_within) = (0, 0);
        for _ in 0..2_000 {
            let box_of = Bounds { low: rng.between(-4, 0).into(), high: rng.between(0, 4).into() };
            let mut simplex = Simplex::new();
            let variables: Vec<usize> = (0..3).map(|_| simplex.add_variable(box_of)).collect();
            let mut forms = Vec::new();
            for _ in 0..rng.between(1, 5) {
                let factors: Vec<i128> = (0..3).map(|_| rng.between(-3, 3).into()).collect();
                let low = i128::from(rng.between(-8, 8));
                let bounds = Bounds { low, high: low + i128::from(rng.between(0, 3)) };
                let form = variables.iter().copied().zip(factors.iter().copied());
                let form: BTreeMap<usize, i128> = form.filter(|&(_, a)| a != 0).collect();
                simplex.add_form(&form, bounds).unwrap();
                forms.push((factors, bounds));
            }
            let all = || box_of.low..=box_of.high;
            let holds = |point: [i128; 3]| {
                forms.iter().all(|(factors, bounds)| {
                    let sum: i128 = factors.iter().zip(point).map(|(a, x)| a * x).sum();
                    bounds.low <= sum && sum <= bounds.high
                })
            };
            let has_point = all().any(|x| all().any(|y| all().any(|z| holds([x, y, z]))));
            match simplex.check(1_000) {
                Checked::Contradiction => {
                    assert!(!has_point);
                    n_contradictions += 1;
                }
                Checked::Within => n_within += 1,
                Checked::Open => panic!("small systems are decided"),
            }
        }
        assert!(n_contradictions > 200 && n_within > 200, "{n_contradictions} {n_within}");
    }
}
