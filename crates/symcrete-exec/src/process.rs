//! An instance that lives through any number of calls.

use crate::engine::{Executable, Shared, runtime};
use crate::error::ExecError;
use crate::host::{self, HostState, Parts};
use crate::instrument::layout::{EXPORT_DEPTH, EXPORT_GLOBAL, EXPORT_PREFIX, EXPORT_START};
use crate::memory::ByteOf;
use crate::session::{Session, Stop};
use crate::trace::Constraint;
use std::sync::Arc;
use symcrete_program::{Coverage, Edge, Outcome, Scalar, SiteId, Trap, TrapKind};
use symcrete_term::{Sort, TermId, Terms};
use wasmtime::{Instance, Store, Val, WasmBacktrace};

/// An argument of a call: symbolic if it has the name of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Its value.
    pub value: Scalar,
    /// The variable that stands for it.
    pub name: Option<String>,
}

/// How a call ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Called {
    /// How it ended.
    pub outcome: Outcome,
    /// The terms of the results; `None` where a result is concrete.
    pub results: Vec<Option<TermId>>,
}

/// A fresh instance with its own memory, and what was recorded since it was started.
pub struct Process {
    shared: Arc<Shared>,
    store: Store<HostState>,
    instance: Option<Instance>,
    started: Result<Outcome, ExecError>,
    fuel: u64,
}

impl Process {
    /// Instantiates a program and runs its start function.
    pub(crate) fn start(executable: &Executable, session: Session, fuel: u64) -> Process {
        let shared = Arc::clone(&executable.shared);
        let store = Store::new(&shared.wasmtime, HostState { session, parts: None });
        let started = Ok(Outcome::Returned(Vec::new()));
        let mut process = Process { shared, store, instance: None, started, fuel };
        match process.shared.instance.instantiate(&mut process.store) {
            Ok(instance) => {
                process.instance = Some(instance);
                process.store.data_mut().parts = Some(Parts::of(&mut process.store, instance));
                if process.shared.module.has_start {
                    let called = process.call_export(EXPORT_START, &[], 0);
                    process.started = called.map(|called| called.outcome);
                }
            }
            Err(error) => process.started = outcome_of(&process.shared, error),
        }
        process
    }

    /// How starting ended: the start function may trap, and so may laying out memory.
    pub fn started(&self) -> Result<&Outcome, &ExecError> {
        self.started.as_ref()
    }

    /// Calls an exported function. If starting failed, that is how every call ends.
    pub fn call(&mut self, function: &str, args: &[Argument]) -> Result<Called, ExecError> {
        let Some(ty) = self.shared.module.exports.get(function) else {
            return Err(ExecError::MissingExport { name: function.to_string() });
        };
        check_arguments(function, ty.params(), args)?;
        let n_results = ty.results().len();
        match &self.started {
            Ok(Outcome::Returned(_)) => {}
            Ok(outcome) => return Ok(Called { outcome: outcome.clone(), results: Vec::new() }),
            Err(error) => return Err(error.clone()),
        }
        let values = self.values(args);
        self.call_export(&format!("{EXPORT_PREFIX}{function}"), &values, n_results)
    }

    /// Writes bytes to memory, symbolic ones if they have names.
    pub fn write(
        &mut self,
        address: u32,
        bytes: &[u8],
        name: Option<&dyn Fn(usize) -> String>,
    ) -> Result<(), ExecError> {
        let outside = || ExecError::BufferOutOfBounds { address, length: bytes.len() };
        let parts = self.store.data().parts.ok_or_else(outside)?;
        let memory = parts.memory.data_mut(&mut self.store);
        let target = memory.get_mut(address as usize..).ok_or_else(outside)?;
        target.get_mut(..bytes.len()).ok_or_else(outside)?.copy_from_slice(bytes);
        let flags_start = self.shared.module.flags as usize;
        host::with_flags(&mut self.store, flags_start, |session, _, flags| {
            session.bytes.clear(flags, address, bytes.len() as u32);
            if let Some(name) = name {
                let variables = (0..bytes.len()).map(|i| session.terms.var(&name(i), Sort::Bv(8)));
                let symbolic: Vec<Option<ByteOf>> =
                    variables.map(|term| Some(ByteOf { term, index: 0 })).collect();
                session.tainted |= !symbolic.is_empty();
                session.bytes.set(flags, address, &symbolic);
            }
            Ok(())
        })
        .map_err(runtime)
    }

