//! Where a program can tell at which addresses its input and its variables lie.
//!
//! Objects of the input have addresses of ours, no two the same. A program that only follows its pointers and looks
//! whether they are null cannot tell. One that compares pointers to different objects, computes with an address, or
//! writes through one pointer and reads through another could see something else with a real caller. So it is with variables
//! of the program itself; what it does with their addresses is not symbolic, so the program reports it.

use crate::recording::Recording;
use crate::wasm_op::WasmOp;
use std::ops::Range;
use symcrete_program::Gap;
use symcrete_term::{Node, Op, TermId};

/// Sums of more parts than this are not taken apart.
const DEPTH_MAX: u32 = 8;

/// What an operator does with the addresses that are its operands.
enum Use {
    /// The result is an address again, or nothing of it can be seen.
    Moves,
    /// Whether they are the same can be seen, or how far they are apart.
    Compares,
    /// More than that can be seen.
    Computes,
}

impl Recording {
    /// Notes what an operator can tell about addresses of the input.
    pub(crate) fn note_addresses(&mut self, op: WasmOp, operands: &[(TermId, u64)]) {
        if self.pointers.is_empty() || op.params()[0] != self.address.num() {
            return;
        }
        let object =
            |term| self.pointer_in(term, DEPTH_MAX).filter(|present| !self.lists.contains(present));
        let objects: Vec<Option<TermId>> = operands.iter().map(|&(term, _)| object(term)).collect();
        if objects.iter().all(Option::is_none) {
            return;
        }
        // Null and what is near it is no object. Functions have small numbers, and only zero is none of theirs.
        let is_function = |object: &Option<TermId>| {
            object.is_some_and(|present| self.functions.contains(&present))
        };
        let null_end = match objects.iter().any(is_function) {
            true => 1,
            false => u64::from(crate::poison::NULL_PAGE),
        };
        let is_null = |i: usize| objects[i].is_none() && operands[i].1 < null_end;
        let is_one_object = match objects.len() {
            2 => objects[0] == objects[1] || is_null(0) || is_null(1),
            _ => true,
        };
        match use_of(op) {
            Use::Moves => {}
            Use::Compares if is_one_object => {}
            Use::Compares => self.meet(Gap::Aliasing),
            Use::Computes => self.meet(Gap::Addresses),
        }
    }

    /// Notes that the program compares two addresses: what it sees depends on where objects are, unless both belong to one.
    /// Whether they are the same does so only if one is past its object, or the object is gone or could be another.
    pub(crate) fn note_comparison(&mut self, addresses: [u32; 2], is_equality: bool) {
        let are_functions = || addresses.iter().all(|&address| self.is_function(address));
        if !is_equality && addresses[0] != addresses[1] && are_functions() {
            self.meet(Gap::Addresses);
        }
        if addresses.iter().any(|&address| address < crate::poison::NULL_PAGE) {
            return;
        }
        let depends = match addresses.map(|address| self.bytes.poison.place_of(address)) {
            [Some(a), Some(b)] if a.object == b.object => a.may_be_another || b.may_be_another,
            [Some(a), Some(b)] if is_equality => {
                !a.is_inside || !b.is_inside || (a.is_shared && b.is_shared)
            }
            // The library's own objects, which nobody looks past.
            [Some(place), None] | [None, Some(place)] if is_equality => !place.is_inside,
            [None, None] if is_equality => false,
            _ => true,
        };
        if depends {
            self.meet(Gap::Addresses);
        }
    }

    /// Notes that the program has an address as a number.
    pub(crate) fn note_number(&mut self, address: u32) {
        if address >= crate::poison::NULL_PAGE || self.is_function(address) {
            self.meet(Gap::Addresses);
        }
    }

    /// Notes that a word was read as a number, which may be a pointer: one that was stored there, or that has been there from
    /// the start.
    pub(crate) fn note_word(&mut self, flags: &[u8], place: u32, word: u32) {
        let stored = self.bytes.pointers.offsets_in(flags, place, self.address.bytes());
        let was_stored = !stored.is_empty();
        let is_address = || self.bytes.poison.place_of(word).is_some();
        if was_stored || (word >= crate::poison::NULL_PAGE && is_address()) {
            self.meet(Gap::Addresses);
        }
    }

