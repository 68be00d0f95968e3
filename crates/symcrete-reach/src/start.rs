//! The state at a target: where backward execution starts.

use crate::entry::Entry;
use crate::memory::{difference, moved};
use crate::places::{Base, DEPTH_MAX, Places};
use crate::search::Search;
use crate::state::{Pool, State};
use crate::target::{Fault, Place, Target};
use crate::view::Body;
use std::ops::Range;
use symcrete_program::cfg::{Access, BlockId, Instruction, Kind};
use symcrete_program::lower::{self, extend, nonzero};
use symcrete_program::{CellKind, Symbol};
use symcrete_term::{Literal, Op, TermId, Value};

/// Accesses below this address are through null pointers.
const NULL_PAGE: u64 = 1024;
/// Bytes behind an object that belong to no other, at least.
const ZONE: u32 = 8;
/// Functions in a table that an index is compared with.
const SLOTS_MAX: usize = 256;

/// Where an object starts and how long it is, at a target.
struct Object {
    start: TermId,
    length: TermId,
}

impl Search<'_, '_> {
    /// The state at a target.
    pub(crate) fn start(&mut self, target: &Target, place: Place) -> State {
        let mut state = State::at(place);
        let Some(body) = self.body(place.function) else { return state };
        let block = body.function.block(place.block);
        match (target, place.jump) {
            (Target::Side(_), Some(jump)) => {
                self.stepper().decide(&mut state, &body, &block.terminator, jump);
            }
            (Target::Side(edge), None) => {
                let condition = block.instructions[place.position].args[2];
                let mut stepper = self.stepper();
                let condition = stepper.value(&state, &body, condition);
                let term = nonzero(&mut stepper.pool.terms, condition);
                state.hold(&stepper.pool.terms, Literal { term, expected: edge.taken });
            }
            (Target::Trap { fault, .. }, _) => {
                // What comes last in a block is `unreachable`, of which nothing has to hold.
                let Some(instruction) = block.instructions.get(place.position) else {
                    return state;
                };
                for literal in self.faulty(&state, &body, instruction, *fault) {
                    state.hold(&self.pool.terms, literal);
                }
            }
            (Target::Called(_), _) => {}
        }
        state
    }

    /// What must hold for an operator to fail like this, and nothing that need not.
    fn faulty(
        &mut self,
        state: &State,
        body: &Body<'_>,
        instruction: &Instruction,
        fault: Fault,
    ) -> Vec<Literal> {
        let mut stepper = self.stepper();
        let args: Vec<TermId> =
            instruction.args.iter().map(|&arg| stepper.value(state, body, arg)).collect();
        match (&instruction.kind, fault) {
            (Kind::Numeric(op), Fault::DivisionByZero | Fault::Overflow | Fault::NotANumber) => {
                let guards = lower::guards(&mut self.pool.terms, *op, &args);
                arithmetic(&mut self.pool, fault, &args, &guards)
            }
            (Kind::Load(access) | Kind::Store(access), Fault::NullPointer) => {
                let terms = &mut self.pool.terms;
                let limit = NULL_PAGE.saturating_sub(access.offset);
                let limit = terms.constant(Value::from_bits(terms.sort(args[0]), limit));
                vec![Literal::holds(terms.app(Op::BvUlt, &[args[0], limit]))]
            }
            (
                Kind::Load(access) | Kind::Store(access),
                Fault::NextToObject | Fault::OutsideObject,
            ) => {
                let object = self.object(state, body, instruction, *access);
                let address = moved(&mut self.pool.terms, args[0], access.offset);
                object.map_or(Vec::new(), |object| {
                    outside(&mut self.pool, &object, (args[0], address, access.bytes), fault)
                })
            }
            (Kind::CallIndirect { table, .. }, Fault::NullCall) => {
                let slots = &self.parts.view.tables[*table as usize];
                let terms = &mut self.pool.terms;
                let index = *args.last().expect("an indirect call has an index");
                let is_other = |slot: &u32| {
                    let slot =
                        terms.constant(Value::from_bits(terms.sort(index), u64::from(*slot)));
                    Literal::holds(terms.eq(index, slot)).negated()
                };
                match slots.len() <= SLOTS_MAX {
                    true => slots.keys().map(is_other).collect(),
                    false => Vec::new(),
                }
            }
            (Kind::Call(_), Fault::Ends) => Vec::new(),
            (_, _) => vec![Literal::holds(self.pool.terms.bool(false))],
        }
    }

