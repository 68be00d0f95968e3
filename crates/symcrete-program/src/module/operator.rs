//! The operators of code, in our own words: the one place where WebAssembly's operators are listed.
//!
//! [`Operator::of`] takes what wasmparser reads. What changes control or moves values is an operator of its own here;
//! all others are a [`Kind`], which pops operands and pushes results. Whoever interprets operators matches these enums
//! exhaustively, so that a new one breaks the build wherever something has to be decided.

use super::read::value_type;
use super::{Access, Cases, FunctionType, Module, ModuleError, TableOp, ValueType, WasmOp};

/// One operator of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `nop`
    Nop,
    /// `unreachable`
    Unreachable,
    /// `block`
    Block(BlockType),
    /// `loop`
    Loop(BlockType),
    /// `if`. A site.
    If(BlockType),
    /// `else`
    Else,
    /// `end`
    End,
    /// `br`
    Br(u32),
    /// `br_if`. A site.
    BrIf(u32),
    /// `br_table`. A site with one case per distinct label.
    BrTable(Cases),
    /// `return`
    Return,
    /// `drop`
    Drop,
    /// `local.get`
    LocalGet(u32),
    /// `local.set`
    LocalSet(u32),
    /// `local.tee`
    LocalTee(u32),
    /// What pops operands and pushes results, and no more.
    Plain(Kind),
}

/// What a block takes and gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockType {
    /// Nothing.
    Empty,
    /// It gives one value.
    Value(ValueType),
    /// As a function of this type, by index.
    Type(u32),
}

impl BlockType {
    /// The types in full.
    pub fn signature(self, module: &Module<'_>) -> FunctionType {
        match self {
            BlockType::Empty => FunctionType::default(),
            BlockType::Value(ty) => FunctionType { params: vec![], results: vec![ty] },
            BlockType::Type(index) => module.types[index as usize].clone(),
        }
    }
}

/// A constant as raw bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    /// `i32.const`
    I32(u32),
    /// `i64.const`
    I64(u64),
    /// `f32.const`
    F32(u32),
    /// `f64.const`
    F64(u64),
    /// `ref.null func`
    NullFunction,
    /// `ref.func`
    Function(u32),
}

impl Constant {
    /// Its type.
    pub fn ty(self) -> ValueType {
        match self {
            Constant::I32(_) => ValueType::I32,
            Constant::I64(_) => ValueType::I64,
            Constant::F32(_) => ValueType::F32,
            Constant::F64(_) => ValueType::F64,
            Constant::NullFunction | Constant::Function(_) => ValueType::FuncRef,
        }
    }

    /// Its raw bits; a reference is 0 for null, else a function's index plus one.
    pub fn bits(self) -> u64 {
        match self {
            Constant::I32(bits) | Constant::F32(bits) => u64::from(bits),
            Constant::I64(bits) | Constant::F64(bits) => bits,
            Constant::NullFunction => 0,
            Constant::Function(function) => u64::from(function) + 1,
        }
    }

    /// Its value as an address or index; `None` if it is no integer or beyond 4 GiB, where nothing is.
    pub fn address(self) -> Option<u32> {
        match self {
            Constant::I32(value) => Some(value),
            Constant::I64(value) => u32::try_from(value).ok(),
            Constant::F32(_)
            | Constant::F64(_)
            | Constant::NullFunction
            | Constant::Function(_) => None,
        }
    }

    /// What a local of that type holds before it is assigned.
    pub fn zero(ty: ValueType) -> Constant {
        match ty {
            ValueType::I32 => Constant::I32(0),
            ValueType::I64 => Constant::I64(0),
            ValueType::F32 => Constant::F32(0),
            ValueType::F64 => Constant::F64(0),
            ValueType::FuncRef => Constant::NullFunction,
        }
    }
}

/// What an instruction does. Operand order is WebAssembly's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A constant.
    Const(Constant),
    /// A numeric operator.
    Numeric(WasmOp),
    /// The first operand if the third is not zero, else the second. A site.
    Select,
    /// Whether a reference is null.
    RefIsNull,
    /// Reads a global.
    GlobalGet(u32),
    /// Writes a global.
    GlobalSet(u32),
    /// Reads memory.
    Load(Access),
    /// Writes memory.
    Store(Access),
    /// Pages of memory.
    MemorySize,
    /// Adds pages; returns how many there were, or -1.
    MemoryGrow,
    /// Destination, byte, length.
    MemoryFill,
    /// Destination, source, length.
    MemoryCopy,
    /// Destination, offset in the data segment, length.
    MemoryInit(u32),
    /// Empties a data segment.
    DataDrop(u32),
    /// Does something with a table.
    Table(TableOp),
    /// A call.
    Call(u32),
    /// A call through a table; the last operand is the index.
    CallIndirect {
        /// The table.
        table: u32,
        /// The type expected, by index.
        ty: u32,
    },
}

