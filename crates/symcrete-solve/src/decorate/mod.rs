//! Solvers around solvers. Each wraps one concern; the order is chosen where they are stacked.

pub mod checked;

pub use checked::Checked;
