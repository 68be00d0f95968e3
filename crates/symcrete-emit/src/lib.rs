//! Renders a suite: tests, coverage, reports.
//!
//! Everything here is a pure function from a program and its tests to files in memory; the binary writes them.
//!
//! **Invariant:** this crate accesses neither files nor processes, and does not know how tests were found.

mod callbacks;
mod checks;
mod drawn;
mod environment;
mod fills;
mod framework;
mod headers;
mod initial;
mod layout;
mod library;
mod list;
mod literal;
mod macros;
mod noting;
mod objects;
mod sources;
mod stubs;
mod words;

pub mod allocation;
pub mod bugs;
pub mod c_test;
pub mod corpus;
pub mod errors;
pub mod failures;
pub mod flags;
pub mod harness;
pub mod json;
pub mod lcov;
pub mod native;
pub mod outputs;
pub mod replaced;
pub mod suite;
pub mod testcomp;
pub mod verifiers;

pub use framework::Framework;
pub use sources::other_sources;

use std::path::PathBuf;

/// A file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artifact {
    /// Where, relative to the output folder.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Artifact {
    /// A file of text.
    pub fn text(path: impl Into<PathBuf>, text: String) -> Artifact {
        Artifact { path: path.into(), bytes: text.into_bytes() }
    }
}

/// Settings of the files besides the tests.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct EmitOptions {
    /// The framework that tests are written for.
    pub framework: Framework,
    /// The path from the folder of the tests to the root of source paths; empty if those are absolute.
    pub root: PathBuf,
    /// Flags that the sources need: `-I`, `-D`; their paths have the same root.
    pub flags: Vec<String>,
}
