//! Several solvers on one query at once: the first decided answer counts, the others are stopped.
//!
//! Verdicts never contradict each other, but which model is found, and by whom, depends on the machine.
//! Members are wrapped in [`Checked`], so a wrong model costs its member the race, not us.
//!
//! Most queries are easy. Members for which there is no core start a little later, or when another gives up,
//! so that they do not slow down the first ones for nothing.

use crate::decorate::Checked;
use crate::{Budget, Query, Solver, Verdict, Why};
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A race of solvers.
pub struct Race {
    name: &'static str,
    members: Vec<Box<dyn Solver>>,
    credit: &'static str,
}

/// How much later members without a core start: longer than an easy query, short against a hard one.
const HEAD_START: Duration = Duration::from_millis(300);

impl Race {
    /// A race without members.
    pub fn new(name: &'static str) -> Race {
        Race { name, members: Vec::new(), credit: name }
    }

    /// Adds a member. Those added first start first.
    pub fn add(&mut self, member: impl Solver + 'static) {
        self.members.push(Box::new(Checked::new(member)));
    }
}

impl Solver for Race {
    fn name(&self) -> &'static str {
        self.name
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let cancel = budget.cancel().child();
        let (sender, verdicts) = channel();
        let mut reasons = Vec::new();
        let mut steps_used = 0;
        let n_cores = std::thread::available_parallelism().map_or(2, usize::from);
        let gate = Gate::default();
        let decided = std::thread::scope(|scope| {
            for (position, member) in self.members.iter_mut().enumerate() {
                let mut budget = budget.fork(cancel.clone());
                let (sender, gate, cancel) = (sender.clone(), &gate, &cancel);
                scope.spawn(move || {
                    if position >= n_cores {
                        budget.wall_max = budget.wall_max.saturating_sub(HEAD_START);
                        gate.wait();
                    }
                    let verdict = member.solve(query, &mut budget);
                    if verdict.is_decided() {
                        cancel.interrupt();
                    }
                    gate.open();
                    // Once somebody has decided, nobody listens any more.
                    let _ = sender.send((position, member.name(), verdict, budget.steps_used()));
                });
            }
            drop(sender);
            for (position, name, verdict, steps) in verdicts {
                match verdict {
                    Verdict::Sat(_) | Verdict::Unsat => return Some((name, verdict, steps)),
                    Verdict::Unknown(why) => {
                        steps_used = steps_used.max(steps);
                        reasons.push((position, name, why));
                    }
                }
            }
            None
        });
        self.credit = decided.as_ref().map_or(self.name, |&(name, ..)| name);
        let (verdict, steps) = match decided {
            Some((_, verdict, steps)) => (verdict, steps),
            None => (nobody(reasons), steps_used),
        };
        // Being over the budget does not undo an answer.
        let _ = budget.charge(steps);
        verdict
    }
}

/// Holds late starters back, until the first member is done.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }

    fn wait(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether it opened or the head start is over, the member may start now.
        let _ = self.opened.wait_timeout_while(is_open, HEAD_START, |is_open| !*is_open);
    }
}

/// Reasons in the order of members, not of arrival; a reason that all share is said once.
fn nobody(mut reasons: Vec<(usize, &'static str, Why)>) -> Verdict {
    reasons.sort_by_key(|&(position, ..)| position);
    let first = reasons.first().map_or(Why::GaveUp, |(_, _, why)| why.clone());
    if reasons.iter().all(|(_, _, why)| *why == first) {
        return Verdict::Unknown(first);
    }
    Verdict::Unknown(Why::Nobody(reasons.into_iter().map(|(_, name, why)| (name, why)).collect()))
}
