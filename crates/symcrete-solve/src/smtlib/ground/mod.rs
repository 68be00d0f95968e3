//! Evaluating a script under a model, without any solver.
//!
//! Our terms have two float formats and words of up to 64 bits. A script that uses others goes to SMT solvers as text, and a model that
//! comes back used to be believed only after another process had found the ground script satisfiable. Here the
//! script is evaluated instead: booleans, bit-vectors of any width and floats of any format, with the
//! standard's meaning. What is beyond that (integers, arrays, cases that the standard leaves open) has no answer.
//!
//! **Invariant:** nothing recurses, and [`Evaluated::Holds`] is said only if every assertion was evaluated to true.

mod float;
mod search;
mod theory;
mod value;

use super::sexpr::{Reader, SexprId, Tree};
use super::text::TextScript;
pub(crate) use search::{Searched, search};
use std::collections::BTreeMap;
use std::rc::Rc;
use value::{Ground, constant, indexed_constant};

/// What a model makes of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Evaluated {
    /// All assertions are true.
    Holds,
    /// One is false.
    Fails,
    /// Something is not evaluated here.
    Beyond,
}

/// More applications than this are left to the solvers.
const APPLICATIONS_MAX: u64 = 2_000_000;

/// The assertions of a script under a model as a solver writes it.
pub(crate) fn evaluate(script: &TextScript, model: &str) -> Evaluated {
    try_evaluate(script, model).unwrap_or(Evaluated::Beyond)
}

fn try_evaluate(script: &TextScript, model: &str) -> Option<Evaluated> {
    let mut evaluator = Evaluator::default();
    let model = Rc::new(parse(model)?);
    for item in model.children(Tree::ROOT).filter(|&item| model.is_list(item)) {
        // A model may have helpers before the functions that use them.
        if model.children(item).next().is_some_and(|word| model.is_word(word, "define-fun")) {
            evaluator.define(&model, item)?;
        }
    }
    let mut holds = true;
    for command in &script.commands {
        let tree = Rc::new(parse(&command.text)?);
        let parts: Vec<SexprId> = tree.children(Tree::ROOT).collect();
        match tree.symbol(*parts.first()?)? {
            "declare-fun" | "declare-const" => {
                let name = tree.symbol(*parts.get(1)?)?;
                evaluator.globals.contains_key(name).then_some(())?;
            }
            "define-fun" => evaluator.define(&tree, Tree::ROOT)?,
            "define-const" => {
                let value = evaluator.value(&tree, *parts.get(3)?)?;
                evaluator.set(tree.symbol(*parts.get(1)?)?, value);
            }
            "assert" => holds &= evaluator.value(&tree, *parts.get(1)?)?.truth()?,
            "define-sort" | "set-info" | "set-option" | "set-logic" => {}
            _ => return None,
        }
    }
    Some(if holds { Evaluated::Holds } else { Evaluated::Fails })
}

fn parse(text: &str) -> Option<Tree> {
    let mut reader = Reader::new();
    reader.feed(text.as_bytes()).ok()?;
    reader.end();
    reader.next_command().ok()?
}

/// A name of the script or the model.
#[derive(Clone)]
enum Global {
    Value(Ground),
    Function { params: Vec<String>, tree: Rc<Tree>, body: SexprId },
}

#[derive(Default)]
struct Evaluator {
    globals: BTreeMap<String, Global>,
    /// Bound names, the innermost last; those before `floor` belong to a caller.
    locals: Vec<(String, Ground)>,
    floor: usize,
    n_applications: u64,
}

/// What is yet to be done.
enum Task {
    Visit(SexprId),
    Apply(SexprId),
    Bind(SexprId),
    Unbind(usize),
    Return { floor: usize, n_locals: usize },
}

impl Evaluator {
    fn set(&mut self, name: &str, value: Ground) {
        self.globals.insert(name.to_owned(), Global::Value(value));
    }

    /// `(define-fun name (params) sort body)`.
    fn define(&mut self, tree: &Rc<Tree>, sexpr: SexprId) -> Option<()> {
        let parts: Vec<SexprId> = tree.children(sexpr).collect();
        let [_, name, params, _, body] = parts[..] else { return None };
        let name = tree.symbol(name)?;
        let params: Vec<String> = tree
            .children(params)
            .map(|param| Some(tree.symbol(tree.children(param).next()?)?.to_owned()))
            .collect::<Option<_>>()?;
        let global = if params.is_empty() {
            Global::Value(self.value(tree, body)?)
        } else {
            Global::Function { params, tree: Rc::clone(tree), body }
        };
        self.globals.insert(name.to_owned(), global);
        Some(())
    }

