//! The random solver of paper 003 (Takaki et al.): draw every variable until the query holds.
//!
//! Deviation: beside the uniform range the draws mix in small numbers, extremes, powers of two, the
//! query's own constants and the hint, because uniform 64-bit values meet no narrow condition. A step
//! is one evaluation of the query.

use crate::{Budget, CompiledQuery, Query, Solver, Verdict};
use symcrete_term::{Rng, Seed, Sort, Value, VarId, reachable};

/// Draws until the budget ends.
pub struct Random {
    seed: Seed,
}

impl Random {
    /// A random solver; the same seed and query give the same draws.
    pub fn new(seed: Seed) -> Random {
        Random { seed: seed.derive("solver/random") }
    }
}

impl Solver for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let compiled = CompiledQuery::new(query);
        let mut state = compiled.state(query.hint);
        let mut rng = query.seed(self.seed).rng();
        let constants = constants(query);
        loop {
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            if compiled.holds(&mut state) {
                return Verdict::Sat(compiled.model(&state));
            }
            for (i, &(_, sort)) in compiled.variables().iter().enumerate() {
                state.set(i, draw(&mut rng, sort, &constants));
            }
        }
    }
}

/// The constants of the query: programs compare their inputs with these.
pub(crate) fn constants(query: &Query<'_>) -> Vec<Value> {
    let below = reachable(query.terms, &query.roots());
    below.into_iter().filter_map(|term| query.terms.as_const(term)).collect()
}

/// Raw bits of a value for each variable.
pub(crate) fn draw_point(
    rng: &mut Rng,
    variables: &[(VarId, Sort)],
    constants: &[Value],
) -> Vec<u64> {
    variables.iter().map(|&(_, sort)| draw(rng, sort, constants)).collect()
}

/// Raw bits of a value of a sort.
pub(crate) fn draw(rng: &mut Rng, sort: Sort, constants: &[Value]) -> u64 {
    let bits = match rng.below(4) {
        0 if !constants.is_empty() => near_constant(rng, sort, constants),
        1 => of_integer(sort, rng.between(-16, 16)),
        2 => extreme(rng, sort),
        _ => rng.next_u64(),
    };
    Value::from_bits(sort, bits).bits()
}

fn near_constant(rng: &mut Rng, sort: Sort, constants: &[Value]) -> u64 {
    let constant = *rng.choose(constants);
    let step = rng.between(-1, 1);
    match (constant.as_f64(), constant.as_signed(), sort) {
        (Some(x), _, Sort::F32) => u64::from((x as f32).to_bits()).wrapping_add_signed(step),
        (Some(x), _, Sort::F64) => x.to_bits().wrapping_add_signed(step),
        (Some(x), _, Sort::Bool | Sort::Bv(_)) => (x as i64).wrapping_add(step) as u64,
        (None, Some(n), _) => of_integer(sort, n.wrapping_add(step)),
        (None, None, _) => constant.bits(),
    }
}

fn of_integer(sort: Sort, n: i64) -> u64 {
    match sort {
        Sort::F32 => u64::from((n as f32).to_bits()),
        Sort::F64 => (n as f64).to_bits(),
        Sort::Bool | Sort::Bv(_) => n as u64,
    }
}

/// Powers of two and their neighbours; of floats the infinities, NaN, zeros and any magnitude.
fn extreme(rng: &mut Rng, sort: Sort) -> u64 {
    let power = 1u64 << rng.below(u64::from(sort.bits()));
    let sign = 1u64 << (sort.bits() - 1);
    match (sort, rng.below(3)) {
        (Sort::F32, 0) => [0, 0x7f80_0000, 0x7fc0_0000, 1, sign][rng.below(5) as usize],
        (Sort::F64, 0) => [0, 0x7ff0 << 48, 0x7ff8 << 48, 1, sign][rng.below(5) as usize],
        (Sort::F32 | Sort::F64, _) => of_integer(sort, power as i64),
        (Sort::Bool | Sort::Bv(_), 0) => power,
        (Sort::Bool | Sort::Bv(_), 1) => power.wrapping_sub(1),
        (Sort::Bool | Sort::Bv(_), _) => power.wrapping_neg(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Why;
    use symcrete_term::{Literal, Op, Terms, Valuation};

    #[test]
    fn finds_a_constant_and_respects_the_budget() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let k = terms.bv(32, 123_456_789);
        let square = terms.app(Op::BvMul, &[x, x]);
        let (equal, never) = (terms.eq(x, k), terms.app(Op::BvUlt, &[square, square]));
        let hint = Valuation::new();
        let ask = |term, steps| {
            let literals = [Literal::holds(term)];
            let query = Query { terms: &terms, literals: &literals, hint: &hint };
            let mut budget = Budget::of_steps(steps);
            (Random::new(Seed(1)).solve(&query, &mut budget), budget.steps_used())
        };
        let (verdict, steps) = ask(equal, 10_000);
        assert!(matches!(verdict, Verdict::Sat(_)));
        assert_eq!(ask(equal, 10_000), (verdict, steps), "same seed, same answer");
        assert_eq!(ask(never, 100), (Verdict::Unknown(Why::OutOfSteps), 101));
    }
}
