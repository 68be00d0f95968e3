//! The concolic driver: choose a branch, solve, run, remember.
//!
//! One driver explores one unit. It starts from an input, records its path in the tree, and then turns one
//! branch after another until all goals are reached, nothing is left to turn, or a limit is met.

use crate::bursts::{Aim, Bursts};
use crate::goals::{GoalState, Goals};
use crate::model;
use crate::strategy::{News, Strategy, View};
use crate::tree::{Flip, FlipState, Grown, Tree};
use limits::Limit;
use nan_bits::NanBits;
use proof::{Claim, Left};
use spare::Spare;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use symcrete_exec::{ExecError, Executor, Met, Origin, Trace};
use symcrete_program::{
    BranchKind, Coverage, Edge, Gap, Input, Outcome, Program, Resource, Shape, SiteId, TestCase,
    TrapKind, uninitialized,
};
use symcrete_solve::{BatchSolver, Budget, Cancel, Query, Solver, Verdict, Why};
use symcrete_term::{Literal, Node, Terms};

pub(crate) mod changes;
mod limits;
mod nan_bits;
mod proof;
mod reasons;
mod spare;

/// How much may be done.
pub struct Limits<'a> {
    /// Runs of inputs that a solver gave.
    pub iterations: u64,
    /// Sites that one run may pass.
    pub fuel: u64,
    /// Steps of one query.
    pub steps: u64,
    /// Branches further down a path than this are not turned.
    pub depth: u32,
    /// The safety net of one query.
    pub query_time: Duration,
    /// Ends everything early.
    pub cancel: Cancel,
    /// What sets the time, as reasons name it.
    pub time_option: &'static str,
    /// Time since the start.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Whether pointers that the program follows without looking may be null.
    pub null_pointers: bool,
    /// Keep a test for every path, not only for those that cover something new.
    pub keep_all: bool,
}

/// What exploration counted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// Runs, the first one included.
    pub executions: u64,
    /// Fast runs of bursts.
    pub burst_runs: u64,
    /// Inputs that bursts found.
    pub burst_finds: u64,
    /// Inputs that batches found for what the solver left undecided.
    pub batch_finds: u64,
    /// Runs that went elsewhere than predicted.
    pub divergences: u64,
    /// Flips that were given to the solver.
    pub queries: u64,
    /// Literals of these queries, before anything was left out.
    pub literals: u64,
    /// Time in the solver.
    pub solver_time: Duration,
    /// Runs whose conditions differed from an earlier run with the same answers.
    pub inconsistencies: u64,
    /// Runs that were cut off.
    pub exhausted: u64,
    /// Those of them that passed more sites than one run may.
    pub out_of_fuel: u64,
    /// Those of them that were stopped because time was up, or somebody interrupted.
    pub out_of_patience: u64,
    /// Runs that did what cannot be followed.
    pub not_followed: u64,
    /// Runs that an assumption rejected.
    pub rejected: u64,
    /// Runs whose way depended on a value that nobody had written.
    pub uninitialized: u64,
    /// Each time something new was covered: time, runs, goals covered.
    pub timeline: Vec<(Duration, u64, usize)>,
}

/// A way to make the program fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug {
    /// What happens.
    pub kind: TrapKind,
    /// Where, if the machine knows.
    pub site: Option<SiteId>,
    /// The test that shows it, by index in [`Explored::tests`].
    pub test: usize,
}

/// What exploration found.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// Tests in order of discovery.
    pub tests: Vec<TestCase>,
    /// Runs that showed nothing new, but much of the old in one: a smaller suite may need them.
    pub spare: Vec<TestCase>,
    /// What became of each goal.
    pub goals: BTreeMap<Edge, GoalState>,
    /// What the tests cover together.
    pub coverage: Coverage,
    /// Distinct failures.
    pub bugs: Vec<Bug>,
    /// Where conditions depended on values that nobody had written.
    pub uninitialized: BTreeSet<SiteId>,
    /// Counts.
    pub stats: Stats,
    /// Whether every path was run or proved infeasible.
    pub is_exhaustive: bool,
    /// Why exploration ended.
    pub ended: Ended,
}

