//! Programs whose lines say what becomes of them: `// TARGET reached 4` is reached after four segments at most.

use super::{answers, cases};
use std::path::Path;

/// Checks every target of a file.
#[expect(clippy::disallowed_methods, reason = "tests read cases")]
fn check(file: &str) {
    let text = std::fs::read_to_string(cases().join(Path::new(file))).expect("a case");
    let lines = text.lines().zip(1..);
    let targets: Vec<(String, &str)> = lines
        .filter_map(|(line, number)| {
            let (_, expected) = line.split_once("// TARGET ")?;
            Some((format!("{file}:{number}"), expected))
        })
        .collect();
    let words: Vec<&str> = targets.iter().map(|(target, _)| target.as_str()).collect();
    assert!(!words.is_empty(), "{file} has no target");
    for ((target, expected), found) in targets.iter().zip(answers(&words)) {
        let mut words = expected.split(' ');
        assert_eq!(found["outcome"].as_str(), words.next(), "{target}: {found}");
        if found["outcome"] == "unreachable" {
            // That no access leaves its object is assumed wherever one could; nothing else is.
            let mut bounds = found["bounds"].as_array().expect("a list").iter();
            assert!(bounds.all(|bound| bound == "every access stays in its object"), "{found}");
        }
        if let Some(most) = words.next() {
            let most: u64 = most.parse().expect("a number of segments");
            let segments = found["counters"]["segments"].as_u64().expect("a number");
            assert!(segments <= most, "{target}: {segments} segments, more than {most}");
        }
    }
}

#[test]
fn the_programs_of_the_paper_take_no_more_segments_than_there() {
    for name in ["hard_loop", "dart", "unreach", "slicing", "narrow", "easy_loop", "trityp"] {
        check(&format!("{name}.c"));
    }
}

#[test]
fn contradictions_behind_many_branches_are_found_at_once() {
    for n in [20, 40, 80] {
        check(&format!("diamonds_{n}.c"));
    }
}

#[test]
fn memory_calls_and_globals() {
    check("more/memory.c");
}

/// A search that slices goes back through such a loop for ever. Where nothing is written in between, no access has to stay in its object.
#[test]
fn what_the_conditions_beside_a_target_decide() {
    check("more/beside.c");
    let bounds = |line: &str| answers(&[line])[0]["bounds"].clone();
    assert_eq!(bounds("more/beside.c:8"), serde_json::json!([]));
    let written = &answers(&["more/beside.c:23", "--time", "5"])[0];
    assert!(
        written["outcome"] != "unreachable" || written["bounds"] != serde_json::json!([]),
        "{written}"
    );
}

#[test]
fn floats_loops_and_tables() {
    check("more/numbers.c");
}

#[test]
fn what_refutes_one_way_does_not_refute_another() {
    for parts in ["loop-methods", "slicing", "slicing,merging", "back-jumping", "merging"] {
        let found = &answers(&["more/jumped.c:17", "--without", parts])[0];
        assert_eq!(found["outcome"], "reached", "without {parts}: {found}");
    }
}

#[test]
fn what_is_switched_off_costs_segments_and_changes_no_answer() {
    let line = "slicing.c:15";
    let segments = |words: &[&str]| {
        let words: Vec<&str> = [line].iter().chain(words).copied().collect();
        let found = &answers(&words)[0];
        assert_eq!(found["outcome"], "unreachable");
        found["counters"]["segments"].as_u64().expect("a number")
    };
    let all = segments(&[]);
    let jumping = segments(&["--without", "slicing,merging"]);
    // What the paper counted: each of nine branches doubles the paths.
    let none = segments(&["--without", "slicing,merging,back-jumping"]);
    assert!(all <= 2 && jumping < 512 && none == 512, "{all} {jumping} {none}");
}
