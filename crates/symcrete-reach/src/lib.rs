//! Symbolic-concrete backward execution: from a target back to where the program is entered.
//!
//! After Dinges and Agha, "Targeted Test Input Generation Using Symbolic-Concrete Backward Execution" (ASE 2014), with the
//! parts that the paper names as future work: slicing, back-jumping, lazily expanded callees, memory. What differs, and
//! why, is in `docs/adr/0011-backward-execution.md`.
//!
//! [`Search::reach`] starts with the state *the run is at the target* and walks against the direction of execution.
//! A `State` is what must hold at a point so that the rest of the path is taken; where it cannot hold, no run takes
//! that path. At the start of an entry it is a condition on inputs.
//!
//! **Invariant:** a state never says more than what must hold. What is not known (the result of a call, a byte of memory) is
//! a fresh variable. So a contradiction is a proof, whatever was left out, and only what is assumed of inputs
//! ([`Bound`]) limits it.
//!
//! **Invariant:** "reached" is said only after a run that passed the target ([`Runs`]). This crate knows neither Wasmtime nor files nor the clock.

mod bulk;
mod candidate;
mod entry;
mod feasible;
mod frames;
mod initial;
mod loop_code;
mod loop_method;
mod memory;
mod merging;
mod nearby;
mod places;
mod reachability;
mod relevance;
mod search;
mod start;
mod state;
mod step;
mod substitute;
mod target;
mod view;

pub use entry::{Entry, Ran, Runs};
pub use initial::Initial;
pub use places::{Accesses, Room};
pub use reachability::{Bound, Condition, Counters, Reachability, Reached, Unsure};
pub use search::{Options, Parts, Search};
pub use state::Pool;
pub use target::{Fault, Target};
pub use view::{Callee, View};
