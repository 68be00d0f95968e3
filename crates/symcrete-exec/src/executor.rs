//! Runs one exported function on inputs.
//!
//! Every run has a fresh instance, so runs cannot influence each other. An executor is one per thread.

use crate::engine::Executable;
use crate::error::ExecError;
use crate::process::{Argument, Called, Process};
use crate::session::Session;
use crate::trace::{PathCondition, Trace};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use symcrete_program::{Input, Outcome};
use symcrete_term::Terms;

/// Runs inputs of a program.
pub trait Executor {
    /// Runs an input. New terms go into `terms`; `fuel` bounds the sites that are passed.
    fn run(&mut self, terms: &mut Terms, input: &Input, fuel: u64) -> Result<Trace, ExecError>;
}

/// What is called, and what of its input is symbolic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// An exported function.
    pub function: String,
    /// Exported functions without parameters that are called first, such as `_initialize`.
    pub before: Vec<String>,
    /// For each argument, whether it is symbolic; those not mentioned are concrete.
    pub symbolic_args: Vec<bool>,
    /// For each buffer, whether its bytes are symbolic; those not mentioned are concrete.
    pub symbolic_buffers: Vec<bool>,
}

impl Entry {
    /// A function whose input is all concrete.
    pub fn concrete(function: impl Into<String>) -> Entry {
        Entry {
            function: function.into(),
            before: vec![],
            symbolic_args: vec![],
            symbolic_buffers: vec![],
        }
    }

    /// A function whose first `n` arguments are symbolic.
    pub fn symbolic(function: impl Into<String>, n: usize) -> Entry {
        Entry { symbolic_args: vec![true; n], ..Entry::concrete(function) }
    }
}

/// The name of the variable that stands for an argument.
pub fn argument_name(i: usize) -> String {
    format!("arg{i}")
}

/// The name of the variable that stands for a byte of a buffer.
pub fn byte_name(buffer: usize, i: usize) -> String {
    format!("buffer{buffer}[{i}]")
}

/// Runs one exported function.
pub struct ModuleExecutor {
    executable: Executable,
    entry: Entry,
    stop: Arc<AtomicBool>,
    spare: Option<Session>,
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
        Ok(ModuleExecutor { executable: self.clone(), entry, stop, spare: None })
    }

    /// A process of its own, for several calls.
    pub fn start(&self, fuel: u64) -> Process {
        let stop = Arc::new(AtomicBool::new(false));
        let mut session = Session::new(self.shared.limits, stop);
        session.begin(Terms::new(), fuel);
        Process::start(self, session, fuel)
    }
}

impl ModuleExecutor {
    /// A flag that ends the run under way and all later ones, soon: the safety net against programs that
    /// take too long. A run that it ended is not reproducible.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Calls what comes first, lays out the buffers, calls the entry.
    fn execute(&self, process: &mut Process, input: &Input) -> Result<Called, ExecError> {
        for function in &self.entry.before {
            let called = process.call(function, &[])?;
            if !matches!(called.outcome, Outcome::Returned(_)) {
                return Ok(called);
            }
        }
        let is_symbolic = |marks: &[bool], i: usize| marks.get(i).copied().unwrap_or(false);
        for (i, buffer) in input.buffers.iter().enumerate() {
            let name = |at| byte_name(i, at);
            let named: Option<&dyn Fn(usize) -> String> =
                is_symbolic(&self.entry.symbolic_buffers, i).then_some(&name);
            process.write(buffer.address, &buffer.bytes, named)?;
        }
        let args = input.args.iter().enumerate().map(|(i, &value)| {
            let name = is_symbolic(&self.entry.symbolic_args, i).then(|| argument_name(i));
            Argument { value, name }
        });
        process.call(&self.entry.function, &args.collect::<Vec<_>>())
    }
}

impl Executor for ModuleExecutor {
    fn run(&mut self, terms: &mut Terms, input: &Input, fuel: u64) -> Result<Trace, ExecError> {
        let limits = self.executable.shared.limits;
        let mut session = match self.spare.take() {
            Some(session) => session,
            None => Session::new(limits, Arc::clone(&self.stop)),
        };
        session.begin(std::mem::take(terms), fuel);
        let mut process = Process::start(&self.executable, session, fuel);
        let called = self.execute(&mut process, input);
        let (coverage, fuel_used) = (process.coverage(), process.fuel_used());
        let mut session = process.into_session();
        *terms = std::mem::take(&mut session.terms);
        let path = PathCondition { constraints: std::mem::take(&mut session.path) };
        self.spare = Some(session);
        let Called { outcome, results } = called?;
        Ok(Trace { path, outcome, results, coverage, fuel_used })
    }
}
