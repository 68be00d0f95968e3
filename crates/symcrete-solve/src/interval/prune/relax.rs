//! The linear relaxation of a box: what the comparisons of floats say of the reals behind them.
//!
//! Every float term that is a finite number throughout the box is a polynomial plus an error ([`Poly`]). A comparison that is
//! decided is a row over its monomials; so is what the box knows of a term. A monomial that is a product is tied to its
//! factors by McCormick's four inequalities. The rows hold for every model in the box, so if they
//! contradict each other there is none.

use super::linear_program::{Row, is_infeasible};
use super::poly::{Interval, Monomial, Poly, range_of, up};
use crate::interval::contract::Network;
use crate::interval::domain::{Domain, bits_at};
use crate::interval::forward::Step;
use crate::search::domain::to_number;
use std::collections::BTreeMap;
use symcrete_term::{Op, Rounding, Sort};

/// Larger programs take longer than they help.
const ROWS_MAX: usize = 400;
const COLUMNS_MAX: usize = 250;

/// Whether the box of a network provably has no model.
pub(super) fn refutes(network: &Network<'_>) -> bool {
    let mut relaxation = Relaxation::default();
    relaxation.all_terms(network);
    relaxation.compare_all(network);
    relaxation.tie_products();
    let (rows, columns) = (relaxation.rows, relaxation.columns);
    if rows.is_empty() || rows.len() > ROWS_MAX || columns.len() > COLUMNS_MAX {
        return false;
    }
    is_infeasible(&columns, &rows)
}

#[derive(Default)]
struct Relaxation {
    /// The ranges of the atoms.
    atoms: Vec<Interval>,
    /// By term of the network.
    forms: Vec<Option<Poly>>,
    /// The monomials of the linear program and their ranges.
    numbers: BTreeMap<Monomial, usize>,
    columns: Vec<Interval>,
    rows: Vec<Row>,
}

/// The range of a float that is a finite number throughout its set.
fn finite_range(domain: Domain) -> Option<Interval> {
    if !domain.sort.is_float() || domain.nan {
        return None;
    }
    let (low, high) = domain.range()?;
    let number = |place| to_number(domain.sort, bits_at(domain.sort, place));
    let range = Interval { low: number(low), high: number(high) };
    range.is_finite().then_some(range)
}

impl Relaxation {
    /// The forms of all float terms, children first.
    fn all_terms(&mut self, network: &Network<'_>) {
        for i in 0..network.steps.len() {
            let form = finite_range(network.domains[i]).map(|range| {
                let exact = network.domains[i].single().map(|_| Poly::constant(range.low));
                exact.or_else(|| self.form(network, i, range)).unwrap_or_else(|| self.atom(range))
            });
            self.forms.push(form);
        }
    }

    fn atom(&mut self, range: Interval) -> Poly {
        self.atoms.push(range);
        Poly::atom((self.atoms.len() - 1) as u32)
    }

    /// A term as a polynomial of its arguments. `None` if it is none, or too large.
    fn form(&mut self, network: &Network<'_>, i: usize, range: Interval) -> Option<Poly> {
        let Step::App { op, indices, .. } = network.steps[i] else { return None };
        let positions: Vec<usize> = network.args(i).iter().map(|&arg| arg as usize).collect();
        let args: Vec<Poly> =
            positions.iter().map(|&arg| self.forms[arg].clone()).collect::<Option<_>>()?;
        let sizes: Vec<f64> = positions
            .iter()
            .map(|&arg| finite_range(network.domains[arg]).map(Interval::size))
            .collect::<Option<_>>()?;
        let atoms = &self.atoms;
        let rounded = rounding_error(op, indices[0], network.domains[i].sort, range.size());
        let mut form = match (op, &args[..]) {
            (Op::FpNeg, [a]) => return Some(a.negated()),
            (Op::FpOfFp, [a]) => {
                let is_wider = network.domains[i].sort == Sort::F64;
                if is_wider {
                    return Some(a.clone());
                }
                a.clone()
            }
            (Op::FpAdd, [a, b]) => a.plus(b, atoms),
            (Op::FpSub, [a, b]) => a.plus(&b.negated(), atoms),
            (Op::FpMul, [a, b]) => a.times(b, [sizes[0], sizes[1]], atoms)?,
            (Op::FpFma, [a, b, c]) => a.times(b, [sizes[0], sizes[1]], atoms)?.plus(c, atoms),
            (Op::FpDiv, [a, b]) => return self.quotient(a, b, range, sizes[1], rounded?),
            _ => return None,
        };
        form.grow(rounded?);
        form.is_manageable().then_some(form)
    }

    /// A quotient is an atom of its own; its product with the divisor is the dividend, up to rounding.
    fn quotient(
        &mut self,
        dividend: &Poly,
        divisor: &Poly,
        range: Interval,
        divisor_size: f64,
        rounded: f64,
    ) -> Option<Poly> {
        let quotient = self.atom(range);
        let sizes = [range.size(), divisor_size];
        let product = quotient.times(divisor, sizes, &self.atoms);
        if let Some(product) = product {
            let mut difference = product.plus(&dividend.negated(), &self.atoms);
            difference.grow(up(rounded * divisor_size));
            self.add_row(&difference, 0.0);
            self.add_row(&difference.negated(), 0.0);
        }
        Some(quotient)
    }

