//! One SMT solver that keeps what consecutive queries have in common.
//!
//! [`Keeping::Scopes`]: path conditions grow and shrink at their end. Every literal is asserted in a scope of its own; a query
//! pops down to the longest prefix it shares with the last one and pushes the rest.
//!
//! [`Keeping::Assumptions`]: every literal that was ever asked is told once, behind a switch of its own, and a query assumes the
//! switches of its literals. Nothing is told twice and what the solver learnt stays, in whatever order literals come; models of
//! earlier queries are tried first. Partial queries (IPPC) jump about, and this is for them.
//!
//! Verdicts may depend on earlier queries (learnt clauses, phases), so this is not a [`Solver`](crate::Solver):
//! it is a separate, labelled kind. Models are checked by the evaluator here.

use std::collections::BTreeMap;
use symcrete_term::print::{Checkpoint, Opaque, Printer, Style};
use symcrete_term::{Literal, Valuation};

use super::backend::Backend;
use super::session::{Answer, Mode, Session};
use super::solver::{LOGIC, read_model};
use super::toolbox::{MissingSolver, Toolbox};
use crate::budget::Budget;
use crate::lazy::LazyEvaluator;
use crate::query::Query;
use crate::verdict::{Verdict, Why};

/// What stays between two queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeping {
    /// The prefix that they share, in scopes.
    Scopes,
    /// Everything, behind switches.
    Assumptions,
}

/// Decides queries over one arena of terms, fast where they share literals.
pub struct IncrementalSolver {
    session: Session,
    printer: Printer,
    keeping: Keeping,
    /// The literals asserted, each in its scope, with the printer's state before it.
    asserted: Vec<(Literal, Checkpoint)>,
    /// The literals told behind a switch, by its number.
    switches: BTreeMap<Literal, usize>,
    /// The positions of the last query's switches.
    assumed: BTreeMap<usize, usize>,
    /// The latest models, the newest first.
    models: Vec<Valuation>,
    evaluator: LazyEvaluator,
}

/// So many switches make a session slow: a new one is started.
const SWITCHES_MAX: usize = 4_000;
/// Earlier models that are tried.
const MODELS_MAX: usize = 8;

impl IncrementalSolver {
    /// Looks the solver up; it is started by the first query.
    pub fn new(backend: Backend, toolbox: &Toolbox) -> Result<IncrementalSolver, MissingSolver> {
        IncrementalSolver::keeping(Keeping::Scopes, backend, toolbox)
    }

    /// The same, with a choice of what stays between queries.
    pub fn keeping(
        keeping: Keeping,
        backend: Backend,
        toolbox: &Toolbox,
    ) -> Result<IncrementalSolver, MissingSolver> {
        let session = Session::new(backend, toolbox, Mode::Incremental, Some(LOGIC))?;
        Ok(IncrementalSolver {
            session,
            printer: Printer::new(Style::Solver),
            keeping,
            asserted: Vec::new(),
            switches: BTreeMap::new(),
            assumed: BTreeMap::new(),
            models: Vec::new(),
            evaluator: LazyEvaluator::new(),
        })
    }

    /// The solver.
    pub fn backend(&self) -> Backend {
        self.session.backend()
    }

