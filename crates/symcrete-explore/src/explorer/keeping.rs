//! Keeps runs that show something new, as tests and as failures.

use super::{Explorer, changes};
use symcrete_exec::{Constraint, Origin, Trace};
use symcrete_program::outcome::Trap;
use symcrete_program::{
    Coverage, Environment, Gap, Image, Input, Outcome, Resource, Shape, SiteId, TestCase, TrapKind,
    uninitialized,
};
use symcrete_term::{Node, TermId, reachable};

/// What was known of a failure before a run that shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    No,
    /// Only runs with an array of no elements have shown it, which not every caller may give.
    ByEmptyArrays,
    Yes,
}

/// Whether an array of the input has no elements, because its length says so.
fn has_empty_array(image: &Image, input: &Input) -> bool {
    image.ties.iter().any(|tie| input.get(&tie.name).is_some_and(|length| length.bits() == 0))
}

impl Explorer<'_> {
    /// Keeps a run that shows something new.
    pub(super) fn keep(
        &mut self,
        input: &Input,
        image: &Image,
        trace: &Trace,
        n_covered: Option<usize>,
    ) {
        let stats = &mut self.explored.stats;
        let is_cut_off = matches!(trace.outcome, Outcome::Exhausted(_));
        let failure = match &trace.outcome {
            Outcome::Rejected(_) => {
                stats.rejected += 1;
                None
            }
            Outcome::Exhausted(resource) => {
                stats.exhausted += 1;
                stats.out_of_fuel += u64::from(*resource == Resource::Fuel);
                stats.out_of_time += u64::from(*resource == Resource::Time);
                stats.not_followed += u64::from(*resource == Resource::Model);
                None
            }
            Outcome::Trapped(trap) => {
                // The depth of calls is a limit of ours: other machines go on.
                stats.exhausted += u64::from(trap.kind == TrapKind::StackOverflow);
                stats.not_followed += u64::from(is_of_model(&trap.kind));
                Some((trap.kind.to_string(), trap.site))
            }
            Outcome::Returned(_) | Outcome::Exited(_) => None,
        };
        let Some(n_covered) = n_covered else { return };
        let is_repeatable = trace.outcome.is_repeatable();
        let n_new = self.round.coverage.absorb(&trace.coverage)
            + if is_repeatable { self.round.tested.absorb(&trace.coverage) } else { 0 };
        let is_failure = failure.is_some();
        let bug = failure.map(|bug| self.note_bug(bug, has_empty_array(image, input)));
        let is_new_bug = bug.is_some_and(|bug| bug != Known::Yes);
        let is_new = n_covered > 0 || n_new > 0 || is_new_bug || self.round.tests.is_empty();
        let test = || TestCase {
            input: known(input),
            drawn: trace.drawn.clone(),
            outcome: known_outcome(trace),
            changes: changes::changes(
                (&self.round.shape, &self.parts.program.types),
                input,
                image,
                trace,
            ),
            noted: trace.noted.clone(),
            freed: self.round.shape.freed(&trace.freed),
            address_from: trace.address_from.clone(),
            coverage: trace.coverage.clone(),
            set_aside: None,
        };
        if !is_new && !self.limits.keep_all {
            if !is_failure && !is_cut_off {
                self.round.spare.offer(&trace.coverage, self.parts.goals.all(), test);
            }
            return;
        }
        let test = test();
        if is_repeatable {
            self.round.spare.note(&test.coverage, self.parts.goals.all());
        }
        if !self.is_repeating && !self.growth.is_trial() {
            (self.parts.on_test)(&test);
        }
        self.round.tests.push(test);
        if bug == Some(Known::ByEmptyArrays) {
            self.put_first();
        }
    }

    /// Notes a failure, and says what was known of it.
    fn note_bug(&mut self, bug: (String, Option<SiteId>), is_empty: bool) -> Known {
        let is_fuller = !is_empty && self.round.seen_full.insert(bug.clone());
        match (self.round.seen_bugs.insert(bug), is_fuller) {
            (true, _) => Known::No,
            (false, true) => Known::ByEmptyArrays,
            (false, false) => Known::Yes,
        }
    }

    /// Puts the last test, which fails, where the first is that fails like this: that one stands for the failure.
    fn put_first(&mut self) {
        let tests = &mut self.round.tests;
        let Some(last) = tests.len().checked_sub(1) else { return };
        let is_alike = |test: &TestCase| test.outcome == tests[last].outcome;
        let first = tests.iter().position(is_alike).unwrap_or(last);
        tests.swap(first, last);
    }

    /// Keeps a failure that depends on an uninitialised value, without its coverage: it shows that the program uses
    /// such a value, and no test can say which one. Where the value may have come from outside it is no failure.
    pub(super) fn keep_uncertain(&mut self, input: &Input, trace: &Trace) {
        let Some(trap) = self.uncertain(trace) else { return };
        if self.may_be_written(trace)
            || !self.round.seen_bugs.insert((trap.kind.to_string(), trap.site))
        {
            return;
        }
        let test = TestCase {
            input: input.clone(),
            drawn: trace.drawn.clone(),
            outcome: Outcome::Trapped(trap),
            changes: Vec::new(),
            noted: None,
            freed: self.round.shape.freed(&trace.freed),
            address_from: trace.address_from.clone(),
            coverage: Coverage::default(),
            set_aside: None,
        };
        if !self.is_repeating && !self.growth.is_trial() {
            (self.parts.on_test)(&test);
        }
        self.round.tests.push(test);
    }

    /// The failure of a run that depends on an uninitialised value, if it is one: it fails itself, or somebody wants
    /// to know what such values decide.
    fn uncertain(&self, trace: &Trace) -> Option<Trap> {
        if let Outcome::Trapped(trap) = &trace.outcome {
            let kind = TrapKind::Uninitialized;
            return (trap.kind != TrapKind::StackOverflow)
                .then_some(Trap { kind, site: trap.site });
        }
        let program = self.parts.program;
        let conditions = trace.unknown.conditions.iter().copied();
        let mut shown =
            conditions.filter(|site| program.position(site.offset).is_some()).peekable();
        let first = shown.peek().copied();
        // A condition of the source tells more than a call of the library, which decides somewhere inside (`printf`).
        let site = shown.find(|site| program.branches.contains_key(site)).or(first);
        let site = site.filter(|_| self.limits.uninitialized)?;
        Some(Trap { kind: TrapKind::UNWRITTEN, site: Some(site) })
    }

    /// Whether something outside may have written a value that is uninitialised in the model and that decided in a run.
    /// Nothing outside has written what decided before the run met anything outside.
    fn may_be_written(&self, trace: &Trace) -> bool {
        let met = trace.gaps.iter().filter(|met| may_write(&met.gap)).map(|met| met.n_constraints);
        let always = self.parts.gaps.iter().any(may_write).then_some(0);
        let Some(first) = met.chain(always).min() else { return false };
        let later = trace.path.constraints.iter().skip(first);
        let roots: Vec<TermId> = later.map(|constraint| constraint.literal.term).collect();
        let is_unknown = |term: &TermId| matches!(self.terms.node(*term), Node::Var(var) if uninitialized::is_name(self.terms.var_name(var)));
        first == 0 || reachable(&self.terms, &roots).iter().any(is_unknown)
    }

    /// Whether a run ended at a null pointer that the program dereferenced without a check, and that is null only because
    /// no object was requested for it.
    pub(super) fn is_null_by_default(&self, trace: &Trace) -> bool {
        let is_null = matches!(&trace.outcome, Outcome::Trapped(trap)
            if matches!(trap.kind, TrapKind::NullPointer | TrapKind::NullCall));
        let last = trace.path.constraints.last();
        let is_unasked = |last: &Constraint| {
            last.origin == Origin::ObjectGuard
                && !last.literal.expected
                && matches!(self.terms.node(last.literal.term), Node::Var(_))
        };
        is_null && !self.limits.null_pointers && last.is_some_and(is_unasked)
    }
}

