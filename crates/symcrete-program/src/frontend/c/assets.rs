//! The C files that come with us: headers that wasi-libc lacks, headers of harnesses, the runtime.
//!
//! They are part of the executable and written to the cache folder before the first compilation.

use super::cache::{self, Cache};
use crate::frontend::FrontendError;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!($path))),*]
    };
}

/// By path below this module's folder.
const ASSETS: &[(&str, &str)] = assets!(
    "include/arpa/inet.h",
    "include/crest.h",
    "include/dlfcn.h",
    "include/execinfo.h",
    "include/fcntl.h",
    "include/fenv.h",
    "include/grp.h",
    "include/klee/klee.h",
    "include/limits.h",
    "include/net/if.h",
    "include/netdb.h",
    "include/netinet/in.h",
    "include/pthread.h",
    "include/pwd.h",
    "include/sched.h",
    "include/setjmp.h",
    "include/signal.h",
    "include/spawn.h",
    "include/stdio.h",
    "include/stdlib.h",
    "include/string.h",
    "include/symcrete.h",
    "include/sys/epoll.h",
    "include/sys/file.h",
    "include/sys/ioctl.h",
    "include/sys/ipc.h",
    "include/sys/mount.h",
    "include/sys/msg.h",
    "include/sys/prctl.h",
    "include/sys/ptrace.h",
    "include/sys/random.h",
    "include/sys/resource.h",
    "include/sys/sem.h",
    "include/sys/shm.h",
    "include/sys/signal.h",
    "include/sys/socket.h",
    "include/sys/stat.h",
    "include/sys/statvfs.h",
    "include/sys/syscall.h",
    "include/sys/syslog.h",
    "include/sys/termios.h",
    "include/sys/time.h",
    "include/sys/un.h",
    "include/sys/wait.h",
    "include/syscall.h",
    "include/syslog.h",
    "include/termios.h",
    "include/time.h",
    "include/ucontext.h",
    "include/unistd.h",
    "include/utmp.h",
    "include/wordexp.h",
    "runtime/allocate.c",
    "runtime/environment.c",
    "runtime/harness.c",
    "runtime/string.c",
    "runtime/wasi.c",
);

/// Where the assets were written.
pub(super) struct Assets {
    directory: PathBuf,
}

/// A digest of all assets: they change only with us.
pub(super) fn digest() -> [u8; 32] {
    let mut digest = Sha256::new();
    for (path, text) in ASSETS {
        digest.update((path.len() as u64).to_le_bytes());
        digest.update(path);
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    digest.finalize().into()
}

impl Assets {
    /// Writes the assets where a compiler finds them, unless they are there and whole.
    pub(super) fn unpack(cache: &Cache) -> Result<Assets, FrontendError> {
        let directory = cache.place(&format!("assets-{}", &cache::hex(&digest())[..16]));
        let is_whole = |(path, text): &(&str, &str)| {
            std::fs::read(directory.join(path)).is_ok_and(|bytes| bytes == text.as_bytes())
        };
        if directory.is_dir() {
            for (path, text) in ASSETS.iter().filter(|asset| !is_whole(asset)) {
                put(&directory.join(path), text)?;
            }
        } else {
            let draft = cache.scratch().join("assets");
            for (path, text) in ASSETS {
                put(&draft.join(path), text)?;
            }
            if let Err(source) = std::fs::rename(&draft, &directory) {
                // Another process may have been faster.
                if !directory.is_dir() {
                    return Err(FrontendError::Io { path: directory, source });
                }
            }
        }
        Ok(Assets { directory })
    }

    /// The headers.
    pub(super) fn include(&self) -> PathBuf {
        self.directory.join("include")
    }

    /// A file of the runtime.
    pub(super) fn runtime(&self, name: &str) -> PathBuf {
        self.directory.join("runtime").join(name)
    }
}

fn put(path: &Path, text: &str) -> Result<(), FrontendError> {
    let io = |source| FrontendError::Io { path: path.to_path_buf(), source };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(io)?;
    }
    cache::write(path, text.as_bytes()).map_err(io)
}
