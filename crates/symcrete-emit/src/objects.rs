//! An input as C variables: what a test declares, what it passes, and how it names each cell afterwards.
//!
//! What a pointer points to becomes a variable of its own, declared before the pointer. The object has as many
//! bytes as in the run that was recorded, so reading past its end is as wrong as it was there.

mod heap;
mod made;
mod parts;

use self::parts::member_of;
use crate::callbacks;
use crate::initial::zero;
use crate::layout::{braces, is_zero};
use crate::literal;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::api::split_parameter;
use symcrete_program::declaration::declare;
use symcrete_program::shape::{Alias, End, Pointer, ResultSlot, ShapeNode, Slot};
use symcrete_program::types::{TypeId, TypeKind, Types};
use symcrete_program::{Global, Input, Program, Shape, TestCase, Unit};

/// A cell as an expression of the test.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// How the test reaches it: `p.x`, `a[3]`.
    pub(crate) expression: String,
    pub(crate) ty: TypeId,
    /// For a bit-field its width and whether it has negative values.
    pub(crate) bits: Option<(u8, bool)>,
}

/// Something that a pointer points to.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// The pointer's name in the recorded run.
    pub(crate) name: String,
    /// Where it was in the recorded run.
    pub(crate) address: u32,
    pub(crate) size: u32,
    pub(crate) stride: u32,
    pub(crate) element: TypeId,
    /// A pointer to its first element.
    pub(crate) pointer: String,
}

impl Object {
    /// Whether an address is in it.
    pub(crate) fn contains(&self, address: u32) -> bool {
        (self.address..self.address + self.size.max(1)).contains(&address)
    }
}

/// An input as C.
#[derive(Clone, Default, Debug)]
pub(crate) struct Objects {
    /// Declarations and assignments, in order, without indentation.
    pub(crate) lines: Vec<String>,
    /// What is passed.
    pub(crate) arguments: Vec<String>,
    /// Cells by their names in the recorded run.
    pub(crate) places: BTreeMap<String, Place>,
    pub(crate) objects: Vec<Object>,
    /// The pointers to objects that calls make, with their types, by the names of these objects.
    pub(crate) made: BTreeMap<String, (String, TypeId)>,
    /// The places that are reached through these, or through the result.
    pub(crate) behind: BTreeSet<String>,
    /// The variable for what is returned.
    pub(crate) result: String,
    /// What is done when all is compared.
    pub(crate) after: Vec<String>,
}

impl Objects {
    /// The variables of one test.
    pub(crate) fn of(program: &Program, unit: &Unit, shape: &Shape, test: &TestCase) -> Objects {
        let input = &test.input;
        let callbacks = callbacks::names(program, shape);
        let mut taken = taken_names(program, unit, shape);
        taken.extend(callbacks.values().cloned());
        let driver = program.driver(shape.entered);
        if driver.is_some() {
            taken.extend(program.units.iter().map(|unit| unit.name.clone()));
        }
        let mut writer = ObjectWriter {
            types: &program.types,
            input,
            taken,
            callbacks,
            objects: Objects::default(),
            freed: &test.freed,
            is_made: driver.is_some(),
            later: Vec::new(),
        };
        let globals = |writer: &mut ObjectWriter<'_>| {
            let set = shape.globals.iter().filter(|slot| can_set(program, unit, &slot.name));
            set.for_each(|slot| writer.global(&slot.name, &slot.node));
        };
        match driver {
            Some(driver) => {
                // What makes objects may look at global variables.
                globals(&mut writer);
                made::call_before(program, driver, shape, &mut writer);
                if driver.makes_objects() {
                    made::make(program, driver, shape, &mut writer);
                } else {
                    let is_own = |slot: &&Slot| driver.call_before(&slot.name).is_none();
                    let own: Vec<&Slot> = shape.params.iter().filter(is_own).collect();
                    writer.pass(&own);
                }
                writer.close_circles();
            }
            None => {
                writer.pass(&shape.params.iter().collect::<Vec<_>>());
                let more = shape.variadic.iter().flat_map(|variadic| &variadic.list(input).slots);
                for (i, slot) in more.enumerate() {
                    let argument =
                        writer.param(&format!("argument_{}", i + 1), slot.ty, &slot.node);
                    writer.objects.arguments.push(argument);
                }
                writer.close_circles();
                globals(&mut writer);
            }
        }
        let result = writer.fresh("result");
        writer.objects.result.clone_from(&result);
        if let ResultSlot::Memory { node, .. } = &shape.result {
            writer.name_cells(node, &result);
        }
        writer.objects
    }
}

