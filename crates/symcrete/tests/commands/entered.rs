//! Which functions are entered where nobody says, and harnesses that bring their own parts.

use super::{Json, file, finish, folder, function, symcrete};

fn names(found: &Json) -> Vec<&str> {
    let functions = found["functions"].as_array().expect("a list");
    functions.iter().filter_map(|function| function["name"].as_str()).collect()
}

/// As programs of the verification competition: all that they need is in the file, and an assumption that does not hold
/// ends the program.
const BRINGS_ALL: &str = "\
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
void assume_abort_if_not(int condition) { if (!condition) { abort(); } }
void __VERIFIER_assert(int condition) { if (!(condition)) { ERROR: { reach_error(); abort(); } } return; }
int half(int x) { return x > 10 ? x / 2 : x; }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    assume_abort_if_not(n > 0 && n < 100);
    __VERIFIER_assert(half(n) != 21);
    return 0;
}
";

#[test]
fn a_harness_is_entered_at_its_main_whatever_else_is_there() {
    let folder = folder();
    let rows = [
        ("all.c", BRINGS_ALL),
        (
            "klee.c",
            "#include <klee/klee.h>\nint f(int x) { return x > 3; }\nint main(void) { int x; klee_make_symbolic(&x, sizeof x, \"x\"); return f(x); }\n",
        ),
        (
            "crest.c",
            "#include <crest.h>\nint f(int x) { return x > 3; }\nint main(void) { int x; CREST_int(x); return f(x); }\n",
        ),
    ];
    for (name, text) in rows {
        let source = file(&folder, name, text);
        let found = symcrete(&format!("gen {source} --no-out --json")).json();
        assert_eq!(names(&found), ["main"], "{name}");
        let why = |side: &Json| side["why"] == "taken only by runs that break an assumption";
        let open = found["functions"][0]["uncovered"].as_array().expect("a list");
        assert!(open.iter().all(why), "{name}: {open:?}");
    }
    // A program that is no harness is tested function by function, and so is what it does by itself.
    let source = file(
        &folder,
        "plain.c",
        "int f(int x) { return x > 3; }\nint main(void) { return f(1); }\n",
    );
    assert_eq!(names(&symcrete(&format!("gen {source} --no-out --json")).json()), ["f", "main"]);
}

#[test]
fn a_main_that_decides_something_is_tested_beside_other_functions() {
    let folder = folder();
    let text = "#include <stdlib.h>\n\
        int half(int x) { return x > 10 ? x / 2 : x; }\n\
        int main(int argc, char **argv)\n\
        {\n\
            if (argc < 2)\n\
                return 2;\n\
            return half(atoi(argv[1])) == 7 ? 0 : 1;\n\
        }\n";
    let source = file(&folder, "tool.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --out {out} --json --time 10")).json();
    assert_eq!(names(&found), ["half", "main"], "{found}");
    let branches = &function(&found, "main")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{}", found["native"]);
}

#[test]
fn an_assumption_that_does_not_hold_is_no_failure() {
    let folder = folder();
    let source = file(&folder, "all.c", BRINGS_ALL);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --out {out} --json")).json();
    let bugs = found["bugs"].as_array().expect("a list");
    let [bug] = &bugs[..] else { panic!("{bugs:?}") };
    assert_eq!((&bug["kind"], &bug["rank"]), (&"aborted".into(), &"native".into()), "{bug}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{}", found["native"]);
}

#[test]
fn a_macro_may_stand_for_a_function_of_harnesses() {
    let folder = folder();
    let text = "#include <assert.h>\n#define __VERIFIER_assert(condition) assert(condition)\n\
        int __VERIFIER_nondet_int(void);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3) __VERIFIER_assert(x > 2); return 0; }\n";
    let source = file(&folder, "macro.c", text);
    let out = folder.path().join("out").display().to_string();
    let native = symcrete(&format!("gen {source} --out {out} --json")).json()["native"].clone();
    assert_eq!(native["failed"], Json::Array(vec![]), "{native}");
    assert!(native["passed"].as_u64() > Some(0), "{native}");
}

#[test]
fn a_header_may_have_such_macros() {
    let folder = folder();
    let header = "extern void __VERIFIER_assume(int);\n#define __CPROVER_assume(c) __VERIFIER_assume((c) != 0)\n";
    file(&folder, "verify.h", header);
    let text = "#include \"verify.h\"\nint nondet_int(void);\n\
        int main(void) { int x = nondet_int(); __CPROVER_assume(x > 3); return x == 7 ? 1 : 0; }\n";
    let source = file(&folder, "main.c", text);
    let out = folder.path().join("out").display().to_string();
    let native = symcrete(&format!("gen {source} --out {out} --json")).json()["native"].clone();
    assert_eq!(native["failed"], Json::Array(vec![]), "{native}");
    assert!(native["passed"].as_u64() > Some(0), "{native}");
}

#[test]
fn the_branches_of_an_included_c_file_are_goals() {
    let folder = folder();
    for part in ["lib", "test"] {
        std::fs::create_dir(folder.path().join(part)).expect("the folder is ours");
    }
    file(
        &folder,
        "lib/x.c",
        "static int seen;\nint classify(int x)\n{\n    seen++;\n    if (x > 3)\n        return 1;\n    return x == -7 ? 2 : 3;\n}\n",
    );
    let harness = "#include \"../lib/x.c\"\n#include <stddef.h>\n#include <stdint.h>\n\
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n\
        {\n    return size == 1 ? classify((signed char)data[0]) & 0 : 0;\n}\n";
    file(&folder, "test/harness.c", harness);
    // Paths below the working directory, as people have them.
    let words = ["gen", "harness.c", "--out", "out", "--json"];
    let mut command = super::command(&words);
    command.current_dir(folder.path().join("test"));
    let found = finish(command).json();
    let branches = &function(&found, "LLVMFuzzerTestOneInput")["branches"];
    assert_eq!((&branches["total"], &branches["covered"]), (&6.into(), &6.into()), "{branches}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{}", found["native"]);
    assert_eq!(found["native"]["sides_compared"], 6, "{}", found["native"]);
}

#[test]
fn static_functions_that_nothing_reaches_are_tested() {
    let folder = folder();
    let text = "static int reached(int x) { return x > 1 ? 1 : 2; }\n\
        int visible(int x) { return reached(x); }\n\
        static int inner(int x) { return x > 2 ? 1 : 2; }\n\
        static int alone(int x) { return x > 3 ? inner(x) : 0; }\n\
        static int even(int n);\n\
        static int odd(int n) { return n > 0 ? even(n - 1) : 0; }\n\
        static int even(int n) { return n > 0 ? odd(n - 1) : 1; }\n";
    let source = file(&folder, "statics.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --out {out} --json --iterations 50")).json();
    assert_eq!(names(&found), ["visible", "alone", "odd"]);
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{}", found["native"]);
}
