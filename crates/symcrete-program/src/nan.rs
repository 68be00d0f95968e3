//! Which NaN an input is.
//!
//! Terms have one NaN and machines have many, which differ in sign and payload. A float that is an input therefore has
//! a companion, a bit-vector of its width. It matters only while the float is a NaN, and then it says which one.
//! Code that computes with the float never sees the companion; code that looks at its bits does.
//!
//! **Invariant:** every companion stands for a NaN, and every NaN has a companion, so a path condition may have any
//! companion in it and nothing is left out.

use crate::image::CellKind;
use symcrete_term::{Node, Op, TermId, Terms};

/// The name of the companion of a float. No expression of C looks like this.
pub fn companion(name: &str) -> String {
    format!("NaN of {name}")
}

/// Whether a cell of this kind with these bits is a NaN.
pub fn is_nan(kind: CellKind, bits: u64) -> bool {
    match kind {
        CellKind::F32 => f32::from_bits(bits as u32).is_nan(),
        CellKind::F64 => f64::from_bits(bits).is_nan(),
        CellKind::Int { .. } | CellKind::Bool => false,
    }
}

/// The NaN that a companion stands for; a NaN stands for itself.
pub fn of_companion(kind: CellKind, companion: u64) -> u64 {
    let Fields { exponent, fraction, quiet } = Fields::of(8 * kind.size());
    let is_infinity = companion & fraction == 0;
    companion | exponent | if is_infinity { quiet } else { 0 }
}

/// The bits of an input that is a float, if it has a companion.
pub(crate) fn bits_of_input(t: &mut Terms, float: TermId) -> Option<TermId> {
    let Node::Var(var) = t.node(float) else { return None };
    let companion = t.find_var(&companion(t.var_name(var)))?;
    let companion = t.var_term(companion);
    let width = t.sort(float).bits();
    let Fields { exponent, fraction, quiet } = Fields::of(width);
    let constant = |t: &mut Terms, bits: u64| t.bv(width as u8, bits);
    let (zero, fraction) = (constant(t, 0), constant(t, fraction));
    let (signalling, quiet) = (constant(t, exponent), constant(t, exponent | quiet));
    let payload = t.app(Op::BvAnd, &[companion, fraction]);
    let is_infinity = t.eq(payload, zero);
    let signalling = t.app(Op::BvOr, &[companion, signalling]);
    let quiet = t.app(Op::BvOr, &[companion, quiet]);
    let nan = t.ite(is_infinity, quiet, signalling);
    let is_nan = t.app(Op::FpIsNan, &[float]);
    let number = t.app(Op::FpBits, &[float]);
    Some(t.ite(is_nan, nan, number))
}

/// Where a float has what.
struct Fields {
    exponent: u64,
    fraction: u64,
    /// The highest bit of the fraction.
    quiet: u64,
}

impl Fields {
    fn of(width: u32) -> Fields {
        let n_fraction = if width == 32 { 23 } else { 52 };
        let fraction = (1 << n_fraction) - 1;
        let exponent = (u64::MAX >> (65 - width)) & !fraction;
        Fields { exponent, fraction, quiet: 1 << (n_fraction - 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_companion_is_a_nan_and_every_nan_its_own_companion() {
        for (kind, width) in [(CellKind::F32, 32), (CellKind::F64, 64)] {
            let mask = u64::MAX >> (64 - width);
            for shift in 0..width {
                for bits in [1 << shift, mask >> shift, mask << shift & mask, 0] {
                    let nan = of_companion(kind, bits);
                    assert!(is_nan(kind, nan), "{kind:?} {bits:#x}");
                    assert_eq!(nan & mask, nan);
                    if is_nan(kind, bits) {
                        assert_eq!(nan, bits);
                    }
                }
            }
        }
    }
}
