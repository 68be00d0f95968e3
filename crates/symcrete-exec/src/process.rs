//! An instance that can be called any number of times.

use crate::config::kind_fits;
use crate::engine::{Executable, Shared, runtime};
use crate::error::ExecError;
use crate::host::{self, HostState, Parts};
use crate::instrument::control::OUT_OF_FUEL;
use crate::instrument::layout::{EXPORT_DEPTH, EXPORT_GLOBAL, EXPORT_PREFIX, EXPORT_START, Form};
use crate::recording::{Recording, Stop};
use crate::tags::{self, FORBIDDEN, FRESH};
use crate::trace::Constraint;
use std::ops::Range;
use std::sync::Arc;
use symcrete_program::module::ValueType;
use symcrete_program::{
    Cell, CellKind, Coverage, Edge, Gap, Image, Input, Outcome, Resource, Scalar, SiteId, Trap,
    TrapKind, Write,
};
use symcrete_term::{TermId, Terms};
use wasmtime::{Instance, Store, Val, WasmBacktrace};

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
    pub(crate) fn start(executable: &Executable, recording: Recording, fuel: u64) -> Process {
        let shared = Arc::clone(&executable.shared);
        let unseen = (shared.module.form == Form::Concrete).then(Vec::new);
        let store = Store::new(&shared.wasmtime, HostState { recording, parts: None, unseen });
        let started = Ok(Outcome::Returned(Vec::new()));
        let mut process = Process { shared, store, instance: None, started, fuel };
        match process.shared.instance.instantiate(&mut process.store) {
            Ok(instance) => {
                process.instance = Some(instance);
                process.store.data_mut().parts = Some(Parts::of(&mut process.store, instance));
                process.fuel_up();
                if process.shared.module.has_start {
                    let called = process.call_export(EXPORT_START, &[], 0);
                    process.started = called.map(|called| called.outcome);
                }
            }
            Err(error) => process.started = outcome_of(&process.shared, error),
        }
        process
    }

    /// Gives the concrete form all its fuel, since it does not ask for more.
    fn fuel_up(&mut self) {
        let Some(parts) = self.store.data().parts else { return };
        if self.shared.module.form == Form::Concrete {
            let recording = &mut self.store.data_mut().recording;
            let all = i32::try_from(recording.fuel_left).unwrap_or(i32::MAX);
            recording.fuel_left -= all as u64;
            parts.fuel.set(&mut self.store, Val::I32(all)).expect("it is a number that can be set");
        }
    }

    /// How starting ended: the start function may trap, and so may laying out memory.
    pub fn started(&self) -> Result<&Outcome, &ExecError> {
        self.started.as_ref()
    }

    /// Calls an exported function. If starting failed, that is how every call ends.
    pub fn call(&mut self, function: &str, args: &[Cell]) -> Result<Called, ExecError> {
        let values = self.arguments(function, args)?;
        self.store.data_mut().recording.settle_given()?;
        self.call_values(function, &values)
    }

    /// Lays out an image and calls a function on it.
    pub(crate) fn call_image(
        &mut self,
        function: &str,
        image: &Image,
    ) -> Result<Called, ExecError> {
        let values = self.arguments(function, &image.args)?;
        if matches!(self.started, Ok(Outcome::Returned(_))) {
            self.poison(image)?;
            self.write_cells(&image.writes)?;
            let recording = &mut self.store.data_mut().recording;
            recording.settle_given()?;
            recording.tie(&image.ties)?;
            recording.arguments.clone_from(&image.arguments);
            let mut settled = recording.settle_sizes();
            for range in &image.ranges {
                // The first that does not hold ends the run.
                settled = match settled {
                    Ok(()) => recording.assume_range(range)?,
                    ended => ended,
                };
            }
            if let Err(stop) = settled {
                let outcome = stop.outcome(Some(SiteId::at(0)));
                return Ok(Called { outcome, results: Vec::new() });
            }
        }
        self.call_values(function, &values)
    }

    /// Tags the bytes that the program must not access.
    fn poison(&mut self, image: &Image) -> Result<(), ExecError> {
        if image.arena.is_empty() || self.store.data().parts.is_none() {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let flags_start = shared.module.flags as usize;
        host::with_flags(&mut self.store, flags_start, |recording, length, flags| {
            let arena = image.arena.start..image.arena.end.min(length as u32);
            let tied: Vec<_> = image.ties.iter().map(|tie| tie.start..tie.end_max).collect();
            let (variables, room) = (Arc::clone(&shared.module.variables), &shared.module.frames);
            let zones = &mut recording.bytes.poison.zones;
            zones.set_program(variables, room.clone());
            zones.set_givers(Arc::clone(&shared.module.givers));
            let (copying, loops) = (&shared.module.copying, &shared.module.loops);
            recording.margins.set_code(Arc::clone(copying), Arc::clone(loops));
            recording.bytes.set_poison(flags, arena, &image.objects, (&tied, &image.state));
            if recording.watches_constants {
                recording.bytes.poison.watch_constants(flags);
            }
            recording.bytes.poison.set_heap(&image.heap);
            recording.bytes.poison.set_texts(&image.texts);
            let source = shared.module.uninitialized.clone();
            if u64::from(source.end) <= length as u64 {
                recording.bytes.set_source(flags, source);
            }
            recording.functions_end = shared.module.functions_end;
            let word = u64::from(shared.module.address.bytes());
            for &pointer in shared.module.initial_pointers.iter() {
                if u64::from(pointer) + word <= length as u64 {
                    recording.note_pointer(flags, pointer);
                }
            }
            recording.has_state = !image.state.is_empty();
            recording.tainted = true;
            Ok(())
        })
        .map_err(runtime)?;
        match shared.module.form {
            Form::Shadowed => Ok(()),
            Form::Concrete => self.tag_bytes(),
        }
    }

    /// Gives the concrete form its tags. Of a gap that the run meets anyhow nothing more is to be found out.
    fn tag_bytes(&mut self) -> Result<(), ExecError> {
        let shared = Arc::clone(&self.shared);
        let (module, word) = (&shared.module, shared.module.address.bytes());
        let (tags, state) = host::tags(&mut self.store, module.flags as usize);
        let recording = &mut state.recording;
        let foreseen = std::mem::take(&mut recording.foreseen);
        if foreseen.contains(&Gap::State) {
            recording.bytes.poison.forget_state();
        }
        recording.bytes.poison.tag_bytes(tags);
        tags::set(tags, &module.uninitialized, FORBIDDEN);
        let is_tracked = !foreseen.contains(&Gap::Addresses);
        for &pointer in module.initial_pointers.iter().filter(|_| is_tracked) {
            tags::set_pointer(tags, pointer, word);
        }
        foreseen.into_iter().for_each(|gap| recording.meet(gap));
        let tainted = state.parts.expect("it has just been looked into").tainted;
        tainted.set(&mut self.store, Val::I32(i32::from(is_tracked))).map_err(runtime)
    }

    /// For bytes that are read after the run, the host learns which were written.
    pub(crate) fn settle_fresh(&mut self, watched: &[Range<u32>]) {
        if self.shared.module.form == Form::Shadowed || self.store.data().parts.is_none() {
            return;
        }
        let start = self.shared.module.flags as usize;
        let (tags, state) = host::tags(&mut self.store, start);
        for byte in watched.iter().cloned().flatten() {
            let is_fresh = tags.get(byte as usize) == Some(&FRESH);
            if !is_fresh {
                state.recording.bytes.unwritten.cut(byte, 1);
            } else if !state.recording.bytes.unwritten.is_in(byte, 1) {
                // A value that nobody has written was stored there. Only the other form has a name for it.
                state.recording.is_form_left = true;
            }
        }
    }

    /// Sets whether the next call only prepares the entry.
    pub(crate) fn set_starting(&mut self, is_starting: bool) {
        self.store.data_mut().recording.is_starting = is_starting;
    }

    /// Values of cells that the program may ask for.
    pub(crate) fn provide(&mut self, drawn: &Input) {
        self.store.data_mut().recording.provided.clone_from(drawn);
    }

    /// Writes bytes to memory, symbolic ones (`name[0]`, `name[1]`, …) if a name is given.
    pub fn write(
        &mut self,
        address: u32,
        bytes: &[u8],
        name: Option<&str>,
    ) -> Result<(), ExecError> {
        self.write_cells(&Image::default().with_bytes(address, bytes, name).writes)
    }

    fn write_cells(&mut self, writes: &[Write]) -> Result<(), ExecError> {
        let flags_start = self.shared.module.flags as usize;
        for Write { address, cell } in writes {
            let (address, length) = (*address, cell.kind.size());
            let outside = || ExecError::CellOutOfBounds { address, length };
            let parts = self.store.data().parts.ok_or_else(outside)?;
            let (bits, term) = self.store.data_mut().recording.cell_in_memory(cell)?;
            let memory = parts.memory.data_mut(&mut self.store).get_mut(address as usize..);
            let target = memory.and_then(|memory| memory.get_mut(..length as usize));
            let bytes = bits.to_le_bytes();
            target.ok_or_else(outside)?.copy_from_slice(&bytes[..length as usize]);
            host::with_flags(&mut self.store, flags_start, |recording, _, flags| {
                match term.filter(|&term| recording.terms.as_const(term).is_none()) {
                    Some(term) => recording.shadow_bytes(flags, address, length as u8, term),
                    None => recording.bytes.clear(flags, address, length),
                }
                Ok(())
            })
            .map_err(runtime)?;
        }
        Ok(())
    }

    /// The contents of constant variables, one after another.
    pub(crate) fn constants(&self) -> Vec<u8> {
        let constants = self.shared.module.variables.iter().filter(|variable| variable.is_constant);
        constants.flat_map(|variable| self.bytes(variable.start..variable.end)).copied().collect()
    }

    /// Whether they differ from these bytes.
    pub(crate) fn has_changed_constants(&self, before: &[u8]) -> bool {
        let mut rest = before;
        self.shared.module.variables.iter().filter(|variable| variable.is_constant).any(
            |variable| {
                let now = self.bytes(variable.start..variable.end);
                let (before, after) = rest.split_at(now.len().min(rest.len()));
                rest = after;
                before != now
            },
        )
    }

    /// The failure of a program that leaks memory.
    pub(crate) fn leaked(&self) -> Option<Outcome> {
        let zones = &self.store.data().recording.bytes.poison.zones;
        let site = zones.leaked(self.memory())?;
        Some(Outcome::Trapped(Trap { kind: TrapKind::Leak, site: site.map(SiteId::at) }))
    }

    /// Bytes of memory, as far as there are.
    pub fn memory(&self) -> &[u8] {
        self.store.data().parts.map_or(&[], |parts| parts.memory.data(&self.store))
    }

    /// Some bytes of memory, clipped to what there is.
    pub(crate) fn bytes(&self, range: Range<u32>) -> &[u8] {
        let memory = self.memory();
        let end = memory.len().min(range.end as usize);
        &memory[(range.start as usize).min(end)..end]
    }

    /// The value of an exported global.
    pub fn global(&mut self, name: &str) -> Option<Scalar> {
        let export = format!("{EXPORT_GLOBAL}{name}");
        let global = self.instance?.get_global(&mut self.store, &export)?;
        Some(scalar(&global.get(&mut self.store)))
    }

    /// All terms so far.
    pub fn terms(&self) -> &Terms {
        &self.store.data().recording.terms
    }

    /// All constraints so far, in execution order.
    pub fn path(&self) -> &[Constraint] {
        &self.store.data().recording.path
    }

    /// Which sides of which branches were taken so far.
    pub fn coverage(&self) -> Coverage {
        let Some(parts) = self.store.data().parts else { return Coverage::default() };
        let sites = &self.shared.module.sites;
        let side_bytes = self.shared.module.form.side_bytes() as usize;
        let map = parts.flags.data(&self.store)[..2 * sites.ids.len() * side_bytes].iter();
        let map: Vec<u8> = map.step_by(side_bytes).copied().collect();
        let map = &map[..];
        let set = map.iter().enumerate().filter(|(_, byte)| **byte != 0);
        let direct = set.map(|(at, _)| Edge { site: sites.ids[at / 2], taken: at % 2 == 1 });
        // Code notes which case of a switch was taken; the others were not.
        let others = sites.switches.values().flat_map(|switch| {
            let cases = switch.first_site..switch.first_site + switch.cases.depths.len();
            let is_taken = move |case: usize| map[2 * case + 1] != 0;
            let n_taken = cases.clone().filter(|&case| is_taken(case)).count();
            cases.filter_map(move |case| {
                let is_other_taken = n_taken > usize::from(is_taken(case));
                is_other_taken.then(|| Edge { site: sites.ids[case], taken: false })
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
        let left = self.store.data().recording.fuel_left;
        (self.fuel - left).saturating_sub(u64::try_from(at_hand).unwrap_or(0))
    }

    /// Ends the process and returns the recording.
    pub(crate) fn into_recording(self) -> Recording {
        self.store.into_data().recording
    }

    /// Whether this is the concrete form of a program, and has come upon something symbolic. Then it has ended, and the run must
    /// be made in the other form.
    pub fn is_form_left(&self) -> bool {
        self.store.data().recording.is_form_left
    }

    /// Values, then shadows, which the concrete form has none of.
    fn arguments(&mut self, function: &str, args: &[Cell]) -> Result<Vec<Val>, ExecError> {
        let shared = Arc::clone(&self.shared);
        let Some(ty) = shared.module.exports.get(function) else {
            return Err(ExecError::MissingExport { name: function.to_string() });
        };
        let params = &ty.params[..];
        if params.len() != args.len() || !params.iter().zip(args).all(fits) {
            return Err(wrong_arguments(function, params, args));
        }
        let is_concrete = shared.module.form == Form::Concrete;
        if is_concrete && args.iter().any(|cell| cell.symbol.is_some()) {
            return Err(wrong_arguments(function, params, args));
        }
        let recording = &mut self.store.data_mut().recording;
        let mut values = vec![Val::I32(0); 2 * args.len()];
        for (i, (&ty, cell)) in params.iter().zip(args).enumerate() {
            let width = if ty == ValueType::I64 { 64 } else { 32 };
            let (bits, term) = recording.cell_as_value(cell, width)?;
            values[i] = host::val_of(ty, bits);
            values[args.len() + i] = Val::I32(match term {
                Some(term) if recording.terms.as_const(term).is_none() => term.index() as i32 + 1,
                Some(_) | None => 0,
            });
        }
        if is_concrete {
            values.truncate(args.len());
        }
        Ok(values)
    }

    fn call_values(&mut self, function: &str, values: &[Val]) -> Result<Called, ExecError> {
        match &self.started {
            Ok(Outcome::Returned(_)) => {}
            Ok(outcome) => return Ok(Called { outcome: outcome.clone(), results: Vec::new() }),
            Err(error) => return Err(error.clone()),
        }
        let n_results = self.shared.module.exports[function].results.len();
        self.call_export(&format!("{EXPORT_PREFIX}{function}"), values, n_results)
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
        let n_shadows = match self.shared.module.form {
            Form::Shadowed => n_results,
            Form::Concrete => 0,
        };
        let mut results = vec![Val::I32(0); n_results + n_shadows];
        match function.call(&mut self.store, values, &mut results) {
            Ok(()) => {
                let (values, shadows) = results.split_at(n_results);
                if self.shared.module.form == Form::Concrete
                    && values.iter().map(scalar).any(is_nan)
                {
                    // Its bits may be others in the shadowed form.
                    self.store.data_mut().recording.is_form_left = true;
                }
                let term = |shadow: &Val| match shadow.unwrap_i32() {
                    0 => None,
                    shadow => Some(TermId::from_index(shadow as usize - 1)),
                };
                Ok(Called {
                    outcome: Outcome::Returned(values.iter().map(scalar).collect()),
                    results: match self.shared.module.form {
                        Form::Shadowed => shadows.iter().map(term).collect(),
                        Form::Concrete => vec![None; n_results],
                    },
                })
            }
            Err(error) => {
                let mut outcome = outcome_of(&self.shared, error)?;
                if self.shared.module.form == Form::Concrete {
                    outcome = self.concrete_end(outcome);
                }
                Ok(Called { outcome, results: Vec::new() })
            }
        }
    }
}

impl Process {
    /// What the end of a run in the concrete form means. But for the few ends that say the same in both forms, the shadowed
    /// form has to tell.
    fn concrete_end(&mut self, outcome: Outcome) -> Outcome {
        let Some(parts) = self.store.data().parts else { return outcome };
        let is_out_of_fuel = parts.fuel.get(&mut self.store).unwrap_i32() == OUT_OF_FUEL;
        let recording = &mut self.store.data_mut().recording;
        if matches!(outcome, Outcome::Exited(_)) {
            return outcome;
        }
        if is_out_of_fuel && recording.fuel_left == 0 && !recording.is_form_left {
            // A further call finds none either.
            parts.fuel.set(&mut self.store, Val::I32(-1)).expect("it is a number that can be set");
            return Outcome::Exhausted(Resource::Fuel);
        }
        recording.is_form_left = true;
        outcome
    }
}

/// Whether a cell can be an argument of that type; of references only null ones are.
fn fits((ty, cell): (&ValueType, &Cell)) -> bool {
    let is_null = || cell.symbol.is_none() && cell.bits == 0;
    kind_fits(cell.kind, *ty) || (*ty == ValueType::FuncRef && is_null())
}

fn wrong_arguments(function: &str, params: &[ValueType], args: &[Cell]) -> ExecError {
    let given = |cell: &Cell| match cell.kind {
        CellKind::Int { bits, signed: true } => format!("i{bits}"),
        CellKind::Int { bits, signed: false } => format!("u{bits}"),
        CellKind::Bool => "bool".to_string(),
        CellKind::F32 => "f32".to_string(),
        CellKind::F64 => "f64".to_string(),
    };
    let expected: Vec<String> = params.iter().map(ToString::to_string).collect();
    let given: Vec<String> = args.iter().map(given).collect();
    ExecError::WrongArguments {
        name: function.to_string(),
        expected: expected.join(", "),
        given: given.join(", "),
    }
}

/// How a run ended that did not return.
fn outcome_of(shared: &Shared, error: wasmtime::Error) -> Result<Outcome, ExecError> {
    let site = trap_site(shared, &error);
    match error.downcast_ref::<Stop>() {
        Some(stop) => Ok(stop.clone().outcome(site)),
        None => match error.downcast_ref::<wasmtime::Trap>().and_then(trap_kind) {
            Some(kind) => Ok(Outcome::Trapped(Trap { kind, site })),
            None => Err(runtime(error)),
        },
    }
}

/// The original operator where a run ended.
fn trap_site(shared: &Shared, error: &wasmtime::Error) -> Option<SiteId> {
    let backtrace = error.downcast_ref::<WasmBacktrace>()?;
    shared.module.innermost_site(backtrace.frames()).map(SiteId::at)
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

fn is_nan(scalar: Scalar) -> bool {
    match scalar {
        Scalar::F32(bits) => f32::from_bits(bits).is_nan(),
        Scalar::F64(bits) => f64::from_bits(bits).is_nan(),
        Scalar::I32(_) | Scalar::I64(_) | Scalar::FuncRef { .. } => false,
    }
}

/// The failure that a trap of Wasmtime stands for; `None` if programs cannot cause it.
#[expect(clippy::wildcard_enum_match_arm, reason = "Wasmtime has forty others")]
pub(crate) fn trap_kind(trap: &wasmtime::Trap) -> Option<TrapKind> {
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
