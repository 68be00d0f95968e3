//! Parts of a module, written again: what a rewritten module takes over from the original.

use crate::limits::Limits;
use std::borrow::Cow;
use symcrete_program::Scalar;
use symcrete_program::module::{
    AddressType, Constant, ConstantOp, DataSegment, ElementSegment, FunctionType, GlobalInfo,
    Module, Num, Placement, ValueType, WasmOp, evaluate,
};
use wasm_encoder::{
    ConstExpr, DataSection, ElementMode, ElementSection, Elements, Encode, GlobalSection,
    GlobalType, HeapType, Ieee32, Ieee64, Instruction, MemoryType, RefType, TableSection,
    TableType, ValType,
};

/// A type in the encoder's words.
pub(crate) fn val_type(ty: ValueType) -> ValType {
    match ty {
        ValueType::I32 => ValType::I32,
        ValueType::I64 => ValType::I64,
        ValueType::F32 => ValType::F32,
        ValueType::F64 => ValType::F64,
        ValueType::FuncRef => ValType::Ref(RefType::FUNCREF),
    }
}

/// Types in the encoder's words.
pub(crate) fn val_types(types: &[ValueType]) -> Vec<ValType> {
    types.iter().map(|&ty| val_type(ty)).collect()
}

/// The type of a number in the encoder's words.
pub(crate) fn num_type(num: Num) -> ValType {
    val_type(num.into())
}

/// A memory that has between so many pages and so many.
pub(crate) fn memory_type(minimum: u64, maximum: u64) -> MemoryType {
    MemoryType {
        minimum,
        maximum: Some(maximum),
        memory64: false,
        shared: false,
        page_size_log2: None,
    }
}

/// Functions under the numbers that they have in a rewritten module, and the values of globals.
pub(crate) struct Renumbered<'a> {
    pub(crate) function: &'a dyn Fn(u32) -> u32,
    /// Of imported globals.
    pub(crate) imported_globals: &'a [Scalar],
    /// What all globals start with, as raw bits.
    pub(crate) initial_globals: &'a [u64],
}

