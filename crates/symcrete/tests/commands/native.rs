//! Generated tests on this machine: frameworks, harnesses, and every kind of C in `tests/cases/emit/native`.

use super::{Done, command, finish, folder};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")
}

#[expect(clippy::disallowed_methods, reason = "tests read cases and what the binary writes")]
fn text_of(file: &Path) -> String {
    std::fs::read_to_string(file).expect("a text")
}

/// Writes tests for a file of the cases. What the file needs it says in a line `// gen: …`.
fn generate(file: &Path, words: &str) -> (TempDir, Json) {
    let out = folder();
    let path = out.path().join("out");
    let text = text_of(file);
    let needed = text.lines().find_map(|line| line.strip_prefix("// gen: ")).unwrap_or_default();
    let name = file.file_name().and_then(|name| name.to_str()).expect("a plain name");
    let words = format!("gen {name} --json --out {} {needed} {words}", path.display());
    let mut command = command(&words.split_whitespace().collect::<Vec<_>>());
    command.current_dir(file.parent().expect("a file is in a folder"));
    let found = finish(command).json();
    (out, found["native"].clone())
}

fn replay(out: &TempDir, words: &str) -> Json {
    let path = out.path().join("out").display().to_string();
    let words = format!("replay {path} --json {words}");
    let Done { code, stdout, stderr } =
        finish(command(&words.split_whitespace().collect::<Vec<_>>()));
    assert!(matches!(code, Some(0 | 1)), "{stderr}");
    serde_json::from_str(&stdout).expect("JSON")
}

fn list<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    json[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// All is as recorded, but for tests that the case announces: those have a reason.
fn is_true(native: &Json, announced: Option<&str>, what: &str) {
    assert!(native["passed"].as_u64() > Some(0), "{what}: {native}");
    assert_eq!(list(native, "warnings"), &[] as &[Json], "{what}");
    assert_eq!(list(native, "sides"), &[] as &[Json], "{what}");
    for failed in list(native, "failed") {
        let test = failed["test"].as_str().unwrap_or_default();
        assert!(announced.is_some_and(|start| test.starts_with(start)), "{what}: {failed}");
        assert!(!list(failed, "reasons").is_empty(), "{what}: {failed}");
    }
}

#[test]
fn every_kind_of_c_is_true_here_with_both_compilers() {
    let cases = std::fs::read_dir(cases().join("emit/native")).expect("cases");
    let mut files: Vec<PathBuf> = cases.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.retain(|file| !file.to_string_lossy().ends_with("_other.c"));
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        let text = text_of(&file);
        let announced = text.lines().find_map(|line| line.strip_prefix("// differs: "));
        let (out, native) = generate(&file, "");
        let name = file.display().to_string();
        assert_eq!(list(&native, "notes"), &[] as &[Json], "{name}");
        is_true(&native, announced, &name);
        let with_gcc = replay(&out, "--cc gcc");
        is_true(&with_gcc, announced, &format!("gcc: {name}"));
        assert_eq!(with_gcc["passed"], native["passed"], "{name}");
    }
}

#[test]
fn frameworks_run_their_own_tests() {
    let files =
        ["commands/branches.c", "commands/globals.c", "commands/stubs.c", "emit/native/floats.c"];
    for framework in ["unity", "cmocka"] {
        for file in files {
            let what = format!("{framework}: {file}");
            let (out, native) = generate(&cases().join(file), &format!("--framework {framework}"));
            is_true(&native, None, &what);
            // Without the framework a stand-in does, and the report says so.
            for note in list(&native, "notes") {
                assert!(note.as_str().is_some_and(|note| note.contains("stood in")), "{note}");
            }
            assert_eq!(replay(&out, "--cc gcc")["passed"], native["passed"], "{what}");
        }
    }
}

