//! An abandoned member is not asked until it has ended, and is asked again afterwards.

use super::*;
use std::sync::mpsc::channel;
use symcrete_term::Terms;

/// Works until it is let go.
struct Held(Arc<Mutex<()>>);

impl Solver for Held {
    fn name(&self) -> &'static str {
        "held"
    }

    fn solve(&mut self, _: &Query<'_>, _: &mut Budget) -> Verdict {
        drop(self.0.lock());
        Verdict::Unsat
    }
}

fn part(position: usize) -> Part {
    let (terms, hint) = (Terms::new(), Valuation::new());
    let copy = copied(&Query { terms: &terms, literals: &[], hint: &hint });
    Part { position, copy, budget: Budget::of_steps(1), before: Box::new(|_| {}) }
}

fn crew(lock: &Arc<Mutex<()>>) -> Crew {
    let mut crew = Crew::default();
    crew.add(Box::new(Held(Arc::clone(lock))));
    crew
}

#[test]
fn who_was_left_behind_comes_back_when_it_has_ended() {
    let lock = Arc::new(Mutex::new(()));
    let held = lock.lock().expect("nobody panicked");
    let mut crews: Vec<Crew> = (0..LEFT_BEHIND_MAX).map(|_| crew(&lock)).collect();
    for crew in &mut crews {
        let (sender, replies) = channel();
        assert_eq!(crew.start(part(0), &sender), Ok(()));
        crew.leave_the_busy(replies);
        assert_eq!(crew.start(part(0), &sender), Err(AttemptEnd::Busy), "it has not come back");
    }
    let (sender, replies) = channel();
    let mut other = crew(&lock);
    assert_eq!(other.start(part(0), &sender), Err(AttemptEnd::Busy), "no further threads");
    drop(held);
    for crew in crews.iter_mut().chain([&mut other]) {
        while crew.start(part(0), &sender).is_err() {
            std::thread::yield_now();
        }
        assert_eq!(replies.recv().map(|reply| reply.verdict), Ok(Verdict::Unsat));
    }
}
