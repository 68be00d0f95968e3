//! Objects that the program's own functions make.
//!
//! A function that takes a list, a parser or a handle is entered through a *driver*: a C function, added by the front end,
//! that makes these objects by calls and then calls the function. So is one that reads variables which other functions set:
//! its driver may call these first. [`plan`] says which drivers a program needs; it is a
//! pure function of debug information, so the front end, which writes them, and whoever reads the module later agree on
//! what their parameters mean. `docs/adr/0022-objects-through-the-api.md` has the reasons.
//!
//! **Invariant:** a driver has the result of the function it calls, and everything else that it does are calls that any
//! caller could make.

mod found;
mod kinds;
mod library;
mod null;
mod planner;
mod settings;
mod state;
mod streams;

use crate::bounds::Sizes;
use crate::input::Input;
use crate::program::{Param, Program, Unit};
use crate::types::{TypeId, TypeKind, Types};
use std::collections::BTreeSet;

/// What the names of drivers start with.
pub const PREFIX: &str = "__symcrete_api_";
/// Between the name of a call and that of its parameter, in a parameter of a driver.
const SEPARATOR: &str = "__";

/// The call that a parameter of a driver is for, and its name there; no call if it is for the function under test.
pub fn split_parameter(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once(SEPARATOR) {
        Some((call, own)) if !own.is_empty() => (Some(call), own),
        Some(_) | None => (None, name),
    }
}

/// A function that is entered through calls that make its objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Driver {
    /// The function under test, by index of its unit.
    pub unit: usize,
    /// The driver itself.
    pub entry: Unit,
    /// What it does.
    pub call: Call,
    /// What it may call first.
    pub before: Vec<FollowUp>,
}

/// What a driver is to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The function under test, by index of its unit.
    pub unit: usize,
    /// Its call, and all that makes its objects.
    pub call: Call,
    /// Calls that may come before all others, since they set variables that the function reads.
    pub before: Vec<FollowUp>,
    /// The driver's parameters, in order: those of the calls that come before at the end.
    pub params: Vec<PlanParam>,
}

/// A parameter of a driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanParam {
    /// An argument of one of the calls.
    Argument {
        /// Its name.
        name: String,
        /// Its type.
        ty: TypeId,
    },
    /// Which of several calls is made.
    Choice {
        /// Its name.
        name: String,
        /// What each value means, from 0.
        values: Vec<String>,
    },
}

/// A call with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function, by index of its unit.
    pub unit: usize,
    /// In order.
    pub arguments: Vec<Argument>,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A parameter of the driver, by name.
    Parameter(String),
    /// An object that is made for this call.
    Object(Box<Object>),
    /// The object that the call is about.
    Itself,
    /// An object that was made before, by name.
    Earlier(String),
}

/// An object, and how it comes to be what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// The variable that stands for it, and the parameter that chooses its maker.
    pub name: String,
    /// What it is called where it is passed.
    pub short_name: String,
    /// The type of a pointer to it.
    pub pointer: TypeId,
    /// The type of a variable that holds it, if an initialiser makes it.
    pub storage: Option<TypeId>,
    /// The ways to make it; the first is taken if the choice says nothing else.
    pub makers: Vec<Maker>,
    /// Calls that follow, one of each at most.
    pub follow_ups: Vec<FollowUp>,
    /// What is called when it is not needed any more, if that is clear.
    pub destructor: Option<usize>,
    /// Whether somebody else may still hold what belongs to it: it must not look lost.
    pub is_kept: bool,
}

/// A way to make an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Maker {
    /// A call that returns it, or that is given a variable for it.
    Call(Call),
    /// There is none: a null pointer.
    Null,
    /// It has no values yet: the function under test is its initialiser.
    Zero,
    /// It is inside an object that was made before.
    Found(Found),
    /// It is a parameter of the driver, by name: an object that is in no other.
    Given(String),
    /// It is a file of this name, opened for reading and writing; what is in it is an input.
    File(String),
    /// It is a parameter of the driver, by name, whose members that are streams are opened files.
    WithStreams {
        /// The parameter.
        param: String,
        /// The members.
        streams: Vec<Stream>,
        /// Whether the program asks if the parameter is null.
        can_be_null: bool,
    },
}

/// A member of an object that is a `FILE *`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stream {
    /// How it is reached from the object: `in`, `io.log`.
    pub member: String,
    /// The name of the file, which is opened for reading and writing.
    pub file: String,
    /// The parameter that says whether it is null instead, where the program asks.
    pub choice: Option<String>,
}

