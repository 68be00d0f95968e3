//! Explores one unit: wires executor, solver chain, bursts and strategy.

use super::backward::{self, Time, UnitBackward};
use super::handed_on::{self, Given, Giver};
use super::output::Folder;
use super::resume::add_lost;
use super::seeds;
use super::time::{Allowance, tidying};
use super::{Shared, Tested, reachable_units};
use crate::failure::Failure;
use crate::names::Part;
use crate::run::shape_options;
use crate::watchdog::{Deadline, now, unless_cancelled};
use crate::{defaults, load, wire};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use symcrete_emit::Framework;
use symcrete_exec::fast::FastCode;
use symcrete_exec::{Entry, Executor, Limits as ExecLimits, ModuleExecutor};
use symcrete_explore::first::random_input;
use symcrete_explore::{
    Backward, Bursts, Explored, Explorer, Goals, Growth, Limits, Parts, Stats, Tidying,
};
use symcrete_program::data_model::depends_on_width;
use symcrete_program::frontend::Check;
use symcrete_program::shape::Learnt;
use symcrete_program::{
    Edge, Ended, Gap, GoalState, Input, Program, Shape, ShapeOptions, Sizes, Spent, Suite,
    TestCase, Unit,
};
use symcrete_solve::inspect::InspectOptions;
use symcrete_solve::{BatchSolver, Cancel, ChainOptions, ChainStats, Link, Setup, build_chain};
use symcrete_term::{Seed, Terms};

/// Values that are undefined elsewhere may be mended for so long, also when the time for nicer ones is up.
const MENDING: Duration = Duration::from_secs(3);

/// A unit after the first look at it.
pub(super) enum Looked {
    /// There is nothing left to be found, or nobody else to learn from.
    Done(Box<Tested>),
    /// A side is open.
    Open(Box<Opened>),
}

/// What the first look at a unit found, with a side that is open.
pub(super) struct Opened {
    pub(super) unit: usize,
    pub(super) explored: Explored,
    chain: ChainStats,
    time: Duration,
    spent_before: Spent,
    /// Tests of an earlier run.
    earlier: Vec<TestCase>,
}

/// Looks at a unit. Where no run gets behind the calls that make its objects, it is entered with raw structures.
pub(super) fn explore_or_raw(
    shared: &Shared<'_>,
    unit: usize,
    shape: &Shape,
) -> Result<Looked, Failure> {
    if shared.program.driver(shape.entered).is_none() {
        return explore(shared, unit, shape);
    }
    let options = shape_options(&shared.args.shape);
    let raw = || Shape::of(shared.program, &shared.program.units[unit], &options).ok();
    if shared.folder.as_ref().is_some_and(|folder| folder.was_raw(unit))
        && let Some(raw) = raw()
    {
        return explore(shared, unit, &raw);
    }
    let looked = explore(shared, unit, shape)?;
    let has_tests = match &looked {
        Looked::Done(tested) => !tested.suite.tests.is_empty(),
        Looked::Open(opened) => !opened.explored.tests.is_empty(),
    };
    if has_tests || shared.cancel.check().is_err() {
        return Ok(looked);
    }
    raw().map_or(Ok(looked), |raw| explore(shared, unit, &raw))
}

impl Opened {
    /// The sides that another search may take: those that are open, and those that larger inputs may take.
    pub(super) fn open(&self) -> BTreeSet<Edge> {
        let is_cut_off = self.is_cut_off();
        let is_left = |state: &GoalState| match state {
            GoalState::Open(_) => true,
            GoalState::WithinBounds(_) => is_cut_off,
            GoalState::Covered | GoalState::Infeasible => false,
        };
        let goals = self.explored.goals.iter();
        goals.filter(|(_, state)| is_left(state)).map(|(&edge, _)| edge).collect()
    }

    /// Whether the search would have gone on.
    fn is_cut_off(&self) -> bool {
        self.explored.ended == Ended::Time
    }

