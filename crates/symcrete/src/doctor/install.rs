//! `doctor --install`: puts the C library of 64-bit programs and the SMT solvers into the user's data folder.
//!
//! The solvers are a Python environment with the packages of `tools/requirements.txt`, which `make tools` installs too. It is made under
//! another name and renamed when every solver in it has answered, so nobody ever finds half of it.

use super::{install_libc, smt_solvers};
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use crate::interrupt::Graceful;
use crate::{load, ui, wire};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use symcrete_solve::Cancel;
use symcrete_solve::smt::{Backend, Toolbox};

/// The packages, one on each line.
const REQUIREMENTS: &str = include_str!("../../../../tools/requirements.txt");
/// A copy of the requirements in the environment that was made from them.
const STAMP: &str = "requirements.txt";
/// How the names of unfinished environments begin.
const UNFINISHED: &str = ".unfinished-";
/// How often it is looked whether a program has ended.
const PERIOD: Duration = Duration::from_millis(50);

/// A package, and whether everything works without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Requirement {
    /// With its version: `z3-solver==5.4.0.0`.
    package: &'static str,
    is_optional: bool,
}

fn requirements() -> impl Iterator<Item = Requirement> {
    REQUIREMENTS.lines().filter_map(|line| {
        let (package, remark) = line.split_once('#').unwrap_or((line, ""));
        let (package, is_optional) = (package.trim(), remark.trim() == "optional");
        (!package.is_empty()).then_some(Requirement { package, is_optional })
    })
}

/// Whether everything works without a solver, with fewer answers.
pub(super) fn is_optional(backend: Backend) -> bool {
    let mut requirements = requirements();
    requirements.any(|each| each.is_optional && each.package.starts_with(backend.name()))
}

/// Installs what is not there.
pub(super) fn install() -> Result<(), Failure> {
    let Some(data) = wire::data_folder() else {
        return Err(failure("there is no folder to install into", "set HOME or XDG_DATA_HOME"));
    };
    let unwritable = |source| Failure::Unwritable { file: data.clone(), source };
    std::fs::create_dir_all(&data).map_err(unwritable)?;
    let _lock = FolderLock::to_write(&data)?;
    remove_unfinished(&data);
    let graceful = Graceful::start("removing what was installed so far");
    let unfinished =
        tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&data).map_err(unwritable)?;
    let runner = Runner { scratch: unfinished.path(), cancel: &graceful.cancel };
    install_libc::install(&runner)?;
    install_solvers(&data, &runner)
}

fn install_solvers(data: &Path, runner: &Runner<'_>) -> Result<(), Failure> {
    let unwritable = |source| Failure::Unwritable { file: data.to_path_buf(), source };
    let target = data.join(wire::SOLVERS_FOLDER);
    if is_complete(&target) {
        ui::tell(&format!("the SMT solvers are installed already in {}", target.display()));
        return Ok(());
    }
    let environment = runner.scratch.join("environment");
    let installer = Installer { environment: &environment, runner };
    installer.make_environment()?;
    for requirement in requirements() {
        installer.add(requirement)?;
    }
    installer.check()?;
    write(&environment.join(STAMP), REQUIREMENTS)?;
    runner.replace(&target, &environment).map_err(unwritable)?;
    ui::tell(&format!("the SMT solvers are in {}", target.display()));
    Ok(())
}

/// Whether all solvers are there in the versions that we want, and answer.
fn is_complete(target: &Path) -> bool {
    let toolbox = Toolbox::new([target.join("bin")]);
    let stamp = std::fs::read(target.join(STAMP)).unwrap_or_default();
    stamp == REQUIREMENTS.as_bytes()
        && Backend::ALL.iter().all(|&backend| smt_solvers::answers(&toolbox, backend).is_ok())
}

/// Removes what was left behind by an installation that was killed; the lock says that none is going on.
fn remove_unfinished(data: &Path) {
    for entry in std::fs::read_dir(data).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // What cannot be removed is in nobody's way.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Fills one environment.
struct Installer<'a> {
    environment: &'a Path,
    runner: &'a Runner<'a>,
}

