//! The C libraries that programs are linked with: wasi-libc for 32 bits, and a musl that we build for 64.
//!
//! `libc/build.sh` builds the latter once, into a folder of the user's, and leaves a stamp: what it was made of and what the library
//! must look like. A library that is older than we are, or damaged, is not used. `docs/adr/0027-data-models.md` has the
//! reasons.

use super::cache;
use crate::data_model::DataModel;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is linked besides the program's own objects, and where its headers are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Libc {
    pub(super) model: DataModel,
    pub(super) include: PathBuf,
    /// What runs constructors, where that is not part of the runtime.
    pub(super) start: Option<PathBuf>,
    /// In the order in which the linker looks into them.
    pub(super) libraries: Vec<PathBuf>,
}

/// What wasi-libc keeps apart, if this one does.
pub(super) const EMULATED: &[&str] = &["signal", "mman", "process-clocks", "getpid"];

/// What our musl is made of, besides its sources: the script first, then all else in the order in which it reads them.
const SOURCES: &[(&str, &str)] = &[
    ("build.sh", include_str!("libc/build.sh")),
    ("arch/atomic_arch.h", include_str!("libc/arch/atomic_arch.h")),
    ("arch/pthread_arch.h", include_str!("libc/arch/pthread_arch.h")),
    ("arch/syscall_arch.h", include_str!("libc/arch/syscall_arch.h")),
    ("bits/float.h", include_str!("libc/bits/float.h")),
    ("bits/stdint.h", include_str!("libc/bits/stdint.h")),
    ("compare.c", include_str!("libc/compare.c")),
    ("start.c", include_str!("libc/start.c")),
];

/// Why a folder has no library that can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LibcProblem {
    /// Nobody has built one.
    #[error("its C library is not installed")]
    Missing,
    /// It was built by another version of ours.
    #[error("its C library was built by another version")]
    Stale,
    /// It is not what was built.
    #[error("its C library is damaged")]
    Damaged,
}

/// The library in a folder that `build.sh` has filled.
pub fn check_libc(folder: &Path) -> Result<(), LibcProblem> {
    let stamp = std::fs::read(folder.join("stamp")).map_err(|_| LibcProblem::Missing)?;
    let stamp = String::from_utf8_lossy(&stamp);
    let mut lines = stamp.lines();
    if lines.next() != Some(&libc_digest()) {
        return Err(LibcProblem::Stale);
    }
    let library = cache::hash_file(&folder.join("libc.a")).map(|hash| cache::hex(&hash));
    let has_headers = folder.join("include/stdio.h").is_file();
    if lines.next() != library.as_deref() || !has_headers {
        return Err(LibcProblem::Damaged);
    }
    Ok(())
}

/// Writes what builds the library into a folder; the script that does it.
pub fn unpack_libc_sources(folder: &Path) -> std::io::Result<PathBuf> {
    for (name, text) in SOURCES {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
        cache::write(&file, text.as_bytes())?;
    }
    Ok(folder.join(SOURCES[0].0))
}

/// What our library is made of besides musl's own sources, as one number.
pub fn libc_digest() -> String {
    cache::hex(&digest_of_sources())
}

/// The same as the script computes for the stamp.
fn digest_of_sources() -> cache::Hash {
    let mut digest = Sha256::new();
    SOURCES.iter().for_each(|(_, text)| digest.update(text));
    digest.finalize().into()
}

impl Libc {
    /// wasi-libc, from where its headers and libraries are.
    pub(super) fn of_wasi(include: PathBuf, folder: &Path, builtins: PathBuf) -> Libc {
        let emulated =
            EMULATED.iter().map(|name| folder.join(format!("libwasi-emulated-{name}.a")));
        let mut libraries: Vec<PathBuf> = emulated.filter(|library| library.is_file()).collect();
        libraries.extend([folder.join("libc.a"), builtins]);
        let start = Some(folder.join("crt1-reactor.o"));
        Libc { model: DataModel::Ilp32, include, start, libraries }
    }

    /// Our musl, in a folder that was checked.
    pub(super) fn of_musl(folder: &Path, builtins: PathBuf) -> Libc {
        Libc {
            model: DataModel::Lp64,
            include: folder.join("include"),
            start: None,
            libraries: vec![folder.join("libc.a"), builtins],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_of_the_library_is_known() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/frontend/c/libc");
        let list = |folder: PathBuf| {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
            files.sort();
            files
        };
        let script = folder.join("build.sh");
        let mut expected = vec![script.clone()];
        expected.extend(list(folder.join("arch")).into_iter().chain(list(folder.join("bits"))));
        expected.extend(list(folder.clone()).into_iter().filter(|file| *file != script));
        let known: Vec<PathBuf> = SOURCES.iter().map(|(name, _)| folder.join(name)).collect();
        assert_eq!(known, expected);
    }

    #[test]
    fn only_what_was_built_as_it_is_now_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert_eq!(check_libc(path), Err(LibcProblem::Missing));
        let stamp = format!(
            "{}\n{}\n1.2.3\n",
            cache::hex(&digest_of_sources()),
            cache::hex(&cache::hash(b"library"))
        );
        cache::write(&path.join("stamp"), stamp.as_bytes()).unwrap();
        cache::write(&path.join("libc.a"), b"library").unwrap();
        assert_eq!(check_libc(path), Err(LibcProblem::Damaged), "there are no headers");
        std::fs::create_dir(path.join("include")).unwrap();
        cache::write(&path.join("include/stdio.h"), b"").unwrap();
        assert_eq!(check_libc(path), Ok(()));
        cache::write(&path.join("libc.a"), b"libra").unwrap();
        assert_eq!(check_libc(path), Err(LibcProblem::Damaged));
        cache::write(&path.join("stamp"), b"another\n").unwrap();
        assert_eq!(check_libc(path), Err(LibcProblem::Stale));
    }
}