/// Why exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ended {
    /// All goals are covered.
    #[default]
    Covered,
    /// No branch is left to turn.
    NothingLeft,
    /// As many runs as were allowed.
    Iterations,
    /// Time is up.
    Time,
    /// Somebody interrupted.
    Interrupted,
}

/// Is told of goals that are proved infeasible.
type OnInfeasible<'a> = dyn FnMut(&[(Edge, BTreeSet<Gap>)]) + 'a;

/// The parts a driver works with.
pub struct Parts<'a> {
    /// The program.
    pub program: &'a Program,
    /// The input of the unit.
    pub shape: &'a Shape,
    /// What is to be reached.
    pub goals: Goals,
    /// Gaps of the model that every run meets.
    pub gaps: Vec<Gap>,
    /// Runs the unit.
    pub executor: &'a mut dyn Executor,
    /// Decides queries.
    pub solver: &'a mut dyn Solver,
    /// Chooses flips.
    pub strategy: Box<dyn Strategy>,
    /// Searches before and between solver calls.
    pub bursts: Option<Bursts<'a>>,
    /// Tries what the solver left undecided, many queries at once.
    pub batch: Option<&'a mut BatchSolver>,
    /// Branches from each edge to the nearest of these goals.
    pub distances: &'a dyn Fn(&BTreeSet<Edge>) -> BTreeMap<Edge, u32>,
    /// The edges that can be taken after one of these, themselves included.
    pub reachable: &'a dyn Fn(&BTreeSet<Edge>) -> BTreeSet<Edge>,
    /// Is told of each test when it is found.
    pub on_test: &'a mut dyn FnMut(&TestCase, Option<&Bug>),
    /// Is told of goals when they are proved infeasible, with the limits within which they are.
    pub on_infeasible: &'a mut OnInfeasible<'a>,
    /// Is told how far things are.
    pub on_progress: &'a mut dyn FnMut(&Stats, usize, usize),
}

/// Explores one unit.
pub struct Driver<'a> {
    parts: Parts<'a>,
    limits: &'a Limits<'a>,
    terms: Terms,
    tree: Tree,
    inputs: Vec<Input>,
    known_inputs: BTreeSet<Input>,
    seen_bugs: BTreeSet<(String, Option<SiteId>)>,
    distances: BTreeMap<Edge, u32>,
    explored: Explored,
    spare: Spare,
    /// What only runs took that are no tests.
    uncounted: Coverage,
    /// What of that runs took whose way depended on a value that nobody had written.
    unpredictable: Coverage,
    /// The limits of inputs.
    input_limits: limits::Limits,
    nan_bits: NanBits,
    /// Flips that the solver left undecided, for the next batch.
    undecided: Vec<Flip>,
    /// Queries at the last burst.
    last_burst: u64,
    /// Queries before infeasible goals are looked for again.
    next_proof: u64,
    burst_length: u64,
    burst_period: u64,
}

/// What a solver said of a side.
enum Answer {
    Input(Input),
    Infeasible,
    Bounded(BTreeSet<Gap>),
    Unknown(Why),
}

/// Queries before the first burst.
const WARM_UP_QUERIES: u64 = 48;
/// Runs of the first burst; each later one that finds nothing makes the next one longer. Long ones in vain come ever more
/// rarely: there may be few paths left to turn, and then a proof is near.
const BURST_RUNS_FIRST: u64 = 20_000;
const BURST_RUNS_LONG: u64 = 160_000;
const BURST_RUNS_MAX: u64 = 2_000_000;
/// Queries between the first two bursts.
const BURST_PERIOD: u64 = 16;
/// Queries before infeasible goals are first looked for.
const PROOF_PERIOD: u64 = 8;
/// A query about a failure may take this part of what one about a branch may.
const GUARD_SHARE: u32 = 8;
/// Undecided flips that make a batch.
const BATCH_LENGTH: usize = 32;
/// Steps of a batch for each of its queries.
const BATCH_STEPS: u64 = 5_000;

