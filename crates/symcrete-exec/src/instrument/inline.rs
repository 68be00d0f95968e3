//! Puts bodies of functions in the place of calls, in the concrete form.
//!
//! The compiler puts no function into another, since then a condition would be at several places. Here it may be: the
//! copies of a site note the same sides. A copy is the whole rewritten body, with what it pays for the call and how
//! it counts depth, so a run passes and pays the same; only fuel stays in one local, and depth is handed over from
//! local to local. Two kinds of calls are replaced: those of small functions that make no calls, and, some levels
//! deep, those that a function makes of itself. Others would have to be told apart where the host asks who called it
//! (`Instrumented::innermost_site`).

use crate::encode::val_types;
use crate::instrument::emitter::{Emitter, Part};
use crate::instrument::function::{Context, rewrite};
use std::collections::BTreeMap;
use wasm_encoder::{BlockType, HeapType, Instruction, ValType};
use wasmparser::{BinaryReader, Operator, OperatorsReader};

/// Bytes of a function that is small.
const SMALL: usize = 300;
/// Bytes that a function may have with all that is put into it.
const LARGE: usize = 6_000;
/// How many levels of calls of itself a function has within.
const LEVELS: u32 = 3;

/// A rewritten function that others are put into, or that is.
struct Unit {
    body: Emitter,
    fuel: u32,
    params: Vec<ValType>,
    block: BlockType,
}

/// Bodies by index in the rewritten module.
pub(crate) type Bodies = BTreeMap<u32, Emitter>;

/// Puts functions into each other; `original` gives the index of a function in the original module.
pub(crate) fn inline(
    context: Context<'_>,
    bodies: Bodies,
    original: &BTreeMap<u32, u32>,
) -> Bodies {
    let facts = |function: u32| &context.facts.functions[original[&function] as usize];
    let plan = Plan::new(&bodies, |function| !facts(function).loops.is_empty());
    let is_unit = |function: &&u32| plan.is_leaf(**function) || plan.gets_any(**function);
    let unit = |&function: &u32| (function, Unit::of(context, original[&function]));
    let units: BTreeMap<u32, Unit> = bodies.keys().filter(is_unit).map(unit).collect();
    let inlined = |(function, body)| match plan.gets_any(function) {
        true => (function, Inlining::new(&units, &plan, function).run()),
        false => (function, body),
    };
    bodies.into_iter().map(inlined).collect()
}

/// Which functions are put where.
struct Plan {
    levels: BTreeMap<u32, Levels>,
    calls: BTreeMap<u32, Calls>,
}

/// Where a function is put in the place of calls. With loops it is nowhere: there a call is little beside them, and registers are few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Levels {
    /// In all functions, since it makes no calls.
    Everywhere,
    /// In itself, so many levels deep.
    Itself(u32),
}

impl Plan {
    fn new(bodies: &Bodies, has_loops: impl Fn(u32) -> bool) -> Plan {
        let calls = bodies.iter().map(|(&function, body)| (function, Calls::of(body)));
        let calls: BTreeMap<u32, Calls> = calls.collect();
        let levels = |(&function, body): (&u32, &Emitter)| {
            let (bytes, calls) = (body.code().len(), &calls[&function]);
            let levels = match (has_loops(function), calls.is_leaf() && bytes <= SMALL) {
                (true, _) => Levels::Itself(0),
                (false, true) => Levels::Everywhere,
                (false, false) => Levels::Itself(levels(bytes, calls.n_of(function))),
            };
            (function, levels)
        };
        Plan { levels: bodies.iter().map(levels).collect(), calls }
    }

    fn is_leaf(&self, callee: u32) -> bool {
        self.levels.get(&callee) == Some(&Levels::Everywhere)
    }

    /// Whether any function is put into this one.
    fn gets_any(&self, function: u32) -> bool {
        let is_put_in = |&callee: &u32| self.is_put_in(callee, function, 0);
        self.calls[&function].direct.iter().any(is_put_in)
    }

