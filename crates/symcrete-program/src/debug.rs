//! Reads a program: the functions, types, variables and branches that debug information names.
//!
//! Debug information is DWARF in the custom sections of the linked module. A module without it is read as
//! well: its units are the exported functions, its types those of the machine.
//!
//! **Invariant:** nothing here touches files; source text comes through [`ReadOptions::load`].
//!
//! **Invariant:** debug information that is wrong costs names and positions, never the run: only a module that
//! cannot be read is an error.

mod attributes;
mod branches;
mod condition_text;
mod dwarf;
mod files;
mod lines;
mod old_style;
mod sites;
mod types;
mod uses;

use crate::api;
use crate::module::{Module, ModuleError};
use crate::program::Program;
use dwarf::Reading;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is needed to read a program.
pub struct ReadOptions<'a> {
    /// The user's source files as they were given. Headers in their folders count as the user's too.
    pub user_files: Vec<PathBuf>,
    /// Reads the text of a source file.
    pub load: &'a dyn Fn(&Path) -> Option<String>,
}

impl fmt::Debug for ReadOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadOptions").field("user_files", &self.user_files).finish_non_exhaustive()
    }
}

/// Why a program cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DebugError {
    /// The bytes are not a module, or not one that we handle.
    #[error(transparent)]
    Module(#[from] ModuleError),
    /// The debug information is broken.
    #[error("the debug information cannot be read: {0}")]
    Dwarf(#[from] gimli::Error),
}

/// The size of the runtime's `__symcrete_arena`, unless the module says where it ends.
const ARENA_SIZE: u32 = 65536;

/// Reads a module with its debug information.
pub fn read_program(wasm: Vec<u8>, options: &ReadOptions<'_>) -> Result<Program, DebugError> {
    let (mut program, drivers) = {
        let module = Module::parse(&wasm)?;
        let mut reading = Reading::of(&module, options)?;
        if reading.program.units.is_empty() && module.section(".debug_info").is_empty() {
            reading.add_exports();
        }
        reading.finish()
    };
    program.wasm = wasm;
    api::attach(&mut program, drivers);
    Ok(program)
}
