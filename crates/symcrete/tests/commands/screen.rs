//! A report that people read: it fits on a screen, however many functions a file has, and says why things differ.

use super::{Done, command, file, finish, folder};

/// A screen.
const LINES: usize = 50;

/// Functions with sides that nothing reaches, with open sides, and with failures.
fn many_functions() -> String {
    let function = |i: usize| match i % 4 {
        0 => format!("int f{i}(int a, int b) {{ return a > {i} ? b / (a - {}) : 0; }}\n", i + 7),
        1 => format!("int f{i}(unsigned a) {{ return a % 4 == 5 ? {i} : 0; }}\n"),
        2 => format!(
            "char *f{i}(int n) {{ char *p = malloc(9); if (!p) return 0; *p = n > {i}; return p; }}\n"
        ),
        _ => format!(
            "int f{i}(int a) {{ if (a == {i}) return 1; if (a > 3) return 2; return 0; }}\n"
        ),
    };
    format!("#include <stdlib.h>\n{}", (0..80).map(function).collect::<String>())
}

#[test]
fn eighty_functions_are_one_screen_and_all_of_it_if_wanted() {
    let folder = folder();
    let source = file(&folder, "many.c", &many_functions());
    let words = ["gen", &source, "--no-out", "--iterations", "20", "--no-backward"];
    let brief = finish(command(&words));
    let brief = brief.text();
    assert!(brief.lines().count() <= LINES, "{} lines:\n{brief}", brief.lines().count());
    assert!(brief.contains("all 80 functions"), "{brief}");
    assert!(brief.contains("sides are not covered (-v lists them)"), "{brief}");
    assert!(brief.contains("failures found"), "{brief}");
    assert!(brief.contains("more (-v lists them)"), "{brief}");
    let whole = finish(command(&[&words[..], &["-v"]].concat()));
    let whole = whole.text();
    for i in 0..80 {
        assert!(whole.lines().any(|line| line.starts_with(&format!("f{i} "))), "f{i}:\n{whole}");
    }
    assert!(!whole.contains("more (-v lists them)"), "{whole}");
}

/// What the native proof says does not depend on how many tests run at the same time.
#[test]
fn the_native_proof_says_the_same_on_any_number_of_cores() {
    let proved = |jobs: &str, source: &str| {
        let out = folder();
        let path = out.path().join("out").display().to_string();
        let words = [
            "gen",
            source,
            "--json",
            "--iterations",
            "200",
            "--jobs",
            jobs,
            "--out",
            path.as_str(),
        ];
        finish(command(&words)).json()["native"].clone()
    };
    for source in ["branches.c", "inputs.c"] {
        let (one, four) = (proved("1", source), proved("4", source));
        assert!(one["passed"].as_u64() > Some(4), "{one}");
        assert_eq!(one, four, "{source}");
    }
}

/// The machines differ where `sizeof(void *)` does; the other reasons that the file shows have nothing to do with it.
#[test]
fn reasons_are_those_of_the_lines_that_ran() {
    let folder = folder();
    let text = "#include <stdlib.h>\n\
        int width(int x) {\n    if (x > 3)\n        return (int)sizeof(void *);\n    return 0;\n}\n\
        int crash(int x) {\n    if (x > 3 && sizeof(void *) > 4)\n        *(volatile int *)16 = x;\n    return x;\n}\n\
        double other(double x) { return x > 1 ? rand() : 0; }\n";
    let source = file(&folder, "differs.c", text);
    let out = folder.path().join("out").display().to_string();
    let Done { stdout, .. } =
        finish(command(&["gen", &source, "--data-model", "ilp32", "--json", "--out", &out]));
    let found: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    let failed = found["native"]["failed"].as_array().expect("a list").clone();
    let of = |test: &str| {
        let failed = failed
            .iter()
            .find(|failed| failed["test"].as_str().is_some_and(|name| name.starts_with(test)));
        failed.unwrap_or_else(|| panic!("{test}: {stdout}"))["reasons"].clone()
    };
    let narrow = "`long`, `size_t` and pointers have 4 bytes in the model";
    assert_eq!(
        of("test_width"),
        serde_json::json!([narrow]),
        "not the C library, which another function calls"
    );
    let crash = of("test_crash");
    assert!(crash[0].as_str().is_some_and(|why| why.contains("differs.c:9")), "{crash}");
}
