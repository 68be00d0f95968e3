//! What leaves of a section must be for its root to have a wanted value.
//!
//! *Xor*: the section is an affine map over bits; flipping one bit of a leaf shows one column of its matrix, and Gaussian elimination
//! gives all solutions, of which a random one is taken. One leaf is tried first, then all inputs among the leaves together.
//! *Carry*: a leaf is found bit by bit from the lowest, going back where a bit cannot be right (Klimov and Shamir call such functions
//! triangular).
//!
//! Sections of both kinds, or of none, are gone through operator by operator with one leaf, a few times.
//!
//! What is found was evaluated: it is right as long as nothing else that the section reads moves with the leaf.

use super::network::Network;
use super::section::{Kind, Section};
use std::collections::BTreeMap;
use symcrete_term::{Rng, Value};

/// Unknown bits of one system of equations.
const UNKNOWNS_MAX: usize = 128;
/// Operators that one inversion may evaluate.
const WORK_MAX: usize = 1 << 14;
/// Leaves that are tried alone.
const LEAVES_MAX: usize = 3;

/// Wishes that are handed down through a section before it is left.
const ROUNDS_MAX: usize = 12;

/// A leaf, by its position in the network, and the bits that it should have.
pub(super) type Wish = (usize, u64);

/// Values of leaves for which the root has the wanted bits: of one leaf, or of several that are all inputs.
pub(super) fn invert(
    network: &Network<'_>,
    root: usize,
    wanted: u64,
    systems: &mut Systems,
    rng: &mut Rng,
) -> Option<Vec<Wish>> {
    if let Some(section) = Section::to_cut(network, root) {
        let found = if section.is_of(Kind::Xor, network) {
            systems.solve(network, &section, root, wanted, rng)
        } else if section.is_of(Kind::Carry, network) {
            solve_carries(network, &section, wanted, rng)
        } else {
            None
        };
        let found = found.or_else(|| solve_by_operators(network, &section, wanted, rng));
        if found.is_some() {
            return found;
        }
    }
    [Kind::Xor, Kind::Carry].into_iter().find_map(|kind| {
        let section = Section::to_other_kinds(network, root, kind)?;
        match kind {
            Kind::Xor => solve_bits(network, &section, wanted, rng),
            Kind::Carry => solve_carries(network, &section, wanted, rng),
        }
    })
}

/// The equations of sections with a single leaf, by their roots: they stay the same whatever the inputs are.
#[derive(Default)]
pub(super) struct Systems {
    known: BTreeMap<usize, System>,
}

impl Systems {
    fn solve(
        &mut self,
        network: &Network<'_>,
        section: &Section,
        root: usize,
        wanted: u64,
        rng: &mut Rng,
    ) -> Option<Vec<Wish>> {
        let &[leaf] = section.leaves() else { return None };
        let sort = network.sort(leaf);
        if section.n_operators() * sort.bits() as usize > WORK_MAX {
            return None;
        }
        let system = self.known.entry(root).or_insert_with(|| {
            let at = |bits: u64| section.evaluate(network, &[Value::from_bits(sort, bits)]);
            let mut system = System::new(at(0));
            (0..sort.bits()).for_each(|bit| system.add(at(1 << bit) ^ system.constant, 1 << bit));
            system
        });
        let bits = system.solve(wanted, rng)? as u64;
        let is_right = section.evaluate(network, &[Value::from_bits(sort, bits)]) == wanted;
        is_right.then(|| vec![(leaf, bits)])
    }
}

/// Wishes handed down one after the other until the root is as wanted, as for two parts of a word that are put together.
fn solve_by_operators(
    network: &Network<'_>,
    section: &Section,
    wanted: u64,
    rng: &mut Rng,
) -> Option<Vec<Wish>> {
    let mut values = section.leaf_values(network);
    for _ in 0..ROUNDS_MAX {
        let (leaf, bits) = section.hand_down(network, &values, wanted, rng)?;
        values[leaf] = Value::from_bits(values[leaf].sort(), bits);
        if section.evaluate(network, &values) == wanted {
            return Some(vec![(section.leaves()[leaf], bits)]);
        }
    }
    None
}

fn solve_bits(
    network: &Network<'_>,
    section: &Section,
    wanted: u64,
    rng: &mut Rng,
) -> Option<Vec<Wish>> {
    let n_leaves = section.leaves().len();
    let first = rng.below(n_leaves as u64) as usize;
    let singles = (0..n_leaves.min(LEAVES_MAX)).map(|i| vec![(first + i) % n_leaves]);
    let is_input = |&i: &usize| network.is_input(section.leaves()[i]);
    let inputs: Vec<usize> = (0..n_leaves).filter(is_input).collect();
    let together = (inputs.len() > 1).then_some(inputs);
    let mut work = 0;
    for chosen in singles.chain(together) {
        let n_bits: usize = chosen.iter().map(|&i| leaf_bits(network, section, i)).sum();
        let chosen =
            if n_bits > UNKNOWNS_MAX { few(network, section, chosen, rng) } else { chosen };
        work += n_bits.min(UNKNOWNS_MAX) * section.n_operators();
        if work > WORK_MAX {
            return None;
        }
        if let Some(wishes) = solve_system(network, section, &chosen, wanted, rng) {
            return Some(wishes);
        }
    }
    None
}

