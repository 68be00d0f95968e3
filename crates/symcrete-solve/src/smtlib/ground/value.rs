//! Values of the theories that a model is evaluated in.

use super::float::{Float, Format};
use crate::smtlib::lexer::Atom;
use crate::smtlib::natural::Natural;
use crate::smtlib::rational::Rational;
use crate::smtlib::sexpr::{SexprId, Tree};
use symcrete_term::Rounding;

/// A value without variables.
#[derive(Clone, Debug)]
pub(super) enum Ground {
    Bool(bool),
    Bits(Bits),
    Float(Format, Float),
    Rounding(Rounding),
    /// A number of Int or Real: only `to_fp` takes one.
    Number(Rational),
}

/// A bit-vector; the number is below two to the width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bits {
    pub(super) width: u64,
    pub(super) number: Natural,
}

/// Wider bit-vectors are not calculated.
const WIDTH_MAX: u64 = 1 << 16;

impl Bits {
    /// The lowest bits of a number.
    pub(super) fn of(width: u64, number: &Natural) -> Option<Bits> {
        let fits = (1..=WIDTH_MAX).contains(&width);
        fits.then(|| Bits { width, number: number.low_bits(width) })
    }

    pub(super) fn is_negative(&self) -> bool {
        self.number.bit(self.width - 1)
    }

    /// Two to the width minus the number.
    pub(super) fn negated(&self) -> Bits {
        let full = Natural::one().shifted(self.width);
        Bits { width: self.width, number: full.minus(&self.number).low_bits(self.width) }
    }

    /// Sign and magnitude as a signed number.
    pub(super) fn signed(&self) -> (bool, Natural) {
        match self.is_negative() {
            true => (true, self.negated().number),
            false => (false, self.number.clone()),
        }
    }
}

/// A literal or a named constant of a theory.
pub(super) fn constant(tree: &Tree, sexpr: SexprId) -> Option<Ground> {
    let text = tree.text(sexpr);
    match tree.atom(sexpr)? {
        Atom::Binary => Some(Ground::Bits(digits(&text[2..], 2, 1)?)),
        Atom::Hexadecimal => Some(Ground::Bits(digits(&text[2..], 16, 4)?)),
        Atom::Numeral | Atom::Decimal => Rational::of_decimal(text).map(Ground::Number),
        Atom::Symbol => named(text),
        Atom::QuotedSymbol | Atom::Keyword | Atom::String => None,
    }
}

fn named(name: &str) -> Option<Ground> {
    Some(match name {
        "true" => Ground::Bool(true),
        "false" => Ground::Bool(false),
        "RNE" | "roundNearestTiesToEven" => Ground::Rounding(Rounding::NearestEven),
        "RNA" | "roundNearestTiesToAway" => Ground::Rounding(Rounding::NearestAway),
        "RTP" | "roundTowardPositive" => Ground::Rounding(Rounding::Up),
        "RTN" | "roundTowardNegative" => Ground::Rounding(Rounding::Down),
        "RTZ" | "roundTowardZero" => Ground::Rounding(Rounding::ToZero),
        _ => return None,
    })
}

fn digits(text: &str, base: u32, bits_each: u64) -> Option<Bits> {
    let mut number = Natural::zero();
    for digit in text.chars() {
        number.multiply_add(base, digit.to_digit(base)?);
    }
    Bits::of(text.len() as u64 * bits_each, &number)
}

/// `(_ bv5 8)`, `(_ +oo 5 11)` and the like.
pub(super) fn indexed_constant(tree: &Tree, sexpr: SexprId) -> Option<Ground> {
    let parts: Vec<SexprId> = tree.children(sexpr).collect();
    let name = tree.symbol(*parts.get(1)?)?;
    let index = |i: usize| parts.get(i).and_then(|&part| tree.numeral(part));
    if let Some(decimal) = name.strip_prefix("bv") {
        let mut number = Natural::zero();
        for digit in decimal.chars() {
            number.multiply_add(10, digit.to_digit(10)?);
        }
        return Bits::of(index(2)?, &number).map(Ground::Bits);
    }
    let format = Format::new(index(2)?, index(3)?)?;
    let zero = |negative| Float::finite(negative, Natural::zero(), 0);
    let float = match name {
        "+oo" => Float::Infinite { negative: false },
        "-oo" => Float::Infinite { negative: true },
        "+zero" => zero(false),
        "-zero" => zero(true),
        "NaN" => Float::Nan,
        _ => return None,
    };
    Some(Ground::Float(format, float))
}
