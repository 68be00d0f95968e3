//! Whole programs of verifiers' test suites: CBMC, ESBMC, SMACK, the verification competition.

use super::other_tools::{failures, generate, generate_with, native};
use super::{Json, file, folder, function, symcrete};

fn ranks(found: &Json) -> Vec<(&str, &str)> {
    let bugs = found["bugs"].as_array().expect("a list").iter();
    bugs.filter_map(|bug| Some((bug["function"].as_str()?, bug["rank"].as_str()?))).collect()
}

#[test]
fn assumptions_and_assertions_of_esbmc_may_be_declared() {
    let declared =
        "void __ESBMC_assume(_Bool);\nvoid __ESBMC_assert(_Bool condition, const char *text);\n";
    for declaration in ["\n\n", declared] {
        let text = format!(
            "{declaration}int nondet_int();\n\
            int main()\n\
            {{\n\
                int x = nondet_int();\n\
                __ESBMC_assume(x > 3 && x < 1000);\n\
                __ESBMC_assert(x > 3, \"as assumed\");\n\
                __ESBMC_assert(x != 154, \"not 154\");\n\
                return 0;\n\
            }}\n"
        );
        let found = generate("main.c", &text);
        assert_eq!(failures(&found), [native("assertion failed", "9")], "{found}");
        assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
    }
}

/// Tests define what the runtime has, and must say the same types.
#[test]
fn inputs_of_all_types_are_the_same_natively() {
    let types = [
        ("char", "char"),
        ("uchar", "unsigned char"),
        ("ushort", "unsigned short"),
        ("ulong", "unsigned long"),
        ("loff_t", "long long"),
        ("int8_t", "int8_t"),
        ("uint16_t", "uint16_t"),
        ("int32_t", "int32_t"),
        ("int64_t", "int64_t"),
        ("uint64_t", "uint64_t"),
        ("u64", "uint64_t"),
        ("S16", "int16_t"),
        ("size_t", "size_t"),
        ("bool", "_Bool"),
        ("float", "float"),
        ("double", "double"),
    ];
    let mut text = "#include <stddef.h>\n#include <stdint.h>\n".to_string();
    for (suffix, ty) in types {
        text += &format!("extern {ty} __VERIFIER_nondet_{suffix}(void);\n");
    }
    text += "int main(void)\n{\n    int n = 0;\n";
    for (suffix, _) in types {
        text += &format!("    n += __VERIFIER_nondet_{suffix}() == 1;\n");
    }
    text += "    return n;\n}\n";
    let found = generate("main.c", &text);
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
    assert!(found["native"]["passed"].as_u64() >= Some(1), "{found}");
}