/// Whether a run can be a test. One that violates an assumption is not; where the clock stopped one is chance; and what
/// cannot be followed ends differently elsewhere.
pub(super) fn counts(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Rejected(_) | Outcome::Exhausted(Resource::Time | Resource::Model) => false,
        // Real machines go on here.
        Outcome::Trapped(trap) if is_of_model(&trap.kind) => false,
        Outcome::Returned(_)
        | Outcome::Trapped(_)
        | Outcome::Exited(_)
        | Outcome::Exhausted(Resource::Fuel | Resource::Terms | Resource::Constraints) => true,
    }
}

/// An input without uninitialised values: no test can provide them, and no test depends on them.
fn known(input: &Input) -> Input {
    let mut input = input.clone();
    input.values.retain(|name, _| !uninitialized::is_name(name));
    input
}

/// How a run ended, without a result that may be another one elsewhere.
pub(crate) fn known_outcome(trace: &Trace) -> Outcome {
    match &trace.outcome {
        Outcome::Returned(_) if trace.unknown.result => Outcome::Returned(Vec::new()),
        Outcome::Returned(_)
        | Outcome::Trapped(_)
        | Outcome::Exhausted(_)
        | Outcome::Rejected(_)
        | Outcome::Exited(_) => trace.outcome.clone(),
    }
}

/// Whether a run may have taken an argument of a variadic function for what it is not: here a number is as wide as a
/// pointer.
pub(crate) fn has_wrong_arguments(shape: &Shape, trace: &Trace) -> bool {
    let is_stray = matches!(&trace.outcome, Outcome::Trapped(trap) if matches!(trap.kind,
        TrapKind::NullPointer | TrapKind::OutOfObject | TrapKind::MemoryOutOfBounds));
    let has_computed = trace.gaps.iter().any(|met| met.gap == Gap::Addresses);
    let variadic = shape.variadic.as_ref();
    variadic.is_some_and(|variadic| variadic.is_mixed()) && (is_stray || has_computed)
}

/// Whether what a run met may write uninitialised memory in the model.
fn may_write(gap: &Gap) -> bool {
    match gap {
        Gap::Made
        | Gap::Undefined
        | Gap::Callback
        | Gap::Arguments
        | Gap::Rounding
        | Gap::Unsupported
        | Gap::Undetermined
        | Gap::NanBits
        | Gap::InputBytes => true,
        Gap::Environment(part) => match part {
            Environment::Files | Environment::Process => true,
            // All that these write the model writes too.
            Environment::Allocation
            | Environment::Clock
            | Environment::Locale
            | Environment::Random
            | Environment::Variables => false,
        },
        Gap::Length
        | Gap::PointerDepth
        | Gap::FirstElement
        | Gap::Pointers
        | Gap::Ends
        | Gap::Aliasing
        | Gap::Addresses
        | Gap::DataModel
        | Gap::State
        | Gap::Concretized
        | Gap::OutOfObject
        | Gap::Failure
        | Gap::CutOff
        | Gap::Uninitialized => false,
    }
}

/// Whether only our machine fails at this.
fn is_of_model(kind: &TrapKind) -> bool {
    matches!(kind, TrapKind::MissingImport(_) | TrapKind::CallTypeMismatch)
}
