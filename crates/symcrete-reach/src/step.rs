//! One instruction back, and one jump back.

use crate::reachability::{Bound, Condition};
use crate::relevance::Interest;
use crate::state::{Draw, Frame, Name, Pool, State, sort_of};
use crate::substitute::Substitution;
use crate::view::{Body, Callee, View, Way, is_mark};
use symcrete_program::cfg::{
    BlockId, Constant, Instruction, Jump, Kind, Num, Terminator, ValueId, ValueType,
};
use symcrete_program::lower::{self, nonzero};
use symcrete_program::{Edge, Gap, SiteId};
use symcrete_term::{Literal, Op, TermId, Terms, Value};

/// What passing an instruction came to.
pub(crate) enum Stepped {
    /// The state is before it now.
    Back,
    /// No run passes it.
    Never,
    /// The state is at the end of a function that it called.
    Entered,
    /// It may have called any of these functions.
    Either(Vec<(u32, Literal)>),
}

/// What the steps need to know.
pub(crate) struct Stepper<'s, 'a> {
    pub(crate) view: &'s View<'a>,
    pub(crate) pool: &'s mut Pool,
    /// Whether calls that make no difference are passed over.
    pub(crate) is_lazy: bool,
}

impl Stepper<'_, '_> {
    /// The term of a value of the innermost function: a constant if it is one.
    pub(crate) fn value(&mut self, state: &State, body: &Body<'_>, value: ValueId) -> TermId {
        let (level, function) = (state.level(), body.function);
        if let Some((block, position)) = body.definitions[value.index()]
            && let Kind::Const(constant) = function.block(block).instructions[position].kind
        {
            return self.constant(constant);
        }
        self.pool.value(level, function.index, value, function.values[value.index()])
    }

    fn constant(&mut self, constant: Constant) -> TermId {
        let terms = &mut self.pool.terms;
        match constant {
            Constant::I32(bits) => lower::constant(terms, Num::I32, bits.into()),
            Constant::I64(bits) => lower::constant(terms, Num::I64, bits),
            Constant::F32(bits) => lower::constant(terms, Num::F32, bits.into()),
            Constant::F64(bits) => lower::constant(terms, Num::F64, bits),
            Constant::NullFunction => terms.bv(32, 0),
            Constant::Function(function) => terms.bv(32, u64::from(function) + 1),
        }
    }

    /// Goes back over the last instruction before the state's point.
    pub(crate) fn step(&mut self, state: &mut State, body: &Body<'_>) -> Stepped {
        let frame = state.frame_mut();
        frame.position -= 1;
        let (block, position) = (frame.block, frame.position);
        let instruction = &body.function.block(block).instructions[position];
        if instruction.kind.is_call() {
            return self.call(state, body, (block, position));
        }
        match &instruction.kind {
            Kind::Store(access) => {
                let (address, value) = (
                    self.value(state, body, instruction.args[0]),
                    self.value(state, body, instruction.args[1]),
                );
                state.store(self.pool, address, value, *access);
            }
            Kind::GlobalSet(global) => {
                let ty = self.view.module.globals[*global as usize].ty;
                let (global, value) =
                    (self.pool.global(*global, ty), self.value(state, body, instruction.args[0]));
                let by = Substitution::from([(self.pool.var_of(global), value)]);
                state.apply(self.pool, &by);
            }
            Kind::MemoryFill => {
                let args = self.three(state, body, instruction);
                state.fill(self.pool, args);
            }
            Kind::MemoryCopy => {
                let args = self.three(state, body, instruction);
                state.copy(self.pool, args);
            }
            Kind::MemoryInit(_) | Kind::MemoryGrow => state.forget_memory(),
            Kind::Const(_)
            | Kind::Numeric(_)
            | Kind::Select
            | Kind::RefIsNull
            | Kind::GlobalGet(_)
            | Kind::Load(_)
            | Kind::MemorySize
            | Kind::DataDrop(_)
            | Kind::Table(_)
            | Kind::Call(_)
            | Kind::CallIndirect { .. } => {}
        }
        self.assign(state, body, instruction);
        Stepped::Back
    }

    fn three(&mut self, state: &State, body: &Body<'_>, instruction: &Instruction) -> [TermId; 3] {
        [0, 1, 2].map(|i| self.value(state, body, instruction.args[i]))
    }

