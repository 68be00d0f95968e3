//! What the runtime of a compiled program can be told before a run, through variables that it exports: how long
//! inputs may be, and which files there are. The layout is that of `frontend/c/runtime/files.c`.

use crate::image::{Cell, CellKind, Write};
use thiserror::Error;

/// What a program that is no command exports to be called before anything else: it runs constructors.
pub const INITIALISER: &str = "_initialize";

/// Where the runtime's variables lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Runtime {
    /// The most bytes of a file, an environment variable and standard input that are inputs.
    pub input_max: u32,
    /// The table of files.
    pub files: u32,
    /// Room for the bytes of files.
    pub file_bytes: u32,
    /// How much of it is taken.
    pub file_bytes_used: u32,
    /// Where a driver is told to end.
    pub look: u32,
    /// Where a driver says which objects it passes on.
    pub objects: u32,
}

/// When what a driver has made is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Before the call that it is for.
    Before,
    /// When that call has returned.
    After,
}

/// Files that the runtime has no room for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FilesError {
    /// A name that is too long.
    #[error("the file name `{name}` is empty or longer than {} characters", NAME_SIZE - 1)]
    Name {
        /// The name.
        name: String,
    },
    /// Too many files.
    #[error("a program can have {FILES_MAX} files at most")]
    TooMany,
    /// Too many bytes.
    #[error("the files of a program can have {BYTES_MAX} bytes at most")]
    TooLarge,
}

const NAME_SIZE: usize = 64;
const FILES_MAX: usize = 16;
const BYTES_MAX: usize = 65536;
/// The name, then where the bytes are, how many, and how many there is room for.
const FILE_SIZE: u32 = NAME_SIZE as u32 + 12;
/// Objects that a driver can say that it passes on.
pub const OBJECTS_MAX: usize = 8;
/// The most bytes of a file or variable that the runtime has room for.
pub const INPUT_CAPACITY: u32 = 4096;

/// Whether a cell is how long a file, an environment variable or standard input is.
pub fn is_input_length(cell: &str) -> bool {
    let input = cell.strip_suffix(".length");
    let is_named = |input: &str| input.starts_with("file \"") || input.starts_with("getenv(\"");
    input.is_some_and(|input| input == "stdin" || is_named(input))
}

impl Runtime {
    /// Says how long files, variables and standard input may be.
    pub(crate) fn limit_inputs(&self, bytes: u32) -> Write {
        word(self.input_max, bytes)
    }

    /// Ends a driver where what it has made can be looked at.
    pub fn end_driver(&self, look: Look) -> Write {
        word(
            self.look,
            match look {
                Look::Before => 1,
                Look::After => 2,
            },
        )
    }

    /// What is to be written so that the program finds these files, by name.
    pub fn files(&self, files: &[(String, Vec<u8>)]) -> Result<Vec<Write>, FilesError> {
        if files.len() > FILES_MAX {
            return Err(FilesError::TooMany);
        }
        let (mut writes, mut used) = (Vec::new(), 0);
        for ((name, content), i) in files.iter().zip(0..) {
            if name.is_empty() || name.len() >= NAME_SIZE {
                return Err(FilesError::Name { name: name.clone() });
            }
            let (entry, data) = (self.files + i * FILE_SIZE, self.file_bytes + used as u32);
            let size = content.len() as u32;
            bytes(&mut writes, entry, name.as_bytes());
            for (value, offset) in [(data, 0), (size, 4), (size, 8)] {
                writes.push(word(entry + NAME_SIZE as u32 + offset, value));
            }
            used += content.len();
            if used > BYTES_MAX {
                return Err(FilesError::TooLarge);
            }
            bytes(&mut writes, data, content);
        }
        writes.push(word(self.file_bytes_used, used as u32));
        Ok(writes)
    }
}

fn word(address: u32, value: u32) -> Write {
    let kind = CellKind::Int { bits: 32, signed: false };
    Write { address, cell: Cell::concrete(kind, u64::from(value)) }
}

fn bytes(writes: &mut Vec<Write>, address: u32, bytes: &[u8]) {
    let write =
        |(&byte, address)| Write { address, cell: Cell::concrete(CellKind::BYTE, u64::from(byte)) };
    writes.extend(bytes.iter().zip(address..).map(write));
}
