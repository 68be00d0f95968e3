//! Functions of the theory FixedSizeBitVectors that are more than one of our operators.

use super::diagnostic::Failure;
use super::sorts::{self, Limit};
use super::theory::Application;
use symcrete_term::{Op, Sort, TermId, Terms};

/// The overflow predicates of SMT-LIB 2.7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overflow {
    Neg,
    UnsignedAdd,
    SignedAdd,
    UnsignedSub,
    SignedSub,
    UnsignedMul,
    SignedMul,
    SignedDiv,
}

fn is_bit_vector(sort: Sort) -> bool {
    sort.width().is_some()
}

fn bit_vector(terms: &Terms, call: &Application<'_>, arg: usize) -> Result<(TermId, u64), Failure> {
    let term = call.term(terms, arg, "a bit-vector", is_bit_vector)?;
    Ok((term, u64::from(terms.sort(term).bits() as u8)))
}

/// Fails unless a result of that width is one of our sorts.
fn check_width(call: &Application<'_>, width: u64) -> Result<(), Failure> {
    match sorts::bit_vector(width) {
        Ok(_) => Ok(()),
        Err(Limit::TooSmall | Limit::TooLarge) => Err(sorts::wide(width, call.tree, call.sexpr)),
    }
}

pub(crate) fn concat(terms: &mut Terms, call: &Application<'_>) -> Result<TermId, Failure> {
    if call.args.len() < 2 {
        return Err(call.wrong_arity("at least 2 arguments"));
    }
    let (mut sum, mut width) = bit_vector(terms, call, 0)?;
    let mut parts = Vec::new();
    for arg in 1..call.args.len() {
        let (part, part_width) = bit_vector(terms, call, arg)?;
        width += part_width;
        parts.push(part);
    }
    check_width(call, width)?;
    for part in parts {
        sum = terms.app(Op::Concat, &[sum, part]);
    }
    Ok(sum)
}

pub(crate) fn compare(terms: &mut Terms, call: &Application<'_>) -> Result<TermId, Failure> {
    call.check_arity(2)?;
    let args = call.terms_of_one_sort(terms, 0, "a bit-vector", is_bit_vector)?;
    let equal = terms.eq(args[0], args[1]);
    let (one, zero) = (terms.bv(1, 1), terms.bv(1, 0));
    Ok(terms.ite(equal, one, zero))
}

pub(crate) fn extract(
    terms: &mut Terms,
    [high, low]: [u64; 2],
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(1)?;
    let (term, width) = bit_vector(terms, call, 0)?;
    if high >= width || low > high {
        return Err(call.wrong_index(format!("{} >= high >= low >= 0", width - 1)));
    }
    Ok(terms.app_indexed(Op::Extract, [high as u8, low as u8], &[term]))
}

pub(crate) fn extend(
    terms: &mut Terms,
    op: Op,
    n: u64,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(1)?;
    let (term, width) = bit_vector(terms, call, 0)?;
    check_width(call, width.saturating_add(n))?;
    Ok(if n == 0 { term } else { terms.app_indexed(op, [n as u8, 0], &[term]) })
}

pub(crate) fn repeat(terms: &mut Terms, n: u64, call: &Application<'_>) -> Result<TermId, Failure> {
    call.check_arity(1)?;
    let (term, width) = bit_vector(terms, call, 0)?;
    if n == 0 {
        return Err(call.wrong_index("at least 1".to_owned()));
    }
    check_width(call, width.saturating_mul(n))?;
    Ok((1..n).fold(term, |sum, _| terms.app(Op::Concat, &[sum, term])))
}

pub(crate) fn rotate(
    terms: &mut Terms,
    op: Op,
    n: u64,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(1)?;
    let (term, width) = bit_vector(terms, call, 0)?;
    let distance = terms.bv(width as u8, n % width);
    Ok(terms.app(op, &[term, distance]))
}

