//! What callbacks and functions that nobody defines write through their arguments: inputs, as their results are.

use super::{Json, function, run, symcrete};

/// Every function of `fills.c` but the last can be covered only if buffers are filled.
#[test]
fn what_is_written_through_arguments_is_an_input() {
    let found = symcrete("gen --no-out --json --time 30 --jobs 2 fills.c").json();
    let functions = found["functions"].as_array().expect("a list");
    for function in functions.iter().filter(|function| function["name"] != "constant") {
        let branches = &function["branches"];
        assert_eq!(branches["covered"], branches["total"], "{function}");
    }
    // Real ones may do more, also to what is constant or only looked at.
    let constant = function(&found, "constant");
    assert_eq!(constant["branches"]["infeasible"], 0, "{constant}");
    let bounds = &constant["within_bounds"][0]["bounds"];
    assert_eq!(*bounds, Json::from(vec!["undefined functions only fill their arguments"]));
    assert_eq!(found["bugs"], Json::Array(Vec::new()));
}

#[test]
fn tests_write_the_same_natively_and_when_replayed() {
    let out = tempfile::tempdir().expect("a folder");
    let folder = out.path().join("out");
    let words = format!("gen fills.c --json --time 30 --jobs 2 --out {}", folder.display());
    let found = symcrete(&words).json();
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
    assert_eq!(native["warnings"], Json::Array(Vec::new()), "{native}");
    let again = symcrete(&format!("replay {} --json", folder.display())).json();
    assert_eq!(again["passed"], native["passed"], "{again}");
    // What is taken over has what was written.
    let resumed = symcrete(&format!("{words} --resume")).json();
    for function in resumed["functions"].as_array().expect("a list") {
        assert_eq!(function["taken_over"], true, "{function}");
    }
    assert_eq!(resumed["native"]["passed"], native["passed"], "{resumed}");
}

#[test]
fn inputs_say_what_is_written_call_by_call() {
    let result = |function: &str, input: &str| {
        let words = format!("fills.c --json --function {function}");
        run(&words, input).json()["outcome"]["value"].clone()
    };
    let calls = r#"{"(*from->read)()->arg1": [[1, 4], [], [2, 5]]}"#;
    assert_eq!(result("twice", calls), 1);
    assert_eq!(result("twice", r#"{"(*from->read)()->arg1": [[1, 4], [2, 5]]}"#), 0);
    assert_eq!(result("header", r#"{"(*from->read)()->arg1": "ustar          x"}"#), 1);
    let pair = r#"{"get_pair()->arg0": {"a": 7, "b": -2}, "get_pair()->arg1": 0.75}"#;
    assert_eq!(result("pairs", pair), 1);
    assert_eq!(result("initialised", r#"{"init()->arg0": 5}"#), 1);
    // As many as the number says.
    assert_eq!(result("some", r#"{"n": 3, "fetch()->arg1": "xxbb"}"#), 1);
    assert_eq!(result("some", r#"{"n": 4, "fetch()->arg1": "xxbb"}"#), 2);
    let complaint = run("fills.c --function pairs", r#"{"get_pair()->other": 1}"#).complaint(2);
    assert!(complaint.contains("get_pair()->arg0"), "{complaint}");
}