fn leaf_bits(network: &Network<'_>, section: &Section, leaf: usize) -> usize {
    network.sort(section.leaves()[leaf]).bits() as usize
}

/// As many of the leaves as there may be unknowns, beginning anywhere.
fn few(
    network: &Network<'_>,
    section: &Section,
    mut leaves: Vec<usize>,
    rng: &mut Rng,
) -> Vec<usize> {
    let first = rng.below(leaves.len() as u64) as usize;
    leaves.rotate_left(first);
    let mut n_bits = 0;
    leaves.retain(|&leaf| {
        n_bits += leaf_bits(network, section, leaf);
        n_bits <= UNKNOWNS_MAX
    });
    leaves
}

/// Which bits of the chosen leaves have to flip, by Gaussian elimination.
fn solve_system(
    network: &Network<'_>,
    section: &Section,
    chosen: &[usize],
    wanted: u64,
    rng: &mut Rng,
) -> Option<Vec<Wish>> {
    let mut values = section.leaf_values(network);
    let now = section.evaluate(network, &values);
    let mut unknowns: Vec<(usize, u32)> = Vec::new();
    for &leaf in chosen {
        unknowns.extend((0..values[leaf].sort().bits()).map(|bit| (leaf, bit)));
    }
    let mut system = System::new(now);
    for (unknown, &(leaf, bit)) in unknowns.iter().enumerate() {
        let old = values[leaf];
        values[leaf] = Value::from_bits(old.sort(), old.bits() ^ 1 << bit);
        system.add(section.evaluate(network, &values) ^ now, 1 << unknown);
        values[leaf] = old;
    }
    let flipped = system.solve(wanted, rng)?;
    for (unknown, &(leaf, bit)) in unknowns.iter().enumerate() {
        if flipped >> unknown & 1 == 1 {
            let old = values[leaf];
            values[leaf] = Value::from_bits(old.sort(), old.bits() ^ 1 << bit);
        }
    }
    let is_right = section.evaluate(network, &values) == wanted;
    let wishes = chosen.iter().map(|&leaf| (section.leaves()[leaf], values[leaf].bits()));
    is_right.then(|| wishes.collect())
}

/// A constant and vectors over bits, each with the unknowns that it is the sum of.
struct System {
    constant: u64,
    /// By highest bit.
    basis: [Option<(u64, u128)>; 64],
    /// Sums of unknowns that change nothing.
    free: Vec<u128>,
}

impl System {
    fn new(constant: u64) -> System {
        System { constant, basis: [None; 64], free: Vec::new() }
    }

    fn add(&mut self, vector: u64, unknowns: u128) {
        let (rest, unknowns) = self.reduced(vector, unknowns);
        match rest.checked_ilog2() {
            Some(highest) => self.basis[highest as usize] = Some((rest, unknowns)),
            None => self.free.push(unknowns),
        }
    }

    /// Unknowns whose sum, with the constant, is a vector: a random one of all solutions.
    fn solve(&self, vector: u64, rng: &mut Rng) -> Option<u128> {
        let (rest, unknowns) = self.reduced(vector ^ self.constant, 0);
        let drawn = self.free.iter().filter(|_| rng.one_in(2));
        let free = drawn.fold(0, |sum, &one| sum ^ one);
        (rest == 0).then_some(unknowns ^ free)
    }

    fn reduced(&self, mut vector: u64, mut unknowns: u128) -> (u64, u128) {
        for bit in (0..64).rev() {
            if vector >> bit & 1 == 1
                && let Some((other, others)) = self.basis[bit]
            {
                vector ^= other;
                unknowns ^= others;
            }
        }
        (vector, unknowns)
    }
}

/// A leaf bit by bit, the lowest first.
fn solve_carries(
    network: &Network<'_>,
    section: &Section,
    wanted: u64,
    rng: &mut Rng,
) -> Option<Vec<Wish>> {
    let n_leaves = section.leaves().len();
    let first = rng.below(n_leaves as u64) as usize;
    let mut values = section.leaf_values(network);
    let mut work = 0;
    for leaf in (0..n_leaves).map(|i| (first + i) % n_leaves) {
        let (old, sort) = (values[leaf], values[leaf].sort());
        let mut agrees = |bits: u64| {
            work += section.n_operators();
            values[leaf] = Value::from_bits(sort, bits);
            (work <= WORK_MAX)
                .then(|| (section.evaluate(network, &values) ^ wanted).trailing_zeros())
        };
        if let Some(bits) = lift(sort.bits(), &mut agrees, rng) {
            return Some(vec![(section.leaves()[leaf], bits)]);
        }
        values[leaf] = old;
    }
    None
}

/// A word for which all bits agree, given how many low bits agree for a word. `None` if there is none, or too much was tried.
fn lift(width: u32, agrees: &mut impl FnMut(u64) -> Option<u32>, rng: &mut Rng) -> Option<u64> {
    let coin = rng.next_u64();
    // Words of which the lower bits are decided, with how many they are.
    let mut open = vec![(0u64, 0u32)];
    while let Some((word, n_decided)) = open.pop() {
        if agrees(word)? < n_decided {
            continue;
        }
        if n_decided == width {
            return Some(word);
        }
        let bit = 1 << n_decided;
        open.push((word | (!coin & bit), n_decided + 1));
        open.push((word | (coin & bit), n_decided + 1));
    }
    None
}
