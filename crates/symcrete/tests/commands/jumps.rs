//! Programs that leave functions by `longjmp`: every way is found, and each is the one that this machine takes.

use super::other_tools::{failures, generate, native};
use super::{Json, function, symcrete};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const GEN: &str = "gen --no-out --json --time 30 --jobs 2";

/// The sides of a function that are open, and how many there are of each other kind.
fn counts(found: &Json, name: &str) -> [u64; 4] {
    let branches = &function(found, name)["branches"];
    ["covered", "infeasible", "within_bounds", "total"]
        .map(|key| branches[key].as_u64().unwrap_or_else(|| panic!("{name}: {branches}")))
}

/// Every function, with the sides that no input takes.
const COVERED: &[(&str, &str, u64)] = &[
    ("jumps.c", "values", 0),
    ("jumps.c", "retry", 0),
    ("jumps.c", "loop", 0),
    ("jumps.c", "two", 0),
    ("jumps.c", "recursion", 0),
    ("jumps.c", "sorted", 0),
    ("jumps.c", "locals", 3),
    ("jumps.c", "lengths", 0),
    ("jumps.c", "saved", 0),
    ("jumps.c", "expression", 0),
    ("lua.c", "lua", 6),
];

#[test]
fn ways_through_jumps_are_covered_in_both_data_models() {
    for model in ["lp64", "ilp32"] {
        for file in ["jumps.c", "lua.c"] {
            let done = symcrete(&format!("{GEN} jumps/{file} --data-model {model}"));
            let found = done.json();
            assert_eq!(found["bugs"], Json::Array(Vec::new()), "{found}");
            for (_, name, impossible) in COVERED.iter().filter(|(of, _, _)| *of == file) {
                let [covered, infeasible, within, total] = counts(&found, name);
                let expected = (total - impossible, *impossible);
                assert_eq!((covered, infeasible), expected, "{model}: {name}");
                assert_eq!(within, 0, "{model}: {name}");
            }
        }
    }
}

/// What libpng does: an error deep down, through a pointer, and a caller that cleans up. Only memory that runs out is missing.
#[test]
fn errors_through_pointers_are_covered_and_nothing_leaks() {
    let found = symcrete(&format!("{GEN} jumps/png.c")).json();
    assert_eq!(counts(&found, "png"), [23, 0, 3, 26], "{found}");
    let found = symcrete(&format!("{GEN} jumps/png.c --check alloc")).json();
    let [covered, _, _, total] = counts(&found, "png");
    assert_eq!(covered, total - 1, "{found}");
    assert_eq!(found["bugs"], Json::Array(Vec::new()), "{found}");
}

#[test]
fn tests_with_jumps_hold_natively() {
    for file in ["jumps.c", "lua.c", "png.c"] {
        let out = super::folder();
        let folder = out.path().join("out");
        let words = format!("gen jumps/{file} --json --time 30 --out {}", folder.display());
        let native = symcrete(&words).json()["native"].clone();
        assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
        assert_eq!(native["warnings"], Json::Array(Vec::new()), "{native}");
        assert!(native["passed"].as_u64() >= Some(5), "{native}");
        // What the compiler counts is wrong, and nobody compares with it.
        assert_eq!(native["sides_compared"], Json::Null, "{native}");
        let notes = native["notes"].to_string();
        assert!(notes.contains("counters are wrong after a longjmp"), "{native}");
    }
}

#[test]
fn a_jump_into_a_function_that_has_returned_is_a_failure() {
    let found = symcrete(&format!("{GEN} jumps/stale.c --function stale")).json();
    let bugs = found["bugs"].as_array().expect("a list");
    assert_eq!(bugs.len(), 1, "{bugs:?}");
    assert_eq!(bugs[0]["kind"], "longjmp into a function that has returned", "{bugs:?}");
    assert_eq!(bugs[0]["place"], "jumps/stale.c:14", "{bugs:?}");
}

