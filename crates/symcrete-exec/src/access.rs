//! Loads and stores, as the host knows them: by their place in the table of all forms.

pub(crate) use symcrete_program::module::{Access, AccessForm as Shape, Widening};

/// Every load and store.
pub(crate) const SHAPES: &[Shape] = Shape::ALL;
