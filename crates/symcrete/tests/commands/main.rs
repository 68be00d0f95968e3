//! The real binary on C programs, command by command. The programs are in `tests/cases/commands`, where the
//! binary runs, so places read `inputs.c:14`.

mod addresses;
mod api;
mod arguments;
mod asked;
mod backward;
mod bad_input;
mod before;
mod callbacks;
mod calls;
mod cfg;
mod checks;
mod claims;
mod constants;
mod contained;
mod data_models;
mod directions;
mod disk;
mod doctor;
mod effects;
mod endings;
mod entered;
mod environment;
mod files;
mod fills;
mod flags;
mod folders;
mod frees;
mod functions;
mod gaps;
mod generate;
mod growing;
mod handed_on;
mod harnesses;
mod jumps;
mod kills;
mod limits;
mod local_time;
mod memory;
mod middles;
mod native;
mod other_tools;
mod outcomes;
mod overflow;
mod paths;
mod replay;
mod resume;
mod run;
mod sanitized;
mod screen;
mod sharing;
mod shown;
mod structures;
mod suites;
mod undefined;
mod uninitialized;
mod verdicts;
mod wide;
mod written;

use serde_json::Value as Json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// How a command ended.
struct Done {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Done {
    /// What a command says that must succeed.
    fn text(&self) -> &str {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        &self.stdout
    }

    /// The one JSON value that a command prints that must succeed.
    fn json(&self) -> Json {
        serde_json::from_str(self.text()).expect("JSON")
    }

    /// The complaint of a command that must fail, in one line.
    fn complaint(&self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        // Long lines of a report are broken and start with a bar.
        self.stderr.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ")
    }
}

/// Compiled programs are kept for the tests of this process.
fn cache() -> &'static Path {
    static CACHE: OnceLock<TempDir> = OnceLock::new();
    CACHE.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path()
}

/// The command, ready to be started.
#[expect(clippy::disallowed_methods, reason = "tests of the binary run it")]
fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symcrete"));
    command
        .args(words)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/commands"))
        .env("SYMCRETE_CACHE", cache())
        .stdin(Stdio::null());
    command
}

fn finish(mut command: Command) -> Done {
    let output = command.output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    Done { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs the binary; words are separated by blanks.
fn symcrete(words: &str) -> Done {
    finish(command(&words.split_whitespace().collect::<Vec<_>>()))
}

/// `run` with an input.
fn run(words: &str, input: &str) -> Done {
    let words = words.split_whitespace();
    finish(command(&["run"].into_iter().chain(words).chain(["--input", input]).collect::<Vec<_>>()))
}

/// A file with this text.
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("the folder is ours");
    path.to_str().expect("temporary folders have plain names").to_string()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The conditions of the source on a path: `inputs.c:14: a < 0 → true`.
fn conditions(run: &Json) -> Vec<String> {
    let path = run["path"].as_array().expect("a path is a list").iter();
    path.filter(|step| step["origin"] == "branch" || step["origin"] == "select")
        .map(|step| {
            let text = |key: &str| step[key].as_str().unwrap_or("?").to_string();
            format!("{}:{}: {} → {}", text("file"), step["line"], text("condition"), step["holds"])
        })
        .collect()
}

fn keys(json: &Json) -> Vec<&str> {
    json.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// What `gen` found of a function.
fn function<'a>(found: &'a Json, name: &str) -> &'a Json {
    let functions = found["functions"].as_array().expect("a list");
    functions.iter().find(|function| function["name"] == name).expect("it was tested")
}
