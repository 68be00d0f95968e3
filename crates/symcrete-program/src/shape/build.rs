//! Builds the tree of cells from types.

#![expect(clippy::wildcard_enum_match_arm, reason = "most types are treated alike")]

use super::alias::Sharers;
use super::callbacks::Functions;
use super::initial::InitialMemory;
use super::together::Together;
use super::{
    Alias, BitLeaf, Count, Leaf, Limit, Member, Obstacle, Passing, Pointer, ResultSlot, Shape,
    ShapeNode, ShapeOptions, Slot, Unsupported,
};
use crate::api::{Driver, Object};
use crate::bounds::Sizes;
use crate::frontend::{Class, Language};
use crate::gap::Gap;
use crate::image::{CellKind, CellRange};
use crate::program::{Global, Param, Program, Unit};
use crate::types::{Field, TypeId, TypeKind, Types};
use std::collections::BTreeMap;

/// Space between objects, so that a small overrun does not reach the next one.
pub(super) const GAP: u32 = 32;
/// Large objects have as many bytes before them as they have themselves, up to this.
const FAR: u32 = 256;
/// Arguments of a program, its own name included, with short inputs; with longer ones there is one for every so many
/// characters that a string may have.
const ARGC_LEAST: u32 = 3;
const CHARACTERS_PER_ARGUMENT: u32 = 4;
/// The address at which further arguments of a variadic function would be.
pub(super) const MORE_ARGUMENTS: u32 = 64;
/// The number of elements of arrays and characters of strings that are passed to calls before the function.
const BEFORE_LENGTH: u32 = 8;
/// Space for the objects that functions without a body return.
const SPARE: u32 = 4096;
/// Addresses of absent objects: beyond all memory, each distinct.
const LIMIT_ADDRESSES: u32 = 0x8000_0000;
const LIMIT_STRIDE: u32 = 4096;

/// Makes the shape of a unit.
pub(super) fn build(
    program: &Program,
    unit: &Unit,
    options: &ShapeOptions,
) -> Result<Shape, Unsupported> {
    let spare_start = program.arena.end.saturating_sub(SPARE).max(program.arena.start);
    let driver = program.driver(unit.function);
    let is_made = driver.is_some_and(Driver::makes_objects);
    let streams = driver.map_or(Vec::new(), stream_names);
    let before = before_options(options);
    let mut builder = Builder {
        language: program.language,
        types: &program.types,
        options,
        next: program.arena.start + GAP,
        end: spare_start,
        notes: Vec::new(),
        streams,
        limits: Vec::new(),
        functions: Functions::new(&program.callbacks),
        // The arguments of a program are not shared, nor are those of calls that make objects.
        sharers: (unit.name != "main" && !is_made).then(Sharers::default),
        aliases: Vec::new(),
        lengths: Vec::new(),
        tail_room: false,
        arrays: BTreeMap::new(),
    };
    let result = builder.result(unit)?;
    let mut together = match driver {
        Some(_) => Together::of_calls(&program.types, &unit.params),
        None => Together::of(&program.types, &unit.params, |i| unit.params[i].name.clone()),
    };
    together.learn(options, unit);
    let mut params = builder.own_params(unit, driver, &together)?;
    if builder.sharers.is_some() {
        builder.share_middles(&mut params);
    }
    builder.sharers = None;
    builder.options = &before;
    builder.add_params_before(&mut params, unit, driver, &together)?;
    builder.options = options;
    let variadic = builder.variadic(unit)?;
    let globals = builder.globals(program, unit);
    Ok(Shape {
        entered: unit.function,
        params,
        globals,
        result,
        notes: builder.notes,
        variadic,
        has_ends: !builder.arrays.is_empty(),
        lengths: builder.lengths,
        arena: program.arena.clone(),
        runtime: program.runtime.clone(),
        spare: spare_start..program.arena.end,
        state: state(program),
        limits: builder.limits,
        aliases: builder.aliases,
        sizes: options.sizes,
        learnt: options.learnt.clone(),
    })
}

/// Sizes for calls before the function: they set something, and need little for it.
fn before_options(options: &ShapeOptions) -> ShapeOptions {
    let length = options.sizes.length.min(BEFORE_LENGTH);
    ShapeOptions { sizes: Sizes { length, ..options.sizes }, ..options.clone() }
}

