//! Lays out an input: arguments and memory for one run.

use super::build::{MORE_ARGUMENTS, mask};
use super::room;
use super::{
    ArgumentList, BitLeaf, Count, Leaf, Limit, Middle, Passing, Pointer, ResultSlot, Shape,
    ShapeNode, TextChoice,
};
use crate::gap::Gap;
use crate::image::{Arguments, BitsOf, Cell, CellKind, Image, Symbol, Tie, Write};
use crate::input::Input;
use crate::nan;
use crate::types::{TypeId, TypeKind, Types};
use symcrete_term::Value;

/// A cell in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// How it is stored.
    pub kind: CellKind,
    /// Where.
    pub address: u32,
    /// For a bit-field its lowest bit and its width.
    pub bits: Option<(u8, u8)>,
}

impl Shape {
    /// Arguments and memory for one run.
    pub fn image(&self, types: &Types, input: &Input) -> Image {
        let arena = self.arena.clone();
        let state = self.state.clone();
        let ranges = self.lengths.clone();
        let image = Image { arena, state, ranges, drawn: input.clone(), ..Image::default() };
        let mut placer = Placer { types, input, image };
        if let ResultSlot::Memory { ty, address, .. } = &self.result {
            placer.address_argument(*ty, *address);
        }
        for slot in &self.params {
            match slot.passing {
                Passing::Direct => placer.direct(&slot.node),
                Passing::Nothing => {}
                Passing::Memory(address) => {
                    placer.address_argument(slot.ty, address);
                    placer.place(&slot.node, address);
                }
            }
        }
        if let Some(variadic) = &self.variadic {
            placer.image.args.push(variadic.cell(input, types.pointer_kind()));
            for list in &variadic.lists {
                placer.arguments(list, list == variadic.list(input));
            }
        }
        for slot in &self.globals {
            if let Passing::Memory(address) = slot.passing {
                let end = address + types.get(slot.ty).size;
                placer.image.watched.push(address..end);
                placer.place(&slot.node, address);
            }
        }
        let limit = self.runtime.as_ref().map(|runtime| runtime.limit_inputs(self.sizes.bytes));
        placer.image.writes.extend(limit);
        placer.image
    }

    /// Every cell that is in memory in the run of this input, including the result's.
    pub fn placed(&self, types: &Types, input: &Input) -> Vec<Placed> {
        let mut lister = Lister { types, input, placed: Vec::new() };
        if let ResultSlot::Memory { address, node, .. } = &self.result {
            lister.list(node, *address);
        }
        for slot in self.slots() {
            match slot.passing {
                Passing::Memory(address) => lister.list(&slot.node, address),
                Passing::Direct => lister.behind(&slot.node),
                Passing::Nothing => {}
            }
        }
        lister.placed
    }

    /// The cells that are inputs in the run of this input, in order; their values are in it or are
    /// defaults.
    pub fn leaves(&self, input: &Input) -> Vec<(String, CellKind, Value)> {
        let mut leaves = Vec::new();
        for slot in self.slots() {
            collect(&slot.node, input, &mut leaves);
        }
        if let Some(variadic) = &self.variadic {
            let is_set = |name: &String| input.get(name) == Some(Value::Bool(true));
            let choice = |name: &String| (name.clone(), CellKind::Bool, Value::Bool(is_set(name)));
            leaves.extend(variadic.choices().map(choice));
            let slots = &variadic.list(input).slots;
            slots.iter().for_each(|slot| collect(&slot.node, input, &mut leaves));
        }
        leaves
    }

    /// The same input with every cell of its run in it, and nothing else of this shape.
    pub fn complete(&self, input: &Input) -> Input {
        let mut complete = Input::default();
        for (name, kind, value) in self.leaves(input) {
            let companion = nan::companion(&name);
            if nan::is_nan(kind, value.bits())
                && let Some(given) = input.get(&companion)
            {
                let bits = nan::of_companion(kind, given.bits());
                complete.set(companion, Value::bv(given.sort().bits() as u8, bits));
            }
            complete.set(name, value);
        }
        // Few inputs have such cells, and this is asked for each run.
        if input.values.keys().any(|cell| room::is_room(cell)) {
            for text in self.texts(input) {
                let room = text.room.as_ref().and_then(|room| Some((room, input.get(room)?)));
                complete.values.extend(room.map(|(room, value)| (room.clone(), value)));
            }
        }
        complete
    }
}

