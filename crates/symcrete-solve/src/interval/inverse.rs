//! What an argument can be, given the term and the other argument: for the operators that have a simple answer.
//!
//! Bisection finds the same for every operator, but takes a hundred images for it.

use super::bits;
use super::domain::Domain;
use super::forward::Step;
use symcrete_term::{Op, Sort};

/// A set that has every value of argument `position` for which the term can be within its set. `None`: not known here.
pub(crate) fn inverse(
    step: Step<'_>,
    term: Domain,
    args: &[Domain],
    position: usize,
) -> Option<Domain> {
    let Step::App { op, twice: false, .. } = step else { return None };
    let is_left = position == 0;
    let other = args.get(1 - position.min(1)).copied();
    match (op, other) {
        (Op::BvNot, _) => Some(bits::not(term)),
        (Op::BvNeg, _) => Some(bits::neg(term)),
        (Op::BvAdd, Some(other)) => Some(bits::sub(term, other)),
        (Op::BvSub, Some(other)) if is_left => Some(bits::add(term, other)),
        (Op::BvSub, Some(other)) => Some(bits::sub(other, term)),
        (Op::Eq, Some(other)) if term.decided() == Some(true) => Some(other),
        (Op::BvUlt, Some(other)) => below(other, is_left, term.decided()?, false, false),
        (Op::BvUle, Some(other)) => below(other, is_left, term.decided()?, true, false),
        (Op::BvSlt, Some(other)) => below(other, is_left, term.decided()?, false, true),
        (Op::BvSle, Some(other)) => below(other, is_left, term.decided()?, true, true),
        _ => None,
    }
}

/// What is below some of the other numbers, or above.
fn below(
    other: Domain,
    is_left: bool,
    holds: bool,
    or_equal: bool,
    is_signed: bool,
) -> Option<Domain> {
    let sort = other.sort;
    let (low, high) =
        if is_signed { bits::hull(other.signed()) } else { bits::hull(other.unsigned()) }?;
    let (least, greatest) = all(sort, is_signed);
    // Where the comparison fails, the opposite one holds: `not a < b` is `b <= a`.
    let is_lower = is_left == holds;
    let gap = i128::from(or_equal != holds);
    let (low, high) = if is_lower { (least, high - gap) } else { (low + gap, greatest) };
    let mut result = Domain::empty(sort);
    if low <= high {
        result.insert_integers(low, high);
    }
    Some(result)
}

/// The least and the greatest number.
fn all(sort: Sort, is_signed: bool) -> (i128, i128) {
    let n = 1i128 << sort.bits();
    if is_signed { (-n / 2, n / 2 - 1) } else { (0, n - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::eval::eval;
    use symcrete_term::op::Indices;
    use symcrete_term::{Seed, Value};

    #[test]
    fn no_argument_that_fits_is_left_out() {
        const OPS: [Op; 9] = [
            Op::BvNot,
            Op::BvNeg,
            Op::BvAdd,
            Op::BvSub,
            Op::Eq,
            Op::BvUlt,
            Op::BvUle,
            Op::BvSlt,
            Op::BvSle,
        ];
        let mut rng = Seed(3).rng();
        let mut draw = |sort: Sort| {
            let mut domain = Domain::empty(sort);
            let n = 1 << sort.bits();
            for _ in 0..=rng.below(2) {
                let (low, more) = (rng.below(n) as i128, rng.below(n) as i128);
                domain.insert_integers(low, low + more);
            }
            domain
        };
        let sort = Sort::Bv(4);
        let value = |bits: u64| Value::from_bits(sort, bits);
        for _ in 0..300 {
            for op in OPS {
                let n_args = if matches!(op, Op::BvNot | Op::BvNeg) { 1 } else { 2 };
                let is_truth = matches!(op, Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle);
                let args = [draw(sort), draw(sort)];
                let term = draw(if is_truth { Sort::Bool } else { sort });
                let step = Step::App { op, indices: Indices::default(), twice: false };
                for position in 0..n_args {
                    let Some(inverse) = inverse(step, term, &args[..n_args], position) else {
                        continue;
                    };
                    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
                        let values = [value(x), value(y)];
                        let fits = values
                            .iter()
                            .zip(&args)
                            .take(n_args)
                            .all(|(value, arg)| arg.contains(*value));
                        if fits && term.contains(eval(op, Indices::default(), &values[..n_args])) {
                            assert!(
                                inverse.contains(values[position]),
                                "{op:?} {args:?} {term:?} {values:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
