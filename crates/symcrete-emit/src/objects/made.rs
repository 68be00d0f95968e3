//! Objects that a test makes by calls of the program's own functions.

use super::parts::bytes_of;
use super::{ObjectWriter, is_text};
use crate::literal;
use std::collections::BTreeMap;
use symcrete_program::api::{self, Argument, Call, Driver, Found, Object, Stream, Way};
use symcrete_program::declaration::declare;
use symcrete_program::shape::{Count, Pointer, ShapeNode};
use symcrete_program::{Program, Shape};

/// What is needed to write the calls of one driver.
struct Calls<'c, 'a> {
    program: &'c Program,
    shape: &'c Shape,
    writer: &'c mut ObjectWriter<'a>,
    /// The pointers to objects that are made, by name.
    made: BTreeMap<String, String>,
}

/// Writes the calls that a driver makes before all others.
pub(super) fn call_before(
    program: &Program,
    driver: &Driver,
    shape: &Shape,
    writer: &mut ObjectWriter<'_>,
) {
    let mut calls = Calls { program, shape, writer, made: BTreeMap::new() };
    for chosen in driver.first_calls(calls.writer.input, shape.sizes) {
        let call = calls.call(&chosen.call, "");
        calls.writer.objects.lines.push(format!("{call};"));
    }
}

/// Writes the calls that make the objects of the function under test.
pub(super) fn make(
    program: &Program,
    driver: &Driver,
    shape: &Shape,
    writer: &mut ObjectWriter<'_>,
) {
    let mut calls = Calls { program, shape, writer, made: BTreeMap::new() };
    let arguments = calls.arguments(&driver.call, "");
    calls.writer.objects.arguments = arguments;
}

