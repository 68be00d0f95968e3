//! The rewriter: a module in, a module out that runs the same and keeps shadows.
//!
//! **Invariant:** the rewritten module gives the same results and traps as the original.

mod bounds;
mod concrete;
pub(crate) mod control;
mod copies;
mod data;
mod doubts;
pub(crate) mod emitter;
pub(crate) mod function;
mod guards;
mod inline;
pub(crate) mod layout;
mod loops;
mod nans;
mod numbers;
mod operators;
mod passes;
mod plans;
mod quick;
mod returning;
pub(crate) mod sites;
mod versions;

use crate::config::{Config, ImportAction, MemoryEvent};
use crate::encode::{Renumbered, memory_type, tables, val_types, widened};
use crate::error::ExecError;
use crate::limits::Limits;
use crate::module::Module;
use emitter::{Body, Emitter};
use function::Context;
use inline::{Bodies, inline};
use layout::{
    EXPORT_DEPTH, EXPORT_FLAGS, EXPORT_FUEL, EXPORT_GLOBAL, EXPORT_MEMORY, EXPORT_PREFIX,
    EXPORT_START, EXPORT_TAINTED, Form, HOST, HostFunction, Layout, OPAQUE,
};
use loops::outermost_loops;
use quick::Quick;
use sites::Facts;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use symcrete_program::module::{self, AddressType, FunctionType, Sites, Switch, ValueType};
use symcrete_program::{Environment, Fill, Gap, Guarded, NotedParam, Scalar};
use symcrete_term::{Function, Sort};
use wasm_encoder::{
    BlockType, BranchHints, CodeSection, ConstExpr, DataCountSection, DataSection, EntityType,
    ExportKind, ExportSection, FunctionSection, GlobalSection, GlobalType, ImportSection,
    Instruction, MemorySection, Module as Encoded, TypeSection, ValType,
};

/// Stands for code without an operator in the original.
pub(crate) const NO_ORIGIN: u32 = u32::MAX;

/// A rewritten module, and what is needed to interpret its runs.
pub(crate) struct Instrumented {
    pub(crate) form: Form,
    pub(crate) wasm: Vec<u8>,
    /// Where the bodies of the requested entries (the user's functions) are in the original.
    pub(crate) entries: Vec<std::ops::Range<u32>>,
    pub(crate) sites: Sites,
    pub(crate) flags: u32,
    /// `(offset in the rewritten module, offset of the operator in the original)`, ascending.
    pub(crate) origins: Vec<(u32, u32)>,
    /// Functions that the host executes, in order of their imports.
    pub(crate) opaque: Vec<Function>,
    /// What the imports do, in order.
    pub(crate) imports: Vec<Import>,
    /// Exported functions by name.
    pub(crate) exports: BTreeMap<String, FunctionType>,
    pub(crate) has_start: bool,
    /// How wide addresses are in the original.
    pub(crate) address: AddressType,
    /// The place from which each load gives another unknown value.
    pub(crate) uninitialized: std::ops::Range<u32>,
    /// Variables with red zones.
    pub(crate) variables: Arc<[Guarded]>,
    /// Code by which harnesses make variables inputs.
    pub(crate) givers: Arc<[Range<u32>]>,
    /// Library code that copies, fills or compares a given number of bytes.
    pub(crate) copying: Arc<[Range<u32>]>,
    /// The loops of the user's own functions, in order.
    pub(crate) loops: Arc<[Range<u32>]>,
    /// Function pointers have numbers below this.
    pub(crate) functions_end: u32,
    /// Pointers of the initial memory that may be read byte by byte.
    pub(crate) initial_pointers: Arc<[u32]>,
    /// Where frames of functions are put.
    pub(crate) frames: std::ops::Range<u32>,
    /// Entries after which memory that can no longer be freed is a failure.
    pub(crate) leaks: BTreeSet<String>,
}

