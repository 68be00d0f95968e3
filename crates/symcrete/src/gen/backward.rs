//! Backward execution for `gen`: what forward exploration leaves open is tried from the other end.
//!
//! The unit is the only entry, with the shape of its inputs, its stubs and its environment: the question is the one that
//! forward exploration was asked. A proof counts if all that it assumes are gaps that only limit inputs. One that assumes
//! how often a loop is passed, how deep calls go, or that accesses stay in their objects says nothing of all inputs, and
//! the side stays open.

use super::Shared;
use crate::defaults;
use crate::failure::Failure;
use crate::reach::{self, Entries, Runner};
use crate::watchdog::Deadline;
use crate::wire;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use symcrete_explore::{Attempt, Backward, Effort};
use symcrete_program::{Edge, Gap, Shape};
use symcrete_reach::{Bound, Initial, Options, Parts, Pool, Reachability, Search, Target, View};
use symcrete_solve::{Cancel, Chain, ChainOptions, Setup, build_chain};
use symcrete_term::Seed;

/// Of the time of a function, forward exploration has all but one in so many parts for itself.
const SHARE: u32 = 4;
/// The least time for one side: less would not pay for the start of a solver.
const SIDE_LEAST: Duration = Duration::from_millis(250);
/// Of the time of a function, the part that may be spent on quick attempts.
const QUICK_SHARE: u32 = 20;
/// Path segments that are explored for one side.
const SEGMENTS: u64 = 500;
const QUICK_SEGMENTS: u64 = 24;

/// What backward execution needs of a program, whichever function it starts at.
pub(crate) struct Ground<'a> {
    view: View<'a>,
    initial: Arc<Initial>,
}

impl<'a> Ground<'a> {
    fn of(shared: &Shared<'a>) -> Result<Ground<'a>, Failure> {
        let view = reach::view(shared.program, &shared.config)?;
        let initial = Arc::new(reach::initial(shared.program, &view, &shared.executable)?);
        Ok(Ground { view, initial })
    }
}

/// When forward exploration that may take so long gives way.
pub(super) fn starts_after(time: Duration) -> Duration {
    time - time / SHARE
}

/// Backward execution to the start of one unit.
pub(super) struct UnitBackward<'s, 'a> {
    pub(super) shared: &'s Shared<'a>,
    pub(super) unit: usize,
    pub(super) shape: Shape,
    pub(super) seed: Seed,
    /// Ends it.
    pub(super) cancel: Cancel,
    /// Time since the unit's exploration started.
    pub(super) clock: &'s (dyn Fn() -> Duration + Sync),
    /// How much of its time is left for this.
    pub(super) time: Time,
    /// What is made when it is first needed: most units leave nothing open.
    pub(super) prepared: Option<Prepared<'s, 'a>>,
}

/// What the sides of a unit share.
pub(super) struct Prepared<'s, 'a> {
    ground: &'s Ground<'a>,
    entries: Entries,
    chain: Chain,
    /// The terms that the chain knows.
    pool: Pool,
}

/// The time that is kept for the sides of a unit.
pub(super) struct Time {
    /// When the unit's time is over.
    end: Duration,
    /// How much of it is left for each effort, quick and full.
    left: [Duration; 2],
}

impl Time {
    pub(super) fn of_unit(time: Duration) -> Time {
        Time { end: time, left: [time / QUICK_SHARE, time / SHARE] }
    }

    /// The time of the next side, given what has passed and how many sides are left.
    fn share(&self, effort: Effort, now: Duration, n_left: usize) -> Duration {
        let (left, most) = match effort {
            Effort::Quick => (self.left[0], SIDE_LEAST),
            Effort::Full => (self.left[1], Duration::MAX),
        };
        let left = left.min(self.end.saturating_sub(now));
        (left / n_left.max(1) as u32).clamp(SIDE_LEAST, most).min(left)
    }

    fn spend(&mut self, effort: Effort, time: Duration) {
        let left = match effort {
            Effort::Quick => &mut self.left[0],
            Effort::Full => &mut self.left[1],
        };
        *left = left.saturating_sub(time);
    }
}

impl Backward for UnitBackward<'_, '_> {
    fn attempt(&mut self, goal: Edge, effort: Effort, n_left: usize) -> Attempt {
        match self.search(goal, effort, n_left) {
            Ok(Reachability::Reached(reached)) => Attempt::Input(reached.input),
            Ok(Reachability::Unreachable(bounds)) => {
                gaps(&bounds).map_or(Attempt::Unknown, Attempt::Proved)
            }
            Ok(Reachability::Unknown(_)) => Attempt::Unknown,
            Err(failure) => {
                tracing::warn!(%failure, "backward execution failed");
                Attempt::Unknown
            }
        }
    }

