//! What can keep a program from being run at all. How a run ends is an outcome, not an error.

/// The world failed, or the caller asked for something that is not there.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExecError {
    /// The module is not WebAssembly.
    #[error("invalid module: {message} (at offset {offset:#x})")]
    Invalid {
        /// What is wrong.
        message: String,
        /// Where in the module.
        offset: usize,
    },
    /// The module is WebAssembly, but uses what we do not run.
    #[error("unsupported: {feature} ({place}, at offset {offset:#x})")]
    Unsupported {
        /// The feature.
        feature: String,
        /// The function, or the part of the module.
        place: String,
        /// Where in the module.
        offset: usize,
    },
    /// The module needs more than the limits allow, before it has run.
    #[error("the module needs {needs}, the limit is {limit}")]
    TooLarge {
        /// What it needs.
        needs: String,
        /// What it may have.
        limit: String,
    },
    /// The module declares more than anything here handles.
    #[error(transparent)]
    Refused(symcrete_program::ModuleError),
    /// An imported global, of which nobody knows the value.
    #[error("no value for the imported global {module}.{name}")]
    MissingGlobal {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
    },
    /// The entry is not there.
    #[error("the module exports no function {name}")]
    MissingExport {
        /// The function that was asked for.
        name: String,
    },
    /// The arguments do not fit the entry.
    #[error("{name} takes ({expected}), not ({given})")]
    WrongArguments {
        /// The function.
        name: String,
        /// Its parameter types.
        expected: String,
        /// The types of the arguments.
        given: String,
    },
    /// A cell lies outside the program's memory.
    #[error("a cell of {length} bytes at {address:#x} lies outside memory")]
    CellOutOfBounds {
        /// Its address.
        address: u32,
        /// Its length.
        length: u32,
    },
    /// A cell of an image that means nothing.
    #[error("the cell {name} {why}")]
    InvalidCell {
        /// The variable's name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A function that was asked for by name or index.
    #[error("the module has no function {name}")]
    MissingFunction {
        /// The function that was asked for.
        name: String,
    },
    /// A function that cannot be executed apart.
    #[error("{name} takes or returns more than numbers, so it cannot be opaque")]
    NotScalar {
        /// The function.
        name: String,
    },
    /// Wasmtime refused: too little memory for another instance, or a fault of ours.
    #[error("wasmtime: {0}")]
    Runtime(String),
}