impl Instrumented {
    /// The offset in the original of the operator at an offset of the rewritten module.
    pub(crate) fn original_site(&self, at: u32) -> Option<u32> {
        let next = self.origins.partition_point(|&(here, _)| here <= at);
        let (_, origin) = self.origins[next.checked_sub(1)?];
        (origin != NO_ORIGIN).then_some(origin)
    }

    /// Whether an operator of the original is in one of the user's own functions.
    pub(crate) fn is_own(&self, offset: u32) -> bool {
        self.entries.iter().any(|body| body.contains(&offset))
    }

    /// Whether only the user's own functions are between the outermost of them and the innermost frame of the program.
    pub(crate) fn is_called_by_own(&self, frames: &[wasmtime::FrameInfo]) -> bool {
        let site = |frame: &wasmtime::FrameInfo| self.original_site(frame.module_offset()? as u32);
        let is_own: Vec<bool> = frames.iter().filter_map(site).map(|at| self.is_own(at)).collect();
        let outermost = is_own.iter().rposition(|&is_own| is_own);
        outermost.is_some_and(|outermost| is_own[..outermost].iter().all(|&is_own| is_own))
    }

    /// The operator in the original where the innermost frame of the program is; of the user's own functions,
    /// if we know them and there is one.
    pub(crate) fn innermost_site(&self, frames: &[wasmtime::FrameInfo]) -> Option<u32> {
        let site = |frame: &wasmtime::FrameInfo| self.original_site(frame.module_offset()? as u32);
        let own = frames.iter().filter_map(site).find(|&offset| self.is_own(offset));
        own.or_else(|| frames.iter().find_map(site))
    }
}

/// An imported function.
pub(crate) struct Import {
    pub(crate) module: String,
    pub(crate) name: String,
    pub(crate) ty: FunctionType,
    pub(crate) action: ImportAction,
    /// What the model leaves out of it.
    pub(crate) gap: Option<Gap>,
    /// What it writes through its arguments.
    pub(crate) fills: Vec<Fill>,
    /// What is noted of its arguments, if calls are.
    pub(crate) noted: Option<Vec<NotedParam>>,
}

impl Import {
    /// Whether a call can make values symbolic that were not.
    pub(crate) fn introduces(&self) -> bool {
        !self.fills.is_empty() || self.action.introduces()
    }
}

/// Rewrites a module.
pub(crate) fn instrument(
    form: Form,
    module: &Module<'_>,
    config: &Config,
    executed: BTreeMap<u32, Function>,
    limits: &Limits,
) -> Result<Instrumented, ExecError> {
    let exported = exported_functions(module, config)?;
    let imports = resolve_imports(module, config);
    let facts = Facts::of(module);
    let mut opaque_names = opaque_functions(module, config);
    opaque_names.extend(executed);
    let opaque: Vec<Function> = opaque_names.values().cloned().collect();
    let quick = quick_functions(form, module, &imports);
    let layout = Layout::new(form, module, &facts, opaque.len() as u32, quick, limits);
    let is_assume = |&i: &u32| matches!(imports[i as usize].action, ImportAction::Assume);
    let assumes = (0..imports.len() as u32).filter(is_assume).collect();
    let gaps = library_gaps(module, config);
    let context = Context {
        module,
        facts: &facts,
        layout: &layout,
        assumes: &assumes,
        gaps: &gaps,
        source: &config.uninitialized,
    };
    let mut bodies = rewrite_bodies(context, &opaque_names);
    let quick = |quick: &Quick| quick.body(&layout, module.address_type());
    bodies.extend(layout.quick.iter().map(quick));
    let writer =
        Writer { context, config, limits, imports: &imports, opaque: &opaque, exported: &exported };
    let wasm = writer.write(&bodies)?;
    let origins = absolute_origins(&wasm, &bodies);
    let exports = exported
        .iter()
        .map(|(name, &function)| (name.clone(), module.function_type(function).clone()))
        .collect();
    let (flags, has_start) = (layout.flags, module.start.is_some());
    let is_entry = |function: u32| config.entries.values().any(|&entry| entry == function);
    let entries = module
        .defined()
        .filter(|(function, _)| is_entry(*function))
        .map(|(_, body)| body)
        .collect();
    Ok(Instrumented {
        form,
        wasm,
        entries,
        flags,
        origins,
        opaque,
        imports,
        exports,
        has_start,
        address: module.address_type(),
        uninitialized: config.uninitialized.clone(),
        variables: Arc::clone(&config.variables),
        givers: code_of(module, |name| name.starts_with("__symcrete_make_")),
        copying: code_of(module, |name| COPYING.contains(&name)),
        loops: outermost_loops(
            module,
            config.entries.values().copied().collect::<BTreeSet<_>>().into_iter(),
        ),
        functions_end: module.tables.first().map_or(0, |table| table.initial as u32),
        initial_pointers: Arc::clone(&config.initial_pointers),
        frames: config.frames.clone(),
        leaks: config.leaks.clone(),
        sites: facts.sites,
    })
}

