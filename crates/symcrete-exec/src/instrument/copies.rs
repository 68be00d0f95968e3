//! Fast copies of a loop (`versions.rs`).
//!
//! A copy is the rewritten loop without what need not be done. Of a small loop there are some in a row first, as long as there are so
//! many passes to come: they need no test between them, and the code generator adds up what they count.

use crate::instrument::emitter::Cut;
use crate::instrument::function::Rewriter;
use crate::instrument::inline::operators;
use crate::instrument::plans::Plan;
use crate::instrument::versions::{OpenLoop, Piece};
use std::ops::Range;
use wasm_encoder::{BlockType, Instruction};
use wasmparser::Operator;

/// How many bytes of passes there may be in a row, and how many iterations.
const ROW_BYTES: usize = 400;
const ROW_MAX: i64 = 4;

/// What a copy is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// A loop.
    Loop,
    /// One pass among others, which is not the last.
    Pass,
}

impl Copied {
    /// How many blocks more than the loop itself the copy is within.
    fn blocks(self) -> u32 {
        match self {
            Copied::Loop => 1,
            Copied::Pass => 2,
        }
    }

    /// Whether it does without a piece, or has another in its place.
    fn drops(self, plan: &Plan, piece: Piece) -> bool {
        match piece {
            Piece::Charge(_) | Piece::Exit => true,
            Piece::Look(access) => plan.known.contains(&access),
            Piece::Stay => plan.is_first,
            Piece::Test(_) => self == Copied::Pass,
        }
    }
}

impl Rewriter<'_> {
    /// Writes the copies of a loop, within a block at the end of which the loop itself comes. In a local is how many
    /// iterations there are at most, which are enough.
    pub(crate) fn fast_copies(&mut self, open: &OpenLoop, cut: &Cut, plan: &Plan, n: u32) {
        let bytes = self.bytes_of(open, cut, plan);
        let in_row = (ROW_BYTES / bytes.max(1)) as i64;
        if in_row > 1 && plan.is_first {
            let in_row = in_row.min(ROW_MAX);
            self.out.emit(&Instruction::Loop(BlockType::Empty));
            (0..in_row).for_each(|_| self.fast_copy(open, cut, plan, Copied::Pass));
            self.out.get(n);
            self.out.emit(&Instruction::I64Const(in_row));
            self.out.emit(&Instruction::I64Sub);
            self.out.emit(&Instruction::LocalTee(n));
            self.out.emit(&Instruction::I64Const(in_row));
            self.out.emit(&Instruction::I64GeS);
            self.out.emit(&Instruction::BrIf(0));
            self.out.emit(&Instruction::End);
        }
        self.fast_copy(open, cut, plan, Copied::Loop);
        self.out.emit(&Instruction::Unreachable);
    }

    /// How many bytes of the rewritten loop a pass in a row has.
    fn bytes_of(&self, open: &OpenLoop, cut: &Cut, plan: &Plan) -> usize {
        let (mut dropped, mut end) = (0, 0);
        for (range, _) in pieces(open, plan, Copied::Pass) {
            dropped += range.end.saturating_sub(range.start.max(end));
            end = end.max(range.end);
        }
        cut.code.len() - dropped as usize
    }

    fn fast_copy(&mut self, open: &OpenLoop, cut: &Cut, plan: &Plan, copied: Copied) {
        let mut pieces = pieces(open, plan, copied).into_iter().peekable();
        let (mut origins, mut hints) = (cut.origins.iter().peekable(), cut.hints.iter().peekable());
        let (mut dropped_end, mut nesting) = (0, 0);
        let ends = operators(&cut.code).skip(1).map(|(_, at)| at).chain([cut.code.len()]);
        for ((operator, at), end) in operators(&cut.code).zip(ends) {
            while let Some(&(_, from)) = origins.next_if(|&&(start, _)| start as usize <= at) {
                self.out.origin(from);
            }
            let starts = |range: &Range<u32>| (range.start - open.start) as usize <= at;
            while let Some((range, piece)) = pieces.next_if(|(range, _)| starts(range)) {
                if at >= dropped_end {
                    dropped_end = (range.end - open.start) as usize;
                    self.instead(open, piece, copied, nesting);
                }
            }
            let hint = hints.next_if(|&&(start, _)| start as usize == at);
            if at < dropped_end {
                continue;
            }
            if let Some(&(_, is_taken)) = hint {
                self.out.hint(is_taken);
            }
            let change = if opens(&operator) { 1 } else { -i32::from(operator == Operator::End) };
            self.copy_operator(&operator, &cut.code[at..end], nesting, copied);
            nesting = nesting.wrapping_add_signed(change);
        }
    }

    /// Copies an operator that is within so many blocks of the copy. Those beyond it have other depths.
    fn copy_operator(
        &mut self,
        operator: &Operator<'_>,
        code: &[u8],
        nesting: u32,
        copied: Copied,
    ) {
        let moved = |depth: u32| if depth < nesting { depth } else { depth + copied.blocks() };
        if let Operator::Br { relative_depth } = operator {
            self.out.emit(&Instruction::Br(moved(*relative_depth)));
        } else if let Operator::BrIf { relative_depth } = operator {
            self.out.emit(&Instruction::BrIf(moved(*relative_depth)));
        } else if let Operator::BrTable { targets } = operator {
            let labels = targets.targets().map(|target| moved(target.expect("we have written it")));
            let labels: Vec<u32> = labels.collect();
            self.out.emit(&Instruction::BrTable(labels.into(), moved(targets.default())));
        } else if nesting == 0 && copied == Copied::Pass && opens(operator) {
            // What would start the next pass leads to it.
            self.out.emit(&Instruction::Block(BlockType::Empty));
        } else {
            self.out.emit_encoded(code);
        }
    }

    /// What a copy does in the place of a piece that is within so many of its blocks.
    fn instead(&mut self, open: &OpenLoop, piece: Piece, copied: Copied, nesting: u32) {
        match (piece, copied) {
            (Piece::Charge(cost), _) => self.pay_fuel(-(cost as i32)),
            (Piece::Exit, Copied::Loop) => {
                // The loop itself pays for this pass.
                self.pay_fuel(open.cost as i32);
                self.out.emit(&Instruction::Br(nesting));
            }
            (Piece::Test(to), _) => {
                self.out.emit(&Instruction::Drop);
                to.into_iter().for_each(|depth| self.out.emit(&Instruction::Br(depth)));
            }
            (Piece::Exit, Copied::Pass) | (Piece::Look(_) | Piece::Stay, _) => {}
        }
    }

    fn pay_fuel(&mut self, by: i32) {
        let fuel = self.kept_fuel();
        self.out.get(fuel);
        self.out.emit(&Instruction::I32Const(by));
        self.out.emit(&Instruction::I32Add);
        self.out.set(fuel);
    }
}

fn opens(operator: &Operator<'_>) -> bool {
    matches!(operator, Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. })
}

/// The pieces that a copy does without, the outer ones first.
fn pieces(open: &OpenLoop, plan: &Plan, copied: Copied) -> Vec<(Range<u32>, Piece)> {
    let mut pieces: Vec<(Range<u32>, Piece)> = open.pieces.clone();
    pieces.retain(|&(_, piece)| copied.drops(plan, piece));
    pieces.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    pieces
}
