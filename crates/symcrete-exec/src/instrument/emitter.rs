//! Bytes of one rewritten function: code first, locals declared once all are known.

use std::ops::Range;
use wasm_encoder::{BlockType, BranchHint, Encode, Function, Instruction, MemArg, ValType};

/// A function body under construction.
pub(crate) struct Emitter {
    code: Vec<u8>,
    n_fixed: u32,
    extra: Vec<ValType>,
    /// Where branches are of which one side is hardly ever taken, and whether they usually are.
    hints: Vec<(u32, bool)>,
    origins: Vec<(u32, u32)>,
    parts: Vec<(Range<u32>, Part)>,
}

/// A stretch of code that is another one where the function is put in the place of a call (`inline.rs`).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// Takes over the fuel, into a local.
    TakeFuel(u32),
    /// Hands the fuel back.
    GiveFuel,
    /// Pushes how much deeper calls may nest.
    TakeDepth,
    /// Calls a function, with what is handed over and taken back. Depth is in a local, if the function can call itself.
    Call { function: u32, depth: Option<u32> },
}

/// Code that was taken out of a body. Offsets are relative to its start.
#[derive(Clone)]
pub(crate) struct Cut {
    pub(crate) code: Vec<u8>,
    pub(crate) hints: Vec<(u32, bool)>,
    pub(crate) origins: Vec<(u32, u32)>,
    parts: Vec<(Range<u32>, Part)>,
}

/// A finished body. Offsets are relative to its start, after the size.
pub(crate) struct Body {
    pub(crate) function: Function,
    pub(crate) hints: Vec<BranchHint>,
    /// `(offset here, offset of the operator in the original module)`, ascending.
    pub(crate) origins: Vec<(u32, u32)>,
}

impl Emitter {
    /// A body whose function has that many parameters and original locals already.
    pub(crate) fn new(params: u32) -> Emitter {
        let (code, extra, hints, origins, parts) = (vec![], vec![], vec![], vec![], vec![]);
        Emitter { code, n_fixed: params, extra, hints, origins, parts }
    }

    /// A body with the same locals and no code.
    pub(crate) fn emptied(&self) -> Emitter {
        Emitter { extra: self.extra.clone(), ..Emitter::new(self.n_fixed) }
    }

    /// Locals that were declared.
    pub(crate) fn locals(&self) -> &[ValType] {
        &self.extra
    }

    pub(crate) fn code(&self) -> &[u8] {
        &self.code
    }

    /// Where code stands for which operator of the original, ascending.
    pub(crate) fn origins(&self) -> impl Iterator<Item = (u32, u32)> {
        self.origins.iter().copied()
    }

