//! `--check`: what is found only for those who ask, and shown natively by the sanitizer of the same kind.

use super::Json;
use super::other_tools::{failures, generate_with, native};

/// A check, a program with one error that only it sees, what the failure is called, and its line.
const FOUND: &[(&str, &str, &str, &str)] = &[
    ("overflow", "int f(int x) { return x + 1; }", "overflow", "1"),
    ("shift", "int f(int x, int n) { return x << n; }", "shift", "1"),
    // The compiler decides whether the number is negative before the branch that reports it.
    ("shift", "int f(int x) { return x << 1; }", "shift", "1"),
    ("builtin", "int f(unsigned x) { return __builtin_ctz(x); }", "builtin", "1"),
    (
        "alignment",
        "int f(unsigned at)\n{\n    _Alignas(8) char a[16] = {1};\n    return *(int *)(a + at % 8);\n}",
        "alignment",
        "4",
    ),
    (
        "bounds",
        "int f(int n)\n{\n    if (n < 0 || n > 4)\n        return 0;\n    char a[n];\n    return sizeof a;\n}",
        "vla-bound",
        "5",
    ),
    (
        "null",
        "static __attribute__((nonnull)) int size(const char *p) { return p == (char *)1; }\n\
         int f(int x) { return size(x == 3 ? (char *)0 : \"\"); }",
        "null",
        "2",
    ),
    (
        "pointer-overflow",
        "char a[4];\nchar *f(unsigned long n) { return a + n; }",
        "pointer-overflow",
        "2",
    ),
    (
        "pointer-overflow",
        "char *f(int x) { char *p = x == 3 ? 0 : (char *)16; return p + 1; }",
        "pointer-overflow",
        "1",
    ),
    ("unsigned-overflow", "unsigned f(unsigned x) { return x + 1; }", "unsigned-overflow", "1"),
    ("float-division", "double f(double x) { return 1 / x; }", "float-division", "1"),
    ("overshift", "int f(int n) { return 1 << n; }", "overshift", "1"),
    (
        "invalid-value",
        "#include <string.h>\nint f(char x)\n{\n    _Bool b;\n    memcpy(&b, &x, 1);\n    return b;\n}",
        "invalid-value",
        "6",
    ),
    ("conversion", "char f(int x) { char c = x; return c; }", "conversion", "1"),
    (
        "nullability",
        "static int size(const char *_Nonnull p) { return p == (char *)1; }\n\
         int f(int x) { return size(x == 3 ? (char *)0 : \"\"); }",
        "nullability",
        "2",
    ),
];

#[test]
fn what_is_asked_for_is_found_and_shown_natively() {
    for (check, text, name, line) in FOUND {
        let found = generate_with(&format!("--check {check} --function f"), "f.c", text);
        let expected = [native(&format!("check failed: {name}"), line)];
        assert_eq!(failures(&found), expected, "{check}: {found}");
        assert_eq!(found["only_in_model"], Json::Array(Vec::new()), "{check}: {found}");
    }
}

/// A branch that a value decides which nobody has written, also one of the library: MemorySanitizer shows it.
#[test]
fn values_that_nobody_has_written_may_be_asked_for() {
    let text = "#include <stdio.h>\n\
        #include <stdlib.h>\n\
        #include <time.h>\n\
        static int pick(int n) { int x; if (n > 3) x = n; return x > 5 ? 1 : 2; }\n\
        int chosen(int n) { return pick(n); }\n\
        int fine(int n) { int x = 0; if (n > 3) x = n; return x > 5; }\n\
        int moved(int n) { int x, y; y = x; return n > 2 ? n : 3; }\n\
        void fill(int *p);\n\
        int filled(void) { int x; fill(&x); if (x > 3) return 1; return 2; }\n\
        int main(int argc, char **argv)\n\
        {\n\
            int a[5], sum = 0;\n\
            a[0] = a[1] = a[3] = a[4] = 0;\n\
            for (int i = 0; i < 5; i++)\n\
                sum += a[i];\n\
            if (sum == 377)\n\
                puts(\"377\");\n\
            return 0;\n\
        }\n\
        void shown(int n) { int a[3]; a[n & 1] = n; srand(time(0)); printf(\"%d\\n\", a[2]); }\n";
    let found = generate_with("--check uninitialized", "values.c", text);
    let expected = ["4", "16", "20"].map(|line| native("check failed: uninitialized", line));
    assert_eq!(failures(&found), expected, "{found}");
    assert_eq!(found["only_in_model"], Json::Array(Vec::new()), "{found}");
    let found = generate_with("", "values.c", text);
    assert_eq!(failures(&found), [], "{found}");
}

