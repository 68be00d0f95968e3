//! Rewrites one function, in its shadowed or in its concrete form.
//!
//! Each operand and each local has a shadow: a term's index plus one, or zero if it is concrete. A
//! shadow is known to be zero, or lives in a local: of an operand, in the local of its stack height; of
//! an operand that is a copy of a local, in that local's shadow.
//!
//! **Invariant:** an operand at height `h` has its shadow in the height local of `h` or in the shadow of
//! an original local. So results may be written to height locals without looking at other operands, and
//! only writing an original local must look for copies of it.
//!
//! Which locals and labels ever carry a shadow is found by rewriting until nothing new turns up: a slot
//! counts as always concrete until something symbolic may flow into it. In the concrete form a shadow only says whether a local
//! variable has no value yet (`concrete.rs`).
//!
//! Code that cannot be reached is dropped.

use crate::encode::{val_type, val_types};
use crate::instrument::emitter::Emitter;
use crate::instrument::guards::Scratch;
use crate::instrument::layout::{Form, HostFunction, Layout};
use crate::instrument::numbers::{Arrivals, Number, Numbers};
use crate::instrument::sites::{Facts, FunctionFacts};
use crate::instrument::versions::{Memos, OpenLoop};
use crate::module::Module;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::Gap;
use symcrete_program::module::{Stack, ValueType, WasmOp, walk};
use wasm_encoder::{BlockType, Instruction, ValType};

/// What all functions of a module share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) module: &'a Module<'a>,
    pub(crate) facts: &'a Facts,
    pub(crate) layout: &'a Layout,
    /// Imported functions by which the program states assumptions.
    pub(crate) assumes: &'a BTreeSet<u32>,
    /// Functions that the model does not do justice to.
    pub(crate) gaps: &'a BTreeMap<u32, Gap>,
    /// Where another unknown value is read each time.
    pub(crate) source: &'a std::ops::Range<u32>,
}

impl Context<'_> {
    /// The type of a block that gives what a function gives, without shadows.
    pub(crate) fn result_block(&self, function: u32) -> BlockType {
        match val_types(&self.module.function_type(function).results)[..] {
            [] => BlockType::Empty,
            [result] => BlockType::Result(result),
            _ => {
                let ty = self.module.functions[function as usize].ty;
                BlockType::FunctionType(self.layout.results_type(ty))
            }
        }
    }
}

/// Where the shadow of an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shadow {
    /// It is concrete.
    Zero,
    /// In a local.
    Local(u32),
}

/// An operand on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) ty: ValueType,
    pub(crate) shadow: Shadow,
    /// Whether it is known to be as it was read or written down, and no operator has made it.
    pub(crate) is_moved: bool,
    /// In the concrete form, its number, if it has one.
    pub(crate) number: Option<Number>,
}

impl Operand {
    pub(crate) fn new(ty: ValueType, shadow: Shadow) -> Operand {
        Operand { ty, shadow, is_moved: false, number: None }
    }

    /// An operand that is known to be concrete.
    pub(crate) fn concrete(ty: ValueType) -> Operand {
        Operand::new(ty, Shadow::Zero)
    }
}

/// Something that carries shadows across control flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Carrier {
    /// An original local.
    Local(u32),
    /// The `n`-th operand of the label of the block that starts at an offset.
    Label(u32, u32),
    /// The local of `doubts.rs`.
    Addresses,
    /// In the loop that starts at an offset a value may be stored that nobody has written.
    Unwritten(u32),
    /// In the loop that starts at an offset a local may be given such a value.
    Unknown { site: u32, local: u32 },
    /// What a local holds before a loop is, so many times, a part of addresses within (`doubts.rs`); whether as one with a sign.
    Part { site: u32, local: u32, times: i64, is_signed: bool },
    /// What is known, as long as one loop runs, of `n` ranges for another within (`versions.rs`).
    Memos { kept: u32, site: u32, n: u32 },
}

