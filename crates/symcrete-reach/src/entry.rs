//! Where the program is entered: the last step of a backward path, and the run that confirms it.

use crate::initial::{Initial, Memory, cell_term};
use crate::reachability::Bound;
use crate::state::{Name, Pool, State, is_allocated_name, sort_of};
use crate::substitute::{Substitution, variables};
use crate::view::View;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::cfg::{BlockId, Num, ValueType};
use symcrete_program::lower::{as_value, constant};
use symcrete_program::{Cell, CellKind, CellRange, Gap, Image, Input, SiteId, Symbol};
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, Value, reachable};

/// A function that can be called from outside.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its index in the module.
    pub function: u32,
    /// Its largest input: every pointer points at something, every array is full.
    pub image: Image,
    /// Cells that have their value only because inputs have limits: name, kind, what the limit is.
    pub limits: Vec<(String, CellKind, Gap)>,
    /// What is assumed of all its inputs.
    pub gaps: BTreeSet<Gap>,
}

/// What one run of an input did.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Whether it passed the target.
    pub is_reached: bool,
    /// What held on its way, in order, and where; only what another input could turn.
    pub path: Vec<(Literal, SiteId)>,
    /// Whether it ended before its time: what held last is what ended it.
    pub is_trapped: bool,
}

/// Runs inputs of entries.
pub trait Runs {
    /// Runs an input; new terms, over the same variables as ours, go into `terms`.
    fn run(&mut self, terms: &mut Terms, entry: u32, input: &Input) -> Ran;

    /// Whether to end the search at once.
    fn is_stopped(&self) -> bool;
}

/// A path condition over inputs.
pub(crate) struct Condition {
    /// What must hold, unknown values included. Without a model of these no input takes the way.
    pub(crate) literals: Vec<Literal>,
    /// Which of them phase I leaves out, by position.
    pub(crate) skipped: BTreeSet<usize>,
    /// Accesses stay in their objects.
    pub(crate) guards: Vec<Literal>,
    /// Inputs keep to their limits.
    pub(crate) limits: Vec<(Literal, Gap)>,
    /// What was assumed.
    pub(crate) bounds: BTreeSet<Bound>,
}

impl Entry {
    /// What a state at the start of this entry says of inputs.
    pub(crate) fn condition(
        &self,
        view: &View<'_>,
        pool: &mut Pool,
        initial: &Initial,
        mut state: State,
    ) -> Condition {
        let computes_with_addresses = self.computes_with_addresses(view, pool, &state);
        self.bind_start(view, pool, initial, &mut state);
        self.bind_draws(pool, initial, &mut state);
        let mut memory = Memory::new(&mut pool.terms, initial, &self.image);
        // The address of a read may be another read.
        while let Some(at) = state.reads.iter().position(|read| {
            let of = variables(&pool.terms, &[read.address]);
            state.reads.iter().all(|other| !of.contains(&other.var))
        }) {
            let read = state.reads.remove(at);
            let value = memory.resolve(pool, read.address, read.bytes);
            let by = Substitution::from([(read.var, value)]);
            state.apply(pool, &by);
        }
        let mut literals: Vec<Literal> = state.literals.iter().map(|held| held.literal).collect();
        let skipped = state.literals.iter().enumerate().filter(|(_, held)| held.is_skipped);
        let skipped = skipped.map(|(i, _)| i).collect();
        literals.extend(&memory.facts);
        let heap_facts = self.heap_facts(&mut pool.terms, &literals);
        literals.extend(&heap_facts);
        let mut bounds = state.bounds.clone();
        bounds.extend(memory.bounds.iter().copied());
        bounds.extend(memory.layout_bounds(&pool.terms, &literals));
        if computes_with_addresses {
            bounds.extend([Bound::Model(Gap::Addresses), Bound::Model(Gap::Aliasing)]);
        }
        if !heap_facts.is_empty() {
            bounds.insert(Bound::Model(Gap::Addresses));
        }
        bounds.extend(self.gaps.iter().map(|gap| Bound::Model(*gap)));
        let limits = self.limits(&mut pool.terms);
        Condition { literals, skipped, guards: memory.guards, limits, bounds }
    }

