//! Writes of many bytes: copies, fills, and bytes that nobody has written.

use crate::memory::moved;
use crate::state::{Pool, State};
use symcrete_program::lower::extract;
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
