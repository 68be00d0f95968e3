//! Runs an input of a WebAssembly program and records what was symbolic.
//!
//! [`Engine::new`] rewrites a module so that it carries shadows along, and compiles it once. An
//! [`Executor`] runs one exported function of it on inputs; the result is a [`Trace`]. Engines are
//! shared between threads, executors are one per thread.
//!
//! **Invariant:** what a trace says is exactly what the program did: every constraint holds on the
//! input that was run, and the term of each result evaluates to that result.
//!
//! **Invariant:** this crate knows neither solvers nor strategies, and reads neither files nor clocks.

mod access;
mod accesses;
mod addresses;
mod cell;
pub mod code_cache;
pub mod config;
mod draw;
mod encode;
pub mod engine;
pub mod error;
mod executed;
pub mod executor;
pub mod fast;
mod fill;
mod freeing;
mod host;
mod imports;
mod instrument;
pub mod limits;
mod lower;
mod margins;
mod memory;
mod module;
mod noting;
mod pointers;
mod poison;
pub mod process;
mod recording;
mod red_zones;
mod rounding;
mod stored_pointers;
mod tags;
mod ties;
pub mod trace;
mod uninitialized;
mod unwritten;
mod wasm_op;
mod window;

pub use code_cache::CodeCache;
pub use config::{Config, EndKind, ImportAction, MemoryEvent};
pub use engine::{Engine, Executable};
pub use error::ExecError;
pub use executor::{Entry, Executor, ModuleExecutor};
pub use limits::Limits;
pub use margins::Margin;
pub use process::{Called, Process};
pub use trace::{Constraint, Met, Origin, PathCondition, Trace, Unknown};
