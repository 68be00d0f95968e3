//! One command of a script, with its arguments at hand.

use super::diagnostic::{Diagnostic, Problem};
use super::elaborate::expected;
use super::sexpr::{SexprId, Tree};
use std::rc::Rc;

/// Every command we know, for suggestions.
pub(crate) const COMMANDS: &[&str] = &[
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

/// A command.
pub(crate) struct Command {
    pub(crate) tree: Rc<Tree>,
    pub(crate) head: SexprId,
    pub(crate) args: Vec<SexprId>,
}

impl Command {
    pub(crate) fn read(tree: &Rc<Tree>) -> Result<Command, Diagnostic> {
        let mut children = tree.children(Tree::ROOT);
        let head = children.next().filter(|&head| tree.symbol(head).is_some());
        let head = head.ok_or_else(|| expected("a command", tree, Tree::ROOT))?;
        let args = children.collect();
        Ok(Command { tree: Rc::clone(tree), head, args })
    }

    pub(crate) fn name(&self) -> &str {
        self.tree.symbol(self.head).expect("`read` saw a symbol")
    }

    pub(crate) fn check_n_args(&self, n: usize) -> Result<(), Diagnostic> {
        if self.args.len() == n {
            return Ok(());
        }
        let plural = if n == 1 { "" } else { "s" };
        let problem = Problem::WrongArity {
            symbol: self.name().to_owned(),
            expected: format!("{n} argument{plural}"),
            found: self.args.len(),
        };
        Err(problem.at(self.tree.span(Tree::ROOT)))
    }

    /// The arguments, of which there must be `N`.
    pub(crate) fn args_exactly<const N: usize>(&self) -> Result<[SexprId; N], Diagnostic> {
        self.check_n_args(N)?;
        Ok(self.args[..].try_into().expect("counted just above"))
    }

    /// The symbol at `sexpr`.
    pub(crate) fn symbol(&self, sexpr: SexprId) -> Result<&str, Diagnostic> {
        self.tree.symbol(sexpr).ok_or_else(|| expected("a symbol", &self.tree, sexpr))
    }

    /// The elements of the list at `sexpr`.
    pub(crate) fn list(&self, sexpr: SexprId, what: &str) -> Result<Vec<SexprId>, Diagnostic> {
        if !self.tree.is_list(sexpr) {
            return Err(expected(what, &self.tree, sexpr));
        }
        Ok(self.tree.children(sexpr).collect())
    }

    /// The argument of `push` and `pop`: one if it is absent.
    pub(crate) fn level_count(&self) -> Result<usize, Diagnostic> {
        /// More levels than any memory holds.
        const LEVELS_MAX: u64 = 1_000_000;
        if self.args.is_empty() {
            return Ok(1);
        }
        let [sexpr] = self.args_exactly()?;
        let count = self.tree.numeral(sexpr).filter(|&count| count <= LEVELS_MAX);
        count
            .map(|count| count as usize)
            .ok_or_else(|| expected("a number of levels", &self.tree, sexpr))
    }

    /// Whether it belongs to the script that an SMT solver is given.
    pub(crate) fn changes_script(&self) -> bool {
        let name = self.name();
        name.starts_with("declare-") || name.starts_with("define-") || name == "assert"
    }

    /// The constant or function it declares without defining it.
    pub(crate) fn declares(&self) -> Option<String> {
        let declares = matches!(self.name(), "declare-const" | "declare-fun");
        let name = declares.then(|| self.args.first().and_then(|&name| self.tree.symbol(name)));
        name.flatten().map(str::to_owned)
    }

    /// The names that `:named` gives to the asserted term as a whole.
    pub(crate) fn names_given(&self) -> Vec<String> {
        let tree = &self.tree;
        let Some(&term) = self.args.first() else { return Vec::new() };
        let parts: Vec<SexprId> = tree.children(term).collect();
        if !parts.first().is_some_and(|&head| tree.is_word(head, "!")) {
            return Vec::new();
        }
        let named = parts.windows(2).filter(|pair| tree.keyword(pair[0]) == Some(":named"));
        named.filter_map(|pair| tree.symbol(pair[1]).map(str::to_owned)).collect()
    }
}
