//! What the binary says about arguments, files and machines that it cannot use.

use super::{command, file, finish, folder, run, symcrete};

/// Words, exit code 2, and what must be said.
type Row = (&'static str, &'static str);

#[test]
fn names_that_do_not_exist_are_named_with_those_that_do() {
    let rows: &[Row] = &[
        ("run inputs.c --function ledger", "the program has no function `ledger`"),
        ("run inputs.c --function leter", "did you mean letter"),
        ("cfg inputs.c --function leter", "did you mean letter"),
        ("gen inputs.c --no-out --function leter", "did you mean letter"),
        ("run inputs.c --function letter --opaque leter", "did you mean letter"),
        ("functions inputs.c --opaque leter", "did you mean letter"),
        ("run inputs.c --function letter --stub leter", "did you mean letter"),
        ("gen inputs.c --no-out --stub leter", "did you mean letter"),
        ("run inputs.c", "which function? The program has bytes, shorts"),
        ("run inputs.c --check nul", "overflow, bounds, shift, overshift, null, float-cast"),
        ("gen inputs.c --no-out --strategy best", "unknown strategy `best`"),
        (
            "gen inputs.c --no-out --strategy best",
            "auto, dfs, bfs, random, random-walk, cfg, generational",
        ),
        ("gen inputs.c --no-out --solver best", "`symcrete solvers` describes them"),
        ("gen inputs.c --no-out --without best", "slices, cache, partial, intervals"),
        ("run unsupported.c --function callback", "`f`: no function can be made"),
        ("run unsupported.c --function width", "long double is 16 bytes wide"),
    ];
    for (words, part) in rows {
        let complaint = symcrete(words).complaint(2);
        assert!(complaint.contains(part), "{words}: {complaint}");
    }
}

