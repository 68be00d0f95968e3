//! Which calls make the objects that a function takes.

use super::found::{Earlier, earlier};
use super::kinds::Kind;
use super::library::{Library, is_destructor_name};
use super::null::looks_for_null;
use super::state::State;
use super::{
    Argument, Call, FollowUp, FollowUpCall, Found, Maker, Object, Plan, PlanParam, SEPARATOR, Way,
};
use crate::program::{FileId, Param, Program};
use crate::types::{TypeId, TypeKind};
use std::collections::BTreeSet;

/// How much is tried with one object, from much to little: a driver has to fit into memory.
const ALLOWANCES: &[Allowance] = &[
    Allowance { makers: 12, n_building: 5, n_follow_ups: 3, n_before: 4, calls_each: 6 },
    Allowance { makers: 12, n_building: 0, n_follow_ups: 3, n_before: 3, calls_each: 6 },
    Allowance { makers: 8, n_building: 0, n_follow_ups: 2, n_before: 2, calls_each: 4 },
    Allowance { makers: 4, n_building: 0, n_follow_ups: 1, n_before: 0, calls_each: 3 },
];
/// The most parameters of a driver.
const PARAMS_MAX: usize = 64;
/// How deep objects are made for other objects.
const DEPTH_MAX: u32 = 2;

#[derive(Clone, Copy)]
pub(super) struct Allowance {
    makers: usize,
    /// Steps that only make the object larger, before all others: trees have few shapes while they are small.
    n_building: usize,
    n_follow_ups: usize,
    /// Calls before all others, which set variables.
    pub(super) n_before: usize,
    pub(super) calls_each: usize,
}

/// The plans of a program, in the order of its units.
pub(super) fn plans(program: &Program) -> Vec<Plan> {
    let mut library = Library::new(program);
    let mut state = State::of(program);
    let units = 0..program.units.len();
    units.filter_map(|unit| plan(&mut library, &mut state, unit)).collect()
}

fn plan(library: &mut Library<'_>, state: &mut State<'_>, unit: usize) -> Option<Plan> {
    let program = library.program;
    let found = &program.units[unit];
    // A driver has no list of arguments to pass on.
    if found.name == "main" || found.list.is_some() {
        return None;
    }
    let file = program.source_of(found);
    for &allowance in ALLOWANCES {
        let mut planner = Planner { library, file, allowance, unit, params: Vec::new() };
        let call = planner.call(unit, "", None, 0)?;
        let before = planner.calls_before(state);
        if call.objects().is_empty() && (before.is_empty() || found.is_variadic) {
            return None;
        }
        let params = planner.params;
        let names: BTreeSet<&str> = params.iter().map(PlanParam::name).collect();
        if names.len() < params.len() {
            return None;
        }
        if params.len() <= PARAMS_MAX {
            let mut plan = Plan { unit, call, before, params };
            settle_ends(library, state, &mut plan, file);
            return Some(plan);
        }
    }
    None
}

pub(super) struct Planner<'l, 'a> {
    pub(super) library: &'l mut Library<'a>,
    pub(super) file: FileId,
    pub(super) allowance: Allowance,
    /// The function under test.
    pub(super) unit: usize,
    pub(super) params: Vec<PlanParam>,
}

impl Planner<'_, '_> {
    /// The call of a function, about an object if that is its first argument already.
    pub(super) fn call(
        &mut self,
        unit: usize,
        prefix: &str,
        about: Option<&Kind>,
        depth: u32,
    ) -> Option<Call> {
        self.call_with(unit, prefix, about.map(|_| (0, Argument::Itself)), depth)
    }