    /// The result of an instruction is what it computes, if anything is about it.
    fn assign(&mut self, state: &mut State, body: &Body<'_>, instruction: &Instruction) {
        let Some(&result) = instruction.results.first() else { return };
        let ty = body.function.values[result.index()];
        let variable = self.pool.value(state.level(), body.function.index, result, ty);
        if !state.mentions(self.pool, variable) {
            return;
        }
        let args: Vec<TermId> =
            instruction.args.iter().map(|&arg| self.value(state, body, arg)).collect();
        let terms = &mut self.pool.terms;
        let value = match &instruction.kind {
            Kind::Const(constant) => self.constant(*constant),
            Kind::Numeric(op) => {
                for guard in lower::guards(terms, *op, &args) {
                    state.hold(terms, Literal::holds(guard));
                }
                lower::lower(terms, *op, &args)
            }
            Kind::Select => {
                let edge = Edge { site: SiteId::at(instruction.offset), taken: true };
                state.conditions.push(Condition { edge, is_merged: true });
                let condition = nonzero(terms, args[2]);
                terms.ite(condition, args[0], args[1])
            }
            Kind::RefIsNull => {
                let null = terms.bv(32, 0);
                let is_null = terms.eq(args[0], null);
                let (one, zero) = (terms.bv(32, 1), terms.bv(32, 0));
                terms.ite(is_null, one, zero)
            }
            Kind::GlobalGet(global) => self.pool.global(*global, ty),
            Kind::Load(access) => return state.load(self.pool, variable, args[0], *access),
            Kind::GlobalSet(_)
            | Kind::Store(_)
            | Kind::MemorySize
            | Kind::MemoryGrow
            | Kind::MemoryFill
            | Kind::MemoryCopy
            | Kind::MemoryInit(_)
            | Kind::DataDrop(_)
            | Kind::Table(_)
            | Kind::Call(_)
            | Kind::CallIndirect { .. } => self.pool.fresh(sort_of(ty)),
        };
        let by = Substitution::from([(self.pool.var_of(variable), value)]);
        state.apply(self.pool, &by);
    }

    fn call(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        (block, position): (BlockId, usize),
    ) -> Stepped {
        let instruction = &body.function.block(block).instructions[position];
        let results: Vec<TermId> = instruction
            .results
            .iter()
            .map(|&r| {
                self.pool.value(
                    state.level(),
                    body.function.index,
                    r,
                    body.function.values[r.index()],
                )
            })
            .collect();
        let is_used = results.iter().any(|&result| state.mentions(self.pool, result));
        let callees: Vec<u32> = if let Kind::Call(callee) = instruction.kind {
            vec![callee]
        } else {
            let mut sites = self.view.calls.calls(body.function.index);
            let site = sites.find(|site| site.block == block && site.position == position);
            site.map(|site| site.callees.clone()).unwrap_or_default()
        };
        let is_plain =
            |callee: &u32| matches!(self.view.callees[*callee as usize], Callee::Entered);
        let matters =
            is_used || Interest::of(state).is_changed_by_call(self.view, self.pool, &callees);
        if callees.iter().all(is_plain) && !callees.is_empty() && !matters && self.is_lazy {
            return Stepped::Back;
        }
        if let Kind::CallIndirect { table, .. } = instruction.kind {
            return self.indirect(state, body, (instruction, table), &callees);
        }
        self.direct(state, body, (block, position), callees[0])
    }

    /// One function for each place of a table that the index may name.
    fn indirect(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        (instruction, table): (&Instruction, u32),
        callees: &[u32],
    ) -> Stepped {
        let index = *instruction.args.last().expect("an indirect call has an index");
        let index = self.value(state, body, index);
        let entries = &self.view.tables[table as usize];
        let terms = &mut self.pool.terms;
        let fits = entries.iter().filter(|(_, function)| callees.contains(function));
        let choices = fits.map(|(&at, &function)| {
            let at = terms.constant(Value::from_bits(terms.sort(index), at.into()));
            (function, Literal::holds(terms.eq(index, at)))
        });
        Stepped::Either(choices.collect())
    }

