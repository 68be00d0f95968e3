//! Programs that end by themselves, wherever that happens: their tests go on behind it.

use super::{Json, file, folder, function, symcrete};

/// What `gen` says of these files, the first of which has `int f(int n)`; `words` are further arguments.
fn generated(files: &[(&str, &str)], words: &str) -> Json {
    let folder = folder();
    let sources: Vec<String> = files.iter().map(|(name, text)| file(&folder, name, text)).collect();
    let out = folder.path().join("out");
    let (sources, out) = (sources.join(" "), out.display().to_string());
    symcrete(&format!("gen --json --time 10 --function f {words} --out {out} {sources}")).json()
}

/// All sides are covered by tests, and natively all is the same and nothing is complained about.
fn all_is_tested(found: &Json) {
    let branches = &function(found, "f")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["warnings"], Json::Array(Vec::new()), "{native}");
}

#[test]
fn the_library_may_end_the_program() {
    let text = "#include <err.h>\n#include <error.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
        int f(int n)\n\
        {\n\
            if (n == 1) err(3, \"no %d\", n);\n\
            if (n == 2) errx(4, \"two\");\n\
            if (n == 3) error(5, 0, \"three\");\n\
            if (n == 4) error(0, 0, \"only a message\");\n\
            if (n == 5) _exit(6);\n\
            if (n == 6) _Exit(7);\n\
            if (n == 7) quick_exit(8);\n\
            return n == 8;\n\
        }\n";
    all_is_tested(&generated(&[("main.c", text)], ""));
}

#[test]
fn another_file_may_end_the_program() {
    let text = "void die(const char *why, int status);\n\
        int f(int n)\n{\n    if (n > 7)\n        die(\"too large\", n);\n    return n;\n}\n";
    let other = "#include <err.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
        void die(const char *why, int status)\n\
        {\n\
            if (status > 100)\n        errx(status, \"%s\", why);\n\
            fprintf(stderr, \"%s\\n\", why);\n    exit(status);\n\
        }\n";
    all_is_tested(&generated(&[("main.c", text), ("die.c", other)], ""));
}

/// Variables and members are called `err` and `error` too, and a function of the program's own may be.
#[test]
fn names_of_endings_may_mean_something_else() {
    let text = "#include <err.h>\n#include <stdlib.h>\n\
        struct state { int err, error; };\n\
        static int error(struct state *s) { return s->error; }\n\
        int f(int n)\n\
        {\n\
            struct state s = {.err = n, .error = n / 2};\n\
            int err = s.err;\n\
            if (err > 9 && error(&s) == 7)\n        exit(2);\n\
            return err;\n\
        }\n";
    all_is_tested(&generated(&[("main.c", text)], ""));
}

/// A loop that reads an input each time round has no end, and its first steps more to find than its length.
#[test]
fn endless_loops_over_inputs_leave_time_for_what_they_do() {
    let text = "int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\n\
        static int is_on, is_armed;\n\
        int main(void)\n\
        {\n\
            for (;;) {\n\
                if (__VERIFIER_nondet_int() == 5)\n            is_on = 1;\n\
                if (__VERIFIER_nondet_int() == 6 && is_on)\n            is_armed = 1;\n\
                if (__VERIFIER_nondet_int() == 77 && is_armed)\n            reach_error();\n\
            }\n\
        }\n";
    let folder = folder();
    let source = file(&folder, "main.c", text);
    let words = format!("gen --json --no-out --time 60 --iterations 30 {source}");
    let found = symcrete(&words).json();
    assert_eq!(found["bugs"][0]["kind"], "error reached", "{found}");
    // Runs of the length that is allowed would pass two million each.
    let sites = function(&found, "main")["run_sites"].as_u64().expect("a number");
    assert!(sites < 1_500_000, "most runs are short: {sites}");
}
