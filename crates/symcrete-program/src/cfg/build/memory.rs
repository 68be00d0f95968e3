//! Operators on memory and tables.

use super::Builder;
use crate::cfg::{Access, Kind, ValueType};
use wasmparser::{MemArg, Operator};

impl Builder<'_> {
    /// Adds the operator if it is one of these.
    pub(super) fn memory_or_table(&mut self, operator: &Operator<'_>) -> bool {
        if let Some(access) = load(operator) {
            self.push(Kind::Load(access), 1, &[access.ty]);
            return true;
        }
        if let Some(access) = store(operator) {
            self.push(Kind::Store(access), 2, &[]);
            return true;
        }
        let i32 = [ValueType::I32];
        #[expect(clippy::wildcard_enum_match_arm, reason = "the caller knows the others")]
        match *operator {
            Operator::MemorySize { .. } => self.push(Kind::MemorySize, 0, &i32),
            Operator::MemoryGrow { .. } => self.push(Kind::MemoryGrow, 1, &i32),
            Operator::MemoryFill { .. } => self.push(Kind::MemoryFill, 3, &[]),
            Operator::MemoryCopy { .. } => self.push(Kind::MemoryCopy, 3, &[]),
            Operator::MemoryInit { data_index, .. } => {
                self.push(Kind::MemoryInit(data_index), 3, &[]);
            }
            Operator::DataDrop { data_index } => self.push(Kind::DataDrop(data_index), 0, &[]),
            Operator::TableGet { table } => {
                self.push(Kind::TableGet(table), 1, &[ValueType::FuncRef])
            }
            Operator::TableSet { table } => self.push(Kind::TableSet(table), 2, &[]),
            Operator::TableSize { table } => self.push(Kind::TableSize(table), 0, &i32),
            Operator::TableGrow { table } => self.push(Kind::TableGrow(table), 2, &i32),
            Operator::TableFill { table } => self.push(Kind::TableFill(table), 3, &[]),
            Operator::TableCopy { dst_table, src_table } => {
                self.push(Kind::TableCopy { to: dst_table, from: src_table }, 3, &[]);
            }
            Operator::TableInit { elem_index, table } => {
                self.push(Kind::TableInit { segment: elem_index, table }, 3, &[]);
            }
            Operator::ElemDrop { elem_index } => self.push(Kind::ElemDrop(elem_index), 0, &[]),
            _ => return false,
        }
        true
    }
}

fn access(ty: ValueType, bytes: u32, signed: bool, memarg: MemArg) -> Option<Access> {
    // Offsets into a 32-bit memory have 32 bits.
    Some(Access { ty, bytes, signed, offset: memarg.offset as u32 })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others load nothing")]
fn load(operator: &Operator<'_>) -> Option<Access> {
    use ValueType::{F32, F64, I32, I64};
    match *operator {
        Operator::I32Load { memarg } => access(I32, 4, false, memarg),
        Operator::I64Load { memarg } => access(I64, 8, false, memarg),
        Operator::F32Load { memarg } => access(F32, 4, false, memarg),
        Operator::F64Load { memarg } => access(F64, 8, false, memarg),
        Operator::I32Load8S { memarg } => access(I32, 1, true, memarg),
        Operator::I32Load8U { memarg } => access(I32, 1, false, memarg),
        Operator::I32Load16S { memarg } => access(I32, 2, true, memarg),
        Operator::I32Load16U { memarg } => access(I32, 2, false, memarg),
        Operator::I64Load8S { memarg } => access(I64, 1, true, memarg),
        Operator::I64Load8U { memarg } => access(I64, 1, false, memarg),
        Operator::I64Load16S { memarg } => access(I64, 2, true, memarg),
        Operator::I64Load16U { memarg } => access(I64, 2, false, memarg),
        Operator::I64Load32S { memarg } => access(I64, 4, true, memarg),
        Operator::I64Load32U { memarg } => access(I64, 4, false, memarg),
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others store nothing")]
fn store(operator: &Operator<'_>) -> Option<Access> {
    use ValueType::{F32, F64, I32, I64};
    match *operator {
        Operator::I32Store { memarg } => access(I32, 4, false, memarg),
        Operator::I64Store { memarg } => access(I64, 8, false, memarg),
        Operator::F32Store { memarg } => access(F32, 4, false, memarg),
        Operator::F64Store { memarg } => access(F64, 8, false, memarg),
        Operator::I32Store8 { memarg } => access(I32, 1, false, memarg),
        Operator::I32Store16 { memarg } => access(I32, 2, false, memarg),
        Operator::I64Store8 { memarg } => access(I64, 1, false, memarg),
        Operator::I64Store16 { memarg } => access(I64, 2, false, memarg),
        Operator::I64Store32 { memarg } => access(I64, 4, false, memarg),
        _ => None,
    }
}
