//! `symcrete gen`: tests that take every branch.

mod backward;
mod entered;
mod explore;
pub(crate) mod folding;
mod handed_on;
mod json;
mod looks;
mod only_failing;
pub(crate) mod output;
mod ranks;
pub(crate) mod reasons;
mod refuted;
mod report;
mod resume;
mod seeds;
mod set_aside;
mod time;
mod uncovered;

use crate::args::GenArgs;
use crate::failure::Failure;
use crate::interrupt::Graceful;
use crate::jobs::n_cores;
use crate::load::{Additions, Loaded};
use crate::native::{self, Sandbox, Tools};
use crate::run::{left_out_text, shape_options, unsupported_text};
use crate::ui::progress::Progress;
use crate::{paths, ui, wire};
pub(crate) use entered::default_units;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use symcrete_emit::c_test;
use symcrete_emit::native::NativeReport;
use symcrete_exec::Executable;
use symcrete_exec::fast::FastCode;
use symcrete_explore::Stats;
use symcrete_program::cfg::{CallGraph, FlowGraph};
use symcrete_program::frontend::LeftOut;
use symcrete_program::{Program, Shape, SiteId, Spent, Suite};
use symcrete_solve::{Cancel, ChainStats, Setup, Why};
use symcrete_term::Seed;

/// A unit, its suite, and how that was found.
pub(crate) struct Tested {
    pub(crate) unit: usize,
    pub(crate) shape: Shape,
    pub(crate) suite: Suite,
    pub(crate) stats: Stats,
    pub(crate) chain: ChainStats,
    /// Where conditions depended on uninitialised values.
    pub(crate) uninitialized: BTreeSet<SiteId>,
    pub(crate) time: Duration,
    /// Whether all of it was found by an earlier run.
    pub(crate) is_taken_over: bool,
    /// What earlier runs spent.
    pub(crate) spent_before: Spent,
}

/// All that the exploration of every unit shares.
pub(crate) struct Shared<'a> {
    pub(crate) args: &'a GenArgs,
    pub(crate) program: &'a Arc<Program>,
    pub(crate) executable: Executable,
    pub(crate) config: symcrete_exec::Config,
    /// Functions that are called before any other, by index.
    pub(crate) before: Vec<u32>,
    pub(crate) flow: FlowGraph,
    pub(crate) calls: CallGraph,
    pub(crate) progress: Progress,
    /// Where files go, if anywhere.
    pub(crate) folder: Option<output::Folder<'a>>,
    /// The cancel flag.
    pub(crate) cancel: Cancel,
    /// How long each function may take.
    pub(crate) time: time::Shares,
    /// The code for bursts of functions that are looked at again, by index.
    fast_code: Mutex<BTreeMap<u32, FastCode>>,
    /// What backward execution needs, made when a side is left open.
    pub(crate) ground: OnceLock<backward::Ground<'a>>,
}

impl Shared<'_> {
    fn fast_code(&self) -> MutexGuard<'_, BTreeMap<u32, FastCode>> {
        self.fast_code.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is prepared before functions are explored.
struct Prepared {
    executable: Executable,
    config: symcrete_exec::Config,
    before: Vec<u32>,
    flow: FlowGraph,
    calls: CallGraph,
}

