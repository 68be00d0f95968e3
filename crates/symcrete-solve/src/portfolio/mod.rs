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
mod rounds;

pub use experience::{BadExperience, Experience};
pub use features::{Features, Theory};

use crate::attempt::Attempt;
use crate::kind::Setup;
use crate::race::Race;
use crate::{Budget, Query, Solver, Verdict};
use cheap::Cheap;
use members::{Member, members};
use rounds::Rounds;
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
    Rounds(Rounds),
}

/// An answer of a member is worth as much as so many places in the table.
const PLACES_PER_ANSWER: u64 = 1;

impl Portfolio {
    /// Uses the SMT solvers that are installed; without any, search alone.
    pub fn new(name: &'static str, setup: &Setup<'_>, mode: Mode) -> Portfolio {
        let (members, solvers): (Vec<Member>, Vec<Box<dyn Solver>>) =
            members(setup).into_iter().unzip();
        let runner = match mode {
            Mode::Rounds => {
                let steps = members.iter().map(|member| member.first_steps);
                Runner::Rounds(Rounds::new(steps.zip(solvers)))
            }
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
            Runner::Rounds(rounds) => {
                let (verdict, credit) = rounds.solve(&order, query, budget, &mut self.attempts);
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

#[cfg(test)]
mod tests;
