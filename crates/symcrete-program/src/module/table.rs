//! Operators of tables.

use super::{AddressType, Module, ValueType};
use super::operator::{Effects, one};

/// What an instruction does with a table or with a segment of elements. Operand order is WebAssembly's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableOp {
    /// Reads an entry.
    Get(u32),
    /// Writes an entry.
    Set(u32),
    /// How many entries there are.
    Size(u32),
    /// Adds entries; gives how many there were, or -1.
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

    /// How many operands it pops.
    pub(super) fn n_params(self) -> usize {
        match self {
            TableOp::Size(_) | TableOp::DropElements(_) => 0,
            TableOp::Get(_) => 1,
            TableOp::Set(_) | TableOp::Grow(_) => 2,
            TableOp::Fill(_) | TableOp::Copy { .. } | TableOp::Init { .. } => 3,
        }
    }

    /// Which operands are indices or lengths, and how wide they are.
    pub(super) fn addresses(self, module: &Module<'_>) -> Vec<(usize, AddressType)> {
        let of = |table: u32| module.tables[table as usize].address;
        match self {
            TableOp::Get(table) | TableOp::Set(table) => vec![(0, of(table))],
            TableOp::Grow(table) => vec![(1, of(table))],
            TableOp::Fill(table) => vec![(0, of(table)), (2, of(table))],
            TableOp::Copy { to, from } => {
                vec![(0, of(to)), (1, of(from)), (2, of(to).least(of(from)))]
            }
            // Where in the segment and how much of it are numbers of 32 bits.
            TableOp::Init { table, .. } => vec![(0, of(table))],
            TableOp::Size(_) | TableOp::DropElements(_) => Vec::new(),
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
