//! Files of the output folder: each is there whole or not at all, and each that we write is listed.
//!
//! **Invariant:** a file that is not on the list is never changed or removed. `suite.json` has the list, and has
//! it before the file is written, so that a run that is killed leaves nothing that a later one does not know.

use crate::defaults::SUITE_FILE;
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use symcrete_emit::Artifact;

/// Files that are being written end like this.
const DRAFT: &str = ".symcrete.draft";

/// A folder that we write.
pub(super) struct Files {
    path: PathBuf,
    _lock: FolderLock,
    /// What we wrote or are about to, relative to the folder; not the suite itself.
    owned: Mutex<BTreeSet<PathBuf>>,
    /// Whether a file has been written.
    is_begun: AtomicBool,
}

impl Files {
    /// Makes the folder if it is not there, and keeps other runs out of it.
    pub(super) fn open(path: &Path) -> Result<Files, Failure> {
        if path.exists() && !path.is_dir() || path.ancestors().any(Path::is_file) {
            let what = if path.exists() { "is a file" } else { "is below a file" };
            let path = path.display();
            let message = format!("`{path}` {what}: name a folder for the tests with --out");
            return Err(Failure::Usage { message });
        }
        std::fs::create_dir_all(path).map_err(|source| Failure::Output {
            file: path.to_owned(),
            source,
            can_resume: false,
        })?;
        Ok(Files {
            path: path.to_owned(),
            _lock: FolderLock::to_write(path)?,
            owned: Mutex::default(),
            is_begun: AtomicBool::new(false),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether something is there that must not be lost.
    pub(super) fn is_taken(&self) -> Result<bool, Failure> {
        let unreadable = |source| Failure::Unreadable { file: self.path.clone(), source };
        let mut entries = std::fs::read_dir(&self.path).map_err(unreadable)?;
        Ok(entries.any(|entry| entry.is_ok_and(|entry| !is_draft(&entry.file_name()))))
    }

    /// Takes over the list of an earlier run of ours. Returns whether there is one.
    pub(super) fn adopt(&self) -> bool {
        let bytes = std::fs::read(self.path.join(SUITE_FILE)).unwrap_or_default();
        let suite: Json = serde_json::from_slice(&bytes).unwrap_or_default();
        let is_ours = suite["tool"].as_str().is_some_and(|tool| tool.starts_with("symcrete "));
        let Some(files) = suite["files"].as_array().filter(|_| is_ours) else { return false };
        let files = files.iter().filter_map(Json::as_str).map(PathBuf::from);
        self.owned().extend(files.filter(|file| is_below(file)));
        true
    }

    /// The files that we wrote, for the suite.
    pub(super) fn list(&self) -> Vec<String> {
        self.owned().iter().map(|file| file.display().to_string()).collect()
    }

    /// Puts files on the list before they are written. Returns whether the list has become longer.
    pub(super) fn claim<'a>(
        &self,
        files: impl IntoIterator<Item = &'a Path>,
    ) -> Result<bool, Failure> {
        let mut owned = self.owned();
        let before = owned.len();
        for file in files {
            if owned.contains(file) {
                continue;
            }
            let path = self.path.join(file);
            if path.symlink_metadata().is_ok() {
                let message = format!(
                    "`{}` was not written by symcrete and is not replaced: move it away",
                    path.display()
                );
                return Err(Failure::Usage { message });
            }
            owned.insert(file.to_owned());
        }
        Ok(owned.len() > before)
    }

    /// Takes away all that earlier runs of ours wrote except the suite. Returns what others put there.
    pub(super) fn clear(&self) -> Result<Vec<PathBuf>, Failure> {
        let owned = std::mem::take(&mut *self.owned());
        for file in &owned {
            let path = self.path.join(file);
            match self.unlink(file) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(self.failure(path, source)),
            }
        }
        // Deepest first; a folder that others use is not empty and stays.
        let folders: BTreeSet<&Path> =
            owned.iter().flat_map(|file| file.ancestors().skip(1)).collect();
        for folder in folders.iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
            let _ = std::fs::remove_dir(self.path.join(folder));
        }
        let mut others: Vec<PathBuf> = Vec::new();
        self.walk(&mut |file| {
            others.push(file.strip_prefix(&self.path).unwrap_or(file).to_owned())
        });
        others.retain(|file| file != Path::new(SUITE_FILE));
        others.sort();
        Ok(others)
    }

    /// Takes away what a run that was killed had begun to write.
    pub(super) fn remove_drafts(&self) {
        self.walk(&mut |file| {
            if file.file_name().is_some_and(is_draft) {
                // What stays does no harm.
                let _ = std::fs::remove_file(file);
            }
        });
    }

    /// Every file of the folder; what links lead to is elsewhere.
    fn walk(&self, visit: &mut dyn FnMut(&Path)) {
        let mut pending = vec![self.path.clone()];
        while let Some(folder) = pending.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => pending.push(entry.path()),
                    false => visit(&entry.path()),
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
    pub(super) fn remove(&self, file: &Path) {
        // A file that cannot be removed stays on the list, and the suite does not name it as a test any more.
        let mut owned = self.owned();
        if owned.contains(file) && self.unlink(file).is_ok() {
            owned.remove(file);
        }
    }

    /// Takes away files of ours in a folder that are not among these.
    pub(super) fn keep_only(&self, folder: &Path, artifacts: &[Artifact]) {
        let is_stale = |file: &&PathBuf| {
            file.parent() == Some(folder)
                && artifacts.iter().all(|artifact| artifact.path != **file)
        };
        let stale: Vec<PathBuf> = self.owned().iter().filter(is_stale).cloned().collect();
        stale.iter().for_each(|file| self.remove(file));
    }

    /// Removes a file that is really in the folder: a link on the way would lead out of it.
    fn unlink(&self, file: &Path) -> std::io::Result<()> {
        let path = self.path.join(file);
        let parent = path.parent().unwrap_or(&self.path).canonicalize()?;
        if !parent.starts_with(self.path.canonicalize()?) {
            return Err(std::io::Error::other("a link leads out of the folder"));
        }
        std::fs::remove_file(&path)
    }

    fn owned(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a path stays in the folder that it starts from.
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
        && !path.as_os_str().is_empty()
}

fn is_draft(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(DRAFT)
}
