//! `symcrete run`: values, conditions and places as people read them.

use super::{command, finish, run, symcrete};
use serde_json::json;

/// Words, an input, and a line that is shown.
const LINES: &[(&str, &str, &str)] = &[
    (
        "shown.c --function make",
        r#"{"x": 3, "mode": "ON"}"#,
        "  returned {.code = 3, .value = 1.5, .name = \"ab\", .mode = ON, .low = 5, .high = -2, .hidden = 7, \
         .inner = {.a = 8}, .list = {9, 10}, .pointer = NULL}",
    ),
    ("shown.c --function make", r#"{"mode": 6}"#, "make(x = 0, mode = AUTO)"),
    ("shown.c --function make", r#"{"mode": 7}"#, "make(x = 0, mode = 7)"),
    ("shown.c --function single", r#"{"f": 1.5}"#, "  returned {.f = 3.0}"),
    ("shown.c --function other", r#"{"mode": "ON"}"#, "  returned AUTO"),
    ("shown.c --function same", r#"{"p": null}"#, "  returned NULL"),
    ("shown.c --function ask", r#"{"pick()": "ON", "level()": 7}"#, "  pick() = ON"),
    ("shown.c --function ask", r#"{"pick()": "ON", "level()": 7}"#, "  level() = 7"),
    ("own.c", r#"{"n": 2, "d": 2.5, "text": "hi"}"#, "  text = {104, 105}"),
    ("own.c", r#"{"n": 2, "d": 2.5}"#, "  d = 2.5"),
    ("own.c", r#"{"n": 2}"#, "  own.c:11: symcrete_assert(text[0] != 'x') → true"),
    ("klee.c", r#"{"x": 4}"#, "  klee.c:9: an assumption holds"),
    ("klee.c", r#"{"x": 4}"#, "  klee.c:10: klee_assert(many[1] != 7) → true"),
    ("svcomp.c", "{}", "  svcomp.c:9: an assumption does not hold"),
    ("inputs.c --function sum", r#"{"data": [1, 2]}"#, "  --length: len is within its range"),
    ("module.wat", r#"{"arg0": 5, "arg1": 4}"#, "  module.wat+0x28: i32.gt_s → true"),
    ("checks.c --check overflow --function overflow", "{}", "  checks.c:4: overflow → false"),
    (
        "checks.c --check bounds --function bounds",
        r#"{"i": 9}"#,
        "  checks.c:10: index out of bounds → true",
    ),
];

#[test]
fn values_conditions_and_places_are_those_of_the_source() {
    for (words, input, line) in LINES {
        let done = run(words, input);
        assert!(done.text().lines().any(|shown| shown == *line), "{line}:\n{}", done.text());
    }
}

#[test]
fn a_structure_comes_back_as_it_can_be_given() {
    let shown = run("shown.c --function make --json", r#"{"x": -3, "mode": "AUTO"}"#).json();
    let value = json!({
        "code": -1, "value": -1.5, "name": "ab", "mode": "AUTO", "low": 5, "high": -2, "hidden": 7,
        "inner": {"a": 8}, "list": [9, 10], "pointer": null,
    });
    assert_eq!(shown["outcome"], json!({"kind": "returned", "value": value}));
}

#[test]
fn globals_start_with_what_the_program_gives_them() {
    let shown = run("initial.c --globals --json", "{}").json();
    assert_eq!(
        shown["input"],
        json!({
            "i": 0, "limit": 42, "name": "hello", "where": [42, 0, 0, 0, 0, 0, 0, 0], "nowhere": null,
            "bits": {"a": 5, "b": 9}, "grid": [[1, 2], [3, 4]], "ratio": 0.5,
        }),
        "constants are no inputs"
    );
    assert_eq!(shown["outcome"]["value"], 13);
    let shown =
        run("initial.c --globals --json", r#"{"i": 5, "limit": 4, "bits": {"a": 1}}"#).json();
    assert_eq!(shown["outcome"]["value"], 10, "what is not mentioned stays");
    let complaint = run("initial.c --globals", r#"{"table": [3]}"#).complaint(2);
    assert!(complaint.contains("`table` is const and cannot be an input"), "{complaint}");
}

/// Tests with global variables agree with what the machine's compiler makes of them.
#[test]
fn tests_of_globals_hold_natively() {
    let folder = super::folder();
    let out = folder.path().join("out");
    let words = ["gen", "initial.c", "--globals", "--json", "--time", "10", "--out"];
    let out = out.to_str().expect("temporary folders have plain names");
    let found = finish(command(&[&words[..], &[out]].concat())).json();
    let function = &found["functions"][0];
    assert_eq!(found["native"]["passed"], function["tests"], "{found}");
    assert_eq!(found["native"]["sides_differ"], 0, "{found}");
    let branches = &function["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
}

#[test]
fn the_same_places_are_in_json() {
    let shown = run("module.wat --json", r#"{"arg0": 5, "arg1": 4}"#).json();
    let step = &shown["path"][0];
    assert_eq!((&step["file"], &step["line"]), (&json!("module.wat"), &json!(null)));
    let listed = symcrete("functions module.wat");
    assert!(listed.text().starts_with("module.wat: i32 max("), "{}", listed.text());
}
