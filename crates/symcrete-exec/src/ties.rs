//! Arrays whose length is an input.
//!
//! In one run such an array has as many elements as its length says, and what lies beyond is poison. That an
//! access stays inside is a condition on the length, also where the address is concrete: it goes into the path, so
//! that nothing is concluded from the length of one run.

use crate::error::ExecError;
use crate::lower::extend;
use crate::session::{Session, Stop};
use crate::trace::Origin;
use symcrete_program::{CellKind, Tie};
use symcrete_term::{Literal, Op, TermId};

/// A tied array in a run.
pub(crate) struct TiedArray {
    start: u32,
    end_max: u32,
    /// Bytes that it has in this run; negative if its length is.
    size: i64,
    /// The same as a term of 64 bits.
    size_term: TermId,
    /// Bytes from its start that are known to be inside: the path says so already.
    known: u64,
}

impl Session {
    /// Makes the arrays of an image known, once its variables are.
    pub(crate) fn tie(&mut self, ties: &[Tie]) -> Result<(), ExecError> {
        self.ties.clear();
        for tie in ties {
            let clash = || ExecError::InvalidCell {
                name: tie.name.clone(),
                why: "is not the integer that an array's length must be",
            };
            let CellKind::Int { bits, signed } = tie.kind else { return Err(clash()) };
            let length = self.variable(&tie.name, tie.kind.sort()).ok_or_else(clash)?;
            let op = if signed { Op::SignExtend } else { Op::ZeroExtend };
            let length = match 64 - bits {
                0 => length,
                more => extend(&mut self.terms, op, more, length),
            };
            let stride = self.terms.bv(64, u64::from(tie.stride));
            let size_term = self.terms.app(Op::BvMul, &[length, stride]);
            self.ties.push(TiedArray {
                start: tie.start,
                end_max: tie.end_max,
                size: tie.count.saturating_mul(i64::from(tie.stride)),
                size_term,
                known: 0,
            });
        }
        Ok(())
    }

    /// Guards that an access which starts at `start` and ends before `end` stays in the array that it points into.
    /// `end_term` is the end as a term of 64 bits, if it is symbolic. Says whether there is such an array.
    pub(crate) fn guard_tied(
        &mut self,
        site: u32,
        start: u32,
        end: u64,
        end_term: Option<TermId>,
    ) -> Result<bool, Stop> {
        let found = self.ties.iter().position(|tie| (tie.start..tie.end_max).contains(&start));
        let Some(index) = found else { return Ok(false) };
        let tie = &self.ties[index];
        let needed = end - u64::from(tie.start);
        if end_term.is_none() && needed <= tie.known {
            return Ok(true);
        }
        let (first, size, size_term) = (u64::from(tie.start), tie.size, tie.size_term);
        let holds = needed as i64 <= size;
        if end_term.is_none() && holds {
            self.ties[index].known = needed;
        }
        let needed = match end_term {
            None => self.terms.bv(64, needed),
            Some(end) => {
                let first = self.terms.bv(64, first);
                self.terms.app(Op::BvSub, &[end, first])
            }
        };
        let inside = self.terms.app(Op::BvSle, &[needed, size_term]);
        self.settle(site, Literal { term: inside, expected: holds }, Origin::TrapGuard)?;
        Ok(true)
    }
}
