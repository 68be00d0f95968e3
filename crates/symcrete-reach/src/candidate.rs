//! From a path condition over inputs to a run: phase II, and what a run that went elsewhere teaches.
//!
//! Phase I's constraints are solved first. What it left out (library calls, loops as calls, what no solver decided) is then
//! searched for from that model, at first with all inputs fixed that do not matter for it: the paper's `B ∩ R`.
//! A model becomes an input and is run. A run that misses the target shows a condition that the state did not have,
//! because it was left out on purpose or is unknown; it is added, and the solver asked again.

use crate::entry::{Condition, Entry};
use crate::reachability::{Bound, Unsure};
use crate::search::{Found, Search};
use crate::state::is_own_name;
use crate::substitute::{Substitution, has_call, sees_nan_bits, substituted, variables};
use std::collections::BTreeSet;
use symcrete_program::{Input, SiteId};
use symcrete_solve::{Query, Verdict, Why};
use symcrete_term::{Literal, TermId, Valuation, Value};

/// Blocks that one execution of a loop may pass, and the steps of a search with that.
const LOOP_FUEL: &[(u64, u64)] = &[(1 << 13, 20_000), (1 << 17, 2_000), (1 << 20, u64::MAX)];
/// Runs that may miss the target before a path is given up.
const ROUNDS_MAX: usize = 12;

impl Search<'_, '_> {
    /// Decides what a state at the start of an entry comes to.
    pub(crate) fn try_entry(
        &mut self,
        entry: &Entry,
        condition: Condition,
        wanted: &[crate::reachability::Condition],
    ) -> Found {
        let mut narrow = condition.literals.clone();
        narrow.extend(&condition.guards);
        narrow.extend(condition.limits.iter().map(|(literal, _)| *literal));
        let is_left = |i: usize, literal: Literal| {
            condition.skipped.contains(&i) || has_call(&self.pool.terms, literal)
        };
        let left: BTreeSet<usize> =
            (0..condition.literals.len()).filter(|&i| is_left(i, condition.literals[i])).collect();
        let part: Vec<Literal> = narrow
            .iter()
            .enumerate()
            .filter(|(i, _)| !left.contains(i))
            .map(|(_, literal)| *literal)
            .collect();
        let hint = match self.decide(&part, &Valuation::new()) {
            Verdict::Sat(model) => model,
            Verdict::Unsat => return self.refute_entry(&condition, &left),
            Verdict::Unknown(why) => {
                self.undecided(&why);
                Valuation::new()
            }
        };
        let model = match left.is_empty() {
            true if !hint.is_empty() || part.is_empty() || self.accepts(&part, &hint) => Some(hint),
            _ => self.phase_two(&narrow, &left, &hint),
        };
        match model {
            Some(model) => self.run_candidates(entry, narrow, model, wanted),
            None => {
                self.unsure.insert(Unsure::NotFound);
                Found::Open
            }
        }
    }

    fn accepts(&self, literals: &[Literal], model: &Valuation) -> bool {
        self.pool.terms.satisfies(literals, model)
    }

    /// There is no input within the limits; whether there is one beyond them.
    fn refute_entry(&mut self, condition: &Condition, left: &BTreeSet<usize>) -> Found {
        let part: Vec<Literal> = condition
            .literals
            .iter()
            .enumerate()
            .filter(|(i, _)| !left.contains(i))
            .map(|(_, literal)| *literal)
            .collect();
        if sees_nan_bits(&self.pool.terms, &part) {
            self.unsure.insert(Unsure::Hole(symcrete_program::Gap::NanBits));
            return Found::Open;
        }
        self.bounds.extend(condition.bounds.iter().copied());
        if self.pool.has_unwritten(&part) {
            self.bounds.insert(Bound::Model(symcrete_program::Gap::Uninitialized));
        }
        let limits: Vec<Literal> = condition.limits.iter().map(|(literal, _)| *literal).collect();
        if !condition.guards.is_empty() {
            let with_limits: Vec<Literal> = part.iter().chain(&limits).copied().collect();
            match self.decide(&with_limits, &Valuation::new()) {
                Verdict::Unsat => {}
                Verdict::Sat(_) => {
                    self.unsure.insert(Unsure::Hole(symcrete_program::Gap::OutOfObject));
                    return Found::Open;
                }
                Verdict::Unknown(why) => {
                    self.undecided(&why);
                    return Found::Open;
                }
            }
        }
        if limits.is_empty() {
            return Found::Refuted(None);
        }
        match self.decide(&part, &Valuation::new()) {
            Verdict::Unsat => {}
            // Which of them it takes is not asked: a proof within more bounds than needed is still one.
            Verdict::Sat(_) | Verdict::Unknown(_) => {
                self.bounds.extend(condition.limits.iter().map(|(_, gap)| Bound::Model(*gap)));
            }
        }
        Found::Refuted(None)
    }

