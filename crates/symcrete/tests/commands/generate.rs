//! `symcrete gen`: what exploration finds, whatever the options.

use super::{Done, file, folder, keys, symcrete};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Explores and writes no files. Time does not decide: these functions are done in well under a second.
fn explore(words: &str) -> Done {
    symcrete(&format!("gen --no-out --length 3 {words}"))
}

fn explore_json(words: &str) -> Json {
    explore(&format!("--json {words}")).json()
}

/// Covered and infeasible sides by function; none must be open.
fn decided(found: &Json) -> BTreeMap<String, (u64, u64)> {
    let functions = found["functions"].as_array().expect("a list").iter();
    functions
        .map(|function| {
            let count = |key: &str| function["branches"][key].as_u64().expect("a number");
            assert_eq!(count("open"), 0, "{function}");
            assert_eq!(count("total"), count("covered") + count("infeasible"), "{function}");
            let name = function["name"].as_str().expect("a name").to_string();
            (name, (count("covered"), count("infeasible")))
        })
        .collect()
}

fn bugs(found: &Json) -> Vec<(&str, &str, &str)> {
    let bugs = found["bugs"].as_array().expect("a list").iter();
    bugs.map(|bug| (text(bug, "function"), text(bug, "kind"), text(bug, "place"))).collect()
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_default()
}

/// What every search must find in `branches.c`.
fn is_all_of_branches(found: &Json, words: &str) {
    let expected = [
        ("floats", (4, 0)),
        ("impossible", (3, 1)),
        ("loops", (6, 0)),
        ("magic", (2, 0)),
        ("quotient", (2, 0)),
        ("ranges", (6, 0)),
        ("word", (6, 0)),
    ];
    let decided = decided(found);
    let decided: Vec<(&str, (u64, u64))> =
        decided.iter().map(|(name, counts)| (name.as_str(), *counts)).collect();
    assert_eq!(decided, expected, "{words}");
    assert_eq!(bugs(found), [("quotient", "division by zero", "branches.c:32")], "{words}");
}

#[test]
fn every_strategy_takes_every_branch_and_proves_the_rest_infeasible() {
    for strategy in ["auto", "dfs", "bfs", "random", "random-walk", "cfg", "generational"] {
        let words = format!("branches.c --strategy {strategy}");
        is_all_of_branches(&explore_json(&words), &words);
    }
}

#[test]
fn every_part_of_the_chain_can_be_left_out() {
    let parts =
        ["slices", "cache", "intervals", "tiny", "guesses", "partial", "cores", "bursts", "batch"];
    for part in parts.iter().map(ToString::to_string).chain([parts.join(",")]) {
        for strategy in ["auto", "dfs"] {
            let words = format!("branches.c --strategy {strategy} --without {part}");
            is_all_of_branches(&explore_json(&words), &words);
        }
    }
}

#[test]
fn the_same_seed_finds_the_same_with_any_number_of_jobs() {
    let timeless = |words: &str| {
        let mut found = explore_json(words);
        for function in found["functions"].as_array_mut().expect("a list") {
            let function = function.as_object_mut().expect("an object");
            function.retain(|key, _| !key.ends_with("_ms"));
        }
        found
    };
    for strategy in ["auto", "random"] {
        let words = format!("branches.c --strategy {strategy} --seed 7");
        let one = timeless(&format!("{words} --jobs 1"));
        assert_eq!(timeless(&format!("{words} --jobs 2")), one, "{strategy}");
        assert_eq!(timeless(&format!("{words} --jobs 2")), one, "{strategy}");
    }
}

#[test]
fn other_seeds_and_random_inputs_find_all_too() {
    for options in ["--seed 1", "--seed 2", "--random-input", "--random-input --strategy dfs"] {
        let words = format!("branches.c {options}");
        is_all_of_branches(&explore_json(&words), &words);
    }
}

/// Which NaN an input is makes a difference to programs that look at bits. The tests are compiled and run: a NaN must
/// come through the C source as it is.
#[test]
fn inputs_are_any_nan() {
    let out = folder();
    let words = format!("gen nan_bits.c --length 3 --json --force --out {}", out.path().display());
    let found = symcrete(&words).json();
    let counts = |name: &str| {
        let functions = found["functions"].as_array().expect("a list");
        let function = functions.iter().find(|function| function["name"] == name).expect(name);
        let count = |key: &str| function["branches"][key].as_u64().expect("a number");
        (count("covered"), count("infeasible") + count("within_bounds"), count("open"))
    };
    assert_eq!(counts("kind"), (9, 1, 0), "{found}");
    assert_eq!(counts("tag"), (6, 0, 0), "{found}");
    assert_eq!(counts("number"), (3, 1, 0), "{found}");
    assert_eq!(counts("computed"), (1, 0, 3), "{found}");
    let native = &found["native"];
    assert!(native.is_null() || native["failed"] == json!([]), "{native}");
}

