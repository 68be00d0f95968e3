//! Whenever `gen` is killed, its folder is valid, has every test that was announced, and can be resumed.
//!
//! The moments come from a seeded generator and are scaled to the run: after so many announcements, and a little
//! later. `bench/emit/kills.py` does the same more often and on more programs.

use super::{Done, command, file, finish, folder, symcrete};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use symcrete_term::{Rng, Seed};

const KILLS: u64 = 12;
/// Every so many folders are compiled and run before they are resumed.
const REPLAYED: u64 = 4;

/// The covered and infeasible sides of each function.
type Sides = BTreeMap<String, (u64, u64)>;

fn sides(found: &Json) -> Sides {
    let functions = found["functions"].as_array().expect("a list").iter();
    functions
        .map(|function| {
            let count = |key: &str| function["branches"][key].as_u64().expect("a number");
            let name = function["name"].as_str().expect("a name").to_string();
            (name, (count("covered"), count("infeasible")))
        })
        .collect()
}

fn generate(out: &Path, more: &str) -> Done {
    symcrete(&format!(
        "gen branches.c --length 3 --no-native --json --out {} {more}",
        out.display()
    ))
}

/// What a run announced before it ended, by test file.
struct Ended {
    announced: BTreeMap<String, usize>,
    code: Option<i32>,
}

/// Starts `gen` and sends a signal after so many announcements and a little time.
fn end_early(out: &Path, signal: Signal, n_lines: u64, rng: &mut Rng) -> Ended {
    let out = out.to_str().expect("temporary folders have plain names");
    let words = ["gen", "branches.c", "--length", "3", "--no-native", "--verbose", "--out", out];
    let mut command = command(&words);
    command.stderr(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let mut text = String::new();
    for _ in 0..n_lines {
        stderr.read_line(&mut text).expect("the log is text");
    }
    std::thread::sleep(Duration::from_micros(rng.below(3000)));
    // Until we wait for it the process keeps its number, also if it has ended.
    kill_process(Pid::from_child(&child), signal).expect("the process is ours");
    let code = child.wait().expect("the process is ours").code();
    stderr.read_to_string(&mut text).expect("the log is text");
    let mut announced = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [.., file, "has", n, "tests"] = words[..] {
            announced.insert(file.to_string(), n.parse().expect("a number"));
        }
    }
    Ended { announced, code }
}

#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn list<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

/// Everything that the suite names is there and whole.
fn valid_suite(out: &Path) -> Json {
    let suite: Json = serde_json::from_str(&read(&out.join("suite.json"))).expect("JSON");
    assert_eq!(suite["format"], 1);
    for unit in list(&suite, "units") {
        for reproducer in list(unit, "reproducers") {
            let text = read(&out.join(reproducer.as_str().expect("a path")));
            assert!(text.ends_with("}\n"), "{reproducer} is not whole: {text}");
        }
        if let Some(file) = unit["test_file"].as_str() {
            let text = read(&out.join(file));
            assert!(text.ends_with("}\n"), "{file} is not whole: {text}");
            for test in list(unit, "tests") {
                let name = test["name"].as_str().expect("a name");
                let is_there = text.contains(&format!("static void {name}("));
                let is_left_out = text.contains(&format!("{name} is left out"));
                assert!(is_there || is_left_out, "{name} is not in {file}: {text}");
            }
        }
    }
    suite
}

/// Every test that was announced is there. Of a function that is done, the tests with the same coverage are.
fn has_announced(suite: &Json, ended: &Ended, all: &Sides) {
    for (file, n) in &ended.announced {
        let name = file.trim_start_matches("tests/test_").trim_end_matches(".c");
        let unit = list(suite, "units").iter().find(|unit| unit["name"] == name);
        let unit = unit.unwrap_or_else(|| panic!("{file} is not in {suite}"));
        let tests = list(unit, "tests");
        if unit["search"]["ended"] == "running" || ended.code == Some(130) {
            assert!(tests.len() >= *n || ended.code == Some(130), "{n} tests announced: {unit}");
            continue;
        }
        let side =
            |edge: &Json| (edge["offset"].as_u64(), edge["case"].as_u64(), edge["taken"] == true);
        let taken: BTreeSet<_> =
            tests.iter().flat_map(|test| list(test, "coverage")).map(side).collect();
        let goals = list(&unit["search"], "goals").iter();
        let covered: Vec<_> = goals.filter(|goal| goal["state"] == "covered").map(side).collect();
        assert!(covered.iter().all(|side| taken.contains(side)), "{unit}");
        assert_eq!(covered.len() as u64, all[name].0, "{unit}");
    }
}

