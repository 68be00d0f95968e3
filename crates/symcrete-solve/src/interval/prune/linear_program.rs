//! Linear programs that are infeasible, with a proof that does not trust the arithmetic that found it.
//!
//! A simplex in doubles proposes multipliers of the rows. For any multipliers that are not negative, the combined row must hold too; if its
//! least value over the box of the columns is above its bound, nothing satisfies all rows (A. Neumaier,
//! O. Shcherbina, *Safe bounds in linear and mixed-integer linear programming*, 2004). That last step is done in interval arithmetic, so it is a proof.

use super::poly::{Interval, down, up};
use crate::linear::simplex::{Bounds, Checked, Simplex};
use std::collections::BTreeMap;

/// `Σ aⱼxⱼ ≤ bound`.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) terms: Vec<(usize, f64)>,
    pub(super) bound: f64,
}

/// Pivots of one program.
const PIVOTS_MAX: u32 = 300;

/// Whether no point of the columns' ranges satisfies all rows.
pub(super) fn is_infeasible(columns: &[Interval], rows: &[Row]) -> bool {
    rows.iter().any(|row| is_contradiction(columns, [(1.0, row)].into_iter()))
        || multipliers(columns, rows).is_some_and(|multipliers| {
            let used = multipliers.iter().map(|&(row, y)| (y, &rows[row]));
            is_contradiction(columns, used)
        })
}

/// Whether rows with multipliers that are not negative exclude every point.
fn is_contradiction<'r>(columns: &[Interval], rows: impl Iterator<Item = (f64, &'r Row)>) -> bool {
    let mut sums: BTreeMap<usize, Interval> = BTreeMap::new();
    let mut bound = 0.0;
    for (y, row) in rows {
        assert!(y >= 0.0, "an inequality is never turned round");
        bound = up(bound + up(y * row.bound));
        for &(column, a) in &row.terms {
            let product = y * a;
            let sum = sums.entry(column).or_insert(Interval { low: 0.0, high: 0.0 });
            *sum = sum.plus(Interval { low: down(product), high: up(product) });
        }
    }
    let mut least = 0.0;
    for (column, factor) in sums {
        least = down(least + factor.times(columns[column]).low);
    }
    least.is_finite() && bound.is_finite() && least > bound
}

/// Multipliers of the rows that may show a contradiction.
fn multipliers(columns: &[Interval], rows: &[Row]) -> Option<Vec<(usize, f64)>> {
    // All columns and rows are brought to about one in size.
    let sizes: Vec<f64> = columns.iter().map(|range| range.size().max(f64::MIN_POSITIVE)).collect();
    let mut simplex = Simplex::new();
    for (range, size) in columns.iter().zip(&sizes) {
        simplex.add_variable(Bounds { low: range.low / size, high: range.high / size }).ok()?;
    }
    let mut scales = Vec::new();
    for row in rows {
        let scaled: Vec<(usize, f64)> =
            row.terms.iter().map(|&(column, a)| (column, a * sizes[column])).collect();
        let largest = scaled.iter().fold(0.0, |most: f64, (_, a)| most.max(a.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return None;
        }
        let form = scaled.into_iter().map(|(column, a)| (column, a / largest)).collect();
        let bounds = Bounds { low: f64::NEG_INFINITY, high: row.bound / largest };
        simplex.add_form(form, bounds).ok()?;
        scales.push(largest);
    }
    if simplex.check(PIVOTS_MAX) != Checked::Contradiction {
        return None;
    }
    let (basic, form) = simplex.conflict()?;
    let row_of = |variable: usize| variable.checked_sub(columns.len());
    let own = row_of(basic).map(|row| (row, 1.0 / scales[row]));
    let others = form.iter().filter_map(|(&variable, &a)| {
        let row = row_of(variable)?;
        Some((row, a.abs() / scales[row]))
    });
    Some(own.into_iter().chain(others).filter(|(_, y)| y.is_finite()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Seed;

    #[test]
    fn no_program_with_a_point_is_called_infeasible() {
        let mut rng = Seed(1).derive("linear program").rng();
        let mut n_infeasible = 0;
        for round in 0..3_000 {
            let n = 1 + rng.below(4) as usize;
            let columns: Vec<Interval> = (0..n)
                .map(|_| {
                    let low = rng.fraction() * 4.0 - 2.0;
                    Interval { low, high: low + rng.fraction() * 3.0 }
                })
                .collect();
            let point: Vec<f64> =
                columns.iter().map(|c| c.low + rng.fraction() * (c.high - c.low)).collect();
            // Half of the programs are made to have the point, often on their very edge.
            let has_point = round % 2 == 0;
            let rows: Vec<Row> = (0..1 + rng.below(6))
                .map(|_| {
                    let terms: Vec<(usize, f64)> =
                        (0..n).map(|j| (j, (rng.fraction() * 8.0 - 4.0).round() / 2.0)).collect();
                    let at: f64 = terms.iter().map(|&(j, a)| a * point[j]).sum();
                    let slack = if rng.one_in(2) { 1e-13 } else { rng.fraction() };
                    let bound = if has_point { at + slack } else { at - rng.fraction() * 2.0 };
                    Row { terms, bound }
                })
                .collect();
            let infeasible = is_infeasible(&columns, &rows);
            assert!(!(infeasible && has_point), "round {round}");
            n_infeasible += u32::from(infeasible);
        }
        assert!(n_infeasible > 300, "{n_infeasible}");
    }
}
