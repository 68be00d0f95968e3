//! Code that finds out whether a fast copy of a loop may run (`plans.rs`).

use crate::encode::val_type;
use crate::instrument::control::flag_arg;
use crate::instrument::function::Rewriter;
use crate::instrument::numbers::{Number, Origin};
use crate::instrument::passes::{Bound, Relation, Step, Widened, encoded};
use crate::instrument::plans::{GAP, Group, Plan};
use crate::instrument::versions::{Memos, OpenLoop};
use symcrete_program::module::{ValueType, WasmOp};
use wasm_encoder::{BlockType, Instruction};

/// So many passes are too many to multiply with.
const PASSES_MAX: i64 = 1 << 30;
/// Values that are multiplied with them are below this.
const FACTOR_MAX: i64 = 1 << 24;
/// Counters of 64 bits are below so many bits.
const COUNTER_BITS: i64 = 40;
/// How many words of tags may be looked at for a pass.
const WORDS_PER_PASS: i64 = 4;
/// How much more a look costs that has found something.
const LOST: i64 = 16;

/// Locals for what is found out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scratch {
    /// How many passes there are at most.
    n: u32,
    low: u32,
    high: u32,
    from: u32,
    to: u32,
    words: u32,
    tags: u32,
    is_above: u32,
    is_below: u32,
}

