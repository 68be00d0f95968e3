//! A module in its parts, with types and initial values in our own words.
//!
//! **Invariant:** what [`ModuleView::parse`] accepts is valid and uses only what this crate handles: version 2
//! of the standard without vectors and without references other than `funcref`, one memory at most.

mod read;

pub(super) use read::{REFERENCES, constant, unsupported, value_type};

use super::{Constant, Num, WasmOp};
use std::collections::BTreeMap;
use std::ops::Range;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ValueType {
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `funcref`
    FuncRef,
}

impl From<Num> for ValueType {
    fn from(num: Num) -> ValueType {
        match num {
            Num::I32 => ValueType::I32,
            Num::I64 => ValueType::I64,
            Num::F32 => ValueType::F32,
            Num::F64 => ValueType::F64,
        }
    }
}

/// What a function takes and gives.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct FunctionType {
    /// Its parameters.
    pub params: Vec<ValueType>,
    /// Its results.
    pub results: Vec<ValueType>,
}

/// Under which names something is imported.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Import {
    /// The module's name.
    pub module: String,
    /// The name within it.
    pub name: String,
}

/// A function of the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionInfo {
    /// Its type, by index.
    pub ty: u32,
    /// Set for an imported one.
    pub import: Option<Import>,
    /// Where its locals and operators are in the module; set for a defined one.
    pub body: Option<Range<u32>>,
}

/// A constant expression in postfix order.
pub type Expression = Vec<ConstantOp>;

/// An operator of a constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstantOp {
    /// A constant.
    Const(Constant),
    /// The value of an earlier global.
    GlobalGet(u32),
    /// Sum, difference or product.
    Numeric(WasmOp),
}

/// A global.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalInfo {
    /// Its type.
    pub ty: ValueType,
    /// Whether it can be written.
    pub mutable: bool,
    /// Set for an imported one.
    pub import: Option<Import>,
    /// Its first value; empty for an imported one.
    pub initial: Expression,
}

/// The memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryInfo {
    /// Pages at the start.
    pub initial: u64,
    /// How far it can grow.
    pub maximum: Option<u64>,
    /// Set for an imported one.
    pub import: Option<Import>,
}

/// A table of functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// Entries at the start.
    pub initial: u64,
    /// How far it can grow.
    pub maximum: Option<u64>,
    /// Set for an imported one.
    pub import: Option<Import>,
}

/// Where a segment goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Placement {
    /// Used by instructions only.
    Passive,
    /// Written at the start.
    Active {
        /// The memory or table.
        to: u32,
        /// Where in it.
        offset: Expression,
    },
    /// Only declares that its functions are referred to.
    Declared,
}

/// A data segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSegment<'a> {
    /// Where it goes.
    pub placement: Placement,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// An element segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementSegment {
    /// Where it goes.
    pub placement: Placement,
    /// One expression per element.
    pub items: Vec<Expression>,
}

/// What an export is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportKind {
    /// A function.
    Function(u32),
    /// A table.
    Table(u32),
    /// The memory.
    Memory,
    /// A global.
    Global(u32),
}

/// A module in its parts, all index spaces as in the original.
#[derive(Clone, Debug, Default)]
pub struct ModuleView<'a> {
    /// The whole module.
    pub wasm: &'a [u8],
    /// Function types.
    pub types: Vec<FunctionType>,
    /// Functions, imported ones first.
    pub functions: Vec<FunctionInfo>,
    /// Globals, imported ones first.
    pub globals: Vec<GlobalInfo>,
    /// Memories, one at most.
    pub memories: Vec<MemoryInfo>,
    /// Tables, imported ones first.
    pub tables: Vec<TableInfo>,
    /// Data segments.
    pub data: Vec<DataSegment<'a>>,
    /// Element segments.
    pub elements: Vec<ElementSegment>,
    /// Exports by name.
    pub exports: BTreeMap<String, ExportKind>,
    /// Called before anything else.
    pub start: Option<u32>,
    /// Names of functions from the name section, by index.
    pub names: BTreeMap<u32, String>,
}

impl<'a> ModuleView<'a> {
    /// The type of a function.
    pub fn function_type(&self, function: u32) -> &FunctionType {
        &self.types[self.functions[function as usize].ty as usize]
    }

    /// A function's name for people: of the name section, an export, an import, or made of its index.
    pub fn function_name(&self, function: u32) -> String {
        if let Some(name) = self.names.get(&function) {
            return name.clone();
        }
        let exported =
            self.exports.iter().find(|(_, kind)| **kind == ExportKind::Function(function));
        let imported = self.functions.get(function as usize).and_then(|info| info.import.as_ref());
        match (exported, imported) {
            (Some((name, _)), _) => name.clone(),
            (None, Some(import)) => import.name.clone(),
            (None, None) => format!("function {function}"),
        }
    }

    /// The function of that name: exports first, then the name section.
    pub fn function_named(&self, name: &str) -> Option<u32> {
        if let Some(ExportKind::Function(function)) = self.exports.get(name) {
            return Some(*function);
        }
        self.names.iter().find(|(_, known)| *known == name).map(|(function, _)| *function)
    }
}
