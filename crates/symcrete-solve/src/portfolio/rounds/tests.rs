//! Members that crash, lie or hang in turns: the others answer.

use super::*;
use crate::decorate::Checked;
use crate::enumerate::Enumerate;
use symcrete_term::{Literal, Sort, Terms, Valuation};

/// A member that does what it was made for.
struct Bad(&'static str, fn(&mut Budget) -> Verdict);

impl Solver for Bad {
    fn name(&self) -> &'static str {
        self.0
    }

    fn solve(&mut self, _: &Query<'_>, budget: &mut Budget) -> Verdict {
        (self.1)(budget)
    }
}

fn bad(name: &'static str, vice: fn(&mut Budget) -> Verdict) -> (u64, Box<dyn Solver>) {
    (256, Box::new(Checked::finder(Bad(name, vice))))
}

fn good() -> (u64, Box<dyn Solver>) {
    (256, Box::new(Checked::new(Enumerate)))
}

/// Asks for the one model of a small query; returns the attempts.
fn ask(rounds: &mut Rounds) -> Vec<Attempt> {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(8));
    let k = terms.bv(8, 77);
    let literals = [Literal::holds(terms.eq(x, k))];
    let hint = Valuation::new();
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    let order: Vec<usize> = (0..rounds.first_steps.len()).collect();
    let (mut budget, mut attempts) = (Budget::of_steps(1 << 12), Vec::new());
    let (verdict, credit) = rounds.solve(&order, &query, &mut budget, &mut attempts);
    assert!(matches!(&verdict, Verdict::Sat(model) if query.accepts(model)), "{verdict:?}");
    assert_eq!(credit, Some("enumerate"));
    attempts
}

#[test]
fn crashes_and_lies_spoil_nothing() {
    let mut rounds = Rounds::new([
        bad("crashing", |_| panic!("a member that crashes, as the test wants it")),
        bad("denying", |_| Verdict::Unsat),
        bad("lying", |_| Verdict::Sat(Valuation::new())),
        good(),
    ]);
    assert!(matches!(ask(&mut rounds)[0].outcome, AttemptEnd::Unknown(Why::Fault(_))));
    assert_eq!(ask(&mut rounds)[0].outcome, AttemptEnd::Lost, "who crashed is not asked again");
}

/// The good one is the last, so it has no clock against it.
#[test]
fn who_hangs_is_left_behind_and_the_others_answer() {
    let hang = |_: &mut Budget| loop {
        std::thread::park();
    };
    let mut rounds = Rounds::new([bad("hanging in turns", hang), good()]);
    rounds.patience = Duration::ZERO;
    let attempts = ask(&mut rounds);
    assert_eq!(attempts[0].outcome, AttemptEnd::LeftBehind);
    assert_eq!(ask(&mut rounds)[0].outcome, AttemptEnd::Busy, "it has not come back");
}

/// A member that is only slow stops when it is told to, and its next turn is longer.
#[test]
fn who_is_slow_loses_a_turn_only() {
    let slow = |budget: &mut Budget| loop {
        if let Err(why) = budget.charge(0) {
            return Verdict::Unknown(why);
        }
        std::thread::yield_now();
    };
    let mut rounds = Rounds::new([bad("slow", slow), good()]);
    rounds.patience = Duration::ZERO;
    for _ in 0..2 {
        assert_eq!(ask(&mut rounds)[0].outcome, AttemptEnd::LostTurn);
    }
}
