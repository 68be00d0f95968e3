//! The chain of decorators that exploration solves its queries with, stacked in one place.
//!
//! ```text
//! checked( counted( sliced( logged( cached( partial( quick( cores( counted( session )))
//!                                             else quick( staged( walk, auto )))))))
//! quick( solver ) = refuted( tiny( guessed( solver )))
//! ```
//!
//! The order, from the outside in:
//! - `checked`: no model leaves without the evaluator's consent.
//! - `sliced` before all that looks at literals: a slice is shorter, and the same slice comes back more often.
//! - `logged` around what decides, and inside `sliced`: files of a hundred thousand literals help nobody.
//! - `partial` around everything that looks at terms: a handful of literals costs `quick` a tenth of what a whole path does.
//! - `refuted`, `tiny` and `guessed` cost microseconds and start no process; `refuted` also proves what goes
//!   through library calls.
//! - What they leave open is asked of an incremental SMT session with few steps; `cores` tells the cache what it proved.
//! - Behind it, for what the session cannot say (library calls) or not quickly (floating point): a short
//!   Concolic Walk, then the solver that was asked for, with all that is left of the budget.
//!
//! **Determinism.** With a budget of steps, the same seed and the same sequence of queries give the same answers as long as
//! no race (`auto`, `smt`) and no clock decides: sessions count steps, and all search is seeded by
//! the query. A model may depend on earlier queries (cache, session); whether a query is `sat` or `unsat` does not.
//! Concolic Walk stops with its budget only: without a limit of steps, a query with library calls may never end.
//!
//! A chain serves one arena of terms.

use crate::concolic_walk::ConcolicWalk;
use crate::decorate::{
    Cached, CachedCounters, CachedStats, CallCounters, CallStats, Checked, Clock, Cores,
    CoresCounters, CoresOptions, CoresStats, Counted, Guessed, GuessedCounters, GuessedStats,
    LogSink, Logged, Memory, Partial, PartialCounters, PartialOptions, PartialStats, Refuted,
    RefutedCounters, RefutedStats, Sliced, SlicedCounters, SlicedStats, Tiny, TinyCounters,
    TinyStats,
};
use crate::growing::{Anew, Growing, Whole};
use crate::kind::{Setup, SmtPart, SolverKind};
use crate::smt::{Backend, IncrementalSolver, Keeping, MissingSolver, Toolbox};
use crate::staged::Staged;
use crate::{Budget, Query, Solver, Verdict, Why, budget::STEPS_UNLIMITED};
use std::collections::BTreeSet;
use std::sync::Arc;
use symcrete_term::Valuation;

/// A part of the chain that can be left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Link {
    /// Only what is connected with the target.
    Sliced,
    /// Earlier inputs and contradictions first.
    Cached,
    /// IPPC.
    Partial,
    /// Contradictions of ranges.
    Refuted,
    /// A byte or so: every value.
    Tiny,
    /// Guesses near the hint.
    Guessed,
    /// Unsat cores for the cache. Without [`Link::Cached`] nobody uses them, so they are not looked for.
    Cores,
}

impl Link {
    /// All of them, from the outside in.
    pub const ALL: &'static [Link] = &[
        Link::Sliced,
        Link::Cached,
        Link::Partial,
        Link::Refuted,
        Link::Tiny,
        Link::Guessed,
        Link::Cores,
    ];

    /// Its name in configuration and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Link::Sliced => "slices",
            Link::Cached => "cache",
            Link::Partial => "partial",
            Link::Refuted => "intervals",
            Link::Tiny => "tiny",
            Link::Guessed => "guesses",
            Link::Cores => "cores",
        }
    }
}

/// What a chain consists of.
pub struct ChainOptions {
    /// The links that are there.
    pub links: BTreeSet<Link>,
    /// Where queries are logged to.
    pub log: Option<LogSink>,
    /// Measures time, if somebody wants to know it.
    pub clock: Option<Clock>,
    /// The sizes.
    pub limits: ChainLimits,
}

