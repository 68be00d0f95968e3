//! Shrinking the sets of all terms of a query until one is empty or nothing changes.
//!
//! Upwards, a term's set is cut to what its arguments' sets allow ([`image`]). Downwards, an argument loses
//! every part of its set for which the term's image misses the term's set: parts are found by bisection from
//! both ends, with [`image`] as the only judge. So both directions are right if `image` is, for every operator
//! and every function at once; a few operators have an inverse of their own ([`inverse`]). (The scheme is HC4's: Benhamou, Goualard, Granvilliers, Puget, "Revising hull and
//! box consistency", 1999; the downward half is box consistency.)

use super::domain::{Domain, Span};
use super::forward::{Step, image};
use super::inverse::inverse;
use super::math::Math;
use crate::Query;
use symcrete_term::{Node, Op, TermId, Terms};

/// Passes up and down; they soon bring little.
const ROUNDS_MAX: usize = 10;

/// Positions of the arguments of a term. Terms of more arguments are leaves.
const ARGS_MAX: usize = 3;

/// The terms of a query, children first, and what each can be.
pub(crate) struct Network<'a> {
    pub(crate) steps: Vec<Step<'a>>,
    args: Vec<([u32; ARGS_MAX], u8)>,
    pub(crate) domains: Vec<Domain>,
    /// When each set changed, and when each term was last looked at upwards and downwards.
    changed: Vec<u32>,
    seen: Vec<[u32; 2]>,
    clock: u32,
    fuel: u32,
}

/// Some set is empty: no valuation makes all literals hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Contradiction;

