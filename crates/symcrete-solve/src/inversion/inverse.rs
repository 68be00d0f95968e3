//! What one argument must be for a term to have a wanted value, the others staying as they are.
//!
//! A value that is given need not be right: who moves an input evaluates. Most are: those of bit-vectors by construction,
//! those of floats after a look at their neighbours.

use super::{bits, floats};
use symcrete_term::eval::eval;
use symcrete_term::{Node, Op, Rng, Sort, Terms, Value};

/// A term whose arguments have values.
pub(super) struct Term<'t> {
    pub(super) terms: &'t Terms,
    pub(super) node: Node<'t>,
    pub(super) result: Sort,
    pub(super) args: &'t [Value],
}

impl Term<'_> {
    /// A value of an argument for which the term should be as wanted. `None`: none is known.
    pub(super) fn argument(&self, position: usize, wanted: u64, rng: &mut Rng) -> Option<u64> {
        match self.node {
            Node::Const(_) | Node::Var(_) => None,
            Node::Call { .. } => floats::by_bisection(self, position, wanted),
            Node::Lookup { table, .. } => {
                let (_, entries) = self.terms.table_entries(table);
                let fits: Vec<u64> =
                    (0..entries.len() as u64).filter(|&i| entries[i as usize] == wanted).collect();
                (!fits.is_empty()).then(|| *rng.choose(&fits))
            }
            Node::App { op, .. } => self.of_operator(op, position, wanted, rng),
        }
    }

    /// One of some arguments, and what it should be. An argument for which the wish can be met is better than one for which it
    /// cannot; `None` if there is none.
    pub(super) fn any_argument(
        &self,
        open: &[usize],
        wanted: u64,
        rng: &mut Rng,
    ) -> Option<(usize, u64)> {
        let first = rng.below(open.len().max(1) as u64) as usize;
        for turn in 0..open.len() {
            let position = open[(first + turn) % open.len()];
            if is_beside_the_point(self.node, self.args, position, wanted) {
                continue;
            }
            if let Some(bits) = self.argument(position, wanted, rng)
                && bits != self.args[position].bits()
            {
                return Some((position, bits));
            }
        }
        None
    }

    /// The term's value with another argument.
    pub(super) fn value_with(&self, position: usize, bits: u64) -> u64 {
        let mut args = [Value::Bool(false); 3];
        let value = Value::from_bits(self.args[position].sort(), bits);
        match self.node {
            Node::App { op, indices, .. } => {
                args[..self.args.len()].copy_from_slice(self.args);
                args[position] = value;
                eval(op, indices, &args[..self.args.len()]).bits()
            }
            Node::Call { function, .. } => {
                let mut args = self.args.to_vec();
                args[position] = value;
                self.terms.function(function).call(&args).bits()
            }
            Node::Const(_) | Node::Var(_) | Node::Lookup { .. } => 0,
        }
    }

    /// The first candidate that gives exactly what is wanted.
    pub(super) fn first_right(
        &self,
        position: usize,
        wanted: u64,
        candidates: impl IntoIterator<Item = u64>,
    ) -> Option<u64> {
        let mask = self.args[position].sort().mask();
        let mut candidates = candidates.into_iter().map(|bits| bits & mask);
        candidates.find(|&bits| self.value_with(position, bits) == wanted)
    }

    /// One row per operator: no operator is forgotten.
    #[expect(clippy::too_many_lines, reason = "one row per operator is how a table reads best")]
    fn of_operator(&self, op: Op, position: usize, wanted: u64, rng: &mut Rng) -> Option<u64> {
        let sort = self.args[position].sort();
        let mask = sort.mask();
        let other = self.args.get(1 - position.min(1)).map_or(0, |value| value.bits());
        let is_left = position == 0;
        match op {
            Op::Not => Some(1 - wanted),
            Op::And | Op::Or if sort == Sort::Bool => Some(wanted),
            Op::Xor => Some(wanted ^ other),
            Op::Ite => {
                if position == 0 {
                    return Some(1 - self.args[0].bits());
                }
                Some(wanted)
            }
            Op::Eq if wanted == 1 => Some(other),
            Op::Eq => {
                Some(Value::from_bits(sort, other ^ 1 << rng.below(sort.bits().into())).bits())
            }
            Op::And | Op::Or => None,
            Op::BvNot => Some(!wanted & mask),
            Op::BvNeg => Some(wanted.wrapping_neg() & mask),
            Op::BvAdd => Some(wanted.wrapping_sub(other) & mask),
            Op::BvSub if is_left => Some(wanted.wrapping_add(other) & mask),
            Op::BvSub => Some(other.wrapping_sub(wanted) & mask),
            Op::BvXor => Some(wanted ^ other),
            Op::BvAnd => {
                (wanted & other == wanted).then(|| wanted | (rng.next_u64() & !other & mask))
            }
            Op::BvOr => (wanted | other == wanted)
                .then(|| (wanted & !other) | (rng.next_u64() & other & mask)),
            Op::BvMul => bits::factor(sort.bits(), other, wanted, rng),
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod => {
                let candidates = bits::division(op, sort.bits(), is_left, other, wanted, rng);
                self.first_right(position, wanted, candidates)
            }
            Op::BvShl | Op::BvLshr | Op::BvAshr | Op::BvRotl | Op::BvRotr => {
                let candidates = bits::shift(op, sort.bits(), is_left, other, wanted, rng);
                self.first_right(position, wanted, candidates)
            }
            Op::BvClz | Op::BvCtz | Op::BvPopcnt => {
                let candidates = bits::count(op, sort.bits(), wanted, rng);
                self.first_right(position, wanted, candidates)
            }
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
                let candidates = bits::around(sort, other, rng);
                self.first_right(position, wanted, candidates)
            }
            Op::Concat => {
                let n_low = self.args[1].sort().bits();
                Some(if is_left { wanted >> n_low & mask } else { wanted & mask })
            }
            Op::Extract => {
                let Node::App { indices, .. } = self.node else { return None };
                let (part, shift) = (self.result.mask(), u32::from(indices[1]));
                Some((self.args[0].bits() & !(part << shift)) | wanted << shift)
            }
            Op::ZeroExtend | Op::SignExtend => Some(wanted & mask),
            Op::FpBits | Op::FpOfBits => Some(Value::from_bits(sort, wanted).bits()),
            Op::FpLt | Op::FpLe | Op::FpEq => {
                let candidates = floats::around(sort, other, rng);
                self.first_right(position, wanted, candidates)
            }
            Op::FpIsNormal
            | Op::FpIsSubnormal
            | Op::FpIsZero
            | Op::FpIsInfinite
            | Op::FpIsNan
            | Op::FpIsNegative
            | Op::FpIsPositive => {
                let mut special = floats::special(sort);
                let first = rng.below(special.len() as u64) as usize;
                special.rotate_left(first);
                self.first_right(position, wanted, special)
            }
            Op::FpAbs
            | Op::FpNeg
            | Op::FpAdd
            | Op::FpSub
            | Op::FpMul
            | Op::FpDiv
            | Op::FpFma
            | Op::FpSqrt
            | Op::FpRem
            | Op::FpRoundToIntegral
            | Op::FpMin
            | Op::FpMax
            | Op::FpOfFp
            | Op::FpOfSbv
            | Op::FpOfUbv
            | Op::FpToSbv
            | Op::FpToUbv => floats::of_arithmetic(self, op, position, wanted, rng),
        }
    }
}

/// A conjunct that holds already, or an arm that is not taken: it need not change.
#[expect(clippy::wildcard_enum_match_arm, reason = "all arguments of other operators matter")]
fn is_beside_the_point(node: Node<'_>, values: &[Value], position: usize, wanted: u64) -> bool {
    let Node::App { op, .. } = node else { return false };
    let value = values[position].bits();
    match op {
        Op::And | Op::Or if values[0].sort() == Sort::Bool => value == wanted,
        Op::Ite if position > 0 => (values[0].bits() == 1) != (position == 1),
        // The condition changes only if the other arm is what is wanted.
        Op::Ite => values[if value == 1 { 2 } else { 1 }].bits() != wanted,
        _ => false,
    }
}
