//! Which terms some roots depend on.

use crate::arena::{TermId, Terms};

/// All terms below the roots and the roots themselves, children before parents.
pub fn reachable(terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
    let Some(last) = roots.iter().max() else { return Vec::new() };
    // Ids are topologically ordered, so a bit per id, read from the front, is the answer in order.
    let mut seen = vec![0u64; last.index() / 64 + 1];
    let mut stack = Vec::new();
    let mut n_seen = 0;
    let mut visit = |term: TermId, stack: &mut Vec<TermId>| {
        let (word, bit) = (term.index() / 64, 1 << (term.index() % 64));
        if seen[word] & bit == 0 {
            seen[word] |= bit;
            n_seen += 1;
            stack.push(term);
        }
    };
    for &root in roots {
        visit(root, &mut stack);
        while let Some(term) = stack.pop() {
            for &child in terms.node(term).children() {
                visit(child, &mut stack);
            }
        }
    }
    let mut order = Vec::with_capacity(n_seen);
    for (word, &bits) in seen.iter().enumerate() {
        let mut rest = bits;
        while rest != 0 {
            order.push(TermId::from_index(word * 64 + rest.trailing_zeros() as usize));
            rest &= rest - 1;
        }
    }
    order
}
