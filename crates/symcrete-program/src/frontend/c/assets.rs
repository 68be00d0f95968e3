//! The C files that come with us: headers of harnesses, headers that wasi-libc lacks, the runtime.
//!
//! They are part of the executable and written to the cache folder before the first compilation.

use super::cache::{self, Cache};
use crate::data_model::DataModel;
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
    "harness/crest.h",
    "include/error.h",
    "include/execinfo.h",
    "harness/klee/klee.h",
    "include/math.h",
    "include/stdlib.h",
    "harness/symcrete.h",
    "include/sys/cdefs.h",
    "runtime/allocate.c",
    "runtime/environment.c",
    "runtime/files.c",
    "runtime/glibc.c",
    "runtime/harness.c",
    "runtime/heap.c",
    "runtime/jumps.c",
    "runtime/linux.c",
    "runtime/library_errors.c",
    "runtime/overlap.c",
    "runtime/rounding.c",
    "runtime/string.c",
    "runtime/wasi.c",
    "wasi/arpa/inet.h",
    "wasi/dlfcn.h",
    "wasi/fcntl.h",
    "wasi/fenv.h",
    "wasi/grp.h",
    "wasi/limits.h",
    "wasi/net/if.h",
    "wasi/netdb.h",
    "wasi/netinet/in.h",
    "wasi/pthread.h",
    "wasi/pwd.h",
    "wasi/sched.h",
    "wasi/setjmp.h",
    "wasi/signal.h",
    "wasi/spawn.h",
    "wasi/stdio.h",
    "wasi/stdlib.h",
    "wasi/string.h",
    "wasi/sys/epoll.h",
    "wasi/sys/file.h",
    "wasi/sys/ioctl.h",
    "wasi/sys/ipc.h",
    "wasi/sys/mount.h",
    "wasi/sys/msg.h",
    "wasi/sys/prctl.h",
    "wasi/sys/ptrace.h",
    "wasi/sys/random.h",
    "wasi/sys/resource.h",
    "wasi/sys/sem.h",
    "wasi/sys/shm.h",
    "wasi/sys/signal.h",
    "wasi/sys/socket.h",
    "wasi/sys/stat.h",
    "wasi/sys/statvfs.h",
    "wasi/sys/syscall.h",
    "wasi/sys/syslog.h",
    "wasi/sys/termios.h",
    "wasi/sys/time.h",
    "wasi/sys/un.h",
    "wasi/sys/wait.h",
    "wasi/syscall.h",
    "wasi/syslog.h",
    "wasi/termios.h",
    "wasi/time.h",
    "wasi/ucontext.h",
    "wasi/unistd.h",
    "wasi/utmp.h",
    "wasi/wordexp.h",
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

    /// The folder with the headers of harnesses. They come before all others: what those of a tool itself declare nobody defines.
    pub(super) fn harness(&self) -> PathBuf {
        self.directory.join("harness")
    }

    /// The folders of other headers, in the order in which the compiler looks into them.
    pub(super) fn include(&self, model: DataModel) -> Vec<PathBuf> {
        let folders: &[&str] = match model {
            DataModel::Lp64 => &["include"],
            DataModel::Ilp32 => &["include", "wasi"],
        };
        folders.iter().map(|folder| self.directory.join(folder)).collect()
    }

    /// The files of the runtime, which are compiled as one.
    pub(super) fn runtime(&self, model: DataModel) -> Vec<PathBuf> {
        let system: &[&str] = match model {
            DataModel::Lp64 => &["heap.c", "linux.c"],
            DataModel::Ilp32 => &["wasi.c"],
        };
        const OTHERS: &[&str] = &[
            "environment.c",
            "overlap.c",
            "string.c",
            "allocate.c",
            "glibc.c",
            "harness.c",
            "rounding.c",
            "library_errors.c",
            "jumps.c",
        ];
        let names = ["files.c"].iter().chain(system).chain(OTHERS);
        names.map(|name| self.directory.join("runtime").join(name)).collect()
    }
}

fn put(path: &Path, text: &str) -> Result<(), FrontendError> {
    let io = |source| FrontendError::Io { path: path.to_path_buf(), source };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(io)?;
    }
    cache::write(path, text.as_bytes()).map_err(io)
}
