//! Search by inversion: what must an input be so that this literal holds?
//!
//! A violated literal wants another value. That wish is handed down, from a term to one of its arguments, by computing the
//! argument's value that gives the wanted one while the others stay: through sums, xors, shifts, products with odd numbers, table
//! entries, conversions and library functions. At the end it is an input that moves. (A. Niemetz, M. Preiner,
//! A. Biere, *Precise and Complete Propagation Based Local Search for Satisfiability Modulo Theories*, CAV 2016, for bit-vectors; floats and
//! calls are ours.) Where a variable comes in more than once on the way (`x ^ x >> 7`), a whole section of terms is inverted at once ([`whole`]).
//! Where no such value exists a random one is tried; now and then an input moves by bits, bytes or small amounts.
//!
//! Only terms above a moved input are evaluated again. A step is one such move. It finds models and proves nothing.

mod bits;
mod floats;
mod inverse;
mod network;
mod section;
mod whole;

use crate::random::{Draws, Source};
use crate::{Budget, Query, Solver, Verdict, Why};
use network::Network;
use symcrete_term::{Literal, Node, Op, Rng, Seed, Value};
use whole::{Systems, Wish};

/// Moves without a new best before everything is drawn anew.
const PATIENCE: u64 = 2_000;
/// One move in so many is a blind one.
const BLIND_ONE_IN: u64 = 20;

/// One wish in so many is handed down operator by operator also where a section could be inverted.
const BY_OPERATOR_ONE_IN: u64 = 32;
/// Sections that a move may fail to invert before it gives up: it must stay cheap.
const SECTIONS_IN_VAIN_MAX: u32 = 4;
/// Choices that are looked through for a wanted value.
const CHOICES_MAX: usize = 1_024;

/// The solver.
pub(crate) struct Inversion {
    seed: Seed,
}

impl Inversion {
    /// A solver; the same seed and query give the same moves.
    pub(crate) fn new(seed: Seed) -> Inversion {
        Inversion { seed: seed.derive("solver/inversion") }
    }
}

impl Solver for Inversion {
    fn name(&self) -> &'static str {
        "inversion"
    }

    fn solve(&mut self, query: &Query<'_>, budget: &mut Budget) -> Verdict {
        let mut search = Search {
            network: Network::new(query.terms, query.literals, query.hint),
            source: Source::new(query, Draws::Mixed),
            systems: Systems::default(),
            rng: query.seed(self.seed).rng(),
            query,
        };
        match search.run(budget) {
            Ok(()) => Verdict::Sat(search.network.model()),
            Err(why) => Verdict::Unknown(why),
        }
    }
}

struct Search<'q, 'a> {
    query: &'q Query<'a>,
    network: Network<'a>,
    source: Source,
    systems: Systems,
    rng: Rng,
}

impl Search<'_, '_> {
    /// Moves inputs until all literals hold.
    fn run(&mut self, budget: &mut Budget) -> Result<(), Why> {
        let mut fewest = usize::MAX;
        let mut n_failed = 0;
        loop {
            budget.charge(1)?;
            let n_violated = self.network.n_violated();
            if n_violated == 0 {
                return Ok(());
            }
            if self.network.n_inputs() == 0 {
                return Err(Why::GaveUp);
            }
            n_failed = if n_violated < fewest { 0 } else { n_failed + 1 };
            fewest = fewest.min(n_violated);
            if n_failed > PATIENCE {
                (n_failed, fewest) = (0, usize::MAX);
                self.draw_all();
                continue;
            }
            let violated = self.network.violated(self.rng.below(n_violated as u64) as usize);
            let literal = self.query.literals[violated];
            if self.rng.one_in(BLIND_ONE_IN) {
                self.move_blindly(literal);
            } else {
                self.hand_down(literal);
            }
        }
    }

    fn draw_all(&mut self) {
        for input in 0..self.network.n_inputs() {
            let bits = self.source.value(&mut self.rng, self.network.input_sort(input));
            self.network.set_input(input, bits);
        }
    }