/// What an instruction may touch besides its operands and results.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Effects {
    /// Its result depends on memory, globals, tables or segments.
    pub reads: bool,
    /// It changes memory, globals, tables or segments.
    pub writes: bool,
    /// It can trap.
    pub traps: bool,
}

impl Effects {
    pub(super) const PURE: Effects = Effects { reads: false, writes: false, traps: false };
    pub(super) const READS: Effects = Effects { reads: true, writes: false, traps: false };
    pub(super) const WRITES: Effects = Effects { reads: false, writes: true, traps: false };
    pub(super) const ALL: Effects = Effects { reads: true, writes: true, traps: true };
}

/// How an instruction touches memory. What a call touches is for its callee to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryUse {
    /// Not at all.
    Untouched,
    /// It reads at the address that is its first operand.
    Loaded,
    /// It writes at the address that is its first operand.
    Stored,
    /// It writes as many bytes as its last operand says.
    Bulk,
    /// It may become larger.
    Grown,
}

impl Kind {
    /// How it touches memory.
    pub fn memory(&self) -> MemoryUse {
        match self {
            Kind::Load(_) => MemoryUse::Loaded,
            Kind::Store(_) => MemoryUse::Stored,
            Kind::MemoryFill | Kind::MemoryCopy | Kind::MemoryInit(_) => MemoryUse::Bulk,
            Kind::MemoryGrow => MemoryUse::Grown,
            Kind::Const(_)
            | Kind::Numeric(_)
            | Kind::Select
            | Kind::RefIsNull
            | Kind::GlobalGet(_)
            | Kind::GlobalSet(_)
            | Kind::MemorySize
            | Kind::DataDrop(_)
            | Kind::Table(_)
            | Kind::Call(_)
            | Kind::CallIndirect { .. } => MemoryUse::Untouched,
        }
    }

    /// Whether it enters another function.
    pub fn is_call(&self) -> bool {
        matches!(self, Kind::Call(_) | Kind::CallIndirect { .. })
    }

    /// What it may touch. A call may do anything.
    pub fn effects(&self) -> Effects {
        match self {
            Kind::Const(_) | Kind::Select | Kind::RefIsNull => Effects::PURE,
            Kind::Numeric(op) => Effects { traps: op.traps(), ..Effects::PURE },
            Kind::GlobalGet(_) | Kind::MemorySize => Effects::READS,
            Kind::GlobalSet(_) | Kind::DataDrop(_) => Effects::WRITES,
            Kind::Load(_) => Effects { traps: true, ..Effects::READS },
            Kind::Store(_) | Kind::MemoryFill => Effects { traps: true, ..Effects::WRITES },
            Kind::Table(op) => op.effects(),
            Kind::MemoryGrow => Effects { traps: false, ..Effects::ALL },
            Kind::MemoryCopy | Kind::MemoryInit(_) | Kind::Call(_) | Kind::CallIndirect { .. } => {
                Effects::ALL
            }
        }
    }
}

/// What an operator does to the blocks that are open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nesting {
    /// It opens one.
    Opens,
    /// It goes on with the other side of an `if`.
    Otherwise,
    /// It closes the innermost one.
    Closes,
    /// Nothing.
    Stays,
}

impl Operator {
    /// What it does to the blocks that are open.
    pub fn nesting(&self) -> Nesting {
        match self {
            Operator::Block(_) | Operator::Loop(_) | Operator::If(_) => Nesting::Opens,
            Operator::Else => Nesting::Otherwise,
            Operator::End => Nesting::Closes,
            Operator::Nop
            | Operator::Unreachable
            | Operator::Br(_)
            | Operator::BrIf(_)
            | Operator::BrTable(_)
            | Operator::Return
            | Operator::Drop
            | Operator::LocalGet(_)
            | Operator::LocalSet(_)
            | Operator::LocalTee(_)
            | Operator::Plain(_) => Nesting::Stays,
        }
    }

