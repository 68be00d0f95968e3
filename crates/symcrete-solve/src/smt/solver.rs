//! One SMT solver as a [`Solver`]: each query in a conversation that knows nothing of earlier ones.
//!
//! Opaque calls cannot be translated. Literals with calls are left out, which is sound in one direction:
//! if the others contradict each other, so do all. A model of the others counts only if the evaluator accepts
//! it for all.

use std::fmt::Write;

use symcrete_term::print::{Opaque, Printer, Style, value_from_smtlib};
use symcrete_term::{FunctionId, Literal, Terms, Valuation};

use super::backend::Backend;
use super::session::{Answer, Mode, Session};
use super::toolbox::{MissingSolver, Toolbox};
use crate::budget::Budget;
use crate::query::Query;
use crate::verdict::{Verdict, Why};

/// All that terms can express.
pub(super) const LOGIC: &str = "QF_BVFP";

/// An SMT solver that takes each query by itself. Models are not checked: wrap it in
/// [`Checked`](crate::decorate::Checked).
#[derive(Debug)]
pub struct SmtSolver {
    session: Session,
}

impl SmtSolver {
    /// Looks the solver up; it is started by the first query.
    pub fn new(backend: Backend, toolbox: &Toolbox) -> Result<SmtSolver, MissingSolver> {
        Ok(SmtSolver { session: Session::new(backend, toolbox, Mode::OneShot, Some(LOGIC))? })
    }

    fn check(&mut self, translation: &Translation, budget: &mut Budget) -> Answer {
        self.session.reset();
        self.session.tell(&translation.commands);
        self.session.check(&[], budget)
    }
}

impl crate::Solver for SmtSolver {
    fn name(&self) -> &'static str {
        self.session.backend().name()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let translation = Translation::new(query);
        match (self.check(&translation, budget), translation.opaque) {
            (Answer::Unsat, _) => Verdict::Unsat,
            (Answer::Unknown(why), None) => Verdict::Unknown(why),
            (Answer::Unknown(_), Some(call)) => unsupported(query.terms, call),
            (Answer::Sat, opaque) => {
                let translated = Query { literals: &translation.literals, ..*query };
                match (read_model(&mut self.session, &translated, budget), opaque) {
                    (Ok(model), Some(call)) if !query.accepts(&model) => {
                        unsupported(query.terms, call)
                    }
                    (Ok(model), _) => Verdict::Sat(model),
                    (Err(why), _) => Verdict::Unknown(why),
                }
            }
        }
    }
}

/// A query as commands, as far as it can be said.
struct Translation {
    commands: String,
    literals: Vec<Literal>,
    /// A function that could not be translated.
    opaque: Option<FunctionId>,
}

impl Translation {
    fn new(query: &Query<'_>) -> Translation {
        let mut printer = Printer::new(Style::Solver);
        let (mut commands, mut literals, mut opaque) = (String::new(), Vec::new(), None);
        for &literal in query.literals {
            match printer.literal(query.terms, literal, &mut commands) {
                Ok(formula) => {
                    writeln!(commands, "(assert {formula})").expect("writing to memory");
                    literals.push(literal);
                }
                Err(Opaque(function)) => opaque = opaque.or(Some(function)),
            }
        }
        Translation { commands, literals, opaque }
    }
}

fn unsupported(terms: &Terms, function: FunctionId) -> Verdict {
    let name = terms.function(function).name();
    Verdict::Unknown(Why::Unsupported(format!("call of `{name}`")))
}

/// The values of a query's variables after `Sat`.
pub(super) fn read_model(
    session: &mut Session,
    query: &Query<'_>,
    budget: &Budget,
) -> Result<Valuation, Why> {
    let printer = Printer::new(Style::Solver);
    let variables: Vec<_> = query.variables().into_iter().collect();
    let names: Vec<String> =
        variables.iter().map(|&variable| printer.var_name(query.terms, variable)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let texts = session.values(&names, budget)?;
    let mut valuation = Valuation::new();
    for (&variable, text) in variables.iter().zip(&texts) {
        let value = value_from_smtlib(query.terms.var_sort(variable), text);
        let unread = || Why::Fault(format!("{} gives the value {text}", session.backend()));
        valuation.set(variable, value.ok_or_else(unread)?);
    }
    Ok(valuation)
}
