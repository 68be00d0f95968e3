//! Notes calls of callbacks and undefined functions, for tests to check.
//!
//! **Invariant:** what is noted is the same on every machine. A run in which code of the library calls such a function notes
//! nothing at all (another library may call it more often), nor does one that passes a value that nobody has written.

use crate::poison::NULL_PAGE;
use crate::recording::{Recording, ShadowId};
use symcrete_program::noted::{BYTES_MAX, CALLS_MAX};
use symcrete_program::{CellKind, NotedArgument, NotedCall, NotedKind, NotedParam};
use symcrete_term::TermId;

/// The calls that a run has noted so far.
#[derive(Default)]
pub(crate) struct Noted {
    calls: Vec<NotedCall>,
    /// Whether nothing is noted of this run.
    is_off: bool,
}

impl Noted {
    /// Whether another call is noted.
    pub(crate) fn is_on(&self) -> bool {
        !self.is_off
    }

    /// Nothing is noted of this run.
    pub(crate) fn switch_off(&mut self) {
        self.is_off = true;
        self.calls.clear();
    }

    pub(crate) fn add(&mut self, call: NotedCall) {
        self.calls.push(call);
        if self.calls.len() > CALLS_MAX {
            self.switch_off();
        }
    }

    /// All that was noted, and starts again; `None` if a test cannot check it.
    pub(crate) fn take(&mut self) -> Option<Vec<NotedCall>> {
        let noted = std::mem::take(self);
        noted.is_on().then_some(noted.calls)
    }
}

impl Recording {
    /// What is noted of an argument; `None` if nobody knows its value. What is behind pointers is looked for in `memory`.
    pub(crate) fn note_argument(
        &mut self,
        memory: &[u8],
        noted: &NotedParam,
        argument: impl Fn(usize) -> (u64, ShadowId),
    ) -> Option<NotedArgument> {
        let (bits, shadow) = argument(noted.argument);
        if self.is_unknown_value(shadow) {
            return None;
        }
        let none = NotedArgument { param: noted.param, bits, text: None, bytes: None };
        let (is_text, length) = match noted.kind {
            NotedKind::Number(kind) => {
                return Some(NotedArgument { bits: bits & mask(kind), ..none });
            }
            NotedKind::Pointer { .. } if bits == 0 => return Some(none),
            NotedKind::Pointer { is_text, length } => (is_text, length),
        };
        let length = length.map(argument).filter(|&(_, shadow)| !self.is_unknown_value(shadow));
        Some(NotedArgument {
            bits: 1,
            text: is_text.then(|| self.text(memory, bits)).flatten(),
            bytes: length.and_then(|(length, _)| self.bytes_at(memory, bits, length)),
            ..none
        })
    }

    fn is_unknown_value(&mut self, shadow: ShadowId) -> bool {
        let term = (shadow as usize).checked_sub(1).map(TermId::from_index);
        term.is_some_and(|term| self.is_unknown(term))
    }

    /// The text at an address, if all of it and the zero behind it can be read.
    fn text(&mut self, memory: &[u8], address: u64) -> Option<Vec<u8>> {
        let from = memory.get(usize::try_from(address).ok()?..)?;
        let length = from.iter().take(BYTES_MAX as usize).position(|&byte| byte == 0)?;
        let mut text = self.bytes_at(memory, address, length as u64 + 1)?;
        text.pop();
        Some(text)
    }

    /// So many bytes at an address, if all of them can be read, are known, and have no address among them.
    fn bytes_at(&mut self, memory: &[u8], address: u64, length: u64) -> Option<Vec<u8>> {
        let length = u32::try_from(length).ok().filter(|&length| length <= BYTES_MAX)?;
        let start = u32::try_from(address).ok()?;
        let end = start.checked_add(length)?;
        let bytes = memory.get(start as usize..end as usize)?.to_vec();
        let is_known = self.unknown_bytes(start..end).is_empty();
        (is_known && !self.has_address(&bytes)).then_some(bytes)
    }

    /// Whether any four bytes, the lower half of a pointer, may be an address: it is another one on another machine.
    fn has_address(&self, bytes: &[u8]) -> bool {
        let is_address = |word: &[u8; 4]| {
            let word = u32::from_le_bytes(*word);
            word >= NULL_PAGE && self.bytes.poison.place_of(word).is_some()
        };
        bytes.array_windows().any(is_address)
    }
}

/// The bits of a number that count.
fn mask(kind: CellKind) -> u64 {
    u64::MAX >> (64 - 8 * kind.size())
}