/// One pass over a function.
pub(crate) struct Rewriter<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) form: Form,
    pub(crate) function: u32,
    pub(crate) out: Emitter,
    pub(crate) stack: Stack<Operand, Arrivals>,
    /// Offset of the operator at hand in the original module.
    pub(crate) site: u32,
    /// The operator at hand, encoded.
    pub(crate) original: Vec<u8>,
    pub(crate) keeps_fuel: bool,
    pub(crate) fuel: Option<u32>,
    /// In the concrete form of a function that can call itself, how much deeper calls may nest.
    pub(crate) depth: Option<u32>,
    /// In the concrete form, locals that stay zero.
    pub(crate) zeros: BTreeMap<ValueType, u32>,
    /// In the concrete form, the local with the addresses that have not been looked at yet.
    pub(crate) addresses: Option<u32>,
    /// In the concrete form, what is known here.
    pub(crate) numbers: Numbers,
    /// In the concrete form, the loops that the walk is in.
    pub(crate) loops: Vec<OpenLoop>,
    pub(crate) scratch: Option<Scratch>,
    /// By loop, what is kept while one around it runs.
    pub(crate) kept_memos: BTreeMap<u32, Memos>,
    locals: Vec<ValueType>,
    local_shadows: BTreeMap<u32, u32>,
    height_shadows: Vec<u32>,
    temps: BTreeMap<(usize, ValueType), u32>,
    pub(crate) carriers: &'a BTreeSet<Carrier>,
    pub(crate) new_carriers: BTreeSet<Carrier>,
}

/// Rewrites a function. Fuel is in a local while it runs if it has loops, or if it shall be.
pub(crate) fn rewrite(context: Context<'_>, function: u32, keeps_fuel: bool) -> Emitter {
    let form = context.layout.form;
    let mut carriers = BTreeSet::new();
    if form == Form::Shadowed {
        let params = &context.module.function_type(function).params;
        let numbers = params.iter().enumerate().filter(|(_, ty)| **ty != ValueType::FuncRef);
        carriers.extend(numbers.map(|(i, _)| Carrier::Local(i as u32)));
    }
    loop {
        let mut rewriter = Rewriter::new(context, function, &carriers);
        rewriter.keeps_fuel |= keeps_fuel;
        walk(context.module, function, &mut rewriter);
        rewriter.epilogue();
        let Rewriter { out, new_carriers, .. } = rewriter;
        if new_carriers.is_empty() {
            return out;
        }
        carriers.extend(new_carriers);
    }
}

