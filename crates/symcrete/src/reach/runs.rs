//! The runs that confirm what backward execution found.

use super::entries::Entries;
use super::target::Failing;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use symcrete_exec::{Executor, ModuleExecutor, Origin, Trace};
use symcrete_program::{Input, Outcome, Program, TestCase};
use symcrete_reach::{Ran, Reached, Runs, Target};
use symcrete_solve::Cancel;
use symcrete_term::Terms;

/// Runs inputs of all entries.
pub(crate) struct Runner<'a> {
    program: &'a Program,
    entries: &'a Entries,
    executors: BTreeMap<u32, ModuleExecutor>,
    fuel: u64,
    cancel: Cancel,
    stop: Arc<AtomicBool>,
    target: Option<(Target, Option<Failing>)>,
    failure: Option<Failure>,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(
        program: &'a Program,
        entries: &'a Entries,
        fuel: u64,
        cancel: Cancel,
    ) -> Runner<'a> {
        Runner {
            program,
            entries,
            executors: BTreeMap::new(),
            fuel,
            cancel,
            stop: Arc::default(),
            target: None,
            failure: None,
        }
    }

    /// Is set when the time limit is reached.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// What the next runs are to pass.
    pub(crate) fn aim(&mut self, target: Target, failing: Option<Failing>) {
        self.target = Some((target, failing));
    }

    /// What went wrong with the engine.
    pub(crate) fn failure(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// The input that reached a target as a test.
    pub(super) fn record(&mut self, reached: &Reached) -> Result<Option<TestCase>, Failure> {
        let mut terms = Terms::new();
        let trace = self.trace(&mut terms, reached.entry, &reached.input)?;
        let Some((_, shape)) = self.entries.unit(reached.entry) else { return Ok(None) };
        let input = shape.complete(&reached.input);
        Ok(Some(TestCase {
            input,
            drawn: trace.drawn,
            address_from: trace.address_from,
            outcome: trace.outcome,
            changes: Vec::new(),
            noted: None,
            freed: shape.freed(&trace.freed),
            coverage: trace.coverage,
            set_aside: None,
        }))
    }

    fn trace(&mut self, terms: &mut Terms, entry: u32, input: &Input) -> Result<Trace, Failure> {
        if !self.executors.contains_key(&entry) {
            self.executors.insert(entry, self.entries.executor(self.program, entry)?);
        }
        let executor = self.executors.get_mut(&entry).expect("it was just inserted");
        let Some((_, shape)) = self.entries.unit(entry) else {
            return Err(Failure::NoFunctions);
        };
        let image = shape.image(&self.program.types, input);
        Ok(executor.run(terms, &image, self.fuel)?)
    }

    fn is_reached(&self, trace: &Trace) -> bool {
        // The way of such a run may be another one elsewhere.
        if trace.unknown.is_end(&trace.outcome) || matches!(trace.outcome, Outcome::Rejected(_)) {
            return false;
        }
        let ended_with = |failing: &Failing, offset: Option<u32>| match &trace.outcome {
            Outcome::Trapped(trap) => {
                failing.is(&trap.kind)
                    && offset
                        .is_none_or(|offset| trap.site.is_some_and(|site| site.offset == offset))
            }
            Outcome::Returned(_)
            | Outcome::Rejected(_)
            | Outcome::Exhausted(_)
            | Outcome::Exited(_) => false,
        };
        match &self.target {
            Some((Target::Side(edge), _)) => trace.coverage.contains(*edge),
            Some((Target::Trap { offset, .. }, Some(failing))) => {
                ended_with(failing, Some(*offset))
            }
            Some((Target::Called(_), Some(failing))) => ended_with(failing, None),
            Some((Target::Trap { .. } | Target::Called(_), None)) | None => false,
        }
    }
}

impl Runs for Runner<'_> {
    fn run(&mut self, terms: &mut Terms, entry: u32, input: &Input) -> Ran {
        let trace = match self.trace(terms, entry, input) {
            Ok(trace) => trace,
            Err(failure) => {
                self.failure.get_or_insert(failure);
                return Ran::default();
            }
        };
        let shown = |origin: Origin| match origin {
            Origin::Branch
            | Origin::Select
            | Origin::TrapGuard
            | Origin::ObjectGuard
            | Origin::Assumed => true,
            Origin::Concretized | Origin::Range => false,
        };
        let path = trace.path.constraints.iter().filter(|constraint| shown(constraint.origin));
        Ran {
            is_reached: self.is_reached(&trace),
            path: path.map(|constraint| (constraint.literal, constraint.site)).collect(),
            is_trapped: matches!(trace.outcome, Outcome::Trapped(_) | Outcome::Rejected(_)),
        }
    }

    fn is_stopped(&self) -> bool {
        self.cancel.check().is_err() || self.failure.is_some()
    }
}
