//! How values change from one iteration of a loop to the next, as far as their numbers (`numbers.rs`) tell.

use crate::instrument::numbers::{Conditions, Number, Numbers, Origin};
use symcrete_program::module::{Num, ValueType, WasmOp};
use wasm_encoder::Instruction;

/// How much more a value is in each iteration: a constant, or so many times a value that does not change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Step {
    pub(crate) by: i64,
    pub(crate) of: Option<Number>,
}

/// A value that is made wider, and so must not wrap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Widened {
    pub(crate) narrow: Number,
    pub(crate) step: Step,
    pub(crate) is_signed: bool,
}

/// What ends a loop: it goes on while a value is on one side of another, which does not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    pub(crate) condition: (Number, bool),
    pub(crate) value: Number,
    pub(crate) step: Step,
    pub(crate) limit: Number,
    pub(crate) relation: Relation,
    pub(crate) is_signed: bool,
    pub(crate) is_wide: bool,
}

/// How a value and the limit that it goes towards are related while the loop goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Before,
    UpTo,
    Unequal,
}

/// Terms are followed so deep.
const DEPTH_MAX: u32 = 8;
/// Greater constants are not steps.
const STEP_MAX: i64 = 1 << 30;
/// Nor are greater multiples of values.
const MULTIPLE_MAX: i64 = 1 << 8;

/// Two places of a loop.
pub(crate) struct Passes<'a> {
    pub(crate) numbers: &'a Numbers,
    /// What locals hold when a pass starts.
    pub(crate) first: &'a [Number],
    /// What they hold when the next does.
    pub(crate) next: &'a [Number],
}

impl Step {
    pub(crate) const NONE: Step = Step { by: 0, of: None };

    fn constant(by: i64) -> Option<Step> {
        (by.abs() <= STEP_MAX).then_some(Step { by, of: None })
    }

    fn times(self, factor: i64) -> Option<Step> {
        let by = self.by.checked_mul(factor)?;
        match self.of {
            None => Step::constant(by),
            Some(_) => (by.abs() <= MULTIPLE_MAX && by != 0).then_some(Step { by, of: self.of }),
        }
    }

    fn plus(self, other: Step) -> Option<Step> {
        match (self.of, other.of) {
            (None, None) => Step::constant(self.by + other.by),
            _ if other == Step::NONE => Some(self),
            _ if self == Step::NONE => Some(other),
            (Some(_), _) | (_, Some(_)) => None,
        }
    }
}

