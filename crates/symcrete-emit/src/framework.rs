//! The parts of a test file that depend on the framework: assertions and the program's entry.

use crate::checks::Check;
use crate::environment;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What tests are written for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Framework {
    /// Nothing but the C library: each file is a program that runs its tests.
    #[default]
    Plain,
    /// ThrowTheSwitch's Unity.
    Unity,
    /// cmocka.
    Cmocka,
}

impl Framework {
    /// All frameworks.
    pub const ALL: &'static [Framework] = &[Framework::Plain, Framework::Unity, Framework::Cmocka];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Framework::Plain => "plain",
            Framework::Unity => "unity",
            Framework::Cmocka => "cmocka",
        }
    }

    /// What the linker needs besides the file.
    pub fn libraries(self) -> &'static str {
        match self {
            Framework::Plain => "-lm",
            Framework::Unity => "unity.c -lm",
            Framework::Cmocka => "-lcmocka -lm",
        }
    }

    /// Whether a test runs in a process of its own, where globals have their first values.
    pub fn is_isolated(self) -> bool {
        match self {
            Framework::Plain => true,
            Framework::Unity | Framework::Cmocka => false,
        }
    }

    /// The headers of the framework.
    pub(crate) fn includes(self) -> &'static str {
        match self {
            Framework::Plain => "",
            Framework::Unity => "#include \"unity.h\"\n",
            Framework::Cmocka => {
                "#include <setjmp.h>\n#include <stdarg.h>\n#include <stdint.h>\n#include <cmocka.h>\n"
            }
        }
    }

    /// Whether the framework's header may make this word a macro.
    pub(crate) fn has_macro(self, name: &str) -> bool {
        const OF_CMOCKA: &[&str] = &[
            "assert_",
            "check_expected",
            "cmocka_",
            "expect_",
            "fail",
            "function_called",
            "ignore_function_calls",
            "mock",
            "run_test",
            "skip",
            "test_",
            "unit_test",
            "will_return",
        ];
        self == Framework::Cmocka && OF_CMOCKA.iter().any(|word| name.starts_with(word))
    }

    /// The parameters of a test function.
    pub(crate) fn params(self) -> &'static str {
        match self {
            Framework::Plain | Framework::Unity => "void",
            Framework::Cmocka => "void **state",
        }
    }

    /// The definition of `CHECK` and what it needs, for tests that have something to check: an unused function is a
    /// warning.
    pub(crate) fn check(self, tests: &str) -> &'static str {
        match self {
            Framework::Plain if !tests.contains("CHECK") => PLAIN_FAILURES,
            Framework::Plain => PLAIN_CHECK,
            Framework::Unity => {
                "#undef CHECK\n#define CHECK(condition) TEST_ASSERT_MESSAGE((condition), #condition)\n"
            }
            Framework::Cmocka => {
                "#undef CHECK\n#define CHECK(condition) assert_true((condition))\n"
            }
        }
    }
}

const PLAIN_FAILURES: &str = "static int symcrete_failures;\n";

const PLAIN_CHECK: &str = "\
static int symcrete_failures;