#[test]
fn a_framework_says_which_test_fails() {
    for framework in ["unity", "cmocka"] {
        let words = format!("--framework {framework} --function magic");
        let (out, native) = generate(&cases().join("commands/branches.c"), &words);
        is_true(&native, None, framework);
        let tests = out.path().join("out/tests/test_magic.c");
        let text = text_of(&tests);
        let last = text.rfind("CHECK(result == ").expect("a check") + "CHECK(result == ".len();
        let text = format!("{}9{}", &text[..last], &text[last..]);
        #[expect(clippy::disallowed_methods, reason = "tests damage what the binary wrote")]
        std::fs::write(&tests, text).expect("the folder is ours");
        let native = replay(&out, "");
        assert_eq!(list(&native, "failed").len(), 1, "{native}");
        assert_eq!(native["failed"][0]["kind"], "failed", "{native}");
    }
}

#[test]
fn harnesses_run_here_with_the_recorded_values() {
    for file in ["own.c", "klee.c", "crest.c", "svcomp.c", "bytes.c", "program.c"] {
        for framework in ["plain", "cmocka"] {
            let what = format!("{framework}: {file}");
            let file = cases().join("commands").join(file);
            let (out, native) = generate(&file, &format!("--framework {framework}"));
            is_true(&native, None, &what);
            is_true(&replay(&out, "--cc gcc"), None, &what);
        }
    }
}

/// Every program of the tests and of the corpus: each side that each test takes natively, by llvm-cov's count of that
/// one run, is one that we recorded for it, and the other way round.
#[test]
fn sides_of_every_test_are_those_that_llvm_cov_counts() {
    let files = ["branches", "../../examples/c", "../../corpus"].map(|folder| {
        let entries = std::fs::read_dir(cases().join(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    });
    let mut files = files.concat();
    // It has as many functions as all others together; `bench/claims/sides.sh` has it too.
    files.retain(|file| file.extension().is_some_and(|e| e == "c") && !file.ends_with("coral.c"));
    let mut n_sides = 0;
    for file in &files {
        let (_out, native) = generate(file, "--time 1 --jobs 2");
        let file = file.display();
        assert_eq!(native["failed"], Json::from(Vec::<Json>::new()), "{file}");
        assert_eq!(native["sides"], Json::from(Vec::<Json>::new()), "{file}");
        assert_eq!(native["refuted"], Json::from(Vec::<Json>::new()), "{file}");
        n_sides += native["sides_compared"].as_u64().expect("sides were compared");
    }
    assert!(files.len() > 40 && n_sides > 1500, "{} files, {n_sides} sides", files.len());
}

/// A test that gives another result here is in `suite.json` and in no test file, and what only it takes is open.
#[test]
fn a_test_that_differs_here_is_set_aside() {
    let out = folder();
    let path = out.path().join("out");
    let words = format!("gen set_aside.c --data-model ilp32 --json --out {}", path.display());
    let mut command = command(&words.split_whitespace().collect::<Vec<_>>());
    command.current_dir(cases().join("commands"));
    let found = finish(command).json();
    let failed = list(&found["native"], "failed");
    assert!(!failed.is_empty(), "{found}");

    let suite: Json = serde_json::from_str(&text_of(&path.join("suite.json"))).expect("JSON");
    let tests = suite["units"].as_array().expect("a list").iter();
    let tests: Vec<&Json> = tests.flat_map(|unit| list(unit, "tests")).collect();
    let text = text_of(&path.join("tests/test_mixed.c"));
    for failed in failed {
        let test = tests.iter().find(|test| test["name"] == failed["test"]).expect("it is kept");
        assert_eq!(test["set_aside"], failed["ended"], "{test}");
        let name = failed["test"].as_str().expect("a name");
        assert!(!text.contains(&format!("static void {name}(")), "{text}");
    }
    assert!(text.contains("is left out: natively it gave another result"), "{text}");

    let replayed = replay(&out, "");
    assert_eq!(list(&replayed, "failed"), &[] as &[Json], "{replayed}");
    let functions = found["functions"].as_array().expect("a list");
    let mixed = functions.iter().find(|function| function["name"] == "mixed").expect("it is there");
    let open = list(mixed, "uncovered");
    let is_why = |side: &Json| side["why"].as_str().is_some_and(|why| why.contains("natively"));
    assert!(!open.is_empty() && open.iter().all(is_why), "{mixed}");
}
