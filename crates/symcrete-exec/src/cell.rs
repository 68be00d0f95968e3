//! Cells of an image: what the machine gets, and the terms that stand for it.
//!
//! **Invariant:** a cell's term evaluates to the bits that the machine gets, on the values of the
//! variables in [`Recording::given`].

use crate::error::ExecError;
use crate::lower::{as_value, end_term, in_memory};
use crate::recording::{Recording, Stop};
use crate::trace::Origin;
use symcrete_program::nan;
use symcrete_program::{BitsOf, Cell, CellKind, CellRange, Inside, Other, SiteId, Symbol};
use symcrete_term::eval::eval;
use symcrete_term::{Literal, Node, Op, Sort, TermId, Terms, Value};

/// A cell's bits and, unless it is concrete, its term: a bit-vector of its width, a Boolean or a float.
type Lowered = (u64, Option<TermId>);

impl Recording {
    /// A cell as bytes in memory: its bits, and the bit-vector of all its bytes.
    pub(crate) fn cell_in_memory(&mut self, cell: &Cell) -> Result<Lowered, ExecError> {
        let (bits, term) = self.cell(cell)?;
        Ok((bits, term.map(|term| in_memory(&mut self.terms, cell.kind, term))))
    }

    /// A cell as a value of a WebAssembly type with that many bits.
    pub(crate) fn cell_as_value(&mut self, cell: &Cell, width: u8) -> Result<Lowered, ExecError> {
        let (bits, term) = self.cell(cell)?;
        let bits = extend_bits(cell.kind, bits);
        Ok((bits, term.map(|term| as_value(&mut self.terms, cell.kind, width, term))))
    }

    fn cell(&mut self, cell: &Cell) -> Result<Lowered, ExecError> {
        let sort = cell.kind.sort();
        match &cell.symbol {
            None if sort.is_float() => Ok((cell.bits, None)),
            None => Ok((Value::from_bits(sort, cell.bits).bits(), None)),
            Some(Symbol::Variable(name)) => {
                let value = Value::from_bits(sort, cell.bits);
                let term = self.give(name, value)?;
                if !sort.is_float() {
                    return Ok((value.bits(), Some(term)));
                }
                let bits = cell.bits & sort.mask();
                let companion = if nan::is_nan(cell.kind, bits) { bits } else { 0 };
                self.give(&nan::companion(name), Value::bv(sort.bits() as u8, companion))?;
                Ok((bits, Some(term)))
            }
            Some(Symbol::Pointer { present, address, others }) => {
                let (_, lowered) = self.pointer(cell, present, *address, others)?;
                Ok(lowered)
            }
            Some(Symbol::End { present, address, stride, length, n }) => {
                self.end(cell, present, (*address, *stride), (length, *n))
            }
            Some(Symbol::OneOf { present, others, last }) => {
                let width = cell.kind.sort().bits() as u8;
                let places = self.places(width, *last, others)?;
                let Some(present) = present else {
                    let lists = others.iter().map(|other| other.condition(&mut self.terms));
                    self.lists.extend(lists);
                    return Ok((cell.bits, Some(places)));
                };
                let condition = self.give(present, Value::Bool(cell.bits != 0))?;
                self.pointers.insert(condition, cell.bits != 0);
                let null = self.terms.bv(width, 0);
                Ok((cell.bits, Some(self.terms.ite(condition, places, null))))
            }
            Some(Symbol::Callback { present, index, callee }) => {
                let (condition, lowered) = self.pointer(cell, present, *index, &[])?;
                self.functions.insert(condition);
                let known = callee.iter().map(|callee| (callee.number, callee.clone()));
                self.callbacks.extend(known);
                Ok(lowered)
            }
            Some(Symbol::Fields(fields)) => self.bit_fields(cell, fields),
        }
    }

    /// A pointer that is null or points to one of some places, and the variable that says whether it is null.
    fn pointer(
        &mut self,
        cell: &Cell,
        present: &str,
        place: u32,
        others: &[Other],
    ) -> Result<(TermId, Lowered), ExecError> {
        let width = integer_width(present, cell.kind)?;
        let is_there = cell.bits != 0;
        let condition = self.give(present, Value::Bool(is_there))?;
        self.pointers.insert(condition, is_there);
        let there = self.places(width, place, others)?;
        let null = self.terms.bv(width, 0);
        let chosen = others.iter().find(|other| other.holds).map_or(place, Other::place);
        let bits = if is_there { u64::from(chosen) } else { 0 };
        Ok((condition, (bits, Some(self.terms.ite(condition, there, null)))))
    }

