//! The commands of a script and their effects.
//!
//! A script runs in *terms* until it uses something that our terms cannot express; from there on, until
//! a `pop` takes that back, its live commands go to the SMT solvers as text. The text of every
//! command is kept for that moment.
//!
//! Answers are data ([`Response`]); writing them is the caller's business.

use super::command::{COMMANDS, Command};
use super::diagnostic::{Diagnostic, Failure, Problem, Suggestion, Unsupported};
use super::elaborate::{Elaborator, expected};
use super::model::{self, ModelEntry};
use super::names::Meaning;
use super::sexpr::{SexprId, Tree};
use super::text::{TextCommand, TextScript, TextSolver, TextVerdict};
use crate::{Attempt, Budget, Query, Solver, Verdict, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, Valuation, Value};

/// What decides a script's questions.
pub struct Deciders {
    /// For questions that our terms express.
    pub solver: Box<dyn Solver>,
    /// For all others.
    pub text_solver: Box<dyn TextSolver>,
    /// The budget of the next question.
    pub budget: Box<dyn FnMut() -> Budget>,
}

/// The answer to a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response {
    /// The command took effect; SMT-LIB says `success` if the user wants to hear it.
    Success,
    /// Text to print.
    Text(String),
    /// The answer to a `check-sat`.
    Checked(Check),
    /// The script is over.
    Exit,
}

/// The answer to a `check-sat`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// `sat`, `unsat` or `unknown`.
    pub answer: Answer,
    /// The declared constants' values, if the answer is `sat`.
    pub model: Option<Vec<ModelEntry>>,
    /// The solver that gave the answer.
    pub solver: &'static str,
    /// Steps it took.
    pub steps: u64,
    /// What made the script go to the SMT solvers as text, if it did.
    pub beyond_terms: Option<String>,
    /// The solvers that tried, in the order of starting; empty if one solver was asked.
    pub attempts: Vec<Attempt>,
}

/// The verdict of a [`Check`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// Not known, and why.
    Unknown(Why),
}

impl Answer {
    /// SMT-LIB's word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

/// A script in the course of its execution.
pub struct Script {
    pub(super) elaborator: Elaborator,
    pub(super) deciders: Deciders,
    pub(super) assertions: Vec<Assertion>,
    levels: Vec<Level>,
    pub(super) log: TextScript,
    pub(super) beyond: Option<Beyond>,
    pub(super) options: BTreeMap<String, String>,
    pub(super) infos: BTreeMap<String, String>,
    pub(super) opaque: BTreeSet<String>,
    pub(super) n_macros: usize,
    /// What the `get-…` commands speak of; gone as soon as the script changes.
    pub(super) last: Last,
}

/// An asserted term. In text mode its meaning is not known.
pub(super) struct Assertion {
    pub(super) term: Option<TermId>,
    pub(super) names: Vec<String>,
}

/// How much there was when a level was opened.
struct Level {
    n_assertions: usize,
    n_commands: usize,
}

/// Why and since when the script is text.
pub(super) struct Beyond {
    pub(super) unsupported: Unsupported,
    n_levels: usize,
}

/// The last answer.
pub(super) enum Last {
    None,
    Sat { model: Vec<ModelEntry>, valuation: Valuation },
    TextSat { model: String },
    Unsat { assumptions: Option<Vec<String>> },
    Unknown(Why),
}

impl Script {
    /// A script before its first command.
    pub fn new(deciders: Deciders) -> Script {
        Script {
            elaborator: Elaborator::default(),
            deciders,
            assertions: Vec::new(),
            levels: Vec::new(),
            log: TextScript::default(),
            beyond: None,
            options: BTreeMap::new(),
            infos: BTreeMap::new(),
            opaque: BTreeSet::new(),
            n_macros: 0,
            last: Last::None,
        }
    }

    /// The value that `set-info` gave a keyword such as `:status`.
    pub fn info(&self, keyword: &str) -> Option<&str> {
        self.infos.get(keyword).map(String::as_str)
    }

    /// Whether the user asked for `success` after every command.
    pub fn prints_success(&self) -> bool {
        self.options.get(":print-success").is_some_and(|value| value == "true")
    }

