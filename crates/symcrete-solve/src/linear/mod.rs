//! Linear constraints: which literals are linear, points that satisfy them, and when none can.
//!
//! [`form`] brings terms to the normal form `Σ aᵢxᵢ + b`; [`polytope`] finds points; [`order`] proves
//! that there is none. Normal forms ignore wrap-around and rounding, so nothing here decides a query by
//! itself: points are checked by the evaluator, and proofs use comparisons without arithmetic only.

pub mod form;
pub mod order;
pub mod polytope;

pub use form::{Row, Rows};
pub use polytope::Polytope;
