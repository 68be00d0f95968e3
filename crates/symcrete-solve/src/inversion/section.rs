//! Parts of a condition that are inverted as a whole.
//!
//! `x ^ x >> 7` and `x + (x << 5)` cannot be inverted one operator at a time, because both arguments move with `x`. A section is a
//! term with what lies below it, down to some leaves: seen from a leaf it is one function, evaluated again and again by the method for
//! its [`Kind`]. It ends at the nearest term that all inputs go through, if there is one, and otherwise where operators are of another kind.

use super::network::Network;
use std::collections::BTreeSet;
use symcrete_term::{Node, Op, Rng, Value};

/// Larger sections are left to the operators one by one.
const TERMS_MAX: usize = 1_024;
/// How far a term is looked for that all inputs go through.
const TERMS_TO_CUT_MAX: usize = 128;
/// Tables with more entries are not looked at.
const ENTRIES_MAX: usize = 4_096;

/// What the operators of a section have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Each bit of the result is an exclusive or of bits of the leaves: xor, shifts, masks, extracts, steps of shift registers,
    /// tables of checksums.
    Xor,
    /// The low bits of the result depend on the low bits of the leaves alone: sums, products, shifts to the left, bitwise
    /// operators.
    Carry,
}

/// A term down to its leaves. See the module.
pub(super) struct Section {
    /// What is below the root and is no leaf, children first; the root is the last.
    inner: Vec<Inner>,
    /// Positions in the network.
    leaves: Vec<usize>,
}

struct Inner {
    at: usize,
    args: Vec<Argument>,
}

#[derive(Clone, Copy)]
enum Argument {
    Inner(usize),
    Leaf(usize),
    Fixed(Value),
}

/// Whether an operator at a position belongs to a kind of section.
fn is_of(kind: Kind, network: &Network<'_>, at: usize) -> bool {
    match kind {
        Kind::Xor => is_xor(network, at),
        Kind::Carry => is_carry(network, at),
    }
}

impl Section {
    /// The section between a term and the nearest one below it that all inputs go through. `None` if there is no such term nearby.
    pub(super) fn to_cut(network: &Network<'_>, root: usize) -> Option<Section> {
        let mut inside = Vec::new();
        let mut open = BTreeSet::from([root]);
        // Children have smaller positions, so what is alone here has all paths going through it.
        while inside.is_empty() || open.len() > 1 {
            let at = open.pop_last()?;
            if network.is_input(at) {
                return None;
            }
            inside.push(at);
            let children = network.children(at).iter().map(|&child| child as usize);
            open.extend(children.filter(|&child| network.has_input(child)));
            if inside.len() > TERMS_TO_CUT_MAX {
                return None;
            }
        }
        Some(Section::new(network, inside, open.into_iter().collect()))
    }

    /// The section of a kind that goes as far down as it can. `None` if it is a single operator, too large, or of another kind.
    pub(super) fn to_other_kinds(
        network: &Network<'_>,
        root: usize,
        kind: Kind,
    ) -> Option<Section> {
        if !is_of(kind, network, root) {
            return None;
        }
        let (mut inside, mut leaves, mut open) = (vec![root], Vec::new(), vec![root]);
        let mut seen = BTreeSet::from([root]);
        while let Some(at) = open.pop() {
            for &child in network.children(at) {
                let child = child as usize;
                if !network.has_input(child) || !seen.insert(child) {
                    continue;
                }
                if is_of(kind, network, child) {
                    inside.push(child);
                    open.push(child);
                } else {
                    leaves.push(child);
                }
            }
            if inside.len() > TERMS_MAX {
                return None;
            }
        }
        (inside.len() > 1).then(|| Section::new(network, inside, leaves))
    }

    fn new(network: &Network<'_>, mut inside: Vec<usize>, mut leaves: Vec<usize>) -> Section {
        inside.sort_unstable();
        leaves.sort_unstable();
        let argument = |&child: &u32| {
            let child = child as usize;
            match (inside.binary_search(&child), leaves.binary_search(&child)) {
                (Ok(i), _) => Argument::Inner(i),
                (_, Ok(i)) => Argument::Leaf(i),
                (Err(_), Err(_)) => Argument::Fixed(network.value(child)),
            }
        };
        let inner = inside
            .iter()
            .map(|&at| Inner { at, args: network.children(at).iter().map(argument).collect() });
        Section { inner: inner.collect(), leaves }
    }

    /// Whether all its operators are of a kind.
    pub(super) fn is_of(&self, kind: Kind, network: &Network<'_>) -> bool {
        self.inner.iter().all(|inner| is_of(kind, network, inner.at))
    }

    /// How many operators an evaluation takes.
    pub(super) fn n_operators(&self) -> usize {
        self.inner.len()
    }

    /// Where its leaves are.
    pub(super) fn leaves(&self) -> &[usize] {
        &self.leaves
    }

    /// The values of its leaves as they are.
    pub(super) fn leaf_values(&self, network: &Network<'_>) -> Vec<Value> {
        self.leaves.iter().map(|&leaf| network.value(leaf)).collect()
    }