/// The value of a cell of this kind.
pub fn value_of(kind: CellKind, bits: u64) -> Value {
    match kind {
        CellKind::Bool => Value::Bool(bits & 1 != 0),
        CellKind::Int { bits: width, .. } => Value::bv(width, bits & mask(kind)),
        CellKind::F32 => Value::from_bits(symcrete_term::Sort::F32, bits),
        CellKind::F64 => Value::from_bits(symcrete_term::Sort::F64, bits),
    }
}

impl Leaf {
    /// Its bits in an input.
    pub fn bits(&self, input: &Input) -> u64 {
        let bits = input.get(&self.name).map_or(self.default, Value::bits) & mask(self.kind);
        if !nan::is_nan(self.kind, bits) {
            return bits;
        }
        let companion = input.get(&nan::companion(&self.name));
        companion.map_or(bits, |companion| nan::of_companion(self.kind, companion.bits()))
    }

    /// Its value as a number, if it is an integer.
    pub fn number(&self, input: &Input) -> i64 {
        number(self.kind, self.bits(input))
    }
}

impl BitLeaf {
    /// Its bits in an input.
    pub fn bits(&self, input: &Input) -> u64 {
        input.get(&self.name).map_or(self.default, Value::bits) & (u64::MAX >> (64 - self.width))
    }
}

impl Pointer {
    /// Whether it is not null.
    pub fn is_present(&self, input: &Input) -> bool {
        let Some(present) = &self.present else { return true };
        input.get(present).map_or(self.present_default, |value| value == Value::Bool(true))
    }

    /// Whether it points to a zero-terminated string rather than an array with a length.
    pub fn is_text(&self) -> bool {
        self.is_terminated && self.stride == 1 && matches!(self.count, Count::All)
    }

    /// Whether its object has less room than there can be. A zero ends it all the same.
    fn has_less_room(&self, input: &Input) -> bool {
        self.room.is_some() && self.elements(input).len() < self.items.len()
    }

    /// The number of its elements.
    pub fn elements(&self, input: &Input) -> &[ShapeNode] {
        match self.is_pointed_into(input) {
            true => &self.items,
            false => {
                let n = self.count.of(self.items.len(), input);
                let room = self.room.as_ref().and_then(|room| input.get(room));
                &self.items[..room.map_or(n, |room| n.min(room.bits() as usize))]
            }
        }
    }

    /// Whether another pointer points inside its array.
    pub(super) fn is_pointed_into(&self, input: &Input) -> bool {
        self.inside.iter().any(|alias| alias.holds(input))
    }

    /// Bytes of its object.
    pub fn size(&self, input: &Input) -> u32 {
        let n = self.elements(input).len() as u32 + u32::from(self.is_terminated);
        let tail = self.tail.as_ref().map_or(0, |tail| {
            tail.offset + tail.stride * tail.count.of(tail.n_max as usize, input) as u32
        });
        (n * self.stride).max(tail)
    }
}

/// The bits of an integer cell as a number.
pub fn number(kind: CellKind, bits: u64) -> i64 {
    match kind {
        CellKind::Int { bits: width, signed: true } => {
            let shift = 64 - u32::from(width);
            ((bits << shift) as i64) >> shift
        }
        CellKind::Int { signed: false, .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => {
            i64::try_from(bits).unwrap_or(i64::MAX)
        }
    }
}

struct Placer<'a> {
    types: &'a Types,
    input: &'a Input,
    image: Image,
}