    /// The shape for inputs that tests of others are made into: texts must have room.
    fn shape_for(&self, shared: &Shared<'_>, entered: &Unit, given: &[Given<'_>]) -> Shape {
        let shape = &self.explored.shape;
        let longest = handed_on::longest(shared.program, given);
        let length = sizes_max(shared, entered).length.min(longest).max(shape.sizes.length);
        let sizes = Sizes { length, ..shape.sizes };
        let larger =
            (sizes != shape.sizes).then(|| shape_of(shared, entered, sizes, &shape.learnt));
        larger.flatten().unwrap_or_else(|| shape.clone())
    }

    /// Looks at the unit again, with what tests of others show. What it had found stays.
    pub(super) fn look_again(
        self,
        shared: &Shared<'_>,
        (weight, givers): (u64, &[Giver<'_>]),
    ) -> Result<Tested, Failure> {
        let program = shared.program;
        let allowance = shared.time.for_second_look(weight, self.time);
        let given =
            handed_on::choose(program, (self.unit, &self.explored.shape), &self.open(), givers);
        let entered = entered(program, self.unit, &self.explored.shape);
        let is_cut_off = self.is_cut_off();
        let (name, n_given) = (&program.units[self.unit].name, given.len());
        tracing::debug!(name, weight, ?allowance, is_cut_off, n_given, "looking again");
        let shape = self.shape_for(shared, entered, &given);
        let others = handed_on::inputs(program, (self.unit, &shape), &self.explored.tests, &given);
        let search = self.search(shared, entered, &shape);
        let is_over = shared.cancel.check().is_err() || allowance.time.is_zero();
        if is_over || (!is_cut_off && !search.is_any_of_use(&others, &self.open())?) {
            return self.finish(shared, allowance.time);
        }
        let mut goals = goals(shared, self.unit);
        for (&goal, state) in &self.explored.goals {
            goals.take_over(goal, state);
        }
        let own = self.explored.tests.iter().map(TestCase::whole_input);
        let first: Vec<Input> = own.chain(others).collect();
        let n_before = self.explored.stats.executions;
        let limits = Allowed {
            time: allowance,
            iterations: shared.args.iterations.saturating_sub(n_before),
            is_last: true,
        };
        let known = self.explored.tests.iter().map(|test| &test.input).collect();
        let (explored, chain, time) = search.run(goals, (&first, &known), limits)?;
        self.with(explored, chain, time).finish(shared, allowance.time)
    }

    /// What both looks found. Where larger inputs cover less, the first one stands.
    fn with(self, explored: Explored, chain: ChainStats, time: Duration) -> Opened {
        let stats = explored.stats.clone().after(self.explored.stats.clone(), self.time);
        let n_covered = |explored: &Explored| {
            explored.goals.values().filter(|state| **state == GoalState::Covered).count()
        };
        let is_worse = n_covered(&explored) < n_covered(&self.explored);
        let mut earlier = self.earlier;
        let explored = if is_worse && explored.shape != self.explored.shape {
            self.explored
        } else {
            if explored.shape == self.explored.shape {
                earlier.extend(self.explored.tests);
            }
            explored
        };
        Opened {
            explored: Explored { stats, ..explored },
            chain: self.chain + chain,
            time: self.time + time,
            earlier,
            ..self
        }
    }

    fn search<'s, 'a>(
        &self,
        shared: &'s Shared<'a>,
        entered: &'s Unit,
        shape: &'s Shape,
    ) -> Search<'s, 'a> {
        let spent = self.spent_before.plus(spent(&self.explored.stats, self.chain.calls.calls));
        Search { shared, unit: self.unit, entered, shape, spent_before: spent }
    }

    /// The suite of what was found. The last search could take so much time.
    fn finish(self, shared: &Shared<'_>, time: Duration) -> Result<Tested, Failure> {
        let Opened { unit, mut explored, chain, spent_before, earlier, .. } = self;
        let started = now();
        let shape = explored.shape.clone();
        let entered = entered(shared.program, unit, &shape);
        shared.fast_code().remove(&entered.function);
        let search = Search { shared, unit, entered, shape: &shape, spent_before };
        let stats = explored.stats.clone();
        let uninitialized = std::mem::take(&mut explored.uninitialized);
        let spent = spent_before.plus(spent(&stats, chain.calls.calls));
        let mut executor = shared.executable.executor(search.entry())?;
        let mut suite = search.tidy_up(explored, spent, &mut executor, tidying(time))?;
        add_lost(&mut suite, earlier);
        let time = self.time + started.elapsed();
        Ok(Tested {
            unit,
            suite,
            stats,
            chain,
            uninitialized,
            time,
            is_taken_over: false,
            spent_before,
            shape,
        })
    }
}

/// The function that is entered: the unit, or its driver.
fn entered<'p>(program: &'p Program, unit: usize, shape: &Shape) -> &'p Unit {
    program.driver(shape.entered).map_or(&program.units[unit], |driver| &driver.entry)
}

