//! Tests that do harm: none has an effect outside its sandbox, each is reported as what it is, and nothing is left
//! running.
//!
//! In WebAssembly the functions are harmless; what they do on this machine is between `#ifndef __SYMCRETE__` and
//! `#endif`. So the harm is done by the tests of the native proof, and only there.

use super::{Done, cache, command, file, finish, folder};
use landlock::{AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use serde_json::Value as Json;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const HEADERS: &str = "#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    #include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n#ifndef __SYMCRETE__\n\
    #include <arpa/inet.h>\n#include <netinet/in.h>\n#include <sys/socket.h>\n#endif\n";

/// A folder that everybody may write to, outside the folders that the sandbox replaces.
fn open_folder() -> TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder of the build");
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).expect("ours");
    folder
}

/// A source whose function does this on this machine, where its argument is above 3.
fn source(folder: &TempDir, harm: &str) -> String {
    let text = format!(
        "{HEADERS}int f(int x)\n{{\n    if (x > 3) {{\n#ifndef __SYMCRETE__\n{harm}\n#endif\n        \
         return 1;\n    }}\n    return 2;\n}}\n"
    );
    file(folder, "harm.c", &text)
}

/// `gen` for such a source.
fn harmful(folder: &TempDir, harm: &str, more: &[&str]) -> Command {
    let source = source(folder, harm);
    let out = folder.path().join("out").display().to_string();
    let words = ["gen", &source, "--json", "--force", "--out", &out, "--cflag=-Wno-unused-result"];
    let mut command = command(&[&words, more].concat());
    command.env("SECRET", "of the user");
    command
}

fn native(done: &Done) -> Json {
    done.json()["native"].clone()
}

/// How the one test ended that did harm: `passed`, or the kind of its failure and what is said of it.
fn ended(native: &Json) -> (String, String) {
    let failed = native["failed"].as_array().expect("a list");
    match &failed[..] {
        [] => {
            assert_eq!(native["passed"], 2, "{native}");
            ("passed".to_string(), String::new())
        }
        [failed] => {
            let text = |key: &str| failed[key].as_str().expect("a text").to_string();
            (text("kind"), text("ended"))
        }
        _ => panic!("{native}"),
    }
}

/// Whether this machine has a sandbox, asked without our binary. If so, tests are strict.
#[expect(clippy::disallowed_methods, reason = "a tool of the system knows what the system has")]
fn has_sandbox() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--pid", "--net", "--mount", "--ipc", "--fork", "true"]);
    let has_namespaces = unshare.output().is_ok_and(|output| output.status.success());
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    has_namespaces
        && rules.handle_access(AccessFs::WriteFile).is_ok_and(|rules| rules.create().is_ok())
}

/// Options for a test that would do harm without a sandbox; `None` where the machine has none.
#[expect(
    clippy::print_stderr,
    reason = "a test that checks nothing must not look like one that does"
)]
fn strict() -> Option<&'static [&'static str]> {
    let is_there = has_sandbox();
    if !is_there {
        eprintln!("this machine has no sandbox: nothing harmful is tried");
    }
    is_there.then_some(&["--native-sandbox", "on"])
}

/// Whether a program with this argument is running.
fn is_running(argument: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    processes.into_iter().any(|process| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == argument.as_bytes())
    })
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no {what}");
}

