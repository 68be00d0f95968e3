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

use crate::loop_code::{Code, defined_in};
use crate::state::{State, sort_of};
use crate::step::Stepper;
use crate::substitute::Substitution;
use crate::view::Body;
use std::collections::BTreeSet;
use std::sync::Arc;
use symcrete_program::cfg::{BlockId, Function, Instruction, Kind, ValueId};
use symcrete_term::{Function as Opaque, Literal, Signature, Sort, TermId, Value};

/// A loop and how it is left.
pub(crate) struct Exit<'l> {
    pub(crate) header: BlockId,
    pub(crate) blocks: &'l BTreeSet<BlockId>,
    pub(crate) from: BlockId,
    pub(crate) jump: usize,
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
        let code = Code::of(self.view, function, exit);
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
