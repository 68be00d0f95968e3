//! Objects that the program's own functions make: what is found through them, what tests look like, and what is claimed.

use super::{Json, folder, function, run, symcrete};
use std::path::Path;

/// Generates tests and proves them natively.
fn generate(out: &Path, words: &str) -> Json {
    symcrete(&format!("gen --json --iterations 400 --length 5 --out {} {words}", out.display()))
        .json()
}

/// The tests of a function as they were written.
#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn tests_of(out: &Path, function: &str) -> String {
    let file = out.join(format!("tests/test_{function}.c"));
    std::fs::read_to_string(file).expect("the function has tests")
}

fn counts(found: &Json, name: &str) -> (u64, u64) {
    let branches = &function(found, name)["branches"];
    let count = |key: &str| branches[key].as_u64().expect("a number");
    (count("covered"), count("total"))
}

/// Every test does natively what was recorded.
fn is_proved(found: &Json) {
    let native = &found["native"];
    assert!(native["passed"].as_u64().is_some_and(|n| n > 0), "{native}");
    assert_eq!(native["failed"], Json::Array(vec![]), "{native}");
    assert_eq!(native["sides_differ"], 0, "{native}");
}

#[test]
fn a_list_is_made_by_its_own_functions() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/list.c");
    is_proved(&found);
    assert_eq!(counts(&found, "list_find"), (6, 6));
    // What contradicts itself cannot be made, and that is no proof for other callers.
    let kind = function(&found, "list_kind");
    assert_eq!(kind["branches"]["infeasible"], 0, "{kind}");
    assert_eq!(kind["branches"]["covered"], 8, "{kind}");
    for side in kind["within_bounds"].as_array().expect("a list") {
        assert!(side["bounds"].to_string().contains("objects made by calls"), "{side}");
    }
    assert_eq!(kind["calls"], serde_json::json!(["list_create", "list_push", "list_find"]));
    // The only failure is one that any caller can have.
    let text = |bug: &Json, key: &str| bug[key].as_str().unwrap_or_default().to_string();
    let bugs = found["bugs"].as_array().expect("a list").iter();
    let bugs: Vec<_> = bugs.map(|bug| (text(bug, "place"), text(bug, "rank"))).collect();
    assert_eq!(bugs, [("api/list.c:46".to_string(), "native".to_string())]);
    let text = tests_of(&out, "list_kind");
    assert!(text.contains("struct list *list = list_create();\n    list_push(list, "), "{text}");
    assert!(text.contains("list_destroy(list);"), "{text}");
    for member in ["->length = ", ".length = ", ".first"] {
        assert!(!text.contains(member), "{member} in {text}");
    }
}

#[test]
fn what_a_call_does_to_an_object_is_compared() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/effects.c");
    is_proved(&found);
    let push = tests_of(&out, "queue_push");
    for check in ["queue->n == ", "queue->sums[0] == ", "queue->first->value == "] {
        assert!(push.contains(check), "{check} is not in {push}");
    }
    let name = r#"CHECK(strcmp(queue->name, "q") == 0);"#;
    let rename = tests_of(&out, "queue_rename");
    assert!(rename.contains(name), "{rename}");
    // Nobody looks at what was freed, nor at an object that is gone.
    let forget = tests_of(&out, "queue_forget");
    assert!(forget.contains("CHECK(queue->n == 0);"), "{forget}");
    assert!(!forget.contains("queue->last->"), "{forget}");
    assert!(!tests_of(&out, "queue_destroy").contains("CHECK(queue"));
}

#[test]
fn what_a_maker_is_given_has_preconditions_too() {
    let folder = folder();
    let found = generate(&folder.path().join("out"), "api/borrowed.c");
    is_proved(&found);
    let bugs = found["bugs"].as_array().expect("a list");
    let is_native = |bug: &&Json| bug["rank"] == "native";
    let native: Vec<&Json> = bugs.iter().filter(is_native).collect();
    let [bug] = native[..] else { panic!("{bugs:?}") };
    assert_eq!(bug["place"], "api/borrowed.c:46", "{bug}");
    let needs = bugs.iter().filter_map(|bug| bug["needs"].as_str());
    let needs: Vec<&str> = needs.collect();
    assert!(!needs.is_empty(), "{bugs:?}");
    assert!(needs.iter().all(|needs| needs.starts_with("`start` has ")), "{needs:?}");
    assert!(needs.iter().any(|needs| needs.contains(" bytes, and `room` is ")), "{needs:?}");
}