impl<'a> Rewriter<'a> {
    fn new(context: Context<'a>, function: u32, carriers: &'a BTreeSet<Carrier>) -> Rewriter<'a> {
        let form = context.layout.form;
        let mut locals = context.module.function_type(function).params.clone();
        let n_params = locals.len() as u32;
        for (n, ty) in context.module.locals(function) {
            locals.extend(std::iter::repeat_n(ty, n as usize));
        }
        let widening = if form == Form::Shadowed { n_params } else { 0 };
        let mut out = Emitter::new(n_params + widening);
        for &ty in &locals[n_params as usize..] {
            out.new_local(val_type(ty));
        }
        let mut rewriter = Rewriter {
            context,
            form,
            function,
            out,
            stack: Stack::default(),
            site: 0,
            original: Vec::new(),
            keeps_fuel: !context.facts.functions[function as usize].loops.is_empty(),
            fuel: None,
            depth: None,
            zeros: BTreeMap::new(),
            addresses: None,
            numbers: Numbers::new(locals.len()),
            loops: Vec::new(),
            scratch: None,
            kept_memos: BTreeMap::new(),
            locals,
            local_shadows: BTreeMap::new(),
            height_shadows: Vec::new(),
            temps: BTreeMap::new(),
            carriers,
            new_carriers: BTreeSet::new(),
        };
        for local in 0..rewriter.locals.len() as u32 {
            if carriers.contains(&Carrier::Local(local)) {
                let shadow = match local < n_params {
                    true => n_params + local,
                    false => rewriter.out.new_local(ValType::I32),
                };
                rewriter.local_shadows.insert(local, shadow);
            }
        }
        rewriter
    }

    /// What is known of this function.
    pub(crate) fn facts(&self) -> &'a FunctionFacts {
        &self.context.facts.functions[self.function as usize]
    }

    /// Calls a host function.
    pub(crate) fn call_host(&mut self, function: HostFunction) {
        self.out.emit(&Instruction::Call(self.context.layout.host(function)));
    }

    /// Copies the operator at hand.
    pub(crate) fn copy(&mut self) {
        self.out.emit_encoded(&self.original);
    }

    /// The local for the shadow of an operand at a height.
    pub(crate) fn height_shadow(&mut self, height: usize) -> u32 {
        while self.height_shadows.len() <= height {
            let local = self.out.new_local(ValType::I32);
            self.height_shadows.push(local);
        }
        self.height_shadows[height]
    }

    /// A local for the value of an operand at a height.
    pub(crate) fn temp(&mut self, height: usize, ty: ValueType) -> u32 {
        if let Some(&local) = self.temps.get(&(height, ty)) {
            return local;
        }
        let local = self.out.new_local(val_type(ty));
        self.temps.insert((height, ty), local);
        local
    }

    /// Moves the values of operands that were just popped into locals, lowest first.
    pub(crate) fn save(&mut self, operands: &[Operand]) -> Vec<u32> {
        self.save_from(self.stack.height(), operands)
    }

    /// The same for operands of which the lowest was at that height.
    pub(crate) fn save_from(&mut self, height: usize, operands: &[Operand]) -> Vec<u32> {
        let temps: Vec<u32> =
            operands.iter().enumerate().map(|(i, op)| self.temp(height + i, op.ty)).collect();
        temps.iter().rev().for_each(|&temp| self.out.set(temp));
        temps
    }

    /// Pushes values back.
    pub(crate) fn restore(&mut self, temps: &[u32]) {
        temps.iter().for_each(|&temp| self.out.get(temp));
    }

    /// Emits the value of a shadow.
    pub(crate) fn emit_shadow(&mut self, shadow: Shadow) {
        match shadow {
            Shadow::Zero => self.emit_zero_shadow(),
            Shadow::Local(local) => self.out.get(local),
        }
    }

    /// Emits a number that is zero exactly if all shadows are; false if that is known already.
    pub(crate) fn emit_any(&mut self, shadows: &[Shadow]) -> bool {
        let mut any = false;
        for &shadow in shadows {
            if let Shadow::Local(local) = shadow {
                self.out.get(local);
                if any {
                    self.out.emit(&Instruction::I32Or);
                }
                any = true;
            }
        }
        any
    }

    /// Emits a saved value as 64 raw bits.
    pub(crate) fn emit_bits(&mut self, local: u32, ty: ValueType) {
        self.out.get(local);
        match ty {
            ValueType::I32 => self.out.emit(&Instruction::I64ExtendI32U),
            ValueType::I64 => {}
            ValueType::F32 => {
                self.out.emit(&Instruction::I32ReinterpretF32);
                self.out.emit(&Instruction::I64ExtendI32U);
            }
            ValueType::F64 => self.out.emit(&Instruction::I64ReinterpretF64),
            ValueType::FuncRef => unreachable!("references are never symbolic"),
        }
    }

    /// Keeps the `i32` on top as the shadow of the operand that comes next.
    pub(crate) fn with_shadow(&mut self, ty: ValueType) -> Operand {
        let shadow = self.height_shadow(self.stack.height());
        self.out.set(shadow);
        Operand::new(ty, Shadow::Local(shadow))
    }

    /// Writes a shadow into the slot of a label; notes slots that turn out to carry something.
    pub(crate) fn write_label(&mut self, id: u32, i: usize, height: usize, shadow: Shadow) {
        let carrier = Carrier::Label(id, i as u32);
        if self.carriers.contains(&carrier) {
            let slot = self.height_shadow(height);
            if shadow != Shadow::Local(slot) {
                self.emit_shadow(shadow);
                self.out.set(slot);
            }
        } else if shadow != Shadow::Zero {
            self.new_carriers.insert(carrier);
        }
    }

    /// The shadow that arrives at a label.
    pub(crate) fn label_shadow(&mut self, id: u32, i: usize, height: usize) -> Shadow {
        match self.carriers.contains(&Carrier::Label(id, i as u32)) {
            true => Shadow::Local(self.height_shadow(height)),
            false => Shadow::Zero,
        }
    }

    /// Gives every operand that is a copy of an original local its own shadow.
    pub(crate) fn settle_copies(&mut self, of: Option<u32>) {
        for height in 0..self.stack.height() {
            let Shadow::Local(local) = self.stack.operands[height].shadow else { continue };
            let own = self.height_shadow(height);
            if local != own && of.is_none_or(|of| of == local) {
                self.out.get(local);
                self.out.set(own);
                self.stack.operands[height].shadow = Shadow::Local(own);
            }
        }
    }

    /// A local of the original, as it is numbered here.
    pub(crate) fn moved(&self, local: u32) -> u32 {
        let n_params = self.context.module.function_type(self.function).params.len() as u32;
        match self.form == Form::Shadowed && local >= n_params {
            true => local + n_params,
            false => local,
        }
    }

    /// What is in a local.
    pub(crate) fn of_local(&self, local: u32) -> Operand {
        let shadow = self.local_shadows.get(&local);
        let shadow = shadow.map_or(Shadow::Zero, |&shadow| Shadow::Local(shadow));
        Operand::new(self.locals[local as usize], shadow)
    }

    /// The shadow of an operand that is put into a local.
    pub(crate) fn shadow_local(&mut self, local: u32, operand: Operand) {
        match self.local_shadows.get(&local).copied() {
            Some(slot) if operand.shadow != Shadow::Local(slot) => {
                self.settle_copies(Some(slot));
                self.emit_shadow(operand.shadow);
                self.out.set(slot);
            }
            None if operand.shadow != Shadow::Zero => {
                self.new_carriers.insert(Carrier::Local(local));
            }
            Some(_) | None => {}
        }
    }

    /// An operator on numbers: the host is called only if an operand is symbolic.
    pub(crate) fn numeric(&mut self, op: WasmOp, operands: &[Operand]) -> Operand {
        let ty = ValueType::from(op.result());
        let shadows: Vec<Shadow> = operands.iter().map(|operand| operand.shadow).collect();
        if shadows.iter().all(|&shadow| shadow == Shadow::Zero) {
            self.copy();
            return Operand { number: self.number_of(op, operands), ..Operand::concrete(ty) };
        }
        let temps = self.save(operands);
        self.emit_any(&shadows);
        self.out.emit_cold_if(BlockType::Result(ValType::I32));
        self.out.i32(op as u32);
        if op.traps() {
            self.out.i32(self.site);
        }
        shadows.iter().for_each(|&shadow| self.emit_shadow(shadow));
        for (&temp, operand) in temps.iter().zip(operands) {
            self.emit_bits(temp, operand.ty);
        }
        self.call_host(match (op.traps(), operands.len()) {
            (false, 1) => HostFunction::Unary,
            (false, _) => HostFunction::Binary,
            (true, 1) => HostFunction::UnaryGuarded,
            (true, _) => HostFunction::BinaryGuarded,
        });
        self.out.emit(&Instruction::Else);
        self.out.i32(0);
        self.out.emit(&Instruction::End);
        let result = self.with_shadow(ty);
        self.restore(&temps);
        self.copy();
        result
    }

    /// The number of what an operator makes of integers.
    fn number_of(&mut self, op: WasmOp, operands: &[Operand]) -> Option<Number> {
        let is_integer = |operand: &Operand| matches!(operand.ty, ValueType::I32 | ValueType::I64);
        let number = |operand: &Operand| operand.number.filter(|_| is_integer(operand));
        self.numbers.operator(op, &operands.iter().map(number).collect::<Vec<_>>())
    }

    /// Takes a symbolic operand, already saved, at its concrete value.
    pub(crate) fn pin(&mut self, operand: Operand, temp: u32) {
        if self.emit_any(&[operand.shadow]) {
            self.out.emit_cold_if(BlockType::Empty);
            self.out.i32(self.site);
            self.emit_shadow(operand.shadow);
            self.emit_bits(temp, operand.ty);
            self.call_host(HostFunction::Pin);
            self.out.emit(&Instruction::End);
        }
    }
}
