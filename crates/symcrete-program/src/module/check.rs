//! Whether a module is one that can be read at all: valid, and no larger than what its readers are made for.
//!
//! A few bytes can declare billions of locals. Every reader of modules calls [`check_module`] before it takes memory
//! for anything that a module declares.
//!
//! **Invariant:** the check itself takes no more memory than a multiple of the module's own size.

use std::collections::BTreeSet;
use wasmparser::{
    FunctionBody, KnownCustom, MemoryType, Name, Operator, Parser, Payload, TableType, TypeRef,
    Validator, WasmFeatures,
};

/// What clang and rustc emit, and all that we handle: the second version of the standard without vectors, and 64-bit
/// addresses.
pub const FEATURES: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::FLOATS)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::MEMORY64)
    .union(WasmFeatures::GC_TYPES);

/// Locals of one function; other engines have the same limit.
const LOCALS_MAX: u64 = 50_000;
/// Blocks inside blocks. A switch has one for every case.
const NESTING_MAX: u64 = 20_000;
/// Locals that are assigned inside blocks, each once for every block around: they may have to be merged where these end.
const MERGED_MAX: u64 = 20_000_000;
/// Entries of all `br_table`s of one function.
const TARGETS_MAX: u64 = 1_000_000;
/// Elements of a table.
const TABLE_MAX: u64 = 10_000_000;
/// Pages of memory: four gigabytes.
const PAGES_MAX: u64 = 1 << 16;

/// Why a module is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModuleError {
    /// The bytes are no module.
    #[error("invalid module: {message} (at offset {offset:#x})")]
    Invalid {
        /// What the validator says.
        message: String,
        /// Where.
        offset: usize,
    },
    /// A valid module with something that we do not handle.
    #[error("unsupported: {feature} ({place}, at offset {offset:#x})")]
    Unsupported {
        /// What it uses.
        feature: String,
        /// The function that uses it, or what else does.
        place: String,
        /// Where.
        offset: usize,
    },
    /// The module declares more than we handle.
    #[error("the module is too large: {has} {what}, the limit is {limit} (at offset {offset:#x})")]
    TooLarge {
        /// How many.
        has: u64,
        /// Of what.
        what: &'static str,
        /// How many there may be.
        limit: u64,
        /// Where.
        offset: usize,
    },
    /// The module defines no such function.
    #[error("function {0} has no body in this module")]
    NoBody(u32),
}

impl ModuleError {
    /// Something outside of functions that we do not handle.
    pub(super) fn unsupported(feature: &str, offset: usize) -> ModuleError {
        let place = "types, globals, tables and segments".to_owned();
        ModuleError::Unsupported { feature: feature.to_owned(), place, offset }
    }

    /// References to functions are what tables need; others need a garbage collector.
    pub(super) fn references(offset: usize) -> ModuleError {
        ModuleError::unsupported("references other than funcref", offset)
    }

    /// The same in another place.
    pub(super) fn within(self, place: String) -> ModuleError {
        match self {
            ModuleError::Unsupported { feature, offset, .. } => {
                ModuleError::Unsupported { feature, place, offset }
            }
            ModuleError::Invalid { .. } | ModuleError::TooLarge { .. } | ModuleError::NoBody(_) => {
                self
            }
        }
    }
}

impl From<wasmparser::BinaryReaderError> for ModuleError {
    fn from(error: wasmparser::BinaryReaderError) -> ModuleError {
        ModuleError::Invalid { message: error.message().to_string(), offset: error.offset() }
    }
}

/// Checks a module; tells apart what is no WebAssembly at all and what only we do not handle.
pub fn check_module(wasm: &[u8]) -> Result<(), ModuleError> {
    check_sizes(wasm)?;
    let Err(error) = Validator::new_with_features(FEATURES).validate_all(wasm) else {
        return Ok(());
    };
    match Validator::new_with_features(WasmFeatures::all()).validate_all(wasm) {
        Ok(_) => {
            let (feature, offset) = (error.message().to_string(), error.offset());
            let place = place_of(wasm, offset).unwrap_or_else(|| "outside functions".to_string());
            Err(ModuleError::Unsupported { feature, place, offset })
        }
        Err(_) => Err(error.into()),
    }
}

