//! Mounts: everything read-only but the scratch folder, and folders of its own where programs put temporary files
//! and where services listen.
//!
//! Landlock says what may be written, but not whose rights and times may be changed, nor which sockets in the file
//! system may be connected to.

use rustix::mount::{MountFlags, MountPropagationFlags};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Folders that the program gets empty, and whether it may write there.
pub(super) const OWN: &[&str] = &["/tmp", "/dev/shm", "/run"];
/// Those that it may write to: what it leaves there goes with it.
pub(super) const WRITABLE: &[&str] = &["/tmp", "/dev/shm"];
const OWN_DATA: &std::ffi::CStr = c"size=64m,nr_inodes=4096,mode=1777";

/// Arranges the mounts of this namespace.
#[expect(clippy::disallowed_methods, reason = "folders are opened to be mounted again")]
pub(super) fn arrange(scratch: Option<&Path>) -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private)?;
    // The folder of the program, which holds the scratch folder, may be in one that is about to be covered.
    let home = scratch.and_then(Path::parent);
    let opened = home.map(std::fs::File::open).transpose()?;
    for own in OWN.iter().map(Path::new).filter(|own| own.is_dir() && !own.is_symlink()) {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        rustix::mount::mount("tmpfs", own, "tmpfs", flags, OWN_DATA)?;
        if let (Some(home), Some(opened)) = (home, &opened)
            && home.starts_with(own)
        {
            std::fs::create_dir_all(home)?;
            rustix::mount::mount_bind(format!("/proc/self/fd/{}", opened.as_raw_fd()), home)?;
        }
    }
    if let Some(scratch) = scratch {
        rustix::mount::mount_bind(scratch, scratch)?;
    }
    let is_writable = |point: &Path| {
        scratch.is_some_and(|scratch| scratch == point)
            || WRITABLE.iter().any(|writable| Path::new(writable) == point)
    };
    for (point, flags) in mount_points()?.into_iter().filter(|(point, _)| !is_writable(point)) {
        let flags = flags | MountFlags::BIND | MountFlags::RDONLY;
        match rustix::mount::mount_remount(&point, flags, c"") {
            Ok(()) => {}
            // Of the many small ones some cannot be changed, or are covered by another; Landlock is still there.
            Err(_) if point != Path::new("/") => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// A view of the processes of this namespace alone, where the system lets us.
pub(super) fn own_processes() {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = rustix::mount::mount("proc", "/proc", "proc", flags, None);
}

/// What is mounted where, with the flags that must stay.
fn mount_points() -> io::Result<Vec<(PathBuf, MountFlags)>> {
    let text = std::fs::read("/proc/self/mountinfo")?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().filter_map(mount_point).collect())
}

/// `36 35 98:0 / /mnt rw,nosuid,relatime - ext4 /dev/root rw`
fn mount_point(line: &str) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(' ').skip(4);
    let (point, options) = (fields.next()?, fields.next()?);
    let mut flags = MountFlags::empty();
    for option in options.split(',') {
        flags |= match option {
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            "nosymfollow" => MountFlags::NOSYMFOLLOW,
            _ => MountFlags::empty(),
        };
    }
    Some((PathBuf::from(unescaped(point)), flags))
}

/// Blanks and the like are `\040` there.
fn unescaped(text: &str) -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| first == b'\\');
        let octal = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|octal| u8::from_str_radix(octal, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    std::ffi::OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_mountinfo_are_read() {
        let line =
            r"36 35 98:0 /mnt1 /mnt/a\040b\134c rw,nosuid,noatime master:1 - ext3 /dev/root rw";
        let flags = MountFlags::NOSUID | MountFlags::NOATIME;
        assert_eq!(mount_point(line), Some((PathBuf::from(r"/mnt/a b\c"), flags)));
        assert_eq!(mount_point("36 35"), None);
    }
}
