//! The original module, read and checked.
//!
//! **Invariant:** what [`Module::parse`] accepts is valid and uses only what the rest of this crate
//! knows. Everything else is refused here, with the feature, the function and the offset.

use crate::error::ExecError;
use crate::limits::Limits;
use std::collections::BTreeMap;
use symcrete_program::module_check::{ModuleError, check_module};
use wasmparser::{
    CompositeInnerType, Data, Element, Export, FuncType, FunctionBody, GlobalType, KnownCustom,
    MemoryType, Name, Operator, Parser, Payload, RefType, Table, TableType, TypeRef, ValType,
};

/// Shadows double parameters and results, of which a function may have a thousand.
const ARITY_MAX: usize = 500;

/// An imported function or global.
#[derive(Clone, Debug)]
pub(crate) struct ImportName {
    pub(crate) module: String,
    pub(crate) name: String,
}

/// A module in its parts, all index spaces as in the original.
#[derive(Default)]
pub(crate) struct Module<'a> {
    pub(crate) types: Vec<FuncType>,
    pub(crate) imported_functions: Vec<ImportName>,
    /// Type index of every function, imported ones first.
    pub(crate) functions: Vec<u32>,
    pub(crate) tables: Vec<TableType>,
    /// Initial values of the tables that are not imported.
    pub(crate) defined_tables: Vec<Table<'a>>,
    pub(crate) memory: Option<MemoryType>,
    pub(crate) globals: Vec<GlobalType>,
    pub(crate) imported_globals: Vec<ImportName>,
    pub(crate) defined_globals: Vec<wasmparser::Global<'a>>,
    pub(crate) exports: Vec<Export<'a>>,
    pub(crate) start: Option<u32>,
    pub(crate) elements: Vec<Element<'a>>,
    pub(crate) data: Vec<Data<'a>>,
    pub(crate) has_data_count: bool,
    pub(crate) bodies: Vec<FunctionBody<'a>>,
    pub(crate) names: BTreeMap<u32, String>,
}

