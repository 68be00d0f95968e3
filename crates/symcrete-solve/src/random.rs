//! The random solver of Takaki et al. 2010 (figure 1): draw every variable until the query holds.
//!
//! [`Draws::Uniform`] is the published form: uniform in a given range, nothing else is tried. [`Draws::Mixed`] is
//! ours: beside the whole range the draws mix in small numbers, extremes, powers of two and the
//! query's own constants, and the hint comes first, because uniform 64-bit values meet no narrow condition.
//! A step is one evaluation of the query.

use crate::compiled::CompiledQuery;
use crate::{Budget, Query, Solver, Verdict};
use symcrete_term::{Rng, Seed, Sort, Valuation, Value, VarId, reachable};

/// Where a search draws its values from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draws {
    /// A mixture of magnitudes and of the query's constants; the hint is the first point.
    Mixed,
    /// Uniformly from a range, as published; there is no hint.
    Uniform(Range),
}

/// The least and the greatest number that is drawn: the `[lo, hi]` of Takaki et al.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

impl Range {
    /// The authors leave the range to the user and do not say which they used.
    pub const DEFAULT: Range = Range { low: -100, high: 100 };
}

/// Draws until the budget ends.
pub struct Random {
    name: &'static str,
    seed: Seed,
    draws: Draws,
}

impl Random {
    /// A random solver; the same seed and query give the same draws.
    pub fn new(seed: Seed) -> Random {
        Random::drawing("random", seed, Draws::Mixed)
    }

    /// A random solver that draws otherwise, under a name of its own.
    pub fn drawing(name: &'static str, seed: Seed, draws: Draws) -> Random {
        Random { name, seed: seed.derive("solver/random"), draws }
    }
}

impl Solver for Random {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let mut compiled = CompiledQuery::new(query);
        let source = Source::new(query, self.draws);
        let mut rng = query.seed(self.seed).rng();
        let mut state = compiled.state(&source.first(&mut rng, query, compiled.variables()));
        loop {
            if let Err(why) = budget.charge(1) {
                return Verdict::Unknown(why);
            }
            if compiled.holds(&mut state) {
                return Verdict::Sat(compiled.model(&state));
            }
            for (i, &(_, sort)) in compiled.variables().iter().enumerate() {
                state.set(i, source.value(&mut rng, sort));
            }
        }
    }
}

/// What a query's values are drawn from.
pub(crate) struct Source {
    draws: Draws,
    constants: Vec<Value>,
}

impl Source {
    pub(crate) fn new(query: &Query<'_>, draws: Draws) -> Source {
        let constants = match draws {
            Draws::Mixed => constants(query),
            Draws::Uniform(_) => Vec::new(),
        };
        Source { draws, constants }
    }

    /// Raw bits of a value of a sort.
    pub(crate) fn value(&self, rng: &mut Rng, sort: Sort) -> u64 {
        match self.draws {
            Draws::Mixed => draw(rng, sort, &self.constants),
            Draws::Uniform(range) => uniform(rng, sort, range),
        }
    }

    /// Raw bits of a value for each variable.
    pub(crate) fn point(&self, rng: &mut Rng, variables: &[(VarId, Sort)]) -> Vec<u64> {
        variables.iter().map(|&(_, sort)| self.value(rng, sort)).collect()
    }

    /// A value for each variable.
    pub(crate) fn valuation(&self, rng: &mut Rng, variables: &[(VarId, Sort)]) -> Valuation {
        let value =
            |&(var, sort): &(VarId, Sort)| (var, Value::from_bits(sort, self.value(rng, sort)));
        variables.iter().map(value).collect()
    }

    /// Where a search starts.
    pub(crate) fn first(
        &self,
        rng: &mut Rng,
        query: &Query<'_>,
        variables: &[(VarId, Sort)],
    ) -> Valuation {
        match self.draws {
            Draws::Mixed => query.hint.clone(),
            Draws::Uniform(_) => self.valuation(rng, variables),
        }
    }
}

/// A number of a range; a float is drawn from the reals between its ends.
fn uniform(rng: &mut Rng, sort: Sort, Range { low, high }: Range) -> u64 {
    let bits = match sort {
        Sort::Bool => rng.below(2),
        Sort::Bv(width) => {
            let (least, greatest) = crate::search::domain::integer_range(width);
            rng.between(low.clamp(least, greatest), high.clamp(least, greatest)) as u64
        }
        Sort::F32 | Sort::F64 => {
            let (low, high) = (low as f64, high as f64);
            crate::search::domain::from_number(sort, low + rng.fraction() * (high - low))
        }
    };
    Value::from_bits(sort, bits).bits()
}

/// The constants of the query: programs compare their inputs with these.
pub(crate) fn constants(query: &Query<'_>) -> Vec<Value> {
    let below = reachable(query.terms, &query.roots());
    below.into_iter().filter_map(|term| query.terms.as_const(term)).collect()
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
    use symcrete_term::{Literal, Op, Terms};

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

    #[test]
    fn the_published_form_stays_in_its_range_and_has_no_hint() {
        let mut terms = Terms::new();
        let variables =
            [("x", Sort::Bv(32)), ("b", Sort::Bv(4)), ("f", Sort::F64), ("p", Sort::Bool)];
        let terms_of = variables.map(|(name, sort)| terms.var(name, sort));
        let far = terms.bv(32, 5_000);
        let is_far = terms.eq(terms_of[0], far);
        let near = terms.app(Op::BvSlt, &[terms_of[0], far]);
        let x = terms.find_var("x").unwrap();
        let hint = Valuation::from_iter([(x, Value::bv(32, 5_000))]);
        let ask = |term| {
            let literals = [Literal::holds(term)];
            let query = Query { terms: &terms, literals: &literals, hint: &hint };
            let draws = Draws::Uniform(Range::DEFAULT);
            let mut solver = Random::drawing("published", Seed(1), draws);
            solver.solve(&query, &mut Budget::of_steps(2_000))
        };
        assert_eq!(
            ask(is_far),
            Verdict::Unknown(Why::OutOfSteps),
            "constant and hint are not tried"
        );
        let Verdict::Sat(model) = ask(near) else { panic!("all of the range is below") };
        assert!(model.get(x).unwrap().as_signed().unwrap().abs() <= 100);
        let query = Query { terms: &terms, literals: &[], hint: &hint };
        let source = Source::new(&query, Draws::Uniform(Range::DEFAULT));
        let mut rng = Seed(2).rng();
        for _ in 0..200 {
            let four = Value::from_bits(Sort::Bv(4), source.value(&mut rng, Sort::Bv(4)));
            assert!((-8..8).contains(&four.as_signed().unwrap()));
            let float = Value::from_bits(Sort::F64, source.value(&mut rng, Sort::F64));
            assert!(float.as_f64().unwrap().abs() <= 100.0);
        }
    }
}