    /// The bits of the root for these values of the leaves.
    pub(super) fn evaluate(&self, network: &Network<'_>, leaves: &[Value]) -> u64 {
        self.values(network, leaves).last().expect("a section has its root").bits()
    }

    /// What all its terms are for these values of the leaves; the root is the last.
    fn values(&self, network: &Network<'_>, leaves: &[Value]) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(self.inner.len());
        for Inner { at, args } in &self.inner {
            let value = network.apply(*at, |i| args[i].value(&values, leaves));
            values.push(value);
        }
        values
    }

    /// Hands a wish down from the root to a leaf, operator by operator, given values of the leaves: what leaf should be what.
    pub(super) fn hand_down(
        &self,
        network: &Network<'_>,
        leaves: &[Value],
        mut wanted: u64,
        rng: &mut Rng,
    ) -> Option<(usize, u64)> {
        let values = self.values(network, leaves);
        let mut inner = values.len() - 1;
        loop {
            let Inner { at, args } = &self.inner[inner];
            let given: Vec<Value> = args.iter().map(|arg| arg.value(&values, leaves)).collect();
            let is_open = |&i: &usize| !matches!(args[i], Argument::Fixed(_));
            let open: Vec<usize> = (0..args.len()).filter(is_open).collect();
            let term = network.term(*at, &given);
            let (position, bits) = term.any_argument(&open, wanted, rng)?;
            wanted = bits;
            match args[position] {
                Argument::Inner(next) => inner = next,
                Argument::Leaf(leaf) => return Some((leaf, bits)),
                Argument::Fixed(_) => return None,
            }
        }
    }
}

impl Argument {
    fn value(self, values: &[Value], leaves: &[Value]) -> Value {
        match self {
            Argument::Inner(inner) => values[inner],
            Argument::Leaf(leaf) => leaves[leaf],
            Argument::Fixed(value) => value,
        }
    }
}

/// Whether a term is, or looks like, an exclusive or of bits of those arguments that depend on inputs. Who uses it checks the result,
/// so a term may be taken in that is not.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other operators mix bits in other ways")]
fn is_xor(network: &Network<'_>, at: usize) -> bool {
    let children = network.children(at);
    let fixed = |i: usize| {
        let child = children[i] as usize;
        (!network.has_input(child)).then(|| network.bits(child))
    };
    match network.node(at) {
        Node::Const(_) | Node::Var(_) | Node::Call { .. } => false,
        Node::Lookup { .. } => is_affine_table(network, at),
        Node::App { op, .. } => match op {
            Op::Not | Op::Xor | Op::BvNot | Op::BvXor => true,
            Op::Concat | Op::Extract | Op::ZeroExtend | Op::SignExtend => true,
            Op::BvAnd | Op::BvOr => fixed(0).is_some() || fixed(1).is_some(),
            Op::BvShl | Op::BvLshr | Op::BvAshr | Op::BvRotl | Op::BvRotr => fixed(1).is_some(),
            Op::BvMul => [0, 1].iter().any(|&i| fixed(i).is_some_and(u64::is_power_of_two)),
            // A step of a shift register: one bit decides between a word and the same word with some bits turned.
            Op::Ite => is_condition_bit(network, children[0] as usize),
            Op::Eq => (0..2)
                .any(|i| fixed(i).is_some() && is_single_bit(network, children[1 - i] as usize)),
            Op::BvSlt => fixed(1) == Some(0),
            _ => false,
        },
    }
}

/// A condition that asks for a single bit.
fn is_condition_bit(network: &Network<'_>, mut at: usize) -> bool {
    while let Node::App { op: Op::Not, .. } = network.node(at) {
        at = network.children(at)[0] as usize;
    }
    let is_question = matches!(network.node(at), Node::App { op: Op::Eq | Op::BvSlt, .. });
    is_question && is_xor(network, at)
}

/// A single bit of something, in a word of any width.
fn is_single_bit(network: &Network<'_>, at: usize) -> bool {
    if network.sort(at).bits() == 1 {
        return true;
    }
    let Node::App { op: Op::BvAnd, .. } = network.node(at) else { return false };
    network.children(at).iter().any(|&child| {
        !network.has_input(child as usize) && network.bits(child as usize).is_power_of_two()
    })
}

/// Whether each entry of a table is the exclusive or of the entries of the bits of its index, as in tables of checksums.
fn is_affine_table(network: &Network<'_>, at: usize) -> bool {
    let Some(entries) = network.entries(at) else { return false };
    if entries.len() > ENTRIES_MAX || entries.len() < 4 || !entries.len().is_power_of_two() {
        return false;
    }
    // An entry follows from those of its highest bit and of the rest.
    (1..entries.len()).all(|i| {
        let highest = 1 << i.ilog2();
        entries[i] == entries[highest] ^ entries[i - highest] ^ entries[0]
    })
}

/// Whether the low bits of a term depend on the low bits of its arguments alone.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other operators bring high bits down")]
fn is_carry(network: &Network<'_>, at: usize) -> bool {
    let Node::App { op, .. } = network.node(at) else { return false };
    match op {
        Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvNeg => true,
        Op::BvNot | Op::BvXor | Op::BvAnd | Op::BvOr => true,
        Op::BvShl => !network.has_input(network.children(at)[1] as usize),
        _ => false,
    }
}
