//! Child processes come and go without a trace, and go with us when we are killed.
//!
//! All in one test: it counts this process's descriptors and children, which others would disturb.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test starts programs and looks at what is left of them"
)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use support::toolbox;
use symcrete_solve::Budget;
use symcrete_solve::smt::{Answer, Mode, Session};

const HELPER: &str = "SYMCRETE_TEST_CHILDREN_HELPER";

#[test]
fn children_leave_nothing_behind() {
    if std::env::var(HELPER).is_ok() {
        hold_children();
        return;
    }
    many_sessions_leak_nothing();
    children_die_with_a_killed_parent();
}

fn many_sessions_leak_nothing() {
    run_sessions(6);
    let n_descriptors = n_descriptors();
    run_sessions(200);
    wait_until("all children are reaped", || children_of(std::process::id()).is_empty());
    assert_eq!(self::n_descriptors(), n_descriptors);
}

fn run_sessions(n: usize) {
    let (toolbox, backends) = (toolbox(), toolbox().available());
    for round in 0..n {
        let backend = backends[round % backends.len()];
        let mut session = Session::new(backend, &toolbox, Mode::OneShot, None).unwrap();
        session.declare("x", "Bool");
        assert_eq!(session.check(&[], &mut Budget::of_steps(u64::MAX)), Answer::Sat);
    }
}

/// Runs this very test in another process, kills that, and looks for its children.
fn children_die_with_a_killed_parent() {
    let mut helper = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "children_leave_nothing_behind", "--nocapture"])
        .env(HELPER, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(helper.stdout.take().unwrap()).lines();
    let ready = lines.map(Result::unwrap).find(|line| line.contains("children are busy"));
    assert!(ready.is_some(), "the helper starts its solvers");
    let mut children = children_of(helper.id());
    assert_eq!(children.len(), toolbox().available().len());
    // Shims have workers of their own.
    children.extend(children.clone().into_iter().flat_map(children_of));
    helper.kill().unwrap();
    helper.wait().unwrap();
    wait_until("the killed parent's children are dead", || {
        children.iter().all(|&child| process(child).is_none())
    });
}

/// The helper: solvers that would work for a long time, started by threads that have ended.
fn hold_children() {
    let toolbox = toolbox();
    let start = |backend| {
        let mut session = Session::new(backend, &toolbox, Mode::Incremental, None).unwrap();
        assert_eq!(session.check(&[], &mut Budget::of_steps(u64::MAX)), Answer::Sat);
        session
    };
    let sessions: Vec<Session> = std::thread::scope(|scope| {
        let starts =
            toolbox.available().into_iter().map(|backend| scope.spawn(move || start(backend)));
        let starts: Vec<_> = starts.collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    // The death of the threads that started them must not have killed them.
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(children_of(std::process::id()).len(), sessions.len());
    std::io::Write::write_all(&mut std::io::stdout(), b"children are busy\n").unwrap();
    // Far longer than the test: it ends by being killed, or its children outlive nobody.
    std::thread::sleep(Duration::from_secs(600));
}

fn n_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

fn children_of(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|&id| process(id) == Some(parent)).collect()
}

/// The parent of a live process. A zombie whose parent is gone is dead: who reaps it is not our affair.
fn process(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let after_name = stat.rsplit(')').next()?;
    let mut fields = after_name.split_whitespace();
    let (state, parent) = (fields.next()?, fields.next()?.parse().ok()?);
    (state != "Z" || parent == std::process::id()).then_some(parent)
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..3000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("after a minute not yet: {what}");
}