/// How much each link does.
#[derive(Clone, Copy, Debug)]
pub struct ChainLimits {
    /// Earlier inputs tried.
    pub inputs_max: usize,
    /// Contradictions remembered.
    pub unsat_max: usize,
    /// Guesses near the hint.
    pub guesses_max: u64,
    /// IPPC: rounds that add one literal.
    pub rounds_single: u32,
    /// IPPC: rounds in all.
    pub rounds_max: u32,
    /// Steps of the session for a query; `None` is about a second's worth of the solver's unit.
    pub session_steps: Option<u64>,
    /// Literals left out of a core on trial.
    pub core_trials: u32,
    /// Evaluations of the short Concolic Walk.
    pub walk_steps: u64,
    /// What the session keeps between queries.
    pub keeping: Keeping,
}

impl Default for ChainLimits {
    fn default() -> ChainLimits {
        ChainLimits {
            inputs_max: 32,
            unsat_max: 4_096,
            guesses_max: 256,
            rounds_single: 16,
            rounds_max: 40,
            session_steps: None,
            core_trials: 3,
            walk_steps: 20_000,
            keeping: Keeping::Scopes,
        }
    }
}

impl Default for ChainOptions {
    /// All links, no log, no clock.
    fn default() -> ChainOptions {
        ChainOptions::with(Link::ALL.iter().copied())
    }
}

impl ChainOptions {
    /// Exactly these links, no log, no clock.
    pub fn with(links: impl IntoIterator<Item = Link>) -> ChainOptions {
        let links = links.into_iter().collect();
        ChainOptions { links, log: None, clock: None, limits: ChainLimits::default() }
    }

    /// The same without a link.
    #[must_use]
    pub fn without(mut self, link: Link) -> ChainOptions {
        self.links.remove(&link);
        self
    }
}

/// A chain of solvers over one arena of terms. See the module.
pub struct Chain {
    solver: Box<dyn Solver>,
    memory: Memory,
    counters: ChainCounters,
}

/// Handles on the counters of a chain's links. Clones read the same counters.
#[derive(Clone, Default)]
pub struct ChainCounters {
    queries: Arc<CallCounters>,
    constraints: Arc<CallCounters>,
    calls: Arc<CallCounters>,
    sliced: Arc<SlicedCounters>,
    cached: Arc<CachedCounters>,
    refuted: Arc<RefutedCounters>,
    tiny: Arc<TinyCounters>,
    guessed: Arc<GuessedCounters>,
    partial: Arc<PartialCounters>,
    cores: Arc<CoresCounters>,
}

/// What each link of a chain did, at some moment. Links that were left out show zeros.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ChainStats {
    /// The queries that were put to the chain.
    pub queries: CallStats,
    /// The constraints that were to be decided, by ranges, guesses or solvers: partial queries where there are such.
    pub constraints: CallStats,
    /// The calls of solvers behind all links.
    pub calls: CallStats,
    /// Slicing.
    pub sliced: SlicedStats,
    /// Memory.
    pub cached: CachedStats,
    /// Ranges.
    pub refuted: RefutedStats,
    /// Enumeration.
    pub tiny: TinyStats,
    /// Guessing.
    pub guessed: GuessedStats,
    /// IPPC.
    pub partial: PartialStats,
    /// Unsat cores.
    pub cores: CoresStats,
}

impl std::ops::Add for ChainStats {
    type Output = ChainStats;

    fn add(self, other: ChainStats) -> ChainStats {
        ChainStats {
            queries: self.queries.and(other.queries),
            constraints: self.constraints.and(other.constraints),
            calls: self.calls.and(other.calls),
            sliced: self.sliced + other.sliced,
            cached: self.cached + other.cached,
            refuted: self.refuted + other.refuted,
            tiny: self.tiny + other.tiny,
            guessed: self.guessed + other.guessed,
            partial: self.partial + other.partial,
            cores: self.cores + other.cores,
        }
    }
}

