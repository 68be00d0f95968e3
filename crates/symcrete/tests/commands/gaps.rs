//! Nothing is proved past a place where the model leaves something out, and what was left out is named.

use super::{Json, function, symcrete};

/// Functions of `gaps.c`, each with a side that no run of ours takes and what is said of it: the bound within which it
/// is infeasible, or a part of the reason why it is open.
const WITHIN: &[(&str, &str)] = &[
    ("length_of_array", "length 8"),
    ("length_of_buffer", "length 8"),
    ("past_the_end", "length 8"),
    ("depth", "pointer depth 3"),
    ("callback", "no callbacks"),
    ("same_as_global", "no aliasing"),
    ("alias_of_global", "no aliasing"),
    ("alignment", "these addresses"),
    ("allocation", "this environment (allocation never fails)"),
    ("clock_time", "this environment (clock)"),
    ("file", "this environment (files)"),
    ("random_number", "this environment (random numbers)"),
    ("counter", "first call"),
    ("global_state", "first call"),
    ("changes_global", "undefined functions only fill their arguments"),
];
/// Inputs stay as small as they are at first.
const SMALL: &str = "gen --no-out --json --time 20 --jobs 2 --max-length 8 --max-pointer-depth 3";
const OPEN: &[(&str, &str)] = &[
    ("nan_sum", "bits of a computed NaN"),
    ("nan_sign", "bits of a computed NaN"),
    ("nan_wide", "bits of a computed NaN"),
];

#[test]
fn no_gap_of_the_model_is_forgotten() {
    let done = symcrete(&format!("{SMALL} gaps.c"));
    let found = done.json();
    for (name, bound) in WITHIN {
        let function = function(&found, name);
        assert_eq!(function["branches"]["infeasible"], 0, "{function}");
        let sides = function["within_bounds"].as_array().expect("a list");
        let names = |side: &Json| {
            side["bounds"].as_array().is_some_and(|all| all.contains(&Json::from(*bound)))
        };
        assert!(sides.iter().any(names), "{name} is not {bound}: {function}");
    }
    for (name, reason) in OPEN {
        let function = function(&found, name);
        let branches = &function["branches"];
        assert_eq!(
            (&branches["infeasible"], &branches["within_bounds"]),
            (&Json::from(0), &Json::from(0)),
            "{function}"
        );
        let why = function["uncovered"][0]["why"].as_str().unwrap_or_default();
        assert!(why.contains(reason), "{name}: {function}");
    }
    // What needs no more than asking for it is covered, and nothing of all this is a failure.
    let covered = [
        "follow",
        "out_parameter",
        "found",
        "variable",
        "same",
        "not_its_length",
        "aliased",
        "aliased_inside",
        "jump",
    ];
    // A list that is a circle has no end.
    for name in covered.into_iter().chain(["depth_unchecked"]) {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
    let bugs = found["bugs"].as_array().expect("a list");
    let is_failure = |bug: &&Json| bug["kind"] != "access outside any object";
    assert_eq!(bugs.iter().filter(is_failure).count(), 0, "{bugs:?}");
}

#[test]
fn coverage_that_is_asked_for_counts_no_bounds() {
    let done = symcrete("gen --no-out --min-coverage 100 gaps.c --function counter");
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("first call"), "{}", done.stdout);
}

/// Which NaN a sum or a quotient is, differs from machine to machine: what such a run did is no test.
#[test]
fn no_test_depends_on_the_bits_of_a_computed_nan() {
    let done = symcrete("gen --no-out --json --time 20 --jobs 2 gaps.c");
    let found = done.json();
    let covered = |name: &str| function(&found, name)["branches"]["covered"].clone();
    // `0 / 0` is a negative NaN on x86-64 and a positive one elsewhere: no run with `x == 0.0` counts.
    assert_eq!(covered("nan_sign"), 1, "{}", function(&found, "nan_sign"));
    assert_eq!(covered("nan_sum"), 1, "{}", function(&found, "nan_sum"));
}
