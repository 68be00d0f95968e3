//! How values reach a function.

/// How a value reaches a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// As one WebAssembly value.
    Direct,
    /// Its address is passed; for a global variable, it lies there.
    Memory(u32),
    /// Not at all: an empty structure.
    Nothing,
}
