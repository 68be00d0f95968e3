//! What must hold at a point so that the rest of the path to the target is taken.
//!
//! Literals are over variables that stand for what is not known yet at this point: values of the functions that are
//! active, globals, bytes of memory ([`Read`]), inputs that calls give. Going back over an assignment replaces a variable
//! by what is assigned. In SSA form a value has one meaning at each point, in loops too: when its assignment has been
//! passed, nothing mentions it until another iteration does.

use crate::reachability::{Bound, Condition};
use crate::substitute::{Substitution, substituted, variables};
use crate::target::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use symcrete_program::CellKind;
use symcrete_program::cfg::{BlockId, ValueId, ValueType};
use symcrete_term::{Literal, Sort, TermId, Terms, Value, VarId};

/// A point, and what must hold there.
#[derive(Clone)]
pub(crate) struct State {
    /// Functions that are active, the innermost last. Who called the first is not known.
    pub(crate) frames: Vec<Frame>,
    pub(crate) literals: Vec<Held>,
    /// Bytes of memory that literals are about.
    pub(crate) reads: Vec<Read>,
    /// Inputs that calls produced, the last call first.
    pub(crate) draws: Vec<Draw>,
    /// Variables that occur.
    pub(crate) free: Rc<BTreeSet<VarId>>,
    /// The assumptions.
    pub(crate) bounds: BTreeSet<Bound>,
    /// Decisions on the path, the last one first.
    pub(crate) conditions: Vec<Condition>,
    /// A literal that cannot hold, by index.
    pub(crate) broken: Option<usize>,
    /// Functions that were left through their start towards a caller.
    pub(crate) n_callers: u32,
    /// Whether literals have changed since they were last checked.
    pub(crate) is_new: bool,
}

/// A function that is active.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    pub(crate) block: BlockId,
    /// Instructions of the block that come before this point.
    pub(crate) position: usize,
    /// How often each back edge was passed.
    pub(crate) passes: BTreeMap<(BlockId, BlockId), u32>,
    /// A header that is left through its entry only: its loop was treated as one call.
    pub(crate) outside_of: Option<BlockId>,
    /// Loops that are being unrolled, by header.
    pub(crate) unrolled: BTreeSet<BlockId>,
}

/// A literal, and which phase decides it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) literal: Literal,
    /// Whether phase I leaves it out.
    pub(crate) is_skipped: bool,
}

/// Bytes of memory at this point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Read {
    /// The variable that stands for them, a bit-vector, the byte at the lowest address in the lowest bits.
    pub(crate) var: VarId,
    pub(crate) address: TermId,
    pub(crate) bytes: u8,
}

/// An input that a call produced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Draw {
    pub(crate) var: VarId,
    pub(crate) name: Name,
    pub(crate) kind: CellKind,
}

/// The name of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Name {
    Known(String),
    /// A string at this address.
    At(TermId),
}

/// Terms, and numbers for fresh variables. Searches with the same solver share one: what a solver remembers is about
/// one arena of terms.
#[derive(Default)]
pub struct Pool {
    pub(crate) terms: Terms,
    n_fresh: u32,
}

impl Pool {
    /// The variable of a value of a function that is active.
    pub(crate) fn value(
        &mut self,
        level: usize,
        function: u32,
        value: ValueId,
        ty: ValueType,
    ) -> TermId {
        self.terms.var(&format!("@v{level}:{function}:{}", value.0), sort_of(ty))
    }

    /// The variable of a global.
    pub(crate) fn global(&mut self, global: u32, ty: ValueType) -> TermId {
        self.terms.var(&format!("@g{global}"), sort_of(ty))
    }

    /// An unconstrained variable.
    pub(crate) fn fresh(&mut self, sort: Sort) -> TermId {
        self.n_fresh += 1;
        self.terms.var(&format!("@u{}", self.n_fresh), sort)
    }

    /// A variable for uninitialised memory.
    pub(crate) fn unwritten(&mut self, sort: Sort) -> TermId {
        self.n_fresh += 1;
        self.terms.var(&format!("{UNWRITTEN}{}", self.n_fresh), sort)
    }

    /// A variable for the address of a new object.
    pub(crate) fn allocated(&mut self) -> TermId {
        self.n_fresh += 1;
        self.terms.var(&format!("{ALLOCATED}{}", self.n_fresh), Sort::Bv(32))
    }

    /// Whether literals depend on uninitialised memory.
    pub(crate) fn has_unwritten(&self, literals: &[Literal]) -> bool {
        let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let of = variables(&self.terms, &roots);
        of.into_iter().any(|var| self.terms.var_name(var).starts_with(UNWRITTEN))
    }

    /// The variable for the blocks that one execution of a loop may pass.
    pub(crate) fn loop_fuel(&mut self) -> TermId {
        self.terms.var("@fuel", Sort::Bv(64))
    }

