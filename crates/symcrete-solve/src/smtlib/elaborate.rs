//! From s-expressions to terms.
//!
//! The walk keeps its own stack of tasks, so nesting is limited by memory alone. `let` binds in
//! parallel. A defined function is expanded where it is applied, with its parameters bound to the
//! *meanings* of the arguments; the result is remembered per function and arguments, so that a tower of
//! definitions that each use the one below twice costs its height and not a power of two.

use super::diagnostic::{Diagnostic, Failure, Problem, Span};
use super::names::{Global, Macro, Meaning, Names, SmtSort};
use super::resolve::Callee;
use super::sexpr::{SexprId, Tree};
use super::theory::{self, Application};
use super::unspecified::Unspecified;
use std::collections::BTreeMap;
use std::rc::Rc;
use symcrete_term::{Rounding, Sort, TermId, Terms};

/// Everything a script's terms mean so far.
#[derive(Default)]
pub(crate) struct Elaborator {
    pub(crate) terms: Terms,
    pub(crate) names: Names,
    pub(crate) unspecified: Unspecified,
    /// The variables of all constants that were ever declared, by name and sort.
    pub(crate) variables: BTreeMap<(String, Sort), TermId>,
    /// Names that `:named` gave during the current command, with the terms.
    pub(crate) named: Vec<(String, TermId)>,
    n_expansions: u64,
    expanded: BTreeMap<(usize, Vec<ArgumentKey>), Meaning>,
}

/// A meaning as a key; numbers are no arguments of defined functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ArgumentKey {
    Term(TermId),
    Rounding(Rounding),
}

/// What the walk has yet to do.
enum Task {
    /// Give the meaning of an s-expression.
    Visit(SexprId),
    /// Take the arguments' meanings and give the application's.
    Apply(SexprId, Callee),
    /// Take the bound terms' meanings, bind them, and go on with the body.
    Bind(SexprId),
    /// Undo that many bindings.
    Unbind(usize),
    /// Note the names that `!` gives.
    Annotate(SexprId),
    /// Leave the body of a defined function.
    Return { function: Rc<Macro>, key: Vec<ArgumentKey>, floor: usize },
}

struct Walk {
    tasks: Vec<Task>,
    values: Vec<Meaning>,
    /// The text that s-expression ids refer to, and those of the callers.
    trees: Vec<Rc<Tree>>,
}

impl Walk {
    fn tree(&self) -> Rc<Tree> {
        Rc::clone(self.trees.last().expect("the walk has a text"))
    }
}

impl Elaborator {
    /// More than this many expansions of defined functions are left to the SMT solvers.
    const EXPANSIONS_MAX: u64 = 1_000_000;

    /// The meaning of the term at `sexpr`.
    pub(crate) fn elaborate(
        &mut self,
        tree: &Rc<Tree>,
        sexpr: SexprId,
    ) -> Result<Meaning, Failure> {
        let mut walk = Walk {
            tasks: vec![Task::Visit(sexpr)],
            values: Vec::new(),
            trees: vec![Rc::clone(tree)],
        };
        self.n_expansions = 0;
        while let Some(task) = walk.tasks.pop() {
            if let Err(failure) = self.step(&mut walk, task) {
                self.names.clear_locals();
                return Err(failure);
            }
        }
        let meaning = walk.values.pop().expect("a term has a meaning");
        assert!(walk.values.is_empty(), "every meaning was used");
        Ok(meaning)
    }

    fn step(&mut self, walk: &mut Walk, task: Task) -> Result<(), Failure> {
        let tree = walk.tree();
        match task {
            Task::Visit(sexpr) => self.visit(walk, &tree, sexpr),
            Task::Apply(sexpr, callee) => self.apply(walk, &tree, sexpr, callee),
            Task::Bind(sexpr) => self.bind(walk, &tree, sexpr),
            Task::Unbind(n) => {
                self.names.unbind(n);
                Ok(())
            }
            Task::Annotate(sexpr) => self.annotate(walk, &tree, sexpr),
            Task::Return { function, key, floor } => {
                walk.trees.pop();
                self.names.unbind(function.params.len());
                self.names.show(floor);
                let meaning = walk.values.last().expect("a body has a meaning").clone();
                self.expanded.insert((function.id, key), meaning);
                Ok(())
            }
        }
    }

