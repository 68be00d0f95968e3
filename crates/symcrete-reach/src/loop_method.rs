//! A loop as one call: from what it reads to what it gives, executed and not looked into.
//!
//! The paper extracts a loop into a method whenever its exit is met. Here the call is a term with an opaque function for each
//! value that is used behind the loop, and one that says whether the loop is left by the exit in question. So phase II is
//! the solving of a path condition with opaque calls. If nothing can hold behind the loop whatever it gives, that
//! is a proof for any number of passes.
//!
//! How long an execution may take is an argument of the call, and a variable: so nothing is concluded from one that was cut
//! off, and calls whose other arguments are known do not fold.
//!
//! Loops that only compute are executed. One that touches memory gives unknown values: that can prove, and not find.

use crate::state::{State, sort_of};
use crate::step::Stepper;
use crate::substitute::Substitution;
use crate::view::{Body, Callee, View};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use symcrete_program::cfg::{
    BlockId, Constant, Function, Instruction, Jump, Kind, Terminator, ValueId, ValueType,
};
use symcrete_term::{Function as Opaque, Literal, Signature, Sort, TermId, Value};

/// Calls within calls.
const DEPTH_MAX: u32 = 64;

/// A loop and how it is left.
pub(crate) struct Exit<'l> {
    pub(crate) header: BlockId,
    pub(crate) blocks: &'l BTreeSet<BlockId>,
    pub(crate) from: BlockId,
    pub(crate) jump: usize,
}

/// A loop that can be executed.
struct Code {
    functions: BTreeMap<u32, Callable>,
    function: u32,
    header: BlockId,
    blocks: BTreeSet<BlockId>,
    exit: (BlockId, usize),
    inputs: Vec<ValueId>,
    /// The last inputs and fuel, and what came of them.
    last: Mutex<Option<Last>>,
}

type Last = (Vec<u64>, u64, Ended);

/// All values when an execution ended, and whether it left the loop by the exit.
#[derive(Clone, Default)]
struct Ended {
    values: Vec<u64>,
    is_exit: bool,
}

/// What a call in a loop may call.
enum Callable {
    Body(Function),
    Opaque(Opaque),
}

impl Stepper<'_, '_> {
    /// From behind a loop to before it: `state` is at the end of the block that leaves it, with the condition of the jump not yet
    /// said. Says whether the loop can be executed; if not, what it gives is unknown.
    pub(crate) fn loop_method(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        exit: &Exit<'_>,
    ) -> bool {
        let function = body.function;
        let given: Vec<ValueId> = defined_in(function, exit.blocks)
            .into_iter()
            .filter(|&value| {
                let ty = function.values[value.index()];
                let variable = self.pool.value(state.level(), function.index, value, ty);
                state.mentions(self.pool, variable)
            })
            .collect();
        let code = code(self.view, function, exit);
        let by = match &code {
            Some(code) => self.calls(state, body, code, &given),
            None => self.unknowns(state, function, exit, &given),
        };
        state.apply(self.pool, &by);
        if let Some(code) = &code {
            let exits = self.loop_call(state, body, code, None);
            state.hold(&self.pool.terms, Literal::holds(exits));
        }
        let frame = state.frame_mut();
        (frame.block, frame.position) = (exit.header, 0);
        frame.outside_of = Some(exit.header);
        code.is_some()
    }

    fn calls(
        &mut self,
        state: &State,
        body: &Body<'_>,
        code: &Arc<Code>,
        given: &[ValueId],
    ) -> Substitution {
        let mut by = Substitution::new();
        for &value in given {
            let ty = body.function.values[value.index()];
            let variable = self.pool.value(state.level(), body.function.index, value, ty);
            let call = self.loop_call(state, body, code, Some(value));
            by.insert(self.pool.var_of(variable), call);
        }
        by
    }

    /// The call of a loop that gives a value, or whether it is left.
    fn loop_call(
        &mut self,
        state: &State,
        body: &Body<'_>,
        code: &Arc<Code>,
        value: Option<ValueId>,
    ) -> TermId {
        let mut inputs: Vec<TermId> =
            code.inputs.iter().map(|&v| self.value(state, body, v)).collect();
        inputs.push(self.pool.loop_fuel());
        let function = body.function;
        let result = value.map_or(Sort::Bool, |value| sort_of(function.values[value.index()]));
        let which = value.map_or("exits".to_owned(), |value| value.0.to_string());
        let ((from, jump), header) = (code.exit, code.header);
        let name = format!("loop@{}:{}:{}:{jump}:{which}", function.index, header.0, from.0);
        let terms = &mut self.pool.terms;
        let id = terms.function_named(&name).unwrap_or_else(|| {
            let params = inputs.iter().map(|&input| terms.sort(input)).collect();
            let code = Arc::clone(code);
            let run = move |args: &[Value]| {
                let (fuel, inputs) = args.split_last()?;
                let ended = code.run(inputs.iter().map(|arg| arg.bits()).collect(), fuel.bits());
                match value {
                    None => Some(Value::Bool(ended.is_exit)),
                    // How far an execution came that was cut off still shows a search where to go.
                    Some(value) => Some(Value::from_bits(result, ended.values[value.index()])),
                }
            };
            terms.register(Opaque::new(name.clone(), Signature { params, result }, run))
        });
        terms.call(id, &inputs)
    }

