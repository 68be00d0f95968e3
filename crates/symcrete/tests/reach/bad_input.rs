//! Targets that are not there, and all the ways to name one.

use super::{answers, reach};

fn complaint(words: &[&str]) -> String {
    let (code, output, complaint) = reach(words);
    assert_eq!(code, Some(2), "{output}{complaint}");
    complaint
}

#[test]
fn a_line_without_code_names_its_neighbours() {
    let text = complaint(&["targets.c:2"]);
    assert!(
        text.contains("targets.c:2 has no code: the nearest lines that have some are"),
        "{text}"
    );
}

#[test]
fn what_is_not_there_is_said() {
    assert!(complaint(&["nowhere", "targets.c"]).contains("no function `nowhere`"));
    assert!(complaint(&["targets.c:5:true"]).contains("has no condition"));
    assert!(complaint(&["targets.c"]).contains("no target"));
    assert!(complaint(&["helper"]).contains("no C file"));
    assert!(complaint(&["symcrete_target(\"none\")", "targets.c"]).contains("no file has"));
    assert!(complaint(&["other.h:3", "targets.c"]).contains("has no code in this program"));
    assert!(complaint(&["targets.c:14", "--trap", "null"]).contains("nothing that can fail"));
}

#[test]
fn functions_markers_sides_and_headers_are_targets() {
    let outcome = |words: &[&str]| answers(words)[0]["outcome"].as_str().map(str::to_owned);
    let reached = Some("reached".to_owned());
    assert_eq!(outcome(&["helper", "targets.c"]), reached);
    assert_eq!(outcome(&["symcrete_target(\"deep\")", "targets.c"]), reached);
    assert_eq!(outcome(&["reach_error()", "targets.c"]), reached);
    assert_eq!(outcome(&["targets.h:4", "targets.c"]), reached);
    assert_eq!(outcome(&["targets.c:13:true"]), reached);
    assert_eq!(outcome(&["targets.c:13:false"]), reached);
    assert_eq!(outcome(&["targets.c:20", "--trap", "div-by-zero"]), reached);
    let never = Some("unreachable".to_owned());
    assert_eq!(outcome(&["targets.c:28", "--trap", "div-by-zero"]), never);
}

#[test]
fn a_function_that_the_entry_does_not_call_is_unreachable_from_it() {
    let found = &answers(&["helper", "targets.c", "--function", "divide"])[0];
    assert_eq!(found["outcome"], "unreachable");
    assert_eq!(found["entries"][0], "divide");
}

#[test]
fn every_instance_of_an_inlined_line_is_a_target() {
    let found = &answers(&["instances.h:5", "instances.c", "instances_other.c"])[0];
    assert_eq!(found["outcome"], "reached", "{found}");
    assert_eq!(found["function"], "second", "the others pass too small numbers");
    let others = ["--function", "first", "--function", "third"];
    let words: Vec<&str> =
        ["instances.h:5", "instances.c", "instances_other.c"].into_iter().chain(others).collect();
    let found = &answers(&words)[0];
    assert_eq!(found["outcome"], "unreachable", "by any of the instances: {found}");
}

#[test]
fn entries_whose_parameters_have_one_name_and_two_types_are_both_tried() {
    let line = "instances.c:39";
    let found = &answers(&[line])[0];
    assert_eq!((&found["outcome"], &found["function"]), (&"reached".into(), &"fraction".into()));
    let found = &answers(&[line, "--function", "whole"])[0];
    assert_eq!(found["outcome"], "unreachable", "{found}");
}

#[test]
fn a_function_that_nobody_calls_is_entered_itself() {
    let found = &answers(&["instances.c:17"])[0];
    assert_eq!(
        (&found["outcome"], &found["function"]),
        (&"reached".into(), &"nobody_calls".into())
    );
}

#[test]
fn a_line_with_a_macro_is_a_target_and_the_lines_of_its_definition_are_not() {
    let found = answers(&["instances.c:23", "instances.c:23:true"]);
    assert!(found.iter().all(|target| target["outcome"] == "reached"), "{found:?}");
    assert_eq!(found[1]["input"]["x"], 77);
    assert!(complaint(&["instances.h:10", "instances.c"]).contains("has no code"));
}

#[test]
fn what_the_compiler_left_out_has_no_code() {
    for target in ["instances.c:30", "instances.c:32"] {
        let text = complaint(&[target]);
        assert!(text.contains("has no code: the nearest lines that have some are"), "{text}");
    }
    // Among others it is unknown, with the same words.
    let found = answers(&["instances.c:30", "instances.c:17"]);
    assert_eq!(
        (&found[0]["outcome"], &found[1]["outcome"]),
        (&"unknown".into(), &"reached".into())
    );
}

#[test]
fn lines_of_a_coverage_report_are_targets() {
    let found = answers(&["targets.c", "--from", "targets.info"]);
    let labels: Vec<&str> = found.iter().filter_map(|target| target["target"].as_str()).collect();
    assert_eq!(labels, ["targets.c:9", "targets.c:14"]);
    assert!(found.iter().all(|target| target["outcome"] == "reached"), "{found:?}");
}

#[test]
fn the_text_has_the_input_the_conditions_and_a_test() {
    let (code, output, complaint) = reach(&["targets.c:14"]);
    assert_eq!(code, Some(0), "{complaint}");
    for part in [
        "targets.c:14: reached",
        "entered(x = ",
        "x > 40 is true",
        "as a test:",
        "segments explored: 1",
        "1 of 1 targets ran there",
    ] {
        assert!(output.contains(part), "no `{part}` in\n{output}");
    }
}

/// Branches whose sides come together again are taken as one; the explanation has the side that the run took.
#[test]
fn the_explanation_has_merged_branches() {
    let (code, output, complaint) = reach(&["merged.c:9", "--no-native"]);
    assert_eq!(code, Some(0), "{complaint}");
    for part in ["a > 7 is true", "b < 0 is true", "x * y == 60 is true"] {
        assert!(output.contains(part), "no `{part}` in\n{output}");
    }
    let found = answers(&["merged.c:9"]);
    let conditions = found[0]["conditions"].to_string();
    assert!(conditions.contains("a > 7 is true"), "{conditions}");
}
