//! Tests that `gen` writes, compiled with sanitizers by both compilers: nothing that they do is undefined.

use super::{Json, folder, function, symcrete};
use std::path::Path;
use std::process::Command;

/// Writes tests for a file, runs each program of them under sanitizers, and gives what was written.
pub(super) fn sanitized(words: &str) -> String {
    let out = folder();
    let out = out.path().join("out");
    let found = symcrete(&format!("gen {words} --json --jobs 2 --out {}", out.display())).json();
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{}", found["native"]);
    #[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
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
    // What a function returns nobody frees.
    let done = Command::new(&program)
        .envs([("LC_ALL", "C"), ("ASAN_OPTIONS", "detect_leaks=0")])
        .output()
        .expect("it was built");
    let said = [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(done.status.success(), "{compiler} {}: {said:?}", test.display());
}

#[test]
fn pointers_that_are_not_followed_are_there() {
    let texts = sanitized("unfollowed.c --time 20");
    assert!(texts.contains("struct box box = {0};"), "what nobody reads is null: {texts}");
    for function in ["set_second", "set_inner", "copy"] {
        assert!(!texts.contains(&format!("{function}(NULL")), "{texts}");
    }
}

#[test]
fn nodes_are_those_of_their_list() {
    let texts = sanitized("api/remove.c --time 20");
    assert!(texts.contains("struct node *node = list->head"), "{texts}");
    let found = symcrete("gen api/remove.c --no-out --json --time 20").json();
    for name in ["list_remove", "list_index"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}");
    }
    assert_eq!(found["bugs"], Json::Array(Vec::new()));
}

#[test]
fn files_are_inputs_of_functions_that_are_given_them() {
    let texts = sanitized("file_params.c --time 20");
    assert!(texts.contains("FILE *in = fopen(\"in.txt\", \"r+\");"), "{texts}");
    assert!(texts.contains("symcrete_file(\"in.txt\", \"key="), "{texts}");
    let found = symcrete("gen file_params.c --no-out --json --time 20").json();
    assert_eq!(found["skipped"], Json::Array(Vec::new()));
    for name in ["count_lines", "first_line", "both"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
}

#[test]
fn members_that_are_streams_are_opened_files() {
    let texts = sanitized("stream_members.c --time 20");
    assert!(texts.contains("reader.in = fopen(\"reader_in.txt\", \"r+\");"), "{texts}");
    assert!(texts.contains("log.to.out = fopen(\"log_to_out.txt\", \"r+\");"), "{texts}");
    let found = symcrete("gen stream_members.c --no-out --json --time 20").json();
    for name in ["next_line", "log_text", "copy", "cell"] {
        let function = function(&found, name);
        let branches = &function["branches"];
        assert_eq!(branches["covered"], branches["total"], "{function}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let words = format!("gen stream_members.c --json --time 20 --out {}", out.display());
    let found = symcrete(&words).json();
    let ranks: Vec<&str> = found["bugs"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|bug| bug["rank"].as_str())
        .collect();
    assert_eq!(ranks, ["precondition"], "{}", found["bugs"]);
}

#[test]
fn lists_of_arguments_are_inputs() {
    let texts = sanitized("lists_of_arguments.c --time 20");
    assert!(texts.contains("static int call_vsum(int argument_0, ...)"), "{texts}");
    assert!(texts.contains("static int call_is_seven(int anchor, ...)"), "{texts}");
    let found = symcrete("gen lists_of_arguments.c --no-out --json --time 20 --length 32").json();
    for name in ["vsum", "is_seven", "vprint"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
    assert_eq!(found["bugs"], Json::Array(Vec::new()));
}

#[test]
fn floats_that_fit_no_integer_are_in_no_test_that_needs_none() {
    let texts = sanitized("large.c --function clamped --function array --time 5");
    assert!(!texts.contains("NAN"), "{texts}");
}

#[test]
fn only_sizes_that_no_machine_has_make_allocation_fail() {
    let texts = sanitized("large.c --function too_large --function rather_large --time 20");
    assert!(texts.contains("allocator_may_return_null=1"), "{texts}");
    assert!(texts.contains("CHECK(result == -1);"), "{texts}");
    assert!(!texts.contains("size = 200000000000"), "{texts}");
    let texts = sanitized("large.c --function from_signed --time 20");
    assert!(texts.contains("allocator_may_return_null=1"), "{texts}");
    assert!(texts.contains("CHECK(result == -1);"), "{texts}");
    let words = "gen large.c --function rather_large --json --no-out --no-native --time 20";
    let found = symcrete(words).json();
    let branches = &function(&found, "rather_large")["branches"];
    assert_eq!((&branches["covered"], &branches["open"]), (&1.into(), &3.into()), "{branches}");
}

/// What a NaN becomes as an `int` is undefined: a test that needs that would fail under UndefinedBehaviorSanitizer.
#[test]
fn conversions_that_are_undefined_are_in_no_test() {
    let folder = folder();
    let text = "#include <math.h>\n\
        int cast(double d) { int i = (int)d; return isnan(d) ? i == 7 : i > 100; }\n";
    let source = super::file(&folder, "cast.c", text);
    let out = folder.path().join("out");
    let found = symcrete(&format!("gen {source} --json --out {}", out.display())).json();
    let failed = found["native"]["failed"].as_array().expect("a list");
    let [failed] = &failed[..] else { panic!("{found}") };
    assert!(failed["reasons"].to_string().contains("outside the range"), "{failed}");
    let open = found["functions"][0]["uncovered"].to_string();
    assert!(open.contains("isnan"), "{open}");
}