impl Calls<'_, '_> {
    /// The arguments of a call, whose objects are made first.
    fn arguments(&mut self, call: &Call, itself: &str) -> Vec<String> {
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            arguments.push(match argument {
                Argument::Itself => itself.to_owned(),
                Argument::Object(object) => {
                    let pointer = self.object(object);
                    self.made.insert(object.name.clone(), pointer.clone());
                    let made = (pointer.clone(), object.pointer);
                    self.writer.objects.made.insert(object.name.clone(), made);
                    pointer
                }
                Argument::Earlier(name) => self.made_before(name),
                Argument::Parameter(name) => self.parameter(name),
            });
        }
        arguments
    }

    fn made_before(&self, name: &str) -> String {
        self.made.get(name).cloned().unwrap_or_else(|| "NULL".to_owned())
    }

    fn call(&mut self, call: &Call, itself: &str) -> String {
        let arguments = self.arguments(call, itself).join(", ");
        format!("{}({arguments})", self.program.units[call.unit].name)
    }

    /// Numbers and texts are written where they are passed, everything else is a variable.
    fn parameter(&mut self, name: &str) -> String {
        let Some(slot) = self.shape.params.iter().find(|slot| slot.name == name) else {
            return "0".to_owned();
        };
        match &slot.node {
            ShapeNode::Leaf(leaf) => {
                literal::cell(self.writer.types, leaf.ty, leaf.kind, leaf.bits(self.writer.input))
            }
            ShapeNode::Pointer(pointer) => match self.text(pointer) {
                Some(text) => text,
                None if !pointer.is_present(self.writer.input) => "NULL".to_owned(),
                None => self.writer.param(&slot.name, slot.ty, &slot.node),
            },
            ShapeNode::Bits { .. }
            | ShapeNode::Record { .. }
            | ShapeNode::List { .. }
            | ShapeNode::Callback(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Fixed { .. } => self.writer.param(&slot.name, slot.ty, &slot.node),
        }
    }

    /// A constant string with just the room that it had in the recorded run: a function may look behind its end.
    fn text(&self, pointer: &Pointer) -> Option<String> {
        let (types, input) = (self.writer.types, self.writer.input);
        let is_string = pointer.is_terminated
            && pointer.count == Count::All
            && pointer.is_present(input)
            && is_text(types, pointer)
            && !self.writer.is_freed(pointer);
        let bytes = bytes_of(pointer.elements(input), input)?;
        let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let text = literal::string(&bytes[..end]);
        is_string.then(|| match end == bytes.len() {
            true => text,
            false => format!("(char[{}]){{{text}}}", bytes.len() + 1),
        })
    }

    /// Which of several calls the input chooses.
    fn choice(&self, name: &str, n: usize) -> usize {
        let slot = self.shape.params.iter().find(|slot| slot.name == name);
        let chosen = slot.map_or(0, |slot| match &slot.node {
            ShapeNode::Leaf(leaf) => leaf.bits(self.writer.input) as usize,
            ShapeNode::Pointer(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::Record { .. }
            | ShapeNode::List { .. }
            | ShapeNode::Callback(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Fixed { .. } => 0,
        });
        if chosen < n { chosen } else { 0 }
    }

    /// Makes an object, and returns the pointer to it.
    fn object(&mut self, object: &Object) -> String {
        let maker = &object.makers[self.choice(&object.name, object.makers.len())];
        let types = self.writer.types;
        let mut pointer = match (maker, object.storage) {
            (api::Maker::Null, _) => return "NULL".to_owned(),
            (api::Maker::Given(name), _) => self.parameter(name),
            (api::Maker::Found(found), _) => self.found(object, found),
            (api::Maker::WithStreams { param, streams, .. }, _) => {
                self.with_streams(param, streams)
            }
            (api::Maker::File(name), _) => self.hold(object, &format!("fopen(\"{name}\", \"r+\")")),
            (api::Maker::Zero, _) | (_, Some(_)) => self.variable(object, maker),
            (api::Maker::Call(call), None) => {
                let call = self.call(call, "");
                self.hold(object, &call)
            }
        };
        let mut is_other = false;
        for follow_up in &object.follow_ups {
            let Some(follow_up) = follow_up.chosen(self.writer.input) else { continue };
            let call = self.call(&follow_up.call, &pointer);
            match (follow_up.is_next, object.replaces_itself(types)) {
                (false, _) => self.writer.objects.lines.push(format!("{call};")),
                (true, true) => self.writer.objects.lines.push(format!("{pointer} = {call};")),
                (true, false) => {
                    is_other = true;
                    pointer = self.hold(object, &call);
                }
            }
        }
        if let Some(destructor) = object.destructor.filter(|_| !is_other) {
            let name = &self.program.units[destructor].name;
            self.writer.objects.after.push(format!("{name}({pointer});"));
        }
        pointer
    }

    /// A variable for an object that is inside another one.
    fn found(&mut self, object: &Object, found: &Found) -> String {
        let value = match &found.way {
            Way::Call(call) => self.call(call, ""),
            Way::Members(members) => member_of(&self.made_before(&found.of), &members.join("->")),
        };
        let name = self.writer.fresh(&object.short_name);
        let declaration = declare(self.writer.types, object.pointer, &name);
        self.writer.objects.lines.push(format!("{declaration} = {value};"));
        name
    }

    /// An object whose streams are opened files.
    fn with_streams(&mut self, param: &str, streams: &[Stream]) -> String {
        let pointer = self.parameter(param);
        if pointer == "NULL" {
            return pointer;
        }
        for Stream { member, file, choice } in streams {
            if choice.as_ref().is_some_and(|choice| self.choice(choice, 2) == 1) {
                continue;
            }
            let member = member_of(&pointer, member);
            self.writer.objects.lines.push(format!("{member} = fopen(\"{file}\", \"r+\");"));
        }
        pointer
    }

    /// A variable for an object that somebody else has made.
    fn hold(&mut self, object: &Object, call: &str) -> String {
        let name = self.writer.fresh(&object.short_name);
        let declaration = declare(self.writer.types, object.pointer, &name);
        let lines = &mut self.writer.objects.lines;
        match object.is_kept {
            true => lines.extend([format!("static {declaration};"), format!("{name} = {call};")]),
            false => lines.push(format!("{declaration} = {call};")),
        }
        name
    }

    /// A variable that is the object.
    fn variable(&mut self, object: &Object, maker: &api::Maker) -> String {
        let name = self.writer.fresh(&object.short_name);
        let storage = object.storage.unwrap_or(object.pointer);
        let declaration = declare(self.writer.types, storage, &name);
        let before = if object.is_kept { "static " } else { "" };
        let pointer = format!("&{name}");
        let zero = crate::initial::zero(self.writer.types, storage);
        match maker {
            api::Maker::Call(call) => {
                let zeroed = match call.can_fail(self.program) {
                    true => format!(" = {zero}"),
                    false => String::new(),
                };
                self.writer.objects.lines.push(format!("{before}{declaration}{zeroed};"));
                let call = self.call(call, &pointer);
                self.writer.objects.lines.push(format!("{call};"));
            }
            api::Maker::Zero
            | api::Maker::Null
            | api::Maker::Found(_)
            | api::Maker::Given(_)
            | api::Maker::WithStreams { .. }
            | api::Maker::File(_) => {
                self.writer.objects.lines.push(format!("{before}{declaration} = {zero};"));
            }
        }
        pointer
    }
}

/// A member of what a pointer points to.
fn member_of(pointer: &str, member: &str) -> String {
    match pointer.strip_prefix('&') {
        Some(variable) => format!("{variable}.{member}"),
        None => format!("{pointer}->{member}"),
    }
}