    /// Decides a query. All queries must be over the same arena.
    pub fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let asserted = match self.keeping {
            Keeping::Scopes => self.assert_exactly(query).map(|()| Vec::new()),
            Keeping::Assumptions => {
                if let Some(model) = self.earlier_model(query) {
                    return Verdict::Sat(model);
                }
                self.assume(query)
            }
        };
        let assumptions = match asserted {
            Ok(assumptions) => assumptions,
            Err(why) => return Verdict::Unknown(why),
        };
        let assumptions: Vec<&str> = assumptions.iter().map(String::as_str).collect();
        match self.session.check(&assumptions, budget) {
            Answer::Unsat => Verdict::Unsat,
            Answer::Unknown(why) => Verdict::Unknown(why),
            Answer::Sat => match self.checked_model(query, budget) {
                Ok(model) => {
                    self.models.insert(0, model.clone());
                    self.models.truncate(MODELS_MAX);
                    Verdict::Sat(model)
                }
                Err(why) => Verdict::Unknown(why),
            },
        }
    }

    fn earlier_model(&mut self, query: &Query<'_>) -> Option<Valuation> {
        let mut candidates = std::iter::once(query.hint).chain(&self.models);
        let fits =
            |model: &&Valuation| self.evaluator.under(query.terms, model).all_hold(query.literals);
        candidates.find(fits).cloned()
    }

    /// Tells the literals that are new, each behind a switch, and names the switches of the query.
    fn assume(&mut self, query: &Query<'_>) -> Result<Vec<String>, Why> {
        if self.switches.len() > SWITCHES_MAX {
            self.session.reset();
            self.printer = Printer::new(Style::Solver);
            self.switches.clear();
        }
        self.assumed.clear();
        let mut names = Vec::with_capacity(query.literals.len());
        for (position, &literal) in query.literals.iter().enumerate() {
            let switch = match self.switches.get(&literal) {
                Some(&switch) => switch,
                None => self.add_switch(query, literal)?,
            };
            if self.assumed.insert(switch, position).is_none() {
                names.push(format!("switch!{switch}"));
            }
        }
        Ok(names)
    }

    /// A literal as a formula, after the commands that it needs.
    fn print(&mut self, query: &Query<'_>, literal: Literal) -> Result<(String, String), Why> {
        let before = self.printer.checkpoint();
        let mut commands = String::new();
        match self.printer.literal(query.terms, literal, &mut commands) {
            Ok(formula) => Ok((commands, formula)),
            Err(Opaque(function)) => {
                self.printer.rollback(before);
                let name = query.terms.function(function).name();
                Err(Why::Unsupported(format!("call of `{name}`")))
            }
        }
    }

    fn add_switch(&mut self, query: &Query<'_>, literal: Literal) -> Result<usize, Why> {
        let (commands, formula) = self.print(query, literal)?;
        let switch = self.switches.len();
        self.session.tell(&commands);
        self.session.declare(&format!("switch!{switch}"), "Bool");
        self.session.assert(&format!("(=> switch!{switch} {formula})"));
        self.switches.insert(literal, switch);
        Ok(switch)
    }

    /// After `Unsat`: the positions of literals of that query that contradict each other, in order.
    pub fn unsat_core(&mut self, budget: &Budget) -> Result<Vec<usize>, Why> {
        let (names, prefix) = match self.keeping {
            Keeping::Scopes => (self.session.unsat_core(budget)?, "literal!"),
            Keeping::Assumptions => (self.session.unsat_assumptions(budget)?, "switch!"),
        };
        let position = |name: &String| {
            let number = name.strip_prefix(prefix)?.parse::<usize>().ok()?;
            match self.keeping {
                Keeping::Scopes => Some(number),
                Keeping::Assumptions => self.assumed.get(&number).copied(),
            }
        };
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
            let (_, checkpoint) = self.asserted.pop().expect("longer than the shared part");
            self.printer.rollback(checkpoint);
            self.session.pop();
        }
        for &literal in &query.literals[n_shared..] {
            self.assert_next(query, literal)?;
        }
        Ok(())
    }

    fn assert_next(&mut self, query: &Query<'_>, literal: Literal) -> Result<(), Why> {
        let before = self.printer.checkpoint();
        let (commands, formula) = self.print(query, literal)?;
        // What the first literal declares and defines says nothing by itself. Outside all scopes it stays for
        // later queries, which often share deep terms with this one though none of its literals.
        let stays = self.asserted.is_empty();
        let checkpoint = if stays { self.printer.checkpoint() } else { before };
        if stays {
            self.session.tell(&commands);
        }
        self.session.push();
        if !stays {
            self.session.tell(&commands);
        }
        self.session.assert_named(&formula, &format!("literal!{}", self.asserted.len()));
        self.asserted.push((literal, checkpoint));
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
