//! What each numeric operator of WebAssembly means as a term.
//!
//! Terms have SMT-LIB's total operators; WebAssembly's own rules are built here: shift counts are taken
//! modulo the width, comparisons yield the numbers 0 and 1, `min` and `max` yield NaN if an operand is
//! NaN, and what would trap is guarded before ([`guards`]).
//!
//! **The NaN rule.** Terms have one NaN, the canonical quiet one; a machine has many. Arithmetic runs
//! with NaN canonicalisation and so yields that one. Only five things show or change a NaN's other
//! bits: `neg`, `abs`, `copysign`, reinterpretation and memory. So wherever bits are seen,
//! [`bits_of`] goes back to where they came from: bits read as a float and seen again are those bits,
//! and a sign that was flipped or cleared is flipped or cleared in the bits. Any other float term that is
//! NaN has the canonical bits in the machine too.
//!
//! **Invariant:** for every operator and all arguments on which it does not trap, the term evaluates
//! to the machine's result, bit for bit where the result is an integer.

use crate::cfg::{Num, WasmOp};
use crate::image::CellKind;
use symcrete_term::{Node, Op, Rounding, Sort, TermId, Terms, Value};

/// The term of an operator applied to the terms of its operands.
#[expect(clippy::too_many_lines, reason = "one row per operator is how a table reads best")]
pub fn lower(t: &mut Terms, op: WasmOp, args: &[TermId]) -> TermId {
    use WasmOp as W;
    let a = args[0];
    let b = args[args.len() - 1];
    match op {
        W::I32Eqz | W::I64Eqz => {
            let zero = t.constant(Value::zero(t.sort(a)));
            truth(t, Op::Eq, &[a, zero])
        }
        W::I32Eq | W::I64Eq => truth(t, Op::Eq, &[a, b]),
        W::I32Ne | W::I64Ne => falsehood(t, Op::Eq, &[a, b]),
        W::I32LtS | W::I64LtS => truth(t, Op::BvSlt, &[a, b]),
        W::I32LtU | W::I64LtU => truth(t, Op::BvUlt, &[a, b]),
        W::I32GtS | W::I64GtS => truth(t, Op::BvSlt, &[b, a]),
        W::I32GtU | W::I64GtU => truth(t, Op::BvUlt, &[b, a]),
        W::I32LeS | W::I64LeS => truth(t, Op::BvSle, &[a, b]),
        W::I32LeU | W::I64LeU => truth(t, Op::BvUle, &[a, b]),
        W::I32GeS | W::I64GeS => truth(t, Op::BvSle, &[b, a]),
        W::I32GeU | W::I64GeU => truth(t, Op::BvUle, &[b, a]),
        W::F32Eq | W::F64Eq => truth(t, Op::FpEq, &[a, b]),
        W::F32Ne | W::F64Ne => falsehood(t, Op::FpEq, &[a, b]),
        W::F32Lt | W::F64Lt => truth(t, Op::FpLt, &[a, b]),
        W::F32Gt | W::F64Gt => truth(t, Op::FpLt, &[b, a]),
        W::F32Le | W::F64Le => truth(t, Op::FpLe, &[a, b]),
        W::F32Ge | W::F64Ge => truth(t, Op::FpLe, &[b, a]),

        W::I32Clz | W::I64Clz => t.app(Op::BvClz, &[a]),
        W::I32Ctz | W::I64Ctz => t.app(Op::BvCtz, &[a]),
        W::I32Popcnt | W::I64Popcnt => t.app(Op::BvPopcnt, &[a]),
        W::I32Add | W::I64Add => t.app(Op::BvAdd, &[a, b]),
        W::I32Sub | W::I64Sub => t.app(Op::BvSub, &[a, b]),
        W::I32Mul | W::I64Mul => t.app(Op::BvMul, &[a, b]),
        W::I32DivS | W::I64DivS => t.app(Op::BvSdiv, &[a, b]),
        W::I32DivU | W::I64DivU => t.app(Op::BvUdiv, &[a, b]),
        W::I32RemS | W::I64RemS => t.app(Op::BvSrem, &[a, b]),
        W::I32RemU | W::I64RemU => t.app(Op::BvUrem, &[a, b]),
        W::I32And | W::I64And => bitwise(t, Op::BvAnd, a, b),
        W::I32Or | W::I64Or => bitwise(t, Op::BvOr, a, b),
        W::I32Xor | W::I64Xor => bitwise(t, Op::BvXor, a, b),
        W::I32Shl | W::I64Shl => shift(t, Op::BvShl, a, b),
        W::I32ShrS | W::I64ShrS => shift(t, Op::BvAshr, a, b),
        W::I32ShrU | W::I64ShrU => shift(t, Op::BvLshr, a, b),
        W::I32Rotl | W::I64Rotl => t.app(Op::BvRotl, &[a, b]),
        W::I32Rotr | W::I64Rotr => t.app(Op::BvRotr, &[a, b]),

        W::F32Abs | W::F64Abs => t.app(Op::FpAbs, &[a]),
        W::F32Neg | W::F64Neg => t.app(Op::FpNeg, &[a]),
        W::F32Copysign | W::F64Copysign => copysign(t, a, b),
        W::F32Ceil | W::F64Ceil => t.rounded(Op::FpRoundToIntegral, Rounding::Up, &[a]),
        W::F32Floor | W::F64Floor => t.rounded(Op::FpRoundToIntegral, Rounding::Down, &[a]),
        W::F32Trunc | W::F64Trunc => t.rounded(Op::FpRoundToIntegral, Rounding::ToZero, &[a]),
        W::F32Nearest | W::F64Nearest => {
            t.rounded(Op::FpRoundToIntegral, Rounding::NearestEven, &[a])
        }
        W::F32Sqrt | W::F64Sqrt => t.rounded(Op::FpSqrt, Rounding::NearestEven, &[a]),
        W::F32Add | W::F64Add => t.rounded(Op::FpAdd, Rounding::NearestEven, &[a, b]),
        W::F32Sub | W::F64Sub => t.rounded(Op::FpSub, Rounding::NearestEven, &[a, b]),
        W::F32Mul | W::F64Mul => t.rounded(Op::FpMul, Rounding::NearestEven, &[a, b]),
        W::F32Div | W::F64Div => t.rounded(Op::FpDiv, Rounding::NearestEven, &[a, b]),
        W::F32Min | W::F64Min => nan_wins(t, Op::FpMin, a, b),
        W::F32Max | W::F64Max => nan_wins(t, Op::FpMax, a, b),

        W::I32WrapI64 => extract(t, 31, 0, a),
        W::I64ExtendI32S => extend(t, Op::SignExtend, 32, a),
        W::I64ExtendI32U => extend(t, Op::ZeroExtend, 32, a),
        W::I32Extend8S => sign_extend_from(t, 8, a),
        W::I32Extend16S => sign_extend_from(t, 16, a),
        W::I64Extend8S => sign_extend_from(t, 8, a),
        W::I64Extend16S => sign_extend_from(t, 16, a),
        W::I64Extend32S => sign_extend_from(t, 32, a),
        W::I32TruncF32S | W::I32TruncF64S | W::I32TruncSatF32S | W::I32TruncSatF64S => {
            t.app_indexed(Op::FpToSbv, [Rounding::ToZero as u8, 32], &[a])
        }
        W::I32TruncF32U | W::I32TruncF64U | W::I32TruncSatF32U | W::I32TruncSatF64U => {
            t.app_indexed(Op::FpToUbv, [Rounding::ToZero as u8, 32], &[a])
        }
        W::I64TruncF32S | W::I64TruncF64S | W::I64TruncSatF32S | W::I64TruncSatF64S => {
            t.app_indexed(Op::FpToSbv, [Rounding::ToZero as u8, 64], &[a])
        }
        W::I64TruncF32U | W::I64TruncF64U | W::I64TruncSatF32U | W::I64TruncSatF64U => {
            t.app_indexed(Op::FpToUbv, [Rounding::ToZero as u8, 64], &[a])
        }
        W::F32ConvertI32S | W::F32ConvertI64S => to_float(t, Op::FpOfSbv, 32, a),
        W::F32ConvertI32U | W::F32ConvertI64U => to_float(t, Op::FpOfUbv, 32, a),
        W::F64ConvertI32S | W::F64ConvertI64S => to_float(t, Op::FpOfSbv, 64, a),
        W::F64ConvertI32U | W::F64ConvertI64U => to_float(t, Op::FpOfUbv, 64, a),
        W::F32DemoteF64 => demote(t, a),
        W::F64PromoteF32 => to_float(t, Op::FpOfFp, 64, a),
        W::I32ReinterpretF32 | W::I64ReinterpretF64 => bits_of(t, a),
        W::F32ReinterpretI32 | W::F64ReinterpretI64 => t.app(Op::FpOfBits, &[a]),
    }
}

