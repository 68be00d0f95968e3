//! Gives up goals that nothing reaches, and says at the end what became of all.

use super::proof::{self, Claim, Left};
use super::{Explored, Explorer, PROOF_PERIOD, reasons};
use symcrete_program::{Bounds, Edge, Ended, Gap};

impl Explorer<'_> {
    pub(super) fn finish(mut self, ended: Ended) -> Explored {
        self.end_trial();
        self.prove();
        self.explored.ended = ended;
        self.explored.spare = std::mem::take(&mut self.round.spare).into_tests();
        self.explored.tests = std::mem::take(&mut self.round.tests);
        self.explored.coverage = std::mem::take(&mut self.round.coverage);
        self.explored.shape = self.round.shape.clone();
        let doubt = self.doubt();
        let is_sure = |goal| doubt.is_none() && !self.uncounted.contains(goal);
        self.parts.goals.keep_earlier_proofs(is_sure);
        let left = Left::of(&self.round.tree, &self.terms, &mut self.nan_bits);
        let leads = left.leads(self.parts.reachable);
        let claim = |goal| match doubt {
            Some(gap) => Claim::Open(proof::Way::Gap(gap)),
            None => leads.claim(goal),
        };
        let reasons = reasons::Reasons {
            tallies: &reasons::tallies(&self.round.tree),
            explored: &self.explored,
            uncounted: &self.uncounted,
            unpredictable: &self.unpredictable,
            limits: self.limits,
            fuel: &self.fuel,
        };
        self.explored.goals = self.parts.goals.states(|goal| reasons.of(goal, &claim));
        let is_certain = doubt.is_none() && self.explored.stats.executions > 0;
        self.explored.is_exhaustive = is_certain && left.is_nothing();
        self.explored.stats.is_complete = is_certain && left.is_within_bounds();
        self.explored
    }

    /// Gives up goals that no way that is left leads to.
    pub(super) fn prove(&mut self) {
        self.next_proof = 2 * self.explored.stats.queries + PROOF_PERIOD;
        if self.explored.stats.executions == 0 || self.doubt().is_some() {
            return;
        }
        let left = Left::of(&self.round.tree, &self.terms, &mut self.nan_bits);
        let leads = left.leads(self.parts.reachable);
        let sizes = self.round.shape.sizes;
        let claim = |&goal: &Edge| {
            if self.uncounted.contains(goal) {
                return None;
            }
            match leads.claim(goal) {
                Claim::Infeasible(bounds) => Some((goal, Bounds::of(bounds, sizes))),
                Claim::Open(_) => None,
            }
        };
        let proved: Vec<_> = self.parts.goals.uncovered().iter().filter_map(claim).collect();
        for (goal, bounds) in &proved {
            self.parts.goals.give_up(*goal, bounds.clone());
        }
        if !proved.is_empty() {
            (self.parts.on_infeasible)(&proved);
        }
    }

    /// Why the tree proves nothing, if so: it does not have all that runs can do.
    pub(super) fn doubt(&self) -> Option<Gap> {
        (self.explored.stats.inconsistencies > 0).then_some(Gap::Undetermined)
    }
}
