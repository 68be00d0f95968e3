//! Values as the program sees them: raw bits, any NaN.
//!
//! [`Value`] has one NaN, a machine has many. What goes into a run and comes out of it is a
//! [`Scalar`], so that results can be compared bit for bit.

use std::fmt;
use symcrete_term::{Sort, Value};

/// A WebAssembly value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// `i32`
    I32(u32),
    /// `i64`
    I64(u64),
    /// `f32` as its bits.
    F32(u32),
    /// `f64` as its bits.
    F64(u64),
    /// `funcref`, of which only this is known outside a run.
    FuncRef {
        /// Whether it refers to nothing.
        null: bool,
    },
}

impl Scalar {
    /// The raw bits; zero for a null reference.
    pub fn bits(self) -> u64 {
        match self {
            Scalar::I32(bits) | Scalar::F32(bits) => u64::from(bits),
            Scalar::I64(bits) | Scalar::F64(bits) => bits,
            Scalar::FuncRef { null } => u64::from(!null),
        }
    }

    /// The sort of a symbolic value in its place; references are never symbolic.
    pub fn sort(self) -> Option<Sort> {
        match self {
            Scalar::I32(_) => Some(Sort::Bv(32)),
            Scalar::I64(_) => Some(Sort::Bv(64)),
            Scalar::F32(_) => Some(Sort::F32),
            Scalar::F64(_) => Some(Sort::F64),
            Scalar::FuncRef { .. } => None,
        }
    }

    /// The same as a term's value, where all NaNs are one.
    pub fn value(self) -> Option<Value> {
        self.sort().map(|sort| Value::from_bits(sort, self.bits()))
    }

    /// The same with a NaN made canonical: the form in which a symbolic argument enters a run.
    #[must_use]
    pub fn canonical(self) -> Scalar {
        match self.value() {
            Some(Value::F32(bits)) => Scalar::F32(bits),
            Some(Value::F64(bits)) => Scalar::F64(bits),
            Some(Value::Bool(_) | Value::Bv { .. }) | None => self,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Scalar::I32(bits) => write!(f, "i32 {}", bits as i32),
            Scalar::I64(bits) => write!(f, "i64 {}", bits as i64),
            Scalar::F32(bits) => write!(f, "f32 {:?}", f32::from_bits(bits)),
            Scalar::F64(bits) => write!(f, "f64 {:?}", f64::from_bits(bits)),
            Scalar::FuncRef { null: true } => f.write_str("funcref null"),
            Scalar::FuncRef { null: false } => f.write_str("funcref"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_changes_only_nans() {
        assert_eq!(Scalar::F32(0xffff_ffff).canonical(), Scalar::F32(0x7fc0_0000));
        assert_eq!(Scalar::F64(1 << 63).canonical(), Scalar::F64(1 << 63));
        assert_eq!(Scalar::I32(0xffff_ffff).canonical(), Scalar::I32(0xffff_ffff));
    }
}
