//! The numeric operators of WebAssembly: one table of their names, types, meanings and traps.
//!
//! A meaning says how an operator follows from those of terms. [`WasmOp::apply`] evaluates it on bits by asking
//! `symcrete_term::eval`; the engine builds terms from the same rows, so that there is one meaning. Terms have one NaN
//! and a machine has many: the operators that show or keep a NaN's bits (`abs`, `neg`, `copysign`, reinterpretation)
//! work on raw bits; all others give the canonical NaN.

use crate::outcome::TrapKind;
use symcrete_term::eval::eval;
use symcrete_term::{Op, Rounding, Sort, Value};
use wasmparser::Operator;

/// A number type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Num {
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl Num {
    /// The sort of its values.
    pub fn sort(self) -> Sort {
        match self {
            Num::I32 => Sort::Bv(32),
            Num::I64 => Sort::Bv(64),
            Num::F32 => Sort::F32,
            Num::F64 => Sort::F64,
        }
    }
}

/// How an operator follows from those of terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It is one of them.
    Term(Op),
    /// Whether it holds, as 1 or 0.
    Compared(Op),
    /// The same with the operands exchanged.
    Swapped(Op),
    /// Whether it does not hold.
    Negated(Op),
    /// Whether the operand is zero.
    IsZero,
    /// The count is taken modulo the width.
    Shift(Op),
    /// With that rounding.
    Rounded(Op, Rounding),
    /// With that rounding, to the result's width.
    Converted(Op, Rounding),
    /// NaN if an operand is one.
    NanWins(Op),
    /// The bits of a float.
    ToBits,
    /// The float of these bits.
    OfBits,
    /// The sign is cleared.
    Abs,
    /// The sign is negated.
    Neg,
    /// The sign of the second operand.
    Copysign,
    /// The low half.
    Low,
    /// From that many low bits.
    SignExtend(u8),
    /// Zeros go above.
    ZeroExtend,
}

/// When an operator traps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Guard {
    /// Never.
    None,
    /// If the second operand is zero.
    Division {
        /// Also if the first is the least integer and the second is -1.
        overflows: bool,
    },
    /// Unless the integral part is in `low..high`. Both are powers of two or zero, and so exact in both float types.
    Truncation {
        /// The least that fits.
        low: f64,
        /// The first that does not.
        high: f64,
    },
}

const BY_ZERO: Guard = Guard::Division { overflows: false };
const BY_ZERO_OR_OVERFLOW: Guard = Guard::Division { overflows: true };
const OUTSIDE_I32_SIGNED: Guard = outside(-2_147_483_648.0, 2_147_483_648.0);
const OUTSIDE_I32_UNSIGNED: Guard = outside(0.0, 4_294_967_296.0);
const OUTSIDE_I64_SIGNED: Guard =
    outside(-9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0);
const OUTSIDE_I64_UNSIGNED: Guard = outside(0.0, 18_446_744_073_709_551_616.0);

const fn outside(low: f64, high: f64) -> Guard {
    Guard::Truncation { low, high }
}

macro_rules! wasm_ops {
    ($($op:ident: $($arg:ident)+ => $result:ident = $meaning:ident $(($($of:tt),+))? $(traps $guard:ident)?;)*) => {
        /// A numeric operator, named as wasmparser names it: one or two numbers in, one out.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[expect(missing_docs, reason = "the names are WebAssembly's")]
        pub enum WasmOp { $($op,)* }

        impl WasmOp {
            /// Every operator, in table order.
            pub const ALL: &'static [WasmOp] = &[$(WasmOp::$op,)*];

            /// The numeric operator that this is, if it is one.
            pub fn of(operator: &Operator<'_>) -> Option<WasmOp> {
                match operator {
                    $(Operator::$op => Some(WasmOp::$op),)*
                    _ => None,
                }
            }

            /// The types it pops, first operand first.
            pub fn params(self) -> &'static [Num] {
                match self {
                    $(WasmOp::$op => &[$(Num::$arg),+],)*
                }
            }

            /// The type it pushes.
            pub fn result(self) -> Num {
                match self {
                    $(WasmOp::$op => Num::$result,)*
                }
            }

            /// What it computes where it does not trap.
            pub fn meaning(self) -> Meaning {
                match self {
                    $(WasmOp::$op => meaning!($meaning $($($of)+)?),)*
                }
            }

            /// When it traps.
            pub fn guard(self) -> Guard {
                match self {
                    $(WasmOp::$op => guard!($($guard)?),)*
                }
            }
        }
    };
}