impl Rewriter<'_> {
    /// Leaves the innermost block unless a fast copy of a loop may run. Returns the local that says for how many
    /// iterations.
    pub(crate) fn enter_version(&mut self, open: &OpenLoop, plan: &Plan, memos: &Memos) -> u32 {
        let fuel = self.kept_fuel();
        let scratch = self.scratch();
        for factor in plan.factors() {
            self.make_wide(open, factor, true);
            self.out.emit(&Instruction::I64Const(1));
            self.out.emit(&Instruction::I64Sub);
            self.skip_unless_below(FACTOR_MAX);
        }
        self.count_passes(open, plan, scratch.n);
        self.out.get(scratch.n);
        self.out.emit(&Instruction::I64Const(1));
        self.out.emit(&Instruction::I64Add);
        self.out.emit(&Instruction::I64Const(i64::from(open.cost)));
        self.out.emit(&Instruction::I64Mul);
        self.out.get(fuel);
        self.out.emit(&Instruction::I64ExtendI32S);
        self.out.emit(&Instruction::I64GtS);
        self.skip();
        plan.widened.iter().for_each(|widened| self.skip_if_wraps(open, widened, scratch.n));
        for (group, &memo) in plan.groups.iter().zip(&memos.ranges) {
            self.find_range(open, group, &scratch);
            match group.step == Step::NONE {
                true => self.skip_if_tagged(group, &scratch),
                false => self.look_at_range(memo, memos.credit, &scratch),
            }
        }
        if plan.is_first {
            self.note_stay(open);
        }
        scratch.n
    }

    fn scratch(&mut self) -> Scratch {
        if let Some(scratch) = self.scratch {
            return scratch;
        }
        let mut wide = || self.out.new_local(val_type(ValueType::I64));
        let [n, low, high, from, to, words, tags] = std::array::from_fn(|_| wide());
        let mut flag = || self.out.new_local(val_type(ValueType::I32));
        let [is_above, is_below] = std::array::from_fn(|_| flag());
        let scratch = Scratch { n, low, high, from, to, words, tags, is_above, is_below };
        self.scratch = Some(scratch);
        scratch
    }

    /// Leaves the block if the number on top is not zero.
    fn skip(&mut self) {
        self.out.emit(&Instruction::BrIf(0));
    }

    /// Leaves the block unless the wide number on top is below a limit, and not negative.
    fn skip_unless_below(&mut self, limit: i64) {
        self.out.emit(&Instruction::I64Const(limit));
        self.out.emit(&Instruction::I64GeU);
        self.skip();
    }

    /// Pushes a value as in the first iteration.
    fn make(&mut self, open: &OpenLoop, number: Number) -> ValueType {
        if let Some(local) = open.first.iter().position(|&first| first == number) {
            self.out.get(local as u32);
            return self.of_local(local as u32).ty;
        }
        match self.numbers.origin(number).expect("it can be made") {
            Origin::Constant(ty, bits) => {
                self.out.emit(&match ty {
                    ValueType::I64 => Instruction::I64Const(bits as i64),
                    ValueType::I32 | ValueType::F32 | ValueType::F64 | ValueType::FuncRef => {
                        Instruction::I32Const(bits as i32)
                    }
                });
                ty
            }
            Origin::Operator(op, a, b) => {
                self.make(open, a);
                b.into_iter().for_each(|b| {
                    self.make(open, b);
                });
                let op = WasmOp::from_code(op);
                self.out.emit(&encoded(op).expect("it can be made"));
                op.result().into()
            }
        }
    }

    /// The same as one of 64 bits.
    fn make_wide(&mut self, open: &OpenLoop, number: Number, is_signed: bool) {
        if self.make(open, number) == ValueType::I32 {
            self.out.emit(&match is_signed {
                true => Instruction::I64ExtendI32S,
                false => Instruction::I64ExtendI32U,
            });
        }
    }

    /// Pushes what a step is, without its sign if it is to have none.
    fn make_step(&mut self, open: &OpenLoop, step: Step, has_sign: bool) {
        let by = if has_sign { step.by } else { step.by.abs() };
        self.out.emit(&Instruction::I64Const(by));
        if let Some(factor) = step.of {
            self.make_wide(open, factor, true);
            self.out.emit(&Instruction::I64Mul);
        }
    }

    /// Finds out how many iterations come to their end at most.
    fn count_passes(&mut self, open: &OpenLoop, plan: &Plan, n: u32) {
        let bound = &plan.bound;
        if bound.is_wide {
            self.make(open, bound.value);
            self.make(open, bound.limit);
            self.out.emit(&Instruction::I64Or);
            self.skip_unless_below(1 << COUNTER_BITS);
        }
        let (from, to) = match bound.step.by > 0 {
            true => (bound.value, bound.limit),
            false => (bound.limit, bound.value),
        };
        self.make_wide(open, to, bound.is_signed);
        self.make_wide(open, from, bound.is_signed);
        self.out.emit(&Instruction::I64Sub);
        if bound.relation != Relation::UpTo {
            self.out.emit(&Instruction::I64Const(1));
            self.out.emit(&Instruction::I64Sub);
        }
        self.out.emit(&Instruction::LocalTee(n));
        self.skip_unless_below(1 << COUNTER_BITS);
        self.out.get(n);
        let distance = bound.step.by.unsigned_abs();
        if bound.step.of.is_none() && distance.is_power_of_two() {
            if bound.relation == Relation::Unequal && distance > 1 {
                // It meets the limit only if that many lie between.
                self.out.get(n);
                self.out.emit(&Instruction::I64Const(1));
                self.out.emit(&Instruction::I64Add);
                self.out.emit(&Instruction::I64Const(distance as i64 - 1));
                self.out.emit(&Instruction::I64And);
                self.skip_unless_below(1);
            }
            self.out.emit(&Instruction::I64Const(distance.trailing_zeros().into()));
            self.out.emit(&Instruction::I64ShrU);
        } else {
            self.make_step(open, bound.step, false);
            self.out.emit(&Instruction::I64DivU);
        }
        self.out.emit(&Instruction::I64Const(1));
        self.out.emit(&Instruction::I64Add);
        self.out.emit(&Instruction::LocalTee(n));
        self.out.emit(&Instruction::I64Const(plan.least()));
        self.out.emit(&Instruction::I64Sub);
        self.skip_unless_below(PASSES_MAX - plan.least());
        if bound.is_wide && !bound.is_signed {
            self.make_wide(open, bound.value, false);
            self.add_steps(open, bound.step, n, true);
            self.skip_unless_below(1 << (COUNTER_BITS + 1));
        } else if !bound.is_wide {
            let &Bound { value: narrow, step, is_signed, .. } = bound;
            self.skip_if_wraps(open, &Widened { narrow, step, is_signed }, n);
        }
    }

    /// Adds the steps of all passes to the number on top; those that start in the last pass, if that one counts.
    fn add_steps(&mut self, open: &OpenLoop, step: Step, n: u32, is_last: bool) {
        self.make_step(open, step, true);
        self.out.get(n);
        if !is_last {
            self.out.emit(&Instruction::I64Const(1));
            self.out.emit(&Instruction::I64Sub);
        }
        self.out.emit(&Instruction::I64Mul);
        self.out.emit(&Instruction::I64Add);
    }

    fn skip_if_wraps(&mut self, open: &OpenLoop, widened: &Widened, n: u32) {
        let scratch = self.scratch();
        self.make_wide(open, widened.narrow, widened.is_signed);
        self.add_steps(open, widened.step, n, true);
        match widened.is_signed {
            true => {
                self.out.emit(&Instruction::LocalTee(scratch.low));
                self.out.get(scratch.low);
                self.out.emit(&Instruction::I32WrapI64);
                self.out.emit(&Instruction::I64ExtendI32S);
                self.out.emit(&Instruction::I64Ne);
                self.skip();
            }
            false => self.skip_unless_below(1 << 32),
        }
    }

    /// Finds out which bytes a group touches.
    fn find_range(&mut self, open: &OpenLoop, group: &Group, scratch: &Scratch) {
        let goes_up = group.step.by >= 0;
        for (local, offset, is_far) in
            [(scratch.low, group.low, !goes_up), (scratch.high, group.high, goes_up)]
        {
            match group.ty {
                ValueType::I64 => _ = self.make(open, group.root),
                ValueType::I32 | ValueType::F32 | ValueType::F64 | ValueType::FuncRef => {
                    self.make_wide(open, group.root, false);
                }
            }
            if is_far {
                self.add_steps(open, group.step, scratch.n, group.is_in_last);
            }
            self.out.emit(&Instruction::I64Const(offset));
            self.out.emit(&Instruction::I64Add);
            self.out.set(local);
        }
        let limit = (self.context.layout.memory_pages_max << 16).min((1 << 32) - 16);
        self.out.get(scratch.high);
        self.skip_unless_below(limit as i64);
        self.out.get(scratch.low);
        self.out.get(scratch.high);
        self.out.emit(&Instruction::I64GtU);
        self.skip();
    }

    /// Leaves the block if one of the bytes of an access has a tag.
    fn skip_if_tagged(&mut self, group: &Group, scratch: &Scratch) {
        let place = flag_arg(self.context.layout.flags, 0);
        self.out.get(scratch.low);
        self.out.emit(&Instruction::I32WrapI64);
        self.out.emit(&match group.high - group.low {
            1 => Instruction::I64Load8U(place),
            2 => Instruction::I64Load16U(place),
            4 => Instruction::I64Load32U(place),
            _ => Instruction::I64Load(place),
        });
        self.skip_unless_below(1);
    }

    /// Leaves the block if a byte of the range has a tag, as far as it is not known that none has. Ranges grow at either end.
    fn look_at_range(&mut self, [known_low, known_high]: [u32; 2], credit: u32, scratch: &Scratch) {
        let &Scratch { n, low, high, .. } = scratch;
        self.compare(low, known_low, &Instruction::I64LtU, 0);
        self.compare(known_high, high, &Instruction::I64LtU, 0);
        self.out.emit(&Instruction::I32Or);
        self.out.emit_cold_if(BlockType::Empty);
        self.out.get(credit);
        self.out.get(n);
        self.out.emit(&Instruction::I64Const(WORDS_PER_PASS));
        self.out.emit(&Instruction::I64Mul);
        self.out.emit(&Instruction::I64Add);
        self.out.set(credit);
        self.choose_range([known_low, known_high], scratch);
        self.read_tags(credit, scratch);
        for (known, new, is_kept) in
            [(known_low, low, scratch.is_above), (known_high, high, scratch.is_below)]
        {
            self.out.get(known);
            self.out.get(new);
            self.out.get(is_kept);
            self.out.emit(&Instruction::Select);
            self.out.set(known);
        }
        self.out.emit(&Instruction::End);
    }

    /// Pushes how a local, with something added to it, compares with another.
    fn compare(&mut self, a: u32, b: u32, comparison: &Instruction<'_>, added: i64) {
        self.out.get(a);
        self.out.emit(&Instruction::I64Const(added));
        self.out.emit(&Instruction::I64Add);
        self.out.get(b);
        self.out.emit(comparison);
    }

    /// Finds out which bytes are to be looked at. Nothing is known of any if the known range ends at zero.
    fn choose_range(&mut self, [known_low, known_high]: [u32; 2], scratch: &Scratch) {
        let &Scratch { low, high, from, to, is_above, is_below, .. } = scratch;
        self.compare(low, known_low, &Instruction::I64GeU, 0);
        self.compare(known_high, low, &Instruction::I64GeU, GAP);
        self.out.emit(&Instruction::I32And);
        self.out.get(known_high);
        self.out.emit(&Instruction::I64Const(0));
        self.out.emit(&Instruction::I64Ne);
        self.out.emit(&Instruction::I32And);
        self.out.set(is_above);
        self.compare(low, known_low, &Instruction::I64LtU, 0);
        self.compare(high, known_high, &Instruction::I64LeU, 0);
        self.out.emit(&Instruction::I32And);
        self.compare(high, known_low, &Instruction::I64GeU, GAP);
        self.out.emit(&Instruction::I32And);
        self.out.set(is_below);
        for (chosen, known, more, new, is_known) in
            [(from, known_high, -8, low, is_above), (to, known_low, 8, high, is_below)]
        {
            self.out.get(known);
            self.out.emit(&Instruction::I64Const(more));
            self.out.emit(&Instruction::I64Add);
            self.out.get(new);
            self.out.get(is_known);
            self.out.emit(&Instruction::Select);
            self.out.set(chosen);
        }
    }

    /// Reads all tags of the bytes that are to be looked at, eight at a time, if that has been earned.
    fn read_tags(&mut self, credit: u32, scratch: &Scratch) {
        let &Scratch { from, to, words, tags, .. } = scratch;
        self.out.get(to);
        self.out.get(from);
        self.out.emit(&Instruction::I64Sub);
        self.out.emit(&Instruction::I64Const(3));
        self.out.emit(&Instruction::I64ShrU);
        self.out.set(words);
        self.compare(credit, words, &Instruction::I64LtS, 0);
        self.out.emit(&Instruction::BrIf(1));
        self.pay(credit, words, 1);
        self.out.get(to);
        self.out.emit(&Instruction::I64Const(8));
        self.out.emit(&Instruction::I64Sub);
        self.out.set(to);
        self.read_tag_word(to);
        self.out.set(tags);
        self.out.emit(&Instruction::Loop(BlockType::Empty));
        self.out.get(tags);
        self.read_tag_word(from);
        self.out.emit(&Instruction::I64Or);
        self.out.set(tags);
        self.out.get(from);
        self.out.emit(&Instruction::I64Const(8));
        self.out.emit(&Instruction::I64Add);
        self.out.emit(&Instruction::LocalTee(from));
        self.out.get(to);
        self.out.emit(&Instruction::I64LtU);
        self.out.emit(&Instruction::BrIf(0));
        self.out.emit(&Instruction::End);
        self.out.get(tags);
        self.out.emit(&Instruction::I64Eqz);
        self.out.emit(&Instruction::I32Eqz);
        self.out.emit(&Instruction::If(BlockType::Empty));
        self.pay(credit, words, LOST);
        self.out.emit(&Instruction::Br(2));
        self.out.emit(&Instruction::End);
    }

    fn read_tag_word(&mut self, address: u32) {
        self.out.get(address);
        self.out.emit(&Instruction::I32WrapI64);
        self.out.emit(&Instruction::I64Load(flag_arg(self.context.layout.flags, 0)));
    }

    fn pay(&mut self, credit: u32, words: u32, times: i64) {
        self.out.get(credit);
        self.out.get(words);
        self.out.emit(&Instruction::I64Const(times));
        self.out.emit(&Instruction::I64Mul);
        self.out.emit(&Instruction::I64Sub);
        self.out.set(credit);
    }
}