impl Placer<'_> {
    /// Passes the address of something in memory.
    fn address_argument(&mut self, ty: TypeId, address: u32) {
        self.image.args.push(Cell::concrete(self.types.pointer_kind(), u64::from(address)));
        self.object(address, self.types.get(ty).size);
    }

    fn object(&mut self, address: u32, size: u32) {
        self.image.objects.push(address..address + size);
        self.image.watched.push(address..address + size);
    }

    /// Passes a scalar, also one inside structures.
    fn direct(&mut self, node: &ShapeNode) {
        match node {
            ShapeNode::Record { members, .. } => {
                members.iter().for_each(|member| self.direct(&member.node));
            }
            ShapeNode::List { items, .. } => items.iter().for_each(|item| self.direct(item)),
            ShapeNode::Leaf(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. } => {
                let cell = self.cell(node);
                self.image.args.push(cell);
            }
        }
    }

    /// Writes a part to memory.
    fn place(&mut self, node: &ShapeNode, address: u32) {
        match node {
            ShapeNode::Record { members, .. } => {
                for member in members {
                    self.place(&member.node, address + member.offset);
                }
            }
            ShapeNode::List { stride, items, count, .. } => {
                if let Count::Tied(length) = count {
                    self.tie(length, address, *stride, (items.len() as u32, false));
                }
                let n = count.of(items.len(), self.input);
                self.items(&items[..n], address, *stride);
            }
            ShapeNode::Leaf(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Fixed { .. } => {
                let cell = self.cell(node);
                self.image.writes.push(Write { address, cell });
            }
        }
    }

    fn items(&mut self, items: &[ShapeNode], address: u32, stride: u32) {
        for (i, item) in items.iter().enumerate() {
            self.place(item, address + i as u32 * stride);
        }
    }

    /// The cell of a scalar; for a pointer also lays out what it points to.
    fn cell(&mut self, node: &ShapeNode) -> Cell {
        match node {
            ShapeNode::Leaf(leaf) => {
                Cell::variable(leaf.kind, leaf.bits(self.input), leaf.name.clone())
            }
            ShapeNode::Fixed { kind, bits, limit: None, .. } => Cell::concrete(*kind, *bits),
            ShapeNode::Fixed { kind, bits, limit: Some(limit), .. } => {
                null_limit(*kind, *bits, limit)
            }
            ShapeNode::Bits { kind, fields } => {
                let bits =
                    fields.iter().fold(0, |bits, field| bits | field.bits(self.input) << field.low);
                let fields = fields.iter().map(|field| BitsOf {
                    name: field.name.clone(),
                    low: field.low,
                    width: field.width,
                });
                Cell { kind: *kind, bits, symbol: Some(Symbol::Fields(fields.collect())) }
            }
            ShapeNode::Pointer(pointer) => self.pointer(pointer),
            ShapeNode::End(end) => end.cell(self.input, self.types.pointer_kind()),
            ShapeNode::Text(text) => {
                text.choices.iter().for_each(|choice| self.text(choice));
                text.cell(self.input, self.types.pointer_kind())
            }
            ShapeNode::Callback(callback) => callback.cell(self.input, self.types.pointer_kind()),
            ShapeNode::Record { .. } | ShapeNode::List { .. } => {
                unreachable!("these have no cell of their own")
            }
        }
    }

    fn pointer(&mut self, pointer: &Pointer) -> Cell {
        let address = pointer.address;
        let is_present = pointer.has_object(self.input);
        let alias = pointer.alias(self.input);
        self.image.is_shared |= alias.is_some();
        if let (Some(middle), Count::Tied(length)) =
            (alias.and_then(|alias| alias.middle.as_ref()), &pointer.count)
        {
            self.image.ranges.push(middle.range(length, pointer.items.len()));
        }
        let is_tied = is_present && !pointer.is_pointed_into(self.input);
        if let (Count::Tied(length), true) = (&pointer.count, is_tied) {
            let room = (pointer.items.len() as u32, pointer.is_terminated);
            self.tie(length, address, pointer.stride, room);
        }
        if is_present {
            let elements = pointer.elements(self.input);
            let size = pointer.size(self.input);
            self.object(address, size);
            // The arguments of a program are not allocated.
            if pointer.present.is_some() {
                self.image.heap.push(address..address + size);
            }
            self.items(elements, address, pointer.stride);
            if pointer.is_text() {
                self.image.texts.push(address);
            }
            if pointer.is_terminated {
                let at = address + elements.len() as u32 * pointer.stride;
                match &pointer.terminator {
                    _ if pointer.has_less_room(self.input) => self.zeros(at, pointer.stride),
                    Some(limit) if limit.kind == CellKind::Bool => {
                        let cell = null_limit(self.types.pointer_kind(), 0, limit);
                        self.image.writes.push(Write { address: at, cell });
                    }
                    Some(limit) => {
                        let cell = Cell::variable(limit.kind, 0, limit.name.clone());
                        self.image.writes.push(Write { address: at, cell });
                    }
                    None => self.zeros(at, pointer.stride),
                }
            }
        }
        let bits = match alias {
            Some(alias) => u64::from(alias.other(self.input).place()),
            None if is_present => u64::from(address),
            None => 0,
        };
        let others = || pointer.aliases.iter().map(|alias| alias.other(self.input)).collect();
        let symbol = pointer.present.clone().map(|present| Symbol::Pointer {
            present,
            address,
            others: others(),
        });
        Cell { kind: self.types.pointer_kind(), bits, symbol }
    }

    fn zeros(&mut self, address: u32, n: u32) {
        for i in 0..n {
            let cell = Cell::concrete(CellKind::BYTE, 0);
            self.image.writes.push(Write { address: address + i, cell });
        }
    }

    /// Makes a variable the number of elements of an array.
    fn tie(&mut self, length: &Leaf, start: u32, stride: u32, (n, is_terminated): (u32, bool)) {
        self.image.ties.push(Tie {
            start,
            end_max: start + stride * (n + u32::from(is_terminated)),
            stride,
            name: length.name.clone(),
            kind: length.kind,
            is_terminated,
        });
    }

    /// Lays out a constant string.
    fn text(&mut self, choice: &TextChoice) {
        let bytes = choice.text.bytes().chain([0]);
        self.image.objects.push(choice.address..choice.address + choice.text.len() as u32 + 1);
        self.image.writes.extend(bytes.zip(choice.address..).map(|(byte, address)| Write {
            address,
            cell: Cell::concrete(CellKind::BYTE, u64::from(byte)),
        }));
    }

    /// Lays out arguments of a variadic function; it may read those that are passed.
    fn arguments(&mut self, list: &ArgumentList, is_passed: bool) {
        let arguments = list.arguments(self.types.pointer_kind());
        let end = arguments.last().map_or(list.address, |last| last.address + last.kind.size());
        self.image.objects.push(list.address..end);
        if is_passed {
            let room = list.address..end + MORE_ARGUMENTS;
            self.image.arguments = Arguments { room, list: arguments };
        }
        for slot in &list.slots {
            if let Passing::Memory(address) = slot.passing {
                self.place(&slot.node, address);
            }
        }
    }
}

