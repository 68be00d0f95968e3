//! The fast machine: one function run very often, with neither terms nor shadows.
//!
//! A module is rewritten a second time, lightly: code notes which sides of branches were taken and how far conditions
//! were from going the other way. A loop in WebAssembly runs a whole batch of inputs in one instance; the host is
//! asked only when a run has news: a side that was never taken, one that came nearer than ever, a loop that iterated
//! more often, a trap. What a run wrote is undone before the next. Exploration searches in bursts of such runs and
//! steers by the news.
//!
//! **Invariant:** a fast run takes the same branches as the engine's run of the same image, with these exceptions,
//! all of which the engine's own run of a find brings to light: accesses outside objects or near address zero do not
//! trap, nor do accesses to memory that an earlier run had grown, and uninitialised memory has whatever value lies there.
//!
//! **Invariant:** what a rejected run did is no news, but for how near it came to what is assumed.

mod ask;
mod condition;
mod helpers;
mod layout;
mod machine;
mod module;
pub mod order;
pub mod plan;
mod rewrite;
mod scope;

use crate::config::Config;
use crate::engine::runtime;
use crate::error::ExecError;
use crate::limits::Limits;
use crate::process::trap_kind;
use ask::Asked;
use condition::Numbers;
use layout::{Global, NEWS_LOOP, NEWS_MAX, RUNS_BYTES, SIDE_BYTES};
use layout::{STOP_DEEP, STOP_FUEL, STOP_IMPORT, STOP_REJECTED, STOP_UNREACHABLE};
use module::{FastModule, fast_module};
use plan::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use symcrete_program::module::{GlobalInfo, ValueType};
use symcrete_program::{CellKind, Edge, Image, Outcome, Resource, Scalar, SiteId, Trap, TrapKind};
use wasmtime::{Instance, Memory, Store, TypedFunc, Val, WasmBacktrace};

/// The best distance of a side of which nothing is known.
const UNSEEN: u64 = u64::MAX;

/// Runs handed to the module at one time.
const BATCH_MAX: usize = 1024;

/// Sites that may be passed before it is asked whether to stop: some tens of milliseconds.
const SITES_UNASKED: u32 = 8_000_000;

/// What a run that traps counts for, because of its signal and backtrace. An estimate: the ratio was not measured.
const TRAP_WORK: u64 = 8;

/// Names one side of a site within one [`FastMachine`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Side(pub u32);

/// Something a run did for the first time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct News {
    /// Which run of the batch.
    pub run: usize,
    /// Sides that came nearer than ever and their distances; zero if they were taken for the first time.
    pub sides: Vec<(Side, u64)>,
    /// Whether a loop iterated more often than ever before.
    pub loops: bool,
    /// How the run ended, if it did not return.
    pub ended: Option<Outcome>,
    /// Whether none ended like that before.
    pub is_new_end: bool,
}

/// One function, ready to be run very often.
pub struct FastMachine {
    module: Arc<FastModule>,
    store: Store<Asked>,
    drive: TypedFunc<(u32, u32, u32, u32, u32), u32>,
    program: Memory,
    ours: Memory,
    snapshot: Memory,
    globals: Vec<wasmtime::Global>,
    params: Vec<ValueType>,
    /// The least distance of each side so far.
    best: Vec<u64>,
    ends: Vec<Outcome>,
    /// What was in memory where the plan's fixed cells are.
    replaced: Vec<(u32, Vec<u8>)>,
    n_runs: u64,
    n_traps: u64,
}

/// The code of one function for fast runs. It takes longer to make than a machine that runs it.
pub struct FastCode {
    module: Arc<FastModule>,
    compiled: wasmtime::Module,
    params: Vec<ValueType>,
    imported: Vec<(GlobalInfo, Scalar)>,
    limits: Limits,
}