/// The members that a driver opens files for.
fn stream_names(driver: &Driver) -> Vec<String> {
    let of = |object: &Object| {
        let streams = object.streams().iter();
        streams.map(|stream| format!("{}->{}", object.name, stream.member)).collect::<Vec<_>>()
    };
    driver.call.objects().into_iter().flat_map(of).collect()
}

/// What the cells of a global variable are called: a parameter of the same name has other ones.
fn cell_name(unit: &Unit, global: &str) -> String {
    match unit.params.iter().any(|param| param.name == global) {
        true => format!("::{global}"),
        false => global.to_string(),
    }
}

/// Where variables are that outlive a call. Inputs among them are written before the call, so they are not state.
fn state(program: &Program) -> Vec<std::ops::Range<u32>> {
    let lasting = program.globals.iter().chain(&program.statics).filter(|global| !global.is_const);
    lasting
        .map(|global| global.address..global.address + program.types.get(global.ty).size)
        .collect()
}

pub(super) struct Builder<'a> {
    pub(super) language: Language,
    pub(super) types: &'a Types,
    pub(super) options: &'a ShapeOptions,
    pub(super) next: u32,
    pub(super) end: u32,
    pub(super) notes: Vec<String>,
    /// Pointers that are opened files once calls have made the objects.
    pub(super) streams: Vec<String>,
    pub(super) limits: Vec<Limit>,
    pub(super) functions: Functions<'a>,
    /// Pointers whose objects may be shared, if any may.
    pub(super) sharers: Option<Sharers>,
    pub(super) aliases: Vec<Alias>,
    pub(super) lengths: Vec<CellRange>,
    /// Whether there is room behind the next structure.
    pub(super) tail_room: bool,
    /// Arrays that end where another pointer says, by the pointers to their first elements.
    pub(super) arrays: BTreeMap<String, (Pointer, Leaf)>,
}