/// The cell of a pointer that is null only because inputs have limits.
fn null_limit(kind: CellKind, bits: u64, limit: &Limit) -> Cell {
    let (present, index) = (limit.name.clone(), limit.address);
    let symbol = match limit.gap == Gap::Callback {
        true => Symbol::Callback { present, index, callee: None },
        false => Symbol::Pointer { present, address: index, others: Vec::new() },
    };
    Cell { kind, bits, symbol: Some(symbol) }
}

/// Whether a type is a union whose members do not look alike.
fn is_ambiguous(types: &Types, ty: TypeId) -> bool {
    let TypeKind::Union { fields } = &types.get(ty).kind else { return false };
    let mut kinds =
        fields.iter().map(|field| (&types.get(field.ty).kind, types.get(field.ty).size));
    kinds.next().is_some_and(|first| kinds.any(|other| other != first))
}

struct Lister<'a> {
    types: &'a Types,
    input: &'a Input,
    placed: Vec<Placed>,
}

impl Lister<'_> {
    /// Lists what a value that is passed directly points to.
    fn behind(&mut self, node: &ShapeNode) {
        match node {
            ShapeNode::Record { members, .. } => {
                members.iter().for_each(|member| self.behind(&member.node));
            }
            ShapeNode::List { items, .. } => items.iter().for_each(|item| self.behind(item)),
            ShapeNode::Pointer(pointer) if pointer.has_object(self.input) => {
                for (i, item) in pointer.elements(self.input).iter().enumerate() {
                    self.list(item, pointer.address + i as u32 * pointer.stride);
                }
            }
            ShapeNode::Pointer(_)
            | ShapeNode::End(_)
            | ShapeNode::Text(_)
            | ShapeNode::Callback(_)
            | ShapeNode::Leaf(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::Fixed { .. } => {}
        }
    }

    fn list(&mut self, node: &ShapeNode, address: u32) {
        match node {
            ShapeNode::Leaf(Leaf { name, ty, kind, .. }) => self.placed.push(Placed {
                name: name.clone(),
                ty: *ty,
                kind: *kind,
                address,
                bits: None,
            }),
            ShapeNode::Bits { kind, fields } => {
                self.placed.extend(fields.iter().map(|field| Placed {
                    name: field.name.clone(),
                    ty: field.ty,
                    kind: *kind,
                    address,
                    bits: Some((field.low, field.width)),
                }));
            }
            // It is unknown which member of a union was written last.
            ShapeNode::Record { ty, .. } if is_ambiguous(self.types, *ty) => {}
            ShapeNode::Record { members, .. } => {
                members.iter().for_each(|member| self.list(&member.node, address + member.offset));
            }
            ShapeNode::List { stride, items, count, .. } => {
                let n = count.of(items.len(), self.input);
                for (i, item) in items[..n].iter().enumerate() {
                    self.list(item, address + i as u32 * stride);
                }
            }
            ShapeNode::Pointer(pointer) => {
                self.pointer(&pointer.name, pointer.ty, address);
                self.behind(node);
            }
            ShapeNode::End(end) => self.pointer(&end.name, end.ty, address),
            ShapeNode::Text(_) | ShapeNode::Callback(_) | ShapeNode::Fixed { .. } => {}
        }
    }

    fn pointer(&mut self, name: &str, ty: TypeId, address: u32) {
        let kind = self.types.pointer_kind();
        self.placed.push(Placed { name: name.to_owned(), ty, kind, address, bits: None });
    }
}