impl FastCode {
    /// Rewrites and compiles a module for fast runs of one function, given by its index. Functions without
    /// parameters may be called `before`; they run once.
    pub fn compile(
        wasm: &[u8],
        config: &Config,
        limits: &Limits,
        function: u32,
        before: &[u32],
    ) -> Result<FastCode, ExecError> {
        let original = crate::module::parse(wasm, limits)?;
        for index in before.iter().chain([&function]) {
            if *index as usize >= original.functions.len() {
                return Err(ExecError::MissingFunction { name: index.to_string() });
            }
        }
        let is_plain = |&index: &u32| {
            let ty = original.function_type(index);
            ty.params.is_empty() && ty.results.is_empty()
        };
        if let Some(index) = before.iter().find(|index| !is_plain(index)) {
            let name = original.function_label(*index);
            let expected = "nothing, to be called before the first run".to_string();
            return Err(ExecError::WrongArguments { name, expected, given: String::new() });
        }
        let params = original.function_type(function).params.clone();
        let module = fast_module(&original, config, limits, function, before)?;
        let compiled = machine::compile(&module, limits)?;
        let imported = machine::imported_globals(&original, config);
        Ok(FastCode { module: Arc::new(module), compiled, params, imported, limits: *limits })
    }

    /// A machine that runs it.
    pub fn machine(&self) -> Result<FastMachine, ExecError> {
        let FastCode { module, compiled, imported, limits, .. } = self;
        let module = Arc::clone(module);
        let (mut store, instance) = machine::instantiate(&module, compiled, imported)?;
        let exported = "the rewritten module exports it";
        let mut memory = |name| instance.get_memory(&mut store, name).expect(exported);
        let program = memory(module::EXPORT_PROGRAM);
        let snapshot = memory(module::EXPORT_SNAPSHOT);
        let ours = memory(module::EXPORT_OURS);
        let globals = Global::ALL
            .iter()
            .map(|global| instance.get_global(&mut store, global.name()).expect(exported))
            .collect();
        let drive = instance.get_typed_func(&mut store, module::EXPORT_DRIVE).map_err(runtime)?;
        let mut machine = FastMachine {
            best: vec![UNSEEN; 2 * module.scope.n_sites() as usize],
            module,
            store,
            drive,
            program,
            ours,
            snapshot,
            globals,
            params: self.params.clone(),
            ends: Vec::new(),
            replaced: Vec::new(),
            n_runs: 0,
            n_traps: 0,
        };
        machine.run_before(instance, limits)?;
        machine.reset(None);
        Ok(machine)
    }
}

impl FastMachine {
    /// A machine with [code](FastCode::compile) of its own.
    pub fn prepare(
        wasm: &[u8],
        config: &Config,
        limits: &Limits,
        function: u32,
        before: &[u32],
    ) -> Result<FastMachine, ExecError> {
        FastCode::compile(wasm, config, limits, function, before)?.machine()
    }

    /// Runs what comes before the first run, and keeps memory as that leaves it.
    fn run_before(&mut self, instance: Instance, limits: &Limits) -> Result<(), ExecError> {
        self.set_global(Global::Fuel, i32::MAX);
        self.set_global(Global::Depth, i32::try_from(limits.call_depth).unwrap_or(i32::MAX));
        let prepare = instance
            .get_typed_func::<(), ()>(&mut self.store, module::EXPORT_PREPARE)
            .map_err(runtime)?;
        prepare.call(&mut self.store, ()).map_err(runtime)?;
        const PAGE: usize = 4096;
        let n = self.program.data_size(&self.store);
        for start in (0..n).step_by(PAGE) {
            // Untouched pages stay untouched in the copy.
            let mut page = [0; PAGE];
            page.copy_from_slice(&self.program.data(&self.store)[start..start + PAGE]);
            if page != [0; PAGE] {
                self.snapshot.data_mut(&mut self.store)[start..start + PAGE].copy_from_slice(&page);
            }
        }
        Ok(())
    }

    /// Every side of every branch that can be reached.
    pub fn edges(&self) -> impl Iterator<Item = (Side, Edge)> {
        (0..2 * self.module.scope.sites.len() as u32).map(|side| (Side(side), self.edge_of(side)))
    }

    fn edge_of(&self, side: u32) -> Edge {
        Edge { site: self.module.scope.sites[side as usize / 2], taken: side % 2 == 1 }
    }

    /// The edge of a side; `None` for what the program assumes.
    pub fn edge(&self, side: Side) -> Option<Edge> {
        let known = (side.0 as usize) < 2 * self.module.scope.sites.len();
        known.then(|| self.edge_of(side.0))
    }

    /// How near runs came to a side: zero if it was taken, `None` if its site was not reached. A side that
    /// is no goal counts as taken.
    pub fn distance(&self, side: Side) -> Option<u64> {
        Some(self.best[side.0 as usize]).filter(|&distance| distance != UNSEEN)
    }

