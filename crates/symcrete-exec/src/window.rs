//! Bounded windows: where a symbolic address can point at few places only.
//!
//! An address of the form `base + scale * index`, whose index is known to lie in a small range, reads
//! from a window of memory. The load is then a table term, a snapshot of the window as a function of the
//! index, and nothing needs to be pinned. What is known of an index is its shape (a byte that was
//! widened, a masked value, a remainder) and the comparisons that the path has passed.
//!
//! **Invariant:** a range given here is implied by the term's shape and the path condition so far.

use std::collections::BTreeMap;
use std::ops::Range;
use symcrete_term::{Literal, Node, Op, TermId, Terms, Value};

/// The most cells of a window.
pub(crate) const CELLS_MAX: u64 = 256;

/// A window: cell `i` is at `first + i * scale` and belongs to the index `low + i`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) index: TermId,
    pub(crate) low: u64,
    pub(crate) cells: u64,
    pub(crate) first: u64,
    pub(crate) scale: u64,
}

/// Bounds of one term, both unsigned and signed.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: u64,
    high: u64,
    signed_low: i64,
    signed_high: i64,
}

/// What the path has said about terms.
#[derive(Default)]
pub(crate) struct Knowledge {
    bounds: BTreeMap<TermId, Bounds>,
}

impl Knowledge {
    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.bounds.clear();
    }

    /// Learns from a literal that holds.
    pub(crate) fn learn(&mut self, terms: &Terms, literal: Literal) {
        let Node::App { op, args, .. } = terms.node(literal.term) else { return };
        if op == Op::Not {
            return self.learn(terms, Literal { term: args[0], expected: !literal.expected });
        }
        let &[a, b] = args else { return };
        let constant = |term| terms.as_const(term).map(Value::bits);
        let (term, k, flipped) = match (constant(a), constant(b)) {
            (None, Some(k)) => (a, k, false),
            (Some(k), None) => (b, k, true),
            (None, None) | (Some(_), Some(_)) => return,
        };
        let Some(width) = terms.sort(term).width() else { return };
        // `k < x` says `not (x <= k)`.
        let (op, holds) = match (op, flipped) {
            (Op::BvUlt, true) => (Op::BvUle, !literal.expected),
            (Op::BvUle, true) => (Op::BvUlt, !literal.expected),
            (Op::BvSlt, true) => (Op::BvSle, !literal.expected),
            (Op::BvSle, true) => (Op::BvSlt, !literal.expected),
            (op, _) => (op, literal.expected),
        };
        let shift = 64 - u32::from(width);
        let signed = ((k << shift) as i64) >> shift;
        let bounds = self.bounds.entry(term).or_insert(Bounds {
            low: 0,
            high: u64::MAX >> shift,
            signed_low: i64::MIN >> shift,
            signed_high: i64::MAX >> shift,
        });
        bounds.narrow(op, holds, k, signed);
    }

    /// Whether the path has said that a term is at least a number, as signed numbers or unsigned ones.
    pub(crate) fn is_at_least(&self, term: TermId, k: u32, is_signed: bool) -> bool {
        match (self.bounds.get(&term), is_signed) {
            (Some(bounds), true) => bounds.signed_low >= i64::from(k),
            (Some(bounds), false) => bounds.low >= u64::from(k),
            (None, _) => !is_signed && k == 0,
        }
    }

    /// The least and greatest unsigned value of a term, as far as is known.
    fn range(&self, terms: &Terms, term: TermId) -> (u64, u64) {
        let known = self.narrowed(term, shape_range(terms, term));
        let Node::App { op, args, indices } = terms.node(term) else { return known };
        // Half of what is small is all of it.
        if op == Op::Extract && indices[1] == 0 {
            let whole = self.narrowed(args[0], shape_range(terms, args[0]));
            let is_all = whole.1 <= terms.sort(term).mask();
            return if is_all { (known.0.max(whole.0), known.1.min(whole.1)) } else { known };
        }
        // What was widened is often bounded itself: the path compares it, or the image does.
        if op != Op::ZeroExtend && op != Op::SignExtend {
            return known;
        }
        let inner = self.narrowed(args[0], shape_range(terms, args[0]));
        let keeps_value = op == Op::ZeroExtend || inner.1 <= terms.sort(args[0]).mask() >> 1;
        match keeps_value {
            true => (known.0.max(inner.0), known.1.min(inner.1)),
            false => known,
        }
    }

    /// A range with what the path says about the term itself.
    fn narrowed(&self, term: TermId, (mut low, mut high): (u64, u64)) -> (u64, u64) {
        if let Some(bounds) = self.bounds.get(&term) {
            (low, high) = (low.max(bounds.low), high.min(bounds.high));
            if bounds.signed_low >= 0 {
                low = low.max(bounds.signed_low as u64);
                high = high.min(bounds.signed_high as u64);
            }
        }
        (low, high)
    }

    /// The window an address points into, if it is small and does not wrap around: by what is known of
    /// its index, or else of the address as a whole.
    pub(crate) fn window(&self, terms: &Terms, address: TermId, offset: u32) -> Option<Window> {
        self.affine_window(terms, affine(terms, address), offset)
            .or_else(|| self.affine_window(terms, (0, 1, address), offset))
    }

    fn affine_window(
        &self,
        terms: &Terms,
        (base, scale, index): (u32, u64, TermId),
        offset: u32,
    ) -> Option<Window> {
        let (low, high) = self.range(terms, index);
        let cells = high.checked_sub(low)?.checked_add(1)?;
        if !(2..=CELLS_MAX).contains(&cells) || scale == 0 || scale > 1 << 16 {
            return None;
        }
        // A base beyond the middle is a negative displacement.
        [i64::from(base), i64::from(base as i32)].into_iter().find_map(|base| {
            let at = |index: u64| i64::try_from(index.checked_mul(scale)?).ok()?.checked_add(base);
            let (first, last) = (at(low)?, at(high)?);
            (first >= 0 && last <= i64::from(u32::MAX)).then_some(Window {
                index,
                low,
                cells,
                first: first as u64 + u64::from(offset),
                scale,
            })
        })
    }
}

