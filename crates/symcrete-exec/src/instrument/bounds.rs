//! Between which numbers a value lies, by how it comes about and by what was done with it (`numbers.rs`).
//!
//! An address of 64 bits is used by its lower half. If it is known to be so near to zero that no other address with the same lower half
//! that is in memory is, the access says itself whether the address is right: it traps or it was. Then it need not be gathered
//! (`doubts.rs`). Where one has been, the addresses around it need not be: what they differ by is known.

use crate::instrument::numbers::{Number, Numbers, Origin};
use symcrete_program::module::{Num, ValueType, WasmOp};

/// The least and the greatest that a value can be, as one with a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// Terms are followed so deep.
const DEPTH_MAX: u32 = 8;
/// Numbers beyond this say nothing, so that sums of a few do not wrap.
const GREAT: i64 = 1 << 44;

impl Interval {
    const ANY_I32: Interval = Interval { low: i32::MIN as i64, high: i32::MAX as i64 };

    /// From zero on.
    pub(crate) fn up_to(high: i64) -> Interval {
        Interval { low: 0, high }
    }

    fn of(low: i64, high: i64) -> Option<Interval> {
        (low >= -GREAT && high <= GREAT).then_some(Interval { low, high })
    }

    fn plus(self, other: Interval) -> Option<Interval> {
        Interval::of(self.low + other.low, self.high + other.high)
    }

    fn minus(self, other: Interval) -> Option<Interval> {
        Interval::of(self.low - other.high, self.high - other.low)
    }

    fn times(self, other: Interval) -> Option<Interval> {
        let products = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        Interval::of(*products.iter().min()?, *products.iter().max()?)
    }

