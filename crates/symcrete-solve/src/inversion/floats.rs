//! Inverses of operators on floats, and of library functions.
//!
//! The inverse operation in doubles lands within a few floats of an exact one, if there is any; then its
//! neighbours are tried. A function of the library is searched by bisection between places where its value is below
//! and above what is wanted, in the order of all floats, so any function that is monotone there is inverted to the last place.

use super::inverse::Term;
use crate::error::{rank, unrank};
use crate::search::domain::{from_number, stepped, to_number};
use symcrete_term::{Op, Rng, Sort, Value};

/// Neighbours on either side that are tried.
const NEIGHBOURS: i64 = 8;

/// What an argument of an arithmetic operator should be.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other operators give what they are given")]
pub(super) fn of_arithmetic(
    term: &Term<'_>,
    op: Op,
    position: usize,
    wanted: u64,
    rng: &mut Rng,
) -> Option<u64> {
    let sort = term.args[position].sort();
    let number = |i: usize| to_number(term.args[i].sort(), term.args[i].bits());
    let result = to_number(term.result, wanted);
    let first = position == 0;
    let guess = match op {
        Op::FpAbs => {
            if rng.one_in(2) {
                result
            } else {
                -result
            }
        }
        Op::FpNeg => -result,
        Op::FpAdd => result - number(1 - position),
        Op::FpSub if first => result + number(1),
        Op::FpSub => number(0) - result,
        Op::FpMul => result / number(1 - position),
        Op::FpDiv if first => result * number(1),
        Op::FpDiv => number(0) / result,
        Op::FpFma if position == 2 => result - number(0) * number(1),
        Op::FpFma => (result - number(2)) / number(1 - position),
        Op::FpSqrt => result * result,
        Op::FpRem if first => result + number(1) * rng.between(-4, 4) as f64,
        Op::FpRem => number(0) - result,
        Op::FpRoundToIntegral | Op::FpToSbv | Op::FpToUbv => {
            let unsigned = op == Op::FpToUbv;
            let whole = if unsigned { wanted as f64 } else { result };
            whole + if rng.one_in(2) { 0.0 } else { rng.fraction() - 0.5 }
        }
        Op::FpOfUbv => {
            let limit = sort.mask() as f64;
            let whole = if result >= limit { sort.mask() } else { result as u64 };
            let near = [whole, whole.wrapping_add(1), whole.wrapping_sub(1)];
            return term.first_right(position, wanted, near).or(Some(whole & sort.mask()));
        }
        _ => result,
    };
    let guess = from_number(sort, guess);
    Some(nearest_right(term, position, guess, wanted).unwrap_or(guess))
}

/// The nearest neighbour of a guess that gives exactly what is wanted.
fn nearest_right(term: &Term<'_>, position: usize, guess: u64, wanted: u64) -> Option<u64> {
    let sort = term.args[position].sort();
    let distances = (0..=NEIGHBOURS).flat_map(|n| [n, -n]);
    term.first_right(position, wanted, distances.map(|n| stepped(sort, guess, n)))
}

/// Places between which a function may cross what is wanted.
const PLACES: [f64; 19] = [
    f64::MIN,
    -1e100,
    -1e10,
    -1e3,
    -100.0,
    -10.0,
    -3.2,
    -1.5,
    -1.0,
    0.0,
    1.0,
    1.5,
    3.2,
    10.0,
    100.0,
    1e3,
    1e10,
    1e100,
    f64::MAX,
];

/// What an argument of a function should be: where its value crosses the wanted one.
pub(super) fn by_bisection(term: &Term<'_>, position: usize, wanted: u64) -> Option<u64> {
    let sort = term.args[position].sort();
    if !sort.is_float() || !term.result.is_float() {
        return None;
    }
    let goal = to_number(term.result, wanted);
    if goal.is_nan() {
        return None;
    }
    let at = |x: f64| {
        let y = to_number(term.result, term.value_with(position, from_number(sort, x)));
        (y - goal, y)
    };
    // The argument as it is comes first: a crossing near it changes the least.
    let now = to_number(sort, term.args[position].bits());
    let mut places: Vec<f64> = PLACES.to_vec();
    for near in [0.5, 2.0, 8.0] {
        places.extend([now - near, now + near]);
    }
    places.retain(|x| x.is_finite());
    places.sort_by(f64::total_cmp);
    let differences: Vec<f64> = places.iter().map(|&x| at(x).0).collect();
    let mut crossings: Vec<usize> = (1..places.len())
        .filter(|&i| {
            let (a, b) = (differences[i - 1], differences[i]);
            !a.is_nan() && !b.is_nan() && (a <= 0.0) != (b <= 0.0)
        })
        .collect();
    crossings.sort_by(|&i, &j| (places[i] - now).abs().total_cmp(&(places[j] - now).abs()));
    let mut nearest = None;
    for i in crossings {
        let rises = differences[i - 1] <= 0.0;
        let (mut low, mut high) = (rank(places[i - 1]), rank(places[i]));
        while high.saturating_sub(low) > 1 {
            let middle = low + (high - low) / 2;
            let (difference, _) = at(unrank(middle));
            if (difference <= 0.0) == rises { low = middle } else { high = middle }
        }
        let guess = from_number(sort, unrank(low));
        if let Some(exact) = nearest_right(term, position, guess, wanted) {
            return Some(exact);
        }
        nearest = nearest.or(Some(guess));
    }
    nearest
}

/// Floats below, at and above another one.
pub(super) fn around(sort: Sort, other: u64, rng: &mut Rng) -> Vec<u64> {
    let far = rng.between(-40, 40) as f64;
    let other_number = to_number(sort, other);
    let mut candidates = vec![other, stepped(sort, other, 1), stepped(sort, other, -1)];
    for number in [other_number + far, other_number * 2.0, other_number / 2.0, far, -other_number] {
        candidates.push(from_number(sort, number));
    }
    let first = rng.below(candidates.len() as u64) as usize;
    candidates.rotate_left(first);
    candidates.extend(special(sort));
    candidates
}

/// One float of every class and sign.
pub(super) fn special(sort: Sort) -> Vec<u64> {
    let numbers = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY];
    let mut special: Vec<u64> = numbers.iter().map(|&x| from_number(sort, x)).collect();
    let sign = 1 << (sort.bits() - 1);
    special.extend([1, sign | 1, Value::from_bits(sort, u64::MAX).bits()]);
    special
}
