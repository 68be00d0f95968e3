//! `symcrete replay`: repeats the native proof of an output folder.

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::native::{self, Tools};
use crate::ui;

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let tools = Tools::choose(args.cc.as_deref())?;
    let native = native::prove_folder(&args.folder, &tools)?;
    ui::say(&match args.json {
        true => native::json(&native).to_string(),
        false => native::lines(&native).join("\n"),
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
