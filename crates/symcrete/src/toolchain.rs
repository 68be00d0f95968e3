//! Which compiler a program is compiled with, by the data model that is asked for.

use crate::doctor::Packages;
use crate::failure::Failure;
use crate::{defaults, load, ui, wire};
use std::path::PathBuf;
use symcrete_program::data_model::DataModel;
use symcrete_program::frontend::{LibcProblem, NoLp64, ToolPart, Toolchain};

/// What `doctor --install` calls the C library of 64-bit programs, in the user's data folder.
pub(crate) const LIBC_FOLDER: &str = "lp64";

/// The compiler for a data model. Where there is none for 64 bits it is the one for 32, and that is said.
pub(crate) fn find(model: DataModel) -> Result<Toolchain, Failure> {
    let directories = load::path_directories();
    if model == DataModel::Lp64 {
        match Toolchain::find_lp64(&directories, &libc_folder().unwrap_or_default()) {
            Ok(toolchain) => return Ok(toolchain),
            // Without any compiler there is nothing to fall back to.
            Err(NoLp64::NoClang) => {}
            Err(problem) => ui::tell(&format!(
                "no 64-bit data model: {}; long and pointers have 4 bytes (--data-model ilp32)",
                cure(&problem)
            )),
        }
    }
    Ok(Toolchain::find(&directories)?)
}

/// Why there is no 64-bit data model, and what to do about it.
fn cure(problem: &NoLp64) -> String {
    match problem {
        NoLp64::NoClang => "there is no clang".to_owned(),
        NoLp64::Tool(ToolPart { what, package, .. }) => {
            format!("{what} was not found: {}", Packages::of_machine().command(package))
        }
        NoLp64::Libc(problem) => format!("{problem}: {}", how_to_build(*problem)),
    }
}

/// The command that builds the library.
pub(crate) fn how_to_build(problem: LibcProblem) -> &'static str {
    match problem {
        LibcProblem::Missing | LibcProblem::Stale | LibcProblem::Damaged => {
            "symcrete doctor --install"
        }
    }
}

/// Where the C library of 64-bit programs is.
pub(crate) fn libc_folder() -> Option<PathBuf> {
    let named = std::env::var_os(defaults::LIBC_VARIABLE).map(PathBuf::from);
    named.or_else(|| Some(wire::data_folder()?.join(LIBC_FOLDER)))
}
