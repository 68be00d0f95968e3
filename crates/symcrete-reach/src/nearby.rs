//! What the conditions just before a target say of it.
//!
//! `if (is_hex(c)) … c <= 'f' ? … : …`: whether a side can be taken is often decided by the conditions around it, and a search that slices
//! passes them by: they change nothing that the state is about. In a loop it then goes back pass by pass for ever. So every search
//! begins with a short walk that leaves nothing out.

use crate::reachability::{Bound, Reachability};
use crate::search::Search;
use crate::target::{Place, Target};
use symcrete_program::cfg::{Kind, MemoryUse};

/// Path segments of this walk.
const SEGMENTS: u64 = 128;

impl Search<'_, '_> {
    /// What is certain after a short walk without slicing.
    pub(crate) fn look_around(
        &mut self,
        target: &Target,
        places: &[Place],
    ) -> Option<Reachability> {
        if !self.options.slicing {
            return None;
        }
        let options = self.options.clone();
        self.options.slicing = false;
        self.options.segments = options.segments.min(SEGMENTS);
        let outcome = self.round(target, places, 1);
        self.options = options;
        let is_cut = self.bounds.iter().any(|bound| matches!(bound, Bound::LoopPasses(_)));
        let is_certain = match outcome {
            Reachability::Reached(_) => true,
            Reachability::Unreachable(_) => !is_cut,
            Reachability::Unknown(_) => false,
        };
        is_certain.then_some(outcome)
    }

    /// Notes that a way passes an instruction.
    pub(crate) fn note_effects(&mut self, kind: &Kind) {
        let writes = match kind.memory() {
            MemoryUse::Untouched | MemoryUse::Loaded => false,
            MemoryUse::Stored | MemoryUse::Bulk | MemoryUse::Grown => true,
        };
        self.is_local &= !writes && !kind.is_call();
    }

    /// Whether the last answer is about reads and conditions alone: between those that contradict each other nothing is written, nothing is
    /// called, and what memory holds does not matter. Reads that leave their object spoil no such proof. Writes do, also those long before:
    /// what is a constant here may be a variable that they change.
    pub fn is_local(&self) -> bool {
        self.is_local
    }
}