impl<'a> Builder<'a> {
    pub(super) fn types(&self) -> &'a Types {
        self.types
    }

    /// `int`, if the program mentions it.
    pub(super) fn int(&self) -> Option<TypeId> {
        self.types.ids().find(|&id| self.types.get(id).name == "int")
    }

    /// Reserves bytes with nothing else nearby.
    pub(super) fn room(&mut self, name: &str, size: u32) -> Result<u32, Unsupported> {
        let address = self.allocate(name, size)?;
        self.next += MORE_ARGUMENTS;
        Ok(address)
    }

    /// The global variables that are inputs.
    fn globals(&mut self, program: &Program, unit: &Unit) -> Vec<Slot> {
        let options = self.options;
        let is_asked_for = |global: &Global| options.globals || global.is_external;
        if !program.globals.iter().any(is_asked_for) {
            return Vec::new();
        }
        let mut globals = Vec::new();
        let memory = InitialMemory::of(program);
        // No test of this file can set a static variable of another one: it keeps its initial value.
        let is_compiled = |file| program.file(file).is_compiled;
        let is_foreign = |global: &Global| {
            let (file, own) = (global.position.file, unit.position.file);
            // A test may not know the types of variables in another file.
            (global.is_static || global.is_external)
                && file != own
                && is_compiled(file)
                && is_compiled(own)
        };
        let settable =
            program.globals.iter().filter(|global| !global.is_const && is_asked_for(global));
        for global in settable.filter(|global| !is_foreign(global)) {
            match self.node(&cell_name(unit, &global.name), global.ty, 0) {
                Ok(node) if memory.has_function(&node, global.address) => {
                    let note = "it starts with a function and keeps it";
                    self.notes.push(format!("global `{}`: {note}", global.name));
                }
                Ok(mut node) => {
                    memory.initialize(&mut node, global.address);
                    globals.push(Slot {
                        name: global.name.clone(),
                        ty: global.ty,
                        node,
                        passing: Passing::Memory(global.address),
                    });
                }
                Err(error) => self.notes.push(format!("global {error}")),
            }
        }
        globals
    }

    fn result(&mut self, unit: &Unit) -> Result<ResultSlot, Unsupported> {
        let Some(ty) = unit.result else { return Ok(ResultSlot::Void) };
        if let TypeKind::Unsupported { why, .. } = &self.types.get(ty).kind {
            let what = format!("the result of {}", unit.name);
            return Err(Unsupported { what, why: Obstacle::Type(why.clone()) });
        }
        let not_known = || Unsupported {
            what: format!("the result of {}", unit.name),
            why: Obstacle::Type(format!(
                "{} is returned in an unsupported way",
                self.types.get(ty).name
            )),
        };
        Ok(match self.language.class(self.types, ty).ok_or_else(not_known)? {
            Class::Direct(_) => ResultSlot::Direct(ty),
            Class::Nothing => ResultSlot::Void,
            Class::Wide | Class::Memory => {
                let address = self.allocate("the result", self.types.get(ty).size)?;
                // The result is only read back, without what its pointers point to.
                let node = self.node("result", ty, self.options.sizes.depth)?;
                ResultSlot::Memory { ty, address, node }
            }
        })
    }

    /// The parameters of the function itself, whatever calls come before it.
    fn own_params(
        &mut self,
        unit: &Unit,
        driver: Option<&Driver>,
        together: &Together,
    ) -> Result<Vec<Slot>, Unsupported> {
        let is_own = |param: &Param| driver.is_none_or(|d| d.call_before(&param.name).is_none());
        let n_own = unit.params.iter().take_while(|param| is_own(param)).count();
        let mut params = Vec::new();
        for i in 0..n_own {
            let mut slot = self.param(unit, i, together)?;
            if let (true, 0, 2.., ShapeNode::Leaf(argc)) =
                (unit.name == "main", i, unit.params.len(), &mut slot.node)
            {
                // A program is given its own name at least.
                argc.default = 1;
            }
            params.push(slot);
        }
        Ok(params)
    }

    /// The parameters of the calls before it, which follow: zero for calls that no input of this size makes.
    fn add_params_before(
        &mut self,
        params: &mut Vec<Slot>,
        unit: &Unit,
        driver: Option<&Driver>,
        together: &Together,
    ) -> Result<(), Unsupported> {
        let n_calls = self.options.sizes.calls as usize;
        for i in params.len()..unit.params.len() {
            let param = &unit.params[i];
            let number = driver.and_then(|driver| driver.call_before(&param.name));
            let unused = if number.is_some_and(|number| number < n_calls) {
                None
            } else {
                self.unused(param)
            };
            params.push(match unused {
                Some(unused) => unused,
                None => self.param(unit, i, together)?,
            });
        }
        Ok(())
    }

    fn param(&mut self, unit: &Unit, i: usize, together: &Together) -> Result<Slot, Unsupported> {
        let Param { name, ty } = &unit.params[i];
        let ty = *ty;
        let variadic = unit.uses.variadic.as_ref();
        let mut node = if variadic.is_some_and(|uses| uses.format == Some(i)) {
            self.format(name, ty)?
        } else if let (true, Some(tie), Some((string, _))) =
            (unit.name == "main" && i == 1, &together.lengths[i], self.types.get(ty).kind.pointee())
        {
            let tie = self.length(together, *tie);
            self.argv(&unit.params[i], string, Some(tie))?
        } else {
            let pointee = unit.uses.pointees.get(&i).copied();
            self.part(i, together, pointee, 0)?
        };
        if let ShapeNode::Pointer(pointer) = &mut node
            && unit.uses.arrays.contains(&i)
        {
            // Callers give it all of its elements.
            pointer.room = None;
        }
        let not_known = || Unsupported {
            what: name.clone(),
            why: Obstacle::Type(format!(
                "{} is passed in an unsupported way",
                self.types.get(ty).name
            )),
        };
        let passing = match self.language.class(self.types, ty) {
            Some(Class::Direct(_)) => Passing::Direct,
            Some(Class::Nothing) => Passing::Nothing,
            Some(Class::Wide) | None => return Err(not_known()),
            Some(Class::Memory) => Passing::Memory(self.allocate(name, self.types.get(ty).size)?),
        };
        Ok(Slot { name: name.clone(), ty, node, passing })
    }

    /// A parameter of a call that no input makes: zero. Nothing for those that are passed in memory.
    fn unused(&self, Param { name, ty }: &Param) -> Option<Slot> {
        let Some(Class::Direct(_)) = self.language.class(self.types, *ty) else { return None };
        let kind = scalar_kind(self.types, *ty)?;
        let node = ShapeNode::Fixed { ty: *ty, kind, bits: 0, limit: None };
        Some(Slot { name: name.clone(), ty: *ty, node, passing: Passing::Direct })
    }

    /// A program's arguments: its name, then strings, then null.
    fn argv(
        &mut self,
        param: &Param,
        string: TypeId,
        tie: Option<Leaf>,
    ) -> Result<ShapeNode, Unsupported> {
        let TypeKind::Pointer { to: character, .. } = self.types.get(string).kind else {
            return self.node(&param.name, param.ty, 0);
        };
        let argc_max = ARGC_LEAST.max(self.options.sizes.length / CHARACTERS_PER_ARGUMENT + 1);
        let address = self.allocate(&param.name, self.types.address.bytes() * (argc_max + 1))?;
        let mut items = Vec::new();
        for i in 0..argc_max {
            let name = format!("{}[{i}]", param.name);
            let mut item = self.pointer(&name, string, character, 1, Count::All)?;
            if let ShapeNode::Pointer(pointer) = &mut item {
                pointer.present = None;
                if i == 0 {
                    name_program(pointer);
                }
            }
            items.push(item);
        }
        let count = tie.map_or(Count::All, |tie| Count::Tied(Leaf { default: 1, ..tie }));
        if let Count::Tied(length) = &count {
            self.bound_length(length, argc_max);
        }
        Ok(ShapeNode::Pointer(Box::new(Pointer {
            name: param.name.clone(),
            ty: param.ty,
            present: None,
            present_default: true,
            address,
            element: string,
            stride: self.types.address.bytes(),
            items,
            count,
            is_terminated: true,
            terminator: None,
            room: None,
            aliases: Vec::new(),
            inside: Vec::new(),
            tail: None,
        })))
    }

    pub(super) fn leaf(&self, name: &str, ty: TypeId) -> Leaf {
        let kind = scalar_kind(self.types, ty).expect("callers have looked at the type");
        let default = match &self.types.get(ty).kind {
            TypeKind::Enum { values, .. } => values.first().map_or(0, |value| value.1 as u64),
            _ => 0,
        };
        Leaf { name: name.to_string(), ty, kind, default: default & mask(kind) }
    }

    pub(super) fn node(
        &mut self,
        name: &str,
        ty: TypeId,
        depth: u32,
    ) -> Result<ShapeNode, Unsupported> {
        let unsupported = |why: &str| Unsupported {
            what: name.to_string(),
            why: Obstacle::Type(why.to_string()),
        };
        match &self.types.get(ty).kind {
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float | TypeKind::Enum { .. } => {
                match scalar_kind(self.types, ty) {
                    Some(_) => Ok(ShapeNode::Leaf(self.leaf(name, ty))),
                    None => Err(unsupported("its width is not supported")),
                }
            }
            TypeKind::Struct { fields } => self.record(name, ty, &fields.clone(), depth),
            TypeKind::Union { fields } => {
                let size = |field: &Field| self.types.get(field.ty).size;
                let largest = fields.iter().rev().max_by_key(|field| size(field)).cloned();
                self.record(name, ty, &Vec::from_iter(largest), depth)
            }
            TypeKind::Array { element, length } => {
                let (element, length) = (*element, *length);
                let stride = self.types.get(element).size;
                let items = (0..length)
                    .map(|i| self.node(&format!("{name}[{i}]"), element, depth))
                    .collect::<Result<_, _>>()?;
                Ok(ShapeNode::List { element, stride, items, count: Count::All })
            }
            TypeKind::Pointer { to, .. } => self.pointer(name, ty, *to, depth, Count::All),
            TypeKind::Void | TypeKind::Function => Err(unsupported("it is not a value")),
            TypeKind::Unsupported { why, .. } => Err(unsupported(why)),
        }
    }

    fn record(
        &mut self,
        name: &str,
        ty: TypeId,
        fields: &[Field],
        depth: u32,
    ) -> Result<ShapeNode, Unsupported> {
        // Members behind a pointer are named with an arrow; the last character of the prefix says whether it is a pointer.
        let join = |field: &str| match name.strip_suffix("->") {
            _ if field.is_empty() => name.to_string(),
            Some(pointer) => format!("{pointer}->{field}"),
            None => format!("{name}.{field}"),
        };
        let mut members: Vec<Member> = Vec::new();
        let has_room = std::mem::take(&mut self.tail_room);
        // A bit-field has no address, and is no length of ours.
        let param = |field: &Field| Param {
            name: if field.bits.is_some() { String::new() } else { field.name.clone() },
            ty: field.ty,
        };
        let params: Vec<Param> = fields.iter().map(param).collect();
        let together = Together::of(self.types, &params, |i| join(&fields[i].name));
        for (i, field) in fields.iter().enumerate() {
            let Some((low, width)) = field.bits else {
                let node = match self.types.is_flexible(field.ty) && i + 1 == fields.len() {
                    true => self.flexible(i, &together, (depth, has_room))?,
                    false => self.part(i, &together, None, depth)?,
                };
                members.push(Member { name: field.name.clone(), offset: field.offset, node });
                continue;
            };
            if width == 0 || field.name.is_empty() {
                continue;
            }
            let leaf = BitLeaf {
                name: join(&field.name),
                member: field.name.clone(),
                ty: field.ty,
                low: low as u8,
                width: width as u8,
                signed: is_signed(self.types, field.ty),
                default: 0,
            };
            let same_unit = members.last_mut().filter(|last| last.offset == field.offset);
            match same_unit.map(|last| &mut last.node) {
                Some(ShapeNode::Bits { fields, .. }) => fields.push(leaf),
                _ => {
                    let bits = 8 * self.types.get(field.ty).size as u8;
                    let kind = CellKind::Int { bits, signed: false };
                    let node = ShapeNode::Bits { kind, fields: vec![leaf] };
                    members.push(Member { name: String::new(), offset: field.offset, node });
                }
            }
        }
        Ok(ShapeNode::Record { ty, members })
    }

    /// A pointer that is null because inputs have limits.
    pub(super) fn null(&mut self, name: &str, ty: TypeId, gap: Gap) -> ShapeNode {
        let limit = self.limit(format!("{name} != NULL"), CellKind::Bool, gap);
        let kind = self.types.pointer_kind();
        ShapeNode::Fixed { ty, kind, bits: 0, limit: Some(Box::new(limit)) }
    }

    /// A cell that could have another value if inputs had no limits.
    pub(super) fn limit(&mut self, name: String, kind: CellKind, gap: Gap) -> Limit {
        let address = LIMIT_ADDRESSES + LIMIT_STRIDE * self.limits.len() as u32;
        let limit = Limit { name, kind, gap, address };
        self.limits.push(limit.clone());
        limit
    }

    pub(super) fn allocate(&mut self, name: &str, size: u32) -> Result<u32, Unsupported> {
        // Compilers make `a[i - 1]` an index into what starts one element before `a`: no other object is there.
        let before = size.min(FAR).saturating_sub(GAP);
        let address = self.next.saturating_add(before).next_multiple_of(16);
        self.next = address.saturating_add(size).saturating_add(GAP);
        if self.next > self.end {
            let why = if self.end == 0 { Obstacle::NoRoom } else { Obstacle::TooLarge };
            return Err(Unsupported { what: name.to_string(), why });
        }
        Ok(address)
    }
}

