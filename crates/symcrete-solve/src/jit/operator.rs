//! The operators in Cranelift's intermediate form.
//!
//! Every operator is decided here, in one exhaustive match; the rarer ones, and roundings other than to
//! nearest, call the evaluator.

use super::callback::Callback;
use super::lower::{Lower, register};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use symcrete_term::op::Indices;
use symcrete_term::value::{NAN_BITS_F32, NAN_BITS_F64};
use symcrete_term::{Op, Rounding, Sort};

/// An operator with its arguments in registers.
pub(super) struct Applied<'a> {
    pub(super) op: Op,
    pub(super) indices: Indices,
    pub(super) sorts: &'a [Sort],
    pub(super) args: &'a [Value],
}

impl Applied<'_> {
    /// The sort on which the meaning depends: that of the last argument.
    fn sort(&self) -> Sort {
        self.sorts[self.sorts.len() - 1]
    }

    fn result(&self) -> Sort {
        self.op.result_sort(self.indices, self.sorts).expect("the term was built with these sorts")
    }

    fn to_nearest(&self) -> bool {
        self.indices[0] == Rounding::NearestEven as u8
    }
}

impl Lower<'_, '_> {
    /// The value of an application.
    #[expect(clippy::too_many_lines, reason = "one row per operator is how a table reads best")]
    pub(super) fn apply(&mut self, applied: &Applied<'_>) -> Value {
        let sort = applied.sort();
        let arg = |i: usize| applied.args[i];
        match applied.op {
            Op::Not => {
                let one = self.constant(1);
                self.builder.ins().bxor(arg(0), one)
            }
            Op::And | Op::BvAnd => self.builder.ins().band(arg(0), arg(1)),
            Op::Or | Op::BvOr => self.builder.ins().bor(arg(0), arg(1)),
            Op::Xor | Op::BvXor => self.builder.ins().bxor(arg(0), arg(1)),
            Op::Eq => self.identical(sort, arg(0), arg(1)),
            Op::Ite => self.builder.ins().select(arg(0), arg(1), arg(2)),
            Op::BvNot => {
                let complement = self.builder.ins().bnot(arg(0));
                self.masked(sort, complement)
            }
            Op::BvNeg => {
                let negated = self.builder.ins().ineg(arg(0));
                self.masked(sort, negated)
            }
            Op::BvAdd => {
                let sum = self.builder.ins().iadd(arg(0), arg(1));
                self.masked(sort, sum)
            }
            Op::BvSub => {
                let difference = self.builder.ins().isub(arg(0), arg(1));
                self.masked(sort, difference)
            }
            Op::BvMul => {
                let product = self.builder.ins().imul(arg(0), arg(1));
                self.masked(sort, product)
            }
            Op::BvUdiv | Op::BvUrem => self.unsigned_division(applied),
            Op::BvSdiv | Op::BvSrem => self.signed_division(applied),
            Op::BvShl | Op::BvLshr | Op::BvAshr => self.shift(applied),
            Op::BvUlt => self.compare(IntCC::UnsignedLessThan, arg(0), arg(1)),
            Op::BvUle => self.compare(IntCC::UnsignedLessThanOrEqual, arg(0), arg(1)),
            Op::BvSlt | Op::BvSle => {
                let (a, b) = (self.signed(sort, arg(0)), self.signed(sort, arg(1)));
                let less = applied.op == Op::BvSlt;
                let code = if less { IntCC::SignedLessThan } else { IntCC::SignedLessThanOrEqual };
                self.compare(code, a, b)
            }
            Op::Concat => {
                let high = self.builder.ins().ishl_imm_u(arg(0), i64::from(sort.bits()));
                self.builder.ins().bor(high, arg(1))
            }
            Op::Extract => {
                let low = self.builder.ins().ushr_imm_u(arg(0), i64::from(applied.indices[1]));
                self.masked(applied.result(), low)
            }
            Op::ZeroExtend => arg(0),
            Op::SignExtend => {
                let extended = self.signed(sort, arg(0));
                self.masked(applied.result(), extended)
            }
            Op::FpAbs => self.builder.ins().fabs(arg(0)),
            Op::FpNeg => self.builder.ins().fneg(arg(0)),
            Op::FpAdd if applied.to_nearest() => self.builder.ins().fadd(arg(0), arg(1)),
            Op::FpSub if applied.to_nearest() => self.builder.ins().fsub(arg(0), arg(1)),
            Op::FpMul if applied.to_nearest() => self.builder.ins().fmul(arg(0), arg(1)),
            Op::FpDiv if applied.to_nearest() => self.builder.ins().fdiv(arg(0), arg(1)),
            Op::FpSqrt if applied.to_nearest() => self.builder.ins().sqrt(arg(0)),
            Op::FpLe => self.compare_floats(FloatCC::LessThanOrEqual, arg(0), arg(1)),
            Op::FpLt => self.compare_floats(FloatCC::LessThan, arg(0), arg(1)),
            Op::FpEq => self.compare_floats(FloatCC::Equal, arg(0), arg(1)),
            Op::FpIsNan => self.compare_floats(FloatCC::Unordered, arg(0), arg(0)),
            Op::FpOfBits => self.value(applied.result(), arg(0)),
            Op::FpBits => self.canonical_bits(sort, arg(0)),
            Op::FpOfFp if applied.to_nearest() => match (sort, applied.result()) {
                (Sort::F32, Sort::F64) => self.builder.ins().fpromote(types::F64, arg(0)),
                (Sort::F64, Sort::F32) => self.builder.ins().fdemote(types::F32, arg(0)),
                (Sort::F32 | Sort::F64 | Sort::Bool | Sort::Bv(_), _) => arg(0),
            },
            Op::FpOfSbv if applied.to_nearest() => {
                let number = self.signed(sort, arg(0));
                self.builder.ins().fcvt_from_sint(register(applied.result()), number)
            }
            Op::FpOfUbv if applied.to_nearest() => {
                self.builder.ins().fcvt_from_uint(register(applied.result()), arg(0))
            }
            Op::FpToSbv | Op::FpToUbv if applied.indices[0] == Rounding::ToZero as u8 => {
                self.truncated(applied)
            }
            Op::BvSmod
            | Op::BvRotl
            | Op::BvRotr
            | Op::BvClz
            | Op::BvCtz
            | Op::BvPopcnt
            | Op::FpAdd
            | Op::FpSub
            | Op::FpMul
            | Op::FpDiv
            | Op::FpFma
            | Op::FpSqrt
            | Op::FpRem
            | Op::FpRoundToIntegral
            | Op::FpMin
            | Op::FpMax
            | Op::FpIsNormal
            | Op::FpIsSubnormal
            | Op::FpIsZero
            | Op::FpIsInfinite
            | Op::FpIsNegative
            | Op::FpIsPositive
            | Op::FpOfFp
            | Op::FpOfSbv
            | Op::FpOfUbv
            | Op::FpToSbv
            | Op::FpToUbv => self.evaluated(applied),
        }
    }

