//! Runs one function on images of its input.
//!
//! Every run has a fresh instance, so runs cannot influence each other. An executor is one per thread.

use crate::engine::Executable;
use crate::error::ExecError;
use crate::instrument::layout::Form;
use crate::process::{Called, Process};
use crate::recording::Recording;
use crate::trace::{Met, PathCondition, Trace, Unknown};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use symcrete_program::{Gap, Image, Outcome, Resource, SiteId, TrapKind};
use symcrete_term::{Node, TermId, Terms, reachable};

/// A run in which nothing is symbolic passes so many sites before the concrete form is compiled for it, and it begins again there.
const TRIAL_FUEL: u64 = 1 << 20;
/// Runs that may pass no more sites than this are over before that pays.
const LONG_RUN: u64 = 16 * TRIAL_FUEL;

/// Runs inputs of a program.
pub trait Executor {
    /// Runs an image. New terms go into `terms`; `fuel` bounds the sites that are passed.
    fn run(&mut self, terms: &mut Terms, image: &Image, fuel: u64) -> Result<Trace, ExecError>;
}

/// What is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// An exported function, or one of [`crate::Config::entries`].
    pub function: String,
    /// Such functions without parameters that are called first, such as `_initialize`.
    pub before: Vec<String>,
}

impl Entry {
    /// A function alone.
    pub fn new(function: impl Into<String>) -> Entry {
        Entry { function: function.into(), before: vec![] }
    }
}

/// Runs one exported function.
pub struct ModuleExecutor {
    executable: Executable,
    entry: Entry,
    stop: Arc<AtomicBool>,
    spare: Option<Recording>,
    /// Whether a run that started with nothing symbolic came upon something symbolic.
    needs_shadows: bool,
    /// Gaps that its runs meet, as a try has shown.
    foreseen: Vec<Gap>,
}

impl Executable {
    /// An executor for one exported function.
    pub fn executor(&self, entry: Entry) -> Result<ModuleExecutor, ExecError> {
        for name in entry.before.iter().chain([&entry.function]) {
            if !self.shared.module.exports.contains_key(name) {
                return Err(ExecError::MissingExport { name: name.clone() });
            }
        }
        let stop = Arc::new(AtomicBool::new(false));
        Ok(ModuleExecutor {
            executable: self.clone(),
            entry,
            stop,
            spare: None,
            needs_shadows: false,
            foreseen: Vec::new(),
        })
    }

    /// A process of its own, for several calls.
    pub fn start(&self, fuel: u64) -> Process {
        let stop = Arc::new(AtomicBool::new(false));
        let mut recording = Recording::new(self.shared.limits, self.shared.module.address, stop);
        recording.begin(Terms::new(), fuel);
        Process::start(self, recording, fuel)
    }
}

impl ModuleExecutor {
    /// A flag that ends the run under way and all later ones, soon: the safety net against programs that
    /// take too long. A run that it ended is not reproducible.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Calls what comes first, lays out the image, calls the entry.
    fn execute(&self, process: &mut Process, image: &Image) -> Result<Called, ExecError> {
        process.provide(&image.drawn);
        process.set_starting(true);
        for function in &self.entry.before {
            let called = process.call(function, &[])?;
            if !matches!(called.outcome, Outcome::Returned(_)) {
                return Ok(called);
            }
        }
        process.set_starting(false);
        let mut called = process.call_image(&self.entry.function, image)?;
        let has_ended = called.outcome.is_repeatable();
        let is_checked = self.executable.shared.module.leaks.contains(&self.entry.function);
        if let Some(leaked) = (has_ended && is_checked).then(|| process.leaked()).flatten() {
            called.outcome = leaked;
        }
        Ok(called)
    }
}