    /// What a loop may have changed is unknown.
    fn unknowns(
        &mut self,
        state: &mut State,
        function: &Function,
        exit: &Exit<'_>,
        given: &[ValueId],
    ) -> Substitution {
        let mut by = Substitution::new();
        for &value in given {
            let ty = function.values[value.index()];
            let variable = self.pool.value(state.level(), function.index, value, ty);
            by.insert(self.pool.var_of(variable), self.pool.fresh(sort_of(ty)));
        }
        let mut globals = BTreeSet::new();
        for &block in exit.blocks {
            for instruction in &function.block(block).instructions {
                self.effects_of(state, (function.index, block), instruction, &mut globals);
            }
        }
        for global in globals {
            let ty = self.view.module.globals[global as usize].ty;
            let variable = self.pool.global(global, ty);
            by.insert(self.pool.var_of(variable), self.pool.fresh(sort_of(ty)));
        }
        by
    }

    fn effects_of(
        &mut self,
        state: &mut State,
        (function, block): (u32, BlockId),
        instruction: &Instruction,
        globals: &mut BTreeSet<u32>,
    ) {
        if let Kind::GlobalSet(global) = instruction.kind {
            globals.insert(global);
        }
        let mut writes =
            instruction.kind.effects().writes && !matches!(instruction.kind, Kind::GlobalSet(_));
        if instruction.kind.is_call() {
            let sites = self.view.calls.calls(function);
            let site = sites
                .into_iter()
                .find(|site| site.block == block && site.offset == instruction.offset);
            let callees = site.map(|site| site.callees.clone()).unwrap_or_default();
            let effects: Vec<_> = callees.iter().map(|&callee| self.view.effects(callee)).collect();
            writes = effects.iter().any(|effects| effects.writes_memory);
            globals.extend(effects.iter().flat_map(|effects| effects.globals.iter().copied()));
        }
        if writes {
            state.forget_memory();
        }
    }
}

/// Values that are assigned in some blocks.
fn defined_in(function: &Function, blocks: &BTreeSet<BlockId>) -> BTreeSet<ValueId> {
    let of = |&block: &BlockId| {
        let block = function.block(block);
        let results = block.instructions.iter().flat_map(|i| i.results.iter().copied());
        block.params.iter().copied().chain(results).collect::<Vec<_>>()
    };
    blocks.iter().flat_map(of).collect()
}

/// The loop as code, if it only computes.
fn code(view: &View<'_>, function: &Function, exit: &Exit<'_>) -> Option<Arc<Code>> {
    let mut functions = BTreeMap::new();
    for &block in exit.blocks {
        is_pure(view, &function.block(block).instructions, &mut functions, 0)?;
    }
    functions.insert(function.index, Callable::Body(function.clone()));
    let own = defined_in(function, exit.blocks);
    let header = function.block(exit.header).params.iter().copied();
    let mut inputs: BTreeSet<ValueId> = header.collect();
    for &block in exit.blocks {
        let block = function.block(block);
        let args = block.instructions.iter().flat_map(|i| i.args.iter().copied());
        let jumps = block.terminator.jumps().into_iter().flat_map(|jump| jump.args.clone());
        let used = args.chain(jumps).chain(block.terminator.operands().iter().copied());
        inputs.extend(used.filter(|value| !own.contains(value)));
    }
    let has_reference = |&value: &ValueId| function.values[value.index()] == ValueType::FuncRef;
    if inputs.iter().any(has_reference) {
        return None;
    }
    Some(Arc::new(Code {
        functions,
        function: function.index,
        header: exit.header,
        blocks: exit.blocks.clone(),
        exit: (exit.from, exit.jump),
        inputs: inputs.into_iter().collect(),
        last: Mutex::new(None),
    }))
}