    /// The operands that came nearest to a side.
    pub fn operands(&self, side: Side) -> Option<[Scalar; 2]> {
        let start = (side.0 * SIDE_BYTES) as usize;
        let data = &self.ours.data(&self.store)[start..start + SIDE_BYTES as usize];
        let numbers = Numbers::from_code(read_u32(data, 24))?;
        Some([read_u64(data, 8), read_u64(data, 16)].map(|operand| numbers.scalar(operand as i64)))
    }

    /// All sides, those of assumptions included.
    pub fn n_sides(&self) -> u32 {
        self.best.len() as u32
    }

    /// Numbers in the code, those of the function itself first.
    pub fn constants(&self) -> &[Scalar] {
        &self.module.scope.constants
    }

    /// How many runs there were.
    pub fn n_runs(&self) -> u64 {
        self.n_runs
    }

    /// What all runs have cost, counted in runs that return: ending by a trap takes the operating system much longer.
    pub fn work(&self) -> u64 {
        self.n_runs + TRAP_WORK * self.n_traps
    }

    /// Forgets all runs. Sides that are not among the goals are of no interest from now on.
    pub fn reset(&mut self, goals: Option<&BTreeSet<Edge>>) {
        let n_named = 2 * self.module.scope.sites.len() as u32;
        for side in 0..self.n_sides() {
            let is_goal = match side < n_named {
                true => goals.is_none_or(|goals| goals.contains(&self.edge_of(side))),
                // What is assumed shall hold.
                false => side % 2 == 1,
            };
            self.best[side as usize] = if is_goal { UNSEEN } else { 0 };
        }
        self.ends.clear();
        let all: Vec<u32> = (0..self.n_sides()).collect();
        self.put_back(&all);
        let n_switches = self.module.scope.switches.len();
        let n_loops = self.module.scope.n_loops as usize;
        let (switch_open, loops) = (self.module.layout.switch_open, self.module.layout.loops);
        let data = self.ours.data_mut(&mut self.store);
        data[switch_open as usize..][..n_switches].fill(1);
        data[loops as usize..][..4 * n_loops].fill(0);
    }

    /// Writes the distances of sides as they are known here.
    fn put_back(&mut self, sides: &[u32]) {
        let open = self.module.layout.open as usize;
        let switch_open = self.module.layout.switch_open as usize;
        let n_switches = self.module.scope.switches.len();
        let data = self.ours.data_mut(&mut self.store);
        for &side in sides {
            let best = self.best[side as usize];
            data[(side * SIDE_BYTES) as usize..][..8].copy_from_slice(&best.to_le_bytes());
            let other = self.best[side as usize ^ 1];
            data[open + side as usize / 2] = u8::from(best | other != 0);
        }
        data[switch_open..][..n_switches].fill(1);
    }

    /// The plan of an image. Of the cells that the program asks for while it runs, those vary that earlier runs have asked for.
    pub fn plan(
        &self,
        image: &Image,
        asked: &BTreeMap<String, CellKind>,
    ) -> Result<Plan, ExecError> {
        Plan::new(image, &self.params, &self.module.draws, asked)
    }

    /// Lays out what is the same in every run of a plan, and lists the cells that are not.
    pub fn load(&mut self, plan: &Plan) -> Result<(), ExecError> {
        let size = self.program.data_size(&self.store) as u64;
        let fixed = plan.fixed.iter().map(|(address, bytes)| (*address, bytes.len() as u32));
        for (address, length) in plan.cells.iter().copied().chain(fixed) {
            if u64::from(address) + u64::from(length) > size {
                return Err(ExecError::CellOutOfBounds { address, length });
            }
        }
        for (address, bytes) in std::mem::take(&mut self.replaced).into_iter().rev() {
            self.write_both(address, &bytes);
        }
        for (address, bytes) in &plan.fixed {
            let at = *address as usize;
            let before = self.snapshot.data(&self.store)[at..at + bytes.len()].to_vec();
            self.replaced.push((*address, before));
            self.write_both(*address, bytes);
        }
        // Cells keep what the last run wrote into them: the next plan may have none there.
        for &(address, size) in &plan.cells {
            let at = address as usize;
            let before = self.snapshot.data(&self.store)[at..at + size as usize].to_vec();
            self.replaced.push((address, before));
        }
        self.store.data_mut().load(plan);
        let cells = self.module.layout.cells as usize;
        let data = self.ours.data_mut(&mut self.store);
        for (i, (address, size)) in plan.cells.iter().enumerate() {
            data[cells + 8 * i..][..4].copy_from_slice(&address.to_le_bytes());
            data[cells + 8 * i + 4..][..4].copy_from_slice(&size.to_le_bytes());
        }
        Ok(())
    }

