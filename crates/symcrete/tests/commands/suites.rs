//! What programs of other tools' suites do that others do not: functions of the library that they declare in their own way or
//! not at all, errors that are marked by a call, numbers on standard input.

use super::other_tools::{failures, generate, generate_with, native};
use super::{Json, file, folder, function, symcrete};

fn nothing_differs(found: &Json) {
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{found}");
    assert_eq!(found["only_in_model"], Json::Array(Vec::new()), "{found}");
}

/// A header that came after the source would be an error.
#[test]
fn the_library_may_be_called_without_its_headers() {
    let text = "#include <stdlib.h>\n\
        int main(void)\n\
        {\n\
            int n = 0, *numbers = calloc(4, sizeof(int));\n\
            if (scanf(\"%d\", &n) == 1 && n > 100)\n\
                numbers[0] = 1000 / (n - 1234);\n\
            printf(\"%d\\n\", numbers[0]);\n\
            free(numbers);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("division by zero", "6")], "{found}");
    nothing_differs(&found);
}

/// An argument of 32 bits for a parameter of 64: the others are zero.
#[test]
fn the_library_may_be_declared_with_smaller_numbers() {
    let text = "typedef unsigned int size_t;\n\
        extern void *malloc(size_t size);\n\
        extern void *memset(void *to, int byte, size_t size);\n\
        extern int nondet(void);\n\
        int main(void)\n\
        {\n\
            int n = nondet();\n\
            if (n <= 0 || n > 20)\n\
                return 0;\n\
            char *p = malloc(n);\n\
            memset(p, 7, n);\n\
            return p[n > 17 ? n : n - 1] == 7;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("access outside allocated memory", "12")], "{found}");
    nothing_differs(&found);
}

/// The compiler's own copies of structures have lengths of 64 bits.
#[test]
fn copies_of_structures_may_stand_beside_a_narrow_memcpy() {
    let text = "extern void *memcpy(void *to, void const *from, unsigned n);\n\
        extern void *memset(void *to, int byte, unsigned n);\n\
        struct many { int numbers[40]; };\n\
        int f(struct many *p, struct many *q)\n\
        {\n\
            struct many zero = {0};\n\
            *p = *q;\n\
            memcpy(&zero, q, sizeof zero);\n\
            memset(q, 1, 4);\n\
            return zero.numbers[1] == 7 && p->numbers[0] == 8 && q->numbers[0] == 0x01010101;\n\
        }\n";
    let found = generate("main.c", text);
    let f = function(&found, "f");
    // What `memset` has written is not something else, but nothing is proved behind such a call.
    assert_eq!(f["branches"]["covered"], 5, "{found}");
    assert_eq!(f["branches"]["infeasible"], 0, "{found}");
    nothing_differs(&found);
}

#[test]
fn postconditions_of_cbmc_need_no_declaration() {
    let text = "int nondet_int();\nint main()\n{\n    int x = nondet_int();\n    __CPROVER_postcondition(x != 77, \"x\");\n    return 0;\n}\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "5")], "{found}");
}

/// Nothing is proved behind such a call: no rule says what the other bits are.
#[test]
fn nothing_is_proved_behind_a_call_with_too_few_bits() {
    let text = "void *malloc(unsigned size);\n\
        int main(int argc, char **argv)\n\
        {\n\
            char *p = malloc(argc);\n\
            if (argc == 0 && argc == 1)\n\
                return p != 0;\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(function(&found, "main")["branches"]["infeasible"], 0, "{found}");
}

#[test]
fn a_size_type_of_another_width_is_the_sources() {
    let text = "#include <assert.h>\n\
        typedef int size_t;\n\
        char *copied(char *to, const char *from, size_t n);\n\
        int length(const char *text);\n\
        int main(void)\n\
        {\n\
            char to[4];\n\
            copied(to, \"abc\", 3);\n\
            assert(length(\"abc\") != 77);\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "9")], "{found}");
    nothing_differs(&found);
}

