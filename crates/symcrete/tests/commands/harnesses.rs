//! Harnesses of other tools, fuzz targets and whole programs.

use super::{Json, conditions, file, folder, run, symcrete};
use serde_json::json;

#[test]
fn fuzz_targets_take_bytes() {
    let shown = run("bytes.c --json", r#"{"data": "FUZ"}"#).json();
    assert_eq!(shown["function"], "LLVMFuzzerTestOneInput");
    assert_eq!(
        shown["outcome"],
        json!({"kind": "failed", "reason": "unreachable executed", "place": "bytes.c:7"})
    );
    let shown = run("bytes.c --json", r#"{"data": [70, 85]}"#).json();
    assert_eq!(shown["outcome"], json!({"kind": "returned", "value": 0}));
    assert_eq!(conditions(&shown), ["bytes.c:6: size > 2 → false"]);
}

#[test]
fn programs_read_their_standard_input() {
    for (stdin, value) in [("yes\\n", 2), ("no\\n", 3), ("", 1)] {
        let input = format!(r#"{{"argc": 1, "stdin": "{stdin}"}}"#);
        let shown = run("program.c --json", &input).json();
        assert_eq!(shown["function"], "main");
        assert_eq!(shown["outcome"], json!({"kind": "returned", "value": value}), "{stdin}");
    }
}

#[test]
fn standard_input_may_be_long() {
    let folder = super::folder();
    let text = "#include <stdio.h>\nint main(void)\n{\n    int n = 0;\n\n    while (getchar() != EOF)\n        n++;\n    return n;\n}\n";
    let source = super::file(&folder, "count.c", text);
    for length in [0, 64, 65, 300] {
        let input = format!(r#"{{"stdin": "{}"}}"#, "x".repeat(length));
        let shown = run(&format!("{source} --json"), &input).json();
        assert_eq!(shown["outcome"], json!({"kind": "returned", "value": length}), "{length}");
    }
}

#[test]
fn programs_find_the_files_of_the_command_line() {
    let folder = super::folder();
    let program = "#include <stdio.h>\n\
        int main(void)\n\
        {\n\
            FILE *f = fopen(\"data/in.txt\", \"r\"), *g = fopen(\"/other\", \"r\");\n\
            int c = f ? fgetc(f) : -1, d = g ? fgetc(g) : -1;\n\
            return c == 'q' && d == 'r' ? 1 : c < 0 ? 2 : 3;\n\
        }\n";
    let source = super::file(&folder, "reads.c", program);
    let first = super::file(&folder, "first", "quick");
    let second = super::file(&folder, "second", "round");
    for (files, value) in [
        (format!("--file data/in.txt={first} --file other={second}"), 1),
        (format!("--file data/in.txt={second} --file other={second}"), 3),
        (format!("--file other={second}"), 2),
        (String::new(), 2),
    ] {
        let shown = symcrete(&format!("run {source} --json {files}")).json();
        assert_eq!(shown["outcome"], json!({"kind": "returned", "value": value}), "{files}");
    }
    for (files, part) in [
        ("--file data".to_string(), "--file takes NAME=FILE"),
        ("--file a=missing".to_string(), "cannot read `missing`"),
        (format!("--file {}={first}", "a".repeat(64)), "longer than 63 characters"),
        (format!("--file a={first} ").repeat(17), "16 files at most"),
    ] {
        let complaint = symcrete(&format!("run {source} {files}")).complaint(2);
        assert!(complaint.contains(part), "{complaint}");
    }
    let complaint = symcrete(&format!("run module.wat --file a={first}")).complaint(2);
    assert!(complaint.contains("a module has no files"), "{complaint}");
}

#[test]
fn programs_take_arguments() {
    for (argv, value) in [(r#"["program", "-v"]"#, 7), (r#"["program", "-w"]"#, 3)] {
        let input = format!(r#"{{"argv": {argv}, "stdin": "no"}}"#);
        let shown = run("program.c --json", &input).json();
        assert_eq!(shown["outcome"], json!({"kind": "returned", "value": value}), "{argv}");
        assert_eq!(shown["input"]["argc"], 2, "{argv}");
    }
    let found = symcrete("gen program.c --no-out --json").json();
    assert_eq!(found["functions"][0]["branches"]["covered"], 8, "{found}");
}

#[test]
fn harnesses_ask_for_values_by_name() {
    let rows: &[(&str, &[&str], &str)] = &[
        ("own.c", &["n", "d"], "rejected"),
        ("klee.c", &["x", "many[0]", "many[1]"], "rejected"),
        ("crest.c", &["a", "b"], "returned"),
        ("svcomp.c", &["__VERIFIER_nondet_int()"], "rejected"),
    ];
    for (file, names, kind) in rows {
        let shown = run(&format!("{file} --json"), "{}").json();
        let drawn: Vec<&str> = shown["drawn"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|drawn| drawn["name"].as_str())
            .collect();
        assert_eq!(drawn, *names, "{file}");
        assert_eq!(shown["outcome"]["kind"], *kind, "{file}");
    }
    let shown = run("own.c --json", "{}").json();
    assert_eq!(shown["outcome"]["place"], "own.c:9", "the assumption has a place");
    let shown = run("svcomp.c --json", r#"{"__VERIFIER_nondet_int()": [11]}"#).json();
    assert_eq!(shown["outcome"]["reason"], "error reached");
    assert_eq!(conditions(&shown), ["svcomp.c:10: n * 3 == 33 → true"]);
}

/// Every harness with what a search finds in it: covered sides of its branches, and failures.
#[test]
fn harnesses_are_explored() {
    let rows: &[(&str, u64, &[&str])] = &[
        ("own.c", 4, &["assertion failed"]),
        ("klee.c", 4, &["assertion failed"]),
        ("crest.c", 2, &[]),
        ("svcomp.c", 2, &["error reached"]),
        ("bytes.c", 8, &["unreachable executed"]),
    ];
    let strategies = ["auto", "dfs"];
    for ((file, covered, kinds), strategy) in
        rows.iter().flat_map(|row| strategies.map(|strategy| (row, strategy)))
    {
        let found = symcrete(&format!("gen {file} --no-out --json --strategy {strategy}")).json();
        let branches = &found["functions"][0]["branches"];
        assert_eq!((branches["covered"].as_u64(), &branches["open"]), (Some(*covered), &json!(0)));
        let bugs: Vec<&str> = found["bugs"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|bug| bug["kind"].as_str())
            .collect();
        assert_eq!(bugs, *kinds, "{file}");
    }
}

/// What a header outside the user's folder declares, tests define as it says.
#[test]
fn functions_that_a_header_elsewhere_declares_are_defined_as_it_says() {
    let (include, sources) = (super::folder(), super::folder());
    super::file(
        &include,
        "verifier.h",
        "void __VERIFIER_assume(int);\nvoid __VERIFIER_error(void);\n",
    );
    let program = "#include <verifier.h>\n\
        extern int nd(void);\n\
        int main(void)\n\
        {\n\
            int x = nd();\n\
            __VERIFIER_assume(x > 10);\n\
            if (x == 15)\n\
                __VERIFIER_error();\n\
            return 0;\n\
        }\n";
    let source = super::file(&sources, "harness.c", program);
    let out = sources.path().join("out");
    let words = format!("gen {source} -I{} --json --out", include.path().display());
    let found = symcrete(&format!("{words} {}", out.display())).json();
    assert_eq!(found["native"]["failed"], json!([]), "{found}");
    assert_eq!(found["bugs"][0]["rank"], "native", "{found}");
}

/// The header is outside the user's folder, so its functions are not tested, but they are there.
#[test]
fn functions_of_a_header_elsewhere_are_defined_once() {
    let (include, sources) = (super::folder(), super::folder());
    let header = "extern void abort(void);\n\
        void reach_error(void) { abort(); }\n\
        void __VERIFIER_assume(int holds) { if (!holds) abort(); }\n\
        void __VERIFIER_assert(int holds) { if (!holds) reach_error(); }\n";
    super::file(&include, "verifier.h", header);
    let program = "#include <verifier.h>\n\
        extern int __VERIFIER_nondet_int(void);\n\
        int main(void)\n\
        {\n\
            int x = __VERIFIER_nondet_int();\n\
            if (x > 10 && x < 20)\n\
                __VERIFIER_assert(x != 15);\n\
            return 0;\n\
        }\n";
    let source = super::file(&sources, "harness.c", program);
    let out = sources.path().join("out");
    let words = format!("gen {source} -I{} --json --out", include.path().display());
    let found = symcrete(&format!("{words} {}", out.display())).json();
    let native = &found["native"];
    assert_eq!(native["failed"], json!([]), "{native}");
    assert!(native["passed"].as_u64().is_some_and(|n| n > 0), "{native}");
}

/// A harness that the user's build brings in from elsewhere: tests define what its macros call, whatever types it declares.
#[test]
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn headers_from_elsewhere_may_call_the_harness() {
    let elsewhere = folder();
    let header = "#include <stdbool.h>\nextern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assert(bool);\n\
        #define any_number() __VERIFIER_nondet_int()\n#define must(holds) __VERIFIER_assert(holds)\n";
    std::fs::write(elsewhere.path().join("tool.h"), header).expect("ours");
    let text = "#include <tool.h>\n\
        void other(void) { must(any_number() < 256); }\n\
        void divide(void)\n{\n    int n = any_number();\n    must(n != 300);\n}\n";
    let mine = folder();
    let source = file(&mine, "main.c", text);
    let (include, out) = (elsewhere.path().display(), mine.path().join("out"));
    let words = format!(
        "gen --json --time 10 --function divide -I {include} --out {} {source}",
        out.display()
    );
    let found = symcrete(&words).json();
    assert_eq!(found["bugs"][0]["rank"], "native", "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{found}");
}
