//! Polynomials over the reals with a bound for what they miss.
//!
//! A float term is a polynomial in atoms (inputs, and terms that are none) plus an error of bounded size, made of the
//! rounding of the term's operations and of the rounding of our own arithmetic here. Bounds are doubles, every
//! operation on them rounded to the safe side.

use std::collections::BTreeMap;

/// The least double that is surely not below the exact result, given the rounded one.
pub(super) fn up(x: f64) -> f64 {
    x.next_up()
}

/// The greatest double that is surely not above the exact result, given the rounded one.
pub(super) fn down(x: f64) -> f64 {
    x.next_down()
}

/// An interval of reals that are finite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    pub(super) const ONE: Interval = Interval { low: 1.0, high: 1.0 };

    pub(super) fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    pub(super) fn plus(self, other: Interval) -> Interval {
        Interval { low: down(self.low + other.low), high: up(self.high + other.high) }
    }

    pub(super) fn times(self, other: Interval) -> Interval {
        let products = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        // Zero times infinity: `min` and `max` would pass over it.
        if products.iter().any(|product| product.is_nan()) {
            return Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let low = products.into_iter().fold(f64::INFINITY, f64::min);
        let high = products.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Interval { low: down(low), high: up(high) }
    }

    pub(super) fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }
}

/// Atoms multiplied with each other, sorted; none is the number one.
pub(super) type Monomial = Vec<u32>;

/// `Σ aᵢ mᵢ`, within `error` of the term it stands for.
#[derive(Clone, Debug)]
pub(super) struct Poly {
    pub(super) terms: BTreeMap<Monomial, f64>,
    pub(super) error: f64,
}

/// The ranges of the atoms.
pub(super) type Ranges = [Interval];

/// Larger polynomials are not worth their linear programs.
const TERMS_MAX: usize = 48;
const DEGREE_MAX: usize = 6;

pub(super) fn range_of(monomial: &[u32], ranges: &Ranges) -> Interval {
    // Equal atoms are next to each other: an even power is not negative.
    let mut range = Interval::ONE;
    let mut rest = monomial;
    while let Some((&atom, _)) = rest.split_first() {
        let n = rest.iter().take_while(|&&other| other == atom).count();
        let of_atom = ranges[atom as usize];
        let mut power = Interval::ONE;
        for _ in 0..n {
            power = power.times(of_atom);
        }
        if n % 2 == 0 {
            let crosses = of_atom.low <= 0.0 && of_atom.high >= 0.0;
            power.low = if crosses { 0.0 } else { power.low.max(0.0) };
        }
        range = range.times(power);
        rest = &rest[n..];
    }
    range
}

impl Poly {
    pub(super) fn constant(number: f64) -> Poly {
        let mut terms = BTreeMap::new();
        if number != 0.0 {
            terms.insert(Vec::new(), number);
        }
        Poly { terms, error: 0.0 }
    }

    pub(super) fn atom(atom: u32) -> Poly {
        Poly { terms: BTreeMap::from([(vec![atom], 1.0)]), error: 0.0 }
    }

    /// What the polynomial can be, without its error.
    pub(super) fn range(&self, ranges: &Ranges) -> Interval {
        let mut range = Interval { low: 0.0, high: 0.0 };
        for (monomial, &a) in &self.terms {
            range = range.plus(range_of(monomial, ranges).times(Interval { low: a, high: a }));
        }
        range
    }

    /// Adds a multiple of a monomial; what rounding loses goes to the error.
    fn add(&mut self, monomial: Monomial, a: f64, ranges: &Ranges) {
        let size = range_of(&monomial, ranges).size();
        let entry = self.terms.entry(monomial).or_insert(0.0);
        let sum = *entry + a;
        // Half an ulp of the sum, and then some.
        let lost = if *entry == 0.0 { 0.0 } else { sum.abs() * f64::EPSILON + f64::MIN_POSITIVE };
        *entry = sum;
        self.grow(up(lost * size));
    }

    /// Makes the error larger.
    pub(super) fn grow(&mut self, by: f64) {
        if by != 0.0 {
            self.error = up(self.error + by);
        }
    }

    pub(super) fn negated(&self) -> Poly {
        let terms = self.terms.iter().map(|(monomial, &a)| (monomial.clone(), -a)).collect();
        Poly { terms, error: self.error }
    }

    pub(super) fn plus(&self, other: &Poly, ranges: &Ranges) -> Poly {
        let mut sum = self.clone();
        sum.grow(other.error);
        for (monomial, &a) in &other.terms {
            sum.add(monomial.clone(), a, ranges);
        }
        sum.terms.retain(|_, a| *a != 0.0);
        sum
    }

    /// The product. `sizes` bounds what the two terms can be.
    pub(super) fn times(&self, other: &Poly, sizes: [f64; 2], ranges: &Ranges) -> Option<Poly> {
        let mut product = Poly { terms: BTreeMap::new(), error: 0.0 };
        for (x, &a) in &self.terms {
            for (y, &b) in &other.terms {
                let mut monomial = [&x[..], &y[..]].concat();
                monomial.sort_unstable();
                let exact = a * b;
                let lost = (exact.abs() * f64::EPSILON + f64::MIN_POSITIVE)
                    * f64::from(u8::from(a.abs() != 1.0 && b.abs() != 1.0));
                product.grow(up(lost * range_of(&monomial, ranges).size()));
                product.add(monomial, exact, ranges);
            }
        }
        product.terms.retain(|_, a| *a != 0.0);
        // (p + e)(q + f) = pq + e(q + f) + f(p + e) - ef
        let errors = up(up(self.error * sizes[1]) + up(other.error * sizes[0]));
        product.grow(up(errors + up(self.error * other.error)));
        product.is_manageable().then_some(product)
    }

    pub(super) fn is_manageable(&self) -> bool {
        self.terms.len() <= TERMS_MAX
            && self.error.is_finite()
            && self.terms.iter().all(|(monomial, a)| monomial.len() <= DEGREE_MAX && a.is_finite())
    }
}
