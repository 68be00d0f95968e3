//! A second version of loops, for passes of which all is known before.
//!
//! A loop that ends by a counter, has no other branch, makes no calls and has no loop within gets a fast copy, which
//! stands before it. Before the copy, the code finds out how many iterations there will be at most and which bytes
//! they touch, and looks at the tags of all of them at once. If they have none, and there is fuel enough, the copy
//! runs; it need not look at tags, addresses or fuel. If anything is unusual, or there are few iterations, the loop
//! itself runs as usual. Where the copy ends by its counter, the loop comes next and finds at its start that it is
//! over: what follows a loop is there once.
//!
//! Bytes that have no tags keep none until somebody else runs, so they are not looked at again when the loop is entered again:
//! locals hold the range that has been looked at. To look at a byte costs about as much as an eighth of a pass, and what a loop
//! touches may lie far apart. So it must have earned that by its passes.

use crate::access::Access;
use crate::encode::val_type;
use crate::instrument::function::{Carrier, Rewriter};
use crate::instrument::layout::Form;
use crate::instrument::numbers::{Conditions, Number};
use crate::instrument::passes::{Passes, Widened};
use std::ops::Range;
use symcrete_program::module::{FrameKind, ValueType};
use wasm_encoder::{BlockType, Instruction};

/// Bytes of a loop, as it is rewritten, that gets no copy.
const LARGE: u32 = 3_000;

/// A stretch of a loop's code that a fast copy does without, or has otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// Pays so much for a pass.
    Charge(u32),
    /// Looks at the tags or the address of an access.
    Look(usize),
    /// What is done when the first condition says that the loop is over.
    Exit,
    /// Notes that it is not.
    Stay,
    /// Goes by the first condition, which is on the stack, to the end of a block, or on.
    Test(Option<u32>),
}

/// An access within a loop that is looked at.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) access: Access,
    pub(crate) address: Number,
    pub(crate) ty: ValueType,
    pub(crate) conditions: Conditions,
}

/// A loop that the walk is in.
#[derive(Debug)]
pub(crate) struct OpenLoop {
    pub(crate) site: u32,
    /// Its place among the open blocks.
    frame: usize,
    /// Where its code starts.
    pub(crate) start: u32,
    pub(crate) cost: u32,
    /// What locals held before it.
    pub(crate) before: Vec<Number>,
    /// What they hold when a pass starts.
    pub(crate) first: Vec<Number>,
    last_before: Number,
    /// What they hold, and what is known, wherever the next pass starts.
    next: Option<(Vec<Number>, Conditions)>,
    pub(crate) pieces: Vec<(Range<u32>, Piece)>,
    pub(crate) accesses: Vec<Looked>,
    /// The first condition, and whether it holds if the loop goes on.
    first_condition: Option<(Number, bool)>,
    /// The side of it that is noted then.
    stay: Option<(u32, bool)>,
    has_conditions: bool,
    /// Whether there are others than the first.
    branches: bool,
    has_effects: bool,
    /// Where the exit after the first condition starts, while the walk is in it.
    exit_start: Option<u32>,
    pub(crate) n_exits: u32,
    is_unfit: bool,
}

impl OpenLoop {
    /// Whether the walk is where the fast copy is not.
    fn is_out(&self) -> bool {
        self.exit_start.is_some()
    }

    /// Whether a condition, which holds or does not, is the first one and keeps the loop going.
    pub(crate) fn is_first_condition(&self, condition: (Number, bool)) -> bool {
        self.stay.is_some() && self.first_condition == Some(condition)
    }
}