    /// The object that the constant part of an address points into, if that is known.
    fn object(
        &mut self,
        state: &State,
        body: &Body<'_>,
        instruction: &Instruction,
        access: Access,
    ) -> Option<Object> {
        let (view, initial) = (self.parts.view, self.parts.initial);
        let function = body.function;
        let entry = self.parts.entries.iter().find(|entry| entry.function == function.index);
        let places = Places::of(view, function, entry, (&initial.objects, &initial.memory));
        let (base, constant) =
            places.base(instruction.args[0], DEPTH_MAX).unwrap_or((Base::Zero, 0));
        let offset = i64::try_from(access.offset).ok()?;
        let at = u32::try_from(constant.checked_add(offset)?).ok();
        let width = view.module.address_type().num().sort().bits() as u8;
        let holds = |at: u32| move |range: &&Range<u32>| range.contains(&at);
        let mut stepper = self.stepper();
        match base {
            Base::Zero => {
                let variable = initial.objects.iter().find(holds(at?))?;
                let terms = &mut self.pool.terms;
                let start = terms.bv(width, u64::from(variable.start));
                let length = terms.bv(width, u64::from(variable.end - variable.start));
                Some(Object { start, length })
            }
            Base::Global(_) => {
                let frame = places.frame.as_ref()?;
                let (_, start) = places.base(frame.start, DEPTH_MAX)?;
                let at = u32::try_from(constant + offset - start).ok()?;
                let variable = frame.variables.iter().find(holds(at))?;
                let start = stepper.value(state, body, frame.start);
                let terms = &mut self.pool.terms;
                let start = moved(terms, start, variable.start.into());
                let length = terms.bv(width, u64::from(variable.end - variable.start));
                Some(Object { start, length })
            }
            Base::Param(param) => {
                let value = function.block(BlockId::ENTRY).params[param];
                let start = stepper.value(state, body, value);
                let length = self.input_length(entry?, param)?;
                let length = match width - 32 {
                    0 => length,
                    more => extend(&mut self.pool.terms, Op::ZeroExtend, more, length),
                };
                Some(Object { start, length })
            }
        }
    }

    /// How many bytes an argument of an entry points to: a number, or as many as a length of the input says.
    fn input_length(&mut self, entry: &Entry, param: usize) -> Option<TermId> {
        let cell = entry.image.args.get(param)?;
        let address = match &cell.symbol {
            Some(Symbol::Pointer { address, .. }) => *address,
            Some(
                Symbol::Variable(_)
                | Symbol::End { .. }
                | Symbol::OneOf { .. }
                | Symbol::Callback { .. }
                | Symbol::Fields(_),
            ) => return None,
            None => cell.bits as u32,
        };
        let terms = &mut self.pool.terms;
        let Some(tie) = entry.image.ties.iter().find(|tie| tie.start == address) else {
            let object = entry.image.objects.iter().find(|object| object.start == address)?;
            return Some(terms.bv(32, u64::from(object.end - object.start)));
        };
        let CellKind::Int { bits, signed } = tie.kind else { return None };
        let length = terms.var(&tie.name, tie.kind.sort());
        let op = if signed { Op::SignExtend } else { Op::ZeroExtend };
        let length = match bits {
            32 => length,
            narrow if narrow < 32 => extend(terms, op, 32 - narrow, length),
            _ => lower::extract(terms, 31, 0, length),
        };
        let (end, stride) = (u64::from(tie.is_terminated), u64::from(tie.stride));
        let (end, stride) = (terms.bv(32, end * stride), terms.bv(32, stride));
        let bytes = terms.app(Op::BvMul, &[length, stride]);
        Some(terms.app(Op::BvAdd, &[bytes, end]))
    }
}

