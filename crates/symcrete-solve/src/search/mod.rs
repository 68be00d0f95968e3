//! What all search solvers share: a query seen as errors to be brought to zero.
//!
//! [`skeleton`] splits literals into comparisons and the boolean connectives above them; [`literal_group`]
//! evaluates the compared terms, on a tape at first and as machine code once that pays; [`objective`]
//! keeps the errors of all literals and evaluates again only those that a move touches; [`domain`]
//! says what a move of a variable is, [`mod@normal`] draws steps.

pub(crate) mod domain;
pub(crate) mod literal_group;
pub(crate) mod normal;
pub(crate) mod objective;
pub(crate) mod skeleton;

pub(crate) use objective::Objective;

#[cfg(test)]
mod tests;
