//! Names of files: those that tests can include work from end to end, others are refused in words.

use super::{command, finish, folder, symcrete};
use serde_json::Value as Json;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const SOURCE: &str = "#include \"own header.h\"\n#include <limit.h>\nstatic int same(int x) { return x == LIMIT; }\n\
    int f(int x)\n{\n    if (same(x)) {\n        return OWN;\n    }\n    return 2;\n}\n";
const OTHER: &str = "static int same(int x) { return x == 71; }\nint g(int x)\n{\n    return same(x) ? 1 : 2;\n}\n\
    int main(void) { return 0; }\n";

/// A program below a folder: two files whose names are like this one, and headers in a folder of that name.
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn program(base: &Path, name: &OsStr) -> (PathBuf, PathBuf, PathBuf) {
    let mut folder_name = OsString::from("d");
    folder_name.push(name);
    let below = base.join(&folder_name);
    let include = base.join("include").join(&folder_name);
    std::fs::create_dir_all(&below).expect("ours");
    std::fs::create_dir_all(&include).expect("ours");
    let file = |prefix: &str| {
        let mut file = OsString::from(prefix);
        file.push(name);
        file.push(".c");
        below.join(file)
    };
    let (first, second) = (file(""), file("o"));
    std::fs::write(&first, SOURCE).expect("ours");
    std::fs::write(&second, OTHER).expect("ours");
    std::fs::write(below.join("own header.h"), "#define OWN 1\n").expect("ours");
    std::fs::write(include.join("limit.h"), "#define LIMIT 70\n").expect("ours");
    (first, second, include)
}

#[test]
fn unusual_names_work_from_end_to_end() {
    let names = [
        "sp ace 'q' #h",
        "$(x) %p;&",
        "*",
        "com,ma (p)=~",
        "a: b [c]",
        "-dash @`!?{}|<>",
        "ünï 日本",
    ];
    for name in names {
        let folder = folder();
        let (first, second, include) = program(folder.path(), OsStr::new(name));
        let out = folder.path().join(format!("out{name}"));
        let symcrete = |words: &[&OsStr]| {
            let mut command = command(&[]);
            command.args(words).current_dir(folder.path());
            finish(command)
        };
        let include = [OsStr::new("-I"), include.as_os_str()];
        let sources = [first.as_os_str(), second.as_os_str()];
        let generate = [
            &[OsStr::new("gen"), OsStr::new("--json"), OsStr::new("--out"), out.as_os_str()],
            &include[..],
            &sources[..],
        ];
        let found = symcrete(&generate.concat()).json();
        let native = &found["native"];
        for function in found["functions"].as_array().expect("a list") {
            assert_eq!(function["branches"]["open"], 0, "{name}: {found}");
        }
        assert_eq!(native["failed"], Json::Array(Vec::new()), "{name}: {native}");
        assert_eq!(native["warnings"], Json::Array(Vec::new()), "{name}: {native}");
        assert_eq!(native["notes"], Json::Array(Vec::new()), "{name}: {native}");
        assert_eq!(native["sides_differ"], 0, "{name}: {native}");
        assert_eq!(native["sides_compared"], 4, "{name}: {native}");
        let replayed = symcrete(&[OsStr::new("replay"), out.as_os_str(), OsStr::new("--json")]);
        assert_eq!(replayed.json()["passed"], native["passed"], "{name}");
        let lcov = std::fs::read(out.join("lcov.info")).expect("it was written");
        let shown = first.strip_prefix(folder.path()).expect("below").display().to_string();
        let lcov = String::from_utf8(lcov).expect("a text");
        assert!(lcov.lines().any(|line| line == format!("SF:{shown}")), "{name}: {lcov}");
        let words: [&[&OsStr]; 3] =
            [&[OsStr::new("run"), OsStr::new("--function"), OsStr::new("f")], &include, &sources];
        let said = symcrete(&words.concat());
        assert!(said.text().contains(&format!("{shown}:")), "{name}: {}", said.stdout);
    }
}

