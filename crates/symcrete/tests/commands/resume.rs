//! `gen --resume`: what was done is not done again, and only what still holds is taken over.

use super::{Done, command, file, finish, folder};
use serde_json::{Value as Json, json};
use std::path::Path;

const SOURCE: &str = "\
int magic(int x)
{
    if (x * 7 == 693)
        return 1;
    return 0;
}

int impossible(unsigned char x)
{
    if (x % 3 == 1)
        if (x % 9 == 2)
            return 1;
    return 0;
}
";

/// Runs `gen` on `source.c` in a folder.
fn generate(folder: &Path, more: &str) -> Done {
    let words = format!("gen source.c --no-native --json {more}");
    let mut command = command(&words.split_whitespace().collect::<Vec<_>>());
    command.current_dir(folder);
    finish(command)
}

/// Name, covered sides, runs, solver calls, whether it was taken over.
fn summary(done: &Done) -> Vec<(String, u64, u64, u64, bool)> {
    let found = done.json();
    let functions = found["functions"].as_array().expect("a list").iter();
    functions
        .map(|function| {
            let count = |json: &Json| json.as_u64().expect("a number");
            (
                function["name"].as_str().expect("a name").to_string(),
                count(&function["branches"]["covered"])
                    + count(&function["branches"]["infeasible"]),
                count(&function["executions"]) + count(&function["burst_runs"]),
                count(&function["solver_calls"]),
                function["taken_over"] == true,
            )
        })
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "tests change what the binary reads")]
fn edit_suite(folder: &Path, edit: impl FnOnce(&mut Json)) {
    let path = folder.join("symcrete-out/suite.json");
    let bytes = std::fs::read(&path).expect("the suite was written");
    let mut suite: Json = serde_json::from_slice(&bytes).expect("JSON");
    edit(&mut suite);
    std::fs::write(&path, suite.to_string()).expect("the folder is ours");
}

#[test]
fn functions_that_are_done_are_not_explored_again() {
    let folder = folder();
    file(&folder, "source.c", SOURCE);
    let first = generate(folder.path(), "");
    assert!(summary(&first).iter().all(|row| row.2 > 0 && !row.4), "{}", first.stdout);
    let suite = || std::fs::read(folder.path().join("symcrete-out/suite.json")).expect("a suite");
    let before = suite();
    let done = generate(folder.path(), "--resume");
    assert_eq!(
        summary(&done),
        [("magic".to_string(), 2, 0, 0, true), ("impossible".to_string(), 4, 0, 0, true)]
    );
    assert_eq!(suite(), before);
    for key in ["branches", "tests", "uncovered", "exhaustive", "ended"] {
        assert_eq!(done.json()["functions"][1][key], first.json()["functions"][1][key], "{key}");
    }
}

#[test]
fn functions_that_are_not_named_stay_as_they_are() {
    let folder = folder();
    file(&folder, "source.c", SOURCE);
    generate(folder.path(), "--function magic").text();
    let done = generate(folder.path(), "--function impossible --resume");
    assert!(summary(&done).iter().all(|row| row.0 == "impossible" && !row.4));
    let done = generate(folder.path(), "--resume");
    assert!(summary(&done).iter().all(|row| row.4), "{}", done.stdout);
}

#[test]
fn a_search_that_was_cut_short_goes_on_from_its_inputs() {
    let folder = folder();
    file(&folder, "source.c", SOURCE);
    generate(folder.path(), "").text();
    edit_suite(folder.path(), |suite| {
        for unit in suite["units"].as_array_mut().expect("a list") {
            unit["search"]["ended"] = json!("time");
        }
    });
    let done = generate(folder.path(), "--resume");
    // The tests of before cover all that can be covered; what is infeasible need not be proved again.
    let rows = summary(&done);
    assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), [2, 4], "{}", done.stdout);
    assert!(rows.iter().all(|row| row.2 <= 3 && row.3 == 0 && !row.4), "{rows:?}");
    assert!(done.json()["functions"][0]["earlier_executions"].as_u64() > Some(0));
}