/// A state that the input has says nothing of where it leads; it never leads to a `setjmp` of another state.
#[test]
fn a_jump_to_an_unknown_caller_is_a_gap() {
    let found =
        symcrete(&format!("{GEN} jumps/stale.c --function to_caller --function other")).json();
    assert_eq!(found["bugs"], Json::Array(Vec::new()), "{found}");
    let why = function(&found, "to_caller")["uncovered"][0]["why"].clone();
    assert!(why.as_str().is_some_and(|why| why.contains("cannot be followed")), "{found}");
    let [covered, _, _, total] = counts(&found, "other");
    assert!(covered < total, "{found}");
}

/// Files that do not jump are edited too if others do.
#[test]
fn a_jump_crosses_files() {
    let folder = super::folder();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        #[expect(clippy::disallowed_methods, reason = "tests write their sources")]
        std::fs::write(&path, text).expect("the folder is ours");
        path.display().to_string()
    };
    let throwing = "#include <setjmp.h>\njmp_buf env;\nvoid fail(int x) { longjmp(env, x); }\n";
    let between = "void fail(int);\nint middle(int x) { if (x > 9) fail(x); return x + 1; }\n";
    let catching = "#include <setjmp.h>\nextern jmp_buf env;\nint middle(int);\n\
                    int top(int x) { int v = setjmp(env); if (v == 12) return -1; if (v) return -2; return middle(x); }\n";
    let files = [("a.c", throwing), ("b.c", between), ("c.c", catching)];
    let files = files.map(|(name, text)| write(name, text)).join(" ");
    let found = symcrete(&format!("{GEN} {files} --function top")).json();
    let [covered, _, _, total] = counts(&found, "top");
    assert_eq!(covered, total, "{found}");
}

/// Random programs that note every side they take: this machine and the model go the same ways.
/// `SYMCRETE_JUMP_PROGRAMS=100` tries more of them.
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever wants more programs says so there")]
fn random_programs_go_the_ways_that_this_machine_goes() {
    let folder = super::folder();
    let n_programs = std::env::var("SYMCRETE_JUMP_PROGRAMS").ok().and_then(|n| n.parse().ok());
    for seed in 1..=n_programs.unwrap_or(4) {
        let text = program(&mut Random(seed));
        let source = folder.path().join(format!("random_{seed}.c"));
        std::fs::write(&source, text).expect("the folder is ours");
        let inputs: Vec<i64> = (-2..14).collect();
        let native = natively(&source, &inputs);
        for (x, expected) in inputs.iter().zip(native) {
            let source = source.display();
            let done = symcrete(&format!("run {source} -f ways --json --input {{\"x\":{x}}}"));
            let returned = done.json()["outcome"].to_string();
            assert!(
                returned.contains(&expected.to_string()),
                "{source}, {x}: {returned}, not {expected}"
            );
        }
    }
}

/// What a program returns for each input, compiled without optimisation.
#[expect(clippy::disallowed_methods, reason = "a test compiles and runs what it wrote")]
fn natively(source: &Path, inputs: &[i64]) -> Vec<i64> {
    let program = source.with_extension("exe");
    let mut compiler = Command::new("gcc");
    compiler.args(["-O0", "-w"]).arg(source).arg("-o").arg(&program);
    assert!(compiler.status().expect("a compiler").success());
    let run = |x: &i64| {
        let output = Command::new(&program).arg(x.to_string()).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
    };
    inputs.iter().map(run).collect()
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % n
    }
}

/// What every program starts with. A jump may go to any call that is protected, which may try again.
const START: &str = "#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    static jmp_buf *stack[64];\nstatic volatile int n_stack, budget = 12;\nstatic volatile unsigned way;\n\
    #define SIDE(n) (way = way * 31 + (unsigned)(n) + 1)\n\
    static void leave(int to, int value)\n{\n    if (n_stack > 0 && budget-- > 0)\n        \
    longjmp(*stack[(unsigned)to % (unsigned)n_stack], value);\n    SIDE(77);\n}\n\
    static int compare(const void *a, const void *b)\n{\n    int x = *(const int *)a;\n    if (x % 3 == 1)\n        \
    leave(x, x & 3);\n    return x - *(const int *)b;\n}\n";

