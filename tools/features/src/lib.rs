//! Nothing: this crate is there for the features in its manifest.
