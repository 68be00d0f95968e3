//! What `gen` says at the end, for people.

use super::Tested;
use super::folding::Folding;
use super::ranks::{Rank, Ranked, by_cause};
use super::reasons::{Detail, words_in};
use crate::args::GenArgs;
use crate::failure::Failure;
use crate::native;
use crate::ui::run::place;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use symcrete_emit::native::NativeReport;
use symcrete_program::api::Driver;
use symcrete_program::{BranchKind, Edge, GoalState, Program};

/// Everything that was tested.
pub(super) struct Report<'a> {
    pub(super) program: &'a Program,
    pub(super) tested: &'a [Tested],
    pub(super) skipped: &'a [String],
    pub(super) native: Option<&'a NativeReport>,
    pub(super) folder: Option<&'a Path>,
    /// Functions that an interrupt came before.
    pub(super) n_not_explored: usize,
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
pub(super) struct Row {
    pub(super) name: String,
    pub(super) tests: usize,
    pub(super) total: usize,
    pub(super) covered: usize,
    pub(super) infeasible: usize,
    pub(super) within_bounds: usize,
    pub(super) runs: u64,
    pub(super) queries: u64,
    pub(super) time: Duration,
}

impl Row {
    fn sum(rows: &[Row]) -> Row {
        let sum = |count: fn(&Row) -> usize| rows.iter().map(count).sum();
        Row {
            name: format!("all {} functions", rows.len()),
            tests: sum(|row| row.tests),
            total: sum(|row| row.total),
            covered: sum(|row| row.covered),
            infeasible: sum(|row| row.infeasible),
            within_bounds: sum(|row| row.within_bounds),
            runs: rows.iter().map(|row| row.runs).sum(),
            queries: rows.iter().map(|row| row.queries).sum(),
            time: rows.iter().map(|row| row.time).sum(),
        }
    }

    pub(super) fn open(&self) -> usize {
        self.total - self.covered - self.infeasible - self.within_bounds
    }
}