impl Window {
    /// The cells that lie in an object with all their `n` bytes; `None` if there is none.
    pub(crate) fn clipped(self, object: &Range<u32>, n: u64) -> Option<Window> {
        let (start, end) = (u64::from(object.start), u64::from(object.end));
        let skipped = start.saturating_sub(self.first).div_ceil(self.scale);
        let last = end.checked_sub(n)?.checked_sub(self.first)? / self.scale;
        let cells = last.min(self.cells - 1).checked_sub(skipped)? + 1;
        let first = self.first + skipped * self.scale;
        Some(Window { low: self.low + skipped, cells, first, ..self })
    }

    /// Whether one of its cells is at an address.
    pub(crate) fn contains(&self, address: u64) -> bool {
        (self.first..=self.first + (self.cells - 1) * self.scale).contains(&address)
    }

    /// From its first byte to the end of its last cell, which has `n` bytes.
    pub(crate) fn bytes(&self, n: u64) -> Range<u64> {
        self.first..self.first + (self.cells - 1) * self.scale + n
    }
}

impl Bounds {
    fn narrow(&mut self, op: Op, holds: bool, k: u64, signed: i64) {
        match (op, holds) {
            (Op::Eq, true) => {
                (self.low, self.high) = (k, k);
                (self.signed_low, self.signed_high) = (signed, signed);
            }
            (Op::BvUlt, true) => self.high = self.high.min(k.saturating_sub(1)),
            (Op::BvUlt, false) => self.low = self.low.max(k),
            (Op::BvUle, true) => self.high = self.high.min(k),
            (Op::BvUle, false) => self.low = self.low.max(k.saturating_add(1)),
            (Op::BvSlt, true) => self.signed_high = self.signed_high.min(signed.saturating_sub(1)),
            (Op::BvSlt, false) => self.signed_low = self.signed_low.max(signed),
            (Op::BvSle, true) => self.signed_high = self.signed_high.min(signed),
            (Op::BvSle, false) => self.signed_low = self.signed_low.max(signed.saturating_add(1)),
            _ => {}
        }
    }
}

