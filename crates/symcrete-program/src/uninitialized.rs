//! Values that nobody has written.
//!
//! What a variable holds before it is written is one unknown value: a variable in terms, and a value in the input of
//! the run. It is no input that a test could give, so it has a name of its own that no cell of a shape has.

/// What the names of such values start with; a blank is in no name of C.
const PREFIX: &str = "uninitialised value ";

/// The name of the `n`-th such value of a run, which has so many bits.
pub fn name(n: u32, bits: u8) -> String {
    format!("{PREFIX}{n} of {bits} bits")
}

/// Whether a name stands for such a value.
pub fn is_name(name: &str) -> bool {
    name.starts_with(PREFIX)
}
