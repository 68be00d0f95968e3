//! Memory, going back: a write decides what earlier reads of the state see, and leaves the rest to earlier writes.
//!
//! A read is resolved against each write that is passed. If the two addresses differ by a constant, it is known whether
//! they overlap; else the read is a choice: what was written if it lies inside, what was there before if they are apart,
//! anything if they overlap in part. Addresses become constants at the start of an entry, where such choices fold.

use crate::state::{Pool, Read, State};
use crate::substitute::{Substitution, bits};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use symcrete_program::cfg::{Access, ValueType};
use symcrete_program::lower::{extend, extract};
use symcrete_term::{Node, Op, Sort, TermId, Terms};

/// Where a read is, seen from a write.
pub(crate) enum Where {
    /// All its bytes are written, from this one on.
    Inside(TermId),
    Apart,
    /// Some bytes are written and some are not.
    Overlaps,
    /// That depends on this distance from the write's start to the read's.
    Unsure(TermId),
}

impl State {
    /// Before a load its result is bytes of memory.
    pub(crate) fn load(&mut self, pool: &mut Pool, result: TermId, base: TermId, access: Access) {
        let address = moved(&mut pool.terms, base, access.offset);
        let bytes = self.read(pool, address, access.bytes as u8);
        let value = loaded(&mut pool.terms, access, bytes);
        let by = Substitution::from([(pool.var_of(result), value)]);
        self.apply(pool, &by);
    }

    /// The variable of bytes of memory at this point.
    pub(crate) fn read(&mut self, pool: &mut Pool, address: TermId, bytes: u8) -> TermId {
        let known = self.reads.iter().find(|read| read.address == address && read.bytes == bytes);
        if let Some(read) = known {
            return pool.terms.var_term(read.var);
        }
        let variable = pool.fresh(Sort::Bv(8 * bytes));
        self.reads.push(Read { var: pool.var_of(variable), address, bytes });
        variable
    }

    /// Whether a read may be of only a part of a word.
    pub(crate) fn tears(&self, pool: &mut Pool, word: TermId) -> bool {
        let parts = self.reads.iter().filter(|read| read.bytes < 4);
        let mut places =
            parts.map(|read| place(&mut pool.terms, (word, 4), (read.address, read.bytes)));
        places.any(|place| !matches!(place, Where::Apart))
    }

    /// Before a store, reads of what it writes are what it writes.
    pub(crate) fn store(&mut self, pool: &mut Pool, base: TermId, value: TermId, access: Access) {
        if self.reads.is_empty() {
            return;
        }
        let address = moved(&mut pool.terms, base, access.offset);
        let stored = stored(&mut pool.terms, access, value);
        self.overwrite(pool, address, access.bytes, &mut |pool, _, distance, n| {
            cut(&mut pool.terms, stored, distance, n)
        });
    }

    /// Before a write of `length` bytes, what `value` says is in those that are read: it gets the state, the distance of the
    /// first byte from the write's start, and how many there are.
    pub(crate) fn overwrite(
        &mut self,
        pool: &mut Pool,
        start: TermId,
        length: u32,
        value: &mut dyn FnMut(&mut Pool, &mut State, TermId, u8) -> TermId,
    ) {
        self.split_overlaps(pool, start, length);
        let mut by = Substitution::new();
        let mut resolved = Vec::new();
        for read in self.reads.clone() {
            match place(&mut pool.terms, (start, length), (read.address, read.bytes)) {
                Where::Apart => {}
                Where::Inside(distance) => {
                    by.insert(read.var, value(pool, self, distance, read.bytes));
                    resolved.push(read);
                }
                Where::Unsure(distance) => {
                    let before = pool.terms.var_term(read.var);
                    let other = pool.fresh(Sort::Bv(8 * read.bytes));
                    let (inside, apart) = conditions(&mut pool.terms, distance, length, read.bytes);
                    let kept = pool.terms.ite(apart, before, other);
                    let term = match u32::from(read.bytes) <= length {
                        true => {
                            let written = value(pool, self, distance, read.bytes);
                            pool.terms.ite(inside, written, kept)
                        }
                        false => kept,
                    };
                    by.insert(read.var, term);
                }
                Where::Overlaps => {
                    by.insert(read.var, pool.fresh(Sort::Bv(8 * read.bytes)));
                    resolved.push(read);
                }
            }
        }
        self.reads.retain(|read| !resolved.contains(read));
        self.apply(pool, &by);
    }

