//! Whether linear forms over bounded variables can lie within bounds: an exact simplex.
//!
//! B. Dutertre and L. de Moura, *A Fast Linear-Arithmetic Solver for DPLL(T)*, CAV 2006, section 3: every form is a
//! variable of its own with bounds, pivoting follows Bland's rule, and a basic variable outside its bounds whose row
//! cannot move is a contradiction. All arithmetic is exact, so a contradiction is a proof.

use super::ratio::{Ratio, TooLarge};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What a simplex calculates with: exact fractions for proofs, doubles for guesses that are proved otherwise.
pub(crate) trait Number: Copy {
    const ZERO: Self;
    fn plus(self, other: Self) -> Result<Self, TooLarge>;
    fn minus(self, other: Self) -> Result<Self, TooLarge>;
    fn times(self, other: Self) -> Result<Self, TooLarge>;
    /// The quotient; the other number is not zero.
    fn divided_by(self, other: Self) -> Result<Self, TooLarge>;
    fn negated(self) -> Result<Self, TooLarge>;
    fn compare(self, other: Self) -> Result<Ordering, TooLarge>;
    fn is_zero(self) -> bool;
    fn is_positive(self) -> bool;
}

/// A number between bounds, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds<N> {
    pub(crate) low: N,
    pub(crate) high: N,
}

impl Bounds<Ratio> {
    /// Bounds that are whole numbers.
    pub(crate) fn whole(low: i128, high: i128) -> Bounds<Ratio> {
        Bounds { low: Ratio::whole(low), high: Ratio::whole(high) }
    }
}

/// Variables, forms over them, and a point that satisfies the forms but perhaps not all bounds.
#[derive(Clone)]
pub(crate) struct Simplex<N> {
    bounds: Vec<Bounds<N>>,
    values: Vec<N>,
    /// Of each basic variable: its form over the others.
    rows: BTreeMap<usize, BTreeMap<usize, N>>,
    conflict: Option<usize>,
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

impl<N: Number> Simplex<N> {
    pub(crate) fn new() -> Simplex<N> {
        let (bounds, values) = (Vec::new(), Vec::new());
        Simplex { bounds, values, rows: BTreeMap::new(), conflict: None }
    }

    /// A variable between bounds that are not empty.
    pub(crate) fn add_variable(&mut self, bounds: Bounds<N>) -> Result<usize, TooLarge> {
        let value = if bounds.low.compare(N::ZERO)? == Ordering::Greater {
            bounds.low
        } else if bounds.high.compare(N::ZERO)? == Ordering::Less {
            bounds.high
        } else {
            N::ZERO
        };
        self.bounds.push(bounds);
        self.values.push(value);
        Ok(self.bounds.len() - 1)
    }

    /// A variable that equals a form over variables that are not basic: forms are added before the first check.
    pub(crate) fn add_form(
        &mut self,
        form: BTreeMap<usize, N>,
        bounds: Bounds<N>,
    ) -> Result<usize, TooLarge> {
        let mut value = N::ZERO;
        for (&variable, &factor) in &form {
            value = value.plus(factor.times(self.values[variable])?)?;
        }
        self.bounds.push(bounds);
        self.values.push(value);
        self.rows.insert(self.bounds.len() - 1, form);
        Ok(self.bounds.len() - 1)
    }

    pub(crate) fn bounds(&self, variable: usize) -> Bounds<N> {
        self.bounds[variable]
    }

    pub(crate) fn value(&self, variable: usize) -> N {
        self.values[variable]
    }

    /// After a contradiction: the variable that is beyond its bounds, and its form, no variable of which can move so that
    /// it comes back.
    pub(crate) fn conflict(&self) -> Option<(usize, &BTreeMap<usize, N>)> {
        let basic = self.conflict?;
        Some((basic, self.rows.get(&basic)?))
    }

    /// Tightens the bounds of a variable. `Err` if nothing is left, or the numbers are too large.
    pub(crate) fn tighten(&mut self, variable: usize, to: Bounds<N>) -> Result<(), Checked> {
        self.try_tighten(variable, to).unwrap_or(Err(Checked::Open))
    }

    fn try_tighten(
        &mut self,
        variable: usize,
        to: Bounds<N>,
    ) -> Result<Result<(), Checked>, TooLarge> {
        let old = self.bounds[variable];
        let is_higher = to.low.compare(old.low)? == Ordering::Greater;
        let is_lower = to.high.compare(old.high)? == Ordering::Less;
        let low = if is_higher { to.low } else { old.low };
        let high = if is_lower { to.high } else { old.high };
        if low.compare(high)? == Ordering::Greater {
            return Ok(Err(Checked::Contradiction));
        }
        self.bounds[variable] = Bounds { low, high };
        if !self.rows.contains_key(&variable)
            && let Some((bound, _)) = self.outside(variable)?
        {
            self.move_to(variable, bound)?;
        }
        Ok(Ok(()))
    }

    /// Looks for values within all bounds, with at most so many pivots.
    pub(crate) fn check(&mut self, pivots_max: u32) -> Checked {
        self.try_check(pivots_max).unwrap_or(Checked::Open)
    }

