//! Changes of texts and arrays: pieces are put in, taken out, repeated, and taken from other inputs.
//!
//! What a parser does depends on what comes before and after. A change of one element keeps everything else in its place, so
//! a search that knows nothing else never gets one more field into `$GPGSA,A,3`. These are the block operations of AFL
//! (Zalewski, "Technical whitepaper for afl-fuzz", 2014).

use super::mutate::Dictionary;
use super::words::Words;
use std::ops::Range;
use symcrete_exec::fast::plan::Variable;
use symcrete_program::CellKind;
use symcrete_term::Rng;

/// Pieces that are put in or taken out have up to 16 elements, short ones more often.
const PIECE_BITS: u64 = 5;
/// A piece is repeated up to eight times.
const REPEAT_BITS: u64 = 4;

/// The arrays among the variables of a burst.
pub(super) struct Arrays {
    ranges: Vec<Range<usize>>,
    /// What may be in those of bytes.
    words: Words,
}

impl Arrays {
    /// Variables that follow each other and are called `x[0]`, `x[1]`, ….
    pub(super) fn of(variables: &[Variable], words: Words) -> Arrays {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (i, variable) in variables.iter().enumerate() {
            let Some((array, index)) = element(&variable.name) else { continue };
            let follows = |range: &&mut Range<usize>| {
                let (first, last) = (&variables[range.start], &variables[range.end - 1]);
                range.end == i
                    && variable.kind == first.kind
                    && element(&last.name) == index.checked_sub(1).map(|before| (array, before))
            };
            match ranges.last_mut().filter(follows) {
                Some(range) => range.end = i + 1,
                None => ranges.push(i..i + 1),
            }
        }
        ranges.retain(|range| range.len() > 1);
        Arrays { ranges, words }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Changes one array of a run at random.
    pub(super) fn change(
        &self,
        rng: &mut Rng,
        (variables, dictionary): (&[Variable], &Dictionary),
        other: &[u64],
        values: &mut [u64],
    ) {
        let range = rng.choose(&self.ranges).clone();
        let is_of_bytes = matches!(variables[range.start].kind, CellKind::Int { bits: 8, .. });
        if is_of_bytes && !self.words.is_empty() && rng.one_in(4) {
            self.words.put(rng, &mut values[range.clone()]);
        }
        let n_used = used(&values[range.clone()]);
        let at = rng.below(n_used as u64 + 1) as usize;
        let n_max = 1 << rng.below(PIECE_BITS);
        let n = 1 + rng.below(n_max) as usize;
        let of_dictionary = dictionary.values(range.start + at.min(range.len() - 1));
        let (array, other) = (&mut values[range.clone()], &other[range]);
        match rng.below(8) {
            0 => take_out(array, at, n),
            1 => array[at..].copy_from_slice(&other[at..]),
            2 => put_in(array, at, &[*rng.choose(of_dictionary)]),
            3 => put_in(array, at, &vec![*rng.choose(of_dictionary); n]),
            4 => {
                let piece = piece(rng, other, n);
                put_in(array, at, &piece);
            }
            5 => {
                let piece = piece(rng, array, n);
                array[at..].iter_mut().zip(piece).for_each(|(to, bits)| *to = bits);
            }
            _ => {
                let piece = array[at..array.len().min(at + n)].to_vec();
                let n_times = 1 << rng.below(REPEAT_BITS);
                put_in(array, at, &piece.repeat(n_times));
            }
        }
    }
}

/// Some elements that follow each other.
fn piece(rng: &mut Rng, from: &[u64], n: usize) -> Vec<u64> {
    let start = rng.below(used(from).max(1) as u64) as usize;
    from[start..from.len().min(start + n)].to_vec()
}

/// The array and the index of an element that is called `x[3]`.
fn element(name: &str) -> Option<(&str, u64)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok()?))
}

/// How many elements come before the zeros at the end.
fn used(array: &[u64]) -> usize {
    array.iter().rposition(|&bits| bits != 0).map_or(0, |last| last + 1)
}

/// What comes after makes room; what does not fit is lost.
fn put_in(array: &mut [u64], at: usize, piece: &[u64]) {
    let n = piece.len().min(array.len() - at);
    array[at..].rotate_right(n);
    array[at..at + n].copy_from_slice(&piece[..n]);
}

fn take_out(array: &mut [u64], at: usize, n: usize) {
    let n = n.min(array.len() - at);
    array[at..].rotate_left(n);
    let end = array.len() - n;
    array[end..].fill(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_room_and_leave_zeros() {
        let mut array = [1, 2, 3, 0, 0];
        put_in(&mut array, 1, &[8, 9]);
        assert_eq!(array, [1, 8, 9, 2, 3]);
        put_in(&mut array, 4, &[7, 7, 7]);
        assert_eq!(array, [1, 8, 9, 2, 7]);
        take_out(&mut array, 1, 2);
        assert_eq!(array, [1, 2, 7, 0, 0]);
        take_out(&mut array, 5, 2);
        put_in(&mut array, 5, &[4]);
        assert_eq!(array, [1, 2, 7, 0, 0]);
        assert_eq!(used(&array), 3);
    }

    #[test]
    fn names_say_what_is_an_element() {
        assert_eq!(element("text[12]"), Some(("text", 12)));
        assert_eq!(element("p->rows[1][2]"), Some(("p->rows[1]", 2)));
        assert_eq!(element("n"), None);
        assert_eq!(element("items[1].key"), None);
    }
}
