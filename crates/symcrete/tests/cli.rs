//! The real binary: answers, bad input, missing solvers, interrupts, pipes.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A script file in a folder of its own.
struct ScriptFile {
    folder: TempDir,
}

impl ScriptFile {
    fn new(text: impl AsRef<[u8]>) -> ScriptFile {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = ScriptFile { folder };
        file.write(text);
        file
    }

    #[expect(clippy::disallowed_methods, reason = "tests write their input")]
    fn write(&self, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(), text).expect("the folder is ours");
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("query.smt2")
    }
}

#[expect(clippy::disallowed_methods, reason = "tests of the binary run it")]
fn program(name: &str) -> Command {
    Command::new(name)
}

fn symcrete() -> Command {
    program(env!("CARGO_BIN_EXE_symcrete"))
}

fn solve(text: &str, options: &[&str]) -> Output {
    let file = ScriptFile::new(text);
    symcrete().arg("solve").arg(file.path()).args(options).output().expect("the binary starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("answers are text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("reports are text")
}

const SMALL: &str = "(declare-const x (_ BitVec 4))\n(assert (= (bvmul x x) #x9))\n(check-sat)\n";

#[test]
fn answers_follow_smtlib() {
    let text = format!("{SMALL}(get-value (x))\n(assert (bvult x #x3))\n(check-sat)\n");
    let output = solve(&text, &["--solver", "enumerate"]);
    assert_eq!(stdout(&output), "sat\n((x #x3))\nunsat\n");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn json_has_one_object_per_question() {
    let text = format!("{SMALL}(echo \"not shown\")\n(assert false)\n(check-sat)\n");
    let output = solve(&text, &["--solver", "enumerate", "--json"]);
    let text = stdout(&output);
    let objects: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 2);
    let keys: Vec<&str> = objects[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["model", "solver", "steps", "time_ms", "verdict", "why"]);
    assert_eq!(objects[0]["verdict"], "sat");
    assert_eq!(objects[0]["model"][0]["name"], "x");
    assert_eq!(objects[0]["model"][0]["value"], "#x3");
    assert_eq!(objects[0]["solver"], "enumerate");
    assert_eq!(objects[1]["verdict"], "unsat");
    assert!(objects[1]["model"].is_null());
}

#[test]
fn unknown_has_a_reason_and_is_no_failure() {
    let text = "(declare-const x (_ BitVec 32)) (assert (distinct x x x)) (assert (= (bvmul x x) #x00000003))
        (check-sat) (get-info :reason-unknown)";
    let output = solve(text, &["--solver", "random", "--steps", "50", "--stats"]);
    let lines = stdout(&output);
    assert!(lines == "unknown\n(:reason-unknown \"out of steps\")\n" || lines.starts_with("unsat"));
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).starts_with("; un"), "{}", stderr(&output));
}

#[test]
fn statistics_do_not_disturb_answers() {
    let output = solve(SMALL, &["--solver", "enumerate", "--stats"]);
    assert_eq!(stdout(&output), "sat\n");
    assert!(stderr(&output).contains("sat by enumerate in "), "{}", stderr(&output));
}

#[test]
fn bad_input_is_reported_with_its_place() {
    let head = "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n";
    for (wrong, place, words) in [
        ("(assert (= y x))", "3:12", "unknown symbol `y`"),
        ("(assert (= (bvad x x) x))", "3:13", "did you mean `bvadd`"),
        ("(asert (= x x))", "3:2", "did you mean `assert`?"),
        ("(assert\n  (= x #x0))", "4:8", "expects (_ BitVec 8) here, found (_ BitVec 4)"),
        ("(assert (bvadd x x))", "3:9", "expects Bool here"),
        ("(assert (bvnot x x))", "3:9", "`bvnot` takes 1 argument, found 2"),
        ("(declare-const y (_ BitVec))", "3:18", "expected one number"),
        ("(assert (= x #xzz))", "3:14", "malformed hexadecimal"),
        ("(check-sat))", "3:12", "this `)` closes nothing"),
        ("(check-sat", "3:1", "the script ends inside the list that opens here"),
        ("(echo \"abc)", "3:7", "the script ends inside a string"),
        ("check-sat", "3:1", "expected a command in parentheses"),
        ("(assert (= x [x]))", "3:14", "unexpected character '['"),
        ("(pop)", "3:1", "pop 1 with only 0 levels open"),
        ("(get-model)", "3:1", "no model"),
    ] {
        let output = solve(&format!("{head}{wrong}\n"), &["--solver", "enumerate"]);
        let report = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {report}");
        assert!(report.contains(&format!("query.smt2:{place}]")), "{wrong}: {report}");
        let flat = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{wrong}: {report}");
    }
}