    /// The variable that a term is.
    pub(crate) fn var_of(&self, term: TermId) -> VarId {
        match self.terms.node(term) {
            symcrete_term::Node::Var(var) => var,
            symcrete_term::Node::Const(_)
            | symcrete_term::Node::App { .. }
            | symcrete_term::Node::Call { .. }
            | symcrete_term::Node::Lookup { .. } => unreachable!("only variables are asked for"),
        }
    }
}

/// How names of variables start that stand for uninitialised memory.
const UNWRITTEN: &str = "@n";

/// How names of variables start that stand for addresses of new objects.
const ALLOCATED: &str = "@h";

/// Whether a variable of that name stands for the address of a new object.
pub(crate) fn is_allocated_name(name: &str) -> bool {
    name.starts_with(ALLOCATED)
}

/// Whether a name is one of ours, not an input's.
pub(crate) fn is_own_name(name: &str) -> bool {
    name.starts_with('@')
}

/// The sort of values of a type. A reference is its function's index plus one.
pub(crate) fn sort_of(ty: ValueType) -> Sort {
    match ty {
        ValueType::I32 | ValueType::FuncRef => Sort::Bv(32),
        ValueType::I64 => Sort::Bv(64),
        ValueType::F32 => Sort::F32,
        ValueType::F64 => Sort::F64,
    }
}

impl State {
    /// At a place, with nothing said.
    pub(crate) fn at(place: Place) -> State {
        State {
            frames: vec![Frame::new(place.function, place.block, place.position)],
            literals: Vec::new(),
            reads: Vec::new(),
            draws: Vec::new(),
            free: Rc::default(),
            bounds: BTreeSet::new(),
            conditions: Vec::new(),
            broken: None,
            n_callers: 0,
            is_new: false,
        }
    }

    pub(crate) fn frame(&self) -> &Frame {
        self.frames.last().expect("a state has a function")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a state has a function")
    }

    /// How many functions are active below the innermost.
    pub(crate) fn level(&self) -> usize {
        self.frames.len() - 1
    }

    /// Says that a literal holds here.
    pub(crate) fn hold(&mut self, terms: &Terms, literal: Literal) {
        match terms.as_const(literal.term) {
            Some(value) if value == Value::Bool(literal.expected) => return,
            Some(_) | None => {}
        }
        self.literals.push(Held { literal, is_skipped: false });
        self.note(terms);
    }

    /// Replaces variables.
    pub(crate) fn apply(&mut self, pool: &mut Pool, by: &Substitution) {
        if by.keys().all(|var| !self.free.contains(var)) {
            return;
        }
        let terms = &mut pool.terms;
        let roots: Vec<TermId> = self
            .literals
            .iter()
            .map(|held| held.literal.term)
            .chain(self.reads.iter().map(|read| read.address))
            .chain(self.draws.iter().filter_map(|draw| match draw.name {
                Name::At(address) => Some(address),
                Name::Known(_) => None,
            }))
            .collect();
        let mut new = substituted(terms, &roots, by).into_iter();
        let mut next = || new.next().expect("there is one for each root");
        self.literals.iter_mut().for_each(|held| held.literal.term = next());
        self.reads.iter_mut().for_each(|read| read.address = next());
        for draw in &mut self.draws {
            if let Name::At(address) = &mut draw.name {
                *address = next();
            }
        }
        self.note(terms);
    }

    /// Recomputes which variables occur, and forgets bytes that no literal is about any more.
    pub(crate) fn note(&mut self, terms: &Terms) {
        self.is_new = true;
        let is_broken = |held: &Held| {
            terms
                .as_const(held.literal.term)
                .is_some_and(|value| value != Value::Bool(held.literal.expected))
        };
        self.broken = self.broken.or_else(|| self.literals.iter().position(is_broken));
        let roots: Vec<TermId> = self.literals.iter().map(|held| held.literal.term).collect();
        let mut free = variables(terms, &roots);
        // A read matters if something mentions it, such as the address of another read.
        let mut kept: Vec<bool> = vec![false; self.reads.len()];
        loop {
            let mut changed = false;
            for (read, kept) in self.reads.iter().zip(&mut kept) {
                if !*kept && free.contains(&read.var) {
                    *kept = true;
                    changed = true;
                    free.extend(variables(terms, &[read.address]));
                }
            }
            if !changed {
                break;
            }
        }
        let mut kept = kept.into_iter();
        self.reads.retain(|_| kept.next().expect("there is one for each read"));
        for draw in &self.draws {
            if let Name::At(address) = draw.name {
                free.extend(variables(terms, &[address]));
            }
        }
        self.free = Rc::new(free);
    }

    /// Whether a term that is a variable occurs.
    pub(crate) fn mentions(&self, pool: &Pool, variable: TermId) -> bool {
        self.free.contains(&pool.var_of(variable))
    }

    /// All bytes of memory are unknown values from here on.
    pub(crate) fn forget_memory(&mut self) {
        self.reads.clear();
    }
}

impl Frame {
    pub(crate) fn new(function: u32, block: BlockId, position: usize) -> Frame {
        Frame {
            function,
            block,
            position,
            passes: BTreeMap::new(),
            outside_of: None,
            unrolled: BTreeSet::new(),
        }
    }
}