    /// By the evaluator.
    fn evaluated(&mut self, applied: &Applied<'_>) -> Value {
        let callback = Callback::Operator {
            op: applied.op,
            indices: applied.indices,
            sorts: applied.sorts.to_vec(),
        };
        self.call_back(callback, applied.sorts, applied.result(), applied.args)
    }

    fn masked(&mut self, sort: Sort, value: Value) -> Value {
        if sort.bits() == 64 {
            return value;
        }
        let mask = self.constant(sort.mask());
        self.builder.ins().band(value, mask)
    }

    fn signed(&mut self, sort: Sort, value: Value) -> Value {
        let shift = i64::from(64 - sort.bits());
        if shift == 0 {
            return value;
        }
        let high = self.builder.ins().ishl_imm_u(value, shift);
        self.builder.ins().sshr_imm_u(high, shift)
    }

    fn compare(&mut self, code: IntCC, a: Value, b: Value) -> Value {
        let truth = self.builder.ins().icmp(code, a, b);
        self.builder.ins().uextend(types::I64, truth)
    }

    fn compare_floats(&mut self, code: FloatCC, a: Value, b: Value) -> Value {
        let truth = self.builder.ins().fcmp(code, a, b);
        self.builder.ins().uextend(types::I64, truth)
    }

    /// The representation, all NaNs alike.
    fn canonical_bits(&mut self, sort: Sort, value: Value) -> Value {
        let nan = match sort {
            Sort::F32 => u64::from(NAN_BITS_F32),
            Sort::F64 | Sort::Bool | Sort::Bv(_) => NAN_BITS_F64,
        };
        let (bits, nan) = (self.word(sort, value), self.constant(nan));
        let is_nan = self.builder.ins().fcmp(FloatCC::Unordered, value, value);
        self.builder.ins().select(is_nan, nan, bits)
    }