/// C99: an inline definition is none that others can call, and a compiler need not expand the calls.
#[test]
fn inline_functions_are_linked() {
    let text = "int limit;\n\
        inline int half(int x) { return 100 / (x - limit); }\n\
        inline\n\
        int twice(int x) { return 2 * x; }\n\
        static inline int same(int x) { return x; }\n\
        int sum(int x) { return half(x) + twice(x) + same(x) > 3; }\n";
    let found = generate_with("--function sum", "main.c", text);
    assert_eq!(failures(&found), [native("division by zero", "2")], "{found}");
    nothing_differs(&found);
}

/// What debug information says nothing of: `()` is no prototype.
#[test]
fn old_style_functions_return_objects() {
    let text = "struct item { int kind; int size; };\n\
        struct item *first();\n\
        char *name();\n\
        int main(void)\n\
        {\n\
            struct item *item = first();\n\
            char *text = name();\n\
            if (!item || !text)\n\
                return 1;\n\
            return item->size == 4 && *text == 'x' ? 2 : 3;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [], "{found}");
    assert_eq!(function(&found, "main")["branches"]["covered"], 8, "{found}");
    nothing_differs(&found);
}

/// That it is called is the error, whatever it does.
#[test]
fn an_error_that_does_nothing_is_one() {
    for name in ["reach_error", "__VERIFIER_error"] {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\n\
            void {name}() {{}}\n\
            static void check(int holds) {{ if (!holds) {name}(); }}\n\
            int main(void)\n\
            {{\n\
                int x = __VERIFIER_nondet_int();\n\
                check(x != 77);\n\
                return x > 5;\n\
            }}\n"
        );
        let found = generate("main.c", &text);
        assert_eq!(failures(&found), [native("error reached", "3")], "{found}");
        nothing_differs(&found);
    }
}

#[test]
fn the_limits_of_numbers_are_read() {
    let text = "#include <stdio.h>\n\
        #include <stdlib.h>\n\
        static int next(int x) { return x + 1; }\n\
        static long before(long x) { return x - 1; }\n\
        int main(void)\n\
        {\n\
            int a = 0;\n\
            long b = 0;\n\
            if (fscanf (stdin, \"%d\", &a) == 1)\n\
                next(a);\n\
            char line[40];\n\
            if (fgets(line, sizeof line, stdin))\n\
                b = atol(line);\n\
            before(b);\n\
            return 0;\n\
        }\n";
    let found = generate_with("--function main --check overflow", "main.c", text);
    let expected = [native("check failed: overflow", "3"), native("check failed: overflow", "4")];
    let mut shown = failures(&found);
    shown.sort_by(|a, b| a.1.cmp(&b.1));
    assert_eq!(shown, expected, "{found}");
}

/// Numbers are read before anything that would be uninitialised otherwise.
#[test]
fn a_program_that_reads_numbers_is_given_some() {
    let text = "#include <stdio.h>\n\
        int main(void)\n\
        {\n\
            int n, sum = 0;\n\
            scanf(\"%d\", &n);\n\
            int values[n];\n\
            for (int i = 0; i < n; i++) {\n\
                values[i] = i;\n\
                sum += values[i];\n\
            }\n\
            return sum > 3;\n\
        }\n";
    let found = generate_with("--check bounds", "main.c", text);
    let shown = failures(&found);
    assert!(shown.contains(&native("check failed: vla-bound", "6")), "{found}");
    assert!(found["native"]["passed"].as_u64() >= Some(1), "{found}");
}

/// What lies behind a variable of the program is the compiler's choice, and may be one of the test's.
#[test]
fn what_is_next_to_a_variable_is_no_input() {
    let text = "extern int nd();\n\
        int numbers[10];\n\
        int main(void)\n\
        {\n\
            int i;\n\
            for (i = 0; i < 10; i++)\n\
                numbers[i] = i;\n\
            return numbers[nd() > 0 ? i - 1 : i];\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("access outside a global variable", "8")], "{found}");
}

