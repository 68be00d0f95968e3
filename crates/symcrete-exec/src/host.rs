//! The host functions that rewritten code calls: they unpack arguments, call the [`Recording`] and return.

use crate::accesses::Bulk;
use crate::imports;
use crate::instrument::layout::{EXPORT_FLAGS, EXPORT_FUEL, EXPORT_MEMORY, EXPORT_TAINTED, HOST};
use crate::instrument::{Instrumented, layout};
use crate::poison::Poison;
use crate::recording::{Address, Recording, ShadowId, Stop};
use crate::tags;
use crate::trace::Origin;
use crate::wasm_op::{Num, ValueType, WasmOp};
use std::sync::Arc;
use symcrete_program::{Gap, SiteId, TrapKind};
use symcrete_term::{Function, Native, Sort, TermId, Value};
use wasmtime::{
    Caller, Engine, FuncType, Global, Instance, Linker, Memory, Store, Val, ValType, WasmBacktrace,
};

/// Parts of an instance that the host accesses.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) memory: Memory,
    pub(crate) flags: Memory,
    pub(crate) fuel: Global,
    pub(crate) tainted: Global,
}

/// What a store holds: the recording, and the parts of its instance once there is one.
pub(crate) struct HostState {
    pub(crate) recording: Recording,
    pub(crate) parts: Option<Parts>,
    /// In the concrete form: flags that are not looked at.
    pub(crate) unseen: Option<Vec<u8>>,
}

pub(crate) type Host<'a> = Caller<'a, HostState>;

impl Parts {
    /// Finds the parts of an instance of a rewritten module.
    pub(crate) fn of(store: &mut Store<HostState>, instance: Instance) -> Parts {
        let ours = "the rewritten module exports it";
        Parts {
            memory: instance.get_memory(&mut *store, EXPORT_MEMORY).expect(ours),
            flags: instance.get_memory(&mut *store, EXPORT_FLAGS).expect(ours),
            fuel: instance.get_global(&mut *store, EXPORT_FUEL).expect(ours),
            tainted: instance.get_global(&mut *store, EXPORT_TAINTED).expect(ours),
        }
    }
}

/// The parts of the instance whose code is calling.
pub(crate) fn parts(host: &Host<'_>) -> Parts {
    host.data().parts.expect("code runs only in an instance whose parts are known")
}

/// Carries the end of a run through Wasmtime.
pub(crate) fn stopped<T>(result: Result<T, Stop>) -> wasmtime::Result<T> {
    result.map_err(wasmtime::Error::new)
}

/// Defines all functions that a rewritten module imports.
pub(crate) fn define(
    engine: &Engine,
    linker: &mut Linker<HostState>,
    module: &Arc<Instrumented>,
) -> wasmtime::Result<()> {
    define_numeric(linker)?;
    define_decisions(linker, module)?;
    define_memory(linker, module.flags)?;
    define_concrete(linker, module)?;
    linker.func_wrap(HOST, "Refuel", |mut host: Host<'_>| {
        let fuel = parts(&host).fuel;
        let at_hand = fuel.get(&mut host).unwrap_i32();
        let at_hand = stopped(host.data_mut().recording.refuel(at_hand))?;
        fuel.set(&mut host, Val::I32(at_hand))
    })?;
    let starting = Arc::clone(module);
    linker.func_wrap(HOST, "Meet", move |mut host: Host<'_>, code: u32| {
        // Initialising the C library is not part of the run, except for the program's own constructors.
        if host.data().recording.is_starting {
            let backtrace = WasmBacktrace::force_capture(&host);
            let site = starting.innermost_site(backtrace.frames());
            if !site.is_some_and(|site| starting.is_own(site)) {
                return;
            }
        }
        if let Some(gap) = Gap::from_code(code) {
            host.data_mut().recording.meet(gap);
        }
    })?;
    linker.func_wrap(HOST, "TooDeep", || -> wasmtime::Result<()> {
        stopped(Err(Stop::Trap(TrapKind::StackOverflow)))
    })?;
    for (i, function) in module.opaque.iter().enumerate() {
        define_opaque(engine, linker, (layout::OPAQUE, i), function)?;
    }
    for i in 0..module.imports.len() {
        imports::define(engine, linker, i, module)?;
    }
    Ok(())
}

