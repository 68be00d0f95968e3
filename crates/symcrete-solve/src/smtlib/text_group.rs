//! SMT solvers that answer a script in its own words.
//!
//! All of them work on the script at once and the first answer counts. A `sat` is believed only after its model was
//! evaluated by ourselves (bit-vectors and floats of any size), or, for other theories, after
//! a *different* process, of another solver where there is one, has found the script satisfiable with
//! the model's values in place of its declarations.

use super::ground::{Evaluated, evaluate};
use super::sexpr::{Reader, Tree};
use super::text::{TextScript, TextSolver, TextVerdict};
use crate::kind::{SmtPart, SolverKind};
use crate::smt::{Answer, Backend, Mode, Session, Toolbox};
use crate::{Budget, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;

/// A group of SMT solvers for scripts as text.
pub struct TextGroup {
    toolbox: Toolbox,
    backends: Vec<Backend>,
    /// The conversation that found the last model.
    finder: Option<Session>,
    credit: &'static str,
}

/// One solver's answer with its conversation.
struct Reply {
    answer: Answer,
    session: Session,
    steps: u64,
}

impl TextGroup {
    /// The solvers that answer what has no terms when `kind` is asked for.
    pub fn of_kind(kind: SolverKind, toolbox: Toolbox) -> TextGroup {
        match kind.smt_part() {
            // The hybrids leave what has no terms to their symbolic part.
            SmtPart::Group | SmtPart::Partner => TextGroup::new(toolbox, Backend::ALL),
            SmtPart::One(backend) => TextGroup::new(toolbox, &[backend]),
            SmtPart::Nothing => TextGroup::new(toolbox, &[]),
        }
    }

    /// A group of those of `backends` that are installed.
    pub fn new(toolbox: Toolbox, backends: &[Backend]) -> TextGroup {
        let installed = toolbox.available();
        let backends = backends.iter().copied().filter(|backend| installed.contains(backend));
        TextGroup { backends: backends.collect(), toolbox, finder: None, credit: "smt" }
    }

    fn session(&self, backend: Backend, script: &TextScript) -> Option<Session> {
        let logic = script.logic.as_deref();
        let mut session = Session::new(backend, &self.toolbox, Mode::OneShot, logic).ok()?;
        for command in &script.commands {
            session.tell(&command.text);
        }
        Some(session)
    }

    /// The first decided reply, or else all of them.
    fn race(&self, script: &TextScript, budget: &mut Budget) -> Result<Reply, Vec<Reply>> {
        let (sender, replies) = mpsc::channel();
        let cancel = budget.cancel().child();
        let mut undecided = Vec::new();
        let decided = std::thread::scope(|scope| {
            for &backend in &self.backends {
                let Some(mut session) = self.session(backend, script) else { continue };
                let mut budget = budget.fork(cancel.clone());
                let sender = sender.clone();
                scope.spawn(move || {
                    let answer = session.check(&[], &mut budget);
                    // Nobody listens any more once another one has answered.
                    let _ = sender.send(Reply { answer, session, steps: budget.steps_used() });
                });
            }
            drop(sender);
            for reply in replies.iter() {
                if matches!(reply.answer, Answer::Unknown(_)) {
                    undecided.push(reply);
                } else {
                    cancel.interrupt();
                    return Some(reply);
                }
            }
            None
        });
        let steps = match &decided {
            Some(reply) => reply.steps,
            None => undecided.iter().map(|reply| reply.steps).max().unwrap_or(0),
        };
        // Being over the budget does not undo an answer.
        let _ = budget.charge(steps);
        decided.ok_or(undecided)
    }

    /// Whether we, or another process, accept the model that `finder` gave.
    fn confirms(
        &self,
        finder: Backend,
        script: &TextScript,
        model: &str,
        budget: &mut Budget,
    ) -> bool {
        match evaluate(script, model) {
            Evaluated::Holds => return true,
            Evaluated::Fails => {
                tracing::error!(solver = finder.name(), model, "model rejected by the evaluator");
                return false;
            }
            Evaluated::Beyond => {}
        }
        let Some(ground) = with_model(script, model) else { return false };
        let others = self.backends.iter().copied().filter(|&backend| backend != finder);
        others.chain([finder]).any(|backend| {
            self.session(backend, &ground).is_some_and(|mut session| {
                session.check(&[], &mut budget.fork(budget.cancel().clone())) == Answer::Sat
            })
        })
    }
}

impl TextSolver for TextGroup {
    fn check(&mut self, script: &TextScript, budget: &mut Budget) -> TextVerdict {
        self.finder = None;
        self.credit = "smt";
        if self.backends.is_empty() {
            let what = "this needs an SMT solver, and none is chosen and installed".to_owned();
            return TextVerdict::Unknown(Why::Unsupported(what));
        }
        let mut reply = match self.race(script, budget) {
            Ok(reply) => reply,
            Err(undecided) => return nobody(undecided),
        };
        let backend = reply.session.backend();
        self.credit = backend.name();
        if reply.answer == Answer::Unsat {
            return TextVerdict::Unsat;
        }
        let model = match reply.session.model(budget) {
            Ok(model) => model,
            Err(why) => return TextVerdict::Unknown(why),
        };
        if !self.confirms(backend, script, &model, budget) {
            if let Err(why) = budget.cancel().check() {
                return TextVerdict::Unknown(why);
            }
            let what =
                format!("neither we nor another process confirm the model that {backend} gave");
            return TextVerdict::Unknown(Why::Fault(what));
        }
        self.finder = Some(reply.session);
        TextVerdict::Sat { model }
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn ask(&mut self, command: &str, budget: &mut Budget) -> Result<String, Why> {
        let session = self.finder.as_mut();
        session.ok_or_else(|| Why::Fault("no solver has a model".to_owned()))?.ask(command, budget)
    }
}

/// What to make of it that no solver decided.
fn nobody(mut undecided: Vec<Reply>) -> TextVerdict {
    undecided.sort_by_key(|reply| reply.session.backend());
    let mut refusals = Vec::new();
    let mut reasons = Vec::new();
    for reply in undecided {
        let backend = reply.session.backend();
        let Answer::Unknown(why) = reply.answer else { continue };
        if let Why::Refused(words) = &why {
            refusals.push((backend, words.clone()));
        }
        reasons.push((backend.name(), why));
    }
    // Solvers refuse what they lack, too, so a refusal proves a mistake only if it comes from the one
    // that has every theory, and nobody sees it otherwise.
    let all_refuse = refusals.len() == reasons.len();
    let is_limit = |words: &str| words.contains("not supported") || words.contains("unsupported");
    match refusals.iter().find(|(backend, _)| *backend == Backend::Z3) {
        Some((_, words)) if all_refuse && !is_limit(words) => TextVerdict::Refused(words.clone()),
        _ => TextVerdict::Unknown(Why::Nobody(reasons)),
    }
}

/// The script with the model's definitions in place of its declarations. `None` if the model is not
/// an s-expression.
fn with_model(script: &TextScript, model: &str) -> Option<TextScript> {
    let mut reader = Reader::new();
    reader.feed(model.as_bytes()).ok()?;
    reader.end();
    let tree = reader.next_command().ok()??;
    let mut definitions: BTreeMap<&str, &str> = BTreeMap::new();
    let mut helpers = Vec::new();
    let declared: BTreeSet<&str> =
        script.commands.iter().filter_map(|command| command.declares.as_deref()).collect();
    for item in tree.children(Tree::ROOT).filter(|&item| tree.is_list(item)) {
        let parts: Vec<_> = tree.children(item).take(2).collect();
        let [word, name] = parts[..] else { continue };
        match tree.symbol(name) {
            Some(name) if tree.is_word(word, "define-fun") && declared.contains(name) => {
                definitions.insert(name, tree.text(item));
            }
            // Functions of the solver's own, which its definitions use.
            Some(_) if tree.symbol(word).is_some_and(|word| word.starts_with("de")) => {
                helpers.push(tree.text(item));
            }
            _ => {}
        }
    }
    let mut ground = script.clone();
    let mut helpers = Some(helpers.join("\n"));
    for command in &mut ground.commands {
        if let Some(name) = &command.declares {
            let definition = definitions.get(name.as_str()).copied().unwrap_or(&command.text);
            let helpers = helpers.take().unwrap_or_default();
            command.text = format!("{helpers}\n{definition}");
        }
    }
    Some(ground)
}

#[cfg(test)]
mod tests {
    use super::super::text::TextCommand;
    use super::*;

    #[test]
    fn a_model_takes_the_place_of_declarations() {
        let command = |text: &str, declares: Option<&str>| TextCommand {
            text: text.to_owned(),
            declares: declares.map(str::to_owned),
        };
        let script = TextScript {
            logic: None,
            commands: vec![
                command("(declare-sort U 0)", None),
                command("(declare-fun |x| () Int)", Some("x")),
                command("(declare-fun y () Int)", Some("y")),
                command("(assert (< x y))", None),
            ],
        };
        let model = "((declare-fun u () U) (forall ((x U)) (= x u)) (define-fun x () Int 5))";
        let ground = with_model(&script, model).unwrap();
        let texts: Vec<&str> = ground.commands.iter().map(|command| command.text.trim()).collect();
        assert_eq!(
            texts,
            [
                "(declare-sort U 0)",
                "(declare-fun u () U)\n(define-fun x () Int 5)",
                "(declare-fun y () Int)",
                "(assert (< x y))"
            ]
        );
        assert!(with_model(&script, "oops").is_none());
    }
}
