//! The rank of a failure: whether this machine shows it too, and whether it needs an input that callers may never give.

mod doubts;
mod needs;

use self::doubts::{meaningless, of_input, undeclared_pointer};
use self::needs::FailingInput;
use super::{Tested, reachable_units};
use crate::native::cause;
use crate::ui::run::place;
use std::collections::{BTreeMap, BTreeSet};
use symcrete_emit::bugs;
use symcrete_emit::failures::Shown;
use symcrete_emit::native::NativeReport;
use symcrete_program::cfg::CallGraph;
use symcrete_program::{Bug, Program, SiteId, TrapKind};

/// The rank of a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rank {
    /// This machine shows it, on an input that any caller can give.
    Native { seen: String },
    /// This machine shows it, but the input needs this precondition.
    Precondition { seen: String, needs: String },
    /// This machine does not show it.
    OnlyInModel { why: String },
    /// Not checked.
    Unknown,
}

impl Rank {
    /// What the input must be like, where that is not for any caller to give.
    pub(super) fn needs(&self) -> Option<&str> {
        match self {
            Rank::Precondition { needs, .. } => Some(needs),
            Rank::Native { .. } | Rank::OnlyInModel { .. } | Rank::Unknown => None,
        }
    }

    /// What this machine reported about a native failure, if it says where.
    fn seen_at(&self) -> Option<&str> {
        match self {
            Rank::Native { seen } => Some(seen.as_str()).filter(|seen| seen.contains(" at ")),
            Rank::Precondition { .. } | Rank::OnlyInModel { .. } | Rank::Unknown => None,
        }
    }
}

/// A failure of a function, with its rank.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    /// The function that was tested, by index of its unit.
    pub(super) unit: usize,
    /// What happens, in words.
    pub(super) kind: String,
    pub(super) site: Option<SiteId>,
    /// The test that shows it.
    pub(super) test: usize,
    pub(super) rank: Rank,
}

/// All failures in the order of their functions.
pub(super) fn ranked(
    program: &Program,
    calls: &CallGraph,
    all: &[Tested],
    native: Option<&NativeReport>,
) -> Vec<Ranked> {
    let whole = WholeProgram::of(program, calls, all);
    let of_unit = |tested: &Tested| {
        let rank = |bug: &Bug| Ranked {
            unit: tested.unit,
            kind: bug.kind.to_string(),
            site: bug.site,
            test: bug.test,
            rank: match (rank(program, tested, bug, native), &whole) {
                (Rank::Native { seen }, Some(whole)) if whole.excludes(program, tested, bug) => {
                    let name = &program.units[tested.unit].name;
                    let needs = format!("`{name}` is called as `main` never calls it");
                    Rank::Precondition { seen, needs }
                }
                (rank, _) => rank,
            },
        };
        let bugs = tested.suite.bugs();
        bugs.iter()
            .filter(|bug| !is_of_maker(program, tested, all, bug))
            .map(rank)
            .collect::<Vec<_>>()
    };
    all.iter().flat_map(of_unit).collect()
}

/// One failure for each cause: what this machine sees in the same way at the same place, where none was expected, is what was expected
/// there, or is one. Failures are told apart by `group` first.
pub(super) fn by_cause<'r, G: Ord>(
    program: &Program,
    failures: impl Iterator<Item = &'r Ranked>,
    group: impl Fn(&Ranked) -> G,
) -> Vec<&'r Ranked> {
    let is_there = |failure: &Ranked, seen: &str| {
        let expected = failure.site.map(|site| place(program, site));
        // Sightings have the name of the file alone.
        let expected = expected.as_ref().and_then(|place| place.rsplit('/').next());
        expected.is_some_and(|expected| format!("{seen} ").contains(&format!(" at {expected} ")))
    };
    let failures: Vec<&Ranked> = failures.collect();
    let mut first: BTreeMap<(G, &str), usize> = BTreeMap::new();
    for (i, failure) in failures.iter().enumerate() {
        let Some(seen) = failure.rank.seen_at() else { continue };
        let known = first.entry((group(failure), seen)).or_insert(i);
        if is_there(failure, seen) && !is_there(failures[*known], seen) {
            *known = i;
        }
    }
    let stands = |(i, failure): &(usize, &&Ranked)| {
        let Some(seen) = failure.rank.seen_at() else { return true };
        is_there(failure, seen) || first.get(&(group(failure), seen)) == Some(i)
    };
    failures.iter().enumerate().filter(stands).map(|(_, failure)| *failure).collect()
}

