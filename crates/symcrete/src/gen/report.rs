//! What `gen` says at the end: a table for people, JSON for programs.

use super::Tested;
use super::ranks::{Rank, Ranked};
use super::reasons::words;
use crate::args::GenArgs;
use crate::failure::Failure;
use crate::native;
use crate::ui::run::place;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use symcrete_emit::c_test::is_repeatable;
use symcrete_emit::native::NativeReport;
use symcrete_program::api::Driver;
use symcrete_program::{BranchKind, Edge, Ended, GoalState, Position, Program};

/// Everything that was tested.
pub(super) struct Report<'a> {
    pub(super) program: &'a Program,
    pub(super) tested: &'a [Tested],
    pub(super) skipped: &'a [String],
    pub(super) native: Option<&'a NativeReport>,
    pub(super) folder: Option<&'a Path>,
    /// Functions that an interrupt came before.
    pub(super) n_not_explored: usize,
    /// How large inputs were.
    /// Failures, with what they mean.
    pub(super) failures: &'a [Ranked],
    /// Whether to show what most people need not know.
    pub(super) is_verbose: bool,
}

/// More places than these are counted.
const PLACES_SHOWN: usize = 4;

/// More functions than these are counted.
const NAMES_SHOWN: usize = 6;

/// Numbers of one function.
struct Row {
    name: String,
    tests: usize,
    total: usize,
    covered: usize,
    infeasible: usize,
    within_bounds: usize,
}

impl Row {
    fn open(&self) -> usize {
        self.total - self.covered - self.infeasible - self.within_bounds
    }
}

