//! The numeric operators of WebAssembly: their names, types and, by way of terms, their meaning.
//!
//! [`WasmOp::apply`] asks `symcrete_term::eval` for everything that terms can say, so that there is one
//! meaning. Terms have one NaN and a machine has many: the operators that show or keep a NaN's bits (`abs`,
//! `neg`, `copysign`, reinterpretation) work on raw bits here; all others give the canonical NaN.

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

macro_rules! wasm_ops {
    ($($op:ident: $($arg:ident)+ => $result:ident;)*) => {
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
        }
    };
}

wasm_ops! {
    I32Eqz: I32 => I32;
    I32Eq: I32 I32 => I32;
    I32Ne: I32 I32 => I32;
    I32LtS: I32 I32 => I32;
    I32LtU: I32 I32 => I32;
    I32GtS: I32 I32 => I32;
    I32GtU: I32 I32 => I32;
    I32LeS: I32 I32 => I32;
    I32LeU: I32 I32 => I32;
    I32GeS: I32 I32 => I32;
    I32GeU: I32 I32 => I32;
    I64Eqz: I64 => I32;
    I64Eq: I64 I64 => I32;
    I64Ne: I64 I64 => I32;
    I64LtS: I64 I64 => I32;
    I64LtU: I64 I64 => I32;
    I64GtS: I64 I64 => I32;
    I64GtU: I64 I64 => I32;
    I64LeS: I64 I64 => I32;
    I64LeU: I64 I64 => I32;
    I64GeS: I64 I64 => I32;
    I64GeU: I64 I64 => I32;
    F32Eq: F32 F32 => I32;
    F32Ne: F32 F32 => I32;
    F32Lt: F32 F32 => I32;
    F32Gt: F32 F32 => I32;
    F32Le: F32 F32 => I32;
    F32Ge: F32 F32 => I32;
    F64Eq: F64 F64 => I32;
    F64Ne: F64 F64 => I32;
    F64Lt: F64 F64 => I32;
    F64Gt: F64 F64 => I32;
    F64Le: F64 F64 => I32;
    F64Ge: F64 F64 => I32;
    I32Clz: I32 => I32;
    I32Ctz: I32 => I32;
    I32Popcnt: I32 => I32;
    I32Add: I32 I32 => I32;
    I32Sub: I32 I32 => I32;
    I32Mul: I32 I32 => I32;
    I32DivS: I32 I32 => I32;
    I32DivU: I32 I32 => I32;
    I32RemS: I32 I32 => I32;
    I32RemU: I32 I32 => I32;
    I32And: I32 I32 => I32;
    I32Or: I32 I32 => I32;
    I32Xor: I32 I32 => I32;
    I32Shl: I32 I32 => I32;
    I32ShrS: I32 I32 => I32;
    I32ShrU: I32 I32 => I32;
    I32Rotl: I32 I32 => I32;
    I32Rotr: I32 I32 => I32;
    I64Clz: I64 => I64;
    I64Ctz: I64 => I64;
    I64Popcnt: I64 => I64;
    I64Add: I64 I64 => I64;
    I64Sub: I64 I64 => I64;
    I64Mul: I64 I64 => I64;
    I64DivS: I64 I64 => I64;
    I64DivU: I64 I64 => I64;
    I64RemS: I64 I64 => I64;
    I64RemU: I64 I64 => I64;
    I64And: I64 I64 => I64;
    I64Or: I64 I64 => I64;
    I64Xor: I64 I64 => I64;
    I64Shl: I64 I64 => I64;
    I64ShrS: I64 I64 => I64;
    I64ShrU: I64 I64 => I64;
    I64Rotl: I64 I64 => I64;
    I64Rotr: I64 I64 => I64;
    F32Abs: F32 => F32;
    F32Neg: F32 => F32;
    F32Ceil: F32 => F32;
    F32Floor: F32 => F32;
    F32Trunc: F32 => F32;
    F32Nearest: F32 => F32;
    F32Sqrt: F32 => F32;
    F32Add: F32 F32 => F32;
    F32Sub: F32 F32 => F32;
    F32Mul: F32 F32 => F32;
    F32Div: F32 F32 => F32;
    F32Min: F32 F32 => F32;
    F32Max: F32 F32 => F32;
    F32Copysign: F32 F32 => F32;
    F64Abs: F64 => F64;
    F64Neg: F64 => F64;
    F64Ceil: F64 => F64;
    F64Floor: F64 => F64;
    F64Trunc: F64 => F64;
    F64Nearest: F64 => F64;
    F64Sqrt: F64 => F64;
    F64Add: F64 F64 => F64;
    F64Sub: F64 F64 => F64;
    F64Mul: F64 F64 => F64;
    F64Div: F64 F64 => F64;
    F64Min: F64 F64 => F64;
    F64Max: F64 F64 => F64;
    F64Copysign: F64 F64 => F64;
    I32WrapI64: I64 => I32;
    I32TruncF32S: F32 => I32;
    I32TruncF32U: F32 => I32;
    I32TruncF64S: F64 => I32;
    I32TruncF64U: F64 => I32;
    I64ExtendI32S: I32 => I64;
    I64ExtendI32U: I32 => I64;
    I64TruncF32S: F32 => I64;
    I64TruncF32U: F32 => I64;
    I64TruncF64S: F64 => I64;
    I64TruncF64U: F64 => I64;
    F32ConvertI32S: I32 => F32;
    F32ConvertI32U: I32 => F32;
    F32ConvertI64S: I64 => F32;
    F32ConvertI64U: I64 => F32;
    F32DemoteF64: F64 => F32;
    F64ConvertI32S: I32 => F64;
    F64ConvertI32U: I32 => F64;
    F64ConvertI64S: I64 => F64;
    F64ConvertI64U: I64 => F64;
    F64PromoteF32: F32 => F64;
    I32ReinterpretF32: F32 => I32;
    I64ReinterpretF64: F64 => I64;
    F32ReinterpretI32: I32 => F32;
    F64ReinterpretI64: I64 => F64;
    I32Extend8S: I32 => I32;
    I32Extend16S: I32 => I32;
    I64Extend8S: I64 => I64;
    I64Extend16S: I64 => I64;
    I64Extend32S: I64 => I64;
    I32TruncSatF32S: F32 => I32;
    I32TruncSatF32U: F32 => I32;
    I32TruncSatF64S: F64 => I32;
    I32TruncSatF64U: F64 => I32;
    I64TruncSatF32S: F32 => I64;
    I64TruncSatF32U: F32 => I64;
    I64TruncSatF64S: F64 => I64;
    I64TruncSatF64U: F64 => I64;
}

