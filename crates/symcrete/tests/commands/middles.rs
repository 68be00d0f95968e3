//! Parameters that point inside the array of another one.

use super::{Json, function, symcrete};

#[test]
fn arrays_overlap_where_a_branch_needs_it() {
    let found = symcrete("gen --no-out --json --time 30 --jobs 2 middles.c").json();
    for name in ["move", "overlap", "raw", "position", "distance"] {
        let function = function(&found, name);
        let branches = &function["branches"];
        assert_eq!(branches["covered"], branches["total"], "{function}");
    }
    assert_eq!(found["bugs"], Json::Array(Vec::new()), "that arrays overlap is no failure");
    // Overlapping arrays prove nothing.
    let apart = function(&found, "apart");
    assert_eq!(apart["branches"]["infeasible"], 0, "{apart}");
    let bounds = &apart["within_bounds"][0]["bounds"];
    assert!(bounds.to_string().contains("no aliasing"), "{apart}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read what was written")]
fn tests_with_overlapping_arrays_hold_natively() {
    let out = tempfile::tempdir().expect("a folder");
    let folder = out.path().join("out");
    let words = format!("gen middles.c --json --time 30 --jobs 2 --out {}", folder.display());
    let native = symcrete(&words).json()["native"].clone();
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
    assert_eq!(native["warnings"], Json::Array(Vec::new()), "{native}");
    let test = std::fs::read_to_string(folder.join("tests/test_move.c")).expect("it was written");
    assert!(test.contains("from + 1"), "{test}");
}