impl<'a> Driver<'a> {
    /// A driver that has run nothing.
    pub fn new(parts: Parts<'a>, limits: &'a Limits<'a>) -> Driver<'a> {
        let distances = (parts.distances)(parts.goals.uncovered());
        let mut terms = Terms::new();
        let input_limits = limits::Limits::of(parts.shape, &mut terms);
        let mut tree = Tree::new();
        let met: Vec<Met> = parts.gaps.iter().map(|&gap| Met { gap, n_constraints: 0 }).collect();
        tree.note_gaps(&[], &met);
        Driver {
            parts,
            limits,
            terms,
            input_limits,
            nan_bits: NanBits::default(),
            tree,
            inputs: Vec::new(),
            known_inputs: BTreeSet::new(),
            seen_bugs: BTreeSet::new(),
            distances,
            explored: Explored::default(),
            spare: Spare::default(),
            uncounted: Coverage::default(),
            unpredictable: Coverage::default(),
            undecided: Vec::new(),
            last_burst: 0,
            next_proof: PROOF_PERIOD,
            burst_length: BURST_RUNS_FIRST,
            burst_period: BURST_PERIOD,
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

    /// Turns what can be turned within microseconds, since a burst has to be compiled first. What would take longer is
    /// left for later.
    fn warm_up(&mut self) -> Result<(), ExecError> {
        if self.parts.bursts.is_none() {
            return Ok(());
        }
        let mut postponed = Vec::new();
        for _ in 0..WARM_UP_QUERIES {
            let is_over = self.parts.goals.uncovered().is_empty()
                || self.limits.cancel.check().is_err()
                || self.explored.stats.executions > self.limits.iterations;
            let Some(flip) = (if is_over { None } else { self.pick() }) else { break };
            let mut budget = self.budget(flip);
            budget.is_quick = true;
            match self.ask(flip, budget) {
                Answer::Input(input) => self.run(&input, Some(flip))?,
                Answer::Infeasible => self.tree.settle(flip, FlipState::Infeasible),
                Answer::Bounded(gaps) => self.tree.settle(flip, FlipState::Bounded(gaps)),
                Answer::Unknown(_) => postponed.push(flip),
            }
        }
        let view = View { tree: &self.tree, goals: &self.parts.goals, distances: &self.distances };
        self.parts.strategy.add(view, News { opened: &postponed, n_covered: 0 });
        Ok(())
    }

    fn turn_branches(&mut self) -> Result<Ended, ExecError> {
        loop {
            if let Err(why) = self.limits.cancel.check() {
                let is_time = why == Why::OutOfTime;
                return Ok(if is_time { Ended::Time } else { Ended::Interrupted });
            }
            if self.explored.stats.executions > self.limits.iterations {
                return Ok(Ended::Iterations);
            }
            if self.explored.stats.queries >= self.last_burst + self.burst_period {
                self.burst()?;
            }
            if self.explored.stats.queries >= self.next_proof {
                self.prove();
            }
            if self.undecided.len() >= BATCH_LENGTH {
                self.batch()?;
            }
            let Some(flip) = self.pick() else {
                if !self.undecided.is_empty() && !self.parts.goals.uncovered().is_empty() {
                    self.batch()?;
                    continue;
                }
                let is_covered = self.parts.goals.uncovered().is_empty();
                return Ok(if is_covered { Ended::Covered } else { Ended::NothingLeft });
            };
            if let Some(input) = self.solve(flip) {
                self.run(&input, Some(flip))?;
            }
        }
    }

    /// The goals that are left. A label of a `switch` is reached or not and never nearly reached, so the sides that lead
    /// straight to one are aimed at as well.
    fn with_ways_to_labels(&self) -> BTreeSet<Edge> {
        let kind_of =
            |edge: &Edge| self.parts.program.branches.get(&edge.site).map(|branch| branch.kind);
        let goals = self.parts.goals.uncovered();
        let is_label = |goal: &&Edge| kind_of(goal) == Some(BranchKind::Case);
        let labels: BTreeSet<Edge> = goals.iter().filter(is_label).copied().collect();
        let mut aimed_at = goals.clone();
        if !labels.is_empty() {
            let near = (self.parts.distances)(&labels).into_iter();
            aimed_at.extend(near.filter_map(|(edge, n_branches)| {
                (n_branches == 1 && kind_of(&edge) == Some(BranchKind::Hidden)).then_some(edge)
            }));
        }
        aimed_at
    }

    /// Searches for a while without a solver; what that finds is run like any other input.
    fn burst(&mut self) -> Result<(), ExecError> {
        let goals = self.with_ways_to_labels();
        let Some(bursts) = self.parts.bursts.as_mut() else { return Ok(()) };
        if goals.is_empty() || self.limits.cancel.check().is_err() {
            return Ok(());
        }
        let aim = Aim {
            shape: self.parts.shape,
            types: &self.parts.program.types,
            inputs: &self.inputs,
            goals: &goals,
            runs: self.burst_length,
            cancel: &self.limits.cancel,
        };
        let found = bursts.search(&aim)?;
        let before = self.parts.goals.uncovered().len();
        self.explored.stats.burst_runs = bursts.n_runs();
        self.explored.stats.burst_finds += found.len() as u64;
        self.run_all(&found)?;
        let is_better = self.parts.goals.uncovered().len() < before;
        (self.burst_length, self.burst_period) = if is_better {
            (BURST_RUNS_FIRST, BURST_PERIOD)
        } else {
            let was_long = self.burst_length >= BURST_RUNS_LONG;
            let period = if was_long { 2 * self.burst_period } else { self.burst_period };
            ((2 * self.burst_length).min(BURST_RUNS_MAX), period)
        };
        self.last_burst = self.explored.stats.queries;
        Ok(())
    }

    fn pick(&mut self) -> Option<Flip> {
        let view = View { tree: &self.tree, goals: &self.parts.goals, distances: &self.distances };
        self.parts.strategy.pick(view)
    }

    /// An input that should take a side; settles the side if there is none.
    fn solve(&mut self, flip: Flip) -> Option<Input> {
        match self.ask(flip, self.budget(flip)) {
            Answer::Input(input) => Some(input),
            Answer::Infeasible => {
                self.tree.settle(flip, FlipState::Infeasible);
                None
            }
            Answer::Bounded(gaps) => {
                self.tree.settle(flip, FlipState::Bounded(gaps));
                None
            }
            Answer::Unknown(why) => {
                self.tree.settle(flip, FlipState::Unresolved(why));
                self.undecided.push(flip);
                None
            }
        }
    }

    /// Asks the solver for an input that takes a side.
    fn ask(&mut self, flip: Flip, budget: Budget) -> Answer {
        let path = self.tree.literals(flip);
        let met = self.input_limits.of_literals(&self.terms, &path);
        let limits = met.iter().map(|limit| limit.literal);
        let literals: Vec<Literal> = limits.chain(path).collect();
        let is_quick = budget.is_quick;
        match self.decide(flip, &literals, budget) {
            Verdict::Sat(found) => Answer::Input(self.input_of(flip, &found)),
            Verdict::Unsat => self.ask_beyond(flip, &met, literals.len(), is_quick),
            Verdict::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// Asks whether a side that no input within the limits takes is infeasible without them too.
    fn ask_beyond(&mut self, flip: Flip, met: &[Limit], n: usize, is_quick: bool) -> Answer {
        let literals = self.tree.literals_without_bounds(flip);
        if literals.len() == n {
            return Answer::Infeasible;
        }
        let has_bounds = literals.len() + met.len() < n;
        let of_bounds = || has_bounds.then_some(Gap::Length);
        let all = || met.iter().map(|limit| limit.gap).chain(of_bounds()).collect();
        // How much of a table can be read may follow from a bound, and then there is no more of it.
        if has_bounds && self.input_limits.has_table(&self.terms, &literals) {
            return Answer::Bounded(all());
        }
        let mut budget = self.budget(flip);
        budget.is_quick = is_quick;
        match self.decide(flip, &literals, budget) {
            Verdict::Sat(model) => {
                let broken = limits::broken(&self.terms, met, &model);
                Answer::Bounded(if broken.is_empty() { all() } else { broken })
            }
            Verdict::Unsat => Answer::Infeasible,
            Verdict::Unknown(why) if is_quick => Answer::Unknown(why),
            Verdict::Unknown(_) => Answer::Bounded(all()),
        }
    }

    /// Asks the solver about literals on the way to a side.
    fn decide(&mut self, flip: Flip, literals: &[Literal], mut budget: Budget) -> Verdict {
        let base = &self.inputs[self.tree.run(flip) as usize];
        let hint = model::valuation(&self.terms, base);
        let query = Query { terms: &self.terms, literals, hint: &hint };
        let started = (self.limits.clock)();
        let verdict = self.parts.solver.solve(&query, &mut budget);
        let stats = &mut self.explored.stats;
        stats.solver_time += (self.limits.clock)().saturating_sub(started);
        stats.queries += 1;
        stats.literals += literals.len() as u64;
        verdict
    }

    /// The input of a model, as different as need be from the one that the side's path came from.
    fn input_of(&self, flip: Flip, model: &symcrete_term::Valuation) -> Input {
        let base = &self.inputs[self.tree.run(flip) as usize];
        let mut input = model::input(&self.terms, model, base);
        input.values.retain(|name, _| !self.input_limits.is_limit(name));
        input
    }

    /// What one query may take: less for a failure than for a branch.
    fn budget(&self, flip: Flip) -> Budget {
        let share = match self.tree.origin(flip) {
            Origin::TrapGuard | Origin::ObjectGuard => GUARD_SHARE,
            Origin::Branch
            | Origin::Select
            | Origin::Concretized
            | Origin::Assumed
            | Origin::Bound => 1,
        };
        let mut budget = Budget::of_steps(self.limits.steps / u64::from(share))
            .with_cancel(self.limits.cancel.child());
        budget.wall_max = self.limits.query_time / share;
        budget
    }

    /// Tries all undecided flips at once; each has this one chance.
    fn batch(&mut self) -> Result<(), ExecError> {
        let flips = std::mem::take(&mut self.undecided);
        let Some(batch) = self.parts.batch.as_deref_mut() else { return Ok(()) };
        let within = |limits: &mut limits::Limits, flip: Flip| {
            let path = self.tree.literals(flip);
            let met = limits.of_literals(&self.terms, &path);
            met.iter().map(|limit| limit.literal).chain(path).collect::<Vec<Literal>>()
        };
        let literals: Vec<_> =
            flips.iter().map(|&flip| within(&mut self.input_limits, flip)).collect();
        let base = |flip: Flip| &self.inputs[self.tree.run(flip) as usize];
        let hints: Vec<_> =
            flips.iter().map(|&flip| model::valuation(&self.terms, base(flip))).collect();
        let queries: Vec<Query<'_>> = literals
            .iter()
            .zip(&hints)
            .map(|(literals, hint)| Query { terms: &self.terms, literals, hint })
            .collect();
        let mut budget = Budget::of_steps(BATCH_STEPS * flips.len() as u64)
            .with_cancel(self.limits.cancel.child());
        let verdicts = batch.solve_all(&queries, &mut budget);
        let found: Vec<(Flip, Input)> = flips
            .iter()
            .zip(verdicts)
            .filter_map(|(&flip, verdict)| match verdict {
                Verdict::Sat(found) => Some((flip, self.input_of(flip, &found))),
                Verdict::Unsat | Verdict::Unknown(_) => None,
            })
            .collect();
        self.explored.stats.batch_finds += found.len() as u64;
        for (flip, input) in found {
            if self.limits.cancel.check().is_err() {
                break;
            }
            self.run(&input, Some(flip))?;
        }
        Ok(())
    }

    /// Runs inputs that aim at nothing in particular, until the search is over; the first one in any case.
    fn run_all(&mut self, inputs: &[Input]) -> Result<(), ExecError> {
        for input in inputs {
            if self.explored.stats.executions > 0 && self.limits.cancel.check().is_err() {
                break;
            }
            self.run(input, None)?;
        }
        Ok(())
    }

    /// Runs an input and remembers what it showed. `aim` is the side that it should take.
    fn run(&mut self, input: &Input, aim: Option<Flip>) -> Result<(), ExecError> {
        let input = self.with_all_cells(input);
        if !self.known_inputs.insert(input.clone()) {
            if let Some(aim) = aim {
                self.tree.settle(aim, FlipState::Diverged);
            }
            return Ok(());
        }
        let image = self.parts.shape.image(&self.parts.program.types, &input);
        let trace = self.parts.executor.run(&mut self.terms, &image, self.limits.fuel)?;
        self.explored.stats.executions += 1;
        let run = self.inputs.len() as u32;
        let mut complete = input;
        for drawn in &trace.drawn {
            complete.set(drawn.name.clone(), drawn.value);
        }
        self.inputs.push(complete.clone());
        let mut grown = self.grow(&trace, run);
        self.leave_pointers_alone(&mut grown);
        self.leave_depths_alone(&mut grown);
        self.note_aim(aim, &grown);
        let is_predictable = self.note_unknown(&trace);
        let is_test = is_predictable && counts(&trace.outcome) && !self.is_null_by_default(&trace);
        let n_covered = match is_test {
            true => self.parts.goals.cover(&trace.coverage),
            false => {
                self.uncounted.absorb(&trace.coverage);
                0
            }
        };
        self.keep(&complete, &image, &trace, is_test.then_some(n_covered));
        if n_covered > 0 {
            let (time, executions) = ((self.limits.clock)(), self.explored.stats.executions);
            let covered = self.parts.goals.n_covered();
            self.explored.stats.timeline.push((time, executions, covered));
        }
        self.advise(&grown.opened, n_covered);
        let goals = &self.parts.goals;
        (self.parts.on_progress)(&self.explored.stats, goals.n_covered(), goals.all().len());
        Ok(())
    }

    /// Notes where the way of a run depended on a value that nobody had written: on a real machine it may be another
    /// one. Says whether it did not.
    fn note_unknown(&mut self, trace: &Trace) -> bool {
        self.explored.uninitialized.extend(&trace.unknown.conditions);
        let is_predictable = !trace.unknown.is_end(&trace.outcome);
        if !is_predictable {
            self.explored.stats.uninitialized += 1;
            self.unpredictable.absorb(&trace.coverage);
        }
        is_predictable
    }

    /// Adds the path of a run to the tree. Of one that the clock ended only so much as could be turned: there may be a
    /// million conditions more, and no time is left. Nothing is known of what may come after the cut.
    fn grow(&mut self, trace: &Trace, run: u32) -> Grown {
        let path = &trace.path.constraints;
        self.tree.note_gaps(path, &trace.gaps);
        let is_over = trace.outcome == Outcome::Exhausted(Resource::Patience);
        let n_kept = if is_over { path.len().min(self.limits.depth as usize) } else { path.len() };
        if n_kept < path.len() {
            let cut = Met { gap: Gap::CutOff, n_constraints: n_kept };
            self.tree.note_gaps(&path[..n_kept], &[cut]);
        }
        self.tree.grow(&path[..n_kept], run)
    }

    /// Tells the strategy what a run added. When the search is over there is nothing left to order.
    fn advise(&mut self, opened: &[Flip], n_covered: usize) {
        if self.limits.cancel.check().is_err() {
            return;
        }
        if n_covered > 0 {
            self.distances = (self.parts.distances)(self.parts.goals.uncovered());
        }
        let view = View { tree: &self.tree, goals: &self.parts.goals, distances: &self.distances };
        self.parts.strategy.add(view, News { opened, n_covered });
    }

    /// Sides too far down their path are not turned. A run may have a million of them, so strategies need not know.
    fn leave_depths_alone(&mut self, grown: &mut Grown) {
        let (tree, depth_max) = (&mut self.tree, self.limits.depth);
        grown.opened.retain(|&flip| {
            let is_too_deep = tree.depth(flip) > depth_max;
            if is_too_deep {
                tree.settle(flip, FlipState::TooDeep);
            }
            !is_too_deep
        });
    }

    /// A program that follows a pointer without a check expects it to be there. Unless we were asked to, we do
    /// not make it null then; where the program compares it, we do.
    fn leave_pointers_alone(&mut self, grown: &mut Grown) {
        if self.limits.null_pointers {
            return;
        }
        let (tree, terms) = (&mut self.tree, &self.terms);
        grown.opened.retain(|&flip| {
            let is_presence = matches!(terms.node(tree.term(flip)), Node::Var(_));
            let is_pinned = is_presence && !flip.side && tree.origin(flip) == Origin::ObjectGuard;
            if is_pinned {
                tree.settle(flip, FlipState::Pinned);
            }
            !is_pinned
        });
    }

    /// Whether a run ended at a null pointer that the program followed without looking, and that is null only because
    /// nobody has asked for what it points to.
    fn is_null_by_default(&self, trace: &Trace) -> bool {
        let is_null =
            matches!(&trace.outcome, Outcome::Trapped(trap) if trap.kind == TrapKind::NullPointer);
        let last = trace.path.constraints.last();
        let is_unasked = |last: &symcrete_exec::Constraint| {
            last.origin == Origin::ObjectGuard
                && !last.literal.expected
                && matches!(self.terms.node(last.literal.term), Node::Var(_))
        };
        is_null && !self.limits.null_pointers && last.is_some_and(is_unasked)
    }

    /// Cells of the shape, and whatever else the program may ask for.
    fn with_all_cells(&self, input: &Input) -> Input {
        let mut complete = self.parts.shape.complete(input);
        for (name, &value) in &input.values {
            complete.values.entry(name.clone()).or_insert(value);
        }
        complete
    }

    fn note_aim(&mut self, aim: Option<Flip>, grown: &Grown) {
        let stats = &mut self.explored.stats;
        stats.inconsistencies += u64::from(grown.is_inconsistent);
        if let Some(aim) = aim
            && !grown.taken.contains(&aim)
        {
            // Outside its object an access is about something else, so the same condition is not asked again.
            let is_astray = self.tree.origin(aim) == Origin::ObjectGuard;
            stats.divergences += u64::from(!is_astray);
            self.tree.settle(aim, FlipState::Diverged);
        }
    }

    /// Keeps a run that shows something new.
    fn keep(
        &mut self,
        input: &Input,
        image: &symcrete_program::Image,
        trace: &Trace,
        n_covered: Option<usize>,
    ) {
        let stats = &mut self.explored.stats;
        let is_cut_off = matches!(trace.outcome, Outcome::Exhausted(_));
        let failure = match &trace.outcome {
            Outcome::Rejected(_) => {
                stats.rejected += 1;
                None
            }
            Outcome::Exhausted(resource) => {
                stats.exhausted += 1;
                stats.out_of_fuel += u64::from(*resource == Resource::Fuel);
                stats.out_of_patience += u64::from(*resource == Resource::Patience);
                stats.not_followed += u64::from(*resource == Resource::Model);
                None
            }
            Outcome::Trapped(trap) => {
                // How deep calls may go is a limit of ours: other machines go on.
                stats.exhausted += u64::from(trap.kind == TrapKind::StackOverflow);
                stats.not_followed += u64::from(is_of_model(&trap.kind));
                Some((trap.kind.clone(), trap.site))
            }
            Outcome::Returned(_) | Outcome::Exited(_) => None,
        };
        let Some(n_covered) = n_covered else { return };
        let n_new = self.explored.coverage.absorb(&trace.coverage);
        let key = failure.clone().map(|(kind, site)| (kind.to_string(), site));
        let is_new_bug = key.is_some_and(|key| self.seen_bugs.insert(key));
        let is_new = n_covered > 0 || n_new > 0 || is_new_bug || self.explored.tests.is_empty();
        let test = || TestCase {
            input: known(input),
            drawn: trace.drawn.clone(),
            outcome: known_outcome(trace),
            changes: changes::changes(self.parts.shape, input, image, trace),
            coverage: trace.coverage.clone(),
        };
        if !is_new && !self.limits.keep_all {
            if failure.is_none() && !is_cut_off {
                self.spare.offer(&trace.coverage, self.parts.goals.all(), test);
            }
            return;
        }
        let test = test();
        self.spare.note(&test.coverage, self.parts.goals.all());
        let bug = failure.filter(|_| is_new_bug).map(|(kind, site)| Bug {
            kind,
            site,
            test: self.explored.tests.len(),
        });
        (self.parts.on_test)(&test, bug.as_ref());
        self.explored.tests.push(test);
        self.explored.bugs.extend(bug);
    }

    fn finish(mut self, ended: Ended) -> Explored {
        self.prove();
        self.explored.ended = ended;
        self.explored.spare = std::mem::take(&mut self.spare).into_tests();
        let left = Left::of(&self.tree, &self.terms, &mut self.nan_bits);
        let leads = left.leads(self.parts.reachable);
        let doubt = self.doubt();
        let claim = |goal| match doubt {
            Some(gap) => Claim::Open(proof::Way::Gap(gap)),
            None => leads.claim(goal),
        };
        let run = reasons::Run {
            explored: &self.explored,
            uncounted: &self.uncounted,
            unpredictable: &self.unpredictable,
            limits: self.limits,
        };
        let open = reasons::reasons(&self.tree, &self.parts.goals, &run, &claim);
        self.explored.goals = self.parts.goals.states(open);
        self.explored.is_exhaustive =
            doubt.is_none() && self.explored.stats.executions > 0 && left.is_nothing();
        self.explored
    }

    /// Gives up goals that no way that is left leads to.
    fn prove(&mut self) {
        self.next_proof = 2 * self.explored.stats.queries + PROOF_PERIOD;
        if self.explored.stats.executions == 0 || self.doubt().is_some() {
            return;
        }
        let left = Left::of(&self.tree, &self.terms, &mut self.nan_bits);
        let leads = left.leads(self.parts.reachable);
        let claim = |&goal: &Edge| {
            if self.uncounted.contains(goal) {
                return None;
            }
            match leads.claim(goal) {
                Claim::Infeasible(bounds) => Some((goal, bounds)),
                Claim::Open(_) => None,
            }
        };
        let proved: Vec<_> = self.parts.goals.uncovered().iter().filter_map(claim).collect();
        for (goal, bounds) in &proved {
            self.parts.goals.give_up(*goal, bounds.clone());
        }
        if !proved.is_empty() {
            (self.parts.on_infeasible)(&proved);
        }
    }

    /// Why the tree proves nothing, if so: it does not have all that runs can do.
    fn doubt(&self) -> Option<Gap> {
        (self.explored.stats.inconsistencies > 0).then_some(Gap::Undetermined)
    }
}

/// Whether a run can be a test: one that broke an assumption is none, where the clock stopped one is chance, and what
/// cannot be followed ends otherwise elsewhere.
fn counts(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Rejected(_) | Outcome::Exhausted(Resource::Patience | Resource::Model) => false,
        // Real machines go on here.
        Outcome::Trapped(trap) if is_of_model(&trap.kind) => false,
        Outcome::Returned(_)
        | Outcome::Trapped(_)
        | Outcome::Exited(_)
        | Outcome::Exhausted(Resource::Fuel | Resource::Terms | Resource::Constraints) => true,
    }
}

/// An input without the values that nobody writes: no test can give them, and no test depends on them.
fn known(input: &Input) -> Input {
    let mut input = input.clone();
    input.values.retain(|name, _| !uninitialized::is_name(name));
    input
}

/// How a run ended, without a result that may be another one elsewhere.
pub(crate) fn known_outcome(trace: &Trace) -> Outcome {
    match &trace.outcome {
        Outcome::Returned(_) if trace.unknown.result => Outcome::Returned(Vec::new()),
        Outcome::Returned(_)
        | Outcome::Trapped(_)
        | Outcome::Exhausted(_)
        | Outcome::Rejected(_)
        | Outcome::Exited(_) => trace.outcome.clone(),
    }
}

/// Whether only our machine fails at this.
fn is_of_model(kind: &TrapKind) -> bool {
    matches!(kind, TrapKind::MissingImport(_) | TrapKind::CallTypeMismatch)
}