/// Whether a test can give a global variable a value: constants and what is static in another file it cannot.
fn can_set(program: &Program, unit: &Unit, name: &str) -> bool {
    let file = program.source_of(unit);
    // Static variables of several files may share a name.
    let mut named = program.globals.iter().filter(|global| global.name == name).peekable();
    let can_be_set = |global: &Global| {
        let is_visible = !global.is_static || program.is_included(file, global.position.file);
        is_visible && !global.is_const
    };
    named.peek().is_none() || named.any(can_be_set)
}

/// Names that a variable of a test must not have.
fn taken_names(program: &Program, unit: &Unit, shape: &Shape) -> BTreeSet<String> {
    // `state` is the parameter of cmocka's tests.
    const KEYWORDS: &[&str] =
        &["NULL", "NAN", "INFINITY", "main", "errno", "state", "stdin", "stdout"];
    let mut taken: BTreeSet<String> = KEYWORDS.iter().map(|&word| word.to_string()).collect();
    taken.insert(unit.name.clone());
    taken.extend(program.globals.iter().map(|global| global.name.clone()));
    // A variable must not hide a type that a later declaration needs.
    let types = unit.params.iter().map(|param| param.ty).chain(unit.result);
    for ty in types.chain(shape.slots().map(|slot| slot.ty)) {
        collect_type_words(&program.types, ty, &mut taken, 0);
    }
    taken
}

fn collect_type_words(types: &Types, ty: TypeId, words: &mut BTreeSet<String>, depth: u32) {
    const DEPTH_MAX: u32 = 6;
    let found = types.get(ty);
    let name = &found.name;
    // The tag of a structure is in a name space of its own.
    if !["struct", "union", "enum"].iter().any(|keyword| name.contains(keyword)) {
        let parts = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.extend(parts.filter(|word| !word.is_empty()).map(str::to_string));
    }
    if depth >= DEPTH_MAX {
        return;
    }
    match &found.kind {
        TypeKind::Array { element: to, .. } | TypeKind::Pointer { to, .. } => {
            collect_type_words(types, *to, words, depth + 1);
        }
        TypeKind::Struct { fields } | TypeKind::Union { fields } => {
            for field in fields {
                collect_type_words(types, field.ty, words, depth + 1);
            }
        }
        TypeKind::Enum { values, .. } => words.extend(values.iter().map(|value| value.0.clone())),
        TypeKind::Void
        | TypeKind::Bool
        | TypeKind::Int { .. }
        | TypeKind::Float
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => {}
    }
}

/// Whether a pointer is one to constant characters.
fn is_text(types: &Types, pointer: &Pointer) -> bool {
    let is_const = types.get(pointer.ty).kind.pointee().is_some_and(|(_, is_const)| is_const);
    is_const && literal::is_plain_char(&types.get(pointer.element).name)
}

/// Whether an expression is a variable or something in it.
fn is_part_of(expression: &str, variable: &str) -> bool {
    let rest = expression.strip_prefix(variable);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

struct ObjectWriter<'a> {
    types: &'a Types,
    input: &'a Input,
    taken: BTreeSet<String>,
    /// The functions that pointers of the input point to, by pointer.
    callbacks: BTreeMap<String, String>,
    objects: Objects,
    /// Pointers whose objects the function frees.
    freed: &'a [String],
    /// Whether calls make objects.
    is_made: bool,
    /// Pointers to objects that were not declared yet: how the test reaches each, and where it points.
    later: Vec<(String, Alias)>,
}

