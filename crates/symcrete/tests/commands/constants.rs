//! Writing to texts and other constants: a segmentation fault on this machine.

use super::Json;
use super::other_tools::{failures, generate, native};

#[test]
fn whoever_writes_to_a_constant_fails() {
    let text = "#include <string.h>\n\
        static const struct { int a, b; } pair = {1, 2};\n\
        static void upper(char *s) { for (; *s; s++) if (*s >= 'a') *s -= 32; }\n\
        int texts(int x) { char *s = \"abc\"; if (x == 77) s[0] = 'x'; return s[0]; }\n\
        int called(int x) { char *s = \"ABC\"; if (x == 3) s = \"abc\"; upper(s); return *s; }\n\
        int copied(int x) { const char *s = \"hello\"; if (x == 5) strcpy((char *)s, \"bye\"); return *s; }\n\
        int filled(int x) { if (x == 9) memset((void *)&pair, x, sizeof pair); return pair.a; }\n\
        int indexed(int i, char c)\n\
        {\n\
            static const char table[] = \"table\";\n\
            if (i < 0 || i > 4)\n\
                return 0;\n\
            ((char *)table)[i] = c;\n\
            return 1;\n\
        }\n";
    let found = generate("constants.c", text);
    let mut shown = failures(&found);
    shown.sort_by_key(|(_, line, _)| line.parse::<u32>().unwrap_or(0));
    let expected = ["3", "4", "6", "7", "13"].map(|line| native("write to a constant", line));
    assert_eq!(shown, expected, "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{found}");
}

/// Copies may be written to, constants may be read, and nothing is written by copying no bytes.
#[test]
fn copies_of_constants_are_no_constants() {
    let text = "#include <string.h>\n\
        struct pair { int a; const int b; };\n\
        static const int numbers[] = {1, 2, 3};\n\
        int copies(int x)\n\
        {\n\
            char s[] = \"abc\";\n\
            struct pair pair = {1, 2};\n\
            int local[3];\n\
            memcpy(local, numbers, sizeof local);\n\
            s[0] = 'x';\n\
            local[1] = x;\n\
            pair.a = x;\n\
            memcpy((void *)numbers, local, 0);\n\
            return s[0] + local[1] + pair.a == x;\n\
        }\n\
        const char *chosen(int x) { return x > 3 ? \"large\" : \"small\"; }\n";
    let found = generate("copies.c", text);
    assert_eq!(failures(&found), [], "{found}");
    assert_eq!(found["only_in_model"], Json::Array(Vec::new()), "{found}");
    assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{found}");
}

/// KLEE makes constants inputs. No test can give them on this machine, but that is no failure of the program.
#[test]
fn a_harness_may_make_a_constant_an_input() {
    let text = "#include <klee/klee.h>\n\
        const int limit = 5;\n\
        static const char name[4] = \"abc\";\n\
        static const struct { int a; char b[4]; } pair = {1, \"xyz\"};\n\
        int main(void)\n\
        {\n\
            klee_make_symbolic(&limit, sizeof limit, \"limit\");\n\
            klee_make_symbolic((int *)&limit, sizeof limit, \"typed\");\n\
            klee_make_symbolic((char *)name, sizeof name, \"name\");\n\
            klee_make_symbolic((void *)&pair, sizeof pair, \"pair\");\n\
            if (*(volatile const char *)name == 'q')\n\
                return *(volatile const int *)&pair.a;\n\
            return *(volatile const int *)&limit > 5 ? 1 : 2;\n\
        }\n";
    let found = generate("given.c", text);
    assert_eq!(failures(&found), [], "{found}");
    assert_eq!(found["only_in_model"], Json::Array(Vec::new()), "{found}");
}
