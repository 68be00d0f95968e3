//! Members that lie, crash, hang or answer.

use super::*;
use crate::enumerate::Enumerate;
use symcrete_term::{Literal, Op, Sort, Terms, Valuation};

/// What a bad member does.
#[derive(Clone, Copy)]
enum Vice {
    WrongModel,
    WrongUnsat,
    Panics,
    Hangs,
    Overspends,
}

struct Bad(Vice, &'static str);

impl Solver for Bad {
    fn name(&self) -> &'static str {
        self.1
    }

    fn solve(&mut self, _: &Query<'_>, budget: &mut Budget) -> Verdict {
        match self.0 {
            Vice::WrongModel => Verdict::Sat(Valuation::new()),
            Vice::WrongUnsat => Verdict::Unsat,
            Vice::Panics => panic!("a member that crashes, as the test wants it"),
            Vice::Hangs => loop {
                std::thread::park();
            },
            Vice::Overspends => {
                let _ = budget.charge(u64::MAX);
                Verdict::Unknown(Why::OutOfSteps)
            }
        }
    }
}

/// `x · y = k` over four bits, which has no model for some constants.
fn ask(race: &mut Race, k: u64, even: bool) -> Verdict {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Bv(4)));
    let (k, two) = (terms.bv(4, k), terms.bv(4, 2));
    let x = if even { terms.app(Op::BvMul, &[x, two]) } else { x };
    let product = terms.app(Op::BvMul, &[x, y]);
    let literals = [Literal::holds(terms.eq(product, k))];
    let hint = Valuation::new();
    let query = Query { terms: &terms, literals: &literals, hint: &hint };
    let verdict = race.solve(&query, &mut Budget::of_steps(1 << 12));
    if let Verdict::Sat(model) = &verdict {
        assert!(query.accepts(model), "a model over the query's own variables");
    }
    verdict
}

#[test]
fn no_vice_of_a_member_spoils_the_answer() {
    for vice in [Vice::WrongModel, Vice::WrongUnsat, Vice::Panics, Vice::Overspends] {
        let mut race = Race::new("race");
        race.add(Checked::finder(Bad(vice, "bad")));
        race.add(Enumerate);
        assert_eq!(ask(&mut race, 7, false).word(), "sat");
        assert_eq!(race.credit(), "enumerate");
        assert_eq!(ask(&mut race, 7, true).word(), "unsat");
        assert!(race.attempts().iter().any(|attempt| attempt.outcome == AttemptEnd::Unsat));
    }
}

#[test]
fn who_hangs_is_left_behind() {
    let mut race = Race::new("race");
    race.add(Bad(Vice::Hangs, "hanging"));
    race.add(Enumerate);
    assert_eq!(ask(&mut race, 7, false).word(), "sat");
    let outcomes: Vec<AttemptEnd> =
        race.attempts().iter().map(|attempt| attempt.outcome.clone()).collect();
    assert_eq!(outcomes[1], AttemptEnd::Sat);
    assert_eq!(ask(&mut race, 7, true).word(), "unsat");
    // On a busy machine the answer may be there before it begins to hang.
    if outcomes[0] != AttemptEnd::NotStarted {
        assert_eq!(outcomes[0], AttemptEnd::LeftBehind);
        assert_eq!(race.attempts()[0].outcome, AttemptEnd::Busy, "it takes no part any more");
    }
}

#[test]
fn alone_a_bad_member_leads_to_unknown() {
    for vice in [Vice::WrongModel, Vice::WrongUnsat, Vice::Panics, Vice::Overspends] {
        let mut race = Race::new("race");
        race.add(Checked::finder(Bad(vice, "bad")));
        assert_eq!(ask(&mut race, 7, false).word(), "unknown");
    }
    assert_eq!(ask(&mut Race::new("empty"), 7, false).word(), "unknown");
}

#[test]
fn a_model_refutes_a_false_proof() {
    let model = Verdict::Sat(Valuation::new());
    let mut ended = Ended::new();
    ended.take("wrong", Verdict::Unsat, 1);
    ended.take("right", model.clone(), 1);
    ended.take("late", Verdict::Unsat, 1);
    assert_eq!((ended.verdict, ended.winner), (model, Some("right")));
}
