//! Pointers to functions in inputs: what is claimed behind calls of them, and what `run` says of them. (What tests do with
//! them natively, `tests/cases/emit/native/callbacks.c` shows.)

use super::{Json, file, folder, function, run, symcrete};

/// Whether a side is infeasible within a bound, and none without.
fn is_within(function: &Json, bound: &str) -> bool {
    let sides = function["within_bounds"].as_array().expect("a list");
    let is_named =
        |side: &Json| side["bounds"].as_array().is_some_and(|all| all.contains(&Json::from(bound)));
    function["branches"]["infeasible"] == 0 && sides.iter().any(is_named)
}

#[test]
fn what_real_callbacks_could_do_is_a_bound() {
    let found = symcrete("gen --no-out --json --time 20 callbacks.c").json();
    for (name, bound) in [
        ("changed", "undefined functions only fill their arguments"),
        ("is_own", "no aliasing"),
        ("is_same", "no aliasing"),
        ("after", "undefined functions only fill their arguments"),
        ("ninth", "no callbacks"),
    ] {
        let function = function(&found, name);
        assert!(is_within(function, bound), "{name}: {function}");
    }
    // What it writes through its argument is an input.
    let moved = function(&found, "moved");
    assert_eq!(moved["branches"]["covered"], moved["branches"]["total"], "{moved}");
    // What comes before any call needs no bound.
    let never = function(&found, "never");
    assert_eq!(never["branches"]["infeasible"], 1, "{never}");
    // What the pointers of callers could point to counts too: `own` is one of these.
    let unchecked = function(&found, "unchecked");
    assert_eq!(unchecked["branches"]["covered"], 2, "{unchecked}");
    assert!(is_within(unchecked, "no aliasing"), "{unchecked}");
    assert_eq!(found["bugs"], Json::Array(vec![]), "a caller passes a function");
}

#[test]
fn null_is_called_where_that_is_asked_for() {
    let words = "gen --no-out --json --check null callbacks.c --function unchecked";
    let bugs = symcrete(words).json()["bugs"].clone();
    let kinds: Vec<&Json> =
        bugs.as_array().expect("a list").iter().map(|bug| &bug["kind"]).collect();
    assert_eq!(kinds, ["call of a null function"], "{bugs}");
}

#[test]
fn results_have_the_name_of_their_pointer() {
    let words = "callbacks.c --json --function unchecked";
    let result = |input: &str| run(words, input).json()["outcome"]["value"].clone();
    assert_eq!(result(r#"{"(*f)()": [4]}"#), 1);
    assert_eq!(result(r#"{"f": true, "(*f)()": [3]}"#), 0);
    let null = run(words, r#"{"f": null}"#).json();
    assert_eq!(null["outcome"]["kind"], "failed", "{null}");
    let complaint = run(words, r#"{"(*g)()": [4]}"#).complaint(2);
    assert!(complaint.contains("there is no `(*g)()`"), "{complaint}");
    assert!(complaint.contains("(*f)()"), "{complaint}");
}

/// Reports what it reads, and compares by the library's `qsort`.
const REPORTS: &str = r#"
#include <stdlib.h>
extern void put(const void *data, size_t n);
struct event { int kind; const char *name; };

int pairs(const char *text, int (*handler)(void *user, const char *name, int line), void *user)
{
    int line = 1, n = 0;
    for (; *text; text++)
        if (*text == '=')
            n += handler(user, text + 1, line) > 0;
        else if (*text == '\n')
            line++;
    return n;
}

void frame(unsigned char kind, const char *text, size_t n)
{
    put(&kind, 1);
    put(text, n > 4 ? 4 : n);
}

/* The addresses in an event are others on each machine. */
void announce(int kind, const char *name)
{
    struct event event = {kind, name};
    if (kind > 3)
        put(&event, sizeof event);
}

/* How often the library compares is its own affair. */
int sorted(int *numbers, int (*compare)(const void *, const void *))
{
    qsort(numbers, 3, sizeof *numbers, compare);
    return numbers[0] == 7;
}
"#;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "tests look at what was written, and change a source"
)]
fn tests_check_what_functions_are_given() {
    let folder = folder();
    let source = file(&folder, "reports.c", REPORTS);
    let out = folder.path().join("out");
    let done = symcrete(&format!("gen {source} --json --seed 2 --out {}", out.display()));
    assert_eq!(done.json()["native"]["failed"], Json::Array(vec![]), "{}", done.json());
    let tests = |name: &str| {
        std::fs::read_to_string(out.join(format!("tests/test_{name}.c"))).expect("it was written")
    };
    assert!(tests("pairs").contains("CHECK_CALLS(\"callback_handler("), "{}", tests("pairs"));
    assert!(tests("frame").contains(r#""put('\\x00', 1)\n""#), "{}", tests("frame"));
    assert!(
        tests("announce").contains("CHECK_CALLS(\"put(pointer, 16)\\n\")"),
        "{}",
        tests("announce")
    );
    assert!(!tests("sorted").contains("CHECK_CALLS"), "{}", tests("sorted"));

    // A caller that is told another line has another program.
    std::fs::write(&source, REPORTS.replace("text + 1, line)", "text + 1, line + 1)"))
        .expect("the folder is ours");
    let replayed = symcrete(&format!("replay {} --json", out.display()));
    assert_eq!(replayed.code, Some(1), "{}", replayed.stderr);
    let replayed: Json = serde_json::from_str(&replayed.stdout).expect("JSON");
    let failed = replayed["failed"].to_string();
    assert!(failed.contains("test_pairs_"), "{replayed}");
    assert!(!failed.contains("test_frame_"), "{replayed}");
}
