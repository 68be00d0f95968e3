//! Scripts as text, with solver processes that lie, crash or hang beside a real one.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![expect(clippy::disallowed_methods, reason = "the test writes the programs that misbehave")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::toolbox;
use symcrete_solve::smt::{Backend, Toolbox};
use symcrete_solve::smtlib::{Answer, Check, Deciders, Reader, Response, Script, TextGroup};
use symcrete_solve::{AttemptEnd, Budget, Setup, SolverKind};
use symcrete_term::Seed;

/// Words of 80 bits are beyond terms, and the one model is none that we would draw.
const SCRIPT: &str = "(set-logic QF_BV) (declare-const x (_ BitVec 80)) (assert (= (bvmul x (_ bv3 80)) (_ bv370370367037037034 80))) (check-sat)";
const WRONG_MODEL: &str = "((define-fun x () (_ BitVec 80) (_ bv0 80)))";

/// A folder with a program for z3 that answers as told; `reaction` is shell code that runs at every `check-sat`.
fn with_bad_z3(folder: &Path, reaction: &str) -> Toolbox {
    let program = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in *check-sat*) {reaction} ;; *rlimit\\)) echo '(:rlimit 1)' ;; \
         *get-model*) echo '{WRONG_MODEL}' ;; *echo*) line=${{line#*\\\"}}; echo \"${{line%%\\\"*}}\" ;; esac; done\n"
    );
    let file = folder.join("z3");
    fs::write(&file, program).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools/venv/bin");
    Toolbox::new([folder.to_owned(), tools])
}

/// Each question after the other, by one pair of solvers.
fn check(toolbox: Toolbox, kind: SolverKind, text: &str) -> Check {
    let setup = Setup { toolbox: &toolbox, seed: Seed(0), experience: None };
    let solver = kind.build(&setup).unwrap();
    let budget = || {
        let mut budget = Budget::of_steps(u64::MAX);
        budget.wall_max = Duration::from_secs(20);
        budget
    };
    let text_solver = Box::new(TextGroup::of_kind(kind, toolbox));
    let mut script = Script::new(Deciders { solver, text_solver, budget: Box::new(budget) });
    let mut reader = Reader::new();
    reader.feed(text.as_bytes()).unwrap();
    reader.end();
    while let Some(tree) = reader.next_command().unwrap() {
        if let Response::Checked(check) = script.execute(tree).unwrap() {
            return check;
        }
    }
    panic!("the script asks")
}

fn is_sat(check: &Check) -> bool {
    matches!(check.answer, Answer::Sat)
}

#[test]
fn a_wrong_model_is_not_believed_and_the_others_answer() {
    for kind in [SolverKind::Auto, SolverKind::AutoReproducible] {
        let folder = tempfile::tempdir().unwrap();
        let check = check(with_bad_z3(folder.path(), "echo sat"), kind, SCRIPT);
        assert!(is_sat(&check), "{:?}", check.attempts);
        assert_ne!(check.solver, "z3");
        assert!(!check.attempts.is_empty(), "all that were asked are told");
    }
    let folder = tempfile::tempdir().unwrap();
    let alone = check(with_bad_z3(folder.path(), "echo sat"), SolverKind::Z3, SCRIPT);
    assert!(matches!(alone.answer, Answer::Unknown(_)), "{:?}", alone.attempts);
    assert!(matches!(alone.attempts[0].outcome, AttemptEnd::Unknown(_)));
}

#[test]
fn crashes_and_nonsense_spoil_nothing() {
    for reaction in ["exit 3", "echo '((('", "echo maybe"] {
        for kind in [SolverKind::Auto, SolverKind::AutoReproducible] {
            let folder = tempfile::tempdir().unwrap();
            let check = check(with_bad_z3(folder.path(), reaction), kind, SCRIPT);
            assert!(is_sat(&check), "{reaction}: {:?}", check.attempts);
        }
    }
}

/// A race does not wait for a process that hangs: it is killed.
#[test]
fn who_hangs_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let check = check(with_bad_z3(folder.path(), "sleep 1000"), SolverKind::Auto, SCRIPT);
    assert!(is_sat(&check), "{:?}", check.attempts);
}

/// In turns the order decides, not the clock.
#[test]
fn turns_repeat_themselves() {
    let ask = || check(toolbox(), SolverKind::AutoReproducible, SCRIPT);
    let (first, second) = (ask(), ask());
    assert!(is_sat(&first));
    assert_eq!((first.solver, &first.model), (second.solver, &second.model));
    assert_eq!(first.solver, Backend::ALL[0].name());
}

/// QF_BVFP has no operators of reals: cvc5 refuses such a script, and answers without the logic.
#[test]
fn a_logic_that_is_too_narrow_is_no_obstacle() {
    let text = "(set-logic QF_BVFP) (declare-const x Float64) (declare-const w (_ BitVec 80)) (assert (= w (_ bv7 80)))
        (assert (fp.lt x ((_ to_fp 11 53) RNE (- 1.5)))) (check-sat)";
    let check = check(toolbox(), SolverKind::Cvc5, text);
    assert!(is_sat(&check), "{:?}", check.attempts);
}
