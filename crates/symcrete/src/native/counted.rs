//! How often each side of each branch was taken and which lines ran, as the compiler's instrumentation counted it.

use super::build::Built;
use super::limited::{self, RunError, run};
use super::{Settings, Tools};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use symcrete_emit::native::{NativeBranch, read_export, read_lines};

/// What one test's run counted.
pub(super) struct Counted {
    pub(super) branches: Vec<NativeBranch>,
    pub(super) lines: BTreeSet<(PathBuf, u32)>,
}

/// What one test's run counted; the error says why that is not known.
pub(super) fn counted(
    tools: &Tools,
    settings: &Settings,
    built: &Built,
    profile: &Path,
    folder: &Path,
    with_lines: bool,
) -> Result<Counted, String> {
    let (profdata, cov) = tools.coverage().ok_or("there are no tools for it")?;
    let indexed = folder.join("test.profdata");
    let mut command = limited::command(profdata);
    command.args(["merge", "-sparse", "-o"]).arg(&indexed).arg(profile);
    output_of(command, settings)?;
    let mut command = limited::command(cov);
    command.args(["export", "--format=text", "--skip-functions", "--skip-expansions"]);
    command.arg("--instr-profile").arg(&indexed).arg(&built.program);
    let export = output_of(command, settings)?;
    let unreadable = |error: serde_json::Error| error.to_string();
    let branches = read_export(export.as_bytes()).map_err(unreadable)?;
    let lines = match with_lines {
        true => read_lines(export.as_bytes()).map_err(unreadable)?,
        false => BTreeSet::new(),
    };
    Ok(Counted { branches, lines })
}

fn output_of(command: Command, settings: &Settings) -> Result<String, String> {
    match run(command, settings.time_max()) {
        Ok(exit) if exit.code == Some(0) => Ok(exit.output),
        Ok(exit) => Err(exit.output.lines().next().unwrap_or("no reason given").to_string()),
        Err(RunError::TooLong) => Err("it took too long".to_string()),
        Err(RunError::Io(error)) => Err(error.to_string()),
    }
}
