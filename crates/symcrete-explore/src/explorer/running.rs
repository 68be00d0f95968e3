//! Runs inputs, and puts what they showed into the tree.

use super::Explorer;
use super::keeping::{counts, has_wrong_arguments};
use crate::model;
use crate::strategy::{News, View};
use crate::tree::{Flip, FlipState, Grown};
use symcrete_exec::{ExecError, Met, Origin, Trace};
use symcrete_program::fill::is_filled_name;
use symcrete_program::{Gap, Image, Input, Outcome, Resource};
use symcrete_term::{Node, TermId};

impl Explorer<'_> {
    /// Runs inputs that aim at nothing in particular, until the search is over; the first one in any case.
    pub(super) fn run_all(&mut self, inputs: &[Input]) -> Result<(), ExecError> {
        for input in inputs {
            if self.explored.stats.executions > 0 && self.limits.cancel.check().is_err() {
                break;
            }
            self.run(input, None)?;
        }
        Ok(())
    }

    /// Runs an input and remembers what it showed. `aim` is the side that it should take.
    pub(super) fn run(&mut self, input: &Input, aim: Option<Flip>) -> Result<(), ExecError> {
        let input = self.with_all_cells(input);
        if !self.round.known_inputs.insert(input.clone()) {
            if let Some(aim) = aim {
                self.round.tree.settle(aim, FlipState::Diverged);
            }
            return Ok(());
        }
        let image = self.round.shape.image(&self.parts.program.types, &input);
        let mut trace = self.trace(&image)?;
        if image.is_shared {
            // Until the run depends on what is shared, it stands for others too.
            let n_common = self.round.tree.n_before_shared(&trace.path.constraints);
            trace.gaps.retain(|met| met.n_constraints <= n_common);
        }
        self.explored.stats.executions += 1;
        let run = self.round.inputs.len() as u32;
        let mut complete = input;
        for drawn in &trace.drawn {
            complete.set(drawn.name.clone(), drawn.value);
            if can_vary_fast(&drawn.name) {
                self.round.asked.entry(drawn.name.clone()).or_insert(drawn.kind);
            }
        }
        self.round.inputs.push(complete.clone());
        let mut grown = self.grow(&trace, run);
        self.leave_pointers_alone(&mut grown);
        self.leave_depths_alone(&mut grown);
        self.note_aim(aim, &grown);
        let is_known = self.note_unknown(&trace);
        self.leave_uncertain_for_later(&mut grown, &trace);
        let is_predictable = is_known && self.note_nan_bits(&mut trace, &complete);
        let is_expected = (!image.is_shared || self.note_shared(&trace.outcome))
            && !has_wrong_arguments(&self.round.shape, &trace)
            && counts(&trace.outcome)
            && !self.is_null_by_default(&trace);
        let is_test = is_predictable && is_expected;
        if !is_known && is_expected {
            self.keep_uncertain(&complete, &trace);
        }
        let n_covered = match is_test {
            true => self.parts.goals.cover(&trace.coverage, trace.outcome.is_repeatable()),
            false => {
                self.uncounted.absorb(&trace.coverage);
                0
            }
        };
        self.keep(&complete, &image, &trace, is_test.then_some(n_covered));
        if !image.is_shared {
            self.learn(&trace, &complete);
        }
        if aim.is_some() {
            self.schedule.note_run(n_covered > 0);
        }
        if n_covered > 0 {
            let (time, executions) = ((self.limits.clock)(), self.explored.stats.executions);
            let covered = self.parts.goals.n_covered();
            self.explored.stats.timeline.push((time, executions, covered));
            self.adopt_trial();
            self.hope_again();
        }
        self.advise(&grown.opened, n_covered);
        let goals = &self.parts.goals;
        (self.parts.on_progress)(&self.explored.stats, goals.n_covered(), goals.all().len());
        Ok(())
    }

    /// Runs an image, and counts what that takes.
    fn trace(&mut self, image: &Image) -> Result<Trace, ExecError> {
        let mut fuel = self.fuel.for_run(self.limits.fuel, image.is_shared);
        let started = (self.limits.clock)();
        let mut trace = self.parts.executor.run(&mut self.terms, image, fuel)?;
        let mut is_doubled = false;
        while trace.outcome == Outcome::Exhausted(Resource::Fuel) && !image.is_shared {
            let more = self.fuel.for_more(fuel, self.limits.fuel, n_decisions(&trace));
            fuel = match more {
                Some(more) => more,
                // What comes behind a goal is worth a look, also where the goal was at the end.
                None if !is_doubled && fuel < self.limits.fuel && self.takes_goal(&trace) => {
                    is_doubled = true;
                    (2 * fuel).min(self.limits.fuel)
                }
                None => break,
            };
            trace = self.parts.executor.run(&mut self.terms, image, fuel)?;
        }
        let stats = &mut self.explored.stats;
        stats.run_time += (self.limits.clock)().saturating_sub(started);
        stats.run_sites += trace.fuel_used;
        match trace.outcome {
            Outcome::Exhausted(Resource::Fuel) => self.fuel.note_cut(fuel, self.limits.fuel),
            Outcome::Exhausted(_) => {}
            Outcome::Returned(_)
            | Outcome::Exited(_)
            | Outcome::Trapped(_)
            | Outcome::Rejected(_) => self.fuel.note_end(trace.fuel_used),
        }
        Ok(trace)
    }

    /// Whether a run took a goal that none took before.
    fn takes_goal(&self, trace: &Trace) -> bool {
        self.parts.goals.uncovered().iter().any(|&goal| trace.coverage.contains(goal))
    }

    /// Notes where the path of a run depended on an uninitialised value: on a real machine it may be another one.
    /// Says whether it did not.
    fn note_unknown(&mut self, trace: &Trace) -> bool {
        self.explored.uninitialized.extend(&trace.unknown.conditions);
        let is_predictable = !trace.unknown.is_end(&trace.outcome);
        if !is_predictable {
            self.explored.stats.uninitialized += 1;
            self.unpredictable.absorb(&trace.coverage);
        }
        is_predictable
    }

    /// Notes how a run ended in which pointers share an object, and says whether it came to its end: most programs do not
    /// expect that, so a failure is none of theirs.
    fn note_shared(&mut self, outcome: &Outcome) -> bool {
        let is_expected = outcome.is_repeatable();
        self.explored.stats.shared += u64::from(!is_expected);
        is_expected
    }

    /// Notes where the way or the result of a run depended on the bits of a NaN that it computed: other machines compute
    /// other NaNs. Says whether its way did not.
    fn note_nan_bits(&mut self, trace: &mut Trace, input: &Input) -> bool {
        let conditions = trace.path.constraints.iter().map(|constraint| constraint.literal.term);
        let looking: Vec<TermId> =
            conditions.filter(|&term| self.nan_bits.is_in(&self.terms, term)).collect();
        let results: Vec<TermId> = trace.results.iter().copied().flatten().collect();
        if looking.is_empty() && !results.iter().any(|&term| self.nan_bits.is_in(&self.terms, term))
        {
            return true;
        }
        let input = model::valuation(&self.terms, input);
        let mut is_met = |term: &TermId| self.nan_bits.is_met(&self.terms, *term, &input);
        trace.unknown.result |= results.iter().any(&mut is_met);
        let is_way = looking.iter().any(is_met);
        self.explored.stats.nan_bits += u64::from(is_way);
        !is_way
    }

    /// Adds the path of a run to the tree. Of one that the clock ended only so much as could be flipped: there may be
    /// a million conditions more, and no time is left. Nothing is known of what may come after the cut.
    fn grow(&mut self, trace: &Trace, run: u32) -> Grown {
        let path = &trace.path.constraints;
        self.round.tree.note_gaps(path, &trace.gaps);
        let is_over = trace.outcome == Outcome::Exhausted(Resource::Time);
        let n_kept = if is_over { path.len().min(self.limits.depth as usize) } else { path.len() };
        if n_kept < path.len() && n_kept <= self.round.tree.n_before_shared(path) {
            let cut = Met { gap: Gap::CutOff, n_constraints: n_kept };
            self.round.tree.note_gaps(&path[..n_kept], &[cut]);
        }
        let grown = self.round.tree.grow(&path[..n_kept], run);
        self.round.tree.note_margins(&grown.opened, &trace.margins);
        grown
    }

    /// Tells the strategy what a run added. When the search is over there is nothing left to order.
    fn advise(&mut self, opened: &[Flip], n_covered: usize) {
        if self.limits.cancel.check().is_err() {
            return;
        }
        if n_covered > 0 {
            self.distances = (self.parts.distances)(self.parts.goals.wanted());
        }
        let view =
            View { tree: &self.round.tree, goals: &self.parts.goals, distances: &self.distances };
        self.round.strategy.add(view, News { opened, n_covered });
    }

    /// Sides too far down their path are not turned. A run may have a million of them, so strategies need not know.
    fn leave_depths_alone(&mut self, grown: &mut Grown) {
        let (tree, depth_max) = (&mut self.round.tree, self.limits.depth);
        grown.opened.retain(|&flip| {
            let is_too_deep = tree.depth(flip) > depth_max;
            if is_too_deep {
                tree.settle(flip, FlipState::TooDeep);
            }
            !is_too_deep
        });
    }

    /// What comes after a decision by an uninitialised value is hardly ever a test: everything else goes before it.
    fn leave_uncertain_for_later(&mut self, grown: &mut Grown, trace: &Trace) {
        let is_it = |met: &&Met| met.gap == Gap::Uninitialized;
        let Some(met) = trace.gaps.iter().find(is_it) else { return };
        if self.limits.uninitialized {
            return;
        }
        let (tree, later) = (&self.round.tree, &mut self.round.uncertain);
        grown.opened.retain(|&flip| {
            let is_uncertain = tree.depth(flip) as usize >= met.n_constraints;
            if is_uncertain {
                later.push(flip);
            }
            !is_uncertain
        });
    }

    /// A program that follows a pointer without a check expects it to be there. Unless we were asked to, we do
    /// not make it null then; where the program compares it, we do.
    fn leave_pointers_alone(&mut self, grown: &mut Grown) {
        if self.limits.null_pointers {
            return;
        }
        let (tree, terms) = (&mut self.round.tree, &self.terms);
        let variadic = &self.round.shape.variadic;
        // Which arguments are passed is no question of being there.
        let is_choice = |name: &str| {
            variadic.iter().flat_map(|variadic| variadic.choices()).any(|choice| choice == name)
        };
        grown.opened.retain(|&flip| {
            let is_variable = match terms.node(tree.term(flip)) {
                Node::Var(var) => !is_choice(terms.var_name(var)),
                Node::Const(_) | Node::App { .. } | Node::Call { .. } | Node::Lookup { .. } => {
                    false
                }
            };
            let is_presence = is_variable && !tree.is_alias(flip);
            let is_pinned = is_presence && !flip.side && tree.origin(flip) == Origin::ObjectGuard;
            if is_pinned {
                tree.settle(flip, FlipState::Pinned);
            }
            !is_pinned
        });
    }

    /// Cells of the shape, and whatever else the program may ask for.
    fn with_all_cells(&self, input: &Input) -> Input {
        let mut complete = self.round.shape.complete(input);
        for (name, &value) in &input.values {
            complete.values.entry(name.clone()).or_insert(value);
        }
        complete
    }

    fn note_aim(&mut self, aim: Option<Flip>, grown: &Grown) {
        let stats = &mut self.explored.stats;
        stats.inconsistencies += u64::from(grown.is_inconsistent);
        if let Some(aim) = aim
            && !grown.taken.contains(&aim)
        {
            // Outside its object an access is about something else, so the same condition is not asked again.
            let is_astray = self.round.tree.origin(aim) == Origin::ObjectGuard;
            stats.divergences += u64::from(!is_astray);
            self.round.tree.settle(aim, FlipState::Diverged);
        }
    }
}

/// Whether fast runs can give a cell a value: they have neither what functions write through their arguments nor the objects
/// that they return.
fn can_vary_fast(name: &str) -> bool {
    !is_filled_name(name) && !name.starts_with('*')
}

/// How often the input has decided something on the way of a run, or was asked for.
fn n_decisions(trace: &Trace) -> usize {
    let constraints = trace.path.constraints.iter();
    constraints.filter(|constraint| constraint.origin.may_flip()).count() + trace.drawn.len()
}