impl Passes<'_> {
    /// How a value changes in each iteration; what is widened on the way is added to a list.
    pub(crate) fn step(&self, number: Number, widened: &mut Vec<Widened>) -> Option<Step> {
        self.step_within(number, DEPTH_MAX, widened)
    }

    fn step_within(&self, number: Number, depth: u32, widened: &mut Vec<Widened>) -> Option<Step> {
        let depth = depth.checked_sub(1)?;
        if let Some(local) = self.first.iter().position(|&first| first == number) {
            return self.local_step(number, self.next[local], depth);
        }
        let (op, a, b) = match self.numbers.origin(number)? {
            Origin::Constant(..) => return Some(Step::NONE),
            Origin::Operator(op, a, b) => (WasmOp::from_code(op), a, b),
        };
        let first = self.step_within(a, depth, widened)?;
        let second = match b {
            Some(b) => self.step_within(b, depth, widened)?,
            None => Step::NONE,
        };
        if (first, second) == (Step::NONE, Step::NONE) {
            return encoded(op).is_some().then_some(Step::NONE);
        }
        let constant = b.and_then(|b| self.constant(b));
        if matches!(op, WasmOp::I32Add | WasmOp::I64Add) {
            first.plus(second)
        } else if matches!(op, WasmOp::I32Sub | WasmOp::I64Sub) {
            first.plus(second.times(-1)?)
        } else if matches!(op, WasmOp::I32Shl | WasmOp::I64Shl) {
            let shift = constant.filter(|shift| (0..30).contains(shift))?;
            first.times(1 << shift)
        } else if matches!(op, WasmOp::I32Mul | WasmOp::I64Mul) {
            match (constant, first.of, second) {
                (Some(factor), _, _) => first.times(factor),
                (None, None, Step::NONE) if first.by.abs() <= MULTIPLE_MAX => {
                    Some(Step { by: first.by, of: b })
                }
                (None, _, _) => None,
            }
        } else if matches!(op, WasmOp::I64ExtendI32S | WasmOp::I64ExtendI32U) {
            let is_signed = op == WasmOp::I64ExtendI32S;
            widened.push(Widened { narrow: a, step: first, is_signed });
            Some(first)
        } else {
            None
        }
    }

    /// How a local changes that holds one value at the start of a pass and another at the start of the next.
    fn local_step(&self, now: Number, then: Number, depth: u32) -> Option<Step> {
        let (root, by) = self.without_constant(then);
        if root == now {
            return Step::constant(by);
        }
        let Some(Origin::Operator(op, a, Some(b))) = self.numbers.origin(root) else { return None };
        let op = WasmOp::from_code(op);
        let (added, sign) = match (a == now, b == now) {
            (true, false) if matches!(op, WasmOp::I32Add | WasmOp::I64Add) => (b, 1),
            (false, true) if matches!(op, WasmOp::I32Add | WasmOp::I64Add) => (a, 1),
            (true, false) if matches!(op, WasmOp::I32Sub | WasmOp::I64Sub) => (b, -1),
            (true | false, true | false) => return None,
        };
        let is_fixed = self.step_within(added, depth, &mut Vec::new()) == Some(Step::NONE);
        (by == 0 && is_fixed).then_some(Step { by: sign, of: Some(added) })
    }

    /// A value as another one and a constant.
    pub(crate) fn without_constant(&self, number: Number) -> (Number, i64) {
        if !self.first.contains(&number)
            && let Some(Origin::Operator(op, a, Some(b))) = self.numbers.origin(number)
            && let Some(constant) = self.constant(b)
            && constant.abs() <= i64::from(u32::MAX)
        {
            let op = WasmOp::from_code(op);
            let (root, more) = self.without_constant(a);
            if matches!(op, WasmOp::I32Add | WasmOp::I64Add) {
                return (root, more + constant);
            } else if matches!(op, WasmOp::I32Sub | WasmOp::I64Sub) {
                return (root, more - constant);
            }
        }
        (number, 0)
    }

    /// The value of a constant, as a signed one.
    pub(crate) fn constant(&self, number: Number) -> Option<i64> {
        match self.numbers.origin(number)? {
            Origin::Constant(ValueType::I32, bits) => Some(i64::from(bits as u32 as i32)),
            Origin::Constant(_, bits) => Some(bits as i64),
            Origin::Operator(..) => None,
        }
    }

    /// Whether a value, as in the first iteration, can be made of what is in locals before it.
    pub(crate) fn can_be_made(&self, number: Number) -> bool {
        self.can_be_made_within(number, DEPTH_MAX)
    }

    fn can_be_made_within(&self, number: Number, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        self.first.contains(&number)
            || match self.numbers.origin(number) {
                Some(Origin::Constant(..)) => true,
                Some(Origin::Operator(op, a, b)) => {
                    encoded(WasmOp::from_code(op)).is_some()
                        && self.can_be_made_within(a, depth)
                        && b.is_none_or(|b| self.can_be_made_within(b, depth))
                }
                None => false,
            }
    }

    /// The first of these conditions that says after how many iterations the loop ends; what is widened on the way is
    /// added to a list.
    pub(crate) fn bound(
        &self,
        conditions: &Conditions,
        widened: &mut Vec<Widened>,
    ) -> Option<Bound> {
        conditions.iter().find_map(|(&condition, &holds)| self.bound_of(condition, holds, widened))
    }

    fn bound_of(
        &self,
        condition: Number,
        holds: bool,
        widened: &mut Vec<Widened>,
    ) -> Option<Bound> {
        let Some(Origin::Operator(op, a, Some(b))) = self.numbers.origin(condition) else {
            return None;
        };
        let op = WasmOp::from_code(op);
        let (order, is_signed) = order(op)?;
        let order = if holds { order } else { order.opposite() };
        let mut step_of = |number| self.step(number, widened);
        let (first, second) = (step_of(a)?, step_of(b)?);
        let (value, limit, step, order) = match (first == Step::NONE, second == Step::NONE) {
            (false, true) => (a, b, first, order),
            (true, false) => (b, a, second, order.turned()),
            (true, true) | (false, false) => return None,
        };
        let relation = match (order, step.by > 0) {
            (Order::Less, true) | (Order::Greater, false) => Relation::Before,
            (Order::NotGreater, true) | (Order::NotLess, false) => Relation::UpTo,
            (Order::Unequal, _) if step.of.is_none() => Relation::Unequal,
            (Order::Less | Order::Greater | Order::NotLess | Order::NotGreater, _)
            | (Order::Equal | Order::Unequal, _) => return None,
        };
        let can_be_made = self.can_be_made(value) && self.can_be_made(limit);
        let is_wide = op.params()[0] == Num::I64;
        let condition = (condition, holds);
        can_be_made.then_some(Bound { condition, value, step, limit, relation, is_signed, is_wide })
    }

    /// What locals hold that the code between the start of a pass and here has changed, if it gives the same when it is run again.
    pub(crate) fn is_repeatable(&self, last_before: Number) -> bool {
        let changed: Vec<usize> =
            (0..self.first.len()).filter(|&local| self.first[local] != self.next[local]).collect();
        let overwritten: Vec<Number> = changed.iter().map(|&local| self.first[local]).collect();
        changed.iter().all(|&local| {
            self.is_made_without(self.next[local], &overwritten, last_before, DEPTH_MAX)
        })
    }

    fn is_made_without(
        &self,
        number: Number,
        others: &[Number],
        last_before: Number,
        depth: u32,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.numbers.origin(number) {
            Some(Origin::Constant(..)) => true,
            Some(Origin::Operator(_, a, b)) => {
                let mut parts = std::iter::once(a).chain(b);
                parts.all(|part| self.is_made_without(part, others, last_before, depth))
            }
            None => number <= last_before && !others.contains(&number),
        }
    }
}

