//! `symcrete reach`: one input for one target, or a proof that there is none.

mod entries;
mod meaning;
mod native;
mod report;
mod runs;
mod target;
mod trap;

use crate::args::ReachArgs;
use crate::failure::Failure;
use crate::load::Loaded;
use crate::names::ReachPart;
use crate::watchdog::{Deadline, now};
use crate::{defaults, load, ui, wire};
pub(crate) use entries::{Entries, initial};
use report::{Answer, Report};
pub(crate) use runs::Runner;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use symcrete_exec::Config;
use symcrete_program::{Environment, Gap, Program};
use symcrete_reach::{
    Accesses, Bound, Callee, Counters, Options, Parts, Pool, Reachability, Room, Search, Target,
    Unsure, View,
};
use symcrete_solve::{Cancel, Chain, ChainOptions, Setup, build_chain};
use symcrete_term::Seed;
use target::{Asked, Wanted};
pub(crate) use trap::Trap;

/// What code calls before it rounds to nearest although another direction may be set.
const ROUNDING_TO_NEAREST: &str = "__symcrete_unrounded";
/// Functions whose return the control-flow graph does not show.
const UNFOLLOWED: &[&str] = &[
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "longjmp",
    "siglongjmp",
    "__symcrete_unsupported",
    "__symcrete_widened",
    "__symcrete_rounding",
];

/// Runs the command.
pub(crate) fn run(args: &ReachArgs) -> Result<(), Failure> {
    let mut source = args.source.clone();
    let asked = Asked::read(args, &mut source)?;
    let places = asked.iter().flat_map(Asked::places).collect();
    let additions = load::Additions { targets: places, drivers: false };
    let Loaded { program, flags, .. } = load::load_with(&source, additions, Arc::default())?;
    wire::tell_missing_solvers(args.solver);
    let config = load::config(&program, &source)?;
    let executable = load::prepare(&program, &source)?;
    let view = view(&program, &config)?;
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut failures = Vec::new();
    for asked in &asked {
        match asked.resolve(&program, &view, args.trap) {
            Ok(found) => wanted.extend(found),
            // One line without code must not keep the others of a report from being answered.
            Err(failure) => {
                wanted.push(Wanted::without_code(asked, &failure));
                failures.push(failure);
            }
        }
    }
    if failures.len() == asked.len() {
        return Err(failures.swap_remove(0));
    }
    let entries = Entries::choose(args, &program, &view, &executable, &wanted)?;
    let toolbox = wire::toolbox();
    let setup = Setup { toolbox: &toolbox, seed: Seed(args.seed), experience: None };
    let mut groups = Vec::new();
    for entries in entries.groups() {
        let chain = build_chain(&setup, args.solver, ChainOptions::default())?;
        groups.push(Group { entries, chain, pool: Pool::default() });
    }
    let mut answers = Vec::new();
    for wanted in &wanted {
        answers.push(answer(args, &program, &view, &mut groups, wanted)?);
    }
    let native = native::prove((args, &source), (&program, &flags), &entries, &answers)?;
    let report = Report { program: &program, entries: &entries, answers: &answers, native };
    ui::say(&if args.json { report.json() } else { report.text() })?;
    Ok(())
}

/// A program as backward execution reads it.
pub(crate) fn view<'p>(program: &'p Program, config: &Config) -> Result<View<'p>, Failure> {
    View::of(&program.wasm, |module, function| meaning::callee(program, config, module, function))
        .map_err(|error| Failure::Usage { message: error.to_string() })
}

/// Entries that share terms, and what decides path conditions about them.
struct Group {
    entries: Entries,
    chain: Chain,
    /// The terms that the chain knows.
    pool: Pool,
}