fn define_numeric(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    linker.func_wrap(HOST, "Unary", |mut host: Host<'_>, op: u32, s: ShadowId, v: u64| {
        stopped(host.data_mut().recording.unary(WasmOp::from_code(op), s, v))
    })?;
    linker.func_wrap(
        HOST,
        "Binary",
        |mut host: Host<'_>, op: u32, s: ShadowId, s2: ShadowId, v: u64, v2: u64| {
            let recording = &mut host.data_mut().recording;
            stopped(recording.binary(WasmOp::from_code(op), [s, s2], [v, v2]))
        },
    )?;
    linker.func_wrap(
        HOST,
        "UnaryGuarded",
        |mut host: Host<'_>, op: u32, site: u32, s: ShadowId, v: u64| {
            stopped(host.data_mut().recording.guarded(WasmOp::from_code(op), site, &[(s, v)]))
        },
    )?;
    linker.func_wrap(
        HOST,
        "BinaryGuarded",
        |mut host: Host<'_>, op: u32, site: u32, s: ShadowId, s2: ShadowId, v: u64, v2: u64| {
            let recording = &mut host.data_mut().recording;
            stopped(recording.guarded(WasmOp::from_code(op), site, &[(s, v), (s2, v2)]))
        },
    )?;
    Ok(())
}

fn define_decisions(
    linker: &mut Linker<HostState>,
    module: &Arc<Instrumented>,
) -> wasmtime::Result<()> {
    for (name, origin) in [("Branch", Origin::Branch), ("Select", Origin::Select)] {
        let module = Arc::clone(module);
        linker.func_wrap(
            HOST,
            name,
            move |mut host: Host<'_>, site: u32, s: ShadowId, v: u32| {
                let decided = host.data_mut().recording.decide(site, s, v, origin);
                note_place(&mut host, &module);
                stopped(decided)
            },
        )?;
    }
    let (module, assuming) = (Arc::clone(module), Arc::clone(module));
    linker.func_wrap(
        HOST,
        "Switch",
        move |mut host: Host<'_>, site: u32, s: ShadowId, v: u32| {
            let decided = host.data_mut().recording.switch(&module.sites, site, s, v);
            note_place(&mut host, &module);
            stopped(decided)
        },
    )?;
    linker.func_wrap(
        HOST,
        "Assume",
        move |mut host: Host<'_>, site: u32, s: ShadowId, v: u32| {
            // Harnesses assume through functions of the runtime, which are not what the user wrote.
            let is_foreign = s != 0 && !assuming.is_own(site);
            let backtrace = is_foreign.then(|| WasmBacktrace::force_capture(&host));
            let own = backtrace.and_then(|backtrace| assuming.innermost_site(backtrace.frames()));
            stopped(host.data_mut().recording.assume(own.unwrap_or(site), s, v))
        },
    )?;
    linker.func_wrap(HOST, "Pin", |mut host: Host<'_>, site: u32, s: ShadowId, v: u64| {
        stopped(host.data_mut().recording.pin(site, s, v))
    })?;
    linker.func_wrap(
        HOST,
        "Bounded",
        |mut host: Host<'_>, site: u32, s: ShadowId, index: u64, limit: u32| {
            stopped(host.data_mut().recording.bounded(site, s, index, limit))
        },
    )?;
    Ok(())
}

/// If a library function decides by an uninitialised value, the place is where it was called.
fn note_place(host: &mut Host<'_>, module: &Instrumented) {
    let Some(place) = host.data_mut().recording.uninitialized.new_place() else { return };
    if module.is_own(place.offset) {
        return;
    }
    let backtrace = WasmBacktrace::force_capture(&*host);
    if let Some(offset) = module.innermost_site(backtrace.frames()) {
        host.data_mut().recording.uninitialized.set_place(SiteId::at(offset));
    }
}

