//! Members in turns, by steps: each gets its steps of the first round, then twice as many, and so on, until one answers or all have
//! given up. Which member answers depends on query, seed and steps alone.
//!
//! The clock is a safety net for a member that hangs: a turn that takes some hundred times longer than it should is ended, and
//! a member that does not end it is left behind. The attempts say so, because from there on the answer depends on the machine.

use crate::attempt::{Attempt, AttemptEnd};
use crate::crew::{Crew, GLANCE, GRACE, Part, copied, now};
use crate::hybrid::Substituted;
use crate::{Budget, Query, Solver, Verdict, Why};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long a turn of the first round may take. Its steps are worth a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// No turn takes more than this part of the query's time, as long as others wait for theirs.
const TURNS_MIN: u32 = 4;

/// Members that take turns. See the module.
pub(super) struct Rounds {
    crew: Crew,
    first_steps: Vec<u64>,
    pub(super) patience: Duration,
}

/// What came of a turn.
struct Turn {
    verdict: Verdict,
    attempt: Attempt,
    credit: &'static str,
}

impl Rounds {
    /// Members with the steps of their first turn.
    pub(super) fn new(members: impl IntoIterator<Item = (u64, Box<dyn Solver>)>) -> Rounds {
        let (mut crew, mut first_steps) = (Crew::default(), Vec::new());
        for (steps, solver) in members {
            crew.add(solver);
            first_steps.push(steps);
        }
        Rounds { crew, first_steps, patience: PATIENCE }
    }

    /// The first answer in the order of members, and who gave it.
    pub(super) fn solve(
        &mut self,
        order: &[usize],
        query: &Query<'_>,
        budget: &mut Budget,
        attempts: &mut Vec<Attempt>,
    ) -> (Verdict, Option<&'static str>) {
        let copy = copied(query);
        let mut open: Vec<usize> = order.to_vec();
        let mut last = Why::GaveUp;
        for round in 0..u64::BITS {
            let turns = std::mem::take(&mut open);
            let is_alone = turns.len() == 1;
            for position in turns {
                let steps = self.first_steps[position].saturating_mul(1 << round);
                let shared = self.patience.saturating_mul(1 << round.min(31));
                let shared = shared.min(budget.wall_max / TURNS_MIN);
                let patience = if is_alone { budget.wall_max } else { shared };
                let turn = self.turn(position, steps, patience, &copy, budget);
                let (used, outcome) = (turn.attempt.steps, turn.attempt.outcome.clone());
                attempts.push(turn.attempt);
                let charged = budget.charge(used);
                if let Verdict::Sat(model) = turn.verdict {
                    return (Verdict::Sat(copy.restore(&model)), Some(turn.credit));
                }
                let Verdict::Unknown(why) = turn.verdict else {
                    return (turn.verdict, Some(turn.credit));
                };
                if let Err(why) = charged {
                    return (Verdict::Unknown(why), None);
                }
                // More steps help only those that ran out of them.
                if why == Why::OutOfSteps || outcome == AttemptEnd::LostTurn {
                    open.push(position);
                }
                last = why;
            }
            if open.is_empty() {
                break;
            }
        }
        (Verdict::Unknown(last), None)
    }

    /// One member with so many steps, on its thread.
    fn turn(
        &mut self,
        position: usize,
        steps: u64,
        patience: Duration,
        copy: &Arc<Substituted>,
        budget: &Budget,
    ) -> Turn {
        let cancel = budget.cancel().child();
        let share = budget.fork(cancel.clone()).at_most(steps);
        let (copy, before) = (Arc::clone(copy), Box::new(|_: &mut Budget| {}));
        let (sender, replies) = channel();
        let name = self.crew.name(position);
        let part = Part { position, copy, budget: share, before };
        if let Err(outcome) = self.crew.start(part, &sender) {
            return Turn::without_answer(name, outcome);
        }
        drop(sender);
        let begin = now();
        let mut told = None;
        loop {
            match replies.recv_timeout(GLANCE) {
                Ok(mut reply) => {
                    self.crew.take_back(&mut reply);
                    let mut attempt = reply.attempt;
                    attempt.steps = attempt.steps.min(steps);
                    let is_slow = told.is_some() && budget.cancel().check().is_ok();
                    match &reply.verdict {
                        Verdict::Unknown(_) if is_slow => attempt.outcome = AttemptEnd::LostTurn,
                        // Here it is not for another's answer that a member does not start.
                        Verdict::Unknown(why) => attempt.outcome = AttemptEnd::Unknown(why.clone()),
                        Verdict::Sat(_) | Verdict::Unsat => {}
                    }
                    return Turn { verdict: reply.verdict, attempt, credit: reply.credit };
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Turn::without_answer(name, AttemptEnd::Lost);
                }
            }
            let passed = begin.elapsed();
            if told.is_none() && (passed > patience || cancel.check().is_err()) {
                cancel.time_is_up();
                told = Some(passed);
            }
            if told.is_some_and(|told| passed > told.saturating_add(GRACE)) {
                self.crew.leave_the_busy(replies);
                let mut turn = Turn::without_answer(name, AttemptEnd::LeftBehind);
                (turn.attempt.time, turn.attempt.steps) = (passed, steps);
                return turn;
            }
        }
    }
}

impl Turn {
    fn without_answer(member: &'static str, outcome: AttemptEnd) -> Turn {
        let why = if let AttemptEnd::Unknown(why) = &outcome {
            why.clone()
        } else {
            Why::Fault(format!("{member}: {outcome}"))
        };
        let attempt = Attempt::without(member, outcome);
        Turn { verdict: Verdict::Unknown(why), attempt, credit: member }
    }
}

#[cfg(test)]
mod tests;