    /// Goes back over a call of one function.
    #[expect(clippy::too_many_lines, reason = "an arm for each kind of callee")]
    pub(crate) fn direct(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        (block, position): (BlockId, usize),
        callee: u32,
    ) -> Stepped {
        let instruction = &body.function.block(block).instructions[position];
        let args: Vec<TermId> =
            instruction.args.iter().map(|&arg| self.value(state, body, arg)).collect();
        let result = instruction.results.first().map(|&r| {
            let ty = body.function.values[r.index()];
            (self.pool.value(state.level(), body.function.index, r, ty), ty)
        });
        let view = self.view;
        let gap_of = |gap: &Option<Gap>, state: &mut State| {
            state.bounds.extend(gap.map(Bound::Model));
        };
        match &view.callees[callee as usize] {
            Callee::Entered => return self.enter(state, body, instruction, callee),
            Callee::Ends => return Stepped::Never,
            Callee::Opaque(function) => {
                let terms = &mut self.pool.terms;
                let sorts = args.iter().map(|&arg| terms.sort(arg));
                // Through a pointer to functions of another type nobody knows what it computes.
                let fits = function.signature().params.iter().copied().eq(sorts);
                if let Some((result, _)) = result.filter(|_| fits) {
                    let id = terms.function_named(function.name());
                    let id = id.unwrap_or_else(|| terms.register(function.clone()));
                    let value = terms.call(id, &args);
                    self.set(state, result, value);
                }
            }
            Callee::Draw { name, kind, gap } => {
                gap_of(gap, state);
                self.draw(state, Name::Known(name.clone()), *kind, result);
            }
            Callee::DrawNamed(kind) => self.draw(state, Name::At(args[0]), *kind, result),
            Callee::Assume => {
                let holds = nonzero(&mut self.pool.terms, args[0]);
                state.hold(&self.pool.terms, Literal::holds(holds));
            }
            Callee::Ignored(gap) => {
                gap_of(gap, state);
                if let Some((result, ty)) = result {
                    let zero = self.constant(Constant::zero(ty));
                    self.set(state, result, zero);
                }
            }
            Callee::Frame | Callee::Same => {
                if let Some((result, _)) = result {
                    self.set(state, result, args[0]);
                }
            }
            Callee::Observed(argument) => self.observe(state, result, args[*argument]),
            Callee::Pointer => {
                if state.tears(self.pool, args[0]) {
                    state.bounds.insert(Bound::Model(Gap::Addresses));
                }
            }
            Callee::Allocated { is_zeroed } => {
                if let Some((result, _)) = result {
                    state.allocate(self.pool, result, *is_zeroed);
                }
            }
            Callee::Uninitialized => state.unwrite(self.pool, args[0], args[1]),
            Callee::Copy => state.copy(self.pool, [args[0], args[1], args[2]]),
            Callee::Fill => state.fill(self.pool, [args[0], args[1], args[2]]),
            Callee::Unknown(_) => {
                state.forget_memory();
                self.forget_globals(state, callee);
                self.forget_results(state, body, instruction);
            }
        }
        // Library functions that move bytes give back where to.
        if let (Callee::Copy | Callee::Fill, Some((result, _))) =
            (&view.callees[callee as usize], result)
        {
            self.set(state, result, args[0]);
        }
        Stepped::Back
    }

    /// A result that depends on where objects are.
    fn observe(
        &mut self,
        state: &mut State,
        result: Option<(TermId, ValueType)>,
        argument: TermId,
    ) {
        if let Some((result, _)) = result.filter(|(result, _)| state.mentions(self.pool, *result)) {
            state.bounds.insert(Bound::Model(Gap::Addresses));
            self.set(state, result, argument);
        }
    }

    fn set(&mut self, state: &mut State, variable: TermId, value: TermId) {
        let by = Substitution::from([(self.pool.var_of(variable), value)]);
        state.apply(self.pool, &by);
    }

    fn draw(
        &mut self,
        state: &mut State,
        name: Name,
        kind: symcrete_program::CellKind,
        result: Option<(TermId, ValueType)>,
    ) {
        let drawn = self.pool.fresh(kind.sort());
        state.draws.push(Draw { var: self.pool.var_of(drawn), name, kind });
        if let Some((result, ty)) = result {
            let width = sort_of(ty).bits() as u8;
            let value = lower::as_value(&mut self.pool.terms, kind, width, drawn);
            self.set(state, result, value);
        }
        state.note(&self.pool.terms);
    }

    fn forget_globals(&mut self, state: &mut State, callee: u32) {
        let mut by = Substitution::new();
        for global in self.view.effects(callee).globals {
            let ty = self.view.module.globals[global as usize].ty;
            let variable = self.pool.global(global, ty);
            by.insert(self.pool.var_of(variable), self.pool.fresh(sort_of(ty)));
        }
        state.apply(self.pool, &by);
    }

    fn forget_results(&mut self, state: &mut State, body: &Body<'_>, instruction: &Instruction) {
        let mut by = Substitution::new();
        for &result in &instruction.results {
            let ty = body.function.values[result.index()];
            let variable = self.pool.value(state.level(), body.function.index, result, ty);
            by.insert(self.pool.var_of(variable), self.pool.fresh(sort_of(ty)));
        }
        state.apply(self.pool, &by);
    }

