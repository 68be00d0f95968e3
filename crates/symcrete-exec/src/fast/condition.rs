//! Conditions and how far a run was from turning them round.
//!
//! A condition is remembered as the comparisons it is made of, whose operands are kept in locals. Its
//! distance to a truth value is zero if it has it, else at least one: for a comparison the distance
//! between its operands, for a conjunction that shall hold the sum, for a disjunction the least (Tracey,
//! Clark, Mander and McDermid, "An automated framework for structural test-data generation", 1998).
//! Deviation: floats are compared by their places in the order of all floats, so that distances are
//! whole numbers and every step of one counts.

use super::order::{unordered_f32, unordered_f64};
use crate::fast::layout::{Helper, Layout};
use crate::instrument::emitter::Emitter;
use crate::wasm_op::{Num, WasmOp};
use symcrete_program::Scalar;
use symcrete_program::module::Meaning;
use symcrete_term::Op;
use wasm_encoder::Instruction;

/// Names a condition within one function.
pub(crate) type ConditionId = usize;

/// Conditions of more comparisons than this are taken as they come.
const LEAVES_MAX: usize = 8;

/// What a condition is made of.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Operands in locals; no second one for `eqz`.
    Compare(Comparison, u32, Option<u32>),
    /// An `i32` in a local: whether it is not zero.
    Value(u32),
    Not(ConditionId),
    And(ConditionId, ConditionId),
    Or(ConditionId, ConditionId),
}

/// A comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    /// Its operator, which has a code of one byte.
    code: u8,
    relation: Relation,
    numbers: Numbers,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Equal,
    Unequal,
    /// Strictly less or greater.
    Strict,
    /// Less or equal, greater or equal.
    Weak,
}

/// How operands are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbers {
    I32Signed,
    I32Unsigned,
    I64Signed,
    I64Unsigned,
    F32,
    F64,
}

/// What a comparison's distance is, as the helper is told.
pub(crate) const KIND_ONE: u32 = 0;
pub(crate) const KIND_DIFFERENCE: u32 = 1;
pub(crate) const KIND_BEYOND: u32 = 2;

impl Numbers {
    const ALL: [Numbers; 6] = [
        Numbers::I32Signed,
        Numbers::I32Unsigned,
        Numbers::I64Signed,
        Numbers::I64Unsigned,
        Numbers::F32,
        Numbers::F64,
    ];

    pub(crate) fn from_code(code: u32) -> Option<Numbers> {
        Numbers::ALL.get(code as usize).copied()
    }

    /// An operand that was told in order, as the number that it is.
    pub(crate) fn scalar(self, ordered: i64) -> Scalar {
        match self {
            Numbers::I32Signed | Numbers::I32Unsigned => Scalar::I32(ordered as u32),
            Numbers::I64Signed => Scalar::I64(ordered as u64),
            Numbers::I64Unsigned => Scalar::I64(ordered as u64 ^ (1 << 63)),
            Numbers::F32 => Scalar::F32(unordered_f32(ordered as i32)),
            Numbers::F64 => Scalar::F64(unordered_f64(ordered)),
        }
    }
}

impl Comparison {
    /// The comparison that an operator is, if it is one; `encoded` is its code.
    pub(crate) fn of(op: WasmOp, encoded: &[u8]) -> Option<Comparison> {
        let num = op.params()[0];
        let (relation, is_signed) = match op.meaning() {
            Meaning::IsZero => (Relation::Equal, true),
            Meaning::Negated(_) => (Relation::Unequal, true),
            Meaning::Compared(of) | Meaning::Swapped(of) => relation(of)?,
            Meaning::Term(_)
            | Meaning::Shift(_)
            | Meaning::Rounded(..)
            | Meaning::Converted(..)
            | Meaning::NanWins(_)
            | Meaning::ToBits
            | Meaning::OfBits
            | Meaning::Abs
            | Meaning::Neg
            | Meaning::Copysign
            | Meaning::Low
            | Meaning::SignExtend(_)
            | Meaning::ZeroExtend => return None,
        };
        let numbers = match (num, is_signed) {
            (Num::I32, true) => Numbers::I32Signed,
            (Num::I32, false) => Numbers::I32Unsigned,
            (Num::I64, true) => Numbers::I64Signed,
            (Num::I64, false) => Numbers::I64Unsigned,
            (Num::F32, _) => Numbers::F32,
            (Num::F64, _) => Numbers::F64,
        };
        let &[code] = encoded else { return None };
        Some(Comparison { code, relation, numbers })
    }

    fn code(self, wanted: bool) -> u32 {
        let kind = match (self.relation, wanted) {
            (Relation::Equal, false) | (Relation::Unequal, true) => KIND_ONE,
            (Relation::Equal, true) | (Relation::Unequal, false) => KIND_DIFFERENCE,
            (Relation::Strict, false) | (Relation::Weak, true) => KIND_DIFFERENCE,
            (Relation::Strict, true) | (Relation::Weak, false) => KIND_BEYOND,
        };
        code(wanted, kind, self.numbers)
    }
}

/// How an operator of terms relates its operands, and whether as signed numbers.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others compute")]
fn relation(op: Op) -> Option<(Relation, bool)> {
    Some(match op {
        Op::Eq | Op::FpEq => (Relation::Equal, true),
        Op::BvSlt | Op::FpLt => (Relation::Strict, true),
        Op::BvUlt => (Relation::Strict, false),
        Op::BvSle | Op::FpLe => (Relation::Weak, true),
        Op::BvUle => (Relation::Weak, false),
        _ => return None,
    })
}

