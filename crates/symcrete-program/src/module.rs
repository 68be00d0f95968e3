//! A parsed WebAssembly module, and the one way to read its code.
//!
//! [`Module::parse`] checks a module and takes it apart, in our own words. [`Module::operators`] gives the operators
//! of a function, [`walk()`] follows them with an operand stack and open blocks, [`Sites`] numbers the places where
//! control depends on values, and [`WasmOp`] says what the numeric operators mean. The debug reader, the graphs, and
//! the rewriters of the engine are visitors (`docs/adr/0012-one-reader.md`).
//!
//! **Invariant:** what [`Module::parse`] accepts is valid and uses only what we handle: version 2 of the standard
//! without vectors and without references other than `funcref`, one memory at most; memory and tables may have 64-bit
//! addresses (`docs/adr/0025-addresses-of-64-bits.md`).
//!
//! **Invariant:** nothing else takes a user's module apart, except for [`check`], which looks before there is one.

mod access;
pub mod check;
mod numeric;
mod operator;
mod read;
mod sites;
mod table;
mod typing;
mod walk;

pub use access::{Access, AccessForm, Widening};
pub use check::{ModuleError, check_module};
pub use numeric::{Guard, Meaning, Num, WasmOp};
pub use operator::{BlockType, Constant, Effects, Kind, MemoryUse, Nesting, Operator};
pub use read::ReadOperator;
pub use sites::{Cases, Ranges, Sites, Switch};
pub use table::TableOp;
pub use walk::{Frame, FrameKind, Stack, Visitor, walk};

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

/// How wide the addresses of a memory are, or the indices of a table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AddressType {
    /// 32 bits.
    #[default]
    I32,
    /// 64 bits.
    I64,
}

impl AddressType {
    fn of(is_wide: bool) -> AddressType {
        if is_wide { AddressType::I64 } else { AddressType::I32 }
    }

    /// Addresses as numbers.
    pub fn num(self) -> Num {
        match self {
            AddressType::I32 => Num::I32,
            AddressType::I64 => Num::I64,
        }
    }

    /// The type of addresses.
    pub fn ty(self) -> ValueType {
        self.num().into()
    }

    /// Bytes of an address.
    pub fn bytes(self) -> u32 {
        self.num().sort().bits() / 8
    }

    /// The narrower of two: lengths that two tables must have room for are of that type.
    pub fn least(self, other: AddressType) -> AddressType {
        AddressType::of((self, other) == (AddressType::I64, AddressType::I64))
    }
}

/// The memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryInfo {
    /// How wide addresses are.
    pub address: AddressType,
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
    /// How wide indices are.
    pub address: AddressType,
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
pub struct Module<'a> {
    /// The whole module.
    pub wasm: &'a [u8],
    /// Sections by number, in order: where their contents are.
    pub sections: Vec<(u8, Range<usize>)>,
    /// Custom sections by name.
    pub custom: BTreeMap<&'a str, &'a [u8]>,
    /// Where the contents of the code section start, which addresses in debug information count from.
    pub code_start: u32,
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

impl<'a> Module<'a> {
    /// The type of a function.
    pub fn function_type(&self, function: u32) -> &FunctionType {
        &self.types[self.functions[function as usize].ty as usize]
    }

    /// The imported functions, which come before all others.
    pub fn imported(&self) -> impl Iterator<Item = (u32, &Import)> {
        (0..).zip(self.functions.iter().map_while(|function| function.import.as_ref()))
    }

    /// How many functions are imported: the index of the first one that is not.
    pub fn n_imported(&self) -> u32 {
        self.functions.partition_point(|function| function.import.is_some()) as u32
    }

    /// The functions that have code, and where it is.
    pub fn defined(&self) -> impl Iterator<Item = (u32, Range<u32>)> {
        (0..).zip(&self.functions).filter_map(|(i, function)| Some((i, function.body.clone()?)))
    }

    /// Where a function's locals and operators are, unless it is imported.
    pub fn body(&self, function: u32) -> Option<Range<u32>> {
        self.functions.get(function as usize)?.body.clone()
    }