/// An operator by which values can be made ahead. None of these traps.
pub(crate) fn encoded(op: WasmOp) -> Option<Instruction<'static>> {
    const ALL: &[(WasmOp, Instruction<'static>)] = &[
        (WasmOp::I32Add, Instruction::I32Add),
        (WasmOp::I32Sub, Instruction::I32Sub),
        (WasmOp::I32Mul, Instruction::I32Mul),
        (WasmOp::I32And, Instruction::I32And),
        (WasmOp::I32Or, Instruction::I32Or),
        (WasmOp::I32Shl, Instruction::I32Shl),
        (WasmOp::I32ShrS, Instruction::I32ShrS),
        (WasmOp::I32ShrU, Instruction::I32ShrU),
        (WasmOp::I64Add, Instruction::I64Add),
        (WasmOp::I64Sub, Instruction::I64Sub),
        (WasmOp::I64Mul, Instruction::I64Mul),
        (WasmOp::I64And, Instruction::I64And),
        (WasmOp::I64Or, Instruction::I64Or),
        (WasmOp::I64Shl, Instruction::I64Shl),
        (WasmOp::I64ShrS, Instruction::I64ShrS),
        (WasmOp::I64ShrU, Instruction::I64ShrU),
        (WasmOp::I64ExtendI32S, Instruction::I64ExtendI32S),
        (WasmOp::I64ExtendI32U, Instruction::I64ExtendI32U),
        (WasmOp::I32WrapI64, Instruction::I32WrapI64),
    ];
    ALL.iter().find(|(known, _)| *known == op).map(|(_, instruction)| instruction.clone())
}

/// How the operands of a comparison are related if it holds.
#[derive(Clone, Copy)]
enum Order {
    Less,
    NotGreater,
    Greater,
    NotLess,
    Equal,
    Unequal,
}

impl Order {
    fn opposite(self) -> Order {
        match self {
            Order::Less => Order::NotLess,
            Order::NotGreater => Order::Greater,
            Order::Greater => Order::NotGreater,
            Order::NotLess => Order::Less,
            Order::Equal => Order::Unequal,
            Order::Unequal => Order::Equal,
        }
    }

    /// With the operands exchanged.
    fn turned(self) -> Order {
        match self {
            Order::Less => Order::Greater,
            Order::NotGreater => Order::NotLess,
            Order::Greater => Order::Less,
            Order::NotLess => Order::NotGreater,
            Order::Equal => Order::Equal,
            Order::Unequal => Order::Unequal,
        }
    }
}

fn order(op: WasmOp) -> Option<(Order, bool)> {
    use WasmOp as Op;
    let is = |ops: &[WasmOp]| ops.contains(&op);
    let order = if is(&[Op::I32LtS, Op::I32LtU, Op::I64LtS, Op::I64LtU]) {
        Order::Less
    } else if is(&[Op::I32LeS, Op::I32LeU, Op::I64LeS, Op::I64LeU]) {
        Order::NotGreater
    } else if is(&[Op::I32GtS, Op::I32GtU, Op::I64GtS, Op::I64GtU]) {
        Order::Greater
    } else if is(&[Op::I32GeS, Op::I32GeU, Op::I64GeS, Op::I64GeU]) {
        Order::NotLess
    } else if is(&[Op::I32Eq, Op::I64Eq]) {
        Order::Equal
    } else if is(&[Op::I32Ne, Op::I64Ne]) {
        Order::Unequal
    } else {
        return None;
    };
    let is_unsigned = [Op::I32LtU, Op::I32LeU, Op::I32GtU, Op::I32GeU].into_iter().chain([
        Op::I64LtU,
        Op::I64LeU,
        Op::I64GtU,
        Op::I64GeU,
    ]);
    Some((order, !is_unsigned.into_iter().any(|unsigned| unsigned == op)))
}