impl Report<'_> {
    /// For people: what fits on a screen, or all of it if they want.
    pub(super) fn text(&self) -> String {
        Folding::to_screen(self.is_verbose, |folding| self.folded(folding))
    }

    /// Paragraphs, the empty ones left out.
    fn folded(&self, folding: Folding) -> String {
        let paragraphs = [
            self.table(folding),
            self.history(),
            folding.cut(self.entered_through()),
            folding.cut(self.only_failing()),
            self.not_covered(folding),
            self.failures(folding),
            self.uninitialized(folding),
            self.left_out(folding),
            folding.cut(self.remarks()),
            self.native_lines(folding),
            self.folder.map(|folder| vec![self.where_to_look(folder)]).unwrap_or_default(),
        ];
        let filled = paragraphs.iter().filter(|lines| !lines.is_empty());
        filled.map(|lines| lines.join("\n")).collect::<Vec<_>>().join("\n\n")
    }

    /// What the native proof showed.
    fn native_lines(&self, folding: Folding) -> Vec<String> {
        let Some(native) = self.native else { return Vec::new() };
        let mut lines = native::lines(native, folding);
        let tests = self.tested.iter().flat_map(|tested| &tested.suite.tests);
        match tests.filter(|test| test.set_aside.is_some()).count() {
            0 => {}
            1 => {
                lines.push("  1 test was set aside: it is in suite.json and in no test file".into())
            }
            n => lines.push(format!(
                "  {n} tests were set aside: they are in suite.json and in no test file"
            )),
        }
        lines
    }

    /// Why a side is not covered.
    pub(super) fn reason(&self, state: &GoalState, detail: Detail) -> Option<String> {
        match state {
            GoalState::Covered => None,
            GoalState::Infeasible => Some("infeasible".to_string()),
            GoalState::WithinBounds(bounds) => {
                Some(format!("infeasible within bounds: {}", bounds.names().join(", ")))
            }
            GoalState::Open(open) => Some(words_in(open, detail)),
        }
    }

    /// The failures, those that mean most first.
    fn failures(&self, folding: Folding) -> Vec<String> {
        let native = self.failure_lines(|failure| matches!(failure.rank, Rank::Native { .. }));
        let unknown = self.failure_lines(|failure| failure.rank == Rank::Unknown);
        let title = |what: &str| match self.folder {
            Some(folder) => format!("{what}; reproducers are in {}/bugs", folder.display()),
            None => what.to_string(),
        };
        let mut lines = titled(&title("failures found"), folding.cut(native));
        if self.native.is_none() {
            let what = "failures found, not checked on this machine";
            lines.extend(titled(&title(what), folding.cut(unknown)));
        } else if self.is_verbose {
            let what = "possible failures, not checked on this machine: time limit reached";
            lines.extend(titled(&title(what), unknown));
        } else if !unknown.is_empty() {
            let failures = match unknown.len() {
                1 => "1 possible failure was".to_string(),
                n => format!("{n} possible failures were"),
            };
            lines.push(format!(
                "{failures} not checked on this machine: time limit reached (see -v; a longer --total-time checks more)"
            ));
        }
        let needing =
            self.failure_lines(|failure| matches!(failure.rank, Rank::Precondition { .. }));
        let model = self.failure_lines(|failure| matches!(failure.rank, Rank::OnlyInModel { .. }));
        if self.is_verbose {
            lines.extend(titled("failures that need a precondition", needing));
            lines.extend(titled("failures that occur only in our model of the machine", model));
        } else if !needing.is_empty() {
            let failures = match needing.len() {
                1 => "1 failure needs".to_string(),
                n => format!("{n} failures need"),
            };
            lines.push(format!("{failures} an input that callers may never give (-v lists them)"));
        }
        lines
    }

    /// Whether the native proof had no time for a failure: it may be none.
    pub(super) fn is_unchecked(&self, failure: &Ranked) -> bool {
        self.native.is_some() && failure.rank == Rank::Unknown
    }

    /// Failures of a kind, one line for each cause, in the order of the source.
    fn failure_lines(&self, is_wanted: impl Fn(&Ranked) -> bool) -> Vec<String> {
        let mut lines = BTreeMap::new();
        let wanted = self.failures.iter().filter(|failure| is_wanted(failure));
        for failure in by_cause(self.program, wanted, |_| ()) {
            let position = failure.site.and_then(|site| self.program.position(site.offset));
            let place =
                failure.site.map_or("unknown place".into(), |site| place(self.program, site));
            let function = &self.program.units[failure.unit].name;
            let (key, line) = match &failure.rank {
                Rank::Native { seen } if !says_the_same(seen, &failure.kind) => {
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
            let (_, places) = lines
                .entry((key, without_numbers(&line)))
                .or_insert_with(|| (line, BTreeSet::<String>::new()));
            if key.is_none() {
                places.insert(place);
            }
        }
        let with_places = |(line, places): (String, BTreeSet<String>)| match places.len() {
            0 => line,
            1..=PLACES_SHOWN => format!("{line} ({})", Vec::from_iter(places).join(", ")),
            n => {
                let first = places.first().cloned().unwrap_or_default();
                format!("{line} ({first} and {} more places)", n - 1)
            }
        };
        lines.into_values().map(with_places).collect()
    }

    /// Where the path of a run depended on an uninitialised value.
    fn uninitialized(&self, folding: Folding) -> Vec<String> {
        let sites = self.tested.iter().flat_map(|tested| &tested.uninitialized);
        let lines: BTreeSet<String> =
            sites.map(|&site| format!("  {}", place(self.program, site))).collect();
        let title = "warning: uninitialised values decide what happens here";
        titled(title, folding.cut(lines.into_iter().collect()))
    }

    fn left_out(&self, folding: Folding) -> Vec<String> {
        let lines = self.skipped.iter().map(|line| format!("  {line}")).collect();
        titled("left out", folding.cut(lines))
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
        let mut tests = self.tested.iter().flat_map(|tested| tested.suite.kept());
        let tests = match tests.any(|test| test.outcome.is_repeatable()) {
            true => format!("tests are in {folder}/tests, details"),
            false => "there are no tests; details are".to_string(),
        };
        format!("{tests} in {folder}/suite.json, coverage in {folder}/lcov.info")
    }

    /// Whether what was found is what the user asked to fail on.
    pub(super) fn verdict(&self, args: &GenArgs) -> Result<(), Failure> {
        let is_bug = |failure: &&Ranked| match failure.rank {
            Rank::Native { .. } => true,
            Rank::Unknown => !self.is_unchecked(failure),
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

    /// A row for each function; if they are too many, for those with most open sides, and the sums of all.
    fn table(&self, folding: Folding) -> Vec<String> {
        let mut rows: Vec<Row> = self.tested.iter().map(|tested| self.row(tested)).collect();
        let is_folded = rows.len() > folding.rows;
        if is_folded {
            let all = Row::sum(&rows);
            rows.sort_by_key(|row| std::cmp::Reverse(row.open()));
            rows.retain(|row| row.open() > 0);
            rows.truncate(folding.rows);
            rows.push(all);
        }
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
        for row in &rows {
            let Row {
                name, tests, total, covered, infeasible, within_bounds, runs, queries, ..
            } = row;
            let (open, seconds) = (row.open(), row.time.as_secs_f64());
            lines.push(format!(
                "{name:width$}  {tests:>5}  {total:>8}  {covered:>7}  {infeasible:>10}  {within_bounds:>13}  {open:>4}  {runs:>8}  {queries:>7}  {seconds:>5.1} s",
            ));
        }
        if is_folded {
            lines.push("(only functions with open sides are shown; -v shows all)".to_string());
        }
        lines
    }

    /// What this run did not do itself, or not at all.
    fn history(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let n = self.tested.iter().filter(|tested| tested.is_taken_over).count();
        if n > 0 {
            lines.push(format!("{}: already complete, taken over", counted(n, "function")));
        }
        if self.n_not_explored > 0 {
            lines.push(format!("{}: not explored yet", counted(self.n_not_explored, "function")));
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
    pub(super) fn calls(&self, tested: &Tested) -> Vec<&str> {
        let driver = self.program.driver(tested.shape.entered);
        let driver = driver.filter(|driver| driver.makes_objects());
        let units = driver.map(Driver::functions).unwrap_or_default();
        units.into_iter().map(|unit| self.program.units[unit].name.as_str()).collect()
    }

    pub(super) fn row(&self, tested: &Tested) -> Row {
        let states = tested.suite.goals.values();
        let count = |wanted: fn(&GoalState) -> bool| states.clone().filter(|s| wanted(s)).count();
        Row {
            name: self.program.units[tested.unit].name.clone(),
            tests: tested.suite.kept().filter(|test| test.outcome.is_repeatable()).count(),
            total: tested.suite.goals.len(),
            covered: count(|state| *state == GoalState::Covered),
            infeasible: count(|state| *state == GoalState::Infeasible),
            within_bounds: count(|state| matches!(state, GoalState::WithinBounds(_))),
            runs: tested.stats.executions + tested.stats.burst_runs,
            queries: tested.stats.queries,
            time: tested.time,
        }
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

/// `1 side`, `2 sides`
pub(super) fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Whether what this machine showed adds nothing to the kind of a failure: the processor has one word for its divisions.
fn says_the_same(seen: &str, kind: &str) -> bool {
    let is_division = matches!(kind, "division by zero" | "integer overflow");
    seen.starts_with(kind) || (is_division && seen.starts_with("FPE "))
}

/// Lines below a title; nothing if there are none.
pub(super) fn titled(title: &str, lines: Vec<String>) -> Vec<String> {
    match lines.is_empty() {
        true => Vec::new(),
        false => std::iter::once(title.to_string()).chain(lines).collect(),
    }
}

/// What a line says whatever the numbers in it are: that of an index which leads outside may be any.
fn without_numbers(line: &str) -> String {
    let mut text = String::new();
    for c in line.chars() {
        let is_digit = c.is_ascii_digit();
        let is_in_word = text.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_');
        if !is_digit || is_in_word {
            text.push(c);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text.replace("-#", "#")
}