impl Executor for ModuleExecutor {
    fn run(&mut self, terms: &mut Terms, image: &Image, fuel: u64) -> Result<Trace, ExecError> {
        if fuel < LONG_RUN || self.needs_shadows || !is_concrete(image) {
            return self.run_shadowed(terms, image, fuel);
        }
        let trial = self.run_shadowed(terms, image, TRIAL_FUEL)?;
        if trial.outcome != Outcome::Exhausted(Resource::Fuel) {
            return Ok(trial);
        }
        self.needs_shadows = !trial.path.constraints.is_empty() || !trial.drawn.is_empty();
        let known = trial.gaps.iter().map(|met| met.gap);
        self.foreseen = known.filter(|gap| matches!(gap, Gap::State | Gap::Addresses)).collect();
        if !self.needs_shadows
            && let Some(trace) = self.run_in(Form::Concrete, terms, image, fuel)?
        {
            return Ok(trace);
        }
        self.needs_shadows = true;
        self.run_shadowed(terms, image, fuel)
    }
}

/// Whether a run starts with nothing symbolic.
fn is_concrete(image: &Image) -> bool {
    let mut cells = image.args.iter().chain(image.writes.iter().map(|write| &write.cell));
    cells.all(|cell| cell.symbol.is_none()) && image.ranges.is_empty() && image.ties.is_empty()
}

impl ModuleExecutor {
    fn run_shadowed(
        &mut self,
        terms: &mut Terms,
        image: &Image,
        fuel: u64,
    ) -> Result<Trace, ExecError> {
        let trace = self.run_in(Form::Shadowed, terms, image, fuel)?;
        Ok(trace.expect("only the concrete form is ever left"))
    }

    /// A run in one form; `None` if it is the concrete one and something symbolic turned up. Both forms ask the host the same in the
    /// same order as long as nothing symbolic is computed with, so that a run that begins again makes the same terms as one that did
    /// not have to.
    fn run_in(
        &mut self,
        form: Form,
        terms: &mut Terms,
        image: &Image,
        fuel: u64,
    ) -> Result<Option<Trace>, ExecError> {
        let (mut trace, wrote_constants) = self.run_once((form, false), terms, image, fuel)?;
        if wrote_constants {
            // Only a run that asks the host at each access to them knows where.
            trace = self.run_once((Form::Shadowed, true), terms, image, fuel)?.0;
        }
        Ok(trace)
    }

    /// The same, and whether constants hold something else at the end than at the start.
    fn run_once(
        &mut self,
        (form, watches_constants): (Form, bool),
        terms: &mut Terms,
        image: &Image,
        fuel: u64,
    ) -> Result<(Option<Trace>, bool), ExecError> {
        let executable = match form {
            Form::Shadowed => self.executable.clone(),
            Form::Concrete => self.executable.concrete()?,
        };
        let (limits, address) = (executable.shared.limits, executable.shared.module.address);
        let mut recording = match self.spare.take() {
            Some(recording) => recording,
            None => Recording::new(limits, address, Arc::clone(&self.stop)),
        };
        recording.begin(std::mem::take(terms), fuel);
        recording.foreseen.clone_from(&self.foreseen);
        recording.watches_constants = watches_constants;
        let mut process = Process::start(&executable, recording, fuel);
        let constants = executable.shared.constants.get_or_init(|| process.constants());
        let called = self.execute(&mut process, image);
        let has_changed = !watches_constants && process.has_changed_constants(constants);
        process.settle_fresh(&image.watched);
        let (coverage, fuel_used) = (process.coverage(), process.fuel_used());
        let watched = image.watched.iter().map(|range| process.bytes(range.clone()).to_vec());
        let watched = watched.collect();
        let mut recording = process.into_recording();
        let is_left = recording.is_form_left;
        let unknown = unknown(&mut recording, &called, image);
        *terms = std::mem::take(&mut recording.terms);
        let path = PathCondition { constraints: std::mem::take(&mut recording.path) };
        let drawn = std::mem::take(&mut recording.drawn);
        let noted = recording.noted.take();
        let mut gaps = std::mem::take(&mut recording.gaps);
        let margins = std::mem::take(&mut recording.margins.least);
        let stray = recording.stray.take();
        let address_from = address_from(&recording, terms, &called);
        let freed = recording.bytes.poison.freed();
        self.spare = Some(recording);
        let Called { outcome, results } = called?;
        if is_left {
            return Ok((None, false));
        }
        // What says more of the end than that there is one.
        let says_more = |gap| matches!(gap, Gap::FirstElement | Gap::OutOfObject | Gap::Rounding);
        let is_known = gaps.iter().any(|met| says_more(met.gap));
        if let Some(gap) = gap_of_end(&outcome, image).filter(|_| !is_known) {
            gaps.push(Met { gap, n_constraints: path.constraints.len() });
        }
        let trace = Trace {
            path,
            outcome,
            results,
            coverage,
            fuel_used,
            watched,
            drawn,
            noted,
            gaps,
            unknown,
            margins,
            stray,
            address_from,
            freed,
        };
        Ok((Some(trace), has_changed))
    }
}