    /// Whether a state says more of the addresses of input objects than whether they are null. Asked before arguments have
    /// their values: what follows from constant addresses folds.
    fn computes_with_addresses(&self, view: &View<'_>, pool: &mut Pool, state: &State) -> bool {
        let Some(function) = view.cfg.function(self.function) else { return false };
        let params = &function.block(BlockId::ENTRY).params;
        let is_address = |cell: &Cell| match &cell.symbol {
            Some(
                Symbol::Pointer { .. }
                | Symbol::End { .. }
                | Symbol::OneOf { .. }
                | Symbol::Callback { .. },
            ) => true,
            Some(Symbol::Variable(_) | Symbol::Fields(_)) => false,
            None => self.image.arena.contains(&(cell.bits as u32)),
        };
        let addresses: BTreeSet<TermId> = params
            .iter()
            .zip(&self.image.args)
            .filter(|(_, cell)| is_address(cell))
            .map(|(&param, _)| pool.value(0, self.function, param, function.values[param.index()]))
            .collect();
        let terms = &pool.terms;
        let is_null = |term: TermId| terms.as_const(term).is_some_and(|value| value.bits() == 0);
        let roots: Vec<TermId> = state.literals.iter().map(|held| held.literal.term).collect();
        reachable(terms, &roots).into_iter().any(|term| {
            let node = terms.node(term);
            let is_null_check = matches!(node, Node::App { op: Op::Eq, args: &[a, b], .. } if is_null(a) || is_null(b));
            !is_null_check && node.children().iter().any(|child| addresses.contains(child))
        })
    }

    /// New objects lie behind all that was there before, and where allocators put them.
    fn heap_facts(&self, terms: &mut Terms, literals: &[Literal]) -> Vec<Literal> {
        let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let of = variables(terms, &roots);
        let objects = of.into_iter().filter(|&var| is_allocated_name(terms.var_name(var)));
        let objects: Vec<_> = objects.collect();
        let fact = |var| {
            let address = terms.var_term(var);
            let (end, highest) = (u64::from(self.image.arena.end), u64::from(u32::MAX >> 1));
            let (end, highest) = (terms.bv(32, end.max(1)), terms.bv(32, highest));
            let (mask, zero) = (terms.bv(32, 7), terms.bv(32, 0));
            let low = terms.app(Op::BvAnd, &[address, mask]);
            [
                Literal::holds(terms.app(Op::BvUle, &[end, address])),
                Literal::holds(terms.app(Op::BvUle, &[address, highest])),
                Literal::holds(terms.eq(low, zero)),
            ]
        };
        objects.into_iter().flat_map(fact).collect()
    }

    /// Parameters are arguments, globals have their first values.
    fn bind_start(&self, view: &View<'_>, pool: &mut Pool, initial: &Initial, state: &mut State) {
        let mut by = Substitution::new();
        if let Some(function) = view.cfg.function(self.function) {
            let params = &function.block(BlockId::ENTRY).params;
            for (&param, cell) in params.iter().zip(&self.image.args) {
                let ty = function.values[param.index()];
                let variable = pool.value(0, self.function, param, ty);
                let term = cell_term(&mut pool.terms, cell);
                let width = sort_of(ty).bits() as u8;
                by.insert(pool.var_of(variable), as_value(&mut pool.terms, cell.kind, width, term));
            }
        }
        for (index, global) in view.module.globals.iter().enumerate() {
            let Some(bits) = initial.globals.get(index).copied().flatten() else { continue };
            let num = match global.ty {
                ValueType::I32 => Num::I32,
                ValueType::I64 => Num::I64,
                ValueType::F32 => Num::F32,
                ValueType::F64 => Num::F64,
                ValueType::FuncRef => continue,
            };
            let variable = pool.global(index as u32, global.ty);
            by.insert(pool.var_of(variable), constant(&mut pool.terms, num, bits));
        }
        state.apply(pool, &by);
    }

    /// Inputs that calls gave get their names: the first of a name has it, later ones a number. One without a
    /// name stays unknown.
    fn bind_draws(&self, pool: &mut Pool, initial: &Initial, state: &mut State) {
        let mut by = Substitution::new();
        let mut asked: BTreeMap<String, u32> = BTreeMap::new();
        let given = self.given();
        for draw in state.draws.iter().rev() {
            let name = match &draw.name {
                Name::Known(name) => Some(name.clone()),
                Name::At(address) => {
                    let address = pool.terms.as_const(*address).map(|value| value.bits() as usize);
                    address.and_then(|address| string_at(&initial.memory, address))
                }
            };
            let Some(name) = name else { continue };
            let name = next_name(&mut asked, &given, name);
            let known = pool.terms.find_var(&name);
            if known.is_some_and(|var| pool.terms.var_sort(var) != draw.kind.sort()) {
                continue;
            }
            by.insert(draw.var, pool.terms.var(&name, draw.kind.sort()));
        }
        state.apply(pool, &by);
    }

