//! Which compiler a program is compiled with, by the data model that is asked for.

use crate::doctor::{self, Built, Packages};
use crate::failure::Failure;
use crate::{defaults, load, ui, wire};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use symcrete_program::data_model::DataModel;
use symcrete_program::frontend::{LibcProblem, NoLp64, ToolPart, Toolchain};

/// What `doctor --install` calls the C library of 64-bit programs, in the user's data folder.
pub(crate) const LIBC_FOLDER: &str = "lp64";

/// What helps where the library cannot be built.
pub(crate) const WHAT_BUILDING_NEEDS: &str =
    "with a network, or with the archive of musl's sources in MUSL_SOURCE";

/// The compiler for a data model. The C library of 64-bit programs is built where it is missing; the flag ends that. Where
/// there is no compiler for 64 bits it is the one for 32, and that is said.
pub(crate) fn find(model: DataModel, stop: &AtomicBool) -> Result<Toolchain, Failure> {
    let directories = load::path_directories();
    let problem = match model {
        DataModel::Lp64 => match find_lp64(&directories, stop)? {
            Ok(toolchain) => return Ok(toolchain),
            Err(problem) => problem,
        },
        DataModel::Ilp32 => None,
    };
    if let Some(problem) = problem {
        ui::tell(&format!(
            "no 64-bit data model: {problem}; long and pointers have 4 bytes (--data-model ilp32)"
        ));
    }
    Ok(Toolchain::find(&directories)?)
}

/// The compiler of 64-bit programs, or why there is none. Without any compiler there is nothing to say: then there is nothing to
/// fall back to.
fn find_lp64(
    directories: &[PathBuf],
    stop: &AtomicBool,
) -> Result<Result<Toolchain, Option<String>>, Failure> {
    let folder = libc_folder().unwrap_or_default();
    let problem = match Toolchain::find_lp64(directories, &folder) {
        Ok(toolchain) => return Ok(Ok(toolchain)),
        Err(NoLp64::NoClang) => return Ok(Err(None)),
        Err(problem) => problem,
    };
    // A folder that somebody names is theirs to fill.
    let is_ours = std::env::var_os(defaults::LIBC_VARIABLE).is_none();
    if !is_ours || matches!(problem, NoLp64::Tool(_)) {
        return Ok(Err(Some(cure(&problem))));
    }
    Ok(match doctor::build_on_first_use(stop)? {
        Built::Done => Toolchain::find_lp64(directories, &folder).map_err(|left| Some(cure(&left))),
        Built::Failed(why) => Err(Some(format!(
            "its C library cannot be built: {why}; {WHAT_BUILDING_NEEDS}: {}",
            wire::INSTALL_COMMAND
        ))),
    })
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
