//! What the concrete form need not look at again.
//!
//! Values have numbers: those with the same number are the same. What an access has found out of an address holds until a call or a
//! place that code arrives at from elsewhere, since code itself only ever clears tags (`tags.rs`).

use crate::access::Access;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_program::module::{ValueType, WasmOp};

/// The number of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Number(u32);

/// How a value comes about, if that says what it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Constant(ValueType, u64),
    Operator(u32, Number, Option<Number>),
}

/// What is known of the tags of some bytes.
#[derive(Clone, Copy)]
enum Seen {
    /// They could be read, so many at once.
    Readable(u32),
    /// They have none.
    Clear(u32),
}

/// What is known at a place of a function.
#[derive(Default)]
pub(crate) struct Numbers {
    n: u32,
    origins: BTreeMap<Origin, Number>,
    locals: BTreeMap<u32, Number>,
    /// By address and offset.
    seen: BTreeMap<(Number, u64), Seen>,
    gathered: BTreeSet<Number>,
}

impl Numbers {
    fn fresh(&mut self) -> Number {
        self.n += 1;
        Number(self.n)
    }

    fn of(&mut self, origin: Origin) -> Number {
        if let Some(&number) = self.origins.get(&origin) {
            return number;
        }
        let number = self.fresh();
        self.origins.insert(origin, number);
        number
    }

    pub(crate) fn constant(&mut self, ty: ValueType, bits: u64) -> Number {
        self.of(Origin::Constant(ty, bits))
    }

    /// The result of an operator on integers, given the numbers of its operands.
    pub(crate) fn operator(&mut self, op: WasmOp, operands: &[Option<Number>]) -> Option<Number> {
        let second = operands.get(1).copied();
        let first = operands.first().copied().flatten()?;
        (second != Some(None))
            .then(|| self.of(Origin::Operator(op as u32, first, second.flatten())))
    }

    pub(crate) fn local(&mut self, local: u32) -> Number {
        if let Some(&number) = self.locals.get(&local) {
            return number;
        }
        let number = self.fresh();
        self.locals.insert(local, number);
        number
    }

    pub(crate) fn set_local(&mut self, local: u32, number: Option<Number>) {
        match number {
            Some(number) => self.locals.insert(local, number),
            None => self.locals.remove(&local),
        };
    }

    /// Code arrives here from elsewhere: locals may have other values, and nothing need have been looked at.
    pub(crate) fn arrive(&mut self) {
        self.locals.clear();
        self.forget();
    }

    /// Somebody else may change tags.
    pub(crate) fn forget(&mut self) {
        self.seen.clear();
        self.gathered.clear();
    }

    /// Whether the tags of an access need not be looked at; from now on they have been.
    pub(crate) fn is_seen(&mut self, access: Access, address: Option<Number>) -> bool {
        let Some(address) = address else { return false };
        let (place, bytes) = ((address, access.offset), access.bytes);
        let seen = self.seen.get(&place).copied();
        let is_seen = match (seen, access.form().is_store) {
            (Some(Seen::Clear(n)), _) => n >= bytes,
            (Some(Seen::Readable(n)), false) => n == bytes,
            (Some(Seen::Readable(_)), true) | (None, _) => false,
        };
        if !is_seen {
            self.seen.insert(
                place,
                match access.form().is_store {
                    true => Seen::Clear(bytes),
                    false => Seen::Readable(bytes),
                },
            );
        }
        is_seen
    }

    /// Whether an address has been gathered; from now on it has been.
    pub(crate) fn is_gathered(&mut self, address: Option<Number>) -> bool {
        address.is_some_and(|address| !self.gathered.insert(address))
    }
}
