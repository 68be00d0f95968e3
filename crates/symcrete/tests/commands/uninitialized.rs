//! What nobody has written is one unknown value: nothing false is said of it, and no test depends on it.

use super::{Json, folder, function, run, symcrete};

/// Functions of `uninitialized.c` with the line of a condition that an uninitialised value decides, and how many sides
/// are proved not to be taken whatever it is.
const DECIDED: &[(&str, u32, u64)] = &[
    ("consistent", 14, 3),
    ("scalar", 29, 0),
    ("field", 38, 0),
    ("padding", 48, 0),
    ("element", 57, 0),
    ("allocated", 68, 1),
    ("grown", 84, 3),
    ("missing_return", 97, 0),
    ("variable_length", 108, 0),
    ("entered_again", 121, 0),
    ("half_of_union", 142, 0),
    ("copied", 221, 4),
];
/// Functions that look as if they read one and do not, or whose way depends on none.
const UNDECIDED: &[&str] = &[
    "of_union",
    "rest_of_array",
    "rest_of_structure",
    "zero_static",
    "written",
    "unknown_result",
    "unknown_output",
];

#[test]
fn nothing_false_is_said_of_uninitialised_values() {
    let found = symcrete("gen --no-out --json --time 20 --jobs 2 uninitialized.c").json();
    assert_eq!(found["bugs"], Json::from(Vec::<Json>::new()));
    let warned = found["uninitialized"].as_array().expect("a list");
    for (name, line, n_proved) in DECIDED {
        let function = function(&found, name);
        let place = format!("uninitialized.c:{line}");
        let is_warned = |warning: &&Json| warning["function"] == *name && warning["place"] == place;
        assert_eq!(warned.iter().filter(is_warned).count(), 1, "{name}: {warned:?}");
        let branches = &function["branches"];
        assert_eq!(branches["infeasible"], 0, "{function}");
        assert_eq!(branches["within_bounds"], *n_proved, "{function}");
        let bounded = function["within_bounds"].as_array().expect("a list");
        let bound = Json::from("uninitialised values stay the same");
        let is_named = |side: &Json| side["bounds"].as_array().is_some_and(|b| b.contains(&bound));
        assert!(bounded.iter().all(is_named), "{function}");
        let open = function["uncovered"].as_array().expect("a list");
        assert!(!open.is_empty(), "{function}");
        for side in open {
            let why = side["why"].as_str().expect("text");
            assert!(why.contains("depend on an uninitialised value"), "{function}");
        }
    }
    for name in UNDECIDED {
        assert!(warned.iter().all(|warning| warning["function"] != *name), "{name}: {warned:?}");
        assert_eq!(function(&found, name)["branches"]["open"], 0, "{}", function(&found, name));
    }
    let branches = &function(&found, "written")["branches"];
    assert_eq!((&branches["total"], &branches["covered"]), (&8.into(), &7.into()));
}

#[test]
fn tests_pass_on_a_machine_with_other_values() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --time 20 --jobs 2 uninitialized.c --out {}", out.display());
    let found = symcrete(&words).json();
    let native = &found["native"];
    assert!(native["passed"].as_u64().is_some_and(|n| n > 8), "{native}");
    assert_eq!(native["failed"], Json::from(Vec::<Json>::new()), "{native}");
}

#[test]
fn a_run_says_where_an_uninitialised_value_matters() {
    let decided = run("uninitialized.c --function scalar", r#"{"a": -1}"#);
    assert!(
        decided.text().contains("decides what happens at uninitialized.c:29"),
        "{}",
        decided.text()
    );
    let result = run("uninitialized.c --function unknown_result", r#"{"a": 1}"#);
    assert!(result.text().contains("returned an uninitialised value"), "{}", result.text());
    let known = run("uninitialized.c --function unknown_result --json", r#"{"a": 2}"#).json();
    assert_eq!(known["outcome"]["uninitialized"], Json::Null);
    assert_eq!(known["uninitialized"], Json::from(Vec::<Json>::new()));
}
