//! The operator table: the one place where an operator's name, arity and sorts are written down.
//!
//! The enum, [`Op::ALL`] and [`Op::info`] come from the same rows. Meaning is in `eval.rs`. The names
//! and the semantics are SMT-LIB's where SMT-LIB has the operator; where it leaves a case open, ours
//! is fixed (see each row), and `print.rs` writes the guard that makes a solver agree.

use crate::value::Sort;

/// A rounding mode of IEEE 754, carried as the first index of rounded operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Rounding {
    /// To nearest, ties to even: the mode of all machine arithmetic.
    NearestEven = 0,
    /// To nearest, ties away from zero.
    NearestAway = 1,
    /// Towards plus infinity.
    Up = 2,
    /// Towards minus infinity.
    Down = 3,
    /// Towards zero.
    ToZero = 4,
}

impl Rounding {
    /// All five, in the order of their codes.
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Up,
        Rounding::Down,
        Rounding::ToZero,
    ];

    /// The mode with that code.
    #[inline(always)]
    pub fn from_code(code: u8) -> Rounding {
        match code {
            0 => Rounding::NearestEven,
            1 => Rounding::NearestAway,
            2 => Rounding::Up,
            3 => Rounding::Down,
            4 => Rounding::ToZero,
            other => panic!("{other} is not a rounding mode"),
        }
    }

    /// SMT-LIB's short name.
    pub fn smtlib(self) -> &'static str {
        match self {
            Rounding::NearestEven => "RNE",
            Rounding::NearestAway => "RNA",
            Rounding::Up => "RTP",
            Rounding::Down => "RTN",
            Rounding::ToZero => "RTZ",
        }
    }
}

/// How an operator's result sort follows from its arguments and indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortRule {
    /// Booleans to a boolean.
    Bool,
    /// Two of any one sort to a boolean.
    Equal,
    /// A boolean and two of any one sort to that sort.
    Ite,
    /// Bit-vectors of one width to that width.
    Bv,
    /// Bit-vectors of one width to a boolean.
    BvTest,
    /// Two bit-vectors to the sum of their widths, 64 at most.
    Concat,
    /// Indices `high, low`: a bit-vector to `high - low + 1` bits.
    Extract,
    /// Index `n`: a bit-vector to `n` more bits, 64 at most.
    Extend,
    /// Floats of one sort to that sort, exact.
    Fp,
    /// Index rounding mode: floats of one sort to that sort.
    FpRounded,
    /// Floats of one sort to a boolean.
    FpTest,
    /// 32 or 64 bits to the float with that representation.
    FpOfBits,
    /// A float to its representation.
    FpBits,
    /// Indices rounding mode and 32 or 64: a float to that float sort.
    FpOfFp,
    /// Indices rounding mode and 32 or 64: a bit-vector to that float sort.
    FpOfBv,
    /// Indices rounding mode and width: a float to a bit-vector of that width.
    BvOfFp,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// SMT-LIB's name, or ours where SMT-LIB has none.
    pub name: &'static str,
    /// How many arguments.
    pub arity: usize,
    /// Result sort.
    pub sort_rule: SortRule,
    /// Whether the two arguments may be swapped.
    pub commutative: bool,
}

macro_rules! operators {
    ($($(#[$doc:meta])* $op:ident = $name:literal, $arity:literal, $sort_rule:ident $(, $commutative:ident)?;)*) => {
        /// An operator.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $op,)* }

        impl Op {
            /// Every operator, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$op,)*];

            const INFO: &'static [OpInfo] = &[$(OpInfo {
                name: $name,
                arity: $arity,
                sort_rule: SortRule::$sort_rule,
                commutative: operators!(@flag $($commutative)?),
            },)*];
        }
    };
    (@flag commutative) => { true };
    (@flag) => { false };
}