/// The sides that are to be taken.
fn goals(shared: &Shared<'_>, unit: usize) -> Goals {
    let units = reachable_units(shared.program, &shared.calls, unit);
    let mut goals = Goals::of(shared.program, &units);
    goals.set_dead_ends(|side| !shared.flow.may_return(side));
    goals
}

/// Looks at a unit, or takes over what an earlier run found if nothing is left to be done.
fn explore(shared: &Shared<'_>, unit: usize, shape: &Shape) -> Result<Looked, Failure> {
    let program = shared.program;
    let mut goals = goals(shared, unit);
    let folder = shared.folder.as_ref();
    let entered = entered(program, unit, shape);
    let larger = folder.and_then(|folder| shape_before(shared, (unit, entered), folder));
    let shape = larger.as_ref().unwrap_or(shape);
    let mut resumed =
        folder.map(|folder| folder.resume(unit, shape, goals.all())).unwrap_or_default();
    if let Some(suite) = resumed.complete.take() {
        return Ok(Looked::Done(Box::new(Tested {
            unit,
            shape: shape.clone(),
            suite,
            stats: Stats::default(),
            chain: ChainStats::default(),
            uninitialized: BTreeSet::new(),
            time: Duration::ZERO,
            is_taken_over: true,
            spent_before: resumed.spent,
        })));
    }
    for (goal, bounds) in resumed.infeasible {
        goals.give_up(goal, bounds);
    }
    let first = std::iter::once(first_input(shared, unit, shape));
    let first: Vec<Input> =
        first.chain(seeds::inputs(program, shape)).chain(resumed.inputs).collect();
    let search = Search { shared, unit, entered, shape, spent_before: resumed.spent };
    let allowance = shared.time.for_first_look();
    let is_last = !shared.time.has_second_looks();
    let limits = Allowed { time: allowance, iterations: shared.args.iterations, is_last };
    let (explored, chain, time) = search.run(goals, (&first, &BTreeSet::new()), limits)?;
    let (earlier, spent_before) = (resumed.tests, resumed.spent);
    let opened = Opened { unit, explored, chain, time, spent_before, earlier };
    match is_last || opened.open().is_empty() {
        true => Ok(Looked::Done(Box::new(opened.finish(shared, allowance.time)?))),
        false => Ok(Looked::Open(Box::new(opened))),
    }
}

/// The shape that inputs had when an earlier run ended, as far as this one may have it.
fn shape_before(
    shared: &Shared<'_>,
    (unit, entered): (usize, &Unit),
    folder: &Folder<'_>,
) -> Option<Shape> {
    let before = folder.sizes_before(unit)?;
    let (least, max) = (shape_options(&shared.args.shape).sizes, sizes_max(shared, entered));
    shape_of(
        shared,
        entered,
        Sizes {
            length: before.length.clamp(least.length, max.length),
            depth: before.depth.clamp(least.depth, max.depth),
            bytes: before.bytes.clamp(least.bytes, max.bytes),
            calls: before.calls.clamp(least.calls, max.calls),
        },
        &Learnt::default(),
    )
}