    /// Whether a function is put into another, or a copy of that within so many calls.
    fn is_put_in(&self, callee: u32, function: u32, level: u32) -> bool {
        match self.levels.get(&callee) {
            Some(Levels::Everywhere) => true,
            Some(&Levels::Itself(levels)) => callee == function && level < levels,
            None => false,
        }
    }
}

/// How many levels of calls of itself a function gets that has so many bytes and such calls.
fn levels(bytes: usize, n_calls: usize) -> u32 {
    let (mut levels, mut copies, mut all) = (0, 1, bytes);
    while n_calls > 0 && levels < LEVELS {
        copies *= n_calls;
        all += copies * bytes;
        if all > LARGE {
            break;
        }
        levels += 1;
    }
    levels
}

/// The functions that a body calls.
struct Calls {
    direct: Vec<u32>,
    has_indirect: bool,
}

impl Calls {
    fn of(body: &Emitter) -> Calls {
        let mut calls = Calls { direct: Vec::new(), has_indirect: false };
        for (operator, _) in operators(body.code()) {
            if let Operator::Call { function_index } = operator {
                calls.direct.push(function_index);
            }
            calls.has_indirect |= matches!(operator, Operator::CallIndirect { .. });
        }
        calls
    }

    fn is_leaf(&self) -> bool {
        self.direct.is_empty() && !self.has_indirect
    }

    fn n_of(&self, function: u32) -> usize {
        self.direct.iter().filter(|&&callee| callee == function).count()
    }
}

/// The operators of a body, and where each starts.
pub(crate) fn operators(code: &[u8]) -> impl Iterator<Item = (Operator<'_>, usize)> {
    let mut reader = OperatorsReader::new(BinaryReader::new(code, 0));
    std::iter::from_fn(move || {
        (!reader.eof()).then(|| reader.read_with_offset().expect("we have written it"))
    })
}

impl Unit {
    /// A function of the original, with its fuel in a local.
    fn of(context: Context<'_>, function: u32) -> Unit {
        let body = rewrite(context, function, true);
        let fuel = body.parts().find_map(|(_, part)| match part {
            Part::TakeFuel(fuel) => Some(fuel),
            Part::GiveFuel | Part::TakeDepth | Part::Call { .. } => None,
        });
        Unit {
            fuel: fuel.expect("it was asked to keep it"),
            params: val_types(&context.module.function_type(function).params),
            block: context.result_block(function),
            body,
        }
    }

    /// The types of all locals, parameters first.
    fn locals(&self) -> impl Iterator<Item = ValType> {
        self.params.iter().chain(self.body.locals()).copied()
    }
}

/// One function that others are put into.
struct Inlining<'a> {
    units: &'a BTreeMap<u32, Unit>,
    plan: &'a Plan,
    function: u32,
    out: Emitter,
    /// The locals of a copy, by level and function: copies at one level follow each other, and may share them.
    locals: BTreeMap<(u32, u32), Vec<u32>>,
}

/// A copy of a function.
struct Copied {
    /// What its locals are called here.
    locals: Vec<u32>,
    /// How many calls it is within.
    level: u32,
    /// The caller's local with what is left of depth.
    depth: Option<u32>,
}

