//! Search by inversion: what must an input be so that this literal holds?
//!
//! A violated literal wants another value. That wish is handed down, from a term to one of its arguments, by computing the
//! argument's value that gives the wanted one while the others stay: through sums, xors, shifts, products with odd numbers, table
//! entries, conversions and library functions. At the end it is an input that moves. (A. Niemetz, M. Preiner,
//! A. Biere, *Precise and Complete Propagation Based Local Search for Satisfiability Modulo Theories*, CAV 2016, for bit-vectors; floats and
//! calls are ours.) Where no such value exists a random one is tried; now and then an input moves by bits,
//! bytes or small amounts.
//!
//! Only terms above a moved input are evaluated again. A step is one such move. It finds models and proves nothing.

mod bits;
mod floats;
mod inverse;
mod network;

use crate::random::{Draws, Source};
use crate::{Budget, Query, Solver, Verdict, Why};
use network::Network;
use symcrete_term::{Literal, Node, Op, Rng, Seed, Sort, Value};

/// Moves without a new best before everything is drawn anew.
const PATIENCE: u64 = 2_000;
/// One move in so many is a blind one.
const BLIND_ONE_IN: u64 = 20;

/// The solver.
pub struct Inversion {
    seed: Seed,
}

impl Inversion {
    /// A solver; the same seed and query give the same moves.
    pub fn new(seed: Seed) -> Inversion {
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
    rng: Rng,
}

impl Search<'_, '_> {
    /// Moves inputs until all literals hold.
    fn run(&mut self, budget: &mut Budget) -> Result<(), Why> {
        let mut fewest = usize::MAX;
        let mut n_vain = 0;
        loop {
            budget.charge(1)?;
            let n_violated = self.network.n_violated();
            if n_violated == 0 {
                return Ok(());
            }
            if self.network.n_inputs() == 0 {
                return Err(Why::GaveUp);
            }
            n_vain = if n_violated < fewest { 0 } else { n_vain + 1 };
            fewest = fewest.min(n_violated);
            if n_vain > PATIENCE {
                (n_vain, fewest) = (0, usize::MAX);
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
        loop {
            let sort = self.network.sort(at);
            let node = self.network.node(at);
            if let Node::Var(_) = node {
                let input = self.network.input_at(at);
                let bits = Value::from_bits(sort, wanted).bits();
                if bits == self.network.bits(at) {
                    break;
                }
                self.network.set_input(input, bits);
                return;
            }
            let Some((position, bits)) = self.choose(at, node, wanted) else { break };
            at = self.network.children(at)[position] as usize;
            wanted = bits;
        }
        self.move_blindly(literal);
    }

    /// An argument of a term that is not constant, and what it should be for the term to be as wanted.
    fn choose(&mut self, at: usize, node: Node<'_>, wanted: u64) -> Option<(usize, u64)> {
        let children: Vec<usize> =
            self.network.children(at).iter().map(|&child| child as usize).collect();
        let open: Vec<usize> =
            (0..children.len()).filter(|&i| self.network.has_input(children[i])).collect();
        if open.is_empty() {
            return None;
        }
        let values: Vec<Value> = children.iter().map(|&child| self.network.value(child)).collect();
        let first = self.rng.below(open.len() as u64) as usize;
        let result = self.network.sort(at);
        // An argument for which the wish can be met is better than one for which it cannot.
        for turn in 0..open.len() {
            let position = open[(first + turn) % open.len()];
            if is_beside_the_point(node, &values, position, wanted) {
                continue;
            }
            let term = inverse::Term { terms: self.query.terms, node, result, args: &values };
            if let Some(bits) = term.argument(position, wanted, &mut self.rng)
                && bits != values[position].bits()
            {
                return Some((position, bits));
            }
        }
        let position = open[first];
        Some((position, self.source.value(&mut self.rng, values[position].sort())))
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

/// A conjunct that holds already, or an arm that is not taken: it need not change.
#[expect(clippy::wildcard_enum_match_arm, reason = "all arguments of other operators matter")]
fn is_beside_the_point(node: Node<'_>, values: &[Value], position: usize, wanted: u64) -> bool {
    let Node::App { op, .. } = node else { return false };
    let value = values[position].bits();
    match op {
        Op::And | Op::Or if values[0].sort() == Sort::Bool => value == wanted,
        Op::Ite if position > 0 => (values[0].bits() == 1) != (position == 1),
        // The condition changes only if the other arm is what is wanted.
        Op::Ite => values[if value == 1 { 2 } else { 1 }].bits() != wanted,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