/// Runs the command.
pub(crate) fn run(args: &GenArgs, is_verbose: bool) -> Result<(), Failure> {
    check(args)?;
    let graceful = Graceful::start("writing what was found");
    let cancel = &graceful.cancel;
    let limit = time::CallLimit::start(args.total_time, cancel);
    let additions = Additions { drivers: !args.raw_structs, ..Additions::default() };
    let Loaded { program, left_out, flags } = limit.load(&args.source, additions, cancel)?;
    let (chosen, skipped) = choose(args, &program, &left_out)?;
    let program = &Arc::new(program);
    let tools = native_tools(args, program)?;
    let prepared = limit.prepare(program, &args.source, cancel)?;
    let Prepared { executable, config, before, flow, calls } = prepared;
    // The arguments are valid and the program can be run: only now may something on the disk change.
    let folder = open_folders(args, program, &flags)?;
    let shared = Shared {
        args,
        program,
        executable,
        config,
        before,
        flow,
        calls,
        progress: Progress::start(chosen.len()),
        folder,
        cancel: cancel.clone(),
        time: limit.shares(args, chosen.len()),
        fast_code: Mutex::default(),
        ground: OnceLock::new(),
    };
    let tested = explore_and_write(&shared, &chosen);
    if let Some(folder) = &shared.folder {
        folder.failure()?;
    }
    let mut tested = tested?;
    let is_interrupted = shared.cancel.check() == Err(Why::Interrupted);
    // From here on an interrupt ends us at once.
    drop(graceful);
    let mut native = match (&shared.folder, &tools) {
        (Some(folder), Some((tools, sandbox))) if !is_interrupted => {
            let limits = native::TimeLimits {
                test: Duration::from_secs_f64(args.native_time),
                end: limit.end(),
            };
            let progress = &shared.progress;
            let machine =
                native::Machine { tools, sandbox, limits, n_workers: n_workers(args), progress };
            Some(native::prove_folder(folder.path(), machine)?)
        }
        (Some(_) | None, _) => None,
    };
    if let (Some(native), Some(folder)) = (&mut native, &shared.folder) {
        follow_native(program, &mut tested, native, folder);
        folder.failure()?;
    }
    shared.progress.finish();
    let folder = shared.folder.as_ref().map(output::Folder::path);
    let report = report::Report {
        program,
        tested: &tested,
        skipped: &skipped,
        native: native.as_ref(),
        folder,
        n_not_explored: chosen.len() - tested.len(),
        failures: &ranks::ranked(program, &shared.calls, &tested, native.as_ref()),
        is_verbose,
    };
    ui::say(&if args.json { report.json() } else { report.text() })?;
    if is_interrupted {
        return Err(Failure::Interrupted { can_resume: folder.is_some() });
    }
    report.verdict(args)
}

/// Withdraws what the native proof refuted, and sets tests aside that behave differently on this machine, on disk too.
fn follow_native(
    program: &Program,
    tested: &mut [Tested],
    native: &mut NativeReport,
    folder: &output::Folder<'_>,
) {
    for tested in tested {
        // A side that another function's test takes says nothing about what this function can reach.
        let file = c_test::test_name(program, &program.units[tested.unit]);
        let is_changed = set_aside::set_aside(program, &file, &mut tested.suite, native);
        let seen = native.seen.get(&file);
        let refuted = seen.map(|seen| refuted::withdraw(program, &mut tested.suite.goals, seen));
        let refuted = refuted.unwrap_or_default();
        if is_changed || !refuted.is_empty() {
            native.refuted.extend(refuted);
            folder.finish_unit(tested.unit, &tested.shape, &tested.suite);
        }
    }
    folder.write_changes();
}

