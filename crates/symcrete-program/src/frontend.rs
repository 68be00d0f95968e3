//! Front ends: from what a user has to a module that can be read as a [`Program`](crate::Program).
//!
//! | front end | takes | gives |
//! |---|---|---|
//! | [`c`] | C files, options of the compiler | a module with debug information and the section of conditions |
//! | [`wasm`] | a `.wasm` or `.wat` file | that module |
//!
//! Rust will stand beside them as `frontend/rust`. Whatever the language, [`read_program`](crate::read_program) makes the
//! same `Program` of the module, and nobody behind it asks where it came from. A front end must see to it that
//!
//! - [`Module::parse`](crate::Module::parse) accepts the module, and that no function of the user's is inlined or dropped and no branch
//!   merged, because sites are offsets in it;
//! - DWARF names the units, their parameters and types, and places;
//! - the section of conditions says which site decides which condition, and which side is *true*
//!   (`docs/adr/0009-conditions-from-the-compiler.md`); without it branches are named by operators;
//! - the module exports `__symcrete_arena` if inputs need memory, and imports what the program asks the engine for from
//!   `symcrete`.
//!
//! What belongs to the language stays in its folder: the compiler and its options, the checks that can be asked for, the
//! calling convention, and how a stub returns a value. A program says which [`Language`] it is of, and readers ask that.
//! How literals are written is for the emitters of a language.

pub mod c;
mod error;
mod language;
pub mod wasm;

pub use c::{CALLBACKS, ERROR_FUNCTIONS};
pub use c::{
    Check, CompileOptions, Compiled, HARNESS_HEADER, HARNESS_HEADERS, LeftOut, LibcProblem, NoLp64,
    Survey, TargetPlace, ToolPart, Toolchain, check_libc, compile, libc_digest,
    unpack_libc_sources,
};
pub(crate) use c::{
    EXTERNAL_CONSTANT, EXTERNALS_FILE, FRAMES_BYTES, SOURCE_BYTES, VARIABLES_TABLE,
    callback_functions,
};
pub use error::FrontendError;
pub(crate) use language::CheckName;
pub use language::{CallbackType, Class, Language, StubResult};
pub use wasm::read_module;