    fn grown(&mut self, shape: &Shape) {
        self.shape = shape.clone();
        self.prepared = None;
    }
}

impl<'s, 'a> UnitBackward<'s, 'a> {
    fn search(
        &mut self,
        goal: Edge,
        effort: Effort,
        n_left: usize,
    ) -> Result<Reachability, Failure> {
        let shared = self.shared;
        let mut prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => self.prepare()?,
        };
        let share = self.time.share(effort, (self.clock)(), n_left);
        let started = (self.clock)();
        let cancel = self.cancel.child();
        let mut runner =
            Runner::new(shared.program, &prepared.entries, shared.args.fuel, cancel.clone());
        let _deadline = Deadline::start(share, cancel.clone(), runner.stop_flag());
        let target = Target::Side(goal);
        runner.aim(target.clone(), None);
        let parts = Parts {
            view: &prepared.ground.view,
            entries: &prepared.entries.all,
            initial: &prepared.ground.initial,
            solver: &mut prepared.chain,
            runs: &mut runner,
        };
        let pool = std::mem::take(&mut prepared.pool);
        let mut search = Search::new(parts, options(effort, cancel), pool);
        let (outcome, _) = search.reach(&target);
        let outcome = (outcome, search.is_local());
        prepared.pool = search.into_pool();
        runner.failure()?;
        let view = &prepared.ground.view;
        let outcome =
            reach::within_model(shared.program, view, (&prepared.entries, &target), outcome);
        self.time.spend(effort, (self.clock)().saturating_sub(started));
        self.prepared = Some(prepared);
        Ok(outcome)
    }

    fn prepare(&self) -> Result<Prepared<'s, 'a>, Failure> {
        let &UnitBackward { shared, unit, seed, .. } = self;
        let ground = match shared.ground.get() {
            Some(ground) => ground,
            None => {
                let made = Ground::of(shared)?;
                shared.ground.get_or_init(|| made)
            }
        };
        let toolbox = wire::toolbox();
        let setup = Setup { toolbox: &toolbox, seed: seed.derive("backward"), experience: None };
        let chain = build_chain(&setup, shared.args.solver, ChainOptions::default())?;
        let initial = Arc::clone(&ground.initial);
        let unit = (unit, &self.shape);
        let entries = Entries::of_unit(shared.program, &shared.executable, initial, unit);
        Ok(Prepared { ground, entries, chain, pool: Pool::default() })
    }
}

fn options(effort: Effort, cancel: Cancel) -> Options {
    Options {
        slicing: true,
        merging: true,
        back_jumping: true,
        lazy_callees: true,
        loop_methods: true,
        loop_bound: defaults::LOOP_BOUND,
        call_depth: defaults::CALL_DEPTH,
        segments: match effort {
            Effort::Quick => QUICK_SEGMENTS,
            Effort::Full => SEGMENTS,
        },
        steps: defaults::QUERY_STEPS,
        phase_two_steps: defaults::PHASE_TWO_STEPS,
        query_time: Duration::from_secs(defaults::QUERY_SECONDS),
        cancel,
    }
}

/// What a proof assumes of inputs; `None` if it assumes more than that.
fn gaps(bounds: &BTreeSet<Bound>) -> Option<BTreeSet<Gap>> {
    let gap = |bound: &Bound| match bound {
        Bound::Model(gap) => Some(*gap).filter(|gap| gap.is_bound()),
        Bound::LoopPasses(_) | Bound::CallDepth(_) | Bound::Objects => None,
    };
    bounds.iter().map(gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_share_the_time_that_is_left() {
        let seconds = Duration::from_secs;
        let mut time = Time::of_unit(seconds(80));
        assert_eq!(time.share(Effort::Quick, seconds(1), 1), SIDE_LEAST, "however few there are");
        assert_eq!(time.share(Effort::Full, seconds(60), 10), seconds(2));
        time.spend(Effort::Full, seconds(10));
        assert_eq!(time.share(Effort::Full, seconds(70), 5), seconds(2));
        assert_eq!(time.share(Effort::Full, seconds(79), 1), seconds(1), "the end is near");
        assert_eq!(time.share(Effort::Full, seconds(90), 1), Duration::ZERO);
    }

    #[test]
    fn only_what_limits_inputs_limits_a_claim() {
        let of = |bounds: &[Bound]| gaps(&bounds.iter().copied().collect());
        assert_eq!(of(&[]), Some(BTreeSet::new()));
        let length = Bound::Model(Gap::Length);
        assert_eq!(of(&[length]), Some(BTreeSet::from([Gap::Length])));
        let more = [
            Bound::LoopPasses(10),
            Bound::CallDepth(8),
            Bound::Objects,
            Bound::Model(Gap::OutOfObject),
        ];
        for bound in more {
            assert_eq!(of(&[length, bound]), None, "{bound}");
        }
    }
}
