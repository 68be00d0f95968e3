//! Calls mean what they mean on a real machine: how values travel, and what happens where types do not fit.

use super::{Json, file, folder, function, symcrete};

#[test]
fn structures_travel_as_they_do_for_the_compiler() {
    let folder = folder();
    let out = folder.path().join("out");
    let words = format!("gen --json --time 20 --jobs 2 results.c --out {}", out.display());
    let found = symcrete(&words).json();
    assert_eq!(found["bugs"], Json::from(Vec::<Json>::new()));
    for name in
        ["bits", "with_empty", "aligned", "list", "either", "nothing", "take_bits", "take_aligned"]
    {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{}", function(&found, name));
    }
    let wide = function(&found, "wide");
    assert_eq!(
        (&wide["branches"]["covered"], &wide["branches"]["infeasible"]),
        (&0.into(), &0.into())
    );
    assert_eq!(found["native"]["failed"], Json::from(Vec::<Json>::new()), "{}", found["native"]);
}

#[test]
fn calls_of_another_type_go_on() {
    let found = symcrete("gen --no-out --json --time 20 --jobs 2 calls.c calls_other.c").json();
    assert_eq!(found["bugs"], Json::from(Vec::<Json>::new()));
    for name in [
        "more_arguments",
        "implicit",
        "pointer_with_more",
        "pointer_elsewhere",
        "result_ignored",
        "before_definition",
    ] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{}", function(&found, name));
    }
    let warned = found["uninitialized"].as_array().expect("a list");
    let fewer = |warning: &Json| warning["function"] == "fewer_arguments";
    assert!(warned.iter().any(fewer), "{warned:?}");
    for name in ["wider_result", "other_register", "fewer_arguments"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["infeasible"], 0, "{}", function(&found, name));
        assert_eq!(branches["within_bounds"], 0, "{}", function(&found, name));
    }
}

#[test]
fn declarations_that_contradict_each_other_are_named() {
    let folder = folder();
    let one = file(&folder, "one.c", "int f(int); int a(void) { return f(1); }\n");
    let other = file(&folder, "other.c", "int f(double); int b(void) { return f(1); }\n");
    let complaint = symcrete(&format!("gen --no-out {one} {other}")).complaint(2);
    for part in ["f", "(i32) -> i32", "(f64) -> i32"] {
        assert!(complaint.contains(part), "{complaint}");
    }
}
