//! What a function frees comes from `malloc`: in the model, and in tests.

use super::sanitized::sanitized;
use super::{Json, file, folder, function, symcrete};

/// Functions that free what they are given, and nothing twice.
const FREEING: [&str; 4] = ["node_free", "take_all", "maybe", "push"];

fn options(names: &[&str]) -> String {
    names.iter().map(|name| format!("--function {name} ")).collect()
}

#[test]
fn tests_allocate_what_the_function_frees() {
    let texts = sanitized(&format!("frees.c --time 20 {}", options(&FREEING)));
    assert!(texts.contains("calloc(1, sizeof *node)"), "{texts}");
    assert!(texts.contains(", sizeof *text)"), "{texts}");
    assert!(texts.contains("char text[]"), "what is kept is a variable: {texts}");
}

#[test]
fn what_comes_after_a_free_is_covered() {
    let words = format!("gen frees.c --no-out --json --no-native --time 20 {}", options(&FREEING));
    let found = symcrete(&words).json();
    for name in FREEING {
        let branches = &function(&found, name)["branches"];
        let sum = ["covered", "within_bounds"].map(|key| branches[key].as_u64().expect("a number"));
        assert_eq!(Some(sum[0] + sum[1]), branches["total"].as_u64(), "{name}: {branches}");
    }
    let is_free = |bug: &Json| bug["kind"].as_str().is_some_and(|kind| kind.contains("free"));
    let bugs = found["bugs"].as_array().expect("a list");
    assert!(!bugs.iter().any(is_free), "{bugs:?}");
}

#[test]
fn using_or_freeing_it_again_is_a_failure() {
    let out = super::folder();
    let names = options(&["use_after", "twice", "from_the_middle"]);
    let words = format!("gen frees.c --json --time 20 {names} --out");
    let found = symcrete(&format!("{words} {}", out.path().join("out").display())).json();
    let bugs = found["bugs"].as_array().expect("a list");
    // Null can be freed, and then be followed: that needs a precondition.
    let native = bugs.iter().filter(|bug| bug["rank"] == "native");
    let seen: Vec<[&str; 2]> =
        native.map(|bug| ["function", "kind"].map(|key| bug[key].as_str().unwrap_or(""))).collect();
    let expected = [
        ["use_after", "use of memory after it was freed"],
        ["twice", "memory freed twice"],
        ["from_the_middle", "freed what is not the start of allocated memory"],
    ];
    assert_eq!(seen, expected, "{bugs:?}");
}

/// Tests allocate what the function reallocates, and that allocation is not one of those that may fail.
#[test]
fn reallocating_an_object_of_the_caller_may_fail() {
    let folder = folder();
    let text = "#include <stdlib.h>\n\
        int grow(char **buffer, int n)\n\
        {\n\
            char *larger = realloc(*buffer, n > 0 ? n : 1);\n\
            if (!larger) {\n\
                free(*buffer);\n\
                return -1;\n\
            }\n\
            *buffer = larger;\n\
            return larger[0] == 'a';\n\
        }\n";
    let source = file(&folder, "grow.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --check alloc --out {out} --json")).json();
    let branches = &function(&found, "grow")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{}", found["native"]);
    assert!(found["native"]["passed"].as_u64() >= Some(2), "{}", found["native"]);
}
