//! How near a run came to the end of an object of the program, or of a text of the input.
//!
//! An access that moves through an object (the same operator, another place in it) may leave it on a longer path. Exploration
//! that looks for failures prefers paths on which little is left. A function of the library that copies as many bytes as the
//! input says may touch none in the first run: that it decides by an input is a margin too, the largest. So is an access in a
//! loop, which may move if the loop goes round once more.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that were left behind an access, and how many constraints the path had by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Margin {
    /// Bytes between the end of the access and the end of its object.
    pub bytes: u32,
    /// Constraints that came before.
    pub n_constraints: usize,
}

/// What is left behind an access that may move, but has not.
const MAY_MOVE: u32 = u32::MAX - 1;

/// The margins of a run.
#[derive(Default)]
pub(crate) struct Margins {
    /// Code of the library that copies, fills or compares so many bytes.
    copying: Arc<[Range<u32>]>,
    /// Loops of the user's own functions, in order.
    loops: Arc<[Range<u32>]>,
    /// By operator: the object it touched first, and where.
    first: BTreeMap<u32, (u32, u32)>,
    /// Each less than the one before.
    pub(crate) least: Vec<Margin>,
}

impl Margins {
    /// Says which code copies, fills or compares so many bytes, and what the loops of the user's functions are, in order.
    pub(crate) fn set_code(&mut self, copying: Arc<[Range<u32>]>, loops: Arc<[Range<u32>]>) {
        self.copying = copying;
        self.loops = loops;
    }

    /// An operator decides by an input.
    pub(crate) fn decide(&mut self, site: u32, n_constraints: usize) {
        if self.least.is_empty() && self.copying.iter().any(|code| code.contains(&site)) {
            self.least.push(Margin { bytes: MAY_MOVE, n_constraints });
        }
    }

    fn is_in_loop(&self, site: u32) -> bool {
        let behind = self.loops.partition_point(|code| code.start <= site);
        behind.checked_sub(1).is_some_and(|last| self.loops[last].contains(&site))
    }

    /// An operator touches bytes of an object.
    pub(crate) fn note(
        &mut self,
        site: u32,
        object: &Range<u32>,
        bytes: Range<u32>,
        n_constraints: usize,
    ) {
        let first = self.first.entry(site).or_insert((object.start, bytes.start));
        if first.0 != object.start {
            *first = (object.start, bytes.start);
        }
        let is_moving = first.1 != bytes.start;
        // A number owns its group of eight bytes.
        let is_number = object.len() <= 8 && 2 * bytes.len() >= object.len();
        let left = object.end.saturating_sub(bytes.end);
        if is_moving && self.least.last().is_none_or(|least| left < least.bytes) {
            self.least.push(Margin { bytes: left, n_constraints });
        } else if self.least.is_empty() && !is_number && self.is_in_loop(site) {
            self.least.push(Margin { bytes: MAY_MOVE, n_constraints });
        }
    }

    pub(crate) fn reset(&mut self) {
        self.first.clear();
        self.least.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_where_bytes_are_copied_counts() {
        let mut margins = Margins::default();
        margins.set_code(Arc::from([50..60, 90..95]), Arc::default());
        margins.decide(20, 1);
        assert_eq!(margins.least, []);
        margins.decide(55, 2);
        margins.decide(56, 3);
        assert_eq!(margins.least, [Margin { bytes: MAY_MOVE, n_constraints: 2 }]);
    }

    #[test]
    fn what_is_accessed_in_a_loop_may_move() {
        let mut margins = Margins::default();
        margins.set_code(Arc::default(), Arc::from([10..20, 30..40]));
        let object = 100..108;
        margins.note(25, &object, 100..101, 1);
        margins.note(15, &object, 100..104, 1);
        assert_eq!(margins.least, []);
        margins.note(30, &object, 100..101, 2);
        margins.note(12, &object, 100..101, 3);
        margins.note(30, &object, 101..102, 4);
        let expected =
            [(MAY_MOVE, 2), (6, 4)].map(|(bytes, n_constraints)| Margin { bytes, n_constraints });
        assert_eq!(margins.least, expected);
    }

    #[test]
    fn only_accesses_that_move_count() {
        let mut margins = Margins::default();
        let object = 100..108;
        margins.note(1, &object, 104..108, 0);
        margins.note(1, &object, 104..108, 1);
        assert_eq!(margins.least, []);
        margins.note(2, &object, 100..101, 2);
        margins.note(2, &object, 102..103, 3);
        margins.note(2, &object, 101..102, 4);
        margins.note(2, &object, 107..108, 5);
        let expected =
            [(5, 3), (0, 5)].map(|(bytes, n_constraints)| Margin { bytes, n_constraints });
        assert_eq!(margins.least, expected);
    }
}