macro_rules! meaning {
    ($meaning:ident) => {
        Meaning::$meaning
    };
    ($meaning:ident $bits:literal) => {
        Meaning::$meaning($bits)
    };
    ($meaning:ident $op:ident) => {
        Meaning::$meaning(Op::$op)
    };
    ($meaning:ident $op:ident $rounding:ident) => {
        Meaning::$meaning(Op::$op, Rounding::$rounding)
    };
}

macro_rules! guard {
    () => {
        Guard::None
    };
    ($guard:ident) => {
        $guard
    };
}

wasm_ops! {
    I32Eqz: I32 => I32 = IsZero;
    I32Eq: I32 I32 => I32 = Compared(Eq);
    I32Ne: I32 I32 => I32 = Negated(Eq);
    I32LtS: I32 I32 => I32 = Compared(BvSlt);
    I32LtU: I32 I32 => I32 = Compared(BvUlt);
    I32GtS: I32 I32 => I32 = Swapped(BvSlt);
    I32GtU: I32 I32 => I32 = Swapped(BvUlt);
    I32LeS: I32 I32 => I32 = Compared(BvSle);
    I32LeU: I32 I32 => I32 = Compared(BvUle);
    I32GeS: I32 I32 => I32 = Swapped(BvSle);
    I32GeU: I32 I32 => I32 = Swapped(BvUle);
    I64Eqz: I64 => I32 = IsZero;
    I64Eq: I64 I64 => I32 = Compared(Eq);
    I64Ne: I64 I64 => I32 = Negated(Eq);
    I64LtS: I64 I64 => I32 = Compared(BvSlt);
    I64LtU: I64 I64 => I32 = Compared(BvUlt);
    I64GtS: I64 I64 => I32 = Swapped(BvSlt);
    I64GtU: I64 I64 => I32 = Swapped(BvUlt);
    I64LeS: I64 I64 => I32 = Compared(BvSle);
    I64LeU: I64 I64 => I32 = Compared(BvUle);
    I64GeS: I64 I64 => I32 = Swapped(BvSle);
    I64GeU: I64 I64 => I32 = Swapped(BvUle);
    F32Eq: F32 F32 => I32 = Compared(FpEq);
    F32Ne: F32 F32 => I32 = Negated(FpEq);
    F32Lt: F32 F32 => I32 = Compared(FpLt);
    F32Gt: F32 F32 => I32 = Swapped(FpLt);
    F32Le: F32 F32 => I32 = Compared(FpLe);
    F32Ge: F32 F32 => I32 = Swapped(FpLe);
    F64Eq: F64 F64 => I32 = Compared(FpEq);
    F64Ne: F64 F64 => I32 = Negated(FpEq);
    F64Lt: F64 F64 => I32 = Compared(FpLt);
    F64Gt: F64 F64 => I32 = Swapped(FpLt);
    F64Le: F64 F64 => I32 = Compared(FpLe);
    F64Ge: F64 F64 => I32 = Swapped(FpLe);
    I32Clz: I32 => I32 = Term(BvClz);
    I32Ctz: I32 => I32 = Term(BvCtz);
    I32Popcnt: I32 => I32 = Term(BvPopcnt);
    I32Add: I32 I32 => I32 = Term(BvAdd);
    I32Sub: I32 I32 => I32 = Term(BvSub);
    I32Mul: I32 I32 => I32 = Term(BvMul);
    I32DivS: I32 I32 => I32 = Term(BvSdiv) traps BY_ZERO_OR_OVERFLOW;
    I32DivU: I32 I32 => I32 = Term(BvUdiv) traps BY_ZERO;
    I32RemS: I32 I32 => I32 = Term(BvSrem) traps BY_ZERO;
    I32RemU: I32 I32 => I32 = Term(BvUrem) traps BY_ZERO;
    I32And: I32 I32 => I32 = Term(BvAnd);
    I32Or: I32 I32 => I32 = Term(BvOr);
    I32Xor: I32 I32 => I32 = Term(BvXor);
    I32Shl: I32 I32 => I32 = Shift(BvShl);
    I32ShrS: I32 I32 => I32 = Shift(BvAshr);
    I32ShrU: I32 I32 => I32 = Shift(BvLshr);
    I32Rotl: I32 I32 => I32 = Term(BvRotl);
    I32Rotr: I32 I32 => I32 = Term(BvRotr);
    I64Clz: I64 => I64 = Term(BvClz);
    I64Ctz: I64 => I64 = Term(BvCtz);
    I64Popcnt: I64 => I64 = Term(BvPopcnt);
    I64Add: I64 I64 => I64 = Term(BvAdd);
    I64Sub: I64 I64 => I64 = Term(BvSub);
    I64Mul: I64 I64 => I64 = Term(BvMul);
    I64DivS: I64 I64 => I64 = Term(BvSdiv) traps BY_ZERO_OR_OVERFLOW;
    I64DivU: I64 I64 => I64 = Term(BvUdiv) traps BY_ZERO;
    I64RemS: I64 I64 => I64 = Term(BvSrem) traps BY_ZERO;
    I64RemU: I64 I64 => I64 = Term(BvUrem) traps BY_ZERO;
    I64And: I64 I64 => I64 = Term(BvAnd);
    I64Or: I64 I64 => I64 = Term(BvOr);
    I64Xor: I64 I64 => I64 = Term(BvXor);
    I64Shl: I64 I64 => I64 = Shift(BvShl);
    I64ShrS: I64 I64 => I64 = Shift(BvAshr);
    I64ShrU: I64 I64 => I64 = Shift(BvLshr);
    I64Rotl: I64 I64 => I64 = Term(BvRotl);
    I64Rotr: I64 I64 => I64 = Term(BvRotr);
    F32Abs: F32 => F32 = Abs;
    F32Neg: F32 => F32 = Neg;
    F32Ceil: F32 => F32 = Rounded(FpRoundToIntegral, Up);
    F32Floor: F32 => F32 = Rounded(FpRoundToIntegral, Down);
    F32Trunc: F32 => F32 = Rounded(FpRoundToIntegral, ToZero);
    F32Nearest: F32 => F32 = Rounded(FpRoundToIntegral, NearestEven);
    F32Sqrt: F32 => F32 = Rounded(FpSqrt, NearestEven);
    F32Add: F32 F32 => F32 = Rounded(FpAdd, NearestEven);
    F32Sub: F32 F32 => F32 = Rounded(FpSub, NearestEven);
    F32Mul: F32 F32 => F32 = Rounded(FpMul, NearestEven);
    F32Div: F32 F32 => F32 = Rounded(FpDiv, NearestEven);
    F32Min: F32 F32 => F32 = NanWins(FpMin);
    F32Max: F32 F32 => F32 = NanWins(FpMax);
    F32Copysign: F32 F32 => F32 = Copysign;
    F64Abs: F64 => F64 = Abs;
    F64Neg: F64 => F64 = Neg;
    F64Ceil: F64 => F64 = Rounded(FpRoundToIntegral, Up);
    F64Floor: F64 => F64 = Rounded(FpRoundToIntegral, Down);
    F64Trunc: F64 => F64 = Rounded(FpRoundToIntegral, ToZero);
    F64Nearest: F64 => F64 = Rounded(FpRoundToIntegral, NearestEven);
    F64Sqrt: F64 => F64 = Rounded(FpSqrt, NearestEven);
    F64Add: F64 F64 => F64 = Rounded(FpAdd, NearestEven);
    F64Sub: F64 F64 => F64 = Rounded(FpSub, NearestEven);
    F64Mul: F64 F64 => F64 = Rounded(FpMul, NearestEven);
    F64Div: F64 F64 => F64 = Rounded(FpDiv, NearestEven);
    F64Min: F64 F64 => F64 = NanWins(FpMin);
    F64Max: F64 F64 => F64 = NanWins(FpMax);
    F64Copysign: F64 F64 => F64 = Copysign;
    I32WrapI64: I64 => I32 = Low;
    I32TruncF32S: F32 => I32 = Converted(FpToSbv, ToZero) traps OUTSIDE_I32_SIGNED;
    I32TruncF32U: F32 => I32 = Converted(FpToUbv, ToZero) traps OUTSIDE_I32_UNSIGNED;
    I32TruncF64S: F64 => I32 = Converted(FpToSbv, ToZero) traps OUTSIDE_I32_SIGNED;
    I32TruncF64U: F64 => I32 = Converted(FpToUbv, ToZero) traps OUTSIDE_I32_UNSIGNED;
    I64ExtendI32S: I32 => I64 = SignExtend(32);
    I64ExtendI32U: I32 => I64 = ZeroExtend;
    I64TruncF32S: F32 => I64 = Converted(FpToSbv, ToZero) traps OUTSIDE_I64_SIGNED;
    I64TruncF32U: F32 => I64 = Converted(FpToUbv, ToZero) traps OUTSIDE_I64_UNSIGNED;
    I64TruncF64S: F64 => I64 = Converted(FpToSbv, ToZero) traps OUTSIDE_I64_SIGNED;
    I64TruncF64U: F64 => I64 = Converted(FpToUbv, ToZero) traps OUTSIDE_I64_UNSIGNED;
    F32ConvertI32S: I32 => F32 = Converted(FpOfSbv, NearestEven);
    F32ConvertI32U: I32 => F32 = Converted(FpOfUbv, NearestEven);
    F32ConvertI64S: I64 => F32 = Converted(FpOfSbv, NearestEven);
    F32ConvertI64U: I64 => F32 = Converted(FpOfUbv, NearestEven);
    F32DemoteF64: F64 => F32 = Converted(FpOfFp, NearestEven);
    F64ConvertI32S: I32 => F64 = Converted(FpOfSbv, NearestEven);
    F64ConvertI32U: I32 => F64 = Converted(FpOfUbv, NearestEven);
    F64ConvertI64S: I64 => F64 = Converted(FpOfSbv, NearestEven);
    F64ConvertI64U: I64 => F64 = Converted(FpOfUbv, NearestEven);
    F64PromoteF32: F32 => F64 = Converted(FpOfFp, NearestEven);
    I32ReinterpretF32: F32 => I32 = ToBits;
    I64ReinterpretF64: F64 => I64 = ToBits;
    F32ReinterpretI32: I32 => F32 = OfBits;
    F64ReinterpretI64: I64 => F64 = OfBits;
    I32Extend8S: I32 => I32 = SignExtend(8);
    I32Extend16S: I32 => I32 = SignExtend(16);
    I64Extend8S: I64 => I64 = SignExtend(8);
    I64Extend16S: I64 => I64 = SignExtend(16);
    I64Extend32S: I64 => I64 = SignExtend(32);
    I32TruncSatF32S: F32 => I32 = Converted(FpToSbv, ToZero);
    I32TruncSatF32U: F32 => I32 = Converted(FpToUbv, ToZero);
    I32TruncSatF64S: F64 => I32 = Converted(FpToSbv, ToZero);
    I32TruncSatF64U: F64 => I32 = Converted(FpToUbv, ToZero);
    I64TruncSatF32S: F32 => I64 = Converted(FpToSbv, ToZero);
    I64TruncSatF32U: F32 => I64 = Converted(FpToUbv, ToZero);
    I64TruncSatF64S: F64 => I64 = Converted(FpToSbv, ToZero);
    I64TruncSatF64U: F64 => I64 = Converted(FpToUbv, ToZero);
}

