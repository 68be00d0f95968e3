//! Operators of tables.

use super::operator::Effects;
use super::typing::one;
use super::{Module, ValueType};

/// What an instruction does with a table or with a segment of elements. Operand order is WebAssembly's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableOp {
    /// Reads an entry.
    Get(u32),
    /// Writes an entry.
    Set(u32),
    /// How many entries there are.
    Size(u32),
    /// Adds entries; returns how many there were, or -1.
    Grow(u32),
    /// Start, reference, length.
    Fill(u32),
    /// Destination, source, length.
    Copy {
        /// The table written.
        to: u32,
        /// The table read.
        from: u32,
    },
    /// Destination, offset in the element segment, length.
    Init {
        /// The segment.
        segment: u32,
        /// The table.
        table: u32,
    },
    /// Empties an element segment.
    DropElements(u32),
}

impl TableOp {
    pub(super) fn of(operator: &wasmparser::Operator<'_>) -> Option<TableOp> {
        use wasmparser::Operator as W;
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other is about tables")]
        Some(match *operator {
            W::TableGet { table } => TableOp::Get(table),
            W::TableSet { table } => TableOp::Set(table),
            W::TableSize { table } => TableOp::Size(table),
            W::TableGrow { table } => TableOp::Grow(table),
            W::TableFill { table } => TableOp::Fill(table),
            W::TableCopy { dst_table, src_table } => {
                TableOp::Copy { to: dst_table, from: src_table }
            }
            W::TableInit { elem_index, table } => TableOp::Init { segment: elem_index, table },
            W::ElemDrop { elem_index } => TableOp::DropElements(elem_index),
            _ => return None,
        })
    }

    /// What it may touch.
    pub fn effects(self) -> Effects {
        match self {
            TableOp::Size(_) => Effects::READS,
            TableOp::Get(_) => Effects { traps: true, ..Effects::READS },
            TableOp::DropElements(_) => Effects::WRITES,
            TableOp::Set(_) | TableOp::Fill(_) => Effects { traps: true, ..Effects::WRITES },
            TableOp::Grow(_) => Effects { traps: false, ..Effects::ALL },
            TableOp::Copy { .. } | TableOp::Init { .. } => Effects::ALL,
        }
    }

    /// What it pops.
    pub(super) fn params(self, module: &Module<'_>) -> Vec<ValueType> {
        let of = |table: u32| module.tables[table as usize].address;
        let (number, reference) = (ValueType::I32, ValueType::FuncRef);
        match self {
            TableOp::Size(_) | TableOp::DropElements(_) => vec![],
            TableOp::Get(table) => vec![of(table).ty()],
            TableOp::Set(table) => vec![of(table).ty(), reference],
            TableOp::Grow(table) => vec![reference, of(table).ty()],
            TableOp::Fill(table) => vec![of(table).ty(), reference, of(table).ty()],
            TableOp::Copy { to, from } => {
                let length = of(to).least(of(from));
                vec![of(to).ty(), of(from).ty(), length.ty()]
            }
            // Where in a segment and how much of it are numbers of 32 bits.
            TableOp::Init { table, .. } => vec![of(table).ty(), number, number],
        }
    }

    /// Whether it gives how many entries there are or were.
    pub(super) fn gives_size(self) -> bool {
        matches!(self, TableOp::Size(_) | TableOp::Grow(_))
    }

    /// What it pushes.
    pub(super) fn results(self, module: &Module<'_>) -> &'static [ValueType] {
        match self {
            TableOp::Size(table) | TableOp::Grow(table) => {
                one(module.tables[table as usize].address.ty())
            }
            TableOp::Get(_) => one(ValueType::FuncRef),
            TableOp::Set(_)
            | TableOp::Fill(_)
            | TableOp::Copy { .. }
            | TableOp::Init { .. }
            | TableOp::DropElements(_) => &[],
        }
    }
}
