//! A module for bursts: the original with looks at its conditions, our helpers, three memories.

use crate::config::{Config, ImportAction};
use crate::encode::{Renumbered, global_type, memory_type, tables, val_type, val_types};
use crate::error::ExecError;
use crate::fast::helpers::{self, Batch};
use crate::fast::layout::{
    ASK_CALLBACK, ASK_IMPORT, Global, Helper, Layout, OURS, SNAPSHOT, STOP_IMPORT,
};
use crate::fast::rewrite::{Context, rewrite};
use crate::fast::scope::Scope;
use crate::instrument::emitter::Body;
use crate::instrument::sites::Facts;
use crate::instrument::{
    Import, absolute_origins, initial_globals, opaque_functions, resolve_imports,
};
use crate::limits::Limits;
use crate::module::Module;
use std::collections::BTreeMap;
use symcrete_program::CellKind;
use symcrete_term::Function;
use wasm_encoder::{
    BranchHints, CodeSection, ConstExpr, DataCountSection, EntityType, ExportKind, ExportSection,
    FunctionSection, GlobalSection, GlobalType, ImportSection, MemorySection, Module as Encoded,
    TypeSection, ValType,
};

/// Names of exports.
pub(crate) const EXPORT_PROGRAM: &str = "program";
pub(crate) const EXPORT_OURS: &str = "ours";
pub(crate) const EXPORT_SNAPSHOT: &str = "snapshot";
pub(crate) const EXPORT_DRIVE: &str = "drive";
pub(crate) const EXPORT_PREPARE: &str = "prepare";
/// Module names of imports.
pub(crate) const IMPORT_HOST: &str = "symcrete-host";
pub(crate) const IMPORT_GLOBAL: &str = "symcrete-global";

/// A module for bursts, and what is needed to make sense of its runs.
pub(crate) struct FastModule {
    pub(crate) wasm: Vec<u8>,
    pub(crate) scope: Scope,
    pub(crate) layout: Layout,
    /// `(offset in the rewritten module, offset of the operator in the original)`, ascending.
    pub(crate) origins: Vec<(u32, u32)>,
    /// Functions that the host executes, in order of their imports.
    pub(crate) host: Vec<Function>,
    pub(crate) imports: Vec<Import>,
    pub(crate) draws: Vec<(String, CellKind)>,
    /// Functions of the original that have code, by index here.
    program: std::ops::Range<u32>,
}

/// Rewrites a module for bursts of one function.
pub(crate) fn fast_module(
    module: &Module<'_>,
    config: &Config,
    limits: &Limits,
    entry: u32,
    before: &[u32],
) -> Result<FastModule, ExecError> {
    let imports = resolve_imports(module, config);
    let facts = Facts::of(module);
    let assumes = |function: u32| {
        imports
            .get(function as usize)
            .is_some_and(|import| matches!(import.action, ImportAction::Assume))
    };
    let scope = Scope::of(module, &facts.sites, entry, before, assumes)?;
    let opaque = opaque_functions(module, config);
    let mut host: Vec<Function> = opaque.values().cloned().collect();
    for import in &imports {
        if let ImportAction::Opaque(function) = &import.action {
            host.push(function.clone());
        }
    }
    let draws = imports.iter().filter_map(|import| draw_of(&import.action)).collect();
    // The function that gives cells by name comes behind those of the host.
    let layout = Layout::new(module, &scope, host.len() as u32 + 1, limits);
    let context = Context { module, facts: &facts, scope: &scope, layout: &layout };
    let mut writer = Writer { context, config, limits, imports: &imports, draws, bodies: vec![] };
    writer.add_imports(entry, opaque.len());
    writer.add_functions(&opaque);
    writer.add_helpers(entry, before);
    let wasm = writer.write(&host)?;
    let origins = absolute_origins(&wasm, &writer.bodies);
    let first = module.n_imported();
    let program = layout.function(first)..layout.function(module.functions.len() as u32);
    let draws = writer.draws;
    Ok(FastModule { wasm, origins, host, imports, draws, program, scope, layout })
}

impl FastModule {
    /// What imports that return structures call their bytes, by number.
    pub(crate) fn structures(&self) -> BTreeMap<u32, String> {
        let named = self.imports.iter().zip(0..).filter_map(|(import, i)| match &import.action {
            ImportAction::DrawResult { name, .. } => Some((i, name.clone())),
            ImportAction::Missing
            | ImportAction::Ignore
            | ImportAction::Assume
            | ImportAction::Opaque(_)
            | ImportAction::Draw { .. }
            | ImportAction::MayFail { .. }
            | ImportAction::DrawPointer { .. }
            | ImportAction::Callback(_)
            | ImportAction::DrawNamed(_)
            | ImportAction::DrawBytes
            | ImportAction::Memory(_)
            | ImportAction::End(_) => None,
        });
        named.collect()
    }

    /// Functions of the original that have code, by index here.
    pub(crate) fn program_functions(&self) -> std::ops::Range<u32> {
        self.program.clone()
    }
}

