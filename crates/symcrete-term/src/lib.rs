//! What constraints are and what they mean.
//!
//! A [`Terms`] arena holds hash-consed expressions over booleans, bit-vectors of up to 64 bits and
//! IEEE floats of 32 and 64 bits. Every operator is total and has exactly one definition
//! ([`eval::eval`]); folding, the [`Tape`] and model checking all use it.
//!
//! **Invariant:** this crate knows nothing of programs, solvers, files or the clock.
//!
//! **Invariant:** a child's id is smaller than its parent's, so one forward loop over ids evaluates
//! or translates any expression. Nothing here recurses over terms.

mod arena;
mod demanded;
pub mod eval;
mod float;
mod function;
mod index;
mod libm;
pub mod op;
pub mod print;
mod reachable;
pub mod rewrite;
pub mod seed;
mod tape;
mod valuation;
pub mod value;

pub use arena::{Literal, Node, TableId, TermId, Terms, VarId};
pub use demanded::depends_on;
pub use function::{Function, FunctionId, Native, Signature};
pub use op::{Op, Rounding};
pub use reachable::reachable;
pub use seed::{Rng, Seed};
pub use tape::{Tape, TapeState};
pub use valuation::Valuation;
pub use value::{Sort, Value};
