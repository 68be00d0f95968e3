//! Test frameworks in the native proof: where they are, and what they say of each test.

use super::limited::{self, run_supervised};
use super::{Settings, Tools};
use crate::defaults;
use std::path::{Path, PathBuf};
use symcrete_emit::Framework;

/// What compiling tests of a framework needs.
#[derive(Clone, Default, Debug)]
pub(super) struct Needs {
    pub(super) flags: Vec<String>,
    /// Its own sources, and libraries.
    pub(super) link: Vec<String>,
    /// Why the framework itself is not used.
    pub(super) note: Option<String>,
}

const UNITY: &str = include_str!("stand_in/unity.h");
const CMOCKA: &str = include_str!("stand_in/cmocka.h");

/// Finds a framework, or puts a stand-in for it into the folder: the tests are the same.
pub(super) fn needs(
    framework: Framework,
    tools: &Tools,
    settings: &Settings,
    folder: &Path,
) -> std::io::Result<Needs> {
    let found = match framework {
        Framework::Plain => return Ok(Needs::default()),
        Framework::Unity => unity(settings),
        Framework::Cmocka => cmocka(tools, settings, folder)?,
    };
    if let Some(needs) = found {
        return Ok(needs);
    }
    let (name, text) = match framework {
        Framework::Unity => ("unity.h", UNITY),
        Framework::Plain | Framework::Cmocka => ("cmocka.h", CMOCKA),
    };
    let headers = folder.join("stand_in");
    write(&headers.join(name), text)?;
    Ok(Needs {
        flags: vec![format!("-I{}", headers.display())],
        link: Vec::new(),
        note: Some(format!(
            "{} is not installed, so tests ran with replacements for its macros",
            framework.name()
        )),
    })
}

#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(file.parent().unwrap_or(file))?;
    std::fs::write(file, text)
}

/// Unity is two headers and a source that projects carry along: in a folder of the flags, or where `make tools` has it.
fn unity(settings: &Settings) -> Option<Needs> {
    let of_flags = settings.flags.iter().filter_map(|flag| flag.strip_prefix("-I"));
    let of_flags = of_flags.map(|folder| settings.root.join(folder));
    let places = [Some(settings.root.clone()), std::env::current_exe().ok()];
    let ancestors = |place: PathBuf| -> Vec<PathBuf> {
        place.ancestors().map(|folder| folder.join(defaults::UNITY_FOLDER)).collect()
    };
    let installed = places.into_iter().flatten().flat_map(ancestors);
    let has_both =
        |folder: &PathBuf| folder.join("unity.c").is_file() && folder.join("unity.h").is_file();
    let folder = of_flags.chain(installed).find(has_both)?;
    Some(Needs {
        flags: vec![format!("-I{}", folder.display())],
        link: vec![folder.join("unity.c").display().to_string()],
        note: None,
    })
}

/// cmocka is a library of the system: whether it is there, linking tells.
fn cmocka(tools: &Tools, settings: &Settings, folder: &Path) -> std::io::Result<Option<Needs>> {
    const PROBE: &str = "#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n\
        #include <stdint.h>\n#include <cmocka.h>\n\
        int main(void) { const struct CMUnitTest tests[1] = {{0}}; return cmocka_run_group_tests(tests, NULL, NULL); }\n";
    let probe = folder.join("probe.c");
    write(&probe, PROBE)?;
    let mut command = limited::compiler(&tools.compiler, settings.time_max());
    command.current_dir(&settings.root).args(&settings.flags).arg(&probe);
    command.arg("-o").arg(folder.join("probe.exe")).arg("-lcmocka");
    let works = run_supervised(command, settings.time_max()).is_ok_and(|exit| exit.code == Some(0));
    let link = vec!["-lcmocka".to_string()];
    Ok(works.then_some(Needs { link, ..Needs::default() }))
}

/// What the output of a program says of one of its tests: `None` if nothing, else its complaint.
pub(super) fn verdict(
    framework: Framework,
    output: &str,
    test: &str,
) -> Option<Result<(), String>> {
    match framework {
        // `file.c:12:test_f_1:PASS`, `file.c:12:test_f_1:FAIL: why`
        Framework::Plain | Framework::Unity => output.lines().find_map(|line| {
            let (place, said) = line.split_once(&format!(":{test}:"))?;
            match said.strip_prefix("FAIL") {
                Some(why) => Some(Err(format!("{place}{why}"))),
                None => said.starts_with("PASS").then_some(Ok(())),
            }
        }),
        // `[       OK ] test_f_1`; a complaint stands before `[  FAILED  ] test_f_1`
        Framework::Cmocka => {
            let mut complaint = String::new();
            for line in output.lines() {
                let line = line.strip_prefix('[').unwrap_or(line);
                let (tag, rest) = line.split_once(']').unwrap_or(("", line));
                match (tag.trim(), rest.trim() == test) {
                    ("OK", true) => return Some(Ok(())),
                    ("FAILED", true) => return Some(Err(complaint)),
                    ("ERROR", _) => complaint = rest.trim().trim_start_matches("--- ").to_string(),
                    _ => {}
                }
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_understood() {
        let unity = "a.c:3:test_f_1:PASS\nx.c:9:test_f_10:FAIL: result == 3\n";
        let said = |test| verdict(Framework::Unity, unity, test);
        assert_eq!(said("test_f_1"), Some(Ok(())));
        assert_eq!(said("test_f_10"), Some(Err("x.c:9: result == 3".to_string())));
        assert_eq!(said("test_f_2"), None);
        let cmocka = "[==========] Running 3 test(s).\n[ RUN      ] test_f_1\n[       OK ] test_f_1\n\
            [ RUN      ] test_f_2\n[  ERROR   ] --- result == 3\n[   LINE   ] --- x.c:9: error: Failure!\n\
            [  FAILED  ] test_f_2\n";
        let said = |test| verdict(Framework::Cmocka, cmocka, test);
        assert_eq!(said("test_f_1"), Some(Ok(())));
        assert_eq!(said("test_f_2"), Some(Err("result == 3".to_string())));
        assert_eq!(said("test_f_3"), None);
    }
}