impl WasmOp {
    /// The operator with this place in [`WasmOp::ALL`], which is what it is as a number.
    pub fn from_code(code: u32) -> WasmOp {
        WasmOp::ALL[code as usize]
    }

    /// Whether the operator can trap.
    pub fn traps(self) -> bool {
        self.guard() != Guard::None
    }

    /// Applies the operator to raw bits; `b` is ignored where there is one operand.
    pub fn apply(self, a: u64, b: u64) -> Result<u64, TrapKind> {
        self.check(a, b)?;
        let sort = self.params()[0].sort();
        let sign = 1u64 << (sort.bits() - 1);
        Ok(match self.meaning() {
            Meaning::Term(op) | Meaning::Compared(op) => self.term(op, [0, 0], a, b),
            Meaning::Swapped(op) => self.term(op, [0, 0], b, a),
            Meaning::Negated(op) => 1 - self.term(op, [0, 0], a, b),
            Meaning::IsZero => u64::from(a == 0),
            Meaning::Shift(op) => self.term(op, [0, 0], a, b & u64::from(sort.bits() - 1)),
            Meaning::Rounded(op, rounding) => self.term(op, [rounding as u8, 0], a, b),
            Meaning::Converted(op, rounding) => {
                let width = self.result().sort().bits() as u8;
                self.term(op, [rounding as u8, width], a, b)
            }
            Meaning::NanWins(op) => {
                let nan = |bits| eval(Op::FpIsNan, [0, 0], &[Value::from_bits(sort, bits)]);
                match nan(a) == Value::Bool(true) || nan(b) == Value::Bool(true) {
                    true => Value::from_bits(sort, u64::MAX >> (65 - sort.bits())).bits(),
                    false => self.term(op, [0, 0], a, b),
                }
            }
            Meaning::ToBits | Meaning::OfBits | Meaning::ZeroExtend => a,
            Meaning::Abs => a & !sign,
            Meaning::Neg => a ^ sign,
            Meaning::Copysign => (a & !sign) | (b & sign),
            Meaning::Low => a & u64::from(u32::MAX),
            Meaning::SignExtend(from) => {
                let low = Value::bv(from, a);
                let more = self.result().sort().bits() as u8 - from;
                eval(Op::SignExtend, [more, 0], &[low]).bits()
            }
        })
    }

