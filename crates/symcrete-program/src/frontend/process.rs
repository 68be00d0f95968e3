//! Runs one program to its end.

use super::error::FrontendError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program and its words.
pub(super) struct Call {
    program: PathBuf,
    words: Vec<OsString>,
    directory: Option<PathBuf>,
}

/// What a program left behind.
pub(super) struct Finished {
    pub(super) is_success: bool,
    pub(super) stderr: String,
}

impl Call {
    /// A call of the program; its first words may be part of the program, as in `python3 -m ziglang`.
    pub(super) fn new(program: &[OsString]) -> Call {
        let (first, rest) = program.split_first().expect("a program has a name");
        Call { program: PathBuf::from(first), words: rest.to_vec(), directory: None }
    }

    pub(super) fn word(mut self, word: impl Into<OsString>) -> Call {
        self.words.push(word.into());
        self
    }

    pub(super) fn words<W: Into<OsString>>(mut self, words: impl IntoIterator<Item = W>) -> Call {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    pub(super) fn directory(mut self, directory: Option<&Path>) -> Call {
        self.directory = directory.map(Path::to_path_buf);
        self
    }

    /// Starts the program and waits for its end.
    #[expect(clippy::disallowed_methods, reason = "the front end starts compilers, here only")]
    pub(super) fn run(&self) -> Result<Finished, FrontendError> {
        tracing::info!("$ {}", self.line());
        let mut command = Command::new(&self.program);
        command.args(&self.words).stdin(Stdio::null());
        // The compiler's messages are shown as they are: let them be in one language.
        command.env("LC_ALL", "C");
        // With this one clang would not do what the cache thinks it did.
        command.env_remove("CCC_OVERRIDE_OPTIONS");
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let start = |source| FrontendError::Start { program: self.program.clone(), source };
        let output = command.output().map_err(start)?;
        Ok(Finished {
            is_success: output.status.success(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// The call as a shell reads it.
    fn line(&self) -> String {
        let words = std::iter::once(self.program.as_os_str())
            .chain(self.words.iter().map(OsString::as_os_str));
        words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_shown_as_a_shell_reads_them() {
        let call = Call::new(&["cc".into()]).words(["-DX=\"it's\"", "a b.c", "-o", ""]);
        assert_eq!(call.line(), r#"cc '-DX="it'\''s"' 'a b.c' -o ''"#);
    }
}
