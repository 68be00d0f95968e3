//! Programs with 8-byte and with 4-byte `long` and pointers.

use super::{Done, command, file, finish, folder, function, symcrete};
use serde_json::Value as Json;
use std::path::Path;

/// `gen` of one text, as JSON.
fn generate(text: &str, words: &[&str]) -> Json {
    let folder = folder();
    let source = file(&folder, "a.c", text);
    let out = folder.path().join("out").display().to_string();
    let words = [&["gen", &source, "--json", "--time", "20", "--out", &out], words].concat();
    let Done { stdout, stderr, .. } = finish(command(&words));
    serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"))
}

#[test]
fn wide_types_are_wide_unless_narrow_ones_are_asked_for() {
    let text = "int f(long x, unsigned long n)\n{\n    if (x == 5000000000)\n        return 1;\n    \
                return sizeof(void *) == 8 && n > 0xffffffff ? 2 : 0;\n}\n";
    let wide = generate(text, &["--data-model", "lp64"]);
    let branches = &function(&wide, "f")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{branches}");
    assert_eq!(wide["native"]["failed"], Json::Array(Vec::new()), "{}", wide["native"]);
    let narrow = generate(text, &["--data-model", "ilp32"]);
    let sides = function(&narrow, "f")["within_bounds"].as_array().expect("a list").clone();
    assert!(!sides.is_empty(), "{narrow}");
    for side in sides {
        let bounds = side["bounds"].as_array().expect("a list");
        assert!(bounds.contains(&Json::from("4-byte long and pointers")), "{side}");
    }
}

/// Every row of a table of sizes, places and constants is that of this machine's compiler but for the two that ADR 27 names.
#[test]
#[expect(clippy::disallowed_methods, reason = "tests run compilers")]
fn types_and_constants_are_those_of_this_machine() {
    let folder = folder();
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/commands/layout");
    for name in ["layout.c", "rows.h"] {
        std::fs::copy(Path::new(cases).join(name), folder.path().join(name)).expect("ours");
    }
    let here = |name: &str| folder.path().join(name);
    let mut build = std::process::Command::new("cc");
    build.args(["-w", "layout.c", "-o", "native"]).current_dir(folder.path());
    assert!(build.status().expect("a compiler").success());
    let printed = std::process::Command::new(here("native")).output().expect("it starts");
    std::fs::write(here("native.h"), printed.stdout).expect("ours");
    let rows = std::fs::read_to_string(here("rows.h")).expect("it was copied");
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert!(rows.len() >= 120, "{}", rows.len());

    let source = here("layout.c").display().to_string();
    let mut different = Vec::new();
    let mut from = 0;
    loop {
        let input = format!("{{\"from\": {from}}}");
        let words = ["run", &source, "-f", "first_difference", "--data-model", "lp64", "--json"];
        let words = [&words[..], &["--input", &input]].concat();
        let found = finish(command(&words)).json()["outcome"]["value"].as_i64().expect("a row");
        let Ok(row) = usize::try_from(found) else { break };
        different.push(rows[row]);
        from = row + 1;
    }
    assert_eq!(different, ["SIZE(va_list)", "VALUE(LDBL_MANT_DIG)"]);
}

/// Without its library a program has narrow types, and one line says so.
#[test]
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn where_there_is_no_library_types_are_narrow_and_that_is_said() {
    let place = folder();
    let functions = |library: &Path| {
        let mut command = command(&["functions", "inputs.c", "--data-model", "lp64"]);
        command.env("SYMCRETE_LIBC", library);
        let done = finish(command);
        assert!(!done.text().is_empty());
        done.stderr.trim_end().to_owned()
    };
    let said = functions(place.path());
    let rest = "symcrete doctor --install; long and pointers have 4 bytes (--data-model ilp32)";
    assert_eq!(said, format!("no 64-bit data model: its C library is not installed: {rest}"));
    std::fs::write(place.path().join("stamp"), "another\n").expect("ours");
    let said = functions(place.path());
    let expected = "no 64-bit data model: its C library was built by another version: ";
    assert_eq!(said, format!("{expected}{rest}"));
}

