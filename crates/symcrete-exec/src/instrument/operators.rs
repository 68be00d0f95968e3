//! Which rewriting an operator gets.

use crate::instrument::function::{Rewriter, Shadow, val_type};
use crate::wasm_op::WasmOp;
use wasm_encoder::{Instruction, RefType, ValType};
use wasmparser::{BinaryReaderError, Operator};

impl Rewriter<'_> {
    /// Rewrites one operator.
    pub(crate) fn operator(&mut self, operator: &Operator<'_>) -> Result<(), BinaryReaderError> {
        if self.dead.is_some() {
            self.dead_operator(operator);
            return Ok(());
        }
        if let Some(op) = WasmOp::of(operator) {
            self.numeric(operator, op);
            return Ok(());
        }
        if let Some(access) = crate::access::Access::of(operator) {
            self.memory_access(operator, access);
            return Ok(());
        }
        self.other_operator(operator)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "validation refuses all others")]
    fn other_operator(&mut self, operator: &Operator<'_>) -> Result<(), BinaryReaderError> {
        match *operator {
            Operator::Nop => {}
            Operator::Unreachable => {
                self.out.emit(&Instruction::Unreachable);
                self.dead = Some(0);
            }
            Operator::Block { blockty } => self.block(blockty),
            Operator::Loop { blockty } => self.loop_(blockty),
            Operator::If { blockty } => self.if_(blockty),
            Operator::Else => self.else_(),
            Operator::End => self.end(),
            Operator::Br { relative_depth } => self.br(relative_depth),
            Operator::BrIf { relative_depth } => self.br_if(relative_depth),
            Operator::BrTable { .. } => self.br_table(),
            Operator::Return => self.br(self.frames.len() as u32 - 1),
            Operator::Call { function_index } => self.call(function_index),
            Operator::CallIndirect { type_index, table_index } => {
                self.call_indirect(type_index, table_index);
            }
            Operator::Drop => {
                self.pop();
                self.out.emit(&Instruction::Drop);
            }
            Operator::Select => self.select(&Instruction::Select),
            Operator::TypedSelect { ty } => {
                self.select(&Instruction::TypedSelect(val_type(ty)));
            }
            Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index } => self.local_access(operator, local_index),
            Operator::GlobalGet { global_index } => self.global_get(global_index),
            Operator::GlobalSet { global_index } => self.global_set(global_index),
            Operator::I32Const { .. } => self.constant(operator, ValType::I32),
            Operator::I64Const { .. } => self.constant(operator, ValType::I64),
            Operator::F32Const { .. } => self.constant(operator, ValType::F32),
            Operator::F64Const { .. } => self.constant(operator, ValType::F64),
            Operator::RefNull { .. } => self.constant(operator, ValType::Ref(RefType::FUNCREF)),
            Operator::RefFunc { function_index } => {
                let function = self.context.layout.shadowed(function_index);
                self.out.emit(&Instruction::RefFunc(function));
                self.push(ValType::Ref(RefType::FUNCREF), Shadow::Zero);
            }
            Operator::RefIsNull => self.concrete(operator, &[false], Some(ValType::I32)),
            Operator::MemorySize { .. } => self.concrete(operator, &[], Some(ValType::I32)),
            Operator::MemoryGrow { .. } => self.concrete(operator, &[true], Some(ValType::I32)),
            Operator::MemoryCopy { .. } => self.memory_copy(operator),
            Operator::MemoryFill { .. } => self.memory_fill(operator),
            Operator::MemoryInit { .. } => self.memory_init(operator),
            Operator::DataDrop { .. } | Operator::ElemDrop { .. } => {
                self.concrete(operator, &[], None);
            }
            Operator::TableSize { .. } => self.concrete(operator, &[], Some(ValType::I32)),
            Operator::TableGet { table } => self.table_get(operator, table),
            Operator::TableSet { table } => self.table_set(operator, table),
            Operator::TableGrow { .. } => {
                self.concrete(operator, &[false, true], Some(ValType::I32));
            }
            Operator::TableFill { .. } => self.concrete(operator, &[true, false, true], None),
            Operator::TableCopy { .. } | Operator::TableInit { .. } => {
                self.concrete(operator, &[true, true, true], None);
            }
            ref other => unreachable!("validation refuses {other:?}"),
        }
        Ok(())
    }

    fn constant(&mut self, operator: &Operator<'_>, ty: ValType) {
        self.copy(operator);
        self.push(ty, Shadow::Zero);
    }

    /// An operator whose operands are taken at their values; `numbers` says which are numbers and not
    /// references.
    pub(crate) fn concrete(
        &mut self,
        operator: &Operator<'_>,
        numbers: &[bool],
        result: Option<ValType>,
    ) {
        let operands = self.pop_many(numbers.len());
        if operands.iter().any(|operand| operand.shadow != Shadow::Zero) {
            let temps = self.save(&operands);
            for ((&operand, &temp), _) in
                operands.iter().zip(&temps).zip(numbers).filter(|(_, number)| **number)
            {
                self.pin(operand, temp);
            }
            self.restore(&temps);
        }
        self.copy(operator);
        if let Some(ty) = result {
            self.push(ty, Shadow::Zero);
        }
    }
}
