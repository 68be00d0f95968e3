//! Modules whose memory and tables have 64-bit addresses, through every command.

use super::{file, folder, function, run, symcrete};
use serde_json::{Value as Json, json};

#[test]
fn functions_and_graphs_are_shown() {
    let expected = "\
wide.wat: i32 look(i64 arg0)
wide.wat: i32 nth(i64 arg0)
wide.wat: i32 apply(i64 arg0, i64 arg1)
wide.wat: i64 grown(i64 arg0)
wide.wat: i32 passed(i64 arg0, i32 arg1)
";
    assert_eq!(symcrete("functions wide.wat").text(), expected);
    let drawn = symcrete("cfg wide.wat --function nth --format dot");
    assert!(drawn.text().starts_with("digraph \"nth\""), "{}", drawn.text());
}

/// What a call of an export gives: its result, or why it failed.
fn end(name: &str, input: &str) -> Json {
    let outcome =
        run(&format!("wide.wat --function {name} --json"), input).json()["outcome"].clone();
    match outcome["kind"] == "returned" {
        true => outcome["value"].clone(),
        false => outcome["reason"].clone(),
    }
}

#[test]
fn a_run_has_addresses_of_64_bits() {
    let (memory, table) = ("out of bounds memory access", "out of bounds table access");
    assert_eq!(end("look", r#"{"arg0": 1026}"#), json!(1));
    assert_eq!(end("look", r#"{"arg0": 4294968322}"#), json!(memory));
    assert_eq!(end("apply", r#"{"arg0": 1, "arg1": 5}"#), json!(1));
    assert_eq!(end("apply", r#"{"arg0": 4294967297, "arg1": 5}"#), json!(table));
    assert_eq!(end("grown", r#"{"arg0": 2}"#), json!(3));
    assert_eq!(end("grown", r#"{"arg0": 4294967297}"#), json!(-1));
}

#[test]
fn exploration_finds_addresses_inside_and_outside() {
    let found = symcrete("gen --no-out --json wide.wat").json();
    for name in ["look", "nth", "apply", "grown", "passed"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
    let bugs = found["bugs"].as_array().expect("a list").iter();
    let bugs: Vec<(&str, &str)> = bugs
        .map(|bug| (bug["function"].as_str().unwrap_or("?"), bug["kind"].as_str().unwrap_or("?")))
        .collect();
    for bug in [
        ("look", "out of bounds memory access"),
        ("apply", "out of bounds table access"),
        ("apply", "call of a null function"),
    ] {
        assert!(bugs.contains(&bug), "{bug:?}: {bugs:?}");
    }
}

/// What backward execution says of a call of `reach_error` behind code and a condition, over `$x` and `$at`.
fn reached(code: &str, condition: &str) -> String {
    let text = format!(
        r#"(module
          (import "symcrete" "fail" (func $fail (param i32)))
          (memory i64 1) (data (i64.const 1024) "\05\03\09\01")
          (table $calls i64 3 funcref) (elem (i64.const 1) $double $half)
          (type $number (func (param i64) (result i64)))
          (func $reach_error (call $fail (i32.const 2)) unreachable)
          (func $double (type $number) (i64.shl (local.get 0) (i64.const 1)))
          (func $half (type $number) (i64.shr_u (local.get 0) (i64.const 1)))
          (func (export "f") (param $x i64) (param $at i64)
            {code} (if ({condition}) (then (call $reach_error)))))"#
    );
    let folder = folder();
    let module = file(&folder, "target.wat", &text);
    let done = symcrete(&format!("reach reach_error() {module} -f f"));
    done.text().lines().next().unwrap_or_default().to_string()
}

#[test]
fn backward_execution_follows_memory_and_tables() {
    let store = "(i64.store offset=16 (local.get $at) (local.get $x))
        (i64.store offset=32 (local.get $at) (i64.const 5))";
    let stored = "i64.load offset=8 (i64.add (local.get $at) (i64.const 8))";
    let found = "reach_error(): reached";
    assert_eq!(reached(store, &format!("i64.eq ({stored}) (i64.const 0x7700000077)")), found);
    let lost = reached(store, &format!("i64.ne ({stored}) (local.get $x)"));
    assert!(lost.starts_with("reach_error(): unreachable"), "{lost}");
    let call = |index: &str| {
        let call = "call_indirect $calls (type $number) (local.get $x)";
        reached("", &format!("i64.eq ({call} {index}) (i64.const 11)"))
    };
    assert_eq!(call("(local.get $at)"), found);
    assert_eq!(call("(i64.const 1)"), "reach_error(): unreachable", "what is doubled is even");
    let above = "i64.gt_u (local.get $at) (i64.const 0x100000000)";
    let passed = reached("(drop (i64.load (local.get $at)))", above);
    assert_ne!(passed, found, "no memory is there");
}

#[test]
fn functions_of_modules_have_no_marks_to_aim_at() {
    let complaint = symcrete("reach nth wide.wat -f look").complaint(2);
    assert!(complaint.contains("`nth` cannot be a target"), "{complaint}");
}

#[test]
fn two_memories_are_refused() {
    let folder = folder();
    let text = "(module (memory i64 1) (memory 1) (func (export \"f\")))";
    let module = file(&folder, "two.wat", text);
    let complaint = symcrete(&format!("functions {module}")).complaint(2);
    assert!(complaint.contains("multiple memories"), "{complaint}");
}