    /// How many terms the script has built: a measure of work without a clock.
    pub fn n_terms(&self) -> usize {
        self.elaborator.terms.len()
    }

    /// Executes one command.
    pub fn execute(&mut self, tree: Tree) -> Result<Response, Diagnostic> {
        let tree = Rc::new(tree);
        let command = Command::read(&tree)?;
        let declares = command.declares();
        match self.dispatch(&command) {
            Ok(response) => Ok(response),
            Err(Failure::Wrong(diagnostic)) => Err(diagnostic),
            Err(Failure::Unsupported(unsupported)) => {
                tracing::info!(%unsupported, "from here on the script goes to SMT solvers as text");
                self.beyond = Some(Beyond { unsupported, n_levels: self.levels.len() });
                self.note_assertion_as_text(&command);
                self.add_text(&command, declares);
                Ok(Response::Success)
            }
        }
    }

    fn dispatch(&mut self, command: &Command) -> Result<Response, Failure> {
        let is_text = self.beyond.is_some();
        match command.name() {
            "set-logic" => self.set_logic(command)?,
            "set-option" => return Ok(self.set_option(command)?),
            "set-info" => self.set_info(command)?,
            "declare-const" | "declare-fun" | "declare-sort" | "declare-datatype"
            | "declare-datatypes" | "define-const" | "define-fun" | "define-fun-rec"
            | "define-funs-rec" | "define-sort" | "assert" => {
                self.last = Last::None;
                if !is_text {
                    self.change_terms(command)?;
                } else {
                    self.note_assertion_as_text(command);
                }
                self.add_text(command, command.declares());
            }
            "push" => self.push(command.level_count()?),
            "pop" => self.pop(command)?,
            "reset" => self.reset(),
            "reset-assertions" => self.reset_assertions(),
            "check-sat" => {
                command.check_n_args(0)?;
                return self.check(command, None);
            }
            "check-sat-assuming" => return self.check_assuming(command),
            "echo" => {
                let [text] = command.args_exactly()?;
                let contents = command.tree.string(text);
                let contents = contents.ok_or_else(|| expected("a string", &command.tree, text))?;
                return Ok(Response::Text(contents));
            }
            "exit" => return Ok(Response::Exit),
            "get-model"
            | "get-value"
            | "get-unsat-core"
            | "get-unsat-assumptions"
            | "get-info"
            | "get-option"
            | "get-assertions"
            | "get-assignment"
            | "get-proof" => {
                return Ok(Response::Text(self.get(command)?));
            }
            other => {
                let near = Suggestion::near(other, COMMANDS.iter().copied());
                let span = command.tree.span(command.head);
                return Err(Problem::UnknownCommand(other.to_owned(), near).at(span).into());
            }
        }
        Ok(Response::Success)
    }

    /// A command that adds to the script, in terms.
    fn change_terms(&mut self, command: &Command) -> Result<(), Failure> {
        let span = command.tree.span(Tree::ROOT);
        match command.name() {
            "declare-const" | "declare-fun" => self.declare(command),
            "define-const" | "define-fun" => self.define(command),
            "define-sort" => self.define_sort(command),
            "assert" => {
                let [sexpr] = command.args_exactly()?;
                self.elaborator.named.clear();
                let term = self.boolean(command, sexpr)?;
                let named = std::mem::take(&mut self.elaborator.named);
                let names = named.into_iter().filter(|(_, t)| *t == term).map(|(name, _)| name);
                self.assertions.push(Assertion { term: Some(term), names: names.collect() });
                Ok(())
            }
            "declare-sort" => self.declare_sort(command),
            "define-fun-rec" | "define-funs-rec" => {
                Err(Failure::unsupported("a recursive function", span))
            }
            _ => Err(Failure::unsupported("a datatype", span)),
        }
    }

    /// The boolean term at `sexpr`.
    fn boolean(&mut self, command: &Command, sexpr: SexprId) -> Result<TermId, Failure> {
        let meaning = self.elaborator.elaborate(&command.tree, sexpr)?;
        match meaning {
            Meaning::Term(term) if self.elaborator.terms.sort(term) == Sort::Bool => Ok(term),
            Meaning::Term(_)
            | Meaning::Rounding(_)
            | Meaning::RoundingTerm(_)
            | Meaning::Number(_) => {
                let found = meaning.sort(&self.elaborator.terms).to_string();
                let (symbol, expected) = (command.name().to_owned(), "Bool".to_owned());
                let problem = Problem::WrongSort { symbol, expected, found };
                Err(problem.at(command.tree.span(sexpr)).into())
            }
        }
    }

