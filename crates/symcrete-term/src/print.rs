//! Terms as SMT-LIB 2.
//!
//! A [`Printer`] writes the commands that a term needs (declarations, definitions of shared subterms)
//! once, and gives an expression over them. It follows a session's scopes by [`Printer::checkpoint`] and
//! [`Printer::rollback`].
//!
//! **Invariant:** what is written means exactly what `eval.rs` says. Where SMT-LIB leaves a case open or
//! has no operator, `encode.rs` writes the guard or the expansion.
//!
//! Expressions nest at most `DEPTH_MAX` deep and each shared subterm is written once, so the text
//! is linear in the term and no solver's parser recurses far.

mod encode;
mod value;

use crate::arena::{Literal, Node, TermId, Terms, VarId};
use crate::function::FunctionId;
use crate::value::Sort;
use encode::Operand;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
pub use value::value_from_smtlib;

/// How variables and calls are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// For solvers: variables are `v0`, `v1`, …, whatever their names; calls cannot be written.
    Solver,
    /// For people and for our own reader: variables by name, calls as declared opaque functions.
    File,
}

/// An opaque call stands in the way of translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opaque(pub FunctionId);

/// Deeper expressions get a name in between.
const DEPTH_MAX: u32 = 24;

/// Writes terms as commands, each thing once.
pub struct Printer {
    style: Style,
    written: BTreeSet<Written>,
    order: Vec<Written>,
}

/// What a printer has written and need not write again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Written {
    Term(TermId),
    Function(FunctionId),
    Helper(String),
}

/// A state of a printer to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint(usize);

impl Printer {
    /// A printer that has written nothing.
    pub fn new(style: Style) -> Printer {
        Printer { style, written: BTreeSet::new(), order: Vec::new() }
    }

    /// The present state.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.order.len())
    }

    /// Forgets what was written since: the solver has popped it.
    pub fn rollback(&mut self, checkpoint: Checkpoint) {
        for forgotten in self.order.drain(checkpoint.0..) {
            self.written.remove(&forgotten);
        }
    }

    /// How a variable is called in the text.
    pub fn var_name(&self, terms: &Terms, var: VarId) -> String {
        match self.style {
            Style::Solver => format!("v{}", var.index()),
            Style::File => quoted(terms.var_name(var)),
        }
    }

    /// Appends the commands that a literal needs to `out` and returns it as an expression.
    pub fn literal(
        &mut self,
        terms: &Terms,
        literal: Literal,
        out: &mut String,
    ) -> Result<String, Opaque> {
        let expression = self.term(terms, literal.term, out)?;
        Ok(if literal.expected { expression } else { format!("(not {expression})") })
    }

    /// Appends the commands that a term needs to `out` and returns it as an expression.
    pub fn term(
        &mut self,
        terms: &Terms,
        root: TermId,
        out: &mut String,
    ) -> Result<String, Opaque> {
        let (pending, n_uses) = self.pending(terms, root);
        if self.style == Style::Solver {
            refuse_calls(terms, &pending)?;
        }
        let mut expressions: BTreeMap<TermId, (String, u32)> = BTreeMap::new();
        for &term in &pending {
            let mut operand = |child: TermId| match expressions.get(&child) {
                Some((text, depth)) => Operand { text: text.clone(), depth: *depth },
                None => Operand { text: term_name(child), depth: 0 },
            };
            let (text, depth) = self.expression(terms, term, &mut operand, out);
            let leaf = matches!(terms.node(term), Node::Var(_) | Node::Const(_));
            let named = !leaf && term != root && (n_uses[&term] > 1 || depth >= DEPTH_MAX);
            if named {
                let (name, sort) = (term_name(term), terms.sort(term));
                writeln!(out, "(define-fun {name} () {sort} {text})").expect("writing to memory");
                self.remember(Written::Term(term));
            } else {
                expressions.insert(term, (text, depth));
            }
        }
        Ok(expressions.remove(&root).map_or_else(|| term_name(root), |(text, _)| text))
    }

    /// The terms below a root that have no name yet, children first, and how often each is used.
    fn pending(&self, terms: &Terms, root: TermId) -> (Vec<TermId>, BTreeMap<TermId, u32>) {
        let mut n_uses = BTreeMap::new();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if self.written.contains(&Written::Term(term)) {
                continue;
            }
            let uses = n_uses.entry(term).or_insert(0);
            *uses += 1;
            if *uses == 1 {
                stack.extend_from_slice(terms.node(term).children());
                if needs_name(terms, term) {
                    // Its encoding mentions the arguments more than once.
                    stack.extend_from_slice(terms.node(term).children());
                }
            }
        }
        (n_uses.keys().copied().collect(), n_uses)
    }

    fn expression(
        &mut self,
        terms: &Terms,
        term: TermId,
        operand: &mut dyn FnMut(TermId) -> Operand,
        out: &mut String,
    ) -> (String, u32) {
        match terms.node(term) {
            Node::Const(value) => (value.to_string(), 0),
            Node::Var(var) => {
                let name = self.var_name(terms, var);
                if self.remember(Written::Helper(name.clone())) {
                    writeln!(out, "(declare-const {name} {})", terms.sort(term))
                        .expect("writing to memory");
                }
                (name, 0)
            }
            Node::App { op, indices, args } => {
                let operands: Vec<Operand> = args.iter().map(|&arg| operand(arg)).collect();
                let depth = operands.iter().map(|operand| operand.depth).max().unwrap_or(0);
                let sorts: Vec<Sort> = args.iter().map(|&arg| terms.sort(arg)).collect();
                let application = encode::Application { term, op, indices, sorts, operands };
                (application.write(self, out), depth + 1)
            }
            Node::Call { function, args } => {
                self.declare_function(terms, function, out);
                let operands: Vec<Operand> = args.iter().map(|&arg| operand(arg)).collect();
                let depth = operands.iter().map(|operand| operand.depth).max().unwrap_or(0);
                let texts: Vec<&str> = operands.iter().map(|o| o.text.as_str()).collect();
                let name = quoted(terms.function(function).name());
                (format!("({name} {})", texts.join(" ")), depth + 1)
            }
            Node::Lookup { table, index } => {
                let operand_ = operand(*index);
                let name = encode::lookup(self, terms, table, terms.sort(*index), out);
                (format!("({name} {})", operand_.text), operand_.depth + 1)
            }
        }
    }

    /// A function is declared as our reader wants it: standard solvers see an uninterpreted one.
    fn declare_function(&mut self, terms: &Terms, function: FunctionId, out: &mut String) {
        if !self.remember(Written::Function(function)) {
            return;
        }
        let known = terms.function(function);
        let name = quoted(known.name());
        let params: Vec<String> = known.signature().params.iter().map(Sort::to_string).collect();
        writeln!(
            out,
            "(set-info :symcrete-opaque {name})\n(declare-fun {name} ({}) {})",
            params.join(" "),
            known.signature().result
        )
        .expect("writing to memory");
    }

    /// Whether it is new.
    fn remember(&mut self, written: Written) -> bool {
        let new = self.written.insert(written.clone());
        if new {
            self.order.push(written);
        }
        new
    }
}