impl Report<'_> {
    /// For people: paragraphs, the empty ones left out.
    pub(super) fn text(&self) -> String {
        let paragraphs = [
            self.table(),
            self.history(),
            self.entered_through(),
            self.not_covered(),
            self.failures(),
            self.uninitialized(),
            self.left_out(),
            self.remarks(),
            self.native.map(native::lines).unwrap_or_default(),
            self.folder.map(|folder| vec![self.where_to_look(folder)]).unwrap_or_default(),
        ];
        let filled = paragraphs.iter().filter(|lines| !lines.is_empty());
        filled.map(|lines| lines.join("\n")).collect::<Vec<_>>().join("\n\n")
    }

    /// Why a side is not covered.
    pub(super) fn reason(&self, state: &GoalState) -> Option<String> {
        match state {
            GoalState::Covered => None,
            GoalState::Infeasible => Some("infeasible".to_string()),
            GoalState::WithinBounds(bounds) => {
                Some(format!("infeasible within bounds: {}", bounds.names().join(", ")))
            }
            GoalState::Open(open) => Some(words(open)),
        }
    }

    /// The failures, those that mean most first.
    fn failures(&self) -> Vec<String> {
        let is_sure = |rank: &Rank| matches!(rank, Rank::Native { .. } | Rank::Unknown);
        let sure = self.failure_lines(|failure| is_sure(&failure.rank));
        let title = match self.folder {
            Some(folder) => {
                format!("failures found; programs that show them are in {}/bugs", folder.display())
            }
            None => "failures found".to_string(),
        };
        let mut lines = titled(&title, sure);
        let needing =
            self.failure_lines(|failure| matches!(failure.rank, Rank::Precondition { .. }));
        let model = self.failure_lines(|failure| matches!(failure.rank, Rank::OnlyInModel { .. }));
        if self.is_verbose {
            lines.extend(titled("failures that need a precondition", needing));
            lines.extend(titled("failures that only our model of a machine shows", model));
        } else if !needing.is_empty() {
            let failures = match needing.len() {
                1 => "1 failure needs".to_string(),
                n => format!("{n} failures need"),
            };
            lines.push(format!("{failures} an input that callers may never give (-v lists them)"));
        }
        lines
    }

    /// Failures of a kind, one line for each cause, in the order of the source.
    fn failure_lines(&self, is_wanted: impl Fn(&Ranked) -> bool) -> Vec<String> {
        let mut lines: BTreeMap<(Option<Position>, String), BTreeSet<String>> = BTreeMap::new();
        for failure in self.failures.iter().filter(|failure| is_wanted(failure)) {
            let position = failure.site.and_then(|site| self.program.position(site.offset));
            let place =
                failure.site.map_or("unknown place".into(), |site| place(self.program, site));
            let function = &self.program.units[failure.unit].name;
            let (key, line) = match &failure.rank {
                Rank::Native { seen } if !seen.starts_with(&failure.kind) => {
                    (position, format!("  {place}: {} ({seen})", failure.kind))
                }
                Rank::Native { .. } | Rank::Unknown => {
                    (position, format!("  {place}: {}", failure.kind))
                }
                Rank::OnlyInModel { why } => {
                    (position, format!("  {place}: {}: {why}", failure.kind))
                }
                // The cause is the input, wherever it is noticed.
                Rank::Precondition { needs, .. } => (None, format!("  {function}: {needs}")),
            };
            let places = lines.entry((key, line)).or_default();
            if key.is_none() {
                places.insert(place);
            }
        }
        let with_places = |((_, line), places): (_, BTreeSet<String>)| match places.len() {
            0 => line,
            1..=PLACES_SHOWN => format!("{line} ({})", Vec::from_iter(places).join(", ")),
            n => {
                let first = places.first().cloned().unwrap_or_default();
                format!("{line} ({first} and {} more places)", n - 1)
            }
        };
        lines.into_iter().map(with_places).collect()
    }

    /// Where the way of a run depended on a value that nobody had written.
    fn uninitialized(&self) -> Vec<String> {
        let sites = self.tested.iter().flat_map(|tested| &tested.uninitialized);
        let lines: BTreeSet<String> =
            sites.map(|&site| format!("  {}", place(self.program, site))).collect();
        let title = "warning: uninitialised values decide what happens here";
        titled(title, lines.into_iter().collect())
    }

    fn left_out(&self) -> Vec<String> {
        titled("left out", self.skipped.iter().map(|line| format!("  {line}")).collect())
    }

    /// What is odd about a function.
    fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for tested in self.tested {
            let name = &self.program.units[tested.unit].name;
            let stats = &tested.stats;
            let backward = stats.backward;
            if backward.covered + backward.proved > 0 {
                lines.push(format!(
                    "{name}: backward execution covered {} and proved {} of {} sides that forward exploration left open",
                    backward.covered, backward.proved, backward.tried
                ));
            }
            if stats.inconsistencies > 0 {
                lines.push(format!(
                    "{name} is not deterministic: {} runs met other conditions than earlier runs that had gone the same way",
                    stats.inconsistencies
                ));
            }
            if stats.rejected > 0 && stats.rejected == stats.executions {
                lines.push(format!("{name}: no input satisfies its assumptions"));
            }
        }
        lines
    }

    fn where_to_look(&self, folder: &Path) -> String {
        let folder = folder.display();
        let mut tests = self.tested.iter().flat_map(|tested| &tested.suite.tests);
        let tests = match tests.any(|test| is_repeatable(&test.outcome)) {
            true => format!("tests are in {folder}/tests, all that is known of them"),
            false => "there are no tests; all that is known is".to_string(),
        };
        format!("{tests} in {folder}/suite.json, coverage in {folder}/lcov.info")
    }

    /// Whether what was found is what the user asked to fail on.
    pub(super) fn verdict(&self, args: &GenArgs) -> Result<(), Failure> {
        let is_bug = |failure: &&Ranked| match failure.rank {
            Rank::Native { .. } | Rank::Unknown => true,
            Rank::Precondition { .. } | Rank::OnlyInModel { .. } => false,
        };
        let n_bugs = self.failures.iter().filter(is_bug).count();
        if args.fail_on.is_some() && n_bugs > 0 {
            let message = match n_bugs {
                1 => "1 failure was found".to_string(),
                n => format!("{n} failures were found"),
            };
            return Err(Failure::Finding { message });
        }
        let rows: Vec<Row> = self.tested.iter().map(|tested| self.row(tested)).collect();
        let total: usize = rows.iter().map(|row| row.total).sum();
        let done: usize = rows.iter().map(|row| row.covered + row.infeasible).sum();
        let share = if total == 0 { 100.0 } else { 100.0 * done as f64 / total as f64 };
        match args.min_coverage {
            Some(least) if share < least => Err(Failure::Finding {
                message: format!(
                    "{share:.1} % of the branch sides are covered or infeasible, less than {least} %"
                ),
            }),
            _ => Ok(()),
        }
    }

    /// For programs.
    pub(super) fn json(&self) -> String {
        let functions: Vec<_> = self.tested.iter().map(|tested| self.function(tested)).collect();
        let is_in_model = |failure: &&Ranked| matches!(failure.rank, Rank::OnlyInModel { .. });
        let bugs: Vec<_> = self.failures.iter().filter(|failure| !is_in_model(failure)).collect();
        let bugs: Vec<_> = bugs.into_iter().map(|failure| self.bug(failure)).collect();
        let in_model = self.failures.iter().filter(is_in_model);
        let in_model: Vec<_> = in_model.map(|failure| self.bug(failure)).collect();
        let native = self.native.map(native::json);
        let uninitialized: Vec<_> =
            self.tested.iter().flat_map(|tested| self.uninitialized_json(tested)).collect();
        json!({
            "functions": functions, "bugs": bugs, "only_in_model": in_model,
            "uninitialized": uninitialized,
            "skipped": self.skipped, "native": native,
        })
        .to_string()
    }

    fn table(&self) -> Vec<String> {
        let rows: Vec<Row> = self.tested.iter().map(|tested| self.row(tested)).collect();
        let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(8);
        let mut lines = vec![format!(
            "{:width$}  {:>5}  {:>8}  {:>7}  {:>10}  {:>13}  {:>4}  {:>8}  {:>7}  {:>7}",
            "function",
            "tests",
            "branches",
            "covered",
            "infeasible",
            "within bounds",
            "open",
            "runs",
            "queries",
            "time",
        )];
        for (row, tested) in rows.iter().zip(self.tested) {
            let Row { name, tests, total, covered, infeasible, within_bounds } = row;
            let open = row.open();
            let stats = &tested.stats;
            let runs = stats.executions + stats.burst_runs;
            lines.push(format!(
                "{name:width$}  {tests:>5}  {total:>8}  {covered:>7}  {infeasible:>10}  {within_bounds:>13}  {open:>4}  {runs:>8}  {:>7}  {:>5.1} s",
                stats.queries,
                tested.time.as_secs_f64(),
            ));
        }
        lines
    }

    /// What this run did not do itself, or not at all.
    fn history(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let n = self.tested.iter().filter(|tested| tested.is_taken_over).count();
        if n > 0 {
            lines.push(format!("{}: complete already, taken over", functions(n)));
        }
        if self.n_not_explored > 0 {
            lines.push(format!("{}: not explored yet", functions(self.n_not_explored)));
        }
        lines
    }

    /// Functions whose objects are made by calls, together with those that the same calls serve.
    fn entered_through(&self) -> Vec<String> {
        let mut by_calls: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
        for tested in self.tested {
            let calls = self.calls(tested);
            if !calls.is_empty() {
                let name = self.program.units[tested.unit].name.as_str();
                by_calls.entry(calls).or_default().push(name);
            }
        }
        let shown = |names: &[&str]| match names.len() {
            0..=NAMES_SHOWN => names.join(", "),
            n => format!("{} and {} more", names[..NAMES_SHOWN].join(", "), n - NAMES_SHOWN),
        };
        let lines = by_calls
            .iter()
            .map(|(calls, entered)| format!("  {}: with {}", shown(entered), shown(calls)));
        titled("objects made by calls (--raw-structs sets their members instead)", lines.collect())
    }

    /// The functions that make and change the objects of a function.
    fn calls(&self, tested: &Tested) -> Vec<&str> {
        let driver = self.program.driver(tested.shape.entered);
        let units = driver.map(Driver::functions).unwrap_or_default();
        units.into_iter().map(|unit| self.program.units[unit].name.as_str()).collect()
    }

    fn row(&self, tested: &Tested) -> Row {
        let states = tested.suite.goals.values();
        let count = |wanted: fn(&GoalState) -> bool| states.clone().filter(|s| wanted(s)).count();
        Row {
            name: self.program.units[tested.unit].name.clone(),
            tests: tested.suite.tests.len(),
            total: tested.suite.goals.len(),
            covered: count(|state| *state == GoalState::Covered),
            infeasible: count(|state| *state == GoalState::Infeasible),
            within_bounds: count(|state| matches!(state, GoalState::WithinBounds(_))),
        }
    }

    fn function(&self, tested: &Tested) -> serde_json::Value {
        let row = self.row(tested);
        let (stats, chain) = (&tested.stats, &tested.chain);
        let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        let last = stats.timeline.last().map(|(time, _, _)| milliseconds(*time));
        let open: Vec<_> = tested
            .suite
            .goals
            .iter()
            .filter_map(|(edge, state)| match state {
                GoalState::Open(open) => {
                    let mut side = self.side_json(*edge);
                    side["why"] = json!(words(open));
                    Some(side)
                }
                GoalState::Covered | GoalState::Infeasible | GoalState::WithinBounds(_) => None,
            })
            .collect();
        let proved = tested.suite.goals.iter();
        let infeasible_sides: Vec<_> = proved
            .filter(|(_, state)| **state == GoalState::Infeasible)
            .map(|(edge, _)| self.side_json(*edge))
            .collect();
        json!({
            "name": row.name,
            "tests": row.tests,
            "branches": {
                "total": row.total, "covered": row.covered, "infeasible": row.infeasible,
                "within_bounds": row.within_bounds, "open": row.open(),
            },
            "calls": self.calls(tested),
            "ended": tested.suite.ended.map(ended),
            "taken_over": tested.is_taken_over,
            "earlier_executions": tested.spent_before.executions,
            "executions": stats.executions,
            "burst_runs": stats.burst_runs,
            "burst_finds": stats.burst_finds,
            "backward": {
                "tried": stats.backward.tried, "covered": stats.backward.covered,
                "proved": stats.backward.proved,
            },
            "divergences": stats.divergences,
            "queries": stats.queries,
            "solver_calls": chain.calls.calls,
            "avg_constraint_size": chain.constraints.literals_per_call(),
            "solver_constraint_size": {
                "avg": chain.calls.literals_per_call(), "max": chain.calls.literals_max,
            },
            "solver_ms": milliseconds(stats.solver_time),
            "time_ms": milliseconds(tested.time),
            "last_new_branch_ms": last,
            "exhaustive": tested.suite.is_exhaustive,
            "saved": {
                "literals_sliced_off":
                    chain.sliced.literals_asked.saturating_sub(chain.sliced.literals_kept),
                "cache_sat": chain.cached.inputs_fit,
                "cache_unsat": chain.cached.unsat_known + chain.cached.opposites,
                "refuted": chain.refuted.refuted,
                "met": chain.refuted.met,
                "tiny": chain.tiny.decided,
                "guessed": chain.guessed.hits,
                "partial": chain.partial.decided,
                "cores": chain.cores.unsat,
            },
            "uncovered": open,
            "infeasible": infeasible_sides,
            "within_bounds": self.bounded_sides(tested),
        })
    }

    /// The sides that are infeasible within bounds, with those bounds.
    fn bounded_sides(&self, tested: &Tested) -> Vec<serde_json::Value> {
        let goals = tested.suite.goals.iter();
        goals
            .filter_map(|(edge, state)| match state {
                GoalState::WithinBounds(bounds) => {
                    let mut side = self.side_json(*edge);
                    side["bounds"] = json!(bounds.names());
                    Some(side)
                }
                GoalState::Covered | GoalState::Infeasible | GoalState::Open(_) => None,
            })
            .collect()
    }

    fn bug(&self, failure: &Ranked) -> serde_json::Value {
        let mut bug = json!({
            "function": self.program.units[failure.unit].name,
            "kind": failure.kind,
            "place": failure.site.map(|site| place(self.program, site)),
            "test": failure.test,
            "rank": null,
        });
        match &failure.rank {
            Rank::Native { seen } => {
                bug["rank"] = json!("native");
                bug["seen"] = json!(seen);
            }
            Rank::Precondition { seen, needs } => {
                bug["rank"] = json!("precondition");
                bug["seen"] = json!(seen);
                bug["needs"] = json!(needs);
            }
            Rank::OnlyInModel { why } => bug["why"] = json!(why),
            Rank::Unknown => {}
        }
        bug
    }

    fn uninitialized_json(&self, tested: &Tested) -> Vec<serde_json::Value> {
        let function = &self.program.units[tested.unit].name;
        let sites = tested.uninitialized.iter();
        let places: BTreeSet<String> = sites.map(|&site| place(self.program, site)).collect();
        places.iter().map(|place| json!({"function": function, "place": place})).collect()
    }

    /// A side of a branch for people, and for programs by the machine's operator.
    fn side_json(&self, edge: Edge) -> serde_json::Value {
        json!({
            "branch": self.side(edge), "offset": edge.site.offset, "case": edge.site.case,
            "taken": edge.taken,
        })
    }

    /// A side of a branch: `geo.c:41: d*d < 4.0 is true`.
    pub(super) fn side(&self, edge: Edge) -> String {
        match self.program.branches.get(&edge.site) {
            Some(branch) if branch.kind == BranchKind::Case => {
                format!("{}: {}", self.program.place(branch.position), branch.text)
            }
            Some(branch) => format!(
                "{}: {} is {}",
                self.program.place(branch.position),
                branch.text,
                edge.taken != branch.is_negated
            ),
            None => format!("offset {}", edge.site),
        }
    }
}

fn functions(n: usize) -> String {
    if n == 1 { "1 function".to_string() } else { format!("{n} functions") }
}

fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Covered => "covered",
        Ended::NothingLeft => "nothing-left",
        Ended::Iterations => "iterations",
        Ended::Time => "time",
        Ended::Interrupted => "interrupted",
    }
}

/// Lines below a title; nothing if there are none.
pub(super) fn titled(title: &str, lines: Vec<String>) -> Vec<String> {
    match lines.is_empty() {
        true => Vec::new(),
        false => std::iter::once(title.to_string()).chain(lines).collect(),
    }
}
