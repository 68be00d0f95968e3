//! `symcrete run --input` for what a program asks for while it runs.

use super::{conditions, run};
use serde_json::json;

/// A program, an input, how it ends, and what it was given.
#[test]
fn cells_of_harnesses_are_given_by_name() {
    let rows = [
        (
            "own.c",
            r#"{"n": 2, "d": 2.5, "text": "hi"}"#,
            1,
            r#"{"d":2.5,"n":2,"text[0]":104,"text[1]":105}"#,
        ),
        ("own.c", r#"{"n": 2, "text": [104]}"#, 0, r#"{"d":0.0,"n":2,"text[0]":104,"text[1]":0}"#),
        ("klee.c", r#"{"x": 5, "many": [5, 6]}"#, 1, r#"{"many[0]":5,"many[1]":6,"x":5}"#),
        ("klee.c", r#"{"x": 5, "many[1]": -6}"#, 0, r#"{"many[0]":0,"many[1]":-6,"x":5}"#),
        ("crest.c", r#"{"a": 3, "b": 4}"#, 0, r#"{"a":3,"b":4}"#),
        ("svcomp.c", r#"{"__VERIFIER_nondet_int()": 7}"#, 0, r#"{"__VERIFIER_nondet_int()":7}"#),
    ];
    for (file, input, value, drawn) in rows {
        let shown = run(&format!("{file} --json"), input).json();
        let outcome = json!({"kind": "returned", "value": value});
        assert_eq!(shown["outcome"], outcome, "{file} {input}");
        let cells = shown["drawn"].as_array().into_iter().flatten();
        let cells: serde_json::Map<_, _> = cells
            .map(|cell| (cell["name"].as_str().unwrap_or("?").to_string(), cell["value"].clone()))
            .collect();
        assert_eq!(serde_json::Value::Object(cells).to_string(), drawn, "{file} {input}");
    }
}

#[test]
fn results_of_stubs_have_the_type_of_the_function() {
    for (input, value) in [
        (r#"{"pick()": ["ON"], "level()": [201]}"#, 1),
        (r#"{"pick()": "ON", "level()": 200}"#, 0),
        (r#"{"pick()": 5, "level()": 255}"#, 1),
    ] {
        let shown = run("shown.c --function ask --json", input).json();
        assert_eq!(shown["outcome"]["value"], value, "{input}");
        assert_eq!(shown["drawn"][0], json!({"name": "pick()", "value": "ON"}), "{input}");
        assert_eq!(conditions(&shown)[0], "shown.c:36: pick() == ON → true", "{input}");
    }
    // The object behind a pointer is given as its bytes.
    let shown = run("stubs.c --function lookup --json", r#"{"find()": [[0, 0, 0, 0, 9]]}"#).json();
    assert_eq!(shown["outcome"]["value"], 7);
    let shown = run("stubs.c --function lookup --json", r#"{"find()": null}"#).json();
    assert_eq!(shown["drawn"], json!([{"name": "find()", "value": null}]));
}

#[test]
fn wrong_names_and_types_are_refused() {
    let rows = [
        (
            "shown.c --function ask",
            r#"{"pik()": "ON"}"#,
            "there is no `pik()` help: known names: pick()",
        ),
        (
            "shown.c --function ask",
            r#"{"pick()": "ONN"}"#,
            "`pick()` is one of OFF, ON, AUTO or an",
        ),
        ("shown.c --function ask", r#"{"pick()": "ONN"}"#, r#"not "ONN""#),
        (
            "shown.c --function ask",
            r#"{"pick()": 5, "level()": 256}"#,
            "`level()` is an integer from 0",
        ),
        ("stubs.c --function control", r#"{"sensor()": [1, 2.5]}"#, "`sensor()#1` is an integer"),
        (
            "stubs.c --function lookup",
            r#"{"find()": 3}"#,
            "null, true or a list of the object's bytes",
        ),
        ("own.c", r#"{"n": 1, "dd": 2}"#, "there is no `dd` help: known names: d"),
        ("own.c", r#"{"n": 1.5}"#, "`n` is an integer from -2147483648 to 2147483647, not 1.5"),
        ("klee.c", r#"{"x": 4, "manny": [1]}"#, "there is no `manny` help: known names: many"),
        ("klee.c", r#"{"x": 4, "many": [1.5, 1]}"#, "`many[0]` is an integer"),
    ];
    for (words, input, part) in rows {
        let complaint = run(words, input).complaint(2);
        assert!(complaint.contains(part), "{words} {input}: {complaint}");
    }
    // A stub that this run does not reach is still one.
    let input = r#"{"pick()": "OFF", "level()": [1]}"#;
    assert!(run("shown.c --function ask", input).text().contains("returned 0"));
}