static void symcrete_check(int holds, const char *condition, int line)
{
    if (holds)
        return;
    symcrete_failures++;
    printf(\"     line %d: not true: %s\\n\", line, condition);
}

#undef CHECK
#define CHECK(condition) symcrete_check((condition) != 0, #condition, __LINE__)
";

const SAME_DOUBLE: &str = "
/* The same number, bit for bit: 0.0 and -0.0 are different. */
static int symcrete_same_double(double x, double y)
{
    union { double value; unsigned long long bits; } a, b;

    a.value = x;
    b.value = y;
    return a.bits == b.bits;
}

#undef CHECK_DOUBLE
#define CHECK_DOUBLE(actual, expected) CHECK(symcrete_same_double(actual, expected))
";

const SAME_FLOAT: &str = "
static int symcrete_same_float(float x, float y)
{
    union { float value; unsigned bits; } a, b;

    a.value = x;
    b.value = y;
    return a.bits == b.bits;
}

#undef CHECK_FLOAT
#define CHECK_FLOAT(actual, expected) CHECK(symcrete_same_float(actual, expected))
";

const IS_NAN: &str = "
#undef CHECK_NAN
#define CHECK_NAN(actual) CHECK((actual) != (actual))
";

const EXITS: &str = "
/* What the code under test calls instead of `exit`: it returns to the test. */
static jmp_buf symcrete_exit_point;
static volatile int symcrete_exit_status;

void symcrete_exit(int status)
{
    symcrete_exit_status = status;
    longjmp(symcrete_exit_point, 1);
}

#undef CHECK_EXITS
#define CHECK_EXITS(status, call) \\
    do { \\
        int has_exited = 1; \\
        if (setjmp(symcrete_exit_point) == 0) { \\
            (void)call; \\
            has_exited = 0; \\
        } \\
        CHECK(has_exited && symcrete_exit_status == status); \\
    } while (0)
";

const STDIN: &str = "
/* Makes these bytes the standard input, through a file that is gone again at once. */
static void symcrete_stdin(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(name, \"wb\");

    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
    }
    if (!freopen(name, \"rb\", stdin))
        printf(\"     cannot read %s\\n\", name);
    remove(name);
}
";

/// All that the library's functions may be used by in a test file besides its tests.
pub(crate) fn around(framework: Framework) -> String {
    match framework {
        Framework::Plain => [PLAIN_CHECK, PLAIN_ENTRY, "fflush(stdout)"].concat(),
        Framework::Unity | Framework::Cmocka => "memcpy".to_string(),
    }
}

/// Helpers that the tests use, and no others: an unused function is a warning.
pub(crate) fn helpers(tests: &str) -> String {
    let all = [
        ("CHECK_DOUBLE(", SAME_DOUBLE),
        ("CHECK_FLOAT(", SAME_FLOAT),
        ("CHECK_NAN(", IS_NAN),
        ("CHECK_EXITS(", EXITS),
        ("symcrete_stdin(", STDIN),
        ("setenv(", environment::SETENV),
        ("mkdir(", environment::FOLDERS),
        (environment::AT_ROOT, environment::OPEN),
        ("symcrete_folder(", environment::FOLDER),
        ("symcrete_file(", environment::FILE),
    ];
    all.iter().filter(|(use_of, _)| tests.contains(use_of)).map(|(_, helper)| *helper).collect()
}

/// One assertion as a statement.
pub(crate) fn statement(check: &Check) -> String {
    match check {
        Check::Holds(condition) => format!("CHECK({condition});"),
        Check::Double(actual, expected) => format!("CHECK_DOUBLE({actual}, {expected});"),
        Check::Float(actual, expected) => format!("CHECK_FLOAT({actual}, {expected});"),
        Check::Nan(actual) => format!("CHECK_NAN({actual});"),
    }
}

/// What the entry of a test program is called and has.
pub(crate) struct Entry<'a> {
    pub(crate) framework: Framework,
    /// `main`, or another name if the code under test has one.
    pub(crate) name: &'a str,
    pub(crate) tests: &'a [String],
    /// Globals to put back before each test, where tests share a process.
    pub(crate) globals: &'a [String],
    /// Whether output can be flushed.
    pub(crate) has_stdio: bool,
}

impl Entry<'_> {
    /// The end of a test file.
    pub(crate) fn text(&self) -> String {
        match self.framework {
            Framework::Plain => self.plain(),
            Framework::Unity => self.unity(),
            Framework::Cmocka => self.cmocka(),
        }
    }

    fn plain(&self) -> String {
        let mut text = String::from(
            "\nstatic const struct {\n    const char *name;\n    void (*run)(void);\n} symcrete_tests[] = {\n",
        );
        for test in self.tests {
            let _ = writeln!(text, "    {{\"{test}\", {test}}},");
        }
        text.push_str("};\n");
        let flush = if self.has_stdio { "        fflush(stdout);\n" } else { "" };
        text + &PLAIN_ENTRY.replace("@ENTRY@", self.name).replace("@FLUSH@", flush)
    }

    fn unity(&self) -> String {
        let mut text = self.restore();
        let body = if self.globals.is_empty() { "" } else { "    symcrete_restore();\n" };
        let _ = writeln!(text, "\nvoid setUp(void)\n{{\n{body}}}\n\nvoid tearDown(void)\n{{\n}}");
        let _ = writeln!(text, "\nint {}(void)\n{{\n    UNITY_BEGIN();", self.name);
        for test in self.tests {
            let _ = writeln!(text, "    RUN_TEST({test});");
        }
        text.push_str("    return UNITY_END();\n}\n");
        text
    }

    fn cmocka(&self) -> String {
        let mut text = self.restore();
        let set_up = match self.globals.is_empty() {
            true => "cmocka_unit_test(@)",
            false => {
                text.push_str(
                    "\nstatic int set_up(void **state)\n{\n    (void)state;\n    symcrete_restore();\n    return 0;\n}\n",
                );
                "cmocka_unit_test_setup(@, set_up)"
            }
        };
        let _ = writeln!(
            text,
            "\nint {}(void)\n{{\n    const struct CMUnitTest tests[] = {{",
            self.name
        );
        for test in self.tests {
            let _ = writeln!(text, "        {},", set_up.replace('@', test));
        }
        text.push_str("    };\n\n    return cmocka_run_group_tests(tests, NULL, NULL);\n}\n");
        text
    }

    /// Tests in one process must not see what others left behind.
    fn restore(&self) -> String {
        if self.globals.is_empty() {
            return String::new();
        }
        let mut text = String::from(
            "\n/* Puts global variables back to their first values. */\nstatic void symcrete_restore(void)\n{\n    static int is_saved;\n",
        );
        for (i, global) in self.globals.iter().enumerate() {
            let _ = writeln!(text, "    static unsigned char saved_{i}[sizeof {global}];");
        }
        text.push_str("\n    if (!is_saved) {\n        is_saved = 1;\n");
        for (i, global) in self.globals.iter().enumerate() {
            let _ =
                writeln!(text, "        memcpy(saved_{i}, (void *)&{global}, sizeof saved_{i});");
        }
        text.push_str("    }\n");
        for (i, global) in self.globals.iter().enumerate() {
            let _ = writeln!(text, "    memcpy((void *)&{global}, saved_{i}, sizeof saved_{i});");
        }
        text.push_str("}\n");
        text
    }
}

const PLAIN_ENTRY: &str = "
/* Without arguments every test runs in a process of its own, so that each finds global variables as they were
 * at the start. With the name of a test only that one runs, here, for a debugger. */
int @ENTRY@(int argc, char **argv)
{
    size_t n_tests = sizeof symcrete_tests / sizeof symcrete_tests[0];
    size_t n_failed = 0;
    size_t i;

    for (i = 0; i < n_tests; i++) {
        const char *name = symcrete_tests[i].name;
        char command[4096];
        int is_ok;

        if (argc > 1 && strcmp(argv[1], \"--list\") == 0) {
            printf(\"%s\\n\", name);
            continue;
        }
        if (argc > 1) {
            if (strcmp(argv[1], name) != 0)
                continue;
            symcrete_tests[i].run();
            return symcrete_failures ? 1 : 0;
        }
        if (snprintf(command, sizeof command, \"\\\"%s\\\" %s\", argv[0], name) >= (int)sizeof command)
            return 2;
        is_ok = system(command) == 0;
        n_failed += !is_ok;
        printf(\"%s %s\\n\", is_ok ? \"ok  \" : \"FAIL\", name);
@FLUSH@    }
    if (argc > 1)
        return strcmp(argv[1], \"--list\") == 0 ? 0 : 2;
    printf(\"%u tests, %u failed\\n\", (unsigned)n_tests, (unsigned)n_failed);
    return n_failed ? 1 : 0;
}
";
