//! SMT solvers as child processes that speak SMT-LIB 2.
//!
//! From the outside in: [`SmtGroup`] races several solvers on a query; [`SmtSolver`] is one of them;
//! [`IncrementalSolver`] keeps what consecutive queries share. Under them all is a [`Session`], an incremental
//! conversation in text that survives the death of its solver. [`Toolbox`] knows where solvers are installed,
//! [`Backend`] what is special about each. `process` and `spawn` start and watch programs, and alone do so;
//! `response` finds where an answer ends.
//!
//! **Invariant:** nothing in this module reads environment variables, and no child outlives this process.

mod backend;
mod group;
mod incremental;
mod process;
mod response;
mod session;
mod solver;
mod spawn;
mod toolbox;

pub use backend::{Backend, ParseBackendError};
pub use group::SmtGroup;
pub use incremental::{IncrementalSolver, Keeping};
pub use session::{Answer, Mode, Session};
pub use solver::SmtSolver;
pub use toolbox::{MissingSolver, Toolbox};