fn define_memory(linker: &mut Linker<HostState>, flags_start: u32) -> wasmtime::Result<()> {
    let flags_start = flags_start as usize;
    linker.func_wrap(
        HOST,
        "Load",
        move |mut host: Host<'_>,
              code: u32,
              site: u32,
              offset: u32,
              shadow: ShadowId,
              value: u64| {
            let memory = parts(&host).memory;
            let (data, state) = memory.data_and_store_mut(&mut host);
            let loaded = state.recording.load(data, code, site, Address { shadow, value, offset });
            write_unknown(data, &mut state.recording);
            note_torn(&mut host, flags_start);
            let state = host.data();
            if !state.recording.stale.is_empty() {
                with_flags(&mut host, flags_start, |recording, _, flags| {
                    recording.bytes.refresh(flags, &std::mem::take(&mut recording.stale));
                    Ok(())
                })?;
            }
            stopped(loaded)
        },
    )?;
    linker.func_wrap(
        HOST,
        "Store",
        move |mut host: Host<'_>,
              code: u32,
              site: u32,
              offset: u32,
              shadow: ShadowId,
              value: u64,
              stored_shadow: ShadowId,
              stored: u64| {
            with_flags(&mut host, flags_start, |recording, length, flags| {
                let address = Address { shadow, value, offset };
                recording.store((length, flags), (code, site), address, (stored_shadow, stored))
            })
        },
    )?;
    define_bulk(linker, flags_start)
}

/// The host functions of the concrete form.
fn define_concrete(
    linker: &mut Linker<HostState>,
    module: &Arc<Instrumented>,
) -> wasmtime::Result<()> {
    let (start, word) = (module.flags as usize, module.address.bytes());
    linker.func_wrap(
        HOST,
        "Copied",
        move |mut host: Host<'_>, to: u64, from: u64, n: u64| -> wasmtime::Result<()> {
            let (Some(to), Some(from)) = (range(&host, to, n), range(&host, from, n)) else {
                return Ok(());
            };
            let (tags, state) = tags(&mut host, start);
            let poison = &state.recording.bytes.poison;
            let is_known = [&to, &from].iter().all(|bytes| is_plain(poison, bytes))
                && !poison.is_state(from.start, from.end - from.start)
                && tags::copy(tags, to.start, from.start, to.end - to.start, word);
            match is_known {
                true => Ok(()),
                false => stopped(state.recording.leave_concrete_form()),
            }
        },
    )?;
    linker.func_wrap(
        HOST,
        "Filled",
        move |mut host: Host<'_>, to: u64, n: u64| -> wasmtime::Result<()> {
            let Some(to) = range(&host, to, n) else { return Ok(()) };
            let (tags, state) = tags(&mut host, start);
            if !is_plain(&state.recording.bytes.poison, &to) {
                return stopped(state.recording.leave_concrete_form());
            }
            tags::set(tags, &to, 0);
            Ok(())
        },
    )?;
    linker.func_wrap(HOST, "Symbolic", |mut host: Host<'_>| -> wasmtime::Result<()> {
        stopped(host.data_mut().recording.leave_concrete_form())
    })?;
    Ok(())
}

fn is_plain(poison: &Poison, bytes: &std::ops::Range<u32>) -> bool {
    poison.fault(bytes.start, bytes.end - bytes.start).is_none()
}

/// The bytes of a bulk operation; `None` if they are not in memory: then it traps.
fn range(host: &Host<'_>, start: u64, n: u64) -> Option<std::ops::Range<u32>> {
    let end = start.checked_add(n)?;
    (end <= parts(host).memory.data_size(host) as u64).then_some(start as u32..end as u32)
}

/// The tags of the concrete form, and what else the store holds.
pub(crate) fn tags(
    store: &mut impl wasmtime::AsContextMut<Data = HostState>,
    start: usize,
) -> (&mut [u8], &mut HostState) {
    let store = store.as_context_mut();
    let parts = store.data().parts.expect("code runs only in an instance whose parts are known");
    let (data, state) = parts.flags.data_and_store_mut(store);
    (&mut data[start..], state)
}