#[test]
fn a_killed_run_leaves_a_valid_folder_that_can_be_resumed() {
    let folder = folder();
    let whole = end_early(&folder.path().join("whole"), Signal::WINCH, 1000, &mut Seed(0).rng());
    let undisturbed = generate(&folder.path().join("undisturbed"), "").json();
    let all = sides(&undisturbed);
    let n_lines: u64 = 2 * whole.announced.len() as u64;
    let mut rng = Seed(6).rng();
    for i in 0..KILLS {
        let out = folder.path().join(i.to_string());
        let signal = if i % 4 == 3 { Signal::INT } else { Signal::KILL };
        let ended = end_early(&out, signal, rng.below(n_lines + 1), &mut rng);
        // A signal that comes before we listen ends us like any other program.
        let expected = [None, Some(0), (signal == Signal::INT).then_some(130)];
        assert!(expected.contains(&ended.code), "{:?}", ended.code);
        if out.join("suite.json").exists() {
            let suite = valid_suite(&out);
            has_announced(&suite, &ended, &all);
            if i % REPLAYED == 0 {
                symcrete(&format!("replay {}", out.display())).text();
            }
        } else {
            assert!(ended.announced.is_empty(), "{:?}", ended.announced);
        }
        assert_eq!(sides(&generate(&out, "--resume").json()), all, "kill {i}");
        valid_suite(&out);
        let again = generate(&out, "--resume").json();
        assert!(list(&again, "functions").iter().all(|function| function["executions"] == 0));
    }
}

#[test]
fn an_interrupt_writes_what_was_found_and_says_how_to_go_on() {
    /// As many paths as anybody could want, and a side that no quick proof excludes.
    const MANY: &str = "\
int many(const unsigned char *data, int n)
{
    int odd = 0;

    for (int i = 0; i < n; i++)
        if (data[i] & 1)
            odd++;
    return odd == 77;
}
";
    let folder = folder();
    let out = folder.path().join("out");
    let source = file(&folder, "many.c", MANY);
    let words = format!(
        "gen {source} --strategy dfs --length 64 --no-native --verbose --out {}",
        out.display()
    );
    let mut command = command(&words.split_whitespace().collect::<Vec<_>>());
    command.stderr(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let mut text = String::new();
    while !text.contains(" tests") {
        assert!(stderr.read_line(&mut text).expect("the log is text") > 0, "{text}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).expect("the process is ours");
    stderr.read_to_string(&mut text).expect("the log is text");
    let output = child.wait_with_output().expect("the process is ours");
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("to continue, run the same command with --resume"), "{text}");
    assert_eq!(valid_suite(&out)["units"][0]["search"]["ended"], json!("interrupted"));
}

#[test]
fn what_a_kill_left_half_written_goes_with_the_next_run() {
    let folder = folder();
    let out = folder.path().join("out");
    generate(&out, "").text();
    let drafts =
        [out.join(".suite.json.symcrete.draft"), out.join("tests/.test_magic.c.symcrete.draft")];
    for draft in &drafts {
        std::fs::copy(out.join("lcov.info"), draft).expect("the folder is ours");
    }
    generate(&out, "--resume").text();
    assert!(drafts.iter().all(|draft| !draft.exists()));
    // A folder in which nothing was finished is as good as none.
    let begun = folder.path().join("begun");
    std::fs::create_dir(&begun).expect("the folder is ours");
    std::fs::copy(out.join("lcov.info"), begun.join(".suite.json.symcrete.draft"))
        .expect("it is ours");
    let mut command =
        command(&["gen", "branches.c", "--function", "magic", "--no-native", "--out"]);
    command.arg(&begun);
    finish(command).text();
}
