//! The explorer: choose a branch, solve, run, remember.
//!
//! One explorer works on one unit. It starts from an input, records its path in the tree, and then flips one branch
//! after another until all goals are reached, nothing is left to flip, or a limit is met. Each step has a file:
//! `solving.rs`, `running.rs`, `keeping.rs`, `bursting.rs`, `proving.rs`; strategies choose.

use crate::bursts::Bursts;
use crate::goals::Goals;
use crate::strategy::{News, Strategy, View};
use crate::tree::Flip;
use bursting::Schedule;
use fuel::Fuel;
use growing::Progress;
use nan_bits::NanBits;
use round::Round;
use solving::BATCH_LENGTH;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use symcrete_exec::{ExecError, Executor};
use symcrete_program::shape::Learnt;
use symcrete_program::{
    Bounds, Coverage, Edge, Ended, Gap, GoalState, Input, Program, Shape, SiteId, TestCase,
    TimeLimit,
};
use symcrete_solve::{BatchSolver, Cancel, Solver, Why};
use symcrete_term::Terms;

mod backward;
mod bursting;
pub(crate) mod changes;
mod fuel;
mod growing;
pub(crate) mod keeping;
mod learning;
mod limits;
mod long;
mod nan_bits;
mod proof;
mod proving;
mod reasons;
mod round;
mod running;
mod solving;
mod spare;

pub use backward::{Attempt, Backward, BackwardStats, Effort};
pub use growing::Growth;

/// Limits of the work.
pub struct Limits<'a> {
    /// Runs on inputs from a solver.
    pub iterations: u64,
    /// Sites that one run may pass.
    pub fuel: u64,
    /// Steps of one query.
    pub steps: u64,
    /// Branches further down a path than this are not flipped.
    pub depth: u32,
    /// The safety net of one query.
    pub query_time: Duration,
    /// Ends everything early.
    pub cancel: Cancel,
    /// Which time limit ends the search.
    pub time_limit: TimeLimit,
    /// Time since the start.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// The latest time at which open sides are tried backward.
    pub backward_after: Duration,
    /// Whether pointers that the program dereferences without a check may be null.
    pub null_pointers: bool,
    /// Whether a decision by an uninitialised value is a failure.
    pub uninitialized: bool,
    /// Keep a test for every path, not only for those that cover something new.
    pub keep_all: bool,
}

/// What exploration counted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Runs, the first one included.
    pub executions: u64,
    /// Fast runs in bursts.
    pub burst_runs: u64,
    /// Time in them.
    pub burst_time: Duration,
    /// Inputs that bursts found.
    pub burst_finds: u64,
    /// Inputs that batches found for what the solver left undecided.
    pub batch_finds: u64,
    /// What backward execution did.
    pub backward: BackwardStats,
    /// Runs that went elsewhere than predicted.
    pub divergences: u64,
    /// Whether every path that inputs within the bounds can take was run.
    pub is_complete: bool,
    /// Flips that were passed to the solver.
    pub queries: u64,
    /// Literals of these queries, before slicing.
    pub literals: u64,
    /// Time in the solver.
    pub solver_time: Duration,
    /// Time in runs, without evaluating them.
    pub run_time: Duration,
    /// Sites passed by runs.
    pub run_sites: u64,
    /// Runs whose conditions differed from an earlier run with the same answers.
    pub inconsistencies: u64,
    /// Runs that were cut off.
    pub exhausted: u64,
    /// Those of them that passed more sites than one run may.
    pub out_of_fuel: u64,
    /// Those of them that were stopped because the time limit was reached, or the user interrupted.
    pub out_of_time: u64,
    /// Runs that did something that cannot be followed.
    pub not_followed: u64,
    /// Runs that an assumption rejected.
    pub rejected: u64,
    /// Runs whose path depended on an uninitialised value.
    pub uninitialized: u64,
    /// Runs whose path depended on the bits of a NaN that they computed.
    pub nan_bits: u64,
    /// Runs in which pointers share an object, and that failed or did not end.
    pub shared: u64,
    /// For each time something new was covered: time, runs, goals covered.
    pub timeline: Vec<(Duration, u64, usize)>,
}

