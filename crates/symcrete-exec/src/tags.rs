//! What the concrete form knows of bytes: a tag for each byte of the program's memory, in memory 1.
//!
//! The concrete form looks at tags where it reads and writes, and makes no calls: code with a call in every access
//! has no registers left. Where tags say that anything is special, the run ends and begins again in the shadowed
//! form, which knows what to do. So tags may say too much, never too little. The host sets them when objects come and
//! go (`red_zones.rs`).

use std::ops::Range;

/// It must not be accessed, or only the host knows what it is.
pub(crate) const FORBIDDEN: u8 = 1;
/// Nobody has written it: it may be written, not read.
pub(crate) const FRESH: u8 = 2;
/// The first byte of a word that holds an address, and the others: they may be written, or read with all of the word. Words are
/// aligned, so that whoever reads an aligned word can find the first only at its start.
pub(crate) const POINTER: u8 = 4;
const POINTER_REST: u8 = 8;

/// The tags of as many bytes, all the same, as a number.
pub(crate) fn all(tag: u8, bytes: u32) -> u64 {
    u64::from_le_bytes([tag; 8]) >> (64 - 8 * bytes)
}

/// The tags of as many bytes, all of which are pointers, as a number; of fewer bytes than a word there are none.
pub(crate) fn pointers(bytes: u32, word: u32) -> u64 {
    let tag = |byte: u32| if byte.is_multiple_of(word) { POINTER } else { POINTER_REST };
    let is_whole = bytes.is_multiple_of(word);
    (0..bytes).filter(|_| is_whole).fold(0, |tags, byte| tags | u64::from(tag(byte)) << (8 * byte))
}

/// The tags of bytes, as far as they are in memory.
fn of<'a>(tags: &'a mut [u8], bytes: &Range<u32>) -> &'a mut [u8] {
    let end = (bytes.end as usize).min(tags.len());
    &mut tags[(bytes.start as usize).min(end)..end]
}

/// Gives bytes a tag.
pub(crate) fn set(tags: &mut [u8], bytes: &Range<u32>, tag: u8) {
    of(tags, bytes).fill(tag);
}

/// A pointer is stored at a place, which is aligned.
pub(crate) fn set_pointer(tags: &mut [u8], place: u32, word: u32) {
    let all = pointers(word, word).to_le_bytes();
    let bytes = of(tags, &(place..place.saturating_add(word)));
    let n = bytes.len();
    bytes.copy_from_slice(&all[..n]);
}

/// Bytes may be touched that nobody was to touch.
pub(crate) fn open(tags: &mut [u8], bytes: &Range<u32>) {
    of(tags, bytes).iter_mut().filter(|tag| **tag == FORBIDDEN).for_each(|tag| *tag = 0);
}

/// What becomes of tags where bytes are copied; false if only the host knows.
pub(crate) fn copy(tags: &mut [u8], to: u32, from: u32, n: u32, word: u32) -> bool {
    let source = of(tags, &(from..from + n));
    let (Some(first), Some(last)) = (source.first(), source.last()) else { return true };
    // Words that hold addresses are aligned.
    let is_pointer = |tag: &u8| tag & (POINTER | POINTER_REST) != 0;
    let is_cut = is_pointer(first) && !from.is_multiple_of(word)
        || is_pointer(last) && !(from + n).is_multiple_of(word);
    let moves_within = (to % word != from % word) && source.iter().any(is_pointer);
    if is_cut || moves_within || source.contains(&FORBIDDEN) {
        return false;
    }
    tags.copy_within(from as usize..(from + n) as usize, to as usize);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_move_with_bytes_unless_a_pointer_is_cut() {
        let mut tags = vec![0; 64];
        set_pointer(&mut tags, 8, 8);
        set(&mut tags, &(16..20), FRESH);
        assert!(copy(&mut tags, 32, 8, 12, 8));
        assert_eq!(tags[32..44], [4, 8, 8, 8, 8, 8, 8, 8, 2, 2, 2, 2]);
        assert!(!copy(&mut tags, 48, 8, 4, 8), "a part of a pointer");
        assert!(!copy(&mut tags, 49, 8, 8, 8), "pointers stay aligned");
        assert!(copy(&mut tags, 0, 20, 0, 8));
        set(&mut tags, &(60..70), FORBIDDEN);
        assert!(!copy(&mut tags, 0, 56, 8, 8));
        open(&mut tags, &(60..64));
        assert!(copy(&mut tags, 0, 56, 8, 8));
    }

    #[test]
    fn tags_of_several_bytes_are_one_number() {
        assert_eq!(all(FORBIDDEN, 1), 1);
        assert_eq!(all(FRESH, 4), 0x0202_0202);
        assert_eq!(pointers(8, 8), 0x0808_0808_0808_0804);
        assert_eq!(pointers(8, 4), 0x0808_0804_0808_0804);
        assert_eq!(pointers(4, 8), 0, "a part of a pointer");
    }
}
