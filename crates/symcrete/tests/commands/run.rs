//! `symcrete run`: inputs of every type, path conditions, and their SMT-LIB.

use super::{command, conditions, file, finish, folder, keys, run, symcrete};
use serde_json::{Value as Json, json};

/// A function of `inputs.c`, an input, the result, and the conditions on the way.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str]);

const NUMBERS: &[Row] = &[
    ("bytes", r#"{"a": -3, "b": 201}"#, "1", &["14: a < 0 → true", "14: b > 200 → true"]),
    ("bytes", r#"{"a": -128, "b": 200}"#, "2", &["14: a < 0 → true", "14: b > 200 → false"]),
    ("bytes", "{}", "2", &["14: a < 0 → false"]),
    (
        "shorts",
        r#"{"a": -300, "b": 65535}"#,
        "1",
        &["15: a == -300 → true", "15: b == 65535 → true"],
    ),
    (
        "ints",
        r#"{"a": -7, "b": 4000000000}"#,
        "1",
        &["16: a == -7 → true", "16: b == 4000000000u → true"],
    ),
    (
        "longs",
        r#"{"a": -9000000000000000000, "b": 18000000000000000000}"#,
        "-8999999999999999999",
        &["19: a == -9000000000000000000 → true", "19: b == 18000000000000000000u → true"],
    ),
    ("single", r#"{"f": 2.25}"#, "4.5", &["23: f > 1.5f → true"]),
    ("single", r#"{"f": -0.5}"#, "0.5", &["23: f > 1.5f → false"]),
    ("pairs", r#"{"a": 1e300, "b": 2e300}"#, "5e299", &["24: a < b → true"]),
    ("special", r#"{"d": "nan"}"#, "1", &["27: d != d → true"]),
    ("special", r#"{"d": "inf"}"#, "2", &["27: d != d → false", "29: d > 1e308 → true"]),
    ("special", r#"{"d": "-inf"}"#, "3", &["27: d != d → false", "29: d > 1e308 → false"]),
    ("truth", r#"{"a": true, "b": false}"#, "true", &["31: a → true", "31: !b → true"]),
    ("truth", r#"{"a": false, "b": false}"#, "false", &["31: a → false"]),
    ("letter", r#"{"c": "q"}"#, "7", &["32: c == 'q' → true"]),
    ("letter", r#"{"c": 113}"#, "7", &["32: c == 'q' → true"]),
    ("colours", r#"{"c": "BLUE"}"#, "20", &["36: case GREEN → false", "38: case BLUE → true"]),
    ("colours", r#"{"c": 5}"#, "10", &["36: case GREEN → true"]),
    ("levels", r#"{"l": "HIGH"}"#, r#""LOW""#, &["44: l == HIGH → true"]),
    ("levels", r#"{"l": -1}"#, r#""HIGH""#, &["44: l == HIGH → false"]),
];

const OBJECTS: &[Row] = &[
    (
        "by_value",
        r#"{"p": {"x": 4, "y": 0.25}}"#,
        "4",
        &["45: p.x > 3 → true", "45: p.y < 0.5 → true"],
    ),
    (
        "by_pointer",
        r#"{"p": {"x": 4, "y": 0.5}}"#,
        "0",
        &["46: p->x > 3 → true", "46: p->y < 0.5 → false"],
    ),
    (
        "nested",
        r#"{"p": {"a": {"x": 1}, "b": {"x": 2}, "tags": [3, 9]}}"#,
        "3",
        &["47: p.a.x < p.b.x → true", "47: p.tags[1] == 9 → true"],
    ),
    ("unions", r#"{"w": {"whole": 512}}"#, "7", &["48: w.bytes[1] == 2 → true"]),
    ("union_pointer", r#"{"w": {"whole": 258}}"#, "7", &["49: w->whole == 258 → true"]),
    (
        "bits",
        r#"{"f": {"a": 5, "b": -3, "c": 300}}"#,
        "7",
        &["50: f.a == 5 → true", "50: f.b == -3 → true", "50: f.c == 300 → true"],
    ),
    ("array", r#"{"a": [1, 2, 3]}"#, "7", &["51: a[0] + a[1] == a[2] → true"]),
    (
        "sum",
        r#"{"data": [5, 6]}"#,
        "11",
        &["56: i < len → true", "56: i < len → true", "56: i < len → false", "58: s > 10 → true"],
    ),
    (
        "sum",
        r#"{"data": [5, 6], "len": 1}"#,
        "-5",
        &["56: i < len → true", "56: i < len → false", "58: s > 10 → false"],
    ),
    ("sum", r#"{"data": []}"#, "0", &["56: i < len → false"]),
    (
        "ends",
        r#"{"s": "a!"}"#,
        "2",
        &[
            "64: s[n] != 0 → true",
            "64: s[n] != 0 → true",
            "64: s[n] != 0 → false",
            "66: s[n - 1] == '!' → true",
        ],
    ),
    ("ends", r#"{"s": ""}"#, "0", &["64: s[n] != 0 → false"]),
    ("maybe", r#"{"p": null}"#, "-1", &["68: p == NULL → true"]),
    ("maybe", r#"{"p": 7}"#, "7", &["68: p == NULL → false"]),
    ("maybe", r#"{"p": [7]}"#, "7", &["68: p == NULL → false"]),
    ("second", r#"{"pp": [[3, 4]]}"#, "7", &["69: pp[0] → true", "69: pp[0][1] == 4 → true"]),
    ("second", r#"{"pp": [null]}"#, "9", &["69: pp[0] → false"]),
    (
        "length",
        r#"{"l": {"value": 3, "next": {"value": 4, "next": null}}}"#,
        "7",
        &["74: l → true", "74: l → true", "74: l → false"],
    ),
    (
        "raw",
        r#"{"data": [1, 7]}"#,
        "7",
        &["80: n == 2 → true", "80: ((const unsigned char *)data)[1] == 7 → true"],
    ),
];

#[test]
fn numbers_are_inputs() {
    NUMBERS.iter().for_each(check);
}

#[test]
fn objects_are_inputs() {
    OBJECTS.iter().for_each(check);
}

/// Result and conditions are as expected; the input that is shown can be given again; the path condition is
/// satisfiable, since this input satisfies it.
fn check((function, input, value, path): &Row) {
    let folder = folder();
    let script = folder.path().join("path.smt2");
    let script = script.to_str().expect("temporary folders have plain names");
    let words = format!("inputs.c --function {function} --json --smt2 {script}");
    let shown = run(&words, input).json();
    let value: Json = serde_json::from_str(value).expect("JSON");
    assert_eq!(shown["outcome"], json!({"kind": "returned", "value": value}), "{function}{input}");
    let path: Vec<String> = path.iter().map(|condition| format!("inputs.c:{condition}")).collect();
    assert_eq!(conditions(&shown), path, "{function}{input}");
    let again = run(&words, &shown["input"].to_string()).json();
    assert_eq!(again, shown, "{function}{input}");
    assert_eq!(symcrete(&format!("solve {script}")).text(), "sat\n", "{function}{input}");
}

#[test]
fn people_read_the_same_as_programs() {
    let done = run("inputs.c --function sum", r#"{"data": [5, 6]}"#);
    for line in [
        "sum(data = {5, 6}, len = 2)",
        "  returned 11",
        "path condition",
        "  inputs.c:56: i < len → true",
        "  inputs.c:58: s > 10 → true",
        "coverage: 3 of 4 branch sides of sum",
    ] {
        assert!(done.text().lines().any(|shown| shown == line), "{line}: {}", done.text());
    }
}

#[test]
fn json_is_as_documented() {
    let shown = run("inputs.c --function maybe --json", r#"{"p": null}"#).json();
    let all = ["branches", "covered", "drawn", "function", "input", "outcome", "path"];
    assert_eq!(keys(&shown), [&all[..], &["uninitialized"]].concat());
    assert_eq!(shown["function"], "maybe");
    assert_eq!(shown["input"], json!({"p": null}));
    assert_eq!(shown["branches"], json!({"covered": 1, "total": 2}));
    let step = ["column", "condition", "file", "holds", "line", "offset", "origin"];
    assert_eq!(keys(&shown["path"][0]), step);
    let side = json!({
        "column": 28, "condition": "p == NULL", "file": "inputs.c", "holds": true, "line": 68,
    });
    assert_eq!(shown["covered"], json!([side]));
}

#[test]
fn a_path_condition_goes_to_stdout_alone() {
    let done = run("inputs.c --function single --smt2 -", r#"{"f": 2.25}"#);
    assert!(done.text().starts_with("(set-logic "), "{}", done.text());
    assert!(done.text().ends_with("(check-sat)\n"), "{}", done.text());
}

#[test]
fn an_input_can_be_in_a_file() {
    let folder = folder();
    let input = file(&folder, "input.json", r#"{"a": 3, "b": 4}"#);
    let shown = run("inputs.c --function pairs --json", &input).json();
    assert_eq!(shown["outcome"]["value"], 1.5);
}

#[test]
fn globals_are_inputs_on_request() {
    let rows: &[(&str, &str, &[&str])] = &[
        (r#"{"x": 3, "limit": 2}"#, "1", &["7: x > limit → true"]),
        (
            r#"{"x": 3, "limit": 20, "config": {"on": 1, "name": "no"}}"#,
            "2",
            &[
                "7: x > limit → false",
                "9: config.on → true",
                "9: config.name → true",
                "9: config.name[0] == 'n' → true",
            ],
        ),
        (
            r#"{"x": 3, "limit": 20, "table": [1, 7]}"#,
            "3",
            &["7: x > limit → false", "9: config.on → false", "11: table[1] == 7 → true"],
        ),
    ];
    for (input, value, path) in rows {
        let shown = run("globals.c --globals --json", input).json();
        assert_eq!(shown["outcome"]["value"].to_string(), *value, "{input}");
        let path: Vec<String> = path.iter().map(|line| format!("globals.c:{line}")).collect();
        assert_eq!(conditions(&shown), path, "{input}");
    }
    // Otherwise they have the values that the program gives them.
    let shown = run("globals.c --json", r#"{"x": 11}"#).json();
    assert_eq!(shown["outcome"]["value"], 1);
    let shown = run("globals.c --json", r#"{"x": 10}"#).json();
    assert_eq!(shown["outcome"]["value"], 0);
}

#[test]
fn several_files_and_flags_make_one_program() {
    let rows = [
        ("-I include -D SCALE=9", 9),
        ("--cflag -Iinclude --cflag -DSCALE=8", 8),
        ("-I include -D SCALE=6 --cflag -O2", 6),
    ];
    for (flags, value) in rows {
        let shown = run(&format!("first.c second.c --function outer --json {flags}"), "{}").json();
        assert_eq!(shown["outcome"]["value"], value, "{flags}");
    }
    let words = "first.c second.c -I include -D SCALE=9 --function outer --json";
    let shown = run(words, r#"{"x": 50}"#).json();
    assert_eq!(shown["outcome"]["value"], 1);
    assert_eq!(conditions(&shown), ["first.c:5: x > LIMIT → true", "second.c:3: x == 50 → true"]);
}

#[test]
fn flags_come_from_a_compilation_database() {
    let folder = folder();
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/commands");
    for entry in [
        json!({"command": "cc -Iinclude '-DSCALE=4' -o first.o -c first.c"}),
        json!({"arguments": ["cc", "-I", "include", "-DSCALE=4", "-c", "first.c"]}),
    ] {
        let mut entry = entry;
        entry["directory"] = here.into();
        entry["file"] = "first.c".into();
        let database = file(&folder, "compile_commands.json", &json!([entry]).to_string());
        let words =
            format!("first.c second.c --function outer --json --compile-commands {database}");
        let shown = run(&words, "{}").json();
        assert_eq!(shown["outcome"]["value"], 4, "{entry}");
    }
}

#[test]
fn modules_are_programs_too() {
    let shown = run("module.wat --json", r#"{"arg0": 5, "arg1": 4}"#).json();
    assert_eq!(shown["outcome"], json!({"kind": "returned", "value": 5}));
    assert_eq!(shown["path"][0]["holds"], true);
    assert_eq!(shown["branches"], json!({"covered": 1, "total": 2}));
}

#[test]
fn a_compiled_program_is_used_again_until_a_file_changes() {
    let folder = folder();
    let source = file(&folder, "value.c", "int value(void) { return 1; }\n");
    let value = || symcrete(&format!("run {source} --json")).json()["outcome"]["value"].clone();
    assert_eq!((value(), value()), (json!(1), json!(1)));
    file(&folder, "value.c", "int value(void) { return 2; }\n");
    assert_eq!(value(), json!(2));
    // A folder that cannot be made does not stop us, or is named.
    let mut elsewhere = command(&["run", &source]);
    elsewhere.env("SYMCRETE_CACHE", folder.path().join("new/cache"));
    assert!(finish(elsewhere).text().contains("returned 2"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests damage what was written")]
fn compiled_code_is_kept_and_never_trusted_when_damaged() {
    let folder = folder();
    let source = file(&folder, "twice.c", "int twice(int x) { return x > 4 ? 2 * x : 0; }\n");
    let run = || {
        let mut run = command(&["run", &source, "--input", r#"{"x": 21}"#]);
        run.env("SYMCRETE_CACHE", folder.path().join("cache"));
        finish(run).text().to_string()
    };
    let code = || {
        let entries = std::fs::read_dir(folder.path().join("cache")).expect("a cache");
        let mut files = entries.map(|entry| entry.expect("an entry").path());
        files.find(|file| file.extension().is_some_and(|name| name == "code")).expect("code")
    };
    let first = run();
    assert!(first.contains("returned 42"), "{first}");
    let kept = std::fs::read(code()).expect("code");
    assert_eq!(run(), first);
    for damaged in [&kept[..kept.len() / 2], &[], &vec![0; kept.len()]] {
        std::fs::write(code(), damaged).expect("the folder is ours");
        assert_eq!(run(), first);
        assert!(std::fs::read(code()).expect("code") == kept, "damaged code is written anew");
    }
}

#[test]
fn the_compilers_commands_are_told_on_request() {
    let folder = folder();
    let source = file(&folder, "told.c", "int told(void) { return 1; }\n");
    let done = symcrete(&format!("-v run {source}"));
    for part in ["clang", "opt", "wasm-ld"] {
        let is_told = |line: &str| line.contains("$ ") && line.contains(part);
        assert!(done.stderr.lines().any(is_told), "{part}: {}", done.stderr);
    }
}

/// Code of the library has no lines, but names.
#[test]
fn functions_of_the_library_are_named() {
    let folder = folder();
    let text = "#include <string.h>\nint f(const char *s) { return strlen(s) > 2; }\n";
    let source = file(&folder, "length.c", text);
    let shown = run(&format!("{source} --function f"), r#"{"s": "abc"}"#);
    assert!(shown.text().contains("the library's strlen"), "{}", shown.text());
}

/// A long run with nothing symbolic goes another way through the engine, and ends as a short one does.
#[test]
fn long_runs_end_as_short_ones_do() {
    let names = [
        "plain",
        "outside",
        "freed",
        "unwritten",
        "copied",
        "null",
        "drawn",
        "bytes_of_pointers",
        "nan_bits",
        "nested",
        "divided",
        "ended",
        "listed",
    ];
    for model in ["lp64", "ilp32"] {
        for name in names {
            let run = |turns: &str| {
                let words = ["run", "long_runs.c", "-f", name, "-D", turns, "--data-model", model];
                let json = finish(command(&[&words[..], &["--json"]].concat())).json();
                let keys = ["outcome", "path", "covered", "uninitialized", "drawn"];
                keys.map(|key| json[key].clone())
            };
            let (short, long) = (run("TURNS=200000"), run("TURNS=1000000"));
            assert_eq!(short, long, "{name} {model}");
        }
    }
}
