//! Which functions read variables that outlive a call, and which set them.
//!
//! It is read from the code: what it says decides which calls are tried before a function, and proves nothing. So a number
//! that looks like the address of a variable may be taken for one.

use crate::cfg::{CallGraph, Cfg, Function, Instruction, Kind, MemoryUse, ModuleView, ValueId};
use crate::program::{Global, Program};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The variables of a program that outlive a call, and who calls whom.
pub(super) struct State<'a> {
    program: &'a Program,
    /// The code, read when it is first asked for.
    code: OnceCell<Code<'a>>,
    /// Where the variables are, in order.
    variables: Vec<Range<u32>>,
    /// What functions do with them, as far as it was asked for: themselves, and through calls.
    own: BTreeMap<u32, Touched>,
    all: BTreeMap<u32, Touched>,
}

/// A module and its calls.
struct Code<'a> {
    module: Option<ModuleView<'a>>,
    calls: CallGraph,
    /// The functions of the user's files: no other one knows the variables.
    user: BTreeSet<u32>,
}

/// Variables by where they start.
#[derive(Clone, Default, Debug)]
pub(super) struct Touched {
    pub(super) read: BTreeSet<u32>,
    pub(super) written: BTreeSet<u32>,
}

impl<'a> Code<'a> {
    fn of(program: &'a Program) -> Code<'a> {
        let module = ModuleView::parse(&program.wasm).ok();
        let calls =
            |module: &ModuleView<'_>| Some(CallGraph::of(module, &Cfg::of_module(module).ok()?));
        let calls = module.as_ref().and_then(calls).unwrap_or_default();
        Code { module, calls, user: program.units.iter().map(|unit| unit.function).collect() }
    }
}

impl<'a> State<'a> {
    pub(super) fn of(program: &'a Program) -> State<'a> {
        let lasting = program.globals.iter().chain(&program.statics);
        let lasting = lasting.filter(|global| !global.is_const && !global.is_external);
        let place = |global: &Global| {
            global.address..global.address + program.types.get(global.ty).size.max(1)
        };
        let mut variables: Vec<Range<u32>> = lasting.map(place).collect();
        variables.sort_unstable_by_key(|variable| variable.start);
        let (own, all) = (BTreeMap::new(), BTreeMap::new());
        State { program, code: OnceCell::new(), variables, own, all }
    }

    /// The functions that one can come to through calls, itself among them.
    pub(super) fn reached(&self, function: u32) -> BTreeSet<u32> {
        let code = self.code();
        let mut found = BTreeSet::from([function]);
        let mut pending = vec![function];
        while let Some(function) = pending.pop() {
            for callee in code.calls.calls(function).flat_map(|site| &site.callees) {
                if found.insert(*callee) {
                    pending.push(*callee);
                }
            }
        }
        found
    }

    /// What a function does with the variables, itself and through calls.
    pub(super) fn touched(&mut self, function: u32) -> Touched {
        if let Some(known) = self.all.get(&function) {
            return known.clone();
        }
        let mut all = Touched::default();
        if !self.variables.is_empty() {
            for reached in self.reached(function) {
                let own = self.own(reached);
                all.read.extend(&own.read);
                all.written.extend(&own.written);
            }
        }
        self.all.insert(function, all.clone());
        all
    }

    fn own(&mut self, function: u32) -> &Touched {
        if !self.own.contains_key(&function) {
            let code = self.code();
            let module = code.module.as_ref().filter(|_| code.user.contains(&function));
            let body = module.and_then(|module| Cfg::of(module, function).ok());
            let own = body.map(|body| Reading::of(&body, &self.variables)).unwrap_or_default();
            self.own.insert(function, own);
        }
        &self.own[&function]
    }

    fn code(&self) -> &Code<'a> {
        self.code.get_or_init(|| Code::of(self.program))
    }
}

/// What the values of one function have to do with variables.
struct Reading<'a> {
    variables: &'a [Range<u32>],
    /// Integers that the function has in its code, which may be addresses.
    constants: BTreeMap<ValueId, u32>,
    /// Values that are made of the address of a variable.
    addresses: BTreeMap<ValueId, BTreeSet<u32>>,
    touched: Touched,
}

