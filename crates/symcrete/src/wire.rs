//! Puts the parts together: which solver, where it is, how much it may do.

use crate::args::SolveArgs;
use crate::defaults;
use crate::failure::Failure;
use crate::watchdog::Watchdog;
use std::path::PathBuf;
use std::time::Duration;
use symcrete_solve::budget::STEPS_UNLIMITED;
use symcrete_solve::smt::Toolbox;
use symcrete_solve::smtlib::{Deciders, TextGroup};
use symcrete_solve::{Budget, Cancel, Setup};
use symcrete_term::Seed;

/// What decides the questions of a script.
pub(crate) fn deciders(args: &SolveArgs) -> Result<Deciders, Failure> {
    let kind = args.solver;
    let toolbox = toolbox();
    let setup = Setup { toolbox: &toolbox, seed: Seed(args.seed) };
    let solver = kind.build(&setup)?;
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

/// Where solvers are: in the directories that a variable names, or else where `make tools` puts them,
/// seen from here or from our own executable, and then on the `PATH`.
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
    Toolbox::new(directories)
}