const N_FUNCTIONS: u64 = 4;

/// A program whose `ways` returns a number that tells all sides that it took.
fn program(random: &mut Random) -> String {
    let mut text = START.to_owned();
    for i in 0..N_FUNCTIONS {
        let _ = writeln!(text, "static int f{i}(int x, int depth);");
    }
    text.push_str("static int (*volatile table[])(int, int) = {f0, f1, f2, f3};\n");
    for i in 0..N_FUNCTIONS {
        let _ = writeln!(text, "static int f{i}(int x, int depth)\n{{");
        text.push_str("    volatile int n = x;\n    if (depth <= 0)\n        return x;\n");
        statements(random, 3, &mut text);
        let _ = writeln!(text, "    SIDE({i});\n    return n;\n}}");
    }
    text.push_str(
        "int ways(int x)\n{\n    for (int i = 0; i < 4; i++)\n        SIDE(table[i](x + i, 4));\n    \
         return (int)(way >> 1);\n}\n\
         int main(int argc, char **argv)\n{\n    printf(\"%d\\n\", ways(atoi(argv[argc - 1])));\n    return 0;\n}\n",
    );
    text
}

fn statements(random: &mut Random, depth: u64, text: &mut String) {
    for _ in 0..=random.below(2) {
        let (a, b, f) = (random.below(9), random.below(5) + 2, random.below(N_FUNCTIONS));
        match random.below(if depth == 0 { 5 } else { 8 }) {
            0 => {
                let _ = writeln!(text, "    leave(n + {a}, n % {b});");
            }
            1 => {
                let _ = writeln!(text, "    n += f{f}(n - {a}, depth - 1);");
            }
            2 => {
                let _ = writeln!(text, "    n ^= table[(unsigned)n % 4](x + {a}, depth - 1);");
            }
            3 => {
                let _ = writeln!(text, "    n = n * {b} + {a};\n    SIDE(n);");
            }
            4 => {
                let _ = writeln!(
                    text,
                    "    {{ int key = n, list = {a}; SIDE(bsearch(&key, &list, 1, sizeof list, compare) != 0); }}"
                );
            }
            5 => {
                let _ = writeln!(text, "    if ((unsigned)(n + {a}) % {b} == 1) {{\n    SIDE(1);");
                statements(random, depth - 1, text);
                text.push_str("    } else {\n    SIDE(2);\n");
                statements(random, depth - 1, text);
                text.push_str("    }\n");
            }
            _ => {
                text.push_str(
                    "    if (n_stack < 60) {\n    jmp_buf here;\n    volatile int mine = n_stack, tries = 0;\n    \
                     stack[n_stack++] = &here;\n    int value = setjmp(here);\n    n_stack = mine + 1;\n    \
                     SIDE(value);\n    if (value == 0 || (value > 1 && tries++ < 2)) {\n",
                );
                statements(random, depth - 1, text);
                text.push_str("    }\n    n_stack = mine;\n    }\n");
            }
        }
    }
}

/// What nobody has set leads anywhere. A function that is called alone may have a caller that sets it.
#[test]
fn a_jump_to_a_state_that_nobody_has_set_is_a_failure() {
    let text = "#include <setjmp.h>\n\
        static jmp_buf state;\n\
        void fail(void) { longjmp(state, 1); }\n\
        int main(int argc, char **argv)\n\
        {\n\
            (void)argv;\n\
            if (argc > 1 && setjmp(state))\n\
                return 3;\n\
            fail();\n\
            return 0;\n\
        }\n";
    let found = generate("main.c", text);
    let precondition =
        ("longjmp without a setjmp".to_string(), "3".to_string(), "precondition".into());
    let expected = [precondition, native("longjmp without a setjmp", "3")];
    assert_eq!(failures(&found), expected, "{found}");
    assert!(found["native"]["passed"].as_u64() >= Some(1), "{found}");
}