/// The shape of inputs of some size, if they fit.
fn shape_of(shared: &Shared<'_>, entered: &Unit, sizes: Sizes, learnt: &Learnt) -> Option<Shape> {
    let options = shape_options(&shared.args.shape);
    let options = ShapeOptions { sizes, learnt: learnt.clone(), ..options };
    Shape::of(shared.program, entered, &options).ok()
}

/// How large inputs may become. A large starting size raises the maximum with it.
fn sizes_max(shared: &Shared<'_>, entered: &Unit) -> Sizes {
    let (first, growth) = (shape_options(&shared.args.shape).sizes, &shared.args.growth);
    let driver = shared.program.driver(entered.function);
    // What one test sets, others would find where they run in one process.
    let driver = driver.filter(|_| shared.args.framework == Framework::Plain);
    Sizes {
        length: first.length.max(growth.max_length),
        depth: first.depth.max(growth.max_pointer_depth),
        bytes: first.bytes.max(growth.max_input_bytes),
        calls: driver.map_or(0, |driver| driver.before.len() as u32),
    }
}

fn first_input(shared: &Shared<'_>, unit: usize, shape: &Shape) -> Input {
    if !shared.args.random_input {
        return Input::default();
    }
    let seed = Seed(shared.args.seed).derive(&shared.program.units[unit].name);
    random_input(shape, &shared.program.types, seed)
}

/// The search for the tests of one unit.
struct Search<'s, 'a> {
    shared: &'s Shared<'a>,
    unit: usize,
    /// The unit, or its driver.
    entered: &'s Unit,
    shape: &'s Shape,
    spent_before: Spent,
}

/// How much a search may do.
#[derive(Clone, Copy)]
struct Allowed {
    time: Allowance,
    iterations: u64,
    /// Whether no other search of the unit follows.
    is_last: bool,
}