#[test]
fn inputs_that_do_not_fit_are_explained() {
    let rows = [
        ("letter", r#"{"d": 1}"#, "there is no `d` help: known names: c"),
        ("nested", r#"{"p": {"tagz": [1]}}"#, "there is no `tagz` help: known names: tags"),
        ("ints", r#"{"a": "x"}"#, "`a` is an integer from -2147483648 to 2147483647, not a string"),
        ("ints", r#"{"a": 1.5}"#, "not 1.5"),
        ("ints", r#"{"b": -1}"#, "`b` is an integer from 0 to 4294967295, not -1"),
        ("ints", r#"{"a": 3000000000}"#, "not 3000000000"),
        ("ints", r#"{"a": null}"#, "not null"),
        ("bits", r#"{"f": {"a": 8}}"#, "`f.a` is an integer from 0 to 7, not 8"),
        ("bits", r#"{"f": {"b": -17}}"#, "`f.b` is an integer from -16 to 15, not -17"),
        ("truth", r#"{"a": 2}"#, "`a` is true or false, not 2"),
        ("single", r#"{"f": "x"}"#, "`f` is a number, not a string"),
        ("by_value", r#"{"p": 3}"#, "an object with its members, not 3"),
        ("colours", r#"{"c": "PINK"}"#, "`c` is one of RED, GREEN, BLUE or an integer from"),
        ("colours", r#"{"c": "PINK"}"#, "not \"PINK\""),
        ("sum", r#"{"data": [1], "len": 5000}"#, "`data` has room for 8 elements, 5000 were given"),
        ("sum", r#"{"data": [1], "len": 5000}"#, "raise --length"),
        ("by_pointer", r#"{"p": [{}, {}]}"#, "`p` has room for 1 element, 2 were given"),
        ("nested", r#"{"p": {"tags": [1, 2, 3, 4]}}"#, "`the array` has room for"),
        ("ints", r#"{"a": "#, "--input: EOF"),
        ("ints", "[1]", "--input: an object with values by name was expected, not a list"),
        ("ints", "[1]", r#"such as '{"x": 1}', or a file"#),
        ("ints", "", "--input: EOF"),
        ("ints", "7", "cannot read `7`"),
        ("ints", "7", r#"such as '{"x": 1}', or a file"#),
        ("ints", "missing.json", "cannot read `missing.json`"),
    ];
    for (function, input, part) in rows {
        let complaint = run(&format!("inputs.c --function {function}"), input).complaint(2);
        assert!(complaint.contains(part), "{function} {input}: {complaint}");
    }
    let complaint = run("globals.c", r#"{"limit": 3}"#).complaint(2);
    assert!(complaint.contains("`limit` is a global variable: --globals"), "{complaint}");
}

#[test]
fn files_that_do_not_compile_have_the_compilers_own_message() {
    let folder = folder();
    let syntax = file(&folder, "syntax.c", "int f(int x) {\n    return x +;\n}\n");
    let header = file(&folder, "header.c", "#include <nowhere.h>\nint f(void) { return 1; }\n");
    let other = file(&folder, "other.cpp", "class A { public: int f(); };\n");
    let text = file(&folder, "broken.wat", "(module (func");
    let rows = [
        (&syntax, "syntax.c:2:15: error: expected expression"),
        (&header, "'nowhere.h' file not found"),
        (&header, "name its directory with -I"),
        (&other, "only C is supported, not C++"),
        (&text, "expected `)`"),
    ];
    for command in ["run", "functions", "cfg", "gen --no-out"] {
        for (file, part) in rows {
            let complaint = symcrete(&format!("{command} {file}")).complaint(2);
            assert!(complaint.contains(part), "{command} {file}: {complaint}");
        }
        let complaint = symcrete(&format!("{command} include")).complaint(2);
        assert!(complaint.contains("include is a folder: name the C files in it"), "{complaint}");
        let complaint = symcrete(&format!("{command} missing.c")).complaint(2);
        assert!(complaint.contains("missing.c: no such file"), "{complaint}");
    }
}

#[test]
fn compilation_databases_are_checked() {
    let folder = folder();
    let rows = [
        ("[", "EOF"),
        ("[]", "no entry for any of the files"),
        (r#"[{"directory": "/", "file": "first.c", "command": "cc"}]"#, "no entry for any"),
    ];
    for (text, part) in rows {
        let database = file(&folder, "compile_commands.json", text);
        let words = format!("run first.c --compile-commands {database}");
        let complaint = symcrete(&words).complaint(2);
        assert!(complaint.contains(part), "{text}: {complaint}");
    }
    let complaint = symcrete("run first.c --compile-commands missing.json").complaint(2);
    assert!(complaint.contains("cannot read `missing.json`"), "{complaint}");
}

#[test]
fn nothing_to_test_has_a_line_for_each_function() {
    let complaint = symcrete("gen only_unsupported.c --no-out").complaint(2);
    for part in [
        "no function can be tested",
        "only_unsupported.c:1: `callback` is not supported: `f`: no function can be made for it to point to",
        "only_unsupported.c:2: `width` is not supported: `d`: long double is 16 bytes wide",
    ] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
}

#[test]
fn a_missing_compiler_is_an_environment_that_can_be_mended() {
    let folder = folder();
    let source = file(&folder, "fresh.c", "int fresh(int x) { return x; }\n");
    for words in [["run", &source].as_slice(), &["gen", "--no-out", &source]] {
        let mut command = command(words);
        command.env("PATH", folder.path());
        let complaint = finish(command).complaint(3);
        assert!(complaint.contains("no clang was found: install clang-19"), "{complaint}");
    }
    // Modules need none.
    let mut command = command(&["run", "module.wat"]);
    command.env("PATH", folder.path());
    assert!(finish(command).text().contains("returned 0"));
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = folder();
    let file = folder.path().join("missing/path.smt2");
    let words = format!("run inputs.c --function ints --smt2 {}", file.display());
    let complaint = symcrete(&words).complaint(3);
    assert!(complaint.contains("cannot write"), "{complaint}");
}

#[test]
fn files_that_make_no_program_are_told() {
    let folder = folder();
    let empty = file(&folder, "empty.c", "\n");
    let declared = file(&folder, "declared.c", "int f(int x);\nextern int y;\n");
    for command in ["run", "functions", "cfg", "gen --no-out"] {
        for file in [&empty, &declared] {
            let complaint = symcrete(&format!("{command} {file}")).complaint(2);
            assert!(complaint.contains("the files define no function"), "{command}: {complaint}");
        }
        let complaint = symcrete(&format!("{command} inputs.c module.wat")).complaint(2);
        let expected = "module.wat: a module is a whole program and must be the only file";
        assert!(complaint.contains(expected), "{command}: {complaint}");
        let complaint = symcrete(&format!("{command} module.wat --stub f")).complaint(2);
        assert!(complaint.contains("--stub is for C files"), "{command}: {complaint}");
    }
}