operators! {
    /// Negation.
    Not = "not", 1, Bool;
    /// Conjunction.
    And = "and", 2, Bool, commutative;
    /// Disjunction.
    Or = "or", 2, Bool, commutative;
    /// Exclusive or.
    Xor = "xor", 2, Bool, commutative;
    /// Identity of values; on floats NaN equals NaN and the zeros differ.
    Eq = "=", 2, Equal, commutative;
    /// Choice.
    Ite = "ite", 3, Ite;

    /// Bitwise complement.
    BvNot = "bvnot", 1, Bv;
    /// Two's complement negation.
    BvNeg = "bvneg", 1, Bv;
    /// Bitwise and.
    BvAnd = "bvand", 2, Bv, commutative;
    /// Bitwise or.
    BvOr = "bvor", 2, Bv, commutative;
    /// Bitwise exclusive or.
    BvXor = "bvxor", 2, Bv, commutative;
    /// Wrapping sum.
    BvAdd = "bvadd", 2, Bv, commutative;
    /// Wrapping difference.
    BvSub = "bvsub", 2, Bv;
    /// Wrapping product.
    BvMul = "bvmul", 2, Bv, commutative;
    /// Unsigned quotient; all ones for division by zero.
    BvUdiv = "bvudiv", 2, Bv;
    /// Unsigned remainder; the dividend for division by zero.
    BvUrem = "bvurem", 2, Bv;
    /// Signed quotient, truncated; 1 or -1 for division by zero.
    BvSdiv = "bvsdiv", 2, Bv;
    /// Signed remainder, sign of the dividend.
    BvSrem = "bvsrem", 2, Bv;
    /// Signed remainder, sign of the divisor.
    BvSmod = "bvsmod", 2, Bv;
    /// Left shift; zero from the width on.
    BvShl = "bvshl", 2, Bv;
    /// Logical right shift; zero from the width on.
    BvLshr = "bvlshr", 2, Bv;
    /// Arithmetic right shift; the sign from the width on.
    BvAshr = "bvashr", 2, Bv;
    /// Left rotation by the second argument modulo the width (SMT-LIB rotates by constants only).
    BvRotl = "symcrete.rotl", 2, Bv;
    /// Right rotation by the second argument modulo the width.
    BvRotr = "symcrete.rotr", 2, Bv;
    /// Number of leading zeros, the width for zero (not in SMT-LIB).
    BvClz = "symcrete.clz", 1, Bv;
    /// Number of trailing zeros, the width for zero (not in SMT-LIB).
    BvCtz = "symcrete.ctz", 1, Bv;
    /// Number of ones modulo two to the width (not in SMT-LIB).
    BvPopcnt = "symcrete.popcnt", 1, Bv;
    /// Unsigned less than.
    BvUlt = "bvult", 2, BvTest;
    /// Unsigned at most.
    BvUle = "bvule", 2, BvTest;
    /// Signed less than.
    BvSlt = "bvslt", 2, BvTest;
    /// Signed at most.
    BvSle = "bvsle", 2, BvTest;
    /// The first argument's bits above the second's.
    Concat = "concat", 2, Concat;
    /// Bits `high` down to `low`.
    Extract = "extract", 1, Extract;
    /// Zeros above.
    ZeroExtend = "zero_extend", 1, Extend;
    /// Copies of the sign above.
    SignExtend = "sign_extend", 1, Extend;

    /// Sign cleared.
    FpAbs = "fp.abs", 1, Fp;
    /// Sign flipped.
    FpNeg = "fp.neg", 1, Fp;
    /// Sum.
    FpAdd = "fp.add", 2, FpRounded, commutative;
    /// Difference.
    FpSub = "fp.sub", 2, FpRounded;
    /// Product.
    FpMul = "fp.mul", 2, FpRounded, commutative;
    /// Quotient.
    FpDiv = "fp.div", 2, FpRounded;
    /// `a * b + c` rounded once.
    FpFma = "fp.fma", 3, FpRounded;
    /// Square root.
    FpSqrt = "fp.sqrt", 1, FpRounded;
    /// IEEE remainder: `x - y * n`, `n` the integer nearest `x / y`, ties to even.
    FpRem = "fp.rem", 2, Fp;
    /// The nearest integral float.
    FpRoundToIntegral = "fp.roundToIntegral", 1, FpRounded;
    /// The lesser; a NaN loses; of two zeros the negative (open in SMT-LIB).
    FpMin = "fp.min", 2, Fp, commutative;
    /// The greater; a NaN loses; of two zeros the positive (open in SMT-LIB).
    FpMax = "fp.max", 2, Fp, commutative;
    /// At most, as machines compare: false with a NaN, the zeros equal.
    FpLe = "fp.leq", 2, FpTest;
    /// Less than.
    FpLt = "fp.lt", 2, FpTest;
    /// Equal as machines compare.
    FpEq = "fp.eq", 2, FpTest, commutative;
    /// Neither zero, subnormal, infinite nor NaN.
    FpIsNormal = "fp.isNormal", 1, FpTest;
    /// Subnormal.
    FpIsSubnormal = "fp.isSubnormal", 1, FpTest;
    /// Either zero.
    FpIsZero = "fp.isZero", 1, FpTest;
    /// Either infinity.
    FpIsInfinite = "fp.isInfinite", 1, FpTest;
    /// Not a number.
    FpIsNan = "fp.isNaN", 1, FpTest;
    /// Sign set and not NaN.
    FpIsNegative = "fp.isNegative", 1, FpTest;
    /// Sign clear and not NaN.
    FpIsPositive = "fp.isPositive", 1, FpTest;
    /// The float with the given representation.
    FpOfBits = "symcrete.to_fp_bits", 1, FpOfBits;
    /// The representation; the canonical quiet one for NaN (not in SMT-LIB).
    FpBits = "symcrete.to_ieee_bv", 1, FpBits;
    /// Conversion between float sorts.
    FpOfFp = "symcrete.to_fp_fp", 1, FpOfFp;
    /// From a signed integer.
    FpOfSbv = "symcrete.to_fp_signed", 1, FpOfBv;
    /// From an unsigned integer.
    FpOfUbv = "to_fp_unsigned", 1, FpOfBv;
    /// To a signed integer, saturating, zero for NaN (open in SMT-LIB).
    FpToSbv = "fp.to_sbv", 1, BvOfFp;
    /// To an unsigned integer, saturating, zero for NaN (open in SMT-LIB).
    FpToUbv = "fp.to_ubv", 1, BvOfFp;
}

