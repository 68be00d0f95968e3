//! Loops as code that can be executed quickly: each stretch between calls is one tape.
//!
//! A search executes a loop thousands of times, with thousands of passes each. The operators of a block are therefore
//! lowered to terms once, as everywhere else, and flattened: a tape computes what the terms mean.

use crate::loop_method::Exit;
use crate::state::sort_of;
use crate::view::{Callee, View};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use symcrete_program::cfg::{
    BlockId, Constant, Function, Instruction, Jump, Kind, Num, Terminator, ValueId, ValueType,
};
use symcrete_program::lower::{self, nonzero};
use symcrete_term::{Function as Opaque, Tape, TapeState, TermId, Terms, VarId};

/// Calls within calls.
const DEPTH_MAX: u32 = 64;

/// A loop that can be executed.
pub(crate) struct Code {
    functions: BTreeMap<u32, Callable>,
    function: u32,
    pub(crate) header: BlockId,
    blocks: BTreeSet<BlockId>,
    pub(crate) exit: (BlockId, usize),
    /// What it reads.
    pub(crate) inputs: Vec<ValueId>,
    machine: Mutex<Machine>,
}

/// All values when an execution ended, and whether it left the loop by the exit.
#[derive(Clone, Default)]
pub(crate) struct Ended {
    pub(crate) values: Vec<u64>,
    pub(crate) is_exit: bool,
}

/// The slots of all tapes, and the last execution: several values of one are asked for in turn.
#[derive(Default)]
struct Machine {
    slots: Vec<TapeState>,
    last: Option<(Vec<u64>, u64, Ended)>,
}

/// What a call in a loop may call.
enum Callable {
    Body(Compiled),
    Opaque(Opaque),
}

/// A function whose blocks are stretches of code.
struct Compiled {
    function: Function,
    /// By block; nothing for blocks that are never executed.
    blocks: Vec<Vec<Stretch>>,
}

/// A part of a block.
enum Stretch {
    Compute(Computed),
    Call { callee: u32, args: Vec<ValueId>, results: Vec<ValueId> },
}

/// Instructions without a call as one tape. Its first roots say that nothing traps.
struct Computed {
    tape: Tape,
    /// Which of the machine's slots it uses.
    slots: usize,
    inputs: Vec<ValueId>,
    n_guards: usize,
    outputs: Vec<ValueId>,
}

/// Values that are assigned in some blocks.
pub(crate) fn defined_in(function: &Function, blocks: &BTreeSet<BlockId>) -> BTreeSet<ValueId> {
    let of = |&block: &BlockId| {
        let block = function.block(block);
        let results = block.instructions.iter().flat_map(|i| i.results.iter().copied());
        block.params.iter().copied().chain(results).collect::<Vec<_>>()
    };
    blocks.iter().flat_map(of).collect()
}

impl Code {
    /// The loop as code, if it only computes.
    pub(crate) fn of(view: &View<'_>, function: &Function, exit: &Exit<'_>) -> Option<Arc<Code>> {
        let (functions, machine) = (BTreeMap::new(), Machine::default());
        let begun = BTreeSet::new();
        let mut compiler = Compiler { view, own: function.index, begun, functions, machine };
        let blocks = compiler.blocks(function, exit.blocks, 0)?;
        let own = defined_in(function, exit.blocks);
        let header = function.block(exit.header).params.iter().copied();
        let mut inputs: BTreeSet<ValueId> = header.collect();
        for &block in exit.blocks {
            inputs.extend(used_in(function, block).filter(|value| !own.contains(value)));
        }
        let has_reference = |&value: &ValueId| function.values[value.index()] == ValueType::FuncRef;
        if inputs.iter().any(has_reference) {
            return None;
        }
        let Compiler { mut functions, machine, .. } = compiler;
        let compiled = Compiled { function: function.clone(), blocks };
        functions.insert(function.index, Callable::Body(compiled));
        Some(Arc::new(Code {
            functions,
            function: function.index,
            header: exit.header,
            blocks: exit.blocks.clone(),
            exit: (exit.from, exit.jump),
            inputs: inputs.into_iter().collect(),
            machine: Mutex::new(machine),
        }))
    }