    fn and(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// What holds if either does.
    pub(crate) fn or(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

impl Numbers {
    /// Whether an address, used by its lower half, is out of memory of so many bytes, which traps, or is that half.
    pub(crate) fn is_near(&self, address: Number, memory_bytes: u64) -> bool {
        let Some(room) = (1_u64 << 32).checked_sub(memory_bytes) else { return false };
        self.interval(address).is_some_and(|of| of.low > -(room as i64) && of.high < 1 << 32)
    }

    /// An address was used, and is in memory of so many bytes, or the run ends.
    pub(crate) fn is_used(&mut self, address: Number, memory_bytes: u64) {
        self.learn(address, Interval::up_to(memory_bytes as i64), DEPTH_MAX);
    }

    /// A value is known to lie in an interval.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of other operators nothing is known")]
    pub(crate) fn learn(&mut self, number: Number, interval: Interval, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let known = self.interval(number);
        self.note_interval(number, known.map_or(interval, |known| known.and(interval)));
        let Some(Origin::Operator(op, a, Some(b))) = self.origin(number) else { return };
        let (op, of_a, of_b) = (WasmOp::from_code(op), self.interval(a), self.interval(b));
        let (of_a, of_b) = match op {
            WasmOp::I64Add => (
                of_b.and_then(|of_b| interval.minus(of_b)),
                of_a.and_then(|of_a| interval.minus(of_a)),
            ),
            WasmOp::I64Sub => (
                of_b.and_then(|of_b| interval.plus(of_b)),
                of_a.and_then(|of_a| of_a.minus(interval)),
            ),
            _ => return,
        };
        for (number, interval) in [(a, of_a), (b, of_b)] {
            interval.into_iter().for_each(|interval| self.learn(number, interval, depth));
        }
    }

    /// Between which numbers a value lies.
    pub(crate) fn interval(&self, number: Number) -> Option<Interval> {
        self.interval_within(number, DEPTH_MAX)
    }

    fn interval_within(&self, number: Number, depth: u32) -> Option<Interval> {
        let depth = depth.checked_sub(1)?;
        let made = match self.origin(number) {
            None => None,
            Some(Origin::Constant(ValueType::I32, bits)) => {
                Interval::of(i64::from(bits as i32), i64::from(bits as i32))
            }
            Some(Origin::Constant(_, bits)) => Interval::of(bits as i64, bits as i64),
            Some(Origin::Operator(op, a, None)) => {
                self.interval_of_one(WasmOp::from_code(op), a, depth)
            }
            Some(Origin::Operator(op, a, Some(b))) => {
                self.interval_of_two(WasmOp::from_code(op), (a, b), depth)
            }
        };
        match (made, self.noted_interval(number)) {
            (Some(made), Some(noted)) => Some(made.and(noted)),
            (made, noted) => made.or(noted),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "of other operators nothing is known")]
    fn interval_of_one(&self, op: WasmOp, a: Number, depth: u32) -> Option<Interval> {
        let of = self.interval_within(a, depth);
        match op {
            WasmOp::I64ExtendI32S => of.or(Some(Interval::ANY_I32)),
            WasmOp::I64ExtendI32U => match of {
                Some(of) if of.low >= 0 => Some(of),
                Some(_) | None => Some(Interval::up_to(u32::MAX.into())),
            },
            WasmOp::I32WrapI64 => of.and_then(|of| fit(WasmOp::I32Add, of)),
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "of other operators nothing is known")]
    fn interval_of_two(
        &self,
        op: WasmOp,
        (a, b): (Number, Number),
        depth: u32,
    ) -> Option<Interval> {
        let of = |number| self.interval_within(number, depth);
        let constant = || of(b).filter(|of| of.low == of.high).map(|of| of.low);
        let bits = if op.result() == Num::I32 { 32 } else { 64 };
        let made = match op {
            WasmOp::I32Add | WasmOp::I64Add => of(a)?.plus(of(b)?)?,
            WasmOp::I32Sub | WasmOp::I64Sub => of(a)?.minus(of(b)?)?,
            WasmOp::I32Mul | WasmOp::I64Mul => of(a)?.times(of(b)?)?,
            WasmOp::I32Shl | WasmOp::I64Shl => {
                let factor = 1 << (constant()? & (bits - 1)).min(40);
                of(a)?.times(Interval { low: factor, high: factor })?
            }
            WasmOp::I32And | WasmOp::I64And => {
                let is_positive = |of: &Interval| of.low >= 0;
                let (of_a, of_b) = (of(a).filter(is_positive), of(b).filter(is_positive));
                let highs = [of_a, of_b].into_iter().flatten().map(|of| of.high);
                Interval::up_to(highs.min()?)
            }
            WasmOp::I32Or | WasmOp::I64Or | WasmOp::I32Xor | WasmOp::I64Xor => {
                let (of_a, of_b) = (of(a)?, of(b)?);
                let is_positive = of_a.low >= 0 && of_b.low >= 0;
                let all = (of_a.high | of_b.high) as u64 + 1;
                is_positive.then(|| Interval::up_to(all.next_power_of_two() as i64 - 1))?
            }
            WasmOp::I32ShrU | WasmOp::I64ShrU => {
                let shift = constant()? & (bits - 1);
                match of(a).filter(|of| of.low >= 0) {
                    Some(of_a) => Interval::up_to(of_a.high >> shift),
                    None if shift > 0 => Interval::up_to((u64::MAX >> (64 - bits) >> shift) as i64),
                    None => return None,
                }
            }
            WasmOp::I32RemU | WasmOp::I64RemU => {
                Interval::up_to(constant().filter(|&by| by > 0)? - 1)
            }
            WasmOp::I32RemS | WasmOp::I64RemS => {
                let most = constant().filter(|&by| by > 0)? - 1;
                Interval { low: -most, high: most }
            }
            _ => return None,
        };
        fit(op, made)
    }
}

/// An interval, if no number in it is beyond those of the width that an operator computes with.
fn fit(op: WasmOp, of: Interval) -> Option<Interval> {
    match op.result() {
        Num::I32 => (of.and(Interval::ANY_I32) == of).then_some(of),
        Num::I64 => Interval::of(of.low, of.high),
        Num::F32 | Num::F64 => None,
    }
}
