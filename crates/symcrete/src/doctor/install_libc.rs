//! `doctor --install`: builds the C library of 64-bit programs into the user's data folder.
//!
//! The script that does it comes with the front end, and `make tools` calls it too. Programs can be compiled without the library,
//! with narrower types, so that a machine on which it cannot be built is told so and no more.

use super::install::{Ran, Runner, last_line};
use crate::failure::Failure;
use crate::{load, toolchain, ui, wire};
use std::path::{Path, PathBuf};
use symcrete_program::frontend::{self, NoLp64, Survey, Toolchain};

/// Builds the library, unless it is there and whole.
pub(super) fn install(runner: &Runner<'_>) -> Result<(), Failure> {
    let Some(target) = wire::data_folder().map(|data| data.join(toolchain::LIBC_FOLDER)) else {
        return Ok(());
    };
    let directories = load::path_directories();
    match Toolchain::find_lp64(&directories, &target) {
        Ok(_) => {
            ui::tell(&format!("the 64-bit C library is installed already in {}", target.display()));
            return Ok(());
        }
        Err(NoLp64::Libc(_)) => {}
        // The check behind the installation names what is missing.
        Err(NoLp64::NoClang | NoLp64::Tool(_)) => return Ok(()),
    }
    let Some((clang, archiver)) = Survey::of_machine(&directories).and_then(|survey| {
        let archiver = survey.archiver()?;
        Some((survey.clang().to_path_buf(), archiver))
    }) else {
        ui::tell("the 64-bit C library cannot be built: llvm-ar was not found");
        return Ok(());
    };
    ui::tell("building the 64-bit C library, which takes up to a minute");
    let unwritable = |source| Failure::Unwritable { file: target.clone(), source };
    let script = frontend::unpack_libc_sources(&runner.scratch.join("libc")).map_err(unwritable)?;
    let built = runner.scratch.join("built");
    let words = [&script, &built, &clang, &archiver].map(|path: &PathBuf| path.into());
    match runner.run(Path::new("/bin/sh"), &words)? {
        Ran { is_ok: true, .. } => {
            runner.replace(&target, &built).map_err(unwritable)?;
            ui::tell(&format!("the 64-bit C library is in {}", target.display()));
        }
        Ran { output, .. } => ui::tell(&format!(
            "the 64-bit C library cannot be built: {}; with a network, or with the archive of musl's sources in MUSL_SOURCE, \
             try again",
            last_line(&output)
        )),
    }
    Ok(())
}
