//! Which bytes of memory are symbolic, and which terms they belong to.
//!
//! Rewritten code looks only at the flags: one byte per eight bytes of memory. Its first bit is set if any of the eight is
//! symbolic; others are of stored addresses (`stored_pointers.rs`). The terms are here. A symbolic byte is one byte of a bit-vector term, so what is stored as
//! a word and read as a word is the same term again, at any alignment.
//!
//! **Invariant:** the first bit of a flag is set exactly if a byte of its group is symbolic or poisoned, or belongs to an array
//! whose length is a variable, or to what outlives a call: then touching it says something about that; or if nobody
//! has written it; or if it is of a stored address that is not aligned. Where a red zone was that is gone, it may still be set.

use crate::lower::extract;
use crate::poison::Poison;
use crate::stored_pointers::{StoredPointers, watch};
use crate::unwritten::Unwritten;
use std::ops::Range;
use symcrete_program::module::AddressType;
use symcrete_term::{Op, TermId, Terms};

const PAGE: u32 = 256;

/// One byte of a term: the term and which byte of it, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ByteOf {
    pub(crate) term: TermId,
    pub(crate) index: u8,
}

type Page = Box<[Option<ByteOf>; PAGE as usize]>;

/// The symbolic and the poisoned bytes of a memory.
#[derive(Default)]
pub(crate) struct ShadowBytes {
    pub(crate) poison: Poison,
    pub(crate) unwritten: Unwritten,
    pub(crate) pointers: StoredPointers,
    pages: Vec<Option<Page>>,
    touched: Vec<u32>,
}

impl ShadowBytes {
    /// All concrete, of a program whose addresses are that wide.
    pub(crate) fn of(address: AddressType) -> ShadowBytes {
        ShadowBytes { pointers: StoredPointers::of(address), ..ShadowBytes::default() }
    }

    /// The term that a byte belongs to.
    pub(crate) fn get(&self, address: u32) -> Option<ByteOf> {
        let page = self.pages.get((address / PAGE) as usize)?.as_ref()?;
        page[(address % PAGE) as usize]
    }

    /// Poisons an arena but for its objects.
    pub(crate) fn set_poison(
        &mut self,
        flags: &mut [u8],
        arena: Range<u32>,
        objects: &[Range<u32>],
        (tied, state): (&[Range<u32>], &[Range<u32>]),
    ) {
        self.poison.set(arena, objects, tied);
        self.poison.set_state(state);
        self.poison.mark(flags);
        // Bytes may be symbolic already if the program has run before.
        for page in self.touched.clone() {
            self.update_flags(flags, page * PAGE, PAGE);
        }
    }

    /// Makes an object that the program may touch from now on.
    pub(crate) fn add_object(&mut self, flags: &mut [u8], object: Range<u32>) {
        let (start, length) = (object.start, object.end - object.start);
        self.poison.add(object);
        self.update_flags(flags, start, length);
    }

    /// Sets consecutive bytes and their flags.
    pub(crate) fn set(&mut self, flags: &mut [u8], address: u32, bytes: &[Option<ByteOf>]) {
        self.overwrite(flags, address, bytes.len() as u32);
        for (i, &byte) in bytes.iter().enumerate() {
            self.set_byte(address + i as u32, byte);
        }
        self.update_flags(flags, address, bytes.len() as u32);
    }

    /// Makes a range concrete. Bytes that never were symbolic cost nothing.
    pub(crate) fn clear(&mut self, flags: &mut [u8], address: u32, length: u32) {
        self.overwrite(flags, address, length);
        let end = address + length;
        let mut at = address;
        while at < end {
            let next = ((at / 8 + 1) * 8).min(end);
            if flags[(at / 8) as usize] != 0 {
                (at..next).for_each(|byte| self.set_byte(byte, None));
                self.update_flags(flags, at, next - at);
            }
            at = next;
        }
    }

    /// What bytes were before they are written does not count any more.
    fn overwrite(&mut self, flags: &mut [u8], address: u32, length: u32) {
        self.poison.overwrite_state(address, length);
        self.unwritten.cut(address, length);
        self.pointers.cut(flags, address, length);
    }

    /// A word holds the address of an object of the program.
    pub(crate) fn add_pointer(&mut self, flags: &mut [u8], word: u32) {
        self.pointers.add(flags, word);
    }

    /// A range is uninitialised.
    pub(crate) fn forget(&mut self, flags: &mut [u8], range: Range<u32>) {
        self.clear(flags, range.start, range.end - range.start);
        if !range.is_empty() {
            watch(&mut flags[(range.start / 8) as usize..range.end.div_ceil(8) as usize]);
            self.unwritten.add(range);
        }
    }

    /// Gives a byte its term that nobody has written; its flag is set.
    pub(crate) fn give(&mut self, address: u32, byte: ByteOf) {
        self.unwritten.cut(address, 1);
        self.set_byte(address, Some(byte));
    }

    /// Says where another unknown value is read each time.
    pub(crate) fn set_source(&mut self, flags: &mut [u8], source: Range<u32>) {
        watch(&mut flags[(source.start / 8) as usize..source.end.div_ceil(8) as usize]);
        self.unwritten.set_source(source);
    }

    /// Sets the flags of ranges anew, for what is there now.
    pub(crate) fn refresh(&self, flags: &mut [u8], ranges: &[Range<u32>]) {
        for range in ranges {
            self.update_flags(flags, range.start, range.end - range.start);
        }
    }