/// A program without inputs is run to its end, also if that is far away.
#[test]
fn a_long_run_without_inputs_is_made() {
    let text = "#include <stdlib.h>\n\
        int main(void)\n\
        {\n\
            char *a = malloc(3000000);\n\
            for (int i = 0; i <= 3000000; i++)\n\
                a[i] = 0;\n\
            return 0;\n\
        }\n";
    let found = generate_with("", "long.c", text);
    assert_eq!(failures(&found), [native("access outside allocated memory", "6")], "{found}");
}

#[test]
fn what_is_not_asked_for_is_not_found() {
    for (check, text, _, _) in FOUND {
        for words in ["", "--check alloc"] {
            let found = generate_with(words, "f.c", text);
            assert_eq!(failures(&found), [], "{check}: {found}");
        }
    }
}

/// With all checks, programs that do what C defines show nothing; nor does arithmetic that wraps where only shifts are looked at,
/// for which the compiler is told otherwise.
#[test]
fn what_c_defines_is_no_failure() {
    let defined =
        "overflow,bounds,shift,null,float-cast,alignment,builtin,pointer-overflow,invalid-value";
    let rows = [
        (defined, "unsigned f(unsigned x, unsigned n) { return (x << (n & 31)) * 3u - 7u; }"),
        (defined, "double f(double x) { return 1 / x; }"),
        (defined, "signed char f(int x) { signed char c = x; return c; }"),
        (
            defined,
            "int f(int n) { if (n < 1 || n > 4) return 0; int a[n]; a[n - 1] = n; return a[n - 1]; }",
        ),
        (defined, "_Bool f(int x) { _Bool b = x; return !b; }"),
        (defined, "int f(unsigned x) { return x ? __builtin_clz(x) : 32; }"),
        (
            "shift",
            "int f(int x, int n) { if (n < 0 || n > 3) return 0; int y = x + x; return (y - x == x) << n; }",
        ),
        ("shift,pointer-overflow", "int f(int x) { return x + 1 > x ? 1 : 2; }"),
        ("pointer-overflow", "int f(int *p) { return p == 0; }"),
    ];
    for (checks, text) in rows {
        let found = generate_with(&format!("--check {checks}"), "f.c", text);
        assert_eq!(failures(&found), [], "{text}: {found}");
        assert_eq!(found["only_in_model"], Json::Array(Vec::new()), "{text}: {found}");
        assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{text}: {found}");
    }
}

/// Nothing may follow from a promise that the compiler makes while it is told that arithmetic does not wrap.
#[test]
fn sides_behind_arithmetic_that_wraps_are_covered() {
    let text =
        "int f(int x) { return x + 1 > x ? 1 : 2; }\nint g(int *p) { return p == 0 ? 1 : 2; }";
    for checks in ["shift", "pointer-overflow", "shift,pointer-overflow"] {
        let found = generate_with(&format!("--check {checks}"), "f.c", text);
        for function in found["functions"].as_array().expect("a list") {
            let branches = &function["branches"];
            assert_eq!(branches["covered"], branches["total"], "{checks}: {found}");
        }
    }
}