impl Rewriter<'_> {
    /// A loop starts here; what its passes change is still to be forgotten.
    pub(crate) fn open_loop(&mut self, cost: u32, n_params: usize) {
        if self.form == Form::Shadowed {
            return;
        }
        self.open_loops().for_each(|open| open.is_unfit = true);
        let before = self.numbers.locals().to_vec();
        self.loops.push(OpenLoop {
            site: self.site,
            frame: self.stack.frames.len(),
            start: self.out.here(),
            cost,
            first: before.clone(),
            before,
            last_before: self.numbers.last(),
            next: None,
            pieces: Vec::new(),
            accesses: Vec::new(),
            first_condition: None,
            stay: None,
            has_conditions: false,
            branches: false,
            has_effects: false,
            exit_start: None,
            n_exits: 0,
            is_unfit: n_params > 0,
        });
    }

    /// The first pass of the loop starts here.
    pub(crate) fn start_passes(&mut self) {
        if let Some(open) = self.loops.last_mut() {
            open.first = self.numbers.locals().to_vec();
            open.last_before = self.numbers.last();
        }
    }

    /// Loops that the code at hand belongs to.
    fn open_loops(&mut self) -> impl Iterator<Item = &mut OpenLoop> {
        self.loops.iter_mut().filter(|open| !open.is_out())
    }

    /// The innermost loop, if the code at hand belongs to it.
    fn innermost(&mut self) -> Option<&mut OpenLoop> {
        self.loops.last_mut().filter(|open| !open.is_out() && !open.is_unfit)
    }

    /// Somebody else runs.
    pub(crate) fn others_run(&mut self) {
        self.open_loops().for_each(|open| open.is_unfit = true);
    }

    /// Something is changed other than locals.
    pub(crate) fn has_effect(&mut self) {
        self.innermost().into_iter().for_each(|open| open.has_effects = true);
    }

    /// What was emitted since a place is such a piece.
    pub(crate) fn piece(&mut self, start: u32, piece: Piece) {
        let end = self.out.here();
        self.innermost().into_iter().for_each(|open| open.pieces.push((start..end, piece)));
    }

    /// An access is about to be looked at.
    pub(crate) fn looks_at(&mut self, access: Access, ty: ValueType, number: Option<Number>) {
        let conditions = self.numbers.conditions().clone();
        if let (Some(open), Some(address)) = (self.innermost(), number) {
            open.accesses.push(Looked { access, address, ty, conditions });
        }
    }

    /// The piece that is a look at the last access.
    pub(crate) fn look(&mut self, start: u32, number: Option<Number>) {
        let n = self.innermost().map_or(0, |open| open.accesses.len());
        if number.is_some() && n > 0 {
            self.piece(start, Piece::Look(n - 1));
        }
    }

    /// A branch leads to a block, by its place among the open ones.
    pub(crate) fn leads_to(&mut self, frame: usize) {
        let (locals, conditions) = (self.numbers.locals(), self.numbers.conditions());
        for open in self.loops.iter_mut().filter(|open| !open.is_out()) {
            if open.frame > frame {
                open.n_exits += 1;
            } else if open.frame == frame {
                match &mut open.next {
                    Some((next, known)) => {
                        let differing = next.iter_mut().zip(locals).filter(|(a, b)| a != b);
                        differing.for_each(|(local, _)| *local = Number::UNKNOWN);
                        known.retain(|number, holds| conditions.get(number) == Some(holds));
                    }
                    next @ None => *next = Some((locals.to_vec(), conditions.clone())),
                }
            }
        }
    }

    /// A condition is decided; returns whether it is the first of a loop, which goes on if the condition holds or
    /// does not.
    pub(crate) fn first_condition(&mut self, condition: Option<Number>, stays: bool) -> bool {
        let plain = condition.map(|condition| self.numbers.plain_condition(condition, stays));
        let Some(open) = self.innermost() else { return false };
        let is_first = !std::mem::replace(&mut open.has_conditions, true);
        match is_first {
            true => open.first_condition = plain,
            false => open.branches = true,
        }
        is_first
    }

    /// Notes a side, by which a loop goes on if its first condition is the one at hand.
    pub(crate) fn cover_stay(&mut self, is_first: bool, taken: bool) {
        let start = self.out.here();
        self.cover(self.site, taken);
        if is_first {
            self.piece(start, Piece::Stay);
            let stay = Some((self.site, taken));
            self.innermost().into_iter().for_each(|open| open.stay = stay);
        }
    }

    /// Notes ahead that a loop goes on.
    pub(crate) fn note_stay(&mut self, open: &OpenLoop) {
        let (site, taken) = open.stay.expect("the first condition keeps the loop going");
        self.cover(site, taken);
    }

    /// Behind the first condition of a loop, of which the other side leads to the end of a block within: what comes next is an
    /// exit, if it never comes to the end of the block.
    pub(crate) fn exit_starts(&mut self, depth: u32) {
        let (n_frames, here) = (self.stack.frames.len(), self.out.here());
        let is_block = self.stack.frame(0).kind == FrameKind::Block;
        let (locals, numbers) = (self.numbers.locals().to_vec(), &self.numbers);
        let innermost = self.loops.last_mut().filter(|open| !open.is_out() && !open.is_unfit);
        let Some(open) = innermost else { return };
        let is_around = open.frame + 2 == n_frames && is_block && depth == 0;
        let passes = Passes { numbers, first: &open.first, next: &locals };
        if is_around && !open.has_effects && passes.is_repeatable(open.last_before) {
            open.exit_start = Some(here);
            open.n_exits += 1;
        }
    }

    /// The end of a block is near, which is the place among the open ones.
    pub(crate) fn exit_ends(&mut self, is_arrived: bool) {
        let (frame, here) = (self.stack.frames.len(), self.out.here());
        let Some(open) = self.loops.last_mut().filter(|open| open.frame + 1 == frame) else {
            return;
        };
        if let Some(start) = open.exit_start.take() {
            open.is_unfit |= is_arrived;
            open.pieces.push((start..here, Piece::Exit));
        }
    }

    /// A loop has ended; puts a fast copy before it if it can.
    pub(crate) fn close_loop(&mut self, falls_through: bool) {
        if self.form == Form::Shadowed {
            return;
        }
        let open = self.loops.pop().expect("it was opened");
        let is_large = self.out.here() - open.start > LARGE + exit_bytes(&open);
        let is_simple = open.n_exits == 1 && !open.branches && !falls_through;
        if open.is_unfit || is_large || !is_simple {
            return;
        }
        let Some((next, known)) = &open.next else { return };
        let passes = Passes { numbers: &self.numbers, first: &open.first, next };
        let mut widened: Vec<Widened> = Vec::new();
        let Some(bound) = passes.bound(known, &mut widened) else { return };
        let Some(plan) = passes.plan(&open, bound, widened) else { return };
        let Some(memos) = self.memos(open.site, plan.groups.len()) else { return };
        let code = self.out.cut(open.start);
        self.out.emit(&Instruction::Block(BlockType::Empty));
        let n = self.enter_version(&open, &plan, &memos);
        self.fast_copies(&open, &code, &plan, n);
        self.out.emit(&Instruction::End);
        self.out.paste(code);
    }

    /// The locals with what has been looked at, of a loop that has just ended. Where a loop around it makes no calls,
    /// they are kept as long as that runs, which must know of them when it starts: then the function is gone through
    /// once more.
    fn memos(&mut self, site: u32, n: usize) -> Option<Memos> {
        let around = self.stack.frames.iter().rev().filter(|frame| frame.kind == FrameKind::Loop);
        let (facts, carriers) = (self.facts(), self.carriers);
        let tags_return =
            |site| facts.loops[&site].runs_others || carriers.contains(&Carrier::Unwritten(site));
        let kept = around.take_while(|frame| !tags_return(frame.at)).last();
        let Some(kept) = kept.map(|frame| frame.at) else {
            let memos = self.new_memos(n);
            self.reset(&memos);
            return Some(memos);
        };
        let carrier = Carrier::Memos { kept, site, n: n as u32 };
        if self.carriers.contains(&carrier) {
            return self.kept_memos.get(&site).cloned();
        }
        self.new_carriers.insert(carrier);
        None
    }

    /// Makes the locals of loops within one that starts here, which makes no calls.
    pub(crate) fn start_memos(&mut self) {
        let carriers = self.carriers;
        for carrier in carriers {
            if let &Carrier::Memos { kept, site, n } = carrier
                && kept == self.site
            {
                let memos = self.new_memos(n as usize);
                self.reset(&memos);
                self.kept_memos.insert(site, memos);
            }
        }
    }

    fn new_memos(&mut self, n: usize) -> Memos {
        let mut local = |ty| self.out.new_local(val_type(ty));
        Memos {
            ranges: (0..n).map(|_| [local(ValueType::I64), local(ValueType::I64)]).collect(),
            credit: local(ValueType::I64),
        }
    }

    fn reset(&mut self, memos: &Memos) {
        for &local in memos.ranges.iter().flatten() {
            self.out.emit(&Instruction::I64Const(0));
            self.out.set(local);
        }
    }
}

