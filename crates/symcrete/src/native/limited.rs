//! Runs a program with a time limit and a limit on its output.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How a program ended.
pub(super) struct Exit {
    /// Its exit code; `None` after a signal.
    pub(super) code: Option<i32>,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
    /// What it printed, to both streams.
    pub(super) output: String,
}

/// Why there is no result.
pub(super) enum RunError {
    /// It was still running at the end of its time.
    TooLong,
    /// It could not be started or waited for.
    Io(std::io::Error),
}

/// More than any report needs, less than what a runaway program prints.
const OUTPUT_MAX: u64 = 64 << 20;
/// How often a running program is looked at.
const PERIOD: Duration = Duration::from_millis(2);

/// A program to run.
#[expect(clippy::disallowed_methods, reason = "the native proof runs compilers and tests")]
pub(super) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program to its end or for this long.
#[expect(
    clippy::disallowed_methods,
    reason = "a time limit needs the clock; no result depends on it otherwise"
)]
pub(super) fn run(mut command: Command, time_max: Duration) -> Result<Exit, RunError> {
    let mut child = command.spawn().map_err(RunError::Io)?;
    let output = read_output(&mut child);
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(RunError::Io)? {
            Some(status) => break status,
            None if started.elapsed() > time_max => {
                // It may have ended just now; then there is nothing to kill.
                let _ = child.kill();
                let _ = child.wait();
                return Err(RunError::TooLong);
            }
            None => std::thread::sleep(PERIOD),
        }
    };
    let output = output.into_iter().flat_map(|stream| stream.recv_timeout(time_max).ok());
    let bytes: Vec<u8> = output.flatten().collect();
    let output = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Exit { code: status.code(), signal: status.signal(), output })
}

/// Reads both streams as they come: a full pipe would stop the program.
fn read_output(child: &mut Child) -> Vec<mpsc::Receiver<Vec<u8>>> {
    let stdout = child.stdout.take().map(|stream| collect(Box::new(stream)));
    let stderr = child.stderr.take().map(|stream| collect(Box::new(stream)));
    stdout.into_iter().chain(stderr).collect()
}

fn collect(stream: Box<dyn Read + Send>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut stream = stream;
        let mut bytes = Vec::new();
        // What a program that was killed had printed is of no interest.
        let _ = stream.by_ref().take(OUTPUT_MAX).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
        // Past the limit the pipe must still be emptied, or the program would wait for ever.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    receiver
}
