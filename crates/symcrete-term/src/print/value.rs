//! Reading the constants that solvers print in models.

use crate::value::{Sort, Value};

/// The value that an SMT-LIB constant denotes, if it is one of that sort.
pub fn value_from_smtlib(sort: Sort, text: &str) -> Option<Value> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    match (sort, tokens.as_slice()) {
        (Sort::Bool, ["true"]) => Some(Value::Bool(true)),
        (Sort::Bool, ["false"]) => Some(Value::Bool(false)),
        (Sort::Bv(width), [literal]) => {
            let (bits, digits) = bit_literal(literal)?;
            (digits == u32::from(width)).then(|| Value::bv(width, bits))
        }
        (Sort::Bv(width), ["(", "_", number, of, ")"]) => {
            let bits: u64 = number.strip_prefix("bv")?.parse().ok()?;
            let fits = of.parse() == Ok(width) && bits & !sort.mask() == 0;
            fits.then(|| Value::bv(width, bits))
        }
        (Sort::F32, tokens) => float(sort, tokens, 8, 24),
        (Sort::F64, tokens) => float(sort, tokens, 11, 53),
        (Sort::Bool | Sort::Bv(_), _) => None,
    }
}

fn float(sort: Sort, tokens: &[&str], e: u32, s: u32) -> Option<Value> {
    let infinity = ((1u64 << e) - 1) << (s - 1);
    let sign = 1u64 << (e + s - 1);
    let bits = match tokens {
        ["(", "fp", sign, exponent, mantissa, ")"] => {
            let parts = [bit_literal(sign)?, bit_literal(exponent)?, bit_literal(mantissa)?];
            if parts.map(|(_, digits)| digits) != [1, e, s - 1] {
                return None;
            }
            let [(sign, _), (exponent, _), (mantissa, _)] = parts;
            sign << (e + s - 1) | exponent << (s - 1) | mantissa
        }
        ["(", "_", name, exponent, mantissa, ")"] => {
            if exponent.parse() != Ok(e) || mantissa.parse() != Ok(s) {
                return None;
            }
            match *name {
                "NaN" => infinity | 1 << (s - 2),
                "+oo" => infinity,
                "-oo" => infinity | sign,
                "+zero" => 0,
                "-zero" => sign,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Value::from_bits(sort, bits))
}

/// The bits of `#x…` or `#b…` and how many they are.
fn bit_literal(text: &str) -> Option<(u64, u32)> {
    let (digits, radix, bits_each) = match text.split_at_checked(2)? {
        ("#x", digits) => (digits, 16, 4),
        ("#b", digits) => (digits, 2, 1),
        _ => return None,
    };
    if digits.is_empty() || digits.starts_with('+') {
        return None;
    }
    Some((u64::from_str_radix(digits, radix).ok()?, digits.len() as u32 * bits_each))
}
