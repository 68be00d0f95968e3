//! What `gen` may do to its folder: nothing before all arguments are valid, nothing to files that it did not write,
//! and nothing while another run uses it.

use super::{Done, command, file, finish, folder, symcrete};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn generate(out: &Path, more: &str) -> Done {
    symcrete(&format!("gen branches.c --no-native --function magic --out {} {more}", out.display()))
}

/// Every file of a folder with its content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => pending.push(path),
                false => {
                    files.insert(path.clone(), std::fs::read(&path).expect("readable"));
                }
            }
        }
    }
    files
}

/// A folder with tests in it.
fn written() -> (TempDir, PathBuf) {
    let folder = folder();
    let out = folder.path().join("out");
    generate(&out, "").text();
    (folder, out)
}

#[test]
fn nothing_changes_before_all_arguments_are_valid() {
    let (folder, out) = written();
    let before = contents(&out);
    assert!(before.len() > 2, "{before:?}");
    let taken = file(&folder, "taken", "a file");
    let log = format!("--log-queries {taken}");
    let rows = [
        ("--strateg dfs", 2, "'--strategy'"),
        ("--framwork plain", 2, "'--framework'"),
        ("--no-nativ", 2, "'--no-native'"),
        ("--lenght 3", 2, "'--length'"),
        ("--total-tme 3", 2, "'--total-time'"),
        ("--without slcies", 2, "unknown part `slcies`; did you mean `slices`?"),
        (
            "--without slices,typo",
            2,
            "known: slices, cache, partial, intervals, tiny, guesses, cores, bursts, batch",
        ),
        ("--strategy dsf", 2, "unknown strategy `dsf`; did you mean `dfs`?"),
        ("--strategy best", 2, "known: auto, dfs, bfs, random, random-walk, cfg, generational"),
        ("--solver zz3", 2, "unknown solver `zz3`; did you mean `z3`?"),
        (
            "--framework untiy",
            2,
            "unknown framework `untiy`; did you mean `unity`? known: plain, unity, cmocka",
        ),
        ("--check overfow", 2, "unknown check `overfow`; did you mean `overflow`?"),
        ("--fail-on bug", 2, "bugs"),
        ("--native-sandbox maybe", 2, "auto, on, off"),
        ("--function magik", 2, "did you mean magic"),
        ("--opaque magik", 2, "did you mean magic"),
        ("--stub magik", 2, "did you mean magic"),
        ("--min-coverage nan", 2, "a percentage"),
        ("--jobs 0", 2, "at least 1"),
        ("--time=-1", 2, "a number of seconds"),
        ("--length 0", 2, "--length"),
        ("--compile-commands missing.json", 2, "cannot read `missing.json`"),
        (&log, 3, "cannot write"),
    ];
    for (words, code, said) in rows {
        let complaint = generate(&out, &format!("--force {words}")).complaint(code);
        assert!(complaint.contains(said), "{words}: {complaint}");
        assert!(contents(&out) == before, "{words} changed the folder");
    }
    // Neither is a folder made that was not there, nor one touched by a compiler or solver that is not there.
    let fresh = folder.path().join("fresh");
    generate(&fresh, "--without typo").complaint(2);
    assert!(!fresh.exists());
    let words = format!("gen branches.c --out {} --force --cc no-such-compiler", out.display());
    let complaint = symcrete(&words).complaint(2);
    assert!(complaint.contains("no compiler `no-such-compiler`"), "{complaint}");
    let words = format!("gen branches.c --no-native --out {} --force --solver z3", out.display());
    let mut command = command(&words.split_whitespace().collect::<Vec<_>>());
    command.env("SYMCRETE_SOLVERS", folder.path());
    let complaint = finish(command).complaint(3);
    assert!(complaint.contains("solver `z3` is not installed"), "{complaint}");
    assert!(contents(&out) == before);
}