/// Conditions that must hold for the operator not to trap, in the order the machine checks them.
pub fn guards(t: &mut Terms, op: WasmOp, args: &[TermId]) -> Vec<TermId> {
    use WasmOp as W;
    let (a, b) = (args[0], args[args.len() - 1]);
    #[expect(clippy::wildcard_enum_match_arm, reason = "WasmOp::traps has chosen the operators")]
    match op {
        W::I32DivU | W::I64DivU | W::I32RemS | W::I32RemU | W::I64RemS | W::I64RemU => {
            vec![nonzero(t, b)]
        }
        W::I32DivS | W::I64DivS => {
            let sort = t.sort(a);
            let minimum = t.constant(Value::from_bits(sort, 1 << (sort.bits() - 1)));
            let minus_one = t.constant(Value::from_bits(sort, u64::MAX));
            let (least, negated) = (t.eq(a, minimum), t.eq(b, minus_one));
            let overflow = t.app(Op::And, &[least, negated]);
            vec![nonzero(t, b), t.not(overflow)]
        }
        W::I32TruncF32S | W::I32TruncF64S => float_in_range(t, a, -2f64.powi(31), 2f64.powi(31)),
        W::I32TruncF32U | W::I32TruncF64U => float_in_range(t, a, 0.0, 2f64.powi(32)),
        W::I64TruncF32S | W::I64TruncF64S => float_in_range(t, a, -2f64.powi(63), 2f64.powi(63)),
        W::I64TruncF32U | W::I64TruncF64U => float_in_range(t, a, 0.0, 2f64.powi(64)),
        _ => Vec::new(),
    }
}

