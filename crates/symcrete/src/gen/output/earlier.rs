//! What is in the output folder before anything is written.

use super::files::Files;
use crate::args::GenArgs;
use crate::defaults::SUITE_FILE;
use crate::failure::Failure;
use crate::r#gen::resume::Earlier;
use crate::ui;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use symcrete_emit::outputs::Head;
use symcrete_emit::suite::SuiteFile;

/// Whether the folder may be written, given what is there. Takes over the list of files where it is ours.
pub(super) fn may_use(files: &Files, is_taken: bool, args: &GenArgs) -> Result<(), Failure> {
    let path = files.path().display();
    let message = match (is_taken, args.force, args.resume) {
        (false, _, _) => return Ok(()),
        (true, false, false) => format!(
            "`{path}` exists: continue it with --resume, replace it with --force, or name another with --out"
        ),
        (true, _, _) if files.adopt() => return Ok(()),
        (true, true, _) => format!(
            "`{path}` has no {SUITE_FILE} of ours that lists its files, so it is not replaced: name another folder with --out"
        ),
        (true, false, true) => format!(
            "`{path}` has no {SUITE_FILE} of ours that lists its files, so there is nothing to resume: name another folder with --out"
        ),
    };
    Err(Failure::Usage { message })
}

/// Tells which files stay though the folder is replaced.
pub(super) fn tell_of_others(folder: &Path, others: &[PathBuf]) {
    const SHOWN_MAX: usize = 5;
    if others.is_empty() {
        return;
    }
    let shown: Vec<String> =
        others.iter().take(SHOWN_MAX).map(|file| file.display().to_string()).collect();
    let more = match others.len().saturating_sub(SHOWN_MAX) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let (folder, shown) = (folder.display(), shown.join(", "));
    ui::tell(&format!("kept the files in `{folder}` that symcrete did not write: {shown}{more}"));
}

/// What an earlier run left, by unit.
pub(super) fn earlier(folder: &Path, head: &Head<'_>) -> Result<BTreeMap<usize, Earlier>, Failure> {
    let program = head.program;
    let file = folder.join(SUITE_FILE);
    let unreadable = |source| Failure::Unreadable { file: file.clone(), source };
    let bytes = std::fs::read(&file).map_err(unreadable)?;
    let suite = SuiteFile::read(&bytes).map_err(|error| Failure::Usage {
        message: format!("{}: {error}: start anew with --force", file.display()),
    })?;
    if suite.framework != head.options.framework {
        let (name, path) = (suite.framework.name(), folder.display());
        let message = format!(
            "the tests in `{path}` are written for {name}: resume with --framework {name}, or start anew with --force"
        );
        return Err(Failure::Usage { message });
    }
    let mut units = BTreeMap::new();
    let mut n_changed = 0;
    for entry in suite.units {
        let Some(unit) = program.units.iter().position(|unit| entry.is_of(program, unit)) else {
            ui::tell(&format!(
                "warning: `{}` is no longer in the program: its tests are left out",
                entry.name
            ));
            continue;
        };
        let (earlier, errors) = Earlier::read(entry, &head.fingerprint);
        for error in errors {
            let name = &earlier.entry.name;
            ui::tell(&format!(
                "warning: {}: a test of `{name}` is left out: {error}",
                file.display()
            ));
        }
        n_changed += usize::from(!earlier.is_same_question);
        units.insert(unit, earlier);
    }
    if n_changed > 0 {
        let what = match suite.program == head.metadata.program_hash {
            true => "was made with other options or by another version of Symcrete",
            false => "is about another version of the program",
        };
        ui::tell(&format!(
            "`{}` {what}: functions are explored again, starting from its inputs",
            folder.display()
        ));
    }
    Ok(units)
}