/// AddressSanitizer has as many bytes behind an array.
#[test]
fn far_behind_an_array_is_outside() {
    let text = "static void set(int *p, int at) { p[at] = 0; }\n\
        int table[40];\n\
        int main(void)\n\
        {\n\
            int few[5], many[40];\n\
            set(table, 3);\n\
            set(few, 10);\n\
            set(many, 50);\n\
            return 0;\n\
        }\n";
    let found = generate_with("--function main", "main.c", text);
    assert_eq!(failures(&found), [native("access outside a local variable", "1")], "{found}");
}

/// Headers that musl has not, and variables whose qualifiers their definitions need.
#[test]
fn headers_of_glibc_are_there() {
    let text = "#include <error.h>\n\
        #include <execinfo.h>\n\
        #include <sys/cdefs.h>\n\
        __BEGIN_DECLS\n\
        extern volatile int limit;\n\
        extern const volatile short *volatile table[];\n\
        __END_DECLS\n\
        int main(int argc, char **argv)\n\
        {\n\
            if (argc == 2)\n\
                error(0, 0, \"%d\", limit);\n\
            if (table[1])\n\
                return 7;\n\
            return 100 / limit;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("division by zero", "14")], "{found}");
    assert_eq!(function(&found, "main")["branches"]["covered"], 4, "{found}");
    nothing_differs(&found);
}

/// What the library draws is an input on request: tests define `rand`, and it is never negative.
#[test]
fn random_numbers_may_be_inputs() {
    let text = "#include <stdlib.h>\n\
        #include <time.h>\n\
        int main(void)\n\
        {\n\
            srand(time(0));\n\
            int x = rand() % 1000, *p = x == 77 ? 0 : &x;\n\
            if (x < 0)\n\
                return 3;\n\
            return random() > 0x7fffffffL ? 2 : *p > 5;\n\
        }\n";
    let found = generate_with("--stub rand --stub random", "main.c", text);
    assert_eq!(failures(&found), [native("null pointer dereferenced", "9")], "{found}");
    let branches = &function(&found, "main")["branches"];
    assert_eq!((&branches["total"], &branches["covered"]), (&6.into(), &4.into()), "{found}");
    nothing_differs(&found);
}

/// A number whose address goes somewhere ends where its bytes do.
#[test]
fn a_number_among_global_variables_may_be_left() {
    let text = "char sign;\n\
        static short kind = 3;\n\
        int total;\n\
        static void put(void *to, int x) { *(int *)to = x; }\n\
        static int get(const void *from) { return *(const int *)from; }\n\
        int main(int argc, char **argv)\n\
        {\n\
            put(&total, argc);\n\
            if (argc == 2)\n\
                put(&sign, 7);\n\
            return argc == 1 && get(&kind) == 77;\n\
        }\n";
    let found = generate("main.c", text);
    let mut shown = failures(&found);
    shown.sort_by(|a, b| a.1.cmp(&b.1));
    let expected = ["4", "5"].map(|line| native("access outside a global variable", line));
    assert_eq!(shown, expected, "{found}");
}

/// Behind the red zone of a variable the next one starts, without padding that anybody may touch.
#[test]
fn before_a_global_array_is_outside() {
    let text = "int first[5] = {1}, second[5] = {2}, third[5], fourth[5];\n\
        static void clear(int *a, int i)\n\
        {\n\
            do a[i] = 0; while (i-- >= 0);\n\
        }\n\
        int main(int argc, char **argv)\n\
        {\n\
            clear(argc == 2 ? second : fourth, 4);\n\
            return second[1] + fourth[1];\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("access outside a global variable", "4")], "{found}");
}

