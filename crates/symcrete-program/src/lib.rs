//! The program under test, and everything that is expressed in its ids.
//!
//! Sites name places in the original module, a [`Scalar`] is what the program itself sees, an
//! [`Input`] is what a user or a solver gives, an [`Image`] is what one run starts from, an [`Outcome`] is
//! how it ended, [`Coverage`] is which sides of which branches it took. A [`Program`] is a module with its
//! functions, types and source positions.
//!
//! **Invariant:** this crate knows neither Wasmtime nor any solver.

pub mod api;
pub mod bounds;
pub mod cfg;
mod conditions;
pub mod coverage;
pub mod data_model;
pub mod debug;
pub mod declaration;
pub mod fill;
pub mod frontend;
pub mod gap;
pub mod image;
pub mod input;
pub mod library;
pub mod lower;
pub mod module;
pub mod nan;
pub mod noted;
pub mod outcome;
pub mod program;
pub mod reason;
pub mod runtime;
pub mod scalar;
pub mod shape;
pub mod site;
pub mod suite;
pub mod types;
pub mod uninitialized;

pub use bounds::{Bounds, Sizes};
pub use coverage::Coverage;
pub use debug::{DebugError, ReadOptions, read_program};
pub use fill::{Fill, FillCell, FillCount, FillLength};
pub use frontend::{CallbackType, Class, Language, StubResult};
pub use gap::{Environment, Gap};
pub use image::{
    Argument, Arguments, BitsOf, Callee, Cell, CellKind, CellRange, Image, Inside, Other, Symbol,
    Tie, Write,
};
pub use input::Input;
pub use module::{Module, ModuleError, check_module};
pub use noted::{NotedArgument, NotedCall, NotedKind, NotedParam};
pub use outcome::{Outcome, Resource, Storage, Trap, TrapKind};
pub use program::{
    Branch, BranchKind, CallbackFunction, Constant, FileId, Global, Guarded, Param, Position,
    Program, SourceFile, Undefined, Unit, Uses, VariadicUse,
};
pub use reason::{End, OpenSide, Reason, Stop, TimeLimit};
pub use scalar::Scalar;
pub use shape::{Datum, Obstacle, Shape, ShapeOptions, Unsupported};
pub use site::{Edge, SiteId};
pub use suite::{Bug, Change, Drawn, Ended, GoalState, Spent, Suite, TestCase};
pub use types::{Field, Passed, Signature, Type, TypeId, TypeKind, Types};
