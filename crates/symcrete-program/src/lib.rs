//! The program under test, and all that is said in its ids.
//!
//! Sites name places in the original module, a [`Scalar`] is what the program itself sees, an
//! [`Input`] is what one run is given, an [`Outcome`] is how it ended, [`Coverage`] is which sides of
//! which branches it took.
//!
//! **Invariant:** this crate knows neither Wasmtime nor any solver.

pub mod coverage;
pub mod input;
pub mod outcome;
pub mod scalar;
pub mod site;

pub use coverage::Coverage;
pub use input::{Buffer, Input};
pub use outcome::{Outcome, Resource, Trap, TrapKind};
pub use scalar::Scalar;
pub use site::{Edge, SiteId};