#[test]
fn files_outside_are_neither_removed_nor_changed_nor_made() {
    let Some(on) = strict() else { return };
    let outside = open_folder();
    let precious = file(&outside, "precious", "mine");
    std::fs::set_permissions(&precious, PermissionsExt::from_mode(0o666)).expect("ours");
    let new = outside.path().join("new").display().to_string();
    let made = Path::new("/tmp").join(format!("symcrete-made-{}", std::process::id()));
    let rows = [
        format!("remove(\"{precious}\");"),
        format!(
            "FILE *o = fopen(\"{precious}\", \"w\"); if (o) {{ fputs(\"gone\", o); fclose(o); }}"
        ),
        format!("truncate(\"{precious}\", 0);"),
        format!("chmod(\"{precious}\", 0);"),
        format!("rename(\"{precious}\", \"{new}\");"),
        format!("FILE *o = fopen(\"{new}\", \"w\"); if (o) fclose(o);"),
        format!("symlink(\"{precious}\", \"{new}\");"),
        format!("link(\"{precious}\", \"{new}\");"),
        format!("mkdir(\"{new}\", 0777);"),
        format!("FILE *o = fopen(\"{}\", \"w\"); if (o) fclose(o);", made.display()),
        "system(\"rm -rf ../../* /var/tmp/symcrete-nothing\");".to_string(),
        "FILE *o = fopen(\"../tests.exe\", \"w\"); if (o) abort();".to_string(),
    ];
    let folder = folder();
    for harm in rows {
        let native = native(&finish(harmful(&folder, &harm, on)));
        assert_eq!(native["sandbox"]["missing"], Json::Array(Vec::new()), "{native}");
        assert_eq!(ended(&native).0, "passed", "{harm}: {native}");
        assert_eq!(std::fs::read(&precious).expect("it is still there"), b"mine", "{harm}");
        let mode = std::fs::metadata(&precious).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o666, "{harm}");
        assert!(!Path::new(&new).is_symlink() && !Path::new(&new).exists(), "{harm}");
        assert!(!made.exists(), "{harm}");
    }
}

#[test]
fn home_and_environment_are_not_the_users() {
    let Some(on) = strict() else { return };
    let (folder, home) = (folder(), open_folder());
    let rows = [
        // What it writes at home, and where it stands, it can read again.
        "char b[4096]; snprintf(b, sizeof b, \"%s/left\", getenv(\"HOME\")); FILE *o = fopen(b, \"w\"); \
         if (!o) abort(); fclose(o); if (access(\"left\", R_OK)) abort();",
        "char t[] = \"/tmp/XXXXXX\"; if (!tmpfile() || mkstemp(t) < 0) abort();",
        "if (getenv(\"SECRET\")) abort();",
        "extern char **environ; for (char **e = environ; *e; e++) if (strstr(*e, \"of the user\")) abort();",
        "char b[65536] = {0}; char p[64]; snprintf(p, sizeof p, \"/proc/%d/environ\", getppid()); \
         int i = open(p, O_RDONLY); if (i >= 0 && read(i, b, sizeof b) > 0) abort();",
    ];
    for harm in rows {
        let mut command = harmful(&folder, harm, on);
        command.env("HOME", home.path()).env("SYMCRETE_CACHE", cache());
        // Nothing is built into that home.
        command.env("SYMCRETE_DATA_MODEL", "ilp32");
        let native = native(&finish(command));
        assert_eq!(ended(&native).0, "passed", "{harm}: {native}");
        let left: Vec<_> = std::fs::read_dir(home.path()).expect("a folder").collect();
        assert!(left.is_empty(), "{harm}: {left:?}");
    }
}

#[test]
fn nothing_is_sent_to_the_network_or_to_other_processes() {
    let Some(on) = strict() else { return };
    let folder = folder();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("it can");
    let port = listener.local_addr().expect("bound").port();
    let connect = format!(
        "int s = socket(AF_INET, SOCK_STREAM, 0); struct sockaddr_in a; memset(&a, 0, sizeof a); \
         a.sin_family = AF_INET; a.sin_port = htons({port}); a.sin_addr.s_addr = htonl(0x7f000001); \
         if (connect(s, (struct sockaddr *)&a, sizeof a) == 0) abort();"
    );
    let native_json = native(&finish(harmful(&folder, &connect, on)));
    assert_eq!(ended(&native_json).0, "passed", "{native_json}");
    assert!(listener.accept().is_err(), "somebody connected");

    #[expect(clippy::disallowed_methods, reason = "the test needs a process to be killed")]
    let mut victim = Command::new("sleep").arg("100").spawn().expect("it starts");
    let kill = format!("kill({}, SIGKILL);", victim.id());
    let native = native(&finish(harmful(&folder, &kill, on)));
    assert_eq!(ended(&native).0, "passed", "{native}");
    let is_alive = victim.try_wait().expect("it is ours").is_none();
    victim.kill().expect("it is ours");
    victim.wait().expect("it is ours");
    assert!(is_alive, "the test killed a process of somebody else");
}

