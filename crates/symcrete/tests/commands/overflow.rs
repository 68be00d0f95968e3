//! Accesses that leave an object are failures, and nothing is proved behind them. AddressSanitizer is the oracle.

use super::{Json, folder, function, symcrete};
use std::path::Path;
use std::process::Command;

const LOCAL: &str = "access outside a local variable";
const GLOBAL: &str = "access outside a global variable";
const HEAP: &str = "access outside allocated memory";

/// Functions of `overflow.c` with the line that leaves an object, and which.
const LEAVING: &[(&str, u32, &str)] = &[
    ("local_loop", 10, LOCAL),
    ("local_loop", 11, LOCAL),
    ("local_copy", 19, LOCAL),
    ("local_index", 26, LOCAL),
    ("local_passed", 33, LOCAL),
    ("number_passed", 50, LOCAL),
    ("table_read", 57, GLOBAL),
    ("table_write", 61, GLOBAL),
    ("literal", 65, GLOBAL),
    ("allocated", 74, HEAP),
    ("cleared", 86, HEAP),
    ("grown", 102, HEAP),
    ("variable_length", 113, LOCAL),
];
const STAYING: &[&str] = &["to_the_end", "last_of_stack", "again_and_again", "recursion"];

/// What AddressSanitizer says of a program.
#[expect(clippy::disallowed_methods, reason = "the oracle is a program of its own")]
fn sanitized(program: &Path) -> String {
    let built = program.with_extension("asan");
    let clang = Command::new("clang-19")
        .args(["-g", "-w", "-fsanitize=address", "-o"])
        .args([&built, program])
        .status();
    assert!(clang.expect("clang is there").success(), "{}", program.display());
    let done = Command::new(built).env("ASAN_OPTIONS", "detect_leaks=0").output();
    String::from_utf8_lossy(&done.expect("it runs").stderr).into_owned()
}

#[test]
fn what_leaves_an_object_is_a_failure() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --time 20 --jobs 2 --out {} overflow.c", out.display());
    let found = symcrete(&words).json();
    let bugs = found["bugs"].as_array().expect("a list");
    for (name, line, kind) in LEAVING {
        let place = format!("overflow.c:{line}");
        let is_it = |bug: &&Json| bug["function"] == *name && bug["place"] == place;
        let kinds: Vec<_> = bugs.iter().filter(is_it).map(|bug| &bug["kind"]).collect();
        assert_eq!(kinds, [*kind], "{name}: {bugs:?}");
        let function = function(&found, name);
        assert_eq!(function["branches"]["infeasible"], 0, "{function}");
    }
    assert_eq!(bugs.len(), LEAVING.len(), "{bugs:?}");
    for name in STAYING {
        let branches = &function(&found, name)["branches"];
        let known = ["covered", "infeasible", "within_bounds"].map(|word| branches[word].as_u64());
        assert_eq!(known.iter().flatten().sum::<u64>(), branches["total"], "{name}: {branches}");
    }
    let programs = std::fs::read_dir(out.join("bugs")).expect("a folder");
    let programs: Vec<_> = programs.map(|entry| entry.expect("an entry").path()).collect();
    let programs = programs.iter().filter(|path| path.extension().is_some_and(|e| e == "c"));
    for program in programs {
        let said = sanitized(program);
        assert!(said.contains("AddressSanitizer"), "{}: {said}", program.display());
    }
}

#[test]
fn the_library_stays_in_what_it_is_given() {
    let found = symcrete("gen --no-out --json --time 20 --jobs 2 library.c").json();
    assert_eq!(found["bugs"], Json::from(Vec::<Json>::new()));
    for function in found["functions"].as_array().expect("a list") {
        assert!(function["tests"].as_u64() > Some(0), "{function}");
    }
}
