//! Commands that give names a meaning, and those that set the scene.

use super::command::Command;
use super::diagnostic::{Diagnostic, Failure, Problem, Suggestion};
use super::elaborate::{check_distinct, expected};
use super::names::{Declared, Global, Macro, Meaning, ROUNDING_SORT, SmtSort};
use super::script::{Response, Script};
use super::sexpr::SexprId;
use super::sorts::read_sort;
use super::theory;
use std::fmt::Write;
use std::rc::Rc;
use symcrete_term::{Function, Sort, TermId};

impl Script {
    /// `(declare-const x S)` or `(declare-fun f (S …) S)`.
    pub(super) fn declare(&mut self, command: &Command) -> Result<(), Failure> {
        let (name_sexpr, params, result) = if command.name() == "declare-const" {
            let [name, sort] = command.args_exactly()?;
            (name, Vec::new(), sort)
        } else {
            let [name, params, sort] = command.args_exactly()?;
            (name, command.list(params, "a list of sorts")?, sort)
        };
        let name = self.new_name(command, name_sexpr)?;
        let params: Vec<SmtSort> =
            params.iter().map(|&sexpr| self.sort(command, sexpr)).collect::<Result<_, _>>()?;
        let result = self.sort(command, result)?;
        let span = command.tree.span(name_sexpr);
        if !params.is_empty() {
            if !self.opaque.contains(&name) {
                return Err(Failure::unsupported("an uninterpreted function", span));
            }
            return self.declare_opaque(command, name_sexpr, &params, result);
        }
        let (term, meaning) = match result {
            SmtSort::Term(sort) => {
                let term = self.variable(&name, sort);
                (term, Meaning::Term(term))
            }
            SmtSort::RoundingMode => {
                let term = self.variable(&name, ROUNDING_SORT);
                self.elaborator.unspecified.add_mode(term);
                (term, Meaning::RoundingTerm(term))
            }
            SmtSort::Number => panic!("numbers are not declared"),
        };
        self.elaborator.names.define(&name, Global::Value(meaning), span)?;
        self.elaborator.names.add_declared(Declared { name, term, sort: result });
        Ok(())
    }

    fn sort(&self, command: &Command, sexpr: SexprId) -> Result<SmtSort, Failure> {
        read_sort(&command.tree, sexpr, &self.elaborator.names)
    }

    /// A name that a script may give.
    fn new_name(&self, command: &Command, sexpr: SexprId) -> Result<String, Diagnostic> {
        let name = command.symbol(sexpr)?;
        if theory::is_reserved(name) || self.elaborator.names.global(name).is_some() {
            return Err(Problem::Redeclared(name.to_owned()).at(command.tree.span(sexpr)));
        }
        Ok(name.to_owned())
    }

    /// The variable for a constant of that name. A name that comes back after a `pop` has its old
    /// variable again if the sort is the same. No two names ever share one.
    fn variable(&mut self, name: &str, sort: Sort) -> TermId {
        let key = (name.to_owned(), sort);
        if let Some(&term) = self.elaborator.variables.get(&key) {
            return term;
        }
        let terms = &mut self.elaborator.terms;
        let mut candidate = name.to_owned();
        let mut n = 1;
        while terms.find_var(&candidate).is_some() {
            n += 1;
            candidate = format!("{name}!{n}");
        }
        let term = terms.var(&candidate, sort);
        self.elaborator.variables.insert(key, term);
        term
    }

    fn declare_opaque(
        &mut self,
        command: &Command,
        name_sexpr: SexprId,
        params: &[SmtSort],
        result: SmtSort,
    ) -> Result<(), Failure> {
        let span = command.tree.span(name_sexpr);
        let name = command.symbol(name_sexpr)?;
        let id = self.elaborator.terms.function_named(name);
        let id = id.expect("`set-info` accepts known functions only");
        let signature = self.elaborator.terms.function(id).signature();
        let known: Vec<SmtSort> = signature.params.iter().copied().map(SmtSort::Term).collect();
        let known_result = SmtSort::Term(signature.result);
        if known != params || known_result != result {
            let problem = Problem::WrongSignature {
                name: name.to_owned(),
                declared: signature_text(params, result),
                known: signature_text(&known, known_result),
            };
            return Err(problem.at(span).into());
        }
        self.elaborator.names.define(name, Global::Opaque(id), span)
    }

