//! Comparisons that contradict each other, whatever the numbers: `a < b` and `b < a`.
//!
//! Decided comparisons are edges "at most" between terms, some of them strict. A strict edge on a cycle is a
//! contradiction; so is a cycle through two terms that differ. Unsigned, signed and float orders are apart. A
//! comparison of floats that is false says something only where neither side can be NaN.

use super::contract::{Contradiction, Network};
use super::forward::Step;
use symcrete_term::{Op, Sort};

/// How many terms of one order are looked at: the bits of a word.
const TERMS_MAX: usize = 128;

/// Terms that are compared in one order.
#[derive(Default)]
struct Order {
    terms: Vec<u32>,
    /// Bit `j` of entry `i`: term `i` is at most term `j`.
    at_most: Vec<u128>,
    below: Vec<(usize, usize)>,
    differ: Vec<(usize, usize)>,
}

impl Order {
    fn index(&mut self, term: u32) -> Option<usize> {
        let known = self.terms.iter().position(|&other| other == term);
        if known.is_none() && self.terms.len() < TERMS_MAX {
            self.terms.push(term);
            self.at_most.push(0);
            return Some(self.terms.len() - 1);
        }
        known
    }

    fn pair(&mut self, a: u32, b: u32) -> Option<(usize, usize)> {
        Some((self.index(a)?, self.index(b)?))
    }

    fn add_at_most(&mut self, a: u32, b: u32) {
        if let Some((a, b)) = self.pair(a, b) {
            self.at_most[a] |= 1 << b;
        }
    }

    fn add_below(&mut self, a: u32, b: u32) {
        self.add_at_most(a, b);
        let pair = self.pair(a, b);
        self.below.extend(pair);
    }

    fn add_equal(&mut self, a: u32, b: u32) {
        self.add_at_most(a, b);
        self.add_at_most(b, a);
    }

    fn add_differ(&mut self, a: u32, b: u32) {
        let pair = self.pair(a, b);
        self.differ.extend(pair);
    }

    /// A comparison and whether it holds.
    fn add(&mut self, a: u32, b: u32, strict: bool, holds: bool) {
        match (strict, holds) {
            (true, true) => self.add_below(a, b),
            (false, true) => self.add_at_most(a, b),
            (true, false) => self.add_at_most(b, a),
            (false, false) => self.add_below(b, a),
        }
    }

    fn is_contradictory(&mut self) -> bool {
        if self.below.is_empty() && self.differ.is_empty() {
            return false;
        }
        for middle in 0..self.terms.len() {
            let beyond = self.at_most[middle];
            for set in &mut self.at_most {
                if *set >> middle & 1 == 1 {
                    *set |= beyond;
                }
            }
        }
        let reaches = |a: usize, b: usize| a == b || self.at_most[a] >> b & 1 == 1;
        self.below.iter().any(|&(a, b)| reaches(b, a))
            || self.differ.iter().any(|&(a, b)| reaches(a, b) && reaches(b, a))
    }
}

/// Checks the decided comparisons of a network.
pub(crate) fn check(network: &Network<'_>) -> Result<(), Contradiction> {
    let [mut unsigned, mut signed, mut floats] =
        [Order::default(), Order::default(), Order::default()];
    for (i, step) in network.steps.iter().enumerate() {
        let Step::App { op, .. } = *step else { continue };
        let (&[a, b], Some(holds)) = (network.args(i), network.domains[i].decided()) else {
            continue;
        };
        let [x, y] = [a, b].map(|arg| network.domains[arg as usize]);
        if x.sort == Sort::Bool {
            continue;
        }
        let are_numbers = !x.nan && !y.nan;
        match (op, holds) {
            (Op::BvUlt, _) => unsigned.add(a, b, true, holds),
            (Op::BvUle, _) => unsigned.add(a, b, false, holds),
            (Op::BvSlt, _) => signed.add(a, b, true, holds),
            (Op::BvSle, _) => signed.add(a, b, false, holds),
            (Op::FpLt, _) if holds || are_numbers => floats.add(a, b, true, holds),
            (Op::FpLe, _) if holds || are_numbers => floats.add(a, b, false, holds),
            (Op::FpEq, true) => floats.add_equal(a, b),
            (Op::FpEq, false) if are_numbers => floats.add_differ(a, b),
            (Op::Eq, true) if x.sort.is_float() && are_numbers => floats.add_equal(a, b),
            (Op::Eq, true) if !x.sort.is_float() => {
                unsigned.add_equal(a, b);
                signed.add_equal(a, b);
            }
            (Op::Eq, false) if !x.sort.is_float() => {
                unsigned.add_differ(a, b);
                signed.add_differ(a, b);
            }
            _ => {}
        }
    }
    let orders = [&mut unsigned, &mut signed, &mut floats];
    if orders.into_iter().any(|order| order.is_contradictory()) {
        Err(Contradiction)
    } else {
        Ok(())
    }
}