/// A conjunction as a complete SMT-LIB file.
pub fn script(terms: &Terms, literals: &[Literal]) -> String {
    let mut printer = Printer::new(Style::File);
    let mut out = String::from("(set-logic ALL)\n");
    for &literal in literals {
        let assertion = printer.literal(terms, literal, &mut out).expect("files may contain calls");
        writeln!(out, "(assert {assertion})").expect("writing to memory");
    }
    out.push_str("(check-sat)\n");
    out
}

fn refuse_calls(terms: &Terms, pending: &[TermId]) -> Result<(), Opaque> {
    let call = pending.iter().find_map(|&term| match terms.node(term) {
        Node::Call { function, .. } => Some(Opaque(function)),
        Node::Const(_) | Node::Var(_) | Node::App { .. } | Node::Lookup { .. } => None,
    });
    call.map_or(Ok(()), Err)
}

fn needs_name(terms: &Terms, term: TermId) -> bool {
    match terms.node(term) {
        Node::App { op, .. } => encode::repeats_arguments(op),
        Node::Const(_) | Node::Var(_) | Node::Call { .. } | Node::Lookup { .. } => false,
    }
}

/// The name of a shared subterm. Users' variables cannot have it: see [`quoted`].
fn term_name(term: TermId) -> String {
    format!("t!{}", term.index())
}

/// What our own names start with.
const RESERVED: [&str; 5] = ["t!", "bits!", "table!", "symcrete!", "user!"];

/// A user's name as a symbol. One that could be ours, or that no symbol can spell, is escaped so that
/// different names stay different.
fn quoted(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let clash = RESERVED.iter().any(|prefix| name.starts_with(prefix));
    if clash || name.contains(['|', '\\']) {
        let escaped = name.replace('!', "!21").replace('|', "!7c").replace('\\', "!5c");
        return quoted_if_needed(&format!("user!{escaped}"), simple);
    }
    quoted_if_needed(name, simple)
}

fn quoted_if_needed(name: &str, simple: impl Fn(char) -> bool) -> String {
    let reserved_start = |c: char| c.is_ascii_digit() || c == '@' || c == '.';
    if !name.is_empty() && !name.starts_with(reserved_start) && name.chars().all(simple) {
        name.to_string()
    } else {
        format!("|{name}|")
    }
}

#[cfg(test)]
mod tests;
