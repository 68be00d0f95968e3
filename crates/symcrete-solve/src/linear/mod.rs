//! Linear constraints: which literals are linear, points that satisfy them, and when none can.
//!
//! `form` brings terms to the normal form `Σ aᵢxᵢ + b`; `polytope` finds points. These ignore wrap-around and
//! rounding, so they decide nothing: points are checked by the evaluator. [`order`] and [`proof`] prove
//! that there is no model, both of machine numbers: the first from comparisons without arithmetic, the
//! second from exact linear arithmetic in which every wrap-around is accounted for.

mod encode;
pub(crate) mod form;
pub mod order;
mod polytope;
pub mod proof;
mod ratio;
pub(crate) mod simplex;

pub(crate) use form::Rows;
pub(crate) use polytope::Polytope;
