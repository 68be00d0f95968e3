//! Builds the C library of 64-bit programs into the user's data folder: for `doctor --install`, and for the first command that
//! compiles a program.
//!
//! The script that does it comes with the front end, and `make tools` calls it too. Programs can be compiled without the library,
//! with narrower types, so that a machine on which it cannot be built is told so and no more. That it cannot be built is remembered
//! for a day: nobody shall wait for the network at each command. `doctor --install` always tries.

use super::runner::{self, PERIOD, Ran, Runner, last_line, write};
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use crate::interrupt::Graceful;
use crate::{load, toolchain, ui, wire};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use symcrete_program::frontend::{self, NoLp64, Survey, Toolchain};

/// How long it is remembered that the library cannot be built.
const REMEMBERED: Duration = Duration::from_secs(24 * 3600);
/// The file that says so, in the data folder.
const FAILED: &str = "lp64.failed";
/// Names an archive of musl's sources; the script reads it.
const SOURCE_VARIABLE: &str = "MUSL_SOURCE";
/// Where there is no network, apt shall notice soon.
const APT_SETTINGS: &str =
    "Acquire::Retries \"0\";\nAcquire::http::Timeout \"10\";\nAcquire::https::Timeout \"10\";\n";

/// What came of building the library.
pub(crate) enum Built {
    /// It is there.
    Done,
    /// It cannot be built, for this reason.
    Failed(String),
}

/// Builds the library for `doctor`, unless it is there and whole.
pub(super) fn install(runner: &Runner<'_>) -> Result<(), Failure> {
    let Some(data) = wire::data_folder() else { return Ok(()) };
    let target = data.join(toolchain::LIBC_FOLDER);
    match Toolchain::find_lp64(&load::path_directories(), &target) {
        Ok(_) => {
            ui::tell(&format!("the 64-bit C library is already installed in {}", target.display()));
            return Ok(());
        }
        Err(NoLp64::Libc(_)) => {}
        // The check behind the installation names what is missing.
        Err(NoLp64::NoClang | NoLp64::Tool(_)) => return Ok(()),
    }
    match build(runner, &data)? {
        Built::Done => ui::tell(&format!("the 64-bit C library is in {}", target.display())),
        Built::Failed(why) => ui::tell(&format!(
            "the 64-bit C library cannot be built: {why}; {}, try again",
            toolchain::WHAT_BUILDING_NEEDS
        )),
    }
    Ok(())
}

/// Builds the library for a command that needs it now, unless that has failed lately. Of several commands at once, one builds and
/// the others wait. Only an interrupt is an error: whatever else goes wrong, programs can be compiled without the library.
pub(crate) fn build_on_first_use(stop: &AtomicBool) -> Result<Built, Failure> {
    let Some(data) = wire::data_folder() else {
        return Ok(Built::Failed(
            "there is no folder for it: set HOME or XDG_DATA_HOME".to_owned(),
        ));
    };
    let graceful = Graceful::unless_started("removing what was built so far");
    let is_interrupted =
        || graceful.as_ref().is_some_and(|graceful| graceful.cancel.check().is_err());
    let is_stopped = || stop.load(Ordering::Relaxed) || is_interrupted();
    match build_in_turn(&data, &is_stopped) {
        Err(Failure::Interrupted { can_resume }) => Err(Failure::Interrupted { can_resume }),
        Err(failure) => {
            let why = failure.help().map(|why| format!(": {why}")).unwrap_or_default();
            Ok(Built::Failed(format!("{failure}{why}")))
        }
        Ok(built) => Ok(built),
    }
}

fn build_in_turn(data: &Path, is_stopped: &dyn Fn() -> bool) -> Result<Built, Failure> {
    if let Some(why) = remembered(data) {
        return Ok(Built::Failed(why));
    }
    let unwritable = |source| Failure::Unwritable { file: data.to_path_buf(), source };
    std::fs::create_dir_all(data).map_err(unwritable)?;
    let _lock = FolderLock::wait_to_write(data, PERIOD, is_stopped)?;
    // Somebody else may have been here in the meantime.
    if frontend::check_libc(&data.join(toolchain::LIBC_FOLDER)).is_ok() {
        return Ok(Built::Done);
    }
    if let Some(why) = remembered(data) {
        return Ok(Built::Failed(why));
    }
    let unfinished = runner::scratch(data).map_err(unwritable)?;
    build(&Runner { scratch: unfinished.path(), is_stopped }, data)
}

fn build(runner: &Runner<'_>, data: &Path) -> Result<Built, Failure> {
    let target = data.join(toolchain::LIBC_FOLDER);
    let Some((clang, archiver)) = compiler() else {
        return Ok(Built::Failed("llvm-ar was not found".to_owned()));
    };
    ui::tell("building the 64-bit C library (once; takes up to a minute)");
    let unwritable = |source| Failure::Unwritable { file: target.clone(), source };
    let script = frontend::unpack_libc_sources(&runner.scratch.join("libc")).map_err(unwritable)?;
    let built = runner.scratch.join("built");
    let words = [&script, &built, &clang, &archiver].map(|path: &PathBuf| path.into());
    match runner.run(Path::new("/bin/sh"), &words, &apt_settings(runner.scratch)?)? {
        Ran { is_ok: true, .. } => {
            runner.replace(&target, &built).map_err(unwritable)?;
            // What is not there cannot be removed.
            let _ = std::fs::remove_file(data.join(FAILED));
            Ok(Built::Done)
        }
        Ran { output, .. } => {
            let why = last_line(&output);
            remember(data, &why)?;
            Ok(Built::Failed(why))
        }
    }
}

/// What compiles the library, and what makes one file of it.
fn compiler() -> Option<(PathBuf, PathBuf)> {
    let survey = Survey::of_lp64(&load::path_directories())?;
    Some((survey.clang().to_path_buf(), survey.archiver()?))
}

/// Tells apt to be quick, unless the user has told it something.
fn apt_settings(scratch: &Path) -> Result<Vec<(&'static str, OsString)>, Failure> {
    const VARIABLE: &str = "APT_CONFIG";
    if std::env::var_os(VARIABLE).is_some() {
        return Ok(Vec::new());
    }
    let file = scratch.join("apt.conf");
    write(&file, APT_SETTINGS)?;
    Ok(vec![(VARIABLE, file.into())])
}

/// Why the library could not be built lately, with what it would be built of now.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are read")]
fn remembered(data: &Path) -> Option<String> {
    let file = data.join(FAILED);
    // A time in the future is no good reason to believe it.
    let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    let text = std::fs::read_to_string(file).ok()?;
    let (parts, why) = text.split_once('\n')?;
    (age < REMEMBERED && parts == made_of()).then(|| why.trim_end().to_owned())
}

fn remember(data: &Path, why: &str) -> Result<(), Failure> {
    write(&data.join(FAILED), &format!("{}\n{why}\n", made_of()))
}

/// What the library would be made of: with other parts it may succeed.
fn made_of() -> String {
    let compiler = compiler().map(|(clang, _)| clang.display().to_string());
    let source = std::env::var_os(SOURCE_VARIABLE).unwrap_or_default();
    format!(
        "{} {} {}",
        frontend::libc_digest(),
        compiler.unwrap_or_default(),
        source.to_string_lossy().replace('\n', " ")
    )
}