fn collect(node: &ShapeNode, input: &Input, leaves: &mut Vec<(String, CellKind, Value)>) {
    match node {
        ShapeNode::Leaf(leaf) => {
            let value = value_of(leaf.kind, leaf.bits(input));
            leaves.push((leaf.name.clone(), leaf.kind, value));
        }
        ShapeNode::Bits { kind, fields } => {
            leaves.extend(fields.iter().map(|field| {
                (field.name.clone(), *kind, Value::bv(field.width, field.bits(input)))
            }))
        }
        ShapeNode::Record { members, .. } => {
            members.iter().for_each(|member| collect(&member.node, input, leaves));
        }
        ShapeNode::List { items, count, .. } => {
            let n = count.of(items.len(), input);
            items[..n].iter().for_each(|item| collect(item, input, leaves));
        }
        ShapeNode::End(end) => {
            let length = &end.length;
            leaves.push((
                length.name.clone(),
                length.kind,
                value_of(length.kind, length.bits(input)),
            ));
        }
        ShapeNode::Text(text) => {
            let is_present = Value::Bool(text.is_present(input));
            leaves.push((text.present.clone(), CellKind::Bool, is_present));
        }
        ShapeNode::Pointer(pointer) => {
            let is_present = pointer.is_present(input);
            if let Some(present) = &pointer.present {
                leaves.push((present.clone(), CellKind::Bool, Value::Bool(is_present)));
            }
            if is_present {
                for alias in &pointer.aliases {
                    let is_chosen = alias.is_chosen(input);
                    leaves.push((alias.name.clone(), CellKind::Bool, Value::Bool(is_chosen)));
                    if let Some(Middle { offset, .. }) = alias.middle.as_ref().filter(|_| is_chosen)
                    {
                        let value = value_of(offset.kind, offset.bits(input));
                        leaves.push((offset.name.clone(), offset.kind, value));
                    }
                }
            }
            if pointer.has_object(input) {
                pointer.elements(input).iter().for_each(|item| collect(item, input, leaves));
            }
        }
        ShapeNode::Callback(callback) => {
            let is_present = Value::Bool(callback.is_present(input));
            leaves.push((callback.present.clone(), CellKind::Bool, is_present));
        }
        ShapeNode::Fixed { .. } => {}
    }
}