/// The function whose body holds an offset, of a module that we cannot read.
fn place_of(wasm: &[u8], offset: usize) -> Option<String> {
    let (mut n_functions, mut found, mut known) = (0_u32, None, None);
    for payload in Parser::new(0).parse_all(wasm) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others neither hold nor name code")]
        match payload.ok()? {
            Payload::ImportSection(imports) => {
                let is_function = |import: &wasmparser::Import<'_>| {
                    matches!(import.ty, TypeRef::Func(_) | TypeRef::FuncExact(_))
                };
                let functions = imports.into_imports().flatten().filter(is_function);
                n_functions += functions.count() as u32;
            }
            Payload::CodeSectionEntry(body) => {
                found = found.or(body.range().contains(&offset).then_some(n_functions));
                n_functions += 1;
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    known = known.or_else(|| name_of(names, found?));
                }
            }
            _ => {}
        }
    }
    let function = found?;
    Some(format!("function {}", known.unwrap_or_else(|| function.to_string())))
}

fn name_of(names: wasmparser::NameSectionReader<'_>, function: u32) -> Option<String> {
    for name in names.into_iter().map_while(Result::ok) {
        let Name::Function(names) = name else { continue };
        let mut names = names.into_iter().map_while(Result::ok);
        return names.find(|name| name.index == function).map(|name| name.name.to_owned());
    }
    None
}

/// Checks what a module declares without having to contain it. The rest is limited by the module's own length.
fn check_sizes(wasm: &[u8]) -> Result<(), ModuleError> {
    for payload in Parser::new(0).parse_all(wasm) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others have all that they declare")]
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports_with_offsets() {
                    let (offset, import) = import?;
                    match import.ty {
                        TypeRef::Table(ty) => check_table(&ty, offset)?,
                        TypeRef::Memory(ty) => check_memory(&ty, offset)?,
                        TypeRef::Func(_)
                        | TypeRef::FuncExact(_)
                        | TypeRef::Global(_)
                        | TypeRef::Tag(_) => {}
                    }
                }
            }
            Payload::TableSection(tables) => {
                for table in tables.into_iter_with_offsets() {
                    let (offset, table) = table?;
                    check_table(&table.ty, offset)?;
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories.into_iter_with_offsets() {
                    let (offset, memory) = memory?;
                    check_memory(&memory, offset)?;
                }
            }
            Payload::CodeSectionEntry(body) => check_body(&body)?,
            _ => {}
        }
    }
    Ok(())
}

fn check_table(ty: &TableType, offset: usize) -> Result<(), ModuleError> {
    at_most(ty.initial, "elements of a table", TABLE_MAX, offset)
}

fn check_memory(ty: &MemoryType, offset: usize) -> Result<(), ModuleError> {
    at_most(ty.initial, "pages of memory", PAGES_MAX, offset)
}

fn check_body(body: &FunctionBody<'_>) -> Result<(), ModuleError> {
    let offset = body.range().start;
    let mut n_locals: u64 = 0;
    for local in body.get_locals_reader()? {
        n_locals += u64::from(local?.0);
        at_most(n_locals, "locals of a function", LOCALS_MAX, offset)?;
    }
    check_operators(body)
}

/// Checks how far the readers' tables for a function's blocks can grow.
fn check_operators(body: &FunctionBody<'_>) -> Result<(), ModuleError> {
    // The locals that are assigned in each open block so far.
    let mut open: Vec<BTreeSet<u32>> = vec![BTreeSet::new()];
    let (mut n_merged, mut n_targets) = (0, 0);
    for operator in body.get_operators_reader()?.into_iter_with_offsets() {
        let (operator, offset) = operator?;
        #[expect(clippy::wildcard_enum_match_arm, reason = "others neither nest nor grow")]
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                at_most(open.len() as u64, "nested blocks", NESTING_MAX, offset)?;
                open.push(BTreeSet::new());
            }
            Operator::End => {
                let inner = open.pop().unwrap_or_default();
                n_merged += inner.len() as u64;
                at_most(n_merged, "locals to merge at the ends of blocks", MERGED_MAX, offset)?;
                if let Some(outer) = open.last_mut() {
                    absorb(outer, inner);
                }
            }
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                if let Some(locals) = open.last_mut() {
                    locals.insert(local_index);
                }
            }
            Operator::BrTable { targets } => {
                n_targets += u64::from(targets.len());
                at_most(n_targets, "targets of br_table in a function", TARGETS_MAX, offset)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Puts the smaller set into the larger one, which takes less time than the other way round.
fn absorb(outer: &mut BTreeSet<u32>, mut inner: BTreeSet<u32>) {
    if inner.len() > outer.len() {
        std::mem::swap(outer, &mut inner);
    }
    outer.append(&mut inner);
}

fn at_most(has: u64, what: &'static str, limit: u64, offset: usize) -> Result<(), ModuleError> {
    match has <= limit {
        true => Ok(()),
        false => Err(ModuleError::TooLarge { has, what, limit, offset }),
    }
}
