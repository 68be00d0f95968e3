//! Pointers that have the same object, and what can only be reached with them.

use super::{Json, function, symcrete};

/// Functions of `lists.c`, and which of their sides need pointers to one object; all can be covered.
#[test]
fn pointers_are_the_same_where_a_branch_needs_it() {
    let found = symcrete("gen --no-out --json --time 30 --jobs 2 lists.c").json();
    let names = [
        "append",
        "insert_sorted",
        "unlink_item",
        "find",
        "is_sound",
        "is_circle",
        "same",
        "written",
    ];
    for name in names {
        let function = function(&found, name);
        let branches = &function["branches"];
        assert_eq!(branches["covered"], branches["total"], "{function}");
    }
    assert_eq!(found["bugs"], Json::Array(Vec::new()), "that pointers are the same is no failure");
}

/// `same_or_null` of `lists.c`: two null pointers are the same without any sharing, so what a run meets before it looks at
/// what is shared counts for them too.
#[test]
fn a_run_with_shared_objects_stands_for_others_until_it_looks_at_them() {
    let words = "gen --no-out --json --no-backward --function same_or_null lists.c";
    let found = symcrete(words).json();
    let same = function(&found, "same_or_null");
    let [side] = &same["within_bounds"].as_array().expect("a list")[..] else { panic!("{same}") };
    let bounds = side["bounds"].to_string();
    assert!(bounds.contains("this environment (allocation never fails)"), "{side}");
}

#[test]
fn tests_with_shared_objects_hold_natively() {
    let out = tempfile::tempdir().expect("a folder");
    let folder = out.path().join("out");
    let words = format!("gen lists.c --json --time 30 --jobs 2 --out {}", folder.display());
    let found = symcrete(&words).json();
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
    assert_eq!(native["warnings"], Json::Array(Vec::new()), "{native}");
}

/// A written test reaches 40 of the 42 sides of the tree: raw nodes are enough for nearly all of them.
#[test]
fn a_red_black_tree_is_covered() {
    // Runs around a circle are endless: they need not be long.
    let words = "gen --no-out --json --time 600 --iterations 80 --fuel 20000";
    let found = symcrete(&format!("{words} --function insert red_black.c")).json();
    let insert = function(&found, "insert");
    let covered = insert["branches"]["covered"].as_u64().expect("a number");
    assert!(covered >= 34, "{insert}");
}