#[test]
fn what_was_proved_holds_for_the_same_question_only() {
    let folder = folder();
    file(&folder, "source.c", SOURCE);
    // A suite that lies about the easy side.
    let lie = |suite: &mut Json| {
        let goals = suite["units"][0]["search"]["goals"].as_array_mut().expect("a list");
        for goal in goals {
            if goal["holds"] == true {
                goal["state"] = json!("infeasible");
            }
        }
        suite["units"][0]["search"]["ended"] = json!("time");
        suite["units"][0]["tests"].as_array_mut().expect("a list").truncate(1);
    };
    let rows: &[(&str, u64)] =
        &[("--length 5", 0), ("--pointer-depth 1", 0), ("--globals", 0), ("--check null", 0)];
    for (options, infeasible) in rows {
        generate(folder.path(), "--force --function magic").text();
        edit_suite(folder.path(), lie);
        let done = generate(folder.path(), &format!("--resume --function magic {options}"));
        let branches = &done.json()["functions"][0]["branches"];
        assert_eq!(branches["infeasible"], *infeasible, "{options}: {branches}");
        assert_eq!(branches["covered"], 2, "{options}: {branches}");
        let said = done.complaint(0);
        assert!(said.contains("other options or by another version"), "{options}: {said}");
    }
    // Another way of searching asks the same question, but may find more.
    generate(folder.path(), "--force").text();
    let done = generate(folder.path(), "--resume --seed 9");
    assert!(summary(&done).iter().all(|row| !row.4 && row.3 == 0), "{}", done.stdout);
}

#[test]
fn a_changed_program_is_explored_again_from_the_inputs_of_before() {
    let folder = folder();
    file(&folder, "source.c", SOURCE);
    generate(folder.path(), "").text();
    let changed = SOURCE.replace("x * 7 == 693", "x * 7 == 700").replace("impossible", "renamed");
    file(&folder, "source.c", &changed);
    let done = generate(folder.path(), "--resume");
    let rows = summary(&done);
    assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), [2, 4], "{}", done.stdout);
    assert!(rows.iter().all(|row| !row.4), "{rows:?}");
    let said = done.complaint(0);
    assert!(said.contains("`symcrete-out` is about another version of the program"), "{said}");
    assert!(said.contains("`impossible` is no longer in the program"), "{said}");
    let mut command = command(&["replay"]);
    command.current_dir(folder.path());
    finish(command).text();
}

#[test]
fn tests_that_cannot_be_read_are_named() {
    let folder = folder();
    file(&folder, "source.c", SOURCE);
    generate(folder.path(), "").text();
    edit_suite(folder.path(), |suite| {
        suite["units"][0]["tests"][0]["cells"]["x"] = json!("bv32 twelve");
    });
    let done = generate(folder.path(), "--resume");
    let said = done.complaint(0);
    assert!(said.contains("a test of `magic` is left out: `x` cannot be "), "{said}");
    assert_eq!(summary(&done)[0].1, 2);
}

#[test]
fn suites_that_cannot_be_resumed_are_refused() {
    let folder = folder();
    file(&folder, "source.c", SOURCE);
    generate(folder.path(), "").text();
    let said = generate(folder.path(), "--resume --framework unity").complaint(2);
    assert!(said.contains("resume with --framework plain, or start anew with --force"), "{said}");
    edit_suite(folder.path(), |suite| suite["format"] = json!(99));
    let said = generate(folder.path(), "--resume").complaint(2);
    assert!(said.contains("has format 99, this version reads format 1: start anew"), "{said}");
    generate(folder.path(), "--force").text();
}

/// There is no time to run the tests again, and they still hold.
#[test]
fn a_search_without_time_loses_no_test() {
    let folder = folder();
    let source = "unsigned mixed(unsigned x)\n{\n    unsigned y = x;\n    for (int i = 0; i < 64; i++)\n        y = (y ^ (y >> 15)) * 0x2c1b3c6du + i;\n\
        \x20   if (y == 0x1234567 && x == 77)\n        return 3;\n    if (x == 0x7654321)\n        return 1;\n    return x % 1000 == 999 ? 2 : 0;\n}\n";
    file(&folder, "source.c", source);
    let covered = |done: &Done| {
        let found = done.json();
        found["functions"][0]["branches"]["covered"].as_u64().expect("a number")
    };
    let before = covered(&generate(folder.path(), "--time 5 --no-backward"));
    assert!(before >= 6, "{before}");
    let after = generate(folder.path(), "--resume --time 0.001 --no-backward");
    assert_eq!(covered(&after), before, "{}", after.stdout);
}
