//! The outer side of the sandbox: which walls this machine has, and programs behind them.
//!
//! The inner side is [`crate::contained`].

use super::limited::supervise;
use crate::contained::{COMMAND, NOBODY, Report, Stage, Wall};
use crate::defaults;
use crate::failure::Failure;
use clap::ValueEnum;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use symcrete_emit::native::Containment;

/// What the user wants.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// As much of it as this machine supports.
    Auto,
    /// All of it; if that is not possible, nothing is run.
    On,
    /// No sandbox: tests run with all your rights.
    Off,
}

/// The walls that tests run behind.
#[derive(Clone, Debug)]
pub(crate) struct Sandbox {
    walls: Vec<Wall>,
    /// What this machine does not have, and why.
    missing: Vec<(Wall, String)>,
    wanted: Wanted,
}

/// Trying takes a moment.
const TRIAL_TIME: Duration = Duration::from_secs(20);
/// Variables that tests need to find their libraries.
const PASSED_ON: &[&str] = &["PATH", "LD_LIBRARY_PATH"];
/// Sanitizers reserve more addresses than any limit on memory would give them, and have a limit of their own.
const SANITIZER_OPTIONS: &[&str] =
    &["ASAN_OPTIONS", "HWASAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS", "TSAN_OPTIONS"];
/// Those that reserve them.
const SHADOWING: &[&str] = &["address", "hwaddress", "leak", "memory", "thread"];

impl Sandbox {
    /// Tries what this machine has. An error if all of it was asked for and something is missing.
    pub(crate) fn choose(wanted: Wanted) -> Result<Sandbox, Failure> {
        let mut sandbox = Sandbox { walls: Vec::new(), missing: Vec::new(), wanted };
        if wanted == Wanted::Off {
            return Ok(sandbox);
        }
        let is_root = rustix::process::geteuid().is_root();
        sandbox.walls = Wall::value_variants().to_vec();
        if !is_root {
            sandbox.walls.retain(|wall| *wall != Wall::OtherUser);
        } else if !is_open_to_all(&std::env::temp_dir()) {
            let why = "the folder for temporary files is closed to other users";
            sandbox.give_up(Wall::OtherUser, why.to_string());
        }
        while !sandbox.walls.is_empty() {
            match sandbox.trial()? {
                Ok(()) => break,
                Err((Stage::Wall(wall), why)) => sandbox.give_up(wall, why),
                Err((Stage::Program, why)) => {
                    let suspect = match sandbox.walls.contains(&Wall::OtherUser) {
                        true => Wall::OtherUser,
                        false => sandbox.walls[0],
                    };
                    sandbox.give_up(suspect, why);
                }
            }
        }
        match wanted {
            Wanted::On if !sandbox.missing.is_empty() => {
                Err(Failure::NoSandbox { missing: sandbox.missing_texts() })
            }
            Wanted::On | Wanted::Auto | Wanted::Off => Ok(sandbox),
        }
    }

    fn give_up(&mut self, wall: Wall, why: String) {
        self.walls.retain(|other| *other != wall);
        // Mounts of its own has only who has a namespace for them.
        if wall == Wall::Namespaces && self.walls.contains(&Wall::Mounts) {
            self.give_up(Wall::Mounts, why.clone());
        }
        self.missing.push((wall, why));
    }

    /// Whether the walls can be put up.
    fn trial(&self) -> std::io::Result<Result<(), (Stage, String)>> {
        let folder = tempfile::tempdir()?;
        let scratch = match self.scratch(folder.path()) {
            // There are places with one user only.
            Err(error) if self.walls.contains(&Wall::OtherUser) => {
                return Ok(Err((Stage::Wall(Wall::OtherUser), error.to_string())));
            }
            scratch => scratch?,
        };
        let mut command = self.command(&scratch, TRIAL_TIME, 0, true);
        command.arg("--").arg(OURSELVES).arg("--version");
        let supervised = supervise(command, TRIAL_TIME)?;
        Ok(match supervised.reports.last() {
            Some(Report::Exited(0)) => Ok(()),
            Some(Report::Failed(stage, why)) => Err((*stage, why.clone())),
            Some(Report::Exited(_) | Report::Killed(_) | Report::TimedOut) | None => {
                Err((Stage::Program, "programs do not run there".to_string()))
            }
        })
    }

