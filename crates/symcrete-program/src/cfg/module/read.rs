//! Reads a module.

use super::{
    ConstantOp, DataSegment, ElementSegment, ExportKind, Expression, FunctionInfo, FunctionType,
    GlobalInfo, Import, MemoryInfo, ModuleView, Placement, TableInfo, ValueType,
};
use crate::cfg::{CfgError, Constant, WasmOp};
use crate::module_check::check_module;
use wasmparser::{
    CompositeInnerType, ConstExpr, DataKind, ElementItems, ElementKind, KnownCustom, Name,
    Operator, Parser, Payload, RefType, TableInit, TypeRef, ValType,
};

pub(in crate::cfg) const REFERENCES: &str = "references other than funcref";

impl<'a> ModuleView<'a> {
    /// Reads and checks a module.
    pub fn parse(wasm: &'a [u8]) -> Result<ModuleView<'a>, CfgError> {
        check_module(wasm)?;
        let mut module = ModuleView { wasm, ..ModuleView::default() };
        for payload in Parser::new(0).parse_all(wasm) {
            module.add(payload?)?;
        }
        Ok(module)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other sections say nothing of interest")]
    fn add(&mut self, payload: Payload<'a>) -> Result<(), CfgError> {
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
                    self.add_table(&table?)?;
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
            Payload::CodeSectionEntry(body) => self.add_body(&body),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    self.add_names(names);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_import(&mut self, import: wasmparser::Import<'_>) -> Result<(), CfgError> {
        let name =
            Some(Import { module: import.module.to_string(), name: import.name.to_string() });
        match import.ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                self.functions.push(FunctionInfo { ty, import: name, body: None });
            }
            TypeRef::Table(ty) => self.tables.push(table_info(&ty, name)?),
            TypeRef::Memory(ty) => self.memories.push(memory_info(&ty, name)),
            TypeRef::Global(ty) => self.add_global(ty, name, Vec::new())?,
            TypeRef::Tag(_) => return Err(unsupported("exceptions", 0)),
        }
        Ok(())
    }

    fn add_table(&mut self, table: &wasmparser::Table<'_>) -> Result<(), CfgError> {
        if let TableInit::Expr(_) = table.init {
            return Err(unsupported("tables with an initial element", 0));
        }
        self.tables.push(table_info(&table.ty, None)?);
        Ok(())
    }

    fn add_global(
        &mut self,
        ty: wasmparser::GlobalType,
        import: Option<Import>,
        initial: Expression,
    ) -> Result<(), CfgError> {
        let mutable = ty.mutable;
        let ty = value_type(ty.content_type, 0)?;
        self.globals.push(GlobalInfo { ty, mutable, import, initial });
        Ok(())
    }

    fn add_element(&mut self, element: wasmparser::Element<'a>) -> Result<(), CfgError> {
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
                .collect::<Result<_, CfgError>>()?,
            ElementItems::Expressions(ty, expressions) => {
                value_type(ValType::Ref(ty), element.range.start)?;
                expressions
                    .into_iter()
                    .map(|item| expression(&item?))
                    .collect::<Result<_, CfgError>>()?
            }
        };
        self.elements.push(ElementSegment { placement, items });
        Ok(())
    }

    fn add_data(&mut self, data: &wasmparser::Data<'a>) -> Result<(), CfgError> {
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

pub(in crate::cfg) fn unsupported(feature: &str, offset: u64) -> CfgError {
    CfgError::Unsupported { feature: feature.to_string(), offset }
}

pub(in crate::cfg) fn value_type(ty: ValType, offset: u64) -> Result<ValueType, CfgError> {
    match ty {
        ValType::I32 => Ok(ValueType::I32),
        ValType::I64 => Ok(ValueType::I64),
        ValType::F32 => Ok(ValueType::F32),
        ValType::F64 => Ok(ValueType::F64),
        ValType::Ref(RefType::FUNCREF) => Ok(ValueType::FuncRef),
        ValType::Ref(_) => Err(unsupported(REFERENCES, offset)),
        ValType::V128 => Err(unsupported("vectors", offset)),
    }
}

fn function_type(ty: &wasmparser::FuncType) -> Result<FunctionType, CfgError> {
    let types = |types: &[ValType]| -> Result<Vec<ValueType>, CfgError> {
        types.iter().map(|&ty| value_type(ty, 0)).collect()
    };
    Ok(FunctionType { params: types(ty.params())?, results: types(ty.results())? })
}

fn table_info(ty: &wasmparser::TableType, import: Option<Import>) -> Result<TableInfo, CfgError> {
    value_type(ValType::Ref(ty.element_type), 0)?;
    Ok(TableInfo { initial: ty.initial, maximum: ty.maximum, import })
}

fn memory_info(ty: &wasmparser::MemoryType, import: Option<Import>) -> MemoryInfo {
    MemoryInfo { initial: ty.initial, maximum: ty.maximum, import }
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

/// The constant that an operator pushes, if it pushes one.
pub(in crate::cfg) fn constant(operator: &Operator<'_>) -> Option<Constant> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no constants")]
    match *operator {
        Operator::I32Const { value } => Some(Constant::I32(value as u32)),
        Operator::I64Const { value } => Some(Constant::I64(value as u64)),
        Operator::F32Const { value } => Some(Constant::F32(value.bits())),
        Operator::F64Const { value } => Some(Constant::F64(value.bits())),
        Operator::RefNull { hty: wasmparser::HeapType::FUNC } => Some(Constant::NullFunction),
        Operator::RefFunc { function_index } => Some(Constant::Function(function_index)),
        _ => None,
    }
}

fn expression(expression: &ConstExpr<'_>) -> Result<Expression, CfgError> {
    let mut ops = Vec::new();
    for operator in expression.get_operators_reader().into_iter_with_offsets() {
        let (operator, offset) = operator?;
        ops.push(match (&operator, constant(&operator), WasmOp::of(&operator)) {
            (_, Some(constant), _) => ConstantOp::Const(constant),
            (_, None, Some(op)) => ConstantOp::Numeric(op),
            (Operator::GlobalGet { global_index }, None, None) => {
                ConstantOp::GlobalGet(*global_index)
            }
            (Operator::End, None, None) => continue,
            (Operator::RefNull { .. }, None, None) => return Err(unsupported(REFERENCES, offset)),
            _ => return Err(unsupported("this operator in a constant expression", offset)),
        });
    }
    Ok(ops)
}
