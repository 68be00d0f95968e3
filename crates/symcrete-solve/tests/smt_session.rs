//! Sessions with real solvers: answers, scopes, cores, limits, and what happens when a solver dies.
//!
//! Every test runs on every installed back end. No test depends on how fast the machine is: limits that must
//! be hit are short against a query that no solver finishes, limits that must not be hit are minutes.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::time::{Duration, Instant};

use support::toolbox;
use symcrete_solve::smt::{Answer, Backend, Mode, Session};
use symcrete_solve::{Budget, Cancel, Why};

/// A product of two primes of 61 and 60 bits, to be factored: minutes at least for every solver.
const HARD: &str = "(declare-const p (_ BitVec 128)) (declare-const q (_ BitVec 128))
    (assert (= (bvmul p q) (bvmul (_ bv2305843009213693951 128) (_ bv1152921504606846883 128))))
    (assert (bvult p (_ bv18446744073709551616 128))) (assert (distinct p (_ bv1 128)))
    (assert (bvult q (_ bv18446744073709551616 128))) (assert (distinct q (_ bv1 128)))";

fn backends() -> Vec<Backend> {
    let found = toolbox().available();
    assert!(
        found.contains(&Backend::Z3) && found.contains(&Backend::Bitwuzla),
        "run `make tools` first"
    );
    found
}

fn session(backend: Backend, mode: Mode) -> Session {
    Session::new(backend, &toolbox(), mode, Some("QF_BVFP")).unwrap()
}

fn budget() -> Budget {
    Budget::of_steps(u64::MAX)
}

fn check(session: &mut Session) -> Answer {
    session.check(&[], &mut budget())
}

fn fault(answer: &Answer) -> &str {
    let Answer::Unknown(Why::Fault(text) | Why::Refused(text)) = answer else {
        panic!("expected a fault, got {answer:?}")
    };
    text
}

#[test]
fn scopes_open_and_close() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session.declare("x", "(_ BitVec 8)");
        session.assert("(bvult x #x04)");
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        session.push();
        session.declare("y", "(_ BitVec 8)");
        session.assert("(= x y #x10)");
        assert_eq!(check(&mut session), Answer::Unsat, "{backend}");
        session.pop();
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        session.push();
        session.declare("y", "(_ BitVec 8)");
        session.assert("(= x y #x03)");
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        let values = session.values(&["x", "y"], &budget()).unwrap();
        let bits = values
            .iter()
            .map(|value| value.trim_start_matches("#b000000").trim_start_matches("#x0"));
        assert!(bits.clone().all(|bits| bits == "11" || bits == "3"), "{backend}: {values:?}");
        assert!(session.model(&budget()).unwrap().contains("define-fun"), "{backend}");
        assert_eq!((session.n_scopes(), session.n_starts()), (1, 1));
    }
}

#[test]
fn cores_name_the_guilty() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session.declare("x", "(_ BitVec 8)");
        session.assert_named("(bvult x #x04)", "low");
        session.assert_named("(distinct x #x01)", "innocent");
        session.assert_named("(bvugt x #x10)", "high");
        assert_eq!(check(&mut session), Answer::Unsat, "{backend}");
        let mut core = session.unsat_core(&budget()).unwrap();
        core.sort();
        assert_eq!(core, ["high", "low"], "{backend}");
    }
}

#[test]
fn assumptions_hold_for_one_check() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session
            .tell("(declare-const x (_ BitVec 8)) (declare-const a Bool) (declare-const b Bool)");
        session.assert("(and (=> a (= x #x01)) (=> b (= x #x02)))");
        assert_eq!(session.check(&["a"], &mut budget()), Answer::Sat, "{backend}");
        assert_eq!(session.check(&["a", "b"], &mut budget()), Answer::Unsat, "{backend}");
        let mut guilty = session.unsat_assumptions(&budget()).unwrap();
        guilty.sort();
        assert_eq!(guilty, ["a", "b"], "{backend}");
        assert_eq!(session.check(&["b"], &mut budget()), Answer::Sat, "{backend}");
    }
}