    fn write_both(&mut self, address: u32, bytes: &[u8]) {
        for memory in [self.program, self.snapshot] {
            memory.data_mut(&mut self.store)[address as usize..][..bytes.len()]
                .copy_from_slice(bytes);
        }
    }

    /// Runs a batch of a plan that was loaded: the values of one run after the other. What is new goes to
    /// `news`, in order.
    pub fn run_batch(
        &mut self,
        plan: &Plan,
        values: &[u64],
        fuel: u32,
        news: &mut Vec<News>,
    ) -> Result<(), ExecError> {
        self.run_batch_until(plan, values, fuel, news, &|| false)
    }

    /// The same, until it is told to stop: then what is left of the batch is not run.
    pub fn run_batch_until(
        &mut self,
        plan: &Plan,
        values: &[u64],
        fuel: u32,
        news: &mut Vec<News>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), ExecError> {
        let n_values = plan.variables().len();
        if n_values == 0 {
            return self.run_chunk(plan, &[], 1, fuel, 0, news);
        }
        let stride = 8 * plan.n_slots();
        let n_max = (RUNS_BYTES as usize / stride).min((SITES_UNASKED / fuel.max(1)) as usize);
        let n_max = n_max.clamp(1, BATCH_MAX);
        for (i, chunk) in values.chunks(n_max * n_values).enumerate() {
            if is_stopped() {
                break;
            }
            let n_runs = chunk.len() / n_values;
            self.run_chunk(plan, chunk, n_runs, fuel, i * n_max, news)?;
        }
        Ok(())
    }

    fn run_chunk(
        &mut self,
        plan: &Plan,
        values: &[u64],
        n_runs: usize,
        fuel: u32,
        first: usize,
        news: &mut Vec<News>,
    ) -> Result<(), ExecError> {
        let stride = 8 * plan.n_slots();
        let runs = self.module.layout.runs as usize;
        let data = &mut self.ours.data_mut(&mut self.store)[runs..];
        let n_values = plan.variables().len();
        for run in 0..n_runs {
            let values = &values[run * n_values..(run + 1) * n_values];
            plan.fill(values, &mut data[run * stride..(run + 1) * stride]);
        }
        let fuel = fuel.min(i32::MAX as u32);
        let n_cells = plan.cells.len() as u32;
        self.store.data_mut().begin();
        let mut next = 0;
        while next < n_runs {
            let params = (next as u32, n_runs as u32, fuel, n_cells, stride as u32);
            let (run, ended) = match self.drive.call(&mut self.store, params) {
                Ok(run) if run as usize == n_runs => break,
                Ok(run) => (run as usize, None),
                Err(error) => {
                    self.n_traps += 1;
                    let run = self.global(Global::Current) as usize;
                    (run, Some(self.outcome(error)?))
                }
            };
            if let Some(found) = self.take_news(first + run, ended) {
                news.push(found);
            }
            next = run + 1;
        }
        self.n_runs += n_runs as u64;
        Ok(())
    }

    /// What was new in the last run.
    fn take_news(&mut self, run: usize, ended: Option<Outcome>) -> Option<News> {
        let is_new_end = ended.as_ref().is_some_and(|end| !self.ends.contains(end));
        let n_news = self.global(Global::News);
        if n_news == 0 && !is_new_end {
            return None;
        }
        let (mut changed, loops) = self.told(n_news);
        let is_rejected = matches!(ended, Some(Outcome::Rejected(_)));
        if is_rejected {
            let n_named = 2 * self.module.scope.sites.len() as u32;
            let (undone, kept): (Vec<u32>, Vec<u32>) =
                changed.into_iter().partition(|&side| side < n_named);
            self.put_back(&undone);
            changed = kept;
        }
        let data = self.ours.data(&self.store);
        for &side in &changed {
            self.best[side as usize] = read_u64(data, (side * SIDE_BYTES) as usize);
        }
        if is_new_end {
            self.ends.extend(ended.clone());
        }
        let sides =
            changed.into_iter().map(|side| (Side(side), self.best[side as usize])).collect();
        Some(News { run, sides, loops: loops && !is_rejected, ended, is_new_end })
    }