/// Old C calls functions that nobody declares: they return an `int`.
#[test]
fn undeclared_inputs_are_defined_as_they_are_called() {
    let text = "int main()\n\
        {\n\
            char c = __VERIFIER_nondet_uchar();\n\
            __VERIFIER_assume(c > 3);\n\
            assert(c != 77);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "5")], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}

/// A program that ignores its arguments does what it does, and is tried beside its functions.
#[test]
fn a_main_without_branches_is_entered() {
    let text = "#include <stdlib.h>\n\
        void release(int *p) { free(p); }\n\
        int main(int argc, char **argv)\n\
        {\n\
            int *p = malloc(sizeof *p);\n\
            release(p);\n\
            *p = 3;\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("use of memory after it was freed", "7")], "{found}");
}

/// An input by name does nothing but return, so nobody has written the padding before it is read.
#[test]
fn inputs_by_name_write_nothing() {
    let text = "#include <assert.h>\n#include <stdlib.h>\n\
        _Bool nondet_bool();\n\
        struct record { unsigned short numbers[2]; unsigned char last; };\n\
        int main()\n\
        {\n\
            struct record *record = malloc(sizeof *record);\n\
            record->numbers[0] = 1;\n\
            record->last = 3;\n\
            unsigned short *at = nondet_bool() ? &record->numbers[0] : (unsigned short *)&record->last;\n\
            assert(*at == 1 || *at == 3);\n\
            free(record);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    let expected = [native("failed because of an uninitialised value", "11")];
    assert_eq!(failures(&found), expected, "{found}");
}

/// A program is entered where it starts although its `main` decides nothing, and what its functions would do for another caller
/// is a precondition.
#[test]
fn a_function_that_only_other_callers_let_fail_needs_a_precondition() {
    let text = "#include <assert.h>\n\
        static struct { int a, b; } pair;\n\
        void set(int a) { pair.a = a; pair.b = a; }\n\
        void check(void) { assert(pair.a == 1); }\n\
        void demand(int holds) { assert(holds); }\n\
        int divide(int by) { return 10 / by; }\n\
        int main()\n\
        {\n\
            set(1);\n\
            check();\n\
            demand(pair.b == 1);\n\
            return divide(5);\n\
        }\n";
    let found = generate("main.c", text);
    let expected = [("check", "precondition"), ("demand", "precondition"), ("divide", "native")];
    assert_eq!(ranks(&found), expected, "{found}");
    assert_eq!(found["bugs"][0]["needs"], "`check` is called as `main` never calls it");
    let found = generate("main.c", &text.replace("set(1)", "set(2)"));
    let expected = [native("assertion failed", "4")];
    let of_main: Vec<_> = failures(&found).into_iter().zip(ranks(&found)).collect();
    let of_main = of_main.into_iter().filter(|(_, (name, _))| *name == "main");
    assert_eq!(of_main.map(|(bug, _)| bug).collect::<Vec<_>>(), expected, "{found}");
}

#[test]
fn what_a_harness_defines_itself_is_not_tested() {
    let text = "#include <stdlib.h>\n\
        void reach_error(void) { abort(); }\n\
        void __VERIFIER_assert(int holds) { if (!holds) reach_error(); }\n\
        int twice(int x) { return 2 * x; }\n\
        int main(void)\n\
        {\n\
            __VERIFIER_assert(twice(4) == 8);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(found["bugs"], Json::Array(vec![]), "{found}");
    assert_eq!(found["functions"].as_array().map(Vec::len), Some(1), "{found}");
}

/// Sixteen bytes behind an object are a red zone; far behind it is the unused end of the heap.
#[test]
fn far_behind_allocated_memory_nobody_has_anything() {
    let text = "#include <stdlib.h>\n\
        int main()\n\
        {\n\
            char *small = malloc(4), *other = calloc(3, 100);\n\
            if (!small || !other)\n\
                return 1;\n\
            small[0] = other[299];\n\
            char far = other[5000];\n\
            free(small);\n\
            free(other);\n\
            return far;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("access outside allocated memory", "8")], "{found}");
}

/// LeakSanitizer finds what calls have left on the stack, and takes it for a pointer.
#[test]
fn memory_that_is_never_freed_is_shown_natively() {
    let text = "#include <stdlib.h>\n\
        int main()\n\
        {\n\
            malloc(10);\n\
            return 0;\n\
        }\n";
    let found = generate_with("--check leaks", "main.c", text);
    let kind = "memory that is allocated here is never freed";
    assert_eq!(failures(&found), [native(kind, "4")], "{found}");
}

#[test]
fn undeclared_allocation_can_fail() {
    let text = "// #include <stdlib.h>\n\
        int main()\n\
        {\n\
            int *p = malloc(sizeof(int));\n\
            *p = 1;\n\
            free(p);\n\
            return 0;\n\
        }\n";
    let found = generate_with("--check alloc", "main.c", text);
    assert_eq!(failures(&found), [native("null pointer dereferenced", "5")], "{found}");
}

#[test]
fn to_abort_without_memory_is_no_failure() {
    let text = "#include <stdlib.h>\n\
        int main()\n\
        {\n\
            char *p = malloc(4);\n\
            if (!p)\n\
                abort();\n\
            free(p);\n\
            return 0;\n\
        }\n";
    let found = generate_with("--check alloc", "main.c", text);
    assert_eq!(ranks(&found), [("main", "precondition")], "{found}");
    assert_eq!(found["bugs"][0]["needs"], "an allocation fails, and the program aborts");
}

/// What a function returns that nobody defines, only those know who define it; an input may be anything.
#[test]
fn a_pointer_that_an_undefined_function_returns_is_a_precondition() {
    for (name, rank) in [("find", "precondition"), ("nondet_pointer", "native")] {
        for params in ["", "void"] {
            let text =
                format!("int *{name}({params});\nint main(void) {{ *{name}() = 2; return 0; }}\n");
            let found = generate("main.c", &text);
            assert!(ranks(&found).iter().all(|(_, found)| *found == rank), "{found}");
        }
    }
}

/// The first input is a long word: what has no room for one is left at once.
#[test]
fn words_are_read_into_too_little_room() {
    let text = "#include <stdio.h>\n\
        int main(void)\n\
        {\n\
            char name[12];\n\
            if (scanf(\"%s\", name) != 1)\n\
                return 1;\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("access outside a local variable", "5")], "{found}");
}

#[test]
fn functions_that_only_glibc_declares_take_floats() {
    let text = "#include <assert.h>\n#include <math.h>\n\
        int main(void)\n\
        {\n\
            float zero = 0.0f;\n\
            assert(__isnanf(zero / zero));\n\
            assert(__isinff(1.0f / zero) == 1);\n\
            assert(!__isnanf(sqrtf(-0.0f)) && !__signbitf(sqrtf(-0.0f)));\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "8")], "{found}");
}

/// Reading and writing a field keeps the other bits of its word, and depends on none of them.
#[test]
fn bit_fields_do_not_depend_on_the_rest_of_their_word() {
    let text = "#include <stdlib.h>\n\
        struct flags { unsigned mode : 3, level : 5; unsigned char kind : 2; };\n\
        int local(int x)\n\
        {\n\
            struct flags flags;\n\
            flags.mode = x;\n\
            return flags.mode == 3 ? 1 : 0;\n\
        }\n\
        int allocated(int x)\n\
        {\n\
            struct flags *flags = malloc(sizeof *flags);\n\
            flags->kind = x;\n\
            int result = flags->kind == 1 ? 2 : 0;\n\
            free(flags);\n\
            return result;\n\
        }\n\
        int unwritten(int x)\n\
        {\n\
            struct flags flags;\n\
            flags.mode = x;\n\
            return flags.level == 3 ? 1 : 0;\n\
        }\n";
    let found = generate("flags.c", text);
    for (name, n_covered) in [("local", 2), ("allocated", 2), ("unwritten", 0)] {
        assert_eq!(function(&found, name)["branches"]["covered"], n_covered, "{name}: {found}");
    }
    let warned = found["uninitialized"].as_array().expect("a list").iter();
    let warned: Vec<&Json> = warned.map(|warning| &warning["function"]).collect();
    assert_eq!(warned, ["unwritten"], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}

#[test]
fn files_that_only_define_variables_are_linked() {
    let folder = folder();
    let main = "extern int table[10];\nint main(void) { return table[5] == 0 ? 0 : 1; }\n";
    let main = file(&folder, "main.c", main);
    let table = file(&folder, "table.c", "int table[10];\n");
    let out = folder.path().join("out");
    let words = format!("gen --json --time 10 --out {} {main} {table}", out.display());
    let found = symcrete(&words).json();
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
    assert!(found["native"]["passed"].as_u64() >= Some(1), "{found}");
}

#[test]
fn a_source_may_have_its_own_type_for_sizes() {
    let text = "typedef unsigned int size_t;\n\
        struct record { double numbers[4]; };\n\
        int main()\n\
        {\n\
            struct record record;\n\
            void *at = &record;\n\
            memset(at, 0, 33UL);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("access outside a local variable", "7")], "{found}");
}

/// What is registered with `atexit` runs however the program ends, and as often as it is registered, the last first.
#[test]
fn registered_functions_run_when_main_returns() {
    for end in ["return 0", "exit(0)"] {
        for model in ["lp64", "ilp32"] {
            let text = format!(
                "#include <assert.h>\n#include <stdlib.h>\n\
                static int n;\n\
                static void first(void) {{ assert(n != 2); }}\n\
                static void last(void) {{ n++; }}\n\
                int main(int argc, char **argv)\n\
                {{\n\
                    atexit(first);\n\
                    atexit(last);\n\
                    if (argc == 2)\n\
                        atexit(last);\n\
                    {end};\n\
                }}\n"
            );
            let found = generate_with(&format!("--data-model {model}"), "main.c", &text);
            assert_eq!(failures(&found), [native("assertion failed", "4")], "{found}");
            assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
        }
    }
}

/// In a file of its own too; and not when somebody else than the start of the program has called `main`.
#[test]
fn only_the_end_of_the_program_runs_registered_functions() {
    let folder = folder();
    let text = "#include <assert.h>\n#include <stdlib.h>\n\
        int done;\n\
        static void check(void) { assert(done); }\n\
        void prepare(void) { atexit(check); }\n";
    let other = file(&folder, "other.c", text);
    let rows = [
        ("int main(int argc, char **argv) { prepare(); if (argc > 1) done = 1; return 0; }", 1),
        (
            "int main(int argc, char **argv)\n\
             {\n    if (argc == 0)\n        return 0;\n    prepare();\n    main(0, argv);\n    done = 1;\n    return 0;\n}",
            0,
        ),
    ];
    for (text, n) in rows {
        let text = format!("extern int done;\nvoid prepare(void);\n{text}\n");
        let main = file(&folder, "main.c", &text);
        let out = folder.path().join("out");
        let words = format!(
            "gen --json --force --time 10 --function main --out {} {main} {other}",
            out.display()
        );
        let found = symcrete(&words).json();
        assert_eq!(failures(&found).len(), n, "{found}");
        assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
    }
}

/// `errno` is what the library sets, also if a program declares it as it was done once. This machine does not link that.
#[test]
fn errno_may_be_declared() {
    let text = "#include <errno.h>\n#include <stdlib.h>\n#undef errno\nextern int errno;\n\
        int main(int argc, char **argv)\n\
        {\n\
            errno = 0;\n\
            strtol(argc > 1 ? \"99999999999999999999\" : \"1\", 0, 10);\n\
            if (errno == ERANGE)\n\
                return 1;\n\
            return errno == 0 ? 2 : 3;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [], "{found}");
    assert_eq!(function(&found, "main")["branches"]["covered"], 5, "{found}");
}

/// The first input leads before the array, into memory that is nobody's: others lead into it.
#[test]
fn an_index_that_starts_outside_its_array_comes_in() {
    let text = "int digit(int character)\n\
        {\n\
            int names[] = {1, 2, 3, 4, 5, 6};\n\
            if (names[character - 48] > 4)\n        return 3;\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    let digit = function(&found, "digit");
    assert_eq!(digit["branches"]["covered"], 2, "{found}");
    assert_eq!(found["native"]["passed"], 2, "{found}");
    assert_eq!(failures(&found), [native("access outside a local variable", "4")], "{found}");
}

/// The model has no kernel, so what `getpgrp` returns may be anything; no kernel returns a negative number.
#[test]
fn what_only_the_kernel_returns_is_a_precondition() {
    let text = "#include <assert.h>\n\
        #include <unistd.h>\n\
        int main(void)\n\
        {\n\
            assert(getpgrp() >= 0);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert!(!ranks(&found).contains(&("main", "native")), "{found}");
    assert!(ranks(&found).contains(&("main", "precondition")), "{found}");
    // A function of the program's own that nobody defines may return anything.
    let text = "#include <assert.h>\n\
        int mask(void);\n\
        int main(void)\n\
        {\n\
            assert(mask() != 18);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(ranks(&found), [("main", "native")], "{found}");
}

/// `umask` returns what was set before, and never more than permissions.
#[test]
fn masks_of_permissions_are_kept() {
    let text = "#include <assert.h>\n\
        #include <sys/stat.h>\n\
        int main(void)\n\
        {\n\
            assert(umask(07077) <= 0777);\n\
            assert(umask(022) == 0077);\n\
            assert(umask(0) != 022);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "7")], "{found}");
}

/// AddressSanitizer reports `memcpy` and its kin on memory that overlaps. How far apart both places are may depend on the input.
#[test]
fn copies_between_overlapping_memory_are_failures() {
    let text = "#include <string.h>\n\
        void forward(int n)\n\
        {\n\
            char local[64] = {0};\n\
            if (n > 20 && n < 40)\n        memcpy(local + n, local, 24);\n\
        }\n\
        void length(int n)\n\
        {\n\
            char local[64] = {0};\n\
            if (n >= 0 && n < 40)\n        memcpy(local, local + 10, n);\n\
        }\n\
        void backward(void) { char b[20] = \"hello world\"; strcpy(b, b + 4); }\n\
        void endless(void) { char b[20] = \"hello world\"; strncpy(b + 2, b, 9); }\n\
        void append(int k) { char b[64] = \"hello\"; if (k >= 0 && k < 9) strcat(b, b + k); }\n";
    let found = generate("main.c", text);
    let expected = ["6", "12", "14", "15", "16"];
    let mut seen = failures(&found);
    seen.sort_by_key(|(_, line, _)| line.parse::<u32>().unwrap_or_default());
    assert_eq!(
        seen,
        expected.map(|line| native("copy between overlapping memory", line)),
        "{found}"
    );
}

/// What is apart, what is copied onto itself, `memmove`, and the end of a string that is appended to it.
#[test]
fn copies_that_do_not_overlap_hold() {
    let text = "#include <string.h>\n\
        struct pair { int a[4], b[4]; };\n\
        void hold(int n)\n\
        {\n\
            char local[64] = \"hello\", other[64];\n\
            struct pair pair = {{1}, {2}};\n\
            if (n < 0 || n > 10)\n        return;\n\
            memcpy(local, local + 10, n);\n\
            memcpy(other, local, n);\n\
            memcpy(pair.a, pair.b, sizeof pair.a);\n\
            memcpy(local, local, n);\n\
            memmove(local, local + 1, n);\n\
            memcpy(local, local + 1, 0);\n\
            strncpy(local, local + 3, 3);\n\
            strcat(local, local + strlen(local));\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}

/// Two pointers of the input into one object are the caller's choice, and one buffer is not.
#[test]
fn overlapping_inputs_are_a_precondition() {
    let text = "#include <string.h>\n\
        void two(char *to, char *from)\n\
        {\n\
            if (to != from)\n        memcpy(to, from, 4);\n\
        }\n\
        void right(char *buf, size_t len) { if (len > 1) memcpy(buf + 1, buf, len - 1); }\n";
    let found = generate("main.c", text);
    assert!(!ranks(&found).contains(&("two", "native")), "{found}");
    assert!(ranks(&found).contains(&("right", "native")), "{found}");
}

/// Of an array that is an input each element is one, also where its address has the type of the array.
#[test]
fn elements_of_harness_arrays_are_inputs() {
    let text = "#include <assert.h>\n\
        #include <klee/klee.h>\n\
        int main(void)\n\
        {\n\
            double in[3];\n\
            klee_make_symbolic(&in, sizeof in, \"in\");\n\
            assert(in[0] * in[1] != 12.25 || in[2] != 7.5);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "7")], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}

/// Older harnesses include no header at all.
#[test]
fn functions_of_klee_need_no_header() {
    let text = "#include <assert.h>\n\
        int main(void)\n\
        {\n\
            int x;\n\
            klee_make_symbolic(&x, sizeof x, \"x\");\n\
            klee_assume(x > 40);\n\
            assert(x != klee_range(41, 43, \"y\"));\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "7")], "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(vec![]), "{found}");
}