    fn term(self, op: Op, indices: [u8; 2], a: u64, b: u64) -> u64 {
        let sort = self.params()[0].sort();
        let args = [Value::from_bits(sort, a), Value::from_bits(sort, b)];
        eval(op, indices, &args[..op.info().arity]).bits()
    }

    fn check(self, a: u64, b: u64) -> Result<(), TrapKind> {
        match self.guard() {
            Guard::None => Ok(()),
            Guard::Division { .. } if b == 0 => Err(TrapKind::DivisionByZero),
            Guard::Division { overflows } => {
                let sort = self.params()[0].sort();
                match overflows && a == 1 << (sort.bits() - 1) && b == sort.mask() {
                    true => Err(TrapKind::IntegerOverflow),
                    false => Ok(()),
                }
            }
            Guard::Truncation { low, high } => {
                // Widening is exact, so that one comparison serves both float types.
                let x = match self.params()[0] {
                    Num::F32 => f64::from(f32::from_bits(a as u32)),
                    Num::F64 | Num::I32 | Num::I64 => f64::from_bits(a),
                };
                match x.trunc() {
                    x if x.is_nan() => Err(TrapKind::InvalidConversion),
                    x if low <= x && x < high => Ok(()),
                    _ => Err(TrapKind::IntegerOverflow),
                }
            }
        }
    }
}
