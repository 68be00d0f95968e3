//! SMT solvers that answer a script in its own words.
//!
//! All of them work on the script at once and the first answer counts; where answers must be reproducible they take turns by
//! steps. A `sat` is believed only after its model was evaluated by ourselves (bit-vectors and floats of any size), or, for
//! other theories, after a *different* process, of another solver where there is one, has found the script satisfiable with
//! the model's values in place of its declarations. A solver whose model fails has not answered, and the others go on.

use super::ground::{Evaluated, Searched, evaluate, search};
use super::text::{TextScript, TextSolver, TextVerdict};
use super::with_model::with_model;
use crate::attempt::{Attempt, AttemptEnd};
use crate::crew::now;
use crate::kind::{SmtPart, SolverKind};
use crate::smt::{Answer, Backend, Mode, Session, Toolbox};
use crate::{Budget, Why};
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

/// What our own search is called in reports.
const EVALUATION: &str = "evaluation";

/// A group of SMT solvers for scripts as text.
pub struct TextGroup {
    toolbox: Toolbox,
    backends: Vec<Backend>,
    takes_turns: bool,
    /// Whether we look for a model ourselves before solvers are started.
    searches: bool,
    /// The conversation that found the last model.
    finder: Option<Session>,
    /// The script with the model that we found ourselves: whom to ask about values.
    found: Option<TextScript>,
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
        let searches = kind.is_portfolio();
        TextGroup { takes_turns, searches, ..TextGroup::new(toolbox, backends) }
    }

    /// A group of those of `backends` that are installed.
    pub fn new(toolbox: Toolbox, backends: &[Backend]) -> TextGroup {
        let installed = toolbox.available();
        let backends = backends.iter().copied().filter(|backend| installed.contains(backend));
        TextGroup {
            backends: backends.collect(),
            toolbox,
            takes_turns: false,
            searches: false,
            finder: None,
            found: None,
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

    /// What we find by ourselves, in a fraction of a second.
    fn searched(&mut self, script: &TextScript, budget: &mut Budget) -> Option<TextVerdict> {
        let (begin, before) = (now(), budget.steps_used());
        let searched = search(script, budget);
        let (outcome, verdict) = match searched {
            Searched::Open => (AttemptEnd::Unknown(Why::GaveUp), None),
            Searched::NoModel => (AttemptEnd::Unsat, Some(TextVerdict::Unsat)),
            Searched::Model(model) => {
                self.found = with_model(script, &model);
                (AttemptEnd::Sat, Some(TextVerdict::Sat { model }))
            }
        };
        let (time, steps) = (begin.elapsed(), budget.steps_used() - before);
        self.attempts.push(Attempt { member: EVALUATION, outcome, time, steps });
        if verdict.is_some() {
            self.credit = EVALUATION;
        }
        verdict
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
            Ok(Believed::Sat { .. }) => AttemptEnd::Sat,
            Ok(Believed::Unsat(_)) => AttemptEnd::Unsat,
            Err(why) => AttemptEnd::Unknown(why.clone()),
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
        (self.finder, self.found) = (None, None);
        self.credit = "smt";
        self.attempts.clear();
        if self.searches
            && let Some(verdict) = self.searched(script, budget)
        {
            return verdict;
        }
        if self.backends.is_empty() {
            let what = "this needs an SMT solver, and none is chosen and installed".to_owned();
            return TextVerdict::Unknown(Why::Unsupported(what));
        }
        let collected = match self.takes_turns {
            true => self.turns(script, budget),
            false => self.race(script, budget),
        };
        self.attempts.extend(collected.attempts);
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
        if let Some(found) = self.found.take() {
            // Z3 has every theory, so it comes first.
            let mut backends = self.backends.clone();
            backends.sort_by_key(|&backend| backend != Backend::Z3);
            self.finder = backends.into_iter().find_map(|backend| {
                let mut session = self.session(backend, &found)?;
                (session.check(&[], budget) == Answer::Sat).then_some(session)
            });
        }
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
