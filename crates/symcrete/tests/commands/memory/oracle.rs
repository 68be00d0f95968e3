//! Random functions that allocate, free and pass on pointers, to constants among others: what a run comes to is what AddressSanitizer says of the
//! same run, and exploration finds every failure that some small input has.

use super::super::{Json, file, folder, symcrete};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

const FUNCTIONS: usize = 30;
/// Natively every function is called with all numbers below this, which is all that its conditions look at.
const INPUTS: u64 = 8;
const POINTERS: u64 = 3;

const CONSTANT: &str = "write to a constant";
const INVALID_FREE: &str = "freed what is not the start of allocated memory";
/// What is said of a failure, and what AddressSanitizer says.
const KINDS: &[(&str, &str)] = &[
    ("use of memory after it was freed", "heap-use-after-free"),
    ("memory freed twice", "attempting double-free"),
    (INVALID_FREE, "which was not malloc()-ed"),
    ("use of a local variable after its function returned", "stack-use-after-return"),
    ("use of a local variable after its block ended", "stack-use-after-scope"),
    ("access outside a local variable", "stack-buffer-overflow"),
    ("access outside a global variable", "global-buffer-overflow"),
    ("access outside allocated memory", "heap-buffer-overflow"),
    (CONSTANT, "caused by a WRITE memory access"),
];

/// Marsaglia, "Xorshift RNGs", 2003.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// One random statement; blocks do not nest deeper than once.
fn statement(random: &mut Random, depth: u32) -> String {
    let [p, q, k] = [POINTERS, POINTERS, 4].map(|n| random.below(n));
    let size = 4 * (1 + random.below(4));
    match random.below(if depth == 0 { 15 } else { 11 }) {
        0 => format!("p{p} = calloc({size}, 1);"),
        1 | 2 => format!("free(p{p});"),
        3 => format!("p{p} = realloc(p{p}, {size});\n    AT if (p{p}) p{p}[0] = n;"),
        4 => format!("p{p} = p{q};"),
        5 => match random.below(7) {
            0 => format!("p{p} = local + {};", random.below(2)),
            1 => format!("p{p} = table + {};", random.below(2)),
            2 => format!("p{p} = escaped(n);"),
            3 => format!("p{p} = (int *)fixed + {};", random.below(2)),
            4 => format!("p{p} = (int *)\"sixteen letters\";"),
            5 => format!("p{p} = (int *)same;"),
            _ => format!("{{ int inner[2] = {{n, n}}; p{p} = inner; sum += p{p}[1]; }}"),
        },
        6 | 7 => format!("if (p{p}) sum += p{p}[{k}];"),
        8 => match random.below(4) {
            0 => format!("if (p{p}) p{p}[{k}] = n;"),
            1 => format!("if (p{p}) p{p}[{k}] = 99;"),
            2 => format!("if (p{p}) p{p}[{k}]++;"),
            _ => format!("if (p{p}) memcpy(p{p} + {k}, &n, sizeof n);"),
        },
        9 => format!("sum += looked(p{p}, n);"),
        10 => format!("if (p{p}) p{p} += {};", random.below(2)),
        _ => {
            let inner = statement(random, depth + 1);
            format!("if (n & {}) {{\n    AT {inner}\n    }}", 1 << random.below(3))
        }
    }
}

fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = String::from(
        "#include <stdlib.h>\n#include <string.h>\n#ifndef AT\n#define AT\n#endif\nstatic int table[4];\n\
         static const int fixed[4] = {11, 12, 13, 14};\n\
         static int *escaped(int n) { int inner[2] = {n, n}; int *p = inner; return p; }\n\
         static int looked(int *p, int n) { int own[4] = {0}; own[n & 3] = 1; AT return p ? *p + own[1] : 0; }\n",
    );
    for i in 0..FUNCTIONS {
        let _ = write!(
            text,
            "int f{i}(int n)\n{{\n    int local[4] = {{n, n, n, n}}, sum = 0;\n    const int same[4] = {{1, 2, 3, 4}};\n    \
             int *p0 = calloc(2, 4), *p1 = 0, *p2 = local;\n"
        );
        for _ in 0..4 + random.below(7) {
            let _ = writeln!(text, "    AT {}", statement(&mut random, 0));
        }
        text.push_str("    return sum + local[0];\n}\n");
    }
    text
}

