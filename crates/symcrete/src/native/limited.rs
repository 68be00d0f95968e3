//! Runs a program with a time limit and a limit on its output.
//!
//! Compilers and tests run under a supervisor, which is ourselves ([`crate::contained`]): with it end all processes
//! that they started, also if we are killed.

use super::sandbox::OURSELVES;
use crate::contained::{COMMAND, Report, Stage};
use crate::watchdog::now;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

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

/// What the supervisor of a program says.
pub(super) struct Supervised {
    /// What it reported, in order.
    pub(super) reports: Vec<Report>,
    /// What the program printed.
    pub(super) output: String,
}

/// More than any report needs, less than what a runaway program prints.
const OUTPUT_MAX: u64 = 64 << 20;
/// How much longer than its program a supervisor may take, on a machine that is busy.
const GRACE: Duration = Duration::from_secs(20);

/// How often a program that could not be started is started again, and after how long.
const STARTS_MAX: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);

/// A program to run.
#[expect(clippy::disallowed_methods, reason = "the native proof runs compilers and tests")]
pub(super) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A compiler to run: with the user's rights and environment, but all that it starts ends with it.
#[expect(clippy::disallowed_methods, reason = "the native proof runs compilers and tests")]
pub(super) fn compiler(program: &Path, time_max: Duration) -> Command {
    let mut command = Command::new(OURSELVES);
    command.arg(COMMAND).arg("--time-ms").arg(time_max.as_millis().to_string());
    // Messages are compared and shown.
    command.arg("--").arg(program).env("LC_ALL", "C");
    command
}

/// Runs a program to its end or for this long.
pub(super) fn run(mut command: Command, time_max: Duration) -> Result<Exit, RunError> {
    let mut child = command.spawn().map_err(RunError::Io)?;
    let output = read_output(&mut child);
    let status = wait(&mut child, time_max).map_err(RunError::Io)?.ok_or(RunError::TooLong)?;
    let output = text(output, time_max);
    Ok(Exit { code: status.code(), signal: status.signal(), output })
}

/// Runs a program under its supervisor; the time limit is the supervisor's.
pub(super) fn run_supervised(command: Command, time_max: Duration) -> Result<Exit, RunError> {
    let Supervised { reports, output } = supervise(command, time_max).map_err(RunError::Io)?;
    match reports.into_iter().next_back() {
        Some(Report::Exited(code)) => Ok(Exit { code: Some(code), signal: None, output }),
        Some(Report::Killed(signal)) => Ok(Exit { code: None, signal: Some(signal), output }),
        Some(Report::TimedOut) => Err(RunError::TooLong),
        Some(Report::Failed(Stage::Program | Stage::Wall(_), why)) => {
            Err(RunError::Io(std::io::Error::other(why)))
        }
        None => Err(RunError::Io(std::io::Error::other("its supervisor was killed"))),
    }
}

/// Runs a test program. The limit on processes counts all of one user, so another test that takes as many as it gets may
/// keep this one from starting: it is tried again.
pub(super) fn run_test(make: impl Fn() -> Command, time_max: Duration) -> Result<Exit, RunError> {
    for _ in 0..STARTS_MAX {
        match run_supervised(make(), time_max) {
            Err(RunError::Io(error)) if is_short_of_processes(&error) => {
                std::thread::sleep(PAUSE);
            }
            ended => return ended,
        }
    }
    run_supervised(make(), time_max)
}

fn is_short_of_processes(error: &std::io::Error) -> bool {
    let again = std::io::Error::from(rustix::io::Errno::AGAIN).to_string();
    error.to_string().contains(&again)
}

/// Starts a supervisor and waits for what it says.
pub(super) fn supervise(mut command: Command, time_max: Duration) -> std::io::Result<Supervised> {
    // While we hold the end that is read from, the supervisor knows that we live.
    let (reader, writer) = std::io::pipe()?;
    command.stdin(writer).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // With it goes our own copy of the end that is written to.
    drop(command);
    let output = read_output(&mut child);
    let reports = collect(Box::new(reader));
    wait(&mut child, time_max + GRACE)?;
    let reports = text(vec![reports], GRACE);
    let reports = reports.lines().filter_map(Report::parse).collect();
    Ok(Supervised { reports, output: text(output, GRACE) })
}

/// Waits for the end of a program; ends it if it takes longer than this.
fn wait(child: &mut Child, time_max: Duration) -> std::io::Result<Option<ExitStatus>> {
    let pid = Pid::from_child(child);
    let started = now();
    let ended = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let is_ended = loop {
        let left = time_max.saturating_sub(started.elapsed());
        let timeout = Timespec::try_from(left).map_err(std::io::Error::other)?;
        match rustix::event::poll(&mut [PollFd::new(&ended, PollFlags::IN)], Some(&timeout)) {
            Ok(n) => break n > 0,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    // Until it is waited for, its number is not given to another one. A supervisor leads a group of its own, which
    // others are still in if somebody killed it; mostly there is none.
    let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    if !is_ended {
        child.kill()?;
    }
    let status = child.wait()?;
    Ok(is_ended.then_some(status))
}

fn text(streams: Vec<mpsc::Receiver<Vec<u8>>>, time_max: Duration) -> String {
    let streams = streams.into_iter().flat_map(|stream| stream.recv_timeout(time_max).ok());
    let bytes: Vec<u8> = streams.flatten().collect();
    String::from_utf8_lossy(&bytes).into_owned()
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
