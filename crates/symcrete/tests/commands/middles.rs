//! Pointers that point inside the objects of others.

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
    // Parts of structures.
    for name in ["next_free", "index_of", "mark", "ring_length", "is_third", "used"] {
        let function = function(&found, name);
        let branches = &function["branches"];
        assert_eq!(branches["covered"], branches["total"], "{function}");
    }
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
    for (function, line) in [
        ("index_of", "index_of(&pool, &pool.nodes["),
        ("next_free", "pool.free = &pool.nodes[2];"),
        ("ring_length", "= &ring.head;"),
        ("is_third", ".at = lexer_text + 3"),
        ("used", "buffer.end = &buffer.data[1];"),
    ] {
        let file = folder.join(format!("tests/test_{function}.c"));
        let test = std::fs::read_to_string(file).expect("it was written");
        assert!(test.contains(line), "{test}");
    }
}
