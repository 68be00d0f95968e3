//! Builds C files with the front end. The engine's tests use this file too.

use std::path::{Path, PathBuf};
use std::process::Command;
use symcrete_program::frontend::{Check, CompileOptions, Toolchain, compile};
use symcrete_program::{Program, ReadOptions, read_program};

/// A folder of test data.
pub(crate) fn cases(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases").join(folder)
}

/// The C files of a folder of test data.
pub(crate) fn c_files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(cases(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Runs a command; panics with its output if it fails.
#[expect(clippy::disallowed_methods, reason = "a test runs the compiler")]
pub(crate) fn run(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {stderr}");
    output.stdout
}

/// Compiles and links one file.
pub(crate) fn module(source: &Path, checks: &[Check]) -> Vec<u8> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debug-cache");
    let options = CompileOptions {
        files: vec![source.to_owned()],
        cflags: vec!["-w".into()],
        checks: checks.to_vec(),
        ..CompileOptions::default()
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let toolchain = Toolchain::find(&folders).unwrap();
    compile(&toolchain, &options, &cache).unwrap().wasm
}

/// Compiles a file and reads the program back.
#[expect(clippy::disallowed_methods, reason = "a test reads its sources")]
pub(crate) fn program(source: &Path, checks: &[Check]) -> Program {
    let load = |path: &Path| std::fs::read_to_string(path).ok();
    let options = ReadOptions { user_files: vec![source.to_owned()], load: &load };
    read_program(module(source, checks), &options).unwrap()
}