impl ChainCounters {
    /// The counts so far.
    pub fn stats(&self) -> ChainStats {
        ChainStats {
            queries: self.queries.stats(),
            constraints: self.constraints.stats(),
            calls: self.calls.stats(),
            sliced: self.sliced.stats(),
            cached: self.cached.stats(),
            refuted: self.refuted.stats(),
            tiny: self.tiny.stats(),
            guessed: self.guessed.stats(),
            partial: self.partial.stats(),
            cores: self.cores.stats(),
        }
    }
}

impl Chain {
    /// Adds an input that was run: it may satisfy later queries.
    pub fn add_input(&self, input: Valuation) {
        self.memory.add_input(input);
    }

    /// What was counted so far.
    pub fn stats(&self) -> ChainStats {
        self.counters.stats()
    }

    /// The counters, to be read while the chain is elsewhere.
    pub fn counters(&self) -> ChainCounters {
        self.counters.clone()
    }
}

impl Solver for Chain {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn credit(&self) -> &'static str {
        self.solver.credit()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        self.solver.solve(query, budget)
    }
}

/// Stacks a chain around a kind of solver.
pub fn build_chain(
    setup: &Setup<'_>,
    kind: SolverKind,
    options: ChainOptions,
) -> Result<Chain, MissingSolver> {
    let ChainOptions { links, log, clock, limits } = options;
    let has = |link| links.contains(&link);
    let counters = ChainCounters::default();
    let memory = Memory::new(limits.inputs_max, limits.unsat_max);
    let (clock_inside, counters_inside) = (clock.clone(), counters.clone());
    let stack = Stack {
        setup,
        kind,
        limits,
        links: &links,
        clock: clock_inside,
        counters: counters_inside,
    };

    let mut solver = stack.innermost(&memory)?;
    if has(Link::Cached) {
        solver = Box::new(Cached::new(solver, memory.clone(), counters.cached.clone()));
    }
    if let Some(sink) = log {
        solver = Box::new(Logged::new(solver, sink));
    }
    if has(Link::Sliced) {
        solver = Box::new(Sliced::new(solver, counters.sliced.clone()));
    }
    let counted = Counted::new(solver, clock, counters.queries.clone());
    Ok(Chain { solver: Box::new(Checked::new(counted)), memory, counters })
}

/// What the inner links are built from.
struct Stack<'a> {
    setup: &'a Setup<'a>,
    kind: SolverKind,
    limits: ChainLimits,
    links: &'a BTreeSet<Link>,
    clock: Option<Clock>,
    counters: ChainCounters,
}