pub(crate) fn overflows(
    terms: &mut Terms,
    overflow: Overflow,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(if overflow == Overflow::Neg { 1 } else { 2 })?;
    let args = call.terms_of_one_sort(terms, 0, "a bit-vector", is_bit_vector)?;
    let width = terms.sort(args[0]).bits() as u8;
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(x);
    let least = terms.bv(width, 1 << (width - 1));
    let minus_one = terms.bv(width, u64::MAX);
    Ok(match overflow {
        Overflow::Neg => terms.eq(x, least),
        Overflow::UnsignedAdd => {
            let sum = terms.app(Op::BvAdd, &[x, y]);
            terms.app(Op::BvUlt, &[sum, x])
        }
        Overflow::UnsignedSub => terms.app(Op::BvUlt, &[x, y]),
        Overflow::SignedAdd | Overflow::SignedSub => {
            let adds = overflow == Overflow::SignedAdd;
            let result = terms.app(if adds { Op::BvAdd } else { Op::BvSub }, &[x, y]);
            // A sum overflows when both signs agree and the result's differs; a difference when the
            // signs differ and the result's is not the first one's.
            let signs_differ = sign_differs(terms, x, y);
            let may = if adds { terms.not(signs_differ) } else { signs_differ };
            let turned = sign_differs(terms, x, result);
            terms.app(Op::And, &[may, turned])
        }
        Overflow::UnsignedMul => product_overflows(terms, Op::ZeroExtend, x, y, width),
        Overflow::SignedMul => product_overflows(terms, Op::SignExtend, x, y, width),
        Overflow::SignedDiv => {
            let is_least = terms.eq(x, least);
            let is_minus_one = terms.eq(y, minus_one);
            terms.app(Op::And, &[is_least, is_minus_one])
        }
    })
}

fn sign_differs(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    let zero = terms.constant(symcrete_term::Value::zero(terms.sort(a)));
    let a = terms.app(Op::BvSlt, &[a, zero]);
    let b = terms.app(Op::BvSlt, &[b, zero]);
    terms.app(Op::Xor, &[a, b])
}

/// Whether the product of `x` and `y`, both extended by `extend`, needs more than `width` bits.
fn product_overflows(terms: &mut Terms, extend: Op, x: TermId, y: TermId, width: u8) -> TermId {
    if width > 32 {
        return wide_product_overflows(terms, extend, x, y, width);
    }
    let x = terms.app_indexed(extend, [width, 0], &[x]);
    let y = terms.app_indexed(extend, [width, 0], &[y]);
    let exact = terms.app(Op::BvMul, &[x, y]);
    let kept = terms.app_indexed(Op::Extract, [width - 1, 0], &[exact]);
    let kept = terms.app_indexed(extend, [width, 0], &[kept]);
    let same = terms.eq(kept, exact);
    terms.not(same)
}

/// The same where twice the width does not fit: the wrapped product divided by one factor must give
/// the other. For signed factors `-1 * MIN` is the one case in which the division overflows too.
fn wide_product_overflows(
    terms: &mut Terms,
    extend: Op,
    x: TermId,
    y: TermId,
    width: u8,
) -> TermId {
    let zero = terms.bv(width, 0);
    let product = terms.app(Op::BvMul, &[x, y]);
    let divide = if extend == Op::SignExtend { Op::BvSdiv } else { Op::BvUdiv };
    let quotient = terms.app(divide, &[product, x]);
    let same = terms.eq(quotient, y);
    let differs = terms.not(same);
    let is_zero = terms.eq(x, zero);
    let is_not_zero = terms.not(is_zero);
    let lost = terms.app(Op::And, &[is_not_zero, differs]);
    if extend != Op::SignExtend {
        return lost;
    }
    let (least, minus_one) = (terms.bv(width, 1 << (width - 1)), terms.bv(width, u64::MAX));
    let is_minus_one = terms.eq(x, minus_one);
    let is_least = terms.eq(y, least);
    let corner = terms.app(Op::And, &[is_minus_one, is_least]);
    terms.app(Op::Or, &[lost, corner])
}
