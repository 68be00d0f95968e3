//! Calls that come before a function and set variables that it reads.

use super::{Json, folder, function, run, symcrete};
use std::path::Path;

/// Generates tests of the functions that read settings.
fn generate(out: &Path, more: &str) -> Json {
    symcrete(&format!("gen --json --length 5 --out {} {more} api/before.c", out.display())).json()
}

#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn tests_of(out: &Path, function: &str) -> String {
    let file = out.join(format!("tests/test_{function}.c"));
    std::fs::read_to_string(file).expect("the function has tests")
}

fn counts(found: &Json, name: &str) -> [u64; 3] {
    let branches = &function(found, name)["branches"];
    ["total", "covered", "infeasible"].map(|key| branches[key].as_u64().expect("a number"))
}

#[test]
fn what_others_set_is_set_by_calling_them() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "");
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(vec![]), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
    assert_eq!(counts(&found, "path_is_absolute"), [8, 8, 0]);
    assert_eq!(counts(&found, "next_turn"), [2, 2, 0]);
    // Two arguments may still be one object, as without calls before.
    assert_eq!(counts(&found, "differs"), [4, 4, 0]);
    let text = tests_of(&out, "path_is_absolute");
    assert!(text.contains("    path_set_style(STYLE_WINDOWS);\n    char path["), "{text}");
    // What a plain test covers is not left to a call whose result nobody looks at.
    let text = tests_of(&out, "next_turn");
    assert!(text.contains("{\n    int step = 0;\n"), "{text}");
    assert!(text.contains("    next_turn(0);\n    next_turn(0);\n    next_turn(0);\n"), "{text}");
}

#[test]
fn what_no_call_was_found_to_set_is_not_called_infeasible() {
    let folder = folder();
    let found = generate(&folder.path().join("out"), "-f path_fits -f many_turns");
    // No caller makes it more than 100, but only the first calls were looked at.
    assert_eq!(counts(&found, "path_fits"), [6, 5, 0]);
    assert_eq!(counts(&found, "many_turns"), [2, 1, 0]);
    for name in ["path_fits", "many_turns"] {
        let left = &function(&found, name)["within_bounds"];
        assert!(left[0]["bounds"].to_string().contains("first call"), "{left}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn inputs_with_calls_before_can_be_run_and_resumed() {
    let folder = folder();
    let out = folder.path().join("out");
    let first = generate(&out, "-f path_is_absolute");
    let suite = std::fs::read_to_string(out.join("suite.json")).expect("a suite");
    let suite: Json = serde_json::from_str(&suite).expect("JSON");
    for test in suite["units"][0]["tests"].as_array().expect("a list") {
        let words = "api/before.c --json --length 5 -f path_is_absolute";
        let again = run(words, &test["input"].to_string()).json();
        assert_eq!(again["input"], test["input"], "{again}");
    }
    let again = generate(&out, "-f path_is_absolute --resume");
    assert_eq!(again["functions"][0]["taken_over"], true, "{again}");
    assert_eq!(counts(&first, "path_is_absolute"), counts(&again, "path_is_absolute"));
    let input =
        r#"{"path": "C:", "before_2": "path_set_style", "before_2_path_set_style__wanted": 1}"#;
    let done = run("api/before.c --json -f path_is_absolute", input).json();
    assert_eq!(done["outcome"]["value"], 1, "{done}");
}

#[test]
fn tests_that_share_a_process_set_nothing_for_each_other() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "-f path_is_absolute --framework unity");
    assert_eq!(counts(&found, "path_is_absolute")[1], 1);
    assert!(!tests_of(&out, "path_is_absolute").contains("path_set_style("));
}
