//! `symcrete replay`: repeats the native proof of an output folder.

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use crate::r#gen::folding::Folding;
use crate::jobs::n_cores;
use crate::native::{self, Machine, Sandbox, Tools};
use crate::ui;
use crate::ui::progress::Progress;
use std::time::Duration;

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs, is_verbose: bool) -> Result<(), Failure> {
    let tools = Tools::choose(args.cc.as_deref())?;
    let sandbox = Sandbox::choose(args.native_sandbox)?;
    let _lock = match args.folder.is_dir() {
        true => Some(FolderLock::to_read(&args.folder)?),
        // That it is not there is said below.
        false => None,
    };
    let limits = native::TimeLimits { test: Duration::from_secs_f64(args.native_time), end: None };
    let progress = Progress::start(0);
    let machine = Machine {
        tools: &tools,
        sandbox: &sandbox,
        limits,
        n_workers: n_cores(),
        progress: &progress,
    };
    let native = native::prove_folder(&args.folder, machine);
    progress.finish();
    let native = native?;
    ui::say(&match args.json {
        true => native::json(&native).to_string(),
        false => {
            Folding::to_screen(is_verbose, |folding| native::lines(&native, folding).join("\n"))
        }
    })?;
    match native.is_as_recorded() {
        true => Ok(()),
        false => Err(Failure::Finding {
            message: format!(
                "{} tests and {} branch sides are not as recorded",
                native.failed.len(),
                native.coverage.len()
            ),
        }),
    }
}