fn draw_of(action: &ImportAction) -> Option<(String, CellKind)> {
    if let ImportAction::MayFail { name } = action {
        return Some((name.clone(), CellKind::Bool));
    }
    if let ImportAction::Draw { name, kind } = action {
        return Some((name.clone(), *kind));
    }
    None
}

struct Writer<'a> {
    context: Context<'a>,
    config: &'a Config,
    limits: &'a Limits,
    imports: &'a [Import],
    draws: Vec<(String, CellKind)>,
    bodies: Vec<Body>,
}

impl Writer<'_> {
    /// Imported functions get bodies.
    fn add_imports(&mut self, entry: u32, n_opaque: usize) {
        let layout = self.context.layout;
        let n_args = self.context.module.function_type(entry).params.len() as u32;
        let (mut n_draws, mut next_host) = (0, n_opaque as u32);
        for (i, import) in self.imports.iter().enumerate() {
            let n_params = import.ty.params.len() as u32;
            let results = val_types(&import.ty.results);
            let reason = STOP_IMPORT + i as u32;
            self.bodies.push(match &import.action {
                ImportAction::Missing => helpers::stop_body(layout, reason, false, n_params),
                ImportAction::End(_) => helpers::stop_body(layout, reason, true, n_params),
                // Pointers that a program asks for are null here: the engine's own run of a find has others.
                ImportAction::Ignore | ImportAction::DrawPointer { .. } => {
                    helpers::zeros_body(layout, n_params, &results)
                }
                ImportAction::Callback(number) => {
                    helpers::ask::number_body(layout, n_params, (ASK_CALLBACK, *number), &results)
                }
                ImportAction::Memory(event) => {
                    helpers::param_body(layout, n_params, event.result())
                }
                ImportAction::Assume => helpers::assume_body(layout),
                ImportAction::Opaque(_) => {
                    next_host += 1;
                    helpers::host_body(layout, next_host - 1, n_params)
                }
                ImportAction::Draw { .. } | ImportAction::MayFail { .. } => {
                    n_draws += 1;
                    let first_slot = n_args + crate::fast::layout::DRAWS_MAX * (n_draws - 1);
                    let ty = results.first().copied().unwrap_or(ValType::I32);
                    helpers::draw_body(layout, n_draws - 1, n_params, first_slot, ty)
                }
                ImportAction::DrawNamed(_) => helpers::ask::name_body(layout, &import.ty),
                ImportAction::DrawBytes => helpers::ask::bytes_body(layout, &import.ty),
                ImportAction::DrawResult { size, .. } => {
                    let source = (ASK_IMPORT, i as u32);
                    helpers::ask::structure_body(layout, &import.ty, source, *size)
                }
            });
        }
    }

    fn add_functions(&mut self, opaque: &BTreeMap<u32, Function>) {
        let context = self.context;
        let mut next_loop = 0;
        for (function, _) in context.module.defined() {
            let n_params = context.module.function_type(function).params.len() as u32;
            let position = opaque.keys().position(|&index| index == function);
            let body = match position {
                Some(position) => helpers::host_body(context.layout, position as u32, n_params),
                None if context.scope.runs[function as usize] => {
                    let (body, after) = rewrite(context, function, next_loop);
                    next_loop = after;
                    body
                }
                None => helpers::unreachable_body(context.layout, n_params),
            };
            self.bodies.push(body);
        }
    }

    fn add_helpers(&mut self, entry: u32, before: &[u32]) {
        let Context { module, scope, layout, .. } = self.context;
        let ty = module.function_type(entry);
        let globals: Vec<u32> = scope.globals.iter().copied().collect();
        let before: Vec<u32> =
            module.start.iter().chain(before).map(|&function| layout.function(function)).collect();
        let batch = Batch {
            entry: layout.function(entry),
            params: &val_types(&ty.params),
            n_results: ty.results.len(),
            globals: &globals,
            call_depth: i32::try_from(self.limits.call_depth).unwrap_or(i32::MAX) as u32,
            n_draws: self.draws.len() as u32,
            before: &before,
        };
        for &helper in Helper::ALL {
            self.bodies.push(helpers::body(helper, layout, &batch));
        }
        for (position, switch) in scope.switches.values().enumerate() {
            self.bodies.push(helpers::switch_body(layout, position as u32, switch));
        }
    }

    fn write(&self, host: &[Function]) -> Result<Vec<u8>, ExecError> {
        let Context { module, layout, .. } = self.context;
        let function = &|function| layout.function(function);
        let imported_globals = &self.config.imported_globals(module)?;
        let initial_globals = &initial_globals(module, imported_globals);
        let renumbered = Renumbered { function, imported_globals, initial_globals };
        let mut out = Encoded::new();
        out.section(&self.types(host)).section(&self.import_section());
        out.section(&self.functions()).section(&tables(module, self.limits));
        out.section(&self.memories()).section(&self.globals(&renumbered));
        out.section(&self.exports());
        out.section(&renumbered.elements(module));
        out.section(&DataCountSection { count: module.data.len() as u32 });
        let mut hints = BranchHints::new();
        let mut code = CodeSection::new();
        for (i, body) in self.bodies.iter().enumerate() {
            if !body.hints.is_empty() {
                hints.function_hints(layout.n_host + i as u32, body.hints.iter().copied());
            }
            code.function(&body.function);
        }
        out.section(&hints).section(&code).section(&renumbered.data(module));
        Ok(out.finish())
    }

    fn types(&self, host: &[Function]) -> TypeSection {
        let mut section = TypeSection::new();
        for ty in &self.context.module.types {
            section.ty().function(val_types(&ty.params), val_types(&ty.results));
        }
        for helper in Helper::ALL {
            let (params, results) = helper.signature();
            section.ty().function(params.iter().copied(), results.iter().copied());
        }
        for function in host {
            let signature = function.signature();
            let params: Vec<ValType> = signature.params.iter().map(sort_type).collect();
            section.ty().function(params, [sort_type(&signature.result)]);
        }
        section.ty().function([ValType::I32; 3], [ValType::I64]);
        section.ty().function([ValType::I32], []);
        section
    }

    /// The host's functions, and the original's globals.
    fn import_section(&self) -> ImportSection {
        let Context { module, layout, .. } = self.context;
        let mut section = ImportSection::new();
        for i in 0..layout.n_host {
            let ty = EntityType::Function(layout.host_type(i));
            section.import(IMPORT_HOST, &i.to_string(), ty);
        }
        for (i, global) in module.globals.iter().enumerate() {
            if global.import.is_some() {
                let ty = EntityType::Global(global_type(global));
                section.import(IMPORT_GLOBAL, &i.to_string(), ty);
            }
        }
        section
    }

    fn functions(&self) -> FunctionSection {
        let Context { module, scope, layout, .. } = self.context;
        let mut section = FunctionSection::new();
        for function in &module.functions {
            section.function(function.ty);
        }
        for &helper in Helper::ALL {
            section.function(layout.helper_type(helper));
        }
        for _ in &scope.switches {
            section.function(layout.host_type(layout.n_host));
        }
        section
    }

    fn memories(&self) -> MemorySection {
        let Context { module, layout, .. } = self.context;
        let minimum = module.memory().map_or(0, |memory| memory.initial);
        let mut section = MemorySection::new();
        section.memory(memory_type(minimum, layout.pages_max));
        section.memory(memory_type(layout.pages_ours, layout.pages_ours));
        section.memory(memory_type(minimum, layout.pages_max));
        section
    }

    fn globals(&self, renumbered: &Renumbered<'_>) -> GlobalSection {
        let Context { module, scope, .. } = self.context;
        let mut section = GlobalSection::new();
        for (i, global) in module.globals.iter().enumerate() {
            if global.import.is_none() {
                renumbered.global(&mut section, global, i);
            }
        }
        let mut ours = |val_type, value: i32| {
            let value = match val_type {
                ValType::I32 => ConstExpr::i32_const(value),
                ValType::I64 => ConstExpr::i64_const(value.into()),
                ValType::F32 => ConstExpr::f32_const(0.0.into()),
                ValType::F64 => ConstExpr::f64_const(0.0.into()),
                ValType::V128 | ValType::Ref(_) => {
                    ConstExpr::ref_null(wasm_encoder::HeapType::FUNC)
                }
            };
            section.global(GlobalType { val_type, mutable: true, shared: false }, &value);
        };
        let pages = module.memory().map_or(0, |memory| memory.initial as i32);
        for global in Global::ALL {
            ours(global.ty(), if *global == Global::Pages { pages } else { 0 });
        }
        for &global in &scope.globals {
            ours(val_type(module.globals[global as usize].ty), 0);
        }
        section
    }

    fn exports(&self) -> ExportSection {
        let layout = self.context.layout;
        let mut section = ExportSection::new();
        section.export(EXPORT_PROGRAM, ExportKind::Memory, 0);
        section.export(EXPORT_OURS, ExportKind::Memory, OURS);
        section.export(EXPORT_SNAPSHOT, ExportKind::Memory, SNAPSHOT);
        section.export(EXPORT_DRIVE, ExportKind::Func, layout.helper(Helper::Drive));
        section.export(EXPORT_PREPARE, ExportKind::Func, layout.helper(Helper::Prepare));
        for &global in Global::ALL {
            section.export(global.name(), ExportKind::Global, layout.global(global));
        }
        section
    }
}

fn sort_type(sort: &symcrete_term::Sort) -> ValType {
    match sort {
        symcrete_term::Sort::F32 => ValType::F32,
        symcrete_term::Sort::F64 => ValType::F64,
        symcrete_term::Sort::Bv(64) => ValType::I64,
        symcrete_term::Sort::Bv(_) | symcrete_term::Sort::Bool => ValType::I32,
    }
}
