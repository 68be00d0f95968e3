//! Runs functions in SSA form: the test oracle for the graph, not an engine.
//!
//! Small and exact rather than fast: the official test suite passes (`tests/cfg_spec.rs`). Values are raw bits; a
//! reference is 0 for null, else a function's index plus one. Calls are frames on a vector, not Rust
//! calls, so a limit stops them, not the machine's stack.

mod machine;

use super::module::{ExportKind, Import, Module as ModuleView};
use super::{BlockId, Cfg, Instruction, Jump, Kind, Terminator, ValueType};
use crate::outcome::{Outcome, Resource, Trap, TrapKind};
use crate::scalar::Scalar;
use crate::site::SiteId;
use machine::Machine;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How far a run may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Calls within calls.
    pub depth: usize,
    /// Blocks entered, over all calls of an instance.
    pub fuel: u64,
    /// Pages that memory can grow to.
    pub pages: u64,
    /// Entries that a table can grow to.
    pub table_entries: u64,
}

/// A function that the module imports: memory and arguments in, results out.
pub type HostFunction = Box<dyn FnMut(&mut [u8], &[Scalar]) -> Result<Vec<Scalar>, TrapKind>>;

/// How large an imported memory or table is, in pages or entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// At the start.
    pub initial: u64,
    /// How far it can grow.
    pub maximum: Option<u64>,
}

/// What a module gets from outside. Imported memories and tables become its own.
#[derive(Default)]
pub struct Imports {
    /// Functions; a call of one that is absent traps.
    pub functions: BTreeMap<Import, HostFunction>,
    /// Globals; one that is absent is zero.
    pub globals: BTreeMap<Import, Scalar>,
    /// Memories and tables; one that is absent is as large as the module asks for.
    pub sizes: BTreeMap<Import, Size>,
}

/// A module with its memory, globals and tables.
pub struct Instance<'a> {
    module: ModuleView<'a>,
    cfg: Rc<Cfg>,
    machine: Machine,
    hosts: BTreeMap<Import, HostFunction>,
    depth_max: usize,
    fuel: u64,
}

struct Frame {
    function: u32,
    block: BlockId,
    /// The next instruction.
    position: usize,
    values: Vec<u64>,
}

/// Why a run stopped early.
enum Stop {
    Trap(TrapKind, Option<u32>),
    Fuel,
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Outcome {
        match stop {
            Stop::Trap(kind, offset) => {
                Outcome::Trapped(Trap { kind, site: offset.map(SiteId::at) })
            }
            Stop::Fuel => Outcome::Exhausted(Resource::Fuel),
        }
    }
}

