//! Entries of a `compile_commands.json`.

use crate::failure::Failure;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use symcrete_program::frontend::CompileOptions;

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The options with which the first of these files is compiled.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are read")]
pub(crate) fn options(database: &Path, files: &[PathBuf]) -> Result<CompileOptions, Failure> {
    let unreadable = |source| Failure::Unreadable { file: database.to_owned(), source };
    let text = std::fs::read_to_string(database).map_err(unreadable)?;
    let wrong =
        |message: String| Failure::Usage { message: format!("{}: {message}", database.display()) };
    let entries: Vec<Entry> =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let same = |entry: &&Entry| {
        let path = entry.directory.join(&entry.file);
        files.iter().any(|file| {
            std::fs::canonicalize(file).ok() == std::fs::canonicalize(&path).ok() && path.exists()
        })
    };
    let entry = entries.iter().find(same).ok_or_else(|| {
        wrong("no entry for any of the files; give the flags with -I, -D and --cflag".to_string())
    })?;
    let words = match (&entry.arguments, &entry.command) {
        (Some(arguments), _) => arguments.clone(),
        (None, Some(command)) => shlex::split(command)
            .ok_or_else(|| wrong(format!("the command {command:?} has unmatched quotes")))?,
        (None, None) => return Err(wrong("the entry has neither command nor arguments".into())),
    };
    Ok(CompileOptions::from_command(&words, &entry.directory))
}