    fn note_assertion_as_text(&mut self, command: &Command) {
        if command.name() == "assert" {
            self.assertions.push(Assertion { term: None, names: command.names_given() });
        }
    }

    fn add_text(&mut self, command: &Command, declares: Option<String>) {
        if command.changes_script() {
            let text = command.tree.text(Tree::ROOT).to_owned();
            self.log.commands.push(TextCommand { text, declares });
        }
    }

    fn push(&mut self, n: usize) {
        self.last = Last::None;
        for _ in 0..n {
            let n_commands = self.log.commands.len();
            self.levels.push(Level { n_assertions: self.assertions.len(), n_commands });
            self.elaborator.names.push_level();
        }
    }

    fn pop(&mut self, command: &Command) -> Result<(), Failure> {
        let (asked, open) = (command.level_count()?, self.levels.len());
        if asked > open {
            let span = command.tree.span(Tree::ROOT);
            return Err(Problem::PopTooFar { asked, open }.at(span).into());
        }
        self.last = Last::None;
        for _ in 0..asked {
            let level = self.levels.pop().expect("counted above");
            self.assertions.truncate(level.n_assertions);
            self.log.commands.truncate(level.n_commands);
            self.elaborator.names.pop_level();
        }
        let n_levels = self.levels.len();
        self.beyond.take_if(|beyond| beyond.n_levels > n_levels);
        Ok(())
    }

    /// The number of open levels.
    pub(super) fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn reset_assertions(&mut self) {
        self.elaborator = Elaborator::default();
        self.assertions.clear();
        self.levels.clear();
        self.log.commands.clear();
        self.beyond = None;
        self.last = Last::None;
    }

    fn reset(&mut self) {
        self.reset_assertions();
        self.log.logic = None;
        self.options.clear();
        self.infos.clear();
        self.opaque.clear();
    }

    fn check_assuming(&mut self, command: &Command) -> Result<Response, Failure> {
        let [list] = command.args_exactly()?;
        if !command.tree.is_list(list) {
            return Err(expected("a list of literals", &command.tree, list).into());
        }
        self.check(command, Some(command.tree.children(list).collect()))
    }

    /// Decides the assertions together with `assumptions`.
    fn check(
        &mut self,
        command: &Command,
        assumptions: Option<Vec<SexprId>>,
    ) -> Result<Response, Failure> {
        self.last = Last::None;
        let sexprs = assumptions.as_deref().unwrap_or_default();
        let mut assumed = Vec::new();
        let mut unsupported = self.beyond.as_ref().map(|beyond| beyond.unsupported.clone());
        for &sexpr in sexprs {
            if unsupported.is_some() {
                break;
            }
            match self.boolean(command, sexpr) {
                Ok(term) => assumed.push(term),
                Err(Failure::Unsupported(what)) => unsupported = Some(what),
                Err(wrong @ Failure::Wrong(_)) => return Err(wrong),
            }
        }
        let texts: Option<Vec<String>> = assumptions.as_ref().map(|sexprs| {
            sexprs.iter().map(|&sexpr| command.tree.text(sexpr).to_owned()).collect()
        });
        let check = match unsupported {
            None => self.check_terms(&assumed, texts),
            Some(unsupported) => self.check_text(command, &unsupported, texts)?,
        };
        Ok(Response::Checked(check))
    }

