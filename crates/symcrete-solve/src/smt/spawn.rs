//! Creating and reaping child processes.
//!
//! The kernel's parent-death signal is sent when the *thread* that forked ends, not the process. So all
//! children are forked by one thread that lives as long as we do.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions};

use super::toolbox::Program;

/// Solvers recurse over terms; this much stack lets them, and costs nothing until it is used.
const STACK_BYTES_MAX: u64 = 1 << 30;

/// How long a child that was told to end may take for it.
const GRACE_POLL: Duration = Duration::from_millis(2);
const GRACE_POLLS: u32 = 500;

/// Starts `program` with pipes, its memory limit, and the promise to die with us.
/// A shim is given `preamble`, and whether to count steps; a solver of its own has to be told.
pub(super) fn spawn(
    program: &Program,
    preamble: &str,
    counting: Counting,
    memory_max_bytes: u64,
) -> io::Result<(Child, Option<StepCell>)> {
    let step_cell = if program.is_shim { Some(StepCell::new()?) } else { None };
    let cell_fd = step_cell.as_ref().map(|cell| cell.memory.as_raw_fd());
    let mut command = command(program, memory_max_bytes, cell_fd);
    if let Some(fd) = cell_fd {
        command.arg(fd.to_string()).arg(counting.shim_argument()).arg(preamble);
    }
    // The cell stays open here until the child has its own copy of the descriptor.
    let child = on_spawner_thread(command)?;
    Ok((child, step_cell))
}

#[expect(clippy::disallowed_methods, reason = "here is where solvers are started")]
#[expect(unsafe_code, reason = "limits must be set between fork and exec")]
fn command(program: &Program, memory_max_bytes: u64, cell_fd: Option<i32>) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(&program.file);
    command.args(&program.args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C is for us alone: solvers that die first would look like crashes.
    command.process_group(0);
    let parent = rustix::process::getpid();
    // SAFETY: the closure runs in the forked child, where only async-signal-safe calls are allowed.
    // It makes plain system calls through rustix, neither allocates nor locks, and `cell_fd` is open:
    // the caller keeps the cell until the child has been started.
    unsafe { command.pre_exec(move || prepare_child(parent, memory_max_bytes, cell_fd)) };
    command
}

/// Runs between fork and exec: system calls only.
#[expect(unsafe_code, reason = "a raw descriptor has to be borrowed")]
fn prepare_child(parent: Pid, memory_max_bytes: u64, cell_fd: Option<i32>) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // If we died before the line above, no signal will come any more.
    if rustix::process::getppid() != Some(parent) {
        return Err(io::Error::from_raw_os_error(rustix::io::Errno::SRCH.raw_os_error()));
    }
    limit(Resource::As, memory_max_bytes)?;
    limit(Resource::Core, 0)?;
    // Less stack than asked for is no reason not to start.
    let _ = limit(Resource::Stack, STACK_BYTES_MAX.min(memory_max_bytes / 2));
    if let Some(fd) = cell_fd {
        // SAFETY: the descriptor is open, see `command`.
        let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::empty())?;
    }
    Ok(())
}

/// Sets a soft limit, as far as the hard one allows.
fn limit(resource: Resource, value: u64) -> rustix::io::Result<()> {
    let maximum = rustix::process::getrlimit(resource).maximum;
    let current = Some(maximum.map_or(value, |maximum| value.min(maximum)));
    rustix::process::setrlimit(resource, Rlimit { current, maximum })
}

type Job = (Command, Sender<io::Result<Child>>);

fn on_spawner_thread(command: Command) -> io::Result<Child> {
    static SPAWNER: OnceLock<Sender<Job>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (jobs, queue) = channel::<Job>();
        let serve = move || {
            for (mut command, reply) in queue {
                // Whoever asked waits for the reply.
                let _ = reply.send(command.spawn());
            }
        };
        let thread = std::thread::Builder::new().name("solver-spawner".to_owned());
        // Without the thread, the queue is dropped and every start fails with the error below.
        let _ = thread.spawn(serve);
        jobs
    });
    let (reply, answer) = channel();
    let no_thread = || io::Error::other("cannot start the thread that starts solvers");
    spawner.send((command, reply)).map_err(|_| no_thread())?;
    answer.recv().map_err(|_| no_thread())?
}

/// Reaps a killed child as soon as it has ended. That takes long for a large one, and nothing should wait for it.
pub(super) fn reap_later(id: u32) {
    static REAPER: OnceLock<Sender<u32>> = OnceLock::new();
    let reaper = REAPER.get_or_init(|| {
        let (ids, queue) = channel::<u32>();
        let serve = move || queue.into_iter().for_each(reap);
        let thread = std::thread::Builder::new().name("solver-reaper".to_owned());
        // Without the thread zombies stay until we end: harmless.
        let _ = thread.spawn(serve);
        ids
    });
    let _ = reaper.send(id);
}

fn reap(id: u32) {
    let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return };
    // A shim that was asked to end does so at once, unless somebody has stopped it.
    for _ in 0..GRACE_POLLS {
        match rustix::process::waitpid(Some(pid), WaitOptions::NOHANG) {
            Ok(None) => std::thread::sleep(GRACE_POLL),
            // An error means that it is reaped already.
            Ok(Some(_)) | Err(_) => return,
        }
    }
    let _ = rustix::process::kill_process(pid, Signal::KILL);
    let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
}

/// Whether a shim has to count the steps of its queries, which costs a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Steps are counted and can be limited.
    On,
    /// Steps may be counted, but cannot be limited.
    Off,
}

impl Counting {
    fn shim_argument(self) -> &'static str {
        match self {
            Counting::On => "1",
            Counting::Off => "0",
        }
    }
}

/// Three words of memory shared with a shim: number of the query, its limit, steps used.
#[derive(Debug)]
pub(crate) struct StepCell {
    memory: OwnedFd,
}

impl StepCell {
    fn new() -> io::Result<StepCell> {
        let memory = rustix::fs::memfd_create("symcrete-steps", rustix::fs::MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&memory, 24)?;
        Ok(StepCell { memory })
    }

    /// Announces a query; a limit of 0 is none. Must happen before the query is sent.
    pub(crate) fn announce(&self, query: u64, steps_max: u64) -> io::Result<()> {
        let words = [query, steps_max, 0];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        rustix::io::pwrite(&self.memory, &bytes, 0)?;
        Ok(())
    }

    /// The steps of the announced query so far.
    pub(crate) fn steps_used(&self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        rustix::io::pread(&self.memory, &mut bytes, 16)?;
        Ok(u64::from_ne_bytes(bytes))
    }
}
