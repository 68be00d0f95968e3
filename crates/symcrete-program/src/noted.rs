//! Calls that a run notes, so that its test can check them: those of callbacks and of functions that nobody defines.
//!
//! Numbers are noted as they are, pointers with the bytes behind them where those can be compared: texts, and as many bytes
//! as the number behind the pointer says. What lies behind other pointers is shown by the objects of the test.

use crate::image::CellKind;

/// The most calls that a run notes. If there are more, none is.
pub const CALLS_MAX: usize = 64;
/// The most bytes behind a pointer that are noted.
pub const BYTES_MAX: u32 = 256;

/// A parameter whose arguments are noted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotedParam {
    /// The parameter of the source, by index.
    pub param: usize,
    /// The argument of the machine, by index.
    pub argument: usize,
    /// What it is.
    pub kind: NotedKind,
}

/// What is passed for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotedKind {
    /// A number.
    Number(CellKind),
    /// A pointer.
    Pointer {
        /// Whether what it points to may be a text that ends with a zero.
        is_text: bool,
        /// The argument of the machine that may say how many bytes there are, by index.
        length: Option<usize>,
    },
}

/// A call that was noted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotedCall {
    /// The name that its answers have: `(*handler)`, `send`.
    pub function: String,
    /// What it was given, for each parameter that is noted.
    pub arguments: Vec<NotedArgument>,
}

/// What a function was given for a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotedArgument {
    /// The parameter of the source, by index.
    pub param: usize,
    /// A number; 1 for a pointer and 0 for a null pointer.
    pub bits: u64,
    /// The text behind a pointer, without the zero at its end, if there is one that can be compared.
    pub text: Option<Vec<u8>>,
    /// As many bytes as the number behind the pointer says, if they can be compared.
    pub bytes: Option<Vec<u8>>,
}
