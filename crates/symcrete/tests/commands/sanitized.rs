//! Tests that `gen` writes, compiled with sanitizers by both compilers: nothing that they do is undefined.

use super::{Json, folder, symcrete};
use std::path::Path;
use std::process::Command;

/// Writes tests for a file, runs each program of them under sanitizers, and gives what was written.
pub(super) fn sanitized(words: &str) -> String {
    let out = folder();
    let out = out.path().join("out");
    let found = symcrete(&format!("gen {words} --json --jobs 2 --out {}", out.display())).json();
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{}", found["native"]);
    let read = |file: &Path| std::fs::read_to_string(file).expect("it was written");
    let suite: Json = serde_json::from_str(&read(&out.join("suite.json"))).expect("JSON");
    let units = suite["units"].as_array().expect("a list");
    let files = units.iter().filter_map(|unit| unit["test_file"].as_str());
    let mut texts = String::new();
    for file in files.map(|file| out.join(file)) {
        for compiler in ["clang-19", "gcc"] {
            run(compiler, &out, &file);
        }
        texts.push_str(&read(&file));
    }
    assert!(!texts.is_empty(), "{found}");
    texts
}

#[expect(clippy::disallowed_methods, reason = "tests are compiled and run")]
fn run(compiler: &str, out: &Path, test: &Path) {
    let program = out.join("sanitized.exe");
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/commands");
    let built = Command::new(compiler)
        .args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-w"])
        .arg(format!("-I{}", out.join("tests/include").display()))
        .arg(test)
        .args(["-lm", "-o"])
        .arg(&program)
        .current_dir(sources)
        .output()
        .expect("there is a compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let done = Command::new(&program).env("LC_ALL", "C").output().expect("it was built");
    let said = [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(done.status.success(), "{compiler} {}: {said:?}", test.display());
}

#[test]
fn pointers_that_are_not_followed_are_there() {
    let texts = sanitized("unfollowed.c --time 20");
    assert!(texts.contains("length(NULL)"), "the path needs it: {texts}");
    for function in ["set_first", "set_second", "set_inner", "copy"] {
        assert!(!texts.contains(&format!("{function}(NULL")), "{texts}");
    }
}
