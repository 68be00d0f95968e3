//! What can fail is never dropped, and a failure has the rank that a run on this machine gives it.

use super::{Json, symcrete};

fn bugs(found: &Json, function: &str) -> Vec<(String, String)> {
    let text = |bug: &Json, key: &str| bug[key].as_str().unwrap_or("none").to_string();
    let bugs = found["bugs"].as_array().expect("a list").iter();
    let bugs = bugs.filter(|bug| bug["function"] == function);
    bugs.map(|bug| (text(bug, "kind"), text(bug, "rank"))).collect()
}

#[test]
fn failures_are_kept_and_ranked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().display();
    let done = symcrete(&format!("gen --json --time 20 --jobs 2 --out {out}/out effects.c"));
    let found = done.json();
    let expected: &[(&str, &str, &str)] = &[
        ("unused_read", "null pointer dereferenced", "precondition"),
        ("always_holds", "null pointer dereferenced", "precondition"),
        ("unused_quotient", "division by zero", "native"),
        ("unused_remainder", "division by zero", "native"),
        ("over_the_end", "access outside any object", "precondition"),
        ("over_the_told_end", "access outside any object", "native"),
        ("over_any_told_end", "access outside any object", "native"),
        ("over_the_seen_end", "access outside any object", "precondition"),
        ("too_little_room", "access outside any object", "precondition"),
    ];
    for (function, kind, rank) in expected {
        let bugs = bugs(&found, function);
        let wanted = ((*kind).to_string(), (*rank).to_string());
        assert!(bugs.contains(&wanted), "{function}: {bugs:?}");
    }
    assert_eq!(bugs(&found, "folded"), []);
    // A null pointer, or a list that is shorter than the number beside it, is what the words say.
    let needs = |function: &str| {
        let bugs = found["bugs"].as_array().expect("a list");
        let bug = bugs.iter().find(|bug| bug["function"] == function).expect("it fails");
        bug["needs"].as_str().unwrap_or_default().to_string()
    };
    assert_eq!(needs("unused_read"), "`p` is NULL");
    assert!(needs("over_the_end").starts_with("`list` has"), "{}", needs("over_the_end"));
    // What was recorded is what happens here.
    assert_eq!(found["native"]["failed"], serde_json::json!([]), "{}", found["native"]);
}

#[test]
fn failures_that_need_a_precondition_are_folded_away() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().display();
    let command = "gen --time 20 effects.c --function over_the_end --function unused_quotient";
    let short = symcrete(&format!("{command} --out {out}/a")).stdout;
    assert!(short.contains("1 failure needs an input that callers may never give"), "{short}");
    assert!(short.contains("effects.c:24: division by zero\n"), "{short}");
    let long = symcrete(&format!("{command} -v --out {out}/b")).stdout;
    assert!(long.contains("over_the_end: `list` has"), "{long}");
}

/// Only failures that this machine shows, on inputs that any caller can give, end a build.
#[test]
fn only_native_failures_count_as_bugs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().display();
    let command = |function: &str, folder: &str| {
        symcrete(&format!(
            "gen --time 20 --fail-on bugs effects.c --function {function} --out {out}/{folder}"
        ))
    };
    assert_eq!(command("over_the_end", "a").code, Some(0));
    assert_eq!(command("unused_quotient", "b").code, Some(1));
}

#[test]
fn the_only_label_of_a_constant_switch_is_no_condition() {
    let done = symcrete("gen --no-out --json --time 20 effects.c --function folded");
    let found = done.json();
    assert_eq!(found["functions"][0]["branches"]["total"], 8, "{found}");
}
