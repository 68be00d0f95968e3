//! Solvers that work on threads of their own, so that one that does not stop can be left behind.
//!
//! A thread cannot be ended from outside. For that every member works on a copy of the query that outlives the question, and who was
//! left behind is asked again only when its thread has ended. Threads that hang do not pile up: once [`LEFT_BEHIND_MAX`] of
//! a member's are, of whatever crew, no crew of the process asks it until one of them has ended.

use crate::attempt::{Attempt, AttemptEnd, caught};
use crate::hybrid::Substituted;
use crate::{Budget, Query, Solver, Verdict, Why};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use symcrete_term::Valuation;

/// How often flags are looked at while nobody answers.
pub(crate) const GLANCE: Duration = Duration::from_millis(20);
/// How long members may take to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// How many threads of one member may have been left behind. More than one, because on a busy machine a member that is merely slow to stop
/// must not be missing everywhere else.
pub(crate) const LEFT_BEHIND_MAX: usize = 4;

/// See the module.
#[derive(Default)]
pub(crate) struct Crew {
    members: Vec<Member>,
    /// Where those who were left behind report, should they ever end.
    late: Vec<Receiver<Reply>>,
}

struct Member {
    name: &'static str,
    state: State,
}

enum State {
    Ready(Box<dyn Solver>),
    /// Its thread has it, by number.
    Busy(u64),
    /// It panicked, and nobody knows what state it is in; or there was no thread for it.
    Lost,
}

/// What a member is to do.
pub(crate) struct Part {
    pub(crate) position: usize,
    pub(crate) copy: Arc<Substituted>,
    pub(crate) budget: Budget,
    /// Done on the thread before the work begins, for example waiting.
    pub(crate) before: Box<dyn FnOnce(&mut Budget) + Send>,
}

/// What a member hands back.
pub(crate) struct Reply {
    pub(crate) position: usize,
    /// `None` if it panicked.
    solver: Option<Box<dyn Solver>>,
    pub(crate) verdict: Verdict,
    pub(crate) credit: &'static str,
    pub(crate) attempt: Attempt,
}

/// A copy of a query for all members that work on it.
pub(crate) fn copied(query: &Query<'_>) -> Arc<Substituted> {
    Arc::new(Substituted::new(query, query.literals, &Valuation::new()))
}

impl Crew {
    pub(crate) fn add(&mut self, solver: Box<dyn Solver>) {
        self.members.push(Member { name: solver.name(), state: State::Ready(solver) });
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn name(&self, position: usize) -> &'static str {
        self.members[position].name
    }

    /// Starts a member on its part. `Err` says why it takes none.
    pub(crate) fn start(&mut self, part: Part, replies: &Sender<Reply>) -> Result<(), AttemptEnd> {
        self.welcome_late();
        let member = &mut self.members[part.position];
        let name = member.name;
        let is_busy = matches!(member.state, State::Busy(_));
        if is_busy || n_left_behind(name) >= LEFT_BEHIND_MAX {
            return Err(AttemptEnd::Busy);
        }
        let running = Running::new(name);
        let busy = State::Busy(running.number);
        let State::Ready(solver) = std::mem::replace(&mut member.state, busy) else {
            member.state = State::Lost;
            return Err(AttemptEnd::Lost);
        };
        let replies = replies.clone();
        let work = move || {
            let _running = running;
            // The receiver is gone if the whole crew is.
            let _ = replies.send(part.run(solver));
        };
        let thread = std::thread::Builder::new().name(format!("member-{name}"));
        thread.spawn(work).map(drop).map_err(|error| {
            member.state = State::Lost;
            AttemptEnd::Unknown(Why::Fault(format!("no thread could be started: {error}")))
        })
    }

    /// A member has ended and can be asked again.
    pub(crate) fn take_back(&mut self, reply: &mut Reply) {
        self.members[reply.position].state = reply.solver.take().map_or(State::Lost, State::Ready);
    }

    /// Members that still work are abandoned; one that ends after all comes back.
    pub(crate) fn leave_the_busy(&mut self, replies: Receiver<Reply>) {
        for member in &self.members {
            if let State::Busy(number) = member.state {
                leave_behind(number);
            }
        }
        self.late.push(replies);
    }

    fn welcome_late(&mut self) {
        for replies in std::mem::take(&mut self.late) {
            let ended = loop {
                match replies.try_recv() {
                    Ok(mut reply) => self.take_back(&mut reply),
                    Err(ended) => break ended,
                }
            };
            if ended == TryRecvError::Empty {
                self.late.push(replies);
            }
        }
    }
}

impl Part {
    fn run(mut self, mut solver: Box<dyn Solver>) -> Reply {
        let (position, name) = (self.position, solver.name());
        (self.before)(&mut self.budget);
        if let Err(why) = self.budget.cancel().check() {
            let attempt = Attempt::without(name, AttemptEnd::NotStarted);
            let verdict = Verdict::Unknown(why);
            return Reply { position, solver: Some(solver), verdict, credit: name, attempt };
        }
        let begin = now();
        let solved = caught(name, || solver.solve(&self.copy.query(), &mut self.budget));
        let (verdict, credit, solver) = match solved {
            Ok(verdict) => (verdict, solver.credit(), Some(solver)),
            Err(why) => (Verdict::Unknown(why), name, None),
        };
        let attempt = Attempt::new(name, &verdict, begin.elapsed(), self.budget.steps_used());
        Reply { position, solver, verdict, credit, attempt }
    }
}

/// Threads of members, of all crews: threads are the process's, not a crew's.
static THREADS: Mutex<Threads> = Mutex::new(Threads { n_started: 0, running: BTreeMap::new() });

struct Threads {
    n_started: u64,
    /// By number: the member's name, and whether it was left behind.
    running: BTreeMap<u64, (&'static str, bool)>,
}

fn threads() -> MutexGuard<'static, Threads> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn n_left_behind(name: &str) -> usize {
    threads().running.values().filter(|&&(of, is_left)| is_left && of == name).count()
}

fn leave_behind(number: u64) {
    if let Some((_, is_left)) = threads().running.get_mut(&number) {
        *is_left = true;
    }
}

/// As long as this is there, the thread runs.
struct Running {
    number: u64,
}

impl Running {
    fn new(name: &'static str) -> Running {
        let mut threads = threads();
        threads.n_started += 1;
        let number = threads.n_started;
        threads.running.insert(number, (name, false));
        Running { number }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        threads().running.remove(&self.number);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long an attempt takes is shown, and a race is by the clock"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests;