    fn check_terms(&mut self, assumed: &[TermId], assumptions: Option<Vec<String>>) -> Check {
        let asserted = self.assertions.iter().filter_map(|assertion| assertion.term);
        let mut roots: Vec<TermId> = asserted.chain(assumed.iter().copied()).collect();
        let elaborator = &mut self.elaborator;
        roots.extend(elaborator.unspecified.facts(&mut elaborator.terms, &roots));
        let literals = conjuncts(&elaborator.terms, &roots);
        let hint = Valuation::new();
        let query = Query { terms: &elaborator.terms, literals: &literals, hint: &hint };
        let mut budget = (self.deciders.budget)();
        let verdict = self.deciders.solver.solve(&query, &mut budget);
        let (answer, model, last) = match verdict {
            Verdict::Sat(mut valuation) => {
                // Make the zeros explicit: later commands may add variables that are not zero.
                for var in query.variables() {
                    let zero = Value::zero(query.terms.var_sort(var));
                    valuation.set(var, valuation.get(var).unwrap_or(zero));
                }
                let model = model::entries(query.terms, elaborator.names.declared(), &valuation);
                (Answer::Sat, Some(model.clone()), Last::Sat { model, valuation })
            }
            Verdict::Unsat => (Answer::Unsat, None, Last::Unsat { assumptions }),
            Verdict::Unknown(why) => (Answer::Unknown(why.clone()), None, Last::Unknown(why)),
        };
        self.last = last;
        let (solver, steps) = (self.deciders.solver.credit(), budget.steps_used());
        let attempts = self.deciders.solver.attempts().to_vec();
        Check { answer, model, solver, steps, beyond_terms: None, attempts }
    }

    fn check_text(
        &mut self,
        command: &Command,
        unsupported: &Unsupported,
        assumptions: Option<Vec<String>>,
    ) -> Result<Check, Diagnostic> {
        let mut script = self.log.clone();
        let assume =
            |text: &String| TextCommand { text: format!("(assert {text})"), declares: None };
        script.commands.extend(assumptions.iter().flatten().map(assume));
        let has_opaque = script.commands.iter().any(|command| {
            command.declares.as_ref().is_some_and(|name| self.opaque.contains(name))
        });
        if has_opaque {
            // The user's logic need not have uninterpreted functions.
            script.logic = None;
        }
        let mut budget = (self.deciders.budget)();
        let verdict = self.deciders.text_solver.check(&script, &mut budget);
        let (answer, model, last) = match verdict {
            // To an SMT solver an opaque function is any function: only `unsat` carries over.
            TextVerdict::Sat { .. } if has_opaque => {
                let why = Why::Unsupported(format!("opaque functions together with {unsupported}"));
                (Answer::Unknown(why.clone()), None, Last::Unknown(why))
            }
            TextVerdict::Sat { model } => {
                let entries = model::entries_of_text(&model);
                (Answer::Sat, Some(entries), Last::TextSat { model })
            }
            TextVerdict::Unsat => (Answer::Unsat, None, Last::Unsat { assumptions }),
            TextVerdict::Unknown(why) => (Answer::Unknown(why.clone()), None, Last::Unknown(why)),
            TextVerdict::Refused(words) => {
                let span = command.tree.span(Tree::ROOT);
                return Err(Problem::RefusedBySolvers(words).at(span));
            }
        };
        self.last = last;
        let (solver, steps) = (self.deciders.text_solver.credit(), budget.steps_used());
        let beyond_terms = Some(unsupported.what.clone());
        let attempts = self.deciders.text_solver.attempts().to_vec();
        Ok(Check { answer, model, solver, steps, beyond_terms, attempts })
    }
}

/// The literals that `roots` come apart into: search solvers measure progress by the literal.
fn conjuncts(terms: &Terms, roots: &[TermId]) -> Vec<Literal> {
    let mut literals = Vec::new();
    let mut seen = BTreeSet::new();
    let mut stack: Vec<Literal> = roots.iter().rev().map(|&root| Literal::holds(root)).collect();
    while let Some(literal) = stack.pop() {
        if !seen.insert(literal) {
            continue;
        }
        match terms.node(literal.term) {
            Node::Const(value) if value == Value::Bool(literal.expected) => {}
            Node::App { op: Op::Not, args, .. } => {
                stack.push(Literal { term: args[0], expected: !literal.expected });
            }
            Node::App { op, args, .. } if op == if literal.expected { Op::And } else { Op::Or } => {
                let parts = args.iter().rev();
                stack.extend(parts.map(|&term| Literal { term, expected: literal.expected }));
            }
            Node::Const(_)
            | Node::Var(_)
            | Node::App { .. }
            | Node::Call { .. }
            | Node::Lookup { .. } => literals.push(literal),
        }
    }
    literals
}
