//! The process that starts the program, waits for it, and leaves nothing behind.

use super::report::{Report, Stage, send};
use super::{ContainedArgs, NOBODY, Stopped, Wall, at, landlocked, limits, mounts, namespaces};
use crate::watchdog::now;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// Puts up the last walls, runs the program, and reports how it ended.
pub(super) fn keep(args: &ContainedArgs) -> Result<(), Stopped> {
    let scratch = args.scratch.as_deref();
    if args.has(Wall::Mounts) {
        mounts::own_processes();
    }
    // So that what the program leaves behind becomes ours and not the system's.
    let me = Some(rustix::process::getpid());
    rustix::process::set_child_subreaper(me).map_err(|error| (Stage::Program, error.into()))?;
    limits::set(args).map_err(at(Stage::Program))?;
    if args.has(Wall::Landlock) {
        landlocked::enter(scratch, args.has(Wall::Mounts))
            .map_err(at(Stage::Wall(Wall::Landlock)))?;
    }
    if args.has(Wall::Namespaces) {
        namespaces::drop_rights().map_err(at(Stage::Wall(Wall::Namespaces)))?;
    }
    let ended = watch(&mut command(args), Duration::from_millis(args.time_ms));
    if !args.has(Wall::Namespaces) {
        end_descendants();
    }
    let report = match ended.map_err(at(Stage::Program))? {
        Some(status) => match status.signal() {
            Some(signal) => Report::Killed(signal),
            None => Report::Exited(status.code().unwrap_or_default()),
        },
        None => Report::TimedOut,
    };
    send(&report);
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the sandbox starts the program")]
fn command(args: &ContainedArgs) -> Command {
    let (program, words) = args.program.split_first().expect("a program is required");
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    if let Some(scratch) = &args.scratch {
        command.current_dir(scratch);
    }
    if args.has(Wall::OtherUser) {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Starts the program and waits for its end; `None` if it reached its time limit, or nobody waits for it any more.
fn watch(command: &mut Command, time_max: Duration) -> io::Result<Option<ExitStatus>> {
    let started = now();
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    let ended = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let stdin = rustix::stdio::stdin();
    loop {
        let left = time_max.saturating_sub(started.elapsed());
        // A pipe whose reader is gone is in error, which is always told.
        let mut events =
            [PollFd::new(&ended, PollFlags::IN), PollFd::new(&stdin, PollFlags::empty())];
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        match rustix::event::poll(&mut events, Some(&timeout)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let is_alone = !events[1].revents().is_empty();
        if is_alone || started.elapsed() >= time_max {
            // It may have ended just now; then there is nothing to kill.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
    }
}

/// Ends all that the program started. Whoever loses its parent becomes our child, so none gets away.
fn end_descendants() {
    loop {
        let descendants = descendants();
        if descendants.is_empty() {
            return;
        }
        for &pid in &descendants {
            // One that has ended in the meantime is reaped below.
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
        while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
    }
}

fn descendants() -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else { continue };
        let stat = String::from_utf8_lossy(&stat);
        // `123 (any name) S 1 …`: the parent comes after the state.
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1));
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let (Some(pid), Some(Ok(parent))) = (pid, parent.map(str::parse)) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut pending = vec![rustix::process::getpid().as_raw_pid()];
    while let Some(parent) = pending.pop() {
        for &child in children.get(&parent).into_iter().flatten() {
            if found.insert(child) {
                pending.push(child);
            }
        }
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}