    /// Hands a literal's wanted value down to an input and moves that.
    fn hand_down(&mut self, literal: Literal) {
        let mut at = self.network.position(literal.term);
        let mut wanted = u64::from(literal.expected);
        let mut n_failed = 0;
        loop {
            if self.network.is_input(at) {
                let bits = Value::from_bits(self.network.sort(at), wanted).bits();
                if bits == self.network.bits(at) {
                    break;
                }
                self.network.set_input(self.network.input_at(at), bits);
                return;
            }
            match *self.wishes(at, wanted, &mut n_failed) {
                [] => break,
                [(below, bits)] => (at, wanted) = (below, bits),
                ref inputs => {
                    for &(input, bits) in inputs {
                        self.network.set_input(self.network.input_at(input), bits);
                    }
                    return;
                }
            }
        }
        self.move_blindly(literal);
    }

    /// What terms below another one should be for it to be as wanted: one of them, or several inputs. `n_failed` counts the sections
    /// of this move that could not be inverted.
    fn wishes(&mut self, at: usize, wanted: u64, n_failed: &mut u32) -> Vec<Wish> {
        let children = self.network.children(at).iter();
        let n_open = children.filter(|&&child| self.network.has_input(child as usize)).count();
        // Where one argument alone depends on inputs, the operator's own inverse is as good.
        let may_invert = n_open > 1
            && *n_failed < SECTIONS_IN_VAIN_MAX
            && self.network.sort(at).width().is_some()
            && !self.rng.one_in(BY_OPERATOR_ONE_IN);
        if may_invert {
            let wishes = whole::invert(&self.network, at, wanted, &mut self.systems, &mut self.rng);
            let moves = |wishes: &Vec<Wish>| {
                wishes.iter().any(|&(leaf, bits)| bits != self.network.bits(leaf))
            };
            if let Some(wishes) = wishes.filter(moves) {
                return wishes;
            }
            *n_failed += 1;
        }
        let wish = self.other_choice(at, wanted).or_else(|| self.argument(at, wanted));
        wish.into_iter().collect()
    }

    /// If a term is a choice between values, or between such choices: a condition that would choose what is wanted.
    fn other_choice(&mut self, at: usize, wanted: u64) -> Option<Wish> {
        let mut fits: Vec<Wish> = Vec::new();
        let mut open = vec![at];
        let mut n_seen = 0;
        while let Some(at) = open.pop()
            && n_seen < CHOICES_MAX
        {
            let Node::App { op: Op::Ite, .. } = self.network.node(at) else { continue };
            n_seen += 1;
            let [condition, yes, no] = *self.network.children(at) else { continue };
            for (arm, truth) in [(yes as usize, 1), (no as usize, 0)] {
                let condition = condition as usize;
                let is_other = self.network.bits(condition) != truth;
                if is_other && self.network.has_input(condition) && self.network.bits(arm) == wanted
                {
                    fits.push((condition, truth));
                }
                open.push(arm);
            }
        }
        (!fits.is_empty()).then(|| *self.rng.choose(&fits))
    }

    /// An argument of a term that is not constant, and what it should be for the term to be as wanted.
    fn argument(&mut self, at: usize, wanted: u64) -> Option<Wish> {
        let children: Vec<usize> =
            self.network.children(at).iter().map(|&child| child as usize).collect();
        let open: Vec<usize> =
            (0..children.len()).filter(|&i| self.network.has_input(children[i])).collect();
        if open.is_empty() {
            return None;
        }
        let values: Vec<Value> = children.iter().map(|&child| self.network.value(child)).collect();
        let term = self.network.term(at, &values);
        if let Some((position, bits)) = term.any_argument(&open, wanted, &mut self.rng) {
            return Some((children[position], bits));
        }
        let position = *self.rng.choose(&open);
        let drawn = self.source.value(&mut self.rng, values[position].sort());
        Some((children[position], drawn))
    }

    /// Moves a random input of a literal by bits, bytes or a small amount.
    fn move_blindly(&mut self, literal: Literal) {
        let inputs = self.network.inputs_of(literal.term);
        if inputs.is_empty() {
            return;
        }
        let input = *self.rng.choose(&inputs);
        let sort = self.network.input_sort(input);
        let old = self.network.input(input);
        let width = u64::from(sort.bits());
        let rng = &mut self.rng;
        let bits = match rng.below(5) {
            0 => old ^ 1 << rng.below(width),
            1 => old ^ rng.below(256) << (rng.below(width.div_ceil(8)) * 8),
            2 => crate::search::domain::stepped(sort, old, rng.between(-16, 16)),
            3 => old.wrapping_add(1 << rng.below(width)),
            _ => self.source.value(rng, sort),
        };
        self.network.set_input(input, Value::from_bits(sort, bits).bits());
    }
}

#[cfg(test)]
mod tests;
