//! Limits on what one process may use.

use super::{ContainedArgs, NOBODY, Wall};
use rustix::process::{Resource, Rlimit};
use std::io;
use std::path::Path;

/// The largest file.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Files that are open at a time.
const N_OPEN_MAX: u64 = 256;
/// Processes and threads.
const N_PROCESSES_MAX: u64 = 64;

/// Sets the limits; they cannot be raised again.
pub(super) fn set(args: &ContainedArgs) -> io::Result<()> {
    limit(Resource::Core, 0)?;
    if !args.limited {
        return Ok(());
    }
    limit(Resource::Fsize, FILE_BYTES_MAX)?;
    limit(Resource::Nofile, N_OPEN_MAX)?;
    // Time passes faster than a processor works; several threads need more of it than passes.
    limit(Resource::Cpu, args.time_ms.div_ceil(1000).max(1) * 2)?;
    if args.memory > 0 {
        // Of the address space any amount: what is only reserved costs nothing.
        limit(Resource::Data, args.memory)?;
    }
    limit(Resource::Nproc, n_processes_now(args) + N_PROCESSES_MAX)
}

/// The kernel counts by user, so others of the same user count too, except in a user namespace of our own.
fn n_processes_now(args: &ContainedArgs) -> u64 {
    let is_other = args.has(Wall::OtherUser);
    if args.has(Wall::Namespaces) && !is_other {
        return 0;
    }
    let uid = if is_other { NOBODY } else { rustix::process::getuid().as_raw() };
    let mut n = 0;
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(status) = std::fs::read(entry.path().join("status")) else { continue };
        let status = String::from_utf8_lossy(&status);
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        };
        if field("Uid:") == Some(u64::from(uid)) {
            n += field("Threads:").unwrap_or(1);
        }
    }
    n
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let before = rustix::process::getrlimit(resource);
    let most = [Some(most), before.current, before.maximum].into_iter().flatten().min();
    Ok(rustix::process::setrlimit(resource, Rlimit { current: most, maximum: most })?)
}

/// When memory is short the kernel ends a process; this one first.
pub(super) fn prefer_to_be_killed() -> io::Result<()> {
    write("/proc/self/oom_score_adj", "1000")
}

/// Writes to a file of the kernel.
#[expect(clippy::disallowed_methods, reason = "the kernel is told through files")]
pub(super) fn write(file: impl AsRef<Path>, text: &str) -> io::Result<()> {
    std::fs::write(file, text)
}