/// Functions that can be called by name: those that are asked for, but exports keep their names.
fn exported_functions(
    module: &Module<'_>,
    config: &Config,
) -> Result<BTreeMap<String, u32>, ExecError> {
    let mut functions = config.entries.clone();
    if let Some((name, _)) =
        functions.iter().find(|(_, index)| **index as usize >= module.functions.len())
    {
        return Err(ExecError::MissingFunction { name: name.clone() });
    }
    for (name, export) in &module.exports {
        if let module::ExportKind::Function(function) = export {
            functions.insert(name.clone(), *function);
        }
    }
    Ok(functions)
}

pub(crate) fn resolve_imports(module: &Module<'_>, config: &Config) -> Vec<Import> {
    let named = module.imported();
    named
        .map(|(i, import)| {
            let ty = module.function_type(i).clone();
            let action = config.import_action(import, &ty, module.address_type());
            let key = (import.module.clone(), import.name.clone());
            let gap = config.gaps.get(&key).copied();
            let fills = config.fills.get(&key).cloned().unwrap_or_default();
            let noted = config.noted.get(&key).cloned();
            Import { module: key.0, name: key.1, ty, action, gap, fills, noted }
        })
        .collect()
}

/// Functions that avoid calls of the host.
fn quick_functions(form: Form, module: &Module<'_>, imports: &[Import]) -> Vec<Quick> {
    let is_pointer = |import: &Import| {
        matches!(import.action, ImportAction::Memory(MemoryEvent::Pointer))
            && import.ty.params == [module.address_type().ty()]
    };
    let pointer = imports.iter().position(is_pointer).map(|i| Quick::Pointer(i as u32));
    let accesses = match form {
        Form::Shadowed => &[Quick::Load, Quick::Store][..],
        // It checks tags inline.
        Form::Concrete => &[],
    };
    accesses.iter().copied().chain(pointer).collect()
}

/// Functions of the library that are told how many bytes to look at.
const COPYING: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strncpy",
    "stpncpy",
    "__stpncpy",
    "strncat",
    "strncmp",
    "bcopy",
    "bzero",
    "__symcrete_apart",
    "__symcrete_copy_string",
];

/// The bodies of functions by name.
fn code_of(module: &Module<'_>, is_one: impl Fn(&str) -> bool) -> Arc<[Range<u32>]> {
    let named = module.names.iter().filter(|(_, name)| is_one(name));
    named.filter_map(|(&function, _)| module.body(function)).collect()
}

/// Functions of the C library that the model does not fully cover, by index. A function that the user defines is never one.
fn library_gaps(module: &Module<'_>, config: &Config) -> BTreeMap<u32, Gap> {
    let is_own = |function: u32| config.entries.values().any(|&entry| entry == function);
    let named = module.names.iter().filter(|(index, _)| !is_own(**index));
    let gaps = named.filter_map(|(&index, name)| Some((index, Gap::of_library(name)?)));
    let is_input =
        |gap: Gap| config.allocation_may_fail && gap == Gap::Environment(Environment::Allocation);
    gaps.filter(|(_, gap)| !is_input(*gap)).collect()
}

