//! Wasmtime for bursts: the instance, and what it imports.

use crate::config::{Config, ImportAction};
use crate::engine::runtime;
use crate::error::ExecError;
use crate::fast::ask::{self, Asked};
use crate::fast::module::{FastModule, IMPORT_GLOBAL, IMPORT_HOST};
use crate::host::{call_opaque, val_bits};
use crate::instrument::Import;
use crate::limits::Limits;
use crate::module::Module;
use crate::recording::Stop;
use symcrete_program::module::GlobalInfo;
use symcrete_program::{Outcome, Scalar, SiteId, TrapKind};
use symcrete_term::{Function, Native, Value};
use wasmtime::{FuncType, Global, GlobalType, Instance, Linker, Mutability, Store, Val};

/// Compiles a module.
pub(crate) fn compile(module: &FastModule, limits: &Limits) -> Result<wasmtime::Module, ExecError> {
    let engine = wasmtime_engine(limits)?;
    wasmtime::Module::new(&engine, &module.wasm).map_err(runtime)
}

/// Makes the one instance that all runs use.
pub(crate) fn instantiate(
    module: &FastModule,
    compiled: &wasmtime::Module,
    imported: &[(GlobalInfo, Scalar)],
) -> Result<(Store<Asked>, Instance), ExecError> {
    let engine = compiled.engine();
    let mut store = Store::new(engine, Asked::new(module.structures()));
    let mut linker = Linker::new(engine);
    let types = compiled.imports().filter_map(|import| import.ty().func().cloned());
    for (i, (function, ty)) in module.host.iter().zip(types).enumerate() {
        define_host(&mut linker, i, function, ty).map_err(runtime)?;
    }
    ask::define(&mut linker, IMPORT_HOST, &module.host.len().to_string())?;
    for (i, (global, value)) in imported.iter().enumerate() {
        define_global(&mut store, &mut linker, i, global, *value).map_err(runtime)?;
    }
    let instance = linker.instantiate(&mut store, compiled).map_err(runtime)?;
    ask::connect(&mut store, &instance);
    Ok((store, instance))
}

/// How a run ended that an import stopped.
pub(crate) fn stopped_by(import: &Import, argument: u32, site: Option<SiteId>) -> Outcome {
    if let ImportAction::End(end) = import.action {
        return end.stop(argument).outcome(site);
    }
    let name = format!("{}.{}", import.module, import.name);
    Stop::Trap(TrapKind::MissingImport(name)).outcome(site)
}

/// Instances of bursts live long, so that they need no pool.
fn wasmtime_engine(limits: &Limits) -> Result<wasmtime::Engine, ExecError> {
    let mut config = wasmtime::Config::new();
    config
        .cranelift_nan_canonicalization(true)
        .wasm_multi_memory(true)
        .wasm_branch_hinting(true)
        .wasm_simd(false)
        .wasm_relaxed_simd(false)
        .memory_may_move(false)
        .wasm_backtrace_max_frames(std::num::NonZeroUsize::new(4))
        .max_wasm_stack(limits.stack_bytes as usize);
    wasmtime::Engine::new(&config).map_err(runtime)
}

/// The original's imported globals and their values.
pub(crate) fn imported_globals(module: &Module<'_>, config: &Config) -> Vec<(GlobalInfo, Scalar)> {
    let valued = |global: &GlobalInfo| {
        let import = global.import.as_ref()?;
        let key = (import.module.clone(), import.name.clone());
        Some((global.clone(), *config.globals.get(&key)?))
    };
    module.globals.iter().filter_map(valued).collect()
}

fn define_global(
    store: &mut Store<Asked>,
    linker: &mut Linker<Asked>,
    i: usize,
    global: &GlobalInfo,
    value: Scalar,
) -> wasmtime::Result<()> {
    let mutability = match global.mutable {
        true => Mutability::Var,
        false => Mutability::Const,
    };
    let (content, value) = match value {
        Scalar::I32(bits) => (wasmtime::ValType::I32, Val::I32(bits as i32)),
        Scalar::I64(bits) => (wasmtime::ValType::I64, Val::I64(bits as i64)),
        Scalar::F32(bits) => (wasmtime::ValType::F32, Val::F32(bits)),
        Scalar::F64(bits) => (wasmtime::ValType::F64, Val::F64(bits)),
        Scalar::FuncRef { .. } => (wasmtime::ValType::FUNCREF, Val::FuncRef(None)),
    };
    let ty = GlobalType::new(content, mutability);
    let global = Global::new(&mut *store, ty, value)?;
    linker.define(&*store, IMPORT_GLOBAL, &i.to_string(), global)?;
    Ok(())
}

/// A function that the host executes: the math library, mostly.
fn define_host(
    linker: &mut Linker<Asked>,
    i: usize,
    function: &Function,
    ty: FuncType,
) -> wasmtime::Result<()> {
    let (module, name) = (IMPORT_HOST, i.to_string());
    let double = |x: f64| f64::from_bits(Value::f64(x).bits());
    match *function.native() {
        Native::F64x1(f) => linker.func_wrap(module, &name, move |x: f64| double(f(x)))?,
        Native::F64x2(f) => {
            linker.func_wrap(module, &name, move |x: f64, y: f64| double(f(x, y)))?
        }
        Native::F64x3(_)
        | Native::F32x1(_)
        | Native::F32x2(_)
        | Native::F32x3(_)
        | Native::Closure(_) => {
            let called = function.clone();
            linker.func_new(module, &name, ty, move |_, args, results| {
                let raw: Vec<u64> = args.iter().map(val_bits).collect();
                results[0] = call_opaque(&called, &raw);
                Ok(())
            })?
        }
    };
    Ok(())
}
