//! SMT solvers that answer a script in its own words.
//!
//! All of them work on the script at once and the first answer counts; where answers must be reproducible they take turns by
//! steps. A `sat` is believed only after its model was evaluated by ourselves (bit-vectors and floats of any size), or, for
//! other theories, after a *different* process, of another solver where there is one, has found the script satisfiable with
//! the model's values in place of its declarations. A solver whose model fails has not answered, and the others go on.

use super::ground::{Evaluated, evaluate};
use super::sexpr::{Reader, Tree};
use super::text::{TextScript, TextSolver, TextVerdict};
use crate::attempt::{Attempt, Outcome};
use crate::crew::now;
use crate::kind::{SmtPart, SolverKind};
use crate::smt::{Answer, Backend, Mode, Session, Toolbox};
use crate::{Budget, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::time::Duration;

/// A group of SMT solvers for scripts as text.
pub struct TextGroup {
    toolbox: Toolbox,
    backends: Vec<Backend>,
    takes_turns: bool,
    /// The conversation that found the last model.
    finder: Option<Session>,
    credit: &'static str,
    attempts: Vec<Attempt>,
}

/// One solver's answer with its conversation.
struct Reply {
    answer: Answer,
    session: Session,
    time: Duration,
    steps: u64,
}

/// An answer that can be relied on.
enum Believed {
    Sat { model: String, finder: Box<Session> },
    Unsat(Backend),
}

/// What came in so far.
#[derive(Default)]
struct Collected {
    believed: Option<Believed>,
    reasons: Vec<(Backend, Why)>,
    attempts: Vec<Attempt>,
    steps: u64,
}

impl TextGroup {
    /// The solvers that answer what has no terms when `kind` is asked for.
    pub fn of_kind(kind: SolverKind, toolbox: Toolbox) -> TextGroup {
        let backends: &[Backend] = match kind.smt_part() {
            // The hybrids leave what has no terms to their symbolic part.
            SmtPart::Group | SmtPart::Partner => Backend::ALL,
            SmtPart::One(backend) => &[backend],
            SmtPart::Nothing => &[],
        };
        let takes_turns = kind == SolverKind::AutoReproducible;
        TextGroup { takes_turns, ..TextGroup::new(toolbox, backends) }
    }

    /// A group of those of `backends` that are installed.
    pub fn new(toolbox: Toolbox, backends: &[Backend]) -> TextGroup {
        let installed = toolbox.available();
        let backends = backends.iter().copied().filter(|backend| installed.contains(backend));
        TextGroup {
            backends: backends.collect(),
            toolbox,
            takes_turns: false,
            finder: None,
            credit: "smt",
            attempts: Vec::new(),
        }
    }

    fn session(&self, backend: Backend, script: &TextScript) -> Option<Session> {
        let logic = script.logic.as_deref();
        let mut session = Session::new(backend, &self.toolbox, Mode::OneShot, logic).ok()?;
        for command in &script.commands {
            session.tell(&command.text);
        }
        Some(session)
    }

    /// Puts the question. A script may use more than its logic has, and solvers differ in whether they mind: one that refuses is
    /// asked again without the logic.
    fn asked(&self, backend: Backend, script: &TextScript, budget: &mut Budget) -> Option<Reply> {
        let begin = now();
        let mut session = self.session(backend, script)?;
        let mut answer = session.check(&[], budget);
        if script.logic.is_some() && matches!(answer, Answer::Unknown(Why::Refused(_))) {
            let free = TextScript { logic: None, commands: script.commands.clone() };
            let mut again = self.session(backend, &free)?;
            let second = again.check(&[], budget);
            if !matches!(second, Answer::Unknown(Why::Refused(_))) {
                (session, answer) = (again, second);
            }
        }
        Some(Reply { answer, session, time: begin.elapsed(), steps: budget.steps_used() })
    }

    /// All at once.
    fn race(&self, script: &TextScript, budget: &mut Budget) -> Collected {
        let (sender, replies) = mpsc::channel();
        let cancel = budget.cancel().child();
        let mut collected = Collected::default();
        std::thread::scope(|scope| {
            for &backend in &self.backends {
                let mut budget = budget.fork(cancel.clone());
                let sender = sender.clone();
                // The receiver outlives all threads.
                scope.spawn(move || drop(sender.send(self.asked(backend, script, &mut budget))));
            }
            drop(sender);
            for reply in replies.iter().flatten() {
                collected.take(self, reply, script, budget);
                if collected.believed.is_some() {
                    cancel.interrupt();
                }
            }
        });
        // Being over the budget does not undo an answer.
        let _ = budget.charge(collected.steps);
        collected
    }

    /// One after the other by steps, which double from round to round.
    fn turns(&self, script: &TextScript, budget: &mut Budget) -> Collected {
        let mut collected = Collected::default();
        let mut open = self.backends.clone();
        for round in 0..u64::BITS {
            for backend in std::mem::take(&mut open) {
                let steps = backend.turn_steps().saturating_mul(1 << round);
                let mut share = budget.fork(budget.cancel().clone()).at_most(steps);
                let Some(reply) = self.asked(backend, script, &mut share) else { continue };
                let charged = budget.charge(reply.steps.min(steps));
                if reply.answer == Answer::Unknown(Why::OutOfSteps) {
                    open.push(backend);
                }
                collected.take(self, reply, script, budget);
                if collected.believed.is_some() {
                    return collected;
                }
                if let Err(why) = charged {
                    collected.reasons = vec![(backend, why)];
                    return collected;
                }
            }
            if open.is_empty() {
                break;
            }
        }
        collected
    }

    /// The answer, if it can be relied on.
    fn believed(
        &self,
        mut reply: Reply,
        script: &TextScript,
        budget: &mut Budget,
    ) -> Result<Believed, Why> {
        let backend = reply.session.backend();
        match reply.answer {
            Answer::Unknown(why) => Err(why),
            Answer::Unsat => Ok(Believed::Unsat(backend)),
            Answer::Sat => {
                let model = reply.session.model(budget)?;
                if self.confirms(backend, script, &model, budget) {
                    return Ok(Believed::Sat { model, finder: Box::new(reply.session) });
                }
                budget.cancel().check()?;
                let who = "neither we nor another process confirm the model that";
                Err(Why::Fault(format!("{who} {backend} gave")))
            }
        }
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

impl Collected {
    /// The first answer stands, except that a model, which was checked, refutes an earlier `unsat`.
    fn take(&mut self, group: &TextGroup, reply: Reply, script: &TextScript, budget: &mut Budget) {
        let (backend, time, steps) = (reply.session.backend(), reply.time, reply.steps);
        let is_over = matches!(self.believed, Some(Believed::Sat { .. }));
        let believed = match reply.answer {
            Answer::Sat if is_over => Err(Why::Interrupted),
            Answer::Sat | Answer::Unsat | Answer::Unknown(_) => {
                group.believed(reply, script, budget)
            }
        };
        let outcome = match &believed {
            Ok(Believed::Sat { .. }) => Outcome::Sat,
            Ok(Believed::Unsat(_)) => Outcome::Unsat,
            Err(why) => Outcome::Unknown(why.clone()),
        };
        self.attempts.push(Attempt { member: backend.name(), outcome, time, steps });
        match believed {
            Ok(believed) => {
                let refutes = matches!(believed, Believed::Sat { .. });
                if refutes && self.believed.is_some() {
                    tracing::error!("a solver said unsat of a script that has a model");
                }
                if self.believed.is_none() || refutes {
                    (self.believed, self.steps) = (Some(believed), steps);
                }
            }
            Err(why) => {
                if self.believed.is_none() {
                    self.steps = self.steps.max(steps);
                }
                self.reasons.push((backend, why));
            }
        }
    }
}

impl TextSolver for TextGroup {
    fn check(&mut self, script: &TextScript, budget: &mut Budget) -> TextVerdict {
        self.finder = None;
        self.credit = "smt";
        self.attempts.clear();
        if self.backends.is_empty() {
            let what = "this needs an SMT solver, and none is chosen and installed".to_owned();
            return TextVerdict::Unknown(Why::Unsupported(what));
        }
        let collected = match self.takes_turns {
            true => self.turns(script, budget),
            false => self.race(script, budget),
        };
        self.attempts = collected.attempts;
        match collected.believed {
            None => nobody(collected.reasons),
            Some(Believed::Unsat(backend)) => {
                self.credit = backend.name();
                TextVerdict::Unsat
            }
            Some(Believed::Sat { model, finder }) => {
                self.credit = finder.backend().name();
                self.finder = Some(*finder);
                TextVerdict::Sat { model }
            }
        }
    }

    fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    fn credit(&self) -> &'static str {
        self.credit
    }

    fn ask(&mut self, command: &str, budget: &mut Budget) -> Result<String, Why> {
        let session = self.finder.as_mut();
        session.ok_or_else(|| Why::Fault("no solver has a model".to_owned()))?.ask(command, budget)
    }
}

/// What to make of it that no solver decided. In turns a solver may have more than one reason: the last one counts.
fn nobody(reasons: Vec<(Backend, Why)>) -> TextVerdict {
    let last: BTreeMap<Backend, Why> = reasons.into_iter().collect();
    let mut refusals = Vec::new();
    let mut reasons = Vec::new();
    for (backend, why) in last {
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