/// Defined functions that the host executes instead, by index.
pub(crate) fn opaque_functions(module: &Module<'_>, config: &Config) -> BTreeMap<u32, Function> {
    let first = module.n_imported();
    let names = module.names.iter().filter(|(index, _)| **index >= first);
    names
        .filter(|(index, _)| (**index as usize) < module.functions.len())
        .filter_map(|(&index, name)| {
            let function = config.opaque_function(name)?;
            fits(&function, module.function_type(index)).then_some((index, function))
        })
        .collect()
}

/// The sort of a symbolic value of that type.
pub(crate) fn value_sort(ty: &ValueType) -> Option<Sort> {
    match ty {
        ValueType::I32 => Some(Sort::Bv(32)),
        ValueType::I64 => Some(Sort::Bv(64)),
        ValueType::F32 => Some(Sort::F32),
        ValueType::F64 => Some(Sort::F64),
        ValueType::FuncRef => None,
    }
}

/// Whether an opaque function has that WebAssembly type.
pub(crate) fn fits(function: &Function, ty: &FunctionType) -> bool {
    let signature = function.signature();
    ty.params.iter().map(value_sort).eq(signature.params.iter().copied().map(Some))
        && ty.results.iter().map(value_sort).eq([Some(signature.result)])
}

/// All functions of the program, then, in the concrete form, its imports without shadows.
fn rewrite_bodies(context: Context<'_>, opaque: &BTreeMap<u32, Function>) -> Vec<Body> {
    let layout = context.layout;
    let defined = || context.module.defined().map(|(function, _)| function);
    let rewritten = || defined().filter(|function| !opaque.contains_key(function));
    let index = |function: u32| layout.function(function);
    let bodies = rewritten().map(|f| (index(f), function::rewrite(context, f, false))).collect();
    let mut bodies: Bodies = match layout.form {
        Form::Shadowed => bodies,
        Form::Concrete => inline(context, bodies, &rewritten().map(|f| (index(f), f)).collect()),
    };
    let mut body = |function: u32| match opaque.keys().position(|&index| index == function) {
        Some(position) => {
            let ty = context.module.function_type(function);
            calling_body(layout, ty, layout.opaque(position as u32))
        }
        None => bodies.remove(&index(function)).expect("it was rewritten").finish(),
    };
    let mut bodies: Vec<Body> = defined().map(&mut body).collect();
    if layout.form == Form::Concrete {
        let imported = (0..context.module.n_imported())
            .map(|import| calling_body(layout, context.module.function_type(import), import));
        bodies.extend(imported);
    }
    bodies
}

/// A body that calls a function of the host, which takes shadows in any form.
fn calling_body(layout: &Layout, ty: &FunctionType, callee: u32) -> Body {
    let n = ty.params.len() as u32;
    let mut out = Emitter::new(match layout.form {
        Form::Shadowed => 2 * n,
        Form::Concrete => n,
    });
    out.origin(NO_ORIGIN);
    if layout.form == Form::Concrete {
        (0..n).zip(&ty.params).for_each(|(param, &ty)| nans::leave_if_nan(&mut out, param, ty));
    }
    (0..n).for_each(|param| out.get(param));
    match layout.form {
        Form::Shadowed => (n..2 * n).for_each(|param| out.get(param)),
        Form::Concrete => (0..n).for_each(|_| out.i32(0)),
    }
    out.emit(&Instruction::Call(callee));
    if layout.form == Form::Concrete && !ty.results.is_empty() {
        let any = out.new_local(ValType::I32);
        for _ in &ty.results {
            out.get(any);
            out.emit(&Instruction::I32Or);
            out.set(any);
        }
        out.get(any);
        out.emit_cold_if(BlockType::Empty);
        out.emit(&Instruction::Call(layout.host(HostFunction::Symbolic)));
        out.emit(&Instruction::End);
    }
    out.finish()
}