impl<'a> Network<'a> {
    /// The terms in an order where children come first. `fuel` bounds how many images are computed.
    pub(crate) fn new(terms: &'a Terms, order: &[TermId], fuel: u32) -> Network<'a> {
        let n = order.len();
        let position =
            |term: TermId| order.binary_search(&term).expect("children are reachable") as u32;
        let mut network = Network {
            steps: Vec::with_capacity(n),
            args: Vec::with_capacity(n),
            domains: Vec::with_capacity(n),
            changed: vec![1; n],
            seen: vec![[0; 2]; n],
            clock: 1,
            fuel,
        };
        for &term in order {
            let step = step_of(terms, term);
            let mut args = ([0; ARGS_MAX], 0);
            if !matches!(step, Step::Leaf) {
                let children = terms.node(term).children();
                for (arg, &child) in args.0.iter_mut().zip(children) {
                    *arg = position(child);
                }
                args.1 = children.len() as u8;
            }
            network.steps.push(step);
            network.args.push(args);
            network.domains.push(
                terms.as_const(term).map_or_else(|| Domain::top(terms.sort(term)), Domain::only),
            );
        }
        network
    }

    /// Demands that all literals hold.
    pub(crate) fn demand(
        &mut self,
        query: &Query<'_>,
        order: &[TermId],
    ) -> Result<(), Contradiction> {
        for literal in query.literals {
            if let Ok(i) = order.binary_search(&literal.term) {
                self.cut(i, Domain::truth(literal.expected))?;
            }
        }
        Ok(())
    }

    /// The positions of a term's arguments.
    pub(crate) fn args(&self, i: usize) -> &[u32] {
        let (args, n) = &self.args[i];
        &args[..usize::from(*n)]
    }

    /// Takes from a set what another one does not have.
    pub(crate) fn cut(&mut self, i: usize, to: Domain) -> Result<(), Contradiction> {
        let less = self.domains[i].meet(to);
        if less != self.domains[i] {
            self.domains[i] = less;
            self.clock += 1;
            self.changed[i] = self.clock;
        }
        if less.is_empty() { Err(Contradiction) } else { Ok(()) }
    }

    /// Restores all sets.
    pub(crate) fn restore(&mut self, domains: &[Domain]) {
        self.clock += 1;
        for (i, &domain) in domains.iter().enumerate() {
            if self.domains[i] != domain {
                self.domains[i] = domain;
                self.changed[i] = self.clock;
            }
        }
    }

    /// Adds fuel for another round of contraction.
    pub(crate) fn refuel(&mut self, fuel: u32) {
        self.fuel = fuel;
    }

    pub(crate) fn is_out_of_fuel(&self) -> bool {
        self.fuel == 0
    }

    /// Up and down until nothing changes, the rounds are over or the fuel is used up.
    pub(crate) fn propagate(&mut self) -> Result<(), Contradiction> {
        for _ in 0..ROUNDS_MAX {
            let before = self.clock;
            for i in 0..self.steps.len() {
                self.upwards(i)?;
            }
            for i in (0..self.steps.len()).rev() {
                self.downwards(i)?;
            }
            if self.clock == before || self.is_out_of_fuel() {
                break;
            }
        }
        Ok(())
    }

    fn upwards(&mut self, i: usize) -> Result<(), Contradiction> {
        let is_new = |&arg: &u32| self.changed[arg as usize] > self.seen[i][0];
        if !self.args(i).iter().any(is_new) {
            return Ok(());
        }
        self.seen[i][0] = self.clock;
        let image = self.image(i, None);
        self.cut(i, image)
    }

    fn downwards(&mut self, i: usize) -> Result<(), Contradiction> {
        let seen = self.seen[i][1];
        let is_new = |i: usize| self.changed[i] > seen;
        if !is_new(i) && !self.args(i).iter().any(|&arg| is_new(arg as usize)) {
            return Ok(());
        }
        self.seen[i][1] = self.clock;
        // Where the term's set is all that its arguments allow, they have nothing to lose.
        let image = self.image(i, None);
        if self.domains[i].meet(image) == image {
            return Ok(());
        }
        let (args, n) = self.args[i];
        for (position, &arg) in args[..usize::from(n)].iter().enumerate() {
            let less = match self.inverse(i, position) {
                Some(domain) => domain,
                None => self.narrowed(i, arg as usize),
            };
            self.cut(arg as usize, less)?;
        }
        Ok(())
    }

    /// What one of a term's arguments can be, if there is a simple answer.
    fn inverse(&mut self, i: usize, position: usize) -> Option<Domain> {
        let (positions, n) = self.args[i];
        let args = positions.map(|position| self.domains[position as usize]);
        self.fuel = self.fuel.checked_sub(1)?;
        inverse(self.steps[i], self.domains[i], &args[..usize::from(n)], position)
    }

    /// The image of a term, perhaps with another set for one of its arguments wherever it occurs.
    fn image(&mut self, i: usize, instead: Option<(usize, Domain)>) -> Domain {
        self.fuel = self.fuel.saturating_sub(1);
        let sort = self.domains[i].sort;
        let (positions, n) = self.args[i];
        let mut args = [Domain::empty(sort); ARGS_MAX];
        for (arg, position) in args.iter_mut().zip(positions) {
            *arg = match instead {
                Some((other, domain)) if other == position as usize => domain,
                Some(_) | None => self.domains[position as usize],
            };
        }
        image(self.steps[i], sort, &args[..usize::from(n)])
    }

    /// Whether an argument within this set makes the term miss its own set.
    fn misses(&mut self, i: usize, arg: usize, within: Domain) -> bool {
        // Without fuel nothing is concluded any more.
        self.fuel > 0 && self.image(i, Some((arg, within))).meet(self.domains[i]).is_empty()
    }

    /// An argument's set without the parts at its ends for which the term misses its own set.
    fn narrowed(&mut self, i: usize, arg: usize) -> Domain {
        let mut domain = self.domains[arg];
        if domain.single().is_some() {
            return domain;
        }
        let sort = domain.sort;
        if domain.nan && self.misses(i, arg, Domain::nan(sort)) {
            domain.nan = false;
        }
        for side in 0..2 {
            if domain.spans[side].is_empty() {
                continue;
            }
            let mut misses = |low, high| {
                let mut part = Domain::empty(sort);
                part.spans[side] = Span { low, high };
                self.misses(i, arg, part)
            };
            domain.spans[side] = shaved(domain.spans[side], &mut misses);
        }
        domain
    }
}

/// A span without the parts at its ends that are cut away, as `is_cut` says.
fn shaved(span: Span, is_cut: &mut dyn FnMut(u64, u64) -> bool) -> Span {
    let Span { mut low, mut high } = span;
    if is_cut(low, low) {
        if is_cut(low, high) {
            return Span::EMPTY;
        }
        // All up to `low` is cut, not all up to `bad`.
        let mut bad = high;
        while bad - low > 1 {
            let middle = low + (bad - low) / 2;
            if is_cut(low + 1, middle) {
                low = middle;
            } else {
                bad = middle;
            }
        }
        low += 1;
    }
    if low < high && is_cut(high, high) {
        let mut bad = low;
        while high - bad > 1 {
            let middle = high - (high - bad) / 2;
            if is_cut(middle, high - 1) {
                high = middle;
            } else {
                bad = middle;
            }
        }
        high -= 1;
    }
    Span { low, high }
}

fn step_of(terms: &Terms, term: TermId) -> Step<'_> {
    match terms.node(term) {
        Node::Const(_) | Node::Var(_) => Step::Leaf,
        Node::App { op, indices, args } => {
            Step::App { op, indices, twice: args.len() > 1 && args[0] == args[1] && op != Op::Ite }
        }
        Node::Call { function, .. } => {
            Math::of(terms.function(function)).map_or(Step::Leaf, Step::Math)
        }
        Node::Lookup { table, .. } => Step::Lookup(terms.table_entries(table).1),
    }
}
