//! Sorts and values.
//!
//! A value travels as raw bits in a `u64` wherever speed counts; [`Value`] is the same with its
//! sort. Floats are kept as bits so that equality is total, and there is one NaN: the canonical
//! quiet one. [`Value`]'s constructors establish that.

use std::fmt;

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// `true` or `false`.
    Bool,
    /// A bit-vector of 1 to 64 bits.
    Bv(u8),
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

const F32_CODE: u8 = 65;
const F64_CODE: u8 = 66;

impl Sort {
    /// One byte per sort, for compact nodes: 0 is `Bool`, 1 to 64 the bit-vectors.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Sort::Bool => 0,
            Sort::Bv(width) => width,
            Sort::F32 => F32_CODE,
            Sort::F64 => F64_CODE,
        }
    }

    pub(crate) const fn from_code(code: u8) -> Sort {
        match code {
            0 => Sort::Bool,
            F32_CODE => Sort::F32,
            F64_CODE => Sort::F64,
            width => Sort::Bv(width),
        }
    }

    /// How many bits a value of this sort has.
    pub const fn bits(self) -> u32 {
        match self {
            Sort::Bool => 1,
            Sort::Bv(width) => width as u32,
            Sort::F32 => 32,
            Sort::F64 => 64,
        }
    }

    /// The float sort with that many bits.
    pub const fn float_of_bits(bits: u8) -> Option<Sort> {
        match bits {
            32 => Some(Sort::F32),
            64 => Some(Sort::F64),
            _ => None,
        }
    }

    /// Whether this is one of the two float sorts.
    pub const fn is_float(self) -> bool {
        matches!(self, Sort::F32 | Sort::F64)
    }

    /// The width of a bit-vector sort.
    pub const fn width(self) -> Option<u8> {
        match self {
            Sort::Bv(width) => Some(width),
            Sort::Bool | Sort::F32 | Sort::F64 => None,
        }
    }

    /// A mask of the bits that a value of this sort may have set.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

impl fmt::Display for Sort {
    /// The sort as SMT-LIB writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Bv(width) => write!(f, "(_ BitVec {width})"),
            Sort::F32 => f.write_str("(_ FloatingPoint 8 24)"),
            Sort::F64 => f.write_str("(_ FloatingPoint 11 53)"),
        }
    }
}

/// A value of some [`Sort`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit-vector; bits above `width` are zero.
    Bv {
        /// 1 to 64.
        width: u8,
        /// The bits, zero-extended.
        bits: u64,
    },
    /// A binary32 as its bits; a NaN is `0x7fc0_0000`.
    F32(u32),
    /// A binary64 as its bits; a NaN is `0x7ff8_0000_0000_0000`.
    F64(u64),
}

/// The one NaN of binary32.
pub const NAN_BITS_F32: u32 = 0x7fc0_0000;
/// The one NaN of binary64.
pub const NAN_BITS_F64: u64 = 0x7ff8_0000_0000_0000;

impl Value {
    /// A bit-vector value; bits beyond the width are dropped.
    pub fn bv(width: u8, bits: u64) -> Value {
        assert!((1..=64).contains(&width), "bit-vector width {width} is outside 1..=64");
        Value::Bv { width, bits: bits & Sort::Bv(width).mask() }
    }

    /// A binary32 value; any NaN becomes the canonical one.
    pub fn f32(x: f32) -> Value {
        Value::from_bits(Sort::F32, u64::from(x.to_bits()))
    }

    /// A binary64 value; any NaN becomes the canonical one.
    pub fn f64(x: f64) -> Value {
        Value::from_bits(Sort::F64, x.to_bits())
    }

    /// The value of a sort from raw bits; excess bits are dropped and NaNs made canonical.
    pub fn from_bits(sort: Sort, bits: u64) -> Value {
        match sort {
            Sort::Bool => Value::Bool(bits & 1 == 1),
            Sort::Bv(width) => Value::bv(width, bits),
            Sort::F32 => Value::F32(canonical_f32(bits as u32)),
            Sort::F64 => Value::F64(canonical_f64(bits)),
        }
    }