    /// Reads that a write covers in part become reads of single bytes.
    fn split_overlaps(&mut self, pool: &mut Pool, start: TermId, length: u32) {
        let mut by = Substitution::new();
        for read in self.reads.clone() {
            let place = place(&mut pool.terms, (start, length), (read.address, read.bytes));
            if !matches!(place, Where::Overlaps) || read.bytes == 1 {
                continue;
            }
            let mut whole = None;
            for i in 0..read.bytes {
                let address = moved(&mut pool.terms, read.address, u64::from(i));
                let byte = self.read(pool, address, 1);
                whole = Some(match whole {
                    Some(lower) => pool.terms.app(Op::Concat, &[byte, lower]),
                    None => byte,
                });
            }
            by.extend(whole.map(|whole| (read.var, whole)));
            self.reads.retain(|other| *other != read);
        }
        self.apply(pool, &by);
    }
}

/// Some bytes of a bit-vector, from a distance on that lies inside.
pub(crate) fn cut(terms: &mut Terms, whole: TermId, distance: TermId, n: u8) -> TermId {
    let width = terms.sort(whole).bits() as u8;
    if 8 * n == width {
        return whole;
    }
    if let Some(value) = terms.as_const(distance) {
        let low = 8 * value.bits() as u8;
        return extract(terms, low + 8 * n - 1, low, whole);
    }
    let own = terms.sort(distance).bits() as u8;
    let distance = match width.cmp(&own) {
        Ordering::Equal => distance,
        Ordering::Greater => extend(terms, Op::ZeroExtend, width - own, distance),
        Ordering::Less => extract(terms, width - 1, 0, distance),
    };
    let three = terms.bv(width, 3);
    let bits = terms.app(Op::BvShl, &[distance, three]);
    let shifted = terms.app(Op::BvLshr, &[whole, bits]);
    extract(terms, 8 * n - 1, 0, shifted)
}

/// Where a read is, seen from a write.
pub(crate) fn place(terms: &mut Terms, write: (TermId, u32), read: (TermId, u8)) -> Where {
    let distance = difference(terms, read.0, write.0);
    let Some(value) = terms.as_const(distance) else { return Where::Unsure(distance) };
    let (far, n, length) = (value.bits(), u64::from(read.1), u64::from(write.1));
    let back = far.wrapping_neg() & terms.sort(distance).mask();
    if far < length && far + n <= length {
        Where::Inside(distance)
    } else if far >= length && (far == 0 || back >= n) {
        Where::Apart
    } else {
        Where::Overlaps
    }
}

/// That a read lies inside a write, and that the two are apart.
fn conditions(terms: &mut Terms, distance: TermId, length: u32, n: u8) -> (TermId, TermId) {
    let width = terms.sort(distance).bits() as u8;
    let last = terms.bv(width, u64::from(length.saturating_sub(u32::from(n))));
    let inside = terms.app(Op::BvUle, &[distance, last]);
    let (length, n, zero) =
        (terms.bv(width, u64::from(length)), terms.bv(width, u64::from(n)), terms.bv(width, 0));
    let behind = terms.app(Op::BvUle, &[length, distance]);
    let back = terms.app(Op::BvSub, &[zero, distance]);
    let before = terms.app(Op::BvUle, &[n, back]);
    (inside, terms.app(Op::And, &[behind, before]))
}

/// An address and a constant.
pub(crate) fn moved(terms: &mut Terms, base: TermId, offset: u64) -> TermId {
    let sum = Sum::of(terms, base);
    sum.plus_constant(offset).term(terms)
}

/// The difference of two addresses; a constant if they are the same but for constants.
pub(crate) fn difference(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    let (a, b) = (Sum::of(terms, a), Sum::of(terms, b));
    a.minus(&b).term(terms)
}

