//! The default solver: many methods, the likeliest first.
//!
//! 1. Cheap tries: earlier models, intervals, linear arithmetic, guesses, short searches. Most conditions are easy, and
//!    starting a process costs more.
//! 2. All others: SMT solvers prove, searches take library calls and the floating point on which SMT solvers run out of
//!    time. In what order is a table by [`Features`], corrected by what was learnt ([`Experience`]).
//!    [`Mode::Race`] runs them at once and takes the first answer; [`Mode::Rounds`] gives each a growing number of steps in
//!    turn and takes the first answer in the order of members, so that the same seed gives the same answer.
//!
//! **Invariant:** the order of members decides who answers, never what is right: all models are checked, and `unsat` comes
//! from members that prove it.

mod cheap;
mod experience;
mod features;
mod members;

pub use experience::{BadExperience, Experience};
pub use features::{Features, Theory};

use crate::attempt::{Attempt, caught};
use crate::kind::Setup;
use crate::race::Race;
use crate::{Budget, Query, Solver, Verdict, Why};
use cheap::{Cheap, now};
use members::{Member, members};
use std::collections::BTreeSet;

/// How members share the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// All at once by the clock; what is learnt changes the order.
    Race,
    /// One after the other by steps, in rounds: reproducible. What was learnt is not used.
    Rounds,
}

/// See the module.
pub struct Portfolio {
    name: &'static str,
    cheap: Cheap,
    members: Vec<Member>,
    runner: Runner,
    experience: Experience,
    left_out: BTreeSet<String>,
    attempts: Vec<Attempt>,
    credit: &'static str,
}

/// What runs the members.
enum Runner {
    Race(Race),
    /// `None` for those that panicked.
    Rounds(Vec<Option<Box<dyn Solver>>>),
}

/// An answer of a member is worth as much as so many places in the table.
const PLACES_PER_ANSWER: u64 = 1;

impl Portfolio {
    /// Uses the SMT solvers that are installed; without any, search alone.
    pub fn new(name: &'static str, setup: &Setup<'_>, mode: Mode) -> Portfolio {
        let (members, solvers): (Vec<Member>, Vec<Box<dyn Solver>>) =
            members(setup).into_iter().unzip();
        let runner = match mode {
            Mode::Rounds => Runner::Rounds(solvers.into_iter().map(Some).collect()),
            Mode::Race => {
                let mut race = Race::new(name);
                solvers.into_iter().for_each(|solver| race.add(solver));
                Runner::Race(race)
            }
        };
        let experience = match mode {
            Mode::Race => setup.experience.cloned().unwrap_or_default(),
            Mode::Rounds => Experience::new(),
        };
        let cheap = Cheap::new(setup.seed);
        Portfolio {
            name,
            cheap,
            members,
            runner,
            experience,
            left_out: BTreeSet::new(),
            attempts: Vec::new(),
            credit: name,
        }
    }

    /// The same without some of its members and cheap tries, by name: to see what they add.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Portfolio {
        self.left_out = names.iter().map(ToString::to_string).collect();
        self.cheap.left_out = self.left_out.clone();
        self
    }

    /// The names of all members and cheap tries; some are both.
    pub fn parts(&self) -> impl Iterator<Item = &'static str> {
        let members = self.members.iter().map(|member| member.name);
        Cheap::NAMES.into_iter().chain(members.filter(|name| !Cheap::NAMES.contains(name)))
    }

    /// The positions of the members that suit a query, the likeliest first.
    fn order(&self, features: Features, bits: u32) -> Vec<usize> {
        let mut order: Vec<(u64, usize)> = (0..self.members.len())
            .filter(|&i| !self.left_out.contains(self.members[i].name))
            .filter_map(|i| {
                let place = u64::from(self.members[i].place(features.theory, bits)?);
                let learnt = self.experience.n_answers(features, self.members[i].name);
                Some((place.saturating_sub(learnt.saturating_mul(PLACES_PER_ANSWER)), i))
            })
            .collect();
        order.sort_unstable();
        order.into_iter().map(|(_, i)| i).collect()
    }

    fn run(&mut self, features: Features, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let order = self.order(features, query.input_bits());
        match &mut self.runner {
            Runner::Race(race) => {
                let verdict = race.solve_with(&order, query, budget);
                self.credit = race.credit();
                self.attempts.extend_from_slice(race.attempts());
                if verdict.is_decided() {
                    self.experience.note(features, self.credit);
                }
                verdict
            }
            Runner::Rounds(solvers) => {
                let first_steps: Vec<u64> =
                    self.members.iter().map(|member| member.first_steps).collect();
                let (verdict, credit) =
                    rounds(solvers, &first_steps, &order, query, budget, &mut self.attempts);
                self.credit = credit.unwrap_or(self.name);
                verdict
            }
        }
    }
}

impl Solver for Portfolio {
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
        self.attempts.clear();
        self.credit = self.name;
        let features = Features::of(query);
        let tried = self.cheap.solve(query, features, budget, &mut self.attempts);
        let verdict = match tried {
            Some(verdict) => {
                let last = self.attempts.last().filter(|attempt| attempt.is_decided());
                self.credit = last.map_or(self.name, |attempt| attempt.member);
                verdict
            }
            None => self.run(features, query, budget),
        };
        if let Verdict::Sat(model) = &verdict {
            self.cheap.remember(model);
        }
        verdict
    }
}

/// Gives each member its steps of the first round, then twice and four times as many and so on, until one answers or all have given up.
fn rounds(
    solvers: &mut [Option<Box<dyn Solver>>],
    first_steps: &[u64],
    order: &[usize],
    query: &Query<'_>,
    budget: &mut Budget,
    attempts: &mut Vec<Attempt>,
) -> (Verdict, Option<&'static str>) {
    let mut open: Vec<usize> = order.to_vec();
    let mut last = Why::GaveUp;
    for round in 0..u64::BITS {
        for i in std::mem::take(&mut open) {
            let Some(solver) = &mut solvers[i] else { continue };
            let (name, steps) = (solver.name(), first_steps[i].saturating_mul(1 << round));
            let begin = now();
            let mut share = budget.fork(budget.cancel().clone()).at_most(steps);
            let (verdict, credit) = match caught(name, || solver.solve(query, &mut share)) {
                Ok(verdict) => (verdict, solver.credit()),
                Err(why) => {
                    solvers[i] = None;
                    (Verdict::Unknown(why), name)
                }
            };
            let used = share.steps_used().min(steps);
            attempts.push(Attempt::new(name, &verdict, begin.elapsed(), used));
            if verdict.is_decided() {
                let _ = budget.charge(used);
                return (verdict, Some(credit));
            }
            if let Verdict::Unknown(why) = verdict {
                // More steps help only those that ran out of them.
                if why == Why::OutOfSteps {
                    open.push(i);
                }
                last = why;
            }
            if let Err(why) = budget.charge(used) {
                return (Verdict::Unknown(why), None);
            }
        }
        if open.is_empty() {
            break;
        }
    }
    (Verdict::Unknown(last), None)
}

#[cfg(test)]
mod tests;