    /// The call of a function, one of whose arguments is known already.
    pub(super) fn call_with(
        &mut self,
        unit: usize,
        prefix: &str,
        known: Option<(usize, Argument)>,
        depth: u32,
    ) -> Option<Call> {
        let mut arguments = Vec::new();
        for (i, param) in self.library.unit(unit).params.iter().enumerate() {
            if let Some((_, argument)) = known.as_ref().filter(|(at, _)| *at == i) {
                arguments.push(argument.clone());
                continue;
            }
            let name = match prefix.is_empty() {
                true => param.name.clone(),
                false => format!("{prefix}{SEPARATOR}{}", param.name),
            };
            let earlier = if depth == 0 { earlier(&arguments) } else { Vec::new() };
            if let Some(object) = self.object((unit, i), &name, &earlier, depth) {
                arguments.push(Argument::Object(Box::new(object)));
            } else if self.library.is_usable(param.ty) {
                self.params.push(PlanParam::Argument { name: name.clone(), ty: param.ty });
                arguments.push(Argument::Parameter(name));
            } else {
                return None;
            }
        }
        Some(Call { unit, arguments })
    }

    /// The object for a parameter, if functions of the program make such objects.
    fn object(
        &mut self,
        (unit, param): (usize, usize),
        name: &str,
        earlier: &[Earlier],
        depth: u32,
    ) -> Option<Object> {
        if depth > DEPTH_MAX {
            return None;
        }
        let given = &self.library.unit(unit).params[param];
        let kind = self.library.kinds.of(given.ty)?;
        let is_tested = depth == 0;
        let mut object = Object {
            name: name.to_owned(),
            short_name: given.name.clone(),
            pointer: given.ty,
            storage: None,
            makers: Vec::new(),
            follow_ups: Vec::new(),
            destructor: None,
            is_kept: false,
        };
        let n_before = self.params.len();
        let choice = self.params.len();
        if is_tested && param == 0 && self.library.initialises(unit).as_ref() == Some(&kind) {
            object.storage = self.library.kinds.storage(given.ty);
            object.makers.push(Maker::Zero);
        } else {
            if self.library.kinds.is_file(given.ty) {
                object.makers.push(Maker::File(format!("{name}.txt")));
            }
            self.add_found(&mut object, (unit, param), &kind, earlier);
            let is_inside = !object.makers.is_empty();
            // What is taken away must have been there, and files are the library's.
            if !object.is_file() && (!is_inside || !self.library.takes_away(unit)) {
                self.add_makers(&mut object, &kind, depth);
                let is_made = object.makers.iter().any(|maker| matches!(maker, Maker::Call(_)));
                if is_inside && !is_made && self.library.is_usable(given.ty) {
                    self.add_given(&mut object, given.ty);
                }
            }
        }
        if object.makers.is_empty() && is_tested {
            self.add_streams(&mut object, unit);
        }
        if object.makers.is_empty() {
            self.params.truncate(n_before);
            return None;
        }
        let is_filled_in = !object.streams().is_empty();
        if is_tested && !is_filled_in && looks_for_null(self.library.program, unit, &given.name) {
            object.makers.push(Maker::Null);
        }
        if object.makers.len() > 1 {
            let values = object.makers.iter();
            let values =
                values.map(|maker| self.library.program.maker_name(maker).to_owned()).collect();
            self.params.insert(choice, PlanParam::Choice { name: name.to_owned(), values });
        }
        let is_new = matches!(object.makers.first(), Some(Maker::Zero));
        if is_tested && !is_new && !is_filled_in && !object.is_file() {
            self.add_steps(&mut object, &kind, param, depth);
        }
        Some(object)
    }

