//! Reads a module.

use super::{
    AddressType, Constant, ConstantOp, DataSegment, ElementSegment, ExportKind, Expression,
    FunctionInfo, FunctionType, GlobalInfo, Import, Kind, MemoryInfo, Module, ModuleError,
    Operator, Placement, TableInfo, ValueType, check_module,
};
use std::ops::Range;
use wasmparser::{
    BinaryReader, CompositeInnerType, ConstExpr, DataKind, ElementItems, ElementKind, FunctionBody,
    KnownCustom, Name, OperatorsReader, Parser, Payload, RefType, TypeRef, ValType,
};

/// What was checked once can be read again.
const CHECKED: &str = "the module was checked";

/// One operator of a body.
#[derive(Clone, Debug)]
pub struct ReadOperator<'a> {
    /// What it is.
    pub operator: Operator,
    /// What was read, for those who write it again.
    pub raw: wasmparser::Operator<'a>,
    /// Where it is in the module.
    pub range: Range<u32>,
}

impl<'a> Module<'a> {
    /// Reads and checks a module.
    pub fn parse(wasm: &'a [u8]) -> Result<Module<'a>, ModuleError> {
        check_module(wasm)?;
        let module = Module::read(wasm)?;
        for (function, body) in module.defined() {
            let label = || module.function_label(function);
            module.check_body(body).map_err(|error| error.within(label()))?;
        }
        Ok(module)
    }

    /// Reads a module that was checked before.
    pub(crate) fn read(wasm: &'a [u8]) -> Result<Module<'a>, ModuleError> {
        let mut module = Module { wasm, ..Module::default() };
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            if let Some((id, range)) = payload.as_section() {
                module.sections.push((id, range));
            }
            module.add(payload)?;
        }
        Ok(module)
    }

    /// The locals of a function beyond its parameters, as they are declared: how many of which type.
    pub fn locals(&self, function: u32) -> Vec<(u32, ValueType)> {
        let body = self.body(function).map(|range| self.reader(range));
        let declared = body.map(|body| body.get_locals_reader().expect(CHECKED));
        let local = |local: wasmparser::Result<(u32, ValType)>| {
            let (count, ty) = local.expect(CHECKED);
            (count, value_type(ty, 0).expect(CHECKED))
        };
        declared.into_iter().flatten().map(local).collect()
    }

    /// The operators of a function; none if it is imported.
    pub fn operators(&self, function: u32) -> impl Iterator<Item = ReadOperator<'a>> + use<'a> {
        let body = self.body(function).map(|range| self.reader(range));
        let reader = body.map(|body| body.get_operators_reader().expect(CHECKED));
        reader.into_iter().flat_map(|mut reader| {
            std::iter::from_fn(move || next(&mut reader).map(|step| step.expect(CHECKED)))
        })
    }

    fn reader(&self, body: Range<u32>) -> FunctionBody<'a> {
        let bytes = &self.wasm[body.start as usize..body.end as usize];
        FunctionBody::new(BinaryReader::new(bytes, body.start as usize))
    }