    /// The value of a term.
    fn value(&mut self, tree: &Rc<Tree>, sexpr: SexprId) -> Option<Ground> {
        self.locals.clear();
        self.floor = 0;
        let mut trees = vec![Rc::clone(tree)];
        let mut tasks = vec![Task::Visit(sexpr)];
        let mut values: Vec<Ground> = Vec::new();
        while let Some(task) = tasks.pop() {
            let tree = Rc::clone(trees.last()?);
            match task {
                Task::Visit(sexpr) => self.visit(&tree, sexpr, &mut tasks, &mut values)?,
                Task::Bind(sexpr) => {
                    let parts: Vec<SexprId> = tree.children(sexpr).collect();
                    let names: Vec<SexprId> = tree.children(*parts.get(1)?).collect();
                    let bound = values.split_off(values.len().checked_sub(names.len())?);
                    for (binding, value) in names.iter().zip(bound) {
                        let name = tree.symbol(tree.children(*binding).next()?)?;
                        self.locals.push((name.to_owned(), value));
                    }
                    tasks.push(Task::Unbind(names.len()));
                    tasks.push(Task::Visit(*parts.get(2)?));
                }
                Task::Unbind(n) => self.locals.truncate(self.locals.len().checked_sub(n)?),
                Task::Return { floor, n_locals } => {
                    trees.pop();
                    self.floor = floor;
                    self.locals.truncate(n_locals);
                }
                Task::Apply(sexpr) => {
                    let n_args = tree.children(sexpr).count() - 1;
                    let args = values.split_off(values.len().checked_sub(n_args)?);
                    let entered = self.apply(&tree, sexpr, args, &mut values)?;
                    if let Some((callee, body)) = entered {
                        let (floor, n_locals) = (self.floor, self.locals.len());
                        self.floor = n_locals;
                        self.locals.extend(callee.1);
                        trees.push(callee.0);
                        tasks.push(Task::Return { floor, n_locals });
                        tasks.push(Task::Visit(body));
                    }
                }
            }
        }
        values.pop()
    }

    fn visit(
        &mut self,
        tree: &Tree,
        sexpr: SexprId,
        tasks: &mut Vec<Task>,
        values: &mut Vec<Ground>,
    ) -> Option<()> {
        if !tree.is_list(sexpr) {
            values.push(self.atom(tree, sexpr)?);
            return Some(());
        }
        let mut children = tree.children(sexpr);
        let head = children.next()?;
        if tree.is_word(head, "_") {
            values.push(indexed_constant(tree, sexpr)?);
        } else if tree.is_word(head, "let") {
            tasks.push(Task::Bind(sexpr));
            let bindings: Vec<SexprId> = tree.children(children.next()?).collect();
            for &binding in bindings.iter().rev() {
                tasks.push(Task::Visit(tree.children(binding).nth(1)?));
            }
        } else if tree.is_word(head, "!") {
            tasks.push(Task::Visit(children.next()?));
        } else {
            tasks.push(Task::Apply(sexpr));
            let first = tasks.len();
            tasks.extend(children.map(Task::Visit));
            tasks[first..].reverse();
        }
        Some(())
    }

    fn atom(&self, tree: &Tree, sexpr: SexprId) -> Option<Ground> {
        if let Some(name) = tree.symbol(sexpr) {
            let local = self.locals[self.floor..].iter().rev().find(|(local, _)| local == name);
            if let Some((_, value)) = local {
                return Some(value.clone());
            }
            if let Some(Global::Value(value)) = self.globals.get(name) {
                return Some(value.clone());
            }
        }
        constant(tree, sexpr)
    }

    /// Applies a function of a theory, or says which body is to be evaluated with which parameters.
    #[expect(clippy::type_complexity, reason = "a pair of what the caller pushes")]
    fn apply(
        &mut self,
        tree: &Tree,
        sexpr: SexprId,
        args: Vec<Ground>,
        values: &mut Vec<Ground>,
    ) -> Option<Option<((Rc<Tree>, Vec<(String, Ground)>), SexprId)>> {
        self.n_applications += 1;
        if self.n_applications > APPLICATIONS_MAX {
            return None;
        }
        let head = tree.children(sexpr).next()?;
        if let Some(name) = tree.symbol(head) {
            if let Some(Global::Function { params, tree, body }) = self.globals.get(name) {
                (params.len() == args.len()).then_some(())?;
                let bound = params.iter().cloned().zip(args).collect();
                return Some(Some(((Rc::clone(tree), bound), *body)));
            }
            values.push(theory::apply(name, &[], &args)?);
            return Some(None);
        }
        let parts: Vec<SexprId> = tree.children(head).collect();
        tree.is_word(*parts.first()?, "_").then_some(())?;
        let indices: Vec<u64> =
            parts.iter().skip(2).map(|&i| tree.numeral(i)).collect::<Option<_>>()?;
        values.push(theory::apply(tree.symbol(*parts.get(1)?)?, &indices, &args)?);
        Some(None)
    }
}

#[cfg(test)]
mod tests;
