//! `symcrete gen`: tests that take every branch.

mod explore;
mod output;
mod refuted;
mod report;
mod resume;

use crate::args::GenArgs;
use crate::failure::Failure;
use crate::interrupt::Graceful;
use crate::load::{self, Loaded};
use crate::native::{self, Tools};
use crate::run::{left_out_text, shape_options};
use crate::ui::progress::Progress;
use crate::{ui, wire};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use symcrete_emit::c_test;
use symcrete_emit::native::NativeReport;
use symcrete_emit::suite::SpentEntry;
use symcrete_exec::Executable;
use symcrete_explore::{Explored, StrategyKind};
use symcrete_program::cfg::module::ExportKind;
use symcrete_program::cfg::{CallGraph, Cfg, Distances, ModuleView};
use symcrete_program::{Program, Shape};
use symcrete_solve::{Cancel, ChainStats};

/// A unit, its input, and what exploration found.
pub(crate) struct Tested {
    pub(crate) unit: usize,
    pub(crate) shape: Shape,
    pub(crate) explored: Explored,
    pub(crate) chain: ChainStats,
    pub(crate) time: std::time::Duration,
    /// Whether all of it was found by an earlier run.
    pub(crate) is_taken_over: bool,
    /// What earlier runs spent.
    pub(crate) spent_before: SpentEntry,
}

/// All that the exploration of every unit shares.
pub(crate) struct Shared<'a> {
    pub(crate) args: &'a GenArgs,
    pub(crate) program: &'a Program,
    pub(crate) executable: &'a Executable,
    pub(crate) config: symcrete_exec::Config,
    /// Functions that are called before any other, by index.
    pub(crate) before: Vec<u32>,
    pub(crate) distances: Distances,
    pub(crate) calls: CallGraph,
    pub(crate) strategy: StrategyKind,
    pub(crate) progress: Progress,
    /// Where files go, if anywhere.
    pub(crate) folder: Option<output::Folder<'a>>,
    /// Ends everything.
    pub(crate) cancel: Cancel,
}

/// Runs the command.
pub(crate) fn run(args: &GenArgs) -> Result<(), Failure> {
    let strategy = strategy_of(args)?;
    wire::solver_kind(&args.solver)?;
    let loaded = load::load(&args.source)?;
    let (chosen, skipped) = choose(args, &loaded)?;
    if chosen.is_empty() && skipped.is_empty() {
        return Err(Failure::NoFunctions);
    }
    if chosen.is_empty() {
        return Err(Failure::NothingToTest { reasons: skipped });
    }
    let program = &loaded.program;
    let folder = match args.no_out {
        true => None,
        false => Some(output::Folder::open(args, program, &loaded.flags)?),
    };
    let executable = load::prepare(program, &args.source)?;
    let config = load::config(program, &args.source)?;
    let unreadable =
        |error: symcrete_program::cfg::CfgError| Failure::Usage { message: error.to_string() };
    let view = ModuleView::parse(&program.wasm).map_err(unreadable)?;
    let cfg = Cfg::of_module(&view).map_err(unreadable)?;
    let graceful = Graceful::start();
    let shared = Shared {
        args,
        program,
        executable: &executable,
        config,
        before: match view.exports.get(load::INITIALISER) {
            Some(ExportKind::Function(function)) => vec![*function],
            _ => Vec::new(),
        },
        distances: Distances::of(&view, &cfg),
        calls: CallGraph::of(&view, &cfg),
        strategy,
        progress: Progress::start(chosen.len()),
        folder,
        cancel: graceful.cancel.clone(),
    };
    let tested = explore_and_write(&shared, &chosen);
    if let Some(folder) = &shared.folder {
        folder.failure()?;
    }
    let mut tested = tested?;
    let is_interrupted = shared.cancel.check().is_err();
    // From here on an interrupt ends us at once.
    drop(graceful);
    shared.progress.say("compiling and running the tests on this machine");
    let mut native = match &shared.folder {
        Some(folder) if !is_interrupted => prove(args, program, folder.path())?,
        Some(_) | None => None,
    };
    if let (Some(native), Some(folder)) = (&mut native, &shared.folder) {
        withdraw_refuted(program, &mut tested, native, folder);
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
        inputs: &crate::run::shape_options(&args.shape),
    };
    ui::say(&if args.json { report.json() } else { report.text() })?;
    if is_interrupted {
        return Err(Failure::Interrupted { can_resume: folder.is_some() });
    }
    report.verdict(args)
}

