//! Functions of the theory FloatingPoint that are more than one of our operators.
//!
//! The rounding mode is an index of our operators. Where a script leaves it to a variable, the operator
//! is built five times under a choice over the mode's code.

use super::diagnostic::Failure;
use super::names::{Meaning, rounding_code};
use super::sorts::{self, Limit};
use super::theory::{Application, Arithmetic};
use super::unspecified::Unspecified;
use std::rc::Rc;
use symcrete_term::{Op, Rounding, Sort, TermId, Terms, Value};

const A_FLOAT: &str = "a floating-point number";

/// The term that `build` makes for a rounding mode, or a choice of five such terms.
fn with_rounding(
    terms: &mut Terms,
    call: &Application<'_>,
    mut build: impl FnMut(&mut Terms, Rounding) -> Result<TermId, Failure>,
) -> Result<TermId, Failure> {
    match call.args[0] {
        Meaning::Rounding(rounding) => build(terms, rounding),
        Meaning::RoundingTerm(mode) => {
            let (last, others) = Rounding::ALL.split_last().expect("there are five");
            let mut choice = build(terms, *last)?;
            for &rounding in others.iter().rev() {
                let this = build(terms, rounding)?;
                let code = terms.constant(rounding_code(rounding));
                let is_this = terms.eq(mode, code);
                choice = terms.ite(is_this, this, choice);
            }
            Ok(choice)
        }
        Meaning::Term(_) | Meaning::Number(_) => Err(call.wrong_sort(terms, 0, "RoundingMode")),
    }
}

pub(crate) fn rounded(
    terms: &mut Terms,
    op: Op,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(1 + op.info().arity)?;
    check_rounding(terms, call)?;
    let args = call.terms_of_one_sort(terms, 1, A_FLOAT, Sort::is_float)?;
    with_rounding(terms, call, |terms, rounding| Ok(terms.rounded(op, rounding, &args)))
}

fn check_rounding(terms: &Terms, call: &Application<'_>) -> Result<(), Failure> {
    match call.args[0] {
        Meaning::Rounding(_) | Meaning::RoundingTerm(_) => Ok(()),
        Meaning::Term(_) | Meaning::Number(_) => Err(call.wrong_sort(terms, 0, "RoundingMode")),
    }
}

pub(crate) fn min_max(
    terms: &mut Terms,
    unspecified: &mut Unspecified,
    op: Op,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(2)?;
    let args = call.terms_of_one_sort(terms, 0, A_FLOAT, Sort::is_float)?;
    Ok(unspecified.min_max(terms, op, args[0], args[1]))
}

/// `(fp sign exponent significand)` from three bit-vectors, constant or not.
pub(crate) fn triple(terms: &mut Terms, call: &Application<'_>) -> Result<TermId, Failure> {
    call.check_arity(3)?;
    let one_bit = |sort| sort == Sort::Bv(1);
    let sign = call.term(terms, 0, "(_ BitVec 1)", one_bit)?;
    let exponent = call.term(terms, 1, "a bit-vector", |sort| sort.width().is_some())?;
    let significand = call.term(terms, 2, "a bit-vector", |sort| sort.width().is_some())?;
    let exponent_width = u64::from(terms.sort(exponent).bits());
    let significand_width = u64::from(terms.sort(significand).bits()) + 1;
    float_sort(exponent_width, significand_width, call)?;
    let high = terms.app(Op::Concat, &[sign, exponent]);
    let bits = terms.app(Op::Concat, &[high, significand]);
    Ok(terms.app(Op::FpOfBits, &[bits]))
}

fn float_sort(exponent: u64, significand: u64, call: &Application<'_>) -> Result<Sort, Failure> {
    sorts::float(exponent, significand).map_err(|limit| match limit {
        Limit::TooSmall => call.wrong_index("two numbers of at least 2".to_owned()),
        Limit::TooLarge => sorts::other_float(exponent, significand, call.tree, call.sexpr),
    })
}

