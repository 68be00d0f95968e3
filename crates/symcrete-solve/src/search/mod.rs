//! What all search solvers share: a query seen as errors to be brought to zero.
//!
//! [`skeleton`] splits literals into comparisons and the boolean connectives above them; [`mod@unit`]
//! evaluates the compared terms, on a tape at first and as machine code once that pays; [`objective`]
//! keeps the errors of all literals and evaluates again only those that a move touches; [`domain`]
//! says what a move of a variable is, [`mod@normal`] draws steps.

pub mod domain;
pub mod normal;
pub mod objective;
pub mod skeleton;
pub mod unit;

pub use objective::Objective;

#[cfg(test)]
mod tests;