    /// Notes that a pointer was stored.
    pub(crate) fn note_stored(&mut self, flags: &mut [u8], word: u32, value: u32) {
        let is_met = self.gaps.iter().any(|met| met.gap == Gap::Addresses);
        if (value >= crate::poison::NULL_PAGE || self.is_function(value)) && !is_met {
            self.note_pointer(flags, word);
        }
    }

    /// Notes that a pointer is there.
    pub(crate) fn note_pointer(&mut self, flags: &mut [u8], word: u32) {
        // What the input points at is symbolic.
        if self.bytes.is_concrete(word, self.address.bytes()) {
            self.tainted = true;
            self.bytes.add_pointer(flags, word);
        }
    }

    /// Whether a pointer is that of a function: their numbers are small, and so may a number be that a program makes a pointer of.
    pub(crate) fn is_function(&self, pointer: u32) -> bool {
        (1..self.functions_end).contains(&pointer)
    }

    /// Notes that some bytes are read at once, which may be a part of a pointer. Who has the flags looks at it later.
    pub(crate) fn note_parts(&mut self, reads: impl Iterator<Item = Range<u32>>) {
        let n_constraints = self.path.len();
        self.reads.extend(reads.map(|read| (read, n_constraints)));
    }

    /// Since how many constraints a read has been a part of a pointer, of those that were noted.
    pub(crate) fn torn_since(&self, flags: &[u8]) -> Option<usize> {
        let is_torn = |(read, _): &&(Range<u32>, usize)| self.bytes.pointers.is_torn(flags, read);
        self.reads.iter().find(is_torn).map(|(_, n_constraints)| *n_constraints)
    }

    /// Notes that bytes are read, and whether through a pointer of the input. What was written through another
    /// pointer, or to a variable that outlives the call, could be what is read.
    pub(crate) fn note_read(&mut self, start: u32, length: u32, is_input: bool) {
        if self.bytes.poison.is_state(start, length) {
            self.meet(Gap::State);
            self.stale = self.bytes.poison.forget_state();
        }
        if is_input {
            let object = self.object_of(start);
            if self.is_state_written || self.written.iter().any(|&other| other != object) {
                self.meet(Gap::Aliasing);
            }
        }
    }

    /// Notes that bytes are written, and whether through a pointer of the input.
    pub(crate) fn note_write(&mut self, start: u32, length: u32, is_input: bool) {
        self.is_state_written |= self.bytes.poison.overwrite_state(start, length);
        if is_input {
            self.written.insert(self.object_of(start));
            if self.has_state {
                self.meet(Gap::Aliasing);
            }
        }
    }

    /// Names the object that an address points into, or else the address itself.
    fn object_of(&self, address: u32) -> u32 {
        self.bytes.poison.object_at(address).map_or(address, |object| object.start)
    }

    /// The variable that says whether the pointer is there that a term is computed from, if it is from one.
    fn pointer_in(&self, term: TermId, depth: u32) -> Option<TermId> {
        let Node::App { op, args, .. } = self.terms.node(term) else { return None };
        match (op, args) {
            (Op::Ite, &[condition, then, otherwise]) => {
                match self.pointers.contains_key(&condition) {
                    true => Some(condition),
                    false if depth > 0 => self
                        .pointer_in(then, depth - 1)
                        .or_else(|| self.pointer_in(otherwise, depth - 1)),
                    false => None,
                }
            }
            (Op::BvAdd | Op::BvSub, args) if depth > 0 => {
                args.iter().find_map(|&arg| self.pointer_in(arg, depth - 1))
            }
            _ => None,
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most operators take addresses apart")]
fn use_of(op: WasmOp) -> Use {
    use WasmOp as W;
    match op {
        W::I32Eqz | W::I32Add | W::I64Eqz | W::I64Add => Use::Moves,
        W::I32Eq | W::I32Ne | W::I32Sub | W::I64Eq | W::I64Ne | W::I64Sub => Use::Compares,
        W::I32LtS
        | W::I32LtU
        | W::I32GtS
        | W::I32GtU
        | W::I32LeS
        | W::I32LeU
        | W::I32GeS
        | W::I32GeU
        | W::I64LtS
        | W::I64LtU
        | W::I64GtS
        | W::I64GtU
        | W::I64LeS
        | W::I64LeU
        | W::I64GeS
        | W::I64GeU => Use::Compares,
        _ => Use::Computes,
    }
}