impl Renumbered<'_> {
    /// A constant expression.
    fn expression(&self, expression: &[ConstantOp]) -> ConstExpr {
        let mut bytes = Vec::new();
        for op in expression {
            let instruction = match *op {
                ConstantOp::Const(constant) => self.constant(constant),
                ConstantOp::GlobalGet(global) => match self.imported_globals.get(global as usize) {
                    Some(&value) => of_scalar(value),
                    None => Instruction::GlobalGet(global),
                },
                ConstantOp::Numeric(op) => arithmetic(op),
            };
            instruction.encode(&mut bytes);
        }
        ConstExpr::raw(bytes)
    }

    fn constant(&self, constant: Constant) -> Instruction<'static> {
        match constant {
            Constant::I32(bits) => of_scalar(Scalar::I32(bits)),
            Constant::I64(bits) => of_scalar(Scalar::I64(bits)),
            Constant::F32(bits) => of_scalar(Scalar::F32(bits)),
            Constant::F64(bits) => of_scalar(Scalar::F64(bits)),
            Constant::NullFunction => Instruction::RefNull(HeapType::FUNC),
            Constant::Function(function) => Instruction::RefFunc((self.function)(function)),
        }
    }

    /// A global of the original; an imported one has the value that is given.
    pub(crate) fn global(&self, section: &mut GlobalSection, global: &GlobalInfo, index: usize) {
        let value = match &global.import {
            Some(_) => self.expression(&[ConstantOp::GlobalGet(index as u32)]),
            None => self.expression(&global.initial),
        };
        section.global(global_type(global), &value);
    }

    /// Where a segment goes, in a memory or table of 32-bit addresses. What is above goes where nothing is either.
    fn start(&self, offset: &[ConstantOp], address: AddressType) -> ConstExpr {
        match address {
            AddressType::I32 => self.expression(offset),
            AddressType::I64 => {
                let start = evaluate(offset, self.initial_globals);
                ConstExpr::i32_const(u32::try_from(start).unwrap_or(u32::MAX) as i32)
            }
        }
    }

    /// What fills the tables.
    pub(crate) fn elements(&self, module: &Module<'_>) -> ElementSection {
        let mut section = ElementSection::new();
        for segment in &module.elements {
            self.element(&mut section, module, segment);
        }
        section
    }

    fn element(&self, section: &mut ElementSection, module: &Module<'_>, segment: &ElementSegment) {
        let function = |item: &Vec<ConstantOp>| match item[..] {
            [ConstantOp::Const(Constant::Function(function))] => Some((self.function)(function)),
            _ => None,
        };
        let functions: Option<Vec<u32>> = segment.items.iter().map(function).collect();
        let elements = match functions {
            Some(functions) => Elements::Functions(Cow::Owned(functions)),
            None => {
                let items = segment.items.iter().map(|item| self.expression(item)).collect();
                Elements::Expressions(RefType::FUNCREF, Cow::Owned(items))
            }
        };
        let start;
        let mode = match &segment.placement {
            Placement::Passive => ElementMode::Passive,
            Placement::Declared => ElementMode::Declared,
            Placement::Active { to, offset } => {
                start = self.start(offset, module.tables[*to as usize].address);
                ElementMode::Active { table: (*to > 0).then_some(*to), offset: &start }
            }
        };
        section.segment(wasm_encoder::ElementSegment { mode, elements });
    }

    /// What is in memory at first.
    pub(crate) fn data(&self, module: &Module<'_>) -> DataSection {
        let mut section = DataSection::new();
        for DataSegment { placement, bytes } in &module.data {
            match placement {
                Placement::Active { to, offset } => {
                    let start = self.start(offset, module.address_type());
                    section.active(*to, &start, bytes.iter().copied());
                }
                Placement::Passive | Placement::Declared => {
                    section.passive(bytes.iter().copied());
                }
            }
        }
        section
    }
}

/// The type of a global.
pub(crate) fn global_type(global: &GlobalInfo) -> GlobalType {
    GlobalType { val_type: val_type(global.ty), mutable: global.mutable, shared: false }
}

/// The tables of a rewritten module, all with 32-bit indices. Imported ones become our own, empty ones.
pub(crate) fn tables(module: &Module<'_>, limits: &Limits) -> TableSection {
    let limit = u64::from(limits.table_entries);
    let mut section = TableSection::new();
    for table in &module.tables {
        section.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: table.initial,
            maximum: Some(table.maximum.unwrap_or(limit).min(limit).max(table.initial)),
            shared: false,
        });
    }
    section
}

/// Shadows follow the values.
pub(crate) fn widened(ty: &FunctionType) -> [Vec<ValType>; 2] {
    [&ty.params, &ty.results]
        .map(|types| [val_types(types), vec![ValType::I32; types.len()]].concat())
}

fn of_scalar(value: Scalar) -> Instruction<'static> {
    match value {
        Scalar::I32(bits) => Instruction::I32Const(bits as i32),
        Scalar::I64(bits) => Instruction::I64Const(bits as i64),
        Scalar::F32(bits) => Instruction::F32Const(Ieee32::new(bits)),
        Scalar::F64(bits) => Instruction::F64Const(Ieee64::new(bits)),
        Scalar::FuncRef { .. } => Instruction::RefNull(HeapType::FUNC),
    }
}

/// What may be computed in a constant expression.
fn arithmetic(op: WasmOp) -> Instruction<'static> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "validation refuses all others")]
    match op {
        WasmOp::I32Add => Instruction::I32Add,
        WasmOp::I32Sub => Instruction::I32Sub,
        WasmOp::I32Mul => Instruction::I32Mul,
        WasmOp::I64Add => Instruction::I64Add,
        WasmOp::I64Sub => Instruction::I64Sub,
        WasmOp::I64Mul => Instruction::I64Mul,
        other => unreachable!("validation refuses {other:?} in constants"),
    }
}