#[test]
fn json_is_as_documented() {
    let found = explore_json("branches.c --function impossible");
    assert_eq!(
        keys(&found),
        ["bugs", "functions", "native", "only_in_model", "skipped", "unchecked", "uninitialized"]
    );
    assert_eq!((&found["skipped"], &found["native"]), (&json!([]), &Json::Null));
    let documented = [
        "avg_constraint_size",
        "backward",
        "branches",
        "burst_finds",
        "burst_ms",
        "burst_runs",
        "calls",
        "divergences",
        "earlier_executions",
        "ended",
        "executions",
        "exhaustive",
        "infeasible",
        "last_new_branch_ms",
        "name",
        "queries",
        "run_ms",
        "run_sites",
        "saved",
        "solver_calls",
        "solver_constraint_size",
        "solver_ms",
        "taken_over",
        "tests",
        "time_ms",
        "uncovered",
        "within_bounds",
    ];
    assert_eq!(keys(&found["functions"][0]), documented);
    assert_eq!(
        keys(&found["functions"][0]["branches"]),
        ["covered", "infeasible", "only_failing", "open", "total", "within_bounds"]
    );
    let saved = [
        "cache_sat",
        "cache_unsat",
        "cores",
        "guessed",
        "literals_sliced_off",
        "met",
        "partial",
        "refuted",
        "tiny",
    ];
    assert_eq!(keys(&found["functions"][0]["saved"]), saved);
    let found = explore_json("branches.c --function quotient");
    assert_eq!(keys(&found["bugs"][0]), ["function", "kind", "place", "rank", "test"]);
}