#[test]
fn force_removes_what_was_written_and_nothing_else() {
    let (_folder, out) = written();
    let own = ["notes.txt", "tests/own.c", "corpus/seed", "corpus/test_magic/own", "bugs/.hidden"];
    for name in own {
        let path = out.join(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("ours");
        put(&path, name);
    }
    let done = symcrete(&format!(
        "gen branches.c --no-native --function ranges --out {} --force",
        out.display()
    ));
    done.text();
    let said = done.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("that symcrete did not write: bugs/.hidden, corpus/seed"), "{said}");
    for name in own {
        assert_eq!(read(&out.join(name)), name, "{name}");
    }
    assert!(!out.join("tests/test_magic.c").exists() && out.join("tests/test_ranges.c").exists());
    // The suite lists what is there, and nothing else.
    let listed = listed(&out);
    let mut there: Vec<String> = contents(&out)
        .into_keys()
        .map(|path| path.strip_prefix(&out).expect("below").display().to_string())
        .filter(|path| path != "suite.json" && !own.contains(&path.as_str()))
        .collect();
    there.sort();
    assert_eq!(listed, there);
    // Another run over the same tests removes nothing of others either.
    generate(&out, "--resume").text();
    for name in own {
        assert_eq!(read(&out.join(name)), name, "{name}");
    }
}

#[test]
fn a_file_of_somebody_else_is_not_overwritten() {
    let (_folder, out) = written();
    put(&out.join("tests/test_ranges.c"), "mine");
    let words =
        format!("gen branches.c --no-native --function ranges --out {} --resume", out.display());
    let said = symcrete(&words).complaint(2);
    assert!(said.contains("was not written by symcrete and is not replaced"), "{said}");
    assert_eq!(read(&out.join("tests/test_ranges.c")), "mine");
}

#[test]
fn a_list_that_leads_out_of_the_folder_is_not_followed() {
    let (folder, out) = written();
    let precious = file(&folder, "precious.txt", "mine");
    std::fs::create_dir(folder.path().join("elsewhere")).expect("the folder is ours");
    let linked = file(&folder, "elsewhere/file", "mine");
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), out.join("link")).expect("ours");
    let mut suite: Json = serde_json::from_str(&read(&out.join("suite.json"))).expect("JSON");
    let files = suite["files"].as_array_mut().expect("a list");
    files.push("../precious.txt".into());
    files.push(precious.as_str().into());
    put(&out.join("suite.json"), &suite.to_string());
    generate(&out, "--force").text();
    assert_eq!(read(Path::new(&precious)), "mine");
    // A link on the way is an error, not a way out.
    let mut suite: Json = serde_json::from_str(&read(&out.join("suite.json"))).expect("JSON");
    suite["files"].as_array_mut().expect("a list").push("link/file".into());
    put(&out.join("suite.json"), &suite.to_string());
    let said = generate(&out, "--force").complaint(3);
    assert!(said.contains("a link leads out of the folder"), "{said}");
    assert_eq!(read(Path::new(&linked)), "mine");
}

#[test]
fn a_suite_without_a_list_of_files_is_not_replaced() {
    let (_folder, out) = written();
    put(&out.join("suite.json"), r#"{"format": 1, "tool": "symcrete 0.0.1"}"#);
    let before = contents(&out);
    for words in ["--force", "--resume"] {
        let said = generate(&out, words).complaint(2);
        assert!(said.contains("has no suite.json of ours that lists its files"), "{said}");
        assert!(contents(&out) == before);
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test holds the lock that another run would hold"
)]
fn a_second_run_on_a_folder_is_refused() {
    let (_folder, out) = written();
    let before = contents(&out);
    let other = File::open(&out).expect("a folder");
    other.try_lock().expect("nobody else uses it");
    for words in ["", "--force", "--resume"] {
        let said = generate(&out, words).complaint(2);
        assert!(said.contains("another run of symcrete is using"), "{said}");
    }
    let said = symcrete(&format!("replay {}", out.display())).complaint(2);
    assert!(said.contains("another run of symcrete is using"), "{said}");
    assert!(contents(&out) == before);
    // Whoever dies leaves nothing behind that has to be cleaned up.
    drop(other);
    generate(&out, "--resume").text();
}

fn listed(out: &Path) -> Vec<String> {
    let suite: Json = serde_json::from_str(&read(&out.join("suite.json"))).expect("JSON");
    let files = suite["files"].as_array().expect("a list").iter();
    files.map(|file| file.as_str().expect("a path").to_string()).collect()
}

#[expect(clippy::disallowed_methods, reason = "tests write into folders of the binary")]
fn put(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the folder is ours");
}

#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a text")
}
