//! Starting solver programs and talking to them; the only module of this crate that starts anything.
//!
//! Invariants:
//! - A child dies with us, however we end: the kernel kills it when our spawner thread is gone.
//! - Every wait is bounded by a deadline and a [`Cancel`] flag, also while the child refuses to read.
//! - Dropping a [`Process`] kills and reaps it. Nothing is left behind: no child, no zombie, no descriptor.
//!
//! It knows bytes and responses, not what they mean.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal};

use super::response::Scanner;
use super::spawn::{Counting, StepCell, spawn};
use super::toolbox::Program;
use crate::budget::Cancel;
use crate::verdict::Why;

/// How long a wait may go without looking at the cancel flag.
const SLICE: Duration = Duration::from_millis(5);

/// A response longer than this is a fault: no model of ours comes near.
const RESPONSE_BYTES_MAX: usize = 256 << 20;

/// How much of the error output is kept: its end, where the reason of a crash stands.
const STDERR_BYTES_MAX: usize = 16 << 10;

/// A running solver.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// `None` once the child has closed its end.
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    stderr: Option<OwnedFd>,
    /// What the child wrote. Up to `n_taken` it was handed out, up to `n_scanned` the scanner has seen it.
    output: Vec<u8>,
    n_taken: usize,
    n_scanned: usize,
    scanner: Scanner,
    output_ended: bool,
    error_output: Vec<u8>,
    step_cell: Option<StepCell>,
    workers: Option<Workers>,
}

/// Which worker of a shim we talk to (see `shim/workers.py`).
#[derive(Debug)]
struct Workers {
    number: u64,
    /// Whether it has said that it is there.
    is_there: bool,
}

/// What ends a conversation from outside.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    deadline: Option<Instant>,
    cancel: Cancel,
}

/// Why no response came.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The deadline passed or the flag was set.
    Told(Why),
    /// The child ended, or closed its output; with what is known of the circumstances.
    Ended(String),
    /// The response exceeds every reasonable size.
    TooLong,
}

impl Watch {
    /// From now on, for at most `wall_max`.
    #[expect(clippy::disallowed_methods, reason = "the safety net is a matter of the clock")]
    pub(crate) fn start(wall_max: Duration, cancel: &Cancel) -> Watch {
        Watch { deadline: Instant::now().checked_add(wall_max), cancel: cancel.clone() }
    }

    /// How long the next wait may be.
    #[expect(clippy::disallowed_methods, reason = "the safety net is a matter of the clock")]
    fn slice(&self) -> Result<Duration, Stop> {
        self.cancel.check().map_err(Stop::Told)?;
        let Some(deadline) = self.deadline else { return Ok(SLICE) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Stop::Told(Why::OutOfTime)) } else { Ok(left.min(SLICE)) }
    }
}

impl Process {
    /// Starts `program`, a shim with `preamble`, with at most `memory_max_bytes` of address space.
    pub(crate) fn start(
        program: &Program,
        preamble: &str,
        counting: Counting,
        memory_max_bytes: u64,
    ) -> io::Result<Process> {
        let (mut child, step_cell) = spawn(program, preamble, counting, memory_max_bytes)?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let piped = "the child was started with this pipe";
        let stdin = OwnedFd::from(stdin.expect(piped));
        let stdout = OwnedFd::from(stdout.expect(piped));
        let stderr = OwnedFd::from(stderr.expect(piped));
        let process = Process {
            child,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            output: Vec::new(),
            n_taken: 0,
            n_scanned: 0,
            scanner: Scanner::default(),
            output_ended: false,
            error_output: Vec::new(),
            step_cell,
            workers: program.is_shim.then_some(Workers { number: 0, is_there: false }),
        };
        // Only our ends of the pipes: the child's reads and writes keep blocking.
        for pipe in [process.stdin.as_ref(), Some(&process.stdout), process.stderr.as_ref()] {
            rustix::io::ioctl_fionbio(pipe.expect(piped), true)?;
        }
        Ok(process)
    }

    /// Makes the child forget all that was said, and stop what it does. `false`: it cannot, and has to be started again.
    pub(crate) fn renew(&mut self) -> bool {
        let Some(workers) = &mut self.workers else { return false };
        if self.output_ended || self.stdin.is_none() {
            return false;
        }
        // Nobody has talked to a worker that is yet to come.
        if workers.is_there {
            *workers = Workers { number: workers.number + 1, is_there: false };
            signal(&self.child, Signal::USR1);
        }
        true
    }

    /// Waits until the worker is there, and drops what the one before it said.
    fn await_worker(&mut self, watch: &Watch) -> Result<(), Stop> {
        loop {
            let Some(workers) = self.workers.as_mut().filter(|workers| !workers.is_there) else {
                return Ok(());
            };
            let line = format!("\nworker {}\n", workers.number);
            let found = self.output.windows(line.len()).position(|part| part == line.as_bytes());
            if let Some(at) = found {
                workers.is_there = true;
                self.output.drain(..at + line.len());
                (self.n_taken, self.n_scanned, self.scanner) = (0, 0, Scanner::default());
                return Ok(());
            }
            if self.output_ended {
                return Err(Stop::Ended(self.circumstances(watch)));
            }
            self.wait(false, watch)?;
        }
    }