    fn identical(&mut self, sort: Sort, a: Value, b: Value) -> Value {
        let (a, b) = if sort.is_float() {
            (self.canonical_bits(sort, a), self.canonical_bits(sort, b))
        } else {
            (a, b)
        };
        self.compare(IntCC::Equal, a, b)
    }

    /// Division by zero gives all ones, its remainder the dividend.
    fn unsigned_division(&mut self, applied: &Applied<'_>) -> Value {
        let (a, b) = (applied.args[0], applied.args[1]);
        let one = self.constant(1);
        let is_zero = self.builder.ins().icmp_imm_u(IntCC::Equal, b, 0);
        let safe = self.builder.ins().select(is_zero, one, b);
        if applied.op == Op::BvUdiv {
            let ones = self.constant(applied.sort().mask());
            let quotient = self.builder.ins().udiv(a, safe);
            self.builder.ins().select(is_zero, ones, quotient)
        } else {
            let remainder = self.builder.ins().urem(a, safe);
            self.builder.ins().select(is_zero, a, remainder)
        }
    }

    /// Division by zero gives 1 or -1, its remainder the dividend; by -1 it is a negation, which
    /// the machine's division traps on.
    fn signed_division(&mut self, applied: &Applied<'_>) -> Value {
        let sort = applied.sort();
        let (a, b) = (self.signed(sort, applied.args[0]), self.signed(sort, applied.args[1]));
        let (one, minus_one) = (self.constant(1), self.constant(u64::MAX));
        let is_zero = self.builder.ins().icmp_imm_u(IntCC::Equal, b, 0);
        let is_minus_one = self.builder.ins().icmp(IntCC::Equal, b, minus_one);
        let special = self.builder.ins().bor(is_zero, is_minus_one);
        let safe = self.builder.ins().select(special, one, b);
        let result = if applied.op == Op::BvSdiv {
            let quotient = self.builder.ins().sdiv(a, safe);
            let negated = self.builder.ins().ineg(a);
            let quotient = self.builder.ins().select(is_minus_one, negated, quotient);
            let negative = self.builder.ins().icmp_imm_u(IntCC::SignedLessThan, a, 0);
            let by_zero = self.builder.ins().select(negative, one, minus_one);
            self.builder.ins().select(is_zero, by_zero, quotient)
        } else {
            // Modulo one and modulo minus one are both zero.
            let remainder = self.builder.ins().srem(a, safe);
            self.builder.ins().select(is_zero, a, remainder)
        };
        self.masked(sort, result)
    }

    /// Shifts by the width or more: the machine would take the amount modulo 64.
    fn shift(&mut self, applied: &Applied<'_>) -> Value {
        let sort = applied.sort();
        let (a, amount) = (applied.args[0], applied.args[1]);
        let last = self.constant(u64::from(sort.bits() - 1));
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, amount, last);
        let clamped = self.builder.ins().select(inside, amount, last);
        if applied.op == Op::BvAshr {
            let number = self.signed(sort, a);
            let shifted = self.builder.ins().sshr(number, clamped);
            return self.masked(sort, shifted);
        }
        let shifted = if applied.op == Op::BvShl {
            self.builder.ins().ishl(a, clamped)
        } else {
            self.builder.ins().ushr(a, clamped)
        };
        let (zero, shifted) = (self.constant(0), self.masked(sort, shifted));
        self.builder.ins().select(inside, shifted, zero)
    }

    /// Towards zero, saturating, zero for NaN: as the machine does at 64 bits, then cut to width.
    fn truncated(&mut self, applied: &Applied<'_>) -> Value {
        let width = applied.result();
        if applied.op == Op::FpToUbv {
            let number = self.builder.ins().fcvt_to_uint_sat(types::I64, applied.args[0]);
            let most = self.constant(width.mask());
            return self.builder.ins().umin(number, most);
        }
        let number = self.builder.ins().fcvt_to_sint_sat(types::I64, applied.args[0]);
        let high = width.mask() >> 1;
        let (low, high) = (self.constant(!high), self.constant(high));
        let number = self.builder.ins().smin(number, high);
        let number = self.builder.ins().smax(number, low);
        self.masked(width, number)
    }
}