    fn try_check(&mut self, pivots_max: u32) -> Result<Checked, TooLarge> {
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
                self.conflict = Some(basic);
                return Ok(Checked::Contradiction);
            };
            self.pivot(basic, other, bound)?;
        }
        Ok(Checked::Open)
    }

    /// The bound that a variable is beyond, and whether it has to grow.
    fn outside(&self, variable: usize) -> Result<Option<(N, bool)>, TooLarge> {
        let Bounds { low, high } = self.bounds[variable];
        let value = self.values[variable];
        if value.compare(low)? == Ordering::Less {
            return Ok(Some((low, true)));
        }
        let is_above = value.compare(high)? == Ordering::Greater;
        Ok(is_above.then_some((high, false)))
    }

    /// The first variable of a row that can move so that the row's own one grows or shrinks.
    fn partner(&self, basic: usize, grows: bool) -> Result<Option<usize>, TooLarge> {
        for (&other, &factor) in &self.rows[&basic] {
            let Bounds { low, high } = self.bounds[other];
            let value = self.values[other];
            let can_move = if factor.is_positive() == grows {
                value.compare(high)? == Ordering::Less
            } else {
                value.compare(low)? == Ordering::Greater
            };
            if can_move {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Moves a variable that is not basic; the basic ones follow.
    fn move_to(&mut self, variable: usize, value: N) -> Result<(), TooLarge> {
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
    fn pivot(&mut self, basic: usize, other: usize, value: N) -> Result<(), TooLarge> {
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
        let own = factor.divided_by(factor)?.divided_by(factor)?;
        solved.insert(basic, own);
        for row in self.rows.values_mut() {
            let Some(a) = row.remove(&other) else { continue };
            for (&variable, &b) in &solved {
                let old = row.get(&variable).copied().unwrap_or(N::ZERO);
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

impl Number for Ratio {
    const ZERO: Ratio = Ratio::whole(0);

    fn plus(self, other: Ratio) -> Result<Ratio, TooLarge> {
        Ratio::plus(self, other)
    }

    fn minus(self, other: Ratio) -> Result<Ratio, TooLarge> {
        Ratio::minus(self, other)
    }

    fn times(self, other: Ratio) -> Result<Ratio, TooLarge> {
        Ratio::times(self, other)
    }

    fn divided_by(self, other: Ratio) -> Result<Ratio, TooLarge> {
        Ratio::divided_by(self, other)
    }

    fn negated(self) -> Result<Ratio, TooLarge> {
        Ratio::negated(self)
    }

    fn compare(self, other: Ratio) -> Result<Ordering, TooLarge> {
        Ratio::compare(self, other)
    }

    fn is_zero(self) -> bool {
        Ratio::is_zero(self)
    }

    fn is_positive(self) -> bool {
        Ratio::is_positive(self)
    }
}

/// Doubles about one in size that differ by less count as equal.
const TOLERANCE: f64 = 1e-11;

impl Number for f64 {
    const ZERO: f64 = 0.0;

    fn plus(self, other: f64) -> Result<f64, TooLarge> {
        Ok(self + other)
    }

    fn minus(self, other: f64) -> Result<f64, TooLarge> {
        Ok(self - other)
    }

    fn times(self, other: f64) -> Result<f64, TooLarge> {
        Ok(self * other)
    }

    fn divided_by(self, other: f64) -> Result<f64, TooLarge> {
        Ok(self / other)
    }

    fn negated(self) -> Result<f64, TooLarge> {
        Ok(-self)
    }

    fn compare(self, other: f64) -> Result<Ordering, TooLarge> {
        if self == other || (self - other).abs() <= TOLERANCE {
            return Ok(Ordering::Equal);
        }
        self.partial_cmp(&other).ok_or(TooLarge)
    }

    fn is_zero(self) -> bool {
        self.abs() <= TOLERANCE
    }

    fn is_positive(self) -> bool {
        self > 0.0
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
            let (least, most) = (i128::from(rng.between(-4, 0)), i128::from(rng.between(0, 4)));
            let box_of = Bounds::whole(least, most);
            let mut simplex = Simplex::new();
            let variables: Vec<usize> =
                (0..3).map(|_| simplex.add_variable(box_of).unwrap()).collect();
            let mut forms = Vec::new();
            for _ in 0..rng.between(1, 5) {
                let factors: Vec<i128> = (0..3).map(|_| rng.between(-3, 3).into()).collect();
                let low = i128::from(rng.between(-8, 8));
                let high = low + i128::from(rng.between(0, 3));
                let form = variables.iter().copied().zip(factors.iter().copied());
                let form =
                    form.filter(|&(_, a)| a != 0).map(|(v, a)| (v, Ratio::whole(a))).collect();
                simplex.add_form(form, Bounds::whole(low, high)).unwrap();
                forms.push((factors, low, high));
            }
            let all = || least..=most;
            let holds = |point: [i128; 3]| {
                forms.iter().all(|(factors, low, high)| {
                    let sum: i128 = factors.iter().zip(point).map(|(a, x)| a * x).sum();
                    *low <= sum && sum <= *high
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
