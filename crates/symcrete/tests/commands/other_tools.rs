//! Programs as other tools' test suites have them: old-style declarations, functions that nobody declares, preprocessed files,
//! values that nobody has written.

use super::{Json, file, folder, function, symcrete};

/// What `gen` says of a program, with native proof.
pub(super) fn generate(name: &str, text: &str) -> Json {
    generate_with("", name, text)
}

pub(super) fn generate_with(words: &str, name: &str, text: &str) -> Json {
    let folder = folder();
    let source = file(&folder, name, text);
    let out = folder.path().join("out");
    symcrete(&format!("gen --json --time 10 {words} --out {} {source}", out.display())).json()
}

/// The inputs of the tests of the only function of a file.
#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
pub(super) fn inputs(name: &str, text: &str) -> Vec<Json> {
    let folder = folder();
    let source = file(&folder, name, text);
    let out = folder.path().join("out");
    symcrete(&format!("gen --json --iterations 400 --out {} {source}", out.display())).json();
    let suite = std::fs::read_to_string(out.join("suite.json")).expect("a suite");
    let suite: Json = serde_json::from_str(&suite).expect("JSON");
    let tests = suite["units"][0]["tests"].as_array().expect("a list").iter();
    tests.map(|test| test["input"].clone()).collect()
}

/// The failures: what happens in which line, and with what rank.
pub(super) fn failures(found: &Json) -> Vec<(String, String, Json)> {
    let bugs = found["bugs"].as_array().expect("a list").iter();
    let text = |bug: &Json, key: &str| bug[key].as_str().unwrap_or_default().to_string();
    let line = |place: String| place.rsplit(':').next().unwrap_or_default().to_string();
    bugs.map(|bug| (text(bug, "kind"), line(text(bug, "place")), bug["rank"].clone())).collect()
}

pub(super) fn native(kind: &str, line: &str) -> (String, String, Json) {
    (kind.to_string(), line.to_string(), Json::from("native"))
}

#[test]
fn assumptions_and_assertions_of_cbmc_need_no_declaration() {
    let text = "int nondet_int();\n\
        static int twice(int x) { return 2 * x; }\n\
        int main()\n\
        {\n\
            int x = nondet_int();\n\
            __CPROVER_assume(x > 3 && x < 1000);\n\
            assert(twice(x) > 6);\n\
            assert(twice(x) != 154);\n\
            __CPROVER_assert(twice(x) != 200, \"not 100\");\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    let expected = [native("assertion failed", "8"), native("assertion failed", "9")];
    assert_eq!(failures(&found), expected, "{found}");
}

/// The linker replaces the call of a function that has another type, and then nobody calls the function.
#[test]
fn what_comes_after_an_undeclared_function_is_not_infeasible() {
    let text = "int __VERIFIER_nondet_int();\n\
        int main()\n\
        {\n\
            int x = __VERIFIER_nondet_int();\n\
            __VERIFIER_assume(x > 3);\n\
            return x == 77 ? 1 : 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(function(&found, "main")["branches"]["covered"], 2, "{found}");
    assert_eq!(found["native"]["passed"], 2, "{found}");
}