/// Calls every function with every input in a process of its own, and says before which one it was. The line that fails is
/// noted by the program itself: a symbolizer takes longer than all the rest.
fn driver(source: &str) -> String {
    let functions: Vec<String> = (0..FUNCTIONS).map(|i| format!("f{i}")).collect();
    format!(
        "static volatile int line;\n#define AT line = __LINE__;\n\
         #include \"{source}\"\n#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
         void __asan_set_death_callback(void (*callback)(void));\n\
         static void say(void) {{ fprintf(stderr, \"\\nline %d\\n\", line); }}\n\
         static int (*const all[])(int) = {{{}}};\n\
         int main(void)\n{{\n    __asan_set_death_callback(say);\n    for (int i = 0; i < {FUNCTIONS}; i++)\n        for (int n = 0; n < {INPUTS}; n++) {{\n            \
         fprintf(stderr, \"@ %d %d\\n\", i, n);\n            \
         if (fork() == 0) {{ all[i](n); _exit(0); }}\n            wait(0);\n        }}\n    return 0;\n}}\n",
        functions.join(", ")
    )
}

/// What AddressSanitizer says of each function: the line and the kind of the failure of each input that fails.
#[expect(clippy::disallowed_methods, reason = "the oracle is a program of its own")]
fn native(driver: &str, source: &str) -> BTreeMap<usize, BTreeMap<u64, (u32, &'static str)>> {
    let built = format!("{driver}.exe");
    let flags = ["-g", "-w", "-O0", "-fsanitize=address", "-o", &built, driver];
    let clang = Command::new("clang-19").args(flags).status();
    assert!(clang.expect("clang is there").success());
    let options = "detect_leaks=0:detect_stack_use_after_return=1:symbolize=0";
    let done = Command::new(&built).env("ASAN_OPTIONS", options).output().expect("it runs");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let mut failures: BTreeMap<usize, BTreeMap<u64, (u32, &str)>> = BTreeMap::new();
    for part in said.split("@ ").skip(1) {
        let (head, report) = part.split_once('\n').expect("a line");
        let (i, n) = head.split_once(' ').expect("two numbers");
        let Some((kind, _)) = KINDS.iter().find(|(_, said)| report.contains(said)) else {
            assert!(!report.contains("ERROR"), "{report}");
            continue;
        };
        let line = report.lines().find_map(|line| line.strip_prefix("line "));
        let line: u32 = line.and_then(|line| line.parse().ok()).expect("a line");
        // AddressSanitizer's own `free` writes before what it is given, and fails there if that is a constant.
        let statement = source.lines().nth(line as usize - 1).expect("a statement");
        let frees = statement.contains("free(") || statement.contains("realloc(");
        let kind = if frees && *kind == CONSTANT { INVALID_FREE } else { kind };
        let (i, n) = (i.parse().expect("a number"), n.parse().expect("a number"));
        failures.entry(i).or_default().insert(n, (line, kind));
    }
    failures
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "tests read what the binary writes, and callers choose the seed"
)]
fn runs_fail_as_address_sanitizer_says() {
    let seed = std::env::var("SYMCRETE_ORACLE_SEED").ok().and_then(|seed| seed.parse().ok());
    let folder = folder();
    let text = program(seed.unwrap_or(20_261_117));
    let source = file(&folder, "oracle.c", &text);
    let driver = file(&folder, "driver.c", &driver(&source));
    let native = native(&driver, &text);
    let out = folder.path().join("out");
    let words = format!(
        "gen --json --all --no-native --iterations 100 --jobs 2 --out {} {source}",
        out.display()
    );
    let found = symcrete(&words).json();
    let suite = std::fs::read_to_string(out.join("suite.json")).expect("a suite");
    let suite: Json = serde_json::from_str(&suite).expect("JSON");
    let (mut n_failed, mut wrong) = (0, Vec::new());
    for unit in suite["units"].as_array().expect("a list") {
        let name = unit["name"].as_str().expect("a name");
        let Some(i) = name.strip_prefix('f').and_then(|i| i.parse::<usize>().ok()) else {
            continue;
        };
        for test in unit["tests"].as_array().expect("a list") {
            let n = test["input"]["n"].as_i64().expect("a number").rem_euclid(INPUTS as i64);
            let expected = native.get(&i).and_then(|of| of.get(&(n as u64))).map(|(_, kind)| *kind);
            let message = test["outcome"]["message"].as_str();
            if message != expected {
                wrong.push(format!("{name}({n}): {message:?}, natively {expected:?}"));
            }
            n_failed += usize::from(expected.is_some());
        }
        let bugs = found["bugs"].as_array().expect("a list").iter();
        let bugs: BTreeSet<(u32, &str)> = bugs
            .filter(|bug| bug["function"] == name)
            .map(|bug| {
                let place = bug["place"].as_str().expect("a place");
                let line = place.rsplit(':').next().and_then(|line| line.parse().ok());
                (line.expect("a line"), bug["kind"].as_str().expect("a kind"))
            })
            .collect();
        let expected = native.get(&i).into_iter().flat_map(BTreeMap::values).copied().collect();
        if bugs != expected {
            wrong.push(format!("{name}: {bugs:?}, natively {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}\n{text}");
    assert!(n_failed > FUNCTIONS, "{n_failed} runs failed: too few to say much");
}