fn define_bulk(linker: &mut Linker<HostState>, flags_start: usize) -> wasmtime::Result<()> {
    linker.func_wrap(
        HOST,
        "Copy",
        move |mut host: Host<'_>,
              site: u32,
              s_to: ShadowId,
              s_from: ShadowId,
              s_n: ShadowId,
              to: u64,
              from: u64,
              n: u64| {
            with_flags(&mut host, flags_start, |recording, length, flags| {
                let (from_at, to_at, n_at) = ((s_from, from), (s_to, to), (s_n, n));
                let source =
                    recording.bulk_range((length, flags), (site, Bulk::Reads), from_at, n_at)?;
                let target =
                    recording.bulk_range((length, flags), (site, Bulk::Writes), to_at, n_at)?;
                if target && source {
                    recording.copy(flags, to as u32, from as u32, n as u32)?;
                }
                Ok(())
            })
        },
    )?;
    linker.func_wrap(
        HOST,
        "Fill",
        move |mut host: Host<'_>,
              site: u32,
              s_to: ShadowId,
              s_value: ShadowId,
              s_n: ShadowId,
              to: u64,
              _value: u64,
              n: u64| {
            with_flags(&mut host, flags_start, |recording, length, flags| {
                let range = ((s_to, to), (s_n, n));
                if recording.bulk_range((length, flags), (site, Bulk::Writes), range.0, range.1)? {
                    recording.fill(flags, to as u32, s_value, n as u32)?;
                }
                Ok(())
            })
        },
    )?;
    Ok(())
}

/// Calls with the length of memory and its flags, and tells the program once something is symbolic.
pub(crate) fn with_flags(
    mut store: impl wasmtime::AsContextMut<Data = HostState>,
    flags_start: usize,
    f: impl FnOnce(&mut Recording, usize, &mut [u8]) -> Result<(), Stop>,
) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    let parts = store.data().parts.expect("code runs only in an instance whose parts are known");
    let length = parts.memory.data_size(&store);
    let before = store.data().recording.tainted;
    let (data, state) = parts.flags.data_and_store_mut(&mut store);
    let flags = match &mut state.unseen {
        None => &mut data[flags_start..],
        Some(unseen) => {
            unseen.resize(length / 8 + 2, 0);
            &mut unseen[..]
        }
    };
    let done = f(&mut state.recording, length, flags);
    if !state.recording.uninitialized.writes.is_empty() {
        let (data, state) = parts.memory.data_and_store_mut(&mut store);
        write_unknown(data, &mut state.recording);
    }
    stopped(done)?;
    if store.data().recording.tainted && !before {
        parts.tainted.set(&mut store, Val::I32(1))?;
    }
    Ok(())
}

/// What the last load read may have been parts of stored pointers.
fn note_torn(host: &mut Host<'_>, flags_start: usize) {
    let flags = &parts(host).flags.data(&*host)[flags_start..];
    let since = host.data().recording.torn_since(flags);
    let recording = &mut host.data_mut().recording;
    recording.reads.clear();
    if let Some(n_constraints) = since {
        recording.meet_at(Gap::Addresses, n_constraints);
    }
}

/// Writes the run's values of uninitialised bytes to memory before they are read.
fn write_unknown(memory: &mut [u8], recording: &mut Recording) {
    for (start, bytes) in recording.uninitialized.writes.drain(..) {
        memory[start as usize..][..bytes.len()].copy_from_slice(&bytes);
    }
}

/// Defines a function that the host executes.
pub(crate) fn define_opaque(
    engine: &Engine,
    linker: &mut Linker<HostState>,
    (module, i): (&str, usize),
    function: &Function,
) -> wasmtime::Result<()> {
    let name = i.to_string();
    let called = function.clone();
    // The math library is called often: its usual types go without boxed values.
    match *function.native() {
        Native::F64x1(f) => linker.func_wrap(
            module,
            &name,
            move |mut host: Host<'_>, x: f64, s: ShadowId| -> wasmtime::Result<(f64, ShadowId)> {
                let shadow = opaque_shadow(&mut host, &called, &[s], &[x.to_bits()])?;
                Ok((canonical_f64(f(x)), shadow))
            },
        )?,
        Native::F64x2(f) => linker.func_wrap(
            module,
            &name,
            move |mut host: Host<'_>, x: f64, y: f64, s: ShadowId, s2: ShadowId| {
                let bits = [x.to_bits(), y.to_bits()];
                let shadow = opaque_shadow(&mut host, &called, &[s, s2], &bits)?;
                Ok::<_, wasmtime::Error>((canonical_f64(f(x, y)), shadow))
            },
        )?,
        Native::F64x3(_)
        | Native::F32x1(_)
        | Native::F32x2(_)
        | Native::F32x3(_)
        | Native::Closure(_) => linker.func_new(
            module,
            &name,
            opaque_type(engine, function),
            move |mut host, args, results| {
                let n = called.signature().params.len();
                let raw: Vec<u64> = args[..n].iter().map(val_bits).collect();
                let shadows: Vec<ShadowId> = args[n..].iter().map(|s| s.unwrap_i32()).collect();
                results[1] = Val::I32(opaque_shadow(&mut host, &called, &shadows, &raw)?);
                results[0] = call_opaque(&called, &raw);
                Ok(())
            },
        )?,
    };
    Ok(())
}

