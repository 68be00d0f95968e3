//! The build without machine code: all literals stay on their tapes.

use symcrete_term::{TermId, Terms};

/// Holds nothing.
#[derive(Clone, Default)]
pub struct JitCache;

/// Cannot be made.
pub enum Compiled {}

impl JitCache {
    /// An empty cache.
    pub fn new() -> JitCache {
        JitCache
    }

    /// Never compiles.
    pub fn compile(&self, _: &Terms, _: &[TermId]) -> Option<Compiled> {
        None
    }
}

impl Compiled {
    /// Never runs.
    pub fn run(&self, _: &[u64], _: &mut [u64]) {
        match *self {}
    }
}