    /// A folder below another one that a program may write to.
    pub(super) fn scratch(&self, folder: &Path) -> std::io::Result<PathBuf> {
        let scratch = folder.join("scratch");
        if scratch.exists() {
            std::fs::remove_dir_all(&scratch)?;
        }
        std::fs::create_dir(&scratch)?;
        if self.walls.contains(&Wall::OtherUser) {
            chown(&scratch, Some(NOBODY), Some(NOBODY))?;
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o711))?;
        }
        Ok(scratch)
    }

    /// A program that was compiled must be one that the user of the tests can start.
    pub(super) fn open(&self, program: &Path) -> std::io::Result<()> {
        match self.walls.contains(&Wall::OtherUser) {
            true => std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)),
            false => Ok(()),
        }
    }

    /// A test program behind the walls, with a clean environment.
    pub(super) fn test(
        &self,
        program: &Path,
        test: Option<&str>,
        scratch: &Path,
        run: &TestRun<'_>,
    ) -> Command {
        let memory = if has_shadow(run.flags) { 0 } else { defaults::NATIVE_MEMORY_MIB << 20 };
        let is_off = self.wanted == Wanted::Off;
        let mut command = self.command(scratch, run.time_max, memory, !is_off);
        command.arg("--").arg(program).args(test);
        if !is_off {
            let passed_on =
                PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.env_clear().envs(passed_on);
            command.envs([("LANG", "C"), ("LC_ALL", "C")]);
            command.env("HOME", scratch).env("TMPDIR", scratch);
            let limit = format!("hard_rss_limit_mb={}", defaults::NATIVE_MEMORY_MIB);
            command.envs(SANITIZER_OPTIONS.iter().map(|name| (name, &limit)));
        }
        command.env("LLVM_PROFILE_FILE", run.profile);
        command
    }

    /// The start of a command line; the program comes after it.
    #[expect(clippy::disallowed_methods, reason = "the native proof runs tests")]
    fn command(
        &self,
        scratch: &Path,
        time_max: Duration,
        memory: u64,
        is_limited: bool,
    ) -> Command {
        let mut command = Command::new(OURSELVES);
        command.arg(COMMAND).arg("--time-ms").arg(time_max.as_millis().to_string());
        command.arg("--scratch").arg(scratch).arg("--memory").arg(memory.to_string());
        if is_limited {
            command.arg("--limited");
        }
        for wall in &self.walls {
            command.arg("--wall").arg(name(*wall));
        }
        command
    }

    /// For the report.
    pub(super) fn containment(&self) -> Containment {
        Containment {
            walls: self.wall_names(),
            missing: self.missing_texts(),
            is_off: self.wanted == Wanted::Off,
        }
    }

    /// What is around a test, by name.
    pub(crate) fn wall_names(&self) -> Vec<String> {
        self.walls.iter().copied().map(name).collect()
    }

    /// What is not, each with the reason.
    pub(crate) fn missing_texts(&self) -> Vec<String> {
        self.missing.iter().map(|(wall, why)| format!("{} ({why})", name(*wall))).collect()
    }
}

/// What one run of a test needs.
pub(super) struct TestRun<'a> {
    pub(super) time_max: Duration,
    /// Where its coverage goes.
    pub(super) profile: &'a Path,
    /// What it was compiled with.
    pub(super) flags: &'a [String],
}

/// Ourselves, also if the file was replaced in the meantime.
pub(super) const OURSELVES: &str = "/proc/self/exe";

fn name(wall: Wall) -> String {
    wall.to_possible_value().expect("no wall is hidden").get_name().to_string()
}

fn has_shadow(flags: &[String]) -> bool {
    let sanitizers = flags.iter().filter_map(|flag| flag.strip_prefix("-fsanitize="));
    sanitizers.flat_map(|names| names.split(',')).any(|name| SHADOWING.contains(&name))
}

/// Whether every user can pass through a folder.
fn is_open_to_all(folder: &Path) -> bool {
    const PASS: u32 = 0o001;
    let is_open = |folder: &Path| {
        std::fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().mode() & PASS != 0)
    };
    folder.canonicalize().is_ok_and(|folder| folder.ancestors().all(is_open))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sanitizers_that_reserve_addresses_are_known() {
        let flags = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        assert!(has_shadow(&flags("-Iinclude -fsanitize=undefined,address")));
        assert!(!has_shadow(&flags("-fsanitize=undefined -Daddress")));
    }
}
