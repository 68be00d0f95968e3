//! Namespaces: own processes, own network without a device, own mounts.

use super::limits::write;
use rustix::thread::{CapabilitySet, UnshareFlags};
use std::io;

/// Leaves the namespaces of whoever started us; the PID namespace begins with the next process that is started.
///
/// An administrator who will run the program as another user needs no user namespace, and in one only a single user
/// could be had. Everybody else gets the right to the other namespaces from a user namespace.
#[expect(deprecated, reason = "it is unsafe for tables of descriptors only, which stay shared")]
pub(super) fn enter(as_other_user: bool) -> io::Result<()> {
    let (uid, gid) = (rustix::process::getuid(), rustix::process::getgid());
    let flags =
        UnshareFlags::NEWPID | UnshareFlags::NEWNET | UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
    if as_other_user {
        return Ok(rustix::thread::unshare(flags)?);
    }
    rustix::thread::unshare(flags | UnshareFlags::NEWUSER)?;
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("{0} {0} 1", uid.as_raw()))?;
    write("/proc/self/gid_map", &format!("{0} {0} 1", gid.as_raw()))
}

/// The rights in a user namespace would end when the keeper is started; this one it keeps.
pub(super) fn keep_mounting_rights() -> io::Result<()> {
    let mut sets = rustix::thread::capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    rustix::thread::set_capabilities(None, sets)?;
    Ok(rustix::thread::configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?)
}

/// The program has no rights at all.
pub(super) fn drop_rights() -> io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    let mut sets = rustix::thread::capabilities(None)?;
    sets.inheritable = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, sets)?;
    Ok(rustix::thread::set_no_new_privs(true)?)
}
