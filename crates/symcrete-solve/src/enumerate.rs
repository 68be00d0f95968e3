//! The enumerating solver: complete on tiny domains, the oracle of our own tests.
//!
//! A step is one evaluation of the query.

use crate::{Budget, CompiledQuery, Query, Solver, Verdict, Why};

/// Tries every valuation, if their number fits a small bound.
pub struct Enumerate;

/// Domains of more bits than this are refused.
const BITS_MAX: u32 = 24;

impl Solver for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let compiled = CompiledQuery::new(query);
        let bits: u32 = compiled.variables().iter().map(|(_, sort)| sort.bits()).sum();
        if bits > BITS_MAX {
            return Verdict::Unknown(Why::Unsupported(format!(
                "{bits} bits of input are more than can be enumerated ({BITS_MAX})"
            )));
        }
        let mut state = compiled.state(query.hint);
        for number in 0..1u64 << bits {
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            let mut rest = number;
            for (i, (_, sort)) in compiled.variables().iter().enumerate() {
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

    #[test]
    fn decides_tiny_domains_and_refuses_large_ones() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(4)), terms.var("y", Sort::Bv(4)));
        let product = terms.app(Op::BvMul, &[x, y]);
        let k = terms.bv(4, 15);
        let is_k = terms.eq(product, k);
        let small = terms.app(Op::BvUlt, &[x, y]);
        let same = terms.eq(x, y);
        let wide = terms.var("wide", Sort::Bv(32));
        let zero = terms.bv(32, 0);
        let is_zero = terms.eq(wide, zero);
        let hint = Valuation::new();
        let ask = |literals: &[Literal]| {
            let query = Query { terms: &terms, literals, hint: &hint };
            let verdict = Enumerate.solve(&query, &mut Budget::of_steps(1 << 24));
            if let Verdict::Sat(model) = &verdict {
                assert!(query.accepts(model));
            }
            verdict.word()
        };
        let holds = Literal::holds;
        assert_eq!(ask(&[holds(is_k), holds(small)]), "sat");
        assert_eq!(ask(&[holds(is_k), holds(small), holds(same)]), "unsat");
        assert_eq!(ask(&[holds(is_zero)]), "unknown");
        assert_eq!(ask(&[]), "sat");
    }
}
