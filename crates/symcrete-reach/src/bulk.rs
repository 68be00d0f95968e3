//! Writes of many bytes: copies, fills, uninitialised bytes, new objects.

use crate::memory::{difference, moved};
use crate::reachability::Bound;
use crate::state::{Pool, State};
use crate::substitute::{Substitution, variables};
use symcrete_program::lower::{extend, extract};
use symcrete_program::{Environment, Gap};
use symcrete_term::{Op, Sort, TermId};

/// Longer ones are not followed.
const LENGTH_MAX: u64 = 1 << 12;

impl State {
    /// Before a copy, reads of the destination are reads of the source.
    pub(crate) fn copy(&mut self, pool: &mut Pool, [to, from, length]: [TermId; 3]) {
        let Some(n) = self.constant_length(pool, length) else { return };
        self.overwrite(pool, to, n, &mut |pool, state, distance, bytes| {
            let sum = pool.terms.app(Op::BvAdd, &[from, distance]);
            let address = moved(&mut pool.terms, sum, 0);
            state.read(pool, address, bytes)
        });
    }

    /// Before a fill, reads of the bytes are the byte that they are filled with.
    pub(crate) fn fill(&mut self, pool: &mut Pool, [to, value, length]: [TermId; 3]) {
        let Some(n) = self.constant_length(pool, length) else { return };
        let byte = extract(&mut pool.terms, 7, 0, value);
        self.overwrite(pool, to, n, &mut |pool, _, _, bytes| {
            (1..bytes).fold(byte, |whole, _| pool.terms.app(Op::Concat, &[byte, whole]))
        });
    }

    /// Before bytes lose their values, reads of them are unknown values that stay the same.
    pub(crate) fn unwrite(&mut self, pool: &mut Pool, start: TermId, length: TermId) {
        let Some(n) = self.constant_length(pool, length) else { return };
        let unwritten =
            &mut |pool: &mut Pool, _: &mut State, _, bytes| pool.unwritten(Sort::Bv(8 * bytes));
        self.overwrite(pool, start, n, unwritten);
    }

    /// Before a call that gave a new object, what is read at its address is what the object was given: zeros, or nothing. All
    /// else is as it was: no allocator touches what the program knows.
    pub(crate) fn allocate(&mut self, pool: &mut Pool, result: TermId, is_zeroed: bool) {
        let own = pool.var_of(result);
        let mut by = Substitution::new();
        for read in self.reads.clone() {
            if !variables(&pool.terms, &[read.address]).contains(&own) {
                continue;
            }
            // At any other distance from the start it may be outside.
            let distance = difference(&mut pool.terms, read.address, result);
            let is_at_constant = pool.terms.as_const(distance).is_some();
            let sort = Sort::Bv(8 * read.bytes);
            let value = match (is_at_constant, is_zeroed) {
                (true, true) => pool.terms.bv(8 * read.bytes, 0),
                (true, false) => pool.unwritten(sort),
                (false, _) => pool.fresh(sort),
            };
            by.insert(read.var, value);
        }
        self.reads.retain(|read| !by.contains_key(&read.var));
        let address = pool.allocated();
        let width = pool.terms.sort(result).bits() as u8;
        let address = match width {
            32 => address,
            wide => extend(&mut pool.terms, Op::ZeroExtend, wide - 32, address),
        };
        by.insert(own, address);
        self.bounds.insert(Bound::Model(Gap::Environment(Environment::Allocation)));
        self.apply(pool, &by);
    }

    /// How long a write is. If that is not known here, memory is unknown before it.
    fn constant_length(&mut self, pool: &Pool, length: TermId) -> Option<u32> {
        let known = pool.terms.as_const(length).map(|value| value.bits());
        let known = known.filter(|n| *n <= LENGTH_MAX);
        if known.is_none() {
            self.forget_memory();
        }
        known.map(|n| n as u32)
    }
}