    /// `(define-const x S t)` or `(define-fun f ((x S) …) S t)`.
    pub(super) fn define(&mut self, command: &Command) -> Result<(), Failure> {
        let (name_sexpr, params, result, body) = if command.name() == "define-const" {
            let [name, sort, body] = command.args_exactly()?;
            (name, Vec::new(), sort, body)
        } else {
            let [name, params, sort, body] = command.args_exactly()?;
            (name, command.list(params, "a list of parameters")?, sort, body)
        };
        let name = self.new_name(command, name_sexpr)?;
        let params = self.params(command, &params)?;
        let result = self.sort(command, result)?;
        let global = if params.is_empty() {
            let meaning = self.elaborator.elaborate(&command.tree, body)?;
            self.check_result(command, &name, body, &meaning, result)?;
            Global::Value(meaning)
        } else {
            let meaning = self.sample(command, &params, body)?;
            self.check_result(command, &name, body, &meaning, result)?;
            self.n_macros += 1;
            let (id, tree) = (self.n_macros, Rc::clone(&command.tree));
            Global::Macro(Rc::new(Macro { id, params, tree, body }))
        };
        self.elaborator.names.define(&name, global, command.tree.span(name_sexpr))
    }

    fn params(
        &self,
        command: &Command,
        sexprs: &[SexprId],
    ) -> Result<Vec<(String, SmtSort)>, Failure> {
        let tree = &command.tree;
        let mut params = Vec::new();
        let mut symbols = Vec::new();
        for &sexpr in sexprs {
            let pair: Vec<SexprId> = tree.children(sexpr).take(3).collect();
            let [name, sort] = pair[..] else {
                return Err(expected("a parameter (symbol sort)", tree, sexpr).into());
            };
            params.push((command.symbol(name)?.to_owned(), self.sort(command, sort)?));
            symbols.push(name);
        }
        check_distinct(tree, symbols.into_iter())?;
        Ok(params)
    }

    /// The meaning of a body for unknown arguments: a wrong body is an error even if it is never used.
    fn sample(
        &mut self,
        command: &Command,
        params: &[(String, SmtSort)],
        body: SexprId,
    ) -> Result<Meaning, Failure> {
        let unspecified = self.elaborator.unspecified.clone();
        for (i, (name, sort)) in params.iter().enumerate() {
            let meaning = match sort {
                SmtSort::Term(sort) => {
                    Meaning::Term(self.variable(&format!("symcrete.parameter.{i}"), *sort))
                }
                SmtSort::RoundingMode => {
                    let name = format!("symcrete.parameter.{i}");
                    Meaning::RoundingTerm(self.variable(&name, ROUNDING_SORT))
                }
                SmtSort::Number => panic!("numbers are no parameters"),
            };
            self.elaborator.names.bind(name, meaning);
        }
        let meaning = self.elaborator.elaborate(&command.tree, body);
        self.elaborator.names.clear_locals();
        // The sample's open cases are nobody's.
        self.elaborator.unspecified = unspecified;
        meaning
    }

    fn check_result(
        &self,
        command: &Command,
        name: &str,
        body: SexprId,
        meaning: &Meaning,
        sort: SmtSort,
    ) -> Result<(), Failure> {
        let found = meaning.sort(&self.elaborator.terms);
        if found == sort {
            return Ok(());
        }
        let (symbol, expected) = (name.to_owned(), sort.to_string());
        let problem = Problem::WrongSort { symbol, expected, found: found.to_string() };
        Err(problem.at(command.tree.span(body)).into())
    }

    /// `(define-sort Word () (_ BitVec 32))`.
    pub(super) fn define_sort(&mut self, command: &Command) -> Result<(), Failure> {
        let [name, params, sort] = command.args_exactly()?;
        if !command.list(params, "a list of parameters")?.is_empty() {
            let span = command.tree.span(params);
            return Err(Failure::unsupported("a sort with parameters", span));
        }
        let sort = self.sort(command, sort)?;
        let text = self.new_name(command, name)?;
        self.elaborator.names.define(&text, Global::Sort(sort), command.tree.span(name))
    }