impl Stats {
    /// The counts of a search and of the one before it, which took so long.
    #[must_use]
    pub fn after(self, earlier: Stats, time: Duration) -> Stats {
        let (runs, backward) = (earlier.executions, earlier.backward);
        let later = self.timeline.into_iter();
        let later = later.map(|(at, n_runs, n_covered)| (time + at, runs + n_runs, n_covered));
        Stats {
            executions: runs + self.executions,
            burst_runs: earlier.burst_runs + self.burst_runs,
            burst_time: earlier.burst_time + self.burst_time,
            burst_finds: earlier.burst_finds + self.burst_finds,
            batch_finds: earlier.batch_finds + self.batch_finds,
            backward: BackwardStats {
                tried: backward.tried + self.backward.tried,
                covered: backward.covered + self.backward.covered,
                proved: backward.proved + self.backward.proved,
            },
            divergences: earlier.divergences + self.divergences,
            is_complete: self.is_complete,
            queries: earlier.queries + self.queries,
            literals: earlier.literals + self.literals,
            solver_time: earlier.solver_time + self.solver_time,
            run_time: earlier.run_time + self.run_time,
            run_sites: earlier.run_sites + self.run_sites,
            inconsistencies: earlier.inconsistencies + self.inconsistencies,
            exhausted: earlier.exhausted + self.exhausted,
            out_of_fuel: earlier.out_of_fuel + self.out_of_fuel,
            out_of_time: earlier.out_of_time + self.out_of_time,
            not_followed: earlier.not_followed + self.not_followed,
            rejected: earlier.rejected + self.rejected,
            uninitialized: earlier.uninitialized + self.uninitialized,
            nan_bits: earlier.nan_bits + self.nan_bits,
            shared: earlier.shared + self.shared,
            timeline: earlier.timeline.into_iter().chain(later).collect(),
        }
    }
}

/// What exploration found.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The shape of the inputs of the tests.
    pub shape: Shape,
    /// Tests in order of discovery.
    pub tests: Vec<TestCase>,
    /// Runs that covered nothing new, but much at once: a smaller suite may need them.
    pub spare: Vec<TestCase>,
    /// What became of each goal.
    pub goals: BTreeMap<Edge, GoalState>,
    /// The coverage of all tests.
    pub coverage: Coverage,
    /// Where conditions depended on uninitialised values.
    pub uninitialized: BTreeSet<SiteId>,
    /// Counts.
    pub stats: Stats,
    /// Whether every path was run or proved infeasible.
    pub is_exhaustive: bool,
    /// Why exploration ended.
    pub ended: Ended,
}

impl Explored {
    /// The state of a search that has not begun.
    fn nothing(shape: Shape) -> Explored {
        Explored {
            shape,
            tests: Vec::new(),
            spare: Vec::new(),
            goals: BTreeMap::new(),
            coverage: Coverage::default(),
            uninitialized: BTreeSet::new(),
            stats: Stats::default(),
            is_exhaustive: false,
            ended: Ended::NothingLeft,
        }
    }
}

/// Receives goals that are proved infeasible.
type OnInfeasible<'a> = dyn FnMut(&[(Edge, Bounds)]) + 'a;

/// The parts an explorer works with.
pub struct Parts<'a> {
    /// The program.
    pub program: &'a Program,
    /// The input of the unit.
    pub shape: &'a Shape,
    /// How the input may grow.
    pub growth: Growth<'a>,
    /// The goals.
    pub goals: Goals,
    /// Gaps of the model that every run meets.
    pub gaps: Vec<Gap>,
    /// Runs the unit.
    pub executor: &'a mut dyn Executor,
    /// Decides queries.
    pub solver: &'a mut dyn Solver,
    /// Creates the strategy.
    pub strategy: &'a dyn Fn() -> Box<dyn Strategy>,
    /// Searches before and between solver calls.
    pub bursts: Option<Bursts<'a>>,
    /// Tries undecided queries, many at once.
    pub batch: Option<&'a mut BatchSolver>,
    /// Tries sides that forward exploration leaves open.
    pub backward: Option<&'a mut dyn Backward>,
    /// The distance from each edge to the nearest of these goals, in branches.
    pub distances: &'a dyn Fn(&BTreeSet<Edge>) -> BTreeMap<Edge, u32>,
    /// The edges that can be taken after one of these, themselves included.
    pub reachable: &'a dyn Fn(&BTreeSet<Edge>) -> BTreeSet<Edge>,
    /// Receives each test when it is found.
    pub on_test: &'a mut dyn FnMut(&TestCase),
    /// Receives goals when they are proved infeasible, with the bounds of the proof.
    pub on_infeasible: &'a mut OnInfeasible<'a>,
    /// Receives progress.
    pub on_progress: &'a mut dyn FnMut(&Stats, usize, usize),
}