    /// The first of some places whose condition holds, or the last.
    fn places(&mut self, width: u8, last: u32, others: &[Other]) -> Result<TermId, ExecError> {
        let mut place = self.terms.bv(width, u64::from(last));
        for other in others.iter().rev() {
            self.give(&other.name, Value::Bool(other.is_chosen))?;
            let chosen = other.condition(&mut self.terms);
            self.pointers.insert(chosen, other.holds);
            let address = match &other.inside {
                Some(Inside { name, n, mask, stride, resizes }) => {
                    let literal = Literal { term: chosen, expected: other.holds };
                    self.resizing.extend(resizes.then_some(literal));
                    let n = self.give(name, Value::bv(32, u64::from(*n)))?;
                    let mask = self.terms.bv(32, u64::from(*mask));
                    let n = self.terms.app(Op::BvAnd, &[n, mask]);
                    end_term(&mut self.terms, n, (other.address, *stride), width)
                }
                None => self.terms.bv(width, u64::from(other.address)),
            };
            place = self.terms.ite(chosen, address, place);
        }
        Ok(place)
    }

    /// A pointer behind the last element of an array.
    fn end(
        &mut self,
        cell: &Cell,
        present: &str,
        (address, stride): (u32, u32),
        (length, n): (&str, u32),
    ) -> Result<Lowered, ExecError> {
        let is_there = cell.bits != 0;
        let condition = self.give(present, Value::Bool(is_there))?;
        self.pointers.insert(condition, is_there);
        let length = self.give(length, Value::bv(32, u64::from(n)))?;
        let width = cell.kind.sort().bits() as u8;
        let end = end_term(&mut self.terms, length, (address, stride), width);
        let null = self.terms.bv(width, 0);
        Ok((cell.bits, Some(self.terms.ite(condition, end, null))))
    }

    /// Variables and concrete bits put together, lowest first.
    fn bit_fields(&mut self, cell: &Cell, fields: &[BitsOf]) -> Result<Lowered, ExecError> {
        let mut fields: Vec<&BitsOf> = fields.iter().collect();
        fields.sort_by_key(|field| field.low);
        let mut whole: Option<TermId> = None;
        let mut at = 0;
        let mut append = |terms: &mut Terms, part: TermId| {
            whole = Some(match whole {
                Some(lower) => terms.app(Op::Concat, &[part, lower]),
                None => part,
            });
        };
        for field in fields {
            let width = integer_width(&field.name, cell.kind)?;
            let end = u32::from(field.low) + u32::from(field.width);
            if field.low < at || field.width == 0 || end > u32::from(width) {
                let why = "overlaps another bit-field or its unit's end";
                return Err(ExecError::InvalidCell { name: field.name.clone(), why });
            }
            if field.low > at {
                let gap = self.terms.bv(field.low - at, cell.bits >> at);
                append(&mut self.terms, gap);
            }
            let value = Value::bv(field.width, cell.bits >> field.low);
            let term = self.give(&field.name, value)?;
            append(&mut self.terms, term);
            at = end as u8;
        }
        let width = cell.kind.sort().bits() as u8;
        if at > 0 && at < width {
            let rest = self.terms.bv(width - at, cell.bits >> at);
            append(&mut self.terms, rest);
        }
        Ok((Value::from_bits(cell.kind.sort(), cell.bits).bits(), whole))
    }

    /// Records first of all which arrays have another size because something points into them: no other run goes the same
    /// way.
    pub(crate) fn settle_sizes(&mut self) -> Result<(), Stop> {
        for literal in std::mem::take(&mut self.resizing) {
            self.settle(0, literal, Origin::ObjectGuard)?;
        }
        Ok(())
    }

    /// Declares a variable of this run and notes its value.
    pub(crate) fn give(&mut self, name: &str, value: Value) -> Result<TermId, ExecError> {
        let clash = || ExecError::InvalidCell {
            name: name.to_string(),
            why: "stands for another kind of cell already",
        };
        let term = self.variable(name, value.sort()).ok_or_else(clash)?;
        self.given.push((term, value));
        Ok(term)
    }