/// `to_fp` in its forms: from bits, from a float, from a signed integer, from a real constant.
pub(crate) fn to_fp(
    terms: &mut Terms,
    [exponent, significand]: [u64; 2],
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    if call.args.len() == 3 {
        return Err(Failure::unsupported("to_fp with three arguments", call.span()));
    }
    let sort = float_sort(exponent, significand, call)?;
    let bits = sort.bits() as u8;
    if call.args.len() == 1 {
        let same_size = |found| found == Sort::Bv(bits);
        let term = call.term(terms, 0, &Sort::Bv(bits).to_string(), same_size)?;
        return Ok(terms.app(Op::FpOfBits, &[term]));
    }
    if call.args.len() != 2 {
        return Err(call.wrong_arity("1 or 2 arguments"));
    }
    check_rounding(terms, call)?;
    let source = match &call.args[1] {
        Meaning::Number(number) => {
            return with_rounding(terms, call, |terms, rounding| {
                Ok(terms.constant(number.round(sort, rounding)))
            });
        }
        Meaning::Term(term) => *term,
        Meaning::Rounding(_) | Meaning::RoundingTerm(_) => {
            return Err(call.wrong_sort(terms, 1, "a float, a bit-vector or a real constant"));
        }
    };
    let op = match terms.sort(source) {
        Sort::F32 | Sort::F64 => Op::FpOfFp,
        Sort::Bv(_) => Op::FpOfSbv,
        Sort::Bool => {
            return Err(call.wrong_sort(terms, 1, "a float, a bit-vector or a real constant"));
        }
    };
    if terms.sort(source) == sort {
        return Ok(source);
    }
    with_rounding(terms, call, |terms, rounding| {
        Ok(terms.app_indexed(op, [rounding as u8, bits], &[source]))
    })
}

pub(crate) fn to_fp_unsigned(
    terms: &mut Terms,
    [exponent, significand]: [u64; 2],
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(2)?;
    let sort = float_sort(exponent, significand, call)?;
    check_rounding(terms, call)?;
    let source = call.term(terms, 1, "a bit-vector", |sort| sort.width().is_some())?;
    with_rounding(terms, call, |terms, rounding| {
        Ok(terms.app_indexed(Op::FpOfUbv, [rounding as u8, sort.bits() as u8], &[source]))
    })
}

pub(crate) fn to_bv(
    terms: &mut Terms,
    unspecified: &mut Unspecified,
    op: Op,
    width: u64,
    call: &Application<'_>,
) -> Result<TermId, Failure> {
    call.check_arity(2)?;
    check_rounding(terms, call)?;
    let source = call.term(terms, 1, A_FLOAT, Sort::is_float)?;
    match sorts::bit_vector(width) {
        Ok(_) => {}
        Err(Limit::TooSmall) => return Err(call.wrong_index("at least 1".to_owned())),
        Err(Limit::TooLarge) => return Err(sorts::wide(width, call.tree, call.sexpr)),
    }
    with_rounding(terms, call, |terms, rounding| {
        unspecified
            .conversion(terms, op, rounding, width as u8, source)
            .ok_or_else(|| Failure::unsupported("so many conversions to integers", call.span()))
    })
}

/// `(/ a b)` and `(- a)` on constants; all other arithmetic on Int and Real is not ours.
pub(crate) fn on_numbers(
    terms: &Terms,
    arithmetic: Arithmetic,
    call: &Application<'_>,
) -> Result<Meaning, Failure> {
    let mut numbers = Vec::new();
    for (arg, meaning) in call.args.iter().enumerate() {
        match meaning {
            Meaning::Number(number) => numbers.push(number),
            Meaning::Term(_) | Meaning::Rounding(_) | Meaning::RoundingTerm(_) => {
                return Err(call.wrong_sort(terms, arg, "Int or Real"));
            }
        }
    }
    let result = match (arithmetic, numbers[..].as_ref()) {
        (Arithmetic::Divide, [a, b]) => a.divided_by(b),
        (Arithmetic::Minus, [a]) => Some(a.negated()),
        (Arithmetic::Divide | Arithmetic::Minus, _) => None,
    };
    let beyond = || Failure::unsupported("arithmetic on Int and Real", call.span());
    result.map(|number| Meaning::Number(Rc::new(number))).ok_or_else(beyond)
}

/// `(_ +oo 8 24)` and the like.
pub(crate) fn special(name: &str, sort: Sort) -> Option<Value> {
    let value = match name {
        "+oo" => f64::INFINITY,
        "-oo" => f64::NEG_INFINITY,
        "+zero" => 0.0,
        "-zero" => -0.0,
        "NaN" => f64::NAN,
        _ => return None,
    };
    // All five are exact in either sort.
    Some(if sort == Sort::F32 { Value::f32(value as f32) } else { Value::f64(value) })
}