/// Explores one unit.
pub struct Explorer<'a> {
    parts: Parts<'a>,
    limits: &'a Limits<'a>,
    terms: Terms,
    /// The state for inputs of the current size.
    round: Round,
    distances: BTreeMap<Edge, u32>,
    explored: Explored,
    /// Sides that only rejected runs took.
    uncounted: Coverage,
    /// Whether long inputs were tried for failures.
    has_tried_long_inputs: bool,
    /// What of that runs took whose path depended on an uninitialised value.
    unpredictable: Coverage,
    nan_bits: NanBits,
    fuel: Fuel,
    /// How far inputs have grown.
    growth: Progress,
    /// What runs have shown about lengths and is not used yet.
    evidence: Option<Learnt>,
    tried_lengths: learning::Tried,
    /// Whether runs repeat those of an earlier round: they are not reported.
    is_repeating: bool,
    /// How open sides are tried backward next; `None` if not any more.
    backward_effort: Option<Effort>,
    /// When the next burst is due.
    schedule: Schedule,
    /// Queries about failures that ended undecided since one found an input, with nothing left to cover.
    guards_in_vain: u32,
    /// Queries before the next search for infeasible goals.
    next_proof: u64,
}

/// Queries before the first search for infeasible goals.
const PROOF_PERIOD: u64 = 8;

impl<'a> Explorer<'a> {
    /// An explorer before its first run.
    pub fn new(parts: Parts<'a>, limits: &'a Limits<'a>) -> Explorer<'a> {
        let distances = (parts.distances)(parts.goals.wanted());
        let mut terms = Terms::new();
        let strategy = (parts.strategy)();
        let round = Round::new(parts.shape.clone(), &mut terms, strategy, &parts.gaps);
        Explorer {
            backward_effort: parts.backward.as_ref().map(|_| Effort::Quick),
            explored: Explored::nothing(parts.shape.clone()),
            parts,
            limits,
            terms,
            round,
            nan_bits: NanBits::default(),
            fuel: Fuel::default(),
            distances,
            uncounted: Coverage::default(),
            has_tried_long_inputs: false,
            unpredictable: Coverage::default(),
            growth: Progress::new(),
            evidence: None,
            tried_lengths: learning::Tried::new(),
            is_repeating: false,
            schedule: Schedule::new(),
            guards_in_vain: 0,
            next_proof: PROOF_PERIOD,
        }
    }

    /// Runs an input and everything that can be reached from it.
    pub fn explore(mut self, first: &[Input]) -> Result<Explored, ExecError> {
        self.run_all(first)?;
        self.warm_up()?;
        self.burst()?;
        let ended = self.turn_branches()?;
        Ok(self.finish(ended))
    }

    fn turn_branches(&mut self) -> Result<Ended, ExecError> {
        loop {
            if let Err(why) = self.limits.cancel.check() {
                let is_time = why == Why::OutOfTime;
                return Ok(if is_time { Ended::Time } else { Ended::Interrupted });
            }
            self.use_evidence()?;
            if let Some(effort) = self.backward_due() {
                self.try_backward(effort)?;
            }
            if self.explored.stats.executions > self.limits.iterations {
                let had_goals = !self.parts.goals.uncovered().is_empty();
                self.try_backward(Effort::Full)?;
                return Ok(if had_goals {
                    self.ended_or(Ended::Iterations)
                } else {
                    Ended::Iterations
                });
            }
            if self.schedule.is_due() {
                self.burst()?;
            }
            if self.explored.stats.queries >= self.next_proof {
                self.prove();
            }
            if self.round.undecided.len() >= BATCH_LENGTH {
                self.batch()?;
            }
            if self.is_growth_due() && !self.grow_for_a_trial()? && !self.parts.goals.has_unproved()
            {
                if self.try_long_inputs()? {
                    continue;
                }
                return Ok(Ended::Covered);
            }
            let Some(flip) = self.pick() else {
                if !self.round.undecided.is_empty() && !self.parts.goals.uncovered().is_empty() {
                    self.batch()?;
                    continue;
                }
                if self.last_burst()?
                    || self.grow_for_good()?
                    || self.try_backward(Effort::Full)?
                    || self.try_long_inputs()?
                {
                    continue;
                }
                return Ok(self.ended_or(Ended::NothingLeft));
            };
            if let Some(input) = self.solve(flip) {
                self.run(&input, Some(flip))?;
            }
        }
    }

    /// Why exploration ended, given the reason that applies if goals remain.
    fn ended_or(&self, otherwise: Ended) -> Ended {
        if self.parts.goals.has_unproved() { otherwise } else { Ended::Covered }
    }

    fn pick(&mut self) -> Option<Flip> {
        let view =
            View { tree: &self.round.tree, goals: &self.parts.goals, distances: &self.distances };
        self.round.strategy.pick(view).or_else(|| {
            let opened = std::mem::take(&mut self.round.uncertain);
            self.round.strategy.add(view, News { opened: &opened, n_covered: 0 });
            self.round.strategy.pick(view)
        })
    }
}
