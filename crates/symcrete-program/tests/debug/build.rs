//! Builds C files with the commands of the front end's pipeline, and natively with coverage.

use std::path::{Path, PathBuf};
use std::process::Command;
use symcrete_program::frontend::{Check, CompileOptions, Toolchain, compile};
use symcrete_program::{Program, ReadOptions, read_program};

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
    let folders: Vec<PathBuf> = ["/usr/bin", "/usr/local/bin"].map(PathBuf::from).to_vec();
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

/// What `llvm-cov` says of a native build and run of a file.
pub(crate) fn coverage(source: &Path) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (program, raw, profile) = (path("program"), path("raw"), path("profile"));
    let source = source.to_str().unwrap();
    let flags = ["-w", "-fwrapv", "-fprofile-instr-generate", "-fcoverage-mapping", source, "-lm"];
    let mut arguments = flags.to_vec();
    arguments.extend(["-o", &program]);
    run("clang-19", &arguments);
    run("env", &[&format!("LLVM_PROFILE_FILE={raw}"), &program]);
    run("llvm-profdata-19", &["merge", &raw, "-o", &profile]);
    let export = run("llvm-cov-19", &["export", &program, &format!("-instr-profile={profile}")]);
    serde_json::from_slice(&export).unwrap()
}