/// The first argument of a program is its name, which is no input.
fn name_program(pointer: &mut Pointer) {
    const NAME: &[u8] = b"program\0";
    for (item, byte) in pointer.items.iter_mut().zip(NAME) {
        if let ShapeNode::Leaf(Leaf { ty, kind, .. }) = *item {
            *item = ShapeNode::Fixed { ty, kind, bits: u64::from(*byte), limit: None };
        }
    }
}

/// How a scalar is stored; `None` for what is not a scalar, or too wide.
pub fn scalar_kind(types: &Types, id: TypeId) -> Option<CellKind> {
    let ty = types.get(id);
    match &ty.kind {
        TypeKind::Bool => Some(CellKind::Bool),
        TypeKind::Int { signed, .. } | TypeKind::Enum { signed, .. } => {
            matches!(ty.size, 1 | 2 | 4 | 8)
                .then_some(CellKind::Int { bits: 8 * ty.size as u8, signed: *signed })
        }
        TypeKind::Float if ty.size == 4 => Some(CellKind::F32),
        TypeKind::Float if ty.size == 8 => Some(CellKind::F64),
        TypeKind::Pointer { .. } => Some(types.pointer_kind()),
        TypeKind::Float
        | TypeKind::Void
        | TypeKind::Struct { .. }
        | TypeKind::Union { .. }
        | TypeKind::Array { .. }
        | TypeKind::Function
        | TypeKind::Unsupported { .. } => None,
    }
}

fn is_signed(types: &Types, id: TypeId) -> bool {
    matches!(
        types.get(id).kind,
        TypeKind::Int { signed: true, .. } | TypeKind::Enum { signed: true, .. }
    )
}

/// The bits that a cell of this kind has.
pub(super) fn mask(kind: CellKind) -> u64 {
    u64::MAX >> (64 - 8 * kind.size())
}
