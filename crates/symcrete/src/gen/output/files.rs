//! Files of the output folder: each is there whole or not at all.

use crate::defaults::SUITE_FILE;
use crate::failure::Failure;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use symcrete_emit::Artifact;

/// What else a folder of ours has.
const OURS: &[&str] = &["tests", "bugs", "corpus", "testcomp", "lcov.info"];
/// Files that are being written end like this.
const DRAFT: &str = ".draft";

/// A folder that we write.
pub(super) struct Files {
    path: PathBuf,
    /// Whether a file has been written.
    is_begun: AtomicBool,
}

impl Files {
    pub(super) fn new(path: PathBuf) -> Files {
        Files { path, is_begun: AtomicBool::new(false) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether something is there that must not be lost.
    pub(super) fn is_taken(&self) -> Result<bool, Failure> {
        match std::fs::read_dir(&self.path) {
            Ok(mut entries) => {
                Ok(entries.any(|entry| entry.is_ok_and(|entry| !is_draft(&entry.file_name()))))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                let what = if self.path.exists() { "is a file" } else { "is below a file" };
                let path = self.path.display();
                let message = format!("`{path}` {what}: name a folder for the tests with --out");
                Err(Failure::Usage { message })
            }
            Err(source) => Err(Failure::Unreadable { file: self.path.clone(), source }),
        }
    }

    /// Whether an earlier run of ours made the folder.
    pub(super) fn is_ours(&self) -> bool {
        let bytes = std::fs::read(self.path.join(SUITE_FILE)).unwrap_or_default();
        let suite: Json = serde_json::from_slice(&bytes).unwrap_or_default();
        suite["tool"].as_str().is_some_and(|tool| tool.starts_with("symcrete "))
    }

    /// Takes away all that an earlier run of ours wrote except the suite, and nothing else.
    pub(super) fn clear(&self) -> Result<(), Failure> {
        for name in OURS {
            let path = self.path.join(name);
            let removed = match path.is_dir() {
                true => std::fs::remove_dir_all(&path),
                false if path.exists() => std::fs::remove_file(&path),
                false => Ok(()),
            };
            removed.map_err(|source| self.failure(path, source))?;
        }
        Ok(())
    }

    /// Takes away what a run that was killed had begun to write.
    pub(super) fn remove_drafts(&self) {
        let mut pending = vec![self.path.clone()];
        while let Some(folder) = pending.pop() {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            for entry in entries {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    let is_ours = OURS.iter().any(|name| entry.file_name() == *name);
                    if is_ours || folder != self.path {
                        pending.push(entry.path());
                    }
                } else if is_draft(&entry.file_name()) {
                    // What stays does no harm.
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
    }

    /// Whether the file is there with just these contents.
    pub(super) fn has(&self, artifact: &Artifact) -> bool {
        std::fs::read(self.path.join(&artifact.path)).is_ok_and(|bytes| bytes == artifact.bytes)
    }

    /// Writes a file whole or not at all.
    #[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
    pub(super) fn write(&self, artifact: &Artifact) -> Result<(), Failure> {
        if self.has(artifact) {
            return Ok(());
        }
        let file = self.path.join(&artifact.path);
        let unwritable = |source| self.failure(file.clone(), source);
        let folder = file.parent().unwrap_or(&self.path);
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let draft = folder.join(format!(".{name}{DRAFT}"));
        let written =
            std::fs::write(&draft, &artifact.bytes).and_then(|()| std::fs::rename(&draft, &file));
        written.map_err(|source| {
            let _ = std::fs::remove_file(&draft);
            unwritable(source)
        })?;
        self.is_begun.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn failure(&self, file: PathBuf, source: std::io::Error) -> Failure {
        Failure::Output { file, source, can_resume: self.is_begun.load(Ordering::Relaxed) }
    }

    /// Takes away a file of ours that says something that is no longer so.
    pub(super) fn remove(&self, path: &str) {
        // A file that stays is not named by the suite any more.
        let _ = std::fs::remove_file(self.path.join(path));
    }

    /// Takes away files of a folder that are not among these.
    pub(super) fn keep_only(&self, folder: &Path, artifacts: &[Artifact]) {
        let names: BTreeSet<&OsStr> = artifacts
            .iter()
            .filter(|artifact| artifact.path.parent() == Some(folder))
            .filter_map(|artifact| artifact.path.file_name())
            .collect();
        let entries = std::fs::read_dir(self.path.join(folder)).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| !names.contains(entry.file_name().as_os_str())) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn is_draft(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(DRAFT)
}
