//! What kind of condition a query is, as far as it tells which solver suits it.

use crate::Query;
use std::fmt;
use symcrete_term::{Node, Op, TermId, Terms, reachable};

/// The features of a query. Queries with the same features are one class to learn from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Features {
    /// Its hardest theory.
    pub theory: Theory,
    /// The number of its terms: tens, hundreds, and so on.
    pub magnitude: u8,
    /// Whether some number has more than 32 bits.
    pub is_wide: bool,
}

/// What a query needs, the easiest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Theory {
    /// Integers, sums and comparisons.
    Linear,
    /// Products, quotients, bit operations.
    Integers,
    /// Floats.
    Floats,
    /// Calls of the math library or of other opaque functions.
    Calls,
}

impl Theory {
    /// All of them.
    pub const ALL: [Theory; 4] = [Theory::Linear, Theory::Integers, Theory::Floats, Theory::Calls];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Theory::Linear => "linear",
            Theory::Integers => "integers",
            Theory::Floats => "floats",
            Theory::Calls => "calls",
        }
    }
}

impl Features {
    /// The features of a query.
    pub fn of(query: &Query<'_>) -> Features {
        let order = reachable(query.terms, &query.roots());
        let theory = order.iter().map(|&term| theory(query.terms, term)).max();
        let is_wide = order.iter().any(|&term| query.terms.sort(term).bits() > 32);
        let magnitude = order.len().max(1).ilog10() as u8;
        Features { theory: theory.unwrap_or(Theory::Linear), magnitude, is_wide }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other operators of integers are not linear"
)]
fn theory(terms: &Terms, term: TermId) -> Theory {
    if terms.sort(term).is_float() {
        return match terms.node(term) {
            Node::Call { .. } => Theory::Calls,
            Node::Const(_) | Node::Var(_) | Node::App { .. } | Node::Lookup { .. } => {
                Theory::Floats
            }
        };
    }
    let (op, args) = match terms.node(term) {
        Node::Const(_) | Node::Var(_) => return Theory::Linear,
        Node::Call { .. } => return Theory::Calls,
        Node::Lookup { .. } => return Theory::Integers,
        Node::App { op, args, .. } => (op, args),
    };
    match op {
        Op::Not | Op::And | Op::Or | Op::Xor | Op::Eq | Op::Ite => Theory::Linear,
        Op::BvAdd | Op::BvSub | Op::BvNeg | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
            Theory::Linear
        }
        Op::ZeroExtend | Op::SignExtend | Op::Extract | Op::Concat => Theory::Linear,
        Op::BvMul | Op::BvShl if args.iter().any(|&arg| terms.as_const(arg).is_some()) => {
            Theory::Linear
        }
        _ if args.iter().any(|&arg| terms.sort(arg).is_float()) => Theory::Floats,
        _ => Theory::Integers,
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = if self.is_wide { "wide" } else { "narrow" };
        write!(f, "{}/{width}/{}", self.theory.name(), self.magnitude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Literal, Sort, Terms, Valuation};

    #[test]
    fn the_hardest_part_names_the_class() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(32)));
        let z = terms.var("z", Sort::F64);
        let sine = terms.function_named("sin").unwrap();
        let call = terms.call(sine, &[z]);
        let product = terms.app(Op::BvMul, &[x, y]);
        let less = Literal::holds(terms.app(Op::BvSlt, &[x, y]));
        let mixed = Literal::holds(terms.app(Op::BvSlt, &[product, y]));
        let float = Literal::holds(terms.app(Op::FpLt, &[z, z]));
        let float = if terms.as_const(float.term).is_some() {
            let one = terms.constant(symcrete_term::Value::f64(1.0));
            Literal::holds(terms.app(Op::FpLt, &[z, one]))
        } else {
            float
        };
        let opaque = Literal::holds(terms.app(Op::FpLt, &[call, z]));
        let hint = Valuation::new();
        let name = |literals: &[Literal]| {
            Features::of(&Query { terms: &terms, literals, hint: &hint }).to_string()
        };
        assert_eq!(name(&[less]), "linear/narrow/0");
        assert_eq!(name(&[less, mixed]), "integers/narrow/0");
        assert_eq!(name(&[less, mixed, float]), "floats/wide/0");
        assert_eq!(name(&[less, opaque]), "calls/wide/0");
    }
}