/// A block that `alloca` gives has nothing before it, as with AddressSanitizer.
#[test]
fn before_an_array_of_variable_length_is_outside() {
    let text = "#include <alloca.h>\n\
        #include <string.h>\n\
        int main(int argc, char **argv)\n\
        {\n\
            char *data = alloca(100), copy[100];\n\
            memset(data, 'a', 100);\n\
            strncpy(copy, argc == 2 ? data - 8 : data, 90);\n\
            return copy[argc % 3];\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("access outside a local variable", "7")], "{found}");
}

/// What a verifier's own function says is not known here.
#[test]
fn functions_of_verifiers_that_nobody_knows_prove_no_failure() {
    let text = "#include <assert.h>\n\
        _Bool __ESBMC_same_object(const void *a, const void *b);\n\
        int main(void)\n\
        {\n\
            int x = 0;\n\
            assert(__ESBMC_same_object(&x, &x));\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [], "{found}");
}

/// How many bytes are copied is an input, and none are in the first run.
#[test]
fn a_length_that_is_too_large_is_looked_for() {
    for (call, line) in
        [("memcpy(a, b, n)", "9"), ("memset(a, 1, n)", "9"), ("strncpy(a, b, n)", "9")]
    {
        let text = format!(
            "#include <stdlib.h>\n\
            #include <string.h>\n\
            extern int nondet(void);\n\
            int main(void)\n\
            {{\n\
                char b[40] = \"text\", *a = malloc(30);\n\
                int n = nondet();\n\
                if (n >= 0 && n <= 32)\n\
                    {call};\n\
                free(a);\n\
                return b[0];\n\
            }}\n"
        );
        let found = generate("main.c", &text);
        assert_eq!(failures(&found), [native("access outside allocated memory", line)], "{found}");
    }
}

/// As KLEE does unless it is told not to; a left shift of a negative number is none of it.
#[test]
fn harnesses_of_klee_are_checked_for_shifts_by_too_much() {
    let text = "#include <klee/klee.h>\n\
        int main(void)\n\
        {\n\
            int x, n;\n\
            klee_make_symbolic(&x, sizeof x, \"x\");\n\
            klee_make_symbolic(&n, sizeof n, \"n\");\n\
            int y = x << 3;\n\
            return (y >> n) + 8 / x;\n\
        }\n";
    let found = generate("main.c", text);
    let mut shown = failures(&found);
    shown.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [native("check failed: overshift", "8"), native("division by zero", "8")];
    assert_eq!(shown, expected, "{found}");
    let plain = "int f(int x, int n) { return x << n; }\n";
    assert_eq!(failures(&generate("plain.c", plain)), []);
}

/// What it points to only those know who define it.
#[test]
fn an_undeclared_function_may_return_a_pointer() {
    let text = "struct node { int kind; struct node *next; };\n\
        int main(void)\n\
        {\n\
            struct node *node = allocated();\n\
            node->next->kind = 3;\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [], "{found}");
}

/// A function of a verifier that is named where nothing is compiled is declared by nobody.
#[test]
fn what_is_only_mentioned_is_not_defined() {
    let text = "#include <assert.h>\n\
        int main(int argc, char **argv)\n\
        {\n\
        #ifdef OTHERS\n\
            __ESBMC_assert(0, \"no support\");\n\
        #endif\n\
            assert(argc != 2);\n\
            return argv == 0;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "7")], "{found}");
    nothing_differs(&found);
}

/// A caller that gives fewer bytes than none is one that a function need not expect; a `main` that does so fails.
#[test]
fn a_negative_length_is_a_precondition() {
    let text = "#include <string.h>\n\
        char table[64];\n\
        void load(int size, void *to) { if (size <= 64) memcpy(to, table, size); }\n";
    let found = generate("load.c", text);
    let ranks: Vec<Json> = failures(&found).into_iter().map(|(_, _, rank)| rank).collect();
    assert!(ranks.iter().all(|rank| rank == "precondition"), "{found}");
}