impl<'a> Inlining<'a> {
    fn new(units: &'a BTreeMap<u32, Unit>, plan: &'a Plan, function: u32) -> Inlining<'a> {
        let out = units[&function].body.emptied();
        Inlining { units, plan, function, out, locals: BTreeMap::new() }
    }

    fn run(mut self) -> Emitter {
        let unit = &self.units[&self.function];
        let locals = (0..unit.locals().count() as u32).collect();
        self.copy(unit, &Copied { locals, level: 0, depth: None });
        self.out
    }

    fn copy(&mut self, unit: &Unit, copied: &Copied) {
        let (body, code) = (&unit.body, unit.body.code());
        let (mut origins, mut hints) = (body.origins().peekable(), body.hints().peekable());
        let mut parts = body.parts().peekable();
        let (mut origin, mut replaced_end) = (None, 0);
        let ends = operators(code).skip(1).map(|(_, at)| at).chain([code.len()]);
        for ((operator, at), end) in operators(code).zip(ends) {
            while let Some((_, from)) = origins.next_if(|&(start, _)| start as usize <= at) {
                origin = Some(from);
                self.out.origin(from);
            }
            // Parts may be empty.
            while let Some((range, part)) = parts.next_if(|(range, _)| range.start as usize <= at) {
                if self.replace(part, copied) {
                    replaced_end = range.end as usize;
                    origin.into_iter().for_each(|origin| self.out.origin(origin));
                }
            }
            if at < replaced_end {
                continue;
            }
            if let Some((_, is_taken)) = hints.next_if(|&(start, _)| start as usize == at) {
                self.out.hint(is_taken);
            }
            let local = |local: u32| copied.locals[local as usize];
            if let Operator::LocalGet { local_index } = operator {
                self.out.get(local(local_index));
            } else if let Operator::LocalSet { local_index } = operator {
                self.out.set(local(local_index));
            } else if let Operator::LocalTee { local_index } = operator {
                self.out.emit(&Instruction::LocalTee(local(local_index)));
            } else {
                self.out.emit_encoded(&code[at..end]);
            }
        }
    }

    /// Writes what a part of a copy is here, if that is something else.
    fn replace(&mut self, part: Part, copied: &Copied) -> bool {
        match part {
            Part::Call { function, depth } if self.is_put_in(function, copied.level) => {
                let depth = depth.map(|depth| copied.locals[depth as usize]);
                self.put_in(function, copied.level + 1, depth);
                true
            }
            Part::Call { .. } => false,
            // The local is that of the function that all is put into.
            Part::TakeFuel(_) | Part::GiveFuel => copied.level > 0,
            Part::TakeDepth => {
                copied.depth.into_iter().for_each(|depth| self.out.get(depth));
                copied.depth.is_some()
            }
        }
    }

    fn is_put_in(&self, callee: u32, level: u32) -> bool {
        let has_room = !self.plan.is_leaf(callee) || self.out.code().len() <= LARGE;
        has_room && self.plan.is_put_in(callee, self.function, level)
    }

    /// Puts a function in the place of a call whose arguments are on the stack.
    fn put_in(&mut self, callee: u32, level: u32, depth: Option<u32>) {
        let unit = &self.units[&callee];
        let (out, fuel) = (&mut self.out, self.units[&self.function].fuel);
        let locals = self.locals.entry((level, callee)).or_insert_with(|| {
            let mut locals: Vec<u32> = unit.locals().map(|ty| out.new_local(ty)).collect();
            locals[unit.fuel as usize] = fuel;
            locals
        });
        let locals = locals.clone();
        let (params, others) = locals.split_at(unit.params.len());
        params.iter().rev().for_each(|&param| self.out.set(param));
        for (&local, &ty) in
            others.iter().zip(unit.body.locals()).filter(|(local, _)| **local != fuel)
        {
            self.out.emit(&zero(ty));
            self.out.set(local);
        }
        self.out.emit(&Instruction::Block(unit.block));
        self.copy(unit, &Copied { locals, level, depth });
        self.out.emit(&Instruction::End);
    }
}

/// What a local starts with.
fn zero(ty: ValType) -> Instruction<'static> {
    match ty {
        ValType::I32 => Instruction::I32Const(0),
        ValType::I64 => Instruction::I64Const(0),
        ValType::F32 => Instruction::F32Const(0.0_f32.into()),
        ValType::F64 => Instruction::F64Const(0.0_f64.into()),
        ValType::V128 => Instruction::V128Const(0),
        ValType::Ref(_) => Instruction::RefNull(HeapType::FUNC),
    }
}
