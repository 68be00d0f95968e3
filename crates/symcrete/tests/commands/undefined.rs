//! What is declared and nowhere defined may be anything: nothing false is said of it.

use super::{Json, function, symcrete};

/// Functions that look at a constant that nobody defines: no test can give it a value.
const CONSTANTS: &[&str] = &["member"];
/// Functions that look at a variable that nobody defines, which is an input, or at what such a function writes.
const VARIABLES: &[&str] = &["variable", "element", "text", "structure"];
/// Functions that look at what a function may have changed that nobody defines.
const CHANGED: &[&str] = &["in_structure", "variadic", "old_style", "called_back", "global"];

#[test]
fn nothing_false_is_said_of_what_nobody_defines() {
    let found = symcrete("gen --no-out --json --time 20 --jobs 2 undefined.c").json();
    assert_eq!(found["bugs"], Json::from(Vec::<Json>::new()));
    let warned = found["uninitialized"].as_array().expect("a list");
    for name in CONSTANTS {
        let function = function(&found, name);
        assert!(warned.iter().any(|warning| warning["function"] == *name), "{name}: {warned:?}");
        assert_eq!(function["branches"]["infeasible"], 0, "{function}");
        let open = function["uncovered"].as_array().expect("a list");
        let is_named =
            |side: &Json| side["why"].as_str().unwrap_or_default().contains("uninitialised value");
        assert!(open.iter().any(is_named), "{function}");
    }
    for name in VARIABLES {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
    // A variable has one value until it is written.
    assert_eq!(function(&found, "consistent")["branches"]["infeasible"], 1);
    for name in CHANGED {
        let function = function(&found, name);
        assert_eq!(function["branches"]["infeasible"], 0, "{function}");
        let bounds = function["within_bounds"][0]["bounds"].as_array().expect("a list");
        let bound = Json::from("undefined functions only fill their arguments");
        assert!(bounds.contains(&bound), "{function}");
    }
}
