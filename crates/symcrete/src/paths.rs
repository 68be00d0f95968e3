//! Names of files that can be written down wherever tests and reports have to: in `#include`, in JSON, in lcov.

use crate::failure::Failure;
use std::path::Path;

/// Refuses a path that a test could not include or a report could not name.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let what = match path.to_str() {
        None => "bytes that are not UTF-8",
        Some(text) if text.contains('"') => "a quotation mark",
        Some(text) if text.contains('\\') => "a backslash",
        Some(text) if text.contains(char::is_control) => {
            "a line break or another control character"
        }
        Some(_) => return Ok(()),
    };
    let message = format!("{path:?} has {what} in its path, which tests cannot include: rename it");
    Err(Failure::Usage { message })
}