/// What the native proof needs, where there will be something to prove and there is a compiler.
pub(crate) fn native_tools(
    args: &GenArgs,
    program: &Program,
) -> Result<Option<(Tools, Sandbox)>, Failure> {
    // A WebAssembly module has no tests in C.
    let has_sources = program.files.iter().any(|file| file.text.is_some());
    if args.no_native || args.no_out || !has_sources {
        return Ok(None);
    }
    match Tools::choose(args.cc.as_deref()) {
        Ok(tools) => Ok(Some((tools, Sandbox::choose(args.native_sandbox)?))),
        // Tests are written all the same, only without the native proof.
        Err(failure @ Failure::NoCompiler) => {
            ui::report(&failure);
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Errors that can be found before anything is compiled.
fn check(args: &GenArgs) -> Result<(), Failure> {
    if !args.no_out {
        paths::check(&args.out)?;
    }
    // A solver that was asked for must be installed.
    let toolbox = wire::toolbox();
    args.solver.build(&Setup { toolbox: &toolbox, seed: Seed(args.seed), experience: None })?;
    wire::tell_missing_solvers(args.solver);
    Ok(())
}

/// Makes the folders that are written to, and returns the one for tests.
fn open_folders<'a>(
    args: &GenArgs,
    program: &'a Program,
    flags: &'a [String],
) -> Result<Option<output::Folder<'a>>, Failure> {
    if let Some(folder) = &args.log_queries {
        let unwritable = |source| Failure::Unwritable { file: folder.clone(), source };
        std::fs::create_dir_all(folder).map_err(unwritable)?;
    }
    match args.no_out {
        true => Ok(None),
        false => output::Folder::open(args, program, flags).map(Some),
    }
}

/// Units by index, with the shapes of their inputs.
type Chosen = Vec<(usize, Shape)>;

/// The units to explore, at least one, and a line for each that cannot be.
fn choose(
    args: &GenArgs,
    program: &Program,
    left_out: &[LeftOut],
) -> Result<(Chosen, Vec<String>), Failure> {
    let mut wanted: Vec<usize> = Vec::new();
    for name in &args.function {
        let found = program.units.iter().position(|unit| unit.name == *name);
        match found {
            Some(unit) => wanted.push(unit),
            None if left_out.iter().any(|left| left.function == *name) => {}
            None => return Err(Failure::no_function(program, name)),
        }
    }
    if args.function.is_empty() {
        wanted = default_units(program);
    }
    let mut skipped: Vec<String> = left_out.iter().map(left_out_text).collect();
    let mut chosen = Vec::new();
    for unit in wanted {
        let options = shape_options(&args.shape);
        let through = program.driver_of(unit);
        let through = through.and_then(|driver| Shape::of(program, &driver.entry, &options).ok());
        let shape = through.map_or_else(|| Shape::of(program, &program.units[unit], &options), Ok);
        match shape {
            Ok(shape) => chosen.push((unit, shape)),
            Err(reason) => {
                let unit = &program.units[unit];
                let place = program.place(unit.position);
                let reason = unsupported_text(&reason);
                skipped.push(format!("{place}: `{}` is not supported: {reason}", unit.name));
            }
        }
    }
    match (chosen.is_empty(), skipped.is_empty()) {
        (false, _) => Ok((chosen, skipped)),
        (true, false) => Err(Failure::NothingToTest { reasons: skipped }),
        (true, true) => Err(Failure::NoFunctions),
    }
}

/// Explores units and writes what is found as it is found.
fn explore_and_write(shared: &Shared<'_>, chosen: &Chosen) -> Result<Vec<Tested>, Failure> {
    /// Ends the writer, also if exploring panics.
    struct Close<'a>(&'a output::Folder<'a>);
    impl Drop for Close<'_> {
        fn drop(&mut self) {
            self.0.close();
        }
    }
    std::thread::scope(|scope| {
        let _close = shared.folder.as_ref().map(|folder| {
            scope.spawn(|| folder.keep_writing());
            Close(folder)
        });
        looks::explore_all(shared, chosen)
    })
}

/// How many functions are explored, and tests run, at the same time.
fn n_workers(args: &GenArgs) -> usize {
    args.jobs.unwrap_or_else(n_cores)
}

/// The units that a unit can reach through calls, itself included.
pub(crate) fn reachable_units(
    program: &Program,
    calls: &CallGraph,
    unit: usize,
) -> BTreeSet<usize> {
    let mut functions = BTreeSet::from([program.units[unit].function]);
    let mut pending = vec![program.units[unit].function];
    while let Some(function) = pending.pop() {
        for site in calls.calls(function) {
            for &callee in &site.callees {
                if functions.insert(callee) {
                    pending.push(callee);
                }
            }
        }
    }
    let units = program.units.iter().enumerate();
    units.filter(|(_, unit)| functions.contains(&unit.function)).map(|(i, _)| i).collect()
}
