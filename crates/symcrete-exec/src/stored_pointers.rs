//! Where the program has put addresses of its own objects into memory.
//!
//! Reading such a word gives the pointer back. Reading single bytes of it, as a hash over the memory of a structure does,
//! shows where the object is.

use std::collections::BTreeSet;
use std::ops::Range;
use symcrete_program::module::AddressType;

/// The words that hold addresses, by where they start.
pub(crate) struct StoredPointers {
    words: BTreeSet<u32>,
    /// Bytes of a pointer.
    pub(crate) bytes: u32,
}

impl Default for StoredPointers {
    fn default() -> StoredPointers {
        StoredPointers::of(AddressType::I32)
    }
}

impl StoredPointers {
    /// None yet, of a program whose addresses are that wide.
    pub(crate) fn of(address: AddressType) -> StoredPointers {
        StoredPointers { words: BTreeSet::new(), bytes: address.bytes() }
    }

    pub(crate) fn add(&mut self, word: u32) {
        self.words.insert(word);
    }

    /// Something else was written there.
    pub(crate) fn cut(&mut self, start: u32, length: u32) {
        while let Some(word) = self.first_in(start, length) {
            self.words.remove(&word);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether bytes that are read at once have an address in them of which others are left out.
    pub(crate) fn is_torn(&self, read: &Range<u32>) -> bool {
        let near = read.start.saturating_sub(self.bytes - 1)..read.end;
        let is_cut = |&word: &u32| word < read.start || word + self.bytes > read.end;
        // Only the first and the last of many can be.
        let mut words = self.words.range(near);
        !read.is_empty()
            && (words.next().is_some_and(is_cut) || words.next_back().is_some_and(is_cut))
    }

    pub(crate) fn touches_group(&self, group: u32) -> bool {
        self.first_in(8 * group, 8).is_some()
    }

    /// The words that lie in a range as a whole, from its start.
    pub(crate) fn offsets_in(&self, start: u32, length: u32) -> Vec<u32> {
        let end = start.saturating_add(length);
        let words = self.words.range(start..end).take_while(|word| *word + self.bytes <= end);
        words.map(|word| word - start).collect()
    }

    pub(crate) fn reset(&mut self) {
        self.words.clear();
    }

    fn first_in(&self, start: u32, length: u32) -> Option<u32> {
        let range = start.saturating_sub(self.bytes - 1)..start.saturating_add(length);
        self.words.range(range).next().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_of_addresses_are_torn() {
        let mut pointers = StoredPointers::default();
        pointers.add(100);
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
            assert_eq!(pointers.is_torn(&read), is_torn, "{read:?}");
        }
        assert!(pointers.touches_group(12) && !pointers.touches_group(13));
        assert_eq!(pointers.offsets_in(96, 8), [4]);
        assert_eq!(pointers.offsets_in(96, 7), [] as [u32; 0]);
        pointers.cut(103, 8);
        assert!(!pointers.is_torn(&(100..101)));
    }
}