#[test]
fn old_style_functions_return_what_they_declare() {
    let text = "_Bool ready();\nunsigned char level();\n\
        int main()\n\
        {\n\
            unsigned char now = level();\n\
            if (now > 255)\n\
                return 3;\n\
            int by = ready() ? 2 : 0;\n\
            return 10 / by + now;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("division by zero", "9")], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}

#[test]
fn preprocessed_files_need_no_other() {
    let text = "# 1 \"gone.c\"\n# 1 \"<built-in>\"\n# 1 \"gone.c\"\n\
        extern void __VERIFIER_error(void);\nint __VERIFIER_nondet_int();\n\
        int main()\n{\n    if (__VERIFIER_nondet_int() == 7)\n        __VERIFIER_error();\n    return 0;\n}\n";
    let found = generate("whole.i", text);
    assert_eq!(failures(&found), [native("error reached", "6")], "{found}");
    assert_eq!(found["native"]["passed"], 1, "{found}");
}

#[test]
fn an_array_that_is_larger_than_the_stack_ends_the_run() {
    let text =
        "int last(unsigned n)\n{\n    int a[n];\n    a[n - 1] = 1;\n    return a[n - 1];\n}\n";
    let folder = folder();
    let source = file(&folder, "array.c", text);
    let input = r#"{"n": 1000000000}"#;
    let shown = super::run(&format!("{source} --json"), input).json();
    assert_eq!(shown["outcome"]["reason"], "call stack exhausted", "{shown}");
}

/// The assertion fails with some values, and MemorySanitizer sees that there is none.
#[test]
fn an_uninitialised_value_that_lets_an_assertion_fail_is_a_failure() {
    let text = "#include <assert.h>\n\
        int largest(const int *a, int n)\n\
        {\n\
            int most;\n\
            for (int i = 0; i < n; i++)\n\
                if (i == 0 || a[i] > most)\n\
                    most = a[i] & 0xff;\n\
            assert(most >= 0);\n\
            return most;\n\
        }\n";
    let found = generate("largest.c", text);
    let kind = "failed because of an uninitialised value";
    assert_eq!(failures(&found), [native(kind, "8")], "{found}");
    let seen = found["bugs"][0]["seen"].as_str().expect("text");
    assert!(seen.starts_with("use-of-uninitialized-value at largest.c:8"), "{seen}");
}

/// A function that nobody defines sets the value; which values it sets elsewhere nobody knows.
#[test]
fn what_an_undefined_function_sets_is_a_precondition() {
    let text = "#include <assert.h>\n\
        int measure(int *value);\n\
        int check(void)\n\
        {\n\
            int value;\n\
            if (measure(&value) != 0)\n\
                return 1;\n\
            assert(value < 100);\n\
            return 0;\n\
        }\n";
    let found = generate("check.c", text);
    let rank = Json::from("precondition");
    assert_eq!(failures(&found), [("assertion failed".into(), "8".into(), rank)], "{found}");
    assert_eq!(found["bugs"][0]["needs"], "`measure()->arg0` is as in the reproducer");
    assert_eq!(found["uninitialized"], Json::Array(vec![]), "{found}");
    assert_eq!(found["only_in_model"], Json::Array(vec![]), "{found}");
}

/// A matcher that steps over the end of its pattern reads beyond it, and any caller can give that pattern. Whoever wants sixteen
/// bytes and is given a shorter text has another problem.
#[test]
fn stepping_over_the_end_of_a_text_needs_no_precondition() {
    let text = "int classes(const char *pattern)\n\
        {\n\
            int n = 0;\n\
            for (int i = 0; pattern[i] != '\\0'; i++)\n\
                if (pattern[i] == '\\\\')\n\
                    i++, n++;\n\
            return n == 4 && pattern[0] == 'x' ? -1 : n;\n\
        }\n\
        int is_known(const char *key)\n\
        {\n\
            return key[15] == 'x' && key[12] == 'y';\n\
        }\n";
    let found = generate_with("--length 8 --max-length 8", "classes.c", text);
    let of = |name: &str| {
        let bugs = found["bugs"].as_array().expect("a list").iter();
        bugs.filter(|bug| bug["function"] == name)
            .map(|bug| bug["rank"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("classes"), [Json::from("native")], "{found}");
    assert!(!of("is_known").contains(&Json::from("native")), "{found}");
}

#[test]
fn a_number_that_is_no_enumerator_is_a_precondition() {
    let text = "#include <assert.h>\n\
        enum color { RED, GREEN, BLUE };\n\
        static const char *const names[] = {\"red\", \"green\", \"blue\"};\n\
        const char *name_of(enum color color)\n\
        {\n\
            assert((unsigned)color < sizeof names / sizeof *names);\n\
            return names[color];\n\
        }\n";
    let found = generate("color.c", text);
    let [bug] = &found["bugs"].as_array().expect("a list")[..] else { panic!("{found}") };
    assert_eq!(bug["rank"], "precondition", "{found}");
    assert!(
        bug["needs"].as_str().is_some_and(|needs| needs.contains("none of its values")),
        "{bug}"
    );
}

/// The address tells which array was meant, and which number is to blame.
#[test]
fn an_index_far_from_its_array_is_named() {
    let text = "struct options { int verbose; };\n\
        int pick(const int *other, const struct options *options, const int *values, int at)\n\
        {\n\
            if (at < -2)\n\
                return values[at];\n\
            if (other && options)\n\
                return at;\n\
            return values[0];\n\
        }\n";
    let found = generate("pick.c", text);
    let [bug] = &found["bugs"].as_array().expect("a list")[..] else { panic!("{found}") };
    assert_eq!(bug["rank"], "precondition", "{found}");
    let needs = bug["needs"].as_str().expect("text");
    assert!(
        needs.starts_with("`at` is -") && needs.ends_with("`values` has no such element"),
        "{needs}"
    );
}

/// The first input that takes a side may fail behind it. Another one is looked for, since only that can be a test.
#[test]
fn sides_that_failing_inputs_take_first_have_tests() {
    let text = "int set(int *values, long at)\n\
        {\n\
            values[at] = 3;\n\
            return values[0];\n\
        }\n\
        int pick(const int *other, const int *values, int at, int key)\n\
        {\n\
            int n = 0;\n\
            if (other)\n\
                n = other[0];\n\
            if (key == 7)\n\
                n += 100 / (n - 1);\n\
            return n + values[at];\n\
        }\n";
    let found = generate("pick.c", text);
    let functions = found["functions"].as_array().expect("a list");
    assert_eq!(functions.len(), 2, "{found}");
    for function in functions {
        assert!(function["tests"].as_u64() >= Some(1), "{found}");
        assert_eq!(function["branches"]["only_failing"], 0, "{found}");
    }
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}

/// The paths on which a text is left take no new side of a branch.
#[test]
fn ends_of_texts_that_are_stepped_over_are_looked_for() {
    let text = "int after_escape(const char *s)\n\
        {\n\
            int i = 0;\n\
            while (s[i] && s[i] != '\\\\')\n\
                i++;\n\
            if (s[i] != '\\\\')\n\
                return i;\n\
            return s[i + 2];\n\
        }\n\
        int skip(const char *text)\n\
        {\n\
            const char *s = text;\n\
            while (*s)\n\
                s += *s == '%' ? 3 : 1;\n\
            return s - text;\n\
        }\n\
        int count(const char *s)\n\
        {\n\
            int n = 0;\n\
            while (*s)\n\
                n += *s++ == '%';\n\
            return n;\n\
        }\n\
        int digit(const char *s)\n\
        {\n\
            int n = s[0] - '0';\n\
            return n < 0 || n > 9 ? -1 : s[n];\n\
        }\n";
    let found = generate("texts.c", text);
    let bugs = found["bugs"].as_array().expect("a list").iter();
    let ranks: Vec<(&str, &str)> =
        bugs.filter_map(|bug| Some((bug["function"].as_str()?, bug["rank"].as_str()?))).collect();
    // Nothing shows that `digit` wants a text, and not ten bytes.
    let expected = [("after_escape", "native"), ("skip", "native"), ("digit", "precondition")];
    assert_eq!(ranks, expected, "{found}");
}

#[test]
fn types_of_cbmc_and_names_that_clang_has_built_in_are_the_programs() {
    let text = "void *malloc(__CPROVER_size_t);\n\
        int index;\n\
        int main()\n\
        {\n\
            int *p = malloc(sizeof(int));\n\
            index = nondet_int();\n\
            __CPROVER_bool is_large = index > 1000;\n\
            *p = index;\n\
            assert(!is_large || *p != 4711);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "9")], "{found}");
}

/// What a program decides by before it calls a function that nobody defines, that function has not written.
#[test]
fn what_was_decided_before_a_call_outside_is_uninitialised() {
    let text = "extern void __VERIFIER_error(void);\n\
        void store(char *to, const char *from, int n);\n\
        int main(void)\n\
        {\n\
            char text[4], copy[2];\n\
            int n = 0;\n\
            text[3] = 0;\n\
            while (text[n])\n\
                n++;\n\
            store(copy, text, n);\n\
            if (n > 2)\n\
                __VERIFIER_error();\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    let expected = [native("failed because of an uninitialised value", "12")];
    assert_eq!(failures(&found), expected, "{found}");
}

/// Headers of glibc make other functions of `isinf` and `isnan`, and preprocessed files call those.
#[test]
fn what_glibc_makes_of_math_is_known() {
    let text = "# 1 \"main.c\"\n\
        extern int __isinff(float);\nextern int __isinf(double);\nextern int __isnanf(float);\n\
        extern int __finite(double);\nextern void __VERIFIER_error(void);\n\
        extern float __VERIFIER_nondet_float(void);\nextern double __VERIFIER_nondet_double(void);\n\
        int main(void)\n\
        {\n\
            float f = __VERIFIER_nondet_float();\n\
            double d = __VERIFIER_nondet_double();\n\
            if (f > 0x1.FFFFFEp+127 && __isinff(f) != 1)\n\
                __VERIFIER_error();\n\
            if (__isnanf(f) != (f != f))\n\
                __VERIFIER_error();\n\
            if (__finite(d) && __isinf(d))\n\
                __VERIFIER_error();\n\
            return __isinf(d) == -1;\n\
        }\n";
    let found = generate("main.i", text);
    assert_eq!(failures(&found), [], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}

/// What an object's size is, the compiler knows of variables only; of others nothing is claimed.
#[test]
fn klee_is_told_the_size_of_a_variable() {
    let text = "#include <klee/klee.h>\n#include <assert.h>\n#include <stdlib.h>\n\
        int main(void)\n\
        {\n\
            char s[5];\n\
            char *p = malloc(3);\n\
            assert(klee_get_obj_size(s) == 5);\n\
            if (klee_get_obj_size(p) == 3)\n\
                return 2;\n\
            return 1;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [], "{found}");
    // One side of the assertion; nothing of what comes after the second call.
    let infeasible = function(&found, "main")["branches"]["infeasible"].as_u64();
    assert!(infeasible <= Some(1), "{found}");
}
