//! Runs one program to its end.

use super::error::FrontendError;
use std::ffi::OsString;
use std::io::Write;
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

    /// Starts the program, feeds it `input` and waits for its end.
    #[expect(clippy::disallowed_methods, reason = "the front end starts compilers, here only")]
    pub(super) fn run(&self, input: &[u8]) -> Result<Finished, FrontendError> {
        let mut command = Command::new(&self.program);
        command.args(&self.words).stdout(Stdio::null()).stderr(Stdio::piped());
        command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
        // The compiler's messages are shown as they are: let them be in one language.
        command.env("LC_ALL", "C");
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let start = |source| FrontendError::Start { program: self.program.clone(), source };
        let mut child = command.spawn().map_err(start)?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // A program that reads no further has said why on its own.
                stdin.map(|mut stdin| stdin.write_all(input))
            });
            child.wait_with_output()
        });
        let output = output.map_err(start)?;
        Ok(Finished {
            is_success: output.status.success(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}
