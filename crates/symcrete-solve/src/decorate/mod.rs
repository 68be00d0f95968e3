//! Solvers around solvers. Each wraps one concern, counts what it saved and can be left out; the
//! order is chosen where they are stacked ([`chain`](crate::chain)).

mod arena;
mod cached;
mod checked;
mod cores;
mod counted;
mod counters;
mod guessed;
mod logged;
mod memory;
mod partial;
mod refuted;
mod sliced;
mod support;
mod tiny;
mod unsat_sets;

pub use cached::CachedStats;
pub use checked::Checked;
pub use cores::CoresStats;
pub use counted::{CallStats, Clock};
pub use guessed::GuessedStats;
pub use logged::LogSink;
pub use partial::PartialStats;
pub use refuted::RefutedStats;
pub use sliced::SlicedStats;
pub use tiny::TinyStats;

pub(crate) use cached::{Cached, CachedCounters};
pub(crate) use cores::{Cores, CoresCounters, CoresOptions};
pub(crate) use counted::{CallCounters, Counted};
pub(crate) use guessed::{Guessed, GuessedCounters};
pub(crate) use logged::Logged;
pub(crate) use memory::Memory;
pub(crate) use partial::{Partial, PartialCounters, PartialOptions};
pub(crate) use refuted::{Refuted, RefutedCounters};
pub(crate) use sliced::{Sliced, SlicedCounters, Slicer};
pub(crate) use tiny::{Tiny, TinyCounters};