impl WasmOp {
    /// The operator with this place in [`WasmOp::ALL`], which is what it is as a number.
    pub fn from_code(code: u32) -> WasmOp {
        WasmOp::ALL[code as usize]
    }

    /// Whether the operator can trap.
    pub fn traps(self) -> bool {
        matches!(self.guard(), Guard::Division { .. } | Guard::Truncation { .. })
    }

    /// Applies the operator to raw bits; `b` is ignored where there is one operand.
    pub fn apply(self, a: u64, b: u64) -> Result<u64, TrapKind> {
        self.check(a, b)?;
        let sort = self.params()[0].sort();
        let sign = 1u64 << (sort.bits() - 1);
        Ok(match self.meaning() {
            Meaning::Term(op) => self.term(op, [0, 0], a, b),
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
            Meaning::Bits => a,
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

    fn guard(self) -> Guard {
        use WasmOp as W;
        let truncation = |low, high| Guard::Truncation { low, high };
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are total")]
        match self {
            W::I32DivS | W::I64DivS => Guard::Division { overflows: true },
            W::I32DivU | W::I64DivU | W::I32RemS | W::I32RemU | W::I64RemS | W::I64RemU => {
                Guard::Division { overflows: false }
            }
            W::I32TruncF32S | W::I32TruncF64S => truncation(-2f64.powi(31), 2f64.powi(31)),
            W::I32TruncF32U | W::I32TruncF64U => truncation(0.0, 2f64.powi(32)),
            W::I64TruncF32S | W::I64TruncF64S => truncation(-2f64.powi(63), 2f64.powi(63)),
            W::I64TruncF32U | W::I64TruncF64U => truncation(0.0, 2f64.powi(64)),
            _ => Guard::None,
        }
    }

    #[expect(clippy::too_many_lines, reason = "one row per operator is how a table reads best")]
    fn meaning(self) -> Meaning {
        use Meaning::{Converted, Negated, Rounded, Shift, SignExtend, Swapped, Term};
        use WasmOp as W;
        match self {
            W::I32Eqz | W::I64Eqz => Meaning::IsZero,
            W::I32Eq | W::I64Eq => Term(Op::Eq),
            W::I32Ne | W::I64Ne => Negated(Op::Eq),
            W::I32LtS | W::I64LtS => Term(Op::BvSlt),
            W::I32LtU | W::I64LtU => Term(Op::BvUlt),
            W::I32GtS | W::I64GtS => Swapped(Op::BvSlt),
            W::I32GtU | W::I64GtU => Swapped(Op::BvUlt),
            W::I32LeS | W::I64LeS => Term(Op::BvSle),
            W::I32LeU | W::I64LeU => Term(Op::BvUle),
            W::I32GeS | W::I64GeS => Swapped(Op::BvSle),
            W::I32GeU | W::I64GeU => Swapped(Op::BvUle),
            W::F32Eq | W::F64Eq => Term(Op::FpEq),
            W::F32Ne | W::F64Ne => Negated(Op::FpEq),
            W::F32Lt | W::F64Lt => Term(Op::FpLt),
            W::F32Gt | W::F64Gt => Swapped(Op::FpLt),
            W::F32Le | W::F64Le => Term(Op::FpLe),
            W::F32Ge | W::F64Ge => Swapped(Op::FpLe),
            W::I32Clz | W::I64Clz => Term(Op::BvClz),
            W::I32Ctz | W::I64Ctz => Term(Op::BvCtz),
            W::I32Popcnt | W::I64Popcnt => Term(Op::BvPopcnt),
            W::I32Add | W::I64Add => Term(Op::BvAdd),
            W::I32Sub | W::I64Sub => Term(Op::BvSub),
            W::I32Mul | W::I64Mul => Term(Op::BvMul),
            W::I32DivS | W::I64DivS => Term(Op::BvSdiv),
            W::I32DivU | W::I64DivU => Term(Op::BvUdiv),
            W::I32RemS | W::I64RemS => Term(Op::BvSrem),
            W::I32RemU | W::I64RemU => Term(Op::BvUrem),
            W::I32And | W::I64And => Term(Op::BvAnd),
            W::I32Or | W::I64Or => Term(Op::BvOr),
            W::I32Xor | W::I64Xor => Term(Op::BvXor),
            W::I32Shl | W::I64Shl => Shift(Op::BvShl),
            W::I32ShrS | W::I64ShrS => Shift(Op::BvAshr),
            W::I32ShrU | W::I64ShrU => Shift(Op::BvLshr),
            W::I32Rotl | W::I64Rotl => Term(Op::BvRotl),
            W::I32Rotr | W::I64Rotr => Term(Op::BvRotr),
            W::F32Abs | W::F64Abs => Meaning::Abs,
            W::F32Neg | W::F64Neg => Meaning::Neg,
            W::F32Copysign | W::F64Copysign => Meaning::Copysign,
            W::F32Ceil | W::F64Ceil => Rounded(Op::FpRoundToIntegral, Rounding::Up),
            W::F32Floor | W::F64Floor => Rounded(Op::FpRoundToIntegral, Rounding::Down),
            W::F32Trunc | W::F64Trunc => Rounded(Op::FpRoundToIntegral, Rounding::ToZero),
            W::F32Nearest | W::F64Nearest => Rounded(Op::FpRoundToIntegral, Rounding::NearestEven),
            W::F32Sqrt | W::F64Sqrt => Rounded(Op::FpSqrt, Rounding::NearestEven),
            W::F32Add | W::F64Add => Rounded(Op::FpAdd, Rounding::NearestEven),
            W::F32Sub | W::F64Sub => Rounded(Op::FpSub, Rounding::NearestEven),
            W::F32Mul | W::F64Mul => Rounded(Op::FpMul, Rounding::NearestEven),
            W::F32Div | W::F64Div => Rounded(Op::FpDiv, Rounding::NearestEven),
            W::F32Min | W::F64Min => Meaning::NanWins(Op::FpMin),
            W::F32Max | W::F64Max => Meaning::NanWins(Op::FpMax),
            W::I32WrapI64 => Meaning::Low,
            W::I64ExtendI32S => SignExtend(32),
            W::I64ExtendI32U => Meaning::Bits,
            W::I32Extend8S | W::I64Extend8S => SignExtend(8),
            W::I32Extend16S | W::I64Extend16S => SignExtend(16),
            W::I64Extend32S => SignExtend(32),
            W::I32TruncF32S
            | W::I32TruncF64S
            | W::I32TruncSatF32S
            | W::I32TruncSatF64S
            | W::I64TruncF32S
            | W::I64TruncF64S
            | W::I64TruncSatF32S
            | W::I64TruncSatF64S => Converted(Op::FpToSbv, Rounding::ToZero),
            W::I32TruncF32U
            | W::I32TruncF64U
            | W::I32TruncSatF32U
            | W::I32TruncSatF64U
            | W::I64TruncF32U
            | W::I64TruncF64U
            | W::I64TruncSatF32U
            | W::I64TruncSatF64U => Converted(Op::FpToUbv, Rounding::ToZero),
            W::F32ConvertI32S | W::F32ConvertI64S | W::F64ConvertI32S | W::F64ConvertI64S => {
                Converted(Op::FpOfSbv, Rounding::NearestEven)
            }
            W::F32ConvertI32U | W::F32ConvertI64U | W::F64ConvertI32U | W::F64ConvertI64U => {
                Converted(Op::FpOfUbv, Rounding::NearestEven)
            }
            W::F32DemoteF64 | W::F64PromoteF32 => Converted(Op::FpOfFp, Rounding::NearestEven),
            W::I32ReinterpretF32
            | W::I64ReinterpretF64
            | W::F32ReinterpretI32
            | W::F64ReinterpretI64 => Meaning::Bits,
        }
    }
}

/// When an operator traps.
enum Guard {
    None,
    /// By zero; if it `overflows`, also the least integer by -1.
    Division {
        overflows: bool,
    },
    /// Unless the integral part is in `low..high`.
    Truncation {
        low: f64,
        high: f64,
    },
}

/// How an operator follows from those of terms.
#[derive(Clone, Copy)]
enum Meaning {
    Term(Op),
    /// With the operands exchanged.
    Swapped(Op),
    /// The comparison does not hold.
    Negated(Op),
    IsZero,
    /// The count modulo the width.
    Shift(Op),
    Rounded(Op, Rounding),
    /// To the result's width.
    Converted(Op, Rounding),
    /// NaN if an operand is one.
    NanWins(Op),
    /// The same bits.
    Bits,
    Abs,
    Neg,
    Copysign,
    /// The low half.
    Low,
    /// From that many low bits.
    SignExtend(u8),
}