/// Withdraws what the native proof refuted, on disk too.
fn withdraw_refuted(
    program: &Program,
    tested: &mut [Tested],
    native: &mut NativeReport,
    folder: &output::Folder<'_>,
) {
    for tested in tested {
        // What another function's test takes says nothing of what this function can reach.
        let file = c_test::test_name(program, &program.units[tested.unit]);
        let Some(seen) = native.seen.get(&file) else { continue };
        let refuted = refuted::withdraw(program, &mut tested.explored.goals, seen);
        if !refuted.is_empty() {
            native.refuted.extend(refuted);
            folder.finish_unit(tested);
        }
    }
}

/// The native proof of what was written, where there is something to prove and a compiler.
fn prove(
    args: &GenArgs,
    program: &Program,
    folder: &Path,
) -> Result<Option<NativeReport>, Failure> {
    // A WebAssembly module has no tests in C.
    if args.no_native || program.files.iter().all(|file| file.text.is_none()) {
        return Ok(None);
    }
    match Tools::choose(args.cc.as_deref()) {
        Ok(tools) => native::prove_folder(folder, &tools).map(Some),
        // The tests are there; only their proof is not.
        Err(failure @ Failure::NoCompiler) => {
            ui::report(&failure);
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

fn strategy_of(args: &GenArgs) -> Result<StrategyKind, Failure> {
    args.strategy.parse().map_err(|_| {
        let names: Vec<&str> = StrategyKind::ALL.iter().map(|kind| kind.name()).collect();
        let (name, names) = (&args.strategy, names.join(", "));
        Failure::Usage { message: format!("no strategy is called `{name}`, there is {names}") }
    })
}

/// Units by index, with the shapes of their inputs.
type Chosen = Vec<(usize, Shape)>;

/// The units to explore, and a line for each that cannot be.
fn choose(args: &GenArgs, loaded: &Loaded) -> Result<(Chosen, Vec<String>), Failure> {
    let program = &loaded.program;
    let mut wanted: Vec<usize> = Vec::new();
    for name in &args.function {
        let found = program.units.iter().position(|unit| unit.name == *name);
        match found {
            Some(unit) => wanted.push(unit),
            None if loaded.left_out.iter().any(|left| left.function == *name) => {}
            None => return Err(Failure::no_function(program, name)),
        }
    }
    if args.function.is_empty() {
        wanted = default_units(program);
    }
    let mut skipped: Vec<String> = loaded.left_out.iter().map(left_out_text).collect();
    let mut chosen = Vec::new();
    for unit in wanted {
        match Shape::of(program, &program.units[unit], &shape_options(&args.shape)) {
            Ok(shape) => chosen.push((unit, shape)),
            Err(reason) => {
                let unit = &program.units[unit];
                let place = program.place(unit.position);
                skipped.push(format!("{place}: `{}` is not supported: {reason}", unit.name));
            }
        }
    }
    Ok((chosen, skipped))
}

/// A harness or program is entered where it starts; otherwise every function that others can see.
fn default_units(program: &Program) -> Vec<usize> {
    let all = || program.units.iter().enumerate();
    if let Some((harness, _)) = all().find(|(_, unit)| unit.name == "LLVMFuzzerTestOneInput") {
        return vec![harness];
    }
    let visible: Vec<usize> =
        all().filter(|(_, unit)| !unit.is_static && unit.name != "main").map(|(i, _)| i).collect();
    let main = all().find(|(_, unit)| unit.name == "main");
    match (visible.is_empty(), main) {
        (false, _) => visible,
        (true, Some((main, _))) => vec![main],
        (true, None) => all().map(|(i, _)| i).collect(),
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
        explore_all(shared, chosen)
    })
}

/// Explores units, several at a time. What is found does not depend on how many.
fn explore_all(shared: &Shared<'_>, chosen: &Chosen) -> Result<Vec<Tested>, Failure> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = shared.args.jobs.unwrap_or_else(cores).clamp(1, chosen.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Tested, Failure>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((unit, shape)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if shared.cancel.check().is_err() {
                        return;
                    }
                    let tested = explore::explore(shared, *unit, shape);
                    if let (Some(folder), Ok(tested)) = (&shared.folder, &tested) {
                        folder.finish_unit(tested);
                    }
                    shared.progress.done();
                    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.push((*unit, tested));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(unit, _)| *unit);
    done.into_iter().map(|(_, tested)| tested).collect()
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
