//! From a module to something that can be run.
//!
//! An [`Engine`] holds Wasmtime and its pool of instances; an [`Executable`] is a rewritten and compiled
//! module. Both are shared between threads.

use crate::code_cache::{self, CodeCache};
use crate::config::Config;
use crate::error::ExecError;
use crate::executed::executed_functions;
use crate::host::{self, HostState};
use crate::instrument::{Instrumented, instrument};
use crate::limits::Limits;
use crate::module::Module;
use std::sync::Arc;
use symcrete_program::SiteId;
use wasmparser::{Parser, Payload};
use wasmtime::{
    InstanceAllocationStrategy, InstancePre, Linker, OptLevel, PoolingAllocationConfig,
    RegallocAlgorithm,
};

/// Of a longer function Cranelift makes code in one pass. Its usual way takes more than linear time: minutes, and
/// gigabytes of memory, for a function of a few thousand branches.
const BODY_BYTES_MAX: u64 = 64 << 10;

/// Wasmtime with a pool of instances.
#[derive(Clone)]
pub struct Engine {
    wasmtime: wasmtime::Engine,
    allocation: InstanceAllocationStrategy,
    limits: Limits,
    cache: Option<Arc<dyn CodeCache>>,
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
        Engine::with_allocation(limits, InstanceAllocationStrategy::Pooling(pool))
    }

    /// The same engine, which keeps the code of what it compiles.
    pub fn with_code_cache(self, cache: Arc<dyn CodeCache>) -> Engine {
        Engine { cache: Some(cache), ..self }
    }

    /// An engine for runs within runs: any number of instances, and half of the stack.
    pub(crate) fn inner(&self) -> Result<Engine, ExecError> {
        let limits = Limits { stack_bytes: self.limits.stack_bytes / 2, ..self.limits };
        let engine = Engine::with_allocation(limits, InstanceAllocationStrategy::OnDemand)?;
        Ok(Engine { cache: self.cache.clone(), ..engine })
    }

    fn with_allocation(
        limits: Limits,
        strategy: InstanceAllocationStrategy,
    ) -> Result<Engine, ExecError> {
        let config = settings(&limits, &strategy);
        let wasmtime = wasmtime::Engine::new(&config).map_err(runtime)?;
        Ok(Engine { wasmtime, allocation: strategy, limits, cache: None })
    }

    /// Wasmtime as a module needs it.
    fn wasmtime_for(&self, wasm: &[u8]) -> Result<wasmtime::Engine, ExecError> {
        if !has_long_body(wasm) {
            return Ok(self.wasmtime.clone());
        }
        let mut config = settings(&self.limits, &self.allocation);
        compile_in_one_pass(&mut config);
        wasmtime::Engine::new(&config).map_err(runtime)
    }

    /// Rewrites and compiles a module.
    pub fn prepare(&self, wasm: &[u8], config: &Config) -> Result<Executable, ExecError> {
        let module = Module::parse(wasm, &self.limits)?;
        let executed = executed_functions(wasm, &module, config, self)?;
        let module = Arc::new(instrument(&module, config, executed, &self.limits)?);
        let wasmtime = self.wasmtime_for(&module.wasm)?;
        let compiled = code_cache::load_or_compile(&wasmtime, &module.wasm, self.cache.as_deref())
            .map_err(runtime)?;
        let mut linker = Linker::new(&wasmtime);
        host::define(&wasmtime, &mut linker, &module).map_err(runtime)?;
        let instance = linker.instantiate_pre(&compiled).map_err(runtime)?;
        let limits = self.limits;
        Ok(Executable { shared: Arc::new(Shared { wasmtime, limits, module, instance }) })
    }
}

impl Executable {
    /// The functions that can be called, by name.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.shared.module.exports.keys().map(String::as_str)
    }

    /// Every site of the program, in order.
    pub fn sites(&self) -> &[SiteId] {
        &self.shared.module.sites.ids
    }
}

fn settings(limits: &Limits, strategy: &InstanceAllocationStrategy) -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config
        .allocation_strategy(strategy.clone())
        .cranelift_nan_canonicalization(true)
        .wasm_multi_memory(true)
        .wasm_branch_hinting(true)
        .wasm_simd(false)
        .wasm_relaxed_simd(false)
        .memory_may_move(false)
        .max_wasm_stack(limits.stack_bytes as usize);
    config
}

/// Code in about as much time as its length takes, at the price of slower code.
pub(crate) fn compile_in_one_pass(config: &mut wasmtime::Config) {
    config
        .cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass)
        .cranelift_opt_level(OptLevel::None);
}

/// Whether a module has a function that takes too long to be compiled well.
pub(crate) fn has_long_body(wasm: &[u8]) -> bool {
    let is_long = |payload: &Payload<'_>| {
        let Payload::CodeSectionEntry(body) = payload else { return false };
        let range = body.range();
        range.end - range.start > BODY_BYTES_MAX
    };
    Parser::new(0).parse_all(wasm).flatten().any(|payload| is_long(&payload))
}

/// Wasmtime failed where a program cannot be to blame.
pub(crate) fn runtime(error: wasmtime::Error) -> ExecError {
    ExecError::Runtime(format!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Executor};
    use symcrete_program::{Cell, Image, Outcome, Scalar};
    use symcrete_term::Terms;

    /// What `f(5)` returns, where `f` adds so many ones; and whether its code is made in one pass.
    fn sum_of_ones(n: usize) -> (Outcome, bool) {
        let ones = "i32.const 1 i32.add ".repeat(n);
        let text =
            format!("(module (func (export \"f\") (param i32) (result i32) local.get 0 {ones}))");
        let wasm = wat::parse_str(text).unwrap();
        let limits = Limits { memory_bytes: 1 << 20, instances: 2, ..Limits::STANDARD };
        let engine = Engine::new(limits).unwrap();
        let executable = engine.prepare(&wasm, &Config::standard()).unwrap();
        let is_long = has_long_body(&executable.shared.module.wasm);
        let mut executor = executable.executor(Entry::new("f")).unwrap();
        let image = Image { args: vec![Cell::of_scalar(Scalar::I32(5))], ..Image::default() };
        let trace = executor.run(&mut Terms::new(), &image, 1_000).unwrap();
        (trace.outcome, is_long)
    }

    #[test]
    fn long_functions_are_compiled_in_one_pass_and_do_the_same() {
        let returned = |value| Outcome::Returned(vec![Scalar::I32(value)]);
        assert_eq!(sum_of_ones(3), (returned(8), false));
        assert_eq!(sum_of_ones(40_000), (returned(40_005), true));
    }
}