#[test]
fn children_do_not_outlive_their_test() {
    let child = "if (fork() == 0) { setsid(); if (fork() == 0) \
         execlp(\"sleep\", \"sleep\", \"297.125\", (char *)0); _exit(0); } usleep(300000);";
    let folder = folder();
    // Also where there is no sandbox.
    for whether in ["auto", "off"] {
        let done = finish(harmful(&folder, child, &["--native-sandbox", whether]));
        assert_eq!(ended(&native(&done)).0, "passed", "{whether}");
        assert!(!is_running("297.125"), "{whether}");
    }
}

#[test]
fn what_takes_too_much_is_ended_and_reported() {
    let Some(on) = strict() else { return };
    let folder = folder();
    let rows = [
        ("for (;;) pause();", "timed-out", "took too long"),
        (
            "signal(SIGTERM, SIG_IGN); signal(SIGXCPU, SIG_IGN); for (;;) {}",
            "timed-out",
            "too long",
        ),
        ("for (;;) fork();", "timed-out", "took too long"),
        ("for (;;) { char *p = malloc(1 << 20); *p = 1; }", "crashed", "signal 11"),
        (
            "char b[4096] = {0}; int o = open(\"o\", O_CREAT | O_WRONLY, 0600); \
          while (write(o, b, sizeof b) > 0) {}",
            "crashed",
            "beyond the limit on sizes",
        ),
        (
            "int n = 0; while (open(\"/dev/null\", O_RDONLY) >= 0) n++; if (n > 1000) for (;;) {}",
            "passed",
            "",
        ),
        ("char *p = 0; *p = 1;", "crashed", "signal 11"),
        ("abort();", "crashed", "signal 6"),
        ("raise(SIGKILL);", "crashed", "signal 9"),
        ("exit(7);", "crashed", "exit code 7"),
    ];
    for (harm, kind, said) in rows {
        // Only what never ends is worth a short time: on a busy machine everything else may need a long one.
        let time = ["--native-time", if kind == "timed-out" { "4" } else { "100" }];
        let native = native(&finish(harmful(&folder, harm, &[on, &time].concat())));
        let (found, text) = ended(&native);
        assert!(found == kind && text.contains(said), "{harm}: {native}");
    }
    // The programs of tests are called like this; those of other tests run at the same time, but not for long.
    wait_until("end of all tests", || !is_running("test_f_2"));
}

/// `gen` whose test waits for ever, ended by this signal while it waits.
fn ended_by(signal: rustix::process::Signal, argument: &str, whether: &str) {
    let folder = folder();
    let wait = format!("execlp(\"sleep\", \"sleep\", \"{argument}\", (char *)0);");
    let words = ["--native-sandbox", whether, "--native-time", "600"];
    let mut command = harmful(&folder, &wait, &words);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    wait_until("test that waits", || is_running(argument));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).expect("ours");
    child.wait().expect("it is ours");
    wait_until("end of the test", || !is_running(argument));
}

#[test]
fn tests_end_with_us() {
    use rustix::process::Signal;
    ended_by(Signal::INT, "297.126", "auto");
    ended_by(Signal::KILL, "297.127", "auto");
    ended_by(Signal::KILL, "297.128", "off");
}

#[test]
fn without_a_sandbox_tests_run_as_they_are() {
    let folder = folder();
    let done =
        finish(harmful(&folder, "if (!getenv(\"SECRET\")) abort();", &["--native-sandbox", "off"]));
    let native = native(&done);
    assert_eq!(ended(&native).0, "passed", "{native}");
    assert_eq!(native["sandbox"]["walls"], Json::Array(Vec::new()), "{native}");
    let out = folder.path().join("out").display().to_string();
    let said = finish(command(&["replay", &out, "--native-sandbox", "off"]));
    assert_eq!(said.code, Some(1), "without the variable the test fails: {}", said.stdout);
    assert!(said.stdout.contains("the sandbox is off"), "{}", said.stdout);
}

