//! What names mean: global declarations that come and go with `push` and `pop`, and local bindings of
//! `let` and of function parameters.
//!
//! A local binding hides a global one. Inside the body of a defined function the locals of its caller
//! are hidden: they are below the *floor*.

use super::diagnostic::{Failure, Problem, Span};
use super::rational::Rational;
use super::sexpr::{SexprId, Tree};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use symcrete_term::{FunctionId, Rounding, Sort, TermId, Terms, Value};

/// What an SMT-LIB term means to us.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// A term.
    Term(TermId),
    /// A rounding mode that is known: an index of our operators.
    Rounding(Rounding),
    /// A rounding mode that depends on variables: its code in three bits.
    RoundingTerm(TermId),
    /// A constant of sort Int or Real, of use only to `to_fp`.
    Number(Rc<Rational>),
}

/// The sorts of [`Meaning`]s.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SmtSort {
    /// A sort of our terms.
    Term(Sort),
    /// `RoundingMode`.
    RoundingMode,
    /// `Int` or `Real`.
    Number,
}

impl fmt::Display for SmtSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SmtSort::Term(sort) => sort.fmt(f),
            SmtSort::RoundingMode => f.write_str("RoundingMode"),
            SmtSort::Number => f.write_str("a number"),
        }
    }
}

/// Rounding modes that are not known are terms of this sort.
pub(crate) const ROUNDING_SORT: Sort = Sort::Bv(3);

impl Meaning {
    pub(crate) fn sort(&self, terms: &Terms) -> SmtSort {
        match self {
            Meaning::Term(term) => SmtSort::Term(terms.sort(*term)),
            Meaning::Rounding(_) | Meaning::RoundingTerm(_) => SmtSort::RoundingMode,
            Meaning::Number(_) => SmtSort::Number,
        }
    }

    /// The term; a rounding mode as its code. Numbers have none.
    pub(crate) fn term(&self, terms: &mut Terms) -> Option<TermId> {
        match self {
            Meaning::Term(term) | Meaning::RoundingTerm(term) => Some(*term),
            Meaning::Rounding(rounding) => Some(terms.constant(rounding_code(*rounding))),
            Meaning::Number(_) => None,
        }
    }

    /// The meaning of a term of that sort; a rounding mode that turned out constant is known.
    pub(crate) fn of_term(terms: &Terms, term: TermId, sort: SmtSort) -> Meaning {
        match (sort, terms.as_const(term)) {
            (SmtSort::RoundingMode, Some(code)) => Meaning::Rounding(rounding_of_code(code)),
            (SmtSort::RoundingMode, None) => Meaning::RoundingTerm(term),
            (SmtSort::Term(_) | SmtSort::Number, _) => Meaning::Term(term),
        }
    }
}

pub(crate) fn rounding_code(rounding: Rounding) -> Value {
    Value::from_bits(ROUNDING_SORT, rounding as u64)
}

/// The mode with that code. Codes from five on never reach a model, but may appear in folding.
pub(crate) fn rounding_of_code(code: Value) -> Rounding {
    let code = usize::try_from(code.bits()).expect("a code has three bits");
    Rounding::ALL.get(code).copied().unwrap_or(Rounding::ToZero)
}

/// A function defined by the script: expanded wherever it is applied.
#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) id: usize,
    pub(crate) params: Vec<(String, SmtSort)>,
    pub(crate) tree: Rc<Tree>,
    pub(crate) body: SexprId,
}

/// What a global name means.
#[derive(Clone, Debug)]
pub(crate) enum Global {
    Value(Meaning),
    Macro(Rc<Macro>),
    Opaque(FunctionId),
    Sort(SmtSort),
    /// A sort of the script's own. Only its use is beyond us, and traces declare sorts they never use.
    UninterpretedSort,
}

/// A constant the script declared; models list these.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) term: TermId,
    pub(crate) sort: SmtSort,
}

struct Level {
    names: Vec<String>,
    n_declared_before: usize,
}

struct Local {
    depth: usize,
    meaning: Meaning,
}

/// All names in sight.
#[derive(Default)]
pub(crate) struct Names {
    globals: BTreeMap<String, Global>,
    /// What each open level added, innermost last.
    levels: Vec<Level>,
    declared: Vec<Declared>,
    locals: BTreeMap<Rc<str>, Vec<Local>>,
    /// Names of the local bindings in order, to undo them.
    bound: Vec<Rc<str>>,
    /// Local bindings below this depth are out of sight.
    floor: usize,
}

impl Names {
    pub(crate) fn push_level(&mut self) {
        self.levels.push(Level { names: Vec::new(), n_declared_before: self.declared.len() });
    }

    pub(crate) fn pop_level(&mut self) {
        let level = self.levels.pop().expect("the script counts its levels");
        for name in level.names {
            self.globals.remove(&name);
        }
        self.declared.truncate(level.n_declared_before);
    }

    pub(crate) fn define(&mut self, name: &str, global: Global, span: Span) -> Result<(), Failure> {
        if self.globals.contains_key(name) {
            return Err(Problem::Redeclared(name.to_owned()).at(span).into());
        }
        self.globals.insert(name.to_owned(), global);
        if let Some(level) = self.levels.last_mut() {
            level.names.push(name.to_owned());
        }
        Ok(())
    }

    pub(crate) fn add_declared(&mut self, declared: Declared) {
        self.declared.push(declared);
    }

    /// The constants that are declared now, in order of declaration.
    pub(crate) fn declared(&self) -> &[Declared] {
        &self.declared
    }

    pub(crate) fn global(&self, name: &str) -> Option<&Global> {
        self.globals.get(name)
    }

    pub(crate) fn global_names(&self) -> impl Iterator<Item = &str> {
        self.globals.keys().map(String::as_str)
    }

    pub(crate) fn local(&self, name: &str) -> Option<&Meaning> {
        let local = self.locals.get(name)?.last()?;
        (local.depth >= self.floor).then_some(&local.meaning)
    }

    pub(crate) fn local_names(&self) -> impl Iterator<Item = &str> {
        self.bound[self.floor..].iter().map(|name| &**name)
    }

    pub(crate) fn bind(&mut self, name: &str, meaning: Meaning) {
        let name: Rc<str> = name.into();
        let depth = self.bound.len();
        self.locals.entry(Rc::clone(&name)).or_default().push(Local { depth, meaning });
        self.bound.push(name);
    }

    /// Undoes the last `n` bindings.
    pub(crate) fn unbind(&mut self, n: usize) {
        for name in self.bound.drain(self.bound.len() - n..) {
            let stack = self.locals.get_mut(&name).expect("it was bound");
            stack.pop();
            if stack.is_empty() {
                self.locals.remove(&name);
            }
        }
    }

    /// Hides all local bindings; returns what [`Names::show`] takes to bring them back.
    pub(crate) fn hide(&mut self) -> usize {
        std::mem::replace(&mut self.floor, self.bound.len())
    }

    pub(crate) fn show(&mut self, floor: usize) {
        self.floor = floor;
    }

    /// Forgets all local bindings, after an elaboration that stopped half way.
    pub(crate) fn clear_locals(&mut self) {
        self.locals.clear();
        self.bound.clear();
        self.floor = 0;
    }
}