#[test]
fn people_read_a_table_and_a_line_for_every_side_that_is_not_covered() {
    let done = explore("branches.c");
    let text = done.text();
    let words = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let row = text.lines().map(words).find(|row| row.first().is_some_and(|w| w == "impossible"));
    assert_eq!(row.expect("a row")[1..7], ["2", "4", "3", "1", "0", "0"], "{text}");
    for line in
        ["  branches.c:25: x % 9 == 2 is true: infeasible", "  branches.c:32: division by zero"]
    {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
}

#[test]
fn a_pointer_that_is_followed_unchecked_is_not_made_null() {
    assert_eq!(bugs(&explore_json("null.c")), []);
}

#[test]
fn checks_are_turned_like_branches() {
    let found =
        explore_json("checks.c --strategy dfs --check overflow,bounds,shift,null,float-cast");
    let expected = [
        ("overflow", "check failed: overflow", "checks.c:4"),
        ("bounds", "check failed: bounds", "checks.c:10"),
        ("shift", "check failed: shift", "checks.c:14"),
        ("null", "check failed: null", "checks.c:18"),
        ("cast", "check failed: float-cast", "checks.c:22"),
    ];
    assert_eq!(bugs(&found), expected);
    let found = explore_json("null.c --strategy dfs --check null");
    assert_eq!(bugs(&found), [("first", "check failed: null", "null.c:5")]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn logged_queries_are_scripts() {
    let folder = folder();
    let words = format!("branches.c --strategy dfs --log-queries {}", folder.path().display());
    explore_json(&words);
    let mut scripts = Vec::new();
    for function in ["magic", "impossible", "floats"] {
        for entry in std::fs::read_dir(folder.path().join(function)).expect("queries were logged") {
            let path = entry.expect("the folder can be read").path();
            scripts.push(std::fs::read_to_string(path).expect("a script"));
        }
    }
    assert!(scripts.len() >= 4, "{}", scripts.len());
    let n_checks: usize = scripts.iter().map(|text| text.matches("(check-sat)").count()).sum();
    let all = file(&folder, "all.smt2", &scripts.join("\n(reset)\n"));
    let done = symcrete(&format!("solve {all}"));
    let answers: Vec<&str> = done.text().lines().collect();
    assert_eq!(answers.len(), n_checks, "{}", done.text());
    assert!(answers.iter().all(|answer| ["sat", "unsat"].contains(answer)), "{}", done.text());
}

#[test]
fn accumulators_do_not_cost_all_paths() {
    let diamonds = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/diamonds.c");
    let found = symcrete(&format!("gen --no-out --json {diamonds}")).json();
    assert_eq!(decided(&found), BTreeMap::from([("diamonds".to_string(), (42, 0))]));
    let executions = found["functions"][0]["executions"].as_u64();
    assert!(executions.is_some_and(|n| n < 1000), "{executions:?}");
}

#[test]
fn assumptions_that_contradict_each_other_are_reported() {
    let done = explore("contradiction.c --strategy dfs");
    let line = "main: no input satisfies its assumptions";
    assert!(done.text().lines().any(|shown| shown == line), "{}", done.text());
    let found = explore_json("contradiction.c --strategy dfs");
    assert_eq!(decided(&found), BTreeMap::from([("main".to_string(), (0, 2))]));
}

#[test]
fn an_endless_function_ends() {
    for strategy in ["auto", "dfs"] {
        let found = explore_json(&format!("endless.c --fuel 1000 --strategy {strategy}"));
        assert_eq!(decided(&found), BTreeMap::from([("endless".to_string(), (2, 0))]));
    }
}

#[test]
fn what_only_rejected_runs_take_is_neither_covered_nor_infeasible() {
    let folder = folder();
    let source = "\
#include <klee/klee.h>
int main(void)
{
    int x, above = 0;
    klee_make_symbolic(&x, sizeof x, \"x\");
    if (x > 5)
        above = 1;
    klee_assume(x < 3);
    return above;
}
";
    let found = explore_json(&file(&folder, "late.c", source));
    let function = &found["functions"][0];
    let branches = json!({"total": 2, "covered": 1, "infeasible": 0, "within_bounds": 0, "open": 1, "only_failing": 0});
    assert_eq!(function["branches"], branches, "{function}");
    let why = &function["uncovered"][0]["why"];
    assert_eq!(why, "taken only by runs that break an assumption", "{function}");
}

#[test]
fn a_run_that_was_stopped_is_no_test() {
    let folder = folder();
    let source = "\
int endless(int x)
{
    if (x < 1)
        for (;;)
            ;
    return x;
}
";
    let source = file(&folder, "endless.c", source);
    let found = explore_json(&format!("{source} --fuel 1000000000000 --time 0.2"));
    let function = &found["functions"][0];
    assert_eq!((&function["tests"], &function["branches"]["covered"]), (&json!(0), &json!(0)));
    assert_eq!(function["ended"], "time");
    for side in function["uncovered"].as_array().expect("a list") {
        let why = side["why"].as_str().unwrap_or_default();
        assert!(
            why.ends_with("before the time limit (--time), and a run was still going on"),
            "{why}"
        );
    }
}

#[test]
fn no_time_is_no_failure_and_every_side_has_a_reason() {
    let found = explore_json("branches.c --function magic --time 0");
    let function = &found["functions"][0];
    let uncovered = function["uncovered"].as_array().expect("a list");
    assert_eq!(function["branches"]["open"].as_u64(), Some(uncovered.len() as u64));
    for side in uncovered {
        assert!(side["why"].as_str().is_some_and(|why| !why.is_empty()), "{side}");
    }
}

#[test]
fn what_cannot_be_tested_is_named_and_the_rest_is_tested() {
    let found = explore_json("unsupported.c");
    let tested: Vec<String> = decided(&found).into_keys().collect();
    assert_eq!(tested, ["holds", "many", "simple"]);
    let skipped: Vec<&str> =
        found["skipped"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let long = "long double is 16 bytes wide on WebAssembly";
    let expected = [
        "unsupported.c:1: `callback` is not supported: `f`: no function can be made for it to point to"
            .to_string(),
        format!("unsupported.c:2: `wide` is not supported: `the result of wide`: {long}"),
        format!("unsupported.c:3: `width` is not supported: `d`: {long}"),
    ];
    assert_eq!(skipped, expected);
}

#[test]
fn modules_are_explored_too() {
    let found = explore_json("module.wat");
    assert_eq!(decided(&found), BTreeMap::from([("max".to_string(), (2, 0))]));
}

#[test]
fn findings_end_with_exit_code_1_where_asked() {
    let done = explore("branches.c --function quotient --fail-on bugs");
    assert_eq!(done.complaint(1), "x 1 failure was found");
    let done = explore("branches.c --function magic --fail-on bugs --min-coverage 100");
    done.text();
    let done = explore("branches.c --function magic --time 0 --min-coverage 50");
    let complaint = done.complaint(1);
    assert!(complaint.contains("less than 50 %"), "{complaint}");
}

/// A library that replaces functions of the C library says so with macros, and its tests need the real ones.
#[test]
fn macros_of_the_source_do_not_hide_what_headers_declare() {
    let folder = folder();
    let text = "#include <stdarg.h>\n#define printf printf_\n#define vprintf(format, list) vprintf_(format, list)\n\
                int vprintf_(const char *format, va_list list)\n{\n    (void)list;\n    return *format == 'x';\n}\n\
                int printf_(const char *format, ...)\n{\n    va_list list;\n    int n;\n    va_start(list, format);\n    \
                n = vprintf(format, list);\n    va_end(list);\n    return n;\n}\n";
    let source = file(&folder, "a.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --json --time 20 --out {out}")).json();
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_ne!(native["passed"], 0, "{native}");
}

/// Tests call functions of the C library that the source has as macros, for reasons of its own.
#[test]
fn macros_of_the_source_do_not_reach_into_tests() {
    let folder = folder();
    let text = "#include <stdio.h>\n#include <string.h>\n#define strcpy USE_MEMCPY_INSTEAD\n\
                #define free(p) do_not_call(p)\n#define fclose(f) (fclose)(f)\n\
                int lines(const char *name)\n{\n    FILE *f = fopen(name, \"r\");\n    int c, n = 0;\n    \
                if (!f)\n        return -1;\n    while ((c = fgetc(f)) != EOF)\n        n += c == '\\n';\n    \
                fclose(f);\n    return n;\n}\n";
    let source = file(&folder, "a.c", text);
    let out = folder.path().join("out").display().to_string();
    let found = symcrete(&format!("gen {source} --json --time 20 --out {out}")).json();
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert_eq!(native["same"], native["tests"], "{native}");
}