impl<'a> Search<'_, 'a> {
    /// Searches from these inputs. Tests with inputs that are known are not reported again.
    fn run(
        &self,
        goals: Goals,
        (first, known): (&[Input], &BTreeSet<&Input>),
        allowed: Allowed,
    ) -> Result<(Explored, ChainStats, Duration), Failure> {
        let &Search { shared, unit, entered, shape, .. } = self;
        let (args, program) = (shared.args, shared.program);
        let seed = Seed(args.seed).derive(&program.units[unit].name);
        let started = now();
        let clock = move || now().duration_since(started);
        let toolbox = wire::toolbox();
        let setup = Setup { toolbox: &toolbox, seed, experience: None };
        let options = chain_options(shared, unit, Arc::new(clock))?;
        let mut chain = build_chain(&setup, args.solver, options)?;
        let counters = chain.counters();
        let mut executor = shared.executable.executor(self.entry())?;
        let cancel = shared.cancel.child();
        let time = allowed.time.time;
        let deadline = Deadline::start(time, cancel.clone(), executor.stop_flag());
        let limits = self.limits(allowed, &cancel, &clock);
        let bursts = bursts(shared, entered, (seed, allowed.is_last), &cancel);
        let first_functions = shared.before.iter().copied();
        let distances = shared.flow.from_entries(first_functions.chain([entered.function]));
        let mut backward =
            (!args.no_backward).then(|| self.backward((seed, time), &cancel, &clock));
        let is_batched = !args.without.contains(&Part::Batch);
        let mut batch = BatchSolver::new(seed.derive("batch"), InspectOptions::published());
        let parts = Parts {
            program,
            shape,
            growth: Growth {
                max: sizes_max(shared, entered),
                shape: &|sizes, learnt| shape_of(shared, entered, sizes, learnt),
                on_grown: &mut |shape, tests| {
                    self.note(|folder| folder.replace_tests(unit, shape, tests));
                },
            },
            goals,
            gaps: gaps(shared, unit, shape).into_iter().chain(self.made()).collect(),
            executor: &mut executor,
            solver: &mut chain,
            strategy: &|| shared.args.strategy.build(seed),
            bursts,
            batch: is_batched.then_some(&mut batch),
            backward: backward.as_mut().map(|backward| backward as &mut dyn Backward),
            distances: &|targets| distances.to(targets),
            reachable: &|starts| distances.reachable_from(starts),
            on_test: &mut |test| {
                if !known.contains(&test.input) {
                    self.note(|folder| folder.add(unit, test));
                }
            },
            on_infeasible: &mut |sides| self.note(|folder| folder.add_infeasible(unit, sides)),
            on_progress: &mut |stats, covered, all| {
                let solver_calls = counters.stats().calls.calls;
                self.progress((stats, solver_calls, clock()), (covered, all));
            },
        };
        let explored = Explorer::new(parts, &limits).explore(first)?;
        drop(deadline);
        Ok((explored, counters.stats(), clock()))
    }

    /// Backward execution, which takes a part of so much time.
    fn backward<'b>(
        &'b self,
        (seed, time): (Seed, Duration),
        cancel: &Cancel,
        clock: &'b (dyn Fn() -> Duration + Sync),
    ) -> UnitBackward<'b, 'a> {
        UnitBackward {
            shared: self.shared,
            unit: self.unit,
            shape: self.shape.clone(),
            seed,
            cancel: cancel.clone(),
            clock,
            time: Time::of_unit(time),
            prepared: None,
        }
    }

    /// Whether a run of one of these inputs takes one of these sides.
    fn is_any_of_use(&self, inputs: &[Input], open: &BTreeSet<Edge>) -> Result<bool, Failure> {
        let mut executor = self.shared.executable.executor(self.entry())?;
        for input in inputs {
            let image = self.shape.image(&self.shared.program.types, input);
            let trace = executor.run(&mut Terms::new(), &image, self.shared.args.fuel)?;
            let is_new = trace.coverage.edges().iter().any(|edge| open.contains(edge));
            if trace.outcome.is_repeatable() && is_new {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is proved through a driver is about the objects that it makes.
    fn made(&self) -> Option<Gap> {
        let driver = self.shared.program.driver(self.entered.function);
        driver.filter(|driver| driver.makes_objects()).map(|_| Gap::Made)
    }

    /// What is called, and what before it.
    fn entry(&self) -> Entry {
        Entry {
            function: load::entry_name(self.entered),
            before: load::before(&self.shared.executable),
        }
    }

    /// How much this search may do.
    fn limits<'b>(
        &self,
        allowed: Allowed,
        cancel: &Cancel,
        clock: &'b (dyn Fn() -> Duration + Sync),
    ) -> Limits<'b> {
        let args = self.shared.args;
        let Allowance { time, limit } = allowed.time;
        Limits {
            iterations: allowed.iterations,
            fuel: args.fuel,
            steps: args.steps,
            depth: args.depth,
            query_time: Duration::from_secs(defaults::QUERY_SECONDS),
            cancel: cancel.clone(),
            time_limit: limit,
            clock,
            backward_after: if allowed.is_last { backward::starts_after(time) } else { time },
            null_pointers: args.source.check.contains(&Check::Null),
            uninitialized: args.source.check.contains(&Check::Uninitialized),
            keep_all: args.all,
        }
    }

    /// Makes the suite, for so long at most.
    fn tidy_up(
        &self,
        explored: Explored,
        spent: Spent,
        executor: &mut ModuleExecutor,
        time: Duration,
    ) -> Result<Suite, Failure> {
        // Whoever interrupts does not wait for nicer values.
        let cancel = self.shared.cancel.child();
        let _deadline = Deadline::start(time.max(MENDING), cancel.clone(), executor.stop_flag());
        let started = now();
        let tidying = Tidying {
            program: self.shared.program,
            fuel: self.shared.args.fuel,
            keep_all: self.shared.args.all,
            is_stopped: &|| started.elapsed() >= time || cancel.check().is_err(),
            is_interrupted: &|| cancel.check().is_err(),
        };
        Ok(tidying.suite(explored, spent, executor)?)
    }

    /// Tells the folder; one that cannot be written ends all searches.
    fn note(&self, news: impl FnOnce(&Folder<'_>)) {
        if let Some(folder) = &self.shared.folder {
            news(folder);
            if folder.has_failed() {
                self.shared.cancel.interrupt();
            }
        }
    }

    fn progress(
        &self,
        (stats, solver_calls, time): (&Stats, u64, Duration),
        covered_of: (usize, usize),
    ) {
        let spent = self.spent_before.plus(spent(stats, solver_calls));
        self.note(|folder| folder.spend(self.unit, spent));
        let name = &self.shared.program.units[self.unit].name;
        self.shared.progress.show(name, stats, time, covered_of);
    }
}

/// What a search took.
fn spent(stats: &Stats, solver_calls: u64) -> Spent {
    let &Stats { executions, burst_runs, queries, .. } = stats;
    Spent { executions, burst_runs, queries, solver_calls }
}

/// Bursts, where the strategy is the one that uses them. Their code is kept for the next search of the function, if there is one.
fn bursts<'a>(
    shared: &'a Shared<'_>,
    entered: &Unit,
    (seed, is_last): (Seed, bool),
    cancel: &Cancel,
) -> Option<Bursts<'a>> {
    let is_off = shared.args.without.contains(&Part::Bursts);
    if !shared.args.strategy.uses_bursts() || is_off {
        return None;
    }
    let function = entered.function;
    let cancel = cancel.clone();
    let prepare = move || {
        if let Some(code) = shared.fast_code().remove(&function) {
            return code.machine().map(Some);
        }
        let program = Arc::clone(shared.program);
        let (config, before) = (shared.config.clone(), shared.before.clone());
        let compile = move || {
            let limits = ExecLimits::STANDARD;
            FastCode::compile(&program.wasm, &config, &limits, function, &before)
        };
        // A search that is over needs no bursts any more.
        let Some(code) = unless_cancelled(&cancel, compile).ok().transpose()? else {
            return Ok(None);
        };
        let machine = code.machine().map(Some);
        if !is_last {
            shared.fast_code().insert(function, code);
        }
        machine
    };
    let fuel = u32::try_from(shared.args.fuel).unwrap_or(u32::MAX).min(100_000);
    Some(Bursts::new(prepare, fuel, seed))
}

