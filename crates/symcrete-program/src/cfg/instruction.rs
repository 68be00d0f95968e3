//! What an instruction is and what it touches.

use super::{ValueId, ValueType, WasmOp};

/// One operator that computes or changes something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Where the operator is in the module. The zeros of locals are at the start of the body.
    pub offset: u32,
    /// What it does.
    pub kind: Kind,
    /// Its operands, the one pushed first at the front.
    pub args: Vec<ValueId>,
    /// What it gives; several only for calls.
    pub results: Vec<ValueId>,
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

/// Which bytes of memory a load or store touches, and as what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The type of the value loaded or stored.
    pub ty: ValueType,
    /// How many bytes: 1, 2, 4 or 8.
    pub bytes: u32,
    /// Whether a load of fewer bytes than the type has extends the sign.
    pub signed: bool,
    /// Added to the address, without wrapping.
    pub offset: u32,
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
    /// Adds pages; gives how many there were, or -1.
    MemoryGrow,
    /// Destination, byte, length.
    MemoryFill,
    /// Destination, source, length.
    MemoryCopy,
    /// Destination, offset in the data segment, length.
    MemoryInit(u32),
    /// Empties a data segment.
    DataDrop(u32),
    /// Reads a table.
    TableGet(u32),
    /// Writes a table.
    TableSet(u32),
    /// Entries of a table.
    TableSize(u32),
    /// Adds entries; gives how many there were, or -1.
    TableGrow(u32),
    /// Start, reference, length.
    TableFill(u32),
    /// Destination, source, length.
    TableCopy {
        /// The table written.
        to: u32,
        /// The table read.
        from: u32,
    },
    /// Destination, offset in the element segment, length.
    TableInit {
        /// The segment.
        segment: u32,
        /// The table.
        table: u32,
    },
    /// Empties an element segment.
    ElemDrop(u32),
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
    const PURE: Effects = Effects { reads: false, writes: false, traps: false };
    const READS: Effects = Effects { reads: true, writes: false, traps: false };
    const WRITES: Effects = Effects { reads: false, writes: true, traps: false };
    const ALL: Effects = Effects { reads: true, writes: true, traps: true };
}

impl Kind {
    /// Whether it enters another function.
    pub fn is_call(&self) -> bool {
        matches!(self, Kind::Call(_) | Kind::CallIndirect { .. })
    }

    /// What it may touch. A call may do anything.
    pub fn effects(&self) -> Effects {
        match self {
            Kind::Const(_) | Kind::Select | Kind::RefIsNull => Effects::PURE,
            Kind::Numeric(op) => Effects { traps: op.traps(), ..Effects::PURE },
            Kind::GlobalGet(_) | Kind::MemorySize | Kind::TableSize(_) => Effects::READS,
            Kind::GlobalSet(_) | Kind::DataDrop(_) | Kind::ElemDrop(_) => Effects::WRITES,
            Kind::Load(_) | Kind::TableGet(_) => Effects { traps: true, ..Effects::READS },
            Kind::Store(_) | Kind::TableSet(_) | Kind::MemoryFill | Kind::TableFill(_) => {
                Effects { traps: true, ..Effects::WRITES }
            }
            Kind::MemoryGrow | Kind::TableGrow(_) => Effects { traps: false, ..Effects::ALL },
            Kind::MemoryCopy
            | Kind::MemoryInit(_)
            | Kind::TableCopy { .. }
            | Kind::TableInit { .. }
            | Kind::Call(_)
            | Kind::CallIndirect { .. } => Effects::ALL,
        }
    }
}
