//! Which rewriting an operator gets.

use crate::instrument::function::{Carrier, Operand, Rewriter, Shadow};
use crate::instrument::layout::{Form, HostFunction};
use crate::instrument::numbers::Arrivals;
use symcrete_program::module::{
    BlockType, Cases, Constant, Frame, FrameKind, FunctionType, Kind, ReadOperator, Stack, TableOp,
    ValueType, Visitor,
};
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{Encode, Instruction};

impl Visitor for Rewriter<'_> {
    type Operand = Operand;
    type Label = Arrivals;

    fn stack(&mut self) -> &mut Stack<Operand, Arrivals> {
        &mut self.stack
    }

    fn enter(&mut self) -> Arrivals {
        self.site = self.context.module.body(self.function).map_or(0, |body| body.start);
        self.out.origin(self.site);
        self.prologue();
        Arrivals::default()
    }

    fn begin(&mut self, step: &ReadOperator<'_>) {
        self.site = step.range.start;
        self.out.origin(self.site);
        let instruction = RoundtripReencoder.instruction(step.raw.clone());
        self.original.clear();
        instruction.expect("what was read can be written again").encode(&mut self.original);
    }

    fn open(
        &mut self,
        kind: FrameKind,
        ty: BlockType,
        signature: &FunctionType,
        condition: Option<Operand>,
    ) -> Arrivals {
        match condition {
            Some(condition) => {
                self.if_(ty, condition);
                if self.form == Form::Concrete {
                    return self.numbers.fork(condition.number);
                }
            }
            None if kind == FrameKind::Loop => self.loop_(ty, signature.params.len()),
            None => self.block(ty),
        }
        Arrivals::default()
    }

    fn otherwise(&mut self, arrived: Option<Vec<Operand>>, _: bool) {
        self.else_(arrived);
    }

    fn end(
        &mut self,
        frame: Frame<Operand, Arrivals>,
        arrived: Option<Vec<Operand>>,
    ) -> Option<Vec<Operand>> {
        Some(self.end_block(frame, arrived))
    }

    fn br(&mut self, depth: u32) {
        self.jump(depth);
    }

    fn br_if(&mut self, depth: u32, condition: Operand) {
        self.jump_if(depth, condition);
    }

    fn br_table(&mut self, cases: &Cases, index: Operand) {
        self.switch(cases, index);
    }

    fn unreachable(&mut self) {
        self.copy();
    }

    fn drop_operand(&mut self, _: Operand) {
        self.copy();
    }

    fn local_get(&mut self, local: u32) -> Operand {
        self.out.get(self.moved(local));
        let of_local = self.of_local(local);
        if self.form == Form::Shadowed {
            return of_local;
        }
        let shadow = match self.numbers.is_unknown(local) {
            true => of_local.shadow,
            false => Shadow::Zero,
        };
        Operand { number: Some(self.numbers.local(local)), shadow, ..of_local }
    }

    fn local_set(&mut self, local: u32, operand: Operand) {
        self.shadow_local(local, operand);
        self.number_local(local, operand);
        self.out.set(self.moved(local));
    }

    fn local_tee(&mut self, local: u32, operand: Operand) -> Operand {
        self.shadow_local(local, operand);
        self.number_local(local, operand);
        self.out.emit(&Instruction::LocalTee(self.moved(local)));
        operand
    }

    fn plain(&mut self, kind: &Kind, mut args: Vec<Operand>) -> Vec<Operand> {
        // What only moves a value may have one that nobody has written.
        let n_used = if *kind == Kind::Select {
            0
        } else if matches!(kind, Kind::Store(_)) {
            1
        } else {
            args.len()
        };
        if self.leave_if_unknown(&args[..n_used]) {
            args[..n_used].iter_mut().for_each(|arg| arg.shadow = Shadow::Zero);
        }
        match *kind {
            Kind::Numeric(op) => {
                self.leave_if_nan_is_seen(op, &args);
                return vec![self.numeric(op, &args)];
            }
            Kind::Select => return vec![self.select(args[0], args[1], args[2])],
            Kind::Load(access) => return vec![self.load(access, &args)],
            Kind::GlobalGet(global) => return vec![self.global_get(global)],
            Kind::Call(function) => return self.call(function, &args),
            Kind::CallIndirect { ty, table } => return self.call_indirect(ty, table, &args),
            Kind::Store(access) => self.store(access, &args),
            Kind::GlobalSet(global) => self.global_set(global, args[0]),
            Kind::Const(Constant::Function(function)) => {
                let function = self.context.layout.function(function);
                self.out.emit(&Instruction::RefFunc(function));
            }
            Kind::MemoryCopy => self.bulk(args, Some(HostFunction::Copy)),
            Kind::MemoryFill => self.bulk(args, Some(HostFunction::Fill)),
            Kind::MemoryInit(_) => self.bulk(args, None),
            Kind::Table(TableOp::Get(table)) => self.table_get(table, args[0]),
            Kind::Table(TableOp::Set(table)) => self.table_set(table, args[0], args[1]),
            Kind::Const(_)
            | Kind::RefIsNull
            | Kind::MemorySize
            | Kind::MemoryGrow
            | Kind::DataDrop(_)
            | Kind::Table(_) => self.concrete(&args),
        }
        if kind.has_wide_result(self.context.module) {
            // Sizes are small, and minus one stays minus one.
            self.out.emit(&Instruction::I64ExtendI32S);
        }
        let results = kind.results(self.context.module).unwrap_or_default();
        let constant = if let Kind::Const(Constant::I32(bits)) = *kind {
            Some(u64::from(bits))
        } else if let Kind::Const(Constant::I64(bits)) = *kind {
            Some(bits)
        } else {
            None
        };
        let is_moved = matches!(kind, Kind::Const(_));
        let number = match (constant, results) {
            (Some(bits), &[ty]) if self.form == Form::Concrete => {
                Some(self.numbers.constant(ty, bits))
            }
            _ => None,
        };
        let result = |&ty: &ValueType| Operand { is_moved, number, ..Operand::concrete(ty) };
        results.iter().map(result).collect()
    }
}

impl Rewriter<'_> {
    /// Notes what is known of a value that is put into a local.
    fn number_local(&mut self, local: u32, operand: Operand) {
        self.numbers.set_local(local, operand.number);
        let is_unknown = self.form == Form::Concrete && operand.shadow != Shadow::Zero;
        self.numbers.set_unknown(local, is_unknown);
        for open in self.loops.iter().filter(|_| is_unknown) {
            let carrier = Carrier::Unknown { site: open.site, local };
            if !self.carriers.contains(&carrier) {
                self.new_carriers.insert(carrier);
            }
        }
    }

    /// An operator whose operands are taken at their values.
    fn concrete(&mut self, operands: &[Operand]) {
        let is_plain =
            |operand: &Operand| operand.shadow == Shadow::Zero && operand.ty != ValueType::I64;
        if !operands.iter().all(is_plain) {
            let temps = self.save(operands);
            for (&operand, &temp) in operands.iter().zip(&temps) {
                self.pin(operand, temp);
            }
            self.restore_clamped(operands, &temps);
        }
        self.copy();
    }
}