    /// Stretches of code, in order. No two overlap.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Range<u32>, Part)> {
        self.parts.iter().cloned()
    }

    /// Where the next instruction will be.
    pub(crate) fn here(&self) -> u32 {
        self.code.len() as u32
    }

    /// What was appended since a place is such a part.
    pub(crate) fn part(&mut self, start: u32, part: Part) {
        self.parts.push((start..self.here(), part));
    }

    /// Where branches are that usually are taken, or are not, ascending.
    pub(crate) fn hints(&self) -> impl Iterator<Item = (u32, bool)> {
        self.hints.iter().copied()
    }

    /// The branch that comes next usually is taken, or is not.
    pub(crate) fn hint(&mut self, is_taken: bool) {
        self.hints.push((self.code.len() as u32, is_taken));
    }

    /// Takes out all code from a place on.
    pub(crate) fn cut(&mut self, start: u32) -> Cut {
        let moved = |(at, hint): (u32, bool)| (at - start, hint);
        let hints = self.hints.partition_point(|&(at, _)| at < start);
        let origins = self.origins.partition_point(|&(at, _)| at < start);
        let parts = self.parts.partition_point(|(range, _)| range.start < start);
        Cut {
            code: self.code.split_off(start as usize),
            hints: self.hints.split_off(hints).into_iter().map(moved).collect(),
            origins: (self.origins.split_off(origins).into_iter())
                .map(|(at, from)| (at - start, from))
                .collect(),
            parts: (self.parts.split_off(parts).into_iter())
                .map(|(range, part)| (range.start - start..range.end - start, part))
                .collect(),
        }
    }

    /// Appends what was cut.
    pub(crate) fn paste(&mut self, cut: Cut) {
        let start = self.here();
        self.hints.extend(cut.hints.into_iter().map(|(at, hint)| (start + at, hint)));
        self.origins.extend(cut.origins.into_iter().map(|(at, from)| (start + at, from)));
        let moved =
            |(range, part): (Range<u32>, Part)| (start + range.start..start + range.end, part);
        self.parts.extend(cut.parts.into_iter().map(moved));
        self.code.extend(cut.code);
    }

    /// Declares a local.
    pub(crate) fn new_local(&mut self, ty: ValType) -> u32 {
        self.extra.push(ty);
        self.n_fixed + self.extra.len() as u32 - 1
    }

    /// What follows stands for the operator at that offset of the original.
    pub(crate) fn origin(&mut self, offset: u32) {
        self.origins.push((self.code.len() as u32, offset));
    }

    /// Appends an instruction.
    pub(crate) fn emit(&mut self, instruction: &Instruction<'_>) {
        instruction.encode(&mut self.code);
    }

    /// Appends code that is encoded already.
    pub(crate) fn emit_encoded(&mut self, code: &[u8]) {
        self.code.extend_from_slice(code);
    }

    /// Appends an `if` that is hardly ever taken.
    pub(crate) fn emit_cold_if(&mut self, ty: wasm_encoder::BlockType) {
        self.hint(false);
        self.emit(&Instruction::If(ty));
    }

    /// Appends an `if` that is nearly always taken.
    pub(crate) fn emit_warm_if(&mut self, ty: wasm_encoder::BlockType) {
        self.hint(true);
        self.emit(&Instruction::If(ty));
    }

    pub(crate) fn get(&mut self, local: u32) {
        self.emit(&Instruction::LocalGet(local));
    }

    pub(crate) fn set(&mut self, local: u32) {
        self.emit(&Instruction::LocalSet(local));
    }

    pub(crate) fn i32(&mut self, value: u32) {
        self.emit(&Instruction::I32Const(value as i32));
    }

    /// Pushes a local with a 64-bit address or length as one of 32 bits. What is above becomes the greatest number, which
    /// no memory and no table reaches (`docs/adr/0025-addresses-of-64-bits.md`).
    pub(crate) fn get_clamped(&mut self, wide: u32) {
        self.get(wide);
        self.emit(&Instruction::I32WrapI64);
        self.emit(&Instruction::I32Const(-1));
        self.emit_upper_half(wide);
        self.emit(&Instruction::I64Eqz);
        self.emit(&Instruction::Select);
    }

    /// Pushes a local with a 64-bit address as one of 32 bits; traps if it is above.
    pub(crate) fn get_address(&mut self, wide: u32) {
        self.emit_trap_above(wide);
        self.get(wide);
        self.emit(&Instruction::I32WrapI64);
    }

    /// Traps if a local with a 64-bit address is above those of 32 bits.
    pub(crate) fn emit_trap_above(&mut self, wide: u32) {
        self.emit_upper_half(wide);
        self.emit(&Instruction::I32WrapI64);
        self.emit_cold_if(BlockType::Empty);
        self.emit_out_of_bounds();
        self.emit(&Instruction::End);
    }

    /// Pushes what is above 32 bits of a local.
    pub(crate) fn emit_upper_half(&mut self, wide: u32) {
        self.get(wide);
        self.emit(&Instruction::I64Const(32));
        self.emit(&Instruction::I64ShrU);
    }

    /// Traps for an access whose constant offset is beyond any memory; says whether it is.
    pub(crate) fn emit_trap_beyond(&mut self, offset: u64) -> bool {
        let is_beyond = offset > u64::from(u32::MAX);
        if is_beyond {
            self.emit_out_of_bounds();
            self.emit(&Instruction::Unreachable);
        }
        is_beyond
    }

    /// Traps as an access out of bounds does: by one that always is.
    fn emit_out_of_bounds(&mut self) {
        let last = MemArg { offset: u64::from(u32::MAX), align: 0, memory_index: 0 };
        self.i32(0);
        self.emit(&Instruction::I32Load(last));
        self.emit(&Instruction::Drop);
    }

    /// Closes the body.
    pub(crate) fn finish(mut self) -> Body {
        self.emit(&Instruction::End);
        let mut function = Function::new_with_locals_types(self.extra);
        let header = function.byte_len() as u32;
        function.raw(self.code);
        let hint = |(at, is_taken)| BranchHint {
            branch_func_offset: header + at,
            branch_hint_value: u32::from(is_taken),
        };
        Body {
            function,
            hints: self.hints.into_iter().map(hint).collect(),
            origins: self.origins.into_iter().map(|(at, from)| (header + at, from)).collect(),
        }
    }
}