/// Looks for one target.
fn answer<'w>(
    args: &ReachArgs,
    program: &Program,
    view: &View<'_>,
    groups: &mut [Group],
    wanted: &'w Wanted,
) -> Result<Answer<'w>, Failure> {
    let started = now();
    if let Some(words) = &wanted.no_code {
        let outcome = Reachability::Unknown(BTreeSet::from([Unsure::NoCode(words.clone())]));
        let (counters, time) = (Counters::default(), Duration::ZERO);
        return Ok(Answer { wanted, outcome, counters, time, test: None });
    }
    let (cancel, stop) = (Cancel::new(), Arc::default());
    let _deadline = Deadline::start(Duration::from_secs_f64(args.time), cancel.clone(), stop);
    let without = |part| args.without.contains(&part);
    let options = Options {
        slicing: !without(ReachPart::Slicing),
        merging: !without(ReachPart::Merging),
        back_jumping: !without(ReachPart::BackJumping),
        lazy_callees: !without(ReachPart::LazyCallees),
        loop_methods: !without(ReachPart::LoopMethods),
        loop_bound: args.loop_bound,
        call_depth: args.call_depth,
        segments: args.segments,
        steps: defaults::QUERY_STEPS,
        phase_two_steps: defaults::PHASE_TWO_STEPS,
        query_time: Duration::from_secs(defaults::QUERY_SECONDS),
        cancel: cancel.clone(),
    };
    let (mut outcome, mut counters) = (None, Counters::default());
    let mut test = None;
    for group in groups {
        let mut runner = Runner::new(program, &group.entries, args.fuel, cancel.clone());
        for target in &wanted.targets {
            runner.aim(target.clone(), wanted.failing);
            let parts = Parts {
                view,
                entries: &group.entries.all,
                initial: &group.entries.initial,
                solver: &mut group.chain,
                runs: &mut runner,
            };
            let pool = std::mem::take(&mut group.pool);
            let mut search = Search::new(parts, options.clone(), pool);
            let (found, counted) = search.reach(target);
            let is_local = search.is_local();
            group.pool = search.into_pool();
            counters = counters.plus(counted);
            let found = within_model(program, view, (&group.entries, target), (found, is_local));
            if let Reachability::Reached(reached) = &found {
                test = runner.record(reached)?;
            }
            outcome = Some(outcome.map_or(found.clone(), |earlier| joined(earlier, found)));
            if matches!(outcome, Some(Reachability::Reached(_))) {
                break;
            }
        }
        runner.failure()?;
        if matches!(outcome, Some(Reachability::Reached(_))) {
            break;
        }
    }
    let outcome = outcome.unwrap_or(Reachability::Unreachable(BTreeSet::new()));
    Ok(Answer { wanted, outcome, counters, time: started.elapsed(), test })
}

/// What is said of all places of a target together.
fn joined(earlier: Reachability, later: Reachability) -> Reachability {
    match (earlier, later) {
        (reached @ Reachability::Reached(_), _) | (_, reached @ Reachability::Reached(_)) => {
            reached
        }
        (Reachability::Unknown(mut why), Reachability::Unknown(more)) => {
            why.extend(more);
            Reachability::Unknown(why)
        }
        (unknown @ Reachability::Unknown(_), Reachability::Unreachable(_))
        | (Reachability::Unreachable(_), unknown @ Reachability::Unknown(_)) => unknown,
        (Reachability::Unreachable(mut bounds), Reachability::Unreachable(more)) => {
            bounds.extend(more);
            Reachability::Unreachable(bounds)
        }
    }
}

/// What the program assumes on its ways to a target, or does that the graph does not show, limits every proof; that all accesses stay in their
/// objects, or only writes for those that stand on what is read and decided beside the target.
pub(crate) fn within_model(
    program: &Program,
    view: &View<'_>,
    (entries, target): (&Entries, &Target),
    (outcome, is_local): (Reachability, bool),
) -> Reachability {
    let Reachability::Unreachable(mut bounds) = outcome else { return outcome };
    let functions = entries.functions(view);
    let calls = |names: &[&str]| {
        functions.iter().any(|&f| names.contains(&view.module.function_name(f).as_str()))
    };
    // In which direction something was rounded that is rounded to nearest here, a walk back does not know.
    for (names, gap) in [(UNFOLLOWED, Gap::Unsupported), (&[ROUNDING_TO_NEAREST], Gap::Rounding)] {
        if calls(names) {
            return Reachability::Unknown(BTreeSet::from([Unsure::Hole(gap)]));
        }
    }
    // What nobody defines may call back, so even what does not depend on its results is limited by it.
    let undefined =
        functions.iter().filter_map(|&function| match view.callees[function as usize] {
            // Allocation calls nothing back, and paths that depend on it say so themselves.
            Callee::Draw { gap, .. } | Callee::Ignored(gap) => {
                gap.filter(|gap| *gap != Gap::Environment(Environment::Allocation))
            }
            Callee::Unknown(Gap::Undefined) => Some(Gap::Undefined),
            Callee::Unknown(_)
            | Callee::Entered
            | Callee::Opaque(_)
            | Callee::DrawNamed(_)
            | Callee::Assume
            | Callee::Ends
            | Callee::Frame
            | Callee::Same
            | Callee::Observed(_)
            | Callee::Pointer
            | Callee::Allocated { .. }
            | Callee::Uninitialized
            | Callee::Copy
            | Callee::Fill => None,
        });
    bounds.extend(undefined.map(Bound::Model));
    let functions = entries.functions_before(view, target);
    let units =
        (0..program.units.len()).filter(|&unit| functions.contains(&program.units[unit].function));
    if symcrete_program::data_model::depends_on_width(program, &units.collect()) {
        bounds.insert(Bound::Model(Gap::DataModel));
    }
    let initial = &entries.initial;
    let room = Room { entries: &entries.all, objects: &initial.objects, memory: &initial.memory };
    let accesses = match target {
        Target::Side(_) if is_local => Accesses::Writes,
        Target::Side(_) | Target::Trap { .. } | Target::Called(_) => Accesses::All,
    };
    if view.has_free(accesses, &functions, &room) {
        bounds.insert(Bound::Objects);
    }
    Reachability::Unreachable(bounds)
}
