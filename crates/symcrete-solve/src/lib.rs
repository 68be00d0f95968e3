//! Deciding a conjunction of terms.
//!
//! A [`Query`] goes in, a [`Verdict`] comes out. Solvers are many and interchangeable: SMT solvers as
//! child processes, random draws, searches. Every one of them is wrapped in
//! [`decorate::Checked`]: a model is returned only after the evaluator accepted it.
//!
//! **Invariant:** this crate knows nothing of programs, branches or WebAssembly.

mod attempt;
mod batch;
pub mod budget;
pub mod chain;
mod compiled;
pub mod concolic_walk;
mod crew;
pub mod decorate;
pub mod enumerate;
mod error;
pub mod generate;
pub mod genetic;
mod growing;
pub mod hybrid;
pub mod inspect;
pub mod interval;
mod inversion;
#[cfg(feature = "jit")]
pub mod jit;
#[cfg(not(feature = "jit"))]
#[path = "no_jit.rs"]
pub mod jit;
mod kind;
mod lazy;
pub mod linear;
mod narrow;
pub mod particle_swarm;
pub mod portfolio;
mod query;
mod race;
pub mod random;
mod saw;
mod search;
pub mod smt;
pub mod smtlib;
mod staged;
mod staged_descent;
mod verdict;

pub use attempt::{Attempt, AttemptEnd};
pub use batch::BatchSolver;
pub use budget::{Budget, Cancel};
pub use chain::{Chain, ChainOptions, ChainStats, Link, build_chain};
pub use kind::{Setup, SolverKind};
pub use query::Query;
pub use verdict::{Verdict, Why};

/// Decides queries, or says why not.
pub trait Solver: Send {
    /// Its name in configuration, logs and reports, in kebab-case.
    fn name(&self) -> &'static str;

    /// The name of the solver that gave the last verdict: a group names its member.
    fn credit(&self) -> &'static str {
        self.name()
    }

    /// The members that took part in the last query, for solvers that consist of several.
    fn attempts(&self) -> &[Attempt] {
        &[]
    }

    /// Decides a query within a budget. The answer depends on query, budget and seed alone.
    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn credit(&self) -> &'static str {
        (**self).credit()
    }

    fn attempts(&self) -> &[Attempt] {
        (**self).attempts()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        (**self).solve(query, budget)
    }
}