#[test]
fn a_parser_that_calls_back_is_run_before_it_is_asked() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/fields.c");
    is_proved(&found);
    assert_eq!(counts(&found, "fields_end"), (4, 4));
    let calls = function(&found, "fields_end")["calls"].to_string();
    assert!(calls.contains("fields_parse") && !calls.contains("allocator"), "{calls}");
}

#[test]
fn a_handle_that_only_a_header_declares_is_made_in_other_files() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/stack.c api/stack_user.c");
    is_proved(&found);
    assert_eq!(
        found["skipped"],
        Json::Array(vec![]),
        "the type is opaque, and yet there are objects"
    );
    assert_eq!(counts(&found, "is_one_more"), (4, 4));
    for name in ["stack_push", "stack_pop"] {
        let (covered, total) = counts(&found, name);
        assert_eq!(covered, total, "{name}");
    }
    assert_eq!(found["bugs"], Json::Array(vec![]));
    let text = tests_of(&out, "is_one_more");
    assert!(text.contains("stack *s = stack_new("), "{text}");
    assert!(text.contains("stack_free(s);"), "{text}");
}

#[test]
fn an_object_that_is_initialised_is_a_variable_of_the_test() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/counter.c");
    is_proved(&found);
    let state = function(&found, "counter_state");
    assert_eq!(state["branches"]["covered"], 6, "{state}");
    let text = tests_of(&out, "counter_state");
    assert!(text.contains("struct counter c;\n    counter_init(&c, "), "{text}");
    assert!(!text.contains("c.total"), "{text}");
    // The initialiser itself gets memory that nobody has looked at.
    let text = tests_of(&out, "counter_init");
    assert!(text.contains("struct counter c = {"), "{text}");
}

#[test]
fn a_typedef_of_a_pointer_is_a_type_of_objects() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/text.c");
    is_proved(&found);
    assert_eq!(found["bugs"], Json::Array(vec![]), "strings have their headers");
    for name in ["text_length", "text_cat", "text_compare"] {
        let (covered, total) = counts(&found, name);
        assert_eq!(covered, total, "{name}");
    }
    let text = tests_of(&out, "text_cat");
    assert!(text.contains("text_new(\""), "{text}");
    assert!(text.contains("strcmp(result, \""), "{text}");
}

#[test]
fn a_map_is_filled_before_it_is_asked() {
    let folder = folder();
    let out = folder.path().join("out");
    // With wider hashes one test covers all, and it finds no entry.
    let found = generate(&out, "api/map.c --data-model ilp32");
    is_proved(&found);
    assert_eq!(found["bugs"], Json::Array(vec![]));
    for name in ["map_get", "map_put", "map_entry"] {
        let (covered, total) = counts(&found, name);
        assert_eq!(covered, total, "{name}");
    }
    // What is behind a returned pointer is compared member by member.
    let text = tests_of(&out, "map_entry");
    assert!(text.contains("CHECK(result->value == "), "{text}");
    assert!(text.contains("strcmp(result->key, "), "{text}");
    assert!(text.contains("->next == NULL"), "{text}");
}