#[test]
fn functions_of_one_name_in_files_of_like_names_have_tests_of_their_own() {
    let folder = folder();
    let mut words = vec!["gen".to_string(), "--no-native".to_string()];
    for (file, limit) in [("a b.c", 3), ("a-b.c", 4), ("sub/a b.c", 5)] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("ours");
        let text = format!(
            "static int same(int x) {{ return x == {limit}; }}\nint f{limit}(int x) {{ return same(x); }}\n"
        );
        #[expect(clippy::disallowed_methods, reason = "tests write their input")]
        std::fs::write(&path, text).expect("ours");
        words.push(path.display().to_string());
    }
    words.extend(["--function", "same"].map(str::to_string));
    for function in ["f3", "f4", "f5"] {
        words.extend(["--function".to_string(), function.to_string()]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = command(&words);
    command.current_dir(folder.path());
    finish(command).text();
    let names: Vec<String> = std::fs::read_dir(folder.path().join("symcrete-out/tests"))
        .expect("a folder")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    for name in ["test_f3.c", "test_f4.c", "test_f5.c", "test_a_b_same.c"] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
}

#[test]
fn names_that_tests_cannot_include_are_refused_in_words() {
    let rows: [(&[u8], &str); 6] = [
        (b"a\"b", "a quotation mark"),
        (b"a\\b", "a backslash"),
        (b"a\nb", "a line break or another control character"),
        (b"a\tb", "a line break or another control character"),
        (b"a\x7fb", "a line break or another control character"),
        (b"a\xffb", "bytes that are not UTF-8"),
    ];
    for (name, said) in rows {
        let folder = folder();
        let name = OsStr::from_bytes(name);
        let (file, _, include) = program(folder.path(), name);
        let plain = folder.path().join("plain.c");
        std::fs::copy(&file, &plain).expect("ours");
        let rows: [Vec<&OsStr>; 6] = [
            vec![OsStr::new("gen"), OsStr::new("--no-native"), file.as_os_str()],
            vec![OsStr::new("run"), file.as_os_str()],
            vec![OsStr::new("functions"), file.as_os_str()],
            vec![OsStr::new("cfg"), file.as_os_str()],
            vec![OsStr::new("functions"), plain.as_os_str(), OsStr::new("-I"), include.as_os_str()],
            vec![OsStr::new("gen"), plain.as_os_str(), OsStr::new("--out"), name],
        ];
        for words in rows {
            let mut command = command(&[]);
            command.args(&words).current_dir(folder.path());
            let complaint = finish(command).complaint(2);
            assert!(complaint.contains(said), "{words:?}: {complaint}");
            assert!(complaint.contains("rename it"), "{words:?}: {complaint}");
        }
        assert!(!folder.path().join("symcrete-out").exists());
        // Where the folder that we are in has such a name, it is the same.
        let mut command = command(&["functions", "../plain.c"]);
        command.current_dir(file.parent().expect("it is in a folder"));
        assert!(finish(command).complaint(2).contains(said));
    }
}

#[test]
fn missing_smt_solvers_are_said_once_by_those_who_would_use_them() {
    let nowhere = folder();
    let script = super::file(
        &nowhere,
        "a.smt2",
        "(declare-const x (_ BitVec 8))\n(assert (= x #x07))\n(check-sat)\n",
    );
    let rows: [(&[&str], usize); 6] = [
        (&["gen", "branches.c", "--no-out", "--function", "magic"], 1),
        (&["gen", "branches.c", "--no-out", "--function", "magic", "--solver", "random"], 0),
        (&["solve", &script], 1),
        (&["solve", &script, "--solver", "enumerate"], 0),
        (&["run", "branches.c", "--function", "magic"], 0),
        (&["functions", "branches.c"], 0),
    ];
    for (words, n) in rows {
        let mut command = command(words);
        command.env("SYMCRETE_SOLVERS", nowhere.path());
        let done = finish(command);
        assert_eq!(done.code, Some(0), "{words:?}: {}", done.stderr);
        let said = "SMT solvers that are not installed: bitwuzla, z3, cvc5; only the folders that SYMCRETE_SOLVERS";
        assert_eq!(done.stderr.matches(said).count(), n, "{words:?}: {}", done.stderr);
    }
}

#[test]
fn a_file_that_is_given_twice_is_one() {
    let found = symcrete("gen set_aside.c ./set_aside.c --no-out --json").json();
    assert_eq!(found["functions"].as_array().map(Vec::len), Some(1), "{found}");
}
