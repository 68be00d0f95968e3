//! What memory, globals and arguments are when an entry is called.
//!
//! At the start of an entry all that a state still asks for is answered from here, and its literals become conditions on
//! inputs. What is not known stays an unknown value; what holds only because of how inputs are laid out is noted as a bound.

use crate::memory::Sum;
use crate::reachability::Bound;
use crate::state::Pool;
use crate::substitute::{Substitution, substituted, variables};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use symcrete_program::lower::{end_term, extract, in_memory};
use symcrete_program::module::AddressType;
use symcrete_program::{Cell, CellKind, Gap, Image, Symbol, Tie};
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, Value, reachable};

/// Addresses below this are what null pointers point to.
const NULL_PAGE: u32 = 1024;
/// A symbolic address is followed into an object of so many cells at most.
const CELLS_MAX: u64 = 256;
/// Choices within one address.
const CHOICES_MAX: u32 = 6;

/// What all entries of a program find.
#[derive(Clone, Debug, Default)]
pub struct Initial {
    /// All bytes of memory before an image is laid out.
    pub memory: Vec<u8>,
    /// Where they are what the program says, and not just room for something.
    pub known: Vec<Range<u32>>,
    /// Variables of the program, as an index may run through one.
    pub objects: Vec<Range<u32>>,
    /// Where code reads uninitialised memory.
    pub uninitialized: Range<u32>,
    /// Globals of the module as raw bits.
    pub globals: Vec<Option<u64>>,
    /// How wide addresses are.
    pub address: AddressType,
    /// Where pointers are that code may read byte by byte.
    pub pointers: BTreeSet<u32>,
}

/// Memory of one entry, with an image of its largest input.
pub(crate) struct Memory<'a> {
    initial: &'a Initial,
    image: &'a Image,
    /// Bytes of cells.
    cells: BTreeMap<u32, (TermId, u8)>,
    /// Variables that say whether a pointer is there.
    presents: BTreeSet<TermId>,
    /// What was assumed so far.
    pub(crate) bounds: BTreeSet<Bound>,
    /// What holds unless an access leaves its object.
    pub(crate) guards: Vec<Literal>,
    /// What holds because the run would have ended otherwise.
    pub(crate) facts: Vec<Literal>,
    /// Whether a byte of an input object was read.
    pub(crate) is_input_read: bool,
    /// Cells that are addresses of input objects and never null.
    pointers: BTreeSet<u32>,
    /// Whether one of them was read: its value folds away.
    is_pointer_read: bool,
}

/// Whether the pointers in an address are there.
enum Present {
    /// There are none.
    Certain,
    /// If this holds; the run may go on otherwise.
    If(TermId),
}

/// The term of a cell in its own sort.
pub(crate) fn cell_term(terms: &mut Terms, cell: &Cell) -> TermId {
    let sort = cell.kind.sort();
    match &cell.symbol {
        None => match cell.kind {
            CellKind::F32 => {
                symcrete_program::lower::constant(terms, symcrete_program::cfg::Num::F32, cell.bits)
            }
            CellKind::F64 => {
                symcrete_program::lower::constant(terms, symcrete_program::cfg::Num::F64, cell.bits)
            }
            CellKind::Int { .. } | CellKind::Bool => {
                terms.constant(Value::from_bits(sort, cell.bits))
            }
        },
        Some(Symbol::Variable(name)) => terms.var(name, sort),
        // Whatever follows from this is said to hold without aliasing.
        Some(
            Symbol::Pointer { present, address, .. }
            | Symbol::Callback { present, index: address, .. },
        ) => {
            let width = sort.bits() as u8;
            let present = terms.var(present, Sort::Bool);
            let (there, null) = (terms.bv(width, u64::from(*address)), terms.bv(width, 0));
            terms.ite(present, there, null)
        }
        Some(Symbol::End { present, address, stride, length, .. }) => {
            let present = terms.var(present, Sort::Bool);
            let length = terms.var(length, Sort::Bv(32));
            let width = sort.bits() as u8;
            let end = end_term(terms, length, (*address, *stride), width);
            let null = terms.bv(width, 0);
            terms.ite(present, end, null)
        }
        Some(Symbol::OneOf { present, others, last }) => {
            let width = sort.bits() as u8;
            let mut place = terms.bv(width, u64::from(*last));
            for other in others.iter().rev() {
                let (chosen, address) =
                    (other.condition(terms), terms.bv(width, u64::from(other.address)));
                place = terms.ite(chosen, address, place);
            }
            let Some(present) = present else { return place };
            let (present, null) = (terms.var(present, Sort::Bool), terms.bv(width, 0));
            terms.ite(present, place, null)
        }
        Some(Symbol::Fields(fields)) => {
            let width = sort.bits() as u8;
            let mut whole = terms.constant(Value::from_bits(sort, cell.bits));
            for field in fields {
                let part = terms.var(&field.name, Sort::Bv(field.width));
                let wide = match width - field.width {
                    0 => part,
                    more => terms.app_indexed(Op::ZeroExtend, [more, 0], &[part]),
                };
                let low = terms.bv(width, u64::from(field.low));
                let placed = terms.app(Op::BvShl, &[wide, low]);
                let mask = !((u64::MAX >> (64 - field.width)) << field.low);
                let mask = terms.bv(width, mask);
                let rest = terms.app(Op::BvAnd, &[whole, mask]);
                whole = terms.app(Op::BvOr, &[rest, placed]);
            }
            whole
        }
    }
}

