//! Which place of the source each address belongs to.

use crate::program::Position;

/// A place from an address on, until the next row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) address: u64,
    /// `None`: no place of the source, or the end of a sequence.
    pub(super) position: Option<Position>,
}

/// All rows, by address.
#[derive(Default, Debug)]
pub(super) struct Lines {
    rows: Vec<Row>,
}

impl Lines {
    pub(super) fn new(mut rows: Vec<Row>) -> Lines {
        // Rows of one address keep their order: the last one counts.
        rows.sort_by_key(|row| row.address);
        Lines { rows }
    }

    /// The places by offset in a module whose code starts there.
    pub(super) fn by_offset(&self, code_start: u32) -> Vec<(u32, Option<Position>)> {
        let offset = |address: u64| u32::try_from(address + u64::from(code_start)).ok();
        self.rows.iter().filter_map(|row| Some((offset(row.address)?, row.position))).collect()
    }

    /// The place of an address.
    pub(super) fn at(&self, address: u64) -> Option<Position> {
        let after = self.rows.partition_point(|row| row.address <= address);
        self.rows[..after].last()?.position
    }
}
