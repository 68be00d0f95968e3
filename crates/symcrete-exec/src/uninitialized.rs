//! Values that nobody has written, as variables.
//!
//! Bytes get a variable when they are first read, and keep it until they are written. What is not read leaves no trace,
//! and neither does what is read and decides nothing: that a condition depends on such a value is noted where it is
//! recorded.

use crate::memory::ByteOf;
use crate::recording::{Recording, Stop};
use std::ops::Range;
use symcrete_program::{Gap, SiteId, uninitialized};
use symcrete_term::{Node, Sort, TermId, depends_on};

/// What a run did with uninitialised values.
#[derive(Default)]
pub(crate) struct Uninitialized {
    /// How many were read.
    n_values: u32,
    /// Whether terms depend on them, as far as anybody has asked.
    depends: Vec<Option<bool>>,
    /// Bytes that memory must have before it is read.
    pub(crate) writes: Vec<(u32, Vec<u8>)>,
    /// Where conditions depended on them: the operator, and the place in the user's code.
    decided: Vec<(SiteId, SiteId)>,
    /// Whether nobody has looked yet where in the user's code the last of these is.
    is_place_new: bool,
    /// Whether the number with which the program ended itself did.
    pub(crate) is_status_unknown: bool,
}

impl Uninitialized {
    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        *self = Uninitialized::default();
    }

    /// Where a condition depended on one just now, unless that was asked already.
    pub(crate) fn new_place(&mut self) -> Option<SiteId> {
        let is_new = std::mem::take(&mut self.is_place_new);
        self.decided.last().filter(|_| is_new).map(|(_, place)| *place)
    }

    /// Says where in the user's code that is.
    pub(crate) fn set_place(&mut self, place: SiteId) {
        if let Some((_, last)) = self.decided.last_mut() {
            *last = place;
        }
    }

    /// All such places in the user's code.
    pub(crate) fn places(&self) -> Vec<SiteId> {
        let mut places: Vec<SiteId> = self.decided.iter().map(|(_, place)| *place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

impl Recording {
    /// A fresh variable for bytes that are about to be read.
    pub(crate) fn unknown_value(&mut self, start: u32, n: u8) -> Result<TermId, Stop> {
        let name = uninitialized::name(self.uninitialized.n_values, 8 * n);
        self.uninitialized.n_values += 1;
        let sort = Sort::Bv(8 * n);
        let term = self.variable(&name, sort).expect("the name says how wide it is");
        let bits = self.drawn_value(&name, sort).bits();
        let bytes = bits.to_le_bytes()[..usize::from(n)].to_vec();
        self.uninitialized.writes.push((start, bytes));
        self.shadow(term)?;
        Ok(term)
    }

    /// Gives variables to those of some uninitialised bytes. Their flags are set already.
    pub(crate) fn give_values(&mut self, start: u32, length: u32) -> Result<(), Stop> {
        if !self.bytes.unwritten.is_in(start, length) {
            return Ok(());
        }
        let end = start + length;
        let mut at = start;
        while at < end {
            let is_unwritten = |byte: u32| self.bytes.unwritten.is_in(byte, 1);
            if !is_unwritten(at) {
                at += 1;
                continue;
            }
            // A word at a time, where it is one.
            let fits = |n: &u32| at + n <= end && (at..at + n).all(is_unwritten);
            let n = [8, 4, 2].into_iter().filter(|n| at.is_multiple_of(*n)).find(fits).unwrap_or(1);
            let term = self.unknown_value(at, n as u8)?;
            for (index, byte) in (at..at + n).enumerate() {
                self.bytes.give(byte, ByteOf { term, index: index as u8 });
            }
            at += n;
        }
        self.tainted = true;
        Ok(())
    }

    /// These bytes are uninitialised.
    pub(crate) fn forget_values(&mut self, flags: &mut [u8], bytes: Range<u32>) {
        self.tainted = true;
        self.bytes.forget(flags, bytes);
    }

    /// Notes that a condition is recorded.
    pub(crate) fn note_decision(&mut self, site: SiteId, term: TermId) {
        if !self.is_unknown(term) {
            return;
        }
        self.meet(Gap::Uninitialized);
        let uninitialized = &mut self.uninitialized;
        if uninitialized.decided.iter().all(|(known, _)| *known != site) {
            uninitialized.decided.push((site, site));
            uninitialized.is_place_new = true;
        }
    }

    /// Whether a term depends on an uninitialised value.
    pub(crate) fn is_unknown(&mut self, term: TermId) -> bool {
        if self.uninitialized.n_values == 0 {
            return false;
        }
        let depends = &mut self.uninitialized.depends;
        depends.resize(self.terms.len(), None);
        let mut open = vec![term];
        while let Some(&top) = open.last() {
            if depends[top.index()].is_some() {
                open.pop();
                continue;
            }
            let node = self.terms.node(top);
            let children = node.children();
            if let Some(child) = children.iter().find(|child| depends[child.index()].is_none()) {
                open.push(*child);
                continue;
            }
            let own = match node {
                Node::Var(var) => uninitialized::is_name(self.terms.var_name(var)),
                Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => {
                    false
                }
            };
            let below = children.iter().any(|child| depends[child.index()] == Some(true));
            depends[top.index()] = Some(own || below);
            open.pop();
        }
        if depends[term.index()] != Some(true) {
            return false;
        }
        // Of a word that a bit-field is in, the field may be all that counts.
        let terms = &self.terms;
        depends_on(terms, term, |var| uninitialized::is_name(terms.var_name(var)))
    }

    /// Of some bytes, which have a value that nobody knows, or are not for the program to look at; empty if there are none.
    pub(crate) fn unknown_bytes(&mut self, bytes: Range<u32>) -> Vec<bool> {
        let is_any_gone = self.bytes.poison.fault(bytes.start, bytes.len() as u32).is_some();
        let is_unknown = |recording: &mut Recording, byte: u32| {
            let term = recording.bytes.get(byte).map(|byte| byte.term);
            recording.bytes.unwritten.is_in(byte, 1)
                || is_any_gone && recording.bytes.poison.fault(byte, 1).is_some()
                || term.is_some_and(|term| recording.is_unknown(term))
        };
        let unknown: Vec<bool> = bytes.map(|byte| is_unknown(self, byte)).collect();
        if unknown.contains(&true) { unknown } else { Vec::new() }
    }
}
