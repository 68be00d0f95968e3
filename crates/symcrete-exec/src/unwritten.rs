//! Which bytes of memory have not been written since they were allocated.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes without a value of their own.
#[derive(Default)]
pub(crate) struct Unwritten {
    /// Ends by starts; no two touch.
    ranges: BTreeMap<u32, u32>,
    /// Bytes that have another unknown value each time they are read.
    source: Range<u32>,
}

impl Unwritten {
    /// Says where another unknown value is read each time.
    pub(crate) fn set_source(&mut self, source: Range<u32>) {
        self.source = source;
    }

    /// Whether bytes are where another unknown value is read each time.
    pub(crate) fn is_source(&self, start: u32, length: u32) -> bool {
        self.source.start <= start && start.saturating_add(length) <= self.source.end
    }

    /// Bytes have no value any more.
    pub(crate) fn add(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        self.cut(range.start, range.end - range.start);
        let before =
            self.ranges.range(..range.start).next_back().map(|(&start, &end)| (start, end));
        let start = match before {
            Some((start, end)) if end == range.start => start,
            Some(_) | None => range.start,
        };
        let end = self.ranges.remove(&range.end).unwrap_or(range.end);
        self.ranges.insert(start, end);
    }

    /// Bytes have a value now.
    pub(crate) fn cut(&mut self, start: u32, length: u32) {
        let end = start.saturating_add(length);
        while let Some(range) = self.first_in(start..end) {
            self.ranges.remove(&range.start);
            if range.start < start {
                self.ranges.insert(range.start, start);
            }
            if end < range.end {
                self.ranges.insert(end, range.end);
            }
        }
    }

    /// Whether some of these bytes have no value.
    pub(crate) fn is_in(&self, start: u32, length: u32) -> bool {
        self.first_in(start..start.saturating_add(length)).is_some()
    }

    /// Whether any of the eight bytes of a group has none, or another one each time.
    pub(crate) fn touches_group(&self, group: u32) -> bool {
        let (start, end) = (8 * group, 8 * group + 8);
        self.is_in(start, 8) || self.source.start < end && start < self.source.end
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.ranges.clear();
        self.source = 0..0;
    }

    fn first_in(&self, bytes: Range<u32>) -> Option<Range<u32>> {
        if bytes.is_empty() || self.ranges.is_empty() {
            return None;
        }
        let (&start, &end) = self.ranges.range(..bytes.end).next_back()?;
        (end > bytes.start).then_some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_cut_out_and_put_back() {
        let mut unwritten = Unwritten::default();
        let mut expected = [false; 64];
        // A few thousand steps of a small generator.
        let mut seed = 1_u32;
        for _ in 0..4000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (start, length) = ((seed >> 8) % 60, (seed >> 16) % 5);
            let is_added = seed >> 31 == 0;
            match is_added {
                true => unwritten.add(start..start + length),
                false => unwritten.cut(start, length),
            }
            expected[start as usize..(start + length) as usize].fill(is_added);
            for (i, &is_in) in expected.iter().enumerate() {
                assert_eq!(unwritten.is_in(i as u32, 1), is_in);
            }
        }
    }
}
