//! Where the program has put addresses of its own objects into memory.
//!
//! Reading such a word gives the pointer back. Reading single bytes of it, as a hash over the memory of a structure does,
//! shows where the object is.
//!
//! Words at multiples of their size have bits of their own among the flags of memory, so that rewritten code can set,
//! clear and look at them without the host (`instrument/quick.rs`). Others are rare, and listed here.

use std::collections::BTreeSet;
use std::ops::Range;
use symcrete_program::module::AddressType;

/// The bit of a flag that sends every access to the host.
pub(crate) const WATCHED: u8 = 1;
/// The bit of a flag that says that the first word of its eight bytes holds an address. A second word has the next bit.
pub(crate) const FIRST_POINTER: u8 = 2;
/// All bits of words that hold addresses.
const POINTERS: u8 = FIRST_POINTER | FIRST_POINTER << 1;

/// Sends accesses to all bytes of some flags to the host.
pub(crate) fn watch(flags: &mut [u8]) {
    flags.iter_mut().for_each(|flag| *flag |= WATCHED);
}

/// The same bytes can be accessed quickly again.
pub(crate) fn unwatch(flags: &mut [u8]) {
    flags.iter_mut().for_each(|flag| *flag &= !WATCHED);
}

/// The flag of eight bytes; a program may ask for some that are beyond its memory.
fn flag_at(flags: &[u8], group: u32) -> u8 {
    flags.get(group as usize).copied().unwrap_or(0)
}

/// The words that hold addresses.
pub(crate) struct StoredPointers {
    /// Those that are not aligned, by where they start.
    unaligned: BTreeSet<u32>,
    /// Bytes of a pointer.
    bytes: u32,
}

impl Default for StoredPointers {
    fn default() -> StoredPointers {
        StoredPointers::of(AddressType::I32)
    }
}

impl StoredPointers {
    /// None yet, of a program whose addresses are that wide.
    pub(crate) fn of(address: AddressType) -> StoredPointers {
        StoredPointers { unaligned: BTreeSet::new(), bytes: address.bytes() }
    }

    pub(crate) fn add(&mut self, flags: &mut [u8], word: u32) {
        if word.is_multiple_of(self.bytes) {
            flags[(word / 8) as usize] |= self.bit(word);
            return;
        }
        self.unaligned.insert(word);
        let last = word + self.bytes - 1;
        watch(&mut flags[(word / 8) as usize..=(last / 8) as usize]);
    }

    /// Something else was written there.
    pub(crate) fn cut(&mut self, flags: &mut [u8], start: u32, length: u32) {
        if length == 0 {
            return;
        }
        let end = start.saturating_add(length);
        while let Some(word) = self.first_unaligned(start, length) {
            self.unaligned.remove(&word);
        }
        let mut at = start;
        while at < end {
            let next = ((at / 8 + 1) * 8).min(end);
            if flags[(at / 8) as usize] & POINTERS != 0 {
                for word in self.words_of(at..next) {
                    flags[(at / 8) as usize] &= !self.bit(word);
                }
            }
            at = next;
        }
    }

    /// Whether bytes that are read at once have an address in them of which others are left out.
    pub(crate) fn is_torn(&self, flags: &[u8], read: &Range<u32>) -> bool {
        if read.is_empty() {
            return false;
        }
        let is_cut = |word: u32| word < read.start || word + self.bytes > read.end;
        // Only the first and the last of many can be.
        let mut aligned = self.words_of(read.clone());
        let ends = [aligned.next(), aligned.next_back()].into_iter().flatten();
        let near = read.start.saturating_sub(self.bytes - 1)..read.end;
        let mut unaligned = self.unaligned.range(near).copied();
        ends.filter(|&word| self.is_at(flags, word)).any(is_cut)
            || unaligned.next().is_some_and(is_cut)
            || unaligned.next_back().is_some_and(is_cut)
    }

    /// Whether accesses to a group of eight bytes must go to the host.
    pub(crate) fn touches_group(&self, group: u32) -> bool {
        self.first_unaligned(8 * group, 8).is_some()
    }

    /// The bits of a flag that are about such words.
    pub(crate) fn bits(flag: u8) -> u8 {
        flag & POINTERS
    }

