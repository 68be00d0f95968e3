//! Several solvers on one query at once: the first decided answer counts, the others are stopped.
//!
//! Verdicts never contradict each other, but which model is found, and by whom, depends on the machine.
//!
//! **Invariant:** no member can do more harm than not to answer. Models are checked, `unsat` is taken only from those that can
//! prove it and only while nobody has a model, a panic is a fault of the member, and one that does
//! not stop when it is told to is left behind and takes no part in later races. For that every member works on a
//! copy of the query that outlives the race.
//!
//! Most queries are easy. Members for which there is no core start a little later, or when another gives up,
//! so that they do not slow down the first ones for nothing.

use crate::attempt::{Attempt, Outcome, caught};
use crate::decorate::Checked;
use crate::hybrid::Substituted;
use crate::{Budget, Cancel, Query, Solver, Verdict, Why};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symcrete_term::Valuation;

/// A race of solvers.
pub(crate) struct Race {
    name: &'static str,
    members: Vec<Member>,
    credit: &'static str,
    attempts: Vec<Attempt>,
}

struct Member {
    name: &'static str,
    /// `None` once it was left behind.
    solver: Option<Box<dyn Solver>>,
}

/// How much later the next member without a core starts: longer than an easy query, short against a hard one.
const HEAD_START: Duration = Duration::from_millis(300);
/// How often the flag of the whole race is looked at while nobody answers.
const GLANCE: Duration = Duration::from_millis(20);
/// How long members may take to stop.
const GRACE: Duration = Duration::from_secs(2);

/// What a member hands back.
struct Reply {
    position: usize,
    /// `None` if it panicked: nobody knows what state it is in.
    solver: Option<Box<dyn Solver>>,
    verdict: Verdict,
    outcome: Option<Outcome>,
    time: Duration,
    steps: u64,
}

impl Race {
    /// A race without members.
    pub(crate) fn new(name: &'static str) -> Race {
        Race { name, members: Vec::new(), credit: name, attempts: Vec::new() }
    }

    /// Adds a member that may say `unsat`. Those added first start first.
    pub(crate) fn add(&mut self, member: impl Solver + 'static) {
        let name = member.name();
        self.members.push(Member { name, solver: Some(Box::new(Checked::new(member))) });
    }