/// Nor does a caller ask for an element before the first.
#[test]
fn a_negative_index_is_a_precondition() {
    let text = "#include <stdlib.h>\n\
        struct table { int n; int *values; };\n\
        struct table *table_new(void)\n\
        {\n\
            struct table *t = malloc(sizeof *t);\n\
            t->n = 0;\n\
            t->values = 0;\n\
            return t;\n\
        }\n\
        int table_at(struct table *t, int index) { return index < t->n ? t->values[index] : 0; }\n";
    let found = generate("table.c", text);
    let ranks: Vec<Json> = failures(&found).into_iter().map(|(_, _, rank)| rank).collect();
    assert_eq!(ranks, ["precondition"], "{found}");
    let needs = found["bugs"][0]["needs"].as_str().expect("words");
    assert!(needs.starts_with("`index` is -"), "{needs}");
}

/// Callers pass a `float` to such a function as a `double`.
#[test]
fn functions_of_the_old_style_take_floats() {
    let text = "f(a, b, c)\n\
        int a;\n\
        float b;\n\
        char *c;\n\
        {\n\
            if (b == 2.5f && a == 7)\n\
                return 3;\n\
            return c == 0;\n\
        }\n\
        main() { return f(1, 2.5, \"x\"); }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [], "{found}");
    assert_eq!(function(&found, "f")["branches"]["covered"], 4, "{found}");
    nothing_differs(&found);
}

/// Verifiers know what these return, though C takes undeclared functions for ones that return an `int`.
#[test]
fn undeclared_inputs_have_the_type_of_their_name() {
    let text = "#include <assert.h>\n\
        static int third(unsigned a) { return a == 0 ? 1 : a == 1 ? 2 : a == 2 ? 3 : 1 / 0; }\n\
        int main(void)\n\
        {\n\
            unsigned a = __VERIFIER_nondet_uint() % 2 + nondet_uint() % 2;\n\
            double b = __VERIFIER_nondet_double();\n\
            if (b == 2.5)\n\
                assert(third(a) != 2);\n\
            return third(a);\n\
        }\n";
    let found = generate_with("--function main", "main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "8")], "{found}");
    nothing_differs(&found);
}

/// The condition of such an assertion is no branch of the program, and no other side needs what makes it false.
#[test]
fn assertions_that_nobody_defines_are_tried_without_branches() {
    let text = "int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assert(int holds);\n\
        int main(void)\n\
        {\n\
            int n = __VERIFIER_nondet_int(), sum = 0;\n\
            for (int i = 0; i < 3; i++)\n        sum += n > i * 10 ? i : 0;\n\
            __VERIFIER_assert(n != 300);\n\
            return sum;\n\
        }\n";
    let found = generate("main.c", text);
    assert_eq!(failures(&found), [native("assertion failed", "8")], "{found}");
    nothing_differs(&found);
    let holds = text.replace("n != 300", "sum < 4");
    let found = generate("main.c", &holds);
    assert_eq!(failures(&found), [], "{found}");
}

/// A header that is none of the user's files has the program's own `size_t`, and a macro that calls an input.
#[test]
fn headers_elsewhere_have_types_and_macros() {
    let folder = folder();
    for part in ["lib", "src"] {
        std::fs::create_dir(folder.path().join(part)).expect("a folder");
    }
    let header = "typedef int size_t;\nextern int next_character(void);\n#define GET(c) (c = next_character())\n";
    file(&folder, "lib/own.h", header);
    let text = "#include \"../lib/own.h\"\n\
        int main(void)\n\
        {\n\
            char buffer[4], c;\n\
            for (int i = 0; i <= 4; i++) {\n\
                GET(c);\n        buffer[i] = c;\n\
                if (c == 'a')\n            break;\n\
            }\n\
            return buffer[0];\n\
        }\n";
    let source = file(&folder, "src/main.c", text);
    let out = folder.path().join("out");
    let found = symcrete(&format!("gen --json --time 10 --out {} {source}", out.display())).json();
    assert_eq!(failures(&found), [native("access outside a local variable", "7")], "{found}");
    nothing_differs(&found);
}