#[test]
fn a_reset_forgets_everything() {
    for backend in backends() {
        for mode in [Mode::OneShot, Mode::Incremental] {
            let mut session = session(backend, mode);
            for round in 0..3 {
                session.declare("x", ["Bool", "(_ BitVec 8)", "(_ FloatingPoint 11 53)"][round]);
                session.assert("(distinct x x)");
                assert_eq!(check(&mut session), Answer::Unsat, "{backend} {mode:?}");
                session.reset();
            }
        }
    }
}

/// The soundness of all else rests on this: a refused assertion must not turn into a `sat` without it.
#[test]
fn an_error_voids_the_answer() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session.declare("x", "(_ BitVec 8)");
        session.push();
        session.assert("(bvult no_such_symbol x)");
        session.push();
        for _ in 0..2 {
            let answer = check(&mut session);
            assert!(matches!(answer, Answer::Unknown(Why::Refused(_))), "{backend}: {answer:?}");
            assert!(fault(&answer).contains("no_such_symbol"), "{backend}: {answer:?}");
        }
        session.pop();
        session.pop();
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        assert!(session.values(&["no_such_symbol"], &budget()).is_err(), "{backend}");
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        session.assert("(bvult x #x00");
        assert!(!fault(&check(&mut session)).is_empty(), "{backend}");
    }
}

#[test]
fn a_killed_solver_costs_one_query_and_comes_back_with_all_assertions() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session.declare("x", "(_ BitVec 8)");
        session.assert("(bvult x #x04)");
        session.push();
        session.assert("(bvugt x #x02)");
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        kill(session.process_id().unwrap());
        session.push();
        session.assert("(distinct x #x03)");
        let answer = check(&mut session);
        assert!(fault(&answer).contains("signal 9"), "{backend}: {answer:?}");
        assert_eq!(check(&mut session), Answer::Unsat, "{backend}");
        session.pop();
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        assert_eq!(session.n_starts(), 2, "{backend}");
    }
}

#[test]
fn a_deadline_ends_a_query_and_the_next_works() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session.push();
        session.tell(HARD);
        let mut short = budget();
        short.wall_max = Duration::from_millis(300);
        assert_eq!(session.check(&[], &mut short), Answer::Unknown(Why::OutOfTime), "{backend}");
        session.pop();
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
    }
}

/// Loading Python for each query would take longer than most queries.
#[test]
fn a_shim_is_loaded_once() {
    let is_shim = |backend: &Backend| *backend != Backend::Z3;
    for backend in backends().into_iter().filter(is_shim) {
        let mut session = session(backend, Mode::OneShot);
        for round in 0..20 {
            session.reset();
            session.declare("x", "(_ BitVec 8)");
            session.assert(if round % 2 == 0 { "(= x #x04)" } else { "(bvult x #x00)" });
            let expected = if round % 2 == 0 { Answer::Sat } else { Answer::Unsat };
            assert_eq!(check(&mut session), expected, "{backend}, round {round}");
            if round == 10 {
                session.reset();
                session.tell(HARD);
                let mut short = budget();
                short.wall_max = Duration::from_millis(300);
                // A fast machine may find the answer in time.
                let answer = session.check(&[], &mut short);
                assert!(
                    matches!(answer, Answer::Sat | Answer::Unknown(Why::OutOfTime)),
                    "{answer:?}"
                );
            }
        }
        assert_eq!(session.n_starts(), 1, "{backend}");
    }
}

#[test]
fn steps_are_a_reproducible_limit() {
    for backend in backends() {
        let mut used = Vec::new();
        for _ in 0..2 {
            let mut session = session(backend, Mode::Incremental);
            session.push();
            session.tell("(declare-const a (_ BitVec 20)) (declare-const b (_ BitVec 20))");
            session.assert("(and (= (bvmul a b) #x12345) (bvugt a #x00001) (bvugt b #x00001))");
            session.assert("(bvult (bvurem a b) #x00007)");
            let mut plenty = Budget::of_steps(1 << 31);
            assert_eq!(session.check(&[], &mut plenty), Answer::Sat, "{backend}");
            used.push((plenty.steps_used(), session.values(&["a", "b"], &plenty).unwrap()));
            session.pop();
            session.push();
            session.tell(HARD);
            let mut few = Budget::of_steps(50);
            assert_eq!(session.check(&[], &mut few), Answer::Unknown(Why::OutOfSteps), "{backend}");
            assert_eq!(few.steps_left(), 0);
            assert_eq!(session.check(&[], &mut few), Answer::Unknown(Why::OutOfSteps), "{backend}");
            session.pop();
            assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        }
        assert_eq!(used[0], used[1], "{backend}");
        assert!(used[0].0 > 0, "{backend} counts its steps");
    }
}

