//! What exploration hands over: tests, and what they showed.

use crate::coverage::Coverage;
use crate::image::CellKind;
use crate::input::Input;
use crate::outcome::Outcome;
use symcrete_term::Value;

/// One run worth keeping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestCase {
    /// What the unit was given; every cell of the run is in it.
    pub input: Input,
    /// What the program asked for while it ran, in order.
    pub drawn: Vec<Drawn>,
    /// How it ended.
    pub outcome: Outcome,
    /// What it changed in memory that a test can look at.
    pub changes: Vec<Change>,
    /// Which sides of which branches it took.
    pub coverage: Coverage,
}

/// A value that the program asked for while it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawn {
    /// The cell's name: `read()`, `read()#1`, `stdin[3]`.
    pub name: String,
    /// Its kind.
    pub kind: CellKind,
    /// Its value.
    pub value: Value,
}

/// A cell that is different after the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The cell's name: `p->x`.
    pub name: String,
    /// How it is stored.
    pub kind: CellKind,
    /// Its bits after the run.
    pub bits: u64,
}