pub(crate) fn absolute_origins(wasm: &[u8], bodies: &[Body]) -> Vec<(u32, u32)> {
    let mut origins = Vec::new();
    let mut bodies = bodies.iter();
    for payload in wasmparser::Parser::new(0).parse_all(wasm) {
        if let Ok(wasmparser::Payload::CodeSectionEntry(code)) = payload {
            let start = code.range().start as u32;
            let body = bodies.next().expect("as many bodies as were written");
            origins.extend(body.origins.iter().map(|&(at, from)| (start + at, from)));
        }
    }
    origins
}

/// What globals start with, as raw bits, given the values of imported ones.
pub(crate) fn initial_globals(module: &Module<'_>, imported: &[Scalar]) -> Vec<u64> {
    let imports = module.globals.iter().filter_map(|global| global.import.as_ref());
    let values: BTreeMap<&module::Import, Scalar> = imports.zip(imported.iter().copied()).collect();
    module.initial_globals(|import| values.get(import).map_or(0, |value| value.bits()))
}

/// Writes the sections.
struct Writer<'a> {
    context: Context<'a>,
    config: &'a Config,
    limits: &'a Limits,
    imports: &'a [Import],
    opaque: &'a [Function],
    exported: &'a BTreeMap<String, u32>,
}

impl Writer<'_> {
    fn write(&self, bodies: &[Body]) -> Result<Vec<u8>, ExecError> {
        let module = self.context.module;
        let imported_globals = &self.config.imported_globals(module)?;
        let initial_globals = &initial_globals(module, imported_globals);
        let function = &|function| self.context.layout.function(function);
        let renumbered = Renumbered { function, imported_globals, initial_globals };
        let mut out = Encoded::new();
        out.section(&self.types()).section(&self.import_section()).section(&self.functions());
        out.section(&tables(module, self.limits)).section(&self.memories());
        out.section(&self.globals(&renumbered)).section(&self.exports());
        out.section(&renumbered.elements(module));
        out.section(&DataCountSection { count: module.data.len() as u32 + 1 });
        out.section(&self.hints(bodies));
        let mut code = CodeSection::new();
        bodies.iter().for_each(|body| {
            code.function(&body.function);
        });
        out.section(&code);
        let mut data = renumbered.data(module);
        self.add_switch_maps(&mut data);
        out.section(&data);
        Ok(out.finish())
    }

    fn types(&self) -> TypeSection {
        let mut types = TypeSection::new();
        let module = self.context.module;
        for ty in &module.types {
            let [params, results] = widened(ty);
            types.ty().function(params, results);
        }
        for ty in &module.types {
            types.ty().function(val_types(&ty.params), val_types(&ty.results));
        }
        for ty in &module.types {
            types.ty().function([], val_types(&ty.results));
        }
        for function in HostFunction::ALL {
            let (params, results) = function.signature();
            types.ty().function(params.iter().copied(), results.iter().copied());
        }
        for function in self.opaque {
            let sort = |sort: &Sort| match sort {
                Sort::F32 => ValType::F32,
                Sort::F64 => ValType::F64,
                Sort::Bv(64) => ValType::I64,
                Sort::Bv(_) | Sort::Bool => ValType::I32,
            };
            let signature = function.signature();
            let params: Vec<ValType> = signature.params.iter().map(sort).collect();
            let shadows = vec![ValType::I32; params.len()];
            types
                .ty()
                .function([params, shadows].concat(), [sort(&signature.result), ValType::I32]);
        }
        types
    }

    fn import_section(&self) -> ImportSection {
        let (module, layout) = (self.context.module, self.context.layout);
        let mut section = ImportSection::new();
        for (i, _) in self.imports.iter().enumerate() {
            let ty = layout.widened_type(module.functions[i].ty);
            section.import("symcrete-import", &i.to_string(), EntityType::Function(ty));
        }
        for &function in HostFunction::ALL {
            let ty = EntityType::Function(layout.host_type(function));
            section.import(HOST, function.name(), ty);
        }
        for (i, _) in self.opaque.iter().enumerate() {
            let ty = layout.host_type(HostFunction::TooDeep) + 1 + i as u32;
            section.import(OPAQUE, &i.to_string(), EntityType::Function(ty));
        }
        section
    }

    fn functions(&self) -> FunctionSection {
        let (module, layout) = (self.context.module, self.context.layout);
        let defined = &module.functions[module.n_imported() as usize..];
        let mut section = FunctionSection::new();
        for function in defined {
            section.function(layout.function_type(function.ty));
        }
        if layout.form == Form::Concrete {
            for function in &module.functions[..module.n_imported() as usize] {
                section.function(layout.function_type(function.ty));
            }
        }
        for &quick in &layout.quick {
            section.function(match quick {
                Quick::Load => layout.host_type(HostFunction::Load),
                Quick::Store => layout.host_type(HostFunction::Store),
                Quick::Pointer(import) => {
                    layout.function_type(module.functions[import as usize].ty)
                }
            });
        }
        section
    }

    /// An imported memory becomes our own, a missing one an empty one.
    fn memories(&self) -> MemorySection {
        let (module, layout) = (self.context.module, self.context.layout);
        let minimum = module.memory().map_or(0, |memory| memory.initial);
        let mut section = MemorySection::new();
        section.memory(memory_type(minimum, layout.memory_pages_max));
        section.memory(memory_type(layout.flag_pages, layout.flag_pages));
        section
    }

    fn globals(&self, renumbered: &Renumbered<'_>) -> GlobalSection {
        let module = self.context.module;
        let mut section = GlobalSection::new();
        for (i, global) in module.globals.iter().enumerate() {
            renumbered.global(&mut section, global, i);
        }
        let mut ours = |value| {
            let ty = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
            section.global(ty, &ConstExpr::i32_const(value));
        };
        module.globals.iter().for_each(|_| ours(0));
        ours(0);
        ours(0);
        ours(0);
        section
    }

    fn exports(&self) -> ExportSection {
        let (module, layout) = (self.context.module, self.context.layout);
        let mut section = ExportSection::new();
        for (name, &function) in self.exported {
            let name = format!("{EXPORT_PREFIX}{name}");
            section.export(&name, ExportKind::Func, layout.function(function));
        }
        for (name, export) in &module.exports {
            if let module::ExportKind::Global(global) = export {
                section.export(&format!("{EXPORT_GLOBAL}{name}"), ExportKind::Global, *global);
            }
        }
        section.export(EXPORT_MEMORY, ExportKind::Memory, 0);
        section.export(EXPORT_FLAGS, ExportKind::Memory, layout::FLAG_MEMORY);
        section.export(EXPORT_FUEL, ExportKind::Global, layout.fuel());
        section.export(EXPORT_TAINTED, ExportKind::Global, layout.tainted());
        section.export(EXPORT_DEPTH, ExportKind::Global, layout.depth());
        if let Some(start) = module.start {
            section.export(EXPORT_START, ExportKind::Func, layout.function(start));
        }
        section
    }

    fn hints(&self, bodies: &[Body]) -> BranchHints {
        let layout = self.context.layout;
        let first = layout.opaque(self.opaque.len() as u32);
        let mut hints = BranchHints::new();
        for (i, body) in bodies.iter().enumerate() {
            if !body.hints.is_empty() {
                hints.function_hints(first + i as u32, body.hints.iter().copied());
            }
        }
        hints
    }

    /// For each index of each `br_table`, the byte of the coverage map that it sets.
    fn add_switch_maps(&self, data: &mut DataSection) {
        let sites = &self.context.facts.sites;
        let side_bytes = self.context.layout.form.side_bytes();
        let address = |switch: &Switch, case: u16| {
            (2 * (switch.first_site as u32 + u32::from(case)) + 1) * side_bytes
        };
        let bytes: Vec<u8> = sites
            .switches
            .values()
            .flat_map(|switch| switch.cases.case_of_index.iter().map(|&case| address(switch, case)))
            .flat_map(u32::to_le_bytes)
            .collect();
        let start = ConstExpr::i32_const(self.context.layout.switch_maps as i32);
        data.active(layout::FLAG_MEMORY, &start, bytes);
    }
}