/// Without a limit Bitwuzla's shim does not count; the first limit starts one that does.
#[test]
fn a_limit_of_steps_may_come_after_none() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session.declare("x", "(_ BitVec 8)");
        session.assert("(bvult x #x04)");
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        session.push();
        session.tell(HARD);
        let mut few = Budget::of_steps(50);
        assert_eq!(session.check(&[], &mut few), Answer::Unknown(Why::OutOfSteps), "{backend}");
        session.pop();
        session.assert("(bvugt x #x04)");
        assert_eq!(check(&mut session), Answer::Unsat, "{backend}");
    }
}

#[test]
fn memory_is_limited() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        session.push();
        session.tell("(declare-const x (_ BitVec 9000)) (declare-const y (_ BitVec 9000))");
        session.assert("(= (bvurem (bvmul x y) (bvadd x y)) (_ bv12345678901234567 9000))");
        session.assert("(bvult (_ bv98765432109876543210 9000) (bvudiv x y))");
        let mut small = budget();
        small.memory_max_bytes = 500 << 20;
        assert_eq!(session.check(&[], &mut small), Answer::Unknown(Why::OutOfMemory), "{backend}");
        session.pop();
        assert_eq!(session.check(&[], &mut small), Answer::Sat, "{backend}");
    }
}

#[test]
fn another_thread_can_cancel() {
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
        session.tell(HARD);
        let cancel = Cancel::new();
        let mut budget = budget().with_cancel(cancel.clone());
        let cancelled_at = std::thread::scope(|scope| {
            let canceller = scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                cancel.interrupt();
                now()
            });
            let answer = session.check(&[], &mut budget);
            let ended_at = now();
            assert_eq!(answer, Answer::Unknown(Why::Interrupted), "{backend}");
            ended_at.duration_since(canceller.join().unwrap())
        });
        // The bound only tells "at once" from "when the query is done": no test depends on the clock.
        assert!(cancelled_at < Duration::from_secs(20), "{backend}: {cancelled_at:?}");
    }
}

#[test]
fn a_solver_that_does_not_read_cannot_block_us() {
    // Larger than any pipe, and the echoes fill the way back while we are still writing.
    for backend in backends() {
        let mut session = session(backend, Mode::Incremental);
        let line =
            "(echo \"0123456789012345678901234567890123456789012345678901234567890123456789\")\n";
        session.tell(&line.repeat(20_000));
        assert!(fault(&check(&mut session)).contains("says too much"), "{backend}");
    }
}

#[test]
fn deep_nesting_is_no_problem() {
    for backend in backends() {
        let mut session = session(backend, Mode::OneShot);
        let n = 100_000;
        session.declare("x", "(_ BitVec 8)");
        session.assert(&format!("(= #x01 {}x{})", "(bvadd x ".repeat(n), ")".repeat(n)));
        let answer = check(&mut session);
        // Some solvers may give up on this; none may hang, lie or take us down.
        assert!(
            matches!(
                answer,
                Answer::Sat | Answer::Unsat | Answer::Unknown(Why::Fault(_) | Why::Refused(_))
            ),
            "{backend}: {answer:?}"
        );
        session.reset();
        assert_eq!(check(&mut session), Answer::Sat, "{backend}");
    }
}

#[expect(clippy::disallowed_methods, reason = "the test is about time")]
fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "the test looks at a process")]
fn kill(id: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    // Until it is gone, a worker that it has may still answer.
    let stat = || std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    while stat().rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
    {
        std::thread::sleep(Duration::from_millis(1));
    }
}