    /// Executes the loop, or remembers that it was just executed.
    pub(crate) fn run(&self, inputs: Vec<u64>, fuel: u64) -> Ended {
        let mut machine = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, spent, ended)) = &machine.last
            && *known == inputs
            && *spent == fuel
        {
            return ended.clone();
        }
        let ended = self.execute(&mut machine.slots, &inputs, fuel);
        machine.last = Some((inputs, fuel, ended.clone()));
        ended
    }

    /// Executes the loop until it is left, traps, or has passed too many blocks.
    fn execute(&self, slots: &mut [TapeState], inputs: &[u64], mut fuel: u64) -> Ended {
        let Some(Callable::Body(code)) = self.functions.get(&self.function) else {
            return Ended::default();
        };
        let function = &code.function;
        let mut ended = Ended { values: vec![0; function.values.len()], is_exit: false };
        for (input, bits) in self.inputs.iter().zip(inputs) {
            ended.values[input.index()] = *bits;
        }
        let mut block = self.header;
        let mut given = Vec::new();
        loop {
            let values = &mut ended.values;
            if self.block(slots, code, block, values, &mut fuel, 0).is_none() {
                return ended;
            }
            let Some((number, jump)) = choose(&function.block(block).terminator, values) else {
                return ended;
            };
            if (block, number) == self.exit {
                ended.is_exit = true;
                return ended;
            }
            if !self.blocks.contains(&jump.block) {
                return ended;
            }
            follow(function, jump, values, &mut given);
            block = jump.block;
        }
    }

    /// Executes a block; nothing if it traps or the fuel is used up.
    fn block(
        &self,
        slots: &mut [TapeState],
        code: &Compiled,
        block: BlockId,
        values: &mut [u64],
        fuel: &mut u64,
        depth: u32,
    ) -> Option<()> {
        *fuel = fuel.checked_sub(1)?;
        for stretch in &code.blocks[block.index()] {
            match stretch {
                Stretch::Compute(computed) => computed.run(slots, values)?,
                Stretch::Call { callee, args, results } => {
                    let args: Vec<u64> = args.iter().map(|arg| values[arg.index()]).collect();
                    let given = self.call(slots, *callee, &args, fuel, depth + 1)?;
                    for (value, bits) in results.iter().zip(given) {
                        values[value.index()] = bits;
                    }
                }
            }
        }
        Some(())
    }

    fn call(
        &self,
        slots: &mut [TapeState],
        callee: u32,
        args: &[u64],
        fuel: &mut u64,
        depth: u32,
    ) -> Option<Vec<u64>> {
        let code = match self.functions.get(&callee)? {
            Callable::Opaque(opaque) => return Some(vec![opaque.call_bits(args)]),
            Callable::Body(code) if depth < DEPTH_MAX => code,
            Callable::Body(_) => return None,
        };
        let function = &code.function;
        let mut values = vec![0; function.values.len()];
        for (param, bits) in function.block(BlockId::ENTRY).params.iter().zip(args) {
            values[param.index()] = *bits;
        }
        let mut block = BlockId::ENTRY;
        let mut given = Vec::new();
        loop {
            self.block(slots, code, block, &mut values, fuel, depth)?;
            if let Terminator::Return(results) = &function.block(block).terminator {
                return Some(results.iter().map(|value| values[value.index()]).collect());
            }
            let (_, jump) = choose(&function.block(block).terminator, &values)?;
            follow(function, jump, &mut values, &mut given);
            block = jump.block;
        }
    }
}

impl Computed {
    fn run(&self, slots: &mut [TapeState], values: &mut [u64]) -> Option<()> {
        let slots = &mut slots[self.slots];
        for (i, input) in self.inputs.iter().enumerate() {
            slots.set(i, values[input.index()]);
        }
        self.tape.run(slots);
        if (0..self.n_guards).any(|guard| self.tape.root(slots, guard) == 0) {
            return None;
        }
        for (i, output) in self.outputs.iter().enumerate() {
            values[output.index()] = self.tape.root(slots, self.n_guards + i);
        }
        Some(())
    }
}

/// Makes code of functions that only compute.
struct Compiler<'v, 'a> {
    view: &'v View<'a>,
    /// The function that the loop is in, of which no more than the loop is compiled.
    own: u32,
    /// Functions that are compiled, or about to be.
    begun: BTreeSet<u32>,
    functions: BTreeMap<u32, Callable>,
    machine: Machine,
}

impl Compiler<'_, '_> {
    /// Some blocks of a function; nothing if they do more than compute.
    fn blocks(
        &mut self,
        function: &Function,
        chosen: &BTreeSet<BlockId>,
        depth: u32,
    ) -> Option<Vec<Vec<Stretch>>> {
        let mut blocks: Vec<Vec<Stretch>> = function.blocks.iter().map(|_| Vec::new()).collect();
        let mut n_uses = vec![0; function.values.len()];
        for value in function.block_ids().flat_map(|block| used_in(function, block)) {
            n_uses[value.index()] += 1;
        }
        for &block in chosen {
            let instructions = &function.block(block).instructions;
            for run in instructions.chunk_by(|a, b| !a.kind.is_call() && !b.kind.is_call()) {
                let stretch = match &run[0] {
                    Instruction { kind: Kind::Call(callee), args, results, .. } => {
                        self.callee(*callee, depth)?;
                        let (args, results) = (args.to_vec(), results.to_vec());
                        Stretch::Call { callee: *callee, args, results }
                    }
                    Instruction { kind: Kind::CallIndirect { .. }, .. } => return None,
                    _ => Stretch::Compute(self.computed(function, run, &n_uses)?),
                };
                blocks[block.index()].push(stretch);
            }
        }
        Some(blocks)
    }