    /// Bytes of memory, as far as there are.
    pub fn memory(&self) -> &[u8] {
        self.store.data().parts.map_or(&[], |parts| parts.memory.data(&self.store))
    }

    /// The value of an exported global.
    pub fn global(&mut self, name: &str) -> Option<Scalar> {
        let export = format!("{EXPORT_GLOBAL}{name}");
        let global = self.instance?.get_global(&mut self.store, &export)?;
        Some(scalar(&global.get(&mut self.store)))
    }

    /// All terms so far.
    pub fn terms(&self) -> &Terms {
        &self.store.data().session.terms
    }

    /// All constraints so far, in execution order.
    pub fn path(&self) -> &[Constraint] {
        &self.store.data().session.path
    }

    /// Which sides of which branches were taken so far.
    pub fn coverage(&self) -> Coverage {
        let Some(parts) = self.store.data().parts else { return Coverage::default() };
        let sites = &self.shared.module.sites;
        let map = &parts.flags.data(&self.store)[..2 * sites.ids.len()];
        let set = map.iter().enumerate().filter(|(_, byte)| **byte != 0);
        let direct = set.map(|(at, _)| Edge { site: sites.ids[at / 2], taken: at % 2 == 1 });
        // Code notes which case of a switch was taken; the others were not.
        let others = sites.switches.values().flat_map(|switch| {
            let cases = switch.first_site..switch.first_site + switch.depths.len();
            let taken = move |case: usize| map[2 * case + 1] != 0;
            cases.clone().filter_map(move |case| {
                let other = cases.clone().any(|other| other != case && taken(other));
                other.then(|| Edge { site: sites.ids[case], taken: false })
            })
        });
        direct.chain(others).collect()
    }

    /// Sites passed so far. After a trap this counts what the trapping function's callers had paid.
    pub fn fuel_used(&mut self) -> u64 {
        let at_hand = match self.store.data().parts {
            Some(parts) => parts.fuel.get(&mut self.store).unwrap_i32(),
            None => 0,
        };
        let left = self.store.data().session.fuel_left;
        (self.fuel - left).saturating_sub(u64::try_from(at_hand).unwrap_or(0))
    }

    /// Ends the process and gives back what was recorded.
    pub(crate) fn into_session(self) -> Session {
        self.store.into_data().session
    }

    /// Values, then shadows. A symbolic float enters with its NaN made canonical.
    fn values(&mut self, args: &[Argument]) -> Vec<Val> {
        let terms = &mut self.store.data_mut().session.terms;
        let mut values = Vec::with_capacity(2 * args.len());
        let mut shadows = Vec::with_capacity(args.len());
        for arg in args {
            let symbolic = arg.name.as_deref().zip(arg.value.sort());
            let shadow =
                symbolic.map_or(0, |(name, sort)| terms.var(name, sort).index() as i32 + 1);
            let value = if symbolic.is_some() { arg.value.canonical() } else { arg.value };
            values.push(match value {
                Scalar::I32(bits) => Val::I32(bits as i32),
                Scalar::I64(bits) => Val::I64(bits as i64),
                Scalar::F32(bits) => Val::F32(bits),
                Scalar::F64(bits) => Val::F64(bits),
                Scalar::FuncRef { .. } => Val::FuncRef(None),
            });
            shadows.push(Val::I32(shadow));
        }
        values.append(&mut shadows);
        values
    }

    fn call_export(
        &mut self,
        export: &str,
        values: &[Val],
        n_results: usize,
    ) -> Result<Called, ExecError> {
        let instance = self.instance.expect("a process that started has an instance");
        let ours = "the rewritten module exports what the original does";
        let function = instance.get_func(&mut self.store, export).expect(ours);
        let depth = instance.get_global(&mut self.store, EXPORT_DEPTH).expect(ours);
        let call_depth = i32::try_from(self.shared.limits.call_depth).unwrap_or(i32::MAX);
        depth.set(&mut self.store, Val::I32(call_depth)).map_err(runtime)?;
        let mut results = vec![Val::I32(0); 2 * n_results];
        match function.call(&mut self.store, values, &mut results) {
            Ok(()) => {
                let (values, shadows) = results.split_at(n_results);
                let term = |shadow: &Val| match shadow.unwrap_i32() {
                    0 => None,
                    shadow => Some(TermId::from_index(shadow as usize - 1)),
                };
                Ok(Called {
                    outcome: Outcome::Returned(values.iter().map(scalar).collect()),
                    results: shadows.iter().map(term).collect(),
                })
            }
            Err(error) => {
                Ok(Called { outcome: outcome_of(&self.shared, error)?, results: Vec::new() })
            }
        }
    }
}