impl<'a> Memory<'a> {
    pub(crate) fn new(terms: &mut Terms, initial: &'a Initial, image: &'a Image) -> Memory<'a> {
        let mut memory = Memory {
            initial,
            image,
            cells: BTreeMap::new(),
            presents: BTreeSet::new(),
            bounds: BTreeSet::new(),
            guards: Vec::new(),
            facts: Vec::new(),
            is_input_read: false,
            pointers: BTreeSet::new(),
            is_pointer_read: false,
        };
        for cell in image.args.iter().chain(image.writes.iter().map(|write| &write.cell)) {
            if let Some(
                Symbol::Pointer { present, .. }
                | Symbol::End { present, .. }
                | Symbol::OneOf { present: Some(present), .. }
                | Symbol::Callback { present, .. },
            ) = &cell.symbol
            {
                memory.presents.insert(terms.var(present, Sort::Bool));
            }
        }
        for write in &image.writes {
            let term = cell_term(terms, &write.cell);
            let bytes = in_memory(terms, write.cell.kind, term);
            if write.cell.symbol.is_none() && image.arena.contains(&(write.cell.bits as u32)) {
                memory.pointers.insert(write.address);
            }
            for i in 0..write.cell.kind.size() {
                memory.cells.insert(write.address + i, (bytes, i as u8));
            }
        }
        memory
    }

    /// What a proof from these literals assumes of where objects are.
    pub(crate) fn layout_bounds(&self, terms: &Terms, literals: &[Literal]) -> Vec<Bound> {
        let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let arena = &self.image.arena;
        let is_address = |term: TermId| {
            terms.sort(term) == self.initial.address.num().sort()
                && terms.as_const(term).is_some_and(|value| arena.contains(&(value.bits() as u32)))
        };
        let mut bounds = Vec::new();
        if self.is_pointer_read || reachable(terms, &roots).into_iter().any(is_address) {
            bounds.extend([Bound::Model(Gap::Addresses), Bound::Model(Gap::Aliasing)]);
        }
        if self.is_input_read && (self.image.objects.len() > 1 || !self.image.state.is_empty()) {
            bounds.push(Bound::Model(Gap::Aliasing));
        }
        bounds
    }

    /// What some bytes are.
    pub(crate) fn resolve(&mut self, pool: &mut Pool, address: TermId, n: u8) -> TermId {
        let (address, present) = self.follow(pool, address);
        if let (Some(value), Some(Present::Certain)) = (pool.terms.as_const(address), &present)
            && value.bits() < u64::from(NULL_PAGE)
            && !self.image.arena.is_empty()
        {
            self.facts.push(Literal::holds(pool.terms.bool(false)));
        }
        let value = self.resolve_choice(pool, address, n, CHOICES_MAX);
        match present {
            Some(Present::If(condition)) => {
                self.guards.push(Literal::holds(condition));
                let other = pool.fresh(Sort::Bv(8 * n));
                pool.terms.ite(condition, value, other)
            }
            Some(Present::Certain) | None => value,
        }
    }

    fn resolve_choice(&mut self, pool: &mut Pool, address: TermId, n: u8, depth: u32) -> TermId {
        if let Some(value) = pool.terms.as_const(address) {
            return match u32::try_from(value.bits()) {
                Ok(address) => self.at(pool, address, n),
                Err(_) => pool.fresh(Sort::Bv(8 * n)),
            };
        }
        let sum = Sum::of(&pool.terms, address);
        let choice = sum.parts.keys().find_map(|&part| match pool.terms.node(part) {
            Node::App { op: Op::Ite, args: &[condition, then, otherwise], .. } => {
                Some((part, condition, then, otherwise))
            }
            Node::App { .. }
            | Node::Const(_)
            | Node::Var(_)
            | Node::Call { .. }
            | Node::Lookup { .. } => None,
        });
        if let (Some((part, condition, then, otherwise)), true) = (choice, depth > 0) {
            let mut with = |pool: &mut Pool, value: TermId| {
                let sort = pool.terms.sort(part);
                let factor = pool.terms.constant(Value::from_bits(sort, sum.parts[&part]));
                let difference = pool.terms.app(Op::BvSub, &[value, part]);
                let scaled = pool.terms.app(Op::BvMul, &[difference, factor]);
                let moved = pool.terms.app(Op::BvAdd, &[address, scaled]);
                let moved = Sum::of(&pool.terms, moved).term(&mut pool.terms);
                self.resolve_choice(pool, moved, n, depth - 1)
            };
            let (then, otherwise) = (with(pool, then), with(pool, otherwise));
            return pool.terms.ite(condition, then, otherwise);
        }
        self.window(pool, address, &sum, n)
    }

    /// Takes pointers of the input in an address as not null, and says whether that is certain: an access near zero ends
    /// the run.
    fn follow(&mut self, pool: &mut Pool, address: TermId) -> (TermId, Option<Present>) {
        let terms = &mut pool.terms;
        let of = variables(terms, &[address]);
        let pointers: Vec<_> =
            of.into_iter().filter(|&var| self.presents.contains(&terms.var_term(var))).collect();
        if pointers.is_empty() {
            return (Sum::of(terms, address).term(terms), Some(Present::Certain));
        }
        let set = |terms: &mut Terms, truth: bool| -> Substitution {
            pointers.iter().map(|&var| (var, terms.bool(truth))).collect()
        };
        let (there, null) = (set(terms, true), set(terms, false));
        let present = substituted(terms, &[address], &there)[0];
        let absent = substituted(terms, &[address], &null)[0];
        let present = Sum::of(terms, present).term(terms);
        let all = pointers.iter().fold(terms.bool(true), |all, &var| {
            let is_there = terms.var_term(var);
            terms.app(Op::And, &[all, is_there])
        });
        // With one pointer and a constant offset, null certainly ends the run.
        let ends = terms.as_const(absent).is_some_and(|value| value.bits() < u64::from(NULL_PAGE));
        if ends && pointers.len() == 1 && !self.image.arena.is_empty() {
            self.facts.push(Literal::holds(all));
            return (present, None);
        }
        (present, Some(Present::If(all)))
    }

    /// Bytes at a known address.
    fn at(&mut self, pool: &mut Pool, address: u32, n: u8) -> TermId {
        let end = u64::from(address) + u64::from(n);
        let unknown = |pool: &mut Pool| pool.fresh(Sort::Bv(8 * n));
        let is_null = address < NULL_PAGE && !self.image.arena.is_empty();
        if is_null || end > self.initial.memory.len() as u64 {
            return unknown(pool);
        }
        let is_in = |ranges: &[Range<u32>]| {
            ranges.iter().any(|range| range.start <= address && end <= u64::from(range.end))
        };
        let overlaps = |range: &Range<u32>| address < range.end && u64::from(range.start) < end;
        let is_cell = (0..u32::from(n)).all(|i| self.cells.contains_key(&(address + i)));
        if overlaps(&self.image.arena) && !is_in(&self.image.objects) {
            return unknown(pool);
        }
        if overlaps(&self.initial.uninitialized) {
            return pool.unwritten(Sort::Bv(8 * n));
        }
        if !is_cell && self.image.state.iter().any(overlaps) {
            self.bounds.insert(Bound::Model(Gap::State));
        } else if !is_cell && !overlaps(&self.image.arena) && !is_in(&self.initial.known) {
            return unknown(pool);
        }
        self.is_input_read |= overlaps(&self.image.arena);
        let end = address.saturating_add(u32::from(n));
        let near = address.saturating_sub(self.initial.address.bytes() - 1)..end;
        self.is_pointer_read |= self.pointers.range(near.clone()).next().is_some();
        let is_part = u32::from(n) < self.initial.address.bytes();
        if is_part && !is_cell && self.initial.pointers.range(near).next().is_some() {
            self.bounds.insert(Bound::Model(Gap::Addresses));
        }
        let bytes = self.gather(&mut pool.terms, address, n);
        match self.image.ties.iter().find(|tie| (tie.start..tie.end_max).contains(&address)) {
            Some(tie) if tie.is_terminated => {
                let tie = tie.clone();
                self.terminated(pool, &tie, (address, n), bytes)
            }
            Some(_) | None => bytes,
        }
    }

    /// Cells and initial bytes put together.
    fn gather(&self, terms: &mut Terms, address: u32, n: u8) -> TermId {
        let mut whole: Option<TermId> = None;
        for at in address..address + u32::from(n) {
            let byte = match self.cells.get(&at) {
                Some(&(term, i)) if terms.sort(term) == Sort::Bv(8) && i == 0 => term,
                Some(&(term, i)) => extract(terms, 8 * i + 7, 8 * i, term),
                None => terms.bv(8, u64::from(self.initial.memory[at as usize])),
            };
            whole = Some(match whole {
                Some(lower) => terms.app(Op::Concat, &[byte, lower]),
                None => byte,
            });
        }
        whole.expect("a read has at least one byte")
    }

    /// An element of an array that ends with zero where its length says.
    fn terminated(
        &mut self,
        pool: &mut Pool,
        tie: &Tie,
        (address, n): (u32, u8),
        bytes: TermId,
    ) -> TermId {
        let element = (address - tie.start) / tie.stride;
        let last = (tie.end_max - tie.start) / tie.stride - 1;
        if element == last {
            return bytes;
        }
        let CellKind::Int { bits, signed } = tie.kind else { return bytes };
        let length = pool.terms.var(&tie.name, tie.kind.sort());
        let number = pool.terms.constant(Value::bv(bits, u64::from(element)));
        let op = if signed { Op::BvSlt } else { Op::BvUlt };
        let is_before = pool.terms.app(op, &[number, length]);
        let is_end = pool.terms.eq(number, length);
        let (zero, other) = (pool.terms.bv(8 * n, 0), pool.fresh(Sort::Bv(8 * n)));
        let behind = pool.terms.ite(is_end, zero, other);
        pool.terms.ite(is_before, bytes, behind)
    }

    /// Bytes at an address that runs through an object. Outside of the object they are unknown.
    fn window(&mut self, pool: &mut Pool, address: TermId, sum: &Sum, n: u8) -> TermId {
        let unknown = |pool: &mut Pool| pool.fresh(Sort::Bv(8 * n));
        let objects = self.image.objects.iter().chain(&self.initial.objects);
        // A negative one is before all objects.
        let Ok(constant) = u32::try_from(sum.constant) else { return unknown(pool) };
        let near = |object: &&Range<u32>| {
            object.end > constant && object.start <= constant.saturating_add(4096)
        };
        let object = objects
            .filter(near)
            .min_by_key(|object| (!object.contains(&constant), object.start.abs_diff(constant)));
        let Some(object) = object.cloned() else { return unknown(pool) };
        let Some(room) = (object.end - object.start).checked_sub(u32::from(n)) else {
            return unknown(pool);
        };
        let step = sum.parts.values().map(|factor| 1u32 << factor.trailing_zeros().min(12)).min();
        let step = step.unwrap_or(1);
        let first = object.start + constant.wrapping_sub(object.start) % step;
        let cells = u64::from(room) / u64::from(step) + 1;
        if cells > CELLS_MAX {
            return unknown(pool);
        }
        let width = pool.terms.sort(address).bits() as u8;
        let start = pool.terms.bv(width, u64::from(object.start));
        let distance = pool.terms.app(Op::BvSub, &[address, start]);
        let last = pool.terms.bv(width, u64::from(room));
        let inside = pool.terms.app(Op::BvUle, &[distance, last]);
        self.guards.push(Literal::holds(inside));
        let mut value = pool.fresh(Sort::Bv(8 * n));
        for i in (0..cells as u32).rev() {
            let at = first + i * step;
            if at + u32::from(n) > object.end {
                continue;
            }
            let bytes = self.at(pool, at, n);
            let place = pool.terms.bv(width, u64::from(at));
            let is_it = pool.terms.eq(address, place);
            value = pool.terms.ite(is_it, bytes, value);
        }
        value
    }
}
