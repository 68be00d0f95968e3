//! Runs programs for an installation: what they make is put into its place at the end, or not at all.

use crate::failure::Failure;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How the names of unfinished results begin.
const UNFINISHED: &str = ".unfinished-";
/// How often it is looked whether a program has ended.
pub(super) const PERIOD: Duration = Duration::from_millis(50);

/// A folder for what is not finished yet, on the same disk as the results. What an installation has left behind that was killed
/// is removed: whoever calls has locked the data folder, so none is going on.
pub(super) fn scratch(data: &Path) -> std::io::Result<TempDir> {
    for entry in std::fs::read_dir(data).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // What cannot be removed is in nobody's way.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(data)
}

/// Runs programs whose results are put into their place at the end.
pub(super) struct Runner<'a> {
    /// A folder that is removed in any case, on the same disk as the results.
    pub(super) scratch: &'a Path,
    /// Whether somebody has interrupted us.
    pub(super) is_stopped: &'a dyn Fn() -> bool,
}

/// How a program ended.
pub(super) struct Ran {
    pub(super) is_ok: bool,
    pub(super) output: String,
}

impl Runner<'_> {
    /// Puts something new in the place of what was there.
    pub(super) fn replace(&self, target: &Path, new: &Path) -> std::io::Result<()> {
        if target.exists() {
            let name = target.file_name().unwrap_or_default();
            std::fs::rename(target, self.scratch.join("old").with_extension(name))?;
        }
        std::fs::rename(new, target)
    }

    /// Runs a program to its end, or until somebody interrupts us.
    #[expect(clippy::disallowed_methods, reason = "the installer runs other programs")]
    pub(super) fn run(
        &self,
        program: &Path,
        words: &[OsString],
        environment: &[(&str, OsString)],
    ) -> Result<Ran, Failure> {
        let log = self.scratch.join("log");
        let unwritable = |source| Failure::Unwritable { file: log.clone(), source };
        let file = File::create(&log).map_err(unwritable)?;
        let errors = file.try_clone().map_err(unwritable)?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(file).stderr(errors);
        command.env("TMPDIR", self.scratch).envs(environment.iter().cloned());
        let not_started = |error: std::io::Error| Failure::NotInstalled {
            message: format!("{} does not start: {error}", program.display()),
            help: "symcrete doctor".to_string(),
        };
        // With the group everything ends that it starts.
        let mut child = command.process_group(0).spawn().map_err(not_started)?;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(not_started)? {
                break status;
            }
            if (self.is_stopped)() {
                let group = rustix::process::Pid::from_child(&child);
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                let _ = child.wait();
                return Err(Failure::Interrupted { can_resume: false });
            }
            std::thread::sleep(PERIOD);
        };
        let output = std::fs::read(&log).map_err(unwritable)?;
        Ok(Ran { is_ok: status.success(), output: String::from_utf8_lossy(&output).into_owned() })
    }
}

/// What a program said last.
pub(super) fn last_line(output: &str) -> String {
    let line = output.trim_end().lines().rev().find(|line| !line.trim().is_empty());
    line.map_or("it printed nothing".to_string(), |line| {
        line.trim().trim_start_matches("ERROR: ").to_string()
    })
}

#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
pub(super) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text)
        .map_err(|source| Failure::Unwritable { file: file.to_path_buf(), source })
}