    /// Compiles what is called, if that only computes.
    fn callee(&mut self, callee: u32, depth: u32) -> Option<()> {
        if callee == self.own {
            return None;
        }
        if !self.begun.insert(callee) {
            return Some(());
        }
        let callable = match &self.view.callees[callee as usize] {
            Callee::Opaque(opaque) => Callable::Opaque(opaque.clone()),
            Callee::Entered if depth < 8 => {
                let function = self.view.cfg.function(callee)?.clone();
                let all = function.block_ids().collect();
                let blocks = self.blocks(&function, &all, depth + 1)?;
                Callable::Body(Compiled { function, blocks })
            }
            Callee::Entered
            | Callee::Draw { .. }
            | Callee::DrawNamed(_)
            | Callee::Assume
            | Callee::Ends
            | Callee::Ignored(_)
            | Callee::Frame
            | Callee::Same
            | Callee::Observed(_)
            | Callee::Pointer
            | Callee::Allocated { .. }
            | Callee::Uninitialized
            | Callee::Copy
            | Callee::Fill
            | Callee::Unknown(_) => return None,
        };
        self.functions.insert(callee, callable);
        Some(())
    }

    /// Instructions without a call as one tape, given how often the function uses each value.
    fn computed(
        &mut self,
        function: &Function,
        run: &[Instruction],
        n_uses: &[u32],
    ) -> Option<Computed> {
        let mut terms = Terms::new();
        let mut known: BTreeMap<ValueId, TermId> = BTreeMap::new();
        let mut inputs: BTreeMap<VarId, ValueId> = BTreeMap::new();
        let mut guards = Vec::new();
        for instruction in run {
            let mut args: Vec<TermId> = Vec::new();
            for &arg in &instruction.args {
                let term = *known.entry(arg).or_insert_with(|| {
                    let name = arg.0.to_string();
                    let variable = terms.var(&name, sort_of(function.values[arg.index()]));
                    inputs.extend(terms.find_var(&name).map(|var| (var, arg)));
                    variable
                });
                args.push(term);
            }
            let term = pure(&mut terms, &instruction.kind, &args, &mut guards)?;
            known.insert(instruction.results[0], term);
        }
        let n_uses_here = |value: ValueId| {
            let args = run.iter().flat_map(|instruction| &instruction.args);
            args.filter(|arg| **arg == value).count() as u32
        };
        let results = run.iter().map(|instruction| instruction.results[0]);
        let outputs: Vec<ValueId> =
            results.filter(|&value| n_uses[value.index()] > n_uses_here(value)).collect();
        let roots: Vec<TermId> =
            guards.iter().copied().chain(outputs.iter().map(|output| known[output])).collect();
        let tape = Tape::compile(&terms, &roots);
        self.machine.slots.push(tape.state());
        Some(Computed {
            inputs: tape.variables().iter().map(|(var, _)| inputs[var]).collect(),
            slots: self.machine.slots.len() - 1,
            n_guards: guards.len(),
            outputs,
            tape,
        })
    }
}

/// What an instruction that only computes gives; adds what holds unless it traps.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else only computes")]
fn pure(
    terms: &mut Terms,
    kind: &Kind,
    args: &[TermId],
    guards: &mut Vec<TermId>,
) -> Option<TermId> {
    Some(match kind {
        Kind::Const(Constant::I32(bits)) => lower::constant(terms, Num::I32, (*bits).into()),
        Kind::Const(Constant::I64(bits)) => lower::constant(terms, Num::I64, *bits),
        Kind::Const(Constant::F32(bits)) => lower::constant(terms, Num::F32, (*bits).into()),
        Kind::Const(Constant::F64(bits)) => lower::constant(terms, Num::F64, *bits),
        Kind::Numeric(op) => {
            guards.extend(lower::guards(terms, *op, args));
            lower::lower(terms, *op, args)
        }
        Kind::Select => {
            let condition = nonzero(terms, args[2]);
            terms.ite(condition, args[0], args[1])
        }
        _ => return None,
    })
}

/// The values that a block uses.
fn used_in(function: &Function, block: BlockId) -> impl Iterator<Item = ValueId> {
    let block = function.block(block);
    let args = block.instructions.iter().flat_map(|i| i.args.iter().copied());
    let jumps = block.terminator.jumps().into_iter().flat_map(|jump| jump.args.clone());
    args.chain(jumps).chain(block.terminator.operands().iter().copied())
}

fn choose<'t>(terminator: &'t Terminator, values: &[u64]) -> Option<(usize, &'t Jump)> {
    match terminator {
        Terminator::Br(jump) => Some((0, jump)),
        Terminator::BrIf { condition, then, otherwise, .. } => {
            Some(if values[condition.index()] != 0 { (0, then) } else { (1, otherwise) })
        }
        Terminator::Switch { index, cases, case_of_index, .. } => {
            let index = values[index.index()] as usize;
            let case = usize::from(case_of_index[index.min(case_of_index.len() - 1)]);
            Some((case, &cases[case]))
        }
        Terminator::Return(_) | Terminator::Unreachable { .. } => None,
    }
}

/// Gives the parameters of the block that is jumped to, all at once.
fn follow(function: &Function, jump: &Jump, values: &mut [u64], given: &mut Vec<u64>) {
    given.clear();
    given.extend(jump.args.iter().map(|arg| values[arg.index()]));
    for (param, &bits) in function.block(jump.block).params.iter().zip(&*given) {
        values[param.index()] = bits;
    }
}
