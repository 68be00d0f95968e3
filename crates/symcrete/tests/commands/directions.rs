//! Rounding directions: programs that change them have the sides that this machine has, and nothing is proved of what rounds
//! otherwise.

use super::{Json, function, symcrete};

/// Covered, infeasible, within bounds, open.
fn counts(found: &Json, name: &str) -> [u64; 4] {
    let branches = &function(found, name)["branches"];
    let count = |key: &str| branches[key].as_u64().unwrap_or_else(|| panic!("{name}: {branches}"));
    let [covered, infeasible, within] = ["covered", "infeasible", "within_bounds"].map(count);
    [covered, infeasible, within, count("total") - covered - infeasible - within]
}

#[test]
fn directions_are_followed_in_both_data_models_and_natively() {
    for model in ["lp64", "ilp32"] {
        let out = super::folder();
        let folder = out.path().join("out");
        let words = format!(
            "gen directions.c --json --time 10 --data-model {model} --out {}",
            folder.display()
        );
        let found = symcrete(&words).json();
        assert_eq!(counts(&found, "chosen"), [6, 0, 0, 0], "{model}: {found}");
        assert_eq!(counts(&found, "bracket"), [1, 1, 0, 0], "{model}: {found}");
        assert_eq!(counts(&found, "inherited"), [3, 0, 1, 0], "{model}: {found}");
        assert_eq!(counts(&found, "library"), [1, 0, 0, 1], "{model}: {found}");
        assert_eq!(counts(&found, "environments"), [11, 5, 0, 0], "{model}: {found}");
        assert_eq!(counts(&found, "functions"), [24, 0, 0, 0], "{model}: {found}");
        let within = function(&found, "inherited")["within_bounds"].to_string();
        assert!(within.contains("first call"), "{found}");
        let open = function(&found, "library")["uncovered"].to_string();
        assert!(open.contains("rounded to nearest"), "{found}");
        let native = &found["native"];
        assert_eq!(native["failed"], Json::Array(Vec::new()), "{model}: {native}");
        assert_eq!(native["sides_differ"], 0, "{model}: {native}");
        assert!(native["passed"].as_u64() >= Some(15), "{model}: {native}");
    }
}

/// What is proved going back holds in the direction that is set there, and in all where none is.
#[test]
fn going_back_knows_the_direction_or_none() {
    for (place, outcome) in [("31", "unreachable"), ("39", "unknown"), ("48", "unknown")] {
        let done = symcrete(&format!("reach directions.c:{place}:true --json --time 20"));
        let targets = done.json()["targets"].clone();
        let last = targets.as_array().and_then(|targets| targets.last()).cloned();
        let last = last.unwrap_or_else(|| panic!("{targets}"));
        assert_eq!(last["outcome"], outcome, "{place}: {last}");
    }
}

/// `fetestexcept` finds nothing here and something natively.
#[test]
fn exceptions_of_floats_are_a_gap() {
    let found = symcrete("gen exceptions.c --no-out --json --time 10").json();
    assert_eq!(counts(&found, "exceptions"), [3, 0, 0, 1], "{found}");
}

/// The direction is set in one file, and numbers are computed in another; a function of the program that is called like one of
/// the library is the program's.
#[test]
fn directions_are_the_whole_programs() {
    let folder = super::folder();
    let setting = "int fesetround(int);\nint half(float);\n\
        int f(float x) { fesetround(0x800); return half(x); }\n";
    let computing = "int half(float x) { return x * 0.5f > 0; }\n";
    let own = "int fesetround(int direction) { return direction; }\n";
    let setting = super::file(&folder, "setting.c", setting);
    let computing = super::file(&folder, "computing.c", computing);
    let own = super::file(&folder, "own.c", own);
    // The least float above zero.
    let input = r#"{"x": 1.401298464324817e-45}"#;
    for (files, value) in
        [(format!("{setting} {computing}"), 1), (format!("{setting} {computing} {own}"), 0)]
    {
        let shown = super::run(&format!("{files} --function f --json"), input).json();
        assert_eq!(shown["outcome"]["value"], value, "{shown}");
    }
}

/// Under the pragma nothing is computed in advance, as natively; without it clang computes `1.0 / 3.0` to nearest on both sides.
#[test]
fn the_pragma_is_heard() {
    let folder = super::folder();
    let text = "#include <fenv.h>\n\
        int f(void) { fesetround(FE_UPWARD); double x = 1.0 / 3.0; fesetround(FE_TONEAREST); return x > 0x1.5555555555555p-2; }\n";
    let plain = super::file(&folder, "plain.c", text);
    let strict = super::file(&folder, "strict.c", &format!("#pragma STDC FENV_ACCESS ON\n{text}"));
    for (file, value) in [(plain, 0), (strict, 1)] {
        let out = folder.path().join(format!("out{value}"));
        let shown = symcrete(&format!("run {file} --function f --json")).json();
        assert_eq!(shown["outcome"]["value"], value, "{shown}");
        let found = symcrete(&format!("gen {file} --json --time 5 --out {}", out.display())).json();
        assert_eq!(found["native"]["passed"], 1, "{found}");
    }
}