/// The same without the compiler's own run-time library for 64 bits: this machine's clang, in a folder that lacks it.
#[test]
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn where_there_is_no_wide_run_time_library_types_are_narrow_and_that_is_said() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = folder();
    let here = |name: &str| place.path().join(name);
    let llvm = Path::new("/usr/lib/llvm-19");
    for folder in ["bin", "lib/clang/19/lib/wasi"] {
        std::fs::create_dir_all(here(folder)).expect("ours");
    }
    // A link would lead to the real one's folder.
    let script = format!("#!/bin/sh\nexec {}/bin/clang \"$@\"\n", llvm.display());
    std::fs::write(here("bin/clang-19"), script).expect("ours");
    let is_executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(here("bin/clang-19"), is_executable).expect("ours");
    for name in ["bin/opt", "bin/wasm-ld", "lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a"] {
        symlink(llvm.join(name), here(name)).expect("ours");
    }
    let source =
        file(&place, "a.c", "int f(int x)\n{\n    return x > 3 ? (int)sizeof(long) : 0;\n}\n");
    let mut command = command(&["run", &source, "--input", "{\"x\": 4}"]);
    command.env("PATH", here("bin"));
    let done = finish(command);
    assert!(done.text().contains("returned 4"), "{}{}", done.stdout, done.stderr);
    let said = done.stderr.trim_end();
    assert!(!said.contains('\n'), "{said}");
    assert!(
        said.starts_with("no 64-bit data model: libclang_rt.builtins-wasm64.a was not found: ")
            && said.contains("libclang-rt-19-dev-wasm64")
            && said.ends_with("; long and pointers have 4 bytes (--data-model ilp32)"),
        "{said}"
    );
}

/// Each reason that the native proof names for a difference has a program that shows it.
#[test]
fn differences_from_this_machine_have_reasons() {
    let text = "#include <stdint.h>\n#include <stdlib.h>\n\
        int digits(int x)\n{\n    long double step = 1;\n    int n = 0;\n    if (x > 3)\n        \
        while (1 + step != 1)\n            step /= 2, n++;\n    return n;\n}\n\
        int drawn(int x)\n{\n    if (x > 3)\n        return rand();\n    return 0;\n}\n\
        int place(int x)\n{\n    static int here;\n    if (x > 3)\n        return (int)((uintptr_t)&here >> 4);\n    return 0;\n}\n\
        int wide(int x)\n{\n    if (x > 3)\n        return (int)sizeof(long);\n    return 0;\n}\n";
    let reason = |found: &Json, test: &str| {
        let failed = found["native"]["failed"].as_array().expect("a list");
        let failed = failed.iter().find(|failed| failed["test"] == test);
        failed.map(|failed| failed["reasons"][0].clone())
    };
    let found = generate(text, &["--data-model", "lp64"]);
    for (test, expected) in [
        ("test_digits_2", "`long double` has other digits in WebAssembly"),
        ("test_drawn_2", "the C library differs"),
        ("test_place_2", "addresses differ"),
    ] {
        assert_eq!(reason(&found, test), Some(expected.into()), "{test}: {}", found["native"]);
    }
    assert_eq!(reason(&found, "test_wide_2"), None, "its types are those of this machine");
    let found = generate(text, &["--data-model", "ilp32", "--function", "wide"]);
    let expected = "`long`, `size_t` and pointers have 4 bytes in the model";
    assert_eq!(reason(&found, "test_wide_2"), Some(expected.into()), "{}", found["native"]);
}

/// The C library of 64-bit programs, through the runtime: signals, scanning, files, math, and what needs a kernel.
#[test]
fn the_library_works_on_the_runtime() {
    let found = symcrete("gen library.c --no-out --json --data-model lp64 --time 60").json();
    for name in ["signals", "scans", "wide_numbers", "reads", "sleeps", "sorts", "users"] {
        let branches = &function(&found, name)["branches"];
        assert_eq!(branches["covered"], branches["total"], "{name}: {branches}");
    }
    assert_eq!(found["bugs"], Json::Array(Vec::new()));
}

/// What `errno` is after a call, which musl leaves otherwise than glibc here and there.
#[test]
fn errors_are_those_of_this_machine() {
    let calls = [
        "strtol(\"\", 0, 10)",
        "strtol(\" x\", 0, 10)",
        "strtol(\"0x\", 0, 16)",
        "strtol(\"99999999999999999999\", 0, 10)",
        "strtoul(\"-\", 0, 0)",
        "strtol(\"7\", 0, 1)",
        "strtod(\"-\", 0)",
        "strtod(\"0x\", 0)",
        "strtod(\"nan(\", 0)",
        "strtod(\"1e999\", 0)",
        "strtod(\"1e-999\", 0)",
    ];
    let cases = calls
        .iter()
        .enumerate()
        .map(|(i, call)| format!("    case {i}:\n        {call};\n        break;\n"));
    let text = format!(
        "#include <errno.h>\n#include <stdlib.h>\nint error(int which)\n{{\n    errno = 0;\n    switch (which) {{\n{}    }}\n    return errno;\n}}\n",
        cases.collect::<String>()
    );
    let found = generate(&text, &["--data-model", "lp64"]);
    let native = &found["native"];
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    let branches = &function(&found, "error")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{branches}");
}

#[test]
fn a_variable_that_names_no_data_model_is_refused() {
    let folder = folder();
    let source = file(&folder, "a.c", "int f(int x)\n{\n    return x > 3;\n}\n");
    let mut command = command(&["gen", &source, "--no-out"]);
    command.env("SYMCRETE_DATA_MODEL", "lp46");
    let Done { code, stderr, .. } = finish(command);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("lp46") && stderr.contains("lp64"), "{stderr}");
}