/// Our binary where no further user namespace can be made, and where its user is the only one.
#[expect(clippy::disallowed_methods, reason = "a tool of the system makes such a place")]
fn without_namespaces(words: &[&str]) -> Command {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces; \
        echo 0 > /proc/sys/user/max_pid_namespaces; exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_symcrete")).args(words);
    command.env("SYMCRETE_CACHE", cache()).stdin(Stdio::null());
    command
}

#[test]
fn where_there_are_no_namespaces_the_rest_holds_and_it_is_said() {
    if strict().is_none() {
        return;
    }
    let (folder, outside) = (folder(), open_folder());
    let precious = file(&outside, "precious", "mine");
    let harm = format!(
        "remove(\"{precious}\"); if (getenv(\"SECRET\")) abort(); if (fork() == 0) {{ setsid(); \
         if (fork() == 0) execlp(\"sleep\", \"sleep\", \"297.129\", (char *)0); _exit(0); }} usleep(300000);"
    );
    finish(harmful(&folder, &harm, &["--no-native"])).text();
    let out = folder.path().join("out").display().to_string();
    let mut replay = without_namespaces(&["replay", &out, "--json"]);
    replay.env("SECRET", "of the user");
    let done = finish(replay);
    let native = done.json();
    assert_eq!(native["sandbox"]["walls"], serde_json::json!(["landlock"]), "{native}");
    assert_eq!(native["failed"], Json::Array(Vec::new()), "{native}");
    assert!(Path::new(&precious).exists());
    assert!(!is_running("297.129"));
    let text = finish(without_namespaces(&["replay", &out])).text().to_string();
    assert!(text.contains("tests ran in only a part of the sandbox"), "{text}");
    assert!(text.contains("namespaces ("), "{text}");
    // Said, or refused where that was asked for.
    let refused = finish(without_namespaces(&["replay", &out, "--native-sandbox", "on"]));
    let said = refused.complaint(3);
    assert!(said.contains("this machine lacks parts of the sandbox: "), "{said}");
}

#[test]
fn a_user_without_rights_has_the_whole_sandbox_too() {
    let is_root = rustix::process::geteuid().is_root();
    if strict().is_none() || !is_root {
        // Everybody else is such a user in all the other tests.
        return;
    }
    let (folder, outside) = (open_folder(), open_folder());
    let may_enter = |path: &Path| {
        std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o001 != 0)
    };
    if !folder.path().ancestors().all(may_enter) {
        // Below a folder that only we may enter, as in a home, nobody else finds the tests.
        return;
    }
    let precious = file(&outside, "precious", "mine");
    std::fs::set_permissions(&precious, PermissionsExt::from_mode(0o666)).expect("ours");
    let harm = format!(
        "remove(\"{precious}\"); chmod(\"{precious}\", 0); if (getuid() != 54321) abort(); for (;;) fork();"
    );
    finish(harmful(&folder, &harm, &["--no-native"])).text();
    // The binary may be where only we can go.
    let binary = folder.path().join("symcrete");
    std::fs::copy(env!("CARGO_BIN_EXE_symcrete"), &binary).expect("the folder is ours");
    let out = folder.path().join("out").display().to_string();
    #[expect(clippy::disallowed_methods, reason = "a tool of the system changes the user")]
    let mut command = Command::new("setpriv");
    command.args(["--reuid=54321", "--regid=54321", "--clear-groups"]).arg(&binary);
    command.args(["replay", &out, "--json", "--native-sandbox", "on", "--native-time", "4"]);
    command.env("PATH", "/usr/bin:/bin").env("TMPDIR", "/tmp").stdin(Stdio::null());
    let done = finish(command);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let native: Json = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(ended(&native).0, "timed-out", "{native}");
    assert_eq!(std::fs::read(&precious).expect("it is still there"), b"mine");
}

#[test]
fn the_command_that_contains_is_not_for_people() {
    let help = finish(command(&["--help"]));
    assert!(!help.text().contains("__contained"), "{}", help.stdout);
}
