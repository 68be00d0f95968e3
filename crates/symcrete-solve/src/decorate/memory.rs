//! What a chain of solvers remembers of earlier queries: inputs that may fit again, and contradictions.
//!
//! Clones share it, so that whoever proves a contradiction or runs an input can add it. It belongs to one arena of terms.
//! A remembered model is only ever a candidate; a remembered contradiction is believed, so only what was
//! proved may be added.

use super::unsat_sets::UnsatSets;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use symcrete_term::{Literal, Valuation};

/// A shared memory. See the module.
#[derive(Clone)]
pub(crate) struct Memory {
    store: Arc<Mutex<Store>>,
}

struct Store {
    inputs: VecDeque<Arc<Valuation>>,
    n_inputs_max: usize,
    unsat: UnsatSets,
}

impl Memory {
    /// Remembers so many inputs and sets of contradicting literals, the latest ones.
    pub(crate) fn new(n_inputs_max: usize, n_unsat_max: usize) -> Memory {
        let inputs = VecDeque::new();
        let store = Store { inputs, n_inputs_max, unsat: UnsatSets::new(n_unsat_max) };
        Memory { store: Arc::new(Mutex::new(store)) }
    }

    /// Adds an input or a model. One that is there already becomes the latest.
    pub(crate) fn add_input(&self, input: Valuation) {
        let mut store = self.lock();
        store.inputs.retain(|known| **known != input);
        store.inputs.push_front(Arc::new(input));
        let n_inputs_max = store.n_inputs_max;
        store.inputs.truncate(n_inputs_max);
    }

    /// The inputs, the latest first.
    pub(crate) fn inputs(&self) -> Vec<Arc<Valuation>> {
        self.lock().inputs.iter().cloned().collect()
    }

    /// Adds literals that were *proved* to contradict each other. Says whether that is news.
    pub(crate) fn add_unsat(&self, literals: &[Literal]) -> bool {
        self.lock().unsat.add(literals)
    }

    /// Whether the last of these literals is known to contradict others of them.
    pub(crate) fn is_unsat(&self, literals: &[Literal]) -> bool {
        literals.last().is_some_and(|&target| self.lock().unsat.contradict(literals, target))
    }

    /// No operation leaves the store half done, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
