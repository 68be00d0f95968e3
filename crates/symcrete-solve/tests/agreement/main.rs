//! The evaluator, the printer and the rewrites against real SMT solvers, over all of `Op::ALL`.

#[path = "../support/mod.rs"]
mod support;

mod operators;
mod proofs;
mod prove;
mod rewrites;
mod rows;
mod tables;
