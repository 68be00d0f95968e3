//! From a module to something that can be run.
//!
//! An [`Engine`] holds Wasmtime and its pool of instances; an [`Executable`] is a rewritten and compiled
//! module. Both are shared between threads. The concrete form of a module is made when it is first asked for: most programs
//! never need it.

use crate::code_cache::{self, CodeCache};
use crate::config::Config;
use crate::error::ExecError;
use crate::executed::executed_functions;
use crate::host::{self, HostState};
use crate::instrument::layout::Form;
use crate::instrument::{Instrumented, instrument};
use crate::limits::Limits;
use crate::module;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use symcrete_program::SiteId;
use symcrete_term::Function;
use wasmtime::{InstanceAllocationStrategy, InstancePre, Linker, PoolingAllocationConfig};

/// Wasmtime with a pool of instances.
#[derive(Clone)]
pub struct Engine {
    wasmtime: wasmtime::Engine,
    limits: Limits,
    cache: Option<Arc<dyn CodeCache>>,
}

/// What operators on floats give that have no number to give.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nans {
    /// Always the same bits.
    Canonical,
    /// Whatever the machine gives: nobody looks at the bits (`instrument/nans.rs`).
    Any,
}

/// A program that is ready to be run.
#[derive(Clone)]
pub struct Executable {
    pub(crate) shared: Arc<Shared>,
}

/// What all users of an executable share.
pub(crate) struct Shared {
    pub(crate) wasmtime: wasmtime::Engine,
    pub(crate) limits: Limits,
    pub(crate) module: Arc<Instrumented>,
    pub(crate) instance: InstancePre<HostState>,
    origin: Arc<Origin>,
    concrete: OnceLock<Result<Executable, ExecError>>,
    /// What constants hold when a program starts.
    pub(crate) constants: OnceLock<Vec<u8>>,
}

/// What an executable was made of.
struct Origin {
    engine: Engine,
    wasm: Vec<u8>,
    config: Config,
    executed: BTreeMap<u32, Function>,
}

impl Engine {
    /// Reserves address space for as many instances as the limits allow.
    pub fn new(limits: Limits) -> Result<Engine, ExecError> {
        let mut pool = PoolingAllocationConfig::default();
        pool.total_core_instances(limits.instances)
            .total_memories(2 * limits.instances)
            .total_tables(8 * limits.instances)
            .max_memories_per_module(2)
            .max_tables_per_module(64)
            .max_core_instance_size(1 << 20)
            .max_memory_size(limits.memory_bytes.max(32 << 20) as usize)
            .table_elements(limits.table_entries as usize)
            .linear_memory_keep_resident(256 << 10)
            .table_keep_resident(64 << 10);
        let strategy = InstanceAllocationStrategy::Pooling(pool);
        Engine::with_allocation(limits, strategy, Nans::Canonical)
    }

    /// The same engine, which keeps the code of what it compiles.
    pub fn with_code_cache(self, cache: Arc<dyn CodeCache>) -> Engine {
        Engine { cache: Some(cache), ..self }
    }

    /// An engine for runs within runs: any number of instances, and half of the stack.
    pub(crate) fn inner(&self) -> Result<Engine, ExecError> {
        let limits = Limits { stack_bytes: self.limits.stack_bytes / 2, ..self.limits };
        self.unpooled(limits, Nans::Canonical)
    }

    fn unpooled(&self, limits: Limits, nans: Nans) -> Result<Engine, ExecError> {
        let engine = Engine::with_allocation(limits, InstanceAllocationStrategy::OnDemand, nans)?;
        Ok(Engine { cache: self.cache.clone(), ..engine })
    }

    fn with_allocation(
        limits: Limits,
        strategy: InstanceAllocationStrategy,
        nans: Nans,
    ) -> Result<Engine, ExecError> {
        let mut config = wasmtime::Config::new();
        config
            .allocation_strategy(strategy)
            .cranelift_nan_canonicalization(nans == Nans::Canonical)
            .wasm_multi_memory(true)
            .wasm_branch_hinting(true)
            .wasm_simd(false)
            .wasm_relaxed_simd(false)
            .memory_may_move(false)
            .max_wasm_stack(limits.stack_bytes as usize);
        let wasmtime = wasmtime::Engine::new(&config).map_err(runtime)?;
        Ok(Engine { wasmtime, limits, cache: None })
    }

    /// Rewrites and compiles a module.
    pub fn prepare(&self, wasm: &[u8], config: &Config) -> Result<Executable, ExecError> {
        let module = module::parse(wasm, &self.limits)?;
        let executed = executed_functions(wasm, &module, config, self)?;
        let (engine, config) = (self.clone(), config.clone());
        let origin = Origin { engine, wasm: wasm.to_vec(), config, executed };
        Origin::compile(Arc::new(origin), Form::Shadowed)
    }
}

impl Origin {
    /// Rewrites and compiles a module in one form.
    fn compile(origin: Arc<Origin>, form: Form) -> Result<Executable, ExecError> {
        let engine = match form {
            Form::Shadowed => origin.engine.clone(),
            // A mark for each byte needs more memory than the pool has for flags, and runs that use it are long.
            Form::Concrete => origin.engine.unpooled(origin.engine.limits, Nans::Any)?,
        };
        let Engine { wasmtime, limits, cache } = engine;
        let module = module::parse(&origin.wasm, &limits)?;
        let executed = origin.executed.clone();
        let module = Arc::new(instrument(form, &module, &origin.config, executed, &limits)?);
        let compiled = code_cache::load_or_compile(&wasmtime, &module.wasm, cache.as_deref());
        let mut linker = Linker::new(&wasmtime);
        host::define(&wasmtime, &mut linker, &module).map_err(runtime)?;
        let instance = compiled.and_then(|code| linker.instantiate_pre(&code)).map_err(runtime)?;
        let concrete = OnceLock::new();
        let shared = Shared {
            wasmtime,
            limits,
            module,
            instance,
            origin,
            concrete,
            constants: OnceLock::new(),
        };
        Ok(Executable { shared: Arc::new(shared) })
    }
}

impl Executable {
    /// The same program without shadows, several times as fast: for runs in which nothing is symbolic. A run that
    /// comes upon something unusual ends there, and says so (`Process::is_form_left`).
    pub fn concrete(&self) -> Result<Executable, ExecError> {
        let origin = &self.shared.origin;
        let concrete = || Origin::compile(Arc::clone(origin), Form::Concrete);
        self.shared.concrete.get_or_init(concrete).clone()
    }

    /// The functions that can be called, by name.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.shared.module.exports.keys().map(String::as_str)
    }

    /// Every site of the program, in order.
    pub fn sites(&self) -> &[SiteId] {
        &self.shared.module.sites.ids
    }
}

/// Wasmtime failed where a program cannot be to blame.
pub(crate) fn runtime(error: wasmtime::Error) -> ExecError {
    ExecError::Runtime(format!("{error:#}"))
}
