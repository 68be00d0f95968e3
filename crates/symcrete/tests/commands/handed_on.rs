//! What is found for one function is tried for others.

use super::{Json, function, symcrete};

/// So few runs, and nothing but runs that flip a branch.
const FEW_RUNS: &str = "gen --no-out --json --iterations 5 --without bursts --no-backward";

/// The lines of sides that no test of a function takes.
fn open_lines(found: &Json, name: &str) -> Vec<u64> {
    let sides = function(found, name)["uncovered"].as_array().expect("a list").iter();
    let line = |side: &Json| {
        let place = side["branch"].as_str().expect("a text");
        place.split(':').nth(1).and_then(|line| line.parse().ok()).expect("a line")
    };
    sides.map(line).collect()
}

#[test]
fn a_text_that_one_function_has_read_is_given_to_another() {
    let is_in_version = |line: &u64| *line < 17;
    let alone = symcrete(&format!("{FEW_RUNS} handed_on.c --function is_new")).json();
    assert!(open_lines(&alone, "is_new").iter().any(is_in_version), "{alone}");
    let words = format!("{FEW_RUNS} handed_on.c --function is_new --function version");
    let both = symcrete(&words).json();
    assert_eq!(open_lines(&both, "version"), [0; 0], "{both}");
    assert!(!open_lines(&both, "is_new").iter().any(is_in_version), "{both}");
    for jobs in 1..=2 {
        let again = symcrete(&format!("{words} --jobs {jobs}")).json();
        for name in ["version", "is_new"] {
            let counts = |found: &Json| {
                let found = function(found, name);
                ["branches", "executions", "tests", "uncovered"].map(|key| found[key].clone())
            };
            assert_eq!(counts(&again), counts(&both), "{name} with {jobs} jobs");
        }
    }
}
