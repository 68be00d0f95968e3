//! Puts the parts together: which solver, where it is, how much it may do.

use crate::args::SolveArgs;
use crate::defaults;
use crate::failure::Failure;
use crate::ui;
use crate::watchdog::Watchdog;
use std::path::PathBuf;
use std::time::Duration;
use symcrete_solve::budget::STEPS_UNLIMITED;
use symcrete_solve::portfolio::Experience;
use symcrete_solve::smt::{Backend, Toolbox};
use symcrete_solve::smtlib::{Deciders, TextGroup};
use symcrete_solve::{Budget, Cancel, Setup, SolverKind};
use symcrete_term::Seed;

/// What decides the questions of a script.
pub(crate) fn deciders(args: &SolveArgs, experience: &Experience) -> Result<Deciders, Failure> {
    let kind = args.solver;
    let toolbox = toolbox();
    let setup = Setup { toolbox: &toolbox, seed: Seed(args.seed), experience: Some(experience) };
    let solver = kind.build(&setup)?;
    tell_missing_solvers(kind);
    let text_solver = Box::new(TextGroup::of_kind(kind, toolbox));

    let steps_max = args.steps.unwrap_or(STEPS_UNLIMITED);
    let time_max = Duration::from_secs_f64(args.timeout);
    let memory_max_bytes = args.memory << 20;
    let watchdog = Watchdog::start(time_max);
    let budget = Box::new(move || {
        let cancel = Cancel::new();
        watchdog.watch(cancel.clone());
        let mut budget = Budget::of_steps(steps_max).with_cancel(cancel);
        budget.wall_max = time_max;
        budget.memory_max_bytes = memory_max_bytes;
        budget
    });
    Ok(Deciders { solver, text_solver, budget })
}

/// What `--experience` names, if it is there already.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are read")]
pub(crate) fn experience(args: &SolveArgs) -> Result<Experience, Failure> {
    let Some(file) = args.experience.as_ref().filter(|file| file.exists()) else {
        return Ok(Experience::new());
    };
    let unreadable = |source| Failure::Unreadable { file: file.clone(), source };
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    Experience::parse(&text).map_err(|bad| Failure::Usage {
        message: format!("`{}` is no file of experience: {bad}", file.display()),
    })
}

/// Writes what was learnt where `--experience` says.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
pub(crate) fn keep_experience(args: &SolveArgs, experience: &Experience) -> Result<(), Failure> {
    let Some(file) = &args.experience else { return Ok(()) };
    let unwritable = |source| Failure::Unwritable { file: file.clone(), source };
    std::fs::write(file, experience.to_text()).map_err(unwritable)
}

/// Says which SMT solvers the chosen solver would use and does not find; it does without them.
pub(crate) fn tell_missing_solvers(kind: SolverKind) {
    if !kind.uses_smt_group() {
        return;
    }
    let installed = toolbox().available();
    let missing = Backend::ALL.iter().filter(|backend| !installed.contains(backend));
    let missing: Vec<&str> = missing.map(|backend| backend.name()).collect();
    if !missing.is_empty() {
        let names = missing.join(", ");
        ui::tell(&format!("SMT solvers that are not installed: {names}; {}", how_to_install()));
    }
}

/// What installs the solvers.
pub(crate) const INSTALL_COMMAND: &str = "symcrete doctor --install";
/// The environment with solvers, below the data folder.
pub(crate) const SOLVERS_FOLDER: &str = "solvers";

/// How a solver that is not there can be had.
pub(crate) fn how_to_install() -> String {
    match std::env::var_os(defaults::SOLVERS_VARIABLE) {
        None => format!("to install: {INSTALL_COMMAND}"),
        Some(_) => {
            format!("only the folders that {} names were searched", defaults::SOLVERS_VARIABLE)
        }
    }
}

/// The user's folder for what we install.
pub(crate) fn data_folder() -> Option<PathBuf> {
    // An empty or relative value counts as not set (XDG Base Directory Specification).
    let folder = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))?;
    Some(data.join("symcrete"))
}

/// Where solvers are: in the directories that a variable names, or else where `make tools` puts them,
/// seen from here or from our own executable, then on the `PATH`, then where `doctor --install` puts them.
pub(crate) fn toolbox() -> Toolbox {
    if let Some(directories) = std::env::var_os(defaults::SOLVERS_VARIABLE) {
        return Toolbox::new(std::env::split_paths(&directories).collect::<Vec<_>>());
    }
    let places = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    let mut directories: Vec<PathBuf> = Vec::new();
    for place in places.iter().flatten() {
        directories.extend(place.ancestors().map(|folder| folder.join(defaults::TOOLS_BIN)));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    directories.extend(std::env::split_paths(&path));
    directories.extend(data_folder().map(|data| data.join(SOLVERS_FOLDER).join("bin")));
    Toolbox::new(directories)
}