    fn add_makers(&mut self, object: &mut Object, kind: &Kind, depth: u32) {
        let n_max = if depth == 0 { self.allowance.makers } else { 2 } + object.makers.len();
        let n_found = object.makers.len();
        let makers = match depth {
            0 => self.library.makers_of_all_forms(kind, self.file),
            _ => self.library.makers(kind, self.file),
        };
        for maker in makers {
            if object.makers.len() >= n_max {
                return;
            }
            if maker == self.unit {
                continue;
            }
            let prefix = format!("{}_{}", object.name, self.library.unit(maker).name);
            let n_before = self.params.len();
            match self.call(maker, &prefix, None, depth + 1) {
                Some(call) => {
                    let result = self.library.unit(maker).result;
                    if let (true, Some(result)) = (object.makers.len() == n_found, result) {
                        object.pointer = result;
                    }
                    object.makers.push(Maker::Call(call));
                }
                None => self.params.truncate(n_before),
            }
        }
        // What no function changes is for callers to fill in.
        if object.makers.len() == n_found && !self.library.follow_ups(kind, self.file).is_empty() {
            self.add_initialisers(object, kind, depth, n_max);
        }
    }

    fn add_initialisers(&mut self, object: &mut Object, kind: &Kind, depth: u32, n_max: usize) {
        for maker in self.library.initialisers(kind, self.file).into_iter().take(n_max) {
            let prefix = format!("{}_{}", object.name, self.library.unit(maker).name);
            let n_before = self.params.len();
            match self.call(maker, &prefix, Some(kind), depth + 1) {
                Some(call) => {
                    let pointer = self.library.unit(maker).params[0].ty;
                    object.pointer = pointer;
                    object.storage = self.library.kinds.storage(pointer);
                    object.makers.push(Maker::Call(call));
                }
                None => self.params.truncate(n_before),
            }
        }
    }

    /// Calls that may follow, more of them for the first object of a function.
    fn add_steps(&mut self, object: &mut Object, kind: &Kind, param: usize, depth: u32) {
        let Allowance { n_building, n_follow_ups, calls_each, .. } = self.allowance;
        let mut all = self.library.follow_ups(kind, self.file);
        // Who makes an object by what everybody may call does not go on with what only the library calls.
        let mut makers = object.makers.iter().filter_map(Maker::call);
        if makers.any(|maker| !self.library.unit(maker.unit).is_static) {
            all.retain(|&unit| !self.library.unit(unit).is_static);
        }
        let building = all.iter().copied().find(|&unit| self.library.is_building(unit));
        let building = building.filter(|_| param == 0);
        let building =
            building.iter().flat_map(|&unit| std::iter::repeat_n(vec![unit], n_building));
        let n_follow_ups = if param == 0 { n_follow_ups } else { 1 };
        let follow_ups = building.chain(std::iter::repeat_n(all, n_follow_ups)).enumerate();
        for (i, units) in follow_ups.collect::<Vec<_>>() {
            self.add_follow_up(object, (kind, &units, calls_each), i + 1, depth);
        }
    }

    fn add_follow_up(
        &mut self,
        object: &mut Object,
        (kind, units, n_calls): (&Kind, &[usize], usize),
        number: usize,
        depth: u32,
    ) {
        let choice = format!("{}_{number}", object.name);
        let at = self.params.len();
        let (mut calls, mut values) = (Vec::new(), vec!["none".to_owned()]);
        for &unit in units {
            if calls.len() >= n_calls {
                break;
            }
            let prefix = format!("{choice}_{}", self.library.unit(unit).name);
            let n_before = self.params.len();
            let call = self.call(unit, &prefix, Some(kind), depth + 1);
            let call = call.filter(|call| !self.is_given_other_memory(call));
            match call.filter(|call| !self.is_given_a_stranger(call, kind)) {
                Some(call) => {
                    let result = self.library.unit(unit).result;
                    let is_next = result.is_some_and(|result| self.is_same(result, kind));
                    calls.push(FollowUpCall { call, is_next });
                    values.push(self.library.unit(unit).name.clone());
                }
                None => self.params.truncate(n_before),
            }
        }
        if !calls.is_empty() {
            self.params.insert(at, PlanParam::Choice { name: choice.clone(), values });
            object.follow_ups.push(FollowUp { choice, calls });
        }
    }