    /// To the return of a function that was called here.
    fn enter(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        call: &Instruction,
        callee: u32,
    ) -> Stepped {
        let Some(function) = self.view.cfg.function(callee) else { return Stepped::Never };
        let Some(exit) = function.exit() else { return Stepped::Never };
        let level = state.level();
        let Terminator::Return(values) = &function.block(exit).terminator else {
            return Stepped::Never;
        };
        let mut by = Substitution::new();
        for (&result, &value) in call.results.iter().zip(values) {
            let ty = body.function.values[result.index()];
            let variable = self.pool.value(level, body.function.index, result, ty);
            let returned = self.pool.value(level + 1, callee, value, ty);
            by.insert(self.pool.var_of(variable), returned);
        }
        state.apply(self.pool, &by);
        let n = function.block(exit).instructions.len();
        state.frames.push(Frame::new(callee, exit, n));
        Stepped::Entered
    }

    /// From the start of the innermost function to the call in the one below: its parameters are the arguments.
    pub(crate) fn leave(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        caller: &Body<'_>,
        call: &Instruction,
    ) {
        let level = state.level();
        let params = &body.function.block(BlockId::ENTRY).params;
        let mut by = Substitution::new();
        let below = state.frames.len() > 1;
        let mut outer = state.clone();
        if below {
            outer.frames.pop();
        }
        for (&param, &arg) in params.iter().zip(&call.args) {
            let ty = body.function.values[param.index()];
            let variable = self.pool.value(level, body.function.index, param, ty);
            let value = self.value(&outer, caller, arg);
            by.insert(self.pool.var_of(variable), value);
        }
        state.apply(self.pool, &by);
        if below {
            state.frames.pop();
        }
    }

    /// Over a jump: parameters are what it gives, and its condition holds.
    pub(crate) fn jump(&mut self, state: &mut State, body: &Body<'_>, way: Way) {
        let to = state.frame().block;
        let terminator = &body.function.block(way.from).terminator;
        let jumps = terminator.jumps();
        let jump: &Jump = jumps[way.jump];
        let mut by = Substitution::new();
        for (&param, &arg) in body.function.block(to).params.iter().zip(&jump.args) {
            let ty = body.function.values[param.index()];
            let variable = self.pool.value(state.level(), body.function.index, param, ty);
            let value = self.value(state, body, arg);
            by.insert(self.pool.var_of(variable), value);
        }
        state.apply(self.pool, &by);
        let frame = state.frame_mut();
        frame.block = way.from;
        frame.position = body.function.block(way.from).instructions.len();
        frame.outside_of = None;
        // Both sides of a mark lead here: nothing is decided.
        if !is_mark(body.function, way.from) {
            self.decide(state, body, terminator, way.jump);
        }
    }

    /// The condition of one of a block's jumps holds at its end.
    pub(crate) fn decide(
        &mut self,
        state: &mut State,
        body: &Body<'_>,
        terminator: &Terminator,
        jump: usize,
    ) {
        if let Some(edge) = terminator.edges().get(jump).copied().flatten() {
            state.conditions.push(Condition { edge, is_merged: false });
        }
        match terminator {
            Terminator::BrIf { condition, .. } => {
                let condition = self.value(state, body, *condition);
                let term = nonzero(&mut self.pool.terms, condition);
                state.hold(&self.pool.terms, Literal { term, expected: jump == 0 });
            }
            Terminator::Switch { index, case_of_index, .. } => {
                let index = self.value(state, body, *index);
                let term = is_case(&mut self.pool.terms, index, case_of_index, jump as u16);
                state.hold(&self.pool.terms, Literal::holds(term));
            }
            Terminator::Br(_) | Terminator::Return(_) | Terminator::Unreachable { .. } => {}
        }
    }
}

/// That the index of a switch takes a case.
fn is_case(terms: &mut Terms, index: TermId, case_of_index: &[u16], case: u16) -> TermId {
    let last = case_of_index.len() - 1;
    let mut any = terms.bool(false);
    for (i, _) in case_of_index.iter().enumerate().filter(|(_, own)| **own == case) {
        let number = terms.bv(32, i as u64);
        // The last is for all indices beyond.
        let is_it = match i == last {
            true => terms.app(Op::BvUle, &[number, index]),
            false => terms.eq(index, number),
        };
        any = terms.app(Op::Or, &[any, is_it]);
    }
    any
}
