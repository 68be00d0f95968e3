//! Compiled code as files, beside the modules it was compiled from.

use std::path::PathBuf;
use symcrete_exec::CodeCache;

/// A folder of code that only its user can write.
pub(crate) struct CodeFiles {
    pub(crate) folder: PathBuf,
}

impl CodeFiles {
    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.code"))
    }
}

impl CodeCache for CodeFiles {
    fn find(&self, key: &str) -> Option<Vec<u8>> {
        std::fs::read(self.file(key)).ok()
    }

    /// Others see the whole file or none.
    #[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
    fn store(&self, key: &str, bytes: &[u8]) {
        let draft = self.folder.join(format!("{key}.{}", std::process::id()));
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(&draft, bytes))
            .and_then(|()| std::fs::rename(&draft, self.file(key)));
        if let Err(error) = written {
            tracing::info!(folder = %self.folder.display(), %error, "code is not kept");
            let _ = std::fs::remove_file(&draft);
        }
    }
}
