//! Programs with 8-byte and with 4-byte `long` and pointers.

use super::{Done, command, file, finish, folder, function, symcrete};
use serde_json::Value as Json;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

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

/// Inputs that harnesses of other tools ask for are as wide as their type, in the search and natively.
#[test]
fn inputs_of_harnesses_are_as_wide_as_their_type() {
    let klee = "#include <klee/klee.h>\nint main(void)\n{\n    long x;\n    unsigned long n;\n    \
                klee_make_symbolic(&x, sizeof x, \"x\");\n    klee_make_symbolic(&n, sizeof n, \"n\");\n    \
                if (x < -WIDE)\n        return 1;\n    return n > WIDE ? 2 : 3;\n}\n";
    let crest = "#include <crest.h>\nint main(void)\n{\n    long x;\n    unsigned long n;\n    \
                 CREST_long(x);\n    CREST_unsigned_long(n);\n    \
                 if (x < -WIDE)\n        return 1;\n    return n > WIDE ? 2 : 3;\n}\n";
    for text in [klee, crest] {
        for (model, wide) in [("lp64", "5000000000"), ("ilp32", "1000000000")] {
            let found = generate(&text.replace("WIDE", wide), &["--data-model", model]);
            let branches = &function(&found, "main")["branches"];
            assert_eq!(branches["covered"], branches["total"], "{model}: {text}");
            assert_eq!(found["native"]["failed"], Json::Array(Vec::new()), "{model}: {text}");
            assert_eq!(found["native"]["passed"], 3, "{model}: {}", found["native"]);
        }
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

/// A user whose folders are empty, and musl's sources where a variable says.
fn first_use(words: &[&str], home: &Path, source: &Path) -> Command {
    let mut command = command(words);
    command.env("HOME", home).env("MUSL_SOURCE", source);
    for variable in ["XDG_DATA_HOME", "SYMCRETE_LIBC", "SYMCRETE_DATA_MODEL"] {
        command.env_remove(variable);
    }
    command
}

/// What a folder holds, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const FUNCTIONS: &[&str] = &["functions", "inputs.c"];
const BUILDING: &str = "building the 64-bit C library";

/// A library that cannot be built is tried once, and types are narrow. `doctor --install` tries again.
#[test]
fn a_library_that_cannot_be_built_is_not_waited_for_twice() {
    let home = folder();
    let missing = home.path().join("musl.tar.gz");
    let fall_back = |done: &Done| {
        assert!(!done.text().is_empty());
        let line = done.stderr.lines().last().unwrap_or_default().to_owned();
        assert!(
            line.starts_with("no 64-bit data model: its C library cannot be built: "),
            "{line}"
        );
        assert!(
            line.contains("symcrete doctor --install; long and pointers have 4 bytes"),
            "{line}"
        );
        done.stderr.lines().count()
    };
    let first = finish(first_use(FUNCTIONS, home.path(), &missing));
    assert!(first.stderr.starts_with(BUILDING), "{}", first.stderr);
    assert_eq!(fall_back(&first), 2, "{}", first.stderr);
    let second = finish(first_use(FUNCTIONS, home.path(), &missing));
    assert_eq!(fall_back(&second), 1, "{}", second.stderr);
    // Other sources are worth another try.
    let third = finish(first_use(FUNCTIONS, home.path(), &home.path().join("another.tar.gz")));
    assert_eq!(fall_back(&third), 2, "{}", third.stderr);
    assert_eq!(names(&home.path().join(".local/share/symcrete")), ["lp64.failed"]);
    let mut doctor = command(&["doctor", "--install"]);
    doctor.env("HOME", home.path()).env("MUSL_SOURCE", &missing).env_remove("XDG_DATA_HOME");
    // Without Python it does not come to the solvers.
    doctor.env("PATH", "/usr/lib/llvm-19/bin");
    assert!(finish(doctor).stderr.contains(BUILDING));
}

/// A home that nobody can write to is no reason to fail.
#[test]
fn where_nothing_can_be_written_types_are_narrow() {
    let folder = folder();
    let home = file(&folder, "home", "no folder");
    let done = finish(first_use(FUNCTIONS, Path::new(&home), Path::new("/nonexistent")));
    assert!(!done.text().is_empty());
    let said = done.stderr.trim_end();
    assert!(said.starts_with("no 64-bit data model: its C library cannot be built: cannot write"));
    assert!(!said.contains('\n'), "{said}");
}

/// An interrupt ends a build at once and leaves nothing. The archive is a pipe that nobody writes to, so that it never ends.
#[test]
#[expect(clippy::disallowed_methods, reason = "tests run programs")]
fn a_build_can_be_interrupted() {
    use rustix::process::{Pid, Signal, kill_process};
    let home = folder();
    let pipe = home.path().join("musl.tar.gz");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("it is there").success());
    for words in [FUNCTIONS, &["gen", "inputs.c", "--no-out"]] {
        let mut command = first_use(words, home.path(), &pipe);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut errors = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("text");
        assert!(line.starts_with(BUILDING), "{line}");
        kill_process(Pid::from_child(&child), Signal::INT).expect("it is there");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        let left = names(&home.path().join(".local/share/symcrete"));
        assert_eq!(left, [] as [&str; 0], "{words:?}");
    }
}

/// The library is built by the first command that needs it; of two at once one builds, and nobody does later. The archive has
/// this machine's headers of musl and hardly any code, so that it takes a second.
#[test]
fn the_first_command_builds_the_library() {
    let home = folder();
    let Some(archive) = small_musl(&home) else { return };
    let start = || {
        let mut command = first_use(FUNCTIONS, home.path(), &archive);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let both = [start(), start()].map(|child| child.wait_with_output().expect("it ends"));
    let said = both.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
    let n_built = said.iter().filter(|said| said.contains(BUILDING)).count();
    assert_eq!(n_built, 1, "{said:?}");
    assert!(said.iter().all(|said| !said.contains("no 64-bit data model")), "{said:?}");
    assert_eq!(names(&home.path().join(".local/share/symcrete")), ["lp64"]);
    let later = finish(first_use(FUNCTIONS, home.path(), Path::new("/nonexistent")));
    assert!(!later.stderr.contains(BUILDING), "{}", later.stderr);
    assert!(!later.stderr.contains("no 64-bit data model"), "{}", later.stderr);
}

/// An archive with the layout of musl's; `None` if this machine has no headers of it to put in.
#[expect(clippy::disallowed_methods, reason = "tests write their input and run programs")]
fn small_musl(place: &TempDir) -> Option<PathBuf> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share")));
    let library = std::env::var_os("SYMCRETE_LIBC").map(PathBuf::from);
    let headers = library.unwrap_or(data?.join("symcrete/lp64")).join("include");
    headers.join("stdio.h").is_file().then_some(())?;
    let root = place.path().join("musl-0");
    let write = |name: &str, text: &str| {
        let file = root.join(name);
        std::fs::create_dir_all(file.parent().expect("below the root")).expect("ours");
        std::fs::write(file, text).expect("ours");
    };
    let copy = |from: &Path, to: &str| {
        let mut words = vec![from.join(".").into_os_string()];
        words.push(root.join(to).into_os_string());
        std::fs::create_dir_all(root.join(to)).expect("ours");
        assert!(Command::new("cp").arg("-r").args(words).status().expect("it starts").success());
    };
    copy(&headers, "include");
    copy(&headers.join("bits"), "arch/x86_64/bits");
    for name in ["alltypes.h", "syscall.h"] {
        let text = std::fs::read_to_string(headers.join("bits").join(name)).expect("a header");
        write(&format!("arch/x86_64/bits/{name}.in"), &text);
        std::fs::remove_file(root.join("arch/x86_64/bits").join(name)).expect("it was copied");
    }
    for name in ["include/alltypes.h.in", "tools/mkalltypes.sed", "arch/generic/bits/none.h"] {
        write(name, "");
    }
    write("VERSION", "0\n");
    let script =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../symcrete-program/src/frontend/c/libc/build.sh");
    let script = std::fs::read_to_string(script).expect("ours");
    let folders = script.split("FOLDERS=\"").nth(1).and_then(|rest| rest.split('"').next());
    for (i, name) in folders.expect("a list").split_whitespace().enumerate() {
        write(&format!("src/{name}/file{i}.c"), &format!("int symbol{i};\n"));
    }
    // What our own files of the library use of musl's.
    write(
        "src/internal/libc.h",
        "extern struct { int global_locale; unsigned long page_size; } libc;\n\
         extern char **__environ, *__progname, *__progname_full;\n",
    );
    write(
        "src/internal/pthread_impl.h",
        "#include <pthread.h>\n#define pthread __pthread\n\
         struct pthread { struct pthread *self, *prev, *next; int tid, detach_state; void *locale;\n\
         struct { volatile void *volatile head; } robust_list; };\nenum { DT_JOINABLE };\n",
    );
    write("src/internal/floatscan.c", "");
    write("src/internal/intscan.c", "");
    let archive = place.path().join("musl-0.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("-czf").arg(&archive).arg("-C").arg(place.path()).arg("musl-0");
    assert!(tar.status().expect("it starts").success());
    Some(archive)
}

/// This machine's clang, in a folder where it has another version and only some of its run-time libraries; what a command says that
/// compiles with it.
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn said_with_clang(version: u32, run_time_libraries: &[&str]) -> String {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = folder();
    let here = |name: &str| place.path().join(name);
    let llvm = Path::new("/usr/lib/llvm-19");
    let libraries = format!("lib/clang/{version}/lib/wasi");
    for folder in ["bin", &libraries] {
        std::fs::create_dir_all(here(folder)).expect("ours");
    }
    // A link would lead to the real one's folder.
    let script = format!("#!/bin/sh\nexec {}/bin/clang \"$@\"\n", llvm.display());
    let clang = here(&format!("bin/clang-{version}"));
    std::fs::write(&clang, script).expect("ours");
    let is_executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&clang, is_executable).expect("ours");
    for name in ["bin/opt", "bin/wasm-ld"] {
        symlink(llvm.join(name), here(name)).expect("ours");
    }
    for name in run_time_libraries {
        let real = llvm.join("lib/clang/19/lib/wasi").join(name);
        symlink(real, here(&libraries).join(name)).expect("ours");
    }
    let source =
        file(&place, "a.c", "int f(int x)\n{\n    return x > 3 ? (int)sizeof(long) : 0;\n}\n");
    let mut command = command(&["run", &source, "--input", "{\"x\": 4}"]);
    command.env("PATH", here("bin"));
    let done = finish(command);
    assert!(done.text().contains("returned 4"), "{}{}", done.stdout, done.stderr);
    let said = done.stderr.trim_end();
    assert!(!said.contains('\n'), "{said}");
    assert!(said.ends_with("; long and pointers have 4 bytes (--data-model ilp32)"), "{said}");
    said.to_owned()
}

/// The same without the compiler's own run-time library for 64 bits.
#[test]
fn where_there_is_no_wide_run_time_library_types_are_narrow_and_that_is_said() {
    let said = said_with_clang(19, &["libclang_rt.builtins-wasm32.a"]);
    assert!(
        said.starts_with("no 64-bit data model: libclang_rt.builtins-wasm64.a was not found: ")
            && said.contains("libclang-rt-19-dev-wasm64"),
        "{said}"
    );
}

/// The same with a linker that cannot be told where the table of functions starts.
#[test]
fn where_clang_is_too_old_types_are_narrow_and_that_is_said() {
    let libraries = ["libclang_rt.builtins-wasm32.a", "libclang_rt.builtins-wasm64.a"];
    let said = said_with_clang(16, &libraries);
    assert!(
        said.starts_with("no 64-bit data model: clang of version 17 or newer was not found: ")
            && said.contains("clang-19"),
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

/// Each word of a source that is taken for a sign of a difference makes one.
#[test]
fn what_is_taken_for_a_reason_is_one() {
    let calls = [
        ("rand", "rand()"),
        ("random", "(int)random()"),
        ("time", "(int)time(0)"),
        ("clock", "(int)clock()"),
        ("setlocale", "setlocale(LC_ALL, \"de_DE.UTF-8\") != 0"),
        ("qsort", "sorted()"),
        ("strerror", "(int)strlen(strerror(5))"),
        ("errno", "fgetc(fopen(\"kept\", \"w\")) + errno"),
        ("printf", "printf(\"%p\", (void *)0)"),
        ("sprintf", "sprintf(text, \"%p\", (void *)0)"),
        ("snprintf", "snprintf(text, 99, \"%p\", (void *)0)"),
        ("va_list", "(int)sizeof(va_list)"),
        ("malloc", "(int)((char *)malloc(8) - text)"),
        ("calloc", "(int)((char *)calloc(1, 8) - text)"),
        ("realloc", "(int)((char *)realloc(0, 8) - text)"),
        ("uintptr_t", "(int)((uintptr_t)text >> 4)"),
        ("intptr_t", "(int)((intptr_t)text >> 4)"),
    ];
    let functions = calls.map(|(word, call)| {
        format!(
            "int of_{word}(int x)\n{{\n    if (x > 3)\n        return {call};\n    return 0;\n}}\n"
        )
    });
    let text = format!(
        r"#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static char text[99];
static int by_first(const void *a, const void *b) {{ return *(const int *)a - *(const int *)b; }}
static int sorted(void)
{{
    int pairs[6][2] = {{{{1, 1}}, {{0, 2}}, {{1, 3}}, {{0, 4}}, {{1, 5}}, {{0, 6}}}};
    qsort(pairs, 6, sizeof pairs[0], by_first);
    return pairs[0][1] * 100 + pairs[1][1] * 10 + pairs[2][1];
}}
{}",
        functions.concat()
    );
    let found = generate(&text, &["--data-model", "lp64"]);
    let failed = found["native"]["failed"].as_array().expect("a list").iter();
    let failed: Vec<&str> = failed.map(|test| test["test"].as_str().expect("a name")).collect();
    for (word, _) in calls {
        assert!(
            failed.iter().any(|test| *test == format!("test_of_{word}_2")),
            "{word}: {failed:?}"
        );
    }
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

/// What functions of the math library leave in `errno`, which musl's do not set: as on this machine, and what depends on it is not
/// called infeasible. The file calls each of them for 81 pairs of numbers.
#[test]
fn errors_of_math_functions_are_those_of_this_machine() {
    let folder = folder();
    let out = folder.path().join("out");
    for model in ["lp64", "ilp32"] {
        let found = symcrete(&format!(
            "gen library_errors.c --json --force --time 20 --length 24 --out {} --data-model {model} \
             -f all -f signs -f of_log -f of_sqrt",
            out.display()
        ));
        let found = found.json();
        let native = &found["native"];
        assert_eq!(native["failed"], Json::Array(Vec::new()), "{model}: {native}");
        for name in ["of_log", "of_sqrt"] {
            let branches = &function(&found, name)["branches"];
            assert_eq!(branches["covered"], branches["total"], "{model}: {name}: {branches}");
        }
    }
    // A `long` of 4 bytes has another limit.
    let words = "gen library_errors.c --json --no-out --length 24 --data-model lp64 -f of_text";
    let found = symcrete(words).json();
    let branches = &function(&found, "of_text")["branches"];
    assert_eq!(branches["covered"], branches["total"], "{branches}");
}

/// A program has one width of addresses: two modules, or one with memories of both widths, are refused with the reason.
#[test]
fn modules_of_both_widths_are_refused() {
    let folder = folder();
    let module = |name: &str, memories: &str| {
        let function = "(func (export \"f\") (param i32) (result i32) local.get 0)";
        file(&folder, name, &format!("(module {memories} {function})"))
    };
    let wide = module("wide.wat", "(memory i64 1)");
    let narrow = module("narrow.wat", "(memory 1)");
    let source = file(&folder, "a.c", "int f(int x)\n{\n    return x > 3;\n}\n");
    for files in [[&wide, &narrow], [&source, &narrow]] {
        let complaint = finish(command(&["functions", files[0], files[1]])).complaint(2);
        assert!(complaint.contains("must be the only file"), "{complaint}");
    }
    for memories in ["(memory 1) (memory i64 1)", "(import \"m\" \"m\" (memory i64 1)) (memory 1)"]
    {
        let both = module("both.wat", memories);
        let complaint = finish(command(&["functions", &both])).complaint(2);
        assert!(complaint.contains("multiple memories"), "{complaint}");
    }
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
