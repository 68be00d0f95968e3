//! Places in the program.
//!
//! **Invariant:** a site is named by the offset of its operator in the *original* module, so debug
//! information is read from the original and never rewritten.

use std::fmt;

/// A place where the run could have gone another way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteId {
    /// Where the operator starts, in bytes from the start of the original module.
    pub offset: u32,
    /// Zero, but for a `br_table`: which of its distinct targets, in order of first appearance.
    pub case: u16,
}

impl SiteId {
    /// The site of an operator with two ways.
    pub fn at(offset: u32) -> SiteId {
        SiteId { offset, case: 0 }
    }
}

impl fmt::Display for SiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.offset)?;
        if self.case > 0 {
            write!(f, "/{}", self.case)?;
        }
        Ok(())
    }
}

/// One side of a site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The site.
    pub site: SiteId,
    /// Whether its condition held.
    pub taken: bool,
}