    /// Finds types and operators in a body that are valid but not handled.
    fn check_body(&self, body: Range<u32>) -> Result<(), ModuleError> {
        let start = body.start as usize;
        let reader = self.reader(body);
        for local in reader.get_locals_reader()? {
            value_type(local?.1, start)?;
        }
        let mut operators = reader.get_operators_reader()?;
        while let Some(step) = next(&mut operators) {
            step?;
        }
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other sections say nothing of interest")]
    fn add(&mut self, payload: Payload<'a>) -> Result<(), ModuleError> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    for sub_type in group?.into_types() {
                        if let CompositeInnerType::Func(ty) = sub_type.composite_type.inner {
                            self.types.push(function_type(&ty)?);
                        }
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.add_import(import?)?;
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.functions.push(FunctionInfo { ty: ty?, import: None, body: None });
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    self.tables.push(table_info(&table?.ty, None)?);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section {
                    self.memories.push(memory_info(&memory?, None));
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    let global = global?;
                    let initial = expression(&global.init_expr)?;
                    self.add_global(global.ty, None, initial)?;
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    if let Some(kind) = export_kind(&export) {
                        self.exports.insert(export.name.to_string(), kind);
                    }
                }
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(section) => {
                for element in section {
                    self.add_element(element?)?;
                }
            }
            Payload::DataSection(section) => {
                for data in section {
                    self.add_data(&data?)?;
                }
            }
            Payload::CodeSectionStart { range, .. } => {
                self.code_start = range.start as u32;
            }
            Payload::CodeSectionEntry(body) => self.add_body(&body),
            Payload::CustomSection(section) => {
                self.custom.insert(section.name(), section.data());
                if let KnownCustom::Name(names) = section.as_known() {
                    self.add_names(names);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_import(&mut self, import: wasmparser::Import<'_>) -> Result<(), ModuleError> {
        let name =
            Some(Import { module: import.module.to_string(), name: import.name.to_string() });
        match import.ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                self.functions.push(FunctionInfo { ty, import: name, body: None });
            }
            TypeRef::Table(ty) => self.tables.push(table_info(&ty, name)?),
            TypeRef::Memory(ty) => self.memories.push(memory_info(&ty, name)),
            TypeRef::Global(ty) => self.add_global(ty, name, Vec::new())?,
            TypeRef::Tag(_) => return Err(ModuleError::unsupported("exceptions", 0)),
        }
        Ok(())
    }

    fn add_global(
        &mut self,
        ty: wasmparser::GlobalType,
        import: Option<Import>,
        initial: Expression,
    ) -> Result<(), ModuleError> {
        let mutable = ty.mutable;
        let ty = value_type(ty.content_type, 0)?;
        self.globals.push(GlobalInfo { ty, mutable, import, initial });
        Ok(())
    }

    fn add_element(&mut self, element: wasmparser::Element<'a>) -> Result<(), ModuleError> {
        let placement = match element.kind {
            ElementKind::Passive => Placement::Passive,
            ElementKind::Declared => Placement::Declared,
            ElementKind::Active { table_index, offset_expr } => Placement::Active {
                to: table_index.unwrap_or(0),
                offset: expression(&offset_expr)?,
            },
        };
        let items = match element.items {
            ElementItems::Functions(functions) => functions
                .into_iter()
                .map(|function| Ok(vec![ConstantOp::Const(Constant::Function(function?))]))
                .collect::<Result<_, ModuleError>>()?,
            ElementItems::Expressions(ty, expressions) => {
                value_type(ValType::Ref(ty), element.range.start)?;
                expressions
                    .into_iter()
                    .map(|item| expression(&item?))
                    .collect::<Result<_, ModuleError>>()?
            }
        };
        self.elements.push(ElementSegment { placement, items });
        Ok(())
    }

    fn add_data(&mut self, data: &wasmparser::Data<'a>) -> Result<(), ModuleError> {
        let placement = match &data.kind {
            DataKind::Passive => Placement::Passive,
            DataKind::Active { memory_index, offset_expr } => {
                Placement::Active { to: *memory_index, offset: expression(offset_expr)? }
            }
        };
        self.data.push(DataSegment { placement, bytes: data.data });
        Ok(())
    }

    /// Bodies come in the order of the functions that have one.
    fn add_body(&mut self, body: &wasmparser::FunctionBody<'_>) {
        let range = body.range();
        let is_done = |info: &FunctionInfo| info.import.is_some() || info.body.is_some();
        let next = self.functions.partition_point(is_done);
        if let Some(info) = self.functions.get_mut(next) {
            info.body = Some(range.start as u32..range.end as u32);
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
}

/// The next operator of a body.
fn next<'a>(reader: &mut OperatorsReader<'a>) -> Option<Result<ReadOperator<'a>, ModuleError>> {
    if reader.eof() {
        return None;
    }
    let start = reader.original_position();
    let mut read = || {
        let raw = reader.read()?;
        let range = start as u32..reader.original_position() as u32;
        Ok(ReadOperator { operator: Operator::of(&raw, start)?, raw, range })
    };
    Some(read())
}

pub(super) fn value_type(ty: ValType, offset: usize) -> Result<ValueType, ModuleError> {
    match ty {
        ValType::I32 => Ok(ValueType::I32),
        ValType::I64 => Ok(ValueType::I64),
        ValType::F32 => Ok(ValueType::F32),
        ValType::F64 => Ok(ValueType::F64),
        ValType::Ref(RefType::FUNCREF) => Ok(ValueType::FuncRef),
        ValType::Ref(_) => Err(ModuleError::references(offset)),
        ValType::V128 => Err(ModuleError::unsupported("vectors", offset)),
    }
}

fn function_type(ty: &wasmparser::FuncType) -> Result<FunctionType, ModuleError> {
    let types = |types: &[ValType]| -> Result<Vec<ValueType>, ModuleError> {
        types.iter().map(|&ty| value_type(ty, 0)).collect()
    };
    Ok(FunctionType { params: types(ty.params())?, results: types(ty.results())? })
}

fn table_info(
    ty: &wasmparser::TableType,
    import: Option<Import>,
) -> Result<TableInfo, ModuleError> {
    value_type(ValType::Ref(ty.element_type), 0)?;
    let address = AddressType::of(ty.table64);
    Ok(TableInfo { address, initial: ty.initial, maximum: ty.maximum, import })
}

fn memory_info(ty: &wasmparser::MemoryType, import: Option<Import>) -> MemoryInfo {
    let address = AddressType::of(ty.memory64);
    MemoryInfo { address, initial: ty.initial, maximum: ty.maximum, import }
}

fn export_kind(export: &wasmparser::Export<'_>) -> Option<ExportKind> {
    match export.kind {
        wasmparser::ExternalKind::Func | wasmparser::ExternalKind::FuncExact => {
            Some(ExportKind::Function(export.index))
        }
        wasmparser::ExternalKind::Table => Some(ExportKind::Table(export.index)),
        wasmparser::ExternalKind::Memory => Some(ExportKind::Memory),
        wasmparser::ExternalKind::Global => Some(ExportKind::Global(export.index)),
        wasmparser::ExternalKind::Tag => None,
    }
}

fn expression(expression: &ConstExpr<'_>) -> Result<Expression, ModuleError> {
    let mut operators = expression.get_operators_reader();
    let mut ops = Vec::new();
    while !operators.is_end_then_eof() {
        let offset = operators.original_position();
        let operator = operators.read()?;
        let kind = Kind::of(&operator, offset)?;
        ops.push(if let Kind::Const(constant) = kind {
            ConstantOp::Const(constant)
        } else if let Kind::Numeric(op) = kind {
            ConstantOp::Numeric(op)
        } else if let Kind::GlobalGet(global) = kind {
            ConstantOp::GlobalGet(global)
        } else {
            return Err(ModuleError::unsupported("this operator in a constant", offset));
        });
    }
    Ok(ops)
}