impl Reading<'_> {
    fn of(function: &Function, variables: &[Range<u32>]) -> Touched {
        let (constants, addresses) = (BTreeMap::new(), BTreeMap::new());
        let mut reading = Reading { variables, constants, addresses, touched: Touched::default() };
        let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
        for instruction in instructions() {
            reading.note_constant(instruction);
        }
        while reading.spread(function) {}
        instructions().for_each(|instruction| reading.note_access(instruction));
        reading.touched
    }

    /// The variable that a place belongs to.
    fn at(&self, place: u64) -> Option<u32> {
        let after = self.variables.partition_point(|variable| u64::from(variable.start) <= place);
        let variable = &self.variables[after.checked_sub(1)?];
        (place < u64::from(variable.end)).then_some(variable.start)
    }

    fn note_constant(&mut self, instruction: &Instruction) {
        let Kind::Const(constant) = &instruction.kind else { return };
        let (Some(place), Some(&result)) = (constant.address(), instruction.results.first()) else {
            return;
        };
        self.constants.insert(result, place);
        if let Some(variable) = self.at(place.into()) {
            self.addresses.insert(result, BTreeSet::from([variable]));
        }
    }

    /// Takes addresses over into what is computed of them; says whether there was anything new.
    fn spread(&mut self, function: &Function) -> bool {
        let mut steps: Vec<(ValueId, ValueId)> = Vec::new();
        for block in &function.blocks {
            let computing = block
                .instructions
                .iter()
                .filter(|instruction| matches!(instruction.kind, Kind::Numeric(_) | Kind::Select));
            for Instruction { args, results, .. } in computing {
                steps.extend(
                    results.iter().flat_map(|&to| args.iter().map(move |&from| (from, to))),
                );
            }
            for jump in block.terminator.jumps() {
                let params = &function.block(jump.block).params;
                steps.extend(jump.args.iter().copied().zip(params.iter().copied()));
            }
        }
        let mut is_new = false;
        for (from, to) in steps {
            let Some(known) = self.addresses.get(&from).cloned() else { continue };
            let there = self.addresses.entry(to).or_default();
            let n_before = there.len();
            there.extend(known);
            is_new |= there.len() > n_before;
        }
        is_new
    }

    /// What an instruction touches. Who is given an address may do anything there.
    fn note_access(&mut self, instruction: &Instruction) {
        let of = |value: &ValueId| self.addresses.get(value).cloned().unwrap_or_default();
        let place = || {
            let address = instruction.args.first();
            match address.and_then(|address| self.constants.get(address)) {
                Some(&base) => {
                    self.at(u64::from(base) + offset(&instruction.kind)).into_iter().collect()
                }
                None => address.map(of).unwrap_or_default(),
            }
        };
        let rest = |from: usize| instruction.args.iter().skip(from).flat_map(of);
        let (read, written): (BTreeSet<u32>, BTreeSet<u32>) = match instruction.kind.memory() {
            MemoryUse::Loaded => (place(), BTreeSet::new()),
            MemoryUse::Stored => (rest(1).collect(), place().into_iter().chain(rest(1)).collect()),
            MemoryUse::Bulk => (rest(1).collect(), place()),
            MemoryUse::Untouched if instruction.kind.is_call() => {
                (rest(0).collect(), rest(0).collect())
            }
            MemoryUse::Untouched | MemoryUse::Grown => return,
        };
        self.touched.read.extend(read);
        self.touched.written.extend(written);
    }
}

/// What an access adds to its address.
fn offset(kind: &Kind) -> u64 {
    if let Kind::Load(access) | Kind::Store(access) = kind { access.offset } else { 0 }
}