/// A sum of multiples of terms and a constant, all as wide as an address: numbers are modulo that.
pub(crate) struct Sum {
    pub(crate) parts: BTreeMap<TermId, u64>,
    pub(crate) constant: u64,
    sort: Sort,
}

impl Sum {
    /// Takes a sum apart.
    #[expect(clippy::wildcard_enum_match_arm, reason = "any other operator is a part of its own")]
    pub(crate) fn of(terms: &Terms, term: TermId) -> Sum {
        let sort = terms.sort(term);
        let width = u64::from(sort.bits());
        let mut sum = Sum { parts: BTreeMap::new(), constant: 0, sort };
        let mut open = vec![(term, 1u64)];
        while let Some((term, factor)) = open.pop() {
            if let Some(value) = terms.as_const(term) {
                sum.constant = sum.constant.wrapping_add(value.bits().wrapping_mul(factor));
                continue;
            }
            let constant = |term: TermId| terms.as_const(term).map(|value| value.bits());
            match terms.node(term) {
                Node::App { op: Op::BvAdd, args, .. } => {
                    open.extend(args.iter().map(|&arg| (arg, factor)));
                }
                Node::App { op: Op::BvSub, args: &[a, b], .. } => {
                    open.extend([(a, factor), (b, factor.wrapping_neg())]);
                }
                Node::App { op: Op::BvMul, args: &[a, b], .. } if constant(b).is_some() => {
                    open.push((a, factor.wrapping_mul(constant(b).unwrap_or(1))));
                }
                Node::App { op: Op::BvShl, args: &[a, b], .. }
                    if constant(b).is_some_and(|k| k < width) =>
                {
                    open.push((a, factor << constant(b).unwrap_or(0)));
                }
                _ => {
                    let part = sum.parts.entry(term).or_insert(0);
                    *part = part.wrapping_add(factor);
                }
            }
        }
        sum.reduced()
    }

    /// The same with all numbers less than what they are modulo.
    fn reduced(mut self) -> Sum {
        let mask = self.sort.mask();
        self.constant &= mask;
        self.parts.values_mut().for_each(|factor| *factor &= mask);
        self.parts.retain(|_, factor| *factor != 0);
        self
    }

    fn plus_constant(mut self, constant: u64) -> Sum {
        self.constant = self.constant.wrapping_add(constant);
        self.reduced()
    }

    fn minus(mut self, other: &Sum) -> Sum {
        self.constant = self.constant.wrapping_sub(other.constant);
        for (&term, factor) in &other.parts {
            let part = self.parts.entry(term).or_insert(0);
            *part = part.wrapping_sub(*factor);
        }
        self.reduced()
    }

    /// The sum as a term; equal sums are the same term.
    pub(crate) fn term(&self, terms: &mut Terms) -> TermId {
        let width = self.sort.bits() as u8;
        let mut whole: Option<TermId> = None;
        for (&term, &factor) in &self.parts {
            let part = if factor == 1 {
                term
            } else if factor.is_power_of_two() {
                let by = terms.bv(width, u64::from(factor.trailing_zeros()));
                terms.app(Op::BvShl, &[term, by])
            } else {
                let factor = terms.bv(width, factor);
                terms.app(Op::BvMul, &[term, factor])
            };
            whole = Some(match whole {
                Some(sum) => terms.app(Op::BvAdd, &[sum, part]),
                None => part,
            });
        }
        let constant = terms.bv(width, self.constant);
        match whole {
            Some(sum) if self.constant == 0 => sum,
            Some(sum) => terms.app(Op::BvAdd, &[sum, constant]),
            None => constant,
        }
    }
}

/// The value of a load of some bytes.
fn loaded(terms: &mut Terms, access: Access, bytes: TermId) -> TermId {
    let width = if matches!(access.ty, ValueType::I64 | ValueType::F64) { 64 } else { 32 };
    let more = width - 8 * access.bytes as u8;
    match access.ty {
        ValueType::F32 | ValueType::F64 => terms.app(Op::FpOfBits, &[bytes]),
        ValueType::I32 | ValueType::I64 | ValueType::FuncRef if more == 0 => bytes,
        ValueType::I32 | ValueType::I64 | ValueType::FuncRef => {
            let op = if access.signed { Op::SignExtend } else { Op::ZeroExtend };
            extend(terms, op, more, bytes)
        }
    }
}