impl ObjectWriter<'_> {
    /// A name that nothing else has, close to an expression of the source.
    fn fresh(&mut self, expression: &str) -> String {
        // Of an argument of another call only its own name counts.
        let own = if self.is_made { split_parameter(expression).1 } else { expression };
        let mut name = callbacks::identifier(own);
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }

    /// Declares the parameters that a function is given as they are, and passes them.
    fn pass(&mut self, params: &[&Slot]) {
        let mut arguments = vec![String::new(); params.len()];
        // What points inside an object comes after it.
        for is_inside in [false, true] {
            for (slot, argument) in params.iter().zip(&mut arguments) {
                if self.is_inside(slot) == is_inside {
                    *argument = self.param(&slot.name, slot.ty, &slot.node);
                }
            }
        }
        self.objects.arguments = arguments;
    }

    /// Declares a parameter and says how it is passed.
    fn param(&mut self, name: &str, ty: TypeId, node: &ShapeNode) -> String {
        if let ShapeNode::Pointer(pointer) = node
            && pointer.is_present(self.input)
        {
            let shared = pointer.alias(self.input).and_then(|alias| self.shared(alias));
            return shared.unwrap_or_else(|| self.object(pointer));
        }
        let is_expression = match node {
            ShapeNode::Callback(callback) => callback.is_present(self.input),
            ShapeNode::End(end) => end.is_present(self.input),
            ShapeNode::Text(text) => text.is_present(self.input),
            ShapeNode::Leaf(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::Record { .. }
            | ShapeNode::List { .. }
            | ShapeNode::Pointer(_)
            | ShapeNode::Fixed { .. } => false,
        };
        if is_expression {
            return self.value(node, name);
        }
        let name = self.fresh(name);
        let value = self.value(node, &name);
        // What is passed is a copy: whatever happens to it, the variable stays as it is.
        self.objects.places.retain(|_, place| !is_part_of(&place.expression, &name));
        let declaration = declare(self.types, ty, &name);
        self.objects.lines.push(format!("{declaration} = {value};"));
        name
    }

    /// Sets a global variable. Zero is the value of most cells, so only the others are written one by one.
    fn global(&mut self, name: &str, node: &ShapeNode) {
        match node {
            ShapeNode::Leaf(_)
            | ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. }
            | ShapeNode::Bits { .. } => {
                let value = self.value(node, name);
                self.objects.lines.push(format!("{name} = {value};"));
            }
            ShapeNode::Record { .. } | ShapeNode::List { .. } => {
                self.objects.lines.push(format!("memset(&{name}, 0, sizeof {name});"));
                self.assign(node, name);
            }
        }
    }

    fn assign(&mut self, node: &ShapeNode, place: &str) {
        match node {
            ShapeNode::Record { members, .. } => {
                for member in members {
                    self.assign(&member.node, &member_of(place, member));
                }
            }
            ShapeNode::List { items, count, .. } => {
                let n = count.of(items.len(), self.input);
                for (i, item) in items[..n].iter().enumerate() {
                    self.assign(item, &format!("{place}[{i}]"));
                }
            }
            ShapeNode::Bits { .. } => {
                for (name, value) in self.bit_fields(node, place) {
                    self.set(&format!("{place}.{name}"), &value);
                }
            }
            ShapeNode::Leaf(_)
            | ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. } => {
                let value = self.value(node, place);
                self.set(place, &value);
            }
        }
    }

    /// Sets what is zero before.
    fn set(&mut self, place: &str, value: &str) {
        if !is_zero(value) {
            self.objects.lines.push(format!("{place} = {value};"));
        }
    }

    /// The initialiser of a part; declares what its pointers point to.
    fn value(&mut self, node: &ShapeNode, place: &str) -> String {
        if matches!(node, ShapeNode::Pointer(_) | ShapeNode::End(_)) {
            self.name_cells(node, place);
        }
        match node {
            ShapeNode::Leaf(leaf) => {
                self.name_cells(node, place);
                literal::cell(self.types, leaf.ty, leaf.kind, leaf.bits(self.input))
            }
            ShapeNode::Fixed { ty, bits, .. } if self.is_pointer(*ty) && *bits == 0 => {
                "NULL".into()
            }
            ShapeNode::Fixed { ty, kind, bits, .. } => literal::cell(self.types, *ty, *kind, *bits),
            ShapeNode::Bits { .. } => "0".into(),
            ShapeNode::Record { ty, .. } | ShapeNode::List { element: ty, .. }
                if self.is_zero_node(node) =>
            {
                self.name_cells(node, place);
                zero(self.types, *ty).into()
            }
            ShapeNode::Record { members, .. } => {
                let items = self.members(members, place);
                let items: Vec<String> =
                    items.into_iter().map(|(name, value)| format!(".{name} = {value}")).collect();
                braces(&items)
            }
            ShapeNode::List { element, items, count, .. } => {
                let n = count.of(items.len(), self.input);
                self.items(*element, &items[..n], n, place)
            }
            ShapeNode::End(end) if end.is_present(self.input) => {
                let begin = self.known(&end.of).unwrap_or_else(|| self.nothing(end));
                match end.length.bits(self.input) {
                    0 => begin,
                    n => format!("{begin} + {n}"),
                }
            }
            ShapeNode::Text(text) if text.is_present(self.input) => {
                literal::string(text.choice(self.input).text.as_bytes())
            }
            ShapeNode::End(_) | ShapeNode::Text(_) => "NULL".into(),
            ShapeNode::Pointer(pointer) if pointer.has_object(self.input) => self.object(pointer),
            ShapeNode::Callback(callback) if callback.is_present(self.input) => {
                self.callbacks[&callback.name].clone()
            }
            ShapeNode::Callback(_) => "NULL".into(),
            ShapeNode::Pointer(pointer) => match pointer.alias(self.input) {
                Some(alias) => self.shared(alias).unwrap_or_else(|| {
                    self.later.push((place.to_string(), alias.clone()));
                    "NULL".into()
                }),
                None => "NULL".into(),
            },
        }
    }

    /// The end of an array that cannot be reached, since the pointer to its beginning is not there.
    fn nothing(&mut self, end: &End) -> String {
        let name = self.fresh(&end.name);
        let element = self.types.get(end.ty).kind.pointee().map_or(end.ty, |(to, _)| to);
        let declaration = declare(self.types, element, &format!("{name}[1]"));
        self.objects.lines.push(format!("{declaration} = {};", zero(self.types, element)));
        name
    }

    /// Whether the function frees what a pointer points to.
    fn is_freed(&self, pointer: &Pointer) -> bool {
        self.freed.contains(&pointer.name)
    }

    /// The pointer to an object that is declared already.
    fn known(&self, name: &str) -> Option<String> {
        let object = self.objects.objects.iter().find(|object| object.name == name);
        object.map(|object| object.pointer.clone())
    }

    /// The pointer to an object of another pointer, or inside it, if that is declared already.
    fn shared(&self, alias: &Alias) -> Option<String> {
        self.known(&alias.of).map(|object| alias.expression(&object, self.input))
    }

    /// Whether a parameter points inside the object of another one.
    fn is_inside(&self, slot: &Slot) -> bool {
        let ShapeNode::Pointer(pointer) = &slot.node else { return false };
        pointer.alias(self.input).is_some_and(|alias| alias.is_inside())
    }

    /// Sets the pointers that point back to objects which are declared after their own.
    fn close_circles(&mut self) {
        for (place, alias) in std::mem::take(&mut self.later) {
            if let Some(pointer) = self.shared(&alias) {
                self.objects.lines.push(format!("{place} = {pointer};"));
            }
        }
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty).kind, TypeKind::Pointer { .. })
    }

    /// Declares what a pointer points to, and returns the pointer.
    fn object(&mut self, pointer: &Pointer) -> String {
        let name = self.fresh(&pointer.name);
        let elements = pointer.elements(self.input);
        if let (Some(tail), [node]) = (&pointer.tail, elements) {
            return self.object_with_tail(pointer, tail, node, name);
        }
        if self.is_freed(pointer) {
            return self.allocated(pointer, name);
        }
        let room = elements.len() + usize::from(pointer.is_terminated);
        let is_single = matches!(elements, [ShapeNode::Record { .. }])
            && pointer.items.len() == 1
            && !pointer.is_terminated;
        let (expression, declaration, value) = if is_single {
            let value = self.value(&elements[0], &name);
            (format!("&{name}"), declare(self.types, pointer.element, &name), value)
        } else {
            let value = self.items(pointer.element, elements, room, &name);
            // C has no empty arrays, but what is behind the only element of one may not be touched either.
            let declarator = match self.is_whole_text(pointer, &value) {
                true => format!("{name}[]"),
                false => format!("{name}[{}]", room.max(1)),
            };
            let start = if room == 0 { format!("&{name}[1]") } else { name.clone() };
            (start, declare(self.types, pointer.element, &declarator), value)
        };
        self.objects.lines.push(format!("{declaration} = {value};"));
        self.remember(pointer, &expression);
        expression
    }

    /// Whether a literal is as long as the string's object.
    fn is_whole_text(&self, pointer: &Pointer, literal: &str) -> bool {
        let bytes = parts::bytes_of(pointer.elements(self.input), self.input);
        let is_whole = bytes.is_some_and(|bytes| bytes.last().is_none_or(|&last| last != 0));
        pointer.is_text() && literal.starts_with('"') && is_whole
    }

    /// Notes how the test reaches what a pointer points to.
    fn remember(&mut self, pointer: &Pointer, expression: &str) {
        self.objects.objects.push(Object {
            name: pointer.name.clone(),
            address: pointer.address,
            size: pointer.size(self.input),
            stride: pointer.stride.max(1),
            element: pointer.element,
            pointer: expression.to_owned(),
        });
    }
}