impl<'a> Module<'a> {
    /// Reads and checks a module.
    pub(crate) fn parse(wasm: &'a [u8], limits: &Limits) -> Result<Module<'a>, ExecError> {
        validate(wasm)?;
        let mut module = Module::default();
        for payload in Parser::new(0).parse_all(wasm) {
            payload.and_then(|payload| module.add(payload)).map_err(|error| invalid(&error))?;
        }
        module.check_references()?;
        module.check_sizes(limits)?;
        Ok(module)
    }

    /// The type of a function.
    pub(crate) fn function_type(&self, function: u32) -> &FuncType {
        &self.types[self.functions[function as usize] as usize]
    }

    /// How a function is called in messages.
    pub(crate) fn function_label(&self, function: u32) -> String {
        match self.names.get(&function) {
            Some(name) => format!("function {name}"),
            None => format!("function {function}"),
        }
    }

    /// Each body with its function's index.
    pub(crate) fn defined(&self) -> impl Iterator<Item = (u32, &FunctionBody<'a>)> {
        let first = self.imported_functions.len() as u32;
        self.bodies.iter().enumerate().map(move |(i, body)| (first + i as u32, body))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other sections do not matter to a run")]
    fn add(&mut self, payload: Payload<'a>) -> Result<(), wasmparser::BinaryReaderError> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    for sub_type in group?.into_types() {
                        if let CompositeInnerType::Func(ty) = sub_type.composite_type.inner {
                            self.types.push(ty);
                        }
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.add_import(import?);
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.functions.push(ty?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    let table = table?;
                    self.tables.push(table.ty);
                    self.defined_tables.push(table);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section {
                    self.memory = Some(memory?);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    let global = global?;
                    self.globals.push(global.ty);
                    self.defined_globals.push(global);
                }
            }
            Payload::ExportSection(section) => {
                self.exports = section.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(section) => {
                self.elements = section.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::DataCountSection { .. } => self.has_data_count = true,
            Payload::DataSection(section) => {
                self.data = section.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    self.add_names(names);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_import(&mut self, import: wasmparser::Import<'_>) {
        let name = ImportName { module: import.module.to_string(), name: import.name.to_string() };
        match import.ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                self.functions.push(ty);
                self.imported_functions.push(name);
            }
            TypeRef::Table(ty) => self.tables.push(ty),
            TypeRef::Memory(ty) => self.memory = Some(ty),
            TypeRef::Global(ty) => {
                self.globals.push(ty);
                self.imported_globals.push(name);
            }
            TypeRef::Tag(_) => unreachable!("validation refuses tags"),
        }
    }

    /// Names are a courtesy: a malformed name section is ignored, as the standard says.
    fn add_names(&mut self, names: wasmparser::NameSectionReader<'_>) {
        for name in names.into_iter().map_while(Result::ok) {
            if let Name::Function(functions) = name {
                for naming in functions.into_iter().map_while(Result::ok) {
                    self.names.insert(naming.index, naming.name.to_string());
                }
            }
        }
    }

    /// References to functions are what tables need; others need a garbage collector.
    #[expect(clippy::wildcard_enum_match_arm, reason = "two operators name types")]
    fn check_references(&self) -> Result<(), ExecError> {
        let refuse = |place: String, offset| ExecError::Unsupported {
            feature: "references other than funcref".to_string(),
            place,
            offset,
        };
        let types = self.types.iter().flat_map(|ty| ty.params().iter().chain(ty.results()));
        let globals = self.globals.iter().map(|global| &global.content_type);
        let mut all = types.chain(globals).copied();
        let tables = self.tables.iter().all(|table| table.element_type == RefType::FUNCREF);
        let mut elements = self.elements.iter();
        let elements = elements.all(|element| match &element.items {
            wasmparser::ElementItems::Functions(_) => true,
            wasmparser::ElementItems::Expressions(ty, _) => *ty == RefType::FUNCREF,
        });
        if !tables || !elements || !all.all(is_plain) {
            return Err(refuse("types, globals, tables and segments".to_string(), 0));
        }
        for (function, body) in self.defined() {
            let place = || self.function_label(function);
            for locals in body.get_locals_reader().map_err(|error| invalid(&error))? {
                let (_, ty) = locals.map_err(|error| invalid(&error))?;
                if !is_plain(ty) {
                    return Err(refuse(place(), body.range().start));
                }
            }
            let operators = body.get_operators_reader().map_err(|error| invalid(&error))?;
            for operator in operators.into_iter_with_offsets() {
                let (operator, offset) = operator.map_err(|error| invalid(&error))?;
                let ty = match operator {
                    Operator::RefNull { hty } if hty != wasmparser::HeapType::FUNC => None,
                    Operator::TypedSelect { ty } => Some(ty),
                    _ => continue,
                };
                if !ty.is_some_and(is_plain) {
                    return Err(refuse(place(), offset));
                }
            }
        }
        Ok(())
    }

    fn check_sizes(&self, limits: &Limits) -> Result<(), ExecError> {
        let too_large = |needs, limit| Err(ExecError::TooLarge { needs, limit });
        if let Some(memory) = self.memory {
            let bytes = memory.initial << 16;
            if bytes > u64::from(limits.memory_bytes) {
                return too_large(
                    format!("{bytes} bytes of memory"),
                    limits.memory_bytes.to_string(),
                );
            }
        }
        let entries = self.tables.iter().map(|table| table.initial).max().unwrap_or(0);
        if entries > u64::from(limits.table_entries) {
            return too_large(
                format!("a table of {entries} entries"),
                limits.table_entries.to_string(),
            );
        }
        let arity = |ty: &FuncType| ty.params().len().max(ty.results().len());
        let arity = self.types.iter().map(arity).max().unwrap_or(0);
        if arity > ARITY_MAX {
            return too_large(format!("{arity} parameters or results"), ARITY_MAX.to_string());
        }
        Ok(())
    }
}

fn is_plain(ty: ValType) -> bool {
    match ty {
        ValType::I32 | ValType::I64 | ValType::F32 | ValType::F64 => true,
        ValType::Ref(ty) => ty == RefType::FUNCREF,
        ValType::V128 => false,
    }
}

/// Tells apart what is no WebAssembly at all and what only we do not run.
fn validate(wasm: &[u8]) -> Result<(), ExecError> {
    match check_module(wasm) {
        Ok(()) => Ok(()),
        Err(ModuleError::Invalid { message, offset }) => {
            Err(ExecError::Invalid { message, offset })
        }
        Err(ModuleError::Unsupported { feature, offset }) => {
            let place = place_of(wasm, offset).unwrap_or_else(|| "outside functions".to_string());
            Err(ExecError::Unsupported { feature, place, offset })
        }
        Err(error @ ModuleError::TooLarge { .. }) => Err(ExecError::Refused(error)),
    }
}

fn invalid(error: &wasmparser::BinaryReaderError) -> ExecError {
    ExecError::Invalid { message: error.message().to_string(), offset: error.offset() }
}

/// The function whose body holds an offset.
fn place_of(wasm: &[u8], offset: u64) -> Option<String> {
    let mut module = Module::default();
    for payload in Parser::new(0).parse_all(wasm) {
        module.add(payload.ok()?).ok()?;
    }
    let (function, _) = module.defined().find(|(_, body)| body.range().contains(&offset))?;
    Some(module.function_label(function))
}