/// The bytes that a store writes.
fn stored(terms: &mut Terms, access: Access, value: TermId) -> TermId {
    match access.ty {
        ValueType::F32 | ValueType::F64 => bits(terms, value),
        ValueType::I32 | ValueType::I64 | ValueType::FuncRef => {
            match terms.sort(value).bits() == 8 * access.bytes {
                true => value,
                false => extract(terms, 8 * access.bytes as u8 - 1, 0, value),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Place;
    use symcrete_program::cfg::BlockId;
    use symcrete_term::{Literal, Valuation, Value};

    const WORD: Access = Access { ty: ValueType::I32, bytes: 4, signed: false, offset: 0, form: 0 };

    fn state() -> State {
        State::at(Place { function: 0, block: BlockId::ENTRY, position: 0, jump: None })
    }

    /// A state that says about a word at an address that it is 7.
    fn with_read(pool: &mut Pool, address: TermId) -> State {
        let mut state = state();
        let word = state.read(pool, address, 4);
        let seven = pool.terms.bv(32, 7);
        let is_seven = pool.terms.eq(word, seven);
        state.hold(&pool.terms, Literal::holds(is_seven));
        state
    }

    #[test]
    fn addresses_that_differ_by_a_constant_are_told_apart() {
        let mut pool = Pool::default();
        let base = pool.terms.var("base", Sort::Bv(32));
        let four = pool.terms.bv(32, 4);
        let next = pool.terms.app(Op::BvAdd, &[base, four]);
        let (one, two) = (pool.terms.bv(32, 7), pool.terms.bv(32, 8));
        let mut state = with_read(&mut pool, base);
        state.store(&mut pool, next, two, WORD);
        assert_eq!((state.reads.len(), state.broken), (1, None), "the store is elsewhere");
        let mut wrong = state.clone();
        wrong.store(&mut pool, base, two, WORD);
        assert_eq!(wrong.broken, Some(0), "8 is not 7");
        state.store(&mut pool, base, one, WORD);
        assert_eq!((state.reads.len(), state.broken), (0, None));
    }

    #[test]
    fn a_part_of_a_word_that_is_written_later_is_that() {
        let mut pool = Pool::default();
        let address = pool.terms.bv(32, 4096);
        let middle = pool.terms.bv(32, 4097);
        let mut state = with_read(&mut pool, address);
        let byte = pool.terms.bv(32, 0);
        state.store(&mut pool, middle, byte, Access { bytes: 1, ..WORD });
        let word = pool.terms.bv(32, 0xff07);
        state.store(&mut pool, address, word, WORD);
        assert_eq!((state.reads.len(), state.broken), (0, None), "0x0007 after both stores");
    }

    #[test]
    fn addresses_that_may_be_the_same_are_a_choice() {
        let mut pool = Pool::default();
        let (a, b) = (pool.terms.var("a", Sort::Bv(32)), pool.terms.var("b", Sort::Bv(32)));
        let mut state = with_read(&mut pool, a);
        let seven = pool.terms.bv(32, 7);
        state.store(&mut pool, b, seven, WORD);
        let var = |pool: &Pool, name| pool.terms.find_var(name).unwrap();
        let before = state.reads[0].var;
        let holds = |pool: &Pool, a: u64, b: u64, word: u64| {
            let of = [(var(pool, "a"), a), (var(pool, "b"), b), (before, word)];
            let valuation: Valuation =
                of.map(|(v, bits)| (v, Value::bv(32, bits))).into_iter().collect();
            pool.terms.satisfies(&[state.literals[0].literal], &valuation)
        };
        assert!(holds(&pool, 64, 64, 1), "the store is what is read");
        assert!(holds(&pool, 64, 72, 7) && !holds(&pool, 64, 72, 1), "what was there before is");
    }
}
