//! What `llvm-cov` shows of native runs, and lists of known differences. The engine's tests use this file too.

use super::build::{cases, file_name, run};
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use symcrete_program::{Branch, Position, Program};

/// File name, line, column.
pub(crate) type Place = (String, u64, u64);

/// How often a branch was true, and how often false.
pub(crate) type Counts = (u64, u64);

/// Where a branch of ours starts.
pub(crate) fn place_of(program: &Program, branch: &Branch) -> Place {
    let Position { file, line, column } = branch.position;
    (file_name(&program.file(file).path), u64::from(line), u64::from(column))
}

/// A file that was built natively with coverage.
pub(crate) struct Native {
    folder: tempfile::TempDir,
}

impl Native {
    pub(crate) fn build(source: &Path) -> Native {
        let native = Native { folder: tempfile::tempdir().unwrap() };
        let (source, program) = (source.to_str().unwrap(), native.path("program"));
        let coverage = ["-fprofile-instr-generate", "-fcoverage-mapping"];
        let arguments = [&["-w", "-fwrapv", source, "-lm", "-o", &program], &coverage[..]].concat();
        run("clang-19", &arguments);
        native
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs it. The branches that `llvm-cov` then shows, in its order; one in a macro is where the macro is called.
    pub(crate) fn shown(&self, arguments: &[&str]) -> BTreeMap<Place, Vec<Counts>> {
        let mut found: BTreeMap<Place, Vec<Counts>> = BTreeMap::new();
        for file in self.export(arguments)["data"][0]["files"].as_array().unwrap() {
            let name = file_name(Path::new(file["filename"].as_str().unwrap()));
            let mut add = |at: &Value, branch: &Value| {
                let number = |of: &Value, i: usize| of[i].as_u64().unwrap();
                let place = (name.clone(), number(at, 0), number(at, 1));
                found.entry(place).or_default().push((number(branch, 4), number(branch, 5)));
            };
            for branch in file["branches"].as_array().unwrap() {
                add(branch, branch);
            }
            for expansion in file["expansions"].as_array().unwrap() {
                for branch in expansion["branches"].as_array().unwrap() {
                    add(&expansion["source_region"], branch);
                }
            }
        }
        found
    }

    fn export(&self, arguments: &[&str]) -> Value {
        let (program, raw, profile) =
            (self.path("program"), self.path("raw"), self.path("profile"));
        let setting = format!("LLVM_PROFILE_FILE={raw}");
        run("env", &[&[setting.as_str(), &program], arguments].concat());
        run("llvm-profdata-19", &["merge", &raw, "-o", &profile]);
        let export =
            run("llvm-cov-19", &["export", &program, &format!("-instr-profile={profile}")]);
        serde_json::from_slice(&export).unwrap()
    }
}

/// Compares differences of a file with those that are known. A line of the list is a difference, ` -- ` and its reason.
#[expect(clippy::disallowed_methods, reason = "a test reads its data")]
pub(crate) fn compare_with_list(list: &str, file: &Path, actual: &[String]) -> Result<(), Failed> {
    let start = format!("{}:", file_name(file));
    let text = std::fs::read_to_string(cases("branches").join(list))?;
    let mut expected = Vec::new();
    for line in text.lines().filter(|line| line.starts_with(&start)) {
        let (difference, reason) = line.split_once(" -- ").ok_or("a difference without reason")?;
        assert!(!reason.is_empty(), "{line}");
        expected.push(difference);
    }
    let missing: Vec<&String> =
        actual.iter().filter(|line| !expected.contains(&line.as_str())).collect();
    let gone: Vec<&&str> =
        expected.iter().filter(|line| !actual.iter().any(|a| a == *line)).collect();
    match missing.is_empty() && gone.is_empty() {
        true => Ok(()),
        false => Err(Failed::from(format!("not in {list}: {missing:#?}\nno longer so: {gone:#?}"))),
    }
}