/// How an object is found inside another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The other object, by name.
    pub of: String,
    /// What leads to it.
    pub way: Way,
    /// For people: `list_at`, `list->head`.
    pub shown: String,
}

/// What leads from one object to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// A call that is given the other object.
    Call(Call),
    /// Members, one after another.
    Members(Vec<String>),
}

impl Maker {
    /// The call that makes the object, if one does.
    pub fn call(&self) -> Option<&Call> {
        match self {
            Maker::Call(call) | Maker::Found(Found { way: Way::Call(call), .. }) => Some(call),
            Maker::Null
            | Maker::Zero
            | Maker::Given(_)
            | Maker::File(_)
            | Maker::WithStreams { .. }
            | Maker::Found(_) => None,
        }
    }
}

/// One call about an object, or before all others, or none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowUp {
    /// The parameter that chooses: 0 is none.
    pub choice: String,
    /// The calls.
    pub calls: Vec<FollowUpCall>,
}

/// A call that is made if it is chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowUpCall {
    /// The call.
    pub call: Call,
    /// Whether it returns the object that is used from then on.
    pub is_next: bool,
}

impl Plan {
    /// The name of the driver.
    pub fn name(&self, program: &Program) -> String {
        format!("{PREFIX}{}", program.units[self.unit].name)
    }
}

impl PlanParam {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            PlanParam::Argument { name, .. } | PlanParam::Choice { name, .. } => name,
        }
    }
}

impl Object {
    /// Whether it is a file of the C library.
    pub fn is_file(&self) -> bool {
        self.makers.iter().any(|maker| matches!(maker, Maker::File(_)))
    }

    /// Whether it may belong to nobody else: files are the library's, what is inside another object is that one's, and
    /// what a caller fills in is the caller's.
    pub fn is_new(&self) -> bool {
        let is_new = |maker: &Maker| match maker {
            Maker::Call(_) | Maker::Zero | Maker::Given(_) => true,
            Maker::File(_) | Maker::Found(_) | Maker::Null | Maker::WithStreams { .. } => false,
        };
        self.makers.iter().any(is_new)
    }

    /// The members that are opened files, if a caller fills it in.
    pub fn streams(&self) -> &[Stream] {
        let streams = self.makers.iter().find_map(|maker| match maker {
            Maker::WithStreams { streams, .. } => Some(streams.as_slice()),
            Maker::Call(_)
            | Maker::Null
            | Maker::Zero
            | Maker::Found(_)
            | Maker::Given(_)
            | Maker::File(_) => None,
        });
        streams.unwrap_or_default()
    }

    /// The names of all files that are opened for it.
    pub fn files(&self) -> Vec<&str> {
        let own = self.makers.iter().filter_map(|maker| match maker {
            Maker::File(name) => Some(name.as_str()),
            Maker::Call(_)
            | Maker::Null
            | Maker::Zero
            | Maker::Found(_)
            | Maker::Given(_)
            | Maker::WithStreams { .. } => None,
        });
        own.chain(self.streams().iter().map(|stream| stream.file.as_str())).collect()
    }

    /// Whether a call that returns such an object takes the one that it was given away: values that are pointers by
    /// another name are replaced, structures are looked up.
    pub fn replaces_itself(&self, types: &Types) -> bool {
        !types.get(self.pointer).name.contains('*')
    }
}

impl Call {
    /// Whether what it initialises may stay as it was: its result says whether it has.
    pub fn can_fail(&self, program: &Program) -> bool {
        program.units[self.unit].result.is_some()
    }

    /// The objects that this call is given, in order.
    pub fn passed(&self) -> impl Iterator<Item = &Object> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Object(object) => Some(&**object),
            Argument::Parameter(_) | Argument::Itself | Argument::Earlier(_) => None,
        })
    }

    /// Every object that is made for this call, and for those that come before it.
    pub fn objects(&self) -> Vec<&Object> {
        let mut found = Vec::new();
        for object in self.passed() {
            let makers = object.makers.iter().filter_map(Maker::call);
            let follow_ups = object
                .follow_ups
                .iter()
                .flat_map(|follow_up| &follow_up.calls)
                .map(|option| &option.call);
            found.push(object);
            found.extend(makers.chain(follow_ups).flat_map(Call::objects));
        }
        found
    }
}

