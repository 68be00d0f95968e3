//! Several solvers on one query at once: the first decided answer counts, the others are stopped.
//!
//! Verdicts never contradict each other, but which model is found, and by whom, depends on the machine.
//!
//! **Invariant:** no member can do more harm than not to answer. Models are checked, `unsat` is taken only from those that can
//! prove it and only while nobody has a model, a panic is a fault of the member, and one that does
//! not stop when it is told to is abandoned (`crew.rs`) and takes no part in later races.
//!
//! Most queries are easy. Members for which there is no core start a little later, or when another gives up,
//! so that they do not slow down the first ones for nothing.

use crate::attempt::{Attempt, AttemptEnd};
use crate::crew::{Crew, GLANCE, GRACE, Part, Reply, copied, now};
use crate::decorate::Checked;
use crate::{Budget, Cancel, Query, Solver, Verdict, Why};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A race of solvers.
pub(crate) struct Race {
    name: &'static str,
    crew: Crew,
    credit: &'static str,
    attempts: Vec<Attempt>,
}

/// How much later the next member without a core starts: longer than an easy query, short against a hard one.
const HEAD_START: Duration = Duration::from_millis(300);

impl Race {
    /// A race without members.
    pub(crate) fn new(name: &'static str) -> Race {
        Race { name, crew: Crew::default(), credit: name, attempts: Vec::new() }
    }

    /// Adds a member that may say `unsat`. Those added first start first.
    pub(crate) fn add(&mut self, member: impl Solver + 'static) {
        self.crew.add(Box::new(Checked::new(member)));
    }

    /// A race of some members, by position; those named first start first.
    pub(crate) fn solve_with(
        &mut self,
        order: &[usize],
        query: &Query<'_>,
        budget: &mut Budget,
    ) -> Verdict {
        let copy = copied(query);
        let cancel = budget.cancel().child();
        let (sender, replies) = channel();
        let gate = Arc::new(Gate::default());
        let n_cores = std::thread::available_parallelism().map_or(2, usize::from);
        let mut attempts = BTreeMap::new();
        let mut n_running = 0;
        for &position in order {
            let (gate, n_ahead) =
                (Arc::clone(&gate), (n_running + 1_usize).saturating_sub(n_cores));
            let wait = move |budget: &mut Budget| {
                budget.wall_max = budget.wall_max.saturating_sub(gate.wait(n_ahead));
            };
            let (copy, budget) = (Arc::clone(&copy), budget.fork(cancel.clone()));
            let part = Part { position, copy, budget, before: Box::new(wait) };
            match self.crew.start(part, &sender) {
                Ok(()) => n_running += 1,
                Err(outcome) => {
                    let attempt = Attempt::without(self.crew.name(position), outcome);
                    attempts.insert(position, attempt);
                }
            }
        }
        drop(sender);
        let mut collected = Collected { n_running, attempts, ended: Ended::new() };
        let begin = now();
        let time_is_up = begin.checked_add(budget.wall_max);
        self.collect(&mut collected, &replies, &cancel, &gate, time_is_up);
        if collected.n_running > 0 {
            self.crew.leave_the_busy(replies);
        }
        let Collected { mut attempts, mut ended, .. } = collected;
        let left_behind = |position| {
            let mut attempt = Attempt::without(self.crew.name(position), AttemptEnd::LeftBehind);
            attempt.time = begin.elapsed();
            attempt
        };
        let told = |&position| attempts.remove(&position).unwrap_or_else(|| left_behind(position));
        self.attempts = order.iter().map(told).collect();
        if ended.winner.is_none() {
            ended.verdict = nobody(&self.attempts);
        }
        let _ = budget.charge(ended.steps);
        self.credit = ended.winner.unwrap_or(self.name);
        match ended.verdict {
            Verdict::Sat(model) => Verdict::Sat(copy.restore(&model)),
            verdict @ (Verdict::Unsat | Verdict::Unknown(_)) => verdict,
        }
    }

    /// Waits for the first answer, then for the others to stop.
    fn collect(
        &mut self,
        collected: &mut Collected,
        replies: &Receiver<Reply>,
        cancel: &Cancel,
        gate: &Gate,
        time_is_up: Option<Instant>,
    ) {
        let mut stop_by: Option<Instant> = None;
        while collected.n_running > 0 {
            match replies.recv_timeout(GLANCE) {
                Ok(mut reply) => {
                    gate.release_one();
                    self.crew.take_back(&mut reply);
                    collected.take(reply);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let is_won = collected.ended.winner.is_some();
            let is_late = time_is_up.is_some_and(|end| now() > end);
            if stop_by.is_none() && (is_won || cancel.check().is_err() || is_late) {
                // A flag that was set from outside is respected as it is.
                if is_won {
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
        if collected.ended.winner.is_none() {
            // Nobody answered, so who did not start was stopped for the reason that all were.
            let why = cancel.check().err().unwrap_or(Why::GaveUp);
            let not_started = |attempt: &&mut Attempt| attempt.outcome == AttemptEnd::NotStarted;
            let unstarted = collected.attempts.values_mut().filter(not_started);
            unstarted.for_each(|attempt| attempt.outcome = AttemptEnd::Unknown(why.clone()));
        }
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
        let order: Vec<usize> = (0..self.crew.len()).collect();
        self.solve_with(&order, query, budget)
    }
}

/// What came in so far.
struct Collected {
    n_running: usize,
    /// By position.
    attempts: BTreeMap<usize, Attempt>,
    ended: Ended,
}

impl Collected {
    fn take(&mut self, reply: Reply) {
        self.n_running -= 1;
        self.ended.take(reply.attempt.member, reply.verdict, reply.attempt.steps);
        self.attempts.insert(reply.position, reply.attempt);
    }
}

/// How a race ended.
struct Ended {
    verdict: Verdict,
    winner: Option<&'static str>,
    steps: u64,
}

impl Ended {
    fn new() -> Ended {
        Ended { verdict: Verdict::Unknown(Why::GaveUp), winner: None, steps: 0 }
    }

    /// The first answer stands, except that a model, which was checked, refutes an earlier `unsat`.
    fn take(&mut self, member: &'static str, verdict: Verdict, steps: u64) {
        let refutes = self.verdict == Verdict::Unsat && matches!(verdict, Verdict::Sat(_));
        if refutes {
            tracing::error!("a member said unsat of a query that has a model");
        }
        if verdict.is_decided() && (self.winner.is_none() || refutes) {
            self.winner = Some(member);
            self.verdict = verdict;
            self.steps = steps;
        } else if self.winner.is_none() {
            self.steps = self.steps.max(steps);
        }
    }
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

    /// How long the member waited whose turn is the `turn`-th of those without a core; zero if it has one.
    fn wait(&self, turn: usize) -> Duration {
        if turn == 0 {
            return Duration::ZERO;
        }
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
        AttemptEnd::Unknown(why) => Some((attempt.member, why.clone())),
        AttemptEnd::LeftBehind | AttemptEnd::Busy => {
            Some((attempt.member, Why::Fault("does not stop".to_owned())))
        }
        AttemptEnd::Lost => {
            Some((attempt.member, Why::Fault("crashed on an earlier query".to_owned())))
        }
        AttemptEnd::LostTurn => Some((attempt.member, Why::OutOfTime)),
        AttemptEnd::Sat | AttemptEnd::Unsat | AttemptEnd::NotStarted => None,
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