/// The representation of a float term, by the NaN rule.
pub fn bits_of(t: &mut Terms, float: TermId) -> TermId {
    let Node::App { op, args, .. } = t.node(float) else {
        return t.app(Op::FpBits, &[float]);
    };
    let below = args[0];
    let sort = t.sort(float);
    let sign = 1u64 << (sort.bits() - 1);
    let width = sort.bits() as u8;
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these pass a NaN's bits on")]
    match op {
        Op::FpOfBits => below,
        // Rewriting leaves at most one negation above one absolute value, so this goes two deep.
        Op::FpNeg => {
            let (bits, sign) = (bits_of(t, below), t.bv(width, sign));
            t.app(Op::BvXor, &[bits, sign])
        }
        Op::FpAbs => {
            let (bits, rest) = (bits_of(t, below), t.bv(width, sign - 1));
            t.app(Op::BvAnd, &[bits, rest])
        }
        _ => t.app(Op::FpBits, &[float]),
    }
}

/// A concrete operand as a term. A NaN that is not the canonical one keeps its bits.
pub fn constant(terms: &mut Terms, num: Num, bits: u64) -> TermId {
    let sort = num.sort();
    let value = Value::from_bits(sort, bits);
    if value.bits() == bits {
        return terms.constant(value);
    }
    let bits = terms.bv(sort.bits() as u8, bits);
    terms.app_unsimplified(Op::FpOfBits, [0, 0], &[bits])
}

/// The boolean that says a number is not zero; undoes [`truth`].
pub fn nonzero(t: &mut Terms, number: TermId) -> TermId {
    let zero = t.constant(Value::zero(t.sort(number)));
    let is_zero = t.eq(number, zero);
    t.not(is_zero)
}

/// Bits `high` down to `low`, also of a choice between constants.
pub fn extract(t: &mut Terms, high: u8, low: u8, a: TermId) -> TermId {
    over_constant_choice(t, a, |t, a| t.app_indexed(Op::Extract, [high, low], &[a]))
}

/// More bits above, also of a choice between constants.
pub fn extend(t: &mut Terms, op: Op, more: u8, a: TermId) -> TermId {
    over_constant_choice(t, a, |t, a| t.app_indexed(op, [more, 0], &[a]))
}

/// A cell's term as the bit-vector of all its bytes.
pub fn in_memory(terms: &mut Terms, kind: CellKind, term: TermId) -> TermId {
    match kind {
        CellKind::Int { .. } => term,
        CellKind::Bool => as_value(terms, kind, 8, term),
        CellKind::F32 | CellKind::F64 => bits_of(terms, term),
    }
}

/// A cell's term as a WebAssembly value of that many bits.
pub fn as_value(terms: &mut Terms, kind: CellKind, width: u8, term: TermId) -> TermId {
    match kind {
        CellKind::Int { bits, signed } if bits < width => {
            let op = if signed { Op::SignExtend } else { Op::ZeroExtend };
            extend(terms, op, width - bits, term)
        }
        CellKind::Bool => {
            let (one, zero) = (terms.bv(width, 1), terms.bv(width, 0));
            terms.ite(term, one, zero)
        }
        CellKind::Int { .. } | CellKind::F32 | CellKind::F64 => term,
    }
}

fn truth(t: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    let condition = t.app(op, args);
    number(t, condition)
}

fn falsehood(t: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    let condition = t.app(op, args);
    let negated = t.not(condition);
    number(t, negated)
}

fn number(t: &mut Terms, condition: TermId) -> TermId {
    let (one, zero) = (t.bv(32, 1), t.bv(32, 0));
    t.ite(condition, one, zero)
}