    /// The local that it assigns.
    pub fn assigned_local(&self) -> Option<u32> {
        if let Operator::LocalSet(local) | Operator::LocalTee(local) = *self {
            return Some(local);
        }
        None
    }

    /// What it does, if it only pops operands and pushes results.
    pub fn plain(&self) -> Option<&Kind> {
        if let Operator::Plain(kind) = self { Some(kind) } else { None }
    }

    /// The operator that was read; an error if it is one that we do not handle.
    pub(super) fn of(
        operator: &wasmparser::Operator<'_>,
        offset: usize,
    ) -> Result<Operator, ModuleError> {
        use wasmparser::Operator as W;
        let block_type = |ty: wasmparser::BlockType| {
            Ok::<BlockType, ModuleError>(match ty {
                wasmparser::BlockType::Empty => BlockType::Empty,
                wasmparser::BlockType::Type(ty) => BlockType::Value(value_type(ty, offset)?),
                wasmparser::BlockType::FuncType(index) => BlockType::Type(index),
            })
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are kinds, or refused")]
        Ok(match *operator {
            W::Nop => Operator::Nop,
            W::Unreachable => Operator::Unreachable,
            W::Block { blockty } => Operator::Block(block_type(blockty)?),
            W::Loop { blockty } => Operator::Loop(block_type(blockty)?),
            W::If { blockty } => Operator::If(block_type(blockty)?),
            W::Else => Operator::Else,
            W::End => Operator::End,
            W::Br { relative_depth } => Operator::Br(relative_depth),
            W::BrIf { relative_depth } => Operator::BrIf(relative_depth),
            W::BrTable { ref targets } => Operator::BrTable(Cases::of(targets)?),
            W::Return => Operator::Return,
            W::Drop => Operator::Drop,
            W::LocalGet { local_index } => Operator::LocalGet(local_index),
            W::LocalSet { local_index } => Operator::LocalSet(local_index),
            W::LocalTee { local_index } => Operator::LocalTee(local_index),
            ref other => Operator::Plain(Kind::of(other, offset)?),
        })
    }
}

impl Kind {
    pub(super) fn of(
        operator: &wasmparser::Operator<'_>,
        offset: usize,
    ) -> Result<Kind, ModuleError> {
        use wasmparser::Operator as W;
        if let Some(op) = WasmOp::of(operator) {
            return Ok(Kind::Numeric(op));
        }
        if let Some(op) = TableOp::of(operator) {
            return Ok(Kind::Table(op));
        }
        if let Some(access) = Access::of(operator) {
            return Ok(match access.form().is_store {
                true => Kind::Store(access),
                false => Kind::Load(access),
            });
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else there is, is refused")]
        Ok(match *operator {
            W::I32Const { value } => Kind::Const(Constant::I32(value as u32)),
            W::I64Const { value } => Kind::Const(Constant::I64(value as u64)),
            W::F32Const { value } => Kind::Const(Constant::F32(value.bits())),
            W::F64Const { value } => Kind::Const(Constant::F64(value.bits())),
            W::RefNull { hty: wasmparser::HeapType::FUNC } => Kind::Const(Constant::NullFunction),
            W::RefFunc { function_index } => Kind::Const(Constant::Function(function_index)),
            W::RefIsNull => Kind::RefIsNull,
            W::Select => Kind::Select,
            W::TypedSelect { ty } => value_type(ty, offset).map(|_| Kind::Select)?,
            W::GlobalGet { global_index } => Kind::GlobalGet(global_index),
            W::GlobalSet { global_index } => Kind::GlobalSet(global_index),
            W::MemorySize { .. } => Kind::MemorySize,
            W::MemoryGrow { .. } => Kind::MemoryGrow,
            W::MemoryFill { .. } => Kind::MemoryFill,
            W::MemoryCopy { .. } => Kind::MemoryCopy,
            W::MemoryInit { data_index, .. } => Kind::MemoryInit(data_index),
            W::DataDrop { data_index } => Kind::DataDrop(data_index),
            W::Call { function_index } => Kind::Call(function_index),
            W::CallIndirect { type_index, table_index } => {
                Kind::CallIndirect { table: table_index, ty: type_index }
            }
            W::RefNull { .. } => return Err(ModuleError::references(offset)),
            ref other => {
                return Err(ModuleError::unsupported(&format!("operator {other:?}"), offset));
            }
        })
    }
}