    /// The variables of its inputs, with their sorts. Entries of one search must agree on these.
    pub fn variables(&self) -> BTreeMap<&str, Sort> {
        let mut variables = self.given();
        variables.extend(self.limits.iter().map(|(name, kind, _)| (name.as_str(), kind.sort())));
        let ranges = self.image.ranges.iter();
        variables.extend(ranges.map(|range| (range.name.as_str(), range.kind.sort())));
        variables.extend(self.image.ties.iter().map(|tie| (tie.name.as_str(), tie.kind.sort())));
        variables
    }

    /// Variables of the cells that are there from the start.
    fn given(&self) -> BTreeMap<&str, Sort> {
        let cells = self.image.args.iter().chain(self.image.writes.iter().map(|write| &write.cell));
        let variables = cells.flat_map(|cell| match &cell.symbol {
            None => Vec::new(),
            Some(Symbol::Variable(name)) => vec![(name.as_str(), cell.kind.sort())],
            Some(Symbol::Pointer { present, .. } | Symbol::Callback { present, .. }) => {
                vec![(present.as_str(), Sort::Bool)]
            }
            Some(Symbol::End { present, length, .. }) => {
                vec![(present.as_str(), Sort::Bool), (length.as_str(), Sort::Bv(32))]
            }
            Some(Symbol::OneOf { present, others, .. }) => {
                let choices = others.iter().map(|other| &other.name);
                choices.chain(present).map(|name| (name.as_str(), Sort::Bool)).collect()
            }
            Some(Symbol::Fields(fields)) => {
                let sort = |width: u8| Sort::Bv(width);
                fields.iter().map(|field| (field.name.as_str(), sort(field.width))).collect()
            }
        });
        variables.collect()
    }

    /// What holds of inputs within their limits.
    fn limits(&self, terms: &mut Terms) -> Vec<(Literal, Gap)> {
        let mut limits = Vec::new();
        for (name, kind, gap) in &self.limits {
            let sort = kind.sort();
            let variable = terms.var(name, sort);
            let literal = match sort {
                Sort::Bool => Literal { term: variable, expected: false },
                Sort::Bv(_) | Sort::F32 | Sort::F64 => {
                    let zero = terms.constant(Value::zero(sort));
                    Literal::holds(terms.eq(variable, zero))
                }
            };
            limits.push((literal, *gap));
        }
        for range in &self.image.ranges {
            limits.extend(within(terms, range).map(|literal| (literal, Gap::Length)));
        }
        limits
    }
}

/// `low <= variable <= high`; lengths are integers.
fn within(terms: &mut Terms, range: &CellRange) -> impl Iterator<Item = Literal> + use<> {
    let CellKind::Int { bits, signed } = range.kind else { return Vec::new().into_iter() };
    let variable = terms.var(&range.name, Sort::Bv(bits));
    let op = if signed { Op::BvSle } else { Op::BvUle };
    let (low, high) = (terms.bv(bits, range.low as u64), terms.bv(bits, range.high as u64));
    let above: TermId = terms.app(op, &[low, variable]);
    let below: TermId = terms.app(op, &[variable, high]);
    vec![Literal::holds(above), Literal::holds(below)].into_iter()
}

/// The name of the next cell that is asked for by a name: as the engine counts, cells of the image passed over.
fn next_name(
    asked: &mut BTreeMap<String, u32>,
    given: &BTreeMap<&str, Sort>,
    name: String,
) -> String {
    loop {
        let n = asked.entry(name.clone()).or_insert(0);
        *n += 1;
        let next = if *n == 1 { name.clone() } else { format!("{name}#{}", *n - 1) };
        if !given.contains_key(next.as_str()) {
            return next;
        }
    }
}

fn string_at(memory: &[u8], address: usize) -> Option<String> {
    let bytes = memory.get(address..)?;
    let length = bytes.iter().position(|byte| *byte == 0).filter(|length| *length > 0)?;
    String::from_utf8(bytes[..length].to_vec()).ok()
}