    /// The function whose body starts at an offset.
    pub fn function_at(&self, offset: u32) -> Option<u32> {
        let first = self.n_imported() as usize;
        let start = |function: &FunctionInfo| function.body.as_ref().map_or(0, |body| body.start);
        let at = self.functions[first..].binary_search_by_key(&offset, start).ok()?;
        Some((first + at) as u32)
    }

    /// The memory, if there is one.
    pub fn memory(&self) -> Option<&MemoryInfo> {
        self.memories.first()
    }

    /// How wide addresses are.
    pub fn address_type(&self) -> AddressType {
        self.memory().map(|memory| memory.address).unwrap_or_default()
    }

    /// The values that globals start with, given those of imported ones, as raw bits.
    pub fn initial_globals(&self, imported: impl Fn(&Import) -> u64) -> Vec<u64> {
        let mut globals = Vec::new();
        for global in &self.globals {
            globals.push(match &global.import {
                Some(import) => imported(import),
                None => evaluate(&global.initial, &globals),
            });
        }
        globals
    }

    /// A custom section; empty if there is none.
    pub fn section(&self, name: &str) -> &'a [u8] {
        self.custom.get(name).copied().unwrap_or_default()
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

    /// How a function is called in messages.
    pub fn function_label(&self, function: u32) -> String {
        match self.names.get(&function) {
            Some(name) => format!("function {name}"),
            None => format!("function {function}"),
        }
    }

    /// The exported function of that name.
    pub fn exported_function(&self, name: &str) -> Option<u32> {
        match self.exports.get(name)? {
            ExportKind::Function(function) => Some(*function),
            ExportKind::Table(_) | ExportKind::Memory | ExportKind::Global(_) => None,
        }
    }

    /// The function of that name: exports first, then the name section.
    pub fn function_named(&self, name: &str) -> Option<u32> {
        let named = || self.names.iter().find(|(_, known)| *known == name);
        self.exported_function(name).or_else(|| named().map(|(function, _)| *function))
    }

    /// The value of an exported global that is one constant, as an address.
    pub fn exported_constant(&self, name: &str) -> Option<u32> {
        let ExportKind::Global(global) = self.exports.get(name)? else { return None };
        address_const(&self.globals.get(*global as usize)?.initial)
    }

    /// The values of such globals whose names start so.
    pub fn exported_constants(&self, prefix: &str) -> impl Iterator<Item = u32> {
        let names = self.exports.keys().filter(move |name| name.starts_with(prefix));
        names.filter_map(|name| self.exported_constant(name))
    }

    /// Bytes that memory holds at the start, if one segment says them all.
    pub fn initial_bytes(&self, address: u32, n: usize) -> Option<&'a [u8]> {
        self.data.iter().rev().find_map(|segment| {
            let Placement::Active { offset, .. } = &segment.placement else { return None };
            let at = address.checked_sub(address_const(offset)?)? as usize;
            segment.bytes.get(at..)?.get(..n)
        })
    }
}

/// The value of an expression that is one constant, as an address or index; `None` if it is beyond 4 GiB, where nothing is.
pub fn address_const(expression: &[ConstantOp]) -> Option<u32> {
    match expression {
        [ConstantOp::Const(constant)] => constant.address(),
        _ => None,
    }
}

/// The raw bits of a constant expression, given those of the globals so far.
pub fn evaluate(expression: &[ConstantOp], globals: &[u64]) -> u64 {
    let mut stack = Vec::new();
    for op in expression {
        let value = match *op {
            ConstantOp::Const(constant) => constant.bits(),
            ConstantOp::GlobalGet(global) => globals[global as usize],
            ConstantOp::Numeric(op) => {
                let (b, a) = (stack.pop().unwrap_or(0), stack.pop().unwrap_or(0));
                op.apply(a, b).expect("constant expressions add, subtract and multiply")
            }
        };
        stack.push(value);
    }
    stack.pop().unwrap_or(0)
}
