//! The real binary on C programs: `run`, `functions`, `cfg`, `gen`, and what it says about bad input.

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Compiled programs are shared by the tests of this process.
fn cache() -> &'static Path {
    static CACHE: OnceLock<TempDir> = OnceLock::new();
    CACHE.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path()
}

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/cli").join(name)
}

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

#[expect(clippy::disallowed_methods, reason = "tests of the binary run it")]
fn symcrete(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symcrete"));
    command.args(words).env("SYMCRETE_CACHE", cache());
    command
}

fn output(mut command: Command) -> Output {
    command.output().expect("the binary starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn on(file: &Path, command: &str, words: &[&str]) -> Output {
    let mut all = vec![command, file.to_str().expect("paths are text")];
    all.extend_from_slice(words);
    output(symcrete(&all))
}

fn run_json(file: &str, function: &str, input: &str, words: &[&str]) -> Json {
    let mut all = vec!["--function", function, "--input", input, "--json"];
    all.extend_from_slice(words);
    let output = on(&case(file), "run", &all);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

fn gen_json(file: &Path, words: &[&str]) -> Json {
    let mut all = vec!["--no-out", "--json", "--time", "30"];
    all.extend_from_slice(words);
    let output = on(file, "gen", &all);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

#[test]
fn inputs_of_every_kind_reach_the_function() {
    let rows = [
        ("scalars", r#"{"c": -5, "u": 65535, "l": 1099511627776, "f": 0.5, "b": true}"#, 1),
        ("shades", r#"{"s": "DARK"}"#, 1),
        ("shades", r#"{"s": 3}"#, 0),
        ("by_value", r#"{"p": {"x": 4, "y": 2.5}, "w": {"whole": 9}}"#, 1),
        ("by_bits", r#"{"k": {"at": 5}}"#, 1),
        ("by_pointer", r#"{"n": null}"#, -1),
        (
            "by_pointer",
            r#"{"n": {"at": {"x": 5}, "flag": 6, "rest": 17, "next": {"at": {"x": 8}}}}"#,
            1,
        ),
        ("total", r#"{"values": [1, 2, 3]}"#, 6),
        ("total", r#"{"values": [1, 2, 3], "len": 2}"#, 3),
        ("text", r#"{"s": "hi"}"#, 1),
        ("text", r#"{"s": "hit"}"#, 0),
        ("hidden", r#"{"x": 3}"#, 3),
        ("read_twice", r#"{"next_value()": [4, 5]}"#, 1),
    ];
    for (function, input, expected) in rows {
        let json = run_json("kinds.c", function, input, &[]);
        assert_eq!(json["outcome"]["value"], expected, "{function} {input}: {json}");
    }
    let json = run_json("kinds.c", "limited", r#"{"x": 5, "global_limit": 6}"#, &["--globals"]);
    assert_eq!(json["outcome"]["value"], 0, "{json}");
}

#[test]
fn the_path_condition_is_as_the_source_has_it() {
    let words = ["--function", "mixed", "--input", r#"{"a": 13, "b": 2}"#];
    let text = stdout(&on(&case("kinds.c"), "run", &words));
    assert!(text.contains("a > 10 → true"), "{text}");
    assert!(text.contains("a * a == 169 → true"), "{text}");
    assert!(text.contains("returned 1"), "{text}");
    let text = stdout(&on(&case("kinds.c"), "run", &["--function", "mixed"]));
    assert!(text.contains("a > 10 → false") && text.contains("returned 2"), "{text}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn a_path_condition_can_be_solved_again() {
    let words = ["--function", "mixed", "--input", r#"{"a": 13, "b": 2}"#, "--smt2", "-"];
    let script = stdout(&on(&case("kinds.c"), "run", &words));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("path.smt2");
    std::fs::write(&file, script).expect("the folder is ours");
    let solved = on(&file, "solve", &[]);
    assert_eq!(stdout(&solved).trim(), "sat", "{}", stderr(&solved));
}

#[test]
fn programs_and_harnesses_run_as_they_are() {
    let json = run_json("program.c", "main", r#"{"argc": 2, "argv": ["program", "go"]}"#, &[]);
    assert_eq!(json["outcome"]["value"], 7, "{json}");
    let json = run_json("program.c", "main", r#"{"stdin": "on\n"}"#, &[]);
    assert_eq!(json["outcome"]["value"], 8, "{json}");
    let json = gen_json(&case("harness_klee.c"), &[]);
    assert_eq!(json["bugs"][0]["kind"], "assertion failed", "{json}");
    assert_eq!(json["functions"][0]["branches"]["open"], 0, "{json}");
    let json = gen_json(&case("harness_svcomp.c"), &[]);
    assert_eq!(json["bugs"][0]["kind"], "error reached", "{json}");
}

#[test]
fn checks_name_kind_and_line() {
    let rows = [
        ("overflow", "add", r#"{"a": 2147483647, "b": 1}"#),
        ("bounds", "at", r#"{"i": 4}"#),
        ("shift", "shift", r#"{"x": 1, "n": 40}"#),
        ("null", "deref", r#"{"p": null}"#),
        ("float-cast", "cast", r#"{"d": 1e30}"#),
    ];
    for (line, (check, function, input)) in rows.into_iter().enumerate() {
        let json = run_json("checked.c", function, input, &["--check", check]);
        let outcome = &json["outcome"];
        assert_eq!(outcome["kind"], "failed", "{json}");
        let reason = outcome["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(check) || reason.contains("null"), "{check}: {reason}");
        let place = outcome["place"].as_str().unwrap_or_default();
        assert!(place.ends_with(&format!("checked.c:{}", line + 1)), "{check}: {place}");
    }
}

#[test]
fn functions_are_listed_with_what_is_not_supported() {
    let text = stdout(&on(&case("kinds.c"), "functions", &[]));
    assert!(text.contains("static int hidden(int x)"), "{text}");
    assert!(text.contains("int total(const int *values, size_t len)"), "{text}");
    assert!(text.contains("long double is 16 bytes wide"), "{text}");
    let lines = stdout(&on(&case("kinds.c"), "functions", &["--json"]));
    let all: Vec<Json> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let wide = all.iter().find(|function| function["name"] == "wide").expect("it is there");
    assert_eq!(wide["supported"], false);
}

#[test]
fn control_flow_is_drawn() {
    let svg = stdout(&on(&case("kinds.c"), "cfg", &["--function", "mixed"]));
    assert!(svg.starts_with("<svg") && svg.contains("a &gt; 10"), "{svg}");
    let dot = stdout(&on(&case("kinds.c"), "cfg", &["--function", "mixed", "--format", "dot"]));
    assert!(dot.starts_with("digraph"), "{dot}");
}

#[test]
fn every_strategy_covers_small_functions() {
    for strategy in ["auto", "dfs", "bfs", "random", "cfg", "generational"] {
        let json = gen_json(&corpus("trityp.c"), &["--strategy", strategy]);
        let branches = &json["functions"][0]["branches"];
        assert_eq!(branches["open"], 0, "{strategy}: {json}");
    }
}

#[test]
fn parts_of_the_chain_can_be_left_out() {
    for part in
        ["slices", "cache", "intervals", "tiny", "guesses", "partial", "cores", "bursts", "batch"]
    {
        let json = gen_json(&corpus("dart.c"), &["--without", part]);
        assert_eq!(json["functions"][0]["branches"]["open"], 0, "{part}: {json}");
    }
}

#[test]
fn merged_counters_do_not_cost_all_paths() {
    let json = gen_json(&corpus("diamonds.c"), &[]);
    assert_eq!(json["functions"][0]["branches"]["open"], 0, "{json}");
}

#[test]
fn infeasible_sides_are_proved_and_failures_found() {
    let json = gen_json(&corpus("stat.c"), &[]);
    assert_eq!(json["functions"][0]["branches"]["infeasible"], 6, "{json}");
    let json = gen_json(&case("kinds.c"), &["--function", "hidden"]);
    assert_eq!(json["bugs"][0]["kind"], "division by zero", "{json}");
    let json = gen_json(&case("checked.c"), &["--function", "deref"]);
    assert_eq!(json["bugs"].as_array().map(Vec::len), Some(0), "{json}");
    let json = gen_json(&case("checked.c"), &["--function", "deref", "--check", "null"]);
    assert_eq!(json["bugs"].as_array().map(Vec::len), Some(1), "{json}");
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let strip = |mut json: Json| {
        for function in json["functions"].as_array_mut().expect("a list") {
            let map = function.as_object_mut().expect("an object");
            map.retain(|key, _| !key.ends_with("_ms"));
        }
        json
    };
    let words = ["--function", "mixed", "--function", "text", "--function", "total"];
    let one = strip(gen_json(&case("kinds.c"), &[&words[..], &["--jobs", "1"]].concat()));
    let two = strip(gen_json(&case("kinds.c"), &[&words[..], &["--jobs", "2"]].concat()));
    assert_eq!(one, two);
}

#[test]
fn hopeless_programs_end_and_say_why() {
    let text = stdout(&on(&case("contradiction.c"), "gen", &["--no-out"]));
    assert!(text.contains("no input satisfies its assumptions"), "{text}");
    let words = ["--no-out", "--function", "endless", "--time", "3", "--fuel", "10000"];
    assert_eq!(code(&on(&case("kinds.c"), "gen", &words)), 0);
    let words = ["--no-out", "--function", "mixed", "--time", "0"];
    assert_eq!(code(&on(&case("kinds.c"), "gen", &words)), 0);
}

#[test]
fn tests_are_written_proved_and_resumed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let generate = |words: &[&str]| {
        let file = corpus("trityp.c");
        let mut command = symcrete(&["gen", file.to_str().expect("paths are text")]);
        command.args(words).current_dir(folder.path());
        output(command)
    };
    let first = generate(&[]);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    assert!(stdout(&first).contains("gave the same result"), "{}", stdout(&first));
    let out = folder.path().join("symcrete-out");
    for file in ["tests/test_trityp.c", "suite.json", "lcov.info"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    let again = generate(&[]);
    assert_eq!(code(&again), 2, "an existing folder is not touched");
    assert!(stderr(&again).contains("--resume"), "{}", stderr(&again));
    for words in [["--resume"], ["--force"]] {
        let output = generate(&words);
        assert_eq!(code(&output), 0, "{words:?}: {}", stderr(&output));
    }
    let failing = generate(&["--force", "--min-coverage", "101", "--no-native"]);
    assert_eq!(code(&failing), 1, "{}", stderr(&failing));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("the folder is ours");
        file
    };
    let broken = write("broken.c", "int f(int x) { return y; }\n");
    let no_header = write("header.c", "#include \"nowhere.h\"\nint f(void) { return 1; }\n");
    let other = write("other.cpp", "int f() { return 1; }\n");
    let callback = write("callback.c", "int f(int (*g)(long double)) { return g(1); }\n");
    let kinds = case("kinds.c");
    let rows: &[(&Path, &str, &[&str], i32, &str)] = &[
        (&broken, "run", &[], 2, "undeclared identifier 'y'"),
        (&no_header, "functions", &[], 2, "-I"),
        (&other, "gen", &["--no-out"], 2, "only C is supported"),
        (&callback, "gen", &["--no-out"], 2, "no function can be made"),
        (Path::new("missing.c"), "run", &[], 2, "no such file"),
        (&kinds, "run", &["--function", "scalar"], 2, "scalars"),
        (&kinds, "run", &["--function", "text", "--input", r#"{"t": "x"}"#], 2, "known names: s"),
        (&kinds, "run", &["--function", "shades", "--input", r#"{"s": "PINK"}"#], 2, "`s` is"),
        (&kinds, "run", &["--function", "mixed", "--input", r#"{"a": 3e9}"#], 2, "integer"),
        (&kinds, "run", &["--function", "mixed", "--input", "{"], 2, "--input"),
        (&kinds, "run", &["--function", "wide"], 2, "long double"),
        (&kinds, "run", &[], 2, "which function"),
        (&kinds, "gen", &["--no-out", "--strategy", "best"], 2, "best"),
        (&kinds, "gen", &["--no-out", "--solver", "best"], 2, "best"),
        (&kinds, "gen", &["--no-out", "--without", "all"], 2, "unknown part `all`"),
        (&kinds, "run", &["--check", "all"], 2, "unknown check"),
    ];
    for (file, command, words, exit, part) in rows {
        let output = on(file, command, words);
        assert_eq!(code(&output), *exit, "{file:?} {words:?}: {}", stderr(&output));
        let text = stderr(&output);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(part), "{file:?} {words:?}: {text}");
    }
    let mut command = symcrete(&["run", kinds.to_str().expect("paths are text")]);
    command.env("PATH", folder.path());
    let output = output(command);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("clang-19"), "{}", stderr(&output));
}