fn code(wanted: bool, kind: u32, numbers: Numbers) -> u32 {
    u32::from(wanted) | kind << 1 | (numbers as u32) << 3
}

/// All conditions of one function.
#[derive(Default)]
pub(crate) struct Conditions {
    forms: Vec<(Form, usize)>,
}

impl Conditions {
    fn add(&mut self, form: Form, n_leaves: usize) -> Option<ConditionId> {
        if n_leaves > LEAVES_MAX {
            return None;
        }
        self.forms.push((form, n_leaves));
        Some(self.forms.len() - 1)
    }

    pub(crate) fn compare(&mut self, op: Comparison, a: u32, b: Option<u32>) -> ConditionId {
        self.forms.push((Form::Compare(op, a, b), 1));
        self.forms.len() - 1
    }

    pub(crate) fn value(&mut self, local: u32) -> ConditionId {
        self.forms.push((Form::Value(local), 1));
        self.forms.len() - 1
    }

    pub(crate) fn not(&mut self, condition: ConditionId) -> Option<ConditionId> {
        self.add(Form::Not(condition), self.forms[condition].1)
    }

    pub(crate) fn and(&mut self, a: ConditionId, b: ConditionId) -> Option<ConditionId> {
        self.add(Form::And(a, b), self.forms[a].1 + self.forms[b].1)
    }

    pub(crate) fn or(&mut self, a: ConditionId, b: ConditionId) -> Option<ConditionId> {
        self.add(Form::Or(a, b), self.forms[a].1 + self.forms[b].1)
    }

    /// Emits the distance of a condition to a truth value. Conditions are small, so this may recurse.
    pub(crate) fn emit_distance(
        &self,
        out: &mut Emitter,
        layout: &Layout,
        condition: ConditionId,
        wanted: bool,
    ) {
        let call = |out: &mut Emitter, helper| out.emit(&Instruction::Call(layout.helper(helper)));
        let both = |out: &mut Emitter, a, b, helper| {
            self.emit_distance(out, layout, a, wanted);
            self.emit_distance(out, layout, b, wanted);
            call(out, helper);
        };
        match self.forms[condition].0 {
            Form::Compare(comparison, a, b) => {
                emit_ordered(out, layout, comparison.numbers, a);
                match b {
                    Some(b) => emit_ordered(out, layout, comparison.numbers, b),
                    None => out.emit(&Instruction::I64Const(0)),
                }
                out.get(a);
                b.into_iter().for_each(|b| out.get(b));
                out.emit_encoded(&[comparison.code]);
                out.i32(comparison.code(wanted));
                call(out, Helper::Leaf);
            }
            Form::Value(local) => {
                out.get(local);
                out.emit(&Instruction::I64ExtendI32S);
                out.emit(&Instruction::I64Const(0));
                out.get(local);
                out.i32(0);
                out.emit(&Instruction::I32Ne);
                let kind = if wanted { KIND_ONE } else { KIND_DIFFERENCE };
                out.i32(code(wanted, kind, Numbers::I32Signed));
                call(out, Helper::Leaf);
            }
            Form::Not(inner) => self.emit_distance(out, layout, inner, !wanted),
            Form::And(a, b) if wanted => both(out, a, b, Helper::Sum),
            Form::And(a, b) => both(out, a, b, Helper::Least),
            Form::Or(a, b) if wanted => both(out, a, b, Helper::Least),
            Form::Or(a, b) => both(out, a, b, Helper::Sum),
        }
    }
}

fn emit_ordered(out: &mut Emitter, layout: &Layout, numbers: Numbers, local: u32) {
    out.get(local);
    match numbers {
        Numbers::I32Signed => out.emit(&Instruction::I64ExtendI32S),
        Numbers::I32Unsigned => out.emit(&Instruction::I64ExtendI32U),
        Numbers::I64Signed => {}
        Numbers::I64Unsigned => {
            out.emit(&Instruction::I64Const(i64::MIN));
            out.emit(&Instruction::I64Xor);
        }
        Numbers::F32 => out.emit(&Instruction::Call(layout.helper(Helper::OrderedF32))),
        Numbers::F64 => out.emit(&Instruction::Call(layout.helper(Helper::OrderedF64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast::order::{ordered_f32, ordered_f64};

    #[test]
    fn floats_are_ordered_as_their_places() {
        let floats = [
            f64::NEG_INFINITY,
            -2.5,
            -1.0,
            -f64::MIN_POSITIVE,
            -0.0,
            0.0,
            1e-310,
            1.0,
            f64::INFINITY,
        ];
        let places: Vec<i64> = floats.iter().map(|x| ordered_f64(x.to_bits())).collect();
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        assert_eq!(places[4] + 1, places[5], "minus zero is next to zero");
        for x in floats {
            assert_eq!(unordered_f64(ordered_f64(x.to_bits())), x.to_bits());
            let single = (x as f32).to_bits();
            assert_eq!(unordered_f32(ordered_f32(single)), single);
        }
    }

    #[test]
    fn operands_come_back_as_they_were() {
        let high = 1_u64 << 63 | 5;
        assert_eq!(Numbers::I64Unsigned.scalar((high ^ (1 << 63)) as i64), Scalar::I64(high));
        assert_eq!(Numbers::I32Signed.scalar(-1), Scalar::I32(u32::MAX));
        let half = 0.5_f64.to_bits();
        assert_eq!(Numbers::F64.scalar(ordered_f64(half)), Scalar::F64(half));
    }
}
