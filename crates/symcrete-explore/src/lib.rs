//! Finds inputs that take every branch of a unit.
//!
//! An [`Explorer`] runs the unit, keeps what the runs showed in a [`Tree`], lets a [`Strategy`] choose which
//! branch to flip next, asks a solver for an input that flips it, and runs that. What remains at the end
//! has a reason: see [`symcrete_program::GoalState`]. What was found becomes a suite in [`suite`].
//!
//! **Invariant:** the tree is the truth. It alone knows which flips are open, covered, infeasible or
//! unresolved; strategies only order the open ones, so none can loop or count a branch twice.
//!
//! **Invariant:** an input that a solver gave is run before anything is believed of it.
//!
//! **Invariant:** this crate reads neither files nor clocks; time comes in through [`Limits`].

pub mod bursts;
pub mod explorer;
pub mod first;
#[cfg(test)]
mod fixtures;
pub mod goals;
mod model;
pub mod strategy;
pub mod suite;
pub mod tree;

pub use bursts::Bursts;
pub use explorer::{
    Attempt, Backward, BackwardStats, Effort, Explored, Explorer, Growth, Limits, Parts, Stats,
};
pub use goals::Goals;
pub use strategy::{Strategy, StrategyKind};
pub use suite::Tidying;
pub use tree::{Flip, FlipState, NodeId, Tree};
