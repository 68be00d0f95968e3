//! One SMT solver that keeps what consecutive queries have in common.
//!
//! Path conditions grow and shrink at their end. Every literal is asserted in a scope of its own; a query
//! pops down to the longest prefix it shares with the last one and pushes the rest. To assume literals for one
//! query only is to put them last.
//!
//! Verdicts may depend on earlier queries (learnt clauses, phases), so this is not a [`Solver`](crate::Solver):
//! it is a separate, labelled kind. Models are checked by the evaluator here.

use symcrete_term::print::{Mark, Opaque, Printer, Style};
use symcrete_term::{Literal, Valuation};

use super::backend::Backend;
use super::session::{Answer, Mode, Session};
use super::solver::{LOGIC, read_model};
use super::toolbox::{MissingSolver, Toolbox};
use crate::budget::Budget;
use crate::query::Query;
use crate::verdict::{Verdict, Why};

/// Decides queries over one arena of terms, fast where they share a prefix.
pub struct IncrementalSolver {
    session: Session,
    printer: Printer,
    /// The literals asserted, each in its scope, with the printer's state before it.
    asserted: Vec<(Literal, Mark)>,
}

impl IncrementalSolver {
    /// Looks the solver up; it is started by the first query.
    pub fn new(backend: Backend, toolbox: &Toolbox) -> Result<IncrementalSolver, MissingSolver> {
        let session = Session::new(backend, toolbox, Mode::Incremental, Some(LOGIC))?;
        Ok(IncrementalSolver {
            session,
            printer: Printer::new(Style::Solver),
            asserted: Vec::new(),
        })
    }

    /// The solver.
    pub fn backend(&self) -> Backend {
        self.session.backend()
    }

    /// Decides a query. All queries must be over the same arena.
    pub fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        if let Err(why) = self.assert_exactly(query) {
            return Verdict::Unknown(why);
        }
        match self.session.check(&[], budget) {
            Answer::Unsat => Verdict::Unsat,
            Answer::Unknown(why) => Verdict::Unknown(why),
            Answer::Sat => match self.checked_model(query, budget) {
                Ok(model) => Verdict::Sat(model),
                Err(why) => Verdict::Unknown(why),
            },
        }
    }

    /// After `Unsat`: the positions of literals of that query that contradict each other, in order.
    pub fn unsat_core(&mut self, budget: &Budget) -> Result<Vec<usize>, Why> {
        let names = self.session.unsat_core(budget)?;
        let position = |name: &String| name.strip_prefix("literal!")?.parse::<usize>().ok();
        let core: Option<Vec<usize>> = names.iter().map(position).collect();
        let mut core =
            core.ok_or_else(|| Why::Fault(format!("not a core: {}", names.join(" "))))?;
        core.sort_unstable();
        Ok(core)
    }

    /// Pops what the query does not share, and pushes what is new.
    fn assert_exactly(&mut self, query: &Query<'_>) -> Result<(), Why> {
        let asserted = self.asserted.iter().map(|(literal, _)| literal);
        let n_shared = asserted.zip(query.literals).take_while(|(a, b)| a == b).count();
        while self.asserted.len() > n_shared {
            let (_, mark) = self.asserted.pop().expect("longer than the shared part");
            self.printer.rollback(mark);
            self.session.pop();
        }
        for &literal in &query.literals[n_shared..] {
            self.assert_next(query, literal)?;
        }
        Ok(())
    }

    fn assert_next(&mut self, query: &Query<'_>, literal: Literal) -> Result<(), Why> {
        let before = self.printer.mark();
        let mut commands = String::new();
        let formula = match self.printer.literal(query.terms, literal, &mut commands) {
            Ok(formula) => formula,
            Err(Opaque(function)) => {
                self.printer.rollback(before);
                let name = query.terms.function(function).name();
                return Err(Why::Unsupported(format!("call of `{name}`")));
            }
        };
        // What the first literal declares and defines says nothing by itself. Outside all scopes it stays for
        // later queries, which often share deep terms with this one though none of its literals.
        let stays = self.asserted.is_empty();
        let mark = if stays { self.printer.mark() } else { before };
        if stays {
            self.session.tell(&commands);
        }
        self.session.push();
        if !stays {
            self.session.tell(&commands);
        }
        self.session.assert_named(&formula, &format!("literal!{}", self.asserted.len()));
        self.asserted.push((literal, mark));
        Ok(())
    }

    fn checked_model(&mut self, query: &Query<'_>, budget: &Budget) -> Result<Valuation, Why> {
        let model = read_model(&mut self.session, query, budget)?;
        if query.accepts(&model) {
            return Ok(model);
        }
        tracing::error!(solver = self.backend().name(), ?model, "model rejected by the evaluator");
        let what = format!("{} gave a model that the evaluator rejects", self.backend());
        Err(Why::Fault(what))
    }
}