/// Whether instructions only compute; collects what they call.
fn is_pure(
    view: &View<'_>,
    instructions: &[Instruction],
    functions: &mut BTreeMap<u32, Callable>,
    depth: u32,
) -> Option<()> {
    for instruction in instructions {
        match instruction.kind {
            Kind::Const(_) | Kind::Numeric(_) | Kind::Select => {}
            Kind::Call(callee) if functions.contains_key(&callee) => {}
            Kind::Call(callee) => match &view.callees[callee as usize] {
                Callee::Opaque(opaque) => {
                    functions.insert(callee, Callable::Opaque(opaque.clone()));
                }
                Callee::Entered if depth < 8 => {
                    let body = view.cfg.function(callee)?;
                    functions.insert(callee, Callable::Body(body.clone()));
                    for block in &body.blocks {
                        is_pure(view, &block.instructions, functions, depth + 1)?;
                    }
                }
                Callee::Entered
                | Callee::Draw { .. }
                | Callee::DrawNamed(_)
                | Callee::Assume
                | Callee::Ends
                | Callee::Ignored(_)
                | Callee::Uninitialized
                | Callee::Copy
                | Callee::Fill
                | Callee::Unknown(_) => return None,
            },
            Kind::RefIsNull
            | Kind::GlobalGet(_)
            | Kind::GlobalSet(_)
            | Kind::Load(_)
            | Kind::Store(_)
            | Kind::MemorySize
            | Kind::MemoryGrow
            | Kind::MemoryFill
            | Kind::MemoryCopy
            | Kind::MemoryInit(_)
            | Kind::DataDrop(_)
            | Kind::TableGet(_)
            | Kind::TableSet(_)
            | Kind::TableSize(_)
            | Kind::TableGrow(_)
            | Kind::TableFill(_)
            | Kind::TableCopy { .. }
            | Kind::TableInit { .. }
            | Kind::ElemDrop(_)
            | Kind::CallIndirect { .. } => return None,
        }
    }
    Some(())
}

impl Code {
    fn run(&self, inputs: Vec<u64>, fuel: u64) -> Ended {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, spent, ended)) = &*last
            && *known == inputs
            && *spent == fuel
        {
            return ended.clone();
        }
        let ended = self.execute(&inputs, fuel);
        *last = Some((inputs, fuel, ended.clone()));
        ended
    }

    /// Executes the loop until it is left, traps, or has passed too many blocks.
    fn execute(&self, inputs: &[u64], mut fuel: u64) -> Ended {
        let Some(Callable::Body(function)) = self.functions.get(&self.function) else {
            return Ended::default();
        };
        let mut ended = Ended { values: vec![0; function.values.len()], is_exit: false };
        for (input, bits) in self.inputs.iter().zip(inputs) {
            ended.values[input.index()] = *bits;
        }
        let mut block = self.header;
        loop {
            let values = &mut ended.values;
            if self.block(function, block, values, &mut fuel, 0).is_none() {
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
            follow(function, jump, values);
            block = jump.block;
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`is_pure` lets nothing else through")]
    fn block(
        &self,
        function: &Function,
        block: BlockId,
        values: &mut [u64],
        fuel: &mut u64,
        depth: u32,
    ) -> Option<()> {
        *fuel = fuel.checked_sub(1)?;
        for instruction in &function.block(block).instructions {
            let arg = |i: usize| values[instruction.args[i].index()];
            let result = match instruction.kind {
                Kind::Const(constant) => raw(constant),
                Kind::Numeric(op) => op.apply(arg(0), arg(instruction.args.len() - 1)).ok()?,
                Kind::Select => {
                    if arg(2) != 0 {
                        arg(0)
                    } else {
                        arg(1)
                    }
                }
                Kind::Call(callee) => {
                    let args: Vec<u64> = (0..instruction.args.len()).map(arg).collect();
                    let results = self.callee(callee, &args, fuel, depth + 1)?;
                    for (value, bits) in instruction.results.iter().zip(results) {
                        values[value.index()] = bits;
                    }
                    continue;
                }
                _ => return None,
            };
            values[instruction.results[0].index()] = result;
        }
        Some(())
    }

    fn callee(&self, callee: u32, args: &[u64], fuel: &mut u64, depth: u32) -> Option<Vec<u64>> {
        let function = match self.functions.get(&callee)? {
            Callable::Opaque(opaque) => return Some(vec![opaque.call_bits(args)]),
            Callable::Body(function) if depth < DEPTH_MAX => function,
            Callable::Body(_) => return None,
        };
        let mut values = vec![0; function.values.len()];
        for (param, bits) in function.block(BlockId::ENTRY).params.iter().zip(args) {
            values[param.index()] = *bits;
        }
        let mut block = BlockId::ENTRY;
        loop {
            self.block(function, block, &mut values, fuel, depth)?;
            if let Terminator::Return(results) = &function.block(block).terminator {
                return Some(results.iter().map(|value| values[value.index()]).collect());
            }
            let (_, jump) = choose(&function.block(block).terminator, &values)?;
            follow(function, jump, &mut values);
            block = jump.block;
        }
    }
}

fn raw(constant: Constant) -> u64 {
    match constant {
        Constant::I32(bits) | Constant::F32(bits) => u64::from(bits),
        Constant::I64(bits) | Constant::F64(bits) => bits,
        Constant::NullFunction => 0,
        Constant::Function(function) => u64::from(function) + 1,
    }
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

fn follow(function: &Function, jump: &Jump, values: &mut [u64]) {
    let args: Vec<u64> = jump.args.iter().map(|arg| values[arg.index()]).collect();
    for (param, bits) in function.block(jump.block).params.iter().zip(args) {
        values[param.index()] = bits;
    }
}