    /// Whether a call is given a raw object that should be inside the one that it is about: `insert_after(list, node)`.
    fn is_given_a_stranger(&mut self, call: &Call, kind: &Kind) -> bool {
        let params = &self.library.unit(call.unit).params;
        let given = call.arguments.iter().enumerate();
        let raw = given.filter(|(_, argument)| matches!(argument, Argument::Parameter(_)));
        raw.map(|(at, _)| at).any(|at| {
            let Some(other) = self.library.kinds.of(params[at].ty) else { return false };
            self.library.kinds.leads_to(params[0].ty, &other)
                && self.library.may_be_inside(call.unit, at, kind)
        })
    }

    /// Whether a call is given other structures than the function under test where that has a parameter of the same name: a
    /// parser that has filled one array of tokens does not go on with another.
    fn is_given_other_memory(&self, call: &Call) -> bool {
        let types = &self.library.program.types;
        let is_filled = |param: &Param| {
            let pointee = types.get(param.ty).kind.pointee();
            pointee.is_some_and(|(to, is_const)| {
                !is_const && matches!(types.get(to).kind, TypeKind::Struct { .. })
            })
        };
        let own = &self.library.unit(self.unit).params;
        let given = self.library.unit(call.unit).params.iter().zip(&call.arguments);
        let raw = given.filter(|(_, argument)| matches!(argument, Argument::Parameter(_)));
        raw.map(|(param, _)| param).any(|param| is_filled(param) && own.contains(param))
    }

    fn is_same(&mut self, result: TypeId, kind: &Kind) -> bool {
        self.library.kinds.of(result).as_ref() == Some(kind)
            && self.library.kinds.may_change(result)
    }
}

/// Says which objects are destroyed at the end, and which are not lost although they are not.
fn settle_ends(library: &mut Library<'_>, state: &State<'_>, plan: &mut Plan, file: FileId) {
    let program = library.program;
    let found = &program.units[plan.unit];
    let types = &program.types;
    let gives_pointers = found.result.is_some_and(|result| types.has_pointers(result))
        || found.params.iter().any(|param| {
            let pointee = types.get(param.ty).kind.pointee();
            pointee.is_some_and(|(to, _)| types.get(to).kind.pointee().is_some())
        });
    let is_object =
        |argument: &&Argument| matches!(argument, Argument::Object(object) if object.is_new());
    let is_alone = plan.call.arguments.iter().filter(is_object).count() == 1;
    // A type may have two: `list_free(list)` after `list_destroy(list)` frees twice, unless the two do different things.
    let is_end = found.params.len() == 1 && is_destructor_name(&found.name);
    let mut reach = None;
    settle_call(&mut plan.call, true, &mut |object, is_tested| {
        let Some(kind) = library.kinds.of(object.pointer).filter(|_| object.is_new()) else {
            return;
        };
        let destructor = library.destructor(&kind, file);
        let can_be_called = is_tested && is_alone && !gives_pointers && !is_end;
        let is_clear = |destructor: &usize| {
            let reached = reach.get_or_insert_with(|| state.reached(found.function));
            !reached.contains(&program.units[*destructor].function)
        };
        object.destructor = destructor.filter(|_| can_be_called).filter(is_clear);
        let may_own = object.storage.is_none() || destructor.is_some();
        object.is_kept = object.destructor.is_none() && may_own;
    });
}

/// Does something with every object of a call and of those before it; tells whether the function under test is given it.
fn settle_call(call: &mut Call, is_tested: bool, settle: &mut impl FnMut(&mut Object, bool)) {
    for argument in &mut call.arguments {
        let Argument::Object(object) = argument else { continue };
        settle(object, is_tested);
        for maker in &mut object.makers {
            if let Maker::Call(call) | Maker::Found(Found { way: Way::Call(call), .. }) = maker {
                settle_call(call, false, settle);
            }
        }
        for follow_up in object.follow_ups.iter_mut().flat_map(|follow_up| &mut follow_up.calls) {
            settle_call(&mut follow_up.call, false, settle);
        }
    }
}
