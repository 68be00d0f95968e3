//! From an input to what a run starts from.

use super::build::mask;
use super::{BitLeaf, Count, Leaf, Passing, Pointer, ResultSlot, Shape, ShapeNode};
use crate::gap::Gap;
use crate::image::{BitsOf, Bound, Cell, CellKind, Image, Symbol, Tie, Write};
use crate::input::Input;
use crate::nan;
use crate::types::{TypeId, Types};
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
        let image = Image { arena, state, drawn: input.clone(), ..Image::default() };
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
        if self.is_variadic {
            let nothing = Cell::concrete(CellKind::Int { bits: 32, signed: false }, 0);
            placer.image.args.push(nothing);
        }
        for slot in &self.globals {
            if let Passing::Memory(address) = slot.passing {
                let end = address + types.get(slot.ty).size;
                placer.image.watched.push(address..end);
                placer.place(&slot.node, address);
            }
        }
        let stdin = input.get("stdin.length").map_or(0, Value::bits);
        let allowed = self.runtime.as_ref().and_then(|runtime| runtime.allow_stdin(stdin));
        placer.image.writes.extend(allowed);
        placer.image
    }

    /// Every cell that lies in memory in the run of this input, the result's included.
    pub fn placed(&self, input: &Input) -> Vec<Placed> {
        let mut lister = Lister { input, placed: Vec::new() };
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

    /// The elements that there are.
    pub fn elements(&self, input: &Input) -> &[ShapeNode] {
        match &self.count {
            Count::All => &self.items,
            Count::Tied(length) => {
                let n = length.number(input).clamp(0, self.items.len() as i64);
                &self.items[..n as usize]
            }
        }
    }

    /// Bytes of its object.
    pub fn size(&self, input: &Input) -> u32 {
        let n = self.elements(input).len() as u32 + u32::from(self.is_terminated);
        n * self.stride
    }
}

/// The number that the bits of an integer cell are.
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

const ADDRESS: CellKind = CellKind::Int { bits: 32, signed: false };

struct Placer<'a> {
    types: &'a Types,
    input: &'a Input,
    image: Image,
}

impl Placer<'_> {
    /// Passes the address of something that lies in memory.
    fn address_argument(&mut self, ty: TypeId, address: u32) {
        self.image.args.push(Cell::concrete(ADDRESS, u64::from(address)));
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
            ShapeNode::List { stride, items, .. } => self.items(items, address, *stride),
            ShapeNode::Leaf(_)
            | ShapeNode::Bits { .. }
            | ShapeNode::Pointer(_)
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
                let (present, index) = (limit.name.clone(), limit.address);
                let symbol = match limit.gap == Gap::Callback {
                    true => Symbol::Callback { present, index, callee: None },
                    false => Symbol::Pointer { present, address: index, others: Vec::new() },
                };
                Cell { kind: *kind, bits: *bits, symbol: Some(symbol) }
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
            ShapeNode::Callback(callback) => callback.cell(self.input),
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
        if let Count::Tied(length) = &pointer.count {
            self.bound(length, pointer.items.len() as i64);
            if is_present {
                let n_max = pointer.items.len() as u32 + u32::from(pointer.is_terminated);
                self.image.ties.push(Tie {
                    start: address,
                    end_max: address + pointer.stride * n_max,
                    stride: pointer.stride,
                    name: length.name.clone(),
                    kind: length.kind,
                    is_terminated: pointer.is_terminated,
                });
            }
        }
        if is_present {
            let elements = pointer.elements(self.input);
            self.object(address, pointer.size(self.input));
            self.items(elements, address, pointer.stride);
            if pointer.is_terminated {
                let at = address + elements.len() as u32 * pointer.stride;
                match &pointer.terminator {
                    Some(limit) => {
                        let cell = Cell::variable(limit.kind, 0, limit.name.clone());
                        self.image.writes.push(Write { address: at, cell });
                    }
                    None => self.zeros(at, pointer.stride),
                }
            }
        }
        let bits = match alias {
            Some(alias) => u64::from(alias.address),
            None if is_present => u64::from(address),
            None => 0,
        };
        let others = || pointer.aliases.iter().map(|alias| alias.other(self.input)).collect();
        let symbol = pointer.present.clone().map(|present| Symbol::Pointer {
            present,
            address,
            others: others(),
        });
        Cell { kind: ADDRESS, bits, symbol }
    }

    fn zeros(&mut self, address: u32, n: u32) {
        for i in 0..n {
            let cell = Cell::concrete(CellKind::BYTE, 0);
            self.image.writes.push(Write { address: address + i, cell });
        }
    }

    /// A length is at most the room that there is. Programs are given at least their own name.
    fn bound(&mut self, length: &Leaf, high: i64) {
        let low = match length.kind {
            CellKind::Int { signed: true, bits } if length.default == 0 => {
                i64::MIN >> (64 - u32::from(bits))
            }
            CellKind::Int { .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => {
                length.default as i64
            }
        };
        let bound = Bound { name: length.name.clone(), kind: length.kind, low, high };
        if !self.image.bounds.contains(&bound) {
            self.image.bounds.push(bound);
        }
    }
}

struct Lister<'a> {
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
            ShapeNode::Record { members, .. } => {
                members.iter().for_each(|member| self.list(&member.node, address + member.offset));
            }
            ShapeNode::List { stride, items, .. } => {
                for (i, item) in items.iter().enumerate() {
                    self.list(item, address + i as u32 * stride);
                }
            }
            ShapeNode::Pointer(_) => self.behind(node),
            ShapeNode::Callback(_) | ShapeNode::Fixed { .. } => {}
        }
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
        ShapeNode::List { items, .. } => items.iter().for_each(|item| collect(item, input, leaves)),
        ShapeNode::Pointer(pointer) => {
            let is_present = pointer.is_present(input);
            if let Some(present) = &pointer.present {
                leaves.push((present.clone(), CellKind::Bool, Value::Bool(is_present)));
            }
            if is_present {
                leaves.extend(pointer.aliases.iter().map(|alias| {
                    let is_chosen = Value::Bool(alias.is_chosen(input));
                    (alias.name.clone(), CellKind::Bool, is_chosen)
                }));
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