/// What every run of a unit meets.
fn gaps(shared: &Shared<'_>, unit: usize, shape: &Shape) -> Vec<Gap> {
    let of_arguments = shape.variadic.iter().map(|_| Gap::Arguments);
    let of_ends = shape.has_ends.then_some(Gap::Ends);
    data_model_gap(shared, unit).into_iter().chain(of_arguments).chain(of_ends).collect()
}

/// On most users' machines `long` and pointers are wider than here.
fn data_model_gap(shared: &Shared<'_>, unit: usize) -> Option<Gap> {
    let units = reachable_units(shared.program, &shared.calls, unit);
    depends_on_width(shared.program, &units).then_some(Gap::DataModel)
}

fn chain_options(
    shared: &Shared<'_>,
    unit: usize,
    clock: Arc<dyn Fn() -> Duration + Send + Sync>,
) -> Result<ChainOptions, Failure> {
    let mut links: BTreeSet<Link> = Link::ALL.iter().copied().collect();
    links.retain(|link| !shared.args.without.contains(&Part::Link(*link)));
    let mut options = ChainOptions::with(links);
    options.clock = Some(clock);
    if let Some(folder) = &shared.args.log_queries {
        options.log = Some(log_sink(&folder.join(&shared.program.units[unit].name))?);
    }
    Ok(options)
}

/// Writes each query to a file of its own. That one cannot be written must not end the search.
#[expect(clippy::disallowed_methods, reason = "the binary is where files are written")]
fn log_sink(folder: &Path) -> Result<symcrete_solve::decorate::LogSink, Failure> {
    let unwritable = |source| Failure::Unwritable { file: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let folder = folder.to_owned();
    Ok(Box::new(move |name: &str, text: &str| {
        if let Err(error) = std::fs::write(folder.join(name), text) {
            tracing::warn!(%error, "a query was not logged");
        }
    }))
}