    /// Writes all of `bytes`, taking in output meanwhile so that neither side blocks the other for ever.
    pub(crate) fn send(&mut self, mut bytes: &[u8], watch: &Watch) -> Result<(), Stop> {
        self.await_worker(watch)?;
        while !bytes.is_empty() {
            let Some(stdin) = &self.stdin else { return Ok(()) };
            match rustix::io::write(stdin, bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(rustix::io::Errno::AGAIN) => self.wait(true, watch)?,
                Err(rustix::io::Errno::INTR) => {}
                // The child is going: what it said before, and its end, are found by `receive`.
                Err(_) => self.stdin = None,
            }
        }
        Ok(())
    }

    /// Waits for the next complete response.
    pub(crate) fn receive(&mut self, watch: &Watch) -> Result<String, Stop> {
        loop {
            if let Some(response) = self.next_response() {
                return Ok(response);
            }
            if self.output.len() > RESPONSE_BYTES_MAX {
                return Err(Stop::TooLong);
            }
            if self.output_ended {
                return Err(Stop::Ended(self.circumstances(watch)));
            }
            self.wait(false, watch)?;
        }
    }

    /// The memory through which the shim learns its step limit, if this is one.
    pub(crate) fn step_cell(&self) -> Option<&StepCell> {
        self.step_cell.as_ref()
    }

    /// The child's process id, for tests that harm it.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn next_response(&mut self) -> Option<String> {
        let Some(n) = self.scanner.feed(&self.output[self.n_scanned..]) else {
            // Taken responses are cleared away only when the buffer is through: once per byte.
            self.output.drain(..self.n_taken);
            self.n_taken = 0;
            self.n_scanned = self.output.len();
            return None;
        };
        self.n_scanned += n;
        let response = &self.output[self.n_taken..self.n_scanned];
        let response = String::from_utf8_lossy(response).trim().to_owned();
        self.n_taken = self.n_scanned;
        Some(response)
    }

    /// Waits one slice for something to happen and takes in what the child wrote.
    fn wait(&mut self, for_writing: bool, watch: &Watch) -> Result<(), Stop> {
        let slice = watch.slice()?;
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(slice.subsec_nanos()) };
        let mut fds = Vec::with_capacity(3);
        if !self.output_ended {
            fds.push(PollFd::new(&self.stdout, PollFlags::IN));
        }
        if let Some(stderr) = &self.stderr {
            fds.push(PollFd::new(stderr, PollFlags::IN));
        }
        if let Some(stdin) = self.stdin.as_ref().filter(|_| for_writing) {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        // An interrupted wait is a short one; the caller tries again either way.
        let _ = poll(&mut fds, Some(&timeout));
        self.take_in();
        Ok(())
    }

    fn take_in(&mut self) {
        if !self.output_ended {
            self.output_ended = read_available(self.stdout.as_fd(), &mut self.output);
        }
        if let Some(stderr) = &self.stderr {
            let ended = read_available(stderr.as_fd(), &mut self.error_output);
            let excess = self.error_output.len().saturating_sub(STDERR_BYTES_MAX);
            self.error_output.drain(..excess);
            if ended {
                self.stderr = None;
            }
        }
    }

    /// How the child ended and its last words, for a person to read.
    fn circumstances(&mut self, watch: &Watch) -> String {
        let mut status = self.child.try_wait();
        // Its pipes close before it can be reaped; a child that only closed its output is not waited for.
        for _ in 0..20 {
            if !matches!(status, Ok(None)) || self.wait_for_exit(watch).is_err() {
                break;
            }
            status = self.child.try_wait();
        }
        let status = match status {
            Ok(Some(status)) => describe(status),
            Ok(None) => "output closed".to_owned(),
            Err(error) => error.to_string(),
        };
        let output = String::from_utf8_lossy(&self.output);
        let errors = String::from_utf8_lossy(&self.error_output);
        let said: Vec<&str> = output.lines().chain(errors.lines()).map(str::trim).collect();
        let last_words = said.iter().rev().find(|line| !line.is_empty());
        last_words.map_or(status.clone(), |line| format!("{status}: {line}"))
    }

    fn wait_for_exit(&mut self, watch: &Watch) -> Result<(), Stop> {
        let slice = watch.slice()?;
        self.take_in();
        std::thread::sleep(slice.min(Duration::from_millis(2)));
        Ok(())
    }
}

/// Appends what can be read without waiting. `true`: the other end is closed.
fn read_available(fd: BorrowedFd<'_>, into: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 64 << 10];
    while into.len() <= RESPONSE_BYTES_MAX {
        match rustix::io::read(fd, &mut buffer) {
            Ok(0) => return true,
            Ok(n) => into.extend_from_slice(&buffer[..n]),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => return false,
            Err(_) => return true,
        }
    }
    false
}

/// An error means that the child is dead already.
fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let _ = pid.map(|pid| rustix::process::kill_process(pid, signal));
}

fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("killed by signal {signal}"),
        (None, Some(code)) => format!("exited with code {code}"),
        (None, None) => status.to_string(),
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A shim ends its worker before itself, once it listens.
        if self.workers.as_ref().is_some_and(|workers| workers.is_there || workers.number > 0) {
            signal(&self.child, Signal::TERM);
        } else {
            // An error means that it is dead already.
            let _ = self.child.kill();
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            super::spawn::reap_later(self.child.id());
        }
    }
}