#[test]
fn bytes_that_are_no_text_are_bad_input() {
    let file = ScriptFile::new(b"(check-sat)\n(echo \"\xff\xfe\")");
    let output = symcrete().arg("solve").arg(file.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("not UTF-8"), "{}", stderr(&output));
}

#[test]
fn a_script_cut_anywhere_is_done_or_bad_input() {
    let sample = "(set-logic QF_BVFP) ; cut me\n(declare-const x (_ BitVec 4))\n\
        (define-fun f ((y (_ BitVec 4))) Bool (bvult y #xa))\n\
        (assert (! (let ((z (bvadd x #x1)) (|w w| 0.5)) (f z)) :named n))\n\
        (push 1)(check-sat)(echo \"a\"\"b\")(pop 1)\n";
    let file = ScriptFile::new("");
    for end in 0..=sample.len() {
        file.write(&sample[..end]);
        let output = symcrete()
            .arg("solve")
            .arg(file.path())
            .args(["--solver", "enumerate"])
            .output()
            .unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 2)), "{code:?} at {end}: {}", stderr(&output));
    }
}

#[test]
fn arguments_that_make_no_sense_are_usage_errors() {
    for arguments in [
        vec!["solve"],
        vec!["solve", "no-such-file.smt2"],
        vec!["solve", "-", "--timeout", "-1"],
        vec!["solve", "-", "--steps", "many"],
        vec!["solve", "-", "--solver", "no-such-solver"],
        vec!["nonsense"],
    ] {
        let output = symcrete().args(&arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_missing_solver_is_named_with_its_cure() {
    let file = ScriptFile::new(SMALL);
    for solver in ["z3", "bitwuzla", "cvc5"] {
        let mut command = symcrete();
        command.arg("solve").arg(file.path()).args(["--solver", solver]);
        let output = command.env("SYMCRETE_SOLVERS", "/nonexistent").output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        let report = stderr(&output);
        assert!(report.contains(solver) && report.contains("SYMCRETE_SOLVERS"), "{report}");
    }
}

#[test]
fn without_any_smt_solver_the_default_still_searches() {
    let file = ScriptFile::new(SMALL);
    let mut command = symcrete();
    command.arg("solve").arg(file.path()).env("SYMCRETE_SOLVERS", "/nonexistent");
    assert_eq!(stdout(&command.output().unwrap()), "sat\n");
    file.write("(declare-const n Int) (assert (> n 0)) (check-sat)");
    let output = command.output().unwrap();
    assert_eq!((stdout(&output).as_str(), output.status.code()), ("unknown\n", Some(0)));
}

#[test]
fn deep_nesting_needs_no_stack_and_linear_work() {
    let n_terms = |n: usize| {
        let (open, close) = ("(bvadd #x1 ".repeat(n), ")".repeat(n));
        let text =
            format!("(declare-const x (_ BitVec 4)) (assert (bvult x {open}x{close})) (check-sat)");
        let file = ScriptFile::new(text);
        // A main thread with 1 MiB of stack.
        let mut shell = program("sh");
        shell.args(["-c", "ulimit -s 1024 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_symcrete")]);
        shell.arg("solve").arg(file.path()).args(["--solver", "enumerate", "--stats"]);
        let output = shell.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let stats = stderr(&output);
        let count = stats.split(", ").find_map(|part| part.trim().strip_suffix(" terms"));
        count.expect("the statistics count terms").parse::<usize>().unwrap()
    };
    let (once, twice) = (n_terms(100_000), n_terms(200_000));
    assert!(twice < 4 * once.max(1), "{once} terms, then {twice}");
}

#[test]
fn deep_nesting_of_wrong_text_gives_a_short_report() {
    let text = format!("(assert {}x{})", "(not ".repeat(100_000), ")".repeat(100_000));
    let output = solve(&text, &["--solver", "enumerate"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.len() < 1_000, "{} bytes", output.stderr.len());
    assert!(stderr(&output).contains("query.smt2:1:500009]"), "{}", stderr(&output));
}

#[test]
fn commands_on_stdin_are_answered_one_by_one() {
    let mut child = symcrete()
        .args(["solve", "-", "--solver", "enumerate"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |text: &str| {
        input.write_all(text.as_bytes()).unwrap();
        answers.next().unwrap().unwrap()
    };
    assert_eq!(ask(SMALL), "sat");
    assert_eq!(ask("(echo \"still here\")"), "still here");
    assert_eq!(ask("(assert false) (check-sat)"), "unsat");
    assert_eq!(
        ask("(assert\n y)"),
        "(error \"line 5 column 2: unknown symbol `y`\")",
        "the error is an answer too"
    );
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let text = "(echo \"some line that fills the pipe\")\n".repeat(20_000);
    let file = ScriptFile::new(text);
    let mut child = symcrete()
        .arg("solve")
        .arg(file.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 4];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

/// Factoring a product of two primes of 61 and 60 bits: no solver is done before the test is.
const HARD: &str = "(declare-const p (_ BitVec 128)) (declare-const q (_ BitVec 128))
    (assert (= (bvmul p q) (bvmul (_ bv2305843009213693951 128) (_ bv1152921504606846883 128))))
    (assert (bvult p (_ bv18446744073709551616 128))) (assert (distinct p (_ bv1 128)))
    (assert (bvult q (_ bv18446744073709551616 128))) (assert (distinct q (_ bv1 128)))
    (check-sat)";

#[expect(clippy::disallowed_methods, reason = "tests look at processes")]
fn children(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(text.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
    }
    found
}

/// Whether a process runs; a zombie that waits for its new parent does not.
#[expect(clippy::disallowed_methods, reason = "tests look at processes")]
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Waits until something is so, for as long as a slow machine may take.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("waited too long for {what}");
}

/// Starts the binary on a question that takes for ever and waits for its solver processes.
fn start_hard(solver: &str) -> (Child, Vec<u32>, ScriptFile) {
    let file = ScriptFile::new(HARD);
    let mut command = symcrete();
    command.arg("solve").arg(file.path()).args(["--solver", solver]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    wait_until("solver processes", || !children(child.id()).is_empty());
    let solvers = children(child.id());
    (child, solvers, file)
}

fn end_with(signal: Signal, solver: &str) -> Option<i32> {
    let (mut child, solvers, _file) = start_hard(solver);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("it is ours");
    let status = child.wait().expect("it is ours");
    for solver in solvers {
        wait_until("the solver's end", || !is_alive(solver));
    }
    status.code()
}

#[test]
fn an_interrupt_ends_at_once_and_leaves_no_children() {
    assert!(Path::new("/proc/self/task").exists(), "this test needs /proc");
    assert_eq!(end_with(Signal::INT, "z3"), Some(130));
    assert_eq!(end_with(Signal::INT, "smt"), Some(130));
    assert_eq!(end_with(Signal::TERM, "z3"), Some(130));
}

#[test]
fn killed_without_warning_we_leave_no_children_either() {
    assert_eq!(end_with(Signal::KILL, "smt"), None);
}

#[test]
fn a_time_limit_turns_into_unknown() {
    let output = solve(HARD, &["--solver", "z3", "--timeout", "0.3", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(answer["verdict"], "unknown");
    assert!(answer["why"].as_str().unwrap().contains("out of time"), "{answer}");
}

#[test]
fn solvers_are_listed() {
    let listed = stdout(&symcrete().arg("solvers").output().unwrap());
    for name in ["auto", "z3", "bitwuzla", "random"] {
        assert!(listed.lines().any(|line| line.starts_with(name)), "{name} is not in\n{listed}");
    }
    let json = stdout(&symcrete().args(["solvers", "--json"]).output().unwrap());
    assert_eq!(json.lines().count(), listed.lines().count());
    for line in json.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(object["name"].is_string() && object["installed"].is_boolean());
    }
}