    /// Zero, `false` or positive zero.
    pub fn zero(sort: Sort) -> Value {
        Value::from_bits(sort, 0)
    }

    /// The raw bits.
    pub const fn bits(self) -> u64 {
        match self {
            Value::Bool(truth) => truth as u64,
            Value::Bv { bits, .. } => bits,
            Value::F32(bits) => bits as u64,
            Value::F64(bits) => bits,
        }
    }

    /// The sort of the value.
    pub const fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Bv { width, .. } => Sort::Bv(width),
            Value::F32(_) => Sort::F32,
            Value::F64(_) => Sort::F64,
        }
    }

    /// A bit-vector as a signed number.
    pub fn as_signed(self) -> Option<i64> {
        match self {
            Value::Bv { width, bits } => Some(sign_extend(bits, width)),
            Value::Bool(_) | Value::F32(_) | Value::F64(_) => None,
        }
    }

    /// A float of either sort as a double (exact).
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Value::F32(bits) => Some(f64::from(f32::from_bits(bits))),
            Value::F64(bits) => Some(f64::from_bits(bits)),
            Value::Bool(_) | Value::Bv { .. } => None,
        }
    }
}

impl fmt::Display for Value {
    /// The value as an SMT-LIB constant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Bv { width, bits } if width % 4 == 0 => {
                write!(f, "#x{bits:0digits$x}", digits = usize::from(width) / 4)
            }
            Value::Bv { width, bits } => {
                write!(f, "#b{bits:0digits$b}", digits = usize::from(width))
            }
            Value::F32(bits) => fmt_float(f, u64::from(bits), 8, 23),
            Value::F64(bits) => fmt_float(f, bits, 11, 52),
        }
    }
}

fn fmt_float(f: &mut fmt::Formatter<'_>, bits: u64, e: usize, m: usize) -> fmt::Result {
    let exponent = (bits >> m) & ((1 << e) - 1);
    let mantissa = bits & ((1 << m) - 1);
    let sign = bits >> (e + m);
    if exponent == (1 << e) - 1 {
        let name = if mantissa != 0 {
            "NaN"
        } else if sign == 1 {
            "-oo"
        } else {
            "+oo"
        };
        return write!(f, "(_ {name} {e} {})", m + 1);
    }
    write!(f, "(fp #b{sign} #b{exponent:0e$b} #b{mantissa:0m$b})")
}

/// The bits below `width` read as two's complement.
#[inline(always)]
pub(crate) const fn sign_extend(bits: u64, width: u8) -> i64 {
    let shift = 64 - width as u32;
    ((bits << shift) as i64) >> shift
}

#[inline(always)]
pub(crate) const fn canonical_f32(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { NAN_BITS_F32 } else { bits }
}

#[inline(always)]
pub(crate) const fn canonical_f64(bits: u64) -> u64 {
    if f64::from_bits(bits).is_nan() { NAN_BITS_F64 } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_codes_round_trip() {
        let bit_vectors = (1..=64).map(Sort::Bv);
        for sort in bit_vectors.chain([Sort::Bool, Sort::F32, Sort::F64]) {
            assert_eq!(Sort::from_code(sort.code()), sort);
        }
    }

    #[test]
    fn every_nan_is_the_same_value() {
        assert_eq!(Value::from_bits(Sort::F64, 0xfff0_0000_0000_0001), Value::f64(f64::NAN));
        assert_eq!(Value::from_bits(Sort::F32, 0xffff_ffff), Value::f32(f32::NAN));
        assert_ne!(Value::f64(0.0), Value::f64(-0.0));
    }

    #[test]
    fn values_print_as_smtlib_constants() {
        assert_eq!(Value::bv(32, 255).to_string(), "#x000000ff");
        assert_eq!(Value::bv(3, 5).to_string(), "#b101");
        assert_eq!(Value::f32(1.0).to_string(), "(fp #b0 #b01111111 #b00000000000000000000000)");
        assert_eq!(Value::f64(f64::NEG_INFINITY).to_string(), "(_ -oo 11 53)");
    }
}