    /// A race of some members, by position; those named first start first.
    pub(crate) fn solve_with(
        &mut self,
        order: &[usize],
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Verdict {
        let copy = Arc::new(Substituted::new(query, query.literals, &Valuation::new()));
        let cancel = budget.cancel().child();
        let (sender, replies) = channel();
        let gate = Arc::new(Gate::default());
        let n_cores = std::thread::available_parallelism().map_or(2, usize::from);
        let mut running = Vec::new();
        for (place, &position) in order.iter().enumerate() {
            let Some(solver) = self.members[position].solver.take() else { continue };
            let start = Start {
                position,
                n_ahead: (place + 1).saturating_sub(n_cores),
                copy: Arc::clone(&copy),
                gate: Arc::clone(&gate),
                cancel: cancel.clone(),
                budget: budget.fork(cancel.clone()),
            };
            running.push(position);
            start.on_a_thread(solver, sender.clone());
        }
        drop(sender);
        let ended = self.collect(&replies, &running, &cancel, &gate, budget);
        let _ = budget.charge(ended.steps);
        self.credit = ended.winner.map_or(self.name, |position| self.members[position].name);
        match ended.verdict {
            Verdict::Sat(model) => Verdict::Sat(copy.restore(&model)),
            verdict @ (Verdict::Unsat | Verdict::Unknown(_)) => verdict,
        }
    }

    /// Waits for the first answer, then for the others to stop.
    fn collect(
        &mut self,
        replies: &Receiver<Reply>,
        running: &[usize],
        cancel: &Cancel,
        gate: &Gate,
        budget: &Budget,
    ) -> Ended {
        let mut ended = Ended { verdict: Verdict::Unknown(Why::GaveUp), winner: None, steps: 0 };
        let mut attempts: Vec<(usize, Attempt)> = Vec::new();
        let mut stop_by: Option<Instant> = None;
        let time_is_up = now().checked_add(budget.wall_max);
        while attempts.len() < running.len() {
            match replies.recv_timeout(GLANCE) {
                Ok(reply) => {
                    gate.release_one();
                    let name = self.members[reply.position].name;
                    let mut attempt = Attempt::new(name, &reply.verdict, reply.time, reply.steps);
                    if let Some(outcome) = reply.outcome {
                        attempt.outcome = outcome;
                    }
                    attempts.push((reply.position, attempt));
                    self.members[reply.position].solver = reply.solver;
                    ended.take(reply.position, reply.verdict, reply.steps);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let is_late = time_is_up.is_some_and(|end| now() > end);
            let is_over = ended.winner.is_some() || cancel.check().is_err() || is_late;
            if is_over && stop_by.is_none() {
                // A flag that was set from outside is followed as it is.
                if ended.winner.is_some() {
                    cancel.interrupt();
                } else if is_late {
                    cancel.time_is_up();
                }
                gate.release_all();
                stop_by = now().checked_add(GRACE);
            }
            if stop_by.is_some_and(|end| now() > end) {
                break;
            }
        }
        if ended.winner.is_none() {
            // Nobody answered, so who did not start was stopped for the reason that all were.
            let why = cancel.check().err().unwrap_or(Why::GaveUp);
            let unstarted =
                attempts.iter_mut().filter(|(_, attempt)| attempt.outcome == Outcome::NotStarted);
            unstarted.for_each(|(_, attempt)| attempt.outcome = Outcome::Unknown(why.clone()));
        }
        self.note(running, attempts);
        if ended.winner.is_none() {
            ended.verdict = nobody(&self.attempts);
        }
        ended
    }

    /// Keeps the attempts in the order in which members were started.
    fn note(&mut self, running: &[usize], attempts: Vec<(usize, Attempt)>) {
        self.attempts = running
            .iter()
            .map(|&position| {
                let known = attempts.iter().find(|(of, _)| *of == position);
                known.map_or_else(
                    || Attempt {
                        member: self.members[position].name,
                        outcome: Outcome::LeftBehind,
                        time: GRACE,
                        steps: 0,
                    },
                    |(_, attempt)| attempt.clone(),
                )
            })
            .collect();
    }
}

impl Solver for Race {
    fn name(&self) -> &'static str {
        self.name
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let order: Vec<usize> = (0..self.members.len()).collect();
        self.solve_with(&order, query, budget)
    }
}

/// How a race ended.
struct Ended {
    verdict: Verdict,
    winner: Option<usize>,
    steps: u64,
}

impl Ended {
    /// The first answer stands, except that a model, which was checked, refutes an earlier `unsat`.
    fn take(&mut self, position: usize, verdict: Verdict, steps: u64) {
        let refutes = self.verdict == Verdict::Unsat && matches!(verdict, Verdict::Sat(_));
        if refutes {
            tracing::error!("a member said unsat of a query that has a model");
        }
        if verdict.is_decided() && (self.winner.is_none() || refutes) {
            self.winner = Some(position);
            self.verdict = verdict;
            self.steps = steps;
        } else if self.winner.is_none() {
            self.steps = self.steps.max(steps);
        }
    }
}

/// A member's part, before it starts.
struct Start {
    position: usize,
    /// How many late starters are before it, itself included; zero if it has a core.
    n_ahead: usize,
    copy: Arc<Substituted>,
    gate: Arc<Gate>,
    cancel: Cancel,
    budget: Budget,
}

impl Start {
    fn on_a_thread(self, solver: Box<dyn Solver>, sender: Sender<Reply>) {
        let thread = std::thread::Builder::new().name(format!("race-{}", solver.name()));
        // Without a thread the member is lost with its closure, and the race knows it as left behind.
        let _ = thread.spawn(move || {
            // Once the race is over, nobody listens any more.
            let _ = sender.send(self.run(solver));
        });
    }

    fn run(mut self, mut solver: Box<dyn Solver>) -> Reply {
        let position = self.position;
        if self.n_ahead > 0 {
            let waited = self.gate.wait(self.n_ahead);
            self.budget.wall_max = self.budget.wall_max.saturating_sub(waited);
        }
        if let Err(why) = self.cancel.check() {
            let outcome = Some(Outcome::NotStarted);
            let verdict = Verdict::Unknown(why);
            return Reply {
                position,
                solver: Some(solver),
                verdict,
                outcome,
                time: Duration::ZERO,
                steps: 0,
            };
        }
        let begin = now();
        let solved = caught(solver.name(), || solver.solve(&self.copy.query(), &mut self.budget));
        let (time, steps) = (begin.elapsed(), self.budget.steps_used());
        match solved {
            Ok(verdict) => {
                Reply { position, solver: Some(solver), verdict, outcome: None, time, steps }
            }
            Err(why) => {
                let verdict = Verdict::Unknown(why);
                Reply { position, solver: None, verdict, outcome: None, time, steps }
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a race is by the clock, and says how long each took"
)]
fn now() -> Instant {
    Instant::now()
}

/// Holds late starters back until members before them are done, or their time has come.
#[derive(Default)]
struct Gate {
    n_released: Mutex<usize>,
    released: Condvar,
}

impl Gate {
    fn release_one(&self) {
        self.release(1);
    }

    fn release_all(&self) {
        self.release(usize::MAX);
    }

    fn release(&self, n: usize) {
        let mut released = self.n_released.lock().unwrap_or_else(PoisonError::into_inner);
        *released = released.saturating_add(n);
        self.released.notify_all();
    }

    /// How long the member waited whose turn is the `turn`-th.
    fn wait(&self, turn: usize) -> Duration {
        let begin = now();
        let released = self.n_released.lock().unwrap_or_else(PoisonError::into_inner);
        let most = HEAD_START.saturating_mul(u32::try_from(turn).unwrap_or(u32::MAX));
        // Whether somebody is done or the head start is over, the member may start now.
        let _ = self.released.wait_timeout_while(released, most, |released| *released < turn);
        begin.elapsed()
    }
}

/// Reasons in the order of members, not of arrival; a reason that all share is said once.
fn nobody(attempts: &[Attempt]) -> Verdict {
    let reason = |attempt: &Attempt| match &attempt.outcome {
        Outcome::Unknown(why) => Some((attempt.member, why.clone())),
        Outcome::LeftBehind => Some((attempt.member, Why::Fault("does not stop".to_owned()))),
        Outcome::Sat | Outcome::Unsat | Outcome::NotStarted => None,
    };
    let reasons: Vec<(&'static str, Why)> = attempts.iter().filter_map(reason).collect();
    let first = reasons.first().map_or(Why::GaveUp, |(_, why)| why.clone());
    if reasons.iter().all(|(_, why)| *why == first) {
        return Verdict::Unknown(first);
    }
    Verdict::Unknown(Why::Nobody(reasons))
}

#[cfg(test)]
mod tests;