impl FollowUp {
    /// The call that an input chooses, if any.
    pub fn chosen(&self, input: &Input) -> Option<&FollowUpCall> {
        let number = input.get(&self.choice).map_or(0, |value| value.bits());
        usize::try_from(number).ok()?.checked_sub(1).and_then(|chosen| self.calls.get(chosen))
    }

    /// Whether a parameter of a driver is one of these calls', or chooses among them.
    fn has(&self, param: &str) -> bool {
        let rest = param.strip_prefix(&self.choice);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    }
}

impl Driver {
    /// Whether it makes objects for the function under test. If not, that is given what it would be given without a driver.
    pub fn makes_objects(&self) -> bool {
        !self.call.objects().is_empty()
    }

    /// Which of the calls that may come first a parameter belongs to, by number.
    pub fn call_before(&self, param: &str) -> Option<usize> {
        self.before.iter().position(|call| call.has(param))
    }

    /// The calls that come first with an input, of which there may be so many. An input of larger sizes may choose more.
    pub fn first_calls(&self, input: &Input, sizes: Sizes) -> impl Iterator<Item = &FollowUpCall> {
        let possible = self.before.iter().take(sizes.calls as usize);
        possible.filter_map(|choice| choice.chosen(input))
    }

    /// The parameters that some function declares as arrays of some length, by index.
    fn arrays(&self, program: &Program) -> BTreeSet<usize> {
        let functions = self.functions().into_iter().chain([self.unit]);
        let units: Vec<&Unit> = functions.map(|unit| &program.units[unit]).collect();
        let is_array = |param: &Param| {
            let own = split_parameter(&param.name).1;
            let of_unit = |unit: &&Unit| {
                let i = unit.params.iter().position(|param| param.name == own);
                i.is_some_and(|i| unit.uses.arrays.contains(&i))
            };
            units.iter().any(of_unit)
        };
        let params = self.entry.params.iter().enumerate();
        params.filter(|(_, param)| is_array(param)).map(|(i, _)| i).collect()
    }

    /// The functions that are called before the one under test, each once.
    pub fn functions(&self) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for option in self.before.iter().flat_map(|choice| &choice.calls) {
            let unit = option.call.unit;
            if unit != self.unit && !found.contains(&unit) {
                found.push(unit);
            }
        }
        for object in self.call.objects() {
            let makers = object.makers.iter().filter_map(Maker::call).map(|call| call.unit);
            let follow_ups = object
                .follow_ups
                .iter()
                .flat_map(|follow_up| &follow_up.calls)
                .map(|option| option.call.unit);
            for unit in makers.chain(follow_ups) {
                if !found.contains(&unit) {
                    found.push(unit);
                }
            }
        }
        found
    }
}

/// The drivers that a program needs, at most one for each function.
pub fn plan(program: &Program) -> Vec<Plan> {
    planner::plans(program)
}

/// Says of the drivers that a program has what they do. One that is not as planned is forgotten.
pub(crate) fn attach(program: &mut Program, entries: Vec<Unit>) {
    if entries.is_empty() {
        return;
    }
    let mut drivers = Vec::new();
    for plan in plan(program) {
        let name = plan.name(program);
        let file = program.source_of(&program.units[plan.unit]);
        let found = entries.iter().find(|entry| entry.name == name && entry.position.file == file);
        let Some(entry) = found else { continue };
        let is_same = entry.params.len() == plan.params.len()
            && entry.params.iter().zip(&plan.params).all(|(is, should)| is.name == should.name());
        if !is_same {
            continue;
        }
        for (param, planned) in entry.params.iter().zip(&plan.params) {
            if let PlanParam::Choice { values, .. } = planned {
                name_values(program, param.ty, values);
            }
        }
        // To people it is the function that it enters.
        let tested = &program.units[plan.unit];
        let mut entry = Unit { name: tested.name.clone(), ..entry.clone() };
        if plan.call.objects().is_empty() {
            entry.uses = tested.uses.clone();
        }
        let mut driver = Driver { unit: plan.unit, entry, call: plan.call, before: plan.before };
        driver.entry.uses.arrays = driver.arrays(program);
        drivers.push(driver);
    }
    program.drivers = drivers;
}

/// Names the values of a choice as people know them: C has one name space for functions and for values.
fn name_values(program: &mut Program, ty: TypeId, names: &[String]) {
    let mut found = program.types.get(ty).clone();
    if let TypeKind::Enum { values, .. } = &mut found.kind {
        for ((name, _), known) in values.iter_mut().zip(names) {
            name.clone_from(known);
        }
    }
    program.types.set(ty, found);
}