    /// `(declare-sort S n)`.
    pub(super) fn declare_sort(&mut self, command: &Command) -> Result<(), Failure> {
        let [name, arity] = command.args_exactly()?;
        if command.tree.numeral(arity).is_none() {
            return Err(expected("the number of parameters", &command.tree, arity).into());
        }
        let text = self.new_name(command, name)?;
        self.elaborator.names.define(&text, Global::UninterpretedSort, command.tree.span(name))
    }

    pub(super) fn set_logic(&mut self, command: &Command) -> Result<(), Diagnostic> {
        let [logic] = command.args_exactly()?;
        self.log.logic = Some(command.symbol(logic)?.to_owned());
        Ok(())
    }

    pub(super) fn set_option(&mut self, command: &Command) -> Result<Response, Diagnostic> {
        /// Options that we honour, or may ignore because they ask for nothing we answer wrongly.
        const KNOWN: &[&str] = &[
            ":diagnostic-output-channel",
            ":print-success",
            ":produce-assertions",
            ":produce-assignments",
            ":produce-models",
            ":produce-unsat-assumptions",
            ":produce-unsat-cores",
            ":random-seed",
            ":regular-output-channel",
            ":reproducible-resource-limit",
            ":verbosity",
        ];
        let (keyword, value) = self.attribute(command)?;
        let value = value.unwrap_or_default();
        if keyword == ":print-success" && value != "true" && value != "false" {
            return Err(expected("true or false", &command.tree, command.args[1]));
        }
        if !KNOWN.contains(&keyword.as_str()) {
            return Ok(Response::Text("unsupported".to_owned()));
        }
        self.options.insert(keyword, value);
        Ok(Response::Success)
    }

    pub(super) fn set_info(&mut self, command: &Command) -> Result<(), Diagnostic> {
        let (keyword, value) = self.attribute(command)?;
        if keyword == ":symcrete-opaque" {
            self.add_opaque(command)?;
        }
        self.infos.insert(keyword, value.unwrap_or_default());
        Ok(())
    }

    /// The names of opaque functions, apart by white space in a symbol or a string. Earlier versions
    /// wrote a list of symbols, which Z3 rejects.
    fn add_opaque(&mut self, command: &Command) -> Result<(), Diagnostic> {
        let tree = &command.tree;
        let Some(&sexpr) = command.args.get(1) else {
            return Err(expected("names of functions", tree, command.args[0]));
        };
        let mut names: Vec<(String, SexprId)> = Vec::new();
        if tree.is_list(sexpr) {
            for sexpr in tree.children(sexpr) {
                names.push((command.symbol(sexpr)?.to_owned(), sexpr));
            }
        } else {
            let text = match tree.string(sexpr) {
                Some(text) => text,
                None => command.symbol(sexpr)?.to_owned(),
            };
            names.extend(text.split_whitespace().map(|name| (name.to_owned(), sexpr)));
        }
        for (name, sexpr) in names {
            if self.elaborator.terms.function_named(&name).is_none() {
                let near = Suggestion::near(&name, Function::math_library_names());
                return Err(Problem::UnknownOpaque(name, near).at(tree.span(sexpr)));
            }
            self.opaque.insert(name);
        }
        Ok(())
    }

    /// A keyword and the text of its value.
    fn attribute(&self, command: &Command) -> Result<(String, Option<String>), Diagnostic> {
        let tree = &command.tree;
        if command.args.len() > 2 {
            command.check_n_args(2)?;
        }
        let keyword = command.args.first().and_then(|&sexpr| tree.keyword(sexpr));
        let Some(keyword) = keyword else {
            let sexpr = command.args.first().copied().unwrap_or(command.head);
            return Err(expected("a keyword", tree, sexpr));
        };
        Ok((keyword.to_owned(), command.args.get(1).map(|&sexpr| tree.text(sexpr).to_owned())))
    }
}

fn signature_text(params: &[SmtSort], result: SmtSort) -> String {
    let mut text = String::from("(");
    for (i, sort) in params.iter().enumerate() {
        let blank = if i == 0 { "" } else { " " };
        write!(text, "{blank}{sort}").expect("strings do not fail");
    }
    write!(text, ") {result}").expect("strings do not fail");
    text
}