    /// The variable of that name, unless one of another sort has it.
    pub(crate) fn variable(&mut self, name: &str, sort: Sort) -> Option<TermId> {
        match self.terms.find_var(name) {
            Some(var) => (self.terms.var_sort(var) == sort).then(|| self.terms.var_term(var)),
            None => Some(self.terms.var(name, sort)),
        }
    }

    /// Called once all cells are given: values by term, each variable with one value only.
    pub(crate) fn settle_given(&mut self) -> Result<(), ExecError> {
        self.given.sort_unstable();
        self.given.dedup();
        let Some(pair) = self.given.windows(2).find(|pair| pair[0].0 == pair[1].0) else {
            return Ok(());
        };
        let name = match self.terms.node(pair[0].0) {
            Node::Var(var) => self.terms.var_name(var).to_string(),
            Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => {
                unreachable!("only variables are given")
            }
        };
        Err(ExecError::InvalidCell { name, why: "has two values" })
    }

    /// The value that the image gave to a variable.
    pub(crate) fn given_value(&self, term: TermId) -> Option<Value> {
        let at = self.given.binary_search_by_key(&term, |&(given, _)| given).ok()?;
        Some(self.given[at].1)
    }

    /// Records what is assumed of a variable before the call; says how the run ends if that does not
    /// hold.
    pub(crate) fn assume_range(
        &mut self,
        range: &CellRange,
    ) -> Result<Result<(), Stop>, ExecError> {
        let sort = range.kind.sort();
        let clash = || ExecError::InvalidCell {
            name: range.name.clone(),
            why: "has a range as another kind of cell",
        };
        let variable = self.variable(&range.name, sort).ok_or_else(clash)?;
        let value = match self.given_value(variable) {
            Some(value) => value,
            None => self.drawn_value(&range.name, sort),
        };
        let Some((op, low, high)) = limits_of(range) else { return Ok(Ok(())) };
        let mut all_hold = true;
        for (limit, is_low) in [(low, true), (high, false)] {
            let order = |limit, x| if is_low { [limit, x] } else { [x, limit] };
            let limit_term = self.terms.constant(limit);
            let term = self.terms.app(op, &order(limit_term, variable));
            let values = if is_low { [limit, value] } else { [value, limit] };
            let expected = eval(op, [0, 0], &values) == Value::Bool(true);
            all_hold &= expected;
            let literal = Literal { term, expected };
            if let Err(stop) = self.record(SiteId::at(0), literal, Origin::Range) {
                return Ok(Err(stop));
            }
        }
        Ok(if all_hold { Ok(()) } else { Err(Stop::Rejected) })
    }
}

/// How a range is compared, and its two ends; `None` if it says nothing.
fn limits_of(range: &CellRange) -> Option<(Op, Value, Value)> {
    let CellRange { kind, low, high, .. } = *range;
    match kind {
        CellKind::Int { bits, signed } => {
            let shift = 64 - u32::from(bits);
            let (least, greatest, op) = match signed {
                true => (i64::MIN >> shift, i64::MAX >> shift, Op::BvSle),
                false => (0, (u64::MAX >> shift) as i64, Op::BvUle),
            };
            if (low, high) == (least, greatest) {
                return None;
            }
            Some((op, Value::bv(bits, low as u64), Value::bv(bits, high as u64)))
        }
        CellKind::F32 => Some((Op::FpLe, Value::f32(low as f32), Value::f32(high as f32))),
        CellKind::F64 => Some((Op::FpLe, Value::f64(low as f64), Value::f64(high as f64))),
        // Both values of a Boolean are in every range that a shape can mean.
        CellKind::Bool => None,
    }
}

fn integer_width(name: &str, kind: CellKind) -> Result<u8, ExecError> {
    match kind {
        CellKind::Int { bits, .. } => Ok(bits),
        CellKind::Bool | CellKind::F32 | CellKind::F64 => {
            Err(ExecError::InvalidCell { name: name.to_string(), why: "needs an integer cell" })
        }
    }
}

/// A cell's bits with its sign, if it has one, carried up.
pub(crate) fn extend_bits(kind: CellKind, bits: u64) -> u64 {
    match kind {
        CellKind::Int { bits: width, signed: true } => {
            let shift = 64 - u32::from(width);
            (((bits << shift) as i64) >> shift) as u64
        }
        CellKind::Int { signed: false, .. } | CellKind::Bool | CellKind::F32 | CellKind::F64 => {
            bits
        }
    }
}
