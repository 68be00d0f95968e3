//! Limits hold: modules that declare more than they contain, compilers that do not end, time for a whole call.

use super::{Done, command, file, finish, folder};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A number as modules write it.
fn leb(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let rest = number >> 7;
        bytes.push(number as u8 & 0x7f | if rest > 0 { 0x80 } else { 0 });
        if rest == 0 {
            return bytes;
        }
        number = rest;
    }
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id][..], &leb(content.len() as u64), content].concat()
}

/// A module with a function `f` from `i32` to `i32`. `early` are sections before its exports, `late` those after its code.
fn module(early: &[u8], body: &[u8], late: &[u8]) -> Vec<u8> {
    let code = [&[1][..], &leb(body.len() as u64), body].concat();
    [
        &b"\0asm\x01\0\0\0"[..],
        &section(1, b"\x01\x60\x01\x7f\x01\x7f"),
        &section(3, b"\x01\0"),
        early,
        &section(7, b"\x01\x01f\0\0"),
        &section(10, &code),
        late,
    ]
    .concat()
}

/// Returns the parameter.
const BODY: &[u8] = b"\0\x20\0\x0b";
const MANY: u64 = u32::MAX as u64;

/// Modules of a few bytes that declare a lot, each with a part of the complaint.
fn greedy_modules() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let body = |parts: &[&[u8]]| parts.concat();
    let many = leb(MANY);
    let plain = |early: &[u8], late: &[u8]| module(early, BODY, late);
    let of_body = |parts: &[&[u8]]| module(&[], &body(parts), &[]);
    let table = section(4, &body(&[b"\x01\x70\0", &many]));
    let small_table = section(4, b"\x01\x70\0\x01");
    let memory = section(5, &body(&[b"\x01\0", &many]));
    let data = section(11, &body(&[&many, b"\0\x41\0\x0b\0"]));
    let elements = section(9, &body(&[b"\x01\0\x41\0\x0b", &many, b"\0"]));
    let nested = [&b"\0"[..], &b"\x02\x40".repeat(100_000), &b"\x0b".repeat(100_000), &BODY[1..]];
    // Each of these locals may have to be merged at the end of each of these blocks.
    let sets: Vec<u8> = (1..40_000).flat_map(|i| body(&[b"\x41\0\x21", &leb(i)])).collect();
    let (open, close) = (b"\x02\x40".repeat(10_000), b"\x0b".repeat(10_000));
    let merged = [&b"\x01"[..], &leb(50_000), b"\x7f", &open, &sets, &close, &BODY[1..]];
    vec![
        ("locals", of_body(&[b"\x01", &many, b"\x7f", &BODY[1..]]), "the limit is 50000"),
        ("nested", of_body(&nested), "nested blocks, the limit is 20000"),
        ("merged", of_body(&merged), "locals to merge at the ends of blocks, the limit is"),
        ("br_table", of_body(&[b"\0\x20\0\x0e", &many, b"\0\0\x0b"]), "br_table"),
        ("table", plain(&table, &[]), "elements of a table, the limit is 10000000"),
        ("memory", plain(&memory, &[]), "pages of memory, the limit is 65536"),
        ("data", plain(&section(5, b"\x01\0\x01"), &data), "data segments count exceeds limit"),
        ("elements", plain(&[&small_table[..], &elements].concat(), &[]), "invalid module"),
    ]
}

/// Runs the binary with half a gigabyte of memory for data.
#[expect(clippy::disallowed_methods, reason = "tests of the binary run it")]
fn within_little_memory(words: &str) -> Done {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v 4000000; exec {} {words}", env!("CARGO_BIN_EXE_symcrete"));
    command.args(["-c", &script]).stdin(Stdio::null());
    finish(command)
}

#[test]
fn modules_that_declare_more_than_they_have_are_refused_before_memory_is_taken() {
    let folder = folder();
    for (name, bytes, part) in greedy_modules() {
        let path = write(&folder, &format!("{name}.wasm"), &bytes);
        let path = path.display();
        for words in ["functions {}", "cfg {} -f f", "run {} -f f", "gen {} --no-out"] {
            let done = within_little_memory(&words.replace("{}", &path.to_string()));
            let complaint = done.complaint(2);
            assert!(complaint.contains(part), "{words} {name}: {complaint}");
        }
    }
}