    fn visit(&mut self, walk: &mut Walk, tree: &Tree, sexpr: SexprId) -> Result<(), Failure> {
        if !tree.is_list(sexpr) {
            walk.values.push(self.atom(tree, sexpr)?);
            return Ok(());
        }
        let mut children = tree.children(sexpr);
        let Some(head) = children.next() else {
            return Err(expected("a term", tree, sexpr).into());
        };
        if tree.is_word(head, "_") {
            walk.values.push(self.indexed_constant(tree, sexpr)?);
            return Ok(());
        }
        if tree.is_word(head, "let") {
            let bindings = bindings(tree, sexpr)?;
            walk.tasks.push(Task::Bind(sexpr));
            walk.tasks.extend(bindings.iter().rev().map(|&(_, term)| Task::Visit(term)));
            return Ok(());
        }
        if tree.is_word(head, "!") {
            let Some(term) = children.next() else {
                return Err(expected("a term and its attributes", tree, sexpr).into());
            };
            walk.tasks.push(Task::Annotate(sexpr));
            walk.tasks.push(Task::Visit(term));
            return Ok(());
        }
        let callee = self.callee(tree, sexpr, head)?;
        walk.tasks.push(Task::Apply(sexpr, callee));
        let first_task = walk.tasks.len();
        walk.tasks.extend(children.map(Task::Visit));
        walk.tasks[first_task..].reverse();
        if walk.tasks.len() == first_task {
            return Err(expected("arguments after the function", tree, sexpr).into());
        }
        Ok(())
    }

    fn apply(
        &mut self,
        walk: &mut Walk,
        tree: &Tree,
        sexpr: SexprId,
        callee: Callee,
    ) -> Result<(), Failure> {
        let n_args = tree.children(sexpr).count() - 1;
        let args = walk.values.split_off(walk.values.len() - n_args);
        let call = Application { tree, sexpr, args: &args };
        let meaning = match callee {
            Callee::Theory(function) => {
                theory::apply(&mut self.terms, &mut self.unspecified, function, &call)?
            }
            Callee::Opaque(function) => {
                let params = self.terms.function(function).signature().params.clone();
                let sorts: Vec<SmtSort> = params.into_iter().map(SmtSort::Term).collect();
                let args = check_args(&mut self.terms, &call, &sorts)?;
                Meaning::Term(self.terms.call(function, &args))
            }
            Callee::Macro(function) => {
                let sorts: Vec<SmtSort> = function.params.iter().map(|param| param.1).collect();
                check_args(&mut self.terms, &call, &sorts)?;
                let key: Vec<ArgumentKey> = args.iter().map(argument_key).collect();
                match self.expanded.get(&(function.id, key.clone())) {
                    Some(meaning) => meaning.clone(),
                    None => return self.expand(walk, call.span(), function, key, args),
                }
            }
        };
        walk.values.push(meaning);
        Ok(())
    }

    /// Goes on with the body of a defined function, its parameters bound.
    fn expand(
        &mut self,
        walk: &mut Walk,
        span: Span,
        function: Rc<Macro>,
        key: Vec<ArgumentKey>,
        args: Vec<Meaning>,
    ) -> Result<(), Failure> {
        self.n_expansions += 1;
        if self.n_expansions > Elaborator::EXPANSIONS_MAX {
            return Err(Failure::unsupported("so many expansions of defined functions", span));
        }
        let floor = self.names.hide();
        for ((name, _), meaning) in function.params.iter().zip(args) {
            self.names.bind(name, meaning);
        }
        walk.trees.push(Rc::clone(&function.tree));
        let body = function.body;
        walk.tasks.push(Task::Return { function, key, floor });
        walk.tasks.push(Task::Visit(body));
        Ok(())
    }

    fn bind(&mut self, walk: &mut Walk, tree: &Tree, sexpr: SexprId) -> Result<(), Failure> {
        let bindings = bindings(tree, sexpr)?;
        let meanings = walk.values.split_off(walk.values.len() - bindings.len());
        for (&(name, _), meaning) in bindings.iter().zip(meanings) {
            let name = tree.symbol(name).expect("`bindings` saw a symbol");
            self.names.bind(name, meaning);
        }
        let body = tree.children(sexpr).nth(2).expect("`bindings` saw a body");
        walk.tasks.push(Task::Unbind(bindings.len()));
        walk.tasks.push(Task::Visit(body));
        Ok(())
    }