/// Takes constant displacements and scales off an address.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is affine")]
fn affine(terms: &Terms, address: TermId) -> (u32, u64, TermId) {
    let (mut base, mut scale, mut term) = (0u32, 1u64, address);
    while let Node::App { op, args: &[inner, k], .. } = terms.node(term) {
        let Some(k) = terms.as_const(k).map(Value::bits) else { break };
        // Below a scale a sum may wrap unseen, so only the outermost displacement is taken.
        match op {
            Op::BvAdd if scale == 1 => base = base.wrapping_add(k as u32),
            Op::BvShl if scale == 1 && k < 16 => scale <<= k,
            Op::BvMul if scale == 1 && (1..1 << 16).contains(&k) => scale = k,
            _ => break,
        }
        term = inner;
    }
    (base, scale, term)
}

/// What a term's shape says about its unsigned value.
fn shape_range(terms: &Terms, term: TermId) -> (u64, u64) {
    let all = (0, terms.sort(term).mask());
    match terms.node(term) {
        Node::Const(value) => (value.bits(), value.bits()),
        Node::Lookup { table, .. } => {
            let (_, entries) = terms.table_entries(table);
            (0, entries.iter().copied().max().unwrap_or(0))
        }
        Node::App { op, args, .. } => {
            let constant = args.last().and_then(|&last| terms.as_const(last)).map(Value::bits);
            match (op, constant) {
                (Op::ZeroExtend, _) => (0, terms.sort(args[0]).mask()),
                (Op::BvAnd, Some(mask)) => (0, mask),
                (Op::BvUrem, Some(k)) if k > 0 => (0, k - 1),
                (Op::BvLshr, Some(k)) if k < 64 => (0, all.1 >> k),
                _ => all,
            }
        }
        Node::Var(_) | Node::Call { .. } => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_term::Sort;

    #[test]
    fn a_widened_byte_is_a_window_of_256_cells() {
        let mut terms = Terms::new();
        let byte = terms.var("b", Sort::Bv(8));
        let index = terms.app_indexed(Op::ZeroExtend, [24, 0], &[byte]);
        let (two, base) = (terms.bv(32, 2), terms.bv(32, 1000));
        let scaled = terms.app(Op::BvShl, &[index, two]);
        let address = terms.app(Op::BvAdd, &[scaled, base]);
        let window = Knowledge::default().window(&terms, address, 16).unwrap();
        assert_eq!(window, Window { index, low: 0, cells: 256, first: 1016, scale: 4 });
    }

    #[test]
    fn comparisons_on_the_path_bound_an_index() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(32));
        let (ten, zero, base) = (terms.bv(32, 10), terms.bv(32, 0), terms.bv(32, 64));
        let address = terms.app(Op::BvAdd, &[x, base]);
        let mut knowledge = Knowledge::default();
        assert_eq!(knowledge.window(&terms, address, 0), None);
        let below = terms.app(Op::BvSlt, &[x, ten]);
        knowledge.learn(&terms, Literal::holds(below));
        assert_eq!(knowledge.window(&terms, address, 0), None);
        let negative = terms.app(Op::BvSlt, &[x, zero]);
        knowledge.learn(&terms, Literal::holds(negative).negated());
        let window = knowledge.window(&terms, address, 0).unwrap();
        assert_eq!((window.low, window.cells, window.first), (0, 10, 64));
    }

    #[test]
    fn a_window_that_wraps_is_none() {
        let mut terms = Terms::new();
        let byte = terms.var("b", Sort::Bv(8));
        let index = terms.app_indexed(Op::ZeroExtend, [24, 0], &[byte]);
        let base = terms.bv(32, 0xffff_fff0);
        let address = terms.app(Op::BvAdd, &[index, base]);
        assert_eq!(Knowledge::default().window(&terms, address, 0), None);
    }
}