/// That arithmetic fails, given what holds unless it does: of a division that it is not by zero and does not
/// overflow, of a conversion that the number is neither too low nor too high.
fn arithmetic(pool: &mut Pool, fault: Fault, args: &[TermId], guards: &[TermId]) -> Vec<Literal> {
    let terms = &mut pool.terms;
    let holds = |&guard: &TermId| Literal::holds(guard);
    let all = guards.iter().fold(terms.bool(true), |all, &guard| terms.app(Op::And, &[all, guard]));
    let is_conversion = terms.sort(args[0]).is_float();
    match (fault, is_conversion) {
        (Fault::NotANumber, true) => {
            vec![Literal::holds(terms.app(Op::FpIsNan, &[args[0]]))]
        }
        (Fault::Overflow, true) => {
            let is_nan = terms.app(Op::FpIsNan, &[args[0]]);
            vec![Literal::holds(is_nan).negated(), Literal::holds(all).negated()]
        }
        (Fault::DivisionByZero, false) => {
            guards.first().map(|guard| holds(guard).negated()).into_iter().collect()
        }
        (Fault::Overflow, false) => match guards {
            [not_zero, fits] => vec![holds(not_zero), holds(fits).negated()],
            _ => vec![Literal::holds(terms.bool(false))],
        },
        (_, _) => vec![Literal::holds(terms.bool(false))],
    }
}

/// That an access leaves an object: towards the bytes behind it, or in any way. The sum of a base and a constant does not wrap
/// in WebAssembly: one that is too large is outside of all memory.
fn outside(
    pool: &mut Pool,
    object: &Object,
    (base, address, bytes): (TermId, TermId, u32),
    fault: Fault,
) -> Vec<Literal> {
    let terms = &mut pool.terms;
    let has_not_wrapped = terms.app(Op::BvUle, &[base, address]);
    let distance = difference(terms, address, object.start);
    let sort = terms.sort(distance);
    let width = terms.constant(Value::from_bits(sort, bytes.into()));
    // The last place inside; an object that is too short for the access has none.
    let last = terms.app(Op::BvSub, &[object.length, width]);
    let is_long_enough = terms.app(Op::BvUle, &[width, object.length]);
    let is_before_end = terms.app(Op::BvUle, &[distance, last]);
    let is_inside = terms.app(Op::And, &[is_long_enough, is_before_end]);
    let is_inside = terms.app(Op::And, &[has_not_wrapped, is_inside]);
    let mut literals = vec![Literal::holds(is_inside).negated()];
    if fault == Fault::NextToObject {
        let zone = terms.constant(Value::from_bits(sort, ZONE.into()));
        let end = terms.app(Op::BvAdd, &[object.length, zone]);
        literals.push(Literal::holds(terms.app(Op::BvUlt, &[distance, end])));
    }
    literals
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Sort, Valuation};

    /// Whether an access of four bytes at `base + 16` leaves an object of 64 bytes at 8.
    fn leaves(base: u64) -> bool {
        let mut pool = Pool::default();
        let terms = &mut pool.terms;
        let variable = terms.var("base", Sort::Bv(32));
        let (start, length) = (terms.bv(32, 8), terms.bv(32, 64));
        let address = moved(terms, variable, 16);
        let object = Object { start, length };
        let literals = outside(&mut pool, &object, (variable, address, 4), Fault::OutsideObject);
        let mut valuation = Valuation::default();
        let name = pool.terms.find_var("base").expect("it was made above");
        valuation.set(name, Value::bv(32, base));
        let is_met = |literal: &Literal| {
            pool.terms.evaluate(literal.term, &valuation) == Value::Bool(literal.expected)
        };
        literals.iter().all(is_met)
    }

    #[test]
    fn an_address_that_wraps_is_outside_of_its_object() {
        assert!(!leaves(8), "24 is inside");
        assert!(!leaves(52), "68 is the last place");
        assert!(leaves(53));
        assert!(leaves(u64::from(u32::MAX) - 3), "12 is inside, but WebAssembly does not wrap");
    }
}
