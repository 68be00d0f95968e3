//! Modules whose memory and tables have 64-bit addresses, through every command.

use super::{file, folder, function, run, symcrete};
use serde_json::{Value as Json, json};

#[test]
fn functions_and_graphs_are_shown() {
    let listed = symcrete("functions wide.wat");
    for name in ["look(i64 arg0)", "nth(i64 arg0)", "apply(i64 arg0, i64 arg1)"] {
        assert!(listed.text().contains(name), "{name}: {}", listed.text());
    }
    let drawn = symcrete("cfg wide.wat --function nth --format dot");
    assert!(drawn.text().starts_with("digraph \"nth"), "{}", drawn.text());
}

/// What a call of an export gives: its result or the kind of its trap.
fn ends(name: &str, input: &str) -> Json {
    let ran = run(&format!("wide.wat --function {name} --json"), input).json();
    match ran["outcome"]["kind"] == "returned" {
        true => ran["outcome"]["values"].clone(),
        false => ran["outcome"]["trap"].clone(),
    }
}

#[test]
fn a_run_has_addresses_of_64_bits() {
    assert_eq!(ends("look", r#"{"arg0": 1026}"#), json!(1));
    assert_eq!(ends("look", r#"{"arg0": 4294968322}"#), json!("memory-out-of-bounds"));
    assert_eq!(ends("apply", r#"{"arg0": 1, "arg1": 5}"#), json!(1));
    assert_eq!(ends("apply", r#"{"arg0": 4294967297, "arg1": 5}"#), json!("table-out-of-bounds"));
    assert_eq!(ends("grown", r#"{"arg0": 2}"#), json!(3));
    assert_eq!(ends("grown", r#"{"arg0": 4294967297}"#), json!(-1));
}

#[test]
fn exploration_finds_addresses_inside_and_outside() {
    let found = symcrete("gen --no-out --json wide.wat").json();
    for name in ["nth", "apply", "passed"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["open"], 0, "{name}: {branches}");
    }
    let bugs = found["bugs"].to_string();
    assert!(bugs.contains("look"), "an address outside of memory: {bugs}");
}

#[test]
fn two_memories_are_refused() {
    let folder = folder();
    let text = "(module (memory i64 1) (memory 1) (func (export \"f\")))";
    let module = file(&folder, "two.wat", text);
    let complaint = symcrete(&format!("functions {module}")).complaint(2);
    assert!(complaint.contains("multiple memories"), "{complaint}");
}