/// What of a run depends on uninitialised values.
fn unknown(
    recording: &mut Recording,
    called: &Result<Called, ExecError>,
    image: &Image,
) -> Unknown {
    let results = called.iter().flat_map(|called| called.results.iter().flatten());
    let is_unknown = results.copied().any(|term| recording.is_unknown(term));
    Unknown {
        conditions: recording.uninitialized.places(),
        result: is_unknown || recording.uninitialized.is_status_unknown,
        watched: image.watched.iter().map(|range| recording.unknown_bytes(range.clone())).collect(),
    }
}

/// The cells that decide where the access went at which a run failed.
fn address_from(
    recording: &Recording,
    terms: &Terms,
    called: &Result<Called, ExecError>,
) -> Vec<String> {
    let (site, shadows) = recording.accessed;
    let is_it = matches!(called, Ok(Called { outcome: Outcome::Trapped(trap), .. })
        if trap.site == Some(SiteId::at(site)));
    if !is_it {
        return Vec::new();
    }
    let roots = shadows.iter().filter_map(|&shadow| (shadow as usize).checked_sub(1));
    let roots: Vec<TermId> = roots.map(TermId::from_index).collect();
    let cells = reachable(terms, &roots).into_iter().filter_map(|term| match terms.node(term) {
        Node::Var(variable) => Some(terms.var_name(variable).to_string()),
        Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => None,
    });
    cells.collect()
}

/// What an end means that a real machine, or a larger input, need not come to.
fn gap_of_end(outcome: &Outcome, image: &Image) -> Option<Gap> {
    let trap = match outcome {
        Outcome::Trapped(trap) => trap,
        Outcome::Exhausted(Resource::Model) => return Some(Gap::Unsupported),
        Outcome::Exhausted(_) => return Some(Gap::CutOff),
        Outcome::Returned(_) | Outcome::Rejected(_) | Outcome::Exited(_) => return None,
    };
    match trap.kind {
        // That a parameter is the length of an array is a guess from names: another caller may pass more.
        TrapKind::OutOfObject if !image.ties.is_empty() => Some(Gap::Failure),
        TrapKind::OutOfObject => Some(Gap::Length),
        TrapKind::OutOfVariable(_)
        | TrapKind::UseAfterFree
        | TrapKind::UseAfterReturn
        | TrapKind::UseAfterScope
        | TrapKind::DoubleFree
        | TrapKind::InvalidFree
        | TrapKind::ConstantWritten
        | TrapKind::OverlappingCopy
        | TrapKind::MemoryOutOfBounds
        | TrapKind::TableOutOfBounds => Some(Gap::OutOfObject),
        // Where it leads nobody can say.
        TrapKind::StaleJump | TrapKind::UnsetJump => Some(Gap::Failure),
        // How deep calls may go is a limit of ours.
        TrapKind::StackOverflow => Some(Gap::CutOff),
        TrapKind::CallTypeMismatch | TrapKind::MissingImport(_) | TrapKind::InvalidName => {
            Some(Gap::Unsupported)
        }
        TrapKind::Unreachable
        | TrapKind::DivisionByZero
        | TrapKind::IntegerOverflow
        | TrapKind::InvalidConversion
        | TrapKind::NullCall
        | TrapKind::NullPointer
        | TrapKind::Abort
        | TrapKind::AssertionFailed
        | TrapKind::ReachError
        | TrapKind::Leak
        | TrapKind::Uninitialized
        | TrapKind::Check(_) => None,
    }
}
