//! What a function frees comes from `malloc`: in the model, and in tests.

use super::sanitized::sanitized;
use super::{Json, function, symcrete};

#[test]
fn tests_allocate_what_the_function_frees() {
    let texts = sanitized("frees.c --time 20 --function node_free,take_all,maybe,push");
    assert!(texts.contains("calloc(1, sizeof *node)"), "{texts}");
    assert!(texts.contains("calloc(9, sizeof *text)"), "{texts}");
    assert!(texts.contains("char text[9]"), "what is kept is a variable: {texts}");
}

#[test]
fn what_comes_after_a_free_is_covered() {
    let names = "node_free,take_all,maybe,push";
    let found = symcrete(&format!("gen frees.c --no-out --json --time 20 --function {names}"));
    let found = found.json();
    for name in names.split(',') {
        let branches = &function(&found, name)["branches"];
        let sum = ["covered", "within_bounds"].map(|key| branches[key].as_u64().expect("a number"));
        assert_eq!(Some(sum[0] + sum[1]), branches["total"].as_u64(), "{name}: {branches}");
    }
    assert_eq!(found["bugs"], Json::Array(Vec::new()), "{}", found["bugs"]);
}

#[test]
fn using_or_freeing_it_again_is_a_failure() {
    let out = super::folder();
    let words = "gen frees.c --json --time 20 --function use_after,twice,from_the_middle --out";
    let found = symcrete(&format!("{words} {}", out.path().join("out").display())).json();
    let bugs = found["bugs"].as_array().expect("a list");
    let seen: Vec<[&str; 3]> = bugs
        .iter()
        .map(|bug| ["function", "kind", "rank"].map(|key| bug[key].as_str().unwrap_or("")))
        .collect();
    let expected = [
        ["use_after", "use after free", "native"],
        ["twice", "double free", "native"],
        ["from_the_middle", "invalid free", "native"],
    ];
    assert_eq!(seen, expected, "{bugs:?}");
}
