//! One run at a time writes an output folder.
//!
//! The folder itself is locked, not a file in it: nothing is left behind, and the kernel releases the lock when
//! its process ends, however that happens.

use crate::failure::Failure;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// The right to use a folder, until it is dropped.
pub(crate) struct FolderLock {
    _folder: File,
}

impl FolderLock {
    /// For writing: nobody else reads or writes.
    pub(crate) fn to_write(folder: &Path) -> Result<FolderLock, Failure> {
        lock(folder, File::try_lock)
    }

    /// For writing, as soon as nobody else does; it is looked for that every so often.
    #[expect(clippy::disallowed_methods, reason = "the binary is where files are opened")]
    pub(crate) fn wait_to_write(
        path: &Path,
        period: Duration,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<FolderLock, Failure> {
        let unreadable = |source| Failure::Unreadable { file: path.to_owned(), source };
        let folder = File::open(path).map_err(unreadable)?;
        while let Err(TryLockError::WouldBlock) = folder.try_lock() {
            if is_stopped() {
                return Err(Failure::Interrupted { can_resume: false });
            }
            std::thread::sleep(period);
        }
        // Some network file systems have no locks; that is no reason to refuse.
        Ok(FolderLock { _folder: folder })
    }

    /// For reading: nobody writes.
    pub(crate) fn to_read(folder: &Path) -> Result<FolderLock, Failure> {
        lock(folder, File::try_lock_shared)
    }
}

#[expect(clippy::disallowed_methods, reason = "the binary is where files are opened")]
fn lock(path: &Path, take: fn(&File) -> Result<(), TryLockError>) -> Result<FolderLock, Failure> {
    let unreadable = |source| Failure::Unreadable { file: path.to_owned(), source };
    let folder = File::open(path).map_err(unreadable)?;
    match take(&folder) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let message = format!(
                "another run of symcrete is using `{}`: wait for it to end, or name another folder",
                path.display()
            );
            return Err(Failure::Usage { message });
        }
        // Some network file systems have no locks; that is no reason to refuse.
        Err(TryLockError::Error(error)) => tracing::warn!(%error, "the folder cannot be locked"),
    }
    Ok(FolderLock { _folder: folder })
}
