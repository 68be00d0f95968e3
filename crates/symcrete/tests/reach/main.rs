//! `symcrete reach` on real C: the programs of Dinges and Agha 2014, further targets, wrong input, and random
//! functions whose every line is also reached, or not, by native runs of all inputs.

mod bad_input;
mod cases;
mod oracle;
mod traps;
mod writer;

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Compiled programs are kept for the tests of this process.
fn cache() -> &'static Path {
    static CACHE: OnceLock<TempDir> = OnceLock::new();
    CACHE.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path()
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/reach")
}

/// Runs `symcrete reach` in the folder of the cases: exit code, output, complaint in one line.
#[expect(clippy::disallowed_methods, reason = "tests of the binary run it")]
fn reach(words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_symcrete"))
        .arg("reach")
        .args(words)
        .current_dir(cases())
        .env("SYMCRETE_CACHE", cache())
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    let complaint = text(output.stderr);
    let words: Vec<&str> = complaint.split_whitespace().filter(|word| *word != "|").collect();
    (output.status.code(), text(output.stdout), words.join(" "))
}

/// The answers of a call that must succeed.
fn answers(words: &[&str]) -> Vec<Json> {
    let words: Vec<&str> = words.iter().copied().chain(["--json", "--no-native"]).collect();
    let (code, output, complaint) = reach(&words);
    assert_eq!(code, Some(0), "{words:?}: {complaint}");
    let json: Json = serde_json::from_str(&output).expect("JSON");
    json["targets"].as_array().expect("a list of targets").clone()
}