    /// Reads the attributes of `(! term :named n …)`; others than `:named` mean nothing to us.
    fn annotate(&mut self, walk: &Walk, tree: &Tree, sexpr: SexprId) -> Result<(), Failure> {
        let mut attributes = tree.children(sexpr).skip(2).peekable();
        if attributes.peek().is_none() {
            return Err(expected("an attribute", tree, sexpr).into());
        }
        while let Some(attribute) = attributes.next() {
            let Some(keyword) = tree.keyword(attribute) else {
                return Err(expected("a keyword", tree, attribute).into());
            };
            let value = attributes.next_if(|&value| tree.keyword(value).is_none());
            if keyword != ":named" {
                continue;
            }
            let Some((value, name)) = value.and_then(|sexpr| Some((sexpr, tree.symbol(sexpr)?)))
            else {
                return Err(expected("a symbol after `:named`", tree, attribute).into());
            };
            let meaning = walk.values.last().expect("the term has a meaning").clone();
            if let Meaning::Term(term) = meaning {
                self.named.push((name.to_owned(), term));
            }
            self.names.define(name, Global::Value(meaning), tree.span(value))?;
        }
        Ok(())
    }
}

fn argument_key(meaning: &Meaning) -> ArgumentKey {
    match meaning {
        Meaning::Term(term) | Meaning::RoundingTerm(term) => ArgumentKey::Term(*term),
        Meaning::Rounding(rounding) => ArgumentKey::Rounding(*rounding),
        Meaning::Number(_) => panic!("no parameter has the sort of a number"),
    }
}

/// The arguments as terms, if they have exactly these sorts.
fn check_args(
    terms: &mut Terms,
    call: &Application<'_>,
    sorts: &[SmtSort],
) -> Result<Vec<TermId>, Failure> {
    call.check_arity(sorts.len())?;
    for (arg, sort) in sorts.iter().enumerate() {
        if call.args[arg].sort(terms) != *sort {
            return Err(call.wrong_sort(terms, arg, &sort.to_string()));
        }
    }
    Ok(call.args.iter().filter_map(|arg| arg.term(terms)).collect())
}

/// The names and terms of a `let`, which must have a body.
fn bindings(tree: &Tree, sexpr: SexprId) -> Result<Vec<(SexprId, SexprId)>, Failure> {
    let parts: Vec<SexprId> = tree.children(sexpr).take(4).collect();
    let [_, list, _] = parts[..] else {
        return Err(expected("(let (bindings) body)", tree, sexpr).into());
    };
    let mut found: Vec<(SexprId, SexprId)> = Vec::new();
    for binding in tree.children(list) {
        let pair: Vec<SexprId> = tree.children(binding).take(3).collect();
        match pair[..] {
            [name, term] if tree.symbol(name).is_some() => found.push((name, term)),
            _ => return Err(expected("a binding (symbol term)", tree, binding).into()),
        }
    }
    if found.is_empty() {
        return Err(expected("at least one binding", tree, list).into());
    }
    check_distinct(tree, found.iter().map(|&(name, _)| name))?;
    Ok(found)
}

/// Fails if a symbol occurs twice.
pub(crate) fn check_distinct(
    tree: &Tree,
    symbols: impl Iterator<Item = SexprId>,
) -> Result<(), Diagnostic> {
    let mut seen = std::collections::BTreeSet::new();
    for symbol in symbols {
        let name = tree.symbol(symbol).expect("the caller saw a symbol");
        if !seen.insert(name) {
            return Err(Problem::Redeclared(name.to_owned()).at(tree.span(symbol)));
        }
    }
    Ok(())
}

pub(crate) fn expected(what: &str, tree: &Tree, sexpr: SexprId) -> Diagnostic {
    let problem = Problem::Expected { expected: what.to_owned(), found: tree.describe(sexpr) };
    problem.at(tree.span(sexpr))
}