impl<'a> Instance<'a> {
    /// Sets up memory, globals and tables, then runs the start function. The error is how that ended.
    pub fn start(
        module: ModuleView<'a>,
        cfg: Rc<Cfg>,
        imports: Imports,
        limits: Limits,
    ) -> Result<Instance<'a>, Outcome> {
        let machine = Machine::new(&module, &imports, limits);
        let (hosts, depth_max, fuel) = (imports.functions, limits.depth, limits.fuel);
        let mut instance = Instance { module, cfg, machine, hosts, depth_max, fuel };
        instance
            .machine
            .place_segments(&instance.module)
            .map_err(|kind| Outcome::from(Stop::Trap(kind, None)))?;
        if let Some(start) = instance.module.start {
            instance.run(start, vec![]).map_err(Outcome::from)?;
        }
        Ok(instance)
    }

    /// The module.
    pub fn module(&self) -> &ModuleView<'a> {
        &self.module
    }

    /// Calls a function. The arguments must fit its type.
    pub fn call(&mut self, function: u32, args: &[Scalar]) -> Outcome {
        let results = self.module.function_type(function).results.clone();
        match self.run(function, args.iter().map(|arg| arg.bits()).collect()) {
            Ok(bits) => Outcome::Returned(
                results.iter().zip(bits).map(|(&ty, bits)| scalar(ty, bits)).collect(),
            ),
            Err(stop) => stop.into(),
        }
    }

    /// The value of an exported global.
    pub fn global(&self, name: &str) -> Option<Scalar> {
        let Some(ExportKind::Global(index)) = self.module.exports.get(name) else { return None };
        let ty = self.module.globals[*index as usize].ty;
        Some(scalar(ty, self.machine.globals[*index as usize]))
    }

    fn run(&mut self, function: u32, args: Vec<u64>) -> Result<Vec<u64>, Stop> {
        let cfg = Rc::clone(&self.cfg);
        let mut frames: Vec<Frame> = Vec::new();
        if let Some(results) = self.enter(&mut frames, function, args, None)? {
            return Ok(results);
        }
        loop {
            let frame = frames.last_mut().expect("the loop ends with the last frame");
            let body = cfg.function(frame.function).expect("a frame's function has a body");
            let block = body.block(frame.block);
            if let Some(instruction) = block.instructions.get(frame.position) {
                frame.position += 1;
                self.step(&mut frames, instruction)?;
            } else if let Terminator::Return(values) = &block.terminator {
                let results: Vec<u64> =
                    values.iter().map(|value| frame.values[value.index()]).collect();
                frames.pop();
                let Some(caller) = frames.last_mut() else { return Ok(results) };
                let body = cfg.function(caller.function).expect("as above");
                let call = &body.block(caller.block).instructions[caller.position - 1];
                caller.set(call, &results);
            } else {
                let jump = frame.choose(&block.terminator)?;
                self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
                frame.jump(jump, &body.block(jump.block).params);
            }
        }
    }

    /// Carries out an instruction of the last frame; a call opens another.
    fn step(&mut self, frames: &mut Vec<Frame>, instruction: &Instruction) -> Result<(), Stop> {
        let frame = frames.last_mut().expect("an instruction has a frame");
        let mut args: Vec<u64> =
            instruction.args.iter().map(|arg| frame.values[arg.index()]).collect();
        let trap = |kind| Stop::Trap(kind, Some(instruction.offset));
        let callee = if let Kind::Call(function) = instruction.kind {
            function
        } else if let Kind::CallIndirect { table, ty } = instruction.kind {
            let index = args.pop().expect("an indirect call has an index");
            self.machine.callee(&self.module, table, index, ty).map_err(trap)?
        } else {
            let result = self.machine.execute(&instruction.kind, &args).map_err(trap)?;
            frame.set(instruction, result.as_slice());
            return Ok(());
        };
        let results = self.enter(frames, callee, args, Some(instruction.offset))?;
        if let (Some(results), Some(frame)) = (results, frames.last_mut()) {
            frame.set(instruction, &results);
        }
        Ok(())
    }

    /// Opens a frame, or calls the host and gives its results.
    fn enter(
        &mut self,
        frames: &mut Vec<Frame>,
        function: u32,
        args: Vec<u64>,
        offset: Option<u32>,
    ) -> Result<Option<Vec<u64>>, Stop> {
        if let Some(import) = &self.module.functions[function as usize].import {
            let params = &self.module.function_type(function).params;
            let args: Vec<Scalar> =
                params.iter().zip(args).map(|(&ty, bits)| scalar(ty, bits)).collect();
            let missing = || TrapKind::MissingImport(format!("{}.{}", import.module, import.name));
            let results = match self.hosts.get_mut(import) {
                Some(host) => host(&mut self.machine.memory, &args),
                None => Err(missing()),
            };
            let results = results.map_err(|kind| Stop::Trap(kind, offset))?;
            return Ok(Some(results.iter().map(|result| result.bits()).collect()));
        }
        if frames.len() >= self.depth_max {
            return Err(Stop::Trap(TrapKind::StackOverflow, offset));
        }
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
        let body = self.cfg.function(function).expect("what is not imported has a body");
        let mut values = vec![0; body.values.len()];
        for (param, arg) in body.block(BlockId::ENTRY).params.iter().zip(args) {
            values[param.index()] = arg;
        }
        frames.push(Frame { function, block: BlockId::ENTRY, position: 0, values });
        Ok(None)
    }
}

impl Frame {
    fn set(&mut self, instruction: &Instruction, results: &[u64]) {
        for (value, &bits) in instruction.results.iter().zip(results) {
            self.values[value.index()] = bits;
        }
    }

    fn choose<'t>(&self, terminator: &'t Terminator) -> Result<&'t Jump, Stop> {
        match terminator {
            Terminator::Br(jump) => Ok(jump),
            Terminator::BrIf { condition, then, otherwise, .. } => {
                Ok(if self.values[condition.index()] != 0 { then } else { otherwise })
            }
            Terminator::Switch { index, cases, case_of_index, .. } => {
                let index = self.values[index.index()] as usize;
                let case = case_of_index[index.min(case_of_index.len() - 1)];
                Ok(&cases[usize::from(case)])
            }
            Terminator::Unreachable { offset } => {
                Err(Stop::Trap(TrapKind::Unreachable, Some(*offset)))
            }
            Terminator::Return(_) => unreachable!("a return is no choice"),
        }
    }

    /// All arguments are read before any parameter is written: a loop may exchange its own.
    fn jump(&mut self, jump: &Jump, params: &[super::ValueId]) {
        let args: Vec<u64> = jump.args.iter().map(|arg| self.values[arg.index()]).collect();
        for (param, arg) in params.iter().zip(args) {
            self.values[param.index()] = arg;
        }
        (self.block, self.position) = (jump.block, 0);
    }
}

fn scalar(ty: ValueType, bits: u64) -> Scalar {
    match ty {
        ValueType::I32 => Scalar::I32(bits as u32),
        ValueType::I64 => Scalar::I64(bits),
        ValueType::F32 => Scalar::F32(bits as u32),
        ValueType::F64 => Scalar::F64(bits),
        ValueType::FuncRef => Scalar::FuncRef { null: bits == 0 },
    }
}