/// The locals with what has been looked at for a loop.
#[derive(Clone, Debug)]
pub(crate) struct Memos {
    /// For each group of accesses, where the range of bytes that have no tags starts and ends.
    pub(crate) ranges: Vec<[u32; 2]>,
    /// How many words of tags it may look at.
    pub(crate) credit: u32,
}

fn exit_bytes(open: &OpenLoop) -> u32 {
    let exits = open.pieces.iter().filter(|(_, piece)| *piece == Piece::Exit);
    exits.map(|(range, _)| range.end - range.start).sum()
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::instrument::instrument;
    use crate::instrument::layout::Form;
    use crate::limits::Limits;
    use crate::module::Module;
    use std::collections::BTreeMap;
    use wasmparser::{Operator, Parser, Payload};

    /// How many loops a function has when it is rewritten.
    fn n_loops(code: &str) -> usize {
        let wasm = wat::parse_str(format!(
            r#"(module (memory 1) (func $g) (func (export "f") (param $n i32) (param $k i32) (local $i i32) (local $p i32) {code}))"#
        ))
        .unwrap();
        let module = Module::parse(&wasm).unwrap();
        let (config, executed) = (Config::standard(), BTreeMap::new());
        let concrete =
            instrument(Form::Concrete, &module, &config, executed, &Limits::STANDARD).unwrap();
        let mut n = 0;
        for payload in Parser::new(0).parse_all(&concrete.wasm) {
            let Payload::CodeSectionEntry(body) = payload.unwrap() else { continue };
            let operators = body.get_operators_reader().unwrap().into_iter();
            n += operators.filter(|op| matches!(op, Ok(Operator::Loop { .. }))).count();
        }
        n
    }

    #[test]
    fn loops_that_end_by_a_counter_get_copies() {
        let counted = |test: &str, body: &str, step: &str| {
            n_loops(&format!("(block (loop (br_if 1 {test}) {body} (local.set $i {step}) (br 0)))"))
        };
        let (test, up) =
            ("(i32.ge_s (local.get $i) (local.get $n))", "(i32.add (local.get $i) (i32.const 1))");
        let store = "(i32.store8 (i32.add (local.get $i) (local.get $p)) (i32.const 1))";
        // Passes in a row, a loop of them one by one, one that reads tags, and the loop itself.
        assert_eq!(counted(test, store, up), 4);
        assert_eq!(counted(test, "", up), 3, "nothing to look at");
        assert_eq!(
            counted("(i32.ge_s (local.get $i) (i32.const 9))", store, up),
            4,
            "from anywhere"
        );
        assert_eq!(counted("(i32.eq (local.get $i) (local.get $n))", store, up), 4);
        assert_eq!(counted(test, store, "(i32.add (local.get $i) (local.get $k))"), 4);
        assert_eq!(counted(test, store, "(i32.mul (local.get $i) (i32.const 3))"), 1);
        assert_eq!(
            counted(test, store, "(i32.sub (local.get $i) (i32.const 1))"),
            1,
            "the other way"
        );
        assert_eq!(counted(test, "(call $g)", up), 1);
        assert_eq!(counted(test, "(br_if 1 (i32.load8_u (local.get $i)))", up), 1, "two exits");
        assert_eq!(counted(test, "(local.set $n (local.get $k))", up), 1, "the limit changes");
        assert_eq!(counted("(i32.load8_u (local.get $i))", store, up), 1);
    }
}
