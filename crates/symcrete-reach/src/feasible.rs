//! Whether a state can hold: what phase I asks the solver.

use crate::reachability::Bound;
use crate::reachability::Unsure;
use crate::search::{Found, Search};
use crate::state::State;
use crate::substitute::{has_call, sees_nan_bits, variables};
use std::collections::BTreeSet;
use symcrete_program::Gap;
use symcrete_solve::{Budget, Query, Verdict};
use symcrete_term::{Literal, Valuation, VarId};

/// Literals left out of a contradiction on trial.
const CORE_TRIALS: usize = 6;
/// Parts of a contradiction that are asked about alone.
const PARTS_MAX: usize = 32;

/// Literals that share variables, by their places.
type Part = (BTreeSet<VarId>, Vec<(usize, Literal)>);

impl Search<'_, '_> {
    /// Asks whether a state can hold; returns what became of it if it cannot. What nobody can decide is left to phase
    /// II.
    pub(crate) fn check(&mut self, state: &mut State) -> Option<Found> {
        if let Some(broken) = state.broken {
            return Some(self.refuted(state, BTreeSet::from([broken])));
        }
        if !std::mem::take(&mut state.is_new) {
            return None;
        }
        let mut chosen: Vec<usize> = Vec::new();
        for (i, held) in state.literals.iter_mut().enumerate() {
            if !held.is_skipped && has_call(&self.pool.terms, held.literal) {
                held.is_skipped = true;
                self.counters.skipped_constraints += 1;
            }
            if !held.is_skipped {
                chosen.push(i);
            }
        }
        let literals: Vec<Literal> = chosen.iter().map(|&i| state.literals[i].literal).collect();
        match self.decide(&literals, &Valuation::new()) {
            Verdict::Sat(_) => None,
            Verdict::Unsat => {
                let core = self.core(&chosen, &literals);
                Some(self.refuted(state, core))
            }
            Verdict::Unknown(_) => {
                // The newest is what made it undecidable.
                if let Some(&last) = chosen.last() {
                    state.literals[last].is_skipped = true;
                    self.counters.skipped_constraints += 1;
                }
                None
            }
        }
    }

    /// A few literals that contradict each other, by index.
    fn core(&mut self, chosen: &[usize], literals: &[Literal]) -> BTreeSet<usize> {
        let mut kept: Vec<(usize, Literal)> =
            chosen.iter().copied().zip(literals.iter().copied()).collect();
        if !self.options.back_jumping || kept.len() > 64 {
            return chosen.iter().copied().collect();
        }
        if let Some(part) = self.contradicting_part(&kept) {
            kept = part;
        }
        let mut trials = 0;
        let mut at = 0;
        while at < kept.len() && trials < CORE_TRIALS && kept.len() > 1 {
            let rest: Vec<Literal> =
                kept.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, kept)| kept.1).collect();
            trials += 1;
            match self.decide(&rest, &Valuation::new()) {
                Verdict::Unsat => {
                    kept.remove(at);
                }
                Verdict::Sat(_) | Verdict::Unknown(_) => at += 1,
            }
        }
        kept.into_iter().map(|(i, _)| i).collect()
    }

    /// Of literals that contradict each other, those of one part that does so alone: parts share no variable.
    fn contradicting_part(
        &mut self,
        literals: &[(usize, Literal)],
    ) -> Option<Vec<(usize, Literal)>> {
        let mut parts: Vec<Part> = Vec::new();
        for &(i, literal) in literals {
            let mut own = (variables(&self.pool.terms, &[literal.term]), vec![(i, literal)]);
            let (touching, apart): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|(of, _)| !of.is_disjoint(&own.0));
            for (of, members) in touching {
                own.0.extend(of);
                own.1.extend(members);
            }
            parts = apart;
            parts.push(own);
        }
        if parts.len() < 2 {
            return None;
        }
        // What was said near the target is refuted by what it was assigned, more often than conditions further up.
        for (_, members) in parts.into_iter().take(PARTS_MAX) {
            let alone: Vec<Literal> = members.iter().map(|(_, literal)| *literal).collect();
            if self.decide(&alone, &Valuation::new()) == Verdict::Unsat {
                return Some(members);
            }
        }
        None
    }

    /// No run is in a state, because these literals cannot hold.
    pub(crate) fn refuted(&mut self, state: &State, core: BTreeSet<usize>) -> Found {
        let of = |&i: &usize| state.literals[i].literal;
        let literals: Vec<Literal> = core.iter().map(of).collect();
        if sees_nan_bits(&self.pool.terms, &literals) {
            self.unsure.insert(Unsure::Hole(Gap::NanBits));
            return Found::Open;
        }
        self.bounds.extend(state.bounds.iter().copied());
        if self.pool.has_unwritten(&literals) {
            self.bounds.insert(Bound::Model(Gap::Uninitialized));
        }
        Found::Refuted(Some(core))
    }

    /// Puts literals to the solver.
    pub(crate) fn decide(&mut self, literals: &[Literal], hint: &Valuation) -> Verdict {
        let mut open: Vec<Literal> = Vec::new();
        for &literal in literals {
            match self.pool.terms.as_const(literal.term) {
                Some(value) if value == symcrete_term::Value::Bool(literal.expected) => {}
                Some(_) => return Verdict::Unsat,
                None => open.push(literal),
            }
        }
        if open.is_empty() {
            return Verdict::Sat(hint.clone());
        }
        self.counters.smt_calls += 1;
        let mut budget = self.budget(self.options.steps);
        let query = Query { terms: &self.pool.terms, literals: &open, hint };
        self.parts.solver.solve(&query, &mut budget)
    }

    pub(crate) fn budget(&self, steps: u64) -> Budget {
        let mut budget = Budget::of_steps(steps).with_cancel(self.options.cancel.clone());
        budget.wall_max = self.options.query_time;
        budget
    }
}