fn canonical_f64(x: f64) -> f64 {
    f64::from_bits(Value::f64(x).bits())
}

/// The WebAssembly type of an opaque function with its shadows.
fn opaque_type(engine: &Engine, function: &Function) -> FuncType {
    let sort_type = |sort: &Sort| match sort {
        Sort::F32 => ValType::F32,
        Sort::F64 => ValType::F64,
        Sort::Bv(64) => ValType::I64,
        Sort::Bv(_) | Sort::Bool => ValType::I32,
    };
    let signature = function.signature();
    let params: Vec<ValType> = signature.params.iter().map(sort_type).collect();
    let shadows = vec![ValType::I32; params.len()];
    let results = [sort_type(&signature.result), ValType::I32];
    FuncType::new(engine, [params, shadows].concat(), results)
}

/// Executes an opaque function.
pub(crate) fn call_opaque(function: &Function, raw: &[u64]) -> Val {
    let sorts = function.signature().params.iter();
    let values: Vec<Value> =
        sorts.zip(raw).map(|(&sort, &bits)| Value::from_bits(sort, bits)).collect();
    match function.call(&values) {
        Value::F32(bits) => Val::F32(bits),
        Value::F64(bits) => Val::F64(bits),
        Value::Bv { width: 64, bits } => Val::I64(bits as i64),
        Value::Bv { bits, .. } => Val::I32(bits as i32),
        Value::Bool(truth) => Val::I32(i32::from(truth)),
    }
}

/// The shadow of an opaque function's result: a term only if an argument is one.
fn opaque_shadow(
    host: &mut Host<'_>,
    function: &Function,
    shadows: &[ShadowId],
    raw: &[u64],
) -> wasmtime::Result<ShadowId> {
    if shadows.iter().all(|&shadow| shadow == 0) {
        return Ok(0);
    }
    let recording = &mut host.data_mut().recording;
    let nums = function.signature().params.iter().map(|sort| match sort {
        Sort::F32 => Num::F32,
        Sort::F64 => Num::F64,
        Sort::Bv(64) => Num::I64,
        Sort::Bv(_) | Sort::Bool => Num::I32,
    });
    let terms: Vec<TermId> = nums
        .zip(shadows.iter().zip(raw))
        .map(|(num, (&shadow, &bits))| recording.term(num, shadow, bits))
        .collect();
    let id = match recording.terms.function_named(function.name()) {
        Some(id) => id,
        None => recording.terms.register(function.clone()),
    };
    let call = recording.terms.call(id, &terms);
    stopped(recording.shadow(call))
}

pub(crate) fn val_bits(val: &Val) -> u64 {
    match val {
        Val::I32(x) => u64::from(*x as u32),
        Val::I64(x) => *x as u64,
        Val::F32(bits) => u64::from(*bits),
        Val::F64(bits) => *bits,
        Val::V128(_)
        | Val::FuncRef(_)
        | Val::ExternRef(_)
        | Val::AnyRef(_)
        | Val::ExnRef(_)
        | Val::ContRef(_) => 0,
    }
}

/// The value of a type with those bits; a null reference where the type is one.
pub(crate) fn val_of(ty: ValueType, bits: u64) -> Val {
    match ty {
        ValueType::I32 => Val::I32(bits as i32),
        ValueType::I64 => Val::I64(bits as i64),
        ValueType::F32 => Val::F32(bits as u32),
        ValueType::F64 => Val::F64(bits),
        ValueType::FuncRef => Val::FuncRef(None),
    }
}

/// A type as Wasmtime's.
pub(crate) fn val_type(ty: ValueType) -> ValType {
    match ty {
        ValueType::I32 => ValType::I32,
        ValueType::I64 => ValType::I64,
        ValueType::F32 => ValType::F32,
        ValueType::F64 => ValType::F64,
        ValueType::FuncRef => ValType::FUNCREF,
    }
}
