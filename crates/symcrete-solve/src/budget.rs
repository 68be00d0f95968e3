//! How much a solver may do.
//!
//! The measure is steps, which are reproducible: an evaluation of the query for search solvers, the
//! solver's own resource unit for SMT. The clock and memory are safety nets, kept by a [`Cancel`] flag
//! that a watchdog sets and by limits on child processes.

use crate::verdict::Why;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Steps for one query, with the safety nets.
#[derive(Clone, Debug)]
pub struct Budget {
    steps_max: u64,
    steps_used: u64,
    cancel: Cancel,
    /// Wall-clock limit of one query to a child process.
    pub wall_max: Duration,
    /// Memory limit of one child process.
    pub memory_max_bytes: u64,
    /// Only what costs microseconds is tried: no process is started, no long search. Chains heed it.
    pub is_quick: bool,
}

/// Steps that no query is meant to reach.
pub const STEPS_UNLIMITED: u64 = u64::MAX;

impl Budget {
    /// A budget of steps with the default safety nets: 60 seconds and 4 GiB per child process.
    pub fn of_steps(steps_max: u64) -> Budget {
        Budget {
            steps_max,
            steps_used: 0,
            cancel: Cancel::new(),
            wall_max: Duration::from_secs(60),
            memory_max_bytes: 4 << 30,
            is_quick: false,
        }
    }

    /// The same budget under another cancel flag.
    #[must_use]
    pub fn with_cancel(self, cancel: Cancel) -> Budget {
        Budget { cancel, ..self }
    }

    /// The rest of this budget, for a part of the work that runs under its own flag.
    pub fn fork(&self, cancel: Cancel) -> Budget {
        Budget { steps_max: self.steps_left(), steps_used: 0, cancel, ..self.clone() }
    }

    /// The same budget with no more than so many steps left.
    #[must_use]
    pub fn at_most(self, steps: u64) -> Budget {
        let steps_max = self.steps_max.min(self.steps_used.saturating_add(steps));
        Budget { steps_max, ..self }
    }

    /// Uses steps. `Err` says why the solver has to stop now.
    #[inline]
    pub fn charge(&mut self, steps: u64) -> Result<(), Why> {
        self.steps_used = self.steps_used.saturating_add(steps);
        if self.steps_used > self.steps_max {
            return Err(Why::OutOfSteps);
        }
        self.cancel.check()
    }

    /// Steps used so far.
    pub fn steps_used(&self) -> u64 {
        self.steps_used
    }

    /// The remaining steps; a budget without limit always has as many.
    pub fn steps_left(&self) -> u64 {
        if self.steps_max == STEPS_UNLIMITED {
            return STEPS_UNLIMITED;
        }
        self.steps_max.saturating_sub(self.steps_used)
    }

    /// The flag that ends the work early.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

/// A flag that ends work early, with the reason. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    state: Arc<AtomicU8>,
    parent: Option<Arc<Cancel>>,
}

const RUNNING: u8 = 0;
const INTERRUPTED: u8 = 1;
const OUT_OF_TIME: u8 = 2;

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// A flag that is set when this one is, and can be set alone.
    #[must_use]
    pub fn child(&self) -> Cancel {
        Cancel { state: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Asks the work to stop: the answer is not wanted any more.
    pub fn interrupt(&self) {
        self.set(INTERRUPTED);
    }

    /// Asks the work to stop: the time limit is reached.
    pub fn time_is_up(&self) {
        self.set(OUT_OF_TIME);
    }

    /// The first reason stands.
    fn set(&self, reason: u8) {
        let _ = self.state.compare_exchange(RUNNING, reason, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `Err` with the reason, once the flag is set.
    #[inline]
    pub fn check(&self) -> Result<(), Why> {
        match self.state.load(Ordering::Relaxed) {
            RUNNING => self.parent.as_ref().map_or(Ok(()), |parent| parent.check()),
            OUT_OF_TIME => Err(Why::OutOfTime),
            _ => Err(Why::Interrupted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_run_out_exactly() {
        let mut budget = Budget::of_steps(3);
        assert_eq!((0..3).map(|_| budget.charge(1)).collect::<Vec<_>>(), vec![Ok(()); 3]);
        assert_eq!(budget.charge(1), Err(Why::OutOfSteps));
    }

    #[test]
    fn a_child_flag_follows_its_parent_only() {
        let parent = Cancel::new();
        let (one, two) = (parent.child(), parent.child());
        one.interrupt();
        assert_eq!((one.check(), two.check()), (Err(Why::Interrupted), Ok(())));
        parent.time_is_up();
        assert_eq!(two.check(), Err(Why::OutOfTime));
        assert_eq!(one.check(), Err(Why::Interrupted));
    }
}