    /// The sides that the last run listed, without duplicates, and whether it listed a loop.
    fn told(&self, n_news: u32) -> (Vec<u32>, bool) {
        let data = self.ours.data(&self.store);
        if n_news > NEWS_MAX {
            let changed = |&side: &u32| {
                read_u64(data, (side * SIDE_BYTES) as usize) != self.best[side as usize]
            };
            return ((0..self.n_sides()).filter(changed).collect(), true);
        }
        let start = self.module.layout.news as usize;
        let told = (0..n_news as usize).map(|i| read_u32(data, start + 4 * i));
        let (loops, mut sides): (Vec<u32>, Vec<u32>) = told.partition(|told| told & NEWS_LOOP != 0);
        sides.sort_unstable();
        sides.dedup();
        (sides, !loops.is_empty())
    }

    fn global(&mut self, global: Global) -> u32 {
        self.globals[global as usize].get(&mut self.store).i32().unwrap_or(0) as u32
    }

    fn set_global(&mut self, global: Global, value: i32) {
        self.globals[global as usize]
            .set(&mut self.store, Val::I32(value))
            .expect("our globals are mutable numbers");
    }

    /// How a run ended that did not return.
    fn outcome(&mut self, error: wasmtime::Error) -> Result<Outcome, ExecError> {
        let site = self.trap_site(&error);
        let trapped = |kind| Outcome::Trapped(Trap { kind, site });
        let argument = self.global(Global::StopArgument);
        Ok(match self.global(Global::Stop) {
            0 => match error.downcast_ref::<wasmtime::Trap>().and_then(trap_kind) {
                Some(kind) => trapped(kind),
                None => return Err(runtime(error)),
            },
            STOP_FUEL => Outcome::Exhausted(Resource::Fuel),
            STOP_UNREACHABLE => trapped(TrapKind::Unreachable),
            STOP_DEEP => trapped(TrapKind::StackOverflow),
            STOP_REJECTED => Outcome::Rejected(site.unwrap_or(SiteId::at(0))),
            import => {
                let import = &self.module.imports[(import - STOP_IMPORT) as usize];
                machine::stopped_by(import, argument, site)
            }
        })
    }

    /// The original operator where the innermost frame of the program was.
    fn trap_site(&self, error: &wasmtime::Error) -> Option<SiteId> {
        let backtrace = error.downcast_ref::<WasmBacktrace>()?;
        let program = self.module.program_functions();
        let frame =
            backtrace.frames().iter().find(|frame| program.contains(&frame.func_index()))?;
        let at = frame.module_offset()? as u32;
        let origins = &self.module.origins;
        let next = origins.partition_point(|&(here, _)| here <= at);
        Some(SiteId::at(origins[next.checked_sub(1)?].1))
    }
}

fn read_u64(data: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&data[at..at + 8]);
    u64::from_le_bytes(bytes)
}

fn read_u32(data: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&data[at..at + 4]);
    u32::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_machine_may_go_to_another_thread() {
        fn is_send<T: Send>() {}
        is_send::<FastMachine>();
    }

    #[test]
    fn what_cannot_be_undone_is_refused() {
        let prepare = |text: &str, function: u32, before: &[u32]| {
            let wasm = wat::parse_str(text).unwrap();
            let limits = Limits { memory_bytes: 1 << 20, ..Limits::STANDARD };
            FastMachine::prepare(&wasm, &Config::standard(), &limits, function, before).map(|_| ())
        };
        let table = "(module (table 1 funcref) (func i32.const 0 ref.null func table.set 0))";
        assert!(matches!(prepare(table, 0, &[]), Err(ExecError::Unsupported { .. })));
        let function = "(module (func (param i32)))";
        assert!(matches!(prepare(function, 1, &[]), Err(ExecError::MissingFunction { .. })));
        assert!(matches!(prepare(function, 0, &[0]), Err(ExecError::WrongArguments { .. })));
        assert_eq!(prepare(function, 0, &[]), Ok(()));
    }
}
