//! The front end for modules that are compiled already.
//!
//! Such a module says nothing of its source unless it has debug information. Its units are then the exported functions,
//! its types those of the machine, and its branches have the names of operators.

use super::FrontendError;
use std::path::Path;

/// Reads a module that is there already, as `.wasm` or `.wat`.
pub fn read_module(file: &Path) -> Result<Vec<u8>, FrontendError> {
    let bytes = read(file)?;
    let wasm = wat::parse_bytes(&bytes).map_err(|error| FrontendError::BadModule {
        file: file.to_path_buf(),
        message: error.to_string(),
    })?;
    Ok(wasm.into_owned())
}

/// Reads one of the user's files.
fn read(file: &Path) -> Result<Vec<u8>, FrontendError> {
    let describe = |source: std::io::Error| {
        if source.kind() == std::io::ErrorKind::NotFound {
            return FrontendError::FileNotFound { file: file.to_path_buf() };
        }
        FrontendError::Io { path: file.to_path_buf(), source }
    };
    std::fs::read(file).map_err(describe)
}
