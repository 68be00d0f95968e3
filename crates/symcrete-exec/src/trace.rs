//! The record of one run.

use crate::margins::Margin;
use symcrete_program::{Coverage, Drawn, Gap, NotedCall, Outcome, SiteId};
use symcrete_term::{Literal, TermId};

/// Why a constraint is in the path condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A conditional branch took this side.
    Branch,
    /// A `select` chose this side.
    Select,
    /// The machine checked this before an operation that can trap.
    TrapGuard,
    /// An access through a symbolic address, or a pointer that may be null, stays in its object. Where it does not,
    /// the run may end, or go on with what is there instead.
    ObjectGuard,
    /// A symbolic address, size or index was taken at its concrete value.
    Concretized,
    /// An assumption of the program.
    Assumed,
    /// A limit of the input: a length is at most the room that there is.
    Range,
}

impl Origin {
    /// Whether exploration may aim at the opposite.
    pub fn may_flip(self) -> bool {
        match self {
            Origin::Branch | Origin::Select | Origin::TrapGuard | Origin::ObjectGuard => true,
            Origin::Concretized | Origin::Assumed | Origin::Range => false,
        }
    }
}

/// A condition that held on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The condition.
    pub literal: Literal,
    /// The site.
    pub site: SiteId,
    /// Why it is in the path condition.
    pub origin: Origin,
}

/// Everything that held on the path, in execution order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PathCondition {
    /// The constraints, in execution order.
    pub constraints: Vec<Constraint>,
}

impl PathCondition {
    /// The literals alone, in order.
    pub fn literals(&self) -> Vec<Literal> {
        self.constraints.iter().map(|constraint| constraint.literal).collect()
    }
}

/// A gap of the model that a run met, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Met {
    /// The gap.
    pub gap: Gap,
    /// How many constraints the path had by then.
    pub n_constraints: usize,
}

/// The record of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The path condition.
    pub path: PathCondition,
    /// How it ended.
    pub outcome: Outcome,
    /// The terms of the results; `None` where a result does not depend on the input's symbols.
    pub results: Vec<Option<TermId>>,
    /// Which sides of which branches it took.
    pub coverage: Coverage,
    /// Sites passed, as charged: at each call and each loop pass in advance.
    pub fuel_used: u64,
    /// The bytes of the memory that the image watches, after the run, however it ended; clipped to
    /// memory.
    pub watched: Vec<Vec<u8>>,
    /// The cells that the program asked for, in order.
    pub drawn: Vec<Drawn>,
    /// The calls of callbacks and undefined functions, in order; `None` if a test cannot check them.
    pub noted: Option<Vec<NotedCall>>,
    /// Where the model may differ from the real world: each gap that the run met, the first time.
    pub gaps: Vec<Met>,
    /// Where conditions depended on uninitialised values, and what else did.
    pub unknown: Unknown,
    /// How near it came to the end of an object of the program, ever nearer.
    pub margins: Vec<Margin>,
    /// The address of the access outside any object, if that ended it.
    pub stray: Option<u32>,
    /// The cells that decide where the access went at which it failed.
    pub address_from: Vec<String>,
    /// Where the objects of the input are that it freed, or tried to free.
    pub freed: Vec<u32>,
}

/// The parts of a run that depend on uninitialised values: elsewhere they may be anything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Unknown {
    /// Where conditions did.
    pub conditions: Vec<SiteId>,
    /// Whether a result, or the number with which the program ended itself, does.
    pub result: bool,
    /// Which bytes of what the image watches do, or belong to no object (any more); empty where none does.
    pub watched: Vec<Vec<bool>>,
}

impl Unknown {
    /// Whether the path of a run, or its end, may be different elsewhere.
    pub fn is_end(&self, outcome: &Outcome) -> bool {
        let is_exit = matches!(outcome, Outcome::Exited(_));
        !self.conditions.is_empty() || is_exit && self.result
    }
}
