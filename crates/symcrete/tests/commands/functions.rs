//! `symcrete functions`.

use super::{keys, symcrete};
use serde_json::{Value as Json, json};

#[test]
fn signatures_are_as_the_source_has_them() {
    let done = symcrete("functions inputs.c");
    for line in [
        "inputs.c:14: signed char bytes(signed char a, unsigned char b)",
        "inputs.c:17: int64_t longs(int64_t a, uint64_t b)",
        "inputs.c:31: _Bool truth(_Bool a, _Bool b)",
        "inputs.c:44: enum level levels(enum level l)",
        "inputs.c:46: int by_pointer(const struct point *p)",
        "inputs.c:52: int sum(const int *data, size_t len)",
        "inputs.c:69: int second(int **pp)",
        "inputs.c:80: int raw(const void *data, int n)",
    ] {
        assert!(done.text().lines().any(|shown| shown == line), "{line}: {}", done.text());
    }
    assert_eq!(done.text().lines().count(), 24, "{}", done.text());
    assert!(symcrete("functions stubs.c").text().starts_with("stubs.c:7: static int twice(int x)"));
}

#[test]
fn what_cannot_be_an_input_is_said_and_the_rest_is_listed() {
    let expected = "\
unsupported.c:1: int callback(int (*f)(long double), int x)
    not supported: `f`: no function can be made for it to point to
unsupported.c:2: long double wide(long double d)
    not supported: `the result of wide`: long double is 16 bytes wide on WebAssembly
unsupported.c:3: int width(long double d)
    not supported: `d`: long double is 16 bytes wide on WebAssembly
unsupported.c:4: int many(int n, ...)
unsupported.c:5: int simple(int x)
unsupported.c:7: int holds(struct holder *h)
    `h->f` is always null: no function can be made for it to point to
";
    assert_eq!(symcrete("functions unsupported.c").text(), expected);
}

#[test]
fn json_has_one_object_per_function() {
    let done = symcrete("functions unsupported.c --json");
    let functions: Vec<Json> =
        done.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let all =
        ["file", "line", "name", "notes", "params", "reason", "result", "static", "supported"];
    for function in &functions {
        assert_eq!(keys(function), all);
    }
    let supported: Vec<bool> =
        functions.iter().filter_map(|function| function["supported"].as_bool()).collect();
    assert_eq!(supported, [false, false, false, true, true, true]);
    assert_eq!(functions[0]["reason"], "`f`: no function can be made for it to point to");
    let simple = json!({
        "file": "unsupported.c", "line": 5, "name": "simple", "notes": [],
        "params": [{"name": "x", "type": "int"}], "reason": null, "result": "int",
        "static": false, "supported": true,
    });
    assert_eq!(functions[4], simple);
}

#[test]
fn functions_that_webassembly_cannot_express_are_left_out() {
    let done = symcrete("functions assembly.c");
    assert!(done.text().starts_with("assembly.c:3: int plain(int x)\n"), "{}", done.text());
    assert!(
        done.text().contains("assembly.c:14: `clock` is left out: inline assembly\n"),
        "{}",
        done.text()
    );
    let done = symcrete("run assembly.c --function clock");
    assert!(done.complaint(2).contains("assembly.c:14: `clock` is left out"), "{}", done.stderr);
    assert!(symcrete("run assembly.c --function plain").text().contains("returned 2"));
}