impl Installer<'_> {
    fn make_environment(&self) -> Result<(), Failure> {
        let directories = load::path_directories();
        let python = directories.iter().map(|folder| folder.join("python3"));
        let Some(python) = python.into_iter().find(|file| file.is_file()) else {
            return Err(failure("python3 was not found", &venv_cure()));
        };
        ui::tell("making a Python environment for the SMT solvers");
        let words = ["-m".into(), "venv".into(), self.environment.as_os_str().to_owned()];
        match self.runner.run(&python, &words)? {
            Ran { is_ok: true, .. } => Ok(()),
            Ran { output, .. } => {
                let message = format!(
                    "{} cannot make environments: {}",
                    python.display(),
                    last_line(&output)
                );
                Err(failure(&message, &venv_cure()))
            }
        }
    }

    fn add(&self, requirement: Requirement) -> Result<(), Failure> {
        let Requirement { package, is_optional } = requirement;
        ui::tell(&format!("installing {package}"));
        let words = "-m pip install --quiet --disable-pip-version-check --no-input --retries 2 --only-binary :all:";
        let words = words.split(' ').chain([package]).map(Into::into).collect::<Vec<_>>();
        match self.runner.run(&self.environment.join("bin/python3"), &words)? {
            Ran { is_ok: true, .. } => Ok(()),
            Ran { output, .. } if is_optional => {
                let why = pip_problem(&output);
                ui::tell(&format!("{package} cannot be installed and is left out: {why}"));
                Ok(())
            }
            Ran { output, .. } => {
                let message = format!("{package} cannot be installed: {}", pip_problem(&output));
                Err(failure(&message, PIP_CURE))
            }
        }
    }

    /// Asks every solver that must be there.
    fn check(&self) -> Result<(), Failure> {
        let toolbox = Toolbox::new([self.environment.join("bin")]);
        for &backend in Backend::ALL.iter().filter(|&&backend| !is_optional(backend)) {
            smt_solvers::answers(&toolbox, backend).map_err(|why| {
                failure(
                    &format!("{backend} was installed, but {why}"),
                    "`symcrete solvers` lists the others",
                )
            })?;
        }
        Ok(())
    }
}

/// Runs programs whose results are put into their place at the end.
pub(super) struct Runner<'a> {
    /// A folder that is removed in any case, on the same disk as the results.
    pub(super) scratch: &'a Path,
    cancel: &'a Cancel,
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
    pub(super) fn run(&self, program: &Path, words: &[std::ffi::OsString]) -> Result<Ran, Failure> {
        let log = self.scratch.join("log");
        let unwritable = |source| Failure::Unwritable { file: log.clone(), source };
        let file = File::create(&log).map_err(unwritable)?;
        let errors = file.try_clone().map_err(unwritable)?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(file).stderr(errors);
        command.env("TMPDIR", self.scratch);
        // With the group everything ends that it starts.
        let not_started = |error: std::io::Error| {
            failure(&format!("{} does not start: {error}", program.display()), &venv_cure())
        };
        let mut child = command.process_group(0).spawn().map_err(not_started)?;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(not_started)? {
                break status;
            }
            if self.cancel.check().is_err() {
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

/// How a program ended.
pub(super) struct Ran {
    pub(super) is_ok: bool,
    pub(super) output: String,
}

/// What helps where pip fails; a firm may have an index of its own.
const PIP_CURE: &str = "with a network, or with pip's own settings for a mirror (PIP_INDEX_URL, PIP_FIND_LINKS), try again; \
                        SYMCRETE_SOLVERS names folders that have the solvers already";

fn venv_cure() -> String {
    super::packages::Packages::of_machine().command("python3-venv")
}

/// What pip's messages mean.
fn pip_problem(output: &str) -> String {
    const UNREACHABLE: &[&str] = &[
        "NewConnectionError",
        "ConnectTimeoutError",
        "ProxyError",
        "Name or service not known",
        "Connection refused",
    ];
    if output.contains("No module named pip") {
        return "this Python has no pip".to_string();
    }
    if UNREACHABLE.iter().any(|words| output.contains(words)) {
        return "the package index cannot be reached".to_string();
    }
    last_line(output)
}

pub(super) fn last_line(output: &str) -> String {
    let line = output.trim_end().lines().rev().find(|line| !line.trim().is_empty());
    line.map_or("it says nothing".to_string(), |line| {
        line.trim().trim_start_matches("ERROR: ").to_string()
    })
}

fn failure(message: &str, help: &str) -> Failure {
    Failure::NotInstalled { message: message.to_string(), help: help.to_string() }
}

#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let unwritable = |source| Failure::Unwritable { file: PathBuf::from(file), source };
    std::fs::write(file, text).map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requirements_are_one_package_for_each_solver() {
        let packages: Vec<Requirement> = requirements().collect();
        assert_eq!(packages.len(), Backend::ALL.len());
        for &backend in Backend::ALL {
            let own = packages.iter().filter(|each| each.package.starts_with(backend.name()));
            assert_eq!(own.count(), 1, "{backend}");
        }
        assert!(packages.iter().all(|each| each.package.contains("==")));
        assert!(is_optional(Backend::Cvc5) && !is_optional(Backend::Z3));
    }

    #[test]
    fn what_pip_says_is_put_into_words() {
        let unreachable =
            "WARNING: Retrying … NewConnectionError('…')\nERROR: No matching distribution";
        assert_eq!(pip_problem(unreachable), "the package index cannot be reached");
        assert_eq!(
            pip_problem("x\nERROR: No matching distribution\n\n"),
            "No matching distribution"
        );
        assert_eq!(pip_problem(""), "it says nothing");
    }
}
