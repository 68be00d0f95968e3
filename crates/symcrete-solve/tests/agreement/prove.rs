//! Claims that solvers must prove: an equation holds for all values of its variables.

use crate::support::toolbox;
use std::fmt::Write;
use symcrete_solve::Budget;
use symcrete_solve::smt::{Answer, Backend, Mode, Session};
use symcrete_term::print::{Printer, Style};
use symcrete_term::{TermId, Terms};

/// Two terms that must be equal, and what to say if they are not.
pub(crate) struct Claim {
    pub(crate) left: TermId,
    pub(crate) right: TermId,
    pub(crate) label: String,
}

/// How many claims go into one check: a refuted check is repeated claim by claim.
const CHUNK: usize = 400;

/// Proves all claims with one solver, or panics with those that it refutes.
pub(crate) fn prove(backend: Backend, terms: &Terms, claims: &[Claim]) {
    let mut wrong = Vec::new();
    for chunk in claims.chunks(CHUNK) {
        if check(backend, terms, chunk) != Answer::Unsat {
            let refuted = |claim: &&Claim| {
                check(backend, terms, std::slice::from_ref(*claim)) != Answer::Unsat
            };
            wrong.extend(chunk.iter().filter(refuted).map(|claim| claim.label.clone()));
        }
    }
    let shown = wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{backend} disagrees on {} claims:\n{shown}", wrong.len());
}

/// `Unsat` if none of the claims can be violated.
fn check(backend: Backend, terms: &Terms, claims: &[Claim]) -> Answer {
    let mut session = Session::new(backend, &toolbox(), Mode::OneShot, None)
        .unwrap_or_else(|missing| panic!("{missing}"));
    let mut printer = Printer::new(Style::Solver);
    let mut commands = String::new();
    let mut violated = String::from("(assert (or false");
    for claim in claims {
        let mut side = |term| printer.term(terms, term, &mut commands).expect("no opaque calls");
        let (left, right) = (side(claim.left), side(claim.right));
        write!(violated, "\n(not (= {left} {right}))").expect("writing to memory");
    }
    session.tell(&commands);
    session.tell(&format!("{violated}))"));
    session.check(&[], &mut Budget::of_steps(u64::MAX))
}
