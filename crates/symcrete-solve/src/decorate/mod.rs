//! Solvers around solvers. Each wraps one concern, counts what it saved and can be left out; the
//! order is chosen where they are stacked ([`chain`](crate::chain)).

mod arena;
pub mod burst;
pub mod cached;
pub mod checked;
pub mod cores;
pub mod counted;
mod counters;
pub mod logged;
pub mod memory;
pub mod partial;
pub mod refuted;
pub mod sliced;
mod support;
pub mod tiny;
mod unsat_sets;

pub use burst::{Burst, BurstCounters, BurstStats};
pub use cached::{Cached, CachedCounters, CachedStats};
pub use checked::Checked;
pub use cores::{Cores, CoresCounters, CoresOptions, CoresStats};
pub use counted::{CallCounters, CallStats, Clock, Counted};
pub use logged::{LogSink, Logged};
pub use memory::Memory;
pub use partial::{Partial, PartialCounters, PartialOptions, PartialStats};
pub use refuted::{Refuted, RefutedCounters, RefutedStats};
pub use sliced::{Slice, Sliced, SlicedCounters, SlicedStats, Slicer};
pub use tiny::{Tiny, TinyCounters, TinyStats};
