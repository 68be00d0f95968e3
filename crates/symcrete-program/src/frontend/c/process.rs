//! Runs one program to its end, or until it is told to stop.

use crate::frontend::FrontendError;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often it is asked whether to stop.
const PERIOD: Duration = Duration::from_millis(20);
/// The signal of Ctrl-C, which goes to everybody in front of the terminal.
const SIGINT: i32 = 2;

/// A program and its words.
pub(super) struct Call {
    program: PathBuf,
    words: Vec<OsString>,
    directory: Option<PathBuf>,
    stop: Arc<AtomicBool>,
}

/// What a program left behind.
pub(super) struct Finished {
    pub(super) is_success: bool,
    pub(super) stderr: String,
}

impl Call {
    /// A call of the program; its first words may be part of the program, as in `python3 -m ziglang`. The flag ends it.
    pub(super) fn new(program: &[OsString], stop: &Arc<AtomicBool>) -> Call {
        let (first, rest) = program.split_first().expect("a program has a name");
        Call {
            program: PathBuf::from(first),
            words: rest.to_vec(),
            directory: None,
            stop: Arc::clone(stop),
        }
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
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let start = |source| FrontendError::Start { program: self.program.clone(), source };
        let (status, stderr) = self.wait(command.spawn().map_err(start)?).map_err(start)?;
        if self.is_stopped() || status.signal() == Some(SIGINT) {
            return Err(FrontendError::Stopped);
        }
        Ok(Finished { is_success: status.success(), stderr })
    }

    /// Waits for the end of a program, which closes its error stream; kills it if the flag is set before.
    fn wait(&self, mut child: Child) -> std::io::Result<(ExitStatus, String)> {
        let (sender, stderr) = mpsc::channel();
        let mut stream = child.stderr.take();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // A stream that breaks costs messages, nothing else.
            let _ = stream.as_mut().map(|stream| stream.read_to_end(&mut bytes));
            // Nobody waits any more for the messages of a program that was killed.
            let _ = sender.send(bytes);
        });
        loop {
            match stderr.recv_timeout(PERIOD) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    return Ok((child.wait()?, text));
                }
                Err(RecvTimeoutError::Timeout) if !self.is_stopped() => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    // It may have ended just now; then there is nothing to kill.
                    let _ = child.kill();
                    return Ok((child.wait()?, String::new()));
                }
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
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

    fn call(program: &str, stop: &Arc<AtomicBool>) -> Call {
        Call::new(&[program.into()], stop)
    }

    #[test]
    fn calls_are_shown_as_a_shell_reads_them() {
        let call = call("cc", &Arc::default()).words(["-DX=\"it's\"", "a b.c", "-o", ""]);
        assert_eq!(call.line(), r#"cc '-DX="it'\''s"' 'a b.c' -o ''"#);
    }

    #[test]
    fn messages_and_success_come_back() {
        let shell = |script: &str| call("sh", &Arc::default()).words(["-c", script]).run().unwrap();
        let good = shell("echo one >&2; echo two");
        assert_eq!((good.is_success, good.stderr.as_str()), (true, "one\n"));
        assert!(!shell("exit 3").is_success);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the program says through a file that it runs")]
    fn a_program_that_is_told_to_stop_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let stop = Arc::new(AtomicBool::new(false));
        let script = format!("echo $$ > '{}'; exec sleep 1000", pid.display());
        let call = call("sh", &stop).words(["-c", &script]);
        let stopper = std::thread::spawn(move || {
            let started = |text: &String| text.ends_with('\n');
            let id = loop {
                match std::fs::read_to_string(&pid).ok().filter(started) {
                    Some(id) => break id,
                    None => std::thread::sleep(PERIOD),
                }
            };
            stop.store(true, Ordering::Relaxed);
            id
        });
        assert!(matches!(call.run(), Err(FrontendError::Stopped)));
        let id = stopper.join().unwrap();
        assert!(!Path::new("/proc").join(id.trim()).exists(), "it was killed and reaped");
    }
}