    /// The words that lie in a range as a whole, from its start, in no order.
    pub(crate) fn offsets_in(&self, flags: &[u8], start: u32, length: u32) -> Vec<u32> {
        let end = start.saturating_add(length);
        let unaligned = self.unaligned.range(start..end).copied();
        let groups = start / 8..end.div_ceil(8);
        let has_any = |group: &u32| flag_at(flags, *group) & POINTERS != 0;
        let aligned =
            groups.filter(has_any).flat_map(|group| self.words_of(8 * group..8 * group + 8));
        let words = unaligned.chain(aligned.filter(|&word| self.is_at(flags, word)));
        let is_whole = |word: &u32| start <= *word && *word + self.bytes <= end;
        words.filter(is_whole).map(|word| word - start).collect()
    }

    pub(crate) fn reset(&mut self) {
        self.unaligned.clear();
    }

    /// The aligned words that share bytes with a range.
    fn words_of(&self, bytes: Range<u32>) -> impl DoubleEndedIterator<Item = u32> + use<> {
        let size = self.bytes;
        (bytes.start / size..bytes.end.div_ceil(size)).map(move |word| word * size)
    }

    fn is_at(&self, flags: &[u8], word: u32) -> bool {
        flag_at(flags, word / 8) & self.bit(word) != 0
    }

    /// The bit of an aligned word in the flag of its group.
    fn bit(&self, word: u32) -> u8 {
        FIRST_POINTER << (word % 8 / self.bytes)
    }

    fn first_unaligned(&self, start: u32, length: u32) -> Option<u32> {
        if self.unaligned.is_empty() {
            return None;
        }
        let range = start.saturating_sub(self.bytes - 1)..start.saturating_add(length);
        self.unaligned.range(range).next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [AddressType; 2] = [AddressType::I32, AddressType::I64];

    #[test]
    fn only_parts_of_addresses_are_torn() {
        let mut pointers = StoredPointers::default();
        let flags = &mut [0; 32];
        pointers.add(flags, 100);
        for (read, is_torn) in [
            (100..101, true),
            (103..104, true),
            (98..101, true),
            (104..105, false),
            (96..100, false),
            (100..104, false),
            (90..110, false),
            (90..102, true),
            (102..114, true),
            (102..102, false),
        ] {
            assert_eq!(pointers.is_torn(flags, &read), is_torn, "{read:?}");
        }
        assert_eq!(pointers.offsets_in(flags, 96, 8), [4]);
        assert_eq!(pointers.offsets_in(flags, 96, 7), [] as [u32; 0]);
        pointers.cut(flags, 103, 8);
        assert!(!pointers.is_torn(flags, &(100..101)));
    }

    #[test]
    fn words_are_kept_at_any_place() {
        for width in WIDTHS {
            let size = width.bytes();
            let mut pointers = StoredPointers::of(width);
            let flags = &mut [0; 16];
            let mut expected = BTreeSet::new();
            let mut seed = 1_u32;
            for _ in 0..4000 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let (at, length) = ((seed >> 8) % 100, (seed >> 16) % 12);
                let overlaps = |word: &u32, start: u32, end: u32| {
                    start < end && *word < end && start < word + size
                };
                match seed >> 30 {
                    // A pointer is stored by a store, which cuts what was there.
                    0 => {
                        pointers.cut(flags, at, size);
                        pointers.add(flags, at);
                        expected.retain(|word| !overlaps(word, at, at + size));
                        expected.insert(at);
                    }
                    1 => {
                        pointers.cut(flags, at, length);
                        expected.retain(|word| !overlaps(word, at, at + length));
                    }
                    _ => {
                        let is_cut = |word: &u32| {
                            overlaps(word, at, at + length)
                                && (*word < at || word + size > at + length)
                        };
                        let is_torn = length > 0 && expected.iter().any(is_cut);
                        assert_eq!(pointers.is_torn(flags, &(at..at + length)), is_torn);
                        let inside = |word: &&u32| **word >= at && **word + size <= at + length;
                        let whole: BTreeSet<u32> =
                            expected.iter().filter(inside).map(|word| word - at).collect();
                        let found = pointers.offsets_in(flags, at, length);
                        assert_eq!(found.into_iter().collect::<BTreeSet<u32>>(), whole);
                    }
                }
            }
        }
    }
}