    /// Rows for all comparisons of floats that are decided, and for what the box knows of sums and products.
    fn compare_all(&mut self, network: &Network<'_>) {
        for i in 0..network.steps.len() {
            if let Some(form) = self.forms[i].clone()
                && let Some(range) = finite_range(network.domains[i])
            {
                self.add_range(&form, range);
            }
            let Step::App { op, .. } = network.steps[i] else { continue };
            let (&[a, b], Some(holds)) = (network.args(i), network.domains[i].decided()) else {
                continue;
            };
            let (Some(a), Some(b)) = (&self.forms[a as usize], &self.forms[b as usize]) else {
                continue;
            };
            let less = a.plus(&b.negated(), &self.atoms);
            // Neither side is NaN, so where an order fails the opposite one holds.
            match (op, holds) {
                (Op::FpLt | Op::FpLe, true) => self.add_row(&less, 0.0),
                (Op::FpLt | Op::FpLe, false) => self.add_row(&less.negated(), 0.0),
                (Op::FpEq | Op::Eq, true) => {
                    self.add_row(&less, 0.0);
                    self.add_row(&less.negated(), 0.0);
                }
                _ => {}
            }
        }
    }

    /// What the box knows of a term, if its form does not show it.
    fn add_range(&mut self, form: &Poly, range: Interval) {
        if form.terms.len() == 1 && form.error == 0.0 {
            return;
        }
        let own = form.range(&self.atoms);
        if range.high < own.high {
            self.add_row(form, range.high);
        }
        if range.low > own.low {
            self.add_row(&form.negated(), -range.low);
        }
    }

    /// `form ≤ bound`, up to the form's error.
    fn add_row(&mut self, form: &Poly, bound: f64) {
        let mut row = Row { terms: Vec::new(), bound: up(bound + form.error) };
        for (monomial, &a) in &form.terms {
            if monomial.is_empty() {
                row.bound = up(row.bound - a);
            } else {
                row.terms.push((self.column(monomial), a));
            }
        }
        if row.terms.is_empty() {
            // A row without columns holds, or nothing does: next to nothing on the left tells which, on the safe side.
            row.terms.push((self.column(&Vec::new()), -f64::MIN_POSITIVE));
        }
        if row.bound.is_finite() {
            self.rows.push(row);
        }
    }

    fn column(&mut self, monomial: &Monomial) -> usize {
        if let Some(&column) = self.numbers.get(monomial) {
            return column;
        }
        let range = range_of(monomial, &self.atoms);
        self.columns.push(range);
        self.numbers.insert(monomial.clone(), self.columns.len() - 1);
        self.columns.len() - 1
    }

    /// McCormick's inequalities for every monomial of two or more atoms: its first atom times the rest.
    fn tie_products(&mut self) {
        let mut open: Vec<Monomial> =
            self.numbers.keys().filter(|m| m.len() > 1).cloned().collect();
        let mut done = std::collections::BTreeSet::new();
        while let Some(monomial) = open.pop() {
            if !done.insert(monomial.clone()) || self.columns.len() > COLUMNS_MAX {
                continue;
            }
            let (first, rest) = (vec![monomial[0]], monomial[1..].to_vec());
            if rest.len() > 1 {
                open.push(rest.clone());
            }
            let [product, x, y] = [&monomial, &first, &rest].map(|m| self.column(m));
            if self.columns[product].is_finite() {
                let (rx, ry) = (self.columns[x], self.columns[y]);
                // (x - a)(y - b) has a known sign at each corner (a, b).
                for (a, b, is_positive) in [
                    (rx.low, ry.low, true),
                    (rx.high, ry.high, true),
                    (rx.low, ry.high, false),
                    (rx.high, ry.low, false),
                ] {
                    // xy - bx - ay + ab is at least or at most zero.
                    let sign = if is_positive { -1.0 } else { 1.0 };
                    let constant = Interval { low: a, high: a }.times(Interval { low: b, high: b });
                    let bound = if is_positive { constant.high } else { -constant.low };
                    let mut terms: BTreeMap<usize, f64> = BTreeMap::new();
                    for (column, factor) in [(product, sign), (x, -sign * b), (y, -sign * a)] {
                        *terms.entry(column).or_insert(0.0) += factor;
                    }
                    // The sum of two factors of one column may be rounded; its column is finite.
                    let slack = if x == y {
                        up((a.abs() + b.abs()) * f64::EPSILON * rx.size())
                    } else {
                        0.0
                    };
                    let bound = up(bound + slack);
                    self.rows.push(Row { terms: terms.into_iter().collect(), bound });
                }
            }
        }
    }
}

/// How far a finite result of some size can be from the exact one; `None` if that is not known.
fn rounding_error(op: Op, rounding: u8, sort: Sort, size: f64) -> Option<f64> {
    let (epsilon, least, most) = match sort {
        Sort::F32 => (f64::from(f32::EPSILON), f64::from(f32::from_bits(1)), f64::from(f32::MAX)),
        Sort::F64 => (f64::EPSILON, f64::from_bits(1), f64::MAX),
        Sort::Bool | Sort::Bv(_) => return None,
    };
    // Directed rounding turns what is beyond the largest number into the largest number.
    let is_nearest =
        rounding == Rounding::NearestEven as u8 || rounding == Rounding::NearestAway as u8;
    if !is_nearest && size >= most / 2.0 {
        return None;
    }
    debug_assert!(op.info().arity > 0, "only operations round");
    // An ulp of a number is at most epsilon times the number, and never below the least one.
    let ulp = up(size * epsilon).max(least);
    Some(if is_nearest { up(ulp / 2.0) } else { ulp })
}
