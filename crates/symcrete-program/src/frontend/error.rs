//! What can go wrong when C is compiled to a module.

use std::path::PathBuf;
use thiserror::Error;

/// Why there is no module.
#[derive(Debug, Error)]
pub enum FrontendError {
    /// Nothing to compile.
    #[error("no file to compile")]
    NoFiles,
    /// A file that is not there.
    #[error("{}: no such file", file.display())]
    FileNotFound {
        /// The file.
        file: PathBuf,
    },
    /// A folder.
    #[error("{} is a folder: name the C files in it", file.display())]
    Folder {
        /// The folder.
        file: PathBuf,
    },
    /// A file in another language.
    #[error("{}: only C is supported, not {language}", file.display())]
    NotC {
        /// The file.
        file: PathBuf,
        /// What it seems to be.
        language: &'static str,
    },
    /// A module among several files.
    #[error("{}: a module is a whole program and must be the only file", file.display())]
    ModuleAmongFiles {
        /// The file.
        file: PathBuf,
    },
    /// A function that shall be a stub and that no file has.
    #[error("the program has no function `{name}`")]
    NoFunction {
        /// The name.
        name: String,
        /// Those that exist.
        known: Vec<String>,
    },
    /// The compiler refused; its own words.
    #[error("{message}")]
    Compiler {
        /// The compiler's message.
        message: String,
    },
    /// A header that is on no include path.
    #[error("{message}\nheader '{header}' was not found: name its directory with -I")]
    MissingHeader {
        /// As the `#include` has it.
        header: String,
        /// The compiler's message.
        message: String,
    },
    /// The linker refused; its own words.
    #[error("{message}")]
    Linker {
        /// The linker's message.
        message: String,
    },
    /// A `.wasm` or `.wat` file that is neither.
    #[error("{}: {message}", file.display())]
    BadModule {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// No compiler at all.
    #[error(
        "no clang was found: install clang-19 lld-19 llvm-19 wasi-libc libclang-rt-19-dev-wasm32 (Debian's names), \
         or zig with `pip install ziglang`"
    )]
    NoCompiler,
    /// A compiler without its companions.
    #[error("{} was found but {what} was not: install {package}", clang.display())]
    MissingTool {
        /// The compiler.
        clang: PathBuf,
        /// What is missing.
        what: String,
        /// The package that brings it.
        package: String,
    },
    /// A clang that was built without the WebAssembly target.
    #[error("{} cannot compile to WebAssembly: install clang-19", clang.display())]
    NoWasmTarget {
        /// The compiler.
        clang: PathBuf,
    },
    /// Somebody said stop.
    #[error("compiling was stopped")]
    Stopped,
    /// A program did not start.
    #[error("{} did not start", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file or folder that cannot be read or written.
    #[error("{}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl FrontendError {
    /// Whether the machine is to blame and not the user's files.
    pub fn is_environment(&self) -> bool {
        match self {
            FrontendError::NoCompiler
            | FrontendError::MissingTool { .. }
            | FrontendError::NoWasmTarget { .. }
            | FrontendError::Stopped
            | FrontendError::Start { .. }
            | FrontendError::Io { .. } => true,
            FrontendError::NoFiles
            | FrontendError::FileNotFound { .. }
            | FrontendError::Folder { .. }
            | FrontendError::NotC { .. }
            | FrontendError::ModuleAmongFiles { .. }
            | FrontendError::NoFunction { .. }
            | FrontendError::Compiler { .. }
            | FrontendError::MissingHeader { .. }
            | FrontendError::Linker { .. }
            | FrontendError::BadModule { .. } => false,
        }
    }
}
