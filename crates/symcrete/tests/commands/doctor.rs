//! `symcrete doctor`: what this machine has, and the solvers that it installs.

use super::{Done, command, file, finish, folder};
use serde_json::Value as Json;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A doctor that sees only the programs of one folder, and a user whose folders are empty. Our own executable is copied:
/// solvers are looked for beside it too.
struct Machine {
    folder: TempDir,
    binary: PathBuf,
}

impl Machine {
    fn new() -> Machine {
        let folder = folder();
        let binary = folder.path().join("symcrete");
        std::fs::copy(env!("CARGO_BIN_EXE_symcrete"), &binary).expect("there is room");
        std::fs::create_dir(folder.path().join("bin")).expect("ours");
        Machine { folder, binary }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a program of this machine visible.
    fn with(self, programs: &[&str]) -> Machine {
        let path = std::env::var_os("PATH").expect("there is one");
        for program in programs {
            let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
            let found = places.find(|file| file.is_file()).expect("the tests need it");
            symlink(found, self.path("bin").join(program)).expect("ours");
        }
        self
    }

    /// Makes a program visible that is a script.
    fn with_script(self, name: &str, text: &str) -> Machine {
        let script = file(&self.folder, &format!("bin/{name}"), &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(script, PermissionsExt::from_mode(0o755)).expect("ours");
        self
    }

    #[expect(clippy::disallowed_methods, reason = "tests of the binary run it")]
    fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(&self.binary);
        command.args(words).current_dir(self.folder.path()).stdin(std::process::Stdio::null());
        command.env("PATH", self.path("bin")).env("HOME", self.path("home"));
        for variable in ["XDG_DATA_HOME", "XDG_CACHE_HOME", "SYMCRETE_SOLVERS", "SYMCRETE_CACHE"] {
            command.env_remove(variable);
        }
        command
    }

    fn doctor(&self, words: &[&str]) -> Done {
        finish(self.command(&[&["doctor"], words].concat()))
    }

    fn data(&self) -> PathBuf {
        self.path("home/.local/share/symcrete")
    }

    /// What is in the data folder.
    fn installed(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.data()).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

fn checks(done: &Done) -> Vec<Json> {
    let json: Json = serde_json::from_str(&done.stdout).expect("JSON");
    json["checks"].as_array().expect("a list").clone()
}

fn check(done: &Done, name: &str) -> Json {
    let checks = checks(done);
    checks.into_iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn a_machine_that_runs_these_tests_is_ready() {
    let done = finish(command(&["doctor", "--json"]));
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let necessary = checks(&done).into_iter().filter(|check| check["necessary"] == true);
    let necessary: Vec<Json> = necessary.collect();
    assert!(necessary.iter().all(|check| check["ok"] == true), "{necessary:?}");
    let names: Vec<&str> = necessary.iter().filter_map(|check| check["name"].as_str()).collect();
    for name in ["clang", "opt", "wasm-ld", "WebAssembly", "native compiler", "sanitizers", "z3"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let text = finish(command(&["doctor"]));
    assert!(text.text().contains("has everything it needs"), "{}", text.text());
}

#[test]
fn everything_that_is_missing_is_named_with_what_gets_it() {
    let machine = Machine::new();
    let done = machine.doctor(&[]);
    let complaint = done.complaint(3);
    assert!(complaint.contains("WebAssembly, native compiler, bitwuzla, z3"), "{complaint}");
    for line in ["missing  WebAssembly", "missing  native compiler", "missing  z3", "weak     cvc5"]
    {
        assert!(done.stdout.contains(line), "{line}:\n{}", done.stdout);
    }
    assert!(done.stdout.contains("symcrete doctor --install"), "{}", done.stdout);
    assert!(done.stdout.contains("clang-19 lld-19 llvm-19 wasi-libc"), "{}", done.stdout);
    assert!(machine.installed().is_empty(), "looking makes nothing");
}

/// All missing parts of a compiler at once, not the first; the linker is an alias that only Debian has with a number.
#[test]
fn the_parts_that_a_compiler_lacks_are_listed_one_by_one() {
    let machine =
        Machine::new().with_script("clang", "echo clang version 19.1.7").with(&["apt-get"]);
    let done = machine.doctor(&["--json"]);
    assert_eq!(done.code, Some(3), "{}", done.stdout);
    for (part, package) in [("opt", "llvm-19"), ("wasm-ld", "lld-19")] {
        let check = check(&done, part);
        assert_eq!(check["ok"], false, "{check}");
        let fix = check["fix"].as_str().expect("it can be had");
        assert!(fix.ends_with(&format!("apt-get install {package}")), "{fix}");
    }
    let sanitizers = check(&done, "sanitizers");
    assert_eq!(sanitizers["ok"], false, "a compiler that compiles nothing: {sanitizers}");
}

#[test]
fn a_solver_that_does_not_answer_is_as_good_as_none() {
    let machine = Machine::new().with_script("z3", "echo what?");
    let check = check(&machine.doctor(&["--json"]), "z3");
    assert_eq!((&check["ok"], &check["necessary"]), (&Json::from(false), &Json::from(true)));
    assert!(check["detail"].as_str().is_some_and(|text| text.contains("does not work")), "{check}");
}

#[test]
fn where_only_named_folders_are_searched_installing_is_not_enough() {
    let machine = Machine::new();
    let mut command = machine.command(&["doctor", "--json"]);
    command.env("SYMCRETE_SOLVERS", "/nonexistent");
    let fix = check(&finish(command), "z3")["fix"].clone();
    assert_eq!(fix, "unset SYMCRETE_SOLVERS && symcrete doctor --install");
}

#[test]
fn an_installation_that_fails_says_why_and_leaves_nothing() {
    let no_python = Machine::new();
    assert!(no_python.doctor(&["--install"]).complaint(3).contains("python3 was not found"));

    // As Debian's Python does without its package for environments.
    let no_venv =
        Machine::new().with_script("python3", "echo 'ensurepip is not available'; exit 1");
    let complaint = no_venv.doctor(&["--install"]).complaint(3);
    assert!(
        complaint.contains("cannot make environments: ensurepip is not available"),
        "{complaint}"
    );
    assert!(complaint.contains("python3-venv"), "{complaint}");

    let make = |pip: &str| {
        format!(
            "if [ \"$2\" = venv ]; then /bin/mkdir -p \"$3/bin\"; /bin/cp \"$0\" \"$3/bin/python3\"; exit; fi\n{pip}"
        )
    };
    let no_network = make(
        "echo 'WARNING: Retrying: NewConnectionError(refused)'; echo 'ERROR: No matching'; exit 1",
    );
    let no_network = Machine::new().with_script("python3", &no_network);
    let complaint = no_network.doctor(&["--install"]).complaint(3);
    let said = "z3-solver==5.4.0.0 cannot be installed: the package index cannot be reached";
    assert!(complaint.contains(said), "{complaint}");
    assert!(complaint.contains("PIP_INDEX_URL"), "{complaint}");

    // Everything succeeds, and no solver is there.
    let no_solver = Machine::new().with_script("python3", &make("exit 0"));
    let complaint = no_solver.doctor(&["--install"]).complaint(3);
    assert!(
        complaint.contains("was installed, but solver `bitwuzla` is not installed"),
        "{complaint}"
    );

    for machine in [no_python, no_venv, no_network, no_solver] {
        assert!(machine.installed().is_empty(), "{:?}", machine.installed());
    }
}

#[test]
fn what_a_killed_installation_left_goes_with_the_next() {
    let machine = Machine::new().with_script("python3", "echo no; exit 1");
    std::fs::create_dir_all(machine.data().join(".unfinished-x/environment")).expect("ours");
    machine.doctor(&["--install"]).complaint(3);
    assert!(machine.installed().is_empty(), "{:?}", machine.installed());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests write their input")]
fn a_data_folder_that_cannot_be_made_is_named() {
    let machine = Machine::new().with_script("python3", "exit 1");
    std::fs::write(machine.path("home"), "a file").expect("ours");
    let complaint = machine.doctor(&["--install"]).complaint(3);
    assert!(complaint.contains("home/.local/share/symcrete"), "{complaint}");
}

/// The packages that these tests run with, packed again as wheels, are installed as they would be from an index; then the
/// binary finds them in a folder that has nothing of this repository.
#[test]
#[expect(clippy::disallowed_methods, reason = "tests run Python")]
fn installed_solvers_are_found_everywhere() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/venv");
    let machine = Machine::new();
    let wheels = machine.path("wheels");
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/pack_wheels.py");
    let packed =
        std::process::Command::new(tools.join("bin/python3")).arg(pack).arg(&wheels).output();
    let packed = packed.expect("`make tools` installs the solvers that tests need");
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));

    // The interpreter that the solvers of `.tools` were built for.
    let python = tools.join("bin/python3").canonicalize().expect("it is there");
    symlink(python, machine.path("bin").join("python3")).expect("ours");
    let install = || {
        let mut command = machine.command(&["doctor", "--install", "--json"]);
        command.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", &wheels);
        finish(command)
    };
    let done = install();
    assert_eq!(machine.installed(), ["solvers"], "{}{}", done.stdout, done.stderr);
    for solver in ["bitwuzla", "z3", "cvc5"] {
        let check = check(&done, solver);
        let place = machine.data().join("solvers/bin");
        assert_eq!(check["ok"], true, "{check}");
        let detail = check["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(&place.display().to_string()), "{detail}");
    }
    assert!(
        install().stderr.contains("are already installed"),
        "the second time there is nothing to do"
    );

    let script = "(declare-const x (_ BitVec 8)) (assert (= (bvmul x x) #x31)) (check-sat)";
    let script = file(&machine.folder, "a.smt2", script);
    for solver in ["bitwuzla", "z3", "cvc5"] {
        let done = finish(machine.command(&["solve", &script, "--solver", solver]));
        assert_eq!(done.text(), "sat\n", "{solver}");
    }

    // A Python that went away takes its modules with it, and they come back.
    std::fs::remove_file(machine.data().join("solvers/bin/python3")).expect("ours");
    let done = install();
    assert!(done.stderr.contains("creating a Python environment"), "{}", done.stderr);
    assert_eq!(check(&done, "bitwuzla")["ok"], true);
    assert_eq!(machine.installed(), ["solvers"]);
}
