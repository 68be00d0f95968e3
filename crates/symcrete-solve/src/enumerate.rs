//! The enumerating solver: complete on small domains, the oracle of our own tests.
//!
//! Tiny domains are gone through in order, so the least model is found. Larger ones are gone through in steps of the golden
//! section, which spreads what was tried evenly: a condition that a good part of all inputs satisfies (one over a hash, say) has an answer long
//! before the end, wherever its models lie.
//!
//! A step is one evaluation of the query.

use crate::compiled::CompiledQuery;
use crate::{Budget, Query, Solver, Verdict, Why};

/// Tries every valuation, if their number fits a bound.
pub struct Enumerate;

/// Domains of more bits than this are refused: they would take hours.
pub(crate) const BITS_MAX: u32 = 32;
/// Domains of more bits are not taken in order.
const BITS_IN_ORDER: u32 = 16;
/// The fraction of 2^64 that the golden section is.
const GOLDEN_SECTION: u64 = 0x9e37_79b9_7f4a_7c15;

impl Solver for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let mut compiled = CompiledQuery::new(query);
        let sorts: Vec<_> = compiled.variables().iter().map(|&(_, sort)| sort).collect();
        let bits: u32 = sorts.iter().map(|sort| sort.bits()).sum();
        if bits > BITS_MAX {
            return Verdict::Unknown(Why::Unsupported(format!(
                "{bits} bits of input are more than can be enumerated ({BITS_MAX})"
            )));
        }
        // Odd, so that every number comes once.
        let stride = if bits <= BITS_IN_ORDER { 1 } else { GOLDEN_SECTION >> (64 - bits) | 1 };
        let mut state = compiled.state(query.hint);
        for number in 0..1u64 << bits {
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            let mut rest = number.wrapping_mul(stride);
            for (i, sort) in sorts.iter().enumerate() {
                state.set(i, rest & sort.mask());
                rest >>= sort.bits();
            }
            if compiled.holds(&mut state) {
                return Verdict::Sat(compiled.model(&state));
            }
        }
        Verdict::Unsat
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Op, Sort, Terms, Valuation};

    fn ask(terms: &Terms, literals: &[Literal], steps: u64) -> Verdict {
        let query = Query { terms, literals, hint: &Valuation::new() };
        let verdict = Enumerate.solve(&query, &mut Budget::of_steps(steps));
        if let Verdict::Sat(model) = &verdict {
            assert!(query.accepts(model));
        }
        verdict
    }

    #[test]
    fn decides_tiny_domains_and_refuses_large_ones() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(4)), terms.var("y", Sort::Bv(4)));
        let product = terms.app(Op::BvMul, &[x, y]);
        let k = terms.bv(4, 15);
        let is_k = terms.eq(product, k);
        let small = terms.app(Op::BvUlt, &[x, y]);
        let same = terms.eq(x, y);
        let wide = terms.var("wide", Sort::Bv(33));
        let zero = terms.bv(33, 0);
        let is_zero = terms.eq(wide, zero);
        let holds = Literal::holds;
        assert_eq!(ask(&terms, &[holds(is_k), holds(small)], 1 << 8).word(), "sat");
        assert_eq!(ask(&terms, &[holds(is_k), holds(small), holds(same)], 1 << 8).word(), "unsat");
        assert_eq!(ask(&terms, &[holds(is_zero)], 1 << 8).word(), "unknown");
        assert_eq!(ask(&terms, &[], 1).word(), "sat");
    }

    /// Of a domain that is not taken in order every input is still tried, each once: the one model among them is found, and
    /// without it the answer is `unsat` after as many steps as there are inputs.
    #[test]
    fn a_scattered_order_leaves_nothing_out() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(9)), terms.var("y", Sort::Bv(8)));
        for place in [0, 1, 0x1_0000, 0x1_ffff] {
            let (low, high) = (terms.bv(9, place & 0x1ff), terms.bv(8, place >> 9));
            let there = [(x, low), (y, high)].map(|(a, b)| Literal::holds(terms.eq(a, b)));
            assert_eq!(ask(&terms, &there, 1 << 17).word(), "sat", "{place:x}");
        }
        let [zero, one] = [0, 1].map(|k| terms.bv(9, k));
        let both = [zero, one].map(|k| Literal::holds(terms.eq(x, k)));
        let zero = terms.bv(8, 0);
        let never = [both[0], both[1], Literal::holds(terms.eq(y, zero))];
        assert_eq!(ask(&terms, &never, 1 << 17), Verdict::Unsat);
        assert_eq!(ask(&terms, &never, (1 << 17) - 1).word(), "unknown");
    }

    /// Models that lie together in a part of the domain far from zero are met soon.
    #[test]
    fn a_thousandth_of_the_domain_is_met_in_a_few_thousand_steps() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let (low, high) = (terms.bv(32, 0xc000_0000), terms.bv(32, 0xc040_0000));
        let above = Literal::holds(terms.app(Op::BvUle, &[low, x]));
        let below = Literal::holds(terms.app(Op::BvUlt, &[x, high]));
        assert_eq!(ask(&terms, &[above, below], 4_000).word(), "sat");
    }
}
