//! Generated files compile without warnings, run, and say what was observed.
//!
//! Each `tests/cases/emit/*.c` is a source with lines `//@ { … }`: a unit, an input and what a run of it showed.
//! The file goes through the front end, so types and names are the real ones; the tests of every unit are then
//! built with each compiler that there is, with `-Wall -Wextra -Werror`, and run.

#![expect(clippy::disallowed_methods, reason = "tests read cases and run compilers")]

mod emission {
    pub(crate) mod build;
    pub(crate) mod case;
    pub(crate) mod data;
}

use emission::{build, case, data};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use symcrete_emit::Framework;

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/emit");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the cases are there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    let mut trials = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        trials.push(Trial::test(name, move || check(&file)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(file: &Path) -> Result<(), Failed> {
    let case = case::Case::read(file)?;
    data::suite(&case)?;
    data::coverage(&case)?;
    data::exchange(&case)?;
    let text = std::fs::read_to_string(file)?;
    let is_for =
        |framework: &&Framework| **framework != Framework::Unity || !text.contains("Not for Unity");
    let mut n_reproducers = 0;
    for unit in &case.units {
        for &framework in Framework::ALL.iter().filter(is_for) {
            let folder = tempfile::tempdir()?;
            build::tests(&case, unit, framework, folder.path())?;
            if framework == Framework::Plain {
                n_reproducers += build::reproducers(&case, unit, folder.path())?;
            }
        }
    }
    let has_faults = text.contains("\"traps\"");
    if has_faults != (n_reproducers > 0) {
        return Err(format!("{n_reproducers} reproducers").into());
    }
    Ok(())
}
