//! The `get-…` commands.

use super::command::Command;
use super::diagnostic::{Diagnostic, Failure, Problem};
use super::elaborate::expected;
use super::model;
use super::names::Meaning;
use super::script::{Last, Script};
use super::sexpr::{SexprId, Tree};
use super::theory::rounding_long_name;
use crate::Why;
use std::fmt::Write;
use symcrete_term::Valuation;

/// What SMT-LIB says about a command or option that is fine but not ours.
const UNSUPPORTED: &str = "unsupported";

impl Script {
    /// The answer to a `get-…` command.
    pub(super) fn get(&mut self, command: &Command) -> Result<String, Diagnostic> {
        match command.name() {
            "get-model" => {
                command.check_n_args(0)?;
                match &self.last {
                    Last::Sat { model, .. } => Ok(model::render(model)),
                    Last::TextSat { model } => Ok(model.trim().to_owned()),
                    Last::None | Last::Unsat { .. } | Last::Unknown(_) => {
                        Err(not_now(command, "no model: the last answer is not `sat`"))
                    }
                }
            }
            "get-value" => self.get_value(command),
            "get-unsat-core" => self.get_unsat_core(command),
            "get-unsat-assumptions" => self.get_unsat_assumptions(command),
            "get-info" => self.get_info(command),
            "get-option" => self.get_option(command),
            "get-assertions" | "get-assignment" | "get-proof" => Ok(UNSUPPORTED.to_owned()),
            other => panic!("`{other}` is not dispatched to here"),
        }
    }

    fn get_value(&mut self, command: &Command) -> Result<String, Diagnostic> {
        let [list] = command.args_exactly()?;
        let sexprs = command.list(list, "a list of terms")?;
        if sexprs.is_empty() {
            return Err(expected("at least one term", &command.tree, list));
        }
        match &self.last {
            Last::Sat { valuation, .. } => {
                let valuation = valuation.clone();
                self.values(command, &sexprs, valuation)
            }
            Last::TextSat { .. } => {
                let mut budget = (self.deciders.budget)();
                let text = command.tree.text(Tree::ROOT);
                match self.deciders.text_solver.ask(text, &mut budget) {
                    Ok(answer) => Ok(answer.trim().to_owned()),
                    Err(_) => Err(not_now(command, "the solver cannot evaluate these terms")),
                }
            }
            Last::None | Last::Unsat { .. } | Last::Unknown(_) => {
                Err(not_now(command, "no model: the last answer is not `sat`"))
            }
        }
    }

    fn values(
        &mut self,
        command: &Command,
        sexprs: &[SexprId],
        mut valuation: Valuation,
    ) -> Result<String, Diagnostic> {
        let mut text = String::from("(");
        for (i, &sexpr) in sexprs.iter().enumerate() {
            let meaning = match self.elaborator.elaborate(&command.tree, sexpr) {
                Ok(meaning) => meaning,
                Err(Failure::Wrong(diagnostic)) => return Err(diagnostic),
                Err(Failure::Unsupported(_)) => return Ok(UNSUPPORTED.to_owned()),
            };
            let terms = &self.elaborator.terms;
            self.elaborator.unspecified.complete(terms, &mut valuation);
            let value = match meaning {
                Meaning::Term(term) => terms.evaluate(term, &valuation).to_string(),
                Meaning::Rounding(rounding) => rounding_long_name(rounding).to_owned(),
                Meaning::RoundingTerm(term) => {
                    let sort = meaning.sort(terms);
                    model::value_text(terms.evaluate(term, &valuation), sort)
                }
                Meaning::Number(_) => return Ok(UNSUPPORTED.to_owned()),
            };
            let separator = if i == 0 { "" } else { "\n " };
            let term = command.tree.text(sexpr);
            write!(text, "{separator}({term} {value})").expect("strings do not fail");
        }
        text.push(')');
        Ok(text)
    }

    /// All named assertions. A core need not be small, and without a proof we know no smaller one.
    fn get_unsat_core(&self, command: &Command) -> Result<String, Diagnostic> {
        command.check_n_args(0)?;
        if !matches!(self.last, Last::Unsat { .. }) {
            return Err(not_now(command, "no core: the last answer is not `unsat`"));
        }
        let names = self.assertions.iter().flat_map(|assertion| &assertion.names);
        let names: Vec<String> = names.map(|name| model::quoted(name)).collect();
        Ok(format!("({})", names.join(" ")))
    }

    fn get_unsat_assumptions(&self, command: &Command) -> Result<String, Diagnostic> {
        command.check_n_args(0)?;
        match &self.last {
            Last::Unsat { assumptions: Some(assumptions) } => {
                Ok(format!("({})", assumptions.join(" ")))
            }
            Last::None
            | Last::Sat { .. }
            | Last::TextSat { .. }
            | Last::Unsat { assumptions: None }
            | Last::Unknown(_) => {
                Err(not_now(command, "the last answer is not `unsat` under assumptions"))
            }
        }
    }

    fn get_info(&self, command: &Command) -> Result<String, Diagnostic> {
        let [sexpr] = command.args_exactly()?;
        let Some(keyword) = command.tree.keyword(sexpr) else {
            return Err(expected("a keyword", &command.tree, sexpr));
        };
        let value = match keyword {
            ":name" => "\"symcrete\"".to_owned(),
            ":version" => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
            ":authors" => "\"the Symcrete developers\"".to_owned(),
            ":error-behavior" => "immediate-exit".to_owned(),
            ":assertion-stack-levels" => self.n_levels().to_string(),
            ":reason-unknown" => match &self.last {
                Last::Unknown(why) => reason_unknown(why),
                Last::None | Last::Sat { .. } | Last::TextSat { .. } | Last::Unsat { .. } => {
                    return Err(not_now(command, "the last answer is not `unknown`"));
                }
            },
            _ => match self.info(keyword) {
                Some(value) => value.to_owned(),
                None => return Ok(UNSUPPORTED.to_owned()),
            },
        };
        Ok(format!("({keyword} {value})"))
    }

    fn get_option(&self, command: &Command) -> Result<String, Diagnostic> {
        let [sexpr] = command.args_exactly()?;
        let Some(keyword) = command.tree.keyword(sexpr) else {
            return Err(expected("a keyword", &command.tree, sexpr));
        };
        let default = match keyword {
            ":print-success" => "false",
            ":produce-models" | ":produce-unsat-cores" | ":produce-unsat-assumptions" => "true",
            ":random-seed" | ":verbosity" | ":reproducible-resource-limit" => "0",
            ":regular-output-channel" => "\"stdout\"",
            ":diagnostic-output-channel" => "\"stderr\"",
            _ => UNSUPPORTED,
        };
        Ok(self.options.get(keyword).map_or(default, String::as_str).to_owned())
    }
}

/// SMT-LIB has words for two reasons; all others are told in a string.
fn reason_unknown(why: &Why) -> String {
    match why {
        Why::OutOfMemory => "memout".to_owned(),
        Why::Incomplete(_) | Why::GaveUp => "incomplete".to_owned(),
        Why::OutOfSteps
        | Why::OutOfTime
        | Why::Interrupted
        | Why::Unsupported(_)
        | Why::Refused(_)
        | Why::Fault(_)
        | Why::Nobody(_) => format!("\"{}\"", why.to_string().replace('"', "\"\"")),
    }
}

fn not_now(command: &Command, message: &'static str) -> Diagnostic {
    Problem::NotNow(message).at(command.tree.span(Tree::ROOT))
}
