//! `symcrete replay`: the native proof of an output folder, repeated.

use super::{Done, command, file, finish, folder, keys};
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;

const SOURCE: &str = "\
#include \"limit.h\"

int above(int x)
{
    if (x > LIMIT)
        return 1;
    return 0;
}
";

/// Runs the binary in a folder; words are separated by blanks.
fn inside(folder: &Path, words: &str) -> Done {
    let mut command = command(&words.split_whitespace().collect::<Vec<_>>());
    command.current_dir(folder);
    finish(command)
}

/// A project with a header that needs a flag, and its tests in `symcrete-out`.
fn project() -> TempDir {
    let project = folder();
    std::fs::create_dir(project.path().join("include")).expect("the folder is ours");
    file(&project, "include/limit.h", "#define LIMIT 10\n");
    file(&project, "above.c", SOURCE);
    let done = inside(project.path(), "gen above.c -Iinclude");
    assert!(done.text().contains("2 of 2 tests gave the same result, 0 of 2"), "{}", done.text());
    project
}

#[test]
fn a_folder_that_is_as_recorded_is_fine() {
    let project = project();
    let done = inside(project.path(), "replay");
    assert!(done.text().starts_with("native proof: 2 of 2 tests gave the same result, 0 of 2"));
    let shown = inside(project.path(), "replay symcrete-out --json").json();
    let documented = [
        "compiler",
        "failed",
        "not_run",
        "notes",
        "passed",
        "refuted",
        "sandbox",
        "sides",
        "sides_compared",
        "sides_differ",
        "warnings",
    ];
    assert_eq!(keys(&shown), documented);
    assert_eq!((&shown["passed"], &shown["sides_compared"]), (&json!(2), &json!(2)));
    let shown = inside(project.path(), "replay --cc gcc --json").json();
    assert_eq!(shown["passed"], 2, "{shown}");
}

#[test]
fn a_project_can_be_moved() {
    let (project, other) = (project(), folder());
    let moved = other.path().join("moved");
    std::fs::rename(project.path(), &moved).expect("both are in the folder for temporary files");
    inside(&moved, "replay").text();
    inside(other.path(), "replay moved/symcrete-out").text();
    // Without its sources the folder is of no use, and says so.
    std::fs::rename(moved.join("symcrete-out"), other.path().join("alone")).expect("ours");
    let complaint = inside(other.path(), "replay alone").complaint(2);
    assert!(complaint.contains("`above.c` is not there"), "{complaint}");
    std::fs::create_dir(project.path()).expect("it is put back for its owner");
}

#[test]
fn another_result_is_listed() {
    let project = project();
    file(&project, "above.c", &SOURCE.replace("return 1", "return 2"));
    let done = inside(project.path(), "replay --json");
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let shown: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!((&shown["passed"], &shown["failed"][0]["kind"]), (&json!(1), &json!("failed")));
    let ended = shown["failed"][0]["ended"].as_str().unwrap_or_default();
    assert!(ended.contains("not true: result == 1"), "{ended}");
}

#[test]
fn another_branch_is_listed_with_its_place() {
    let project = project();
    // The same results, by the other side.
    let turned = SOURCE
        .replace("if (x > LIMIT)", "if (x <=LIMIT)")
        .replace("return 1", "return 0")
        .replacen("    return 0;\n}", "    return 1;\n}", 1);
    file(&project, "above.c", &turned);
    let done = inside(project.path(), "replay");
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("2 of 2 tests gave the same result, 2 of 2"), "{}", done.stdout);
    let line =
        "  above.c:5:9: x > LIMIT is true: taken in WebAssembly, not natively, by test_above_";
    assert!(done.stdout.lines().any(|shown| shown.starts_with(line)), "{}", done.stdout);
    let shown = inside(project.path(), "replay --json").stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let side = &shown["sides"][0];
    assert_eq!((&side["line"], &side["column"]), (&json!(5), &json!(9)), "{shown}");
    assert_eq!(shown["sides"].as_array().map(Vec::len), Some(4), "{shown}");
}

#[test]
fn a_source_that_no_longer_compiles_is_listed() {
    let project = project();
    file(&project, "above.c", &SOURCE.replace("int above", "void above"));
    let done = inside(project.path(), "replay");
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("0 of 2 tests gave the same result"), "{}", done.stdout);
    assert!(
        done.stdout.contains("test_above_1, test_above_2: does not compile:"),
        "{}",
        done.stdout
    );
}

#[test]
fn what_is_no_folder_of_ours_is_refused() {
    let project = project();
    let complaint = inside(project.path(), "replay include").complaint(2);
    assert!(complaint.contains("has no suite.json: name a folder"), "{complaint}");
    let complaint = inside(project.path(), "replay --cc nothing-like-it").complaint(2);
    assert!(complaint.contains("there is no compiler `nothing-like-it`"), "{complaint}");
    let out = project.path().join("symcrete-out");
    std::fs::remove_file(out.join("tests/test_above.c")).expect("it was written");
    let complaint = inside(project.path(), "replay").complaint(2);
    assert!(complaint.contains("gen --force"), "{complaint}");
    file(&project, "symcrete-out/suite.json", r#"{"format": 99}"#);
    let complaint = inside(project.path(), "replay").complaint(2);
    assert!(complaint.contains("format 99"), "{complaint}");
    file(&project, "symcrete-out/suite.json", "{");
    let complaint = inside(project.path(), "replay").complaint(2);
    assert!(complaint.contains("not a suite"), "{complaint}");
}

#[test]
fn without_a_compiler_it_says_what_to_do() {
    let project = project();
    let mut command = command(&["replay"]);
    command.current_dir(project.path()).env("PATH", project.path());
    let complaint = finish(command).complaint(3);
    assert!(complaint.contains("install clang or gcc"), "{complaint}");
}
