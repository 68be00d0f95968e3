//! `doctor --install`: puts the C library of 64-bit programs and the SMT solvers into the user's data folder.
//!
//! The solvers are a Python environment with the packages of `tools/requirements.txt`, which `make tools` installs too. It is made under
//! another name and renamed when every solver in it has answered, so nobody ever finds half of it.

use super::runner::{self, Ran, Runner, last_line, write};
use super::{install_libc, smt_solvers};
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use crate::interrupt::Graceful;
use crate::{load, ui, wire};
use std::path::Path;
use symcrete_solve::smt::{Backend, Toolbox};

/// The packages, one on each line.
const REQUIREMENTS: &str = include_str!("../../../../tools/requirements.txt");
/// A copy of the requirements in the environment that was made from them.
const STAMP: &str = "requirements.txt";

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
    let graceful = Graceful::start("removing what was installed so far");
    let is_stopped = || graceful.cancel.check().is_err();
    let unfinished = runner::scratch(&data).map_err(unwritable)?;
    let runner = Runner { scratch: unfinished.path(), is_stopped: &is_stopped };
    install_libc::install(&runner)?;
    install_solvers(&data, &runner)
}

fn install_solvers(data: &Path, runner: &Runner<'_>) -> Result<(), Failure> {
    let unwritable = |source| Failure::Unwritable { file: data.to_path_buf(), source };
    let target = data.join(wire::SOLVERS_FOLDER);
    if is_complete(&target) {
        ui::tell(&format!("the SMT solvers are already installed in {}", target.display()));
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
        ui::tell("creating a Python environment for the SMT solvers");
        let words = ["-m".into(), "venv".into(), self.environment.as_os_str().to_owned()];
        match self.runner.run(&python, &words, &[])? {
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
        match self.runner.run(&self.environment.join("bin/python3"), &words, &[])? {
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

fn failure(message: &str, help: &str) -> Failure {
    Failure::NotInstalled { message: message.to_string(), help: help.to_string() }
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
        assert_eq!(pip_problem(""), "it printed nothing");
    }
}
