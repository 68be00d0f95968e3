//! `symcrete run`: how runs end, and functions that are replaced.

use super::{conditions, run};
use serde_json::json;

#[test]
fn failures_have_a_reason_and_a_place() {
    let rows = [
        ("divides", "{}", "division by zero", 17),
        ("divides", r#"{"a": -2147483648, "b": -1}"#, "integer overflow", 17),
        ("outside", r#"{"data": [1, 2], "i": 5}"#, "access outside any object", 27),
        ("outside", r#"{"data": [1, 2], "i": -1}"#, "access outside any object", 27),
        ("null", r#"{"p": null}"#, "null pointer dereferenced", 31),
        ("deep", "{}", "call stack exhausted", 41),
        ("unreachable", r#"{"x": 1}"#, "unreachable executed", 45),
    ];
    for (function, input, reason, line) in rows {
        let shown = run(&format!("outcomes.c --function {function} --json"), input).json();
        let place = format!("outcomes.c:{line}");
        let expected = json!({"kind": "failed", "reason": reason, "place": place});
        assert_eq!(shown["outcome"], expected, "{function}{input}");
        let text = run(&format!("outcomes.c --function {function}"), input);
        let line = format!("  failed at {place}: {reason}");
        assert!(text.text().lines().any(|shown| shown == line), "{}", text.text());
    }
}

#[test]
fn programs_that_give_up_are_told_apart() {
    let rows = [
        ("asserts", r#"{"x": 3}"#, "assertion failed", 6, "6: assert(x != 3) → false"),
        ("aborts", r#"{"x": 4}"#, "aborted", 12, "11: x == 4 → true"),
    ];
    for (function, input, reason, line, condition) in rows {
        let shown = run(&format!("outcomes.c --function {function} --json"), input).json();
        let place = format!("outcomes.c:{line}");
        let expected = json!({"kind": "failed", "reason": reason, "place": place});
        assert_eq!(shown["outcome"], expected, "{function}");
        assert_eq!(conditions(&shown), [format!("outcomes.c:{condition}")]);
    }
    let shown = run("outcomes.c --function exits --json", r#"{"x": 6}"#).json();
    assert_eq!(shown["outcome"], json!({"kind": "exited", "code": 6}));
    let shown = run("outcomes.c --function exits --json", r#"{"x": 5}"#).json();
    assert_eq!(shown["outcome"], json!({"kind": "returned", "value": 5}));
}

#[test]
fn an_endless_run_is_stopped() {
    let shown = run("outcomes.c --function endless --fuel 1000 --json", "{}").json();
    assert_eq!(shown["outcome"], json!({"kind": "exhausted", "resource": "fuel"}));
}

/// A kind of check, a function that fails it, the input, and the line.
const CHECKS: &[(&str, &str, &str, u32)] = &[
    ("overflow", "overflow", r#"{"a": 2147483647, "b": 1}"#, 4),
    ("bounds", "bounds", r#"{"i": 8}"#, 10),
    ("bounds", "bounds", r#"{"i": -1}"#, 10),
    ("shift", "shift", r#"{"a": 1, "b": 32}"#, 14),
    ("null", "null", r#"{"p": null}"#, 18),
    ("float-cast", "cast", r#"{"d": 1e30}"#, 22),
    ("float-cast", "cast", r#"{"d": "nan"}"#, 22),
];

#[test]
fn checks_fail_with_their_kind_on_the_line_of_the_source() {
    for (kind, function, input, line) in CHECKS {
        for checks in [kind, "overflow,bounds,shift,null,float-cast"] {
            let words = format!("checks.c --function {function} --check {checks} --json");
            let shown = run(&words, input).json();
            let (reason, place) = (format!("check failed: {kind}"), format!("checks.c:{line}"));
            let expected = json!({"kind": "failed", "reason": reason, "place": place});
            assert_eq!(shown["outcome"], expected, "{words}");
        }
    }
}

#[test]
fn checks_are_off_unless_asked_for() {
    let rows = [
        ("overflow", r#"{"a": 2147483647, "b": 1}"#, -2147483648),
        ("shift", r#"{"a": 1, "b": 32}"#, 1),
        ("cast", r#"{"d": 2.75}"#, 2),
    ];
    for (function, input, value) in rows {
        let shown = run(&format!("checks.c --function {function} --json"), input).json();
        assert_eq!(shown["outcome"], json!({"kind": "returned", "value": value}), "{function}");
    }
    for (_, function, _, _) in CHECKS {
        let input = match *function {
            "null" => r#"{"p": [3]}"#,
            _ => "{}",
        };
        let words = format!("checks.c --function {function} --json");
        let all = "--check overflow,bounds,shift,null,float-cast";
        let plain = run(&words, input).json();
        let checked = run(&format!("{words} {all}"), input).json();
        assert_eq!(checked["outcome"], plain["outcome"], "{function}");
    }
}

#[test]
fn functions_without_a_body_return_inputs() {
    let input = r#"{"sensor()": [3, 4], "gauge()": [0.25], "limit": 6}"#;
    let shown = run("stubs.c --function control --json", input).json();
    assert_eq!(shown["outcome"]["value"], 1);
    assert_eq!(
        conditions(&shown),
        ["stubs.c:15: a + b > limit → true", "stubs.c:17: gauge(3) < 0.5 → true"]
    );
    let names: Vec<&str> = shown["drawn"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|d| d["name"].as_str())
        .collect();
    assert_eq!(names, ["sensor()", "sensor()#1", "gauge()"]);
    let input = r#"{"sensor()": [-5, -5], "gauge()": [1.5]}"#;
    let shown = run("stubs.c --function control --json", input).json();
    assert_eq!(shown["outcome"]["value"], 2);
    for (input, value, truth) in [("{}", 9, false), (r#"{"find()": [true]}"#, 9, true)] {
        let shown = run("stubs.c --function lookup --json", input).json();
        assert_eq!(shown["outcome"]["value"], value);
        assert_eq!(conditions(&shown)[0], format!("stubs.c:25: item → {truth}"));
    }
}

#[test]
fn functions_can_be_replaced_or_not_looked_into() {
    let both = ["stubs.c:9: x > 7 → true", "stubs.c:27: known(x) == 16 → true"];
    let rows: &[(&str, &str, i64, &[&str])] = &[
        ("", r#"{"x": 8}"#, 1, &both),
        ("--opaque known", r#"{"x": 8}"#, 1, &both[1..]),
        ("--stub known", r#"{"x": 0, "known()": [16]}"#, 1, &both[1..]),
    ];
    for (options, input, value, path) in rows {
        let shown = run(&format!("stubs.c --function calls --json {options}"), input).json();
        assert_eq!(shown["outcome"]["value"], *value, "{options}");
        assert_eq!(conditions(&shown), *path, "{options}");
    }
    let shown = run("stubs.c --function twice --json", r#"{"x": 21}"#).json();
    assert_eq!(shown["outcome"]["value"], 42, "a static function");
}

#[test]
fn what_headers_of_ours_declare_becomes_a_stub() {
    let rows = [
        (r#"{"socket()": [-1]}"#, -1),
        ("{}", -2),
        (r#"{"socket()": [5], "gethostbyname()": [true], "port": 2000}"#, 5),
    ];
    for (input, value) in rows {
        let shown = run("headers.c --json", input).json();
        assert_eq!(shown["outcome"]["value"], value, "{input}");
    }
}