/// A program every path of which is known.
struct WholeProgram<'a> {
    main: &'a Tested,
    /// The functions that it calls, directly or not.
    called: BTreeSet<usize>,
}

impl WholeProgram<'_> {
    fn of<'a>(program: &Program, calls: &CallGraph, all: &'a [Tested]) -> Option<WholeProgram<'a>> {
        let is_main = |tested: &&Tested| {
            let unit = &program.units[tested.unit];
            unit.name == "main" && (tested.stats.is_complete || tested.suite.is_exhaustive)
        };
        let main = all.iter().find(is_main)?;
        Some(WholeProgram { main, called: reachable_units(program, calls, main.unit) })
    }

    /// Whether a failure of a function needs another caller than this program: no path of `main` fails there. What an
    /// assertion says, or a check that was asked for, is said of the calls that there are; a function without parameters can only fail by the state that it is
    /// called in. Where arguments decide, others may call the function with any.
    fn excludes(&self, program: &Program, tested: &Tested, bug: &Bug) -> bool {
        let is_about_calls = matches!(
            bug.kind,
            TrapKind::AssertionFailed | TrapKind::Abort | TrapKind::ReachError | TrapKind::Check(_)
        ) || program.units[tested.unit].params.is_empty();
        let fails = |other: &Bug| other.site == bug.site;
        tested.unit != self.main.unit
            && self.called.contains(&tested.unit)
            && is_about_calls
            && !self.main.suite.bugs().iter().any(fails)
    }
}

/// Whether a failure is listed with another function: one whose calls make the objects of this one fails in the same way.
/// Functions may make each other's objects. Then the one that fails itself comes first, and one that needs fewer others.
fn is_of_maker(program: &Program, tested: &Tested, all: &[Tested], bug: &Bug) -> bool {
    let makers = |tested: &Tested| {
        program.driver(tested.shape.entered).map_or(Vec::new(), |driver| driver.functions())
    };
    let is_it = |other: &Bug| other.kind == bug.kind && other.site == bug.site;
    let failing = bug.site.and_then(|site| program.unit_at(site.offset));
    let mut like: Vec<&Tested> =
        all.iter().filter(|other| other.suite.bugs().iter().any(is_it)).collect();
    like.sort_by_key(|other| (Some(other.unit) != failing, makers(other).len(), other.unit));
    let mut listed: Vec<usize> = Vec::new();
    for other in like {
        let is_listed = makers(other).iter().any(|maker| listed.contains(maker));
        if other.unit == tested.unit {
            return is_listed;
        }
        if !is_listed {
            listed.push(other.unit);
        }
    }
    false
}

fn rank(program: &Program, tested: &Tested, bug: &Bug, native: Option<&NativeReport>) -> Rank {
    let name = bugs::name(program, &program.units[tested.unit], &bug.kind, bug.site);
    let shown = native.and_then(|native| native.failures.get(&name));
    let drawn = &tested.suite.tests[bug.test].drawn;
    if let Some(function) = meaningless(program, drawn) {
        let why = format!("only a verifier gives `{function}` a meaning");
        return Rank::OnlyInModel { why };
    }
    match shown {
        Some(Shown::Seen(seen)) => {
            let seen = &of_input(seen, bug);
            if let Some(function) = undeclared_pointer(program, drawn).filter(|_| seen.is_wild) {
                let why = format!("`{function}` is undeclared and returns a pointer");
                return Rank::OnlyInModel { why };
            }
            let what = seen.what.clone();
            match FailingInput::of(program, tested, bug, seen).needs() {
                Some(needs) => Rank::Precondition { seen: what, needs },
                None => Rank::Native { seen: what },
            }
        }
        Some(Shown::Nothing) => {
            Rank::OnlyInModel { why: "it does not fail on this machine".into() }
        }
        Some(Shown::NotCompiled(message)) => {
            let why = format!("the reproducer does not compile: {}", cause(message));
            Rank::OnlyInModel { why }
        }
        Some(Shown::NotRun(_)) | None => Rank::Unknown,
    }
}
