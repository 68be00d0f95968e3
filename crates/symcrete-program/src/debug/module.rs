//! The parts of a module that debug information refers to: functions, imports, exports, sections.
//!
//! **Invariant:** all offsets are bytes from the start of the module; addresses in debug information count
//! from the start of the code section's contents, [`Module::code_start`].

use super::DebugError;
use std::collections::BTreeMap;
use std::ops::Range;
use wasmparser::{
    CompositeInnerType, ConstExpr, DataKind, ExternalKind, FuncType, FunctionBody, KnownCustom,
    Name, Operator, Parser, Payload, SubType, TypeRef, ValType,
};

/// A module in the parts that are of interest here.
#[derive(Default)]
pub(super) struct Module<'a> {
    pub(super) types: Vec<SubType>,
    /// Type index of every function, imported ones first.
    pub(super) functions: Vec<u32>,
    /// Module and name of the imported functions.
    pub(super) imports: Vec<(String, String)>,
    /// Exported functions, by index.
    pub(super) exported_functions: BTreeMap<u32, String>,
    exported_globals: BTreeMap<String, u32>,
    n_imported_globals: u32,
    /// Values of the globals that are defined as a constant.
    globals: Vec<Option<u32>>,
    pub(super) bodies: Vec<FunctionBody<'a>>,
    /// Offset that addresses count from.
    pub(super) code_start: u32,
    /// What memory holds at the start, by address.
    data: BTreeMap<u32, &'a [u8]>,
    sections: BTreeMap<&'a str, &'a [u8]>,
    /// Names of functions as the name section gives them.
    pub(super) names: BTreeMap<u32, String>,
}

impl<'a> Module<'a> {
    /// Reads a module.
    pub(super) fn parse(wasm: &'a [u8]) -> Result<Module<'a>, DebugError> {
        let mut module = Module::default();
        for payload in Parser::new(0).parse_all(wasm) {
            module.add(payload?)?;
        }
        Ok(module)
    }

    fn add(&mut self, payload: Payload<'a>) -> Result<(), wasmparser::BinaryReaderError> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "debug information names nothing else")]
        match payload {
            Payload::TypeSection(types) => {
                for group in types {
                    self.types.extend(group?.into_types());
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    self.import(&import?);
                }
            }
            Payload::FunctionSection(functions) => {
                for function in functions {
                    self.functions.push(function?);
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(constant(&global?.init_expr));
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    let name = export.name.to_owned();
                    if export.kind == ExternalKind::Func {
                        self.exported_functions.entry(export.index).or_insert(name);
                    } else if export.kind == ExternalKind::Global {
                        self.exported_globals.insert(name, export.index);
                    }
                }
            }
            Payload::CodeSectionStart { unchecked_range, .. } => {
                self.code_start = unchecked_range.start as u32;
            }
            Payload::DataSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    if let DataKind::Active { offset_expr, .. } = &segment.kind
                        && let Some(start) = constant(offset_expr)
                    {
                        self.data.insert(start, segment.data);
                    }
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => {
                self.sections.insert(section.name(), section.data());
                if let KnownCustom::Name(names) = section.as_known() {
                    // A broken name section costs names, nothing else.
                    names.into_iter().flatten().for_each(|name| self.add_names(name));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn import(&mut self, import: &wasmparser::Import<'_>) {
        match import.ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                self.functions.push(ty);
                self.imports.push((import.module.to_owned(), import.name.to_owned()));
            }
            TypeRef::Global(_) => self.n_imported_globals += 1,
            TypeRef::Table(_) | TypeRef::Memory(_) | TypeRef::Tag(_) => {}
        }
    }

    fn add_names(&mut self, name: Name<'_>) {
        if let Name::Function(names) = name {
            for naming in names.into_iter().flatten() {
                self.names.insert(naming.index, naming.name.to_owned());
            }
        }
    }

    /// A custom section; empty if there is none.
    pub(super) fn section(&self, name: &str) -> &'a [u8] {
        self.sections.get(name).copied().unwrap_or_default()
    }

    /// The type of a function.
    pub(super) fn function_type(&self, function: u32) -> Option<&FuncType> {
        let ty = *self.functions.get(function as usize)?;
        match &self.types.get(ty as usize)?.composite_type.inner {
            CompositeInnerType::Func(ty) => Some(ty),
            CompositeInnerType::Array(_)
            | CompositeInnerType::Struct(_)
            | CompositeInnerType::Cont(_) => None,
        }
    }

    /// The body of a function, unless it is imported.
    pub(super) fn body(&self, function: u32) -> Option<&FunctionBody<'a>> {
        self.bodies.get((function as usize).checked_sub(self.imports.len())?)
    }

    /// Offsets of a function's body.
    pub(super) fn body_range(&self, function: u32) -> Option<Range<u32>> {
        let range = self.body(function)?.range();
        Some(range.start as u32..range.end as u32)
    }

    /// The function whose body starts at an address of debug information.
    pub(super) fn function_at(&self, address: u64) -> Option<u32> {
        let offset = address.checked_add(u64::from(self.code_start))?;
        let body = self.bodies.binary_search_by_key(&offset, |body| body.range().start);
        Some((self.imports.len() + body.ok()?) as u32)
    }

    /// The value of an exported constant.
    pub(super) fn exported_constant(&self, name: &str) -> Option<u32> {
        let global = *self.exported_globals.get(name)?;
        let defined = global.checked_sub(self.n_imported_globals)?;
        *self.globals.get(defined as usize)?
    }

    /// The values of exported constants whose names start so.
    pub(super) fn exported_constants(&self, prefix: &str) -> impl Iterator<Item = u32> {
        let names = self.exported_globals.keys().filter(move |name| name.starts_with(prefix));
        names.filter_map(|name| self.exported_constant(name))
    }

    /// Bytes that memory holds at the start, if a segment says.
    pub(super) fn initial_bytes(&self, address: u32, n: usize) -> Option<&'a [u8]> {
        let (start, bytes) = self.data.range(..=address).next_back()?;
        bytes.get((address - start) as usize..)?.get(..n)
    }
}

/// The value of an initializer that is one `i32.const`.
fn constant(init: &ConstExpr<'_>) -> Option<u32> {
    let mut operators = init.get_operators_reader();
    match (operators.read().ok()?, operators.read().ok()?) {
        (Operator::I32Const { value }, Operator::End) => Some(value as u32),
        _ => None,
    }
}

/// How a type of the machine is called, and how wide it is.
pub(super) fn scalar_type(ty: ValType) -> Option<(&'static str, u32)> {
    match ty {
        ValType::I32 => Some(("i32", 4)),
        ValType::I64 => Some(("i64", 8)),
        ValType::F32 => Some(("f32", 4)),
        ValType::F64 => Some(("f64", 8)),
        ValType::V128 | ValType::Ref(_) => None,
    }
}
