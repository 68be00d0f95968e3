//! What `gen` gets from backward execution for the sides that forward exploration leaves open.

use super::symcrete;
use serde_json::Value as Json;

/// A function of `backward.c` after so short a forward exploration that little is decided.
fn explored(function: &str, words: &str) -> Json {
    let call = format!(
        "gen backward.c --no-out --json --time 20 --iterations 1 --without bursts --function {function} {words}"
    );
    symcrete(&call).json()["functions"][0].clone()
}

fn number(of: &Json, key: &str) -> u64 {
    of["branches"][key].as_u64().expect("a number")
}

/// The bounds within which a side is infeasible, by its text; `None` if it is not.
fn bounds(of: &Json, side: &str) -> Option<Vec<String>> {
    let is_it = |found: &&Json| found["branch"].as_str().is_some_and(|text| text.ends_with(side));
    if of["infeasible"].as_array().expect("a list").iter().any(|found| is_it(&found)) {
        return Some(Vec::new());
    }
    let found = of["within_bounds"].as_array().expect("a list").iter().find(is_it)?;
    let names = found["bounds"].as_array().expect("a list").iter();
    Some(names.map(|name| name.as_str().expect("a name").to_owned()).collect())
}

#[test]
fn a_contradiction_behind_many_branches_is_infeasible() {
    let found = explored("contradiction", "");
    assert_eq!(bounds(&found, "y < 5 is true"), Some(vec![]), "{found}");
    assert_eq!(number(&found, "open"), 0, "inputs for all other sides: {found}");
    assert_eq!(found["backward"]["proved"], 1);
    assert!(found["backward"]["covered"].as_u64() > Some(10), "{found}");
    assert_eq!(found["ended"], "covered");
}

#[test]
fn without_it_they_stay_open() {
    let found = explored("contradiction", "--no-backward");
    assert_eq!(bounds(&found, "y < 5 is true"), None, "{found}");
    assert!(number(&found, "open") > 10, "{found}");
    assert_eq!(found["backward"]["tried"], 0);
}

#[test]
fn what_it_finds_is_run_and_becomes_a_test() {
    let folder = super::folder();
    let out = folder.path().join("out").display().to_string();
    let words = format!(
        "gen backward.c --out {out} --json --time 20 --iterations 1 --without bursts --function narrow"
    );
    let found = symcrete(&words).json();
    let function = &found["functions"][0];
    assert_eq!(number(function, "open"), 0, "{found}");
    assert!(function["backward"]["covered"].as_u64() > Some(0), "{found}");
    let native = &found["native"];
    if !native.is_null() {
        assert_eq!(native["failed"], Json::Array(vec![]), "{native}");
        assert_eq!(native["sides_differ"], 0, "{native}");
    }
}

#[test]
fn what_pointers_point_to_is_theirs_for_certain() {
    let found = explored("behind", "");
    assert_eq!(bounds(&found, "p->x == p->y is true"), Some(vec![]), "{found}");
}

#[test]
fn the_first_values_of_variables_are_a_bound() {
    let found = explored("second_call", "");
    assert_eq!(bounds(&found, "calls > 0 is true"), Some(vec!["first call".into()]), "{found}");
}

#[test]
fn undefined_functions_and_aliasing_are_bounds() {
    let found = explored("undefined", "");
    let limits = bounds(&found, "y == 7 is true");
    let expected = "undefined functions only fill their arguments".to_owned();
    assert!(limits.is_none_or(|bounds| bounds.contains(&expected)), "{found}");
    let found = explored("aliased", "");
    let limits = bounds(&found, "*p == 2 is true");
    assert!(limits.is_none_or(|bounds| bounds.contains(&"no aliasing".to_owned())), "{found}");
}

#[test]
fn what_assumes_more_than_limits_of_inputs_proves_nothing() {
    let found = explored("out_of_object", "");
    assert_eq!(bounds(&found, "kept != 0 is true"), None, "{found}");
    let found = explored("passes", "");
    assert_eq!(bounds(&found, "sum == 3 * 40 is true"), None, "{found}");
    let found = explored("nan_bits", "");
    assert_eq!(bounds(&found, "u.bits == 0x7ff8000000000000ull is false"), None, "{found}");
}

#[test]
fn people_are_told_too() {
    let words =
        "gen backward.c --no-out --time 20 --iterations 1 --without bursts --function behind";
    let done = symcrete(words);
    let text = done.text();
    assert!(text.contains("behind: backward execution covered"), "{text}");
}

/// A pointer to a function of the math library may be called as one of another type: then nobody knows what it computes.
#[test]
fn functions_of_the_library_may_be_called_through_other_types() {
    let folder = super::folder();
    let text = "#include <math.h>\n\
        struct op { const void *function; int arity; };\n\
        static struct op ops[] = {{acos, 1}, {pow, 2}};\n\
        int apply(struct op *op, double x, int *context)\n\
        {\n\
            double r = 0;\n\
            if (!op->function)\n\
                op = &ops[op->arity & 1];\n\
            if (op->arity == 1)\n\
                r = ((double (*)(double))op->function)(x);\n\
            else if (op->arity == 2)\n\
                r = ((double (*)(double, double))op->function)(x, x);\n\
            else\n\
                r = ((double (*)(void *, double))op->function)(context, x);\n\
            return r > 10 ? 1 : 2;\n\
        }\n";
    let source = super::file(&folder, "apply.c", text);
    let done = symcrete(&format!("reach {source}:15:true {source}"));
    assert!(done.stdout.contains("apply.c:15:true"), "{}{}", done.stdout, done.stderr);
    assert!(!done.stdout.contains("unreachable"), "{}", done.stdout);
}