    /// Searches for what phase I left out.
    fn phase_two(
        &mut self,
        literals: &[Literal],
        left: &BTreeSet<usize>,
        hint: &Valuation,
    ) -> Option<Valuation> {
        let roots: Vec<TermId> = left.iter().map(|&i| literals[i].term).collect();
        let moved = variables(&self.pool.terms, &roots);
        let all: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let fixed: Substitution = variables(&self.pool.terms, &all)
            .into_iter()
            .filter(|var| !moved.contains(var))
            .map(|var| {
                let zero = Value::zero(self.pool.terms.var_sort(var));
                let value = hint.get(var).unwrap_or(zero);
                (var, self.pool.terms.constant(value))
            })
            .collect();
        let narrowed = self.with(literals, &fixed);
        let is_broken = |literal: &Literal| {
            self.pool.terms.as_const(literal.term) == Some(Value::Bool(!literal.expected))
        };
        let attempts = match narrowed.iter().any(is_broken) || fixed.is_empty() {
            true => vec![literals.to_vec()],
            false => vec![narrowed, literals.to_vec()],
        };
        // Loops that take few iterations are searched through quickly, so they come first.
        let fuels = match self.counters.loop_methods {
            0 => &LOOP_FUEL[LOOP_FUEL.len() - 1..],
            _ => LOOP_FUEL,
        };
        let fuel_variable = self.pool.loop_fuel();
        let fuel_variable = self.pool.var_of(fuel_variable);
        for &(fuel, steps) in fuels {
            let mut hint = hint.clone();
            hint.set(fuel_variable, Value::bv(64, fuel));
            let fixed = Substitution::from([(fuel_variable, self.pool.terms.bv(64, fuel))]);
            for attempt in &attempts {
                let attempt = self.with(attempt, &fixed);
                if let Verdict::Sat(found) = self.search_model(&attempt, &hint, steps) {
                    let mut model = hint.clone();
                    model.extend(found.iter());
                    model.set(fuel_variable, Value::bv(64, fuel));
                    if self.accepts(literals, &model) {
                        return Some(model);
                    }
                }
                if self.parts.runs.is_stopped() {
                    return None;
                }
            }
        }
        None
    }

    /// Literals with variables replaced.
    fn with(&mut self, literals: &[Literal], by: &Substitution) -> Vec<Literal> {
        let roots: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let terms = substituted(&mut self.pool.terms, &roots, by);
        let pairs = literals.iter().zip(terms);
        pairs.map(|(literal, term)| Literal { term, expected: literal.expected }).collect()
    }

    fn search_model(&mut self, literals: &[Literal], hint: &Valuation, steps: u64) -> Verdict {
        let mut budget = self.budget(self.options.phase_two_steps.min(steps));
        let query = Query { terms: &self.pool.terms, literals, hint };
        let verdict = self.parts.solver.solve(&query, &mut budget);
        self.counters.phase_two_evaluations += budget.steps_used();
        verdict
    }

    /// Runs a model; as long as runs miss the target, adds what they show.
    fn run_candidates(
        &mut self,
        entry: &Entry,
        mut literals: Vec<Literal>,
        mut model: Valuation,
        wanted: &[crate::reachability::Condition],
    ) -> Found {
        let mut tried: BTreeSet<Input> = BTreeSet::new();
        for _ in 0..ROUNDS_MAX {
            let input = self.input_of(&model);
            if !tried.insert(input.clone()) || self.parts.runs.is_stopped() {
                break;
            }
            self.counters.runs += 1;
            let ran = self.parts.runs.run(&mut self.pool.terms, entry.function, &input);
            if ran.is_reached {
                return Found::Reached(entry.function, input);
            }
            let Some(turned) = turned(&ran, wanted) else { break };
            let mut next: Vec<Literal> =
                ran.path[..turned].iter().map(|(literal, _)| *literal).collect();
            next.extend(&literals);
            next.push(ran.path[turned].0.negated());
            let verdict = match next.iter().any(|&literal| has_call(&self.pool.terms, literal)) {
                true => self.search_model(&next, &model, u64::MAX),
                false => self.decide(&next, &model),
            };
            let Verdict::Sat(better) = verdict else { break };
            literals.push(ran.path[turned].0.negated());
            model = better;
        }
        self.unsure.insert(Unsure::Diverged);
        Found::Open
    }

    /// The cells of an input that a model gives values to.
    fn input_of(&self, model: &Valuation) -> Input {
        let terms = &self.pool.terms;
        let named = model.iter().map(|(var, value)| (terms.var_name(var).to_owned(), value));
        named.filter(|(name, _)| !is_own_name(name) && !self.limit_names.contains(name)).collect()
    }

    pub(crate) fn undecided(&mut self, why: &Why) {
        self.unsure.insert(Unsure::Undecided(why.to_string()));
    }
}

/// Which condition of a run another input must turn: what ended it, or the first that went another way than wanted.
fn turned(ran: &crate::entry::Ran, wanted: &[crate::reachability::Condition]) -> Option<usize> {
    if ran.is_trapped {
        return ran.path.len().checked_sub(1);
    }
    let decided = || wanted.iter().filter(|condition| !condition.is_merged);
    let sides = |site: SiteId| decided().filter(move |condition| condition.edge.site == site);
    ran.path.iter().position(|(literal, site)| {
        let mut wanted = sides(*site).peekable();
        wanted.peek().is_some() && wanted.all(|condition| condition.edge.taken != literal.expected)
    })
}