#[test]
fn damaged_modules_are_refused_or_read_within_little_memory() {
    let folder = folder();
    let whole = module(&section(4, b"\x01\x70\0\x01"), b"\x01\x02\x7f\x20\0\x0b", &[]);
    // Every byte becomes the start of a large number.
    for at in 8..whole.len() {
        let damaged = [&whole[..at], &leb(MANY), &whole[at + 1..]].concat();
        let path = write(&folder, "damaged.wasm", &damaged);
        let done = within_little_memory(&format!("functions {}", path.display()));
        assert!(matches!(done.code, Some(0 | 2)), "byte {at}: {:?} {}", done.code, done.stderr);
    }
}

#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("the folder is ours");
    path
}

/// A folder of programs in which clang never comes to an end. It says which process it is.
struct EndlessCompiler {
    folder: TempDir,
}

impl EndlessCompiler {
    fn new() -> EndlessCompiler {
        let folder = folder();
        let home = Path::new("/usr/lib/llvm-19");
        let link = |from: PathBuf, to: &str| {
            symlink(from, folder.path().join(to)).expect("the folder is ours");
        };
        std::fs::create_dir(folder.path().join("bin")).expect("the folder is ours");
        link(home.join("lib"), "lib");
        link(home.join("bin/opt"), "bin/opt");
        let pid = folder.path().join("pid");
        let script = format!(
            "#!/bin/sh\necho $$ > {0}.new; mv {0}.new {0}; exec sleep 100000\n",
            pid.display()
        );
        let clang = write(&folder, "bin/clang-19", script.as_bytes());
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(clang, executable).expect("the file is ours");
        EndlessCompiler { folder }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = command(words);
        command
            .env("PATH", format!("{}/bin:/usr/bin:/bin", self.folder.path().display()))
            .env("SYMCRETE_CACHE", self.folder.path().join("cache"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Waits until the compiler runs; which process it is.
    #[expect(clippy::disallowed_methods, reason = "tests read what the binary writes")]
    fn process(&self) -> String {
        loop {
            match std::fs::read_to_string(self.folder.path().join("pid")) {
                Ok(id) => return id.trim().to_string(),
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

fn is_running(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}

#[test]
fn an_interrupt_ends_the_compiler_too() {
    let compiler = EndlessCompiler::new();
    let child = compiler.command(&["gen", "inputs.c", "--no-out"]).spawn().expect("it starts");
    let process = compiler.process();
    kill_process(Pid::from_child(&child), Signal::INT).expect("the process is ours");
    let output = child.wait_with_output().expect("the process is ours");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!is_running(&process), "the compiler was killed");
}

#[test]
fn compiling_that_takes_all_the_time_ends_with_a_clear_word() {
    let compiler = EndlessCompiler::new();
    let done = finish(compiler.command(&["gen", "inputs.c", "--no-out", "--total-time", "2"]));
    let complaint = done.complaint(3);
    assert!(complaint.contains("time limit reached while compiling (--total-time)"), "{complaint}");
    assert!(!is_running(&compiler.process()), "the compiler was killed");
}

#[test]
fn what_the_time_for_all_did_not_suffice_for_is_said() {
    /// Functions that no time suffices for.
    const HARD: &str = "\
int one(const unsigned char *s, unsigned n)
{
    unsigned h = 1;
    for (unsigned i = 0; i < n; i++)
        h = (h ^ s[i]) * 16777619u;
    return h == 0xdeadbeef;
}
int two(const unsigned char *s, unsigned n) { return one(s, n) && s[0] == 1; }
int three(const unsigned char *s, unsigned n) { return two(s, n) && s[0] == 2; }
";
    let folder = folder();
    let source = file(&folder, "hard.c", HARD);
    let out = folder.path().join("out");
    let words = format!("gen {source} --total-time 6 --jobs 1 --out {}", out.display());
    let done = super::symcrete(&words);
    // Whether the last function and the proof had their turn depends on the machine; that a word is said does not.
    let text = done.text();
    let has_ended = |name: &str| text.contains(&format!("\n{name} "));
    let n_not_explored = ["one", "two", "three"].iter().filter(|name| !has_ended(name)).count();
    assert_eq!(n_not_explored > 0, text.contains("not explored"), "{text}");
    assert!(text.contains("native proof: "), "{text}");
    assert!(out.join("suite.json").is_file(), "what was found is written");
}

#[test]
fn no_time_for_a_function_still_gives_its_first_test_a_state() {
    let done = super::symcrete("gen inputs.c --no-out --time 0 --json").json();
    for function in done["functions"].as_array().expect("a list") {
        let branches = &function["branches"];
        let sum: u64 = ["covered", "infeasible", "within_bounds", "open"]
            .iter()
            .map(|key| branches[key].as_u64().expect("a number"))
            .sum();
        assert_eq!(Some(sum), branches["total"].as_u64(), "{function}");
    }
}