/// The two indices of an operator; unused ones are zero.
pub type Indices = [u8; 2];

impl Op {
    /// This operator's row.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        &Op::INFO[self as usize]
    }

    /// The operator whose discriminant is `code`.
    pub(crate) fn from_code(code: u8) -> Op {
        Op::ALL[usize::from(code)]
    }

    /// The result sort, or `None` where arity, sorts or indices do not fit.
    pub fn result_sort(self, indices: Indices, args: &[Sort]) -> Option<Sort> {
        let info = self.info();
        if args.len() != info.arity {
            return None;
        }
        let first = args[0];
        let same = args.iter().all(|&sort| sort == first);
        let rounded = usize::from(indices[0]) < Rounding::ALL.len();
        let no_indices = indices == [0, 0];
        match info.sort_rule {
            SortRule::Bool => (no_indices && same && first == Sort::Bool).then_some(Sort::Bool),
            SortRule::Equal => (no_indices && same).then_some(Sort::Bool),
            SortRule::Ite => {
                (no_indices && first == Sort::Bool && args[1] == args[2]).then_some(args[1])
            }
            SortRule::Bv => (no_indices && same && first.width().is_some()).then_some(first),
            SortRule::BvTest => {
                (no_indices && same && first.width().is_some()).then_some(Sort::Bool)
            }
            SortRule::Concat => {
                let width = first.width()?.checked_add(args[1].width()?)?;
                (no_indices && width <= 64).then_some(Sort::Bv(width))
            }
            SortRule::Extract => {
                let [high, low] = indices;
                (low <= high && high < first.width()?).then(|| Sort::Bv(high - low + 1))
            }
            SortRule::Extend => {
                let width = first.width()?.checked_add(indices[0])?;
                (indices[1] == 0 && width <= 64).then_some(Sort::Bv(width))
            }
            SortRule::Fp => (no_indices && same && first.is_float()).then_some(first),
            SortRule::FpRounded => {
                (rounded && indices[1] == 0 && same && first.is_float()).then_some(first)
            }
            SortRule::FpTest => (no_indices && same && first.is_float()).then_some(Sort::Bool),
            SortRule::FpOfBits => {
                if no_indices {
                    Sort::float_of_bits(first.width()?)
                } else {
                    None
                }
            }
            SortRule::FpBits => {
                (no_indices && first.is_float()).then(|| Sort::Bv(first.bits() as u8))
            }
            SortRule::FpOfFp => {
                (rounded && first.is_float()).then(|| Sort::float_of_bits(indices[1]))?
            }
            SortRule::FpOfBv => {
                first.width()?;
                rounded.then(|| Sort::float_of_bits(indices[1]))?
            }
            SortRule::BvOfFp => (rounded && first.is_float() && (1..=64).contains(&indices[1]))
                .then_some(Sort::Bv(indices[1])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_codes_round_trip() {
        let names: BTreeSet<_> = Op::ALL.iter().map(|op| op.info().name).collect();
        assert_eq!(names.len(), Op::ALL.len());
        for &op in Op::ALL {
            assert_eq!(Op::from_code(op as u8), op);
        }
    }

    #[test]
    fn sorts_are_checked() {
        let bv = Sort::Bv(8);
        assert_eq!(Op::BvAdd.result_sort([0, 0], &[bv, bv]), Some(bv));
        assert_eq!(Op::BvAdd.result_sort([0, 0], &[bv, Sort::Bv(9)]), None);
        assert_eq!(Op::BvAdd.result_sort([0, 0], &[bv]), None);
        assert_eq!(Op::Extract.result_sort([7, 8], &[bv]), None);
        assert_eq!(Op::Extract.result_sort([7, 4], &[bv]), Some(Sort::Bv(4)));
        assert_eq!(Op::Concat.result_sort([0, 0], &[Sort::Bv(33), Sort::Bv(32)]), None);
        assert_eq!(Op::FpAdd.result_sort([5, 0], &[Sort::F64, Sort::F64]), None);
        assert_eq!(Op::FpToSbv.result_sort([4, 32], &[Sort::F64]), Some(Sort::Bv(32)));
    }
}