impl Stack<'_> {
    /// The solvers themselves, with the links that need to know what is asked first.
    fn innermost(&self, memory: &Memory) -> Result<Box<dyn Solver>, MissingSolver> {
        let links = self.links;
        let behind = self.behind()?;
        let session = session(self.setup.toolbox, self.kind, self.limits.keeping)?;
        if session.is_none() && !links.contains(&Link::Partial) {
            return Ok(self.quick(behind));
        }
        let backend = session.as_ref().map(IncrementalSolver::backend);
        let steps_max = self.limits.session_steps.unwrap_or_else(|| quick_steps(backend));
        let growing: Box<dyn Growing> = match session {
            Some(session) => Box::new(session),
            None => self.anew()?,
        };
        let calls = self.counters.calls.clone();
        let mut growing: Box<dyn Growing> =
            Box::new(Counted::new(growing, self.clock.clone(), calls));
        if links.contains(&Link::Cores) && links.contains(&Link::Cached) {
            let trials_max = self.limits.core_trials;
            let options = CoresOptions { trials_max, steps_max: steps_max / 4 };
            let counters = self.counters.cores.clone();
            growing = Box::new(Cores::new(growing, options, memory.clone(), counters));
        }
        if links.contains(&Link::Partial) {
            let ChainLimits { rounds_single, rounds_max, .. } = self.limits;
            let options = PartialOptions { rounds_single, rounds_max, steps_max };
            let memory = links.contains(&Link::Cached).then(|| memory.clone());
            let counters = self.counters.partial.clone();
            let growing: Box<dyn Growing> = Box::new(Anew(self.quick(Box::new(Whole(growing)))));
            let behind = self.quick(behind);
            return Ok(Box::new(Partial::new(growing, behind, options, memory, counters)));
        }
        let mut staged = Staged::new(self.kind.name());
        staged.add(Box::new(Whole(growing)), steps_max);
        staged.add(behind, STEPS_UNLIMITED);
        Ok(self.quick(Box::new(staged)))
    }

    /// What costs microseconds first.
    fn quick(&self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        let mut solver: Box<dyn Solver> = Box::new(Slow(solver));
        let has = |link| self.links.contains(&link);
        if has(Link::Guessed) {
            let counters = self.counters.guessed.clone();
            let (seed, guesses_max) = (self.setup.seed, self.limits.guesses_max);
            solver = Box::new(Guessed::new(solver, seed, guesses_max, counters));
        }
        if has(Link::Tiny) {
            solver = Box::new(Tiny::new(solver, self.counters.tiny.clone()));
        }
        if has(Link::Refuted) {
            solver = Box::new(Refuted::new(solver, self.counters.refuted.clone()));
        }
        Box::new(Counted::new(solver, None, self.counters.constraints.clone()))
    }

    /// What decides when the session does not: for `auto` a short walk comes first.
    fn behind(&self) -> Result<Box<dyn Solver>, MissingSolver> {
        let asked_for = self.counted(self.kind.build(self.setup)?);
        if !self.kind.is_portfolio() {
            return Ok(asked_for);
        }
        let mut staged = Staged::new(self.kind.name());
        staged.add(self.counted(self.walk()), self.limits.walk_steps);
        staged.add(asked_for, STEPS_UNLIMITED);
        Ok(Box::new(staged))
    }

    /// For partial queries without a session: the solver itself, asked anew each time.
    fn anew(&self) -> Result<Box<dyn Growing>, MissingSolver> {
        let is_race = self.kind.is_portfolio();
        let solver = if is_race { self.walk() } else { self.kind.build(self.setup)? };
        Ok(Box::new(Anew(solver)))
    }

    fn walk(&self) -> Box<dyn Solver> {
        Box::new(Checked::new(ConcolicWalk::improved(self.setup.seed)))
    }

    fn counted(&self, solver: Box<dyn Solver>) -> Box<dyn Solver> {
        let calls = self.counters.calls.clone();
        Box::new(Counted::new(solver, self.clock.clone(), calls))
    }
}

/// A solver that is not asked if the answer must come quickly.
struct Slow(Box<dyn Solver>);

impl Solver for Slow {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn credit(&self) -> &'static str {
        self.0.credit()
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        if budget.is_quick {
            return Verdict::Unknown(Why::OutOfSteps);
        }
        self.0.solve(query, budget)
    }
}

/// The incremental session that goes with a kind of solver: the best that is installed for `auto` and `smt`,
/// itself for a single SMT solver, none for a search.
fn session(
    toolbox: &Toolbox,
    kind: SolverKind,
    keeping: Keeping,
) -> Result<Option<IncrementalSolver>, MissingSolver> {
    let backend = match kind.smt_part() {
        SmtPart::Group => toolbox.available().first().copied(),
        SmtPart::One(backend) => Some(backend),
        SmtPart::Partner | SmtPart::Nothing => None,
    };
    backend.map(|backend| IncrementalSolver::keeping(keeping, backend, toolbox)).transpose()
}

/// Steps for a first try: of an SMT solver about a second's worth, of a search a few thousand evaluations.
fn quick_steps(backend: Option<Backend>) -> u64 {
    match backend {
        Some(Backend::Bitwuzla) => 3_000,
        Some(Backend::Z3) => 4_000_000,
        Some(Backend::Cvc5) => 100_000,
        None => 20_000,
    }
}
