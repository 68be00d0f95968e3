//! Output folders that are taken, cannot be written, or become full.

use super::{Done, cache, command, file, finish, folder, symcrete};
use serde_json::Value as Json;
use std::path::Path;
use std::process::{Command, Stdio};

fn generate(out: &Path, more: &str) -> Done {
    symcrete(&format!("gen branches.c --no-native --out {} {more}", out.display()))
}

#[test]
fn a_folder_that_exists_is_not_touched_unless_asked() {
    let folder = folder();
    let precious = file(&folder, "precious.txt", "mine");
    let said = generate(folder.path(), "").complaint(2);
    assert!(said.contains("continue it with --resume, replace it with --force"), "{said}");
    // Neither option is for folders that are not ours.
    std::fs::create_dir(folder.path().join("tests")).expect("the folder is ours");
    let own = file(&folder, "tests/own.c", "int own;\n");
    let said = generate(folder.path(), "--force").complaint(2);
    assert!(
        said.contains("has no suite.json of ours that lists its files, so it is not replaced"),
        "{said}"
    );
    let said = generate(folder.path(), "--resume").complaint(2);
    assert!(said.contains("nothing to resume"), "{said}");
    assert!(Path::new(&precious).exists() && Path::new(&own).exists());
    let out = folder.path().join("out");
    generate(&out, "--function magic").text();
    generate(&out, "--function ranges").complaint(2);
    generate(&out, "--function ranges --force").text();
    assert!(out.join("tests/test_ranges.c").exists() && !out.join("tests/test_magic.c").exists());
}

#[test]
fn a_file_is_no_folder() {
    let folder = folder();
    let taken = file(&folder, "taken", "mine");
    for more in ["", "--force", "--resume"] {
        let said = generate(Path::new(&taken), more).complaint(2);
        assert!(said.contains("is a file: name a folder for the tests with --out"), "{said}");
    }
    let said = generate(&Path::new(&taken).join("below"), "").complaint(2);
    assert!(said.contains("is below a file: name a folder"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named_before_anything_is_explored() {
    // Nobody can write there, not even the administrator.
    let said = generate(Path::new("/proc/symcrete-out"), "").complaint(3);
    assert!(said.contains("cannot write `/proc/symcrete-out`"), "{said}");
    assert!(said.contains("name another folder with --out"), "{said}");
}

/// `gen` with a limit on the size of files, which acts like a disk that becomes full.
#[expect(clippy::disallowed_methods, reason = "only a shell sets limits for others")]
fn generate_with_limit(out: &Path, blocks: u32) -> Done {
    let mut shell = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let out = out.to_str().expect("temporary folders have plain names");
    shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_symcrete")]);
    shell.args(["gen", "branches.c", "--no-native", "--out", out]);
    shell.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/commands"));
    shell.env("SYMCRETE_CACHE", cache()).stdin(Stdio::null());
    finish(shell)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
fn a_full_disk_leaves_what_was_written_and_can_be_resumed() {
    let folder = folder();
    // Compiles the program, whose files are larger than the limit.
    generate(&folder.path().join("warm"), "").text();
    let out = folder.path().join("out");
    let said = generate_with_limit(&out, 16).complaint(3);
    assert!(said.contains("cannot write"), "{said}");
    assert!(said.contains("what was written before is complete"), "{said}");
    let bytes = std::fs::read(out.join("suite.json")).expect("the first suite is small enough");
    let suite: Json = serde_json::from_slice(&bytes).expect("JSON");
    for unit in suite["units"].as_array().expect("a list") {
        if let Some(file) = unit["test_file"].as_str() {
            let text = std::fs::read_to_string(out.join(file)).expect("what is named is there");
            assert!(text.ends_with("}\n"), "{text}");
        }
    }
    let drafts = std::fs::read_dir(&out).expect("a folder").flatten();
    let is_draft = |name: &str| name.ends_with(".draft");
    assert!(!drafts.into_iter().any(|entry| is_draft(&entry.file_name().to_string_lossy())));
    generate(&out, "--resume").text();
    let mut replay = command(&["replay"]);
    replay.arg(&out);
    finish(replay).text();
}