#[test]
fn what_is_asked_is_parsed_first() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/value.c");
    is_proved(&found);
    assert_eq!(found["bugs"], Json::Array(vec![]));
    assert_eq!(counts(&found, "value_count"), (6, 6));
    let text = tests_of(&out, "value_count");
    assert!(text.contains("value *v = value_parse(\""), "{text}");
    assert!(text.contains("value_count(NULL)"), "{text}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn inputs_that_were_recorded_can_be_run_and_resumed() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --no-native --length 5 --out {}", out.display());
    let first = symcrete(&format!("{words} api/stack.c --function stack_pop")).json();
    let suite = std::fs::read_to_string(out.join("suite.json")).expect("a suite");
    let suite: Json = serde_json::from_str(&suite).expect("JSON");
    let tests = suite["units"][0]["tests"].as_array().expect("a list");
    assert!(!tests.is_empty());
    for test in tests {
        let again =
            run("api/stack.c --json --length 5 --function stack_pop", &test["input"].to_string())
                .json();
        assert_eq!(again["outcome"]["kind"], "returned", "{again}");
        assert_eq!(again["input"], test["input"], "{again}");
    }
    let resumed = symcrete(&format!("{words} --resume api/stack.c --function stack_pop")).json();
    assert_eq!(resumed["functions"][0]["taken_over"], true, "{resumed}");
    assert_eq!(resumed["functions"][0]["branches"], first["functions"][0]["branches"]);
    // By hand, and with a mistake.
    let input = r#"{"s_stack_new__capacity": 2, "s_1": "stack_push", "s_1_stack_push__value": 5}"#;
    let done = run("api/stack.c --json --function stack_pop", input).json();
    assert_eq!(done["outcome"]["value"], 0, "{done}");
    let wrong = r#"{"s_1": "stack_nil", "s_stack_new__capacity": 2}"#;
    let complaint = run("api/stack.c --function stack_pop", wrong).complaint(2);
    assert!(complaint.contains("stack_nil"), "{complaint}");
}

#[test]
fn raw_structures_remain_possible_and_are_the_fall_back() {
    let raw =
        symcrete("gen --no-out --json --raw-structs --length 5 api/list.c --function list_kind");
    let raw = raw.json();
    let kind = function(&raw, "list_kind");
    assert_eq!(kind["branches"]["covered"], kind["branches"]["total"], "{kind}");
    assert_eq!(kind["calls"], Json::Array(vec![]));
    // Nothing but the initialiser changes settings: callers fill them in.
    let found = symcrete("gen --no-out --json --length 5 api/settings.c --function apply").json();
    let apply = function(&found, "apply");
    assert_eq!(
        (&apply["calls"], &apply["branches"]["open"]),
        (&Json::Array(vec![]), &Json::from(0))
    );
    // A handle that cannot be opened here is better set directly than not tested.
    let found = symcrete("gen --no-out --json --length 5 api/file_handle.c --function handle_mode");
    let found = found.json();
    let mode = function(&found, "handle_mode");
    assert_eq!(mode["branches"]["covered"], 2, "{mode}");
    assert_eq!(mode["calls"], Json::Array(vec![]));
}

/// A function that looks behind the end of a text finds there what it found in the recorded run.
#[test]
fn a_text_in_a_call_has_the_room_that_it_had() {
    let folder = folder();
    let found = generate(&folder.path().join("out"), "api/behind_text.c --function text_ends");
    is_proved(&found);
    assert_eq!(counts(&found, "text_ends"), (4, 4));
}

/// What opens an object makes it where nothing else that users can call does. Tests do not call what is static, and hand no
/// allocators of their own to objects.
#[test]
fn objects_are_opened_where_nothing_else_makes_them() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/opened.c");
    is_proved(&found);
    let bugs = found["bugs"].as_array().expect("a list");
    assert!(bugs.iter().all(|bug| bug["rank"] == "precondition"), "{bugs:?}");
    assert_eq!(counts(&found, "reader_next"), (4, 4));
    let calls = &function(&found, "reader_next")["calls"];
    assert_eq!(*calls, serde_json::json!(["reader_open_string", "reader_next"]));
    // One end is enough.
    let text = tests_of(&out, "reader_destroy");
    assert!(!text.contains("reader_free("), "{text}");
    // A door is made first.
    assert_eq!(counts(&found, "door_open"), (2, 2));
    let text = tests_of(&out, "door_open");
    assert!(text.contains("door_init(&door);\n    door_open(&door);\n"), "{text}");
}

/// What cannot be made is an object too, if its maker says so, and so is none, if a macro asks for it.
#[test]
fn objects_whose_initialiser_fails_are_tested() {
    let folder = folder();
    let out = folder.path().join("out");
    let found = generate(&out, "api/ring.c");
    is_proved(&found);
    assert_eq!(counts(&found, "ring_put"), (6, 6));
    assert_eq!(found["uninitialized"], Json::Array(vec![]));
    let text = tests_of(&out, "ring_put");
    assert!(
        text.contains("struct ring ring = {0};\n") && text.contains("ring_put(NULL, "),
        "{text}"
    );
}