    /// Whether all bytes of a range are concrete.
    pub(crate) fn is_concrete(&self, address: u32, length: u32) -> bool {
        !self.unwritten.is_in(address, length)
            && (address..address + length).all(|byte| self.get(byte).is_none())
    }

    /// Forgets everything, but keeps the room.
    pub(crate) fn reset(&mut self) {
        self.poison.reset();
        self.unwritten.reset();
        self.pointers.reset();
        for page in self.touched.drain(..) {
            self.pages[page as usize] = None;
        }
    }

    fn set_byte(&mut self, address: u32, byte: Option<ByteOf>) {
        let index = (address / PAGE) as usize;
        if index >= self.pages.len() {
            if byte.is_none() {
                return;
            }
            self.pages.resize(index + 1, None);
        }
        if self.pages[index].is_none() {
            if byte.is_none() {
                return;
            }
            self.touched.push(address / PAGE);
        }
        let page = self.pages[index].get_or_insert_with(|| Box::new([None; PAGE as usize]));
        page[(address % PAGE) as usize] = byte;
    }

    fn update_flags(&self, flags: &mut [u8], address: u32, length: u32) {
        if length == 0 {
            return;
        }
        for group in address / 8..=(address + length - 1) / 8 {
            let symbolic = (group * 8..group * 8 + 8).any(|byte| self.get(byte).is_some());
            let is_watched = self.poison.touches_group(group)
                || self.unwritten.touches_group(group)
                || self.pointers.touches_group(group);
            let flag = &mut flags[group as usize];
            *flag = StoredPointers::bits(*flag) | u8::from(symbolic || is_watched);
        }
    }
}

/// The term of bytes that are read together, lowest first; `None` if all are concrete.
pub(crate) fn gather(
    terms: &mut Terms,
    symbolic: &[Option<ByteOf>],
    concrete: &[u8],
) -> Option<TermId> {
    symbolic.iter().find(|byte| byte.is_some())?;
    let mut whole: Option<TermId> = None;
    let mut start = 0;
    while start < symbolic.len() {
        let (end, part) = match symbolic[start] {
            Some(first) => {
                let end = run_of_term(symbolic, start, first);
                let (low, high) = (8 * first.index, 8 * first.index + 8 * (end - start) as u8 - 1);
                (end, extract(terms, high, low, first.term))
            }
            None => {
                let concrete_run = |byte: &&Option<ByteOf>| byte.is_none();
                let end = start + symbolic[start..].iter().take_while(concrete_run).count();
                let bits = (start..end).rev().fold(0, |bits, i| bits << 8 | u64::from(concrete[i]));
                (end, terms.bv(8 * (end - start) as u8, bits))
            }
        };
        whole = Some(match whole {
            Some(lower) => terms.app(Op::Concat, &[part, lower]),
            None => part,
        });
        start = end;
    }
    whole
}

/// Where the run of consecutive bytes of one term ends.
fn run_of_term(symbolic: &[Option<ByteOf>], start: usize, first: ByteOf) -> usize {
    let follows = |i: usize| {
        let expected = ByteOf { term: first.term, index: first.index + (i - start) as u8 };
        symbolic[i] == Some(expected)
    };
    (start + 1..symbolic.len()).find(|&i| !follows(i)).unwrap_or(symbolic.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::{Sort, Valuation, Value};

    fn word(term: TermId, n: u8) -> Vec<Option<ByteOf>> {
        (0..n).map(|index| Some(ByteOf { term, index })).collect()
    }

    #[test]
    fn a_word_is_the_same_term_again_at_any_alignment() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        for address in 0..16 {
            let (mut bytes, mut flags) = (ShadowBytes::default(), vec![0; 8]);
            bytes.set(&mut flags, address, &word(x, 4));
            let read: Vec<_> = (address..address + 4).map(|a| bytes.get(a)).collect();
            assert_eq!(gather(&mut terms, &read, &[0; 4]), Some(x));
            let expected = (0..8)
                .map(|group| u8::from((group * 8..group * 8 + 8).any(|a| bytes.get(a).is_some())));
            assert!(expected.eq(flags.iter().copied()));
        }
    }

    #[test]
    fn partial_overwrites_mix_terms_and_concrete_bytes() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let y = terms.var("y", Sort::Bv(16));
        let (mut bytes, mut flags) = (ShadowBytes::default(), vec![0; 8]);
        bytes.set(&mut flags, 6, &word(x, 4));
        bytes.set(&mut flags, 8, &word(y, 2)[..1]);
        bytes.clear(&mut flags, 7, 1);
        let read: Vec<_> = (6..10).map(|a| bytes.get(a)).collect();
        let term = gather(&mut terms, &read, &[0, 0xcc, 0, 0]).unwrap();
        let var = |terms: &Terms, name| terms.find_var(name).unwrap();
        let valuation = Valuation::from_iter([
            (var(&terms, "x"), Value::bv(32, 0x4433_2211)),
            (var(&terms, "y"), Value::bv(16, 0xbbaa)),
        ]);
        assert_eq!(terms.evaluate(term, &valuation), Value::bv(32, 0x44aa_cc11));
        bytes.clear(&mut flags, 0, 64);
        assert!(flags.iter().all(|&flag| flag == 0) && bytes.is_concrete(0, 64));
    }
}
