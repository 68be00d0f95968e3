//! Pointers in addresses.
//!
//! A pointer of the input is `present ? address : 0`, with both addresses constant, or has the object of another pointer
//! (`present ? same ? other : address : 0`). Where one is dereferenced, possibly after arithmetic, each choice is taken at what it is in this run, and the pointer
//! is that constant from then on. So what remains of an address is what else is symbolic in it: an index,
//! of which more may be known.

use crate::recording::{Address, Recording, Stop};
use crate::trace::Origin;
use std::collections::BTreeMap;
use std::ops::Range;
use symcrete_term::{Literal, Node, Op, TermId, Terms, Value};

/// Larger sums are taken as they are.
const PARTS_MAX: usize = 16;

/// An address as a sum in which pointers are constants.
#[derive(Default)]
struct Sum {
    /// The constant part, modulo the width of the address.
    base: u64,
    /// What is symbolic, and whether it is subtracted.
    parts: Vec<(TermId, bool)>,
    /// What says which pointers are there, and where they point.
    choices: Vec<Choice>,
}

/// What a pointer depends on.
struct Choice {
    condition: TermId,
    /// Whether the pointer is null if it does not hold.
    is_presence: bool,
}

impl Recording {
    /// Takes the pointers in an address at what they are. Where null pointers trap this is a guard, so
    /// that exploration can aim at the opposite. A large offset to a null pointer may be a good address.
    /// Says whether there was one.
    pub(crate) fn follow(&mut self, site: u32, address: Address) -> Result<(Address, bool), Stop> {
        self.follow_by(site, address, false)
    }

    /// The same for one who goes on if a pointer is null: exploration then makes it null, too.
    pub(crate) fn follow_or_null(
        &mut self,
        site: u32,
        address: Address,
    ) -> Result<(Address, bool), Stop> {
        self.follow_by(site, address, true)
    }

    fn follow_by(
        &mut self,
        site: u32,
        address: Address,
        may_be_null: bool,
    ) -> Result<(Address, bool), Stop> {
        let origin = match self.bytes.poison.is_active() {
            true => Origin::ObjectGuard,
            false => Origin::Concretized,
        };
        if address.shadow == 0 || self.pointers.is_empty() {
            return Ok((address, false));
        }
        let term = TermId::from_index(address.shadow as usize - 1);
        let sum = Sum::of(&self.terms, &self.pointers, term);
        let Some(sum) = sum.filter(|sum| !sum.choices.is_empty()) else {
            return Ok((address, false));
        };
        for Choice { condition, is_presence } in sum.choices {
            let literal = Literal { term: condition, expected: self.pointers[&condition] };
            // That a pointer is there would be taken for what the program expects.
            let literal = match may_be_null && is_presence && !self.is_settled(literal) {
                true => Literal { term: self.terms.not(condition), expected: !literal.expected },
                false => literal,
            };
            self.settle(site, literal, origin)?;
        }
        let sort = self.terms.sort(term);
        let mut term = self.terms.constant(Value::from_bits(sort, sum.base));
        for (part, is_negative) in sum.parts {
            let args = [term, part];
            term = self.terms.app(if is_negative { Op::BvSub } else { Op::BvAdd }, &args);
        }
        Ok((Address { shadow: self.shadow(term)?, ..address }, true))
    }

    /// The object that a symbolic address belongs to: its constant part points into it. Compilers make `a[i - 1]` an
    /// index into what starts one element before `a`; objects are far enough apart that nothing is there.
    pub(crate) fn home(&self, address: TermId, offset: u32) -> Option<Range<u32>> {
        let sum = Sum::of(&self.terms, &self.pointers, address)?;
        let base = (sum.base as u32).wrapping_add(offset);
        self.object_at(base, self.tied_at(base))
    }
}

impl Sum {
    /// Splits an address; `None` if it is too large a sum.
    #[expect(clippy::wildcard_enum_match_arm, reason = "any other operator is a part of its own")]
    fn of(terms: &Terms, pointers: &BTreeMap<TermId, bool>, address: TermId) -> Option<Sum> {
        let mut sum = Sum::default();
        let mut open = vec![(address, false)];
        while let Some((term, is_negative)) = open.pop() {
            if open.len() + sum.parts.len() > PARTS_MAX {
                return None;
            }
            if let Some(value) = terms.as_const(term) {
                sum.add_constant(value.bits(), is_negative);
                continue;
            }
            match terms.node(term) {
                Node::App { op: Op::BvAdd, args, .. } => {
                    open.extend(args.iter().map(|&arg| (arg, is_negative)));
                }
                Node::App { op: Op::BvSub, args: &[a, b], .. } => {
                    open.extend([(a, is_negative), (b, !is_negative)]);
                }
                Node::App { op: Op::Ite, args: &[condition, then, otherwise], .. }
                    if pointers.contains_key(&condition) =>
                {
                    // A choice between pointers may be below another.
                    let null = terms.as_const(otherwise);
                    let is_presence = null.is_some_and(|null| null.bits() == 0);
                    sum.choices.push(Choice { condition, is_presence });
                    let chosen = if pointers[&condition] { then } else { otherwise };
                    open.push((chosen, is_negative));
                }
                // The arguments of a variadic function are aligned.
                Node::App { op: Op::BvAnd, args: &[a, b], .. } => {
                    let aligned = Sum::aligned(terms, pointers, a, b)
                        .or_else(|| Sum::aligned(terms, pointers, b, a));
                    match aligned {
                        Some(inner) => {
                            sum.add_constant(inner.base, is_negative);
                            sum.choices.extend(inner.choices);
                        }
                        None => sum.parts.push((term, is_negative)),
                    }
                }
                _ => sum.parts.push((term, is_negative)),
            }
        }
        Some(sum)
    }

    /// An address in which some bits are cleared, if it is one of a few constants.
    fn aligned(
        terms: &Terms,
        pointers: &BTreeMap<TermId, bool>,
        address: TermId,
        mask: TermId,
    ) -> Option<Sum> {
        let mask = terms.as_const(mask)?.bits();
        let is_small = |node: Node<'_>| matches!(node, Node::App { op: Op::BvAdd | Op::Ite, .. });
        let sum = Sum::of(terms, pointers, address).filter(|_| is_small(terms.node(address)))?;
        let is_constant = sum.parts.is_empty() && !sum.choices.is_empty();
        is_constant.then_some(Sum { base: sum.base & mask, ..sum })
    }

    fn add_constant(&mut self, k: u64, is_negative: bool) {
        self.base = match is_negative {
            true => self.base.wrapping_sub(k),
            false => self.base.wrapping_add(k),
        };
    }
}
