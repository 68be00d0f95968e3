//! How much one run may use.

/// Limits of a run. All but the call stack in bytes are counts, so that runs are reproducible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of linear memory; growing beyond fails as WebAssembly says.
    pub memory_bytes: u32,
    /// Entries of each table.
    pub table_entries: u32,
    /// Terms in the arena, those of earlier runs included.
    pub terms: u32,
    /// Constraints of one path.
    pub constraints: u32,
    /// Nested calls of functions that can call themselves; others nest as deep as the call graph.
    pub call_depth: u32,
    /// Bytes of native stack; the caller's thread must have them.
    pub stack_bytes: u32,
    /// Runs that may be under way at one time.
    pub instances: u32,
}

impl Limits {
    /// Limits that fit a worker thread with the usual two megabytes of stack.
    pub const STANDARD: Limits = Limits {
        memory_bytes: 256 << 20,
        table_entries: 100_000,
        terms: 50_000_000,
        constraints: 1_000_000,
        call_depth: 1_000,
        stack_bytes: 1 << 20,
        instances: 64,
    };
}