fn check_arguments(
    function: &str,
    params: &[wasmparser::ValType],
    args: &[Argument],
) -> Result<(), ExecError> {
    let fits = |(ty, arg): (&wasmparser::ValType, &Argument)| match arg.value {
        Scalar::I32(_) => *ty == wasmparser::ValType::I32,
        Scalar::I64(_) => *ty == wasmparser::ValType::I64,
        Scalar::F32(_) => *ty == wasmparser::ValType::F32,
        Scalar::F64(_) => *ty == wasmparser::ValType::F64,
        Scalar::FuncRef { null } => null && *ty == wasmparser::ValType::FUNCREF,
    };
    if args.len() == params.len() && params.iter().zip(args).all(fits) {
        return Ok(());
    }
    let expected: Vec<String> = params.iter().map(ToString::to_string).collect();
    let given: Vec<String> = args.iter().map(|arg| arg.value.to_string()).collect();
    Err(ExecError::WrongArguments {
        name: function.to_string(),
        expected: expected.join(", "),
        given: given.join(", "),
    })
}

/// How a run ended that did not return.
fn outcome_of(shared: &Shared, error: wasmtime::Error) -> Result<Outcome, ExecError> {
    let site = trap_site(shared, &error);
    let trapped = |kind| Outcome::Trapped(Trap { kind, site });
    Ok(match error.downcast_ref::<Stop>() {
        Some(Stop::Exhausted(resource)) => Outcome::Exhausted(*resource),
        Some(Stop::Rejected) => Outcome::Rejected(site.unwrap_or(SiteId::at(0))),
        Some(Stop::Trap(kind)) => trapped(kind.clone()),
        None => match error.downcast_ref::<wasmtime::Trap>().and_then(trap_kind) {
            Some(kind) => trapped(kind),
            None => return Err(runtime(error)),
        },
    })
}

/// The original operator where the innermost frame of the program was.
fn trap_site(shared: &Shared, error: &wasmtime::Error) -> Option<SiteId> {
    let backtrace = error.downcast_ref::<WasmBacktrace>()?;
    let at = backtrace.frames().first()?.module_offset()? as u32;
    let origins = &shared.module.origins;
    let next = origins.partition_point(|&(here, _)| here <= at);
    Some(SiteId::at(origins[next.checked_sub(1)?].1))
}

fn scalar(val: &Val) -> Scalar {
    match val {
        Val::I32(x) => Scalar::I32(*x as u32),
        Val::I64(x) => Scalar::I64(*x as u64),
        Val::F32(bits) => Scalar::F32(*bits),
        Val::F64(bits) => Scalar::F64(*bits),
        Val::FuncRef(function) => Scalar::FuncRef { null: function.is_none() },
        Val::V128(_) | Val::ExternRef(_) | Val::AnyRef(_) | Val::ExnRef(_) | Val::ContRef(_) => {
            unreachable!("modules with such values are refused")
        }
    }
}

/// What a trap of Wasmtime's is in the program's terms; `None` if programs cannot cause it.
#[expect(clippy::wildcard_enum_match_arm, reason = "Wasmtime has forty others")]
fn trap_kind(trap: &wasmtime::Trap) -> Option<TrapKind> {
    Some(match trap {
        wasmtime::Trap::UnreachableCodeReached => TrapKind::Unreachable,
        wasmtime::Trap::IntegerDivisionByZero => TrapKind::DivisionByZero,
        wasmtime::Trap::IntegerOverflow => TrapKind::IntegerOverflow,
        wasmtime::Trap::BadConversionToInteger => TrapKind::InvalidConversion,
        wasmtime::Trap::MemoryOutOfBounds => TrapKind::MemoryOutOfBounds,
        wasmtime::Trap::TableOutOfBounds => TrapKind::TableOutOfBounds,
        wasmtime::Trap::IndirectCallToNull => TrapKind::NullCall,
        wasmtime::Trap::BadSignature => TrapKind::CallTypeMismatch,
        wasmtime::Trap::StackOverflow => TrapKind::StackOverflow,
        _ => return None,
    })
}