/// A comparison's result is often masked, narrowed or widened before it is tested: doing that to
/// both constants keeps the condition itself in sight.
fn over_constant_choice(
    t: &mut Terms,
    a: TermId,
    mut f: impl FnMut(&mut Terms, TermId) -> TermId,
) -> TermId {
    if let Node::App { op: Op::Ite, args: &[condition, then, otherwise], .. } = t.node(a)
        && t.as_const(then).is_some()
        && t.as_const(otherwise).is_some()
    {
        let (then, otherwise) = (f(t, then), f(t, otherwise));
        return t.ite(condition, then, otherwise);
    }
    f(t, a)
}

fn bitwise(t: &mut Terms, op: Op, a: TermId, b: TermId) -> TermId {
    if t.as_const(b).is_some() {
        return over_constant_choice(t, a, |t, a| t.app(op, &[a, b]));
    }
    t.app(op, &[a, b])
}

/// Counts are taken modulo the width; a constant count needs no mask in the term.
fn shift(t: &mut Terms, op: Op, a: TermId, count: TermId) -> TermId {
    let sort = t.sort(a);
    let mask = t.constant(Value::from_bits(sort, u64::from(sort.bits()) - 1));
    let count = t.app(Op::BvAnd, &[count, mask]);
    t.app(op, &[a, count])
}

fn sign_extend_from(t: &mut Terms, from: u8, a: TermId) -> TermId {
    let width = t.sort(a).bits() as u8;
    let low = extract(t, from - 1, 0, a);
    extend(t, Op::SignExtend, width - from, low)
}

fn to_float(t: &mut Terms, op: Op, width: u8, a: TermId) -> TermId {
    t.app_indexed(op, [Rounding::NearestEven as u8, width], &[a])
}

/// Narrowing what was widened is the identity on values, but the machine makes a NaN canonical on the
/// way; kept as written, the term's bits do not come from the original float.
fn demote(t: &mut Terms, a: TermId) -> TermId {
    let indices = [Rounding::NearestEven as u8, 32];
    match t.node(a) {
        Node::App { op: Op::FpOfFp, .. } => t.app_unsimplified(Op::FpOfFp, indices, &[a]),
        Node::App { .. }
        | Node::Const(_)
        | Node::Var(_)
        | Node::Call { .. }
        | Node::Lookup { .. } => t.app_indexed(Op::FpOfFp, indices, &[a]),
    }
}

fn nan_wins(t: &mut Terms, op: Op, a: TermId, b: TermId) -> TermId {
    let nan = nan(t, t.sort(a));
    let (a_nan, b_nan) = (t.app(Op::FpIsNan, &[a]), t.app(Op::FpIsNan, &[b]));
    let any = t.app(Op::Or, &[a_nan, b_nan]);
    let chosen = t.app(op, &[a, b]);
    t.ite(any, nan, chosen)
}

fn nan(t: &mut Terms, sort: Sort) -> TermId {
    t.constant(Value::from_bits(sort, u64::MAX >> (65 - sort.bits())))
}

fn copysign(t: &mut Terms, magnitude: TermId, sign: TermId) -> TermId {
    let width = t.sort(magnitude).bits() as u8;
    let (magnitude, sign) = (bits_of(t, magnitude), bits_of(t, sign));
    let sign_bit = 1u64 << (width - 1);
    let (rest, sign_bit) = (t.bv(width, sign_bit - 1), t.bv(width, sign_bit));
    let magnitude = t.app(Op::BvAnd, &[magnitude, rest]);
    let sign = t.app(Op::BvAnd, &[sign, sign_bit]);
    let bits = t.app(Op::BvOr, &[magnitude, sign]);
    t.app(Op::FpOfBits, &[bits])
}

/// Truncation is defined for numbers whose integral part lies in `[low, high)`; both ends are powers
/// of two or zero and so exact in both float sorts.
fn float_in_range(t: &mut Terms, a: TermId, low: f64, high: f64) -> Vec<TermId> {
    let float = |x: f64| match t.sort(a) {
        Sort::F32 => Value::f32(x as f32),
        Sort::F64 | Sort::Bool | Sort::Bv(_) => Value::f64(x),
    };
    let (low, high) = (float(low), float(high));
    let (low, high) = (t.constant(low), t.constant(high));
    let nan = t.app(Op::FpIsNan, &[a]);
    let integral = t.rounded(Op::FpRoundToIntegral, Rounding::ToZero, &[a]);
    let above = t.app(Op::FpLe, &[low, integral]);
    let below = t.app(Op::FpLt, &[integral, high]);
    vec![t.not(nan), t.app(Op::And, &[above, below])]
}
