//! One process of the native proof, in a scratch folder of its own.

use super::build::Built;
use super::counted::{Counted, counted};
use super::failures::explain;
use super::limited::{Exit, RunError, run_test};
use super::sandbox::TestRun;
use super::{Proof, Settings};
use std::path::{Path, PathBuf};
use symcrete_emit::native::Ended;

/// One process: a test, or all tests of a file.
pub(super) struct Job<'a> {
    pub(super) proof: &'a Proof<'a>,
    pub(super) built: &'a Built,
    /// `None`: all.
    pub(super) test: Option<&'a str>,
}

/// How a process ended.
pub(super) struct Ran {
    pub(super) ended: Result<Exit, Ended>,
    /// What it counted, where it came to its end; the error says why that is not known.
    pub(super) counted: Option<Result<Counted, String>>,
    /// What sanitizers say of a crash.
    pub(super) explained: Option<String>,
    /// Whether the time for all was up, so that its end says nothing.
    pub(super) is_over: bool,
}

impl Job<'_> {
    /// Runs the process in a scratch folder of its own, and reads what it counted.
    pub(super) fn run(&self) -> Ran {
        let settings = self.proof.settings;
        let not_run = |error: std::io::Error| Ended::Crashed(format!("it was not run: {error}"));
        let folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => {
                return Ran {
                    ended: Err(not_run(error)),
                    counted: None,
                    explained: None,
                    is_over: settings.is_over(),
                };
            }
        };
        let ended = self.run_in(folder.path());
        let is_over = settings.is_over();
        let is_counted = matches!(ended, Ok(Exit { code: Some(0 | 1), .. }))
            && self.built.uncounted.is_none()
            && !is_over;
        // The lines of a test that gives another result may tell why.
        let with_lines = settings.notes_lines || matches!(ended, Ok(Exit { code: Some(1), .. }));
        let counted = is_counted.then(|| {
            let profile = profile(folder.path());
            counted(self.proof.tools, settings, self.built, &profile, folder.path(), with_lines)
        });
        // What was cut short says nothing of the coverage.
        let counted = counted.filter(|counted| counted.is_ok() || !settings.is_over());
        let is_crash = matches!(ended, Ok(Exit { code, .. }) if !matches!(code, Some(0 | 1)));
        let proof = self.proof;
        let explain = || explain(proof.tools, settings, proof.file, self.test);
        let explained = (is_crash && !is_over).then(explain).flatten();
        Ran { ended, counted, explained, is_over }
    }

    fn run_in(&self, folder: &Path) -> Result<Exit, Ended> {
        let Settings { sandbox, flags, .. } = self.proof.settings;
        let time_max = self.proof.settings.left(self.proof.settings.limits.test);
        if time_max.is_zero() {
            return Err(Ended::TimedOut);
        }
        let not_run = |error: std::io::Error| Ended::Crashed(format!("it was not run: {error}"));
        let scratch = sandbox.scratch(folder).map_err(not_run)?;
        // Inside the sandbox only the folder around the scratch folder can be seen.
        let program = folder.join("tests.exe");
        std::fs::hard_link(&self.built.program, &program).map_err(not_run)?;
        sandbox.open(&program).map_err(not_run)?;
        let run = TestRun { time_max, profile: &profile(folder), flags };
        let command = || sandbox.test(&program, self.test, &scratch, &run);
        match run_test(command, time_max) {
            Ok(Exit { signal: Some(SIGXCPU), .. }) | Err(RunError::TooLong) => Err(Ended::TimedOut),
            Ok(exit) => Ok(exit),
            Err(RunError::Io(error)) => Err(not_run(error)),
        }
    }
}

/// Where a run leaves its coverage.
fn profile(folder: &Path) -> PathBuf {
    folder.join("scratch/test.profraw")
}

/// The kernel's word for: no processor time is left.
const SIGXCPU: i32 = 24;
